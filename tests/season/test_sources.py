"""Tables as people make them: read whole and right, or refused by name; the truth beside each."""

import io
import re

import openpyxl
import pandas as pd
import pytest
from openpyxl.styles import Font
from samples import DATA, ods, ods_cell

from liga_analysis import load_season
from liga_analysis.rules import LeagueRules
from liga_analysis.season.protocol import read_rows
from liga_analysis.season.sources import protocol_table
from liga_analysis.words import DataError

RULES = LeagueRules()


def workbook(**sheets):
    """The bytes of a workbook; a sheet whose name begins with "_" is hidden."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name.strip("_").replace("p", "."))
        sheet.sheet_state = "hidden" if name.startswith("_") else "visible"
        for line in lines.split("|"):
            sheet.append([_cell(text) for text in line.split(";")])
    book.save(out)
    return out.getvalue()


def _cell(text):
    return int(text) if text.lstrip("-").isdigit() else text or None


def results(season):
    """Results by player, evening after evening: "Anna 500 -100, Ben -500 100"."""
    rows = season.results.groupby("player", sort=True)["result"]
    return ", ".join(f"{name} {' '.join(f'{r:g}' for r in values)}" for name, values in rows)


def told(season, *severities):
    return [p.key for p in season.problems if p.severity in (severities or ("warning", "error"))]


@pytest.mark.parametrize(
    ("text", "expected", "warned"),
    [
        # Totals by their twin, by their numbers, and people who broke even
        ("Spieler;1;2;Alles|Anna;500;-100;400|Ben;-500;100;-400|Alles;0;0;0", "AB", []),
        (
            "Spieler;1;2;Gesamtergebnis|Anna;500;-100;400|Ben;-500;100;-400|Gesamtergebnis;0;0;0",
            "AB",
            [],
        ),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Gesamt;0;0", "AB", []),
        (
            "Spieler;1;2|Alle;20;10|Anna;520;-90|Ben;-500;100",
            "Anna 520 -90, Ben -500 100",
            ["total_by_numbers", "sum", "sum"],
        ),
        (
            "Abend;Name;Einstiege;Chips|1;A;1;3000|1;B;2;4000|1;C;1;1000",
            "A 1000, B 0, C -1000",
            ["total_counted"],
        ),
        (
            "Abend;Name;Einstiege;Chips|1;A;1;3000|1;X;2;4000|1;C;1;1000|2;A;1;1000|2;X;3;6000"
            "|2;C;2;5000",
            "A 1000 -1000, C -1000 1000",
            ["total_by_numbers"],
        ),
        (
            "Spieler;1;2|Anna;500;-100|Ben;-500;100|Clara;0;0",
            "Anna 500 -100, Ben -500 100, Clara 0 0",
            ["zero_row"],
        ),
        (
            "Spieler;1;2|Clara;0;0|Anna;500;-100|Ben;-500;100",
            "Anna 500 -100, Ben -500 100, Clara 0 0",
            ["zero_row"],
        ),
        # Who was not there; a dash may be a 0 where no other is noted
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Cem;–;-", "AB", ["dash"]),
        (
            "Datum;Anna;Ben;Cem|2.1.26;500;-500;-|9.1.26;-100;100;0",
            "Anna 500 -100, Ben -500 100, Cem 0",
            [],
        ),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Cem;nicht da;abw.", "AB", []),
        ("Abend;Name;Einstiege;Chips|1;A;1;2500|1;B;1;1500|1;C;-;-", "A 500, B -500", []),
        # Evenings counted from the beginning again; not where rows stand by player
        (
            "Abend;Name;Net|1;A;5|1;B;-5|2;A;3|2;B;-3|1;C;7|1;D;-7|2;C;1|2;D;-1",
            "A 5 3, B -5 -3, C 7 1, D -7 -1",
            ["restart"],
        ),
        (
            "Abend;Name;Net|1;A;5|1;B;-5|2;A;3|2;B;-3|1;C;7|1;D;-7",
            "A 5 3, B -5 -3, C 7, D -7",
            ["restart"],
        ),
        ("Abend;Name;Net|1;A;5|2;A;3|2;B;-3|1;B;-5", "A 5 3, B -5 -3", []),
        ("Datum;Name;Buy-in;Auszahlung|2.1.26;A;20;35|2.1.26;B;20;5", "A 15, B -15", []),
        ("Abend 1|1. Anna 1 2500|2) Ben 2 3500", "Anna 500, Ben -500", []),
        ("Abend 1|\U0001f947 Anna +500|- Ben -500", "Anna 500, Ben -500", []),
        # Headings between the rows
        ("Spieler;1;2|Tisch 1;;|Anna;500;-100|Tisch 2;;|Ben;-500;100", "AB", []),
        (
            "Datum;Name;Net|Januar;;|2.1.26;A;5|2.1.26;B;-5|;Februar 2026;|6.2.26;A;1|6.2.26;B;-1",
            "A 5 1, B -5 -1",
            [],
        ),
        # Sums without a name; what is none is refused
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|;0;0", "AB", ["sums_without_name"]),
        (
            "Abend;Name;Einstiege;Chips|1;A;1;2500|1;B;1;1500|;;2;4000|2;A;1;900|2;B;2;5100|;;3;6000",
            "A 500 -1100, B -500 1100",
            ["sums_without_name"],
        ),
        # The largest and the smallest of each evening, what lies between, the mean; 0 without sum
        (
            "Spieler;1;2;3|Top;500;400;300|Anna;500;-100;200|Ben;-300;400;-500|Cem;-200;-300;300|"
            "Flop;-300;-300;-500|Abstand;800;700;800",
            "Anna 500 -100 200, Ben -300 400 -500, Cem -200 -300 300",
            ["largest_by_numbers", "smallest_by_numbers", "range_by_numbers"],
        ),
        (
            "Datum;Anna;Ben;Cem;Max|2.1.26;500;-500;;500|9.1.26;100;-50;-50;100|16.1.26;2;-1;-1;2",
            "Anna 500 100 2, Ben -500 -50 -1, Cem -50 -1",
            ["largest_by_numbers"],
        ),
        (
            "Datum;Anna;Ben;Cem;M|2.1.26;9;-5;-3;0,33|9.1.26;1;-5;6;0,67|16.1.26;2;-1;-1;0",
            "Anna 9 1 2, Ben -5 -5 -1, Cem -3 6 -1",
            ["mean_by_numbers", "sum", "sum"],
        ),
        (
            "Datum;#;Anna;Ben|2.1.26;1;500;-500|9.1.26;2;-100;100",
            "# 1 2, Anna 500 -100, Ben -500 100",
            ["unbalancing", "sum", "sum"],
        ),
        (
            "Spieler;1;2;3|A;5;-1;2|B;-3;4;-6|C;-2;-3;4|Team A;2;3;-4|Team C;-2;-3;4",
            "A 5 -1 2, B -3 4 -6, C -2 -3 4, Team A 2 3 -4, Team C -2 -3 4",
            ["mirrored", "mirrored"],
        ),
        ("Spieler;1;2;3|A;5;1;2|B;-5;-1;-2", "A 5 1 2, B -5 -1 -2", []),
        # One who always wins, one who wins from the same one what lies between, are players
        ("Spieler;1;2;3|A;5;1;2|B;-3;0;-1|C;-2;-1;-1", "A 5 1 2, B -3 0 -1, C -2 -1 -1", []),
        (
            "Spieler;1;2;3|A;5;1;2|B;0;0;1|C;-5;-1;-2|D;0;0;-1",
            "A 5 1 2, B 0 0 1, C -5 -1 -2, D 0 0 -1",
            [],
        ),
        ("Spieler;1;2;Max;Schnitt|Anna;500;-100;500;200|Ben;-500;100;100;-200", "AB", []),
        ("Spieler;1;2;Schnitt|Anna;500;-100;250|Ben;-500;100;-200", "AB", ["column_differs"]),
        ("Datum;Anna;Ben;Summe|2.1.26;500;-500;0|9.1.26;-100;100;70", "AB", ["column_differs"]),
        ("Datum;Anna;Ben;Best|2.1.26;500;-500;500|9.1.26;-100;100;70", "AB", ["column_differs"]),
        ("Datum;Anna;Ben;Sieger|2.1.26;500;-500;Anna|9.1.26;-100;100;Ben", "AB", []),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Bester;500;70", "AB", ["total_no_sum"]),
        ("Spieler;2.1.26;9.1.26|A;7;-1|B;-5;1|Summe;2;0", "A 7 -1, B -5 1", ["sum"]),
        ("Spieler;2.1.26;9.1.26|A;1;-7|B;-1;5|Summe;0;-2", "A 1 -7, B -1 5", ["sum"]),
        ("Spieler;1;2;Gesamt|Anna;500;-100;900|Ben;-500;100;-400", "AB", ["column_differs"]),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Summe;70;0", "AB", ["total_no_sum"]),
        ("Spieler;1;2;Bonus|Anna;500;-100;50|Ben;-500;100;20", "AB", ["unknown_numbers"]),
        # The evenings above, the amounts of each below
        *(
            (text + "|Anna;1;500;5;-100|Ben;5;-500;1;100", "AB", [])
            for text in (
                "Spieler;2.1.26;;9.1.26;|;Platz;Ergebnis;Platz;Ergebnis",
                "Spieler;2.1.26;2.1.26;9.1.26;9.1.26|;Platz;Ergebnis;Platz;Ergebnis",
                ";2.1.26;;9.1.26;|Spieler;Platz;Ergebnis;Platz;Ergebnis",
            )
        ),
        ("Spieler;1;;2;|;rein;raus;rein;raus|Anna;9;509;100;0|Ben;501;1;0;100", "AB", []),
        ("Spieler;2.1.26;|;Buy-in;Cash-out|Anna;10;25|Ben;20;5", "Anna 15, Ben -15", []),
        (
            ";2.1.26;;9.1.26;;Summe|Spieler;Einstiege;Chips;Einstiege;Chips;|A;1;2500;2;4000;500"
            "|B;1;1500;1;2000;-500",
            "A 500 0, B -500 0",
            [],
        ),
        ("Platz;Name;2.1.26|1;A;8|2;B;-8|;Checksumme;0", "A 8, B -8", []),
        ("Platz;Name;2.1.26|1;A;8|2;B;-8|;Ergebnis;0", "A 8, B -8", []),
        ("Name;1;2;Teilnahmen|Anna;500;-100;2|Ben;-500;100;2", "AB", []),
        (
            "Spieler;1;2|Anna;500;-100|Ben;-500;100|Max;500;100|Min;-500;-100",
            "AB",
            ["largest_by_numbers", "smallest_by_numbers"],
        ),
        ("Spieler;1;2|Max;500;-100|Min;-500;100", "Max 500 -100, Min -500 100", []),
        ("Spieler;1|Max;5|Min;-4|C;-1", "C -1, Max 5, Min -4", []),
        ("Datum;Anna;Ben|2.1.26;500;-500|9.1.26;-100;100|Max;500;100|Min;-100;-500", "AB", []),
        ("Datum;Anna;Ben|2.1.26;500;-500|9.1.26;-100;100|;400;-400", "AB", []),
        ("Datum;Anna;Ben|2.1.26;500;-500|9.1.26;-100;100|;400;-400|Schnitt;200;-200", "AB", []),
        ("Datum;Anna;Ben;Check|2.1.26;500;-500;0|9.1.26;-100;100;0", "AB", []),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Beste;500;100", "AB", []),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Anzahl;2;2", "AB", ["count_by_numbers"]),
        # What adds up one player, by its name or by its numbers
        *(
            (f"Datum;Anna;Ben;{total}|2.1.26;500;-500;1|9.1.26;-100;100;2", "AB", ["sum_of_one"])
            for total in ("Anna gesamt", "Ben (gesamt)", "Total Anna", "Anna kum.", "Σ Anna")
            + ("Anna Stand", "Anna Saldo", "Anna €", "Summe: Ben")
        ),
        ("Spieler;1;2|Anna;500;-100|Ben;-500;100|Anna gesamt;500;400", "AB", ["sum_of_one"]),
        ("Abend;Spieler;Ergebnis|1;♠;500|1;%;-500|2;♠;-100|2;%;100", "% -500 100, ♠ 500 -100", []),
        (
            "Datum;Anna;Ben;Lauf|2.1.26;5;-5;5|9.1.26;;0;5|16.1.26;-3;3;2",
            "Anna 5 -3, Ben -5 0 3",
            ["sum_of_one", "lone_player"],
        ),
        (
            "Datum;Anna;Ben;Cem;Lauf;Zwei|2.1.26;5;-3;-2;5;-3|9.1.26;-4;3;1;1;0|16.1.26;3;2;-5;4;2",
            "Anna 5 -4 3, Ben -3 3 2, Cem -2 1 -5",
            ["sum_of_one", "sum_of_one"],
        ),
        (
            "Datum;Anna;Ben;Lauf;Zwei|2.1.26;5;-5;5;-5|9.1.26;-4;4;1;-1|16.1.26;3;-3;4;-4",
            "Anna 5 -4 3, Ben -5 4 -3, Lauf 5 1 4, Zwei -5 -1 -4",
            ["sum_of_one_counted", "sum_of_one_counted", "mirrored", "mirrored"],
        ),
        # Who won as much as another till then is a player where the evenings sum to zero
        ("Spieler;1;2;3|A;5;-5;3|B;-10;5;-6|C;5;0;3", "A 5 -5 3, B -10 5 -6, C 5 0 3", []),
        (
            "Spieler;1;2;3|A;1;0;1|B;-1;1;-1|C;-1;0;-1|D;1;-1;1",
            "A 1 0 1, B -1 1 -1, C -1 0 -1, D 1 -1 1",
            [],
        ),
        ("Spieler;1;2;3|Anna;5;0;0|Ben;-5;0;0|Anna M.;0;0;0", None, ["zero_row"]),
        # Columns and lines nobody reads
        ("Spieler;1;;2|Anna;500;7;-100|Ben;-500;-7;100", "AB", ["unknown_numbers"]),
        ("Spieler;1;;2|Anna;500;Anna;-100|Ben;-500;Ben;100", "AB", []),
        ("Spieler;1;2;|Anna;500;-100;400|Ben;-500;100;-400", "AB", []),
        (";Spieler;1;2|1;Anna;500;-100|2;Ben;-500;100", "AB", []),
        ("Datum;Anna;Ben;|2.1.26;500;-500;7|9.1.26;-100;100;-7", "AB", ["unknown_numbers"]),
        ("Datum;Anna;Ben;|2.1.26;500;-500;0|9.1.26;-100;100;0", "AB", []),
        (
            "Spieler;1;2;Bonus|Anna;500;-100;50 Chips|Ben;-500;100;keine",
            "AB",
            ["unknown_numbers"],
        ),
        ("Spieler;1;2;Zeit|Anna;500;-100;20 Uhr|Ben;-500;100;21 Uhr", "AB", []),
        ("Spieler;1;2;Status|Anna;500;-100;ok|Ben;-500;100;ok", "AB", ["unknown_status"]),
        ("Spieler;1;2;X|Anna;500;-100;|Ben;-500;100;storniert", "AB", ["unknown_status"]),
        (
            "Abend;Name;Net;Notiz|1;A;5;abgebrochen, zählt nicht|1;B;-5;",
            "A 5, B -5",
            ["unknown_status"],
        ),
        ("Abend;Name;Net;Notiz|1;A;5;kam, weil Ben abgesagt hat|1;B;-5;", "A 5, B -5", []),
        ("Spieler;1;2;Gezählt von|Anna;500;-100;Ben|Ben;-500;100;Anna", "AB", []),
        ("Übertrag;70;-70|Spieler;1;2|Anna;500;-100|Ben;-500;100", "AB", ["above_numbers"]),
        ("Saison;2026|Spieler;1;2|Anna;500;-100|Ben;-500;100", "AB", []),
        ("Spieler;1;2|Übertrag;70;30|Anna;500;-100|Ben;-500;100", "AB", ["total_no_sum"]),
        # Years, money, names
        ("Spieler;2024;2025|Anna;500;-100|Ben;-500;100", "AB", ["years"]),
        ("Spieler;1;2|Anna;500 €;-100 €|Ben;-500 €;100 €", "AB", ["money_results"]),
        (
            "Spieler;1;2|Anna;9;-4|Ben;1;8|Rest;-10;-4",
            "Anna 9 -4, Ben 1 8, Rest -10 -4",
            ["balancing"],
        ),
        ("Spieler;1;2|Anna;500;|Ben;-500;100|Anna;;-100", "AB", ["name_again"]),
        ("Datum;Anna;Ben;anna|2.1.26;500;-500;|9.1.26;;100;-100", "AB", ["name_again"]),
        ("Spieler;1|Anna & Ben;7|Cem;-7", "Anna & Ben 7, Cem -7", ["two_in_one"]),
        ("Spieler;1|A, B;7|A;-3|B;-4", "A -3, A, B 7, B -4", ["two_in_one"]),
        ("Spieler;1|Müller, A;7|A;-7", "A -7, Müller, A 7", []),
        ("Spieler;1;2;Ort des Siegs|Anna;500;-100;1. Platz|Ben;-500;100;", "AB", []),
        ("Spieler;1|Anna;5|\u0410nna;-5", "Anna 5, \u0410nna -5", ["look_alike"]),
        # Headings judged together
        ("Spieler;02.01.2026 (bei Ben);23. Januar 2026|Anna;500;-100|Ben;-500;100", "AB", []),
        (
            "Datum;Name;Ergebnis|01/09/2026;Anna;500|01/09/2026;Ben;-500|02/06/2026;Anna;-100|"
            "02/06/2026;Ben;100|03/06/2026;Ben;0",
            "Anna 500 -100, Ben -500 100 0",
            ["date_order", "lone_player"],
        ),
        ("Spieler;1/2/2026;1/23/2026|Anna;500;-100|Ben;-500;100", "AB", []),
        ("Spieler;Fr 02.01.2026;Fr, 23.01.26|Anna;500;-100|Ben;-500;100", "AB", []),
        (";02.01.2026;23.01.2026|Spieler;Abend 1;Abend 2|Anna;500;-100|Ben;-500;100", "AB", []),
        ("Spieler;Abend 1;Abend 2|;02.01.2026;23.01.2026|Anna;500;-100|Ben;-500;100", "AB", []),
        (
            ";02.01.2026;;23.01.2026;|Name;Buy-in;Cash-out;Buy-in;Cash-out|"
            "Anna;500;1000;200;100|Ben;700;200;0;100",
            "AB",
            [],
        ),
        # Dates down, players across
        (
            "Datum;Anna;Ben;Summe|2.1.2026;500;-500;0|23.1.2026;-100;100;0|Summe;400;-400;0",
            "AB",
            [],
        ),
        ("Abend;Gastgeber;Anna;Ben|1;Änne;500;-500|2;Änne;-100;100", "AB", []),
        # Standings that go on
        ("Spieler;1;2;3|Anna;500;400;600|Ben;-500;-400;-600", None, ["running"]),
        ("Datum;Anna;Ben|2.1.26;5;-5|9.1.26;9;-9|16.1.26;12;-12", None, ["running"]),
        ("Spieler;1;2;3;Summe|Anna;500;400;600;1500|Ben;-500;-400;-600;-1500", None, []),
        ("Spieler;1;2;3|Anna;500;-400;600|Ben;-500;400;-600", None, []),
        # Words people use
        ("Session;Player;+/-|1;Anna;500|1;Ben;-500|2;Anna;-100|2;Ben;100", "AB", []),
        ("game_id;Name;Profit|1;Anna;500|1;Ben;-500|2;Anna;-100|2;Ben;100", "AB", []),
        ("Abend;Name;ROI|1;Anna;500|1;Ben;-500|2;Anna;-100|2;Ben;100", "AB", []),
        ("Spieltag;Name;Gewinn|1;Anna;500|1;Ben;-500|Abend 2;Anna;-100|Abend 2;Ben;100", "AB", []),
        (
            "Abend;Name;Net|2.1.26;Anna;500|2.1.26;Ben;-500|9.1.26;Anna;-100|9.1.26;Ben;100",
            "AB",
            [],
        ),
        ("Abend;Name;Buy-ins;Endstand|1;Anna;1;2500|1;Ben;2;3500", "Anna 500, Ben -500", []),
        ("Abend;Name;Buy-ins;Stand|1;Anna;20;520|1;Ben;600;100", "Anna 500, Ben -500", []),
        ("Abend;Name;G/V|1;Anna;500|1;Ben;-500", "Anna 500, Ben -500", []),
        ("Abend;Name;Netto|1;Anna;500|1;Ben;-500", "Anna 500, Ben -500", []),
        ("Abend;Name;Eingezahlt;Ausbezahlt|1;Anna;20;520|1;Ben;600;100", "Anna 500, Ben -500", []),
        ("Abend;Name;Rebuys;Payout|1;Anna;0;2500|1;Ben;1;3500", "Anna 500, Ben -500", []),
        ("Abend;Name;Rebuys;Final|1;Anna;;2500|1;Ben;1;3500", "Anna 500, Ben -500", []),
        ("Abend;Wer;Buy-ins;Rebuys;Am Ende|1;A;1;0;2500|1;B;1;1;3500", "A 500, B -500", []),
        (
            "Abend;Wer;Buy-ins;Rebuys;Schluss|1;A;1;0;2500|1;B;2;1;3500",
            "A 500, B -500",
            ["unknown_numbers"],
        ),
        ("Abend 1|Anna 1 2500|Ben 2 3500", "Anna 500, Ben -500", []),
        ("Abend 1|Anna 1 2500|Ben 2 3500|Summe 3 6000", "Anna 500, Ben -500", []),
        ("Abend 1|Anna 1 2500|Ben 2 3500|Summe: 6000", "Anna 500, Ben -500", []),
        ("Abend 1|Anna +5 €|Ben: -5 Euro|Summe: 0", "Anna 5, Ben -5", ["money_results"]),
        ('Abend;Name;Net;Notiz|1;A;5;"ging,|kam"|1;B;-5;"a;|b"', "A 5, B -5", []),
        ("Datum: 2.1.2026|Anna: +500|Ben: -500", "Anna 500, Ben -500", []),
    ],
)
def test_read(season_file, text, expected, warned):
    """Each is read with the right values, and what it leaves open is asked."""
    season = season_file(text.replace("|", "\n"))
    if expected:
        assert results(season) == expected.replace("AB", "Anna 500 -100, Ben -500 100")
    assert told(season) == warned


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Spieler;02.01.2026;31.02.2026|Anna;5;3|Ben;-5;-3",
            "Zeile 1: .*Den Tag „31.02.2026“ gibt es nicht",
        ),
        ("Spieler;02.01.2026;9.1. (Ben)|Anna;5;3|Ben;-5;-3", "Zeile 1: .*„9.1. .Ben.“ ist kein"),
        (
            "Spieler;2.1.;9.1.|Anna;5;3|Ben;-5;-3",
            "„2.1.“ ist kein Datum(.|\n)*„9.1.“ ist kein Datum",
        ),
        ("Datum;Anna;Ben|2.1.2026;5;-5|irgendwann;3;-3", "Zeile 3: „irgendwann“ ist kein Datum"),
        (
            "Abend;Name;Ergebnis|<<<<<<< HEAD|1;A;5|=======|1;A;6|>>>>>>> x",
            "Zeile 2: .*„<<<<<<< HEAD“",
        ),
        (
            "Datum;A;B;C|2.1.26;5;-5;0|31.2.26;1;-1;0",
            r"\A[^\n]*Zeile 3: Den Tag „31.2.26“ gibt es nicht[^\n]*\Z",
        ),
        ("Anna 2 5150|Ben 1 850|Cem hat 70", "Zeile 3: „Cem hat 70“ ist nicht wie die anderen"),
        (
            "Hallo ihr!|Anna 2 5150|Ben 1 850|Cem 1 0|Dora hat 850",
            "Zeile 5: „Dora hat 850“ ist nicht wie die anderen",
        ),
        (
            "Hallo ihr!|Anna 2 5150|Ben 1 850|bis bald",
            "Zeile 1: „Hallo ihr!“ (.|\n)*Zeile 4: „bis bald“",
        ),
        ("Anna 2 5150|Ben 1 850|Cem 1 0|Dora mit 50 wieder raus", "Zeile 4: „Dora mit 50"),
        ("Anna 2 5150|Ben 1 850|Cem 1 0|und dann Ben mit 3 raus", "Zeile 4: „und dann Ben"),
        ("Anna 2 5150|Ben 1 850|Cem hat 70|Dora 3", "Zeile 3: „Cem (.|\n)*Zeile 4: „Dora 3“ ist"),
        (
            "Spieler;Einstiege;Chips|Anna 2 5150|Ben 1 850",
            r"\A[^\n]*Zeile 2: [^\n]*anders getrennt[^\n]*„Anna;2;5150“[^\n]*\Z",
        ),
        ("Spieler;9.1.26;;Spieler;16.1.26|A;5;;B;3|B;-5;;A;-3", "Spielern .*: Spieler und Spieler"),
        (
            ";9.1.26;;;16.1.26|Spieler;Ergebnis;;Spieler;Ergebnis|A;5;;B;3|B;-5;;A;-3",
            "Zeile 2: Zwei Spalten mit Spielern nebeneinander: Spieler und Spieler",
        ),
        (
            "Datum;9.1.26;;Datum;16.1.26|Spieler;Ergebnis;;Spieler;Ergebnis|A;5;;B;3|B;-5;;A;-3",
            "Zeile 2: Zwei Spalten mit Spielern nebeneinander",
        ),
        ("Rang;Spieler;;Name;9.1.26;16.1.26|1;A;;B;5;3|2;B;;A;-5;-3", "Spieler und Name. .*jeden"),
        ("Spieler;1;;2|A;5;C;3|B;-5;D;-3", "nebeneinander: Spieler und .3.. Bitte alle Abende"),
        (
            "Spieler;2.1.26;;9.1.26;|;Start;Ende;Start;Ende|A;10;25;10;0|B;20;5;0;10",
            "Zeile 2: .* nicht verstanden werden: Start und Ende. Bitte Ergebnis oder",
        ),
        (
            "Spieler;2.1.26;9.1.26|A;5;3|B;-5;-3|Teil 2;;|;16.1.26;23.1.26|A;1;2|B;-1;-2",
            r"\A[^\n]*Zeile 5: Hier beginnt eine zweite Tabelle .16.1.26, 23.1.26.[^\n]*\Z",
        ),
        ('Spieler;1;2|C;10;5|"A;0;0|B";-10;-5', "Zeile 3: Zwischen zwei Anführungszeichen"),
        ('Spieler;1;2|C;10;5|"A;0;0|B;-10";-5', "Zeile 3: Zwischen zwei Anführungszeichen"),
        ("Nächster Abend: 16.1.2026|Spieler;Ergebnis|A;5|B;-5", "Die Spalte Abend / Datum fehlt"),
        ("Bens Geburtstag (3.4.1980)|Spieler;Ergebnis|A;5|B;-5", "Spalte Abend / Datum fehlt"),
        ("Poker, Montag, 9. Januar 2026|Spieler;Ergebnis|A;5|B;-5", "„Montag, 9. .* Wochentag"),
        ("Platz;;2.1.26;Σ|1;A;4;4|2;B;-4;-4|;Kontrolle;0;0", "Spalte Spieler fehlt|bekannte Spalt"),
        ("Datum;A;B|2.1.26;5;-5|;4;-5", "Zeile 3: .*weder eine Abendnummer noch ein Datum"),
        ("Datum;A;B|2.1.26;5;-5|Datum;C;D|9.1.26;3;-3", "Zeile 3: .* zweite Tabelle .Datum, C"),
        (
            "Datum;Name;Net|2.1.26;A;5|Datum;Wer;Gewinn|9.1.26;A;3",
            r"\A[^\n]*Zeile 3: .* zweite Tabelle .Datum, Wer, Gewinn[^\n]*\Z",
        ),
        ("Spieler;1;2|A;5;3|B;-5;-3|Name;3;4|A;5;3|B;-5;-3", "Zeile 4: .* zweite Tabelle .3, 4"),
        ("Datum;A;B|Mo, 2.1.2026;5;-5|9.1.2026;3;-3", "„Mo, 2.1.2026“ passt der Wochentag nicht"),
        ("Abend;Name;Einstiege;Chips|1;A;1;30 €|1;B;1;10 €", "„30 €“ .* ist Geld. Bitte die Chips"),
        ("Abend;Name;Ergebnis|1;A;50 %|1;B;-50 %", "„50 %“ in der Spalte Ergebnis ist keine Zahl"),
        ("Spieler;1;2|A;5;3|B;-5;-3|C;x;0", "Zeile 4.*„x“ .* wer nicht dabei war, .* leeres Feld"),
        ("Abend;Name;Einstiege;Chips|1;A;1;4000|1;B;1;-", "Zeile 3: „-“ .* ist keine Zahl"),
        ("Spieler;1;2|A;5;3|B;-5;-4|;0;1", "Zeile 4: Der Name fehlt"),
        ("Spieler;1|A;5|B;-5|;0", "Zeile 4: Der Name fehlt"),
        ("Datum;Name;Ergebnis|Januar;;7|2.1.26;A;5", "Zeile 2: „Januar“ ist kein Datum"),
        ("Abend;Name;Ergebnis|1;A;5|garbage", "Zeile 3: „garbage“ ist keine Abendnummer"),
        ("Abend;Name;Ergebins|1;A;-5", "Ist „Ergebins“ gemeint, .* ändern in „Ergebnis“"),
        (
            "Abend;Name;Buy-ins;Übrig;+/-|1;A;1;7;-3240|1;B;1;7;3240",
            "A: −1.240 Chips, weniger als 0 geht nicht(.|\n)*nicht gelesen: Übrig",
        ),
        ("Abend;Name;Verlust|1;A;5|1;B;-5", "Verlust.. Bitte ergänzen oder die Überschrift"),
        ("Abend;Name;Auszahlung|1;A;20|1;B;5", "Auszahlung.. Bitte ergänzen oder die Überschrift"),
        ("Abend;Gewinner;Ergebnis|1;A;5|1;B;-5", "Ergebnis.. Bitte ergänzen oder die Überschr"),
        (
            "Datum;Mitspieler;Rein;Raus|2.1.26;A;5;7|2.1.26;B;6;4",
            "„Mitspieler“ gemeint, .*ändern in „Spieler“",
        ),
        ("Abend;Name;ROI|1;A;50|1;B;20", "Die Spalte Ergebnis .* fehlt"),
        ("Abend;Name;Rebuys;Final|1;A;;2500|1;B;0;1500", "keine Zahl der Einstiege"),
    ],
)
def test_refused(season_file, text, message):
    """What is not understood whole is refused; the cell or column is named."""
    with pytest.raises(DataError, match=message):
        errors(season_file(text.replace("|", "\n")))


def errors(season):
    """As raised where nothing can be computed."""
    raise DataError.among(season.problems)


LIST = "Abend;Spieler;Ergebnis|1;Anna;500|1;Ben;-500|2;Anna;-100|2;Ben;100"


@pytest.mark.parametrize(
    ("sheets", "hints", "warnings"),
    [
        ({"Rangliste": "Rang;Spieler;Ergebnis|1;Anna;400|2;Ben;-400", "Abende": LIST}, 1, []),
        ({"_alt": LIST, "neu": LIST}, 0, ["hidden_sheets"]),
        ({"_namen": "Namen|Anna", "neu": LIST}, 1, []),
        (
            {"A": LIST, "B": "Spieler;2.1.2026;31.2.2026|Anna;5;5"},
            0,
            ["other_sheets", "no_such_day"],
        ),
        ({"A": LIST, "B": "Spieler;Abend;Einstiege;Chips|Anna;3;1;2000"}, 0, ["other_sheets"]),
        (
            {
                "02p01p2026": "Spieler;Ergebnis|Anna;500|Ben;-500",
                "09p01p2026": "Spieler;Ergebnis|Anna;-100|Ben;100",
            },
            1,
            [],
        ),
        ({"A": LIST[:44], "B": "Abend;Spieler;Ergebnis|2;Anna;-100|2;Ben;100"}, 1, []),
        *(
            (
                {
                    f"{name}1": "Datum;2.1.2026|Spieler;Ergebnis|Anna;500|Ben;-500",
                    f"{name}2": "Spieler;Ergebnis|Anna;-100|Ben;100",
                },
                1,
                [],
            )
            for name in ("", "Abend ")
        ),
    ],
)
def test_sheets(season_file, sheets, hints, warnings):
    """Sheets of one shape are one table; what is left is named, where it may count as a warning."""
    season = season_file(workbook(**sheets), "liga.xlsx")
    assert results(season) == "Anna 500 -100, Ben -500 100"
    assert told(season) == warnings
    keys = ("other_sheets", "hidden_sheets", "joined_sheets")
    assert sum(key in keys for key in told(season, "hint")) == hints


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("Finale", "Spieler;Ergebnis|Anna;7|Ben;-7", ["other_sheets", "missing"]),
        ("Finale", "Speiler;Ergebnis|Anna;7|Ben;-7", ["other_sheets", "missing_rename"]),
        ("Finale", "Anna;7|Ben;-7", ["other_sheets", "no_header"]),
        ("16p01p26 Finale", "Spieler;Ergebnis|Cem;7|Dora;-7", ["other_sheets", "missing"]),
        ("09p01p2026 (2)", "Spieler;Ergebnis|Anna;7|Ben;-7", ["other_sheets", "missing"]),
        ("31p02p2026", "Spieler;Ergebnis|Anna;7|Ben;-7", ["other_sheets", "missing"]),
        ("16p1p", "Spieler;Ergebnis|Anna;7|Ben;-7", ["other_sheets", "missing"]),
        ("Rangliste", "Rang;Spieler;Ergebnis|1;Anna;400|2;Ben;-400", []),
        ("Regeln", "Startchips;2000|Einstieg;10", []),
    ],
)
def test_a_sheet_left_beside_those_of_evenings(season_file, name, lines, expected):
    """What may be one more evening is named with what it lacks; a table of ranks is not."""
    sheets = {
        "02p01p2026": "Spieler;Ergebnis|Anna;500|Ben;-500",
        "09p01p2026": "Spieler;Ergebnis|Anna;-100|Ben;100",
    }
    season = season_file(workbook(**sheets, **{name: lines}), "liga.xlsx")
    assert results(season) == "Anna 500 -100, Ben -500 100"
    assert told(season) == expected
    name = re.escape(name.replace("p", "."))
    why = [p for p in season.problems if p.key in expected[1:]]
    assert all(re.search(rf"\[{name}\], Zeile 1: ", p.message("de")) for p in why)


def test_sheets_called_like_seasons(season_file):
    """Two sheets of two years are two seasons: one has to be chosen."""
    data = workbook(**{"2025": LIST, "Saison 2026": LIST})
    with pytest.raises(DataError, match=r"2025 und Saison 2026 sind wohl mehrere Saisons.*--sheet"):
        season_file(data, "liga.xlsx")
    assert results(season_file(data, "liga.xlsx", sheet="2025")) == "Anna 500 -100, Ben -500 100"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: s.merge_cells("A2:A3"), "Anna 500 -100, Ben -500 100"),
        (lambda s: s.merge_cells("A1:C1"), "Die Spalte Spieler fehlt"),
        (lambda s: s.merge_cells("B2:B3"), "Verbundene Zellen .B2:B3. stehen für mehrere Felder"),
        (lambda s: s.merge_cells("C2:C3"), "Verbundene Zellen .C2:C3."),
        (lambda s: s.merge_cells("E5:F9"), "Anna 500 -100, Ben -500 100"),
        (lambda s: [setattr(c, "font", Font(strike=True)) for c in s[3]], ["struck"]),
        (lambda s: setattr(s.row_dimensions[3], "hidden", True), ["unseen"]),
        (lambda s: setattr(s.row_dimensions[9], "hidden", True), []),
        (lambda s: setattr(s.column_dimensions["C"], "hidden", True), ["unseen_columns"]),
        (lambda s: s.column_dimensions.group("D", "H", hidden=True), []),
        (lambda s: setattr(s["C2"], "number_format", "#,##0.00 [$€-407]"), ["money_results"]),
        (lambda s: setattr(s["C2"], "number_format", "0%"), ["not_a_number"]),
        (lambda s: setattr(s["C2"], "number_format", "#,##0;[Red]-#,##0"), []),
    ],
)
def test_formats_of_cells_that_say_something(season_file, change, expected):
    """Merged cells of one evening count for it, others are refused; strikes and money are told."""
    book = openpyxl.load_workbook(io.BytesIO(workbook(A=LIST)))
    change(book["A"])
    book.save(out := io.BytesIO())
    if isinstance(expected, str) and "Anna" not in expected:
        with pytest.raises(DataError, match=expected):
            season_file(out.getvalue(), "liga.xlsx")
        return
    season = season_file(out.getvalue(), "liga.xlsx")
    assert expected == (told(season) if isinstance(expected, list) else results(season))


def test_a_sheet_by_name(season_file):
    """Any sheet can be asked for, a hidden one too; lines are told with the sheet."""
    data = workbook(A=LIST, _B="Abend;Spieler;Ergebnis|1;Anna;7|1;Ben;-7|2;Anna;3")
    assert results(season_file(data, "liga.xlsx", sheet="B")) == "Anna 7 3, Ben -7"
    with pytest.raises(DataError, match=r"„C“ gibt es nicht.*: A und B"):
        season_file(data, "liga.xlsx", sheet="C")


@pytest.mark.parametrize("name", ["liga.xlsx", "liga.ods"])
def test_formulas_without_a_value(season_file, name):
    """A formula that no value is stored with is an error with its cell, not an absence."""
    data = workbook(A="Abend;Spieler;Ergebnis|1;Anna;300|1;Ben;-300|1;Clara;=900-400|1;Dora;=0-500")
    if name == "liga.ods":
        cell = '<table:table-cell table:formula="of:=900-400"/>'
        rows = ["Abend", "Spieler", "Ergebnis"], ["1", "Anna", "-500"], ["1", "Clara", cell]
        rows = ("".join(c if "<" in c else ods_cell(c) for c in row) for row in rows)
        rows = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
        data = ods(f"<table:table>{rows}</table:table>")
    cells = "C4 und C5" if name == "liga.xlsx" else "C3"
    with pytest.raises(DataError, match=f"Formel in {cells} ist kein Wert .*in Excel öffnen"):
        season_file(data, name)


def test_formulas_that_came_to_nothing(season_file):
    """An empty paragraph is a formula's empty text where others were calculated; else none is."""
    empty = '<table:table-cell table:formula="of:=T([.A9])"><text:p/></table:table-cell>'
    one = '<table:table-cell table:formula="of:=1" office:value-type="float" office:value="1"/>'
    rows = (["Abend", "Spieler", "Ergebnis"], [one, "A", "5"], [one, "B", "-5"], [one, "C", empty])
    rows = ("".join(c if "<" in c else ods_cell(c) for c in row) for row in rows)
    sheet = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    assert results(season_file(ods(f"<table:table>{sheet}</table:table>"), "a.ods")) == "A 5, B -5"
    sheet = sheet.replace(one, ods_cell("1"))
    with pytest.raises(DataError, match="Formel in C4 ist kein Wert"):
        season_file(ods(f"<table:table>{sheet}</table:table>"), "b.ods")


