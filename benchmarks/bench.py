"""How fast and how small? One table, each line beside a program known for the same work.

Prints the table of the section "Speed" of README.md, as Markdown (make bench):

    python benchmarks/bench.py --largest 1000000 --patience 60

Each program works in a process of its own, on one thread. Seconds are of the processor, the least
of some runs, so that a busy machine can do them little harm; those of the report are of the clock.
What R does is left out where R or the package is missing.
"""

import argparse
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import date
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from liga_analysis import load_season, standings
from liga_analysis.model.graph import play_graph
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.sensitivity import lambda_path
from liga_analysis.model.simulation import simulate_results
from liga_analysis.model.variance import estimate_variance

LAMS = np.geomspace(0.1, 360, 200)
PACKAGES = "numpy scipy pandas scikit-learn statsmodels openskill".split()

# What is timed. Each function makes ready and returns the work.


def load(results):
    """The season in a plain file, every cell judged."""
    file = _file(results)
    return lambda: load_season(file).results


def read_csv(results):
    """The bare cells of the same file."""
    file = _file(results)
    return lambda: pd.read_csv(file)


def table(results):
    """From the file to the season's table."""
    file = _file(results)
    return lambda: standings(load_season(file))


def _file(results) -> Path:
    file = Path(tempfile.mkdtemp(), "results.csv")
    results[["evening", "player", "result"]].to_csv(file, index=False)
    return file


def rate(results):
    """Ratings and uncertainties, from the table."""

    def work():
        fit = fit_ratings(results)
        assert len(fit.se) == len(fit.theta)
        return fit.theta.to_numpy()

    return work


def ridge(results):
    """The ratings alone, from the table."""
    from sklearn.linear_model import Ridge

    def work():
        seats = pd.get_dummies(results["player"], dtype=float)
        table = seats.assign(result=results["result"])
        rows = (table - table.groupby(results["evening"]).transform("mean")).to_numpy()
        return Ridge(alpha=6.0, fit_intercept=False).fit(rows[:, :-1], rows[:, -1]).coef_

    return work


def openskill(results):
    """Ratings of another kind, evening by evening."""
    from openskill.models import PlackettLuce

    model, evenings = PlackettLuce(), [rows for _, rows in results.groupby("evening")]
    fields = [(rows["player"].tolist(), rows["result"].tolist()) for rows in evenings]

    def work():
        known = {player: model.rating() for player in results["player"].unique()}
        for players, scores in fields:
            rated = model.rate([[known[player]] for player in players], scores=scores)
            known |= {player: one for player, (one,) in zip(players, rated, strict=True)}
        return {player: one.mu for player, one in known.items()}

    return work


def step(results):
    """Ratings and uncertainties at another λ."""
    graph = play_graph(results)
    assert graph.spectrum  # it is there when λ moves

    def work():
        fit = fit_ratings(graph, 5.0)
        assert len(fit.se) == len(fit.theta)
        return fit.theta.to_numpy()

    return work


def path(results):
    """Ratings and ranks at all of LAMS."""
    fit = fit_ratings(results)
    ranked = np.ones(fit.graph.n_players, bool)
    return lambda: lambda_path(fit, ranked, LAMS).ratings


def ridges(results):
    """Ratings at each λ, by Ridge; the design is ready."""
    from sklearn.linear_model import Ridge

    graph = play_graph(results)
    X, y = graph.design, graph.y
    return lambda: np.array([Ridge(alpha=lam, fit_intercept=False).fit(X, y).coef_ for lam in LAMS])


def eigen(results):
    """Eigenvalues and -vectors of the matrix all of it comes from."""
    G = play_graph(results).G
    return lambda: np.linalg.eigh(G)


def covariance(results):
    """Ratings and their covariance, from the table."""

    def work():
        fit = fit_ratings(results)
        return fit.theta.to_numpy(), fit.cov

    return work


def one_ridge(results):
    """The ratings alone; the design is ready."""
    from sklearn.linear_model import Ridge

    graph = play_graph(results)
    X, y = graph.design, graph.y
    return lambda: Ridge(alpha=6.0, fit_intercept=False).fit(X, y).coef_


def estimate(results):
    """REML σ and τ; with them the profile intervals, and the posterior's points."""

    def work():
        found = estimate_variance(results)
        for name in ("sigma", "tau", "lam"):
            found.interval(name)
            for p in (0.05, 0.5, 0.95):
                found.posterior.quantile(name, p)
        return found.sigma, found.tau

    return work


def estimate_all(results):
    """The same with the exact interval of λ and the jackknife of σ."""

    def work():
        found = estimate_variance(results)
        return found.exact(), found.sigma_robust(), estimate(results)()

    return work


