"""What moves in JupyterLab: a slider for λ over linked charts, and a season changed by hand.

ipywidgets round plain functions: all they show comes from `exploration` and its charts. Charts are
drawn without a network; an error in a callback is shown below the widget.
"""

import asyncio

import altair as alt
import ipywidgets as ipw
import numpy as np

from ..model.exploration import Exploration, changed
from ..model.exploration import explore as explored
from ..model.ranking import standings
from ..pages import lambda_charts, views
from ..pages.live import seen
from ..pages.look import whole
from ..season.season import Season
from ..words import DataError
from . import story as lambda_story

PAUSE = 0.15  # seconds without a movement after which the slow parts follow the slider
NARROW = 260  # px: with names and numbers two charts stand side by side in JupyterLab
_SVG = {"actions": False, "renderer": "svg"}


def explore(season: Season, lam: float | None = None, sigma: float | None = None) -> ipw.VBox:
    """Linked views of a season with a logarithmic slider for λ; σ stays what it is.

    Ratings, ranks and scores follow at once; chances and the evenings' influence, which have to be
    computed for the λ chosen, follow when the slider rests.

    Raises
    ------
    DataError
        If no evening counts.
    """
    return _Explorer(explored(season, lam, sigma)).box


class _Explorer:
    def __init__(self, found: Exploration):
        self.found, self.words, self.waiting = found, found.words, None
        self.now = len(found.lams) // 2
        self.failed = ipw.Output()
        low, high = np.log10(found.lams[[0, -1]])
        self.slider = ipw.FloatLogSlider(
            value=found.fit.lam,
            min=low,
            max=high,
            step=(high - low) / (len(found.lams) - 1),
            description="λ",
            readout=False,
            layout=ipw.Layout(width="380px"),
        )
        self.told = ipw.HTML()
        self.fast = [_live(chart.properties(width=NARROW)) for chart in self._charts() if chart]
        self.slow = [_Part(lambda_story.sure, _chances, _matrix)]
        self.slow += [_Part(lambda_story.evenings, _influence)]
        self.tab = ipw.Tab([_row(self.fast), *(part.box for part in self.slow)])
        for k, name in enumerate(("ratings", "sure", "evenings")):
            self.tab.set_title(k, self.words.text(f"explore.tab_{name}"))
        fixed = ipw.HTML(self.words.text("explore.fixed", sigma=found.fit.sigma))
        head = ipw.HBox([self.slider, self.told], layout=ipw.Layout(flex_flow="row wrap"))
        self.box = ipw.VBox([ipw.HTML(str(views.style())), head, fixed, self.tab, self.failed])
        self.slider.observe(seen(self.failed, self._moved), "value")
        self.refresh = seen(self.failed, self._refresh)
        self.tab.observe(self.refresh, "selected_index")
        self._tell()

    def _charts(self) -> list[alt.LayerChart | None]:
        found, lam = self.found, self.found.fit.lam
        table, words, podium = found.over_lambda, self.words, found.season.rules.podium
        return [
            lambda_charts.ratings(table, lam, words, slider=False),
            lambda_charts.rank_lines(
                table, found.swaps, found.podium_interval, lam, words, False, podium
            ),
            lambda_charts.scores(found.scores, lam, words, slider=False),
            lambda_charts.errors(found.scores, lam, words, slider=False),
        ]

    @property
    def lam(self) -> float:
        """The λ of the grid at which the slider stands: its own may differ in the last digits."""
        return float(self.found.lams[self.now])

    def _tell(self) -> None:
        tau = self.found.fit.sigma / self.lam**0.5
        self.told.value = f"<b>{self.words.text('explore.at', lam=self.lam, tau=tau)}</b>"

    def _moved(self, change) -> None:
        self.now = int(np.abs(np.log(self.found.lams / change["new"])).argmin())
        for chart in self.fast:
            chart.params.step = self.now
        self._tell()
        if self.waiting:
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().call_later(PAUSE, self.refresh)

    def _refresh(self, _=None) -> None:
        """Compute the tab in sight for the λ chosen."""
        if self.tab.selected_index:
            self.slow[self.tab.selected_index - 1].show(self.found.at(self.lam))


class _Part:
    """Sentences and charts that are made anew for each λ; not before they are first in sight."""

    def __init__(self, told, *drawn):
        self.told, self.drawn, self.charts = told, drawn, []
        self.text = ipw.HTML()
        self.box = ipw.VBox()

    def show(self, at: Exploration) -> None:
        self.text.value = str(views.question(at.season, self.told(at)))
        charts = [chart for draw in self.drawn if (chart := draw(at)) is not None]
        if not self.box.children:  # a live chart brings 1 MB of scripts: it is kept
            self.charts = [_live(chart) for chart in charts]
            self.box.children = [self.text, *self.charts]
        for live, chart in zip(self.charts, charts, strict=True):
            live.chart = whole(chart)


