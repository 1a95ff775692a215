"""What the comparison with other systems finds, in sentences; of each section the question first.

A system is called better or worse only where the interval of the difference says so.
"""

import pandas as pd

from ..words import Words
from .comparison import CHIPS, REFERENCE, judged
from .systems import RAW


def in_unit(table: pd.DataFrame, measure: str, words: Words) -> Words:
    """Words for values and differences of a measure: errors below 1,000 chips in one place more."""
    if measure not in CHIPS:
        return Words(words.language, 3)
    return Words(words.language, words.digits + (_row(table, measure, REFERENCE)["value"] < 1000))


def headline(table: pd.DataFrame, words: Words) -> list[str]:
    """How far the league's rating misses, and whether any system misses less."""
    ours, floor = (_row(table, "error", name) for name in (REFERENCE, "floor"))
    values = {"evenings": ours["units"], "league": ours["value"], "floor": floor["value"]}
    share = 1 - (ours["value"] / floor["value"]) ** 2
    key = "gain" if share > 0 else "no_gain"
    told = [words.text("compare.error", **values), words.text(f"compare.{key}", share=share)]
    return [*told, _sides(table, "error", words)]


def predicting(table: pd.DataFrame, words: Words) -> list[str]:
    """Errors of the evenings ahead: of what people read, and of the same once shrunk."""
    told = [words.text("compare.predicting"), words.text("compare.predicting_how")]
    for name in (*RAW, "total", "mean"):
        told.append(_apart(table, "error", name, words))
    return told


def section(table: pd.DataFrame, measure: str, words: Words) -> list[str]:
    """A measure: what it asks, what the league's rating has, and who is better or worse."""
    value = in_unit(table, measure, words).chips(_row(table, measure, REFERENCE)["value"])
    told = [words.text(f"compare.{measure}_{part}", value=value) for part in ("asks", "league")]
    return [*told, _sides(table, measure, words)]


def truth(tables: dict[str, pd.DataFrame], words: Words) -> list[str]:
    """Against the true ratings of simulated worlds."""
    told = [words.text("compare.truth_asks"), words.text("compare.truth_how")]
    for world, table in tables.items():
        if table.empty:
            continue
        ours = _row(table, "truth_r", REFERENCE)
        values = {"world": words.text(f"compare.in_{world}"), "n": ours["units"]}
        values["r"] = in_unit(table, "truth_r", words).chips(ours["value"])
        found = words.text("compare.truth_r_in", **values)
        told.append(f"{found} {_sides(table, 'truth_r', words)}")
    return told


def caveats(words: Words) -> list[str]:
    """How each system runs, and what the comparison cannot say."""
    return [words.text(f"compare.{key}") for key in ("how", "scaled", "defaults", "limits")]


def conclusion(tables: dict[str, pd.DataFrame], words: Words) -> list[str]:
    """Three sentences on simulated worlds: predicting, the truth, and who is better anywhere."""
    random, circles = tables["random"], tables["circles"]
    told = {
        f"{name}_{key}": words.number(row[key])
        for name in ("floor", "mean_raw", "total", "mean")
        for row in [_row(random, "error", name)]
        for key in ("difference", "low", "high")
    }
    league = _row(random, "error", REFERENCE)
    first = words.text(
        "compare.conclude_error", league=league["value"], n=int(league["units"]), **told
    )
    r = {
        f"{kind}_{name}": in_unit(table, "truth_r", words).chips(
            abs(_row(table, "truth_r", name)[key])
        )
        for kind, table in (("random", random), ("circles", circles))
        for name, key in ((REFERENCE, "value"), ("total", "difference"), ("mean", "difference"))
    }
    return [first, words.text("compare.conclude_truth", **r), _anywhere(tables, words)]


def _anywhere(tables: dict[str, pd.DataFrame], words: Words) -> str:
    """In how many comparisons with systems of some sense it is better, and in which worse."""
    told, sides = [], []
    for world, table in tables.items():
        for measure in table["measure"].unique():
            rows = judged(table, measure)
            sides += list(rows["side"][~rows["system"].isin([REFERENCE, "floor", *RAW])])
            names = [words.text(f"compare.{n}") for n in rows["system"][rows["side"] == "better"]]
            if names:
                where = {"world": words.text(f"compare.in_{world}"), "systems": names}
                by = words.text(f"compare.{measure}_short")
                told.append(words.text("compare.better_at", measure=by, **where))
    values = {"n": len(sides), "worse": sides.count("worse"), "better": sides.count("better")}
    key = "some" if told else "none"
    return words.text(f"compare.conclude_{key}", list="; ".join(told), **values)


def _apart(table: pd.DataFrame, measure: str, name: str, words: Words) -> str:
    row, show = _row(table, measure, name), in_unit(table, measure, words)
    values = {key: show.signed(row[key]) for key in ("difference", "low", "high")}
    return words.text("compare.apart", system=words.text(f"compare.{name}"), **values)


def _sides(table: pd.DataFrame, measure: str, words: Words) -> str:
    rows, by = judged(table, measure), words.text(f"compare.{measure}_short")
    told = []
    for side in ("better", "worse"):
        names = [words.text(f"compare.{n}") for n in rows["system"][rows["side"] == side]]
        key = side if names else f"none_{side}"
        told.append((key, {"measure": by, "systems": names}))
    return " ".join(words.text(f"compare.{key}", **values) for key, values in told)


def _row(table: pd.DataFrame, measure: str, name: str) -> pd.Series:
    return table[(table["measure"] == measure) & (table["system"] == name)].iloc[0]
