"""Files, commands, runs and models: what do they cost beside the bare work in them?

Each row is a ratio of CPU seconds (all processes and threads) to a yardstick that stands in this
file and runs beside it, or to the seconds that synthpop needed for the same data.

    python benchmarks/all_files.py                     all rows
    python benchmarks/all_files.py --rounds 3          each three times
    python benchmarks/all_files.py --only "version"    the rows with this in their name
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

N = 1_000_000
KEYS = ["sex", "age", "region", "education"]
TARGETS = [*(f"t{i}" for i in range(6)), "income", "height"]
SYNTHPOP = Path(__file__).parents[2] / "shared/reference/synthpop"
SYNTHPOP_SYNTHESIS, SYNTHPOP_UTILITY = 8.9, 21.0  # seconds, 9 columns of SD2011
PROJECT = """schema = 1
[data]
original = "original.csv"
synthetic = ["synthetic.csv"]
[[scenario]]
name = "neighbour"
keys = ["sex", "age", "region", "education"]
targets = "all"
"""
_kept = tempfile.TemporaryDirectory()


def people(seed: int) -> pl.DataFrame:
    """Twelve columns as surveys have them, which depend on one another."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=N)

    def mixed() -> np.ndarray:
        return 0.6 * common + 0.8 * rng.normal(size=N)

    def levels(k: int) -> np.ndarray:
        texts = np.array([f"level {i}" for i in range(k)])
        return texts[np.searchsorted(np.linspace(-1.5, 1.5, k - 1), mixed())]

    made = {"sex": levels(2), "age": np.clip(np.round(40 + 15 * mixed()), 16, 95).astype(int)}
    made |= {"region": levels(16), "education": levels(5)}
    made |= {f"t{i}": levels(3 + i) for i in range(6)}
    made["income"] = np.round(np.exp(7 + 0.5 * mixed()) / 10) * 10
    made["height"] = np.round(170 + 10 * rng.normal(size=N))
    return pl.DataFrame(made)


@cache
def folder() -> Path:
    """A project with both files as text, and the original as Parquet."""
    place = Path(_kept.name)
    for seed, name in enumerate(("original", "synthetic"), start=1):
        people(seed).write_csv(place / f"{name}.csv")
    pl.read_csv(place / "original.csv")[:, :9].write_parquet(place / "original.parquet")
    (place / "project.toml").write_text(PROJECT)
    return place


def used() -> float:
    """CPU seconds of this process and of those that it started and ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of some work."""
    start = used()
    work()
    return used() - start


def process(*arguments: str) -> float:
    """CPU seconds of a process of Python; its modules were compiled before, as when installed."""
    with tempfile.TemporaryDirectory() as cache_folder:
        known = {**os.environ, "PYTHONPYCACHEPREFIX": cache_folder}
        known.pop("PYTHONDONTWRITEBYTECODE", None)

        def run() -> None:
            ended = subprocess.run(
                [sys.executable, *arguments], env=known, capture_output=True, check=False
            )
            if ended.returncode not in (0, 3, 4):  # 3 and 4: measured, and something stands out
                raise RuntimeError(ended.stderr.decode())

        run()
        return min(seconds(run) for _ in range(3))


def version() -> float:
    """`unveil --version`, to importing click."""
    return process("-m", "unveil", "--version") / process("-c", "import click")


def parquet(*, is_warm: bool) -> float:
    """Reading 10^6 records of 9 columns apart, to reading them here."""
    from unveil.io import isolated
    from unveil.io.sources import read_table

    path = folder() / "original.parquet"
    bare = min(seconds(lambda: pl.read_parquet(path)) for _ in range(5))
    isolated._end_all()

    def cold() -> None:
        read_table(path, side="original")
        isolated._end_all()

    def several(n: int) -> None:
        for _ in range(n):
            read_table(path, side="original")
        isolated._end_all()

    one = min(seconds(cold) for _ in range(3))
    return (seconds(lambda: several(9)) - one) / 8 / bare if is_warm else one / bare


def command() -> float:
    """`unveil disclosure` on two text files with all that it checks, to only reading both."""
    files = [str(folder() / f"{name}.csv") for name in ("original", "synthetic")]
    ours = process("-m", "unveil", "disclosure", *files, "--keys", ",".join(KEYS))
    bare = f"import polars as pl; [pl.read_csv(f) for f in {files!r}]"
    return ours / process("-c", bare)


def run() -> float:
    """`unveil run` with every measure, to the bare group-bys of its keys and targets."""
    from unveil.project.read_project import read_project
    from unveil.project.run import run_project

    frames = [pl.read_csv(folder() / f"{name}.csv") for name in ("original", "synthetic")]

    def bare() -> None:
        for frame in frames:
            for by in (KEYS, *([*KEYS, target] for target in TARGETS)):
                frame.group_by(by).len()

    ours = seconds(lambda: run_project(read_project(folder()), again=True))
    return ours / min(seconds(bare) for _ in range(3))


def survey(name: str) -> pl.DataFrame:
    """Nine columns of SD2011, or a copy by synthpop."""
    return pl.read_csv(SYNTHPOP / name, infer_schema_length=None, null_values=["NA"])


def parametric() -> float:
    """Regressions of nine columns and one copy, to synthpop's seconds."""
    from unveil.synthesis.synthesise import synthesise

    original = survey("sd2011_ods.csv")
    asked = {"method": "parametric", "special_codes": {"income": [-8]}, "seed": 1, "workers": 1}
    work = [seconds(lambda: synthesise(original, **asked)) for _ in range(3)]
    return min(work) / SYNTHPOP_SYNTHESIS


def utility() -> float:
    """A tree and 50 of permuted labels, to synthpop's seconds."""
    from unveil.measure.utility.utility import utility as measure

    pair = survey("sd2011_ods.csv"), survey("s1.csv")
    asked = {"special_codes": {"income": [-8]}, "n_permutations": 50, "seed": 1, "workers": 1}
    return min(seconds(lambda: measure(*pair, **asked)) for _ in range(3)) / SYNTHPOP_UTILITY


ROWS: list[tuple[str, Callable[[], float], str, float]] = [
    ("unveil --version, to import click", version, "10", 3.0),
    ("Parquet 10^6 x 9 apart, warm, to bare", lambda: parquet(is_warm=True), "-", 4.0),
    ("Parquet 10^6 x 9 apart, cold, to bare", lambda: parquet(is_warm=False), "35-40", 10.0),
    ("disclosure command on CSV 10^6, to reading", command, "3.7", 2.0),
    ("run, all measures, 10^6, to bare group-bys", run, "over 4 minutes", 30.0),
    ("parametric synthesis, to synthpop", parametric, "2.0", 0.5),
    ("utility, 50 permutations, to synthpop", utility, "1.6", 1.0),
]
"""What is measured, how, what it was when the bounds were set, and the bound."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    print(f"{'work':<44} {'was':>14} {'now':>8} {'bound':>6}")
    for name, work, was, bound in ROWS:
        if asked.only in name:
            start = time.perf_counter()
            now = statistics.median(work() for _ in range(asked.rounds))
            mark = "" if now <= bound else "  above"
            took = time.perf_counter() - start
            print(f"{name:<44} {was:>14} {now:8.2f} {bound:6.1f}{mark} ({took:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
