"""Sentences: each case once, its numbers from another route."""

import pandas as pd
import pytest
from samples import DATA, TERM
from scipy.stats import norm

from liga_analysis.model.honours import AWARDS, awards
from liga_analysis.model.pairs import sd_difference
from liga_analysis.model.prediction import forecasts
from liga_analysis.model.ranking import development, season_fit
from liga_analysis.report import story, views
from liga_analysis.report.overview import survey
from liga_analysis.season.season import load_season
from liga_analysis.words import Words

GERMAN = Words()
EXAMPLE = DATA.parents[1] / "data" / "beispielliga" / "2026"
SAMPLING = 1  # of 100: four standard errors of 40,000 draws are 1 %
# Every award and why it may not be given, as `honours` has them.
REASONS = {
    "most_evenings": ["nobody"],
    "best_newcomer": ["no_newcomer"],
    "biggest_comeback": ["entries_unknown", "no_reentry"],
    "lowest_sd": ["too_few_evenings"],
    "strongest_rise": ["too_few_evenings", "nobody_rose"],
    "highest_result": ["nobody"],
    "largest_total": ["nobody"],
}


def told(season, **given):
    return story.headline(survey(season, **given))


def test_the_leader_is_told_with_lead_and_chance(season_file):
    """Two players: the chance is Φ of the difference over its standard deviation."""
    rows = "".join(f"{e},A,{r}\n{e},B,{-r}\n" for e, r in enumerate([2400, -900, 1500, 600], 1))
    season = season_file("evening,player,result\n" + rows)
    fit = season_fit(season)
    gap = fit.theta["A"] - fit.theta["B"]
    chance = 100 * norm.cdf(gap / sd_difference(fit).loc["A", "B"])
    first, second = told(season)  # who is on the podium needs no chance: both are
    assert first == "A führt vor B."
    assert 70 <= chance < 90  # neither narrowly nor clearly
    number = int(second.removeprefix("In ").split(" von 100")[0])
    assert abs(number - chance) <= SAMPLING
    assert "wäre A auch wirklich am stärksten" in second
    assert second.endswith(f", in {100 - number} B.")
    report = survey(season)
    assert "unter den besten" not in views.standings(report) + views.cards(report)


def test_a_shared_lead_names_both(case):
    """Case 08: Anna and Ben lead together, and one of them is likely the strongest."""
    first, second = told(case("08"))
    assert first == "Anna und Ben führen gemeinsam."
    assert "wäre Anna oder Ben auch wirklich am stärksten" in second


def test_whoever_would_lead_is_named(case):
    """Case 07: Gustav's one evening would put him first."""
    sentences = told(case("07"))
    assert sentences[0].startswith("Frida führt hauchdünn vor Anna")
    assert sentences[-1] == "Gustav läge mit 871 vorn, ist aber mit 1 von 5 Abenden außer Wertung."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("1,A,500\n1,B,-500\n", "Nach dem ersten Abend führt A vor B: noch kaum mehr als ein"),
        ("1,A,500\n1,B,-500\n2,A,1\n2,B,-1\n", "Nach 2 Abenden führt A vor B"),
        ("1,A,500\n1,B,500\n1,C,-1000\n", "Nach dem ersten Abend führen A und B gemeinsam"),
        ("1,A,0\n", "A ist allein in der Wertung."),
        ("1,Gast 1,500\n1,Gast 2,-500\n", "Noch ist niemand in der Wertung."),
    ],
)
def test_early_and_empty_seasons_promise_nothing(season_file, content, sentence):
    """One or two evenings, one player, nobody."""
    assert told(season_file("evening,player,result\n" + content))[0].startswith(sentence)


def test_a_lead_below_a_chip_is_a_hair(season_file):
    """No "lead of 0 chips"."""
    rows = "1,A,1\n1,B,0\n1,C,-1\n2,A,1\n2,B,0\n2,C,-1\n3,A,0\n3,B,0\n3,C,0\n"
    assert told(season_file("evening,player,result\n" + rows))[0].startswith("A führt hauchdünn")


def test_whoever_must_come_to_stay_ahead_is_told(season_file):
    """A, 2 of 5: 2 of 6 are below 40 %, B and C share what A leaves; nobody's place is nobody's."""
    rows = "".join(f"{e},B,-100\n{e},C,-100\n{e},D,200\n" for e in (1, 2, 3))
    rows += "4,A,4000\n4,D,-4000\n5,A,4000\n5,D,-4000\n"
    season = season_file("evening,player,result\n" + rows)
    assert story.headline(survey(season))[-1] == (
        "Fehlt A am nächsten Abend, geht Platz 1 nach heutigem Stand an B und C: "
        "A wäre dann außer Wertung."
    )
    assert not any("Fehlt" in sentence for sentence in told(season, final=True))
    alone = season_file(
        "evening,player,result\n1,A,5\n1,Gast,-5\n2,A,5\n2,Gast,-5\n"
        + "".join(f"{e},Gast 1,5\n{e},Gast 2,-5\n" for e in (3, 4, 5))
    )
    assert "geht Platz 1 nach heutigem Stand an niemand:" in told(alone)[-1]


def test_the_headline_answers_who_won_more():
    """In the example league the second has the larger total: both totals, with their evenings."""
    season = load_season(EXAMPLE)
    by_player = season.results.groupby("player")["result"].agg(["sum", "size"])
    (first, n), (second, m) = by_player.loc[["Mareike", "Helene"]].itertuples(index=False)
    assert first < second
    assert told(season)[0] == (
        "Mareike führt hauchdünn vor Helene, obwohl Helene mehr gewonnen hat ("
        f"{GERMAN.signed(second)}~an~{m}~Abenden gegen {GERMAN.signed(first)}~an~{n})."
    ).replace("~", "\N{NO-BREAK SPACE}")


