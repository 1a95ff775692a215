"""Plain files as rows of cells, whatever encoding, separator and quotes a program gave them."""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, islice

from ..words import DataError, Problem
from .cells import clean_name
from .headings import HEAD_ROWS, columns_of
from .rows import PlainRows, Rows, TooManyCells

_CONTROL = bytes({*range(32)} - {*range(9, 14)})
_SEPARATORS = ";,\t|"
# A row may be so wide, and what a file holds in memory so many bytes.
MAX_COLUMNS, MAX_MEMORY = 16_384, 800_000_000
_ROW, _CELL = 128, 62
# Letters of DOS, Mac, Central Europe and of broken UTF-8, where they are read as Windows-1252.
_MISREAD = re.compile(
    r"\ufffd|Ã[^A-Za-z\s]|£(?=[^\W\d_])|[^\W\d_](?:[§¤¢‡ƒ„‚]|[”“†‰‹›™•€¨˜¥¶³¿](?=[^\W\d_]))"
    r"|[a-zà-ÿ][ŠŽŸ]|[A-Z][ŠŽŸ](?=[a-zà-ÿ])"
)
# And UTF-8 that was taken for Windows-1252 when it was made.
_TWICE = re.compile("Ã[\u0080-\u00bfŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]")
_LINE, _BREAK = re.compile(r"[^\r\n]+"), re.compile(r"\r\n|\r|\n")
_MERGE = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?:[ ;,\t].*)?$", re.MULTILINE)


def text_rows(data: bytes, file: str) -> tuple[Rows, str, str]:
    """The rows that are not blank, the separator the header speaks for, and the encoding.

    Raises
    ------
    DataError
        If it is no text, its encoding would spoil names, it holds two versions of what was merged,
        or a quotation mark is not closed.
    TooManyCells
        If it has more than MAX_COLUMNS columns, or takes more than MAX_MEMORY.
    """
    text, encoding = _text(data, file)

    def lines(skipped: int) -> Iterator[str]:
        return islice(io.StringIO(text, newline=""), skipped, None)

    # Excel's own first line
    own = re.match(r"sep=.?(\r|\n|$)", text, re.IGNORECASE) is not None
    # The header may stand below lines such as "Datum;07.02.2025": it has the most known words.
    filled = (line[0][:1_000_000] for line in _LINE.finditer(text) if line[0].strip(" \t;,|"))
    head = [*islice(filled, own, own + HEAD_ROWS)] or [""]
    header = max(head, key=lambda line: max(_known(line.split(s)) for s in _SEPARATORS))
    separator = max(_SEPARATORS, key=lambda s: (_known(header.split(s)), header.count(s)))
    try:
        rows = _plain_rows(text, separator, own) or list(_rows(lines(own), separator, own, file))
    except csv.Error as error:
        if "field larger" in str(error):
            raise TooManyCells from None
        line = own + _bad_line(csv.reader(lines(own), delimiter=separator, strict=True))
        raise DataError(Problem("error", "column", "quotes", line=line, file=file)) from None
    return rows, separator if separator in header else "", encoding


def _text(data: bytes, file: str) -> tuple[str, str]:
    """The text of a file and its encoding: UTF-16 by its BOM, else UTF-8, else Windows-1252."""
    encoding = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "UTF-8-sig"
    for half, name in ((1, "UTF-16-LE"), (0, "UTF-16-BE")):  # without a mark of their order
        if data[:200] and 0 in data[:200] and data[half:200:2].count(0) > 0.8 * len(data[:200]) / 2:
            encoding = name
    try:
        text = data.decode(encoding)
        plain = data if encoding == "UTF-8-sig" else text.encode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("Windows-1252", "replace")  # five bytes mean nothing there
        plain = data if encoding == "UTF-8-sig" else b"\0"
        encoding = "Windows-1252"
    controls = len(plain) - len(plain.translate(None, _CONTROL))
    if controls > 0.05 * len(plain) or plain.startswith(b"%PDF"):
        raise DataError(Problem("error", "encoding", "binary", file=file))
    if controls:
        raise _refused(file, "control", text, re.search(f"[{_CONTROL.decode()}]", text).start())
    spoilt = _MISREAD if encoding == "Windows-1252" else _TWICE
    if not text.isascii() and (misread := spoilt.search(text)):
        raise _refused(file, "misread", text, misread.start())
    if any(mark in text and 7 * mark in text for mark in "<=>|") and (merge := _MERGE.search(text)):
        raise _refused(file, "merge", text, merge.start())
    return text, encoding


