"""Numbers that a text file holds as text, because letters of missing values stand among them.

A codebook says that a column holds numbers, and the file has 1.5, .a and 2.25 in it: in a text file
that is text. Synthesis needs the numbers, and each letter as the number that stands for it; writers
turn them back.
"""

from dataclasses import replace

import polars as pl

from unveil.read.table import Table
from unveil.read.tags import TAGS


def with_letters(table: Table) -> Table:
    """The table, with text as numbers where all of it is numbers and letters, and so declared."""
    book = table.codebook
    declared = [] if book is None else [v.name for v in book.variables if v.kind == "number"]
    schema = table.frame.schema
    made = [
        numbers
        for name in declared
        if schema.get(name) == pl.String and (numbers := _numbers(table.frame[name])) is not None
    ]
    return replace(table, frame=table.frame.with_columns(made)) if made else table


def _numbers(text: pl.Series) -> pl.Series | None:
    """The numbers; None where some text is neither a number nor a letter, or no letter occurs."""
    name, text = text.name, text.alias("")
    letters = text.replace_strict(
        list(TAGS), list(TAGS.values()), default=None, return_dtype=pl.Float64
    )
    if letters.null_count() == len(letters):
        return None
    plain = text.cast(pl.Float64, strict=False)
    made = letters.fill_null(plain.set((~plain.is_finite()).fill_null(value=False), None))
    return made.alias(name) if made.null_count() == text.null_count() else None
