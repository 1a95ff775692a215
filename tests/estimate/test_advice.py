"""What estimates mean in words: sentences held against numbers written by hand."""

import pandas as pd
import pytest

from liga_analysis.cli.records import estimate_record
from liga_analysis.estimate import advice
from liga_analysis.model.decision import season_decision
from liga_analysis.model.ranking import standings
from liga_analysis.model.simulation import simulate_season
from liga_analysis.season.season import load_season
from liga_analysis.season.storage import save_season
from liga_analysis.words import Words

GERMAN, ENGLISH = Words("de"), Words("en")
INF, NAN = float("inf"), float("nan")


def record(action="keep", tau=1350.0, exact=(0.54, 33.0), lam=6.0):
    """An estimate as `records.estimate_record` gives it."""
    return {
        "reml": {"sigma": 2089.0, "tau": tau, "lam": 2.4 if tau else INF},
        "profile": {
            "level": 0.9,
            "sigma": (1699.0, 2641.0),
            "tau": (448.0, 2410.0) if tau else (0.0, 314.0),
            "lam": (0.66, 29.0) if tau else (8.4, INF),
        },
        "exact": {"level": 0.9, "lam": exact},
        "sigma_robust": (1750.0, 2700.0),
        "tau_zero_p": 0.02,
        "posterior": {
            "sigma": {"0.05": 1808.0, "0.5": 2204.0, "0.95": 2731.0},
            "tau": {"0.05": 537.0, "0.5": 1066.0, "0.95": 1813.0},
            "lam": {"0.05": 1.3, "0.5": 4.3, "0.95": 19.0},
            "p_lam_above": 0.34,
        },
        "recommendation": {
            "action": action,
            "sigma": 2400.0,
            "tau": 980.0,
            "lam": lam,
            "reason": "Der Grund.",
        },
    }


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """A season folder whose results ask for other parameters."""
    folder = tmp_path_factory.mktemp("liga") / "2026"
    evenings, results, _ = simulate_season(14, 6, 3, 2400.0, 3000.0)
    save_season(folder, "Probe", evenings, results)
    return load_season(folder)


def text(sentence):
    """Without the blanks that keep numbers together."""
    return sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_the_answer_comes_first():
    """The action and what is then in force; the reason second."""
    first, reason = advice.headline(record(), GERMAN)
    assert text(first) == "Beibehalten: λ = 6, σ = 2.400, τ = 980."
    assert reason == "Der Grund."
    assert advice.answer(record(), GERMAN) == f"{first} {reason}"


def test_findings_name_the_intervals():
    """REML, profile, cross-check and test with their numbers."""
    told = [text(sentence) for sentence in advice.findings(record(), GERMAN)]
    assert told[0] == "Am besten passen (REML): σ = 2.089, τ = 1.350, λ = 2,4."
    assert (
        told[1]
        == "Mit 90 % (Profil-Likelihood): σ 1.699 bis 2.641, τ 448 bis 2.410, λ 0,66 bis 29."
    )
    assert told[2] == "Exaktes Intervall von λ (90 %): 0,54 bis 33."
    assert told[3].endswith("weggelassen): 1.750 bis 2.700.")
    assert "in 2 % der Saisons" in told[4]


def test_zero_tau_is_told_in_words():
    """τ̂ = 0 means that the season cannot tell; no ∞ is written."""
    told = advice.findings(record(tau=0.0, exact=(9.3, INF)), GERMAN)
    assert "Diese Saison kann es nicht sagen" in told[0]
    assert "ab 8,4, nach oben offen" in told[1]
    assert "ab 9,3, nach oben offen" in told[2]
    assert not any("∞" in sentence for sentence in told)


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
    assert advice.interval(ends, words.number, words) == said


def test_belief_is_the_prior_with_its_90_percent(moving):
    """6·e^±1.645 is 1.2 and 31."""
    assert "λ = 6 als" in text(advice.belief(moving, GERMAN))
    assert "zwischen 1,2 und 31" in advice.belief(moving, GERMAN)


def course(*rows):
    columns = ["lam_low", "lam_median", "lam_high", "action"]
    index = pd.Index(range(1, len(rows) + 1), name="evening")
    return pd.DataFrame(list(rows), index, columns)


