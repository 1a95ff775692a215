"""Ratings: the penalised least squares of the rulebook, from one spectrum.

With F_s the field of evening s and M_s = I − 11ᵀ/n_s, the model is y_s = M_s (θ_F + e),
e ~ N(0, σ²I), θ ~ N(0, τ²I), λ = σ²/τ². G = XᵀX = Σ_s (diag(1_s) − 1_s 1_sᵀ/n_s) is the Laplacian
of the play graph: players are nodes, an evening joins all who sat at it with weight 1/n_s.

An evening may carry a weight w_s: its term in G and in h = Xᵀy is multiplied by it, its luck is
N(0, σ²/w_s). A player may have a λ_i of his own, and τ_i = σ/√λ_i: then G + diag(λ) everywhere.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from .graph import PlayGraph, play_graph, values_by
from .large import ratings, variances


@dataclass(frozen=True, repr=False)
class Fit:
    """Ratings under one parameter set; all that follows from it is computed when asked for.

    Attributes
    ----------
    graph : PlayGraph
    lam : float or Series by player
    sigma : float
    rules : LeagueRules
        The season's; the rulebook's where only results are known.
    """

    graph: PlayGraph
    lam: float | pd.Series
    sigma: float
    rules: LeagueRules = field(default_factory=LeagueRules)

    def __repr__(self) -> str:
        lam = "by player" if isinstance(self.lam, pd.Series) else f"{self.lam:g}"
        players, evenings = self.graph.n_players, len(self.graph.evenings)
        return f"Fit({players} players, {evenings} evenings, lam={lam}, sigma={self.sigma:g})"

    @property
    def tau(self) -> float | pd.Series:
        """τ = σ/√λ, implied by the two parameters, in chips."""
        return self.sigma / self.lam**0.5

    @property
    def one_lam(self) -> float:
        """λ where all players share it; else ValueError."""
        if not isinstance(self.lam, pd.Series):
            return self.lam
        if self.lam.nunique() > 1:
            raise ValueError("one λ is needed for all players, not a λ by player")
        return float(self.lam.iloc[0])

    @cached_property
    def _root(self) -> tuple[float | np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """s, V, b, z with (G + diag λ)⁻¹ = SV diag(1/b) VᵀS, S = diag(s), and z = VᵀSh."""
        graph = self.graph
        if not isinstance(self.lam, pd.Series) or self.lam.nunique() == 1:
            d, V, z = graph.spectrum
            return 1.0, V, d + self.one_lam, z
        # With S = diag(λ)^(−½): G + diag(λ) = S⁻¹(SGS + I)S⁻¹.
        s = self.lam.to_numpy() ** -0.5
        d, V = np.linalg.eigh(s[:, None] * graph.G * s)
        return s, V, d + 1, V.T @ (s * graph.h)

    @cached_property
    def _groups(self) -> list["Fit"]:
        """The fit of each connected group."""
        one, lam = not isinstance(self.lam, pd.Series), self.lam
        return [
            replace(self, graph=part, lam=lam if one else lam[part.players])
            for part in self.graph.parts
        ]

    def _large(self, name: str) -> pd.Series:
        """`theta`, `se` or `se_error` of a graph too large for its spectrum, group by group."""
        graph = self.graph
        if len(graph.parts) > 1:
            values, order = np.empty(graph.n_players), graph.group.argsort(kind="stable")
            values[order] = np.concatenate([getattr(fit, name) for fit in self._groups])
        elif name == "theta":
            lam = np.broadcast_to(self.lam, graph.n_players).astype(float)
            values = ratings(graph.laplacian, lam, graph.h)
        else:
            variance, error = self._variances
            values = error / 2 if name == "se_error" else self.sigma * np.sqrt(variance)
        return pd.Series(values, graph.players, name=name)

    @cached_property
    def _variances(self) -> tuple[np.ndarray, np.ndarray]:
        lam = np.broadcast_to(self.lam, self.graph.n_players).astype(float)
        return variances(self.graph.laplacian, lam)

    @cached_property
    def theta(self) -> pd.Series:
        """θ̂ = (G + λI)⁻¹h by player, in chips."""
        if self.graph.is_large:
            return self._large("theta")
        s, V, b, z = self._root
        return pd.Series(s * (V @ (z / b)), self.graph.players, name="theta")

    @cached_property
    def se(self) -> pd.Series:
        """Uncertainty u = σ√[(G + λI)⁻¹]_ii by player (Unsicherheitsspanne), in chips."""
        if self.graph.is_large:
            return self._large("se")
        s, V, b, _ = self._root
        u = self.sigma * s * np.sqrt((V**2) @ (1 / b))
        return pd.Series(u, self.graph.players, name="se")

    @cached_property
    def se_error(self) -> pd.Series:
        """Standard error of u by player, relative; 0 up to 3,000 players, where u is exact."""
        if self.graph.is_large:
            return self._large("se_error")
        return pd.Series(0.0, self.graph.players, name="se_error")

    @cached_property
    def cov(self) -> pd.DataFrame:
        """σ²(G + λI)⁻¹ by player, in chips²: the joint posterior covariance."""
        s, V, b, _ = self._root
        V = V * np.reshape(s, (-1, 1))
        cov = (V * (self.sigma**2 / b)) @ V.T
        return pd.DataFrame(cov, self.graph.players, self.graph.players)

    def draws(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Joint draws of all ratings, N(θ̂, σ²(G + λI)⁻¹), shape (n, p), in chips."""
        s, V, b, _ = self._root
        # By the symmetric root, the same whatever basis the solver found for V.
        root = (V * (self.sigma / np.sqrt(b))) @ V.T * s
        return self.theta.to_numpy() + rng.standard_normal((n, len(b))) @ root


