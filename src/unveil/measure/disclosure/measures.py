"""Which measures are there, what do they mean, and where do they come from?

Each formula registers itself here once, with the symbol people know it by, its equation, and the
reason it gives when it cannot be measured. Records and the tests of documentation read the
catalogue, so that a measure cannot be forgotten.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from unveil.count.profile import Profile

# Why a figure may be undefined, in words that several measures share.
NOBODY = "the original has no records"
NO_COPY = "the synthetic data have no records"

Kind = Literal["identity", "attribute"]
Figure = float | int | None
Formula = TypeVar("Formula", bound=Callable[..., Figure])


@dataclass(frozen=True)
class Measure:
    """One entry: a formula over a profile, or over figures already measured."""

    symbol: str
    kind: Kind
    equation: str
    undefined: str
    formula: Callable[..., Figure]
    derived_from: tuple[str, ...]

    def figure(self, profile: Profile, figures: dict[str, Figure]) -> Figure:
        """The measure of one profile, given the figures measured before it."""
        if not self.derived_from:
            return self.formula(profile)
        parts = [figures[symbol] for symbol in self.derived_from]
        return None if None in parts else self.formula(*parts)


CATALOGUE: dict[str, Measure] = {}


def measure(
    symbol: str,
    *,
    equation: str,
    kind: Kind = "attribute",
    undefined: str = "never undefined",
    of: Sequence[str] = (),
) -> Callable[[Formula], Formula]:
    """Register a formula; with `of`, it is a function of those figures instead of the profile."""

    def register(formula: Formula) -> Formula:
        CATALOGUE[symbol] = Measure(symbol, kind, equation, undefined, formula, tuple(of))
        return formula

    return register


def figures_of(profile: Profile, kind: Kind) -> dict[str, Figure]:
    """Every measure of one kind, in the order they were written."""
    figures: dict[str, Figure] = {}
    for entry in CATALOGUE.values():
        if entry.kind == kind:
            figures[entry.symbol] = entry.figure(profile, figures)
    return figures
