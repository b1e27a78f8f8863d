"""Simulated attacks on a terminal: what was tried, one table, what it says in words."""

from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.attacks import AttackRun, Attacks, CopyAttacks, Membership
from unveil.view import attacks as words
from unveil.view import membership as of_membership
from unveil.view.attack_rows import HEADS, AttackDisplayRow, attack_rows, cells, has_control, legend
from unveil.view.attack_rows import warnings as warnings_of
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, new_table
from unveil.view.format import lines, truncate

LOW, HIGH, PICTURE = -0.25, 1.0, 31
ZERO = round(-LOW / (HIGH - LOW) * (PICTURE - 1))
PICTURE_HEAD = f"{'0':>{ZERO + 1}}{'1':>{PICTURE - ZERO - 1}}"
LONGEST_LABEL = 26
STYLES = {"above 0": "bold red", "below 0": "dim"}


def attack_screen(run: AttackRun, *, most: int) -> Group:
    """All that a custodian sees, in the order they need it."""
    parts: list[RenderableType] = [
        Text(),
        Text("What simulated attacks find in the copy", style="bold"),
    ]
    parts.extend(_list(run.notes, "▸"))
    for copy in run.copies:
        parts.extend(_copy(copy, most, several=len(run.copies) > 1))
    return Group(*parts, Text(words.TEMPLATES["limits"]))


def _copy(copy: CopyAttacks, most: int, *, several: bool) -> Iterator[RenderableType]:
    if several:
        yield Text(f"Copy {copy.copy}: {truncate(copy.file)}", style="bold underline")
    if copy.attacks:
        yield from _attacks(copy.attacks, most)
    if copy.membership is not None:
        yield from _membership(copy.membership)
    told = [
        *words.reading_notes(copy.attacks),
        *(copy.membership.coercions if copy.membership else ()),
    ]
    yield from notes(list(dict.fromkeys(told)))


def _attacks(records: Sequence[Attacks], most: int) -> Iterator[RenderableType]:
    yield Text(words.sizes(records[0]))
    yield Text()
    for sentence in words.general(records):
        yield Text(sentence)
        yield Text()
    yield _table(attack_rows(records), Console().width, with_control=has_control(records))
    yield Padding(Text(legend(records), style="dim"), (0, 0, 1, 1))
    yield from _render_sentences(records, most)
    yield from _list(map(lines, warnings_of(records)), "▲")


def _table(rows: Sequence[AttackDisplayRow], width: int, *, with_control: bool) -> Table:
    heads = (*HEADS[1:], PICTURE_HEAD) if with_control else (*HEADS[1:4], HEADS[6])

    def made(shown: Sequence[str]) -> Table:
        table = new_table("Attacks, in each the highest risk first")
        table.add_column(HEADS[0], overflow="fold", max_width=LONGEST_LABEL)
        for head in shown:
            justify: Literal["left", "right"] = "left" if head == PICTURE_HEAD else "right"
            table.add_column(_two_lines(head), justify=justify, no_wrap=True)
        above = None
        for one in rows:
            over, label = _name(one)
            if over is not None and over != above:
                table.add_row(Text(over))
            above = over
            table.add_row(Text(label), *_cells(one, shown))
        return table

    spare = (PICTURE_HEAD, HEADS[1], HEADS[3]) if with_control else ()
    return fit_width(made, heads, spare, width)


def _two_lines(head: str) -> str:
    return head if head == PICTURE_HEAD else head.replace(" ", "\n")


def _name(shown: AttackDisplayRow) -> tuple[str | None, str]:
    """What stands over a row, if anything, and what it is called below that."""
    if shown.row.target is not None:
        group = shown.row.group
        return (
            f"{shown.kind} of",
            f"  {shown.secret}" if group is None else f"    = {truncate(group)}",
        )
    over, by, columns = shown.kind.partition(" by ")
    return (f"{over} by", f"  {columns}") if by else (None, shown.kind)


def _cells(shown: AttackDisplayRow, heads: Sequence[str]) -> list[Text]:
    named = dict(zip(HEADS[1:], cells(shown), strict=True)) | {PICTURE_HEAD: _picture(shown)}
    style = STYLES.get(shown.reading, "")
    return [Text(named[head], style if head == "R" else "") for head in heads]


def _picture(shown: AttackDisplayRow) -> str:
    """The interval as a line with R on it and 0 behind it; what lies outside ends at the edge."""
    drawn = [" "] * PICTURE
    drawn[ZERO] = "│"
    row = shown.row
    if row.R is None or shown.interval is None:
        return "".join(drawn)
    low, high = (_place(end) for end in shown.interval)
    drawn[low : high + 1] = "─" * (high + 1 - low)
    drawn[ZERO] = "┼" if low <= ZERO <= high else "│"
    drawn[_place(row.R)] = {"above 0": "■", "holds 0": "○"}.get(shown.reading, "▽")
    return "".join(drawn)


def _place(value: float) -> int:
    share = (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW)
    return round(share * (PICTURE - 1))


def _render_sentences(records: Sequence[Attacks], most: int) -> Iterator[RenderableType]:
    told, n_left = words.attack_sentences(records, most)
    if not told or not most:
        return
    yield Text("In words", style="bold underline")
    for label, sentence in told:
        yield Padding(Text.assemble((f"{label}. ", "bold"), sentence), (0, 0, 0, 1))
    if n_left:
        n_secrets = most + n_left
        yield Text(f"In words for {n_left:,} more secrets: --words {n_secrets}", style="dim")
    yield Text()


def _list(sentences: Sequence[str] | Iterator[str], mark: str) -> Iterator[RenderableType]:
    told = list(sentences)
    for sentence in told:
        yield Padding(Text(f"{mark} {lines(sentence)}"), (0, 0, 0, 1))
    if told:
        yield Text()


def _membership(record: Membership) -> Iterator[RenderableType]:
    yield Text("Membership: can it be told who was in the original?", style="bold underline")
    for figure, sentence in of_membership.membership_sentences(record):
        if figure != "threshold":  # a warning says so
            yield Padding(Text(sentence), (0, 0, 0, 1))
    yield Text()
    n_apart = sum(row.recall + row.false_positive_rate < 2 for row in record.rows)
    for title, heads, rows in (
        (
            "Members by distance to the copy, until everybody is called one",
            of_membership.HEADS,
            of_membership.membership_rows(record)[: n_apart + 1],
        ),
        (
            "How close records come",
            of_membership.CLOSEST_HEADS,
            of_membership.closest_rows(record),
        ),
    ):
        yield _plain_table(title, heads, rows)
        yield Text()
    yield from _list(record.warnings, "▲")


def _plain_table(title: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    def made(shown: Sequence[str]) -> Table:
        table = new_table(title)
        for head in shown:
            table.add_column(head, justify="left" if head == heads[0] else "right")
        for row in rows:
            named = zip(heads, row, strict=True)
            table.add_row(*(Text(cell) for head, cell in named if head in shown))
        return table

    return fit_width(made, heads, heads[-2:-1], Console().width)
