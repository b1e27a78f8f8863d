"""A regression in every file: the same terms, the same levels compared with, each file its fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from unveil.count.codes import Codes, code_of, level_labels
from unveil.errors import SettingsError, list_names
from unveil.expressions.nodes import Expression
from unveil.measure.utility.replicate_data import (
    NOBODY,
    Estimate,
    FileEstimate,
    ReplicationData,
    Rows,
    subgroup_of,
)
from unveil.measure.utility.replicate_settings import Model, ResultSpec
from unveil.models.axes import Axes, Design, DesignColumn, LevelTerm, NumberTerm, axes_of
from unveil.models.formula import Formula, TermFactor
from unveil.models.regression import (
    INTERCEPT,
    Coefficients,
    FitFailure,
    fit_classes,
    fit_linear,
    fit_ordered,
)

# What is fitted in every file: which records take part, which levels are compared with which?


MOST_CLASSES = 50


@dataclass(frozen=True)
class ResultLevels:
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
class RegressionProblem:
    """A regression, ready to be fitted in every file."""

    one: ResultSpec
    opened: ReplicationData
    formula: Formula
    model: Model
    condition: Expression | None  # that the outcome is, where it is no column
    complete: Sequence[Rows]  # records that take part, for each file
    levels: dict[str, ResultLevels]  # of the columns that are levels, by name
    classes: ResultLevels | None  # of the outcome, where it is a column of levels

    @property
    def outcome(self) -> str:
        """The column of the outcome."""
        return str(self.formula.outcome)

    @property
    def compared_columns(self) -> set[str]:
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


def problem_of(one: ResultSpec, opened: ReplicationData) -> RegressionProblem:
    """What a regression needs to be fitted in every file, or a refusal."""
    formula = one.formula
    assert formula is not None
    _check_types(one, opened, formula)
    subgroup = subgroup_of(one, opened)
    condition = None
    if not isinstance(formula.outcome, str):
        condition = opened.resolve_condition(f"{one.heading}: the outcome", formula.outcome)
    names = [*formula.names, *([formula.outcome] if isinstance(formula.outcome, str) else [])]
    complete = [
        _complete(opened, subgroup, condition, names, side)
        for side in range(len(opened.tables.rows))
    ]
    by_levels = [
        factor.name
        for term in formula.terms
        for factor in term
        if factor.is_levels or not _is_amount(opened, factor)
    ]
    levels = {name: _levels(one, opened, name, complete) for name in dict.fromkeys(by_levels)}
    model, classes = _model(one, opened, formula, complete)
    return RegressionProblem(one, opened, formula, model, condition, complete, levels, classes)


def _check_types(one: ResultSpec, opened: ReplicationData, formula: Formula) -> None:
    """Refuse dates, and powers of text, before anything is fitted."""
    factors = [factor for term in formula.terms for factor in term]
    outcome = [TermFactor(formula.outcome)] if isinstance(formula.outcome, str) else []
    for factor in (*factors, *outcome):
        if opened.dtype(factor.name).is_temporal() and not factor.is_levels:
            raise SettingsError(
                f"{one.heading}: {factor.name!r} holds dates or times, which have no place in a"
                " regression. Derive a number from it first."
            )
        if factor.power > 1 and not opened.holds_numbers(factor.name):
            raise SettingsError(
                f"{one.heading}: {factor.name!r} holds no numbers, so has no power."
            )
    if any(factor.name == formula.outcome for factor in factors):
        raise SettingsError(f"{one.heading}: {formula.outcome!r} is its own term. Remove it.")


def _is_amount(opened: ReplicationData, factor: TermFactor) -> bool:
    """Whether a factor is a number: a power makes one of codes that have labels."""
    return opened.is_number(factor.name) or factor.power > 1


def _complete(
    opened: ReplicationData,
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


def _levels(
    one: ResultSpec, opened: ReplicationData, name: str, complete: Sequence[Rows]
) -> ResultLevels:
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
                f"{one.heading}: no one has {name!r} = {list_names(map(repr, unknown))}. Write"
                " levels as in the data."
            )
        if lacking := len({*occur} - {*places}):
            raise SettingsError(
                f"{one.heading}: levels lacks {lacking:,} of the {len(occur):,} levels of"
                f" {name!r}. Name all of them, in their order."
            )
        occur = [code for code in places if code in occur]
    first = [code for code in occur if code in seen[0]]
    reference = next(iter((*first, *occur)), -1)
    return ResultLevels(name, tuple(occur), reference, [str(text) for text in level_labels(column)])


def _model(
    one: ResultSpec, opened: ReplicationData, formula: Formula, complete: Sequence[Rows]
) -> tuple[Model, ResultLevels | None]:
    """The model asked for, or the one that the outcome calls for; and the outcome's levels."""
    if not isinstance(formula.outcome, str):
        if one.model not in (None, "logistic"):
            raise SettingsError(
                f"{one.heading}: the outcome is a condition, which is met or not: its model is"
                f" logistic, not {one.model}."
            )
        return "logistic", None
    name = formula.outcome
    is_number = opened.holds_numbers(name)
    if one.model == "linear" or (one.model is None and opened.is_number(name)):
        if not is_number:
            raise SettingsError(
                f"{one.heading}: {name!r} holds no numbers, so its model cannot be linear. Write"
                ' model = "logistic", "multinomial" or "ordered".'
            )
        return "linear", None
    levels = _levels(one, opened, name, complete)
    n_classes = len(np.unique(opened.codes(name, 0)[complete[0]]))
    model = one.model or ("multinomial" if n_classes > 2 else "logistic")
    _check_classes(one, name, model, n_classes, len(levels.order), is_number=is_number)
    return model, levels


