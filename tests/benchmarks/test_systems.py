"""What README.md says of other systems is what the file holds, and the file can be made again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import systems as benchmark

from liga_analysis.research.comparison import WORLDS, simulated

ROOT = Path(__file__).parents[2]
SIX_DIGITS = 2e-5  # the file has six; the rest is the order in which machines add


@pytest.fixture(scope="module")
def made():
    return pd.read_csv(benchmark.FILE)


def test_readme_says_what_the_file_says(made):
    """What README.md says of totals is computed from the file; seasons and seed are told."""
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    for sentence in benchmark.sentences(made):
        assert " ".join(sentence.split()) in readme
    assert set(made["seasons"]) == {1000} and set(made["seed"]) == {1}


def test_tables_of_the_benchmarks_are_those_of_the_file(made):
    """Every world's table in benchmarks/README.md."""
    told = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    over_all = made[made["season"].isna()]
    for kind in WORLDS:
        assert benchmark.world_table(over_all[over_all["world"] == kind]) in told


@pytest.mark.parametrize("kind", WORLDS)
def test_the_first_seasons_can_be_made_again(made, kind):
    """The first two seasons of each world, to the digits of the file."""
    seeds = np.random.SeedSequence([1, WORLDS.index(kind)]).spawn(1000)
    for k in range(benchmark.KEPT):
        stored = made[(made["world"] == kind) & (made["season"] == k)]
        again = simulated(kind, seeds[k]).melt("system", var_name="measure").dropna()
        both = stored.dropna(subset="value").merge(again, on=["system", "measure"], how="outer")
        np.testing.assert_allclose(both["value_x"], both["value_y"], rtol=SIX_DIGITS, atol=1e-6)


def test_a_run_prints_all_and_writes_the_file(tmp_path, capsys):
    """Three seasons: a table for each world, sentences, and a file like the one here."""
    out = tmp_path / "few.csv"
    benchmark.main(["--seasons", "3", "--jobs", "1", "--out", str(out)])
    text, few = capsys.readouterr().out, pd.read_csv(out)
    assert text.count("| league |") == len(WORLDS)
    assert text.strip().endswith("\n".join(benchmark.sentences(few)))
    assert list(few.columns) == list(pd.read_csv(benchmark.FILE, nrows=1).columns)
    assert set(few["seasons"]) == {3}
