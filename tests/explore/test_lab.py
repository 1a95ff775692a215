"""The notebook in the real JupyterLab, in a browser without a network."""

import json
import re

import numpy as np
import pytest
from lab import Visit

from liga_analysis.model.simulation import simulate_season
from liga_analysis.pages import notebooks
from liga_analysis.season.storage import save_season

pytestmark = pytest.mark.browser

STEPS = 24
PLAYERS = 30
BROKEN = """
import liga_analysis as liga
from liga_analysis.explore import story

def broken(*_):
    raise RuntimeError("broken on purpose")

story.sureness = broken
liga.explorer(liga.load_season("{season}"))
"""
SVGS = "document.querySelectorAll('.jupyter-widgets .vega-embed svg')"
# Time from a key's event to the first change of the chart, in the page itself.
WATCH = """svg => {
  window.taken = [];
  let pressed = null;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressed !== null) window.taken.push(performance.now() - pressed);
    pressed = null;
  }).observe(svg, {subtree: true, childList: true, attributes: true, characterData: true});
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A season of 30 players, the notebook on it, and one whose callback fails."""
    root = tmp_path_factory.mktemp("explore")
    calendar, results, _ = simulate_season(PLAYERS, 20, seed=1)
    season = save_season(root / "liga" / "2026", "Simuliert", calendar, results).path
    notebook = json.loads(notebooks.notebooks()["explore_lambda"].read_text("utf-8"))
    (cell,) = (c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    cell["source"] = [
        re.sub(r'"data/\S+"', json.dumps(str(season)), line) for line in cell["source"]
    ]
    (root / "explore.ipynb").write_text(json.dumps(notebook), "utf-8")
    code = {**cell, "id": "broken", "metadata": {}, "source": BROKEN.format(season=season)}
    (root / "broken.ipynb").write_text(json.dumps({**notebook, "cells": [code]}), "utf-8")
    return root


def title(page):
    return page.locator(".jupyter-widgets svg .role-title-text text").first.text_content()


def test_the_slider_moves_the_charts(browser, lab, folder, capsys):
    """By keyboard and by mouse; nothing is asked of the network, nothing said in the console."""
    with Visit(browser, lab, folder / "explore.ipynb") as visit:
        page = visit.page
        charts = page.locator(".jupyter-widgets .vega-embed svg")
        charts.nth(3).wait_for()
        assert title(page) == "Spielstärke bei λ = 6 · τ = 980"
        handle = page.locator(".jupyter-widgets .noUi-handle").first
        handle.scroll_into_view_if_needed()
        charts.first.evaluate(WATCH)
        handle.focus()
        for step in range(1, STEPS + 1):
            handle.press("ArrowRight" if step % 2 else "ArrowLeft")
            page.wait_for_function(f"taken.length == {step}")
        taken = page.evaluate("taken")
        median, most = np.percentile(taken, [50, 95])
        with capsys.disabled():
            told = f"slider to chart, {PLAYERS} players, {STEPS} steps"
            print(f"\n{told}: median {median:.0f} ms, 95 % {most:.0f} ms")
        assert title(page) == "Spielstärke bei λ = 6 · τ = 980"

        page.evaluate(f"window.before = [...{SVGS}].map(svg => svg.innerHTML)")
        box = handle.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2, steps=10)
        page.mouse.up()
        page.wait_for_function(f"[...{SVGS}].every((svg, k) => svg.innerHTML !== before[k])")
        assert title(page) != "Spielstärke bei λ = 6 · τ = 980"

        page.get_by_role("tab", name="Platz 1").click()
        page.locator(".jupyter-widgets p", has_text="wirklich am stärksten").wait_for()
        assert visit.cut == []
        assert visit.heard() == []


def test_an_error_in_a_callback_is_seen(browser, lab, folder):
    """Below the widget, with its message."""
    with Visit(browser, lab, folder / "broken.ipynb") as visit:
        visit.page.get_by_role("tab", name="Platz 1").click()
        failed = visit.page.locator(".jupyter-widgets .jp-OutputArea-output", has_text="on purpose")
        failed.first.wait_for()
        assert "RuntimeError" in failed.first.inner_text()
