"""Words and formats: every number written by hand in both languages."""

import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from string import Formatter

import numpy as np
import pandas as pd
import pytest

from liga_analysis import words as labels
from liga_analysis.words import DataError, Problem, Words

NBSP = "\N{NO-BREAK SPACE}"


@cache
def sentences(language):
    """Every text of a language file by its dotted key."""

    def walk(table, place=""):
        for key, value in table.items():
            if isinstance(value, dict):
                yield from walk(value, f"{place}{key}.")
            else:
                yield place + key, value

    path = files("liga_analysis").joinpath(f"texts/{language}.toml")
    return dict(walk(tomllib.loads(path.read_text("utf-8"))))


def placeholders(sentence):
    """(name, format) of each blank in a text."""
    return {(name, form) for _, name, form, _ in Formatter().parse(str(sentence)) if name}


def test_languages_say_the_same_things():
    """The German and the English file have the same keys, in the same order of sections."""
    german, english = sentences("de"), sentences("en")
    assert set(german) == set(english)
    assert "problem.sum" in german


def test_languages_fill_in_the_same_values():
    """A sentence has the same blanks, with the same known formats, in both languages."""
    german, english = sentences("de"), sentences("en")
    blanks = {key: placeholders(german[key]) for key in german}
    assert [key for key in german if blanks[key] != placeholders(english[key])] == []
    known = {"", *labels._FORMATS}
    assert [key for key in german if not {form for _, form in blanks[key]} <= known] == []


@pytest.mark.parametrize(
    ("value", "german", "english"),
    [
        (0, "0", "0"),
        (-0.3, "0", "0"),
        (950, "950", "950"),
        (1234.4, "1.234", "1,234"),
        (-1234567.8, "−1.234.568", "−1,234,568"),
        (np.nan, "–", "–"),
        (pd.NA, "–", "–"),
        (np.inf, "∞", "∞"),
        (-np.inf, "−∞", "−∞"),
    ],
)
def test_chips(value, german, english):
    """Chips have the language's thousands mark, a true minus, never "−0", and "–" if undefined."""
    assert labels.chips(value, "de") == german
    assert labels.chips(value, "en") == english


def test_chips_with_decimals():
    """Two digits where asked for; None shows them only where there are any."""
    assert labels.chips(1234.5, "de", 2) == "1.234,50"
    assert labels.chips(1234.5, "de", None) == "1.234,50"
    assert labels.chips(1234.0, "de", None) == "1.234"
    assert labels.chips(-0.004, "de", 2) == "0,00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (150, "+150"),
        (-150, "−150"),
        (0, "0"),
        (0.2, "0"),
        (-0.2, "0"),
        (np.nan, "–"),
        (1e4, "+10.000"),
    ],
)
def test_signed(value, text):
    """A gain has a plus sign, nothing has none."""
    assert labels.signed(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (6, "6"),
        (5.69, "5,7"),
        (0.123, "0,12"),
        (43.9, "44"),
        (2307.15, "2.307"),
        (np.inf, "∞"),
        (0, "0"),
    ],
)
def test_number(value, text):
    """A parameter shows two significant places, and all of its whole ones."""
    assert labels.number(value) == text


@pytest.mark.parametrize(
    ("share", "german", "english"),
    [
        (0, f"0{NBSP}%", "0%"),
        (1, f"100{NBSP}%", "100%"),
        (0.564, f"56{NBSP}%", "56%"),
        (0.004, f"<{NBSP}1{NBSP}%", f"<{NBSP}1%"),
        (0.996, f">{NBSP}99{NBSP}%", f">{NBSP}99%"),
        (np.nan, "–", "–"),
    ],
)
def test_percent(share, german, english):
    """0 % and 100 % are said only where they are exact."""
    assert labels.percent(share, "de") == german
    assert labels.percent(share, "en") == english


def test_date():
    """German day.month.year, English day month year, "–" where unknown."""
    day = pd.Timestamp("2026-05-02")
    assert labels.date(day, "de") == "02.05.2026"
    assert labels.date(date(2026, 5, 2), "en") == "2 May 2026"
    assert labels.date(np.datetime64("2026-05-02T00:00:00"), "en") == "2 May 2026"
    assert labels.date(pd.NaT) == "–"


def test_listing():
    """The last of several is joined by a word."""
    assert labels.listing(["Anna"]) == "Anna"
    assert labels.listing(["Anna", "Ben"], "en") == "Anna and Ben"
    assert labels.listing(["Anna", "Ben", 3]) == "Anna, Ben und 3"


def test_problem_says_place_value_and_cure():
    """A problem names evening, date, file and line, then what is wrong and what helps."""
    problem = Problem(
        "error",
        "chips",
        "chips_multiple",
        evening=3,
        player="Ben",
        line=14,
        file="abend.csv",
        date=pd.Timestamp("2025-02-07"),
        values={"chips": 5355.0, "smallest": 10},
    )
    assert problem.message("de") == (
        "Abend 3 (07.02.2025), abend.csv, Zeile 14: Ben: 5.355 Chips sind kein Vielfaches des "
        "kleinsten Chips (10). Bitte nachzählen."
    )
    assert problem.message("en").startswith(
        "Evening 3 (7 Feb 2025), abend.csv, line 14: Ben: 5,355"
    )


def test_text_keeps_hostile_values_as_text():
    """Braces in a value are shown, never filled in."""
    values = {"text": "{player}", "column": "result"}
    problem = Problem("error", "number", "not_a_number", values=values)
    assert "„{player}“" in problem.message("de")


def test_language_of_messages(monkeypatch):
    """LIGA_LANGUAGE decides, German without it or with a language there is none of."""
    error = DataError(Problem("error", "encoding", "empty", file="a.csv"))
    monkeypatch.setenv("LIGA_LANGUAGE", "en")
    assert str(error) == "a.csv: The file is empty. Please name the right file or save it again."
    for unknown in ("fr", "", "../de"):
        monkeypatch.setenv("LIGA_LANGUAGE", unknown)
        assert str(error).startswith("a.csv: Die Datei ist leer.")
    monkeypatch.delenv("LIGA_LANGUAGE")
    assert labels.user_language() == "de"


def test_words_carry_language_and_decimals():
    """One reader's words format every kind of value the same way."""
    words = Words("en", 2)
    assert words.chips(1234.5) == "1,234.50"
    assert words.signed(1234.5) == "+1,234.50"
    assert words.number(5.69) == "5.7"
    assert words.percent(0.5) == "50%"
    assert words.date(pd.Timestamp("2026-05-02")) == "2 May 2026"
    assert words.listing(["A", "B"]) == "A and B"
    assert words.text("place.evening", evening=3) == "Evening 3"


def test_unknown_sentence():
    """Asking for a text that is not there is an error, never an empty string."""
    with pytest.raises(KeyError, match="no_such"):
        labels.text("problem.no_such")
