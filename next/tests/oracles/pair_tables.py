"""The measures of one table, cell by cell, from two lists of records; no array, no library."""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import log, log2, pi, sqrt

from oracles.utility import po50, specks, wins


def measures(original: Sequence[Hashable], copy: Sequence[Hashable]) -> dict[str, float | None]:
    td, ts = Counter(original), Counter(copy)
    cells = sorted({*td, *ts}, key=repr)
    n_d, n_s = len(original), len(copy)
    N, c = n_d + n_s, n_s / (n_d + n_s)
    diff = {cell: ts[cell] - td[cell] * c / (1 - c) for cell in cells}
    expect = {cell: (ts[cell] + td[cell]) * c for cell in cells}
    df = len(cells) - 1
    vw = sum(diff[cell] ** 2 / expect[cell] for cell in cells)
    ft = 4 * sum((sqrt(ts[cell]) - sqrt(td[cell] * c / (1 - c))) ** 2 for cell in cells)
    jsd = sum(
        share * log2(2 * share / (td[cell] / n_d + ts[cell] / n_s)) / 2
        for cell in cells
        for share in (td[cell] / n_d, ts[cell] / n_s)
        if share
    )
    both = [cell for cell in cells if td[cell] and ts[cell]]
    d_both, s_both = sum(td[cell] for cell in both), sum(ts[cell] for cell in both)
    g = 2 * sum(ts[x] * log((ts[x] / s_both) / (td[x] / d_both)) for x in both)
    weighted = sum(abs(diff[cell]) / sqrt(expect[cell]) for cell in cells) / sqrt(2 / pi)
    labels = [0] * n_d + [1] * n_s
    scores = [Fraction(ts[cell], ts[cell] + td[cell]) for cell in (*original, *copy)]
    plain = {
        "df": df,
        "VW": vw,
        "FT": ft,
        "JSD": jsd,
        "G": g if both else None,
        "dfG": len(both) - 1 if both else None,
        "pMSE": vw * c * (1 - c) ** 2 / N,
        "MabsDD": sum(map(abs, diff.values())) / n_s,
        "WMabsDD": weighted,
        "dBhatt": sqrt(max(0.0, 1 - sum(sqrt(td[x] / n_d * ts[x] / n_s) for x in cells))),
        "SPECKS": float(specks(scores, labels)),
        "PO50": float(po50(scores, labels, Fraction(n_s, n_d + n_s))),
        "U": float(wins(scores, labels)),
    }
    return plain | {
        "S_pMSE": vw / df if df else None,
        "S_FT": ft / df if df else None,
        "S_JSD": 2 * N * jsd / df / log(2) if df else None,
        "S_G": g / (len(both) - 1) if len(both) > 1 else None,
        "S_WMabsDD": weighted / df if df else None,
    }


def breaks(values: Sequence[Fraction], n: int) -> list[Fraction]:
    """R's quantiles of type 7 at 1/n, 2/n, ..., duplicates and ends dropped; else equal widths."""
    ordered = sorted(values)
    low, high = ordered[0], ordered[-1]
    cuts = []
    for step in range(1, n):
        at = Fraction(step, n) * (len(ordered) - 1)
        whole = int(at)
        above = ordered[min(whole + 1, len(ordered) - 1)]
        cuts.append(ordered[whole] + (above - ordered[whole]) * (at - whole))
    inner = sorted({cut for cut in cuts if low < cut < high})
    if len(inner) + 1 >= min(n, 3):
        return inner
    equal = [low + (high - low) * Fraction(step, n) for step in range(1, n)]
    return sorted({cut for cut in equal if low < cut < high}) or inner
