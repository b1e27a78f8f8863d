"""`unveil.replicate`: do the published results still come out when computed on the synthetic file?

The method named after Purdam and Elliot (2007), as Taub and others (2017) and Chapelle and
Falissard (2023) use it: the essential findings of the original study are declared, computed on the
original and on every copy, and compared.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.arguments import parse_choice, parse_number_within
from unveil.errors import SettingsError
from unveil.measure.result import RowsResult
from unveil.measure.utility.replicate_data import (
    Estimate,
    FileEstimate,
    ReplicationData,
    means,
    open_results,
    prevalences,
    tables,
)
from unveil.measure.utility.replicate_models import regressions
from unveil.measure.utility.replicate_settings import ResultSpec, parse_results, read_findings
from unveil.models.intervals import (
    RULES,
    SYNTHESES,
    Synthesis,
    combine_estimates,
    interval,
    overlap,
    ratio_of_counts,
)
from unveil.records.replication import (
    CopyOrAll,
    ReplicatedResult,
    Replication,
    ReplicationCopy,
    ReplicationNotMeasured,
    ReplicationRow,
    Unit,
)
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# From what each file says to rows: original beside every copy, and all copies combined.


Ends = tuple[float | None, float | None]
UNITS: dict[str, Unit] = {
    "prevalence": "percent",
    "table": "percent",
    "mean": "value",
    "regression": "coefficient",
}


@dataclass(frozen=True)
class ReplicationSettings:
    """What all findings have in common: sizes of the files, level and rule."""

    sizes: Sequence[int]
    level: float
    synthesis: Synthesis


def terms_of(answers: Sequence[FileEstimate]) -> list[str]:
    """Every term that some file has, or that was asked of one, the original's first."""
    return list(dict.fromkeys(term for one in answers for term in (*one.terms, *one.left_out)))