def test_no_chance_on_a_sigma_that_does_not_fit():
    """With the warning about σ the chance gives way to a sentence that says so."""
    season = load_season(DATA / "season_a.csv")
    second = told(season, sigma=500.0)[1]
    assert second.startswith("Wie sicher das ist und welche Chancen jemand hat, lässt sich mit σ =")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("1,A,700\n1,B,-700\n", "A hat die Saison gewonnen, knapp vor B."),  # θ̂ = ±700/(1 + 6)
        ("1,A,500\n1,B,500\n1,C,-1000\n", "A und B haben die Saison gemeinsam gewonnen."),
        ("1,A,0\n", "A hat die Saison gewonnen, allein in der Wertung."),
    ],
)
def test_a_season_that_is_over_has_been_won(season_file, content, sentence):
    """By whom and how far ahead; the chance of being really the strongest stays beside it."""
    season = season_file("evening,player,result\n" + content)
    assert told(season, final=True)[0] == sentence
    assert told(season, final=True)[1:] == told(season)[1:]


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        ({"A": [1, 1, 1], "B": [2, 2, 2]}, "A führt seit dem ersten Abend."),
        ({"A": [2, 1, 1], "B": [1, 2, 2]}, "A führt seit Abend 4."),
        ({"A": [1, 2, 1], "B": [2, 1, 2]}, "A hat am letzten Abend die Führung übernommen."),
        ({"A": [1, 1, 1], "B": [1, 2, 2]}, "A führt seit Abend 4."),
        (
            {"A": [None, None, 1], "B": [1, 1, 2]},
            "A ist seit dem letzten Abend in der Wertung und führt seitdem.",
        ),
        ({"A": [1, 1, 1], "B": [2, 2, 1]}, ""),
        ({"A": [1], "B": [2]}, ""),
    ],
)
def test_since_when_somebody_leads(ranks, sentence):
    """A shared lead breaks the reign; evenings are named by number, not by place."""
    table = pd.concat(
        pd.DataFrame({"evening": [2, 4, 9][: len(r)], "player": p, "rank": r})
        for p, r in ranks.items()
    ).sort_values("evening", kind="stable")
    assert story.lead(table, GERMAN) == sentence


def test_since_when_in_a_real_table():
    """The sentence agrees with the rank table it is made of."""
    season = load_season(DATA / "season_a.csv")
    table = development(season)
    leader = table[table["rank"] == 1].set_index("evening")["player"]
    assert leader.iloc[-1] == "Greta" != leader.iloc[-2]
    assert story.lead(table, GERMAN).startswith("Greta hat am letzten Abend")


def test_forecasts_are_told_by_what_they_are_worth():
    """Brier errors from the chances and from who won, against those of knowing nothing."""
    season = load_season(EXAMPLE)
    foretold = forecasts(season).players
    best = foretold.groupby(["way", "evening"])["result"].transform("max")
    error = (foretold["p_first"] - (foretold["result"] == best)) ** 2
    brier = error.groupby([foretold["way"], foretold["evening"]]).mean().groupby("way").mean()
    change = round(100 * (brier["linked"] / brier["zero"] - 1))
    told = story.foretold(survey(season))
    assert told.startswith("Nachgerechnet: Jeder der 12 Abende")
    assert f"den Tagessieg um {-change}\N{NO-BREAK SPACE}% kleiner" in told
    assert story.foretold(survey(season.through(season.held[3]))) == ""


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_award_has_its_words(language):
    """Name, value, sentence and each reason, in both languages."""
    assert REASONS.keys() == AWARDS.keys()
    values = {"value": 1.0, "evening": [3], "counts": "c", "luck": "x", "held": 9}
    for award, reasons in REASONS.items():
        for key in ("name", "value", "sentence", *reasons):
            assert Words(language).text(f"award.{award}.{key}", **values)


def test_awards_are_told_with_value_and_evenings():
    """A line each; the total never without its number of evenings."""
    season = load_season(DATA / "season_a.csv")
    lines = [story.award_line(award, season.words) for award in awards(season).to_dict("records")]
    assert lines[0] == "1. Greta (1.001)"
    total = f"{TERM['largest_total']}: Greta (+14.220 Chips · 9\N{NO-BREAK SPACE}Abende)"
    assert total in lines
    assert "Höchstes Spielergebnis: Nora (+5.940 Chips)" in lines
    assert any(
        line.startswith("Größtes Comeback: nicht vergeben. Die Zahl der Einstiege")
        for line in lines
    )


def test_an_award_is_told_whole():
    """Three winners with all their evenings, equal ones once; luck only where it has a chance."""
    award = {"award": "lowest_sd", "value": 1.0, "evening": None, "p": None}
    counts = (
        story.award_values(award | {"evenings": n}, GERMAN)["counts"] for n in ([12, 9, 12], [9, 9])
    )
    assert [*counts] == ["12 Abende, 9 Abende, 12 Abende".replace(" A", "\xa0A"), "9\xa0Abende"]
    award = {
        "award": "strongest_rise",
        "players": ["A"],
        "value": 1.0,
        "evening": None,
        "evenings": [9],
    }
    season = load_season(EXAMPLE)
    said = [story.award_sentence(award | {"p": p}, season) for p in (0.25, None)]
    assert said[0].startswith(said[1])
    assert "Glück allein" in said[0]
    assert said[1].endswith("trotzdem fallen.")


def test_equal_winners_are_all_named(case):
    """Case 08: both leaders stand on one step and share the total."""
    season = case("08")
    lines = [story.award_line(award, season.words) for award in awards(season).to_dict("records")]
    assert lines[0] == "1. Anna und Ben (111)"
    assert any(line.startswith(f"{TERM['largest_total']}: Anna und Ben") for line in lines)
