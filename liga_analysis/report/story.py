"""Sentences about a season, each computed from its tables."""

import pandas as pd

from ..model.careers import is_over
from ..model.honours import first_season
from ..model.pairs import better_than
from ..season.season import Season
from ..words import Words
from .overview import Overview

SCORED = 5  # evenings from which on it is told how right forecasts were
EARLY = 2  # evenings after which a lead is still no more than the toss of a coin
HAIR, NARROW, CLEAR = 0.55, 0.7, 0.9  # chances of the leader being better than the second
# Which award stands on the picture: the first of these that was given.
TOLD = ["biggest_comeback", "highest_result", "strongest_rise", "lowest_sd", "best_newcomer"]


def headline(report: Overview) -> list[str]:
    """Who leads or has won although somebody else won more, and how surely; the main one first.

    Where σ does not fit no chance is told: it would rest on that σ.
    """
    words, table = report.words, report.table
    ranked = table[table["qualified"]]
    if ranked.empty:
        return [words.text("story.nobody")]
    leaders = list(ranked.loc[ranked["rank"] == 1, "player"])
    sentences = [_ahead(report, ranked, leaders)]
    if len(ranked) > len(leaders):
        sentences += _surely(report, leaders)
    return [*sentences, *_drops(report, ranked), *_would_lead(report.season, table)]


def _ahead(report: Overview, ranked: pd.DataFrame, leaders: list[str]) -> str:
    words, held = report.words, len(report.season.held)
    second = list(ranked.loc[ranked["rank"] == 2, "player"])
    values = {"leader": leaders[0], "leaders": leaders, "second": second or ["–"]}
    early = held <= EARLY and not report.final
    if early:
        values["evenings"] = words.text(f"story.after_{'one' if held == 1 else 'few'}", n=held)
    if len(leaders) > 1:
        key = "won_joint" if report.final else "early_joint" if early else "joint"
    elif not second:
        key = "won_alone" if report.final else "alone"
    else:
        key = "won" if report.final else "early" if early else "leads"
        values["margin"] = _margin(report, ranked, leaders[0], second[0])
        values["although"] = _although(ranked, second, words)
    return words.text(f"story.{key}", **values)


def _margin(report: Overview, ranked: pd.DataFrame, leader: str, second: str) -> str:
    """How clear a lead is: by the chance that whoever leads is really the stronger of the two."""
    words, rating = report.words, ranked.set_index("player")["rating"]
    gap = words.chips(rating[leader] - rating[second])
    p = better_than(report.fit).loc[leader, second] if report.sure else 0.8
    hair = gap in (words.chips(0), words.chips(1)) or p < HAIR
    key = "hair" if hair else "narrow" if p < NARROW else "clear" if p >= CLEAR else ""
    return words.text(f"story.{key}") if key else ""


def _although(ranked: pd.DataFrame, second: list[str], words: Words) -> str:
    """Who won more than the leader: the second, or whoever won most; "" where nobody did."""
    first = ranked.iloc[0]
    more = ranked[ranked["total"] > first["total"]]
    if more.empty:
        return ""
    next_to = more[more["player"].isin(second)]
    other = more.loc[more["total"].idxmax()] if next_to.empty else next_to.iloc[0]
    values = {"total": other["total"], "evenings": words.over_evenings(other["evenings"])}
    values |= {"own": first["total"], "n": first["evenings"], "other": other["player"]}
    return words.text("story.although_most" if next_to.empty else "story.although", **values)


def _surely(report: Overview, leaders: list[str]) -> list[str]:
    words = report.words
    if not report.sure:
        return [words.text("story.scale", sigma=report.fit.sigma)]
    p, linked = report.truly["p_first"], "" if report.linked is None else "_linked"
    other, own, joint = p.drop(leaders).idxmax(), p[leaders].sum(), words.text("story.or")
    key, parts = "chance", [(joint.join(leaders), own), (other, p[other])]
    if p[other] > own:
        key, parts = "rather", parts[::-1]
    (names, first), (name, second) = parts
    values = {"names": names, "chance": words.in_100(first), "second": "", "past": past(report)}
    if second >= 0.01 and (key == "rather" or len(leaders) == 1):
        values["second"] = words.text("story.second", n=f"{100 * second:.0f}", name=name)
    sentence = words.text(f"story.{key}{linked}", **values)
    sentences = [capital(sentence)]
    if report.contested:
        sentences.append(words.text("story.together", chance=words.in_100(report.together)))
    if report.final and key == "rather" and linked:
        sentences.append(words.text("story.title"))
    return sentences


