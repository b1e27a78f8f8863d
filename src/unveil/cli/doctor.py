"""`unveil doctor`: is the installation complete? And a support bundle without data."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from unveil.atomic import check_present, write_private
from unveil.cli.options import json_option, option
from unveil.doctor.examine import examine
from unveil.io.memory import size_text
from unveil.records.doctor import Examination, Package
from unveil.view.blocks import Block, Facts, Heading, Items, Sentence, sentences, table
from unveil.view.format import format_count, visible
from unveil.view.output import print_output
from unveil.view.render_documents import json_document

LACKING = 2
_READERS = ("ending", "result", "reason")
_PACKAGES = ("package", "version", "needed for", "result")


@click.command()
@option(
    "--bundle",
    "Write a support bundle to this file: what was found, without data, paths or names.",
    "FILE",
    type=click.Path(dir_okay=False, path_type=Path),
)
@json_option
def doctor(*, bundle: Path | None, as_json: bool) -> None:
    """Check versions, memory, folders and readers; each reader is tried on a tiny file.

    Ends with code 2 if something that unveil needs is missing.

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
        written = f"Written: {visible(str(bundle))}. It holds no data, no path and no name."
        click.echo(f"unveil: {written}", err=True)
    print_output(document if as_json else _blocks(found))
    if found.faults:
        sys.exit(LACKING)


def _blocks(found: Examination) -> Iterator[Block]:
    yield Heading(f"unveil {found.version}")
    yield Facts(tuple(_facts(found)))
    readers = [(f".{one.ending}", one.status, one.why or "") for one in found.readers]
    yield table("Readable formats", _READERS, readers, text=_READERS)
    yield table("Packages", _PACKAGES, map(_package, found.packages), text=_PACKAGES)
    yield Items(found.remarks, mark="▲")
    yield from sentences((f"■ {fault}" for fault in found.faults), "stop")
    if not found.faults:
        yield Sentence("● Everything that unveil needs is installed.", "lead")


def _facts(found: Examination) -> Iterator[tuple[str, str]]:
    cores = "cores unknown" if found.n_cores is None else format_count(found.n_cores, "core")
    yield "Python", f"{found.python} on {found.system} ({found.machine}), {cores}"
    free = "unknown" if found.memory_free is None else f"{size_text(found.memory_free)} free"
    total = "" if found.memory_total is None else f" of {size_text(found.memory_total)}"
    yield "Memory", f"{free}{total}"
    for one in found.folders:
        can = "writable" if one.writable else "not writable"
        space = "" if one.free is None else f", {size_text(one.free)} free"
        yield "This folder" if one.which == "current" else "Temporary files", f"{can}{space}"
    width, encoding = found.terminal_width, found.encoding or "no encoding"
    yield "Terminal", f"{width} characters wide, {encoding}"
    yield "Network", found.network


def _package(one: Package) -> tuple[str, str, str, str]:
    needed = "always" if one.extra is None else f"extra {one.extra}"
    status = "not installed" if one.version is None else f"older than {one.wants}"
    return one.name, one.version or "-", needed, "works" if one.is_enough else status
