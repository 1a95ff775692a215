"""Tables with a row per evening and a column per player."""

import numpy as np

from .cells import clean_name
from .cumulated import running
from .days import date_of
from .headings import (
    HEAD_ROWS,
    PLACES,
    Layout,
    about,
    absence,
    cell_at,
    column_of,
    is_total,
    says_no_result,
    without_totals,
)
from .matrices import about_rest, is_noted, names_again, numbers, second_header
from .rows import Rows
from .totals import made_of


def down(rows: Rows, file: str) -> tuple[Rows, Layout] | None:
    """A table with a row per evening and a column per player, and the rows above."""
    for k, (line, cells) in enumerate(rows[:HEAD_ROWS]):
        columns = [column_of(cell) for cell in cells]
        key = next((j for j, c in enumerate(columns) if c in ("date", "evening")), None)
        body = rows[k + 1 :]
        if key is None and cells and not clean_name(cells[0]):
            first = [cell_at(row, 0) for _, row in body if clean_name(cell_at(row, 0))]
            key = 0 if first and all(date_of(c) or is_total(c) for c in first) else None
        amounts = {"player", "entries", "buy_in_chips", "chips_out"} & {*columns}
        if key is None or amounts:
            continue
        places = {j: c for j, c in enumerate(columns) if c in (*PLACES, "note")}
        places[key] = columns[key] or "date"
        body, totals, hints = without_totals(body, key, {"max", "min"}, file)  # no names there
        if _is_sum(body, key):
            hints.append(about("hint", "sums_without_date", file, body[-1][0]))
            body = body[:-1]
        sent = [row for _, row in body]
        for at, row in body:
            if column_of(cell_at(row, key)) == places[key]:
                raise second_header(row, at, file)
        free = [j for j in range(max(map(len, [cells, *sent]))) if j not in places]
        names = {j: clean_name(cell_at(cells, j)) for j in free}
        cells_of = {j: {clean_name(cell_at(row, j)) for row in sent} - {""} for j in free}
        noted = {j for j in free if not all(map(absence, cells_of[j]))}
        values = dict(zip(free, numbers(sent, free).T, strict=True))
        there = {j for j in free if not np.isnan(values[j]).all()}
        people = [j for j in free if column_of(names[j]) != "result" and names[j]]
        people = [j for j in people if not says_no_result(names[j])]
        days = [clean_name(cell_at(row, key)) for row in sent]
        players = [j for j in people if j in there]
        # A column of text may be that of the players, and then the others are their amounts.
        if (noted - there) & {*people} or len({*days}) < len(days) or len(players) < 2:
            continue
        results = np.array([values[j] for j in players])
        rest = {j: values[j] for j in free if j not in players}
        doubts, left, _ = about_rest(Layout((line, cells), body), key, rest, results.T, True, file)
        hints += doubts + running(results, [names[j] for j in players], file, line)
        hints += names_again([(line, cells[j]) for j in players], file)
        header = [*places.values(), "player", "result"]
        long, sums = (
            [
                (at, [*(cell_at(row, j) for j in places), cells[j], cell_at(row, j)])
                for at, row in part
                for j in players
                if is_noted(cell_at(row, j))
            ]
            for part in (body, totals)
        )
        return rows[:k], Layout((line, header), long, sums, hints, left)
    return None


def _is_sum(rows: Rows, key: int) -> bool:
    """Whether the last row has no date and adds up the others, or says else what they come to."""
    if len(rows) < 2 or clean_name(cell_at(rows[-1][1], key)):
        return False
    columns = [j for j, cell in enumerate(rows[-1][1]) if clean_name(cell)]
    values = numbers([row for _, row in rows], columns)
    return len(columns) > 1 and made_of(values[-1], values[:-1].T).all(1).any()
