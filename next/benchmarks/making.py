"""CPU seconds and memory of synthesis and of the distance filter: one thread, one run.

    python benchmarks/making.py [SD2011.csv [PYTHON_OF_0_1]]

With a file of SD2011, CART of 22 columns and regressions of 9 by 0.1 in the same run, and the
ratio.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import resource
import subprocess
import sys
import time

import polars as pl
from people import people

import unveil

OF_0_1 = """
import polars as pl, sys, time, unveil
data = pl.read_csv(sys.argv[1], null_values="NA", infer_schema_length=None)
data = data.select(data.columns[:int(sys.argv[3])])
asked = {"min_leaf": 33, "min_split": 100, "seed": 1}
unveil.synthesise(data.head(2000), method=sys.argv[2], **asked).copies
start = time.process_time()
unveil.synthesise(data, method=sys.argv[2], **asked).copies
print(time.process_time() - start)
"""


def cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def main():
    unveil.synthesise(unveil.Study(people(5_000, 0)), seed=1)  # imports
    for n in (5_000, 200_000):
        study = unveil.Study(people(n, 1))
        columns = len(study.original.columns)
        seconds = cpu(lambda study=study: unveil.synthesise(study, seed=1))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"cart, {n:,} x {columns}: {seconds:.2f} s, {peak:,.0f} MB at most")
    for n in (2_000, 5_000):
        study = unveil.Study(people(n, 1), people(n, 2))
        print(f"distance filter, {n:,}: {cpu(lambda s=study: unveil.distance_filter(s)):.2f} s")
    if len(sys.argv) < 2:
        return
    data = pl.read_csv(sys.argv[1], null_values="NA", infer_schema_length=None)
    python = sys.argv[2] if len(sys.argv) > 2 else "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for method, columns in (("cart", 22), ("parametric", 9)):
        columns = min(columns, len(data.columns))
        study = unveil.Study(data.select(data.columns[:columns]))
        here = cpu(
            lambda method=method, study=study: unveil.synthesise(study, method=method, seed=1)
        )
        words = [python, "-c", OF_0_1, sys.argv[1], method, str(columns)]
        ran = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
        before = float(ran.stdout)
        print(f"{method}, {len(data):,} x {columns}: {here:.2f} s, 0.1 {before:.2f} s,"
              f" ratio {here / before:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
