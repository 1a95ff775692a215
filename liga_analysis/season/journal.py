"""Several files of a season changed at once: wholly or not at all, one change at a time.

The new files are written into a folder of their own; renaming that folder to `.record` is the one
step that counts. From then on readers take what lies there, and the files are moved to their
places, now or, if the computer stops in between, by the next command. Only files of known names
are ever taken from `.record`, none through a link, and what somebody wrote in between is kept.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from uuid import uuid4

from filelock import FileLock

from ..words import DataError, Problem
from .folder import (
    CHANGE,
    JOURNAL,
    LEADER,
    NOTED,
    digest,
    file_bytes,
    journal_of,
    licences_path,
    name_in_journal,
    noted,
    pending,
    place_of,
    sha,
    unlinked,
)
from .writer import write_bytes

LOCK = ".liga.lock"
_OLD = "old"  # in the journal: files that were replaced last


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Keep every other process out of the same block; a process that dies lets go of it."""
    try:
        held = FileLock(place / LOCK).acquire()
    except OSError as error:
        error.filename = str(place)  # the folder says more than the lock
        raise
    with held:
        yield


def snapshot(folder: Path, paths: list[Path]) -> dict[Path, bytes | None]:
    """The bytes of files of a season as they stood together at one moment; None where absent."""
    seen, now = None, _current(folder, paths)
    while seen != now:  # a change in between shows as a difference
        seen, now = now, _current(folder, paths)
    return now


def _current(folder: Path, paths: list[Path]) -> dict[Path, bytes | None]:
    staged = {path: waiting for _, waiting, path in pending(folder)}
    now = {path: _bytes(staged[path], folder) for path in paths if path in staged}
    return {p: _bytes(p, p.parent) if now.get(p) is None else now[p] for p in paths}


def _bytes(path: Path, home: Path) -> bytes | None:
    with suppress(FileNotFoundError):  # moved at this moment
        return file_bytes(path, home)
    return None


def commit(*changes: tuple[Path, dict[Path, bytes], dict[Path, bytes | None]]) -> list[Problem]:
    """Put files of one or more seasons of a league in place; the caller holds the lock.

    Wherever it stops, all of them are read as before or all as after, and the next command
    carries on. Where somebody writes one of the files meanwhile, his bytes are kept under
    another name.

    Parameters
    ----------
    changes : tuples of (folder, contents, seen)
        A season's folder, the new bytes of every file that changes, and the `snapshot` that this
        follows from.

    Returns
    -------
    list of Problem
        What somebody else wrote meanwhile, and where it is kept.

    Raises
    ------
    DataError
        If a season is no longer as it was seen, a file is a link, or a file lies where a folder
        belongs.
    OSError
        If the disk is full, or a file or folder may not be written; nothing has changed then.
    """
    problems, leader = [p for folder, _, _ in changes for p in finish(folder)], changes[0][0]
    together = {CHANGE: uuid4().hex, LEADER: leader.name} if len(changes) > 1 else {}
    with ExitStack() as made:
        for folder, contents, seen in changes:
            if snapshot(folder, list(seen)) != seen:
                raise DataError(_told("record_changed", folder, "error"))
            for path in contents:
                if place_of(folder, name_in_journal(folder, path)) != path:
                    raise DataError(_told("record_link", folder, "error", path=str(path)))
                if os.path.lexists(path.parent) and not path.parent.is_dir():
                    raise DataError(_told("record_place", folder, "error", path=str(path.parent)))
                if path.exists():
                    with open(path, "r+b"):  # refused now rather than when it has to be replaced
                        pass
            new = folder / f"{JOURNAL}.new"
            made.callback(_remove, new)
            _write(new, _journal(folder, contents, seen, together))
        os.rename(leader / f"{JOURNAL}.new", leader / JOURNAL)  # here it is decided
        made.pop_all()
    for folder, _, _ in changes:
        with suppress(OSError):  # it has happened; the next command carries on
            _sync(folder)
            problems += [p for p in finish(folder) if p.key != "journal_finished"]
    return problems


def create(
    folder: Path,
    files: dict[str, bytes],
    contents: dict[Path, bytes] | None = None,
    seen: dict[Path, bytes | None] | None = None,
) -> None:
    """A folder with these files, whole or not at all, and with it a change as `commit` makes it.

    Raises
    ------
    OSError
        If it cannot be written, or there is a folder with something in it; nothing is there then.
    """
    if contents:
        journal = _journal(folder, contents, seen, {})
        files = files | {f"{JOURNAL}/{name}": data for name, data in journal.items()}
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = folder.with_name(f".{folder.name}.new")
    try:
        _write(new, files)
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()  # not every system renames over an empty folder
        os.rename(new, folder)
    finally:
        _remove(new)
    with suppress(OSError):
        _sync(folder.parent)
        finish(folder)


