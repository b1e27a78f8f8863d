"""The data that published results are computed on, and what each file says."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import absent_sentence, check_faults, parse_finite_numbers
from unveil.arrays import Floats, Ints
from unveil.count.centring import centre
from unveil.count.codes import CodedColumn, Codes, add_declarations, code_of, level_labels
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.expressions.evaluate import evaluate, evaluate_condition, parts_of
from unveil.expressions.nodes import ColumnRef as Named
from unveil.expressions.nodes import Expression, Text
from unveil.expressions.resolve import Resolver, Scope, ScopeColumn, unknown_level_error
from unveil.io.table import Table
from unveil.measure.utility.replicate_settings import ResultSpec
from unveil.records.disclosure import Coercion
from unveil.study.scenario import Progress
from unveil.study.study import OpenFiles, open_files, sides_of

# The columns that findings are about, on every side: read, aligned, and found by their names.


Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class ReplicationData:
    """Original and copies as findings see them; sides are numbered, 0 is the original."""

    tables: OpenFiles
    coercions: tuple[Coercion, ...]
    frames: Sequence[pl.DataFrame]
    scope: Scope

    def dtype(self, name: str) -> pl.DataType:
        """The type of a column, the same on every side."""
        return self.frames[0].schema[name]

    def holds_numbers(self, name: str) -> bool:
        """Whether a column can be read as numbers, codes with labels among them."""
        return self.dtype(name).is_numeric()

    def is_number(self, name: str) -> bool:
        """Whether a column holds amounts: numbers that are no codes of levels."""
        given = self.scope.columns[name].apart
        column = add_declarations(self.column(name), given)
        return self.holds_numbers(name) and column.kind == "number"

    def column(self, name: str) -> CodedColumn:
        """A column as codes over the levels of all sides."""
        return self.tables.column(name)

    def codes(self, name: str, side: int) -> Codes:
        """The codes of one side."""
        column = self.column(name)
        return column.codes[column.sides.slices[side]]

    def is_missing(self, name: str, side: int) -> Rows:
        """Which records of a side have no value, or a code that stands for none."""
        made = self.frames[side].select(evaluate(self.scope.columns[name].node()).is_null())
        return made.to_series().to_numpy()

    def numbers(self, name: str, side: int) -> Floats:
        """The numbers of one side; NaN where there is none, or a code that stands for none."""
        number = evaluate(self.scope.columns[name].node()).cast(pl.Float64)
        made: Floats = self.frames[side].select(number).to_series().to_numpy()
        return np.where(np.isfinite(made), made, np.nan)

    def resolve_condition(self, what: str, given: Expression) -> Expression:
        """A condition with its columns and levels found."""
        return Resolver(what, self.scope).condition(given)

    def rows(self, condition: Expression | None, side: int) -> Rows:
        """Which records of a side meet a condition; all where there is none."""
        if condition is None:
            return np.ones(self.tables.rows[side], bool)
        return self.frames[side].select(evaluate_condition(condition)).to_series().to_numpy()

    def truth(self, condition: Expression, side: int) -> tuple[Rows, Rows]:
        """Which records meet a condition, and for which that can be told."""
        made = self.frames[side].select(evaluate(condition)).to_series()
        return made.fill_null(value=False).to_numpy(), made.is_not_null().to_numpy()


def open_results(
    asked: Sequence[ResultSpec],
    original: Any,
    synthetic: Any,
    *,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> ReplicationData:
    """Read every side and align the columns that the findings name."""
    sides = sides_of(synthetic, original=original)
    tables = open_files(sides, None, missing_values, progress)
    for table in tables:
        if not table.frame.height:
            raise SettingsError(f"{table.place} has no records.")
    names = _names(asked, tables)
    apart = _apart(special_codes, tables[0])
    aligned = tables.align(names)
    frames = [
        pl.DataFrame({name: column.sides[place] for name, column in aligned.items()})
        for place in range(len(tables))
    ]
    return ReplicationData(
        tables, tables.notes(aligned), frames, _scope(tables[0], frames[0], apart)
    )


def _scope(table: Table, frame: pl.DataFrame, apart: Mapping[str, tuple[float, ...]]) -> Scope:
    """All columns of the original; those that findings name in the type they are compared in."""
    known = {
        name: ScopeColumn(
            frame[name] if name in frame.columns else table.frame[name],
            table.variables.get(name),
            apart.get(name, ()),
            is_coded=False,
        )
        for name in table.frame.columns
    }
    return Scope(table.place, known)


def _apart(given: Mapping[str, Any] | None, original: Table) -> dict[str, tuple[float, ...]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError('special_codes must be a mapping, such as {"income": [-8, -9]}.')
    columns = original.frame.columns
    for name in given:
        if name not in columns:
            raise RolesError(
                f"Special codes are given for {name!r}.{hint_at(str(name), columns)} The columns"
                f" of the original are: {list_names(columns)}."
            )
    return {
        name: parse_finite_numbers(
            _parse_codes(codes), what=f"special code of {name!r}", example="-8"
        )
        for name, codes in given.items()
    }


def _parse_codes(codes: Any) -> Any:
    """Codes with commas between them, as a command line has them, as a list of numbers."""
    if not isinstance(codes, str):
        return codes
    parts = [part.strip() for part in codes.split(",")]
    return [float(p) if p.lstrip("+-").replace(".", "", 1).isdigit() else p for p in parts]


def _names(asked: Sequence[ResultSpec], tables: Sequence[Table]) -> list[str]:
    """Every column that a finding names; those that a file lacks are all told."""
    known = [*tables[0].frame.columns]
    faults: dict[str, None] = {}
    names: dict[str, None] = {}
    for one in asked:
        for name in _list_columns(one, known):
            lacking = [table for table in tables if name not in table.frame.columns]
            names[name] = None
            for table in lacking[:1]:
                fault = absent_sentence(table.place, name, table.frame.columns)
                faults[f"{one.heading}: {fault}"] = None
    check_faults(faults, RolesError)
    return list(names)


def _list_columns(one: ResultSpec, known: Iterable[str]) -> list[str]:
    names = [*one.columns, *(name for name, _ in one.orders)]
    conditions = [one.condition] if one.condition is not None else []
    if one.formula is not None:
        names += one.formula.names
        if isinstance(one.formula.outcome, str):
            names.append(one.formula.outcome)
        else:
            conditions.append(one.formula.outcome)
    # A bare word is a column, or a level; which of them is told when it is resolved.
    words = {word for condition in conditions for word in _words(condition)}
    return list(dict.fromkeys([*names, *(name for name in known if name in words)]))


def _words(given: Expression) -> list[str]:
    if isinstance(given, Named):
        return [given.name]
    if isinstance(given, Text):
        return [given.value]
    return [word for part in parts_of(given) for word in _words(part)]


# What does each file say: a prevalence, a mean, a table, in a subgroup, with standard errors?


MOST_CELLS = 2_000
NOBODY = "no one is in the subgroup"


@dataclass(frozen=True)
class Estimate:
    """A figure of one file, its standard error, how many records it rests on, and their count."""

    value: float
    se: float | None
    n: int
    count: int | None = None
    df: int | None = None


@dataclass(frozen=True)
class FileEstimate:
    """What one file says to a finding: figures by term, or why there are none."""

    terms: Mapping[str, Estimate] = field(default_factory=dict)
    why: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)


def subgroup_of(one: ResultSpec, opened: ReplicationData) -> Expression | None:
    """The condition of a finding's subgroup, its columns and levels found."""
    if one.condition is None:
        return None
    return opened.resolve_condition(f"{one.heading}: the subgroup", one.condition)


