"""`liga estimate` and `liga adopt`: what they print, how they end, and what they write."""

import json
import re
import shutil
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from samples import DATA, copied

from liga_analysis import save_season
from liga_analysis.cli.main import main
from liga_analysis.model.simulation import simulate_season
from liga_analysis.season.season import load_season

KEEPS = Path(__file__).parents[2] / "data" / "beispielliga" / "2026"
SEASON_A = str(DATA / "season_a.csv")
REML, INTERVALS, POSTERIOR = 1e-5, 1e-3, 1e-2  # how close the reference itself is


@copied
def folder(league):
    """A season folder that asks for other parameters."""
    evenings, results, _ = simulate_season(14, 6, 3, 2400.0, 3000.0)
    return save_season(league / "2026", "Probe", evenings, results).path


def record(result) -> dict:
    """The JSON on stdout, which must hold nothing else."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def parameters(folder) -> list[dict]:
    return tomllib.loads((folder / "season.toml").read_bytes().decode("utf-8"))["parameters"]


def test_the_reference_is_met(run):
    """REML, profile, exact and robust intervals, posterior and test of the reference season."""
    expected = json.loads((DATA / "season_a.json").read_text("utf-8"))
    found = record(run("estimate", SEASON_A, "--format", "json"))
    for name in ("sigma", "tau", "lam"):
        assert found["reml"][name] == pytest.approx(expected["reml"][name], rel=REML)
        points = found["posterior"][name]
        for p in ("0.05", "0.5", "0.95"):
            assert points[p] == pytest.approx(expected["posterior"][name][p], rel=POSTERIOR)
    ends = ("lam_low", "lam_high")
    spans = expected["profile90_sigma_tau"] | {"lam": [expected["profile90"][e] for e in ends]}
    for name, span in spans.items():
        assert found["profile"][name] == pytest.approx(span, rel=INTERVALS)
    exact, robust = expected["exact90"], expected["sigma_robust90"]
    low, high = found["exact"]["lam"]
    assert low == pytest.approx(exact["lam_low"], rel=0.03)  # they are Monte Carlo
    assert high == pytest.approx(exact["lam_high"], rel=0.05)
    assert found["tau_zero_p"] == pytest.approx(0.015, abs=0.003)
    assert found["sigma_robust"] == pytest.approx((robust["low"], robust["high"]), rel=INTERVALS)


def test_the_record_has_the_promised_keys(run):
    """Every key of the design, in its order; open ends are null above λ and 0 below τ."""
    found = record(
        run("estimate", DATA / "cases/22-tau-schaetzung-null/protokoll.csv", "--format", "json")
    )
    keys = "evenings nu df groups reml profile exact sigma_robust tau_zero_p posterior"
    keys += " prior_table prior_weight normal league recommendation own_recommendation"
    assert " ".join(found) == keys
    assert " ".join(found["recommendation"]) == "action sigma tau lam reason"
    assert found["reml"]["tau"] == 0
    assert found["reml"]["lam"] is None
    assert found["profile"]["lam"][1] is None
    assert found["profile"]["tau"][0] == 0
    assert found["exact"]["lam"][1] is None
    assert len(found["prior_table"]) == 8


def test_level_widens_the_profile_alone(run):
    """--level changes the intervals by the data, not the recommendation."""
    wide, narrow = (
        record(run("estimate", KEEPS, "--season-only", "--level", level, "--format", "json"))
        for level in (0.9, 0.5)
    )
    assert wide["profile"]["lam"][0] < narrow["profile"]["lam"][0]
    assert wide["recommendation"] == narrow["recommendation"]


@pytest.mark.parametrize(
    ("given", "said"),
    [(["--through", 6], "Beibehalten"), (["--season-only", "--through", 4], "Abwarten")],
)
def test_keep_and_wait_end_well(run, given, said):
    """Both are answers: exit 0, the answer in the first line below the evening."""
    result = run("estimate", KEEPS, *given)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].startswith(said)
    assert "liga adopt" not in result.stdout


def test_a_move_names_its_command(run, folder):
    """What follows the answer can be copied to a terminal, unless it is a look back."""
    assert run("estimate", folder).stdout.splitlines()[2] == (
        f'Zum Übernehmen: liga adopt {folder} --reason "nach Abend 6"'
    )
    assert "liga adopt" not in run("estimate", folder, "--through", 5).stdout


def test_before_its_first_evening_the_league_answers(run, tmp_path):
    """A new season has nothing of its own; the earlier ones answer, with exit 0."""
    league = tmp_path / "liga"
    shutil.copytree(KEEPS.parent, league)
    run("new", league / "2027", "--from", league / "2026")
    found = record(run("estimate", league / "2027", "--format", "json"))
    own = "evenings nu df groups reml profile exact sigma_robust tau_zero_p posterior normal"
    assert all(found[name] is None for name in own.split())
    assert found["prior_table"][0]["sigma_median"] is None
    assert (found["league"]["seasons"], found["league"]["ratings"]) == (2, [])
    assert list(found["league"]["rho"])[::19] == ["0.00", "0.95"]
    assert found["recommendation"]["sigma"] == 2400
    told = run("estimate", league / "2027")
    assert told.stdout.startswith("Vor dem ersten Abend\nBeibehalten")
    assert "noch keinen Abend" in told.stderr
    refused = run("estimate", league / "2027", "--season-only")
    assert (refused.exit_code, refused.stdout) == (1, "")


def test_the_league_stands_beside_the_season(run):
    """Two seasons linked, the earlier one on this one's scale; --season-only has neither."""
    found = record(run("estimate", KEEPS, "--format", "json"))
    league = found["league"]
    keys = "seasons evenings nu df lam rho p_lam_above sd_log_lam scaled ratings"
    assert " ".join(league) == keys
    assert sum(league["rho"].values()) == pytest.approx(1)
    assert league["scaled"][0]["factor"] == pytest.approx(2516.7817 / 2748.9, rel=1e-3)
    assert len(league["ratings"]) == len(load_season(KEEPS).results["player"].unique())
    assert found["posterior"]["p_lam_above"] != league["p_lam_above"]
    alone = record(run("estimate", KEEPS, "--season-only", "--format", "json"))
    assert alone["league"] is None and alone["own_recommendation"] is None
    assert alone["reml"] == found["reml"]


