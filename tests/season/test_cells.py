"""Numbers, dates and names in cells; the truth is typed beside the input."""

import re

import numpy as np
import pandas as pd
import pytest
from samples import read_table

from liga_analysis.season.cells import clean_name
from liga_analysis.season.days import days_of
from liga_analysis.season.values import dates, numbers, understood
from liga_analysis.words import DataError

NBSP, NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"


@pytest.fixture
def table(tmp_path):
    """Read a table from text."""

    def read(content):
        (tmp_path / "t.csv").write_text(content, "utf-8")
        return read_table(tmp_path / "t.csv")

    return read


def column(table, *cells, separator=";", whole=False):
    """Numbers of a column of text, NaN where they are no numbers."""
    quoted = [f'"{cell}"' for cell in cells]
    lines = [separator.join(["player", "result"]), *(separator.join(["A", q]) for q in quoted)]
    return numbers(table("\n".join(lines)), "result", whole)


# Numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("150", 150),
        ("+150", 150),
        ("-150", -150),
        ("−150", -150),
        ("–150", -150),
        ("—150", -150),
        ("- 150", -150),
        (f" 3{NBSP}400 ", 3400),
        (f"6{NARROW}000", 6000),
        ("1'250", 1250),
        ("1.234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("1.234.567", 1234567),
        ("1,234,567", 1234567),
        ("1.234.567,89", 1234567.89),
        ("2.500,0", 2500),
        ("7,9", 7.9),
        ("7.9", 7.9),
        ("0.125", 0.125),
        ("1000.125", 1000.125),
        ("12,3456", 12.3456),
        ("1.850", 1850),  # open, separator ";": German
        ("1,850", 1.85),
        ("(1.500)", -1500),
        ("500-", -500),
        ("5 €", 5),
        ("€ 5,50", 5.5),
        ("-€5", -5),
        ("$-5", -5),
        (f"5{NBSP}EUR", 5),
        ("1.5e-13", 1.5e-13),
        ("1.125E+03", 1125),
        ("\u200b150\u200e", 150),
    ],
)
def test_number(table, text, value):
    """A number alone in its column of decimals, where the separator is ";"."""
    values, bad = column(table, text)
    assert values.tolist() == [value]
    assert not bad.any()


@pytest.mark.parametrize(
    "text",
    "x 1.23.456 1,2,3 1.234,567.8 --5 1/2 nan inf ∞ 1_000 0x10 1,5k 1e999 1e13 =1+1".split()
    + ["12 34", "5 Chips", "5 %", "9" * 400],
)
def test_no_number(table, text):
    """What is not surely a number, or larger than any stack, is named and never guessed."""
    values, bad = column(table, text)
    assert bad.all()
    assert np.isnan(values).all()


def test_blank_is_neither_number_nor_wrong(table):
    """Blanks of any kind are nothing."""
    values, bad = column(table, "", " ", NBSP, NARROW, "\u200b", "5")
    assert np.isnan(values[:-1]).all()
    assert not bad.any()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["850", "1.850"], [850, 1850]),
        (["1.850", "2.500,0"], [1850, 2500]),
        (["1,850", "2.500"], [1850, 2500]),
    ],
)
def test_whole_columns_read_thousands(table, cells, values):
    """In a column of whole numbers a mark before three digits separates thousands."""
    assert column(table, *cells, separator=",", whole=True)[0].tolist() == values


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.850", "1.85"], [1.85, 1.85]),
        (["1.850", "1,85"], [1850, 1.85]),
        (["1,850", "1,85"], [1.85, 1.85]),
        (["1.850", "1.234.567"], [1850, 1234567]),
        (["1.850", "1,234.5"], [1.85, 1234.5]),
        (["1,850", "1.234.567"], [1.85, 1234567]),
    ],
)
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_other_cells_decide(table, cells, values, separator):
    """What a number leaves open, the other numbers of its column say."""
    assert column(table, *cells, separator=separator)[0].tolist() == values


@pytest.mark.parametrize("separator", [",", "\t", "|"])
@pytest.mark.parametrize("cells", [["1.850"], ["1,850", "850"], ["1.850", "1,5", "1.5"]])
def test_open_decimals_ask(table, separator, cells):
    """A column of decimals that can be read in two ways is an error with line, text and cure."""
    with pytest.raises(DataError, match=r"t\.csv, Zeile 2: „1.850“ .* eindeutig"):
        column(table, *cells, separator=separator)


