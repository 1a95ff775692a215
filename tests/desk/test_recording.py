"""Recording evenings: what hosts send becomes the season's, wholly or not at all."""

import errno
import io
import os
import re
import subprocess
import sys
from datetime import date

import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner
from samples import at_once, copied, ods, ods_cell

from liga_analysis import load_season, save_season
from liga_analysis.cli.main import main
from liga_analysis.desk.files import season_lock, store
from liga_analysis.desk.recording import Given, prepare
from liga_analysis.season import journal
from liga_analysis.words import DataError

TODAY = date(2026, 3, 1)
EVENING = "Datum;Spieler;Einstiege;Chips\n{day};Anna;1;{chips}\n{day};Ben;1;{rest}\n"


def evening(day="20.02.2026", chips=2500):
    return EVENING.format(day=day, chips=chips, rest=4000 - chips)


@copied
def folder(league):
    """A season with one evening held and one announced."""
    return save_season(
        league / "2026",
        "Testliga 2026",
        pd.DataFrame(
            {
                "evening": [1, 2],
                "date": pd.to_datetime(["2026-01-09", "2026-02-06"]),
                "start": "19:30",
                "host": ["Anna", "Ben"],
                "note": ["warm", ""],
            }
        ),
        pd.DataFrame(
            {"evening": 1, "player": ["Anna", "Ben"], "entries": [1, 2], "chips_out": [3500, 2500]}
        ),
    ).path


@pytest.fixture
def sent(tmp_path):
    """A file as a host sent it."""

    def write(content, name="abend.csv"):
        path = tmp_path / "post" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def run(monkeypatch):
    """The command as from a script: nobody is there to be asked."""
    monkeypatch.setattr("liga_analysis.cli.changes.date", _Today)

    def call(*words):
        return CliRunner().invoke(main, ["record", *map(str, words), "--yes"])

    return call


class _Today(date):
    @classmethod
    def today(cls):
        return TODAY


def record(folder, *files, reason="", accepted="", **given):
    with season_lock(folder):
        recording = prepare(folder, list(files), Given(**given), TODAY, reason, accepted)
        store(recording)
    return recording


def seats(folder, number):
    rows = load_season(folder).results.query("evening == @number")
    return rows[["player", "entries", "chips_out", "result"]].to_numpy(object).tolist()


def files_of(folder):
    return {
        str(path.relative_to(folder.parent)): path.read_bytes()
        for path in sorted(folder.parent.rglob("*"))
        if path.is_file() and path.name != journal.LOCK
    }


# What is stored


def test_an_evening_is_recorded(run, folder, sent):
    """Results, evening, licence and the untouched original are there, and the command tells it."""
    text = "Datum;Gastgeber;Spieler;Einstiege;Chips\n20.02.2026;Kai;Anna;2;2.500\n"
    path = sent((text + "20.02.2026;Kai;Kai;1;3.500\n").encode("cp1252"), "Pokerabend 20.2.csv")
    result = run(folder, path)
    assert result.exit_code == 0, result.output
    assert "Abend 3 · 20.02.2026 · bei Kai" in result.stdout
    assert "Neue Lizenzen: L003 Kai" in result.stdout
    assert "2.500 (1)" not in result.stdout
    season = load_season(folder)
    assert seats(folder, 3) == [["Anna", 2, 2500, -1500], ["Kai", 1, 3500, 1500]]
    assert season.evenings["host"].tolist() == ["Anna", "Ben", "Kai"]
    assert season.licences.iloc[2].tolist() == ["L003", "Kai", pd.Timestamp("2026-02-20"), ""]
    kept = folder / "protocols" / "abend-03-Pokerabend-20-2.csv"
    assert kept.read_bytes() == path.read_bytes()
    assert (folder / "results.csv").read_bytes().startswith(b"\xef\xbb\xbfevening;player;")


SUMMARY = [["Spieler", "Einstiege", "Chips"], ["Anna", 2, 2500], ["Ben", 1, 3500]]
COLOURS = [
    ["Spieler", "Einstiege", "weiß", "rot 20", "Blau (50)", "grün", "gelb", "Chips"],
    ["Anna", 2, 10, 5, 2, 12, 2, None],
    ["Ben", 1, None, None, None, None, None, 3500],
    ["Summe", 3, 10, 5, 2, 12, 2, 6000],
]


def csv_bytes(rows, separator=";", encoding="utf-8"):
    lines = (separator.join("" if c is None else str(c) for c in row) for row in rows)
    return "\r\n".join(lines).encode(encoding)


