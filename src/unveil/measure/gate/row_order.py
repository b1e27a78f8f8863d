"""Do the rows of a file have the order of the original's?

Who has the original's order, or any other file in it, then knows whose record each is, however much
its values were changed. Two relations are looked for: rows at the same place agree, and a row is
where people with its values are in the original, which finds an order with gaps and one from the
last row to the first.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints
from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.measure.gate.copied_columns import is_running
from unveil.records.alerts import BesideTable

FEWEST_ROWS = 100
SIGNIFICANT = 8.0
GAIN = 0.1
"""Agreement at the same place beyond that elsewhere: a correlation, or kappa."""
SIGMAS = 6.0
"""So many standard errors from no relation are no chance, however many columns are looked at."""
_APART = (*range(1, 13), 24, 30, 31, 52, 60, 100)
_OWN = 0.95
_FEWEST_KNOWN = 50
_FEWEST_MATCHES = 10
_MOST_PAIRED = 6
_MOST_ROWS = 50_000  # enough to see an order, however long the files are

Codes = NDArray[np.integer[Any]]
CodePair = tuple[Codes, Codes]
"""Codes of the original's rows and of the file's."""


def find_row_order(columns: Iterable[LinkColumn], copy: int) -> Iterator[BesideTable]:
    """A sentence on the columns that follow the original's order best, if any do.

    Files that are sorted alike, or waves that follow each other, agree with rows some places
    further on too: for a yardstick these are compared.
    """
    asked = [column for column in columns if not _is_own(column)]
    best, gain = None, 0.0
    for column in asked:
        same, elsewhere, n = agree_by_row(column, copy)
        if n < FEWEST_ROWS or (same - elsewhere) * n**0.5 < SIGNIFICANT:
            continue
        if same - elsewhere > max(gain, GAIN):
            best, gain = (column.name, same, elsewhere), same - elsewhere
    if best is not None:
        name, same, elsewhere = best
        yield BesideTable(
            copy=copy,
            detail=(
                f"Its rows have the order of the original's: row by row, {name!r} agrees by"
                f" {same:.2f} (1 is always), and by {elsewhere:.2f} with rows near them. Shuffle"
                " them."
            ),
            is_much=True,
        )


def has_row_order(columns: Sequence[LinkColumn], side: int) -> bool:
    """Whether rows that should have been shuffled follow the original's order in any way.

    If the order tells nothing, both relations are as in a shuffled file, whatever the data.
    """
    if places_z(columns, side) > SIGMAS:
        return True
    heads = [(here[:_MOST_ROWS], there[:_MOST_ROWS]) for here, there in _list_codes(columns, side)]
    return any(
        matches_z(*_join_codes([heads[place] for place in places])) > SIGMAS
        for places in _choose_sets(columns)
    )


def _is_own(column: LinkColumn) -> bool:
    """Whether it numbers records, or is a text of one record each."""
    n = len(column.select_side(ORIGINAL))
    is_text_of_own = not column.is_number and column.n_original_levels > _OWN * n
    return is_text_of_own or is_running(column, ORIGINAL)


# Rows at the same place


def agree_by_row(column: LinkColumn, side: int) -> tuple[float, float, int]:
    """How well rows at the same place agree, the most that others do, and how many rows there are.

    Others are looked at (0 otherwise) only where the same rows agree enough to be a finding. For
    numbers the correlation of ranks; otherwise Cohen's kappa: how often the values are equal,
    beyond chance.
    """
    mine, theirs = column.select_side(ORIGINAL), column.select_side(side)
    n = min(len(mine), len(theirs))
    if n < FEWEST_ROWS:
        return 0.0, 0.0, n
    if column.is_number:
        here, there = _centre(column.ranks[mine[:n]]), _centre(column.ranks[theirs[:n]])

        def agree(shift: int) -> float:
            return float(np.roll(here, shift) @ there)
    else:
        chance = float(_shares(column, mine[:n]) @ _shares(column, theirs[:n]))

        def agree(shift: int) -> float:
            equal = float((np.roll(mine[:n], shift) == theirs[:n]).mean())
            return (equal - chance) / (1 - chance) if chance < 1 else 0.0

    same = agree(0)
    if same <= GAIN:
        return same, 0.0, n
    return same, max(agree(shift) for one in _APART for shift in (one, -one)), n


def _centre(ranks: Floats) -> Floats:
    """Ranks around their mean, of length 1."""
    moved: Floats = ranks - ranks.mean()
    length = float(np.sqrt(moved @ moved))
    return moved / length if length else moved


def _shares(column: LinkColumn, codes: NDArray[np.int32]) -> Floats:
    found: Floats = np.bincount(codes, minlength=column.n_levels) / len(codes)
    return found


def matches_z(mine: Codes, theirs: Codes) -> float:
    """How many rows of the same number have the same value, beyond a shuffled order: its z.

    With a_v and b_v records of n that have the value v, a shuffled order has sum(a b) / n matches
    on average, with variance (sum(ab)^2 - n sum(ab(a + b)) + n^2 sum(ab)) / (n^2 (n - 1)).
    """
    n = min(len(mine), len(theirs))
    if n < _FEWEST_KNOWN:
        return 0.0
    mine, theirs = mine[:n], theirs[:n]
    size = int(max(mine.max(), theirs.max())) + 1
    a, b = (np.bincount(codes, minlength=size).astype(float) for codes in (mine, theirs))
    product = float(a @ b)
    spread = product**2 - n * float((a * b) @ (a + b)) + n**2 * product
    n_same = int((mine == theirs).sum())
    if spread <= 0 or n_same < _FEWEST_MATCHES:
        return 0.0
    return (n_same - product / n) / float(np.sqrt(spread / (n**2 * (n - 1))))


# Places of rows


def places_z(columns: Sequence[LinkColumn], side: int) -> float:
    """How far the place of a row follows from its values, by the columns that tell it best: z.

    The place of a row is guessed from the mean place of people with the same (or the nearest)
    values in the original. In a shuffled file the correlation of guess and place over m rows has
    mean 0 and variance 1 / (m - 1).
    """
    codes = [
        (mine[:: _stride(mine)], theirs[:: _stride(theirs)])
        for mine, theirs in _list_codes(columns, side)
    ]
    found = (
        _correlate(*_join_codes([codes[place] for place in places]))
        for places in _choose_sets(columns)
    )
    return max((relation * max(n - 1, 0) ** 0.5 for relation, n in found), default=0.0)


def _correlate(mine: Codes, theirs: Codes) -> tuple[float, int]:
    """How far places follow those of equal rows of the original, and how many have such rows."""
    if not len(mine) or not len(theirs):
        return 0.0, 0
    size = int(max(mine.max(), theirs.max())) + 1
    counts = np.bincount(mine, minlength=size)
    sums = np.bincount(mine, weights=np.arange(len(mine)), minlength=size)
    known = theirs[counts[theirs] > 0]
    guesses = sums[known] / counts[known]
    if len(known) < _FEWEST_KNOWN or np.ptp(guesses) == 0:
        return 0.0, len(known)
    return abs(float(np.corrcoef(np.arange(len(known)), guesses)[0, 1])), len(known)


def _stride(codes: Codes) -> int:
    return max(1, len(codes) // _MOST_ROWS)


# Codes of several columns


def _choose_sets(columns: Sequence[LinkColumn]) -> list[tuple[int, ...]]:
    """Each column, pairs of those with most values, and all together, by place."""
    every = range(len(columns))
    finest = sorted(every, key=lambda place: -columns[place].n_original_levels)[:_MOST_PAIRED]
    sets = [*((place,) for place in every), *combinations(finest, 2)]
    return [*sets, tuple(every)] if len(columns) > 1 else sets


def _list_codes(columns: Sequence[LinkColumn], side: int) -> Iterator[CodePair]:
    """Codes of each column; a number of the original as the nearest that the file has."""
    for column in columns:
        mine, theirs = column.select_side(ORIGINAL), column.select_side(side)
        if column.numbers is not None:
            is_number = np.isfinite(column.numbers)
            held = np.flatnonzero((column.counts[side] > 0) & is_number)
            if len(held):
                held = held[np.argsort(column.numbers[held])]
                middles = (column.numbers[held][1:] + column.numbers[held][:-1]) / 2
                nearest = held[np.searchsorted(middles, column.numbers)]
                mine = np.where(is_number, nearest, np.arange(column.n_levels))[mine]
        yield mine, theirs


def _join_codes(parts: Sequence[CodePair]) -> CodePair:
    """One code for each combination of values."""
    joint: Ints = np.concatenate(parts[0]).astype(np.int64)
    for part in parts[1:]:
        more = np.concatenate(part)
        _, joint = np.unique(joint * (int(more.max()) + 1) + more, return_inverse=True)
    n = len(parts[0][0])
    return joint[:n], joint[n:]
