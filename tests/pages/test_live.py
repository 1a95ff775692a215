"""Sliders in the real JupyterLab, in a browser without a network: explorer and estimator."""

import nbformat
import numpy as np
import pytest
from lab import Visit

from liga_analysis.model.simulation import simulate_season
from liga_analysis.season.storage import save_season

pytestmark = pytest.mark.browser

STEPS = 10
PLAYERS = 30
SLOWEST = 1000  # ms, a median; on an idle machine a tenth of it
CELLS = """
import liga_analysis as liga
from liga_analysis.estimate.widgets import Estimator
from liga_analysis.explore import story
explorer = liga.explorer(liga.load_season("{season}"))
explorer
---
Estimator(liga.load_season("data/beispielliga/2026"))
---
def broken(*_):
    raise RuntimeError("broken on purpose")

story.decisive_evenings = broken
liga.explorer(liga.load_season("{season}"))
"""
# Time from a key's event to the first change of the chart, in the page itself.
WATCH = """svg => {
  const taken = window.taken = [];
  let pressed = null;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressed !== null) taken.push(performance.now() - pressed);
    pressed = null;
  }).observe(svg, {subtree: true, childList: true, attributes: true, characterData: true});
}"""


@pytest.fixture(scope="module")
def visit(tab, tmp_path_factory):
    """A notebook of both, on a season of 30 players and on the example; and one that fails."""
    root = tmp_path_factory.mktemp("live")
    calendar, results, _ = simulate_season(PLAYERS, 20, seed=1)
    season = save_season(root / "liga" / "2026", "Simuliert", calendar, results).path
    sources = CELLS.format(season=season).split("---")
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), root / "live.ipynb")
    with Visit(tab, root / "live.ipynb") as visit:
        yield visit


def part(visit, k):
    """The widget of a cell."""
    return visit.page.locator(".jp-CodeCell").nth(k)


def median(visit, cell, handle, told, capsys):
    """Time from key to chart in ms, told."""
    cell.locator(".vega-embed svg").first.evaluate(WATCH)
    handle.focus()
    for step in range(1, STEPS + 1):
        handle.press("ArrowLeft" if step % 2 else "ArrowRight")
        visit.page.wait_for_function(f"taken.length >= {step}")
    taken = visit.page.evaluate("taken")
    with capsys.disabled():
        middle, most = np.percentile(taken, [50, 95])
        print(f"\n{told}: median {middle:.0f} ms, 95 % {most:.0f} ms")
    return middle


def test_the_slider_of_lambda_moves_the_charts(visit, capsys):
    """By keyboard and by mouse, also in a tab whose charts are made anew; nothing else happens."""
    page, cell = visit.page, part(visit, 0)
    title = cell.locator("svg .role-title-text text").first
    charts = cell.locator(".vega-embed svg")
    assert charts.count() == 4
    assert title.text_content().endswith(" bei λ = 6 · τ = 980")
    handle = cell.locator(".noUi-handle")
    assert median(visit, cell, handle, f"λ, {PLAYERS} players", capsys) < SLOWEST
    assert title.text_content().endswith(" bei λ = 6 · τ = 980")

    before = charts.evaluate_all("(all) => all.map((svg) => svg.innerHTML)")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2, steps=10)
    page.mouse.up()
    inner = "[...document.querySelector('.jp-CodeCell').querySelectorAll('.vega-embed svg')]"
    changed = f"(before) => {inner}.every((svg, k) => svg.innerHTML !== before[k])"
    page.wait_for_function(changed, arg=before)
    assert not title.text_content().endswith(" bei λ = 6 · τ = 980")

    cell.get_by_role("tab", name="Platz 1").click()
    cell.locator("p", has_text="wirklich am stärksten").wait_for()
    assert visit.cut == []
    assert visit.heard() == []


@pytest.mark.parametrize("k", [0, 1, 2], ids=["evening", "lambda", "spread"])
def test_the_sliders_of_the_estimate_move_its_chart(visit, capsys, k):
    """Evening and prior: likelihood and posterior follow."""
    cell = part(visit, 1)
    name = ("evening", "prior's λ", "prior's spread")[k]
    assert median(visit, cell, cell.locator(".noUi-handle").nth(k), name, capsys) < SLOWEST


def test_an_error_in_a_callback_is_seen(visit):
    """Below the widget, with its message."""
    cell = part(visit, 2)
    cell.get_by_role("tab", name="Abende").click()
    failed = cell.locator(".jupyter-widgets .jp-OutputArea-output", has_text="on purpose").first
    failed.wait_for()
    assert "RuntimeError" in failed.inner_text()
