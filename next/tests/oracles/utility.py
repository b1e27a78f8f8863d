"""rpart's class tree and the figures of a propensity, record by record, in exact fractions.

A file is a list of tuples; `kinds` says of each column whether it is "number" or "category".
"""

from collections.abc import Sequence
from fractions import Fraction


class Node:
    def __init__(self, rows: list[int], labels: Sequence[int]) -> None:
        n = sum(labels[row] for row in rows)
        self.rows, self.errors = rows, min(n, len(rows) - n)
        self.sons: tuple[Node, Node] | None = None
        self.complexity = Fraction(0)


def impurity(rows: list[int], labels: Sequence[int]) -> Fraction:
    n = sum(labels[row] for row in rows)
    return Fraction(2 * n * (len(rows) - n), len(rows))


def orders(node: Node, column: int, data, labels, kinds) -> list:
    """The levels in a node, in the order along which they may be cut; equals as rpart has them."""
    levels = sorted({data[row][column] for row in node.rows})
    if kinds[column] == "number":
        return levels

    def share(level) -> Fraction:
        own = [labels[row] for row in node.rows if data[row][column] == level]
        return Fraction(sum(own), len(own))

    levels.reverse()  # of equal shares the last one first
    return sorted(levels, key=share)


def best_cut(node: Node, data, labels, kinds, min_leaf: int) -> tuple[list[int], list[int]] | None:
    best, found = impurity(node.rows, labels), None
    for column in range(len(kinds)):
        levels = orders(node, column, data, labels, kinds)
        sizes = range(1, len(levels))
        # rpart goes through the levels of a category from the highest share down.
        for k in sizes if kinds[column] == "number" else reversed(sizes):
            left = [row for row in node.rows if data[row][column] in levels[:k]]
            right = [row for row in node.rows if data[row][column] not in levels[:k]]
            if min(len(left), len(right)) < min_leaf:
                continue
            after = impurity(left, labels) + impurity(right, labels)
            if after < best:
                best, found = after, (left, right)
    return found


def partition(node: Node, grow, price: Fraction) -> tuple[int, int]:
    """The recursion of rpart, as its report describes it."""
    hope = min(node.errors, node.complexity)
    sons = grow(node) if hope > price else None
    if sons is None:
        node.complexity = price
        return 0, node.errors
    node.sons = left, right = sons
    left.complexity = hope - price
    left_cuts, left_errors = partition(left, grow, price)
    saved = max(Fraction(node.errors - left_errors, left_cuts + 1), node.errors - left.errors)
    right.complexity = min(saved, node.complexity) - price
    right_cuts, right_errors = partition(right, grow, price)

    def worth() -> Fraction:
        return Fraction(node.errors - left_errors - right_errors, left_cuts + right_cuts + 1)

    if right.complexity > left.complexity:
        if worth() > left.complexity:
            left_errors, left_cuts = left.errors, 0
            if worth() > right.complexity:
                right_errors, right_cuts = right.errors, 0
    elif worth() > right.complexity:
        right_errors, right_cuts = right.errors, 0
        if worth() > left.complexity:
            left_errors, left_cuts = left.errors, 0
    node.complexity = worth()
    if node.complexity <= price:
        node.sons = None
        return 0, node.errors
    return left_cuts + right_cuts + 1, left_errors + right_errors


def leaves_of(node: Node) -> list[Node]:
    if node.sons is None:
        return [node]
    return leaves_of(node.sons[0]) + leaves_of(node.sons[1])


def tree(data, labels, kinds, *, min_leaf=5, min_split=15, cp=Fraction(1, 1000)) -> list[list[int]]:
    """The records of every leaf, from the left."""

    def grow(node: Node) -> tuple[Node, Node] | None:
        if len(node.rows) < min_split:
            return None
        cut = best_cut(node, data, labels, kinds, min_leaf)
        return None if cut is None else (Node(cut[0], labels), Node(cut[1], labels))

    root = Node(list(range(len(labels))), labels)
    root.complexity = Fraction(root.errors)
    partition(root, grow, cp * root.errors)
    return [leaf.rows for leaf in leaves_of(root)]


def propensities(leaves: list[list[int]], labels: Sequence[int]) -> list[Fraction]:
    made = [Fraction(0)] * len(labels)
    for rows in leaves:
        for row in rows:
            made[row] = Fraction(sum(labels[r] for r in rows), len(rows))
    return made


def pmse(p: Sequence[Fraction], labels: Sequence[int]) -> Fraction:
    c = Fraction(sum(labels), len(labels))
    return sum(((one - c) ** 2 for one in p), Fraction(0)) / len(p)


def specks(p: Sequence[Fraction], labels: Sequence[int]) -> Fraction:
    n_syn = sum(labels)
    n_orig = len(labels) - n_syn
    gaps = []
    for limit in set(p):
        syn = sum(1 for one, label in zip(p, labels, strict=True) if label and one <= limit)
        orig = sum(1 for one, label in zip(p, labels, strict=True) if not label and one <= limit)
        gaps.append(abs(Fraction(syn, n_syn) - Fraction(orig, n_orig)))
    return max(gaps)


def po50(
    p: Sequence[Fraction], labels: Sequence[int], above: Fraction = Fraction(1, 2)
) -> Fraction:
    right = sum((one > above) == bool(label) for one, label in zip(p, labels, strict=True))
    return Fraction(100 * right, len(p)) - 50


def wins(p: Sequence[Fraction], labels: Sequence[int]) -> Fraction:
    """U: pairs of a copy's and an original's record in which the copy's scores higher."""
    syn = [one for one, label in zip(p, labels, strict=True) if label]
    orig = [one for one, label in zip(p, labels, strict=True) if not label]
    halves = sum(2 * (a > b) + (a == b) for a in syn for b in orig)
    return Fraction(halves, 2)
