"""Numbers that carry their value, names set apart, and small pictures to scale."""

import re

import pytest
from markupsafe import Markup

from liga_analysis.pages.markup import MarkedWords, Scale, bars, figure, spark
from liga_analysis.words import Words


def test_a_sentence_reads_as_without_marks():
    """Marked and plain words say the same; what is no number and no name stays as it is."""
    values = {"rank": 3, "evening": 10, "chips": 4127.86, "player": "<b>A & B</b>"}
    values |= {"at": "am nächsten Abend", "then": ""}
    both = [
        f"{words.text('card.lacked', **values)} {words.text('card.passed', **values)}"
        for words in (MarkedWords(), Words())
    ]
    marked, plain = Markup(both[0]), both[1]
    assert marked.striptags() == plain.replace("  ", " ")
    assert '<data data-is="chips" value="4127.86">4.128</data>' in marked
    assert "<bdi>&lt;b&gt;A &amp; B&lt;/b&gt;</bdi>" in marked


def test_names_in_a_list_are_set_apart():
    """Each of them; what is marked already is not escaped again."""
    told = MarkedWords().text("story.joint", leaders=["A", "<B>"])
    assert told == "<bdi>A</bdi> und <bdi>&lt;B&gt;</bdi> führen gemeinsam."
    assert "<i>x</i>" in MarkedWords().text(
        "story.early", evenings=Markup("<i>x</i>"), leader="A", second=["B"]
    )


@pytest.mark.parametrize(
    ("value", "exact"), [(3, "3"), (3.0, "3"), (0.1, "0.1"), (-1 / 3, "-0.3333333333333333")]
)
def test_a_figure_keeps_every_digit(value, exact):
    """Whole numbers without ".0", others as they are."""
    assert f'value="{exact}"' in figure("x", value, "shown")


@pytest.mark.parametrize("value", [None, float("nan")])
def test_what_is_unknown_has_no_value(value):
    """Only the dash is shown."""
    assert figure("x", value, "–") == "–"


def test_bars_are_to_scale():
    """From the middle up or down, the largest nearly half the height, none for an absence."""
    drawn = bars([100, -50, None, 0], 100, 41)
    sizes = [float(re.search(r"v([\d.]+)", path)[1]) if path else None for path in drawn]
    assert sizes == [20, 10, None, 0.5]
    tops = [float(re.search(r" ([\d.]+)h", path)[1]) for path in drawn if path]
    assert tops == [0.5, 20.5, 20.25]


def test_a_sparkline_parts_gains_from_losses():
    """Each bar in one of the two paths."""
    paths = spark([5, None, -5, 0], 5, 20)
    assert (paths["up"].count("M"), paths["down"].count("M")) == (2, 1)


def test_a_scale_of_one_value_has_room():
    """Nobody divides by zero where all are equal."""
    assert Scale(0, 0)(0) == "50.00%"
    assert (Scale(0, 10)(0), Scale(0, 10)(10)) == ("4.00%", "96.00%")
