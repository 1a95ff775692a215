"""Sentences about a season, each computed from its tables."""

import pandas as pd

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
_STEP = ["rank", "player", "rating"]


def headline(found: Overview) -> list[str]:
    """Who leads or has won although somebody else won more, and how surely; the main one first.

    Where σ does not fit no chance is told: it would rest on that σ.
    """
    words, table = found.words, found.table
    ranked = table[table["qualified"]]
    if ranked.empty:
        return [words.text("story.nobody")]
    leaders = list(ranked.loc[ranked["rank"] == 1, "player"])
    told = [_ahead(found, ranked, leaders)]
    if len(ranked) > len(leaders):
        told += _surely(found, leaders)
    return [*told, *_would_lead(found.season, table)]


def _ahead(found: Overview, ranked: pd.DataFrame, leaders: list[str]) -> str:
    words, held = found.words, len(found.season.held)
    second = list(ranked.loc[ranked["rank"] == 2, "player"])
    values = {"leader": leaders[0], "leaders": leaders, "second": second or ["–"]}
    early = held <= EARLY and not found.final
    if early:
        values["evenings"] = words.text(f"story.after_{'one' if held == 1 else 'few'}", n=held)
    if len(leaders) > 1:
        key = "won_joint" if found.final else "early_joint" if early else "joint"
    elif not second:
        key = "won_alone" if found.final else "alone"
    else:
        key = "won" if found.final else "early" if early else "leads"
        values["margin"] = _margin(found, ranked, leaders[0], second[0])
        values["although"] = _although(ranked, second, words)
    return words.text(f"story.{key}", **values)


def _margin(found: Overview, ranked: pd.DataFrame, leader: str, second: str) -> str:
    """How clear a lead is: by the chance that whoever leads is really the stronger of the two."""
    words, rating = found.words, ranked.set_index("player")["rating"]
    gap = words.chips(rating[leader] - rating[second])
    p = better_than(found.fit).loc[leader, second] if found.sure else 0.8
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
    told = {"total": other["total"], "evenings": words.over_evenings(other["evenings"])}
    told |= {"own": first["total"], "n": first["evenings"], "other": other["player"]}
    return words.text("story.although_most" if next_to.empty else "story.although", **told)


def _surely(found: Overview, leaders: list[str]) -> list[str]:
    words = found.words
    if not found.sure:
        return [words.text("story.scale", sigma=found.fit.sigma)]
    p, linked = found.truly["p_first"], "" if found.linked is None else "_linked"
    other, own, joint = p.drop(leaders).idxmax(), p[leaders].sum(), words.text("story.or")
    key, parts = "chance", [(joint.join(leaders), own), (other, p[other])]
    if p[other] > own:
        key, parts = "rather", parts[::-1]
    (names, first), (name, second) = parts
    told = {"names": names, "chance": words.in_100(first), "second": "", "past": past(found)}
    if second >= 0.01 and (key == "rather" or len(leaders) == 1):
        told["second"] = words.text("story.second", n=f"{100 * second:.0f}", name=name)
    sentence = words.text(f"story.{key}{linked}", **told)
    best = words.small(found.season.rules.podium)
    together = words.text("story.together", best=best, chance=words.in_100(found.together))
    title = [words.text("story.title")] if found.final and key == "rather" and linked else []
    return [capital(sentence), together, *title]


def capital(text: str) -> str:
    """As a sentence begins."""
    return text[:1].upper() + text[1:]


def past(found: Overview) -> str:
    """Whether the season before or the earlier seasons count; "" where there are none."""
    if found.linked is None:
        return ""
    one = len(found.linked.seasons) == 2
    return found.words.text("story.past_one" if one else "story.past")


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
    told = {"leader": leaders[-1][0], "evening": evenings[since]}
    return words.text(f"story.{key}{'_final' * final}", **told)


