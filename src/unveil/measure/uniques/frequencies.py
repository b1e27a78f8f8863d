"""How many records share a record's keys, in the data and in the population they stand for?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from unveil.arrays import Floats, Ints, Mask
from unveil.count.cells import Cells, Keys
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import Integers, number, run_starts

# How likely is it that a record is the person one takes it for?
#
# Benedetti and Franconi (1998), Franconi and Polettini (2004): of the Fk people in the population
# who match a record's keys only an estimate is known, the sum of the weights; the risk is the
# expectation of 1/Fk.


NEAR = 0.01
"""Below this share not sampled, the closed formula for two loses its digits to a difference."""
NODES, PANELS = 16, 40


def individual_risk(fk: Floats, Fk: Floats) -> Floats:
    """The probability that a match of these keys is right.

    Notes
    -----
    With p = fk / Fk and q = 1 - p: (p / q) log(1 / p) for fk = 1, p / q - (p / q)^2 log(1 / p) for
    fk = 2, p / (fk - q) for more (an approximation), 1 / fk where fk = Fk. These are the formulas
    of sdcMicro's `indivRisk`, method "approx".

    Where weights add up to less than the records (Fk < fk), no one else is in the population, and
    the risk is 1 / fk. Counts between 1 and 2, which an alpha between 0 and 1 leads to, get the
    expectation itself, by numerical integration. Erratum: sdcMicro 5.8.1 gives them the risk 0.

    References
    ----------
    Benedetti and Franconi (1998); Franconi and Polettini (2004).
    """
    risk = 1 / fk
    p = np.divide(fk, Fk, out=np.ones_like(fk), where=Fk > fk)
    for chosen, formula in (
        (fk == 1, _risk_of_one),
        ((fk > 1) & (fk < 2), _risk_of_fraction),
        (fk == 2, _risk_of_two),
        (fk > 2, _risk_of_more),
    ):
        where = chosen & (Fk > fk)
        risk[where] = formula(fk[where], p[where])
    return risk


def _risk_of_one(fk: Floats, p: Floats) -> Floats:
    q = 1 - p
    return -p / q * np.log1p(-q)


def _risk_of_two(fk: Floats, p: Floats) -> Floats:
    q = 1 - p
    odds = p / q
    closed = odds + odds**2 * np.log1p(-q)
    series = p * sum(q**k / ((k + 1) * (k + 2)) for k in range(8))
    return np.where(q < NEAR, series, closed)


def _risk_of_more(fk: Floats, p: Floats) -> Floats:
    return p / (fk - (1 - p))


def _risk_of_fraction(fk: Floats, p: Floats) -> Floats:
    """E(1/F), the integral of exp(-f t) p / (p + q exp(-t)) over all t above 0."""
    pairs, place = np.unique(np.stack([fk, p]), axis=1, return_inverse=True)
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    found = np.empty(pairs.shape[1])
    for at, (f, share) in enumerate(pairs.T):
        width = (40 - np.log(share)) / PANELS  # beyond the last panel nothing is left to add
        t = width * (np.arange(PANELS)[:, None] + (nodes + 1) / 2)
        inside = np.exp(-f * t) * share / (share + (1 - share) * np.exp(-t))
        found[at] = (inside @ shares).sum() * width / 2
    return found[place.ravel()]


# Who matches whom where a missing key may be anything?
#
# Two key combinations match when on every key they are equal or one of the two is missing: the
# rule of sdcMicro's `freqCalc`. It is not transitive, so there are no classes. Distinct
# combinations are sorted into a tree, key by key, and the tree is matched with itself from the
# root down: only beginnings that match are followed. So the work grows with the matches there are
# between distinct combinations, never with pairs of records.


MOST_PAIRS = 2**20
"""Pairs that are made at a time, so that memory stays bounded."""
Pairs = tuple[Ints, Ints]


@dataclass(frozen=True)
class Combinations:
    """The distinct key combinations of one data set, as codes, in the order they were numbered."""

    codes: tuple[Codes, ...]
    n_levels: tuple[int, ...]
    missing: tuple[int | None, ...]  # the code that may be anything

    @property
    def n_q(self) -> int:
        """How many there are."""
        return len(self.codes[0])

    @cached_property
    def is_complete(self) -> Mask:
        """Which combinations lack no key."""
        complete = np.ones(self.n_q, bool)
        for codes, missing in zip(self.codes, self.missing, strict=True):
            if missing is not None:
                complete &= codes != missing
        return complete

    def matches(self, most: int = MOST_PAIRS) -> Iterator[Pairs]:
        """All pairs that match, each combination with itself among them, in pieces of about `most`.

        All matches of one combination, which comes first in its pairs, stand in one piece.
        """
        # Keys that no one lacks part most; then those with many levels.
        by_use = sorted(
            range(len(self.codes)), key=lambda k: (self.missing[k] is not None, -self.n_levels[k])
        )
        rows = np.lexsort([self.codes[key] for key in reversed(by_use)])
        steps = _steps([self.codes[key][rows] for key in by_use])
        of_steps = [
            _Step(*step, self.n_levels[key], self.missing[key])
            for step, key in zip(steps, by_use, strict=True)
        ]
        waiting = [(0, (np.zeros(1, np.int64), np.zeros(1, np.int64)))]
        while waiting:
            depth, pairs = waiting.pop()
            if depth == len(of_steps):
                yield rows[pairs[0]], rows[pairs[1]]
                continue
            step = of_steps[depth]
            parts = _parts(pairs, step.most_longer(pairs), most)
            if len(parts) > 1:
                waiting += [(depth, part) for part in parts]
            else:
                waiting.append((depth + 1, step.longer(pairs)))


@dataclass(frozen=True)
class _Step:
    """From beginnings of combinations to those that are longer by one key."""

    starts: Ints  # the longer beginnings of each: starts[i] to starts[i + 1]
    values: Integers  # the code of the key with which each longer one ends
    n_levels: int
    missing: int | None

    @cached_property
    def packed_codes(self) -> Ints:
        """Each longer beginning as a number: what it begins with, and its last code."""
        before = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        packed: Ints = before * self.n_levels + self.values
        return packed

    @cached_property
    def lacks(self) -> Mask:
        """Which beginnings have a longer one that lacks the key; it is the last of theirs."""
        lacking: Mask = self.values[self.starts[1:] - 1] == self.missing
        return lacking

    def most_longer(self, pairs: Pairs) -> Ints:
        """At most so many longer pairs come from each."""
        n_first, n_second = (np.diff(self.starts)[one] for one in pairs)
        most: Ints = 2 * n_first
        return most if self.missing is None else most + np.where(self.lacks[pairs[0]], n_second, 0)

    def longer(self, pairs: Pairs) -> Pairs:
        """The pairs of longer beginnings that match."""
        first, length = ranges(self.starts, pairs[0])
        second = np.repeat(pairs[1], length)
        if self.missing is None:
            return self._equal(first, second)
        is_known = self.values[first] != self.missing
        anything, among = first[~is_known], second[~is_known]
        all_of, length = ranges(self.starts, among)
        first, second = first[is_known], second[is_known]
        lacking = self.lacks[second]
        found = [
            self._equal(first, second),
            (first[lacking], self.starts[second[lacking] + 1] - 1),
            (np.repeat(anything, length), all_of),
        ]
        one, other = (np.concatenate(side) for side in zip(*found, strict=True))
        return one, other

    def _equal(self, first: Ints, second: Ints) -> Pairs:
        """Those whose second has a longer beginning that ends as the first does."""
        wanted = second * self.n_levels + self.values[first]
        place = np.searchsorted(self.packed_codes, wanted)
        place[place == len(self.packed_codes)] = 0
        is_there = self.packed_codes[place] == wanted
        return first[is_there], place[is_there]


def _steps(in_order: Sequence[Codes]) -> Iterator[tuple[Ints, Codes]]:
    """For each key the starts of longer beginnings, and the codes these end with."""
    n = len(in_order[0])
    begins = np.zeros(n, bool)
    begins[0] = True
    for codes in in_order:
        longer = begins.copy()
        longer[1:] |= codes[1:] != codes[:-1]
        place = np.cumsum(longer) - 1
        yield np.append(place[begins], place[-1] + 1), codes[longer]
        begins = longer


def _parts(pairs: Pairs, sizes: Ints, most: int) -> list[Pairs]:
    """Pairs cut into parts of about the size wanted; no first one is in two of them."""
    if sizes.sum() <= most or (pairs[0] == pairs[0][0]).all():
        return [pairs]
    order = np.argsort(pairs[0], kind="stable")
    first, second, before = pairs[0][order], pairs[1][order], np.cumsum(sizes[order])
    of_first = run_starts(first)
    # Where the sizes pass a multiple of what is wanted, up to the next of the first ones.
    part = before[of_first[1:] - 1] // most
    cuts = of_first[run_starts(part)[1:-1]]
    return list(zip(np.split(first, cuts), np.split(second, cuts), strict=True))


def ranges(starts: Ints, chosen: Integers) -> tuple[Ints, Ints]:
    """Every place from starts[i] to starts[i + 1], one chosen i after the other; and how many."""
    length = starts[chosen + 1] - starts[chosen]
    shift = starts[chosen] - (np.cumsum(length) - length)
    return np.arange(length.sum()) + np.repeat(shift, length), length


def combinations(columns: Sequence[CodedColumn], codes: tuple[Codes, ...]) -> Combinations:
    """The distinct key combinations of one data set that was counted by these columns."""
    return Combinations(
        codes,
        tuple(column.n_levels for column in columns),
        tuple(column.n_levels - 1 if column.has_missing else None for column in columns),
    )


# Among those who match a record's keys, how varied is what an intruder would learn?
#
# l-diversity: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007); entropy l-diversity
# and recursive (c, l)-diversity as defined there.


@dataclass(frozen=True)
class Diversities:
    """Of each key combination: the l of three readings of l-diversity."""

    distinct: Floats
    entropy: Floats
    recursive: Floats


def diversities(owner: Ints, n: Floats, n_owners: int, c: float) -> Diversities:
    """The three readings, from how often each owner has each of its values (each n above 0).

    Notes
    -----
    distinct: the number of values. entropy: exp of the entropy of their shares, in nats. recursive
    (c, l): the largest l such that the most frequent value occurs less than c times as often as
    the values from rank l on together, ties in any order; 0 where there is none. Missing is a
    value.
    """
    order = np.lexsort((-n, owner))
    owner, n = owner[order], n[order]
    starts = run_starts(owner)[:-1]
    total = np.bincount(owner, weights=n, minlength=n_owners)
    share = n / total[owner]
    entropy = np.bincount(owner, weights=-share * np.log(share), minlength=n_owners)
    before = np.cumsum(n) - n
    most, first = np.zeros(n_owners), np.zeros(n_owners)
    most[owner[starts]], first[owner[starts]] = n[starts], before[starts]
    rest = total[owner] - (before - first[owner])
    return Diversities(
        np.bincount(owner, minlength=n_owners).astype(np.float64),
        np.exp(entropy),
        np.bincount(owner[most[owner] < c * rest], minlength=n_owners).astype(np.float64),
    )


def exact_diversities(cells: Cells, c: float) -> Diversities:
    """Diversity among the records with the same keys, missing being a level like any other."""
    return diversities(cells.q.astype(np.int64), cells.counts[0].astype(np.float64), cells.n_q, c)


def wildcard_diversities(combos: Combinations, cells: Cells, c: float) -> Diversities:
    """Diversity among the records that match where a missing key may be anything.

    Notes
    -----
    Every record that matches counts 1, whatever alpha is: an intruder who cannot tell two people
    apart learns one of the values of both.
    """
    made = Diversities(*np.zeros((3, combos.n_q)))
    starts, n_levels = cells.starts.astype(np.int64), int(cells.t.max()) + 1
    most = max(MOST_PAIRS * combos.n_q // len(cells.t), 1)
    for one, other in combos.matches(most):
        places, length = ranges(starts, other)
        owner, n_owners = number(one, combos.n_q)
        packed = np.repeat(owner.astype(np.int64), length) * n_levels + cells.t[places]
        ids, n_ids = number(packed, n_owners * n_levels)
        of_value = np.empty(n_ids, np.int64)
        of_value[ids] = packed // n_levels
        n: Floats = np.bincount(ids, cells.counts[0][places], n_ids).astype(np.float64)
        part = diversities(of_value, n, n_owners, c)
        q = np.empty(n_owners, np.int64)
        q[owner] = one
        made.distinct[q], made.entropy[q] = part.distinct, part.entropy
        made.recursive[q] = part.recursive
    return made


DENOMINATOR = 10**6
"""An alpha is taken for a fraction of at most this denominator: all of six decimals are."""


@dataclass(frozen=True)
class Frequencies:
    """Of each key combination: records that match it, and people in the population who do."""

    fk: Floats
    Fk: Floats


def count_exact_frequencies(keys: Keys, weights: Floats | None) -> Frequencies:
    """Records with the same keys, missing being a level like any other.

    Notes
    -----
    fk is their number, Fk the sum of their weights.
    """
    fk = keys.counts[0].astype(np.float64)
    if weights is None:  # everyone stands for themselves
        return Frequencies(fk, fk)
    Fk: Floats = np.bincount(keys.q, weights=weights, minlength=keys.n_q).astype(np.float64)
    return Frequencies(fk, Fk)


def count_wildcard_frequencies(
    combos: Combinations, same: Frequencies, alpha: float
) -> Frequencies:
    """Records that match where a missing key may be anything.

    Notes
    -----
    A record and all that are identical to it, missing in the same places, count 1 each; another
    that matches counts 1 where it lacks no key, and `alpha` where it lacks any. Fk likewise, each
    with its weight. What counts in full and what counts in part is added up apart, and put together
    once: see `add_partial`. With alpha 1 two records match or do not; with 0 a record with missing
    keys hides no one but its like.

    References
    ----------
    sdcMicro `freqCalc`, whose three alphas in `reference/sdcmicro` are reproduced.
    """
    in_full, in_part = (Frequencies(*np.zeros((2, combos.n_q))) for _ in range(2))
    for one, other in combos.matches():
        is_full = combos.is_complete[other] | (one == other)
        for counted, chosen in ((in_full, is_full), (in_part, ~is_full)):
            np.add.at(counted.fk, one[chosen], same.fk[other[chosen]])
            np.add.at(counted.Fk, one[chosen], same.Fk[other[chosen]])
    return Frequencies(
        add_partial(in_full.fk, in_part.fk, alpha), add_partial(in_full.Fk, in_part.Fk, alpha)
    )


def add_partial(in_full: Floats, in_part: Floats, alpha: float) -> Floats:
    """What counts in full and, alpha times, what counts in part: to the nearest float.

    Notes
    -----
    Of whole numbers it is whole where it should be. Sums of floats are not: 1 and five times 0.2,
    added up, are 1.9999999999999998, which breaks 2-anonymity, and even 0.29 * 100 is
    28.999999999999996. So alpha is taken for the fraction it stands for (0.2 for 1/5), and whole
    numbers are divided once. An alpha that is no fraction of so small a denominator makes no whole
    number of fewer partial matches than that.
    """
    ratio = Fraction(alpha).limit_denominator(DENOMINATOR)
    if float(ratio) != alpha:
        return in_full + alpha * in_part
    return (in_full * ratio.denominator + in_part * ratio.numerator) / ratio.denominator
