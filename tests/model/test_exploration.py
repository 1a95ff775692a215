"""The exploration of λ: its tables by other routes, its sentences, charts, and what-if."""

import json

import numpy as np
import pytest
import vl_convert
from samples import DATA

from liga_analysis.explore import story as lambda_story
from liga_analysis.explore import widgets
from liga_analysis.model.exploration import changed, explore
from liga_analysis.model.ranking import standings
from liga_analysis.pages import lambda_charts, look, views
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError, Words

EXACT = 1e-9  # two exact routes to one number
PAIR = """evening,date,player,result
1,2026-01-10,Anna,900
1,2026-01-10,Ben,-900
2,2026-02-10,Anna,-300
2,2026-02-10,Ben,300
"""
APART = PAIR.replace("2,2026-02-10,Anna", "2,2026-02-10,Ida").replace(
    "2,2026-02-10,Ben", "2,2026-02-10,Jan"
)
NOBODY = "".join(
    ["evening,date,player,result\n"]
    + [f"{e},2026-01-{9 + e},P{e},5\n{e},2026-01-{9 + e},Q{e},-5\n" for e in range(1, 5)]
)
SEASONS = {"pair": PAIR, "apart": APART, "nobody": NOBODY}
ASKED = ("why", "what_if", "want", "evenings", "sure", "connections")


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


@pytest.fixture(scope="module")
def found(season):
    return explore(season)


def charts(found):
    lam, words = found.fit.lam, found.words
    return {
        "ratings": lambda_charts.ratings(found.over_lambda, lam, words),
        "ranks": lambda_charts.rank_lines(
            found.over_lambda, found.swaps, found.podium_interval, lam, words
        ),
        "scores": lambda_charts.scores(found.scores, lam, words),
        "errors": lambda_charts.errors(found.scores, lam, words),
        "influence": lambda_charts.influence(found.influence, words),
        "chances": lambda_charts.chances(found.chances, words),
        "matrix": lambda_charts.matrix(found.pairs, words),
    }


@pytest.fixture(scope="module")
def specs(found):
    return {kind: look.spec(chart) for kind, chart in charts(found).items()}


@pytest.mark.parametrize("k", [0, 37, 60, 120])
def test_the_table_over_lambda_is_the_table_at_each_lambda(season, found, k):
    """Rating, uncertainty, rank and line as `standings` has them at that λ."""
    lam = found.lams[k]
    table = found.over_lambda
    table = table[table["lam"] == lam].sort_values("place")
    truth = standings(season, lam)
    assert list(table["player"]) == list(truth["player"])
    assert list(table["rank"].fillna(0)) == list(truth["rank"].fillna(0))
    np.testing.assert_allclose(table["rating"], truth["rating"], rtol=EXACT)
    np.testing.assert_allclose(table["uncertainty"], truth["uncertainty"], rtol=EXACT)
    np.testing.assert_allclose(table["tau"], found.fit.sigma / lam**0.5, rtol=EXACT)


def test_influence_is_the_difference_to_a_refit(season, found):
    """θ̂ less θ̂ from the results without the evening, for everybody who has another."""
    table = found.influence.set_index(["evening", "player"])
    for evening in season.held[:3]:
        left = explore(changed(season, without=[evening])).fit.theta
        for player in set(found.inside) & set(left.index):
            shift = found.fit.theta[player] - left[player]
            assert table.loc[(evening, player), "shift"] == pytest.approx(shift, abs=1e-6)


def test_pairs_say_the_same_from_both_sides(found):
    """P(i above j) and P(j above i) make one, with the same ±."""
    pairs = found.pairs.set_index(["player", "other"])
    turned = pairs.swaplevel().loc[pairs.index]
    np.testing.assert_allclose(pairs["p"] + turned["p"], 1, rtol=EXACT)
    np.testing.assert_allclose(pairs["sd"], turned["sd"], rtol=EXACT)


def test_the_headline_says_where_the_podium_stays(found):
    """The first sentence has the ends of the interval in it."""
    low, high = found.podium_interval
    sentence = lambda_story.headline(found)[0]
    ends = [found.words.number(end) for end in (low, high) if 0 < end < np.inf]
    assert all(end in sentence for end in ends)
    assert sentence.startswith("Die Reihenfolge auf dem Podium")


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", SEASONS)
def test_the_smallest_seasons_are_told_and_drawn(season_file, name, language):
    """Two players, two groups, nobody in der Wertung: sentences without gaps, charts or none."""
    found = explore(season_file(SEASONS[name], language=language))
    for section in ASKED:
        told = getattr(lambda_story, section)(found)
        assert all(sentence and "nan" not in sentence for sentence in told)
    assert lambda_story.headline(found)
    for chart in charts(found).values():
        assert chart is None or vl_convert.vegalite_to_svg(chart.to_dict())