def fit_ratings(
    results: pd.DataFrame | PlayGraph,
    lam: float | pd.Series = 6.0,
    sigma: float = 2400.0,
    weights: pd.Series | None = None,
) -> Fit:
    """Ratings θ̂ and their uncertainty u, all players at once.

    θ̂ minimises Σ_s w_s Σ_{i∈F_s} (y_is − (θ_i − θ̄_s))² + Σ_i λ_i θ_i², hence
    θ̂ = (G + diag λ)⁻¹h; with λ_i = σ²/τ_i² it is the posterior mean, and σ²(G + diag λ)⁻¹ the
    posterior covariance. The rulebook has one λ and w_s = 1.

    Parameters
    ----------
    results : DataFrame or PlayGraph
        Columns `evening`, `player`, `result`, or the graph made of them.
    lam : float or Series by player
        λ > 0, without unit.
    sigma : float
        σ > 0, in chips; scales u and leaves θ̂ alone.
    weights : Series by evening, optional
        w_s ≥ 0: the evening's luck has variance σ²/w_s; with 0 it is as if not held. All 1 if
        not given.

    Returns
    -------
    Fit
        `theta`, `se`, `cov` by player, in chips (chips²); `lam`, `tau`, `sigma`, `graph`.

    Raises
    ------
    ValueError
        If λ or σ is not a positive number, a weight is below 0 or all are 0, a player (evening) of
        the table is missing in `lam` (`weights`) or stands there twice, or the table is unusable
        (see `play_graph`).

    Notes
    -----
    Rulebook, "Schätzung" and "Unsicherheitsspanne". λ and σ default to the rulebook's values.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> fit = liga.fit_ratings(results, lam=6, sigma=2400)
    >>> fit
    Fit(14 players, 12 evenings, lam=6, sigma=2400)
    >>> bool(abs(fit.theta.sum()) < 1e-6)
    True

    Newcomers shrunk more, and evening 3 as if it were not held:

    >>> lam = (results.groupby("player").size() <= 4).map({True: 15.0, False: 6.0})
    >>> weights = pd.Series(1.0, results["evening"].unique())
    >>> weights[3] = 0
    >>> liga.fit_ratings(results, lam=lam, weights=weights)
    Fit(14 players, 11 evenings, lam=by player, sigma=2400)
    """
    graph = results if isinstance(results, PlayGraph) else play_graph(results)
    if isinstance(lam, pd.Series):
        lam = pd.Series(values_by(graph.players, lam, "lam", "player"), graph.players, name="lam")
    for name, value in (("lam", lam), ("sigma", sigma)):
        numbers = np.asarray(value, float)
        wrong = numbers[~((numbers > 0) & (numbers < np.inf))]
        if wrong.size:
            raise ValueError(f"{name} must be a positive number, not {wrong.flat[0]:g}")
    if weights is not None:
        graph = graph.weighted(weights)
    return Fit(graph, lam if isinstance(lam, pd.Series) else float(lam), float(sigma))


