"""Rows and columns that go on from evening to evening: one player's total so far, or a standing."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd

from ..words import Problem
from .headings import SUMS, TOTALS, about, word
from .values import ROUNDING

# By these parts of a name "Anna gesamt", "Σ Anna" or "Anna (€)" is not Anna but what she has.
_PARTS = re.compile(r"[^\W_]+|[€$£%∑]")
_OF_ONE = (
    SUMS | TOTALS | {*"kum kumuliert kumulativ cum cumulative stand bilanz eur euro ø".split()}
)
_OF_ONE |= {*"€$£%∑"}


def sums_of_one(table, result, codes, names, evening, blank) -> tuple[np.ndarray, list[Problem]]:
    """Where rows are called like another player's total, or add up his results evening by evening.

    The second of him who stands at three evenings or more; what he differs by from one to the next,
    where it is not 0, are then the other's results. That is a sum if no evening at which it is not
    0 sums to zero with all that are alike, and each does without; else it is asked about, if three
    of the amounts differ.
    """
    where = np.flatnonzero(~blank & ~np.isnan(evening))
    few = codes[where].astype(np.min_scalar_type(len(names)))  # small numbers are sorted faster
    order = where[np.lexsort((evening[where], few))]
    at, amount = evening[order], np.nan_to_num(result[order])
    ends = np.bincount(few, minlength=len(names)).cumsum()
    cells = [slice(*part) for part in pairwise([0, *ends])]
    first = [part.start for part in cells if part.start < part.stop]
    steps = np.diff(amount, prepend=0)
    steps[first] = amount[first]

    def key(values, part):
        there = np.abs(values[part]) > ROUNDING
        return at[part][there].tobytes(), values[part][there].round(6).tobytes()

    sums, alike, problems = np.zeros(len(order), bool), [], []

    def tell(key, part, name, other):
        what = "warning", "column", key
        problems.append(table.problem(order[part].min(), *what, player=name, other=other))

    known = {"".join(_PARTS.findall(name)).casefold(): name for name in names}
    noted = {key(amount, part): name for part, name in zip(cells, names, strict=True)}
    for part, name in zip(cells, names, strict=True):
        parts = _PARTS.findall(name)
        kept = [text for text in parts if text not in _OF_ONE and word(text) not in _OF_ONE]
        other = known.get("".join(kept).casefold()) if kept and kept != parts else None
        if other and other != name:
            sums[part] = True
            tell("sum_of_one", part, name, other)
            continue
        goes_on = key(steps, part) if part.stop - part.start > 2 else ([], [])
        if len(goes_on[0]) > 8 and noted.get(goes_on, name) != name:
            alike.append((part, name, noted[goes_on]))
    if alike:
        number, without = pd.factorize(at)[0], np.where(sums, 0, amount)
        balanced = even(number, without)
        for part, *_ in alike:
            without[part] = 0
        made = even(number, without) & ~balanced
    for part, name, other in alike:
        theirs = amount[part] != 0
        if made[part][theirs].all():
            sums[part] = True
            tell("sum_of_one", part, name, other)
        elif len(np.unique(amount[part][theirs])) > 2:
            tell("sum_of_one_counted", part, name, other)
    out = np.zeros(len(blank), bool)
    out[order[sums]] = True
    return out, problems


def even(number: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """Whether the evening of each row sums to zero."""
    slack = ROUNDING * np.bincount(number, np.abs(amount))
    return (np.abs(np.bincount(number, amount)) <= slack)[number]


def running(results: np.ndarray, names: list[str], file: str, line: int) -> list[Problem]:
    """A warning if the evenings of a matrix may be standings that go on; with one who won.

    Everybody stands in every column after the first of his own, the columns and what they differ
    by sum to zero, and from column to column little changes.
    """
    there = ~np.isnan(results)
    goes_on = (there | ~np.maximum.accumulate(there, axis=1)).all()
    if results.shape[1] < 3 or len(results) < 2 or not goes_on or not there.any():
        return []
    filled = np.nan_to_num(results)
    steps = np.diff(filled, axis=1, prepend=0)
    even = np.abs(filled.sum(0)) <= ROUNDING * np.abs(filled).max(initial=1)
    if not even.all() or not (steps**2).sum() < (filled**2).sum():
        return []
    row = int(filled[:, -1].argmax())
    facts = {"name": names[row], "sum": float(filled[row].sum()), "last": float(filled[row, -1])}
    return [about("warning", "running", file, line, **facts)]
