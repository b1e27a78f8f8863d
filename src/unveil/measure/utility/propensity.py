"""By what may a model tell a copy from the original? The columns of both, in a model's terms.

A number that is missing becomes 0 and an indicator says so, and so does each special code, as in
synthpop's utility.gen; a missing category is a level. Only columns that differ somewhere take part.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import prod
from statistics import fmean, stdev
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.centring import centre
from unveil.errors import SettingsError
from unveil.measure.utility.table_statistics import discrimination_of_scores
from unveil.models.tree import Leaves, Predictor, grow_rpart_trees
from unveil.seeding import stream
from unveil.study.kinds import ComparedVariable, UtilityData


@dataclass(frozen=True, eq=False)
class Term:
    """A column with its levels, the number of each where it is one, and the column it came from."""

    predictor: Predictor
    values: Floats | None  # of each level; None: a category
    source: int


@dataclass(frozen=True, eq=False)
class PropensityFit:
    """What a model found out: squared distance of the propensity from its share, and the rest."""

    pMSE: float
    SPECKS: float
    PO50: float
    U: float
    n_leaves: int | None = None
    df: int | None = None
    is_separated: bool = False


def terms(opened: UtilityData, sides: Sequence[int]) -> list[Term]:
    """All columns of these sides, one below the other; constant ones are left out."""
    slices = [opened.sides.slices[side] for side in sides]
    rows = np.concatenate([np.arange(part.start, part.stop) for part in slices])
    return [
        term
        for source, variable in enumerate(opened.variables)
        for term in _terms_of(variable, rows, source)
        if term.predictor.n_levels > 1
    ]


def _terms_of(variable: ComparedVariable, rows: NDArray[np.intp], source: int) -> Iterator[Term]:
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


def _small(codes: Ints) -> NDArray[np.unsignedinteger]:
    """Codes in the smallest type that holds them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def labels(opened: UtilityData, sides: Sequence[int]) -> Mask:
    """Which records are of the second side."""
    return np.repeat([False, True], [opened.sides.rows[side] for side in sides])


def pmse(n: Ints, p: Floats, share: float) -> float:
    """Mean squared distance of the propensity from the share of copies: Snoke and others 2018, (1).

    Of groups of `n` records that have the propensity p each.
    """
    return float((n * (p - share) ** 2).sum() / n.sum())


def fit_of(
    td: Ints,
    ts: Ints,
    p: Floats,
    *,
    n_leaves: int | None = None,
    df: int | None = None,
    is_separated: bool = False,
) -> PropensityFit:
    """The figures of a model: groups of records of original and copy that have a propensity."""
    told = discrimination_of_scores(td, ts, p)
    specks, po50, u = (float(figure[0]) for figure in (told.SPECKS, told.PO50, told.U))
    value = pmse(td + ts, p, float(ts.sum() / (td + ts).sum()))
    return PropensityFit(value, specks, po50, u, n_leaves, df, is_separated)


# The matrix of a logistic model of main effects and of interactions up to some order.


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


# A logistic model that tells copy from original, fitted by Newton's steps.


MOST_STEPS = 60
SETTLED = 1e-10  # change of the deviance at which the fit has settled
CERTAIN = 14.0  # log odds beyond which a record is told apart with certainty
ALIASED = 1e-7  # R's tolerance for columns that say nothing new
PIECE = 4_096  # records weighed at once
TOGETHER = 64  # columns looked at together for what is new in them
DIGITS = 11  # equal records have equal propensities but for rounding


def logit_fit(terms: Sequence[Term], is_synthetic: Mask, order: int) -> PropensityFit:
    """The figures of a logistic propensity model.

    Notes
    -----
    Columns that are sums of others take no part, as in R: df counts the parameters that are left,
    without the intercept. Where some records can be told apart with certainty there is no largest
    likelihood; steps end when the deviance no longer changes, which settles pMSE all the same.

    References
    ----------
    Snoke, Raab, Nowok, Dibben and Slavkovic (2018), equations 1 and 2.
    """
    matrix = _independent(design(terms, order, len(is_synthetic)))
    log_odds = _fit_log_odds(matrix, is_synthetic.astype(np.float64))
    p, group = np.unique(np.round(_expit(log_odds), DIGITS), return_inverse=True)
    ts = np.bincount(group[is_synthetic], minlength=len(p))
    td = np.bincount(group[~is_synthetic], minlength=len(p))
    is_separated = bool((np.abs(log_odds) > CERTAIN).any())
    return fit_of(td, ts, p, df=matrix.shape[1] - 1, is_separated=is_separated)


def _expit(log_odds: Floats) -> Floats:
    made: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))
    return made


def _independent(matrix: Floats) -> Floats:
    """The matrix without the columns that are sums of those before them, or all 0.

    A column stays where more than 1e-7 of its length is new, first come first kept, as in the
    pivoting of R's dqrdc2: a column that says nothing new takes no direction from those behind it.
    """
    n_rows, n_columns = matrix.shape
    known = np.empty((n_rows, min(n_rows, n_columns)), order="F")  # directions of length 1
    kept: list[int] = []
    for start in range(0, n_columns, TOGETHER):
        piece = matrix[:, start : start + TOGETHER].copy()
        length = np.sqrt((piece**2).sum(axis=0))
        filled = np.flatnonzero(length > 0)
        piece = _rest(piece[:, filled] / length[filled], known[:, : len(kept)])
        first = len(kept)
        for place, column in zip(filled.tolist(), piece.T, strict=True):
            left = _rest(column, known[:, first : len(kept)])
            size = float(np.sqrt(left @ left))
            if size > ALIASED and len(kept) < n_rows:
                # Once more against all: what is left may be small beside its rounding.
                left = _rest(left / size, known[:, : len(kept)])
                known[:, len(kept)] = left / np.sqrt(left @ left)
                kept.append(start + place)
    return matrix if len(kept) == n_columns else matrix[:, kept]


