"""Files, commands, runs and models: what do they cost beside the bare work in them?

Each row is a ratio of CPU seconds (all processes and threads) to a yardstick that stands in this
file and runs beside it, or to the seconds that synthpop needed for the same data. `all.py` prints
them.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
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
KEPT = "UNVEIL_BENCHMARK_FILES"
"""The folder in which `all.py` keeps the files for all its processes."""


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
    """Both files as text, and the original as Parquet; made once for all processes."""
    place = Path(os.environ[KEPT])
    if (place / "original.parquet").exists():  # which is written last
        return place
    for seed, name in enumerate(("original", "synthetic"), start=1):
        people(seed).write_csv(place / f"{name}.csv")
    pl.read_csv(place / "original.csv")[:, :9].write_parquet(place / "original.parquet")
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


def to_process(ours: Sequence[str], bare: Sequence[str]) -> float:
    """Median CPU seconds of one process of Python to another, in turns, its modules compiled."""
    with tempfile.TemporaryDirectory() as cache_folder:
        known = {**os.environ, "PYTHONPYCACHEPREFIX": cache_folder}
        known.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(arguments: Sequence[str]) -> None:
            ended = subprocess.run(
                [sys.executable, *arguments], env=known, capture_output=True, check=False
            )
            if ended.returncode not in (0, 3, 4):  # 3 and 4: measured, and something stands out
                raise RuntimeError(ended.stderr.decode())

        run(ours)
        pairs = [[seconds(lambda: run(one)) for one in (ours, bare)] for _ in range(3)]  # noqa: B023
        return statistics.median(mine / theirs for mine, theirs in pairs)


def version() -> list[float]:
    """`unveil --version`, to importing click."""
    return [to_process(["-m", "unveil", "--version"], ["-c", "import click"])]


def parquet() -> list[float]:
    """Reading 10^6 records of 9 columns apart, to reading them here: warm, and cold."""
    from unveil.io import isolated
    from unveil.io.sources import read_table

    path = folder() / "original.parquet"

    def read(n: int) -> None:
        for _ in range(n):
            read_table(path, side="original")
        isolated._end_all()

    read(1)
    warm, cold = [], []
    for _ in range(3):
        bare = seconds(lambda: [pl.read_parquet(path) for _ in range(9)]) / 9
        one = seconds(lambda: read(1))
        cold.append(one / bare)
        warm.append((seconds(lambda: read(9)) - one) / 8 / bare)
    return [statistics.median(warm), statistics.median(cold)]


def command() -> list[float]:
    """`unveil disclosure` on two text files, to only reading both; and the figures without checks.

    The command checks the files for real records and computes what is expected behind DiSCO, too.
    """
    files = [str(folder() / f"{name}.csv") for name in ("original", "synthetic")]
    bare = f"import polars as pl; [pl.read_csv(f) for f in {files!r}]"
    ours = ["-m", "unveil", "disclosure", *files, "--keys", ",".join(KEYS)]
    figures = f"import unveil; print(unveil.disclosure(*{files!r}, keys={list(KEYS)!r}))"
    return [to_process(one, ["-c", bare]) for one in (ours, ["-c", figures])]


def run() -> list[float]:
    """`unveil run` with every measure, to the bare group-bys of its keys and targets."""
    from unveil.project.read_project import read_project
    from unveil.project.run import run_project

    frames = [pl.read_csv(folder() / f"{name}.csv") for name in ("original", "synthetic")]

    def bare() -> None:
        for frame in frames:
            for by in (KEYS, *([*KEYS, target] for target in TARGETS)):
                frame.group_by(by).len()

    before = [seconds(bare) for _ in range(2)]
    with tempfile.TemporaryDirectory(dir=folder()) as project:
        for name in ("original.csv", "synthetic.csv"):
            os.link(folder() / name, Path(project, name))
        Path(project, "project.toml").write_text(PROJECT)
        ours = seconds(lambda: run_project(read_project(project), again=True))
    return [ours / statistics.median([*before, seconds(bare)])]


def survey(name: str) -> pl.DataFrame:
    """Nine columns of SD2011, or a copy by synthpop."""
    return pl.read_csv(SYNTHPOP / name, infer_schema_length=None, null_values=["NA"])


def parametric() -> list[float]:
    """Regressions of nine columns and one copy, to synthpop's seconds."""
    from unveil.synthesis.synthesise import synthesise

    original = survey("sd2011_ods.csv")
    asked = {"method": "parametric", "special_codes": {"income": [-8]}, "seed": 1, "workers": 1}
    work = [seconds(lambda: synthesise(original, **asked)) for _ in range(3)]
    return [statistics.median(work) / SYNTHPOP_SYNTHESIS]


def utility() -> list[float]:
    """A tree and 50 of permuted labels, to synthpop's seconds."""
    from unveil.measure.utility.utility import utility as measure

    pair = survey("sd2011_ods.csv"), survey("s1.csv")
    asked = {"special_codes": {"income": [-8]}, "n_permutations": 50, "seed": 1, "workers": 1}
    work = [seconds(lambda: measure(*pair, **asked)) for _ in range(3)]
    return [statistics.median(work) / SYNTHPOP_UTILITY]


GROUPS: list[tuple[Callable[[], list[float]], list[tuple[str, float]]]] = [
    (version, [("unveil --version, to import click", 3.0)]),
    (
        parquet,
        [
            ("Parquet 10^6 x 9 apart, warm, to bare", 4.0),
            ("Parquet 10^6 x 9 apart, cold, to bare", 10.0),
        ],
    ),
    (
        command,
        [
            ("disclosure command on CSV 10^6, to reading", 2.0),
            ("its figures alone, from Python, to reading", 2.0),
        ],
    ),
    (run, [("run, all measures, 10^6, to bare group-bys", 30.0)]),
    (parametric, [("parametric synthesis, to synthpop", 0.5)]),
    (utility, [("utility, 50 permutations, to synthpop", 1.0)]),
]
"""What measures, and its rows: a name and a bound each."""
