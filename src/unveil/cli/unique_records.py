"""`--records` and `--values` of `unveil uniques`: for the custodian's eyes, in private files."""

import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from unveil.cli.records import headings_of
from unveil.errors import WriteError
from unveil.measure.risk.result import MatchRiskResult
from unveil.measure.uniques.result import SudaResult
from unveil.report.words import counted, people, visible
from unveil.write.guarding import harmless
from unveil.writing import write_private


def unique_records(alone: SudaResult, risk: MatchRiskResult, path: Path) -> tuple[bytes, str]:
    """Everyone who is alone with their keys as a document, and what to say of it."""
    found = alone.records_at_risk()
    beside = risk.frame()[found.to_series(0)].drop("row")
    n_keys = len(alone.record.keys)
    _, *rest = [*found.columns, *beside.columns]
    own = [name.rstrip("_") for name in rest[n_keys:]]
    headings = ["row", *headings_of([*rest[:n_keys], *own], n_keys)]
    columns = zip([*found, *beside], headings, strict=True)
    frame = pl.DataFrame([column.alias(heading) for column, heading in columns])
    return _document(frame), (
        f"CONFIDENTIAL: {people(found.height)} alone with their keys written to"
        f" {visible(str(path))}; row 0 is the first of the data. The file tells who they are: keep"
        " it where the data are kept."
    )


def values_of(alone: SudaResult, path: Path) -> tuple[bytes, str]:
    """Which values make people unique as a document, and what to say of it."""
    found = alone.value_contributions()
    return _document(found), (
        f"CONFIDENTIAL: {counted(found.height, 'value')} of keys written to {visible(str(path))}."
        " Some are held by one person alone: keep the file where the data are kept."
    )


def write_all(documents: Sequence[tuple[Path, bytes, str]]) -> list[str]:
    """Write every document or none, and say what was written."""
    written: list[Path] = []
    try:
        for path, content, _ in documents:
            write_private(path, content)
            written.append(path)
    except WriteError:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return [sentence for _, _, sentence in documents]


def _document(frame: pl.DataFrame) -> bytes:
    document = io.BytesIO()
    harmless(frame).write_csv(document)
    return document.getvalue()
