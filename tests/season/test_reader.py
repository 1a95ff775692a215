"""Reading tables of every dialect; the truth is typed beside the input."""

import io
import zipfile
from datetime import date, datetime

import openpyxl
import pytest
from samples import ods, ods_cell, read_table

from liga_analysis.season import reader, workbooks
from liga_analysis.season.reader import unread
from liga_analysis.season.values import dates, numbers
from liga_analysis.words import DataError

NBSP, NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
SHORT = 10_000  # rows of a sheet, a hundredth: what has more is refused as soon
ROWS = [["evening", "player", "result"], ["1", "Jürgen", "150"], ["1", "Zoë", "-150"]]


@pytest.fixture
def table(tmp_path):
    """Read a table from text, bytes or rows (a workbook)."""

    def read(content, *required, name=None):
        path = tmp_path / (name or ("t.xlsx" if isinstance(content, list) else "t.csv"))
        if isinstance(content, list):
            book = openpyxl.Workbook()
            for row in content:
                book.active.append(row)
            book.save(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, required or ("player",))

    return read


# Dialects


def dialect(separator=",", newline="\n", start="", encoding="utf-8"):
    return (start + newline.join(separator.join(row) for row in ROWS)).encode(encoding)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (dialect(), []),
        (dialect(encoding="utf-8-sig"), []),
        (dialect(newline="\r\n"), []),
        (dialect(newline="\r"), []),
        (dialect(";"), []),
        (dialect("\t"), ["separator"]),
        (dialect("|"), ["separator"]),
        (dialect(";", "\r\n", "sep=;\r\n"), []),
        (dialect(";", "\r", "sep=;\r"), []),
        (dialect(";", "\r\n", "sep=;\r\n", "utf-8-sig"), []),
        (dialect(";", encoding="cp1252"), ["encoding"]),
        (dialect("\t", encoding="utf-16"), ["encoding", "separator"]),
        (dialect(encoding="utf-16-be", start="\ufeff"), ["encoding"]),
        (dialect(encoding="utf-16-le"), ["encoding"]),
        (dialect(encoding="utf-16-be"), ["encoding"]),
        (b"\n\n" + dialect() + b"\n,,\n \n", []),
        (dialect().replace(b"Zo", b'"Zo').replace(b"\xab,", b'\xab",'), []),
    ],
)
def test_dialects(table, content, told):
    """Separator, encoding and line ends change nothing but the hints."""
    read = table(content)
    columns = zip(*ROWS, strict=True)
    assert {n: list(c.cells) for n, c in read.cells.items()} == {n: c for n, *c in columns}
    assert [p.key for p in read.problems] == told
    assert {p.severity for p in read.problems} <= {"hint"}


def test_lines_are_those_of_the_file(table):
    """Blank lines, "sep=" and line breaks inside quotes count as an editor counts them."""
    read = table('sep=,\n\nplayer,note\n\nA,"two\nlines"\n\nB,x\n')
    assert list(read.lines) == [5, 8]
    assert read.words("note") == ["two lines", "x"]


def test_comma_in_the_decimals_does_not_make_it_the_separator(table):
    """The separator is the one that makes known headings, not the most frequent character."""
    read = table("Abend;Name, Vorname;Spieler\n1;x;A\n")
    assert read.words("player") == ["A"]


@pytest.mark.parametrize(
    ("heading", "meant"),
    [
        ("Abend-Nr.", "evening"),
        ("SPIELTAG", "date"),
        ("Chips (Ende)", "chips_out"),
        ("Chips beim Ausstieg", "chips_out"),
        ("Spieler*in", "player"),
        ("Anzahl Einstiege", "entries"),
        ("buy_in_chips", "buy_in_chips"),
        ("Kapitalbilanz", "result"),
        ("Gast\xadgeber", "host"),
    ],
)
def test_headings(table, heading, meant):
    """German headings are understood without regard to case and punctuation, and that is told."""
    read = table(f"{heading};x\n7;8\n", meant)
    assert read.words(meant) == ["7"]
    assert "translated" in [p.key for p in read.problems] or heading == meant