def xlsx_bytes(rows):
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def ods_bytes(rows):
    """As a spreadsheet program writes it: runs of blank cells and rows as one, with a count."""

    def cell(value):
        if isinstance(value, int):
            return ods_cell(f"{value},00", "float", office_value=value)
        return ods_cell(value) if value else '<table:table-cell table:number-columns-repeated="1"/>'

    rest = '<table:table-cell table:number-columns-repeated="1000"/>'
    lines = [f"<table:table-row>{''.join(map(cell, row))}{rest}</table:table-row>" for row in rows]
    lines.append('<table:table-row table:number-rows-repeated="1048570"><table:table-cell/>')
    return ods(f"<table:table>{''.join(lines)}</table:table-row></table:table>")


@pytest.mark.parametrize(
    ("rows", "above"), [(SUMMARY, True), (COLOURS, False)], ids=["chips", "colours"]
)
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", csv_bytes),
        ("a.txt", lambda rows: csv_bytes(rows, "\t", "utf-16")),
        ("a.CSV", lambda rows: csv_bytes(rows, ",", "cp1252")),
        ("a.xlsx", xlsx_bytes),
        ("a.ods", ods_bytes),
    ],
)
def test_every_form_of_sheet(folder, sent, rows, name, form, above):
    """Chips in total or by colour, CSV, xlsx or ods, the evening in the file or beside it."""
    if above:
        rows = [["Datum:", "20.02.2026"], ["Gastgeber: Kai"], [None], *rows]
        record(folder, sent(form(rows), name))
    else:
        record(folder, sent(form(rows), name), date=date(2026, 2, 20), host="Kai")
    assert seats(folder, 3) == [["Anna", 2, 2500, -1500], ["Ben", 1, 3500, 1500]]
    assert load_season(folder).evenings["host"].iloc[-1] == "Kai"


@pytest.mark.parametrize(
    "text",
    [
        "Spieler;06.02.2026;20.02.2026\nAnna;500;-100\nBen;-500;\nKai;;100\n",
        "Name,2026-02-06,2026-02-20,Summe\nAnna,500,-100,400\nBen,-500,,-500\nKai,,100,100\n"
        "Gesamt,0,0,0\n",
        ";6.2.26;20.2.26\nAnna;500;−100\nBen;−500;\nKai;;100\nSumme:;0;0\n",
    ],
    ids=["plain", "totals", "blank corner"],
)
def test_matrix(folder, sent, text):
    """A matrix of players and dates is recorded, announced evenings under their number."""
    record(folder, sent(text))
    assert [row[0::3] for row in seats(folder, 2)] == [["Anna", 500], ["Ben", -500]]
    assert [row[0::3] for row in seats(folder, 3)] == [["Anna", -100], ["Kai", 100]]


def test_matrix_of_numbered_evenings(folder, sent):
    """An evening number as heading is enough where the evening was announced with its date."""
    record(folder, sent("Spieler;Abend 2\nAnna;500\nBen;-500\n"))
    assert [row[0::3] for row in seats(folder, 2)] == [["Anna", 500], ["Ben", -500]]


def test_counts_stay_whole_beside_decimals(run, folder, sent):
    """Entries, ranks and evenings are counted, whatever the results are."""
    with (folder / "results.csv").open("a", encoding="utf-8") as file:
        file.write("2;Anna;;;0,5;\n2;Ben;;;-0,5;\n")
    shown = " ".join(run(folder, sent(evening())).stdout.split())
    assert "Anna 1 2.500,00 +500,00 Ben 1 1.500,00 −500,00 Summe 2 4.000,00 0,00" in shown
    assert re.search(r"Anna 1 \(1\) \S+ \(\S+\) 3 \(2\) Ben 2 \(2\)", shown)


@pytest.mark.parametrize("lost", ["file", "header", "name"])
def test_results_that_are_lost_are_told(run, folder, sent, lost):
    """A past evening without results is a warning; a file not understood is not written over."""
    results = folder / "results.csv"
    text = results.read_text("utf-8-sig")
    if lost == "header":
        results.write_text(text.split("\n", 1)[1], "utf-8")
        header = "erste Zeile gehört: evening;player;entries;chips_out;result;note"
        assert header in refusal(run, folder, sent(evening()))
        results.write_text(text, "utf-8")
        (folder / "corrections.csv").write_text("a;b\n1;2\n", "utf-8")
        told = refusal(run, folder, sent(evening()))
        assert "corrections.csv, Zeile 1" in told
        assert "erste Zeile gehört: when;evening;what;why" in told
        (folder / "corrections.csv").write_text("Wann;Abend;Was;Warum\n", "utf-8")
        assert run(folder, sent(evening())).exit_code == 0
        return
    results.rename(folder / "Ergebnisse.csv") if lost == "name" else results.unlink()
    shown = CliRunner().invoke(main, ["check", str(folder)])
    assert shown.exit_code == 1
    assert shown.stdout.count("hat keine Ergebnisse in results.csv") == 2
    assert "Abend 1" in run(folder, sent(evening())).stderr
    kept = folder / "Ergebnisse.csv"
    assert lost == "file" or kept.read_text("utf-8-sig") == text


