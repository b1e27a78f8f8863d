"""`unveil.projection`: do the copies lie where the original lies, seen from its two main axes?

Chapelle and Falissard (2023), Figures 12 and 13: principal components of the original by NIPALS,
which allows gaps; copies on the same components, with filtered and retained units marked.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import is_list
from unveil.arrays import Floats, Mask
from unveil.count.centring import Centre, centre
from unveil.count.codes import CodedColumn, Codes, level_labels
from unveil.errors import SettingsError
from unveil.measure.result import RowsResult
from unveil.measure.utility.compare import MOST_POINTS, sample_points
from unveil.measure.utility.data import UtilityData, open_columns
from unveil.models.nipals import DummyBlock, DummyMatrix, PrincipalComponent, component
from unveil.records.comparison import Cloud
from unveil.records.utility import (
    Component,
    DroppedColumn,
    Loading,
    Mark,
    ProjectedGroup,
    Projection,
)
from unveil.seeding import sample_rows
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

# How do columns become figures for principal components? Each counts the same, gaps stay gaps.


MOST_LEVELS = 100
ORIGINAL = 0
_FARTHEST = 1e100  # standard deviations: a number of a synthetic file alone may be any


@dataclass(frozen=True, eq=False)
class CodedBlocks:
    """The columns that take part as blocks of figures, and those that do not."""

    variables: tuple[CodedColumn, ...]
    blocks: tuple[DummyBlock, ...]
    dropped: tuple[DroppedColumn, ...]

    @property
    def width(self) -> int:
        """Dimensions of the original: the dummies of a category sum to one, so one is not free."""
        return sum(max(1, block.width - 1) for block in self.blocks)

    def codes(self, side: int) -> list[Codes]:
        """The codes of one side, column by column."""
        return [one.codes_on(side) for one in self.variables]

    def names(self) -> list[tuple[str, str | None]]:
        """Column and level of every figure; a number has no level."""
        return list(chain.from_iterable(map(_names, self.variables)))

    def n_missing(self, side: int) -> int:
        """Cells of a side that are missing."""
        return sum(
            int(one.counts_on(side)[~block.is_held].sum())
            for one, block in zip(self.variables, self.blocks, strict=True)
        )


def code_variables(variables: Sequence[CodedColumn]) -> CodedBlocks:
    """Every column that varies in the original as a block of figures."""
    used, blocks, dropped = [], [], []
    for variable in variables:
        reason = _reason(variable)
        if reason is None:
            used.append(variable)
            blocks.append(_number(variable) if variable.is_scaled else _category(variable))
        else:
            dropped.append(DroppedColumn(column=variable.name, reason=reason))
    return CodedBlocks(tuple(used), tuple(blocks), tuple(dropped))


def _reason(variable: CodedColumn) -> str | None:
    """Why a column cannot take part; None where it can."""
    occurs = _levels_present(variable)
    if not len(occurs):
        return "it has no value in the original"
    if len(occurs) == 1:
        return "it has one value only in the original"
    if not variable.is_scaled and len(occurs) > MOST_LEVELS:
        return f"it has more than {MOST_LEVELS} categories in the original"
    if variable.is_scaled and not math.isfinite(_centre(variable).sd(ddof=0)):
        return "its numbers are too large"
    return None


def _levels_present(variable: CodedColumn) -> list[int]:
    """Levels that occur in the original: numbers, or those of a category without missing."""
    counts = variable.counts_on(ORIGINAL)
    if variable.is_scaled:
        counts = np.where(variable.is_ordinary, counts, 0)
    elif variable.has_missing:
        counts = counts[:-1]
    return [int(place) for place in np.flatnonzero(counts)]


def _names(variable: CodedColumn) -> Iterator[tuple[str, str | None]]:
    if variable.is_scaled:
        yield variable.name, None
        return
    texts = level_labels(variable)
    for place in _levels_present(variable):
        yield variable.name, texts[place]


def _centre(variable: CodedColumn) -> Centre:
    """The centre of the original's numbers."""
    counts = variable.amount_counts(ORIGINAL)
    return centre(variable.amounts[counts > 0], counts[counts > 0])


