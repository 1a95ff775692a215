"""Charts: what their specifications say, and that they can be drawn."""

import json

import altair as alt
import numpy as np
import pandas as pd
import pytest
import vl_convert
from samples import DATA, TERM

from liga_analysis.model.ranking import development, season_fit, standings
from liga_analysis.pages import charts, export, look
from liga_analysis.report.chronicle import encounters
from liga_analysis.season.season import load_season
from liga_analysis.words import Words

ENGLISH = Words("en")
HOSTILE = ["<script>alert(1)</script>", '=HYPERLINK("x")', "a.b[0]", "שרה"]
SIXTH = 5e-7  # the development is rounded to six decimals of a chip


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


@pytest.fixture(scope="module")
def table(season):
    return standings(season)


def rows(spec, *columns):
    """The one data set of a specification that has these columns."""
    (data,) = (d for d in spec["datasets"].values() if set(columns) <= set(d[0]))
    return pd.DataFrame(data)


@pytest.fixture(scope="module")
def path(season):
    return development(season)


def every(table, path, results):
    return [charts.ratings(table), charts.development(path), charts.results(results)]


def test_ratings_are_drawn_as_they_stand_in_the_table(table):
    """Dot and ends of the line are θ̂ and θ̂ ± u, unrounded, in table order."""
    spec = charts.ratings(table).to_dict()
    drawn = max(spec["datasets"].values(), key=len)
    drawn = pd.DataFrame(drawn)
    assert list(drawn["player"]) == list(table["player"])
    assert (drawn["rating"].to_numpy() == table["rating"].to_numpy()).all()
    np.testing.assert_array_equal(drawn["low"], table["rating"] - table["uncertainty"])
    np.testing.assert_array_equal(drawn["high"], table["rating"] + table["uncertainty"])
    assert spec["layer"][1]["encoding"]["y"]["scale"]["domain"] == list(table["player"])


def test_numbers_are_german_unless_asked_otherwise(table):
    """German marks by default, English ones by switch, in labels and in what Vega writes."""
    german, english = (look.spec(charts.ratings(table, words)) for words in (Words(), ENGLISH))
    assert german["config"]["locale"]["number"]["thousands"] == "."
    assert english["config"]["locale"]["number"]["thousands"] == ","
    assert "Greta 1.001 ± 659" in german["description"]
    assert "Greta 1,001 ± 659" in english["description"]


def test_decimals_show_where_the_season_has_some(table):
    """Two places in labels and tooltips if the words ask for them."""
    spec = charts.ratings(table, Words("de", 2)).to_dict()
    tips = {tip["field"]: tip.get("format") for tip in spec["layer"][1]["encoding"]["tooltip"]}
    assert tips["rating"] == ",.2f"
    assert "Greta 1.000,5" in spec["description"]


def test_every_chart_is_told_in_words_and_drawn(season, table, path):
    """Sizes in pixels, which the page may widen; a description with numbers; silent marks.

    Vega itself draws it, with all players' names or their labels.
    """
    for spec in map(look.spec, every(table, path, season.results)):
        assert isinstance(spec["width"], int)
        assert isinstance(spec["height"], int)
        assert any(c.isdigit() for c in spec["description"])
        assert spec["config"]["mark"]["aria"] is False
        drawn = vl_convert.vegalite_to_svg(spec)
        assert all(f">{player}<" in drawn for player in table["player"])


def test_development_keeps_every_rating(path):
    """One point per player and evening; the podium of the last evening is coloured."""
    spec = charts.development(path).to_dict()
    drawn = max((pd.DataFrame(d) for d in spec["datasets"].values()), key=len)
    assert len(drawn) == len(path)
    assert np.abs(drawn["rating"] - path["rating"]).max() <= SIXTH
    coloured = drawn.loc[drawn["step"] > 0].drop_duplicates("player").set_index("player")["step"]
    assert coloured.to_dict() == {"Greta": 1, "Nora": 2, "Anna": 3}


def test_labels_keep_their_distance():
    """Labels stand in the order of the values, at least a line apart, within the chart."""
    rng = np.random.default_rng(1)
    for n in (1, 2, 7, 20):
        for scale in (0.001, 1, 50):
            values = pd.Series(rng.uniform(-scale, scale, n) + 50)
            places = charts._spread(values, 0, 100, 100 / 20)
            ordered = places[values.sort_values().index]
            assert np.diff(ordered).min(initial=5) >= 5 - 1e-9
            assert 0 <= places.min() <= places.max() <= 100
    far = pd.Series([10.0, 50.0, 90.0])
    assert charts._spread(far, 0, 100, 5).sort_index().tolist() == far.tolist()


def test_many_players_leave_room_for_those_ranked():
    """Where not all names fit, those in der Wertung are named."""
    players = [f"P{i:02d}" for i in range(72)]
    table = pd.DataFrame({"player": players, "rating": np.linspace(500, -500, 72)})
    table["rank"] = pd.array([*range(1, 10), *[None] * 63], "Int64")
    spec = charts.development(table.assign(evening=1, date=pd.NaT)).to_dict()
    assert list(rows(spec, "place")["player"]) == players[:9]


def test_results_have_a_symmetric_scale_and_gaps(season):
    """Zero is the middle colour; who was absent has no cell."""
    spec = charts.results(season.results, players=["Greta"]).to_dict()
    domain = spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    most = season.results["result"].abs().max()
    assert domain == [-most, -most / 2, 0, most / 2, most]
    assert len(rows(spec, "result")) == len(season.results)
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["Greta"]
    assert "Nora +5.940 (Abend 1)" in spec["description"]


