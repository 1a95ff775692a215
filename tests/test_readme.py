"""The README's commands, code and numbers are what a reader gets."""

import re
import tomllib
from pathlib import Path

import pytest

import liga_analysis as liga

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_python_example(monkeypatch):
    """The Python lines run, from any folder, and give the numbers told below them."""
    monkeypatch.chdir("/")
    names = {}
    exec(re.search(r"```python\n(.*?)```", README, re.DOTALL)[1], names)
    told = re.search(r"`est.sigma` is (\d+) and `est.tau` (\d+) chips", README)
    assert [float(n) for n in told.groups()] == pytest.approx(
        [names["est"].sigma, names["est"].tau], abs=0.5
    )


def test_picture():
    """The picture shows the ratings of the example season; beside it stands a telephone."""
    svg = (ROOT / "data" / "beispielliga" / "2026.svg").read_text("utf-8")
    season = liga.load_season(ROOT / "data" / "beispielliga" / "2026", language="en")
    for row in liga.standings(season).itertuples():
        assert row.player in svg
        assert f">{season.words.chips(row.rating)} ± " in svg
    phone = (ROOT / "data" / "beispielliga" / "2026-phone.png").read_bytes()
    assert [int.from_bytes(phone[k : k + 4]) for k in (16, 20)] == [390, 844]
    assert len(phone) < 100_000


def test_every_notebook_is_told():
    """Each notebook has its line, and each line its notebook."""
    told = re.findall(r"^\| `(\w+)` \| [A-Z].*\?", README, re.MULTILINE)
    assert set(told) == {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_every_room_is_told():
    """The list of the house is complete and in the order of the imports."""
    house = README[README.index("## The house") :]
    told = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", house, re.MULTILINE)))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    layers = [room for layer in reversed(contract["layers"]) for room in layer.split(" | ")]
    assert told == layers
