"""Levels put in the place of others: among numbers, and among fixed categories."""

from collections.abc import Mapping, Sequence

import polars as pl

from unveil.errors import SettingsError
from unveil.protection.recoding.change import Column
from unveil.protection.recoding.held import floats_of, kept_in, replaced
from unveil.read.meanings import number_held
from unveil.read.undeclared import NOUNS, kind_of

NO_LEVELS = "column {!r} holds values that have no levels. Drop it, or turn it into text first."


def refuse_no_levels(column: Column) -> None:
    """Refuse what has no levels, and numbers in one file that are text in the other."""
    held = [side for side in column.sides if side.null_count() < len(side)]
    kinds = [kind_of(side.dtype) for side in held]
    if "unknown" in kinds or any(side.dtype == pl.Duration for side in held):
        raise SettingsError(NO_LEVELS.format(column.name))
    if len({kind == "number" for kind in kinds}) > 1:
        data, copy = (NOUNS[kind] for kind in kinds)
        raise SettingsError(
            f"column {column.name!r} holds {data}, but {copy} in the copy. Give it the same coding"
            " in both."
        )


def categories(old: Sequence[str], into: Mapping[str, str]) -> list[str]:
    """Fixed categories without the merged ones; a new one stands where the first of them stood."""
    places: dict[str, None] = {}
    for level in old:
        target = into.get(level, level)
        if target == level or target not in old:
            places[target] = None
    return [*places]


def with_numbers(side: pl.Series, into: Mapping[str, str], codes: Mapping[str, float]) -> pl.Series:
    """The numbers of levels in the place of others; new ones by their codes."""
    held = {number_held(level): target for level, target in into.items()}
    new = {
        kept_in(side.dtype, old): codes.get(target, number_held(target))
        for old, target in held.items()
        if old is not None
    }
    found = pl.Series(floats_of(side)).replace_strict(
        list(new), list(new.values()), default=None, return_dtype=pl.Float64
    )
    chosen = found.is_not_null().to_numpy()
    return replaced(side, chosen, found.fill_null(0.0).to_numpy())
