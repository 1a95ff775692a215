"""What the cells of a column mean as numbers or dates.

Everything read stays text until its column is judged as a whole: "1.850" beside "850" is a
thousand, "1.85" beside it is not.
"""

import re
from contextlib import suppress

import numpy as np
import pandas as pd

from ..words import DataError, Problem
from .cells import Column, Table, clean_name, is_blank
from .days import DASHES, PLAIN_DATES, days_of, why_no_date
from .headings import COLOURS, evening_in

# Rounding that a sum or difference of decimals may carry, relative to the amounts involved.
ROUNDING = 1e-6
# So many rows are told of one problem, and one of each evening.
MOST_TOLD = 50
# No stack is larger; beyond it whole numbers and squares lose their digits.
LARGEST = 1e12
_CURRENCY = r"(?:€|\$|£|EURO?|USD|CHF)?"
_MONEY = re.compile(r"[€$£]|\b(?:EURO?|USD|CHF)\b", re.I)
_NUMBER = re.compile(
    rf"(?:([+-]) ?)?{_CURRENCY} ?((?(1)|[+-]?)) ?(\d{{1,3}}(?:[ '’]\d{{3}})+|\d+)((?:[.,]\d+)*)"
    rf"(e[+-]?\d+)? ?{_CURRENCY}",
    re.IGNORECASE,
)
# As bookkeepers write what is below 0: "(500)", "500-".
_BOOKED = re.compile(r"\(([^()+-]+)\)|([^()+-]+)-")
_GROUPED = re.compile(r"(\d+|\d{1,3}([.,])\d{3}(\2\d{3})*)(/\d+)?")  # "/" for the decimal mark
_OPEN = re.compile(r"[+-]?([1-9]\d{0,2})[.,](\d{3})")


def numbers(table: Table, column: str, whole: bool) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a column, judged as a whole, and where the text is no number.

    Of two different marks in one cell the last is the decimal one; one that is repeated separates
    thousands; one followed by other than three digits is decimal. What that leaves open follows
    the column's other cells, then is a thousand in a column of whole numbers, and in a column of
    decimals is read the German way where the file's separator is ";".

    Raises
    ------
    DataError
        If it is still open then.
    """
    cells, codes = table.column(column).distinct
    if mark := table.column(column).decimal_mark:
        as_is = mark == "." and not table.column(column).blank.any()
        texts = cells if as_is else (text.replace(mark, ".") or "nan" for text in cells)
        values = np.fromiter(map(float, texts), float, len(cells))
        wrong = np.abs(values) > LARGEST
        return np.where(wrong, np.nan, values)[codes], wrong[codes]
    blank = is_blank(cells)
    values = np.array([c if isinstance(c, float) else np.nan for c in cells], float)
    bad = np.array([not isinstance(c, float) for c in cells], bool) & ~blank
    texts = {}
    for k in np.flatnonzero(bad):
        text = clean_name(cells[k]).translate(DASHES)
        if booked := _BOOKED.fullmatch(text):
            text = "-" + (booked[1] or booked[2])
        if match := _NUMBER.fullmatch(text):
            sign = "-" if "-" in (match[1], match[2]) else ""
            body = re.sub(r"\D", "", match[3]) + match[4]
            texts[k] = sign, body, match[5] or "", *_marks(body, match[5])
    decimals = {decimal for *_, decimal, _, _ in texts.values()} - {None}
    thousands = {thousand for *_, thousand, _ in texts.values()} - {None}
    for k, (sign, body, exponent, decimal, _, still_open) in texts.items():
        if still_open:
            other = "," if still_open == "." else "."
            is_decimal = still_open in decimals or other in thousands
            is_thousand = still_open in thousands or other in decimals
            if is_decimal == is_thousand:
                if not whole and table.separator != ";":
                    row = int(np.argmax(codes == k))
                    what = ("error", "number", "ambiguous")
                    raise DataError(table.problem(row, *what, column=column))
                is_decimal = still_open == "," and not whole
            decimal = still_open if is_decimal else None
        body = body.replace(decimal, "/") if decimal else body
        if _GROUPED.fullmatch(body):
            values[k] = float(sign + re.sub("[.,]", "", body).replace("/", ".") + exponent)
    wrong = ~((np.abs(values) <= LARGEST) | blank)
    return np.where(wrong, np.nan, values)[codes], wrong[codes]


def plain_numbers(cells: list) -> tuple[np.ndarray, np.ndarray]:
    """Numbers in cells judged together, before there is a table, and where the text is none.

    What their marks leave open is read the German way, and never raises.
    """
    return numbers(Table("", {"result": Column(cells)}, cells, ";"), "result", whole=False)


def typed_number(text: str) -> float:
    """A number that is typed by itself, with a point or a comma.

    Raises
    ------
    DataError
        If that may separate thousands as well: "1.000".
    ValueError
        If it is none.
    """
    if still_open := _OPEN.fullmatch(text.strip()):
        whole, part = still_open.groups()
        decimal = f"{whole}.{part.rstrip('0') or '0'}"
        decimal += "0" * (decimal[-4:-3] == ".")  # 1.234 would be as open
        facts = {"text": text, "thousand": whole + part, "decimal": decimal}
        raise DataError(Problem("error", "number", "two_readings", values=facts))
    return float(text.replace(",", "."))


def _marks(body: str, exponent) -> tuple[str | None, str | None, str | None]:
    """What one number says by itself: its decimal mark, its thousands mark, or the open one."""
    marks = re.findall("[.,]", body)
    if not marks:
        return None, None, None
    if len(marks) > 1:
        return marks[-1] if len(set(marks)) > 1 else None, marks[0], None
    head, tail = body.split(marks[0])
    if exponent or len(tail) != 3 or len(head) > 3 or head.startswith("0"):  # "0.125", "1000.125"
        return marks[0], None, None
    return None, None, marks[0]


def dates(table: Table, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Dates of a column as datetime64, judged as a whole, and where the text is no date."""
    cells, codes = table.column(column).distinct
    with suppress(ValueError, TypeError):  # 2025-02-31; a cell that is no text
        if PLAIN_DATES.fullmatch("\n".join([*cells, ""])):
            return np.array(cells, "datetime64[s]")[codes], np.zeros(len(codes), bool)
    values = np.array(days_of(cells).days, "datetime64[s]")
    return values[codes], (np.isnat(values) & ~is_blank(cells))[codes]


