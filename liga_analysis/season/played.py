"""A season: its evenings, results, players and licences, and what there is to say of them."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..rules import LeagueRules
from ..words import DataError, Problem, Words
from .settings import Parameters, Prior, Settings


@dataclass(frozen=True)
class Season:
    """A season as loaded: only what counts, and every doubt about it.

    Attributes
    ----------
    path : Path or None
        None of a season that lies nowhere.
    settings : Settings
    evenings : DataFrame
        `evening`, `date`, `start`, `host`, `place`, `note` in order (date, evening), those only
        announced among them.
    results : DataFrame
        `evening`, `date`, `host`, `player`, `entries`, `chips_out`, `result`, `note`, one row per
        player and evening, sorted by (date, evening, player); chips. No row of a left-out evening.
    licences : DataFrame
        `licence`, `player`, `issued`, `aliases`, newly issued ones included.
    corrections : DataFrame
        `when`, `evening`, `what`, `why`, as they were made.
    guests : frozenset of str
        Placeholders among the players, a different person each.
    left_out : tuple of int
        Evenings with an error, in order.
    problems : tuple of Problem
    """

    path: Path | None
    settings: Settings
    evenings: pd.DataFrame
    results: pd.DataFrame
    licences: pd.DataFrame
    corrections: pd.DataFrame
    guests: frozenset[str]
    left_out: tuple[int, ...]
    problems: tuple[Problem, ...]

    def __repr__(self) -> str:
        players, held = self.results["player"].nunique(), f"{len(self.held)} evenings"
        held += f" ({len(self.left_out)} left out)" if self.left_out else ""
        return f"<Season {self.name!r}: {held}, {players} players>"

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def file(self) -> str:
        """What the season is called in messages."""
        return self.path.name if self.path else self.name

    @property
    def language(self) -> str:
        return self.settings.language

    @property
    def rules(self) -> LeagueRules:
        return self.settings.rules

    @property
    def prior(self) -> Prior:
        return self.settings.prior

    @property
    def held(self) -> list[int]:
        """Evenings held, those left out not counted, in order."""
        return self.results["evening"].drop_duplicates().tolist()

    @property
    def announced(self) -> pd.DataFrame:
        """Evenings still to come: without results, after the last one held."""
        order = self.evenings["evening"].tolist()
        ahead = self.evenings.iloc[order.index(self.held[-1]) + 1 if self.held else 0 :]
        return ahead[~ahead["evening"].isin(self.left_out)]

    @cached_property
    def words(self) -> Words:
        """The season's language, and decimals in amounts only where results have some."""
        return Words(self.language, 2 if (self.results["result"] % 1).any() else 0)

    @property
    def parameters(self) -> Parameters:
        """The set in force at the last evening held: the latest begun by then, of two the last."""
        numbers = self.evenings["evening"].tolist()
        last = numbers.index(self.held[-1]) if self.held else -1
        starts = [_start(p.from_evening, numbers) for p in self.settings.parameters]
        begun = [k for k, start in enumerate(starts) if start <= last]
        if not begun:
            return Parameters()
        return self.settings.parameters[max(begun, key=lambda k: (starts[k], k))]

    @property
    def unbalanced(self) -> dict[int, float]:
        """Evenings that do not sum to zero and by how many chips, in order."""
        sums = {p.evening: p.values["sum"] for p in self.problems if p.code == "sum"}
        return {evening: sums[evening] for evening in self.held if evening in sums}

    def through(self, evening: int) -> "Season":
        """The season as it stood after an evening held.

        Raises
        ------
        DataError
            If that evening was not held.
        """
        if evening not in self.held:
            raise DataError(not_held(evening, self.held, self.file))
        order = self.evenings["evening"].tolist()
        known = set(order[: order.index(evening) + 1])
        results = self.results[self.results["evening"].isin(known)]
        return replace(
            self,
            results=results,
            corrections=self.corrections[self.corrections["evening"].isin(known)],
            guests=self.guests & set(results["player"].unique()),
            left_out=tuple(e for e in self.left_out if e in known),
            problems=tuple(p for p in self.problems if p.evening is None or p.evening in known),
        )

    def with_prior(self, lam: float | None = None, spread: float | None = None) -> "Season":
        """The season under another prior of λ; what is not given stays the season's.

        Of linked seasons the prior is that of the first: what another says changes nothing there.
        """
        prior = replace(self.prior, lam=lam or self.prior.lam, spread=spread or self.prior.spread)
        return replace(self, settings=replace(self.settings, prior=prior))


def not_held(evening: int, held: Collection[int], file: str | None = None) -> Problem:
    """An evening is asked for that was not held, or not without an error."""
    facts = {"number": evening, "held": sorted(held)}
    key = "not_held" if held else "none_held"
    return Problem("error", "order", key, file=file, values=facts)


def _start(from_evening: int, numbers: list[int]) -> float:
    """At which position of the evenings a parameter set begins; beyond the last at none.

    A number that is no evening's stands for the next one.
    """
    following = [number for number in numbers if number >= from_evening]
    if from_evening == 0:
        return -1
    return numbers.index(min(following)) if following else float("inf")
