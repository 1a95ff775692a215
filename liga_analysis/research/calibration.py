"""Do intervals and chances mean what they say? A season's evenings played again, the truth known.

The same players sit at the same evenings; true ratings θ ~ N(0, τ²) and luck of variance σ² fall
anew, in five worlds: "model", normal luck; "data", the same, but with the σ and τ of the season's
posterior instead of those in force; "tails", Student's t; "uneven", normal luck of another spread
σ_s each evening; "played", the betting game of `simulation`, with entries and whole chips.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ..model.decision import LEAST_DF, season_estimate
from ..model.draws import chances
from ..model.graph import PlayGraph
from ..model.luck import kurtosis, spread_by_evening
from ..model.ranking import qualified, ranks, season_fit
from ..model.rating import Fit
from ..model.simulation import play_evening
from ..model.variance import estimate_variance
from ..rules import LeagueRules
from ..season.season import Season
from ..words import DataError, Problem

WORLDS = ("model", "data", "tails", "uneven", "played")
FREEDOM = 3  # of Student's t: the heaviest tails that have a variance
UNEVEN = 0.5  # standard deviation of log σ_s: nine in ten are within a factor of 2.3
Z90 = float(ndtri(0.95))  # a normal variable is within ± this in 90 %
PROMISED = 0.88, 0.92  # what 90 % intervals may cover
FEWEST = 20  # chances in a tenth that is told of
DRAWS = 2000  # for the chances of one season: a standard error of 0.011 at most


@dataclass(frozen=True)
class Calibration:
    """What became of intervals and chances when a season was played again, `seasons` times a world.

    `coverage`: `world`, `way` ("force": λ and σ in force; "average": over their posterior), `of`
    ("rating": θ_i − mean; "difference": θ_i − θ_j); `share` of the 90 % intervals that hold the
    truth, and its standard `error`. `chances`: `world`, `season`, and by player in der Wertung
    `p`, the chance of the podium, and `hit`, whether so. `signs` of each season played again, by
    `world` (but "data": they know no σ) and `season`; `own` of the season itself.
    """

    coverage: pd.DataFrame
    chances: pd.DataFrame
    signs: pd.DataFrame
    own: pd.Series
    seasons: int

    def off(self, way: str) -> list[str]:
        """Worlds whose coverage is clearly no 88 to 92 %: further by two standard errors."""
        rows = self.coverage[self.coverage["way"] == way]
        low, high = (rows["share"] + sign * rows["error"] for sign in (-2, 2))
        return list(rows.loc[(high < PROMISED[0]) | (low > PROMISED[1]), "world"].unique())

    @property
    def tenths(self) -> pd.DataFrame:
        """`by_tenth` of each `world`; without tenths that hold few chances, or only sure ones."""
        worlds = {w: by_tenth(self.chances[self.chances["world"] == w]) for w in WORLDS}
        table = pd.concat(worlds, names=["world"])
        return table[(table["chances"] >= FEWEST) & (table["error"] > 0)].reset_index()

    @property
    def sign_range(self) -> pd.DataFrame:
        """The 5 and 95 % points of both signs in each world: rows worlds, columns sign and p."""
        table = self.signs.groupby("world", sort=False).quantile([0.05, 0.95])
        return table.rename_axis(["world", "p"]).unstack()

    @property
    def alike(self) -> list[str]:
        """Worlds in which both signs of the season itself are nothing unusual."""
        low, high = (self.sign_range.xs(p, axis=1, level="p") for p in (0.05, 0.95))
        inside = ((low <= self.own) & (self.own <= high)).all(axis=1)
        return list(inside.index[inside])


def checkable(season: Season) -> Fit:
    """The ratings in force of a season long enough to ask whether the model holds.

    DataError if no evening counts, the results allow no estimate, or ν − r < 15.
    """
    df = season_estimate(season).df
    if df < LEAST_DF:
        values = {"df": df, "needed": LEAST_DF}
        raise DataError(Problem("error", "result", "too_few_to_check", values=values))
    return season_fit(season)


def calibrate(season: Season, seasons: int = 200, seed: int = 1) -> Calibration:
    """A season played again, `seasons` times in each world, and rated with the λ and σ in force.

    Each has a seed of its own, made of `seed`, world and number: more only add to those there.
    DataError as `checkable`; ValueError with fewer than two seasons, which have no standard error.
    """
    if seasons < 2:
        raise ValueError(f"{seasons=} are too few: at least 2")
    fit, ranked, known = checkable(season), qualified(season), season_estimate(season).posterior
    wanted = (known.quantile(name, 0.5) for name in ("sigma", "tau"))
    truths = dict.fromkeys(WORLDS, (fit.sigma, fit.tau)) | {"data": tuple(wanted)}
    coverage, tables, signed = [], {}, {}
    for k, (world, (sigma, tau)) in enumerate(truths.items()):
        covered = []
        for n, own_seed in enumerate(np.random.SeedSequence([seed, k]).spawn(seasons)):
            rng = np.random.default_rng(own_seed)
            theta = rng.normal(0.0, tau, fit.graph.n_players)
            graph = replay(fit.graph, world, theta, sigma, season.rules, rng)
            again = replace(fit, graph=graph)
            posterior = estimate_variance(graph, season.prior).posterior
            average = posterior.lam, posterior.R[0] / (posterior.nu - 2), posterior.weight
            force = np.array([[fit.lam], [fit.sigma**2], [1.0]])
            covered.append([judged(graph, theta, way)[1:] for way in (force, average)])
            truth = pd.Series(theta, graph.players)[ranked[graph.players]]
            hit = pd.Series(ranks(truth.to_numpy(), sigma) <= season.rules.podium, truth.index)
            p = chances(again, ranked, DRAWS, int(rng.integers(2**32)))
            tables[world, n] = pd.DataFrame({"p": p["p_podium"], "hit": hit[p.index]})
            if world != "data":
                signed[world, n] = signs(again)
        share, error = mean_and_error(np.array(covered))
        kinds = product([world], ("force", "average"), ("rating", "difference"))
        rows = zip(kinds, share.ravel(), error.ravel(), strict=True)
        coverage += [(*kind, *shares) for kind, *shares in rows]
    names = ["world", "season"]
    return Calibration(
        pd.DataFrame(coverage, columns=["world", "way", "of", "share", "error"]),
        pd.concat(tables, names=names).reset_index(names),
        pd.DataFrame(signed).T.rename_axis(names),
        signs(fit),
        seasons,
    )


def replay(
    graph: PlayGraph,
    world: str,
    theta: np.ndarray,
    sigma: float,
    rules: LeagueRules,
    rng: np.random.Generator,
) -> PlayGraph:
    """The same seats with new results: true ratings θ by player and σ in chips, luck of a world."""
    n, skill = len(graph.y), theta[graph.player]
    if world == "played":
        fields = np.split(skill, graph.field_size.cumsum()[:-1])
        played = np.hstack([play_evening(field, sigma, rules, rng) for field in fields])
        result = played[1] - rules.entry_chips * played[0]
    elif world == "tails":
        result = skill + sigma * np.sqrt(1 - 2 / FREEDOM) * rng.standard_t(FREEDOM, n)
    else:
        luck = rng.normal(0.0, sigma, n)
        if world == "uneven":  # E σ_s² = σ²
            log_spread = rng.normal(-(UNEVEN**2), UNEVEN, len(graph.evenings))
            luck *= np.exp(log_spread)[graph.evening]
        result = skill + luck
    y = result - (np.bincount(graph.evening, result) / graph.field_size)[graph.evening]
    return replace(graph, y=y, imbalance=np.zeros(len(graph.evenings)))


def signs(fit: Fit) -> pd.Series:
    """By what a season's own results tell the worlds apart; neither depends on σ.

    `kurtosis`, Σr⁴/n : (Σr²/n)² of the studentised residuals r, is about 3 where luck is normal;
    `uneven` is the standard deviation of the evenings' spreads over their mean.
    """
    spread = spread_by_evening(fit)["spread"]
    return pd.Series({"kurtosis": kurtosis(fit, 0).value, "uneven": spread.std() / spread.mean()})


def centred(graph: PlayGraph, lam, square, weight) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of θ_i − mean of i's group, over a mixture of λ (∞ included) and σ².

    The common level of a group is its null vector of G: without the d_k = 0 it is gone, and of
    u_i² remains u_i² − τ²/K. Covariance = mean of the covariances + covariance of the means.
    """
    d, V, z = graph.spectrum
    own = d > 0
    inverse = 1 / (d[own, None] + lam)
    theta = V[:, own] @ (z[own, None] * inverse)  # by player and λ
    mean = theta @ weight
    within = (V[:, own] * (inverse @ (square * weight))) @ V[:, own].T
    apart = theta - mean[:, None]
    return mean, within + (apart * weight) @ apart.T


