"""What a recipe, a removal or a smoothing did, in sentences and blocks."""

from collections.abc import Callable, Iterator

from unveil.records.protection import FakeMarks, Removal, RemovalRow, SmoothedColumn, Smoothing
from unveil.records.recoding import KeyFigures, Proposal, Recoding, StepDone, Suggestions
from unveil.view.blocks import Block, Heading, list_rows, notes, sentences, table
from unveil.view.format import (
    agree,
    and_list,
    format_count,
    lines,
    percent,
    percent_or_dash,
    truncate,
)
from unveil.view.show import as_blocks, as_text

STEPS: dict[str, Callable[[StepDone], str]] = {
    "step": lambda row: f"{row.number}. {row.do} {truncate(row.column)}",
    "records changed": lambda row: f"{row.n_changed:,}",
    "unique before": lambda row: "-" if row.before is None else f"{row.before.n_uniques:,}",
    "unique after": lambda row: "-" if row.after is None else f"{row.after.n_uniques:,}",
    "repU before": lambda row: "-" if row.before is None else percent_or_dash(row.before.repU),
    "after": lambda row: "-" if row.after is None else percent_or_dash(row.after.repU),
}
PROPOSALS: dict[str, Callable[[Proposal], str]] = {
    "column": lambda row: truncate(row.column),
    "do": lambda row: row.do,
    "unique now": lambda row: "-" if row.n_uniques is None else f"{row.n_uniques:,}",
    "unique then": lambda row: "-" if row.n_uniques_left is None else f"{row.n_uniques_left:,}",
    "why": lambda row: lines(row.reason),
}
ANONYMITY_HEADS = ("people who share their keys with fewer than", "before", "after")
REMOVAL_HEADS = ("copy", "uniques of", "number", "from total", "percent")
SMOOTH_HEADS = ("column", "numbers", "changed", "mean before", "after", "sd before", "after")


def recoding_sentences(record: Recoding) -> Iterator[str]:
    """What was done, step by step, and what it did for the keys."""
    steps = format_count(len(record.rows), "step was", "steps were")
    records = format_count(record.n_records_left, "record")
    columns = format_count(record.n_columns_left, "column")
    yield (
        f"{steps} applied to {truncate(record.files[0])}: {records} and {columns} remain of"
        f" {record.n_records:,} and {record.n_columns:,}."
    )
    for row in record.rows:
        yield f"{row.number}. {lines(row.sentence)}"
    yield from _on_keys(record)


def _on_keys(record: Recoding) -> Iterator[str]:
    before, after = ends(record)
    if before is None:
        return
    keys, first = and_list(before.keys), f"{before.n_uniques:,} of {before.n_records:,}"
    if after is None:
        yield f"No key remains. Unique on {keys} before recoding: {first}."
        return
    then = "" if after.keys == before.keys else f" by {and_list(after.keys)}"
    yield (
        f"Unique on {keys}: {first} before recoding, {after.n_uniques:,} of {after.n_records:,}"
        f" after{then}."
    )
    if before.n_replicated is not None and after.n_replicated is not None:
        yield (
            f"Replicated uniques (unique in both files): {before.n_replicated:,}"
            f" ({percent_or_dash(before.repU)}) before, {after.n_replicated:,}"
            f" ({percent_or_dash(after.repU)}) after."
        )


def ends(record: Recoding) -> tuple[KeyFigures | None, KeyFigures | None]:
    """How well people could be told apart before the first step, and after the last."""
    return record.rows[0].before, record.rows[-1].after


def anonymity_cells(record: Recoding) -> list[tuple[str, ...]]:
    """k-anonymity under ANONYMITY_HEADS."""
    before, after = ends(record)
    if before is None or after is None:
        return []
    return [
        (
            format_count(old.k - 1, "other"),
            *(f"{one.n:,} ({percent(100 * one.share)})" for one in (old, new)),
        )
        for old, new in zip(before.anonymity, after.anonymity, strict=True)
    ]


def suggestion_sentence(record: Suggestions) -> str:
    """How many steps are proposed."""
    n, file = format_count(len(record.rows), "step is", "steps are"), truncate(record.files[0])
    if record.rows:
        return f"{n} proposed for {file}. None was applied."
    return f"No recoding is proposed for {file}. Check what an intruder would know."


def together(record: Suggestions) -> Iterator[str]:
    """What all proposals would do for the keys."""
    if record.rows and record.n_uniques is not None and record.n_uniques_left is not None:
        yield (
            f"Unique on {and_list(record.keys)}: {record.n_uniques:,} of {record.n_records:,} now,"
            f" {record.n_uniques_left:,} after all of them."
        )


