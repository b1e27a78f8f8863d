"""Files small enough to do by hand."""

import polars as pl

import unveil
from unveil.measure.disclosure.result import DisclosureResult

# The worked example of docs/measures: six people and a copy of six, keys k1 and k2, target t.
ORIGINAL = ["axp", "axq", "ayp", "bxq", "byq", "byq"]
SYNTHETIC = ["axp", "axp", "ayq", "byq", "byp", "cxp"]


def people(rows: list[str]) -> pl.DataFrame:
    """One letter for each of k1, k2 and t."""
    return pl.DataFrame([tuple(row) for row in rows], schema=["k1", "k2", "t"], orient="row")


def measured(original: list[str], *copies: list[str]) -> DisclosureResult:
    frames = [people(rows) for rows in copies]
    return unveil.disclosure(people(original), frames, keys=["k1", "k2"], targets="t")


def attribute(original: list[str], synthetic: list[str]) -> dict:
    return measured(original, synthetic).attribute[0].to_dict()


def identity(original: list[str], synthetic: list[str]) -> dict:
    return measured(original, synthetic).identity[0].to_dict()