def understood(table: Table, column: str, values: np.ndarray) -> list[Problem]:
    """A hint with the first number or date of a column not written as the season's files are."""
    is_date, decimal = values.dtype.kind == "M", "," if table.separator == ";" else "."
    if not len(values) or (not is_date and table.column(column).decimal_mark in (".", decimal)):
        return []
    cells, codes = table.column(column).distinct
    row = np.zeros(len(cells), np.intp)
    row[codes[::-1]] = np.arange(len(codes))[::-1]  # the first that holds it
    values = values[row]
    if is_date and not PLAIN_DATES.fullmatch("\n".join(map(str, [*cells, ""]))):
        days, _, other = days_of(cells)
        if differ := [k for k, day in enumerate(other or ()) if day != days[k]]:
            facts = {"value": days[differ[0]], "other": other[differ[0]]}
            where = row[differ[0]], "warning", "date", "date_order"
            return [table.problem(*where, column=column, **facts)]
    shown = (
        np.datetime_as_string(values, "D").tolist() if is_date else [f"{v:.15g}" for v in values]
    )
    for k, cell, value, meant in zip(row, cells, values, shown, strict=True):
        text = clean_name(cell)
        own = text.replace(",", ".") if decimal == "," else text
        as_is = text.startswith(meant) if is_date else _float(own) == value
        if text and not as_is and meant not in ("NaT", "nan"):
            code, facts = "date" if is_date else "number", {"column": column, "value": str(meant)}
            return [table.problem(k, "hint", code, "understood", **facts)]
    return []


def _float(cell: str) -> float | None:
    with suppress(ValueError):
        return float(cell)


def in_money(table: Table, column: str) -> np.ndarray:
    """Where the cells of a column are sums of money."""
    column = table.column(column)
    plain = column.decimal_mark or column.blank.all()
    return np.zeros(len(table), bool) if plain else column.each(is_money).astype(bool)


def is_money(cell) -> bool:
    """Whether a cell or a heading names a currency."""
    return isinstance(cell, str) and _MONEY.search(cell) is not None


