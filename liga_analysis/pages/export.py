"""An executed notebook as one page that opens offline, and the page on paper.

Charts are drawn by scripts in the page, once they are in sight; until then, and where there are no
scripts, a picture stands in each one's place. A cell tagged `fold` begins a part that is folded.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path

from ..words import Words

MIME = "application/vnd.vegalite.v5+json"
HIDDEN = {"parameters", "injected-parameters", "remove_cell"}  # tags of cells left off the page
PICTURE = 340  # px, the width of a chart's picture: that of a telephone
HEAVY = 200_000  # characters; a larger picture is stored as pixels
_PAGES = Path(__file__).parent
_FOLDED = re.compile(r'<!-- fold -->\s*(?:<div class="liga heading">)?|<!-- unfold -->')
_PART = re.compile(r'(?=<div class="liga heading(?: fold)?">)')
_TITLE = re.compile(r"<h2.*?</h2>", re.S)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
_PROGRAMS = (  # where the installers for Windows and macOS put them
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PATIENCE = 120  # seconds a browser has to print
_VEGA = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command that waits for this
import vl_convert
sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())
"""


def page_html(nb, title: str, language: str, scripts: str) -> str:
    """An executed notebook as one page: its outputs, and charts with the `scripts` that draw them.

    Parts begin at their headings.
    """
    from nbconvert import HTMLExporter  # takes its time; not needed to refuse a parameter
    from traitlets.config import Config

    kinds = [MIME, "text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain"]
    exporter = HTMLExporter(
        template_name="template",
        extra_template_basedirs=[str(_PAGES)],
        exclude_input=True,
        optimistic_validation=True,
        config=Config(
            NbConvertBase={"display_data_priority": kinds},
            TagRemovePreprocessor={"enabled": True, "remove_cell_tags": HIDDEN},
        ),
    )
    exporter.register_filter("chart", chart_parts)
    exporter.register_filter("parts", parts)
    outputs = [output for cell in nb.cells for output in cell.get("outputs", [])]
    sheets = [_PAGES / "template" / f"{name}.css" for name in ("views", "page")]
    page = {
        "title": title,
        "language": language,
        "style": "".join(sheet.read_text("utf-8") for sheet in sheets),
        "scripts": scripts if any(MIME in output.get("data", {}) for output in outputs) else "",
        "behaviour": (_PAGES / "template" / "page.js").read_text("utf-8"),
        "no_scripts": Words(language).text("report.charts_need_scripts"),
    }
    # Its own way reads the whole page back to name pictures, which ours are: half a second.
    return super(HTMLExporter, exporter).from_notebook_node(nb, resources={"page": page})[0]


def parts(body: str) -> str:
    """Each heading together with what stands below it, folded where its cell says so.

    Cards, closed in a notebook, are open: the page shows one at a time.
    """
    mark = '<div class="liga heading fold">'
    body = _FOLDED.sub(lambda found: mark if "div" in found[0] else "", body)
    first, *rest = _PART.split(body.replace('<details class="card"', '<details open class="card"'))
    return first + "".join(map(_part, rest))


def _part(part: str) -> str:
    fold = part.startswith('<div class="liga heading fold">')
    title = _TITLE.search(part)
    if not fold or not title:
        return f"<section>{part}</section>\n"
    rest = part.replace(title[0], "", 1)
    return f'<details class="liga part"><summary>{title[0]}</summary>{rest}</details>\n'


def chart_parts(spec: dict) -> dict:
    """What the page needs of a chart: its title as text, `spec` for the scripts, a `picture`."""
    title, note = _title(spec)
    # A title in the page breaks into lines; one in a chart would be cut on a telephone.
    bare = {key: value for key, value in spec.items() if key != "title"}
    fluid = bare | ({"width": "container"} if "width" in bare else {})
    for step in spec.get("params", []):
        if labels := step.get("bind", {}).get("labels"):  # a slider in place of a list of λ
            last = {"input": "range", "min": 0, "max": len(labels) - 1, "step": 1}
            slider = step | {"bind": last | {"name": step["bind"]["name"]}}
            others = [param for param in spec["params"] if param is not step]
            fluid |= {"params": [*others, slider], "usermeta": {"step": labels}}
    return {
        "title": title,
        "note": note,
        # Within a script element "<" could end it, whatever the element's type.
        "spec": json.dumps(fluid).replace("<", r"\u003c"),
        "picture": _picture(json.dumps(bare | {"width": PICTURE} if "width" in bare else bare)),
        "alt": spec.get("description", ""),
    }


def _title(spec: dict) -> tuple[str, str]:
    title = spec.get("title", "")
    title = title if isinstance(title, dict) else {"text": title}
    title, note = (title.get(part, "") for part in ("text", "subtitle"))
    if isinstance(title, dict):  # said by an expression, which only the drawn chart can read
        title = spec.get("usermeta", {}).get("title", "")
    joined = [" ".join(part) if isinstance(part, list) else part for part in (title, note)]
    return joined[0], joined[1]


@lru_cache(100)
def _picture(spec: str) -> str:
    """A chart as the address of a picture, drawn here and now."""
    from vl_convert import vegalite_to_png, vegalite_to_svg

    spec = json.loads(spec)
    # The name of the font stands at every text.
    spec = spec | {"config": spec.get("config", {}) | {"font": "sans-serif"}}
    svg, kind = vegalite_to_svg(spec), "svg+xml"
    for k, name in enumerate(dict.fromkeys(re.findall(r'\bid="(\w+)"', svg))):
        svg = re.sub(rf"\b{name}\b", f"id-{k}", svg)  # numbered from the start of the program
    drawn = svg.encode()
    if len(drawn) > HEAVY:
        drawn, kind = vegalite_to_png(spec, scale=2), "png"
    return f"data:image/{kind};base64,{base64.b64encode(drawn).decode()}"


@cache
def vega() -> str:
    """The scripts that draw charts, made once for each version of it and kept for this user.

    Making it takes 2 s and halts all threads: a process of its own does it.
    """
    kept = user_cache_path("liga_analysis") / f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError):
        return kept.read_text("utf-8")
    made = subprocess.run([sys.executable, "-P", "-c", _VEGA], stdout=subprocess.PIPE)
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as beside:
            beside.write(made.stdout)
        os.replace(beside.name, kept)
    return made.stdout.decode()


def find_browser() -> str | None:
    """A browser that prints: the environment's LIGA_CHROMIUM, else Chromium, Chrome or Edge."""
    given = os.environ.get("LIGA_CHROMIUM")
    if given:
        return shutil.which(given)
    named = (shutil.which(browser) for browser in BROWSERS)
    placed = (path for path in map(os.path.expandvars, _PROGRAMS) if os.path.isfile(path))
    return next(filter(None, named), None) or next(placed, None)


def print_page(browser: str, page: Path, pdf: Path) -> bool:
    """The page on A4; whether the browser made it."""
    with tempfile.TemporaryDirectory(prefix="liga-", ignore_cleanup_errors=True) as profile:
        command = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            f"--user-data-dir={profile}",
            "--no-pdf-header-footer",
            "--window-size=794,1123",
            "--virtual-time-budget=10000",
            f"--print-to-pdf={pdf.absolute()}",
            page.absolute().as_uri(),
        ]
        with suppress(subprocess.SubprocessError, OSError):
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    return pdf.is_file() and pdf.stat().st_size > 0