def _rest(columns: Floats, known: Floats) -> Floats:
    """What of columns is along none of the known directions."""
    rest: Floats = columns - known @ (known.T @ columns)
    return rest


def _fit_log_odds(matrix: Floats, label: Floats) -> Floats:
    """The log odds of every record, where the likelihood is largest."""
    share = label.mean()
    log_odds = np.full(len(label), np.log(share / (1 - share)))
    deviance = _deviance(log_odds, label)
    for _ in range(MOST_STEPS):
        step = matrix @ _newton(matrix, log_odds, label)
        size = 1.0
        most = deviance * (1 + 1e-13)  # but for rounding
        while (after := _deviance(log_odds + size * step, label)) > most and size > 1e-3:
            size /= 2
        if after > most:
            break
        log_odds = log_odds + size * step
        is_settled = deviance - after <= max(SETTLED, 1e-13 * after)
        deviance = after
        if is_settled:
            break
    return log_odds


def _newton(matrix: Floats, log_odds: Floats, label: Floats) -> Floats:
    """The coefficients of one step; the shortest where there are many, as under separation."""
    from scipy.linalg import cho_factor, cho_solve

    p = _expit(log_odds)
    slope = matrix.T @ (label - p)
    hessian = np.zeros((matrix.shape[1], matrix.shape[1]))
    for start in range(0, len(p), PIECE):
        rows = slice(start, start + PIECE)
        hessian += matrix[rows].T @ (matrix[rows] * (p[rows] * (1 - p[rows]))[:, None])
    try:
        step: Floats = cho_solve(cho_factor(hessian), slope)
    except np.linalg.LinAlgError:
        step = np.linalg.lstsq(hessian, slope, rcond=1e-14)[0].astype(np.float64)
    return step


def _deviance(log_odds: Floats, label: Floats) -> float:
    """Minus twice the log likelihood."""
    return float(2 * np.logaddexp(0.0, np.where(label > 0, -log_odds, log_odds)).sum())


# How large is pMSE by chance alone? Trees of permuted labels, in threads, from one seed.
#
# Which permutation is drawn depends on the seed, the copy and its number, and on nothing else:
# not on how many threads there are, nor on how many trees are grown side by side.


Given = TypeVar("Given")
Made = TypeVar("Made")

SIDE_BY_SIDE = 2**18
"""Trees are grown together up to so many records: few large steps keep all threads busy."""


def pmse_of(leaves: Leaves) -> float:
    """The pMSE of a tree."""
    n, n_synthetic = leaves.n, leaves.n_synthetic
    return pmse(n, n_synthetic / n, float(n_synthetic.sum() / n.sum()))


def permuted_pmse(
    columns: Sequence[Predictor], label: Mask, n: int, path: tuple[int | str, ...], workers: int
) -> list[float]:
    """The pMSE of trees of `n` permuted labels; `path` is the seed and what it is for."""
    together = max(1, min(SIDE_BY_SIDE // len(label), math.ceil(n / workers)))
    batches = [range(n)[start : start + together] for start in range(0, n, together)]

    def grown(batch: range) -> list[float]:
        drawn = [_permutation(label, path, number) for number in batch]
        return [pmse_of(leaves) for leaves in grow_rpart_trees(columns, drawn)]

    return [value for batch in run_in_threads(grown, batches, workers) for value in batch]


def _permutation(label: Mask, path: tuple[int | str, ...], number: int) -> Mask:
    seed, *names = path
    permuted_label: Mask = stream(int(seed), *names, "permutation", number).permutation(label)
    return permuted_label


def run_in_threads(
    work: Callable[[Given], Made], given: Iterable[Given], workers: int
) -> list[Made]:
    """What work makes of each, in order."""
    if workers == 1:
        return [work(one) for one in given]
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(work, given))


def standardise_pmse(value: float, by_chance: Sequence[float]) -> tuple[float | None, float | None]:
    """S_pMSE and its Monte Carlo error: pMSE over half the mean of pMSE of permuted labels.

    Notes
    -----
    Half, because permuted labels make two samples of one distribution, and a copy drawn from the
    true model varies half as much about a given original: Raab, Nowok and Dibben (2021), section
    2.3; synthpop 1.9-3, utility.gen. That is so for files of one size (c = 1/2): for others the
    share that is left is not 1/2, and a tree, which is paid for by errors, hardly cuts where most
    records are of one file. The error is by the delta method. None where all permuted trees are
    bare roots, or, for the error, where there is one permutation.
    """
    mean = fmean(by_chance) if by_chance else 0.0
    if not mean:
        return None, None
    ratio = value / (mean / 2)
    if len(by_chance) < 2:
        return ratio, None
    return ratio, ratio * stdev(by_chance) / math.sqrt(len(by_chance)) / mean


def mean_of_pairs(value: float, between: Sequence[float]) -> float | None:
    """By pairs: twice a figure over its mean between copies; None where that is 0."""
    mean = float(np.mean(between)) if between else 0.0
    return 2 * value / mean if mean else None
