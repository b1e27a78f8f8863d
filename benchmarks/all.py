"""The whole table of speed and memory: what each kind of work costs now, and what it may cost.

A group of rows is a function that measures them once, in a process of its own (started, never
forked), so that peak memory is its own. Ratios are of CPU seconds (threads and ended processes
included), ours and the yardstick in turns, the median of the pairs: other work on the machine
changes them little. The yardstick is beside the work in this file, and in `all_files.py` for files,
commands, whole runs, synthesis and utility.

    python benchmarks/all.py                    every row, once: at most 15 minutes of a free core
    python benchmarks/all.py --runs 3           three times
    python benchmarks/all.py --only copies      the groups with a row whose name contains this
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from all_files import KEPT
from disclosure import LARGE_KEYS, SMALL_KEYS, TARGETS, cpu_seconds, people, yardstick
from uniques import people as key_people

import unveil

Rows = list[tuple[str, float]]  # what is measured, and its bound
Group = tuple[Callable[[], list[float]], Rows]


def frames(rows: int, keys: tuple[str, ...], n_copies: int = 1) -> list[pl.DataFrame]:
    """An original and copies, with the columns that are compared."""
    return [people(rows, seed).select(*keys, *TARGETS) for seed in range(1, n_copies + 2)]


def warm_up() -> None:
    """What is imported or compiled at the first call is no part of the work."""
    unveil.disclosure(people(2000, 1), people(2000, 2), keys=SMALL_KEYS, targets=TARGETS)


def median_ratio(ours: Callable[[], object], bare: Callable[[], object], rounds: int) -> float:
    """Median over pairs, taken in turns, of CPU seconds of ours to those of the yardstick."""
    return statistics.median(cpu_seconds(ours) / cpu_seconds(bare) for _ in range(rounds))


def peak_bytes(work: Callable[[], object]) -> int:
    """How far the process grows beyond what it held before."""
    statm = Path("/proc/self/statm").read_text(encoding="ascii")
    before = int(statm.split()[1]) * resource.getpagesize()
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before


def one_file(rows: int, keys: tuple[str, ...]) -> list[float]:
    """Disclosure beside the bare group-bys; of 10^6 rows also the peak by the rows of both."""
    original, synthetic = frames(rows, keys)
    warm_up()

    def ours() -> object:
        return unveil.disclosure(original, synthetic, keys=keys, targets=TARGETS)

    found = [peak_bytes(ours) / (2 * rows)] if rows >= 10**6 else []
    rounds = 5 if rows >= 10**6 else 15
    return [median_ratio(ours, lambda: yardstick(original, synthetic, keys), rounds), *found]


def expected_part(rows: int, keys: tuple[str, ...]) -> list[float]:
    """What is expected behind DiSCO, to the figures that it is beside."""
    original, synthetic = frames(rows, keys)
    asked = {"keys": keys, "targets": TARGETS}
    small = [frame.head(2000) for frame in (original, synthetic)]
    unveil.disclosure(*small, **asked).with_expected()
    ratios = []
    for _ in range(3):
        start = time.process_time()
        result = unveil.disclosure(original, synthetic, **asked)
        counted = time.process_time()
        result.with_expected()
        ratios.append((time.process_time() - counted) / (counted - start))
    return [statistics.median(ratios)]


def many_files(keys: tuple[str, ...]) -> list[float]:
    """Growth from one synthetic file to 50: its slope, 50 to one, and the megabytes of 50."""
    original, *copies = frames(10**5, keys, 50)
    asked = {"keys": keys, "targets": TARGETS}
    warm_up()

    def seconds(n: int) -> float:
        return cpu_seconds(lambda: unveil.disclosure(original, copies[:n], **asked))

    peak = peak_bytes(lambda: unveil.disclosure(original, copies, **asked)) / 2**20
    took = {n: statistics.median(seconds(n) for _ in range(3)) for n in (1, 2, 5, 10, 50)}
    return [slope(took), took[50] / took[1], peak]


def wide() -> list[float]:
    """CPU seconds for 5,000 columns of 20 rows."""
    rng = np.random.default_rng(1)

    def made() -> pl.DataFrame:
        whole = {f"c{place}": rng.integers(0, 3, 20) for place in range(5000)}
        return pl.DataFrame(whole).with_columns(
            pl.col([f"c{place}" for place in range(0, 5000, 2)]).cast(pl.String)
        )

    original, synthetic = made(), made()
    warm_up()
    return [cpu_seconds(lambda: unveil.disclosure(original, synthetic, keys=["c0", "c1", "c2"]))]


LEVEL = "condition=condition 0"


def whatif_of_result() -> list[float]:
    """CPU milliseconds for a whole record under one more exclusion, 10^6 rows."""
    original, synthetic = frames(10**6, SMALL_KEYS)
    result = unveil.disclosure(original, synthetic, keys=SMALL_KEYS, targets=TARGETS)
    result.whatif([LEVEL])
    took = [cpu_seconds(lambda: result.whatif([LEVEL])) for _ in range(5)]
    return [1000 * statistics.median(took)]


def whatif_in_project() -> list[float]:
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
    return [statistics.median(others) / first]


def ecap() -> list[float]:
    """CPU seconds of ECAP for 10^5 distinct values."""
    from unveil.measure.ecap.ecap import ecap as measure

    values = np.random.default_rng(1).normal(170, 10, 10**5)
    asked = {"population": "normal(170, 10)", "N": 10**6, "n": 10**5, "sigma": 2.0}
    return [cpu_seconds(lambda: measure(values.tolist(), **asked))]


def suda() -> list[float]:
    """CPU seconds of SUDA for 20,000 records and 16 keys."""
    from unveil.measure.uniques.suda import suda as measure

    frame = key_people(20_000, (2, 3, 4, 2, 3, 5, 2, 6) * 2, 1)
    return [cpu_seconds(lambda: measure(frame, keys=frame.columns))]


def slope(took: dict[int, float]) -> float:
    """How CPU time grows: the slope of its logarithm on that of the size, by least squares."""
    return statistics.linear_regression(
        [math.log(size) for size in took], [math.log(seconds) for seconds in took.values()]
    ).slope


def growth_in_rows(keys: tuple[str, ...]) -> list[float]:
    """From 10^4 to 10^7 rows on each side."""
    took = {}
    asked = {"keys": keys, "targets": TARGETS}
    warm_up()
    for rows in (10**4, 10**5, 10**6, 10**7):
        pair = frames(rows, keys)
        rounds = 1 if rows > 10**6 else 3
        each = [cpu_seconds(lambda: unveil.disclosure(*pair, **asked)) for _ in range(rounds)]  # noqa: B023
        took[rows] = statistics.median(each)
    return [slope(took)]


def groups() -> list[Group]:
    """Every group of rows, each row with its bound."""
    from all_files import GROUPS

    six, five = (f"disclosure 10^{n}, {{}} keys, to group-bys" for n in (6, 5))
    return [
        (lambda: one_file(10**5, SMALL_KEYS), [(five.format("small"), 0.70)]),
        (lambda: one_file(10**5, LARGE_KEYS), [(five.format("large"), 1.20)]),
        (
            lambda: one_file(10**6, SMALL_KEYS),
            [(six.format("small"), 0.30), ("bytes per row, small keys", 80)],
        ),
        (
            lambda: one_file(10**6, LARGE_KEYS),
            [(six.format("large"), 0.60), ("bytes per row, large keys", 80)],
        ),
        (
            lambda: expected_part(10**5, SMALL_KEYS),
            [("expected 10^5, small keys, to disclosure", math.inf)],
        ),
        (
            lambda: expected_part(10**4, ("parish", "age", "region")),
            [("expected 10^4, nearly unique keys, the same", math.inf)],
        ),
        (
            lambda: many_files(SMALL_KEYS),
            [
                ("growth with files, small keys, slope", 1.1),
                ("50 files to one, small keys", 55),
                ("50 files, small keys, MB beyond the frames", 1000),
            ],
        ),
        (
            lambda: many_files(LARGE_KEYS),
            [
                ("growth with files, large keys, slope", 1.1),
                ("50 files to one, large keys", 55),
                ("50 files, large keys, MB beyond the frames", 1000),
            ],
        ),
        (lambda: growth_in_rows(SMALL_KEYS), [("growth with rows, small keys, slope", 1.1)]),
        (lambda: growth_in_rows(LARGE_KEYS), [("growth with rows, large keys, slope", 1.1)]),
        (wide, [("5,000 columns of 20 rows, CPU s", 10)]),
        (whatif_in_project, [("what-if of a project to the first, 10^6", 0.1)]),
        (whatif_of_result, [("what-if of a result, 10^6, CPU ms", 70)]),
        (ecap, [("ECAP of 10^5 values, CPU s", 4)]),
        (suda, [("SUDA of 20,000 records, 16 keys, CPU s", 12)]),
        *GROUPS,
    ]


def apart(number: int, n_rows: int) -> list[float]:
    """One measurement of a group, in a fresh process."""
    command = [sys.executable, __file__, "--group", str(number)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1], file=sys.stderr)
        return [math.nan] * n_rows
    return [float(one) for one in json.loads(done.stdout.splitlines()[-1])]


def main() -> None:
    """Print the table, or measure one group."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--group", type=int)
    chosen = parser.parse_args()
    if chosen.group is not None:
        print(json.dumps(groups()[chosen.group][0]()))
        return
    with tempfile.TemporaryDirectory() as kept:
        os.environ[KEPT] = kept
        print_table(chosen.only, chosen.runs)


def print_table(only: str, n_runs: int) -> None:
    """Every group with a row whose name contains the text, measured so many times."""
    print(f"{'work':<46}{'now, run by run':>26}{'bound':>9}", flush=True)
    for number, (_, rows) in enumerate(groups()):
        if not any(only.lower() in name.lower() for name, _ in rows):
            continue
        start = time.perf_counter()
        runs = [apart(number, len(rows)) for _ in range(n_runs)]
        took = time.perf_counter() - start
        for (name, bound), *found in zip(rows, *runs, strict=True):
            shown = ", ".join(f"{one:,.3g}" for one in found)
            verdict = "met" if statistics.median(found) <= bound else "missed"
            limit = f"{bound:,g}  {verdict}" if bound < math.inf else "-"
            print(f"{name:<46}{shown:>26}{limit:>16}", flush=True)
        print(f"{'':<46}{took:>24.0f} s", flush=True)


if __name__ == "__main__":
    main()
