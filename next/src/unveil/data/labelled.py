"""Files of SPSS, Stata and SAS, with their labels and missing codes.

They are parsed in a process of their own (`apart`).
"""

import re
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from unveil.data.apart import read_apart, refusal
from unveil.data.codebook import Data, Variable
from unveil.data.columns import write_level
from unveil.errors import InputError, list_names

ELSEWHERE = {
    ".zsav": "save it as .sav (SAVE OUTFILE='file.sav')",
    ".por": "save it as .sav (GET FILE, then SAVE OUTFILE)",
    ".sas7bcat": "give the data, and the labels as a codebook of column, code and label",
    ".rds": "write it with arrow::write_parquet, or haven::write_sav with labels",
    ".rdata": "write the frame with arrow::write_parquet, or haven::write_sav with labels",
    ".dat": "export it as CSV; of REDCap, the raw data, with a codebook of column, code and label",
}
"""What to do with files that are not read here, by their ending."""

PROGRAMS = {".sav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS"}
STARTS = {
    ".sav": rb"\$FL[23]",
    ".dta": rb"<stata_dta>|[h-s][\x01\x02]",
    ".sas7bdat": rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c",
    ".xpt": rb"HEADER RECORD\*{7}LIB(RARY|V8)",
}
TABLE = b"HEADER RECORD*******MEMB"  # where one begins in a transport file
MOST = sys.float_info.max  # in the place of infinite ends, which JSON does not have
RECORD = 80  # bytes; a transport file consists of whole ones


def read_labelled(path: Path) -> Data:
    """The records and the codebook of a file of SPSS, Stata or SAS."""
    _check(path)
    return read_apart(__name__, path)


def _check(path: Path) -> None:
    """Refuse a file that does not begin as its ending says."""
    ending, size = path.suffix.lower(), path.stat().st_size
    with path.open("rb") as file:
        start = file.read(64)
    if not start:
        raise InputError(f"{str(path)!r} is empty. Ask for it again.")
    if b"ENCRYPTED" in start[:32]:
        raise InputError(f"{str(path)!r} is locked with a password. Save it without one.")
    if not re.match(STARTS[ending], start):
        raise refusal(path, f"is no file of {PROGRAMS[ending]}, whatever its ending says")
    if ending == ".xpt" and size % RECORD:
        raise refusal(path, "is damaged: it cannot be read")


def parse(path: Path) -> Data:
    """In the child."""
    import pyreadstat

    ending, notes = path.suffix.lower(), []
    if ending == ".xpt":  # the public call has no `user_missing`, and would lose SAS's letters
        from pyreadstat._readstat_parser import parser_entry_point

        reader = partial(parser_entry_point, parser_format="xport")
    else:
        reader = getattr(pyreadstat, f"read_{ending[1:]}")
    read = partial(
        reader,
        str(path),
        user_missing=True,
        disable_datetime_conversion=True,
        output_format="polars",
    )
    try:
        frame, facts = read()
    except (UnicodeDecodeError, pyreadstat.ReadstatError):
        frame, facts = read(encoding="WINDOWS-1252")
        notes.append("It is not in the encoding that it declares, and was read as Windows-1252.")
    columns = [_column(column, facts, PROGRAMS[ending]) for column in frame]
    if n := sum(bool(variable.missing) for _, variable in columns):
        have = "1 column has" if n == 1 else f"{n:,} columns have"
        notes.append(f"{have} codes that stand for a missing answer; each is a level of its own.")
    if names := [name for name in frame.columns if name in facts.missing_user_values]:
        notes.append(
            f"Letters (.a to .z) stand for missing answers in {list_names(names)}: these columns"
            " are text. Name the letters as missing to compare numbers."
        )
    if ending == ".xpt" and (n := path.read_bytes().count(TABLE)) > 1:
        notes.append(f"It has {n:,} tables, of which the first was read.")
    codebook = {values.name: variable for values, variable in columns}
    return Data(pl.DataFrame([values for values, _ in columns]), codebook, tuple(notes))


