"""200 tables of an invented survey: bounds of all boxes, and the tables behind every recovered one.

    python benchmarks/plan.py [tables ...]

20,000 invented people with nine columns. Departments ask for tables by their own age bands, filters
and schemes; each table that suppresses has its own secondary suppression and exact margins, and
says nothing of the others. Times are of the processor, for one process. What lines leave open is
not asked of HiGHS here: the tables overlap so much that there are millions of cells.
"""

import itertools
import resource
import sys
import time

import numpy as np
import polars as pl

import unveil
from unveil.measure.tables.plan import find_disclosed
from unveil.records.publication_plan import PublicationPlan

TOPICS = {"edu": 5, "work": 4, "ethnic": 8, "tenure": 4, "health": 5}
COUNTRIES = (0, 18, 28, 36, 40)
BANDS = ((0, 16, 25, 45, 65), (0, 18, 30, 50, 65), (0, 20, 40, 60), (0, 16, 65))


def make_people(n, rng):
    """People whose columns hang together."""
    region = rng.choice(40, n, p=rng.dirichlet(np.ones(40) * 4))
    age = np.minimum(89, rng.gamma(2.2, 19, n).astype(int))
    work = np.where(age > 66, 2, rng.choice(4, n, p=[0.68, 0.08, 0.04, 0.2]))
    return pl.DataFrame(
        {
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
        }
    )


def ask_for_table(rng):
    """One table, as a department asks for it."""
    table = {"by": [str(rng.choice([*TOPICS]))], "where": {}}
    if rng.random() < 0.8:
        table["by"].append("region" if rng.random() < 0.6 else "country")
    if rng.random() < 0.45:
        table["by"].append("sex")
    elif rng.random() < 0.15:
        table["where"]["sex"] = 1
    floor = int(rng.choice([0, 0, 16, 18, 20, 65]))
    if floor:
        table["where"]["age"] = f">= {floor}"
    if rng.random() < 0.25 and floor <= 18:
        breaks = BANDS[int(rng.integers(0, len(BANDS)))]
        table["by"].append("age")
        table["bands"] = {"age": [floor, *(one for one in breaks if one > floor)]}
    if rng.random() < 0.5:
        table["where"]["year"] = int(rng.integers(0, 2))
    schemes = ["suppress:5", "suppress:10", "conventional:5", "noise:2:zeros"]
    table["publish"] = str(rng.choice(schemes, p=[0.55, 0.15, 0.2, 0.1]))
    return table


def suppress(counts, k):
    """Small cells, and further ones until no line of the table has one hidden cell alone."""
    small = (counts > 0) & (counts < k)
    hide = small.copy()
    for _ in range(10):
        before = hide.sum()
        for axis, size in enumerate(counts.shape):
            hidden = np.moveaxis(hide, axis, -1).reshape(-1, size).copy()
            values = np.moveaxis(counts, axis, -1).reshape(-1, size)
            for row in np.flatnonzero(hidden.sum(axis=1) == 1):
                free = np.flatnonzero(~hidden[row] & (values[row] > 0))
                if len(free):
                    hidden[row, free[np.argmin(values[row, free])]] = True
            shape = np.moveaxis(hide, axis, -1).shape
            hide = np.moveaxis(hidden.reshape(shape), -1, axis).copy()
        if hide.sum() == before:
            break
    return hide


def publish_file(table, people):
    """A table that suppresses, as a file: its own secondary suppression, margins exact."""
    some = people
    for name, given in table["where"].items():
        least = int(str(given).removeprefix(">= "))
        some = some.filter(pl.col(name) >= least if name == "age" else pl.col(name) == given)
    levels, codes = [], []
    for name in table["by"]:
        values = some[name].to_numpy()
        if name == "age":
            breaks = table["bands"]["age"]
            ends = [*breaks[1:], None]
            levels.append(
                [
                    f"{a} to {b - 1}" if b else f"{a} or more"
                    for a, b in zip(breaks, ends, strict=True)
                ]
            )
            codes.append(np.searchsorted(breaks, values, side="right") - 1)
        else:
            own = sorted(people[name].unique().to_list())
            levels.append([str(one) for one in own])
            codes.append(np.searchsorted(own, values))
    shape = tuple(map(len, levels))
    flat = np.ravel_multi_index(codes, shape)
    counts = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
    hide = suppress(counts, int(table["publish"].split(":")[1]))
    rows = []
    for kept in itertools.product((True, False), repeat=len(shape)):
        axes = tuple(i for i, is_kept in enumerate(kept) if not is_kept)
        sums = counts.sum(axis=axes, keepdims=True)
        labels = itertools.product(
            *(own if is_kept else ["Total"] for own, is_kept in zip(levels, kept, strict=True))
        )
        shown = [str(n) for n in sums.reshape(-1)]
        if not axes:
            shown = ["" if h else n for n, h in zip(shown, hide.reshape(-1), strict=True)]
        rows += [(*label, n) for label, n in zip(labels, shown, strict=True)]
    return pl.DataFrame(rows, schema=[*table["by"], "count"], orient="row")


def make_tables(n, people, rng):
    """N different tables."""
    made, seen = [], set()
    while len(made) < n:
        table = ask_for_table(rng)
        key = repr(sorted((k, v) for k, v in table.items() if k != "publish"))
        if key in seen:
            continue
        seen.add(key)
        table |= {"name": f"{len(made) + 1:03d} {'-'.join(table['by'])}", "margins": "all"}
        if table["publish"].startswith("suppress"):
            table["file"] = publish_file(table, people)
            table["publish"] = {
                "table": table["publish"],
                "margins": "exact",
                "total": "exact",
            }
            table["secondary"] = True
            table.pop("bands", None)
        made.append(table)
    return made


def run(n_tables) -> PublicationPlan:
    """One plan, timed."""
    rng = np.random.default_rng(1)
    people = make_people(20_000, rng)
    tables = make_tables(n_tables, people, rng)
    columns = {"country": {"of": "region"}, "age": {"range": [0, 89]}}
    start, wall = time.process_time(), time.monotonic()
    plan = unveil.Plan.from_tables(tables, data=people, columns=columns, seed=1)
    opened = time.process_time()
    bounds, is_closed = plan.close()
    assert is_closed
    assert (bounds.lower <= plan.truth).all()
    assert (plan.truth <= bounds.upper).all()
    closed = time.process_time()
    record = plan.disclosed(width=0).record
    done = time.process_time()
    sizes = np.bincount([len(row.tables) for row in record.rows])
    print(
        f"{n_tables} tables, {record.n_values:,} values, {record.n_boxes:,} boxes,"
        f" {record.n_suppressed:,} suppressed; recovered {record.n_recovered_suppressed:,}"
        f" suppressed and {record.n_recovered - record.n_recovered_suppressed:,} others;"
        f" {len(record.by_tables):,} sets, of one table, two, ...: {sizes[1:].tolist()};"
        f" all irreducible: {record.certified}; leave out {len(record.leave_out)} tables"
    )
    print(
        f"    read {opened - start:.1f} s, bounds of all boxes {closed - opened:.1f} s,"
        f" bounds again and sets of all {done - closed:.1f} s; {time.monotonic() - wall:.0f} s by"
        f" the clock; {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )
    return record


def main():
    """Print two lines for each size."""
    print(f"unveil {unveil.__version__}, one process, processor seconds")
    find_disclosed.NEAR_SECONDS = 0.0
    for n in [int(given) for given in sys.argv[1:]] or [25, 50, 100, 200]:
        run(n)


if __name__ == "__main__":
    main()
