"""`unveil.suggest`: which role might each column have, and why?

Proposals only, made on this machine from names, labels and counts; nothing is changed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from unveil.arguments import check_faults, check_fields, is_like_data
from unveil.errors import InternalError, ReadError, RolesError, list_names
from unveil.io.table import Table, mid_sentence
from unveil.measure.result import RowsResult, rows_frame
from unveil.measure.roles.choose_keys import (
    ENOUGH,
    GRADES,
    LEAST_GAIN,
    MOST_PROPOSED_KEYS,
    ChosenKeys,
    choose_keys,
    take_keys,
)
from unveil.measure.roles.classify import (
    DROP,
    LEARN,
    ClassifiedColumn,
    ColumnSummary,
    classify_column,
    classify_key,
    classify_person,
    classify_texts,
    classify_weights,
    count_own_texts,
    may_identify,
)
from unveil.measure.roles.person import find_person
from unveil.measure.roles.vocabulary import TopicMatch, match_topic
from unveil.records.person import PersonColumn
from unveil.records.suggestion import KeyStep, Role, RoleRow, Suggestion
from unveil.study.align import AlignedColumn
from unveil.study.band_spec import parse_bands
from unveil.study.people import kind_unread
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import OpenFiles, open_files
from unveil.study.take_study import takes_study
from unveil.view.suggestion_toml import roles_toml

# What did the user ask for, and does it fit the data?


_YEAR = re.compile(r"(19|20)\d\d", re.ASCII)


@dataclass(frozen=True)
class SuggestSettings:
    """Keys that the user named, None where they are to be proposed, and codes of missing values."""

    keys: tuple[str, ...] | None = None
    special_codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checks = {
            "keys": lambda _, given: names(given, "Keys"),
            "special_codes": lambda _, given: parse_bands(None, given).special_codes,
        }
        check_fields(self, checks)
        if self.keys == ():
            raise RolesError(
                "No keys are given. Name the columns an intruder would know, or omit the keys to"
                " have them proposed."
            )

    def check_names(self, table: Table) -> None:
        """Refuse names that the data have not, all of them at once."""
        table.check_columns((*(self.keys or ()), *self.special_codes))

    def check_read(self, table: Table, unread: Mapping[str, str]) -> None:
        """Refuse keys that hold no single values."""
        faults = [
            f"Column {name!r} of {mid_sentence(table.place)} holds {unread[name]}, not single"
            " values, and cannot be a key. Remove it from the keys, or split it into columns of"
            " numbers, text or dates."
            for name in self.keys or ()
            if name in unread
        ]
        check_faults(faults, RolesError)

    def check_special_codes(self, aligned: Mapping[str, AlignedColumn]) -> None:
        """Refuse special codes of columns that hold no numbers."""
        faults = [
            f"Special codes are given for {name!r}, which holds no numbers. Remove it from the"
            " special codes; declare an entry that means missing with missing_values (--missing on"
            " the command line)."
            for name in self.special_codes
            if name not in aligned or not aligned[name].sides[0].dtype.is_numeric()
        ]
        check_faults(faults)


def check_no_header(table: Table) -> None:
    """Refuse a file whose first line seems to be a record: its names would be a person's values."""
    if table.source == "a data frame":
        return
    columns = table.frame.columns
    odd = [name for name in columns if is_like_data([name]) and not _YEAR.fullmatch(name)]
    if 4 * len(odd) >= len(columns):
        raise ReadError(
            f"{table.place} seems to have no names of columns: its first line looks like a record."
            " Put a line with the names above it."
        )


# Why is a role proposed? In plain words, with counts of people and without any value.


KNOWN = {
    "visible": "others see it or find it out",
    "often": "colleagues and friends often know it",
    "sometimes": "some people know it",
}


def explain_key(column: ClassifiedColumn, found: ChosenKeys, n_gained: int) -> str:
    """Why a column is a key."""
    is_alone = not n_gained and column.name == found.names[0]
    gained = "No one becomes unique on it by itself." if is_alone else _format_gain(n_gained)
    if found.stop != "given":
        return f"{_topic(column)}: {KNOWN[column.grade or '']}. {gained}"
    is_name = column.look is not None and column.look.is_near_unique
    doubt = " Nearly everyone has a value of their own: is it an identifier?" if is_name else ""
    return f"named by you as a key. {gained}{doubt}"


