"""Who is shown which single value, and is it theirs? Person by person, under exclusions.

A person is out by their own value, for that is how sums are taken; a claim is out by the value
shown, for an intruder does not know the other. Files are lists of rows ``(key, target)``.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracles.exclusions import Rule, Seen, guard, in_order, watch
from oracles.raab import File, agree, drawers


@dataclass(frozen=True)
class Showing:
    """One person who is shown a single value."""

    place: int  # in the original
    own: Hashable
    value: Hashable
    is_counted: bool  # the person is not excluded
    is_claim: bool  # the value is not

    @property
    def is_correct(self) -> bool:
        return self.value == self.own


def showings(original: File, synthetic: File, rules: Iterable[Rule], target: str) -> list[Showing]:
    people, _ = watch(original, synthetic, rules, target)
    standing, copy = in_order(rules), drawers(synthetic)
    like, like_in_copy = Counter(original), Counter(synthetic)
    found = []
    for place, person in enumerate(people):
        lookalikes = copy.get(person.key, [])
        if agree(lookalikes):
            cell = person.key, lookalikes[0]
            claim = Seen(*cell, like[cell], like_in_copy[cell], {})
            is_claim = guard(standing, target, claim) is None
            is_counted = person.turned_away_by is None
            found.append(Showing(place, person.target, lookalikes[0], is_counted, is_claim))
    return found


def shares(everyone: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    """The part of everybody who has each level."""
    return {level: Fraction(n, len(everyone)) for level, n in Counter(everyone).items()}


def right_by_shares(
    shown: Iterable[Showing], public: dict[Hashable, Fraction] | None
) -> Fraction | None:
    """How many claims would be right by what is public of each level alone."""
    if public is None:
        return None
    return sum((public.get(s.value, Fraction(0)) for s in shown if s.is_claim), Fraction(0))


def uncommon(original: File, shown: Sequence[Showing], order: Sequence[Hashable]) -> int:
    """Shown correctly a value that is not the most common, the first in order among equals."""
    having = Counter(value for _, value in original)
    mode = max(order, key=lambda level: having[level])
    return sum(s.is_correct and s.is_counted and s.own != mode for s in shown)


def values(
    original: File, shown: Sequence[Showing], order: Sequence[Hashable]
) -> dict[Hashable, dict[str, int]]:
    """For each level who has it, is shown it correctly, and is shown it and has another."""
    counted = [person for person in shown if person.is_counted]
    return {
        level: {
            "people": sum(own == level for _, own in original),
            "correct": sum(s.value == level and s.is_correct for s in counted),
            "wrong": sum(s.value == level and not s.is_correct for s in counted),
        }
        for level in order
    }


def sensitive(
    original: File,
    synthetic: File,
    rules: Iterable[Rule],
    target: str,
    level: Hashable,
    public: dict[Hashable, Fraction] | None,
    owners: Sequence[Hashable],
) -> dict[str, Fraction | int | None]:
    """One value that is declared sensitive: who has it, is shown it, and in whole classes."""
    shown = showings(original, synthetic, rules, target)
    having = values(original, shown, [level])[level]
    of_level = [s for s in shown if s.value == level]
    real = drawers(original)
    members = [
        original[s.place][0]
        for s in of_level
        if s.is_correct and s.is_counted and agree(real[original[s.place][0]])
    ]
    classes = [
        key
        for key in set(members)
        if len({owner for owner, row in zip(owners, original, strict=True) if row[0] == key}) > 1
    ]
    return {
        "people": having["correct"],
        "of": having["people"],
        "shares": right_by_shares(of_level, public),
        "correct": having["correct"],
        "classes": len(classes),
        "in_classes": sum(len(real[key]) for key in classes),
        "falsely_shown": having["wrong"],
    }
