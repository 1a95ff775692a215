"""The league's rating beside other systems: every evening predicted from all before it.

Evenings are the unit of a season and seasons that of a simulated world: within either, results
depend on each other. Differences are paired by unit, their intervals Student's t.
"""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..model.graph import PlayGraph, play_graph
from ..model.simulation import simulate_results, simulate_season
from ..season.season import Season
from ..words import DataError, Problem
from .systems import IN_CHIPS, RAW, SYSTEMS, installed, noise, predicted, slopes, spread

REFERENCE = "league"
LEAST = 4  # evenings with a past, below which no interval is worth its name
MEASURES = ("error", "log_score", "rank")  # of an evening
TRUTH = ("truth_error", "truth_r")  # of a simulated season
CHIPS = ("error", "truth_error")  # kept as mean squares, told as their root; less is better
WORLDS = ("random", "circles", "played")
COLUMNS = ["measure", "system", "units", "value", "difference", "low", "high"]
PLAYERS, EVENINGS, SIGMA, TAU, LAM = 14, 12, 2400.0, 1000.0, 6.0


def evenings_in_turn(results: pd.DataFrame) -> PlayGraph:
    """The play graph of a results table, its evenings numbered as they come in the table.

    Evenings of a lone player tell nothing and are left out.
    """
    met = results[results.groupby("evening")["player"].transform("size") > 1]
    return play_graph(met.assign(evening=pd.factorize(met["evening"])[0]))


def comparable(season: Season) -> PlayGraph:
    """The play graph of a season that can be compared.

    DataError if fewer than four evenings have a past in which chips were won.
    """
    met = season.results.groupby("evening")["player"].transform("size") > 1
    graph = evenings_in_turn(season.results) if met.any() else None
    if graph is None or (spread(graph)[:-1] > 0).sum() < LEAST:
        values = {"least": LEAST + 1}
        raise DataError(Problem("error", "setting", "too_few_to_compare", values=values))
    return graph


def season_scores(season: Season, lam: float | None = None, names=None) -> pd.DataFrame:
    """`evening_scores` of a season, at the λ in force if not given; raises as `comparable`.

    `names` are all systems whose package is installed by default.
    """
    lam = season.parameters.lam if lam is None else lam
    return evening_scores(comparable(season), lam, names or installed())


def evening_scores(graph: PlayGraph, lam: float, names=tuple(SYSTEMS)) -> pd.DataFrame:
    """How well each system predicts each evening that has a past.

    `system`, `evening` (its place in turn, from 1), `error`: Σ(y − ŷ)²/n_s in chips²; `log_score`:
    the mean log density of a result under N(ŷ, v), v = [M(σ²I + b²C)M]_ii with σ² so far (see
    `systems.noise`), the system's own covariance C and slope b, missing where it has none; `rank`:
    Spearman's correlation of ŷ with the order of finish, 0 where a system or an evening has no
    order.
    """
    return pd.concat([_run(graph, lam, n)[0].assign(system=n) for n in names], ignore_index=True)


