"""What do the codes of the example mean? The stored files, read as codes or as readable text."""

import json
from importlib.resources import files
from io import BytesIO
from typing import TypedDict

import polars as pl

from unveil.records.codebook import Codebook, Level
from unveil.records.codebook import Variable as Declared

ORIGINAL = "survey.parquet"
SYNTHETIC = "survey_synthetic.parquet"
LABELS = "survey_labels.json"


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


def read_labels() -> dict[str, ExampleVariable]:
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


def codebook() -> Codebook:
    """The same as a codebook of a file: labels, codes, and which of them mean missing."""
    return Codebook(
        source="survey",
        format="frame",
        variables=tuple(
            Declared(
                name=name,
                label=entry["label"],
                kind="number",
                levels=tuple(
                    Level(code=code, label=label) for code, label in entry["values"].items()
                ),
                missing=tuple(entry["special"]),
            )
            for name, entry in read_labels().items()
        ),
    )


def apply_labels(codes: pl.DataFrame) -> pl.DataFrame:
    """The frame as a person reads it: text where codes stand for levels, else whole numbers."""
    labels = read_labels()
    return codes.select(_readable(name, labels[name]) for name in codes.columns)


def _readable(name: str, variable: ExampleVariable) -> pl.Expr:
    # A number with special codes, such as income, stays a number, special codes and all.
    if set(variable["values"]) <= set(variable["special"]):
        return pl.col(name).cast(pl.Int64)
    return pl.col(name).replace_strict(variable["values"], return_dtype=pl.String)
