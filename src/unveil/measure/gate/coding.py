"""Do two columns say the same things in another coding?

A pure function of two columns, levels and records of either, and of linked records where there are
some: proposals how one coding becomes the other, the strongest first. None means that nothing
speaks against the same coding. Rules and thresholds are in docs/gate_coding.md.
"""

from collections.abc import Sequence

import numpy as np

from unveil.measure.gate.coding_coarser import find_coarser
from unveil.measure.gate.coding_link_numbers import find_linked_numbers
from unveil.measure.gate.coding_links import find_linked_levels
from unveil.measure.gate.coding_missing import find_missing
from unveil.measure.gate.coding_numbers import find_number_codings
from unveil.measure.gate.coding_pair import CodingPair, CodingProposal, LinkedCodes
from unveil.measure.gate.coding_text import (
    find_loose_spellings,
    find_prefixes,
    find_renamed,
    find_replaced,
    find_spellings,
    find_united,
)
from unveil.measure.gate.columns import ORIGINAL


def propose_codings(
    pair: CodingPair, links: Sequence[LinkedCodes] = ()
) -> tuple[CodingProposal, ...]:
    """How the synthetic column may be coded differently: one proposal of each kind at most."""
    if not all(pair.totals):
        return tuple(find_missing(pair))
    found = [*find_spellings(pair), *find_missing(pair)]
    loose = find_loose_spellings(pair)
    if loose is not None:
        found.append(loose[0])
        pair = loose[1]
    found += [
        *find_number_codings(pair),
        *find_coarser(pair, links),
        *find_prefixes(pair),
        *find_renamed(pair),
        *find_united(pair),
    ]
    for one in links:
        found += [*find_linked_numbers(pair, one), *find_linked_levels(pair, one)]
    if not found:
        found += find_replaced(pair)
    return _strongest(found)


def _strongest(found: Sequence[CodingProposal]) -> tuple[CodingProposal, ...]:
    """One proposal of each kind, linked records before values alone, the strongest first."""
    best: dict[str, CodingProposal] = {}
    if any(one.is_joint and one.kind in ("renamed", "coarser") for one in found):
        found = [one for one in found if one.is_joint or one.kind != "renamed"]
    for one in found:
        known = best.get(one.kind)
        if known is None or (one.is_joint, one.gain) > (known.is_joint, known.gain):
            best[one.kind] = one
    return tuple(sorted(best.values(), key=lambda one: -one.gain))


def has_common_value(pair: CodingPair) -> bool:
    """Whether some value is in both files, or none could be expected to be.

    Where hardly two people share a value, fresh values of honest data meet none.
    """
    mine = pair.held[ORIGINAL]
    if not all(pair.totals) or (pair.is_met & pair.is_back).any():
        return True
    folded, place = np.unique(pair.reading.folded, return_inverse=True)
    people = np.bincount(place, pair.counts[ORIGINAL] * mine, len(folded))
    shared = people[people > 1].sum()
    return bool(shared < max(20, 0.1 * people.sum()))
