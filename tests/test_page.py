"""The page in a real browser without a network."""

import os
import shutil
from pathlib import Path

import pytest
from conftest import DATA

from liga_analysis import report

pytestmark = pytest.mark.browser

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
LONG = "Maximiliane-Wilhelmine von und zu Hohenstaufen-Schillingsfürst der Älteren IIIAB"
NAMES = [
    "<script>alert(1)</script>",
    '=HYPERLINK("x")',
    "</script>",
    LONG,
    "שרה כהן",
    "<!--<script>",
]
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Reports of an ordinary season and of one with hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = folder / "hostile.csv"
    quoted = [name.replace('"', '""') for name in NAMES]
    rows = [
        f'{e},2026-01-{9 + e},"{name}",1,{2000 + (-1) ** (k + e) * 300}'
        for e in (1, 2, 3, 4)
        for k, name in enumerate(quoted)
    ]
    hostile.write_text("\n".join(["evening,date,player,entries,chips_out", *rows, ""]), "utf-8")
    return {
        "plain": report.season_report(DATA / "season_a.csv", folder=folder),
        "hostile": report.season_report(hostile, folder=folder),
    }


class Visit:
    """A page opened without a network: what it asked for and what it said."""

    def __init__(self, browser, path: Path, viewport, **options):
        self.context = browser.new_context(viewport=viewport, offline=True, **options)
        self.page = self.context.new_page()
        self.requests, self.messages = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: self.messages.append(dialog.message))
        self.page.goto(path.as_uri())
        drawn = "document.querySelectorAll('figure.chart').length == "
        drawn += "document.querySelectorAll('figure.chart svg').length"
        self.page.wait_for_function(drawn)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("season", ["plain", "hostile"])
def test_the_page_opens_offline(browser, files, season, viewport):
    """Every chart is drawn; nothing is asked for, nothing said, nothing wider than the screen."""
    path = files[season][0]
    with Visit(browser, path, viewport) as visit:
        page = visit.page
        assert page.locator("figure.chart svg").count() == 2
        assert all(box["width"] > 250 for box in boxes(page, "figure.chart svg"))
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert visit.requests == [path.as_uri()]
        assert visit.messages == []


def boxes(page, selector):
    return [element.bounding_box() for element in page.locator(selector).all()]


def test_names_are_text_on_the_page(browser, files):
    """In tables and charts each name reads as it was written; no element came of one."""
    with Visit(browser, files["hostile"][0], DESKTOP) as visit:
        shown = visit.page.locator("table.standings bdi").all_inner_texts()
        assert set(shown) == set(NAMES)
        labels = visit.page.locator("figure.chart svg text").all_text_contents()
        assert all(any(label.startswith(name[:12]) for label in labels) for name in NAMES)
        assert visit.page.locator("main script:not([type])").count() == 0


def test_names_are_text_in_tooltips(browser, files):
    """The whole name, also the long one that its label cuts."""
    with Visit(browser, files["hostile"][0], DESKTOP) as visit:
        cells = visit.page.locator("figure.chart").nth(1).locator(".mark-rect.role-mark path")
        assert cells.count() == len(NAMES) * 4
        seen = set()
        for k in range(len(NAMES)):
            cells.nth(k).hover(force=True)
            visit.page.wait_for_selector("#vg-tooltip-element.visible")
            seen.add(visit.page.locator("#vg-tooltip-element .value").first.text_content())
            assert visit.page.locator("#vg-tooltip-element script").count() == 0
        assert seen == set(NAMES)


def test_names_are_text_in_the_spreadsheet(files):
    """A name that looks like a formula carries the mark of text."""
    table = files["hostile"][2].read_text("utf-8-sig")
    assert "'=HYPERLINK" in table
    assert ";=HYPERLINK" not in table


def test_a_click_on_a_name_lights_its_line(browser, files):
    """Picked in the development, one line grows thick."""
    with Visit(browser, files["plain"][0], DESKTOP) as visit:
        chart = visit.page.locator("figure.chart").first
        widths = "lines => lines.map(line => +line.getAttribute('stroke-width'))"
        before = chart.locator(".mark-line path").evaluate_all(widths)
        chart.get_by_text("Ivo", exact=True).click()
        visit.page.mouse.move(5, 5)
        after = chart.locator(".mark-line path").evaluate_all(widths)
        assert sum(new > old for old, new in zip(before, after, strict=True)) == 1


def test_charts_lie_on_a_light_card_in_the_dark(browser, files):
    """The page turns dark, the charts keep their paper."""
    ground = "element => getComputedStyle(element).backgroundColor"
    with Visit(browser, files["plain"][0], DESKTOP, color_scheme="dark") as visit:
        assert visit.page.locator("body").evaluate(ground) == "rgb(23, 25, 22)"
        assert visit.page.locator("figure.chart").first.evaluate(ground) == "rgb(255, 255, 255)"


def test_the_page_prints_on_a4(browser, files, tmp_path):
    """No chart is wider than the paper."""
    with Visit(browser, files["plain"][0], DESKTOP) as visit:
        visit.page.emulate_media(media="print")
        visit.page.set_viewport_size({"width": 680, "height": 1000})  # A4 without its margins
        assert all(box["width"] <= 680 for box in boxes(visit.page, "figure.chart svg"))
        made = visit.page.pdf(prefer_css_page_size=True)
        assert made.startswith(b"%PDF")
