"""Writing tables that spreadsheets open as they are meant: no lost umlauts, no formulas."""

import csv
import io
import os
import re
from pathlib import Path

import pandas as pd

# A spreadsheet takes text that begins so for a formula; an apostrophe marks it as text.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


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


def write_bytes(data: bytes, path: Path) -> None:
    """Put a file in place whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with open(part, "xb") as file:  # never through a link
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
