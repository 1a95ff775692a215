"""A JupyterLab of its own for tests, and a notebook opened in it without a network."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit

PATIENCE = 60_000  # ms
# What JupyterLab says by itself, on an empty notebook too; on a busy machine, that it is slow.
NOISE = (
    r"^debug: Starting (application in workspace|WebSocket)",
    r"^warning: Plugin \S+ .*(too long|ms) to activate",
)
# Opened without a kernel a notebook would ask for one in a dialogue; closed, whether to save it.
OPEN = """async (path) => {
  const panel = await jupyterapp.commands.execute("docmanager:open", { path });
  await panel.revealed;
  await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
  return true;
}"""
RUN = "jupyterapp.commands.execute('notebook:run-all-cells').then(() => true)"
CLOSE = """async () => {
  const panel = jupyterapp.shell.currentWidget;
  await panel.sessionContext.shutdown();
  panel.dispose();
}"""
DRAWN = """() => [...document.querySelectorAll(".jp-RenderedVegaCommon5, .vega-embed")]
  .every((chart) => chart.querySelector("svg, canvas"))"""


class Lab(NamedTuple):
    """Where JupyterLab answers, and the folder it shows."""

    address: str
    folder: Path


@contextmanager
def started(home, folder):
    """JupyterLab at `folder`; port, settings and kernels' files apart from others."""
    config = home / "config" / "labconfig"
    config.mkdir(parents=True)
    news = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (config / "page_config.json").write_text(json.dumps(news), "utf-8")
    # Every cell laid out, also those out of sight.
    shown = home / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    shown.parent.mkdir(parents=True)
    shown.write_text(json.dumps({"windowingMode": "none"}), "utf-8")
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_RUNTIME_DIR": "run",
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
            yield Lab(address, folder)
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


class Tab:
    """JupyterLab open in a browser, all but this machine cut off; notebooks are visited in turn."""

    def __init__(self, browser, lab):
        self.lab, self.cut, self.messages = lab, [], []
        self.page = page = browser.new_page(viewport={"width": 1500, "height": 1000})
        page.route("**/*", self._route)
        page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"pageerror: {error}"))
        page.set_default_timeout(PATIENCE)
        page.goto(f"{lab.address}/lab?reset")
        page.wait_for_function("window.jupyterapp?.restored")

    def _route(self, route):
        url = urlsplit(route.request.url)
        if url.hostname in ("127.0.0.1", "localhost") or url.scheme in ("data", "blob"):
            route.continue_()
        else:
            self.cut.append(route.request.url)
            route.abort()


class Visit:
    """A notebook opened, all its cells run and its charts drawn, unless told not to run."""

    def __init__(self, tab, notebook: Path, run: bool = True):
        self.tab, self.page = tab, tab.page
        tab.cut.clear()
        tab.messages.clear()
        self.page.wait_for_function(OPEN, arg=str(notebook.relative_to(tab.lab.folder)))
        if run:
            self.run()

    def run(self):
        self.page.wait_for_function(RUN, timeout=3 * PATIENCE)
        self.drawn()

    def drawn(self):
        self.page.wait_for_function(DRAWN)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.evaluate(CLOSE)

    @property
    def cut(self):
        """What was asked of the network."""
        return self.tab.cut

    def heard(self):
        """What the console said, but for JupyterLab's own noise."""
        return [m for m in self.tab.messages if not any(re.search(noise, m) for noise in NOISE)]