def explain_other(
    column: ClassifiedColumn,
    found: ChosenKeys,
    functions: tuple[str, ...],
    n_gained: int,
    n_records: int,
) -> str:
    """Why a column is a target, or is left aside as a function of a key."""
    settled = f"a function of {list_names(map(repr, functions))}" if functions else ""
    if column.grade in KNOWN:
        if settled:
            return f"{_topic(column)}, but {settled}: it adds {_points(n_gained, n_records)}."
        return f"{_topic(column)}: {_explain_candidate(column, found, n_gained)}"
    also = f" In these data it is {settled}: the key determines it." if settled else ""
    if column.grade == "sensitive":
        return f"{_topic(column)}: sensitive, so {LEARN}.{also}"
    if column.topic == "opinion":
        return f"{_topic(column)}: {LEARN}.{also}"
    return f"no word suggests that others know it: {LEARN}.{also}"


def _explain_candidate(column: ClassifiedColumn, found: ChosenKeys, n_gained: int) -> str:
    """Why a candidate became no key."""
    known = KNOWN[column.grade or ""]
    if found.stop == "given":
        return f"{known}, but it is not among your keys. {_format_gain(n_gained, 'would become')}"
    if found.stop == "most_keys":
        return f"{known}, but there are {len(found.looks)} keys already."
    if column.name == found.stopped_at:
        less = f"less than {LEAST_GAIN:g} % of all"
        return f"{known}, but it adds little. {_format_gain(n_gained, 'would become', less)}"
    if not n_gained:
        return f"{known}, but no one more becomes unique by it."
    return f"{known}, but the keys single out enough people without it."


def _format_gain(count: int, verb: str | None = None, less: str = "") -> str:
    who = "No one" if not count else "1 person" if count == 1 else f"{count:,} people"
    does = verb or ("becomes" if count < 2 else "become")
    return f"{who} more {does} unique{f', {less}' if less else ''}."


def _topic(column: ClassifiedColumn) -> str:
    where = column.said.source if column.said else "name"
    return f"{column.topic} in its {where}"


def _points(count: int, of: int) -> str:
    if not count:
        return "no one who is unique"
    percent = 100 * count / of
    points = f"{percent:.1f}" if percent >= 0.05 else "less than 0.1"
    return f"{points} points of unique people"


# The result of `unveil.suggest`, and the ways to look at it.


_COUNTS = ("n_distinct", "n_alone", "n_gained")
_TEXTS = ("column", "role", "grade", "topic", "source", "reason")


class RoleSuggestions(RowsResult[Suggestion]):
    """Proposed roles, none of them applied; printing it shows no value of the data."""

    @property
    def roles(self) -> dict[str, Role]:
        """The proposed role of each column."""
        return {row.column: row.role for row in self.record.rows}

    def to_toml(self) -> str:
        """The tables `[roles]` and `[[scenario]]` of a project file, with the reasons beside."""
        return roles_toml(self.record)

    def frame(self) -> pl.DataFrame:
        """One row a column."""
        schema: dict[str, pl.DataType] = {
            **{name: pl.String() for name in _TEXTS},
            **{name: pl.Int64() for name in _COUNTS},
            "function_of": pl.List(pl.String()),
        }
        return rows_frame(self.rows, schema)


