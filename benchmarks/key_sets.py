"""Every set of ten keys, twenty targets: the search against polars, set by set.

    python benchmarks/key_sets.py [rows ...]

Invented people and synthetic records that resemble them. polars counts each set by one group-by of
the synthetic records and one join, all targets at once; it is timed on some sets drawn at random
and scaled up to all of them. The figures of these sets must be the same.
"""

import random
import resource
import sys
import time

import numpy as np
import polars as pl

import unveil
from unveil.count.key_sets import count_key_sets, keys_of
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import no_progress
from unveil.study.study import sides_of

N_KEYS, N_TARGETS = 10, 20
LEVELS = (80, 16, 12, 10, 8, 6, 5, 4, 3, 2)
SETS_TIMED = {10_000: 24, 100_000: 12, 1_000_000: 3}


def made(n, seed):
    """People whose columns hang together, so that many records match."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 50, n)
    columns = {}
    for i, levels in enumerate(LEVELS):
        own = rng.integers(0, levels, n)
        columns[f"k{i}"] = np.where(rng.random(n) < 0.6, hidden % levels, own)
    for j in range(N_TARGETS):
        own = rng.integers(0, 4 + j % 5, n)
        columns[f"t{j}"] = np.where(rng.random(n) < 0.7, hidden % (4 + j % 5), own)
    return pl.DataFrame({name: codes.astype(np.int32) for name, codes in columns.items()})


def by_polars(original, synthetic, keys, targets):
    """People determined correctly on one set, target by target."""
    shown = synthetic.group_by(keys).agg(
        *(pl.col(t).first().alias(f"{t}_said") for t in targets),
        *((pl.col(t).n_unique() == 1).alias(f"{t}_single") for t in targets),
    )
    both = original.join(shown, on=keys, how="inner")
    return both.select(
        ((pl.col(t) == pl.col(f"{t}_said")) & pl.col(f"{t}_single")).sum().alias(t) for t in targets
    ).row(0)


def main():
    """Print a line for each size."""
    print(f"unveil {unveil.__version__}, polars {pl.__version__}, one process, CPU seconds")
    for n in [int(given) for given in sys.argv[1:]] or [10_000, 100_000]:
        original, synthetic = made(n, 1), made(n, 2)
        keys = [f"k{i}" for i in range(N_KEYS)]
        targets = [f"t{j}" for j in range(N_TARGETS)]
        scenario = open_scenario(
            sides_of(synthetic, original=original),
            keys=keys,
            targets=targets,
            missing_values=(),
            progress=no_progress,
        ).scenario
        start = time.process_time()
        count_key_sets(scenario.key_columns, scenario.target_columns, most_support=False)
        without_support = time.process_time() - start
        start = time.process_time()
        found = count_key_sets(scenario.key_columns, scenario.target_columns)
        ours = time.process_time() - start
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        timed = random.Random(1).sample(found.sets, SETS_TIMED.get(n, 6))
        start = time.process_time()
        answers = {
            s: by_polars(original, synthetic, [keys[i] for i in keys_of(s)], targets) for s in timed
        }
        theirs = (time.process_time() - start) / len(timed) * len(found.sets)
        assert all(found.n_correct[s].tolist() == list(row) for s, row in answers.items())
        print(
            f"{n:>9,} + {n:,} rows, {len(found.sets):,} sets, {N_TARGETS} targets:"
            f" {ours:.1f} s ({without_support:.1f} s without most support), polars set by set"
            f" {theirs:.1f} s ({len(timed)} sets timed), ratio {theirs / ours:.1f},"
            f" peak {most:.1f} GB"
        )


if __name__ == "__main__":
    main()
