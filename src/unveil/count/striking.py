"""What is left to sum when excluded cells are struck out? (Raab 2024, section 4.)

Which cells are disclosive is not asked again, and denominators do not shrink: an excluded cell
keeps its look and loses its weight. Only the renormalised figures, which are synthpop's, need the
key combinations anew; of these, only the ones that an exclusion touches are summed again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from unveil.count.cells import Cells
from unveil.count.looks import Looks, blocks, two_sides
from unveil.count.packing import Integers, Whole
from unveil.count.profile import Mask, Profile, Renormalised
from unveil.count.shares import Shares

ORIGINAL, SYNTHETIC = "original", "synthetic"


@dataclass(frozen=True)
class Limit:
    """A rule that hits cells with a larger count than this, in the original or in the copy."""

    rule: int
    side: str
    most: int


@dataclass(frozen=True)
class Struck:
    """The cells that rules name, each under the number of its rule, and the limits that follow."""

    named: tuple[tuple[int, Whole], ...]
    limits: tuple[Limit, ...]


def strike(looks: Looks, cells: Cells, copies: Sequence[int], struck: Struck) -> Profile:
    """The profile of one target with its excluded cells marked."""
    p = looks.profile
    left = p.w.copy()
    parts: list[tuple[Whole, int]] = []
    for rule, named in struck.named:
        moved = looks.count(named)
        left -= moved
        parts.append((moved, rule))
    x_d, x_s = limited(p, struck.limits)
    rows = [np.flatnonzero(left), *(np.flatnonzero(moved) for moved, _ in parts)]
    w = [left, *(moved for moved, _ in parts)]
    of_rule = [np.full(len(at), rule) for at, (_, rule) in zip(rows[1:], parts, strict=True)]
    at = np.concatenate(rows)
    return Profile(
        d_tq=p.d_tq[at],
        s_tq=p.s_tq[at],
        d_q=p.d_q[at],
        s_q=p.s_q[at],
        T_d=p.T_d[at],
        T_s=p.T_s[at],
        w=np.concatenate([weights[here] for weights, here in zip(w, rows, strict=True)]),
        d_t=p.d_t,
        x_d=np.concatenate([x_d[rows[0]], *of_rule]),
        x_s=np.concatenate([x_s[rows[0]], *of_rule]),
        struck=_renormalised(looks, cells, copies, struck, (x_d > 0, x_s > 0)),
    )


def limited(p: Profile, limits: Sequence[Limit]) -> tuple[Whole, Whole]:
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


def _renormalised(
    looks: Looks, cells: Cells, copies: Sequence[int], struck: Struck, limited: tuple[Mask, Mask]
) -> Renormalised:
    """Sums over key combinations without their struck cells; the untouched ones by their looks."""
    named = np.zeros(len(cells.t), bool)
    for _, hit in struck.named:
        named[hit] = True
    over_d, over_s = (np.append(over, False) for over in limited)
    untouched = looks.profile.w.copy()
    sums = []
    for qs in blocks(cells.starts):
        here = slice(int(cells.starts[qs.start]), int(cells.starts[qs.stop]))
        look = looks.of_cell[here]
        gone_d = named[here] | over_d[look]
        gone_s = named[here] | over_s[look]
        starts = cells.starts[qs.start : qs.stop + 1].astype(np.int64) - here.start
        touched = _touched(gone_d | gone_s, starts)
        at = np.flatnonzero(np.repeat(touched, np.diff(starts)))
        if not len(at):
            continue
        untouched -= looks.count(at + here.start)
        d, s = (
            np.where(gone[at], 0, count).astype(np.int64)
            for gone, count in zip(
                (gone_d, gone_s), two_sides(cells.counts[:, at + here.start], copies), strict=True
            )
        )
        sums.append(_sums(d, s, np.diff(starts)[touched]))
    sums.append(replace(looks.profile, w=untouched).renormalised)
    return reduce(_together, sums)


def _touched(gone: Mask, starts: Whole) -> Mask:
    """The key combinations that lose a cell."""
    if not len(gone):
        return np.zeros(0, bool)
    touched: Mask = np.logical_or.reduceat(gone, starts[:-1])
    return touched


def _sums(d: Whole, s: Whole, n_cells: Integers) -> Renormalised:
    """The sums of key combinations whose cells follow each other, so many for each."""
    first = np.concatenate(([0], np.cumsum(n_cells)[:-1]))
    d_q, s_q = np.add.reduceat(d, first), np.add.reduceat(s, first)
    return Renormalised(
        dd_per_d=Shares.of(np.add.reduceat(d * d, first), d_q),
        ss_per_s=Shares.of(np.add.reduceat(s * s, first), s_q),
        ds_per_s=Shares.of(np.add.reduceat(d * s, first), s_q),
        d_found=int(d_q[s_q > 0].sum()),
    )


def _together(one: Renormalised, other: Renormalised) -> Renormalised:
    return Renormalised(
        dd_per_d=Shares.together([one.dd_per_d, other.dd_per_d]),
        ss_per_s=Shares.together([one.ss_per_s, other.ss_per_s]),
        ds_per_s=Shares.together([one.ds_per_s, other.ds_per_s]),
        d_found=one.d_found + other.d_found,
    )
