"""Would people be matched to their own row, where synthetic row 7 was made from person 7?

Reiter and Mitra (2009): partially synthetic data keep the rows and replace some of their values.
"""

from typing import Annotated

import numpy as np

from unveil.counts.cells import Ints, number, pack
from unveil.counts.profile import Mask
from unveil.errors import InputError
from unveil.results import Copy, Count, Figure, People, Row, Share
from unveil.results.words import count, people, percent, side_of
from unveil.study import ORIGINAL, Needs, Side, Study

NEAR = 1e-12  # chances that differ by less are equal: 1/3 + 1/6 is not quite 1/2


class AlignedRow(Row, frozen=True):
    """Matches of every record of the original with synthetic records."""

    version: str
    copy: Copy
    matched: Annotated[int, Count("records with the keys of a synthetic one")]
    expected_match_risk: Annotated[
        float, People("records a guess among their likeliest rows is correct for",
                      "Reiter and Mitra 2009", limited=True)
    ]  # fmt: skip
    perceived_match_rate: Annotated[float, Share("of records: those with one likeliest row")]
    true_match_rate: Annotated[
        float, Share("of records: those with one, which is their own", "Reiter and Mitra 2009",
                     limited=True)
    ]  # fmt: skip
    false_match_rate: Annotated[
        Figure, Share("of those with one likeliest row: it is another's", "Reiter and Mitra 2009",
                      undefined="nobody with one likeliest row")
    ]  # fmt: skip
    own: Annotated[float, Count("records whose own row has their keys; of copies the mean")]
    own_by_chance: Annotated[float, People("the same, were rows shuffled")]


def aligned_rows(study: Study) -> list[AlignedRow]:
    """Every copy, and where there are several all together."""
    study.require(Needs())
    n = len(study.original)
    for file in study.files:
        if file.role == "synthetic" and len(file.frame) != n:
            raise InputError(
                f"'aligned' matches rows to rows, but {file.label} has {len(file.frame):,} records"
                f" and the original {n:,}."
            )
    numbers, _ = number(*pack([study.column(name) for name in study.keys]))
    q = [numbers[rows].astype(np.int64) for rows in study.rows]
    return [
        _row(side, q[ORIGINAL], np.array([q[copy] for copy in side.files]))
        for side in study.sides()
    ]


def _row(side: Side, q: Ints, copies: Ints) -> AlignedRow:
    c, is_own = candidates(q, copies)
    n, n_one, n_true = len(q), int((c == 1).sum()), int(((c == 1) & is_own).sum())
    d_q = np.bincount(q, minlength=copies.max() + 1)
    return AlignedRow(
        version=side.version,
        copy=side.copy,
        matched=int((c > 0).sum()),
        expected_match_risk=float(np.sort(is_own / np.maximum(c, 1)).sum()),
        perceived_match_rate=n_one / n,
        true_match_rate=n_true / n,
        false_match_rate=(n_one - n_true) / n_one if n_one else None,
        own=int((copies == q).sum()) / len(copies),
        own_by_chance=float(d_q[copies].mean()),
    )


def candidates(q: Ints, copies: Ints) -> tuple[Ints, Mask]:
    """For each record of the original, how many rows are its likeliest; whether its own is one.

    The chance of a row is the mean over the copies of 1 / (rows that match) where it matches.
    """
    n, n_q = len(q), max(q.max(), copies.max()) + 1
    chance = [1 / np.bincount(copy, minlength=n_q)[copy] for copy in copies]
    pairs, place = np.unique(copies * n + np.arange(n), return_inverse=True)
    chances = np.bincount(place.ravel(), np.ravel(chance))
    highest = np.zeros(n_q)
    np.maximum.at(highest, pairs // n, chances)
    likeliest = pairs[chances >= highest[pairs // n] * (1 - NEAR)]
    c = np.bincount(likeliest // n, minlength=n_q)[q]
    return c, np.isin(q * n + np.arange(n), likeliest)


def aligned_sentence(row: AlignedRow, counted: str, combinations: int) -> str:
    """What an intruder believes to find and finds, beside the original, and were rows shuffled."""
    return (
        f"{side_of(row)}{percent(100 * row.perceived_match_rate)} of {counted} have one likeliest"
        f" row, {percent(100 * row.true_match_rate)} have one that is their own; a guess is correct"
        f" for {people(row.expected_match_risk)}, in the original for {combinations:,}."
        f" {count(row.own)} own rows have the same keys, and {people(row.own_by_chance)} would if"
        " rows were shuffled."
    )
