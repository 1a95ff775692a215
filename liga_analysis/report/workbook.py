"""The tables of a report as a workbook."""

import re
from pathlib import Path

import pandas as pd

from ..model.draws import better_than
from ..pages.columns import STANDINGS
from ..pages.views import facts, reservation
from ..words import Words
from . import story
from .overview import Overview

# Shares and λ have decimals of their own; all else is chips or counts.
SHARES = {"p", "p_first", "p_podium", "p_better", "reliability"}
SIGNED = {"result", "imbalance", "move", "field_strength"}
SIGNED |= {column.name for column in STANDINGS if column.kind == "signed"}
_FORMATS = {"share": "0.0%", "signed": "+#,##0;\N{MINUS SIGN}#,##0;0", "amount": "#,##0"}
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold


def tables(found: Overview) -> dict[str, pd.DataFrame]:
    """All tables of a report by the key of their name, raw, with the headings of the package.

    Columns without any value are left out.
    """
    words, season = found.words, found.season
    standings = found.table.merge(
        found.truly.reset_index(names="player"), on="player", how="left"
    ).drop(columns=["rank_mean", "rank_low", "rank_high"])
    answers = {True: words.text("report.yes"), False: words.text("report.no")}
    standings["qualified"] = standings["qualified"].map(answers)
    if not found.sure:
        standings = standings.drop(columns=["p_first", "p_podium", "joint_low", "joint_high"])
    if season.left_out:
        standings["note"] = reservation(season)
    awards = found.awards.rename(columns={"players": "player"}).assign(
        value=pd.to_numeric(found.awards["value"]),
        award=[_award(award, words) for award in found.awards["award"]],
        reason=[
            story.award_sentence(a, season) if a["reason"] and a["award"] != "podium" else ""
            for a in found.awards.to_dict("records")
        ],
    )
    receipts = pd.DataFrame(
        [
            {"player": card["player"], **(card["receipt"] or {}), "evenings": card["evenings"]}
            | {"reliability": card["reliability"]}
            for card in found.cards
        ]
    )
    ranked = found.table.loc[found.table["qualified"], "player"]
    better = better_than(found.fit).loc[ranked, ranked].rename_axis("player")
    rivals = better.rename_axis("other", axis=1).stack().rename("p_better").dropna().reset_index()
    told = {words.text(f"report.{key}"): value for key, value in facts(season, found.fit).items()}
    results = ["evening", "date", "host", "player", "entries", "chips_out", "result"]
    made = {
        "standings": standings,
        "results": season.results[results],
        "evenings": found.evenings,
        "awards": awards,
        "receipts": receipts,
        "development": found.development,
        "encounters": found.encounters,
        "rivals": rivals if found.sure else rivals.iloc[:0],
        "provenance": pd.DataFrame({"fact": list(told), "value": list(map(str, told.values()))}),
    }
    return {name: _filled(table) for name, table in made.items() if len(table)}


def _award(award: str, words: Words) -> str:
    return words.text("report.podium" if award == "podium" else f"award.{award}.name")


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    shown = [c for c in table if (table[c].notna() & (table[c].astype(str) != "")).any()]
    return table[shown].reset_index(drop=True)


def _heading(column: str, words: Words) -> str:
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
                    cell.number_format = form
                widths.append(len(value) if isinstance(value, str) else 10)
            sheet.cell(1, at).font = Font(bold=True)
            sheet.column_dimensions[get_column_letter(at)].width = min(max(widths), 60) + 2
        sheet.freeze_panes = "A2"
        sheet.auto_filter.ref = sheet.dimensions
    book.save(path)


def _cell(value):
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    if isinstance(value, str):
        return _ILLEGAL.sub("", value)[:32_000] or None
    if value is None or pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def _format(column: str, values: pd.Series, day: str) -> str:
    if pd.api.types.is_datetime64_any_dtype(values):
        return day
    if column == "lam":
        return "General"
    return _FORMATS["share" if column in SHARES else "signed" if column in SIGNED else "amount"]
