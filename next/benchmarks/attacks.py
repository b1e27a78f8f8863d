"""Attacks beside scipy's distances, and beside Anonymeter: CPU seconds, one thread, one run.

    python benchmarks/attacks.py [PYTHON_WITH_ANONYMETER]

scipy computes 2,000 x 50,000 distances over 15 columns and nothing else. Recognition tests 100
people of 5,000 in 400 worlds of 12 columns, whose records are drawn with replacement: theory says
how well. Anonymeter has an environment of its own; it makes 500 attacks of each kind on 49,000
records, and so do we.
"""

import os

for library in (
    "POLARS_MAX_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[library] = "1"

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from people import people

import unveil

ANONYMETER = """
import sys, time, pandas
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
ori, syn, control = (pandas.read_csv(f"{sys.argv[1]}/{name}.csv") for name in ("o", "s", "c"))
names = list(ori.columns)
def attacks(n):
    yield "inference", InferenceEvaluator(ori, syn, control=control, aux_cols=names[:-1],
                                          secret=names[-1], n_attacks=n)
    yield "linkability", LinkabilityEvaluator(ori, syn, control=control, n_attacks=n,
                                              aux_cols=(names[:4], names[4:8]))
    yield "singling_out", SinglingOutEvaluator(ori, syn, control=control, n_cols=3, n_attacks=n)
for n in (5, 500):  # the first compiles
    for name, evaluator in attacks(n):
        start = time.process_time()
        evaluator.evaluate(**({"mode": "multivariate"} if name == "singling_out" else {}))
        evaluator.risk()
        if n == 500:
            print(name, time.process_time() - start)
"""


def wide(n: int, seed: int) -> pl.DataFrame:
    """Fifteen columns, five of them numbers."""
    random = np.random.default_rng(seed + 100)
    frame = people(n, seed).drop("postcode", "birthday").with_columns(pl.col("employer").cast(str))
    more = {f"answer {k}": pl.Series(random.integers(5, size=n)).cast(str) for k in range(3)}
    return frame.with_columns(height=random.normal(170, 10, n).round(), **more)


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def beside_scipy() -> None:
    from scipy.spatial.distance import cdist

    original, synthetic = wide(50_000, 1), wide(50_000, 2)
    names = original.columns
    study = unveil.Study(original, synthetic, keys=names[:8], targets=names[8:])
    codes = [study.column(name).codes.astype(float) for name in names]
    ones, others = (np.column_stack([c[rows] for c in codes]) for rows in study.rows)

    def distances() -> None:
        for some in np.array_split(ones[:2_000], 100):
            cdist(some, others, "cityblock")

    works = {
        f"inference of {len(names) - 8} targets": lambda: unveil.inference(study, people=2_000),
        "linkability": lambda: unveil.linkability(study, people=2_000),
        "singling out": lambda: unveil.singling_out(study),
    }
    yardstick = cpu(distances)
    print(f"2,000 people, 50,000 records, {len(names)} columns: scipy {yardstick:.1f} s")
    for name, work in works.items():
        seconds = cpu(work)
        print(f"  {name:<30}{seconds:6.1f} s{seconds / yardstick:8.1f}")


def recognise() -> None:
    original, control = (wide(n, seed).drop("answer 0", "answer 1", "answer 2")
                         for n, seed in ((5_000, 1), (1_000, 2)))  # fmt: skip
    names, of_synthesiser = original.columns, 0.0
    study = unveil.Study(original, control=control, keys=names[:6], targets=names[6:])

    def resample(data: unveil.Data, seed: int) -> pl.DataFrame:
        nonlocal of_synthesiser
        start = time.process_time()
        release = data.frame.sample(fraction=1, with_replacement=True, seed=seed)
        of_synthesiser += time.process_time() - start
        return release

    start = time.process_time()
    row = unveil.recognition(study, resample, seed=1).recognition[0]
    seconds = time.process_time() - start - of_synthesiser
    print(f"recognition: {row.people} people, {row.worlds} worlds, 5,000 x {len(names)}:"
          f" {seconds:.0f} s beside the synthesiser, AUC {row.AUC:.3f} (theory 0.816),"
          f" of people in no world {row.self_test:.3f}")  # fmt: skip


def beside_anonymeter(python: str) -> None:
    frames = {"o": wide(49_000, 1), "s": wide(49_000, 2), "c": wide(49_000, 3)}
    with TemporaryDirectory() as folder:
        for name, frame in frames.items():
            frame.write_csv(Path(folder, f"{name}.csv"))
        words = [python, "-c", ANONYMETER, folder]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        theirs = {name: float(s) for name, s in map(str.split, printed.splitlines())}

    def study(targets: list[str]) -> unveil.Study:
        keys = [name for name in frames["o"].columns if name not in targets]
        about = {"control": frames["c"], "keys": keys, "targets": targets}
        return unveil.Study(frames["o"], frames["s"], **about)

    names = frames["o"].columns
    parts = (names[:4], names[4:8])
    ours = {
        "inference": lambda: unveil.inference(study(names[-1:]), people=500),
        "linkability": lambda: unveil.linkability(study(names[-1:]), parts=parts, people=500),
        "singling_out": lambda: unveil.singling_out(study(names[-1:]), guesses=500),
    }
    print("500 attacks, 49,000 records, with a control sample: Anonymeter, ours, ratio")
    total = 0.0
    for name, work in ours.items():
        seconds = cpu(work)
        total += seconds
        print(f"  {name:<15}{theirs[name]:8.1f} s{seconds:8.1f} s{theirs[name] / seconds:8.1f}")
    print(f"  together {sum(theirs.values()) / total:.1f}")


if __name__ == "__main__":
    beside_scipy()
    recognise()
    if sys.argv[1:]:
        beside_anonymeter(sys.argv[1])
