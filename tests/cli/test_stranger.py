"""A season folder from a stranger: nothing in it runs, and nothing outside it changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from liga_analysis.cli.main import main

NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "Anna"]
MODULES = "signal liga_analysis numpy IPython ipykernel_launcher vl_convert sitecustomize runpy"
SETTINGS = (
    'name = "Böse\\u001b[2J\\nLiga"\n[[parameters]]\nsigma = 2400\nlam = 6\nreason = "\\u001b[5m"\n'
)
LARGE = 1_000_000_000


@pytest.fixture
def outside(tmp_path):
    """A home that is not the season's."""
    home = tmp_path / "home"
    (home / "private").mkdir(parents=True)
    (home / ".bashrc").write_text("mine")
    (home / "private" / "results.csv").write_text("evening,player,result\n1,Geheim,0\n")
    return home


@pytest.fixture
def stranger(tmp_path, outside):
    """A season of six evenings with everything round it that could run or overwrite something."""
    folder = tmp_path / "post" / "2026\x1b[2J"
    folder.mkdir(parents=True)
    (folder / "season.toml").write_text(SETTINGS, "utf-8")
    days = "".join(f"{e},2026-01-{e:02},,{NAMES[e - 1]},Keller,\n" for e in range(1, 7))
    (folder / "evenings.csv").write_text("evening,date,start,host,place,note\n" + days, "utf-8")
    rows = "".join(
        f"{e},{name},1,{2000 + chips}\n"
        for e in range(1, 7)
        for name, chips in zip(NAMES, (10 * e, -10 * e, 600, -600, 200, -200), strict=True)
    )
    (folder / "results.csv").write_text("evening,player,entries,chips_out\n" + rows, "utf-8")
    (folder / "licences.csv").write_text("licence,player,issued,aliases\n", "utf-8")

    mark = outside / "ran"
    for module in MODULES.split():
        (folder / f"{module}.py").write_text(f"open({str(mark)!r}, 'w')\nraise SystemExit(7)\n")
    for notebook in ("season_report", "estimate_parameters"):
        (folder / notebook).write_text(f'{{"cells": [], "run": "{mark}"}}')
    for template in ("index.html.j2", "base/display_priority.j2", "basic/index.html.j2"):
        (folder / template).parent.mkdir(exist_ok=True)
        (folder / template).write_text("STRANGER")

    (folder / "protocols").mkdir()
    os.mkfifo(folder / "protocols" / "abend-01.csv")
    (folder / "protocols" / "abend-02.csv").symlink_to("/dev/zero")
    (folder / "protocols" / "abend-03.csv").mkdir()
    with open(folder / "protocols" / "abend-04.csv", "wb") as sparse:
        sparse.truncate(LARGE)
    record = folder / ".record"
    (record / "league").mkdir(parents=True)
    (record / "league" / ".bashrc").write_text("theirs")
    (record / "season").mkdir()
    (record / "season" / "results.csv").symlink_to(outside / "private" / "results.csv")
    (record / "season" / "protocols").symlink_to(outside / "private")
    (folder / ".record.new").symlink_to(outside / "private")
    return folder


def contents(folder: Path) -> dict:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


COMMANDS = """check .
standings .
awards .
estimate .
lambda .
influence .
chances . --draws 1000
chances . --outlook --draws 100
career .
run nichts .
sheet .
record . neu.csv --yes
invite . --date 2099-01-01
adopt . --reason x --sigma 2300 --tau 900"""


def test_no_command_touches_what_is_outside(stranger, outside, monkeypatch):
    """Every command ends with a sentence or its data, without escape codes or a traceback."""
    before = contents(outside)
    monkeypatch.chdir(stranger)
    sheet = "evening,date,player,entries,chips_out\n7,2026-01-20,Anna,1,2000\n7,,valueOf,1,2000\n"
    Path("neu.csv").write_text(sheet)
    for command in COMMANDS.splitlines():
        words = command.split()
        result = CliRunner().invoke(main, words, color=True)
        assert result.exception is None or isinstance(result.exception, SystemExit), command
        assert "Geheim" not in result.output, command
        assert "\x1b" not in result.output, command
        delivers = words[0] not in ("check", "run")
        assert result.exit_code == 0 or not delivers, (command, result.output)
    (stranger / ".liga.lock").unlink(missing_ok=True)
    (stranger / ".liga.lock").symlink_to(outside / "made")
    again = CliRunner().invoke(
        main, ["adopt", str(stranger), *"--reason x --sigma 9 --tau 9".split()]
    )
    assert (again.exit_code, again.stdout) == (1, "")
    assert contents(outside) == before


@pytest.mark.parametrize(
    "words",
    [["report", "."], pytest.param(["run", "estimate_parameters", "."], marks=pytest.mark.soak)],
    ids=["report", "run"],
)
def test_nothing_runs(stranger, outside, words):
    """The shipped notebooks run, with the shipped modules and templates, in less than 1 GB."""
    before = contents(outside)
    command = [Path(sys.executable).with_name("liga"), *words]
    with subprocess.Popen(command, cwd=stranger, stderr=subprocess.PIPE) as process:
        told = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    assert status == 0, told
    assert usage.ru_maxrss < 1_000_000  # KB, of whichever process was the largest
    (page,) = (stranger / "reports").glob("*.html")
    assert "STRANGER" not in page.read_text("utf-8")
    assert contents(outside) == before


@pytest.mark.parametrize("table", ["results.csv", "evenings.csv", "season.toml", "licences.csv"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link", "dangling", "large"])
def test_what_is_no_file_is_refused_at_once(stranger, outside, table, kind):
    """For a table a pipe, a device, a folder, a link out or to nothing, or 1 GB: one sentence."""
    path = stranger / table
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "large":
        with open(path, "wb") as sparse:
            sparse.truncate(LARGE)
    else:
        target = "/dev/zero" if kind == "device" else outside / "private" / "results.csv"
        path.symlink_to(target)
    result = CliRunner().invoke(main, ["standings", str(stranger)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1].startswith(table)  # after what was in .record
