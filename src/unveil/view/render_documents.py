"""Figures as documents for other programs: JSON and CSV, unrounded, aggregates only."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from unveil.records.alerts import Assessment
from unveil.records.base import Record
from unveil.records.disclosure import Disclosure
from unveil.records.limits import Verdict
from unveil.view.format import visible

FORMULA_STARTS = ("=", "+", "-", "@")


def json_document(
    record: Record, verdicts: Sequence[Verdict] = (), assessment: Assessment | None = None
) -> str:
    """The record as one JSON document, with what limits and checks said where there are any."""
    document = record.to_dict()
    if verdicts:
        document["limits"] = [verdict.to_dict() for verdict in verdicts]
    if assessment is not None:
        document["alerts"] = [alert.to_dict() for alert in assessment.alerts]
        document["not_tested"] = [one.to_dict() for one in assessment.not_tested]
        document["assessment"] = {
            "is_gate": assessment.is_gate,
            "exit_code": assessment.exit_code,
            "files_sha256": assessment.files_sha256,
            "evidence": assessment.evidence.to_dict(),
        }
    return json_text(document)


def json_text(document: Any) -> str:
    """What `--json` prints: plain letters only, and no NaN."""
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)


def disclosure_csv(record: Disclosure) -> str:
    """One row per target and copy, the copy's identity figures beside; empty is not measurable."""
    identity = {row.copy: row.to_dict() for row in record.identity}
    left_out = {"exclude": "; ".join(record.exclude)}
    rows = [{**row.to_dict(), **identity[row.copy], **left_out} for row in record.attribute]
    return csv_document(rows or [{**row, **left_out} for row in identity.values()])


def csv_document(rows: Sequence[dict[str, Any]]) -> str:
    """Rows with the same fields as CSV; empty is not measurable."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({field: guard_text(value) for field, value in row.items()} for row in rows)
    return text.getvalue().removesuffix("\n")


def guard_text(value: Any) -> Any:
    """Text made harmless: control characters visible, and no formula for a spreadsheet to run."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.startswith(FORMULA_STARTS) else shown