def told_rows(rows: np.ndarray, evening: np.ndarray) -> list[tuple[int, int]]:
    """The rows with one problem to tell of, each with 0; one for all others, with their number."""
    shown = np.arange(len(rows)) < MOST_TOLD
    shown[np.unique(evening[rows], return_index=True)[1]] = True  # no evening is missed
    left = rows[~shown]
    return [*((k, 0) for k in rows[shown]), *((k, len(left)) for k in left[:1])]


def amounts(table: Table) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Numbers by column, and where the text is none: amounts, and counts by colour if there."""
    in_chips = not table.column("entries").blank.all()
    figures = {}
    for column in ("entries", "buy_in_chips", "chips_out", "result"):
        whole = column == "entries" or (in_chips and column != "buy_in_chips")
        figures[column] = numbers(table, column, whole)
    return figures | {c: numbers(table, c, True) for c in COLOURS if c in table.cells}


def evening_numbers(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the evenings ("3", "Abend 3"), and where the text is none."""
    column = table.column("evening")
    if not column.decimal_mark:
        table = table.having(evening=column.each(lambda cell: evening_in(cell) or cell))
    number, bad = numbers(table, "evening", whole=True)
    bad |= (number < 1) | (number % 1 > 0)
    return np.where(bad, np.nan, number), bad


def row_evenings(table: Table, blank: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Problem]]:
    """Number and date of each row's evening; numbers are given by date where there are none."""
    number, bad_number = evening_numbers(table)
    date, bad_date = dates(table, "date")
    dated = ~np.isnat(date)
    if (np.isnan(number) | blank).all():
        days = np.unique(date[dated & ~blank])
        number = np.where(dated, 1.0 + np.searchsorted(days, date), np.nan)
    elif (np.isnan(number) & dated & ~blank).any():
        # A row without a number belongs to the numbered evening of its date.
        known = pd.Series(number, date)[dated & ~np.isnan(number)].groupby(level=0)
        unique = known.first()[known.nunique() == 1]
        number = np.where(np.isnan(number), pd.Series(date).map(unique), number)
    problems = [*_years(table, number, date), *_restart(table, number)]
    # A row that says nothing of a player must at least be one of an evening: no merge marker.
    wrong = np.flatnonzero(bad_number | bad_date | (np.isnan(number) & ~blank))
    number[bad_number] = np.nan
    places = {(table.sheets[k] if table.sheets else "", table.lines[k]): k for k in wrong[::-1]}
    wrong = np.array(sorted(places.values()), np.intp)  # a row may stand for several players
    for k, more in told_rows(wrong, number):
        evening = None if np.isnan(number[k]) else int(number[k])
        if more:
            what, facts = ("order", "and_more"), {"count": more}
        elif bad_number[k]:
            what, facts = ("number", "evening_number"), {"column": "evening"}
        elif bad_date[k]:
            key = why_no_date(table.cells["date"].cells[k], "no_date")
            what, facts = ("date", key), {"column": "date"}
        else:
            what, facts = ("order", "no_evening"), {}
        problems.append(table.problem(k, "error", *what, evening=evening, **facts))
    return number, date, problems


def _years(table: Table, number: np.ndarray, date: np.ndarray) -> list[Problem]:
    """A warning if evenings without a date are all numbered like years."""
    row = next(iter(np.flatnonzero(~np.isnan(number))), None)
    if row is None or not np.isnat(date).all() or np.nanmin(number) < 1990:
        return []
    if np.nanmax(number) > 2099:
        return []
    return [table.problem(row, "warning", "number", "years", column="evening")]


def _restart(table: Table, number: np.ndarray) -> list[Problem]:
    """A warning if an evening comes again, where rows stand together by evening.

    Not of a single row: that may be one who was forgotten.
    """
    first = np.flatnonzero(np.diff(number, prepend=np.nan))
    together = np.diff(first, append=len(number)) > 1
    back = np.flatnonzero(np.diff(number[first]) < 0) + 1
    if not len(back) or together.mean() < 0.8:
        return []
    before, after = np.split(number[first], back[:1])
    if not (np.isin(after, before) & together[back[0] :]).any():
        return []
    return [table.problem(first[back[0]], "warning", "order", "restart", column="evening")]
