"""Random small worlds, told as plain values: files, what is true of their columns, exclusions.

A world is what a custodian has and says; `World.rows` reads it as the other stories do, rows of
``(key, target)``. Missing is None, numbers are Fractions, a joint target is a tuple of its parts.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from math import ceil
from random import Random

from oracles import bands
from oracles.exclusions import (
    AboveLimit,
    AboveLimitInCopy,
    MissingKeys,
    MissingTargets,
    Pair,
    Rule,
    TargetLevel,
)

Record = dict[str, Hashable]
File = list[Record]
Target = str | tuple[str, ...]

LEVELS: dict[str, tuple] = {
    "text": ("a", "A", "a ", "b", "x=y", "p@q", 'say "so"', "c, d", "é", "NA", "missing-keys"),
    "whole": tuple(map(Fraction, (-8, 0, 1, 2, 3, 5, 10))),
    "quarters": tuple(Fraction(n, 4) for n in (-8, 0, 1, 2, 3, 10)),
    "date": (date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29)),
}
SPECIAL = Fraction(-8)
KEY_NAMES = ("sex", "a=b", "copy", "count")
TARGET_NAMES = ("level", "k@k", "t, u", "people")
KINDS = ("text", "text", "whole", "quarters", "date")
PEOPLE = (*(f"p{n}" for n in range(6)), None)
RULES = (TargetLevel, TargetLevel, Pair, MissingTargets, MissingKeys, AboveLimit, AboveLimitInCopy)


@dataclass(frozen=True)
class World:
    """What is compared; every file has a record that all share, so that no column is refused."""

    original: File
    synthetic: dict[str, list[File]]  # copies by version
    control: File
    kinds: dict[str, str]
    keys: tuple[str, ...]
    targets: tuple[Target, ...]
    columns: dict[str, dict] = field(default_factory=dict)  # settings, by column
    rules: tuple[Rule, ...] = ()
    thresholds: tuple[tuple[int, int], tuple[int, int]] = ((50, 90), (4, 80))
    within: str = ""
    person: str = ""
    missing: tuple[str, ...] = ()  # texts that stand for it
    published: dict[str, dict[Hashable, Fraction]] = field(default_factory=dict)  # by target, level
    fraction: Fraction | None = None  # of the population, in the original

    @property
    def files(self) -> list[File]:
        copies = [copy for files in self.synthetic.values() for copy in files]
        return [self.original, *copies, self.control]

    @cached_property
    def levels(self) -> dict[str, dict]:
        """What each value of a column is compared as."""
        return {name: self._levels(name) for name in self.kinds}

    def _levels(self, name: str) -> dict:
        about, columns = self.columns.get(name, {}), [[r[name] for r in f] for f in self.files]
        values = {value for column in columns for value in column} - {*self.missing}
        groups = about.get("bands")
        if isinstance(groups, dict):
            group_of = {level: group for group, levels in groups.items() for level in levels}
            return {value: group_of.get(value, value) for value in values}
        if groups is None:
            return {value: value for value in values}
        banded = bands.banded(columns, special=about.get("special", ()), **told(groups))
        return dict(zip(sum(columns, []), sum(banded, []), strict=True))

    def level(self, record: Record, name: Target) -> Hashable:
        if isinstance(name, tuple):
            return tuple(self.level(record, part) for part in name)
        return self.levels[name].get(record[name])

    def rows(self, records: File, target: Target) -> list[tuple]:
        """Records as rows of key and target."""
        return [
            (tuple(self.level(record, key) for key in self.keys), self.level(record, target))
            for record in records
        ]

    def people(self, records: File, target: Target) -> list[tuple]:
        """Records as rows of person, key and target; None is nobody that is known."""
        rows = zip(records, self.rows(records, target), strict=True)
        return [(record.get(self.person), *row) for record, row in rows]

    def pool(self, copies: Sequence[File]) -> File:
        """All copies as one file; people of different files are different people."""
        return [
            record
            if record.get(self.person) is None
            else record | {self.person: (n, record[self.person])}
            for n, copy in enumerate(copies)
            for record in copy
        ]

    def order(self, target: Target) -> list[Hashable]:
        """All levels of a target in their order, missing last."""
        levels = {self.level(record, target) for file in self.files for record in file}

        def place(level: Hashable) -> tuple:
            parts = level if isinstance(target, tuple) else (level,)
            return tuple((part is None, "" if part is None else part) for part in parts)

        return sorted(levels, key=place)

    def text(self, name: Target, level: Hashable) -> str | None:
        """A level as people write it; None is the missing one."""
        if isinstance(name, tuple):
            return "+".join(
                self.text(part, its) or "" for part, its in zip(name, level, strict=True)
            )
        if isinstance(level, tuple):
            return number(level[1]) if level[0] == "code" else self._band(name, level[1])
        if isinstance(level, Fraction):
            return number(level)
        return level.isoformat() if isinstance(level, date) else level

    def _band(self, name: str, place: int) -> str:
        about = self.columns[name]
        codes = about.get("special", ())
        values = [r[name] for f in self.files for r in f if r[name] not in (None, *codes)]
        asked = told(about["bands"])
        breaks = asked.get("breaks") or bands.breaks_of(values, asked["style"], asked["n"])
        if not breaks:
            return "all values"
        if all(value.denominator == 1 for value in values):
            limits = [Fraction(ceil(limit)) for limit in breaks]
            last, to = 1, " to "
        else:
            limits, last, to = breaks, 0, " to under "
        if place == 0:
            return f"under {number(limits[0])}"
        if place == len(limits):
            return f"{number(limits[-1])} or more"
        low, high = limits[place - 1], limits[place] - last
        return number(low) if low == high else f"{number(low)}{to}{number(high)}"

    def rule_text(self, rule: Rule) -> str:
        """A rule as it is written, quotes only where they must be."""
        match rule:
            case TargetLevel(target, level):
                return condition(target, self._text_at(target, level))
            case Pair(target, level, keys):
                places = [(self.keys[place], value) for place, value in sorted(keys, key=first)]
                parts = [(target, self._text_at(target, level))]
                parts += [(key, self.text(key, value)) for key, value in places]
                return "@".join(condition(name, text) for name, text in parts)
            case MissingTargets():
                return "missing-targets"
            case MissingKeys(places):
                names = ",".join(quoted(self.keys[place]) for place in sorted(places or ()))
                return f"missing-keys={names}" if names else "missing-keys"
            case AboveLimit(limit):
                return f"max-denominator={limit}"
            case AboveLimitInCopy(limit):
                return f"max-denominator-syn={limit}"
        raise AssertionError(rule)

    def _text_at(self, label: str, level: Hashable) -> str | None:
        return self.text(next(t for t in self.targets if label_of(t) == label), level)


def told(setting: int | str | Sequence[Fraction]) -> dict:
    """Bands as the story of bands is told of them."""
    if isinstance(setting, int):
        return {"style": "quantile", "n": setting}
    if isinstance(setting, str):
        return {"style": "equal", "n": int(setting.removeprefix("equal:"))}
    return {"breaks": list(setting)}


def label_of(target: Target) -> str:
    return target if isinstance(target, str) else "+".join(target)


def number(value: Fraction) -> str:
    return str(int(value)) if value.denominator == 1 else f"{float(value):.8g}"


def first(pair: tuple) -> Hashable:
    return pair[0]


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in '=@,"') else text


def condition(name: str, text: str | None) -> str:
    return f"{quoted(name)}={quoted(text or '')}"


def draw_world(seed: int) -> World:
    """The world of a seed: a few records, keys and targets of every kind, and what is said."""
    chance = Random(seed)
    keys = tuple(chance.sample(KEY_NAMES, chance.randint(1, 3)))
    targets = tuple(chance.sample(TARGET_NAMES, chance.randint(1, 3)))
    kinds = {name: chance.choice(KINDS) for name in (*keys, *targets)} | {"area": "text"}
    person, size = chance.choice(("", "", "pid")), chance.choice((3, 8, 20))
    files = FileDrawer(kinds, size, chance)
    says_whose = bool(person) and chance.random() < 0.5
    versions = chance.choice(([""], [""], ["cart", "S 1"]))
    world = World(
        original=files.draw(has_person=bool(person)),
        synthetic={
            version: [files.draw(has_person=says_whose) for _ in range(chance.randint(1, 3))]
            for version in versions
        },
        control=files.draw(has_person=bool(person)),
        kinds=kinds,
        keys=keys,
        targets=targets,
        thresholds=(
            (chance.randint(0, 2), chance.randint(20, 60)),
            (chance.randint(0, 1), chance.randint(20, 60)),
        ),
        within=chance.choice(["", "", *kinds]),
        person=person,
        missing=chance.choice(((), ("NA", "none"))),
        fraction=chance.choice((None, Fraction(1, 8), Fraction(1))),
    )
    world = replace(world, columns=draw_columns(world, chance))
    if len(targets) > 1 and chance.random() < 0.3:
        world = replace(world, targets=(*targets, targets[:2]))
    if chance.random() < 0.3:
        table = {t: {v: Fraction(chance.randint(0, 8), 8) for v in world.order(t)} for t in targets}
        world = replace(world, published=table)
    n_rules = chance.choice((0, 0, 1, 2, 3))
    rules = tuple(draw_rule(chance.choice(RULES), world, chance) for _ in range(n_rules))
    return replace(world, rules=rules)


class FileDrawer:
    """Files of the same few levels, each as frequent in all of them, and missing values."""

    def __init__(self, kinds: dict[str, str], size: int, chance: Random) -> None:
        self.size, self.chance = size, chance
        self.levels: dict[str, list] = {}
        self.weights: dict[str, list[float]] = {}
        for name, kind in kinds.items():
            n = min(chance.randint(2, 5), len(LEVELS[kind]))
            self.levels[name] = [*chance.sample(LEVELS[kind], n), None]
            self.weights[name] = [chance.random() for _ in range(n + 1)]
        self.common = {
            n: next(v for v in self.levels[n] if v not in (SPECIAL, "NA")) for n in kinds
        }

    def draw(self, *, has_person: bool) -> File:
        """A file; its first record is in all."""
        chance = self.chance
        records: File = [self.common]
        for _ in range(chance.randint(0, self.size)):
            draws = ((n, chance.choices(self.levels[n], self.weights[n])) for n in self.levels)
            records.append({name: values[0] for name, values in draws})
        if not has_person:
            return records
        return [record | {"pid": chance.choice(PEOPLE)} for record in records]


def draw_columns(world: World, chance: Random) -> dict[str, dict]:
    """Bands, special codes, tolerances and sensitive values of some columns."""
    columns: dict[str, dict] = {world.person: {"role": "person"}} if world.person else {}
    for name, kind in world.kinds.items():
        about: dict = {}
        if kind in ("whole", "quarters"):
            about["special"] = chance.choice(((), (SPECIAL,)))
            n = chance.randint(2, 5)
            bands_of = chance.choice((None, None, n, f"equal:{n}", (Fraction(1), Fraction(3))))
            about["bands"] = bands_of
            if bands_of is None and name in world.targets:
                about["tolerance"] = chance.choice((Fraction(0), Fraction(1), Fraction(3, 2)))
        elif kind == "text" and chance.random() < 0.2:
            values = {record[name] for file in world.files for record in file}
            values -= {None, *world.missing}
            about["bands"] = {"North": tuple(sorted(values)[:2])}
        columns[name] = about
    for name in world.targets:
        world = replace(world, columns=columns)
        if chance.random() < 0.5:
            texts = (world.text(name, level) for level in world.order(name))
            columns[name]["sensitive"] = tuple(filter(None, texts))
    return columns


def draw_rule(kind: type, world: World, chance: Random) -> Rule:
    if kind is MissingTargets:
        return MissingTargets()
    if kind is MissingKeys:
        n_keys = len(world.keys)
        places = frozenset(chance.sample(range(n_keys), chance.randint(0, n_keys - 1)))
        return MissingKeys(places or None)
    if kind in (AboveLimit, AboveLimitInCopy):
        return kind(chance.randint(1, 3))
    target = chance.choice(world.targets)
    level = chance.choice(world.order(target))
    if kind is TargetLevel:
        return TargetLevel(label_of(target), level)
    places = chance.sample(range(len(world.keys)), chance.randint(1, min(2, len(world.keys))))
    at = frozenset((place, chance.choice(world.order(world.keys[place]))) for place in places)
    return Pair(label_of(target), level, at)
