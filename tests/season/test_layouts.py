"""Hosts' sheets of any layout under one header; the truth is typed beside the input."""

import io

import openpyxl
import pytest

from liga_analysis.season.reader import arranged_table, demand, sheets_of, unread
from liga_analysis.words import DataError


def read(text, name="blatt.csv"):
    data = text if isinstance(text, bytes) else text.encode()
    sheets, separator, _ = sheets_of(name, data)
    table = arranged_table(sheets[0], name, separator)
    demand(table, ("player", "result|chips_out"))
    return table


def rows(table, *columns):
    return [list(row) for row in zip(*(table.words(c) for c in columns), strict=True)]


def hints(table):
    return [p.key for p in table.problems if p.key not in ("separator", "translated")]


@pytest.mark.parametrize(
    "above",
    [
        "Datum: 7.2.2025\nGastgeber: Änne\nAbend 5\n",
        "Datum;7.2.2025;;\nGastgeber:;;Änne\nAbend:;5\n\n",
        "Abend Nr. 5;Datum:;7.2.2025;Gastgeber;Änne\n",
        "Abend: 5;;Gastgeber: Änne;Datum: 7.2.2025\n",
    ],
)
def test_lines_above(above):
    """Date, host and number above the table are those of every row."""
    table = read(f"{above}Spieler;Ergebnis\nA;1\nB;-1\n")
    expected = [["5", "7.2.2025", "Änne", "A", "1"], ["5", "7.2.2025", "Änne", "B", "-1"]]
    assert rows(table, "evening", "date", "host", "player", "result") == expected
    assert hints(table) == []


def test_a_column_goes_before_a_line_above():
    """What a row says of itself holds; labels without a value say nothing."""
    table = read(
        "Datum: 1.1.2025\nGastgeber:\nOrt: ;Beginn: 19:30\nDatum;Spieler;Ergebnis\n7.2.25;A;1\n"
    )
    assert rows(table, "date", "host", "place", "start") == [["7.2.25", "", "", "19:30"]]


@pytest.mark.parametrize(
    ("above", "told"),
    [
        ("Abend vom 16.01.2026", ["above", "above_differs"]),
        ("2026-01-16", ["above", "above_differs"]),
        ("Datum: 16.01.2026\nGastgeber: Änne", ["above_differs"]),
        ("Gastgeber: Ben", ["above_differs"]),
        ("Abend vom 9.1.26\nGastgeber: änne", ["above"]),
    ],
)
def test_lines_above_that_differ_from_the_columns(above, told):
    """A date or host above the table that is not the one below is asked about; of several none."""
    head, row = f"{above}\nDatum;Gastgeber;Spieler;Ergebnis\n", "09.01.2026;Änne;A;1\n"
    assert hints(read(head + row)) == told
    several = hints(read(head + row + "23.01.2026;Cem;A;1\n"))
    assert several == [key for key in told if key == "above"]


def test_other_lines_above_are_told():
    """A line that says something else is not taken, and that is told."""
    table = read("Pokerabend bei uns!\nSpieler: 8\n\nSpieler;Ergebnis\nA;1\n")
    told = [p for p in table.problems if p.key == "above"]
    assert [(p.line, p.values["text"]) for p in told] == [
        (1, "Pokerabend bei uns!"),
        (2, "Spieler: 8"),
    ]


@pytest.mark.parametrize("name", ["Summe", "GESAMT:", "Ges.", "total", "Kontrolle", "Σ"])
def test_totals_are_nobody(name):
    """A row of totals is no player; who is called nearly so is one."""
    table = read(f"Spieler;Ergebnis\nA;1\nSumme Klaus;-1\n{name};0\n")
    assert table.words("player") == ["A", "Summe Klaus"]
    assert hints(table) == ["total_row"]
    table = read(f"Nr;Spieler;Ergebnis\n1;A;1\n{name};;1\n")
    assert table.words("player") == ["A"]


def test_matrix_with_all_the_trimmings():
    """Line numbers, blanks as absences, total columns and rows, and two kinds of heading."""
    table = read(
        "Rang;Spieler;10.01.2025;Abend 2;Ergebnis;Schnitt\n1;Änne;100;;100;100\n"
        "2;Ben;-100;50;-50;-25\n3;Cem;;-50;-50;-50\n;Summe;0;0;0;\n"
    )
    assert rows(table, "player", "date", "evening", "result") == [
        ["Änne", "10.01.2025", "", "100"],
        ["Ben", "10.01.2025", "", "-100"],
        ["Ben", "", "2", "50"],
        ["Cem", "", "2", "-50"],
    ]
    assert list(table.lines) == [2, 3, 3, 4]
    (told,) = unread(table, results=True)
    assert (told.severity, told.values["columns"]) == ("hint", ["Rang", "Ergebnis", "Schnitt"])


def test_matrix_in_a_workbook():
    """Dates in the header of a workbook are dates."""
    from datetime import datetime

    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append([None, datetime(2025, 1, 10), datetime(2025, 1, 24)])
    book.active.append(["Änne", 5, None])
    book.active.append(["Ben", -5, 2.5])
    book.save(out)
    table = read(out.getvalue(), "matrix.xlsx")
    assert rows(table, "player", "result") == [["Änne", "5"], ["Ben", "-5"], ["Ben", "2.5"]]


@pytest.mark.parametrize("second", ["10.1.25", "2025-01-10", "10/01/2025 20:30"])
def test_one_evening_in_two_columns(second):
    """Two columns for one date are an error, however they spell it."""
    with pytest.raises(DataError, match=r"Zwei Spalten bedeuten dasselbe: 10\.01\.2025 und"):
        read(f"Spieler;10.01.2025;{second}\nA;1;2\n")


def test_numbers_in_a_header_with_entries_are_no_evenings():
    """Only a table without entries and chips is a matrix."""
    table = read("Spieler;Einstiege;Chips;10.01.2025\nA;1;2000;x\n")
    assert rows(table, "player", "entries", "chips_out") == [["A", "1", "2000"]]


def test_header_below_the_limit_is_not_found():
    """The header stands within the first thirty rows."""
    above = "".join(f"x{k};y\n" for k in range(31))
    with pytest.raises(DataError, match="Keine bekannte Spaltenüberschrift"):
        read(f"{above}Spieler;Ergebnis\nA;1\n")
