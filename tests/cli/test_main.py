"""The command `liga`: what it prints, where, and how it ends."""

import gettext
import json
import os
import re
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest
from babel.messages.pofile import read_po
from samples import DATA

import liga_analysis as liga
from liga_analysis.cli.main import main

EXAMPLE = "data/beispielliga/2026"
SEASON_A = str(DATA / "season_a.csv")
CASES = {path.name[:2]: str(path / "protokoll.csv") for path in (DATA / "cases").iterdir()}
GOOD = "evening,date,player,entries,chips_out\n1,2025-01-10,Anna,1,3000\n1,2025-01-10,Ben,1,1000\n"


def records(result) -> dict | list:
    """The JSON on stdout, which must hold nothing else."""
    return json.loads(result.stdout)


def test_standings_json_has_the_promised_keys(run):
    """JSON carries the evening, the parameters, the reservations and the promised columns."""
    record = records(run("standings", CASES["01"], "--format", "json"))
    assert list(record) == "evenings through sigma lam unbalanced left_out players".split()
    assert record["unbalanced"] == [{"evening": 3, "sum": 150}]
    assert (record["evenings"], record["through"]) == (5, 5)
    columns = "rank player rating uncertainty total average evenings qualified".split()
    assert all([k for k in player if k in columns] == columns for player in record["players"])


def test_an_error_leaves_the_evening_out(run):
    """The evening with a doubled player is left out, told on stderr, marked in the table."""
    result = run("standings", CASES["05"])
    assert result.exit_code == 0
    assert "vorläufig, ohne Abend 1" in result.stdout
    assert "Emil steht zweimal da, schon in Zeile 6" in result.stderr
    assert records(run("standings", CASES["05"], "--format", "json"))["left_out"] == [1]


def test_undefined_is_null(run):
    """No average at two evenings or fewer: null in JSON, blank in CSV, a dash in the table."""
    last = records(run("standings", CASES["07"], "--format", "json"))["players"][-1]
    assert (last["player"], last["average"], last["rank"]) == ("Gustav", None, None)
    line = run("standings", CASES["07"], "--format", "csv").stdout.splitlines()[-1].split(",")
    assert (line[0], line[5]) == ("", "")
    assert "–" in run("standings", CASES["07"]).stdout.splitlines()[-2]


def test_row_order_changes_nothing(run):
    """Another order of rows gives the same output, to the byte."""
    mixed = CASES["08"].replace("protokoll", "protokoll_gemischt")
    for form in ("json", "csv", "table"):
        one, two = (
            run("standings", path, "--format", form).stdout for path in (CASES["08"], mixed)
        )
        assert one == two


def test_parameters_on_the_command_line(run):
    """--lam and --sigma stand in place of those in force."""
    record = records(run("standings", SEASON_A, "--lam", 3, "--sigma", 1000, "--format", "json"))
    fit = liga.fit_ratings(liga.load_season(SEASON_A).results, 3, 1000)
    for player in record["players"]:
        assert player["rating"] == pytest.approx(fit.theta[player["player"]], rel=1e-12)
        assert player["uncertainty"] == pytest.approx(fit.se[player["player"]], rel=1e-12)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["standings", "no/such/season"], "Nicht gefunden"),
        (["standings", EXAMPLE, "--through", "99"], "Abend 99 wurde nicht gespielt"),
        (["standings", EXAMPLE, "--lam", "0"], "Ungültiger Wert für '--lam'"),
        (["standings", EXAMPLE, "--lamb", "3"], "Die Option '--lamb' gibt es nicht"),
        (["standings"], "Es fehlt das Argument 'SAISON'"),
        (["tabelle"], "Den Befehl 'tabelle' gibt es nicht"),
        (["simulate", "x", "--players", "1"], "liegt nicht im Bereich"),
        (["simulate", "x", "--seed", "eins"], "'eins' passt nicht"),
    ],
)
def test_wrong_use(run, words, told):
    """Wrong use is a German sentence on stderr and exit 2."""
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