# Which evening it is


def test_numbers(folder, sent):
    """The file's number, else that announced for the date, else the highest + 1."""
    named = "Abend;Datum;Spieler;Ergebnis\n7;20.02.2026;Anna;5\n7;20.02.2026;Ben;-5\n"
    assert record(folder, sent(evening("06.02.2026"))).evenings == (2,)
    assert record(folder, sent(named)).evenings == (7,)
    assert record(folder, sent(evening("21.02.2026"))).evenings == (8,)
    assert load_season(folder).held == [1, 2, 7, 8]


def refusal(run, folder, *words):
    """What the command says on stderr, having changed nothing and stored nothing."""
    before = files_of(folder)
    result = run(folder, *words)
    assert result.exit_code == 1, result.output
    assert files_of(folder) == before
    return result.stderr


def test_a_date_held_is_refused(run, folder, sent):
    """Both ways out are named: a correction, or a true second evening; and both work."""
    path = sent(evening("09.01.2026"))
    told = refusal(run, folder, path)
    assert "--replace 1" in told
    assert "--evening 3" in told
    assert run(folder, path, "--evening", 3).exit_code == 0
    assert load_season(folder).held == [1, 3]


@pytest.mark.parametrize(
    ("content", "words", "told"),
    [
        (
            "Spieler;Ergebnis\nA;1\nB;-1\n",
            [],
            "Das Datum fehlt. Ist es der angekündigte Abend 2 (06.02.2026): --evening 2",
        ),
        ("Spieler;Einstiege;Geld\nA;1;2100\nB;1;1900\n", [], "die genau das meint"),
        (evening("02.03.2026"), [], "in der Zukunft"),
        (evening("07.02.2026"), ["--evening", 2], "Angekündigt ist der Abend für den 06.02.2026"),
        (evening("06.02.2026"), ["--evening", 1], "--replace 1"),
        (evening(), ["--replace", 2, "--reason", "x"], "Abend 2 wurde nicht gespielt"),
        (
            evening("10.01.2026"),
            ["--replace", 1, "--reason", "x"],
            "der Abend vom 09.01.2026, im Protokoll",
        ),
        ("Abend;" + evening("06.02.2026").replace("\n0", "\n5;0"), [], "--evening 2 oder"),
        ("Gastgeber: Kai\n" + evening("06.02.2026"), [], "bei Ben, im Protokoll steht Kai"),
        ("Spieler;6.1.26;7.1.26\nA;1;1\nB;-1;-1\n", ["--host", "A"], "hier sind es 2"),
        ("Spieler;6.1.26;06.01.2026\nA;1;1\nB;-1;-1\n", [], "Zwei Spalten bedeuten dasselbe"),
        (evening() + evening("20.02.2026").split("\n", 1)[1], [], "Anna steht zweimal da"),
        ("Spieler;Einstiege;Chips\nAnna;;\nBen;;\n", ["--date", "20.2.26"], "steht niemand"),
        ("Abend;Datum;Spieler;Ergebnis\n3;5.1.26;A;1\n3;6.1.26;B;-1\n", [], "verschiedene Daten"),
        (evening(chips=2505), [], "kein Vielfaches"),
        (evening().replace(";1;", ";4;"), [], "4 Einstiege"),
        (
            "Spieler;Einstiege;weiß\nA;1;2,5\nB;1;x\n",
            ["--date", "20.2.26"],
            "„2,5“ Chips der Farbe",
        ),
        ("Spieler;Einstiege;rot;Chips\nA;1;5;90\n", ["--date", "20.2.26"], "Farben sind es 100"),
        (
            "Spieler;Einstiege;rot;Chips\nA;1;;\n",
            ["--date", "20.2.26"],
            "Chips beim Ausstieg fehlen",
        ),
        (evening().replace("Ben", "A|B"), [], "„A|B“ geht als Name nicht"),
        (evening().replace("Ben", "12"), [], "„12“ geht als Name nicht"),
        (evening().replace("Ben", "Summe"), [], "Zeile „Summe“ ist als Summenzeile verstanden"),
        ("Liebe Liga,\nviel Spaß!\n", [], "Keine bekannte Spaltenüberschrift"),
    ],
)
def test_refused(run, folder, sent, content, words, told):
    """Whatever is wrong is told with its cure, and nothing is changed."""
    assert told in refusal(run, folder, sent(content), *words)


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("20.02.2026", "War es der angekündigte Abend 2"),
        ("20.12.2025", "Der Abend war vor Abend 1"),
    ],
)
def test_the_number_of_a_late_evening_is_told(folder, sent, day, told):
    """It is the next free one; that it may be the one announced near by, or that dates rule."""
    recording = prepare(folder, [sent(evening(day))], Given(), TODAY)
    assert recording.evenings == (3,)
    (hint,) = [p.message("de") for p in recording.problems if p.severity == "hint" and p.evening]
    assert told in hint
    assert "gereiht wird nach dem Datum" in hint
    chosen = prepare(folder, [sent(evening(day))], Given(evening=4), TODAY)
    assert [p.key for p in chosen.problems if p.severity == "hint" and p.evening] == []


