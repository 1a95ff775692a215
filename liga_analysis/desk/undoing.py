"""A recorded evening is taken out of the season again; what stood there is kept."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ..season.folder import PROTOCOLS
from ..season.season import not_held
from ..words import DataError
from .amendments import ProtocolNames
from .files import CORRECTIONS, EVENINGS, RESULTS, Change, Files


@dataclass(frozen=True, kw_only=True)
class Undoing(Change):
    """An evening taken out: what it was, and the sheet in protocols/ that brings it back."""

    what: str
    kept: Path


def undone(season: str | Path, evening: int, reason: str, today: date) -> Undoing:
    """What taking an evening out again changes; nothing is written.

    Its rows go from results.csv and evenings.csv into a sheet in protocols/ that `record` reads;
    the host's own file stays there as well, and licences stay issued.

    Raises
    ------
    DataError
        If the evening is not recorded.
    """
    files = Files(season)
    before, paths = files.season, files.paths
    if evening not in (held := {*before.held, *before.left_out}):
        raise DataError(not_held(evening, held, files.folder.name))
    gone = files.rows_of(evening)
    was = before.evenings.set_index("evening").loc[evening]
    place = {column: was[column] for column in ("date", "host", "start", "place")}
    name = before.words.text("record.undone_file")
    kept = ProtocolNames(files.folder / PROTOCOLS).path(name, [evening])
    rows, calendar = files.rows[RESULTS], files.rows[EVENINGS]
    players = before.results["player"][before.results["evening"] == evening].tolist()
    told = {"day": was["date"], "players": players or ["–"], "kept": kept.name}
    what = before.words.text("record.undone", evening=evening, **told)
    contents = {
        kept: files.text(RESULTS, rows.loc[gone].assign(**place)),
        paths[RESULTS]: files.text(RESULTS, rows.drop(index=gone)),
        paths[CORRECTIONS]: files.correction(today, evening, what, reason),
    }
    if len(calendar):
        contents[paths[EVENINGS]] = files.text(EVENINGS, calendar[calendar["evening"] != evening])
    after = files.changed(contents)
    return Undoing(
        before=before, after=after, contents=contents, seen=files.seen, what=what, kept=kept
    )
