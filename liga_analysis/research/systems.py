"""Rating systems, the league's among them: what each would say of an evening, from all before it.

A system takes a play graph whose evenings are numbered as they were played, and λ, and returns its
`Course`. It knows no result but those before; a player it has not yet seen has its default. Where a
system knows only games of two, every pair at the table is a game, scored by order of finish (1, ½,
0) or by margin: Φ((y_i − y_j)/(s√2)), s the spread of the results so far.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr

from ..model.graph import PlayGraph
from .glicko2 import NEWCOMER, period

TINY = 1e-300  # keeps evenings without any gain or loss out of divisions by zero
K = 32.0  # Elo's usual step
STEPS = (32.0, 16.0, 64.0, 8.0, 128.0, 4.0, 256.0)  # a chosen K is the first of the best


class Course(NamedTuple):
    """A system's scores before each evening and, last, after all, shape (S + 1, p).

    In the system's own unit; chips where it predicts chips. `cov`, shape (S + 1, p, p), is its own
    uncertainty of them, in that unit squared, if it has any.
    """

    score: np.ndarray
    cov: np.ndarray | None = None


def evenings(graph: PlayGraph):
    """Field (numbers of players) and results less their mean of each evening, in turn."""
    return [(graph.player[here], graph.y[here]) for here, _ in graph.by_evening()]


def before(by_evening: np.ndarray) -> np.ndarray:
    """Sums over the evenings before each and, last, over all: shape (S + 1, …)."""
    return np.concatenate([np.zeros_like(by_evening[:1]), by_evening.cumsum(0)])


def spread(graph: PlayGraph) -> np.ndarray:
    """√(Σy²/Σ(n_s − 1)) over the evenings before each and, last, over all; 0 before the first."""
    squares = before(np.bincount(graph.evening, graph.y**2))
    return np.sqrt(squares / np.maximum(before(graph.field_size - 1.0), 1))


def gram(graph: PlayGraph) -> tuple[np.ndarray, np.ndarray]:
    """G and h over the evenings before each and, last, over all (see `graph.PlayGraph`)."""
    sat = graph.seats.toarray()[:, :, None]
    share = sat.transpose(0, 2, 1) / graph.field_size[:, None, None]
    return before(sat * (np.eye(graph.n_players) - share)), before(_by_player(graph, graph.y))


def slopes(graph: PlayGraph, score: np.ndarray, lam: float) -> np.ndarray:
    """Chips for a unit of score, by the results before each evening and, last, by all.

    The multiple of the scores x that fits the past best by the league's own criterion,
    Σ (y − M bx)² + λ Σ (bx)²: b = xᵀh / (xᵀ(G + λI)x), G, h and x those before the evening. For the
    league's ratings it is 1; to any other system it lends the league's shrinkage. 0 where x is.
    """
    G, h = gram(graph)
    fit = (score * h).sum(1)
    square = (score * ((G @ score[:, :, None])[:, :, 0] + lam * score)).sum(1)
    return np.divide(fit, square, where=square > 0, out=np.zeros_like(fit))


def predicted(graph: PlayGraph, score: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """b_s (x_is − x̄_s), the result of everybody at every evening by the scores before it; chips."""
    x = score[graph.evening, graph.player]
    x = x - (np.bincount(graph.evening, x) / graph.field_size)[graph.evening]
    return slope[graph.evening] * x


def league(graph: PlayGraph, lam: float) -> Course:
    """The league's: θ̂ = (G + λI)⁻¹h and σ²(G + λI)⁻¹, σ² = λ/(1 + λ) of the spread so far."""
    G, h = gram(graph)
    inverse = np.linalg.inv(G + lam * np.eye(graph.n_players))
    score = (inverse @ h[:, :, None])[:, :, 0]
    return Course(score, inverse * noise(graph, lam)[:, None, None])


def noise(graph: PlayGraph, lam: float) -> np.ndarray:
    """σ² so far, of luck alone: a result scatters by σ² + τ² = σ²(1 + 1/λ), in chips²."""
    return spread(graph) ** 2 * lam / (1 + lam)


def floor(graph: PlayGraph, lam: float) -> Course:
    """The constant 0, with ratings that scatter by τ = σ/√λ and are never learnt."""
    score = np.zeros((len(graph.evenings) + 1, graph.n_players))
    tau2 = noise(graph, lam) / lam
    return Course(score, tau2[:, None, None] * np.eye(graph.n_players))