def judged(graph: PlayGraph, theta: np.ndarray, mixture) -> tuple[float, float, float]:
    """How right ratings are: θ by player is the truth, `mixture` λ, σ² and weights as `centred`.

    Mean square error of θ_i − mean (chips²); share of its 90 % intervals that hold the truth; share
    of those of θ_i − θ_j, over all pairs. Means and pairs are of one connected group; nobody who
    never met anyone counts.
    """
    group, size = graph.group, np.bincount(graph.group)
    truth, met = theta - (np.bincount(group, theta) / size)[group], size[group] > 1
    i, j = np.triu_indices(len(truth), 1)
    i, j = (pair[group[i] == group[j]] for pair in (i, j))
    mean, cov = centred(graph, *mixture)
    error, variance = mean - truth, np.diag(cov)
    between = (variance[i] + variance[j] - 2 * cov[i, j]).clip(0)
    holds = np.abs(error) <= Z90 * np.sqrt(variance)
    pair_holds = np.abs(error[i] - error[j]) <= Z90 * np.sqrt(between)
    return (error[met] ** 2).mean(), holds[met].mean(), pair_holds.mean()


def mean_and_error(by_season: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the seasons (first axis) and its standard error.

    Players of one season depend on each other; seasons do not, so only they are counted.
    """
    return by_season.mean(0), by_season.std(0, ddof=1) / np.sqrt(len(by_season))


def by_tenth(chance: pd.DataFrame) -> pd.DataFrame:
    """Predicted chances against what was so, by tenth of predicted chance.

    From columns `season`, `p`, `hit`: `chances` (how many), `predicted` (their mean), `share` (of
    hits), `error` (standard error of share − predicted) and `z`, the two's difference in it.
    """
    rows = chance.assign(tenth=(10 * chance["p"]).astype(int).clip(upper=9))
    rows["excess"] = rows["hit"] - rows["p"]
    grouped = rows.groupby("tenth")
    table = grouped.agg(chances=("p", "size"), predicted=("p", "mean"), share=("hit", "mean"))
    # If the chances are right, a season's sum of hit − p has mean 0; its square is its variance.
    season_sum = rows.groupby(["tenth", "season"])["excess"].sum()
    table["error"] = np.sqrt((season_sum**2).groupby("tenth").sum()) / table["chances"]
    table["z"] = (table["share"] - table["predicted"]) / table["error"]
    return table
