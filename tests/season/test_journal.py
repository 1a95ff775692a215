"""A change of several files: before or after, never between; nothing anybody wrote is lost."""

import builtins
import os
import random
import shutil
from contextlib import suppress
from datetime import date
from itertools import count
from pathlib import Path

import pandas as pd
import pytest

from liga_analysis import load_season, save_season
from liga_analysis.desk.corrections import renamed, undone
from liga_analysis.desk.files import season_lock, store
from liga_analysis.desk.invitation import announce
from liga_analysis.desk.recording import Given, prepare
from liga_analysis.season import journal
from liga_analysis.season.folder import JOURNAL, SETTINGS, output_folder
from liga_analysis.season.journal import commit, finish, recovered, snapshot
from liga_analysis.season.settings import Parameters, with_parameters
from liga_analysis.words import DataError

TODAY = date(2026, 3, 1)
SHEET = "Datum;Spieler;Einstiege;Chips\n{};Anna;1;2700\n{};Kai;1;1300\n"
BY_HAND = b"evening,player,result\n1,Anna,7\n1,Ben,-7\n"


class Killed(BaseException):
    """The computer stops."""


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """A season in its league, beside another, with an evening and a protocol recorded."""
    league = tmp_path_factory.mktemp("made") / "liga"
    for name, other in (("2025", "Kai"), ("2026", "Ben")):
        calendar = pd.DataFrame({"evening": [1], "date": pd.to_datetime([f"{name}-01-09"])})
        rows = {"evening": 1, "player": ["Anna", other], "entries": 1, "chips_out": [2500, 1500]}
        save_season(league / name, name, calendar, pd.DataFrame(rows))
    record(league / "2026", "20.02.2026")
    return league


@pytest.fixture
def folder(league, tmp_path):
    """The season in a copy of that league."""
    return shutil.copytree(league, tmp_path / "liga") / "2026"


def record(folder, day, **given):
    sheet = folder.parent.parent / "blatt.csv"
    sheet.write_text(SHEET.format(day, day), "utf-8")
    reason = "Zählfehler" if "replace" in given else ""
    with season_lock(folder):
        return store(prepare(folder, [sheet], Given(**given), TODAY, reason))


def adopt(folder):
    path = folder / SETTINGS
    with season_lock(folder):
        seen, chosen = snapshot(folder, [path]), Parameters(2, 2000.0, 5.0, TODAY, "x")
        commit((folder, {path: with_parameters(seen[path], chosen, path)}, seen))


def new(folder):
    save_season(folder.parent / "2027", "2027", licences=load_season(folder).licences)


def change(folder, prepared):
    with season_lock(folder):
        store(prepared)


TASKS = {
    "record": lambda folder: record(folder, "21.02.2026"),
    "replace": lambda folder: record(folder, "20.02.2026", replace=2, host="Zoë"),
    "invite": lambda folder: announce(folder, TODAY, date(2026, 3, 6), "19:30", "Anna"),
    "rename": lambda folder: change(folder, renamed(folder, "Kai", "Kay", TODAY)),
    "undo": lambda folder: change(folder, undone(folder, 2, "x", TODAY)),
    "adopt": adopt,
    "new": new,
}


def files_of(league):
    """Everything of the league but what belongs to the journal and lock."""
    return {
        path.relative_to(league).as_posix(): path.read_bytes()
        for path in sorted(league.rglob("*"))
        if path.is_file() and ".record" not in str(path) and path.name != journal.LOCK
    }


def states(folder):
    """What both seasons say."""
    both = (load_season(folder.parent / name).results for name in ("2025", "2026"))
    return [rows[["player", "chips_out"]].values.tolist() for rows in both]


STEPS = [(os, name) for name in "replace rename link fsync mkdir unlink rmdir open".split()]
STEPS += [(builtins, "open")]


