"""CAP: guessing among the records that match, how often would the intruder be right?

Taub, Elliot, Pampaka and Smith (2018), equations 3 to 6. The score of a person is that of their
cell, so a mean over people is a sum over cells, each with the number of its people in the scenario.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.count.shares import Shares
from unveil.measure.attribution.classes import Classes, Pool
from unveil.measure.attribution.tolerance import Floats

NOBODY = "no original record is in this scenario"
NO_MATCH = "no original record of this scenario has keys that the copies have"


@dataclass(frozen=True)
class Figures:
    """The means of one scenario with copies 1 to m pooled; fields as in `CapRow`."""

    n: int
    n_match: int
    match_rate: float | None
    cap_original: float | None
    cap_baseline: float | None
    cap_synthetic_zero: float | None
    cap_synthetic_undefined: float | None
    cap_original_matched: float | None
    cap_baseline_matched: float | None
    n_settled: int
    n_right: int

    def reasons(self) -> Iterator[tuple[str, str]]:
        """The fields that are None, and why."""
        for name, value in vars(self).items():
            if value is None:
                yield name, NO_MATCH if self.n else NOBODY


def cap_original(classes: Classes, w: Whole) -> float | None:
    """Mean CAP_o of so many people `w` of each cell.

    Notes
    -----
    Equation 3: the share of T_j among the original records with the keys K_j, the person's own
    record included. 1 for everyone alone with their keys.
    """
    return mean(Shares.of(w * classes.agreeing[0], classes.d_q), int(w.sum()))


def cap_baseline(of_cells: Floats, w: Whole) -> float | None:
    """Mean CAP_b of so many people `w` of each cell.

    Notes
    -----
    Equation 5: the share of T_j among all original records, whatever part of them is scored; or
    what was given in its place.
    """
    n = int(w.sum())
    return math.fsum(of_cells * w) / n if n else None


def cap_synthetic(pool: Pool, w: Whole, of: int) -> float | None:
    """Mean CAP_s of so many people `w` of each cell, those without a match counted as 0.

    Notes
    -----
    Equation 4: the share of T_j among the copies' records with the keys K_j; each side has its own
    number of records (erratum: the printed sums run to n on both). Out of all people of the
    scenario it is the CAP with non-matches as zero, out of those matched the one with non-matches
    as undefined.
    """
    return mean(Shares.of(w * pool.agreeing, pool.matching), of)


def mean(shares: Shares, of: int) -> float | None:
    """The sum of the shares divided by `of`; None of nobody."""
    return total(shares) / of if of else None


def total(shares: Shares) -> float:
    """The sum of the shares."""
    return math.fsum(shares.sums / shares.divisors)


def figures_by_m(
    classes: Classes, copies: Sequence[int], baseline: Floats, scenarios: Mapping[str, Whole]
) -> Iterator[tuple[int, str, Figures]]:
    """For every m and scenario its means, in one pass over the copies."""
    fixed = {
        name: (cap_original(classes, w), cap_baseline(baseline, w)) for name, w in scenarios.items()
    }
    for pool in classes.pools(copies):
        found, right = pool.matching > 0, pool.right
        for name, w in scenarios.items():
            matched = np.where(found, w, 0)
            n, n_match = int(w.sum()), int(matched.sum())
            original, base = fixed[name]
            figures = Figures(
                n=n,
                n_match=n_match,
                match_rate=n_match / n if n else None,
                cap_original=original,
                cap_baseline=base,
                cap_synthetic_zero=cap_synthetic(pool, w, n),
                cap_synthetic_undefined=cap_synthetic(pool, w, n_match),
                cap_original_matched=cap_original(classes, matched),
                cap_baseline_matched=cap_baseline(baseline, matched),
                n_settled=int(w[pool.settled].sum()),
                n_right=int(w[right].sum()),
            )
            yield pool.m, name, figures


def uniques(classes: Classes) -> Whole:
    """The people of each cell who are alone with their keys in the original (footnote 3)."""
    return np.where(classes.d_q == 1, classes.d_tq, 0)
