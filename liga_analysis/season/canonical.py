"""A season's files as they are written: every cell canonical, nothing that stood there lost."""

import numpy as np
import pandas as pd

from .cells import Table, clean_name, dates
from .protocol import amounts, evening_numbers
from .writer import csv_text

_DATES = ("date", "issued", "when")


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
    known = pd.DataFrame({column: table.column(column) for column in order}, dtype=object)
    for column in order:
        if column in understood:
            values, bad = understood[column]
            kept = bad | np.array([not clean_name(cell) for cell in known[column]])
            values = pd.Series(values).astype(object)
            known[column] = known[column].where(kept, values)
    return known, table.others.reset_index(drop=True)


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
