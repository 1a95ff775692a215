"""What is to be done about λ and σ: the written rule, and who answers it for a season.

With earlier seasons the linked posterior decides about λ; σ is always the season's own.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.season import Season
from ..words import DataError, Problem
from .chain import Linked
from .league import NOTABLE_FACTOR, League, league_linked, league_of
from .likelihood import CannotEstimate
from .posterior import Posterior
from .ranking import checked, season_fit
from .variance import LEAST_EVENINGS, Estimate, estimate_variance

LEAST_DF = 15  # comparisons beyond the ratings, below which nothing is advised
ODDS = 0.75  # three to one, on either side of the λ in force
LEARNED = 0.9  # of the prior's standard deviation of log λ; above it nothing was learned
LEVEL = 0.9  # of the intervals the σ in force is held against


class Recommendation(NamedTuple):
    """What to do (`action`: "keep", "move", "wait") and what would then be in force.

    `reasons` are pairs of a key and what its text needs, the one about λ first. wait:
    too_few_evenings (evenings, needed), too_few_df (df, needed), nothing_learned (sd, prior_sd of
    log λ). move: lam_above, lam_below (p: probability of that side of the λ in force). keep:
    in_keeping (p: P(λ > λ in force)). And, where σ moves, sigma_outside (`outside`'s values).
    `by` is "season", or "league" where linked seasons decide about λ.
    """

    action: str
    sigma: float
    tau: float
    lam: float
    reasons: tuple[tuple[str, dict], ...]
    by: str = "season"


def recommendation(
    estimate: Estimate | None, lam: float, sigma: float, league: Linked | None = None
) -> Recommendation:
    """What the rule says about the λ and σ (chips) in force; it adopts nothing.

    λ goes to its posterior median at odds of 3 to 1 against it; σ to its own, unless the answer is
    to wait, when the σ in force lies outside both its 90 % posterior interval and its jackknife
    interval. `estimate` is the season's own, if it allows one; `league` the seasons linked, which
    then decide about λ.
    """
    answer = league or estimate
    action, reason, values = _about_lam(answer, lam)
    reasons = [(reason, values)]
    if reason in ("lam_above", "lam_below"):
        lam = answer.posterior.quantile("lam", 0.5)
    misfit = None if action == "wait" or estimate is None else outside(estimate, sigma)
    if misfit:
        action, sigma = "move", misfit["median"]
        reasons.append(("sigma_outside", misfit))
    by = "league" if league else "season"
    return Recommendation(action, sigma, sigma / lam**0.5, lam, tuple(reasons), by)


def _about_lam(answer: Estimate | Linked, lam: float) -> tuple[str, str, dict]:
    if answer.n_evenings < LEAST_EVENINGS:
        needed = {"evenings": answer.n_evenings, "needed": LEAST_EVENINGS}
        return "wait", "too_few_evenings", needed
    if answer.df < LEAST_DF:
        return "wait", "too_few_df", {"df": answer.df, "needed": LEAST_DF}
    above, sd = answer.posterior.p_lam_above(lam), answer.posterior.sd_log_lam
    if above >= ODDS:
        return "move", "lam_above", {"p": above}
    if above <= 1 - ODDS:
        return "move", "lam_below", {"p": 1 - above}
    if sd > LEARNED * answer.prior.sd:
        return "wait", "nothing_learned", {"sd": sd, "prior_sd": answer.prior.sd}
    return "keep", "in_keeping", {"p": above}


def outside(estimate: Estimate, sigma: float, quick: bool = False) -> dict | None:
    """The σ to use where `sigma` is outside both its 90 % intervals; None elsewhere.

    `sigma`, `median` (of the posterior), `low` and `high` (posterior), `robust_low` and
    `robust_high` (jackknife); chips. None also where fewer than five evenings can be left out.
    `quick` spares the jackknife above 3,000 players, where the posterior then decides alone.
    """
    low, median, high = (
        estimate.posterior.quantile("sigma", p) for p in ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
    )
    misfit = {"sigma": sigma, "median": median, "low": low, "high": high}
    if low <= sigma <= high:
        return None
    if quick and estimate.method != "spectrum":
        return misfit
    robust = estimate.sigma_robust(LEVEL)
    if robust is None or robust[0] <= sigma <= robust[1]:
        return None
    return misfit | {"robust_low": robust[0], "robust_high": robust[1]}


def season_estimate(season: Season) -> Estimate:
    """σ, τ and λ of a season under its prior; DataError where nothing allows an estimate."""
    graph = season_fit(season).graph
    try:
        return estimate_variance(graph, season.prior)
    except CannotEstimate as refusal:
        values = refusal.values
        raise DataError(Problem("error", "result", refusal.key, values=values)) from None


@dataclass(frozen=True, repr=False)
class Decision:
    """A season's own estimate and that of its league, and what they advise.

    Attributes
    ----------
    season : Season
    estimate : Estimate or None
    refusal : DataError or None
        Why there is no estimate.
    linked : Linked or None
        The season linked with the league's earlier ones; None where nothing can be linked, or the
        season's own answer was asked for.
    league : League
        The earlier seasons, and those left out with the reason.
    """

    season: Season
    estimate: Estimate | None
    refusal: DataError | None
    linked: Linked | None
    league: League

    def __repr__(self) -> str:
        return f"Decision({self.season!r}, {self.recommendation!r})"

    @cached_property
    def recommendation(self) -> Recommendation:
        """The one that counts: by the linked seasons where there are any."""
        force = self.season.parameters
        return recommendation(self.estimate, force.lam, force.sigma, self.linked)

    @cached_property
    def own(self) -> Recommendation | None:
        """The season's own; None where it allows no estimate."""
        force = self.season.parameters
        return self.estimate and recommendation(self.estimate, force.lam, force.sigma)

    @property
    def own_differs(self) -> bool:
        """Whether the season by itself would advise another kind of step."""
        return self.own is not None and self.own.action != self.recommendation.action

    @property
    def posterior(self) -> Posterior:
        """Of λ, the one that counts."""
        return (self.linked or self.estimate).posterior

    @property
    def prior_table(self) -> pd.DataFrame:
        """Medians under other priors: λ of the posterior that counts, σ the season's own (or NaN).

        See `Posterior.prior_table`.
        """
        own = self.estimate.posterior.prior_table["sigma_median"] if self.estimate else np.nan
        return self.posterior.prior_table.assign(sigma_median=own)

    @property
    def hints(self) -> list[Problem]:
        """Hints: why the season has no estimate, which seasons are left out or scaled by 1.25."""
        linked = self.linked
        scale = zip(linked.seasons, linked.factors, strict=True) if linked else ()
        refusals = self.refusal.problems if self.refusal else []
        young = [replace(problem, severity="hint") for problem in refusals]
        return [*young, *self.league.left_out] + [
            Problem("hint", "setting", "league_scaled", file=name, values={"factor": factor})
            for name, factor in scale
            if not 1 / NOTABLE_FACTOR <= factor <= NOTABLE_FACTOR
        ]


def season_decision(season: Season, season_only: bool = False) -> Decision:
    """What a season and its league say about λ and σ.

    Parameters
    ----------
    season : Season
    season_only : bool
        Leave the league's earlier seasons out.

    Returns
    -------
    Decision

    Raises
    ------
    DataError
        If neither the season nor its league allows an estimate; why the season does not.
    TypeError
        If it is no Season.

    Examples
    --------
    >>> decision = liga.season_decision(liga.load_season("data/beispielliga/2026"))
    >>> decision.recommendation.action
    'keep'
    >>> decision.posterior
    Posterior(lam=5.17, 90 % within 2.26 and 14)
    """
    league = League((), ()) if season_only else league_of(checked(season))
    estimate = refusal = None
    try:
        estimate = season_estimate(season)
    except DataError as error:
        refusal = error
    linked = league_linked(season, league)
    if estimate is None and linked is None:
        raise refusal
    return Decision(season, estimate, refusal, linked, league)
