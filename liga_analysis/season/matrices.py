"""Tables with a row per player and a column, or several, per evening."""

import re
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from ..words import DataError, Problem
from .cells import Covered, clean_name
from .chat import refuse_chat_below
from .cumulated import running
from .days import date_of, days_of, why_no_date
from .headings import (
    AMOUNTS,
    HEAD_ROWS,
    MEANS,
    STATISTICS,
    SUMS,
    Layout,
    about,
    cell_at,
    column_of,
    columns_of,
    evening_in,
    is_total,
    says_a_name,
    without_totals,
    word,
)
from .names import is_placeholder, name_key
from .rows import Rows
from .totals import made_of
from .values import MOST_TOLD, plain_numbers

# A heading that is meant as a date, understood or not: "9.1.", "31.02.2026", "9.1.26 (bei Ben)".
LIKE_A_DATE = re.compile(r"\d\s*[-/.]\s*\d|^\d{1,2}\.?\s*[^\W\d]{3,}|[^\W\d]{3,}\.?\s*\d{1,2},")

# A heading with the host: "09.01.2026 (bei Anna)".
_HOSTED = re.compile(r"(.*?\S) ?[(\[]?\bbei ([^()\[\]]+?)[)\]]?")


class _Evening(NamedTuple):
    """An evening of a matrix: its number and/or date, and where its amounts stand."""

    place: dict[str, object]
    cells: dict[str, int]


def across(rows: Rows, file: str) -> tuple[Rows, Layout] | None:
    """A list of players, or a matrix with its evenings across, and the rows above.

    Raises
    ------
    DataError
        If two columns stand for one evening or are both of players, or one is called like a date
        and is none.
    """
    heads = [(k, *_amounts_and_evenings(rows, k, file)) for k in range(min(len(rows), HEAD_ROWS))]
    used = {k - 1 for k, *_, used in heads if used}
    heads = [head for head in heads if head[0] not in used]
    named = [head for head in heads if "player" in head[1] and (head[2] or AMOUNTS & {*head[1]})]
    head = next(iter(named or [head for head in heads if head[2]]), None)
    if head is None or (not named and any(map(_is_of_players, rows[: head[0]]))):
        return None
    k, columns, evenings, problems, used = head
    if any(p.severity == "error" for p in problems):
        raise DataError(*problems)
    at = columns.index("player") if "player" in columns else 0
    dated = _takes_dates(evenings, at, rows, k + 1)
    above = rows[: k - (used or _takes_dates(evenings, at, rows, k - 1))]
    taken = {at, *(j for one in evenings for j in one.cells.values())}
    line, header = rows[k]
    if used:  # what stands above a blank is its heading
        pairs = zip_longest(header, rows[k - 1][1][: len(header)], fillvalue="")
        header = [cell if clean_name(cell) else other for cell, other in pairs]
    twins = {word(c) for j, c in enumerate(header) if evenings and j not in taken} - {""}
    below = rows[k + 1 + dated :]
    refuse_chat_below(rows[k], below, file)
    body, totals, hints = without_totals(below, at, twins, file)
    layout = Layout((line, header), body, totals, [*problems, *hints])
    if evenings:
        _refuse_blocks(layout, at, evenings, file)
        layout = _melted(layout, at, evenings, file)
    return above, layout


def _is_of_players(row: tuple[int, list]) -> bool:
    """Whether a row may be the header of a table with a column per player."""
    timed = {"date", "evening"} & {*map(column_of, row[1])}
    return bool(timed) and sum(map(says_a_name, map(clean_name, row[1]))) > 1


def _refuse_blocks(layout: Layout, at: int, evenings: list[_Evening], file: str) -> None:
    """Raise if a matrix has a second column of players before some evenings, or a second header."""
    (line, header), where = layout.header, sorted(j for one in evenings for j in one.cells.values())
    people = [clean_name(cell) for cell in header if column_of(cell) == "player"]
    for j in (j for j in range(at + 1, where[-1]) if not clean_name(cell_at(header, j))):
        pairs = [
            (clean_name(cell_at(row, at)), clean_name(cell_at(row, j))) for _, row in layout.rows
        ]
        names = [other for _, other in pairs if other.replace(" ", "").isalpha()]
        differ = any(other not in (name, "") for name, other in pairs)
        if differ and len({*names}) == len(names) > 1:
            people = [clean_name(header[at]) or f"({at + 1})", f"({j + 1})"]
    if len(people) > 1:
        raise DataError(about("error", "two_blocks", file, line, columns=people))
    for at_line, row in layout.rows:
        cells = [cell for cell in (cell_at(row, j) for j in where) if clean_name(cell)]
        again = column_of(cell_at(row, at)) == "player"
        if cells and (again or (len(cells) > 1 and all(map(date_of, cells)))):
            raise second_header(cells, at_line, file)
        texts = {j: text for j, cell in enumerate(row) if (text := clean_name(cell))}
        words = at not in texts and all(any(map(str.isalpha, text)) for text in texts.values())
        if words and any(not clean_name(cell_at(header, j)) for j in texts):
            facts = {"columns": [*dict.fromkeys(texts.values())]}
            raise DataError(about("error", "sub_headings", file, at_line, **facts))