def _run(graph: PlayGraph, lam: float, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Scores of the evenings, and the ratings after all, in chips."""
    score, cov = SYSTEMS[name](graph, lam)
    sigma2 = noise(graph, lam)
    slope = np.ones(len(score)) if name in IN_CHIPS else slopes(graph, score, lam)
    mean = predicted(graph, score, slope)
    rows = []
    for s, (here, _) in enumerate(graph.by_evening()):
        if not sigma2[s]:
            continue
        field, y, expected = graph.player[here], graph.y[here], mean[here]
        log_score = np.nan
        if cov is not None:
            M = np.eye(len(y)) - 1 / len(y)
            own = slope[s] ** 2 * cov[s][np.ix_(field, field)]
            v = np.diag(M @ (sigma2[s] * np.eye(len(y)) + own) @ M)
            log_score = -0.5 * np.mean(np.log(2 * np.pi * v) + (y - expected) ** 2 / v)
        rows.append((s + 1, np.mean((y - expected) ** 2), log_score, correlation(expected, y)))
    return pd.DataFrame(rows, columns=["evening", *MEASURES]), slope[-1] * score[-1]


def correlation(expected: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation, 0 where either is constant to rounding."""
    # Σ_j sign(x_i − x_j) is twice a mid-rank less its mean.
    a, b = (np.sign(x[:, None] - x).sum(1) for x in (np.round(expected, 6), np.round(y, 6)))
    return float(a @ b / max(np.sqrt((a @ a) * (b @ b)), 1.0))


def world(kind: str, seed) -> tuple[pd.DataFrame, pd.Series]:
    """A simulated season of a world, and the true ratings by player; σ = 2400, τ = 1000 chips.

    "random": any 6 to 10 of 14 players sit down. "circles": the stronger seven and the weaker seven
    play in turn; one of either, always the same two, are at every table with four or five others of
    the circle. "played": by the rules, in whole chips, some players far keener than others, with
    guests (see `simulation.simulate_season`).
    """
    rng = np.random.default_rng(seed)
    if kind == "random":
        return simulate_results(PLAYERS, EVENINGS, rng, SIGMA, TAU)
    if kind == "circles":
        half = PLAYERS // 2
        theta = np.sort(rng.normal(0.0, TAU, PLAYERS))[::-1]
        joint = rng.integers(half, size=2) + [0, half]
        tables = []
        for s in range(EVENINGS):
            others = np.setdiff1d(np.arange(half) + half * (s % 2), joint)
            field = np.r_[joint, rng.choice(others, rng.integers(4, 6), replace=False)]
            y = theta[field] + rng.normal(0.0, SIGMA, len(field))
            tables.append(pd.DataFrame({"evening": s + 1, "player": field, "result": y - y.mean()}))
        return pd.concat(tables), pd.Series(theta)
    _, results, theta = simulate_season(PLAYERS, EVENINGS, rng, SIGMA, TAU)
    guest = "Gast " + results["evening"].astype(str)  # a new one every evening
    return results.assign(player=results["player"].where(results["player"] != "Gast", guest)), theta


def simulated(kind: str, seed, names=None, lam: float = LAM) -> pd.DataFrame:
    """One simulated season: by system the means of MEASURES over its evenings, and TRUTH.

    `truth_error` is the mean square of b x_i − θ_i, both less their mean, over all who played and
    have a true rating, in chips²; `truth_r` the correlation of the two, 0 for a constant.
    """
    results, theta = world(kind, seed)
    graph, rows = evenings_in_turn(results), []
    known = graph.players.isin(theta.index)
    truth = theta[graph.players[known]].to_numpy()
    for name in names or installed():
        scores, rating = _run(graph, lam, name)
        apart, true = (x - x.mean() for x in (rating[known], truth))
        r = apart @ true / max(np.sqrt((apart @ apart) * (true @ true)), 1e-9)
        rows.append((name, *scores[list(MEASURES)].mean(), np.mean((apart - true) ** 2), r))
    return pd.DataFrame(rows, columns=["system", *MEASURES, *TRUTH])


def simulated_worlds(seasons: int, seed: int = 1) -> pd.DataFrame:
    """`differences` over simulated seasons, by `world`.

    ValueError with fewer than two seasons, which have no interval.
    """
    if seasons < 2:
        raise ValueError(f"{seasons=} are too few: at least 2")
    tables = []
    for number, kind in enumerate(WORLDS):
        seeds = np.random.SeedSequence([seed, number]).spawn(seasons)
        made = [simulated(kind, one).assign(season=k) for k, one in enumerate(seeds)]
        tables.append(differences(pd.concat(made), "season").assign(world=kind))
    return pd.concat(tables, ignore_index=True)


def differences(scores: pd.DataFrame, unit: str, level: float = 0.95) -> pd.DataFrame:
    """Each system's measures, and how far they are from the league's, with intervals.

    From `system`, the `unit` ("evening" or "season") and measures, as above: `measure`, `system`,
    `units` (how many have both), `value`, `difference` to the league's rating, `low`, `high`.
    Errors are roots of the mean square e, in chips; with e − e' = (e² − e'²)/(e + e') the interval
    is that of the mean difference of squares over e + e'.
    """
    rows = []
    for measure in scores.columns.drop(["system", unit]):
        table = scores.pivot(index=unit, columns="system", values=measure)
        for name in pd.unique(scores["system"]):
            both = table[[REFERENCE, name]].to_numpy()
            both = both[np.isfinite(both).all(1)]
            if len(both) < 2:
                continue
            (ours, value), gap, scale = both.mean(0), both[:, 1] - both[:, 0], 1.0
            if measure in CHIPS:
                ours, value = ours**0.5, value**0.5
                scale = ours + value
            half = stdtrit(len(gap) - 1, (1 + level) / 2) * gap.std(ddof=1) / len(gap) ** 0.5
            ends = (gap.mean() + np.array([0, -half, half])) / scale
            rows.append((measure, name, len(gap), value, *ends))
    return pd.DataFrame(rows, columns=COLUMNS)


def verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """`differences`, with `side`: "better" or "worse" beyond the interval, else "open".

    Orders and correlations have no scale: without those predictions that differ in it alone.
    """
    scaleless = table["measure"].isin(["rank", "truth_r"]) & table["system"].isin(RAW)
    rows = table[~scaleless & (table["system"] != REFERENCE)]
    sign = np.where(rows["measure"].isin(CHIPS), -1, 1)
    ends = sign[:, None] * rows[["low", "high"]].to_numpy()
    sides = [ends.min(1) > 0, ends.max(1) < 0]
    return rows.assign(side=np.select(sides, ["better", "worse"], "open"))
