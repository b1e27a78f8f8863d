"""Which cells do the exclusions hit, and which rule takes the credit? (Raab 2024, section 4.)

Exclusions are masks over the counted cells: nothing is counted again. Rules about levels and about
missing values name cells one by one; a limit on denominators depends on nothing but how a cell
looks, and is applied to the profile.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from unveil.arguments import FEW_LEVELS, MOST_COMPARED, REAL_FILE
from unveil.arrays import Ints, Mask
from unveil.count.codes import CodedColumn, code_of, label, labels, level_label
from unveil.count.exclude_cells import (
    ORIGINAL,
    SYNTHETIC,
    DenominatorLimit,
    ExcludedCells,
    exclude_cells,
    excluded_cells,
)
from unveil.count.profile import Profile, key_profile
from unveil.errors import (
    InternalError,
    RolesError,
    SettingsError,
    hint_at,
    list_names,
    quote_text,
)
from unveil.records.exclusions import Exclusion
from unveil.study.disclosed_records import DisclosedCells, DisclosedRecords
from unveil.study.scenario import CountedScenario

_LIMITED = {"max-denominator": ORIGINAL, "max-denominator-syn": SYNTHETIC}


@dataclass(frozen=True)
class Exclusions:
    """Rules that have been found to fit the scenario, in the order they act."""

    scenario: CountedScenario
    rules: tuple[Exclusion, ...]
    _struck: dict[int, ExcludedCells] = field(default_factory=dict, repr=False, compare=False)
    _profiles: dict[int, Profile] = field(default_factory=dict, repr=False, compare=False)
    _found: dict[tuple[int, str | None], dict[float, DisclosedRecords]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def texts(self) -> tuple[str, ...]:
        """The rules as people read them, labels and all; rule number i is texts[i - 1]."""
        return tuple(_label_rule(rule, self.scenario).text for rule in self.rules)

    @cached_property
    def hit_keys(self) -> dict[int, Mask]:
        """For each rule about missing keys, its number and the key combinations it hits first."""
        hits: dict[int, Mask] = {}
        free = np.ones(self.scenario.keys.n_q, bool)
        for number, rule in self._select_rules("missing-keys"):
            hits[number] = self._lacks_a_key(rule) & free
            free &= ~hits[number]
        return hits

    @property
    def key_rules(self) -> tuple[int, ...]:
        """The numbers of the rules about missing keys."""
        return tuple(number for number, _ in self._select_rules("missing-keys"))

    def on(self, pair: CountedScenario) -> "Exclusions":
        """The same rules on the original and one of its copies, or all of them."""
        return self if pair is self.scenario else type(self)(pair, self.rules)

    def concerning(self, target: int) -> tuple[int, ...]:
        """The numbers of the rules about this target."""
        name = self.scenario.target_names[target]
        return tuple(
            number for number, rule in enumerate(self.rules, start=1) if rule.target in (None, name)
        )

    def act_on(self, target: int) -> bool:
        """Whether some rule hits a cell of this target, or may do so."""
        struck = self.find_exclusions(target)
        return bool(struck.named or struck.limits)

    def key_profile(self) -> Profile:
        """The profile of the key combinations under the rules."""
        return key_profile(self.scenario.keys, self.hit_keys)

    def found(
        self, target: int, several: float = 0, segment: CodedColumn | None = None
    ) -> DisclosedRecords:
        """Whom a target's cells disclose that the rules leave, by segment and level."""
        by = None if segment is None else segment.name
        known = self._found.setdefault((target, by), {})
        if not several and known:  # any will do, for all of them sum over everyone too
            return next(iter(known.values()))
        if several not in known:
            known[several] = self._search(target, several, segment)
        return known[several]

    def _search(self, target: int, several: float, segment: CodedColumn | None) -> DisclosedRecords:
        gone = self.mask_excluded(target) if self.act_on(target) else None
        return DisclosedCells(self.scenario, target, gone, several, segment)

    def count_any_correct(self) -> int:
        """Original records of which some target is disclosed correctly and not excluded."""
        scenario, q = self.scenario, self.scenario.keys.q[self.scenario.sides.slices[0]]
        does_show = np.zeros(scenario.keys.n_q, bool)
        for place in scenario.target_places:
            does_show[scenario.cells(place).q_of(scenario.looks(place).found_cells)] = True
        rows = np.flatnonzero(does_show.take(q))  # once, and not for each target
        q, is_any = q.take(rows), np.zeros(len(rows), bool)
        for place, column in enumerate(scenario.target_columns):
            is_own = scenario.shown_levels(place).take(q) == column.codes.take(rows)
            if self.act_on(place):
                at = np.flatnonzero(is_own)
                is_own[at] = self.keep_rows(place, rows[at])
            is_any |= is_own
        return int(np.count_nonzero(is_any))

    def frame_at_risk(
        self, target: int, counted: Callable[[Any], Any], *, of_keys: bool
    ) -> Any | None:
        """The records that a measure counts, as a frame of an engine; None where rows are here."""
        return None

    def shown_rows(self, target: int) -> tuple[Ints, Mask]:
        """The original records left that are shown a single value, and which of them their own."""
        scenario = self.scenario
        q, shown = scenario.keys.q[scenario.sides.slices[0]], scenario.shown_levels(target)
        rows = np.flatnonzero((shown >= 0)[q])
        rows = rows[self.keep_rows(target, rows)]
        return rows, shown[q[rows]] == scenario.target_columns[target].codes[rows]

    def keep_rows(self, target: int, rows: Ints) -> Mask:
        """Which of these rows of the original no exclusion takes out; all, where none acts."""
        if not self.act_on(target):
            return np.ones(len(rows), bool)
        cells = self.scenario.cells_of_originals(target, rows)
        kept: Mask = ~self.mask_excluded(target)[cells]
        return kept

    def count_values(self, target: int) -> tuple[Ints, Ints, Ints]:
        """By level, before any exclusion: shown correctly, shown to others, shown another level."""
        looks, cells = self.scenario.looks(target), self.scenario.cells(target)
        p, at, n = looks.profile, looks.single_cells, self.scenario.target_columns[target].n_levels
        look, t = looks.of_cell[at], cells.t[at]
        is_right, d_tq = p.ps_is_1[look], p.d_tq[look]
        sums = (d_tq * is_right, (p.d_q[look] - d_tq) * is_right, d_tq * ~is_right)
        correct, wrong, other = (np.bincount(t, one, n).astype(np.int64) for one in sums)
        return correct, wrong, other

    def profile(self, target: int) -> Profile:
        """The profile of one target under the rules."""
        if target not in self._profiles:
            self._profiles[target] = self._profile(target)
        return self._profiles[target]

    def _profile(self, target: int) -> Profile:
        looks = self.scenario.looks(target)
        if not self.act_on(target):
            return looks.profile
        return exclude_cells(looks, self.scenario.cells(target), self.find_exclusions(target))

    def mask_excluded_keys(self, target: int) -> Mask:
        """Which cells of a target are of excluded key combinations: all that touches identity."""
        is_hit = np.zeros(self.scenario.keys.n_q, bool)
        for hit in self.hit_keys.values():
            is_hit |= hit
        return np.repeat(is_hit, np.diff(self.scenario.cells(target).starts))

    def mask_excluded(self, target: int) -> Mask:
        """Which cells of a target are excluded from sums over the original's records."""
        return excluded_cells(self.scenario.cells(target), self.find_exclusions(target))[0]

    def mask_hits(self, target: int, q: Ints, t: Ints) -> Mask:
        """Whether a rule that names cells hits these, which need not occur."""
        column = self.scenario.target_columns[target]
        is_hit = np.zeros(len(q), bool)
        for _, rule in self._select_rules("level", "missing-targets", "missing-keys", "pair"):
            if rule.target not in (None, column.name):
                continue
            if rule.rule == "missing-keys":
                is_hit |= self._lacks_a_key(rule)[q]
                continue
            mask = t == code_of(column, rule.level or "")
            is_hit |= mask & self._has_key_levels(rule)[q] if rule.rule == "pair" else mask
        return is_hit

    def find_exclusions(self, target: int) -> ExcludedCells:
        """What is to be struck out of the cells of this target."""
        if target not in self._struck:
            self._struck[target] = ExcludedCells(
                tuple(self._list_named_cells(target)), tuple(self._limits())
            )
        return self._struck[target]

    def _list_named_cells(self, target: int) -> list[tuple[int, Ints]]:
        """For each rule that names cells of the target, its number and the cells it hits first."""
        hits: list[tuple[int, Ints]] = []
        if not self.rules:
            return hits
        cells = self.scenario.cells(target)
        free = np.ones(len(cells.t), bool)
        for number, mask in self._cell_masks(target):
            found = np.flatnonzero(mask & free)
            if len(found):
                free[found] = False
                hits.append((number, found))
        return hits

    def _limits(self) -> Iterator[DenominatorLimit]:
        for number, rule in self._select_rules(*_LIMITED):
            if rule.limit is None:
                raise InternalError(f"The exclusion {rule.rule} has no limit.")
            yield DenominatorLimit(number, _LIMITED[rule.rule], rule.limit)

    def _select_rules(self, *kinds: str) -> Iterator[tuple[int, Exclusion]]:
        for number, rule in enumerate(self.rules, start=1):
            if rule.rule in kinds:
                yield number, rule

    def _cell_masks(self, target: int) -> Iterator[tuple[int, Mask]]:
        column, cells = self.scenario.target_columns[target], self.scenario.cells(target)
        for number, rule in self._select_rules("level", "missing-targets", "missing-keys", "pair"):
            if rule.target not in (None, column.name):
                continue
            if rule.rule == "missing-keys":
                yield number, np.repeat(self.hit_keys[number], np.diff(cells.starts))
                continue
            code = code_of(column, rule.level or "")
            if code is None:  # missing targets, where none is missing
                continue
            mask = cells.t == code
            if rule.rule == "pair":
                mask = mask & np.repeat(self._has_key_levels(rule), np.diff(cells.starts))
            yield number, mask

    def _lacks_a_key(self, rule: Exclusion) -> Mask:
        """Key combinations with a missing level in one of the rule's keys; in any, by default."""
        lacks = np.zeros(self.scenario.keys.n_q, bool)
        for place, column in enumerate(self.scenario.key_columns):
            if column.has_missing and (not rule.keys or column.name in rule.keys):
                lacks |= self.scenario.key_codes(place) == column.n_levels - 1
        return lacks

    def _has_key_levels(self, rule: Exclusion) -> Mask:
        """Key combinations that have every key level of a pair."""
        has = np.ones(self.scenario.keys.n_q, bool)
        names = [column.name for column in self.scenario.key_columns]
        for key, level in rule.key_conditions:
            place = names.index(key)
            code = code_of(self.scenario.key_columns[place], level)
            has &= self.scenario.key_codes(place) == code
        return has


