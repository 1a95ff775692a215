"""Glicko-2: one rating period, by Glickman, Example of the Glicko-2 system (2013)."""

import numpy as np
from scipy.optimize import brentq

POINTS = 173.7178  # 400/ln 10: points on the usual scale for one of the formulas'
NEWCOMER = (0.0, 350 / POINTS, 0.06)  # μ, φ and σ, his defaults
CHANGE = 0.5  # τ: how far a volatility may move


def period(mu, phi, volatility, other_mu, other_phi, games):
    """Steps 3 to 7 of Glicko-2, in its scale: μ, φ and σ after the games of one period.

    `games` has a row for each player and a column for each opponent, NaN where there was no game.
    """
    g = 1 / np.sqrt(1 + 3 * other_phi**2 / np.pi**2)
    expected = 1 / (1 + np.exp(-g * (mu[:, None] - other_mu)))
    played = np.isfinite(games)
    v = 1 / np.sum(g**2 * expected * (1 - expected), axis=1, where=played)
    surprise = np.sum(g * (games - expected), axis=1, where=played)
    volatility = np.array(list(map(_volatility, volatility, phi**2 + v, (v * surprise) ** 2)))
    phi = 1 / np.sqrt(1 / (phi**2 + volatility**2) + 1 / v)
    return mu + phi**2 * surprise, phi, volatility


def _volatility(old: float, known: float, square: float) -> float:
    """Step 5: the root of f, which falls, between bounds of its first term; known = φ² + v."""
    a = np.log(old**2)

    def f(x):
        e = np.exp(x)
        return e * (square - known - e) / (2 * (known + e) ** 2) - (x - a) / CHANGE**2

    most = 1 + max(square / known - 1, 0) / 8
    return float(np.exp(brentq(f, a - CHANGE**2, a + CHANGE**2 * most, xtol=1e-10) / 2))
