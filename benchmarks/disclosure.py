"""How fast is `unveil.disclosure`, beside the bare group-by counts it cannot do without?

The yardstick is polars counting the same columns with nothing measured: for each target and each
side, ``group_by(keys + [target]).len()``. Both run in the same process, on the same loaded frames,
in turns; the figure is the ratio of CPU seconds (threads included), the median over the rounds.

    python benchmarks/disclosure.py                     the table
    python benchmarks/disclosure.py --rows 1000000      one size only

Each size runs in a process of its own (started, never forked), so that peak memory is its own.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import unveil

SIZES = (100_000, 1_000_000, 10_000_000)
ROUNDS = {100_000: 7, 1_000_000: 5, 10_000_000: 1}
SMALL_KEYS = ("sex", "age", "region", "settlement")
LARGE_KEYS = ("parish", "birthday", "employer", "postcode")
TARGETS = ("education", "marital", "health", "income", "condition")


def texts(rng: np.random.Generator, n: int, stem: str, shares: list[float]) -> pl.Series:
    """Text levels with unequal shares."""
    levels = pl.Series([f"{stem} {place}" for place in range(len(shares))])
    return levels.gather(rng.choice(len(shares), n, p=np.array(shares) / sum(shares)))


def people(n: int, seed: int) -> pl.DataFrame:
    """Invented people: four small keys, four large ones (their product is above 10^10), targets."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "sex": texts(rng, n, "sex", [51, 49]),
            "age": rng.integers(16, 96, n),
            "region": texts(rng, n, "region", [16 - place for place in range(16)]),
            "settlement": texts(rng, n, "settlement", [4, 3, 2, 2, 1, 1]),
            "parish": texts(rng, n, "parish", [1.0] * 400),
            "birthday": rng.integers(0, 366, n),
            "employer": rng.integers(0, 500, n),
            "postcode": rng.integers(10_000, 10_300, n),
            "education": texts(rng, n, "education", [1, 3, 4, 2]),
            "marital": texts(rng, n, "marital", [5, 3, 1, 1]),
            "health": rng.integers(1, 24, n),
            "income": np.round(np.exp(rng.normal(7.5, 0.5, n)), -1),
            "condition": texts(rng, n, "condition", [88, 5, 4, 3]).zip_with(
                pl.Series(rng.random(n) > 0.02), pl.Series([None], dtype=pl.String)
            ),
        }
    )


def yardstick(original: pl.DataFrame, synthetic: pl.DataFrame, keys: tuple[str, ...]) -> None:
    """The bare counts: every target with the keys, on both sides, and nothing else."""
    for target in TARGETS:
        for frame in (original, synthetic):
            frame.group_by([*keys, target]).len()


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(rows: int, keys: tuple[str, ...]) -> dict[str, float]:
    """Median CPU seconds of both, taken in turns, and the peak memory of the process."""
    original, synthetic = people(rows, 1), people(rows, 2)
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours, bare = [], []
    cpu_seconds(lambda: unveil.disclosure(original[:1000], synthetic[:1000], keys="sex"))
    for _ in range(ROUNDS.get(rows, 3)):
        ours.append(
            cpu_seconds(lambda: unveil.disclosure(original, synthetic, keys=keys, targets=TARGETS))
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        bare.append(cpu_seconds(lambda: yardstick(original, synthetic, keys)))
    return {
        "ours": statistics.median(ours),
        "bare": statistics.median(bare),
        "loaded": loaded / 1024,
        "peak": peak / 1024,
    }


def apart(rows: int, keys: str) -> dict[str, float]:
    """The same, in a fresh process."""
    command = [sys.executable, __file__, "--rows", str(rows), "--keys", keys, "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    """Print the table, or measure one size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--keys", choices=("small", "large"), default="small")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.json:
        keys = SMALL_KEYS if chosen.keys == "small" else LARGE_KEYS
        print(json.dumps(measure(chosen.rows, keys)))
        return
    print("rows per side  keys   unveil s  bare s  ratio  bound  loaded MB  peak MB  s per 10^6")
    for keys, bound in (("small", 1.0), ("large", 2.0)):
        for rows in (chosen.rows,) if chosen.rows else SIZES:
            took = apart(rows, keys)
            ratio = took["ours"] / took["bare"]
            verdict = "" if ratio <= bound else "  ABOVE"
            print(
                f"{rows:>13,}  {keys}  {took['ours']:>8.2f}  {took['bare']:>6.2f}  {ratio:>5.2f}"
                f"  {bound:>5.1f}  {took['loaded']:>9,.0f}  {took['peak']:>7,.0f}"
                f"  {took['ours'] / rows * 1e6:>10.2f}{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
