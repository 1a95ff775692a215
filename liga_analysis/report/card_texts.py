"""Sentences on a player's card: why the rating is what it is."""

from markupsafe import Markup

from ..model.rating import TIE
from ..pages.markup import MarkedWords
from .overview import Overview


def card_texts(found: Overview, card: dict) -> dict[str, list[Markup] | Markup]:
    """`why` (the receipt in words), `receipt` (its formula), `compare` (that of the next player),
    `more` (chances, the next place, earlier seasons).
    """
    words = MarkedWords(found.words.language, found.words.digits)
    told = {"why": [], "receipt": Markup(), "compare": Markup(), "more": []}
    if card["receipt"] is not None:
        told |= {
            "why": _why(card, words, found),
            "receipt": _receipt(card["receipt"], words, found),
        }
        if card["qualified"] and (nearest := [*card["above"], *card["below"]]):
            told["compare"] = _compare(nearest[0], words, found)
    if card["qualified"] and found.sure:
        key = "rank_sure" if card["rank_low"] == card["rank_high"] else "ranks"
        picked = _pick(card, "player rank_low rank_high p_podium p_first")
        told["more"].append(words.text(f"card.{key}", **picked))
    if card["next"]:
        step = card["next"]
        key = "next_lead" if card["rank"] == 1 else "next"
        told["more"].append(words.text(f"card.{key}", **step | {"chips": abs(step["chips"])}))
    if card["reliability"] == card["reliability"]:
        picked = _pick(card, "player reliability")
        told["more"].append(words.text("card.reliability", **picked))
    if earlier := found.earlier.get(card["player"]):
        seasons = [
            words.text("card.season_rank" if row["qualified"] else "card.season_out", **row)
            for row in earlier
        ]
        told["more"].append(words.text("card.seasons", told=Markup("; ").join(seasons)))
    return told


def _pick(card: dict, names: str) -> dict:
    return {name: card[name] for name in names.split()}


def _why(card: dict, words: MarkedWords, found: Overview) -> list[Markup]:
    parts = card["receipt"]
    faced, count = parts["field_strength"], words.evenings(parts["evenings"])
    even = words.chips(faced) == words.chips(0)
    field = "even" if even else "strong" if faced > 0 else "weak"
    brought = "brought_one" if parts["evenings"] == 1 else "brought"
    lines = [
        words.text(f"card.{brought}", evenings=count, total=parts["total"]),
        words.text(f"card.field_{field}", field_strength=abs(faced)),
    ]
    if _unbalanced(parts, found):
        lines.insert(1, words.text("card.imbalance", imbalance=parts["imbalance"]))
    return [*lines, words.text("card.damped", lam=parts["lam"])]


def _receipt(parts: dict, words: MarkedWords, found: Overview) -> Markup:
    key = "receipt_imbalance" if _unbalanced(parts, found) else "receipt"
    told = parts | {"evenings": words.evenings(parts["evenings"])}
    return words.text(f"card.{key}", **told)


def _compare(rival: dict, words: MarkedWords, found: Overview) -> Markup:
    receipt = _receipt(rival["receipt"], words, found)
    return words.text("card.compare", receipt=receipt, **_pick(rival, "player rank"))


def _unbalanced(parts: dict, found: Overview) -> bool:
    return abs(parts["imbalance"]) > TIE * found.fit.sigma  # more than rounding