def rows_of(
    name: str, kind: str, answers: Sequence[FileEstimate], settings: ReplicationSettings
) -> Iterator[ReplicationRow]:
    """One row for each term and copy; of several copies also one for all combined."""
    copies = range(1, len(answers))
    sets: list[tuple[CopyOrAll, list[int]]] = [(copy, [copy]) for copy in copies]
    if len(copies) > 1:
        sets.append(("combined", list(copies)))
    for term in terms_of(answers):
        before = _original(answers[0].terms.get(term), settings.level)
        for copy, members in sets:
            sizes = [settings.sizes[member] for member in members]
            made = _combine_copies(
                [answers[one].terms.get(term) for one in members], sizes, settings
            )
            compared = _compare_estimates(before, made, settings.sizes[0] * len(sizes) / sum(sizes))
            yield ReplicationRow(
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


def _combine_copies(
    given: Sequence[Estimate | None], sizes: Sequence[int], settings: ReplicationSettings
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
    made = combine_estimates(values, errors, sizes, settings.sizes[0], settings.synthesis)
    dfs = [one.df for one in found if one.df is not None]
    ends = interval(made.estimate, made.se, settings.level, min(dfs) if dfs else None)
    figures = _figures("synthetic", value=made.estimate, se=made.se, ends=ends, **sums)
    if made.population_se is None:
        return {**figures, **_population()}
    reach = interval(made.estimate, made.population_se, settings.level, made.df)
    return {**figures, **_population(reach, made.population_se)}


def _compare_estimates(
    original: dict[str, Any], synthetic: dict[str, Any], scale: float
) -> dict[str, Any]:
    """Difference, ratio of counts, overlap and standardised difference, where there are two.

    Counts of a synthetic file are scaled to the size of the original before they are compared.
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


def summaries(rows: Sequence[ReplicationRow]) -> tuple[ReplicationCopy, ...]:
    """Means over the terms of a finding, for every copy and for all combined."""
    return tuple(
        _summary(copy, [row for row in rows if row.copy == copy])
        for copy in dict.fromkeys(row.copy for row in rows)
    )


def _summary(copy: Any, rows: Sequence[ReplicationRow]) -> ReplicationCopy:
    overlaps = [row.overlap for row in rows if row.overlap is not None]
    apart = [abs(r.standardised_difference) for r in rows if r.standardised_difference is not None]
    ratios = [row.ratio_of_counts for row in rows if row.ratio_of_counts is not None]
    return ReplicationCopy(
        copy=copy,
        n_terms=len(rows),
        n_compared=sum(row.difference is not None for row in rows),
        mean_overlap=_mean(overlaps),
        mean_standardised_difference=_mean(apart),
        mean_ratio_of_counts=_mean(ratios),
    )


def _mean(figures: Sequence[float]) -> float | None:
    return sum(figures) / len(figures) if figures else None


def list_not_measured(
    name: str, answers: Sequence[FileEstimate], rows: Sequence[ReplicationRow]
) -> Iterator[ReplicationNotMeasured]:
    """Why a file, a term in a file, or the overlap of a term has no figure."""
    for side, answer in enumerate(answers):
        copy: Any = side or "original"
        if answer.why is not None:
            yield ReplicationNotMeasured(finding=name, term=None, copy=copy, reason=answer.why)
            continue
        for term in terms_of(answers):
            if term not in answer.terms:
                reason = answer.left_out.get(term, "this file has no such term")
                yield ReplicationNotMeasured(finding=name, term=term, copy=copy, reason=reason)
    for row in rows:
        if row.difference is not None and row.overlap is None:
            yield ReplicationNotMeasured(
                finding=name, term=row.term, copy=row.copy, reason=_no_length(row)
            )


def _no_length(row: ReplicationRow) -> str:
    if row.original_se is None or row.synthetic_se is None:
        return "a single record has no standard error"
    return "an interval has no length, so there is no overlap"


@takes_study
def replicate(
    original: Any,
    synthetic: Any,
    findings: Any,
    *,
    level: float = 0.95,
    synthesis: Synthesis = "simple",
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RowsResult[Replication]:
    """Compute declared results on original and copies, and compare them.

    Parameters
    ----------
    original, synthetic, missing_values, progress
        As in `unveil.disclosure`; `synthetic` is one copy, or a list of copies, which are combined.
        A mapping by name, such as {"S1": ..., "S2": ..., "S3": ...} of `unveil.protect`, reports
        each file by itself and combines nothing.
    findings
        A list of mappings, or the name of a TOML file with the same as `[[finding]]`. Each has a
        `kind`, and may have a `name` and a subgroup, `where = "severity >= 5 and sex = F"`:

        - prevalence: `column` and `level` (one, or a list); `of = "all"` counts those without a
          value among the others;
        - mean: `column`;
        - table: `columns`, one or two; `within` one of them gives percentages within its levels;
          `of = "all"` makes missing a level;
        - regression: `formula`, such as "income ~ age + sex + age:sex"; `model`, one of linear,
          logistic, multinomial and ordered; `levels`, the order of the levels of a column.
    level
        Of the confidence intervals.
    synthesis
        How the copies were made, for inference about the population: "simple" (models fitted
        once), "proper" (their parameters drawn) or "incomplete" (some columns are the original's).
    special_codes
        Numbers that stand for missing values, by column: {"income": [-8]}. No mean or regression
        takes them for amounts.

    Returns
    -------
    RowsResult
        `.rows`, one for each published result, term and copy, and for all copies combined; of
        named files (`stages` in the record) one for each, in their order.

    References
    ----------
    Purdam and Elliot (2007); Taub, Elliot and Sakshaug (2017); Chapelle and Falissard (2023),
    Table 4; Karr and others (2006) for the overlap; Raab, Nowok and Dibben (2016)
    and Reiter (2003) for the combining rules.
    """
    progress = progress or no_progress
    is_file = isinstance(findings, str | os.PathLike)
    asked = parse_results(read_findings(findings) if is_file else findings)
    share = parse_number_within("level", level, "(0, 1)", ", such as 0.95")
    rule = parse_choice("synthesis", synthesis, SYNTHESES)
    stages = tuple(map(str, synthetic)) if isinstance(synthetic, Mapping) else ()
    if isinstance(synthetic, Mapping) and not synthetic:
        raise SettingsError("synthetic is empty. Name at least one file.")
    opened = open_results(
        asked,
        original,
        list(synthetic.values()) if isinstance(synthetic, Mapping) else synthetic,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    settings = ReplicationSettings(opened.tables.rows, share, rule)
    return RowsResult(_record(asked, opened, settings, stages, progress))


def _record(
    asked: Sequence[ResultSpec],
    opened: ReplicationData,
    settings: ReplicationSettings,
    stages: tuple[str, ...],
    progress: Progress,
) -> Replication:
    rows: list[ReplicationRow] = []
    lost: list[ReplicationNotMeasured] = []
    told: list[ReplicatedResult] = []
    for done, one in enumerate(asked):
        progress("computing the published results", done, len(asked))
        answers, model = _answers(one, opened)
        own = list(rows_of(one.name, one.kind, answers, settings))
        own = [row for row in own if not stages or row.copy != "combined"]
        rows += own
        lost += list_not_measured(one.name, answers, own)
        told.append(
            ReplicatedResult(
                name=one.name,
                kind=one.kind,
                where=one.where,
                formula=None if one.formula is None else one.formula.text,
                model=model,
                copies=summaries(own),
            )
        )
    return Replication(
        files=tuple(table.source for table in opened.tables),
        n_original=opened.tables.rows[0],
        n_synthetic=opened.tables.rows[1:],
        level=settings.level,
        synthesis=settings.synthesis,
        rule=RULES[settings.synthesis],
        stages=stages,
        findings=tuple(told),
        rows=tuple(rows),
        coercions=opened.coercions,
        not_measured=tuple(lost),
    )


def _answers(one: ResultSpec, opened: ReplicationData) -> tuple[list[FileEstimate], str | None]:
    if one.kind == "regression":
        answers, model = regressions(one, opened)
        return answers, model
    return {"prevalence": prevalences, "mean": means, "table": tables}[one.kind](one, opened), None
