"""A slider for λ over linked charts: a widget with a state that the next cell can read.

Charts are drawn without a network; an error in a callback is shown below the widget.
"""

import asyncio
from dataclasses import replace

import altair as alt
import ipywidgets as ipw
import numpy as np
import pandas as pd

from ..model.draws import chances
from ..model.left_out import influence, scores
from ..model.likelihood import CannotEstimate
from ..model.pairs import comparisons
from ..model.ranking import qualified, season_fit, standings
from ..model.rating import Fit
from ..model.sensitivity import lambda_path, over_lambda, podium_interval, swaps
from ..pages import lambda_charts, trust_charts, views
from ..pages.live import LiveChart, seen
from ..pages.look import spec
from ..season.season import Season
from . import story
from .by_hand import WhatIf, what_if

__all__ = ["Explorer", "WhatIf", "explorer", "what_if"]

PAUSE = 0.15  # seconds without a movement after which the slow parts follow the slider
NARROW = 260  # px: with names and numbers two charts stand side by side in JupyterLab


def explorer(season: Season, lam: float | None = None) -> "Explorer":
    """Linked views of a season with a slider for λ, shown by being the last line of a cell.

    Parameters
    ----------
    season : Season
    lam : float, optional
        Where the slider stands at first; by default the λ in force. σ stays what it is.

    Returns
    -------
    Explorer
        A widget; `.lam` (which can be set), `.fit` and `.table` are what it shows.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> explorer = liga.explorer(liga.load_season("data/beispielliga/2026"), lam=12)
    >>> explorer.fit
    Fit(16 players, 12 evenings, lam=12, sigma=2400)
    """
    return Explorer(season, lam)


class Explorer(ipw.VBox):
    """Linked views of a season with a logarithmic slider for λ; σ stays what it is.

    Ratings, ranks and scores follow at once; chances and the evenings' influence, which have to be
    computed for the λ chosen, follow when the slider rests.
    """

    def __init__(self, season: Season, lam: float | None = None):
        self.season, self._start = season, season_fit(season, lam)
        self.table_over_lambda = over_lambda(self._start, qualified(season))
        self._lams = self.table_over_lambda["lam"].unique()
        self._now, self._waiting, self._failed = len(self._lams) // 2, None, ipw.Output()
        low, high = np.log10(self._lams[[0, -1]])
        self.slider = ipw.FloatLogSlider(
            value=self._start.lam,
            min=low,
            max=high,
            step=(high - low) / (len(self._lams) - 1),
            description="λ",
            readout=False,
            layout=ipw.Layout(width="380px"),
        )
        words, self._told = season.words, ipw.HTML()
        self._fast = [
            LiveChart(chart.properties(width=NARROW))
            for chart in self._charts()
            if chart is not None
        ]
        drawn = [] if story.scale_fails(season, self._start) else [_chances, _pairs]
        self._slow = [
            _Part("sure", story.sureness, *drawn),
            _Part("evenings", story.decisive_evenings, _influence),
        ]
        self.tab = ipw.Tab([_row(self._fast), *(part.box for part in self._slow)])
        for k, key in enumerate(("explore.tab_ratings", "column.p_first", "column.evenings")):
            self.tab.set_title(k, words.text(key))
        fixed = ipw.HTML(words.text("explore.fixed", sigma=self._start.sigma))
        head = ipw.HBox([self.slider, self._told], layout=ipw.Layout(flex_flow="row wrap"))
        super().__init__([ipw.HTML(str(views.style())), head, fixed, self.tab, self._failed])
        self.slider.observe(seen(self._failed, self._moved), "value")
        self._refresh = seen(self._failed, self._show_slow)
        self.tab.observe(self._refresh, "selected_index")
        self._tell()

    def _charts(self) -> list[alt.LayerChart | None]:
        season, fit, words = self.season, self._start, self.season.words
        ranked, podium = qualified(season), season.rules.podium
        stays = podium_interval(fit, ranked) if ranked.any() else None
        path = lambda_path(fit, ranked)
        made = [
            lambda_charts.over_lambda(self.table_over_lambda, fit.lam, words),
            lambda_charts.rank_lines(path, swaps(fit, ranked), stays, words, podium),
        ]
        try:
            table = scores(fit.graph, self._lams, season.held)
        except CannotEstimate:
            return made
        curves = (lambda_charts.scores, lambda_charts.errors)
        return made + [draw(table, fit.lam, words) for draw in curves]

    @property
    def lam(self) -> float:
        """The λ of the grid at which the slider stands (its own may differ a little); to be set."""
        return float(self._lams[self._now])

    @lam.setter
    def lam(self, lam: float):
        self.slider.value = lam

    @property
    def fit(self) -> Fit:
        """The ratings at this λ."""
        return replace(self._start, lam=self.lam)

    @property
    def table(self) -> pd.DataFrame:
        """The `standings` at this λ."""
        return standings(self.season, self.lam)

    def _tell(self) -> None:
        tau = self._start.sigma / self.lam**0.5
        self._told.value = f"<b>{self.season.words.text('explore.at', lam=self.lam, tau=tau)}</b>"

    def _moved(self, change) -> None:
        self._now = int(np.abs(np.log(self._lams / change["new"])).argmin())
        for chart in self._fast:
            chart.params = {lambda_charts.STEP: self._now}
        self._tell()
        if self._waiting:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(PAUSE, self._refresh)

    def _show_slow(self, _=None) -> None:
        """Compute the tab in sight for the λ chosen."""
        if self.tab.selected_index:
            self._slow[self.tab.selected_index - 1].show(self.season, self.fit)


class _Part:
    """Sentences and charts that are made anew for each λ; not before they are first in sight."""

    def __init__(self, key, sentences, *drawn):
        self.key, self.sentences, self.drawn, self.charts = key, sentences, drawn, []
        self.text, self.box = ipw.HTML(), ipw.VBox()

    def show(self, season: Season, fit: Fit) -> None:
        sentences = self.sentences(season, fit)
        self.text.value = str(views.heading(season, self.key, sentences, "explore"))
        charts = [chart for draw in self.drawn if (chart := draw(season, fit)) is not None]
        if not self.box.children:
            self.charts = [LiveChart(chart) for chart in charts]
            self.box.children = [self.text, *self.charts]
        for shown, chart in zip(self.charts, charts, strict=True):
            shown.spec = spec(chart)


def _chances(season: Season, fit: Fit) -> alt.LayerChart | None:
    return trust_charts.chances(chances(fit, qualified(season)), season.words)


def _pairs(season: Season, fit: Fit) -> alt.LayerChart | None:
    order = standings(season, fit.lam, fit.sigma).query("qualified")["player"]
    return trust_charts.pairs(comparisons(fit), list(order), season.words)


def _influence(season: Season, fit: Fit) -> alt.LayerChart | None:
    return trust_charts.influence(influence(fit, qualified(season)), season.words)


def _row(charts: list[ipw.Widget]) -> ipw.HBox:
    """The first on the left, the others beside it; below it where the window is narrow."""
    columns = [ipw.VBox(charts[:1]), ipw.VBox(charts[1:])]
    return ipw.HBox(columns, layout=ipw.Layout(flex_flow="row wrap"))