def test_a_date_that_is_none_hides_nothing_else(run, folder, sent):
    """The date, the entries and the chips are told at once, each by its rule."""
    told = refusal(run, folder, sent(evening("31.02.2026", chips=2505).replace(";1;", ";4;")))
    for problem in ("Den Tag „31.02.2026“ gibt es nicht", "4 Einstiege", "kein Vielfaches"):
        assert problem in told


def test_a_reason_without_a_correction_is_refused(run, folder, sent):
    """It would be stored nowhere."""
    result = run(folder, sent(evening()), "--reason", "so beschlossen")
    assert result.exit_code == 1
    assert "--reason gehört zu einer Berichtigung (--replace NUMMER)" in result.stderr
    assert load_season(folder).held == [1]


def test_a_wrong_year_is_asked_about(run, folder, sent):
    """In January last year's is written; --date says which holds, and is asked about itself."""
    told = refusal(run, folder, sent(evening("20.02.2025")))
    assert (
        "Der 20.02.2025 liegt weit von allen Abenden der Saison (09.01.2026 bis 06.02.2026)" in told
    )
    assert (
        "Ist der 20.02.2026 gemeint: --date 20.02.2026; stimmt das Datum: --date 20.02.2025" in told
    )
    said = prepare(folder, [sent(evening())], Given(date=date(2025, 2, 20)), TODAY)
    assert "record_year" in [p.key for p in said.problems]
    late = prepare(folder, [sent(evening("20.12.2025"))], Given(), TODAY)  # three weeks before
    assert "record_year" not in [p.key for p in late.problems]


def test_a_duplicate_is_known_by_its_guest_too(folder, sent):
    """The guest of an evening bears its number; what was written counts."""
    seats = "{0};Anna;1;2100\n{0};Gast Tom;1;1900\n"
    for day in ("20.02.2026", "21.02.2026"):
        text = "Datum;Spieler;Einstiege;Chips\n" + seats.format(day)
        found = record(folder, sent(text, f"{day}.csv"))
    assert "record_twin" in [p.key for p in found.problems]
    text = "Datum;Spieler;Einstiege;Chips\n" + seats.format("22.02.2026").replace("Gast Tom", "Tom")
    tom = prepare(folder, [sent(text)], Given(), TODAY)
    asked = [p.message("de") for p in tom.problems if p.key == "record_was_guest"]
    assert len(asked) == 2
    assert "Tom ist neu. War das Gast Tom (Abend 3)?" in asked[0]


def test_money_is_no_result_where_chips_count(run, folder, sent):
    """What says so is named, also where it is the heading."""
    text = "Datum;Spieler;Buy-in (€);Cash-out (€)\n20.2.26;Anna;10;15\n20.2.26;Ben;10;5\n"
    assert "„Buy-in (€)“ in der Spalte" in refusal(run, folder, sent(text))
    bought = prepare(folder, [sent(text.replace(" (€)", ""))], Given(), TODAY)
    assert "no_entries" in [p.key for p in bought.problems]  # told where the others count them


def test_nobody_is_absent_by_another_name(folder, sent):
    """The blank row of a printed sheet has the name from before a rename."""
    (folder.parent / "licences.csv").write_text(
        "licence,player,issued,aliases\nL1,Anna,2026-01-09,Änni\nL2,Ben,2026-01-09,\n", "utf-8"
    )
    text = evening() + "20.02.2026;Änni;;\n20.02.2026;Ida;;\n"
    found = prepare(folder, [sent(text)], Given(), TODAY)
    assert [p.player for p in found.problems if p.key == "absent"] == ["Ida"]


