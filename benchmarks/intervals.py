"""Do intervals of σ and λ hold where luck is not normal, and do the tests of luck see that?

Prints the tables of the section "Intervals of σ and λ" of README.md, as Markdown:

    python benchmarks/intervals.py --seasons 1000 --jobs 2 [GROUP.csv …]

A group's table has evening, player and result; of it only who came when is used.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import gammaincc, stdtr
from scipy.stats import kstest
from study import FIELDS, KEPT, LAM, PLAYERS, SIGMA, markdown, replicate

from liga_analysis.model.chain import RHOS, link
from liga_analysis.model.decision import recommendation
from liga_analysis.model.exact import LikelihoodRatio
from liga_analysis.model.graph import PlayGraph, play_graph
from liga_analysis.model.likelihood import likelihood
from liga_analysis.model.luck import attendance_slope, kurtosis, player_spread
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance
from liga_analysis.season.settings import Prior

TAU, EVENINGS = 1000.0, (6, 12)
LUCKS = ("normal", "t3", "uneven evenings", "uneven players")
TESTED, LENGTHS = (6, 12, 24), 60  # evenings at which luck is tested; seasons measured for length
CALIBRATED = ("λ", "σ", "τ", "θ_i − mean", "linked θ")


def luck(kind: str, graph: PlayGraph, rng: np.random.Generator) -> np.ndarray:
    """Errors of one result each, of standard deviation 1 over all.

    Student's t with three degrees of freedom; or normal, of a spread lognormal (0.3) by evening or
    (0.35) by player. Evenings are a sample of those there might have been, players are who they
    are: their own mean square is 1.
    """
    n = len(graph.y)
    if kind == "t3":
        return rng.standard_t(3, n) / np.sqrt(3)
    if kind == "normal":
        return rng.standard_normal(n)
    size, spread, who = {
        "uneven evenings": (len(graph.evenings), 0.3, graph.evening),
        "uneven players": (graph.n_players, 0.35, graph.player),
    }[kind]
    own = np.exp(spread * rng.standard_normal(size) - spread**2)  # E of the square is 1
    if kind == "uneven players":
        own /= np.sqrt((own**2).mean())
    return own[who] * rng.standard_normal(n)


def attendance(evenings: int, rng: np.random.Generator) -> PlayGraph:
    """Who came when, without results: 6 to 10 of 14, every choice as likely."""
    rows = [
        (evening, player, 0.0)
        for evening in range(evenings)
        for player in rng.choice(PLAYERS, rng.integers(*FIELDS, endpoint=True), replace=False)
    ]
    return play_graph(pd.DataFrame(rows, columns=["evening", "player", "result"]))


def with_results(graph: PlayGraph, result: np.ndarray) -> PlayGraph:
    """The graph with other results, balanced by evening."""
    rows = {"evening": graph.evening, "player": graph.player, "result": result}
    return play_graph(pd.DataFrame(rows))


def held(kind: str, evenings: int, seed: np.random.SeedSequence) -> tuple:
    """Whether 90 % intervals of one season hold σ, their lengths, and whether σ would be moved.

    Posterior and jackknife hold; log lengths; λ = 6 is kept and σ = 2400 moved by the posterior
    alone, by both intervals (the rule); σ moved at all, and downwards.
    """
    rng = np.random.default_rng(seed)
    graph = attendance(evenings, rng)
    theta = rng.normal(0, TAU, graph.n_players)
    errors = SIGMA * luck(kind, graph, rng)
    estimate = estimate_variance(with_results(graph, theta[graph.player] + errors))
    ends = [estimate.posterior.quantile("sigma", p) for p in (0.05, 0.95)]
    spans = np.array([ends, estimate.sigma_robust(0.9)])
    inside = (spans[:, 0] <= SIGMA) & (spans[:, 1] >= SIGMA)
    about_lam, *about_sigma = recommendation(estimate, LAM, SIGMA).reasons
    kept = about_lam[0] == "in_keeping"
    moved = kept and not inside[0], kept and bool(about_sigma), bool(about_sigma)
    down = any(values["median"] < SIGMA for _, values in about_sigma)
    return *inside, *np.log(spans[:, 1] / spans[:, 0]), *moved, down


def coverage_table(cells: dict[tuple, np.ndarray]) -> str:
    """Percent of the intervals that hold σ, how much longer one is, and false moves of σ."""
    rows = []
    for (kind, evenings), outcome in cells.items():
        posterior, jackknife, length, longer, *moved, down = outcome.astype(float).mean(0)
        shares = (f"{100 * share:.0f} %" for share in (posterior, jackknife))
        moves = (*(f"{100 * m:.1f} %" for m in moved), f"{100 * down / moved[-1]:.0f} %")
        rows.append((kind, evenings, *shares, f"{longer / length:.2f}", *moves))
    head = ("luck", "evenings", "posterior", "jackknife", "length", "σ alone, formerly")
    return markdown((*head, "σ alone, by both", "σ at all", "of these down"), rows)


def exact(graph: PlayGraph, seed: np.random.SeedSequence) -> tuple[bool, float, float]:
    """Whether the exact interval holds λ = 6, that is p(6) > 0.1; its log length, the profile's.

    Lengths are of the first sixty seasons, NaN afterwards.
    """
    rng, X = np.random.default_rng(seed), graph.design
    y = X @ rng.normal(0, 1 / np.sqrt(LAM), graph.n_players) + rng.standard_normal(len(X))
    found = with_results(graph, y)
    holds = LikelihoodRatio(likelihood(found), int(rng.integers(2**32))).p(np.log(LAM), 1000) > 0.1
    if seed.spawn_key[-1] >= LENGTHS:
        return holds, np.nan, np.nan
    estimate = estimate_variance(found)
    ends = np.log([estimate.exact(0.9), estimate.interval("lam", 0.9)])
    return holds, *(ends[:, 1] - ends[:, 0])


def exact_table(cells: dict[str, np.ndarray]) -> str:
    """Coverage, and median lengths of those whose ends are finite, by attendance."""
    rows = []
    for name, outcome in cells.items():
        share, error = 100 * outcome[:, 0].mean(), 100 * np.sqrt(0.09 / len(outcome))
        lengths = np.median(outcome[np.isfinite(outcome).all(1), 1:], axis=0)
        rows.append((name, f"{share:.1f} ± {error:.1f} %", *(f"{n:.2f}" for n in lengths)))
    return markdown(("attendance of", "exact holds λ", "log length", "of the profile's"), rows)


def suspicion(kind: str, came: int | PlayGraph, null, seed: np.random.SeedSequence) -> list[float]:
    """The p of kurtosis, of the players' own spread and of attendance, in one season at λ = 6.

    `came` is an attendance, or a number of evenings for a random one. With a graph `null` is the
    kurtosis' own, the same for all its seasons.
    """
    rng = np.random.default_rng(seed)
    graph = came if isinstance(came, PlayGraph) else attendance(came, rng)
    theta = rng.normal(0, SIGMA / np.sqrt(LAM), graph.n_players)
    y = theta[graph.player] + SIGMA * luck(kind, graph, rng)
    fit = fit_ratings(with_results(graph, y), LAM, SIGMA)
    if null is None:
        p = kurtosis(fit).p
    else:
        p = (1 + (null >= kurtosis(fit, 0).value).sum()) / (1 + len(null))
    return [p, player_spread(fit).p, attendance_slope(fit).p]


def suspicion_table(cells: dict[tuple, np.ndarray]) -> str:
    """Percent of the seasons in which each test finds something, p ≤ 0.05."""
    rows = [
        (*cell, len(p), *(f"{100 * share:.1f} %" for share in (p <= 0.05).mean(0)))
        for cell, p in cells.items()
    ]
    head = ("luck", "attendance", "seasons", "kurtosis", "players' spread", "attendance's slope")
    return markdown(head, rows)


def calibrated(seed: np.random.SeedSequence) -> list[float]:
    """P(x < truth | y) of λ, σ, τ, θ_i − mean of one season, and a θ of a league, λ from its prior.

    Each is uniform on 0 to 1 if the posteriors are right. σ is fixed: under its prior, flat in
    log σ, nothing depends on it.
    """
    rng = np.random.default_rng(seed)
    lam = Prior().draw(rng)
    graph = attendance(6, rng)
    theta = rng.normal(0, SIGMA / np.sqrt(lam), graph.n_players)
    y = theta[graph.player] + rng.normal(0, SIGMA, len(graph.y))
    estimate = estimate_variance(with_results(graph, y))
    posterior, weight = estimate.posterior, estimate.posterior.weight
    squares = posterior.R[0] / SIGMA**2
    p_sigma, p_tau = (
        weight @ gammaincc(estimate.nu / 2, s / 2) for s in (squares, squares * lam / posterior.lam)
    )
    # Given λ, θ_i − mean is Student's t with ν degrees of freedom.
    d, V, z = estimate.graph.spectrum
    own = V[0] - V.mean(0)
    over = 1 / (d[:, None] + posterior.lam)
    spread = np.sqrt(own**2 @ over * posterior.R[0] / estimate.nu)
    off = (theta[0] - theta.mean() - own @ (z[:, None] * over)) / spread
    p_theta = weight @ stdtr(estimate.nu, off)
    values = [1 - posterior.p_lam_above(lam), p_sigma, p_tau, p_theta]
    return [*values, _linked(lam, rng)]


def _linked(lam, rng):
    """P(θ < truth) of one player in the last of three linked seasons, ρ uniform."""
    rho, theta, graphs = rng.choice(RHOS), 0.0, []
    for t in range(3):
        graph = attendance(6, rng)
        fresh = rng.normal(0, SIGMA / np.sqrt(lam), PLAYERS)
        theta = rho * theta + np.sqrt(1 - rho**2) * fresh if t else fresh
        y = theta[graph.players][graph.player] + rng.normal(0, SIGMA, len(graph.y))
        rows = {"evening": graph.evening, "player": graph.players[graph.player], "result": y}
        graphs.append(play_graph(pd.DataFrame(rows)))
    draws = np.concatenate(list(link(graphs).pieces(1000, int(rng.integers(2**32)))))
    return (draws[:, 0] < theta[graphs[-1].players[0]]).mean()


def calibration_table(p: np.ndarray) -> str:
    """Kolmogorov and Smirnov's p of uniformity, and the share within the central 90 %."""
    rows = [
        (
            name,
            f"{kstest(column, 'uniform').pvalue:.2f}",
            f"{100 * np.mean(abs(column - 0.5) < 0.45):.1f} %",
        )
        for name, column in zip(CALIBRATED, p.T, strict=True)
    ]
    return markdown(("of", "p", "within 90 %"), rows)


