"""What the headings of people's tables mean, in German and English."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain

from ..rules import CHIP_SET
from ..words import Problem
from .cells import Table, clean_name
from .days import MONTHS
from .rows import PlainRows, Rows

# So many rows may stand above the header of a host's sheet.
HEAD_ROWS = 30
# Header words by the column they mean, compared without case, blanks and punctuation.
_HEADERS = {
    "evening": "evening eveningno eveningnumber abend spielabend abendnr abendnummer",
    "date": "date datum spieltag",
    "start": "start beginn uhrzeit",
    "host": "host gastgeber gastgeberin",
    "place": "place ort austragungsort",
    "player": "player playername playernickname spieler spielerin spielername name wer",
    "entries": "entries einstiege einstieg anzahleinstiege",
    "buy_in_chips": "buyinchips buyin einkauf einsatz",
    "chips_out": "chipsout chipsende chips endchips chipsbeiausstieg chipsbeimausstieg cashout "
    "chipsatexit",
    "result": "result ergebnis spielergebnis abendergebnis bilanz kapitalbilanz net",
    "note": "note notes notiz bemerkung anmerkung kommentar",
    "licence": "licence license lizenz lizenznummer lizenznr",
    "issued": "issued ausgestellt ausgestelltam ausstellungsdatum",
    "aliases": "aliases alias aliasse aliasnamen",
    "when": "when wann",
    "what": "what was",
    "why": "why warum",
}
# Words that mean a column only where no heading above stands for it; what the cells of
# `buy_ins`, `rebuys` and `roi` are, they say themselves.
_ELSE = {
    "evening": "session gameid",
    "chips_out": "endstand stand final payout endstack stackamende chipsamende raus auszahlung "
    "ausgezahlt ausbezahlt amende amschluss schluss chipsamschluss",
    "result": "gewinn gewinnverlust gv netto nettogewinn profit profitloss plusminus",
    "buy_ins": "buyins rein eingezahlt einzahlung",
    "rebuys": "rebuys rebuy",
    "roi": "roi",
}


def _by_word(headers: dict[str, str]) -> dict[str, str]:
    return {text: column for column, words in headers.items() for text in words.split()}


_COLUMN_OF, _ELSE_OF = _by_word(_HEADERS), _by_word(_ELSE)
# Chips counted by colour: "weiß", "weiß 10", "white (10)".
COLOURS = {chip.colour: chip.value for chip in CHIP_SET}
_ENGLISH = {"weiß": "white", "rot": "red", "blau": "blue", "grün": "green", "gelb": "yellow"}
_COLUMN_OF |= {
    text + value: chip.colour
    for chip in CHIP_SET
    for name in (chip.colour, _ENGLISH[chip.colour])
    for text in {name.casefold(), name.replace("ü", "ue").casefold()}
    for value in ("", str(chip.value))
}
AMOUNTS = {"entries", "buy_in_chips", "chips_out", "result", "buy_ins", "rebuys", *COLOURS}
# What a line above the table, or a sheet's name, may say of the evening: "Gastgeber: Änne".
PLACES = ("evening", "date", "start", "host", "place")
EVENING = re.compile(
    r"(?:(?:spiel)?abend|spieltag|evening|session|game)?(?: ?nr\.?| ?#)? ?(\d{1,4})", re.IGNORECASE
)
# A row or column so called adds up the others, or says something else of them.
SUMS = frozenset(
    ("summe", "summen", "gesamt", "gesamtsumme", "gesamtergebnis", "total", "totals", "sum")
    + ("ergebnis", "result", "grandtotal", "insgesamt", "ges", "overall", "σ", "∑")
)
MEANS = frozenset(("schnitt", "durchschnitt", "mittelwert", "average", "mean", "avg"))
TOTALS = frozenset(
    (SUMS - {"ergebnis", "result"})
    | {"zwischensumme", "prüfsumme", "kontrolle", "kontrollsumme", "saldo", "differenz"}
    | {"subtotal", "checksum", "check", "control", "diff", "spanne", "maximum", "minimum"}
    | {"checksumme", "quersumme", "prüfung", "probe"}
    | {f"{word}{end}" for word in ("beste", "schlechteste") for end in ("", "r", "s")}
    | MEANS
)
# What else a column says of its rows: who or what was the first.
STATISTICS = frozenset(
    "sieger siegerin tagessieger gewinner winner beste best schlechteste worst".split()
)
# Columns of numbers that are no results.
_NO_RESULT = (
    TOTALS
    | STATISTICS
    | {
        *("nr", "no", "nummer", "number", "lfd", "lfdnr", "id", "tisch", "table", "jahr", "year"),
        *("rang", "platz", "platzierung", "rank", "pos", "position", "prozent", "percent", "pct"),
        *("roi", "session", "gameid", "spiele", "abende", "games", "evenings", "sitz", "seat"),
        *("teilnahmen", "anzahl", "gespielt"),
    }
)


# What is carried over from another table is no evening's; nor is what balances one a player.
_CARRIED = re.compile(r"übertrag|uebertrag|vortrag|carry|carried", re.IGNORECASE)
_BALANCING = frozenset(
    ("rest", "bank", "hausbank", "kasse", "haus", "house", "ausgleich", "rundung", "korrektur")
    + ("rundungsdifferenz", "rake", "pot", "adjustment", "balance", "rounding", "trinkgeld", "tips")
)
# A heading or cell by which a row may not count.
_STATUS = re.compile(
    r"\b(?:status|storn|abgesagt|annull|(?:un)?gültig|(?:in)?valid\b|cancel|void\b|gestrichen"
    r"|ausgefallen|entfäll|entfallen|gewertet|wertung|zählt)",
    re.IGNORECASE,
)
# The heading of a part of a table.
_PART = re.compile(
    rf"(?:tisch|table|gruppe|group) ?\w{{1,2}}|(?:{'|'.join(chain(*MONTHS))})(?: \d{{4}})?",
    re.IGNORECASE,
)
# In place of amounts: who was not there. "x" may also be who was, "n/a" who is not known of.
_ABSENT = re.compile(
    r"(?P<dash>[-–—−/]{1,3})|(?P<word>abw(?:esend|\.)?|nicht (?:da|dabei|gespielt)"
    r"|entsch(?:uldigt|\.)?|absent|dnp)",
    re.IGNORECASE,
)


@lru_cache(maxsize=10_000, typed=True)
def word(header) -> str:
    """A heading without case, blanks and punctuation."""
    text = clean_name(header).casefold()
    return "plusminus" if re.fullmatch(r"\+ ?/? ?[-−–]|±", text) else re.sub(r"[\W_]", "", text)


def column_of(header) -> str | None:
    """The canonical column a heading means; None if it means none, as one of percentages."""
    return None if "%" in str(header) else _COLUMN_OF.get(word(header))


def columns_of(headers: list, once: bool = True) -> list[str | None]:
    """The columns that the headings of a table mean, None where one means none.

    Of the words that people have for a column else, with `once`, only the first counts.
    """
    columns = list(map(column_of, headers))
    for k, header in enumerate(headers):
        other = _ELSE_OF.get(word(header))
        if columns[k] is None and not (once and other in columns):
            columns[k] = other
    return columns


def nearly(header) -> str | None:
    """The column whose word a heading is but for a slip of the pen, "Speiler"; None if of none."""
    words = _ELSE_OF | _COLUMN_OF
    return words.get(next(iter(get_close_matches(word(header), words, 1, 0.8)), None))


def known_as(table: Table, headers: dict[str, str]) -> Table:
    """A table with more of its columns known: the words of their headings, by column."""
    column_meant = _by_word(headers)
    cells, others = dict(table.cells), []
    for name, column in table.others:
        known = column_meant.get(word(name))
        if known and known not in cells:
            cells[known] = column
        else:
            others.append((name, column))
    return replace(table, cells=cells, others=tuple(others))


def is_total(text) -> bool:
    """Whether a row or column by its name adds up the others, or says else what they come to."""
    return word(text) in TOTALS or clean_name(text) in TOTALS or is_carried(text)


def says_a_name(text: str) -> bool:
    """Whether a text may be somebody's name: it has letters, and is no heading and no total."""
    return any(map(str.isalpha, text)) and not column_of(text) and not is_total(text)