def test_the_same_results_under_another_date_are_told(run, folder, sent):
    """Last month's sheet with a new date on it; other results are no twins."""
    first = run(folder, sent(evening("20.02.2026")))
    again = run(folder, sent(evening("21.02.2026"), "b.csv"))
    assert "Abend 4" in again.stderr
    assert "Genau diese Ergebnisse stehen schon beim Abend 3." in again.stderr
    assert "Genau diese" not in first.stderr


def test_what_the_lead_says_goes_first(folder, sent):
    """Number, date and host given with the command are taken before the sheet's."""
    path = sent("Gastgeber: Kai\nAbend: 9\n" + evening("07.02.2026"))
    told = record(folder, path, evening=2, date=date(2026, 2, 8), host="Zoë").problems
    assert "Im Protokoll steht der 07.02.2026" in told[0].message("de")
    row = load_season(folder).evenings.set_index("evening").loc[2]
    assert (row["date"], row["host"], row["start"]) == (pd.Timestamp("2026-02-08"), "Zoë", "19:30")


@pytest.mark.parametrize(("host", "told"), [("wer", True), ("?", True), ("Zoë", False)])
def test_a_host_that_is_no_name_is_told(folder, sent, host, told):
    """A heading or a mark in place of a host is recorded with a warning."""
    problems = record(folder, sent(f"Gastgeber: {host}\n" + evening("20.02.2026"))).problems
    assert ("record_no_host" in [p.key for p in problems]) == told


def test_all_or_nothing(run, folder, sent):
    """Of several files one that is wrong keeps all out; every error of every file is told."""
    good, bad = sent(evening(), "a.csv"), sent(evening("21.02.2026").replace(";1;", ";x;"), "b.csv")
    worse = sent("Spieler\n", "c.csv")
    told = refusal(run, folder, good, bad, worse)
    assert "c.csv" in told
    told = refusal(run, folder, good, bad)
    assert told.count("b.csv, Zeile") == 2
    assert run(folder, good, sent(evening("21.02.2026"), "d.csv")).exit_code == 0
    assert load_season(folder).held == [1, 3, 4]


def test_the_same_file_again(run, folder, sent):
    """The same bytes are recognised under any name, also twice in one call, as is its date."""
    assert run(folder, sent(evening(), "a.csv")).exit_code == 0
    assert "schon erfasst (abend-03-a.csv)" in refusal(run, folder, sent(evening(), "b.csv"))
    other = evening("21.02.2026")
    told = refusal(run, folder, sent(other, "c.csv"), sent(other, "d.csv"))
    assert "d.csv: Genau diese Datei ist zweimal angegeben (auch als c.csv)" in told
    told = refusal(run, folder, sent(other, "c.csv"), sent(other.replace(";", ","), "d.csv"))
    assert "d.csv: Der Abend steht in zwei der Dateien" in told


# Corrections, and sums that stay wrong


@pytest.mark.parametrize(
    ("chips", "told"),
    [
        ((2350, 1560), "Bei Ben stehen 1.560 Chips; mit 1.650"),
        ((2350, 16500), "Bei Ben stehen 16.500 Chips; mit 1.650"),
        ((4500, 1500), "genau 1 × der Wert eines Einstiegs. Ist ein Einstieg vergessen"),
        ((500, 1500), "Ist ein Einstieg zu viel eingetragen"),
        ((2350, 1330), "bitte nachtragen; ihr Ergebnis wäre +320."),
    ],
)
def test_a_sum_says_what_it_may_be(run, folder, sent, chips, told):
    """Digits changed round, a whole entry, a seat left out: each by its own numbers."""
    sheet = "Datum;Spieler;Einstiege;Chips\n20.2.26;Anna;1;{}\n20.2.26;Ben;1;{}\n"
    assert told in refusal(run, folder, sent(sheet.format(*chips)))


def test_a_host_nearly_known_is_asked_about(run, folder, sent):
    """A slip in the host's name is told before storing, with the way to say it right."""
    told = run(folder, sent(evening()), "--host", "Bne").stderr
    assert "Bne als Gastgeber ist neu. Ist Ben gemeint?" in told