def resolve_exclusions(exclusions: Sequence[Exclusion], scenario: CountedScenario) -> Exclusions:
    """The exclusions, once their columns and levels are found in the scenario.

    Raises
    ------
    RolesError, SettingsError
        If a rule names a column that has not the role it needs, or a level that nobody has.
    """
    faults = [fault for rule in exclusions for fault in _faults(rule, scenario)]
    if faults:
        raise type(faults[0])("\n".join(str(fault) for fault in faults))
    as_known = dict.fromkeys(_normalise_rule(rule, scenario) for rule in exclusions)
    return (scenario.excluded_by or Exclusions)(scenario, tuple(as_known))


def _columns(scenario: CountedScenario) -> dict[str, CodedColumn]:
    return {column.name: column for column in (*scenario.key_columns, *scenario.target_columns)}


def _label_rule(rule: Exclusion, scenario: CountedScenario) -> Exclusion:
    """The same rule with its levels as people read them, which it may be given with too."""
    columns = _columns(scenario)
    if rule.target is None or rule.level is None:
        return rule
    conditions = zip(rule.keys, rule.key_levels, strict=True) if rule.key_levels else ()
    return replace(
        rule,
        level=level_label(columns[rule.target], rule.level),
        key_levels=tuple(level_label(columns[key], level) for key, level in conditions),
    )