def test_what_is_hidden_in_open_documents(season_file):
    """A row or column that is hidden counts and is told, if it holds something."""
    hidden = '<table:table-row table:visibility="collapse">{}</table:table-row>'
    columns = '<table:table-column table:number-columns-repeated="2"/>'
    columns += '<table:table-column table:visibility="collapse"/>'
    rows = ("".join(map(ods_cell, row.split(";"))) for row in LIST.split("|"))
    rows = "".join(map(hidden.format, ["", *rows]))
    season = season_file(ods(f"<table:table>{columns}{rows}</table:table>"), "liga.ods")
    assert results(season) == "Anna 500 -100, Ben -500 100"
    warnings = (p.values["lines"] for p in season.problems if p.severity == "warning")
    assert [*warnings] == [["2", "3", "4", "5", "6"], ["C"]]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (ods_cell("#REF!", "float", office_value="0"), ["not_a_number"]),
        (ods_cell("Err:502", "float", office_value="0"), ["not_a_number"]),
        (ods_cell("50 %", "percentage", office_value="0.5"), ["not_a_number"]),
        (ods_cell("5 €", "currency", office_value="5", office_currency="EUR"), ["money_results"]),
        (ods_cell("###", "float", office_value="5"), []),
    ],
)
def test_cells_of_open_documents(season_file, cell, expected):
    """A stored 0 of an error is none, money is money; a date merged over rows holds for both."""
    day = ods_cell("2.1.26").replace(
        "<table:table-cell", '<table:table-cell table:number-rows-spanned="2"'
    )
    rows = [
        "".join(map(ods_cell, ["Datum", "Spieler", "Ergebnis"])),
        day + ods_cell("Anna") + cell,
        "<table:covered-table-cell/>"
        + ods_cell("Ben")
        + ods_cell("-5", "float", office_value="-5"),
    ]
    rows = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    season = season_file(ods(f"<table:table>{rows}</table:table>"), "liga.ods")
    assert [key for key in told(season) if key not in ("sum", "lone_player")] == expected
    if "not_a_number" not in expected:
        assert results(season) == "Anna 5, Ben -5"


