"""Disclosure of files that memory does not hold: time and peak memory by the number of records.

    python benchmarks/engines.py [--rows 1000000 10000000] [--engine duckdb:500MB] [--bands 20]

Each row is a process of its own; files are made in a folder that is removed again. Two files of so
many records, 4 keys, 5 targets, without and with exclusions on the same study.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from people import SMALL, TARGETS, people

import unveil

ROWS = (1_000_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000)
PART = 1_000_000
RULES = ("condition=condition 0", "missing-targets", "max-denominator=1")


def make(folder: Path, n: int) -> None:
    """Two files, made in parts."""
    for seed in (1, 2):
        parts = []
        for start in range(0, n, PART):
            parts.append(folder / f"part_{start}.parquet")
            people(min(PART, n - start), seed * 1_000 + start // PART).write_parquet(parts[-1])
        pl.scan_parquet(parts).sink_parquet(folder / f"{seed}.parquet")
        for part in parts:
            part.unlink()


def measure(folder: Path, engine: str, bands: int) -> str:
    start, cpu = time.time(), time.process_time()
    study = unveil.Study(
        folder / "1.parquet", folder / "2.parquet", keys=SMALL, targets=TARGETS, engine=engine,
        columns={"income": unveil.Column(bands=bands)} if bands else {},
    )  # fmt: skip
    unveil.disclosure(study, expected=False)
    counted = time.time()
    unveil.disclosure(study, exclude=RULES, expected=False)
    seconds, again = counted - start, time.time() - counted
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu = time.process_time() - cpu
    return f"{seconds:8.0f} s {again:6.1f} s {cpu:8.0f} CPU s {peak:8,.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--engine", default="duckdb:500MB")
    parser.add_argument("--bands", type=int, default=20, help="of income; 0: as it is")
    parser.add_argument("--make")
    parser.add_argument("--measure")
    asked = parser.parse_args()
    if asked.make:
        make(Path(asked.make), *asked.rows)
    elif asked.measure:
        print(measure(Path(asked.measure), asked.engine, asked.bands))
    else:
        print("records a file: first count, what-if, CPU of both, peak of memory")
        for n in asked.rows:
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, __file__, "--rows", str(n), "--engine", asked.engine,
                           "--bands", str(asked.bands)]  # fmt: skip
                subprocess.run([*command, "--make", folder], check=True)
                run = subprocess.run(
                    [*command, "--measure", folder], check=True, capture_output=True, text=True
                )
                print(f"{n:12,}: {run.stdout}", end="", flush=True)


if __name__ == "__main__":
    main()
