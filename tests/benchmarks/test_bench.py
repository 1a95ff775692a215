"""The speed table compares the same work: what each program finds is the same."""

import bench
import numpy as np
import pytest

ITERATED = 1e-3  # how near iterating programs come to the optimum
ROUNDED = 1e-9  # closed forms


@pytest.fixture(scope="module")
def results():
    return bench.simulate_results(12, 15, 1, 2400.0, 1500.0, (5, 8))[0]


@pytest.fixture(scope="module")
def found(results):
    return bench.estimate(results)()


def test_ridge_finds_the_same_ratings(results):
    """From the table, and at each λ."""
    np.testing.assert_allclose(bench.rate(results)(), bench.ridge(results)(), rtol=ROUNDED)
    np.testing.assert_allclose(bench.path(results)(), bench.ridges(results)(), rtol=1e-6, atol=1e-6)


def test_a_file_is_read_as_it_is(results):
    """Read and judged it says the same as read."""
    rows = [work(results)().astype({"player": str}) for work in (bench.load, bench.read_csv)]
    here, there = (r.sort_values(["evening", "player"], ignore_index=True) for r in rows)
    for column in ("evening", "player"):
        assert here[column].tolist() == there[column].tolist()
    np.testing.assert_allclose(here["result"], there["result"], rtol=ROUNDED)


def test_openskill_rates_everybody(results):
    """A rating for each player, and the best of them is the best."""
    mu = bench.openskill(results)()
    assert set(mu) == set(results["player"])
    assert np.corrcoef([mu[player] for player in sorted(mu)], bench.rate(results)())[0, 1] > 0.5


def test_statsmodels_finds_the_same(results, found):
    """MixedLM with a fixed effect for every evening is the REML estimate."""
    assert bench.mixedlm(results)() == pytest.approx(found, rel=ITERATED)
    assert bench.rate_and_estimate(results)() == found


@pytest.mark.parametrize("package", bench.IN_R)
def test_r_finds_the_same(results, found, package):
    """So do lmer and gam, where they are installed; out of patience they find nothing."""
    by_r = bench.in_r(package, results)
    if by_r is None:
        pytest.skip(f"no R with {package}")
    assert by_r[2] == pytest.approx(found, rel=ITERATED)


def test_a_process_of_its_own_says_what_it_took(results, found):
    """Seconds, memory in MB, and what was found."""
    seconds, peak, again = bench.alone(bench.estimate, results)
    assert 0 < seconds < 10
    assert 20 < peak < 2000
    assert again == found


def test_without_r_the_table_goes_without_it(monkeypatch, results):
    """No error, and no row of a program that is not there."""
    monkeypatch.setenv("PATH", "")
    assert bench.in_r("lme4", results) is None
    assert "lme4" not in bench.machine()


def test_a_row_says_how_many_times():
    """Above 1: here it is faster; where patience ran out, a bound."""
    assert bench.shown(("x", "s", 0.5, "other", 2.0), 60) == ("x", "0.5 s", "other", "2 s", "4")
    assert bench.shown(("x", "s", 0.5, "other", np.inf), 60)[3:] == ("> 60 s", "> 120")
    assert bench.shown(("x", "s", 0.5, "other", np.nan), 60)[3:] == ("–", "–")
