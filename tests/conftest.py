"""Fixtures of all tests: seasons from text, and the cases from the life of leagues."""

import os

import pytest
from browsing import CHROMIUM
from samples import DATA

from liga_analysis.season.season import load_season


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


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()
