"""A season: its evenings, results, players and licences, checked while it is loaded."""

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import LANGUAGES, DataError, Problem, Words
from .cells import Table, clean_name
from .evenings import announced_evenings, calendar, told_of_evenings
from .folder import SETTINGS, find_season, is_season, tables_of, told_of_folder
from .journal import snapshot
from .protocol import REQUIRED, Rows, read_rows
from .reader import parse_table, read_file, unread
from .roster import issued, name_players, owners, registered
from .settings import Parameters, Prior, Settings, read_settings
from .sources import protocol_table, results_table
from .workbooks import Sheet
from .writer import canonical

RESULT_COLUMNS = ["evening", "date", "host", "player", "entries", "chips_out", "result", "note"]
STORED_COLUMNS = ["evening", "player", "entries", "chips_out", "result", "note"]
CORRECTION_COLUMNS = ["when", "evening", "what", "why"]


@dataclass(frozen=True)
class Season:
    """A season as loaded: only what counts, and every doubt about it.

    Attributes
    ----------
    path : Path or None
        None of a season that lies nowhere.
    settings : Settings
    evenings : DataFrame
        `evening`, `date`, `start`, `host`, `place`, `note` in order (date, evening), those only
        announced among them.
    results : DataFrame
        `evening`, `date`, `host`, `player`, `entries`, `chips_out`, `result`, `note`, one row per
        player and evening, sorted by (date, evening, player); chips. No row of a left-out evening.
    licences : DataFrame
        `licence`, `player`, `issued`, `aliases`, newly issued ones included.
    corrections : DataFrame
        `when`, `evening`, `what`, `why`, as they were made.
    guests : frozenset of str
        Placeholders among the players, a different person each.
    left_out : tuple of int
        Evenings with an error, in order.
    problems : tuple of Problem
    """

    path: Path | None
    settings: Settings
    evenings: pd.DataFrame
    results: pd.DataFrame
    licences: pd.DataFrame
    corrections: pd.DataFrame
    guests: frozenset[str]
    left_out: tuple[int, ...]
    problems: tuple[Problem, ...]

    def __repr__(self) -> str:
        players, held = self.results["player"].nunique(), len(self.held)
        return f"<Season {self.name!r}: {held} evenings, {players} players>"

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def file(self) -> str:
        """What the season is called in messages."""
        return self.path.name if self.path else self.name

    @property
    def language(self) -> str:
        return self.settings.language

    @property
    def rules(self) -> LeagueRules:
        return self.settings.rules

    @property
    def prior(self) -> Prior:
        return self.settings.prior

    @property
    def held(self) -> list[int]:
        """Evenings held, those left out not counted, in order."""
        return self.results["evening"].drop_duplicates().tolist()

    @property
    def announced(self) -> pd.DataFrame:
        """Evenings still to come: without results, after the last one held."""
        order = self.evenings["evening"].tolist()
        ahead = self.evenings.iloc[order.index(self.held[-1]) + 1 if self.held else 0 :]
        return ahead[~ahead["evening"].isin(self.left_out)]

    @cached_property
    def words(self) -> Words:
        """The season's language, and decimals in amounts only where results have some."""
        return Words(self.language, 2 if (self.results["result"] % 1).any() else 0)

    @property
    def parameters(self) -> Parameters:
        """The set in force at the last evening held: the latest begun by then, of two the last."""
        numbers = self.evenings["evening"].tolist()
        last = numbers.index(self.held[-1]) if self.held else -1
        starts = [_start(p.from_evening, numbers) for p in self.settings.parameters]
        begun = [k for k, start in enumerate(starts) if start <= last]
        if not begun:
            return Parameters()
        return self.settings.parameters[max(begun, key=lambda k: (starts[k], k))]

    @property
    def unbalanced(self) -> dict[int, float]:
        """Evenings that do not sum to zero and by how many chips, in order."""
        found = {p.evening: p.values["sum"] for p in self.problems if p.code == "sum"}
        return {evening: found[evening] for evening in self.held if evening in found}

    def through(self, evening: int) -> "Season":
        """The season as it stood after an evening held.

        Raises
        ------
        DataError
            If that evening was not held.
        """
        if evening not in self.held:
            raise DataError(not_held(evening, self.held, self.file))
        order = self.evenings["evening"].tolist()
        known = set(order[: order.index(evening) + 1])
        results = self.results[self.results["evening"].isin(known)]
        return replace(
            self,
            results=results,
            corrections=self.corrections[self.corrections["evening"].isin(known)],
            guests=self.guests & set(results["player"].unique()),
            left_out=tuple(e for e in self.left_out if e in known),
            problems=tuple(p for p in self.problems if p.evening is None or p.evening in known),
        )

    def with_prior(self, lam: float | None = None, spread: float | None = None) -> "Season":
        """The season under another prior of λ; what is not given stays the season's."""
        prior = replace(self.prior, lam=lam or self.prior.lam, spread=spread or self.prior.spread)
        return replace(self, settings=replace(self.settings, prior=prior))


