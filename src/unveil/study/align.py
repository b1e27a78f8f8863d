"""Can the original and the copies be compared, column by column, value by value?

Every column gets one type over all sides: numbers are compared as numbers ("1" = 1 = 1.0), text as
text, truth values, dates and times as what they are; NaN, empty text and null are one missing
level, equal to itself. What had to be changed is reported. What cannot be compared is refused,
because nothing would match and the risk would look like zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from unveil.errors import AlignError
from unveil.io.code_meanings import has_letters
from unveil.io.numbers import separate_letters, unify_number_types
from unveil.io.table import Table, mid_sentence
from unveil.io.text_types import (
    CASTS,
    DATE,
    MOMENT,
    NOTHING,
    NUMBER,
    SPAN,
    TEXT,
    TIME,
    TRUTH,
    has_empty,
    unify_time_units,
)
from unveil.records.disclosure import Coercion
from unveil.study.match_codes import MatchedColumn, codes_of_no_answer, match_column


@dataclass(frozen=True, eq=False)
class AlignedColumn:
    """One column in one type over all files, the original first; and what was done to it.

    `matched` says by what labelled codes were compared, `special_codes` which of the numbers stand
    for no answer, by what the files declare. Notes are of the side that each names.
    """

    name: str
    sides: tuple[pl.Series, ...]
    matched: MatchedColumn
    special_codes: tuple[float, ...]
    notes: tuple[Coercion, ...]

    def select(self, places: Sequence[int]) -> "AlignedColumn":
        """The column of some of the files."""
        return replace(
            self,
            sides=tuple(self.sides[place] for place in places),
            matched=self.matched.select(places),
        )


def align_column(name: str, tables: Sequence[Table]) -> AlignedColumn:
    """Give a column one type over all tables, or refuse it."""
    sides = [with_one_missing(table.frame[name]) for table in tables]
    matched = match_column(name, sides, tables)
    codes = codes_of_no_answer(name, sides, matched, tables)
    made, notes = _align_sides(name, matched.sides, tables)
    return AlignedColumn(name, made, replace(matched, sides=[]), codes, tuple(notes))


def align_beside(
    known: AlignedColumn, held: Sequence[Table], added: Sequence[Table]
) -> AlignedColumn | None:
    """A column with further files beside those it is known of, which stay as they are.

    None where the new ones could change what is known: another type, labelled codes, decimals
    beside whole numbers. All are aligned anew then.
    """
    name, dtype = known.name, known.sides[0].dtype
    is_plain = dtype in (pl.String, pl.Int64, pl.Float64, pl.Date) and not known.matched.ways
    stored = {table.frame.schema[name] for table in (*held, *added)}
    if not is_plain or len(stored) > 1 or any(name in table.variables for table in (*held, *added)):
        return None
    sides = [with_one_missing(table.frame[name]) for table in added]
    made, notes = _align_sides(name, sides, added)
    if made[0].dtype == pl.Int64 and dtype == pl.Float64:  # whole decimals, as it happens
        made = tuple(side.cast(pl.Float64) for side in made)
    if made[0].dtype != dtype:
        return None
    return replace(known, sides=(*known.sides, *made), notes=(*known.notes, *notes))


def _align_sides(
    name: str, sides: Sequence[pl.Series], tables: Sequence[Table]
) -> tuple[tuple[pl.Series, ...], list[Coercion]]:
    families = [_family(name, side, table) for side, table in zip(sides, tables, strict=True)]
    common = _common_family(name, families, tables)
    notes = [
        note
        for table, side, family in zip(tables, sides, families, strict=True)
        for note in _notes(name, table, side, family, common)
    ]
    known = [i for i, family in enumerate(families) if family != NOTHING]
    cast = []
    for i in known:
        cast.append(sides[i] if families[i] == common else CASTS[families[i], common](sides[i]))
        n_failed = tables[i].count_missing(cast[-1]) - tables[i].count_missing(sides[i])
        if n_failed:
            raise AlignError(
                _half_text(name, n_failed, i, families, tables),
                {name: _type_of([sides[j] for j in known if families[j] != TEXT])},
            )
    cast, more_notes = _one_type(name, cast, common, [tables[i] for i in known])
    return _with_the_empty(dict(zip(known, cast, strict=True)), sides), notes + more_notes


def _one_type(
    name: str, sides: list[pl.Series], family: str, tables: Sequence[Table]
) -> tuple[list[pl.Series], list[Coercion]]:
    """Sides of one family in one type: the same width, unit and precision."""
    if family == NUMBER:
        typed = separate_letters if has_letters(name, tables) else unify_number_types
        return typed(name, sides, tables)
    if family in (MOMENT, SPAN):
        return unify_time_units(name, sides, tables), []
    return sides, []


def _with_the_empty(
    known: dict[int, pl.Series], sides: Sequence[pl.Series]
) -> tuple[pl.Series, ...]:
    """All sides again: those with nothing but missing values in the type of the others."""
    dtype = next(iter(known.values())).dtype if known else pl.String()
    return tuple(
        known[i] if i in known else pl.Series([None] * len(side), dtype=dtype)
        for i, side in enumerate(sides)
    )


def with_one_missing(column: pl.Series) -> pl.Series:
    """A column with NaN and empty text turned to null, categories to their text.

    It leaves its name behind, for polars takes some names for patterns of names.
    """
    column = column.alias("")
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.cast(pl.String)
    if column.dtype.is_float():
        return column.fill_nan(None)
    if column.dtype == pl.String and has_empty(column):
        return column.to_frame().select(pl.when(pl.first() != "").then(pl.first())).to_series()
    return column


def _family(name: str, column: pl.Series, table: Table) -> str:
    if column.null_count() == len(column):
        return NOTHING
    dtype = column.dtype
    if dtype.is_numeric():
        return NUMBER
    known: dict[type[pl.DataType], str] = {
        pl.Boolean: TRUTH,
        pl.String: TEXT,
        pl.Date: DATE,
        pl.Datetime: MOMENT,
        pl.Time: TIME,
        pl.Duration: SPAN,
    }
    family = known.get(dtype.base_type())
    if family is None:
        raise AlignError(
            f"Column {name!r} of {mid_sentence(table.place)} holds {_kind_of(dtype)}, not"
            " single values. Drop it, or split it into columns of numbers, text or dates."
        )
    return family


def _kind_of(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Struct):
        return "records"
    if isinstance(dtype, pl.List | pl.Array):
        return "lists"
    return "binary data" if dtype == pl.Binary else "Python objects"


def _common_family(name: str, families: Sequence[str], tables: Sequence[Table]) -> str:
    """What all sides can be compared as: the typed family among them, or text."""
    typed = set(families) - {TEXT, NOTHING}
    if typed == {NUMBER, TRUTH}:
        return NUMBER
    if typed == {DATE, MOMENT}:
        return MOMENT
    if len(typed) > 1:
        raise AlignError(_differs(name, families, tables), {name: "text"})
    return next(iter(typed), TEXT)


def _differs(name: str, families: Sequence[str], tables: Sequence[Table]) -> str:
    places = zip(families, tables, strict=True)
    return (
        f"Column {name!r} differs: "
        + ", ".join(f"{family} in {mid_sentence(table.place)}" for family, table in places)
        + ". Matching would find nothing and the risk would look like zero. Give the column the"
        " same coding in every file."
    )


def _half_text(
    name: str, n_failed: int, place: int, families: Sequence[str], tables: Sequence[Table]
) -> str:
    """The sentence for a column of text that is not all of what it is compared with."""
    typed = next(i for i, family in enumerate(families) if family not in (TEXT, NOTHING))
    n_entries = tables[place].n_records
    return (
        f"Column {name!r} holds {families[typed]} in {mid_sentence(tables[typed].place)} but text"
        f" in {mid_sentence(tables[place].place)}, where {n_failed:,} of {n_entries:,} entries are"
        f" not {families[typed]}. Matching would find nothing and the risk would look like zero."
        " Give the column the same coding in every file; where a text such as NA stands for"
        " missing, say so with missing_values (--missing on the command line)."
    )


def _type_of(sides: Sequence[pl.Series]) -> str:
    """What `[data.types]` calls what these sides hold."""
    if all(side.dtype.is_integer() for side in sides):
        return "integer"
    if all(side.dtype.is_numeric() for side in sides):
        return "number"
    return "date" if all(side.dtype == pl.Date for side in sides) else "text"


def _notes(name: str, table: Table, side: pl.Series, family: str, common: str) -> list[Coercion]:
    notes = []
    n_emptied = table.count_missing(side) - table.count_missing(table.frame[name])
    if n_emptied:
        what = "empty" if side.dtype == pl.String else "NaN"
        entries = "entry is" if n_emptied == 1 else "entries are"
        sentence = f"Column {name!r}: {n_emptied:,} {what} {entries} taken as missing."
        notes.append((sentence, "missing"))
    if family not in (NOTHING, common):
        notes.append((f"Column {name!r}: {family} compared as {common}, by value.", "type"))
    return [
        Coercion(side=table.side, column=name, kind=kind, sentence=sentence)
        for sentence, kind in notes
    ]
