"""Every notebook in the real JupyterLab, light and dark, narrow and wide."""

import re

import nbformat
import pytest
from lab import Visit

from liga_analysis.pages import notebooks

pytestmark = pytest.mark.browser

NAMES = sorted(notebooks.notebooks().keys() - {"record_evening"})  # which tests/desk visits


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Copies of the notebooks; simulations short."""
    root = tmp_path_factory.mktemp("lab")
    for name in NAMES:
        text = notebooks.notebooks()[name].read_text("utf-8")
        for simulated, few in (("seasons", 8), ("simulated", 3)):
            text = re.sub(rf"{simulated}: int = \d+", f"{simulated}: int = {few}", text)
        (root / f"{name}.ipynb").write_text(text, "utf-8")
    return root


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_right_in_jupyterlab(tab, folder, name):
    """Nothing outside its output, cut or pale; no error, no request; a table shown as a table."""
    with Visit(tab, folder / f"{name}.ipynb") as visit:
        for frames, wrong in visit.measured():
            assert wrong == {} and frames >= 3
        assert visit.cut == []
        assert visit.heard() == []


@pytest.mark.parametrize("trusted", [True, False])
def test_an_executed_report_opens(tab, season_a_report, folder, trusted):
    """On this machine styled; elsewhere legible without style: no heading twice, λ in the list."""
    report = nbformat.read(season_a_report[1], 4)
    if not trusted:
        report.metadata["sent"] = True  # what is changed is not what was signed
    nbformat.write(report, folder / "report.ipynb")
    with Visit(tab, folder / "report.ipynb", run=False) as visit:
        page = visit.page
        visit.drawn()
        for frames, wrong in () if trusted else visit.measured():  # trusted it is as just run
            assert wrong == {} and frames >= 3
        size = "(e) => getComputedStyle(e).fontSize"
        large = page.locator(".headline .first").evaluate(size)
        assert (float(large.removesuffix("px")) > 20) == trusted
        lam = page.locator(".vega-bindings select").first
        assert lam.evaluate("s => s.selectedOptions[0].textContent") == "λ = 6 · τ = 980"
        head = page.locator("table:has(td data) thead th").all_inner_texts()
        assert [text for text in head if re.fullmatch(r"(\w+)\s+\1", text)] == []
        assert visit.cut == []
        assert visit.heard() == []
