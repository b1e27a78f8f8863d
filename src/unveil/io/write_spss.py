"""Synthetic data as an SPSS file, .sav or .zsav: numbers are floats, texts have a fixed width."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from unveil.io.outgoing import OutgoingTable, find_kind
from unveil.io.stat_dates import is_finer_than_milliseconds, is_finer_than_spss, spss_seconds
from unveil.io.write_checks import is_text, is_whole, longest_bytes, value_faults
from unveil.io.write_labels import (
    SPSS_USUAL,
    DeclaredColumns,
    cut_note,
    is_letter,
    left_out_note,
    number_of,
    spss_format,
    spss_names,
    text_width,
    truncate_bytes,
)
from unveil.records.codebook import Code, Level, Variable

_LABEL, _VALUE_LABEL, _FILE_LABEL, _NOTE_LINE, _MISSING_TEXT = 256, 120, 64, 80, 8
_WIDEST = 32_767
# The header of every .sav file keeps when it was made, as "16 Nov 26" and "05:21:38".
_MADE_AT, _MADE = 92, b"01 Jan 7000:00:00"


def spss_faults(outgoing: OutgoingTable) -> list[str]:
    """Why the synthetic file cannot be an SPSS file: names and values, a sentence each."""
    columns = outgoing.frame.get_columns()
    return [*spss_names(outgoing.frame.columns), *value_faults(columns, "SPSS")]


def write_spss(outgoing: OutgoingTable, path: Path, *, compressed: bool) -> tuple[str, ...]:
    """Write the file, and give what its format could not hold."""
    import pyreadstat

    declared, made = DeclaredColumns(outgoing.codebook.format), []
    for column, variable in outgoing.columns():
        made.append(_column(column, variable, declared))
        _declare(column, variable, declared)
    known = [variable for _, variable in outgoing.columns()]
    pyreadstat.write_sav(
        pl.DataFrame(made),
        path,
        file_label=truncate_bytes(outgoing.codebook.file_label or "", _FILE_LABEL),
        column_labels={one.name: truncate_bytes(one.label, _LABEL) for one in known if one.label},
        compress=compressed,
        row_compress=not compressed,
        note=_note_lines(outgoing.codebook.notes) or None,
        variable_value_labels=declared.value_labels,
        missing_ranges=declared.missing,
        variable_display_width={one.name: one.width for one in known if one.width},
        variable_measure={one.name: one.measure for one in known if one.measure},
        variable_format=declared.formats,
    )
    _pin_time(path)
    return _spss_notes(declared.noted)


def _column(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> pl.Series:
    """The column as pyreadstat writes it exactly: floats, or text of the declared width."""
    if is_text(column):
        return _text(column, variable, declared)
    kind = find_kind(column.dtype)
    is_stamp = kind in SPSS_USUAL
    if kind in ("moment", "time") and is_finer_than_milliseconds(column):
        declared.noted["rounded"].append(column.name)
    if kind == "moment" and is_finer_than_spss(column):
        declared.noted["blurred"].append(column.name)
    numbers = spss_seconds(column) if is_stamp else column.cast(pl.Float64).fill_nan(None)
    form = spss_format(variable.format, kind, is_whole=is_whole(numbers))
    declared.formats[column.name] = form
    return numbers.alias(column.name)


def _text(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> pl.Series:
    text = column.cast(pl.String).fill_null("")
    codes = [str(level.code) for level in variable.levels]
    longest = max((len(code.encode()) for code in codes), default=0)
    longest = max(longest, longest_bytes(text), 1)
    width = min(max(longest, text_width(variable.format)), _WIDEST)
    declared.formats[column.name] = f"A{width}"
    if text.str.ends_with(" ").any():
        declared.noted["blanks"].append(column.name)
    # pyreadstat makes a column as wide as its longest text. SPSS fills texts up with blanks on the
    # disk, so that blanks after the first one make it as wide as declared and change nothing else.
    first = str(text[0])
    padded = pl.Series(column.name, [first + " " * (width - len(first.encode()))])
    return pl.concat([padded, text[1:].alias(column.name)])


def _declare(column: pl.Series, variable: Variable, declared: DeclaredColumns) -> None:
    levels, codes = list(variable.levels), list(variable.missing)
    if find_kind(column.dtype) in SPSS_USUAL and declared.source != "spss":
        # Codes among dates are numbers of their program, which mean other days in this one.
        if levels or codes or variable.missing_ranges:
            declared.noted["foreign"].append(variable.name)
        return
    if not is_text(column):
        levels = [level for level in levels if number_of(level.code) is not None]
        codes = [code for code in codes if number_of(code) is not None]
    lost = {*(one.code for one in variable.levels), *variable.missing}
    lost -= {*(level.code for level in levels), *codes}
    if lost:
        what = "letters" if all(map(is_letter, lost)) else "astray"
        declared.noted[what].append(variable.name)
    _declare_labels(column, variable, levels, declared)
    _declare_missing(column, variable, codes, declared)


def _declare_labels(
    column: pl.Series, variable: Variable, levels: list[Level], declared: DeclaredColumns
) -> None:
    long_values = any(len(level.label.encode()) > _VALUE_LABEL for level in levels)
    if long_values or len((variable.label or "").encode()) > _LABEL:
        declared.noted["cut"].append(variable.name)
    as_held = str if is_text(column) else number_of
    labels = {as_held(one.code): truncate_bytes(one.label, _VALUE_LABEL) for one in levels}
    if labels:
        declared.value_labels[variable.name] = labels


def _declare_missing(
    column: pl.Series, variable: Variable, codes: list[Code], declared: DeclaredColumns
) -> None:
    ranges = [
        {
            "lo": -math.inf if one.lo is None else one.lo,
            "hi": math.inf if one.hi is None else one.hi,
        }
        for one in variable.missing_ranges
    ]
    as_held = str if is_text(column) else number_of
    missing: list[Any] = [*ranges, *(as_held(code) for code in codes)]
    if not missing:
        return
    if _fits(ranges, codes, is_text=is_text(column)):
        declared.missing[variable.name] = missing
    else:
        declared.noted["many_missing"].append(variable.name)


def _fits(ranges: list[dict[str, float]], codes: list[Code], *, is_text: bool) -> bool:
    """Whether SPSS has room: three codes, or one range and one code; texts of eight bytes."""
    if is_text:
        short = all(len(str(code).encode()) <= _MISSING_TEXT for code in codes)
        return not ranges and len(codes) <= 3 and short
    return len(codes) <= 3 if not ranges else len(ranges) == 1 and len(codes) <= 1


def _note_lines(notes: tuple[str, ...]) -> list[str]:
    """Notes in lines as short as SPSS has them."""
    lines = []
    for line in (line for note in notes for line in note.splitlines()):
        rest = line
        while rest:
            head = truncate_bytes(rest, _NOTE_LINE)
            lines.append(head)
            rest = rest[len(head) :]
    return lines


def _pin_time(path: Path) -> None:
    """Give the file one and the same time of making, so that the same copy is the same bytes."""
    with path.open("rb+") as file:
        file.seek(_MADE_AT)
        file.write(_MADE)


def _spss_notes(noted: Mapping[str, list[str]]) -> tuple[str, ...]:
    most = f"{_LABEL} bytes (of a column) and {_VALUE_LABEL} bytes (of a code)"
    return (
        *cut_note(noted["cut"], "Labels", most),
        *left_out_note(
            noted["many_missing"],
            "Missing codes",
            "SPSS has room for three codes, or a range and a code, and for texts of eight bytes",
        ),
        *left_out_note(
            noted["letters"], "Letters of missing values", "no record holds one, and SPSS has none"
        ),
        *left_out_note(noted["astray"], "Codes in text", "the columns hold numbers"),
        *left_out_note(
            noted["foreign"], "Codes among the dates", "they are numbers of another program"
        ),
        *cut_note(noted["rounded"], "Times", "thousandths of a second when SPSS shows them"),
        *cut_note(noted["blurred"], "Moments", "ten microseconds, as exactly as SPSS keeps them"),
        *cut_note(noted["blanks"], "Texts", "their last character that is no blank"),
    )
