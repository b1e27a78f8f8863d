"""Categories without an order, from terms: logistic and multinomial regression."""

from collections.abc import Sequence

import numpy as np

from unveil.count.likelihoods import Codes, Floats, normalised
from unveil.count.one_thread import one_thread
from unveil.measure.utility.models.design import Axes
from unveil.measure.utility.models.fitted import (
    INTERCEPT,
    Fitted,
    Unfit,
    separated,
    told,
)
from unveil.measure.utility.models.linear import turned_back
from unveil.measure.utility.models.newton import Lowest, lowest
from unveil.measure.utility.models.separation import Line, why_unfit


@one_thread()
def fit_classes(axes: Axes, y: Codes, labels: Sequence[str]) -> Fitted | Unfit:
    """The log-odds of every class against the first, by maximum likelihood.

    `y` holds 0 to K - 1, all of which occur. `labels` has, for each class but the first, what its
    terms begin with ("" for the logistic model of two).

    Notes
    -----
    log P(y = k | x) / P(y = 0 | x) = a_k + x b_k. Standard errors are the roots of the diagonal of
    the inverse observed information. There is no finite maximum where the terms separate the
    classes; a level without, or with all, of a class is found and named beforehand, anything else
    afterwards (`separation`).

    References
    ----------
    McCullagh and Nelder (1989), Generalized Linear Models, 4.4 and 5.2.4; Albert and Anderson
    (1984) for separation. What R calls `glm(family = binomial)` and `nnet::multinom`.
    """
    n_classes = len(labels) + 1
    if apart := _separating(axes, y, n_classes):
        return Unfit(separated(apart), len(y))
    width = len(axes.labels) + 1
    start = np.zeros((n_classes - 1, width))
    sizes = np.bincount(y, minlength=n_classes)
    start[:, 0] = np.log(sizes[1:] / sizes[0])
    found = lowest(lambda flat: _look(flat, axes, y, n_classes), start.ravel())
    if why := why_unfit(axes, found, _lines(found, width)):
        return Unfit(why, len(y))
    turn: Floats = np.kron(np.eye(n_classes - 1), turned_back(axes)).astype(np.float64)
    terms = [f"{label}{term}" for label in labels for term in (INTERCEPT, *axes.labels)]
    return Fitted(told(terms, found.place, found.covariance, turn), len(y))


def _lines(found: Lowest, width: int) -> list[Line]:
    """The log-odds of every class against the first, as they were found."""
    starts = range(0, len(found.place), width)
    parts = [slice(start, start + width) for start in starts]
    return [(found.place[part], found.covariance[part, part]) for part in parts]


def ones_by_class(axes: Axes, y: Codes, n_classes: int) -> Floats:
    """How many records of each class have each column's level: columns x classes."""
    made = np.zeros((len(axes.labels), n_classes))
    for rows, block in axes.design.blocks():
        made += block.T @ np.eye(n_classes)[y[rows]]
    return made


def _separating(axes: Axes, y: Codes, n_classes: int) -> list[str]:
    """Levels that no record, or every record, of some class has."""
    ones, sizes = ones_by_class(axes, y, n_classes), np.bincount(y, minlength=n_classes)
    apart = ((ones == 0) | (ones == sizes)).any(axis=1)
    columns = zip(axes.design.columns, apart, strict=True)
    return [column.label for column, is_apart in columns if is_apart and column.is_indicator]


def _look(flat: Floats, axes: Axes, y: Codes, n_classes: int) -> tuple[float, Floats, Floats]:
    """Less log-likelihood, its gradient and its curvature (the observed information)."""
    k, width = n_classes - 1, len(axes.labels) + 1
    slopes = flat.reshape(k, width)
    loss, gradient = 0.0, np.zeros((k, width))
    curvature = np.zeros((k, width, k, width))
    for rows, block in axes.blocks(ones=True):
        eta = np.insert(block @ slopes.T, 0, 0.0, axis=1)
        chance = normalised(eta)
        seen = chance[np.arange(len(chance)), y[rows]]
        loss -= float(np.log(np.maximum(seen, 1e-300)).sum())
        others = chance[:, 1:]
        gradient += (others - (y[rows][:, None] == np.arange(1, n_classes))).T @ block
        for one in range(k):
            for two in range(one, k):
                weight = others[:, one] * ((one == two) - others[:, two])
                part = block.T @ (block * weight[:, None])
                curvature[one, :, two, :] += part
                if one != two:
                    curvature[two, :, one, :] += part
    return loss, gradient.ravel(), curvature.reshape(k * width, k * width)