def mixedlm(results):
    """REML σ and τ, a fixed effect for every evening."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    evenings = pd.get_dummies(results["evening"]).to_numpy(float)
    warnings.simplefilter("ignore")  # it doubts optimum and boundary, rightly or not

    def work():
        fit = MixedLM(results["result"].to_numpy(), evenings, results["player"]).fit(reml=True)
        return fit.scale**0.5, float(fit.cov_re[0, 0]) ** 0.5

    return work


def rate_and_estimate(results):
    """Ratings, uncertainties, REML σ and τ, from the table."""

    def work():
        graph = play_graph(results)
        fit = fit_ratings(graph)
        found = estimate_variance(graph)
        assert len(fit.theta) == len(fit.se)
        return found.sigma, found.tau

    return work


IN_R = {
    "lme4": """function() {
      fit <- lmer(result ~ 0 + evening + (1 | player), rows, REML = TRUE)
      c(sigma(fit), sqrt(VarCorr(fit)$player[1])) }""",
    "mgcv": """function() {
      fit <- gam(result ~ 0 + evening + s(player, bs = "re"), data = rows, method = "REML",
                 control = gam.control(scalePenalty = FALSE))
      sqrt(c(fit$reml.scale, fit$reml.scale / fit$sp)) }""",
}
RUN = """given <- commandArgs(TRUE)
suppressMessages(library(given[1], character.only = TRUE))
rows <- read.csv(given[2])
rows$evening <- factor(rows$evening); rows$player <- factor(rows$player)
seconds <- replicate(as.integer(given[3]),
                     sum(system.time(found <<- work())[c("user.self", "sys.self")]))
peak <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
cat(min(seconds), as.numeric(gsub("[^0-9]", "", peak)) / 1024, found,
    as.character(packageVersion(given[1])))"""


def alone(ready, results: pd.DataFrame, repeats: int = 1, patience: int | None = None) -> tuple:
    """Least processor seconds, peak memory (MB) and what was found, in a process of its own.

    ∞ seconds where it had not done after `patience` seconds of the processor, if given.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(_measured, ready, results, repeats, patience).result()
        except BrokenProcessPool:
            return np.inf, np.nan, None


