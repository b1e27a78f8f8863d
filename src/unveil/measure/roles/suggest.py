"""`unveil.suggest`: which role might each column have, and why?

Proposals only, made on this machine from names, labels and counts; nothing is changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unveil.count.scenario import Progress, aligned_column, silent
from unveil.errors import InternalError
from unveil.measure.opening import read_all
from unveil.measure.roles.asked import Asked, asked_of, kind_unread, refuse_no_header
from unveil.measure.roles.choosing import (
    ENOUGH,
    GRADES,
    LEAST_GAIN,
    MOST_KEYS,
    Chosen,
    chosen,
    taken,
)
from unveil.measure.roles.looking import Look, may_identify, own_texts
from unveil.measure.roles.naming import Said, said
from unveil.measure.roles.person import find_person
from unveil.measure.roles.reasons import of_key, of_other
from unveil.measure.roles.result import SuggestResult
from unveil.measure.roles.sorting import (
    DROP,
    Sorted,
    named_key,
    of_own_texts,
    of_person,
    of_weights,
    sorted_out,
)
from unveil.read.align import Aligned, align
from unveil.read.table import Table
from unveil.records.person import PersonColumn
from unveil.records.suggestion import KeyStep, Role, RoleRow, Suggestion


def suggest(
    data: Any,
    *,
    keys: str | Iterable[str] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> SuggestResult:
    """Propose a role for every column, each with a reason, and the keys of one scenario.

    Parameters
    ----------
    data
        One data set, in any of the forms of `unveil.disclosure`.
    keys
        What an intruder knows, where you know it: none is added then, and every other column is
        weighed against these. None proposes keys.
    special_codes
        Codes that stand for no answer, by column: they are no values that differ.
    missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    SuggestResult
        `.keys` in the order in which they were added, `.targets` with sensitive ones first,
        `.roles` by column, `.record` with the reason and evidence of each, `.to_toml()` for a
        project file.

    Notes
    -----
    Columns in which nearly everyone has a value of their own, and free text, are identifiers. Words
    in names and labels grade the others: visible, often known, sometimes known. Within a grade the
    column is added that makes most people unique; a function of a key is left out. From 5 % unique
    people on, a key must add 1 % and no further grade is opened. All else is a target. The word
    list and the thresholds are our own, and stand in docs/suggest.md.
    """
    progress = progress or silent
    asked = asked_of(keys, special_codes)
    (table,) = read_all({"data": data}, None, missing_values, None, progress)
    refuse_no_header(table)
    asked.refuse_absent(table)
    unread = {name: kind for name in table.frame.columns if (kind := kind_unread(table, name))}
    asked.refuse_unread(table, unread)
    aligned = align([table], [name for name in table.frame.columns if name not in unread])
    asked.refuse_codes_of_text(aligned)
    columns = _sorted_columns(table, aligned, asked, unread, progress)
    person = find_person(table)
    columns = [
        of_person(one, person)
        if person is not None and one.name == person.column and one.name not in asked.keys
        else one
        for one in columns
    ]
    keys_found = _chosen(columns, asked, table.frame.height)
    return SuggestResult(
        _record(table, aligned, columns, keys_found, person=person, progress=progress)
    )


def _sorted_columns(
    table: Table, aligned: Aligned, asked: Asked, unread: Mapping[str, str], progress: Progress
) -> list[Sorted]:
    """Every column by itself, in the order of the file; keys that were named stay open."""
    labels = {name: _label(table, name) for name in table.frame.columns}
    columns = []
    for done, (name, label) in enumerate(labels.items()):
        progress(f"looking at {name}", done, len(labels))
        if name in unread:
            reason = f"holds {unread[name]}, which no measure compares."
            empty = Sorted(name, said(name, label), None)
            columns.append(empty.settled("ignore", "values", reason))
        else:
            columns.append(_sorted(name, said(name, label), aligned, asked))
    return of_weights(columns, labels)


def find_identifiers(
    table: Table, names: Iterable[str], special_codes: Mapping[str, tuple[float, ...]]
) -> dict[str, str]:
    """Those of some columns that would be proposed as identifiers, each with its reason.

    Free text is among them: it may name people.
    """
    read = [name for name in names if kind_unread(table, name) is None]
    aligned = align([table], [name for name in read if may_identify(table.frame[name])])
    asked = Asked((), special_codes)
    found = {}
    for name in aligned.columns:
        column = _sorted(name, said(name, _label(table, name)), aligned, asked)
        if column.role == "identifier":
            found[name] = column.reason.removesuffix(f" {DROP}")
    return found


def _sorted(name: str, words: Said | None, aligned: Aligned, asked: Asked) -> Sorted:
    is_named = name in asked.keys
    if not is_named and (texts := own_texts(aligned.columns[name][0])) is not None:
        return of_own_texts(name, words, texts)
    look = Look(aligned_column(aligned, name), asked.special_codes.get(name, ()))
    return named_key(look, words) if is_named else sorted_out(look, words)


def _label(table: Table, name: str) -> str | None:
    variable = table.variables.get(name)
    return None if variable is None else variable.label


def _chosen(columns: Sequence[Sorted], asked: Asked, n_records: int) -> Chosen:
    open_ = {column.name: column.look for column in columns if column.look is not None}
    if asked.keys:
        return taken([open_[name] for name in asked.keys], n_records)
    candidates = {
        grade: [one.look for one in columns if one.look is not None and one.grade == grade]
        for grade in GRADES
    }
    return chosen(candidates, n_records)


def _record(
    table: Table,
    aligned: Aligned,
    columns: Sequence[Sorted],
    found: Chosen,
    *,
    person: PersonColumn | None,
    progress: Progress,
) -> Suggestion:
    rows = []
    for done, column in enumerate(columns):
        progress(f"weighing {column.name}", done, len(columns))
        rows.append(_row(column, found))
    targets = [row for row in rows if row.role == "target"]
    targets.sort(key=lambda row: row.grade != "sensitive")
    return Suggestion(
        files=(table.source,),
        n_records=table.frame.height,
        person=person,
        keys=found.names,
        targets=tuple(row.column for row in targets),
        n_unique=found.n_unique[-1] if found.looks else 0,
        steps=tuple(_steps(found, table.frame.height)),
        enough_percent=ENOUGH,
        least_gain_percent=LEAST_GAIN,
        most_keys=MOST_KEYS,
        stop=found.stop,
        stopped_at=found.stopped_at,
        rows=tuple(rows),
        coercions=aligned.coercions,
    )


def _steps(found: Chosen, n_records: int) -> Iterable[KeyStep]:
    for place, key in enumerate(found.names):
        before, after = found.n_unique[place : place + 2]
        yield KeyStep(
            key=key, n_gained=after - before, n_unique=after, percent=100 * after / n_records
        )


def _row(column: Sorted, found: Chosen) -> RoleRow:
    """The row of one column: settled before, a key, or weighed against the keys."""
    if column.role is not None:
        return _filled(column, column.role, column.reason, None, ())
    if column.look is None:
        raise InternalError("A column has neither role nor codes.")
    functions = found.functions(column.look)
    if column.name in found.names:
        place = found.names.index(column.name)
        n_gained = found.n_unique[place + 1] - found.n_unique[place]
        reason = of_key(column, found, n_gained)
        return _filled(column, "key", reason, n_gained, functions, is_given=found.stop == "given")
    n_unique, _ = found.known.counted_with(column.look)
    n_gained = n_unique - found.known.n_unique
    reason = of_other(column, found, functions, n_gained, found.known.n_records)
    is_settled = bool(functions) and column.grade in GRADES
    return _filled(column, "ignore" if is_settled else "target", reason, n_gained, functions)


def _filled(
    column: Sorted,
    role: Role,
    reason: str,
    n_gained: int | None,
    functions: tuple[str, ...],
    *,
    is_given: bool = False,
) -> RoleRow:
    source = column.source if column.said is None or column.role else column.said.source
    return RoleRow(
        column=column.name,
        role=role,
        grade=column.grade,
        topic=column.topic,
        source="given" if is_given else source,
        reason=reason,
        n_distinct=column.n_distinct,
        n_alone=column.n_alone,
        n_gained=n_gained,
        function_of=functions,
    )
