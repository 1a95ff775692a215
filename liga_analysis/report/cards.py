"""What stands on a player's card: where the rating comes from, rivals, and the way to the next."""

import pandas as pd

from ..model.pairs import better_than
from ..model.ranking import TIE
from ..model.rating import Fit, field_strength, receipt, reliability
from ..season.season import Season

RIVALS = 2  # on either side
_OF_TABLE = "rank player rating uncertainty total average evenings qualified".split()


def player_cards(
    season: Season, fit: Fit, table: pd.DataFrame, chances: pd.DataFrame, better=None
) -> list[dict]:
    """A card for everybody in the table but guests, in its order; unrounded, chips.

    Parameters
    ----------
    season : Season
    fit, table : Fit, DataFrame
        As `season_fit` and `standings` return them; whatever else the table has stays there.
    chances : DataFrame
        As `draws.chances` returns it.
    better : DataFrame, optional
        As `pairs.better_than` returns it, by default of `fit`.

    Returns
    -------
    list of dict
        Each with `player`, `rank`, `rating`, `uncertainty`, `total`, `average`, `evenings`,
        `qualified`; from the chances `p_first`, `p_podium`, `joint_low`, `joint_high` (None außer
        Wertung); `receipt` (`total`, `imbalance`, `field_strength`, `evenings`, `lam`, `rating`);
        `reliability`; `results`, one for each evening attended (`evening`, `date`, `result`,
        `entries`, `field_strength`); `best` and `worst` of them; `above` and `below`, the nearest
        in der Wertung (`player`, `rank`, `rating`, `receipt` and `p`, the chance of being better),
        nearest first; `next`, see `next_places`.
    """
    people = table[~table["player"].isin(season.guests)]
    parts = receipt(fit).assign(lam=fit.lam)
    settled, better = reliability(fit), better_than(fit) if better is None else better
    results = season.results.assign(
        field_strength=season.results["evening"].map(field_strength(fit)),
    )
    columns = ["evening", "date", "result", "entries", "field_strength"]
    attended = dict(list(results.groupby("player")[columns]))
    steps = next_places(season, fit, table)
    cards = []
    for row in people[_OF_TABLE].to_dict("records"):
        player, mine = row["player"], attended[row["player"]]
        chance = chances.loc[player].to_dict() if row["qualified"] else {}
        cards.append(
            row
            | {name: chance.get(name) for name in ("p_first", "p_podium")}
            | {name: int(chance[name]) if chance else None for name in ("joint_low", "joint_high")}
            | {
                "receipt": parts.loc[player].to_dict() | {"evenings": row["evenings"]},
                "reliability": settled[player],
                "results": mine.to_dict("records"),
                "best": _result(mine, "idxmax"),
                "worst": _result(mine, "idxmin"),
                **_rivals(row, table[table["qualified"]], better.loc[player], parts, fit),
                "next": steps.get(player),
            }
        )
    return cards


def _result(mine: pd.DataFrame, end: str) -> dict:
    row = mine.loc[getattr(mine["result"], end)()]
    return {"evening": int(row["evening"]), "result": float(row["result"])}


def _rivals(row: dict, ranked: pd.DataFrame, better: pd.Series, parts, fit: Fit) -> dict:
    """The nearest in der Wertung, as the table has them; equal players stand above."""
    others = ranked[ranked["player"] != row["player"]]
    ahead = others["rating"] >= row["rating"] - TIE * fit.sigma
    sides = {"above": others[ahead].iloc[::-1], "below": others[~ahead]}
    return {
        side: [
            {
                "player": other.player,
                "rank": other.rank,
                "rating": other.rating,
                "p": better[other.player],
                "receipt": parts.loc[other.player].to_dict() | {"evenings": other.evenings},
            }
            for other in rivals.head(RIVALS).itertuples()
        ]
        for side, rivals in sides.items()
    }


def next_places(season: Season, fit: Fit, table: pd.DataFrame) -> dict[str, dict]:
    """What the next place would have taken on each player's last evening.

    With x chips more there, lost in equal parts by the others at the table, h changes by
    x·d, d = e_i − Σ_{k≠i} e_k/(n − 1), and θ̂ by x·(G + λI)⁻¹d: so i draws level with j at
    x = (θ̂_j − θ̂_i)/(δ_i − δ_j), δ = (G + λI)⁻¹d.

    Returns
    -------
    dict
        By player in der Wertung: `evening`, `chips` (x), `rank` then reached and `player`, whom
        they draw level with. For a leader `chips` is negative: with so much less somebody else
        draws level. Nothing for those who share the lead or sat alone.
    """
    ranked = table[table["qualified"]].set_index("player")
    theta, inverse = fit.theta, fit.cov / fit.sigma**2
    steps = {}
    for player, row in ranked.iterrows():
        ahead = ranked.index[ranked["rank"] < row["rank"]]
        behind = ranked.index[ranked["rank"] > row["rank"]]
        others = ahead if row["rank"] > 1 else behind
        alone = (ranked["rank"] == row["rank"]).sum() == 1
        evening = season.results.loc[season.results["player"] == player, "evening"].iloc[-1]
        field = season.results.loc[season.results["evening"] == evening, "player"]
        if len(field) < 2 or others.empty or (row["rank"] == 1 and not alone):
            continue
        d = pd.Series(0.0, fit.theta.index)
        d[field] = -1 / (len(field) - 1)
        d[player] = 1.0
        delta = inverse @ d
        x = (theta[others] - theta[player]) / (delta[player] - delta[others])
        nearest = x.abs().idxmin()
        steps[player] = {
            "evening": int(evening),
            "chips": float(x[nearest]),
            # Whoever is not caught up with yet stays ahead; not always the one next in the table.
            "rank": 1 + int((x > x[nearest] + TIE * fit.sigma).sum() if row["rank"] > 1 else 0),
            "player": nearest,
        }
    return steps


def moves(development: pd.DataFrame) -> pd.Series:
    """Places won since the evening before (negative: lost), by player; missing where either is.

    Among those ranked on both: nobody rises because somebody else has left the ranking.
    """
    evenings = development["evening"].drop_duplicates()
    rank = development.pivot(index="player", columns="evening", values="rank").astype(float)
    both = rank.reindex(columns=evenings.iloc[-2:]).dropna().rank(method="min")
    return -both.diff(axis=1).iloc[:, -1].reindex(rank.index).rename("move")