def main(arguments: list[str] | None = None) -> None:
    """Run all seasons and print the tables."""
    parser = argparse.ArgumentParser(description="Intervals: see benchmarks/README.md.")
    parser.add_argument("groups", nargs="*", type=Path, help="tables of real groups")
    for name, number in (("seasons", 1000), ("seed", 1), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    given = parser.parse_args(arguments)
    run = given.seasons, given.seed, given.jobs, KEPT
    cells = {
        (kind, n): np.array(replicate(partial(held, kind, n), (n, k), *run))
        for k, kind in enumerate(LUCKS)
        for n in EVENINGS
    }
    print(f"Intervals of σ\n\n{coverage_table(cells)}", flush=True)
    p = np.array(replicate(calibrated, (99,), *run))
    print(f"Calibration\n\n{calibration_table(p)}", flush=True)
    tests = {
        (kind, f"{n} evenings"): np.array(
            replicate(partial(suspicion, kind, n, None), (n, k), *run)
        )
        for k, kind in enumerate(LUCKS)
        for n in TESTED
    }
    graphs = {"a season of 6": attendance(6, np.random.default_rng(given.seed))}
    graphs |= {path.stem: play_graph(pd.read_csv(path)) for path in given.groups}
    twice, cells = (2 * given.seasons, *run[1:]), {}
    for name, graph in graphs.items():
        null = kurtosis(fit_ratings(graph, LAM, SIGMA)).null if graph.q else None
        task = partial(suspicion, "normal", graph, null)
        tests["normal", name] = np.array(replicate(task, (100, len(graph.y)), *twice))
        cells[name] = np.array(replicate(partial(exact, graph), (100, len(graph.y)), *twice), float)
    print(f"Tests of luck\n\n{suspicion_table(tests)}", flush=True)
    print(f"Exact interval of λ\n\n{exact_table(cells)}")


if __name__ == "__main__":
    main()
