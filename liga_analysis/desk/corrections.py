"""What is stored is put right: an evening taken out again, a person under another name."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pandas as pd

from ..season.cells import clean_name
from ..season.names import is_placeholder, meant, name_key
from ..season.played import not_held
from ..season.roster import aliases, is_name, is_nobody, owners
from ..words import DataError, Problem, Words
from .amendments import protocol_path
from .files import CORRECTIONS, EVENINGS, LICENCES, RESULTS, Change, Files, league_mates, unplayed


@dataclass(frozen=True, kw_only=True)
class Correction(Change):
    """What is put right, told in one sentence; for an evening also the sheet that brings it back,
    for a person the seasons, and the new name by the old unless it was somebody's already.
    """

    said: tuple[str, dict]  # key and values
    kept: Path | None = None
    seasons: tuple[str, ...] = ()
    called: dict[str, str] = field(default_factory=dict)

    def sentence(self, words: Words) -> str:
        """What happens."""
        return words.text(f"record.{self.said[0]}", **self.said[1])


def undone(season: str | Path, evening: int, reason: str, today: date) -> Correction:
    """What taking an evening out again changes; nothing is written.

    Its rows go from results.csv and evenings.csv into a sheet in protocols/ that `record` reads;
    the host's own file stays there as well, and licences stay issued. A DataError if there is no
    such evening.
    """
    files = Files(season)
    before, paths = files.season, files.paths
    if evening not in (held := {*before.held, *before.left_out}):
        raise DataError(not_held(evening, held, files.folder.name))
    gone = files.rows_of(evening)
    was = before.evenings.set_index("evening").loc[evening]
    place = {column: was[column] for column in ("date", "host", "start", "place")}
    name = before.words.text("record.undone_file")
    kept = protocol_path(files.folder, name, [evening], ())
    rows, calendar = files.rows[RESULTS], files.rows[EVENINGS]
    players = before.results["player"][before.results["evening"] == evening].tolist()
    values = {"day": was["date"], "players": players or ["–"], "kept": kept.name}
    said = "undone", {"evening": evening, **values}
    what = before.words.text("record.undone", **said[1])
    contents = {
        kept: files.text(RESULTS, rows.loc[gone].assign(**place)),
        paths[RESULTS]: files.text(RESULTS, rows.drop(index=gone)),
        paths[CORRECTIONS]: files.correction(today, evening, what, reason),
    }
    if len(calendar):
        contents[paths[EVENINGS]] = files.text(EVENINGS, calendar[calendar["evening"] != evening])
    after = files.changed(contents)
    return Correction(
        before=before,
        after=after,
        contents=contents,
        seen=files.seen,
        said=said,
        kept=kept,
        problems=tuple(unplayed(after, set(players))),
    )


class UnknownName(DataError):
    """Nobody in the league is called so."""


def renamed(season: str | Path, old: str, new: str, today: date) -> Correction:
    """What calling `old` by the name of `new` changes; nothing is written.

    Where `new` is somebody's name, `old` was a slip: his licence goes, his names become aliases,
    and the earlier date of issue stays. Otherwise the person keeps the licence under the new name.
    UnknownName if nobody is called `old`, a DataError if the two sat at one evening, or nothing
    would change.
    """
    files, old, new = Files(season), clean_name(old), clean_name(new)
    before, owner = files.season, owners(files.season.licences)
    if name_key(old) not in owner:
        names = {"old": old, "other": meant(old, owner.values())}
        key = "rename_unknown" if names["other"] else "rename_nobody"
        raise UnknownName(Problem("error", "name", key, values=names))
    if is_placeholder(new):
        rows = before.results
        sat = rows["evening"][rows["player"] == owner[name_key(old)]].tolist()
        raise _refused("rename_guest", old=old, new=new, evenings=sat or ["–"])
    if not is_name(new):
        raise _refused("no_name", player=new)
    person, name = owner[name_key(old)], owner.get(name_key(new), new)
    merged = name != person and name_key(new) in owner
    name = name if merged else new
    league = [files, *map(Files, league_mates(files.folder))]
    for one in league if merged else []:
        sat = one.season.results.groupby("player")["evening"].agg(set)
        if both := sat.get(person, set()) & sat.get(name, set()):
            names = {"old": person, "new": name, "season": one.season.name}
            raise _refused("rename_together", evenings=sorted(both), **names)
    registry = _registry(files, person, name)
    said = "joined" if merged else "called", {"old": person, "new": name}
    what = before.words.text(f"record.{said[0]}", **said[1])
    keys, line = {name_key(person), name_key(old)}, (today, None, f"{person} → {name}", what)
    changes = [_rewritten(one, keys, name, line) for one in league]
    if registry == files.seen[files.paths[LICENCES]] and not any(changes):
        raise _refused("rename_same", old=old, new=name)
    changes[0] |= {
        files.paths[LICENCES]: registry,
        files.paths[CORRECTIONS]: files.correction(*line),
    }
    after = [
        one.changed(new | {one.paths[LICENCES]: registry})
        for one, new in zip(league, changes, strict=True)
    ]
    for one, then in zip(league, after, strict=True):
        if lost := set(then.left_out) - set(one.season.left_out):
            raise DataError(*(p for p in then.problems if p.evening in lost))
    changed = [(one, new) for one, new in zip(league, changes, strict=True) if new]
    return Correction(
        before=before,
        after=after[0],
        contents=changes[0],
        seen=files.seen,
        others=tuple((one.folder, new, one.seen) for one, new in changed[1:]),
        said=said,
        seasons=tuple(one.season.name for one, _ in changed),
        called={} if merged else {person: name},
    )


def _refused(key: str, **values) -> DataError:
    return DataError(Problem("error", "name", key, values=values))


def _registry(files: Files, person: str, name: str) -> bytes:
    """licences.csv with one person under another name, or joined to another."""
    known = files.rows[LICENCES].copy()
    issued = files.season.licences.iloc[len(known) :].astype(object)
    known = pd.concat([known, issued.reindex(columns=known.columns)])
    keys = known["player"].map(name_key)
    old = known.index[keys == name_key(person)][0]
    others = known.index[(keys == name_key(name)) & (known.index != old)]
    into = others[0] if len(others) else old
    names = [*aliases(known.at[into, "aliases"]), person, *aliases(known.at[old, "aliases"])]
    names = {name_key(alias): alias for alias in names if not is_nobody(alias)}
    names.pop(name_key(name), None)
    dates = [day for day in known.loc[[old, into], "issued"] if isinstance(day, pd.Timestamp)]
    known.at[into, "player"] = known.at[into, "player"] if len(others) else name
    known.at[into, "aliases"] = "|".join(names.values())
    known.at[into, "issued"] = min(dates, default=known.at[into, "issued"])
    return files.text(LICENCES, known.drop(index=[old] * bool(len(others))))


def _rewritten(files: Files, keys: set[str], name: str, line: tuple) -> dict[Path, bytes]:
    """The tables of a season that say one of the names, with another, and a line that says so."""
    contents = {}
    for k in (RESULTS, EVENINGS):
        rows = files.rows[k].copy()
        for column in {"player", "host"} & set(rows):
            rows[column] = rows[column].mask(rows[column].map(name_key).isin(keys), name)
        if not rows.equals(files.rows[k]):
            contents[files.paths[k]] = files.text(k, rows)
    if contents:
        contents[files.paths[CORRECTIONS]] = files.correction(*line)
    return contents
