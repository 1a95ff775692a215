"""Generated evenings and mutated files, from the host's sheet to the season and back."""

import csv
import io
import random
import re
import shutil
import tempfile
from datetime import date, timedelta
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from liga_analysis import load_season, save_season
from liga_analysis.desk.files import season_lock, store
from liga_analysis.desk.recording import Given, prepare
from liga_analysis.desk.sheets import host_sheet
from liga_analysis.rules import CHIP_SET
from liga_analysis.season.cells import clean_name
from liga_analysis.season.names import name_key
from liga_analysis.season.roster import is_name
from liga_analysis.season.writer import csv_text
from liga_analysis.words import DataError

TODAY = date(2026, 12, 31)

NAMES = st.one_of(
    st.sampled_from(
        "Änne Jürgen علي ‏דניאל 👩‍🚀 -Ben 'x O'Neil".split()
        + ["Zoë  Groß", "🃏 Ass"]
        + ["A;B", 'der "Fuchs"', "Anna, die Erste", "50 Cent", "NaN", "None", "Einstiege"]
    ),
    st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="|"),
        min_size=1,
        max_size=12,
    ),
)


def _is_person(name):
    name = clean_name(name)
    return is_name(name) and not re.search(r"\(abend", name, re.I)


@st.composite
def evenings(draw):
    """Date, and (name, entries, chips) of each player; the chips on the table are those bought."""
    names = draw(
        st.lists(NAMES.filter(_is_person), min_size=2, max_size=8, unique_by=lambda n: name_key(n))
    )
    entries = [draw(st.integers(1, 3)) for _ in names]
    left, seats = 200 * sum(entries), []
    for k, (name, count) in enumerate(zip(names, entries, strict=True)):
        chips = left if k == len(names) - 1 else draw(st.integers(0, left))
        left -= chips
        seats.append((name, count, 10 * chips))
    day = date(2026, 1, 1) + timedelta(days=draw(st.integers(0, 364)))
    return day, draw(st.permutations(seats))


NUMBERS = {
    "plain": str,
    "dots": lambda n: f"{n:,}".replace(",", "."),
    "commas": lambda n: f"{n:,}",
    "blanks": lambda n: f"{n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
    "apostrophes": lambda n: f"{n:,}".replace(",", "’"),
    "decimals": lambda n: f"{n:,}".translate(str.maketrans(",", ".")) + ",0",
    "float": lambda n: f"{n}.0",
}
DATES = ["%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%Y-%m-%d 20:30:00"]


def csv_sheet(draw, day, seats):
    """The evening as CSV of some dialect, its columns in any order."""
    separator = draw(st.sampled_from(";,\t|"))
    write = NUMBERS[draw(st.sampled_from(sorted(NUMBERS)))]
    shown = day.strftime(draw(st.sampled_from(DATES)))
    columns = {
        draw(st.sampled_from(["Datum", "date"])): lambda seat: shown,
        draw(st.sampled_from(["Spieler", "player", "NAME"])): lambda seat: seat[0],
        draw(st.sampled_from(["Einstiege", "entries"])): lambda seat: str(seat[1]),
        draw(st.sampled_from(["Chips", "Chips (Ende)", "chips_out"])): lambda seat: write(seat[2]),
        draw(st.sampled_from(["Laune", "Tisch"])): lambda seat: "gut",
    }
    if draw(st.booleans()):
        columns["Ergebnis"] = lambda seat: str(seat[2] - 2000 * seat[1])
    order = draw(st.permutations(sorted(columns)))
    out = io.StringIO()
    end = draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(out, delimiter=separator, lineterminator=end)
    writer.writerow(order)
    writer.writerows([columns[c](seat) for c in order] for seat in seats)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    try:
        data = out.getvalue().encode(encoding)
        # Windows-1252 that happens to be UTF-8 is read as UTF-8 by anybody.
        assume(encoding != "cp1252" or data.isascii() or not _is_utf8(data))
    except UnicodeEncodeError:
        data = out.getvalue().encode()
    return data, "abend.csv"


def _is_utf8(data):
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False


def excel_sheet(draw, season, day, seats):
    """The product's own sheet, filled in with chips by colour or in total."""
    book = openpyxl.load_workbook(io.BytesIO(host_sheet(season, 99)))
    sheet = book.active
    sheet["B2"] = draw(st.sampled_from([day, day.strftime("%d.%m.%Y")]))
    first = next(row[0].row for row in sheet.iter_rows(max_col=1) if row[0].value == "Spieler") + 1
    sheet.insert_rows(first, len(seats))
    for row, (name, entries, chips) in enumerate(seats, first):
        sheet.cell(row, 1, name).data_type = "s"
        sheet.cell(row, 2, entries)
        if draw(st.booleans()):
            for k, chip in reversed(list(enumerate(CHIP_SET, 3))):
                count = chips // chip.value if k == 3 else draw(st.integers(0, chips // chip.value))
                sheet.cell(row, k, count)
                chips -= count * chip.value
        else:
            sheet.cell(row, 8, chips)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue(), "abend.xlsx"


