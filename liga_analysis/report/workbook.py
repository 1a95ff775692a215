"""The tables of a report as a workbook."""

import re
from pathlib import Path

import pandas as pd

from ..model.careers import side_by_side
from ..pages.columns import ALL_TIME, STANDINGS
from ..pages.views import as_of, facts
from ..words import Words
from . import story
from .overview import Overview

SHARES = {"p_truly", "p_strongest", "p_title", "p_end", "p_qualified", "p_better", "reliability"}
SHARES |= {"p", "attendance"}
SIGNED = {"result", "imbalance", "move", "field_strength"}
SIGNED |= {column.name for column in (*STANDINGS, *ALL_TIME) if column.kind == "signed"}
# Shares and λ have decimals of their own; all else is chips or counts.
_FORMATS = {"share": "0.0%", "signed": "+#,##0;\N{MINUS SIGN}#,##0;0", "amount": "#,##0"}
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold
_TRULY = {"p_podium": "p_truly", "p_first": "p_strongest"}
_END = {"p_podium": "p_end", "p_first": "p_title"}
_RESULTS = ["evening", "date", "host", "player", "entries", "chips_out", "result"]


def tables(report: Overview) -> dict[str, pd.DataFrame]:
    """All tables of a report by the key of their name, raw, with the headings of the package.

    Columns without any value are left out. What the standings stand for, accepted sums and
    corrections are in their last column, so that sorting leaves them in place.
    """
    season, words = report.season, report.words
    known = {words.text(f"report.{key}"): value for key, value in facts(season, report.fit).items()}
    careers = side_by_side(report.seasons, not report.final) if len(report.seasons) > 1 else []
    made = {
        "standings": _standings(report),
        "cross": _cross(report),
        "results": season.results[_RESULTS],
        "evenings": report.evenings,
        "awards": _awards(report),
        "receipts": _receipts(report),
        "outlook": _outlook(report),
        "rivals": _rivals(report),
        "development": report.development,
        "encounters": report.encounters,
        "league": report.league.reset_index(names="player") if len(careers) else careers,
        "career": careers,
        "corrections": report.corrections,
        "remarks": _remarks(report),
        "provenance": pd.DataFrame({"fact": list(known), "value": list(map(str, known.values()))}),
    }
    return {name: _filled(table, words) for name, table in made.items() if len(table)}


def _standings(report: Overview) -> pd.DataFrame:
    table = report.table
    if report.sure:
        columns = ["player", *_TRULY, "joint_low", "joint_high"]
        truly = report.truly.reset_index(names="player")[columns].rename(columns=_TRULY)
        table = table.join(truly.set_index("player"), on="player")
    note = " · ".join([as_of(report.season), *report.remarks])
    return table.join(pd.Series(note, table.index, name="note"))


def _outlook(report: Overview) -> pd.DataFrame:
    if not report.outlook:
        return pd.DataFrame()
    return report.outlook.players.reset_index(names="player").rename(columns=_END)


def _cross(report: Overview) -> pd.DataFrame:
    """Players by evenings, in table order; blank where somebody was absent."""
    results, held = report.season.results, report.season.held
    cross = results.pivot(index="player", columns="evening", values="result")[held]
    sums = report.table.set_index("player")[["total", "evenings"]]
    return cross.loc[sums.index].join(sums).reset_index(names="player")


def _awards(report: Overview) -> pd.DataFrame:
    words, season = report.words, report.season
    return report.awards.rename(columns={"players": "player"}).assign(
        value=pd.to_numeric(report.awards["value"]),
        award=[
            words.text("report.podium" if award == "podium" else f"award.{award}.name")
            for award in report.awards["award"]
        ],
        reason=[
            story.award_sentence(a, season) if a["reason"] and a["award"] != "podium" else ""
            for a in report.awards.to_dict("records")
        ],
    )


def _receipts(report: Overview) -> pd.DataFrame:
    rows = [
        {"player": card["player"], **card["receipt"], "evenings": card["evenings"]}
        | {"reliability": card["reliability"]}
        for card in report.cards
    ]
    return pd.DataFrame(rows)


def _rivals(report: Overview) -> pd.DataFrame:
    if not report.sure:
        return pd.DataFrame()
    ranked = report.table.loc[report.table["qualified"], "player"]
    better = report.better.loc[ranked, ranked].rename_axis("player")
    return better.rename_axis("other", axis=1).stack().rename("p_better").dropna().reset_index()


def _remarks(report: Overview) -> pd.DataFrame:
    """Errors and warnings, accepted sums, corrections: a line each."""
    words = report.words
    rows = [
        {"kind": words.text(f"severity.{p.severity}"), "note": p.message(words.language)}
        for p in report.doubts
        if p.severity != "hint"
    ]
    hint = words.text("severity.hint")
    return pd.DataFrame([*rows, *({"kind": hint, "note": line} for line in report.remarks)])


def _filled(table: pd.DataFrame, words: Words) -> pd.DataFrame:
    """A table without its empty columns, yes and no in words."""
    answers = {True: words.text("report.yes"), False: words.text("report.no")}
    table = table.assign(**{c: table[c].map(answers) for c in table.select_dtypes(bool)})
    shown = [c for c in table if (table[c].notna() & (table[c].astype(str) != "")).any()]
    return table[shown].reset_index(drop=True)


def _heading(column: str | int, words: Words) -> str:
    if not isinstance(column, str):
        return words.text("place.evening", evening=column)
    return words.text("report.note" if column == "note" else f"column.{column}")


def write_workbook(tables: dict[str, pd.DataFrame], words: Words, path: Path) -> None:
    """All tables as sheets of one workbook: numbers as numbers, text as text."""
    from openpyxl import Workbook  # takes a while; only when a workbook is made
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    book.remove(book.active)
    day = {"de": "dd.mm.yyyy", "en": "d mmm yyyy"}[words.language]
    decimals = "." + "0" * words.digits if words.digits else ""
    for name, table in tables.items():
        sheet = book.create_sheet(words.text(f"report.table_{name}"))
        for at, column in enumerate(table, 1):
            cells = [_heading(column, words), *table[column]]
            form = _format(column, table[column], day).replace("##0", "##0" + decimals)
            widths = []
            for line, value in enumerate(cells, 1):
                value = _cell(value)
                if value is None:
                    continue
                cell = sheet.cell(line, at, value)
                if isinstance(value, str):
                    # Never a formula, nor one when somebody edits the cell.
                    cell.data_type, cell.quotePrefix = "s", value[:1] in "=+-@"
                elif line > 1:
                    cell.number_format = day if cell.is_date else form
                widths.append(len(value) if isinstance(value, str) else 10)
            sheet.cell(1, at).font = Font(bold=True)
            sheet.column_dimensions[get_column_letter(at)].width = min(max(widths), 60) + 2
        sheet.freeze_panes = "A2"
        sheet.auto_filter.ref = sheet.dimensions
    book.save(path)


def _cell(value):
    if isinstance(value, (list, tuple)):
        value = value[0] if len(value) == 1 else ", ".join(map(str, value))
    if isinstance(value, str):
        return _ILLEGAL.sub("", value)[:32_000] or None
    if value is None or pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def _format(column: str | int, values: pd.Series, day: str) -> str:
    if pd.api.types.is_datetime64_any_dtype(values):
        return day
    if column == "lam":
        return "General"
    signed = column in SIGNED or not isinstance(column, str)  # an evening of the cross table
    return _FORMATS["share" if column in SHARES else "signed" if signed else "amount"]
