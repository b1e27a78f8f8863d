"""Records in a notebook and a console: headline, tables, sentences; aggregates only.

Notebooks store what they show, so nothing here is about one person. No script, no outside
resource; every name from the data is escaped.
"""

from collections.abc import Callable
from html import escape

from unveil.records.disclosure import AttributeRow, Disclosure, Excess, ExclusionTable
from unveil.records.exclusions import Effect
from unveil.view import disclosure
from unveil.view import flags as flags_view
from unveil.view.format import (
    and_list,
    n_of,
    percent_figure,
    percent_or_dash,
    ratio,
    truncate,
    visible,
)
from unveil.view.html import grid, notes, paragraph, titled_view, view
from unveil.view.show import as_html, as_text


@as_text.register
def _(record: Disclosure) -> str:
    return "\n".join(
        [*(f"STOP: {alarm}" for alarm in disclosure.alarms(record)), _headline(record)]
    )


@as_html.register
def _(record: Disclosure) -> str:
    parts = [
        *(f'<p class="stop">{escape(alarm)}</p>' for alarm in disclosure.alarms(record)),
        f"<h3>{escape(_headline(record))}</h3>",
        paragraph(disclosure.files(record)),
        paragraph(f"{disclosure.sizes(record)} {disclosure.scenario(record)}"),
        paragraph(disclosure.means(record)),
        paragraph(disclosure.people_sentence(record)),
        paragraph(flags_view.exclusions(record)),
        _identity(record),
        paragraph(disclosure.recurrence_sentence(record)),
        _certain(record),
        _guessed(record),
        _worst_in_words(record),
        _flags(record),
        _effects(record),
        notes(record.coercions),
    ]
    return view(parts)


def _headline(record: Disclosure) -> str:
    row = record.identity_of(record.headline_copy)
    head = f"Disclosure from {and_list(record.keys)}: repU {percent_or_dash(row.repU)}"
    if record.exclude:
        head = f"{head} (exclusions in force)"
    if not record.targets:
        return head
    worst = record.attribute_of(record.targets[0], record.headline_copy)
    return f"{head}; highest DiSCO {percent_or_dash(worst.DiSCO)} ({truncate(worst.target)})"


def _identity(record: Disclosure) -> str:
    row = record.identity_of(record.headline_copy)
    return _list(disclosure.identity(record, row))


def _list(said: dict[str, str]) -> str:
    items = "".join(f"<li><b>{escape(s)}</b> {escape(text)}</li>" for s, text in said.items())
    return f"<ul>{items}</ul>"


def _certain(record: Disclosure) -> str:
    has_pool = len(record.n_synthetic) > 1
    pooled = ("pooled (DiSCO)",) if has_pool else ()
    heads = ("original (Dorig)", "synthetic (DiSCO)", *pooled, "people", "protection", "removed")

    def cells(row: AttributeRow) -> tuple[str, ...]:
        pool = (record.attribute_of(row.target, "pooled").DiSCO,) if has_pool else ()
        found = "-" if row.DiSCO is None else n_of(row.DiSCO, record.n_original)
        points = "-" if row.protection is None else f"{row.protection:.1f} points"
        shown = (percent_or_dash(value) for value in (row.Dorig, row.DiSCO, *pool))
        return (*shown, found, points, percent_or_dash(row.removed))

    return _table(record, "What could be learnt for certain, the riskiest first", heads, cells)


def _guessed(record: Disclosure) -> str:
    heads = ("by frequency (baseCAPd)", "synthetic (DCAP)", "original (CAPd)")

    def cells(row: AttributeRow) -> tuple[str, ...]:
        return tuple(percent_or_dash(value) for value in (row.baseCAPd, row.DCAP, row.CAPd))

    return _table(record, "What could be guessed rightly", heads, cells)


