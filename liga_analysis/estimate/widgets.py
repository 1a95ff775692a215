"""What the estimate asks of the hand: evening and prior as sliders, and what follows from them."""

import ipywidgets as ipw

from ..model.decision import Decision, season_decision
from ..model.variance import Estimate
from ..pages import views
from ..pages.live import LiveChart, seen
from ..season.season import Season
from ..words import DataError
from . import advice, charts

REACH = 100  # the axis goes from the prior's λ divided to multiplied by this


class Estimator(ipw.VBox):
    """The estimate after any evening and under any prior of λ; nothing is adopted.

    Attributes
    ----------
    season : Season
        As it stood after the evening chosen, under the prior chosen.
    decision : Decision
        What it and its league advise.
    estimate : Estimate or None
        Its own estimate.
    """

    def __init__(self, season: Season):
        self._given, words, prior = season, season.words, season.prior
        self._ends = prior.lam / REACH, prior.lam * REACH
        held = [(str(evening), evening) for evening in season.held]
        self.evening = ipw.SelectionSlider(
            options=held, value=season.held[-1], description=words.text("column.evening")
        )
        self.lam = ipw.FloatLogSlider(
            value=prior.lam, min=-0.5, max=2.5, step=0.05, description="λ", readout_format=".2g"
        )
        self.spread = ipw.FloatSlider(
            value=prior.spread,
            min=0.2,
            max=2.0,
            step=0.1,
            description=words.text("estimate.prior_spread"),
        )
        self.told, self._failed = ipw.HTML(), ipw.Output()
        self._chart = LiveChart(charts.moving(season.parameters.lam, *self._ends, words))
        sliders = ipw.HBox(
            [self.evening, self.lam, self.spread], layout=ipw.Layout(flex_flow="row wrap")
        )
        super().__init__(
            [ipw.HTML(str(views.style())), sliders, self.told, self._chart, self._failed]
        )
        follow = seen(self._failed, lambda _: self._show())
        for slider in (self.evening, self.lam, self.spread):
            slider.observe(follow, "value")
        self._show()

    @property
    def season(self) -> Season:
        """The season after the evening chosen, under the prior chosen."""
        season = self._given.through(self.evening.value)
        return season.with_prior(self.lam.value, self.spread.value)

    @property
    def decision(self) -> Decision:
        """What the season and its league advise.

        Raises
        ------
        DataError
            If neither allows an estimate.
        """
        return season_decision(self.season)

    @property
    def estimate(self) -> Estimate | None:
        """The season's own estimate."""
        return self.decision.estimate

    def _show(self) -> None:
        words = self._given.words
        try:
            found = season_decision(self.season, season_only=True)
        except DataError as refusal:
            self.told.value = str(views.headline(self._given, [str(refusal)]))
            return
        told = [*advice.headline(found, words), advice.conclusion(found.estimate, words)]
        self.told.value = str(views.headline(self._given, told))
        self._chart.params = {"curves": charts.curves_of(found.estimate, *self._ends)}