def test_replace(run, folder, sent):
    """The new version counts, the old one is kept, and corrections.csv says what and why."""
    assert run(folder, sent(evening(chips=2500), "a.csv")).exit_code == 0
    result = run(
        folder, sent(evening(chips=2600), "a.csv"), "--replace", 3, "--reason", "Zählfehler"
    )
    assert result.exit_code == 0, result.output
    assert (
        "Änderungen:\nAnna: Chips beim Ausstieg 2.500 → 2.600, Ergebnis +500 → +600\n"
        in result.stdout
    )
    assert seats(folder, 3) == [["Anna", 1, 2600, 600], ["Ben", 1, 1400, -600]]
    (line,) = load_season(folder).corrections.to_numpy().tolist()
    moved = (
        ("Anna", "2.500 → 2.600, Ergebnis +500 → +600"),
        ("Ben", "1.500 → 1.400, Ergebnis −500 → −600"),
    )
    what = "; ".join(f"{name}: Chips beim Ausstieg {steps}" for name, steps in moved)
    assert line == [pd.Timestamp(TODAY), 3, what, "Zählfehler"]
    kept = sorted(path.name for path in (folder / "protocols").iterdir())
    assert kept == ["abend-03-a-2.csv", "abend-03-a.csv", "abend-03-ersetzt.csv"]
    old = pd.read_csv(folder / "protocols" / "abend-03-ersetzt.csv", sep=";")
    assert old["chips_out"].tolist() == [2500, 1500]
    assert old["date"].tolist() == ["2026-02-20"] * 2
    again = ["--replace", 3, "--reason", "doch"]
    told = refusal(run, folder, sent(evening(chips=2600), "a.csv"), *again)
    assert "schon genau so in der Saison" in told
    assert run(folder, sent(evening(chips=2500), "a.csv"), *again).exit_code == 0


def test_a_correction_without_half_of_the_players_is_told(folder, sent):
    """It may be the sheet of another evening."""
    other = sent(evening("09.01.2026").replace("Anna", "Ida"))
    found = prepare(folder, [other], Given(replace=1), TODAY, "falsch")
    (told,) = [p.message("de") for p in found.problems if p.key == "record_gone"]
    assert "Nach dieser Datei saßen nicht mehr am Tisch: Anna." in told


def test_a_corrected_date_moves_the_licences_issued_by_it(folder, sent):
    """Who played first on an evening has the licence of its day, whatever was typed at first."""
    wrong = date(2025, 2, 20)
    record(folder, sent(evening("20.02.2025").replace("Ben", "Kai")), date=wrong)
    assert load_season(folder).licences["issued"].iloc[-1] == pd.Timestamp("2025-02-20")
    right = date(2026, 2, 20)
    record(folder, sent(evening("20.02.2026").replace("Ben", "Kai")), replace=3, date=right)
    licences = load_season(folder).licences
    assert licences["issued"].iloc[-1] == pd.Timestamp("2026-02-20")
    assert licences["issued"].iloc[0] == pd.Timestamp("2026-01-09")


def test_an_evening_left_out_is_replaced(run, folder, sent):
    """An evening with an error is corrected like any other, and its old rows are kept."""
    with (folder / "results.csv").open("a", encoding="utf-8") as file:
        file.write("2;Anna;1,5;2000;;\n2;Ben;1;2000;;\n")
    assert load_season(folder).left_out == (2,)
    other = run(folder, sent(evening()))
    assert "Tabelle danach (in Klammern: vorher) · vorläufig, ohne Abend 2" in other.stdout
    result = run(folder, sent(evening("06.02.2026")), "--replace", 2, "--reason", "x")
    assert result.exit_code == 0, result.output
    assert load_season(folder).left_out == ()
    assert "1,5" in (folder / "protocols" / "abend-02-ersetzt.csv").read_text("utf-8-sig")


def test_a_sum_that_is_not_zero(run, folder, sent):
    """It is refused; accepted, the reason alone is told everywhere, until it is corrected."""
    wrong = sent(evening().replace("1500", "1650"), "a.csv")
    told = refusal(run, folder, wrong)
    assert "Gezählt sind" in told
    assert "--accept-imbalance" in told
    assert run(folder, wrong, "--accept-imbalance", " ").exit_code == 2
    told = run(folder, wrong, "--accept-imbalance", "Chip; verloren")
    assert told.exit_code == 0
    season = load_season(folder)
    assert season.unbalanced == {3: 150}
    reason = "Summe +150 angenommen: Chip; verloren"
    assert season.evenings["note"].tolist() == ["warm", "", reason]
    short = "Summe +150 statt 0, von der Runde so angenommen: Chip; verloren"
    assert CliRunner().invoke(main, ["standings", str(folder)]).stderr.strip().endswith(short)
    assert (told.stderr.count(short), "muss 0 sein" in told.stderr) == (1, False)
    right = sent(evening(), "b.csv")
    assert run(folder, right, "--replace", 3, "--reason", "gefunden").exit_code == 0
    assert load_season(folder).evenings["note"].tolist() == ["warm", "", ""]
    needless = ("--accept-imbalance", "x", "--unit", 2)
    told = run(folder, sent(evening("27.02.2026"), "c.csv"), *needless).stderr
    assert "--accept-imbalance war nicht nötig" in told
    assert "--unit gilt nur für ein Ledger" in told