def test_no_estimate_is_refused_with_the_reason(run):
    """One evening: exit 1, nothing on stdout, in every format."""
    for form in ("table", "csv", "json"):
        result = run("estimate", KEEPS, "--through", 1, "--season-only", "--format", form)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "Erst wenn dieselben Spieler" in result.stderr


@pytest.mark.parametrize("evenings", [12, 4])
def test_keep_and_wait_adopt_nothing(run, tmp_path, evenings):
    """Exit 1, and not a byte is written."""
    place = tmp_path / "liga" / "2026"
    shutil.copytree(KEEPS, place)
    rows = (place / "results.csv").read_text("utf-8-sig").splitlines(keepends=True)
    kept = [rows[0], *(row for row in rows[1:] if int(row.split(";")[0]) <= evenings)]
    (place / "results.csv").write_text("".join(kept), "utf-8")
    before = (place / "season.toml").read_bytes()
    result = run("adopt", place, "--reason", "Probe")
    assert result.exit_code == 1
    assert "Nichts übernommen" in result.stderr
    assert (place / "season.toml").read_bytes() == before


def test_adopting_appends_and_changes_nothing_else(run, folder):
    """The file goes on where it ended; the new set is the recommendation, unrounded."""
    advised = record(run("estimate", folder, "--format", "json"))["recommendation"]
    file = folder / "season.toml"
    before, early = file.read_bytes(), run("standings", folder, "--through", 5, "--format", "json")
    result = run("adopt", folder, "--reason", 'nach "Abend" 6')
    assert result.exit_code == 0
    assert file.read_bytes().startswith(before)
    *old, new = parameters(folder)
    assert old == tomllib.loads(before.decode("utf-8"))["parameters"]
    assert (new["from_evening"], new["sigma"], new["lam"], new["reason"]) == (
        6,
        advised["sigma"],
        advised["lam"],
        'nach "Abend" 6',
    )
    assert load_season(folder).prior == load_season(KEEPS).prior
    now = record(run("standings", folder, "--format", "json"))
    assert (now["lam"], now["sigma"]) == (advised["lam"], advised["sigma"])
    assert run("standings", folder, "--through", 5, "--format", "json").stdout == early.stdout


def test_adopting_shows_the_rows_that_change(run, folder):
    """Each row as the table has it afterwards, in brackets as it was; equal rows are not shown."""
    before = record(run("standings", folder, "--format", "json"))["players"]
    told = run("adopt", folder, "--reason", "Probe").stdout
    after = record(run("standings", folder, "--format", "json"))["players"]
    for then, now in zip(
        *(sorted(t, key=lambda p: p["player"]) for t in (before, after)), strict=True
    ):
        numbers = [(f"{now[c]:.0f}", f"({then[c]:.0f})") for c in ("rating", "uncertainty")]
        moved = any(a != b.strip("()") for a, b in numbers) or now["rank"] != then["rank"]
        (line,) = [x for x in told.splitlines() if x.startswith(f"{now['player']} ")] or [""]
        assert bool(line) == moved
        plain = line.replace(".", "").replace("−", "-")
        assert not moved or all(" ".join(pair) in plain for pair in numbers)


