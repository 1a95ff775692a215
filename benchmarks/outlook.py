"""Do the chances of the season's outlook mean what they say? Simulated seasons, seen at half time.

Prints the tables of the section "Outlook" of README.md, as Markdown:

    python benchmarks/outlook.py --seasons 1000 --seed 1 --jobs 2

Seeds are made as in study.py.
"""

import argparse
from functools import partial

import numpy as np
import pandas as pd
from study import LAM, PLAYERS, SIGMA, TAU, markdown, replicate

from liga_analysis.model.outlook import final_places
from liga_analysis.model.ranking import ranks
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results, simulate_season
from liga_analysis.research.calibration import by_tenth
from liga_analysis.rules import LeagueRules

EVENINGS, DRAWS = 12, 4000
PLAIN, PLAYED = "by the model, at λ = σ²/τ² = 5.76", "played by the rules, at λ = 6"
LAMS = {PLAIN: SIGMA**2 / TAU**2, PLAYED: LAM}
CHANCES = {"title": 1, "podium": LeagueRules.podium}


def season(kind: str, seed: np.random.SeedSequence) -> pd.DataFrame:
    """One season: for each player of its first half, chances then (`p_…`) and the end (`hit_…`)."""
    rng, lam = np.random.default_rng(seed), LAMS[kind]
    if kind == PLAIN:
        results, _ = simulate_results(PLAYERS, EVENINGS, rng, SIGMA, TAU)
    else:
        results = simulate_season(PLAYERS, EVENINGS, rng, SIGMA, TAU)[1]
    name = results["player"].astype(str)
    guest = "Gast " + results["evening"].astype(str)  # a new one every evening
    results["player"] = name.where(name != "Gast", guest)
    half = fit_ratings(results[results["evening"] <= EVENINGS // 2], lam, SIGMA)
    came = half.graph.seats.toarray() > 0
    came[:, half.graph.players.isin(guest)] = False
    draw_seed = int(rng.integers(2**32))
    places = final_places(half, came, EVENINGS - len(came), DRAWS, draw_seed)

    end = fit_ratings(results, lam, SIGMA)
    inside = end.rules.qualifies(end.graph.n_evenings, EVENINGS) & ~end.graph.players.isin(guest)
    theta = end.theta[inside]
    final = pd.Series(ranks(theta.to_numpy(), SIGMA), theta.index)
    final = final.reindex(half.graph.players, fill_value=len(end.theta) + 1).to_numpy()
    table = {}
    for name, last in CHANCES.items():
        table[f"p_{name}"] = ((places > 0) & (places <= last)).mean(0)
        table[f"hit_{name}"] = final <= last
    return pd.DataFrame(table)[came.any(0)]


def chance_table(seasons: pd.DataFrame, name: str) -> str:
    """The calibration of the chances of title or podium."""
    chance = seasons.rename(columns={f"p_{name}": "p", f"hit_{name}": "hit"})
    rows = [
        (f"{tenth / 10:.1f}–{tenth / 10 + 0.1:.1f}", int(n), *map("{:.3f}".format, r), f"{z:+.1f}")
        for tenth, n, *r, z in by_tenth(chance.astype({"hit": float})).itertuples()
    ]
    return markdown(("chance", "players", "predicted", "share", "error", "z"), rows)


def main(arguments: list[str] | None = None) -> None:
    """Run all seasons and print the tables."""
    parser = argparse.ArgumentParser(description="Seasons at half time: see benchmarks/README.md.")
    for name, number in (("seasons", 1000), ("seed", 1), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    run = vars(parser.parse_args(arguments))
    for k, kind in enumerate(LAMS):
        tables = replicate(partial(season, kind), (EVENINGS, TAU, k), **run)
        seasons = pd.concat(tables, keys=range(len(tables)), names=["season", None]).reset_index()
        for name in CHANCES:
            print(f"Chance of the {name}, {kind}\n\n{chance_table(seasons, name)}")


if __name__ == "__main__":
    main()
