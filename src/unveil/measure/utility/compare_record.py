"""Which associations changed, and which most? From figures by side to rows of the record."""

from collections.abc import Iterator, Mapping, Sequence

from unveil.measure.utility.associations import Pair
from unveil.records.comparison import AssociationChange, AssociationRow, DistanceRow
from unveil.records.copies import Copy
from unveil.records.disclosure import NotMeasured

WHY = {
    "pearson": "one of the two is constant, or fewer than two records have both",
    "spearman": "one of the two is constant, or fewer than two records have both",
    "cramer_v": "one of the two has a single level",
    "correlation_ratio": "the number is constant or the category has a single level",
}


def association_rows(
    by_side: Sequence[Mapping[Pair, float | None]],
) -> tuple[AssociationRow, ...]:
    """A row for every pair, measure and copy; of several copies also their mean."""
    original, *copies = by_side
    rows: list[AssociationRow] = []
    for pair, there in original.items():
        figures = [copy[pair] for copy in copies]
        rows += [_row(pair, number, there, here) for number, here in enumerate(figures, start=1)]
        if len(copies) > 1:
            known = [figure for figure in figures if figure is not None]
            mean = sum(known) / len(known) if len(known) == len(figures) else None
            rows.append(_row(pair, "mean", there, mean))
    return tuple(rows)


def _row(pair: Pair, copy: Copy, there: float | None, here: float | None) -> AssociationRow:
    a, b, measure = pair
    return AssociationRow(
        a=a,
        b=b,
        measure=measure,
        copy=copy,
        original=there,
        synthetic=here,
        difference=None if there is None or here is None else here - there,
    )


def changes(
    rows: Sequence[AssociationRow], columns: Sequence[str]
) -> tuple[AssociationChange, ...]:
    """For every column and copy how much its associations changed, the most changed one named."""
    held: dict[tuple[str, Copy], list[tuple[float, str]]] = {
        (column, row.copy): [] for column in columns for row in rows
    }
    for row in rows:
        if row.difference is not None:
            held[row.a, row.copy].append((abs(row.difference), row.b))
            held[row.b, row.copy].append((abs(row.difference), row.a))
    return tuple(_change(column, copy, found) for (column, copy), found in held.items())


def _change(column: str, copy: Copy, found: Sequence[tuple[float, str]]) -> AssociationChange:
    largest, partner = max(found, key=lambda one: one[0], default=(None, None))
    return AssociationChange(
        column=column,
        copy=copy,
        mean_difference=sum(size for size, _ in found) / len(found) if found else None,
        largest_difference=largest,
        largest_with=partner,
    )


def most_changed(rows: Sequence[AssociationRow]) -> AssociationRow | None:
    """The row with the largest difference: of the only copy, or of the mean of all."""
    headline: Copy = "mean" if any(row.copy == "mean" for row in rows) else 1
    known = [row for row in rows if row.copy == headline and row.difference is not None]
    return max(known, key=lambda row: abs(row.difference or 0.0), default=None)


def not_measured(
    rows: Sequence[DistanceRow], related: Sequence[AssociationRow]
) -> Iterator[NotMeasured]:
    """Why a figure is None; of categories Wasserstein is not asked for."""
    for row in rows:
        for field, reason in _unknown(row):
            yield NotMeasured(target=row.column, copy=row.copy, field=field, reason=reason)
    for one in related:
        if one.difference is None:
            places = ["original"] * (one.original is None) + ["copy"] * (one.synthetic is None)
            reason = f"in the {' and the '.join(places)}: {WHY[one.measure]}"
            yield NotMeasured(
                target=f"{one.a} and {one.b}", copy=one.copy, field=one.measure, reason=reason
            )


def _unknown(row: DistanceRow) -> Iterator[tuple[str, str]]:
    if row.hellinger is None:
        yield "hellinger", "a file has no record"
        yield "total_variation", "a file has no record"
    if row.kind == "category":
        return
    if row.wasserstein is None:
        yield "wasserstein", "a file has no number in this column"
    elif row.wasserstein_sd is None:
        yield "wasserstein_sd", "the original's numbers are all the same, or only one"
