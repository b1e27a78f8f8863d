"""How much dearer is reading a file through `read_table` than by the bare library?

The yardstick is the library that does the work, called in this process on the same file: pyreadstat
with polars as its output for SPSS, Stata and SAS, polars for Parquet, fastexcel for workbooks. Ours
adds a process of its own, the way of the columns through a pipe, types, labels and checks. The
figure is the ratio of CPU seconds of all processes and threads, sides one after the other, the
median over the rounds; the process is started anew in every round, and its start is part of ours.

    python benchmarks/reading.py                     the table
    python benchmarks/reading.py --rows 100000       another number of records

The bound: half as much again as the bare library, and the seconds that a process needs to start.
Parquet alone may take longer: its reader is faster than any pipe, and its bound is the seconds.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import fastexcel
import numpy as np
import polars as pl
import pyreadstat

from unveil.io import isolated
from unveil.io.sources import read_table

ROUNDS = 3
RATIO = 1.5
START_SECONDS = 1.5
PARQUET_SECONDS = 2.5
CELLS_OF_A_WORKBOOK = 1_000_000


def people(n: int) -> pl.DataFrame:
    """Eight columns of codes, one of text and one of measurements."""
    rng = np.random.default_rng(1)
    codes = {f"C{i}": rng.integers(0, 9, n).astype(float) for i in range(8)}
    text = pl.Series(rng.integers(0, 50, n)).cast(pl.String)
    return pl.DataFrame({**codes, "T": text, "U": rng.normal(size=n)})


def written(frame: pl.DataFrame, folder: Path) -> dict[str, tuple[Path, Callable[[], object]]]:
    """Each file, and how the bare library reads it."""
    path = {ending: folder / f"f{ending}" for ending in (".sav", ".zsav", ".dta", ".xpt")}
    pyreadstat.write_sav(frame, str(path[".sav"]))
    pyreadstat.write_sav(frame, str(path[".zsav"]), compress=True)
    pyreadstat.write_dta(frame, str(path[".dta"]))
    pyreadstat.write_xport(frame, str(path[".xpt"]))
    parquet, workbook = folder / "f.parquet", folder / "f.xlsx"
    frame.write_parquet(parquet)
    frame.head(CELLS_OF_A_WORKBOOK // frame.width).write_excel(workbook)
    bare = {"output_format": "polars", "disable_datetime_conversion": True}
    return {
        ".sav": (path[".sav"], lambda: pyreadstat.read_sav(str(path[".sav"]), **bare)),
        ".zsav": (path[".zsav"], lambda: pyreadstat.read_sav(str(path[".zsav"]), **bare)),
        ".dta": (path[".dta"], lambda: pyreadstat.read_dta(str(path[".dta"]), **bare)),
        ".xpt": (path[".xpt"], lambda: pyreadstat.read_xport(str(path[".xpt"]), **bare)),
        ".parquet": (parquet, lambda: pl.read_parquet(parquet)),
        ".xlsx": (workbook, lambda: fastexcel.read_excel(workbook).load_sheet(0).to_polars()),
    }


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process, and of those it started and ended."""
    start = _used()
    work()
    isolated._end_all()
    return _used() - start


def _used() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    n = parser.parse_args().rows
    print(f"{n:,} records of 10 columns ({CELLS_OF_A_WORKBOOK:,} cells in the workbook)")
    print("ending     MB  unveil s  bare s  ratio  bound s")
    with tempfile.TemporaryDirectory() as folder:
        for ending, (path, bare) in written(people(n), Path(folder)).items():
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(seconds(lambda: read_table(path, side="original")))  # noqa: B023
                theirs.append(seconds(bare))
            took, yardstick = statistics.median(ours), statistics.median(theirs)
            bound = RATIO * yardstick + START_SECONDS if ending != ".parquet" else PARQUET_SECONDS
            verdict = "" if took <= bound else "  ABOVE"
            print(
                f"{ending:<8} {path.stat().st_size / 1e6:>4.0f} {took:>9.2f} {yardstick:>7.2f}"
                f" {took / yardstick:>6.2f} {bound:>8.1f}{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
