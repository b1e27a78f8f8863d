"""What can be proposed for a project: codes for no answer, bands, shared columns, intruders?"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from unveil.arguments import parse_choice
from unveil.arrays import Floats
from unveil.count.kinds import kind_of_series
from unveil.count.no_answers import find_likely_codes
from unveil.errors import RolesError, SettingsError
from unveil.io.sources import CachedFile, hold
from unveil.io.table import Table
from unveil.measure.cap.gtcap_prepare import MANY_LEVELS
from unveil.measure.roles.choose_keys import MOST_PROPOSED_KEYS
from unveil.measure.roles.person import find_person
from unveil.models.neighbours.radius import LARGEST
from unveil.project.model import ScenarioEntry
from unveil.protection.recoding.column import declared_codes, find_codes, ordinary
from unveil.records.suggestion import (
    ProposedCodes,
    ProposedRadius,
    ProposedSmoothing,
    RoleRow,
    Suggestion,
)
from unveil.study.people import read_people
from unveil.study.study import Study
from unveil.synthesis.record import count_alone, is_mostly_alone
from unveil.synthesis.split_columns import split

# Which numbers stand for no answer, and which are near one another? Proposals with reasons.


USUAL_RADIUS = "about a tenth of the distance between the quartiles"


def propose_codes(table: Table, given: Mapping[str, Any]) -> Iterator[ProposedCodes]:
    """Codes that are declared missing, or that look so; nothing for columns given already."""
    for name, dtype in table.frame.schema.items():
        if name in given or not dtype.is_numeric() or _is_coded(table, name):
            continue
        declared = find_codes([table.frame[name]], declared_codes(table.variables.get(name)))
        if declared:
            reason = "declared missing in the file"
            yield ProposedCodes(column=name, codes=declared, reason=reason)
        elif codes := _likely_codes(table, name):
            reason = "negative among numbers of at least 0: probably a missing code"
            yield ProposedCodes(column=name, codes=codes, reason=reason)


def _likely_codes(table: Table, name: str) -> tuple[float, ...]:
    numbers = ordinary(table.frame[name], declared_codes(None))
    return find_likely_codes(*np.unique(numbers, return_counts=True))


def propose_smooth(
    table: Table, roles: Suggestion, rules: Sequence[str], codes: Mapping[str, Any]
) -> Iterator[ProposedSmoothing]:
    """Amounts in which more than half of the people hold a value nobody else has.

    No years, codes, identifiers, dates, or columns that a rule computes from others.
    """
    person = roles.person
    whose = np.arange(table.frame.height)
    if person is not None:
        whose = read_people(Study([table]).files, person.column).of_row.astype(np.int64)
    computed = {rule.partition(" = ")[0].strip("`") for rule in rules if " = " in rule}
    for name, dtype in table.frame.schema.items():
        if name in computed or roles.row_of(name).role not in ("key", "target"):
            continue
        if not dtype.is_numeric() or _is_coded(table, name):
            continue
        declared = table.variables.get(name)
        part = split(table.frame[name], special=_numbers(codes.get(name, ())), variable=declared)
        if part.column.kind != "number" or _are_years(part.column.knots):
            continue
        n_alone, n_plain = count_alone(part, whose)
        if is_mostly_alone(n_alone, n_plain) and 2 * n_alone > n_plain:
            yield ProposedSmoothing(
                column=name,
                reason=f"{n_alone:,} of {n_plain:,} people hold a value that no one else has",
            )


def _are_years(values: Floats) -> bool:
    return bool(len(values) and (values % 1 == 0).all() and 1800 <= values[0] <= values[-1] <= 2200)


def propose_radii(
    table: Table, columns: Iterable[str], codes: Mapping[str, Any]
) -> Iterator[ProposedRadius]:
    """A radius for each column of many different numbers.

    Notes
    -----
    A tenth of the distance between the quartiles, rounded to 1, 2 or 5 times a power of ten; of
    whole numbers at least 1. The paper on GTCAP leaves the radius to the custodian; this one is
    ours: about 5 % of people are then near in that column. Codes with names are near only where
    they are equal.
    """
    for name in columns:
        column = table.frame[name] if name in table.frame.columns else None
        if column is None or not column.dtype.is_numeric():
            continue
        apart = declared_codes(table.variables.get(name)).also(_numbers(codes.get(name, ())))
        numbers = ordinary(column, apart)
        if column.n_unique() <= MANY_LEVELS or not len(numbers):
            continue
        if _is_coded(table, name):
            reason = "codes with names: only equal ones are near"
            yield ProposedRadius(column=name, radius=0.0, reason=reason)
        else:
            radius, reason = _radius(numbers)
            yield ProposedRadius(column=name, radius=radius, reason=reason)


def _radius(numbers: Floats) -> tuple[float, str]:
    low, high = np.quantile(numbers, (0.25, 0.75))
    reason = USUAL_RADIUS
    spread = float(high - low)
    if not spread:
        spread, reason = float(np.std(numbers)), "about a tenth of the standard deviation"
    is_whole = bool((numbers == np.round(numbers)).all())
    found = _round_nice(spread / 10)
    if not 1 / LARGEST <= found <= LARGEST:
        return 0.0, "only equal numbers are near"
    return (max(found, 1.0), reason) if is_whole else (found, reason)


def _round_nice(value: float) -> float:
    """The nearest of 1, 2 or 5 times a power of ten; 0 where there is nothing to round."""
    if not value > 0 or not math.isfinite(value):
        return 0.0
    power = math.floor(math.log10(value))
    steps = [float(f"{digit}e{power + up}") for up in (0, 1) for digit in (1, 2, 5)]
    return min(steps, key=lambda step: abs(math.log(step / value)))


def _is_coded(table: Table, name: str) -> bool:
    """Whether numbers stand for names."""
    return kind_of_series(table.frame[name], table.variables.get(name)) not in ("number", "date")


def _numbers(given: Any) -> list[float]:
    several = given if isinstance(given, list | tuple) else [given]
    return [float(one) for one in several]


# Which columns has every file? Nothing can be measured on a column that a copy lacks.


_REASON = "is not in every synthetic file, so nothing can be measured on it."


def keep_shared_columns(
    original: CachedFile, others: Iterable[str | os.PathLike[str]], missing: Sequence[str]
) -> tuple[CachedFile, tuple[str, ...]]:
    """The original with the columns that all other files have too, and those that some lack.

    A column that says whose row it is stays: figures count people by it.
    """
    columns = original.whole.frame.columns
    shared = set(columns)
    for file in others:
        other = hold(Path(os.fsdecode(file)), side="synthetic", missing_values=missing)
        shared &= set(other.whole.frame.columns)
    person = find_person(original.whole)
    if person is not None and shared:
        shared.add(person.column)  # whose row it is need not be said in the synthetic data
    lacking = tuple(name for name in columns if name not in shared)
    if not lacking:
        return original, ()
    if not shared:
        raise RolesError(
            "The original and the synthetic data have no column in common. Check that they are of"
            " the same data, and that the first line of each names its columns."
        )
    kept = [name for name in columns if name in shared]
    return replace(original, whole=original.table(side="data", columns=kept)), lacking


def ignore_unshared(roles: Suggestion, lacking: Sequence[str]) -> Suggestion:
    """The same roles, and of columns that some file lacks that they are left alone."""
    rows = tuple(
        RoleRow(
            column=name,
            role="ignore",
            grade=None,
            topic=None,
            source="values",
            reason=_REASON,
            n_distinct=None,
            n_alone=None,
            n_gained=None,
            function_of=(),
        )
        for name in lacking
    )
    return msgspec.structs.replace(roles, rows=(*roles.rows, *rows))


# Which intruders could be tried? Four templates, each a scenario made from proposed roles.
#
# The neighbour and the colleague are usual in disclosure control; the co-owner is somebody who
# holds some of the columns already (one of several data owners); the prosecutor knows that a
# person is in the data (Elliot and others' "response knowledge"), which makes figures of the
# original count.


OF_ORIGINAL = ("suda", "match_risk")
"""What is measured of the original alone."""


@dataclass(frozen=True)
class Template:
    """What an intruder of a kind is taken to know."""

    sentence: str
    note: str | None
    keys: Callable[[Suggestion, Sequence[str]], tuple[str, ...]]


def neighbour_keys(roles: Suggestion, owner: Sequence[str] = ()) -> tuple[str, ...]:
    """The proposed keys that others see or find out; all of them where none is so, or was named."""
    if roles.stop == "given":
        return roles.keys
    seen = tuple(name for name in roles.keys if roles.row_of(name).grade == "visible")
    return seen or roles.keys


def colleague_keys(roles: Suggestion, owner: Sequence[str] = ()) -> tuple[str, ...]:
    """The neighbour's keys and what is often known, at most as many as are ever proposed."""
    first = neighbour_keys(roles)
    often = [row for row in roles.rows if row.column not in first and _is_often_known(row)]
    often.sort(key=lambda row: -(row.n_gained or 0))
    return (*first, *(row.column for row in often))[: max(MOST_PROPOSED_KEYS, len(first))]


