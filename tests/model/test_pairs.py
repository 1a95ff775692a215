"""Pairs of players, and what connects them: by hand, by a search, by draws."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from samples import fields, inverse, joint_draws, random_season
from scipy.stats import norm

from liga_analysis.model.pairs import better_than, bridges, comparisons, groups, sd_difference
from liga_analysis.model.rating import fit_ratings

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = 1e-9  # closed forms by two routes
SAMPLING = 4.5  # standard errors; one check in 150,000 would exceed it by chance


season = partial(random_season, n_players=9, n_evenings=8, least=3)


def test_better_than_and_sd_of_a_difference():
    """Sd is √(aᵀCov a), a = e_i − e_j; P(i above j) is Φ(θ̂ difference/sd) and that of the draws."""
    fit = fit_ratings(season(7), lam=3.0, sigma=1500)
    cov, theta, names = inverse(fit), fit.theta.to_numpy(), fit.theta.index
    sd, better, sample = sd_difference(fit), better_than(fit), joint_draws(fit).to_numpy()
    for i, j in itertools.permutations(range(len(names)), 2):
        a = np.eye(len(names))[i] - np.eye(len(names))[j]
        expected = np.sqrt(a @ cov @ a)
        assert sd.iloc[i, j] == pytest.approx(expected, rel=ROUNDING)
        p = norm.cdf((theta[i] - theta[j]) / expected)
        assert better.loc[names[i], names[j]] == pytest.approx(p, rel=ROUNDING)
        share = (sample[:, i] > sample[:, j]).mean()
        assert abs(share - p) < SAMPLING * np.sqrt(p * (1 - p) / len(sample))
    assert (np.diag(sd) == 0).all() and np.isnan(np.diag(better)).all()
    np.testing.assert_allclose(
        better + better.T + np.eye(9), np.ones((9, 9)) + np.diag([np.nan] * 9)
    )


def test_comparisons_say_what_connects_a_pair():
    """Shared evenings, steps of the shortest chain, and sd: τ√2 where only the prior compares."""
    fit = fit_ratings(fields("ABC", "AB", "CD", "DE", "XY", "Q", "R"))
    table = comparisons(fit).set_index(["player", "other"])
    assert len(table) == 9 * 8 / 2
    for pair, evenings, steps in (
        ("AB", 2, 1), ("AC", 1, 1), ("AD", 0, 2), ("AE", 0, 3), ("AX", 0, np.inf),
        ("QR", 0, np.inf), ("XY", 1, 1),
    ):  # fmt: skip
        assert table.loc[tuple(pair), "evenings"] == evenings
        assert table.loc[tuple(pair), "steps"] == steps
    cov = pd.DataFrame(inverse(fit), fit.theta.index, fit.theta.index)
    for (i, j), row in table.iterrows():
        sd = np.sqrt(cov.loc[i, i] + cov.loc[j, j] - 2 * cov.loc[i, j])
        assert row.sd == pytest.approx(sd, rel=ROUNDING)
        assert row.settled == pytest.approx(1 - sd**2 / (2 * fit.tau**2), abs=ROUNDING)
    assert table.loc[("Q", "R"), "sd"] == pytest.approx(fit.tau * np.sqrt(2), rel=ROUNDING)
    assert table.sd.is_monotonic_decreasing and table.index[0] == ("Q", "R")
    # Nothing but the prior lies between two groups: their errors are independent.
    apart = table.loc[("A", "X"), "sd"]
    assert apart == pytest.approx(np.hypot(fit.se["A"], fit.se["X"]), rel=ROUNDING)


def test_groups_that_never_met():
    """Each group with its players, and how uncertain a comparison with the others is."""
    fit = fit_ratings(fields("XY", "ABC", "AC", "Q"))
    table = groups(fit)
    assert table.players.tolist() == [["A", "B", "C"], ["X", "Y"], ["Q"]]
    sd = sd_difference(fit)
    assert table.sd[1] == pytest.approx(np.median(sd.loc[["X", "Y"], ["A", "B", "C", "Q"]]))
    one = groups(fit_ratings(fields("AB", "BC")))
    assert one.players.tolist() == [["A", "B", "C"]] and one.sd.isna().all()


def test_bridges_player_and_evening():
    """Who or what alone holds two parts together is named, with the smaller part."""
    fit = fit_ratings(fields("ABCE", "ABC", "EXY", "XYE", "UV", "UV"))
    table = bridges(fit)
    assert table[["kind", "bridge"]].values.tolist() == [["player", "E"], ["evening", 1]]
    sd = sd_difference(fit)
    player, evening = table.itertuples(index=False)
    assert (player.players, player.rest) == (["X", "Y"], 3)
    assert player.sd == pytest.approx(np.median(sd.loc[["X", "Y"], list("ABC")]))
    assert (evening.players, evening.rest) in ((list("ABC"), 3), (list("EXY"), 3))
    assert evening.sd == pytest.approx(np.median(sd.loc[list("EXY"), list("ABC")]))


@pytest.mark.parametrize("seed", range(5))
def test_bridges_equal_a_search_through_chains(seed):
    """Bridges are those found by spreading from player to player without the bridge."""
    rng = np.random.default_rng(seed)
    evenings = ["".join(rng.choice(list("ABCDEFGHIJ"), 3, replace=False)) for _ in range(6)]

    def parts(evenings, players):
        left, found = set(players), []
        while left:
            part, grown = {left.pop()}, True
            while grown:
                more = set().union(*(e for e in evenings if part & set(e))) & set(players) | part
                grown, part = more != part, more
            left -= part
            found.append(part)
        return found

    players = sorted(set("".join(evenings)))
    expected = set()
    for whole in parts(evenings, players):
        cuts = [("player", p, evenings, whole - {p}) for p in whole]
        cuts += [
            ("evening", s + 1, evenings[:s] + evenings[s + 1 :], whole)
            for s, e in enumerate(evenings)
            if set(e) <= whole
        ]
        for kind, bridge, rest, remaining in cuts:
            sides = [part for part in parts(rest, remaining) if len(part) > 1]
            if len(sides) > 1:
                expected.add((kind, bridge, len(sides) - 1))
    table = bridges(fit_ratings(fields(*evenings)))
    found = table.groupby(["kind", "bridge"]).size()
    assert {(*key, n) for key, n in found.items()} == expected


def test_no_bridge_in_a_league_that_meets():
    """Where all sit together often there is no bridge, also if somebody came only once."""
    assert bridges(fit_ratings(fields("ABCD", "ABCD", "ABCDZ"))).empty
