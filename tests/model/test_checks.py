"""What only the model sees: groups, the scale of σ, likely misspellings, dates to come."""

from datetime import date

import numpy as np
import pytest

from liga_analysis.model.checks import problems
from liga_analysis.model.variance import Estimate, estimate_variance


def told(season, code, **options):
    return [p for p in problems(season, **options) if p.code == code]


def plain(*evenings):
    """A file from one dict {player: result} per evening."""
    return "evening,date,player,result\n" + "".join(
        f"{s},2025-{s:02}-01,{name},{result!r}\n"
        for s, field in enumerate(evenings, 1)
        for name, result in field.items()
    )


def noisy(sigma, n_evenings):
    """Six players, results of spread σ, no skill."""
    rng = np.random.default_rng(5)
    fields = []
    for _ in range(n_evenings):
        y = rng.normal(0, sigma, 6)
        fields.append(dict(zip("ABCDEF", (y - y.mean()).tolist(), strict=True)))
    return plain(*fields)


def test_groups(season_file):
    """Players who never met are named, and computed all the same."""
    season = season_file(plain({"A": 1, "B": 1, "C": -2}, {"X": 1, "Y": -1}))
    (problem,) = told(season, "groups")
    assert problem.severity == "warning"
    assert problem.values == {"count": 2, "largest": 3, "apart": ["X", "Y"]}
    assert season.held == [1, 2]
    assert not told(season_file(plain({"A": 1, "B": -1}, {"B": 1, "C": -1})), "groups")


@pytest.mark.parametrize(("sigma", "outside"), [(2400, False), (240, True), (24000, True)])
def test_scale(season_file, sigma, outside):
    """A σ in force outside both its 90 % intervals is a warning with the σ to use."""
    season = season_file(noisy(sigma, 6))
    found = told(season, "scale")
    estimate = estimate_variance(season.results)
    low, median, high = (estimate.posterior.quantile("sigma", p) for p in (0.05, 0.5, 0.95))
    robust = estimate.sigma_robust()
    beyond = not (low <= 2400 <= high or robust[0] <= 2400 <= robust[1])
    assert beyond == outside == bool(found)
    for problem in found:
        assert problem.severity == "warning"
        keys = "sigma median low high robust_low robust_high".split()
        assert [problem.values[key] for key in keys] == [2400, median, low, high, *robust]


def test_scale_from_five_evenings_on(season_file):
    """With four evenings σ is not held against the data."""
    assert not told(season_file(noisy(24, 4)), "scale")
    assert told(season_file(noisy(24, 5)), "scale")


def test_scale_of_a_given_sigma(season_file):
    """The σ of the table is the one that is judged."""
    season = season_file(noisy(24, 6))
    assert told(season, "scale", sigma=2400)
    assert not told(season, "scale", sigma=24)


@pytest.mark.parametrize(
    ("sigma", "lam", "key", "likely"),
    [
        (2.4, 6, "sigma_small", "2400"),
        (24000, 6, "sigma_large", "2400"),
        (2400, 5.76e6, "tau_small", "1000"),
    ],
)
def test_scale_far_from_an_entry(season_folder, sigma, lam, key, likely):
    """A slip of a dot is a warning with the σ or τ meant, before the first evening and after;
    where money is counted no σ is.
    """
    files = {"season": f"[[parameters]]\nsigma = {sigma}\nlam = {lam}\n"}
    files["evenings"] = "evening,date\n1,2025-01-10\n"
    (problem,) = told(season_folder(**files), "scale")
    assert (problem.severity, problem.key, problem.values["likely"]) == ("warning", key, likely)
    rows = "evening,player,entries,chips_out\n1,A,1,2500\n1,B,1,1500\n"
    assert [p.key for p in told(season_folder(results=rows, **files), "scale")] == [key]
    rows = "evening,player,result\n1,A,5\n1,B,-5\n"
    found = told(season_folder(results=rows, **files), "scale")
    assert bool(found) == (key == "tau_small")


def test_scale_where_nothing_can_be_estimated(season_file):
    """All results 0: no estimate, no warning, no failure."""
    assert not told(season_file(plain(*[{"A": 0, "B": 0}] * 6)), "scale")


