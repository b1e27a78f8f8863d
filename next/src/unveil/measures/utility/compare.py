"""`unveil.compare`: distributions, associations and records of the files beside one another.

Chapelle and Falissard (2023), Figures 10 to 13 and 18 to 21.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl

from unveil.data.bands import band
from unveil.errors import check_name
from unveil.measures.utility.associations import (
    Axes,
    association,
    correlation_ratio,
    main_axes,
    measure_of,
    pearson,
)
from unveil.measures.utility.columns import (
    Floats,
    Ints,
    Variable,
    as_numbers,
    column_of,
    copies_of,
    difference,
    records_note,
    variables_of,
)
from unveil.results import (
    Chart,
    Copy,
    Figure,
    Heading,
    Level,
    Number,
    Percent,
    Result,
    Row,
    Share,
    with_mean,
)
from unveil.results.words import percent, side_of
from unveil.study import ORIGINAL, Alike, Side, Study, measure

SHOWN = 12  # levels, or bands of a number, of one column
POINTS = 500  # records of each file in a picture
OTHERS = "all other levels"
POINT = {"pair": pl.String, "file": pl.String, "x": pl.Float64, "y": pl.Float64}
CHAPELLE = "Chapelle 2023"


class ColumnRow(Row, frozen=True):
    """One column in both files."""

    version: str
    copy: Copy
    column: str
    kind: str
    total_variation: Annotated[
        Figure, Share("half the sum of differences between shares; of numbers in five groups")
    ]
    wasserstein: Annotated[
        Figure, Number("mean distance of numbers in their order", undefined="no number")
    ]
    original_mean: Annotated[Figure, Number("of the numbers, without special codes")]
    synthetic_mean: Annotated[Figure, Number("the same in the synthetic data")]
    original_sd: Annotated[Figure, Number("standard deviation, over n")]
    synthetic_sd: Annotated[Figure, Number("the same in the synthetic data")]
    missing_difference: Annotated[
        Figure, Number("share of missing values in the synthetic data less in the original")
    ]


class LevelRow(Row, frozen=True):
    """One level of a column, or a band of a number; of many levels the rarest are one."""

    version: str
    copy: Copy
    column: str
    level: Level
    original: Annotated[Figure, Percent("of the original", CHAPELLE)]
    synthetic: Annotated[Figure, Percent("of the synthetic data", CHAPELLE)]
    ratio: Annotated[Figure, Number("synthetic over original")]


class AssociationRow(Row, frozen=True):
    """How two columns hang together in both files."""

    version: str
    copy: Copy
    a: str
    b: str
    measure: str
    original: Annotated[
        Figure, Number("in the original", CHAPELLE, undefined="one value in a column")
    ]
    synthetic: Annotated[Figure, Number("in the synthetic data", CHAPELLE)]
    difference: Annotated[Figure, Number("synthetic less original")]

    @property
    def subject(self) -> str:
        return f"{self.a} by {self.b}"


class ComponentRow(Row, frozen=True):
    """A column beside the two main axes of the original: r, or the correlation ratio of levels."""

    column: str
    PC1: Annotated[Figure, Number("with the first axis", "Pages 2004")]
    PC2: Annotated[Figure, Number("with the second axis", "Pages 2004")]


class AxisRow(Row, frozen=True):
    """A main axis of the original."""

    axis: str
    explained: Annotated[Figure, Share("of the variance of the original", "Pages 2004")]


class Compare(Result, frozen=True, kw_only=True):
    """The files beside one another."""

    title: ClassVar[str] = "Synthetic data beside the original"
    drawings: ClassVar[dict[str, Chart]] = {
        "distributions": Chart(
            spec="distributions", table="levels", title="Distributions",
            columns={"label": "column", "level": "level", "first": "original",
                     "second": "synthetic"},
        ),
        "associations": Chart(
            spec="associations", table="associations", title="Associations of columns",
            columns={"label": "a", "other": "b", "first": "original", "second": "synthetic"},
        ),
        "scatter": Chart(
            spec="scatter", table="", title="Numbers (y by x), at most 500 records of a file",
            columns={"label": "pair", "file": "file", "x": "x", "y": "y"},
        ),
        "projection": Chart(
            spec="projection", table="", title="Records on the two main axes of the original",
            columns={"label": "pair", "file": "file", "x": "x", "y": "y"},
        ),
    }  # fmt: skip

    columns: Annotated[
        tuple[ColumnRow, ...],
        Heading("Columns", ("column", "total_variation", "original_mean", "synthetic_mean",
                            "original_sd", "synthetic_sd", "missing_difference"), True),
    ]  # fmt: skip
    levels: Annotated[tuple[LevelRow, ...], Heading("Levels")]
    associations: Annotated[
        tuple[AssociationRow, ...], Heading("Associations, the largest difference first")
    ]
    components: Annotated[tuple[ComponentRow, ...], Heading("Columns on the main axes")]
    axes: Annotated[tuple[AxisRow, ...], Heading("Main axes of the original")]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(self._sentences())

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences if len(self.sentences) <= 2 else ()

    def _sentences(self) -> Iterator[str]:
        for row in self._largest("columns", "total_variation"):
            yield (
                f"{side_of(row)}Of all columns {row.column} differs most: to have the original's"
                f" shares, {percent(100 * row.total_variation)} of the synthetic records would need"
                " another level or group."
                if row.total_variation
                else f"{side_of(row)}No column has other shares of its levels and groups."
            )
        for row in self._largest("associations", "difference"):
            yield (
                f"{side_of(row)}Of all associations that of {row.subject} differs most,"
                f" {row.measure} {row.original:.2f} in the original and {row.synthetic:.2f} in the"
                " synthetic data."
            )

    def _largest(self, table: str, figure: str) -> list[Any]:
        """The row of each version with the largest figure."""
        rows = [row for row in self.table(table).first_rows if row[figure] is not None]
        by_size = sorted(rows, key=lambda row: abs(row[figure]))
        return list({row["version"]: row for row in by_size}.values())

    def points(self, chart: str) -> pl.DataFrame:
        """At most 500 records of each file, drawn at random, as a picture places them."""
        check_name(chart, ("scatter", "projection"), "There are no points of")
        variables, files = list(variables_of(self.study).values()), _files(self.study)
        chosen = {name: _draw(self.study, file) for name, file in files.items()}
        if chart == "projection":
            axes = main_axes(variables)
            points = [
                (name, name, *place[[0, -1]].tolist())
                for name, records in (chosen if axes else {}).items()
                for place in axes.place(records)  # type: ignore[union-attr]
            ]
        else:
            points = [
                (f"{b.name} by {a.name}", name, x, y)
                for a, b in combinations([v for v in variables if v.is_number], 2)
                for name, records in chosen.items()
                for x, y in zip(a.amounts[records], b.amounts[records], strict=True)
                if not np.isnan(x + y)
            ]
        return pl.DataFrame(points, schema=POINT, orient="row")


def _files(study: Study) -> dict[str, int]:
    """The original and the first copy of each version, as pictures call them."""
    first = {version or "synthetic": numbers[0] for version, numbers in study.versions.items()}
    return {"original": ORIGINAL} | first


def _draw(study: Study, file: int) -> Ints:
    rows = study.rows[file]
    return rows.start + np.random.default_rng(0).permutation(rows.stop - rows.start)[:POINTS]


@measure
def compare(study: Alike) -> Compare:
    """Compare distributions, missing values and associations of the files.

    Parameters
    ----------
    study
        The files; what is compared are the keys and the targets, in no bands.
    """
    variables, sides = list(variables_of(study).values()), copies_of(study)
    axes = main_axes(variables)
    associations = [
        row for a, b in combinations(variables, 2) for row in with_mean(_associations(a, b, sides))
    ]
    return Compare(
        columns=tuple(
            row for v in variables for row in with_mean([_column(v, side) for side in sides])
        ),
        levels=tuple(row for v in variables for row in _levels(study, v, sides)),
        associations=tuple(sorted(associations, key=lambda row: -abs(row.difference or 0))),
        components=tuple(_components(variables, axes)),
        axes=tuple(
            AxisRow(axis=f"PC{place}", explained=float(share))
            for place, share in enumerate(axes.explained if axes else (), start=1)
        ),
        notes=tuple(records_note(study, "")),
    )


def _column(v: Variable, side: Side) -> ColumnRow:
    files = ORIGINAL, side.files[0]
    shares = [np.bincount(v.groups[v.rows[f]], minlength=v.n_groups) for f in files]
    p, q = (counts / counts.sum() for counts in shares)
    amounts = [v.known(f) for f in files]
    has_both = all(len(known) for known in amounts)
    missing = [_missing(v, f) for f in files]
    means = [float(known.mean()) if len(known) else None for known in amounts]
    spreads = [float(known.std()) if len(known) else None for known in amounts]
    return ColumnRow(
        version=side.version, copy=side.copy, column=v.name,
        kind="number" if v.is_number else "category",
        total_variation=float(np.abs(p - q).sum() / 2),
        wasserstein=wasserstein(*amounts) if has_both else None,
        original_mean=means[0], synthetic_mean=means[1], original_sd=spreads[0],
        synthetic_sd=spreads[1], missing_difference=missing[1] - missing[0],
    )  # fmt: skip


def _missing(v: Variable, file: int) -> float:
    """The share without a value; missing is the last group."""
    groups = v.groups[v.rows[file]]
    return float((groups == v.n_groups - 1).mean()) if v.texts[-1] is None else 0.0


def wasserstein(x: Floats, y: Floats) -> float:
    """The area between two distribution functions."""
    values = np.unique(np.concatenate([x, y]))
    F, G = (
        np.searchsorted(np.sort(part), values[:-1], side="right") / len(part) for part in (x, y)
    )
    return float(np.abs(F - G) @ np.diff(values))


def _levels(study: Study, v: Variable, sides: Sequence[Side]) -> list[LevelRow]:
    codes, texts = _shown(study, v)
    shares = {
        file: 100
        * np.bincount(codes[v.rows[file]], minlength=len(texts))
        / len(codes[v.rows[file]])
        for file in (ORIGINAL, *(side.files[0] for side in sides))
    }

    def row(place: int, side: Side) -> LevelRow:
        d, s = (float(shares[file][place]) for file in (ORIGINAL, side.files[0]))
        return LevelRow(
            version=side.version, copy=side.copy, column=v.name, level=texts[place],
            original=d, synthetic=s, ratio=s / d if d else None,
        )  # fmt: skip

    places = range(len(texts))
    return [r for place in places for r in with_mean([row(place, side) for side in sides])]


def _shown(study: Study, v: Variable) -> tuple[Ints, Sequence[str | None]]:
    """Each record's place among the levels, the rarest as one; of a number among its bands."""
    if not v.is_number:
        rarest = min(SHOWN, v.n_states)
        if v.n_states <= SHOWN + 1:
            return v.states, v.texts
        return np.minimum(v.states, rarest), (*v.texts[:rarest], OTHERS)
    column = as_numbers(column_of(study, v.name))
    amounts = v.amount_of[~np.isnan(v.amount_of)]
    if len(amounts) > SHOWN:
        known = np.concatenate([v.known(file) for file in range(len(v.rows))])
        low, high = (float(end) for end in np.quantile(known, [0.01, 0.99]))
        breaks = sorted({float(f"{value:.3g}") for value in np.linspace(low, high, SHOWN - 1)})
        column = band(column, tuple(breaks), study.special(v.name, column))
    code_of = np.zeros(len(v.amount_of), np.int64)
    code_of[column_of(study, v.name).codes] = column.codes
    return code_of[v.codes], column.texts


def _associations(a: Variable, b: Variable, sides: Sequence[Side]) -> list[AssociationRow]:
    original = association(a, b, a.rows[ORIGINAL])
    rows = []
    for side in sides:
        synthetic = association(a, b, a.rows[side.files[0]])
        rows.append(
            AssociationRow(
                version=side.version, copy=side.copy, a=a.name, b=b.name, measure=measure_of(a, b),
                original=original, synthetic=synthetic,
                difference=difference(synthetic, original),
            )
        )  # fmt: skip
    return rows


def _components(variables: Sequence[Variable], axes: Axes | None) -> Iterator[ComponentRow]:
    if axes is None:
        return
    rows = variables[0].rows[ORIGINAL]
    places = axes.place(np.arange(rows.start, rows.stop))
    for v in variables:
        figures: list[Any] = []
        for place in places.T:
            if v.is_number:
                known = ~np.isnan(v.amounts[rows])
                figures.append(pearson(v.amounts[rows][known], place[known]))
            else:
                figures.append(correlation_ratio(place, v.states[rows]))
        yield ComponentRow(column=v.name, PC1=figures[0], PC2=(*figures, None)[1])
