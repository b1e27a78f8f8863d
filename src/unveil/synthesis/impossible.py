"""Which combinations of categories cannot be, so that no synthetic record may have them?

Structural zeros of a joint table: a set of levels for some of its columns, none of which may meet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Mask
from unveil.errors import SettingsError, quote_text
from unveil.models.array_record import ArrayRecord
from unveil.models.design import ColumnValues, ModelColumn
from unveil.synthesis.methods import Target
from unveil.synthesis.plan import Step, SynthesisPlan
from unveil.synthesis.rules import WrittenRule, code_of
from unveil.synthesis.split_columns import join_column


def codes_of(target: Target) -> NDArray[np.int32]:
    """The codes of a category."""
    return target.values.astype(np.int32, copy=False)


@dataclass(frozen=True)
class Impossible:
    """Cells in which every column named has one of the codes given for it.

    "No one under 16 is married": the codes of the ages below 16, and all marital codes but SINGLE.
    """

    codes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Zeros(ArrayRecord):
    """All impossible cells of a table: for each set of them, which levels of each column it has."""

    sets: tuple[tuple[Mask, ...], ...] = ()

    @classmethod
    def of(cls, impossible: Iterable[Impossible], targets: Sequence[Target]) -> Self:
        """The sets that the columns of a table can meet; a column not named may have any level."""
        return cls(tuple(_levels(cells, targets) for cells in impossible))

    def find_rows(self, codes: Sequence[NDArray[np.integer]]) -> Mask:
        """Which rows lie in an impossible cell."""
        found = np.zeros(len(codes[0]), np.bool_)
        for cells in self.sets:
            inside = np.ones(len(found), np.bool_)
            for has, code in zip(cells, codes, strict=True):
                inside &= has[code]
            found |= inside
        return found

    def table(self, shape: tuple[int, ...]) -> Mask:
        """Which cells of a table are impossible."""
        found = np.zeros(shape, np.bool_)
        for cells in self.sets:
            found[np.ix_(*cells)] = True
        return found

    def check_unseen(self, targets: Sequence[Target]) -> None:
        """The original must not have what is declared impossible."""
        n = int(self.find_rows([codes_of(target) for target in targets]).sum())
        if n:
            records = "1 record has" if n == 1 else f"{n:,} records have"
            raise SettingsError(
                f"In the original {records} a combination that is declared impossible. Change the"
                " rule, or correct the data."
            )

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {
            f"{place}.{column}": has
            for place, cells in enumerate(self.sets)
            for column, has in enumerate(cells)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The sets that `to_arrays` wrote."""
        sets: dict[int, dict[int, Mask]] = {}
        for key, has in arrays.items():
            place, column = map(int, key.split("."))
            sets.setdefault(place, {})[column] = has
        return cls(tuple(tuple(sets[p][c] for c in sorted(sets[p])) for p in sorted(sets)))


def _levels(cells: Impossible, targets: Sequence[Target]) -> tuple[Mask, ...]:
    found = []
    for target in targets:
        has = np.full(target.n_levels, target.name not in cells.codes)
        has[list(cells.codes.get(target.name, ()))] = True
        found.append(has)
    return tuple(found)


# Rules inside a joint table: which of its cells can no row have?
#
# "If age < 16 then marital = SINGLE", with both columns in the table: cells of children who are
# anything else cannot be, and neither prior nor noise nor margins may fill them.


_MOST_SETS = 1_000


def find_impossible(
    step: Step, rules: Sequence[WrittenRule], parts: Mapping[str, ColumnValues]
) -> list[Impossible]:
    """The cells that rules leave empty in the table of a joint step.

    Only of rules that can be a matter of the table: their columns are all in it, and the original
    keeps to them. Every other rule is applied to what was drawn.
    """
    columns = {name: parts[name].column for name in step.columns}
    found = [_cells(rule, columns) for rule in rules if _is_inside(rule, columns, parts)]
    return [cells for some in found for cells in some]


def table_notes(
    plan: SynthesisPlan, rules: Sequence[WrittenRule], parts: Mapping[str, ColumnValues]
) -> tuple[str, ...]:
    """A sentence for each rule that a joint table does not know of."""
    said = []
    for step in plan.steps:
        columns = {name: parts[name].column for name in step.columns}
        for rule in rules if step.is_joint else ():
            if rule.column in columns and not _is_inside(rule, columns, parts):
                said.append(
                    f"The rule {quote_text(rule.text)} is applied after the columns of"
                    f" {step.method!r} are drawn: their table does not include it."
                )
    return tuple(said)


def _is_inside(
    rule: WrittenRule,
    columns: Mapping[str, ModelColumn],
    parts: Mapping[str, ColumnValues],
) -> bool:
    needs = rule.own_needs
    if rule.column not in columns or not all(name in columns for name in needs):
        return False
    if prod(columns[name].n_levels for name in needs) > _MOST_SETS:
        return False
    frame = pl.DataFrame({name: join_column(parts[name]) for name in needs})
    broken = rule.find_met(frame).to_numpy() & (
        parts[rule.column].values != code_of(columns[rule.column], rule)
    )
    return not broken.any()


def _cells(rule: WrittenRule, columns: Mapping[str, ModelColumn]) -> list[Impossible]:
    """For each combination of levels that meets the condition, every other level than the rule's.

    A set takes all levels of the last column that meet the condition with the same levels of the
    columns before it.
    """
    needs, target = rule.own_needs, columns[rule.column]
    places = list(product(*(range(columns[name].n_levels) for name in needs)))
    codes = np.array(places, dtype=np.int32)
    frame = pl.DataFrame(
        [join_column(ColumnValues(columns[name], codes[:, n])) for n, name in enumerate(needs)]
    )
    # A rival of the rule may be met by a combination that no row has.
    met = rule.find_met(frame).to_numpy()
    sets: dict[tuple[int, ...], list[int]] = {}
    for place in (places[row] for row in np.flatnonzero(met)):
        sets.setdefault(place[:-1], []).append(place[-1])
    wanted = code_of(target, rule)
    others = tuple(code for code in range(target.n_levels) if code != wanted)
    return [
        Impossible({
            **{name: (code,) for name, code in zip(needs[:-1], before, strict=True)},
            needs[-1]: tuple(last),
            rule.column: others,
        })
        for before, last in sets.items()
    ]  # fmt: skip
