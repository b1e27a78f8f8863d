"""How fast is SAP, beside the sum over all sets of cells that the paper prints?

The yardstick is inclusion-exclusion with numpy over all 2^k sets of exposed cells at once (Smith
and Elliot 2008, section 2.3.1): their sums by doubling, then for every n one look-up of
C(N - c, n - c) / C(N, n) for each set. It is not exact; ours is in fractions. Both run in one
process, in turns; the figure is the ratio of CPU seconds, the median over the rounds.

    python benchmarks/sap.py             all four tables
    python benchmarks/sap.py --part 1    one: exposed cells, 5,000 cells, 1,200 tables, 6x8 tables
"""

import argparse
import statistics
import time
from collections.abc import Callable
from math import comb

import numpy as np

from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap_batch import TableBatch, compute_curves
from unveil.measure.tables.sap_boxes import split
from unveil.measure.tables.sap_exact import exact_curve, signed_sums, stable_curve

ROUNDS = 5
N_MAX = 24


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turns(ours: Callable[[], object], bare: Callable[[], object]) -> tuple[float, float]:
    """The medians of both over the rounds."""
    pairs = [(cpu_seconds(ours), cpu_seconds(bare)) for _ in range(ROUNDS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def subset_sums(exposed: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """People and sign of every set of cells."""
    sums, signs = np.zeros(1, np.int64), np.ones(1)
    for count in exposed:
        sums = np.concatenate([sums, sums + count])
        signs = np.concatenate([signs, -signs])
    return sums, signs


def inclusion_exclusion(exposed: list[int], N: int, n_max: int) -> np.ndarray:
    """SAP(0..n_max) by the printed sum."""
    sums, signs = subset_sums(exposed)
    found = np.zeros(n_max + 1)
    for n in range(min(n_max, N) + 1):
        ratio = np.zeros(N + 1)
        ratio[: n + 1] = [comb(N - c, n - c) / comb(N, n) for c in range(n + 1)]
        found[n] = 1 - signs @ ratio[sums]
    found[min(n_max, N) :] = found[min(n_max, N)]
    return found


def exposed_cells() -> None:
    """From 12 to 22 exposed cells."""
    print(f"exposed cells, n to {N_MAX}: unveil s  2^k sum s   ratio  bound")
    for k in range(12, 23, 2):
        exposed = np.random.default_rng(k).poisson(3, k).clip(1).tolist()
        N = sum(exposed) + 20
        ours, bare = in_turns(
            lambda: exact_curve(signed_sums(exposed, N_MAX), N, N_MAX),  # noqa: B023
            lambda: inclusion_exclusion(exposed, N, N_MAX),  # noqa: B023
        )
        bound = 0.05 if k >= 18 else None
        print(
            f"{k:>13} {ours:>20.5f} {bare:>10.4f} {ours / bare:>7.4f} {_bound(ours / bare, bound)}"
        )


def _bound(ratio: float, bound: float | None) -> str:
    if bound is None:
        return "     -"
    return f"{bound:>6}" + ("" if ratio <= bound else "  ABOVE")


def many_cells() -> None:
    """5,000 cells, exactly, and how near the floating way comes."""
    counts = np.random.default_rng(1).poisson(6, 5_000).clip(1).tolist()
    N = sum(counts)
    start = time.process_time()
    exact = exact_curve(signed_sums(counts, 300), N, 300)
    took = time.process_time() - start
    floating = cpu_seconds(lambda: stable_curve(counts, N, 300))
    found = stable_curve(counts, N, 300)
    middle, error = (found.lower + found.upper) / 2, (found.upper - found.lower).max() / 2
    far = max(abs(float(one) - other) for one, other in zip(exact, middle.tolist(), strict=True))
    print(
        f"5,000 cells, N = {N:,}, n to 300: exact {took:.2f} s, SAP(300) = {float(exact[300]):.6f};"
    )
    print(f"  floating {floating:.2f} s, off by {far:.1e} at most (certified {error:.1e})")


def conventional(counts: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of conventional rounding to an odd base."""
    published = (counts + base // 2) // base * base
    return np.maximum(published - base // 2, 0), published + base // 2


def many_tables() -> None:
    """The 1,200 tables of section 2.4, rounded to base 5 with their totals."""
    counts = np.random.default_rng(2008).poisson(2, (1_200, 12))

    def ours() -> np.ndarray:
        lo, hi = conventional(counts, 5)
        total_hi = conventional(counts.sum(axis=1), 5)[1]
        made = compute_curves(
            TableBatch(counts, lo, hi, total_hi, np.ones(counts.shape, bool)), N_MAX
        )
        return made[0]

    def bare() -> np.ndarray:
        _, hi = conventional(counts, 5)
        every = [
            inclusion_exclusion(row[top == row].tolist(), int(row.sum()), N_MAX)
            for row, top in zip(counts, hi, strict=True)
        ]
        return np.array(every)

    took, counted = in_turns(ours, bare)
    # The printed sum knows nothing of totals; the tables in which they matter are few.
    apart = np.abs(ours() - bare()).max(axis=1) > 1e-9
    ratio = took / counted
    print(
        f"1,200 tables: {took:.4f} s, sums {counted:.4f} s, ratio {ratio:.3f},"
        f" bound {_bound(ratio, 1.5)}"
    )
    print(f"  the curves agree but for {apart.sum()} tables whose total matters")


def general() -> None:
    """6x8 tables with all margins and the total rounded: how near are the certified bounds?"""
    gaps, nodes = [], []
    start = time.process_time()
    for seed in range(24):
        counts = np.maximum(1, np.random.default_rng(seed).poisson(3, (6, 8)))
        release = PublishedTable.from_counts(
            counts, rounding="conventional:5", margins="all", total=True
        )
        found = split(release.system, release.N, nodes=20_000)
        gaps.append(found.gap)
        nodes.append(found.n_nodes)
        print(f"  seed {seed:>2}: gap {found.gap:.5f}, {found.n_nodes:>6,} nodes", flush=True)
    verdict = "" if max(gaps) < 0.01 and max(nodes) <= 20_000 else "  ABOVE"
    print(
        f"6x8, base 5, 24 seeds: largest gap {max(gaps):.5f} (bound 0.01), most nodes"
        f" {max(nodes):,} (20,000), {time.process_time() - start:.0f} s{verdict}"
    )


PARTS = (exposed_cells, many_cells, many_tables, general)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", type=int, choices=range(1, len(PARTS) + 1))
    part = parser.parse_args().part
    for place, work in enumerate(PARTS, 1):
        if part in (None, place):
            work()


if __name__ == "__main__":
    main()
