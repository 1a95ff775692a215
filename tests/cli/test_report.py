"""`liga report`: what it writes, what it says, and its numbers as JSON."""

import json

import pytest
from click.testing import CliRunner
from samples import DATA

from liga_analysis.cli.main import main
from liga_analysis.report import publish

SEASON = str(DATA / "season_a.csv")


@pytest.fixture
def nothing_runs(monkeypatch, tmp_path):
    """Instead of files, which take seconds: their names."""
    given = {}

    def season_report(*values, **options):
        given.update(options)
        return [tmp_path / name for name in ("a.html", "a.ipynb", "a.xlsx")]

    monkeypatch.setattr(publish, "season_report", season_report)
    return given


def test_files_are_named(nothing_runs, tmp_path):
    """One a line, the page first; below them three lines for the group's chat."""
    said = CliRunner().invoke(main, ["report", SEASON])
    assert said.exit_code == 0
    names = ["a.html", "a.ipynb", "a.xlsx"]
    *files, gap, first, podium, evening = said.stdout.splitlines()
    assert files == [str(tmp_path / name) for name in names]
    assert gap == ""
    assert first.startswith("Greta führt hauchdünn vor")
    assert podium.startswith("1. Greta 1.001 · 2. ")
    assert evening.startswith("Tagessieg an Abend 12: ")


@pytest.mark.usefixtures("nothing_runs")
def test_a_print_from_before_is_told(tmp_path):
    """It would be taken for the page's own. Nothing is said of a PDF not asked for."""
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    said = CliRunner().invoke(main, ["report", SEASON])
    assert f"Älter als die Seite: {tmp_path / 'a.pdf'}; neu mit --pdf." in said.stderr
    assert "--png" not in said.stderr and "Kein PDF" not in said.stderr


def test_options_reach_the_report(nothing_runs):
    """Each by its own name."""
    flags = ["--pseudonyms", "--final", "--pdf", "--png"]
    CliRunner().invoke(main, ["report", SEASON, *flags])
    names = ("pdf", "png", "pseudonyms", "final")
    assert nothing_runs.items() >= dict.fromkeys(names, True).items()
    assert nothing_runs["overview"].pseudonyms and nothing_runs["overview"].final


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("browser", [None, "/usr/bin/browser"])
def test_a_missing_pdf_is_told(monkeypatch, browser):
    """On stderr, with the cure; the report itself succeeds."""
    monkeypatch.setattr(publish, "find_browser", lambda: browser)
    said = CliRunner().invoke(main, ["report", SEASON, "--pdf"])
    assert said.exit_code == 0
    reason = f"{browser} brach ab" if browser else "nicht gefunden. Pfad in LIGA_CHROMIUM"
    assert "Kein PDF" in said.stderr
    assert reason in said.stderr


def test_the_numbers_of_the_page_as_json(monkeypatch):
    """On stdout alone; no file is made, no browser sought."""
    monkeypatch.setattr(publish, "find_browser", None)
    said = CliRunner().invoke(main, ["report", SEASON, "--format", "json", "--through", "6"])
    record = json.loads(said.stdout)
    assert record["through"] == 6
    assert len(record["cards"]) == len(record["players"])


def test_too_many_for_a_page(monkeypatch, tmp_path):
    """Refused at once and in a sentence, with what can be had instead; nothing is written."""
    monkeypatch.setattr(publish, "MOST_CELLS", 100)
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["report", SEASON])
    assert said.exit_code == 1
    assert "14 Spieler mal 12 Abende sind dafür zu viele (höchstens 100)" in said.stderr
    assert list(tmp_path.iterdir()) == []
