"""How fast are σ, τ and λ with all their intervals, beside REML by statsmodels and by lme4?

Prints the table of the section "Estimating" of README.md, as Markdown:

    python benchmarks/estimate.py --players 200 --evenings 400 --seed 1

lme4 is left out where there is no R with it. Times are of the processor, so that a busy machine can
do them little harm, on one thread: the least of 20, for lme4 of 3, and for statsmodels, which takes
a minute or more, a single one.
"""

import argparse
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from statsmodels.regression.mixed_linear_model import MixedLM
from study import markdown
from threadpoolctl import threadpool_limits

from liga_analysis.simulation import simulate_results
from liga_analysis.variance import estimate_variance

SIGMA, TAU, FIELDS, REPEATS = 2400.0, 1000.0, (6, 10), 20
NAMES = ("sigma", "tau", "lam")
LME4 = """
suppressMessages(library(lme4))
rows <- read.csv(commandArgs(TRUE)[1])
rows$evening <- factor(rows$evening)
seconds <- replicate(3, sum(system.time(
  fit <<- lmer(result ~ 0 + evening + (1 | player), rows, REML = TRUE)
)[c("user.self", "sys.self")]))
cat(min(seconds), sigma(fit), sqrt(VarCorr(fit)$player[1]))
"""


def ours(results: pd.DataFrame) -> tuple[float, float]:
    """REML σ and τ; with them all profile intervals, the pivot interval and the posterior."""
    estimate = estimate_variance(results)
    for name in NAMES:
        estimate.interval(name)
        for p in (0.05, 0.5, 0.95):
            estimate.posterior.quantile(name, p)
    estimate.pivot()
    return estimate.sigma, estimate.tau


def statsmodels(results: pd.DataFrame) -> tuple[float, float]:
    """REML σ and τ by MixedLM, a fixed effect for every evening."""
    evenings = pd.get_dummies(results["evening"]).to_numpy(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it doubts optimum and boundary, rightly or not
        fit = MixedLM(results["result"].to_numpy(), evenings, results["player"]).fit(reml=True)
    return fit.scale**0.5, float(fit.cov_re[0, 0]) ** 0.5


def lme4(results: pd.DataFrame) -> tuple[float, float, float] | None:
    """Seconds and REML σ and τ by lmer, the start of R not counted; None without R and lme4."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "results.csv")
        results.to_csv(table, index=False)
        command = ["Rscript", "-e", LME4, str(table)]
        done = subprocess.run(command, capture_output=True, text=True)
    return tuple(map(float, done.stdout.split())) if done.returncode == 0 else None


def seconds(task, *given, repeats: int = 1):
    """The least processor time of a task, and what it returns."""
    times = []
    for _ in range(repeats):
        start = process_time()
        found = task(*given)
        times.append(process_time() - start)
    return min(times), found


def main(arguments: list[str] | None = None) -> None:
    """Time all three and print the table."""
    parser = argparse.ArgumentParser(description="Speed: see benchmarks/README.md.")
    for name, number in (("players", 200), ("evenings", 400), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    size = parser.parse_args(arguments)
    rng = np.random.default_rng(size.seed)
    results, _ = simulate_results(size.players, size.evenings, rng, SIGMA, TAU, FIELDS)
    with threadpool_limits(1):  # as lme4 has it
        base, (sigma, tau) = seconds(ours, results, repeats=REPEATS)
        by_lme4 = lme4(results)
        time, found = seconds(statsmodels, results)
    rows = [("liga_analysis, with all intervals", base, sigma, tau)]
    rows.append(("statsmodels MixedLM, point estimate", time, *found))
    if by_lme4 is not None:
        rows.append(("lme4, point estimate", *by_lme4))
    head = ("estimator", "CPU seconds", "ratio", "σ", "τ")
    shown = [
        (name, f"{t:.3g}", f"{t / base:,.0f}", f"{s:.2f}", f"{u:.2f}") for name, t, s, u in rows
    ]
    print(f"{size.players} players, {size.evenings} evenings, {len(results)} results\n")
    print(markdown(head, shown))


if __name__ == "__main__":
    main()
