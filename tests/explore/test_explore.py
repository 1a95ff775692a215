"""The exploration of λ: its tables by other routes, its sentences, charts and widgets."""

import json

import numpy as np
import pandas as pd
import pytest
import vl_convert
from samples import DATA

import liga_analysis as liga
from liga_analysis.explore import story
from liga_analysis.explore.by_hand import changed
from liga_analysis.pages import charts, look
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
ASKED = (
    story.headline,
    story.in_short,
    story.what_lambda_does,
    story.half_and_double,
    story.wanted_lambda,
    story.decisive_evenings,
    story.sureness,
    story.connections,
)


@pytest.fixture(scope="module")
def season():
    return liga.load_season(DATA / "season_a.csv")


def drawn(season):
    """Every chart of the notebook."""
    fit, ranked, words = liga.season_fit(season), liga.qualified(season), season.words
    order = liga.chances(season).index if ranked.any() else []
    made = {
        "over_lambda": charts.over_lambda(liga.over_lambda(season), fit.lam, words),
        "ranks": charts.rank_lines(
            liga.lambda_path(season), liga.swaps(season), liga.podium_interval(season), words
        ),
        "influence": charts.influence(liga.influence(season), words),
        "chances": charts.chances(liga.chances(season), words),
        "pairs": charts.pairs(liga.comparisons(fit), order, words),
    }
    try:
        table = liga.scores(season)
    except liga.CannotEstimate:
        return made
    return made | {
        "scores": charts.scores(table, fit.lam, words),
        "errors": charts.errors(table, fit.lam, words),
    }


@pytest.fixture(scope="module")
def specs(season):
    return {kind: look.spec(chart) for kind, chart in drawn(season).items()}


@pytest.mark.parametrize("k", [0, 37, 60, 120])
def test_the_table_over_lambda_is_the_table_at_each_lambda(season, k):
    """Rating, uncertainty, rank and line as `standings` has them at that λ."""
    table = liga.over_lambda(season)
    lam = table["lam"].unique()[k]
    table = table[table["lam"] == lam].sort_values("place")
    truth = liga.standings(season, lam)
    assert list(table["player"]) == list(truth["player"])
    assert list(table["rank"].fillna(0)) == list(truth["rank"].fillna(0))
    np.testing.assert_allclose(table["rating"], truth["rating"], rtol=EXACT)
    np.testing.assert_allclose(table["uncertainty"], truth["uncertainty"], rtol=EXACT)
    np.testing.assert_allclose(table["tau"], liga.season_fit(season, lam).tau, rtol=EXACT)


@pytest.mark.parametrize(("name", "drawn_in"), [("pair", "de"), ("apart", "en"), ("nobody", "de")])
def test_the_smallest_seasons_are_told_and_drawn(season_file, name, drawn_in):
    """Two players, two groups, nobody in der Wertung: sentences without gaps, charts or none."""
    for language in ("de", "en"):
        season = season_file(SEASONS[name], language=language)
        for asked in ASKED:
            told = asked(season, liga.season_fit(season))
            assert all(sentence and "nan" not in sentence for sentence in told)
        for chart in drawn(season).values() if language == drawn_in else ():
            assert chart is None or vl_convert.vegalite_to_svg(look.spec(chart))


def test_groups_that_never_met_are_told(season_file):
    """In words, in chips, and at each of the eight pairs concerned, framed with dashes."""
    rows = APART.partition("\n")[2].replace(",2026", "1,2026")
    season = season_file(APART + rows)
    fit = liga.season_fit(season)
    told = " ".join(story.connections(season, fit)).replace("\N{NO-BREAK SPACE}", " ")
    assert "2 Gruppen, die nie zusammen saßen" in told and "± 1.386 Chips (τ√2)" in told
    assert "durch keinen Abend verbunden" in story.sureness(season, fit)[1]
    assert vl_convert.vegalite_to_svg(look.spec(drawn(season)["pairs"])).count("dasharray") == 8


def test_every_chart_is_told_in_words_and_can_be_drawn(specs):
    """A description with numbers, a size in pixels, few rows, drawn by Vega itself."""
    for spec in specs.values():
        assert any(c.isdigit() for c in spec["description"])
        assert isinstance(spec["width"], int) and isinstance(spec["height"], int)
        rows = sum(len(data) for data in spec.get("datasets", {}).values())
        assert rows + len(spec.get("data", {}).get("values", [])) < 5000
        assert vl_convert.vegalite_to_svg(spec)


def test_a_list_of_lambda_moves_the_chart(season, specs):
    """It shows λ itself; ten steps down, Vega writes the ratings of that λ."""
    spec = json.loads(json.dumps(specs["over_lambda"]))
    (param,) = (p for p in spec["params"] if p["name"] == "step")
    assert param["bind"]["labels"][param["value"]] == "λ = 6 · τ = 980"
    param["value"] = step = 50
    drawn, table = vl_convert.vegalite_to_svg(spec), liga.over_lambda(season)
    first = table[(table["lam"] == table["lam"].unique()[step]) & (table["place"] == 1)].iloc[0]
    words = season.words
    assert f"{words.chips(first['rating'])} ± {words.chips(first['uncertainty'])}" in drawn
    assert words.text("explore.at", lam=first["lam"], tau=first["tau"]) in drawn