@pytest.mark.parametrize(
    ("header", "line", "told"),
    [
        ("player,Laune,", "A,gut,x", ["hint: Laune, (3)"]),
        ("player,,", "A,,", []),
        ("player,Bonus,Laune,Rang", "A,50,gut,1", ["hint: Laune, Rang", "warning: Bonus"]),
    ],
)
def test_unread_columns(table, header, line, told):
    """A column nobody knows is told: a warning where it holds numbers that may be results."""
    problems = unread(table(f"{header}\n{line}\n"), results=True)
    assert [f"{p.severity}: {', '.join(p.values['columns'])}" for p in problems] == told


def test_short_rows_end_in_blanks(table):
    """Cells that a row leaves out at its end are blank."""
    assert table("player,result,note\nA\n").words("result") == [""]


def test_apostrophe_guard_is_taken_off(table):
    """An apostrophe that keeps a spreadsheet from calculating is not part of the cell."""
    assert table("player\n'=1+1\n'-\n'Hans\n").words("player") == ["=1+1", "-", "'Hans"]


# Workbooks


def test_workbook(table):
    """Numbers, dates and text of a workbook arrive as what they are."""
    rows = [["Datum", "Spieler", "Ergebnis"]]
    rows += [[datetime(2025, 1, 10, 20), "Änne", 1850.5], [date(2025, 1, 11), 7, -3]]
    rows += [["12.01.2025", "Zoë", "−1.234,5"], [None, None, None], ["2025-01-13", "Ben", "1.000"]]
    read = table(rows)
    assert list(read.lines) == [2, 3, 4, 6]
    assert read.words("player") == ["Änne", "7", "Zoë", "Ben"]
    days, bad = dates(read, "date")
    assert days.astype("datetime64[D]").astype(str).tolist() == [
        "2025-01-10",
        "2025-01-11",
        "2025-01-12",
        "2025-01-13",
    ]
    assert not bad.any()
    values, bad = numbers(read, "result", whole=False)
    assert values.tolist() == [1850.5, -3, -1234.5, 1000]
    assert not bad.any()


def test_workbook_sheet_with_known_heading(tmp_path):
    """The first sheet with a known heading is read, whatever stands before it."""
    book = openpyxl.Workbook()
    book.active.append(["Deckblatt"])
    book.create_sheet("leer")
    book.create_sheet("Ergebnisse").append(["player", "result"])
    book["Ergebnisse"].append(["Anna", 5])
    book.save(tmp_path / "mappe.xlsx")
    assert read_table(tmp_path / "mappe.xlsx").words("player") == ["Anna"]


def test_workbook_cells_that_are_no_numbers(table):
    """A truth value, a date and an error of a formula are no numbers."""
    read = table([["player", "result"], ["A", True], ["B", datetime(2025, 1, 1)], ["C", "#N/A"]])
    assert numbers(read, "result", whole=False)[1].all()


# What cannot be read


