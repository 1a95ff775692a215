"""Large tables: ratings, their uncertainty and the likelihood's sums without the spectrum of G.

All by products G v = n∘v − Bᵀ((Bv)/n_s), B the seats, so nothing is larger than the table. A table
here is one connected group; its players share a level that no result can tell.

Sources: Golub and Meurant, Matrices, Moments and Quadrature (2010); Hutchinson (1990).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.sparse import csr_array

RATING_ERROR = 1e-10  # residual of θ̂, relative to h
PROBE_ERROR = 1e-6  # the same where randomness is larger
FIRST_PROBES, MOST_PROBES = 32, 1024
UNCERTAINTY_ERROR = 0.01  # rms over the players of the relative standard error of u
SINGLE_ERROR = 0.02  # above it a player's u is solved for
PRIOR_DF = 16  # how many probes the players' common relative error is worth
PIECE = 4_000_000  # numbers at once: 32 MB
COLUMNS = 4  # solved at once: more leave the processor's cache from 40,000 players on
STEPS = 40


class Laplacian:
    """G as a map v ↦ Gv, v of shape (p,) or (p, k); `diagonal` is that of G.

    Parameters
    ----------
    seats : csr_array, shape (S, p)
    weight : ndarray, shape (S,)
    """

    def __init__(self, seats: csr_array, weight: np.ndarray):
        size = seats.sum(1)
        self.seats, self.columns, self.share = seats, seats.T.tocsr(), weight / size
        self.degree = self.columns @ weight
        self.diagonal = self.columns @ (self.share * (size - 1))

    def __call__(self, v: np.ndarray) -> np.ndarray:
        shape = (-1,) + (1,) * (v.ndim - 1)
        share, degree = self.share.reshape(shape), self.degree.reshape(shape)
        return degree * v - self.columns @ (share * (self.seats @ v))


class Blocks:
    """The map (a; b) ↦ (Aa + Bb; Ba + Cb) of three Laplacians."""

    def __init__(self, A: Laplacian, B: Laplacian, C: Laplacian):
        self.A, self.B, self.C = A, B, C
        self.diagonal = np.append(A.diagonal, C.diagonal)

    def __call__(self, v: np.ndarray) -> np.ndarray:
        a, b = np.split(v, 2)
        return np.concatenate([self.A(a) + self.B(b), self.B(a) + self.C(b)])


def solve(G: Laplacian, lam: np.ndarray, B: np.ndarray, error: float) -> np.ndarray:
    """(G + diag λ)⁻¹B by conjugate gradients, preconditioned by diag(G) + λ.

    B has shape (p, k); they end when every ‖residual‖ ≤ error·‖column of B‖.
    """
    if B.shape[1] > COLUMNS:
        starts = range(0, B.shape[1], COLUMNS)
        return np.hstack([solve(G, lam, B[:, k : k + COLUMNS], error) for k in starts])
    lam = lam[:, None]
    diagonal = G.diagonal[:, None] + lam
    X, R, part = np.zeros_like(B), B.copy(), np.empty_like(B)
    Z = R / diagonal
    P, rz = Z.copy(), _products(R, Z)
    limit = (error * np.linalg.norm(B, axis=0)) ** 2
    while (open_ := _products(R, R) > limit).any():
        Q = G(P)
        Q += np.multiply(lam, P, out=part)
        step = np.where(open_, rz / np.where(open_, _products(P, Q), 1), 0)
        X += np.multiply(step, P, out=part)
        R -= np.multiply(step, Q, out=part)
        new = _products(R, np.divide(R, diagonal, out=Z))
        P *= np.where(open_, new / np.where(open_, rz, 1), 0)
        P += Z
        rz = new
    return X


def _products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Each column of A times that of B."""
    return np.einsum("ij,ij->j", A, B)


def ratings(G: Laplacian, lam: np.ndarray, h: np.ndarray) -> np.ndarray:
    """θ̂ = (G + diag λ)⁻¹h, within ‖residual‖/λ ≤ 1e-10‖h‖/λ."""
    return solve(G, lam, h[:, None], RATING_ERROR)[:, 0]


