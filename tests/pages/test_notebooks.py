"""Notebooks run and exported: what is refused, what is written, what a failure leaves."""

import json
import re

import nbformat
import papermill
import pytest
from bs4 import BeautifulSoup
from here import notebooks_here
from nbformat.sign import NotebookNotary
from samples import DATA

from liga_analysis.pages import notebooks
from liga_analysis.report import publish
from liga_analysis.words import DataError

PARAMETERS = """season_path: str = "x"  # help
rounds: int = 3
weight: float = 1.5
loud: bool = True
"""


@pytest.fixture
def notebook(tmp_path):
    """A notebook of one parameters cell and the cells given."""

    def write(*cells, name="probe"):
        first = nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})
        rest = [nbformat.v4.new_code_cell(cell) for cell in cells]
        nb = nbformat.v4.new_notebook(cells=[first, *rest])
        nb.metadata["kernelspec"] = {"name": "python3", "display_name": "x", "language": "python"}
        path = tmp_path / f"{name}.ipynb"
        nbformat.write(nb, path)
        return path

    return write


@pytest.fixture
def nothing_runs(monkeypatch):
    def started(*_, **__):
        raise AssertionError("a notebook was started")

    monkeypatch.setattr(papermill, "execute_notebook", started)


def test_a_notebook_tells_its_parameters(notebook):
    """Names and types, as the parameters cell declares them."""
    found = notebooks.parameters(notebook())
    assert found == {"season_path": "str", "rounds": "int", "weight": "float", "loud": "bool"}


def test_the_report_has_the_parameters_of_the_commands():
    """What `liga report` passes on, the notebook knows."""
    told = "season_path str sheet str through int lam float sigma float language str"
    told = f"{told} pseudonyms bool final bool".split()
    assert notebooks.parameters("season_report") == dict(zip(told[::2], told[1::2], strict=True))


def test_text_becomes_the_declared_type(notebook):
    """As a command line gives it; "false" is false."""
    text = {"season_path": "7", "rounds": "4", "weight": "2,5", "loud": "False"}
    good = notebooks.checked(notebook(), text)
    assert good == {"season_path": "7", "rounds": 4, "weight": 2.5, "loud": False}
    assert [type(value) for value in good.values()] == [str, int, float, bool]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seasn": "x"}, "kennt den Parameter „seasn“ nicht.*season_path, rounds, weight und loud"),
        ({"rounds": "2.5"}, "„rounds“ kann nicht '2.5' sein. Nötig ist eine ganze Zahl"),
        ({"rounds": 2.5}, "Nötig ist eine ganze Zahl"),
        ({"rounds": True}, "„rounds“ kann nicht True sein. Nötig ist eine ganze Zahl"),
        ({"weight": "x"}, "Nötig ist eine Zahl"),
        ({"weight": "1.000"}, "„1.000“ kann 1000 oder 1.0 sein"),
        ({"loud": "yes"}, "Nötig ist true oder false"),
        ({"loud": 1}, "Nötig ist true oder false"),
        ({"season_path": 2026}, "Nötig ist ein Text"),
    ],
)
@pytest.mark.usefixtures("nothing_runs")
def test_wrong_parameters_are_refused_before_anything_runs(notebook, tmp_path, values, message):
    """A sentence that names what would be right; nothing is started, nothing written."""
    with pytest.raises(DataError, match=message):
        notebooks.run_notebook(notebook(), values, tmp_path / "out", "page")
    assert not (tmp_path / "out").exists()


def test_an_unknown_notebook_names_those_at_hand():
    """By name or by path."""
    with pytest.raises(DataError, match=r"nichts\.ipynb gibt es nicht.*season_report"):
        notebooks.find_notebook("nichts.ipynb")


def test_a_file_that_is_no_notebook(tmp_path, monkeypatch):
    """Is told as such; a name alone is the notebook at hand, whatever lies in the folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("README.md", "x.ipynb", "season_report"):
        (tmp_path / name).write_text("{}")
    for name in ("README.md", "x.ipynb"):
        with pytest.raises(DataError, match="ist kein Notebook"):
            notebooks.find_notebook(name)
    for name in ("season_report", "./season_report"):
        assert notebooks.find_notebook(name).suffix == ".ipynb"


def test_a_failed_run_leaves_nothing(notebook, tmp_path):
    """The page of the last success stays; the sentence quotes the error."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "page.html").write_text("old")
    broken = notebook("raise ValueError('first line\\nlast line')")
    with pytest.raises(DataError, match=r"probe brach ab; geschrieben wurde nichts.*last line"):
        notebooks.run_notebook(broken, {}, folder, "page")
    assert [path.name for path in folder.iterdir()] == ["page.html"]
    assert (folder / "page.html").read_text() == "old"