def capital(text: str) -> str:
    """As a sentence begins."""
    return text[:1].upper() + text[1:]


def past(report: Overview) -> str:
    """Whether the season before or the earlier seasons count; "" where there are none."""
    if report.linked is None:
        return ""
    one = len(report.linked.seasons) == 2
    return report.words.text("story.past_one" if one else "story.past")


def _drops(report: Overview, ranked: pd.DataFrame) -> list[str]:
    """Who on the podium leaves the ranking by missing an evening, and who then has the place."""
    sentences, places = [], ranked.set_index("player")["rank"]
    for player in report.dropping:
        rank = places[player]
        if rank <= report.season.rules.podium:
            others = places.drop(player).rank(method="min")
            heirs = list(others.index[others == rank]) or [report.words.text("story.nobody_leads")]
            values = {"player": player, "rank": rank, "heirs": heirs}
            sentences.append(report.words.text("story.drops", **values))
    return sentences


def _would_lead(season: Season, table: pd.DataFrame) -> list[str]:
    """The player außer Wertung who would stand first, guests apart."""
    out = table[~table["qualified"] & ~table["player"].isin(season.guests)]
    if out.empty or out["rating"].iloc[0] <= table["rating"].iloc[0]:
        return []
    best = out.iloc[0][["player", "rating", "evenings"]]
    return [season.words.text("story.would_lead", held=len(season.held), **best)]


def lead(development: pd.DataFrame, words: Words, final: bool = False) -> str:
    """Since when the leader has led, alone and without a break; "" where nobody leads alone."""
    first = development[development["rank"] == 1].groupby("evening", sort=False)["player"].agg(list)
    evenings = development["evening"].drop_duplicates().tolist()
    leaders = first.reindex(evenings).tolist()
    if not isinstance(leaders[-1], list) or len(leaders[-1]) > 1 or len(evenings) == 1:
        return ""
    since = next((k for k in reversed(range(len(leaders))) if leaders[k] != leaders[-1]), -1) + 1
    key = "always" if since == 0 else "taken" if since == len(leaders) - 1 else "since"
    values = {"leader": leaders[-1][0], "evening": evenings[since]}
    if key == "taken":
        before = development[development["evening"] == evenings[-2]].set_index("player")["rank"]
        if pd.isna(before.get(values["leader"])):
            key = "joined"  # who was ahead already has not taken the lead
    return words.text(f"story.{key}{'_final' * final}", **values)


def chronicle(turns: dict, words: Words) -> list[str]:
    """The season's turning points, from `Overview.chronicle`."""
    sentences, swing, biggest, decisive = [], *(turns[k] for k in ("swing", "biggest", "decisive"))
    if swing is not None and words.chips(swing["change"]) != words.chips(0):
        ranks = [swing["rank_before"], swing["rank"]]
        moved = not any(map(pd.isna, ranks)) and ranks[0] != ranks[1]
        shown = words.text("story.swing_ranks", **swing) if moved else ""
        key = "swing_up" if swing["change"] >= 0 else "swing_down"
        sentences.append(words.text(f"story.{key}", ranks=shown, **swing))
    day = "" if pd.isna(biggest["date"]) else words.text("story.day", date=biggest["date"])
    sentences.append(words.text("story.biggest", day=day, **biggest))
    if decisive is not None:
        key = "decisive" if decisive["changed"] else "decisive_same"
        key = key if decisive["places"] else "decisive_none"
        sentences.append(words.text(f"story.{key}", **decisive))
    return sentences


def evening_won(report: Overview) -> str:
    """Who won the last evening, and what with."""
    row = report.evenings.iloc[-1]
    values = {"winners": row["winners"], "result": row["result"], "evening": row["evening"]}
    return report.words.text("report.evening_won", **values)


def award_told(report: Overview) -> str:
    """One special award and who has won it; "" where none was given."""
    given = report.awards[report.awards["players"].map(len) > 0].set_index("award", drop=False)
    for award in (given.loc[name] for name in TOLD if name in given.index):
        values = {"name": report.words.text(f"award.{award['award']}.name")}
        values |= {"players": award["players"], "value": award_value(award, report.words)}
        return report.words.text(f"report.award_{'told' if report.final else 'leads'}", **values)
    return ""


