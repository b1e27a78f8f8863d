"""Which numbers stand for the values of each column, on both sides?

Numbers, dates and times count as numbers; the levels of an ordered category as 0, 1, 2 in their
order; those of any other as codes, the most frequent of the original first. Missing values are NaN,
and so are special codes among numbers: "refused" is no amount of anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from unveil.arguments import absent_sentence
from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, add_declarations
from unveil.errors import AlignError, RolesError, SettingsError, list_names
from unveil.io.table import Table
from unveil.models.neighbours.settings import DistanceSettings
from unveil.records.disclosure import Coercion
from unveil.records.protection import Metric, UnusableColumn
from unveil.study.people import read_people
from unveil.study.study import OpenFiles, Study

Kind = Literal["number", "ordinal", "category"]


@dataclass(frozen=True)
class DistanceColumn:
    """One column of both sides as numbers; of a category, as codes from 0."""

    name: str
    kind: Kind
    original: Floats
    synthetic: Floats
    n_levels: int = 0  # of a category: the levels of the original

    @property
    def is_category(self) -> bool:
        """Whether its numbers are names of levels."""
        return self.kind == "category"

    @property
    def both(self) -> Floats:
        """The values of both sides."""
        return np.concatenate((self.original, self.synthetic))


@dataclass(frozen=True, eq=False)
class PersonSequences:
    """Whose row each row of a file is, and which of theirs, by time: people with all their rows."""

    of_row: Ints  # people numbered in the order of the file
    place: Ints  # from 0

    @classmethod
    def of(cls, of_row: Ints, time: Floats) -> "PersonSequences":
        """The rows of each person in the order of time; equal times in that of the file."""
        order = np.lexsort((np.arange(len(of_row)), time, of_row))
        starts = np.flatnonzero(np.diff(of_row[order], prepend=-1))
        place = np.empty(len(of_row), np.int64)
        place[order] = np.arange(len(of_row)) - np.repeat(
            starts, np.diff(starts, append=len(of_row))
        )
        return cls(of_row, place)

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return int(self.of_row.max(initial=-1)) + 1

    @property
    def n_places(self) -> int:
        """The most rows of a person."""
        return int(self.place.max(initial=-1)) + 1

    def side_by_side(self, rows: Floats, n_places: int) -> Floats:
        """A row for each person: their rows beside one another, missing where there are fewer."""
        found = np.full((self.n_people, n_places, rows.shape[1]), np.nan)
        known = self.place < n_places
        found[self.of_row[known], self.place[known]] = rows[known]
        return found.reshape(self.n_people, -1)


def sequences_of(files: OpenFiles, person: str, time: str) -> tuple[PersonSequences, ...]:
    """The people of each file with their rows in the order of time."""
    (column,) = files.encode([time]).columns
    if column.has_missing or not column.is_scaled:
        raise RolesError(
            f"Column {time!r} cannot be the time: it must hold a date or a number in every row."
        )
    values = column.numbers[column.codes]
    return tuple(
        PersonSequences.of(read_people(files, person, place).of_row.astype(np.int64), values[rows])
        for place, rows in enumerate(column.sides.slices)
    )


def code_columns(
    tables: Sequence[Table], settings: DistanceSettings
) -> tuple[tuple[DistanceColumn, ...], tuple[Coercion, ...]]:
    """The columns asked for, or all that both sides have, and what was noticed on the way."""
    wanted = _column_names(tables, settings)
    files = tables if isinstance(tables, OpenFiles) else Study(tables).files
    encoded = files.encode(wanted)
    notes, columns = list(encoded.coercions), []
    for column in encoded.columns:
        given = settings.special_codes.get(column.name, ())
        made, more = _code_column(add_declarations(column, given), files, given)
        columns.append(made)
        notes += more
    return tuple(columns), tuple(notes)


def _column_names(tables: Sequence[Table], settings: DistanceSettings) -> tuple[str, ...]:
    original, synthetic = (table.frame.columns for table in tables)
    common = [name for name in original if name in set(synthetic)]
    if not common:
        raise RolesError(
            f"{tables[0].place} and the synthetic data have no column in common, so there is no"
            " distance between their rows. Give the columns the same names in both."
        )
    for table in tables:
        for name in settings.columns or ():
            if name not in table.frame.columns:
                raise RolesError(absent_sentence(table.place, name, table.frame.columns))
    wanted = settings.columns or tuple(common)
    for name in (*settings.protect_columns, *settings.special_codes):
        if name not in wanted:
            raise RolesError(absent_sentence("The list of columns compared", name, wanted))
    return wanted


def _code_column(
    column: CodedColumn, tables: Sequence[Table], given: Sequence[float]
) -> tuple[DistanceColumn, list[Coercion]]:
    name = column.name
    notes: list[Coercion] = []
    is_empty = not column.counts[:, : len(column.levels.drop_nulls())].any()
    if column.levels.dtype == pl.String and given and not is_empty:
        raise SettingsError(
            f"Column {name!r} holds text, so it has no special codes. Omit them, or name"
            " such entries with missing_values."
        )
    if column.levels.dtype == pl.Boolean:  # 0 and 1, as jaccard takes them
        place = np.array([0.0, 1.0, np.nan])[[*column.levels.cast(pl.Int8).fill_null(2)]]
        sides = [place[column.codes[rows]] for rows in column.sides.slices]
        return DistanceColumn(name, "number", sides[0], sides[1]), notes
    if not column.is_scaled and not is_empty:
        if column.levels.dtype.is_numeric():
            notes.append(_note("all files", name, "kind", _CODES.format(name, column.kind)))
        return _levels_as_numbers(column, tables), notes
    values = np.where(column.is_ordinary, column.numbers, np.nan)
    held = column.levels.drop_nulls()
    is_special = np.isfinite(column.numbers) & ~column.is_number()
    if held.dtype.is_float() and bool(held.is_infinite().any()):
        raise AlignError(
            f"Column {name!r} holds infinite numbers, from which nothing is a finite distance"
            " away. Make them missing, or omit the column."
        )
    for side, counts in zip(("original", "synthetic"), column.counts, strict=True):
        if n_special := int(counts[is_special].sum()):
            notes.append(_note(side, name, "special_codes", _SPECIAL.format(name, n_special)))
    sides = [values[column.codes[rows]] for rows in column.sides.slices]
    return DistanceColumn(name, "number", sides[0], sides[1]), notes


_SPECIAL = "Column {0!r}: {1:,} special codes count as missing where distances are taken."
_CODES = "Column {0!r} holds codes that have labels, so it is compared as {1}, not by amounts."


def _levels_as_numbers(column: CodedColumn, tables: Sequence[Table]) -> DistanceColumn:
    """Levels as codes: in their order where they have one, else by frequency in the original.

    A level that no original row has gets the code after the last.
    """
    n_levels = len(column.levels.drop_nulls())
    place = np.full(column.n_levels, np.nan)
    if column.kind == "ordered":
        place[:n_levels] = _declared_places(column, tables[0])
        sides = [place[column.codes[rows]] for rows in column.sides.slices]
        return DistanceColumn(column.name, "ordinal", sides[0], sides[1])
    counts = column.counts[0][:n_levels]
    known = np.flatnonzero(counts)
    place[:n_levels] = len(known)
    place[known[np.argsort(-counts[known], kind="stable")]] = np.arange(len(known))
    sides = [place[column.codes[rows]] for rows in column.sides.slices]
    return DistanceColumn(column.name, "category", sides[0], sides[1], len(known))


def _declared_places(column: CodedColumn, original: Table) -> Floats:
    """The place of each level among all that are declared, also those that no one has."""
    levels = column.levels.drop_nulls()
    dtype = original.frame.schema[column.name]
    if isinstance(dtype, pl.Enum) and levels.dtype == pl.String:
        declared = dtype.categories.to_list()
        found = [*declared, *(text for text in levels if text not in declared)]
        return np.array([found.index(text) for text in levels], float)
    if levels.dtype.is_numeric():
        labelled = pl.Series([*column.meanings]).cast(levels.dtype, strict=False).drop_nulls()
        every = pl.concat([levels, labelled]).unique().sort()
        return every.search_sorted(levels).cast(pl.Float64).to_numpy()
    return np.arange(len(levels), dtype=float)


def _note(side: str, column: str, kind: str, sentence: str) -> Coercion:
    return Coercion(side=side, column=column, kind=kind, sentence=sentence)


# The columns as one matrix, categories dichotomised, and which of them cannot be used.
#
# A category of L levels becomes L - 1 columns of 0 and 1; the most frequent level of the original
# is excluded, which keeps the covariance regular. Distances between complete rows do not depend
# on the level that is excluded.


MOST_LEVELS = 100
"""A category with more levels is a list of names: dichotomised, it would swamp all others."""


@dataclass(frozen=True)
class Matrix:
    """Both sides as numbers, NaN where missing.

    `owner` says which column a dimension is of, `level` which level it is 1 for (0: a number).
    """

    columns: tuple[DistanceColumn, ...]
    original: Floats
    synthetic: Floats
    owner: Ints
    level: Ints

    @classmethod
    def of(cls, columns: Sequence[DistanceColumn]) -> "Matrix":
        """Numbers as they are, categories dichotomised."""
        levels = [_levels(column) for column in columns]
        owner = np.repeat(np.arange(len(columns)), [len(own) for own in levels])
        level = np.concatenate(levels)
        original = _dichotomise([column.original for column in columns], owner, level)
        synthetic = _dichotomise([column.synthetic for column in columns], owner, level)
        return cls(tuple(columns), original, synthetic, owner, level)

    def encode_copy(self, columns: Sequence[DistanceColumn]) -> Floats:
        """The synthetic side of another copy, in the dimensions of this one."""
        return _dichotomise([column.synthetic for column in columns], self.owner, self.level)

    @property
    def complete(self) -> Floats:
        """The original rows that the covariance is of: those without a missing value."""
        return self.original[~np.isnan(self.original).any(axis=1)]

    @property
    def categories(self) -> tuple[tuple[int, ...], ...]:
        """The dimensions of each category."""
        return tuple(
            tuple(np.flatnonzero(self.owner == place).tolist())
            for place, column in enumerate(self.columns)
            if column.is_category
        )

    def without(self, places: Sequence[int]) -> "Matrix":
        """The matrix without some of its columns."""
        kept = [place for place in range(len(self.columns)) if place not in places]
        return self.with_dimensions(np.isin(self.owner, kept), kept)

    def with_dimensions(self, is_kept: Mask, kept: Sequence[int]) -> "Matrix":
        """The matrix with some of its dimensions, and the columns these are of."""
        numbers = {old: new for new, old in enumerate(kept)}
        return replace(
            self,
            columns=tuple(self.columns[place] for place in kept),
            original=self.original[:, is_kept],
            synthetic=self.synthetic[:, is_kept],
            owner=np.array([numbers[int(o)] for o in self.owner[is_kept]], dtype=np.int64),
            level=self.level[is_kept],
        )


def _levels(column: DistanceColumn) -> Ints:
    """The levels that have a dimension: all but the first; of numbers there is one, 0."""
    return np.arange(1, max(column.n_levels, 2)) if column.is_category else np.zeros(1, np.int64)


def _dichotomise(columns: Sequence[Floats], owner: Ints, level: Ints) -> Floats:
    found = np.empty((len(columns[0]), len(owner)))
    for place, (own, code) in enumerate(zip(owner, level, strict=True)):
        values = columns[own]
        found[:, place] = np.where(np.isnan(values), np.nan, values == code) if code else values
    return found


def unusable(columns: Sequence[DistanceColumn], metric: Metric) -> list[UnusableColumn]:
    """Columns that tell no original row from another, or have too many levels."""
    faults = (_fault(column, metric) for column in columns)
    return [fault for fault in faults if fault is not None]


def _fault(column: DistanceColumn, metric: Metric) -> UnusableColumn | None:
    if np.isnan(column.original).all():
        sentence = f"Column {column.name!r} is missing in every row of the original."
        return UnusableColumn(column=column.name, fault="all missing", sentence=sentence)
    # Under gower a column that is constant in the original still tells the synthetic file from it.
    values = column.both if metric == "gower" else column.original
    answers = values[~np.isnan(values)]
    if metric != "jaccard" and (answers == answers[0]).all():
        return constant(column.name, "of the original")
    if metric == "mahalanobis" and column.n_levels > MOST_LEVELS:
        return _with_many_levels(column)
    return None


def constant(name: str, where: str) -> UnusableColumn:
    """A column that has one value alone."""
    sentence = f"Column {name!r} has the same value in every row {where}."
    return UnusableColumn(column=name, fault="constant", sentence=sentence)


def _with_many_levels(column: DistanceColumn) -> UnusableColumn:
    return UnusableColumn(
        column=column.name,
        fault="too many levels",
        sentence=f"Column {column.name!r} has {column.n_levels:,} levels; dichotomised, more than"
        f" {MOST_LEVELS} would swamp all other columns. Merge its levels first.",
    )


def new_levels(columns: Sequence[DistanceColumn]) -> list[Coercion]:
    """What to say of levels that the original lacks: they have no dimension of their own."""
    found = []
    for column in columns:
        n_new = int((column.synthetic >= column.n_levels).sum()) if column.is_category else 0
        if n_new:
            sentence = (
                f"Column {column.name!r}: the original lacks the level of {n_new:,} of the rows;"
                " distances take it for the most frequent level of the original."
            )
            found.append(
                Coercion(side="synthetic", column=column.name, kind="levels", sentence=sentence)
            )
    return found


# Can distances be trusted, or do some columns all but repeat others?
#
# Near-singularity is measured on the correlation matrix, whose condition number does not change
# with the units of the columns; the determinant that paper 004 looked at does. Which column is to
# blame is said by its variance inflation, 1 / (1 - R^2) of its regression on all others; of a
# category, which has several dimensions, the largest over all of their combinations.


MOST_CONDITION = 1e6
MOST_INFLATION = 100.0
"""Beyond these a column is all but a combination of others: R^2 above 0.99."""

INFINITE = 1e10
"""Inflation and condition beyond this are those of an exact combination."""

_RIDGE = 1e-12
_ALIKE = 1.01


@dataclass(frozen=True)
class Collinearity:
    """The condition number, and the inflation of each column with those it leans on."""

    condition: float
    inflation: Floats
    correlation: Floats  # between dimensions, each column made regular by itself
    owner: Ints

    @property
    def is_poor(self) -> bool:
        """Whether some column has to go."""
        return bool(self.condition > MOST_CONDITION or self.inflation.max() > MOST_INFLATION)

    def partners(self, place: int) -> list[int]:
        """The columns that predict one best, the strongest first."""
        inverse = np.linalg.inv(self.correlation + _RIDGE * np.eye(len(self.owner)))
        strength = np.abs(inverse[self.owner == place])
        by_column = np.array(
            [strength[:, self.owner == p].max() for p in range(self.owner[-1] + 1)]
        )
        by_column[place] = 0
        order = np.argsort(-by_column, kind="stable")[:3]
        return [int(p) for p in order if by_column[p] > 0.1 * by_column.max()]


def measure_collinearity(matrix: Matrix) -> Collinearity:
    """How close the covariance of the complete original rows is to singular."""
    scale = _regularise(matrix)
    inverse = np.linalg.inv(scale + _RIDGE * np.eye(len(scale)))
    values = np.linalg.eigvalsh(scale)
    inflation = [
        np.linalg.eigvalsh(inverse[np.ix_(own, own)])[-1]
        for own in (matrix.owner == place for place in range(len(matrix.columns)))
    ]
    condition = values[-1] / max(values[0], _RIDGE)
    return Collinearity(float(condition), np.array(inflation), scale, matrix.owner)


def _regularise(matrix: Matrix) -> Floats:
    """The correlation matrix; within a category, dimensions are turned so that they correlate 0."""
    rows = matrix.complete
    centred = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    for place in range(len(matrix.columns)):
        own = matrix.owner == place
        if own.sum() > 1:
            values, vectors = np.linalg.eigh(np.corrcoef(centred[:, own], rowvar=False))
            centred[:, own] = centred[:, own] @ vectors / np.sqrt(np.maximum(values, _RIDGE))
    found: Floats = centred.T @ centred / (len(rows) - 1)
    return found


def drop_redundant(
    matrix: Matrix, protected: Sequence[str]
) -> tuple[Matrix, Collinearity, list[UnusableColumn]]:
    """The matrix without the columns that repeat others, one at a time, the worst first."""
    dropped: list[UnusableColumn] = []
    while True:
        found = measure_collinearity(matrix)
        if not found.is_poor or len(matrix.columns) == 1:
            return matrix, found, dropped
        worst = _worst(matrix, found, protected)
        dropped.append(_dropped_column(matrix, found, worst))
        matrix = matrix.without([worst])


def _worst(matrix: Matrix, found: Collinearity, protected: Sequence[str]) -> int:
    """The most inflated column that may go; of those alike, the last."""
    free = [p for p, column in enumerate(matrix.columns) if column.name not in protected]
    guilty = [p for p in free if found.inflation[p] > _ALIKE]
    if not guilty:
        names = [matrix.columns[p].name for p in np.argsort(-found.inflation)[:3]]
        raise SettingsError(
            f"The protected columns by themselves are nearly singular: {list_names(sorted(names))}"
            " nearly repeat each other. Protect fewer columns."
        )
    most = max(found.inflation[p] for p in guilty)
    return [p for p in guilty if found.inflation[p] * _ALIKE >= most][-1]


def _dropped_column(matrix: Matrix, found: Collinearity, place: int) -> UnusableColumn:
    column, inflation = matrix.columns[place].name, float(found.inflation[place])
    partners = [matrix.columns[p].name for p in found.partners(place)]
    if inflation > INFINITE:
        how = "is an exact combination of others"
    else:
        how = f"is explained to {100 * (1 - 1 / inflation):.2f} % by the others"
    return UnusableColumn(
        column=column,
        fault="explained by others",
        inflation=None if inflation > INFINITE else inflation,
        condition=None if found.condition > INFINITE else found.condition,
        partners=tuple(partners),
        sentence=f"Column {column!r} {how}, above all by {list_names(partners)}.",
    )
