"""What `import liga_analysis` gives: complete, told, and each example true."""

import doctest
import inspect
import re
from pathlib import Path

import pandas as pd
import pytest

import liga_analysis as liga

ROOT = Path(__file__).parents[1]
PUBLIC = {name: getattr(liga, name) for name in (*liga.__all__, "explorer", "what_if")}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}


BEFORE = """CannotEstimate DataError Estimate Fit LeagueRules Overview PlayGraph Problem Season
    all_time averaged_ratings awards better_than carried_prior chances charts development
    estimate_variance field_strength fit_ratings influence lambda_path load_season load_seasons many
    next_evening play_graph podium_interval problems receipt recommendation reliability save_season
    scores sd_difference season_outlook side_by_side simulate_results simulate_season standings
    survey swaps widgets"""  # public in version 0.1.0


def sections(thing) -> dict[str, str]:
    """The parts of a numpydoc docstring by their headings."""
    parts = re.split(r"\n\n(\w+)\n-{4,}\n", inspect.getdoc(thing))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_it_shows_what_there_is():
    """`dir` has the public names and no other."""
    shown = [name for name in dir(liga) if name != "__version__"]
    assert shown == sorted([*liga.__all__, "charts", "explorer", "many", "what_if", "widgets"])
    assert all(hasattr(liga, name) for name in shown)


def test_every_function_is_told():
    """Each parameter, what comes back, and what is raised where something is."""
    missing = []
    for name, function in FUNCTIONS.items():
        told = sections(function)
        named = re.findall(r"^(\w[\w, ]*?)(?: :|$)", told.get("Parameters", ""), re.MULTILINE)
        known = {word for line in named for word in line.split(", ")}
        missing += [
            f"{name}: {p}" for p in inspect.signature(function).parameters if p not in known
        ]
        missing += [f"{name}: {s}" for s in ("Returns", "Examples") if s not in told]
        if "raise " in inspect.getsource(function) and "Raises" not in told:
            missing.append(f"{name}: Raises")
    assert missing == []


@pytest.mark.parametrize("name", ["liga_analysis", *PUBLIC])
def test_every_example_is_true(name, monkeypatch):
    """As typed at the checkout's root."""
    monkeypatch.chdir(ROOT)
    thing = PUBLIC.get(name, liga)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(verbose=False)
    for example in finder.find(thing, name, globs={"liga": liga, "pd": pd}):
        heard = []
        runner.run(example, out=heard.append)
        assert not heard, "".join(heard)


def test_no_module_bears_the_name_of_a_function():
    """So that an import never hides one."""
    modules = {path.stem for path in (ROOT / "liga_analysis").rglob("*.py")}
    assert modules & FUNCTIONS.keys() == set()


def test_every_change_is_told():
    """What version 0.1.0 had and this one has not stands in CHANGELOG.md."""
    told = (ROOT / "CHANGELOG.md").read_text("utf-8")
    told = re.findall(r"`(\w+)`", told[told.index("Gone or renamed") : told.index("## 0.1.0")])
    assert sorted(set(BEFORE.split()) - {*dir(liga), *told}) == []


@pytest.mark.parametrize(
    "name",
    ["comparisons", "kurtosis", "lambda_path", "qualified", "residuals", "season_decision"],
)
def test_the_wrong_thing_is_named(name):
    """A table where a Season is needed: what is needed is said."""
    with pytest.raises(TypeError, match=r"a Season .* not a DataFrame"):
        PUBLIC[name](pd.DataFrame())


def test_a_season_does_where_a_fit_does():
    """Pairs and residuals are those of the season's own fit."""
    season = liga.load_season(ROOT / "data" / "beispielliga" / "2026")
    for name in ("sd_difference", "better_than", "comparisons", "residuals"):
        by_fit = PUBLIC[name](liga.season_fit(season))
        pd.testing.assert_frame_equal(PUBLIC[name](season), by_fit)
