"""Disclosure beside the bare polars group-bys that it cannot do without: CPU, one thread, one run.

    python benchmarks/counts.py [--runs 3] [--only NAME]

Each row is a process of its own. A ratio is the median of five calls on new studies to the median
of five yardsticks, taken in turn.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import polars as pl
from people import LARGE, SMALL, TARGETS, people

import unveil
from unveil.examples import KEYS, survey, survey_synthetic
from unveil.examples import TARGETS as survey_targets

RULES = ("condition=condition 0", "missing-targets", "max-denominator=1")


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turn(*works: Callable[[], object], times: int = 5) -> list[float]:
    """The median CPU seconds of each work, all taken in turn."""
    rounds = [[cpu(work) for work in works] for _ in range(times)]
    return [statistics.median(seconds) for seconds in zip(*rounds, strict=True)]


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def disclosure(n: int, keys: tuple[str, ...]) -> str:
    original, synthetic = people(n, 1), people(n, 2)

    def ours() -> None:
        study = unveil.Study(original, synthetic, keys=keys, targets=TARGETS)
        unveil.disclosure(study, expected=False)

    def bare() -> None:
        for frame in (original, synthetic):
            for target in TARGETS:
                frame.group_by([*keys, target]).len()

    loaded = peak()
    ours()
    room = (peak() - loaded) / n / len(TARGETS)
    seconds, yardstick = in_turn(ours, bare)
    return f"{seconds / yardstick:.2f} ({seconds:.2f} s, {room:.0f} bytes a row and target)"


def copies(m: int, n: int, keys: tuple[str, ...]) -> str:
    original, synthetic = people(n, 0), [people(n, seed) for seed in range(1, m + 1)]

    def ours(files: object) -> None:
        study = unveil.Study(original, files, keys=keys, targets=TARGETS)
        unveil.disclosure(study, expected=False)

    ours(synthetic[0])
    whole, single = in_turn(lambda: ours(synthetic), lambda: ours(synthetic[0]), times=3)
    return f"{whole / single:.1f} ({whole:.2f} s)"


def what_if(n: int, keys: tuple[str, ...]) -> str:
    original, synthetic = people(n, 1), people(n, 2)
    counted, asked = [], []
    for _ in range(5):
        study = unveil.Study(original, synthetic, keys=keys, targets=TARGETS)
        side = next(study.sides())
        counted.append(cpu(lambda: [study.profile(t, side) for t in (*TARGETS, None)]))  # noqa: B023
        result = unveil.disclosure(study, expected=False)
        asked.append(cpu(lambda: result.what_if(*RULES)))  # noqa: B023
    seconds = statistics.median(asked)
    return f"{seconds / statistics.median(counted):.2f} ({seconds:.3f} s)"


def expected(
    original: pl.DataFrame, synthetic: pl.DataFrame, keys: tuple[str, ...], targets: tuple[str, ...]
) -> str:
    """Beside 50 trees for each target on the same columns."""
    from sklearn.ensemble import RandomForestClassifier

    n = len(original)
    study = unveil.Study(original, synthetic, keys=keys, targets=targets)
    codes = [study.column(name).codes[:n] for name in keys]

    def forests() -> None:
        for target in targets:
            model = RandomForestClassifier(50, min_samples_leaf=3, max_features=None)
            model.fit(list(zip(*codes, strict=True)), study.column(target).codes[:n])

    def ours() -> None:
        unveil.disclosure(unveil.Study(original, synthetic, keys=keys, targets=targets))

    ours()
    seconds, yardstick = in_turn(ours, forests, times=3)
    return f"{seconds / yardstick:.2f} ({seconds / len(targets):.2f} s a target)"


def key_sets(n: int) -> str:
    """1,023 sets of ten keys beside the group-bys of forty of them, in proportion."""
    original, synthetic = people(n, 1), people(n, 2)
    names = [name for name in original.columns if name not in TARGETS[:3]]
    study = unveil.Study(original, synthetic, keys=names, targets=TARGETS[:3])

    def bare() -> None:
        for place in range(40):
            keys = [name for at, name in enumerate(names) if (place * 25 + 7) >> at & 1]
            for frame in (original, synthetic):
                for target in TARGETS[:3]:
                    frame.group_by([*keys, target]).len()

    seconds, yardstick = in_turn(lambda: unveil.key_sets(study, expected=False), bare, times=1)
    return f"{seconds / (yardstick * 1023 / 40):.2f} ({seconds:.2f} s)"


ROWS: dict[str, tuple[Callable[[], str], str]] = {
    "10^6 rows, small keys": (lambda: disclosure(10**6, SMALL), "0.40"),
    "10^6 rows, large keys": (lambda: disclosure(10**6, LARGE), "0.50"),
    "10^5 rows, small keys": (lambda: disclosure(10**5, SMALL), "1.6"),
    "10^5 rows, large keys": (lambda: disclosure(10**5, LARGE), "1.6"),
    "20 copies to one, 10^5, small keys": (lambda: copies(20, 10**5, SMALL), "45"),
    "20 copies to one, 10^5, large keys": (lambda: copies(20, 10**5, LARGE), "45"),
    "50 copies to one, 10^5, small keys": (lambda: copies(50, 10**5, SMALL), "60"),
    "what-if to the count, 10^6, small keys": (lambda: what_if(10**6, SMALL), "0.5"),
    "what-if to the count, 10^6, large keys": (lambda: what_if(10**6, LARGE), "0.5"),
    "expected to 50 trees a target, 8 targets of 5,000 people": (
        lambda: expected(survey(), survey_synthetic(), KEYS, survey_targets),
        "3",
    ),
    "the same, targets of 300 to 500 levels": (
        lambda: expected(people(5_000, 1), people(5_000, 2), SMALL, LARGE),
        "none",
    ),
    "1,023 key sets, 10^5 rows": (lambda: key_sets(10**5), "none"),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--row", choices=ROWS)
    asked = parser.parse_args()
    if asked.row:
        print(ROWS[asked.row][0]())
        return
    for name, (_, bound) in ROWS.items():
        if asked.only in name:
            command = [sys.executable, __file__, "--row", name]
            runs = [
                subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
                for _ in range(asked.runs)
            ]
            print(f"| {name} | {bound} | {'; '.join(runs)} |", flush=True)


if __name__ == "__main__":
    main()
