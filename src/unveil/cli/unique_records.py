"""`--records` and `--values` of `unveil uniques`: for the custodian's eyes, in private files."""

import io
from pathlib import Path

import polars as pl

from unveil.cli.records import harmless, headings_of
from unveil.measure.risk.result import MatchRiskResult
from unveil.measure.uniques.result import SudaResult
from unveil.report.words import counted, people, visible
from unveil.writing import write_private


def write_unique_records(alone: SudaResult, risk: MatchRiskResult, path: Path) -> str:
    """Write everyone who is alone with their keys, and say what was written."""
    found = alone.records_at_risk()
    beside = risk.frame()[found.to_series(0)].drop("row")
    n_keys = len(alone.record.keys)
    _, *rest = [*found.columns, *beside.columns]
    own = [name.rstrip("_") for name in rest[n_keys:]]
    headings = ["row", *headings_of([*rest[:n_keys], *own], n_keys)]
    columns = zip([*found, *beside], headings, strict=True)
    _write(pl.DataFrame([column.alias(heading) for column, heading in columns]), path)
    return (
        f"CONFIDENTIAL: {people(found.height)} alone with their keys written to"
        f" {visible(str(path))}; row 0 is the first of the data. The file tells who they are: keep"
        " it where the data are kept."
    )


def write_values(alone: SudaResult, path: Path) -> str:
    """Write which values make people unique, and say what was written."""
    found = alone.value_contributions()
    _write(found, path)
    return (
        f"CONFIDENTIAL: {counted(found.height, 'value')} of keys written to {visible(str(path))}."
        " Some are held by one person alone: keep the file where the data are kept."
    )


def _write(frame: pl.DataFrame, path: Path) -> None:
    document = io.BytesIO()
    harmless(frame).write_csv(document)
    write_private(path, document.getvalue())
