"""Bands in the place of numbers, and what is declared of a column in bands."""

import math

import msgspec
import numpy as np
import polars as pl

from unveil.errors import SettingsError
from unveil.protection.recoding.apart import occurring
from unveil.protection.recoding.change import Change, Column, records, refuse_names, were
from unveil.protection.recoding.held import Floats, are_whole, floats_of
from unveil.protection.recoding.numbers import NO_NUMBERS, refuse_other_than_numbers
from unveil.read.align import Aligned
from unveil.read.band_labels import can_be_written_out, code_text, counted, names_open
from unveil.read.banding import parse_bands
from unveil.read.bands import band
from unveil.read.meanings import number_held
from unveil.records.bands import Banded
from unveil.records.codebook import Level, Variable
from unveil.records.recoding import Band, Number


def banded(step: Band, column: Column) -> Change:
    """Bands in the place of numbers, found over the data and its copy as in every measure."""
    refuse_other_than_numbers(column)
    refuse_names(column)
    name = column.name
    settings = {
        "style": step.style,
        "n": step.n,
        "breaks": step.breaks or None,
        "labels": step.labels or None,
    }
    asked = parse_bands({name: settings}, {name: step.special_codes})
    plain = tuple(_without_nan(side) for side in column.sides)
    sides = Aligned(tuple(map(len, plain)), {name: plain}, (), {}, {name: column.special_codes})
    cut, found = band(sides, asked)
    if not found:
        raise SettingsError(NO_NUMBERS.format(name))
    made = tuple(side.alias(name) for side in cut.columns[name])
    n_bands = counted(len(found[0].levels), "band")

    def told(n: int) -> str:
        return f"Column {name!r}: {records(n)} {were(n)} put into {n_bands}."

    apart = occurring(plain, column.apart.also(step.special_codes))
    return Change(
        told,
        made,
        declared=lambda variable: _in_bands(variable, column, made[0], apart),
        fixed=(_fixed(step, column, found[0]),),
    )


def _in_bands(old: Variable, column: Column, made: pl.Series, apart: tuple[float, ...]) -> Variable:
    """What is declared of a column in bands: its label, its bands, and what its codes stand for."""
    if not isinstance(made.dtype, pl.Enum):
        return old
    declared = (old if column.variable is None else column.variable).levels
    held = {number_held(level.code): level.label for level in (*declared, *old.levels)}
    label_of = {code_text(code): label for code, label in held.items() if code is not None}
    levels = made.dtype.categories.to_list()
    codes = {code_text(code) for code in apart}
    return Variable(
        name=old.name,
        label=old.label,
        kind="text",
        measure="ordinal",
        levels=tuple(
            Level(code=text, label=label_of.get(text, text) if text in codes else text)
            for text in levels
        ),
        missing=tuple(text for text in levels if text in codes),
    )


def _fixed(step: Band, column: Column, found: Banded) -> Band:
    """The step with the breaks that were found, and the same names for what lies between."""
    if found.style == "breaks":
        return step
    held = np.concatenate([floats_of(side.drop_nulls()) for side in column.sides])
    codes = occurring(column.sides, column.apart.also(step.special_codes))
    numbers = held[np.isfinite(held) & ~np.isin(held, np.array(codes))]
    is_whole = are_whole(numbers) and can_be_written_out(np.abs(numbers).max())
    names = tuple(names_open(found.breaks, is_whole=is_whole))
    low, high = _ends(numbers)
    breaks = tuple(_plain(one) for one in (low, *found.breaks, high))
    return msgspec.structs.replace(step, style=None, n=None, breaks=breaks, labels=names)


def _ends(numbers: Floats) -> tuple[float, float]:
    """Round numbers beyond all others, which are nobody's own."""
    reach = 10.0 ** (math.floor(math.log10(max(1.0, float(np.abs(numbers).max())))) + 1)
    return (-reach if numbers.min() < 0 else 0.0), reach


def _plain(number: float) -> Number:
    return int(number) if number.is_integer() else number


def _without_nan(side: pl.Series) -> pl.Series:
    plain = side.alias("")
    return plain.fill_nan(None) if plain.dtype.is_float() else plain
