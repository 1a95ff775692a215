"""The page in a real browser without a network."""

import os
from itertools import product
from pathlib import Path

import pytest
from browsing import DESKTOP, PHONE, Visit, boxes
from here import notebooks_here
from samples import DATA, running_season

from liga_analysis.model.simulation import simulate_season
from liga_analysis.report import publish
from liga_analysis.report.overview import survey
from liga_analysis.season.season import load_season

pytestmark = pytest.mark.browser

LONG = "Maximiliane-Wilhelmine von und zu Hohenstaufen-Schillingsfürst der Älteren IIIAB"
NAMES = ["<script>alert(1)</script>", '=HYPERLINK("x")', "</script>", LONG, "שרה כהן"]
NAMES += ["<!--<script>", "{0} {x} %s"]
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def pages(tmp_path_factory, season_a_report):
    """The page of an ordinary season, and of one with hostile names that goes on."""
    folder = tmp_path_factory.mktemp("pages")
    with notebooks_here():
        hard = publish.season_report(running_season(folder / "liga", NAMES), folder=folder)
    return {"plain": season_a_report[0], "hard": hard[0]}


@pytest.fixture(scope="module")
def opened(browser, pages):
    """Pages on a screen, each opened once and then given to all tests, folded and light."""
    visits = {}

    def visit(name, viewport):
        phone = viewport is PHONE
        if (name, phone) not in visits:
            options = {"has_touch": phone, "is_mobile": phone}
            visits[name, phone] = Visit(browser, pages[name], viewport, **options)
        found = visits[name, phone]
        found.page.emulate_media(media="screen", color_scheme="light")
        found.page.set_viewport_size(viewport)
        found.unfold(False)
        return found

    yield visit
    for each in visits.values():
        each.context.close()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("season", ["plain", "hard"])
def test_the_page_opens_offline(opened, pages, season, viewport):
    """Every chart is drawn; nothing is asked for, nothing said, nothing wider than the screen."""
    visit = opened(season, viewport)
    page = visit.page
    assert page.locator("figure.chart svg").count() == 1  # the others are folded
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    visit.unfold()
    assert page.locator("figure.chart svg").count() == 4
    assert all(box["width"] > 250 for box in boxes(page, "figure.chart svg.marks"))
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert visit.requests == [pages[season].as_uri()]
    assert visit.messages == []


def test_what_is_said_of_the_table_stays_in_sight(opened):
    """On a tablet the table scrolls, and its caption is no wider than what is shown of it."""
    page = opened("plain", {"width": 900, "height": 900}).page
    (table,), (caption,) = (boxes(page, f".liga.table.broad{part}") for part in ("", " caption"))
    scrolled = page.locator(".liga.table.broad").evaluate("t => t.scrollWidth > t.clientWidth")
    assert scrolled and caption["x"] + caption["width"] <= table["x"] + table["width"]


def test_names_are_text_on_the_page(opened):
    """In table, cards, charts and tooltips a name reads as written; no element came of one."""
    visit = opened("hard", DESKTOP)
    visit.unfold()
    page, names = visit.page, set(NAMES)
    for place in ("table.standings th bdi", "details.card h3"):
        assert set(page.locator(place).all_text_contents()) >= names
    labels = page.locator("figure.chart svg text").all_text_contents()
    assert all(any(name[:12] in label for label in labels) for name in NAMES)
    for cell in page.locator("figure.chart").nth(1).locator(".mark-rect.role-mark path").all():
        page.mouse.move(5, 5)  # off the tooltip before, which may lie over the cell
        cell.hover(force=True)
        page.wait_for_selector("#vg-tooltip-element.visible")
        names.discard(page.locator("#vg-tooltip-element .value").first.text_content())
        if not names:
            break
    assert not names
    assert page.locator("main script:not([type]), #vg-tooltip-element script").count() == 0


def lit(page):
    """Who is lit in the table, whose card is open, who is chosen, and whose line is thick."""
    widths = "lines => lines.map((line) => line.getAttribute('stroke-width'))"
    lines = page.locator("figure.chart").first.locator(".mark-line path")
    return {
        "table": page.locator(".standings tr.lit th bdi").all_inner_texts(),
        "cards": page.locator("details.card:target h3").all_inner_texts(),
        "chosen": page.locator("#who option:checked").inner_text(),
        "thick": sum(float(width) in (3, 4) for width in lines.evaluate_all(widths)),
    }


