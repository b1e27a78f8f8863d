"""What does each step of `unveil.protect` add? S1, S2 and S3 of two data sets, assessed alone.

As Chapelle and Falissard do with theirs: people are split at random into those that copies are made
of and a control of a quarter; S1 is the synthesis alone (leaves of 33, cut from 100), S2 what the
distance filter left and drew anew, S3 the same with noise. Each is measured against the people it
was made of, recoded: mean GTCAP; repU and mean DiSCO, ages in bands of five years; pMSE of a CART
model; and the excess of three attacks over the control (R, unclipped), the mean over secrets, or
over both kinds of singling out.

The embedded example is used as it is; SD2011 is read where its file is beside the project
(../shared/reference/synthpop/sd2011.csv), and left out elsewhere.

    python benchmarks/framework.py             the table
    python benchmarks/framework.py --quick     the embedded example alone, 800 people
"""

import argparse
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from unveil.examples import survey
from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.singling_out import singling_out
from unveil.measure.cap.gtcap import gtcap
from unveil.measure.cap.split import split
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.utility.utility import utility
from unveil.project.protect import protect
from unveil.protection.recoding.recode import recode

SEED = 2023
SHARE = 0.75
PEOPLE = {"N": 60_000, "threshold": 0.1}
"""As many people as the prison population of the paper, and its threshold."""
BANDS = {"age": {"breaks": list(range(15, 101, 5))}}
"""Of keys that must be equal, for an age with noise equals no other."""
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
    halves: tuple[tuple[str, ...], tuple[str, ...]]
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
        halves=(("sex", "age", "region"), ("marital", "employment", "health")),
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
        halves=(("sex", "age", "region"), ("marital", "edu", "smoke")),
        codes={"income": [-8]},
    )


def figures(subject: Subject, used: pl.DataFrame, control: pl.DataFrame, copy: pl.DataFrame) -> Any:
    """All figures of one copy."""
    keys, targets = subject.keys, subject.targets
    found = disclosure(used, copy, keys=keys, targets=targets, bands=BANDS)
    scores = [
        gtcap(used, copy, keys=keys, target=target, radii=subject.radii).record.copies[0].mean
        for target in targets
    ]
    asked = {"n_permutations": 5, "seed": SEED, "special_codes": subject.codes}
    likeness = utility(used, copy, **asked).rows[0].pMSE
    noised = [pl.col(noise["column"]).round(0) for noise in subject.noise]
    rounded = utility(used, copy.with_columns(noised), **asked).rows[0].pMSE
    against = {"control": control, "seed": SEED}
    attacks = {
        "singling out": singling_out(used, copy, n=300, special_codes=subject.codes, **against),
        "linkability": linkability(used, copy, columns=subject.halves, **against),
        "inference": inference(used, copy, secrets=targets, keys=keys, **against),
    }
    return {
        "mean GTCAP": _mean(scores),
        "repU (%)": found.identity[0].repU,
        "mean DiSCO (%)": _mean([row.DiSCO for row in found.attribute]),
        "pMSE": likeness,
        "pMSE, rounded": rounded,
        **{f"R {name}": _mean([row.R for row in made.rows]) for name, made in attacks.items()},
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


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
    control = recode(control, subject.recodings).data
    made = protect(used, steps=steps, seed=SEED, special_codes=subject.codes)
    stages = {"S1": made.s1, "S2": made.s2, "S3": made.s3}
    columns = {
        name: figures(subject, made.recoded, control, frame) for name, frame in stages.items()
    }
    print(f"\n{subject.name}: {used.height:,} used, {control.height:,} control")
    print(f"| {'':16} | {' | '.join(f'{name:>7}' for name in columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    print(f"| {'rows':16} | {' | '.join(f'{one.height:>7,}' for one in stages.values())} |")
    for row in columns["S1"]:
        cells = [columns[name][row] for name in columns]
        shown = ["-" if cell is None else f"{cell:.3f}" for cell in cells]
        print(f"| {row:16} | {' | '.join(f'{cell:>7}' for cell in shown)} |")
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
