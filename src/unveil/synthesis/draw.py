"""Draw one copy: column after column, each from its model and the synthetic columns before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.models.design import ColumnValues, Predictors, Values
from unveil.seeding import stream
from unveil.synthesis.fit import Chance, FittedStep
from unveil.synthesis.rules import WrittenRule, apply_rule
from unveil.synthesis.split_columns import join_column


@dataclass(frozen=True)
class Drawing:
    """What every copy is drawn from."""

    strata: tuple[tuple[FittedStep, ...], ...]
    rules: tuple[WrittenRule, ...] = ()

    def draw(
        self,
        given: Mapping[str, ColumnValues],
        sizes: Sequence[Ints],
        n_rows: int,
        seed: int,
        copy: int,
    ) -> dict[str, ColumnValues]:
        """The parts of one copy; `sizes` has the rows of each stratum, `given` is not drawn."""
        pieces = [
            self._stratum(
                place,
                {name: part.select(rows) for name, part in given.items()},
                len(rows),
                seed,
                copy,
            )
            for place, rows in enumerate(sizes)
        ]
        if len(pieces) == 1:
            return pieces[0]
        return {name: place_rows([p[name] for p in pieces], sizes, n_rows) for name in pieces[0]}

    def _stratum(
        self, place: int, given: dict[str, ColumnValues], n_rows: int, seed: int, copy: int
    ) -> dict[str, ColumnValues]:
        made = dict(given)
        for fitted in self.strata[place]:
            for part in _draw(fitted, made, n_rows, partial(stream, seed, "copy", copy, place)):
                made[part.column.name] = self._apply_rules(part, made)
        return made

    def _apply_rules(self, part: ColumnValues, made: Mapping[str, ColumnValues]) -> ColumnValues:
        for rule in self.rules:
            if rule.column == part.column.name:
                frame = pl.DataFrame({name: join_column(made[name]) for name in rule.needs})
                part = apply_rule(part, rule.rows(frame).to_numpy(), rule)
        return part


def place_rows(pieces: Sequence[ColumnValues], sizes: Sequence[Ints], n_rows: int) -> ColumnValues:
    """The rows of all strata, each at its place."""
    values: Values = np.empty(n_rows, dtype=pieces[0].column.storage)
    state = np.zeros(n_rows, dtype=np.int16)
    for piece, rows in zip(pieces, sizes, strict=True):
        values[rows] = piece.values
        if piece.state is not None:
            state[rows] = piece.state
    return ColumnValues(pieces[0].column, values, state if state.any() else None)


def _draw(
    fitted: FittedStep, made: Mapping[str, ColumnValues], n_rows: int, chance: Chance
) -> Sequence[ColumnValues]:
    if fitted.joint is not None:
        drawn = fitted.joint.sample(n_rows, chance(*fitted.step.columns))
        return [
            ColumnValues(column, codes) for column, codes in zip(fitted.columns, drawn, strict=True)
        ]
    predictors = Predictors(tuple(made[name] for name in fitted.step.predictors), n_rows)
    return [_draw_one(fitted, predictors, chance)]


def _draw_one(fitted: FittedStep, predictors: Predictors, chance: Chance) -> ColumnValues:
    """The states first, where a column has any, then the values of rows that have a plain one."""
    column, n_rows = fitted.columns[0], predictors.n_rows
    values: Values = np.zeros(n_rows, dtype=column.storage)
    state, plain = None, None
    if fitted.state is not None:
        state = fitted.state.sample(predictors, chance(column.name, "state")).astype(np.int16)
        plain = np.flatnonzero(state == 0)
        predictors = predictors.among(plain)
    if fitted.value is not None and predictors.n_rows:
        some = fitted.value.sample(predictors, chance(column.name, "value"))
        if plain is None:
            return ColumnValues(column, some)
        values[plain] = some
    return ColumnValues(column, values, state)
