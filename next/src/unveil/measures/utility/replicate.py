"""`unveil.replicate`: do the synthetic data give the results that were published?

Chapelle and Falissard (2023), Table 4 and Figure 22, after Purdam and Elliot (2007); the overlap of
intervals is that of Karr, Kohnen, Oganian, Reiter and Sanil (2006).
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, NamedTuple

import polars as pl
from msgspec import Meta

from unveil.data.columns import with_one_missing
from unveil.measures.utility.columns import (
    column_of,
    copies_of,
    difference,
    records_note,
    rows_in_order,
)
from unveil.measures.utility.published import (
    Estimate,
    Model,
    NotMeasured,
    PublishedResults,
    build_model,
    read_results,
)
from unveil.results import (
    Chart,
    Copy,
    Figure,
    Heading,
    Note,
    Number,
    Result,
    Row,
    with_mean,
)
from unveil.results.words import side_of
from unveil.study import ORIGINAL, Alike, Side, Study, measure

KARR = "Karr 2006"


class TermRow(Row, frozen=True):
    """One figure of a published result in both files, with its confidence interval."""

    version: str
    copy: Copy
    result: str
    term: str
    original: Annotated[Figure, Number("estimate in the original", "Chapelle 2023, table 4")]
    original_se: Annotated[Figure, Number("its standard error")]
    original_low: Annotated[Figure, Number("lower end of its interval")]
    original_high: Annotated[Figure, Number("upper end of its interval")]
    synthetic: Annotated[Figure, Number("estimate in the synthetic data", "Chapelle 2023")]
    synthetic_se: Annotated[Figure, Number("its standard error")]
    low: Annotated[Figure, Number("lower end of its interval")]
    high: Annotated[Figure, Number("upper end of its interval")]
    overlap: Annotated[
        Figure,
        Number("what both intervals share, of each, on average; below 0 they are apart", KARR),
    ]
    difference: Annotated[Figure, Number("synthetic less original")]

    @property
    def subject(self) -> str:
        return f"{self.result}, {self.term}"


class Replicate(Result, frozen=True, kw_only=True):
    """Published results in the original and in the synthetic data."""

    title: ClassVar[str] = "Published results"
    drawings: ClassVar[dict[str, Chart]] = {
        "forest": Chart(
            spec="forest", table="terms", title="Published results with their intervals",
            columns={"label": "result", "term": "term", "first": "original",
                     "low": "original_low", "high": "original_high", "second": "synthetic",
                     "low2": "low", "high2": "high"},
        )
    }  # fmt: skip

    terms: Annotated[
        tuple[TermRow, ...],
        Heading("Results", ("result", "term", "original", "original_se", "synthetic",
                            "synthetic_se", "overlap"), True),
    ]  # fmt: skip

    @property
    def sentences(self) -> tuple[str, ...]:
        rows = [row for row in self.table().first_rows if isinstance(row, TermRow)]
        sentences = []
        for version in dict.fromkeys(row.version for row in rows):
            compared = [r for r in rows if r.version == version and r.overlap is not None]
            if not compared:
                continue
            worst = min(compared, key=lambda row: row.overlap or 0)
            apart = sum((row.overlap or 0) < 0 for row in compared)
            sentences.append(
                f"{side_of(worst)}{apart} of {len(compared)} published figures have intervals that"
                f" are apart. The least overlap, {worst.overlap:.2f}, has {worst.subject}, with"
                f" {_write(worst.original)} in the original and {_write(worst.synthetic)} in the"
                " synthetic data."
            )
        return tuple(sentences)

    @property
    def foot(self) -> tuple[str, ...]:
        lacking = [note.sentence for note in self.notes if note.about == "terms"]
        return (*self.sentences[:1], *lacking[:3]) if len(self.sentences) < 2 else ()


def _write(value: Figure) -> str:
    """Three digits, and all before the point."""
    return f"{value:,.0f}" if abs(value or 0) >= 1000 else f"{value:.3g}"


@measure
def replicate(
    study: Alike,
    results: PublishedResults,
    *,
    level: Annotated[float, Meta(gt=0, lt=1)] = 0.95,
) -> Replicate:
    """Compute published results from the original and from the synthetic data.

    Parameters
    ----------
    study
        The files.
    results
        Published results, in a .toml file of [[result]] entries.
    level
        The confidence level of intervals.
    """
    published, frame = read_results(results), _frame(study)
    rows: list[TermRow] = []
    notes: list[Note] = []
    for result in published:
        model = build_model(result, frame, len(study.original))
        rows += _terms(study, model, level, notes)
    return Replicate(
        terms=tuple(rows),
        notes=(*notes, *records_note(study, "Standard errors take records as independent.")),
    )


def _frame(study: Study) -> pl.DataFrame:
    """All files in one, in the order of their values; codes by their labels, special codes missing.

    Columns that only some files have are left out.
    """
    names = [
        name
        for name in study.original.columns
        if all(name in file.frame.columns for file in study.files)
    ]
    columns = {}
    for name in names:
        column = column_of(study, name)
        levels = pl.Series(column.texts) if column.is_labelled else column.levels
        codes = study.special(name, column)
        if column.kind == "number" and not column.is_labelled and codes:
            levels = with_one_missing(levels, [str(code) for code in codes])
        columns[name] = levels.gather(column.codes)
    return pl.DataFrame(columns)[rows_in_order(study)]


def _terms(study: Study, model: Model, level: float, notes: list[Note]) -> Iterator[TermRow]:
    """Every figure of a result, of every copy."""
    original = _estimate(study, model, ORIGINAL, notes)
    sides = copies_of(study)
    copies = [_estimate(study, model, side.files[0], notes) for side in sides]
    for term in dict.fromkeys(term for estimates in (original, *copies) for term in estimates):
        rows = [
            _term(model.result.name, term, side, original.get(term), of_copy.get(term), level)
            for side, of_copy in zip(sides, copies, strict=True)
        ]
        yield from with_mean(rows)


def _estimate(study: Study, model: Model, file: int, notes: list[Note]) -> dict[str, Estimate]:
    """All figures in one file; if there are none, a note says why."""
    where = f"in {study.files[file].label}"
    try:
        estimates, n_lacking = model.estimates(study.rows[file], study.rows[ORIGINAL].stop)
    except NotMeasured as why:
        sentence = f"{model.result.name} is not measured {where}, for {why}."
        notes.append(Note(about="terms", sentence=sentence))
        return {}
    if n_lacking:
        sentence = (
            f"{model.result.name} has {n_lacking} of its terms without a figure {where}: nobody has"
            " their level, or other terms determine them."
        )
        notes.append(Note(about="terms", sentence=sentence))
    if any(estimate.se == 0 for estimate in estimates.values()):
        sentence = f"{model.result.name} has the same outcome for everyone {where}, and no overlap."
        notes.append(Note(about="terms", sentence=sentence))
    return estimates


def _term(
    name: str, term: str, side: Side, original: Estimate | None, copy: Estimate | None, level: float
) -> TermRow:
    first, second = (
        Interval(None, None, None, None)
        if estimate is None
        else Interval(estimate.value, estimate.se, *estimate.interval(level))
        for estimate in (original, copy)
    )
    return TermRow(
        version=side.version, copy=side.copy, result=name, term=term,
        original=first.value, original_se=first.se, original_low=first.low,
        original_high=first.high, synthetic=second.value, synthetic_se=second.se,
        low=second.low, high=second.high, overlap=overlap(first, second),
        difference=difference(second.value, first.value),
    )  # fmt: skip


class Interval(NamedTuple):
    """An estimate with its standard error and interval; empty where it is not measured."""

    value: Figure
    se: Figure
    low: Figure
    high: Figure


def overlap(first: Interval, second: Interval) -> Figure:
    """The part of each interval that both share, on average; None of an interval without length."""
    (_, _, a, b), (_, _, c, d) = first, second
    if a is None or b is None or c is None or d is None or a == b or c == d:
        return None
    shared = min(b, d) - max(a, c)
    return (shared / (b - a) + shared / (d - c)) / 2
