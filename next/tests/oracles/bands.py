"""Which band does each number fall into? In exact fractions, over all files together.

A band reaches from one break up to, not including, the next, and the last one has no end. Missing
is missing, and a special code is a level of its own; neither has a say in where the breaks are.
"""

from collections.abc import Collection, Hashable, Sequence
from fractions import Fraction
from math import floor

Numbers = Sequence[Fraction | None]


def quantile(ordered: Sequence[Fraction], share: Fraction) -> Fraction:
    """R's type 7: walk that share of the way from the first to the last value."""
    steps = (len(ordered) - 1) * share
    before = floor(steps)
    if steps == before:
        return ordered[before]
    return ordered[before] + (steps - before) * (ordered[before + 1] - ordered[before])


def quantile_breaks(values: Sequence[Fraction], n: int) -> list[Fraction]:
    ordered = sorted(values)
    return sorted({quantile(ordered, Fraction(i, n)) for i in range(n + 1)})


def equal_breaks(values: Sequence[Fraction], n: int) -> list[Fraction]:
    low, high = min(values), max(values)
    return sorted({low + Fraction(i, n) * (high - low) for i in range(n + 1)})


def breaks_of(values: Sequence[Fraction], style: str, n: int) -> list[Fraction]:
    """Quantiles unless ties leave fewer than three of three or more bands; then equal widths.

    The lowest and the highest value are no breaks: they belong to the outer bands.
    """
    breaks = quantile_breaks(values, n)
    if style == "equal" or len(breaks) - 1 < min(n, 3):
        breaks = equal_breaks(values, n)
    return breaks[1:-1]


def band(value: Fraction, breaks: Sequence[Fraction]) -> int:
    """0 is below all breaks, 1 from the first one on, and so on."""
    return sum(value >= one for one in breaks)


def banded(
    files: Sequence[Numbers],
    *,
    style: str = "quantile",
    n: int = 0,
    breaks: Sequence[Fraction] | None = None,
    special: Collection[Fraction] = (),
) -> list[list[Hashable]]:
    """Each file's column with every number replaced by the index of its band."""
    numbers = [v for file in files for v in file if v is not None and v not in special]
    if breaks is None and numbers:
        breaks = breaks_of(numbers, style, n)

    def level(value: Fraction | None) -> Hashable:
        if value is None:
            return None
        return ("code", value) if value in special else ("band", band(value, breaks))

    return [[level(value) for value in file] for file in files]