def test_a_set_in_force_is_not_adopted_again(run, folder):
    """Told, exit 1, not a byte written: twice the same makes one entry."""
    given = ["--reason", "Beschluss", "--sigma", 2000, "--tau", 1000]
    assert run("adopt", folder, *given).exit_code == 0
    before = (folder / "season.toml").read_bytes()
    result = run("adopt", folder, *given)
    assert (result.exit_code, (folder / "season.toml").read_bytes()) == (1, before)
    assert "gelten schon" in result.stderr


def test_two_adopt_at_once(folder):
    """Both sets are in the file: the second waits for the first and goes on from it."""
    words = ["adopt", str(folder), *"--reason x --tau 900 --sigma".split()]
    with ThreadPoolExecutor(2) as both:
        each = [both.submit(main, [*words, x], standalone_mode=False) for x in ("2000", "2100")]
    assert [adopted.result() for adopted in each] == [None, None]
    assert {p["sigma"] for p in parameters(folder)} >= {2000, 2100}


def test_own_values_come_in_pairs(run, folder):
    """σ and τ together give λ = σ²/τ²; one alone is wrong use, as is a mark that may separate
    thousands; σ or τ out by a factor of 1,000 is refused. Nothing is written.
    """
    before = (folder / "season.toml").read_bytes()
    for alone in ("--sigma", "--tau"):
        assert run("adopt", folder, "--reason", "Probe", alone, 2000).exit_code == 2
    for sigma, tau, exit_code, told in (
        ("2400", "1.000", 2, "„1.000“ kann 1000 oder 1.0 sein"),
        ("1,234", "7", 2, "kann 1234 oder 1.2340 sein"),
        ("2,4", "1", 1, "Ist 2400 gemeint"),
        ("2400", "1", 1, "λ = 5.760.000. ist weniger als ein Hundertstel.*Ist 1000 gemeint"),
    ):
        result = run("adopt", folder, "--reason", "Probe", "--sigma", sigma, "--tau", tau)
        assert result.exit_code == exit_code
        assert re.search(told, result.stderr)
    assert (folder / "season.toml").read_bytes() == before
    assert run("adopt", folder, "--reason", "Probe", "--sigma", 2000, "--tau", 1000).exit_code == 0
    assert (parameters(folder)[-1]["sigma"], parameters(folder)[-1]["lam"]) == (2000, 4)


def test_own_values_need_no_recommendation(run, tmp_path):
    """They are adopted also where the answer is to keep, which is said."""
    place = tmp_path / "liga" / "2026"
    shutil.copytree(KEEPS, place)
    own = run("adopt", place, "--reason", "Beschluss", "--sigma", 2000, "--tau", 1000)
    assert (own.exit_code, "Die Schätzung rät: Beibehalten" in own.stdout) == (0, True)
    assert load_season(place).parameters.lam == 4


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_windows_line_ends_stay(run, folder, end):
    """A file with CRLF goes on with CRLF, whether its last line is ended or not."""
    file = folder / "season.toml"
    text = file.read_bytes().rstrip().replace(b"\n", b"\r\n") + end.replace(b"\n", b"\r\n")
    file.write_bytes(text)
    assert run("adopt", folder, "--reason", "Probe").exit_code == 0
    written = file.read_bytes()
    assert written.startswith(text)
    assert written.count(b"\n") == written.count(b"\r\n")
    assert parameters(folder)[-1]["reason"] == "Probe"


def test_of_two_sets_from_one_evening_the_last_rules(run, folder):
    """Adopted again on the same evening, the second is in force."""
    run("adopt", folder, "--reason", "eins")
    run("adopt", folder, "--reason", "zwei", "--sigma", 2000, "--tau", 1000)
    assert load_season(folder).parameters.reason == "zwei"
    assert [p["from_evening"] for p in parameters(folder)] == [0, 6, 6]


def test_a_single_table_cannot_keep_parameters(run):
    """Exit 1, and where they are kept instead."""
    result = run("adopt", SEASON_A, "--reason", "Probe", "--sigma", 2000, "--tau", 1000)
    assert result.exit_code == 1
    assert "season.toml" in result.stderr


def test_before_the_first_evening_a_set_holds_from_the_start(run, tmp_path):
    """Own values can be adopted for a new season: from evening 0, in force at once."""
    place = tmp_path / "liga" / "2027"
    run("new", place)
    result = run("adopt", place, "--reason", "Probe", "--sigma", 2000, "--tau", 1000)
    assert result.exit_code == 0, result.output
    assert parameters(place)[-1]["from_evening"] == 0
    assert load_season(place).parameters.lam == 4
    assert run("adopt", place, "--reason", "Probe").exit_code == 1