def receipt(fit: Fit) -> pd.DataFrame:
    """What each rating is made of (Quittung).

    Exactly θ̂_i = (Σ_s y_is − Σ_s ȳ_s + Σ_s θ̄_s) / (evenings_i + λ): total won, less the mean of
    evenings that do not add up, plus field strength faced, shared out over evenings + λ. Where
    evenings have weights all sums are weighted, `evenings` is the sum of the weights.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    DataFrame
        By player: `total`, `imbalance` (−Σȳ_s, 0 when all evenings balance), `field_strength`,
        `evenings`, `rating`; chips but for `evenings`.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> parts = liga.receipt(liga.fit_ratings(results, lam=6))
    >>> shared = parts[["total", "imbalance", "field_strength"]].sum(axis=1)
    >>> bool((abs(shared / (parts["evenings"] + 6) - parts["rating"]) < 1e-6).all())
    True
    """
    graph = _fit(fit).graph
    plain = (graph.weight == 1).all()
    imbalance = -(graph.seats.T @ (graph.weight * graph.imbalance / graph.field_size))
    faced = graph.seats.T @ (graph.weight * field_strength(fit).to_numpy())
    return pd.DataFrame(
        {
            "total": graph.h - imbalance,
            "imbalance": imbalance,
            "field_strength": faced,
            "evenings": graph.n_evenings if plain else graph.weight_sum,
            "rating": fit.theta,
        },
        index=graph.players,
    )


def field_strength(fit: Fit) -> pd.Series:
    """θ̄_s by evening: the mean rating of those present, in chips.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    Series
        By evening.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> len(liga.field_strength(liga.fit_ratings(results)))
    12
    """
    graph = _fit(fit).graph
    return pd.Series(
        graph.seats @ fit.theta.to_numpy() / graph.field_size,
        graph.evenings,
        name="field_strength",
    )


def reliability(fit: Fit) -> pd.Series:
    """Share of the differences between players that the results have settled, 0 to 1, by player.

    1 − (u_i² − c)/(τ_i² − c), c = σ²/Σλ_j over the connected group: the variance of its common
    level, which no result can tell. With one λ, c = τ²/K for K players. NaN for a player alone.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    Series
        By player.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> liga.reliability(liga.fit_ratings(results)).between(0, 1).all()
    np.True_
    """
    group, lam = _fit(fit).graph.group, np.broadcast_to(fit.lam, fit.graph.n_players)
    level = (fit.sigma**2 / np.bincount(group, lam))[group]
    level[np.bincount(group)[group] == 1] = np.nan
    return (1 - (fit.se**2 - level) / (fit.tau**2 - level)).rename("reliability")


def _fit(fit: Fit) -> Fit:
    """A fit, and nothing else."""
    if not isinstance(fit, Fit):
        kind = type(fit).__name__
        raise TypeError(f"a fit is needed, such as fit_ratings(season.results), not a {kind}")
    return fit
