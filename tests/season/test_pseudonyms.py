"""Invented names: the same everywhere, and no real one in any file."""

import dataclasses
import zipfile

import pytest
from bs4 import BeautifulSoup
from here import notebooks_here

from liga_analysis.model.ranking import standings
from liga_analysis.report import publish
from liga_analysis.report.overview import survey
from liga_analysis.season.pseudonyms import disguised, invented_names
from liga_analysis.season.season import load_season

REAL = ["Xaverina", "Yvonka", "Zdenkomir", "Quendolyn", "Wolpertine"]
SEASON = """name = "Xaverinas Runde"
language = "de"

[[parameters]]
from_evening = 0
sigma = 2400
lam = 6
reason = "Yvonka wollte es so"
"""
LICENCES = """licence,player,issued,aliases
L001,Yvonka,2026-01-10,Zdenkomir
L002,Xaverina,2026-01-10,
"""
EVENINGS = """evening,date,start,host,place,note
1,2026-01-10,,Quendolyn,Keller bei Quendolyn,mit Wolpertine
2,2026-01-17,,Xaverina,,
3,2026-01-24,,Xaverina,,
4,2026-01-31,,Xaverina,,
5,2026-02-07,,Xaverina,,
"""
RESULTS = """evening,player,entries,chips_out,result,note
1,Xaverina,1,3000,,Yvonka zahlt
1,Zdenkomir,1,1000,,
1,Gast Quintus,1,2000,,
2,Xaverina,1,2500,,
2,Yvonka,1,1600,,
3,Xaverina,1,2500,,
3,Wolpertine,1,1500,,
3,Wolpertine,1,1500,,
4,Xaverina,1,2000,,
4,Yvonka,1,2000,,
5,Xaverina,1,2500,,
5,Yvonka,1,1500,,
"""


@pytest.fixture
def season(season_folder):
    return season_folder(season=SEASON, licences=LICENCES, evenings=EVENINGS, results=RESULTS)


def test_everybody_has_one_invented_name(season):
    """Players, hosts, those of left-out evenings; an alias shares its owner's; guests a number."""
    names = invented_names(season)
    assert set(names) == {*REAL, "Gast Quintus (Abend 1)"}
    assert names.pop("Gast Quintus (Abend 1)") == "Gast (Abend 1)"
    assert names["Zdenkomir"] == names["Yvonka"]
    assert len(set(names.values())) == len(REAL) - 1


def test_names_keep_from_evening_to_evening(season):
    """By licence, not by place in the table."""
    early, late = invented_names(season.through(1)), invented_names(season)
    assert {p: early[p] for p in ("Xaverina", "Yvonka")} == {
        p: late[p] for p in ("Xaverina", "Yvonka")
    }


def test_an_invented_name_is_never_a_real_one(season_file):
    """Whoever is called Amsel, or Amselmann, is not taken for somebody else."""
    rows = "".join(f"1,{name},{chips}\n" for name, chips in [("Amsel", 5), ("Biberkopf", -5)])
    found = set(invented_names(season_file("evening,player,result\n" + rows)).values())
    assert not found & {"Amsel", "Biber"}


def test_there_are_names_for_all(season_file):
    """More players than names: they are numbered."""
    rows = "".join(f"1,P{k:03}X,0\n" for k in range(250))
    names = invented_names(season_file("evening,player,result\n" + rows))
    assert len(set(names.values())) == len(names) == 250


def test_the_numbers_stay(season):
    """Only names change: every rating, total and rank is that of the real player."""
    names = invented_names(season)
    before, after = (standings(s).set_index("player") for s in (season, disguised(season)))
    for player, row in before.iterrows():
        other = after.loc[names.get(player, player)]
        assert other["total"] == row["total"]
        assert other["rating"] == pytest.approx(row["rating"], rel=1e-9)


def test_no_field_of_a_season_knows_a_real_name(season):
    """Settings, evenings, results, licences and problems, free text included."""
    hidden = disguised(season)
    told = "".join(p.message("de") for p in hidden.problems)
    fields = [getattr(hidden, f.name) for f in dataclasses.fields(hidden) if f.name != "path"]
    frames = "".join(f.to_csv() for f in fields if hasattr(f, "to_csv"))
    for name in [*REAL, "Quintus"]:
        assert name.casefold() not in (told + frames + str(fields)).casefold()


def test_no_file_of_a_report_knows_a_real_name(season, tmp_path):
    """Page, notebook, workbook, and names of files, which say that the names are invented.

    Evening, λ, σ and language reach the page too.
    """
    (season.path / "corrections.csv").write_text(
        "when,evening,what,why\n2026-02-01,2,Yvonka 1700 → 1600,Quendolyn\n"
    )
    out = tmp_path / "out"
    with notebooks_here():
        files = publish.season_report(season.path, 4, 3.0, 2000.0, "en", out, pseudonyms=True)
    shown = set(survey(load_season(season.path, language="en"), pseudonyms=True).table["player"])
    assert files[0].stem.endswith("-evening-4-pseudonyms-lambda-3-sigma-2000")
    for file in files:
        data = file.read_bytes()
        if file.suffix == ".xlsx":
            with zipfile.ZipFile(file) as book:
                data = b"".join(map(book.read, book.namelist()))
        text = data.decode("utf-8").casefold()
        for name in [*REAL, "Quintus"]:
            assert name.casefold() not in text, (file.name, name)
        assert str(season.path.parent).casefold() not in text
    page = BeautifulSoup(files[0].read_text("utf-8"), "html.parser")
    names = {th.bdi.get_text() for th in page.select("table.standings tr:has(td.range) th")}
    assert names == shown
    assert "After evening 4" in page.header.get_text()
    assert "computed with λ = 3, σ = 2,000" in page.header.get_text()
    assert page.html["lang"] == "en"
