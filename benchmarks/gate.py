"""How fast are the checks of the release gate, beside one disclosure count of the same files?

The yardstick is `unveil.disclosure` with four keys and four targets. Each check runs on all rows,
on files of ten columns in three shapes: an honest other sample; every tenth record a real one; and
all records real. CPU seconds of all threads, in one process, and the ratio to the yardstick.

    python benchmarks/gate.py                     the table at 10^5 and 10^6 rows
    python benchmarks/gate.py --rows 1000000      one size only
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import unveil
from unveil.io.sources import read_table
from unveil.measure.gate.columns import ORIGINAL, link_column
from unveil.measure.gate.copied_columns import find_copied_identifiers, find_single_holder
from unveil.measure.gate.linked_people import TiedSearch, find_tied_groups
from unveil.measure.gate.links import LinkRows
from unveil.measure.gate.near_copies import choose_numbers, find_near_copies
from unveil.study.study import Study

SIZES = (100_000, 1_000_000)
KEYS = ["sex", "age", "region", "postcode"]
TARGETS = ["education", "health", "income", "condition"]
BOUND, NEAR_BOUND = 4.0, 6.0
"""Times the yardstick: all checks but near-copies, and near-copies alone."""


def people(n: int, seed: int) -> pl.DataFrame:
    """Invented people with dependent columns: two fine numbers, one middling, seven categories."""
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 96, n)
    education = np.clip((age // 20 + rng.integers(0, 3, n)), 0, 5)
    income = np.round(np.exp(rng.normal(7 + 0.1 * education, 0.5)), 1)
    return pl.DataFrame(
        {
            "sex": rng.integers(0, 2, n),
            "age": age,
            "region": pl.Series([f"region {r}" for r in range(16)]).gather(rng.integers(0, 16, n)),
            "postcode": rng.integers(10_000, 10_900, n),
            "education": education,
            "marital": rng.integers(0, 5, n),
            "health": np.clip(age // 25 + rng.integers(0, 4, n), 0, 6),
            "income": income,
            "rent": np.round(income * rng.uniform(0.1, 0.6, n), 1),
            "condition": pl.Series([f"condition {c}" for c in range(40)]).gather(
                np.minimum(rng.geometric(0.2, n), 39)
            ),
        }
    )


def mixed(original: pl.DataFrame, share: float) -> pl.DataFrame:
    """Synthetic records, this share of them real."""
    n_real = int(share * original.height)
    return pl.concat([original.head(n_real), people(original.height - n_real, 2)])


def cpu_seconds(work: Callable[[], object]) -> tuple[float, object]:
    """CPU seconds of all threads of this process, and what came of it."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def measure(original: pl.DataFrame, synthetic: pl.DataFrame) -> dict[str, float]:
    """CPU seconds of the yardstick and of every check, in the order of the gate."""
    tables = [
        read_table(frame, side=side)
        for frame, side in ((original, "original"), (synthetic, "synthetic"))
    ]
    spent = {
        "disclosure": min(
            cpu_seconds(lambda: unveil.disclosure(original, synthetic, keys=KEYS, targets=TARGETS))[
                0
            ]
            for _ in range(2)
        )
    }

    def timed(name: str, work: Callable[[], object]) -> object:
        spent[name], found = cpu_seconds(work)
        return found

    files = Study(tables).files
    columns = timed("coding", lambda: [link_column(name, files) for name in original.columns])
    rows = LinkRows.of(columns, [ORIGINAL], [1])  # type: ignore[arg-type]
    timed("whole records", lambda: rows.reappearing(tuple(rows.columns)))
    search = TiedSearch(rows)
    looks = timed(
        "own values",
        lambda: {name: look for name in search.names if (look := search.best(name)) is not None},
    )
    timed("groups", lambda: list(find_tied_groups(search, looks, 1)))  # type: ignore[arg-type]
    timed("single holders", lambda: [find_single_holder(one, 1, 1) for one in columns])  # type: ignore[attr-defined]
    timed(
        "identifiers",
        lambda: list(find_copied_identifiers(tables[0], columns, 1, 1, declared=(), known=())),  # type: ignore[arg-type]
    )
    numbers = choose_numbers(columns)  # type: ignore[arg-type]
    timed("near-copies", lambda: list(find_near_copies(numbers, [1], 1)))
    return spent


def main() -> None:
    """Print the table, and mark what is above its bound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, action="append")
    sizes = parser.parse_args().rows or SIZES
    print(f"{'rows':>9}  {'real':>5}  {'check':<16} {'CPU s':>8} {'ratio':>7}")
    for n in sizes:
        original = people(n, 1)
        for share in (0.0, 0.1, 1.0):
            spent = measure(original, mixed(original, share))
            base = spent["disclosure"]
            for name, seconds in spent.items():
                print(f"{n:>9,}  {share:>5.0%}  {name:<16} {seconds:>8.2f} {seconds / base:>7.2f}")
            near = spent["near-copies"] / base
            rest = (sum(spent.values()) - base - spent["near-copies"]) / base
            for name, ratio, bound in (("all but near", rest, BOUND), ("near", near, NEAR_BOUND)):
                mark = "" if ratio <= bound else f"  above {bound:g}"
                print(f"{n:>9,}  {share:>5.0%}  {name:<16} {'':>8} {ratio:>7.2f}{mark}")


if __name__ == "__main__":
    main()