@pytest.mark.parametrize(
    ("one", "other", "together", "expected"),
    [
        ("Müller", "Mueller", False, True),
        ("Zoë", "Zoe", False, True),
        ("Jonas", "Jonass", False, True),
        ("Maximilian", "Maximilian K.", False, True),
        ("Jonas", "Jonass", True, False),
        ("Anna", "Ben", False, False),
        ("P01", "P02", False, False),
        ("Gast 1", "Gast 2", False, False),
    ],
)
def test_similar_names(season_file, one, other, together, expected):
    """Nearly equal names are a hint if the two never sat together."""
    evenings = [{one: 1, "X": -1}, {other: 1, "X": -1}]
    evenings += [{one: 1, other: -1}] * together
    hints = [p for p in told(season_file(plain(*evenings)), "name") if p.key == "similar"]
    assert bool(hints) == expected
    assert {p.severity for p in hints} <= {"hint"}
    assert all({p.player, p.values["other"]} == {one, other} for p in hints)


def test_a_slip_names_the_newer_one_first(season_folder):
    """The later spelling is the one to be renamed; a host's name is held against the players'."""
    season = season_folder(
        evenings="evening,date,host\n1,2025-01-10,Ben\n2,2025-02-10,Zeo\n",
        results="evening,player,result\n1,Zoe,1\n1,Ben,-1\n2,Bne,1\n2,Xaver,-1\n",
    )
    hints = [p for p in told(season, "name") if p.key.startswith("similar")]
    assert [(p.player, p.values["other"]) for p in hints] == [("Bne", "Ben"), ("Zeo", "Zoe")]
    assert 'liga rename SAISON "Bne" "Ben"' in hints[0].message("de")
    assert "bitte in evenings.csv berichtigen" in hints[1].message("de")  # nobody to rename


def test_future(season_file):
    """Results dated after today are an error, today's are not, and the clock is never read."""
    season = season_file(plain({"A": 1, "B": -1}, {"A": 1, "B": -1}))
    (problem,) = [p for p in told(season, "date", today=date(2025, 1, 31)) if p.key == "future"]
    assert (problem.severity, problem.evening) == ("error", 2)
    assert problem.message("de").startswith(
        "Abend 2 (01.02.2025), abende.csv: Das Datum liegt in der"
    )
    assert not [p for p in told(season, "date", today=date(2025, 2, 1)) if p.key == "future"]
    assert not [p for p in told(season, "date") if p.key == "future"]


def test_past_evenings_without_results(season_folder):
    """A calendar of past evenings whose results are absent is a warning for each, by the clock."""
    calendar = "evening,date,host\n1,2025-01-10,\n2,2025-02-10,\n3,2025-03-10,\n"
    season = season_folder(evenings=calendar)
    found = problems(season, today=date(2025, 3, 10))
    assert [(p.severity, p.code, p.evening) for p in found] == [
        ("warning", "order", 1),
        ("warning", "order", 2),
    ]
    assert problems(season) == []


def test_all_in_the_order_of_the_evenings(season_file):
    """Problems of the data and of the model stand in one list, by evening."""
    season = season_file(
        plain({"A": 1, "B": -1}, {"A": 5, "B": -1}, {"X": 1, "Y": -2}, {"X": 1}, {"A": 1, "B": 0})
    )
    found = problems(season, today=date(2025, 4, 15))
    evenings = [p.evening for p in found]
    assert evenings == sorted(evenings, key=lambda e: e or 0)
    assert {"sum", "lone_player", "groups", "date", "entries"} <= {p.code for p in found}
    assert all(problem in found for problem in season.problems)


def test_nothing_played(season_folder):
    """A season before its first evening has no problems."""
    season = season_folder(results="evening,player,result\n")
    assert problems(season, today=date(2025, 1, 1)) == []


def test_scale_above_the_size_is_by_the_posterior_alone(season_file, monkeypatch):
    """Where the jackknife would take minutes the posterior decides, and the sentence says so."""
    season = season_file(noisy(24, 6))
    monkeypatch.setattr(Estimate, "method", "quadrature")
    monkeypatch.setattr(Estimate, "sigma_robust", None)
    (problem,) = told(season, "scale")
    assert "nur bei normal verteiltem Glück" in problem.message("de")
