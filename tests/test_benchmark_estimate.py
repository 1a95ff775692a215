"""The speed comparison compares the same thing: all three find the same σ and τ."""

import estimate
import numpy as np
import pytest

from liga_analysis.simulation import simulate_results

ITERATED = 1e-3  # how near iterating programs come to the optimum


@pytest.fixture(scope="module")
def results():
    return simulate_results(12, 15, np.random.default_rng(1), 2400.0, 1500.0, (5, 8))[0]


def test_statsmodels_finds_the_same(results):
    """MixedLM with a fixed effect for every evening is the REML estimate."""
    assert estimate.statsmodels(results) == pytest.approx(estimate.ours(results), rel=ITERATED)


def test_lme4_finds_the_same(results):
    """So is lmer, where R and lme4 are installed."""
    found = estimate.lme4(results)
    if found is None:
        pytest.skip("no R with lme4")
    assert found[1:] == pytest.approx(estimate.ours(results), rel=ITERATED)


def test_without_r_the_table_goes_without_lme4(monkeypatch, capsys):
    """Two rows then, and no error."""
    monkeypatch.setattr(estimate.shutil, "which", lambda _: None)
    estimate.main(["--players", "8", "--evenings", "6"])
    shown = capsys.readouterr().out
    assert "statsmodels" in shown
    assert "lme4" not in shown