# Nothing is lost


def test_files_saved_in_german_excel(folder, sent):
    """Semicolons, cp1252, 07.02.2025, errors, notes and own columns survive the next record."""
    (folder / "results.csv").write_bytes(
        "Abend;Spieler;Einstiege;Chips;Laune;Notiz;Laune\n"
        '1;Änne;1;3.500;gut;"zwei\r\nZeilen";a\n1;=Ben;2;2.500;;-;\n'
        "2;Änne;1,5;2.000;müde;;\n2;Ben;x;2000;;;b\n".encode("cp1252")
    )
    (folder / "evenings.csv").write_bytes(
        "Abend;Datum;Ort;Notiz;Wetter\n1;07.02.2025;Köln;warm;Föhn\n2;08.02.2025;;;\n".encode(
            "cp1252"
        )
    )
    before = load_season(folder)
    assert before.left_out == (2,)
    record(folder, sent(evening()), date=date(2026, 2, 20))
    assert (folder / "results.csv").read_text("utf-8-sig") == (
        "evening;player;entries;chips_out;result;note;Laune;Laune\n"
        "1;Änne;1;3500;;\"zwei \nZeilen\";gut;a\n1;'=Ben;2;2500;;'-;;\n"
        "2;Änne;1,5;2000;;;müde;\n2;Ben;x;2000;;;;b\n"
        "3;Anna;1;2500;500;;;\n3;Ben;1;1500;-500;;;\n"
    )
    assert (folder / "evenings.csv").read_text("utf-8-sig") == (
        "evening;date;start;host;place;note;Wetter\n1;2025-02-07;;;Köln;warm;Föhn\n"
        "2;2025-02-08;;;;;\n3;2026-02-20;;;;;\n"
    )
    after = load_season(folder)
    pd.testing.assert_frame_equal(after.through(1).results, before.through(1).results)
    assert after.left_out == (2,)


def test_a_season_without_evenings_file(folder, sent):
    """Dates that stood in results.csv alone are kept, and every evening gets its row."""
    (folder / "evenings.csv").unlink()
    rows = "evening,date,host,player,result\n1,9.1.2026,Zoë,Anna,0.5\n1,,,Ben,-0.5\n"
    (folder / "results.csv").write_text(rows, "utf-8")
    record(folder, sent("Spieler;20.02.2026\nAnna;1234,567\nBen;-1234,567\n"))
    season = load_season(folder)
    assert [p.key for p in season.problems if p.severity != "hint"] == []
    assert season.evenings["host"].tolist() == ["Zoë", ""]
    assert season.results["result"].tolist() == [0.5, -0.5, 1234.567, -1234.567]


def test_guests_aliases_and_look_alikes(run, folder, sent):
    """A guest gets no licence, an alias none of his own, and a near-equal new name is told."""
    licences = folder.parent / "licences.csv"
    if not licences.exists():
        licences = folder / "licences.csv"
    header = "licence,player,issued,aliases,Farbe\n"
    licences.write_text(header + "L7,Anna,1.1.20,Änni|A.,rot\n", "utf-8")
    text = "Datum;Spieler;Ergebnis\n20.2.26;Änni;1\n20.2.26;Benn;-3\n20.2.26;Gast;2\n"
    result = run(folder, sent(text))
    assert "joined" not in {p.key for p in load_season(folder).problems}
    assert "Benn ist neu. Ist Ben gemeint?" in result.stderr
    assert 'liga rename SAISON "Benn" "Ben"' in result.stderr
    assert [row[0] for row in seats(folder, 3)] == ["Anna", "Benn", "Gast (Abend 3)"]
    assert licences.read_text("utf-8-sig") == (
        f"{header}L7,Anna,2020-01-01,Änni|A.,rot\nL008,Ben,2026-01-09,,\nL009,Benn,2026-02-20,,\n"
    )