def _number(variable: CodedColumn) -> DummyBlock:
    with np.errstate(over="ignore"):
        standard = _centre(variable).standardise(variable.amounts)
    figures = np.where(variable.is_ordinary, standard.clip(-_FARTHEST, _FARTHEST), 0.0)
    return DummyBlock(figures[:, None], variable.is_ordinary)


def _category(variable: CodedColumn) -> DummyBlock:
    """A dummy for each level of the original; a level of a synthetic file alone is none of them."""
    occurs = _levels_present(variable)
    n_levels = variable.n_levels
    shares = variable.counts_on(ORIGINAL)[occurs] / variable.counts_on(ORIGINAL)[occurs].sum()
    figures = np.zeros((n_levels, len(occurs)))
    figures[occurs, np.arange(len(occurs))] = 1.0
    figures = (figures - shares) / math.sqrt(float((shares * (1 - shares)).sum()))
    is_held = np.ones(n_levels, bool)
    if variable.has_missing:
        figures[-1], is_held[-1] = 0.0, False
    return DummyBlock(figures, is_held)


# Which units of a synthetic file did a filter retain? Truth values as a user gives them, checked.


def parse_marks(kept: Any, n_rows: Sequence[int]) -> tuple[Mask | None, ...]:
    """For every copy a truth value per record, or None where nothing is marked."""
    if kept is None:
        return (None,) * len(n_rows)
    given = [kept] if len(n_rows) == 1 and not _is_nested(kept) else kept
    if not is_list(given) or len(given) != len(n_rows):
        raise SettingsError(
            f"kept must be a list of truth values for each of the {len(n_rows)} copies, None for"
            " those without."
        )
    return tuple(
        _mark(one, n, copy)
        for copy, (one, n) in enumerate(zip(given, n_rows, strict=True), start=1)
    )


def _is_nested(kept: Any) -> bool:
    return (
        isinstance(kept, list | tuple) and len(kept) == 1 and (kept[0] is None or is_list(kept[0]))
    )


def _mark(given: Any, n_rows: int, copy: int) -> Mask | None:
    if given is None:
        return None
    values = np.asarray(given) if is_list(given) else np.array([])
    if values.dtype != np.bool_ or values.ndim != 1:
        raise SettingsError(
            f"kept of copy {copy} must be a list of truth values, one for each of its records."
        )
    if len(values) != n_rows:
        raise SettingsError(
            f"kept of copy {copy} has {len(values):,} truth values, but the synthetic data have"
            f" {n_rows:,} records. Give one for each."
        )
    return values


# Where every record lies on the two axes: kept beside the record of a projection, never in it.


Places = tuple[Floats, ...]
"""For each side, records by two scores; NaN where a record has nothing to be placed by."""


@dataclass(frozen=True, repr=False, eq=False)
class ProjectionResult(RowsResult[Projection]):
    """The record of a projection, and beside it the places of single records."""

    places: Places = field(repr=False)
    kept: tuple[Mask | None, ...] = field(repr=False)  # for each copy

    def frame(self) -> pl.DataFrame:
        """Every record's place: side, copy, row from 0, PC1, PC2, kept. For your eyes only."""
        marks = (None, *self.kept)
        return pl.concat(
            [_frame(side, *one) for side, one in enumerate(zip(self.places, marks, strict=True))]
        )

    def cloud(self) -> Cloud:
        """At most 2,000 of the points, by chance: single records, so keep them in house."""
        original, copies = self.places[0], np.concatenate(self.places[1:])
        words = [_words(*one) for one in zip(self.kept, self.places[1:], strict=True)]
        here, there = _draw_records(original), _draw_records(copies)
        points = np.concatenate([original[here], copies[there]])
        marks = np.concatenate(words)[there].tolist()
        return Cloud(
            a="PC1",
            b="PC2",
            side=tuple(["original"] * len(here) + marks),
            x=tuple(points[:, 0].tolist()),
            y=tuple(points[:, 1].tolist()),
            n_original=int(_is_placed(original).sum()),
            n_synthetic=int(_is_placed(copies).sum()),
        )


