"""Which cuts of a tree are worth their price? rpart's rule, which is settled while it grows.

The price of a cut is cp times the errors at the root. rpart visits the nodes from the left, and
what the left branch saved says how much is still to be had on the right; so it leaves branches
alone that pruning of the full tree, the least errors plus price for each leaf, would keep.
"""

from dataclasses import dataclass


@dataclass
class _Visit:
    """The nodes, and the complexity that rpart notes at each."""

    errors: list[int]
    left: list[int]
    price: float
    complexity: list[float]

    def partition(self, node: int, given: float) -> tuple[int, float]:
        """Cuts kept below a node, and the errors left with them."""
        errors, son = self.errors[node], self.left[node]
        hope = min(errors, given)
        if son < 0 or hope <= self.price:
            self.left[node] = -1
            return 0, errors
        n_left, left = self.partition(son, hope - self.price)
        saved = max((errors - left) / (n_left + 1), errors - self.errors[son])
        n_right, right = self.partition(son + 1, min(saved, given) - self.price)
        if n_left or n_right:
            n_cuts, below = self._after_collapse(node, (n_left, left), (n_right, right))
        else:
            n_cuts, below = 0, left + right
        worth = (errors - below) / (n_cuts + 1)
        if worth <= self.price:
            self.left[node] = -1
            return 0, errors
        self.complexity[node] = worth
        return n_cuts + 1, below

    def _after_collapse(
        self, node: int, left: tuple[int, float], right: tuple[int, float]
    ) -> tuple[int, float]:
        """Cuts and errors below, once the children that give way before their parent have."""
        son, errors = self.left[node], self.errors[node]
        weak, strong = (son, son + 1), (left, right)
        if self.complexity[son + 1] <= self.complexity[son]:
            weak, strong = (son + 1, son), (right, left)
        (n_first, first), (n_second, second) = strong
        worth = (errors - first - second) / (n_first + n_second + 1)
        if worth > self.complexity[weak[0]]:
            n_first, first = 0, self.errors[weak[0]]
            worth = (errors - first - second) / (n_second + 1)
            if worth > self.complexity[weak[1]]:
                n_second, second = 0, self.errors[weak[1]]
        return n_first + n_second, first + second


def pruned(errors: list[int], left: list[int], price: float, root: int) -> list[int]:
    """The leaves of rpart's tree below a root, from the left.

    `errors` are those of each node as a leaf, `left` the number of its left child (the right one
    is the next) or -1. A cut stays where its complexity, the errors saved for each cut at and
    below it, is more than the price: Therneau and Atkinson (2022), section 3.1.
    """
    visit = _Visit(errors, left, price, [price] * len(errors))
    visit.partition(root, errors[root])
    leaves, nodes = [], [root]
    while nodes:
        node = nodes.pop()
        if left[node] < 0:
            leaves.append(node)
        else:
            nodes += [left[node] + 1, left[node]]
    return leaves
