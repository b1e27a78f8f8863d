"""`unveil.disclosure`: what would an intruder learn from the copies, about whom, how surely?

Read, align, count, measure: each once, for all targets and all copies (Raab 2024, section 3).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from unveil.count.scenario import Progress, silent
from unveil.measure.figures import disclosure_record
from unveil.measure.opening import opened
from unveil.measure.result import DisclosureResult


def disclosure(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> DisclosureResult:
    """Measure identity and attribute disclosure of one or several copies of an original.

    Parameters
    ----------
    original
        The confidential data: a polars, pandas or pyarrow frame, anything narwhals reads, or a path
        to a CSV or Parquet file.
    synthetic
        One copy, or a list of copies, in any of the same forms.
    keys
        The columns an intruder would know about a person.
    targets
        The columns they might learn, each taken alone; all other columns in common by default.
    missing_values
        Entries that stand for missing, such as ``["NA"]`` or ``["-9"]``. Empty always does.
    progress
        Called with what is being done, how many steps are done, and how many there are.

    Returns
    -------
    DisclosureResult
        `.identity`, `.attribute`, `.mean`, `.pooled`; `.recurrence`, `.coercions`,
        `.not_measured`; `.to_dict()`, `.to_json()`, `.frame()`; all of it in `.record`.

    References
    ----------
    Raab (2024), Privacy risk from synthetic data: practical proposals; section 3 and Appendix 1.
    """
    progress = progress or silent
    opening = opened(
        original,
        synthetic,
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        progress=progress,
    )
    record = disclosure_record(
        opening.scenario, files=opening.files, notes=opening.notes, progress=progress
    )
    return DisclosureResult(record, opening.scenario)
