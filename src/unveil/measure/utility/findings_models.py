"""A regression in every file: the same terms, the same levels compared with, each file its fit."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from unveil.count.codes import Codes
from unveil.errors import SettingsError, listed
from unveil.measure.utility.findings_asked import Asked, Model
from unveil.measure.utility.findings_opening import Opened, Rows
from unveil.measure.utility.findings_problem import Levels, Problem, problem_of
from unveil.measure.utility.formula import Factor
from unveil.measure.utility.models.classes import fit_classes
from unveil.measure.utility.models.design import Axes, Design, DesignColumn, Level, Number, axes_of
from unveil.measure.utility.models.fitted import INTERCEPT, Fitted, Unfit
from unveil.measure.utility.models.linear import fit_linear
from unveil.measure.utility.models.ordered import fit_ordered
from unveil.measure.utility.replicating import NOBODY, Answer, Estimate, subgroup_of

MOST_COEFFICIENTS = 1_000


def regressions(one: Asked, opened: Opened) -> tuple[list[Answer], Model]:
    """Fit the model of a finding to every file; the model is told where it was left open."""
    problem = problem_of(one, opened)
    answers = [_answer(problem, side) for side in range(len(opened.sizes))]
    return [answers[0][0], *(_comparable(one, answers[0][1]) for one in answers[1:])], problem.model


def _answer(problem: Problem, side: int) -> tuple[Answer, tuple[str, ...]]:
    """What one file says, and the terms that others determine in it."""
    rows = problem.complete[side]
    n = int(rows.sum())
    if not n:
        is_empty = not problem.opened.rows(subgroup_of(problem.one, problem.opened), side).any()
        why = NOBODY if is_empty else "nobody in the subgroup has a value in every column"
        return Answer(why=why), ()
    if lacking := _lacking_reference(problem, side):
        return Answer(why=lacking), ()
    axes = axes_of(Design(tuple(_columns(problem, side)), n))
    fitted, prefixes = _fitted(problem, axes, side)
    if isinstance(fitted, Unfit):
        return Answer(why=fitted.reason), axes.collinear
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
    left_out |= _of_absent_classes(problem, axes, prefixes)
    return Answer(found, left_out=left_out), (*axes.collinear, *axes.too_large)


def _of_absent_classes(problem: Problem, axes: Axes, prefixes: Sequence[str]) -> dict[str, str]:
    """Why the terms of a class that other files have are not there."""
    if problem.model != "multinomial" or problem.classes is None:
        return {}
    classes = problem.classes
    shown = {f"{classes.shown[code]} | ": classes.shown[code] for code in classes.others}
    return {
        f"{prefix}{label}": f"nobody has {classes.name} = {level}"
        for prefix, level in shown.items()
        if prefix not in prefixes
        for label in (INTERCEPT, *axes.labels)
    }


def _comparable(given: tuple[Answer, tuple[str, ...]], of_original: tuple[str, ...]) -> Answer:
    """A copy's answer, unless other terms are collinear in it: then coefficients mean another."""
    answer, collinear = given
    other = [term for term in collinear if term not in of_original]
    other += [term for term in of_original if term not in (*collinear, *answer.left_out)]
    if answer.why is not None or not other:
        return answer
    return Answer(
        why=f"{listed(other, 6)} collinear with other terms in only one of original and copy, so"
        " that coefficients mean something else"
    )


def _lacking_reference(problem: Problem, side: int) -> str | None:
    """Which level that others are compared with nobody has in this file."""
    for name, levels in problem.levels.items():
        if name not in problem.compared:
            continue
        codes = problem.opened.codes(name, side)[problem.complete[side]]
        if levels.reference not in codes:
            level = "" if levels.reference < 0 else f" = {levels.shown[levels.reference]}"
            return f"nobody has {name}{level}, the level that others are compared with"
    return None


def _columns(problem: Problem, side: int) -> Iterator[DesignColumn]:
    """The columns of all terms, in their order."""
    rows = problem.complete[side]
    made: dict[tuple[Factor, bool], list[tuple[str, Number | Level]]] = {}
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
                f"{problem.one.called}: the model has more than {MOST_COEFFICIENTS:,} coefficients."
                " Leave out terms with many levels."
            )
        for parts in chosen:
            label = " : ".join(said for said, _ in parts)
            yield DesignColumn(label, tuple(part for _, part in parts))


def _factor_columns(
    problem: Problem, coded: tuple[Factor, bool], side: int, rows: Rows
) -> list[tuple[str, Number | Level]]:
    """A number, or a column for each level: without the first where others are compared with it."""
    factor, is_compared = coded
    if not factor.is_levels and problem.opened.is_number(factor.name):
        label = factor.name if factor.power == 1 else f"{factor.name}^{factor.power}"
        return [(label, Number(problem.opened.numbers(factor.name, side)[rows], factor.power))]
    levels = problem.levels[factor.name]
    codes = problem.opened.codes(factor.name, side)[rows]
    chosen = levels.others if is_compared else levels.order
    return [(f"{factor.name} = {levels.shown[code]}", Level(codes, code)) for code in chosen]


def _fitted(problem: Problem, axes: Axes, side: int) -> tuple[Fitted | Unfit, list[str]]:
    """The fit in one file, and what the names of its terms begin with."""
    rows, opened = problem.complete[side], problem.opened
    if problem.model == "linear":
        return fit_linear(axes, opened.numbers(problem.outcome, side)[rows]), [""]
    if problem.classes is None:
        assert problem.condition is not None
        met = opened.truth(problem.condition, side)[0][rows].astype(np.int64)
        if met.all() or not met.any():
            return Unfit("the outcome is the same for everybody"), [""]
        return fit_classes(axes, met, [""]), [""]
    return _by_class(problem, problem.classes, axes, side)


def _by_class(
    problem: Problem, classes: Levels, axes: Axes, side: int
) -> tuple[Fitted | Unfit, list[str]]:
    codes = problem.opened.codes(problem.outcome, side)[problem.complete[side]]
    first = problem.opened.codes(problem.outcome, 0)[problem.complete[0]]
    here, there = ([code for code in classes.order if code in np.unique(c)] for c in (codes, first))
    if len(here) < 2:
        return Unfit("the outcome is the same for everybody"), [""]
    if problem.model != "multinomial" and here != there:
        return Unfit("the outcome has other levels than in the original"), [""]
    if classes.reference not in here:
        level = classes.shown[classes.reference]
        return Unfit(f"nobody has {classes.name} = {level}, which others are compared with"), [""]
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
