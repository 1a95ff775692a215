"""Many seasons at once, over the cores or a cluster; one that fails stops none of the others.

joblib spreads them out. Without `n_jobs` its context says where: one after the other, or

    with joblib.parallel_config(backend="dask"):  # over the cluster of a distributed.Client
        many.reports(seasons, "/shared/reports")
"""

import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pandas as pd

from ..words import DataError, Problem


def each_season(task: Callable, seasons: Iterable, n_jobs: int | None = None) -> pd.DataFrame:
    """What a task makes of each season.

    Parameters
    ----------
    task : callable
        Takes one season: a path, results, a seed, whatever `seasons` has. It travels to other
        processes, so it is a function of a module, or a `partial` of one.
    n_jobs : int, optional
        How many at once, -1 for all cores; by default what joblib's context says.

    Returns
    -------
    DataFrame
        `season`, `outcome` (what the task returned) and `error` (why it failed, in a sentence;
        "" where it did not), in the order given.
    """
    from joblib import Parallel, delayed

    seasons = list(seasons)
    made = Parallel(n_jobs)(delayed(_attempt)(task, season) for season in seasons)
    rows = [(season, *pair) for season, pair in zip(seasons, made, strict=True)]
    return pd.DataFrame(rows, columns=["season", "outcome", "error"])


def _attempt(task, season) -> tuple:
    try:
        return task(season), ""
    except DataError as error:
        return None, str(error)
    except Exception as error:  # whatever it is, the other seasons go on
        return None, f"{type(error).__name__}: {error}"


def reports(
    seasons: Iterable[str | Path],
    folder: str | Path = "reports",
    language: str | None = None,
    n_jobs: int | None = None,
    **options,
) -> pd.DataFrame:
    """The reports of many seasons, as `each_season`; `outcome` is the list of files.

    `options` as for `publish.season_report`. A report appears when it is whole; made again, by hand
    or because a worker died, it takes the place of the first. On a cluster the paths must mean the
    same to every worker.

    Raises
    ------
    DataError
        If two seasons would have the same file names; nothing is written then.
    """
    from ..pages.notebooks import season_stem  # altair and Jupyter take a second to import
    from .publish import season_report

    seasons, named = list(seasons), {}
    for season in seasons:
        stem = season_stem(Path(season))
        if stem in named:
            told = {"seasons": [named[stem], str(season)]}
            raise DataError(Problem("error", "setting", "same_file", values=told))
        named[stem] = str(season)
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # What a killed worker had begun lies here, and goes.
    with tempfile.TemporaryDirectory(".many", ".liga-", folder, True) as beside:
        task = partial(season_report, language=language, folder=folder, beside=beside, **options)
        return each_season(task, seasons, n_jobs)
