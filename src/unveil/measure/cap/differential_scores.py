"""How often would a person's target be guessed correctly from the pooled copies, by group?

CAP_s of Taub et al. (2018), equations 4 and 6: the share of the synthetic rows with a person's keys
that also have their target, here s_tq / s_q. It depends on the cell (q, t) alone, so people are
never scored one by one: cells are counted once, and people are counted by cell.

Erratum: equation 6, for m pooled copies, conditions on the key of the synthetic row. It must be the
key of the person looked up, as in equation 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.count.cells import Cells, Keys, count_cells
from unveil.count.packing import PACKED, Integers, run_starts
from unveil.count.profile import blocks, distinct
from unveil.measure.cap.classes import join_targets
from unveil.study.scenario import CountedScenario

INCLUDED, LEFT_OUT, FIRST_COPY = 0, 1, 2
"""Where the two groups and the first copy stand among the sides of a scenario."""


@dataclass(frozen=True)
class ScoredPeople:
    """People by score: s_tq of the s_q synthetic rows with their keys have their target too."""

    s_tq: Ints
    s_q: Ints
    n: Ints  # groups x scores

    @property
    def score(self) -> Floats:
        """CAP_s; 0 where no one in the copies has the keys."""
        return np.divide(self.s_tq, self.s_q, out=np.zeros(len(self.s_q)), where=self.s_q > 0)

    @property
    def n_match(self) -> Ints:
        """People of each group whose keys occur in the copies."""
        found: Ints = self.n[:, self.s_q > 0].sum(axis=1)
        return found

    def keep_found(self) -> Self:
        """Only people whose keys occur in the copies."""
        here = self.s_q > 0
        return type(self)(self.s_tq[here], self.s_q[here], self.n[:, here])


@dataclass(frozen=True)
class ScoreClasses:
    """Key combinations that have people, those that look alike together: `w` of them.

    n is the people of each group in such a combination; right / s_q is the sum of their scores, in
    lowest terms: whole numbers, the same whatever the order of the levels.
    """

    n: Ints  # groups x looks
    right: Ints  # groups x looks
    s_q: Ints
    w: Ints

    @property
    def scores(self) -> Floats:
        """The sum of the scores of each group's people in one such combination."""
        where = np.broadcast_to(self.s_q > 0, self.right.shape)
        return np.divide(self.right, self.s_q, out=np.zeros(self.right.shape), where=where)

    @property
    def n_classes(self) -> Ints:
        """In how many key combinations each group has people."""
        with_people: Ints = ((self.n > 0) * self.w).sum(axis=1)
        return with_people

    def keep_found(self) -> Self:
        """Only key combinations that occur in the copies."""
        here = self.s_q > 0
        return type(self)(self.n[:, here], self.right[:, here], self.s_q[here], self.w[here])


@dataclass(frozen=True)
class GroupScores:
    """Both groups against the same pooled copies: people by score, and by key combination."""

    people: ScoredPeople
    classes: ScoreClasses

    def without_nonmatches(self) -> Self:
        """Only people whose keys occur in the copies: where a non-match is undefined."""
        return type(self)(self.people.keep_found(), self.classes.keep_found())


def score_by_m(scenario: CountedScenario, methods: Sequence[range]) -> list[GroupScores]:
    """Both groups against the first m copies of each method, pooled, in one pass over the cells.

    The sides of the scenario are the included, the excluded, and the copies; a method is a run of
    these, and there is one result for each copy, in their order. Several targets are taken jointly.
    """
    cells = joint_cells(scenario)
    pieces: list[list[GroupScores]] = [[] for sides in methods for _ in sides]
    for qs in blocks(cells.starts):
        found = _block(scenario.keys, cells, qs, methods)
        for of_m, piece in zip(pieces, found, strict=True):
            of_m.append(piece)
    return [_together(of_m) for of_m in pieces]


def joint_cells(scenario: CountedScenario) -> Cells:
    """The cells of key combination and joint target; those counted already where there is one."""
    columns = scenario.target_columns
    if len(columns) == 1:
        return scenario.cells(0)
    return count_cells(scenario.keys, join_targets(columns, {}, {}).column)


def _block(keys: Keys, cells: Cells, qs: slice, methods: Sequence[range]) -> Iterator[GroupScores]:
    """People in the cells of some key combinations, against one copy of a method, two, ..."""
    starts = cells.starts[qs.start : qs.stop + 1].astype(np.int64)
    counts = cells.counts[:, starts[0] : starts[-1]]
    here = counts[:FIRST_COPY].any(axis=0)  # cells that have people
    n = counts[:FIRST_COPY, here].astype(np.int64)
    in_class = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[here]
    firsts = run_starts(in_class)[:-1]
    classes = in_class[firsts]
    place = np.repeat(np.arange(len(firsts)), np.diff(np.append(firsts, len(in_class))))
    n_class, one = _per_class(n, firsts), np.ones(len(classes), np.int64)
    for sides in methods:
        s_tq, s_q = np.zeros(len(in_class), np.int64), np.zeros(len(classes), np.int64)
        for side in sides:
            s_tq += counts[side, here]
            s_q += keys.counts[side, qs][classes]
            yield GroupScores(
                _people(s_tq, s_q[place], n),
                _classes(n_class, _per_class(n * s_tq, firsts), s_q, one),
            )


