"""Columns as models see them: amounts, and the states in which there is none; or levels.

Records of each file stand in the order of their values and levels in that of their counts. So no
figure hangs on the order of a file, or on what its levels are called.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.data.bands import band
from unveil.data.columns import Coded, Column
from unveil.models.trees import Predictor
from unveil.results import Figure, Note
from unveil.study import Side, Study

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

GROUPS = 5  # of a number, about equally many records in each, as synthpop's utility.tables has them
NUMBERS = ("number", "date", "time")


@dataclass(frozen=True, eq=False)
class Variable:
    """A column of all files, one file after the other.

    A number has state 0 where it is an amount; special codes and missing have states of their own.
    The states of a category are its levels.
    """

    name: str
    is_number: bool
    codes: Ints  # of each record, a code for each value
    rows: tuple[slice, ...]  # of each file
    state_of: Ints  # of each code
    amount_of: Floats  # of each code; NaN where there is none
    group_of: Ints  # of each code: numbers in groups
    texts: tuple[str | None, ...]  # of each group

    @property
    def n_states(self) -> int:
        return int(self.state_of.max()) + 1

    @property
    def n_groups(self) -> int:
        return len(self.texts)

    @cached_property
    def states(self) -> Ints:
        return self.state_of[self.codes]

    @cached_property
    def amounts(self) -> Floats:
        return self.amount_of[self.codes]

    @cached_property
    def groups(self) -> Ints:
        return self.group_of[self.codes]

    def known(self, file: int) -> Floats:
        """The amounts of one file."""
        amounts = self.amounts[self.rows[file]]
        return amounts[~np.isnan(amounts)]

    def predictors(self, records: Ints) -> Iterator[Predictor]:
        """For a tree: a number with 0 where it has no amount, and why it has none; or levels."""
        if not self.is_number:
            yield Predictor(self.states[records], is_ordered=False)
            return
        _, ranks = np.unique(np.nan_to_num(self.amount_of), return_inverse=True)
        yield Predictor(ranks[self.codes[records]], is_ordered=True)
        for indicator in self.indicators(records):
            yield Predictor(indicator.astype(np.int64), is_ordered=True)

    def terms(self, records: Ints) -> Iterator[Floats]:
        """For a regression: the same number, and an indicator of each state beside the first."""
        if self.is_number:
            yield np.nan_to_num(self.amounts[records])
        yield from self.indicators(records)

    def indicators(self, records: Ints) -> Iterator[Floats]:
        states = self.states[records]
        return ((states == state).astype(float) for state in range(1, self.n_states))


def column_of(study: Study, name: str) -> Coded:
    """A column in no bands; texts that are all days, 2026-11-19, as dates."""
    return study.unbanded(name).with_dates()


def variables_of(study: Study) -> dict[str, Variable]:
    """The keys and targets by name; joint targets in their parts."""
    return study.once(_variables_of, names_of(study))


def _variables_of(study: Study, names: Sequence[str]) -> dict[str, Variable]:
    order = rows_in_order(study)
    columns = {name: column_of(study, name) for name in names}
    return {name: _variable(study, column, order) for name, column in columns.items()}


def names_of(study: Study) -> tuple[str, ...]:
    targets = [part for name in study.targets for part in study.joint.get(name, [name])]
    return tuple(dict.fromkeys((*study.keys, *targets)))


def rows_in_order(study: Study) -> Ints:
    """The records of all files, one file after the other, as variables have them."""
    return study.once(_order, names_of(study))


def _order(study: Study, names: Sequence[str]) -> Ints:
    """The records of each file, in the order of their values."""
    columns = [column_of(study, name) for name in names]
    levels = [
        column.codes if _is_number(study, column) else _by_count(column)[column.codes]
        for column in columns
    ]
    files = [np.arange(rows.start, rows.stop) for rows in study.rows]
    return np.concatenate([f[np.lexsort([codes[f] for codes in levels])] for f in files])


def _is_number(study: Study, column: Coded) -> bool:
    """Unless it is declared a category, or every value has a label."""
    is_category = study.columns.get(column.name, Column()).kind == "category"
    return column.kind in NUMBERS and not (is_category or column.is_labelled)


def _by_count(column: Coded) -> Ints:
    """The place of each level: the commonest in the original first, missing last."""
    n_known = column.n_levels - column.has_missing
    places = np.arange(column.n_levels)
    order = np.lexsort((places[:n_known], *-column.counts[::-1, :n_known]))
    places[order] = np.arange(n_known)
    return places


def _variable(study: Study, column: Coded, order: Ints) -> Variable:
    if not _is_number(study, column):
        place = _by_count(column)
        texts: list[str | None] = [None] * len(place)
        for code, text in zip(place, column.texts, strict=True):
            texts[code] = text
        return Variable(
            column.name, False, place[column.codes[order]], tuple(study.rows),
            np.arange(len(place)), np.full(len(place), np.nan), np.arange(len(place)),
            tuple(texts),
        )  # fmt: skip
    special = study.special(column.name, column)
    grouped = band(as_numbers(column), GROUPS, special)
    amounts = column.numbers.copy()
    is_code = np.isin(amounts, special) | np.isinf(amounts)
    states = np.zeros(len(amounts), np.int64)
    states[is_code] = np.arange(1, is_code.sum() + 1)
    if column.has_missing:
        states[-1] = is_code.sum() + 1
    amounts[is_code] = np.nan
    group_of = np.zeros(column.n_levels, np.int64)
    group_of[column.codes] = grouped.codes
    return Variable(
        column.name, True, column.codes[order].astype(np.int64), tuple(study.rows),
        states, amounts, group_of, tuple(grouped.texts),
    )  # fmt: skip


def as_numbers(column: Coded) -> Coded:
    """Dates and times as numbers too."""
    numbers = pl.Series(column.numbers).fill_nan(None)
    return replace(column, kind="number", levels=numbers)


def persons_of(study: Study, file: int) -> Ints:
    """Whose each record of a file is, in the order that variables have."""
    rows = study.rows[file]
    person, _ = study.people(file)
    return person[rows_in_order(study)[rows] - rows.start]


def copies_of(study: Study) -> list[Side]:
    """Each copy of each version, none pooled."""
    return [side for side in study.sides() if side.copy != "pooled"]


def records_note(study: Study, consequence: str) -> Iterator[Note]:
    """Where people have several records."""
    records, people = len(study.original), study.people()[1]
    if people < records:
        yield Note(
            about="records",
            sentence=f"Counted in records: {people:,} {study.unit} have {records:,} in the"
            f" original. {consequence}",
        )


def difference(synthetic: Figure, original: Figure) -> Figure:
    """None where one is not measured."""
    return None if synthetic is None or original is None else synthetic - original
