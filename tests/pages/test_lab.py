"""Every notebook in the real JupyterLab, light and dark, narrow and wide."""

import re

import nbformat
import pytest
from lab import Visit

from liga_analysis.pages import notebooks

pytestmark = pytest.mark.browser

THEME = """async (name) => {
  await jupyterapp.commands.execute("apputils:change-theme", { theme: `JupyterLab ${name}` });
}"""
THEMED = "(name) => document.body.dataset.jpThemeLight === String(name === 'Light')"
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
      if (!own || e.closest("svg")) continue;
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
        text = re.sub(r"(seasons|simulated): int = \d+", r"\1: int = 8", text)
        (root / f"{name}.ipynb").write_text(text, "utf-8")
    return root


def measured(page):
    """What is wrong in each theme, at 1100 and at 1920 px; and how many DataFrames are shown."""
    for theme, width in (("Light", 1100), ("Dark", 1920)):
        page.evaluate(THEME, theme)
        page.wait_for_function(THEMED, arg=theme)
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function(f"innerWidth === {width}")
        page.evaluate("new Promise((next) => requestAnimationFrame(next))")
        found = page.evaluate(MEASURE)
        yield found.pop("frames"), {kind: told for kind, told in found.items() if told}


@pytest.mark.parametrize("name", notebooks.notebooks())
def test_a_notebook_is_right_in_jupyterlab(tab, folder, name):
    """Nothing outside its output, cut or pale; no error, no request; a table shown as a table."""
    with Visit(tab, folder / f"{name}.ipynb") as visit:
        for frames, wrong in measured(visit.page):
            assert wrong == {}
            assert frames >= (0 if name == "record_evening" else 3)
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
        for frames, wrong in measured(page):
            assert wrong == {}
            assert frames >= 3
        size = "(e) => getComputedStyle(e).fontSize"
        large = page.locator(".headline .first").evaluate(size)
        assert (float(large.removesuffix("px")) > 20) == trusted
        lam = page.locator(".vega-bindings select").first
        assert lam.evaluate("s => s.selectedOptions[0].textContent") == "λ = 6 · τ = 980"
        head = page.locator("table:has(td data) thead th").all_inner_texts()
        assert [text for text in head if re.fullmatch(r"(\w+)\s+\1", text)] == []
        assert visit.cut == []
        assert visit.heard() == []