def test_the_course_goes_from_the_first_estimate_to_the_last():
    """Evenings without an estimate are passed over; two looks are enough."""
    nothing = (NAN, NAN, NAN, NAN)
    table = course(nothing, (1.1, 5.0, 28.0, "wait"), (1.3, 4.3, 19.0, "keep"))
    told = text(advice.course(table, GERMAN))
    assert "Nach Abend 2 lag λ mit 90 % zwischen 1,1 und 28, nach Abend 3 zwischen" in told
    assert text(advice.course(table[:2], GERMAN)).startswith(
        "Nach Abend 2 liegt λ mit 90 % zwischen 1,1 und 28. Zwei"
    )
    assert "Zwei Blicke je Saison genügen" in told


def test_the_heaviest_evening_moves_lambda_most():
    """By its factor: from 4.3 to 2 is further than to 7."""
    table = course((1, 7.0, 9, "keep"), (1, 2.0, 9, "keep"))
    told = advice.weight(table, record(), GERMAN)
    assert "Am stärksten verschiebt Abend 2 das λ: Ohne ihn läge es bei 2 statt 4,3." in told
    assert "ohne jeden einzelnen Abend dieselbe" in told


def test_evenings_that_decide_are_named():
    """A few by number, many by count, and none while none can be spared."""
    few = course(*[(1, 4.0, 9, "move")] * 2, (1, 4.0, 9, "keep"))
    assert "nur ohne Abend 1 und 2, jeden für sich" in advice.weight(few, record(), GERMAN)
    assert "nur ohne Abend 2." in advice.weight(few[1:], record(), GERMAN)
    many = course(*[(1, 4.0, 9, "move")] * 6, (1, 4.0, 9, "keep"))
    assert "ohne je einen von 6 der 7 Abende" in advice.weight(many, record(), GERMAN)
    none = course(*[(NAN, NAN, NAN, NAN)] * 2)
    assert "zu wenige Abende" in advice.weight(none, record(), GERMAN)


def table(season, order):
    """The season's standings with the ranked players in another order."""
    now = standings(season)
    ranked = now[now["qualified"]].iloc[order].assign(rank=range(1, len(order) + 1))
    return pd.concat([ranked, now[~now["qualified"]]])


def test_changes_of_the_podium_name_both(moving):
    """Before, after, and how many change rank; a podium that stays is said to stay."""
    now = standings(moving)
    names = list(now["player"])
    swapped = [1, 0, *range(2, int(now["qualified"].sum()))]
    told = advice.changes(now, table(moving, swapped), moving)
    assert f"{names[1]}, {names[0]} und {names[2]} statt {names[0]}, {names[1]}" in told
    assert "ändern: 2." in told
    below = [*range(3), 4, 3, *range(5, len(swapped))]
    assert "Das Podium bliebe" in advice.changes(now, table(moving, below), moving)
    assert "Kein Rang" in advice.changes(now, now, moving)


def test_what_to_do_when_nothing_is(moving):
    """Keep and wait ask for nothing."""
    assert advice.next_step(record("keep"), moving, "x", GERMAN)[1] == ""
    assert advice.next_step(record("wait"), moving, "x", GERMAN)[1] == ""


def test_a_move_names_the_command(moving):
    """The season as typed, quoted for the shell where it must be."""
    told = record("move", lam=3.0)
    assert advice.next_step(told, moving, "data/a", GERMAN)[1] == (
        'liga adopt data/a --reason "nach Abend 6"'
    )
    assert "'data/a b'" in advice.next_step(told, moving, "data/a b", GERMAN)[1]


def test_a_look_back_or_a_trial_is_not_adopted(moving):
    """`adopt` knows the whole season and its own prior alone."""
    told = record("move", lam=3.0)
    for other in (moving.through(5), moving.with_prior(3.0)):
        sentence, command = advice.next_step(told, other, "x", GERMAN)
        assert "Blick zurück oder eine Probe" in sentence
        assert command == ""


def test_a_single_table_keeps_no_parameters(season_file):
    """Then the values go with each command."""
    season = season_file("evening,date,player,result\n1,2026-01-10,A,100\n1,2026-01-10,B,-100\n")
    _, command = advice.next_step(record("move", lam=3.125), season, "a.csv", GERMAN)
    assert command == "liga standings a.csv --lam 3.125 --sigma 2400"


def test_the_prior_of_a_page_moves_its_answer(moving):
    """Another prior is another season's belief; the rest stays."""
    other = moving.with_prior(60.0, 0.1)
    assert (other.prior.lam, other.prior.spread) == (60.0, 0.1)
    assert moving.with_prior(None, None).prior == moving.prior
    lams = [
        estimate_record(season_decision(s), GERMAN)["posterior"]["lam"]["0.5"]
        for s in (moving, other)
    ]
    assert lams[1] > 10 * lams[0]
