"""What the estimate asks of the hand: evening and prior as sliders, and what follows from them."""

import altair as alt
import ipywidgets as ipw
import numpy as np
import pandas as pd

from ..model.decision import Decision, season_decision
from ..model.variance import Estimate
from ..pages import views
from ..pages.live import LiveChart, seen
from ..pages.look import GREEN, GREY, PALETTE, finished, lam_axis
from ..season.season import Season
from ..words import DataError, Words
from . import advice, charts

REACH = 100  # the axis goes from the prior's λ divided to multiplied by this


class Estimator(ipw.VBox):
    """A season's own estimate after any evening and under any prior of λ; nothing is adopted."""

    def __init__(self, season: Season):
        self._given, words, prior = season, season.words, season.prior
        self._ends = prior.lam / REACH, prior.lam * REACH
        held = [(str(evening), evening) for evening in season.held]
        self.evening = ipw.SelectionSlider(
            options=held, value=season.held[-1], description=words.text("column.evening")
        )
        self.lam = ipw.FloatLogSlider(
            value=prior.lam,
            min=np.log10(prior.lam) - 1.3,  # the prior's own λ is a step
            max=np.log10(prior.lam) + 1.7,
            step=0.05,
            description="λ",
            readout_format=".2r",
        )
        self.spread = ipw.FloatSlider(
            value=prior.spread,
            min=0.2,
            max=2.0,
            step=0.1,
            description=words.text("estimate.prior_spread"),
        )
        self.answer, self._failed = ipw.HTML(), ipw.Output()
        self._chart = LiveChart(moving(season.parameters.lam, *self._ends, words))
        sliders = ipw.HBox(
            [self.evening, self.lam, self.spread], layout=ipw.Layout(flex_flow="row wrap")
        )
        super().__init__(
            [ipw.HTML(str(views.style())), sliders, self.answer, self._chart, self._failed]
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
        """What the season alone advises.

        Raises
        ------
        DataError
            If it allows no estimate.
        """
        return season_decision(self.season, season_only=True)

    @property
    def estimate(self) -> Estimate | None:
        """The season's own estimate."""
        return self.decision.estimate

    def _show(self) -> None:
        words, self._chart.layout.display = self._given.words, "none"
        try:
            own = self.decision
        except DataError as refusal:
            self.answer.value = str(views.headline(self._given, [str(refusal)]))
            return
        sentences = [*advice.headline(own, words), *advice.conclusion(own, words)]
        self.answer.value = str(views.headline(self._given, sentences))
        self._chart.params = {"curves": curves_of(own.estimate, *self._ends)}
        self._chart.layout.display = None


def moving(force: float, low: float, high: float, words: Words) -> alt.LayerChart:
    """Likelihood, prior and posterior over λ from low to high, moved by the parameter `curves`.

    Its values are those of `curves_of`.
    """
    lam = [float(lam) for lam in np.geomspace(low, high, charts.POINTS)]
    rows = pd.DataFrame({"k": range(charts.POINTS), "lam": lam})
    names = {
        name: words.text(f"chart.moving_{name}") for name in ("likelihood", "prior", "posterior")
    }
    tones = alt.Scale(domain=list(names.values()), range=[PALETTE[1], GREY, GREEN])
    layers = [
        alt.Chart(rows)
        .transform_calculate(y=f"curves.{name}[datum.k]", curve=f"'{curve}'")
        .mark_line(strokeWidth=2.5)
        .encode(
            x=lam_axis(alt.X, "lam", low, high).title(words.text("chart.lam_axis")),
            y=alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[0, 1.02])),
            color=alt.Color(
                "curve:N", scale=tones, legend=alt.Legend(title=None, orient="top", labelLimit=0)
            ),
        )
        for name, curve in names.items()
    ]
    marks = charts.mark("x", force, words.text("chart.in_force", value=words.number(force)))
    flat = {name: [0.0] * charts.POINTS for name in names}
    chart = alt.layer(*layers, *marks).add_params(alt.param(name="curves", value=flat))
    return finished(chart, "moving", words, 240, count=len(names))


def curves_of(estimate: Estimate, low: float, high: float) -> dict[str, list[float]]:
    """`likelihood`, `prior` and `posterior` at the λ of `moving`, each 1 at its highest."""
    lam = np.geomspace(low, high, charts.POINTS)
    at = {"likelihood": charts.likelihood(estimate, lam)}
    at |= charts.densities(estimate.posterior, lam)
    return {name: (curve / curve.max()).round(4).tolist() for name, curve in at.items()}
