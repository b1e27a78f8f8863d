"""CAP as Taub et al. (2018) print it: Tables 1, 5 and 6.

Rows for the original and the baseline, then one for each method and m; columns for each rule for
non-matches, scenario and key set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from unveil.records.cap import Cap, CapRow, KeySet, NonMatch

ORIGINAL, BASELINE = "original", "baseline"


@dataclass(frozen=True)
class Head:
    """What a column is of."""

    rule: NonMatch
    scenario: str
    key_set: KeySet


@dataclass(frozen=True)
class Line:
    """One row: the original, the baseline (m is None), or a method with m copies pooled."""

    label: str
    m: int | None
    cells: tuple[float | None, ...]


def heads(record: Cap) -> list[Head]:
    """The columns, those of one rule together."""
    return [
        Head(rule, scenario, key_set)
        for rule in get_args(NonMatch)
        for scenario in record.scenarios
        for key_set in record.key_sets
    ]


def lines(record: Cap, columns: list[Head]) -> Iterator[Line]:
    """The rows, with a cell for each of these columns."""
    found = {(row.method, row.keys, row.scenario, row.m): row for row in record.rows}

    def row_of(method: str, head: Head, m: int) -> CapRow:
        return found[method, head.key_set.keys, head.scenario, m]

    first = record.methods[0].name
    for label in (ORIGINAL, BASELINE):
        cells = (getattr(row_of(first, head, 1), f"cap_{label}") for head in columns)
        yield Line(label, None, tuple(cells))
    for method in record.methods:
        for m in range(1, len(method.n_synthetic) + 1):
            rows = ((head, row_of(method.name, head, m)) for head in columns)
            cells = (getattr(row, f"cap_synthetic_{head.rule}") for head, row in rows)
            yield Line(method.name, m, tuple(cells))
