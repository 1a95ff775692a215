"""The season report as its readers are sent it: page, notebook, workbook, picture.

Many at once too, over the cores or a cluster; one that fails stops none of the others. joblib
spreads them out. Without `n_jobs` its context says where: one after the other, or

    with joblib.parallel_config(backend="dask"):  # over the cluster of a distributed.Client
        many.reports(seasons, "/shared/reports")
"""

import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pandas as pd

from ..pages.export import find_browser
from ..pages.notebooks import run_notebook, season_stem, slug
from ..season.folder import output_folder
from ..season.season import find_season, load_season
from ..words import DataError, Problem
from .overview import Overview, survey
from .workbook import tables, write_workbook

MOST_CELLS = 50_000  # players × evenings: a page of 40 MB, made in two minutes


def season_report(
    season_path: str | Path,
    through: int | None = None,
    lam: float | None = None,
    sigma: float | None = None,
    language: str | None = None,
    folder: str | Path = "reports",
    pseudonyms: bool = False,
    pdf: bool = False,
    png: bool = False,
    final: bool = False,
    beside: str | Path | None = None,
    sheet: str | None = None,
    overview: Overview | None = None,
) -> list[Path]:
    """The season report: page, executed notebook, all tables as one workbook.

    `season_path`, `through`, `language` and `sheet` as for `load_season`; `lam` and `sigma`
    (chips) in place of the parameters in force. Under pseudonyms no real name is in any of the
    files. `final` says that the season is over and won. `pdf` needs a browser on this machine and
    is not made where there is none; `png` is a picture for a messenger. `beside` as for
    `run_notebook`, `overview` what `survey` made of the same season, if it is at hand.

    Raises
    ------
    DataError
        If the data do not allow a report, or are too many for a page; nothing is written then.
    """
    report = overview
    if report is None:
        season = load_season(season_path, through or None, language or None, sheet=sheet)
        report = survey(season, lam or None, sigma or None, pseudonyms, final)
    season = report.season
    players, evenings = season.results["player"].nunique(), len(season.held)
    if players * evenings > MOST_CELLS:
        sizes = {"players": players, "evenings": evenings, "most": MOST_CELLS}
        raise DataError(Problem("error", "setting", "report_large", values=sizes))
    given = {"through": through, "language": language, "sheet": sheet}
    given |= {"pseudonyms": pseudonyms, "final": final, "lam": lam, "sigma": sigma}
    given, words = {name: value for name, value in given.items() if value}, season.words
    after = words.text("report.file", evening=season.held[-1])
    stem = [season_stem(find_season(season_path)), after]
    # Names of their own, so that nobody takes one version for the other.
    other = [name for name in ("pseudonyms", "final", "lam", "sigma") if name in given]
    stem += [slug(words.text(f"report.file_{k}", value=f"{given[k]:g}")) for k in other]
    stem = "-".join(stem)

    def write(beside: Path) -> None:
        write_workbook(tables(report), words, beside / f"{stem}.xlsx")
        if png:
            from .poster import picture  # altair takes its time; the page is drawn elsewhere

            (beside / f"{stem}.png").write_bytes(picture(report))

    return run_notebook(
        "season_report",
        {"season_path": str(season_path), **given},
        folder,
        stem,
        words.text("report.title", name=season.name),
        season.language,
        write,
        find_browser() if pdf else None,
        {"season_path": season.path.name, **given} if pseudonyms else None,
        beside,
    )


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

    `options` as for `season_report`. A report appears when it is whole; made again, by hand
    or because a worker died, it takes the place of the first. On a cluster the paths must mean the
    same to every worker.

    Raises
    ------
    DataError
        If two seasons would have the same file names; nothing is written then.
    """
    seasons, named = list(seasons), {}
    for season in seasons:
        stem = season_stem(Path(season))
        if stem in named:
            clash = {"seasons": [named[stem], str(season)]}
            raise DataError(Problem("error", "setting", "same_file", values=clash))
        named[stem] = str(season)
    folder = output_folder(folder).resolve()
    # What a killed worker had begun lies here, and goes.
    with tempfile.TemporaryDirectory(".many", ".liga-", folder, True) as beside:
        task = partial(season_report, language=language, folder=folder, beside=beside, **options)
        return each_season(task, seasons, n_jobs)
