"""Parts of the season report: an overview in, HTML out; see `views`."""

import re

import pandas as pd

from ..model.ranking import alphabetical
from ..pages import columns, views
from ..pages.markup import Html, MarkedWords, Scale, bars, html, spark
from ..season.names import name_key
from . import ahead, story
from .card_texts import card_texts
from .overview import Overview

SPARK, BARS, FIELD = 20, 72, 16  # heights of the pictures, in their own units


def _section(part: str, report: Overview, sentence: str = "", **values) -> Html:
    values |= {"number": _numbers(report), "count": report.words.evenings}
    return views.section(part, report.season, sentence, **values)


def _numbers(report: Overview) -> dict[str, str]:
    """The anchor of each player's card, by name and not by rank: guests have none."""
    anchors: dict[str, str] = {}
    for player in sorted((card["player"] for card in report.cards), key=alphabetical):
        plain = re.sub(r"\W+", "-", name_key(player)).strip("-")
        anchor = f"p-{plain}"
        while anchor in anchors.values():
            anchor += "-2"
        anchors[player] = anchor
    return anchors


def contents(report: Overview) -> Html:
    """Whose card to open; that names are invented, if they are; disputes and corrections."""
    note = report.words.text("report.pseudonymous") if report.pseudonyms else ""
    anchors, lines = _numbers(report), report.remarks
    return html("contents", report.words, number=anchors, note=note, remarks=lines)


def podium(report: Overview) -> Html:
    """The steps of the podium; players of equal rank stand on one."""
    words, rules, table = report.words, report.season.rules, report.table
    on_it = table[table["qualified"] & (table["rank"] <= rules.podium)]
    steps = [(int(rank), step.to_dict("records")) for rank, step in on_it.groupby("rank")]
    empty = words.text("report.nobody_ranked", attendance=rules.attendance)
    return _section("podium", report, "" if steps else empty, steps=steps)


def standings(report: Overview) -> Html:
    """The table, each rating drawn with its ±u on one scale; whoever is not ranked below a rule."""
    words, rules, table = report.words, report.season.rules, report.table
    low = min((table["rating"] - table["uncertainty"]).min(), 0)
    high = max((table["rating"] + table["uncertainty"]).max(), 0)
    x, held = Scale(low, high), report.season.held
    results = report.season.results.pivot(index="player", columns="evening", values="result")[held]
    most = results.abs().max(axis=None)
    rows = []
    for row in table.to_dict("records"):
        values = results.loc[row["player"]].tolist()
        ends = row["rating"] - row["uncertainty"], row["rating"] + row["uncertainty"]
        chance = report.truly["p_podium"].get(row["player"]) if report.contested else None
        drawn = {"low": x(ends[0]), "high": x(ends[1]), "dot": x(row["rating"])}
        drawn |= {"p_podium": chance, "missing": missing(report, row)}
        rows.append((row, drawn | {"spark": spark(values, most, SPARK)}))
    ranked = int(table["qualified"].sum())
    needed = {"needed": rules.evenings_needed(len(held)), "held": len(held)}
    note = "report.average_note" if rules.dropped else "report.average_note_none"
    notes = [words.text("report.standings_caption")]
    if len(held) > 1:
        notes.append(words.text("report.moves_note"))
        before = report.season.through(report.season.held[-2]).parameters.lam
        if report.lam is None and before != report.fit.lam:
            notes.append(words.text("report.moves_lam", lam=report.fit.lam, before=before))
    wide = [words.text("report.pictured"), words.text(note, average=_average(report))]
    if report.linked and report.contested:
        wide.append(words.text("report.truly_note", past=story.past(report)))
    return _section(
        "standings",
        report,
        ranked=rows[:ranked],
        others=rows[ranked:],
        out=words.text("report.out", attendance=rules.attendance, **needed),
        notes=notes,
        wide=wide,
        truly=words.text("report.truly", best=words.small(rules.podium)),
        further=columns.FURTHER,
        shown=columns.shown,
        zero=x(0),
        contested=report.contested,
        held=len(held),
        height=SPARK,
    )


def outlook(report: Overview) -> Html:
    """How the season may end and what its next evening can change, while evenings are to come."""
    if not report.goes_on:
        return Html()
    words, season, prospect = report.words, report.season, report.outlook
    players = list(prospect.players.itertuples())
    shown = {
        name: [ahead.chance(prospect, player, name, words) for player in players]
        for name in ("p_first", "p_podium", "p_qualified")
    }
    steps = ahead.nearest(prospect.next.passes).set_index("player")
    return _section(
        "outlook",
        report,
        ahead.outlook_line(prospect, words),
        players=prospect.players.reset_index(names="player").to_dict("records"),
        shown=shown,
        needed=[ahead.needed(prospect, player, words) for player in players],
        steps=steps.to_dict("index"),
        note=ahead.next_line(prospect, words),
        attendance=season.rules.attendance,
    )


def league(report: Overview) -> Html:
    """The league's all-time table, where there is more than one season."""
    if len(report.seasons) == 1:
        return Html()
    order = report.words.text("career.order")
    title, *notes = story.career_lines(report.seasons, report.words, not report.final)
    players = report.league.reset_index(names="player").to_dict("records")
    totals = bool(report.league["total"].notna().any())
    return _section("league", report, title, notes=[order, *notes], players=players, totals=totals)


def missing(report: Overview, row: dict) -> str:
    """With how many of the evenings announced next a player is ranked; "" where never."""
    season, rules = report.season, report.season.rules
    n = rules.evenings_missing(row["evenings"], len(season.held))
    if row["qualified"] or row["player"] in season.guests or n is None or n > len(season.announced):
        return ""
    key = "report.next_one" if n == 1 else "report.next_ones"
    return report.words.text(key, n=n, attendance=rules.attendance)


