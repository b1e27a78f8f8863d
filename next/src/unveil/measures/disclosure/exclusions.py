"""What is left out because it is no real risk: Raab (2024), section 4.

Each rule has a text: ``workab=NO``, ``marital=SINGLE@age=16``, ``missing-targets``,
``missing-keys=age``, ``max-denominator=1``, ``max-denominator-syn=1``. Names and levels that hold
one of ``= @ , "`` stand in double quotes. Rules act in synthpop's order; of several that hit a
cell, the first takes it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from unveil.counts.cells import NO_TARGET, Ints
from unveil.counts.profile import Cell, CellProfile, Profile
from unveil.errors import InputError, check_name
from unveil.measures.disclosure.formulas import excess_ratio
from unveil.results import Copy, Figure, Percent, Row, Share
from unveil.study import Side, Study

T = TypeVar("T")
FORMS = (
    "Write target=level, target=level@key=level, missing-targets, missing-keys, missing-keys=age,"
    " max-denominator=1 or max-denominator-syn=1."
)
PART = re.compile(r'"((?:[^"]|"")*)"|([^=@,"]+)|([=@,])')

Hit = tuple[Any, Any] | None
"""The cells that a rule takes out of sums over the original, and over the synthetic data."""


class Rule(msgspec.Struct, frozen=True):
    """One exclusion."""

    order = 0  # when it acts: synthpop's order

    def keys_of(self, keys: Sequence[str]) -> Sequence[str]:
        """The keys whose levels it must see."""
        return ()

    def hit(self, cell: Cell) -> Hit:
        """The cells that it excludes; None where it has nothing to do with the target."""
        raise NotImplementedError

    def check(self, study: Study) -> None:
        """Refuse columns and levels that are not there."""


class LevelRule(Rule, frozen=True):
    """A level of a target, everywhere or with levels of keys."""

    target: str
    level: str
    at: tuple[tuple[str, str], ...] = ()

    @property
    def order(self) -> int:  # type: ignore[override]
        return 3 if self.at else 0

    def __str__(self) -> str:
        conditions = [(self.target, self.level), *self.at]
        return "@".join(f"{_quote(name)}={_quote(level)}" for name, level in conditions)

    def keys_of(self, keys: Sequence[str]) -> Sequence[str]:
        return [name for name, _ in self.at]

    def hit(self, cell: Cell) -> Hit:
        if cell.target.name != self.target:
            return None
        mask = cell.t == cell.target.code(self.level)
        for name, level in self.at:
            mask &= cell.levels[name] == cell.keys[name].code(level)
        return mask, mask

    def check(self, study: Study) -> None:
        self._check_level(study, "target", study.targets, self.target, self.level)
        for name, level in self.at:
            self._check_level(study, "key", study.keys, name, level)

    def _check_level(
        self, study: Study, role: str, names: Sequence[str], name: str, level: str
    ) -> None:
        check_name(name, names, f"Exclusion {str(self)!r}: there is no {role}")
        if study.column(name).code(level) is None:
            raise InputError(
                f"Exclusion {str(self)!r}: no one has {name!r} = {level!r}. Write the level as it"
                " stands in the data, or nothing for missing."
            )


class MissingTargets(Rule, frozen=True):
    """Missing values of every target."""

    order = 1

    def __str__(self) -> str:
        return "missing-targets"

    def hit(self, cell: Cell) -> Hit:
        if cell.target is NO_TARGET or not cell.target.has_missing:
            return None
        mask = cell.t == cell.target.n_levels - 1
        return mask, mask


class MissingKeys(Rule, frozen=True):
    """Missing values of some keys, or of any."""

    names: tuple[str, ...] = ()
    order = 2

    def __str__(self) -> str:
        return "missing-keys" + ("=" + ",".join(map(_quote, self.names)) if self.names else "")

    def keys_of(self, keys: Sequence[str]) -> Sequence[str]:
        return self.names or keys

    def hit(self, cell: Cell) -> Hit:
        masks = [
            cell.levels[name] == key.n_levels - 1
            for name, key in cell.keys.items()
            if key.has_missing and name in self.keys_of([name])
        ]
        mask = reduce(or_, masks) if masks else None
        return None if mask is None else (mask, mask)

    def check(self, study: Study) -> None:
        for name in self.names:
            check_name(name, study.keys, f"Exclusion {str(self)!r}: there is no key")


class MaxDenominator(Rule, frozen=True):
    """Cells of more records than the limit; sums over the synthetic data go by their counts."""

    limit: int
    is_synthetic: bool = False

    @property
    def order(self) -> int:  # type: ignore[override]
        return 5 if self.is_synthetic else 4

    def __str__(self) -> str:
        return f"max-denominator{'-syn' if self.is_synthetic else ''}={self.limit}"

    def hit(self, cell: Cell) -> Hit:
        if cell.target is NO_TARGET:
            return None
        over_s = cell.s_tq > self.limit
        return over_s if self.is_synthetic else cell.d_tq > self.limit, over_s


def parse_exclusions(texts: str | Iterable[str]) -> tuple[Rule, ...]:
    """Rules from their texts, each once, in the order in which they act."""
    rules = dict.fromkeys(map(_parse, [texts] if isinstance(texts, str) else texts))
    return tuple(sorted(rules, key=lambda rule: rule.order))


def _parse(text: str) -> Rule:
    if "".join(match[0] for match in PART.finditer(text)) != text:
        raise InputError(f"The exclusion {text!r} cannot be read. {FORMS}")
    parts, marks = [""], ""
    for quoted, plain, mark in PART.findall(text):
        if mark:
            parts.append("")
            marks += mark
        else:
            parts[-1] += plain or quoted.replace('""', '"')
    if "@" not in marks and (rule := _named(parts[0], parts[1:])):
        return rule
    if not re.fullmatch("=(@=)*", marks) or not all(parts[::2]):
        raise InputError(f"The exclusion {text!r} cannot be read. {FORMS}")
    names, levels = parts[::2], parts[1::2]
    return LevelRule(names[0], levels[0], tuple(zip(names[1:], levels[1:], strict=True)))


def _named(name: str, values: list[str]) -> Rule | None:
    """A rule that has a name of its own."""
    if name == "missing-targets" and not values:
        return MissingTargets()
    if name == "missing-keys" and all(values):
        return MissingKeys(tuple(values))
    if name in ("max-denominator", "max-denominator-syn"):
        if len(values) != 1 or not re.fullmatch("[1-9][0-9]{0,17}", values[0]):
            raise InputError(f"The limit of {name} is a whole number from 1 on: {name}=1.")
        return MaxDenominator(int(values[0]), name.endswith("-syn"))
    return None


def _quote(text: str) -> str:
    """A name or level as it stands in a rule."""
    return '"' + text.replace('"', '""') + '"' if re.search('[=@,"]', text) else text


class ExcludedRow(Row, frozen=True):
    """Records that a rule takes out of each sum; without a rule, what is left."""

    version: str
    copy: Copy
    target: str
    rule: str
    people: int
    records: int
    Dorig: int
    Dsyn: int
    iS: int
    DiS: int
    DiSCO: int
    DiSDiO: int


def excluded(p: Profile, side: Side, rules: Sequence[Rule]) -> Iterator[ExcludedRow]:
    """What each rule takes out of each sum about a target; then what is left."""
    at = np.flatnonzero((p.marks.d > 0) | (p.marks.s > 0))
    n = len(rules) + 1
    by_rule = _sums(p, at, lambda marks, counts, where: np.bincount(marks, counts * where, n))
    whole = _sums(p, slice(None), lambda _, counts, where: np.dot(counts, where))
    about: dict[str, Any] = {"version": side.version, "copy": side.copy, "target": p.target.name}
    for place, rule in enumerate(rules, start=1):
        about |= {name: int(sums[place]) for name, sums in by_rule.items()}
        yield ExcludedRow(rule=str(rule), **about)
    about |= {name: int(whole[name] - by_rule[name][1:].sum()) for name in whole}
    yield ExcludedRow(rule="", **about)


def _sums(p: Profile, at: Any, add: Callable[[Ints, Ints, Any], T]) -> dict[str, T]:
    """What each sum is made of, in some cells: which rule took them out, their records, if any."""
    d, s = (p.marks.d[at], p.n_d[at]), (p.marks.s[at], p.n_s[at])
    pd, ps = p.pd_is_1[at], p.ps_is_1[at]
    return {
        "people": add(*d, np.ones_like(pd)),
        "records": add(*s, np.ones_like(ps)),
        "Dorig": add(*d, pd),
        "Dsyn": add(*s, ps),
        "iS": add(*d, p.s_q[at] > 0),
        "DiS": add(*d, p.is_shown[at]),
        "DiSCO": add(*d, ps),
        "DiSDiO": add(*d, ps & pd),
    }


class EffectRow(Row, frozen=True):
    """What all exclusions together did to one figure."""

    version: str
    copy: Copy
    target: str  # empty: a figure of identity
    figure: str
    before: Annotated[Figure, Percent("with everyone")]
    after: Annotated[Figure, Percent("without what is excluded")]
    R: Annotated[Figure, Share("the part that exclusions explain", "Raab 2024, section 5")]


def effects(before: Sequence[Row], after: Sequence[Row]) -> list[EffectRow]:
    """The percentages of records with and without exclusions."""
    return [
        EffectRow(
            version=whole["version"], copy=whole["copy"], target=whole["target"], figure=figure,
            before=whole[figure], after=left[figure], R=excess_ratio(whole[figure], left[figure]),
        )
        for whole, left in zip(before, after, strict=True)
        if whole["copy"] != "sd" and whole["unit"] == "records"
        for figure, unit in whole.units().items()
        if isinstance(unit, Percent)
    ]  # fmt: skip


class ExclusionsRow(Row, frozen=True):
    """One figure under five sets of exclusions: each adds to the one before, the last is alone."""

    version: str
    copy: Copy
    target: str
    figure: str
    all: Annotated[Figure, Percent("nothing excluded", "Raab 2024, Table 2")]
    levels: Annotated[Figure, Percent("without common levels", "Raab 2024, Table 2")]
    levels_missing: Annotated[Figure, Percent("and without missing values", "Raab 2024, Table 2")]
    levels_missing_large: Annotated[
        Figure, Percent("and without cells of several people", "Raab 2024, Table 2")
    ]
    large: Annotated[Figure, Percent("without cells of several people alone", "Raab 2024, Table 2")]


def five_sets(
    p: CellProfile, side: Side, rules: Sequence[Rule], common: Sequence[Rule]
) -> Iterator[ExclusionsRow]:
    """Table 2: of the levels named, or else flagged; missing values; cells above a denominator."""
    levels = [rule for rule in rules if isinstance(rule, LevelRule)] or common
    given = [r for r in rules if isinstance(r, MaxDenominator) and not r.is_synthetic]
    large = given or [MaxDenominator(1)]
    at = np.flatnonzero(p.pd_is_1 | p.ps_is_1)
    hits = [_hit(p.cell(at), kind) for kind in (levels, [MissingTargets()], large)]
    for figure, is_disclosed in (("Dorig", p.pd_is_1[at]), ("DiSCO", p.ps_is_1[at])):
        counts = p.n_d[at] * is_disclosed
        sets = ((), hits[:1], hits[:2], hits, hits[2:])
        sums = [int(counts[~reduce(or_, hit, np.zeros(len(at), bool))].sum()) for hit in sets]
        percents = [100 * total / p.N_d if p.N_d else None for total in sums]
        yield ExclusionsRow(
            version=side.version, copy=side.copy, target=p.target.name, figure=figure,
            **dict(zip(ExclusionsRow.__struct_fields__[4:], percents, strict=True)),
        )  # fmt: skip


def _hit(cell: Cell, rules: Sequence[Rule]) -> Any:
    """The cells that any of these rules takes out of sums over the original."""
    hits = [hit[0] for rule in rules if (hit := rule.hit(cell))]
    return reduce(or_, hits, np.zeros(len(cell.t), bool))
