"""How fast is `unveil.distance_filter`, beside the neighbour queries it cannot do without?

The yardstick is the two bare queries on whitened rows: the nearest other original of each original,
and the nearest original of each synthetic row. Up to 10 dimensions that is scipy's cKDTree, built
and asked; beyond, every pair by a matrix product in tiles, with the smallest of each row. Both run
in the same process, in turns; the figure is the ratio of CPU seconds, threads included, the median
over the rounds (one where every pair is compared).

Ours is all of `unveil.distance_filter` from loaded frames: reading, coding, screening, covariance,
queries with ties, distances computed again, the decision. Under the paper rule the rows are decided
then, and that is what the bound is on; how many of them the strict rule would refuse is searched
when the record is asked for, and is the column "and record" (shifts before and after with it).
With missing values there is no bare query to compare with: the survey is timed alone.

    python benchmarks/filter.py             the tables
    python benchmarks/filter.py --quick     a tenth of the rows, one round
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np
import polars as pl

from unveil.count.threads import limit_to_one_thread
from unveil.examples import survey, survey_synthetic
from unveil.protection.distance_filter import DistanceFilterResult, distance_filter

ROUNDS = {5: 3, 10: 3, 15: 1}
SIZES = ((10_000, 10), (100_000, 5), (50_000, 15))
BOUNDS = {"paper": 1.3, "strict": 2.5}
ROWS, COLUMNS = 512, 1024


def people(n: int, n_columns: int, seed: int) -> pl.DataFrame:
    """Invented people: numbers that correlate."""
    rng = np.random.default_rng(seed)
    mix = np.eye(n_columns) + 0.3 * np.random.default_rng(0).normal(size=(n_columns, n_columns))
    values = rng.normal(size=(n, n_columns)) @ mix
    return pl.DataFrame({f"v{place}": values[:, place] for place in range(n_columns)})


def whitened(original: pl.DataFrame, synthetic: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Both sides so that plain distance is Mahalanobis distance; not part of the yardstick."""
    rows, copy = original.to_numpy(), synthetic.to_numpy()
    turn = np.linalg.inv(np.linalg.cholesky(np.cov(rows, rowvar=False))).T
    middle = rows.mean(axis=0)
    return (rows - middle) @ turn, (copy - middle) @ turn


def by_tree(original: np.ndarray, synthetic: np.ndarray) -> None:
    """The two bare queries of a KD-tree."""
    from scipy.spatial import cKDTree

    tree = cKDTree(original)
    tree.query(original, k=2, workers=-1)
    tree.query(synthetic, k=1, workers=-1)


def by_tiles(original: np.ndarray, synthetic: np.ndarray) -> None:
    """The two bare queries over every pair: |b|^2 - 2 ab, and the smallest of each row."""
    smallest(original, original, is_own=True)
    smallest(synthetic, original, is_own=False)


def smallest(rows: np.ndarray, others: np.ndarray, *, is_own: bool) -> np.ndarray:
    """The place of the nearest of the others for each row."""
    right = np.column_stack((others, (others**2).sum(axis=1)))
    found = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), ROWS):
        some = rows[start : start + ROWS]
        left = np.column_stack((-2 * some, np.ones(len(some))))
        here = np.arange(len(some))
        best = np.full(len(some), np.inf)
        for first in range(0, len(others), COLUMNS):
            tile = left @ right[first : first + COLUMNS].T
            if is_own:
                own = here[(here + start >= first) & (here + start < first + COLUMNS)]
                tile[own, own + start - first] = np.inf
            at = tile.argmin(axis=1)
            value = tile[here, at]
            is_better = value < best
            best[is_better] = value[is_better]
            found[start : start + len(some)][is_better] = at[is_better] + first
    return found


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def timed(n: int, n_columns: int, rounds: int) -> dict[str, float]:
    """The median seconds of the bare queries, of both rules, and of the paper rule's record."""
    original, synthetic = people(n, n_columns, 1), people(n, n_columns, 2)
    white = whitened(original, synthetic)
    bare = by_tree if n_columns <= 10 else by_tiles
    took = [
        {"bare": cpu_seconds(lambda: bare(*white)), **filter_seconds(original, synthetic)}
        for _ in range(rounds)
    ]
    return {name: statistics.median(one[name] for one in took) for name in took[0]}


def filter_seconds(original: pl.DataFrame, synthetic: pl.DataFrame) -> dict[str, float]:
    """One round of ours; the record is that of the paper rule's result, its search included."""
    found: list[DistanceFilterResult] = []
    paper = cpu_seconds(lambda: found.append(distance_filter(original, synthetic)))
    record = cpu_seconds(lambda: found[0].record)
    strict = cpu_seconds(lambda: distance_filter(original, synthetic, rule="strict"))
    return {"paper": paper, "record": paper + record, "strict": strict}


def print_bounds(*, is_quick: bool) -> None:
    """Ratios to the bare queries, beside the bounds they must keep."""
    print("rows     columns  bare s  paper  and record  strict  bounds     peak MB")
    for rows, n_columns in SIZES:
        n = rows // 10 if is_quick else rows
        took = timed(n, n_columns, 1 if is_quick else ROUNDS[n_columns])
        ratio = {name: seconds / took["bare"] for name, seconds in took.items()}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        # With few rows, what is the same for any number of rows outweighs the queries.
        is_above = not is_quick and any(ratio[rule] > most for rule, most in BOUNDS.items())
        print(
            f"{n:<8,} {n_columns:>7} {took['bare']:>7.2f} {ratio['paper']:>6.2f}"
            f" {ratio['record']:>11.2f} {ratio['strict']:>7.2f}  {BOUNDS['paper']}, "
            f"{BOUNDS['strict']} {peak:>10,.0f}{'  ABOVE' if is_above else ''}",
            flush=True,
        )


def print_growth(*, is_quick: bool) -> None:
    """Seconds as rows become four times as many; the power of n that they grow by."""
    print("growth with rows, 5 columns: seconds of the paper rule, and of the strict rule")
    before: dict[str, float] = {}
    for n in (1_000, 4_000, 16_000) if is_quick else (10_000, 40_000, 160_000):
        took = timed(n, 5, 1)
        powers = [
            f"n^{np.log(took[rule] / before[rule]) / np.log(4):.2f}" if before else ""
            for rule in BOUNDS
        ]
        print(
            f"{n:<8,} {took['paper']:>7.2f} {powers[0]:>7} {took['strict']:>7.2f} {powers[1]:>7}",
            flush=True,
        )
        before = took


def print_missing() -> None:
    """The embedded survey, 12 columns in 43 dimensions, of which every sixth row misses a value."""
    original, synthetic = survey(), survey_synthetic()
    print("the embedded survey (5,000 rows, 12 columns, missing values left in): CPU seconds")
    for rule in BOUNDS:
        took = cpu_seconds(lambda rule=rule: distance_filter(original, synthetic, rule=rule).record)
        print(f"{rule:<8} {took:>7.2f}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, one round")
    is_quick = parser.parse_args().quick
    distance_filter(people(50, 2, 1), people(50, 2, 2))
    print_missing()
    print_growth(is_quick=is_quick)
    # In one thread, on both sides: threads that wait for each other burn processor time.
    with limit_to_one_thread():
        print_bounds(is_quick=is_quick)


if __name__ == "__main__":
    main()
