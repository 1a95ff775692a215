"""The simulation study in small: its arithmetic by other routes, its findings in a few seasons."""

from functools import partial

import dask
import joblib
import numpy as np
import pytest
import study
import worlds
from distributed import Client, LocalCluster

from liga_analysis.model.decision import recommendation
from liga_analysis.model.graph import play_graph
from liga_analysis.model.simulation import simulate_results
from liga_analysis.model.variance import estimate_variance
from liga_analysis.research.calibration import WORLDS, mean_and_error

EXACT = 1e-9  # closed forms
ERRORS = 4  # standard errors allowed: one honest run in 16,000 is further out


def graph(evenings=6, tau=1000.0, seed=1):
    """A season of the study."""
    return play_graph(simulate_results(14, evenings, seed, 2400.0, tau, (6, 10))[0])


def outcome(evenings, tau, seasons):
    """Seasons by ways by measures, as the study has them."""
    run = partial(study.season, tau, evenings)
    return np.array(study.replicate(run, (evenings, tau), seasons, seed=1, jobs=1))


@pytest.mark.parametrize("tau", [0.0, 3000.0])
def test_the_rule_moves_or_keeps(tau):
    """The way "rule" has the recommendation's λ and σ, and 6 and 2400 where it does not move."""
    seen = set()
    for seed in range(12):
        estimate = estimate_variance(graph(12, tau, seed))
        advice = recommendation(estimate, 6.0, 2400.0)
        lam, square, weight = study.ways(estimate)[study.WAYS.index("rule")]
        expected = (advice.lam, advice.sigma) if advice.action == "move" else (6.0, 2400.0)
        assert (lam[0], square[0] ** 0.5, weight[0]) == pytest.approx((*expected, 1.0), rel=EXACT)
        seen.add(advice.action)
    assert "move" in seen


@pytest.mark.parametrize("tau", [0, 1000, 2500])
def test_error_of_keeping_six_is_the_expected_one(tau):
    """For λ = 6, p times a season's mean square error is Σ a_k χ²₁, a_k from the spectrum."""
    seasons, expected, variance = 60, [], []
    for seed in range(60):
        played = graph(6, tau, seed)
        d = played.spectrum.d[1:]
        # In direction k the error is −λ/(d + λ) of θ and √d/(d + λ) of the noise.
        a = (36 * tau**2 + 2400**2 * d) / (d + 6) ** 2 / played.n_players
        expected.append(a.sum())
        variance.append(2 * a @ a)
    # The error estimated from 60 seasons is no yardstick: skewed, it is small where the mean is.
    error = np.sqrt((np.mean(variance) + np.var(expected)) / seasons)
    square = outcome(6, tau, seasons)[:, study.WAYS.index("keep 6"), 0]
    assert abs(square.mean() - np.mean(expected)) < ERRORS * error


@pytest.fixture(scope="module")
def sixty():
    """Sixty seasons of six evenings at τ = 1000."""
    return outcome(6, 1000, 60)


def test_published_errors_are_met_in_a_few_seasons(sixty):
    """Sixty seasons of a cell agree with the published errors within sampling error."""
    value, error = study.rmse(sixty[:, :, 0])
    for way, given in zip(study.PUBLISHED_WAYS, study.PUBLISHED[6, 1000], strict=True):
        k = study.WAYS.index(way)
        assert abs(value[k] - given) < ERRORS * error[k]


def test_posterior_average_covers_and_reml_does_not(sixty):
    """At τ = 1000, 90 % intervals hold the truth under the average, far less often under REML."""
    share, error = mean_and_error(sixty[:, :, 1])
    average, reml = (study.WAYS.index(way) for way in ("posterior average", "REML"))
    assert 0.88 - 2 * error[average] <= share[average] <= 0.92 + 2 * error[average]
    assert share[reml] < 0.8


def test_seasons_depend_on_the_seed_and_not_on_where_they_are_made():
    """One job, two and a Dask cluster give the same seasons; more leave the first as they were."""
    run = partial(study.season, 1000, 6)
    one = study.replicate(run, (6, 1000), 3, seed=5, jobs=1)
    two = study.replicate(run, (6, 1000), 4, seed=5, jobs=2)
    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),
        LocalCluster(n_workers=2, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        spread = study.replicate(run, (6, 1000), 4, seed=5, jobs=None)
    np.testing.assert_allclose(one, two[:3], rtol=EXACT)  # threads may add in another order
    np.testing.assert_allclose(spread, two, rtol=EXACT)
    assert not np.allclose(one, study.replicate(run, (6, 1000), 3, seed=6, jobs=1))
    assert not np.allclose(one[0], one[1])


def test_a_study_that_was_stopped_goes_on(tmp_path, monkeypatch):
    """A second run makes what the first had not kept, and ends with the seasons of one run."""
    monkeypatch.setattr(study, "PIECE", 2)
    seeds, patience = [], 3

    def task(seed):
        seeds.append(seed)
        if len(seeds) > patience:
            raise KeyboardInterrupt
        return seed.generate_state(1)[0]

    run = partial(study.replicate, task, (7,), 5, seed=3, jobs=None)
    with pytest.raises(KeyboardInterrupt):
        run(kept=tmp_path)
    patience = 100
    again = run(kept=tmp_path)
    assert len(seeds) == 4 + 3  # the second pair was lost
    assert run(kept=tmp_path) == again
    assert len(seeds) == 4 + 3
    assert run() == again


def test_standard_error_of_a_root_mean_square():
    """The formula agrees with leaving out one season at a time (jackknife)."""
    squares = np.random.default_rng(1).chisquare(5, 400)
    left_out = np.sqrt((squares.sum() - squares) / 399)
    jackknife = np.sqrt(399 / 400 * ((left_out - left_out.mean()) ** 2).sum())
    value, error = study.rmse(squares)
    assert value == pytest.approx(np.sqrt(np.mean(squares)), rel=EXACT)
    assert error == pytest.approx(jackknife, rel=0.01)  # the two differ by O(1/seasons)


def test_podium_chances_sum_to_the_podium():
    """In each season and at each λ, three are on the true podium, and the chances sum to 3."""
    chance = study.podium((5.76, 6.0), 12, np.random.SeedSequence(4))
    sums = chance.groupby("lam")[["p", "hit"]].sum()
    assert list(sums.index) == [5.76, 6.0]
    assert list(sums["hit"]) == [3, 3]
    np.testing.assert_allclose(sums["p"], 3, rtol=EXACT)


def test_the_study_prints_its_tables(capsys, tmp_path, monkeypatch):
    """A run of six seasons a cell prints all tables, with all cells and without a gap."""
    monkeypatch.setattr(study, "KEPT", tmp_path)
    study.main(["--seasons", "6", "--jobs", "1"])
    text = capsys.readouterr().out
    lines = text.splitlines()
    cells = [line for line in lines if line.startswith(("| 6 | ", "| 12 | "))]
    assert len(cells) == 2 * len(study.EVENINGS) * len(study.TAUS)
    assert sum(line.startswith("| θ_i − ") for line in lines) == 4
    assert "Chances of the podium at λ = 5.76" in lines
    assert "Chances of the podium at λ = 6" in lines
    assert "nan" not in text


def test_the_other_worlds_are_printed(capsys):
    """Three seasons in each world print both tables: a row for each, and a column for each."""
    worlds.main(["--seasons", "3"])
    text = capsys.readouterr().out
    assert [line.split()[1] for line in text.splitlines() if " ± " in line] == list(WORLDS)
    assert f"| chance | predicted | {' | '.join(WORLDS)} |" in text
