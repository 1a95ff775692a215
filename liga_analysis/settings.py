"""season.toml: a season's name, language, rules, prior and parameter sets."""

import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from .labels import LANGUAGES, DataError, Problem
from .rules import OVERRIDABLE, LeagueRules

FILE = "season.toml"


@dataclass(frozen=True)
class Prior:
    """What is believed of λ before the season: log λ ~ N(log lam, spread²)."""

    lam: float = 6.0
    spread: float = 1.0


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
    rules: LeagueRules = LeagueRules()
    prior: Prior = Prior()
    parameters: tuple[Parameters, ...] = (Parameters(),)


def read_settings(path: Path) -> Settings:
    """The settings in a season.toml.

    Raises
    ------
    DataError
        If the file is no TOML, or a key is unknown or its value of the wrong kind; all at once.
    """
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise DataError(Problem("error", "setting", "not_utf8", file=path.name)) from None
    except tomllib.TOMLDecodeError as error:
        detail = {"detail": str(error)}
        raise DataError(Problem("error", "setting", "toml", file=path.name, values=detail)) from None

    check = _Checker(path.name)
    check.known(document, {"name", "language", "rules", "prior", "parameters"}, "")
    name = check.value(document, "name", str, path.parent.name)
    language = check.value(document, "language", str, "de", choices=LANGUAGES)
    overrides = check.table(document, "rules")
    check.known(overrides, set(OVERRIDABLE), "rules.")
    rules = LeagueRules(
        **{
            key: check.value(overrides, key, int, None, "rules.", bounds=bounds)
            for key, bounds in OVERRIDABLE.items()
            if key in overrides
        }
    )
    prior = check.table(document, "prior")
    check.known(prior, {"lam", "spread"}, "prior.")
    believed = Prior(*(check.value(prior, k, float, v, "prior.") for k, v in vars(Prior()).items()))
    sets = document.get("parameters", [])
    if not isinstance(sets, list) or not all(isinstance(entry, dict) for entry in sets):
        check.wrong("parameters", sets)
        sets = []
    parameters = tuple(_parameters(check, entry) for entry in sets) or (Parameters(),)
    if check.problems:
        raise DataError(*check.problems)
    return Settings(name, language, rules, believed, parameters)


def _parameters(check: "_Checker", entry: dict) -> Parameters:
    place = "parameters."
    check.known(entry, set(Parameters.__dataclass_fields__), place)
    adopted = entry.get("adopted")
    if not (adopted is None or isinstance(adopted, date)):
        check.wrong(place + "adopted", adopted)
    return Parameters(
        check.value(entry, "from_evening", int, 0, place, bounds=(0, 10**9)),
        check.value(entry, "sigma", float, None, place),
        check.value(entry, "lam", float, None, place),
        adopted,
        check.value(entry, "reason", str, "", place),
    )


class _Checker:
    """Collects every objection to a settings file."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []

    def object(self, key: str, **values) -> None:
        self.problems.append(Problem("error", "setting", key, file=self.file, values=values))

    def wrong(self, setting: str, found) -> None:
        self.object("setting_value", setting=setting, found=repr(found)[:80])

    def known(self, table: dict, allowed: set[str], place: str) -> None:
        for key in table.keys() - allowed:
            self.object("setting_unknown", setting=place + key, allowed=sorted(allowed))

    def table(self, document: dict, key: str) -> dict:
        table = document.get(key, {})
        if isinstance(table, dict):
            return table
        self.wrong(key, table)
        return {}

    def value(self, table, key, kind, default, place="", bounds=None, choices=None):
        """The value of a key, of the kind asked for; a float must be a positive number."""
        found = table.get(key, default)
        number = isinstance(found, (int, float)) and not isinstance(found, bool)
        if kind is float:
            good = number and 0 < found < float("inf")
        else:
            good = isinstance(found, kind) and not isinstance(found, bool)
            good = good and (not bounds or bounds[0] <= found <= bounds[1])
            good = good and (not choices or found in choices)
        if good:
            return found
        self.wrong(place + key, found)
        return 1 if kind is float else default