@pytest.mark.parametrize(
    ("command", "content", "told"),
    [
        ("standings", b"", "Die Datei ist leer"),
        ("awards", b"\x00\x01\x02\xff", "keine Tabelle"),
        ("estimate", GOOD.splitlines()[0].encode(), "Unter der Kopfzeile steht nichts"),
        ("lambda", GOOD.replace("player", "figur").encode(), "Die Spalte Spieler fehlt"),
        ("report", GOOD.replace("date,player", "name,player").encode(), "bedeuten dasselbe"),
        ("check", GOOD.replace("\n1", f"\n{GOOD.splitlines()[0]}\n1", 1).encode(), "zweites Mal"),
    ],
)
def test_broken_file(run, tmp_path, command, content, told):
    """A file that is no season is a sentence with its name, exit 1, and no traceback."""
    path = tmp_path / "kaputt.csv"
    path.write_bytes(content)
    result = run(command, path)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    said = result.stdout if command == "check" else result.stderr
    assert told in said
    assert "kaputt.csv" in said


def test_check_lists_all_problems_at_once(run, tmp_path):
    """Three bad rows are three errors with their lines; a clean season is no problem."""
    rows = "1,2025-01-10,Cleo,4,0\n1,2025-01-10,Dora,,2000\n1,2025-01-10,Emma,1,2005\n"
    path = tmp_path / "a.csv"
    path.write_text(GOOD + rows, "utf-8")
    result = run("check", path, "--format", "json")
    assert result.exit_code == 1
    found = [
        (p["severity"], p["code"], p["evening"], p["player"], p["line"]) for p in records(result)
    ]
    assert found == [
        ("error", "entries", 1, "Cleo", 4),
        ("error", "entries", 1, "Dora", 5),
        ("error", "chips", 1, "Emma", 6),
    ]
    path.write_text(GOOD, "utf-8")
    assert run("check", path).exit_code == 0
    assert "Keine Probleme" in run("check", path).stdout


def test_check_of_a_broken_file_is_one_entry(run, tmp_path):
    """A whole-file failure is one entry of the JSON, exit 1."""
    path = tmp_path / "leer.csv"
    path.write_bytes(b"")
    result = run("check", path, "--format", "json")
    assert result.exit_code == 1
    assert [(p["severity"], p["code"], p["file"]) for p in records(result)] == [
        ("error", "encoding", "leer.csv")
    ]


def test_awards_json(run):
    """Podium by step, then the seven awards, lists parallel, reasons where nobody wins."""
    found = records(run("awards", CASES["08"], "--format", "json"))
    keys = "award rank players value evenings evening p reason".split()
    assert all(list(award) == keys for award in found)
    assert [(a["rank"], a["players"]) for a in found if a["award"] == "podium"] == [
        (1, ["Anna", "Ben"]),
        (3, ["Clara"]),
    ]
    by_name = {award["award"]: award for award in found}
    assert by_name["biggest_comeback"]["players"] == []
    assert by_name["biggest_comeback"]["reason"]
    assert by_name["largest_total"]["evenings"] == [3, 3]


def test_lambda_json(run):
    """121 values round the λ in force; swaps name who is ahead on either side."""
    record = records(run("lambda", EXAMPLE, "--format", "json"))
    assert len(record["lam"]) == 121
    assert record["lam"][60] == 6
    assert record["lam"][0] == pytest.approx(0.1)
    assert record["lam"][-1] == pytest.approx(360)
    assert all(len(p["rating"]) == len(p["rank"]) == 121 for p in record["players"])
    low, high = record["podium_interval"]
    assert low == 0
    results = liga.load_season(EXAMPLE).results
    swap = record["swaps"][0]
    assert swap["lam"] == pytest.approx(high, rel=1e-9)
    for factor, order in ((0.999, 1), (1.001, -1)):
        theta = liga.fit_ratings(results, swap["lam"] * factor).theta
        below, above = swap["players"]
        assert order * (theta[below] - theta[above]) > 0


