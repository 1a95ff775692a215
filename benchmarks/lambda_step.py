"""How fast does λ move? Times of one run, and the ratios between them.

Prints the table of the section "Exploring λ" of README.md, as Markdown:

    python benchmarks/lambda_step.py
"""

from time import perf_counter

import numpy as np
from sklearn.linear_model import Ridge

from liga_analysis.rating import fit_ratings, play_graph
from liga_analysis.sensitivity import lambda_path
from liga_analysis.simulation import simulate_results

PLAYERS, EVENINGS, LAMS = 50, 40, np.geomspace(0.1, 360, 200)


def best(task, times: int = 7) -> float:
    """Shortest of some runs, in ms: the others were held up."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        task()
        taken.append(perf_counter() - start)
    return 1000 * min(taken)


def main() -> None:
    results, _ = simulate_results(PLAYERS, EVENINGS, seed=1)
    graph = play_graph(results)
    X, y = graph.design, graph.y
    fit, ranked = fit_ratings(graph), np.ones(graph.n_players, bool)

    def ridges():
        return [Ridge(alpha=lam, fit_intercept=False).fit(X, y).coef_ for lam in LAMS]

    step = best(lambda: fit_ratings(graph, 5.0), 200)
    path, ridge = best(lambda: lambda_path(fit, ranked, LAMS)), best(ridges, 3)
    np.testing.assert_allclose(lambda_path(fit, ranked, LAMS).ratings, ridges(), atol=1e-6)
    print(f"{graph.n_players} players, {EVENINGS} evenings, {len(y)} results; {len(LAMS)} λ.\n")
    print("| | ms | ratio |\n| :--- | ---: | ---: |")
    print(f"| one λ: ratings and uncertainties | {step:.2f} | {ridge / len(LAMS) / step:.0f} |")
    print(f"| {len(LAMS)} λ at once: ratings and ranks | {path:.1f} | {ridge / path:.0f} |")
    print(f"| {len(LAMS)} fits of sklearn's Ridge: ratings | {ridge:.0f} | 1 |")


if __name__ == "__main__":
    main()