def chronicle(found: dict, words: Words) -> list[str]:
    """The season's turning points; `found` is `Overview.chronicle`."""
    told, swing, biggest, decisive = [], *(found[k] for k in ("swing", "biggest", "decisive"))
    if swing is not None and words.chips(swing["change"]) != words.chips(0):
        ranks = [swing["rank_before"], swing["rank"]]
        moved = not any(map(pd.isna, ranks)) and ranks[0] != ranks[1]
        shown = words.text("story.swing_ranks", **swing) if moved else ""
        key = "swing_up" if swing["change"] >= 0 else "swing_down"
        told.append(words.text(f"story.{key}", ranks=shown, **swing))
    day = "" if pd.isna(biggest["date"]) else words.text("story.day", date=biggest["date"])
    told.append(words.text("story.biggest", day=day, **biggest))
    if decisive is not None:
        key = "decisive" if decisive["changed"] else "decisive_same"
        key = key if decisive["places"] else "decisive_none"
        told.append(words.text(f"story.{key}", **decisive))
    return told


def evening_won(found: Overview) -> str:
    """Who won the last evening, and what with."""
    row = found.evenings.iloc[-1]
    told = {"winners": row["winners"], "result": row["result"], "evening": row["evening"]}
    return found.words.text("report.evening_won", **told)


def award_told(found: Overview) -> str:
    """One special award and who has won it; "" where none was given."""
    given = found.awards[found.awards["players"].map(len) > 0].set_index("award", drop=False)
    for award in (given.loc[name] for name in TOLD if name in given.index):
        values = {"name": found.words.text(f"award.{award['award']}.name")}
        values |= {"players": award["players"], "value": award_value(award, found.words)}
        return found.words.text("report.award_told", **values)
    return ""


def foretold(found: Overview) -> str:
    """How right each evening's forecasts were, against knowing nothing; "" where too few tell."""
    words, held = found.words, len(found.season.held)
    if held < SCORED or not found.sure:
        return ""
    scores = found.forecasts.groupby("way")[["log_score", "brier_first", "brier_podium"]].mean()
    zero = scores.loc["zero"]

    def told(way: str) -> dict[str, str]:
        share = (scores.loc[way] / zero - 1).round(2)
        log = round(scores.loc[way, "log_score"] - zero["log_score"], 3)
        shown = {"podium": share["brier_podium"], "first": share["brier_first"]}
        shown = {name: _signed(value, words.percent) for name, value in shown.items()}
        return shown | {"log": _signed(log, words.number)}

    linked = "linked" in scores.index
    alone = words.text("method.foretold_alone", **told("season")) if linked else ""
    known = f" ({past(found)})" if linked else ""
    main = told("linked" if linked else "season")
    return words.text("method.foretold", n=held, past=known, alone=alone, **main)


def _signed(value: float, shown) -> str:
    return ("+" if value > 0 else "") + shown(value)


def chat_lines(found: Overview) -> list[str]:
    """Three lines for the group: who leads, the podium, who won the evening and an award."""
    words, table = found.words, found.table[found.table["qualified"]]
    podium = table[table["rank"] <= found.season.rules.podium]
    steps = [f"{rank}. {player} {words.chips(r)}" for rank, player, r in podium[_STEP].values]
    return [headline(found)[0], " · ".join(steps), f"{evening_won(found)} {award_told(found)}"]


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


def award_lines(awards: list[dict], words: Words) -> list[str]:
    """Podium and awards, a line each, for a terminal."""
    return [_line(award, words) for award in awards]


def _line(award: dict, words: Words) -> str:
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
    """What the texts of an award are filled with."""
    return {
        "value": award["value"],
        "evening": award["evening"] and list(dict.fromkeys(award["evening"])),
        "counts": ", ".join(dict.fromkeys(words.evenings(n) for n in award["evenings"])),
        "chance": "" if pd.isna(award["p"]) else words.in_100(award["p"]),
    }
