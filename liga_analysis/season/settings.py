"""season.toml: a season's name, language, rules, prior and parameter sets."""

import json
import tomllib
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from ..rules import OVERRIDABLE, LeagueRules
from ..words import LANGUAGES, DataError, Problem
from .cells import clean_name

# What each table may hold; see `_fits`. Numbers are positive.
_TOP = {"name": clean_name, "language": LANGUAGES, "rules": dict, "prior": dict, "parameters": list}
# Beyond these a prior leaves nothing to the data, or nothing can be computed from it.
_PRIOR = {"lam": (1e-3, 1e6), "spread": (0.01, 10.0)}
_PARAMETERS = {
    "from_evening": (0, 10**9),
    "sigma": float,
    "lam": float,
    "adopted": date,
    "reason": str,
}


@dataclass(frozen=True)
class Prior:
    """What is believed of λ before the season: log λ ~ N(log lam, spread²).

    All that depends on this shape stands here; x is log λ.

    Raises
    ------
    ValueError
        If a number is not positive.

    Examples
    --------
    >>> low, high = liga.Prior(lam=6, spread=1).interval(0.9)
    >>> round(low, 2), round(high)
    (1.16, 31)
    """

    lam: float = LeagueRules.lam
    spread: float = 1.0

    def __post_init__(self):
        if not (0 < self.lam < np.inf and 0 < self.spread < np.inf):
            raise ValueError(f"the prior needs positive numbers, not {self.lam} and {self.spread}")

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log of the density per unit of x."""
        standard = (x - np.log(self.lam)) / self.spread
        return -(standard**2) / 2 - np.log(self.spread * np.sqrt(2 * np.pi))

    def interval(self, level: float) -> tuple[float, float]:
        """Between which λ lies with that probability, as much beyond either end."""
        factor = float(np.exp(ndtri((1 + level) / 2) * self.spread))
        return self.lam / factor, self.lam * factor

    @property
    def sd(self) -> float:
        """Standard deviation of x."""
        return self.spread

    @property
    def reach(self) -> tuple[float, float]:
        """Least and largest x worth looking at."""
        return np.log(self.lam) - 10 * self.spread, np.log(self.lam) + 10 * self.spread

    def draw(self, rng: np.random.Generator) -> float:
        """A λ at random."""
        return float(np.exp(rng.normal(np.log(self.lam), self.spread)))


@dataclass(frozen=True)
class Parameters:
    """σ (chips) and λ in force from an evening on, when adopted and why."""

    from_evening: int = 0
    sigma: float = LeagueRules.sigma
    lam: float = LeagueRules.lam
    adopted: date | None = None
    reason: str = ""


@dataclass(frozen=True)
class Settings:
    """All that season.toml says."""

    name: str
    language: str = "de"
    rules: LeagueRules = field(default_factory=LeagueRules)
    prior: Prior = field(default_factory=Prior)
    parameters: tuple[Parameters, ...] = (Parameters(),)


def read_settings(path: Path, data: bytes) -> Settings:
    """The settings in the bytes of a season.toml; `path` names it in messages.

    Raises
    ------
    DataError
        If the file is no TOML, or a key is unknown or its value of the wrong kind; all at once.
    """
    try:
        return parse_settings(data.decode("utf-8"), path)
    except UnicodeDecodeError:
        raise DataError(Problem("error", "setting", "not_utf8", file=path.name)) from None


def parse_settings(text: str, path: Path) -> Settings:
    """The settings in the text of a season.toml; `path` names it in messages."""
    try:
        document = tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        detail = {"detail": str(error)}
        problem = Problem("error", "setting", "toml", file=path.name, values=detail)
        raise DataError(problem) from None
    check = _Checker(path.name)
    top = check.table(document, "", _TOP)
    rules = check.table(top.pop("rules", {}), "rules.", OVERRIDABLE)
    prior = check.table(top.pop("prior", {}), "prior.", _PRIOR)
    sets = [
        check.table(entry, "parameters.", _PARAMETERS, needed=("sigma", "lam"))
        for entry in top.pop("parameters", [])
    ]
    if check.problems:
        raise DataError(*check.problems)
    parameters = tuple(Parameters(**entry) for entry in sets) or (Parameters(),)
    top["name"] = clean_name(top.get("name", "")) or clean_name(path.parent.name)
    return Settings(**top, rules=LeagueRules(**rules), prior=Prior(**prior), parameters=parameters)


def with_parameters(data: bytes, parameters: Parameters, path: Path) -> bytes:
    """A season.toml with a parameter set appended; all that stands there stays as it is.

    Raises
    ------
    DataError
        If it would not be valid afterwards.
    """
    text = data.decode("utf-8")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        "" if text.endswith("\n") else newline,
        "[[parameters]]",
        f"from_evening = {parameters.from_evening}",
        f"sigma = {parameters.sigma!r}",
        f"lam = {parameters.lam!r}",
        f"adopted = {parameters.adopted}",
        f"reason = {json.dumps(clean_name(parameters.reason), ensure_ascii=False)}",
    ]
    text += newline.join([*lines, ""])
    parse_settings(text, path)
    return text.encode()


class _Checker:
    """Collects every objection to a settings file."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []

    def table(self, given, place: str, kinds: dict, needed: tuple[str, ...] = ()) -> dict:
        """The entries that are as they should be."""
        if not isinstance(given, dict):
            self.object("setting_value", place.rstrip("."), found=repr(given)[:80], kind="dict")
            return {}
        for key in given:
            if key not in kinds:
                self.object("setting_unknown", place + key, allowed=sorted(kinds))
            elif not _fits(given[key], kinds[key]):
                facts, kind = {"found": repr(given[key])[:80]}, kinds[key]
                ranged = isinstance(kind, tuple) and not isinstance(kind[0], str)
                facts |= {"low": kind[0], "high": kind[1]} if ranged else {"kind": _called(kind)}
                self.object("setting_range" if ranged else "setting_value", place + key, **facts)
        for key in needed:
            if key not in given:
                self.object("setting_missing", place + key)
        return {key: value for key, value in given.items() if _fits(value, kinds.get(key))}

    def object(self, key: str, setting: str, **values) -> None:
        facts = {"setting": setting, **values}
        self.problems.append(Problem("error", "setting", key, file=self.file, values=facts))


def _called(kind) -> str:
    """What messages call a kind that is no range."""
    names = {float: "positive", LANGUAGES: "language", clean_name: "filled"}
    return names.get(kind) or kind.__name__


def _fits(value, kind) -> bool:
    """Whether a value is of a kind: a type, one of some words, or within two numbers."""
    if isinstance(value, bool) or kind is None:
        return False
    if kind is clean_name:
        return isinstance(value, str) and bool(clean_name(value))
    if kind is float:
        return isinstance(value, (int, float)) and 1e-9 <= value <= 1e12
    if isinstance(kind, type):
        return isinstance(value, kind)
    if isinstance(kind[0], str):
        return value in kind
    numbers = (int, float) if isinstance(kind[0], float) else int
    return isinstance(value, numbers) and kind[0] <= value <= kind[1]
