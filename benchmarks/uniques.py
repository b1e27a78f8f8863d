"""How fast is `unveil.suda`, beside the bare counts that finding uniques cannot do without?

The yardstick is polars counting the records of each set of keys that the search visits, with
nothing made of it: ``group_by(set).len()``. Both run in the same process, on the same loaded frame,
in turns; the figure is the ratio of CPU seconds (threads included), the median over the rounds.
Ours is all of `unveil.suda`: reading the frame, encoding, searching, scores, DIS, contributions.

    python benchmarks/uniques.py                     the table
    python benchmarks/uniques.py --rows 20000        another number of records

Below the table: `unveil.match_risk` on the same keys, a fiftieth of them missing, per record.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from unveil.measure.uniques import minimal_uniques
from unveil.measure.uniques.match_risk import match_risk
from unveil.measure.uniques.suda import suda

ROUNDS = 5
BOUND = 0.7
LEVELS = {"mixed": (2, 8, 5, 16, 6, 4, 60, 10), "small": (2, 3, 4, 2, 3, 5, 2, 6)}
"""Levels of the eight keys: nearly everyone is alone with the mixed ones, few with the small."""


def people(n: int, levels: tuple[int, ...], seed: int) -> pl.DataFrame:
    """Invented people; of each key the first levels are the most frequent."""
    rng = np.random.default_rng(seed)
    columns = {}
    for place, n_levels in enumerate(levels):
        shares = 1 / np.arange(1, n_levels + 1) ** 0.7
        columns[f"k{place}"] = rng.choice(n_levels, n, p=shares / shares.sum())
    return pl.DataFrame(columns)


def visited(frame: pl.DataFrame) -> list[list[str]]:
    """The sets of keys that the search visits: not those below a set where nobody is left."""
    masks: list[int] = []
    minimal = minimal_uniques._UniqueSearch._minimal

    def noted(search: minimal_uniques._UniqueSearch, mask: int, *asked: Any) -> object:
        n_low = len(search.low_levels)
        masks.extend(mask << n_low | low for low in range(2**n_low) if mask or low)
        return minimal(search, mask, *asked)

    minimal_uniques._UniqueSearch._minimal = noted  # type: ignore[assignment, method-assign]
    try:
        suda(frame, keys=frame.columns)
    finally:
        minimal_uniques._UniqueSearch._minimal = minimal  # type: ignore[method-assign]
    n_levels = [frame[name].n_unique() for name in frame.columns]
    by_bit = [frame.columns[place] for place in np.argsort(n_levels, kind="stable")]
    return [[name for bit, name in enumerate(by_bit) if mask >> bit & 1] for mask in masks]


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def bare_counts(frame: pl.DataFrame, sets: list[list[str]]) -> None:
    """Every visited set counted, and nothing else."""
    for keys in sets:
        frame.group_by(keys).len()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    n = parser.parse_args().rows
    print("rows    keys     sets  uniques  unveil s  bare s  ratio  bound  peak MB")
    for kind, levels in LEVELS.items():
        frame = people(n, levels, 1)
        sets = visited(frame)
        ours, bare = [], []
        for _ in range(ROUNDS):
            ours.append(cpu_seconds(lambda: suda(frame, keys=frame.columns)))  # noqa: B023
            bare.append(cpu_seconds(lambda: bare_counts(frame, sets)))  # noqa: B023
        took, counted = statistics.median(ours), statistics.median(bare)
        n_uniques = suda(frame, keys=frame.columns).record.n_uniques
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        verdict = "" if took / counted <= BOUND else "  ABOVE"
        print(
            f"{n:<7,} {kind:<6} {len(sets):>6} {n_uniques:>8,} {took:>9.2f} {counted:>7.2f}"
            f" {took / counted:>6.2f} {BOUND:>6.1f} {peak:>8,.0f}{verdict}",
            flush=True,
        )
    rng = np.random.default_rng(2)
    holes = frame.with_columns(
        pl.when(pl.Series(rng.random(n) > 0.02)).then(pl.col(name)) for name in frame.columns
    )
    took = cpu_seconds(lambda: match_risk(holes, keys=holes.columns))
    print(f"match_risk, missing keys as wildcards: {took:.2f} s, {took / n * 1e6:.1f} s per 10^6")


if __name__ == "__main__":
    main()
