"""The exploration as a page, in a browser without a network and without Python."""

import json

import pytest
from browsing import DESKTOP, PHONE, Visit
from here import notebooks_here
from samples import DATA, TERM

from liga_analysis.pages import notebooks

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Page and executed notebook of a season, made once."""
    with notebooks_here():
        given = {"season_path": str(DATA / "season_a.csv")}
        return notebooks.run("explore_lambda", given, tmp_path_factory.mktemp("explore"))


def said(chart):
    """What stands beside the slider of a chart."""
    return chart.locator(".vega-bind output").text_content()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_slider_moves_all_charts(browser, made, viewport):
    """By keyboard and by mouse, of any chart; no request, no message; nothing is too wide."""
    with Visit(browser, made[0], viewport) as visit:
        page = visit.page
        moving = page.locator("figure.chart:has(input[name=step])")
        assert moving.count() == 4
        assert moving.first.locator("figcaption b").text_content() == TERM["rating"]
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
        moving.nth(1).locator("input").scroll_into_view_if_needed()
        box = moving.nth(1).locator("input").bounding_box()
        page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
        page.wait_for_timeout(200)
        assert said(moving.first) not in (told, "λ = 6 · τ = 980")
        assert visit.requests == [made[0].as_uri()]
        assert visit.messages == []


def test_widgets_stay_in_jupyterlab(made):
    """Neither the page nor the executed notebook carries a widget, which needs its kernel."""
    notebook = json.loads(made[1].read_text("utf-8"))
    outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", [])]
    assert not any(notebooks.WIDGET in output.get("data", {}) for output in outputs)
    assert "widgets" not in notebook["metadata"]
    assert "jupyter.widget" not in made[0].read_text("utf-8")
