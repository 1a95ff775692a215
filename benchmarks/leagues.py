"""What are the seasons before worth? Simulated leagues, and real groups walked forward.

Prints the tables of the section "Leagues" of README.md, as Markdown:

    python benchmarks/leagues.py --leagues 1000 --jobs 2 [GROUP.csv …]

A group's table has evening, player and result; it is cut into seasons of twelve evenings.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from study import FIELDS, KEPT, LAM, PLAYERS, SIGMA, markdown, replicate

from liga_analysis.model.chain import link
from liga_analysis.model.graph import PlayGraph, play_graph
from liga_analysis.model.likelihood import CannotEstimate
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import LEAST_EVENINGS, estimate_variance
from liga_analysis.research.calibration import mean_and_error

STAY = 0.8  # of the players of a season are in the next
RHOS, EVENINGS, TAUS = (0.0, 0.5, 0.8), (6, 12), (600.0, 1000.0)
WAYS = ("alone", "linked", "oracle")
MEASURES = ("error", "rank correlation", "first is first")


def league(
    rho: float, evenings: int, tau: float, earlier: int, seed: np.random.SeedSequence
) -> np.ndarray:
    """Errors in the last season of one league, shape (3 ways, 3 measures), with so many before it.

    *alone* is the rating at λ = 6, *linked* what the seasons linked say, *oracle* the same with the
    true λ and ρ. Judged is θ̂ − θ, both less their mean: mean square, Spearman's correlation, and
    whether the first of the table is the strongest.
    """
    rng = np.random.default_rng(seed)
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
    last = graphs[-1].players
    truth = pd.Series(theta, names)[last].to_numpy()
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
        # Paired: alone and oracle against linked, in percent of the error.
        pairs = (
            100
            * np.stack(
                [
                    square[:, 1] / mean[0, 0] - square[:, 0] / mean[0, 0],
                    square[:, 1] / mean[2, 0] - square[:, 2] / mean[2, 0],
                ],
                1,
            )
            / 2
        )
        gain, of_gain = mean_and_error(pairs)
        rows.append(
            (*cell[:2], f"{cell[2]:.0f}")
            + tuple(f"{r:.0f} ± {e:.0f}" for r, e in zip(root, squares, strict=True))
            + tuple(f"{g:+.1f} ± {e:.1f} %" for g, e in zip(gain, of_gain, strict=True))
            + tuple(f"{value:.3f}" for value in mean[:, 1])
            + tuple(f"{100 * value:.0f} %" for value in mean[:, 2])
        )
    head = ["ρ", "evenings", "τ", *WAYS, "linked − alone", "linked − oracle"]
    head += [f"r {way}" for way in WAYS] + [f"first {way}" for way in WAYS]
    return markdown(head, rows)


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
    for name, number in (("leagues", 1000), ("earlier", 3), ("seed", 1), ("jobs", 2)):
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
    groups = {path.stem: walked(pd.read_csv(path)) for path in given.groups}
    if groups:
        print(f"Real groups\n\n{walked_table(groups)}")


if __name__ == "__main__":
    main()