def test_influence_json(run):
    """Leaving an evening out equals a fit without its rows."""
    record = records(run("influence", EXAMPLE, "--format", "json"))
    results = liga.load_season(EXAMPLE).results
    assert [e["evening"] for e in record["evenings"]] == list(range(1, 13))
    for entry in record["evenings"][:3]:
        fit = liga.fit_ratings(results[results["evening"] != entry["evening"]])
        for player in entry["players"]:
            expected = fit.theta.get(player["player"], 0.0)
            assert player["rating"] == pytest.approx(expected, abs=1e-8)


def test_chances_json(run):
    """Chances of first place sum to one; the same seed prints the same bytes."""
    words = ("chances", EXAMPLE, "--draws", 2000, "--seed", 3, "--format", "json")
    record = records(run(*words))
    assert (record["draws"], record["seed"]) == (2000, 3)
    assert sum(p["p_first"] for p in record["players"]) == pytest.approx(1)
    table = liga.standings(liga.load_season(EXAMPLE))
    assert [p["player"] for p in record["players"]] == table["player"][table["qualified"]].tolist()
    keys = "player p_first p_podium rank_mean rank_low rank_high joint_low joint_high"
    assert " ".join(record["players"][0]) == keys == " ".join(record["linked"]["players"][0])
    assert record["p_podium_order"] <= record["p_podium_set"]
    assert record["linked"]["seasons"] == 2
    assert run(*words).stdout == run(*words).stdout


def test_new_season(run, tmp_path):
    """A new season has its files; --from takes rules and licences over, never parameters."""
    old, new = tmp_path / "liga" / "2026", tmp_path / "liga" / "2027"
    assert run("simulate", old, "--players", 8, "--evenings", 5).exit_code == 0
    toml = old / "season.toml"
    text = toml.read_text("utf-8") + "\n[[parameters]]\nfrom_evening = 5\nsigma = 2000\nlam = 4\n"
    toml.write_text(text.replace("[prior]", "[rules]\npodium = 2\n\n[prior]"), "utf-8")
    made = run("new", new, "--from", old)
    assert (made.exit_code, "Name „liga 2027“" in made.stdout) == (0, True)
    season = liga.load_season(new)
    assert season.rules.podium == 2
    assert (season.parameters.sigma, season.parameters.lam) == (2400, 6)
    assert len(season.licences) == 8
    assert (new / "LIESMICH.txt").exists()
    assert run("check", new).exit_code == 0
    for command in ("standings", "chances --outlook", "career"):
        nothing = run(*command.split(), new)
        assert (nothing.exit_code, "noch keinen Abend" in nothing.stderr) == (1, True)
    other = run("new", tmp_path / "liga" / "2028", "--from", SEASON_A)
    assert "Nicht übernommen sind die Lizenzen von Anna, Ben" in other.stderr
    again = run("new", new)
    assert again.exit_code == 1
    assert "nicht leer" in again.stderr


@pytest.mark.parametrize(
    ("place", "name"),
    [("2027", "2027"), ("data/2027", "2027"), ("Küche/Küche-27", "Küche-27"), (".", "home")],
)
def test_a_new_season_is_called_by_its_league(run, tmp_path, monkeypatch, place, name):
    """Unless that is no league's folder, or the season's says it too."""
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    assert f"Name „{name}“" in run("new", place).stdout


def test_simulated_seasons_say_so(run, tmp_path):
    """A simulated season is marked, seeded, and never written over another."""
    one, two = tmp_path / "a" / "1", tmp_path / "b" / "1"
    for folder in (one, two):
        assert run("simulate", folder, "--seed", 5, "--evenings", 3).exit_code == 0
    assert (one / "results.csv").read_bytes() == (two / "results.csv").read_bytes()
    assert "simuliert" in (one / "evenings.csv").read_text("utf-8-sig")
    assert "Simuliert" in liga.load_season(one).name
    assert run("simulate", one).exit_code == 1


