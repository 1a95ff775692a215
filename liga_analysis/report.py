"""Notebooks run with papermill, and exported as one page that opens offline."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from pathlib import Path

# As in `charts`: without it jsonschema (here under nbformat) takes 0.9 s to import.
sys.modules.setdefault("rfc3987_syntax", None)

import nbformat  # noqa: E402
import pandas as pd  # noqa: E402
import papermill  # noqa: E402
from papermill.exceptions import PapermillExecutionError, strip_color  # noqa: E402

from .labels import DataError, Problem, Words, user_language  # noqa: E402
from .ranking import standings  # noqa: E402
from .season import Season, load_season  # noqa: E402
from .views import reservation  # noqa: E402
from .writer import write_table  # noqa: E402

MIME = "application/vnd.vegalite.v5+json"
SEPARATORS = {"de": (";", ","), "en": (",", ".")}  # of cells and of decimals, as Excel expects
HIDDEN = {"parameters", "injected-parameters", "remove_cell"}  # tags of cells left off the page
_PACKAGE = Path(__file__).parent
_KINDS = {"str": str, "int": int, "float": (int, float), "bool": bool}
_READ = {
    "int": int,
    "float": float,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
}
_VEGA = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"


def notebooks() -> dict[str, Path]:
    """The notebooks at hand by name: the checkout's, else those in the package."""
    folders = (_PACKAGE.parent / "notebooks", _PACKAGE / "notebooks")
    folder = next((folder for folder in folders if folder.is_dir()), folders[-1])
    return {path.stem: path for path in sorted(folder.glob("*.ipynb"))}


def find_notebook(name: str | Path) -> Path:
    """The file of that path, else the notebook at hand of that name.

    Raises
    ------
    DataError
        If there is neither; the notebooks at hand are named.
    """
    path, known = Path(name), notebooks()
    if not path.is_file() and path.stem not in known:
        raise _refused("notebook_unknown", notebook=str(name), known=list(known) or ["–"])
    return path if path.is_file() else known[path.stem]


def parameters(notebook: str | Path) -> dict[str, str]:
    """Types of a notebook's parameters by name, as its `parameters` cell declares them."""
    found = papermill.inspect_notebook(str(find_notebook(notebook)))
    return {name: entry["inferred_type_name"] for name, entry in found.items()}


def checked(notebook: str | Path, values: dict) -> dict:
    """The values in the types the notebook declares; text is read, as a command line gives it.

    Raises
    ------
    DataError
        If a name is unknown or a value is not of its type.
    """
    known, good = parameters(notebook), {}
    for name, value in values.items():
        if name not in known:
            told = {"notebook": Path(notebook).stem, "name": name, "known": list(known) or ["–"]}
            raise _refused("parameter_unknown", **told)
        try:
            good[name] = _typed(value, known[name])
        except (ValueError, KeyError):
            told = {"name": name, "kind": known[name], "found": repr(value)}
            raise _refused("parameter_type", **told) from None
    return good


def _typed(value, kind: str):
    """A value as str, int, float or bool; of other types papermill makes what it can."""
    if isinstance(value, str) and kind in _READ:
        return _READ[kind](value)
    right = isinstance(value, _KINDS.get(kind, object))
    if not right or isinstance(value, bool) != (kind == "bool"):
        raise ValueError(value)
    return float(value) if kind == "float" else value


def _refused(key: str, **values) -> DataError:
    return DataError(Problem("error", "setting", key, values=values))


def run_notebook(
    notebook: str | Path,
    values: dict,
    folder: str | Path,
    stem: str,
    title: str | None = None,
    language: str | None = None,
    write: Callable[[Path], None] | None = None,
) -> list[Path]:
    """Run a notebook and write `stem`.html and `stem`.ipynb, and what `write` puts in `stem`.csv.

    All is made in a folder beside and moved into place when everything has succeeded. The title is
    the stem, and the language that of messages, if none is given.

    Raises
    ------
    DataError
        If a parameter is refused, before anything runs, or the notebook stops with an error.
    """
    path, values = find_notebook(notebook), checked(notebook, values)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix=".liga-", dir=folder) as beside,
        # Putting the scripts together takes 2 s and halts all threads: a process of its own does
        # it while the notebook runs.
        subprocess.Popen([sys.executable, "-c", _VEGA], stdout=subprocess.PIPE) as vega,
    ):
        page, executed, table = made = [
            Path(beside, f"{stem}.{kind}") for kind in ("html", "ipynb", "csv")
        ]
        nb = _executed(path, values)
        scripts = vega.communicate()[0].decode()
        text = page_html(nb, title or stem, language or user_language(), scripts)
        page.write_text(text, encoding="utf-8")
        nbformat.write(nb, executed)
        if write is not None:
            write(table)
        made = [file for file in made if file.exists()]
        # The table first: Excel locks what it has open, and then nothing is replaced.
        for file in reversed(made):
            os.replace(file, folder / file.name)
    return [folder / file.name for file in made]


