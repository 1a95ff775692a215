"""Charts of the comparison with other systems: the table of `comparison.differences` in."""

import altair as alt
import pandas as pd

from ..pages.look import DIVERGING, FAINT, GREEN, GREY, INK, ROW, finished, player_axis
from ..words import Words
from .comparison import CHIPS, REFERENCE, judged
from .story import in_unit
from .systems import RAW

_GERMAN = Words()
_INKS = {"better": DIVERGING[-1], "worse": DIVERGING[0], "open": GREY, "league": GREEN}


def differences(
    table: pd.DataFrame, measure: str, words: Words = _GERMAN, world: str = "season"
) -> alt.LayerChart | None:
    """One measure of every system, as the difference to the league's rating with its interval.

    Orange is worse beyond the interval, blue better, grey open. The axis reaches as far as the
    shrunk systems; what lies beyond stands at its edge. None where nothing has the measure.
    """
    rows = judged(table, measure)
    if len(rows) < 2:
        return None
    show = in_unit(table, measure, words)
    league = rows["system"] == REFERENCE
    rows = rows.assign(
        player=rows["system"].map(lambda name: words.text(f"compare.{name}")),
        side=rows["side"].mask(league, "league"),
        label=[
            show.chips(v) if first else show.signed(d)
            for v, d, first in zip(rows["value"], rows["difference"], league, strict=True)
        ],
    )
    order = rows.sort_values("value", ascending=measure in CHIPS, kind="stable")["player"]
    near = rows[~rows["system"].isin([*RAW, "floor"])]
    ends = near[["low", "high", "difference"]]
    room = 0.06 * (ends.max(axis=None) - ends.min(axis=None)) or 1.0
    domain = [ends.min(axis=None) - room, ends.max(axis=None) + room]
    form = f",.{show.digits}f"
    axis = alt.Axis(format=",.4~g", tickCount=4)
    x = alt.X(
        "low:Q",
        title=words.text("compare.axis"),
        axis=axis,
        scale=alt.Scale(domain=domain, clamp=True, nice=False),
    )
    color = alt.Color("side:N", legend=None)
    color = color.scale(domain=list(_INKS), range=list(_INKS.values()))
    told = [
        alt.Tooltip("player:N", title=words.text("compare.system")),
        alt.Tooltip("value:Q", title=words.text("compare.value"), format=form),
        alt.Tooltip("low:Q", title=words.text("compare.low"), format=form),
        alt.Tooltip("high:Q", title=words.text("compare.high"), format=form),
    ]
    base = alt.Chart(rows).encode(y=player_axis(order), color=color, tooltip=told)
    zero = alt.Chart(rows.head(1)).mark_rule(color=FAINT).encode(x=alt.datum(0))
    line = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=x, x2="high:Q")
    dot = base.mark_circle(size=70, opacity=1).encode(x="difference:Q")
    number = base.mark_text(align="left", dx=8, fontSize=12).encode(
        x=alt.value("width"), text="label:N", color=alt.value(INK)
    )
    numbers = "; ".join(rows["player"] + " " + rows["label"])
    told = {"world": words.text(f"compare.in_{world}"), "numbers": numbers}
    kind = f"compare_{measure}"
    return finished(zero + line + dot + number, kind, words, ROW * len(rows), **told)
