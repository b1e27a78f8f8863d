"""A synthetic file as a Stata file, .dta (format 118: Stata 14 and later)."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import polars as pl

from unveil.errors import list_names
from unveil.io.numbers import TAGS, letters_in
from unveil.io.outgoing import OutgoingTable, find_kind
from unveil.io.stat_dates import is_finer_than_milliseconds, stata_number
from unveil.io.write_checks import (
    as_integers,
    is_text,
    is_whole,
    value_faults,
    without_letters,
)
from unveil.io.write_labels import (
    STATA_USUAL,
    DeclaredColumns,
    cut_note,
    is_letter,
    left_out_note,
    letters_of,
    number_of,
    stata_format,
    stata_names,
    truncate_bytes,
)
from unveil.records.codebook import Code, Level, Variable

_VERSION = 14
_LABEL, _VALUE_LABEL = 80, 32_000
_SMALLEST, _LARGEST = -2_147_483_647, 2_147_483_620
_NAME = 32
_MOST_COLUMNS = 32_767
# The header keeps when the file was made, as "16 Nov 2026 05:21".
_TIME = re.compile(rb"<timestamp>\x11.{17}</timestamp>")
_MADE = b"<timestamp>\x1101 Jan 1970 00:00</timestamp>"


def stata_faults(outgoing: OutgoingTable) -> list[str]:
    """Why the synthetic file cannot be a Stata file: names and values, a sentence each."""
    columns = outgoing.frame.get_columns()
    faults = [
        *stata_names(outgoing.frame.columns),
        *value_faults(columns, "Stata"),
        *_set_names(outgoing),
    ]
    if len(columns) > _MOST_COLUMNS:
        faults.append(
            f"Stata holds {_MOST_COLUMNS:,} columns at most; the synthetic data have"
            f" {len(columns):,}. Write them in parts."
        )
    return faults


def _set_names(outgoing: OutgoingTable) -> list[str]:
    """Labels have a name in Stata: that of the column, and a number that pyreadstat adds."""
    labelled = [one.name for column, one in outgoing.columns() if one.levels]
    room = _NAME - len(str(len(labelled)))
    long = [name for name in labelled if room < len(name) <= _NAME]
    if not long:
        return []
    return [
        f"Stata needs shorter names for columns that have labels: at most {room} characters."
        f" Rename {list_names(map(repr, long))} first."
    ]


def write_stata(outgoing: OutgoingTable, path: Path) -> tuple[str, ...]:
    """Write the file, and give what its format could not hold."""
    import pyreadstat

    declared, made = DeclaredColumns(outgoing.codebook.format), []
    for column, variable in outgoing.columns():
        made.append(_column(column, variable, declared))
        _declare(column, variable, declared)
    labels = {one.name: one.label for _, one in outgoing.columns() if one.label}
    pyreadstat.write_dta(
        pl.DataFrame(made),
        path,
        version=_VERSION,
        file_label=(outgoing.codebook.file_label or "")[:_LABEL],
        column_labels={name: label[:_LABEL] for name, label in labels.items()},
        variable_value_labels=declared.value_labels,
        missing_user_values=declared.missing or None,
        variable_format=declared.formats,
    )
    _pin_time(path)
    return _stata_notes(
        declared.noted, has_notes=bool(outgoing.codebook.notes) and not outgoing.fake
    )


def _column(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> pl.Series:
    name = column.name
    if is_text(column):
        _set_format(name, stata_format(variable.format, "text"), declared)
        return column.cast(pl.String).fill_null("")
    kind = find_kind(column.dtype)
    form = stata_format(variable.format, kind)
    _set_format(name, form, declared)
    if kind in ("moment", "time") and is_finer_than_milliseconds(column):
        declared.noted["rounded"].append(name)
    letters = _letters(column, variable, declared)
    if kind in STATA_USUAL:
        numbers = stata_number(column).alias(name)
    else:
        numbers = _numbers(without_letters(column), variable, declared)
    if not letters:
        return numbers
    declared.missing[name] = [letter[1:] for letter in letters]
    return _with_letters(column, numbers)


def _letters(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> list[str]:
    """The letters that occur or have labels; among dates only Stata's own mean anything."""
    if find_kind(column.dtype) in STATA_USUAL and declared.source != "stata":
        return []
    return sorted({*letters_of(variable), *letters_in(column)} - {"._"})


