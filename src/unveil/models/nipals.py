"""Which two directions explain most of a table with gaps? NIPALS, without the table in memory.

Every column of the file is a small table of figures by level (a standardised number, or a dummy for
each level) and the codes of the records. A product with the whole matrix is a look-up, one with its
transpose a sum by level: of a large file nothing of the size of records times dummies is made.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unveil.arrays import Floats, Mask
from unveil.count.codes import Codes
from unveil.count.packing import blocks

MOST_ITERATIONS = 500
TOLERANCE = 1e-11
_LEAP = 6  # rounds from one extrapolation to the next
_STEADY = 0.999
_BLOCK = 2**22  # entries that a dense block may have


@dataclass(frozen=True, eq=False)
class DummyBlock:
    """One column of the file: figures by level and dummy, and which levels are there at all."""

    figures: Floats  # levels by dummies; 0 where missing
    is_held: Mask  # by level

    @property
    def width(self) -> int:
        """How many dummies it has; 1 for a number."""
        return int(self.figures.shape[1])


@dataclass(frozen=True, eq=False)
class PrincipalComponent:
    """One component: a unit vector of loadings, the scores, and how the search went."""

    loadings: Floats
    scores: Floats
    n_iterations: int
    converged: bool
    explained: float


class DummyMatrix:
    """Records by dummies, kept as blocks and codes, less the components already found."""

    def __init__(self, blocks: Sequence[DummyBlock], codes: Sequence[Codes]) -> None:
        self.blocks = tuple(blocks)
        self.codes = tuple(codes)
        self.n_rows = len(codes[0])
        ends = np.cumsum([0, *(block.width for block in blocks)])
        self.places = [slice(a, b) for a, b in pairwise(ends.tolist())]
        self.width = int(ends[-1])
        self.found: list[tuple[Floats, Floats]] = []  # loadings and scores, 0 without a place
        # A small table is kept dense after all: products are much quicker then.
        is_small = self.n_rows * self.width <= _BLOCK
        self.dense = np.concatenate(list(self._dense())) if is_small and self.n_rows else None
        self.held = None if self.dense is None else self._build_mask()

    def without(self, loadings: Floats, scores: Floats) -> None:
        """Take a component out of every cell that is there (deflation)."""
        self.found.append((loadings, np.nan_to_num(scores)))

    def scores(self, p: Floats) -> Floats:
        """Each record regressed on the loadings over what it has: sum x p / sum p^2.

        NaN for a record that has nothing of what the loadings weigh.
        """
        above, below = self._product(p), self._sum_columns(self._by_block(p * p))
        for p_before, t_before in self.found:
            above -= t_before * self._sum_columns(self._by_block(p_before * p))
        with np.errstate(divide="ignore", invalid="ignore"):
            made: Floats = np.where(below > 0, above / below, math.nan)
        return made

    def loadings(self, t: Floats) -> Floats:
        """Each dummy regressed on the scores over the records that have it; not yet of length 1."""
        t = np.nan_to_num(t)
        sums = self._multiply_transposed(t)
        for p_before, t_before in self.found:
            sums -= p_before * self._repeat_blocks(self._held_sums(t * t_before))
        below = self._repeat_blocks(self._held_sums(t * t))
        return np.divide(sums, below, out=np.zeros(self.width), where=below > 0)

    def sum_of_squares(self) -> float:
        """Of every cell that is there, before anything was taken out."""
        return sum(
            float(np.bincount(codes, minlength=len(block.is_held)) @ (block.figures**2).sum(axis=1))
            for block, codes in zip(self.blocks, self.codes, strict=True)
        )

    def compute_reduction(self, p: Floats, t: Floats) -> float:
        """By how much a component makes the sum of squares smaller: 2 x.tp - (tp)^2, cell by cell.

        With nothing missing this is the sum of squared scores.
        """
        t = np.nan_to_num(t)
        inner = float(p @ self._multiply_transposed(t))
        for p_before, t_before in self.found:
            inner -= float(self._by_block(p_before * p) @ self._held_sums(t * t_before))
        return 2 * inner - float(self._by_block(p * p) @ self._held_sums(t * t))

    def _by_block(self, of_dummies: Floats) -> Floats:
        return np.array([of_dummies[place].sum() for place in self.places])

    def _repeat_blocks(self, of_blocks: Floats) -> Floats:
        return np.repeat(of_blocks, [block.width for block in self.blocks])

    def _product(self, p: Floats) -> Floats:
        """For each record the sum of its figures times p."""
        if self.dense is not None:
            made: Floats = self.dense @ p
            return made
        made = np.zeros(self.n_rows)
        for block, codes, place in zip(self.blocks, self.codes, self.places, strict=True):
            made += (block.figures @ p[place])[codes]
        return made

    def _sum_columns(self, of_blocks: Floats) -> Floats:
        """For each record the sum over the columns that it has."""
        if self.held is not None:
            made: Floats = self.held @ of_blocks
            return made
        made = np.zeros(self.n_rows)
        for block, codes, one in zip(self.blocks, self.codes, of_blocks, strict=True):
            made += np.where(block.is_held, one, 0.0)[codes]
        return made

    def _multiply_transposed(self, t: Floats) -> Floats:
        """For each dummy the sum of its figures times t."""
        if self.dense is not None:
            made: Floats = t @ self.dense
            return made
        parts = [
            np.bincount(codes, t, len(block.is_held)) @ block.figures
            for block, codes in zip(self.blocks, self.codes, strict=True)
        ]
        return np.concatenate(parts)

    def _held_sums(self, t: Floats) -> Floats:
        """For each column the sum of t over the records that have it."""
        if self.held is not None:
            made: Floats = t @ self.held
            return made
        sums = [
            np.bincount(codes, t, len(block.is_held))[block.is_held].sum()
            for block, codes in zip(self.blocks, self.codes, strict=True)
        ]
        return np.array(sums)

    def starts(self) -> tuple[Floats, Floats]:
        """The two leading eigenvectors of X'X with gaps as 0, and all eigenvalues, largest first.

        NIPALS from any start ends there where nothing is missing, but slowly where two eigenvalues
        are close; from here it need only correct for the gaps.
        """
        gram = np.zeros((self.width, self.width))
        for dense in self._dense():
            gram += dense.T @ dense
        values, vectors = np.linalg.eigh(gram)
        return vectors[:, ::-1][:, :2], values[::-1]

    def _build_mask(self) -> Floats:
        parts = [block.is_held[codes] for block, codes in zip(self.blocks, self.codes, strict=True)]
        return np.stack(parts, axis=1).astype(np.float64)

    def _dense(self) -> Iterator[Floats]:
        for rows in blocks(self.n_rows, self.width, _BLOCK):
            parts = [
                block.figures[codes[rows]]
                for block, codes in zip(self.blocks, self.codes, strict=True)
            ]
            yield np.concatenate(parts, axis=1)


def component(matrix: DummyMatrix, start: Floats) -> PrincipalComponent:
    """The next component of a matrix with gaps, from a start: scores and loadings in turn.

    Notes
    -----
    t_i = sum_k x_ik p_k / sum_k p_k^2 and p_k = sum_i x_ik t_i / sum_i t_i^2, each sum over the
    cells that are there, p then scaled to length 1, until a round moves p by less than 1e-11 or 500
    have passed. With nothing missing p is an eigenvector of X'X; with gaps components are
    not quite orthogonal. The sign is fixed: the loading of largest size, the first of equals, is
    positive.

    References
    ----------
    Wold (1973), *Nonlinear iterative partial least squares (NIPALS) modelling*, in Krishnaiah (ed.)
    Multivariate Analysis III, 383-407; for gaps also Wold, Esbensen and Geladi (1987), section 12.
    """
    p, step, n_done = _unit(start), np.full(len(start), math.inf), 0
    while float(np.linalg.norm(step)) > TOLERANCE and n_done < MOST_ITERATIONS:
        new = _unit(matrix.loadings(matrix.scores(p)))
        before, step = step, new - p
        n_done += 1
        p = _extrapolate(new, before, step) if n_done % _LEAP == 0 else new
    p = fix_sign(p)
    t = matrix.scores(p)
    total = matrix.sum_of_squares()
    explained = matrix.compute_reduction(p, t) / total if total else 0.0
    has_settled = float(np.linalg.norm(step)) <= TOLERANCE
    return PrincipalComponent(p, t, n_done, has_settled, min(1.0, max(0.0, explained)))


def _unit(p: Floats) -> Floats:
    length = float(np.linalg.norm(p))
    return p / length if length > 0 else p  # 0: nothing is left to explain


def _extrapolate(p: Floats, before: Floats, step: Floats) -> Floats:
    """Where steps that shrink at a steady rate would end (Aitken): close axes converge slowly.

    Only the way is shorter: the search still ends where a round changes nothing.
    """
    rate = float(step @ before) / max(float(before @ before), 1e-300)
    return _unit(p + step * (rate / (1 - rate))) if 0 < rate < _STEADY else p


def fix_sign(p: Floats) -> Floats:
    """The loadings with the sign that makes the largest of them positive, the first of equals."""
    sizes = np.abs(p)
    first = int(np.argmax(sizes >= sizes.max() * (1 - 1e-9)))
    return -p if p[first] < 0 else p