def removal_sentences(record: Removal) -> Iterator[str]:
    """What was taken out of each copy, and who was alone twice."""
    yield f"Keys: {and_list(record.keys)}."
    for row in record.rows:
        yield (
            f"{row.replicated:,} of {row.n_original:,} people"
            f" ({percent(100 * row.replicated / row.n_original)}) {agree(row.replicated)} unique on"
            f" these keys in the original and in copy {row.copy} (replicated)."
        )
        records = format_count(row.n_synthetic, "record was", "records were")
        left = f"{row.n_left:,} {agree(row.n_left)} left"
        yield f"Copy {row.copy}: {row.n_removed:,} of {records} removed; {left}."
    yield from map(lines, record.warnings)


def removal_cells(row: RemovalRow) -> list[tuple[str, ...]]:
    """The four counts of one copy under REMOVAL_HEADS, as synthpop shows them."""
    counts = (
        ("Original", row.uniques_original, row.n_original),
        ("Synthetic", row.uniques_synthetic, row.n_synthetic),
        ("Synthetic uniques in original", row.uniques_in_original, row.n_original),
        ("Replicated uniques", row.replicated, row.n_original),
    )
    return [
        (str(row.copy), what, f"{n:,}", f"{total:,}", percent(100 * n / total))
        for what, n, total in counts
    ]


def smooth_cells(row: SmoothedColumn) -> tuple[str, ...]:
    """One column under SMOOTH_HEADS."""
    figures = (row.mean_before, row.mean_after, row.sd_before, row.sd_after)
    return (
        truncate(row.column),
        f"{row.n_values:,}",
        f"{row.n_changed:,}",
        *("-" if figure is None else f"{figure:.4g}" for figure in figures),
    )


def smooth_notes(record: Smoothing) -> list[str]:
    """What should be known of the smoothed columns."""
    said = [
        (row.column, one)
        for row in record.rows
        for one in (row.note or _change_sentence(row), row.warning)
        if one
    ]
    return [f"{truncate(column)}: {sentence}" for column, sentence in said]


def _change_sentence(row: SmoothedColumn) -> str:
    n_same, numbers = row.n_values - row.n_changed, format_count(row.n_values, "number")
    same = f"{n_same:,} {agree(n_same)} the same to six digits"
    return f"{row.n_changed:,} of {numbers} changed; {same}."


def marked_sentence(record: FakeMarks) -> str:
    """Where a copy says that it is fake."""
    column = "" if record.marker is None else f", by the column {truncate(record.marker)}"
    file = "" if record.written is None else f", and written to {truncate(record.written.path)}"
    return f"Marked as fake by its label and note{column}{file}."


@as_text.register
def _(record: Recoding) -> str:
    return "\n".join(recoding_sentences(record))


@as_blocks.register
def _(record: Recoding) -> Iterator[Block]:
    first, *rest = recoding_sentences(record)
    yield Heading(first)
    yield from sentences(rest)
    yield list_rows("What each step changed", STEPS, record.rows)
    yield table("k-anonymity", ANONYMITY_HEADS, anonymity_cells(record))
    yield from notes(record.coercions)


@as_text.register
def _(record: Suggestions) -> str:
    proposed = [f"- {truncate(row.column)}: {row.do}. {lines(row.reason)}" for row in record.rows]
    return "\n".join([suggestion_sentence(record), *proposed, *together(record)])


@as_blocks.register
def _(record: Suggestions) -> Iterator[Block]:
    yield Heading(suggestion_sentence(record))
    yield list_rows("Proposed recodings", PROPOSALS, record.rows, text=("do", "why"))
    yield from sentences(together(record))
    yield from notes(record.coercions)


@as_text.register
def _(record: Removal) -> str:
    return "\n".join(removal_sentences(record))


@as_blocks.register
def _(record: Removal) -> Iterator[Block]:
    first, *rest = removal_sentences(record)
    yield Heading(first)
    yield from sentences(rest)
    rows = [cells for row in record.rows for cells in removal_cells(row)]
    yield table("Uniques", REMOVAL_HEADS, rows, text=("uniques of",))
    yield from notes(record.coercions)


@as_text.register
def _(record: Smoothing) -> str:
    n = format_count(sum(row.note is None for row in record.rows), "column was", "columns were")
    first = f"{n} smoothed over sorted values and put back by rank."
    return "\n".join([first, *smooth_notes(record)])


@as_blocks.register
def _(record: Smoothing) -> Iterator[Block]:
    yield Heading(as_text(record).splitlines()[0])
    yield table("Before and after", SMOOTH_HEADS, map(smooth_cells, record.rows))
    yield from sentences(smooth_notes(record))
    yield from notes(record.coercions)


@as_text.register
def _(record: FakeMarks) -> str:
    return marked_sentence(record)
