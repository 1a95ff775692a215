"""`liga rename` and `liga undo`: what was recorded under a wrong name, or should not count."""

import shlex
from datetime import date

import pandas as pd
import pytest
from click.testing import CliRunner
from samples import copied

from liga_analysis import load_season, save_season
from liga_analysis.cli.main import main
from liga_analysis.report.chronicle import remarks

CALENDAR = {"evening": [1, 2], "host": ["Anna", "Bne"], "start": ["19:30", "20:00"]}


@copied
def league(folder):
    """Two seasons of a league; in the second "Bne" has sat down once, where Ben was meant."""
    rows = [(1, "Anna", 2500), (1, "Ben", 1500), (2, "Anna", 3000), (2, "Bne", 1000)]
    for year, players in ((2025, rows[:2]), (2026, rows)):
        results = pd.DataFrame(players, columns=["evening", "player", "chips_out"])
        calendar = pd.DataFrame(CALENDAR).iloc[: len(players) // 2]
        calendar["date"] = pd.to_datetime([f"{year}-01-09", f"{year}-02-06"])[: len(calendar)]
        save_season(folder / str(year), str(year), calendar, results.assign(entries=1))
    (folder / "2026" / "protocols" / "abend-02-blatt.csv").write_text("Bne", "utf-8")
    return folder


@pytest.fixture
def run(league):
    def call(*words, code=0):
        result = CliRunner().invoke(main, [str(word) for word in words])
        assert result.exit_code == code, result.output
        return result

    return call


def bytes_of(league):
    files = (p for p in league.rglob("*") if p.is_file() and p.name != ".liga.lock")
    return {path: path.read_bytes() for path in files}


def test_a_slip_is_joined(league, run):
    """His licence goes, the slip becomes an alias, the tables say the right name, no protocol."""
    result = run("rename", league / "2026", "Bne", "Ben", "--yes")
    assert "Bne und Ben sind dieselbe Person" in result.stdout
    assert "Kein Befehl trennt" in result.stdout
    season = load_season(league / "2026")
    assert season.licences.iloc[:, 1:].to_numpy().tolist() == [
        ["Anna", pd.Timestamp("2025-01-09"), ""],
        ["Ben", pd.Timestamp("2025-01-09"), "Bne"],
    ]
    assert season.results["player"].tolist() == ["Anna", "Ben", "Anna", "Ben"]
    assert season.evenings["host"].tolist() == ["Anna", "Ben"]
    assert "Bne" not in (league / "2026" / "results.csv").read_text("utf-8")
    assert (league / "2026" / "protocols" / "abend-02-blatt.csv").read_text("utf-8") == "Bne"
    (line,) = season.corrections.to_numpy().tolist()
    assert line[2] == "Bne → Ben"
    assert "dieselbe Person" in line[3]
    assert remarks(season) == []  # of no evening: nothing for the report to tell
    before = bytes_of(league)
    assert "heißt schon Ben" in run("rename", league / "2026", "Bne", "Ben", "--yes", code=1).stderr
    assert bytes_of(league) == before


def test_a_person_is_called_otherwise(league, run):
    """The licence stays, the old name is an alias, in every season of the league."""
    result = run("rename", league / "2026", "anna", "Anna-Lena", "--yes")
    assert "In der Tabelle ändert sich nichts." in result.stdout
    for year in ("2025", "2026"):
        season = load_season(league / year)
        assert season.results["player"].tolist()[0] == "Anna-Lena"
        assert season.licences.iloc[0].tolist()[::3] == ["L001", "Anna"]
        assert season.evenings["host"].tolist()[0] == "Anna-Lena"
        assert "Anna;" not in (league / year / "results.csv").read_text("utf-8")
        assert len(season.corrections) == 1


def test_each_is_told_in_one_language(league, run, monkeypatch):
    """The reader's on the screen, the season's own in its corrections.csv."""
    folder = league / "2026"
    settings = folder / "season.toml"
    settings.write_text(settings.read_text("utf-8").replace('"de"', '"en"'), "utf-8")
    shown = run("rename", folder, "Bne", "Kai", "--yes").stdout
    shown += run("undo", folder, 2, "--reason", "x", "--yes").stdout
    assert shown.count("heißt von jetzt an") == shown.count("ist herausgenommen") == 2
    assert "is called" not in shown
    told = load_season(folder).corrections.iloc[0]
    assert "is called" in told["why"]


def test_two_who_sat_together_stay_two(league, run):
    """Exit 1, the evening named, nothing written."""
    before = bytes_of(league)
    told = run("rename", league / "2026", "Anna", "Ben", "--yes", code=1).stderr
    assert "am selben Abend (1)" in told
    assert bytes_of(league) == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["Bene", "Ben", "--yes"], "Ist Ben gemeint?"),
        (["Bne", "Ben"], "--yes"),
        (["Bne"], "NEU"),
        (["Bne", " ", "--yes"], "'NEU': Da steht nichts"),
        (["x", "--reason", "x"], "ganze Zahl"),
        (["2", "--yes", "--reason", " "], "--reason"),
        (
            ["--reason", "x"],
            "Welcher Abend? Bitte die Nummer hinter die Saison schreiben: 1 (09.01",
        ),
    ],
)
def test_wrong_use(league, run, words, told):
    """An unknown name, nobody to ask, a name too few, a blank reason: exit 2, nothing written."""
    before, command = bytes_of(league), "undo" if "--reason" in words else "rename"
    assert told in run(command, league / "2026", *words, code=2).stderr
    assert bytes_of(league) == before


