"""Random exclusions for random files: as unveil is told them, and beside that as the oracle is.

What is asked of unveil is a text, a dict or a list of both. The oracle's form holds the values as
`Scenario.column` has them. Levels are those of any side, so that some occur on one side only.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import partial
from random import Random

import polars as pl
from hypothesis import strategies as st

from oracles.exclusions import (
    AboveLimit,
    AboveLimitInCopy,
    MissingKeys,
    MissingTargets,
    Pair,
    Rule,
    TargetLevel,
)
from scenarios import Scenario, scenarios

Given = str | dict

# Levels and pairs come twice as often as the rest.
KINDS = (
    *(TargetLevel, TargetLevel, Pair, Pair),
    *(MissingTargets, MissingKeys, AboveLimit, AboveLimitInCopy),
)

# What stands for something in the text of an exclusion, in levels and in names of columns.
AWKWARD_LEVELS = {
    **{"b": "x=y", "a ": "p@q", "A": "c, d", "NA": 'say "so"', "nan": "=", "1": '"', " ": ","},
    **{"Missing": "missing-keys", "é": "a=b@c=d"},
}
AWKWARD_NAMES = {"count": "a=b", "copy": "k@k", "target": '"t", and more', "index": "missing"}


@dataclass(frozen=True)
class Asked:
    """Exclusions, as unveil is told them and as the oracle is, in the same order."""

    given: tuple[Given, ...]
    rules: tuple[Rule, ...]

    @property
    def exclude(self) -> Given | list[Given]:
        """A lone exclusion needs no list around it."""
        return self.given[0] if len(self.given) == 1 else list(self.given)


@dataclass(frozen=True)
class Excluding:
    """A scenario, and what is excluded from it."""

    scenario: Scenario
    asked: Asked

    def call(self, function: Callable, **settings):
        return self.scenario.call(partial(function, exclude=self.asked.exclude, **settings))


def written(value: Hashable) -> str | None:
    """A level as unveil writes it; None is the missing level."""
    match value:
        case None | str():
            return value
        case Fraction():
            return str(value.numerator) if value.denominator == 1 else repr(float(value))
        case ("boolean", truth):
            return "true" if truth else "false"
        case date():
            return value.isoformat()
    raise AssertionError(f"no level of a scenario: {value!r}")


def must_be_quoted(text: str) -> bool:
    return any(mark in text for mark in '=@,"')


def better_quoted(text: str) -> bool:
    """Blanks at an end are part of a level, but who sees them?"""
    return must_be_quoted(text) or text != text.strip()


def quoted(text: str, when: Callable[[str], bool] = better_quoted) -> str:
    """The text, in quotes where it is not empty and they are called for."""
    return '"' + text.replace('"', '""') + '"' if text and when(text) else text


def levels_of(scenario: Scenario, name: str) -> list[Hashable]:
    """All levels of a column, of whichever side, in an order that does not change."""
    return sorted({value for side in scenario.column(name) for value in side}, key=repr)


def joined(
    levels: list[tuple[str, str | None]], when: Callable[[str], bool] = better_quoted
) -> str:
    return "@".join(f"{quoted(name, when)}={quoted(level or '', when)}" for name, level in levels)


def said(rule: Rule, keys: tuple[str, ...]) -> str:
    """A rule in its plain words: quotes only where they must be, numbers in short."""
    match rule:
        case TargetLevel(target, level):
            return joined([(target, written(level))])
        case Pair(target, level, at):
            places = [(keys[place], written(value)) for place, value in sorted(at, key=_place)]
            return joined([(target, written(level)), *places])
        case MissingTargets():
            return "missing-targets"
        case MissingKeys(positions):
            names = ",".join(quoted(keys[place]) for place in sorted(positions or ()))
            return f"missing-keys={names}" if names else "missing-keys"
        case AboveLimit(limit):
            return f"max-denominator={limit}"
        case AboveLimitInCopy(limit):
            return f"max-denominator-syn={limit}"


def _place(at: tuple[int, Hashable]) -> int:
    return at[0]


@st.composite
def asked(draw, scenario: Scenario, *, min_size: int = 0, max_size: int = 4) -> Asked:
    n = draw(st.integers(min_size, max_size))
    kinds = [draw(st.sampled_from(KINDS)) for _ in range(n)]
    # The rest comes from a seed, as in scenarios.py: drawn one by one, levels were too often alike.
    chance = Random(draw(st.integers(0, 2**32 - 1)))
    found = [_one(kind, scenario, chance) for kind in kinds]
    return Asked(tuple(given for _, given in found), tuple(rule for rule, _ in found))


def _one(kind: type, scenario: Scenario, chance: Random) -> tuple[Rule, Given]:
    """One rule for the oracle, and the same for unveil."""
    if kind in (TargetLevel, Pair):
        n_keys = chance.randint(1, min(2, len(scenario.keys))) if kind is Pair else 0
        names = [chance.choice(scenario.targets), *chance.sample(scenario.keys, n_keys)]
        levels = [(name, chance.choice(levels_of(scenario, name))) for name in names]
        (target, level), *at = levels
        if kind is TargetLevel:
            rule = TargetLevel(target, level)
        else:
            places = [(scenario.keys.index(key), value) for key, value in at]
            rule = Pair(target, level, frozenset(places))
        if chance.random() < 0.5:
            return rule, _level_dict(levels, chance)
        spelt = [(name, _spelt(value, chance)) for name, value in levels]
        return rule, joined(spelt, chance.choice((must_be_quoted, better_quoted, bool)))
    if kind is MissingKeys:
        places = chance.sample(range(len(scenario.keys)), chance.randint(0, len(scenario.keys)))
        # To name every key is to name none: the same rule, known by the same text.
        is_some = 0 < len(places) < len(scenario.keys)
        rule, more = MissingKeys(frozenset(places) if is_some else None), {}
        if places:
            more = {"keys": [scenario.keys[place] for place in places]}
    elif kind is MissingTargets:
        rule, more = MissingTargets(), {}
    else:
        rule = kind(chance.randint(1, 3))
        more = {"limit": rule.limit}
    text = said(rule, scenario.keys)
    return rule, {"rule": text.partition("=")[0]} | more if chance.random() < 0.5 else text


def _spelt(value: Hashable, chance: Random) -> str | None:
    """A level in one of the ways to write it."""
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < 2**53:
        return chance.choice((str(value), f"{value}.0"))
    return written(value)


def _as_value(value: Hashable, chance: Random) -> object:
    """A level as a dict may hold it: in words, or a number as a number."""
    if isinstance(value, Fraction) and chance.random() < 0.3:
        return int(value) if value.denominator == 1 else float(value)
    return _spelt(value, chance)


def _level_dict(levels: list[tuple[str, Hashable]], chance: Random) -> dict:
    """Missing is None; one key needs no list around it."""
    (target, level), *at = [(name, _as_value(value, chance)) for name, value in levels]
    said_so = {"target": target, "level": level}
    keys, values = [key for key, _ in at], [value for _, value in at]
    if len(keys) == 1 and chance.random() < 0.5:
        return said_so | {"key": keys[0], "key_level": values[0]}
    return said_so | {"key": keys, "key_level": values} if keys else said_so


@st.composite
def exclusions(
    draw, *, min_size: int = 0, max_size: int = 4, awkward: bool = True, **settings
) -> Excluding:
    """A scenario of `scenarios(**settings)`, sometimes with awkward names, and what to exclude."""
    scenario = draw(scenarios(**settings))
    if awkward and draw(st.integers(0, 3)) == 0:
        scenario = _awkward(scenario)
    return Excluding(scenario, draw(asked(scenario, min_size=min_size, max_size=max_size)))


def _awkward(scenario: Scenario) -> Scenario:
    """The same scenario with marks in its texts and names that an exclusion has to quote."""

    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(
            pl.Series(
                AWKWARD_NAMES.get(one.name, one.name),
                [AWKWARD_LEVELS.get(v, v) if v else v for v in one.to_list()],
                dtype=pl.String,
            )
            if one.name in texts
            else one.rename(AWKWARD_NAMES.get(one.name, one.name))
            for one in frame
        )

    # Digits beside numbers stay digits.
    texts = [
        name
        for name in scenario.original.columns
        if not any(
            side[name].dtype.is_numeric() or side[name].dtype in (pl.Boolean, pl.Date)
            for side in scenario.sides
        )
    ]
    other = scenario.each_side(renamed)
    return replace(
        other,
        keys=tuple(AWKWARD_NAMES.get(name, name) for name in scenario.keys),
        targets=tuple(sorted(AWKWARD_NAMES.get(name, name) for name in scenario.targets)),
    )
