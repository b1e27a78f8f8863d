"""What holds of every record, and columns that are computed from others: expressions of SQL."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from unveil.data.expressions import evaluate, expression
from unveil.errors import InputError, printable

IF = re.compile(r"\s*if\b(?!\s*\()", re.IGNORECASE)
OBEYED = "age >= 16 or marital = 'SINGLE'"


@dataclass(frozen=True)
class Rules:
    """Conditions that are true of every record, and derived columns, in turn."""

    conditions: tuple[str, ...]
    formulas: Mapping[str, str]

    @classmethod
    def of(cls, conditions: str | Sequence[str], formulas: Mapping[str, str]) -> "Rules":
        conditions = [conditions] if isinstance(conditions, str) else conditions
        for text in (*conditions, *formulas.values()):
            if IF.match(text):
                raise InputError(
                    f"{printable(text[:80])!r} cannot be read. For 'if age < 16 then single' write"
                    f" what is true of every record: {OBEYED}."
                )
        return cls(tuple(conditions), dict(formulas))

    def derive(self, frame: pl.DataFrame) -> pl.DataFrame:
        """With its derived columns computed, in the type that they had before."""
        for name, text in self.formulas.items():
            values = _evaluate("derive", text, frame)
            if name in frame.columns:
                values = values.cast(frame.schema[name], strict=False)
            elif values.dtype.is_float() and (values.drop_nulls() % 1 == 0).all():
                values = values.cast(pl.Int64)
            frame = frame.with_columns(values.alias(name))
        return frame

    def broken(self, frame: pl.DataFrame) -> list[int]:
        """How many records break each condition; what is missing breaks none."""
        return [int((~_holds(text, frame)).sum()) for text in self.conditions]

    def obeyed(self, frame: pl.DataFrame) -> pl.Series:
        """Which records break no condition."""
        holds = pl.repeat(True, len(frame), eager=True)
        for text in self.conditions:
            holds &= _holds(text, frame)
        return holds

    def without(self, names: Collection[str], frame: pl.DataFrame) -> "Rules":
        """What is left of them when a frame loses columns."""

        def stays(text: str) -> bool:
            return not {*names} & {*expression(text, frame).meta.root_names()}

        formulas = {n: text for n, text in self.formulas.items() if n not in names and stays(text)}
        return Rules(tuple(filter(stays, self.conditions)), formulas)

    def check(self, original: pl.DataFrame) -> list[int]:
        """How many originals break each; refused if that is all of them."""
        broken = self.broken(original)
        for text, n in zip(self.conditions, broken, strict=True):
            if n == len(original):
                raise InputError(f"'rules': no record of the original obeys {text[:80]!r}.")
        return broken


def _evaluate(setting: str, text: str, frame: pl.DataFrame) -> pl.Series:
    try:
        return evaluate(text, frame)
    except InputError as fault:
        raise InputError(f"{setting!r}: {fault}") from None


def _holds(text: str, frame: pl.DataFrame) -> pl.Series:
    holds = _evaluate("rules", text, frame)
    if holds.dtype != pl.Boolean:
        raise InputError(
            f"'rules': {printable(text[:80])!r} is not true or false of a record. Write {OBEYED}."
        )
    return holds.fill_null(True)