def _executed(path: Path, values: dict):
    """The notebook run, without the times and paths of this machine that papermill notes."""
    bar = {"desc": path.stem, "bar_format": "{desc} {percentage:3.0f} % {bar:30}"}
    try:
        nb = papermill.execute_notebook(
            str(path),
            None,
            values,
            kernel_name="python3",
            progress_bar=bar,
            # ipykernel warns that it talks over TCP, to this machine alone.
            extra_arguments=["--log-level=ERROR"],
        )
    except PapermillExecutionError as error:
        reason = strip_color(f"{error.ename}: {error.evalue}").strip().splitlines()[-1]
        raise _refused("notebook_failed", notebook=path.stem, error=reason) from None
    for part in (nb, *nb.cells):
        for key in ("papermill", "execution"):
            part.metadata.pop(key, None)
    return nb


def page_html(nb, title: str, language: str, scripts: str) -> str:
    """An executed notebook as one page: its outputs, charts drawn by scripts in the page itself."""
    from nbconvert import HTMLExporter  # takes its time; not needed to refuse a parameter
    from traitlets.config import Config

    kinds = [MIME, "text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain"]
    exporter = HTMLExporter(
        template_name="template",
        extra_template_basedirs=[str(_PACKAGE)],
        exclude_input=True,
        config=Config(
            NbConvertBase={"display_data_priority": kinds},
            TagRemovePreprocessor={"enabled": True, "remove_cell_tags": HIDDEN},
        ),
    )
    exporter.register_filter("spec", _spec_json)
    outputs = [output for cell in nb.cells for output in cell.get("outputs", [])]
    sheets = [_PACKAGE / "template" / f"{name}.css" for name in ("views", "page")]
    page = {
        "title": title,
        "language": language,
        "style": "".join(sheet.read_text("utf-8") for sheet in sheets),
        "scripts": scripts if any(MIME in output.get("data", {}) for output in outputs) else "",
        "no_scripts": Words(language).text("report.charts_need_scripts"),
    }
    return exporter.from_notebook_node(nb, resources={"page": page})[0]


def _spec_json(spec: dict) -> str:
    """A chart for the page: as wide as its place, so that a telephone shows it whole."""
    fluid = spec | {"width": "container"} if "width" in spec else spec
    # Within a script element "<" could end it, whatever the element's type.
    return json.dumps(fluid).replace("<", r"\u003c")


def season_report(
    season_path: str | Path,
    through: int | None = None,
    lam: float | None = None,
    sigma: float | None = None,
    language: str | None = None,
    folder: str | Path = "reports",
) -> list[Path]:
    """The season report: page, executed notebook, and the standings as CSV.

    `season_path`, `through` and `language` as for `load_season`; `lam` and `sigma` (chips) in
    place of the parameters in force.

    Raises
    ------
    DataError
        If the data do not allow a report; nothing is written then.
    """
    season = load_season(season_path, through or None, language or None)
    table = standings(season, lam or None, sigma or None)
    given = {"through": through, "lam": lam, "sigma": sigma, "language": language}
    return run_notebook(
        "season_report",
        {"season": str(season_path)} | {name: value for name, value in given.items() if value},
        folder,
        f"{season_stem(season)}-{season.words.text('report.file', evening=season.held[-1])}",
        season.words.text("report.title", name=season.name),
        season.language,
        lambda path: write_table(reader_table(season, table), path, *SEPARATORS[season.language]),
    )


def run(notebook: str | Path, values: dict, folder: str | Path = "reports") -> list[Path]:
    """Any notebook with a parameter `season`, run and exported under both names."""
    path, values = find_notebook(notebook), checked(notebook, values)
    season = load_season(values["season"], language=values.get("language") or None)
    stem = f"{season_stem(season)}-{_slug(path.stem)}"
    return run_notebook(path, values, folder, stem, f"{season.name}: {path.stem}", season.language)


def season_stem(season: Season) -> str:
    """Start of file names: "beispielliga-2026" for a folder, the file's name for a table."""
    path = season.path.resolve()
    return _slug(path.stem if path.is_file() else f"{path.parent.name}-{path.name}")


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "liga"


def reader_table(season: Season, table: pd.DataFrame) -> pd.DataFrame:
    """The standings as a spreadsheet's reader wants them: in words, rounded to two places."""
    words, shown = season.words, table.round(2)
    answers = {True: words.text("report.yes"), False: words.text("report.no")}
    shown["qualified"] = shown["qualified"].map(answers)
    shown.columns = [words.text(f"column.{column}") for column in table.columns]
    if season.left_out:
        shown[words.text("report.note")] = reservation(season)
    return shown
