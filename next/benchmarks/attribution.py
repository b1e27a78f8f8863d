"""Correct attribution: CAP beside the bare polars group-bys, GTCAP of 50,000 records; CPU.

    python benchmarks/attribution.py [--runs 3] [--only NAME]

Each row is a process of its own, in one thread. CAP is the whole call with TCAP and GCAP, on loaded
frames, without special uniques (their search is SUDA's). GTCAP is from loaded frames too: who
stands out, and the scores of these in both files.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import argparse
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from counts import cpu, in_turn
from people import LARGE, SMALL, TARGETS, people

import unveil

PLACE = ("region", "education")
TOLERANCES = {"age": 5.0, "turnover": 2_000.0, "height": 3.0, "pressure": 10.0}


def cap(n: int, keys: tuple[str, ...], copies: int = 1) -> None:
    study = unveil.Study(FILES[n, 0], [FILES[n, m] for m in range(1, copies + 1)], keys=keys,
                         targets=TARGETS)  # fmt: skip
    unveil.cap(study, groups=("full", "uniques"))


FILES: dict[tuple[int, int], pl.DataFrame] = {}


def beside_group_bys(n: int, keys: tuple[str, ...]) -> str:
    FILES.update({(n, seed): people(n, seed) for seed in range(2)})

    def bare() -> None:
        for frame in FILES.values():
            for target in TARGETS:
                frame.group_by([*keys, target]).len()

    cap(n, keys)
    seconds, yardstick = in_turn(lambda: cap(n, keys), bare, times=3)
    return f"{seconds / yardstick:.1f} ({seconds:.2f} s)"


def copies(m: int, n: int, keys: tuple[str, ...]) -> str:
    FILES.update({(n, seed): people(n, seed) for seed in range(m + 1)})
    cap(n, keys)
    whole, single = in_turn(lambda: cap(n, keys, m), lambda: cap(n, keys), times=3)
    return f"{whole / single:.1f} ({whole:.2f} s)"


def measured(n: int, seed: int) -> pl.DataFrame:
    """Invented people with numbers that hardly anybody shares."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 90, n)
    return pl.DataFrame({
        "region": random.integers(0, 8, n).astype(str),
        "education": random.integers(0, 5, n).astype(str),
        "age": age,
        "turnover": np.round(random.lognormal(10, 0.6, n), 2),
        "height": np.round(random.normal(170, 10, n), 1),
        "diagnosis": np.minimum(random.geometric(0.4, n), 6).astype(str),
        "pressure": np.round(100 + age / 2 + random.normal(0, 15, n), 1),
    })  # fmt: skip


def gtcap(n: int, target: str) -> str:
    original, synthetic = measured(n, 1), measured(n, 2)
    keys = (*PLACE, "age", "turnover", "height")
    columns: Any = {
        name: unveil.Column(tolerance=tolerance)
        for name, tolerance in TOLERANCES.items()
        if name in (*keys, target)
    }
    results: list[unveil.Result] = []

    def ours() -> None:
        study = unveil.Study(original, synthetic, keys=keys, targets=target, columns=columns)
        results.append(unveil.gtcap(study))

    ours()
    seconds = sorted(cpu(ours) for _ in range(3))[1]
    n_uniques = results[0].frame()["uniques"][0]
    return f"{seconds:.2f} s ({n_uniques:,.0f} people stand out)"


ROWS: dict[str, Callable[[], str]] = {
    "cap to group-bys, 10^5 rows, small keys": partial(beside_group_bys, 10**5, SMALL),
    "cap to group-bys, 10^6 rows, small keys": partial(beside_group_bys, 10**6, SMALL),
    "cap to group-bys, 10^5 rows, large keys": partial(beside_group_bys, 10**5, LARGE),
    "cap, 10 copies to one, 10^5 rows, small keys": partial(copies, 10, 10**5, SMALL),
    "cap, 20 copies to one, 10^5 rows, small keys": partial(copies, 20, 10**5, SMALL),
    "gtcap, 50,000 rows, three numbers as keys, a category": partial(gtcap, 50_000, "diagnosis"),
    "gtcap, 50,000 rows, three numbers as keys, a number": partial(gtcap, 50_000, "pressure"),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--row", choices=ROWS)
    asked = parser.parse_args()
    if asked.row:
        print(ROWS[asked.row]())
        return
    for name in ROWS:
        if asked.only in name:
            command = [sys.executable, __file__, "--row", name]
            runs = [
                subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
                for _ in range(asked.runs)
            ]
            print(f"| {name} | {'; '.join(runs)} |", flush=True)


if __name__ == "__main__":
    main()