def test_formulas_of_totals_need_no_value(season_file):
    """What adds up the others is not read anyway."""
    text = "Spieler;1;2;Summe|Anna;500;-100;=B2+C2|Ben;-500;100;=B3+C3|Summe;=B2+B3;=C2+C3;"
    assert results(season_file(workbook(A=text), "liga.xlsx")) == "Anna 500 -100, Ben -500 100"


def test_old_workbooks():
    """An xls, here of two sheets named by their evenings, is read by its values; that is told."""
    season = load_season(DATA / "abende.xls")
    assert results(season) == "Anna 8 -1, Ben -8 1"
    assert [d.day for d in season.evenings["date"]] == [9, 16]
    assert {"values_only", "joined_sheets"} <= set(told(season, "hint"))


def test_judged_once(season_file):
    """Rows that are judged stand for another evening without being judged again."""
    table = protocol_table("t.csv", b"evening,player,entries,chips_out\n1,A,1,3000\n1,B,1,", RULES)
    rows = read_rows(table, RULES).placed({1: (7, pd.Timestamp("2026-02-06"), "Cem")})
    assert rows.table[["evening", "host", "player"]].to_numpy().tolist() == [[7, "Cem", "A"]]
    assert [(p.evening, p.key) for p in rows.problems if p.severity == "error"] == [
        (7, "chips_missing")
    ]


