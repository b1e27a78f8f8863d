"""A codebook, and the differences of two, on a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from unveil.records.codebook import CodebookDifferences, DescribedFile, Variable
from unveil.view import codebook as shown
from unveil.view.codebook_sentences import (
    NO_DATA,
    RULES,
    code,
    columns,
    findings,
    headline,
    list_values,
)
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, longest_name, new_table
from unveil.view.format import truncate, visible

MOST_CODES = 12
"""Codes of one column on a terminal; documents and pages have all."""


def screen(record: DescribedFile | CodebookDifferences, width: int) -> Group:
    """All that a custodian sees of one file, or of two."""
    if isinstance(record, CodebookDifferences):
        return Group(*_differences(record))
    return Group(*_description(record, width))


def _description(record: DescribedFile, width: int) -> Iterator[RenderableType]:
    yield Text()
    yield Text(headline(record), style="bold")
    for said in (record.codebook.file_label, *record.codebook.notes):
        if said:
            yield Text(visible(said))
    yield Text(NO_DATA if record.declared_only else RULES, style="dim")
    yield Text()
    yield _overview(record, width)
    yield Text()
    coded = [variable for variable in record.codebook.variables if variable.levels]
    yield from _list("What the codes stand for", [_codes(variable) for variable in coded])
    yield from _list("What occurs, where no codes are declared", _format_values(record))
    looks = [f"▲ {truncate(at) + ': ' if at else ''}{said}" for at, said in findings(record)]
    yield from _list("What to look at", looks)
    yield from notes(record.coercions)


def _list(title: str, told: Sequence[str]) -> Iterator[RenderableType]:
    """Lines under a title; nothing without any."""
    if not told:
        return
    yield Text(title, style="bold underline")
    for line in told:
        yield Padding(Text(line), (0, 0, 0, 1))
    yield Text()


def _format_values(record: DescribedFile) -> list[str]:
    return [
        f"{truncate(variable.name)}: {told}"
        for variable, found in columns(record)
        if found is not None and found.n_outside is None
        if (told := list_values(found, MOST_CODES))
    ]


def _overview(record: DescribedFile, width: int) -> RenderableType:
    """Every column in a row; on a narrow screen without its kind, then without its label."""
    rows = [
        dict(zip(shown.HEADS, shown.overview_cells(*column), strict=True))
        for column in columns(record)
    ]
    heads = [head for head in shown.HEADS if any(row[head] for row in rows)]
    names = [one.name for one in record.codebook.variables]

    def made(chosen: Any) -> Any:
        table = new_table("Columns")
        for head in chosen:
            is_name, is_figure = head == shown.HEADS[0], head == "missing"
            table.add_column(
                head,
                overflow="fold",
                justify="right" if is_figure else "left",
                min_width=longest_name(names) if is_name else None,
                no_wrap=is_figure,
            )
        for row in rows:
            table.add_row(*(Text(row[head]) for head in chosen))
        return table

    return fit_width(made, heads, ("kind",), width)


def _codes(variable: Variable) -> str:
    lost = set(variable.missing)
    told = [
        f"{code(level.code)}{f' {truncate(level.label)}' if level.label != level.code else ''}"
        f"{' (no answer)' if level.code in lost else ''}"
        for level in variable.levels[:MOST_CODES]
    ]
    more = len(variable.levels) - MOST_CODES
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{truncate(variable.name)}: {', '.join(told)}{rest}"


def _differences(record: CodebookDifferences) -> Iterator[RenderableType]:
    yield Text()
    yield Text(shown.differences_headline(record), style="bold")
    yield Text()
    for _, sentence, remedy in map(shown.difference_cells, record.rows):
        yield Text(f"▲ {sentence}")
        yield Padding(Text(remedy, "dim"), (0, 0, 0, 2))
    if record.rows:
        yield Text()
    yield from notes(record.coercions)
