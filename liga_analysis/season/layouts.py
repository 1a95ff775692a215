"""What hosts' sheets look like, brought under one header: lines above, matrices, total rows."""

import re

from ..rules import CHIP_SET
from ..words import DataError, Problem
from .cells import clean_name, date_of
from .reader import HEAD_ROWS, Rows, column_of

# What a line above the table may say of the evening: "Gastgeber: Änne".
HEADINGS = ("evening", "date", "start", "host", "place")
_AMOUNTS = {"entries", "buy_in_chips", "chips_out", "result", *(chip.colour for chip in CHIP_SET)}
_EVENING = re.compile(r"(?:(?:spiel)?abend|evening)?(?: ?nr\.?)? ?(\d{1,4})", re.IGNORECASE)
# No player is called so: the row or column adds up the others.
TOTALS = frozenset(
    ("summe", "summen", "gesamt", "gesamtsumme", "zwischensumme", "prüfsumme", "kontrolle")
    + ("kontrollsumme", "saldo", "differenz", "schnitt", "durchschnitt", "mittelwert")
    + ("total", "totals", "sum", "average", "mean", "σ", "∑")
)


def arranged(rows: Rows, file: str) -> tuple[Rows, list[Problem]] | None:
    """A host's sheet as the rows of a results table.

    Lines above the header that name the evening, date, start, host or place become columns, a
    matrix (a row per player, a column per evening) becomes a row per result, and rows of totals
    are left out.

    Returns
    -------
    tuple or None
        The rows, header first, and hints about what was not taken; None if no row is a header.

    Raises
    ------
    DataError
        If two columns of a matrix stand for one evening.
    """
    headers = [_Header(cells) for _, cells in rows[:HEAD_ROWS]]
    candidates = [k for k, header in enumerate(headers) if header.named]
    candidates += [k for k, header in enumerate(headers) if header.evenings]
    if not candidates:
        return None
    k = candidates[0]
    at, evenings = headers[k].player, headers[k].evenings
    given, hints = _headings(rows[:k], file)
    body, dropped = [], []
    for line, row in rows[k + 1 :]:
        (dropped if _total(row, at) else body).append((line, row))
    hints += [_hint("total_row", file, line, text=_total(row, at)) for line, row in dropped]
    header = rows[k]
    if evenings:
        header, body, ignored = _melted(header, body, at, evenings, file)
        if ignored:
            hints.append(_hint("unknown", file, header[0], columns=ignored))
    columns = [column_of(cell) for cell in header[1]]
    added = {column: value for column, value in given.items() if column not in columns}
    body = [(line, [*added.values(), *row]) for line, row in body]
    return [(header[0], [*added, *header[1]]), *body], hints


class _Header:
    """A row as a header: where the players are, and the evenings if it is a matrix's.

    `named` if it says which column holds the players; a matrix may leave that corner blank.
    """

    def __init__(self, cells):
        columns = [column_of(cell) for cell in cells]
        amounts = _AMOUNTS & set(columns)
        self.player = columns.index("player") if "player" in columns else 0
        self.evenings = {}
        cornered = "player" in columns or not clean_name(cells[0])
        if cornered and amounts <= {"result"}:  # a matrix's "Ergebnis" is a total
            numbered = ((k, _EVENING.fullmatch(clean_name(cell))) for k, cell in enumerate(cells))
            found = {k: ("evening", match[1]) for k, match in numbered if match}
            found |= {k: ("date", cell) for k, cell in enumerate(cells) if date_of(cell)}
            self.evenings = dict(sorted(found.items()))
        self.named = "player" in columns and bool(amounts or self.evenings)


def _hint(key: str, file: str, line: int, **values) -> Problem:
    return Problem("hint", "column", key, line=line, file=file, values=values)


def _total(row, at: int) -> str:
    """The word by which the name, or without one any cell, says that the row adds up others."""
    name = clean_name(row[at]) if at < len(row) else ""
    words = [name] if name else [clean_name(cell) for cell in row]
    return next((word for word in words if word.casefold().rstrip(": ") in TOTALS), "")


def _headings(rows: Rows, file: str) -> tuple[dict, list[Problem]]:
    """What the lines above the header say of the evening, and hints about the others."""
    given, hints = {}, []
    for line, row in rows:
        cells = [cell for cell in row if clean_name(cell)]
        labels = [_label(cell) for cell in cells]
        for k, (cell, (column, value)) in enumerate(zip(cells, labels, strict=True)):
            follows = k + 1 < len(cells) and labels[k + 1][0] is None
            if column:
                given.setdefault(column, value or (cells[k + 1] if follows else ""))
            elif k == 0 or labels[k - 1][0] is None or labels[k - 1][1]:
                hints.append(_hint("above", file, line, text=clean_name(cell)[:80]))
    return {column: value for column, value in given.items() if clean_name(value)}, hints


def _label(cell) -> tuple[str | None, str]:
    """Column and value of a label: date and 7.2.2025 of "Datum: 7.2.2025"; None if it is none."""
    text = clean_name(cell)
    if (match := _EVENING.fullmatch(text)) and not text.isdigit():
        return "evening", match[1]
    label, _, value = text.partition(":")
    column = column_of(label)
    return (column, value.strip()) if column in HEADINGS else (None, "")


def _melted(header, body: Rows, at: int, evenings: dict, file: str):
    """A row per player and evening that is noted; the headers of columns not taken."""
    line, cells = header
    seen = {}
    for k, (kind, value) in evenings.items():
        other = seen.setdefault((kind, date_of(value) if kind == "date" else int(value)), k)
        if other != k:
            told = {"columns": [clean_name(cells[other]), clean_name(cells[k])]}
            raise DataError(Problem("error", "column", "double", line=line, file=file, values=told))
    kinds = sorted({kind for kind, _ in evenings.values()})
    rows = []
    for at_line, row in body:
        player = row[at] if at < len(row) else ""
        for k, (kind, value) in evenings.items():
            if k < len(row) and clean_name(row[k]):
                place = [value if kind == one else "" for one in kinds]
                rows.append((at_line, [player, *place, row[k]]))
    ignored = [clean_name(c) for k, c in enumerate(cells) if k not in evenings and k != at]
    return (line, ["player", *kinds, "result"]), rows, list(filter(None, ignored))
