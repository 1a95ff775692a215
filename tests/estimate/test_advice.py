"""What estimates mean in words: sentences held against the numbers they are made of."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from samples import DATA

from liga_analysis.estimate import advice
from liga_analysis.model.decision import Recommendation, season_decision
from liga_analysis.model.luck import Kurtosis, PlayerSpread
from liga_analysis.model.simulation import simulate_season
from liga_analysis.season.season import load_season
from liga_analysis.season.storage import save_season
from liga_analysis.words import Words

GERMAN, ENGLISH = Words("de"), Words("en")
INF, NAN = float("inf"), float("nan")


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """A season folder whose results ask for other parameters."""
    folder = tmp_path_factory.mktemp("liga") / "2026"
    evenings, results, _ = simulate_season(14, 6, 3, 2400.0, 3000.0)
    save_season(folder, "Probe", evenings, results)
    return load_season(folder)


def advised(season, action="keep", lam=6.0, sigma=2400.0):
    """A decision as far as sentences about it ask."""
    reasons = (("in_keeping", {"p": 0.393}),)
    found = Recommendation(action, sigma, sigma / lam**0.5, lam, reasons)
    return SimpleNamespace(season=season, recommendation=found)


def text(sentence):
    """Without the blanks that keep numbers together."""
    return sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_the_answer_comes_first(moving):
    """The action and what is then in force; the reason second."""
    first, reason = advice.headline(advised(moving), GERMAN)
    assert text(first) == "Beibehalten: λ = 6, σ = 2.400, τ = 980."
    assert text(reason).startswith("Dass λ größer sein müsste, ist zu 39,3 % wahrscheinlich.")
    assert advice.answer(advised(moving), GERMAN) == f"{first} {reason}"


def test_the_results_and_their_intervals_are_told():
    """REML, profile, test; exact interval and jackknife, with their numbers."""
    decision = season_decision(load_season(DATA / "season_a.csv"))
    estimate = decision.estimate
    told = [text(sentence) for sentence in advice.by_results(decision, GERMAN)]
    assert told[0].startswith(f"Am besten passen (REML): σ = {GERMAN.chips(estimate.sigma)}, τ")
    assert "λ 1,8 bis 44" in told[1]
    assert "der Saisons vor" in told[2]
    exact, robust = (text(sentence) for sentence in advice.intervals(decision, GERMAN))
    low, high = estimate.exact(0.9)
    assert f"(90 %): {GERMAN.number(low)} bis {GERMAN.number(high)}." in exact
    low, high = estimate.sigma_robust(0.9)
    assert robust.endswith(f"weggelassen): {GERMAN.chips(low)} bis {GERMAN.chips(high)}.")


@pytest.mark.parametrize(
    ("ends", "words", "said"),
    [
        ((0.66, 29.0), GERMAN, "0,66 bis 29"),
        ((8.4, INF), GERMAN, "ab 8,4, nach oben offen"),
        ((8.4, INF), ENGLISH, "from 8.4, open above"),
    ],
)
def test_an_open_end_is_said_as_such(ends, words, said):
    """No infinity in words."""
    assert advice.span(ends, "lam", words) == said


def test_belief_is_the_prior_with_its_90_percent(moving):
    """6·e^±1.645 is 1.2 and 31."""
    assert "zwischen 1,2 und 31" in advice.belief(moving)


def test_the_prior_s_weight_says_who_decides(moving):
    """Above one half the prior weighs more than the season."""
    table = season_decision(moving).prior_table
    for weight, said in (
        (0.31, "Schwerer wiegen die Ergebnisse"),
        (0.7, "schwerer als die Saison"),
    ):
        found = SimpleNamespace(season=moving, prior_table=table)
        found.posterior = SimpleNamespace(prior_weight=weight)
        told = text(advice.prior_weight(found))
        assert said in told
        assert f"zu {weight:.0%}".replace("%", " %") in told


def course(*rows):
    columns = ["lam_low", "lam_median", "lam_high", "action"]
    index = pd.Index(range(1, len(rows) + 1), name="evening")
    return pd.DataFrame(list(rows), index, columns)


def test_the_course_goes_from_the_first_estimate_to_the_last():
    """Evenings without an estimate are passed over; two looks are enough."""
    nothing = (NAN, NAN, NAN, NAN)
    table = course(nothing, (1.1, 5.0, 28.0, "wait"), (1.3, 4.3, 19.0, "keep"))
    told, what_moves = map(text, advice.course(table, GERMAN))
    assert "Nach Abend 2 lag λ mit 90 % zwischen 1,1 und 28, nach Abend 3 zwischen" in told
    assert text(advice.course(table[:2], GERMAN)[0]).startswith(
        "Nach Abend 2 liegt λ mit 90 % zwischen 1,1 und 28. Zwei"
    )
    assert "Zwei Blicke je Saison genügen" in told
    assert "nach 6 Abenden in 26 bis 30 von 100 Saisons" in what_moves
    assert advice.course(table[:1], GERMAN) == []


def test_the_heaviest_evening_and_those_that_decide_are_named():
    """The heaviest by its factor: from 4.3 to 2 is further than to 7."""
    estimate = SimpleNamespace(posterior=SimpleNamespace(quantile=lambda *_: 4.3))
    decision = SimpleNamespace(estimate=estimate, own=SimpleNamespace(action="keep"))

    def told(*rows, first=0):
        return advice.weight(course(*rows)[first:], decision, GERMAN)

    same = told((1, 7.0, 9, "keep"), (1, 2.0, 9, "keep"))
    assert "Am stärksten verschiebt Abend 2 das λ: Ohne ihn läge es bei 2 statt 4,3." in same
    assert "ohne jeden einzelnen Abend dasselbe" in same
    few = (*[(1, 4.0, 9, "move")] * 2, (1, 4.0, 9, "keep"))
    assert "nur ohne Abend 1 und 2, jeden für sich" in told(*few)
    assert "nur ohne Abend 2." in told(*few, first=1)
    many = told(*[(1, 4.0, 9, "move")] * 6, (1, 4.0, 9, "keep"))
    assert "ohne je einen von 6 der 7 Abende" in many
    assert "zu wenige Abende" in told(*[(NAN, NAN, NAN, NAN)] * 2)


@pytest.mark.parametrize(
    ("p", "luck", "players"),
    [
        (0.23, "sieht gleichmäßig aus", "nicht zu sehen"),
        (0.01, "4 bis 7 Punkte zu niedrig", "Ida streut mit 143 % des Üblichen am meisten"),
        (NAN, "nicht sagen", "kaum jemand oft genug"),
    ],
)
def test_luck_is_told_by_its_p(p, luck, players):
    """Even, uneven with what it does, or not to be told."""
    table = pd.DataFrame({"spread": [1.43, 0.48]}, ["Ida", "Jan"])
    assert luck in text(advice.luck(Kurtosis(3.2, np.array([3.0]), p), GERMAN)[0])
    assert players in text(advice.wildness(PlayerSpread(table, p), GERMAN)[0])


def test_changes_name_the_podium_before_and_after(moving):
    """By the values advised; with those in force no rank changes."""
    assert "Kein Rang" in advice.changes(moving, advised(moving))
    told = advice.changes(moving, advised(moving, "move", lam=600.0))
    assert "Das Podium" in told and "Den Rang ändern" in told


def test_what_to_do_follows_the_action(moving, season_file):
    """Keep and wait ask for nothing; a move names the command, quoted for the shell."""
    for action in ("keep", "wait"):
        assert advice.next_step(advised(moving, action), "x", GERMAN)[1] == ""
    move = advised(moving, "move", lam=3.125)
    assert advice.next_step(move, "data/a", GERMAN)[1] == (
        'liga adopt data/a --reason "nach Abend 6"'
    )
    assert "'data/a b'" in advice.next_step(move, "data/a b", GERMAN)[1]
    # `adopt` knows the whole season and its own prior alone.
    for other in (moving.through(5), moving.with_prior(3.0)):
        sentence, command = advice.next_step(advised(other, "move"), "x", GERMAN)
        assert "Blick zurück oder eine Probe" in sentence
        assert command == ""
    # A single table keeps no parameters: the values go with each command.
    table = season_file("evening,date,player,result\n1,2026-01-10,A,100\n1,2026-01-10,B,-100\n")
    _, command = advice.next_step(advised(table, "move", lam=3.125), "a.csv", GERMAN)
    assert command == "liga standings a.csv --lam 3.125 --sigma 2400"
