"""What do files cost that memory does not hold: in chunks, and with DuckDB?

Files of invented people are made in batches in a temporary folder, which is removed; with --folder
they stay for the next run. Each count runs in a process of its own under RLIMIT_DATA of 1.5 GB: CPU
seconds (threads included), the largest resident set, and microseconds a row. On a prefix of 200,000
rows the record must equal the one counted in memory, to the last digit. A thousand rows are counted
twice before: first with the libraries that are read in then (start), then what any count costs
(fixed). Growth: how far the cost a row of any size is from the lowest, and how far the CPU seconds
are from a straight line, of what every count costs and what each row costs.

    python benchmarks/scale.py                       25 million rows a file, small and large keys
    python benchmarks/scale.py --growth              10^6 to 5 * 10^7 rows
    python benchmarks/scale.py --rows 1000000        another size
    python benchmarks/scale.py --engine chunks --keys small   one of them
"""

import argparse
import json
import math
import resource
import signal
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from disclosure import LARGE_KEYS, SMALL_KEYS, TARGETS
from polars.io.plugins import register_io_source

import unveil

LIMIT = 1_500_000_000
MEMORY = {"chunks": "1GB", "duckdb": "500MB"}  # DuckDB takes more than its limit
BATCH = 500_000
PREFIX = 200_000
FEW = 1_000
KEYS = {"small": SMALL_KEYS, "large": LARGE_KEYS}  # 15,360 combinations, and 2.2 * 10^10
GROWTH = (1_000_000, 5_000_000, 25_000_000, 50_000_000)


def texts(rng: np.random.Generator, n: int, stem: str, n_levels: int) -> pl.Series:
    """Text levels, lower numbers more often."""
    codes = np.minimum(rng.integers(0, n_levels, n), rng.integers(0, n_levels, n))
    return pl.Series([f"{stem} {place}" for place in range(n_levels)]).gather(codes)


