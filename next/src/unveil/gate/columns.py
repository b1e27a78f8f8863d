"""The columns of all files, coded alike: equal values have one code, however they are written.

Numbers are equal to ten digits, dates in whatever form; a text that nobody in the original has is
the one that a reader would take it for. That they are written otherwise is told apart (`coding`).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from unveil.counts.cells import Floats, Ints
from unveil.data.columns import encode, kind_of, plain, with_one_missing
from unveil.errors import InputError
from unveil.study import ORIGINAL, Study

DATES = (
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%d %b %Y",
    "%d %B %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
)  # fmt: skip
AMOUNT = r"^\s*[+-]?\s*(\p{Sc}|[A-Za-z]{1,4}\s)?\s*\d[\d.,'\s]*\D*$"  # 70 kg, $ 5, but not C-70
NEARLY_ALL = 0.99  # of the texts of a file that are numbers, or dates of one form
DIGITS = 10
GAPS = 1.05  # the range of numbers of records, to the records
MISSING = 0  # its code
LEFT_OUT = ("person", "ignore")  # roles that are not compared


class Reading(NamedTuple):
    """What the texts of a file are, and in which form."""

    kind: Literal["number", "date", "text"]
    form: str
    numbers: Floats  # NaN where there is none


@dataclass(frozen=True, eq=False)
class Compared:
    """One column: for each file the code of each record; 0 is missing."""

    name: str
    readings: tuple[Reading, ...]  # of the levels, by file
    codes: tuple[Ints, ...]
    numbers: Floats | None  # of each code; NaN is missing
    respelt: tuple[int, ...]  # records of each file whose value is the original's in another form

    @property
    def n_levels(self) -> int:
        return max(int(codes.max(initial=0)) for codes in self.codes) + 1

    @cached_property
    def is_numbering(self) -> bool:
        """Whole numbers without gaps, or texts, of which each record has its own."""
        codes = self.codes[ORIGINAL]
        codes = np.unique(codes[codes != MISSING])
        if len(codes) < NEARLY_ALL * len(self.codes[ORIGINAL]):
            return False
        if self.numbers is None:
            return True
        values = self.numbers[codes]
        is_whole = self.readings[ORIGINAL].kind == "number" and (values == np.round(values)).all()
        return bool(is_whole and np.ptp(values) < GAPS * len(self.codes[ORIGINAL]))

    def counts(self, file: int) -> Ints:
        """Records by code."""
        return np.bincount(self.codes[file], minlength=self.n_levels)

    def values(self, file: int) -> Floats:
        """The numbers of a file, without missing ones."""
        assert self.numbers is not None
        values = self.numbers[self.codes[file]]
        return values[np.isfinite(values)]


def compared_columns(study: Study) -> list[Compared]:
    """All columns that every file has, without whose record it is and what is to be ignored."""
    roles = {name: column.role for name, column in study.columns.items()}
    return [
        study.once(compare_column, name)
        for name in sorted(study.original.columns)
        if roles.get(name) not in LEFT_OUT and all(name in f.frame.columns for f in study.files)
    ]


def compare_column(study: Study, name: str) -> Compared:
    """As the study reads it, or as text where its files differ too much for that."""
    column = None
    with suppress(InputError):
        column = study.unbanded(name)
    if column is None:
        parts = [with_one_missing(plain(f.frame[name]), study.missing) for f in study.files]
        for part in parts:
            kind_of(part)  # refuses what nothing compares
        texts = pl.concat([part.cast(pl.String, strict=False) for part in parts])
        column = encode(name, texts, study.rows, missing=study.missing)
    counts, files = column.counts, [column.codes[rows] for rows in study.rows]
    if column.kind in ("number", "date", "truth value", "time"):
        kind: Literal["number", "date"] = "date" if column.kind == "date" else "number"
        numbers = column.levels.to_physical().cast(pl.Float64).to_numpy()
        if column.levels.dtype == pl.Datetime:
            numbers = column.levels.dt.epoch("s").cast(pl.Float64).to_numpy() / 86_400
        readings = [Reading(kind, "", numbers)] * len(files)
    else:
        texts = column.levels.cast(pl.String).str.strip_chars()
        readings = [read_texts(texts, of_file > 0) for of_file in counts]
    if len({reading.kind for reading in readings}) == 1 and readings[0].kind != "text":
        amounts = [_significant(r.numbers[codes]) for r, codes in zip(readings, files, strict=True)]
        values = np.unique(np.concatenate(amounts))
        values = values[np.isfinite(values)]
        codes = tuple(_place(values, amount) for amount in amounts)
        respelt = _respelt(codes, files)
        return Compared(name, tuple(readings), codes, np.append(np.nan, values), respelt)
    known = column.levels.is_not_null().to_numpy()
    code = np.where(known, np.cumsum(known), MISSING)
    same = _spelt_alike(texts, counts[ORIGINAL])
    codes = tuple(code[same][written] for written in files)
    return Compared(name, tuple(readings), codes, None, _respelt(codes, files))


def _respelt(read: Sequence[Ints], written: Sequence[Ints]) -> tuple[int, ...]:
    """Of each file the records with a value that the original has, but not as it is written."""
    return tuple(
        int((np.isin(codes, read[ORIGINAL]) & ~np.isin(texts, written[ORIGINAL])).sum())
        for codes, texts in zip(read, written, strict=True)
    )


def _place(values: Floats, amounts: Floats) -> Ints:
    return np.where(np.isfinite(amounts), 1 + np.searchsorted(values, amounts), MISSING)


def read_texts(texts: pl.Series, occurs: Ints) -> Reading:
    """Numbers or dates, where nearly all texts of a file are of one form."""
    shown = texts.set(pl.Series(~occurs), None)
    n = len(shown) - shown.null_count()
    number = shown.cast(pl.Float64, strict=False)
    readings: list[tuple[Literal["number", "date"], str, pl.Series]] = [("number", "", number)]
    if n and number.is_not_null().sum() < NEARLY_ALL * n:
        for form in DATES:
            days = shown.str.to_date(form, strict=False).to_physical().cast(pl.Float64)
            readings.append(("date", form, days))
        unit = shown.str.replace_all(r"[\s\d.,'+-]", "").drop_nulls()
        if unit.n_unique() == 1 and shown.str.contains(AMOUNT).all():
            digits = shown.str.replace_all(r"[^\d.,+-]", "")
            dot, comma = (digits.str.replace_all(mark, "", literal=True) for mark in ",.")
            comma = comma.str.replace(",", ".", literal=True)
            for form, text in ("with a decimal comma", comma), ("with a unit", dot):
                readings.append(("number", form, text.cast(pl.Float64, strict=False)))
    kind, form, best = max(readings, key=lambda reading: reading[2].is_not_null().sum())
    if not n or best.is_not_null().sum() < NEARLY_ALL * n:
        return Reading("text", "", np.full(len(texts), np.nan))
    return Reading(kind, form, best.to_numpy())


def _significant(values: Floats) -> Floats:
    """Rounded to ten digits: the dust of floats is no difference."""
    with np.errstate(divide="ignore", invalid="ignore"):
        step = 10.0 ** (np.floor(np.log10(np.abs(values))) - DIGITS + 1)
        return np.where(
            (values == 0) | ~np.isfinite(values), values, np.round(values / step) * step
        )


def _spelt_alike(levels: pl.Series, counts: Ints) -> Ints:
    """Of each level itself or, where nobody has it, the original's that it looks like."""
    folded, same = fold(levels), np.arange(len(levels))
    first = {text: place for place, text in enumerate(folded) if text and counts[place]}
    for place, text in enumerate(folded):
        if not counts[place] and text in first:
            same[place] = first[text]
    return same


def fold(texts: pl.Series) -> pl.Series:
    """Spelling without accents, capitals, blanks, punctuation and invisible letters."""
    letters = texts.str.normalize("NFKD").str.replace_all(r"[\p{M}\p{Cf}]", "").str.to_lowercase()
    return letters.str.replace_all(r"[\s\p{P}_]+", " ").str.strip_chars()


def codes_of(columns: Sequence[Compared], file: int) -> list[Ints]:
    return [column.codes[file] for column in columns]