def _column(column: pl.Series, facts: Any, program: str) -> tuple[pl.Series, Variable]:
    """The values as text, whole numbers, decimals, dates or times; as text where letters occur."""
    name = column.name
    form, storage = facts.original_variable_types[name] or "", facts.readstat_variable_types[name]
    is_text, kind = storage == "string", moment_of(form, program)
    labels = facts.variable_value_labels.get(name, {})
    letters = facts.missing_user_values.get(name, [])

    def numbers(values: pl.Series) -> pl.Series:
        values = values.cast(pl.Float64).fill_nan(None)
        if kind and (moments := _moments(values, kind, program)) is not None:
            return moments
        whole = values.cast(pl.Int64, strict=False)
        if whole.null_count() == values.null_count() and (whole == values).all():
            return whole
        return values.cast(pl.Float32) if storage == "float" else values

    def texts(codes: Iterable[Any]) -> list[Any]:
        """Codes as levels are written; letters as Stata writes them."""
        codes = list(codes)
        if is_text:
            return codes
        known = [None if isinstance(code, str) else code for code in codes]
        return [
            f".{code.lower()}" if isinstance(code, str) else write_level(number)
            for code, number in zip(codes, numbers(pl.Series(known, dtype=pl.Float64)), strict=True)
        ]

    def end(code: Any) -> Any:
        is_plain = not is_text and not kind
        return max(-MOST, min(code, MOST)) if is_plain else texts([code])[0]

    if is_text:
        column = column.cast(pl.String).replace("", None)
    else:
        column = pl.Series(name, texts(column), pl.String) if letters else numbers(column)
        letters = texts(sorted({*letters, *(code for code in labels if isinstance(code, str))}))
    ranges = [(end(ends["lo"]), end(ends["hi"])) for ends in facts.missing_ranges.get(name, ())]
    return column, Variable(
        label=facts.column_names_to_labels[name] or "",
        labels=dict(zip(texts(labels), labels.values(), strict=True)),
        missing=(*ranges, *zip(letters, letters, strict=True)),
        format=form,
        measure=facts.variable_measure[name].replace("unknown", ""),
    )


SAS_DATES = (
    "DATE|DAY|(DDMMYY|MMDDYY|YYMMDD|YYMM|MMYY|YYQR?)[BCDNPS]?|MONYY|YYMON|MONNAME|MONTH|QTRR?|YEAR"
    "|WEEKDATE|WEEKDATX|WEEKDAY|DOWNAME|WORDDATE|WORDDATX|JULDAY|JULIAN|(E|B|IS)8601DA"
)
MOMENTS = {
    "SPSS": {
        "time": r"[DM]?TIME",
        "moment": r"DATETIME|YMDHMS",
        "date": r"[AEJS]?DATE|QYR|MOYR|WKYR",
    },
    "Stata": {
        "time": r"%-?t[cC]\+?[Hh][^CYNDJW]*",
        "moment": r"%-?t[cC].*",
        "date": r"%-?t?d.*",
    },
    "SAS": {
        "time": r"TIME|TIMEAMPM|HHMM|HOUR|MMSS|TOD|(E|B|IS)8601(TM|LZ)",
        "moment": r"DATETIME|(DATE|MDY)AMPM|DT[A-Z]+|(E|B|IS)8601D[TNZ]",
        "date": SAS_DATES,
    },
}
"""Formats of numbers that are times of day, days with a time, or days."""


def moment_of(form: str, program: str) -> str:
    """What numbers of this format are: a time, a moment or a date; empty for plain numbers."""
    kinds = MOMENTS[program].items()
    return next((kind for kind, names in kinds if re.fullmatch(rf"({names})[\d.]*", form)), "")


SECOND, DAY = 1_000_000, 86_400_000_000  # in microseconds
STARTS_AT = {"SPSS": -141_428, "Stata": -3_653, "SAS": -3_653}  # in days: 1582-10-14, 1960-01-01
CALENDAR = -719_162, 2_932_897  # in days: the years 1 to 9999
GRAIN = 10  # microseconds; SPSS's seconds since 1582 tell no finer ones apart


def _moments(numbers: pl.Series, kind: str, program: str) -> pl.Series | None:
    """Numbers as what their format says; None where one is beyond the calendar."""
    unit = SECOND // 1_000 if program == "Stata" else SECOND
    if kind == "date" and program != "SPSS":
        unit = DAY
    start = 0 if kind == "time" else STARTS_AT[program]
    if not (numbers * unit / DAY + start).is_between(*CALENDAR, closed="left").all():
        return None
    whole = numbers.floor().cast(pl.Int64)
    parts = ((numbers - whole) * unit / GRAIN).round().cast(pl.Int64) * GRAIN
    micros = whole * unit + parts + start * DAY
    if kind == "time":
        is_of_day = micros.is_between(0, DAY - 1).all()
        return (micros * 1_000).cast(pl.Time) if is_of_day else micros.cast(pl.Duration("us"))
    is_day = kind == "date" and (micros % DAY == 0).all()
    return micros.cast(pl.Datetime("us")).cast(pl.Date if is_day else pl.Datetime("us"))
