"""A page on paper: printed by the browser of this machine."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
_PROGRAMS = (  # where the installers for Windows and macOS put them
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PATIENCE = 120  # seconds a browser has to print


def find_browser() -> str | None:
    """A browser that prints: the environment's LIGA_CHROMIUM, else Chromium, Chrome or Edge."""
    given = os.environ.get("LIGA_CHROMIUM")
    if given:
        return shutil.which(given)
    named = (shutil.which(browser) for browser in BROWSERS)
    placed = (path for path in map(os.path.expandvars, _PROGRAMS) if os.path.isfile(path))
    return next(filter(None, named), None) or next(placed, None)


def print_page(browser: str, page: Path, pdf: Path) -> bool:
    """The page on A4; whether the browser made it."""
    with tempfile.TemporaryDirectory(prefix="liga-", ignore_cleanup_errors=True) as profile:
        command = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            f"--user-data-dir={profile}",
            "--no-pdf-header-footer",
            "--window-size=794,1123",
            "--virtual-time-budget=10000",
            f"--print-to-pdf={pdf.absolute()}",
            page.absolute().as_uri(),
        ]
        with suppress(subprocess.SubprocessError, OSError):
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    return pdf.is_file() and pdf.stat().st_size > 0
