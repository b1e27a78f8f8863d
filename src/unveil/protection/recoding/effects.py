"""How well can people be told apart by their keys, before a step and after it?"""

from collections.abc import Sequence

import numpy as np

from unveil.count.cells import count_keys
from unveil.count.meeting import doubtful_levels, refuse_disjoint
from unveil.count.scenario import encode_all
from unveil.read.align import align
from unveil.read.table import Table
from unveil.records.disclosure import Coercion
from unveil.records.match_risk import Anonymity
from unveil.records.recoding import KeyFigures

ANONYMITY = (2, 3, 5)


def refuse_apart(tables: Sequence[Table], keys: Sequence[str]) -> None:
    """Refuse keys that have no level in common with those of the copy."""
    if keys and len(tables) > 1:
        refuse_disjoint(encode_all(align(tables, keys), keys), tables)


def key_figures(
    tables: Sequence[Table], keys: Sequence[str]
) -> tuple[KeyFigures | None, tuple[Coercion, ...]]:
    """Uniques, k-anonymity and, with a copy, repU by the keys that are left; None without any.

    Beside them stands what should be known of how the keys were compared with those of the copy.

    Notes
    -----
    A record breaks k-anonymity when fewer than k records have its keys, itself among them; missing
    is a level, so that those who break 2-anonymity are the uniques (Raab 2024, equation 2).
    repU = 100 sum(d_q | d_q = 1 and s_q = 1) / N_d (equation 5).
    """
    there = [key for key in keys if all(key in table.frame.columns for table in tables)]
    if not there:
        return None, ()
    aligned = align(tables, there)
    columns = encode_all(aligned, there)
    notes = (*aligned.coercions, *doubtful_levels(columns, tables))
    counts = count_keys(columns, columns[0].sides).counts
    d_q = counts[0].astype(np.int64)
    n = int(d_q.sum())
    n_replicated = int(((d_q == 1) & (counts[1] == 1)).sum()) if len(counts) > 1 else None
    below = [int(d_q[d_q < k].sum()) for k in ANONYMITY]
    figures = KeyFigures(
        keys=tuple(there),
        n_records=n,
        n_q=int((d_q > 0).sum()),
        n_uniques=below[0],
        UiO=100 * below[0] / n,
        anonymity=tuple(
            Anonymity(k=k, n=broken, share=broken / n)
            for k, broken in zip(ANONYMITY, below, strict=True)
        ),
        n_replicated=n_replicated,
        repU=None if n_replicated is None else 100 * n_replicated / n,
    )
    return figures, notes
