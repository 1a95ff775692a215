"""Podium and awards: winners by hand, the slope model by a dense solve, its p by another season."""

import numpy as np
import pandas as pd
import pytest
from samples import DATA

from liga_analysis.model import honours
from liga_analysis.model.graph import play_graph
from liga_analysis.model.honours import AWARDS, Trend, awards, first_season
from liga_analysis.model.ranking import season_fit, standings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.season.season import load_season

EXACT = 1e-9  # the same linear algebra by another route
SAMPLING = 4.5  # standard errors; one check in 150,000 would exceed it by chance
HEADER = "evening,date,player,entries,chips_out\n"


def award(season, name):
    """The rows of one award as dicts."""
    table = awards(season)
    return [dict(row) for _, row in table[table["award"] == name].iterrows()]


def winners(season, name):
    (row,) = award(season, name)
    return row["players"], row["value"]


def counted(*evenings):
    """A file from one dict {player: (entries, chips)} per evening."""
    return HEADER + "".join(
        f"{s},2025-{s:02}-01,{name},{entries},{chips}\n"
        for s, field in enumerate(evenings, 1)
        for name, (entries, chips) in field.items()
    )


def plain(*evenings):
    """A file from one dict {player: result} per evening."""
    return "evening,date,player,result\n" + "".join(
        f"{s},2025-{s:02}-01,{name},{result!r}\n"
        for s, field in enumerate(evenings, 1)
        for name, result in field.items()
    )


# The cases


def test_case_07(case):
    """The podium is the first three in der Wertung; records of one evening are open to all."""
    season = case("07")
    podium = award(season, "podium")
    assert [row["players"] for row in podium] == [["Frida"], ["Anna"], ["David"]]
    assert [row["rank"] for row in podium] == [1, 2, 3]
    assert podium[0]["value"] == pytest.approx(267.5, abs=0.05)
    (highest,) = award(season, "highest_result")
    assert (highest["players"], highest["value"], highest["evening"]) == (["Gustav"], 6000, [4])
    assert winners(season, "largest_total") == (["Gustav"], 6000)
    assert winners(season, "best_newcomer")[0] == ["Frida"]
    assert winners(season, "most_evenings") == (["Anna", "Clara"], 5)


def test_case_08(case):
    """Equal winners are all named, on the podium and in the awards."""
    season = case("08")
    podium = award(season, "podium")
    assert [(row["rank"], row["players"]) for row in podium] == [
        (1, ["Anna", "Ben"]),
        (3, ["Clara"]),
    ]
    assert winners(season, "best_newcomer")[0] == ["Anna", "Ben"]
    assert winners(season, "largest_total") == (["Anna", "Ben"], 1000)
    assert winners(season, "most_evenings") == (["Anna", "Ben", "Clara"], 3)
    (highest,) = award(season, "highest_result")
    assert sorted(zip(highest["players"], highest["evening"], strict=True)) == [
        ("Anna", 1),  # and again at 3
        ("Ben", 2),
    ]
    (comeback,) = award(season, "biggest_comeback")
    assert (comeback["players"], comeback["reason"]) == ([], "no_reentry")


def test_case_18(case):
    """With one evening more, Hanna is no longer on the podium."""
    five, six = (case("18", f"protokoll_{n}_abende.csv") for n in (5, 6))
    assert award(five, "podium")[0]["players"] == ["Hanna"]
    assert [row["players"] for row in award(six, "podium")] == [["Anna"], ["Clara"], ["Ben"]]


# The form of the table


def test_every_award_is_named(case):
    """One row per occupied step of the podium, then the seven awards in order, won or not."""
    for number in ("01", "03", "07", "20"):
        table = awards(case(number))
        assert table["award"].tolist() == ["podium"] * 3 + list(AWARDS)
        for row in table.itertuples():
            assert len(row.players) == len(row.evenings)
            assert (row.reason is None) == bool(row.players)
            assert (row.evening is not None) == (
                bool(row.players) and row.award in ("biggest_comeback", "highest_result")
            )


