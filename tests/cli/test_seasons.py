"""`liga career`, `liga chances --outlook`, the prior of `liga new`, and `liga record` of logs."""

import json
import shutil

import pandas as pd
import pytest
from click.testing import CliRunner
from samples import DATA, TERM

from liga_analysis.cli.main import main
from liga_analysis.model.simulation import simulate_season
from liga_analysis.season.season import load_season
from liga_analysis.season.storage import save_season

LEAGUE = "data/beispielliga"
LEDGER = DATA / "cases" / "15-pokernow-ledger" / "ledger_pglBeispiel.csv"
LOG = DATA / "cases" / "14-wiedereinstieg" / "ereignisse.csv"


def test_career_of_a_league(run):
    """The all-time table in three forms; a player's seasons by any spelling."""
    record = json.loads(run("career", LEAGUE, "--format", "json").stdout)
    assert list(record) == ["players", "seasons"]
    assert len({row["season"] for row in record["seasons"]}) == 2
    shown = run("career", LEAGUE).stdout
    assert all(player["player"] in shown for player in record["players"])
    assert TERM["total"] in shown and "Abende" in shown
    name = record["players"][0]["player"]
    rows = run("career", LEAGUE, "--player", name.upper(), "--format", "csv").stdout.splitlines()
    assert len(rows) == 1 + record["players"][0]["seasons"]


def test_the_last_season_counts_when_it_is_over(run):
    """Its title is somebody's only with --final; before, the league says that it goes on."""
    titles = {
        flag: sum(
            p["titles"]
            for p in json.loads(run("career", LEAGUE, *flag, "--format", "json").stdout)["players"]
        )
        for flag in ((), ("--final",))
    }
    assert titles == {(): 1, ("--final",): 2}
    assert "2026 (simuliert) läuft noch" in run("career", LEAGUE).stdout
    assert "läuft noch" not in run("career", LEAGUE, "--final").stdout


def test_career_of_nobody(run):
    """An unknown player is wrong use, an unknown folder too; no season is the data's fault."""
    assert run("career", LEAGUE, "--player", "Niemand").exit_code == 2
    assert run("career", "data/nirgends").exit_code == 2


def test_outlook(run):
    """While evenings are to come the next one is looked at; afterwards the table is final."""
    words = ("chances", f"{LEAGUE}/2026", "--outlook", "--draws", "500")
    record = json.loads(run(*words, "--through", "8", "--format", "json").stdout)
    assert record["remaining"] == 4
    assert record["next"]["passes"]
    assert sum(p["p_first"] for p in record["players"]) == pytest.approx(1)
    shown = run(*words, "--through", "8").stdout
    assert "4 Abende sind noch angekündigt." in shown
    assert "Was der nächste Abend ändern kann" in shown
    shown = run(*words).stdout
    assert "Kein Abend ist mehr angekündigt" in shown
    assert "Was der nächste Abend" not in shown
    assert run(*words, "--format", "csv").stdout.startswith("player,attendance,evenings,needed")


@pytest.fixture
def season(tmp_path):
    """A season of one evening, in a league of its own."""
    rows = [(1, "Yan", 1, 2500, 500), (1, "Zoë", 1, 1500, -500)]
    evenings = pd.DataFrame({"evening": [1], "date": [pd.Timestamp("2025-01-03")]})
    columns = ["evening", "player", "entries", "chips_out", "result"]
    folder = tmp_path / "liga" / "2025"
    return save_season(folder, "Saison", evenings, pd.DataFrame(rows, columns=columns)).path


def recorded(folder):
    """The results of all evenings after the first, by player."""
    results = load_season(folder).results
    return results[results["evening"] > 1].set_index("player")


def test_record_reads_a_log(run, season, tmp_path):
    """A log is recorded as its summary sheet would be; date and number are said beside it."""
    log = tmp_path / "log.csv"
    rows = ["1,Anna,Einstieg,", "1,Ben,Einstieg,", "4,Ben,Pleite,", "5,Ben,Einstieg,"]
    rows += ["9,Anna,Ende,3500", "9,Ben,Ende,2500"]
    log.write_text("\n".join(["runde,spieler,ereignis,chips", *rows]), "utf-8")
    result = run("record", season, log, "--date", "10.01.2025", "--host", "Anna", "--yes")
    assert result.exit_code == 0, result.output
    assert recorded(season)["entries"].to_dict() == {"Anna": 1, "Ben": 2}
    assert recorded(season)["result"].to_dict() == {"Anna": 1500, "Ben": -1500}


def test_record_refuses_a_log_that_breaks_the_rules(run, season):
    """Case 14: both lines and nothing stored."""
    result = run("record", season, LOG, "--date", "10.01.2025", "--yes")
    assert result.exit_code == 1
    assert "Zeile 4: Ben" in result.stderr
    assert "Zeile 8: Clara" in result.stderr
    assert recorded(season).empty


def test_record_reads_a_ledger(run, season):
    """Case 15, with ben2 an alias of Ben: four sittings of Anna and Ben are two people."""
    registry = season.parent / "licences.csv"
    registry.write_text("licence,player,issued,aliases\nL001,Ben,2024-01-01,ben2\n", "utf-8")
    result = run("record", season, LEDGER, "--host", "Anna", "--yes")
    assert result.exit_code == 0, result.output
    assert "David bekam nie Karten" in result.stderr
    won = recorded(season)["result"].to_dict()
    assert won == {"Anna": 1200, "Ben": -1100, "Clara, die Erste": -100}
    assert recorded(season)["entries"].isna().all()


def test_record_asks_for_the_unit(run, season, tmp_path):
    """A ledger in cents is refused until it is said what 1 in it is worth."""
    head = "player_nickname,player_id,session_start_at,session_end_at,buy_in,buy_out,stack,net"
    rows = [
        f"{name},{name},2025-01-10T19:30:00Z,,200000,0,{stack},{stack - 200000}"
        for name, stack in (("a", 150_000), ("b", 250_000))
    ]
    path = tmp_path / "cent.csv"
    path.write_text("\n".join([head, *rows]))
    words = ("record", season, path, "--host", "a", "--yes")
    assert run(*words).exit_code == 1
    result = run(*words, "--unit", "0.01")
    assert result.exit_code == 0, result.output
    assert recorded(season)["result"].to_dict() == {"a": -500, "b": 500}


def test_what_is_left_out_or_broken_is_named(tmp_path):
    """A season without an evening is told, and a copy; a broken season.toml by its folder."""
    league = tmp_path / "liga"
    for seed, name in enumerate(("2025", "2026")):
        calendar, results, _ = simulate_season(6, 3, seed)
        save_season(league / name, name, calendar, results)
    save_season(league / "2027", "2027")
    (league / "2024").mkdir()
    (league / "2024" / "results.csv").write_text("evening,player,result\n")
    said = CliRunner().invoke(main, ["career", str(league)])
    assert said.exit_code == 0
    assert said.stderr.splitlines()[:2] == [
        f"Ausgelassen: {league / name} hat noch keinen Abend, der zählt."
        for name in ("2024", "2027")
    ]
    shutil.copytree(league / "2026", league / "2026 Kopie")
    said = CliRunner().invoke(main, ["career", str(league)])
    assert f"Abend 1, 2 und 3 steht genauso in {league / '2026'} und zählt" in said.stderr
    (league / "2025" / "season.toml").write_text("name = ")
    said = CliRunner().invoke(main, ["career", str(league)])
    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr.startswith("liga/2025/season.toml")
