"""Who is matched, and what is determined, on every set of the keys? One search for all targets.

Sets of keys are visited depth first, each as its parent refined by one key. Three facts keep it
short. A person whom the copy does not match on a set of keys is matched on no larger set: such
classes leave, and so do classes of the copy without people. All targets are compared at once: their
codes stand side by side in words of 64 bits, each field with a spare bit on top, so that one
addition tells in which targets two records differ. And classes never meet again once they are
apart: records are searched in parts small enough for the cache, and memory does not grow with the
number of sets.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn

Words = NDArray[np.uint64]
Rows = NDArray[np.int32]
PART = 2**16
"""Records that are searched together, where classes allow it."""
LEAST_BITS = 3
"""Of a field: so many records can be counted at once in one word as it has room for."""


@dataclass(frozen=True)
class _Word:
    """Some targets side by side in one word of 64 bits: where each stands."""

    targets: tuple[int, ...]
    shifts: Words  # of each target: its lowest bit
    values: Words  # of each target: the bits of its code, moved down
    spares: Words  # of each target: the bit on top of its field
    tops: Words  # of each target: the place of that bit
    ones: np.uint64  # every bit of every field, but the spare ones
    spare: np.uint64

    def differ(self, these: Words, those: Words) -> Words:
        """The spare bits of the targets in which records differ, pair by pair."""
        # A field that is not 0, plus all ones, carries into its spare bit.
        differs: Words = ((these ^ those) + self.ones) & self.spare
        return differs

    def count(self, marks: Words) -> Ints:
        """For each target, in how many of the records its spare bit is set.

        A count has room from its spare bit up to the next: several records are added at once.
        """
        room = LEAST_BITS + 1
        n_folds = len(marks) // (2**room - 1)
        if n_folds:
            folds = marks[: n_folds * (2**room - 1)].reshape(-1, n_folds).sum(axis=0)
            marks = np.concatenate([folds, marks[len(marks) - len(marks) % (2**room - 1) :]])
        counts = (marks[:, np.newaxis] >> self.tops) & np.uint64(2**room - 1)
        sums: Ints = counts.sum(axis=0).astype(np.int64)
        return sums


def _pack(columns: Sequence[Ints], n_levels: Sequence[int]) -> tuple[list[_Word], list[Words]]:
    """Codes of all targets in as few words as hold them."""
    layout: list[list[tuple[int, int, int]]] = []  # by word: target, its lowest bit, its bits
    used = 64
    for target, n in enumerate(n_levels):
        bits = max(int(n - 1).bit_length(), LEAST_BITS)
        if used + bits + 1 + LEAST_BITS > 64:  # a count needs room on top
            layout.append([])
            used = 0
        layout[-1].append((target, used, bits))
        used += bits + 1
    words, packed = [], []
    for fields in layout:
        codes = np.zeros(len(columns[0]), np.uint64)
        for target, shift, _ in fields:
            codes |= columns[target].astype(np.uint64) << np.uint64(shift)
        packed.append(codes)
        values = [(1 << bits) - 1 for _, _, bits in fields]
        tops = [shift + bits for _, shift, bits in fields]
        words.append(
            _Word(
                tuple(target for target, _, _ in fields),
                np.array([shift for _, shift, _ in fields], np.uint64),
                np.array(values, np.uint64),
                np.array([1 << top for top in tops], np.uint64),
                np.array(tops, np.uint64),
                np.uint64(sum(one << at for one, (_, at, _) in zip(values, fields, strict=True))),
                np.uint64(sum(1 << top for top in tops)),
            )
        )
    return words, packed


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


@dataclass(frozen=True)
class _Part:
    """Records that are searched together, those of the copy first, and what is found of people.

    `best` has for each target and person the claim with most records so far: their number, and
    below it the value; every bit of the value is set where sets with equally many disagree.
    """

    n_copy: int
    keys: tuple[NDArray[np.integer], ...]
    words: tuple[Words, ...]
    excluded: tuple[Words, ...] | None  # by person
    ever_correct: tuple[Words, ...]  # by person
    ever_wrong: tuple[Words, ...]
    best: NDArray[np.signedinteger]  # targets x people

    @classmethod
    def of(
        cls,
        n_copy: int,
        keys: Sequence[NDArray[np.integer]],
        words: Sequence[Words],
        excluded: Sequence[Words] | None,
        best: NDArray[np.signedinteger],
    ) -> "_Part":
        """Nothing is found yet."""
        n = len(words[0]) - n_copy if words else len(keys[0]) - n_copy
        correct, wrong = ([np.zeros(n, np.uint64) for _ in words] for _ in range(2))
        gone = None if excluded is None else tuple(excluded)
        return cls(n_copy, tuple(keys), tuple(words), gone, tuple(correct), tuple(wrong), best)

    def take(self, rows: Rows) -> tuple["_Part", Rows, Rows]:
        """Some of the records as a part of their own, their places in it, and its people."""
        is_copy = rows < self.n_copy
        order = np.concatenate([rows[is_copy], rows[~is_copy]])
        n_copy = int(np.count_nonzero(is_copy))
        place = np.empty(len(rows), np.int32)
        place[is_copy] = np.arange(n_copy, dtype=np.int32)
        place[~is_copy] = np.arange(n_copy, len(rows), dtype=np.int32)
        people = order[n_copy:] - self.n_copy
        made = _Part.of(
            n_copy,
            [codes[order] for codes in self.keys],
            [codes[order] for codes in self.words],
            None if self.excluded is None else [one[people] for one in self.excluded],
            np.zeros((len(self.best), len(people)), self.best.dtype),
        )
        return made, place, people

    def add(self, part: "_Part", people: Rows, disagree: int) -> None:
        """What was found of a part of these people."""
        for mine, theirs in (
            *zip(self.ever_correct, part.ever_correct, strict=True),
            *zip(self.ever_wrong, part.ever_wrong, strict=True),
        ):
            mine[people] |= theirs
        for best, found in zip(self.best, part.best, strict=True):
            _claim(best, people, found, disagree)


def _claim(
    best: NDArray[np.signedinteger],
    at: NDArray[np.integer],
    claims: NDArray[np.signedinteger],
    disagree: int,
) -> None:
    """The claims with most records so far; those with equally many that disagree make none."""
    before = best[at]
    differs = before ^ claims
    is_clash = (differs != 0) & (differs <= disagree)
    np.maximum(before, claims, out=before)
    before[is_clash] |= disagree
    best[at] = before


@dataclass(frozen=True)
class _Classes:
    """The classes of a set that have both people and records of the copy, one after the other."""

    rows: Rows  # of each class those of the copy first
    n_copy: Ints
    n_people: Ints
    of_parent: Ints  # the class of the parent that each is in

    @property
    def starts(self) -> Ints:
        """Where each of them begins."""
        n = self.n_copy + self.n_people
        starts: Ints = np.cumsum(n) - n
        return starts


@dataclass(frozen=True)
class _Search:
    """What is added up on the way, under sets numbered in the order of the search."""

    n_levels: Sequence[int]
    words: Sequence[_Word]
    at_most: int
    value_bits: int
    n_matched: Ints
    n_replicated: Ints
    n_determined: Ints
    n_correct: Ints
    has_claims: bool
    tell: Callable[[float], None]  # how many sets are done, in shares of records

    def run(self, part: _Part) -> None:
        """Count every set over all records."""
        rows = np.arange(len(part.keys[0]), dtype=np.int32)
        nothing = [np.array([word.spare]) for word in self.words]  # is determined yet
        self._refine(_Node(part, 0, rows, np.zeros_like(rows), nothing, 1.0))

    def _refine(self, node: "_Node") -> None:
        """Every set that is this one and keys after its last."""
        for key in range(node.key_set.bit_length(), len(self.n_levels)):
            key_set = node.key_set | 1 << key
            n_below = self._n_below(key_set)
            found = self._classes(node, key)
            self.tell(node.share if found is not None else node.share * (1 + n_below))
            if found is None:
                continue
            several = self._count(node, key_set, found)
            if n_below:
                for child in self._parts(node, key_set, found, several):
                    self._refine(child)

    def _n_below(self, key_set: int) -> int:
        """Sets that are this one and keys after its last."""
        n_more = len(self.n_levels) - key_set.bit_length()
        most = min(self.at_most - key_set.bit_count(), n_more)
        return sum(comb(n_more, size) for size in range(1, most + 1))

    def _parts(
        self, node: "_Node", key_set: int, found: _Classes, several: Sequence[Words]
    ) -> "Iterator[_Node]":
        """The classes of a set in parts of about PART records; what is found comes together."""
        n = (found.n_copy + found.n_people).astype(np.int32)
        n_rows = len(found.rows)
        if n_rows <= PART or len(n) == 1:
            classes = np.repeat(np.arange(len(n), dtype=np.int32), n)
            yield _Node(node.part, key_set, found.rows, classes, several, node.share)
            return
        starts = np.append(found.starts, n_rows)
        group = starts[:-1] // PART
        first = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
        for low, past in pairwise([*first.tolist(), len(n)]):
            begin, end = starts[low], starts[past]
            part, rows, people = node.part.take(found.rows[begin:end])
            classes = np.repeat(np.arange(past - low, dtype=np.int32), n[low:past])
            within = [one[low:past] for one in several]
            share = node.share * int(end - begin) / n_rows
            yield _Node(part, key_set, rows, classes, within, share)
            node.part.add(part, people, (1 << self.value_bits) - 1)

    def _classes(self, node: "_Node", key: int) -> _Classes | None:
        """The classes of a parent refined by a key, without those of one side alone."""
        part = node.part
        row_bits = len(part.keys[0]).bit_length()
        # Sorted by class, then by record: those of the copy come first in every class.
        tagged = node.classes.astype(np.int64)
        tagged *= self.n_levels[key]
        tagged += part.keys[key][node.rows]
        tagged <<= row_bits
        tagged |= node.rows
        tagged.sort()
        rows = (tagged & ((1 << row_bits) - 1)).astype(np.int32)
        tagged >>= row_bits
        starts = np.flatnonzero(np.concatenate(([True], tagged[1:] != tagged[:-1])))
        n = np.diff(starts, append=len(rows))
        n_copy = np.add.reduceat(rows < part.n_copy, starts, dtype=np.int64)
        is_both = (n_copy > 0) & (n_copy < n)
        of_parent = tagged[starts] // self.n_levels[key]
        if is_both.all():
            return _Classes(rows, n_copy, n - n_copy, of_parent)
        if not is_both.any():
            return None
        n_copy, n = n_copy[is_both], n[is_both]
        return _Classes(
            rows[np.repeat(is_both, np.diff(starts, append=len(rows)))],
            n_copy,
            n - n_copy,
            of_parent[is_both],
        )

    def _count(self, node: "_Node", key_set: int, found: _Classes) -> list[Words]:
        """Count one set; gives, for each class, the targets with several values in the copy."""
        part = node.part
        n_copy, n_people = found.n_copy, found.n_people
        first = found.rows[found.starts]
        is_person = found.rows >= part.n_copy
        of_copy, people = found.rows[~is_person], found.rows[is_person]
        who = people - part.n_copy
        at_copy = np.cumsum(n_copy) - n_copy
        self.n_matched[key_set] += len(people)
        self.n_replicated[key_set] += np.count_nonzero((n_people == 1) & (n_copy == 1))
        several = []
        for place, (word, codes) in enumerate(zip(self.words, part.words, strict=True)):
            shown = codes[first]
            differs = word.differ(codes[of_copy], np.repeat(shown, n_copy))
            open_of = np.bitwise_or.reduceat(differs, at_copy)
            several.append(open_of)
            if (open_of == word.spare).all():  # nothing is determined: so on small sets
                continue
            targets = list(word.targets)
            differs = word.differ(codes[people], np.repeat(shown, n_people))
            is_open = np.repeat(open_of, n_people)
            if part.excluded is not None:
                is_open |= part.excluded[place][who]
            missed = differs | is_open
            part.ever_correct[place][who] |= missed ^ word.spare
            part.ever_wrong[place][who] |= differs & ~is_open
            self.n_determined[key_set, targets] += len(who) - word.count(is_open)
            self.n_correct[key_set, targets] += len(who) - word.count(missed)
            if self.has_claims:
                # What the parent determines already it determines by more records.
                is_new = node.several[place][found.of_parent] & ~open_of
                self._claims(part, word, found, is_new, shown)
        return several

    def _claims(
        self, part: _Part, word: _Word, found: _Classes, is_new: Words, shown: Words
    ) -> None:
        """What the classes of a set are the first to determine, person by person."""
        some = np.flatnonzero(is_new)
        place, field = np.nonzero(is_new[some, np.newaxis] & word.spares)
        new = some[place]  # a class for each target that it is the first to determine
        value = (shown[new] >> word.shifts[field]) & word.values[field]
        claims = (found.n_copy[new] << self.value_bits) | value.astype(np.int64)
        n = found.n_people[new]
        begins = found.starts[new] + found.n_copy[new]
        people = found.rows[np.arange(n.sum()) + np.repeat(begins - np.cumsum(n) + n, n)]
        of_target = np.array(word.targets)[field] * part.best.shape[1] - part.n_copy
        at = people + np.repeat(of_target, n)
        of_people = np.repeat(claims.astype(part.best.dtype), n)
        _claim(part.best.reshape(-1), at, of_people, (1 << self.value_bits) - 1)


@dataclass(frozen=True)
class _Node:
    """A set of keys on some of the records: what its children refine."""

    part: _Part
    key_set: int
    rows: Rows
    classes: Rows
    several: Sequence[Words]  # by class, the targets with several values in the copy
    share: float  # of all records, among those of the set


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

    words, packed = _pack([stacked(one) for one in targets], [one.n_levels for one in targets])
    value_bits = max((one.n_levels.bit_length() for one in targets), default=1)
    claim = np.int32 if n_copy.bit_length() + value_bits < 32 else np.int64
    n_sets, n_targets = 1 << len(keys), len(targets)
    part = _Part.of(
        n_copy,
        [np.concatenate([keys[i].codes[copy], keys[i].codes[people]]) for i in order],
        packed,
        None if excluded is None else list(_marks(words, excluded, n_people)),
        np.zeros((n_targets if most_support else 0, n_people), claim),
    )
    search = _Search(
        [keys[i].n_levels for i in order],
        words,
        at_most or len(keys),
        value_bits,
        n_matched=np.zeros(n_sets, np.int64),
        n_replicated=np.zeros(n_sets, np.int64),
        n_determined=np.zeros((n_sets, n_targets), np.int64),
        n_correct=np.zeros((n_sets, n_targets), np.int64),
        has_claims=most_support,
        tell=_Progress(progress).add,
    )
    if n_copy and n_people:
        search.run(part)
    # From the order of the search back to that in which keys were given.
    given = np.arange(n_sets)
    at = sum(((given >> order[i]) & 1) << i for i in range(len(keys)))
    disagree = (1 << value_bits) - 1
    support, value = part.best >> value_bits, part.best & disagree
    return KeySetCounts(
        n_people,
        search.at_most,
        search.n_matched[at],
        search.n_replicated[at],
        search.n_determined[at],
        search.n_correct[at],
        _by_target(words, part.ever_correct, n_people),
        _by_target(words, part.ever_wrong, n_people),
        support.astype(np.int32),
        np.where((support == 0) | (value == disagree), -1, value).astype(np.int32),
    )


@dataclass
class _Progress:
    """Sets that are done, told whenever one more is."""

    tell: Callable[[int], None]
    done: float = 0.0

    def add(self, share: float) -> None:
        """A share of one set more."""
        before, self.done = int(self.done), self.done + share
        if int(self.done + 1e-6) > before:
            self.tell(int(self.done + 1e-6))


def _by_target(words: Sequence[_Word], marks: Sequence[Words], n_people: int) -> Mask:
    """The spare bits of people, target by target."""
    found = [
        (of_word & bit) != 0
        for word, of_word in zip(words, marks, strict=True)
        for bit in word.spares
    ]
    return np.stack(found) if found else np.zeros((0, n_people), bool)


def _marks(words: Sequence[_Word], excluded: Sequence[Mask], n_people: int) -> Iterator[Words]:
    """The spare bits of the targets in which people are excluded, word by word."""
    for word in words:
        marks = np.zeros(n_people, np.uint64)
        for target, bit in zip(word.targets, word.spares, strict=True):
            marks[excluded[target]] |= bit
        yield marks
