"""Who is matched, and what is determined, on every set of the keys? One search for all targets.

Sets of keys are visited depth first, each as its parent refined by one key. Two facts keep it
short. A person whom the copy does not match on a set of keys is matched on no larger set: such
classes leave, and so do classes of the copy without people. And all targets are compared at once:
their codes stand side by side in words of 64 bits, each field with a spare bit on top, so that one
addition tells in which targets two records differ.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn

Words = NDArray[np.uint64]
STEP = 32
"""After how many sets progress is told."""


@dataclass(frozen=True)
class _Fields:
    """All targets of stacked records in few words, and where each target stands."""

    words: tuple[Words, ...]
    ones: tuple[np.uint64, ...]  # every bit of every field, but the spare ones
    spare: tuple[np.uint64, ...]
    place: tuple[tuple[int, np.uint64], ...]  # of each target: its word, and its spare bit

    @classmethod
    def of(cls, columns: Sequence[Ints], n_levels: Sequence[int]) -> "_Fields":
        words: list[Words] = []
        ones: list[int] = []
        spare: list[int] = []
        place, used = [], 64
        for codes, n in zip(columns, n_levels, strict=True):
            bits = max(int(n - 1).bit_length(), 1)
            if used + bits + 1 > 64:
                words.append(np.zeros(len(codes), np.uint64))
                ones.append(0)
                spare.append(0)
                used = 0
            words[-1] |= codes.astype(np.uint64) << np.uint64(used)
            ones[-1] |= ((1 << bits) - 1) << used
            spare[-1] |= 1 << (used + bits)
            place.append((len(words) - 1, np.uint64(1 << (used + bits))))
            used += bits + 1
        return cls(
            tuple(words), tuple(map(np.uint64, ones)), tuple(map(np.uint64, spare)), tuple(place)
        )

    def differ(self, word: int, these: Ints, those: Ints) -> Words:
        """The spare bits of the targets in which records differ, pair by pair."""
        x = self.words[word]
        # A field that is not 0, plus all ones, carries into its spare bit.
        differs: Words = ((x[these] ^ x[those]) + self.ones[word]) & self.spare[word]
        return differs


@dataclass(frozen=True)
class KeySetCounts:
    """Counts of people for each set of keys, a number whose bit i is key i, and each target."""

    n_people: int
    at_most: int  # keys in a set; larger sets were not visited
    n_matched: Ints  # sets
    n_replicated: Ints  # sets: unique in the original and in the copy (repU)
    n_determined: Ints  # sets x targets (DiS)
    n_correct: Ints  # sets x targets (DiSCO)
    is_ever_correct: Mask  # targets x people: determined correctly by some set
    is_ever_wrong: Mask
    support: NDArray[np.int32]  # targets x people: records behind the claim with most; 0: no claim
    claim: NDArray[np.int32]  # targets x people: its value; -1: none, or sets contradict each other

    @property
    def sets(self) -> list[int]:
        """The sets that were visited, the smallest first, then in the order of the keys."""
        found = [s for s in range(1, len(self.n_matched)) if s.bit_count() <= self.at_most]
        return sorted(found, key=lambda one: (one.bit_count(), keys_of(one)))


def keys_of(key_set: int) -> tuple[int, ...]:
    """The places of the keys of a set."""
    return tuple(i for i in range(key_set.bit_length()) if key_set >> i & 1)


@dataclass
class _Search:
    """What is added up on the way, under sets numbered in the order of the search."""

    n_copy: int  # records of the copy, which stand before those of people
    keys: Sequence[NDArray[np.int32]]
    n_levels: Sequence[int]
    fields: _Fields
    targets: Sequence[Ints]
    excluded: Sequence[Words] | None
    at_most: int
    most_support: bool
    n_matched: Ints = field(init=False)
    n_replicated: Ints = field(init=False)
    n_determined: Ints = field(init=False)
    n_correct: Ints = field(init=False)
    ever_correct: list[Words] = field(init=False)
    ever_wrong: list[Words] = field(init=False)
    support: NDArray[np.int32] = field(init=False)
    claim: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        n_sets, n_targets = 1 << len(self.keys), len(self.targets)
        n_people = len(self.keys[0]) - self.n_copy
        self.n_matched, self.n_replicated = np.zeros((2, n_sets), np.int64)
        self.n_determined, self.n_correct = np.zeros((2, n_sets, n_targets), np.int64)
        self.ever_correct = [np.zeros(n_people, np.uint64) for _ in self.fields.words]
        self.ever_wrong = [np.zeros(n_people, np.uint64) for _ in self.fields.words]
        n_claims = n_targets if self.most_support else 0
        self.support = np.zeros((n_claims, n_people), np.int32)
        self.claim = np.full((n_claims, n_people), -1, np.int32)

    def run(self, progress: Callable[[int], None]) -> None:
        n_rows, k = len(self.keys[0]), len(self.keys)
        row_bits = int(n_rows).bit_length()
        several = [np.array([spare]) for spare in self.fields.spare]  # nothing is determined yet
        rows, classes = np.arange(n_rows), np.zeros(n_rows, np.int64)
        stack = [(0, key, rows, classes, several) for key in reversed(range(k))]
        done = 0
        while stack:
            parent, key, rows, classes, before = stack.pop()
            key_set = parent | 1 << key
            done += 1
            if done % STEP == 0:
                progress(done)
            # Sorted by class, then by record: those of the copy come first in every class.
            tagged = (classes * self.n_levels[key] + self.keys[key][rows]) << row_bits
            tagged |= rows
            tagged.sort()
            found = self._classes(tagged, row_bits)
            if found is None:
                continue
            rows, n_copy, n_people, of_parent = found
            of_parent //= self.n_levels[key]
            several = self._count(
                key_set, rows, n_copy, n_people, [one[of_parent] for one in before]
            )
            if key + 1 < k and key_set.bit_count() < self.at_most:
                classes = np.repeat(np.arange(len(n_copy)), n_copy + n_people)
                children = reversed(range(key + 1, k))
                stack += [(key_set, child, rows, classes, several) for child in children]

    def _classes(self, tagged: Ints, row_bits: int) -> tuple[Ints, Ints, Ints, Ints] | None:
        """Records of classes that have both people and records of the copy, class by class."""
        rows, q = tagged & ((1 << row_bits) - 1), tagged >> row_bits
        starts = np.flatnonzero(np.concatenate(([True], q[1:] != q[:-1])))
        n = np.diff(starts, append=len(rows))
        n_people = np.add.reduceat(rows >= self.n_copy, starts, dtype=np.int64)
        is_both = (n_people > 0) & (n_people < n)
        if not is_both.any():
            return None
        of_parent = q[starts[is_both]]
        n_copy = n - n_people
        return rows[np.repeat(is_both, n)], n_copy[is_both], n_people[is_both], of_parent

    def _count(
        self,
        key_set: int,
        rows: Ints,
        n_copy: Ints,
        n_people: Ints,
        before: Sequence[Words],
    ) -> list[Words]:
        """Count one set; gives, for each class, the targets with several values in the copy."""
        n = n_copy + n_people
        first = rows[np.cumsum(n) - n]
        is_person = rows >= self.n_copy
        self.n_matched[key_set] = int(n_people.sum())
        self.n_replicated[key_set] = int(((n_people == 1) & (n_copy == 1)).sum())
        of_copy = rows[~is_person]
        at_copy = np.cumsum(n_copy) - n_copy
        shown = np.repeat(first, n_copy)
        several = [
            np.bitwise_or.reduceat(self.fields.differ(word, of_copy, shown), at_copy)
            for word in range(len(self.fields.words))
        ]
        is_live = np.zeros(len(first), bool)  # something is determined: few on small sets
        for one, spare in zip(several, self.fields.spare, strict=True):
            is_live |= one != spare
        if is_live.any():
            people = rows[is_person][np.repeat(is_live, n_people)]
            of_live = _Live(
                people,
                np.repeat(first[is_live], n_people[is_live]),
                n_copy[is_live],
                n_people[is_live],
            )
            for word, of_word in enumerate(several):
                self._learn(key_set, word, of_word[is_live], before[word][is_live], of_live)
        return several

    def _learn(self, key_set: int, word: int, several: Words, before: Words, live: "_Live") -> None:
        """Count what the classes of a set determine in the targets of one word."""
        who = live.people - self.n_copy
        differs = self.fields.differ(word, live.people, live.shown)
        is_open = np.repeat(several, live.n_people)
        if self.excluded is not None:
            is_open |= self.excluded[word][who]
        missed = differs | is_open
        spare = self.fields.spare[word]
        self.ever_correct[word][who] |= spare & ~missed
        self.ever_wrong[word][who] |= differs & ~is_open
        for target, (in_word, bit) in enumerate(self.fields.place):
            if in_word != word:
                continue
            n_open = np.count_nonzero(is_open & bit)
            if n_open == len(who):
                continue
            self.n_determined[key_set, target] = len(who) - n_open
            self.n_correct[key_set, target] = len(who) - np.count_nonzero(missed & bit)
            if self.most_support:
                # What the parent determines already it determines by more records.
                is_new = (several & bit == 0) & (before & bit != 0)
                if is_new.any():
                    self._claim(target, is_new, live)

    def _claim(self, target: int, is_new: Mask, live: "_Live") -> None:
        """The claim with most records so far; sets with equally many that disagree make none."""
        of_person = np.repeat(is_new, live.n_people)
        who = live.people[of_person] - self.n_copy
        value = self.targets[target][live.shown[of_person]]
        n = np.repeat(live.n_copy[is_new], live.n_people[is_new])
        support, claim = self.support[target], self.claim[target]
        before = support[who]
        is_clash = (n == before) & (value != claim[who])
        is_better = n > before
        claim[who[is_clash]] = -1
        support[who[is_better]] = n[is_better]
        claim[who[is_better]] = value[is_better]


@dataclass(frozen=True)
class _Live:
    """The classes of a set that determine something, and their people one by one."""

    people: Ints  # their rows
    shown: Ints  # the first record of the copy in the class of each
    n_copy: Ints
    n_people: Ints


def count_key_sets(
    keys: Sequence[CodedColumn],
    targets: Sequence[CodedColumn],
    *,
    at_most: int | None = None,
    excluded: Sequence[Mask] | None = None,
    most_support: bool = True,
    progress: Callable[[int], None] = lambda done: None,
) -> KeySetCounts:
    """Count people on every non-empty set of keys; the columns have two sides, people and copy.

    Parameters
    ----------
    keys, targets
        Coded columns of the original and of one copy, or of several pooled.
    at_most
        The most keys in a set; all by default.
    excluded
        For each target, the people who count in no figure about it.
    most_support
        Whether to find, for each person, the claim with most records: it takes twice as long.
    progress
        Called with the number of sets that are done.
    """
    people, copy = keys[0].sides.slices
    n_copy, n_people = keys[0].sides.rows[1], keys[0].sides.rows[0]
    # Keys of many levels first: most people leave early.
    order = sorted(range(len(keys)), key=lambda i: (-keys[i].n_levels, i))

    def stacked(column: CodedColumn) -> Ints:
        return np.concatenate([column.codes[copy], column.codes[people]]).astype(np.int64)

    codes = [stacked(column) for column in targets]
    fields = _Fields.of(codes, [column.n_levels for column in targets])
    search = _Search(
        n_copy,
        [stacked(keys[i]).astype(np.int32) for i in order],
        [keys[i].n_levels for i in order],
        fields,
        codes,
        None if excluded is None else tuple(_marks(fields, excluded, n_people)),
        at_most or len(keys),
        most_support,
    )
    if n_copy and n_people:
        search.run(progress)
    # From the order of the search back to that in which keys were given.
    given = np.arange(1 << len(keys))
    at = sum(((given >> order[i]) & 1) << i for i in range(len(keys)))
    return KeySetCounts(
        n_people,
        search.at_most,
        search.n_matched[at],
        search.n_replicated[at],
        search.n_determined[at],
        search.n_correct[at],
        _by_target(fields, search.ever_correct, n_people),
        _by_target(fields, search.ever_wrong, n_people),
        search.support,
        search.claim,
    )


def _by_target(fields: _Fields, words: Sequence[Words], n_people: int) -> Mask:
    """The spare bits of people, target by target."""
    found = [(words[word] & bit) != 0 for word, bit in fields.place]
    return np.stack(found) if found else np.zeros((0, n_people), bool)


def _marks(fields: _Fields, excluded: Sequence[Mask], n_people: int) -> Iterator[Words]:
    """The spare bits of the targets in which people are excluded, word by word."""
    for word in range(len(fields.words)):
        marks = np.zeros(n_people, np.uint64)
        for (in_word, bit), is_excluded in zip(fields.place, excluded, strict=True):
            if in_word == word:
                marks[is_excluded] |= bit
        yield marks
