"""What is excluded because it is no real risk, and what leaving it out changed.

Raab (2024), section 4. An exclusion has a text form that is safe in a shell: ``workab=NO``,
``marital=SINGLE@age=16``, ``missing-targets``, ``missing-keys=age,region``, ``max-denominator=1``.
"""

import re
from typing import Literal, get_args

from unveil.records.base import Copy, Record

Rule = Literal[
    "level", "missing-targets", "missing-keys", "pair", "max-denominator", "max-denominator-syn"
]

_QUOTED = re.compile(r'[=@,"]|^\s|\s$')


class Exclusion(Record, frozen=True, kw_only=True):
    """One rule: a record it hits counts in no sum. An empty level is the missing level."""

    rule: Rule
    target: str | None = None
    level: str | None = None
    keys: tuple[str, ...] = ()
    key_levels: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def text(self) -> str:
        """The rule as it is written on a command line."""
        if self.rule in ("level", "pair"):
            is_rule = self.target in get_args(Rule)
            text = "@".join(
                f"{_quote(name)}={_quote(level)}"
                for name, level in [(self.target or "", self.level or ""), *self.key_conditions]
            )
            # A target with the name of a rule would be taken for the rule.
            return f'"{self.target}"{text.removeprefix(self.target or "")}' if is_rule else text
        if self.rule == "missing-keys" and self.keys:
            return f"{self.rule}={','.join(_quote(key) for key in self.keys)}"
        return self.rule if self.limit is None else f"{self.rule}={self.limit}"

    @property
    def key_conditions(self) -> tuple[tuple[str, str], ...]:
        """Key and key level of a pair; there may be several."""
        return tuple(zip(self.keys, self.key_levels, strict=True)) if self.key_levels else ()

    def __str__(self) -> str:
        return self.text


def _quote(name: str) -> str:
    """A name or level; in double quotes where it holds a character that means something."""
    return f'"{name.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(name) else name


class ExcludedCount(Record, frozen=True, kw_only=True):
    """How many records one rule took out of each sum about a target.

    A record that several rules hit is counted for the first of them.
    """

    target: str
    copy: Copy
    rule: str | None  # its text; None: what all of them left
    original: int
    synthetic: int
    Dorig: int
    Dsyn: int
    iS: int
    DiS: int
    DiSCO: int
    DiSDiO: int


class ExcludedIdentity(Record, frozen=True, kw_only=True):
    """How many records one rule about missing keys took out of each identity figure."""

    copy: Copy
    rule: str | None  # its text; None: what all of them left
    original: int
    synthetic: int
    UiO: int
    UiS: int
    UiOiS: int
    repU: int


class Effect(Record, frozen=True, kw_only=True):
    """What all exclusions together did to one figure."""

    target: str | None  # None for an identity measure
    copy: Copy
    measure: str
    all: float | None  # without exclusions
    after: float | None  # with them
    R: float | None  # (all - after) / (100 - after): the share of the figure that they explain
