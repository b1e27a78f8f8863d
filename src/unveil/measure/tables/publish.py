"""Which table may be published? The published values alone, long or in the shape they came in."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.tables.crosstab import published_crosstab, write_workbook
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.schemes import Published, parse_scheme, trivial_bounds
from unveil.view.format import format_count, visible
from unveil.view.render_documents import csv_document, guard_text

VALUE = "published"


def published_csv(release: PublishedTable, sums: Sequence[str]) -> bytes:
    """The published values alone, a row each; sums by their name, suppressed ones empty.

    Of people's records a level is left out where nothing but 0 is published of it: its rows would
    only disclose that the level occurs.
    """
    return (csv_document(_published_rows(release, sums)) + "\n").encode()


def published_workbook(release: PublishedTable, sums: Sequence[str]) -> bytes:
    """The published values alone, in the shape of the cross-table they were read from, or long."""
    return write_workbook(published_cells(release, sums))


def published_cells(release: PublishedTable, sums: Sequence[str]) -> list[list[int | str | None]]:
    """The same as rows of cells: everything beside the counts stands as it stood."""
    rows = _published_rows(release, sums)
    table = release.crosstab
    if table is None:
        return [[*rows[0]], *([*row.values()] for row in rows)]
    *_, value = rows[0]
    folded = {label.casefold() for label in (*sums, _sum_label(release, sums))}
    shown = {
        tuple(None if one.casefold() in folded else one for one in list(row.values())[:-1]): (
            HIDDEN if row[value] == "" else row[value]
        )
        for row in rows
    }
    found = {
        place: shown.get(tuple(None if one.casefold() in folded else one for one in label))
        for place, label in zip(table.places, table.labels, strict=True)
    }
    return published_crosstab(table, {one: at for one, at in found.items() if at is not None})


HIDDEN = "c"
"""What stands for a suppressed value in a workbook, where an empty cell would say nothing."""


def _published_rows(release: PublishedTable, sums: Sequence[str]) -> list[dict[str, Any]]:
    schemes = dict(release.schemes)
    if schemes.get("table") == "exact":
        raise SettingsError(
            "--out would write the true counts: the table is published exactly. Choose a scheme"
            " with --round."
        )
    return list(_rows(release, schemes, _sum_label(release, sums)))


def level_notes(release: PublishedTable) -> Iterator[str]:
    """What the levels of people's records give away in the table to publish, a sentence each."""
    counts = np.array(release.system.counts, np.int64)
    for dim, zeros in zip(release.dims, _zero_levels(release), strict=True):
        if zeros:
            yield (
                f"{format_count(len(zeros), 'level')} of {visible(dim)!r}"
                f" {'is' if len(zeros) == 1 else 'are'} omitted: all published values are 0, and"
                " the rows would only disclose that the level occurs."
            )
        levels = release.levels[release.dims.index(dim)]
        n_people = release.grid.sum_part(counts, dim if len(release.dims) > 1 else "table")
        alone = [one for one, n in zip(levels, n_people, strict=True) if n == 1]
        left = [one for one in alone if one not in zeros] if release.of_people else []
        if left:
            theirs = "belongs to one person" if len(left) == 1 else "belong to one person each"
            yield (
                f"{format_count(len(left), 'level')} of {visible(dim)!r} {theirs}: a row in the "
                "table"
                " discloses that the level occurs. Merge rare levels before you publish."
            )


def _zero_levels(release: PublishedTable) -> list[set[str]]:
    """By dimension, the levels of people's records of which nothing but 0 is published."""
    found = [set(levels) if release.of_people else set[str]() for levels in release.levels]
    for part, values in release.published:
        places = [release.dims.index(dim) for dim in release.grid.dims_of(part)]
        for label, value in zip(release.grid.labels(part), values, strict=True):
            if value != 0:
                for place, level in zip(places, label, strict=True):
                    found[place].discard(level)
    # A table in which everything is 0 is published as it is.
    pairs = zip(found, release.levels, strict=True)
    return [set() if len(one) == len(levels) else one for one, levels in pairs]


def _sum_label(release: PublishedTable, sums: Sequence[str]) -> str:
    label = sums[0]
    while any(label.casefold() == level.casefold() for one in release.levels for level in one):
        label = f"({label})"
    return label


def _rows(
    release: PublishedTable, schemes: Mapping[str, str], label: str
) -> Iterator[dict[str, Any]]:
    grid = release.grid
    left_out = dict(zip(grid.dims, _zero_levels(release), strict=True))
    value = VALUE
    while value in grid.dims:
        value += "_"
    for part, values in release.published:
        dims = grid.dims_of(part)
        members = grid.members(part).tolist()
        for levels, one, cells in zip(grid.labels(part), values, members, strict=True):
            named = dict(zip(dims, levels, strict=True))
            if release.nested and release.system.structural.issuperset(cells):
                continue  # combinations that the hierarchy rules out
            if any(level in left_out[dim] for dim, level in named.items()):
                continue
            row = {str(guard_text(dim)): named.get(dim, label) for dim in grid.dims}
            yield {**row, value: _format_published(one, schemes[part])}


def _format_published(value: Published, scheme: str) -> int | str:
    """A value as it is printed: a number, an interval, or nothing where it is suppressed."""
    if isinstance(value, int):
        return value
    chosen = parse_scheme(scheme)
    if value is None and not chosen.interval:
        return ""
    low, high = trivial_bounds(value, chosen)
    return f"{low} or more" if high is None else f"{low} to {high}"
