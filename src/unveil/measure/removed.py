"""How many records did each exclusion take out of each sum?

A record that several rules hit is counted for the first of them, in the order they act.
"""

from collections.abc import Iterator, Mapping

from unveil.count.exclusions import Exclusions
from unveil.count.packing import Whole
from unveil.count.profile import Profile
from unveil.measure.attribute import disco
from unveil.measure.identity import uniques
from unveil.records.copies import Copy
from unveil.records.exclusions import Excluded, ExcludedIdentity


def removed_records(
    p: Profile, copy: Copy, target: int, exclusions: Exclusions
) -> Iterator[Excluded]:
    """For each rule about this target, what it took out; then what is left."""
    x_d, x_s = p.marks
    sums = {
        "original": p.totals(p.d_tq, by=x_d),
        "synthetic": p.totals(p.s_tq, by=x_s),
        "Dsyn": p.totals(p.s_tq, by=x_s, given=p.ps_is_1),
    }
    for symbol, counted in disco.COUNTED.items():
        sums[symbol] = p.totals(p.d_tq, by=x_d, given=counted(p))
    name = exclusions.scenario.target_names[target]
    for number in (*exclusions.concerning(target), 0):
        rule = exclusions.texts[number - 1] if number else None
        yield Excluded(target=name, copy=copy, rule=rule, **_under(number, sums))


def removed_identity(
    profiles: Mapping[Copy, Profile], exclusions: Exclusions
) -> Iterator[ExcludedIdentity]:
    """For each rule about missing keys, what it took out; then what is left."""
    for copy, p in profiles.items():
        x, _ = p.marks
        sums = {
            "original": p.totals(p.d_tq, by=x),
            "synthetic": p.totals(p.s_tq, by=x),
            "UiS": p.totals(p.s_tq, by=x, given=p.s_q == 1),
        }
        for symbol, counted in uniques.COUNTED.items():
            sums[symbol] = p.totals(p.d_tq, by=x, given=counted(p))
        for number in (*exclusions.hit_keys, 0):
            rule = exclusions.texts[number - 1] if number else None
            yield ExcludedIdentity(copy=copy, rule=rule, **_under(number, sums))


def _under(number: int, sums: Mapping[str, Whole]) -> dict[str, int]:
    """The sums under one number; a rule that hits nobody is under none."""
    return {symbol: int(by[number]) if number < len(by) else 0 for symbol, by in sums.items()}
