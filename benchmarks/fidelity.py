"""How near do copies come to the original, beside the copies that synthpop made of the same data?

Social Diagnosis 2011: the 9 columns of Raab (2024), of which synthpop's copies are stored, and all
35. For each copy: pMSE of a tree that tells copy from original, and the median over all pairs of
columns of S_pMSE (Raab, Nowok and Dibben 2021), with repU and DiSCO for depress by sex, age, region
and placesize beside them. The bound: our mean is not above synthpop's by more than two standard
errors of the difference.

    python benchmarks/fidelity.py                          trees, 10 seeds
    python benchmarks/fidelity.py --method parametric      against synthpop's parametric copies
    python benchmarks/fidelity.py --seeds 20 --columns 9
    python benchmarks/fidelity.py --columns 9 --min-leaf 20
    python benchmarks/fidelity.py --columns 9 --min-spread 0.1
"""

import argparse
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.utility.data import UtilityData, open_columns
from unveil.measure.utility.pair_tables import measure_pairs
from unveil.measure.utility.propensity import ComparedRows, pmse_of
from unveil.measure.utility.table_statistics import GroupedColumn, group_variable, measures
from unveil.models.tree import grow_rpart_trees
from unveil.study.scenario import no_progress
from unveil.study.study import sides_of
from unveil.synthesis.synthesise import synthesise

FOLDER = Path(__file__).parents[2] / "shared" / "reference" / "synthpop"
SPECIAL = ("income", "nociga", "nofriend", "unempdur", "wkabdur")
"""Columns of numbers in which -8 is no amount."""

KEYS = ("sex", "age", "region", "placesize")
GROUPS = 5
FIGURES = ("pMSE", "S_pMSE", "repU", "DiSCO")

Whole = NDArray[np.int64]


def read(name: str) -> pl.DataFrame:
    """A table of the reference."""
    return pl.read_csv(FOLDER / name, infer_schema_length=None)


def special_codes(frame: pl.DataFrame) -> dict[str, list[int]]:
    """The codes of numbers that are no amounts."""
    return {name: [-8] for name in SPECIAL if name in frame.columns}


def opened(original: pl.DataFrame, copy: pl.DataFrame) -> UtilityData:
    """Both tables, read and encoded once."""
    sides = sides_of(copy, original=original)
    codes = special_codes(original)
    return open_columns(sides, columns=None, special_codes=codes, progress=no_progress)


def pmse(original: pl.DataFrame, copy: pl.DataFrame) -> float:
    """The pMSE of rpart's tree, as `unveil.utility` has it; of synthpop's first copy 0.00608."""
    both = opened(original, copy)
    compared = ComparedRows.of(both)
    columns = [term.predictor for term in compared.terms((0, 1))]
    return pmse_of(grow_rpart_trees(columns, [compared.labels((0, 1))])[0])


def s_pmse_of_pairs(original: pl.DataFrame, copy: pl.DataFrame) -> dict[tuple[str, ...], float]:
    """S_pMSE of every pair of columns that has one, as `unveil.pair_tables` has it."""
    both = opened(original, copy)
    columns = [group_variable(variable, GROUPS) for variable in both.variables]
    rows = measure_pairs(both, columns, ways=2, groups=GROUPS, n_worst=0).rows
    return {row.variables: row.S_pMSE for row in rows if row.S_pMSE is not None}


def median_pairs(original: pl.DataFrame, copy: pl.DataFrame) -> float:
    """The median of S_pMSE over all pairs of columns."""
    return statistics.median(s_pmse_of_pairs(original, copy).values())


@dataclass(frozen=True, eq=False)
class Part:
    """One column of both tables in its groups, the original's records first."""

    column: GroupedColumn


def parts_of_both(original: pl.DataFrame, copy: pl.DataFrame) -> list[Part]:
    """Every column of the original and, below it, of the copy, in groups."""
    both = opened(original, copy)
    return [Part(group_variable(variable, GROUPS)) for variable in both.variables]


def groups(part: Part) -> Whole:
    """The group of every record, the original's first."""
    return part.column.codes.astype(np.int64)


