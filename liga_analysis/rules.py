"""The numbers of the league's rulebook, each written down once."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Chip:
    """One denomination of the chip set: colour (German), value in chips, count in one entry."""

    colour: str
    value: int
    count: int


# Rulebook, "Chipwerte und empfohlenes Startkapital": 32 chips worth 2,000.
CHIP_SET = (
    Chip("weiß", 10, 10),
    Chip("rot", 20, 10),
    Chip("blau", 50, 6),
    Chip("grün", 100, 4),
    Chip("gelb", 500, 2),
)

# What a season may set otherwise, with the smallest and largest sensible value.
OVERRIDABLE = {
    "entry_chips": (1, 10**9),
    "max_entries": (1, 1000),
    "smallest_chip": (1, 10**9),
    "attendance": (0, 100),
    "dropped": (0, 1000),
    "podium": (1, 1000),
}


@dataclass(frozen=True)
class LeagueRules:
    """The rulebook in numbers; the defaults are the league's own.

    Parameters
    ----------
    entry_chips : int
        Chips of one entry (Einstieg).
    max_entries : int
        Entries a player may make on one evening.
    smallest_chip : int
        Every stack is a multiple of this value, in chips.
    attendance : int
        Percent of the evenings held that a player needs to be ranked.
    dropped : int
        Worst evenings left out of the average (Abendschnitt).
    podium : int
        Steps of the podium.
    exit_notice : int
        Rounds by which an exit before the end of the evening is announced.
    small_blind, big_blind : int
        Blinds in chips; each is paid with a single chip.
    sigma : float
        Working value of σ, the spread of an evening's result, in chips.
    lam : float
        Working value of λ = σ²/τ², without unit.
    """

    entry_chips: int = 2000
    max_entries: int = 3
    smallest_chip: int = 10
    attendance: int = 40
    dropped: int = 2
    podium: int = 3
    exit_notice: int = 2
    small_blind: int = 10
    big_blind: int = 20
    sigma: float = 2400.0
    lam: float = 6.0

    def qualifies(self, attended, held):
        """Whether `attended` of `held` evenings suffice: 100·attended ≥ attendance·held.

        Whole numbers, so that 39.5 % never passes for 40 %. Works on arrays.
        """
        return 100 * attended >= self.attendance * held

    def evenings_missing(self, attended: int, held: int) -> int | None:
        """Fewest further evenings, attended all, that qualify; None where none ever do."""
        short = self.attendance * held - 100 * attended
        if short > 0 and self.attendance == 100:
            return None
        return max(-(-short // max(100 - self.attendance, 1)), 0)

    def evenings_needed(self, held: int) -> int:
        """Fewest evenings that qualify when `held` were held: ⌈attendance·held/100⌉."""
        return -(-self.attendance * held // 100)
