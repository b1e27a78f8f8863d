"""By what may a model tell synthetic data from the original? Both, in a model's terms.

A number that is missing becomes 0 and an indicator says so, and so does each special code, as in
synthpop's utility.gen; a missing category is a level. Only columns that differ somewhere take part.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from statistics import fmean, stdev
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.centring import centre
from unveil.count.codes import CodedColumn, level_labels
from unveil.count.packing import smallest
from unveil.errors import SettingsError
from unveil.measure.utility.data import UtilityData
from unveil.measure.utility.table_statistics import discrimination_of_scores
from unveil.models.axes import Design, DesignColumn, LevelTerm, NumberTerm, axes_of
from unveil.models.regression import fit_log_odds
from unveil.models.tree import Leaves, Predictor, grow_rpart_trees
from unveil.seeding import sample_rows, stream


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


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """The records that are compared: by side, their places in the encoded columns."""

    opened: UtilityData
    rows: tuple[Ints, ...]

    @classmethod
    def of(
        cls, opened: UtilityData, sample: int | None = None, path: tuple[int | str, ...] = (0,)
    ) -> "ComparedRows":
        """All records, or `sample` of the largest side and as large a share of the others."""
        most = max(opened.sides.rows)
        whole = tuple(np.arange(part.start, part.stop) for part in opened.sides.slices)
        if sample is None or most <= sample:
            return cls(opened, whole)
        seed, *names = path
        return cls(
            opened,
            tuple(
                sample_rows(rows, max(round(len(rows) * sample / most), 1), int(seed), *names, side)
                for side, rows in enumerate(whole)
            ),
        )

    def terms(self, sides: Sequence[int]) -> list[Term]:
        """All columns of these sides, one below the other; constant ones are excluded."""
        rows = np.concatenate([self.rows[side] for side in sides])
        return [
            term
            for source, variable in enumerate(self.opened.variables)
            for term in _terms_of(variable, rows, source)
            if term.predictor.n_levels > 1
        ]

    def labels(self, sides: Sequence[int]) -> Mask:
        """Which records are of the second side."""
        return np.repeat([False, True], [len(self.rows[side]) for side in sides])


def _terms_of(variable: CodedColumn, rows: Ints, source: int) -> Iterator[Term]:
    codes = variable.codes[rows]
    if not variable.is_scaled:
        yield Term(_predictor(variable.name, codes, is_ordered=False), None, source)
        return
    distinct, place = np.unique(variable.amounts, return_inverse=True)
    found, numbers = np.unique(place.astype(np.uint32)[codes], return_inverse=True)
    yield Term(
        Predictor(variable.name, smallest(numbers), len(found), is_ordered=True),
        distinct[found],
        source,
    )
    others = np.flatnonzero(~variable.is_ordinary)
    told = level_labels(variable) if len(others) else []
    for level in others:
        name = f"{variable.name} ({told[level] or 'missing'})"
        indicator = _predictor(name, (codes == level).view(np.uint8), is_ordered=True)
        yield Term(indicator, np.arange(2.0), source)


def _predictor(name: str, codes: NDArray[np.unsignedinteger], *, is_ordered: bool) -> Predictor:
    """The codes with only the levels that occur."""
    found, place = np.unique(codes, return_inverse=True)
    return Predictor(name, smallest(place), len(found), is_ordered)


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


# A logistic model of main effects, and of interactions up to some order.


MOST_NUMBERS = 2**26
"""So many numbers may the columns of a model have over all records."""
DIGITS = 11  # equal records have equal propensities but for rounding


def design(terms: Sequence[Term], order: int, n_rows: int) -> Design:
    """The columns of the model.

    A category has an indicator for each level but the first, a number its value in standard
    deviations from its mean, which changes no propensity. An interaction is the product of columns
    that come from different variables: products within one are 0 or were there before.
    """
    by_source: dict[int, list[NumberTerm | LevelTerm]] = {}
    for term in terms:
        by_source.setdefault(term.source, []).extend(_columns(term))
    chosen = [some for k in range(1, order + 1) for some in combinations(by_source.values(), k)]
    n_columns = 1 + sum(prod(map(len, some)) for some in chosen)
    if n_columns * n_rows > MOST_NUMBERS:
        raise SettingsError(
            f"The logistic model would have {n_columns:,} parameters for {n_rows:,} records, more"
            " than fits into memory. Name fewer columns, omit those with many levels, take"
            ' fewer interactions, or model="cart".'
        )
    columns = [DesignColumn("", parts) for some in chosen for parts in product(*some)]
    return Design(tuple(columns), n_rows)


def _columns(term: Term) -> list[NumberTerm | LevelTerm]:
    codes = term.predictor.codes
    if term.values is None:
        return [LevelTerm(codes, level) for level in range(1, term.predictor.n_levels)]
    numbers = term.values[codes]
    return [NumberTerm(centre(numbers).standardise(numbers))]


def fit_logit(terms: Sequence[Term], is_synthetic: Mask, order: int) -> PropensityFit:
    """The figures of a logistic propensity model.

    Notes
    -----
    Columns that are sums of others take no part, as in R: df counts the parameters that are left,
    without the intercept. Where some records can be told apart with certainty there is no largest
    likelihood; steps end when the propensities no longer change, which settles pMSE all the same.

    References
    ----------
    Snoke, Raab, Nowok, Dibben and Slavkovic (2018), equations 1 and 2.
    """
    from scipy.special import expit

    axes = axes_of(design(terms, order, len(is_synthetic)))
    log_odds, is_separated = fit_log_odds(axes, is_synthetic.astype(np.int64))
    p, group = np.unique(np.round(expit(log_odds), DIGITS), return_inverse=True)
    ts = np.bincount(group[is_synthetic], minlength=len(p))
    td = np.bincount(group[~is_synthetic], minlength=len(p))
    return fit_of(td, ts, p, df=len(axes.labels), is_separated=is_separated)


# How large is pMSE by chance alone? Trees of permuted labels, in threads, from one seed.
#
# Which permutation is drawn depends on the seed, synthetic data and its number, and on nothing
# else: not on how many threads there are, nor on how many trees are grown side by side.


ItemT = TypeVar("ItemT")
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

    def grow(batch: range) -> list[float]:
        drawn = [_permutation(label, path, number) for number in batch]
        return [pmse_of(leaves) for leaves in grow_rpart_trees(columns, drawn)]

    return [value for batch in run_in_threads(grow, batches, workers) for value in batch]


def _permutation(label: Mask, path: tuple[int | str, ...], number: int) -> Mask:
    seed, *names = path
    permuted_label: Mask = stream(int(seed), *names, "permutation", number).permutation(label)
    return permuted_label


def run_in_threads(
    work: Callable[[ItemT], Made], given: Iterable[ItemT], workers: int
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
    Half, because permuted labels make two samples of one distribution, and synthetic data drawn
    from the true model varies half as much about a given original: Raab, Nowok and Dibben (2021),
    section 2.3; synthpop 1.9-3, utility.gen. That is so for files of one size (c = 1/2): for others
    the share that is left is not 1/2, and a tree, which is paid for by errors, hardly cuts where
    most records are of one file. The error is by the delta method. None where all permuted trees
    are bare roots, or, for the error, where there is one permutation.
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