def test_understood(table):
    """The first number or date written in another way is told with what was made of it."""
    read = table("player;date;chips\nA;2025-01-10;850\nB;11.01.2025;1.850\nC;12.01.2025;2.000\n")
    values, _ = numbers(read, "chips_out", whole=True)
    (hint,) = understood(read, "chips_out", values)
    told = "t.csv, Zeile 3: In der Spalte Chips beim Ausstieg verstanden: 1.850 = 1850."
    assert hint.message("de").startswith(told)
    (hint,) = understood(read, "date", dates(read, "date")[0])
    assert "line 3: Understood in the column Date: 11.01.2025 = 2025-01-11." in hint.message("en")
    plain = table("player,date,result\nA,2025-01-10,-7.50\n")
    assert not understood(plain, "date", dates(plain, "date")[0])
    assert not understood(plain, "result", numbers(plain, "result", False)[0])


# Dates


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2025-02-07", "2025-02-07"),
        ("2025/2/7", "2025-02-07"),
        ("2025-02-07T19:30:00.5Z", "2025-02-07"),
        ("07.02.2025", "2025-02-07"),
        ("7.2.25", "2025-02-07"),
        ("7. 2. 2025", "2025-02-07"),
        ("07/02/2025", "2025-02-07"),
        ("07–02–2025", "2025-02-07"),
        ("07.02.2025 19:30", "2025-02-07"),
        ("29.02.2024", "2024-02-29"),
        ("Freitag, 16. Januar 2026", "2026-01-16"),
        ("6. Feb 26", "2026-02-06"),
        ("Jan 16, 2026", "2026-01-16"),
        ("Fri 01/09/2026", "2026-01-09"),
    ],
)
def test_date(table, text, iso):
    """Dates are read day first unless they are ISO."""
    days, bad = dates(table(f"player;date\nA;{text}\n"), "date")
    assert str(days[0])[:10] == iso
    assert not bad.any()


@pytest.mark.parametrize(
    "text",
    ["31.02.2025", "29.02.2025", "02.13.2025", "7. Februar", "gestern", "45667", "0206-01-09"]
    + ["Mo, 09.01.2026", "01-02-03", "26-01-09", "16. Foo 2026"],
)
def test_no_date(table, text):
    """An impossible or unreadable date is named, never turned into another."""
    days, bad = dates(table(f"player;date\nA;{text}\n"), "date")
    assert bad.all()
    assert np.isnat(days).all()


@pytest.mark.parametrize(
    ("headings", "days"),
    [
        ("1/9/2026 2/3/2026 3/4/2026", "2026-01-09 2026-02-03 2026-03-04"),
        ("3/4/2026 2/3/2026 1/9/2026", "2026-03-04 2026-02-03 2026-01-09"),
        ("1/2/2026 1/3/2026 1/4/2026", "2026-02-01 2026-03-01 2026-04-01"),
        ("1.9.2026 2.3.2026 3.4.2026", "2026-09-01 2026-03-02 2026-04-03"),
        ("1/9/2026 2/6/2026", "2026-09-01 2026-06-02"),
    ],
)
def test_dates_in_order_tell_which_number_is_the_month(headings, days):
    """Of dates side by side the order decides where both readings are dates; else day first."""
    assert list(map(str, days_of(headings.split()).days)) == days.split()


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ("01/09/2026 02/06/2026 03/06/2026", "„01/09/2026“ ist gelesen als 09.01.2026, .*01.09"),
        ("01/09/2026 02/06/2026", "„01/09/2026“ ist gelesen als 01.09.2026, .* 09.01.2026 sein"),
        ("01/02/2026 01/09/2026", "„01/02/2026“ ist gelesen als 01.02.2026, .* 02.01.2026 sein"),
        ("01/09/2026", "„01/09/2026“ ist gelesen als 01.09.2026, .* 09.01.2026 sein"),
        ("09/01/2026 06/02/2026", None),
        ("02/01/2026 09/01/2026", None),
        ("05/05/2026", None),
    ],
)
def test_dates_that_can_be_read_in_two_ways_are_asked(table, texts, told):
    """A warning names both where all are dates and day first brings them no closer together."""
    read = table("player;date\n" + "".join(f"A;{text}\n" for text in texts.split()))
    problems = understood(read, "date", dates(read, "date")[0])
    warned = [p.message("de") for p in problems if p.severity == "warning"]
    assert bool(warned) == bool(told) and all(re.search(told, w) for w in warned)


def test_missing_column_is_blank(table):
    """A column that is not there holds blanks: no numbers, no dates, nothing wrong."""
    read = table("player\nA\nB\n")
    for values, bad in (numbers(read, "result", False), dates(read, "date")):
        assert pd.isna(values).all()
        assert not bad.any()


# Names


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("Ju\u0308rgen", "Jürgen"),
        (f"{NBSP} Anna\tMaria \n", "Anna Maria"),
        ("An\u200bna\ufeff", "Anna"),
        ("\u202eanna\u202c", "anna"),
        ("A \u200b B", "A B"),
        (7, "7"),
    ],
)
def test_clean_name(written, clean):
    """Names are NFC, without invisible marks, blanks collapsed; cleaning twice changes nothing."""
    assert clean_name(written) == clean
    assert clean_name(clean) == clean
