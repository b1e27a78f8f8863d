"""What do the codes of a column stand for, and which of them stand for missing values?"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import polars as pl

from unveil.io.numbers import TAG_OF, TAGS, level_text
from unveil.io.table import Table
from unveil.records.codebook import Code, Codebook, Format, Kind, Level, Variable

# What is known of columns about which no one declared anything?
#
# The kind of a column is that of its type, and the fixed categories of a polars Enum are its
# codes. The categories of a Categorical are no declaration: they are whatever occurred, and
# polars may share them among columns.


NOUNS: dict[Kind, str] = {
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "moment": "dates with times",
    "time": "times",
    "truth": "truth values",
    "unknown": "values of another type",
}
"""What a sentence says that a column holds."""

_KINDS: dict[type[pl.DataType], Kind] = {
    pl.String: "text",
    pl.Categorical: "text",
    pl.Enum: "text",
    pl.Boolean: "truth",
    pl.Date: "date",
    pl.Datetime: "moment",
    pl.Time: "time",
    pl.Duration: "time",
}
_FORMATS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".gz"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".rds": "r",
}


def kind_of(dtype: pl.DataType) -> Kind:
    """What a column of this type holds."""
    return "number" if dtype.is_numeric() else _KINDS.get(dtype.base_type(), "unknown")


def variable_of(column: pl.Series) -> Variable:
    """A column by its name and type alone."""
    return Variable(name=column.name, kind=kind_of(column.dtype), levels=_enum_levels(column.dtype))


def codebook_of(table: Table) -> Codebook:
    """What is declared about a table; where nothing is, its columns by their types."""
    return table.codebook or Codebook(
        source=table.source,
        format=_FORMATS.get(os.path.splitext(table.source)[1].lower(), "frame"),
        variables=tuple(map(variable_of, table.frame.get_columns())),
    )


def _enum_levels(dtype: pl.DataType) -> tuple[Level, ...]:
    if not isinstance(dtype, pl.Enum):
        return ()
    return tuple(Level(code=text, label=text) for text in dtype.categories.to_list())


Value = float | str
"""A code as a column holds it: a number, letters of missing values included, or text."""


@dataclass(frozen=True)
class Meaning:
    """What a level stands for, and the code it has in the file that says so."""

    label: str
    code: str

    @property
    def label_with_code(self) -> str:
        """The label as people read it, with the code beside it."""
        return self.label if self.label == self.code else f"{self.label} ({self.code})"


def meanings_of(labels: Sequence[Mapping[Value, str]]) -> dict[str, Meaning]:
    """What each code stands for, by the code as text: as the first side has it that says so."""
    meanings: dict[str, Meaning] = {}
    for known in labels:
        for code, label in known.items():
            text = level_text(code) or ""
            meanings.setdefault(text, Meaning(label, text))
    return meanings


def value_labels(name: str, side: pl.Series, table: Table) -> dict[Value, str]:
    """What the values of one side stand for; empty where no one said, or it holds no codes."""
    variable = table.variables.get(name)
    if variable is None or not (side.dtype.is_numeric() or side.dtype == pl.String):
        return {}
    value_of = find_code_number if side.dtype.is_numeric() else str
    coded = ((value_of(level.code), level.label) for level in variable.levels)
    return {code: label for code, label in coded if code is not None and label.strip()}


def special_codes(name: str, side: pl.Series, table: Table) -> tuple[float, ...]:
    """The numbers of a side that stand for missing values by its codebook, where they occur."""
    variable = table.variables.get(name)
    if variable is None or not side.dtype.is_numeric():
        return ()
    codes = [find_code_number(code) for code in variable.missing]
    value = pl.first()
    is_code = value.is_in([*(code for code in codes if code is not None), *TAGS.values()])
    for gap in variable.missing_ranges:
        above = pl.lit(value=True) if gap.lo is None else value >= gap.lo
        below = pl.lit(value=True) if gap.hi is None else value <= gap.hi
        is_code |= above & below
    entries = normalise_codes(side).alias("").unique().drop_nulls()
    return tuple(sorted(entries.to_frame().filter(is_code).to_series().to_list()))


def normalise_codes(side: pl.Series) -> pl.Series:
    """Values as codes hold them: numbers as decimals, text as it is."""
    return side.cast(pl.Float64) if side.dtype.is_numeric() else side


def has_letters(name: str, tables: Sequence[Table]) -> bool:
    """Whether some side says that it holds letters of missing values."""
    variables = (table.variables.get(name) for table in tables)
    return any(code in TAGS for variable in variables if variable for code in variable.missing)


def letters_as_numbers(text: pl.Series) -> pl.Series:
    """Text as numbers, ``.a`` as the one that stands for it; as it is where some is neither."""
    made = numbers_in(text)
    return made if made.null_count() == text.null_count() else text


def numbers_in(text: pl.Series) -> pl.Series:
    """Each text as a number, ``.a`` as the one that stands for it; null where it is neither."""
    trimmed = text.str.strip_chars()
    letters = trimmed.str.to_lowercase().replace_strict(
        TAGS, default=None, return_dtype=pl.Float64()
    )
    return letters.zip_with(letters.is_not_null(), trimmed.cast(pl.Float64, strict=False))


def texts_of(side: pl.Series) -> pl.Series:
    """Numbers and truth values as their levels are written, text as it is."""
    if side.dtype in (pl.String, pl.Boolean):
        return side.cast(pl.String)
    whole = side.cast(pl.Int64, strict=False)
    is_whole = (whole.cast(pl.Float64) == side.cast(pl.Float64)).fill_null(value=False)
    texts = whole.cast(pl.String).zip_with(is_whole, side.cast(pl.String))
    letters = normalise_codes(side).replace_strict(TAG_OF, default=None, return_dtype=pl.String())
    return letters.zip_with(letters.is_not_null(), texts)


def fold_label(label: str) -> str:
    """A label without what writing it down may change: blanks, capitals, how accents are coded."""
    return " ".join(normalize("NFC", label).split()).lower()


def fold_labels(labels: pl.Series) -> pl.Series:
    """Every label without what writing it down may change."""
    plain = labels.str.normalize("NFC").str.strip_chars()
    return plain.str.replace_all(r"\s+", " ").str.to_lowercase()


def find_code_number(code: Code) -> float | None:
    """The number that a column of numbers holds for a code; None where it is text astray."""
    if isinstance(code, str) and code in TAGS:
        return TAGS[code]
    try:
        return float(code)
    except (ValueError, OverflowError):
        return None
