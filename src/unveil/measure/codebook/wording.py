"""How is a difference of structure told: names on one line, codes with labels, few of many?"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from unveil.errors import listed
from unveil.read.level_text import level_text
from unveil.read.table import Table, mid_sentence
from unveil.records.codebook import Code, Codebook, Variable
from unveil.records.codebook_differences import Difference, DifferenceKind

MOST_NAMED = 6


@dataclass(frozen=True)
class Side:
    """A table and what is declared about it."""

    table: Table
    codebook: Codebook

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.codebook.variables}

    def variable(self, name: str) -> Variable:
        """What is declared about a column of the table."""
        return self._by_name[name]

    @property
    def place(self) -> str:
        """What a sentence calls the table, at its start."""
        return self.table.place

    @property
    def mid_place(self) -> str:
        """What a sentence calls the table, inside."""
        return mid_sentence(self.table.place)


def difference(
    kind: DifferenceKind,
    variable: str | None,
    sides: tuple[str | None, str | None],
    sentence: str,
    remedy: str,
) -> Difference:
    """One difference; `sides` is what the original and what the copy has."""
    return Difference(
        kind=kind,
        variable=variable,
        original=sides[0],
        synthetic=sides[1],
        sentence=sentence,
        remedy=remedy,
    )


def one(name: str) -> str:
    """A name or label in a sentence: in quotes, on one line, not longer than it need be."""
    return f"'{listed([name])}'"


def few(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    return listed(names, MOST_NAMED)


def codes(found: Iterable[Code]) -> str:
    """Codes in a sentence."""
    return few(level_text(code) or "''" for code in found)


def coded(pairs: Iterable[tuple[Code, str]]) -> str:
    """Codes with their labels in a sentence: 1 = Male."""
    return few(
        (level_text(code) or "''") if label == code else f"{level_text(code)} = {label}"
        for code, label in pairs
    )