def _per_class(amounts: Ints, firsts: Ints) -> Ints:
    return np.add.reduceat(amounts, firsts, axis=1) if len(firsts) else amounts


def _together(pieces: Sequence[GroupScores]) -> GroupScores:
    people, classes = [one.people for one in pieces], [one.classes for one in pieces]
    return GroupScores(
        _people(
            np.concatenate([one.s_tq for one in people]),
            np.concatenate([one.s_q for one in people]),
            np.concatenate([one.n for one in people], axis=1),
        ),
        _classes(
            np.concatenate([one.n for one in classes], axis=1),
            np.concatenate([one.right for one in classes], axis=1),
            np.concatenate([one.s_q for one in classes]),
            np.concatenate([one.w for one in classes]),
        ),
    )


def _people(s_tq: Ints, s_q: Ints, n: Ints) -> ScoredPeople:
    (s_tq, s_q), amounts = _alike([s_tq, s_q], n)
    return ScoredPeople(s_tq, s_q, amounts)


def _classes(n: Ints, right: Ints, s_q: Ints, w: Ints) -> ScoreClasses:
    # In lowest terms, so that 1 of 2 and 2 of 4 are alike; and 0 of any number, but for 0.
    common = np.maximum(np.gcd(np.gcd.reduce(right, axis=0), s_q), 1)
    right, s_q = right // common, s_q // common
    letters, amounts = _alike([*n, *right, s_q], w[np.newaxis])
    return ScoreClasses(np.stack(letters[:2]), np.stack(letters[2:4]), letters[4], amounts[0])


def _alike(letters: Sequence[Ints], amounts: Ints) -> tuple[list[Ints], Ints]:
    """The distinct combinations of letters in their order, and the sums of the amounts of each."""
    small = [_small(letter) for letter in letters]
    found, ids, w = distinct([digit for _, digit in small])
    added = [np.bincount(ids, amount, len(w)).astype(np.int64) for amount in amounts]
    values = [
        place if levels is None else levels[place]
        for (levels, _), place in zip(small, found, strict=True)
    ]
    return values, np.stack(added)


def _small(letter: Ints) -> tuple[Ints | None, Integers]:
    """A letter fit for packing: its place among its values where the values are too large."""
    if int(letter.max(initial=0)) < PACKED // max(len(letter), 1):
        return None, letter
    return np.unique(letter, return_inverse=True)


# How sure is the difference? An interval by drawing key combinations anew.
#
# People with the same keys have scores that hang together, within a group and between the groups,
# because the same synthetic rows answer for all of them. So whole key combinations are drawn,
# with the people of both groups in them, not people as if each stood alone. The copies stay as
# they are: the interval says nothing about what other copies would show.


DRAWN_AT_ONCE = 2**21
"""How many numbers are drawn at once, so that memory stays small."""


def interval(
    classes: ScoreClasses, *, confidence: float, n_bootstrap: int, seed: int, m: int
) -> tuple[float, float] | None:
    """The percentile interval of the difference in means; None where there is none.

    Notes
    -----
    Each draw takes as many key combinations as there are, with replacement, and the difference of
    the means over the people in them. A draw without anybody of one group has no difference and is
    excluded. There is no interval where a group has people in fewer than two key combinations.
    The draws for m copies come from a stream of their own, keyed by (seed, m): the same for every
    method, so that what is found of one does not depend on the others.
    """
    if classes.n_classes.min() < 2:
        return None
    stream = np.random.SeedSequence(seed, spawn_key=(m,))
    found = np.concatenate(
        [
            differences(classes, weights)
            for weights in _weights(classes.w, n_bootstrap, np.random.default_rng(stream))
        ]
    )
    if not len(found):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def differences(classes: ScoreClasses, weights: Ints) -> Floats:
    """The difference in means of each draw (a row of weights, one for each look of classes)."""
    n = [(weights * group).sum(axis=1) for group in classes.n]
    # Multiplied and added up by numpy itself: a matrix product depends on the number of threads.
    scores = [(weights * group).sum(axis=1) for group in classes.scores]
    both = (n[INCLUDED] > 0) & (n[LEFT_OUT] > 0)
    included, left_out = (scores[group][both] / n[group][both] for group in (INCLUDED, LEFT_OUT))
    apart: Floats = included - left_out
    return apart


def _weights(w: Ints, n_draws: int, rng: np.random.Generator) -> Iterator[Ints]:
    """How often each look of classes is drawn, for some draws at a time."""
    n_classes = int(w.sum())
    at_once = max(1, DRAWN_AT_ONCE // len(w))
    for done in range(0, n_draws, at_once):
        yield rng.multinomial(n_classes, w / n_classes, size=min(at_once, n_draws - done))
