"""How fast are simulated attacks, beside the bare distances of a plain program?

2,000 persons are attacked through a copy of 50,000 records, 8 numeric and 7 categorical columns.
Ours is the whole call from loaded frames: reading, aligning, searching with ties, rates, bootstrap.
The yardstick has arrays ready: scipy's `cdist`, cityblock on scaled numbers and hamming on codes, a
block of persons at a time, added up, and the nearest record of each. Bounds: one secret at most 1x
the yardstick, all 15 secrets from shared distances at most 10x.

Then growth with the copy's records and with the persons, linkability, and singling out with 500
multivariate predicates on 500,000 records.

CPU seconds of all threads, in the same process, in turns; the median over the rounds.

    python benchmarks/attacks.py              the table
    python benchmarks/attacks.py --rounds 1   once each
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl
from scipy.spatial.distance import cdist

from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.singling_out import singling_out

NUMBERS, CATEGORIES = 8, 7
PERSONS, RECORDS = 2_000, 50_000
MANY = 500_000
BLOCK = 64


def people(n: int, seed: int) -> pl.DataFrame:
    """Invented people: numbers and texts."""
    rng = np.random.default_rng(seed)
    levels = pl.Series([f"level {k}" for k in range(6)])
    numbers = {f"x{i}": rng.normal(size=n) for i in range(NUMBERS)}
    return pl.DataFrame(
        {**numbers, **{f"c{i}": levels.gather(rng.integers(0, 6, n)) for i in range(CATEGORIES)}}
    )


def arrays(frames: list[pl.DataFrame]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Scaled numbers and codes, as a plain program would have them ready."""
    both = pl.concat(frames)
    scaled = both.select(
        (pl.col(f"x{i}") - pl.col(f"x{i}").min()) / (pl.col(f"x{i}").max() - pl.col(f"x{i}").min())
        for i in range(NUMBERS)
    ).to_numpy()
    codes = both.select(
        pl.col(f"c{i}").rank("dense").cast(pl.Float64) for i in range(CATEGORIES)
    ).to_numpy()
    ends = np.cumsum([0, *(frame.height for frame in frames)])
    return [(scaled[a:b], codes[a:b]) for a, b in pairwise(ends)]


def bare(persons: tuple[np.ndarray, np.ndarray], copy: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The nearest record of each person, the last ties and all else left out."""
    found = []
    for start in range(0, len(persons[0]), BLOCK):
        rows = slice(start, start + BLOCK)
        apart = cdist(persons[0][rows], copy[0], "cityblock")
        apart += cdist(persons[1][rows], copy[1], "hamming") * CATEGORIES
        found.append(apart.argmin(axis=1))
    return np.concatenate(found)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def beside_the_yardstick(rounds: int) -> None:
    """One secret, and all of them, beside bare distances."""
    persons, copy = people(PERSONS, 1), people(RECORDS, 2)
    ready = arrays([persons, copy])
    print(f"{PERSONS:,} persons, {RECORDS:,} records, {NUMBERS + CATEGORIES} columns")
    print("attack                   unveil s  bare s  ratio  bound  peak MB")
    for told, secrets, bound in (
        ("one numeric secret", "x0", 1.0),
        ("one categorical secret", "c0", 1.0),
        (f"all {NUMBERS + CATEGORIES} secrets", None, 10.0),
    ):
        took = [
            (
                cpu_seconds(lambda of=secrets: inference(persons, copy, secrets=of, seed=1)),
                cpu_seconds(lambda: bare(*ready)),
            )
            for _ in range(rounds)
        ]
        mine, theirs = (statistics.median(seconds) for seconds in zip(*took, strict=True))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        verdict = "  ABOVE" if mine > bound * theirs else ""
        print(
            f"{told:<23}  {mine:>8.2f}  {theirs:>6.2f}  {mine / theirs:>5.2f}  {bound:>5}"
            f"  {peak:>7,.0f}{verdict}",
            flush=True,
        )


def growth() -> None:
    """How the time grows with records and with persons."""
    print("\npersons  records  all secrets s  linkability, k = 5 s")
    parts = ([f"x{i}" for i in range(NUMBERS)], [f"c{i}" for i in range(CATEGORIES)])
    for n_persons, n_records in ((500, 25_000), (500, 50_000), (500, 100_000), (1_000, 50_000)):
        persons, copy = people(n_persons, 1), people(n_records, 2)
        inferred = cpu_seconds(lambda p=persons, c=copy: inference(p, c, seed=1))
        linked = cpu_seconds(
            lambda p=persons, c=copy: linkability(p, c, columns=parts, k=5, seed=1)
        )
        print(f"{n_persons:>7,}  {n_records:>7,}  {inferred:>13.2f}  {linked:>20.2f}", flush=True)


def singled_out() -> None:
    """500 multivariate predicates on files of growing size."""
    print("\nrecords  predicates  singling out, 3 columns: CPU s  wall s  peak MB")
    for n in (MANY // 4, MANY // 2, MANY):
        original, copy = people(n, 1), people(n, 2)
        start, cpu = time.perf_counter(), time.process_time()
        found = singling_out(original, copy, mode="multivariate", n_cols=3, n=500, seed=1)
        took, cpu = time.perf_counter() - start, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        n_found = found.rows[0].n_found
        print(f"{n:>7,}  {n_found:>10,}  {cpu:>30.2f}  {took:>6.2f}  {peak:>7,.0f}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    beside_the_yardstick(parser.parse_args().rounds)
    growth()
    singled_out()


if __name__ == "__main__":
    main()
