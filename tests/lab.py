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
    port, forked = free_port(), free_port()
    # A kernel's imports take longer than a notebook's cells.
    kernels = [sys.executable, str(Path(__file__).with_name("kernels.py")), str(forked)]
    spec = {"display_name": "Python 3", "language": "python"}
    place = home / "data" / "kernels" / "python3" / "kernel.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(spec | {"argv": [*kernels, "{connection_file}"]}), "utf-8")
    places = {
        "JUPYTER_PATH": "data",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_RUNTIME_DIR": "run",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    options = {
        "ServerApp.port": port,
        "ServerApp.root_dir": folder,
        "IdentityProvider.token": "",
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": "None",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LanguageServerManager.autodetect": False,
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{k}={v}" for k, v in options.items())]
    env = os.environ | {name: str(home / place) for name, place in places.items()}
    with (
        (home / "log").open("w") as log,
        subprocess.Popen(kernels, env=env, stdout=log, stderr=log) as parent,
        subprocess.Popen(command, env=env, stdout=log, stderr=log) as server,
    ):
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(f"{address}/api", server)
            yield Lab(address, folder)
        finally:
            server.terminate()
            server.wait(20)
            parent.terminate()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


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

    def measured(self):
        """Per theme, at 1100 and at 1920 px: how many DataFrames are shown, and what is wrong."""
        looks = [("Light", 1100), ("Dark", 1920)]
        # First as the visit before has left it: another theme takes half a second.
        for theme, width in looks[:: -1 if self.page.evaluate(THEMED, "Dark") else 1]:
            self.page.evaluate(THEME, theme)
            self.page.wait_for_function(THEMED, arg=theme)
            self.page.set_viewport_size({"width": width, "height": 1000})
            self.page.wait_for_function(f"innerWidth === {width}")
            self.page.evaluate("new Promise((next) => requestAnimationFrame(next))")
            found = self.page.evaluate(MEASURE)
            yield found.pop("frames"), {kind: texts for kind, texts in found.items() if texts}

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
