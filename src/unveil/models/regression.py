"""The regressions: linear, logistic, multinomial and ordered; for drawing and with standard errors.

For drawing, columns are dummies without end and a ridge stands where classes are separated; with
standard errors, columns are those of a formula, and a model that has no finite coefficients is
none. The likelihoods are the same (`likelihood`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints
from unveil.count.centring import centre
from unveil.count.threads import limit_to_one_thread
from unveil.errors import list_names
from unveil.models.array_record import ArrayRecord
from unveil.models.axes import Axes, Basis, Sparse, basis_of, is_indicator, pieces
from unveil.models.likelihood import (
    Codes,
    Minimum,
    Pieces,
    climb,
    count_classes,
    gap_slopes,
    minimise,
    multinomial,
    ordered,
    separates,
    softmax,
)

# A number, from columns: least squares.


@dataclass(frozen=True)
class RegressionFit(ArrayRecord):
    """Intercepts and coefficients (columns x classes, or columns), and how they were found."""

    intercept: Floats
    coefficients: Floats
    ridge: float = 0.0
    converged: bool = True
    dropped: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def least_squares(
    look: Callable[[], Pieces], z: Floats, basis: Basis
) -> tuple[float, Floats, float]:
    """Intercept, coefficients of the kept columns, and the sum of squared residuals."""
    along = sum(x.T @ z[rows] for rows, x in look()) / len(z)
    coefficients = basis.coefficients(basis.turn(along - basis.mean * z.mean()))
    intercept = float(z.mean() - float((basis.mean * coefficients).sum()))
    residuals = (z[rows] - x @ coefficients - intercept for rows, x in look())
    return intercept, coefficients, sum(float((some**2).sum()) for some in residuals)


@limit_to_one_thread()
def fit_line(
    x: Sparse, z: Floats, *, basis: Basis | None = None, ridge: float = 0.0
) -> tuple[RegressionFit, float]:
    """Least squares with an intercept, and the residual standard deviation.

    Notes
    -----
    sigma^2 = sum of squared residuals / (n - p - 1), p the columns that carry something of their
    own; with no degree of freedom left it is 0. No ridge is needed: what others determine is left
    out. With one, coefficients b are those of least squares + ridge / 2 * sum of b^2.
    """
    basis = basis or basis_of(x, ridge)
    kept = x if len(basis.kept) == x.shape[1] else x[:, basis.kept]
    intercept, coefficients, squares = least_squares(lambda: [(slice(None), kept)], z, basis)
    free = len(z) - len(basis.kept) - 1
    sigma = float(np.sqrt(squares / free)) if free > 0 else 0.0
    spread = basis.expand(coefficients)
    return RegressionFit(np.array([intercept]), spread, ridge, dropped=basis.dropped), sigma


def fit_ridge(products: Floats, sums: Floats, penalty: float) -> Floats:
    """Ridge regression from the sums of products: (X'X + penalty I)^-1 X'y."""
    return np.linalg.solve(products + penalty * np.eye(len(sums)), sums).astype(np.float64)


def fit_plane(x: Floats, y: Floats) -> tuple[Floats, float, Floats]:
    """Slopes, intercept and residuals of least squares on a few columns, by their singular values.

    Slower than `fit_line`, but the difference of two dates is not lost beside either of them: no
    covariance is formed, which would cost half of the digits.
    """
    middle, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale == 0] = 1.0
    scaled = (x - middle) / scale
    turned = np.linalg.lstsq(scaled, y - y.mean(), rcond=1e-9)[0]
    slopes = turned / scale
    return slopes, float(y.mean() - middle @ slopes), y - y.mean() - scaled @ turned


# Categories, from dummies without end: fitted to be drawn from.
#
# Columns are made uncorrelated before climbing, so that few steps are enough. Nothing as large as
# records x classes is ever held: rows are taken in pieces. Where a class is sure to be absent (no
# one of a level has it, say), the likelihood has no highest point; a small ridge gives it one.


RIDGE = 0.04
"""Where classes are separated, coefficients of each class have a normal prior of this precision."""
RUN_OFF = 15.0
"""A log-odds beyond this, for a step of one standard deviation, is on its way to infinity."""


class _SoftmaxLoss:
    """Less log-likelihood per record, and its gradient, along axes where it is well rounded.

    All classes are treated alike: none is the baseline. The curvature at the start is about
    share (1 - share) for a class: axes are stretched by its root.
    """

    is_ordered = False

    def __init__(self, x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> None:
        n = len(y)
        self.y, self.n, self.basis, self.ridge = y, n, basis, ridge / n
        self.pieces = list(pieces(x, n_classes))
        self.share = np.bincount(y, minlength=n_classes) / n
        self.stretch = 1 / np.sqrt(self.share * (1 - self.share))
        self.seen = count_classes(self.pieces, y, n_classes) / n
        self.shape = (len(basis.kept) + 1, n_classes)
        self.n_numbers = (n + x.shape[1] ** 2) * n_classes

    def start(self) -> Floats:
        """No predictor matters: intercepts by shares."""
        start = np.zeros(self.shape)
        start[0] = np.log(self.share) / self.stretch
        return start.ravel()

    def unpack(self, flat: Floats) -> tuple[Floats, Floats]:
        """Intercepts and coefficients of the kept columns as they stand."""
        both = flat.reshape(self.shape) * self.stretch
        coefficients = self.basis.coefficients(both[1:])
        return both[0] - self.basis.mean @ coefficients, coefficients

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        intercept, coefficients = self.unpack(flat)
        found = multinomial(self.pieces, self.y, intercept, coefficients)
        penalty = 0.5 * self.ridge * float((coefficients**2).sum())
        slope = found.by_intercept / self.n - self.share
        along = found.by_coefficient / self.n - self.seen + self.ridge * coefficients
        along -= np.outer(self.basis.mean, slope)
        gradient = np.vstack((slope, self.basis.turn(along))) * self.stretch
        return penalty - found.value / self.n, gradient.ravel()


class _CumulativeLoss:
    """Less log-likelihood per record, and its gradient, in slopes, first cut and log of gaps."""

    is_ordered = True

    def __init__(self, x: Sparse, y: Codes, n_classes: int, basis: Basis, ridge: float) -> None:
        self.y, self.n, self.basis, self.ridge = y, len(y), basis, ridge / len(y)
        self.pieces = list(pieces(x, 8))
        self.sizes = np.bincount(y, minlength=n_classes)
        self.n_cuts = n_classes - 1
        self.n_numbers = 8 * len(y)

    def start(self) -> Floats:
        """No predictor matters: cuts by shares."""
        below = np.cumsum(self.sizes / self.n)[:-1]
        cuts = np.log(below) - np.log1p(-below)
        gaps = np.log(np.maximum(np.diff(cuts), 1e-8))
        return np.concatenate((cuts[:1], gaps, np.zeros(len(self.basis.kept))))

    def gaps(self, flat: Floats) -> Floats:
        """The steps from cut to cut, neither 0 nor infinite."""
        return np.exp(np.clip(flat[1 : self.n_cuts], -700, 50))

    def unpack(self, flat: Floats) -> tuple[Floats, Floats]:
        """Cuts and coefficients of the kept columns as they stand."""
        steps = np.concatenate((flat[:1], self.gaps(flat)))
        coefficients = self.basis.coefficients(flat[self.n_cuts :])
        return np.cumsum(steps) + self.basis.mean @ coefficients, coefficients

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        (cuts, coefficients), gaps = self.unpack(flat), self.gaps(flat)
        found = ordered(self.pieces, self.y, cuts, coefficients, gaps)
        by_step = np.cumsum(found.by_intercept[::-1])[::-1]
        by_gap = (by_step[1:] + gap_slopes(self.sizes, gaps)) * gaps
        along = found.by_coefficient + self.basis.mean * by_step[0]
        along = along / self.n - self.ridge * coefficients
        gradient = np.concatenate((by_step[:1] / self.n, by_gap / self.n, self.basis.turn(along)))
        penalty = 0.5 * self.ridge * float((coefficients**2).sum())
        return penalty - found.value / self.n, -gradient


Loss = type[_SoftmaxLoss] | type[_CumulativeLoss]


@limit_to_one_thread()
def _fit_dummies(
    kind: Loss, x: Sparse, y: Codes, n_classes: int, ridge: float | None = None
) -> RegressionFit:
    """Fit to the columns that carry something; with a ridge, or where classes are separated."""
    basis = basis_of(x, ridge or 0.0)
    kept = x if len(basis.kept) == x.shape[1] else x[:, basis.kept]

    def fit(ridge: float) -> RegressionFit:
        loss = kind(kept, y, n_classes, basis, ridge)
        flat, converged = climb(loss, loss.start(), loss.n_numbers)
        intercept, coefficients = loss.unpack(flat)
        spread = basis.expand(coefficients)
        return RegressionFit(intercept, spread, ridge, converged, basis.dropped)

    if ridge is not None:
        return fit(ridge)
    if is_separated(kept, y, n_classes, is_ordered=kind.is_ordered):
        return fit(RIDGE)
    free = fit(0.0)
    ran_off = bool(np.abs(free.coefficients).max(initial=0.0) > RUN_OFF)
    return fit(RIDGE) if ran_off else free


def is_separated(x: Sparse, y: Codes, n_classes: int, *, is_ordered: bool = False) -> bool:
    """Whether some indicator separates the classes."""
    ones = count_classes(pieces(x, n_classes), y, n_classes)[is_indicator(x)]
    sizes = np.bincount(y, minlength=n_classes)
    return bool(separates(ones, sizes, is_ordered=is_ordered).any())


def fit_softmax(
    x: Sparse, y: Codes, n_classes: int, *, ridge: float | None = None
) -> RegressionFit:
    """The coefficients under which classes without an order are most likely.

    Notes
    -----
    Maximises sum of log P(y_i | x_i) - ridge / 2 * sum of b^2, with ridge 0 unless one is given or
    classes are separated: an indicator's ones, or its zeros, have none of some class; or a
    coefficient of the fit without ridge runs off. Every class must occur. Columns should be of the
    order of 1.

    References
    ----------
    The likelihood is that of McCullagh and Nelder (1989), 5.2.4. Boehning (1992) bounds its
    curvature by the covariance of the columns, hence the change of axes.
    """
    return _fit_dummies(_SoftmaxLoss, x, y, n_classes, ridge)


def softmax_probabilities(fit: RegressionFit, x: Sparse) -> Floats:
    """P(class | row) for some rows."""
    return softmax(x @ fit.coefficients + fit.intercept)


def draw_softmax(fit: RegressionFit, x: Sparse, rng: np.random.Generator) -> Codes:
    """A class for each row, drawn by its probabilities."""
    chance = rng.random(x.shape[0])
    classes = np.empty(x.shape[0], np.int64)
    for rows, some in pieces(x, len(fit.intercept)):
        up_to = np.cumsum(softmax_probabilities(fit, some), axis=1)
        # The last sum is 1 but for rounding; drawing below it leaves no row without a class.
        classes[rows] = (chance[rows, None] * up_to[:, -1:] >= up_to).sum(axis=1)
    return np.minimum(classes, len(fit.intercept) - 1)


def fit_binary(x: Sparse, y: Codes, n_classes: int) -> RegressionFit:
    """The log-odds of the second class: the multinomial model of two, by their difference."""
    both = fit_softmax(x, y, n_classes)
    intercept, coefficients = np.diff(both.intercept), np.diff(both.coefficients)[:, 0]
    return RegressionFit(intercept, coefficients, both.ridge, both.converged, both.dropped)


def probability(fit: RegressionFit, x: Sparse) -> Floats:
    """P(second class | row) = 1 / (1 + exp(-a - x b))."""
    from scipy.special import expit

    chance: Floats = expit(x @ fit.coefficients + fit.intercept)
    return chance


def draw_binary(fit: RegressionFit, x: Sparse, rng: np.random.Generator) -> Codes:
    """0 or 1 for each row."""
    chance = probability(fit, x)
    return (rng.random(len(chance)) < chance).astype(np.int64)


def fit_cumulative(x: Sparse, y: Codes, n_classes: int) -> RegressionFit:
    """The slopes and cuts under which classes in order are most likely; cuts are the intercepts.

    The ridge is as in `fit_softmax`. Every class must occur. McCullagh (1980), equation 2.1 with
    the logistic link.
    """
    return _fit_dummies(_CumulativeLoss, x, y, n_classes)


def draw_cumulative(fit: RegressionFit, x: Sparse, rng: np.random.Generator) -> Codes:
    """A class for each row: x b plus logistic noise falls between two cuts."""
    noisy = x @ fit.coefficients + rng.logistic(size=x.shape[0])
    classes: Codes = np.searchsorted(fit.intercept, noisy, side="left")
    return classes


# With standard errors, from the columns of a formula: coefficients, or why there are none.


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
class FitFailure:
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
        f"{list_names(labels, 6)} {'separates' if len(labels) == 1 else 'separate'} the levels of"
        " the outcome, so that no finite coefficient is the most likely"
    )


SEPARATED = (
    "the terms separate the levels of the outcome, so that no finite coefficient is the most likely"
)
UNSETTLED = "no most likely coefficients were found: too little holds them"


@limit_to_one_thread()
def fit_linear(axes: Axes, y: Floats) -> Coefficients | FitFailure:
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
        return FitFailure(f"so few records ({n:,}) are not enough for {p + 1:,} coefficients", n)
    middle = centre(y)
    basis = axes.basis
    _, slopes, squares = least_squares(axes.blocks, middle.deviations(y), basis)
    variance = squares / (n - p - 1)
    covariance = np.zeros((p + 1, p + 1))
    covariance[0, 0] = variance / n
    covariance[1:, 1:] = variance / n * basis.coefficients(basis.turn(np.eye(p)))
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


def why_unfit(axes: Axes, found: Minimum, lines: list[Line]) -> str | None:
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
    for _, block in axes.blocks():
        with_ones = np.insert(block, 0, 1.0, axis=1)
        for _, covariance in lines:
            variance = np.einsum("ij,ij->i", with_ones @ covariance, with_ones)
            worst = max(worst, float(variance.max(initial=0.0)))
    return float(np.sqrt(worst))


def _farthest(axes: Axes, lines: list[Line]) -> float:
    """The largest linear predictor of any record, signs aside."""
    return max(
        (float(np.abs(_predict(axes, line)).max(initial=0.0)) for line, _ in lines), default=0
    )


def _predict(axes: Axes, line: Floats) -> Floats:
    """A linear predictor, of every record."""
    return np.concatenate([block @ line[1:] + line[0] for _, block in axes.blocks()])


# Categories without an order, from terms: logistic and multinomial regression.


@limit_to_one_thread()
def fit_classes(axes: Axes, y: Codes, labels: Sequence[str]) -> Coefficients | FitFailure:
    """The log-odds of every class against the first, by maximum likelihood.

    `y` holds 0 to K - 1, all of which occur. `labels` has, for each class but the first, what its
    terms begin with ("" for the logistic model of two).

    Notes
    -----
    log P(y = k | x) / P(y = 0 | x) = a_k + x b_k. Standard errors are the roots of the diagonal of
    the inverse observed information. There is no finite maximum where the terms separate the
    classes; a level without, or with all, of a class is found and named beforehand, anything else
    afterwards (`why_unfit`).

    References
    ----------
    McCullagh and Nelder (1989), Generalized Linear Models, 4.4 and 5.2.4; Albert and Anderson
    (1984) for separation. What R calls `glm(family = binomial)` and `nnet::multinom`.
    """
    n_classes = len(labels) + 1
    if apart := _separating_levels(axes, y, n_classes, is_ordered=False):
        return FitFailure(separation_reason(apart), len(y))
    found, lines = _most_likely_classes(axes, y, n_classes)
    if why := why_unfit(axes, found, lines):
        return FitFailure(why, len(y))
    turn: Floats = np.kron(np.eye(n_classes - 1), unscale_coefficients(axes)).astype(np.float64)
    terms = [f"{label}{term}" for label in labels for term in (INTERCEPT, *axes.labels)]
    return Coefficients(restore_coefficients(terms, found.place, found.covariance, turn), len(y))


@limit_to_one_thread()
def fit_log_odds(axes: Axes, y: Codes) -> tuple[Floats, bool]:
    """The log-odds of the second of two classes for every record, and whether terms separate them.

    Where they do, log-odds are on their way to infinity, and the chances have settled.
    """
    found, lines = _most_likely_classes(axes, y, 2)
    return _predict(axes, found.place), why_unfit(axes, found, lines) == SEPARATED


def _most_likely_classes(axes: Axes, y: Codes, n_classes: int) -> tuple[Minimum, list[Line]]:
    """The log-odds of every class against the first, as coefficients and as lines."""
    shape = (n_classes - 1, len(axes.labels) + 1)
    sizes = np.bincount(y, minlength=n_classes)
    seen = np.vstack((sizes, count_classes(axes.blocks(), y, n_classes)))
    start = np.zeros(shape)
    start[:, 0] = np.log(sizes[1:] / sizes[0])

    def look(flat: Floats) -> tuple[float, Floats, Any]:
        both = np.insert(flat.reshape(shape), 0, 0.0, axis=0).T
        found = multinomial(axes.blocks(), y, both[0], both[1:], is_curved=True)
        fitted = np.vstack((found.by_intercept, found.by_coefficient))
        gradient = np.asarray((fitted - seen)[:, 1:].T.ravel(), np.float64)
        return -found.value, gradient, found.curvature

    found = minimise(look, start.ravel())
    parts = [slice(start, start + shape[1]) for start in range(0, len(found.place), shape[1])]
    return found, [(found.place[part], found.covariance[part, part]) for part in parts]


def _separating_levels(axes: Axes, y: Codes, n_classes: int, *, is_ordered: bool) -> list[str]:
    """The levels that separate the classes by themselves."""
    ones = count_classes(axes.design.blocks(), y, n_classes)
    apart = separates(ones, np.bincount(y, minlength=n_classes), is_ordered=is_ordered)
    columns = zip(axes.design.columns, apart, strict=True)
    return [column.label for column, is_apart in columns if is_apart and column.is_indicator]


# Categories in order, from terms: the proportional odds model.


@limit_to_one_thread()
def fit_ordered(axes: Axes, y: Codes, cuts: Sequence[str]) -> Coefficients | FitFailure:
    """One slope for each term and a cut between each two classes, by maximum likelihood.

    `y` holds 0 to K - 1, all of which occur; `cuts` are the names of the K - 1 cuts.

    Notes
    -----
    P(y <= k | x) = 1 / (1 + exp(x b - cut_k)). Standard errors are those of the inverse observed
    information.

    References
    ----------
    McCullagh (1980), equation 2.1 with the logistic link. What R calls `MASS::polr`: the sign of
    the slopes is the same.
    """
    n_cuts, n = len(cuts), len(y)
    if apart := _separating_levels(axes, y, n_cuts + 1, is_ordered=True):
        return FitFailure(separation_reason(apart), n)
    sizes = np.bincount(y, minlength=n_cuts + 1)
    below = np.cumsum(sizes)[:-1] / n
    start = np.concatenate((np.log(below / (1 - below)), np.zeros(len(axes.labels))))
    found = minimise(partial(_ordered_loss, axes, y, sizes), start)
    if why := why_unfit(axes, found, _ordered_lines(found, n_cuts)):
        return FitFailure(why, n)
    turn = np.diag(np.concatenate((np.ones(n_cuts), 1 / axes.scale)))
    turn[:n_cuts, n_cuts:] = axes.mean / axes.scale
    return Coefficients(
        restore_coefficients((*cuts, *axes.labels), found.place, found.covariance, turn), n
    )


def _ordered_lines(found: Minimum, n_cuts: int) -> list[Line]:
    """Each cut less the slopes times the terms, as they were found."""
    sign = np.append(1.0, np.full(len(found.place) - n_cuts, -1.0))
    slopes = np.arange(n_cuts, len(found.place))
    parts = [np.append(cut, slopes) for cut in range(n_cuts)]
    return [
        (sign * found.place[part], np.outer(sign, sign) * found.covariance[np.ix_(part, part)])
        for part in parts
    ]


def _ordered_loss(axes: Axes, y: Codes, sizes: Ints, flat: Floats) -> tuple[float, Floats, Any]:
    """Less log-likelihood, its gradient and its curvature in cuts and slopes."""
    cuts, slopes = flat[: len(sizes) - 1], flat[len(sizes) - 1 :]
    gaps = np.diff(cuts)
    if (gaps <= 0).any():
        return np.inf, flat, np.empty((0, 0))
    found = ordered(axes.blocks(), y, cuts, slopes, gaps, is_curved=True)
    rise = np.pad(gap_slopes(sizes, gaps), 1)
    by_cut = found.by_intercept - np.diff(rise)
    return -found.value, -np.concatenate((by_cut, found.by_coefficient)), found.curvature