@pytest.mark.parametrize("new", ["A|B", "Gesamt:", "Übertrag", "12", "1.000,5", "7.2.2026", "=A1"])
def test_no_name(league, run, new):
    """One that the registry could not keep or tables read otherwise; a guest is one evening's."""
    told = run("rename", league / "2026", "Bne", new, "--yes", code=1).stderr
    assert "geht als Name nicht" in told
    told = run("rename", league / "2026", "Bne", "Gast Tom", "--yes", code=1).stderr
    assert "hier an Abend 2): im Blatt berichtigen und liga record" in told


def test_a_lost_registry_is_not_begun_anew(league, run, tmp_path):
    """Neither by a sheet nor by a name nor for the next season; a first evening makes one.

    One that nobody reads, because the league's holds, is told.
    """
    sheet = tmp_path / "blatt.txt"
    sheet.write_text("Anna 1 2100\nKai 1 1900\n", "utf-8")
    (league / "licences.csv").unlink()
    before = bytes_of(league)
    for words in (
        ("record", league / "2026", sheet, "--date", "13.02.2026", "--yes"),
        ("rename", league / "2026", "Bne", "Ben", "--yes"),
        ("new", league / "2027", "--from", league / "2026"),
    ):
        assert f"Sicherung in den Ordner {league} zurücklegen" in run(*words, code=1).stderr
    assert bytes_of(league) == before
    run("new", league / "2027")
    (league / "2027" / "licences.csv").unlink()
    run("record", league / "2027", sheet, "--date", "13.02.2026", "--yes")
    assert load_season(league / "2027").licences["player"].tolist() == ["Anna", "Kai"]
    (league / "licences.csv").write_text("licence;player;issued;aliases\n", "utf-8")
    assert "zählt nicht" in run("check", league / "2027", code=1).stdout


def test_a_lost_calendar_is_not_begun_anew(league, run):
    """An announcement would leave the dates of those before it blank for good."""
    (league / "2026" / "evenings.csv").unlink()
    before = bytes_of(league)
    refused = run("invite", league / "2026", "--date", "13.02.2099", code=1)
    assert "evenings.csv fehlt" in refused.stderr
    assert bytes_of(league) == before


def test_an_evening_is_taken_out_and_brought_back(league, run):
    """Table and calendar as without it, its line in corrections.csv; its sheet records it again."""
    folder, before = league / "2026", load_season(league / "2026")
    result = run("undo", folder, 2, "--reason", "abgebrochen", "--yes")
    season = load_season(folder)
    assert season.held == [1]
    assert season.evenings["evening"].tolist() == [1]
    (line,) = season.corrections.to_numpy().tolist()
    assert line[1] == 2
    assert "06.02.2026, Anna und Bne" in line[2]
    assert line[3] == "abgebrochen"
    kept = folder / "protocols" / "abend-02-herausgenommen.csv"
    assert f"liga record {folder} {kept}" in result.stdout
    assert (folder / "protocols" / "abend-02-blatt.csv").exists()
    assert remarks(season) == ["Herausgenommen: der Abend vom 06.02.2026 (abgebrochen)."]
    run("record", folder, kept, "--reason", "doch gespielt", "--yes")
    assert (folder / "protocols" / "abend-02.csv").read_bytes() == kept.read_bytes()
    assert "schon erfasst (abend-02.csv)" in run("record", folder, kept, "--yes", code=1).stderr
    again = load_season(folder).corrections.to_numpy().tolist()[1]
    assert again[1:] == [2, "Abend 2 (06.02.2026) zählt wieder.", "doch gespielt"]
    assert remarks(load_season(folder)) == []  # what counts is not told as taken out
    pd.testing.assert_frame_equal(load_season(folder).results, before.results)
    pd.testing.assert_frame_equal(load_season(folder).evenings, before.evenings)
    assert (
        "gespielten angeben: 1 und 2"
        in run("undo", folder, 3, "--reason", "x", "--yes", code=1).stderr
    )
    before = bytes_of(league)
    assert "--yes" in run("undo", folder, 2, "--reason", "x", code=2).stderr
    assert bytes_of(league) == before