def in_turn(readies, results: pd.DataFrame, repeats: int) -> list[float]:
    """Least processor seconds of works in one process, each after the other.

    All then find the processor's caches in the same state.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_in_turn, readies, results, repeats).result()


def _in_turn(readies, results, repeats):
    with threadpool_limits(1):
        works = [ready(results) for ready in readies]
        return np.min([[_seconds(work)[0] for work in works] for _ in range(repeats)], 0).tolist()


def _seconds(work):
    start = process_time()
    found = work()
    return process_time() - start, found


def _measured(ready, results, repeats, patience):
    times = []
    if patience:  # the limit makes the clock coarse
        limit = int(process_time()) + patience
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    with threadpool_limits(1):
        work = ready(results)
        for _ in range(repeats):
            seconds, found = _seconds(work)
            times.append(seconds)
    return min(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, found


def in_r(package: str, results: pd.DataFrame, repeats: int = 1, patience: int = 600):
    """As `alone`, by a package of R; its version last.

    None without it; ∞ seconds where it had not done after `patience` seconds of the processor.
    """

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))

    threads = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "results.csv")
        results.to_csv(table, index=False)
        code = f"work <- {IN_R[package]}\n{RUN}"
        command = ["Rscript", "-e", code, package, str(table), str(repeats)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=threads, preexec_fn=limited
            )
        except FileNotFoundError:
            return None
    if done.returncode == -signal.SIGKILL:
        return np.inf, np.nan, (), ""
    if done.returncode:
        return None
    seconds, peak, *found, its_version = done.stdout.split()
    return float(seconds), float(peak), tuple(map(float, found)), its_version


def import_seconds(modules: str) -> float:
    """Processor seconds of a fresh Python that imports the modules, the least of five."""
    times = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-c", f"import {modules}"], check=True)
        after = os.times()
        times.append(sum(after[2:4]) - sum(before[2:4]))
    return min(times)


def league(players: int, evenings: int) -> pd.DataFrame:
    """Six to ten players an evening, σ = 2400, τ = 1000, seed 1."""
    if players <= 1000:
        return simulate_results(players, evenings)[0]
    # Too many for a table of players × evenings: fields of ten, drawn one by one.
    rng = np.random.default_rng(1)
    evening = np.repeat(np.arange(1, evenings + 1), 10)
    player = rng.integers(0, players, len(evening))
    rows = pd.DataFrame({"evening": evening, "player": player}).drop_duplicates(ignore_index=True)
    theta = rng.normal(0, 1000, players)[rows["player"]]
    result = pd.Series(theta + rng.normal(0, 2400, len(rows)))
    return rows.assign(result=result - result.groupby(rows["evening"]).transform("mean"))


def comparisons(largest: int, patience: int, rounds: int):
    """Rows of the table: work, unit, here, other program, there."""
    few, some, many = league(14, 12), league(50, 40), league(200, 400)
    at, name = "14 players, 12 evenings: ", "one Ridge, its matrix given"
    one = alone(one_ridge, few, 200)[0]
    yield (
        at + "θ̂ and its covariance, from the table",
        "s",
        alone(covariance, few, 200)[0],
        name,
        one,
    )
    yield at + "one more λ", "s", alone(step, few, 200)[0], name, one
    at, name, there = "50 players, 40 evenings: ", "scikit-learn Ridge", alone(ridges, some, 3)[0]
    yield at + "200 λ, θ̂ and ranks (Ridge: θ̂)", "s", alone(path, some, 7)[0], name, there
    at, rated = "200 players, 400 evenings: ", alone(rate, many, 20)[0]
    yield at + "θ̂ and u (Ridge: θ̂)", "s", rated, name, alone(ridge, many, 5)[0]
    yield at + "the season rated", "s", rated, "openskill", alone(openskill, many, 3)[0]
    estimating, estimated = at + "σ, τ, λ, intervals, posterior", alone(estimate, many, 60)
    here, there = in_turn((estimate, eigen), many, 100)
    yield estimating + ", in turn", "s", here, "one eigh of that size", there
    others = {"statsmodels MixedLM": alone(mixedlm, many, 1, patience)}
    others |= {package: in_r(package, many, 1, patience) for package in IN_R}
    for name, there in others.items():
        if there:
            yield estimating + " (others: σ, τ)", "s", estimated[0], name, there[0]
            if there[0] < np.inf:
                yield "its peak memory, imports included", "MB", estimated[1], name, there[1]
    robust = alone(estimate_all, many, 2)[0]
    yield at + "with λ's exact interval and σ's jackknife", "s", robust, "", np.nan
    for players in (10, 100, 1000):
        results = league(players, players * 2)
        growing = f"{players:,} players, {len(results):,} results: θ̂, u, σ, τ"
        here = alone(rate_and_estimate, results, 5)[0]
        there = in_r("lme4", results, 1, patience)
        if there:
            yield growing, "s", here, "lme4", there[0]
        there = alone(ridge, results, 1, patience)[0]
        yield growing + " (Ridge: θ̂)", "s", here, "scikit-learn Ridge", there
    yield from growth(largest)
    for rows in (10**5, 10**6):
        results = league(100, rows // 8)
        read = f"{len(results):,} rows of a file read and judged (pandas: read)"
        here, there = (alone(work, results, 2)[0] for work in (load, read_csv))
        yield read, "s", here, "pandas.read_csv", there
    used = "pandas, scipy.optimize, scipy.sparse.csgraph"
    ours, base = map(import_seconds, ("liga_analysis", used))
    yield "import", "s", ours, f"import {used}", base
    import report  # it brings the whole of Jupyter: not for the processes above

    best = report.fastest(report.EXAMPLE, rounds)
    for name in ("empty notebook, same imports", "empty notebook by papermill"):
        yield "liga report, by the clock", "s", best["report"], name, best[name]


def growth(largest: int):
    """Rows of ever larger tables, each beside the one before: players doubled, then to the end."""
    before = None
    for players in (10_000, 20_000, 40_000, 80_000, 100_000, 1_000_000):
        if players > largest:
            return
        results = league(players, players)
        here, peak, _ = alone(rate_and_estimate, results, 4 if players <= 100_000 else 1)
        growing = f"{players:,} players, {len(results):,} results: θ̂, u, σ, τ"
        beside = ("", np.nan) if before is None else (f"{before[0]:,} players", before[1])
        yield growing, "s", here, *beside
        before = players, here
        if players >= 100_000:
            yield "its peak memory, imports and table included", "MB", peak, "", np.nan
        if players == 100_000:
            here, peak, _ = alone(table, results, 1)
            yield "the same from file to table", "s", here, "", np.nan
            yield "its peak memory, imports included", "MB", peak, "", np.nan


def shown(row: tuple, patience: int) -> tuple:
    """A line in words; ratio above 1: faster or smaller here."""
    work, unit, here, other, there = row
    if there == np.inf:
        return work, f"{here:.3g} {unit}", other, f"> {patience} s", f"> {patience / here:,.0f}"
    if np.isnan(there):
        return work, f"{here:.3g} {unit}", other or "–", "–", "–"
    ratio = f"{there / here:,.0f}" if there > 100 * here else f"{there / here:.2g}"
    return work, f"{here:.3g} {unit}", other, f"{there:.3g} {unit}", ratio


def machine() -> str:
    """Where, when and with what."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    model = [line.split(": ")[1] for line in lines if line.startswith("model name")]
    model = (model or [platform.processor()])[0]
    parts = [f"{name} {version(name)}" for name in PACKAGES]
    found = {package: in_r(package, league(5, 6)) for package in IN_R}
    parts += [f"{package} {there[-1]}" for package, there in found.items() if there]
    cores, python = os.cpu_count(), platform.python_version()
    return f"{date.today()}, {cores} × {model}, Python {python}, {', '.join(parts)}."


def main(arguments: list[str] | None = None) -> None:
    """Compare, and print the table."""
    parser = argparse.ArgumentParser(description="Speed: see benchmarks/README.md.")
    for name, number in (("largest", 1_000_000), ("patience", 60), ("rounds", 2)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    given = parser.parse_args(arguments)
    print(machine() + "\n")
    print("| work | liga_analysis | beside | its | ratio |\n| :--- | ---: | :--- | ---: | ---: |")
    for row in comparisons(given.largest, given.patience, given.rounds):
        print(f"| {' | '.join(shown(row, given.patience))} |", flush=True)


if __name__ == "__main__":
    main()
