"""Which figures change at once when something is struck out? Exact sums, kept ready by level.

Under exclusions Dorig, DiS, DiSCO and DiSDiO are sums of d_tq over cells of one look, less those of
excluded cells; the denominator stays (Raab 2024, section 4, equations 8 and 10 to 12). People are
summed by target level beforehand, and the cells of a level stand together: a level that is struck
out costs one subtraction, and a pair costs a look at the cells of its level, however many are
struck out with it. All else that a record has is for `DisclosureResult.whatif`.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.codes import Codes, code_of
from unveil.count.packing import Integers
from unveil.measure.disclosure.attribute import COUNTED
from unveil.records.exclusions import Exclusion
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.scenario import CountedScenario

SYMBOLS = ("Dorig", "DiS", "DiSCO", "DiSDiO")
Figures = dict[str, float | None]
BY_LEVEL = ("level", "missing-targets", "pair")
"""Rules that are about levels of a target; others are put into the sums themselves."""
MOST_KEPT = 512
"""So many answers are remembered for each target."""
_HAS = np.array([[bits >> place & 1 for place in range(4)] for bits in range(16)])


@dataclass(frozen=True)
class _LevelSums:
    """The cells of one target that some figure counts, level by level, and their people."""

    starts: Ints  # the cells of level t stand at starts[t] to starts[t + 1]
    q: Integers
    d: Integers
    bits: Integers  # the figures that count a cell: bit i is SYMBOLS[i]
    by_level: Ints  # people by level and figure

    @classmethod
    def of(cls, pair: CountedScenario, target: int, beside: tuple[Exclusion, ...]) -> "_LevelSums":
        """Of an original and a copy; `beside` are the rules that are not about levels."""
        looks, cells = pair.looks(target), pair.cells(target)
        p = looks.profile
        of_look = sum(COUNTED[name](p).astype(np.uint8) << i for i, name in enumerate(SYMBOLS))
        bits = np.asarray(of_look, np.uint8).take(looks.of_cell)
        if beside:
            bits[Exclusions(pair, beside).mask_excluded(target)] = 0
        bits[cells.counts[0] == 0] = 0
        at = np.flatnonzero(bits)
        at = at[np.argsort(cells.t[at], kind="stable")]
        d, bits, n_levels = cells.counts[0][at], bits[at], pair.target_columns[target].n_levels
        t = cells.t[at].astype(np.int64)
        by_look = np.bincount(t * len(_HAS) + bits, d, n_levels * len(_HAS))
        by_level = by_look.astype(np.int64).reshape(n_levels, len(_HAS)) @ _HAS
        starts = np.searchsorted(t, np.arange(n_levels + 1))
        return cls(starts, cells.q_of(at).astype(np.int32), d, bits, by_level)


_Coded = tuple[int, tuple[tuple[int, int], ...]]
"""A level of a target, and with it keys by their places, each with a level; as codes."""


@dataclass(frozen=True)
class _ExcludedLevels:
    """What rules strike out of one target: whole levels, and levels at levels of keys."""

    levels: frozenset[int]
    pairs: tuple[_Coded, ...]


@dataclass
class LiveFigures:
    """One counted scenario, ready to be asked what is left without something."""

    scenario: CountedScenario
    _fitted: dict[Exclusion, Exclusion] = field(default_factory=dict)
    _sums: dict[tuple[int, int, tuple[Exclusion, ...]], _LevelSums] = field(default_factory=dict)
    _codes: dict[tuple[int, int], Codes] = field(default_factory=dict)
    _coded: dict[tuple[int, Exclusion], _Coded | None] = field(default_factory=dict)
    _known: OrderedDict[tuple[int, frozenset[Exclusion]], Figures] = field(
        default_factory=OrderedDict
    )

    def figures(self, exclude: Iterable[Exclusion] = ()) -> dict[str, Figures]:
        """Every figure of every target under these rules: of the copy, or the mean over copies.

        Raises
        ------
        RolesError, SettingsError
            If a rule names a column or a level that is not there.
        """
        rules = [self._fit(one) for one in exclude]
        return {
            name: self._remembered(place, frozenset(one for one in rules if _is_about(one, name)))
            for place, name in enumerate(self.scenario.target_names)
        }

    def _fit(self, rule: Exclusion) -> Exclusion:
        """The rule as the data write it; found once, for it takes as long as the sums."""
        if rule not in self._fitted:
            (self._fitted[rule],) = resolve_exclusions([rule], self.scenario).rules
        return self._fitted[rule]

    def _remembered(self, target: int, rules: frozenset[Exclusion]) -> Figures:
        asked = (target, rules)
        if asked not in self._known:
            self._known[asked] = self._measure(target, rules)
        self._known.move_to_end(asked)
        if len(self._known) > MOST_KEPT * len(self.scenario.target_columns):
            self._known.popitem(last=False)
        return self._known[asked]

    def _measure(self, target: int, rules: frozenset[Exclusion]) -> Figures:
        beside = tuple(sorted((one for one in rules if one.rule not in BY_LEVEL), key=repr))
        by_level = [one for one in rules if one.rule in BY_LEVEL]
        n_people = self.scenario.sides.rows[0]
        if not n_people:
            return dict.fromkeys(SYMBOLS)
        of_copies = [
            100 * self._people_left(number, target, by_level, beside) / n_people
            for number in range(self.scenario.n_copies)
        ]
        return {
            name: fmean(float(of_copy[place]) for of_copy in of_copies)
            for place, name in enumerate(SYMBOLS)
        }

    def _people_left(
        self, number: int, target: int, rules: Sequence[Exclusion], beside: tuple[Exclusion, ...]
    ) -> Ints:
        """The people that each figure counts when the rules have acted, in one copy."""
        pair = self.scenario.pair(number + 1)
        if (number, target, beside) not in self._sums:
            self._sums[number, target, beside] = _LevelSums.of(pair, target, beside)
        sums = self._sums[number, target, beside]
        struck = self._resolve(number, target, rules)
        left: Ints = sums.by_level.sum(axis=0)
        for level in struck.levels:
            left = left - sums.by_level[level]
        for level, at in self._struck_cells(number, pair, sums, struck):
            start = sums.starts[level]
            bits, d = sums.bits[start:][at], sums.d[start:][at]
            left = left - np.bincount(bits, d, len(_HAS)).astype(np.int64) @ _HAS
        return left

    def _resolve(self, number: int, target: int, rules: Sequence[Exclusion]) -> _ExcludedLevels:
        """The rules as codes, each looked up once; what a copy does not have strikes nothing."""
        for rule in rules:
            if (number, rule) not in self._coded or rule.target is None:
                pair = self.scenario.pair(number + 1)
                self._coded[number, rule] = _find_codes(pair, target, rule)
        found = [one for rule in rules if (one := self._coded[number, rule]) is not None]
        levels = frozenset(level for level, at in found if not at)
        return _ExcludedLevels(
            levels, tuple(one for one in found if one[1] and one[0] not in levels)
        )

    def _struck_cells(
        self, number: int, pair: CountedScenario, sums: _LevelSums, struck: _ExcludedLevels
    ) -> Iterator[tuple[int, Ints]]:
        """By level, which of its cells some pair strikes out."""
        for level in dict.fromkeys(level for level, _ in struck.pairs):
            q = sums.q[sums.starts[level] : sums.starts[level + 1]]
            is_struck: Mask = np.zeros(len(q), bool)
            alone: dict[int, list[int]] = {}
            for conditions in (one for of, one in struck.pairs if of == level):
                if len(conditions) == 1:
                    alone.setdefault(conditions[0][0], []).append(conditions[0][1])
                    continue
                has = np.ones(len(q), bool)
                for key, code in conditions:
                    has &= self._key_codes(number, pair, key)[q] == code
                is_struck |= has
            for key, codes in alone.items():  # one look-up, however many levels are struck out
                is_marked = np.zeros(pair.key_columns[key].n_levels, bool)
                is_marked[codes] = True
                is_struck |= is_marked[self._key_codes(number, pair, key)[q]]
            yield level, np.flatnonzero(is_struck)

    def _key_codes(self, number: int, pair: CountedScenario, key: int) -> Codes:
        if (number, key) not in self._codes:
            self._codes[number, key] = pair.key_codes(key)
        return self._codes[number, key]


def _is_about(rule: Exclusion, target: str) -> bool:
    return rule.target in (None, target)


def _find_codes(pair: CountedScenario, target: int, rule: Exclusion) -> _Coded | None:
    """A rule as codes of the columns of one pair; None: the pair has no such level."""
    level = code_of(pair.target_columns[target], rule.level or "")
    places = [(pair.key_names.index(key), text) for key, text in rule.key_conditions]
    codes = [(place, code_of(pair.key_columns[place], text)) for place, text in places]
    found = tuple((place, code) for place, code in codes if code is not None)
    return None if level is None or len(found) < len(codes) else (level, found)