def truth(seats):
    rows = [[clean_name(name), n, chips, chips - 2000 * n] for name, n, chips in seats]
    return sorted(rows, key=lambda row: name_key(row[0]))


def stored(folder):
    rows = load_season(folder).results
    rows = rows[["player", "entries", "chips_out", "result"]].to_numpy(object).tolist()
    return sorted(rows, key=lambda row: name_key(row[0]))


def record(folder, data, name):
    path = folder.parent.parent / name
    path.write_bytes(data)
    with season_lock(folder):
        store(prepare(folder, [path], Given(), TODAY))


@settings(max_examples=settings().max_examples // 5)  # each is an evening twice recorded
@given(evenings(), st.data())
def test_no_chip_changes(evening, data):
    """Sheet → record → season → export → record: every chip and name stays what it was."""
    day, seats = evening
    root = Path(tempfile.mkdtemp())
    try:
        one, two = root / "liga" / "1", root / "andere" / "2"
        season = save_season(one, "Eins")
        save_season(two, "Zwei")
        if data.draw(st.booleans()):
            sheet = csv_sheet(data.draw, day, seats)
        else:
            sheet = excel_sheet(data.draw, season, day, seats)
        record(one, *sheet)
        assert stored(one) == truth(seats)
        season = load_season(one)
        assert season.evenings["date"].tolist() == [pd.Timestamp(day)]
        dialect = data.draw(st.sampled_from([(",", "."), (";", ",")]))
        record(two, csv_text(season.results, *dialect).encode("utf-8-sig"), "export.csv")
        assert stored(two) == truth(seats)
    finally:
        shutil.rmtree(root)


# Mutants

ORIGINAL = (
    "Datum;Gastgeber;Spieler;Einstiege;Chips\r\n"
    "20.02.2026;Zoë;Änne;2;2.500\r\n20.02.2026;Zoë;Ben;1;0\r\n"
    '20.02.2026;Zoë;"Carl; der Große";1;3.100\r\n20.02.2026;Zoë;Dora;3;8.400\r\n'
).encode()
NUMBERS_OF = [(1, 0), (1, 3100), (2, 2500), (3, 8400)]


def mutant(seed: int) -> bytes:
    """The original with bytes changed, lost, doubled or moved."""
    chance, data = random.Random(seed), bytearray(ORIGINAL)
    for _ in range(chance.choice([1, 1, 1, 2, 4, 16])):
        at, kind = chance.randrange(len(data)), chance.randrange(6)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at] = chance.choice(b";,.\t\n\r\"'0123456789-+ ")
        elif kind == 2:
            del data[at : at + chance.choice([1, 1, 3, 20])]
        elif kind == 3:
            data.insert(at, chance.choice(b';,.\n"0159- \xa0\x00\xe2'))
        elif kind == 4:
            part = data[at : at + chance.randrange(1, 30)]
            data[chance.randrange(len(data)) : 0] = part
        else:
            other = chance.randrange(len(data))
            data[at], data[other] = data[other], data[at]
    return bytes(data)


def plainly(data: bytes) -> list[tuple[int, int]] | None:
    """Entries and chips as anybody reads them in a file that still has its form; else None."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    try:
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=";")
        rows = [row for row in rows if any(cell.strip() for cell in row)]
        places = [header.index(name) for name in ("Einstiege", "Chips")]
        found = [[re.sub(r"[.\s]", "", row[k]) for k in places] for row in rows]
        return sorted((int(n or 0), int(chips or 0)) for n, chips in found if n or chips)
    except (ValueError, IndexError, csv.Error):
        return None


@pytest.fixture(scope="module")
def empty_season(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mutants") / "liga" / "2026"
    save_season(folder, "Mutanten")
    return folder


@pytest.mark.parametrize("n", [60, pytest.param(10_000, marks=pytest.mark.soak)])
def test_mutants(empty_season, n):
    """A mutated file is refused in a sentence or read right; never another number in silence."""
    path = empty_season.parent / "mutant.csv"
    refused = read = 0
    for seed in range(n):
        path.write_bytes(mutant(seed))
        try:
            recording = prepare(empty_season, [path], Given(), TODAY)
        except DataError as error:
            refused += len(str(error)) > 0
            continue
        rows = recording.after.results
        found = sorted(zip(rows["entries"].tolist(), rows["chips_out"].tolist(), strict=True))
        assert found in (NUMBERS_OF, plainly(path.read_bytes())), (seed, found)
        read += 1
    assert refused + read == n
    assert min(refused, read) > n / 40
