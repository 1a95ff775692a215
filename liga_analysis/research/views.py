"""Parts of the page that asks whether the model holds: words and tables; see `views`."""

from scipy.special import bdtr, ndtr

from ..pages.markup import Html, html
from ..pages.views import reservation
from ..season.season import Season
from ..words import Words, chips
from .calibration import WORLDS, Calibration
from .drift import Drift

FAR = 2  # standard errors
SURE = 0.05  # drift is told as found below this p


def headline(season: Season, found: Calibration, walk: Drift) -> list[str]:
    """Whether the intervals hold, which world the season looks like, whether skill drifts."""
    words, off = season.words, found.off("force")
    share = found.coverage.query("way == 'force'")["share"]
    values = {"worlds": _named(off, words), "share": share[(share - 0.9).abs().idxmax()]}
    kept = words.text("model.fails" if off else "model.holds", **values)
    return [kept, _alike(found, words), _drifts(walk, words)]


def coverage(season: Season, found: Calibration) -> Html:
    """How often intervals hold the truth in each world."""
    words, table, force = season.words, found.coverage, season.parameters
    values = {"sigma": force.sigma, "tau": force.sigma / force.lam**0.5, "seasons": found.seasons}
    told = [words.text("model.how", **values)]
    promised = table.query("world == 'model' and way == 'force'").set_index("of")["share"]
    told.append(words.text("model.in_model", **promised))
    for way in ("force", "average"):
        others, off = table.query("world != 'model' and way == @way")["share"], found.off(way)
        sentence = words.text(f"model.others_{way}", low=others.min(), high=others.max())
        verdict = words.text("model.off", worlds=_named(off, words)) if off else ""
        told.append(f"{sentence} {verdict}".strip())
    if "data" in found.off("force"):
        told.append(words.text("model.advised"))
    rows = {
        world: [
            (_tenth_percent(row.share, words), f"± {_tenth_percent(2 * row.error, words)}")
            for row in table[table["world"] == world].itertuples()
        ]
        for world in WORLDS
    }
    columns = ["rating", "difference", "rating_averaged", "difference_averaged"]
    return _table(season, "coverage", told, columns, _worlds(rows, words))


def chances(season: Season, found: Calibration) -> str:
    """Whether the chances of the podium came true."""
    words, table = season.words, found.tenths
    if table.empty:
        return words.text("model.no_chances")
    far, total, usual = table[table["z"].abs() > FAR], len(table), 2 * float(ndtr(-FAR))
    verdict = "more" if bdtr(len(far) - 1, total, usual) > 0.95 else "luck"
    counts = {"count": len(far), "total": total, "usual": usual * total}
    told = [
        words.text("model.chance", podium=season.rules.podium),
        words.text("model.chance_far", **counts) + " " + words.text(f"model.chance_{verdict}"),
    ]
    if len(far):
        most = far.loc[(far["share"] - far["predicted"]).abs().idxmax()]
        values = most[["predicted", "share"]].to_dict() | {"world": _named([most["world"]], words)}
        told[-1] += " " + words.text("model.chance_most", **values)
    return "\n".join(told)


def signs(season: Season, found: Calibration) -> Html:
    """Which world the results themselves look like."""
    words, table = season.words, found.sign_range
    shows = {"kurtosis": words.number, "uneven": words.percent}
    rows = {
        world: [
            (words.text("estimate.span", low=show(ends[0.05]), high=show(ends[0.95])), "")
            for ends, show in ((table.loc[world, name], show) for name, show in shows.items())
        ]
        for world in table.index
    }
    own = [(show(found.own[name]), "") for name, show in shows.items()]
    told = [words.text("model.signs_how"), _alike(found, words)]
    told.append(words.text("model.signs_more", title=words.text("estimate.errors")))
    first = (words.text("model.own"), "", own)
    return _table(season, "signs", told, list(shows), [first, *_worlds(rows, words)])


def drift(season: Season, walk: Drift) -> str:
    """Whether skill drifts within the season, and how much drift the results leave room for."""
    words, over = season.words, walk.span**0.5  # a walk of T steps has √T times the spread of one
    values = {"low": walk.low * over, "high": walk.high * over, "sigma": walk.sigma}
    told, key = [_drifts(walk, words)], "model.drift_test" if walk.omega else "model.drift_still"
    told.append(words.text(key, p=walk.p, draws=walk.draws))
    told.append(words.text("model.drift_room", **values))
    if walk.p < SURE:
        told.append(words.text("model.drift_so"))
    return "\n".join(told)


def _drifts(walk: Drift, words: Words) -> str:
    moved = {"omega": walk.omega, "moved": walk.omega * walk.span**0.5}
    return words.text("model.drift_some" if walk.p < SURE else "model.drift_none", **moved)


def _alike(found: Calibration, words: Words) -> str:
    key = "model.alike" if found.alike else "model.alone"
    return words.text(key, worlds=_named(found.alike, words))


def _named(worlds: list[str], words: Words) -> list[str]:
    return [words.text("model.quoted", world=words.text(f"model.{world}")) for world in worlds]


def _worlds(rows: dict[str, list], words: Words) -> list[tuple]:
    return [(words.text(f"model.{w}"), words.text(f"model.{w}_is"), rows[w]) for w in rows]


def _tenth_percent(share: float, words: Words) -> str:
    return chips(100 * share, words.language, 1)


def _table(season: Season, key: str, told: list[str], columns: list[str], rows: list) -> Html:
    words = season.words
    return html(
        "figures",
        words,
        page="model",
        key=key,
        sentence="\n".join(told),
        reservation=reservation(season),
        caption=words.text(f"model.{key}_caption"),
        columns=[words.text(f"model.{column}") for column in columns],
        rows=rows,
    )
