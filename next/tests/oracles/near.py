"""Raab's figures where a number within the tolerance is as good as the number itself.

Records determine a number if they all agree with each other, and do so correctly if they all agree
with the person's own. Exclusions, and cells of the same value, know no tolerance.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracles import survey
from oracles.exclusions import Rule, passed, watch
from oracles.raab import Figure, File, average, drawers, percent


@dataclass(frozen=True)
class Ruler:
    """How far apart two numbers still agree; codes that are no amounts agree with themselves."""

    tolerance: Fraction
    apart: tuple = ()

    def agree(self, value: Hashable, number: Hashable) -> bool:
        return survey.agree(value, number, self.tolerance, self.apart)

    def is_single(self, values: Sequence[Hashable]) -> bool:
        return bool(values) and all(self.agree(a, b) for a in values for b in values)

    def part(self, value: Hashable, values: Sequence[Hashable]) -> Fraction:
        """How much of some values agrees with one."""
        n = sum(self.agree(value, number) for number in values)
        return Fraction(n, len(values)) if values else Fraction(0)


def attribute(
    original: File, synthetic: File, rules: Iterable[Rule], target: str, ruler: Ruler
) -> dict[str, Figure]:
    people, copied = watch(original, synthetic, rules, target)
    real, copy = drawers(original), drawers(synthetic)
    n, everyone = len(original), [value for _, value in original]
    counts: dict[str, Fraction] = dict.fromkeys(
        ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "DCAP"), Fraction(0)
    )
    cells = {}
    for person in passed(people):
        shown, fellows = copy.get(person.key, []), real[person.key]
        is_told, is_settled = ruler.is_single(shown), ruler.is_single(fellows)
        is_right = is_told and ruler.part(person.target, shown) == 1
        counts["Dorig"] += is_settled
        counts["iS"] += bool(shown)
        counts["DiS"] += is_told
        counts["DiSCO"] += is_right
        counts["DiSDiO"] += is_right and is_settled
        counts["CAPd"] += ruler.part(person.target, fellows)
        counts["DCAP"] += ruler.part(person.target, shown)
        if is_right:
            cells[person.key, person.target] = person
    matched = sum(key in copy for key, _ in original)
    figures: dict[str, Figure] = {name: percent(count, n) for name, count in counts.items()}
    settled_copy = sum(ruler.is_single(copy[record.key]) for record in passed(copied))
    guessed = sum(ruler.part(record.target, copy[record.key]) for record in passed(copied))
    return figures | {
        "Dsyn": percent(Fraction(settled_copy), len(synthetic)),
        "CAPs": percent(Fraction(guessed), len(synthetic)),
        "TCAP": percent(counts["DiSCO"], matched),
        "baseCAPd": percent(sum(ruler.part(v, everyone) for v in everyone), n),
        "protection": percent(counts["Dorig"] - counts["DiSCO"], n),
        "max_denom": max((cell.n_like for cell in cells.values()), default=0),
        "mean_denom": average([cell.n_like for cell in cells.values()]),
        "max_denom_syn": max((cell.n_like_in_copy for cell in cells.values()), default=0),
        "mean_denom_syn": average([cell.n_like_in_copy for cell in cells.values()]),
        "correct": int(counts["DiSCO"]),
        "wrong": int(counts["DiS"] - counts["DiSCO"]),
    }
