"""`unveil.projection`: do the copies lie where the original lies, seen from its two main axes?

Chapelle and Falissard (2023), Figures 12 and 13: principal components of the original by NIPALS,
which allows gaps; copies on the same components, with filtered and retained units marked.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from unveil.count.codes import Codes
from unveil.count.scenario import Progress, silent
from unveil.count.streams import stream
from unveil.errors import SettingsError
from unveil.measure.opening import sides_of
from unveil.measure.utility.coding import Floats, opened_columns
from unveil.measure.utility.nipals import Fitted, Matrix, component
from unveil.measure.utility.projection_coding import Coded, coded
from unveil.measure.utility.projection_marks import marks_asked
from unveil.measure.utility.projection_record import projection_record
from unveil.measure.utility.projection_result import ProjectionResult

MOST_FITTED = 2**16
"""The axes of an original with gaps are found from so many of its records at most."""


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
        The columns to use; all that every file has if left out.
    kept
        Truth values, one for each record of the copy: retained by a filter, or filtered out. For
        several copies a list of such lists, None for a copy without.
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
    the same. Levels that only a copy has are none of the dummies. With gaps in more than 65,536
    records, the axes are found from so many of them, always the same for the same file; all records
    are placed.
    """
    progress = progress or silent
    opened = opened_columns(
        sides_of(synthetic, original=original),
        columns=columns,
        categories=categories,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    marks = marks_asked(kept, opened.sides.rows[1:])
    columns_used = coded(opened.variables)
    if columns_used.width < 2:
        raise SettingsError(
            f"{opened.places[0]} has too few columns that vary for a picture with two axes. Give"
            " it at least two numbers, or a category of three levels."
        )
    # One thread: sums in another order would give other last digits.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        progress("finding the axes", 0, 2)
        fitted, eigenvalues = _fitted(columns_used)
        progress("placing the records", 1, 2)
        places = tuple(_placed(columns_used, fitted, side) for side in range(opened.n_copies + 1))
    record = projection_record(
        opened,
        columns_used,
        fitted=fitted,
        eigenvalues=eigenvalues,
        places=places,
        marks=marks,
    )
    return ProjectionResult(record, places, marks)


def _fitted(used: Coded) -> tuple[tuple[Fitted, Fitted], Floats]:
    matrix = Matrix(used.blocks, _looked_at(used))
    starts, values = matrix.starts()
    first = component(matrix, starts[:, 0])
    matrix.without(first.loadings, first.scores)
    second = component(matrix, starts[:, 1])
    return (first, second), values


def _looked_at(used: Coded) -> list[Codes]:
    """The records that the axes are found from: with gaps in a large original, some by chance.

    Without gaps the first round ends the search; with them there may be hundreds.
    """
    codes = used.codes(0)
    if len(codes[0]) <= MOST_FITTED or not used.n_missing(0):
        return codes
    rows = stream(0, "axes").choice(len(codes[0]), MOST_FITTED, replace=False)
    rows.sort()
    return [one[rows] for one in codes]


def _placed(used: Coded, fitted: tuple[Fitted, Fitted], side: int) -> Floats:
    """Records on both axes, each by regression on the loadings over what it has."""
    matrix = Matrix(used.blocks, used.codes(side))
    t_1 = matrix.scores(fitted[0].loadings)
    matrix.without(fitted[0].loadings, t_1)
    return np.stack([t_1, matrix.scores(fitted[1].loadings)], axis=1)
