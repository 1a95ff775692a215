"""Do intervals and podium chances hold where luck falls otherwise? A season played again.

Prints the tables of the section "Other worlds" of README.md, as Markdown:

    python benchmarks/worlds.py --seasons 1000 --seed 1

The seats are those of the example season, or of another: --season PATH.
"""

import argparse
from pathlib import Path

from study import markdown

from liga_analysis.research.calibration import WORLDS, Calibration, by_tenth, calibrate
from liga_analysis.season.season import load_season

EXAMPLE = Path(__file__).parents[1] / "data" / "beispielliga" / "2026"


def coverage_table(found: Calibration) -> str:
    """Coverage in percent of 90 % intervals, with its standard error."""
    cells = {world: [world] for world in WORLDS}
    for row in found.coverage.itertuples():
        cells[row.world].append(f"{100 * row.share:.1f} ± {100 * row.error:.1f}")
    ways, whats = ("in force", "posterior average"), ("θ_i − mean", "θ_i − θ_j")
    return markdown(["world", *(f"{of}, {way}" for way in ways for of in whats)], cells.values())


def podium_table(found: Calibration) -> str:
    """Predicted chance of the podium → share that was so, by tenth and world, with z."""
    rows = {}
    for world in WORLDS:
        table = by_tenth(found.chances[found.chances["world"] == world])
        for row in table.itertuples():
            rows.setdefault(row.Index, {})[world] = f"{row.share:.3f} ({row.z:+.1f})"
    means = by_tenth(found.chances)["predicted"]
    lines = [
        (
            f"{t / 10:.1f}–{t / 10 + 0.1:.1f}",
            f"{means[t]:.3f}",
            *(rows[t].get(w, "–") for w in WORLDS),
        )
        for t in sorted(rows)
    ]
    return markdown(("chance", "predicted", *WORLDS), lines)


def main(arguments: list[str] | None = None) -> None:
    """Play all seasons and print the tables."""
    parser = argparse.ArgumentParser(description="A season played again: benchmarks/README.md.")
    parser.add_argument("--season", default=EXAMPLE, help="folder or table; default: the example")
    for name, number in (("seasons", 1000), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    given = parser.parse_args(arguments)
    found = calibrate(load_season(given.season), given.seasons, given.seed)
    print(f"Coverage of 90 % intervals, percent\n\n{coverage_table(found)}")
    print(f"Share on the true podium, by predicted chance\n\n{podium_table(found)}")


if __name__ == "__main__":
    main()
