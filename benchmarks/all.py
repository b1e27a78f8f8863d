"""The whole table of speed and memory: what each kind of work costs now, and what it may cost.

A row is a name, a function that measures once, and a bound. Each measurement has a process of its
own (started, never forked), so that peak memory is its own. Ratios are of CPU seconds (threads
included), ours and the yardstick in turns in one process; the yardstick is beside it in this file.
Rows about files, commands, whole runs, synthesis and utility are in `all_files.py`.

    python benchmarks/all.py                    every row, three times
    python benchmarks/all.py --only copies      the rows whose name contains this
    python benchmarks/all.py --runs 1           once
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from disclosure import LARGE_KEYS, SMALL_KEYS, TARGETS, cpu_seconds, people, yardstick
from uniques import people as key_people

import unveil

Row = tuple[str, Callable[[], float], float]


def frames(rows: int, keys: tuple[str, ...], n_copies: int = 1) -> list[pl.DataFrame]:
    """An original and copies, with the columns that are compared."""
    return [people(rows, seed).select(*keys, *TARGETS) for seed in range(1, n_copies + 2)]


def warm_up() -> None:
    """What is imported or compiled at the first call is no part of the work."""
    unveil.disclosure(people(2000, 1), people(2000, 2), keys=SMALL_KEYS, targets=TARGETS)


def median_ratio(ours: Callable[[], object], bare: Callable[[], object], rounds: int) -> float:
    """Median CPU seconds of ours to that of the yardstick, taken in turns."""
    pairs = [(cpu_seconds(ours), cpu_seconds(bare)) for _ in range(rounds)]
    mine, theirs = zip(*pairs, strict=True)
    return statistics.median(mine) / statistics.median(theirs)


def peak_bytes(work: Callable[[], object]) -> int:
    """How far the process grows beyond what it held before."""
    statm = Path("/proc/self/statm").read_text(encoding="ascii")
    before = int(statm.split()[1]) * resource.getpagesize()
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before


def to_group_bys(rows: int, keys: tuple[str, ...]) -> float:
    """Disclosure beside the bare group-bys."""
    original, synthetic = frames(rows, keys)
    warm_up()
    return median_ratio(
        lambda: unveil.disclosure(original, synthetic, keys=keys, targets=TARGETS),
        lambda: yardstick(original, synthetic, keys),
        9 if rows < 10**6 else 5,
    )


def copies_to_one(n_copies: int) -> float:
    """Many synthetic files beside one, large keys."""
    original, *copies = frames(10**5, LARGE_KEYS, n_copies)
    asked = {"keys": LARGE_KEYS, "targets": TARGETS}
    warm_up()
    return median_ratio(
        lambda: unveil.disclosure(original, copies, **asked),
        lambda: unveil.disclosure(original, copies[0], **asked),
        3,
    )


def copies_peak() -> float:
    """Megabytes beyond the frames, 50 synthetic files."""
    original, *copies = frames(10**5, LARGE_KEYS, 50)
    warm_up()
    asked = {"keys": LARGE_KEYS, "targets": TARGETS}
    return peak_bytes(lambda: unveil.disclosure(original, copies, **asked)) / 2**20


def bytes_per_row(keys: tuple[str, ...]) -> float:
    """Peak memory beyond the frames, by the rows of both files."""
    original, synthetic = frames(10**6, keys)
    warm_up()
    asked = {"keys": keys, "targets": TARGETS}
    return peak_bytes(lambda: unveil.disclosure(original, synthetic, **asked)) / (2 * 10**6)


def wide() -> float:
    """CPU seconds for 5,000 columns of 20 rows."""
    rng = np.random.default_rng(1)

    def made() -> pl.DataFrame:
        whole = {f"c{place}": rng.integers(0, 3, 20) for place in range(5000)}
        return pl.DataFrame(whole).with_columns(
            pl.col([f"c{place}" for place in range(0, 5000, 2)]).cast(pl.String)
        )

    original, synthetic = made(), made()
    warm_up()
    return cpu_seconds(lambda: unveil.disclosure(original, synthetic, keys=["c0", "c1", "c2"]))


LEVEL = "condition=condition 0"


def whatif_of_result() -> float:
    """CPU milliseconds for a whole record under one more exclusion, 10^6 rows."""
    original, synthetic = frames(10**6, SMALL_KEYS)
    result = unveil.disclosure(original, synthetic, keys=SMALL_KEYS, targets=TARGETS)
    result.whatif([LEVEL])
    return 1000 * statistics.median(cpu_seconds(lambda: result.whatif([LEVEL])) for _ in range(5))


def whatif_in_project() -> float:
    """A what-if of a project beside the first one, which reads and counts; 10^6 rows."""
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in zip(("original", "copy"), frames(10**6, SMALL_KEYS), strict=True):
            frame.write_csv(Path(folder) / f"{name}.csv")
        text = f"""title = "What-if"
