"""What several test files share: the cases, and seasons made at random."""

import io
import shutil
import zipfile
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from liga_analysis.cli.main import main
from liga_analysis.desk.files import store
from liga_analysis.desk.recording import Given, prepare
from liga_analysis.model.simulation import simulate_season
from liga_analysis.season.reader import parse_table, read_file
from liga_analysis.season.storage import save_season
from liga_analysis.words import _texts

DATA = Path(__file__).parent / "data"
TERM = _texts("de")["term"]  # the league's own words, as they stand today
LOG = """abend,datum,zeit,spieler,ereignis,chips
6,2026-05-08,19:30,{0},Einstieg,2000
6,2026-05-08,19:40,{1},Einstieg,2000
6,2026-05-08,21:00,{1},Pleite,
6,2026-05-08,21:10,{1},Einstieg,2000
6,2026-05-09,0:30,{0},Ende,5000
6,2026-05-09,0:30,{1},Ende,1000
"""


def random_season(seed, n_players, n_evenings, least, tau=1000, sigma=2400):
    """Results y = M(θ + e) of evenings with random fields of at least `least` players."""
    rng = np.random.default_rng(seed)
    theta = tau * rng.standard_normal(n_players)
    rows = []
    for evening in range(1, n_evenings + 1):
        field = rng.choice(n_players, rng.integers(least, n_players + 1), replace=False)
        y = theta[field] + sigma * rng.standard_normal(len(field))
        rows += [(evening, f"P{i:02d}", r) for i, r in zip(field, y - y.mean(), strict=True)]
    return pd.DataFrame(rows, columns=["evening", "player", "result"])


def copied(make):
    """A fixture: the folder that `make(league)` fills and returns, made once, copied for each."""
    made = []

    @pytest.fixture(name=make.__name__)
    def folder(tmp_path, tmp_path_factory):
        if not made:
            league = tmp_path_factory.mktemp("made") / "liga"
            made.extend([league, make(league).relative_to(league)])
        return shutil.copytree(made[0], tmp_path / "liga") / made[1]

    return folder


def read_table(path, required=("player",)):
    """The table in a file."""
    return parse_table(path.name, read_file(path), required)


def running_season(league, names=()):
    """The folder of a league's second season after six of eight evenings; of the sixth a log.

    From the third on, players are called by the `names` given.
    """
    calendar, results, theta = simulate_season(9, 6, 5, first_date="2025-01-10")
    called = dict(zip(theta.index[2:], names, strict=False))
    before = save_season(league / "2025", "2025", *(t.replace(called) for t in (calendar, results)))
    calendar, results, _ = simulate_season(10, 8, 3, returning=theta)
    calendar.loc[5, "date"] = "2026-05-08"
    calendar.loc[6:, "date"] = ["2026-05-22", "2026-06-05"]
    calendar, results = calendar.replace(called), results.replace(called)
    results, folder = results[results["evening"] < 6], league / "2026"
    save_season(folder, "2026", calendar, results, licences=before.licences)
    sheet = league / "log.csv"
    sheet.write_text(LOG.format(*theta.index[:2]), "utf-8")
    store(prepare(folder, [sheet], Given(host=calendar["host"][5]), date(2026, 5, 9)))
    return folder


def liga(*words):
    """`liga` as a shell calls it; it ends the process."""
    main([str(word) for word in words])


def at_once(*calls):
    """How several `liga` ended that were started together, each in a process of its own."""
    context = get_context("forkserver")  # which imports the package once for all
    context.set_forkserver_preload(["samples"])
    running = [context.Process(target=liga, args=words) for words in calls]
    for process in running:
        process.start()
    for process in running:
        process.join(60)
    return [process.exitcode for process in running]


def ods(content, before=""):
    """An ods file with the XML of its sheets."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("table", "office", "text")
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml", f"{before}<office:document {spaces}>{content}</office:document>"
        )
    return data.getvalue()


def ods_cell(text, kind="string", **more):
    value = " ".join(f'{name.replace("_", ":", 1)}="{v}"' for name, v in more.items())
    value = value.replace("_", "-")
    body = f"<text:p>{text}</text:p>"
    return f'<table:table-cell office:value-type="{kind}" {value}>{body}</table:table-cell>'


def rows(*evenings):
    """Results from one dict per evening."""
    table = [(s, p, r) for s, e in enumerate(evenings, 1) for p, r in e.items()]
    return pd.DataFrame(table, columns=["evening", "player", "result"])


def design(results, players):
    """The rows of X and y, evening by evening, written out as in the rulebook."""
    seats = pd.crosstab(results.evening, results.player).reindex(columns=players, fill_value=0)
    X = np.array([
        (np.array(players) == row.player) - seats.loc[row.evening] / seats.loc[row.evening].sum()
        for row in results.itertuples()
    ])  # fmt: skip
    return X, (results.result - results.groupby("evening").result.transform("mean")).to_numpy()


def refit(results, players, lam):
    X, y = design(results, players)
    return np.linalg.solve(X.T @ X + lam * np.eye(len(players)), X.T @ y)


MIRROR = rows(  # A and B are mirror images of each other, and of nobody else
    {"A": 900, "B": 900, "C": -1800}, {"A": -300, "C": 400, "D": -100},
    {"B": -300, "C": 400, "D": -100}, {"C": -500, "D": 500},
)  # fmt: skip
NEVER_MET = rows(
    {"A": 900, "B": -200, "C": -700}, {"U": 300, "V": -300}, {"A": -300, "C": 300},
    {"U": 100, "V": 500, "W": -600}, {"B": 250, "C": -250}, {"V": 40, "W": -40},
)  # fmt: skip


def fields(*evenings):
    """Results for evenings given as strings of one-letter players."""
    rng = np.random.default_rng(1)
    rows = []
    for s, field in enumerate(evenings, 1):
        y = rng.integers(-30, 30, len(field)) * 100
        rows += [(s, p, r) for p, r in zip(field, y - y.mean(), strict=True)]
    return pd.DataFrame(rows, columns=["evening", "player", "result"])


def everybody(fit):
    """All players as those in der Wertung."""
    return np.ones(len(fit.theta), bool)


def joint_draws(fit, n=40_000, seed=1):
    """The draws behind the chances, by player."""
    return pd.DataFrame(fit.draws(n, np.random.default_rng(seed)), columns=fit.theta.index)


def inverse(fit):
    """σ²(XᵀX + λI)⁻¹ from the seats, not from the spectrum."""
    graph = fit.graph
    seats = np.zeros((len(graph.evenings), graph.n_players))
    seats[graph.evening, graph.player] = 1
    G = sum(np.diag(f) - np.outer(f, f) / f.sum() for f in seats)
    return fit.sigma**2 * np.linalg.inv(G + fit.lam * np.eye(graph.n_players))
