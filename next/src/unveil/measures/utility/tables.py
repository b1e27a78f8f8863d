"""All tables of one and of two columns at once, and what tells two files apart in them.

Raab, Nowok and Dibben (2021), section 3; synthpop 1.9-3, `utility.tables`. td and ts are the
records of the original and of the synthetic data in each cell, c the synthetic share of all.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from unveil.measures.utility.columns import Floats, Ints, Mask, Variable

DENSE = 4  # cells for each record, above which only those that occur are counted


class Tables(NamedTuple):
    """The counts of all tables, one after the other, by file and cell."""

    names: list[tuple[str, str]]  # the second is empty for a single column
    starts: Ints  # of each table
    counts: Ints


def count_tables(variables: Sequence[Variable]) -> Tables:
    """Every column and every pair, numbers in groups."""
    files, n = variables[0].rows, len(variables[0].codes)
    codes = [v.groups for v in variables]
    singles = [(v.name, "") for v in variables]
    names = [*singles, *((a.name, b.name) for a, b in combinations(variables, 2))]
    counts = [_count(v.groups, v.n_groups, files) for v in variables]
    for (a, first), (b, second) in combinations(zip(variables, codes, strict=True), 2):
        cells, n_cells = first * b.n_groups + second, a.n_groups * b.n_groups
        if n_cells > DENSE * n:
            found, cells = np.unique(cells, return_inverse=True)
            n_cells = len(found)
        counts.append(_count(cells, n_cells, files))
    sizes = [len(of_file[0]) for of_file in counts]
    by_file = np.stack([np.concatenate(of_file) for of_file in zip(*counts, strict=True)])
    return Tables(names, np.cumsum([0, *sizes[:-1]]), by_file)


def _count(cells: Ints, n_cells: int, files: Sequence[slice]) -> list[Ints]:
    return [np.bincount(cells[rows], minlength=n_cells) for rows in files]


def table_figures(tables: Tables, original: int, synthetic: int) -> dict[str, Floats]:
    """The figures of every table; NaN where a table has none."""
    td, ts = tables.counts[[original, synthetic]]
    table = np.repeat(np.arange(len(tables.names)), np.diff([*tables.starts, len(td)]))
    occurs = td + ts > 0
    td, ts, table = td[occurs], ts[occurs], table[occurs]
    starts = np.searchsorted(table, np.arange(len(tables.names)))

    def sums(values: Floats | Ints) -> Floats:
        return np.add.reduceat(values, starts, dtype=float)

    n_d, n_s = td[table == 0].sum(), ts[table == 0].sum()
    n, c = n_d + n_s, n_s / (n_d + n_s)
    pd, ps = td / n_d, ts / n_s
    difference, expected = ts - td * c / (1 - c), (td + ts) * c
    both = (td > 0) & (ts > 0)
    df: Floats = np.bincount(table).astype(float) - 1
    df_g = sums(both) - 1
    vw = sums(difference**2 / expected)
    ft = 4 * sums((np.sqrt(ts) - np.sqrt(td * c / (1 - c))) ** 2)
    jsd = sums(_bits(pd, pd + ps) + _bits(ps, pd + ps)) / 2
    d_both, s_both = sums(td * both)[table], sums(ts * both)[table]
    quotient = np.divide(ts * d_both, td * s_both, out=np.ones(len(td)), where=both)
    g = 2 * sums(ts * np.log(quotient))
    weighted = sums(np.abs(difference) / np.sqrt(expected)) / np.sqrt(2 / np.pi)
    return {
        "df": df,
        "dfG": df_g,
        "VW": vw,
        "FT": ft,
        "JSD": jsd,
        "G": np.where(df_g < 0, np.nan, g),
        "pMSE": vw * c * (1 - c) ** 2 / n,
        "MabsDD": sums(np.abs(difference)) / n_s,
        "WMabsDD": weighted,
        "dBhatt": np.sqrt(sums((np.sqrt(pd) - np.sqrt(ps)) ** 2) / 2),
        **score_figures(td, ts, ts / (td + ts), ps > pd, starts),
        "S_pMSE": _ratio(vw, df),
        "S_FT": _ratio(ft, df),
        "S_JSD": _ratio(2 * n * jsd / np.log(2), df),
        "S_G": _ratio(g, df_g),
        "S_WMabsDD": _ratio(weighted, df),
    }


def score_figures(
    td: Ints, ts: Ints, score: Floats, taken_for_synthetic: Mask, starts: Ints
) -> dict[str, Floats]:
    """SPECKS, PO50 and U of cells whose records have one propensity; tables begin at `starts`."""
    table = np.repeat(np.arange(len(starts)), np.diff([*starts, len(td)]))
    order = np.argsort(2 * table + score, kind="stable")
    d, s = td[order], ts[order]
    is_new = np.diff(score[order], prepend=-1) > 0
    is_new[starts] = True
    group = np.flatnonzero(is_new)  # of one table and one propensity
    d, s = np.add.reduceat(d, group), np.add.reduceat(s, group)
    first = np.searchsorted(group, starts)
    of = np.repeat(np.arange(len(starts)), np.diff([*first, len(group)]))
    n_d, n_s = np.add.reduceat(d, first), np.add.reduceat(s, first)
    up_to_d = np.cumsum(d) - (np.cumsum(n_d) - n_d)[of]
    up_to_s = np.cumsum(s) - (np.cumsum(n_s) - n_s)[of]
    right = np.add.reduceat(np.where(taken_for_synthetic, ts, td), starts)
    return {
        "SPECKS": np.maximum.reduceat(np.abs(up_to_s / n_s[of] - up_to_d / n_d[of]), first),
        "PO50": 100 * right / (n_d + n_s) - 50,
        "U": np.add.reduceat(s * (up_to_d - d / 2), first),
    }


def _bits(p: Floats, p_and_q: Floats) -> Floats:
    """The divergence of p from the mean of p and q, in bits; 0 log 0 is 0."""
    return p * np.log2(np.where(p > 0, 2 * p / p_and_q, 1))


def _ratio(values: Floats, df: Floats) -> Floats:
    return np.where(df > 0, values / np.maximum(df, 1), np.nan)
