"""Whom does a figure count? Person by person, with numbers near enough taken for equal.

A file is a list of rows ``(key, target)``; None is missing. Nothing here comes from unveil.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction

Row = tuple[tuple[Hashable, ...], object]


def agree(one, other, radius: Fraction, apart: Sequence = ()) -> bool:
    """Numbers that differ by no more than the radius; missing and special codes are themselves."""
    if one is None or other is None or one in apart or other in apart or isinstance(one, str):
        return one == other
    return abs(Fraction(one) - Fraction(other)) <= radius


def counted(
    original: Sequence[Row],
    synthetic: Sequence[Row],
    radius: Fraction = Fraction(0),
    apart: Sequence = (),
) -> dict[str, list[bool]]:
    """For each figure, whether it counts each person."""
    found: dict[str, list[bool]] = {}
    for key, truth in original:
        mine = [target for other, target in original if other == key]
        shown = [target for other, target in synthetic if other == key]

        def single(values: list) -> bool:
            return all(agree(a, b, radius, apart) for a in values for b in values)

        is_determined = bool(shown) and single(shown)
        is_correct = is_determined and all(agree(truth, one, radius, apart) for one in shown)
        person = {
            "UiO": len(mine) == 1,
            "UiOiS": len(mine) == 1 and bool(shown),
            "repU": len(mine) == 1 == len(shown),
            "Dorig": single(mine),
            "iS": bool(shown),
            "DiS": is_determined,
            "DiSCO": is_correct,
            "DiSDiO": is_correct and single(mine),
        }
        for measure, is_counted in person.items():
            found.setdefault(measure, []).append(is_counted)
    return found


def guesses(original, synthetic, radius: Fraction, apart: Sequence = ()) -> list[Fraction]:
    """For each person, how often a draw among the matching records is near enough."""
    found = []
    for key, truth in original:
        shown = [target for other, target in synthetic if other == key]
        n = sum(agree(truth, one, radius, apart) for one in shown)
        found.append(Fraction(n, len(shown)) if shown else Fraction(0))
    return found


def at_random(original, synthetic, radius: Fraction, apart: Sequence = ()) -> Fraction:
    """Correct, if what is stated of each person were stated of somebody taken at random."""
    total = Fraction(0)
    for key, _ in original:
        shown = [target for other, target in synthetic if other == key]
        if shown and all(agree(a, b, radius, apart) for a in shown for b in shown):
            n = sum(all(agree(t, one, radius, apart) for one in shown) for _, t in original)
            total += Fraction(n, len(original))
    return total
