"""The form in the real JupyterLab, in a browser without a network."""

import asyncio
import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import ipywidgets as ipw
import pandas as pd
import pytest
from click.testing import CliRunner
from here import notebooks_here
from lab import Visit

from liga_analysis import load_season, save_season
from liga_analysis.cli.main import main
from liga_analysis.desk import form as evening_form
from liga_analysis.pages import notebooks

TYPED = [("Anna", "1", "4.100"), ("Benni", "2", "1900"), ("Zoë", "1", "1500")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A league with one evening held and two announced, its copy, and the notebook on it."""
    root = tmp_path_factory.mktemp("lab")
    days = pd.to_datetime(["2026-01-09", "2026-02-06", "2026-02-20"])
    calendar = pd.DataFrame({"evening": [1, 2, 3], "date": days, "host": ["Anna", "Ben", ""]})
    chips = {"evening": 1, "player": ["Anna", "Ben"], "entries": [1, 2], "chips_out": [3500, 2500]}
    season = save_season(root / "liga" / "2026", "Testliga", calendar, pd.DataFrame(chips)).path
    shutil.copytree(root / "liga", root / "other")
    notebook = json.loads(notebooks.notebooks()["record_evening"].read_text("utf-8"))
    (cell,) = (c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    cell["source"] = [f"season_path: str = {json.dumps(str(season))}"]
    (root / "form.ipynb").write_text(json.dumps(notebook), "utf-8")
    return root


class Form:
    """The form on a page, by what people see of it."""

    def __init__(self, page):
        self.page = page
        self.rows = page.locator(".liga-line")
        self.rows.nth(5).wait_for()

    def field(self, row, column):
        return self.rows.nth(row).locator("input:visible, select:visible").nth(column)

    def type(self, row, player, entries, chips):
        self.field(row, 0).fill(player)
        self.field(row, 0).press("Tab")
        self.field(row, 1).select_option(entries)
        self.field(row, 2).fill(chips)

    def choose(self, evening):
        self.page.get_by_label("Abend", exact=True).select_option(label=evening)

    def says(self, text):
        self.page.get_by_text(text).first.wait_for()

    def save(self, clicks=1):
        name = re.compile("speichern in „Testliga“", re.IGNORECASE)
        self.page.get_by_role("button", name=name, disabled=False).click(click_count=clicks)


def files(root):
    kept = [p for p in root.rglob("*") if p.is_file() and p.parent.name != "protocols"]
    return {path.relative_to(root): path.read_bytes() for path in kept}


@pytest.mark.browser
def test_an_evening_is_typed_and_stored(tab, folder):
    """What is stored is what `liga record` makes of the sheet; both themes show all of the form."""
    season, other = folder / "liga" / "2026", folder / "other" / "2026"
    with Visit(tab, folder / "form.ipynb") as visit:
        form = Form(visit.page)
        form.says(str(season))
        for row, line in enumerate(TYPED):
            form.type(row, *line)
        form.says("Es fehlen 500 Chips: 8.000 ausgegeben, 7.500 gezählt.")
        form.says("Abend 2 (06.02.2026): Gezählt sind 7.500 Chips, ausgegeben wurden 8.000")
        form.field(2, 2).fill("2005")
        form.says("Abend 2 (06.02.2026), Zeile 3: Zoë: 2.005 Chips sind kein Vielfaches")
        assert not list(season.glob("protocols/*"))
        assert [wrong for _, wrong in visit.measured()] == [{}, {}]

        # The season changes meanwhile: nothing is stored, nothing typed is lost.
        form.field(2, 2).fill("2000")
        form.says("Summe 0: 8.000 Chips ausgegeben, 8.000 gezählt.")
        form.says("Tabelle danach (in Klammern: vorher)")
        before = (season / "evenings.csv").read_bytes()
        (season / "evenings.csv").write_bytes(before + b"4,2026-03-06,,,,\n")
        form.save()
        form.says("Nicht gespeichert; alles Eingetragene steht noch da.")
        assert form.field(2, 2).input_value() == "2000"
        (season / "evenings.csv").write_bytes(before)
        form.field(2, 2).fill("2.000")
        form.says("Tabelle danach (in Klammern: vorher)")
        form.save(clicks=2)
        form.says("Erfasst: Abend 2. Das Blatt liegt in protocols/abend-02-formular.csv.")
        assert form.field(0, 0).input_value() == ""
        chosen = visit.page.get_by_label("Abend", exact=True).locator("option:checked")
        assert chosen.inner_text().split() == "Abend 3 · 20.02.2026".split()

        sent = folder / "blatt.csv"
        lines = [
            "Abend;Gastgeber;Spieler;Einstiege;Chips",
            *(f"2;Ben;{';'.join(t)}" for t in TYPED),
        ]
        sent.write_text("\n".join(lines).replace("1500", "2000"), "utf-8")
        assert CliRunner().invoke(main, ["record", str(other), str(sent), "--yes"]).exit_code == 0
        assert files(season.parent) == files(other.parent)

        form.choose("Abend 1 · 09.01.2026 · bei Anna – berichtigen")
        form.says("Noch ist nichts anders")
        form.field(0, 2).fill("3400")
        form.field(1, 2).fill("2600")
        form.says("Bitte bei „Grund“ eintragen")
        visit.page.get_by_label("Grund").fill("verzählt")
        form.save()
        form.says("Erfasst: Abend 1.")
        assert load_season(season).corrections["why"].tolist() == ["verzählt"]
        assert visit.cut == []
        assert visit.heard() == []


def test_an_error_in_a_callback_is_seen(folder, monkeypatch):
    """Below the form, with its message, also after a pause; what was typed stays."""

    def broken(*_):
        raise RuntimeError("broken on purpose")

    async def typing():
        box = evening_form.form(folder / "other" / "2026", date.today)
        fields = {type(widget): widget for widget in walk(box)}
        fields[ipw.Output].outputs = ()
        next(w for w in walk(box) if "liga-line" in w._dom_classes).children[1].value = "Anna"
        await asyncio.sleep(2 * evening_form.PAUSE)
        (shown,) = fields[ipw.Output].outputs
        return shown["text"], [w.value for w in walk(box) if isinstance(w, ipw.Combobox)]

    monkeypatch.setattr(evening_form, "prepared", broken)
    shown, names = in_a_loop(typing())
    assert "RuntimeError: broken on purpose" in shown
    assert "Anna" in names


def in_a_loop(coroutine):
    """What it returns, run beside this thread, where the browser's loop may run."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, coroutine).result()


def walk(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from walk(child)


def test_a_single_file_gets_a_sentence(tmp_path):
    """No form, and why; also where there is nothing."""
    path = tmp_path / "abende.csv"
    path.write_text("evening,player,result\n1,Anna,5\n1,Ben,-5\n", "utf-8")
    assert "nur mit einem Saisonordner, nicht mit einer einzelnen Datei" in evening_form.place(path)
    assert evening_form.form(path, date.today).children == ()
    assert "Nicht gefunden" in evening_form.place(tmp_path / "none")


def test_the_example_says_what_it_is():
    """Its folder is named, and that one's own belongs there."""
    told = evening_form.place("data/beispielliga/2026")
    assert "beispielliga/2026" in told
    assert "mitgelieferte Beispielliga" in told


def test_a_page_of_the_notebook_writes_nothing(folder, tmp_path):
    """It says that the form needs JupyterLab."""
    shutil.copytree(folder / "other", tmp_path / "liga")
    before = files(tmp_path / "liga")
    values = {"season_path": str(tmp_path / "liga" / "2026")}

    async def written():  # as in a kernel, in a loop
        return notebooks.run("record_evening", values, tmp_path / "out")[0]

    with notebooks_here():
        page = in_a_loop(written())
    assert "erscheint nur hier in JupyterLab" in page.read_text("utf-8")
    assert files(tmp_path / "liga") == before
