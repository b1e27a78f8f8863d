"""From what a user gives to an original ready to be fitted: read, taken apart, planned."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from unveil.arguments import absent_sentence, parse_whole_number, quote_value
from unveil.arrays import Ints
from unveil.count.packing import count_people
from unveil.errors import ReadError, RolesError, SettingsError, list_names
from unveil.io.batches import is_batched, open_batches
from unveil.io.sources import CachedFile, read_table
from unveil.io.table import Table
from unveil.measure.roles.person import choose_people
from unveil.models.design import ColumnValues
from unveil.records.codebook import Codebook
from unveil.seeding import sample_rows
from unveil.study.people import People
from unveil.study.roles import names
from unveil.study.study import Study, open_files
from unveil.synthesis.constraints import Constraint
from unveil.synthesis.derived import DerivedColumn, resolve_rules, rule_and_derived_notes
from unveil.synthesis.identifiers import Instructions, note_people
from unveil.synthesis.impossible import Impossible, find_impossible, table_notes
from unveil.synthesis.ipf import check_protected
from unveil.synthesis.methods import Options
from unveil.synthesis.plan import Step, SynthesisPlan, make_plan, order_by_dependency, within_bounds
from unveil.synthesis.rules import WrittenRule
from unveil.synthesis.settings import (
    check_codes_of_categories,
    check_idle_options,
    check_large_leaves,
    check_smooth,
    date_notes,
    list_columns,
    parse_codes_by_column,
    parse_missing_entries,
)
from unveil.synthesis.split_columns import read_lettered_numbers, split
from unveil.synthesis.strata import Strata


@dataclass(frozen=True)
class SynthesisData:
    """An original as read and taken apart, and what is to be done with it."""

    table: Table
    parts: Mapping[str, ColumnValues]
    plan: SynthesisPlan
    strata: Strata
    rules: tuple[WrittenRule, ...]
    derived: tuple[DerivedColumn, ...]
    options: Options
    seed: int
    instructions: Instructions
    told: tuple[str, ...] = ()  # of the rules and formulas: counts, no values
    people: People | None = None  # whose row each row is, where people have several
    constraints: tuple[Constraint, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows of the original."""
        return len(self.table.frame)

    @property
    def whose(self) -> Ints | None:
        """Whose row each row is; None where rows are people."""
        return None if self.people is None else self.people.of_row.astype(np.int64)

    def names_of_copy(self) -> tuple[str, ...]:
        """The synthetic columns: in the original's order, then derived ones that are new."""
        new = [column.column for column in self.derived if column.column not in self.parts]
        aside = {*self.plan.left_out, *self.plan.predictor_only}
        return (*(name for name in self.parts if name not in aside), *new)

    def codebook(self, columns: Sequence[str]) -> Codebook | None:
        """What is declared about these columns; nothing of running numbers."""
        book = self.table.codebook
        if book is None:
            return None
        named = {*columns} - {*self.plan.renumbered}
        return msgspec.structs.replace(
            book, variables=tuple(known for known in book.variables if known.name in named)
        )

    def rows_to_fit(self) -> list[dict[str, Ints]]:
        """For each stratum and column, the rows that its model is fitted to.

        Rows that a rule settles are excluded; all of a stratum's rows take part where a rule
        settles every one of them, and in a joint table, whose other columns need them.
        """
        by_rule = self._mark_settled()
        return [
            {
                name: rows if step.is_joint else _without(rows, by_rule.get(name))
                for step in self.plan.steps
                for name in step.columns
            }
            for rows in self.strata.rows(self.strata.of_rows)
        ]

    def impossible(self) -> dict[Step, list[Impossible]]:
        """For each joint step, the cells that rules leave empty in its table."""
        return {
            step: find_impossible(step, self.rules, self.parts)
            for step in self.plan.steps
            if step.is_joint
        }

    def _mark_settled(self) -> dict[str, NDArray[np.bool_]]:
        found: dict[str, NDArray[np.bool_]] = {}
        for rule in self.rules:
            met = rule.rows(self.table.frame).to_numpy()
            found[rule.column] = met | found.get(rule.column, np.zeros(len(met), dtype=bool))
        return found


