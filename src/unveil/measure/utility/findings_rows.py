"""From what each file says to rows: original beside every copy, and all copies combined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.measure.utility.combining import Synthesis, combined
from unveil.measure.utility.intervals import interval, overlap, ratio_of_counts
from unveil.measure.utility.replicating import Answer, Estimate
from unveil.records.replication import CopyOrAll, FindingCopy, FindingNotMeasured, FindingRow, Unit

Ends = tuple[float | None, float | None]
UNITS: dict[str, Unit] = {
    "prevalence": "percent",
    "table": "percent",
    "mean": "value",
    "regression": "coefficient",
}


@dataclass(frozen=True)
class Settings:
    """What all findings have in common: sizes of the files, level and rule."""

    sizes: Sequence[int]
    level: float
    synthesis: Synthesis


def terms_of(answers: Sequence[Answer]) -> list[str]:
    """Every term that some file has, or that was asked of one, the original's first."""
    return list(dict.fromkeys(term for one in answers for term in (*one.terms, *one.left_out)))


def rows_of(
    name: str, kind: str, answers: Sequence[Answer], settings: Settings
) -> Iterator[FindingRow]:
    """One row for each term and copy; of several copies also one for all combined."""
    copies = range(1, len(answers))
    sets: list[tuple[CopyOrAll, list[int]]] = [(copy, [copy]) for copy in copies]
    if len(copies) > 1:
        sets.append(("combined", list(copies)))
    for term in terms_of(answers):
        before = _original(answers[0].terms.get(term), settings.level)
        for copy, members in sets:
            sizes = [settings.sizes[member] for member in members]
            made = _combined([answers[one].terms.get(term) for one in members], sizes, settings)
            compared = _compared(before, made, settings.sizes[0] * len(sizes) / sum(sizes))
            yield FindingRow(
                finding=name, term=term, unit=UNITS[kind], copy=copy, **before, **made, **compared
            )


def _original(given: Estimate | None, level: float) -> dict[str, Any]:
    if given is None:
        return _figures("original")
    ends: Ends = (None, None)
    if given.se is not None:
        ends = interval(given.value, given.se, level, given.df)
    counts = {"n": given.n, "count": given.count}
    return _figures("original", value=given.value, se=given.se, ends=ends, **counts)


def _figures(
    side: str,
    *,
    value: float | None = None,
    se: float | None = None,
    ends: Ends = (None, None),
    n: float | None = None,
    count: float | None = None,
) -> dict[str, Any]:
    parts = {"": value, "_se": se, "_low": ends[0], "_high": ends[1], "_n": n, "_count": count}
    return {f"{side}{part}": figure for part, figure in parts.items()}


def _population(ends: Ends = (None, None), se: float | None = None) -> dict[str, Any]:
    return {"population_se": se, "population_low": ends[0], "population_high": ends[1]}


def _combined(
    given: Sequence[Estimate | None], sizes: Sequence[int], settings: Settings
) -> dict[str, Any]:
    """The figures of some copies together; none where one of them has none."""
    found = [one for one in given if one is not None]
    if len(found) < len(given):
        return {**_figures("synthetic"), **_population()}
    m = len(found)
    counts = [one.count for one in found if one.count is not None]
    sums: dict[str, Any] = {
        "n": sum(one.n for one in found) / m,
        "count": sum(counts) / m if counts else None,
    }
    errors = [one.se for one in found if one.se is not None]
    if len(errors) < m:
        value = sum(one.value for one in found) / m
        return {**_figures("synthetic", value=value, **sums), **_population()}
    values = [one.value for one in found]
    made = combined(values, errors, sizes, settings.sizes[0], settings.synthesis)
    dfs = [one.df for one in found if one.df is not None]
    ends = interval(made.estimate, made.se, settings.level, min(dfs) if dfs else None)
    figures = _figures("synthetic", value=made.estimate, se=made.se, ends=ends, **sums)
    if made.population_se is None:
        return {**figures, **_population()}
    reach = interval(made.estimate, made.population_se, settings.level, made.df)
    return {**figures, **_population(reach, made.population_se)}


def _compared(original: dict[str, Any], synthetic: dict[str, Any], scale: float) -> dict[str, Any]:
    """Difference, ratio of counts, overlap and standardised difference, where there are two.

    Counts of a copy are scaled to the size of the original before they are compared.
    """
    before, after, se = original["original"], synthetic["synthetic"], original["original_se"]
    if before is None or after is None:
        return dict.fromkeys(
            ("difference", "ratio_of_counts", "overlap", "standardised_difference")
        )
    count, other = original["original_count"], synthetic["synthetic_count"]
    has_counts = count is not None and other is not None
    ends = [
        (given[f"{side}_low"], given[f"{side}_high"])
        for side, given in (("original", original), ("synthetic", synthetic))
    ]
    has_ends = all(end is not None for pair in ends for end in pair)
    return {
        "difference": after - before,
        "ratio_of_counts": ratio_of_counts(count, other * scale) if has_counts else None,
        "overlap": overlap(ends[0], ends[1]) if has_ends else None,
        "standardised_difference": (after - before) / se if se else None,
    }


def summaries(rows: Sequence[FindingRow]) -> tuple[FindingCopy, ...]:
    """Means over the terms of a finding, for every copy and for all combined."""
    return tuple(
        _summary(copy, [row for row in rows if row.copy == copy])
        for copy in dict.fromkeys(row.copy for row in rows)
    )


def _summary(copy: Any, rows: Sequence[FindingRow]) -> FindingCopy:
    overlaps = [row.overlap for row in rows if row.overlap is not None]
    apart = [abs(r.standardised_difference) for r in rows if r.standardised_difference is not None]
    ratios = [row.ratio_of_counts for row in rows if row.ratio_of_counts is not None]
    return FindingCopy(
        copy=copy,
        n_terms=len(rows),
        n_compared=sum(row.difference is not None for row in rows),
        mean_overlap=_mean(overlaps),
        mean_standardised_difference=_mean(apart),
        mean_ratio_of_counts=_mean(ratios),
    )


def _mean(figures: Sequence[float]) -> float | None:
    return sum(figures) / len(figures) if figures else None


def not_measured(
    name: str, answers: Sequence[Answer], rows: Sequence[FindingRow]
) -> Iterator[FindingNotMeasured]:
    """Why a file, a term in a file, or the overlap of a term has no figure."""
    for side, answer in enumerate(answers):
        copy: Any = side or "original"
        if answer.why is not None:
            yield FindingNotMeasured(finding=name, term=None, copy=copy, reason=answer.why)
            continue
        for term in terms_of(answers):
            if term not in answer.terms:
                reason = answer.left_out.get(term, "this file has no such term")
                yield FindingNotMeasured(finding=name, term=term, copy=copy, reason=reason)
    for row in rows:
        if row.difference is not None and row.overlap is None:
            yield FindingNotMeasured(
                finding=name, term=row.term, copy=row.copy, reason=_no_length(row)
            )


def _no_length(row: FindingRow) -> str:
    if row.original_se is None or row.synthetic_se is None:
        return "one record alone has no standard error"
    return "an interval has no length, so there is no overlap"
