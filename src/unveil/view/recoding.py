"""What a recipe, a removal or a smoothing did, in sentences and blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.protection import FakeMarks, Removal, RemovalRow, SmoothedColumn, Smoothing
from unveil.records.recoding import KeyFigures, Recoding, StepDone, Suggestions
from unveil.view.blocks import Block, Heading, notes, sentences, table
from unveil.view.format import (
    and_list,
    fill,
    format_count,
    lines,
    percent,
    percent_or_dash,
    truncate,
)
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "recoded": "{steps} applied to {file}: {records} and {columns} remain of {n} and {m}.",
    "keys": "Unique on {keys}: {before} of {n_before} before recoding, {after} of {n_after}"
    " after{then}.",
    "no keys": "No key remains. Unique on {keys} before recoding: {before} of {n_before}.",
    "repU": "Replicated uniques (unique in both files): {before} before, {after} after.",
    "proposed": "{n} proposed for {file}. None was applied.",
    "together": "Unique on {keys}: {before} of {n} now, {after} after all of them.",
    "nothing": "No recoding is proposed for {file}. Check what an intruder would know.",
    "removed": "Copy {copy}: {n} of {records} removed; {left} left.",
    "replicated": "{n} of {N} people ({p}) {n:is|are} unique on {keys} in the original"
    " and in copy {copy} (replicated).",
    "keys of removal": "Keys: {keys}.",
    "smoothed": "{n} smoothed over sorted values and put back by rank.",
    "stayed": "{n} of {numbers} changed; {same} the same to six digits.",
    "marked": "Marked as fake by its label and note{column}{file}.",
}
STEP_HEADS = ("step", "records changed", "unique before", "unique after", "repU before", "after")
ANONYMITY_HEADS = ("people who share their keys with fewer than", "before", "after")
PROPOSAL_HEADS = ("column", "do", "unique now", "unique then", "why")
REMOVAL_HEADS = ("copy", "uniques of", "number", "from total", "percent")
SMOOTH_HEADS = ("column", "numbers", "changed", "mean before", "after", "sd before", "after")


def recoding_sentences(record: Recoding) -> Iterator[str]:
    """What was done, step by step, and what it did for the keys."""
    yield fill(
        TEMPLATES["recoded"],
        steps=format_count(len(record.rows), "step was", "steps were"),
        file=truncate(record.files[0]),
        records=format_count(record.n_records_left, "record"),
        columns=format_count(record.n_columns_left, "column"),
        n=f"{record.n_records:,}",
        m=f"{record.n_columns:,}",
    )
    for row in record.rows:
        yield f"{row.number}. {lines(row.sentence)}"
    yield from _on_keys(record)


def _on_keys(record: Recoding) -> Iterator[str]:
    before, after = ends(record)
    if before is None:
        return
    if after is None:
        keys, n = and_list(before.keys), f"{before.n_uniques:,}"
        total = f"{before.n_records:,}"
        yield fill(TEMPLATES["no keys"], keys=keys, before=n, n_before=total)
        return
    yield fill(
        TEMPLATES["keys"],
        keys=and_list(before.keys),
        then="" if after.keys == before.keys else f" by {and_list(after.keys)}",
        before=f"{before.n_uniques:,}",
        n_before=f"{before.n_records:,}",
        after=f"{after.n_uniques:,}",
        n_after=f"{after.n_records:,}",
    )
    if before.n_replicated is not None and after.n_replicated is not None:
        yield fill(
            TEMPLATES["repU"],
            before=f"{before.n_replicated:,} ({percent_or_dash(before.repU)})",
            after=f"{after.n_replicated:,} ({percent_or_dash(after.repU)})",
        )


def ends(record: Recoding) -> tuple[KeyFigures | None, KeyFigures | None]:
    """How well people could be told apart before the first step, and after the last."""
    return record.rows[0].before, record.rows[-1].after


def step_cells(row: StepDone) -> tuple[str, ...]:
    """One step under STEP_HEADS."""
    before, after = row.before, row.after
    return (
        f"{row.number}. {row.do} {truncate(row.column)}",
        f"{row.n_changed:,}",
        *("-" if one is None else f"{one.n_uniques:,}" for one in (before, after)),
        *("-" if one is None else percent_or_dash(one.repU) for one in (before, after)),
    )


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


def proposal_cells(record: Suggestions) -> list[tuple[str, ...]]:
    """Proposals under PROPOSAL_HEADS."""
    return [
        (
            truncate(row.column),
            row.do,
            "-" if row.n_uniques is None else f"{row.n_uniques:,}",
            "-" if row.n_uniques_left is None else f"{row.n_uniques_left:,}",
            lines(row.reason),
        )
        for row in record.rows
    ]


def suggestion_sentence(record: Suggestions) -> str:
    """How many steps are proposed."""
    n = format_count(len(record.rows), "step is", "steps are")
    key = "proposed" if record.rows else "nothing"
    return fill(TEMPLATES[key], n=n, file=truncate(record.files[0]))


def together(record: Suggestions) -> Iterator[str]:
    """What all proposals would do for the keys."""
    if record.rows and record.n_uniques is not None and record.n_uniques_left is not None:
        yield fill(
            TEMPLATES["together"],
            keys=and_list(record.keys),
            before=f"{record.n_uniques:,}",
            n=f"{record.n_records:,}",
            after=f"{record.n_uniques_left:,}",
        )


def removal_sentences(record: Removal) -> Iterator[str]:
    """What was taken out of each copy, and who was alone twice."""
    yield fill(TEMPLATES["keys of removal"], keys=and_list(record.keys))
    for row in record.rows:
        yield fill(
            TEMPLATES["replicated"],
            p=percent(100 * row.replicated / row.n_original),
            n=f"{row.replicated:,}",
            N=f"{row.n_original:,}",
            keys="these keys",
            copy=row.copy,
        )
        yield fill(
            TEMPLATES["removed"],
            copy=row.copy,
            n=f"{row.n_removed:,}",
            records=format_count(row.n_synthetic, "record was", "records were"),
            left=f"{row.n_left:,} are",
        )
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
    n_same = row.n_values - row.n_changed
    return fill(
        TEMPLATES["stayed"],
        n=f"{row.n_changed:,}",
        numbers=format_count(row.n_values, "number"),
        same=f"{n_same:,} {'is' if n_same == 1 else 'are'}",
    )


def marked_sentence(record: FakeMarks) -> str:
    """Where a copy says that it is fake."""
    column = "" if record.marker is None else f", by the column {truncate(record.marker)}"
    file = "" if record.written is None else f", and written to {truncate(record.written.path)}"
    return fill(TEMPLATES["marked"], column=column, file=file)


@as_text.register
def _(record: Recoding) -> str:
    return "\n".join(recoding_sentences(record))


@as_blocks.register
def _(record: Recoding) -> Iterator[Block]:
    first, *rest = recoding_sentences(record)
    yield Heading(first)
    yield from sentences(rest)
    yield table("What each step changed", STEP_HEADS, map(step_cells, record.rows))
    yield table("k-anonymity", ANONYMITY_HEADS, anonymity_cells(record))
    yield from notes(record.coercions)


@as_text.register
def _(record: Suggestions) -> str:
    proposed = [f"- {truncate(row.column)}: {row.do}. {lines(row.reason)}" for row in record.rows]
    return "\n".join([suggestion_sentence(record), *proposed, *together(record)])


@as_blocks.register
def _(record: Suggestions) -> Iterator[Block]:
    yield Heading(suggestion_sentence(record))
    yield table("Proposed recodings", PROPOSAL_HEADS, proposal_cells(record), text=("do", "why"))
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
    return "\n".join([fill(TEMPLATES["smoothed"], n=n), *smooth_notes(record)])


@as_blocks.register
def _(record: Smoothing) -> Iterator[Block]:
    yield Heading(as_text(record).splitlines()[0])
    yield table("Before and after", SMOOTH_HEADS, map(smooth_cells, record.rows))
    yield from sentences(smooth_notes(record))
    yield from notes(record.coercions)


@as_text.register
def _(record: FakeMarks) -> str:
    return marked_sentence(record)