def not_held(evening: int, held: Collection[int], file: str | None = None) -> Problem:
    """An evening is asked for that was not held, or not without an error."""
    told = {"number": evening, "held": sorted(held)}
    key = "not_held" if held else "none_held"
    return Problem("error", "order", key, file=file, values=told)


def _start(from_evening: int, numbers: list[int]) -> float:
    """At which position of the evenings a parameter set begins; beyond the last at none.

    A number that is no evening's stands for the next one.
    """
    following = [number for number in numbers if number >= from_evening]
    if from_evening == 0:
        return -1
    return numbers.index(min(following)) if following else float("inf")


@contextmanager
def _uncollected() -> Iterator[None]:
    """While many rows are made, of which none is garbage, the collector does not look for any."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_uncollected()
def load_season(
    data: str | Path | pd.DataFrame,
    through: int | None = None,
    language: str | None = None,
    sheet: str | None = None,
    columns: dict | None = None,
) -> Season:
    """A season from its folder, or from a single table with default rules.

    Parameters
    ----------
    data : str, Path or DataFrame
        A folder with season.toml, evenings.csv and results.csv; or one table (CSV, workbook or in
        memory) with the columns `evening` and/or `date`, `player`, and `entries` with `chips_out`,
        or `buy_in_chips` with `chips_out`, or `result`.
    through : int, optional
        The evening held after which to look; the last one by default.
    language : {"de", "en"}, optional
        In place of the season's own.
    sheet : str, optional
        The only sheet of a workbook to read.
    columns : dict, optional
        What columns of a DataFrame mean, `{yours: ours}`; the others are recognised as in a file.

    Returns
    -------
    Season

    Raises
    ------
    DataError
        If nothing can be computed. Errors of single evenings do not raise: the evening is left
        out and the error stands in `Season.problems`.
    ValueError
        If a key of `columns` is no column, or two mean the same.

    Examples
    --------
    >>> df = pd.DataFrame({"Session": [1, 1], "Who": ["Anna", "Ben"], "Net": [50, -50]})
    >>> names = {"Session": "evening", "Who": "player", "Net": "result"}
    >>> liga.load_season(df, columns=names).held
    [1]
    """
    if language not in (None, *LANGUAGES):
        told = {"setting": "language", "found": repr(language)[:80], "kind": "language"}
        raise DataError(Problem("error", "setting", "setting_value", values=told))
    if isinstance(data, pd.DataFrame):
        season = _from_memory(data, columns or {}, language)
    elif columns is not None:
        raise ValueError("columns are named for a DataFrame only")
    elif (path := find_season(data)).is_file():
        season = _from_file(path, language, sheet)
    else:
        season = _from_folder(path, language)
    return season if through is None else season.through(through)


def _from_memory(table: pd.DataFrame, columns: dict, language: str | None) -> Season:
    """A season from rows in memory; line k is the row k; missing values are blank."""
    table = table.reset_index() if any(name is not None for name in table.index.names) else table
    unknown, ours = [name for name in columns if name not in table.columns], [*columns.values()]
    if unknown or len({*ours}) < len(ours):
        raise ValueError(f"no such columns: {unknown}" if unknown else f"meant twice: {ours}")
    name = Words(language or Settings.language).text("place.table")
    settings = Settings(name, language or Settings.language)
    cells = table.astype(object).where(table.notna(), "").to_numpy().tolist()
    header = [columns.get(name, name) for name in table.columns]
    plain = pd.api.types.is_integer_dtype(table.index.dtype)
    lines = table.index.tolist() if plain and table.index.is_unique else range(len(table))
    sheets = [Sheet("", [(None, header), *zip(lines, cells, strict=True)])]
    try:
        rows = results_table(settings.name, sheets, "", [], settings.rules)
    except DataError as error:
        error.add_note('load_season(table, columns={yours: "player"}) says what a column means.')
        raise
    return replace(build_season(Path(settings.name), settings, rows), path=None)


def _from_file(path: Path, language: str | None, sheet: str | None) -> Season:
    settings = Settings(clean_name(path.stem), language or Settings.language)
    table = protocol_table(path.name, read_file(path), settings.rules, sheet=sheet)
    return build_season(path, settings, table)


def _from_folder(path: Path, language: str | None) -> Season:
    settings = season_settings(path)
    settings = replace(settings, language=language or settings.language)
    tables = season_tables(snapshot(path.resolve(), tables_of(path)))
    season = build_season(path, settings, *tables)
    return replace(season, problems=(*told_of_folder(path), *season.problems))


def season_settings(folder: Path) -> Settings:
    """The settings of a season folder; the defaults if it has no season.toml.

    Raises
    ------
    DataError
        If it is no season folder.
    """
    if not is_season(folder):
        raise DataError(Problem("error", "setting", "no_season", values={"folder": str(folder)}))
    path = folder.resolve() / SETTINGS
    data = snapshot(folder.resolve(), [path])[path]
    return Settings(clean_name(path.parent.name)) if data is None else read_settings(path, data)


def season_tables(contents: dict[Path, bytes | None]) -> list[Table | None]:
    """The tables in those files; None where one is absent or holds no more than a header."""
    needed = [("evening", *REQUIRED), ("evening",), ("licence", "player"), ("evening", "what")]
    tables = [
        None if data is None else parse_table(path.name, data, columns, rows=False)
        for (path, data), columns in zip(contents.items(), needed, strict=True)
    ]
    return [table if table is not None and len(table) else None for table in tables]


def build_season(
    path: Path,
    settings: Settings,
    results: Table | Rows | None,
    evenings: Table | None = None,
    registry: Table | None = None,
    corrections: Table | None = None,
) -> Season:
    """A season from its settings and tables; see `load_season`.

    Results that were judged already (`Rows`) are not judged again.
    """
    read = read_rows(results, settings.rules) if isinstance(results, Table) else results
    rows = seen = pd.DataFrame(columns=["line", *RESULT_COLUMNS, "stake"])
    file, problems = path.name, []
    if read is not None:
        rows, seen, file, problems = read.table, read.evenings, read.source.file, [*read.problems]
    for table in (evenings, registry):
        problems += [] if table is None else [*table.problems, *unread(table, results=False)]
    announced, told = announced_evenings(evenings)
    licences, doubts = registered(registry)
    table, more = calendar(seen, announced, owners(licences), file)
    problems += [*told, *more, *doubts, *_not_begun(settings, table)]
    numbers = table["evening"].tolist()
    order = {evening: k for k, evening in enumerate(numbers)}
    by_number = np.argsort(numbers)
    place = by_number[np.searchsorted(numbers, rows["evening"].astype(int), sorter=by_number)]
    rows = rows.assign(player=pd.Categorical(rows["player"]))  # codes in the names' order
    sorting = np.lexsort((rows["line"].to_numpy(int), rows["player"].cat.codes, place))
    seats = rows[["line", "evening", "player"]].iloc[sorting]
    sheets = read.source.sheets if read is not None else ()
    seats, guests, told = name_players(seats, licences, settings.language, file, sheets)
    problems += told
    errors = {p.evening for p in problems if p.severity == "error"}
    if None in errors:
        raise DataError(*(p for p in problems if p.severity == "error"))
    by_name = np.lexsort((seats["key"].cat.codes, place[sorting]))
    date, host = (table[column].to_numpy()[place] for column in ("date", "host"))
    rows = rows.assign(date=date, host=host).iloc[sorting[by_name]]
    rows = rows.assign(player=seats["player"].to_numpy()[by_name])
    counted = rows[~rows["evening"].isin(errors)] if errors else rows
    notes = dict(zip(numbers, table["note"].tolist(), strict=True))
    problems += told_of_evenings(counted, settings.rules, file, notes)
    noted, day = set(seen["evening"].unique()), table["date"].iloc
    problems = [
        replace(p, date=day[order[p.evening]]) if p.evening in order else p for p in problems
    ]
    kinds = {"evening": int, "entries": "Int64", "chips_out": float, "result": float}
    kinds |= dict.fromkeys(("host", "player", "note"), "str")
    final = counted[RESULT_COLUMNS].astype(kinds).reset_index(drop=True)
    return Season(
        path,
        settings,
        table,
        final,
        issued(licences, final, guests),
        canonical(corrections, CORRECTION_COLUMNS)[0][CORRECTION_COLUMNS],
        frozenset(guests and guests & set(final["player"].unique())),
        tuple(table["evening"][table["evening"].isin(errors & noted)].tolist()),
        tuple(sorted(problems, key=lambda p: (order.get(p.evening, -1), p.line or 0))),
    )


def _not_begun(settings: Settings, evenings: pd.DataFrame) -> list[Problem]:
    """Parameter sets from an evening beyond the last."""
    last = max(evenings["evening"], default=0)
    return [
        Problem("warning", "setting", "parameters_beyond", file=SETTINGS, values=told)
        for told in ({"from": p.from_evening, "last": last} for p in settings.parameters)
        if told["from"] > last
    ]