def is_carried(text) -> bool:
    """Whether a text speaks of what is carried over from another table."""
    return _CARRIED.match(clean_name(text)) is not None


def is_balancing(text) -> bool:
    """Whether a name may be that of what brings an evening to zero: Rest, Bank, Kasse."""
    return word(text) in _BALANCING


def is_status(text) -> bool:
    """Whether a heading or a cell may say that a row does not count: Status, storniert."""
    return _STATUS.search(clean_name(text)) is not None


def absence(cell) -> str:
    """By a "dash" or a "word" a cell may say that somebody was not there; "" if it does not."""
    match = _ABSENT.fullmatch(clean_name(cell))
    return match.lastgroup if match else ""


def says_no_result(header) -> bool:
    """Whether a heading is one of numbers that are no results: rank, running number, percent."""
    return word(header) in _NO_RESULT or "%" in str(header)


def evening_in(cell) -> int | None:
    """The number of an evening in a cell: 3 of "3" and "Abend 3"; None if there is none."""
    match = EVENING.fullmatch(clean_name(cell))
    return int(match[1]) if match else None


def label(cell) -> tuple[str | None, str]:
    """Column and value of a label: date and 7.2.2025 of "Datum: 7.2.2025"; None if it is none."""
    text = clean_name(cell)
    if (match := EVENING.fullmatch(text)) and not text.isdigit():
        return "evening", match[1]
    label, _, value = text.partition(":")
    column = column_of(label)
    return (column, value.strip()) if column in PLACES else (None, "")


