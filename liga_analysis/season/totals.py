"""Rows and columns that add up others, whatever they are called."""

import re
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pandas as pd

from ..words import DataError, Problem
from .cells import Table
from .headings import SUMS, TOTALS, about, is_balancing, word
from .values import ROUNDING, amounts, row_evenings

# By these parts of a name "Anna gesamt", "Σ Anna" or "Anna (€)" is not Anna but what she has.
_PARTS = re.compile(r"[^\W_]+|[€$£%∑]")
_OF_ONE = (
    SUMS | TOTALS | {*"kum kumuliert kumulativ cum cumulative stand bilanz eur euro ø".split()}
)
_OF_ONE |= {*"€$£%∑"}


def sums_of_others(
    table: Table, figures: dict, player, evening, blank
) -> tuple[np.ndarray, list[Problem]]:
    """Where rows add up all others of their evenings, whatever they are called; and doubts.

    One who stands at every evening, each time with what two or more others add up to and not
    always with 0, is no player; nor is one who adds up another. One who is the last at every
    evening, each time with a bare 0, may be one. A row left out by its name has to be a sum, a mean
    or 0.
    """
    values = np.array([v for v, _ in figures.values()])
    out, problems = _sums_of_one(table, values[3], player, evening, blank)
    counted, blank = ~blank, blank | out
    there = ~blank & ~np.isnan(evening) & (np.nan_to_num(np.abs(values)).max(0) > 0)
    problems += _by_name(table, values, player, evening, ~counted)
    where = np.flatnonzero(~blank & ~np.isnan(evening))
    number, held = pd.factorize(evening[where])
    codes, names = pd.factorize(player[where])
    often = np.bincount(codes)
    result = np.nan_to_num(values[3, where])
    open_sums = np.bincount(number, result, len(held))[number]
    even = np.abs(open_sums) <= ROUNDING * np.bincount(number, np.abs(result), len(held))[number]
    for code in (code for code, name in enumerate(names) if is_balancing(name)):
        if (mine := codes == code)[mine].size and even[mine].all():
            facts = {"player": names[code]}
            row = where[np.argmax(mine)]
            problems.append(table.problem(row, "warning", "name", "balancing", **facts))
    if len(where) < 3 or not (often >= len(held)).any():
        return out, problems
    amount = np.nan_to_num(values[:, where])
    n = np.bincount(number, there[where], len(held))
    sums = np.array([np.bincount(number, row, len(held)) for row in amount])[:, number]
    largest = np.array([np.bincount(number, np.abs(row), len(held)) for row in amount])[:, number]
    adds_up = (np.abs(sums - 2 * amount) <= ROUNDING * largest).all(0)
    adds_up &= n[number] - there[where] >= 2
    always = (np.bincount(codes, adds_up) == often) & (often == len(held))
    always &= np.bincount(codes, amount.any(0)) > 0
    for code in np.flatnonzero(always & (names != "")):
        mine = where[codes == code]
        what = ("warning", "column", "total_by_numbers")
        problems.append(table.problem(mine[0], *what, player=names[code]))
        out[mine] = True
    last = np.zeros(len(held), np.intp)
    last[number] = np.arange(len(where))
    code = codes[last[0]]
    bare = (values[3][where[last]] == 0) & np.isnan(values[:3][:, where[last]]).all(0)
    if len(held) > 1 and (codes[last] == code).all() and bare.all() and often[code] == len(held):
        what = ("warning", "column", "zero_row")
        problems.append(table.problem(where[last[0]], *what, player=names[code]))
    return out, problems


def _sums_of_one(table, result, player, evening, blank) -> tuple[np.ndarray, list[Problem]]:
    """Where rows are called like another player's total, or add up his results evening by evening.

    The second of him who stands at three evenings or more; what he differs by from one to the next,
    where it is not 0, are then the other's results.
    """
    out, problems = np.zeros(len(blank), bool), []
    where = np.flatnonzero(~blank & ~np.isnan(evening))
    codes, names = pd.factorize(player[where])
    order = np.lexsort((evening[where], codes))
    at, amount = evening[where][order], np.nan_to_num(result[where][order])
    first = np.flatnonzero(np.diff(codes[order], prepend=-1))
    steps = np.diff(amount, prepend=0)
    steps[first] = amount[first]
    cells = [slice(*ends) for ends in pairwise([*first, len(order)])]

    def key(values, part):
        there = np.abs(values[part]) > ROUNDING
        return *at[part][there], *values[part][there].round(6)

    known = {"".join(_PARTS.findall(name)).casefold(): name for name in names}
    noted = {key(amount, part): name for part, name in zip(cells, names, strict=True)}
    for code, (part, name) in enumerate(zip(cells, names, strict=True)):
        parts = _PARTS.findall(name)
        kept = [text for text in parts if text not in _OF_ONE and word(text) not in _OF_ONE]
        other = known.get("".join(kept).casefold()) if kept != parts else None
        if not other and part.stop - part.start > 2 and len(goes_on := key(steps, part)) > 3:
            other = noted.get(goes_on)
        if other and other != name:
            mine = where[codes == code]
            facts = {"player": name, "other": other}
            problems.append(table.problem(mine[0], "warning", "column", "sum_of_one", **facts))
            out[mine] = True
    return out, problems


def _by_name(table: Table, values: np.ndarray, player, evening, blank) -> list[Problem]:
    """Warnings about rows left out by their name whose numbers are no totals."""
    if not (totals := table.totals):
        return []
    with suppress(DataError):
        figures = np.array([v for v, _ in amounts(totals).values()])
        of_evening = row_evenings(totals, np.ones(len(totals), bool))[0]
        names = totals.words("player")
        lines, at = np.array(table.lines), totals.lines
        wrong = []
        for k, line in enumerate(at):
            start = at[k - 1] if k else 0
            theirs, same = player == names[k], evening == of_evening[k]
            blocks = [lines < np.inf, (lines > start) & (lines < line)]
            blocks = [theirs] if theirs.any() else [same] if same.any() else blocks
            sums = [np.nansum(values[:, block & ~blank], axis=1) for block in blocks]
            means = [s / max(1, (b & ~blank).sum()) for s, b in zip(sums, blocks, strict=True)]
            noted = figures[:, k]
            fits = np.isnan(noted) | (noted == 0)
            for other in (*sums, *means):
                fits |= np.abs(noted - other) <= 0.01 + ROUNDING * np.abs(other)
            wrong += [] if fits.all() else [k]
        return [
            totals.problem(k, "warning", "column", "total_no_sum", column="player")
            for k in wrong[:1]
        ]
    return []


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