def _frame(side: int, scores: Floats, kept: Mask | None) -> pl.DataFrame:
    placed = {"row": np.arange(len(scores)), "PC1": scores[:, 0], "PC2": scores[:, 1]}
    named = pl.DataFrame(placed).select(
        pl.lit("synthetic" if side else "original").alias("side"),
        pl.lit(side or None, dtype=pl.Int64).alias("copy"),
        "row",
        pl.col("PC1", "PC2").fill_nan(None),
    )
    if kept is None:
        return named.with_columns(pl.lit(None, dtype=pl.Boolean).alias("kept"))
    return named.with_columns(pl.Series("kept", kept))


def _is_placed(scores: Floats) -> Mask:
    placed: Mask = ~np.isnan(scores[:, 0] + scores[:, 1])
    return placed


def _draw_records(scores: Floats) -> NDArray[np.intp]:
    """Some of the records that have a place."""
    return sample_points(np.flatnonzero(_is_placed(scores)), MOST_POINTS // 2)


def _words(kept: Mask | None, scores: Floats) -> NDArray[np.str_]:
    if kept is None:
        return np.full(len(scores), "synthetic")
    return np.where(kept, "retained", "filtered")


# What is told of a projection: explained shares, loadings, and where each file lies.


_CLOSE = 0.99  # a ratio of eigenvalues from which on axes may turn into each other


def projection_record(
    opened: UtilityData,
    used: CodedBlocks,
    *,
    fitted: tuple[PrincipalComponent, PrincipalComponent],
    eigenvalues: Floats,
    places: Places,
    marks: Sequence[Mask | None],
) -> Projection:
    """Everything that is known of a projection, but for the places of single records."""
    first, second = (
        Component(
            number=number,
            explained=one.explained,
            n_iterations=one.n_iterations,
            converged=one.converged,
        )
        for number, one in enumerate(fitted, start=1)
    )
    return Projection(
        files=opened.files,
        columns=tuple(one.name for one in used.variables),
        dropped_columns=used.dropped,
        n_original=opened.sides.rows[0],
        n_synthetic=opened.sides.rows[1:],
        n_missing=used.n_missing(0),
        n_fitted=len(fitted[0].scores),
        components=(first, second),
        loadings=tuple(
            Loading(column=column, level=level, PC1=float(p_1), PC2=float(p_2))
            for (column, level), p_1, p_2 in zip(
                used.names(), fitted[0].loadings, fitted[1].loadings, strict=True
            )
        ),
        rows=tuple(_groups(places, marks)),
        warnings=tuple(_warnings((first, second), eigenvalues)),
        coercions=opened.notes,
    )


def _groups(places: Places, marks: Sequence[Mask | None]) -> Iterator[ProjectedGroup]:
    yield _group(places[0], None, None)
    for copy, (scores, kept) in enumerate(zip(places[1:], marks, strict=True), start=1):
        yield _group(scores, copy, None)
        if kept is not None:
            yield _group(scores[kept], copy, "retained")
            yield _group(scores[~kept], copy, "filtered")


def _group(scores: Floats, copy: int | None, mark: Mark | None) -> ProjectedGroup:
    placed = scores[~np.isnan(scores).any(axis=1)]
    means = placed.mean(axis=0) if len(placed) else (None, None)
    sds = placed.std(axis=0, ddof=1) if len(placed) > 1 else (None, None)
    return ProjectedGroup(
        side="synthetic" if copy else "original",
        copy=copy,
        mark=mark,
        n=len(scores),
        n_unplaced=len(scores) - len(placed),
        mean_1=means[0],
        mean_2=means[1],
        sd_1=sds[0],
        sd_2=sds[1],
    )


def _warnings(found: tuple[Component, Component], eigenvalues: Floats) -> Iterator[str]:
    for one in found:
        if not one.converged:
            yield (
                f"Axis {one.number} was still moving after {one.n_iterations:,} rounds: places on"
                " it are approximate."
            )
    pairs = zip(
        pairwise(eigenvalues[:3]), ("first and the second", "second and the third"), strict=False
    )
    for (larger, smaller), axes in pairs:
        if larger > 0 and smaller >= _CLOSE * larger:
            yield (
                f"The {axes} axis explain nearly the same, so they may turn into each other: a"
                " slightly different original would give other axes."
            )


MOST_FITTED = 2**16
"""The axes of an original with gaps are found from so many of its records at most."""


@takes_study
def projection(
    original: Any,
    synthetic: Any,
    *,
    columns: str | Iterable[str] | None = None,
    kept: Any = None,
    categories: str | Iterable[str] = (),
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> ProjectionResult:
    """Find the two main axes of the original, and place original and copies on them.

    Parameters
    ----------
    original
        The confidential data, in any of the forms of `unveil.disclosure`.
    synthetic
        One copy, or a list of copies.
    columns
        The columns to use; all that every file has if omitted.
    kept
        Truth values, one for each synthetic record: retained by a filter, or filtered out. For
        several copies a list of such lists, None for one without.
    categories
        Columns of numbers that are only names.
    special_codes, missing_values, progress
        As in `unveil.disclosure`; special codes are missing here.

    Returns
    -------
    ProjectionResult
        `.record`: explained shares, loadings, and where each file lies. `.frame()`: a place for
        every record, which is as confidential as the data.

    Notes
    -----
    Numbers have mean 0 and standard deviation 1 in the original. A category is a dummy for each
    level, centred and scaled so that all its dummies together have variance 1: every column counts
    the same. Levels that only synthetic data have are none of the dummies. With gaps in more than
    65,536 records, the axes are found from so many of them, always the same for the same file;
    all records are placed.
    """
    progress = progress or no_progress
    opened = open_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    marks = parse_marks(kept, opened.sides.rows[1:])
    columns_used = code_variables(opened.variables)
    if columns_used.width < 2:
        raise SettingsError(
            f"{opened.places[0]} has too few columns that vary for a picture with two axes. Give"
            " it at least two numbers, or a category of three levels."
        )
    # One thread: sums in another order would give other last digits.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        progress("computing the axes", 0, 2)
        fitted, eigenvalues = _fit_components(columns_used)
        progress("placing the records", 1, 2)
        places = tuple(_project(columns_used, fitted, side) for side in range(opened.n_copies + 1))
    record = projection_record(
        opened,
        columns_used,
        fitted=fitted,
        eigenvalues=eigenvalues,
        places=places,
        marks=marks,
    )
    return ProjectionResult(record, places, marks)


def _fit_components(
    used: CodedBlocks,
) -> tuple[tuple[PrincipalComponent, PrincipalComponent], Floats]:
    matrix = DummyMatrix(used.blocks, _rows_to_fit(used))
    starts, values = matrix.starts()
    first = component(matrix, starts[:, 0])
    matrix.without(first.loadings, first.scores)
    second = component(matrix, starts[:, 1])
    return (first, second), values


def _rows_to_fit(used: CodedBlocks) -> list[Codes]:
    """The records that the axes are found from: with gaps in a large original, some by chance.

    Without gaps the first round ends the search; with them there may be hundreds.
    """
    codes = used.codes(0)
    if len(codes[0]) <= MOST_FITTED or not used.n_missing(0):
        return codes
    rows = sample_rows(np.arange(len(codes[0])), MOST_FITTED, 0, "axes")
    return [one[rows] for one in codes]


def _project(
    used: CodedBlocks, fitted: tuple[PrincipalComponent, PrincipalComponent], side: int
) -> Floats:
    """Records on both axes, each by regression on the loadings over what it has."""
    matrix = DummyMatrix(used.blocks, used.codes(side))
    t_1 = matrix.scores(fitted[0].loadings)
    matrix.without(fitted[0].loadings, t_1)
    return np.stack([t_1, matrix.scores(fitted[1].loadings)], axis=1)
