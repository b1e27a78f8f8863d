"""Which column of the copy is which of the original: by name, by capitals aside, or misspelt?"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

MOST_COMPARED = 200
"""Columns without a partner on either side beyond which nobody looks for misspelt names."""

_ALIKE = 0.8


@dataclass(frozen=True)
class Pairs:
    """Columns that belong together, by their name in the original, and those left alone."""

    by_name: dict[str, str]  # the copy's name of each column of the original
    only_original: tuple[str, ...]
    only_synthetic: tuple[str, ...]

    @property
    def renamed(self) -> dict[str, str]:
        """The columns that the copy spells otherwise."""
        return {ours: theirs for ours, theirs in self.by_name.items() if ours != theirs}


def paired(original: Sequence[str], synthetic: Sequence[str]) -> Pairs:
    """Each column with its partner: the same name, the same but for capitals, or a likely slip."""
    shared = set(original) & set(synthetic)
    theirs = [name for name in synthetic if name not in shared]
    by_name = {name: name for name in original if name in shared}
    alone = [name for name in original if name not in by_name]
    _by_capitals(alone, theirs, by_name)
    if len(alone) <= MOST_COMPARED and len(theirs) <= MOST_COMPARED:
        _by_likeness(alone, theirs, by_name)
    in_order = {name: by_name[name] for name in original if name in by_name}
    return Pairs(in_order, tuple(alone), tuple(theirs))


def _by_capitals(alone: list[str], theirs: list[str], by_name: dict[str, str]) -> None:
    for name in tuple(alone):
        same = [other for other in theirs if other.strip().casefold() == name.strip().casefold()]
        if len(same) == 1:
            _take(name, same[0], alone, theirs, by_name)


def _by_likeness(alone: list[str], theirs: list[str], by_name: dict[str, str]) -> None:
    """Only where each is the other's nearest: q1 and q2 are neighbours, not misspelt."""
    for name in tuple(alone):
        close = get_close_matches(name, theirs, n=1, cutoff=_ALIKE)
        if close and get_close_matches(close[0], alone, n=1, cutoff=_ALIKE) == [name]:
            _take(name, close[0], alone, theirs, by_name)


def _take(
    name: str, other: str, alone: list[str], theirs: list[str], by_name: dict[str, str]
) -> None:
    by_name[name] = other
    alone.remove(name)
    theirs.remove(other)
