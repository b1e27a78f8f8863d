"""What does each file say: a prevalence, a mean, a table, in a subgroup, with standard errors?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unveil.count.centring import centre
from unveil.count.codes import Column
from unveil.count.expressions.nodes import Expression
from unveil.count.expressions.unfit import nobody
from unveil.count.levels import all_as_read, code_of
from unveil.count.packing import Whole
from unveil.errors import SettingsError
from unveil.measure.utility.findings_asked import Asked
from unveil.measure.utility.findings_opening import Opened, Rows

MOST_CELLS = 2_000
NOBODY = "nobody is in the subgroup"


@dataclass(frozen=True)
class Estimate:
    """A figure of one file, its standard error, how many records it rests on, and their count."""

    value: float
    se: float | None
    n: int
    count: int | None = None
    df: int | None = None


@dataclass(frozen=True)
class Answer:
    """What one file says to a finding: figures by term, or why there are none."""

    terms: Mapping[str, Estimate] = field(default_factory=dict)
    why: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)


def subgroup_of(one: Asked, opened: Opened) -> Expression | None:
    """The condition of a finding's subgroup, its columns and levels found."""
    if one.condition is None:
        return None
    return opened.resolved(f"{one.called}: the subgroup", one.condition)


def share(count: int, n: int) -> Estimate:
    """A percentage with its standard error, 100 sqrt(p (1 - p) / n)."""
    p = count / n
    return Estimate(100 * p, 100 * math.sqrt(p * (1 - p) / n), n, count)


def prevalences(one: Asked, opened: Opened) -> list[Answer]:
    """The share of a subgroup that has one of some levels, in every file."""
    (name,) = one.columns
    column, subgroup = opened.column(name), subgroup_of(one, opened)
    wanted = [_code(one, opened, column, level) for level in one.levels]
    shown = all_as_read(column)
    term = f"{name} = {' or '.join(str(shown[code]) for code in wanted)}"

    def answer(side: int) -> Answer:
        rows = opened.rows(subgroup, side)
        codes = opened.codes(name, side)
        has_it = rows & np.isin(codes, wanted)
        among = rows
        if one.of == "known":
            among = rows & (has_it | ~opened.is_missing(name, side))
        return _share_of(term, int(has_it.sum()), int(among.sum()), rows, name)

    return [answer(side) for side in range(len(opened.sizes))]


def _share_of(term: str, count: int, n: int, rows: Rows, name: str) -> Answer:
    if not n:
        return Answer(why=_empty(rows, [name]))
    return Answer({term: share(count, n)})


def _empty(rows: Rows, names: Sequence[str]) -> str:
    if not rows.any():
        return NOBODY
    return f"nobody in the subgroup has a value of {' and '.join(map(repr, names))}"


def _code(one: Asked, opened: Opened, column: Column, level: str) -> int:
    code = code_of(column, level)
    if code is None:
        raise nobody(one.called, opened.scope.columns[column.name], level)
    return code


def means(one: Asked, opened: Opened) -> list[Answer]:
    """The mean of a number in a subgroup, in every file; its error is sd / sqrt(n)."""
    (name,) = one.columns
    if not opened.is_number(name):
        raise SettingsError(
            f"{one.called}: {name!r} holds no numbers, so it has no mean. Ask for a prevalence or"
            " a table."
        )
    subgroup = subgroup_of(one, opened)

    def answer(side: int) -> Answer:
        rows = opened.rows(subgroup, side)
        numbers = opened.numbers(name, side)[rows]
        numbers = numbers[~np.isnan(numbers)]
        n = len(numbers)
        if not n:
            return Answer(why=_empty(rows, [name]))
        middle = centre(numbers)
        se = middle.sd(ddof=1) / math.sqrt(n) if n > 1 else None
        estimate = Estimate(middle.mean, se, n, df=n - 1 if n > 1 else None)
        return Answer({f"mean of {name}": estimate})

    return [answer(side) for side in range(len(opened.sizes))]


def tables(one: Asked, opened: Opened) -> list[Answer]:
    """Counts and percentages by one or two columns in a subgroup, in every file."""
    columns = [opened.column(name) for name in one.columns]
    shape = tuple(column.n_levels for column in columns)
    if math.prod(shape) > MOST_CELLS:
        raise SettingsError(
            f"{one.called}: the table would have {math.prod(shape):,} cells; at most"
            f" {MOST_CELLS:,} are compared. Choose columns of fewer levels."
        )
    subgroup = subgroup_of(one, opened)
    sides = range(len(opened.sizes))
    masks = [opened.rows(subgroup, side) for side in sides]
    counts = [_counted(one, opened, shape, mask, side) for side, mask in enumerate(masks)]
    occurs = np.sum(counts, axis=0) > 0
    return [
        _table_answer(one, columns, occurs, counts[side])
        if counts[side].sum()
        else Answer(why=_empty(masks[side], one.columns))
        for side in sides
    ]


def _counted(one: Asked, opened: Opened, shape: tuple[int, ...], rows: Rows, side: int) -> Whole:
    """Records of a subgroup in every cell."""
    codes = [opened.codes(name, side).astype(np.int64) for name in one.columns]
    if one.of == "known":
        for name in one.columns:
            rows = rows & ~opened.is_missing(name, side)
    cells = codes[0] if len(codes) == 1 else codes[0] * shape[1] + codes[1]
    return np.bincount(cells[rows], minlength=math.prod(shape)).reshape(shape)


def _table_answer(one: Asked, columns: Sequence[Column], occurs: Rows, counts: Whole) -> Answer:
    bases = np.full(counts.shape, counts.sum())
    if one.within is not None:
        others = tuple(i for i, name in enumerate(one.columns) if name != one.within)
        bases = np.broadcast_to(counts.sum(axis=others, keepdims=True), counts.shape)
    found, left_out = {}, {}
    for term, cell in _cells(columns, occurs):
        if bases[cell]:
            found[term] = share(int(counts[cell]), int(bases[cell]))
        else:
            left_out[term] = f"nobody in the subgroup has this level of {one.within!r}"
    return Answer(found, left_out=left_out)


def _cells(columns: Sequence[Column], occurs: Rows) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every cell that somebody is in, in words, and its place."""
    shown = [[level or "missing" for level in all_as_read(column)] for column in columns]
    for place in np.argwhere(occurs):
        cell = tuple(int(code) for code in place)
        words = zip(columns, shown, cell, strict=True)
        yield ", ".join(f"{column.name} = {said[code]}" for column, said, code in words), cell