def second_header(cells: list, line: int, file: str) -> DataError:
    text = ", ".join(filter(None, map(clean_name, cells)))[:80]
    return DataError(about("error", "second_header", file, line, text=text))


def _amounts_and_evenings(rows: Rows, k: int, file: str):
    """The columns of a row as a header; the evenings if it is a matrix's, and doubts about them.

    And whether the evenings stand in the row above.
    """
    cells = rows[k][1]
    columns, every = columns_of(cells), columns_of(cells, once=False)
    above = columns_of(rows[k - 1][1]) if k else []
    at = next((row.index("player") for row in (columns, above) if "player" in row), 0)
    if "player" in above and AMOUNTS & {*every} and not clean_name(cell_at(cells, at)):
        columns[at : at + 1] = ["player"]
    named = AMOUNTS & {*columns}
    twice = "player" in above or any(every.count(column) > 1 for column in AMOUNTS)
    if "player" in columns and k and twice:
        evenings, problems = _evenings_above(rows[k - 1], {at}, every, file)
        return columns, evenings, problems, bool(evenings)
    if not named <= {"result"} or not ("player" in columns or not clean_name(cells[0])):
        return columns, [], [], False
    known = {j for j, column in enumerate(columns) if column} | {at}
    places, problems = _evenings_in(rows[k], known, file)
    if not places and named:
        return columns, [], [], False
    return columns, [_Evening(place, {"result": j}) for j, place in places.items()], problems, False


def _evenings_above(row: tuple[int, list], known: set[int], columns: list, file: str):
    """The evenings that a row says, each with its amounts in the row below, and doubts."""
    places, problems = _evenings_in(row, known, file)
    stops = [j for j, cell in enumerate(row[1]) if clean_name(cell)]
    evenings: list[_Evening] = []
    for j, place in places.items():
        group = range(j, min([len(columns), *(stop for stop in stops if stop > j)]))
        cells = {columns[i]: i for i in group if columns[i] in AMOUNTS}
        if evenings and evenings[-1].place == place and not evenings[-1].cells.keys() & cells:
            evenings[-1].cells.update(cells)
        else:
            evenings.append(_Evening(place, cells))
    return [one for one in evenings if one.cells], problems


def _evenings_in(row: tuple[int, list], known: set[int], file: str):
    """The evenings that the headings of a row are, by column, judged together, and doubts."""
    line, cells = row
    hosts = {j: m for j, cell in enumerate(cells) if (m := _HOSTED.fullmatch(clean_name(cell)))}
    cells = [hosts[j][1] if j in hosts else cell for j, cell in enumerate(cells)]
    free = {j: cell for j, cell in enumerate(cells) if clean_name(cell) and j not in known}
    numbered = {j: evening_in(cell) for j, cell in free.items()}
    places = {j: {"evening": number} for j, number in numbered.items() if number}
    like = [j for j, cell in free.items() if date_of(cell) or LIKE_A_DATE.search(clean_name(cell))]
    like = [j for j in like if j not in places]
    days, month_first, other = days_of([free[j] for j in like])
    places |= {
        j: {"date": day.isoformat() if month_first or other else cells[j]}
        for j, day in zip(like, days, strict=True)
        if day
    }
    for j in {*hosts} & {*places}:
        places[j]["host"] = hosts[j][2]
    problems = [
        about("error", why_no_date(text, "heading_date"), file, line, "date", text=text[:80])
        for j in like
        if j not in places and (text := clean_name(cells[j]))
    ]
    if differ := [k for k, day in enumerate(other or ()) if day != days[k]]:
        facts = {"value": days[k := differ[0]], "other": other[k]}
        facts["text"] = clean_name(cells[like[k]])
        problems.append(about("warning", "date_order", file, line, "date", **facts))
    elif month_first:
        facts = {"text": clean_name(cells[like[0]]), "value": str(days[0])}
        problems.append(about("hint", "month_first", file, line, "date", **facts))
    if len(problems) > 1 and not places:
        places = {like[0]: {"date": ""}}  # a matrix all the same; the problems say why not
    return dict(sorted(places.items())), problems


def _takes_dates(evenings: list[_Evening], at: int, rows: Rows, k: int) -> bool:
    """Give numbered evenings the dates that a row above or below their numbers has, if it has."""
    cells = rows[k][1] if evenings and 0 <= k < len(rows) else []
    where = [next(iter(one.cells.values())) for one in evenings]
    there = {j for j, cell in enumerate(cells) if clean_name(cell) and j != at}
    named = at < len(cells) and clean_name(cells[at]) and column_of(cells[at]) != "date"
    if not there or named or not there <= set(where):
        return False
    days = days_of([cells[j] for j in where if j in there]).days
    if not all(days) or any("date" in one.place for one in evenings):
        return False
    for one, j in zip(evenings, where, strict=True):
        if j in there:
            one.place["date"] = days.pop(0).isoformat()
    return True


