"""What are the seasons before worth? Simulated leagues, and real groups walked forward.

Prints the tables of the section "Leagues" of README.md, as Markdown:

    python benchmarks/leagues.py --leagues 1000 --jobs 2 [GROUP.csv …]

A group's table has evening, player and result; it is cut into seasons of twelve evenings.
"""

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from study import FIELDS, KEPT, LAM, PLAYERS, SIGMA, markdown, replicate

from liga_analysis.model import chain
from liga_analysis.model.chain import link
from liga_analysis.model.graph import PlayGraph, play_graph
from liga_analysis.model.likelihood import CannotEstimate
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import LEAST_EVENINGS, estimate_variance
from liga_analysis.research.calibration import mean_and_error
from liga_analysis.season.settings import Prior

STAY = 0.8  # of the players of a season are in the next
RHOS, EVENINGS, TAUS = (0.0, 0.5, 0.8), (6, 12), (600.0, 1000.0)
WAYS = ("alone", "linked", "oracle")
PRICED = ("oracle", "linked", "λ known", "ρ known", "finer ρ", "likeliest λ and ρ", "own scale")


def simulated(rho: float, evenings: int, tau: float, earlier: int, rng: np.random.Generator):
    """The graphs of a league's seasons, so many before the last one, and θ of its players."""
    names, theta, graphs = np.arange(PLAYERS), rng.normal(0, tau, PLAYERS), []
    for t in range(earlier + 1):
        if t:
            stays = rng.random(PLAYERS) < STAY
            names = np.where(stays, names, names + PLAYERS)
            fresh = rng.normal(0, tau, PLAYERS)
            theta = np.where(stays, rho * theta + np.sqrt(1 - rho**2) * fresh, fresh)
        n, rows = evenings if t == earlier else 12, []
        for evening in range(n):
            field = rng.choice(PLAYERS, rng.integers(FIELDS[0], FIELDS[1] + 1), replace=False)
            y = theta[field] + rng.normal(0, SIGMA, len(field))
            rows.append(pd.DataFrame({"evening": evening, "player": names[field], "result": y}))
        graphs.append(play_graph(pd.concat(rows)))
    return graphs, pd.Series(theta, names)[graphs[-1].players].to_numpy()


def league(
    rho: float, evenings: int, tau: float, earlier: int, seed: np.random.SeedSequence
) -> np.ndarray:
    """Errors in the last season of one league, shape (3 ways, 3 measures), with so many before it.

    *alone* is the rating at λ = 6, *linked* what the seasons linked say, *oracle* the same with the
    true λ and ρ. Judged is θ̂ − θ, both less their mean: mean square, Spearman's correlation, and
    whether the first of the table is the strongest.
    """
    graphs, truth = simulated(rho, evenings, tau, earlier, np.random.default_rng(seed))
    found = (
        fit_ratings(graphs[-1], LAM).theta,
        link(graphs).theta,
        link(graphs, lam=SIGMA**2 / tau**2, rho=rho).theta,
    )
    return np.array([_judged(one.to_numpy(), truth) for one in found])


def _judged(found, truth):
    error = found - found.mean() - truth + truth.mean()
    rank = np.corrcoef(rankdata(found), rankdata(truth))[0, 1]
    return (error**2).mean(), rank, found.argmax() == truth.argmax()


def league_table(cells: dict[tuple, np.ndarray]) -> str:
    """Root mean square errors in chips, and of the other measures the means; ± standard error."""
    rows = []
    for cell, outcome in cells.items():
        mean, error = mean_and_error(outcome)
        root = np.sqrt(mean[:, 0])
        square, squares = outcome[:, :, 0], error[:, 0] / (2 * root)
        pairs = [behind(square[:, 1], square[:, k]) for k in (0, 2)]
        rows.append(
            (*cell[:2], f"{cell[2]:.0f}")
            + tuple(f"{r:.0f} ± {e:.0f}" for r, e in zip(root, squares, strict=True))
            + tuple(pairs)
            + tuple(f"{value:.3f}" for value in mean[:, 1])
            + tuple(f"{100 * value:.0f} %" for value in mean[:, 2])
        )
    head = ["ρ", "evenings", "τ", *WAYS, "linked − alone", "linked − oracle"]
    head += [f"r {way}" for way in WAYS] + [f"first {way}" for way in WAYS]
    return markdown(head, rows)


def behind(squares: np.ndarray, others: np.ndarray) -> str:
    """By how much an error is larger than others, paired, in percent; ± standard error."""
    mean, error = mean_and_error(50 * (squares - others) / others.mean())
    return f"{mean:+.1f} ± {error:.1f} %"


def priced(
    evenings: int, tau: float | None, earlier: int, seed: np.random.SeedSequence
) -> list[float]:
    """Mean square errors in one league by each of PRICED, at ρ = 0.8; without τ drawn as believed.

    That is λ and ρ from their prior, under which no ratings can on average beat *linked*.
    """
    rng, rho = np.random.default_rng(seed), RHOS[-1]
    if tau is None:
        tau, rho = SIGMA / np.sqrt(Prior().draw(rng)), rng.choice(chain.RHOS)
    graphs, truth = simulated(rho, evenings, tau, earlier, rng)
    lam, linked, scale = SIGMA**2 / tau**2, link(graphs), [_sigma(graph) for graph in graphs]
    k, i = np.unravel_index(linked.posterior.joint.argmax(), linked.posterior.joint.shape)
    finer = tuple(link(graphs, rho=r).chains[0] for r in np.arange(96) / 100)
    found = (
        link(graphs, lam=lam, rho=rho),
        linked,
        link(graphs, lam=lam),
        link(graphs, rho=rho),
        replace(linked, chains=finer),
        link(graphs, lam=linked.posterior.lam[i], rho=chain.RHOS[k]),
        link(graphs, [scale[-1] / one for one in scale]),
    )
    return [_judged(one.theta.to_numpy(), truth)[0] for one in found]


