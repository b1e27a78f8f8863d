"""Runs side by side: the settings that differ, then what they did to the figures."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from unveil.records.limits import MEASURES
from unveil.records.run import FigureChange, RunComparison, SettingChange
from unveil.view import blocks
from unveil.view.blocks import Block, Heading, Sentence, TableBlock, table
from unveil.view.format import and_list, format_count, format_value, truncate, visible
from unveil.view.show import as_blocks, as_text
from unveil.view.status import GLYPHS, format_status, worst

_MOST = {"DiSCO": 15, "SAP": 1}
"""Rows of a measure that are shown, the worst first; 3 of the others."""
_WORST = "worst copy"
_FIELDS = ("measure", "scenario", "target", "subject", "copy")
_RISK = (
    *("DiSCO", "repU", "GTCAP", "R", "membership", "AUC", "recognised", "epsilon", "ECAP", "SAP"),
    "unique",
)
_UTILITY = ("S_pMSE", "pMSE")


@as_text.register
def _(record: RunComparison) -> str:
    changed = format_count(len(record.settings), "setting differs", "settings differ")
    moved = [sum(bool(row.change) for row in rows) for rows in (record.risk, record.utility)]
    return (
        f"Runs {_runs(record)}: {changed}; {format_count(moved[0], 'figure')} of risk and"
        f" {moved[1]:,} of utility changed"
    )


@as_blocks.register
def _(record: RunComparison) -> Iterator[Block]:
    yield Heading(f"Runs {_runs(record)} compared")
    yield from blocks.sentences(sentences(record))
    numbers = [f"run {number}" for number in record.runs]
    heads = ("setting", *numbers)
    yield table("Settings that differ", heads, map(_setting, record.settings), text=heads)
    yield _figures("Disclosure risk", record, _headline(record.risk, _RISK))
    yield _figures("Utility", record, _headline(record.utility, _UTILITY))
    yield Sentence(f"{_legend(record)}: against the limits now in force.", "dim")


def _runs(record: RunComparison) -> str:
    return and_list(str(number) for number in record.runs)


def _setting(change: SettingChange) -> list[str]:
    of = f"{change.part}: " if change.part else ""
    values = ("-" if value is None else visible(value) for value in change.values)
    return [visible(f"{of}{change.setting}"), *values]


def _legend(found: RunComparison) -> str:
    used = {one for row in (*found.risk, *found.utility) for one in row.statuses}
    usual = ("above", "review", "within")
    return "  ".join(format_status(one) for one in GLYPHS if one in usual or one in used)


def sentences(found: RunComparison) -> Iterator[str]:
    """What changed, in words."""
    n = len(found.settings)
    if n:
        yield f"{format_count(n, 'setting differs', 'settings differ')} between the runs."
    else:
        yield "The runs have the same settings and files."
    for what, rows in (("risk", found.risk), ("utility", found.utility)):
        moved = [row for row in rows if row.change]
        if not moved:
            yield f"No figure of {what} changed."
            continue
        n_up = sum((row.change or 0) > 0 for row in moved)
        up, down = ("higher", "lower") if what == "risk" else ("worse", "better")
        yield (
            f"{what.capitalize()}: {n_up:,} of {format_count(len(rows), 'figure')} {up} and"
            f" {len(moved) - n_up:,} {down} in run {found.runs[-1]} than in run {found.runs[0]}."
        )


def _headline(rows: Sequence[FigureChange], measures: Sequence[str]) -> list[FigureChange]:
    """For each measure the highest rows; of several copies the worst, run by run."""
    kept = _worst_copy_rows(rows)
    chosen: list[FigureChange] = []
    for measure in measures:
        mine = sorted((row for row in kept if row.measure == measure), key=_worst_first)
        whole = [row for row in mine if measure in _UTILITY and row.subject in (None, _WORST)]
        rest = [row for row in mine if row not in whole]
        chosen += [*whole, *rest[: _MOST.get(measure, 3)]]
    return chosen


def _worst_first(row: FigureChange) -> float:
    return -max((value for value in row.values if value is not None), default=0.0)


def _worst_copy_rows(rows: Iterable[FigureChange]) -> list[FigureChange]:
    """One row for each figure: of several copies the highest, single or pooled."""
    by_figure: dict[tuple[Any, ...], list[FigureChange]] = {}
    for row in rows:
        figure = (row.measure, row.scenario, row.target, row.subject)
        by_figure.setdefault(figure, []).append(row)
    return [found[0] if len(found) == 1 else _highest(found) for found in by_figure.values()]


def _highest(rows: Sequence[FigureChange]) -> FigureChange:
    columns = list(zip(*(zip(row.values, row.statuses, strict=True) for row in rows), strict=True))
    best = [
        max(column, key=lambda pair: -1.0 if pair[0] is None else pair[0]) for column in columns
    ]
    values = tuple(value for value, _ in best)
    known = [value for value in values if value is not None]
    return replace(
        rows[0],
        copy=None,
        subject=", ".join([*filter(None, [rows[0].subject]), _WORST]),
        values=values,
        change=known[-1] - known[0] if len(known) > 1 else None,
        statuses=tuple(worst(column_statuses) for column_statuses in _statuses(columns)),
    )


def _statuses(columns: Sequence[Sequence[tuple[float | None, str]]]) -> Iterator[list[Any]]:
    """All statuses of a figure, run by run."""
    for column in columns:
        yield [status for _, status in column]


def _figures(title: str, found: RunComparison, rows: Sequence[FigureChange]) -> TableBlock:
    several = len({row.scenario for row in rows if row.scenario}) > 1
    cells = []
    for row in rows:
        pairs = zip(row.values, row.statuses, strict=True)
        figures = [f"{_format_figure(row.measure, v)} {_glyph(one)}".rstrip() for v, one in pairs]
        cells.append((row.measure, _about(row, several=several), *figures, _change(row)))
    heads = ("measure", "of", *(f"run {number}" for number in found.runs), "change")
    return table(title, heads, cells, text=("of",))


def _glyph(status: str) -> str:
    """The shape of a status; a figure without a limit has none, and one that is "-" says it."""
    return GLYPHS[status] if status in ("above", "review", "within") else ""  # type: ignore[index]


def _about(row: FigureChange, *, several: bool) -> str:
    parts = [
        row.scenario if several else None,
        row.target,
        row.subject,
        f"copy {row.copy}" if isinstance(row.copy, int) and row.copy > 1 else None,
    ]
    return truncate(", ".join(part for part in parts if part) or "all")


def _format_figure(measure: str, value: float | None) -> str:
    if value is None:
        return "-"
    if (unit := MEASURES[measure].unit) in ("percent", "count"):
        return format_value(value, unit)
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def _change(row: FigureChange) -> str:
    if row.change is None:
        return "-"
    if not row.change:
        return "0"
    is_percent = MEASURES[row.measure].unit == "percent"
    shown = f"{row.change:+.1f}" if is_percent else f"{row.change:+.3f}"
    small = f"{row.change:+.0g}" if is_percent else f"{row.change:+.1g}"
    return small if float(shown) == 0 else shown


def csv_rows(found: RunComparison) -> list[dict[str, Any]]:
    """Every figure as a row, a column for each run."""
    return [
        {
            "about": about,
            **{field: getattr(row, field) for field in _FIELDS},
            **_row_by_run(found.runs, row.values, "run"),
            "change": row.change,
            **_row_by_run(found.runs, row.statuses, "status"),
        }
        for about, rows in (("risk", found.risk), ("utility", found.utility))
        for row in rows
    ]


def _row_by_run(runs: Sequence[int], values: Iterable[Any], head: str) -> dict[str, Any]:
    return {f"{head}_{number}": value for number, value in zip(runs, values, strict=True)}
