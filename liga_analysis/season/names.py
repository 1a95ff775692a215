"""What a name says: which spellings are one person, who is a guest, who may be meant."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

import numpy as np

from .cells import clean_name

# Names alike to this degree, accents apart, may be one person: "Müller" and "Mueller".
ALIKE = 0.8

# A word of its own, alone or followed by a number, a name or brackets.
_PLACEHOLDER = re.compile(
    r".+ ?[(\[](?:gast|gästin|guest)[)\]]"
    r"|(?:gast|gästin|gäste|guests?|nn|unbekannte?r?|unknown|anonym(?:ous|us)?|n\. ?n\.?|\?+)"
    r"(?: ?\d+| ?[(\[].*|:? .*)?"
)
_AND = re.compile(r" ?[&+/] ?| (?:und|and|u\.) ")
# Letters of other alphabets by the Latin ones that they look like, in lower case.
_LOOKS = str.maketrans("авекмнорстухіјѕԁһԛԝαβεζηικμνορτυχγ", "abekmhopctyxijsdhqwabeznikmvoptuxy")
# As season.results shows a placeholder: "Gast (Abend 3)".
_SHOWN = re.compile(r"(.*?) \((?:Abend|evening) \d+\)", re.IGNORECASE)


def name_key(name: str) -> str:
    """What makes two spellings one player: the clean name without regard to case."""
    return clean_name(clean_name(name).casefold())


def is_placeholder(name: str) -> bool:
    """Whether a name stands for somebody unknown (Gast Tom, N.N., ?), a new one each evening."""
    return _PLACEHOLDER.fullmatch(name_key(name)) is not None


def as_written(name: str) -> str:
    """The "Gast" of "Gast (Abend 3)": a placeholder not as the season shows it but as written."""
    match = _SHOWN.fullmatch(name)
    return match[1] if match and is_placeholder(match[1]) else name


def alphabetical(name: str) -> tuple[str, str]:
    """Key for names in dictionary order: accents count only between otherwise equal names."""
    plain = "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
    return plain.casefold(), name


def alike(name: str, other: str) -> float:
    """How likely two names are one person's, in [0, 1]; 0 where they are not nearly equal.

    Nearly equal are names that are the same but for accents, that differ in two neighbouring
    letters changed round ("Bne", "Ben"), or by `ALIKE` and more. Digits tell names apart on
    purpose ("P01", "P02"), and equal names are one person anyway.
    """
    a, b = alphabetical(name)[0], alphabetical(other)[0]
    if name_key(name) == name_key(other):
        return 0.0
    if looks(name) == looks(other):
        return 1.0
    if a == b:
        return 1.0
    if _letters(a) == _letters(b):
        return 0.0
    likeness = SequenceMatcher(None, a, b).ratio()
    return likeness if likeness >= ALIKE else ALIKE * turned(a, b)


def looks(name: str) -> str:
    """The key of a name in the letters it looks like: Cyrillic and Greek ones as Latin."""
    return unicodedata.normalize("NFKC", name_key(name)).translate(_LOOKS)


def persons(name: str) -> list[str]:
    """Names of two persons in one: "Anna & Bernd", "Anna/Bernd"; of one there are none."""
    parts = [clean_name(part) for part in _AND.split(name)]
    return parts if len(parts) > 1 and all(parts) and not is_placeholder(name) else []


def _letters(key: str) -> str:
    return "".join(c for c in key if not c.isdigit())


def turned(a: str, b: str) -> bool:
    """Whether two texts are the same but for two neighbouring letters changed round."""
    at = [k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    return len(a) == len(b) and len(at) == 2 and at[1] == at[0] + 1 and sorted(a) == sorted(b)


def meant(name: str, known: Iterable[str]) -> str | None:
    """Which known name a new one is most like, if nearly equal to any: "Bne" → "Ben"."""
    likeness = {other: alike(name, other) for other in sorted(known)}
    best = max(likeness, key=likeness.get, default=None)
    return best if best is not None and likeness[best] else None


def alike_pairs(names: list[str]) -> list[tuple[str, str]]:
    """All pairs that are `alike`, each in the order of the names.

    Most are ruled out by their letters at once: those in common, in whatever order, bound the
    likeness from above.
    """
    keys = [alphabetical(name)[0] for name in names]
    letters = sorted(set("".join(keys)))
    counts = [[key.count(letter) for letter in letters] for key in keys]
    counts = np.array(counts, np.int32).reshape(len(names), len(letters))
    size, group = counts.sum(1), np.unique([_letters(key) for key in keys], return_inverse=True)[1]
    plain = np.unique(keys, return_inverse=True)[1]
    pairs = []
    for k in range(len(names) - 1):
        common = np.minimum(counts[k], counts[k + 1 :]).sum(1)
        near = 2 * common >= ALIKE * (size[k] + size[k + 1 :])
        near &= (group[k] != group[k + 1 :]) | (plain[k] == plain[k + 1 :])
        others = (names[k + 1 + j] for j in np.flatnonzero(near))
        pairs += [(names[k], other) for other in others if alike(names[k], other)]
    return pairs