@pytest.mark.parametrize("result", [[0.0], [100.0, -100.0]])
def test_a_single_evening_is_drawn(season_file, result):
    """One evening, a lone player, and results of 0 have scales of some extent."""
    lines = "\n".join(f"1,2026-01-10,P{k},{value}" for k, value in enumerate(result))
    season = season_file(f"evening,date,player,result\n{lines}\n")
    made = [c.to_dict() for c in every(standings(season), development(season), season.results)]
    assert all(map(vl_convert.vegalite_to_svg, made))
    low, high = made[1]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < high


def test_names_are_data_and_never_code(season):
    """Outside data, orders and descriptions no part of a chart knows a name."""
    named = dict(zip(["Greta", "Nora", "Anna", "Jonas"], HOSTILE, strict=True))
    results = season.results.assign(player=season.results["player"].replace(named))
    spec = charts.results(results).to_dict()
    del spec["datasets"], spec["description"]
    for layer in spec["layer"]:
        del layer["encoding"]["y"]["scale"]
    assert not any(name in json.dumps(spec, ensure_ascii=False) for name in HOSTILE)


def test_names_of_object_properties_are_names(season):
    """Vega draws a chart whose players are called like properties of JavaScript's objects."""
    names = ["constructor", "toString", "valueOf", "__proto__"]
    named = dict(zip(["Greta", "Nora", "Anna", "Jonas"], names, strict=True))
    results = season.results.assign(player=season.results["player"].replace(named))
    svg = vl_convert.vegalite_to_svg(charts.results(results).to_dict())
    assert [name for name in names if f">{name}</text>" not in svg] == []


def test_the_renderer_needs_no_network(table):
    """A chart's output is its specification, of the kind that JupyterLab and the page draw."""
    bundle = alt.renderers.get()(charts.ratings(table).to_dict())
    assert look.MIME == export.MIME
    assert set(bundle) == {look.MIME, "text/plain"}
    assert bundle["text/plain"].startswith(TERM["rating"])
    assert "$schema" not in bundle[look.MIME]


def test_charts_compose_and_leave_others_alone(table):
    """`|`, `&`, `+` of charts draw with their own look; a chart of one's own has none of it."""
    chart, own = charts.ratings(table), alt.Chart(table).mark_point().encode(x="rating")
    for made in (chart | chart, chart & own, chart + chart):
        spec = alt.renderers.get()(made.to_dict())[look.MIME]
        assert spec["config"]["locale"]["number"]["thousands"] == "."
        assert vl_convert.vegalite_to_svg(spec)
    assert alt.renderers.get()(own.to_dict())[look.MIME]["config"] == own.to_dict()["config"]
    assert "locale" not in own.to_dict()["config"]


def test_who_met_whom_is_drawn_both_ways(season):
    """A cell for each pair that met, in the order of the table; told with the most frequent."""
    players = ["Greta", "Nora", "Anna"]
    table = encounters(season_fit(season), players)
    spec = charts.encounters(table).to_dict()
    drawn = rows(spec, "other")
    met = table[table["evenings"] > 0]
    assert drawn[["player", "other", "evenings"]].values.tolist() == met.values.tolist()
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [p + look.MARK for p in players]
    often = int(table["evenings"].max())
    assert f"({often})" in spec["description"]
    assert vl_convert.vegalite_to_svg(spec)
    assert charts.encounters(table.iloc[:0]) is None


def test_the_lead_is_shaded(path):
    """From the second rating in der Wertung to the first, after every evening."""
    drawn = rows(charts.development(path).to_dict(), "second").set_index("evening")
    for evening, then in path[path["rank"].notna()].groupby("evening"):
        first, second = then["rating"].nlargest(2)
        assert drawn.at[evening, "rating"] == pytest.approx(first, abs=SIXTH)
        assert drawn.at[evening, "second"] == pytest.approx(second, abs=SIXTH)


def test_the_page_can_pick_a_player(season, path):
    """Every chart with players has the same parameter, so that one is lit up in all."""
    met = charts.encounters(encounters(season_fit(season), ["Greta", "Nora"]))
    for chart in (charts.development(path), charts.results(season.results), met):
        picked = [p for p in chart.to_dict()["params"] if p["name"] == "picked"]
        assert [p["select"]["fields"] for p in picked] == [["player"]]


@pytest.mark.parametrize("podium", [1, 4])
def test_every_step_of_the_podium_has_a_colour(season, path, podium):
    """As many as the rules have steps; the place of a fourth is no longer grey."""
    spec = charts.development(path, podium=podium).to_dict()
    (scale,) = {
        json.dumps(layer["encoding"]["color"]["scale"])
        for layer in spec["layer"]
        if layer.get("encoding", {}).get("color", {}).get("field") == "step"
    }
    scale = json.loads(scale)
    assert scale["domain"] == list(range(podium + 1))
    assert len(set(scale["range"])) == podium + 1
    last = path[path["evening"] == season.held[-1]]
    fourth = last.loc[last["rank"] == 4, "player"].iloc[0]
    steps = {r["step"] for d in spec["datasets"].values() for r in d if r.get("player") == fourth}
    assert steps - {None} == {4 if podium == 4 else 0}
