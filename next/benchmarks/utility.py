"""Utility beside what it cannot do without, and beside 0.1: CPU, one thread, one run.

    python benchmarks/utility.py [PYTHON_OF_0_1]

Tables: all of 35 columns with every statistic, to the bare counts of their pairs; bound 2.
Permutations: pMSE by 51 trees of 9 columns of SD2011, to 0.1's; bound 2.5. A ratio is the median of
five calls to the median of five yardsticks. 0.1 is the project around this tree, in its own
environment, unless its Python is named.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import statistics
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from random import Random
from time import process_time

import numpy as np
import polars as pl
from counts import in_turn

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parents[1] / "tests"))

import unveil
from reference import find_reference
from unveil.measures.utility.columns import variables_of
from unveil.measures.utility.propensity import by_tree, choose_records
from unveil.measures.utility.tables import count_tables, table_figures

SYNTHPOP = 21.0  # seconds of synthpop 1.9-3 for the same 50 permutations, as 0.1 measured it
COLUMNS = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]
OF_0_1 = """
import sys, time, unveil
start = time.process_time()
row = unveil.utility(*sys.argv[1:], seed=1, workers=1, special_codes={"income": [-8]},
                     missing_values=["NA"]).rows[0]
print(time.process_time() - start, row.pMSE)
"""


def people(n_columns: int, n: int, seed: int) -> pl.DataFrame:
    """Columns as surveys have them: a third numbers, the others of 2 to 16 levels."""
    chance = Random(seed)
    common = [chance.gauss(0, 1) for _ in range(n)]
    columns: dict[str, list[object]] = {}
    for place in range(n_columns):
        mixed = [0.6 * shared + 0.8 * chance.gauss(0, 1) for shared in common]
        most = (place * 7) % 15 + 1
        columns[f"column {place}"] = (
            [round(40 + 15 * value) for value in mixed]
            if place % 3 == 0
            else [f"level {min(max(round(most * (value + 2) / 4), 0), most)}" for value in mixed]
        )
    return pl.DataFrame(columns)


def tables(n_columns: int, n: int) -> str:
    study = unveil.Study(people(n_columns, n, 1), people(n_columns, n, 2))
    variables = list(variables_of(study).values())
    codes = [(v.groups, v.n_groups) for v in variables]

    def bare() -> None:
        for (a, _), (b, width) in combinations(codes, 2):
            cells = a * width + b
            for rows in study.rows:
                np.bincount(cells[rows])

    def ours() -> None:
        table_figures(count_tables(variables), 0, 1)

    seconds, yardstick = in_turn(ours, bare)
    return f"{n_columns} columns of {n:,}: {seconds / yardstick:.2f} ({seconds:.3f} s), bound 2"


def permutations(python: str) -> str:
    golden = find_reference("synthpop/golden.json")
    if golden is None:
        return "permutations: the files of synthpop are not beside the project (tests/reference.py)"
    files = [str(golden.parent / name) for name in ("sd2011_ods.csv", "s1.csv")]

    def ours() -> float:
        start = process_time()
        about = {"income": {"special": (-8,)}}
        study = unveil.Study(*files, targets=COLUMNS, columns=about, missing=("NA",))
        variables = list(variables_of(study).values())
        by_tree(variables, choose_records(study, 1, 50_000, 1), 50, 1)
        return process_time() - start

    def before() -> float:
        words = [python, "-I", "-c", OF_0_1, *files]
        printed = subprocess.run(words, capture_output=True, check=True, text=True).stdout
        return float(printed.split()[0])

    rounds = [(ours(), before()) for _ in range(5)]
    seconds, yardstick = (statistics.median(column) for column in zip(*rounds, strict=True))
    return (
        f"50 permutations: {seconds / yardstick:.2f} of 0.1 ({seconds:.2f} s, {yardstick:.2f} s),"
        f" bound 2.5; synthpop took {SYNTHPOP / seconds:.0f} times as long"
    )


if __name__ == "__main__":
    print(tables(35, 5_000))
    print(tables(14, 50_000))
    print(permutations((sys.argv[1:] or [str(HERE.parents[2] / ".venv/bin/python")])[0]))
