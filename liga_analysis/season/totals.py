"""Rows and columns that add up others, whatever they are called."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pandas as pd

from ..words import DataError, Problem
from .cells import Table, clean_name
from .cumulated import even, sums_of_one
from .headings import is_balancing, word
from .values import ROUNDING, amounts

_COUNTED = {"unbalancing", "total_counted"}  # who may be a player, and is asked about


def sums_of_others(
    table: Table, figures: dict, player, evening, blank
) -> tuple[np.ndarray, list[Problem]]:
    """Where rows say what others of their evenings come to, whatever they are called; and doubts.

    One who stands at every evening, each time with what the others add up to or come to else, and
    not always with 0, is no player; nor is one who adds up another. One who has a bare 0 at every
    evening, or who alone keeps them from being even, may be one. A row left out by its name has to
    be made of others, or 0.
    """
    result, (everybody, names) = figures["result"][0], pd.factorize(player)
    out, problems = sums_of_one(table, result, everybody, names, evening, blank)
    problems += _by_name(table, figures, blank)
    noted = ~np.all([np.isnan(values) for values, _ in figures.values()], axis=0)
    where = np.flatnonzero(noted & ~out & ~np.isnan(evening))
    if not len(where):
        return out, problems
    number, held = pd.factorize(evening[where])
    codes, total = everybody[where], np.nan_to_num(result[where])

    def warn(mine, key, **facts):
        row = where[np.argmax(mine)]
        facts["player"] = player[row]
        problems.append(table.problem(row, "warning", "column", key, **facts))

    balanced = even(number, total)
    for code in (code for code, name in enumerate(names) if is_balancing(name)):
        if balanced[codes == code].all():
            warn(codes == code, "balancing")
    regular = (np.bincount(codes, minlength=len(names)) == len(held)) & (names != "")
    if not regular.any():
        return out, problems
    counts, here = np.ones(len(where), bool), _part(figures, where)
    for code, key in _called_extremes(total, number, codes, names, regular):
        warn(codes == code, key)
        regular[code], counts[codes == code] = False, False
    while len(where) > 2 and regular.any():
        part = (here[:, counts], number[counts], codes[counts], regular)
        key, code = _made_of_others(*part)
        if not key:
            break
        warn(codes == code, key)
        regular[code] = False
        if key not in _COUNTED:
            counts &= codes != code
    out[where[~counts]] = True
    for code, other in _mirrored(here[3], number, codes, regular):
        warn(codes == code, "mirrored", other=names[other])
    bare = (here[3] == 0) & np.isnan(here[:3]).all(0)
    for code in np.flatnonzero(regular & (np.bincount(codes, bare, len(names)) == len(held))):
        if len(held) > 1:
            warn(codes == code, "zero_row")
    return out, problems


def _made_of_others(values, number, codes, regular) -> tuple[str, int]:
    """What a regular is made of at every evening, and who it is; "" if nobody is.

    The sum of all others, which may be chance at a single evening that sums to zero; where most do
    not, from three of them and three others on the largest or smallest, what lies between these, or
    the mean; of those who are alike it is the last. Or what alone keeps two evenings or more from
    summing to zero, be it the number of the others or not.
    """
    amount, seats = np.nan_to_num(values), np.bincount(number)
    sums, largest = (
        np.array([np.bincount(number, row) for row in rows])[:, number]
        for rows in (amount, np.abs(amount))
    )
    others, there, slack = sums - amount, amount.any(0), ROUNDING * largest
    adds_up = (np.abs(others - amount) <= slack).all(0)
    uneven = np.bincount(number, np.abs(sums[3]) > slack[3]) > 0
    total = "total_by_numbers" if len(seats) > 1 or uneven.any() else "total_counted"
    made = {total: adds_up & (np.bincount(number, there)[number] - there > 1)}
    uneven = uneven.sum() > max(1, len(seats) / 2)
    result, slack = amount[3], np.where(seats[number] > 2, slack[3], -1)
    if uneven and len(seats) > 2 and len(np.unique(codes)) > 3:
        order = np.lexsort((result, number))
        ordered, place, last = result[order], np.argsort(order), np.cumsum(seats)[number] - 1
        first = last - seats[number] + 1
        low = ordered[np.minimum(first + (place == first), last)]
        high = ordered[np.maximum(last - (place == last), first)]
        alone = np.where(np.isnan(values[:3]).all(0), slack, -1)
        mean = others[3] / (seats[number] - 1).clip(1)
        hundredth = np.where(alone < 0, -1, alone + 0.0051)
        made = {"range_by_numbers": np.abs(high - low - result) <= alone, **made}
        made["largest_by_numbers"] = np.abs(high - result) <= alone
        made["smallest_by_numbers"] = np.abs(low - result) <= alone
        made["mean_by_numbers"] = np.abs(mean - result) <= hundredth
    if uneven:
        balances = np.abs(others[3]) <= slack
        made["count_by_numbers"] = balances & (result == seats[number] - 1)
        made["unbalancing"] = balances
    says = np.bincount(codes, there, len(regular)) > 0
    for key, fits in made.items():
        always = regular & says & (np.bincount(codes, fits, len(regular)) == len(seats))
        if always.any():
            return key, int(np.flatnonzero(always)[-1])
    return "", -1


def _called_extremes(result, number, codes, names, regular) -> Iterator[tuple[int, str]]:
    """Two regulars called Max and Min, if they have the most and the least of all others.

    Each alone may be somebody's name, and both together leave an evening even.
    """
    called = {word(names[code]): code for code in np.flatnonzero(regular)}
    if not {"max", "min"} <= called.keys():
        return
    pair = called["max"], called["min"]
    of_others = ~np.isin(codes, pair)
    others = pd.Series(result[of_others]).groupby(number[of_others])
    extremes = zip(pair, (others.max(), others.min()), strict=True)
    if others.ngroups > number.max() and all(
        np.array_equal(extreme[number[codes == code]], result[codes == code])
        for code, extreme in extremes
    ):
        yield from zip(pair, ("largest_by_numbers", "smallest_by_numbers"), strict=True)


def _mirrored(result, number, codes, regular) -> Iterator[tuple[int, int]]:
    """Regulars whose results, three amounts or more, are another's, or his with the sign turned.

    Not where nobody else has any at an evening. They are looked for among equal sums of results
    times a number of the evening's own.
    """
    if regular.sum() < 2:
        return
    weight = np.sqrt(np.arange(2.0, number.max() + 3))[number]
    result = np.nan_to_num(result)
    sums = np.abs(np.bincount(codes, result * weight, len(regular)))
    order = np.flatnonzero(regular & (sums > 0))
    order = order[np.argsort(sums[order], kind="stable")]
    rows = np.lexsort((number, codes))
    first = np.searchsorted(codes[rows], np.arange(len(regular)))
    for k in np.flatnonzero(np.diff(sums[order]) <= 1e-9 * sums[order][1:]):
        pair = sorted(order[k : k + 2])
        a, b = (result[rows[first[code] : first[code] + number.max() + 1]] for code in pair)
        others = np.bincount(number, (result != 0) & ~np.isin(codes, pair))
        telling = len(np.unique(np.abs(a))) > 2 and others.all()
        if telling and (np.array_equal(a, b) or np.array_equal(a, -b)):
            yield pair[1], pair[0]


def sums_without_name(
    table: Table, figures: dict, player, blank
) -> tuple[np.ndarray, list[Problem]]:
    """Where rows without a name are sums of the others, if all of them are; and a warning."""
    out = (player == "") & ~blank
    if not np.nan_to_num(_part(figures, out)).any() and out.sum() < 2:
        return np.zeros(len(out), bool), []
    facts, counted = _facts(table), ~out & ~blank
    pairs = [([fact[part] for fact in facts], _part(figures, part)) for part in (out, counted)]
    if not all(fits[0].all() for fits in _made(*pairs[0], *pairs[1], least=2)):
        return np.zeros(len(out), bool), []
    row = int(np.argmax(out))
    return out, [table.problem(row, "warning", "column", "sums_without_name")]


def _by_name(table: Table, figures: dict, blank) -> list[Problem]:
    """Warnings about rows left out by their name whose numbers are no totals."""
    if not (totals := table.totals):
        return []
    with suppress(DataError):
        values = _part(amounts(totals), slice(None))
        others = [fact[~blank] for fact in _facts(table)], _part(figures, ~blank)
        for k, fits in enumerate(_made(_facts(totals), values, *others)):
            if not (fits.any(0) | (values[:, k] == 0)).all():
                what = "warning", "column", "total_no_sum"
                return [totals.problem(k, *what, column="player")]
    return []


def _part(figures: dict, rows) -> np.ndarray:
    """The numbers of some rows, a column of the table in each row of the array."""
    return np.array([values[rows] for values, _ in figures.values()])


def _facts(table: Table) -> list[np.ndarray]:
    """Name, evening and line of each row, as sent."""
    name, evening, date = (table.column(c).each(clean_name) for c in ("player", "evening", "date"))
    return [name, evening + "|" + date, np.array(table.lines)]


def _made(facts, figures, other_facts, others, least=1) -> Iterator[np.ndarray]:
    """Whether the figures of each row are made of others' (`made_of`), or there are none.

    Of those of the same name, else of the same evening, else of all or of those since the row
    before; `least` of them.
    """
    player, place, lines = other_facts
    before = 0
    for k, (name, evening, line) in enumerate(zip(*facts, strict=True)):
        theirs, same = player == name, (place == evening) & (evening != "|")
        blocks = [lines < np.inf, (lines > before) & (lines < line)]
        blocks = [theirs] if theirs.any() else [same] if same.any() else blocks
        blocks = [block & (block.sum() >= least) for block in blocks]
        made = [made_of(figures[:, k], others[:, block]) for block in blocks]
        yield np.any(made, axis=0) | np.isnan(figures[:, k])
        before = line


def made_of(amounts: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Whether amounts are made of rows: their sums, three kinds of means, and the others.

    The others: the largest, the smallest, what lies between these. NaN counts for nothing. Means
    are of what is there, of all, or as the league's own without the two smallest.
    """
    there, results = ~np.isnan(rows), np.nan_to_num(rows)
    n, total = there.sum(1).clip(1), results.sum(1)
    small = np.where(there, rows, np.inf)
    most = np.where(there, rows, -np.inf).max(1, initial=-np.inf)
    least, best = small.min(1, initial=np.inf), total - np.sort(small)[:, :2].sum(1)
    means = total / n, total / max(1, rows.shape[1]), best / (n - 2).clip(1)
    made = np.array([total, *means, most, least, most - least])
    made[~np.isfinite(made)] = np.nan
    return np.abs(amounts - made) <= 0.01 + ROUNDING * np.abs(made)
