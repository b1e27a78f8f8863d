"""What is told of a projection: explained shares, loadings, and where each file lies."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from unveil.count.profile import Mask
from unveil.measure.utility.coding import Floats, Opened
from unveil.measure.utility.nipals import Fitted
from unveil.measure.utility.projection_coding import Coded
from unveil.measure.utility.projection_result import Places
from unveil.records.projection import Component, Loading, Mark, ProjectedGroup, Projection

_CLOSE = 0.99  # a ratio of eigenvalues from which on axes may turn into each other


def projection_record(
    opened: Opened,
    used: Coded,
    *,
    fitted: tuple[Fitted, Fitted],
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
