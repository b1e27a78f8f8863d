"""What is to be done with columns that point at people: identifiers, and free text?

A synthetic column repeats values of the original. Those of an identifier are people's own, so the
custodian says for each such column what to do: drop it, renumber it, or repeat real values.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unveil.arguments import check_fields, quote_value
from unveil.assessment.outstanding import shell_word
from unveil.errors import RolesError, SettingsError
from unveil.io.table import Table
from unveil.measure.roles.person import find_person
from unveil.measure.roles.suggest import find_identifiers
from unveil.study.people import People
from unveil.study.roles import names
from unveil.study.study import OpenFiles

WHAT_TO_DO = (
    "Identifiers and free text are not synthesised without an instruction. Drop each, renumber it,"
    " or state why its real values may be repeated (drop, renumber, real_values; on the command"
    " line --drop {drop}, --renumber NAMES, --real-values COLUMN=REASON; in a project under"
    " [synthesis])."
)


def parse_reasons(given: Any) -> dict[str, str]:
    """Columns whose real values may be repeated, each with a reason."""
    example = 'such as {"ward": "numbers of wards, not of people"}'
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"real_values is {quote_value(given)}. Write a reason for each column, {example}."
        )
    for name, reason in given.items():
        if not isinstance(name, str) or not isinstance(reason, str) or not reason.strip():
            raise SettingsError(
                f"The reason for real values of {quote_value(name)} is {quote_value(reason)}."
                f" State why they may be repeated, {example}."
            )
    return dict(given)


@dataclass(frozen=True)
class Instructions:
    """What the custodian says of single columns; `real_values` has the reason for each."""

    drop: tuple[str, ...] = ()
    renumber: tuple[str, ...] = ()
    real_values: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checks: dict[str, Callable[[str, Any], Any]] = {
            "drop": lambda _, given: () if given is None else names(given, "Columns to drop"),
            "renumber": lambda _, given: names(
                () if given is None else given, "Columns to renumber"
            ),
            "real_values": lambda _, given: {} if given is None else parse_reasons(given),
        }
        check_fields(self, checks)
        said = [*self.drop, *self.renumber, *self.real_values]
        twice = [name for name in dict.fromkeys(said) if said.count(name) > 1]
        if twice:
            raise RolesError(
                f"Column {twice[0]!r} has two instructions. Name it in one of drop, renumber and"
                " real_values."
            )

    @property
    def statements(self) -> tuple[str, ...]:
        """A warning for each column whose real values are repeated."""
        return tuple(
            f"The synthetic data repeat real values of {name!r}, which may point at people. Stated"
            f" reason: {reason}"
            for name, reason in self.real_values.items()
        )

    def check_names(self, table: Table) -> None:
        """Refuse names that the original has not, all of them at once."""
        table.check_columns((*self.drop, *self.renumber, *self.real_values))

    def without_person(self, person: str, named: Iterable[str]) -> "Instructions":
        """The same with the column that says whose row it is dropped, unless it is renumbered."""
        if person in (*named, *self.real_values):
            raise RolesError(
                f"Column {person!r} identifies the person of a row, so nothing is synthesised from"
                " it. Name it nowhere but in person, or in renumber."
            )
        if person in (*self.drop, *self.renumber):
            return self
        return replace(self, drop=(*self.drop, person))

    def with_people(self, person: str) -> "Instructions":
        """The same where people are made: the column is no column of a model."""
        others = [
            tuple(name for name in some if name != person) for some in (self.drop, self.renumber)
        ]
        return replace(self, drop=(*others[0], person), renumber=others[1])

    def check_identifiers(
        self,
        files: OpenFiles,
        columns: Iterable[str],
        special_codes: Mapping[str, tuple[float, ...]],
    ) -> None:
        """Refuse columns of the synthetic data that point at people, unless a reason is stated."""
        open_ = [name for name in columns if name not in self.real_values]
        found = find_identifiers(files, open_, special_codes)
        person = find_person(files[0])
        if person is not None and person.column in open_:
            found[person.column] = f"{person.counts}, so it identifies the person of a row."
        if found:
            told = [f"Column {name!r}: {why}" for name, why in found.items()]
            drop = shell_word(",".join(found))
            raise RolesError("\n".join([*told, WHAT_TO_DO.format(drop=drop)]))


def note_people(table: Table, declared: str | None, people: People | None) -> tuple[str, ...]:
    """What was counted where people have several rows, and that rows do not belong together."""
    named = None if people is None else people.record
    person = find_person(table) if declared is None else named
    if person is None or person.n_people == person.n_rows:
        return ()
    counted = "Leaves and rare levels were counted by row; declare the column as person."
    if people is not None:
        counted = "Leaves and rare levels were counted by person."
    return (
        f"{person.column!r} {person.counts}. {counted} Rows are synthesised one by one, so the rows"
        " of a person do not belong together in the synthetic data.",
    )