@takes_study
def suggest(
    data: Any,
    *,
    keys: str | Iterable[str] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RoleSuggestions:
    """Propose a role for every column, each with a reason, and the keys of one scenario.

    Parameters
    ----------
    data
        One data set, in any of the forms of `unveil.disclosure`.
    keys
        What an intruder knows, where you know it: none is added then, and every other column is
        weighed against these. None proposes keys.
    special_codes
        Codes that stand for missing values, by column: they are no values that differ.
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
    Columns in which nearly everyone has a value of their own, and free text, are identifiers.
    Words in names and labels grade the others: visible, often known, sometimes known. Within a
    grade the column is added that makes most people unique; a function of a key is omitted. From
    5 % unique people on, a key must add 1 % and no further grade is opened. All else is a target.
    The word list and the thresholds are our own, and stand in docs/suggest.md.
    """
    progress = progress or no_progress
    given: Any = (keys, special_codes)
    asked = SuggestSettings(*given)
    files = open_files({"data": data}, None, missing_values, progress)
    table = files[0]
    check_no_header(table)
    asked.check_names(table)
    unread = {name: kind for name in table.frame.columns if (kind := kind_unread(table, name))}
    asked.check_read(table, unread)
    aligned = files.align([name for name in table.frame.columns if name not in unread])
    asked.check_special_codes(aligned)
    columns = _classify_columns(files, asked, unread, progress)
    person = find_person(table)
    columns = [
        classify_person(one, person)
        if person is not None and one.name == person.column and one.name not in (asked.keys or ())
        else one
        for one in columns
    ]
    keys_found = _choose_keys(columns, asked, table.frame.height)
    return RoleSuggestions(
        _record(files, aligned, columns, keys_found, person=person, progress=progress)
    )


def _classify_columns(
    files: OpenFiles,
    asked: SuggestSettings,
    unread: Mapping[str, str],
    progress: Progress,
) -> list[ClassifiedColumn]:
    """Every column by itself, in the order of the file; keys that were named stay open."""
    labels = {name: _label(files[0], name) for name in files[0].frame.columns}
    columns = []
    for done, (name, label) in enumerate(labels.items()):
        progress(f"looking at {name}", done, len(labels))
        if name in unread:
            reason = f"holds {unread[name]}, which no measure compares."
            empty = ClassifiedColumn(name, match_topic(name, label), None)
            columns.append(empty.set_role("ignore", "values", reason))
        else:
            columns.append(_classify(name, match_topic(name, label), files, asked))
    return classify_weights(columns, labels)


def find_identifiers(
    files: OpenFiles, names: Iterable[str], special_codes: Mapping[str, tuple[float, ...]]
) -> dict[str, str]:
    """Those of some columns of a file that would be proposed as identifiers, each with its reason.

    Free text is among them: it may name people.
    """
    (table,) = files
    read = [name for name in names if kind_unread(table, name) is None]
    asked = SuggestSettings(None, special_codes)
    found = {}
    for name in files.align([name for name in read if may_identify(table.frame[name])]):
        column = _classify(name, match_topic(name, _label(table, name)), files, asked)
        if column.role == "identifier":
            found[name] = column.reason.removesuffix(f" {DROP}")
    return found


def _classify(
    name: str, words: TopicMatch | None, files: OpenFiles, asked: SuggestSettings
) -> ClassifiedColumn:
    is_named = name in (asked.keys or ())
    if not is_named and (texts := count_own_texts(files.align_one(name).sides[0])) is not None:
        return classify_texts(name, words, texts)
    look = ColumnSummary(files.column(name), asked.special_codes.get(name, ()))
    return classify_key(look, words) if is_named else classify_column(look, words)


def _label(table: Table, name: str) -> str | None:
    variable = table.variables.get(name)
    return None if variable is None else variable.label


def _choose_keys(
    columns: Sequence[ClassifiedColumn], asked: SuggestSettings, n_records: int
) -> ChosenKeys:
    open_ = {column.name: column.look for column in columns if column.look is not None}
    if asked.keys:
        return take_keys([open_[name] for name in asked.keys], n_records)
    candidates = {
        grade: [one.look for one in columns if one.look is not None and one.grade == grade]
        for grade in GRADES
    }
    return choose_keys(candidates, n_records)


def _record(
    files: OpenFiles,
    aligned: Mapping[str, AlignedColumn],
    columns: Sequence[ClassifiedColumn],
    found: ChosenKeys,
    *,
    person: PersonColumn | None,
    progress: Progress,
) -> Suggestion:
    rows, table = [], files[0]
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
        most_keys=MOST_PROPOSED_KEYS,
        stop=found.stop,
        stopped_at=found.stopped_at,
        rows=tuple(rows),
        coercions=files.notes(aligned),
    )


def _steps(found: ChosenKeys, n_records: int) -> Iterable[KeyStep]:
    for place, key in enumerate(found.names):
        before, after = found.n_unique[place : place + 2]
        yield KeyStep(
            key=key, n_gained=after - before, n_unique=after, percent=100 * after / n_records
        )


def _row(column: ClassifiedColumn, found: ChosenKeys) -> RoleRow:
    """The row of one column: settled before, a key, or weighed against the keys."""
    if column.role is not None:
        return _role_row(column, column.role, column.reason, None, ())
    if column.look is None:
        raise InternalError("A column has neither role nor codes.")
    functions = found.functions(column.look)
    if column.name in found.names:
        place = found.names.index(column.name)
        n_gained = found.n_unique[place + 1] - found.n_unique[place]
        reason = explain_key(column, found, n_gained)
        return _role_row(column, "key", reason, n_gained, functions, is_given=found.stop == "given")
    n_unique, _ = found.known.count_with(column.look)
    n_gained = n_unique - found.known.n_unique
    reason = explain_other(column, found, functions, n_gained, found.known.n_records)
    is_settled = bool(functions) and column.grade in GRADES
    return _role_row(column, "ignore" if is_settled else "target", reason, n_gained, functions)


def _role_row(
    column: ClassifiedColumn,
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