def take_sample(
    original: Any, sample: Any, seed: int, missing_values: Sequence[str], person: str | None
) -> tuple[CachedFile, int]:
    """So many rows of the original at random, in its place; and the rows that it has."""
    n = parse_whole_number("sample", sample)
    if person not in (None, "none"):
        raise SettingsError(
            "A sample of rows would part the rows of a person. Omit sample, or give a file with"
            " the people to fit to."
        )
    if is_batched(original):
        file = open_batches(original, "original")
        return file.sample(n, seed, missing_values), file.n_rows
    table = read_table(original, side="original", missing_values=missing_values)
    rows = sample_rows(np.arange(table.frame.height), n, seed, "sample of the original")
    sampled = replace(table, frame=table.frame[rows])
    held = CachedFile(Path(), sampled, tuple(missing_values), is_changed=True)
    return held, table.frame.height


def prepare_synthesis(
    original: Any,
    *,
    method: str | Mapping[str, str],
    order: Any,
    predictors: Mapping[str, Sequence[str]] | None,
    keep: str | Iterable[str] | None,
    rules: Any,
    derived: Any,
    special_codes: Mapping[str, Any] | None,
    spikes: Mapping[str, Any] | None,
    strata: str | Iterable[str] | None,
    missing_values: str | Sequence[str],
    instructions: Instructions,
    options: Options,
    seed: int,
    person: str | None = None,
    time: str | None = None,
) -> SynthesisData:
    """Read the original, take its columns apart and plan, or refuse what cannot be done."""
    missing = parse_missing_entries(missing_values)
    files = open_files({"original": original}, None, missing)
    table = read_lettered_numbers(files[0])
    if table is not files[0]:
        files = Study([table]).files
    people = None if person is None else choose_people(files, person)
    if people is not None:
        named = list_columns((), order, predictors, keep, strata)
        instructions = instructions.without_person(people.record.column, named or ())
    if time is not None:
        _check_time(time, people, table.frame.columns, table.place)
        instructions = instructions.with_people(str(person))
    instructions.check_names(table)
    used = list_columns(order, predictors, keep, strata, derived)
    if time is not None and used is not None and time not in used:
        raise RolesError(f"order lacks {time!r}, the column of the time. Name it in order as well.")
    codes = _codes(table, special_codes, spikes)
    parts = _parts(table, codes, used, instructions.drop)
    rules, constraints, derived = resolve_rules(table, parts, rules, derived, special_codes)
    kept = None if keep is None else names(keep, "Columns to keep")
    layers = None if strata is None else names(strata, "Strata")
    computed = [column.column for column in derived]
    drop = [name for name in instructions.drop if name in parts]
    aside = (*(kept or ()), *(layers or ()), *computed, *drop, *instructions.renumber)
    columns = {name: part.column for name, part in parts.items()}
    plan = make_plan(
        columns,
        place=table.place,
        method=method,
        order=_in_order(order, parts, aside, seed),
        predictors=predictors,
        keep=kept,
        strata=layers,
        derived=computed,
        drop=drop,
        renumber=instructions.renumber,
    )
    instructions.check_identifiers(files, (*plan.order, *plan.kept, *plan.strata), codes)
    plan = within_bounds(plan, columns)
    _check_nothing(plan)
    check_idle_options(plan, options)
    check_protected(options, plan.steps)
    check_smooth(options.smooth, columns, plan, table)
    found = Strata.of(table.frame, plan.strata, parts)
    where = "the original" if len(found.sizes) == 1 else "the smallest stratum"
    sizes = found.sizes
    if people is not None:
        sizes = count_people(found.of_rows, people.of_row, len(sizes))
    check_large_leaves(plan, options, int(sizes.min()), where, of_people=people is not None)
    _check_late_rules(rules, constraints, derived, plan, table)
    said = (
        *(note_people(table, person, people) if time is None else ()),
        *rule_and_derived_notes(table, rules, constraints, derived),
        *table_notes(plan, rules, parts),
        *date_notes(columns, {**(special_codes or {}), **(spikes or {})}),
    )
    return SynthesisData(
        table,
        parts,
        plan,
        found,
        rules,
        derived,
        options,
        seed,
        instructions,
        said,
        people,
        constraints,
    )


