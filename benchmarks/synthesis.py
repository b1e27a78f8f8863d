"""How fast is `unveil.synthesise`, beside the bare trees that it cannot do without?

The yardstick is scikit-learn's `fit` on the identical encoded matrices, one thread, the trees of
states (missing, special) among them: caught while `synthesise` runs, then fitted again by itself.
Ours is all of it: taking columns apart, coding, fitting, indexing donors, and one copy. Both run in
one process, in turns; the figure is the ratio of CPU seconds, the median over the rounds. An extra
copy is measured against our own fit.

    python benchmarks/synthesis.py                      the table
    python benchmarks/synthesis.py --rows 20000         another number of rows
    python benchmarks/synthesis.py --large              10^6 rows by 15 columns: time and memory
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from unveil.synthesis import cart
from unveil.synthesis.synthesise import synthesise

ROUNDS = 9
BOUND_FIT = 1.6
BOUND_COPY = 0.2
BOUND_BYTES = 1.5e9


def people(n: int, seed: int) -> pl.DataFrame:
    """Invented people: 15 columns that depend on one another, some missing, some special."""
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 95, n)
    sex = rng.integers(0, 2, n)
    region = rng.choice(16, n, p=_falling(16))
    edu = np.clip((age < 30) + rng.poisson(1.5, n), 0, 5)
    income = np.exp(6.5 + 0.2 * edu + 0.005 * age + rng.normal(0, 0.5, n)).round(-1)
    columns: dict[str, Any] = {
        "age": age, "sex": sex.astype(str), "region": region.astype(str), "edu": edu.astype(str),
        "income": _gaps(income, rng, 0.15),
        "height": (160 + 12 * sex - 0.05 * age + rng.normal(0, 7, n)).round(),
        "weight": (60 + 15 * sex + 0.1 * age + rng.normal(0, 12, n)).round(1),
        "marital": np.where(age < 25, 0, rng.choice(5, n, p=_falling(5))).astype(str),
        "job": (edu * 5 + rng.integers(0, 5, n)).astype(str),
        "hours": np.where(age > 65, -8, rng.normal(38, 8, n).round()).astype(int),
        "smoke": (rng.random(n) < 0.3 - 0.002 * age + 0.1 * sex).astype(str),
        "cigarettes": _gaps(rng.poisson(12, n).astype(float), rng, 0.7),
        "trust": rng.choice(7, n, p=_falling(7)).astype(str),
        "rent": (income * 0.3 + rng.exponential(100, n)).round(2),
        "wellbeing": np.clip(rng.normal(6, 2, n) + 0.0005 * income, 0, 10).round().astype(int),
    }  # fmt: skip
    return pl.DataFrame(columns)


def _falling(n: int) -> np.ndarray[Any, Any]:
    shares: np.ndarray[Any, Any] = 1 / np.arange(1, n + 1) ** 0.7
    return shares / shares.sum()


def _gaps(values: Any, rng: np.random.Generator, share: float) -> pl.Series:
    return pl.Series(np.where(rng.random(len(values)) < share, np.nan, values)).fill_nan(None)


Job = tuple[Any, Any, dict[str, Any]]


def caught(frame: pl.DataFrame) -> list[Job]:
    """What every tree of one synthesis is grown on, and with which limits."""
    jobs: list[Job] = []
    grow = cart.grow_tree

    def noted(matrix: Any, outcome: Any, **limits: Any) -> Any:
        jobs.append((matrix, outcome, limits))
        return grow(matrix, outcome, **limits)

    cart.grow_tree = noted
    try:
        made(frame)
    finally:
        cart.grow_tree = grow
    return jobs


def made(frame: pl.DataFrame) -> Any:
    """One synthesis, in one thread."""
    return synthesise(frame, special_codes={"hours": [-8]}, seed=1, workers=1)


def bare(jobs: list[Job]) -> None:
    """The same trees, and nothing else."""
    for matrix, outcome, limits in jobs:
        cart.grow_tree(matrix, outcome, **limits)


def seconds(work: Callable[[], Any]) -> float:
    """CPU seconds of all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(n: int) -> bool:
    """Print one line of the table; whether both bounds hold."""
    frame = people(n, 1)
    jobs = caught(frame)
    synthesiser = made(frame)
    rounds = []
    for _ in range(ROUNDS):
        yardstick = seconds(lambda: bare(jobs))
        ours = seconds(lambda: made(frame))
        copy = seconds(lambda: synthesiser.sample(1, workers=1))
        rounds.append((yardstick, ours / yardstick, copy / (ours - copy)))
    bare_s, ratio, extra = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{n:>9,} {len(jobs):>6} {bare_s:>10.2f} {ratio:>12.2f} {extra:>12.3f}")
    return ratio <= BOUND_FIT and extra <= BOUND_COPY


def large(n: int) -> bool:
    """Time and memory of one large synthesis; whether it stays within the bound."""
    frame = people(n, 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    start = time.perf_counter()
    synthesiser = synthesise(frame, special_codes={"hours": [-8]}, seed=1)
    fitted = time.perf_counter()
    synthesiser.sample(1)
    end = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{n:,} x {frame.width}: fit and one copy {fitted - start:.1f} s, an extra copy "
        f"{end - fitted:.1f} s; peak {peak / 1e6:,.0f} MB, {(peak - before) / 1e6:,.0f} MB of it "
        "growth"
    )
    return peak <= BOUND_BYTES


def main() -> None:
    """Print the table; exit code 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[5_000, 50_000])
    parser.add_argument("--large", action="store_true")
    asked = parser.parse_args()
    if asked.large:
        raise SystemExit(0 if large(1_000_000) else 1)
    print(f"{'rows':>9} {'trees':>6} {'bare fit s':>10} {'fit + copy':>12} {'extra copy':>12}")
    raise SystemExit(0 if all([compare(n) for n in asked.rows]) else 1)


if __name__ == "__main__":
    main()