def share(count: int, n: int) -> Estimate:
    """A percentage with its standard error, 100 sqrt(p (1 - p) / n)."""
    p = count / n
    return Estimate(100 * p, 100 * math.sqrt(p * (1 - p) / n), n, count)


def prevalences(one: ResultSpec, opened: ReplicationData) -> list[FileEstimate]:
    """The share of a subgroup that has one of some levels, in every file."""
    (name,) = one.columns
    column, subgroup = opened.column(name), subgroup_of(one, opened)
    wanted = [_code(one, opened, column, level) for level in one.levels]
    shown = level_labels(column)
    term = f"{name} = {' or '.join(str(shown[code]) for code in wanted)}"

    def answer(side: int) -> FileEstimate:
        rows = opened.rows(subgroup, side)
        codes = opened.codes(name, side)
        has_it = rows & np.isin(codes, wanted)
        among = rows
        if one.of == "known":
            among = rows & (has_it | ~opened.is_missing(name, side))
        return _share_of(term, int(has_it.sum()), int(among.sum()), rows, name)

    return [answer(side) for side in range(len(opened.tables.rows))]


def _share_of(term: str, count: int, n: int, rows: Rows, name: str) -> FileEstimate:
    if not n:
        return FileEstimate(why=_empty(rows, [name]))
    return FileEstimate({term: share(count, n)})


