"""Season files opened in a German spreadsheet, saved and read again: the same season, by cell."""

import shutil
import subprocess
from datetime import date

import pandas as pd
import pytest

from liga_analysis import load_season, save_season
from liga_analysis.desk.files import season_lock, store
from liga_analysis.desk.recording import Given, prepare

OFFICE = shutil.which("soffice")
# Separator ;, quotes, UTF-8, from line 1, German, numbers and dates recognised: as Excel opens it.
GERMAN = "59,34,76,1,,1031,false,true,false"


@pytest.mark.skipif(OFFICE is None, reason="needs LibreOffice")
def test_there_and_back(tmp_path):
    """Results with decimals, entries, names, notes, dates and times; and recording goes on."""
    folder = tmp_path / "liga" / "2027"
    calendar = pd.DataFrame(
        {
            "evening": [1, 2, 3],
            "date": pd.to_datetime(["2027-01-09", "2027-02-06", "2027-03-12"]),
            "start": ["19:30", "20:00", "8:05"],
            "host": ["Änne", "Łukasz", ""],
            "place": ["Küche; hinten", "12", ""],
            "note": ["=1+1", "-", ""],
        }
    )
    results = pd.DataFrame(
        {
            "evening": [1, 1, 2, 2],
            "player": ["Änne", "Łukasz", "=Ben", "Änne"],
            "entries": [1, 2, None, None],
            "chips_out": [3500, 2500, None, None],
            "result": [1500, -1500, 1234.567, -1234.567],
            "note": ["", "+ warm", "", ""],
        }
    )
    before = save_season(folder, "2027", calendar, results)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    back = tmp_path / "back"
    paths, text = (
        [*folder.glob("*.csv"), *folder.parent.glob("*.csv")],
        "Text - txt - csv (StarCalc)",
    )
    there = [f"--infilter={text}:{GERMAN}", "--convert-to", "ods", "--outdir", back, *paths]
    again = ["--convert-to", f"csv:{text}:{GERMAN}", "--outdir", back]
    again += [back / f"{path.stem}.ods" for path in paths]
    for words in (there, again):
        command = [OFFICE, profile, "--headless", *words]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    for path in paths:
        saved = (back / path.name).read_bytes()
        assert saved != path.read_bytes()
        path.write_bytes(saved)
    after = load_season(folder)
    for table in ("results", "evenings", "licences"):
        pd.testing.assert_frame_equal(getattr(after, table), getattr(before, table))
    assert {p.key for p in after.problems} <= {"understood", "no_entries_of", "encoding"}
    sheet = tmp_path / "blatt.csv"
    sheet.write_text("Datum;Spieler;Ergebnis\n12.03.2027;Änne;5\n12.03.2027;Zoë;-5\n", "utf-8")
    with season_lock(folder):
        store(prepare(folder, [sheet], Given(), date(2027, 3, 13)))
    text = (folder / "results.csv").read_text("utf-8-sig")
    assert text.startswith("evening;player;entries;chips_out;result;note\n1;")
    assert "1234,567" in text
    pd.testing.assert_frame_equal(load_season(folder).through(2).results, before.results)
