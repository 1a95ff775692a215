"""The exploration as a page, in a browser without a network and without Python."""

import json

import pytest
from browsing import DESKTOP, PHONE, Visit
from samples import DATA

from liga_analysis.pages import notebooks

pytestmark = pytest.mark.browser

APART = """evening,date,player,result
1,2026-01-10,Anna,900
1,2026-01-10,Ben,-900
2,2026-02-10,Ida,400
2,2026-02-10,Jan,-400
3,2026-03-10,Anna,-300
3,2026-03-10,Ben,300
4,2026-04-10,Ida,-700
4,2026-04-10,Jan,700
"""


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """The page of a season, made once."""
    folder = tmp_path_factory.mktemp("explore")
    (folder / "apart.csv").write_text(APART, "utf-8")
    seasons = {"plain": DATA / "season_a.csv", "apart": folder / "apart.csv"}
    made = {
        name: notebooks.run("explore_lambda", {"season_path": str(path)}, folder)
        for name, path in seasons.items()
    }
    return {name: files[0] for name, files in made.items()}


def said(chart):
    """What stands beside the slider of a chart."""
    return chart.locator(".vega-bind output").text_content()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_slider_moves_all_charts(browser, page_of, viewport):
    """By keyboard, without a request or a message; no chart is wider than the screen."""
    with Visit(browser, page_of["plain"], viewport) as visit:
        page = visit.page
        moving = page.locator("figure.chart:has(input[name=step])")
        assert moving.count() == 4
        assert moving.first.locator("figcaption b").text_content() == "Spielstärke"
        assert said(moving.first) == "λ = 6 · τ = 980"
        before = [svg.inner_html() for svg in moving.locator("svg").all()]
        slider = moving.first.locator("input")
        slider.focus()
        for _ in range(10):
            slider.press("ArrowLeft")
        page.wait_for_timeout(200)
        told = "λ = 3,0 · τ = 1.378"
        after = [svg.inner_html() for svg in moving.locator("svg").all()]
        assert all(old != new for old, new in zip(before, after, strict=True))
        words = moving.locator(".vega-bind output")
        assert set(words.all_text_contents()) == {told}
        assert slider.get_attribute("aria-valuetext") == told
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert visit.requests == [page_of["plain"].as_uri()]
        assert visit.messages == []


def test_the_mouse_moves_the_slider_of_any_chart(browser, page_of):
    """The second chart's slider moves the first chart too."""
    with Visit(browser, page_of["plain"], DESKTOP) as visit:
        moving = visit.page.locator("figure.chart:has(input[name=step])")
        moving.nth(1).locator("input").scroll_into_view_if_needed()
        box = moving.nth(1).locator("input").bounding_box()
        visit.page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
        visit.page.wait_for_timeout(200)
        assert said(moving.first) != "λ = 6 · τ = 980"


def test_groups_that_never_met_are_said_and_shown(browser, page_of):
    """In words, in chips, and at each of the eight pairs concerned, framed with dashes."""
    with Visit(browser, page_of["apart"], DESKTOP) as visit:
        text = visit.page.locator("main").inner_text()
        assert "2 Gruppen, die nie zusammen saßen" in text
        assert "± 1.386 Chips (τ√2)" in text
        assert visit.page.locator("svg path[stroke-dasharray='2,2']").count() == 8
        assert visit.messages == []


def test_widgets_stay_in_jupyterlab(page_of):
    """Neither the page nor the executed notebook carries a widget, which needs its kernel."""
    notebook = json.loads(page_of["plain"].with_suffix(".ipynb").read_text("utf-8"))
    outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", [])]
    assert not any(notebooks.WIDGET in output.get("data", {}) for output in outputs)
    assert "widgets" not in notebook["metadata"]
    assert "jupyter.widget" not in page_of["plain"].read_text("utf-8")
