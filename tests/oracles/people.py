"""How many people does a figure count, where people have several rows? Person by person.

A file is a list of rows; a row is a person (None: not known whose, so a person of its own), keys
and one target. A person counts as soon as one of their rows does.
"""

from collections.abc import Sequence
from fractions import Fraction

Row = tuple[object, tuple, object]


def whose(rows: Sequence[Row]) -> list[object]:
    return [("row", n) if row[0] is None else ("person", row[0]) for n, row in enumerate(rows)]


def holders(rows: Sequence[Row], keys: tuple) -> set:
    """The people who have a row with these keys."""
    return {who for who, row in zip(whose(rows), rows, strict=True) if row[1] == keys}


def values(rows: Sequence[Row], keys: tuple) -> set:
    """The values of the target that rows with these keys have."""
    return {row[2] for row in rows if row[1] == keys}


def fewest_sharing(rows: Sequence[Row]) -> dict[object, int]:
    """For each person, how few people share the keys of the rarest of their rows."""
    found: dict[object, int] = {}
    for who, row in zip(whose(rows), rows, strict=True):
        n = len(holders(rows, row[1]))
        found[who] = min(n, found.get(who, n))
    return found


def figures(original: Sequence[Row], synthetic: Sequence[Row]) -> dict[str, Fraction]:
    """Percent of the people of the original, by measure; the target is of the attribute ones."""

    def is_counted(measure: str, row: Row) -> bool:
        _, keys, value = row
        theirs, shown = values(original, keys), values(synthetic, keys)
        n_there = len(holders(synthetic, keys))
        is_alone = len(holders(original, keys)) == 1
        return {
            "UiO": is_alone,
            "UiOiS": is_alone and n_there > 0,
            "repU": is_alone and n_there == 1,
            "Dorig": len(theirs) == 1,
            "iS": n_there > 0,
            "DiS": len(shown) == 1,
            "DiSCO": shown == {value},
            "DiSDiO": shown == {value} and len(theirs) == 1,
        }[measure]

    people = whose(original)
    return {
        measure: Fraction(
            100
            * len({w for w, row in zip(people, original, strict=True) if is_counted(measure, row)}),
            len(set(people)),
        )
        for measure in ("UiO", "UiOiS", "repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO")
    }