def _empty(rows: Rows, names: Sequence[str]) -> str:
    if not rows.any():
        return NOBODY
    return f"no one in the subgroup has a value of {' and '.join(map(repr, names))}"


def _code(one: ResultSpec, opened: ReplicationData, column: CodedColumn, level: str) -> int:
    code = code_of(column, level)
    if code is None:
        raise unknown_level_error(one.heading, opened.scope.columns[column.name], level)
    return code


def means(one: ResultSpec, opened: ReplicationData) -> list[FileEstimate]:
    """The mean of a number in a subgroup, in every file; its error is sd / sqrt(n)."""
    (name,) = one.columns
    if not opened.holds_numbers(name):
        raise SettingsError(
            f"{one.heading}: {name!r} holds no numbers, so it has no mean. Ask for a prevalence or"
            " a table."
        )
    subgroup = subgroup_of(one, opened)

    def answer(side: int) -> FileEstimate:
        rows = opened.rows(subgroup, side)
        numbers = opened.numbers(name, side)[rows]
        numbers = numbers[~np.isnan(numbers)]
        n = len(numbers)
        if not n:
            return FileEstimate(why=_empty(rows, [name]))
        middle = centre(numbers)
        se = middle.sd(ddof=1) / math.sqrt(n) if n > 1 else None
        estimate = Estimate(middle.mean, se, n, df=n - 1 if n > 1 else None)
        return FileEstimate({f"mean of {name}": estimate})

    return [answer(side) for side in range(len(opened.tables.rows))]


def tables(one: ResultSpec, opened: ReplicationData) -> list[FileEstimate]:
    """Counts and percentages by one or two columns in a subgroup, in every file."""
    columns = [opened.column(name) for name in one.columns]
    shape = tuple(column.n_levels for column in columns)
    if math.prod(shape) > MOST_CELLS:
        raise SettingsError(
            f"{one.heading}: the table would have {math.prod(shape):,} cells; at most"
            f" {MOST_CELLS:,} are compared. Choose columns of fewer levels."
        )
    subgroup = subgroup_of(one, opened)
    sides = range(len(opened.tables.rows))
    masks = [opened.rows(subgroup, side) for side in sides]
    counts = [_count_subgroup(one, opened, shape, mask, side) for side, mask in enumerate(masks)]
    occurs = np.sum(counts, axis=0) > 0
    return [
        _table_answer(one, columns, occurs, counts[side])
        if counts[side].sum()
        else FileEstimate(why=_empty(masks[side], one.columns))
        for side in sides
    ]


def _count_subgroup(
    one: ResultSpec, opened: ReplicationData, shape: tuple[int, ...], rows: Rows, side: int
) -> Ints:
    """Records of a subgroup in every cell."""
    codes = [opened.codes(name, side).astype(np.int64) for name in one.columns]
    if one.of == "known":
        for name in one.columns:
            rows = rows & ~opened.is_missing(name, side)
    cells = codes[0] if len(codes) == 1 else codes[0] * shape[1] + codes[1]
    return np.bincount(cells[rows], minlength=math.prod(shape)).reshape(shape)


def _table_answer(
    one: ResultSpec, columns: Sequence[CodedColumn], occurs: Rows, counts: Ints
) -> FileEstimate:
    bases = np.full(counts.shape, counts.sum())
    if one.within is not None:
        others = tuple(i for i, name in enumerate(one.columns) if name != one.within)
        bases = np.broadcast_to(counts.sum(axis=others, keepdims=True), counts.shape)
    found, left_out = {}, {}
    for term, cell in _cells(columns, occurs):
        if bases[cell]:
            found[term] = share(int(counts[cell]), int(bases[cell]))
        else:
            left_out[term] = f"no one in the subgroup has this level of {one.within!r}"
    return FileEstimate(found, left_out=left_out)


def _cells(columns: Sequence[CodedColumn], occurs: Rows) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every cell that a person is in, in words, and its place."""
    shown = [[level or "missing" for level in level_labels(column)] for column in columns]
    for place in np.argwhere(occurs):
        cell = tuple(int(code) for code in place)
        words = zip(columns, shown, cell, strict=True)
        yield ", ".join(f"{column.name} = {said[code]}" for column, said, code in words), cell
