"""How do columns become figures for principal components? Each counts the same, gaps stay gaps."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from unveil.count.centring import Centre, centre
from unveil.count.codes import Codes
from unveil.measure.utility.coding import Variable
from unveil.measure.utility.nipals import Block
from unveil.records.projection import DroppedColumn

MOST_LEVELS = 100
ORIGINAL = 0
_FARTHEST = 1e100  # standard deviations: a number of a copy alone may be any


@dataclass(frozen=True, eq=False)
class Coded:
    """The columns that take part as blocks of figures, and those that do not."""

    variables: tuple[Variable, ...]
    blocks: tuple[Block, ...]
    dropped: tuple[DroppedColumn, ...]

    @property
    def width(self) -> int:
        """Dimensions of the original: the dummies of a category sum to one, so one is not free."""
        return sum(max(1, block.width - 1) for block in self.blocks)

    def codes(self, side: int) -> list[Codes]:
        """The codes of one side, column by column."""
        return [one.codes(side) for one in self.variables]

    def names(self) -> list[tuple[str, str | None]]:
        """Column and level of every figure; a number has no level."""
        return list(chain.from_iterable(map(_names, self.variables)))

    def n_missing(self, side: int) -> int:
        """Cells of a side that are missing."""
        return sum(
            int(one.counts(side)[~block.is_held].sum())
            for one, block in zip(self.variables, self.blocks, strict=True)
        )


def coded(variables: Sequence[Variable]) -> Coded:
    """Every column that varies in the original as a block of figures."""
    used, blocks, dropped = [], [], []
    for variable in variables:
        reason = _reason(variable)
        if reason is None:
            used.append(variable)
            blocks.append(_number(variable) if variable.is_number else _category(variable))
        else:
            dropped.append(DroppedColumn(column=variable.name, reason=reason))
    return Coded(tuple(used), tuple(blocks), tuple(dropped))


def _reason(variable: Variable) -> str | None:
    """Why a column cannot take part; None where it can."""
    occurs = _occurring(variable)
    if not len(occurs):
        return "it has no value in the original"
    if len(occurs) == 1:
        return "it has one value only in the original"
    if not variable.is_number and len(occurs) > MOST_LEVELS:
        return f"it has more than {MOST_LEVELS} categories in the original"
    if variable.is_number and not math.isfinite(_centre(variable).sd(ddof=0)):
        return "its numbers are too large"
    return None


def _occurring(variable: Variable) -> list[int]:
    """Levels that occur in the original: numbers, or those of a category without missing."""
    counts = variable.counts(ORIGINAL)
    if variable.is_number:
        counts = np.where(variable.is_ordinary, counts, 0)
    elif variable.column.has_missing:
        counts = counts[:-1]
    return [int(place) for place in np.flatnonzero(counts)]


def _names(variable: Variable) -> Iterator[tuple[str, str | None]]:
    if variable.is_number:
        yield variable.name, None
        return
    texts = variable.level_names()
    for place in _occurring(variable):
        yield variable.name, texts[place]


def _centre(variable: Variable) -> Centre:
    """The centre of the original's numbers."""
    counts = variable.ordinary_counts(ORIGINAL)
    return centre(variable.values[counts > 0], counts[counts > 0])


def _number(variable: Variable) -> Block:
    with np.errstate(over="ignore"):
        standard = _centre(variable).standardise(variable.values)
    figures = np.where(variable.is_ordinary, standard.clip(-_FARTHEST, _FARTHEST), 0.0)
    return Block(figures[:, None], variable.is_ordinary)


def _category(variable: Variable) -> Block:
    """A dummy for each level of the original; a level of a copy alone is none of them."""
    occurs = _occurring(variable)
    n_levels = variable.column.n_levels
    shares = variable.counts(ORIGINAL)[occurs] / variable.counts(ORIGINAL)[occurs].sum()
    figures = np.zeros((n_levels, len(occurs)))
    figures[occurs, np.arange(len(occurs))] = 1.0
    figures = (figures - shares) / math.sqrt(float((shares * (1 - shares)).sum()))
    is_held = np.ones(n_levels, bool)
    if variable.column.has_missing:
        figures[-1], is_held[-1] = 0.0, False
    return Block(figures, is_held)
