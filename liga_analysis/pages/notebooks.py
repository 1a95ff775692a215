"""Notebooks run with papermill, and exported as one page that opens offline."""

import os
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

from ..model.ranking import season_fit
from ..season.folder import output_folder
from ..season.reader import read_file
from ..season.season import Season, load_season
from ..season.values import typed_number
from ..season.writer import naming
from ..words import DataError, Problem, user_language
from .export import MIME, chart_parts, page_html, print_page, vega

WIDGET = "application/vnd.jupyter.widget-view+json"
# What a page of each is called.
TITLES = {
    "season_report": "report.kind",
    "estimate_parameters": "estimate.kind",
    "explore_lambda": "explore.kind",
}
_PAGES = Path(__file__).parent
_PACKAGE = _PAGES.parent
_KINDS = {"str": str, "int": int, "float": (int, float), "bool": bool}
_READ = {
    "int": int,
    "float": typed_number,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
}


def notebooks() -> dict[str, Path]:
    """The notebooks at hand by name: the checkout's, else those in the package."""
    folders = (_PACKAGE.parent / "notebooks", _PACKAGE / "notebooks")
    folder = next((folder for folder in folders if folder.is_dir()), folders[-1])
    return {path.stem: path for path in sorted(folder.glob("*.ipynb"))}


def find_notebook(name: str | Path) -> Path:
    """The file of that path, else the notebook at hand of that name.

    A name alone is always a notebook at hand, whatever lies in the current folder.

    Raises
    ------
    DataError
        If there is neither, the notebooks at hand are named; or the file is no notebook.
    """
    path, known = Path(name), notebooks()
    typed = path.is_file() and (path.suffix == ".ipynb" or len(path.parts) > 1)
    if not typed and path.stem not in known:
        key = "no_notebook" if path.is_file() else "notebook_unknown"
        raise refused(key, notebook=str(name), known=list(known) or ["–"])
    place = path if typed else known[path.stem]
    try:
        nbformat.validate(nbformat.reads(read_file(place).decode(), nbformat.NO_CONVERT))
    except (ValueError, AttributeError, KeyError, TypeError, nbformat.ValidationError):
        raise refused("no_notebook", notebook=str(name)) from None
    return place


def parameters(notebook: str | Path) -> dict[str, str]:
    """Types of a notebook's parameters by name, as its `parameters` cell declares them."""
    import papermill

    declared = papermill.inspect_notebook(str(find_notebook(notebook)))
    return {name: entry["inferred_type_name"] for name, entry in declared.items()}


def checked(notebook: str | Path, values: dict) -> dict:
    """The values in the types the notebook declares; text is read, as a command line gives it.

    Raises
    ------
    DataError
        If a name is unknown, or a value is not of its type or no λ or σ.
    """
    known, good = parameters(notebook), {}
    for name, value in values.items():
        if name not in known:
            facts = {"notebook": Path(notebook).stem, "name": name, "known": list(known) or ["–"]}
            raise refused("parameter_unknown", **facts)
        try:
            good[name] = _typed(value, known[name])
        except DataError:
            raise
        except (ValueError, KeyError):
            facts = {"name": name, "kind": known[name], "found": repr(value)}
            raise refused("parameter_type", **facts) from None
    for name in {"lam", "sigma"} & good.keys():
        if not 0 <= good[name] < float("inf"):  # 0 is that in force
            raise refused("parameter_type", name=name, kind="positive", found=good[name])
    return good


def _typed(value, kind: str):
    """A value as str, int, float or bool; of other types papermill makes what it can."""
    if isinstance(value, str) and kind in _READ:
        return _READ[kind](value)
    right = isinstance(value, _KINDS.get(kind, object))
    if not right or isinstance(value, bool) != (kind == "bool"):
        raise ValueError(value)
    return float(value) if kind == "float" else value


def refused(key: str, **values) -> DataError:
    return DataError(Problem("error", "setting", key, values=values))


def run_notebook(
    notebook: str | Path,
    values: dict,
    folder: str | Path,
    stem: str,
    title: str | None = None,
    language: str | None = None,
    write: Callable[[Path], None] | None = None,
    browser: str | None = None,
    shown: dict | None = None,
    beside: str | Path | None = None,
) -> list[Path]:
    """Run a notebook and write `stem`.html and `stem`.ipynb, and whatever `write` makes.

    All is made in a folder in `beside` (`folder` itself by default), given to `write`, and moved
    into place when everything has succeeded; with a browser `stem`.pdf too, if it prints. Title
    and language are the stem and that of messages by default. `shown` are the parameters the
    notebook keeps instead of its own.

    Raises
    ------
    DataError
        If a parameter is refused, before anything runs, or the notebook stops with an error.
    """
    with _kernel() as kernel, naming(Path(folder)):
        path, values = find_notebook(notebook), checked(notebook, values)
        folder = output_folder(folder)
        with tempfile.TemporaryDirectory(prefix=".liga-", dir=beside or folder) as place:
            page, executed = (Path(place, f"{stem}.{kind}") for kind in ("html", "ipynb"))
            # One thing after the other while the notebook runs, so that its cells need not wait.
            with ThreadPoolExecutor(1) as aside:
                scripts = aside.submit(vega)
                written = aside.submit(write or (lambda _: None), Path(place))
                aside.submit(chart_parts, {"mark": "point"})  # the first picture: half a second
                aside.submit(import_module, "nbconvert")
                nb = _executed(path, values, shown, kernel, partial(_draw, aside))
            written.result()
            text = page_html(nb, title or stem, language or user_language(), scripts.result())
            page.write_text(text, encoding="utf-8")
            if path == notebooks().get(path.stem):  # nobody else's
                NotebookNotary().sign(nb)  # what this machine made opens as trusted on it
            nbformat.write(nb, executed)
            if browser:
                print_page(browser, page, page.with_suffix(".pdf"))
            first = [page, executed]
            others = sorted(file for file in Path(place).rglob("*") if file.is_file())
            made = [*first, *(file for file in others if file not in first)]
            # The page last: Excel locks what it has open, and then nothing is replaced.
            for file in reversed(made):
                end = folder / file.relative_to(place)
                end.parent.mkdir(exist_ok=True)
                os.replace(file, end)
    return [folder / file.relative_to(place) for file in made]


