"""People with their rows in the order of time: a first row, then each given the one before it.

The model of the first rows has a row for each person, with the number of their rows. The model of
later rows has all columns of the row before, the place of the row and the number of rows as
predictors. What never changes within a person is carried on; the time, and whole numbers that never
fall within a person, are drawn as what they rise by, so that none runs backwards; other dates as
their distance from the time of the row.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Ints, Mask
from unveil.errors import RolesError, SettingsError, list_names, quote_text
from unveil.models.design import ColumnValues, ModelColumn, Values
from unveil.seeding import stream
from unveil.synthesis.draw import Drawing, place_rows
from unveil.synthesis.methods import JOINT
from unveil.synthesis.plan import Numbering, make_plan, within_bounds
from unveil.synthesis.prepare import SynthesisData
from unveil.synthesis.split_columns import join_column
from unveil.synthesis.strata import Strata
from unveil.view.format import format_count

ROWS, PLACE, PREVIOUS = "\trows of the person", "\tplace of the row", "\tprevious: "
"""Columns of the models alone; no column of a file begins with a tab."""

FEWEST_STEPS = 20
"""Rows with one before them from which on it is said that a number never falls."""

KTH = 5
"""The number of rows of a person is not above the fifth largest."""

_MOST_DIGITS = 17

MOST_AGAIN = 50
"""Rounds in which rows that break a rule are drawn again."""

Parts = dict[str, ColumnValues]


@dataclass(frozen=True)
class PersonRows:
    """How rows follow one another; `columns` are the dates, and the place, as models see them."""

    person: str
    numbering: Numbering
    time: str
    fixed: tuple[str, ...]
    rising: tuple[str, ...]
    dated: tuple[str, ...]
    columns: tuple[ModelColumn, ...]
    start: int = 0  # numbers of people begin behind it: no number of the original is among them

    def draw(
        self,
        first: Drawing,
        later: Drawing | None,
        find_broken: Callable[[pl.DataFrame], Mask],
        *,
        n_people: int,
        seed: int,
        number: int,
    ) -> pl.DataFrame:
        """All rows of so many people, by person and in order."""
        draw_rows = _Rounds(self, find_broken, seed, number)
        who = np.arange(n_people)
        current = draw_rows.of_place(first, {}, n_people, 1)
        counts = current.pop(ROWS)
        n_rows = np.rint(counts.values).astype(np.int64)
        frames = [_frame_of(current).with_columns(pl.Series(ROWS, who))]
        place = 1
        while later is not None:
            goes_on = np.flatnonzero(n_rows[who] > place)
            if not len(goes_on):
                break
            who, place = who[goes_on], place + 1
            before = {name: part.select(goes_on) for name, part in current.items()}
            given = self._given(before, counts.select(who), place)
            carried = {name: before[name] for name in self.fixed}
            current = carried | draw_rows.of_place(later, given, len(who), place, before)
            frames.append(_frame_of(current).with_columns(pl.Series(ROWS, who)))
        made = pl.concat(frame.select(frames[0].columns) for frame in frames)
        made = made.sort(ROWS, maintain_order=True)
        numbers = made[ROWS].cast(pl.Int64) + (self.start + 1)
        shown = numbers if self.numbering == "number" else "FAKE_" + numbers.cast(pl.String)
        return made.drop(ROWS).with_columns(shown.alias(self.person))

    def restore(self, frame: pl.DataFrame) -> pl.DataFrame:
        """What never changes or never falls within a person does not, whatever a step did to it.

        So noise on what never changes is drawn once for a person: their rows would average it out.
        """
        there = [name for name in self.fixed if name in frame.columns]
        rising = [name for name in self.rising if name in frame.columns]
        own = pl.col(self.person)
        return frame.with_columns(
            *(pl.col(f"^{re.escape(name)}$").first().over(own) for name in there),
            *(pl.col(f"^{re.escape(name)}$").cum_max().over(own) for name in rising),
        )

    def take_out(
        self, frame: pl.DataFrame, lost: Mask, why: str = "broke a rule"
    ) -> tuple[Mask, str]:
        """All rows of the people who have one of these, and how many they are."""
        people = frame[self.person].filter(pl.Series(lost)).unique()
        said = format_count(len(people), "person", "people")
        own = frame[self.person].is_in(people.implode()).to_numpy()
        return own, f"{said} taken out with all their rows, of which one {why}."

    def _given(self, before: Parts, counts: ColumnValues, place: int) -> Parts:
        place_column = self.columns[-1]
        at = np.full(len(counts), place, np.int64)
        changing = {
            PREVIOUS + name: _renamed(part, PREVIOUS + name)
            for name, part in before.items()
            if name not in self.fixed
        }
        fixed = {name: before[name] for name in self.fixed}
        return changing | fixed | {ROWS: counts, PLACE: ColumnValues(place_column, at)}

    def absolute(self, drawn: Parts, before: Parts | None) -> Parts:
        """The columns themselves, of what they rise by and of distances from the time."""
        made = dict(drawn)
        if before is not None:
            for name in self.rising:
                held = before[name]
                values = held.values + drawn[name].values.astype(held.values.dtype)
                made[name] = ColumnValues(held.column, values)
        time = made[self.time].values
        dates = {column.name: column for column in self.columns}
        for name in self.dated:
            made[name] = ColumnValues(dates[name], time + drawn[name].values, drawn[name].state)
        return made


@dataclass(frozen=True)
class _Rounds:
    """One row of each person at a time; rows that break a rule are drawn again."""

    of: PersonRows
    find_broken: Callable[[pl.DataFrame], Mask]
    seed: int
    number: int

    def of_place(
        self, drawing: Drawing, given: Parts, n: int, place: int, before: Parts | None = None
    ) -> Parts:
        made = self._once(drawing, given, n, (place, 0), before)
        carried = {} if before is None else {name: before[name] for name in self.of.fixed}
        for attempt in range(1, MOST_AGAIN + 1):
            broken = self.find_broken(_frame_of({**carried, **made}))
            if not broken.any():
                break
            rows, kept = np.flatnonzero(broken), np.flatnonzero(~broken)
            held = None if before is None else _select(before, rows)
            again = self._once(drawing, _select(given, rows), len(rows), (place, attempt), held)
            made = {
                name: place_rows([part.select(kept), again[name]], [kept, rows], n)
                for name, part in made.items()
            }
        return made

    def _once(
        self,
        drawing: Drawing,
        given: Parts,
        n: int,
        path: tuple[int, int],
        before: Parts | None,
    ) -> Parts:
        seed = int(stream(self.seed, "row", self.number, *path).integers(2**63 - 1))
        drawn = drawing.draw(given, (np.arange(n),), n, seed, self.number)
        own = {name: part for name, part in drawn.items() if name not in given}
        return self.of.absolute(own, before)


def _select(parts: Parts, rows: Ints) -> Parts:
    return {name: part.select(rows) for name, part in parts.items()}


def _frame_of(parts: Parts) -> pl.DataFrame:
    return pl.DataFrame([join_column(part) for part in parts.values()])


def _renamed(part: ColumnValues, name: str) -> ColumnValues:
    return replace(part, column=replace(part.column, name=name))


# What the models of first and later rows are fitted to.


@dataclass(frozen=True)
class LongData:
    """The first rows, the later rows (None where no one has two), and how they follow."""

    first: SynthesisData
    later: SynthesisData | None
    rows: PersonRows

    @property
    def note(self) -> str:
        """What was done, for the record."""
        rows = self.rows
        rising = [name for name in rows.rising if name != rows.time]
        told = [
            f"Rows of a person belong together, in the order of {rows.time!r}: a first row, then"
            " each row given the one before it. The number of rows is not above the fifth largest."
        ]
        if rows.fixed:
            told.append(f"Never changes within a person: {list_names(rows.fixed)}.")
        if rising:
            told.append(f"Never falls within a person: {list_names(rising)}.")
        if rows.dated:
            told.append(f"Drawn as distance from the time: {list_names(rows.dated)}.")
        return " ".join(told)


def check_with_time(given: Mapping[str, Any], method: str | Mapping[str, str]) -> None:
    """Settings that mean nothing, or cannot be had, where people have their rows in order."""
    said = [name for name, value in given.items() if value is not None]
    if said:
        raise SettingsError(
            f"{said[0]} cannot be set together with time: people are made row after row. Omit one."
        )
    if not isinstance(method, str) and {*method.values()} & {*JOINT}:
        raise SettingsError(
            f"Methods {' and '.join(JOINT)} cannot be combined with time. Choose 'cart' or"
            " 'parametric'."
        )


def prepare_long(data: SynthesisData, time: str, method: str | Mapping[str, str]) -> LongData:
    """What is fitted, of an original that has been opened and checked row by row."""
    of_row = data.people.of_row.astype(np.int64)  # type: ignore[union-attr]
    held = data.parts[time]
    if held.column.kind != "number" or held.state is not None:
        raise RolesError(
            f"Column {time!r} cannot be the time: it must hold a date or a number in every row."
        )
    order = np.lexsort((np.arange(len(of_row)), held.values, of_row))
    is_first = np.diff(of_row[order], prepend=-1) != 0
    first, later = order[is_first], order[~is_first]
    before = order[np.flatnonzero(~is_first) - 1]
    sizes = np.bincount(of_row)
    sizes = np.minimum(sizes, np.sort(sizes)[-min(KTH, len(sizes))])
    places = np.arange(len(order)) - np.maximum.accumulate(
        np.where(is_first, np.arange(len(order)), 0)
    )
    rows = _follow(data, time, later, before, int(places.max(initial=0)) + 1)
    for rule in data.rules:
        if {rule.column, *rule.needs} & {*rows.dated}:
            raise SettingsError(
                f"The rule {quote_text(rule.text)} names a date that is drawn as its distance from"
                f" {time!r}. Write it as a rule between columns, or omit it."
            )
    dated = {name: _offsets(data.parts[name], held) for name in rows.dated}
    parts = {**data.parts, **dated}
    names = data.plan.order
    counts = _number(ROWS, sizes[of_row])
    of_first = {name: parts[name].select(first) for name in names}
    one = _opening(
        data,
        {ROWS: counts.select(first), **of_first},
        first,
        order=(ROWS, *names),
        method=method,
        changed=rows.dated,
    )
    if not len(later):
        return LongData(one, None, rows)
    moving = [name for name in names if name not in rows.fixed]
    targets = {
        name: _rises(data.parts[name], later, before)
        if name in rows.rising
        else parts[name].select(later)
        for name in moving
    }
    lags = {
        PREVIOUS + name: _renamed(data.parts[name].select(before), PREVIOUS + name)
        for name in moving
    }
    fixed = {name: parts[name].select(later) for name in rows.fixed}
    at = ColumnValues(rows.columns[-1], (places[~is_first] + 1).astype(np.int64))
    given = {**lags, **fixed, ROWS: counts.select(later), PLACE: at}
    two = _opening(
        data,
        {**given, **targets},
        later,
        order=moving,
        method=method,
        changed=(*rows.rising, *rows.dated),
        given=tuple(given),
    )
    return LongData(one, two, rows)


def _follow(data: SynthesisData, time: str, later: Ints, before: Ints, most: int) -> PersonRows:
    """Which columns never change, never fall, or are dates beside the time."""
    parts = {name: data.parts[name] for name in data.plan.order}
    fixed = tuple(
        name for name, part in parts.items() if name != time and _is_equal(part, later, before)
    )
    clock = parts[time].column.dtype
    dated = tuple(
        name
        for name, part in parts.items()
        if name not in (time, *fixed) and part.column.dtype == clock and clock.is_temporal()
    )
    rising = tuple(
        name
        for name, part in parts.items()
        if name == time or (name not in (*fixed, *dated) and _never_falls(part, later, before))
    )
    columns = (
        *(parts[name].column for name in dated),
        _number(PLACE, np.arange(1, most + 1)).column,
    )
    person = data.people.record.column  # type: ignore[union-attr]
    is_number = data.table.frame.schema[person].is_numeric()
    numbering: Numbering = "number" if is_number else "text"
    start = _behind(data.table.frame[person]) if is_number else 0
    return PersonRows(person, numbering, time, fixed, rising, dated, columns, start)


def _behind(numbers: pl.Series) -> int:
    """The next power of ten, which tells no more of the numbers than how many digits they have."""
    most: Any = numbers.max()
    digits = len(str(abs(int(most or 0))))
    return 10**digits if digits <= _MOST_DIGITS else -(2**62)


def _is_equal(part: ColumnValues, some: Ints, others: Ints) -> bool:
    is_same = part.values[some] == part.values[others]
    if part.state is not None:
        one, other = part.state[some], part.state[others]
        is_same = (one == other) & (is_same | (one > 0))
    return bool(is_same.all())


def _never_falls(part: ColumnValues, later: Ints, before: Ints) -> bool:
    if part.column.kind != "number" or part.state is not None or len(later) < FEWEST_STEPS:
        return False
    is_whole = bool((part.values % 1 == 0).all())
    return is_whole and bool((part.values[later] >= part.values[before]).all())


def _number(name: str, values: Values) -> ColumnValues:
    """A number of the models alone."""
    dtype = pl.Int64() if values.dtype.kind == "i" else pl.Float64()
    column = ModelColumn(name, "number", dtype, knots=np.unique(values).astype(float))
    return ColumnValues(column, values)


def _rises(part: ColumnValues, later: Ints, before: Ints) -> ColumnValues:
    return _number(part.column.name, part.values[later] - part.values[before])


def _offsets(part: ColumnValues, time: ColumnValues) -> ColumnValues:
    """Distances from the time of the row; missing where the date is."""
    away = part.values - time.values
    plain = away if part.state is None else away[part.state == 0]
    column = replace(_number(part.column.name, plain).column, has_missing=part.column.has_missing)
    return ColumnValues(column, away, part.state)


def _opening(
    data: SynthesisData,
    parts: Parts,
    rows: Ints,
    *,
    order: Sequence[str],
    method: str | Mapping[str, str],
    changed: Sequence[str],
    given: Sequence[str] = (),
) -> SynthesisData:
    """The rows of one model: `given` predict, the others are drawn in order.

    Rules that name a column which the model sees otherwise are applied at the end.
    """
    columns = {name: part.column for name, part in parts.items()}
    own = {n: m for n, m in method.items() if n in order} if not isinstance(method, str) else method
    predictors = {name: [*given, *order[:n]] for n, name in enumerate(order)}
    plan = make_plan(
        columns,
        place=data.table.place,
        method=own,
        order=order,
        predictors=predictors if given else None,
    )
    plan = replace(within_bounds(plan, columns), predictor_only=())
    frame = data.table.frame[rows]
    aside = {*changed, *given}
    rules = tuple(
        rule
        for rule in data.rules
        if rule.column not in aside and not {*rule.needs} & {*changed} and rule.column in order
    )
    people = None
    if given and data.people is not None:
        people = replace(data.people, of_row=data.people.of_row[rows])
    return replace(
        data,
        table=replace(data.table, frame=frame),
        parts=parts,
        plan=plan,
        strata=Strata.of(frame, (), parts),
        rules=rules,
        people=people,
        seed=data.seed if not given else int(stream(data.seed, "later").integers(2**63 - 1)),
    )