def _set_format(name: str, form: str | None, declared: DeclaredColumns) -> None:
    if form is not None:
        declared.formats[name] = form


def _numbers(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> pl.Series:
    """Whole numbers as such where the column is one of them or codes, else floats."""
    if column.dtype in (pl.Boolean, pl.Null):
        return column.cast(pl.Int32)
    is_code = bool(variable.levels) or bool(letters_of(variable)) or declared.source != "stata"
    if column.dtype.is_integer() or (is_code and is_whole(column)):
        numbers = as_integers(column)
        if numbers.is_between(_SMALLEST, _LARGEST).all():
            return numbers.cast(pl.Int32)
    return column.cast(pl.Float64).fill_nan(None)


def _with_letters(column: pl.Series, numbers: pl.Series) -> pl.Series:
    """Numbers and letters in one column, as pyreadstat takes them."""
    made = numbers.fill_null(0).to_numpy().astype(object)
    made[numbers.is_null().to_numpy()] = None
    for letter in letters_in(column):
        made[(column == TAGS[letter]).fill_null(value=False).to_numpy()] = letter[1:]
    # From a list: an array of nothing but letters would be taken for text.
    return pl.Series(column.name, made.tolist(), dtype=pl.Object)


def _declare(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> None:
    name = variable.name
    if any(not is_letter(code) for code in variable.missing) or variable.missing_ranges:
        declared.noted["missing"].append(name)
    if len(variable.label or "") > _LABEL:
        declared.noted["cut"].append(name)
    is_foreign = find_kind(column.dtype) in STATA_USUAL and declared.source != "stata"
    has_labels = not is_text(column) and not is_foreign
    labels = dict(map(_stata_label, variable.levels)) if has_labels else {}
    usable = {code: label for code, label in labels.items() if code is not None}
    if any(_is_lost(level, usable) for level in variable.levels):
        declared.noted["unlabelled"].append(name)
    if usable:
        declared.value_labels[name] = usable


def _is_lost(level: Level, usable: Collection[int | str]) -> bool:
    """Whether a label is not in the file and the code alone does not say the same."""
    return level.label != level.code and _stata_code(level.code) not in usable


def _stata_label(level: Level) -> tuple[int | str | None, str]:
    """A code as Stata labels it: a whole number or a letter; None where it is neither."""
    return _stata_code(level.code), truncate_bytes(level.label, _VALUE_LABEL)


def _stata_code(code: Code) -> int | str | None:
    if is_letter(code):
        return str(code)[1:] if code != "._" else None
    number = number_of(code)
    if number is None or number != int(number) or not _SMALLEST <= number <= _LARGEST:
        return None
    return int(number)


def _pin_time(path: Path) -> None:
    """Give the file one and the same time of making, so that the same copy is the same bytes."""
    with path.open("rb+") as file:
        found = _TIME.search(file.read(1024))
        if found is not None:
            file.seek(found.start())
            file.write(_MADE)


def _stata_notes(noted: Mapping[str, list[str]], *, has_notes: bool) -> tuple[str, ...]:
    told = [
        *cut_note(noted["cut"], "Labels", f"Stata's {_LABEL} characters"),
        *left_out_note(
            noted["missing"],
            "Missing codes",
            "Stata has letters instead, and takes the codes for values like any others",
        ),
        *left_out_note(
            noted["unlabelled"], "Some labels", "Stata labels whole numbers and letters only"
        ),
        *cut_note(noted["rounded"], "Times", "thousandths of a second when Stata shows them"),
    ]
    return (*told, "The notes are not in the file.") if has_notes else tuple(told)
