"""What a name says: one person or two, a guest, a slip."""

from itertools import combinations

import pytest

from liga_analysis.season.names import (
    alike,
    alike_pairs,
    alphabetical,
    is_placeholder,
    meant,
    name_key,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jürgen", "Ju\u0308rgen\N{NO-BREAK SPACE}"),
        ("Groß", "GROSS"),
        ("Anna  Maria", " anna\N{NARROW NO-BREAK SPACE}maria"),
        ("Zoë", "\u200fZOË\u200b"),
        ("ΣΊΣΥΦΟΣ", "Σίσυφος"),
    ],
)
def test_same_key(one, other):
    """Spellings that differ in bytes, blanks, invisible marks or case are one player."""
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Müller", "Mueller"), ("Zoe", "Zoë"), ("Jan", "Jann"), ("A B", "AB")]
)
def test_other_key(one, other):
    """Nothing is merged by likeness."""
    assert name_key(one) != name_key(other)


def test_guests_by_name():
    """Such a word of its own, alone or before a number, name or brackets, is a guest."""
    guests = "Gast, gast 2,GAST3,Ga\u0308ste,guests 1,N.N.,n. n.,NN 2,unbekannt,Unbekannter,???, ? "
    guests += ",Gast Tom,Gast (Tom),Gast(Tom),Guest Tom,Gäste von Ben,Gast: Tom,N.N. (Bens Bruder)"
    guests += ",Tom (Gast),Gästin Eva"
    assert [name for name in guests.split(",") if not is_placeholder(name)] == []
    persons = ["Gastmann", "Gasto", "August", "Nino", "N", "2", "Gästebett", "Tom Gast", "Nna"]
    assert [name for name in [*persons, "Gast-Meier", "Gast, Tom"] if is_placeholder(name)] == []


def test_alphabetical():
    """Names in dictionary order, whatever their case."""
    names = ["Zoë", "Änne", "anton", "Özlem", "Oskar", "Zoe", "Anna"]
    in_order = ["Anna", "Änne", "anton", "Oskar", "Özlem", "Zoe", "Zoë"]
    assert sorted(names, key=alphabetical) == in_order


@pytest.mark.parametrize(
    ("name", "other"),
    [("Bne", "Ben"), ("Zoe", "Zoë"), ("Mueller", "Müller"), ("Jann", "Jan"), ("Katrin", "Kathrin")],
)
def test_slips(name, other):
    """Accents, a letter more or less, neighbours changed round: the other may be meant."""
    assert meant(name, ["Xaver", other, "Yvonne"]) == other


@pytest.mark.parametrize(
    ("name", "other"),
    [("Ben", "BEN"), ("P01", "P02"), ("Ben", "Ben 2"), ("Tim", "Tom"), ("Anna", "Hanno")],
)
def test_no_slips(name, other):
    """Not the same person's name, nor digits that tell apart, nor a letter in three."""
    assert meant(name, [other]) is None


def test_likeness_has_a_limit():
    """8 of 10 letters in common are alike, 12 of 16 are not; 2·(in common)/(all letters) counts."""
    assert alike("Maren", "Marek") == pytest.approx(0.8)
    assert alike("Marianne", "Marijana") == 0


def test_pairs():
    """What is ruled out by its letters is ruled out by the likeness, too."""
    names = "Ben Bne Benn Zoe Zoë P01 P02 Katrin Kathrin Marek Maren Jan Jana Anna Hanna 12 Xaver"
    names = names.split()
    by_hand = [pair for pair in combinations(names, 2) if alike(*pair)]
    assert alike_pairs(names) == by_hand
    assert ("Zoe", "Zoë") in by_hand


def test_names_may_be_as_long_as_they_like():
    """More than 32,767 times one letter is a name all the same."""
    names = ["x" * 40_000, "x" * 40_001, "Anna"]
    assert alike_pairs(names) == [("x" * 40_000, "x" * 40_001)]
