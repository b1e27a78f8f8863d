"""`unveil synthesise`: copies of a file, fitted once, drawn as often as asked for, marked FAKE."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.cli.fake_files import ending_of, targets_of, write_copies
from unveil.cli.progress import progress_bar
from unveil.cli.screen import notes
from unveil.cli.shown import put_out
from unveil.cli.synthesis_options import synthesis_options
from unveil.cli.tables import as_wide_as_fits, longest_name, new_table
from unveil.errors import ReadError, RolesError, WriteError
from unveil.read.files import read_table
from unveil.records.synthesis import Synthesis
from unveil.report import synthesis as told
from unveil.report.words import lines, visible
from unveil.synthesis.model_file import refuse_path, save
from unveil.synthesis.predicting import Layout, methods_of
from unveil.synthesis.synthesise import synthesise as fit
from unveil.synthesis.synthesiser import Synthesiser


@dataclass(frozen=True)
class Written:
    """What is on the disk in the end."""

    copies: tuple[Path, ...]
    model: Path | None


@click.command(short_help="Make synthetic copies of a file, marked as fake.")
@click.argument("file", required=False)
@synthesis_options
def synthesise(
    *,
    file: str | None,
    copies: int,
    out: Path | None,
    ending: str | None,
    model: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Make synthetic copies of FILE: each column is modelled on those before it, then drawn.

    The copies go into a folder, under names that begin with FAKE_; nothing that is there is
    overwritten. A copy is not safe because it is synthetic: measure it, with unveil disclosure.

    \b
    Example:
      unveil synthesise survey.csv --out copies
      unveil synthesise survey.sav --copies 5 --seed 1 --out copies \\
        --rule 'if age < 16 then marital = SINGLE' --special-codes income=-8
    """
    if file is None or out is None or not str(out).strip("."):
        raise ReadError(
            "Name the file and the folder for its copies: unveil synthesise survey.csv --out"
            " copies."
        )
    targets = targets_of(file, out, max(copies, 1), ending or ending_of(file))
    if model is not None:
        _refuse_beside(refuse_path(model), out)
    with progress_bar(Console(stderr=True)) as bar:
        made = fit(file, copies=copies, **_asked(file, settings), progress=bar)
    record = replace(
        made.record,
        warnings=(*made.record.warnings, *told.several(made.record.n_copies)),
    )
    written = _written(made, targets, model)
    for sentence in record.warnings:
        click.echo(f"unveil: {lines(sentence)}", err=True)
    put_out(_document(record, written) if as_json else _screen(record, written), Console())


def _refuse_beside(model: Path, out: Path) -> None:
    """What is in the folder of the copies may be released with them."""
    if model.resolve().parent == out.resolve():
        raise WriteError(
            "The model would stand beside the copies, and might be released with them. Name a file"
            " in another folder: it is as confidential as the original."
        )


def _asked(file: str, settings: dict[str, Any]) -> dict[str, Any]:
    """What the options ask of the library."""
    derive = settings.pop("derive")
    only, (method, own) = settings.pop("predictor_only"), settings.pop("method")
    order: Any = settings["order"] or None
    asked = {
        **settings,
        "order": "auto" if order == ("auto",) else order,
        "method": own or method or "cart",
        "derived": derive,
    }
    if only or (own and method):
        asked |= _laid_out(file, asked, derive, only, (method or "cart", own))
    return {name: value for name, value in asked.items() if value not in ({}, ())}


def _laid_out(
    file: str,
    asked: Mapping[str, Any],
    derive: Mapping[str, str],
    only: tuple[str, ...],
    method: tuple[str, dict[str, str]],
) -> dict[str, Any]:
    """Order, predictors and methods spelt out for every column."""
    if asked["order"] == "auto":
        raise RolesError(
            "--order auto cannot be combined with --predictor-only, or with one method for all"
            " columns and others by column. Name the columns in their order."
        )
    table = read_table(file, side="original", missing_values=asked["missing_values"])
    layout = Layout(
        table.frame.columns, table.place, asked["keep"], asked["strata"], tuple(derive), only
    )
    order = layout.order(asked["order"])
    spelt: dict[str, Any] = {"method": methods_of(*method, order)} if method[1] else {}
    if only:
        spelt |= {"order": order, "predictors": layout.predictors(order, asked["predictors"])}
    return spelt


def _written(made: Synthesiser, targets: tuple[Path, ...], model: Path | None) -> Written:
    """Copies and model, or neither."""
    kept = None if model is None else save(made, model)
    try:
        return Written(write_copies(made.copies, targets, made.codebook), kept)
    except BaseException:
        if kept is not None:
            kept.unlink(missing_ok=True)
        raise


def _document(record: Synthesis, written: Written) -> str:
    document = {
        **record.to_dict(),
        "written": [str(path) for path in written.copies],
        "model": None if written.model is None else str(written.model),
    }
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)


def _screen(record: Synthesis, written: Written) -> Group:
    return Group(
        Text(),
        Text(told.TEMPLATES["title"], style="bold"),
        Text(told.made(record)),
        *(Text(sentence) for sentence in told.how(record)),
        Text(),
        as_wide_as_fits(
            lambda heads: _columns(record, tuple(heads)),
            told.HEADS,
            ("predictors",),
            Console().width,
        ),
        Text(),
        *_said(record),
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


def _said(record: Synthesis) -> Iterator[RenderableType]:
    said = told.said(record)
    if said:
        yield Text("What should be known of them", style="bold underline")
        yield from (Padding(Text(lines(sentence)), (0, 0, 0, 1)) for sentence in said)
        yield Text()


def _files(record: Synthesis, written: Written) -> Iterator[RenderableType]:
    yield from (Text(f"Written: {visible(str(path))}") for path in written.copies)
    if written.model is not None:
        yield Text(told.TEMPLATES["model"].format(path=visible(str(written.model))))
    yield Text(told.seed(record, has_model=written.model is not None))