def test_a_player_lights_up_everywhere(opened):
    """Chosen, clicked in the table, in a chart: row, card's head and line agree; the choice stays.

    Only the card of whoever is chosen is called one's own.
    """
    visit = opened("plain", DESKTOP)
    page = visit.page
    visit.unfold()
    page.select_option("#who", label="Ivo")
    page.wait_for_timeout(200)
    chosen = {"table": ["Ivo"], "cards": ["Ivo"], "chosen": "Ivo", "thick": 1}
    assert lit(page) == chosen
    assert page.locator("#cards").inner_text() == "Deine Karte"
    page.locator(".standings tr", has_text="Greta").locator("td.range").click()
    assert page.locator("#cards").inner_text() == "Karte von Greta"
    page.locator("details.card:target .close a").click()
    page.wait_for_timeout(200)
    assert lit(page) == chosen | {"cards": []}
    page.locator("figure.chart").first.get_by_text("Greta", exact=True).click()
    page.wait_for_timeout(200)
    page.mouse.move(5, 5)
    greta = {"table": ["Greta"], "cards": [], "chosen": "Ivo", "thick": 1}
    assert lit(page) | {"cards": []} == greta
    frames = page.locator("figure.chart").nth(1).locator(".mark-rect path[stroke='#1f1e1b']")
    assert frames.count() == 9  # Greta's evenings
    assert visit.messages == []


def test_the_table_sorts(opened):
    """By any column, there and back; numbers as numbers, names as words."""
    page = opened("plain", DESKTOP).page
    names = page.locator(".standings tr[data-player] th bdi")
    order = names.all_inner_texts()
    page.get_by_role("button", name="Abende: sortieren").click()
    counts = page.locator(".standings td.wide [data-is=evenings]").all_inner_texts()
    assert [int(n) for n in counts] == sorted(map(int, counts), reverse=True)
    page.get_by_role("button", name="Spieler: sortieren").click()
    assert names.all_inner_texts() == sorted(order)
    page.get_by_role("button", name="Spieler: sortieren").click()
    assert names.all_inner_texts() == sorted(order, reverse=True)
    page.get_by_role("button", name="Rang: sortieren").click()
    assert names.all_inner_texts() == order
    assert page.locator(".standings th[aria-sort]").count() == 1


def test_charts_turn_dark_with_the_page(opened):
    """They are drawn for white paper, and light and dark change places."""
    ground, page = (
        "element => getComputedStyle(element).backgroundColor",
        opened("plain", DESKTOP).page,
    )
    page.emulate_media(color_scheme="dark")
    assert page.locator("body").evaluate(ground) == "rgb(23, 25, 22)"
    turned = "element => getComputedStyle(element).filter"
    assert "invert" in page.locator("figure.chart > div").first.evaluate(turned)


def test_the_page_prints_on_a4(opened):
    """No chart is wider than the paper."""
    page = opened("plain", DESKTOP).page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})  # A4 without its margins
    charts = [box for box in boxes(page, "figure.chart svg.marks") if box]
    assert len(charts) == 1  # what is folded is not printed
    assert all(box["width"] <= 680 for box in charts)
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_the_page_is_six_screens_long(opened):
    """On a telephone, with nothing unfolded."""
    height = opened("plain", PHONE).page.evaluate("document.documentElement.scrollHeight")
    assert height <= 6 * PHONE["height"]


def test_a_row_of_the_table_opens_the_card(opened, pages):
    """By a tap anywhere on it; the address names the person, and opens the card by itself."""
    page = opened("plain", PHONE).page
    page.locator(".standings tr", has_text="Greta").locator("td.range").click()
    shown = page.locator("details.card:visible h3")
    assert shown.all_inner_texts() == ["Greta"]
    assert page.url.endswith("#p-greta")
    card = page.locator("details.card:target")
    assert card.locator(".receipt").is_visible()
    card.locator("figure.bars path.up").first.click()
    assert "Abend" in card.locator("output").inner_text()
    page.goto(f"{pages['plain'].as_uri()}#p-nora")
    assert shown.all_inner_texts() == ["Nora"]


