"""Sentences on a player's card: five that are spoken, and what stands below them."""

import pandas as pd
from markupsafe import Markup

from ..model.ranking import TIE
from ..pages.markup import MarkedWords
from .overview import Overview
from .story import capital, past

HARDLY, CLEARLY = 0.05, 0.3  # of τ an evening: how much stronger a field is before it is said


def card_texts(report: Overview, card: dict) -> dict[str, list[Markup] | Markup]:
    """`spoken` (place, how sure, why, next evening, rivals), `receipt` (the rating's formula),
    `compare` (that of the nearest rival), `more` (what is settled, earlier seasons).
    """
    words = MarkedWords(report.words.language, report.words.digits)
    spoken = [_place(card, words, report), _sure(card, words, report), _why(card, words, report)]
    spoken += [_next(card, words, report), _rivals(card, words, report)]
    texts = {"spoken": [line for line in spoken if line], "compare": Markup()}
    texts["receipt"] = _receipt(card["receipt"], words, report)
    if card["qualified"] and (nearest := [*card["above"], *card["below"]]):
        receipt = _receipt(nearest[0]["receipt"], words, report)
        picked = _pick(nearest[0], "player rank")
        texts["compare"] = words.text("card.compare", receipt=receipt, **picked)
    texts["more"] = [] if pd.isna(card["reliability"]) else [_settled(card, words)]
    if earlier := report.earlier.get(card["player"]):
        seasons = [
            words.text("card.season_rank" if row["qualified"] else "card.season_out", **row)
            for row in earlier
        ]
        texts["more"].append(words.text("card.seasons", told=Markup("; ").join(seasons)))
    return texts


def _linked(report: Overview) -> str:
    return "" if report.linked is None else "_linked"


def _past(report: Overview) -> Markup:
    return Markup(capital(past(report)))


def _pick(card: dict, names: str) -> dict:
    return {name: card[name] for name in names.split()}


def _place(card: dict, words: MarkedWords, report: Overview) -> Markup:
    key = "place" if card["qualified"] else "place_out"
    ranked = int(report.table["qualified"].sum())
    values = _pick(card, "rank evenings") | {"ranked": ranked, "held": len(report.season.held)}
    place, awards = words.text(f"card.{key}", **values), report.awards
    won = awards["award"][[card["player"] in players for players in awards["players"]]]
    prizes = [words.text(f"award.{award}.name") for award in won if award != "podium"]
    key = "card.prizes" if report.final else "card.prizes_so_far"
    return place + (" " + words.text(key, awards=prizes) if prizes else "")


def _sure(card: dict, words: MarkedWords, report: Overview) -> Markup:
    if not (card["qualified"] and report.sure):
        return Markup()
    best, values = words.small(report.season.rules.podium), _pick(card, "p_podium p_first")
    key = ("card.truly" if report.contested else "card.strongest") + _linked(report)
    sure = words.text(key, best=best, past=_past(report), **values)
    low, high = card["joint_low"], card["joint_high"]
    key = "joint_one" if low == high else "joint"
    if low == 1 < high == report.table["qualified"].sum():
        key = "joint_any"
    ranks = words.text(f"card.{key}", joint_low=low, joint_high=high)
    return Markup(" ").join([sure, ranks])


def _why(card: dict, words: MarkedWords, report: Overview) -> Markup:
    parts = card["receipt"]
    counted = words.over_evenings(parts["evenings"])
    sentences = [words.text("card.brought", total=parts["total"], evenings=counted)]
    if _unbalanced(parts, report):
        sentences.append(words.text("card.imbalance", imbalance=parts["imbalance"]))
    faced = parts["field_strength"]
    share = abs(faced) / (parts["evenings"] * report.fit.tau)
    much = "hardly" if share < HARDLY else "clearly" if share > CLEARLY else "somewhat"
    said = {"much": f"much_{much}", "way": "way_strong" if faced > 0 else "way_weak"}
    said["tables"] = "tables_one" if parts["evenings"] == 1 else "tables"
    said = {name: words.text(f"card.{key}") for name, key in said.items()}
    key = "field" if round(faced, report.words.digits) else "field_same"
    sentences.append(words.text(f"card.{key}", field_strength=faced, **said))
    return Markup(" ").join([*sentences, *_although(card, words)])


