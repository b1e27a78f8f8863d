"""`unveil doctor`: is all there that unveil needs? And a bundle for whoever helps."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.text import Text

from unveil.atomic import check_present, write_private
from unveil.cli.options import json_option, option
from unveil.doctor.examine import examine
from unveil.io.memory import size_text
from unveil.records.doctor import Examination, Folder, Package
from unveil.view.disclosure_tables import new_table
from unveil.view.format import format_count, visible
from unveil.view.output import print_output
from unveil.view.render_documents import json_document

LACKING = 2


@click.command(short_help="Whether all is there that unveil needs; a bundle for help requests.")
@option(
    "--bundle",
    "Write what was found to this file, to be sent to whoever helps. It holds no data, path"
    " or name.",
    "FILE",
    type=click.Path(dir_okay=False, path_type=Path),
)
@json_option
def doctor(*, bundle: Path | None, as_json: bool) -> None:
    """Look at versions, memory, folders and readers; each reader is tried on a tiny file.

    Ends with code 2 when something is missing that unveil needs.

    \b
    Example:
      unveil doctor --bundle help.json
    """
    if bundle is not None:
        check_present(bundle)
    found = examine()
    document = json_document(found)
    if bundle is not None:
        write_private(bundle, f"{document}\n".encode())
        told = f"Written: {visible(str(bundle))}. It holds no data, no path and no name."
        click.echo(f"unveil: {told}", err=True)
    print_output(document if as_json else _screen(found))
    if found.faults:
        sys.exit(LACKING)


def _screen(found: Examination) -> Group:
    return Group(
        Text(),
        Text(f"unveil {found.version}", style="bold"),
        Text(f"Python {found.python} on {found.system} ({found.machine}), {_cores(found)}"),
        Text(_memory(found)),
        *(Text(_folder(one)) for one in found.folders),
        Text(
            f"Terminal: {found.terminal_width} characters wide, {found.encoding or 'no encoding'}"
        ),
        Text(found.network),
        Text(),
        *_readers(found),
        *_packages(found),
        *(Text(f"▲ {remark}") for remark in found.remarks),
        *(Text(f"■ {fault}", style="bold red") for fault in found.faults),
        *(
            []
            if found.faults
            else [Text("● Everything that unveil needs is there.", style="green")]
        ),
    )


def _cores(found: Examination) -> str:
    return "cores unknown" if found.n_cores is None else format_count(found.n_cores, "core")


def _memory(found: Examination) -> str:
    free = "unknown" if found.memory_free is None else f"{size_text(found.memory_free)} free"
    total = "" if found.memory_total is None else f" of {size_text(found.memory_total)}"
    return f"Memory: {free}{total}"


def _folder(place: Folder) -> str:
    can = "can be written to" if place.writable else "cannot be written to"
    free = "" if place.free is None else f", {size_text(place.free)} free"
    name = "This folder" if place.which == "current" else "The folder for temporary files"
    return f"{name} {can}{free}"


def _readers(found: Examination) -> Iterator[RenderableType]:
    table = new_table("Files that can be read")
    table.add_column("ending", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("why", ratio=1)
    for one in found.readers:
        table.add_row(Text(f".{one.ending}"), Text(one.status), Text(one.why or ""))
    yield table
    yield Text()


def _packages(found: Examination) -> Iterator[RenderableType]:
    if not found.packages:
        return
    table = new_table("Packages")
    for head in ("package", "version", "needed for", "status"):
        table.add_column(head, no_wrap=True)
    for one in found.packages:
        needed = "always" if one.extra is None else f"extra {one.extra}"
        table.add_row(*map(Text, (one.name, one.version or "-", needed, _status(one))))
    yield table
    yield Text()


def _status(one: Package) -> str:
    if one.is_enough:
        return "works"
    if one.version is None:
        return "not installed"
    return f"older than {one.wants}"
