"""What do all pairs of tables and the permutations of a tree cost, beside the bare work in them?

Pairs: counting and comparing the tables of all pairs, against the bare counts of the same codes
into one flat array, in CPU seconds; reading and encoding are timed apart. The bound is 2.
Permutations: 50 trees of permuted labels in 2 threads, against 25 bare fits of scikit-learn on the
same matrix, one thread each, with the same limits, which is half of the 51 that are needed. By the
clock, so both cores must be idle. The bound is 1.4.

    python benchmarks/utility.py            both
    python benchmarks/utility.py --rounds 9
"""

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
import polars as pl

from unveil.measure.utility.data import UtilityData, open_columns
from unveil.measure.utility.pair_tables import measure_pairs
from unveil.measure.utility.propensity import ComparedRows, permuted_pmse
from unveil.measure.utility.table_statistics import GroupedColumn, group_variable
from unveil.models.tree import MAX_DEPTH, MIN_LEAF, MIN_SPLIT
from unveil.study.scenario import no_progress
from unveil.study.study import sides_of

SHAPES = ((35, 5_000), (14, 50_000))
PAIRS_BOUND, TREES_BOUND = 2.0, 1.4
N_PERMUTATIONS = 50
THREADS = 2


def people(n_columns: int, n_rows: int, seed: int) -> pl.DataFrame:
    """Columns as surveys have them: a third numbers, the others categories of 2 to 16 levels."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n_rows)
    made: dict[str, np.ndarray] = {}
    for place in range(n_columns):
        mixed = 0.6 * common + 0.8 * rng.normal(size=n_rows)
        if place % 3 == 0:
            made[f"number{place}"] = np.round(40 + 15 * mixed).astype(np.int64)
        else:
            n_levels = 2 + (5 * place) % 15
            cuts = np.linspace(-1.5, 1.5, n_levels - 1)
            texts = np.array([f"level {level}" for level in range(n_levels)])
            made[f"category{place}"] = texts[np.searchsorted(cuts, mixed)]
    return pl.DataFrame(made)


def opened(n_columns: int, n_rows: int) -> UtilityData:
    """An original and a copy, read and encoded."""
    sides = sides_of(people(n_columns, n_rows, 2), original=people(n_columns, n_rows, 1))
    return open_columns(sides, columns=None, progress=no_progress)


def bare_pairs(columns: list[GroupedColumn]) -> np.ndarray:
    """The counts of all pairs on both sides, into one flat array, and nothing else."""
    codes = [column.codes.astype(np.int64) for column in columns]
    widths = [column.n_levels for column in columns]
    pairs = list(combinations(range(len(columns)), 2))
    starts = np.concatenate(([0], np.cumsum([widths[a] * widths[b] for a, b in pairs])))
    slices = columns[0].sides.slices
    counts = np.empty((len(slices), int(starts[-1])), np.int64)
    for at, (a, b) in enumerate(pairs):
        packed = codes[a] * widths[b] + codes[b]
        for side, rows in enumerate(slices):
            counts[side, starts[at] : starts[at + 1]] = np.bincount(
                packed[rows], minlength=widths[a] * widths[b]
            )
    return counts


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """How long it takes once."""
    start = clock()
    work()
    return clock() - start


def compared(
    label: str,
    ours: Callable[[], object],
    bare: Callable[[], object],
    *,
    clock: Callable[[], float],
    rounds: int,
    bound: float,
) -> bool:
    """Both by turns; the median of the ratios of neighbours."""
    ours(), bare()
    times = [(seconds(ours, clock), seconds(bare, clock)) for _ in range(rounds)]
    ratio = statistics.median(a / b for a, b in times)
    mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    verdict = "within" if ratio <= bound else "BEYOND"
    print(
        f"{label:<34}{1000 * mine:9.1f} ms{1000 * theirs:9.1f} ms   ratio {ratio:.2f}, {verdict}"
        f" {bound:g}"
    )
    return ratio <= bound


def pairs(rounds: int) -> bool:
    """All pairs of each shape."""
    fine = True
    for n_columns, n_rows in SHAPES:
        start = time.perf_counter()
        found = opened(n_columns, n_rows)
        columns = [group_variable(variable, 5) for variable in found.variables]
        print(f"reading and encoding {1000 * (time.perf_counter() - start):,.0f} ms")

        def ours(found: UtilityData = found, columns: list[GroupedColumn] = columns) -> object:
            return measure_pairs(found, columns, ways=2, groups=5, n_worst=5)

        def bare(columns: list[GroupedColumn] = columns) -> object:
            return bare_pairs(columns)

        label = f"pairs, {n_columns} columns x {n_rows:,}"
        clock = time.process_time
        is_within = compared(label, ours, bare, clock=clock, rounds=rounds, bound=PAIRS_BOUND)
        fine = is_within and fine
    return fine


def permutations(rounds: int) -> bool:
    """50 permuted trees in two threads, against half of 51 fits of scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    found = opened(12, 5_000)
    columns = [term.predictor for term in ComparedRows.of(found).terms((0, 1))]
    label = ComparedRows.of(found).labels((0, 1))
    matrix = np.stack([column.codes for column in columns], axis=1).astype(np.float32)
    rng = np.random.default_rng(1)
    drawn = [rng.permutation(label) for _ in range(N_PERMUTATIONS + 1)]

    def ours() -> object:
        return permuted_pmse(columns, label, N_PERMUTATIONS, (1, "benchmark"), THREADS)

    def bare() -> None:
        for one in drawn[: (N_PERMUTATIONS + 1) // 2]:
            DecisionTreeClassifier(
                min_samples_leaf=MIN_LEAF,
                min_samples_split=MIN_SPLIT,
                max_depth=MAX_DEPTH,
                random_state=0,
            ).fit(matrix, one)

    label_of = "50 permutations, 12 x 5,000"
    clock = time.perf_counter
    return compared(label_of, ours, bare, clock=clock, rounds=rounds, bound=TREES_BOUND)


def main() -> None:
    """Print the table; exit code 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'':<34}{'unveil':>12}{'bare':>12}")
    fine = [pairs(asked.rounds), permutations(asked.rounds)]
    raise SystemExit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