def _check_time(time: Any, people: People | None, columns: Sequence[str], place: str) -> str:
    """The column of the time; people must be known too."""
    if not isinstance(time, str):
        raise RolesError(f"time is {quote_value(time)}. Give the name of a column.")
    if time not in columns:
        raise RolesError(absent_sentence(place, time, columns))
    if people is None:
        raise RolesError(
            f"time is {time!r}, but no column says whose row it is. Declare it as person."
        )
    return time


def _codes(
    table: Table, special_codes: Mapping[str, Any] | None, spikes: Mapping[str, Any] | None
) -> dict[str, tuple[float, ...]]:
    """The numbers that stand apart in each column: special codes and spikes."""
    known = table.frame.columns
    special = parse_codes_by_column(special_codes, "Special codes", known, table.place)
    apart = parse_codes_by_column(spikes, "Spikes", known, table.place)
    return {name: (*special.get(name, ()), *apart.get(name, ())) for name in known}


def _parts(
    table: Table,
    codes: Mapping[str, tuple[float, ...]],
    used: set[str] | None,
    drop: Sequence[str],
) -> dict[str, ColumnValues]:
    """Every column taken apart; one that cannot be is passed over where no one asks for it."""
    book = table.codebook
    parts = {}
    for name in table.frame.columns:
        variable = None if book is None else book.variable(name)
        try:
            parts[name] = split(table.frame[name], special=codes[name], variable=variable)
        except ReadError:
            if name not in drop and (used is None or name in used):
                raise
    check_codes_of_categories(codes, {name: part.column for name, part in parts.items()})
    return parts


def _in_order(
    order: Any, parts: Mapping[str, ColumnValues], aside: Sequence[str], seed: int
) -> Any:
    """The order asked for; by dependency, of all columns that are not aside, where it is "auto"."""
    if not isinstance(order, str) or order != "auto":
        return order
    return order_by_dependency(parts, [name for name in parts if name not in aside], seed)


def _check_nothing(plan: SynthesisPlan) -> None:
    if not plan.steps:
        raise RolesError(
            "No column is left to be synthesised. Keep fewer columns, or name some in the order."
        )


def _check_late_rules(
    rules: Iterable[WrittenRule],
    constraints: Iterable[Constraint],
    derived: Sequence[DerivedColumn],
    plan: SynthesisPlan,
    table: Table,
) -> None:
    """A rule can be met only by what is there before its column."""
    first = [*plan.kept, *plan.predictor_only, *plan.strata]
    turns = [*first, *plan.order]
    for rule in rules:
        for name in (rule.column, *rule.needs):
            if name not in table.frame.columns:
                raise RolesError(absent_sentence(table.place, name, table.frame.columns))
        if rule.column not in plan.order:
            raise RolesError(
                f"The rule {rule.text!r} determines {rule.column!r}, which is not synthesised."
                " Omit the rule."
            )
        before = turns[: turns.index(rule.column)]
        late = [name for name in rule.needs if name not in before]
        if late:
            raise RolesError(
                f"The rule {rule.text!r} needs {list_names(late)} before {rule.column!r}. "
                "Change the order."
            )
    for one in constraints:
        lacking = [
            name
            for name in one.needs
            if name not in turns and name not in {column.column for column in derived}
        ]
        if lacking:
            raise RolesError(
                f"The rule {one.text!r} needs {list_names(lacking)}, which the synthetic data do"
                " not have. Leave the rule out."
            )
    for column in derived:
        absent_ones = [name for name in column.needs if name not in turns]
        turns.append(column.column)
        if absent_ones:
            raise SettingsError(
                f"The derived column {column.column!r} needs {list_names(absent_ones)}, which "
                "the synthetic data "
                "do not have."
            )


def _without(rows: Ints, settled: NDArray[np.bool_] | None) -> Ints:
    left = rows if settled is None else rows[~settled[rows]]
    return left if len(left) else rows
