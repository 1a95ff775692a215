"""Simulated seasons for reference.R: prints seasons.csv (README.md says why these)."""

import sys

import numpy as np
import pandas as pd

from liga_analysis.model.simulation import simulate_results

# Players, evenings, seed, τ, fields.
PLAIN = {
    "small": (5, 6, 3, 2000, (4, 5)),
    "few": (10, 4, 2, 1500, (5, 8)),
    "usual": (14, 12, 4, 1000, (6, 10)),
    "unbalanced": (14, 10, 4, 1000, (6, 10)),
    "zero": (14, 6, 7, 0, (6, 10)),
    "near_zero": (14, 12, 7, 1000, (6, 10)),
    "large": (40, 60, 1, 1000, (6, 10)),
}


def season(players, evenings, seed, tau, fields) -> pd.DataFrame:
    """A season in whole chips, every evening summing to zero."""
    table, _ = simulate_results(players, evenings, seed, 2400, tau, fields)
    table["result"] = table["result"].round().astype(int)
    first = table.drop_duplicates("evening").index
    table.loc[first, "result"] -= table.groupby("evening")["result"].sum().to_numpy()
    return table


def seasons() -> pd.DataFrame:
    """All of them, one below the other."""
    made = {name: season(*size) for name, size in PLAIN.items()}
    made["unbalanced"].loc[[3, 40], "result"] += np.array([150, -1000])
    first, other = season(8, 8, 1, 1000, (5, 7)), season(7, 6, 2, 1000, (4, 6))
    made["groups"] = pd.concat([first, other + [8, 8, 0]])  # never met
    return pd.concat(made, names=["season"]).reset_index("season")


if __name__ == "__main__":
    seasons().to_csv(sys.stdout, index=False, lineterminator="\n")
