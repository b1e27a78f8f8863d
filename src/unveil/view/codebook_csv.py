"""A codebook as CSV, one row per column and code, that can be read back as a dictionary."""

from collections.abc import Iterator
from typing import Any

from unveil.records.codebook import Code, ColumnContents, DescribedFile, Variable
from unveil.view.codebook import columns
from unveil.view.format import visible
from unveil.view.render_documents import FORMULA_STARTS, csv_document

FIELDS = (
    *("row", "variable", "variable_label", "kind", "measure", "format", "width"),
    *("code", "code_is", "label", "missing", "missing_from", "missing_to"),
    *("used", "missing_percent", "n_distinct", "n_outside", "n_rare", "low", "high"),
)
GUARD = "'"
"""Before text that a spreadsheet would run, and before text that begins with it: one is taken off
when the file is read back."""


def codebook_csv(record: DescribedFile) -> str:
    """The columns in the order of the file, each followed by its codes.

    `row` says what a row is about: "variable" the column itself, "code" a declared code with its
    label, "missing" a missing code without a label, "range" missing numbers, and "found" a category
    that is not declared.
    """
    rows = [
        dict.fromkeys(FIELDS) | row
        for variable, found in columns(record)
        for row in _rows(variable, found)
    ]
    return csv_document(rows)


def _rows(variable: Variable, found: ColumnContents | None) -> Iterator[dict[str, Any]]:
    yield _about(variable, found)
    missing, unused = set(variable.missing), frozenset(found.unused if found else ())
    labelled = {level.code for level in variable.levels}
    for level in variable.levels:
        row = _code(variable, "code", level.code) | {"label": _guard_text(level.label)}
        yield row | _marks(
            is_missing=level.code in missing, used=_format_use(level.code, found, unused)
        )
    for code in variable.missing:
        if code not in labelled:
            used = _format_use(code, found, unused)
            yield _code(variable, "missing", code) | _marks(is_missing=True, used=used)
    for gap in variable.missing_ranges:
        ends = {"missing_from": gap.lo, "missing_to": gap.hi}
        yield {"row": "range", "variable": _guard_text(variable.name), **ends}
    for code in found.occurring if found else ():
        yield _code(variable, "found", code)


def _about(variable: Variable, found: ColumnContents | None) -> dict[str, Any]:
    told = {
        "row": "variable",
        "variable": _guard_text(variable.name),
        "variable_label": _guard_text(variable.label),
        "kind": variable.kind,
        "measure": variable.measure,
        "format": _guard_text(variable.format),
        "width": variable.width,
    }
    if found is None:
        return told
    figures = ("missing_percent", "n_distinct", "n_outside", "n_rare", "low", "high")
    return told | {figure: getattr(found, figure) for figure in figures}


def _code(variable: Variable, row: str, code: Code) -> dict[str, Any]:
    is_text = isinstance(code, str)
    return {
        "row": row,
        "variable": _guard_text(variable.name),
        "code": _guard_text(code) if isinstance(code, str) else code,
        "code_is": "text" if is_text else "number",
    }


def _format_use(code: Code, found: ColumnContents | None, unused: frozenset[Code]) -> str | None:
    if found is None:
        return None
    return "no" if code in unused else "yes"


def _marks(*, is_missing: bool, used: str | None) -> dict[str, str | None]:
    return {"missing": "yes" if is_missing else None, "used": used}


def _guard_text(text: str | None) -> str | None:
    if text is None:
        return None
    shown = visible(text)
    return f"{GUARD}{shown}" if shown.startswith((*FORMULA_STARTS, GUARD)) else shown
