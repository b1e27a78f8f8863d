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
from functools import cached_property
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn

Words = NDArray[np.uint64]
Rows = NDArray[np.int32]
PART = 2**18
"""Records that are searched together, where classes allow it."""
LEAST_BITS = 3
"""Of a field: so many records can be counted at once in one word as it has room for."""


@dataclass(frozen=True)
class _Word:
    """Some targets side by side in one word of 64 bits, all in fields of the same width."""

    targets: tuple[int, ...]
    bits: np.uint64  # of a code; the spare bit comes on top

    @property
    def _lows(self) -> list[int]:
        return [place * (int(self.bits) + 1) for place in range(len(self.targets))]

    @cached_property
    def shifts(self) -> Words:
        """The lowest bit of each field."""
        return np.array(self._lows, np.uint64)

    @cached_property
    def spares(self) -> Words:
        """The spare bit of each field."""
        return np.uint64(1) << (self.shifts + self.bits)

    @cached_property
    def spare(self) -> np.uint64:
        """All spare bits."""
        return np.uint64(sum(1 << (low + int(self.bits)) for low in self._lows))

    @cached_property
    def ones(self) -> np.uint64:
        """Every bit of every field, but the spare ones."""
        return self.spare - (self.spare >> self.bits)

    def pack(self, columns: Sequence[Ints]) -> Words:
        """The codes of these targets."""
        packed = np.zeros(len(columns[0]), np.uint64)
        for target, shift in zip(self.targets, self.shifts, strict=True):
            packed |= columns[target].astype(np.uint64) << shift
        return packed

    def differ(self, these: Words, those: Words) -> Words:
        """The spare bits of the targets in which records differ, pair by pair."""
        # A field that is not 0, plus all ones, carries into its spare bit.
        differs: Words = (((these ^ those) & self.ones) + self.ones) & self.spare
        return differs

    def count(self, marks: Words) -> Ints:
        """For each target, in how many of the records its spare bit is set.

        A count has room from its spare bit up to the next: several records are added at once.
        """
        most = 2 ** (LEAST_BITS + 1) - 1
        n_folds = len(marks) // most
        folds = marks[: n_folds * most].reshape(most, n_folds).sum(axis=0)
        marks = np.concatenate([folds, marks[n_folds * most :]])
        counts = (marks[:, np.newaxis] >> (self.shifts + self.bits)) & np.uint64(most)
        sums: Ints = counts.sum(axis=0).astype(np.int64)
        return sums

    def state(self, claims: Words, clashes: Words, at: Rows, new: Words, shown: Words) -> None:
        """People `at` are shown the codes of `new` fields by one record; `claims` has the first.

        A claim is a code under its spare bit; a clash is where a later record shows another.
        """
        before = claims[at]
        clashes[at] |= self.differ(before, shown) & before & new
        added = new & ~before
        claims[at] = before | added | (shown & (added - (added >> self.bits)))


def _words(n_levels: Sequence[int]) -> list[_Word]:
    """The targets in as few words as hold them, those with codes of alike many bits together."""
    bits = [max(int(n - 1).bit_length(), LEAST_BITS) for n in n_levels]
    found: list[_Word] = []
    left = sorted(range(len(bits)), key=lambda target: (-bits[target], target))
    while left:
        width = bits[left[0]] + 1
        room = (64 - LEAST_BITS) // width  # a count needs room on top
        found.append(_Word(tuple(left[:room]), np.uint64(width - 1)))
        left = left[room:]
    return found


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


def count_sets(n_keys: int, at_most: int) -> int:
    """How many sets of one to so many keys there are."""
    return sum(comb(n_keys, size) for size in range(1, at_most + 1))


def keys_of(key_set: int) -> tuple[int, ...]:
    """The places of the keys of a set."""
    return tuple(i for i in range(key_set.bit_length()) if key_set >> i & 1)