def test_evenings_stand_beside_each_winner(case):
    """Each winner's number of evenings runs parallel to the winners."""
    season = case("07")
    evenings = standings(season).set_index("player")["evenings"]
    for row in awards(season).itertuples():
        assert row.evenings == [evenings[player] for player in row.players]


def test_nobody_ranked(season_file):
    """With guests alone nothing is awarded, and every award says why."""
    season = season_file(plain({"Gast 1": 5.0, "Gast 2": -5.0}))
    table = awards(season).set_index("award")
    assert table["players"].map(len).sum() == 0
    assert table["reason"].notna().all()
    assert (
        table["reason"].to_dict()
        | {
            "podium": "nobody_ranked",
            "most_evenings": "nobody",
            "best_newcomer": "no_newcomer",
            "biggest_comeback": "entries_unknown",
            "lowest_sd": "too_few_evenings",
            "strongest_rise": "too_few_evenings",
            "highest_result": "nobody",
            "largest_total": "nobody",
        }
        == table["reason"].to_dict()
    )


def test_no_award_for_guests(season_file):
    """A placeholder wins nothing, however well they played."""
    season = season_file(counted({"Gast": (2, 9000), "A": (1, 0), "B": (1, 0), "C": (2, 3000)}))
    rows = awards(season)
    assert not any("Gast" in player for players in rows["players"] for player in players)
    assert winners(season, "highest_result") == (["C"], -1000)
    assert winners(season, "biggest_comeback") == (["C"], -1000)


def test_podium_of_another_size(season_folder):
    """The season's rules say how many steps the podium has; a tie at the last step is all of it."""
    season = season_folder(
        season="[rules]\npodium = 2\n", results=plain({"A": 3.0, "B": 1.0, "C": 1.0, "D": -5.0})
    )
    steps = [(row["rank"], row["players"]) for row in award(season, "podium")]
    assert steps == [(1, ["A"]), (2, ["B", "C"])]


# Award by award


def test_most_evenings_is_open_to_everyone(season_folder):
    """Whoever came most often, also below the attendance asked for."""
    season = season_folder(
        season="[rules]\nattendance = 100\n",
        results=plain({"A": 1.0, "B": -1.0}, {"A": 1.0, "C": -1.0}, {"B": 1.0, "C": -1.0}),
    )
    assert winners(season, "most_evenings") == (["A", "B", "C"], 2)
    assert award(season, "podium")[0]["reason"] == "nobody_ranked"


LICENCES = "licence,player,issued,aliases\n"


@pytest.mark.parametrize(
    ("issued", "winner"),
    [
        ({"A": "2024-12-31", "B": "2025-01-01", "C": "2024-01-01"}, "B"),
        ({"A": "2025-01-01"}, "A"),
        ({"A": "2024-01-01", "B": "2024-01-01"}, "C"),
        ({"A": "2024-01-01", "B": "2024-01-01", "C": "2024-01-01"}, None),
    ],
)
def test_best_newcomer(season_folder, issued, winner):
    """The best rating of those whose licence is not older than the season's first evening."""
    lines = "".join(f"L{k},{name},{day},\n" for k, (name, day) in enumerate(issued.items()))
    season = season_folder(
        licences=LICENCES + lines, results=plain({"A": 5.0, "B": 1.0, "C": -6.0})
    )
    (row,) = award(season, "best_newcomer")
    assert row["players"] == ([winner] if winner else [])
    assert row["reason"] == (None if winner else "no_newcomer")
    assert first_season(season) == (set(issued) == {"A"} and issued["A"] >= "2025")


