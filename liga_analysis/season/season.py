"""A season from its files, or from one table: read, joined and checked."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..words import LANGUAGES, DataError, Problem, Words
from .cells import Table, clean_name
from .evenings import EVENING_COLUMNS, announced_evenings, calendar, told_of_evenings
from .folder import SETTINGS, find_season, is_season, tables_of, told_of_folder
from .journal import snapshot
from .played import Season
from .protocol import REQUIRED, Rows, read_rows
from .reader import parse_table, read_file, unread
from .roster import LICENCE_COLUMNS, issued, name_players, owners, registered
from .rows import Sheet
from .settings import Settings, read_settings
from .sources import protocol_table
from .writer import canonical

RESULT_COLUMNS = ["evening", "date", "host", "player", "entries", "chips_out", "result", "note"]
STORED_COLUMNS = ["evening", "player", "entries", "chips_out", "result", "note"]
CORRECTION_COLUMNS = ["when", "evening", "what", "why"]
# Of results, evenings, licences and corrections, as they are stored.
TABLE_COLUMNS = (STORED_COLUMNS, EVENING_COLUMNS, LICENCE_COLUMNS, CORRECTION_COLUMNS)


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
        facts = {"setting": "language", "found": repr(language)[:80], "kind": "language"}
        raise DataError(Problem("error", "setting", "setting_value", values=facts))
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
        rows = protocol_table(settings.name, sheets, settings.rules)
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
    tables = []
    for (path, data), columns, own in zip(contents.items(), needed, TABLE_COLUMNS, strict=True):
        try:
            table = None if data is None else parse_table(path.name, data, columns, rows=False)
        except DataError as error:
            problem = error.problems[0]
            if problem.key != "no_header":
                raise
            values = problem.values | {"header": ";".join(own)}
            raise DataError(replace(problem, key="no_own_header", values=values)) from None
        tables.append(table if table is not None and len(table) else None)
    return tables


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
    announced, undated = announced_evenings(evenings)
    licences, doubts = registered(registry)
    table, more = calendar(seen, announced, owners(licences), file)
    problems += [*undated, *more, *doubts, *_not_begun(settings, table)]
    numbers = table["evening"].tolist()
    order = {evening: k for k, evening in enumerate(numbers)}
    by_number = np.argsort(numbers)
    place = by_number[np.searchsorted(numbers, rows["evening"].astype(int), sorter=by_number)]
    rows = rows.assign(player=pd.Categorical(rows["player"]))  # codes in the names' order
    sorting = np.lexsort((rows["line"].to_numpy(int), rows["player"].cat.codes, place))
    seats = rows[["line", "evening", "player"]].iloc[sorting]
    sheets = read.source.sheets if read is not None else ()
    seats, guests, doubts = name_players(seats, licences, settings.language, file, sheets)
    problems += doubts
    errors = {p.evening for p in problems if p.severity == "error"}
    if None in errors:
        raise DataError.among(problems)
    by_name = np.lexsort((seats["key"].cat.codes, place[sorting]))
    sorting = sorting[by_name]
    rows = rows.drop(columns=["line", "date", "host", "player"]).iloc[sorting]
    date, host = (table[column].array[place[sorting]] for column in ("date", "host"))
    rows = rows.assign(date=date, host=host, player=seats["player"].array[by_name])
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
        Problem("warning", "setting", "parameters_beyond", file=SETTINGS, values=facts)
        for facts in ({"from": p.from_evening, "last": last} for p in settings.parameters)
        if facts["from"] > last
    ]
