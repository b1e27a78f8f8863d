"""What do larger leaves cost, and what do they spare? A synthesis for each size, measured.

The copies are those of the synthesis alone, before filter and noise, so that the leaves are seen by
themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from unveil.count.scenario import Progress
from unveil.measure.disclosure import disclosure
from unveil.measure.utility.tables import tables
from unveil.read.labelled import Labelled
from unveil.records.protection import SweepRow
from unveil.synthesis.synthesise import synthesise

PARTS = 3
"""How many leaves a node must fill before it is cut, as in `unveil.synthesise`."""


def swept(
    recoded: Any,
    leaves: Sequence[int],
    settings: Mapping[str, Any],
    *,
    keys: Sequence[str],
    targets: Sequence[str] | None,
    seed: int,
    progress: Progress,
) -> Iterator[SweepRow]:
    """One row for each size of leaves."""
    used = settings.get("min_leaf")
    for place, leaf in enumerate(leaves):
        progress(f"leaves of {leaf}", place, len(leaves))
        own = settings.get("min_split") if leaf == used else None
        split = own or PARTS * leaf
        made = synthesise(
            recoded, **{**settings, "min_leaf": leaf, "min_split": split, "seed": seed}
        )
        copy = made.copies[0]
        shown = copy if made.codebook is None else Labelled(copy, made.codebook)
        codes = settings.get("special_codes")
        risks = _risks(recoded, shown, keys, targets)
        yield SweepRow(
            min_leaf=leaf,
            min_split=split,
            is_used=leaf == used,
            S_pMSE=_likeness(recoded, shown, codes),
            **risks,
        )


def _risks(
    recoded: Any, copy: Any, keys: Sequence[str], targets: Sequence[str] | None
) -> dict[str, Any]:
    if not keys:
        return {"repU": None, "DiSCO": None, "worst_DiSCO": None, "worst_target": None}
    found = disclosure(recoded, copy, keys=keys, targets=targets)
    rows = [row for row in found.attribute if row.DiSCO is not None]
    worst = max(rows, key=lambda row: row.DiSCO or 0.0, default=None)
    return {
        "repU": found.identity[0].repU,
        "DiSCO": sum(row.DiSCO or 0.0 for row in rows) / len(rows) if rows else None,
        "worst_DiSCO": None if worst is None else worst.DiSCO,
        "worst_target": None if worst is None else worst.target,
    }


def _likeness(recoded: Any, copy: Any, codes: Any) -> float | None:
    """The median of S_pMSE over all pairs of columns; 1 is as like as chance allows."""
    rows = tables(recoded, copy, special_codes=codes).record.rows
    found = [row.S_pMSE for row in rows if row.S_pMSE is not None]
    return median(found) if found else None
