"""Seeded seasons: plain ones that are the model itself, rule-true ones that look played."""

import numpy as np
import pandas as pd

from ..rules import LeagueRules

EVENINGS = ["evening", "date", "start", "host", "place", "note"]
RESULTS = ["evening", "player", "entries", "chips_out", "result", "note"]
FIRST_NAMES = """Änne Benedikt Carla Dörte Emil Frauke Götz Hannah Ingo Jürgen Katharina Lothar
Mareike Niels Özlem Pauline Quirin Rüdiger Sönke Theresa Ulrich Valentin Wiebke Xaver Yannick Zoë
Anton Birgit Clemens Dagmar Franziska Greta Holger Ilka Leopold Mirjam Nadine Oskar Philipp Ramona
Sebastian Tülay Uschi Waltraud Yvonne Björn Cordula Dennis Fatma Gustav Helene Isabel Käthe"""
INITIALS = ("", *(f" {letter}." for letter in "ABDFGHKLMNPRSTVW"))  # for more players than names
ROOMS = ("Küche", "Wohnzimmer", "Hobbykeller", "Wintergarten", "Esszimmer", "Garage", "Dachboden")
GUEST_CHANCE = 1 / 8  # per evening
REENTRY_CHANCE = 0.9  # of a player who has lost all chips and may still enter
SMALLEST_BET = 1 / 40  # of an entry: 50 chips, an ordinary bet at blinds of 10 and 20


def simulate_results(
    n_players: int = 14,
    n_evenings: int = 12,
    seed: int | np.random.Generator = 1,
    sigma: float = 2400.0,
    tau: float = 1000.0,
    fields: tuple[int, int] = (6, 10),
) -> tuple[pd.DataFrame, pd.Series]:
    """Results of a plain season, y_s = M_s (θ_F + e), M_s = I − 11ᵀ/n_s, and the true ratings θ.

    e ~ N(0, σ²I) and θ ~ N(0, τ²I), σ and τ in chips. Any n_s from `fields` (smallest, largest;
    never above `n_players`) is as likely as any other, and so is any field of n_s players.

    Parameters
    ----------
    n_players, n_evenings : int
    seed : int or Generator
    sigma, tau : float
        In chips.
    fields : (int, int)
        Smallest and largest field.

    Returns
    -------
    results : DataFrame
        Columns `evening`, `player` (numbers from 1), `result` (chips, any decimals).
    theta : Series
        By player, in chips.

    Raises
    ------
    ValueError
        With fewer than two players, no evening, or a negative σ or τ.

    Examples
    --------
    >>> results, theta = liga.simulate_results(n_players=5, n_evenings=3)
    >>> bool(abs(results.groupby("evening")["result"].sum()).max() < 1e-9)
    True
    """
    _check(n_players, n_evenings, sigma, tau)
    rng = np.random.default_rng(seed)
    theta = rng.normal(0.0, tau, n_players)
    low, high = np.minimum(fields, n_players)
    field_size = rng.integers(low, high + 1, n_evenings)
    # Each evening ranks the players at random; the first n_s are its field.
    rank = rng.permuted(np.tile(np.arange(n_players), (n_evenings, 1)), axis=1)
    evening, player = np.nonzero(rank < field_size[:, None])
    y = theta[player] + rng.normal(0.0, sigma, len(player))
    y -= (np.bincount(evening, y) / field_size)[evening]
    results = pd.DataFrame({"evening": evening + 1, "player": player + 1, "result": y})
    return results, pd.Series(theta, pd.RangeIndex(1, n_players + 1, name="player"), name="theta")


