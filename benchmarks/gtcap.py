"""How fast is `unveil.gtcap`, beside the bare work of a plain program on the same frames?

20,000 original and 20,000 synthetic records, two categorical and three numeric keys. Ours is the
whole call from loaded frames: reading, aligning, finding the statistical uniques, scoring them in
both files. The yardsticks take the same frames into buckets (alike in both categorical keys), and:

- neighbour listing: list, key by key, who lies within the radius of each original record, in both
  files; it is from such lists that a plain program would tell who is unique. Nothing is weighed or
  summed. Beside it, with no bound, the same for a program that is told who is unique.
- dense kernel, told who is unique: every unique against every record of its bucket in both files,
  a block at a time: proximities of keys and target, and their weighted sums.

All run in the same process, in turns; the figure is the ratio of CPU seconds (threads included),
the median over the rounds.

    python benchmarks/gtcap.py                    the table
    python benchmarks/gtcap.py --rows 50000       another size
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from unveil.measure.cap.gtcap import gtcap

ROUNDS = 9
CATEGORICAL = ["region", "education"]
RADII = {"age": 5.0, "income": 2_000.0, "height": 3.0}
TARGET_RADIUS = 10.0
BLOCK = 256


def people(n: int, seed: int) -> pl.DataFrame:
    """Invented people."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    return pl.DataFrame(
        {
            "region": texts("region", rng.integers(0, 8, n)),
            "education": texts("level", rng.integers(0, 5, n)),
            "age": age,
            "income": np.round(rng.lognormal(10, 0.6, n), 2),
            "height": np.round(rng.normal(170, 10, n), 1),
            "diagnosis": texts("diagnosis", np.minimum(rng.geometric(0.4, n) - 1, 5)),
            "pressure": np.round(100 + age / 2 + rng.normal(0, 15, n), 1),
        }
    )


def texts(stem: str, places: np.ndarray) -> pl.Series:
    """Text levels."""
    return pl.Series([f"{stem} {k}" for k in range(8)]).gather(places)


def ours(original: pl.DataFrame, synthetic: pl.DataFrame, target: str) -> np.ndarray:
    """The whole call; who is unique."""
    radii = RADII if target == "diagnosis" else {**RADII, target: TARGET_RADIUS}
    keys = [*CATEGORICAL, *RADII]
    return gtcap(original, synthetic, keys=keys, target=target, radii=radii).unique


class Plain:
    """Records as a plain program has them: arrays, and the rows of each bucket."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.columns = {name: frame[name].cast(pl.Float64).to_numpy() for name in RADII}
        self.target = frame["pressure"].to_numpy()
        rows = frame.select(CATEGORICAL).with_row_index().group_by(CATEGORICAL).agg("index")
        self.buckets = {
            (region, education): index.to_numpy()
            for region, education, index in zip(*rows.get_columns(), strict=True)
        }


def buckets(asked: Plain, data: Plain) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of one bucket at a time, in both."""
    for bucket, rows in asked.buckets.items():
        yield rows, data.buckets.get(bucket, rows[:0])


def list_neighbours(asked: pl.DataFrame, files: list[pl.DataFrame]) -> int:
    """Every pair near on a key, as two arrays of rows, key by key and bucket by bucket."""
    plain, n_pairs = Plain(asked), 0
    for data in map(Plain, files):
        for mine, theirs in buckets(plain, data):
            for name, radius in RADII.items():
                own, values = plain.columns[name][mine], data.columns[name][theirs]
                order = np.argsort(values)
                values = values[order]
                first = np.searchsorted(values, own - radius, side="right")
                lengths = np.searchsorted(values, own + radius) - first
                shift = first - (np.cumsum(lengths) - lengths)
                places = np.arange(lengths.sum()) + np.repeat(shift, lengths)
                pairs = np.repeat(mine, lengths), theirs[order[places]]
                n_pairs += len(pairs[0])
    return n_pairs


def dense_kernel(asked: pl.DataFrame, files: list[pl.DataFrame]) -> float:
    """Weighted sums of all pairs of a bucket, a block of rows at a time."""
    plain, total = Plain(asked), 0.0
    for data in map(Plain, files):
        for mine, theirs in buckets(plain, data):
            for start in range(0, len(mine), BLOCK):
                rows = mine[start : start + BLOCK]
                kc = np.zeros((len(rows), len(theirs)))
                for name, radius in RADII.items():
                    kc += near(plain.columns[name][rows], data.columns[name][theirs], radius)
                kc /= len(RADII)
                tc = near(plain.target[rows], data.target[theirs], TARGET_RADIUS)
                total += float(((kc * tc).sum(axis=1) / np.maximum(kc.sum(axis=1), 1e-300)).sum())
    return total


def near(own: np.ndarray, values: np.ndarray, radius: float) -> np.ndarray:
    """Proximities of all pairs."""
    distance = np.abs(own[:, None] - values[None, :])
    distance /= -radius
    distance += 1
    return np.maximum(distance, 0, out=distance)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(
    original: pl.DataFrame, synthetic: pl.DataFrame, target: str, bare: Callable[[], object]
) -> tuple[float, float]:
    """Median CPU seconds of both, taken in turns."""
    took = [
        (cpu_seconds(lambda: ours(original, synthetic, target)), cpu_seconds(bare))
        for _ in range(ROUNDS)
    ]
    mine, yardstick = (statistics.median(seconds) for seconds in zip(*took, strict=True))
    return mine, yardstick


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    rows = parser.parse_args().rows
    original, synthetic = people(rows, 1), people(rows, 2)
    files = [original, synthetic]
    unique = original.filter(ours(original, synthetic, "diagnosis"))
    print(f"{rows:,} rows per file, {unique.height:,} statistical uniques")
    print("target       beside                             unveil s  bare s  ratio  bound  peak MB")
    for target, yardstick, told, asked, bound in (
        ("diagnosis", list_neighbours, "neighbour listing", original, 1.0),
        ("diagnosis", list_neighbours, "neighbour listing of the uniques", unique, None),
        ("pressure", dense_kernel, "dense kernel of the uniques", unique, 3.0),
    ):
        mine, bare = measure(
            original, synthetic, target, lambda run=yardstick, of=asked: run(of, files)
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        verdict = "  ABOVE" if bound and mine > bound * bare else ""
        print(
            f"{target:<11}  {told:<33}  {mine:>8.3f}  {bare:>6.3f}  {mine / bare:>5.2f}"
            f"  {bound or '-':>5}  {peak:>7,.0f}{verdict}",
            flush=True,
        )


if __name__ == "__main__":
    main()
