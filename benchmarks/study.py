"""How good are ratings, intervals and podium chances? Simulated seasons, where the truth is known.

Prints the tables of the section "Study" of README.md, as Markdown:

    python benchmarks/study.py --seasons 500 --seed 1 --jobs 2

Each season has its own seed, made of --seed, its cell and its number: the tables are the same for
any number of jobs or on a cluster, and more seasons only add to the ones there. What is made is
kept in reports/study, so that a run that was stopped goes on where it was.
"""

import argparse
import hashlib
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config

from liga_analysis.model.decision import recommendation
from liga_analysis.model.draws import chances
from liga_analysis.model.graph import play_graph
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.model.variance import Estimate, estimate_variance
from liga_analysis.research.calibration import by_tenth, judged, mean_and_error
from liga_analysis.rules import LeagueRules

PLAYERS, FIELDS, SIGMA, LAM = 14, (6, 10), 2400.0, 6.0
EVENINGS, TAUS = (6, 12), (0, 600, 1000, 1500, 2500)
TAU = 1000  # of the coverage and of the podium chances
WAYS = ("keep 6", "rule", "posterior median", "posterior average", "REML")

ROOT = Path(__file__).parents[1]
KEPT, PIECE = ROOT / "reports" / "study", 100  # seasons made between two writings

# Root mean square errors the method was chosen by, from an earlier simulation.
PUBLISHED_WAYS, PUBLISHED_SEASONS = ("keep 6", "rule", "REML"), 500
PUBLISHED = {
    (6, 0): (439, 411, 329),
    (6, 600): (580, 585, 628),
    (6, 1000): (767, 779, 855),
    (6, 1500): (1054, 1026, 1054),
    (6, 2500): (1673, 1309, 1250),
    (12, 0): (464, 345, 212),
    (12, 600): (548, 529, 546),
    (12, 1000): (661, 672, 707),
    (12, 1500): (839, 808, 814),
    (12, 2500): (1294, 907, 893),
}


def ways(estimate: Estimate) -> list[tuple]:
    """λ, σ² (chips²) and weight, arrays of one length, for each of WAYS."""
    posterior, rule = estimate.posterior, recommendation(estimate, LAM, SIGMA)

    def point(lam, sigma):
        return np.array([[lam], [sigma**2], [1.0]])

    return [
        point(LAM, SIGMA),
        point(rule.lam, rule.sigma),
        point(posterior.quantile("lam", 0.5), posterior.quantile("sigma", 0.5)),
        (posterior.lam, posterior.R[0] / (posterior.nu - 2), posterior.weight),  # E[σ² | λ, y]
        point(estimate.lam, estimate.sigma),
    ]


def season(tau: float, evenings: int, seed: np.random.SeedSequence) -> np.ndarray:
    """Errors and coverage in one simulated season, shape (5, 3), a row for each of WAYS.

    Mean square error of the ratings of θ_i − mean (chips²); share of 90 % intervals of θ_i − mean
    that hold the truth; share of those of θ_i − θ_j, over all pairs. The mean is that of the
    players who played (of one connected group, should there be several); nobody else counts.
    """
    rng = np.random.default_rng(seed)
    results, theta = simulate_results(PLAYERS, evenings, rng, SIGMA, tau, FIELDS)
    graph = play_graph(results)
    truth, found = theta[graph.players].to_numpy(), ways(estimate_variance(graph))
    return np.array([judged(graph, truth, way) for way in found])


def podium(lams: tuple[float, ...], evenings: int, seed: np.random.SeedSequence) -> pd.DataFrame:
    """One simulated season: for each λ and player in der Wertung, p(podium) and whether it is so.

    The true podium is the three largest θ among those in der Wertung.
    """
    rng = np.random.default_rng(seed)
    results, theta = simulate_results(PLAYERS, evenings, rng, SIGMA, TAU, FIELDS)
    graph, rules = play_graph(results), LeagueRules()
    ranked = rules.qualifies(graph.n_evenings, evenings)
    truth = theta[graph.players[ranked]].rank(ascending=False) <= rules.podium
    draw_seed, tables = int(rng.integers(2**32)), []
    for lam in lams:
        p = chances(fit_ratings(graph, lam, SIGMA), ranked, seed=draw_seed)["p_podium"]
        tables.append(pd.DataFrame({"lam": lam, "p": p, "hit": truth[p.index]}))
    return pd.concat(tables, ignore_index=True)


