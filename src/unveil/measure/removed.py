"""How many records did each exclusion take out of each sum?

A record that several rules hit is counted for the first of them, in the order they act.
"""

from collections.abc import Iterator, Mapping

from unveil.count.exclusions import Exclusions
from unveil.count.profile import Mask, Profile
from unveil.measure.attribute import disco
from unveil.measure.identity import uniques
from unveil.records.copies import Copy
from unveil.records.exclusions import Excluded, ExcludedIdentity


def removed_records(
    p: Profile, copy: Copy, target: int, exclusions: Exclusions
) -> Iterator[Excluded]:
    """For each rule about this target, what it took out; then what is left."""
    x_d, x_s = p.marks
    of_cells = {symbol: counted(p) for symbol, counted in disco.COUNTED.items()}
    for number in (*exclusions.concerning(target), 0):
        by_d, by_s = x_d == number, x_s == number
        sums = {symbol: p.total(p.d_tq, given=here & by_d) for symbol, here in of_cells.items()}
        yield Excluded(
            target=exclusions.scenario.target_names[target],
            copy=copy,
            rule=exclusions.texts[number - 1] if number else None,
            original=p.total(p.d_tq, given=by_d),
            synthetic=p.total(p.s_tq, given=by_s),
            Dsyn=p.total(p.s_tq, given=p.ps_is_1 & by_s),
            **sums,
        )


def removed_identity(
    profiles: Mapping[Copy, Profile], exclusions: Exclusions
) -> Iterator[ExcludedIdentity]:
    """For each rule about missing keys, what it took out; then what is left."""
    for copy, p in profiles.items():
        x, _ = p.marks
        of_keys = {symbol: counted(p) for symbol, counted in uniques.COUNTED.items()}
        for number in (*exclusions.hit_keys, 0):
            by: Mask = x == number
            sums = {symbol: p.total(p.d_tq, given=here & by) for symbol, here in of_keys.items()}
            yield ExcludedIdentity(
                copy=copy,
                rule=exclusions.texts[number - 1] if number else None,
                original=p.total(p.d_tq, given=by),
                synthetic=p.total(p.s_tq, given=by),
                UiS=p.total(p.s_tq, given=(p.s_q == 1) & by),
                **sums,
            )
