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


# Trees as nested tuples, (column, threshold, left, right), None for a leaf; rows as tuples.


def leaf_rows(tree, matrix, rows=None):
    """The numbers of the rows in each leaf, from left to right; a leaf may hold none."""
    rows = list(range(len(matrix))) if rows is None else rows
    if tree is None:
        return [rows]
    column, threshold, left, right = tree
    goes_left = [row for row in rows if matrix[row][column] <= threshold]
    others = [row for row in rows if matrix[row][column] > threshold]
    return [*leaf_rows(left, matrix, goes_left), *leaf_rows(right, matrix, others)]


def merge_leaves(tree, matrix, people, least, rows=None):
    """The tree whose leaves hold enough people; `least` are those of a leaf, and of a cut."""
    rows = list(range(len(matrix))) if rows is None else rows
    if tree is None or len({people[row] for row in rows}) < least[1]:
        return None
    column, threshold, *below = tree
    sides = (
        [row for row in rows if matrix[row][column] <= threshold],
        [row for row in rows if matrix[row][column] > threshold],
    )
    enough = [len({people[row] for row in side}) >= least[0] for side in sides]
    if all(enough):
        pairs = zip(below, sides, strict=True)
        made = (merge_leaves(one, matrix, people, least, side) for one, side in pairs)
        return (column, threshold, *made)
    if any(enough):
        return merge_leaves(below[enough.index(True)], matrix, people, least, rows)
    return None
