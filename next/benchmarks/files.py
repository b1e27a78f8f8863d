"""A million rows of 20 columns, read as a custodian's file and by the bare reader: CPU, one run.

    python benchmarks/files.py [--rows 1000000]

Each reading is a process of its own, its children counted. Memory is the peak of the largest.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import argparse
import json
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pyreadstat
from people import people

import unveil

BARE = {
    "people.csv": pl.read_csv,
    "commas.csv": partial(pl.read_csv, separator=";", decimal_comma=True),
    "people.parquet": pl.read_parquet,
    "people.sav": lambda path: pyreadstat.read_sav(path, output_format="polars")[0],
}
"""Files, each with what reads it alone; in one, decimals have commas."""


def write_files(folder: Path, n: int) -> None:
    first, second = people(n, 1), people(n, 2)
    wide = first.hstack(second.rename({name: f"{name}_2" for name in second.columns}))
    frame = wide.select(wide.columns[:20])
    frame.write_csv(folder / "people.csv")
    decimals = frame.with_columns(pl.selectors.integer() / 4)
    decimals.write_csv(folder / "commas.csv", separator=";", decimal_comma=True)
    frame.write_parquet(folder / "people.parquet")
    pyreadstat.write_sav(frame, folder / "people.sav")


def measure(reader: str, path: Path) -> None:
    """CPU seconds and peak megabytes of one reading, beside those of nothing."""
    read = unveil.read if reader == "unveil" else BARE[path.name]
    start = used()
    table = read(path)
    end = used()
    rows = len(getattr(table, "frame", table))
    print(json.dumps({"cpu": end[0] - start[0], "peak": end[1], "rows": rows}))


def used() -> tuple[float, float]:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return cpu, max(usage.ru_maxrss for usage in usages) / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--measure", nargs=2)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure[0], Path(asked.measure[1]))
        return
    with TemporaryDirectory() as folder:
        write_files(Path(folder), asked.rows)
        for name in BARE:
            path = f"{folder}/{name}"
            figures = {}
            for reader in ("bare", "unveil"):
                words = [sys.executable, __file__, "--measure", reader, path]
                runs = [
                    json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
                    for _ in range(3)
                ]
                figures[reader] = min(runs, key=lambda run: run["cpu"])
            bare, ours = figures["bare"], figures["unveil"]
            print(
                f"| {name} | {ours['cpu'] / bare['cpu']:.2f} | {ours['cpu']:.1f} s |"
                f" {ours['peak'] / bare['peak']:.2f} | {ours['peak']:,.0f} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
