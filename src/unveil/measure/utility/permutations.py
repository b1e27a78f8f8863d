"""How large is pMSE by chance alone? Trees of permuted labels, in threads, from one seed.

Which permutation is drawn depends on the seed, the copy and its number, and on nothing else: not on
how many threads there are, nor on how many trees are grown side by side.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean, stdev
from typing import TypeVar

import numpy as np

from unveil.count.streams import stream
from unveil.measure.utility.cart import Leaves, trees
from unveil.measure.utility.cart_cuts import Mask, Predictor
from unveil.measure.utility.propensity import pmse

Given = TypeVar("Given")
Made = TypeVar("Made")

SIDE_BY_SIDE = 2**18
"""Trees are grown together up to so many records: few large steps keep all threads busy."""


def pmse_of(leaves: Leaves) -> float:
    """The pMSE of a tree."""
    n, n_synthetic = leaves.n, leaves.n_synthetic
    return pmse(n, n_synthetic / n, float(n_synthetic.sum() / n.sum()))


def permuted(
    columns: Sequence[Predictor], label: Mask, n: int, path: tuple[int | str, ...], workers: int
) -> list[float]:
    """The pMSE of trees of `n` permuted labels; `path` is the seed and what it is for."""
    together = max(1, min(SIDE_BY_SIDE // len(label), math.ceil(n / workers)))
    batches = [range(n)[start : start + together] for start in range(0, n, together)]

    def grown(batch: range) -> list[float]:
        drawn = [_permutation(label, path, number) for number in batch]
        return [pmse_of(leaves) for leaves in trees(columns, drawn)]

    return [value for batch in in_threads(grown, batches, workers) for value in batch]


def _permutation(label: Mask, path: tuple[int | str, ...], number: int) -> Mask:
    seed, *names = path
    permuted_label: Mask = stream(int(seed), *names, "permutation", number).permutation(label)
    return permuted_label


def in_threads(work: Callable[[Given], Made], given: Iterable[Given], workers: int) -> list[Made]:
    """What work makes of each, in order."""
    if workers == 1:
        return [work(one) for one in given]
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(work, given))


def standardised(value: float, by_chance: Sequence[float]) -> tuple[float | None, float | None]:
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