def test_newcomer_of_an_evening_left_out(season_folder):
    """The first evening counts as such also when an error keeps it out of the table."""
    results = counted({"A": (9, 0)}, {"A": (1, 3000), "B": (1, 1000)})
    season = season_folder(licences=LICENCES + "L1,A,2025-01-01,\n", results=results)
    assert season.held == [2]
    assert winners(season, "best_newcomer")[0] == ["A"]
    assert first_season(season)


@pytest.mark.parametrize(
    ("evenings", "players", "value"),
    [
        ([{"A": (3, 9000), "B": (2, 1000)}], ["A"], 3000),
        ([{"A": (2, 1000), "B": (3, 1000)}], ["A"], -3000),
        ([{"A": (2, 5000), "B": (1, 9000)}, {"B": (2, 5000), "A": (1, 0)}], ["A", "B"], 1000),
    ],
)
def test_biggest_comeback(season_file, evenings, players, value):
    """The best result with two entries or more, also when it is a loss."""
    season = season_file(counted(*evenings))
    assert winners(season, "biggest_comeback") == (players, value)


def test_comeback_where_entries_are_partly_known(season_file):
    """Evenings without entries cannot bring a comeback; the others can."""
    text = HEADER.replace("\n", ",result\n") + (
        "1,2025-01-01,A,,,9000\n1,2025-01-01,B,,,-9000\n2,2025-02-01,A,2,4500,\n2,2025-02-01,B,1,1500,\n"
    )
    assert winners(season_file(text), "biggest_comeback") == (["A"], 500)


def test_lowest_sd(season_file):
    """The smallest sample standard deviation, by numpy, of at least four evenings and half."""
    results = {"A": [100, 300, 200, 400], "B": [-50, -50, 50, 50], "C": [1, 2, 3]}
    fields = [{name: float(r[s]) for name, r in results.items() if s < len(r)} for s in range(4)]
    for field in fields:
        field["Z"] = -sum(field.values())
    players, value = winners(season_file(plain(*fields)), "lowest_sd")
    assert players == ["B"]
    assert value == pytest.approx(np.std(results["B"], ddof=1), rel=1e-12)


def test_lowest_sd_needs_half_of_the_evenings(season_file):
    """Four of nine evenings are not half of those held; four of eight are."""
    steady, rest = {"A": 0.0, "B": 500.0, "C": -500.0}, {"B": -500.0, "C": 500.0}
    eight = season_file(plain(*[steady] * 4, *[rest] * 4))
    nine = season_file(plain(*[steady] * 4, *[rest] * 5))
    assert winners(eight, "lowest_sd") == (["A"], 0)
    assert sorted(winners(nine, "lowest_sd")[0]) == ["B", "C"]
    (row,) = award(season_file(plain(*[steady] * 3)), "lowest_sd")
    assert row["reason"] == "too_few_evenings"


def test_largest_total_ties_in_decimals(season_file):
    """Totals that differ only by rounding are equal: 0.1 + 0.2 is 0.3."""
    season = season_file(plain({"A": 0.1, "B": 0.3, "C": -0.4}, {"A": 0.2, "B": 0.0, "C": -0.2}))
    assert winners(season, "largest_total")[0] == ["A", "B"]


# Strongest rise


def slopes(results, order, lam):
    """β̂ by least squares on [X, xX; √λI], X written out by the model, for each player."""
    players = sorted(results["player"].unique())
    place = dict(zip(order, np.linspace(-0.5, 0.5, len(order)), strict=True))
    rows = []
    for evening, player in zip(results["evening"], results["player"], strict=True):
        field = set(results["player"][results["evening"] == evening])
        one = np.array([(j == player) - (j in field) / len(field) for j in players])
        rows.append(np.append(one, place[evening] * one))
    Z = np.vstack([rows, np.sqrt(lam) * np.eye(2 * len(players))])
    matrix = np.linalg.pinv(Z)[:, : len(results)]
    return players, matrix[len(players) :]


@pytest.fixture(scope="module")
def season_a():
    return load_season(DATA / "season_a.csv")


