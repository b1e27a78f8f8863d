"""Which parts of a table are published, each by which scheme, and with which values?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from unveil.errors import SettingsError, listed, nearest
from unveil.measure.tables.counts import LARGEST_COUNT, kept
from unveil.measure.tables.grid import MOST_IN_FACTS, TABLE, TOTAL, Grid, flag, is_missing, whole
from unveil.measure.tables.schemes import NOT_PUBLISHED, Published, Scheme, parse_scheme
from unveil.read.given import is_list, shown

MARGINS = "margins"
EXACT = Scheme("exact")

Plan = dict[str, Scheme]
"""The scheme of each published part: the table first, then margins, then the total."""


def plan(grid: Grid, rounding: Any, *, table: bool, total: bool, margins: Any) -> Plan:
    """What is published and how, or a sentence on what is wrong with what was asked."""
    asked = [grid.part(margin) for margin in grid.margins(margins)]
    flagged = [*asked, *([TOTAL] if flag(total, TOTAL) else [])]
    is_shown = flag(table, TABLE)
    if isinstance(rounding, Mapping):
        found = _from_mapping(grid, rounding, flagged)
    else:
        scheme = _scheme(EXACT if rounding is None else rounding)
        parts = [*([TABLE] if is_shown else []), *flagged]
        found = {part: scheme for part in parts if scheme is not None}
    _refuse_too_much(grid, found)
    return {part: found[part] for part in sorted(found, key=lambda part: _order(grid, part))}


def _from_mapping(grid: Grid, given: Mapping[Any, Any], flagged: Sequence[str]) -> Plan:
    """A scheme by part; margins and total that are asked for besides are exact."""
    schemes: dict[str, Scheme | None] = {}
    default = _scheme(given.get(MARGINS, EXACT))
    for part in flagged:
        schemes[part] = EXACT if part == TOTAL else default
    named: set[str] = set()
    for key, text in given.items():
        if key == MARGINS:
            continue
        part = part_named(grid, key)
        if part in named:
            raise SettingsError(f"The rounding of the part {part!r} is given twice. Give it once.")
        named.add(part)
        schemes[part] = _scheme(text)
    return {part: scheme for part, scheme in schemes.items() if scheme is not None}


def _scheme(given: Any) -> Scheme | None:
    if isinstance(given, str) and given.strip().lower() == NOT_PUBLISHED:
        return None
    return parse_scheme(given)


def part_named(grid: Grid, given: Any) -> str:
    """The part of the release that a user names: table, total, or dimensions of a margin."""
    if not isinstance(given, str):
        raise SettingsError(
            f"A part of the release is named by {shown(given)}. Write table, total, margins, or"
            " the dimensions of a margin, joined by commas."
        )
    if given in (TABLE, TOTAL):
        return given
    wanted = [given] if given in grid.dims else [one.strip() for one in given.split(",")]
    for name in wanted:
        if name not in grid.dims:
            known = (TABLE, TOTAL, MARGINS, *grid.dims)
            raise SettingsError(
                f"The release has no part {shown(given)}.{nearest(name, known)} Its parts are:"
                f" table, total, margins, and any of the dimensions {listed(grid.dims)}, joined by"
                " commas."
            )
    return grid.part(wanted)


def _order(grid: Grid, part: str) -> tuple[int, list[int]]:
    dims = grid.dims_of(part)
    return -len(dims), [grid.dims.index(dim) for dim in dims]


def _refuse_too_much(grid: Grid, found: Plan) -> None:
    """Every entry of a part names all its cells: 16 dimensions have too many margins for that."""
    n_named = grid.n_cells * len(found)
    if n_named > MOST_IN_FACTS:
        raise SettingsError(
            f"{len(found):,} parts of {grid.n_cells:,} cells each are asked for, {n_named:,} cells"
            f" in all; at most {MOST_IN_FACTS:,} are worked on at once. Ask for fewer margins."
        )


def published_given(grid: Grid, given: Any, asked: Plan) -> dict[str, tuple[Published, ...]]:
    """The published values a user gave, flat, by part; the others are to be drawn."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = {TABLE: given}
    found = {}
    for key, values in given.items():
        part = part_named(grid, key)
        if part not in asked:
            raise SettingsError(
                f"Published values are given for the part {part!r}, which is not published. Ask"
                f" for it, or leave them out. Published are: {listed(asked) or 'none'}."
            )
        found[part] = _values(grid, part, values)
    return found


def _values(grid: Grid, part: str, given: Any) -> tuple[Published, ...]:
    shape, given = grid.shape_of(part), kept(given)
    if not shape:
        return (_value(given, part),)
    flat = given if _is_flat(given, prod(shape)) else _flat(given, shape, part)
    return tuple(_value(one, part) for one in flat)


def _is_flat(given: Any, n: int) -> bool:
    return is_list(given) and len(given) == n and n != 1


def _flat(given: Any, shape: Sequence[int], part: str) -> list[Any]:
    """Nested lists, as deep as the part has dimensions: what is deeper is an interval."""
    found = [given]
    for size in shape:
        for one in found:
            if not is_list(one) or len(one) != size:
                sizes = " x ".join(f"{size:,}" for size in shape)
                raise SettingsError(
                    f"The published values of the part {part!r} do not have its shape, {sizes}."
                )
        found = [inner for one in found for inner in one]
    return found


def _value(given: Any, part: str) -> Published:
    """A whole number, a pair of a lowest and a highest count, or None for suppressed."""
    if is_list(given):
        pair = list(given)
        if len(pair) == 2:
            lo, hi = whole(pair[0]), None if pair[1] is None else whole(pair[1])
            if lo is not None and lo >= 0 and (pair[1] is None or (hi is not None and hi >= lo)):
                return _interval(lo, hi, part)
        raise SettingsError(
            f"A published interval of the part {part!r} is no pair of whole numbers from 0, the"
            " lowest count and then the highest, or None for no highest."
        )
    if is_missing(given):
        return None
    found = whole(given)
    if found is None:
        raise SettingsError(
            f"A published value of the part {part!r} is {shown(given)}. It must be a whole number,"
            " a pair for an interval, or None where it is suppressed."
        )
    return found


def _interval(lo: int, hi: int | None, part: str) -> tuple[int, int | None]:
    if max(lo, hi or 0) > LARGEST_COUNT:
        raise SettingsError(
            f"A published interval of the part {part!r} goes beyond {LARGEST_COUNT:,}. Give None"
            " for no highest."
        )
    return lo, hi
