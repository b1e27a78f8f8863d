"""Categories in order, from terms: the proportional odds model."""

from collections.abc import Sequence

import numpy as np

from unveil.count.likelihoods import Codes, Floats, between_cuts
from unveil.count.one_thread import one_thread
from unveil.measure.utility.models.classes import ones_by_class
from unveil.measure.utility.models.design import Axes
from unveil.measure.utility.models.fitted import Fitted, Unfit, separated, told
from unveil.measure.utility.models.newton import Lowest, lowest
from unveil.measure.utility.models.separation import Line, why_unfit


@one_thread()
def fit_ordered(axes: Axes, y: Codes, cuts: Sequence[str]) -> Fitted | Unfit:
    """One slope for each term and a cut between each two classes, by maximum likelihood.

    `y` holds 0 to K - 1, all of which occur; `cuts` are the names of the K - 1 cuts.

    Notes
    -----
    P(y <= k | x) = 1 / (1 + exp(x b - cut_k)). With s the logistic function, u = cut_y - x b and
    l = cut_(y-1) - x b, P(y | x) = s(u) s(-l) (1 - exp(l - u)), whose last factor depends on the
    class alone. Standard errors are those of the inverse observed information.

    References
    ----------
    McCullagh (1980), equation 2.1 with the logistic link. What R calls `MASS::polr`: the sign of
    the slopes is the same.
    """
    n_classes, n = len(cuts) + 1, len(y)
    if apart := _separating(axes, y, n_classes):
        return Unfit(separated(apart), n)
    sizes = np.bincount(y, minlength=n_classes)
    below = np.cumsum(sizes)[:-1] / n
    start = np.concatenate((np.log(below / (1 - below)), np.zeros(len(axes.labels))))
    found = lowest(lambda flat: _look(flat, axes, y, sizes), start)
    if why := why_unfit(axes, found, _lines(found, len(cuts))):
        return Unfit(why, n)
    turn = np.diag(np.concatenate((np.ones(len(cuts)), 1 / axes.scale)))
    turn[: len(cuts), len(cuts) :] = axes.mean / axes.scale
    return Fitted(told((*cuts, *axes.labels), found.place, found.covariance, turn), n)


def _lines(found: Lowest, n_cuts: int) -> list[Line]:
    """Each cut less the slopes times the terms, as they were found."""
    sign = np.append(1.0, np.full(len(found.place) - n_cuts, -1.0))
    slopes = np.arange(n_cuts, len(found.place))
    parts = [np.append(cut, slopes) for cut in range(n_cuts)]
    return [
        (sign * found.place[part], np.outer(sign, sign) * found.covariance[np.ix_(part, part)])
        for part in parts
    ]


def _separating(axes: Axes, y: Codes, n_classes: int) -> list[str]:
    """Levels whose records, or whose other records, are all in the first or the last class."""
    ones = ones_by_class(axes, y, n_classes)
    zeros = np.bincount(y, minlength=n_classes) - ones
    ends = [0, n_classes - 1]
    apart = np.zeros(len(ones), bool)
    for part in (ones, zeros):
        apart |= (part.sum(axis=1)[:, None] == part[:, ends]).any(axis=1)
    columns = zip(axes.design.columns, apart, strict=True)
    return [column.label for column, is_apart in columns if is_apart and column.is_indicator]


def _look(flat: Floats, axes: Axes, y: Codes, sizes: Codes) -> tuple[float, Floats, Floats]:
    """Less log-likelihood, its gradient and its curvature in cuts and slopes."""
    k = len(sizes) - 1
    cuts, slopes = flat[:k], flat[k:]
    gradient, curvature = np.zeros(len(flat)), np.zeros((len(flat), len(flat)))
    gaps = np.diff(cuts)
    if (gaps <= 0).any():
        return np.inf, gradient, curvature
    loss = 0.0
    for rows, block in axes.blocks(ones=False):
        value, up, down = between_cuts(block @ slopes, cuts, y[rows])
        loss -= value
        _add(gradient, curvature, block, y[rows], (up, down))
    return loss + _add_gaps(gradient, curvature, gaps, sizes[1:-1]), gradient, curvature


def _add(
    gradient: Floats, curvature: Floats, block: Floats, y: Codes, slopes: tuple[Floats, Floats]
) -> None:
    """What the records of a block add: u rises with the cut above, l with the cut below."""
    up, down = slopes
    k = len(gradient) - block.shape[1]
    bend_up, bend_down = up * (1 - up), down * (1 - down)
    gradient[k:] += block.T @ (up - down)
    curvature[k:, k:] += block.T @ (block * (bend_up + bend_down)[:, None])
    for cut in range(k):
        above, below = y == cut, y == cut + 1
        gradient[cut] -= up[above].sum() - down[below].sum()
        curvature[cut, cut] += bend_up[above].sum() + bend_down[below].sum()
        cross = block[above].T @ bend_up[above] + block[below].T @ bend_down[below]
        curvature[cut, k:] -= cross
        curvature[k:, cut] -= cross


def _add_gaps(gradient: Floats, curvature: Floats, gaps: Floats, inner: Codes) -> float:
    """What log(1 - exp(-gap)) adds for the classes between two cuts; the loss is given back."""
    slope = -inner * np.exp(-gaps) / np.expm1(-gaps)
    bend = inner * np.exp(-gaps) / np.expm1(-gaps) ** 2
    for place in range(len(gaps)):
        gradient[place] += slope[place]
        gradient[place + 1] -= slope[place]
        curvature[place, place] += bend[place]
        curvature[place + 1, place + 1] += bend[place]
        curvature[place, place + 1] -= bend[place]
        curvature[place + 1, place] -= bend[place]
    return -float((inner * np.log(-np.expm1(-gaps))).sum())