@dataclass(frozen=True)
class _PeopleFound:
    """What is known of people so far, word by word of the targets.

    `claims` are those by one record, with `clashes` where such records disagree. `best` has for
    each person and target the claim with most records, where they are several: their number, and
    below it the value, every bit of which is set where sets with equally many disagree.
    """

    ever_correct: tuple[Words, ...]
    ever_wrong: tuple[Words, ...]
    claims: tuple[Words, ...]
    clashes: tuple[Words, ...]
    best: NDArray[np.signedinteger]  # people x targets

    @classmethod
    def nothing(
        cls, n_people: int, n_words: int, best: NDArray[np.signedinteger]
    ) -> "_PeopleFound":
        """Nothing is known."""

        def none() -> tuple[Words, ...]:
            return tuple(np.zeros(n_people, np.uint64) for _ in range(n_words))

        claims = np.zeros((n_people, best.shape[1]), best.dtype)
        return cls(none(), none(), none(), none(), claims)

    def add(
        self, other: "_PeopleFound", people: Rows, words: Sequence[_Word], disagree: int
    ) -> None:
        """What is known of these people from a part of the records."""
        for place, word in enumerate(words):
            self.ever_correct[place][people] |= other.ever_correct[place]
            self.ever_wrong[place][people] |= other.ever_wrong[place]
            claims, shown = self.claims[place], other.claims[place]
            word.state(claims, self.clashes[place], people, shown & word.spare, shown)
            self.clashes[place][people] |= other.clashes[place]
        if self.best.size:
            self.best[people] = _more(self.best[people], other.best, disagree)


def _more(
    before: NDArray[np.signedinteger], claims: NDArray[np.signedinteger], disagree: int
) -> NDArray[np.signedinteger]:
    """The claims with more records; those with equally many that disagree make none."""
    differs = before ^ claims
    is_clash = (differs != 0) & (differs <= disagree)
    more: NDArray[np.signedinteger] = np.maximum(before, claims)
    more[is_clash] |= disagree
    return more


@dataclass(frozen=True)
class _SearchPart:
    """Records that are searched together, those of the copy first, and what is found of people."""

    n_copy: int
    keys: tuple[NDArray[np.integer], ...]
    words: tuple[Words, ...]
    excluded: tuple[Words, ...] | None  # by person
    found: _PeopleFound

    def take(self, rows: Rows) -> tuple["_SearchPart", Rows, Rows]:
        """Some of the records as a part of their own, their places in it, and its people."""
        is_copy = rows < self.n_copy
        order = np.concatenate([rows[is_copy], rows[~is_copy]])
        n_copy = int(np.count_nonzero(is_copy))
        place = np.empty(len(rows), np.int32)
        place[is_copy] = np.arange(n_copy, dtype=np.int32)
        place[~is_copy] = np.arange(n_copy, len(rows), dtype=np.int32)
        people = order[n_copy:] - self.n_copy
        made = _SearchPart(
            n_copy,
            tuple(codes[order] for codes in self.keys),
            tuple(codes[order] for codes in self.words),
            None if self.excluded is None else tuple(one[people] for one in self.excluded),
            _PeopleFound.nothing(len(people), len(self.words), self.found.best),
        )
        return made, place, people