def test_groups_that_never_met_are_marked_at_their_pairs(season_file):
    """Eight of the twelve pairs lie between the groups, both ways round."""
    found = explore(season_file(APART))
    assert found.pairs["apart"].sum() == 8
    assert "2 Gruppen" in lambda_story.connections(found)[1]
    assert "durch keinen Abend verbunden" in lambda_story.sure(explore(season_file(APART)))[2]


def test_every_chart_is_told_in_words_and_can_be_drawn(specs):
    """A description with numbers, a size in pixels, drawn by Vega itself."""
    for spec in specs.values():
        assert any(c.isdigit() for c in spec["description"])
        assert isinstance(spec["width"], int) and isinstance(spec["height"], int)
        assert vl_convert.vegalite_to_svg(spec)


def test_the_slider_shows_the_table_of_its_lambda(found, specs):
    """Moved by ten steps, Vega writes the ratings of that λ."""
    spec = json.loads(json.dumps(specs["ratings"]))
    (param,) = (p for p in spec["params"] if p["name"] == "step")
    param["value"] = step = 50
    drawn = vl_convert.vegalite_to_svg(spec)
    table = found.over_lambda
    first = table[(table["lam"] == found.lams[step]) & (table["place"] == 1)].iloc[0]
    words = found.words
    assert f"{words.chips(first['rating'])} ± {words.chips(first['uncertainty'])}" in drawn
    assert f"1  {first['player']}" in drawn or f"1 {first['player']}" in drawn
    assert words.text("explore.at", lam=first["lam"], tau=first["tau"]) in drawn


def test_many_players_stay_small(specs):
    """A row for each player, whatever the number of λ: fewer than 5,000 rows in a chart."""
    for spec in specs.values():
        rows = sum(len(data) for data in spec.get("datasets", {}).values())
        assert rows + len(spec.get("data", {}).get("values", [])) < 5000


def test_names_are_data_in_every_chart(season_file):
    """A name that is an expression stays a name."""
    season = season_file(PAIR.replace("Anna", "'+alert(1)+'"))
    for chart in charts(explore(season)).values():
        if chart is not None:
            assert "alert" not in json.dumps(chart.to_dict().get("title", ""))


def test_other_results_are_another_season():
    """A changed result moves total and chips; one left out and an evening left out are gone."""
    season = load_season("data/beispielliga/2026")
    evening = season.held[0]
    rows = season.results[season.results["evening"] == evening]
    (one, two), old = rows["player"][:2], rows.set_index("player")
    other = changed(season, {(evening, one): 123.0, (evening, two): None})
    new = other.results[other.results["evening"] == evening].set_index("player")
    assert new.at[one, "result"] == 123.0
    moved = new.at[one, "chips_out"] - old.at[one, "chips_out"]
    assert moved == 123.0 - old.at[one, "result"]
    assert two not in new.index
    assert evening not in changed(season, without=[evening]).held
    assert season.results.equals(load_season("data/beispielliga/2026").results)


def test_what_if_shows_the_table_before_and_after(season):
    """The row of each player: rank and rating of both tables, and the change."""
    before, after = standings(season), standings(changed(season, without=season.held[-1:]))
    page = str(views.comparison(season, before, after))
    player, words = after["player"][0], season.words
    was = before.set_index("player").at[player, "rating"]
    assert words.chips(was) in page
    assert words.chips(after["rating"][0]) in page
    assert words.signed(after["rating"][0] - was) in page


def test_what_if_answers_to_its_fields(season):
    """A result changed, left out, an evening left out, all undone: the table follows."""
    box = widgets._WhatIf(season, None, None)
    start = box.table.value
    field, counts = box.rows.children[0].children
    field.value += 1000
    assert box.table.value != start
    assert box.sum.value == "Summe des Abends: +1.000, sie sollte 0 sein."
    counts.value = False
    assert field.disabled
    box.left_out.value = True
    assert season.held[-1] in box.without
    box.reset.click()
    assert box.table.value == start
    assert box.sum.value == ""


def test_without_any_evening_left_it_says_so(season_file):
    """No table, but a sentence."""
    season = season_file("evening,date,player,result\n1,2026-01-10,A,5\n1,2026-01-10,B,-5\n")
    box = widgets._WhatIf(season, None, None)
    box.left_out.value = True
    assert box.table.value == "Es bleibt kein Abend übrig."


def test_the_widget_needs_an_evening(season):
    """Without one there is nothing to explore."""
    with pytest.raises(DataError):
        widgets.explore(changed(season, without=season.held))


def test_the_language_of_the_words_is_that_of_the_chart(found):
    """English words make an English chart."""
    chart = lambda_charts.ratings(found.over_lambda, found.fit.lam, Words("en"))
    assert "Rating at" in chart.to_dict()["title"]["text"]["expr"]
