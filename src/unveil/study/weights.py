"""For how many people of the population does each record stand? A column of sampling weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import absent_sentence
from unveil.arrays import Floats
from unveil.errors import RolesError, SettingsError
from unveil.io.table import mid_sentence
from unveil.study.study import OpenFiles


@dataclass(frozen=True)
class Weights:
    """The weight of each original record, and the column that has them."""

    column: str
    of_row: Floats

    @property
    def total(self) -> float:
        """The population that the records stand for."""
        return float(self.of_row.sum())


def parse_weights(given: pl.Series, column: str, place: str) -> Floats:
    """Weights as numbers of 0 or more, or a refusal."""
    where = f"The weights in column {column!r} of {mid_sentence(place)}"
    n = len(given)
    if n_missing := given.null_count():
        raise SettingsError(
            f"{where} are missing for {n_missing:,} of {n:,} records. Fill them in, or remove"
            " these records."
        )
    if not given.dtype.is_numeric():
        raise SettingsError(f"{where} are not numbers. Name the column of the sampling weights.")
    weights = given.cast(pl.Float64).to_numpy()
    if n_bad := int((~np.isfinite(weights) | (weights < 0)).sum()):
        raise SettingsError(
            f"{where} are negative or infinite for {n_bad:,} of {n:,} records. A weight is"
            " the number of people a record represents: 0 or more."
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise SettingsError(
                f"{where} add up to more than can be computed. A weight is the number of people a"
                " record represents."
            )
    return weights


def read_weights(files: OpenFiles, column: str) -> Weights:
    """The weights of the original, of which percentages can be taken."""
    table = files[0]
    if column not in table.frame.columns:
        raise RolesError(absent_sentence(table.place, column, table.frame.columns))
    (given,) = files.select(0).align_one(column).sides
    weights = Weights(column, parse_weights(given, column, table.place))
    if len(given) and not weights.total:
        raise SettingsError(
            f"The weights in column {column!r} of {mid_sentence(table.place)} are all 0. A weight"
            " is the number of people a record represents."
        )
    return weights


def check_weights(column: Any, compared: Sequence[str]) -> None:
    """Refuse weights that are no name of a column, or that are compared too."""
    if column is not None and not isinstance(column, str):
        raise RolesError(
            f"weights must be the name of one column, as text; given is {type(column).__name__}."
        )
    if column in compared:
        raise RolesError(
            f"Column {column!r} has the weights, so it cannot be a key or a target. Name it as one"
            " of the two."
        )
