"""The result of `unveil.protect`: the copy, what it was after each step, and the record."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from unveil.read.labelled import Labelled
from unveil.records.codebook import Codebook
from unveil.records.protection import ConfidentialProtection, Protection, ProtectionSeeds
from unveil.records.recoding import Step
from unveil.records.view import Plotted, as_html, as_text


@dataclass(frozen=True, repr=False, eq=False)
class ProtectResult(Plotted):
    """The copy, what it was after each step, and the record; printing it shows no row.

    `s1` is the synthesis alone, `s2` filtered and filled again, `s3` with noise: the copy. A step
    that was left out leaves the frame of the step before. `seeds` and `recipe` are confidential.
    """

    record: Protection
    seeds: ProtectionSeeds
    recoded: pl.DataFrame
    s1: pl.DataFrame
    s2: pl.DataFrame
    s3: pl.DataFrame
    codebook: Codebook | None = None
    recipe: tuple[Step, ...] = ()  # confidential: recodings with the limits found in the data

    @property
    def data(self) -> pl.DataFrame | Labelled:
        """The copy, with what is declared of its columns where anything is."""
        return self.s3 if self.codebook is None else Labelled(self.s3, self.codebook)

    @property
    def statement(self) -> str:
        """What may be published: class of method, kind and amount of noise."""
        return self.record.statement

    @cached_property
    def confidential(self) -> ConfidentialProtection:
        """Everything, seeds and ECAP values among it: not to be released."""
        return ConfidentialProtection(seeds=self.seeds, protection=self.record, recipe=self.recipe)

    def to_dict(self) -> dict[str, Any]:
        """The record as dictionaries and lists: confidential but for `statement`; no seeds."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """The same as one JSON document."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """One row for each step: what it did, and the rows it left."""
        return pl.DataFrame([step.to_dict() for step in self.record.steps])

    def sweep(self) -> pl.DataFrame:
        """One row for each size of leaves that was tried."""
        rows = [row.to_dict() for row in self.record.sweep]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)
