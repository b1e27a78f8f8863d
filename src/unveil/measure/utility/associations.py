"""Which columns go together, in original and synthetic data? Four measures, by kinds of columns.

Two numbers: Pearson and Spearman, over records that have both. Two categories: Cramer's V. A
number and a category: the correlation ratio. Missing is a level of a category; a record whose
number is missing or a special code takes no part in the pair.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.centring import centre
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import Integers
from unveil.records.comparison import Association

Pair = tuple[str, str, Association]

CHUNK = 2**16
_DENSE = 2**22
# Below so small a share of the mean square, a variance from sums is lost in rounding.
_DOUBTFUL = 1e-4


def associations(variables: Sequence[CodedColumn], side: int) -> dict[Pair, float | None]:
    """Every measure of every pair on one side; None where it is not defined."""
    numbers = [one for one in variables if one.is_scaled]
    categories = [one for one in variables if not one.is_scaled]
    made: dict[Pair, float | None] = {}
    made.update(_correlations(numbers, side))
    for number in numbers:
        made.update(_ratios(number, categories, side))
    for a, b in combinations(categories, 2):
        table = cramer_v(a.codes_on(side), b.codes_on(side), a.n_levels, b.n_levels)
        made[a.name, b.name, "cramer_v"] = table
    return made


def pearson(x: Floats, y: Floats) -> float | None:
    """The correlation of two numbers, in two passes.

    Notes
    -----
    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2). Undefined for
    fewer than two records and where one of the two is constant.

    References
    ----------
    Pearson (1896).
    """
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return None
    dx, dy = (centre(numbers).deviations(numbers) for numbers in (x, y))
    r = float(dx @ dy) / math.sqrt(float(dx @ dx) * float(dy @ dy))
    return min(1.0, max(-1.0, r))


def doubled_ranks(counts: Ints) -> Ints:
    """Twice the mid-rank of every level, from the counts of levels in order: a whole number."""
    return 2 * (np.cumsum(counts) - counts) + counts + 1


def spearman(a: Codes, b: Codes, n_a: int, n_b: int) -> float | None:
    """Pearson's correlation of mid-ranks, from codes whose order is that of the values.

    References
    ----------
    Spearman (1904); ties have their mean rank.
    """
    ranks = (
        doubled_ranks(np.bincount(codes, minlength=n))[codes].astype(np.float64)
        for codes, n in ((a, n_a), (b, n_b))
    )
    return pearson(*ranks)


def cramer_v(a: Codes, b: Codes, n_a: int, n_b: int) -> float | None:
    """How far two categories are from independent: 0, to 1 where one settles the other.

    Notes
    -----
    V = sqrt(chi2 / (n min(r - 1, c - 1))), with the r and c levels that occur on this side and no
    correction for few records. Undefined where one of the two has a single level.

    References
    ----------
    Cramer (1946), *Mathematical Methods of Statistics*, section 21.9.
    """
    n = len(a)
    in_a, in_b = np.bincount(a, minlength=n_a), np.bincount(b, minlength=n_b)
    r, c = int((in_a > 0).sum()), int((in_b > 0).sum())
    if min(r, c) < 2:
        return None
    cells, counts = _cells(a, b, n_a, n_b)
    expected = in_a[cells // n_b] * (in_b[cells % n_b] / n)
    # Cells where no one is add what is expected there; the sum of all that is expected is n.
    empty = 0.0 if len(cells) == r * c else max(0.0, n - float(expected.sum()))
    chi2 = float(((counts - expected) ** 2 / expected).sum()) + empty
    return min(1.0, math.sqrt(chi2 / (n * (min(r, c) - 1))))


def _cells(a: Codes, b: Codes, n_a: int, n_b: int) -> tuple[Ints, Ints]:
    """The cells of the table where a person is, and how many are."""
    packed = a.astype(np.int64) * n_b + b
    if n_a * n_b <= _DENSE:
        counts = np.bincount(packed, minlength=n_a * n_b)
        cells = np.flatnonzero(counts)
        return cells, counts[cells]
    return np.unique(packed, return_counts=True)


def correlation_ratio(x: Floats, groups: Integers, n_groups: int) -> float | None:
    """How much of a number's spread lies between groups: 0, to 1 where the group settles it.

    Notes
    -----
    eta = sqrt(sum_g n_g (mean_g - mean)^2 / sum (x - mean)^2). Undefined for fewer than two
    records, a constant number, or a single group.

    References
    ----------
    Fisher (1925), *Statistical Methods for Research Workers*, section 45.
    """
    n_in = np.bincount(groups, minlength=n_groups)
    if (n_in > 0).sum() < 2 or (x == x[0]).all():
        return None
    middle = centre(x)
    sums = np.bincount(groups, middle.deviations(x), n_groups)[n_in > 0]
    between = float((sums**2 / n_in[n_in > 0]).sum())
    return min(1.0, math.sqrt(between / middle.squares))


def _ratios(
    number: CodedColumn, categories: Sequence[CodedColumn], side: int
) -> Iterator[tuple[Pair, float | None]]:
    codes = number.codes_on(side)
    kept = number.is_ordinary[codes]
    x = number.amounts[codes[kept]]
    for category in categories:
        groups = category.codes_on(side)[kept]
        eta = correlation_ratio(x, groups, category.n_levels) if len(x) else None
        yield (number.name, category.name, "correlation_ratio"), eta


def _correlations(numbers: Sequence[CodedColumn], side: int) -> Iterator[tuple[Pair, float | None]]:
    """Pearson and Spearman of every pair: from sums over chunks of rows where those are exact."""
    if len(numbers) < 2:
        return
    is_whole = [bool(one.is_ordinary[one.codes_on(side)].all()) for one in numbers]
    from threadpoolctl import threadpool_limits

    # One thread: sums in another order would give other last digits.
    with threadpool_limits(limits=1):
        by_value = _from_sums([_standardise(one, side) for one in numbers], numbers, side)
        by_rank = _from_sums([_ranks(one, side) for one in numbers], numbers, side)
    for i, j in combinations(range(len(numbers)), 2):
        a, b = numbers[i], numbers[j]
        r = by_value[i, j]
        yield (a.name, b.name, "pearson"), _pair(a, b, side) if math.isnan(r) else float(r)
        # With missing values the ranks are those among the records that have both.
        rho = by_rank[i, j] if is_whole[i] and is_whole[j] else math.nan
        is_known = not math.isnan(rho)
        yield (a.name, b.name, "spearman"), float(rho) if is_known else _rank_pair(a, b, side)


def _pair(a: CodedColumn, b: CodedColumn, side: int) -> float | None:
    kept = have_both(a, b, side)
    return pearson(*(one.amounts[one.codes_on(side)[kept]] for one in (a, b)))


def _rank_pair(a: CodedColumn, b: CodedColumn, side: int) -> float | None:
    kept = have_both(a, b, side)
    codes_a, codes_b = a.codes_on(side)[kept], b.codes_on(side)[kept]
    return spearman(codes_a, codes_b, a.n_levels, b.n_levels)


def have_both(a: CodedColumn, b: CodedColumn, side: int, rows: slice = slice(None)) -> Mask:
    """Which records of a side have a number in both columns."""
    kept: Mask = a.is_ordinary[a.codes_on(side)[rows]] & b.is_ordinary[b.codes_on(side)[rows]]
    return kept


def _standardise(number: CodedColumn, side: int) -> Floats:
    """The number of every level that occurs in standard deviations from the mean, others 0."""
    counts = number.amount_counts(side)
    occurs = counts > 0
    made = np.zeros(len(counts))
    if occurs.any():
        held = number.amounts[occurs]
        made[occurs] = centre(held, counts[occurs]).standardise(held)
    return made


def _ranks(number: CodedColumn, side: int) -> Floats:
    """The rank of every level, as a share of the records from the mean rank; others 0."""
    counts = number.amount_counts(side)
    n = int(counts.sum())
    return np.where(counts > 0, (doubled_ranks(counts) - (n + 1)) / max(n, 1), 0.0)


def _from_sums(figures: Sequence[Floats], numbers: Sequence[CodedColumn], side: int) -> Floats:
    """Correlations of all pairs over complete pairs, NaN where sums would not be exact enough."""
    p = len(numbers)
    n, x, xx, xy = (np.zeros((p, p)) for _ in range(4))
    for start in range(0, numbers[0].sides.rows[side], CHUNK):
        block, held = _block(figures, numbers, side, slice(start, start + CHUNK))
        n += held.T @ held
        x += block.T @ held
        xx += (block**2).T @ held
        xy += block.T @ block
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = xx - x**2 / n
        r = (xy - x * x.T / n) / np.sqrt(variance * variance.T)
        is_doubtful = ~(variance > _DOUBTFUL * xx) | ~(variance.T > _DOUBTFUL * xx.T)
    r[is_doubtful | ~np.isfinite(r)] = math.nan
    return np.clip(r, -1, 1)


def _block(
    figures: Sequence[Floats], numbers: Sequence[CodedColumn], side: int, rows: slice
) -> tuple[Floats, Floats]:
    """Some rows as a dense block, 0 where there is no number, and where there is one."""
    columns, held = [], []
    for by_level, number in zip(figures, numbers, strict=True):
        codes = number.codes_on(side)[rows]
        columns.append(by_level[codes])
        held.append(number.is_ordinary[codes])
    return np.stack(columns, axis=1), np.stack(held, axis=1).astype(np.float64)
