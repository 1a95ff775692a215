"""Eight questions of an analyst, each answered in at most three lines of the public interface."""

import ast
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import liga_analysis as liga

QUESTIONS = {
    "the table had the season ended at evening 8": """
liga.standings(season.through(8))
""",
    "two seasons side by side in one picture": """
before = liga.load_season("data/beispielliga/2025")
liga.charts.ratings(liga.standings(before)) | liga.charts.ratings(liga.standings(season))
""",
    "pairs whose order holds for every λ of the 90 % posterior": """
posterior = liga.estimate_variance(season.results).posterior
moved = liga.swaps(season, lams=[posterior.quantile("lam", p) for p in (0.05, 0.95)])
both(combinations(liga.chances(season).index, 2)) - both(moved.to_numpy()[:, 1:])
""",
    "podium by λ and evenings left out": """
fits = {lam: liga.season_fit(season, lam) for lam in (3, 6, 12)}
pd.DataFrame({lam: liga.influence(fit, liga.qualified(season)).podium for lam, fit in fits.items()})
""",
    "two leagues pooled": """
liga.standings(liga.pooled([season, liga.load_season("data/beispielliga/2025")]))
""",
    "λ = 15 for newcomers only": """
new = season.licences.set_index("player")["issued"] >= season.results["date"].min()
lam = (6.0 + 9.0 * new).reindex(liga.season_fit(season).theta.index, fill_value=15.0)
liga.fit_ratings(season.results, lam=lam).theta
""",
    "each evening weighs 0.9 of the one after it": """
weights = pd.Series(0.9 ** np.arange(len(season.held))[::-1], season.held)
liga.fit_ratings(season.results, weights=weights).theta
""",
    "σ̂ at λ = 6": """
liga.estimate_variance(season.results).sigma_at(6)
""",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_takes_three_lines(question):
    """At most three, and the last one is the answer."""
    lines = QUESTIONS[question].strip().splitlines()
    assert len(lines) <= 3
    known = {
        "liga": liga,
        "np": np,
        "pd": pd,
        "combinations": combinations,
        "both": lambda pairs: set(map(frozenset, pairs)),
        "season": liga.load_season("data/beispielliga/2026"),
    }
    *before, last = ast.parse("\n".join(lines)).body
    exec(compile(ast.Module(before, []), question, "exec"), known)
    answer = eval(compile(ast.Expression(last.value), question, "eval"), known)
    assert answer is not None and np.size(answer)
