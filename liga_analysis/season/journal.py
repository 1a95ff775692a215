"""Several files of a season changed at once: wholly or not at all, one change at a time.

The new files are written into a folder of their own; renaming that folder to `.record` is the one
step that counts. From then on readers take what lies there, and the files are moved to their
places, now or, if the computer stops in between, before the next change.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .folder import JOURNAL, file_bytes, pending
from .writer import write_bytes

LOCK = ".liga.lock"

if os.name == "nt":  # where folders cannot be synced
    import msvcrt

    def _sync(folder: Path) -> None:
        pass

    def _wait(file) -> None:
        while True:
            with suppress(OSError):  # it gives up after ten seconds
                return msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _sync(folder: Path) -> None:
        """See to it that the names in a folder outlast a power failure."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def _wait(file) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Keep every other process out of the same block; a process that dies lets go of it."""
    try:
        file = open(place / LOCK, "ab")  # noqa: SIM115
    except OSError as error:
        error.filename = str(place)  # the folder says more than the lock
        raise
    with file:
        _wait(file)
        yield


def snapshot(folder: Path, paths: list[Path]) -> dict[Path, bytes | None]:
    """The bytes of files of a season as they stood together at one moment; None where absent."""
    seen, now = None, [_current(folder, path) for path in paths]
    while seen != now:  # a change in between shows as a difference
        seen, now = now, [_current(folder, path) for path in paths]
    return dict(zip(paths, now, strict=True))


def _current(folder: Path, path: Path) -> bytes | None:
    """A table as it stands, or as an interrupted change left it to be moved."""
    return file_bytes(pending(folder).get(path, path), path.parent)


def _staged(journal: Path, folder: Path, path: Path) -> Path:
    """Where a file of the season, or of the league's folder above it, waits to be moved."""
    if path.is_relative_to(folder):
        return journal / "season" / path.relative_to(folder)
    return journal / "league" / path.relative_to(folder.parent)


def commit(folder: Path, contents: dict[Path, bytes]) -> None:
    """Put the files in place, all or none; to be called while the season is `locked`.

    Raises
    ------
    OSError
        If the disk is full, or a file or folder may not be written; nothing has changed then.
    """
    finish(folder)
    new = folder / f"{JOURNAL}.new"
    shutil.rmtree(new, ignore_errors=True)  # of a process that was killed
    try:
        for path, data in contents.items():
            if path.exists():
                with open(path, "r+b"):  # refused now rather than when it has to be replaced
                    pass
            staged = _staged(new, folder, path)
            staged.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(data, staged)
        for part in (new, *(path for path in new.rglob("*") if path.is_dir())):
            _sync(part)
        os.replace(new, folder / JOURNAL)
        _sync(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    with suppress(OSError):  # it has happened; whoever changes the season next carries on
        finish(folder)


def finish(folder: Path) -> None:
    """Move the files of a change that was decided on to their places."""
    journal = folder / JOURNAL
    if not journal.exists():
        return
    for root, target in (("season", folder), ("league", folder.parent)):
        for staged in sorted(p for p in (journal / root).rglob("*") if p.is_file()):
            path = target / staged.relative_to(journal / root)
            path.parent.mkdir(exist_ok=True)
            if path.exists() and path.stat().st_mtime_ns > journal.stat().st_mtime_ns:
                # Somebody changed the file since: what they wrote is kept beside it.
                os.replace(path, path.with_name(path.name + ".bak"))
            os.replace(staged, path)
    shutil.rmtree(journal)
