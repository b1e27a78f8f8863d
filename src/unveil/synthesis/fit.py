"""Fit the models of a plan to the original: each once, in threads, in any order.

A model depends on the original alone, never on another model or on synthetic data, so that all of
them can be fitted at the same time, and copies of any number and size drawn from them.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from unveil.arrays import Ints
from unveil.count.threads import limit_to_one_thread
from unveil.errors import SettingsError
from unveil.models.design import ColumnValues, ModelColumn, Predictors
from unveil.seeding import stream
from unveil.study.scenario import Progress, no_progress
from unveil.synthesis.impossible import Impossible
from unveil.synthesis.methods import (
    FittedJoint,
    FittedModel,
    Options,
    Target,
    TargetKind,
    fitter,
    joint_fitter,
)
from unveil.synthesis.plan import CONSTANT, Step

Chance = Callable[..., np.random.Generator]
"""The stream of a path inside one stratum."""


@dataclass(frozen=True)
class FittedStep:
    """One step of a plan, fitted in one stratum.

    `state` is None where every value is plain, and `value` where none is, or nothing is modelled.
    """

    step: Step
    columns: tuple[ModelColumn, ...]
    state: FittedModel | None = None
    value: FittedModel | None = None
    joint: FittedJoint | None = None
    told: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What its models have to say, each sentence once."""
        models = (self.state, self.value, self.joint)
        said = [note for model in models if model is not None for note in model.notes]
        return (*dict.fromkeys(said), *self.told)


def fit_all(
    parts: Mapping[str, ColumnValues],
    steps: Sequence[Step],
    rows_of: Sequence[Mapping[str, Ints]],
    options: Options,
    seed: int,
    *,
    workers: int,
    people: Ints | None = None,
    impossible: Mapping[Step, Sequence[Impossible]] = MappingProxyType({}),
    progress: Progress = no_progress,
) -> tuple[tuple[FittedStep, ...], ...]:
    """Every step in every stratum; `rows_of` says which rows of a stratum a column is fitted to.

    `people` is whose row each row is, where people have several; `impossible` are the cells that
    rules leave empty in the tables of joint steps.
    """
    jobs = [(stratum, place) for stratum in range(len(rows_of)) for place in range(len(steps))]
    fitted: dict[tuple[int, int], FittedStep] = {}
    progress("fitting", 0, len(jobs))
    with limit_to_one_thread(), ThreadPoolExecutor(max_workers=workers) as pool:
        waiting = {
            pool.submit(
                _fit_step,
                parts,
                steps[place],
                rows_of[stratum],
                options,
                partial(stream, seed, "fit", stratum),
                people=people,
                impossible=impossible.get(steps[place], ()),
            ): (stratum, place)
            for stratum, place in jobs
        }
        try:
            for done, future in enumerate(as_completed(waiting), start=1):
                stratum, place = waiting[future]
                fitted[stratum, place] = future.result()
                progress(f"fitted {', '.join(steps[place].columns)}", done, len(jobs))
        except MemoryError:
            pool.shutdown(wait=False, cancel_futures=True)
            raise SettingsError(
                "There is not enough memory to fit the models. Synthesise fewer columns at a time,"
                " or a sample of the rows."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return tuple(
        tuple(fitted[stratum, place] for place in range(len(steps)))
        for stratum in range(len(rows_of))
    )


def _fit_step(
    parts: Mapping[str, ColumnValues],
    step: Step,
    rows_of: Mapping[str, Ints],
    options: Options,
    chance: Chance,
    *,
    people: Ints | None,
    impossible: Sequence[Impossible],
) -> FittedStep:
    columns = tuple(parts[name].column for name in step.columns)
    if step.method == CONSTANT:
        return FittedStep(step, columns)
    rows = rows_of[step.columns[0]]  # of a joint step the same for all its columns
    if step.is_joint:
        targets = [_category(parts[name], rows) for name in step.columns]
        fit = joint_fitter(step.method)
        joint = fit(targets, options, chance(*step.columns), impossible=impossible)
        return FittedStep(step, columns, joint=joint)
    part = parts[step.columns[0]]
    seen = tuple(parts[name] for name in step.predictors)
    predictors = Predictors(seen, len(part), rows, people)
    if part.column.is_category:
        rng = chance(part.column.name, "value")
        value = fitter(step.method)(_category(part, rows), predictors, options, rng)
        return FittedStep(step, columns, value=value)
    return _fit_number(part, step, predictors, options, chance)


def _fit_number(
    part: ColumnValues, step: Step, predictors: Predictors, options: Options, chance: Chance
) -> FittedStep:
    """First which values are plain, missing or special; then the plain ones."""
    name, columns = part.column.name, (part.column,)
    state, value = None, None
    plain = np.arange(predictors.n_rows)
    if part.state is not None:
        states = predictors.take(part.state).astype(np.int32)
        plain = np.flatnonzero(states == 0)
        if len(plain) < len(states):
            target = Target(name, "category", states, part.column.n_states)
            method = step.state_method or step.method
            of_states = replace(options, min_spread=None)  # whether, not how much
            state = fitter(method)(target, predictors, of_states, chance(name, "state"))
    among = predictors if len(plain) == predictors.n_rows else predictors.among(plain)
    if len(plain):
        target = Target(name, "number", predictors.take(part.values)[plain])
        value = fitter(step.method)(target, among, options, chance(name, "value"))
    return FittedStep(step, columns, state, value, told=_few(name, among, options))


def _few(name: str, plain: Predictors, options: Options) -> tuple[str, ...]:
    """A warning where a leaf could not be filled even with every value there is."""
    n_plain, of = plain.n_rows, ""
    if plain.people is not None:
        n_plain, of = len(np.unique(plain.take(plain.people))), "people with "
    if not 0 < n_plain < options.min_leaf:
        return ()
    return (
        f"{name} has fewer than {options.min_leaf} {of}plain values to draw from (min_leaf): every"
        " plain value of the synthetic data is one of these.",
    )


def _category(part: ColumnValues, rows: Ints) -> Target:
    kind: TargetKind = "ordered" if part.column.kind == "ordered" else "category"
    column = part.column
    return Target(column.name, kind, part.values[rows], column.n_levels, column.has_missing)
