"""One part of a run before it is measured, and what all of them are planned with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unveil.records.run import FileRole, InputFile, Kind
from unveil.release.model import ProjectFile, PublishedEntry, Scenario
from unveil.release.sources import Inputs

MOST_ATTACKED = 2_000
"""So many people are attacked at most: a rate is then known to about two percent."""
CHANCE: tuple[Kind, ...] = (
    *("singling_out", "linkability", "inference", "membership", "utility", "sap"),
)


@dataclass(frozen=True)
class Planned:
    """One part to be measured."""

    name: str
    kind: Kind
    settings: Mapping[str, Any]
    files: tuple[InputFile, ...]
    scenario: str | None = None
    target: str | None = None
    copy: int | None = None
    refused: str | None = None  # why it cannot be measured, where that is known beforehand

    @property
    def has_chance(self) -> bool:
        """Whether the figures depend on a seed."""
        return self.kind in CHANCE


@dataclass
class Planner:
    """A project and its files, and what was noticed while planning."""

    project: ProjectFile
    inputs: Inputs
    noticed: dict[str, None] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed, once each."""
        return tuple(self.noticed)

    @property
    def data(self) -> dict[str, Any]:
        """How files are read, in every call."""
        return {"missing_values": list(self.project.data.missing_values)}

    @property
    def copies(self) -> range:
        """The numbers of the copies."""
        return range(1, len(self.project.data.synthetic) + 1)

    @property
    def has_control(self) -> bool:
        """Whether there are people who were not used, and a copy to attack them with."""
        return self.project.data.control is not None and bool(self.project.data.synthetic)

    @property
    def n_attacked(self) -> int | None:
        """How many people are attacked: all, unless they are very many."""
        return None if self.inputs.n_original <= MOST_ATTACKED else MOST_ATTACKED

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Columns that are nobody's target and no part of how alike the files are."""
        roles = self.project.roles
        weight = () if roles.weight is None else (roles.weight,)
        named = (*roles.identifier, *roles.ignore, *weight)
        return tuple(name for name in self.inputs.columns if name in named)

    @property
    def person(self) -> dict[str, str]:
        """Whose row it is, in every call that counts people; nothing where it is not declared."""
        person = self.project.roles.person
        return {} if person is None else {"person": person}

    @cached_property
    def published(self) -> list[tuple[PublishedEntry, tuple[str, ...]]]:
        """Published tables with their columns."""
        return [(entry, self.inputs.columns_of(entry.table)) for entry in self.project.published]

    def codes(self, columns: Iterable[str]) -> dict[str, Any]:
        """The special codes of these columns."""
        return self.numeric(self.project.data.special_codes, columns)

    def numeric(self, given: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
        """Settings of numbers, by column; those that a recoding put into bands are none now."""
        is_banded = self.inputs.recoded.is_banded
        return {name: given[name] for name in columns if name in given and not is_banded(name)}

    def reading(self, scenario: Scenario, columns: Iterable[str]) -> dict[str, Any]:
        """Bands, special codes and missing values of these columns."""
        names = list(columns)
        bands = self.numeric(scenario.bands, names)
        return {"bands": bands, "special_codes": self.codes(names), **self.data}

    def targets(self, scenario: Scenario) -> tuple[str, ...]:
        """What an intruder might learn: as declared, or every other column that it may be."""
        if scenario.targets is not None:
            return scenario.targets
        declared = self.project.roles.target or self.inputs.columns
        wanted = [name for name in declared if name not in (*scenario.keys, *self.left_out)]
        shared = tuple(name for name in wanted if name in self.inputs.shared)
        if len(shared) < len(wanted):
            self.noticed[
                f"Scenario {scenario.name!r}: {len(wanted) - len(shared):,} of {len(wanted):,}"
                " targets are not in every copy and were left out. unveil codebook tells how a copy"
                " is built otherwise."
            ] = None
        return shared

    def files(self, *more: FileRole, copy: int | None = None) -> tuple[InputFile, ...]:
        """Original and copies (or one of them), and files of other roles."""
        return self.inputs.of_roles("original", "synthetic", "labels", *more, copy=copy)

    def part(
        self,
        kind: Kind,
        settings: Mapping[str, Any],
        files: tuple[InputFile, ...],
        scenario: str | None = None,
        target: str | None = None,
        *,
        copy: int | None = None,
        label: str | None = None,
        refused: str | None = None,
    ) -> Planned:
        """One part under a name of its own."""
        of_copy = f"copy {copy}" if copy is not None and len(self.copies) > 1 else None
        words = (kind, scenario, target, label, of_copy)
        name = " ".join(word for word in words if word is not None)
        return Planned(name, kind, settings, files, scenario, target, copy, refused)
