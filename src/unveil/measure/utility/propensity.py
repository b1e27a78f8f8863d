"""By what may a model tell a copy from the original? The columns of both, in a model's terms.

A number that is missing becomes 0 and an indicator says so, and so does each special code, as in
synthpop's utility.gen; a missing category is a level. Only columns that differ somewhere take part.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.measure.utility.cart_cuts import Floats, Mask, Predictor, Whole
from unveil.measure.utility.coding import Opened, Variable
from unveil.measure.utility.statistics import of_scores


@dataclass(frozen=True, eq=False)
class Term:
    """A column with its levels, the number of each where it is one, and the column it came from."""

    predictor: Predictor
    values: Floats | None  # of each level; None: a category
    source: int


@dataclass(frozen=True, eq=False)
class Fit:
    """What a model found out: squared distance of the propensity from its share, and the rest."""

    pMSE: float
    SPECKS: float
    PO50: float
    U: float
    n_leaves: int | None = None
    df: int | None = None
    is_separated: bool = False


def terms(opened: Opened, sides: Sequence[int]) -> list[Term]:
    """All columns of these sides, one below the other; constant ones are left out."""
    slices = [opened.sides.slices[side] for side in sides]
    rows = np.concatenate([np.arange(part.start, part.stop) for part in slices])
    return [
        term
        for source, variable in enumerate(opened.variables)
        for term in _of(variable, rows, source)
        if term.predictor.n_levels > 1
    ]


def _of(variable: Variable, rows: NDArray[np.intp], source: int) -> Iterator[Term]:
    codes = variable.column.codes[rows]
    if not variable.is_number:
        yield Term(_predictor(variable.name, codes, is_ordered=False), None, source)
        return
    distinct, place = np.unique(variable.values, return_inverse=True)
    found, numbers = np.unique(place.astype(np.uint32)[codes], return_inverse=True)
    yield Term(
        Predictor(variable.name, _small(numbers), len(found), is_ordered=True),
        distinct[found],
        source,
    )
    others = np.flatnonzero(~variable.is_ordinary)
    told = variable.level_names() if len(others) else []
    for level in others:
        name = f"{variable.name} ({told[level] or 'missing'})"
        indicator = _predictor(name, (codes == level).view(np.uint8), is_ordered=True)
        yield Term(indicator, np.arange(2.0), source)


def _predictor(name: str, codes: NDArray[np.unsignedinteger], *, is_ordered: bool) -> Predictor:
    """The codes with only the levels that occur."""
    found, place = np.unique(codes, return_inverse=True)
    return Predictor(name, _small(place), len(found), is_ordered)


def _small(codes: Whole) -> NDArray[np.unsignedinteger]:
    """Codes in the smallest type that holds them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def labels(opened: Opened, sides: Sequence[int]) -> Mask:
    """Which records are of the second side."""
    return np.repeat([False, True], [opened.sides.rows[side] for side in sides])


def pmse(n: Whole, p: Floats, share: float) -> float:
    """Mean squared distance of the propensity from the share of copies: Snoke and others 2018, (1).

    Of groups of `n` records that have the propensity p each.
    """
    return float((n * (p - share) ** 2).sum() / n.sum())


def fit_of(
    td: Whole,
    ts: Whole,
    p: Floats,
    *,
    n_leaves: int | None = None,
    df: int | None = None,
    is_separated: bool = False,
) -> Fit:
    """The figures of a model: groups of records of original and copy that have a propensity."""
    told = of_scores(td, ts, p)
    specks, po50, u = (float(figure[0]) for figure in (told.SPECKS, told.PO50, told.U))
    value = pmse(td + ts, p, float(ts.sum() / (td + ts).sum()))
    return Fit(value, specks, po50, u, n_leaves, df, is_separated)
