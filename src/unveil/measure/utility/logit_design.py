"""The matrix of a logistic model of main effects and of interactions up to some order."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

import numpy as np

from unveil.count.centring import centre
from unveil.errors import SettingsError
from unveil.measure.utility.cart_cuts import Floats
from unveil.measure.utility.propensity import Term

MOST_NUMBERS = 2**26
"""So many numbers may a matrix have: half a gigabyte."""


def design(terms: Sequence[Term], order: int, n_rows: int) -> Floats:
    """The columns of the model, the intercept first.

    A category has an indicator for each level but the first, a number its value in standard
    deviations from its mean, which changes no propensity. An interaction is the product of columns
    that come from different variables: products within one are 0 or were there before.
    """
    sources = sorted({term.source for term in terms})
    widths = {source: sum(_width(t) for t in terms if t.source == source) for source in sources}
    chosen = [some for k in range(1, order + 1) for some in combinations(sources, k)]
    n_columns = 1 + sum(prod(widths[source] for source in some) for some in chosen)
    if n_columns * n_rows > MOST_NUMBERS:
        raise SettingsError(
            f"The logistic model would have {n_columns:,} parameters for {n_rows:,} records, more"
            " than fits into memory. Name fewer columns, leave out those with many levels, take"
            ' fewer interactions, or model="cart".'
        )
    matrix = np.empty((n_rows, n_columns))
    matrix[:, 0] = 1.0
    by_source = {
        source: [column for t in terms if t.source == source for column in _columns(t)]
        for source in sources
    }
    place = 1
    for some in chosen:
        for column in _products([by_source[source] for source in some]):
            matrix[:, place] = column
            place += 1
    return matrix


def _width(term: Term) -> int:
    return 1 if term.values is not None else term.predictor.n_levels - 1


def _columns(term: Term) -> Iterator[Floats]:
    codes = term.predictor.codes
    if term.values is not None:
        numbers = term.values[codes]
        yield centre(numbers).standardise(numbers)
        return
    for level in range(1, term.predictor.n_levels):
        yield (codes == level).astype(np.float64)


def _products(parts: Sequence[Sequence[Floats]]) -> Iterator[Floats]:
    if not parts:
        yield np.ones(1)
        return
    for first in parts[0]:
        for rest in _products(parts[1:]):
            yield first * rest