def test_a_tap_on_a_chart_is_answered_below_it(opened):
    """A telephone has no pointer to hover with: the numbers stand there as text."""
    visit = opened("plain", PHONE)
    visit.unfold()
    chart = visit.page.locator("figure.chart").nth(1)
    chart.scroll_into_view_if_needed()
    chart.locator(".mark-rect.role-mark path").first.tap(force=True)
    answer = chart.locator("output").inner_text()
    assert "Ergebnis: " in answer and "Spieler: " in answer


def test_without_scripts_a_picture_stands_for_every_chart(browser, pages):
    """A messenger's preview runs none; the card of an address opens all the same."""
    with browser.new_context(viewport=PHONE, offline=True, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{pages['plain'].as_uri()}#p-greta")
        pictures = page.locator("figure.chart img")
        assert pictures.count() == 4
        assert all(picture.get_attribute("alt") for picture in pictures.all())
        box = pictures.first.bounding_box()
        assert (box["width"], box["height"]) >= (250, 150)
        assert page.locator("details.card:visible h3").all_inner_texts() == ["Greta"]


# Text that ends beyond the edges of its own picture, by their measured boxes.
CUT = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const room = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < room.left - 2 || box.right > room.right + 2);
  }).map((text) => text.textContent);
})"""


@pytest.mark.parametrize(("width", "zoom"), [(320, 100), (320, 160), (390, 130)])
def test_nothing_is_cut_on_a_telephone(opened, width, zoom):
    """Narrow screens and large text: no scrolling sideways, every label whole."""
    visit = opened("hard", PHONE)
    page = visit.page
    page.set_viewport_size({"width": width, "height": 844})
    size = page.add_style_tag(content=f":root {{ font-size: {zoom}% }}")
    visit.unfold()
    page.locator(".standings th a").first.click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CUT) == []
    size.evaluate("style => style.remove()")


@pytest.fixture(scope="module")
def axe():
    """axe-core's script, by its path in AXE_CORE."""
    if "AXE_CORE" not in os.environ and "CI" not in os.environ:
        pytest.skip("no axe-core")
    return Path(os.environ["AXE_CORE"]).read_text("utf-8")


LOOKS = [("plain", DESKTOP, "light"), ("hard", PHONE, "light"), ("hard", PHONE, "dark")]
ALL = product(("plain", "hard"), (DESKTOP, PHONE), ("light", "dark"))


@pytest.mark.parametrize(
    ("season", "viewport", "scheme"),
    [*LOOKS, *(pytest.param(*look, marks=pytest.mark.soak) for look in ALL if look not in LOOKS)],
)
def test_everybody_can_read_the_page(opened, axe, season, viewport, scheme):
    """axe-core finds no serious violation: contrast, names of controls, heads of tables."""
    visit = opened(season, viewport)
    visit.page.emulate_media(color_scheme=scheme)
    visit.unfold()
    visit.page.locator(".standings th a").first.click()
    visit.page.evaluate(axe)
    violations = visit.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    serious = [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] in SERIOUS]
    assert serious == []


def test_the_example_is_small_and_printed_on_two_pages(tmp_path):
    """At most 1.5 MB; on paper two pages, and the cards as an appendix, two a page."""
    season = DATA.parents[1] / "data" / "beispielliga" / "2026"
    with notebooks_here():
        page, _, printed, _ = publish.season_report(season, folder=tmp_path, pdf=True)
    assert page.stat().st_size <= 1.5e6
    sheets = printed.read_bytes().count(b"/Type /Page\n")
    assert sheets == 2 + -(-len(survey(load_season(season)).cards) // 2)


@pytest.mark.soak
def test_a_large_season_stays_small(browser, tmp_path):
    """127 evenings of 72 players: at most 8 MB, drawn on a telephone."""
    calendar, results, _ = simulate_season(72, 127, 1)
    rows = results.drop(columns=["entries", "chips_out"], errors="ignore")
    rows.merge(calendar[["evening", "date"]]).to_csv(tmp_path / "large.csv", index=False)
    page = publish.season_report(tmp_path / "large.csv", folder=tmp_path / "out")[0]
    assert page.stat().st_size <= 8e6
    with Visit(browser, page, PHONE) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert visit.messages == []
