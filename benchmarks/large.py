"""Large tables without the spectrum, held against the spectrum where both can be had.

Prints the second table of the section "Speed" of README.md, as Markdown:

    python benchmarks/large.py --players 1000 3000
"""

import argparse
from time import process_time

import numpy as np
import pandas as pd
from study import SIGMA, markdown

from liga_analysis.model import graph as graphs
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance

KINDS = ("random", "chain", "islands", "hub", "groups")


def table(kind: str, players: int, evenings: int, seed: int = 1) -> pd.DataFrame:
    """Random fields, a chain of clubs, islands, one hub, or groups that never met; λ = 5.76."""
    rng, p = np.random.default_rng(seed), players
    theta = 1000 * rng.standard_normal(p)
    thirds = [0, 4 * p // 7, 11 * p // 14, p]
    fields = []
    for s in range(evenings):
        if kind == "random":
            field = rng.choice(p, 8, replace=False)
        elif kind == "chain":  # neighbouring clubs of ten share a player
            field = 9 * (s % (p // 9 - 1)) + rng.choice(10, 6, replace=False)
        elif kind == "islands":  # of sixty, joined by one evening of two each
            field = 60 * (s % (p // 60)) + rng.choice(60, 8, replace=False)
        elif kind == "hub":  # who comes every time
            field = np.append(0, 1 + rng.choice(p - 1, 7, replace=False))
        else:  # one larger than the other two together
            low, high = thirds[s % 3 : s % 3 + 2]
            field = low + rng.choice(high - low, 8, replace=False)
        fields.append(field)
    if kind == "islands":
        fields += [np.array([60 * k, 60 * k - 60]) for k in range(1, p // 60)]
    evening = np.repeat(np.arange(len(fields)), [len(field) for field in fields])
    player = np.concatenate(fields)
    y = theta[player] + SIGMA * rng.standard_normal(len(player))
    y -= (np.bincount(evening, y) / np.bincount(evening))[evening]
    return pd.DataFrame({"evening": evening, "player": player, "result": y})


def answers(results: pd.DataFrame, size: int) -> tuple:
    """Estimate, θ̂, u, its stated error and seconds; without the spectrum above `size` players."""
    start, usual = process_time(), graphs.SIZE
    graphs.SIZE = size
    try:
        graph = graphs.play_graph(results)
        fit, found = fit_ratings(graph), estimate_variance(graph)
        return found, fit.theta, fit.se, fit.se_error, process_time() - start
    finally:
        graphs.SIZE = usual


def beside(kind: str, players: int) -> tuple:
    """A row of the table: how far off each figure is."""
    results = table(kind, players, 3 * players // 2)
    players = results["player"].nunique()
    exact, theta, u, _, dense = answers(results, players)
    found, near_theta, near_u, error, seconds = answers(results, players // 4)
    sd, off = exact.posterior.sd_log_lam, near_u / u - 1
    worst = (abs(off) / error.where(error > 0)).max()
    return (
        f"{players:,}",
        kind,
        f"{100 * (found.lam / exact.lam - 1):+.2f} %",
        f"{100 * (found.error or 0) * sd:.2f} %",
        f"{100 * (found.sigma / exact.sigma - 1):+.3f} %",
        f"{abs(near_theta - theta).max() / exact.sigma:.0e} σ",
        f"{100 * np.sqrt((off**2).mean()):.2f} %",
        f"{worst:.1f}",
        f"{dense:.2f} s",
        f"{seconds:.2f} s",
    )


def main(arguments: list[str] | None = None) -> None:
    """Rate every table both ways, and print how they differ."""
    parser = argparse.ArgumentParser(description="Large tables: see benchmarks/README.md.")
    parser.add_argument("--players", type=int, nargs="+", default=[1000, 3000])
    given = parser.parse_args(arguments)
    head = ("players", "table", "λ̂", "stated", "σ̂", "θ̂, largest", "u, rms", "u, worst in errors")
    rows = [beside(kind, players) for players in given.players for kind in KINDS]
    print(markdown((*head, "spectrum", "without"), rows))


if __name__ == "__main__":
    main()