def _is_often_known(row: RoleRow) -> bool:
    return row.grade == "often" and row.role in ("key", "target")


def owner_keys(roles: Suggestion, owner: Sequence[str]) -> tuple[str, ...]:
    """The columns of one data owner."""
    return tuple(owner)


TEMPLATES: Mapping[str, Template] = {
    "neighbour": Template(
        "An intruder who sees a person, or can find out what others see of them.",
        None,
        neighbour_keys,
    ),
    "colleague": Template(
        "An intruder who knows a person well: what others see, and what is often known.",
        None,
        colleague_keys,
    ),
    "co-owner": Template(
        "An intruder who holds these columns already, and would learn each of the others.",
        None,
        owner_keys,
    ),
    "prosecutor": Template(
        "An intruder who knows that a person is in the data, and what others see of them.",
        "Membership is known, so figures of the original itself count: UiO and match_risk.",
        neighbour_keys,
    ),
}
"""Templates of scenarios, by name."""


def propose_scenario(name: str, roles: Suggestion, owner: Sequence[str] = ()) -> ScenarioEntry:
    """The scenario of a template; a refusal where it lacks its columns."""
    template = TEMPLATES[parse_choice("template", name, tuple(TEMPLATES))]
    keys = template.keys(roles, owner)
    if name == "co-owner" and not keys:
        raise SettingsError(
            "The template co-owner needs the columns of one data owner. Name them: owner ="
            ' ["income", "tax"] (--owner income,tax on the command line).'
        )
    return ScenarioEntry(
        name=name,
        keys=keys,
        targets=_others(roles, keys) if name == "co-owner" else None,
        template=name,
    )


def drop_repeated(scenarios: Sequence[ScenarioEntry]) -> tuple[ScenarioEntry, ...]:
    """The prosecutor measures of the original alone what the neighbour measures of the copy.

    Their keys and targets are the same, so each finding would be raised, and ruled on, twice.
    """
    others = [(one.keys, one.targets) for one in scenarios if one.name != "prosecutor"]
    return tuple(
        replace(one, measures=OF_ORIGINAL)
        if one.name == "prosecutor" and (one.keys, one.targets) in others
        else one
        for one in scenarios
    )


def _others(roles: Suggestion, keys: Sequence[str]) -> tuple[str, ...]:
    """Each column of the other owners: also what is a key elsewhere."""
    found = tuple(
        row.column for row in roles.rows if row.column not in keys and row.role in ("key", "target")
    )
    if not found:
        raise RolesError(
            "Beside the owner's columns there is no key and no target, so nothing remains to be"
            " disclosed. Name fewer columns."
        )
    return found