def simulate_season(
    n_players: int = 14,
    n_evenings: int = 12,
    seed: int | np.random.Generator = 1,
    sigma: float = 2400.0,
    tau: float = 1000.0,
    rules: LeagueRules | None = None,
    first_date: str = "2026-01-09",
    returning: pd.Series | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """A season played by the rules: whole chips, entries, players out of chips, exact zero sums.

    Six to ten of 14 players attend (other leagues in proportion), some far more often than others,
    every two to four weeks, now and then with a guest, "Gast". The first evening is a full table;
    whoever found no seat there joins in the first half of the season.

    Parameters
    ----------
    n_players, n_evenings : int
    seed : int or Generator
    rules : LeagueRules, optional
        Those of the rulebook if not given.
    sigma, tau : float
        Spread of results aimed at (see Notes) and spread of the true ratings, in chips.
    first_date : str
        ISO date of the first evening; the others fall on the same day of the week.
    returning : Series, optional
        True ratings by name, from an earlier season's `theta`; all other players are newcomers.

    Returns
    -------
    evenings, results : DataFrame
        The columns of `evenings.csv` and `results.csv`; dates as datetime64.
    theta : Series
        True ratings by name, in chips: returning players first, no guests.

    Raises
    ------
    ValueError
        As `simulate_results`; also with too few names, too many returning, or uneven entry chips.

    Notes
    -----
    An evening is a series of bets between two. In a fair game a bet of b raises the expected sum of
    squared results by exactly 2b², so they bet until Σ2b² = (n_s − 1)σ². With odds of
    exp(2b(θ_i − θ_j)/σ²) on i, a player expects about θ_i − θ̄_s from the evening. Both fall short
    where players run out of entries before it ends, which they do when σ is large.

    Examples
    --------
    >>> evenings, results, theta = liga.simulate_season(n_players=8, n_evenings=3)
    >>> int((results["chips_out"] - 2000 * results["entries"]).sum())
    0
    """
    _check(n_players, n_evenings, sigma, tau)
    rules = rules or LeagueRules()
    rng = np.random.default_rng(seed)
    theta = _true_ratings(n_players, tau, returning, rng)
    low, high = (max(2, round(n_players * share)) for share in (6 / 14, 10 / 14))
    joins = rng.integers(min(1, n_evenings - 1), n_evenings // 2 + 1, n_players)
    joins[:high] = 0
    keenness = rng.lognormal(size=n_players)
    places = rng.choice(ROOMS, n_players) + " bei " + theta.index.to_numpy(str)
    date, evenings, results = pd.Timestamp(first_date), [], []
    for s in range(n_evenings):
        guest = rng.random() < GUEST_CHANCE
        n_members = max(2, rng.integers(low, high + 1) - guest, (joins == s).sum())
        # The keen arrive early; nobody misses the evening of joining or comes before it.
        arrival = rng.exponential(size=n_players) / keenness
        arrival[joins == s], arrival[joins > s] = 0.0, np.inf
        field = np.sort(arrival.argsort(kind="stable")[: min(n_members, high)])
        host = rng.choice(field)
        evenings.append((s + 1, date, "19:30", theta.index[host], places[host], ""))
        date += pd.Timedelta(weeks=int(rng.integers(2, 5)))
        names = [*theta.index[field], *["Gast"] * guest]
        skill = np.r_[theta.iloc[field], rng.normal(0.0, tau, int(guest))]
        for name, k, chips in zip(names, *play_evening(skill, sigma, rules, rng), strict=True):
            results.append((s + 1, name, k, chips, chips - rules.entry_chips * k, ""))
    return pd.DataFrame(evenings, columns=EVENINGS), pd.DataFrame(results, columns=RESULTS), theta


def play_evening(
    theta: np.ndarray, sigma: float, rules: LeagueRules, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Entries and last chips of players of skill θ (chips); Notes of `simulate_season` say how.

    ValueError if an entry is no whole number of the smallest chip.
    """
    if rules.entry_chips % rules.smallest_chip:
        raise ValueError(f"entry of {rules.entry_chips} in chips of {rules.smallest_chip}")
    chip, stack, entries = rules.smallest_chip, [rules.entry_chips] * len(theta), [1] * len(theta)
    smallest = SMALLEST_BET * min(rules.entry_chips, sigma)
    playing, left = list(range(len(theta))), (len(theta) - 1) * sigma**2
    while left > 0 and len(playing) > 1:
        seat, apart, size, luck, mood = rng.random(5)
        seat, apart = int(seat * len(playing)), 1 + int(apart * (len(playing) - 1))
        i, j = playing[seat], playing[(seat + apart) % len(playing)]
        # Many small bets and a few for everything, P(bet > b) = smallest/b; the last one fits.
        bet = min(smallest / (1 - size), (left / 2) ** 0.5, stack[i], stack[j])
        bet = max(1, int(bet / chip)) * chip
        left -= 2 * bet**2
        edge = np.tanh(bet * (theta[i] - theta[j]) / sigma**2)  # 2p − 1
        winner, loser = (i, j) if 2 * luck < 1 + edge else (j, i)
        stack[winner], stack[loser] = stack[winner] + bet, stack[loser] - bet
        if stack[loser] == 0 and entries[loser] < rules.max_entries and mood < REENTRY_CHANCE:
            stack[loser], entries[loser] = rules.entry_chips, entries[loser] + 1
        elif stack[loser] == 0:
            playing.remove(loser)
    return entries, stack


def _true_ratings(n_players, tau, returning, rng) -> pd.Series:
    """Returning players as they were, then newcomers from N(0, τ²)."""
    known = {} if returning is None else returning.to_dict()
    pool = [name + initial for initial in INITIALS for name in rng.permutation(FIRST_NAMES.split())]
    new = [name for name in pool if name not in known][: max(0, n_players - len(known))]
    if len(known) + len(new) != n_players:
        raise ValueError(f"no names for {n_players} players, {len(known)} of them returning")
    theta = known | dict(zip(new, rng.normal(0.0, tau, len(new)), strict=True))
    return pd.Series(theta, name="theta").rename_axis("player")


def _check(n_players, n_evenings, sigma, tau) -> None:
    """Refuse numbers that make no season."""
    if not (n_players > 1 and n_evenings > 0 and 0 <= sigma < np.inf and 0 <= tau < np.inf):
        raise ValueError(f"no season has {n_players=}, {n_evenings=}, {sigma=}, {tau=}")
