"""How do cells of the data get into a CSV file that nobody is harmed by opening?"""

import polars as pl

# What `report.words.visible` makes visible, as a pattern: everything that steers a page.
_STEERING = r"[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]"
_NUMBER = r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"


def harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that neither steers a terminal nor runs as a formula in a spreadsheet."""
    return pl.DataFrame([_unformulated(column) for column in steerless(frame)])


def steerless(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that steers neither a terminal nor a page."""
    return frame.with_columns(
        pl.col(pl.String).str.replace_all(_STEERING, "\N{REPLACEMENT CHARACTER}")
    )


def _unformulated(column: pl.Series) -> pl.Series:
    if column.dtype != pl.String:
        return column
    text = column.alias("")
    return text.zip_with(~is_formula(text), "'" + text).alias(column.name)


def is_formula(text: pl.Series) -> pl.Series:
    """Which texts a spreadsheet may run: those that begin with =, +, - or @ and are no number."""
    text = text.alias("")  # some names polars takes for patterns of names
    found = text.str.contains(r"^[=+\-@]") & ~text.str.contains(_NUMBER)
    return found.fill_null(value=False)
