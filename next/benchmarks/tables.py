"""SAP beside inclusion and exclusion, 1,200 small tables, sums, and hundreds of linked tables.

    python benchmarks/tables.py [linked tables ...]

Times are CPU seconds of one process. The linked tables are of 20,000 invented people with nine
columns: departments ask for tables by their own age bands, filters and schemes, and nobody looks at
all of them together.
"""

import os

os.environ |= {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import polars as pl

import unveil

TOPICS = {"edu": 5, "work": 4, "ethnic": 8, "tenure": 4, "health": 5}
COUNTRIES = (0, 18, 28, 36, 40)
BANDS = ((0, 16, 25, 45, 65), (0, 18, 30, 50, 65), (0, 20, 40, 60), (0, 16, 65))
SCHEMES = ("suppress:5", "suppress:10", "conventional:5", "noise:2:zeros")


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.process_time()
    yield
    print(f"{what}: {time.process_time() - start:.3f} CPU s", flush=True)


def invent_people(n: int, rng: np.random.Generator) -> pl.DataFrame:
    """People whose columns hang together."""
    region = rng.choice(40, n, p=rng.dirichlet(np.ones(40) * 4))
    age = np.minimum(89, rng.gamma(2.2, 19, n).astype(int))
    work = np.where(age > 66, 2, rng.choice(4, n, p=[0.68, 0.08, 0.04, 0.2]))
    return pl.DataFrame({
        "region": region,
        "country": np.searchsorted(COUNTRIES, region, side="right"),
        "age": age,
        "sex": rng.integers(0, 2, n),
        "edu": np.clip(rng.poisson(1.6 + (age > 25) * 0.5, n), 0, 4),
        "work": np.where(age < 16, 3, work),
        "ethnic": np.minimum(7, rng.geometric(0.45, n) - 1 + (region % 5 == 0)),
        "tenure": rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05]),
        "health": np.clip(rng.poisson(0.4 + age / 40, n), 0, 4),
        "year": rng.integers(0, 2, n),
    })  # fmt: skip


def ask_for_table(rng: np.random.Generator) -> dict[str, str]:
    """One table, as a department asks for it."""
    dims, where, columns = [str(rng.choice([*TOPICS]))], [], ""
    if rng.random() < 0.8:
        dims.append("region" if rng.random() < 0.6 else "country")
    if rng.random() < 0.45:
        dims.append("sex")
    elif rng.random() < 0.15:
        where.append("sex = 1")
    floor = int(rng.choice([0, 0, 16, 18, 20, 65]))
    if floor:
        where.append(f"age >= {floor}")
    if rng.random() < 0.25 and floor <= 18:
        breaks = BANDS[int(rng.integers(0, len(BANDS)))]
        dims.append("age")
        columns = f"{{ age = {{ bands = {[floor, *(b for b in breaks if b > floor)]} }} }}"
    if rng.random() < 0.5:
        where.append(f"year = {rng.integers(0, 2)}")
    publish = str(rng.choice(SCHEMES, p=[0.55, 0.15, 0.2, 0.1]))
    table = {"dims": str(dims), "publish": f'{{ table = "{publish}", "" = "exact" }}',
             "margins": '"all"'}  # fmt: skip
    if not publish.startswith("suppress"):
        table["publish"] = f'"{publish}"'
    if where:
        table["where"] = f'"{" and ".join(where)}"'
    return table | ({"columns": columns} if columns else {})


def write_plan(folder: Path, n: int, rng: np.random.Generator) -> Path:
    """N different tables; margins of those that suppress are published as they are."""
    tables: dict[str, dict[str, str]] = {}
    while len(tables) < n:
        table = ask_for_table(rng)
        tables.setdefault(repr({k: v for k, v in table.items() if k != "publish"}), table)
    lines = ["[data]", 'original = "people.csv"']
    for number, table in enumerate(tables.values(), 1):
        lines += ["[[table]]", f'name = "{number:03d}"', "seed = 1"]
        lines += [f"{name} = {value}" for name, value in table.items()]
    path = folder / "plan.toml"
    path.write_text("\n".join(lines))
    return path


def by_inclusion(counts: list[int], last: int) -> list[Fraction]:
    """Smith and Elliot, section 2.3.1, set by set."""
    N, signed = sum(counts), [0] * (last + 1)
    for size in range(1, len(counts) + 1):
        for c in map(sum, combinations(counts, size)):
            if c <= last:
                signed[c] += (-1) ** (size - 1)
    return [
        Fraction(sum(signed[c] * comb(N - c, n - c) for c in range(n + 1)), comb(N, n))
        for n in range(last + 1)
    ]


if __name__ == "__main__":
    rng = np.random.default_rng(2008)
    counts = rng.integers(1, 9, 22).tolist()
    table = unveil.PublishedTable(counts)
    unveil.sap(table, people=2)  # what is imported
    with timed("SAP of 22 cells, up to 24 people known"):
        curve = unveil.sap(table, people=24).frame()["SAP"].to_list()
    with timed("the same by inclusion and exclusion (4,194,303 sets)"):
        printed = by_inclusion(counts, 24)
    assert np.allclose(curve, [float(risk) for risk in printed], atol=1e-12)
    small = [unveil.PublishedTable(rng.poisson(2, 12), margins="total") for _ in range(1200)]
    with timed("Table 3: 1,200 tables of 12 cells, base 5, rounded total"):
        unveil.compare_schemes(small, "conventional:5")
    for n, rows, columns in ((3_000, 12, 9), (20_000, 40, 20)):
        draw = np.random.default_rng(1)
        firms = unveil.Study(pl.DataFrame({
            "row": draw.integers(0, rows, n), "column": draw.integers(0, columns, n),
            "holding": draw.integers(0, 3 * n // 10, n), "turnover": draw.pareto(1.1, n).round(2),
        }))  # fmt: skip
        with timed(f"sums of {n:,} records by {rows} x {columns}, p = 15"):
            unveil.amounts(firms, "turnover", [("row", "column")], unit="holding", rule={"p": 15})
    for n in map(int, sys.argv[1:] or ("25", "100", "200")):
        with tempfile.TemporaryDirectory() as folder:
            invent_people(20_000, np.random.default_rng(7)).write_csv(f"{folder}/people.csv")
            path = write_plan(Path(folder), n, np.random.default_rng(n))
            with timed(f"{n} linked tables, reading, bounds and sets"):
                result = unveil.plan(path, seconds=1)
        print(
            f"  {sum(row.values for row in result.planned):,} values,"
            f" {len(result.recovered):,} counts told"
        )
