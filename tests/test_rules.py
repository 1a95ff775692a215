"""The numbers of the rulebook, against its own wording."""

from fractions import Fraction

import pytest

from liga_analysis.rules import CHIP_SET, LeagueRules

RULES = LeagueRules()


def test_entry_is_the_chip_set():
    """An entry is 32 chips worth 2,000, by colour as the rulebook's table has them."""
    assert [(c.colour, c.value, c.count, c.value * c.count) for c in CHIP_SET] == [
        ("weiß", 10, 10, 100),
        ("rot", 20, 10, 200),
        ("blau", 50, 6, 300),
        ("grün", 100, 4, 400),
        ("gelb", 500, 2, 1000),
    ]
    assert sum(c.count for c in CHIP_SET) == 32
    assert sum(c.value * c.count for c in CHIP_SET) == RULES.entry_chips == 2000


def test_blinds_are_single_chips():
    """Each blind is paid with one chip, and the small one is the smallest chip."""
    assert {RULES.small_blind, RULES.big_blind} <= {c.value for c in CHIP_SET}
    assert RULES.small_blind == RULES.smallest_chip == min(c.value for c in CHIP_SET)
    assert RULES.big_blind == 2 * RULES.small_blind
    assert RULES.entry_chips == 100 * RULES.big_blind


def test_other_numbers():
    """Three entries, 40 %, two dropped, a podium of three, notice of two rounds, σ and λ."""
    assert (RULES.max_entries, RULES.attendance, RULES.dropped) == (3, 40, 2)
    assert (RULES.podium, RULES.exit_notice, RULES.sigma, RULES.lam) == (3, 2, 2400, 6)


def test_qualification_in_whole_numbers():
    """Up to 200 evenings, qualified means attended/held ≥ 40/100 as fractions."""
    for held in range(1, 201):
        for attended in range(1, held + 1):
            right = Fraction(attended, held) >= Fraction(40, 100)
            assert RULES.qualifies(attended, held) == right


@pytest.mark.parametrize(
    ("attended", "held", "in_it"), [(17, 43, False), (2, 5, True), (2, 6, False)]
)
def test_qualification_is_not_by_the_printed_percentage(attended, held, in_it):
    """17 of 43 are printed as 40 % and do not qualify; 2 of 5 do, 2 of 6 do not."""
    assert RULES.qualifies(attended, held) == in_it


def test_evenings_needed():
    """One evening fewer than needed never qualifies, the number needed always does."""
    for held in range(1, 201):
        needed = RULES.evenings_needed(held)
        assert RULES.qualifies(needed, held)
        assert not RULES.qualifies(needed - 1, held)


def test_qualification_follows_the_season():
    """A season may ask for another share; with 0 % everybody is ranked."""
    assert LeagueRules(attendance=50).qualifies(1, 2)
    assert not LeagueRules(attendance=51).qualifies(1, 2)
    assert LeagueRules(attendance=0).qualifies(1, 100)