def test_a_messengers_heads_say_nothing_of_players(season_file):
    """Who sent a line, and when, is cut off; the line after it is read."""
    lines = ["[12.03.27, 23:58] Zoë: Anna 2 5150", "12.03.27, 23:59 - Zoë: Ben 1 850"]
    season = season_file("\n".join(["Abend: 3", *lines]))
    seats = season.results[["evening", "player", "entries", "chips_out"]]
    assert seats.values.tolist() == [[3, "Anna", 2, 5150], [3, "Ben", 1, 850]]


def test_lines_of_a_chat_with_units(season_file):
    """Entries and chips by their names."""
    season = season_file("Abend: 3\nHeike: 1 Einstieg, 3480 Chips\nClara 1 3.000 Chips\nBen 2 1520")
    seats = season.results[["player", "entries", "chips_out"]]
    assert seats.values.tolist() == [["Ben", 2, 1520], ["Clara", 1, 3000], ["Heike", 1, 3480]]


def test_a_cell_without_heading_in_a_workbook(season_file):
    """There are no separators to speak of."""
    data = workbook(Blatt="Abend;Spieler;Ergebnis|1;A;5;x|1;B;-5")
    with pytest.raises(DataError, match="Bitte über jedes Feld eine Überschrift schreiben"):
        season_file(data, "a.xlsx")