def _although(card: dict, words: MarkedWords) -> list[Markup]:
    """Why one stands below a neighbour with a smaller total, or above one with a larger."""
    mine = card["receipt"]
    for rival in [*card["above"][:1], *card["below"][:1]]:
        theirs, above = rival["receipt"], rival in card["above"]
        if (mine["total"] > theirs["total"]) != above or mine["total"] == theirs["total"]:
            continue
        sign = -1 if above else 1  # what speaks for the one who stands higher
        fewer = theirs["evenings"] - mine["evenings"]
        mean = (part["field_strength"] / part["evenings"] for part in (mine, theirs))
        stronger = next(mean) - next(mean)
        reasons = []
        # Divided by more evenings, what is above the mean becomes less, what is below it more.
        own, other = (part["rating"] for part in (mine, theirs))
        gain = (own > 0) - (own < 0) if own * other > 0 else 0
        if sign * gain * fewer > 0:
            key = "fewer" if fewer > 0 else "more"
            key += "_one" if abs(fewer) == 1 else ""
            counts = {"evenings": mine["evenings"], "n": theirs["evenings"]}
            reasons.append(words.text(f"card.{key}", many=words.small(abs(fewer)), **counts))
        if sign * stronger > 0:
            key = "stronger" if stronger > 0 else "weaker"
            reasons.append(words.text(f"card.{key}", player=rival["player"]))
        if reasons:
            joined = Markup(words.text("card.and")).join(reasons)
            if mine["total"] * theirs["total"] < 0:
                key = "won_but" if above else "lost_but"
            elif max(mine["total"], theirs["total"]) <= 0:
                key = "lost_less" if above else "lost_more"
            else:
                key = "won_more" if above else "won_less"
            key += "_above" if above else "_below"
            return [words.text(f"card.{key}", player=rival["player"], reasons=joined)]
    return []


def _next(card: dict, words: MarkedWords, report: Overview) -> Markup:
    """How it may end, what one more evening does and must bring; else what the last one lacked."""
    if report.final:
        step = card["next"] if card["rank"] != 1 else None
        return words.text("card.lacked", **step) if step else Markup()
    at = words.text("card.next")
    sentences = [_attendance(card, words, report, at), _without(card, words, report, at)]
    if card["p_end"] is not None:
        sentences.insert(0, words.text("card.end", p_end=card["p_end"]))
    if step := card["coming"]:
        key = "passes" if step["player"] == card["player"] else "passed"
        key = "passes_if" if key == "passes" and step["other"] in report.dropping else key
        ranked = report.table.set_index("player")["qualified"]
        values = _pick(step, "player other chips") | {"at": capital(at) if key == "passes" else at}
        other = step["player" if key == "passed" else "other"]
        then = "" if ranked[other] else words.text("card.then_ranked")
        sentences.append(words.text(f"card.{key}", then=then, **values))
    return Markup(" ").join(filter(None, sentences))


def _attendance(card: dict, words: MarkedWords, report: Overview, at: Markup) -> Markup:
    """Whether evenings to come bring a player into the ranking, or cost the place in it."""
    rules, held = report.season.rules, len(report.season.held)
    if card["qualified"]:
        stays = rules.qualifies(card["evenings"], held + 1)
        return Markup() if stays else words.text("card.drops", at=at)
    n, announced = rules.evenings_missing(card["evenings"], held), len(report.season.announced)
    if n is None or 0 < announced < n:
        return Markup()
    then = {"least": card["evenings"] + n, "then": held + n}
    return words.text("card.qualifies" if n == 1 else "card.qualifies_many", n=n, at=at, **then)


def _without(card: dict, words: MarkedWords, report: Overview, at: Markup) -> Markup:
    """Where one stands without those just above who leave the ranking unless they come."""
    gone = []
    for rival in report.table.loc[report.table["rank"] < (card["rank"] or 0), "player"]:
        gone = [*gone, rival] if rival in report.dropping else []
    place = card["rank"] and card["rank"] - len(gone)
    return words.text("card.without", gone=gone, at=at, place=place) if gone else Markup()


def _rivals(card: dict, words: MarkedWords, report: Overview) -> Markup:
    if not (card["qualified"] and report.sure):
        return Markup()
    nearest = [(side, card[side][0]) for side in ("above", "below") if card[side]]
    chances = [
        words.text(f"card.rival_{place}", **_pick(rival, "player p"))
        for side, rival in nearest
        for place in ["level" if rival["rank"] == card["rank"] else side]
    ]
    if not chances:
        return Markup()
    key = "card.stronger_than" + _linked(report)
    return words.text(key, told=Markup(", ").join(chances), past=_past(report))


def _settled(card: dict, words: MarkedWords) -> Markup:
    share = card["reliability"]
    key = "little" if share < 0.45 else "half" if share < 0.55 else "much"
    return words.text(f"card.settled_{key}", reliability=share)


def _receipt(parts: dict, words: MarkedWords, report: Overview) -> Markup:
    key = "receipt_imbalance" if _unbalanced(parts, report) else "receipt"
    return words.text(f"card.{key}", **parts | {"evenings": words.evenings(parts["evenings"])})


def _unbalanced(parts: dict, report: Overview) -> bool:
    return abs(parts["imbalance"]) > TIE * report.fit.sigma  # more than rounding
