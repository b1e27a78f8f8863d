"""The columns of a regression as a matrix of mostly zeros, however many levels there are.

Every predictor gives a row exactly one entry: the dummy of its level, its standardised number, or
the dummy of its state. So memory grows with rows x predictors, not with rows x levels.
"""

import numpy as np
from numpy.typing import NDArray

from unveil.count.likelihoods import Floats
from unveil.synthesis.column import Part
from unveil.synthesis.design_matrix import DummyCoding, Predictors
from unveil.synthesis.likelihood import Sparse


def dummies(coding: DummyCoding, predictors: Predictors) -> Sparse:
    """The matrix of `DummyCoding.matrix`, without its zeros."""
    from scipy.sparse import csr_array

    predictors = coding.pooled(predictors)
    n, offsets = predictors.n_rows, _offsets(predictors)
    used = [place for place, part in enumerate(predictors.parts) if part.column.n_dummies]
    places = np.empty((n, len(used)), np.int32)
    values = np.empty((n, len(used)))
    for at, which in enumerate(used):
        centre, scale = float(coding.centres[which]), float(coding.scales[which])
        inside, values[:, at] = _entries(predictors.parts[which], predictors, centre, scale)
        places[:, at] = inside + offsets[which]
    ends = np.arange(n + 1) * len(used)
    made = csr_array((values.ravel(), places.ravel(), ends), shape=(n, int(offsets[-1])))
    made.eliminate_zeros()
    return made


def owners(predictors: Predictors) -> NDArray[np.int64]:
    """Which predictor each column of the matrix belongs to."""
    return np.repeat(np.arange(len(predictors.parts)), np.diff(_offsets(predictors)))


def _offsets(predictors: Predictors) -> NDArray[np.int64]:
    return np.cumsum([0, *(part.column.n_dummies for part in predictors.parts)])


def _entries(
    part: Part, predictors: Predictors, centre: float, scale: float
) -> tuple[NDArray[np.int64], Floats]:
    """In which of its columns each row has its entry, and the entry; 0 for the first level."""
    values = predictors.taken(part.values)
    if part.column.is_category:
        later = values > 0
        return np.where(later, values - 1, 0).astype(np.int64), later.astype(np.float64)
    number = (values - centre) / scale
    # An infinite number has no place on a line; it counts as the mean.
    number = np.where(np.isfinite(number), number, 0.0)
    if part.state is None:
        return np.zeros(len(values), np.int64), number
    state = predictors.taken(part.state)
    return state.astype(np.int64), np.where(state > 0, 1.0, number)
