"""Numbers that are near enough: what is disclosed of a numeric target within a tolerance?

Raab (2024), section 3.4: count as disclosure where original and synthetic values differ by less
than a threshold. A number is determined where the matching records agree with each other, that is,
differ by at most r; it is correct where each of them differs from the truth by at most r. With r =
0 these are DiS and DiSCO. Both grow with r, for each condition only weakens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.count.packing import Shares
from unveil.measure.cap.classes import (
    KeyClasses,
    Pool,
    classes_of,
    join_targets,
    parse_tolerance,
)
from unveil.measure.disclosure.figures import mean_rows
from unveil.records.base import Copy
from unveil.records.disclosure import ToleranceRow
from unveil.study.excluded import Exclusions

FIGURES = ("n_determined", "n_correct", "at_random", "Dorig", "DiS", "DiSCO", "CAPd", "DCAP")


@dataclass(frozen=True)
class Tolerances:
    """How far numbers of each target may be apart and still agree; special codes stand alone."""

    radii: Mapping[str, float] = field(default_factory=dict)
    special_codes: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, given: Any, targets: Sequence[str], special_codes: Mapping[str, Sequence[float]]
    ) -> "Tolerances":
        """Those of these targets, or a refusal."""
        return cls(parse_tolerance(given, targets, "targets"), special_codes)

    def rows(self, exclusions: Exclusions) -> tuple[ToleranceRow, ...]:
        """Each target that has a tolerance, in every copy, their mean and all of them pooled."""
        found = [
            _row(exclusions.on(pair), copy, name, self)
            for name in self.radii
            for copy, pair in exclusions.scenario.pairs()
        ]
        return mean_rows(found, FIGURES, by=("target",))


NO_TOLERANCES = Tolerances()


def _row(exclusions: Exclusions, copy: Copy, name: str, near: Tolerances) -> ToleranceRow:
    """One target in one copy, or in all of them pooled."""
    pair = exclusions.scenario
    place = pair.target_names.index(name)
    joint = join_targets([pair.target_columns[place]], {name: near.radii[name]}, near.special_codes)
    classes = classes_of(pair, pair.key_names, joint)
    (original,), (pool,) = classes.pools([0]), classes.pools([1])
    is_kept = exclusions.keep_rows(place, np.arange(classes.n_original))
    w = np.bincount(classes.own_of_row[is_kept], minlength=len(classes.own))
    n, n_determined, n_correct = classes.n_original, w[pool.settled].sum(), w[pool.right].sum()

    def guess(of: Pool) -> float | None:
        return Shares.of(w * of.agreeing, of.matching).percent(of=n)

    return ToleranceRow(
        target=name,
        copy=copy,
        radius=near.radii[name],
        n_determined=int(n_determined),
        n_correct=int(n_correct),
        at_random=float((w * _chances(classes))[pool.settled].sum()),
        Dorig=100 * int(w[original.settled].sum()) / n if n else None,
        DiS=100 * int(n_determined) / n if n else None,
        DiSCO=100 * int(n_correct) / n if n else None,
        CAPd=guess(original),
        DCAP=guess(pool),
    )


def _chances(classes: KeyClasses) -> Floats:
    """Of all people, those with whose value every synthetic record of each cell's keys agrees."""
    near, level_of = classes.joint.near[0], classes.joint.places[0]
    d: Ints = np.bincount(level_of[classes.t], classes.d_tq, len(near.place)).astype(np.int64)
    up_to = np.concatenate(([0], np.cumsum(d)))
    lowest, highest = (end[classes.q] for end in classes.ends(classes.cells.counts[1] > 0))
    shares: Floats = (up_to[near.past[lowest]] - up_to[near.low[highest]]) / max(d.sum(), 1)
    return shares
