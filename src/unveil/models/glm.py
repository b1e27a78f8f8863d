"""Regressions with standard errors: linear, logistic, multinomial and ordered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.arrays import Floats
from unveil.count.centring import centre
from unveil.count.threads import limit_to_one_thread
from unveil.errors import list_names
from unveil.models.glm_design import Axes
from unveil.models.newton import Codes, Lowest, between_cuts, lowest, softmax

# What comes out of a regression: coefficients with standard errors, or why there are none.


INTERCEPT = "intercept"


@dataclass(frozen=True)
class Coefficient:
    """An estimate and its standard error."""

    estimate: float
    se: float


@dataclass(frozen=True)
class Coefficients:
    """Coefficients by their terms.

    `df` are the degrees of freedom of Student's t; None where the normal distribution serves.
    """

    coefficients: Mapping[str, Coefficient]
    n: int
    df: int | None = None


@dataclass(frozen=True)
class Unfit:
    """Why a model has no coefficients in one file."""

    reason: str
    n: int = 0


def restore_coefficients(
    labels: Sequence[str], place: Floats, covariance: Floats, turn: Floats
) -> dict[str, Coefficient]:
    """Each term with its estimate and standard error, turned back to the columns as they are."""
    estimates, errors = turn @ place, _errors(turn, covariance)
    return {
        label: Coefficient(float(estimate), float(error))
        for label, estimate, error in zip(labels, estimates, errors, strict=True)
    }


def _errors(turn: Floats, covariance: Floats) -> Floats:
    """Roots of the diagonal of turn x covariance x turn', without its squares, which may overflow.

    With covariance = L L', they are the lengths of the rows of turn x L.
    """
    try:
        rows = turn @ np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:  # a perfect fit: no error at all
        rows = turn @ np.diag(np.sqrt(np.maximum(np.diag(covariance), 0.0)))
    longest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(longest > 0, longest, 1.0)
    lengths: Floats = unit * np.sqrt(((rows / unit[:, None]) ** 2).sum(axis=1))
    return lengths


def separation_reason(labels: Sequence[str]) -> str:
    """Why there is no finite coefficient."""
    return (
        f"{list_names(labels, 6)} {'separates' if len(labels) == 1 else 'separate'} the levels "
        "of the"
        " outcome, so that no finite coefficient is the most likely"
    )


SEPARATED = (
    "the terms separate the levels of the outcome, so that no finite coefficient is the most likely"
)
UNSETTLED = "no most likely coefficients were found: too little holds them"


# A number, from terms: least squares.


@limit_to_one_thread()
def fit_linear(axes: Axes, y: Floats) -> Coefficients | Unfit:
    """Ordinary least squares, with Student's t on n - p degrees of freedom.

    Notes
    -----
    b = (X'X)^-1 X'y; its covariance is s^2 (X'X)^-1 with s^2 = RSS / (n - p), p coefficients with
    the intercept. Computed on centred and scaled columns, and turned back.

    References
    ----------
    Seber and Lee (2003), Linear Regression Analysis, chapter 3; what R calls `lm`.
    """
    n, p = len(y), len(axes.labels)
    if n <= p + 1:
        return Unfit(f"so few records ({n:,}) are not enough for {p + 1:,} coefficients", n)
    middle = centre(y)
    y = middle.deviations(y)
    square, along = np.zeros((p, p)), np.zeros(p)
    for rows, block in axes.blocks(ones=False):
        square += block.T @ block
        along += block.T @ y[rows]
    inverse = np.linalg.inv(square)
    slopes = inverse @ along
    residual = sum(
        float(((y[rows] - block @ slopes) ** 2).sum()) for rows, block in axes.blocks(ones=False)
    )
    variance = residual / (n - p - 1)
    covariance = np.zeros((p + 1, p + 1))
    covariance[0, 0] = variance / n
    covariance[1:, 1:] = variance * inverse
    place = np.append(middle.middle + middle.rest, slopes)
    turn = unscale_coefficients(axes) / middle.unit
    found = restore_coefficients((INTERCEPT, *axes.labels), place, covariance, turn)
    return Coefficients(found, n, df=n - p - 1)


def unscale_coefficients(axes: Axes) -> Floats:
    """From intercept and slopes of centred and scaled columns to those of the columns."""
    turn = np.diag(np.append(1.0, 1 / axes.scale))
    turn[0, 1:] = -axes.mean / axes.scale
    return turn


# Are there finite coefficients at all? Where terms separate the classes, none is the most likely.
#
# What tells is the log-odds of the records, not the coefficients: a coefficient may be any number,
# as the unit and the origin of its column have it.


CERTAIN = 18.0
"""Log-odds of a record that is all but certain: its chance of another class is 1.5 in 10^8."""
WIDEST = 1e4
"""A standard error of a record's log-odds from which on nothing holds them."""

Line = tuple[Floats, Floats]
"""Coefficients of one linear predictor, that of the ones first, and their covariance."""


def why_unfit(axes: Axes, found: Lowest, lines: list[Line]) -> str | None:
    """Why the place found is no place of highest likelihood; None where it is.

    Notes
    -----
    Along a direction that separates, the loss falls by a factor e with every unit of log-odds, and
    so does its curvature: where the search ends (1e-16), the standard error of the log-odds of the
    records that it moves is about 1e8. At a finite maximum, records on both sides hold it: the
    error is that of a few records, far below 1e4, however steep the slopes are.

    References
    ----------
    Albert and Anderson (1984) for complete and quasi-complete separation.
    """
    if found.is_reached:
        return SEPARATED if _widest(axes, lines) > WIDEST else None
    return SEPARATED if _farthest(axes, lines) > CERTAIN else UNSETTLED


def _widest(axes: Axes, lines: list[Line]) -> float:
    """The largest standard error of the linear predictors of any record."""
    worst = 0.0
    for _, block in axes.blocks(ones=True):
        for _, covariance in lines:
            variance = np.einsum("ij,ij->i", block @ covariance, block)
            worst = max(worst, float(variance.max(initial=0.0)))
    return float(np.sqrt(worst))


def _farthest(axes: Axes, lines: list[Line]) -> float:
    """The largest linear predictor of any record, signs aside."""
    sizes = [
        float(np.abs(block @ line).max(initial=0.0))
        for _, block in axes.blocks(ones=True)
        for line, _ in lines
    ]
    return max(sizes, default=0.0)


# Categories without an order, from terms: logistic and multinomial regression.


@limit_to_one_thread()
def fit_classes(axes: Axes, y: Codes, labels: Sequence[str]) -> Coefficients | Unfit:
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
    if apart := _separating_multinomial(axes, y, n_classes):
        return Unfit(separation_reason(apart), len(y))
    width = len(axes.labels) + 1
    start = np.zeros((n_classes - 1, width))
    sizes = np.bincount(y, minlength=n_classes)
    start[:, 0] = np.log(sizes[1:] / sizes[0])
    found = lowest(lambda flat: _multinomial_loss(flat, axes, y, n_classes), start.ravel())
    if why := why_unfit(axes, found, _multinomial_lines(found, width)):
        return Unfit(why, len(y))
    turn: Floats = np.kron(np.eye(n_classes - 1), unscale_coefficients(axes)).astype(np.float64)
    terms = [f"{label}{term}" for label in labels for term in (INTERCEPT, *axes.labels)]
    return Coefficients(restore_coefficients(terms, found.place, found.covariance, turn), len(y))


def _multinomial_lines(found: Lowest, width: int) -> list[Line]:
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


def _separating_multinomial(axes: Axes, y: Codes, n_classes: int) -> list[str]:
    """Levels that no record, or every record, of some class has."""
    ones, sizes = ones_by_class(axes, y, n_classes), np.bincount(y, minlength=n_classes)
    apart = ((ones == 0) | (ones == sizes)).any(axis=1)
    columns = zip(axes.design.columns, apart, strict=True)
    return [column.label for column, is_apart in columns if is_apart and column.is_indicator]


def _multinomial_loss(
    flat: Floats, axes: Axes, y: Codes, n_classes: int
) -> tuple[float, Floats, Floats]:
    """Less log-likelihood, its gradient and its curvature (the observed information)."""
    k, width = n_classes - 1, len(axes.labels) + 1
    slopes = flat.reshape(k, width)
    loss, gradient = 0.0, np.zeros((k, width))
    curvature = np.zeros((k, width, k, width))
    for rows, block in axes.blocks(ones=True):
        eta = np.insert(block @ slopes.T, 0, 0.0, axis=1)
        chance = softmax(eta)
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


# Categories in order, from terms: the proportional odds model.


@limit_to_one_thread()
def fit_ordered(axes: Axes, y: Codes, cuts: Sequence[str]) -> Coefficients | Unfit:
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
    if apart := _separating_ordered(axes, y, n_classes):
        return Unfit(separation_reason(apart), n)
    sizes = np.bincount(y, minlength=n_classes)
    below = np.cumsum(sizes)[:-1] / n
    start = np.concatenate((np.log(below / (1 - below)), np.zeros(len(axes.labels))))
    found = lowest(lambda flat: _ordered_loss(flat, axes, y, sizes), start)
    if why := why_unfit(axes, found, _ordered_lines(found, len(cuts))):
        return Unfit(why, n)
    turn = np.diag(np.concatenate((np.ones(len(cuts)), 1 / axes.scale)))
    turn[: len(cuts), len(cuts) :] = axes.mean / axes.scale
    return Coefficients(
        restore_coefficients((*cuts, *axes.labels), found.place, found.covariance, turn), n
    )


def _ordered_lines(found: Lowest, n_cuts: int) -> list[Line]:
    """Each cut less the slopes times the terms, as they were found."""
    sign = np.append(1.0, np.full(len(found.place) - n_cuts, -1.0))
    slopes = np.arange(n_cuts, len(found.place))
    parts = [np.append(cut, slopes) for cut in range(n_cuts)]
    return [
        (sign * found.place[part], np.outer(sign, sign) * found.covariance[np.ix_(part, part)])
        for part in parts
    ]


def _separating_ordered(axes: Axes, y: Codes, n_classes: int) -> list[str]:
    """Levels whose records, or whose other records, are all in the first or the last class."""
    ones = ones_by_class(axes, y, n_classes)
    zeros = np.bincount(y, minlength=n_classes) - ones
    ends = [0, n_classes - 1]
    apart = np.zeros(len(ones), bool)
    for part in (ones, zeros):
        apart |= (part.sum(axis=1)[:, None] == part[:, ends]).any(axis=1)
    columns = zip(axes.design.columns, apart, strict=True)
    return [column.label for column, is_apart in columns if is_apart and column.is_indicator]


def _ordered_loss(flat: Floats, axes: Axes, y: Codes, sizes: Codes) -> tuple[float, Floats, Floats]:
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
