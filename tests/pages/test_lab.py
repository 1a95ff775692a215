"""Every notebook in the real JupyterLab, light and dark, narrow and wide."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from lab import READY, Visit
from nbformat.sign import NotebookNotary
from samples import DATA

from liga_analysis.pages import notebooks

pytestmark = pytest.mark.browser

SETTLED = """() => {
  const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
  const running = [...document.querySelectorAll(".jp-InputPrompt")];
  return context?.session?.kernel?.status === "idle"
    && !running.some((prompt) => prompt.textContent.includes("[*]"));
}"""
# What stands outside its output, rows that are too high, text too pale, text cut off.
MEASURE = """() => {
  const light = (c) => {
    const [r, g, b, a = 1] = c.match(/[\\d.]+/g).map((x, i, all) =>
      c.startsWith("color(") && i < 3 ? 255 * x : +x);
    return [[r, g, b], a];
  };
  const part = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const bright = ([r, g, b]) => .2126 * part(r) + .7152 * part(g) + .0722 * part(b);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const [rgb, a] = light(getComputedStyle(e).backgroundColor);
      if (a > .5) return rgb;
    }
    return [255, 255, 255];
  };
  const found = {outside: [], rows: [], pale: [], cut: [], errors: [], frames: 0};
  for (const kind of ["error", "stderr"])
    for (const error of document.querySelectorAll(`[data-mime-type*='${kind}']`))
      found.errors.push(error.textContent.slice(0, 200));
  for (const output of document.querySelectorAll(".jp-Notebook .jp-OutputArea-output")) {
    const box = output.getBoundingClientRect();
    found.frames += output.querySelectorAll("table.dataframe").length;
    for (const e of output.querySelectorAll("*")) {
      const style = getComputedStyle(e), r = e.getBoundingClientRect();
      if (!e.checkVisibility() || r.width < 2 || r.height < 2) continue;
      if (style.visibility === "hidden" || style.clipPath !== "none") continue;
      const told = (e.textContent || "").trim().slice(0, 40);
      if (r.left < box.left - 3 || r.top < box.top - 3) found.outside.push(told);
      if (e.matches("tbody tr") && r.height > 60) found.rows.push(told);
      const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (!own || e.closest("svg, :disabled")) continue;
      if (style.overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1) found.cut.push(told);
      const [rgb, a] = light(style.color), under = ground(e);
      const [x, y] = [bright(rgb.map((v, i) => a * v + (1 - a) * under[i])), bright(under)];
      if ((Math.max(x, y) + .05) / (Math.min(x, y) + .05) < 4.5) found.pale.push(told);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Copies of the notebooks; simulations short."""
    root = tmp_path_factory.mktemp("lab")
    for name, path in notebooks.notebooks().items():
        text = path.read_text("utf-8")
        text = re.sub(r"(seasons|simulated): int = \d+", r"\1: int = 2", text)
        (root / f"{name}.ipynb").write_text(text, "utf-8")
    return root


def measured(page):
    """In both themes, at 1100 and 1920 px: what is wrong where."""
    for theme, flag in (("JupyterLab Light", "true"), ("JupyterLab Dark", "false")):
        page.evaluate(
            f"void jupyterapp.commands.execute('apputils:change-theme', {{theme: '{theme}'}})"
        )
        page.wait_for_function(f"document.body.dataset.jpThemeLight === '{flag}'")
        for width in (1100, 1920):
            page.set_viewport_size({"width": width, "height": 6000})
            page.wait_for_timeout(700)
            yield page.evaluate(MEASURE)


@pytest.mark.parametrize("name", notebooks.notebooks())
def test_a_notebook_is_right_in_jupyterlab(browser, lab, folder, name):
    """Nothing outside its output, cut or pale; no error, no request; a table shown as a table."""
    with Visit(browser, lab, folder / f"{name}.ipynb") as visit:
        visit.page.wait_for_timeout(500)
        visit.page.wait_for_function(SETTLED, timeout=240_000)
        for found in measured(visit.page):
            frames = found.pop("frames")
            assert {kind: told for kind, told in found.items() if told} == {}
            assert frames >= (0 if name == "record_evening" else 3)
        assert visit.cut == []
        if name != "explore_lambda":  # tests/explore/test_lab.py listens to its console
            assert [m for m in visit.messages if m.startswith("pageerror")] == []


def test_an_executed_report_is_legible_untrusted(browser, lab, season_a_report, folder):
    """Without style and script: no heading twice, tables as tables, and the list shows λ."""
    copy = folder / "executed.ipynb"
    copy.write_bytes(season_a_report[1].read_bytes())
    with Visit(browser, lab, copy, run=False) as visit:
        page = visit.page
        page.wait_for_function(READY)
        page.locator(".vega-bindings select").first.wait_for()
        shown = page.locator(".vega-bindings select").first.evaluate(
            "s => s.selectedOptions[0].textContent"
        )
        assert shown == "λ = 6 · τ = 980"
        head = page.locator("table:has(td data) thead th").all_inner_texts()
        assert [text for text in head if re.fullmatch(r"(\w+)\s+\1", text)] == []
        assert visit.cut == []


def test_what_liga_makes_is_trusted_here(tmp_path, monkeypatch):
    """A shipped notebook's executed copy is signed; anybody else's is not."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    values = {"season_path": str(DATA / "season_a.csv")}
    made = notebooks.run("season_report", values, tmp_path)[1]
    assert NotebookNotary().check_signature(nbformat.read(made, 4))
    other = tmp_path / "other.ipynb"
    raw = json.loads(Path(notebooks.notebooks()["season_report"]).read_text("utf-8"))
    raw["cells"] = raw["cells"][:2]
    other.write_text(json.dumps(raw), "utf-8")
    made = notebooks.run(other, values, tmp_path)[1]
    assert not NotebookNotary().check_signature(nbformat.read(made, 4))
