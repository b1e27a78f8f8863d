"""Does over-fitting the synthesis raise disclosure risk? The experiment of Raab (2024), section 7.

Trees with ever fewer records in a leaf, regressions, and a table of several categories fitted whole
(catall) or by its pairs (ipf): for each, copies of the whole file for repU, DiSCO and utility, and
copies of four fifths of it for R. Figures are means over copies; the seed is 1.

    python benchmarks/overfitting.py                     the embedded example
    python benchmarks/overfitting.py --data sd2011       Social Diagnosis 2011, where it is there
    python benchmarks/overfitting.py --copies 10         more copies
"""

import argparse
import time
from pathlib import Path

import polars as pl

import unveil
from unveil.examples import KEYS, TARGETS, survey

LEAVES = (1, 2, 5, 10, 20, 50, 100)
METHODS = ("cart", "parametric", "catall", "ipf")
SD2011 = Path(__file__).parents[1] / "../shared/reference/synthpop/sd2011.csv"
SD2011_KEYS = ("sex", "age", "region", "placesize")
SD2011_TARGETS = (
    "edu",
    "marital",
    "socprof",
    "ls",
    "depress",
    "trust",
    "income",
    "smoke",
    "workab",
)
HEAD = (
    "| setting | repU | DiSCO | sd | highest | train | control | R | sd | S_pMSE | worst | pMSE |"
)


def data_of(name: str) -> tuple[pl.DataFrame, tuple[str, ...], tuple[str, ...]]:
    """The records, what an intruder knows and what they might learn."""
    if name == "survey":
        return survey(), KEYS, TARGETS
    if not SD2011.exists():
        raise SystemExit("The file of Social Diagnosis 2011 is not there; it belongs to others.")
    frame = pl.read_csv(SD2011, null_values=["NA", ""], infer_schema_length=None)
    return frame.select(*SD2011_KEYS, *SD2011_TARGETS), SD2011_KEYS, SD2011_TARGETS


def line(row: object) -> str:
    """One setting as a line of a table."""
    if row.reason is not None:
        return f"| {row.name} | {row.reason} |"
    figures = (
        f"{row.repU:.1f}",
        f"{row.DiSCO:.1f}",
        f"{row.DiSCO_sd or 0:.1f}",
        f"{row.DiSCO_max:.1f}",
        f"{row.train:.1f}",
        f"{row.control:.1f}",
        f"{row.R:.3f}",
        f"{row.R_sd or 0:.3f}",
        f"{row.S_pMSE:.2f}",
        f"{row.S_pMSE_max:.1f}",
        f"{row.pMSE:.4f}",
    )
    return f"| {row.name} | {' | '.join(figures)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", choices=("survey", "sd2011"), default="survey")
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--folder", help="keep each setting here, and go on from there")
    asked = parser.parse_args()
    frame, keys, targets = data_of(asked.data)
    start = time.perf_counter()
    record = unveil.explore(
        frame,
        keys=keys,
        targets=targets,
        methods=METHODS,
        min_leaf=LEAVES,
        copies=asked.copies,
        special_codes={"income": [-8]},
        seed=1,
        folder=asked.folder,
    ).record
    print(f"{record.n_original:,} records, {asked.copies} copies of each setting; UiO", end=" ")
    print(f"{record.UiO:.1f}, Dorig {record.Dorig:.1f}; {time.perf_counter() - start:.0f} s")
    print(HEAD)
    print("|---" * HEAD.count(" | ") + "|---|")
    for row in record.rows:
        print(line(row))


if __name__ == "__main__":
    main()