def foretold(report: Overview) -> str:
    """How right each evening's forecasts were, against knowing nothing; "" where too few tell."""
    words, held = report.words, len(report.season.held)
    if held < SCORED or not report.sure:
        return ""
    scores = report.forecasts.groupby("way")[["log_score", "brier_first", "brier_podium"]].mean()
    zero = scores.loc["zero"]

    def changes(way: str) -> dict[str, str]:
        share = (scores.loc[way] / zero - 1).round(2)
        log = round(scores.loc[way, "log_score"] - zero["log_score"], 3)
        shown = {"podium": share["brier_podium"], "first": share["brier_first"]}
        for name, value in shown.items():
            key = "method.larger" if value > 0 else "method.smaller"
            shown[name] = words.text(key, share=abs(value))
        return shown | {"log": ("+" if log > 0 else "") + words.number(log)}

    linked = "linked" in scores.index
    alone = words.text("method.foretold_alone", **changes("season")) if linked else ""
    known = f" ({past(report)})" if linked else ""
    main = changes("linked" if linked else "season")
    return words.text("method.foretold", n=held, past=known, alone=alone, **main)


def chat_lines(report: Overview) -> list[str]:
    """Three lines for the group: who leads, the podium, who won the evening and an award."""
    words, table = report.words, report.table[report.table["qualified"]]
    podium = table[table["rank"] <= report.season.rules.podium]
    steps = [
        f"{rank}. {player} {words.chips(r)}"
        for rank, player, r in podium[["rank", "player", "rating"]].values
    ]
    return [headline(report)[0], " · ".join(steps), f"{evening_won(report)} {award_told(report)}"]


def award_value(award: dict, words: Words) -> str:
    """What an award was won with: "+6.210 Chips"; a total never without its evenings."""
    return words.text(f"award.{award['award']}.value", **award_values(award, words))


def award_sentence(award: dict, season: Season) -> str:
    """What the award means, or why it is not awarded."""
    words, key = season.words, "sentence"
    if not award["players"]:
        key = award["reason"]
    elif award["award"] == "best_newcomer" and first_season(season):
        key = "sentence_first_season"
    values = award_values(award, words) | {"held": len(season.held)}
    return words.text(f"award.{award['award']}.{key}", **values)


def award_line(award: dict, words: Words) -> str:
    """A step of the podium or an award, in a line for a terminal."""
    key, players = f"award.{award['award']}", words.listing(award["players"] or ["–"])
    if award["award"] == "podium":
        if not award["players"]:
            return words.text("story.nobody")
        return f"{award['rank']}. {players} ({words.chips(award['value'])})"
    name = words.text(f"{key}.name")
    if award["players"]:
        return f"{name}: {players} ({award_value(award, words)})"
    reason = words.text(f"{key}.{award['reason']}")
    return f"{name}: {words.text('report.not_awarded')}. {reason}"


def award_values(award: dict, words: Words) -> dict:
    """What the texts of an award are filled with; an equal number of evenings is said once."""
    counts, luck = award["evenings"], ""
    if not pd.isna(award["p"]):  # None above 3,000 players
        luck = words.text("award.strongest_rise.luck", chance=words.in_100(award["p"]))
    return {
        "value": award["value"],
        "evening": award["evening"] and list(dict.fromkeys(award["evening"])),
        "counts": ", ".join(map(words.evenings, counts[:1] if len({*counts}) == 1 else counts)),
        "luck": luck,
    }


def career_lines(seasons: list[Season], words: Words, running: bool = False) -> list[str]:
    """Which seasons the table has, and what is to be kept in mind; `running` as for `all_time`."""
    names = [season.name for season in seasons]
    title = names[0]
    if len(names) > 1:
        title = words.text("career.span", first=names[0], last=names[-1])
    lines = [title, words.text("career.scale")]
    lines += [
        words.text("career.left_out", season=season.name, evenings=season.left_out)
        for season in seasons
        if season.left_out
    ]
    lines += [
        words.text("career.running", season=season.name)
        for season in seasons
        if not is_over(season, seasons, running)
    ]
    if len({season.rules.entry_chips for season in seasons}) > 1:
        lines.append(words.text("career.total_missing"))
    return lines
