"""Words and formats: every number written by hand in both languages."""

import ast
import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from string import Formatter

import nbformat
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from liga_analysis import words
from liga_analysis.pages.notebooks import notebooks
from liga_analysis.words import DataError, Problem, Sentence, Words, template, user_language

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


def placeholders(key, language):
    """(name, format) of each blank in a text, other texts in it filled in."""
    parsed = Formatter().parse(template(key, language))
    return {(name, form) for _, name, form, _ in parsed if name}


def test_languages_say_the_same_things():
    """The German and the English file have the same keys, in the same order of sections."""
    german, english = sentences("de"), sentences("en")
    assert set(german) == set(english)
    assert "problem.sum" in german


def test_languages_fill_in_the_same_values():
    """A sentence has the same blanks, with the same known formats, in both languages."""
    blanks = {key: placeholders(key, "de") for key in sentences("de")}
    assert [key for key in blanks if blanks[key] != placeholders(key, "en")] == []
    known = {"", *Sentence.FORMATS}
    assert [key for key in blanks if not {form for _, form in blanks[key]} <= known] == []


TERMS = {key: word for key, word in sentences("de").items() if key.startswith("term.")}


def page_of(notebook):
    """What the cells of a notebook show on its page, run here."""
    known, shown = {}, []
    for cell in nbformat.read(notebooks()[notebook], 4).cells:
        if cell.cell_type == "code":
            *before, last = ast.parse(cell.source).body
            value = isinstance(last, ast.Expr)
            exec(compile(ast.Module(before if value else [*before, last], []), "", "exec"), known)
            if value and "remove_cell" not in cell.metadata.get("tags", []):
                result = eval(compile(ast.Expression(last.value), "", "eval"), known)
                drawn = hasattr(result, "to_dict")  # a chart
                shown.append(str(result.to_dict()) if drawn else result._repr_html_())
    return " ".join(shown), known


def test_a_term_is_spelled_in_one_place():
    """The league's own words stand in [term] alone, in no other text and no notebook."""
    cells = [cell.source for path in notebooks().values() for cell in nbformat.read(path, 4).cells]
    others = [text for key, text in sentences("de").items() if key not in TERMS] + cells
    assert [text for text in others if any(word in text for word in TERMS.values())] == []


def test_a_term_changed_is_changed_everywhere(monkeypatch, tmp_path):
    """Under other words for all terms, page, workbook and terminal have none of the old ones."""
    from liga_analysis.cli.main import main
    from liga_analysis.report.workbook import tables, write_workbook

    changed = {"de": words._texts("de") | {"term": {key[5:]: "Quux" for key in TERMS}}}
    monkeypatch.setattr(words, "_texts", changed.get)
    page, known = page_of("season_report")
    write_workbook(tables(known["page"]), known["words"], tmp_path / "a.xlsx")
    sheets = pd.read_excel(tmp_path / "a.xlsx", sheet_name=None, engine="openpyxl")
    headings = [*sheets, *(str(name) for sheet in sheets.values() for name in sheet)]
    printed = CliRunner().invoke(main, ["standings", "data/beispielliga/2026"]).output
    for said in (page, " ".join(headings), printed):
        assert "Quux" in said
        assert [word for word in TERMS.values() if word in said] == []


DE, EN = Words(), Words("en")


def test_chips():
    """The language's thousands mark, a true minus, never "−0", and "–" if undefined."""
    for value, german, english in [
        (0, "0", "0"),
        (-0.3, "0", "0"),
        (950, "950", "950"),
        (1234.4, "1.234", "1,234"),
        (-1234567.8, "−1.234.568", "−1,234,568"),
        (np.nan, "–", "–"),
        (pd.NA, "–", "–"),
        (np.inf, "∞", "∞"),
        (-np.inf, "−∞", "−∞"),
    ]:
        assert (DE.chips(value), EN.chips(value)) == (german, english)


def test_chips_with_decimals():
    """Two places where asked for; with None only where there are any."""
    assert Words("de", 2).chips(1234.5) == "1.234,50"
    assert Words("de", 2).chips(-0.004) == "0,00"
    assert Words("de", None).chips(1234.5) == "1.234,50"
    assert Words("de", None).chips(1234.0) == "1.234"


def test_signed():
    """A gain has a plus sign, nothing has none."""
    shown = {150: "+150", -150: "−150", 0: "0", 0.2: "0", -0.2: "0", 1e4: "+10.000"}
    assert {value: DE.signed(value) for value in shown} == shown
    assert DE.signed(np.nan) == "–"


def test_number():
    """A parameter shows two significant places, and all of its whole ones."""
    shown = {6: "6", 5.69: "5,7", 0.123: "0,12", 43.9: "44", 2307.15: "2.307", 0: "0"}
    assert {value: DE.number(value) for value in shown} == shown
    assert [DE.number(value) for value in (np.inf, np.nan)] == ["∞", "–"]


def test_percent():
    """0 % and 100 % are said only where they are exact; from 1 to 99 % the number is."""
    for share, german, english in [
        (0, f"0{NBSP}%", "0%"),
        (1, f"100{NBSP}%", "100%"),
        (0.564, f"56{NBSP}%", "56%"),
        (0.01, f"1{NBSP}%", "1%"),
        (0.99, f"99{NBSP}%", "99%"),
        (0.00999, f"<{NBSP}1{NBSP}%", f"<{NBSP}1%"),
        (0.99001, f">{NBSP}99{NBSP}%", f">{NBSP}99%"),
        (np.nan, "–", "–"),
    ]:
        assert (DE.percent(share), EN.percent(share)) == (german, english)


def test_in_100():
    """Whole numbers from 1 to 99; beyond them in words, never certain."""
    assert [DE.in_100(share) for share in (0, 0.00999, 0.01, 0.564, 0.99, 0.99001, 1)] == [
        *["in weniger als 1 von 100"] * 2,
        *[f"in {n} von 100" for n in (1, 56, 99)],
        *["in mehr als 99 von 100"] * 2,
    ]


def test_chance():
    """What never or always came up in draws is rare or nearly sure."""
    assert [DE.chance(share) for share in (0, 0.5, 1)] == [
        f"<{NBSP}1{NBSP}%",
        f"50{NBSP}%",
        f">{NBSP}99{NBSP}%",
    ]
    assert DE.chance(np.nan) == "–"


def test_tenths():
    """Where the whole number would hide the side of a limit."""
    assert (DE.tenths(0.7482), EN.tenths(-0.7482)) == (f"74,8{NBSP}%", "−74.8%")


def test_date():
    """German day.month.year, English day month year, "–" where unknown."""
    day = pd.Timestamp("2026-09-02")
    assert DE.date(day) == "02.09.2026"
    assert EN.date(date(2026, 9, 2)) == "2 Sep 2026"
    assert EN.date(np.datetime64("2026-09-02T00:00:00")) == "2 Sep 2026"
    assert DE.date(pd.NaT) == "–"


def test_listing():
    """The last of several is joined by a word; what a name looks like changes nothing."""
    assert DE.listing(["Anna"]) == "Anna"
    assert EN.listing(["Anna", "Ben", "Cleo"]) == "Anna, Ben and Cleo"
    assert DE.listing(["{0}", "Ben", 3]) == "{0}, Ben und 3"
    assert Words("en").dates([date(2026, 5, 2), date(2026, 5, 9)]) == "2 May 2026 and 9 May 2026"


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
    assert user_language() == "de"


def test_unknown_sentence():
    """Asking for a text that is not there is an error, never an empty string."""
    with pytest.raises(KeyError, match="no_such"):
        Words().text("problem.no_such")
