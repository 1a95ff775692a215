"""The pictures of the README, made of the example season: its table, and its report on a phone."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import liga_analysis as liga
from liga_analysis.pages.export import find_browser
from liga_analysis.report import publish

FOLDER = Path(__file__).parents[1] / "data" / "beispielliga"
PHONE = {"width": 390, "height": 844}


def phone(season: Path) -> bytes:
    """The first screen of a season's report in English."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = publish.season_report(season, language="en", folder=folder)[0]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        shown = browser.new_page(viewport=PHONE)
        shown.goto(page.as_uri())
        picture = shown.screenshot()
        browser.close()
    return picture


if __name__ == "__main__":
    season = liga.load_season(FOLDER / "2026", language="en")
    liga.charts.whole(liga.charts.ratings(liga.standings(season), season.words)).save(
        FOLDER / "2026.svg"
    )
    (FOLDER / "2026-phone.png").write_bytes(phone(FOLDER / "2026"))