def test_rises_by_dense_solve(season_a):
    """β̂ is the penalised least-squares solution with a slope for each player."""
    fit = season_fit(season_a)
    players, matrix = slopes(season_a.results, season_a.held, 6)
    rises = Trend(fit.graph, season_a.held, 6).rises
    assert rises.index.tolist() == players
    np.testing.assert_allclose(
        rises, matrix @ season_a.results["result"], rtol=EXACT, atol=EXACT * 1e3
    )


def test_rises_of_the_first_part(season_a):
    """Without slopes in the data the levels absorb everything: a steady season has no rise."""
    results = season_a.results
    theta = pd.Series(np.arange(14) * 100.0, sorted(results["player"].unique()))
    level = results["player"].map(theta)
    steady = results.assign(result=level - level.groupby(results["evening"]).transform("mean"))
    rises = Trend(play_graph(steady), season_a.held, 1e-6).rises
    np.testing.assert_allclose(rises, 0, atol=0.01)


def test_strongest_rise(season_a):
    """Winner, value and p of the reference season, by an independent simulation of p."""
    (row,) = award(season_a, "strongest_rise")
    players, matrix = slopes(season_a.results, season_a.held, 6)
    rises = pd.Series(matrix @ season_a.results["result"].to_numpy(), players)
    half = season_a.results["evening"].map(season_a.held.index) < 6
    early = season_a.results[half].groupby("player").size().reindex(players, fill_value=0)
    late = season_a.results[~half].groupby("player").size().reindex(players, fill_value=0)
    ranked = standings(season_a).set_index("player")["qualified"][players]
    eligible = (early >= 2) & (late >= 2) & ranked
    best = rises[eligible].idxmax()
    assert row["players"] == [best]
    assert row["value"] == pytest.approx(rises[best], rel=EXACT)

    rng, n = np.random.default_rng(12345), 20_000
    seat = season_a.results["player"].map(players.index).to_numpy()
    y = rng.normal(0, 2400 / 6**0.5, (n, len(players)))[:, seat] + rng.normal(
        0, 2400, (n, len(seat))
    )
    largest = (y @ matrix.T)[:, eligible.to_numpy()].max(axis=1)
    p = (largest >= rises[best]).mean()
    se = np.sqrt(p * (1 - p) * (1 / n + 1 / honours.RISE_SEASONS))
    assert abs(row["p"] - p) < SAMPLING * se
    # STATISTICS: the median winner without any change has 300 to 590 chips.
    assert 300 < np.median(largest) < 590


def test_luck_of_uneven_attendance(monkeypatch):
    """Where levels leak into slopes (few evenings, strong prior), p still is the share by luck."""
    monkeypatch.setattr(honours, "RISE_SEASONS", 40_000)
    rng, n, lam, sigma = np.random.default_rng(3), 40_000, 0.5, 1000.0
    fields = ["AB", "ABC", "AC", "BCD", "CD", "ABD"]
    rows = [(s, player, 0.0) for s, field in enumerate(fields, 1) for player in field]
    results = pd.DataFrame(rows, columns=["evening", "player", "result"])
    players, matrix = slopes(results, [1, 2, 3, 4, 5, 6], lam)
    seat = results["player"].map(players.index).to_numpy()
    alpha = rng.normal(0, sigma / lam**0.5, (n, 4))[:, seat]
    largest = ((alpha + rng.normal(0, sigma, alpha.shape)) @ matrix.T)[:, :3].max(axis=1)
    trend = Trend(play_graph(results), [1, 2, 3, 4, 5, 6], lam)
    for share in (0.5, 0.1):
        p = trend.luck(np.quantile(largest, 1 - share), np.array([1, 1, 1, 0], bool), sigma)
        assert abs(p - share) < SAMPLING * np.sqrt(share * (1 - share) * 2 / n)