def bomb():
    """A zip whose one member says it unpacks to more than any sheet needs."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (reader.MAX_WORKBOOK_BYTES + 1))
    return data.getvalue()


def archive():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("hello.txt", "hello")
    return data.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv: Die Datei ist leer"),
        (b" \n\t\n", "t.csv: Die Datei ist leer"),
        (b"\xef\xbb\xbf", "t.csv: Die Datei ist leer"),
        (b";;;\n;;;\n", "t.csv: Die Datei ist leer"),
        (b"sep=;", "t.csv: Die Datei ist leer"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "lässt sich nicht lesen"),
        (b"player\x00,result\nA,1\n", "keine Tabelle"),
        ("Abend;Spieler\n1;Jürgen\n".encode("cp850"), "Zeile 2: „J\ufffdrgen“"),
        ("Abend;Spieler\n1;Bärbel\n".encode("mac_roman"), "Zeile 2: „BŠrbel“"),
        ("Abend;Spieler\n1;JÃ¼rgen\n", "Zeile 2: „JÃ¼rgen“"),
        (b"evening,player\n1,An\x01na\n", "Zeile 2: „Anna“ enthält ein unsichtbares"),
        (b"Spieler;9.1.26\nA;5\n=======;\nB;-5\n", "Zeile 3: Hier stehen zwei Fassungen"),
        (b"%PDF-1.7 rest", "keine Tabelle"),
        (b"\xff\xfea", "keine Tabelle"),
        (b"%PDF-1.7\nSpieler;Ergebnis\nA;1\n", "keine Tabelle"),
        (
            "Liebe Liga,\nalles gut?\n",
            r"Zeile 1: Keine bekannte Spaltenüberschrift \(gefunden: Liebe",
        ),
        ("player,result\n", "Zeile 1: Unter der Kopfzeile steht nichts"),
        (
            "evening,result\n1,5\n",
            r"Zeile 1: Die Spalte Spieler fehlt \(gefunden: Abend, Ergebnis\)",
        ),
        ("player,Spieler\nA,A\n", "Zeile 1: Zwei Spalten bedeuten dasselbe: player und Spieler"),
        (
            "player,result\nA,1\nplayer,result\nB,2\n",
            "Zeile 3: Die Kopfzeile steht hier ein zweites",
        ),
        ("player,result\nA,1,50\n", "Zeile 2: Die Zeile hat 3 Felder, die Kopfzeile 2"),
        ('player,result\nA,1\n"B,2\nC,3\n', "Zeile 3: Ein Anführungszeichen ist nicht geschlossen"),
        (
            'sep=,\nplayer,result\n"B,2\nC,3\n',
            "Zeile 3: Ein Anführungszeichen ist nicht geschlossen",
        ),
        (b"," * 200_000, "zu viele Zeilen oder Felder"),
        (b"player" + b"," * 20_000, "zu viele Zeilen oder Felder"),
        (b"PK\x03\x04 no zip", "Die Arbeitsmappe lässt sich nicht lesen"),
        (archive(), "Die Arbeitsmappe lässt sich nicht lesen"),
        ([[]], "t.xlsx: Die Datei ist leer"),
        ([["Deckblatt"]], r"t\.xlsx, Zeile 1: Keine bekannte Spaltenüberschrift"),
        ([["player"], ["A"], ["player"]], "Zeile 3: Die Kopfzeile steht hier"),
        (bomb(), "ist entpackt 50 MB groß, erlaubt sind 50 MB"),
    ],
)
def test_broken_input(table, content, message):
    """Each broken file is one error that names file, line and cure."""
    with pytest.raises(DataError, match=message) as error:
        table(content)
    (problem,) = error.value.problems
    assert problem.severity == "error"
    assert problem.file
    assert problem.code in ("encoding", "column")


def test_alternatives_of_a_needed_column(table):
    """Of columns that stand for each other, one is enough."""
    assert table("player,date\nA,2025-01-01\n", "player", "evening|date").words("date")
    with pytest.raises(DataError, match="Die Spalte Abend / Datum fehlt"):
        table("player,result\nA,1\n", "player", "evening|date")


def test_workbook_that_expands_without_end(table, tmp_path):
    """A workbook whose XML defines entities is refused."""
    table(ROWS, name="good.xlsx")
    evil = tmp_path / "evil.xlsx"
    with zipfile.ZipFile(tmp_path / "good.xlsx") as good, zipfile.ZipFile(evil, "w") as bad:
        for name in good.namelist():
            text = good.read(name)
            if name == "xl/worksheets/sheet1.xml":
                text = b'<!DOCTYPE x [<!ENTITY a "aa">]>' + text
            bad.writestr(name, text)
    with pytest.raises(DataError, match="Die Arbeitsmappe lässt sich nicht lesen"):
        read_table(evil)


# Open documents


def test_ods(table):
    """Numbers, dates, text and runs of equal cells and rows arrive as what they are."""
    header = "".join(map(ods_cell, ["Datum", "Spieler", "Ergebnis"]))
    note = "<office:annotation><text:p>Notiz</text:p></office:annotation>"
    row = ods_cell("10.01.25", "date", office_date_value="2025-01-10T20:00:00")
    row += ods_cell("Änne <text:span>Groß</text:span>").replace("<text:p>", note + "<text:p>", 1)
    row += ods_cell("1.850,50", "float", office_value="1850.5")
    blank = '<table:table-cell table:number-columns-repeated="2"/>'
    last = blank + ods_cell("−3", "currency", office_value="-3.0")
    read = table(
        ods(
            '<table:table><table:table-row table:number-rows-repeated="1000000"/></table:table>'
            f"<table:table><table:table-row>{header}<table:table-cell "
            'table:number-columns-repeated="16381"/></table:table-row>'
            f'<table:table-row table:number-rows-repeated="2">{row}</table:table-row>'
            f'<table:table-row table:number-rows-repeated="3">{blank}</table:table-row>'
            f"<table:table-row>{last}</table:table-row></table:table>"
        ),
        name="t.ods",
    )
    assert list(read.lines) == [2, 3, 7]
    assert read.words("player") == ["Änne Groß", "Änne Groß", ""]
    assert dates(read, "date")[0].astype("datetime64[D]").astype(str).tolist() == [
        "2025-01-10",
        "2025-01-10",
        "NaT",
    ]
    assert numbers(read, "result", whole=False)[0].tolist() == [1850.5, 1850.5, -3]


BROKEN = "Die Arbeitsmappe lässt sich nicht lesen"
ENDLESS = "zu viele Zeilen oder Felder"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("<table:table><table:table-row>", BROKEN),
        (f"<table:table-row>{ods_cell('x', 'float', office_value='x')}</table:table-row>", BROKEN),
        (
            '<table:table-row table:number-rows-repeated="999999999">'
            f"{ods_cell('player')}</table:table-row>",
            ENDLESS,
        ),
        (
            "<table:table-row>"
            f"{ods_cell('player', table_number_columns_repeated=999999999)}</table:table-row>",
            ENDLESS,
        ),
    ],
    ids=["broken", "number", "rows", "columns"],
)
def test_ods_that_cannot_be_read(table, monkeypatch, content, told):
    """A broken open document, or one that expands without end, is refused in a sentence."""
    monkeypatch.setattr(workbooks, "MAX_ROWS", SHORT)
    if content.startswith("<table:table-row"):
        content = f"<table:table>{content}</table:table>"
    with pytest.raises(DataError, match=told):
        table(ods(content), name="t.ods")


def test_ods_that_expands_without_end(table):
    """An open document whose XML defines entities is refused."""
    rows = f"<table:table-row>{ods_cell('player')}</table:table-row>"
    content = f"<table:table>{rows}<table:table-row>{ods_cell('A')}</table:table-row></table:table>"
    assert table(ods(content), name="t.ods").words("player") == ["A"]
    with pytest.raises(DataError, match=BROKEN):
        table(ods(content, '<!DOCTYPE x [<!ENTITY a "aa">]>'), name="t.ods")


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'r="A1"', b'r="XFD1"'), (b'<row r="3"', b'<row r="999999999"')],
    ids=["wide", "long"],
)
def test_workbook_with_a_cell_far_out(table, tmp_path, monkeypatch, old, new):
    """A cell at the end of the sheet costs no time; a row beyond every sheet is refused."""
    monkeypatch.setattr(workbooks, "MAX_ROWS", SHORT)
    table(ROWS, name="good.xlsx")
    far = tmp_path / "far.xlsx"
    with zipfile.ZipFile(tmp_path / "good.xlsx") as good, zipfile.ZipFile(far, "w") as made:
        for name in good.namelist():
            data = good.read(name)
            if name == "xl/worksheets/sheet1.xml":
                data = data.replace(b'ref="A1:C3"', b'ref="A1:XFD1048576"').replace(old, new, 1)
            made.writestr(name, data)
    if b"row" in old:
        with pytest.raises(DataError, match=ENDLESS):
            read_table(far)
    else:
        read_table(far, ("player",))


def test_no_file(tmp_path):
    """A folder, and a file beyond the documented limit, are refused before they are read."""
    with pytest.raises(DataError, match="keine Datei, die sich lesen lässt"):
        read_table(tmp_path)
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.truncate(reader.MAX_BYTES + 1)
    with pytest.raises(DataError, match="höchstens 200 MB"):
        read_table(path)
