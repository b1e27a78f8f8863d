"""An artificial survey of 5,000 invented people and one synthetic file of it, to try unveil on."""

import json
from importlib.resources import files

import polars as pl

KEYS = ("sex", "age", "region", "settlement")
TARGETS = (
    "education", "marital", "employment", "household",
    "income", "health", "condition", "satisfaction",
)  # fmt: skip


def survey() -> pl.DataFrame:
    """The survey; income is a number, -8 where it was refused."""
    return _labelled("survey.parquet")


def survey_synthetic() -> pl.DataFrame:
    """One synthetic file of the survey."""
    return _labelled("survey_synthetic.parquet")


def _labelled(name: str) -> pl.DataFrame:
    folder = files("unveil.examples")
    codebook = json.loads((folder / "survey_labels.json").read_text("utf-8"))
    frame = pl.read_parquet((folder / name).read_bytes())
    for column, about in codebook.items():
        labels = {int(code): text for code, text in about["values"].items()}
        if not labels.keys() <= set(about["special"]):
            texts = pl.col(column).replace_strict(labels, return_dtype=pl.String)
            frame = frame.with_columns(texts)
    return frame