def total(graph: PlayGraph, lam: float) -> Course:
    """The sum of a player's results."""
    return Course(before(_by_player(graph, graph.y)))


def mean(graph: PlayGraph, lam: float) -> Course:
    """The mean of a player's results; 0 for a newcomer."""
    n = before(_by_player(graph, np.ones_like(graph.y)))
    return Course(before(_by_player(graph, graph.y)) / np.maximum(n, 1))


def drop_two(graph: PlayGraph, lam: float) -> Course:
    """The mean without the worst two results; 0 for whoever has no others."""
    played = np.full((len(graph.evenings), graph.n_players), np.inf)
    played[graph.evening, graph.player] = graph.y
    n, sums = (before(_by_player(graph, values)) for values in (np.ones_like(graph.y), graph.y))
    score = np.zeros_like(sums)
    for s, enough in enumerate(n > 2):
        worst = np.sort(played[:s, enough], axis=0)[:2].sum(0)
        score[s, enough] = (sums[s, enough] - worst) / (n[s, enough] - 2)
    return Course(score)


def by_order(y: np.ndarray, spread: float) -> np.ndarray:
    """Game of row against column by order of finish: 1, ½ or 0."""
    return (1 + np.sign(y[:, None] - y)) / 2


def by_margin(y: np.ndarray, spread: float) -> np.ndarray:
    """Game of row against column by margin, Φ(Δy/(s√2)): between 0 and 1."""
    return ndtr((y[:, None] - y) / max(spread * 2**0.5, TINY))


def elo(graph: PlayGraph, lam: float, games=by_order, k: float = K) -> Course:
    """Elo: R_i += K/(n − 1) Σ_j (S_ij − 1/(1 + 10^((R_j − R_i)/400))), an evening one game in all.

    Elo, The Rating of Chessplayers (1978), every pair at the table a game. Scores are above 1500, a
    newcomer's.
    """

    def update(rating, y, spread):
        expected = 1 / (1 + 10 ** ((rating - rating[:, None]) / 400))
        return rating + k / (len(y) - 1) * (games(y, spread) - expected).sum(1)

    return Course(_online(graph, 0.0, update))


def elo_chosen(graph: PlayGraph, lam: float) -> Course:
    """Elo with the K of eight times less to eight times more that predicted best so far."""
    scores = np.array([elo(graph, lam, k=k).score for k in STEPS])
    results = [predicted(graph, score, slopes(graph, score, lam)) for score in scores]
    squares = [np.bincount(graph.evening, (graph.y - result) ** 2) for result in results]
    best = np.array([before(square) for square in squares]).argmin(0)
    return Course(scores[best, np.arange(len(best))])


def glicko(graph: PlayGraph, lam: float, games=by_order) -> Course:
    """Glicko-2: an evening is a rating period, every pair at the table a game.

    Glickman, Example of the Glicko-2 system (2013), at his defaults 1500, 350, 0.06 and τ = 0.5.
    Whoever stays away after his first evening becomes less sure, as in its step 6.
    """

    def update(state, y, spread):
        mu, phi, volatility = state.T
        game = np.where(np.eye(len(y)), np.nan, games(y, spread))
        return np.column_stack(period(mu, phi, volatility, mu, phi, game))

    def rest(state):
        mu, phi, volatility = state.T
        return np.column_stack([mu, np.hypot(phi, volatility), volatility])

    mu, phi, _ = _online(graph, NEWCOMER, update, rest).T
    return Course(mu.T, _diagonal(phi.T**2))


def _places(y: np.ndarray) -> np.ndarray:
    """Places from the best result down, equal ones sharing the first of theirs.

    As scipy.stats has it, whose import takes half a second.
    """
    return np.searchsorted(np.sort(-y), -y)


def openskill(graph: PlayGraph, lam: float, model: str) -> Course:
    """A model of the package openskill at its defaults: Weng and Lin, JMLR 12 (2011)."""
    rater = getattr(import_module("openskill.models"), model)()

    def update(state, y, spread):
        teams = [[rater.rating(*row)] for row in state.tolist()]
        rated = rater.rate(teams, ranks=_places(y).tolist())
        return [(one.mu, one.sigma) for (one,) in rated]

    return _skills(graph, (rater.mu, rater.sigma), update)


