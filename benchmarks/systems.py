"""The league's rating beside other systems: simulated seasons, where the truth is known.

Prints the tables of the section "Beside other systems" of README.md and the sentences of the main
README.md, and writes what they are made of to --out:

    python benchmarks/systems.py --seasons 1000 --seed 1 --jobs 2

Seeds are made as in study.py.
"""

import argparse
from functools import partial
from pathlib import Path

import pandas as pd
from study import markdown, replicate

from liga_analysis.research.comparison import WORLDS, differences, simulated

KEPT = 2  # seasons of each world whose values are kept one by one, to be made again in a test
FILE = Path(__file__).with_suffix(".csv")


def seasons(kind: str, seasons: int, seed: int, jobs: int) -> pd.DataFrame:
    """`simulated` for every season of a world, with its number from 0."""
    tables = replicate(partial(simulated, kind), (WORLDS.index(kind),), seasons, seed, jobs)
    return pd.concat([t.assign(season=k) for k, t in enumerate(tables)], ignore_index=True)


def kept(kind: str, table: pd.DataFrame) -> pd.DataFrame:
    """What the file keeps of a world: differences over all seasons, and the first seasons."""
    first = table[table["season"] < KEPT].melt(["system", "season"], var_name="measure")
    return pd.concat([differences(table, "season"), first]).assign(world=kind)


def world_table(rows: pd.DataFrame) -> str:
    """One world: error, log score, rank, error and correlation of the truth, differences below."""
    head = ["system", *rows["measure"].unique()]
    digits = {"error": 1, "truth_error": 1}
    lines = []
    for name, part in rows.groupby("system", sort=False):
        cells = []
        for measure in head[1:]:
            row = part[part["measure"] == measure].squeeze(axis=0)
            if row.empty:
                cells.append("–")
                continue
            d = digits.get(measure, 3)
            value = f"{row['value']:.{d}f}"
            gap = f"{row['difference']:+.{d}f} ({row['low']:+.{d}f} … {row['high']:+.{d}f})"
            cells.append(value if name == "league" else f"{value}: {gap}")
        lines.append([name, *cells])
    return markdown(head, lines)


def sentences(made: pd.DataFrame) -> list[str]:
    """What the main README says of totals, from the rows of the file."""
    over_all = made[made["season"].isna()].set_index(["world", "measure", "system"])
    value, apart = over_all["value"], over_all["difference"]

    def r(world, system):
        return value[world, "truth_r", system]

    return [
        "A plain total orders random fields almost as truly "
        f"({made['seasons'].iloc[0]:,} simulated seasons): its correlation with the true strength "
        f"is {r('random', 'total'):.3f}, the rating's {r('random', 'league'):.3f}.",
        "Where strong and weak sit in circles of their own it is "
        f"{r('circles', 'total'):.3f} against {r('circles', 'league'):.3f}, and a mean read as a "
        f"forecast misses by {apart['circles', 'error', 'mean_raw']:.0f} chips more than the "
        "rating.",
    ]


def main(arguments: list[str] | None = None) -> None:
    """Run all seasons, print the tables and the sentences, write the file."""
    parser = argparse.ArgumentParser(description="Rating systems: see benchmarks/README.md.")
    for name, number in (("seasons", 1000), ("seed", 1), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"default {number}")
    parser.add_argument("--out", type=Path, default=FILE, help="default systems.csv beside this")
    run = vars(parser.parse_args(arguments))
    out = run.pop("out")
    made = pd.concat([kept(kind, seasons(kind, **run)) for kind in WORLDS])
    made = made.assign(seasons=run["seasons"], seed=run["seed"])
    columns = ["world", "seasons", "seed", "season", "units", "measure", "system"]
    made = made[[*columns, "value", "difference", "low", "high"]]
    made = made.astype({"season": "Int64", "units": "Int64"})
    made.to_csv(out, index=False, float_format="%.6g", lineterminator="\n")
    made = pd.read_csv(out)  # with the digits the file has
    for kind in WORLDS:
        print(f"{kind}\n\n{world_table(made[(made['world'] == kind) & made['season'].isna()])}")
    print("\n".join(sentences(made)))


if __name__ == "__main__":
    main()
