"""Where do the files of a command go? All or none of them, and private where confidential."""

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from unveil.atomic import check_present, write_all_or_none, write_private
from unveil.cli.options import FILE, Command, Decorator, option, together
from unveil.cli.progress import progress_bar
from unveil.errors import SettingsError, WriteError
from unveil.io.write_csv import guard_cells
from unveil.measure.disclosure.result import DisclosureResult
from unveil.records.base import Record
from unveil.view.blocks import Block
from unveil.view.format import format_count, lines, people, visible
from unveil.view.output import print_record
from unveil.view.render_documents import guard_text
from unveil.view.show import charts

if TYPE_CHECKING:  # what a command has no need of is not imported with it
    from unveil.measure.uniques.match_risk import MatchRiskResult
    from unveil.measure.uniques.suda_result import SudaResult
    from unveil.view.charts.chart import Chart

# Where do pages, pictures and tables for the custodian go? All of them, or none.

PICTURES = {"--chart", "--curve", "--populations", "--before-after"}


def check_targets(targets: Mapping[str, Path | None]) -> None:
    """Refuse, before anything is read, what could not be written in the end; by option."""
    given = {name: path for name, path in targets.items() if path is not None}
    for name, path in given.items():
        check_present(path)
        if not path.parent.is_dir():
            raise WriteError(
                f"There is no folder {str(path.parent)!r} to write to. Make it first, or name"
                " another."
            )
        for other, place in given.items():
            if name < other and path.resolve() == place.resolve():
                raise SettingsError(f"{name} and {other} name the same file. Give each its own.")
    if pictures := given.keys() & PICTURES:
        from unveil.view.charts.chart import check_ending

        for name in pictures:
            check_ending(given[name])


def write_targets(made: Mapping[Path | None, Callable[[], "str | Chart"]]) -> None:
    """Draw everything asked for, then write everything; where one fails, none is left."""
    contents = {
        path: shown.encode() if isinstance(shown := draw(), str) else shown.encode(path)
        for path, draw in made.items()
        if path is not None
    }
    with write_all_or_none() as written:
        for path, content in contents.items():
            write_private(path, content)
            written.append(path)
    for path in written:
        click.echo(f"unveil: written to {lines(str(path))}. It is confidential.", err=True)


# `--chart`: the picture of what a command found, in a file only its owner may read.


