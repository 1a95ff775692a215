"""An exact interval of λ and an exact test of τ = 0, by the likelihood ratio's own null.

With w_k = z_k²/d_k (see `likelihood`) and dev(λ) = ν log R(λ) + Σ log(1 + d_k/λ),

    LR(λ) = dev(λ) − min over λ′ ∈ (0, ∞] of dev(λ′)

has at the true λ the distribution of the same statistic of w*_k = (1 + d_k/λ)χ²₁ and
RSS₀* = χ²_(ν−r), σ cancelling: Crainiceanu and Ruppert 2004, JRSS-B 66:165. p(λ) is the share of
draws that reach the observed one; one set of draws serves all λ, and one grid of λ′ minimises for
data and draws alike, so that its step costs no exactness. Inside, x = log λ; x = ∞ is τ = 0.
"""

from functools import cache

import numpy as np
import scipy  # loads scipy.optimize when it is asked

from .likelihood import Likelihood

DRAWS, PIECE = 20_000, 1000  # drawn in pieces, to bound the memory


class LikelihoodRatio:
    """P-values of λ, from one set of draws."""

    def __init__(self, model: Likelihood, seed: int = 1):
        self._model, self._seed = model, seed
        self._df = model.nu - len(model.d)
        reach = np.log(model.nu) + 7
        # Lower where luck is small: λ̂ is about d·RSS₀/R(∞) there.
        low = np.log(model.d[0]) - reach + 0.1 * np.floor(10 * np.log(model.rss / model.R(np.inf)))
        self._x = np.append(np.arange(low, np.log(model.d[-1]) + reach, 0.1), np.inf)
        # dev/ν = log of (RSS₀ + Σ w_k/(1 + d_k/λ′)) Π(1 + d_k/λ′)^(1/ν): a product of matrices.
        penalty = np.exp(model.log_det(self._x) / model.nu)
        shrunk = 1 / (1 + np.exp(-self._x) * model.d[:, None])
        self._products = np.vstack([shrunk, np.ones_like(self._x)]) * penalty
        self._best = (np.append(model.w, model.rss) @ self._products).min()
        self.p = cache(self._p)

    def ratio(self, x):
        """LR at x = log λ, number or array."""
        model = self._model
        return model.nu * (np.log(model.R(x) / self._best) + model.log_det(x) / model.nu)

    def _p(self, x: float, draws: int = DRAWS) -> float:
        model, rng = self._model, np.random.default_rng(self._seed)
        spread = np.append(1 + model.d * np.exp(-x), 1.0)
        products = spread[:, None] * self._products
        penalty, observed, reached = model.log_det(x), self.ratio(x) - 1e-9, 0
        for _ in range(0, draws, PIECE):
            square = np.empty((PIECE, len(spread)))
            square[:, :-1] = rng.standard_normal((PIECE, len(model.d))) ** 2
            square[:, -1:] = rng.chisquare(self._df, (PIECE, 1))
            best = (square @ products).min(1)
            drawn = model.nu * np.log(square.sum(1) / best) + penalty
            reached += int((drawn >= observed).sum())
        return (1 + reached) / (1 + draws)

    def interval(self, level: float) -> tuple[float, float]:
        """The outermost λ with p(λ) > 1 − level; open above (∞) if and only if p(∞) is.

        Never empty: p = 1 where the likelihood is largest.
        """
        x, alpha = self._x[:-1], 1 - level
        start = int(self.ratio(x).argmin())
        seen = np.flatnonzero(self.ratio(x) <= 50)  # no draw comes near 50
        coarse = seen[(seen - start) % 4 == 0]
        inside = [i for i in coarse if self.p(x[i], PIECE) > alpha]
        low = self._end(min([*inside, start]), start, -1, alpha)
        is_open = self.p(np.inf) > alpha
        high = np.inf if is_open else self._end(max([*inside, start]), start, 1, alpha)
        return float(np.exp(low)), float(np.exp(high))

    def _end(self, i: int, start: int, step: int, alpha: float) -> float:
        """Where p falls to alpha, from a first guess at x[i], by all draws."""
        x = self._x[:-1]
        while self.p(x[i]) <= alpha and i != start:
            i -= step * min(2, abs(i - start))
        inner = i
        while self.p(x[i]) > alpha and 0 < i < len(x) - 1:
            inner, i = i, min(max(i + 2 * step, 0), len(x) - 1)
        if self.p(x[i]) > alpha:
            return x[i]
        return scipy.optimize.brentq(lambda at: self.p(at) - alpha, x[inner], x[i], xtol=1e-3)