def price_table(cells: dict[tuple, np.ndarray]) -> str:
    """What it costs not to know λ and ρ, and what it would cost to use them in another way."""
    rows = []
    for (evenings, tau), squares in cells.items():
        oracle, linked, *others = np.transpose(squares)
        against = (oracle, oracle, oracle, linked, linked, linked)
        costs = map(behind, (linked, *others), against)
        rows.append((evenings, "as believed" if tau is None else f"{tau:.0f}", *costs))
    head = (f"{way} − {'oracle' if k < 3 else 'linked'}" for k, way in enumerate(PRICED[1:]))
    return markdown(("evenings", "τ", *head), rows)


def walked(results: pd.DataFrame, size: int = 12) -> pd.DataFrame:
    """Each evening of the second and later seasons predicted from all before it.

    Returns
    -------
    DataFrame
        By evening: `n` (free results), the squared error and the rank correlation of *zero*
        (everybody 0), *alone* (λ = 6, this season) and *linked*.
    """
    evenings = np.sort(results["evening"].unique())
    seasons = [evenings[k : k + size] for k in range(0, len(evenings), size)]
    whole = [play_graph(results[results["evening"].isin(some)]) for some in seasons]
    scale, rows = [_sigma(graph) for graph in whole], []
    for t in range(1, len(seasons)):
        for k, evening in enumerate(seasons[t]):
            day = results[results["evening"] == evening]
            known = play_graph(results[results["evening"].isin(seasons[t][: k + 1])])
            now = known.at_evenings(known.evenings < evening)  # its players stay
            sigma = _sigma(now) if k >= LEAST_EVENINGS else None
            factors = [sigma / s if sigma and s else 1.0 for s in scale[:t]]
            linked = link([*whole[:t], now], [*factors, 1.0]).theta
            alone = fit_ratings(now, LAM).theta if k else 0 * linked
            y = day["result"].to_numpy() - day["result"].mean()
            row = {"evening": evening, "n": len(y) - 1}
            for way, theta in (("zero", 0 * linked), ("alone", alone), ("linked", linked)):
                said = theta[day["player"]].to_numpy()
                row[f"error_{way}"] = ((y - said + said.mean()) ** 2).sum()
                row[f"rank_{way}"] = _spearman(said, y)
            rows.append(row)
    return pd.DataFrame(rows).set_index("evening")


def _sigma(graph: PlayGraph) -> float | None:
    """The season's own scale where five evenings can be left out."""
    try:
        found = estimate_variance(graph)
    except CannotEstimate:
        return None
    return found.posterior.quantile("sigma", 0.5) if len(found.without) >= LEAST_EVENINGS else None


def _spearman(said, y):
    """Spearman's correlation, 0 where nothing was said."""
    if np.ptp(said) < 1e-9 * np.ptp(y):
        return 0.0
    return np.corrcoef(rankdata(said), rankdata(y))[0, 1]


def walked_table(groups: dict[str, pd.DataFrame]) -> str:
    """Error in percent of the season alone's, and rank correlations; ± paired standard error."""
    rows = []
    for name, table in groups.items():
        alone, n = table["error_alone"], len(table)
        for way in ("zero", "alone", "linked"):
            change = (table[f"error_{way}"] - alone) / (2 * alone.mean())
            rank, against = table[f"rank_{way}"], table[f"rank_{way}"] - table["rank_alone"]
            rows.append(
                (name, n, way)
                + (f"{100 * change.mean():+.1f} ± {100 * change.std() / n**0.5:.1f} %",)
                + (f"{rank.mean():.3f}", f"{against.mean():+.3f} ± {against.std() / n**0.5:.3f}")
            )
    head = ("group", "evenings", "way", "error", "rank correlation", "against alone")
    return markdown(head, rows)


def main(arguments: list[str] | None = None) -> None:
    """Run all leagues, walk all groups, and print the tables."""
    parser = argparse.ArgumentParser(description="Leagues: see benchmarks/README.md.")
    parser.add_argument("groups", nargs="*", type=Path, help="tables of real groups")
    defaults = {"leagues": 1000, "priced": 400, "earlier": 3, "seed": 1, "jobs": 2}
    for name, number in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    parser.add_argument("--rhos", nargs="*", type=float, default=RHOS, help="of 0, 0.5, 0.8")
    given = parser.parse_args(arguments)
    run, cells = (given.leagues, given.seed, given.jobs, KEPT), {}
    for number, cell in enumerate((r, n, tau) for tau in TAUS for n in EVENINGS for r in RHOS):
        if cell[0] not in given.rhos:
            continue
        task = partial(league, *cell, given.earlier)
        place = (number,) if given.earlier == 3 else (number, given.earlier)
        cells[cell] = np.array(replicate(task, place, *run))
    if given.leagues and cells:
        print(f"Seasons linked\n\n{league_table(cells)}", flush=True)
    if given.priced:
        run, cells = (given.priced, *run[1:]), {}
        for n, tau in (*((n, tau) for tau in TAUS for n in EVENINGS), (EVENINGS[0], None)):
            task = partial(priced, n, tau, given.earlier)
            cells[n, tau] = np.array(replicate(task, (n, int(tau or 0)), *run))
        print(f"What it costs not to know λ and ρ\n\n{price_table(cells)}", flush=True)
    groups = {path.stem: walked(pd.read_csv(path)) for path in given.groups}
    if groups:
        print(f"Real groups\n\n{walked_table(groups)}")


if __name__ == "__main__":
    main()