def _refused(file: str, key: str, text: str, at: int) -> DataError:
    """An error about what stands there in a text: its line and the word."""
    line = len(_BREAK.findall(text[:at])) + 1
    line_start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    word = (
        re.split(r"[;,\t|\r\n]", text[line_start:at])[-1] + re.split(r"[;,\t|\r\n]", text[at:])[0]
    )
    facts = {"text": clean_name(word)[:80]}
    return DataError(Problem("error", "encoding", key, line=line, file=file, values=facts))


def _plain_rows(text: str, separator: str, skipped: bool) -> PlainRows | None:
    """The rows of a text without quotes, all as wide and none blank; None of any other."""
    text = text.replace("\r\n", "\n") if "\r" in text else text
    text = (text.partition("\n")[2] if skipped else text).removesuffix("\n")
    rows = text.count("\n") + 1
    width, uneven = divmod(text.count(separator) + rows, rows)
    # What is rare is looked for first: a single letter is found at once.
    quoted = any(m[-1] in text and m in text for m in ('"', "\r", f"{separator}'", "\n'"))
    if quoted or uneven or not 1 < width < MAX_COLUMNS or rows * width * _CELL > MAX_MEMORY:
        return None
    # Where every row is as wide, its end is always the next cell.
    cells = text.replace("\n", f"{separator}\n{separator}").split(separator)
    if cells[width :: width + 1].count("\n") != rows - 1:
        return None
    columns = [cells[k :: width + 1] for k in range(width)]
    if not any(all(map(str.strip, column)) for column in columns):
        return None  # a row may be blank
    return PlainRows(range(skipped + 1, skipped + 1 + rows), columns)


def _rows(
    lines: Iterator[str], separator: str, skipped: int, file: str
) -> Iterator[tuple[int, tuple]]:
    """(line, cells) of the rows that hold anything."""

    def narrow() -> Iterator[str]:
        for line in lines:
            if len(line) > MAX_COLUMNS and line.count(separator) >= MAX_COLUMNS:
                raise TooManyCells
            yield line

    reader = csv.reader(narrow(), delimiter=separator, strict=True)
    size, line = 0, skipped + 1
    while block := list(islice(reader, 4096)):
        size += sum(map(len, block)) * _CELL + len(block) * _ROW
        if size > MAX_MEMORY:
            raise TooManyCells
        # A row may go on over several lines.
        ends = accumulate((_lines_in(row) for row in block), initial=line)
        line, width = reader.line_num + skipped + 1, max(map(len, block))
        for at, row in zip(ends, block, strict=False):
            if any(_holds_a_row(cell, separator, width) for cell in row):
                raise DataError(Problem("error", "column", "quotes_rows", line=at, file=file))
            if any(map(clean_name, row)):
                yield at, tuple(row)


def _bad_line(reader) -> int:
    """The line on which the row begins that is no CSV."""
    line = 1
    with suppress(csv.Error):
        for _ in reader:
            line = reader.line_num + 1
    return line


def _lines_in(row: list[str]) -> int:
    return 1 + sum(len(_BREAK.findall(cell)) for cell in row)


def _holds_a_row(cell: str, separator: str, width: int) -> bool:
    """Whether a cell reaches as far as the same place of a later row, by its separators."""
    breaks = len(_BREAK.findall(cell))
    return breaks > 0 and width > 1 and cell.count(separator) >= breaks * (width - 1)


def _known(headers: list[str]) -> int:
    return sum(column is not None for column in columns_of(headers[:MAX_COLUMNS]))
