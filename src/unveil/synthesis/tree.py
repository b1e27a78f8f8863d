"""Where does a row end in a tree? The cuts of a tree alone, without the values it was grown on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int32]

LEAF = -1


@dataclass(frozen=True)
class Cuts:
    """A binary tree as arrays, one entry for every node; node 0 is the root.

    A row goes left where its predictor is at most the threshold. Leaves have no children: -1.
    """

    feature: Nodes
    threshold: NDArray[np.float64]
    left: Nodes
    right: Nodes

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        leaf: NDArray[np.bool_] = self.left == LEAF
        return leaf

    def leaves_of(self, matrix: NDArray[np.float32]) -> Nodes:
        """The leaf, by its node, that each row of a matrix ends in."""
        n_rows = len(matrix)
        found = np.zeros(n_rows, dtype=np.int32)
        if self.left[0] == LEAF or not n_rows:
            return found
        entries = np.ravel(matrix, order="F")  # column after column: one index finds an entry
        column_start = self.feature.astype(np.intp) * n_rows
        children = np.stack([self.right, self.left], axis=1).ravel().astype(np.intp)
        is_leaf = self.is_leaf
        row, node = np.arange(n_rows), np.zeros(n_rows, dtype=np.intp)
        while len(row):
            goes_left = entries[column_start[node] + row] <= self.threshold[node]
            node = children[2 * node + goes_left]
            ends = is_leaf[node]
            if ends.any():
                found[row[ends]] = node[ends]
                row, node = row[~ends], node[~ends]
        return found

    def without(self, failing: NDArray[np.bool_]) -> "Cuts":
        """The tree in which no leaf is among the failing nodes, other than the root.

        A failing leaf is given up together with the cut above it, from the deepest upwards. Nodes
        keep their places; those that are cut off are out of reach.
        """
        left, right = self.left.copy(), self.right.copy()
        for nodes in reversed(self._by_depth()):
            inner = nodes[left[nodes] != LEAF]
            a, b = left[inner], right[inner]
            given_up = ((left[a] == LEAF) & failing[a]) | ((left[b] == LEAF) & failing[b])
            left[inner[given_up]] = right[inner[given_up]] = LEAF
        return Cuts(self.feature, self.threshold, left, right)

    def _by_depth(self) -> list[Nodes]:
        depths, nodes = [], np.zeros(1, dtype=np.int32)
        while len(nodes):
            depths.append(nodes)
            inner = nodes[self.left[nodes] != LEAF]
            nodes = np.concatenate([self.left[inner], self.right[inner]])
        return depths

    def to_arrays(self) -> dict[str, Any]:
        """For a model file."""
        return {name: getattr(self, name) for name in ("feature", "threshold", "left", "right")}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The tree that `to_arrays` wrote."""
        return cls(arrays["feature"], arrays["threshold"], arrays["left"], arrays["right"])