def test_a_date_alone_above_the_table(season_file):
    """It is the evening's where it is the only one, and told."""
    seats = "Wer;Rein;Raus\nAnna;2;5150\nBen;1;850\n"
    season = season_file(f"Pokerabend;;\n02.10.2026;;\n{seats}")
    assert season.evenings["date"].tolist() == [pd.Timestamp("2026-10-02")]
    assert season.results["entries"].tolist() == [2, 1]
    assert [p.values["text"] for p in season.problems if p.key == "above_date"] == ["02.10.2026"]
    prose = season_file(f"Pokernacht 2.10.26 bei Björn;;\n{seats}").evenings
    assert prose[["date", "host"]].values.tolist() == [[pd.Timestamp("2026-10-02"), "Björn"]]
    chips = season_file("Datum;Wer;Rein;Raus\n2.10.26;Anna;4000;5150\n2.10.26;Ben;2000;850\n")
    assert chips.results["result"].tolist() == [1150, -1150]
    with pytest.raises(DataError):
        season_file(f"02.10.2026;;\n03.10.2026;;\n{seats}")
    with pytest.raises(DataError):
        season_file(f"Stand: 02.10.2026;;\n{seats}")


@pytest.mark.parametrize(
    ("above", "below", "skipped"),
    [
        (["Hallo, schön wars am 12.2., bis 23:30!"], ["LG Anna"], 2),
        (["[12.03.27, 23:58] Zoë: Hier die Ergebnisse:"], [], 1),
        (["Spieler Einstiege Chips"], [], 0),
        (["Name / Einstiege / Chips"], [], 0),
        (["Hallo, wir haben 3x gezählt.", "So:"], ["noch 4 Flaschen übrig"], 3),
    ],
)
def test_what_stands_around_the_lines_of_a_chat(season_file, above, below, skipped):
    """A greeting is skipped and named, a heading without separators understood."""
    season = season_file(
        "\n".join(["Abend: 3", *above, "Anna 2 5150", "Ben 1 850", "Cem 1 0", *below])
    )
    seats = season.results[["player", "entries", "chips_out"]]
    assert seats.values.tolist() == [["Anna", 2, 5150], ["Ben", 1, 850], ["Cem", 1, 0]]
    named = [p.values["text"] for p in season.problems if p.key == "chat_skipped"]
    assert len(named) == skipped and named[skipped - len(below) :] == below
    headed = above[0].startswith(("Spieler", "Name"))
    assert ("chat" in [p.key for p in season.problems]) != headed


def test_twice_on_two_sheets_at_the_same_line(season_file):
    """Both sheets are named, though the lines are equal."""
    sheets = dict.fromkeys(("Mai", "Juni"), "Datum;Name;Ergebnis|9.1.2026;Anna;5")
    season = season_file(workbook(**sheets), "liga.xlsx")
    (error,) = [p for p in season.problems if p.severity == "error"]
    place = r"liga.xlsx \[Juni\], Zeile 2: .* schon in Zeile 2, liga.xlsx \[Mai\]"
    assert re.search(place, error.message("de"))
