"""The files on the original's principal components: aggregates, no single record."""

from collections.abc import Iterator

from unveil.records.utility import Loading, ProjectedGroup, Projection
from unveil.view.blocks import Block, Heading, notes, say, table
from unveil.view.format import and_list, format_count, percent, truncate, visible
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import filled_table

GROUP_HEADS = ("file", "units", "mean 1", "sd 1", "mean 2", "sd 2")
LOADING_HEADS = ("column", "level", "axis 1", "axis 2")
MOST_LOADINGS = 12
_LITTLE = 0.3


def projection_sentences(record: Projection) -> Iterator[tuple[str, str]]:
    """What the projection says, by the name of what is said."""
    first, second = (one.explained for one in record.components)
    text = (
        f"The first two principal components explain {percent(100 * (first + second))} of the"
        f" variance of {format_count(len(record.columns), 'column')} in the original"
        f" ({percent(100 * first)} and {percent(100 * second)})."
    )
    little = " That is little: files that differ elsewhere can look alike here."
    yield "explained", text + (little if first + second < _LITTLE else "")
    if record.n_fitted < record.n_original:
        yield (
            "some",
            f"The components were fitted to {record.n_fitted:,} of its records, drawn at random: it"
            " is large, and has missing values.",
        )
    original = record.rows[0]
    for row in record.rows[1:]:
        yield from _group_sentences(original, row)
    for row in record.rows:
        if row.n_unplaced and row.mark is None:
            n = f"{format_count(row.n_unplaced, 'record')} of {group_name(row)}"
            yield "unplaced", f"{n} could not be placed: all values are missing."
    yield from _marks(record)
    for one in record.dropped_columns:
        yield "dropped", f"{truncate(one.column)} is not used: {one.reason}."
    for warning in record.warnings:
        yield "warning", warning


def _group_sentences(original: ProjectedGroup, row: ProjectedGroup) -> Iterator[tuple[str, str]]:
    """How far the centre of a copy is from that of the original."""
    shifts = (
        _shift(original.mean_1, row.mean_1, original.sd_1),
        _shift(original.mean_2, row.mean_2, original.sd_2),
    )
    if row.mark is None and None not in shifts:
        d1, d2 = (f"{shift:.2f}" for shift in shifts)
        yield (
            "place",
            f"The centre of {group_name(row)} lies {d1} standard deviations of the original from"
            f" the original's on the first axis, {d2} on the second.",
        )


def _shift(there: float | None, here: float | None, sd: float | None) -> float | None:
    return None if there is None or here is None or not sd else abs(here - there) / sd


def _marks(record: Projection) -> Iterator[tuple[str, str]]:
    kept = {row.copy: row.n for row in record.rows if row.mark == "retained"}
    gone = {row.copy: row.n for row in record.rows if row.mark == "filtered"}
    for copy, n in kept.items():
        units = format_count(n, "unit")
        removed = f"removed {gone[copy]:,} of copy {copy}"
        yield "marks", f"The distance filter retained {units} and {removed}."


def group_name(row: ProjectedGroup) -> str:
    """A file, or the marked units of one, in a sentence."""
    if row.copy is None:
        return "the original"
    return f"copy {row.copy}" + (f", {row.mark}" if row.mark else "")


def group_cells(row: ProjectedGroup) -> tuple[str, ...]:
    """One file under GROUP_HEADS."""
    figures = (row.mean_1, row.sd_1, row.mean_2, row.sd_2)
    shown = ("-" if one is None else f"{one:.3f}" for one in figures)
    return (group_name(row), f"{row.n:,}", *shown)


def strongest_loadings(record: Projection, most: int = MOST_LOADINGS) -> list[Loading]:
    """What pulls most along either axis."""
    return sorted(record.loadings, key=lambda one: -max(abs(one.PC1), abs(one.PC2)))[:most]


def loading_cells(row: Loading) -> tuple[str, ...]:
    """One loading under LOADING_HEADS."""
    level = "" if row.level is None else visible(row.level)
    return truncate(row.column), truncate(level), f"{row.PC1:+.3f}", f"{row.PC2:+.3f}"


@as_text.register
def _(record: Projection) -> str:
    first, second = (percent(100 * one.explained) for one in record.components)
    return f"Projection of {and_list(record.columns)}: axes explain {first} and {second}"


def projection_blocks(record: Projection) -> Iterator[Block]:
    """The projection without its title."""
    yield from say(projection_sentences(record))
    yield filled_table("Where the files lie", GROUP_HEADS, [*map(group_cells, record.rows)])


@as_blocks.register
def _(record: Projection) -> Iterator[Block]:
    yield Heading("Principal components of the original")
    yield from projection_blocks(record)
    rows = map(loading_cells, strongest_loadings(record))
    yield table("Largest loadings", LOADING_HEADS, rows, text=("level",))
    yield from notes(record.coercions)
