"""How long `liga report` takes, beside empty notebooks.

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
SAME = """import sys, nbformat, papermill
from nbconvert import HTMLExporter
nb = papermill.execute_notebook(sys.argv[1], None, kernel_name="python3", progress_bar=False)
open(sys.argv[2], "w").write(HTMLExporter().from_notebook_node(nb)[0])
"""
EMPTY = """import sys, papermill
papermill.execute_notebook(sys.argv[1], sys.argv[2], kernel_name="python3", progress_bar=False)
"""
REPORT = "from liga_analysis.cli.main import main; main()"


def seconds(folder: Path, code: str, *arguments: str) -> float:
    """How long a fresh Python takes for the code, in a folder."""
    started, command = time.perf_counter(), [sys.executable, "-c", code, *arguments]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return time.perf_counter() - started


def notebook(folder: Path, name: str, cells: list[str]) -> str:
    """The path of a notebook of these cells, in a folder."""
    path = folder / f"{name}.ipynb"
    code = [nbformat.v4.new_code_cell(source) for source in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=code), path)
    return str(path)


def fastest(season: str, rounds: int) -> dict[str, float]:
    """Seconds of `liga report`, and of notebooks with its imports and with nothing."""
    nb = nbformat.read(notebooks.find_notebook("season_report"), 4)
    imports = [c.source for c in nb.cells if re.match("import ", c.source)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = {
            "report": (REPORT, "report", str(Path(season).resolve())),
            "empty notebook, same imports": (
                SAME,
                notebook(folder, "imports", ["\n".join(imports)]),
                str(folder / "page.html"),
            ),
            "empty notebook by papermill": (
                EMPTY,
                notebook(folder, "empty", []),
                str(folder / "done.ipynb"),
            ),
        }
        # In turn, so that whatever else the computer does falls on all.
        times = [{what: seconds(folder, *run) for what, run in runs.items()} for _ in range(rounds)]
    return {what: min(once[what] for once in times) for what in runs}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("season", nargs="?", default=EXAMPLE)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    best = fastest(given.season, given.rounds)
    for name, taken in best.items():
        print(f"{taken:.1f} s\t{best['report'] / taken:.2f} times less\t{name}")


if __name__ == "__main__":
    main()
