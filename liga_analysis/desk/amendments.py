"""The season's files with evenings recorded in them: new rows, and all others as they were."""

import re
from collections.abc import Collection
from itertools import chain, count
from pathlib import Path

import pandas as pd

from ..season.cells import clean_name
from ..season.evenings import ACCEPTED
from ..season.folder import PROTOCOLS
from ..season.names import name_key
from ..season.roster import owners
from ..season.season import Season
from ..words import LANGUAGES, Words, template
from .submissions import Submission


def results_with(
    known: pd.DataFrame, evenings: list[Submission], replaced: list[int], season: Season
) -> pd.DataFrame:
    """The rows of results.csv without those replaced, and with those of the evenings recorded.

    Who has a licence stands there under its name, however the host spells it.
    """
    owner = owners(season.licences)
    rows = [
        one.rows.assign(evening=one.evening, date=one.date, host=one.host)[
            [c for c in one.rows if c in known]
        ]
        for one in evenings
    ]
    new = pd.concat(rows).astype(object)
    new["player"] = new["player"].map(lambda name: owner.get(name_key(name), name))
    new.index = range(len(known), len(known) + len(new))
    return pd.concat([known.drop(index=replaced), new.reindex(columns=known.columns)])


def evenings_with(known: pd.DataFrame, entries: list[dict], season: Season) -> pd.DataFrame:
    """The rows of evenings.csv with these entries added or, where not blank, put over theirs.

    Where the file had none, every evening of the season gets one. A note counts also when blank.
    """
    if known.empty:
        known = season.evenings.astype(object)
    numbers = pd.to_numeric(known["evening"], errors="coerce")
    for entry in entries:
        match = known.index[known["evening"] == entry["evening"]]
        at = match[0] if len(match) else len(known)
        row = known.loc[at].to_dict() if len(match) else {}
        row |= {column: value for column, value in entry.items() if value or column == "note"}
        row = pd.DataFrame([row], [at], dtype=object).reindex(columns=known.columns)
        known = pd.concat([known.drop(index=match), row]).sort_index(kind="stable")
    in_order = numbers.is_monotonic_increasing
    return known.sort_values("evening", kind="stable") if in_order else known


def entry(one: Submission, season: Season, accepted: str) -> dict:
    """What evenings.csv says of an evening recorded; an accepted sum stands in its note."""
    notes = season.evenings.set_index("evening")["note"]
    note = ACCEPTED.sub("", notes.get(one.evening, ""))  # a correction takes it out again
    if one.sum:
        values = {"sum": one.sum, "reason": clean_name(accepted)}
        note = "; ".join(filter(None, [note, season.words.text("record.accepted", **values)]))
    columns = ("evening", "date", "start", "host", "place")
    return {column: getattr(one, column) for column in columns} | {"note": note}


def licences_with(
    known: pd.DataFrame, before: Season, after: Season, replaced: int | None
) -> pd.DataFrame:
    """The rows of licences.csv with those issued; of a date corrected, those it issued follow."""
    known = known.copy()
    if replaced is not None:
        old, new = (_date(season, replaced) for season in (before, after))
        first = after.results.drop_duplicates("player").set_index("player")["evening"]
        theirs = known["player"].map(lambda name: first.get(clean_name(name)) == replaced)
        known.loc[(known["issued"] == old) & theirs, "issued"] = new
    issued = after.licences.iloc[len(known) :].astype(object)
    return pd.concat([known, issued.reindex(columns=known.columns)])


def _date(season: Season, evening: int):
    return season.evenings.set_index("evening")["date"][evening]


def changes(before: Season, after: Season, evening: int, words: Words) -> list[str]:
    """What a correction changes: "Ben: Einstiege 2 → 1"."""

    def evening_of(season):
        row = season.evenings.set_index("evening").loc[evening]
        texts = {"date": words.date(row["date"]), "host": row["host"], "note": row["note"]}
        return {words.text(f"column.{name}"): text or "–" for name, text in texts.items()}

    then, now = (s.results[s.results["evening"] == evening] for s in (before, after))
    return [*_moved(evening_of(before), evening_of(after)), *seat_changes(then, now, words)]


def seat_changes(then: pd.DataFrame, now: pd.DataFrame, words: Words) -> list[str]:
    """What differs between the rows of an evening, by player."""
    shown = {"entries": words.number, "chips_out": words.chips, "result": words.signed}

    def seats(rows):
        return {
            player: {words.text(f"column.{c}"): shown[c](row[c]) for c in shown}
            for player, row in rows.set_index("player").iterrows()
        }

    then, now = seats(then), seats(now)
    players = {name: _moved(then.get(name, {}), now.get(name, {})) for name in {**then, **now}}
    return [f"{name}: {', '.join(steps)}" for name, steps in players.items() if steps]


def _moved(then: dict[str, str], now: dict[str, str]) -> list[str]:
    return [
        f"{name} {then.get(name, '–')} → {now.get(name, '–')}"
        for name in dict.fromkeys([*then, *now])
        if then.get(name) != now.get(name)
    ]


def protocol_path(season: Path, sent: str, evenings: list[int], taken: Collection[Path]) -> Path:
    """Where a file sent so, with those evenings, is kept: under a name that nothing has."""
    folder = season / PROTOCOLS
    numbers = "-".join(f"{evening:02}" for evening in sorted({min(evenings), max(evenings)}))
    base = f"abend-{numbers}"
    # What was taken out or replaced, and comes back, lay here already.
    marks = (Path(template("record.undone_file", language)).stem for language in LANGUAGES)
    ours = rf"{base}(?!\d)(?:-(?:ersetzt|{'|'.join(marks)})(?:-\d+)?$)?-?"
    base = "-".join(filter(None, [base, re.sub(f"^{ours}", "", safe_stem(Path(sent).stem))]))
    suffix = re.sub(r"[^.a-z0-9]", "", Path(sent).suffix.casefold())[:8]
    names = (f"{base}{ending}{suffix}" for ending in chain([""], (f"-{k}" for k in count(2))))
    known = {path.name.casefold() for path in (*folder.glob("*"), *taken)}
    return folder / next(name for name in names if name.casefold() not in known)


def safe_stem(name: str) -> str:
    """A name with letters, digits and hyphens only: no folder, no command, no hidden file."""
    return re.sub(r"[^\w-]+", "-", clean_name(name)).strip("-")[:60]
