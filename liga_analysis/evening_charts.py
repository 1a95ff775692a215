"""Charts of a single evening."""

import altair as alt
import pandas as pd

from .charts import GREEN, INK, ROW, _finished, _players
from .labels import Words

_GERMAN = Words()
# Minutes of the clock, past midnight too; Vega's own dates would bring a time zone in.
_CLOCK = "format(floor(datum.value / 60) % 24, '02') + ':' + format(datum.value % 60, '02')"


def presence(stints: pd.DataFrame, words: Words = _GERMAN) -> alt.LayerChart:
    """Who was in when: a bar for each entry, from the table `eventlog.presence` of one evening.

    Bars of entries that ended without chips have a cross at the end; those whose end the log does
    not say reach to the last event.
    """
    unit = stints["unit"].iloc[0]
    last = stints[["start", "end"]].max(axis=None)
    rows = stints.assign(end=stints["end"].fillna(last))
    # A bust in the round of the entry is seen all the same.
    rows["end"] = rows["end"].clip(lower=rows["start"] + 0.004 * (last - rows["start"].min()))
    players = rows["player"].drop_duplicates()
    axis = alt.Axis(tickMinStep=1)
    if unit == "minutes":
        axis = alt.Axis(labelExpr=_CLOCK, values=list(range(0, 60 * 36, 60)))
    told = [
        alt.Tooltip("player:N", title=words.text("column.player")),
        alt.Tooltip("entry:O", title=words.text("column.entry")),
    ]
    base = alt.Chart(rows).encode(y=_players(players), tooltip=told)
    scale = alt.Scale(zero=False, nice=False)
    x = alt.X("start:Q", title=words.text(f"chart.presence_{unit}"), axis=axis, scale=scale)
    bar = base.mark_bar(color=GREEN, height=12, stroke="white").encode(x=x, x2="end:Q")
    cross = base.transform_filter("datum.how == 'bust'").encode(x="end:Q")
    again = rows[rows["entry"] > 1].groupby("player", sort=False)["entry"].max()
    numbers = "; ".join(f"{player} {entries}" for player, entries in again.items()) or "–"
    return _finished(
        bar + cross.mark_point(shape="cross", angle=45, color=INK, filled=True, size=60, opacity=1),
        "presence",
        words,
        ROW * len(players),
        players=len(players),
        numbers=numbers,
    )