def people(n: int, seed: int) -> pl.DataFrame:
    """Invented people as in `disclosure.py`, drawn faster: small keys, large keys, targets."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "sex": texts(rng, n, "sex", 2),
            "age": rng.integers(16, 96, n),
            "region": texts(rng, n, "region", 16),
            "settlement": texts(rng, n, "settlement", 6),
            "parish": texts(rng, n, "parish", 400),
            "birthday": rng.integers(0, 366, n),
            "employer": rng.integers(0, 500, n),
            "postcode": rng.integers(10_000, 10_300, n),
            "education": texts(rng, n, "education", 4),
            "marital": texts(rng, n, "marital", 4),
            "health": rng.integers(1, 24, n),
            "income": np.minimum(rng.integers(0, 1500, n), rng.integers(0, 1500, n)) * 10.0,
            "condition": texts(rng, n, "condition", 4).zip_with(
                pl.Series(rng.random(n, np.float32) > 0.02), pl.Series([None], dtype=pl.String)
            ),
        }
    )


def write_people(path: Path, n_rows: int, seed: int) -> None:
    """Invented people, a batch at a time; a batch is the same in files of every size."""

    def give(*_asked: object):
        for number, start in enumerate(range(0, n_rows, BATCH)):
            yield people(BATCH, 1000 * seed + number)[: n_rows - start]

    schema = people(10, 0).schema
    register_io_source(give, schema=schema).sink_parquet(path, engine="streaming")


def count(folder: Path, n_rows: int, engine: str, keys: str) -> dict[str, float | str]:
    """One count under the limit, in this process."""
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    took = []
    for size in (FEW, FEW, n_rows):
        files = [folder / f"{side}_{size}.parquet" for side in (1, 2)]
        start = time.process_time()
        with unveil.use_engine(engine, memory=MEMORY[engine], spill=folder):
            found = unveil.disclosure(*files, keys=KEYS[keys], targets=TARGETS)
        took.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "start": took[0] - took[1],
        "fixed": took[1],
        "cpu": took[2],
        "peak": peak,
        "n_q": found.record.n_q_union,
        "said": found.record.coercions[0].sentence if found.record.coercions else "",
    }


def is_equal(folder: Path, n_rows: int, engine: str, keys: str) -> bool:
    """Whether the record of a prefix is the one counted in memory."""
    heads = []
    for side in (1, 2):
        heads.append(folder / f"head_{side}.parquet")
        pl.scan_parquet(folder / f"{side}_{n_rows}.parquet").head(PREFIX).sink_parquet(heads[-1])
    asked = {"keys": KEYS[keys], "targets": TARGETS}
    here = unveil.disclosure(*heads, **asked).record.to_dict()
    with unveil.use_engine(engine, memory=MEMORY[engine], spill=folder):
        there = unveil.disclosure(*heads, **asked).record.to_dict()
    there["coercions"] = [one for one in there["coercions"] if one["kind"] != "engine"]
    return json.dumps(here, sort_keys=True) == json.dumps(there, sort_keys=True)


def run_apart(folder: Path, n_rows: int, engine: str, keys: str) -> dict[str, float]:
    """One count in a process of its own; its row is printed."""
    asked = [str(folder), str(n_rows), engine, keys]
    made = subprocess.run(
        [sys.executable, __file__, "--one", *asked], capture_output=True, text=True, check=False
    )
    if made.returncode:
        print(f"{n_rows:>11,} {engine:8} {keys:6} FAILED: {made.stderr.strip()[-300:]}", flush=True)
        return {"cpu": math.nan, "peak": math.nan}
    found = json.loads(made.stdout)
    per_row = 1e6 * found["cpu"] / (2 * n_rows)
    print(
        f"{n_rows:>11,} {engine:8} {keys:6} {found['n_q']:>12,} {found['cpu']:>8.1f}"
        f" {found['peak']:>8,.0f} {per_row:>8.2f} {found['start']:>8.2f} {found['fixed']:>8.2f}",
        flush=True,
    )
    return found


def main() -> None:
    """The tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=25_000_000)
    parser.add_argument("--engine", choices=["chunks", "duckdb"])
    parser.add_argument("--keys", choices=list(KEYS))
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", nargs=4)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the folder is removed then, too
    if asked.one:
        folder, n_rows, engine, keys = asked.one
        print(json.dumps(count(Path(folder), int(n_rows), engine, keys)))
        return
    engines = [asked.engine] if asked.engine else ["chunks", "duckdb"]
    names = [asked.keys] if asked.keys else list(KEYS)
    sizes = GROWTH if asked.growth else (asked.rows,)
    heads = "combinations    CPU s  peak MB us a row    start    fixed"
    print(f"rows a file engine   keys   {heads}", flush=True)
    with tempfile.TemporaryDirectory(prefix="unveil-scale-") as made:
        folder = asked.folder or Path(made)
        took: dict[tuple[str, str], list[tuple[int, float]]] = {}
        write_pair(folder, FEW)
        for n_rows in sizes:
            write_pair(folder, n_rows)
            for engine, keys in product(engines, names):
                found = run_apart(folder, n_rows, engine, keys)
                took.setdefault((engine, keys), []).append((n_rows, found["cpu"]))
        for (engine, keys), rows in took.items():
            same = is_equal(folder, sizes[0], engine, keys)
            print(f"{engine}, {keys} keys: prefix equal to memory: {same}", flush=True)
            if len(rows) > 1:
                print(f"{engine}, {keys} keys: {growth(rows)}", flush=True)


def write_pair(folder: Path, n_rows: int) -> None:
    """Both files, unless they are there."""
    for side in (1, 2):
        path = folder / f"{side}_{n_rows}.parquet"
        if not path.exists():
            write_people(path, n_rows, side)


def growth(rows: list[tuple[int, float]]) -> str:
    """The straight line with the least relative squares, and the farthest size from it."""
    sizes, seconds = np.array([one for one in rows if math.isfinite(one[1])]).T
    line = np.column_stack([np.ones_like(sizes), 2 * sizes])
    (fixed, each), *_ = np.linalg.lstsq(line / seconds[:, None], np.ones_like(seconds))
    off = np.abs(line @ (fixed, each) / seconds - 1).max()
    each_row = seconds / sizes
    beyond = each_row.max() / each_row.min() - 1
    return (
        f"cost a row at most {beyond:.0%} above the lowest; {fixed:.1f} s and"
        f" {1e6 * each:.2f} us a row, at most {off:.0%} from that line"
    )


if __name__ == "__main__":
    main()