def _table(
    record: Disclosure,
    caption: str,
    heads: tuple[str, ...],
    cells: Callable[[AttributeRow], tuple[str, ...]],
) -> str:
    """One row for each target, in the figures of the headline copy."""
    rows = (record.attribute_of(target, record.headline_copy) for target in record.targets)
    return grid(caption, ("target", *heads), [(truncate(row.target), *cells(row)) for row in rows])


def _worst_in_words(record: Disclosure) -> str:
    if not record.targets:
        return ""
    worst = record.attribute_of(record.targets[0], record.headline_copy)
    return f"<p>In words, for {escape(truncate(worst.target))}:</p>" + _list(
        disclosure.attribute(record, worst)
    )


def _flags(record: Disclosure) -> str:
    """What may be common knowledge, and what to write to leave it out."""
    items = []
    for target, flags, n_more in flags_view.group_flags(record):
        items += [
            f"<li>{escape(flag.sentence)} <code>{escape(visible(flag.exclusion))}</code></li>"
            for flag in flags
        ]
        if n_more:
            items.append(f"<li>... and {n_more:,} more about {escape(truncate(target))}</li>")
    return f"<p>What may be common knowledge:</p><ul>{''.join(items)}</ul>" if items else ""


def _effects(record: Disclosure) -> str:
    """What the exclusions changed."""
    rows = [
        (truncate(effect.target or ""), *_before_and_after(effect), ratio(effect.R))
        for effect in flags_view.effects(record)
    ]
    heads = ("target", "DiSCO of all", "after exclusions", "R")
    return grid("What the exclusions changed", heads, rows)


def _before_and_after(effect: Effect) -> tuple[str, str]:
    return percent_or_dash(effect.all), percent_or_dash(effect.after)


@as_text.register
def _(record: Excess) -> str:
    rows = flags_view.headline_excess(record)
    worst = max(rows, key=lambda row: row.R or 0, default=None)
    if worst is None:
        return "Excess over control: no target is measured"
    return (
        f"Excess over control from {and_list(record.keys)}: highest R {ratio(worst.R)}"
        f" ({worst.measure} of {truncate(worst.target)}: train {percent_or_dash(worst.train)}, "
        "control"
        f" {percent_or_dash(worst.control)})"
    )


@as_html.register
def _(record: Excess) -> str:
    heads = ("target", "measure", *flags_view.EXCESS_HEADS)
    rows = []
    for row in flags_view.headline_excess(record):
        cells = flags_view.excess_cells(record, row)
        rows.append((truncate(row.target), row.measure, *cells))
    return titled_view(
        as_text(record),
        paragraph(flags_view.excess_sizes(record)),
        grid("Train against control", heads if record.exclude else heads[:5], rows),
        notes(record.coercions),
    )


@as_text.register
def _(record: ExclusionTable) -> str:
    titles = " | ".join(column.title for column in record.columns)
    lines_ = [f"{record.measure} ({record.measure_original}) under: {titles}"]
    lines_ += [" ".join([truncate(target), *_figures(record, target)]) for target in record.targets]
    return "\n".join(lines_)


@as_html.register
def _(record: ExclusionTable) -> str:
    heads = ("target", *(f"{column.column} {column.title}" for column in record.columns))
    rows = [(truncate(target), *_figures(record, target)) for target in record.targets]
    said = " ".join(flags_view.table_sentences(record))
    columns = [
        (str(column.column), column.title, "; ".join(map(truncate, column.exclude)) or "nothing")
        for column in record.columns
    ]
    parts = [
        f"<h3>What is left when common knowledge is left out: {record.measure}</h3>",
        paragraph(f"{said} Written as copy (original)."),
        grid("What the usual exclusions leave", heads, rows),
        grid("Columns", ("column", "title", "left out"), columns),
        notes(record.coercions),
    ]
    return view(parts)


def _figures(record: ExclusionTable, target: str) -> list[str]:
    return [
        f"{percent_figure(row.synthetic)} ({percent_figure(row.original)})"
        for row in flags_view.cells_of(record, target)
    ]
