"""A synthetic file as a text file, with its codebook beside it as `<stem>.codebook.json`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import polars as pl

from unveil.errors import list_names
from unveil.io.dictionary import OWN
from unveil.io.numbers import TAG_OF, letters_in
from unveil.io.outgoing import OutgoingTable
from unveil.io.stat_dates import clock_text
from unveil.io.write_checks import (
    as_integers,
    is_text,
    is_whole,
    value_faults,
    without_letters,
)
from unveil.io.write_labels import csv_names

# How do cells of the data get into a CSV file that no one is harmed by opening?


# What `report.words.visible` makes visible, as a pattern: everything that steers a page.
_STEERING = r"[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]"
_NUMBER = r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"


def guard_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that neither steers a terminal nor runs as a formula in a spreadsheet."""
    return pl.DataFrame([_guard_formulas(column) for column in replace_control_characters(frame)])


def replace_control_characters(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that steers neither a terminal nor a page."""
    return frame.with_columns(
        pl.col(pl.String).str.replace_all(_STEERING, "\N{REPLACEMENT CHARACTER}")
    )


def _guard_formulas(column: pl.Series) -> pl.Series:
    if column.dtype != pl.String:
        return column
    text = column.alias("")
    return text.zip_with(~is_formula(text), "'" + text).alias(column.name)


def is_formula(text: pl.Series) -> pl.Series:
    """Which texts a spreadsheet may run: those that begin with =, +, - or @ and are no number."""
    text = text.alias("")  # some names polars takes for patterns of names
    found = text.str.contains(r"^[=+\-@]") & ~text.str.contains(_NUMBER)
    return found.fill_null(value=False)


_MOMENT = "%Y-%m-%dT%H:%M:%S%.f"


def csv_faults(outgoing: OutgoingTable) -> list[str]:
    """Why the synthetic file cannot be a text file, a sentence each."""
    columns = outgoing.frame.get_columns()
    return [*csv_names(outgoing.frame.columns), *value_faults(columns, "CSV")]


def codebook_beside(path: Path) -> Path:
    """Where the codebook of a text file stands."""
    return path.with_name(OWN.format(stem=path.stem))


def write_csv(outgoing: OutgoingTable, path: Path, beside: Path, *, bom: bool) -> tuple[str, ...]:
    """Write the text and its codebook, and give what a text file does not say."""
    columns = outgoing.frame.get_columns()
    frame = pl.DataFrame({column.name: _format_column(column.alias("")) for column in columns})
    # A missing entry alone on its line would be a blank line, which readers pass over.
    quotes: Literal["always", "necessary"] = "always" if frame.width == 1 else "necessary"
    with path.open("rb+") as file:
        frame.write_csv(file, include_bom=bom, quote_style=quotes)
    beside.write_bytes(f"{outgoing.codebook.to_json()}\n".encode())
    return tuple(_csv_notes(outgoing))


def _format_column(column: pl.Series) -> pl.Series:
    """Whole numbers without a point, letters of missing values as letters, no NaN."""
    if column.dtype.is_float():
        return _format_numbers(column.fill_nan(None))
    if column.dtype.base_type() == pl.Datetime:
        zone = getattr(column.dtype, "time_zone", None)
        form = _MOMENT if zone is None else f"{_MOMENT}%:z"
        return column.cast(pl.Datetime("us", zone)).dt.strftime(form)
    if column.dtype in (pl.Time, pl.Duration):
        return clock_text(column)
    return column


def _format_numbers(column: pl.Series) -> pl.Series:
    letters = letters_in(column)
    numbers = without_letters(column)
    if is_whole(numbers):
        numbers = as_integers(numbers)
    if not letters:
        return numbers
    tags = column.replace_strict(
        list(TAG_OF), list(TAG_OF.values()), default=None, return_dtype=pl.String
    )
    return tags.fill_null(numbers.cast(pl.String))


def _csv_notes(outgoing: OutgoingTable) -> Iterator[str]:
    texts = [column for column in outgoing.frame.get_columns() if is_text(column)]
    counts = {column.name: is_formula(column.cast(pl.String)).sum() for column in texts}
    formulas = [f"{name!r} ({n:,})" for name, n in counts.items() if n]
    if formulas:
        yield (
            f"Texts of {list_names(formulas)} begin with =, +, - or @, which a spreadsheet may "
            "run as"
            " formulas. They are written as they are: import such columns as text."
        )
    lettered = [column.name for column in outgoing.frame.get_columns() if letters_in(column)]
    if lettered:
        yield (
            f"Missing values of {list_names(map(repr, lettered))} are written as letters, such "
            "as .a,"
            " among the numbers."
        )