def _fit_to_write(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    check_targets({option.opts[0]: path})
    return path


chart_option = option(
    "--chart", "Write the chart: .svg, .png or .pdf.", "FILE", type=FILE, callback=_fit_to_write
)
"""--chart: refused before anything is read where it could not be written."""


def write_chart(path: Path | None, record: Record, name: str | None = None) -> list[Path]:
    """Draw a chart of a record, or its first, write it where it was asked for, and say where."""
    if path is None:
        return []
    named = charts(record)
    draw = named[name or next(iter(named))]
    write_targets({path: lambda: draw(record)})
    return [path]


# What a command found, put out in the form that was asked for.


@dataclass(frozen=True)
class CommandResult:
    """A record, and what its form alone does not say."""

    record: Record
    rows: Iterable[Record | dict[str, Any]] = ()  # of --csv
    blocks: Iterable[Block] | None = None  # on a screen; None: those of the record
    exit_code: int = 0


def prints_result(*options: Decorator) -> Decorator:
    """Options of output; the command gets `progress`, and what it gives back is put out by them."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def print_result(
            *, as_json: bool, as_csv: bool = False, chart: Path | None = None, **given: Any
        ) -> int:
            with progress_bar() as bar:
                found: CommandResult = command(**given, progress=bar)
            write_chart(chart, found.record)
            print_record(
                found.record, found.blocks, rows=found.rows, as_json=as_json, as_csv=as_csv
            )
            return found.exit_code

        return together(*options)(print_result)

    return decorate


# `--records`: who is at risk, for the custodian's eyes, in a file only its owner may read.


OWN = ("row", "target", "copy")


def check_records(targets: Mapping[str, Path | None]) -> None:
    """Refuse, before anything is measured, files that could not be written in the end."""
    for path in targets.values():
        if path is not None and not path.name.lower().endswith(".csv"):
            raise WriteError(
                "Records at risk are written as CSV. Name a file that ends in .csv, not"
                f" {path.name!r}."
            )
    check_targets(targets)


def write_records(result: DisclosureResult, path: Path) -> str:
    """Write the records behind DiSCO, target after target, and say what was written."""
    frames = [_target_records(result, target) for target in result.record.targets]
    together = pl.concat(frames, how="vertical") if frames else pl.DataFrame({"row": []})
    write_private(path, _document(together))
    found, who = format_count(together.height, "disclosure"), people(together["row"].n_unique())
    return (
        f"CONFIDENTIAL: {found} about {who} written to {visible(str(path))}; row 0 is the first of"
        " the original. The file identifies people and what would be disclosed about them: keep it"
        " where the original is kept."
    )


def _target_records(result: DisclosureResult, target: str) -> pl.DataFrame:
    """The records of one target, its values under names that all targets share."""
    found = result.records_at_risk(target, as_text=True)
    n_keys = len(result.record.keys)
    row, copy, *data = found.columns
    names = [
        *result.record.keys,
        "value",
        "copy_says",
        *(name.rstrip("_") for name in data[n_keys + 2 :]),
    ]
    return pl.DataFrame(
        [
            found[row].alias("row"),
            pl.Series("target", [target]).new_from_index(0, found.height),
            found[copy].alias("copy"),
            *(
                found[old].alias(new)
                for old, new in zip(data, headings_of(names, n_keys), strict=True)
            ),
        ]
    )


def headings_of(names: list[str], n_keys: int) -> list[str]:
    """Harmless headings, each once; a key with the name of another column says that it is one."""
    ours = [*OWN, *names[n_keys:]]
    keys: list[str] = []
    for name in names[:n_keys]:
        heading = str(guard_text(name))
        while heading in (*ours, *keys):
            heading += " (key)"
        keys.append(heading)
    return [*keys, *names[n_keys:]]


# `--records` and `--values` of `unveil uniques`: for the custodian's eyes, in private files.


def unique_records(alone: "SudaResult", risk: "MatchRiskResult", path: Path) -> tuple[bytes, str]:
    """Everyone who is alone with their keys as a document, and what to say of it."""
    found = alone.records_at_risk()
    beside = risk.frame()[found.to_series(0)].drop("row")
    n_keys = len(alone.record.keys)
    _, *rest = [*found.columns, *beside.columns]
    own = [name.rstrip("_") for name in rest[n_keys:]]
    headings = ["row", *headings_of([*rest[:n_keys], *own], n_keys)]
    columns = zip([*found, *beside], headings, strict=True)
    frame = pl.DataFrame([column.alias(heading) for column, heading in columns])
    return _document(frame), (
        f"CONFIDENTIAL: {people(found.height)} unique on the keys written to {visible(str(path))};"
        " row 0 is the first of the data. The file identifies people: keep it where the data are"
        " kept."
    )


def values_of(alone: "SudaResult", path: Path) -> tuple[bytes, str]:
    """Which values make people unique as a document, and what to say of it."""
    found = alone.value_contributions()
    return _document(found), (
        f"CONFIDENTIAL: {format_count(found.height, 'value')} of keys written to"
        f" {visible(str(path))}. Some are held by one person only: keep the file where the data"
        " are kept."
    )


def write_private_rows(path: Path, frame: pl.DataFrame, what: str) -> None:
    """Write rows about single people, for their owner alone, and say so."""
    write_private(path, _document(frame))
    click.echo(
        f"unveil: CONFIDENTIAL: {what} written to {visible(str(path))}; row 0 is the first of the"
        " original. Keep it where the original is kept.",
        err=True,
    )


def _document(frame: pl.DataFrame) -> bytes:
    document = io.BytesIO()
    guard_cells(frame).write_csv(document)
    return document.getvalue()