def cards(report: Overview) -> Html:
    """A card for everybody but guests, in the order of the table."""
    held, faced = report.season.held, pd.Series(dtype=float)
    for card in report.cards:
        for row in card["results"]:
            faced[row["evening"]] = row["field_strength"]
    widest = faced.abs().max() if (faced.round(report.words.digits) != 0).any() else float("inf")
    shown, in_table = [], report.table.set_index("player").to_dict("index")
    for card in report.cards:
        mine = {row["evening"]: row for row in card["results"]}
        table = pd.DataFrame.from_dict(mine, "index").reindex(held)
        rows = bars(table["result"], table["result"].abs().max(), BARS)
        drawn = zip(held, rows, bars(table["field_strength"], widest, FIELD), strict=True)
        results = [(row["evening"], report.words.signed(row["result"])) for row in card["results"]]
        shown.append(
            {
                "card": card,
                "row": in_table[card["player"]],
                "texts": card_texts(report, card),
                "alt": "; ".join(f"{evening}: {result}" for evening, result in results),
                "bars": [(mine[e], bar, field) for e, bar, field in drawn if e in mine],
            }
        )
    words, rules = report.words, report.season.rules
    notes = [words.text("report.cards_note")]
    sums = [card["receipt"]["field_strength"] for card in report.cards]
    weaker = sum(round(faced, words.digits) < 0 for faced in sums)
    if 2 * weaker > len(sums):
        notes.append(words.text("report.field_note", weaker=weaker, people=len(sums)))
    if report.next and not report.outlook and len(report.next.passes):
        notes.append(words.text("card.coming_note", field=report.next.field))
    notes += [report.words.text("report.difference")] * (report.outlook is not None)
    if report.linked:
        notes.append(words.text("report.linked_note", past=story.capital(story.past(report))))
    past = words.text("card.past", past=story.past(report)) if report.linked else ""
    return _section(
        "cards",
        report,
        notes=notes,
        cards=shown,
        further=columns.FURTHER,
        shown=columns.shown,
        held=len(held),
        evenings=held,
        heights=(BARS, FIELD),
        field_ends=[faced.min(), faced.max()],
        best=words.small(rules.podium),
        average=_average(report),
        past=past,
        sure=report.sure,
    )


def _average(report: Overview) -> str:
    """What the average of a card is called: it leaves the worst evenings out."""
    words, dropped = report.words, report.season.rules.dropped
    key = {0: "column.average", 1: "card.average_one"}.get(dropped, "card.average")
    return words.text(key, dropped=words.small(dropped))


def awards(report: Overview) -> Html:
    """A tile each for the special awards, also for those not awarded, with the reason."""
    words = report.words
    marked = MarkedWords(words.language, words.digits)
    tiles = []
    for award in report.awards[report.awards["award"] != "podium"].to_dict("records"):
        key, values = f"award.{award['award']}", story.award_values(award, words)
        known = award["value"] is not None
        tiles.append(
            {
                "name": words.text(f"{key}.name"),
                "players": award["players"],
                "value": marked.text(f"{key}.value", **values) if known else "",
                "sentence": story.award_sentence(award, report.season),
            }
        )
    note = "" if report.final else words.text("report.awards_so_far")
    return _section("awards", report, note, tiles=tiles)


def chronicle(report: Overview) -> Html:
    """The season's turning points in sentences, and who led when."""
    marked = MarkedWords(report.words.language, report.words.digits)
    sentences, reigns = story.chronicle(report.chronicle, marked), report.chronicle["reigns"]
    return _section(
        "turning", report, sentences=sentences, reigns=reigns, held=len(report.season.held)
    )


def evenings(report: Overview) -> Html:
    """Every evening: when, at whose place, how many, how many chips, who won."""
    table = report.evenings
    columns = [
        column
        for column in ("evening", "host", "players", "chips", "moved", "winners")
        if _known(table[column])
    ]
    hosts = [(row["host"], row["evenings"]) for row in report.chronicle["hosts"]]
    named = [f"{host} ({report.words.evenings(n)})" for host, n in hosts]
    return _section(
        "evenings",
        report,
        report.words.text("story.hosts", hosts=named) if named else "",
        rows=table.to_dict("records"),
        columns=columns,
        entry_chips=report.season.rules.entry_chips,
        nights=[_night(report, row) for row in table.to_dict("records")],
    )


def _night(report: Overview, evening: dict) -> dict | None:
    """Who was in when on an evening: where bars begin and end, and what they say."""
    stints = report.presence.get(evening["evening"])
    if stints is None:
        return None
    words, first = report.words, stints["start"].min()
    last = stints[["start", "end"]].max(axis=None)
    x, unit = Scale(first, last), stints["unit"].iloc[0]

    def at(moment: float) -> str:
        minutes = f"{int(moment) // 60 % 24}:{int(moment) % 60:02}"
        return words.text(f"night.{unit}", at=minutes if unit == "minutes" else f"{moment:g}")

    rows = {}
    for stint in stints.to_dict("records"):
        end = last if pd.isna(stint["end"]) else stint["end"]
        bust = stint["how"] == "bust"
        key = "night.bust" if bust else "night.stint"
        said = words.text(key, start=at(stint["start"]), end=at(end))
        bar = {"start": x(stint["start"]), "end": x(end), "bust": bust}
        rows.setdefault(stint["player"], []).append(bar | {"told": said})
    return evening | {"rows": rows, "ends": (at(first), at(last))}


def _known(column: pd.Series) -> bool:
    return bool((column.notna() & (column.astype(str) != "")).any())
