"""How far a ranking depends on λ.

With G = V diag(d) Vᵀ and z = Vᵀh all comes from θ̂(λ) = V z/(d + λ). All take a season, or a fit and
who of its players is `ranked` (see `ranking.contest`).
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.names import alphabetical
from ..season.season import Season
from .large import PIECE
from .ranking import TIE, contest, ranks
from .rating import Fit


class LambdaPath(NamedTuple):
    """Ratings in chips and ranks (NA außer Wertung); rows λ, columns players."""

    ratings: pd.DataFrame
    ranks: pd.DataFrame


def lambda_grid(lam: float) -> np.ndarray:
    """121 values, geometric from λ/60 to 60λ; the middle one is λ to the bit."""
    return lam * 60.0 ** (np.arange(-60, 61) / 60)


def lambda_path(source: Season | Fit, ranked=None, lams=None) -> LambdaPath:
    """Ratings and ranks at each λ, σ fixed.

    Parameters
    ----------
    source : Season or Fit
    ranked : list of names, boolean Series or array by player, optional
        With a fit: who is in der Wertung; all if not given.
    lams : sequence of float, optional
        By default 121 from λ/60 to 60λ, even in log λ.

    Returns
    -------
    LambdaPath
        `ratings` and `ranks`, rows λ, columns players.

    Raises
    ------
    ValueError
        If the fit has a λ by player, or `ranked` is not as said.
    DataError
        If no evening of the season counts.

    Examples
    --------
    >>> path = liga.lambda_path(liga.load_season("data/beispielliga/2026"), lams=[3, 6, 12])
    >>> path.ratings.shape
    (3, 16)
    """
    fit, inside, _ = contest(source, ranked)
    lams = pd.Index(lambda_grid(fit.one_lam) if lams is None else lams, name="lam")
    d, V, z = fit.graph.spectrum
    return ranked_tables(fit, inside, (z / (d + lams.to_numpy()[:, None])) @ V.T, lams)


def over_lambda(source: Season | Fit, ranked=None) -> pd.DataFrame:
    """The table at each of 121 λ from λ/60 to 60λ, σ fixed.

    Parameters
    ----------
    source : Season or Fit
    ranked
        As for `lambda_path`.

    Returns
    -------
    DataFrame
        `lam`, `tau`, `player`, `rank` (missing außer Wertung), `place` (line of the table, from 1),
        `rating`, `uncertainty`; chips.

    Raises
    ------
    ValueError
        If `ranked` names somebody unknown or twice, or the fit has a λ for each player.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> liga.over_lambda(season)["lam"].nunique()
    121
    """
    fit, inside, _ = contest(source, ranked)
    lams = lambda_grid(fit.one_lam)
    path = lambda_path(fit, fit.graph.players[inside], lams)
    order = sorted(path.ratings, key=alphabetical)  # equal players stand by name
    out = np.isin(order, fit.graph.players[inside], invert=True)
    level = np.where(out, len(order), 0) + np.zeros((len(lams), 1), int)
    theta = path.ratings[order].to_numpy()
    d, V, _ = fit.graph.spectrum
    # u² = σ² diag (G + λI)⁻¹
    square = V[fit.graph.players.get_indexer(order)] ** 2
    u = fit.sigma * np.sqrt((1 / (d + lams[:, None])) @ square.T)
    for part in (out, ~out):
        level[:, part] += ranks(theta[:, part], fit.sigma)
    place = level.argsort(1, kind="stable").argsort(1, kind="stable") + 1
    columns = {
        "lam": np.repeat(lams, len(order)),
        "tau": np.repeat(fit.sigma / np.sqrt(lams), len(order)),
        "player": order * len(lams),
        "rank": path.ranks[order].stack().array,
        "place": place.ravel(),
        "rating": theta.ravel(),
        "uncertainty": u.ravel(),
    }
    return pd.DataFrame(columns)


def swaps(source: Season | Fit, ranked=None, lams=None) -> pd.DataFrame:
    """Every λ between the ends of `lams` at which two players in der Wertung swap places.

    None is missed but two of one pair within 1e-5, relative: there the tie rule calls the two
    equal. Players equal throughout, and contacts without a crossing, do not count.

    Parameters
    ----------
    source, ranked, lams
        As for `lambda_path`.

    Returns
    -------
    DataFrame
        `lam` ascending, `ahead_below` and `ahead_above`, who leads on either side of it.

    Raises
    ------
    ValueError, DataError
        As `lambda_path`.

    Examples
    --------
    >>> crossed = liga.swaps(liga.load_season("data/beispielliga/2026"))
    >>> list(crossed.columns)
    ['lam', 'ahead_below', 'ahead_above']

    Whose order is not sure over the 90 % interval of λ:

    >>> season = liga.load_season("data/beispielliga/2026")
    >>> likely = liga.season_decision(season).posterior
    >>> crossed = liga.swaps(season, lams=[likely.quantile("lam", p) for p in (0.05, 0.95)])
    >>> crossed["ahead_below"].tolist(), crossed["ahead_above"].tolist()
    (['Mareike', 'Dennis'], ['Helene', 'Theresa'])
    """
    fit, inside, _ = contest(source, ranked)
    lams = lambda_grid(fit.one_lam) if lams is None else np.asarray(lams, float)
    a, b = inside[np.array(np.triu_indices(len(inside), 1))]
    lam, pair, falling = _crossings(fit, a, b, lams.min(), lams.max())
    names = fit.graph.players.to_numpy()
    below, above = names[np.where(falling, [a[pair], b[pair]], [b[pair], a[pair]])]
    table = pd.DataFrame({"lam": lam, "ahead_below": below, "ahead_above": above})
    return table.sort_values(["lam", "ahead_below"], ignore_index=True)


def podium_interval(
    source: Season | Fit, ranked=None, podium: int | None = None
) -> tuple[float, float]:
    """The interval of λ round the one in force in which the podium, in order, stays the same.

    Parameters
    ----------
    source, ranked
        As for `lambda_path`.
    podium : int, optional
        Steps of the podium, in place of the rules'.

    Returns
    -------
    low, high : float
        0 or ∞ where the podium never changes on that side; both are the λ in force where a tie
        that involves the podium holds there alone.

    Raises
    ------
    ValueError, DataError
        As `lambda_path`.

    Examples
    --------
    >>> low, high = liga.podium_interval(liga.load_season("data/beispielliga/2026"))
    >>> low < 6 < high
    True
    """
    fit, inside, podium = contest(source, ranked, podium)
    d, lam, theta = fit.graph.spectrum.d, fit.one_lam, fit.theta.to_numpy()
    top = inside[ranks(theta[inside], fit.sigma) <= podium]
    # The podium changes when one of it swaps places with anybody in der Wertung.
    a, b = np.repeat(top, len(inside)), np.tile(inside, len(top))
    # Farther out the order is that of the limits, by G⁺h (λ → 0) and by h (λ → ∞), to 8 digits.
    scale = np.append(d[d > 0], lam)
    at, pair, _ = _crossings(fit, a, b, 1e-8 * scale.min(), 1e8 * scale.max())
    at = np.where(abs(theta[a] - theta[b])[pair] <= TIE * fit.sigma, lam, at)
    return float(at[at <= lam].max(initial=0)), float(at[at >= lam].min(initial=np.inf))


def ranked_tables(fit, inside, theta, rows):
    players = fit.graph.players
    place, out = np.zeros(theta.shape, int), np.ones(theta.shape, bool)
    place[:, inside], out[:, inside] = ranks(theta[:, inside], fit.sigma), False
    # Column by column, because converting a table to Int64 takes ten times as long.
    columns = zip(players, place.T, out.T, strict=True)
    table = {player: pd.arrays.IntegerArray(*column) for player, *column in columns}
    return LambdaPath(pd.DataFrame(theta, rows, players), pd.DataFrame(table, rows, players))


def _crossings(fit, a, b, low, high):
    """λ, number of the pair, and whether it falls, of every sign change of θ̂_a − θ̂_b.

    With c = (V_a − V_b)z and m = max d, (m + λ)(θ̂_a − θ̂_b) = Σc + Σ c(m − d)/(d + λ). The sums
    over c > 0 and over c < 0, and those of the derivative, are monotone in λ: their values at the
    ends of an interval bound all inside. It is halved until they exclude a zero, or leave a
    monotone function, of which the signs at the ends tell.
    """
    d, V, z = fit.graph.spectrum
    size = max(1, PIECE // len(d))
    if len(a) > size:
        fit.graph.affordable(200 * len(a) * len(d))
        parts = [
            (start, _crossings(fit, a[start : start + size], b[start : start + size], low, high))
            for start in range(0, len(a), size)
        ]
        lam, pair, falls = zip(*((x, k + start, f) for start, (x, k, f) in parts), strict=True)
        return np.concatenate(lam), np.concatenate(pair), np.concatenate(falls)
    c = (V[a] - V[b]) * z
    level, weight = c.sum(1), c * (d[-1] - d)
    plus, minus = weight.clip(0), (-weight).clip(0)
    seen = abs(c @ (1 / (d[:, None] + np.geomspace(low, high, 121)))).max(1)
    # Players equal throughout would be halved without end.
    todo, brackets = [(low, high, np.flatnonzero(seen > TIE * fit.sigma))], []
    while todo:
        lo, hi, k = todo.pop()
        kernel = 1 / (d[:, None] + [lo, hi])
        up, down = level[k, None] + plus[k] @ kernel, minus[k] @ kernel
        rise, fall = minus[k] @ kernel**2, plus[k] @ kernel**2
        zero = (up[:, 0] >= down[:, 1]) & (up[:, 1] <= down[:, 0])
        turn = (rise[:, 0] >= fall[:, 1]) & (rise[:, 1] <= fall[:, 0])
        ahead, narrow = up >= down, hi <= lo * (1 + 1e-5)
        change = zero & (ahead[:, 0] != ahead[:, 1]) & (~turn | narrow)
        brackets += [(lo, hi, *row) for row in np.column_stack([k, ahead[:, 0]])[change]]
        if not narrow and (zero & turn).any():
            middle, k = np.sqrt(lo * hi), k[zero & turn]
            todo += [(lo, middle, k), (middle, hi, k)]
    lo, hi, pair, falls = np.array(brackets).reshape(-1, 4).T
    pair = pair.astype(int)
    for _ in range(60):  # from the widest interval down to neighbouring doubles
        middle = np.sqrt(lo * hi)
        below = (level[pair] + (weight[pair] / (d + middle[:, None])).sum(1) >= 0) == falls
        lo, hi = np.where(below, middle, lo), np.where(below, hi, middle)
    return hi, pair, falls == 1