@dataclass(frozen=True)
class Layout:
    """A sheet as a results table.

    Attributes
    ----------
    header : tuple of (int, list)
        Line and headings.
    rows : Rows
    totals : Rows
        What by its name adds up others, under the same header.
    problems : list of Problem
        What was not taken, and what it may have meant.
    others : list of (str, Sequence)
        Columns that were not taken, as sent; of those that add up others no cells.
    """

    header: tuple[int, Sequence]
    rows: Rows
    totals: Rows = ()
    problems: list[Problem] = field(default_factory=list)
    others: list[tuple[str, Sequence]] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Rows) -> "Layout":
        """Rows with their header on top."""
        return cls(rows[0], rows[1:])


def about(
    severity: str, key: str, file: str, line: int | None = None, code: str = "column", **values
) -> Problem:
    """A problem with how a file is laid out."""
    return Problem(severity, code, key, line=line, file=file, values=values)


def cell_at(row: list, j: int | None):
    return row[j] if j is not None and j < len(row) else ""


def without_totals(rows: Rows, at: int, twins: set[str], file: str):
    """Rows of players, rows that by their name are totals, and hints about those.

    And about rows of one cell that only part the table: "Tisch 1", "Januar 2026".
    """
    plain = isinstance(rows, PlainRows)
    called = {*rows.columns[at]} if plain else {cell_at(row, at) for _, row in rows}
    called = {name: bool(_total([name], 0, twins) or _parts([name])) for name in called}
    if "" not in called and not any(called.values()):
        return rows, [], []
    body, totals, hints = [], [], []
    for line, row in rows:
        name = cell_at(row, at)
        if (name == "" or called[name]) and (text := _total(row, at, twins)):
            totals.append((line, row))
            hints.append(about("hint", "total_row", file, line, text=text))
        elif (name == "" or called[name]) and (text := _parts(row)):
            hints.append(about("hint", "parts", file, line, text=text))
        else:
            body.append((line, row))
    return body, totals, hints


def _total(row, at: int, twins: set[str]) -> str:
    """The word by which the name, or without one any cell, says that the row adds up others.

    Or by which the row of totals is called like the column of totals.
    """
    name = clean_name(cell_at(row, at))
    if column_of(name) == "result":
        return name
    words = [name] if name else [clean_name(cell) for cell in row if isinstance(cell, str)]
    return next((text for text in words if text and (is_total(text) or word(text) in twins)), "")


def _parts(row) -> str:
    """The only cell of a row, if it heads the part of a table below; else ""."""
    texts = [text for text in map(clean_name, row) if text]
    return texts[0] if len(texts) == 1 and _PART.fullmatch(texts[0]) else ""
