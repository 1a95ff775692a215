"""A season's folder: which files it has, and the one way in which they are read.

A folder may come from a stranger. Read are regular files of the names below, of bounded size, that
lie in the folder itself (the registry: in the league's); no link is followed out of it, and
whatever else lies there is left alone.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from ..words import DataError, Problem, SeasonNotFound
from .workbooks import MAX_WORKBOOK_BYTES as MAX_BYTES

SETTINGS, PROTOCOLS, JOURNAL, REGISTRY = "season.toml", "protocols", ".record", "licences.csv"
TABLES = ("results.csv", "evenings.csv", REGISTRY, "corrections.csv")
EXPLAINED = "LIESMICH.txt"
NOTED = "before.json"  # in a journal: digests of the files as they were
# There, of a change of several seasons: which, decided on where.
CHANGE, LEADER = "change", "leader"
# What is ever taken from a journal, by its name there.
_SEASON = re.compile(
    r"season/((?:results|evenings|licences|corrections)\.csv|season\.toml|protocols/abend-[^/\\:]+)"
)
_LEAGUE = f"league/{REGISTRY}"
_HOSTS_FILES = "abend-*"
_CHECKOUT = Path(__file__).resolve().parents[2]


def find_season(path: str | Path) -> Path:
    """The path as given, else as seen from the checkout's root.

    Raises
    ------
    SeasonNotFound
        If there is neither; both places are named.
    """
    given = Path(os.path.expanduser(path))  # "~nobody" stays as it is
    for place in (given, _CHECKOUT / given):
        if os.path.exists(place):  # a name too long for the system is none
            return place if place.name.strip(".") else place.resolve()  # "." has no name
    tried = dict.fromkeys(str(place.absolute()) for place in (given, _CHECKOUT / given))
    raise SeasonNotFound(Problem("error", "setting", "not_found", values={"tried": list(tried)}))


def is_season(folder: Path) -> bool:
    """Whether any of the files is there that make a folder a season."""
    return any((folder / name).exists() for name in (SETTINGS, *TABLES[:2]))


def seasons_in(league: Path) -> list[Path]:
    """The seasons' folders in a league's, by name."""
    return [part for part in sorted(league.glob("*")) if part.is_dir() and is_season(part)]


def tables_of(folder: Path) -> list[Path]:
    """Where a season's results, evenings, licences and corrections are, in this order."""
    home = folder.resolve()
    return [licences_path(home) if name == "licences.csv" else home / name for name in TABLES]


def licences_path(folder: Path) -> Path:
    """The league's licences.csv beside the season, else the season's own."""
    home = folder.resolve()
    league = home.parent / "licences.csv"
    return league if league.exists() else home / "licences.csv"


def file_bytes(path: Path, home: Path) -> bytes | None:
    """The bytes of a file in the folder `home`; None where there is none.

    Raises
    ------
    DataError
        If it is no regular file, leads out of the folder, or is larger than MAX_BYTES.
    """
    if not os.path.lexists(path):
        return None
    if objection := _objection(path, home):
        raise DataError(Problem("error", "encoding", file=path.name, **objection))
    return path.read_bytes()


