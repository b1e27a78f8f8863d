"""What does each step of `unveil.protect` add? S1, S2 and S3 of two data sets, assessed alone.

As Chapelle and Falissard do with theirs: people are split at random into those that copies are made
of and a control of a quarter; S1 is the synthesis alone (leaves of 33, cut from 100), S2 what the
distance filter left and drew anew, S3 the same with noise. The table is that of `unveil.stages`,
ages in bands of five years; mean GTCAP, and pMSE with noisy numbers rounded, are added to it.

The embedded example is used as it is; SD2011 is read where its file is beside the project
(../shared/reference/synthpop/sd2011.csv), and left out elsewhere.

    python benchmarks/framework.py             the table
    python benchmarks/framework.py --quick     the embedded example alone, 800 people
"""

import argparse
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from unveil.examples import survey
from unveil.measure.cap.gtcap import gtcap
from unveil.measure.cap.split import split
from unveil.measure.utility.utility import utility
from unveil.project.protect import protect
from unveil.project.stages import stages

SEED = 2023
SHARE = 0.75
PEOPLE = {"N": 60_000, "threshold": 0.1}
"""As many people as the prison population of the paper, and its threshold."""
BANDS = {"age": {"breaks": list(range(15, 101, 5))}}
"""Of keys that must be equal, for an age with noise equals no other."""
FIGURES = ("n_rows", "too_close", "repU", "DiSCO", "DiSCO_max", "R", "pMSE", "S_pMSE", "S_pMSE_max")
SD2011 = Path(__file__).parents[1] / "../shared/reference/synthpop/sd2011.csv"


@dataclass(frozen=True)
class Subject:
    """A data set, what an intruder knows of it, and what they are after."""

    name: str
    data: pl.DataFrame
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    radii: dict[str, float]
    distance: tuple[str, ...]
    noise: tuple[dict[str, Any], ...]
    recodings: tuple[dict[str, Any], ...]
    codes: dict[str, list[int]] = field(default_factory=dict)


def example(n: int | None) -> Subject:
    """The embedded survey."""
    data = survey() if n is None else survey().head(n)
    return Subject(
        name=f"embedded example ({data.height:,} people)",
        data=data,
        keys=("sex", "age", "region", "settlement"),
        targets=("marital", "employment", "health", "condition"),
        radii={"age": 2.5},
        distance=("age", "sex", "settlement"),
        noise=({"column": "age", "population": "normal(48, 19)", **PEOPLE},),
        recodings=({"do": "top_code", "column": "age", "at": 85},),
        codes={"income": [-8]},
    )


def sd2011() -> Subject:
    """Twelve columns of the Polish social survey that synthpop brings with it."""
    columns = ["sex", "age", "agegr", "placesize", "region", "edu", "marital", "ls", "smoke"]
    columns += ["height", "weight", "income"]
    data = pl.read_csv(SD2011, null_values=["NA"], infer_schema_length=None).select(columns)
    return Subject(
        name=f"SD2011 ({data.height:,} people)",
        data=data.drop("agegr"),
        keys=("sex", "age", "region", "placesize"),
        targets=("marital", "edu", "ls", "smoke"),
        radii={"age": 2.5},
        distance=("age", "sex", "placesize"),
        noise=(
            {"column": "height", "population": "normal(168, 9)", **PEOPLE},
            {"column": "weight", "population": "normal(74, 15)", **PEOPLE},
            {"column": "age", "population": "normal(48, 18)", **PEOPLE},
        ),
        recodings=(
            {"do": "top_code", "column": "height", "at": 190},
            {"do": "bottom_code", "column": "height", "at": 148},
            {"do": "top_code", "column": "weight", "at": 110},
            {"do": "top_code", "column": "age", "at": 90},
        ),
        codes={"income": [-8]},
    )


def more(subject: Subject, used: pl.DataFrame, copy: pl.DataFrame) -> dict[str, float | None]:
    """What the table of the product does not have: mean GTCAP, and pMSE of rounded numbers."""
    scores = [
        gtcap(used, copy, keys=subject.keys, target=one, radii=subject.radii).record.copies[0].mean
        for one in subject.targets
    ]
    known = [score for score in scores if score is not None]
    rounded = copy.with_columns(pl.col(noise["column"]).round(0) for noise in subject.noise)
    asked = {"n_permutations": 0, "seed": SEED, "special_codes": subject.codes}
    return {
        "mean GTCAP": mean(known) if known else None,
        "pMSE, rounded": utility(used, rounded, **asked).rows[0].pMSE,
    }


def table(subject: Subject) -> None:
    """Protect, measure, and print."""
    started = time.perf_counter()
    used, control = split(subject.data, SHARE, seed=SEED)
    steps = [
        *subject.recodings,
        {"do": "synthesise"},
        {"do": "distance_filter", "columns": list(subject.distance), "max_rounds": 60},
        *({"do": "add_noise", **noise} for noise in subject.noise),
    ]
    made = protect(used, steps=steps, seed=SEED, special_codes=subject.codes)
    found = stages(
        made,
        keys=subject.keys,
        targets=subject.targets,
        control=control,
        bands=BANDS,
        special_codes=subject.codes,
        seed=SEED,
    )
    frames = {"S1": made.s1, "S2": made.s2, "S3": made.s3}
    rows: dict[str, dict[str, float | None]] = {}
    for stage in found.rows:
        figures = {name: getattr(stage, name) for name in FIGURES}
        figures |= {f"R {one.attack}": one.R for one in stage.attacks}
        if stage.stage in frames:
            figures |= more(subject, made.recoded, frames[stage.stage])
        rows[stage.stage] = figures
    print(f"\n{subject.name}: {used.height:,} used, {control.height:,} control")
    print(f"| {'':26} | {' | '.join(f'{name:>7}' for name in rows)} |")
    print(f"|---|{'---|' * len(rows)}")
    for name in rows["S1"]:
        cells = [figures.get(name) for figures in rows.values()]
        shown = ["-" if cell is None else f"{cell:.3f}".removesuffix(".000") for cell in cells]
        print(f"| {name:26} | {' | '.join(f'{cell:>7}' for cell in shown)} |")
    rounds = made.record.refill.rounds if made.record.refill else ()
    for reason in made.record.reasons:
        print(f"- noise on {reason.column}: sigma {reason.sigma:g}")
    print(f"- {len(rounds)} rounds of the filter, {time.perf_counter() - started:.0f} s")
    for sentence in made.record.warnings:
        print(f"- {sentence}")


def main() -> None:
    """Print the table of each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the example alone, 800 people")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    table(example(800 if asked.quick else None))
    if not asked.quick and SD2011.exists():
        table(sd2011())


if __name__ == "__main__":
    main()
