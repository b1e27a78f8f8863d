"""Where do pages, pictures and tables for the custodian go? All of them, or none."""

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from unveil.errors import SettingsError, WriteError
from unveil.report.words import lines
from unveil.writing import all_or_none, refuse_present, write_private


def refuse_targets(targets: Mapping[str, Path | None]) -> None:
    """Refuse, before anything is read, what could not be written in the end; by option."""
    given = {option: path for option, path in targets.items() if path is not None}
    for option, path in given.items():
        refuse_present(path)
        if not path.parent.is_dir():
            raise WriteError(
                f"There is no folder {str(path.parent)!r} to write to. Make it first, or name"
                " another."
            )
        for other, place in given.items():
            if option < other and path.resolve() == place.resolve():
                raise SettingsError(f"{option} and {other} name the same file. Give each its own.")


def write_targets(made: Mapping[Path, Callable[[], str]]) -> None:
    """Draw everything, then write everything; where one fails, none is left."""
    contents = {path: draw().encode() for path, draw in made.items()}
    with all_or_none() as written:
        for path, content in contents.items():
            write_private(path, content)
            written.append(path)
    for path in written:
        click.echo(f"unveil: written to {lines(str(path))}. It is confidential.", err=True)
