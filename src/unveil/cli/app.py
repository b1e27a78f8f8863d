"""`unveil app`: the project in a browser, on this machine only."""

from importlib.util import find_spec
from pathlib import Path

import click

from unveil.cli.options import option
from unveil.errors import SettingsError
from unveil.view.format import lines


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@option("--no-open is_opened", "Print the address only.", is_flag=True, flag_value=False)
@option("--port", "The port. Default: one that is free.", "N", type=click.IntRange(0, 65535))
@option(
    "--root roots",
    "A folder from which files may be chosen, beside the project's own. May be repeated.",
    "DIR",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
def app(
    *, folder: Path | None, is_opened: bool | None, port: int | None, roots: tuple[Path, ...]
) -> None:
    """Open the project of FOLDER (default: this folder) in the browser.

    Only this machine can reach it, at an address that works once. Every page shows the command that
    does the same. Data files are read in place and never uploaded. Stop it with Ctrl-C: a job under
    way continues, and the app shows it when you open it again.

    \b
    Example:
      unveil app
      unveil app myproject --no-open --root /data/surveys
    """
    if any(find_spec(one) is None for one in ("starlette", "uvicorn", "multipart")):
        raise SettingsError("The app needs three packages more: pip install 'unveil[app]'.")
    from unveil.app.server import serve

    place = (folder or Path.cwd()).absolute()
    serve(place, port=port or 0, roots=roots, is_opened=is_opened is not False, say=_say)


def _say(address: str) -> None:
    click.echo(f"unveil: open on this machine only, once: {lines(address)}", err=True)
