"""σ, τ, λ, ratings and uncertainties of eight seasons are those of lme4 and mgcv.

tests/data/reference/README.md says how the numbers were made.
"""

import io
import runpy
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from samples import DATA

from liga_analysis.model.pairs import sd_difference
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance

FOLDER = DATA / "reference"
CLOSE = 1e-5  # a flat optimum is found to the root of rounding, τ̂ near 0 to some 1e-6
PRINTED = 1e-8  # ten digits, where nothing is searched


def read(file) -> pd.DataFrame:
    return pd.read_csv(file, comment="#", dtype={"name": str}).set_index(["season", "quantity"])


SEASONS = pd.read_csv(FOLDER / "seasons.csv")
REFERENCE = read(FOLDER / "reference.csv")
NAMES = SEASONS["season"].unique()


def known(name, quantity, program):
    """One quantity of one season by one program, by name."""
    found = REFERENCE.loc[[(name, quantity)]]
    return found[found["program"] == program].set_index("name")["value"]


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def results(name):
    return SEASONS[SEASONS["season"] == name]


@pytest.fixture
def estimate(results):
    return estimate_variance(results)


def test_reml(name, results, estimate):
    """σ̂, τ̂ and the criterion are lme4's, and mgcv's where τ̂ > 0; else τ̂ is exactly 0."""
    reml = known(name, "reml", "lme4")
    assert (estimate.tau == 0) == (reml["tau"] == 0)
    for program in ["lme4", "mgcv"][: 1 + (estimate.tau > 0)]:
        found = known(name, "reml", program)[["sigma", "tau"]]
        assert [estimate.sigma, estimate.tau] == pytest.approx(found.tolist(), rel=CLOSE)
    deviance = -2 * estimate.profile(np.array([estimate.lam]))["log_likelihood"][0]
    constant = np.log(results.groupby("evening").size()).sum()
    assert deviance + constant == pytest.approx(reml["criterion"], rel=PRINTED)


def test_intervals(name, estimate):
    """So are both ends of the 90 % profile intervals, open ones included."""
    reference = known(name, "interval", "lme4")
    found = [end for of in ("sigma", "tau", "lam") for end in estimate.interval(of)]
    order = ["sigma_low", "sigma_high", "tau_low", "tau_high", "lam_low", "lam_high"]
    assert found == pytest.approx(reference[order].tolist(), rel=PRINTED)


@pytest.mark.parametrize("at", ["6", "reml"])
def test_ratings_and_uncertainties(name, results, estimate, at):
    """θ̂, u and the SDs of differences are mgcv's, at λ = 6 and at the REML estimates."""
    if at == "reml" and estimate.tau == 0:
        assert not known(name, "theta_reml", "lme4").any()
        return
    sizes, near = ((6, 2400), PRINTED) if at == "6" else ((estimate.lam, estimate.sigma), CLOSE)
    fit, sd = fit_ratings(results, *sizes), sd_difference(fit_ratings(results, *sizes))
    for program in ["mgcv", "lme4"][: 1 + (at == "reml")]:
        theta = known(name, f"theta_{at}", program)
        assert theta.index.astype(int).tolist() == fit.theta.index.tolist()
        np.testing.assert_allclose(fit.theta, theta, rtol=near, atol=near * fit.tau)
    np.testing.assert_allclose(fit.se, known(name, f"se_{at}", "mgcv"), rtol=near)
    pairs = known(name, f"sd_{at}", "mgcv")
    found = [sd.loc[*map(int, pair.split())] for pair in pairs.index]
    assert found == pytest.approx(pairs.tolist(), rel=near)


def test_seasons_are_what_they_are_called(name, results, estimate):
    """The cases are there: two groups, unbalanced evenings, τ̂ = 0 and near it, few evenings."""
    sums = results.groupby("evening")["result"].sum()
    assert (sums != 0).sum() == 2 * (name == "unbalanced")
    assert estimate.groups == 1 + (name == "groups")
    assert (estimate.tau < 200) == name.endswith("zero")
    assert (len(sums) < 5) == (name == "few")


def test_seasons_can_be_made_again():
    """seasons.csv is what seasons.py makes."""
    made = runpy.run_path(str(FOLDER / "seasons.py"))["seasons"]()
    pd.testing.assert_frame_equal(made.reset_index(drop=True), SEASONS, check_dtype=False)


@pytest.mark.parametrize("some", [NAMES[:2], pytest.param(NAMES, marks=pytest.mark.soak)])
def test_reference_can_be_made_again(some):
    """Where R has lme4 and mgcv, they say the same today."""
    if shutil.which("Rscript") is None:
        pytest.skip("no R")
    seasons = SEASONS[SEASONS["season"].isin(some)].to_csv(index=False)
    command = ["Rscript", str(FOLDER / "reference.R")]
    made = subprocess.run(command, input=seasons, capture_output=True, text=True)
    if "there is no package called" in made.stderr:
        pytest.skip("R without lme4 or mgcv")
    again = read(io.StringIO(made.stdout))
    pd.testing.assert_frame_equal(again, REFERENCE.loc[some], rtol=CLOSE, atol=CLOSE * 100)
