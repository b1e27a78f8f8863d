"""Tables of counts as they stand in a file: a row for each cell, or an office's cross-table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from unveil.data.grid import Grid, open_grid
from unveil.data.read import OpenFile
from unveil.errors import InputError, list_names
from unveil.results import Note
from unveil.tables.published import check_size

COUNTS = ("count", "counts", "n", "freq", "frequency", "people", "persons")
PUBLISHED = "published"
TOTAL = ""  # of a level: all of them
TOTALS = re.compile(r"(grand )?(total|all|sum)s?\b.*", re.IGNORECASE)
HIDDEN = ("c", "x", "*", ":", "..", "(c)", "s")
NOTHING = ("-", "\N{EN DASH}", "\N{EM DASH}")
NUMBER = re.compile(r"\d+(\.0+)?|\d{1,3}([ ,'\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]\d{3})+")

Cell = tuple[tuple[str, ...], str, str]
"""Levels, the count as it stands, and what is published of it."""


class Source(NamedTuple):
    """Counts of a file, what a `PublishedTable` takes beside them, and how they were read."""

    counts: Any
    settings: dict[str, Any]
    files: tuple[OpenFile, ...]
    notes: tuple[Note, ...]


def read_counts(file: Any, dims: Sequence[str]) -> Source:
    """The counts of a file, its totals checked against its cells."""
    opened, grid = open_grid(file, "table")
    body = [row for row in grid if any(row)]
    while body and sum(map(bool, body[0])) < min(2, len(body[0])):
        body.pop(0)
    while body and not any(map(_is_count, body[-1])):
        body.pop()
    if len(body) < 2:
        raise InputError(f"{opened.name!r} has no counts below a row of names.")
    left_out = sum(map(any, grid)) - len(body)
    named = [place for place, name in enumerate(body[0]) if name.lower() in COUNTS]
    labels = _label_columns(body)
    if not named and len(body[0]) - labels == 1:
        named = [labels]
    if named:
        names, cells, how = _long(body, named[0], dims)
    else:
        names, cells, how = _cross(body, labels, dims)
    more = f" {left_out:,} rows of titles or notes were left out." if left_out else ""
    counts, settings, gaps = _table(names, cells, is_long=bool(named))
    about = f"{opened.name}: {how}{more}{gaps}"
    return Source(counts, settings, (opened,), (Note(about="table", sentence=about),))


def has_counts(names: Sequence[str]) -> bool:
    """Whether one of these columns is one of counts."""
    return any(name.lower() in COUNTS for name in names)


def _is_count(text: str) -> bool:
    return bool(NUMBER.fullmatch(text)) or text in NOTHING or text.lower() in HIDDEN


def _label_columns(body: Grid) -> int:
    """How many columns at the left have labels, the first at least."""
    columns = [*zip(*body[1:], strict=True)]
    for place, column in enumerate(columns[1:], start=1):
        cells = [cell for cell in column if cell]
        if sum(map(_is_count, cells)) * 2 > len(cells) and place:
            return place
    return len(columns) - 1


def _long(body: Grid, at: int, dims: Sequence[str]) -> tuple[list[str], list[Cell], str]:
    """A row for each cell: its levels, its count, and what is published of it."""
    header, *rows = body
    drawn = header.index(PUBLISHED) if PUBLISHED in header else None
    places = [i for i in range(len(header)) if i not in (at, drawn)]
    if dims:
        for dim in dims:
            if dim not in header:
                raise InputError(f"The file has no column {dim!r} (dims): {list_names(header)}.")
        places = [header.index(dim) for dim in dims]
    cells = [
        (tuple(_level(row[i]) for i in places), row[at], "" if drawn is None else row[drawn])
        for row in rows
    ]
    names = [header[i] for i in places]
    if drawn is None:
        cells = [(levels, count, "unsaid") for levels, count, _ in cells]
    how = f"Read as one row a cell, by {list_names(names)}; the counts are in {header[at]!r}."
    return names, cells, how


def _cross(body: Grid, labels: int, dims: Sequence[str]) -> tuple[list[str], list[Cell], str]:
    """Levels at the left and above, counts between; blanks repeat the level before them."""
    depth = next(
        (i for i, row in enumerate(body) if i and any(map(_is_count, row[labels:]))), len(body)
    )
    header, rows = body[:depth], body[depth:]
    names = [next((row[i] for row in reversed(header) if row[i]), f"rows{i + 1}")
             for i in range(labels)]  # fmt: skip
    names += [f"columns{i + 1}" if depth > 1 else "columns" for i in range(depth)]
    if dims and len(dims) != len(names):
        raise InputError(
            f"'dims' names {len(dims)} dimensions; the file has {len(names)}: {list_names(names)}."
        )
    above = _filled([list(column) for column in zip(*header, strict=True)][labels:])
    beside = _filled([row[:labels] for row in rows])
    cells = [
        ((*left, *top), count, "unsaid")
        for left, row in zip(beside, rows, strict=True)
        for top, count in zip(above, row[labels:], strict=True)
    ]
    how = (
        f"Read as a cross-table: {len(rows):,} rows by {len(above):,} columns of counts, by"
        f" {list_names(dims or names)}."
    )
    return [*(dims or names)], cells, how


def _filled(lines: Grid) -> list[tuple[str, ...]]:
    """Levels of several rows of names: a blank repeats the one before, or after another is all."""
    filled: list[tuple[str, ...]] = []
    for line in lines:
        before = filled[-1] if filled else ("",) * len(line)
        levels, is_same = [], True
        for place, text in enumerate(line):
            repeats = not text and is_same and place < len(line) - 1
            level = before[place] if repeats else _level(text)
            is_same = is_same and level == before[place]
            levels.append(level)
        filled.append(tuple(levels))
    return filled


def _level(text: str) -> str:
    return TOTAL if TOTALS.fullmatch(text) else text


def _number(text: str) -> float:
    """A count; NaN where it is hidden."""
    if text in NOTHING:
        return 0.0
    if text.lower() in HIDDEN:
        return np.nan
    if not text:
        raise InputError("An empty cell may be 0 or hidden. Write 0, or c where it is hidden.")
    if not NUMBER.fullmatch(text):
        raise InputError("A count in the file is no whole number. Check its rows and columns.")
    return float(re.sub(r"[^\d.]", "", text))


def _table(
    names: Sequence[str], cells: Sequence[Cell], is_long: bool
) -> tuple[Any, dict[str, Any], str]:
    """The counts by levels, what else a table takes, and what was noticed."""
    values: dict[tuple[str, ...], float] = {}
    drawn: dict[tuple[str, ...], str] = {}
    for levels, count, published in cells:
        if levels in values:
            raise InputError("A cell stands twice in the file. Leave one out, or name it (dims).")
        values[levels], drawn[levels] = _number(count), published
    whole = [levels for levels in values if TOTAL not in levels]
    ranks = [list(dict.fromkeys(levels[axis] for levels in whole)) for axis in range(len(names))]
    check_size([*map(len, ranks)])
    places = [{level: place for place, level in enumerate(own)} for own in ranks]
    counts = np.full([*map(len, ranks)], np.nan)
    stands = np.zeros(counts.shape, bool)
    for levels in whole:
        place = tuple(place[level] for place, level in zip(places, levels, strict=True))
        counts[place], stands[place] = values[levels], True
    gaps = ""
    if not stands.all():
        if not is_long:
            raise InputError("The rows and columns of counts do not cross each other everywhere.")
        gaps = f" {int((~stands).sum()):,} cells that are not in it are 0."
        counts[~stands] = 0
    settings: dict[str, Any] = {"dims": tuple(names), "levels": ranks}
    sums = [levels for levels in values if TOTAL in levels]
    if np.isnan([*values.values()]).any():
        parts = dict(_parts(names, places, counts, {key: values[key] for key in sums}))
        return None, settings | {"published": parts}, f"{gaps} Some values are hidden in it."
    for key in sums:
        at = tuple(
            slice(None) if level == TOTAL else place.get(level, -1)
            for place, level in zip(places, key, strict=True)
        )
        if counts[at].sum() != values[key]:
            raise InputError(
                f"A total in the file is not the sum of its cells, by {list_names(names)}. Check"
                " which rows and columns are totals."
            )
    _refuse_sums(names, counts)
    if not set(drawn.values()) <= {"unsaid"}:
        shown = np.array([drawn.get(tuple(key), "0") for key in _keys(ranks)], object)
        settings["published"] = {"table": [_published(text) for text in shown]}
    gaps += " Totals were checked against the cells." * bool(sums)
    return counts, settings, gaps


def _keys(ranks: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    for place in np.ndindex(*map(len, ranks)):
        yield [own[i] for own, i in zip(ranks, place, strict=True)]


def _published(text: str) -> Any:
    """A value, hidden, or an interval: 1 to 4, 5 or more."""
    if not text or text.lower() in HIDDEN:
        return None
    ends = re.fullmatch(r"(\d+) (?:to (\d+)|or more)", text)
    if ends:
        return (int(ends[1]), None if ends[2] is None else int(ends[2]))
    return _number(text)


def _parts(
    names: Sequence[str], places: Sequence[Mapping[str, int]], counts: Any, sums: dict[Any, float]
) -> Iterator[tuple[str, Any]]:
    """The table, and each margin of which all values are there."""
    yield "table", [None if np.isnan(count) else count for count in counts.reshape(-1)]
    by_part: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
    for levels, value in sums.items():
        kept = tuple(axis for axis, level in enumerate(levels) if level != TOTAL)
        place = tuple(places[axis][levels[axis]] for axis in kept)
        by_part.setdefault(kept, {})[place] = value
    for kept, values in by_part.items():
        shape = [counts.shape[axis] for axis in kept]
        if len(values) == int(np.prod(shape)):
            ordered = [values[place] for place in np.ndindex(*shape)]
            part = ",".join(names[axis] for axis in kept) or "total"
            yield part, [None if np.isnan(value) else value for value in ordered]


def _refuse_sums(names: Sequence[str], counts: Any) -> None:
    """A level that is the sum of all others everywhere is a total by another name."""
    for axis, name in enumerate(names):
        if counts.shape[axis] < 3:
            continue
        total = counts.sum(axis=axis)
        for place in range(counts.shape[axis]):
            own = counts.take(place, axis=axis)
            if own.any() and own.size > 1 and (2 * own == total).all():
                raise InputError(
                    f"Level {place + 1:,} of {name!r} is the sum of all others: name it total, or"
                    " leave it out."
                )
