"""Many seasons at once: what fails is named, what dies is done again, nothing is there twice."""

import os
import signal
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

import dask
import joblib
import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from distributed import Client, LocalCluster

from liga_analysis.cli.main import main
from liga_analysis.model.simulation import simulate_season
from liga_analysis.report import publish
from liga_analysis.season.season import load_season
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError


@pytest.fixture
def leagues(tmp_path):
    """Two simulated leagues, and between them one whose results have no players."""
    folders = [tmp_path / name / "2026" for name in ("eins", "kaputt", "zwei")]
    for seed, folder in enumerate(folders):
        calendar, results, _ = simulate_season(6, 4, seed)
        save_season(folder, folder.parent.name.title(), calendar, results)
    (folders[1] / "results.csv").write_text("evening,result\n1,2\n")
    return folders


def evenings(path):
    return len(load_season(path).held)


def deadly(folder, number):
    """Writes a file for each number; at the first try of 3 the worker dies half-way."""
    mark, half = Path(folder, "died"), Path(folder, f"{number}.half")
    half.write_text(str(number))
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    os.replace(half, Path(folder, str(number)))
    return number


def refuses(number):
    return 1 / (number - 2)


def test_one_that_fails_stops_no_other(leagues):
    """Outcomes in the order given; its sentence stands beside the one that failed."""
    made = publish.each_season(evenings, leagues)
    assert made["season"].tolist() == leagues
    assert made["outcome"].tolist()[::2] == [4, 4]
    assert made["error"].astype(bool).tolist() == [False, True, False]
    assert "Spalte Spieler fehlt" in made["error"][1]


def test_any_error_is_named():
    """Also one that is no problem of the data."""
    made = publish.each_season(refuses, [1, 2, 3])
    assert made["error"].tolist() == ["", "ZeroDivisionError: division by zero", ""]
    assert publish.each_season(refuses, []).columns.tolist() == ["season", "outcome", "error"]


@contextmanager
def in_turn():
    """One report after the other, in this process."""
    from here import notebooks_here  # the workers below, which import this file, do without

    with joblib.parallel_config("sequential"), notebooks_here():
        yield


@pytest.mark.parametrize("how", [in_turn, pytest.param(nullcontext, marks=pytest.mark.soak)])
def test_reports_of_many_seasons(leagues, tmp_path, monkeypatch, how):
    """`liga report` of several: each page once, the broken league named, exit 1, no leftovers."""
    monkeypatch.chdir(tmp_path)
    with how():
        said = CliRunner().invoke(main, ["report", *map(str, leagues), "--jobs", "2"])
    assert said.exit_code == 1
    assert said.stdout.splitlines()[-1] == "2 von 3 Berichten geschrieben."
    assert f"{leagues[1]}: results.csv" in said.stderr
    names = {"eins", "zwei"}
    pages = sorted((tmp_path / "reports").glob("*.html"))
    assert [page.name for page in pages] == sorted(f"{name}-2026-abend-4.html" for name in names)
    for page in pages:
        title = BeautifulSoup(page.read_text("utf-8"), "html.parser").title.get_text()
        assert page.name.split("-")[0].title() in title
        assert f"{page}" in said.stdout
    assert not list((tmp_path / "reports").glob(".*"))


def test_what_a_killed_worker_began_is_gone(leagues, tmp_path, monkeypatch):
    """The folder in which reports are made goes with whatever lies in it."""

    def season_report(season, beside, folder, **_):
        Path(beside, "half").touch()
        return [Path(folder, "page")]

    monkeypatch.setattr(publish, "season_report", season_report)
    made = publish.reports(leagues[::2], tmp_path / "out")
    assert made["outcome"].tolist() == [[tmp_path / "out" / "page"]] * 2
    assert not list((tmp_path / "out").iterdir())


def test_two_reports_never_share_a_file(leagues, tmp_path):
    """Refused before anything is written; the same league twice is two as well."""
    for other in (leagues[0], tmp_path / "anderswo" / "eins" / "2026"):
        with pytest.raises(DataError, match=r"eins.*eins.*denselben Dateinamen"):
            publish.reports([leagues[0], leagues[2], other], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_json_is_of_one_season(leagues):
    """Several are wrong use."""
    said = CliRunner().invoke(main, ["report", *map(str, leagues), "--format", "json"])
    assert said.exit_code == 2
    assert "nur von einer Saison" in said.stderr


def test_a_dead_worker_of_a_cluster_is_made_good(tmp_path):
    """Over joblib's own backend: whatever the dead one had is done again, nothing twice."""
    numbers = list(range(8))
    with (
        # Its profiler reads the frames of running threads; Python 3.11 may hang on that.
        dask.config.set({"distributed.worker.profile.enabled": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        made = publish.each_season(partial(deadly, tmp_path), numbers)
    assert made["outcome"].tolist() == numbers
    assert not made["error"].any()
    assert {path.name for path in tmp_path.iterdir()} == {*map(str, numbers), "died"}
