"""`unveil.disclosure`: what would an intruder learn from the copies, about whom, how surely?

Read, align, count, measure: each once, for all targets and all copies (Raab 2024, section 3).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from unveil.count.codes import Column
from unveil.count.scenario import Progress, count, encode_all
from unveil.errors import AlignError, InputError, ReadError, SettingsError
from unveil.measure.figures import disclosure_record
from unveil.measure.result import DisclosureResult
from unveil.read.align import align
from unveil.read.files import read_table
from unveil.read.roles import declared, names, roles
from unveil.read.table import Table, mid_sentence


def disclosure(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress = lambda *_: None,
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
        `.identity`, `.attribute`, `.mean`, `.pooled`, `.to_dict()`, `.to_json()`, `.frame()`.

    References
    ----------
    Raab (2024), Privacy risk from synthetic data: practical proposals; section 3 and Appendix 1.
    """
    key_names = names(keys, "Keys")
    target_names = None if targets is None else names(targets, "Targets")
    spelt = declared(key_names, target_names)
    wanted = None if spelt is None else spelt.columns
    tables = _read_all(original, synthetic, wanted, missing_values, progress)
    chosen = roles(tables, key_names, target_names)
    aligned = align(tables, chosen.columns)
    columns = encode_all(aligned, chosen.columns, progress)
    key_columns, target_columns = columns[: len(chosen.keys)], columns[len(chosen.keys) :]
    _refuse_disjoint(key_columns, tables)
    scenario = count(key_columns, target_columns, progress)
    notes = (*chosen.notes, *aligned.coercions)
    return DisclosureResult(disclosure_record(scenario, notes), scenario)


def _read_all(
    original: Any,
    synthetic: Any,
    columns: Sequence[str] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> list[Table]:
    copies = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    missing = (missing_values,) if isinstance(missing_values, str) else tuple(missing_values)
    if not all(isinstance(entry, str) for entry in missing):
        raise SettingsError('missing_values must be texts, such as ["NA", "-9"].')
    if not copies:
        raise ReadError("No synthetic copy is given. Name at least one file or frame.")
    numbered = [f"synthetic {number}" for number in range(1, len(copies) + 1)]
    sides = ["original", *(numbered if len(copies) > 1 else ["synthetic"])]
    tables, faults = [], []
    for done, (side, source) in enumerate(zip(sides, [original, *copies], strict=True)):
        progress(f"reading the {side} data", done, len(sides))
        try:
            tables.append(read_table(source, side=side, columns=columns, missing_values=missing))
        except InputError as fault:
            faults.append(fault)
    if faults:
        raise type(faults[0])("\n".join(map(str, faults)))
    return tables


def _refuse_disjoint(keys: Sequence[Column], tables: Sequence[Table]) -> None:
    """Refuse a key that cannot match: its levels in a copy are all unknown to the original."""
    faults = [
        f"{_disjoint(key, side, tables)} Nobody would be found and the risk would look like zero."
        " Give the column the same coding in both files."
        for key in keys
        for side in range(1, len(tables))
        if _is_disjoint(key, side)
    ]
    if faults:
        raise AlignError("\n".join(faults))


def _disjoint(key: Column, side: int, tables: Sequence[Table]) -> str:
    for place in (0, side):
        if key.has_missing and not key.counts[place][:-1].any():
            return f"Key {key.name!r} is empty throughout {mid_sentence(tables[place].place)}."
    return (
        f"Key {key.name!r} has no level in common between {mid_sentence(tables[0].place)} and"
        f" {mid_sentence(tables[side].place)}."
    )


def _is_disjoint(key: Column, side: int) -> bool:
    here, there = key.counts[0] > 0, key.counts[side] > 0
    if key.has_missing and here[:-1].any() and there[:-1].any():
        # Where both sides have real levels, missing values alone in common are no match.
        here, there = here[:-1], there[:-1]
    return not (here & there).any()