def test_swaps_are_marked_where_lines_cross(season, specs):
    """Each circle lies half way between two neighbouring ranks."""
    (rows,) = (d for d in specs["ranks"]["datasets"].values() if "told" in d[0])
    assert len(rows) == len(liga.swaps(season))
    assert all(2 * row["rank"] % 2 in (0, 1) for row in rows)


def test_names_are_data_in_every_chart(season_file):
    """A name that is an expression stays a name."""
    season = season_file(PAIR.replace("Anna", "'+alert(1)+'"))
    for chart in filter(None, drawn(season).values()):
        assert "alert" not in json.dumps(chart.to_dict().get("title", ""))


def test_the_language_of_the_words_is_that_of_the_chart(season):
    """English words make an English chart."""
    chart = charts.over_lambda(liga.over_lambda(season), 6.0, Words("en"))
    assert "Rating at" in chart.to_dict()["title"]["text"]["expr"]


def test_other_results_are_another_season():
    """A changed result moves total and chips; one left out and an evening left out are gone."""
    season = liga.load_season("data/beispielliga/2026")
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


def test_what_if_agrees_with_influence():
    """For every evening of the example season, left out: ratings and ranks of the table shown."""
    season = liga.load_season("data/beispielliga/2026")
    without, what_if = liga.influence(season), liga.what_if(season)
    for evening in season.held:
        what_if.leave_out(evening)
        table = what_if.ratings.set_index("player")
        truth = without.ratings.loc[evening]
        np.testing.assert_allclose(table["rating"][truth.index], truth, atol=1e-6)
        assert table["rank"][truth.index].equals(without.ranks.loc[evening].rename("rank"))
        what_if.take_back(evening)
    assert what_if.changes.empty


def test_what_if_is_the_file_edited_by_hand(season_file):
    """A changed result read back has the standings of the results with that line changed."""
    text = (DATA / "season_a.csv").read_text("utf-8")
    line = next(row for row in text.splitlines() if row.endswith(",5940") or "5940" in row)
    what_if = liga.what_if(season_file(text))
    evening, player = 1, "Nora"
    assert player in line
    what_if.change(evening, player, 940.0)
    edited = season_file(text.replace(line, line.replace("5940", "940")), name="other.csv")
    pd.testing.assert_frame_equal(liga.standings(what_if.season), liga.standings(edited))
    assert what_if.changes.to_dict("records") == [
        {"evening": 1, "player": "Nora", "was": 5940.0, "now": 940.0}
    ]


def test_what_if_answers_to_its_fields(season):
    """A result changed, left out, an evening left out, each taken back: the table follows."""
    what_if = liga.what_if(season)
    start = what_if.table.value
    field, counts = what_if.rows.children[0].children
    field.value += 1000
    assert what_if.table.value != start
    assert what_if.sum.value == "Summe des Abends: +1.000, sie sollte 0 sein."
    counts.value = False
    assert field.disabled
    what_if.left_out.value = True
    assert season.held[-1] not in what_if.season.held
    assert len(what_if.undo.children) == 2
    for _ in range(2):
        what_if.undo.children[0].click()
    assert what_if.table.value == start
    assert what_if.sum.value == ""


def test_what_if_refuses_what_did_not_happen(season):
    """Nobody who was not there, no evening that was not held, no word for a result: unchanged."""
    widget = liga.what_if(season)
    evening, player = season.results[["evening", "player"]].iloc[0]
    for refused in (
        lambda: widget.change(evening, "Niemand", 100),
        lambda: widget.change(99, player, 100),
        lambda: widget.change(evening, player, "viel"),
        lambda: widget.leave_out(99),
    ):
        with pytest.raises(ValueError, match=r"Niemand|99|viel"):
            refused()
    assert widget.changes.empty


def test_the_explorer_can_be_read_and_set(season):
    """λ, fit and table are those of the slider."""
    explorer = liga.explorer(season, lam=3)
    assert explorer.lam == 3
    pd.testing.assert_frame_equal(explorer.table, liga.standings(season, 3))
    assert explorer.fit.theta.equals(liga.season_fit(season, 3).theta)


def test_no_chance_is_drawn_where_sigma_does_not_fit(season):
    """In units of 100 chips σ = 2400 is far off: said, and neither chances nor pairs are drawn."""
    rows = season.results[["evening", "player", "result"]]
    small = liga.load_season(rows.assign(result=rows["result"] / 100))
    for one, drawn_parts in ((season, 2), (small, 0)):
        explorer = liga.explorer(one)
        explorer.tab.selected_index = 1
        text, *shown = explorer.tab.children[1].children
        assert len(shown) == drawn_parts
        assert ("2.400" in text.value) == (one is small)


def test_widgets_need_an_evening(season):
    """Without one there is nothing to explore."""
    for widget in (liga.explorer, liga.what_if):
        with pytest.raises(DataError):
            widget(changed(season, without=season.held))
