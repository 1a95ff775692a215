"""A season's folder: which files it has, and the one way in which they are read.

A folder may come from a stranger. Read are regular files of the names below, of bounded size, that
lie in the folder itself (the registry: in the league's); no link is followed out of it, and
whatever else lies there is left alone.
"""

import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from ..words import DataError, Problem, SeasonNotFound
from .workbooks import MAX_WORKBOOK_BYTES as MAX_BYTES

SETTINGS, PROTOCOLS, JOURNAL = "season.toml", "protocols", ".record"
TABLES = ("results.csv", "evenings.csv", "licences.csv", "corrections.csv")
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
        if place.exists():
            return place if place.name.strip(".") else place.resolve()  # "." has no name
    tried = dict.fromkeys(str(place.absolute()) for place in (given, _CHECKOUT / given))
    raise SeasonNotFound(Problem("error", "setting", "not_found", values={"tried": list(tried)}))


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
    if not path.exists():
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


def pending(folder: Path) -> dict[Path, Path]:
    """What waits in `.record` to be moved, by the place it is meant for.

    Only the season's own files, by name, and none reached or to be moved through a link.
    """
    home = folder.resolve()
    journal = home / JOURNAL
    places = {home / name: journal / "season" / name for name in TABLES}
    places[home.parent / "licences.csv"] = journal / "league" / "licences.csv"
    for staged in sorted((journal / "season" / PROTOCOLS).glob(_HOSTS_FILES)):
        places[home / PROTOCOLS / staged.name] = staged
    return {
        place: staged
        for place, staged in places.items()
        if staged.is_file() and _no_link(staged) and _no_link(place.parent)
    }


def _no_link(path: Path) -> bool:
    return os.path.realpath(path) == str(path)


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
    """Warnings about a recording that was interrupted, and about what is not the season's."""
    home = folder.resolve()
    moved, told = set(pending(home).values()), []
    if moved:
        told.append(Problem("warning", "setting", "pending", file=home.name))
    journal = home / JOURNAL
    inside = (Path(at, name) for at, _, names in os.walk(journal) for name in names)
    foreign = chain(
        [journal] * journal.is_symlink(),
        (path for path in inside if path not in moved),
        (path for path in _hosts_paths(home) if _objection(path, home)),
    )
    names = [path.relative_to(home).as_posix() for path in islice(foreign, 5)]
    if names:
        told.append(
            Problem("warning", "setting", "foreign", file=home.name, values={"names": names})
        )
    return told