def stopped(monkeypatch, task, at, what):
    """Run a task; before file operation `at`, `what` happens. How many operations there were."""
    calls = count(1)
    last = 0

    def each(original):
        def call(*args, **kwargs):
            nonlocal last
            last = next(calls)
            if last == at:
                what()
            return original(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for place, name in STEPS:
            patch.setattr(place, name, each(getattr(place, name)))
        with suppress(Killed, OSError, DataError):
            task()
    return last


def kill():
    raise Killed


def fail():
    raise OSError(28, "No space left on device")


# At how many of the file operations: four by the seed of the task's name, or all.
AT = pytest.mark.parametrize("most", [4, pytest.param(10_000, marks=pytest.mark.soak)])


@AT
@pytest.mark.parametrize("what", [kill, fail], ids=["killed", "disk full"])
@pytest.mark.parametrize("name", TASKS)
def test_before_or_after(league, folder, monkeypatch, name, what, most):
    """Wherever it stops, the next command finds the files as before or as after, byte for byte."""
    before, said = files_of(folder.parent), {False: states(folder)}
    steps = stopped(monkeypatch, lambda: TASKS[name](folder), 0, what)
    after, said[True] = files_of(folder.parent), states(folder)
    assert before != after
    turned = False
    for at in sorted(random.Random(name).sample(range(1, steps + 1), min(most, steps))):
        shutil.rmtree(folder.parent)
        shutil.copytree(league, folder.parent)
        stopped(monkeypatch, lambda: TASKS[name](folder), at, what)
        seen = states(folder)
        told = recovered(folder)
        found = files_of(folder.parent)
        assert found in (before, after), at
        assert seen == said[found == after]
        assert what is fail or turned <= (found == after), at  # once decided it stays so
        turned |= found == after
        assert all(p.key == "journal_finished" for p in told)
        TASKS[name](folder) if found == before else None
        assert files_of(folder.parent) == after


@AT
@pytest.mark.parametrize("name", ["record", "replace"])
def test_what_is_written_by_hand_meanwhile_is_kept(league, folder, monkeypatch, name, most):
    """At whichever file operation somebody saves results.csv: his bytes are there afterwards."""
    hand = (folder / "results.csv").read_bytes().replace(b"2500;;", b"2500;;von Hand")
    steps = stopped(monkeypatch, lambda: TASKS[name](folder), 0, kill)
    for at in sorted(random.Random(name).sample(range(1, steps + 1), min(most, steps))):
        shutil.rmtree(folder.parent)
        shutil.copytree(league, folder.parent)
        stopped(
            monkeypatch,
            lambda: TASKS[name](folder),
            at,
            lambda: Path.write_bytes(folder / "results.csv", hand),
        )
        recovered(folder)
        found = files_of(folder.parent)
        assert any(b"von Hand" in data for data in found.values()), at


def interrupted(folder, monkeypatch, day="21.02.2026"):
    """A recording that stopped between the decision and the moving."""
    with monkeypatch.context() as patch:
        patch.setattr(journal, "finish", lambda _: [])
        record(folder, day)
    assert (folder / JOURNAL).is_dir()


@pytest.mark.parametrize("age", [-1, 1], ids=["older", "newer"])
def test_an_edit_before_it_is_finished(folder, monkeypatch, age):
    """Kept under a free name whatever its time stamp, beside an older kept one; and told."""
    interrupted(folder, monkeypatch)
    (folder / "results.bak.csv").write_bytes(b"older")
    (folder / "results.csv").write_bytes(BY_HAND)
    then = (folder / JOURNAL).stat().st_mtime_ns + age * 10**9
    os.utime(folder / "results.csv", ns=(then, then))
    assert load_season(folder).held == [1, 2, 3]
    finished, kept = recovered(folder)
    assert "results.csv" in finished.message("de")
    assert "results.bak2.csv" in kept.message("de")
    assert (folder / "results.bak2.csv").read_bytes() == BY_HAND
    assert (folder / "results.bak.csv").read_bytes() == b"older"
    assert load_season(folder).held == [1, 2, 3]
    assert recovered(folder) == []


def test_the_hosts_file_is_not_written_over(folder, monkeypatch):
    """Two sheets of one name, the first still waiting: both are there afterwards."""
    interrupted(folder, monkeypatch)
    first = snapshot(folder, [folder / "protocols" / "abend-03-blatt.csv"])
    record(folder, "22.02.2026")
    record(folder, "20.02.2026", replace=3, date=date(2026, 2, 19))
    assert set(first.values()) <= set(files_of(folder).values())
    assert sorted(load_season(folder).held) == [1, 2, 3, 4]


@pytest.mark.parametrize("target", [".bashrc", "licences.csv", "2025/results.csv"])
def test_a_strangers_journal_writes_nothing_beside_the_season(folder, target):
    """What is not the season's own is never taken, and lies apart afterwards; that is told."""
    before = files_of(folder.parent)
    staged = folder / ".record" / "league" / target
    staged.parent.mkdir(parents=True)
    staged.write_text("fremd", "utf-8")
    (told,) = recovered(folder)
    assert ".record.rest" in told.message("de")
    assert files_of(folder.parent) == before
    assert not (folder / ".record").exists()
    record(folder, "21.02.2026")


@pytest.mark.parametrize("link", [".record", ".record/season", "protocols", ".record.new"])
def test_nothing_goes_through_a_link(folder, tmp_path, link):
    """A link where the journal, its folders or the protocols are: nothing outside changes."""
    outside = tmp_path / "outside"
    (outside / "season" / "protocols").mkdir(parents=True)
    (outside / "season" / "results.csv").write_text("fremd", "utf-8")
    (folder / ".record" / "season" / "protocols").mkdir(parents=True)
    (folder / ".record" / "season" / "protocols" / "abend-01-x.csv").write_text("x", "utf-8")
    if (folder / link).is_dir():
        shutil.rmtree(folder / link)
    (folder / link).symlink_to(outside / "season" if "season" in link else outside)
    before, held = files_of(outside), load_season(folder).held
    recovered(folder)
    with suppress(DataError):
        record(folder, "21.02.2026")
    assert files_of(outside) == before
    assert load_season(folder).held[: len(held)] == held


def test_reports_are_not_written_through_a_link(tmp_path):
    """A folder "reports" that leads elsewhere may have come with somebody's season."""
    (tmp_path / "season").mkdir()
    (tmp_path / "season" / "reports").symlink_to(tmp_path)
    with pytest.raises(DataError, match="führt als Verweis aus dem Ordner hinaus"):
        output_folder(tmp_path / "season" / "reports")


def test_a_file_where_the_protocols_belong(folder):
    """It is named before anything changes; a change decided on could never be finished."""
    shutil.rmtree(folder / "protocols")
    (folder / "protocols").write_text("fremd", "utf-8")
    before = files_of(folder.parent)
    with pytest.raises(DataError, match="protocols ist eine Datei"):
        record(folder, "21.02.2026")
    assert files_of(folder.parent) == before


def test_a_folder_that_cannot_be_written_is_read_as_decided(folder, monkeypatch):
    """The new state is read, and told what keeps it from being finished."""
    interrupted(folder, monkeypatch)
    monkeypatch.setattr(journal, "finish", lambda _: fail())
    (told,) = recovered(folder)
    assert "schreibgeschützt" in told.message("de")
    assert load_season(folder).held == [1, 2, 3]


def test_a_failing_sync_after_the_decision_is_no_failure(folder, monkeypatch):
    """It is stored, so it is not an error; what is decided comes before what is durable."""
    sync = journal._sync
    monkeypatch.setattr(journal, "_sync", lambda place: fail() if place == folder else sync(place))
    record(folder, "21.02.2026")
    assert load_season(folder).held == [1, 2, 3]


def test_finishing_nothing_tells_nothing(folder):
    """A season without a journal is left as it is."""
    before = files_of(folder.parent)
    assert finish(folder) == recovered(folder) == []
    assert files_of(folder.parent) == before
