"""season.toml: what it may say, and every objection to what it may not."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

from liga_analysis.rules import LeagueRules
from liga_analysis.season.folder import lost_files
from liga_analysis.season.season import load_season
from liga_analysis.season.settings import Parameters, Prior, Settings, read_settings
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError


@pytest.fixture
def settings(tmp_path):
    def read(content):
        path = tmp_path / "2026" / "season.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_settings(path, path.read_bytes())

    return read


def test_everything_set(settings):
    """Every key of the file arrives where it belongs."""
    read = settings("""
        name = "Küchenliga"
        language = "en"
        [rules]
        entry_chips = 1000
        max_entries = 2
        smallest_chip = 5
        attendance = 50
        dropped = 1
        podium = 5
        [prior]
        lam = 4
        spread = 0.5
        [[parameters]]
        from_evening = 0
        sigma = 2400
        lam = 6
        [[parameters]]
        from_evening = 6
        sigma = 2300.5
        lam = 5.5
        adopted = 2026-06-01
        reason = "nach sechs Abenden"
    """)
    assert read == Settings(
        "Küchenliga",
        "en",
        LeagueRules(1000, 2, 5, 50, 1, 5),
        Prior(4, 0.5),
        (
            Parameters(0, 2400, 6),
            Parameters(6, 2300.5, 5.5, date(2026, 6, 1), "nach sechs Abenden"),
        ),
    )


@pytest.mark.parametrize("content", ["", "# nichts\n", b"\xef\xbb\xbf# nichts\r\n"])
def test_nothing_set(settings, content):
    """Without settings the rulebook rules: λ = 6, σ = 2400 from evening 0, prior 6 and 1."""
    read = settings(content)
    assert read == Settings("2026")
    assert read.parameters == (Parameters(0, 2400, 6),)
    assert (read.rules, read.prior) == (LeagueRules(), Prior(6, 1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "nmae = 'x'",
            "„nmae“ gibt es nicht.*erlaubt: language, name, parameters, prior und rules",
        ),
        ("[rules]\nsigma = 2000", "„rules.sigma“ gibt es nicht.*erlaubt: attendance, dropped, ent"),
        ("[prior]\ntau = 1", "„prior.tau“ gibt es nicht.*erlaubt: lam und spread"),
        ("[[parameters]]\nsigma = 1\nlam = 1\ntau = 1", "„parameters.tau“ gibt es nicht"),
        ("[[parameters]]\nsigma = 1", "„parameters.lam“ fehlt"),
        ("[[parameters]]\nlam = 1", "„parameters.sigma“ fehlt"),
        ("name = 5", "„name“ kann nicht 5 sein"),
        ("name = ' '", "„name“ kann nicht ' ' sein. Nötig ist ein Text, der nicht leer ist"),
        ("language = 'fr'", "„language“ kann nicht 'fr' sein"),
        ("rules = 5", "„rules“ kann nicht 5 sein"),
        ("prior = [1]", r"„prior“ kann nicht \[1\] sein"),
        ("parameters = [1]", "„parameters“ kann nicht 1 sein"),
        ("parameters = {sigma = 1}", "„parameters“ kann nicht {'sigma': 1} sein"),
        ("[rules]\nattendance = 101", "„rules.attendance“ kann nicht 101 sein"),
        ("[rules]\nattendance = 40.0", "„rules.attendance“ kann nicht 40.0 sein"),
        ("[rules]\nentry_chips = 0", "„rules.entry_chips“ kann nicht 0 sein"),
        ("[rules]\npodium = true", "„rules.podium“ kann nicht True sein"),
        ("[prior]\nlam = 0", "„prior.lam“ kann nicht 0 sein"),
        ("[prior]\nlam = inf", "„prior.lam“ kann nicht inf sein"),
        ("[prior]\nlam = nan", "„prior.lam“ kann nicht nan sein"),
        (
            "[prior]\nspread = 150",
            "„prior.spread“ kann nicht 150 sein. Bitte 0,010 bis 10 eintragen",
        ),
        ("[prior]\nspread = 1e-7", "„prior.spread“ kann nicht 1e-07 sein"),
        ("[prior]\nspread = '1'", "„prior.spread“ kann nicht '1' sein"),
        ("[[parameters]]\nsigma = -1\nlam = 6", "„parameters.sigma“ kann nicht -1 sein"),
        ("[[parameters]]\nsigma = 1\nlam = 6\nfrom_evening = 1.5", "from_evening“ kann nicht 1.5"),
        ("[[parameters]]\nsigma = 1\nlam = 6\nadopted = 'heute'", "adopted“ kann nicht 'heute'"),
        ("\nname = \n", "lassen sich nicht lesen .*line 2"),
        ("a = 1\na = 2", "lassen sich nicht lesen"),
        ("name = " + "1" * 5000, "lassen sich nicht lesen"),
        ("name = " + "[" * 5000, "lassen sich nicht lesen"),
        (b"name = '\xfc'", "nicht in UTF-8 gespeichert"),
    ],
)
def test_objections(settings, content, message):
    """Each wrong setting is an error that names the file, the setting and what it found."""
    with pytest.raises(DataError, match=r"season\.toml: .*" + message) as error:
        settings(content)
    assert {p.code for p in error.value.problems} == {"setting"}


def test_all_objections_at_once(settings):
    """One run tells everything that is wrong with the file."""
    with pytest.raises(DataError, match="nmae") as error:
        settings("nmae = 1\n[rules]\npodium = 0\n[prior]\nlam = 0\n[[parameters]]\n")
    assert [problem.values["setting"] for problem in error.value.problems] == [
        "nmae",
        "rules.podium",
        "prior.lam",
        "parameters.sigma",
        "parameters.lam",
    ]


def test_a_prior_is_one_distribution():
    """Density, interval, standard deviation, reach and draws of log λ say the same of it."""
    prior, rng = Prior(4, 0.5), np.random.default_rng(1)
    x = np.linspace(*prior.reach, 20_001)
    p = np.exp(prior.log_density(x)) * (x[1] - x[0])
    assert p.sum() == pytest.approx(1, abs=1e-4)
    assert np.sqrt(p @ (x - p @ x) ** 2) == pytest.approx(prior.sd, rel=0.02)
    low, high = np.log(prior.interval(0.9))
    assert [p[x < low].sum(), p[x > high].sum()] == pytest.approx([0.05, 0.05], abs=1e-3)
    drawn = np.log([prior.draw(rng) for _ in range(4000)])
    # 4 SE of 4,000 draws
    assert np.mean((low < drawn) & (drawn < high)) == pytest.approx(0.9, abs=0.019)


@pytest.mark.parametrize("file", ["season.toml", "evenings.csv", "licences.csv"])
def test_a_file_that_is_gone(tmp_path, file):
    """A season made by `liga new` tells what it lost or is named otherwise; no other does."""
    folder = tmp_path / "liga" / "2026"
    rows = pd.DataFrame({"evening": 1, "player": ["Anna", "Ben"], "result": [50, -50]})
    assert save_season(folder, "Liga", pd.DataFrame({"evening": [1]}), rows).held == [1]
    assert not lost_files(folder)
    path = (folder.parent if file == "licences.csv" else folder) / file
    path.rename(path.with_name(f"{file}.txt"))
    told = [p.message("de") for p in load_season(folder).problems if p.severity == "warning"]
    assert [file in message for message in told] == [True]
    cut = folder / "season.toml"
    if cut.exists():
        cut.write_bytes(cut.read_bytes().partition(b"[[")[0])
        assert "lost_parameters" in [p.key for p in load_season(folder).problems]
    for sign in ("LIESMICH.txt", "protocols"):
        (folder / sign).rename(tmp_path / sign)
    assert not lost_files(folder)