def test_a_failed_export_leaves_nothing(notebook, tmp_path, monkeypatch):
    """Not even the executed notebook, whatever goes wrong after the run."""

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(notebooks, "page_html", broken)
    with notebooks_here(), pytest.raises(OSError, match="disk full"):
        notebooks.run_notebook(notebook("1"), {}, tmp_path / "out", "page")
    assert not list((tmp_path / "out").iterdir())


def test_the_page_of_any_notebook(notebook, tmp_path):
    """Outputs only, as text unless they are HTML; no scripts where there is no chart."""
    path = notebook("rounds * 2", "print('<b>loud</b>')", "import sys; sys.stderr.write('noise');")
    values = {"rounds": 21}
    page, executed = notebooks.run_notebook(path, values, tmp_path / "out", "page", "A < B", "en")
    html = page.read_text("utf-8")
    read = BeautifulSoup(html, "html.parser")
    assert read.title.get_text() == "A < B"
    assert read.html["lang"] == "en"
    assert [pre.get_text() for pre in read.find_all("pre")] == ["42", "<b>loud</b>\n"]
    assert not read.find_all("script")
    assert "rounds" not in html
    assert executed.name == "page.ipynb"


def test_a_foreign_notebook_stays_untrusted(notebook, tmp_path):
    """Only the copy of a shipped notebook is signed when it has run; it opens trusted."""
    with notebooks_here():
        made = notebooks.run_notebook(notebook("1"), {}, tmp_path / "out", "page")[1]
    assert not NotebookNotary().check_signature(nbformat.read(made, 4))


def test_the_season_report_has_its_files(season_a_report):
    """Named by season and evening, the page first."""
    names = [path.name for path in season_a_report]
    assert names == [f"season-a-abend-12.{kind}" for kind in ("html", "ipynb", "png", "xlsx")]


def test_the_page_is_whole_and_fetches_nothing(season_a_report):
    """All sections, every chart, the scripts once, and no address to fetch anything from."""
    read = BeautifulSoup(season_a_report[0].read_text("utf-8"), "html.parser")
    shown = ["podium", "standings", "cards", "awards", "story"]
    folded = ["turning", "results", "evenings", "encounters", "lam", "method", "provenance"]
    assert [h2["id"] for h2 in read.select("section h2")] == shown
    assert [h2["id"] for h2 in read.select("details.part > summary h2")] == folded
    charts = [json.loads(script.string) for script in read.select("figure.chart script")]
    assert [chart["width"] for chart in charts] == ["container"] * 4
    assert len(read.find_all("script")) == len(charts) + 2
    for link in read.find_all(["script", "link", "img", "iframe"]):
        assert (link.get("src") or link.get("href") or "data:").startswith("data:")
    assert read.select_one(".headline .first").get_text().startswith("Greta führt hauchdünn vor")


def test_the_executed_notebook_tells_nothing_of_this_machine(season_a_report):
    """Neither its paths nor its times; and it ran."""
    nb = nbformat.read(season_a_report[1], 4)
    assert "papermill" not in nb.metadata
    assert not any({"papermill", "execution"} & set(cell.metadata) for cell in nb.cells)
    assert any(cell.get("outputs") for cell in nb.cells)


def test_the_same_data_make_the_same_page(season_a_report, tmp_path):
    """To the byte, but for the time of making; with a kernel of its own and without."""
    with notebooks_here():
        again = publish.season_report(DATA / "season_a.csv", folder=tmp_path)[0].read_text("utf-8")
    time = re.compile(r"<time .*?</time>")
    before = season_a_report[0].read_text("utf-8")
    assert time.sub("", again) == time.sub("", before)
    assert len(time.findall(before)) == 1


def test_any_notebook_runs_on_a_season(notebook, tmp_path):
    """`liga run`: named by season and notebook."""
    values = {"season_path": str(DATA / "season_a.csv"), "rounds": "5"}
    with notebooks_here():
        files = notebooks.run(notebook("rounds", name="Mein Test"), values, tmp_path / "out")
    stem = "season-a-mein-test-abend-12"
    assert [path.name for path in files] == [f"{stem}.html", f"{stem}.ipynb"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("Größe 2026", "grosse-2026"), ("../../x", "x"), ("שרה", "liga"), ("a" * 200, "a" * 60)],
)
def test_file_names_are_safe(name, stem):
    """Letters, digits and hyphens of the English alphabet only."""
    assert notebooks.slug(name.replace("ß", "ss")) == stem


def test_a_folder_is_named_by_league_and_season(season_folder):
    """The folder liga/2026 makes files that start with "liga-2026"."""
    season = season_folder(results="evening,player,entries,chips_out,result,note\n1,A,1,2000,,\n")
    assert notebooks.season_stem(season.path) == "liga-2026"
