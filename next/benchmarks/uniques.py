"""SUDA and match risk beside 0.1: CPU seconds of whole calls on frames, one thread, in turn.

    python benchmarks/uniques.py [PYTHON_OF_0_1]

Each figure is the second of two calls in a process of its own; a ratio is the median of three
processes of ours to the median of three of theirs. 0.1 is the project around this tree, in its own
environment, unless its Python is named.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

MIXED = (2, 8, 5, 16, 6, 4, 60, 10)  # levels of eight keys: nearly everyone is unique
SMALL = (2, 3, 4, 2, 3, 5, 2, 6)  # few are
CASES = {
    "suda, 50,000 x 8, mixed levels": ("suda", 50_000, MIXED),
    "suda, 50,000 x 8, small levels": ("suda", 50_000, SMALL),
    "suda, 20,000 x 16, mixed levels": ("suda", 20_000, 2 * MIXED),
    "suda, 20,000 x 16, small levels": ("suda", 20_000, 2 * SMALL),
    "match_risk, 50,000 x 8, mixed levels": ("match_risk", 50_000, MIXED),
    "the same, 2 % of keys missing and any value": ("wildcard", 50_000, MIXED),
}
BOUND, ROUNDS = 4, 3


def people(n: int, levels: tuple[int, ...], missing: float) -> pl.DataFrame:
    """Invented people; of each key the first levels are the most frequent."""
    random = np.random.default_rng(1)
    columns = {}
    for place, size in enumerate(levels):
        shares = 1 / np.arange(1, size + 1) ** 0.7
        codes = random.choice(size, n, p=shares / shares.sum())
        columns[f"k{place}"] = pl.Series(codes).set(pl.Series(random.random(n) < missing), None)
    return pl.DataFrame(columns)


def call(name: str, frame: pl.DataFrame, *, is_0_1: bool) -> None:
    import unveil

    if is_0_1:
        settings = {} if name == "suda" else {"missing": "category"}
        settings = {"missing": "wildcard"} if name == "wildcard" else settings
        getattr(unveil, "suda" if name == "suda" else "match_risk")(
            frame, keys=frame.columns, **settings
        )
    else:
        study = unveil.Study(frame, keys=frame.columns)
        if name == "suda":
            unveil.suda(study)
        else:
            unveil.match_risk(study, wildcard=name == "wildcard")


def measure(case: str, *, is_0_1: bool) -> None:
    """Print CPU seconds and the peak of memory."""
    name, n, levels = CASES[case]
    frame = people(n, levels, 0.02 if name == "wildcard" else 0)
    for _ in range(2):
        start = time.process_time()
        call(name, frame, is_0_1=is_0_1)
        seconds = time.process_time() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run(python: str, case: str, which: str) -> tuple[float, float]:
    isolated = ["-I"] if which == "0.1" else []
    words = [python, *isolated, __file__, "--measure", which, case]
    seconds, peak = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(peak)


def main() -> int:
    python = sys.argv[1] if sys.argv[1:] else str(Path(__file__).parents[2] / ".venv/bin/python")
    print(f"{'':<46}{'ratio':>6}{'seconds':>9}{'0.1':>7}{'peak MB':>9}{'0.1':>7}")
    is_above = False
    for case in CASES:
        rounds = [
            (run(sys.executable, case, "here"), run(python, case, "0.1")) for _ in range(ROUNDS)
        ]
        here, before = (
            [statistics.median(values) for values in zip(*of_one, strict=True)]
            for of_one in zip(*rounds, strict=True)
        )
        ratio = here[0] / before[0]
        is_above |= case.startswith("suda") and ratio > BOUND
        print(
            f"{case:<46}{ratio:>6.2f}{here[0]:>9.3f}{before[0]:>7.3f}{here[1]:>9,.0f}"
            f"{before[1]:>7,.0f}",
            flush=True,
        )
    print(f"The bound of suda is {BOUND}{': a ratio is ABOVE' if is_above else ''}.")
    return int(is_above)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[3], is_0_1=sys.argv[2] == "0.1")
        sys.exit()
    sys.exit(main())