def variances(G: Laplacian, lam: np.ndarray, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Diagonal of (G + diag λ)⁻¹, and its relative standard error; each of shape (p,).

    (G + diag λ)⁻¹ = 11ᵀ/Σλ + A with Aλ = 0, and v∘Av has the mean diag A for a probe v of ±1. The
    probes are doubled until the rms of the players' errors of u = √ is 1 %; whoever is then above
    2 % is solved for exactly.
    """
    rng, p, level = np.random.default_rng(seed), len(lam), 1 / lam.sum()
    block = max(1, PIECE // p)
    first, second, n, more = np.zeros(p), np.zeros(p), 0, FIRST_PROBES
    while True:
        for start in range(0, more, block):
            V = rng.choice((-1.0, 1.0), (p, min(block, more - start)))
            # A v = (G + diag λ)⁻¹(v − λ·Σv/Σλ)
            sample = V * solve(G, lam, V - np.outer(lam, V.sum(0) * level), PROBE_ERROR)
            first, second = first + sample.sum(1), second + (sample**2).sum(1)
        n += more
        diagonal = first / n + level
        spread = np.maximum(second - first**2 / n, 0) / diagonal**2
        # Few probes tell a player's own spread badly: what is common to all has its say.
        common = spread.sum() / (p * (n - 1))
        df = n - 1 + PRIOR_DF
        error = np.sqrt((spread + PRIOR_DF * common) / df / n)
        error *= 1 + 3 / np.sqrt(2 * df)  # an error of the error itself, three times over
        if np.sqrt((error**2).mean()) / 2 <= UNCERTAINTY_ERROR or n >= MOST_PROBES:
            break
        more = n
    single = np.flatnonzero(error / 2 > SINGLE_ERROR)
    for start in range(0, len(single), block):
        own = single[start : start + block]
        unit = np.zeros((p, len(own)))
        unit[own, np.arange(len(own))] = 1
        diagonal[own] = solve(G, lam, unit, PROBE_ERROR)[own, np.arange(len(own))]
        error[own] = 0
    return diagonal, error


class Nodes(NamedTuple):
    """Nodes t and weights c with vᵀf(G)v ≈ Σ c f(t), for every smooth f at once."""

    t: np.ndarray
    c: np.ndarray


class Lanczos:
    """The tridiagonal form of G seen from a vector v ≠ 0, with full reorthogonalisation."""

    def __init__(self, G: Callable[[np.ndarray], np.ndarray], v: np.ndarray):
        self.G, self.size = G, float(v @ v)
        self.alpha, self.beta = [], []
        self.Q = (v / np.sqrt(self.size))[None]

    def extend(self, steps: int) -> None:
        """Go on until that many steps are made, or nothing new is left to see."""
        Q, m = self.Q, len(self.alpha)
        if m == len(Q) - 1:
            self.Q = np.empty((steps + 1, Q.shape[1]))
            self.Q[: m + 1] = Q
        while m < steps and m == len(self.beta):
            w = self.G(self.Q[m])
            self.alpha.append(float(w @ self.Q[m]))
            w -= self.alpha[m] * self.Q[m]
            if m:
                w -= self.beta[m - 1] * self.Q[m - 1]
            m += 1
            w -= self.Q[:m].T @ (self.Q[:m] @ w)
            beta = float(np.linalg.norm(w))
            if beta > 1e-10 * max(self.alpha):
                self.beta.append(beta)
                self.Q[m] = w / beta

    def forget(self) -> None:
        """Give up the memory it takes to go on."""
        self.Q = None

    def nodes(self, steps: int) -> Nodes:
        """Gauss quadrature after that many steps, or as many as were made."""
        m = min(steps, len(self.alpha))
        t, vectors = eigh_tridiagonal(self.alpha[:m], self.beta[: m - 1])
        kept = t > 1e-14 * t[-1]
        return Nodes(t[kept], self.size * vectors[0, kept] ** 2)