@dataclass(frozen=True)
class _Classes:
    """The classes of a set that have both people and records of the copy, one after the other."""

    rows: Rows  # of each class those of the copy first
    n_copy: Ints
    n_people: Ints
    of_parent: Ints  # the class of the parent that each is in

    @cached_property
    def starts(self) -> Ints:
        """Where each of them begins."""
        n = self.n_copy + self.n_people
        starts: Ints = np.cumsum(n) - n
        return starts

    def keep(self, chosen: Mask) -> "_Classes":
        """Some of the classes."""
        return _Classes(
            self.rows[np.repeat(chosen, self.n_copy + self.n_people)],
            self.n_copy[chosen],
            self.n_people[chosen],
            self.of_parent[chosen],
        )


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

    def run(self, part: _SearchPart) -> None:
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
            node.part.found.add(part.found, people, self.words, (1 << self.value_bits) - 1)

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
        found = _Classes(rows, n_copy, n - n_copy, tagged[starts] // self.n_levels[key])
        is_both = (n_copy > 0) & (n_copy < n)
        if is_both.all():
            return found
        return found.keep(is_both) if is_both.any() else None

    def _count(self, node: "_Node", key_set: int, found: _Classes) -> list[Words]:
        """Count one set; gives, for each class, the targets with several values in the copy."""
        part, n_copy = node.part, found.n_copy
        self.n_matched[key_set] += int(found.n_people.sum())
        self.n_replicated[key_set] += np.count_nonzero((found.n_people == 1) & (n_copy == 1))
        first = found.rows[found.starts]
        of_copy, at_copy = found.rows[found.rows < part.n_copy], np.cumsum(n_copy) - n_copy
        several = []
        is_live = np.zeros(len(first), bool)  # something is determined: in few on small sets
        for word, codes in zip(self.words, part.words, strict=True):
            differs = word.differ(codes[of_copy], np.repeat(codes[first], n_copy))
            several.append(np.bitwise_or.reduceat(differs, at_copy))
            is_live |= several[-1] != word.spare
        if is_live.all():
            self._learn(node, key_set, found, several)
        elif is_live.any():
            self._learn(node, key_set, found.keep(is_live), [one[is_live] for one in several])
        return several

    def _learn(self, node: "_Node", key_set: int, live: _Classes, several: Sequence[Words]) -> None:
        """Count what the classes of a set determine, and keep what they are the first to."""
        part, n_people = node.part, live.n_people
        first, people = live.rows[live.starts], live.rows[live.rows >= part.n_copy]
        who = people - part.n_copy
        for place, word in enumerate(self.words):
            shown = part.words[place][first]
            differs = word.differ(part.words[place][people], np.repeat(shown, n_people))
            is_open = np.repeat(several[place], n_people)
            if part.excluded is not None:
                is_open |= part.excluded[place][who]
            targets = list(word.targets)
            self.n_determined[key_set, targets] += len(who) - word.count(is_open)
            self.n_correct[key_set, targets] += len(who) - word.count(differs | is_open)
            # What the parent determines already, it determines alike, and by more records.
            new = node.several[place][live.of_parent] & ~several[place]
            is_new = new != 0
            if not is_new.any():
                continue
            mine = np.flatnonzero(np.repeat(is_new, n_people))
            learnt = np.repeat(new[is_new], n_people[is_new])
            if part.excluded is not None:
                learnt &= ~is_open[mine]
            who_new, missed = who[mine], differs[mine]
            part.found.ever_correct[place][who_new] |= learnt & ~missed
            part.found.ever_wrong[place][who_new] |= learnt & missed
            if self.has_claims:
                self._claims(part, place, live, new, shown)

    def _claims(
        self, part: _SearchPart, place: int, found: _Classes, new: Words, shown: Words
    ) -> None:
        """What the classes of a set are the first to determine, person by person."""
        word, begins = self.words[place], found.starts + found.n_copy
        single = np.flatnonzero((new != 0) & (found.n_copy == 1))
        n = found.n_people[single]
        who = found.rows[_ranges(begins[single], n)] - part.n_copy
        claims, clashes = part.found.claims[place], part.found.clashes[place]
        word.state(claims, clashes, who, np.repeat(new[single], n), np.repeat(shown[single], n))
        some = np.flatnonzero((new != 0) & (found.n_copy > 1))
        class_, field = np.nonzero((new[some, np.newaxis] & word.spares) != 0)
        class_ = some[class_]  # one for each target that it is the first to determine
        value = shown[class_] >> word.shifts[field]
        n = found.n_people[class_]
        who = found.rows[_ranges(begins[class_], n)] - part.n_copy
        best = part.found.best
        at = who * np.int64(best.shape[1]) + np.repeat(np.array(word.targets)[field], n)
        value &= (np.uint64(1) << word.bits) - np.uint64(1)
        claim = (found.n_copy[class_] << self.value_bits) | value.astype(np.int64)
        flat = best.ravel()
        more = np.repeat(claim.astype(best.dtype), n)
        flat[at] = _more(flat[at], more, (1 << self.value_bits) - 1)


def _ranges(begins: Ints, n: Ints) -> Ints:
    """The numbers from each begin on, so many of each, one after the other."""
    ends = np.cumsum(n)
    return np.arange(ends[-1] if len(n) else 0) + np.repeat(begins - ends + n, n)


@dataclass(frozen=True)
class _Node:
    """A set of keys on some of the records: what its children refine."""

    part: _SearchPart
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

    words = _words([one.n_levels for one in targets])
    codes = [stacked(one) for one in targets]
    value_bits = max((one.n_levels.bit_length() for one in targets), default=1)
    claim = np.int32 if n_copy.bit_length() + value_bits < 32 else np.int64
    n_sets, n_targets = 1 << len(keys), len(targets)
    best = np.zeros((n_people, n_targets if most_support else 0), claim)
    part = _SearchPart(
        n_copy,
        tuple(np.concatenate([keys[i].codes[copy], keys[i].codes[people]]) for i in order),
        tuple(word.pack(codes) for word in words),
        None if excluded is None else tuple(_marks(words, excluded, n_people)),
        _PeopleFound.nothing(n_people, len(words), best),
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
    found, disagree = part.found, (1 << value_bits) - 1
    support, value = (found.best >> value_bits).T, (found.best & disagree).T
    value = np.where((support == 0) | (value == disagree), -1, value)
    if most_support:
        one, code = _single_claims(words, found, n_targets)
        value = np.where(support == 0, code, value)
        support = np.where(support == 0, one, support)
    return KeySetCounts(
        n_people,
        search.at_most,
        search.n_matched[at],
        search.n_replicated[at],
        search.n_determined[at],
        search.n_correct[at],
        _by_target(words, found.ever_correct, n_targets),
        _by_target(words, found.ever_wrong, n_targets),
        support.astype(np.int32),
        value.astype(np.int32),
    )


def _single_claims(
    words: Sequence[_Word], found: _PeopleFound, n_targets: int
) -> tuple[Mask, NDArray[np.int32]]:
    """Whether one record claims a target of a person, and its code; -1: none, or they disagree."""
    is_claimed = _by_target(words, found.claims, n_targets)
    is_clash = _by_target(words, found.clashes, n_targets)
    codes = np.full(is_claimed.shape, -1, np.int32)
    for word, claims in zip(words, found.claims, strict=True):
        bits = (np.uint64(1) << word.bits) - np.uint64(1)
        for target, shift in zip(word.targets, word.shifts, strict=True):
            codes[target] = (claims >> shift) & bits
    codes[~is_claimed | is_clash] = -1
    return is_claimed, codes


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


def _by_target(words: Sequence[_Word], marks: Sequence[Words], n_targets: int) -> Mask:
    """The spare bits of people, target by target."""
    found = np.zeros((n_targets, len(marks[0]) if marks else 0), bool)
    for word, of_word in zip(words, marks, strict=True):
        for target, bit in zip(word.targets, word.spares, strict=True):
            found[target] = (of_word & bit) != 0
    return found


def _marks(words: Sequence[_Word], excluded: Sequence[Mask], n_people: int) -> Iterator[Words]:
    """The spare bits of the targets in which people are excluded, word by word."""
    for word in words:
        marks = np.zeros(n_people, np.uint64)
        for target, bit in zip(word.targets, word.spares, strict=True):
            marks[excluded[target]] |= bit
        yield marks