def test_english():
    """LIGA_LANGUAGE=en makes help, tables and problems English, click's own words too.

    The table in the README is what the command above it prints.
    """
    readme = Path(liga.__file__).parents[1].joinpath("README.md").read_text("utf-8")
    shown = re.search(r"\n    \$ LIGA_LANGUAGE=en liga (.*)\n((?:    .*\n)+)", readme)
    calls = [["--help"], ["standings"], ["standings", CASES["01"]], shlex.split(shown[1])]
    code = "import sys, json; from click.testing import CliRunner as R"
    code += "; from liga_analysis.cli.main import main as m"
    code += f"; rs = [R().invoke(m, w) for w in {calls!r}]"
    code += "; print(json.dumps([[r.stdout, r.stderr] for r in rs]))"
    env = {**os.environ, "LIGA_LANGUAGE": "en", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    (usage, _), (_, refused), (table, warned), (printed, _) = json.loads(done.stdout)
    assert usage.startswith("Usage: main")
    assert "Missing argument 'SEASON'" in refused
    assert table.startswith("After evening 5 (7 Mar 2025)")
    assert "Warning: Evening 3 (7 Feb 2025)" in warned
    lines = [line.removeprefix("    ") for line in shown[2].splitlines()]
    assert printed.splitlines()[: len(lines)] == lines


def test_help_is_german(run):
    """Every command explains itself in German."""
    for name, command in main.commands.items():
        text = run(name, "--help").stdout
        assert text.startswith("Aufruf:")
        assert command.help in " ".join(text.split())


def test_csv_is_the_raw_table(run):
    """CSV on stdout carries the unrounded table."""
    result = run("standings", EXAMPLE, "--format", "csv")
    lines = [line.split(",") for line in result.stdout.splitlines()]
    table = liga.standings(liga.load_season(EXAMPLE))
    assert [name for name in lines[0] if name in table] == list(table.columns)
    rating = lines[0].index("rating")
    ratings = pd.Series([float(line[rating]) for line in lines[1:]])
    assert (ratings == table["rating"]).all()


def test_season_is_found_from_the_checkout(run, monkeypatch, tmp_path):
    """A season's path holds from the checkout's root too; a miss names both places."""
    monkeypatch.chdir(tmp_path)
    assert run("standings", EXAMPLE).exit_code == 0
    said = run("standings", "data/nix").stderr
    assert str(tmp_path / "data" / "nix") in said
    assert str(Path(liga.__file__).parents[1] / "data" / "nix") in said


@pytest.mark.parametrize("value", ["inf", "nan", "1e400", "1e-320", "-1"])
@pytest.mark.parametrize("option", ["--lam", "--sigma"])
def test_parameters_beyond_sense(run, option, value):
    """λ and σ that no computation can bear are refused before it."""
    result = run("standings", EXAMPLE, option, value)
    assert result.exit_code == 2
    assert f"Ungültiger Wert für '{option}'" in result.stderr


def ended(words, redirect="", **env):
    """A `liga` of its own, as a shell starts it: exit code and the bytes of both streams."""
    command = f"{shlex.join([sys.executable, '-m', 'liga_analysis.cli.main', *words])} {redirect}"
    done = subprocess.run(command, shell=True, env=os.environ | env, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def test_files_and_pipes_are_utf8(run, tmp_path):
    """Whatever the system's encoding, also with the other streams closed; JSON needs none."""
    path = tmp_path / "a.csv"
    rows = "1,2025-01-10,Łukasz,1,3000\n1,2025-01-10,Ńukasz,1,1000\n"
    path.write_text(GOOD.splitlines()[0] + "\n" + rows, "utf-8")
    old = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    code, out, _ = ended(["standings", str(path)], "<&- 2>&-", **old)
    assert code == 0
    assert "Łukasz" in out.decode() and "Ńukasz" in out.decode() and "−" in out.decode()
    text = run("standings", path, "--format", "json").stdout
    assert text.isascii()
    assert {p["player"] for p in json.loads(text)["players"]} == {"Łukasz", "Ńukasz"}


@pytest.mark.parametrize(
    ("word", "redirect"), [("check", ">&-"), ("check", "> /dev/full"), ("--help", "> /dev/full")]
)
def test_what_nobody_receives_is_not_delivered(word, redirect):
    """What was asked for must reach somebody."""
    code, _, said = ended([word, EXAMPLE], redirect)
    assert (code, b"Traceback" in said) == (1, False)
    assert b"Ausgabe" in said or b"voll" in said


def test_bytes_that_are_no_text_are_refused(run):
    """A host typed in another encoding is wrong use, with a sentence."""
    result = run("invite", EXAMPLE, "--date", "2099-01-01", "--host", "An\udcfcna")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "An?na“ enthält Zeichen, die kein Text sind" in result.stderr


def test_a_workbook_is_asked_for_one_sheet(run, tmp_path):
    """--sheet names it; the same choice for every command that computes."""
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        for name, chips in (("Mai", 3000), ("Juni", 2500)):
            rows = [(1, "2025-01-10", "Anna", 1, chips), (1, "2025-01-10", "Ben", 1, 4000 - chips)]
            table = pd.DataFrame(rows, columns=GOOD.splitlines()[0].split(","))
            table.to_excel(book, sheet_name=name, index=False)
    for command in ("standings", "awards", "lambda", "influence", "chances"):
        assert run(command, path, "--sheet", "Juni", "--format", "json").exit_code == 0
    players = records(run("standings", path, "--sheet", "Juni", "--format", "json"))["players"]
    assert [p["total"] for p in players] == [500, -500]
    assert "Mai" in run("check", path, "--sheet", "Juli").stdout


def test_nobody_in_der_wertung(run, tmp_path):
    """No chances, and why."""
    lines = [f"{e},2025-01-{9 + e},P{e}{k},{5 - 10 * k}" for e in (1, 2, 3) for k in (0, 1)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["evening,date,player,result", *lines, ""]), "utf-8")
    result = run("chances", path, "--format", "json")
    assert (result.exit_code, records(result)["players"]) == (0, [])
    assert "Niemand ist in der Wertung (mindestens 40 % der Abende)" in result.stderr
    assert run("chances", path).stdout == "Stand nach Abend 3 (12.01.2025)\n"


@pytest.mark.parametrize(
    ("notebook", "parameter", "told"),
    [
        ("README.md", "through", "README.md"),
        ("season_report", "thruogh", "„thruogh“ nicht"),
        ("explore_lambda", "lam", "Zahl größer als 0"),
    ],
)
def test_wrong_use_of_a_notebook(run, notebook, parameter, told):
    """No notebook, or a parameter it does not know or cannot be: before anything runs."""
    result = run("run", notebook, EXAMPLE, "-p", parameter, "-3")
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_a_home_nobody_has(run):
    """`~nobody` is a path like any other."""
    result = run("check", "~nobody-of-this-name/x")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "~nobody-of-this-name" in result.stderr


def test_click_speaks_german_from_its_catalogue():
    """What is compiled is what is written, and each sentence keeps its blanks."""
    folder = files("liga_analysis") / "texts" / "de" / "LC_MESSAGES"
    with (folder / "click.po").open("rb") as po, (folder / "click.mo").open("rb") as mo:
        written, compiled = [m for m in read_po(po, "de") if m.id], gettext.GNUTranslations(mo)
    for message in written:
        if message.pluralizable:
            found = tuple(compiled.ngettext(*message.id, n) for n in (1, 2))
        else:
            found = compiled.gettext(message.id)
        assert found == message.string
        assert not list(message.check())
