"""What `unveil.disclosure` hands back: the record, and beside it the counts it was made from."""

from dataclasses import dataclass, field
from typing import Any, Self

import polars as pl

from unveil.count.exclusions import Exclusions
from unveil.measure.record import Plain
from unveil.measure.records_at_risk import records_at_risk
from unveil.read.exclusions import parse_exclusions
from unveil.records.checks import Flag
from unveil.records.copies import Copy
from unveil.records.disclosure import (
    AttributeRow,
    Coercion,
    Disclosure,
    IdentityRow,
    NotMeasured,
    PeopleFigures,
    Recurrence,
)
from unveil.records.exclusions import Effect, Excluded, Exclusion
from unveil.records.view import Plotted, as_html, as_text


@dataclass(frozen=True)
class OfCopy:
    """The figures of one copy, of their mean, or of all copies pooled."""

    identity: IdentityRow
    attribute: tuple[AttributeRow, ...]


@dataclass(frozen=True)
class DisclosureResult(Plotted):
    """Identity and attribute disclosure; printing it never shows a record of the data."""

    record: Disclosure
    _plain: Plain = field(repr=False, compare=False)
    _exclusions: Exclusions = field(repr=False, compare=False)

    @classmethod
    def of(cls, plain: Plain, exclude: tuple[Exclusion, ...] = ()) -> Self:
        """The result under these exclusions, from figures measured without any."""
        record, exclusions = plain.record(exclude)
        return cls(record, plain, exclusions)

    def whatif(self, exclude: Any = ()) -> Self:
        """The same scenario under exactly these exclusions; nothing is counted again."""
        return self.of(self._plain, parse_exclusions(exclude))

    def records_at_risk(
        self,
        target: str,
        *,
        copy: Copy | None = None,
        measure: str = "DiSCO",
        as_text: bool = False,
    ) -> pl.DataFrame:
        """The original records that a measure counts: confidential, never part of a view.

        Parameters
        ----------
        target
            The target they are at risk of giving away.
        copy
            1 to m, or "pooled"; by default the only copy, or all of them pooled.
        measure
            Dorig, iS, DiS, DiSCO, DiSDiO or repU: whose records to list.
        as_text
            Every level as text, as exclusions name it, instead of its value.

        Returns
        -------
        polars.DataFrame
            One row per record that exclusions leave: its row in the original (from 0), its keys and
            target, what the copy says, the counts of its cell (d_tq, s_tq) and of its key
            combination (d_q, s_q), the measures it belongs to, and why.
        """
        return records_at_risk(
            self._exclusions, target, copy=copy, measure=measure, as_text=as_text
        )

    @property
    def identity(self) -> tuple[IdentityRow, ...]:
        """UiO, UiS, UiOiS, repU of each copy; of several also their mean, and pooled."""
        return self.record.identity

    @property
    def attribute(self) -> tuple[AttributeRow, ...]:
        """Dorig to TCAP of each target and copy, the riskiest target first."""
        return self.record.attribute

    @property
    def people(self) -> PeopleFigures | None:
        """The figures counted by person, where a column says whose row it is."""
        return self.record.people

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What the one-way and two-way checks raised: it may be common knowledge."""
        return self.record.flags

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """How many records each exclusion took out of each sum."""
        return self.record.excluded

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What the exclusions together did to each figure."""
        return self.record.effects

    @property
    def recurrence(self) -> tuple[Recurrence, ...]:
        """Original records that stand whole in each copy."""
        return self.record.recurrence

    @property
    def coercions(self) -> tuple[Coercion, ...]:
        """What was noticed and changed to make the files comparable."""
        return self.record.coercions

    @property
    def not_measured(self) -> tuple[NotMeasured, ...]:
        """Why a figure is None."""
        return self.record.not_measured

    @property
    def mean(self) -> OfCopy:
        """The mean over the copies (of one copy: that copy)."""
        return self.of_copy(self.record.headline_copy)

    @property
    def pooled(self) -> OfCopy:
        """All copies as one file, as an intruder who has them all would use them."""
        return self.of_copy("pooled" if len(self.record.n_synthetic) > 1 else 1)

    def of_copy(self, copy: Copy) -> OfCopy:
        """The figures of one copy."""
        rows = tuple(row for row in self.record.attribute if row.copy == copy)
        return OfCopy(self.record.identity_of(copy), rows)

    def to_dict(self) -> dict[str, Any]:
        """All figures as dictionaries and lists."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """All figures as one JSON document."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """One row per target and copy, the copy's identity figures beside; unrounded."""
        left_out = pl.lit("; ".join(self.record.exclude)).alias("exclude")
        made = self.record.to_dict()
        identity = pl.DataFrame(
            [{**row, "copy": str(row["copy"])} for row in made["identity"]],
            infer_schema_length=None,
        )
        if not made["attribute"]:
            return identity.with_columns(left_out)
        attribute = pl.DataFrame(
            [{**row, "copy": str(row["copy"])} for row in made["attribute"]],
            infer_schema_length=None,
        )
        both = attribute.join(identity, on="copy", how="left", maintain_order="left")
        return both.with_columns(left_out)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)
