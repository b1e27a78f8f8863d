"""What is left to sum when excluded cells are struck out? (Raab 2024, section 4.)

Which cells are disclosive is not asked again, and denominators do not shrink: an excluded cell
keeps its look and loses its weight. Only the renormalised figures, which are synthpop's, need the
key combinations anew; of these, only the ones that an exclusion touches are summed again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.cells import Cells
from unveil.count.packing import Shares, run_starts
from unveil.count.profile import Profile, ProfileCells, Renormalised, blocks

ORIGINAL, SYNTHETIC = "original", "synthetic"
ALL = slice(None)
# Where fewer than one cell in so many is struck, only the key combinations touched are summed anew.
FEW = 8


@dataclass(frozen=True)
class DenominatorLimit:
    """A rule that hits cells with a larger count than this, in the original or in the copy."""

    rule: int
    side: str
    most: int


@dataclass(frozen=True)
class ExcludedCells:
    """The cells that rules name, each under the number of its rule, and the limits that follow."""

    named: tuple[tuple[int, Ints], ...]
    limits: tuple[DenominatorLimit, ...]


def exclude_cells(looks: ProfileCells, cells: Cells, excluded: ExcludedCells) -> Profile:
    """The profile of one target with its excluded cells marked."""
    p = looks.profile
    x_d, x_s = _apply_limits(p, excluded.limits)
    left = replace(p, x_d=x_d, x_s=x_s, struck=_renormalise(looks, cells, excluded))
    if not excluded.named:
        return left
    moved = [(rule, looks.count(named)) for rule, named in excluded.named]
    w = p.w - sum(n_cells for _, n_cells in moved)
    parts = [(np.flatnonzero(w), w, x_d, x_s)]
    for rule, n_cells in moved:
        of_rule = np.full_like(w, rule)
        parts.append((np.flatnonzero(n_cells), n_cells, of_rule, of_rule))
    at = np.concatenate([rows for rows, *_ in parts])
    w, x_d, x_s = (np.concatenate([letters[i][rows] for rows, *letters in parts]) for i in range(3))
    return replace(
        left,
        d_tq=p.d_tq[at],
        s_tq=p.s_tq[at],
        d_q=p.d_q[at],
        s_q=p.s_q[at],
        T_d=p.T_d[at],
        T_s=p.T_s[at],
        w=w,
        x_d=x_d,
        x_s=x_s,
    )


def _apply_limits(p: Profile, limits: Sequence[DenominatorLimit]) -> tuple[Ints, Ints]:
    """The limit that hits each look in sums over the original, and in sums over the copy.

    A limit on the original's counts is, in sums over the copy's records, one on the copy's own
    counts, as in synthpop.
    """
    x_d, x_s = np.zeros_like(p.w), np.zeros_like(p.w)
    for limit in limits:
        count = p.d_tq if limit.side == ORIGINAL else p.s_tq
        x_d[(x_d == 0) & (count > limit.most)] = limit.rule
        x_s[(x_s == 0) & (p.s_tq > limit.most)] = limit.rule
    return x_d, x_s


def excluded_cells(cells: Cells, excluded: ExcludedCells, here: slice = ALL) -> tuple[Mask, Mask]:
    """Which cells are excluded from sums over the original, and from sums over the copy."""
    d_tq, s_tq = cells.counts[:, here]
    gone_d, gone_s = np.zeros(len(d_tq), bool), np.zeros(len(d_tq), bool)
    for limit in excluded.limits:
        over = s_tq > limit.most
        gone_d |= over if limit.side == SYNTHETIC else d_tq > limit.most
        gone_s |= over
    start, stop, _ = here.indices(len(cells.t))
    for _, named in excluded.named:
        inside = named[np.searchsorted(named, start) : np.searchsorted(named, stop)] - start
        gone_d[inside] = gone_s[inside] = True
    return gone_d, gone_s


def _renormalise(looks: ProfileCells, cells: Cells, excluded: ExcludedCells) -> Renormalised:
    """Sums over key combinations without their struck cells; the untouched ones by their looks."""
    sums: list[Renormalised] = []
    untouched: list[slice] = []
    touched: list[Ints] = []
    for qs in blocks(cells.starts):
        starts = cells.starts[qs.start : qs.stop + 1].astype(np.int64)
        here = slice(int(starts[0]), int(starts[-1]))
        gone_d, gone_s = excluded_cells(cells, excluded, here)
        starts -= here.start
        at, first = _remaining_cells(gone_d & gone_s, starts)
        if FEW * np.count_nonzero(gone_d | gone_s) < len(gone_d):
            at, first = _cells_of_hit_keys(gone_d | gone_s, starts)
            untouched.append(here)
            touched.append(at + here.start)
        d_tq, s_tq = cells.counts[:, here]
        d = np.multiply(d_tq[at], ~gone_d[at], dtype=np.int64)
        s = np.multiply(s_tq[at], ~gone_s[at], dtype=np.int64)
        if len(d):
            sums.append(_sums(d, s, first))
    w = sum((looks.count(here) for here in untouched), start=np.zeros_like(looks.profile.w))
    w -= sum((looks.count(at) for at in touched), start=np.zeros_like(w))
    sums.append(_sum_profiles(looks.profile, w))
    return reduce(add_renormalised, sums)


def _cells_of_hit_keys(is_struck: Mask, starts: Ints) -> tuple[Ints, Ints]:
    """The cells of the key combinations that lose one, and where each of these starts in them."""
    q = np.searchsorted(starts, np.flatnonzero(is_struck), side="right") - 1
    q = q[run_starts(q)[:-1]]
    n_of_q = starts[q + 1] - starts[q]
    first = np.cumsum(n_of_q) - n_of_q
    return np.repeat(starts[q] - first, n_of_q) + np.arange(int(n_of_q.sum())), first


def _remaining_cells(is_gone: Mask, starts: Ints) -> tuple[slice | Ints, Ints]:
    """The cells that are not gone, and where each key combination starts in them; or all cells."""
    if 2 * np.count_nonzero(is_gone) < len(is_gone):
        return ALL, starts[:-1]
    left = np.flatnonzero(~is_gone)
    return left, run_starts(np.searchsorted(starts, left, side="right"))[:-1]


def _sum_profiles(p: Profile, w: Ints) -> Renormalised:
    """The sums over so many cells of each look, none of them struck."""
    at = np.flatnonzero(w)
    letters = {name: getattr(p, name)[at] for name in ("d_tq", "s_tq", "d_q", "s_q", "T_d", "T_s")}
    return replace(p, w=w[at], **letters).renormalised_sums


def _sums(d: Ints, s: Ints, first: Ints) -> Renormalised:
    """The sums of key combinations whose cells follow each other, from their first on."""
    d_q, s_q = np.add.reduceat(d, first), np.add.reduceat(s, first)
    return Renormalised(
        dd_per_d=Shares.of(np.add.reduceat(d * d, first), d_q),
        ss_per_s=Shares.of(np.add.reduceat(s * s, first), s_q),
        ds_per_s=Shares.of(np.add.reduceat(d * s, first), s_q),
        d_found=int(d_q[s_q > 0].sum()),
    )


def add_renormalised(one: Renormalised, other: Renormalised) -> Renormalised:
    """The sums over the key combinations of both."""
    return Renormalised(
        dd_per_d=Shares.together([one.dd_per_d, other.dd_per_d]),
        ss_per_s=Shares.together([one.ss_per_s, other.ss_per_s]),
        ds_per_s=Shares.together([one.ds_per_s, other.ds_per_s]),
        d_found=one.d_found + other.d_found,
    )