def _check_classes(
    one: ResultSpec, name: str, model: Model, n_original: int, n_all: int, *, is_number: bool
) -> None:
    if model == "logistic" and n_original > 2:
        raise SettingsError(
            f"{one.heading}: {name!r} has {n_original:,} levels, and a logistic model is for two."
            f' Write a condition as outcome, or model = "multinomial" or "ordered".'
        )
    if n_all > MOST_CLASSES:
        raise SettingsError(
            f"{one.heading}: {name!r} has {n_all:,} levels; a {model} model allows at most"
            f" {MOST_CLASSES}."
        )
    if model == "ordered" and not is_number and name not in dict(one.orders):
        raise SettingsError(
            f"{one.heading}: an ordered model needs the order of {name!r}, from low to high:"
            f' levels = {{{name} = ["low", "high"]}}.'
        )


MOST_COEFFICIENTS = 1_000


def regressions(one: ResultSpec, opened: ReplicationData) -> tuple[list[FileEstimate], Model]:
    """Fit the model of a finding to every file; the model is told where it was left open."""
    problem = problem_of(one, opened)
    answers = [_answer(problem, side) for side in range(len(opened.tables.rows))]
    return [answers[0][0], *(_comparable(one, answers[0][1]) for one in answers[1:])], problem.model


def _answer(problem: RegressionProblem, side: int) -> tuple[FileEstimate, tuple[str, ...]]:
    """What one file says, and the terms that others determine in it."""
    rows = problem.complete[side]
    n = int(rows.sum())
    if not n:
        is_empty = not problem.opened.rows(subgroup_of(problem.one, problem.opened), side).any()
        why = NOBODY if is_empty else "no one in the subgroup has a value in every column"
        return FileEstimate(why=why), ()
    if lacking := _lacking_reference(problem, side):
        return FileEstimate(why=lacking), ()
    axes = axes_of(Design(tuple(_columns(problem, side)), n))
    fitted, prefixes = _fit_side(problem, axes, side)
    if isinstance(fitted, FitFailure):
        return FileEstimate(why=fitted.reason), axes.collinear
    found = {
        term: Estimate(one.estimate, one.se, n, df=fitted.df)
        for term, one in fitted.coefficients.items()
    }
    left_out = {
        f"{prefix}{label}": reason
        for labels, reason in (
            (axes.absent, "no record has it"),
            (axes.collinear, "the terms before it determine it (collinear)"),
            (axes.too_large, "its numbers are too large"),
        )
        for label in labels
        for prefix in prefixes
    }
    left_out |= _absent_class_reasons(problem, axes, prefixes)
    return FileEstimate(found, left_out=left_out), (*axes.collinear, *axes.too_large)


def _absent_class_reasons(
    problem: RegressionProblem, axes: Axes, prefixes: Sequence[str]
) -> dict[str, str]:
    """Why the terms of a class that other files have are not there."""
    if problem.model != "multinomial" or problem.classes is None:
        return {}
    classes = problem.classes
    shown = {f"{classes.shown[code]} | ": classes.shown[code] for code in classes.others}
    return {
        f"{prefix}{label}": f"no one has {classes.name} = {level}"
        for prefix, level in shown.items()
        if prefix not in prefixes
        for label in (INTERCEPT, *axes.labels)
    }


def _comparable(
    given: tuple[FileEstimate, tuple[str, ...]], of_original: tuple[str, ...]
) -> FileEstimate:
    """The synthetic data's answer; where other terms are collinear, coefficients mean another."""
    answer, collinear = given
    other = [term for term in collinear if term not in of_original]
    other += [term for term in of_original if term not in (*collinear, *answer.left_out)]
    if answer.why is not None or not other:
        return answer
    return FileEstimate(
        why=f"{list_names(other, 6)} collinear with other terms in only one of original and "
        "copy, so"
        " that coefficients mean something else"
    )