def _normalise_rule(rule: Exclusion, scenario: CountedScenario) -> Exclusion:
    """The same rule with its keys in their order and its levels as the data write them."""
    columns = _columns(scenario)

    def format_level(name: str, level: str) -> str:
        code = code_of(columns[name], level)
        return level if code is None else label(columns[name], code) or ""

    keys = tuple(name for name in scenario.key_names if name in rule.keys)
    levels = dict(rule.key_conditions)
    if rule.rule == "missing-keys" and keys == scenario.key_names:
        keys = ()
    return replace(
        rule,
        keys=keys,
        key_levels=tuple(format_level(key, levels[key]) for key in keys) if levels else (),
        level=None if rule.target is None else format_level(rule.target, rule.level or ""),
    )


def _faults(rule: Exclusion, scenario: CountedScenario) -> Iterator[RolesError | SettingsError]:
    roles = {"target": scenario.target_columns, "key": scenario.key_columns}
    conditions: list[tuple[str, str, str | None]] = [("key", key, None) for key in rule.keys]
    if rule.rule in ("level", "pair"):
        if rule.target is None or rule.level is None:
            raise InternalError(f"The exclusion {rule.rule} has no level.")
        conditions = [("target", rule.target, rule.level)]
        conditions += [("key", key, level) for key, level in rule.key_conditions]
    for role, name, level in conditions:
        columns = {column.name: column for column in roles[role]}
        if name not in columns:
            others = [column.name for column in roles["key" if role == "target" else "target"]]
            hint = hint_at(name, [*columns, *_LIMITED, "missing-targets", "missing-keys"])
            if name in others:
                hint = f" It is a {'key' if role == 'target' else 'target'}."
            yield RolesError(
                f"Exclusion {quote_text(rule.text)}: {quote_text(name)} is not among the "
                f"{role}s.{hint}"
                f" The {role}s are: {list_names(columns)}."
            )
        elif level is not None and code_of(columns[name], level) is None:
            yield _unknown_level(rule, columns[name], level)


