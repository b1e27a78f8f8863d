"""What is fitted in every file: which records take part, which levels are compared with which?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.expressions.nodes import Expression
from unveil.count.levels import all_as_read, code_of
from unveil.errors import SettingsError, listed
from unveil.measure.utility.findings_asked import Asked, Model
from unveil.measure.utility.findings_opening import Opened, Rows
from unveil.measure.utility.formula import Factor, Formula
from unveil.measure.utility.replicating import subgroup_of

MOST_CLASSES = 50


@dataclass(frozen=True)
class Levels:
    """The levels of a column in their order: codes that occur, and how they are read."""

    name: str
    order: tuple[int, ...]
    reference: int  # that the others are compared with: the first that the original has
    shown: Sequence[str]

    @property
    def others(self) -> tuple[int, ...]:
        """The levels that have a coefficient."""
        return tuple(code for code in self.order if code != self.reference)


@dataclass(frozen=True)
class Problem:
    """A regression, ready to be fitted in every file."""

    one: Asked
    opened: Opened
    formula: Formula
    model: Model
    condition: Expression | None  # that the outcome is, where it is no column
    complete: Sequence[Rows]  # records that take part, for each file
    levels: dict[str, Levels]  # of the columns that are levels, by name
    classes: Levels | None  # of the outcome, where it is a column of levels

    @property
    def outcome(self) -> str:
        """The column of the outcome."""
        return str(self.formula.outcome)

    @property
    def compared(self) -> set[str]:
        """The columns whose levels are compared with the first in some term."""
        return {
            factor.name
            for term in self.formula.terms
            for factor in term
            if self.formula.is_compared(term, factor)
        }

    @property
    def outcome_levels(self) -> tuple[int, ...]:
        """The levels of the outcome in some file; none where it has no levels."""
        return () if self.classes is None else self.classes.order


def problem_of(one: Asked, opened: Opened) -> Problem:
    """What a regression needs to be fitted in every file, or a refusal."""
    formula = one.formula
    assert formula is not None
    _refuse_types(one, opened, formula)
    subgroup = subgroup_of(one, opened)
    condition = None
    if not isinstance(formula.outcome, str):
        condition = opened.resolved(f"{one.called}: the outcome", formula.outcome)
    names = [*formula.names, *([formula.outcome] if isinstance(formula.outcome, str) else [])]
    complete = [
        _complete(opened, subgroup, condition, names, side) for side in range(len(opened.sizes))
    ]
    by_levels = [
        factor.name
        for term in formula.terms
        for factor in term
        if factor.is_levels or not opened.is_number(factor.name)
    ]
    levels = {name: _levels(one, opened, name, complete) for name in dict.fromkeys(by_levels)}
    model, classes = _model(one, opened, formula, complete)
    return Problem(one, opened, formula, model, condition, complete, levels, classes)


def _refuse_types(one: Asked, opened: Opened, formula: Formula) -> None:
    """Refuse dates, and powers of text, before anything is fitted."""
    factors = [factor for term in formula.terms for factor in term]
    outcome = [Factor(formula.outcome)] if isinstance(formula.outcome, str) else []
    for factor in (*factors, *outcome):
        if opened.dtype(factor.name).is_temporal() and not factor.is_levels:
            raise SettingsError(
                f"{one.called}: {factor.name!r} holds dates or times, which have no place in a"
                " regression. Derive a number from it first."
            )
        if factor.power > 1 and not opened.is_number(factor.name):
            raise SettingsError(f"{one.called}: {factor.name!r} holds no numbers, so has no power.")
    if any(factor.name == formula.outcome for factor in factors):
        raise SettingsError(f"{one.called}: {formula.outcome!r} is its own term. Take it out.")


def _complete(
    opened: Opened,
    subgroup: Expression | None,
    condition: Expression | None,
    names: Sequence[str],
    side: int,
) -> Rows:
    """Records of the subgroup that have a value in every column."""
    rows = opened.rows(subgroup, side)
    if condition is not None:
        rows = rows & opened.truth(condition, side)[1]
    for name in dict.fromkeys(names):
        rows = rows & ~opened.is_missing(name, side)
        if opened.is_number(name):
            rows &= ~np.isnan(opened.numbers(name, side))
    return rows


def _levels(one: Asked, opened: Opened, name: str, complete: Sequence[Rows]) -> Levels:
    """The levels that records of some file have, in the order asked for or that of the column."""
    column = opened.column(name)
    seen = [np.unique(opened.codes(name, side)[rows]) for side, rows in enumerate(complete)]
    occur = sorted({int(code) for codes in seen for code in codes})
    order = dict(one.orders).get(name)
    if order is not None:
        places = [code_of(column, level) for level in order]
        unknown = [level for level, code in zip(order, places, strict=True) if code is None]
        if unknown:
            raise SettingsError(
                f"{one.called}: nobody has {name!r} = {listed(map(repr, unknown))}. Write levels"
                " as they stand in the data."
            )
        if lacking := len({*occur} - {*places}):
            raise SettingsError(
                f"{one.called}: levels leaves out {lacking:,} of the {len(occur):,} levels of"
                f" {name!r}. Name all of them, in their order."
            )
        occur = [code for code in places if code in occur]
    first = [code for code in occur if code in seen[0]]
    reference = next(iter((*first, *occur)), -1)
    return Levels(name, tuple(occur), reference, [str(text) for text in all_as_read(column)])


def _model(
    one: Asked, opened: Opened, formula: Formula, complete: Sequence[Rows]
) -> tuple[Model, Levels | None]:
    """The model asked for, or the one that the outcome calls for; and the outcome's levels."""
    if not isinstance(formula.outcome, str):
        if one.model not in (None, "logistic"):
            raise SettingsError(
                f"{one.called}: the outcome is a condition, which is met or not: its model is"
                f" logistic, not {one.model}."
            )
        return "logistic", None
    name = formula.outcome
    is_number = opened.is_number(name)
    if one.model == "linear" or (one.model is None and is_number):
        if not is_number:
            raise SettingsError(
                f"{one.called}: {name!r} holds no numbers, so its model cannot be linear. Write"
                ' model = "logistic", "multinomial" or "ordered".'
            )
        return "linear", None
    levels = _levels(one, opened, name, complete)
    n_classes = len(np.unique(opened.codes(name, 0)[complete[0]]))
    model = one.model or ("multinomial" if n_classes > 2 else "logistic")
    _refuse_classes(one, name, model, n_classes, len(levels.order), is_number=is_number)
    return model, levels


def _refuse_classes(
    one: Asked, name: str, model: Model, n_original: int, n_all: int, *, is_number: bool
) -> None:
    if model == "logistic" and n_original > 2:
        raise SettingsError(
            f"{one.called}: {name!r} has {n_original:,} levels, and a logistic model is for two."
            f' Write a condition as outcome, or model = "multinomial" or "ordered".'
        )
    if n_all > MOST_CLASSES:
        raise SettingsError(
            f"{one.called}: {name!r} has {n_all:,} levels; a {model} model bears at most"
            f" {MOST_CLASSES}."
        )
    if model == "ordered" and not is_number and name not in dict(one.orders):
        raise SettingsError(
            f"{one.called}: an ordered model needs the order of {name!r}, from low to high:"
            f' levels = {{{name} = ["low", "high"]}}.'
        )
