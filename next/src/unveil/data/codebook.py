"""What a file says of its columns: labels of columns and of codes, missing codes, formats.

One form on disk, a CSV with the columns ``column``, ``code`` and ``label``; a row without a code
has the label of the column, and ``missing`` may say that a code, or each code ``from -99 to -1``,
stands for a missing answer.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import polars as pl

from unveil.errors import InputError


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
    if not {*COLUMNS} <= {*table.columns}:
        raise InputError(
            "The codebook lacks a column: it has 'column', 'code' and 'label', and a row for each"
            " code. Write a data dictionary, as of REDCap, in this form."
        )
    texts = table.select(pl.col(COLUMNS).cast(pl.String).fill_null("").str.strip_chars())
    is_missing = [False] * len(table)
    if "missing" in table.columns:
        marks = table["missing"].cast(pl.String).fill_null("").str.to_lowercase().to_list()
        if odd := set(marks) - YES - NO:
            raise InputError(
                f"The codebook has {len(odd):,} entries for 'missing' that say neither yes nor no."
                " Write yes where a code stands for a missing answer, and nothing elsewhere."
            )
        is_missing = [mark in YES for mark in marks]
    codebook: dict[str, Variable] = {}
    for (name, code, label), stands_for_missing in zip(texts.rows(), is_missing, strict=True):
        variable = codebook.setdefault(name, Variable())
        if re.fullmatch(r"-?\d+\.0", code):  # of a table with decimals
            code = code[:-2]
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
YES = {"1", "1.0", "true", "yes", "y", "x", "ja", "j", "oui", "o", "si", "sí"}
NO = {"", "0", "0.0", "false", "no", "n", "nein", "non"}


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
    texts = {file: values for file, values in parts.items() if values.dtype == pl.String}
    if not labels or not texts:
        return parts
    codes_of = {file: _codes_of(values, labels) for file, values in texts.items()}
    if None not in codes_of.values():
        coded = {file: texts[file].replace(codes or {}) for file, codes in codes_of.items()}
        if len(texts) == len(parts) or all(map(_holds_numbers, coded.values())):
            return {**parts, **coded}
    return {file: _in_labels(values, labels) for file, values in parts.items()}


def _codes_of(texts: pl.Series, labels: Mapping[str, str]) -> dict[str, str] | None:
    """What to replace in one file; nothing in one of codes, None where a label has two codes.

    A text that is a code here and a label there, such as 1, is what all others of its file are.
    """
    known = set(texts.unique().drop_nulls()) - {""}
    if known <= labels.keys():
        return {}
    code_of = {label: code for code, label in labels.items()}
    if len(code_of) < len(labels) and any(
        n > 1 and label in known for label, n in Counter(labels.values()).items()
    ):
        return None
    is_label = known <= code_of.keys()
    return {text: code for text, code in code_of.items() if is_label or text not in labels}


def _in_labels(values: pl.Series, labels: Mapping[str, str]) -> pl.Series:
    """Codes as their labels."""
    if values.dtype != pl.String:
        return _whole(values).cast(pl.String).replace(labels)
    known = set(values.unique().drop_nulls()) - {""}
    is_label = known <= set(labels.values()) and not known <= labels.keys()
    return values if is_label else values.replace(labels)


def _holds_numbers(texts: pl.Series) -> bool:
    known = texts.drop_nulls().unique()
    known = known.filter(known != "")
    return known.cast(pl.Float64, strict=False).null_count() == 0


def _whole(numbers: pl.Series) -> pl.Series:
    """As whole numbers, where they are: 1, not 1.0."""
    is_whole = numbers.dtype.is_float() and bool((numbers.drop_nulls() % 1 == 0).all())
    return numbers.cast(pl.Int64) if is_whole else numbers
