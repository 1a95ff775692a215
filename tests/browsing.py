"""Pages opened in the system's Chromium, without a network."""

import shutil
from pathlib import Path

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 844}


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
        self.drawn()

    def drawn(self):
        """Wait until every chart that can be seen has been drawn."""
        seen = "f.closest('details:not([open])') || f.querySelector('svg')"
        charts = "[...document.querySelectorAll('figure.chart')]"
        self.page.wait_for_function(f"{charts}.every((f) => {seen})")

    def unfold(self, unfolded=True):
        """Unfold everything, and wait for the charts in it; or fold all but the cards."""
        each = "(part) => (part.open = open || part.matches('.card'))"
        self.page.evaluate(
            f"open => document.querySelectorAll('details').forEach({each})", unfolded
        )
        self.page.wait_for_timeout(100)
        self.drawn()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


def boxes(page, selector):
    return [element.bounding_box() for element in page.locator(selector).all()]