def replicate(
    task, cell: tuple[int, ...], seasons: int, seed: int, jobs: int | None, kept: Path | None = None
) -> list:
    """`task(seed)` for each season of a cell, in the order of the seasons.

    Without `jobs` joblib's context says where, as in `with parallel_config("dask"):`. With a folder
    what is made is kept there, and what was made by the same code is not made again.
    """
    if jobs:
        with parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
            return replicate(task, cell, seasons, seed, None, kept)
    seeds = np.random.SeedSequence([seed, *cell]).spawn(seasons)
    name = "-".join(map(str, (getattr(task, "func", task).__name__, *cell, seed)))
    file = kept / _code() / f"{name}.joblib" if kept else None
    made = joblib.load(file) if kept and file.exists() else []
    while len(made) < seasons:
        made += Parallel()(delayed(task)(one) for one in seeds[len(made) :][:PIECE])
        if kept:
            file.parent.mkdir(parents=True, exist_ok=True)
            joblib.dump(made, file.with_suffix(".new"))
            file.with_suffix(".new").replace(file)
    return made[:seasons]


def _code() -> str:
    """What the estimator and these scripts are, in eight digits."""
    folders = ROOT / "liga_analysis" / "model", ROOT / "benchmarks"
    files = sorted(file for folder in folders for file in folder.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]


def rmse(squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Root of the mean over the seasons and its standard error, se(x̄)/(2√x̄)."""
    mean, error = mean_and_error(squares)
    return np.sqrt(mean), error / (2 * np.sqrt(mean))


def markdown(head, rows) -> str:
    """A Markdown table, every column right-aligned."""
    lines = [head, ["---:"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def error_tables(cells: dict[tuple[int, int], np.ndarray]) -> str:
    """Root mean square errors of all ways, and beside the published ones."""
    rows, beside = [], []
    for cell, outcome in cells.items():
        value, error = rmse(outcome[:, :, 0])
        rows.append((*cell, *map("{:.0f} ± {:.0f}".format, value, error)))
        both = error * np.sqrt(1 + len(outcome) / PUBLISHED_SEASONS)  # both have a sampling error
        beside.append(list(cell))
        for way, given in zip(PUBLISHED_WAYS, PUBLISHED[cell], strict=True):
            k = WAYS.index(way)
            beside[-1] += f"{value[k]:.0f}", given, f"{(value[k] - given) / both[k]:+.1f}"
    head = [text for way in PUBLISHED_WAYS for text in (way, "published", "z")]
    first = "evenings", "τ"
    return f"{markdown((*first, *WAYS), rows)}\n{markdown((*first, *head), beside)}"


def coverage_table(cells: dict[tuple[int, int], np.ndarray]) -> str:
    """Coverage in percent of 90 % intervals at TAU, with its standard error."""
    rows = []
    for k, what in ((1, "θ_i − mean"), (2, "θ_i − θ_j")):
        for evenings in EVENINGS:
            share, error = mean_and_error(100 * cells[evenings, TAU][:, :, k])
            rows.append((what, evenings, *map("{:.1f} ± {:.1f}".format, share, error)))
    return markdown(("90 % interval of", "evenings", *WAYS), rows)


def podium_table(chance: pd.DataFrame, lam: float) -> str:
    """The calibration of the podium chances at one λ."""
    rows = [
        (f"{tenth / 10:.1f}–{tenth / 10 + 0.1:.1f}", int(n), *map("{:.3f}".format, r), f"{z:+.1f}")
        for tenth, n, *r, z in by_tenth(chance[chance["lam"] == lam]).itertuples()
    ]
    return markdown(("chance", "players", "predicted", "share", "error", "z"), rows)


def main(arguments: list[str] | None = None) -> None:
    """Run all seasons and print the tables."""
    parser = argparse.ArgumentParser(description="Simulated seasons: see benchmarks/README.md.")
    for name, number in (("seasons", 500), ("seed", 1), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    run = vars(parser.parse_args(arguments)) | {"kept": KEPT}
    cells = {
        (n, tau): np.array(replicate(partial(season, tau, n), (n, tau), **run))
        for n in EVENINGS
        for tau in TAUS
    }
    lams, n = (SIGMA**2 / TAU**2, LAM), EVENINGS[-1]
    seasons = replicate(partial(podium, lams, n), (n, TAU), **run)
    chance = pd.concat(seasons, keys=range(len(seasons)), names=["season", None]).reset_index()
    print(f"Root mean square error, chips\n\n{error_tables(cells)}")
    print(f"Coverage of 90 % intervals at τ = {TAU}, percent\n\n{coverage_table(cells)}")
    for lam in lams:
        print(f"Chances of the podium at λ = {lam:g}\n\n{podium_table(chance, lam)}")


if __name__ == "__main__":
    main()
