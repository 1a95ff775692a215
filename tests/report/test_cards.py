"""Cards: the way to the next place by playing it, rivals and receipts against other routes."""

import pandas as pd
import pytest
from samples import DATA

from liga_analysis.model.draws import chances
from liga_analysis.model.pairs import sd_difference
from liga_analysis.model.ranking import development, qualified, season_fit, standings
from liga_analysis.model.rating import fit_ratings
from liga_analysis.report.card_texts import card_texts
from liga_analysis.report.cards import RIVALS, moves, next_places, player_cards
from liga_analysis.report.overview import survey
from liga_analysis.season.season import load_season

LINEAR = 1e-6  # chips: solving twice, with chips in the thousands
CHIP = 0.01  # a step beyond level, far above rounding


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


@pytest.fixture(scope="module")
def made(season):
    fit, ranked = season_fit(season), qualified(season)
    table = standings(season)
    return fit, table, player_cards(season, fit, table, chances(fit, ranked))


def played(season, player, evening, chips):
    """Ratings had the player won so much more that evening, from the others in equal parts."""
    results = season.results.copy()
    there = results["evening"] == evening
    mine = there & (results["player"] == player)
    results.loc[there & ~mine, "result"] -= chips / (there.sum() - 1)
    results.loc[mine, "result"] += chips
    return fit_ratings(results).theta


def test_the_next_place_takes_so_much(season, made):
    """Played again with that result the two are level, with a little more the rank is reached."""
    fit, table, _ = made
    steps = next_places(season, fit, table)
    rank = table.set_index("player")["rank"]
    ranked = rank.index[rank.notna()]
    assert set(steps) == set(ranked)
    for player, step in steps.items():
        theta = played(season, player, step["evening"], step["chips"])
        assert theta[player] == pytest.approx(theta[step["player"]], abs=LINEAR)
        beyond = step["chips"] + (CHIP if step["chips"] > 0 else -CHIP)
        after = played(season, player, step["evening"], beyond)[ranked].rank(ascending=False)
        assert after[player] == (step["rank"] if rank[player] > 1 else 2)
        short = step["chips"] - (CHIP if step["chips"] > 0 else -CHIP)
        before = played(season, player, step["evening"], short)[ranked].rank(ascending=False)
        assert before[player] == rank[player]


def test_the_next_evening_takes_so_much_even_of_a_leader_who_may_be_missing():
    """Played with the leader there: a little more and the second leads, a little less and not."""
    season = load_season(DATA.parents[1] / "data" / "beispielliga" / "2026")
    report = survey(season)
    step = next(card["coming"] for card in report.cards if card["player"] == "Helene")
    assert step["other"] == "Mareike" in report.dropping
    field = [*report.next.field, "Mareike"]
    for more, first in ((CHIP, "Helene"), (-CHIP, "Mareike")):
        coming = pd.DataFrame({"evening": 13, "player": field, "result": -1 / (len(field) - 1)})
        coming.loc[coming["player"] == "Helene", "result"] = 1.0
        coming["result"] *= step["result"] + more
        theta = fit_ratings(pd.concat([season.results, coming])).theta
        assert theta[["Helene", "Mareike"]].idxmax() == first


def test_it_is_their_last_evening(season, made):
    """The evening is the last one the player attended."""
    fit, table, _ = made
    last = season.results.groupby("player")["evening"].max()
    for player, step in next_places(season, fit, table).items():
        assert step["evening"] == last[player]


def test_shared_leads_and_lone_players_have_no_next_place(case, season_file):
    """Case 08's leaders share; a lone player has nobody to win from."""
    shared = case("08")
    steps = next_places(shared, season_fit(shared), standings(shared))
    assert set(steps) == {"Clara"}
    lone = season_file("evening,player,result\n1,A,0\n")
    assert next_places(lone, season_fit(lone), standings(lone)) == {}


def test_rivals_are_the_nearest_in_the_ranking(made):
    """Up to two on either side, nearest first, with Φ of the difference over its deviation."""
    from scipy.stats import norm

    fit, table, found = made
    order = list(table.loc[table["qualified"], "player"])
    deviation = sd_difference(fit)
    for card in found:
        k = order.index(card["player"])
        above, below = order[:k][::-1][:RIVALS], order[k + 1 :][:RIVALS]
        assert [rival["player"] for rival in card["above"]] == above
        assert [rival["player"] for rival in card["below"]] == below
        for rival in card["above"] + card["below"]:
            gap = fit.theta[card["player"]] - fit.theta[rival["player"]]
            z = gap / deviation.loc[card["player"], rival["player"]]
            assert rival["p"] == pytest.approx(norm.cdf(z), rel=1e-9)


def test_cards_know_their_evenings(season, made):
    """Results as they were; best and worst among them; the receipt adds up to the rating."""
    for card in made[2]:
        mine = season.results[season.results["player"] == card["player"]]
        assert [row["result"] for row in card["results"]] == list(mine["result"])
        assert card["best"]["result"] == mine["result"].max()
        assert card["worst"]["result"] == mine["result"].min()
        parts = card["receipt"]
        total = parts["total"] + parts["imbalance"] + parts["field_strength"]
        rating = total / (parts["evenings"] + parts["lam"])
        assert rating == pytest.approx(card["rating"], rel=1e-9)


def test_the_comparison_keeps_total_and_balance_apart(season_file):
    """Anna's +530 and +300 are 830; half of the 30 chips too many is told beside it."""
    rows = "1,Anna,1,2530\n1,Ben,1,1500\n2,Anna,1,2300\n2,Ben,1,1700\n"
    report = survey(season_file("evening,player,entries,chips_out\n" + rows))
    (ben,) = [card for card in report.cards if card["player"] == "Ben"]
    told = card_texts(report, ben)["compare"].striptags()
    assert "830 + Ausgleich −15 + " in told


def test_guests_have_no_card(season_file):
    """A different unknown person each time."""
    season = season_file("evening,player,result\n1,A,5\n1,Gast,-5\n")
    fit = season_fit(season)
    found = player_cards(season, fit, standings(season), chances(fit, qualified(season)))
    assert [card["player"] for card in found] == ["A"]


def test_moves_are_differences_of_ranks():
    """Two tables by hand: up is positive, new and unranked players have none.

    C is first when A has left the ranking, but has passed nobody.
    """
    table = pd.DataFrame(
        [
            (1, "A", 1),
            (1, "B", 2),
            (1, "C", None),
            (2, "B", 1),
            (2, "A", 2),
            (2, "C", 3),
            (2, "D", 4),
        ],
        columns=["evening", "player", "rank"],
    ).assign(rank=lambda t: t["rank"].astype("Int64"))
    moved = moves(table)
    assert moved[["A", "B"]].tolist() == [-1, 1]
    left = table[table["evening"] == 1].assign(rank=[None, 1, 2], evening=2)
    before = table[table["evening"] == 1].assign(rank=[1, 2, 3])
    assert moves(pd.concat([before, left]).astype({"rank": float}))[["B", "C"]].tolist() == [0, 0]
    assert moved[["C", "D"]].isna().all()
    assert moves(table[table["evening"] == 1]).isna().all()


def test_moves_of_a_season(season):
    """They lead from the table of the evening before to the last."""
    moved = moves(development(season))
    now = standings(season).set_index("player")["rank"]
    before = standings(season.through(season.held[-2])).set_index("player")["rank"]
    known = moved.dropna()
    assert (before[known.index] - now[known.index] == known).all()
