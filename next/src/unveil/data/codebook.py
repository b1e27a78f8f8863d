"""What a file says of its columns: labels of columns and of codes, missing codes, formats.

One form on disk, a CSV with the columns ``column``, ``code`` and ``label``; a row without a code
has the label of the column, and ``missing`` may say that a code, or each code ``from -99 to -1``,
stands for a missing answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import polars as pl

from unveil.errors import InputError, check_name


class Variable(msgspec.Struct, frozen=True):
    """One column of a file, as the file itself describes it."""

    label: str = ""
    labels: dict[str, str] = {}  # what a code means; codes as levels are written: 1, -8, X
    missing: tuple[tuple[float | str, float | str], ...] = ()  # ranges of codes: (9, 9), (-9, -1)
    format: str = ""  # of SPSS, Stata or SAS: F8.2, %9.0g, DATE9.
    measure: str = ""  # nominal, ordinal, scale

    def beside(self, other: "Variable") -> "Variable":
        """The same, with what another file says besides."""
        return Variable(
            label=self.label or other.label,
            labels=other.labels | self.labels,
            missing=tuple(dict.fromkeys((*self.missing, *other.missing))),
            format=self.format or other.format,
            measure=self.measure or other.measure,
        )

    def is_missing(self, number: float) -> bool:
        """Whether a number is a code for a missing answer."""
        return any(
            not isinstance(low, str) and not isinstance(high, str) and low <= number <= high
            for low, high in self.missing
        )


Codebook = Mapping[str, Variable]


@dataclass(frozen=True, eq=False)
class Data:
    """A file's records with its codebook; `notes` say how it was read."""

    frame: pl.DataFrame
    codebook: Codebook = field(default_factory=dict)
    notes: tuple[str, ...] = ()


COLUMNS = ("column", "code", "label")
CODEBOOK = "codebook"  # where a Parquet file has it, and how the name of a table of it ends


def read_codebook(table: pl.DataFrame) -> dict[str, Variable]:
    """A codebook from its table."""
    for name in COLUMNS:
        check_name(name, table.columns, "The codebook has no column")
    texts = table.select(pl.col(COLUMNS).cast(pl.String).fill_null("").str.strip_chars())
    is_missing = [False] * len(table)
    if "missing" in table.columns:
        is_missing = table["missing"].cast(pl.String).fill_null("").is_in(YES).to_list()
    codebook: dict[str, Variable] = {}
    for (name, code, label), stands_for_missing in zip(texts.rows(), is_missing, strict=True):
        variable = codebook.setdefault(name, Variable())
        if not code:
            codebook[name] = msgspec.structs.replace(variable, label=label)
            continue
        if code in variable.labels:
            raise InputError(f"The codebook has the code {code!r} of {name!r} twice.")
        about: dict[str, Any] = {}
        both = RANGE.fullmatch(code)
        ends = both.groups() if both else (code, code)
        if label or not stands_for_missing:
            about["labels"] = variable.labels | {code: label}
        if stands_for_missing:
            low, high = (float(end) if _is_number(end) else end for end in ends)
            about["missing"] = (*variable.missing, (low, high))
        codebook[name] = msgspec.structs.replace(variable, **about)
    return codebook


RANGE = re.compile("from (.+) to (.+)")
YES = ("1", "true", "yes", "x", "TRUE", "True", "Yes", "X")


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text))


def codebook_table(codebook: Codebook) -> pl.DataFrame:
    """The table of a codebook."""
    rows = []
    for name, variable in codebook.items():
        rows.append((name, "", variable.label, ""))
        ranges = {_write_range(*ends): "yes" for ends in variable.missing}
        for code in {**variable.labels, **ranges}:
            rows.append((name, code, variable.labels.get(code, ""), ranges.get(code, "")))
    return pl.DataFrame(rows, (*COLUMNS, "missing"), orient="row")


def _write_range(low: float | str, high: float | str) -> str:
    """A code, or those from one to another."""
    ends = [
        end if isinstance(end, str) else repr(float(end)).removesuffix(".0") for end in (low, high)
    ]
    return ends[0] if low == high else f"from {ends[0]} to {ends[1]}"


def code_alike(
    parts: Mapping[str, pl.Series], labels: Mapping[str, str]
) -> Mapping[str, pl.Series]:
    """One column of several files in codes where all have them, else in labels.

    Where a file has numbers, another has to have numbers, or their labels, and nothing else.
    """
    has_texts = [values.dtype == pl.String for values in parts.values()]
    if not labels or not any(has_texts):
        return parts
    code_of = {label: code for code, label in labels.items()}
    coded = {
        file: values.replace(code_of) if values.dtype == pl.String else values
        for file, values in parts.items()
    }
    texts = [values for values in coded.values() if values.dtype == pl.String]
    if all(has_texts) or all(_holds_numbers(values) for values in texts):
        return coded
    return {
        file: values.replace(labels)
        if values.dtype == pl.String
        else _whole(values).cast(pl.String).replace(labels)
        for file, values in coded.items()
    }


def _holds_numbers(texts: pl.Series) -> bool:
    known = texts.drop_nulls().unique()
    known = known.filter(known != "")
    return known.cast(pl.Float64, strict=False).null_count() == 0


def _whole(numbers: pl.Series) -> pl.Series:
    """As whole numbers, where they are: 1, not 1.0."""
    is_whole = numbers.dtype.is_float() and bool((numbers.drop_nulls() % 1 == 0).all())
    return numbers.cast(pl.Int64) if is_whole else numbers
