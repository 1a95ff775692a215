"""The season report as its readers are sent it: page, notebook, workbook, picture."""

from pathlib import Path

from ..pages.notebooks import run_notebook, season_stem, slug
from ..pages.printing import find_browser
from ..season.season import load_season
from .overview import survey
from .workbook import tables, write_workbook


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
) -> list[Path]:
    """The season report: page, executed notebook, all tables as one workbook.

    `season_path`, `through`, `language` and `sheet` as for `load_season`; `lam` and `sigma`
    (chips) in place of the parameters in force. Under pseudonyms no real name is in any of the
    files. `final` says that the season is over and won. `pdf` needs a browser on this machine and
    is not made where there is none; `png` is a picture for a messenger. `beside` as for
    `run_notebook`.

    Raises
    ------
    DataError
        If the data do not allow a report; nothing is written then.
    """
    season = load_season(season_path, through or None, language or None, sheet=sheet)
    found = survey(season, lam or None, sigma or None, pseudonyms, final)
    words, flags = season.words, {"pseudonyms": pseudonyms}
    stem = [season_stem(season.path), words.text("report.file", evening=season.held[-1])]
    # Names of their own, so that nobody takes one version for the other.
    other = {name: f"{v:g}" for name, v in (flags | {"lam": lam, "sigma": sigma}).items() if v}
    stem += [slug(words.text(f"report.file_{k}", value=v)) for k, v in other.items()]
    stem = "-".join(stem)
    given = {"through": through, "lam": lam, "sigma": sigma, "language": language, "final": final}
    given |= flags | {"sheet": sheet}
    given = {name: value for name, value in given.items() if value}

    def write(beside: Path) -> None:
        write_workbook(tables(found), words, beside / f"{stem}.xlsx")
        if png:
            from .poster import picture  # altair takes its time; the page is drawn elsewhere

            (beside / f"{stem}.png").write_bytes(picture(found))

    return run_notebook(
        "season_report",
        {"season_path": str(season_path), **given},
        folder,
        stem,
        words.text("report.title", name=found.season.name),
        season.language,
        write,
        find_browser() if pdf else None,
        {"season_path": found.season.path.name, **given} if pseudonyms else None,
        beside,
    )