def _objection(path: Path, home: Path) -> dict | None:
    """Why a file of a season is not read: key and values of a sentence."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home)):
        return {"key": "link_out"}
    if not path.is_file():
        return {"key": "no_file"}
    if (size := path.stat().st_size) > MAX_BYTES:
        return {"key": "file_large", "values": {"size": size / 1e6, "limit": MAX_BYTES / 1e6}}
    return None


def output_folder(folder: str | Path) -> Path:
    """A folder to write into, made where there is none.

    Raises
    ------
    DataError
        If it is a link out of the folder it stands in, as may come with somebody's season.
    """
    folder = Path(folder)
    if folder.is_symlink() and not folder.resolve().is_relative_to(folder.parent.resolve()):
        raise DataError(Problem("error", "setting", "reports_link", values={"folder": str(folder)}))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def unlinked(path: Path, home: Path) -> bool:
    """Whether a path below `home` goes through no link."""
    inside = [path, *path.parents][: len(path.relative_to(home).parts)]
    return not any(part.is_symlink() for part in inside)


def journal_of(folder: Path) -> Path:
    """Where a change of a season waits that was decided on.

    One of several seasons is decided on in one of them, and the others are made ready beside it.
    """
    ready, journal = folder / f"{JOURNAL}.new", folder / JOURNAL
    if os.path.lexists(journal) or ready.is_symlink():
        return journal
    digests = noted(ready)
    leader = folder.parent / Path(str(digests.get(LEADER))).name / JOURNAL
    change = not leader.is_symlink() and digests.get(CHANGE)
    return ready if change and change == noted(leader).get(CHANGE) else journal


def noted(journal: Path) -> dict[str, str | None]:
    """Digests of the files as they were when the change was decided on; none of an old journal."""
    path = journal / NOTED
    with suppress(ValueError, OSError):
        if unlinked(path, journal) and path.is_file() and path.stat().st_size < 1e6:
            digests = json.loads(path.read_bytes())
            return digests if isinstance(digests, dict) else {}
    return {}


def pending(folder: Path) -> list[tuple[str, Path, Path]]:
    """Files that wait to be moved: their names in the journal, where they lie and belong.

    The league's registry is taken only by a change that knew it as it is: a folder somebody sent
    must not change what lies beside it.
    """
    journal, waiting = journal_of(folder), []
    if journal.is_symlink() or not journal.is_dir():
        return waiting
    parts = [
        part for pattern in ("season/*", "season/protocols/*") for part in journal.glob(pattern)
    ]
    for staged in sorted(part for part in parts if part.is_file() and unlinked(part, folder)):
        name = staged.relative_to(journal).as_posix()
        path = place_of(folder, name)
        if path and staged.is_file() and unlinked(staged, folder):
            waiting.append((name, staged, path))
    staged, path = journal / _LEAGUE, place_of(folder, _LEAGUE)
    if path and path.is_file() and staged.is_file() and unlinked(staged, folder):
        known = noted(journal).get(_LEAGUE, ""), digest(staged)
        waiting += [(_LEAGUE, staged, path)] if digest(path) in known else []
    return waiting


def place_of(folder: Path, name: str) -> Path | None:
    """Where a file of that name in the journal belongs; None if it may not be taken there."""
    known = _SEASON.fullmatch(name)
    place = folder / known[1] if known else folder.parent / REGISTRY
    taken = (known or name == _LEAGUE) and unlinked(place, folder if known else folder.parent)
    return place if taken else None


def name_in_journal(folder: Path, path: Path) -> str:
    """What a file of the season, or the league's registry above it, is called in the journal."""
    inside = path.is_relative_to(folder)
    return f"season/{path.relative_to(folder).as_posix()}" if inside else _LEAGUE


def digest(path: Path) -> str | None:
    """Of the bytes of a file; None where there is none."""
    return sha(path.read_bytes()) if path.is_file() else None


def sha(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def hosts_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of what the hosts sent, by evening; a correction comes after what it corrects.

    What is no plain file, or too large, is told by `told_of_folder` and left out.
    """
    for path in _hosts_paths(folder):
        if not _objection(path, folder):
            yield path.name, path.read_bytes()


def _hosts_paths(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{PROTOCOLS}/{_HOSTS_FILES}"), key=lambda p: (len(p.name), p.name))


def told_of_folder(folder: Path) -> list[Problem]:
    """Warnings about a recording that was interrupted, and about what is gone or foreign."""
    home = folder.resolve()
    moved, problems = {staged for _, staged, _ in pending(home)}, lost_files(folder)
    if moved:
        problems.append(Problem("warning", "setting", "pending", file=home.name))
    journal = journal_of(home)
    inside = (Path(at, name) for at, _, names in os.walk(journal) for name in names)
    foreign = chain(
        [journal] * journal.is_symlink(),
        (path for path in inside if path not in moved and path != journal / NOTED),
        (path for path in _hosts_paths(home) if _objection(path, home)),
    )
    names = [path.relative_to(home).as_posix() for path in islice(foreign, 5)]
    if names:
        facts = {"names": names}
        problems.append(Problem("warning", "setting", "foreign", file=home.name, values=facts))
    return problems


def lost_files(folder: Path) -> list[Problem]:
    """Warnings about files that a season made by `liga new` has had and has no more, or twice."""
    home = folder.resolve()
    if not ((home / PROTOCOLS).is_dir() or (home / EXPLAINED).exists()):
        return []
    registry, own = licences_path(home), home / REGISTRY
    settings = file_bytes(home / SETTINGS, home) or b""
    gone = {  # a mark of the encoding or a line end is no text, a header nobody
        "lost_settings": len(settings) <= 4,
        "lost_parameters": len(settings) > 4 and b"[[parameters]]" not in settings,
        "lost_evenings": not os.path.lexists(home / "evenings.csv"),
        "lost_licences": not os.path.lexists(registry),
        "two_licences": registry != own and _size(own) > 40,
    }
    alone = any((part / REGISTRY).exists() for part in seasons_in(home.parent) if part != home)
    place = home if alone and registry == own else home.parent
    place = {"file": home.name, "values": {"folder": str(place)}}
    return [Problem("warning", "setting", key, **place) for key, lost in gone.items() if lost]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
