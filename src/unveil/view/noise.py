"""What noise did to synthetic data, in sentences and blocks for the custodian."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from unveil.records.noise import Ecap, Noise, NoiseChoice, NoisedColumn
from unveil.view.blocks import Block, Heading, Items, sentences, table
from unveil.view.ecap import choice_sentences, choice_tables, ecap_sentences
from unveil.view.format import and_list, format_count, lines, truncate
from unveil.view.show import as_blocks, as_text

_LARGE = 1e15
HEADS = ("column", "when", "mean", "sd", "lowest", "median", "highest")
WITHOUT_ENDS = ("column", "when", "mean", "sd", "median")
"""What is kept or sent on: the lowest and the highest value may be one person's."""


def plain(value: float) -> str:
    """A number with all its digits and no exponent."""
    text = format(Decimal(repr(float(value))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def short(value: float | None) -> str:
    """A number with four digits, those before the point all there; "-" where there is none."""
    if value is None:
        return "-"
    if abs(value) >= _LARGE:
        return f"{value:.3e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def noise_sentences(record: Noise) -> Iterator[str]:
    """What was done to each column, and what was not."""
    for column in record.columns:
        yield from (text for _, text in column_sentences(column))
    yield from (text for _, text in not_needed_sentences(record))


def not_needed_sentences(record: Noise) -> Iterator[tuple[str, str]]:
    """Which columns got no noise and why, each with the name of its template."""
    for one in record.not_needed:
        reason = lines(one.reason).rstrip(". ")
        said = f"{truncate(one.column)} needs no noise: {reason}."
        yield "not needed", said
    if record.undeclared:
        yield (
            "undeclared",
            f"No noise setting for {and_list(record.undeclared)}. If an intruder could know these"
            " values, add noise; otherwise record the reason (not_needed).",
        )


def column_sentences(column: NoisedColumn) -> Iterator[tuple[str, str]]:
    """What was done to one column, each sentence with the name of its template."""
    called, moved = truncate(column.column), column.displacement
    if moved is not None:
        said = (
            f"{called}: {column.n_changed:,} of {format_count(column.n_values, 'value')} moved, by"
            f" {short(moved.mean_absolute)} on average and by {short(moved.largest)} at most."
        )
        yield "moved", said
    kept = [f"{column.n_missing:,} missing"] if column.n_missing else []
    kept += [format_count(column.n_codes, "special code")] if column.n_codes else []
    if kept:
        yield "kept", f"{called}: {' and '.join(kept)} unchanged."
    if column.n_redrawn:
        n = format_count(column.n_redrawn, "value")
        yield "redrawn", f"{called}: {n} would have become codes for missing values; redrawn."
    if column.n_clipped:
        ends = [plain(end) for end in (column.lowest, column.highest) if end is not None]
        clipped = (
            f"{called}: {format_count(column.n_clipped, 'value')} beyond {' and '.join(ends)} set"
            f" to {'these' if len(ends) > 1 else 'it'}."
        )
        yield "clipped", clipped


def summary_rows(record: Noise) -> Iterator[tuple[str, ...]]:
    """The distribution before and after under HEADS (004, Figure 9, as figures)."""
    for column in record.columns:
        for when, found in (("before", column.before), ("after", column.after)):
            figures = (found.mean, found.sd, found.minimum, found.median, found.maximum)
            yield (truncate(column.column), when, *map(short, figures))


def rows_without_ends(record: Noise) -> list[tuple[str, ...]]:
    """The same under WITHOUT_ENDS."""
    places = [HEADS.index(head) for head in WITHOUT_ENDS]
    return [tuple(row[place] for place in places) for row in summary_rows(record)]


@as_text.register
def _(record: Noise) -> str:
    columns = and_list(column.column for column in record.columns)
    return f"Noise on {columns} of {format_count(record.n_rows, 'row')}"


@as_blocks.register
def _(record: Noise) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from sentences(noise_sentences(record))
    yield from sentences(record.warnings, "look")
    yield table("Before and after (confidential)", WITHOUT_ENDS, rows_without_ends(record))
    yield from sentences(record.statement.splitlines())


@dataclass(frozen=True)
class NoiseScreen:
    """What is to be shown of one column on the custodian's own screen."""

    column: str
    choice: NoiseChoice | None  # None where the amount was given
    ecap: Ecap  # at the amount that is used
    noise: Noise | None  # None where nothing was written


def noise_blocks(found: NoiseScreen, paths: Sequence[str]) -> Iterator[Block]:
    """What the column needs, what the noise did, and where the files are."""
    yield Heading(f"Noise for {truncate(found.column)}: membership disclosure (ECAP)")
    told = dict(ecap_sentences(found.ecap))
    if found.choice is not None:
        # With the noise that is used, not with the least.
        told = {**dict(choice_sentences(found.choice)), "claim": told["claim"]}
    tail = told.pop("tail", None)
    yield from sentences(told.values(), "lead")
    warned = [*(found.choice.warnings if found.choice else ()), *([tail] if tail else ())]
    warned += [*found.ecap.warnings, *(found.noise.warnings if found.noise else ())]
    yield Items(tuple(dict.fromkeys(warned)), "▲")
    if found.choice is not None:
        yield from choice_tables(found.choice)
    if found.noise is not None:
        yield Heading("What the noise did", 4)
        yield from sentences(noise_sentences(found.noise), "lead")
        yield table("Before and after", HEADS, summary_rows(found.noise), spare=("sd",))
    yield from sentences((f"Written: {path}" for path in paths), "lead")
