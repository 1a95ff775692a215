"""How long the season report takes, beside an empty notebook that imports the same.

python benchmarks/report.py [SEASON] [--rounds 3]
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from liga_analysis.pages import notebooks

EXAMPLE = "data/beispielliga/2026"
# papermill and nbconvert as anybody would call them, on what the report's notebook imports.
EMPTY = """import sys, nbformat, papermill
from nbconvert import HTMLExporter
nb = papermill.execute_notebook(sys.argv[1], None, kernel_name="python3", progress_bar=False)
open(sys.argv[2], "w").write(HTMLExporter().from_notebook_node(nb)[0])
"""
REPORT = """import sys
from liga_analysis.report import publish
publish.season_report(sys.argv[1], folder=sys.argv[2])
"""
# What each part of the page costs in the kernel, when all before it is there.
PARTS = """import time
import liga_analysis as liga
from liga_analysis.pages import charts
from liga_analysis.report import workbook as forms, views as report_views
clock, started = {}, time.perf_counter()
def took(name, value):
    global started
    clock[name], started = time.perf_counter() - started, time.perf_counter()
    return value
page = took("loading", liga.survey(liga.load_season(SEASON)))
took("ratings after each evening", page.development)
took("standings, chances, cards, awards", (page.table, page.chances, page.cards, page.awards))
took("story", page.chronicle)
parts = "contents podium standings cards awards chronicle evenings provenance"
took("HTML of tables and cards", [getattr(report_views, part)(page) for part in parts.split()])
took("charts", (charts.development(page.development).to_dict(),
                charts.results(page.results).to_dict(),
                charts.encounters(page.encounters).to_dict()))
table = liga.over_lambda(page.season)
took("slider of λ", charts.over_lambda(table, page.fit.lam).to_dict())
took("tables of the workbook", forms.tables(page))
for name, seconds in clock.items():
    print(f"{name}\\t{seconds:.2f}")
"""


def seconds(code: str, *arguments: str) -> float:
    """How long a fresh Python takes for the code."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
    return time.perf_counter() - started


def empty_notebook(folder: Path) -> Path:
    """A notebook with the imports of the season report and nothing else."""
    nb = nbformat.read(notebooks.find_notebook("season_report"), 4)
    imports = [c.source for c in nb.cells if re.match("import ", c.source)]
    path = folder / "empty.ipynb"
    cells = [nbformat.v4.new_code_cell("\n".join(imports))]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def fastest(season: str, rounds: int) -> dict[str, float]:
    """Seconds of the season report and of an empty notebook with the same imports."""
    with tempfile.TemporaryDirectory() as folder:
        empty = empty_notebook(Path(folder))
        page = str(Path(folder, "empty.html"))
        times = {"report": [], "empty": []}
        # In turn, so that whatever else the computer does falls on both.
        for _ in range(rounds):
            times["empty"].append(seconds(EMPTY, str(empty), page))
            times["report"].append(seconds(REPORT, season, folder))
    return {name: min(found) for name, found in times.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("season", nargs="?", default=EXAMPLE)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    best = fastest(given.season, given.rounds)
    print(f"report\t{best['report']:.1f} s\nempty notebook\t{best['empty']:.1f} s")
    print(f"ratio\t{best['report'] / best['empty']:.2f}")
    code = f"SEASON = {given.season!r}\n{PARTS}"
    print(
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout
    )


if __name__ == "__main__":
    main()