def test_p_counts_two_thousand_seasons(season_a):
    """The p printed is a share of 2,000 seasons."""
    (row,) = award(season_a, "strongest_rise")
    assert row["p"] * 2000 == pytest.approx(round(row["p"] * 2000), abs=1e-9)
    assert (honours.RISE_SEASONS, honours.RISE_SEED) == (2000, 1)


@pytest.mark.parametrize(("n_evenings", "shown"), [(6, 150), (12, 300), (20, 360)])
def test_rise_is_damped(n_evenings, shown):
    """A true rise of 3000 shows as 150, 300 or 360 after 6, 12 or 20 evenings, on average."""
    found = []
    for seed in range(30):
        results, _ = simulate_results(14, n_evenings, seed)
        graph = play_graph(results)
        trend = Trend(graph, list(range(1, n_evenings + 1)), 6)
        x = np.linspace(-0.5, 0.5, n_evenings)[graph.evening]
        for player in range(graph.n_players):
            risen = 3000 * x * (graph.player == player)
            risen -= (np.bincount(graph.evening, risen) / graph.field_size)[graph.evening]
            found.append(trend.slopes(risen[:, None])[player, 0])
    assert np.mean(found) == pytest.approx(shown, rel=0.2)  # "about"


def rising(n_evenings, missing=()):
    """A gains from evening to evening, B loses; `missing` evenings A is not there."""
    fields = []
    for s in range(1, n_evenings + 1):
        gain = 1000.0 * (s - (n_evenings + 1) / 2)
        fields.append({"C": 5.0, "B": -5.0} if s in missing else {"A": gain, "B": -gain, "C": 0.0})
    return plain(*fields)


def test_rise_winner(season_file):
    """Whoever plays better and better rises, and luck alone seldom brings as much."""
    (row,) = award(season_file(rising(8)), "strongest_rise")
    assert row["players"] == ["A"]
    assert row["value"] > 0
    assert row["p"] < 0.05


@pytest.mark.parametrize(
    ("n_evenings", "missing", "player"),
    [
        (6, (), "A"),
        (6, (2, 3), "C"),  # A was there once in the first half
        (7, (1, 2), "C"),  # the middle evening is in neither half
        (7, (1,), "A"),
    ],
)
def test_rise_needs_two_evenings_in_each_half(season_file, n_evenings, missing, player):
    """In the running are those with two evenings in each half."""
    (row,) = award(season_file(rising(n_evenings, missing)), "strongest_rise")
    assert row["players"] == ([player] if player == "A" else row["players"])
    assert ("A" in row["players"]) == (player == "A")


def test_rise_needs_six_evenings(season_file):
    """Before the sixth evening there is no award."""
    (row,) = award(season_file(rising(5)), "strongest_rise")
    assert (row["players"], row["reason"], row["p"]) == ([], "too_few_evenings", None)


def test_nobody_rose(season_file):
    """Where all results are the same, nobody rose, and nobody is awarded."""
    (row,) = award(season_file(plain(*[{"A": 0.0, "B": 0.0}] * 6)), "strongest_rise")
    assert (row["players"], row["reason"]) == ([], "nobody_rose")


def test_rise_follows_the_dates(season_folder):
    """The order of the evenings is that of their dates, whatever their numbers."""
    dates = "evening,date\n" + "".join(f"{s},2025-{13 - s:02}-01\n" for s in range(1, 9))
    results = "evening,player,result\n" + "".join(
        f"{s},A,{1000 * s - 4500}\n{s},B,{4500 - 1000 * s}\n{s},C,0\n" for s in range(1, 9)
    )
    assert winners(season_folder(results=results), "strongest_rise")[0] == ["A"]
    assert winners(season_folder(evenings=dates, results=results), "strongest_rise")[0] == ["B"]


def test_awards_are_the_same_every_time(season_a):
    """The seeded p makes awards repeatable to the bit."""
    assert awards(season_a).to_json() == awards(season_a).to_json()
