"""The notebook in the real JupyterLab, in a browser without a network."""

# ruff: noqa: F811 — fixtures of another file are imported

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from urllib.error import URLError
from urllib.parse import urlsplit

import numpy as np
import pytest
from test_page import browser  # noqa: F401

from liga_analysis import report
from liga_analysis.simulation import simulate_season
from liga_analysis.storage import save_season

pytestmark = pytest.mark.browser

PATIENCE = 60_000  # ms
STEPS = 24
PLAYERS = 30
# What JupyterLab says by itself, on an empty notebook too.
NOISE = (r"^debug: Starting (application in workspace|WebSocket)",)
READY = """() => {
  const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
  return context?.isReady && context.session?.kernel?.status === "idle";
}"""
BROKEN = """
import liga_analysis as liga
from liga_analysis import exploration, lambda_story, widgets

def broken(found):
    raise RuntimeError("broken on purpose")

lambda_story.sure = broken
box = widgets.explore(liga.load_season("{season}"))
box
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
    root = tmp_path_factory.mktemp("lab")
    calendar, results, _ = simulate_season(PLAYERS, 20, seed=1)
    season = save_season(root / "liga" / "2026", "Simuliert", calendar, results).path
    notebook = json.loads(report.notebooks()["explore_lambda"].read_text("utf-8"))
    (cell,) = (c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    cell["source"] = [
        re.sub(r'"data/\S+"', json.dumps(str(season)), line) for line in cell["source"]
    ]
    (root / "explore.ipynb").write_text(json.dumps(notebook), "utf-8")
    code = {**cell, "id": "broken", "metadata": {}, "source": BROKEN.format(season=season)}
    (root / "broken.ipynb").write_text(json.dumps({**notebook, "cells": [code]}), "utf-8")
    return root


@pytest.fixture(scope="module")
def lab(browser, folder, tmp_path_factory):
    """A JupyterLab of its own: port, settings and kernels' files apart from everybody's."""
    home = tmp_path_factory.mktemp("home")
    config = home / "config" / "labconfig"
    config.mkdir(parents=True)
    news = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (config / "page_config.json").write_text(json.dumps(news), "utf-8")
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_RUNTIME_DIR": "run",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "ServerApp.port": port,
        "ServerApp.root_dir": folder,
        "IdentityProvider.token": "",
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": "None",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{k}={v}" for k, v in options.items())]
    env = os.environ | {name: str(home / place) for name, place in places.items()}
    with (
        (home / "log").open("w") as log,
        subprocess.Popen(command, env=env, stdout=log, stderr=log) as server,
    ):
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(f"{address}/api", server)
            yield address
        finally:
            server.terminate()
            server.wait(20)


def wait_for(url, server):
    for _ in range(200):
        assert server.poll() is None, "JupyterLab stopped"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    raise AssertionError("JupyterLab did not start")


class Visit:
    """A notebook opened with the network cut, all its cells run."""

    def __init__(self, browser, lab, notebook):
        self.context = browser.new_context(viewport={"width": 1500, "height": 1000})
        self.page = page = self.context.new_page()
        self.cut, self.messages = [], []
        page.route("**/*", self._route)
        page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"pageerror: {error}"))
        page.set_default_timeout(PATIENCE)
        page.goto(f"{lab}/lab/tree/{notebook}?reset")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        # Cells run before the kernel answers would ask for one in a dialogue.
        page.wait_for_function(READY)
        page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")

    def _route(self, route):
        url = urlsplit(route.request.url)
        if url.hostname in ("127.0.0.1", "localhost") or url.scheme in ("data", "blob"):
            route.continue_()
        else:
            self.cut.append(route.request.url)
            route.abort()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def heard(self):
        return [m for m in self.messages if not any(re.search(noise, m) for noise in NOISE)]


def title(page):
    return page.locator(".jupyter-widgets svg .role-title-text text").first.text_content()


def test_the_slider_moves_the_charts(browser, lab, capsys):
    """By keyboard and by mouse; nothing is asked of the network, nothing said in the console."""
    with Visit(browser, lab, "explore.ipynb") as visit:
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
        page.locator(".jupyter-widgets h2", has_text="Wie sicher ist Platz 1?").wait_for()
        assert visit.cut == []
        assert visit.heard() == []


def test_an_error_in_a_callback_is_seen(browser, lab):
    """Below the widget, with its message."""
    with Visit(browser, lab, "broken.ipynb") as visit:
        visit.page.get_by_role("tab", name="Platz 1").click()
        failed = visit.page.locator(".jupyter-widgets .jp-OutputArea-output", has_text="on purpose")
        failed.first.wait_for()
        assert "RuntimeError" in failed.first.inner_text()