def _draw(aside: ThreadPoolExecutor, cell, **_) -> None:
    """Draw the pictures of a cell's charts, which the page will ask for."""
    for output in cell.get("outputs", []):
        if chart := output.get("data", {}).get(MIME):
            aside.submit(chart_parts, chart)


@contextmanager
def _kernel() -> Iterator:
    """A kernel that starts while this process imports what runs a notebook in it."""
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_core.utils import run_sync

    kernel = AsyncKernelManager(kernel_name="python3")
    # ipykernel warns that it talks over TCP, to this machine alone, and now and then of its own
    # end; an error in a cell comes as an exception. Nothing that lies in the current folder is
    # imported.
    quiet = ["--log-level=CRITICAL", "--InteractiveShellApp.ignore_cwd=True"]
    run_sync(kernel.start_kernel)(extra_arguments=quiet)
    try:
        yield kernel
    finally:
        if kernel.has_kernel:
            run_sync(kernel.shutdown_kernel)(now=True)


@cache
def _engine():
    """What papermill asks to run the cells: in a kernel already started, which it ends."""
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine

    class Started(NBClientEngine):
        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, *, kernel, patience, each, **_):
            client = PapermillNotebookClient(
                nb_man,
                kernel,
                iopub_timeout=patience,
                on_cell_executed=each,
                shutdown_kernel="immediate",
            )
            client.owns_km = True
            client.execute()

    return Started


def _executed(path: Path, values: dict, shown: dict | None, kernel, each: Callable):
    """The notebook run, without the times and paths of this machine that papermill notes.

    `each` is called with every cell that has run.
    """
    import papermill
    from papermill.engines import papermill_engines
    from papermill.exceptions import PapermillExecutionError, strip_color

    papermill_engines.register("started", _engine())
    bar = {"desc": path.stem, "bar_format": "{desc} {percentage:3.0f} % {bar:30}"}
    bar["disable"] = parent_process() is not None  # one of many: see `many`
    try:
        nb = papermill.execute_notebook(
            str(path),
            None,
            values,
            kernel_name="python3",
            engine_name="started",
            progress_bar=bar,
            kernel=kernel,
            patience=120,  # seconds for what a cell shows: a large season's cards are many
            each=each,
        )
    except PapermillExecutionError as error:
        reason = strip_color(f"{error.ename}: {error.evalue}").strip().splitlines()[-1]
        raise refused("notebook_failed", notebook=path.stem, error=reason) from None
    for part in (nb, *nb.cells):
        if shown is not None and "injected-parameters" in part.metadata.get("tags", []):
            part.source = "\n".join(f"{name} = {value!r}" for name, value in shown.items())
        for key in ("papermill", "execution", "widgets"):
            part.metadata.pop(key, None)
        # A widget is nothing without its kernel.
        if "outputs" in part:
            part.outputs = [o for o in part.outputs if WIDGET not in o.get("data", {})]
    return nb


def run(
    notebook: str | Path,
    values: dict,
    folder: str | Path = "reports",
    needs: Callable[[Season], object] = season_fit,
) -> list[Path]:
    """Any notebook with a parameter `season_path`, run and exported under both names.

    `needs` is asked of the season before anything runs; it raises where the data do not allow it.

    Raises
    ------
    DataError
        If the notebook, a parameter or the data are refused, or the notebook stops with an error.
    """
    path, values = find_notebook(notebook), checked(notebook, values)
    asked = (values.get(name) or None for name in ("through", "language", "sheet"))
    season = load_season(values["season_path"], *asked)
    needs(season)
    after = season.words.text("report.file", evening=season.held[-1])
    stem = f"{season_stem(season.path)}-{slug(path.stem)}-{after}"
    kind = season.words.text(TITLES[path.stem]) if path.stem in TITLES else path.stem
    return run_notebook(path, values, folder, stem, f"{season.name}: {kind}", season.language)


def season_stem(path: Path) -> str:
    """Start of file names: "beispielliga-2026" for a folder, the file's name for a table."""
    path = path.resolve()
    return slug(path.stem if path.is_file() else f"{path.parent.name}-{path.name}")


def slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "liga"
