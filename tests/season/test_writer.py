"""Writing tables for spreadsheets, read back by pandas, by csv and by the league's own reader."""

import csv
import errno
import io
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import read_table

from liga_analysis.season.cells import clean_name
from liga_analysis.season.values import numbers
from liga_analysis.season.writer import csv_text, write_bytes


def test_cells():
    """ISO dates, whole numbers without ".0", all digits of the others, blanks where undefined."""
    table = pd.DataFrame(
        {
            "date": pd.to_datetime(["2025-01-10", None]),
            "entries": pd.array([1, None], "Int64"),
            "chips": [2000.0, 0.1 + 0.2],
            "players": [["Anna", "Ben"], []],
            "ranked": [True, False],
        }
    )
    assert csv_text(table) == (
        "date,entries,chips,players,ranked\n"
        '2025-01-10,1,2000,"Anna, Ben",True\n'
        ",,0.30000000000000004,,False\n"
    )


def test_german_dialect():
    """With ";" and a decimal comma a German spreadsheet reads the numbers as numbers."""
    table = pd.DataFrame({"player": ["A;B"], "rating": [-1234.5], "total": [1e6]})
    assert csv_text(table, ";", ",") == 'player;rating;total\n"A;B";-1234,5;1000000\n'


@pytest.mark.parametrize(
    "name", ['=HYPERLINK("x")', "+49 30", "-Ben", "@SUM(A1)", "=1+1;2", "\t=1", "\r=1", "'=1"]
)
def test_no_cell_is_a_formula(name):
    """A text that a spreadsheet would calculate stands behind an apostrophe."""
    (_, (cell,)) = csv.reader(io.StringIO(csv_text(pd.DataFrame({"player": [name]})), newline=""))
    assert cell[0] not in "=+-@\t\r"
    assert cell.endswith(name.replace("\r", " "))


@given(
    st.lists(
        st.tuples(
            # "Ã" begins what was encoded twice, which is refused
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="Ã")).filter(
                clean_name
            ),
            st.floats(-1e9, 1e9) | st.integers(-(10**9), 10**9),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_round_trip(tmp_path, rows):
    """Whatever name and number is written comes back as the same name and the same number."""
    rows = [(clean_name(name).lstrip("' "), number) for name, number in rows]
    rows = [row for row in rows if row[0] and row != ("player", "result")]
    if not rows:
        return
    path = tmp_path / "t.csv"
    path.write_text(csv_text(pd.DataFrame(rows, columns=["player", "result"])), "utf-8-sig")
    table = read_table(path)
    assert table.words("player") == [name for name, _ in rows]
    assert not table.problems
    cells = [*table.cells["result"].cells, "0.5"]  # decimals point the other cells' way
    read = numbers(table.having(result=cells), "result", whole=False)[0]
    assert read[:-1].tolist() == [float(x) for _, x in rows]


def test_whole_or_not_at_all(tmp_path, monkeypatch):
    """When writing fails, the old file stays and nothing else is left behind."""
    path = tmp_path / "t.txt"
    write_bytes(b"alt", path)

    def full_disk(_):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space left") as error:
        write_bytes(b"neu", path)
    assert error.value.filename == str(path)  # where the system names none
    assert path.read_text() == "alt"
    assert list(tmp_path.iterdir()) == [path]


def test_numpy_values():
    """Numbers of numpy look like numbers, never like their type."""
    table = pd.DataFrame([[np.float64(0.5), np.int64(3), np.nan, np.inf]], columns=list("abcd"))
    assert csv_text(table.astype(object)) == "a,b,c,d\n0.5,3,,inf\n"
