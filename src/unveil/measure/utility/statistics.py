"""How far apart are the tables of a copy and of the original? The measures of utility.tab.

Raab, Nowok and Dibben (2021), Assessing, visualizing and improving the utility of synthetic data,
sections 2 and 3. td and ts are the counts of original and copy in a cell, c is the share of the
copy's records among all; cells that are empty in both do not count.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

TINY = 1e-300  # 0 ln 0 is 0


@dataclass(frozen=True)
class Discrimination:
    """How well a score tells copy from original, one figure for each table."""

    SPECKS: Floats
    PO50: Floats
    U: Floats


@dataclass(frozen=True)
class Measures:
    """All measures, one figure for each table; NaN where there is none."""

    df: Whole
    VW: Floats
    FT: Floats
    JSD: Floats
    G: Floats
    dfG: Whole
    pMSE: Floats
    MabsDD: Floats
    WMabsDD: Floats
    dBhatt: Floats
    SPECKS: Floats
    PO50: Floats
    U: Floats
    S_pMSE: Floats
    S_FT: Floats
    S_JSD: Floats
    S_G: Floats
    S_WMabsDD: Floats


def measures(td: Whole, ts: Whole, starts: Whole) -> Measures:
    """Every measure of tables that stand one behind the other, each from its start to the next.

    Notes
    -----
    With diff = ts - td c / (1 - c) and expect = (ts + td) c: VW = sum diff^2 / expect, pMSE =
    VW c (1 - c)^2 / N, S_pMSE = VW / df, FT = 4 sum (sqrt ts - sqrt(td c / (1 - c)))^2, JSD the
    divergence of Jensen and Shannon in bits, S_JSD = 2 N JSD / (df ln 2) as synthpop has it, G =
    2 sum ts ln(ps / pd) over cells filled in both with shares over these, MabsDD = sum |diff| /
    n_s, WMabsDD = sum(|diff| / sqrt expect) / sqrt(2 / pi), dBhatt = sqrt(1 - sum sqrt(pd ps)).
    PO50 takes a cell for the copy's where ps > pd: its share of the cell is above c.
    df is the number of cells less one; a table of one cell has no standardised measures.
    """
    table = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    is_filled = np.flatnonzero(td + ts)
    td, ts, table = td[is_filled], ts[is_filled], table[is_filled]
    first = np.searchsorted(table, np.arange(len(starts) - 1))
    one = slice(None) if len(first) == 1 else slice(first[1])  # all tables hold all records
    n_d, n_s = int(td[one].sum()), int(ts[one].sum())
    N, c = n_d + n_s, n_s / (n_d + n_s)

    def total(cells: NDArray[np.generic]) -> Floats:
        summed: Floats = np.add.reduceat(cells, first).astype(np.float64)
        return summed

    scaled = td * (n_s / n_d)
    diff, expect = ts - scaled, (ts + td) * c
    pd, ps = td / n_d, ts / n_s
    VW = total(diff**2 / expect)
    df = np.diff(first, append=len(td)) - 1
    FT = 4 * total((np.sqrt(ts) - np.sqrt(scaled)) ** 2)
    JSD = total(_divergence(ps, ps + pd) + _divergence(pd, ps + pd)) / 2
    WMabsDD = total(np.abs(diff) / np.sqrt(expect)) / math.sqrt(2 / math.pi)
    G, dfG = _likelihood_ratio(td, ts, table, len(first))
    told = discrimination(td, ts, ts / (td + ts), table, first, is_copy=ts * n_d > td * n_s)
    return Measures(
        df=df,
        VW=VW,
        FT=FT,
        JSD=JSD,
        G=G,
        dfG=dfG,
        pMSE=VW * c * (1 - c) ** 2 / N,
        MabsDD=total(np.abs(diff)) / n_s,
        WMabsDD=WMabsDD,
        dBhatt=np.sqrt(total((np.sqrt(pd) - np.sqrt(ps)) ** 2) / 2),
        SPECKS=told.SPECKS,
        PO50=told.PO50,
        U=told.U,
        S_pMSE=_over(VW, df),
        S_FT=_over(FT, df),
        S_JSD=_over(2 * N * JSD / math.log(2), df),
        S_G=_over(G, dfG),
        S_WMabsDD=_over(WMabsDD, df),
    )


def _divergence(p: Floats, both: Floats) -> Floats:
    """The terms p log2(2 p / both), 0 where p is 0."""
    made: Floats = p * np.log2(np.maximum(2 * p / both, TINY))
    return made


def _over(value: Floats, df: Whole) -> Floats:
    """Divided by its degrees of freedom; NaN where there are none."""
    ratio: Floats = np.divide(value, df, out=np.full(len(df), np.nan), where=df > 0)
    return ratio


def _likelihood_ratio(td: Whole, ts: Whole, table: Whole, n: int) -> tuple[Floats, Whole]:
    """G and its degrees of freedom, over the cells filled in both; `n` tables."""
    is_both = np.flatnonzero((td > 0) & (ts > 0))
    d, s, of = td[is_both], ts[is_both], table[is_both]
    n_d, n_s = (np.bincount(of, weights=side, minlength=n) for side in (d, s))
    n_cells = np.bincount(of, minlength=n)
    odds = np.divide(n_d, n_s, out=np.ones(n), where=n_s > 0)
    G = 2 * np.bincount(of, weights=s * np.log(s * odds[of] / d), minlength=n)
    return np.where(n_cells > 0, G, np.nan), n_cells - 1


def discrimination(
    td: Whole, ts: Whole, score: Floats, table: Whole, first: Whole, *, is_copy: Mask
) -> Discrimination:
    """SPECKS, PO50 and U of a score from 0 to 1, by table.

    Notes
    -----
    SPECKS is the distance of Kolmogorov and Smirnov between the scores of copy and original, U the
    rank sum of Wilcoxon and Mann-Whitney of the copy's scores (ties count half), PO50 the percent
    of records classified correctly, as of the copy where `is_copy` says so, minus 50.
    """
    n_d, n_s = np.add.reduceat(td, first), np.add.reduceat(ts, first)
    right = np.add.reduceat(np.where(is_copy, ts, td), first)
    order = np.argsort(table + score / 2)
    score, d, s = score[order], np.cumsum(td[order]), np.cumsum(ts[order])
    # Cells of one score are one step; only its last cell stands for it.
    is_last = np.append((score[1:] != score[:-1]) | (table[1:] != table[:-1]), True)
    last = np.flatnonzero(is_last)
    of = table[last]
    d, s = d[last] - (np.cumsum(n_d) - n_d)[of], s[last] - (np.cumsum(n_s) - n_s)[of]
    start = np.searchsorted(of, np.arange(len(first)))
    gap = np.abs(s / n_s[of] - d / n_d[of])
    own_d, own_s = _steps(d, start), _steps(s, start)
    wins = own_s * (d - own_d / 2)
    return Discrimination(
        np.maximum.reduceat(gap, start),
        100 * right / (n_d + n_s) - 50,
        np.add.reduceat(wins, start),
    )


def _steps(running: Whole, start: Whole) -> Whole:
    """What each place adds to a running sum that begins anew at every start."""
    steps = np.diff(running, prepend=0)
    steps[start] = running[start]
    return steps


def of_scores(td: Whole, ts: Whole, score: Floats) -> Discrimination:
    """The same for one table; a score above one half is taken for the copy's."""
    one_table, first = np.zeros(len(td), np.int64), np.zeros(1, np.int64)
    return discrimination(td, ts, score, one_table, first, is_copy=score > 0.5)
