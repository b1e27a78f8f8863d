"""Tables and pictures of the disclosure record for a terminal."""

from collections.abc import Callable, Sequence
from typing import Literal

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.judgement import Status
from unveil.records.limits import Verdict
from unveil.view import disclosure
from unveil.view import flags as flags_view
from unveil.view.format import percent_or_dash, truncate
from unveil.view.status import format_status, worst

STYLES: dict[Status, str] = {
    "above": "bold red",
    "not measured": "bold red",
    "review": "yellow",
    "within": "green",
    "no limit": "dim",
}
CERTAIN = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "TCAP")
GUESSED = ("CAPd", "CAPs", "DCAP")
PICTURE = 30
STATUS_WIDTH = 16
WIDE = 64
"""On a narrower terminal tables keep to the figures that matter most."""
POOLED_HEAD = "pooled\nDiSCO"
CHECKS_HEAD = "checks"
PICTURE_HEAD = "0 %   ■ copy  ○ original  100 %"
HEADS = (
    "original\nDorig",
    "synthetic\nDiSCO",
    POOLED_HEAD,
    "people",
    "protection\npoints",
    "removed",
    CHECKS_HEAD,
    PICTURE_HEAD,
)
BY_IMPORTANCE = [HEADS[place] for place in (1, 0, 2, 3, 6, 5, 4, 7)]


def identity_table(record: Disclosure, verdicts: Sequence[Verdict]) -> Table:
    """UiO to repU, each figure with its sentence."""
    row = record.identity_of(record.headline_copy)
    said = disclosure.identity(record, row)
    table = new_table("Who could be found")
    table.add_column("percent", justify="right", no_wrap=True)
    table.add_column("measure", no_wrap=True)
    table.add_column("what it says", ratio=1)
    if verdicts:
        table.add_column("status", no_wrap=True)
    for symbol in ("UiO", "UiS", "UiOiS", "repU"):
        style = "bold" if symbol == "repU" else ""
        cells = [
            Text(percent_or_dash(getattr(row, symbol)), style),
            Text(symbol, style),
            Text(said.get(symbol, "Not measurable.")),
        ]
        table.add_row(*cells, *_mark(verdicts, None, (symbol,)))
    return table


def certain_table(record: Disclosure, verdicts: Sequence[Verdict], width: int) -> Table:
    """What the keys settle: original against copy, target by target, as wide as there is room."""
    shown = _columns_that_fit(record, width - (STATUS_WIDTH if verdicts else 0))
    table = new_table("What could be learnt for certain, the riskiest first")
    table.add_column("target", overflow="fold", min_width=_longest_target(record))
    for head in shown:
        is_text = head in (PICTURE_HEAD, CHECKS_HEAD)
        justify: Literal["left", "right"] = "left" if is_text else "right"
        table.add_column(head, justify=justify, no_wrap=True)
    if verdicts:
        table.add_column("status", no_wrap=True)
    for row in _headline_rows(record):
        cells = _certain_cells(record, row)
        table.add_row(
            Text(truncate(row.target)),
            *(cells[head] for head in shown),
            *_mark(verdicts, row.target, CERTAIN),
        )
    return table


def _columns_that_fit(record: Disclosure, width: int) -> list[str]:
    """The columns there is room for: those that matter most first, then in their order."""
    checks = max((len(_checks(record, target)) for target in record.targets), default=0)
    is_there = {POOLED_HEAD: len(record.n_synthetic) > 1, CHECKS_HEAD: checks > 0}
    left = width - _longest_target(record) - 2
    chosen = set()
    for head in BY_IMPORTANCE:
        needed = max(len(part) for part in head.split("\n")) + 2
        if head == CHECKS_HEAD:
            needed = max(needed, checks + 2)
        if needed <= left and is_there.get(head, True):
            chosen.add(head)
            left -= needed
    return [head for head in HEADS if head in chosen]


def _certain_cells(record: Disclosure, row: AttributeRow) -> dict[str, Text]:
    pool = record.attribute_of(row.target, "pooled" if row.copy == "mean" else row.copy)
    people = "-" if row.DiSCO is None else f"{round(row.DiSCO * record.n_original / 100):,}"
    cells = [
        Text(percent_or_dash(row.Dorig)),
        Text(percent_or_dash(row.DiSCO), "bold"),
        Text(percent_or_dash(pool.DiSCO)),
        Text(people),
        Text("-" if row.protection is None else f"{row.protection:.1f}"),
        Text(percent_or_dash(row.removed)),
        Text(_checks(record, row.target)),
        _lollipop(row),
    ]
    return dict(zip(HEADS, cells, strict=True))


def _checks(record: Disclosure, target: str) -> str:
    """The flags of one target in a few letters."""
    flags = flags_view.visible_flags(record)
    return flags_view.short_flags([flag for flag in flags if flag.target == target])