@pytest.mark.parametrize(
    "name",
    [
        "..\\..\\x.csv",
        "$(touch x);.csv",
        ".bashrc",
        "CON",
        "=1+1.csv",
        "🃏" * 60 + ".xlsx",
        "a\nb.csv",
    ],
)
def test_names_stay_inside(folder, sent, name):
    """No name of a file, player or host leaves the season's folder or becomes a formula."""
    outside = files_of(folder).keys()
    text = "Datum;Spieler;Gastgeber;Ergebnis\n20.2.26;../../x;;1\n20.2.26;@2+2;@HOST;-1\n"
    record(folder, sent(text, name))
    new = set(files_of(folder)) - set(outside)
    (kept,) = new
    assert kept.startswith("2026/protocols/abend-03")
    assert set(kept) <= set(map(chr, range(45, 123)))
    assert "'@2+2" in (folder / "results.csv").read_text("utf-8-sig")
    assert "'@HOST" in (folder / "evenings.csv").read_text("utf-8-sig")


def test_a_season_is_a_folder(run, sent):
    """Into a single table nothing can be recorded, and what is no file is not read."""
    table = sent(evening(), "saison.csv")
    result = run(table, sent(evening("21.02.2026")))
    assert result.exit_code == 1
    assert "nur mit einem Saisonordner" in result.stderr
    assert run(table, table, "--replace", 1, "--evening", 2).exit_code == 2
    assert run("/nirgends", table).exit_code == 2


# Wholly or not at all


def test_three_at_once(folder, sent):
    """Recordings started together are all in the season, each under a number of its own."""
    sheets = [sent(evening(f"{day}.02.2026"), f"{day}.csv") for day in (10, 11, 12)]
    assert at_once(*(("record", folder, sheet, "--yes") for sheet in sheets)) == [0, 0, 0]
    season = load_season(folder)
    assert sorted(season.held) == [1, 3, 4, 5]
    assert season.evenings["date"].nunique() == 5
    assert len(list((folder / "protocols").iterdir())) == 3


@pytest.mark.parametrize(
    ("at", "error", "told"),
    [
        (1, OSError(errno.ENOSPC, "No space left on device"), "Der Datenträger ist voll"),
        (2, PermissionError(errno.EACCES, "Permission denied", "x.csv"), "x.csv darf nicht geschr"),
        (3, OSError(errno.EROFS, "Read-only file system", "x.csv"), "x.csv darf nicht geschrieben"),
        (4, OSError(errno.EIO, "I/O error", "x.csv"), "x.csv lässt sich nicht lesen oder schreib"),
    ],
)
def test_it_cannot_be_written(run, folder, sent, monkeypatch, at, error, told):
    """A full disk or a folder that may not be written is a sentence, and nothing is harmed."""
    path, calls = sent(evening()), []
    original = journal.write_bytes

    def failing(data, path):
        calls.append(path)
        if len(calls) == at:
            raise error
        original(data, path)

    with monkeypatch.context() as patch:
        patch.setattr(journal, "write_bytes", failing)
        assert told in refusal(run, folder, path)
    assert run(folder, path).exit_code == 0


def test_a_season_changed_meanwhile(folder, sent):
    """What was shown and agreed to is stored, or nothing."""
    recording = prepare(folder, [sent(evening(), "a.csv")], Given(), TODAY)
    record(folder, sent(evening("21.02.2026"), "b.csv"))
    with pytest.raises(DataError, match="inzwischen geändert"):
        store(recording)
    assert load_season(folder).held == [1, 3]


def shown(terminal, pattern):
    """What is found in all that a terminal shows until then."""
    text = b""
    while not (found := re.search(pattern, text)):
        text += os.read(terminal, 1000)
    return found[0]


def test_it_asks_at_a_terminal(folder, sent):
    """At a terminal nothing is stored before the answer, and nothing after a no."""
    if sys.platform == "win32":
        pytest.skip("no pseudo-terminal")
    import pty

    twice = "import liga_analysis.cli.main as c\nfor _ in 'nj':\n try: c.main(prog_name='liga')"
    twice += "\n except SystemExit as end: print('ended', end.code)"
    command = [sys.executable, "-c", twice, "record", folder, sent(evening())]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        for answer, end, held in ((b"n\n", b"ended 1", [1]), (b"j\n", b"ended 0", [1, 3])):
            assert shown(ours, rb"So speichern\? \[j/N\]")
            assert load_season(folder).held == [1]
            os.write(ours, answer)
            assert shown(ours, rb"ended \d") == end
            assert load_season(folder).held == held
    os.close(ours)
