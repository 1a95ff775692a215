"""Disputes and corrections in plain lines, the same on page, workbook and picture."""

import pandas as pd

from ..season.season import Season
from ..words import LANGUAGES, Problem, Words


def accepted(problem: Problem, words: Words) -> str | None:
    """Why the round accepted that an evening does not sum to zero; None where it did not."""
    if problem.code != "sum":
        return None
    for language in LANGUAGES:
        values = {"sum": problem.values["sum"], "reason": ""}
        told = Words(language, words.digits).text("record.accepted", **values).strip()
        _, known, reason = (problem.values.get("note") or "").partition(told)
        if known:
            return reason.strip()
    return None


def remarks(season: Season) -> list[str]:
    """A line for each accepted sum, and one that names what was corrected."""
    words, lines = season.words, []
    for problem in season.problems:
        reason = accepted(problem, words)
        if reason is not None:
            chips = problem.values["sum"]
            key = f"accepted_{'missing' if chips < 0 else 'over'}"
            told = {"evening": problem.evening, "chips": abs(chips)}
            why = words.text("remark.why", reason=reason) if reason else ""
            lines.append(words.text(f"remark.{key}", why=why, **told))
    number = pd.to_numeric(season.corrections["evening"], errors="coerce")  # a rename has none
    changes = season.corrections.assign(evening=number).dropna(subset="evening")
    if len(changes):
        told = [
            words.text("remark.corrected_one", evening=int(row.evening), why=why)
            for row in changes.itertuples()
            for why in [words.text("remark.why", reason=row.why) if row.why else ""]
        ]
        lines.append(words.text("remark.corrected", evenings=list(dict.fromkeys(told))))
    return lines