def _lacking_reference(problem: RegressionProblem, side: int) -> str | None:
    """Which level that others are compared with no one has in this file."""
    for name, levels in problem.levels.items():
        if name not in problem.compared_columns:
            continue
        codes = problem.opened.codes(name, side)[problem.complete[side]]
        if levels.reference not in codes:
            level = "" if levels.reference < 0 else f" = {levels.shown[levels.reference]}"
            return f"no one has {name}{level}, the level that others are compared with"
    return None


def _columns(problem: RegressionProblem, side: int) -> Iterator[DesignColumn]:
    """The columns of all terms, in their order."""
    rows = problem.complete[side]
    made: dict[tuple[TermFactor, bool], list[tuple[str, NumberTerm | LevelTerm]]] = {}
    n_columns = 0
    per_column = 1 if problem.model != "multinomial" else len(problem.outcome_levels) - 1
    for term in problem.formula.terms:
        coded = [(factor, problem.formula.is_compared(term, factor)) for factor in term]
        for one in coded:
            if one not in made:
                made[one] = _factor_columns(problem, one, side, rows)
        chosen = list(product(*(made[one] for one in coded)))
        n_columns += len(chosen)
        if n_columns * per_column > MOST_COEFFICIENTS:
            raise SettingsError(
                f"{problem.one.heading}: the model has more than {MOST_COEFFICIENTS:,}"
                " coefficients. Omit terms with many levels."
            )
        for parts in chosen:
            label = " : ".join(said for said, _ in parts)
            yield DesignColumn(label, tuple(part for _, part in parts))


def _factor_columns(
    problem: RegressionProblem, coded: tuple[TermFactor, bool], side: int, rows: Rows
) -> list[tuple[str, NumberTerm | LevelTerm]]:
    """A number, or a column for each level: without the first where others are compared with it."""
    factor, is_compared = coded
    if not factor.is_levels and _is_amount(problem.opened, factor):
        label = factor.name if factor.power == 1 else f"{factor.name}^{factor.power}"
        return [(label, NumberTerm(problem.opened.numbers(factor.name, side)[rows], factor.power))]
    levels = problem.levels[factor.name]
    codes = problem.opened.codes(factor.name, side)[rows]
    chosen = levels.others if is_compared else levels.order
    return [(f"{factor.name} = {levels.shown[code]}", LevelTerm(codes, code)) for code in chosen]


def _fit_side(
    problem: RegressionProblem, axes: Axes, side: int
) -> tuple[Coefficients | FitFailure, list[str]]:
    """The fit in one file, and what the names of its terms begin with."""
    rows, opened = problem.complete[side], problem.opened
    if problem.model == "linear":
        return fit_linear(axes, opened.numbers(problem.outcome, side)[rows]), [""]
    if problem.classes is None:
        assert problem.condition is not None
        met = opened.truth(problem.condition, side)[0][rows].astype(np.int64)
        if met.all() or not met.any():
            return FitFailure("the outcome is the same for everyone"), [""]
        return fit_classes(axes, met, [""]), [""]
    return _by_class(problem, problem.classes, axes, side)


def _by_class(
    problem: RegressionProblem, classes: ResultLevels, axes: Axes, side: int
) -> tuple[Coefficients | FitFailure, list[str]]:
    codes = problem.opened.codes(problem.outcome, side)[problem.complete[side]]
    first = problem.opened.codes(problem.outcome, 0)[problem.complete[0]]
    here, there = ([code for code in classes.order if code in np.unique(c)] for c in (codes, first))
    if len(here) < 2:
        return FitFailure("the outcome is the same for everyone"), [""]
    if problem.model != "multinomial" and here != there:
        return FitFailure("the outcome has other levels than in the original"), [""]
    if classes.reference not in here:
        level = classes.shown[classes.reference]
        return FitFailure(f"no one has {classes.name} = {level}, which others are compared with"), [
            ""
        ]
    if problem.model == "ordered":
        cuts = [f"{classes.shown[a]} | {classes.shown[b]}" for a, b in pairwise(here)]
        return fit_ordered(axes, _places(codes, here), cuts), [""]
    if problem.model == "logistic":
        return fit_classes(axes, _places(codes, here), [""]), [""]
    others = [code for code in here if code != classes.reference]
    prefixes = [f"{classes.shown[code]} | " for code in others]
    return fit_classes(axes, _places(codes, [classes.reference, *others]), prefixes), prefixes


def _places(codes: Codes, order: Sequence[int]) -> NDArray[np.int64]:
    """The place of every record's class in an order."""
    table = np.zeros(max(order) + 1, np.int64)
    table[list(order)] = np.arange(len(order))
    return table[codes]