[data]
original = "original.csv"
synthetic = ["copy.csv"]
[[scenario]]
name = "neighbour"
keys = {json.dumps(SMALL_KEYS)}
targets = {json.dumps(TARGETS)}
"""
        Path(folder, "project.toml").write_text(text, encoding="utf-8")
        project = unveil.Project(folder)
        first = cpu_seconds(lambda: project.whatif([LEVEL]))
        others = [cpu_seconds(lambda: project.whatif(["education=education 1"])) for _ in range(3)]
    return statistics.median(others) / first


def ecap() -> float:
    """CPU seconds of ECAP for 10^5 distinct values."""
    from unveil.measure.ecap.ecap import ecap as measure

    values = np.random.default_rng(1).normal(170, 10, 10**5)
    asked = {"population": "normal(170, 10)", "N": 10**6, "n": 10**5, "sigma": 2.0}
    return cpu_seconds(lambda: measure(values.tolist(), **asked))


def suda() -> float:
    """CPU seconds of SUDA for 20,000 records and 16 keys."""
    from unveil.measure.uniques.suda import suda as measure

    frame = key_people(20_000, (2, 3, 4, 2, 3, 5, 2, 6) * 2, 1)
    return cpu_seconds(lambda: measure(frame, keys=frame.columns))


def slope(sizes: tuple[int, ...], seconds: Callable[[int], float]) -> float:
    """How CPU time grows: the slope of its logarithm on that of the size, by least squares."""
    x = [math.log(size) for size in sizes]
    return statistics.linear_regression(x, [math.log(seconds(size)) for size in sizes]).slope


def growth_in_rows(keys: tuple[str, ...]) -> float:
    """From 10^4 to 10^7 rows on each side."""

    def seconds(rows: int) -> float:
        original, synthetic = frames(rows, keys)
        asked = {"keys": keys, "targets": TARGETS}
        return min(
            cpu_seconds(lambda: unveil.disclosure(original, synthetic, **asked))
            for _ in range(1 if rows > 10**6 else 3)
        )

    warm_up()
    return slope((10**4, 10**5, 10**6, 10**7), seconds)


def growth_in_files(keys: tuple[str, ...]) -> float:
    """From one synthetic file to 50."""
    original, *copies = frames(10**5, keys, 50)
    asked = {"keys": keys, "targets": TARGETS}
    warm_up()
    return slope(
        (1, 2, 5, 10, 20, 50),
        lambda n: cpu_seconds(lambda: unveil.disclosure(original, copies[:n], **asked)),
    )


ROWS: list[Row] = [
    ("disclosure 10^6, small keys, to group-bys", lambda: to_group_bys(10**6, SMALL_KEYS), 0.30),
    ("disclosure 10^6, large keys, to group-bys", lambda: to_group_bys(10**6, LARGE_KEYS), 0.60),
    ("disclosure 10^5, small keys, to group-bys", lambda: to_group_bys(10**5, SMALL_KEYS), 0.70),
    ("disclosure 10^5, large keys, to group-bys", lambda: to_group_bys(10**5, LARGE_KEYS), 1.20),
    ("50 copies to one, large keys", lambda: copies_to_one(50), 55),
    ("50 copies, MB beyond the frames", copies_peak, 1000),
    ("bytes per row, small keys", lambda: bytes_per_row(SMALL_KEYS), 80),
    ("bytes per row, large keys", lambda: bytes_per_row(LARGE_KEYS), 80),
    ("5,000 columns of 20 rows, s", wide, 10),
    ("what-if of a project to the first, 10^6", whatif_in_project, 0.1),
    ("what-if of a result, 10^6, ms", whatif_of_result, 70),
    ("ECAP of 10^5 values, s", ecap, 4),
    ("SUDA of 20,000 records, 16 keys, s", suda, 12),
    ("growth with rows, small keys, slope", lambda: growth_in_rows(SMALL_KEYS), 1.1),
    ("growth with rows, large keys, slope", lambda: growth_in_rows(LARGE_KEYS), 1.1),
    ("growth with copies, small keys, slope", lambda: growth_in_files(SMALL_KEYS), 1.1),
    ("growth with copies, large keys, slope", lambda: growth_in_files(LARGE_KEYS), 1.1),
]


def every_row() -> list[Row]:
    """The rows of this file, and those about files where they are there."""
    if not Path(__file__).with_name("all_files.py").exists():
        return ROWS
    from all_files import ROWS as of_files

    return [*ROWS, *((name, work, bound) for name, work, _, bound in of_files)]


def apart(number: int) -> float:
    """One measurement of a row, in a fresh process."""
    command = [sys.executable, __file__, "--row", str(number)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1], file=sys.stderr)
        return math.nan
    return float(done.stdout.split()[-1])


def main() -> None:
    """Print the table, or measure one row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--row", type=int)
    chosen = parser.parse_args()
    rows = every_row()
    if chosen.row is not None:
        print(rows[chosen.row][1]())
        return
    print(f"{'work':<44}{'now (lowest to highest)':>30}{'bound':>9}")
    for number, (name, _, bound) in enumerate(rows):
        if chosen.only.lower() not in name.lower():
            continue
        found = sorted(apart(number) for _ in range(chosen.runs))
        median = statistics.median(found)
        shown = f"{median:,.3g} ({found[0]:,.3g} to {found[-1]:,.3g})"
        verdict = "" if median <= bound else "  ABOVE"
        print(f"{name:<44}{shown:>30}{bound:>9,g}{verdict}", flush=True)


if __name__ == "__main__":
    main()