def _journal(folder: Path, contents: dict, seen: dict, together: dict) -> dict[str, bytes]:
    """The files of a journal: those that change, and what they were."""
    were = {name_in_journal(folder, path): sha(seen.get(path)) for path in contents}
    staged = {name_in_journal(folder, path): data for path, data in contents.items()}
    return staged | {NOTED: json.dumps(were | together).encode()}


def _write(new: Path, files: dict[str, bytes]) -> None:
    """A folder with these files, to be renamed; a name that ends in "/" is a folder."""
    _remove(new)  # of a process that was killed
    new.mkdir()
    for name, data in files.items():
        path = new / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if name.endswith("/") else write_bytes(data, path)
    for part in (new, *(path for path in new.rglob("*") if path.is_dir())):
        _sync(part)


def recovered(folder: Path) -> list[Problem]:
    """Finish what was decided on in a season or another of its league; what there is to tell."""
    place, home = licences_path(folder).parent, folder.resolve()
    waiting = [part for part in _league(home) if os.path.lexists(journal_of(part))]
    if not waiting:
        return []
    try:
        with locked(place):
            return [problem for part in waiting for problem in finish(part)]
    except OSError:  # it is read as if it were done
        return [_told("journal_waiting", part) for part in waiting]


def _league(folder: Path) -> list[Path]:
    """A season's folder, and those that lie beside it or, where the registry is its own, in it."""
    place = licences_path(folder).parent
    others = (part for part in place.iterdir() if part.is_dir() and not part.is_symlink())
    return [*dict.fromkeys([folder, *others])]


def finish(folder: Path) -> list[Problem]:
    """Move the files of a change that was decided on to their places; what there is to tell."""
    journal = folder / JOURNAL
    if (ready := journal_of(folder)) != journal:
        os.rename(ready, journal)
    if not os.path.lexists(journal):
        return []
    problems, before = [], noted(journal)
    if before.get(LEADER) == folder.name:
        for other in _league(folder):
            if other != folder and journal_of(other) != other / JOURNAL:
                problems += finish(other)
    waiting = {name: (staged, path) for name, staged, path in pending(folder)}
    if waiting:
        files = [path.name for _, path in waiting.values()]
        problems.append(_told("journal_finished", folder, files=files))
    places = {name: path for name in before if (path := place_of(folder, name))}
    for name, path in (places | {name: path for name, (_, path) in waiting.items()}).items():
        old = journal / _OLD / name.replace("/", "+")
        kept = [_settled(old, path, before.get(name, ""))]  # of a move that stopped
        if name in waiting:
            old.parent.mkdir(exist_ok=True)
            path.parent.mkdir(exist_ok=True)
            _put(waiting[name][0], path, old)
            kept.append(_settled(old, path, before.get(name, "")))
        problems += [_told("journal_kept", folder, path=path.name, kept=k.name) for k in kept if k]
    for part in {path.parent for _, path in waiting.values()}:
        _sync(part)
    if unlinked(journal, folder) and journal.is_dir():
        (journal / NOTED).unlink(missing_ok=True)
        if not any(
            files or any(os.path.islink(os.path.join(root, d)) for d in folders)
            for root, folders, files in os.walk(journal)
        ):
            shutil.rmtree(journal)
            return problems
    rest = _free(folder / f"{JOURNAL}.rest")
    os.replace(journal, rest)
    return [*problems, _told("journal_rest", folder, rest=rest.name)]


def _put(staged: Path, path: Path, old: Path) -> None:
    """Put a file in its place; what stood there, up to that moment, is at `old` then."""
    if path.exists() and path.samefile(staged):
        return staged.unlink()
    try:
        os.link(staged, path)  # never over a file that was just made
        return staged.unlink()
    except OSError:  # there is one, or the disk has no links
        if path.exists():
            _copy(path, old)
    os.replace(staged, path)


def _copy(path: Path, copy: Path) -> None:
    """The same file under another name: what is written into it until it is replaced is there."""
    try:
        os.link(path, copy)
    except OSError:
        shutil.copyfile(path, copy)


def _settled(old: Path, path: Path, before: str | None) -> Path | None:
    """Drop what was replaced; where that was not the file of `before`, keep it: its name."""
    if not old.is_file():
        return None
    if (path.exists() and old.samefile(path)) or digest(old) in (before, digest(path)):
        return old.unlink()
    kept = _free(path.with_name(f"{path.stem}.bak{path.suffix}"))
    os.rename(old, kept)
    return kept


def _free(path: Path) -> Path:
    """The name, or with a number the next one, that is not taken."""
    names = (path.with_name(f"{path.stem}{k}{path.suffix}") for k in count(2))
    while os.path.lexists(path):
        path = next(names)
    return path


def _told(key: str, folder: Path, severity: str = "warning", **values) -> Problem:
    return Problem(severity, "setting", key, file=folder.name, values=values)


def _remove(folder: Path) -> None:
    """Remove what an unfinished change left, or a link in its place."""
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _sync(folder: Path) -> None:
    """See to it that the names in a folder outlast a power failure; not every system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