def pair_s_pmse(one: Whole, other: Whole, n_original: int) -> float:
    """S_pMSE of one two-way table, as `unveil.pair_tables` has it."""
    _, cells = np.unique(one * (int(other.max()) + 1) + other, return_inverse=True)
    n = int(cells.max()) + 1
    td = np.bincount(cells[:n_original], minlength=n)
    ts = np.bincount(cells[n_original:], minlength=n)
    return float(measures(td, ts, np.array([0, n])).S_pMSE[0])


def figures(original: pl.DataFrame, copy: pl.DataFrame) -> dict[str, float]:
    """The four figures of one copy."""
    found = disclosure(original, copy, keys=list(KEYS), targets=["depress"])
    return {
        "pMSE": pmse(original, copy),
        "S_pMSE": median_pairs(original, copy),
        "repU": float(found.identity[0].repU or 0),
        "DiSCO": float(found.attribute[0].DiSCO or 0),
    }


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of copies and its standard error; 0 for one copy."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return statistics.fmean(values), error


def row(label: str, copies: Sequence[dict[str, float]]) -> str:
    """One line of the table: mean (standard error) of every figure."""
    cells = [mean_and_error([copy[figure] for copy in copies]) for figure in FIGURES]
    shown = [f"{mean:9.5f} ({error:.5f})" if f == "pMSE" else f"{mean:9.3f} ({error:.3f})"
             for f, (mean, error) in zip(FIGURES, cells, strict=True)]  # fmt: skip
    return f"{label:<26}{len(copies):>3}  " + "  ".join(f"{cell:>19}" for cell in shown)


def is_within(ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]) -> bool:
    """Whether pMSE and S_pMSE are not worse by more than two standard errors of the difference."""
    fine = True
    for figure in ("pMSE", "S_pMSE"):
        (a, a_error), (b, b_error) = (
            mean_and_error([copy[figure] for copy in side]) for side in (ours, theirs)
        )
        error = math.hypot(a_error, b_error)
        verdict = "within" if a - b <= 2 * error else "WORSE THAN"
        print(
            f"  {figure}: difference {a - b:+.5f}, two standard errors {2 * error:.5f}: {verdict}"
        )
        fine = fine and a - b <= 2 * error
    return fine


def ours(
    original: pl.DataFrame, method: str, seeds: Iterable[int], **settings: Any
) -> list[dict[str, float]]:
    """The figures of our copies, one for each seed."""
    codes = special_codes(original)
    made = (
        synthesise(original, method=method, special_codes=codes, seed=seed, **settings)
        for seed in seeds
    )
    return [figures(original, synthesiser.copies[0]) for synthesiser in made]


def main() -> None:
    """Print the table; exit code 1 where the bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", choices=("cart", "parametric"), default="cart")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--columns", type=int, choices=(9, 35), default=None)
    parser.add_argument("--min-leaf", type=int, default=10)
    parser.add_argument("--min-spread", type=float, default=None)
    asked = parser.parse_args()
    if asked.seeds < 2 and asked.columns != 35:
        parser.error("one copy has no standard error: take --seeds 2 or more for a verdict")
    settings = {"min_leaf": asked.min_leaf, "min_spread": asked.min_spread}
    seeds = range(1, asked.seeds + 1)
    print(f"{'':<26}{'n':>3}  " + "  ".join(f"{name + ' (se)':>19}" for name in FIGURES))
    fine = True
    if asked.columns != 35:
        original = read("sd2011_ods.csv")
        stem = "s5" if asked.method == "cart" else "parametric5"
        theirs = [figures(original, read(f"{stem}_{n}.csv")) for n in range(1, 6)]
        print(row("synthpop, 9 columns", theirs))
        made = ours(original, asked.method, seeds, **settings)
        print(row("unveil, 9 columns", made))
        fine = is_within(made, theirs)
    if asked.columns != 9:
        made = ours(read("sd2011.csv"), asked.method, seeds, **settings)
        print(row("unveil, 35 columns", made))
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