def test_what_comes_back_otherwise_is_told(league, run, tmp_path):
    """What differs stands in corrections.csv; the start stays, and the calendar in its order."""
    folder, sheet = league / "2026", tmp_path / "blatt.txt"
    run("undo", folder, 1, "--reason", "x", "--yes")
    sheet.write_text("Anna 1 2600\nBen 1 1400\n", "utf-8")
    words = ("--date", "09.01.2026", "--evening", 1, "--yes")
    shown = run("record", folder, sheet, *words).stderr
    differs = "Anna: Chips beim Ausstieg 2.500 → 2.600, Ergebnis +500 → +600"
    assert f"nicht mehr so, wie er herausgenommen wurde: {differs}" in shown
    season = load_season(folder)
    assert season.corrections["what"].iloc[-1].startswith("Abend 1 (09.01.2026) zählt wieder. Anna")
    assert season.evenings["start"].tolist() == ["19:30", "20:00"]
    rows = (folder / "evenings.csv").read_text("utf-8-sig").splitlines()
    assert [row[0] for row in rows[1:]] == ["1", "2"]
    assert remarks(season) == []


def test_a_licence_without_an_evening_is_told(league, run):
    """By the change that leaves it so, and by check, unless a season cannot be read."""
    told = "in keiner Saison der Liga einen Abend haben: Bne."
    (league / "2026" / "evenings.csv").write_text("evening,date\n1,2026-01-09\n2,2026-02-06\n")
    assert told in run("undo", league / "2026", 2, "--reason", "x", "--yes").stderr
    assert told in run("check", league / "2025").stdout
    (league / "2025" / "season.toml").write_text("name = ", "utf-8")
    assert told not in run("check", league / "2026").stdout


def test_an_evening_taken_out_comes_back_beside_its_successor(league, run, tmp_path):
    """Its number was given again; parameters in force from a later evening are no doubt of it."""
    folder = league / "2026"
    run("undo", folder, 1, "--reason", "doppelt", "--yes")
    sheet = tmp_path / "blatt.txt"
    sheet.write_text("Anna: 1x, 2100\nBen - 1 - 1900\n", "utf-8")
    run("record", folder, sheet, "--date", "16.01.2026", "--evening", 1, "--yes")
    with (folder / "season.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[[parameters]]\nfrom_evening = 2\nsigma = 1500\nlam = 6\nreason = ""\n')
    kept = folder / "protocols" / "abend-01-herausgenommen.csv"
    refused = run("record", folder, kept, "--yes", code=1).stderr
    assert "Nummer 1 trägt jetzt der Abend vom 16.01.2026. Als neuer Abend: --evening 3" in refused
    assert "--replace" not in refused
    words = ("--replace", 1, "--date", "17.01.2026", "--reason", "Datum", "--yes")
    result = run("record", folder, sheet, *words)
    assert "from_evening" not in result.stderr
    run("record", folder, kept, "--evening", 3, "--yes")
    assert load_season(folder).held == [3, 1, 2]  # by date


def test_an_accepted_sum_comes_back_with_its_reason(league, run, tmp_path, monkeypatch):
    """The command that is printed works as it stands, its path short where the folder is below;
    evening 12 is not taken for evening 1, which is held.
    """
    folder, sheet = league / "2026", tmp_path / "blatt.txt"
    sheet.write_text("Anna 1 2100\nBen 1 1890\n", "utf-8")
    why = ("--accept-imbalance", "10 fehlen")
    run("record", folder, sheet, "--date", "13.02.2026", "--evening", 12, *why, "--yes")
    monkeypatch.chdir(tmp_path)
    shown = run("undo", "liga/2026", 12, "--reason", "vertan", "--yes").stdout
    command = shown.splitlines()[-1].partition(": liga ")[2]
    kept = "liga/2026/protocols/abend-12-herausgenommen.csv"
    assert command == f"record liga/2026 {kept} --accept-imbalance '10 fehlen'"
    run(*shlex.split(command), "--yes")
    assert load_season(folder).unbalanced == {12: -10}


def test_a_season_without_evenings_left(league, run):
    """The last evening can be taken out too; the table is then empty, as is shown before."""
    shown = run("undo", league / "2025", 1, "--reason", "war ein Test", "--yes").stdout
    assert "Ben – (2) – (−71) – (1)" in " ".join(shown.split())
    assert load_season(league / "2025").held == []
    assert date.today() >= load_season(league / "2025").corrections["when"].iloc[0].date()
