"""Sentences on a player's card: five that are spoken, and what stands below them."""

import pandas as pd
from markupsafe import Markup

from ..model.rating import TIE
from ..pages.markup import MarkedWords
from .overview import Overview

HARDLY, CLEARLY = 0.05, 0.3  # of τ an evening: how much stronger a field is before it is said


def card_texts(found: Overview, card: dict) -> dict[str, list[Markup] | Markup]:
    """`spoken` (place, how sure, why, next evening, rivals), `receipt` (the rating's formula),
    `compare` (that of the nearest rival), `more` (what is settled, earlier seasons).
    """
    words = MarkedWords(found.words.language, found.words.digits)
    spoken = [_place(card, words, found), _sure(card, words, found), _why(card, words, found)]
    spoken += [_next(card, words, found), _rivals(card, words, found)]
    told = {"spoken": [line for line in spoken if line], "receipt": Markup(), "compare": Markup()}
    if card["receipt"] is not None:
        told["receipt"] = _receipt(card["receipt"], words, found)
        if card["qualified"] and (nearest := [*card["above"], *card["below"]]):
            receipt = _receipt(nearest[0]["receipt"], words, found)
            picked = _pick(nearest[0], "player rank")
            told["compare"] = words.text("card.compare", receipt=receipt, **picked)
    told["more"] = [] if pd.isna(card["reliability"]) else [_settled(card, words)]
    if earlier := found.earlier.get(card["player"]):
        seasons = [
            words.text("card.season_rank" if row["qualified"] else "card.season_out", **row)
            for row in earlier
        ]
        told["more"].append(words.text("card.seasons", told=Markup("; ").join(seasons)))
    return told


def _pick(card: dict, names: str) -> dict:
    return {name: card[name] for name in names.split()}


def _place(card: dict, words: MarkedWords, found: Overview) -> Markup:
    key = "place" if card["qualified"] else "place_out"
    ranked = int(found.table["qualified"].sum())
    told = _pick(card, "rank evenings") | {"ranked": ranked, "held": len(found.season.held)}
    return words.text(f"card.{key}", **told)


def _sure(card: dict, words: MarkedWords, found: Overview) -> Markup:
    if not (card["qualified"] and found.sure):
        return Markup()
    best = words.small(found.season.rules.podium)
    sure = words.text("card.truly", best=best, **_pick(card, "p_podium p_first"))
    end = "" if card["p_end"] is None else words.text("card.end", p_end=card["p_end"])
    key = "joint_one" if card["joint_low"] == card["joint_high"] else "joint"
    ranks = words.text(f"card.{key}", **_pick(card, "joint_low joint_high"))
    return Markup(" ").join(filter(None, [sure, end, ranks]))


def _why(card: dict, words: MarkedWords, found: Overview) -> Markup:
    parts = card["receipt"]
    if parts is None:
        return Markup()
    counted = words.over_evenings(parts["evenings"])
    told = [words.text("card.brought", total=parts["total"], evenings=counted)]
    if _unbalanced(parts, found):
        told.append(words.text("card.imbalance", imbalance=parts["imbalance"]))
    faced = parts["field_strength"]
    share = abs(faced) / (parts["evenings"] * found.fit.tau)
    much = "hardly" if share < HARDLY else "clearly" if share > CLEARLY else "somewhat"
    way = "strong" if faced > 0 else "weak"
    told.append(words.text(f"card.field_{way}_{much}", field_strength=faced))
    return Markup(" ").join([*told, *_although(card, words)])


def _although(card: dict, words: MarkedWords) -> list[Markup]:
    """Why somebody who won more stands below, or somebody who won less stands above."""
    mine = card["receipt"]
    for rival in [*card["above"], *card["below"]]:
        theirs, above = rival["receipt"], rival in card["above"]
        if (mine["total"] > theirs["total"]) != above or mine["total"] == theirs["total"]:
            continue
        sign = -1 if above else 1  # what speaks for the one who stands higher
        fewer = theirs["evenings"] - mine["evenings"]
        mean = (part["field_strength"] / part["evenings"] for part in (mine, theirs))
        stronger = next(mean) - next(mean)
        reasons = []
        if sign * fewer > 0:
            key = "fewer" if fewer > 0 else "more"
            many = "_one" if abs(fewer) == 1 else ""
            reasons.append(words.text(f"card.{key}{many}", n=words.small(abs(fewer))))
        if sign * stronger > 0:
            reasons.append(words.text(f"card.{'stronger' if stronger > 0 else 'weaker'}"))
        if reasons:
            joined = Markup(words.text("card.and")).join(reasons)
            key = "won_more" if above else "won_less"
            return [words.text(f"card.{key}", player=rival["player"], reasons=joined)]
    return []


def _next(card: dict, words: MarkedWords, found: Overview) -> Markup:
    """What the next evening must bring; where none is announced, what the last one lacked."""
    if found.outlook and (steps := found.outlook["next"]):
        mine = [step for step in steps["passes"] if step["player"] == card["player"]]
        if mine:
            step = min(mine, key=lambda step: step["result"])
            return words.text("card.passes", **_pick(step, "other chips"))
        threats = [step for step in steps["passes"] if step["other"] == card["player"]]
        if threats and card["rank"] == 1:
            step = min(threats, key=lambda step: step["result"])
            return words.text("card.passed", **_pick(step, "player chips"))
    if not (step := card["next"]):
        return Markup()
    key = "lacked_lead" if card["rank"] == 1 else "lacked"
    return words.text(f"card.{key}", **step | {"chips": abs(step["chips"])})


def _rivals(card: dict, words: MarkedWords, found: Overview) -> Markup:
    if not (card["qualified"] and found.sure):
        return Markup()
    told = [
        words.text(f"card.rival_{side}", **_pick(card[side][0], "player p"))
        for side in ("above", "below")
        if card[side]
    ]
    return words.text("card.stronger_than", told=Markup(", ").join(told)) if told else Markup()


def _settled(card: dict, words: MarkedWords) -> Markup:
    share = card["reliability"]
    key = "little" if share < 0.4 else "half" if share < 0.6 else "much"
    return words.text(f"card.settled_{key}", player=card["player"], reliability=share)


def _receipt(parts: dict, words: MarkedWords, found: Overview) -> Markup:
    key = "receipt_imbalance" if _unbalanced(parts, found) else "receipt"
    return words.text(f"card.{key}", **parts | {"evenings": _evenings(parts, words)})


def _evenings(parts: dict, words: MarkedWords) -> Markup:
    return words.evenings(parts["evenings"])


def _unbalanced(parts: dict, found: Overview) -> bool:
    return abs(parts["imbalance"]) > TIE * found.fit.sigma  # more than rounding
