"""An artificial survey of 5,000 invented people and one synthetic file of it, to try unveil on.

::

    from unveil.examples import KEYS, survey, survey_synthetic

    original, copy = survey(), survey_synthetic()

The synthetic file was made by `synthesise` in `make`.
"""

import json
import os
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TypedDict

import polars as pl

from unveil.atomic import write_new
from unveil.io.table import Labelled
from unveil.records.codebook import Codebook, Level, Variable

__all__ = [
    "KEYS",
    "TARGETS",
    "ExampleVariable",
    "apply_labels",
    "labelled_survey",
    "survey",
    "survey_codes",
    "survey_labels",
    "survey_synthetic",
    "survey_synthetic_codes",
    "write_csv",
]

ORIGINAL = "survey.parquet"
SYNTHETIC = "survey_synthetic.parquet"
LABELS = "survey_labels.json"
KEYS = ("sex", "age", "region", "settlement")
TARGETS = (
    "education",
    "marital",
    "employment",
    "household",
    "income",
    "health",
    "condition",
    "satisfaction",
)


class ExampleVariable(TypedDict):
    """One entry of the codebook.

    `values` gives the label of each code and is empty for a plain number. `special` lists the
    codes that stand for missing values of their own kind, such as -8 for "refused".
    """

    label: str
    values: dict[int, str]
    special: list[int]


def stored_bytes(name: str) -> bytes:
    """One of the files that come with this package."""
    return files("unveil.examples").joinpath(name).read_bytes()


def read_codes(name: str) -> pl.DataFrame:
    """A stored frame as small integers, null where an answer is missing."""
    return pl.read_parquet(BytesIO(stored_bytes(name)))


def survey_labels() -> dict[str, ExampleVariable]:
    """The codebook: each variable's label, the labels of its codes, and its special codes."""
    raw = json.loads(stored_bytes(LABELS))
    return {
        name: ExampleVariable(
            label=entry["label"],
            values={int(code): text for code, text in entry["values"].items()},
            special=entry["special"],
        )
        for name, entry in raw.items()
    }


def _codebook() -> Codebook:
    """The same as a codebook of a file: labels, codes, and which of them mean missing."""
    return Codebook(
        source="survey",
        format="frame",
        variables=tuple(
            Variable(
                name=name,
                label=entry["label"],
                kind="number",
                levels=tuple(
                    Level(code=code, label=label) for code, label in entry["values"].items()
                ),
                missing=tuple(entry["special"]),
            )
            for name, entry in survey_labels().items()
        ),
    )


def apply_labels(codes: pl.DataFrame) -> pl.DataFrame:
    """The frame as a person reads it: text where codes stand for levels, else whole numbers."""
    labels = survey_labels()
    return codes.select(_readable(name, labels[name]) for name in codes.columns)


def _readable(name: str, variable: ExampleVariable) -> pl.Expr:
    # A number with special codes, such as income, stays a number, special codes and all.
    if set(variable["values"]) <= set(variable["special"]):
        return pl.col(name).cast(pl.Int64)
    return pl.col(name).replace_strict(variable["values"], return_dtype=pl.String)


def survey() -> pl.DataFrame:
    """The survey with its levels as text; income is a number, -8 where it was refused."""
    return apply_labels(survey_codes())


def survey_synthetic() -> pl.DataFrame:
    """The synthetic file of the survey with its levels as text."""
    return apply_labels(survey_synthetic_codes())


def labelled_survey() -> Labelled:
    """The survey as a statistics program has it: codes, and what they stand for."""
    return Labelled(survey_codes(), _codebook())


def survey_codes() -> pl.DataFrame:
    """The survey as codes; `survey_labels` says what they mean."""
    return read_codes(ORIGINAL)


def survey_synthetic_codes() -> pl.DataFrame:
    """The synthetic file as codes; `survey_labels` says what they mean."""
    return read_codes(SYNTHETIC)


def write_csv(folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write survey.csv and survey_synthetic.csv into a folder, and give their paths.

    Levels are text and an empty field is a missing answer. The folder is created if need be; a
    file that is there already is never overwritten.

    Raises
    ------
    WriteError
        If one of the files is there already, or the folder cannot be written to.
    """
    frames = {"survey.csv": survey(), "survey_synthetic.csv": survey_synthetic()}
    return write_new(folder, {name: frame.write_csv().encode() for name, frame in frames.items()})
