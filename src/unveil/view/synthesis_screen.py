"""Copies on a terminal: how they were made, what should be known of them, and where they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.synthesis import Synthesis
from unveil.view import synthesis as told
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, longest_name, new_table
from unveil.view.format import lines, visible
from unveil.view.render_documents import json_text


@dataclass(frozen=True)
class SynthesisFiles:
    """What is on the disk in the end."""

    copies: tuple[Path, ...]
    model: Path | None = None
    is_again: bool = False  # drawn from a model that was there before
    project: Path | None = None  # the project file that names the copies now


def document(record: Synthesis, written: SynthesisFiles) -> str:
    """All of it for a machine."""
    found = {
        **record.to_dict(),
        "written": [str(path) for path in written.copies],
        "model": None if written.model is None else str(written.model),
        **({} if written.project is None else {"project": str(written.project)}),
    }
    return json_text(found)


def screen(record: Synthesis, written: SynthesisFiles, width: int) -> Group:
    """All that a custodian sees, in the order they need it."""
    return Group(
        Text(),
        Text(told.TEMPLATES["title"], style="bold"),
        Text(told.copies_sentence(record)),
        *(Text(sentence) for sentence in told.method_sentences(record)),
        Text(),
        fit_width(lambda heads: _columns(record, tuple(heads)), told.HEADS, ("predictors",), width),
        Text(),
        *_render_notes(record),
        *notes(record.coercions),
        *_files(record, written),
    )


def _columns(record: Synthesis, heads: tuple[str, ...]) -> Table:
    table = new_table("How each column was made")
    names = [column.name for column in record.columns]
    for head in heads:
        is_first = head == told.HEADS[0]
        table.add_column(
            head,
            overflow="fold",
            min_width=longest_name(names) if is_first else None,
            justify="right" if head == "predictors" else "left",
        )
    for column in record.columns:
        cells = dict(zip(told.HEADS, told.cells(column), strict=True))
        table.add_row(*(Text(cells[head]) for head in heads))
    return table


def _render_notes(record: Synthesis) -> Iterator[RenderableType]:
    said = told.synthesis_sentences(record)
    if said:
        yield Text("What should be known of them", style="bold underline")
        yield from (Padding(Text(lines(sentence)), (0, 0, 0, 1)) for sentence in said)
        yield Text()


def _files(record: Synthesis, written: SynthesisFiles) -> Iterator[RenderableType]:
    yield from (Text(f"Written: {visible(str(path))}") for path in written.copies)
    if written.model is not None:
        yield Text(told.TEMPLATES["model"].format(path=visible(str(written.model))))
    has_model = written.model is not None
    if written.project is None:
        yield Text(told.seed_sentence(record, has_model=has_model, is_again=written.is_again))
        yield Text(told.TEMPLATES["next"])
        return
    yield Text(told.TEMPLATES["entered"].format(project=visible(written.project.name)))
    yield Text(told.TEMPLATES["next in project"])
