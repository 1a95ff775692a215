"""Tables as they are written: cells canonical, nothing lost, opened by spreadsheets as meant."""

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from .cells import Table
from .values import amounts, dates, evening_numbers

_DATES = ("date", "issued", "when")
# A spreadsheet takes text that begins so for a formula; an apostrophe marks it as text.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def canonical(table: Table | None, columns: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All that a file of the season says, its numbers and dates in canonical form.

    What is not understood stays as it is written, so that an evening in error survives, and so
    do columns the season does not know.

    Parameters
    ----------
    table : Table or None
        As read; None for a file that is not there or empty.
    columns : list of str
        Those the file has anyway.

    Returns
    -------
    known, others : DataFrame
        Columns by canonical names, `columns` first, and those with other headers; one row each
        per row of the file.
    """
    if table is None:
        return pd.DataFrame(columns=columns, dtype=object), pd.DataFrame()
    understood = {"evening": evening_numbers(table), **amounts(table)}
    understood |= {column: dates(table, column) for column in _DATES}
    order = [*columns, *(c for c in table.cells if c not in columns)]
    known = pd.DataFrame({column: table.column(column).cells for column in order}, dtype=object)
    for column in understood.keys() & set(order):
        values, bad = understood[column]
        kept = bad | table.column(column).blank
        known[column] = known[column].where(kept, pd.Series(values).astype(object))
    others = [pd.Series(column.cells, dtype=object, name=name) for name, column in table.others]
    return known, pd.concat(others, axis=1) if others else pd.DataFrame(index=known.index)


def separator_of(table: Table | None, language: str) -> str:
    """The separator a file has; of a new one, in German, what German Excel splits at."""
    if table is not None and table.separator:
        return table.separator
    return ";" if language == "de" else ","


def file_text(known: pd.DataFrame, others: pd.DataFrame, separator: str = ",") -> bytes:
    """A file of the season, with rows added or taken out of `known`; in UTF-8 with BOM.

    Beside ";" decimals have a comma: German Excel takes 1.5 for the first of May.
    """
    kept = others.reindex(known.index)
    whole = pd.concat([known, kept], axis=1) if len(others.columns) else known
    return csv_text(whole, separator, "," if separator == ";" else ".").encode("utf-8-sig")


def csv_text(table: pd.DataFrame, separator: str = ",", decimal: str = ".") -> str:
    """A table as CSV: ISO dates, whole numbers without ".0", all digits of the others."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.itertuples(index=False):
        writer.writerow([_cell(value, decimal) for value in row])
    return out.getvalue()


def _cell(value, decimal: str) -> str:
    if isinstance(value, str):
        guard = "'" if _FORMULA.match(value) else ""
        return guard + value.replace("\r", " ")  # the csv module leaves "\r" unquoted
    if isinstance(value, (list, tuple)):
        return _cell(", ".join(map(str, value)), decimal)
    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return value.date().isoformat()
    if isinstance(value, float) and value % 1 == 0:
        return str(int(value))
    if not isinstance(value, float):
        return str(value)
    head, point, tail = str(value).partition(".")
    # A zero more, so that nobody takes the three places of 234.567 for thousands.
    return head + point.replace(".", decimal) + tail + ("0" if len(tail) == 3 else "")


@contextmanager
def naming(path: Path, part: Path | None = None) -> Iterator[None]:
    """What cannot be written is this, where the system names nothing, as on a full disk, or the
    part of it that nobody knows.
    """
    try:
        yield
    except OSError as error:
        if error.errno and (not error.filename or error.filename == str(part)):
            error.filename = str(path)
        raise


def write_bytes(data: bytes, path: Path) -> None:
    """Put a file in place whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with naming(path, part):
            with open(part, "xb") as file:  # never through a link
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