def _chances(at: Exploration) -> alt.LayerChart | None:
    return lambda_charts.chances(at.chances, at.words)


def _matrix(at: Exploration) -> alt.LayerChart | None:
    return lambda_charts.matrix(at.pairs, at.words)


def _influence(at: Exploration) -> alt.LayerChart | None:
    return lambda_charts.influence(at.influence, at.words)


def _live(chart: alt.LayerChart) -> alt.JupyterChart:
    alt.JupyterChart.enable_offline()
    return alt.JupyterChart(whole(chart), embed_options=_SVG)


def _row(charts: list[ipw.Widget]) -> ipw.HBox:
    """The first on the left, the others beside it; below it where the window is narrow."""
    columns = [ipw.VBox(charts[:1]), ipw.VBox(charts[1:])]
    return ipw.HBox(columns, layout=ipw.Layout(flex_flow="row wrap"))


def what_if(season: Season, lam: float | None = None, sigma: float | None = None) -> ipw.VBox:
    """The table as it would be with other results, or without some: nothing is stored.

    Raises
    ------
    DataError
        If no evening counts.
    """
    return _WhatIf(season, lam, sigma).box


class _WhatIf:
    def __init__(self, season: Season, lam, sigma):
        self.season, self.parameters = season, (lam, sigma)
        self.before = standings(season, lam, sigma)
        self.results, self.without = {}, set()
        words = season.words
        options = [(str(evening), evening) for evening in season.held]
        self.evening = ipw.Dropdown(
            options=options,
            value=season.held[-1],
            description=words.text("explore.evening"),
        )
        self.left_out = ipw.Checkbox(description=words.text("explore.left_out"), indent=False)
        self.reset = ipw.Button(description=words.text("explore.reset"))
        self.rows, self.table, self.failed = ipw.VBox(), ipw.HTML(), ipw.Output()
        self.sum = ipw.HTML()
        columns = [ipw.VBox([self.rows, self.sum]), self.table]
        self.box = ipw.VBox(
            [
                ipw.HTML(str(views.style())),
                ipw.HBox([self.evening, self.left_out, self.reset]),
                ipw.HBox(columns, layout=ipw.Layout(flex_flow="row wrap")),
                self.failed,
            ]
        )
        self.change = seen(self.failed, self._change)
        self.leave = seen(self.failed, self._leave)
        self.evening.observe(seen(self.failed, self._open), "value")
        self.left_out.observe(self.leave, "value")
        self.reset.on_click(seen(self.failed, self._reset))
        self._open()

    def _open(self, _=None) -> None:
        """The results of the evening chosen, each with a field and a switch."""
        evening = self.evening.value
        rows = self.season.results[self.season.results["evening"] == evening]
        self.rows.children = [
            self._field((evening, row.player), row.result) for row in rows.itertuples()
        ]
        self.left_out.unobserve(self.leave, "value")
        self.left_out.value = evening in self.without
        self.left_out.observe(self.leave, "value")
        self._show()

    def _field(self, key, result) -> ipw.HBox:
        current = self.results.get(key, result)
        counts = ipw.Checkbox(
            current is not None,
            description=self.season.words.text("explore.counts"),
            indent=False,
            layout=ipw.Layout(width="70px"),
        )
        field = ipw.FloatText(
            result if current is None else current,
            description=key[1],
            disabled=current is None,
            style={"description_width": "130px"},
            layout=ipw.Layout(width="250px"),
        )

        def changed(_):
            field.disabled = not counts.value
            self.change(key, result, field.value if counts.value else None)

        field.observe(changed, "value")
        counts.observe(changed, "value")
        return ipw.HBox([field, counts])

    def _change(self, key, result, value) -> None:
        if value == result:
            self.results.pop(key, None)
        else:
            self.results[key] = value
        self._show()

    def _leave(self, change) -> None:
        (self.without.add if change["new"] else self.without.discard)(self.evening.value)
        self._show()

    def _reset(self, _) -> None:
        self.results.clear()
        self.without.clear()
        self._open()

    def _show(self) -> None:
        words = self.season.words
        season = changed(self.season, self.results, self.without)
        total = season.results.loc[season.results["evening"] == self.evening.value, "result"].sum()
        self.sum.value = words.text("explore.sum", sum=total) if round(total, 6) else ""
        try:
            after = standings(season, *self.parameters)
        except DataError:
            self.table.value = words.text("explore.nothing_left")
            return
        self.table.value = str(views.comparison(self.season, self.before, after))