def _unknown_level(rule: Exclusion, column: CodedColumn, level: str) -> SettingsError:
    what = f"Exclusion {quote_text(rule.text)}: "
    if level == "":
        return SettingsError(
            f"{what}{column.name!r} has no missing values, so there is nothing to exclude. Write"
            " the level after the =."
        )
    if isinstance(column.levels.dtype, pl.Enum):
        return SettingsError(
            f"{what}{column.name!r} is compared in bands, and none is called "
            f"{quote_text(level)}. They"
            f" are: {list_names(labels(column), most=24)}."
        )
    return SettingsError(
        f"{what}no one has {column.name!r} = {quote_text(level)}.{_nearest_level(column, level)}"
        " Write the level as in the data."
    )


def _nearest_level(column: CodedColumn, level: str) -> str:
    """The level next to what the user typed, for they all but typed it; never one person's value.

    Numbers and columns with about as many levels as people are not hinted at, nor a level that one
    person alone has (but in a handful of records, which are a trial); no list of levels is given.
    """
    n_people = column.sides.rows[0]
    tells = column.levels.dtype != pl.String or column.n_levels > max(FEW_LEVELS, n_people // 10)
    if tells or column.n_levels > MOST_COMPARED:
        return ""
    least = 2 if n_people >= REAL_FILE else 1
    shared = [label(column, code) for code in np.flatnonzero(column.counts[0] >= least).tolist()]
    return hint_at(level, [text for text in shared if text is not None])
