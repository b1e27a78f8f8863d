"""What is in this file: which columns, what their codes mean, and what is really there?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.measure.codebook.declared import declared
from unveil.measure.codebook.found import found_in
from unveil.measure.opening import read_all
from unveil.read.dictionary import dictionary_given
from unveil.read.table import Table
from unveil.records.codebook import Codebook, Variable
from unveil.records.described import Described, Found
from unveil.records.view import as_html, as_text


@dataclass(frozen=True)
class CodebookResult:
    """The codebook of a file; it never holds what only one person has."""

    record: Described

    @property
    def codebook(self) -> Codebook:
        """What is declared, without what the records have."""
        return self.record.codebook

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns, in the order of the file."""
        return self.record.codebook.variables

    @property
    def found(self) -> tuple[Found, ...]:
        """What the records of each column have; empty where the data were left out."""
        return self.record.found

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """Everything as one JSON document, which can be given as a dictionary again."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """One row per column; codes, labels and ranges as text."""
        found = {one.name: one for one in self.found}
        rows = [_row(variable, found.get(variable.name)) for variable in self.variables]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


def codebook(
    data: Any,
    *,
    dictionary: Any = None,
    missing_values: str | Sequence[str] = (),
    declared_only: bool = False,
    progress: Progress | None = None,
) -> CodebookResult:
    """What is declared about the columns of a file or frame, and what its records have.

    Parameters
    ----------
    data
        A path or a frame.
    dictionary
        What the columns mean, where the file does not say so itself: the path of a dictionary, or
        a codebook. It goes before what the file says.
    missing_values
        Entries that mean missing, as in every other call.
    declared_only
        Leave the data out: nothing but what somebody declared is told.
    progress
        Called with what is being done, how many steps are done, and how many there are.

    Notes
    -----
    A value that nobody declared is told only where at least five people have it; others are
    counted. Ranges leave out their ends, and are not told of fewer than fifty values. Percentages
    of missing entries are whole.
    """
    progress = progress or silent
    known = None if dictionary is None else dictionary_given(dictionary)
    (table,) = read_all({"data": data}, None, missing_values, None, progress)
    return CodebookResult(described(table, known, declared_only=declared_only, progress=progress))


def described(
    table: Table, dictionary: Codebook | None, *, declared_only: bool = False, progress: Progress
) -> Described:
    """The record of one table."""
    said = declared(table, dictionary)
    found = []
    for done, variable in enumerate(said.codebook.variables):
        if not declared_only:
            progress(f"looking at {variable.name}", done, len(said.codebook.variables))
            found.append(found_in(table.frame[variable.name], variable))
    return Described(
        codebook=said.codebook,
        n_records=table.frame.height,
        declared_only=declared_only,
        found=tuple(found),
        not_in_file=said.not_in_file,
        coercions=table.notes,
    )


def _row(variable: Variable, found: Found | None) -> dict[str, Any]:
    levels = [f"{level.code} {level.label}".strip() for level in variable.levels]
    row: dict[str, Any] = {
        "name": variable.name,
        "label": variable.label,
        "kind": variable.kind,
        "measure": variable.measure,
        "format": variable.format,
        "codes": levels,
        "missing_codes": [str(code) for code in variable.missing],
    }
    if found is None:
        return row
    return {
        **row,
        "missing_percent": found.missing_percent,
        "n_distinct": found.n_distinct,
        "n_outside": found.n_outside,
        "occurring": [str(code) for code in found.occurring],
        "n_rare": found.n_rare,
        "unused": [str(code) for code in found.unused],
        "low": None if found.low is None else str(found.low),
        "high": None if found.high is None else str(found.high),
    }
