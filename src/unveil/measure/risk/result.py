"""What `unveil.match_risk` hands back: the record, and beside it what each record has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from unveil.count.packing import Ids
from unveil.measure.risk.diversity import Diversities
from unveil.measure.risk.frequencies import Floats
from unveil.records.match_risk import DiversityKind, MatchRisk
from unveil.records.view import Plotted, as_html, as_text


@dataclass(frozen=True)
class PerRecord:
    """Figures of each key combination, and the combination of each record of the data."""

    q: Ids
    fk: Floats
    Fk: Floats
    rk: Floats
    diversity: Diversities | None

    def of_records(self, of_combination: Floats) -> Floats:
        """A figure on every record of the data, in their order."""
        return of_combination[self.q]

    def diversity_by_kind(self) -> Mapping[DiversityKind, Floats]:
        """The readings of l-diversity; none without a sensitive column."""
        made = self.diversity
        if made is None:
            return {}
        return {
            "distinct": made.distinct,
            "entropy": made.entropy,
            "recursive": made.recursive,
        }


@dataclass(frozen=True)
class MatchRiskResult(Plotted):
    """Matches and risk; printing it never shows a record of the data."""

    record: MatchRisk
    _found: PerRecord = field(repr=False, compare=False)

    @property
    def global_risk(self) -> float:
        """The mean individual risk."""
        return self.record.global_risk

    @property
    def expected_reidentifications(self) -> float:
        """How many matches are expected to be right."""
        return self.record.expected_reidentifications

    def frame(self) -> pl.DataFrame:
        """One row per record of the data, in their order: confidential."""
        found = self._found
        figures: dict[str, Floats] = {"fk": found.fk, "Fk": found.Fk, "rk": found.rk}
        figures |= dict(found.diversity_by_kind().items())
        columns = {name: found.of_records(figure) for name, figure in figures.items()}
        made = pl.DataFrame({"row": np.arange(self.record.n_records), **columns})
        has_fractions = self.record.missing == "wildcard" and 0 < self.record.alpha < 1
        whole = ["distinct", "recursive", *([] if has_fractions else ["fk"])]
        return made.cast({name: pl.Int64 for name in whole if name in columns})

    @property
    def records(self) -> list[dict[str, Any]]:
        """One entry per record of the data, in their order: confidential."""
        return self.frame().to_dicts()

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the records of the data among them: confidential.

        `to_json` and every view have the figures of the file alone.
        """
        return {**self.record.to_dict(), "records": self.records}

    def to_json(self, *, indent: int = 2) -> str:
        """The figures of the file as one JSON document; nothing of one record."""
        return self.record.to_json(indent=indent)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)
