"""What noise did to a copy, in sentences and tables for its custodian."""

from collections.abc import Iterator
from decimal import Decimal

from unveil.records.noise import Noise, NoisedColumn
from unveil.view.format import and_list, format_count, lines, truncate
from unveil.view.html import grid, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "moved": "{column}: {n} of {all} moved, by {mean} on average and by {most} at most.",
    "kept": "{column}: {kept} left as they are.",
    "redrawn": "{column}: {n} would have become codes for missing values; redrawn.",
    "clipped": "{column}: {n} beyond {ends} set to {them}.",
    "not needed": "{column} needs no noise: {reason}.",
    "undeclared": "Nothing was said about {columns}: numbers too, released as they are. Add noise,"
    " or say why they need none.",
}
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
        said = TEMPLATES["not needed"].format(column=truncate(one.column), reason=reason)
        yield "not needed", said
    if record.undeclared:
        yield "undeclared", TEMPLATES["undeclared"].format(columns=and_list(record.undeclared))


def column_sentences(column: NoisedColumn) -> Iterator[tuple[str, str]]:
    """What was done to one column, each sentence with the name of its template."""
    called, moved = truncate(column.column), column.displacement
    if moved is not None:
        said = TEMPLATES["moved"].format(
            column=called,
            n=f"{column.n_changed:,}",
            all=format_count(column.n_values, "value"),
            mean=short(moved.mean_absolute),
            most=short(moved.largest),
        )
        yield "moved", said
    kept = [f"{column.n_missing:,} missing"] if column.n_missing else []
    kept += [f"{format_count(column.n_codes, 'code')} for no answer"] if column.n_codes else []
    if kept:
        yield "kept", TEMPLATES["kept"].format(column=called, kept=" and ".join(kept))
    if column.n_redrawn:
        n = format_count(column.n_redrawn, "value")
        yield "redrawn", TEMPLATES["redrawn"].format(column=called, n=n)
    if column.n_clipped:
        ends = [plain(end) for end in (column.lowest, column.highest) if end is not None]
        clipped = TEMPLATES["clipped"].format(
            column=called,
            n=format_count(column.n_clipped, "value"),
            ends=" and ".join(ends),
            them="these" if len(ends) > 1 else "it",
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


@as_html.register
def _(record: Noise) -> str:
    return titled_view(
        as_text(record),
        *(paragraph(sentence) for sentence in noise_sentences(record)),
        *(paragraph(lines(warning)) for warning in record.warnings),
        grid("Before and after (confidential)", WITHOUT_ENDS, rows_without_ends(record)),
        *(paragraph(line) for line in record.statement.splitlines()),
    )