def excluded_table(record: Disclosure, width: int) -> Table:
    """How many people each exclusion took out of the figures of each target."""
    table = new_table("What the exclusions took out, in people")
    table.add_column("target", overflow="fold", min_width=_longest_target(record))
    table.add_column("left out", overflow="fold", min_width=12)
    fields = ("original", "Dorig", "iS", "DiSCO") if width >= WIDE else ("DiSCO",)
    for field in fields:
        table.add_column("all" if field == "original" else field, justify="right", no_wrap=True)
    shown = 1 if len(record.n_synthetic) == 1 else "pooled"
    touched = {row.target for row in record.excluded if row.rule and row.original + row.synthetic}
    for row in record.excluded:
        if row.copy == shown and row.target in touched:
            style = "bold" if row.rule is None else ""
            table.add_row(
                Text(truncate(row.target)),
                Text("what is left" if row.rule is None else truncate(row.rule), style),
                *(Text(f"{getattr(row, field):,}", style) for field in fields),
            )
    if shown == "pooled":
        table.caption = Text("with all copies pooled")
    return table


def guess_table(record: Disclosure, verdicts: Sequence[Verdict]) -> Table:
    """What could be guessed: by frequencies, with the copy, with the original."""
    table = new_table("What could be guessed rightly")
    table.add_column("target", overflow="fold", min_width=_longest_target(record))
    for head in ("by frequency\nbaseCAPd", "synthetic\nDCAP", "original\nCAPd"):
        table.add_column(head, justify="right", no_wrap=True)
    is_judged = any(verdict.measure in GUESSED for verdict in verdicts)
    if is_judged:
        table.add_column("status", no_wrap=True)
    for row in _headline_rows(record):
        cells = [
            Text(truncate(row.target)),
            Text(percent_or_dash(row.baseCAPd)),
            Text(percent_or_dash(row.DCAP), "bold"),
            Text(percent_or_dash(row.CAPd)),
        ]
        table.add_row(*cells, *(_mark(verdicts, row.target, GUESSED) if is_judged else []))
    return table


def words_table(record: Disclosure, row: AttributeRow) -> Table:
    """The figures of one target, each beside the sentence that says what it means."""
    table = new_table(truncate(row.target))
    table.show_header = False
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    figures = {
        "DiSCO": (row.DiSCO, "DiSCO"),
        "iS, DiS": (row.iS, "iS"),
        "DCAP": (row.DCAP, "DCAP"),
        "removed": (row.removed, "removed"),
    }
    for key, sentence in disclosure.attribute(record, row).items():
        value, symbol = figures[key]
        table.add_row(Text(percent_or_dash(value)), Text(symbol, "dim"), Text(sentence))
    if spread := disclosure.spread_sentence(record, row.target, "DiSCO"):
        table.add_row("", Text("copies", "dim"), Text(spread))
    return table


def new_table(title: str) -> Table:
    """A table in the style of all others."""
    return Table(title=Text(title), title_justify="left", title_style="bold", box=None)


def fits(table: Table, width: int) -> bool:
    """Whether a table has room for all it holds."""
    wide = Console(width=1000)
    return Measurement.get(wide, wide.options, table).maximum <= width


def fit_width(
    made: Callable[[Sequence[str]], Table], heads: Sequence[str], spare: Sequence[str], width: int
) -> Table:
    """The table with all its columns, or without some that can be spared, the first of them first.

    Every figure is in --json and --csv, so nothing is lost on a narrow terminal.
    """
    shown = list(heads)
    for head in spare:
        if fits(made(shown), width):
            break
        shown.remove(head)
    return made(shown)


def longest_name(names: Sequence[str]) -> int:
    """Room for names, within reason: a figure without its name says nothing."""
    return max([8, *(min(len(truncate(one)), 20) for one in names)])


def _longest_target(record: Disclosure) -> int:
    return longest_name(record.targets)


def _headline_rows(record: Disclosure) -> list[AttributeRow]:
    return [record.attribute_of(target, record.headline_copy) for target in record.targets]


def _lollipop(row: AttributeRow) -> Text:
    """Synthetic and original risk on a line from 0 to 100 %."""
    if row.DiSCO is None or row.Dorig is None:
        return Text("")
    at, original = (round(value / 100 * PICTURE) for value in (row.DiSCO, row.Dorig))
    low, high = sorted((at, original))
    line = [" "] * low + ["─"] * (high - low) + [" "]
    line[original], line[at] = "○", "■"
    return Text("".join(line))


def _mark(verdicts: Sequence[Verdict], target: str | None, symbols: Sequence[str]) -> list[Text]:
    """The worst that the limits on some measures say of one row; nothing without any limit."""
    if not verdicts:
        return []
    statuses = {
        verdict.status
        for verdict in verdicts
        if verdict.target == target and verdict.measure in symbols
    }
    return [status_text(worst(statuses))]


def status_text(status: Status, where: str = "") -> Text:
    """A status by its shape and its word, never by colour alone."""
    return Text(f"{format_status(status)}{where}", STYLES[status], no_wrap=True)