def _melted(layout: Layout, at: int, evenings: list[_Evening], file: str) -> Layout:
    """A row per player and evening that is noted, and doubts about the columns not taken."""
    line, cells = layout.header
    seen = {}
    for one in evenings:
        for kind, value in one.place.items():
            if kind == "host":
                continue
            same = (kind, date_of(value) if kind == "date" else int(value))
            if seen.setdefault(same, one) is not one:
                twice = [clean_name(cells[min(e.cells.values())]) for e in (seen[same], one)]
                raise DataError(about("error", "double", file, line, columns=twice))
    kinds = sorted({kind for one in evenings for kind in one.place})
    amounts = list(dict.fromkeys(column for one in evenings for column in one.cells))

    def long(rows: Rows) -> Rows:
        return [
            (at_line, [cell_at(row, at), *(one.place.get(kind, "") for kind in kinds), *noted])
            for at_line, row in rows
            for one in evenings
            if any(map(is_noted, noted := [cell_at(row, one.cells.get(c)) for c in amounts]))
        ]

    taken = {at, *(j for one in evenings for j in one.cells.values())}
    width = max(len(row) for _, row in [layout.header, *layout.rows])
    rest = [j for j in range(width) if j not in taken]
    simple = [one.cells["result"] for one in evenings if set(one.cells) == {"result"}]
    values = numbers([row for _, row in layout.rows], [*simple, *rest])
    results, unread = np.split(values, [len(simple)], axis=1)
    known = results if len(simple) == len(evenings) else None
    rest = dict(zip(rest, unread.T, strict=True))
    problems, others, added = about_rest(layout, at, rest, known, False, file)
    if known is not None and not added:
        names = [clean_name(cell_at(row, at)) for _, row in layout.rows]
        problems += running(results, names, file, line)
        absent = np.flatnonzero(np.isnan(values).all(axis=1))[:MOST_TOLD]
        problems += [
            about("hint", "absent", file, layout.rows[k][0], "absent", player=names[k])
            for k in absent
        ]
    problems += names_again([(at_line, cell_at(row, at)) for at_line, row in layout.rows], file)
    header = (line, ["player", *kinds, *amounts])
    problems = [*layout.problems, *problems]
    return Layout(header, long(layout.rows), long(layout.totals), problems, others)


def is_noted(cell) -> bool:
    return bool(clean_name(cell)) or type(cell) is Covered


def names_again(named: list[tuple], file: str) -> list[Problem]:
    """Warnings about names that have two rows or columns: two persons of one name, or one."""
    first, problems = {}, []
    for line, cell in named:
        if not (name := name_key(str(cell))) or is_placeholder(name):
            continue
        if name in first:
            facts = {"player": clean_name(cell), "other": first[name]}
            problems.append(about("warning", "name_again", file, line, "name", **facts))
        first.setdefault(name, line)
    return problems


def about_rest(
    layout: Layout, at: int, rest: dict[int, np.ndarray], results, even: bool, file: str
) -> tuple[list[Problem], list[tuple[str, list]], bool]:
    """Doubts about the other columns of a matrix, those left unread, and whether any are sums.

    Rows are named by column `at`; their `results` are None where amounts make them. What should be
    `even` is judged elsewhere.
    """
    cells, body = layout.header[1], layout.rows
    problems, left, added = [], [], False
    for j, amounts in rest.items():
        name, noted = clean_name(cell_at(cells, j)), ~np.isnan(amounts)
        column = [cell_at(row, j) for _, row in body]
        fits = np.zeros((1, len(body)), bool) if results is None else made_of(amounts, results)
        made = fits[:, noted].all(1) & noted.any()
        added |= made[0]
        sums = word(name) in SUMS or column_of(name) == "result"
        kinds = slice(1) if sums else slice(4) if word(name) in MEANS else slice(None)
        fits = fits[kinds].any(0) | ((amounts == 0) & (even or not sums))
        named = results is not None and (sums or is_total(name) or word(name) in STATISTICS)
        if named and (noted & ~fits).any():
            at_line, row = body[k := int(np.argmax(noted & ~fits))]
            facts = {"text": name, "name": clean_name(cell_at(row, at)), "value": float(amounts[k])}
            facts["sum"] = float(np.nansum(results[k]))
            problems.append(about("warning", "column_differs", file, at_line, **facts))
        elif name or any(map(clean_name, column)):
            left.append((name or f"({j + 1})", [] if made.any() or named else column))
    return problems, left, added


def numbers(rows: list[list], columns: list[int]) -> np.ndarray:
    """The numbers in some columns, judged together, to compare; NaN where a cell holds none."""
    cells = [cell_at(row, j) for row in rows for j in columns]
    values, _ = plain_numbers(cells)
    return values.reshape(len(rows), len(columns))