def trueskill(graph: PlayGraph, lam: float) -> Course:
    """The package trueskill at its defaults: Herbrich, Minka and Graepel, NIPS 19 (2007)."""
    rater = import_module("trueskill").TrueSkill()

    def update(state, y, spread):
        teams = [(rater.create_rating(*row),) for row in state.tolist()]
        return [(one.mu, one.sigma) for (one,) in rater.rate(teams, _places(y))]

    return _skills(graph, (rater.mu, rater.sigma), update)


def plackett_luce(graph: PlayGraph, lam: float) -> Course:
    """Plackett–Luce fitted to all orders of finish so far.

    Strengths θ maximise Σ_orders Σ_k (θ_(k) − log Σ_{j≥k} exp θ_(j)) − λ/(2v) Σθ², v = π²/6: the
    variance of luck (Gumbel) in this model, so that λ means what it means for the ratings. A tie
    stands in both orders, each with half weight. Plackett, J. R. Stat. Soc. C 24 (1975).
    """
    p, penalty, score = graph.n_players, 3 * lam / np.pi**2, [np.zeros(graph.n_players)]
    orders = np.full((len(graph.evenings), 2, graph.field_size.max()), p)  # p is nobody

    def loss(theta, orders):
        here = orders < p
        x = np.append(theta, -np.inf)[orders]
        strength = np.exp(x)
        rest = np.where(here, strength[..., ::-1].cumsum(-1)[..., ::-1], 1.0)
        expected = strength * (here / rest).cumsum(-1)  # places a player is expected to take
        gap = np.bincount(orders[here], (expected - 1)[here], p)
        likelihood = (x[here] - np.log(rest[here])).sum()
        return penalty * theta @ theta - likelihood / 2, 2 * penalty * theta + gap / 2

    for s, (field, y) in enumerate(evenings(graph)):
        for k, tied in enumerate((field, -field)):
            orders[s, k, : len(y)] = field[np.lexsort((tied, -y))]
        known = {"args": (orders[: s + 1],), "jac": True, "method": "L-BFGS-B", "tol": 1e-8}
        score.append(minimize(loss, score[-1], **known).x)
    return Course(np.array(score))


SYSTEMS: dict[str, Callable[[PlayGraph, float], Course]] = {
    "league": league,
    "elo": elo,
    "elo_chosen": elo_chosen,
    "elo_margin": partial(elo, games=by_margin),
    "glicko": glicko,
    "glicko_margin": partial(glicko, games=by_margin),
    "trueskill": trueskill,
    "openskill_pl": partial(openskill, model="PlackettLuce"),
    "openskill_tm": partial(openskill, model="ThurstoneMostellerFull"),
    "plackett_luce": plackett_luce,
    "total": total,
    "mean": mean,
    "drop_two": drop_two,
    "mean_raw": mean,
    "drop_two_raw": drop_two,
    "floor": floor,
}
# Systems that need a package of the extra `compare`.
PACKAGES = {"trueskill": "trueskill", "openskill_pl": "openskill", "openskill_tm": "openskill"}
RAW = ("mean_raw", "drop_two_raw")  # predict as they stand
IN_CHIPS = ("league", "floor", *RAW)  # not scaled (see `slopes`)


def installed() -> list[str]:
    """The systems that can run here; the others lack their package."""
    return [name for name in SYSTEMS if name not in PACKAGES or find_spec(PACKAGES[name])]


def _online(graph: PlayGraph, start, update, rest=None) -> np.ndarray:
    """States before each evening and after all; `rest` is what staying away does."""
    state = np.broadcast_to(start, (graph.n_players, *np.shape(start))).copy()
    states, seen = [state], np.zeros(graph.n_players, bool)
    for (field, y), so_far in zip(evenings(graph), spread(graph)[1:], strict=True):
        old, state = state, state.copy()
        if rest:
            state[seen] = rest(old[seen])
        state[field] = update(old[field], y, so_far)
        seen[field] = True
        states.append(state)
    return np.array(states)


def _skills(graph: PlayGraph, start, update) -> Course:
    mu, sigma = _online(graph, start, update).T
    return Course(mu.T - start[0], _diagonal(sigma.T**2))


def _diagonal(variance: np.ndarray) -> np.ndarray:
    return variance[..., None] * np.eye(variance.shape[-1])


def _by_player(graph: PlayGraph, values: np.ndarray) -> np.ndarray:
    """Values of the rows by evening and player, 0 where absent."""
    table = np.zeros((len(graph.evenings), graph.n_players))
    table[graph.evening, graph.player] = values
    return table
