"""An artificial survey of 5,000 invented people and one synthetic file of it, to try unveil on.

::

    from unveil.examples import KEYS, survey, survey_synthetic

    original, copy = survey(), survey_synthetic()

`survey_people` and `synthesise`, which made them, are in `people` and `make`; `make` makes the
stored files again.
"""

import os
from pathlib import Path

import polars as pl

from unveil.atomic import write_new
from unveil.examples.codebook import (
    ORIGINAL,
    SYNTHETIC,
    ExampleVariable,
    apply_labels,
    codebook,
    read_codes,
)
from unveil.examples.codebook import read_labels as survey_labels
from unveil.io.table import Labelled

__all__ = [
    "KEYS",
    "TARGETS",
    "ExampleVariable",
    "labelled_survey",
    "survey",
    "survey_codes",
    "survey_labels",
    "survey_synthetic",
    "survey_synthetic_codes",
    "write_csv",
]

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


def survey() -> pl.DataFrame:
    """The survey with its levels as text; income is a number, -8 where it was refused."""
    return apply_labels(survey_codes())


def survey_synthetic() -> pl.DataFrame:
    """The synthetic file of the survey with its levels as text."""
    return apply_labels(survey_synthetic_codes())


def labelled_survey() -> Labelled:
    """The survey as a statistics program has it: codes, and what they stand for."""
    return Labelled(survey_codes(), codebook())


def survey_codes() -> pl.DataFrame:
    """The survey as codes; `read_labels` says what they mean."""
    return read_codes(ORIGINAL)


def survey_synthetic_codes() -> pl.DataFrame:
    """The synthetic file as codes; `read_labels` says what they mean."""
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
