"""Lines as somebody writes them into a chat."""

import re

from ..words import DataError
from .cells import clean_name
from .days import days_in
from .headings import AMOUNTS, Layout, about, columns_of, is_total, label, without_totals
from .names import name_key
from .rows import PlainRows, Rows

# What somebody writes into a chat: "Anna 2 5150", "Anna: 2 Einstiege, 5150 Chips", "Ben: +150".
_CHAT = (
    (
        re.compile(
            r"([^\W\d_][^,;:]*?)[\s:,;–-]+(\d{1,2})(?: ?(?:Einstiege?|entry|entries)\b)?"
            r"(?:[\s,;x]+|\s[–-]\s)(\d[\d.']*)(?: ?Chips)?",
            re.IGNORECASE,
        ),
        ("entries", "chips_out"),
    ),
    (
        re.compile(
            r"([^\W\d_][^,;:]*?)[\s:]+((?:[-+−–]\s?\d[\d.,']*|0)(?: ?(?:€|euro?\b))?)",
            re.IGNORECASE,
        ),
        ("result",),
    ),
)
# What a messenger's export puts before: "[12.03.27, 23:58] Anna: ", "12/3/27, 11:58 PM - Anna: ".
_CHAT_HEAD = re.compile(
    r"\[?\d{1,4}[-./]\d{1,2}[-./]\d{1,4},? \d{1,2}:\d{2}(?::\d{2})?(?: [AP]M)?(?:\]| -) [^:]+: ",
    re.IGNORECASE,
)
# What somebody puts before a name: its rank, a medal, a bullet.
_RANK = re.compile(
    r"(?:(?:Platz |Rang )?\d{1,2} ?[.):]?|[\U0001F947-\U0001F949•*–-]) *(?=[^\W\d_])"
)
# A number that may be a result is none of these: "12.2.27", "12.2.", "23:58", "20 Uhr".
_DAY_OR_TIME = re.compile(r"\d{1,4}[-./]\d{1,2}[-./](?:\d{2,4})?|\d{1,2}:\d{2}|\d{1,2} Uhr")
_NUMBER = re.compile(r"\d[\d.,']*")


def chat(rows: Rows, file: str) -> tuple[Rows, Layout] | None:
    """Lines as somebody writes them into a chat, "Anna 2 5150", and those above them.

    What a messenger puts before a line, time and sender, says nothing of the player; a greeting
    holds no number and is named.

    Raises
    ------
    DataError
        If some of the lines cannot be read; each is named.
    """
    lines, texts = [line for line, _ in rows], _chat_texts(rows)
    matches = {columns: [pattern.fullmatch(text) for text in texts] for pattern, columns in _CHAT}
    amounts, matched = max(matches.items(), key=lambda item: sum(map(bool, item[1])))
    columns, count = ("player", *amounts), sum(map(bool, matched))
    first = next((k for k, match in enumerate(matched) if match), len(matched))
    said = [bool(label(text)[0]) or _is_title(text) for text in texts[:first]]
    labels = sum(said)
    plain = labels == first or (count > 2 and 2 * count >= len(matched) - labels)
    partly = 3 * count >= len(matched) - labels and all(
        len([*filter(None, row)]) < 2 for _, row in rows
    )
    if count < 2 or not (plain or partly):
        return None
    facts = {"text": texts[first][:80], "columns": "|".join(columns)}
    hints = [about("hint", "chat", file, lines[first], **facts)]
    names = {name_key(match[1]) for match in matched if match}
    above, body, errors = [], [], []
    for k, (line, text, match) in enumerate(zip(lines, texts, matched, strict=True)):
        heading = tuple(filter(None, columns_of(text.split())))
        if match:
            body.append((line, match.groups()))
        elif k < first and said[k]:
            above.append(rows[k])
        elif is_total(re.split(r"[\s:]", text)[0]):
            hints.append(about("hint", "total_row", file, line, text=text[:80]))
        elif (
            not plain
            or not _says_no_result(_DAY_OR_TIME.sub("", text), names)
            or ("player" in heading and AMOUNTS & {*heading} and heading != columns)
        ):
            facts = {"text": text[:80], "other": texts[first][:80]}
            errors.append(about("error", "chat_line", file, line, **facts))
        elif heading == columns:
            hints = [hint for hint in hints if hint.key != "chat"]
        else:
            hints.append(about("hint", "chat_skipped", file, line, text=text[:80]))
    if errors:
        raise DataError(*errors)
    body, totals, doubts = without_totals(body, 0, set(), file)
    return above, Layout((lines[first], [*columns]), body, totals, [*hints, *doubts])


def _is_title(text: str) -> bool:
    """Whether a line names a day and holds no other number."""
    days = days_in(text)
    return len(days) == 1 and not _NUMBER.search(text.replace(days[0], ""))


def _says_no_result(text: str, names: set[str]) -> bool:
    """Whether a line holds no number, or one small one amid words: "noch 4 Flaschen übrig".

    Not where one of the names is in it, or a word for entries or chips; nor a number that chips
    may come to.
    """
    amounts, words = _NUMBER.findall(text), text.split()
    if not amounts:
        return True
    plain = [word for word in words if not _NUMBER.search(word)]
    aside = len(amounts) == 1 and re.fullmatch("[1-9]?[1-9]", amounts[0]) and len(plain) > 2
    about_play = AMOUNTS & {*columns_of(words)} or any(
        f" {n} " in f" {name_key(text)} " for n in names
    )
    return bool(aside) and plain[-1] == words[-1] and not about_play


def _chat_texts(rows: Rows) -> list[str]:
    """What the rows say as lines of a chat, without time and sender, and without a name's rank."""
    texts = [", ".join(filter(None, map(clean_name, row))) for _, row in rows]
    texts = [_CHAT_HEAD.sub("", text) for text in texts]
    bare = (_RANK.sub("", text, count=1) if _RANK.match(text) else text for text in texts)
    return [
        named if any(pattern.fullmatch(named) for pattern, _ in _CHAT) else text
        for text, named in zip(texts, bare, strict=True)
    ]


def refuse_chat_below(header: tuple[int, list], body: Rows, file: str) -> None:
    """Raise if the lines below a header are as in a chat, not cut as the header is."""
    if isinstance(body, PlainRows) or sum(map(bool, map(clean_name, header[1]))) < 2:
        return
    single = [(k, row) for k, row in body if sum(map(bool, map(clean_name, row))) == 1]
    texts = dict(zip((k for k, _ in single), _chat_texts(single), strict=True))
    like = [k for k, text in texts.items() if any(p.fullmatch(text) for p, _ in _CHAT)]
    if like and 2 * len(like) > len(body):
        text = texts[like[0]][:80]
        facts = {"text": text, "cut": ";".join(text.split())}
        raise DataError(about("error", "chat_below", file, like[0], **facts))
