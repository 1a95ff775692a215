"""Fixtures of all tests: seasons from text, the cases from the life of leagues, and a report."""

import gc
import json
import os
from pathlib import Path

import pytest
from browsing import CHROMIUM
from click.testing import CliRunner
from filelock import FileLock
from hypothesis import HealthCheck, settings
from lab import Tab, started
from samples import DATA
from xdist.scheduler import LoadFileScheduling

from liga_analysis.cli.main import main
from liga_analysis.season.season import load_season


def pytest_configure(config):
    """Of what is generated a sample with all tests, and many in the soak."""
    soak = config.option.markexpr.startswith("soak")
    slow = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    many = settings(max_examples=1000 if soak else 40, deadline=None, suppress_health_check=slow)
    settings.register_profile("liga", many)
    settings.load_profile("liga")
    gc.disable()


def pytest_collection_finish():
    """What was imported stays: no collection of garbage need look at it again."""
    gc.freeze()
    gc.enable()


LAB = ("test_form.py", "test_lab.py", "test_live.py")


def pytest_collection_modifyitems(items):
    """What takes longest goes first, so that no process ends up alone."""
    opened = {item.path for item in items if item.get_closest_marker("browser")}
    items.sort(key=lambda item: (item.path.name not in LAB, item.path not in opened))


class ByFile(LoadFileScheduling):
    """Each file goes to one process; those that share a JupyterLab to the same."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return "lab" if file.endswith(LAB) else file


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log)


@pytest.fixture(autouse=True)
def _german(monkeypatch):
    """Messages are German, whatever the tester's own language is."""
    monkeypatch.delenv("LIGA_LANGUAGE", raising=False)


@pytest.fixture
def season_file(tmp_path):
    """Load a season from the text or bytes of one file."""

    def load(content, name="abende.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load_season(path, **options)

    return load


@pytest.fixture
def season_folder(tmp_path):
    """Load a season from a folder with the files given, the league's licences beside it."""

    def load(through=None, **files):
        folder = tmp_path / "liga" / "2026"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            place = folder.parent if name == "licences" else folder
            suffix = ".toml" if name == "season" else ".csv"
            (place / f"{name}{suffix}").write_text(content, "utf-8")
        return load_season(folder, through)

    return load


@pytest.fixture
def case():
    """Load the input of one of the cases in tests/data/cases, by its number."""

    def load(number, file="protokoll.csv"):
        (folder,) = (DATA / "cases").glob(f"{number}-*")
        return load_season(folder / file)

    return load


@pytest.fixture
def run():
    """Run a command and return how it ended."""
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory):
    """A folder of all processes; there lies what Jupyter keeps, not in the tester's own."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(folder / "jupyter"))
        yield folder


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def made_once(shared):
    """Files that take seconds, made by the first test of any process that asks for them."""

    def files(name, make):
        """The files that `make(folder)` returns."""
        folder, done = shared / name, shared / f"{name}.json"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                done.write_text(json.dumps([str(path) for path in make(folder)]))
        return [Path(path) for path in json.loads(done.read_text())]

    return files


@pytest.fixture(scope="session")
def season_a_report(made_once):
    """The report of season_a: page, notebook, workbook, picture."""
    from liga_analysis.report import publish

    def make(folder):
        return publish.season_report(DATA / "season_a.csv", folder=folder, png=True)

    return made_once("season_a", make)


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """A JupyterLab of its own, which shows the temporary folders of all tests."""
    with started(tmp_path_factory.mktemp("home"), tmp_path_factory.getbasetemp()) as server:
        yield server


@pytest.fixture(scope="session")
def tab(browser, lab):
    """That JupyterLab, open in the browser."""
    return Tab(browser, lab)
