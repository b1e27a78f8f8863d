"""`unveil`: each command is loaded when it is typed; what people can mend is one sentence."""

import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from signal import SIGTERM, signal

import click

import unveil
from unveil.errors import UnveilError


class Commands(click.Group):
    """The commands of `unveil.cli.commands`."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(import_module("unveil.cli.commands").ALL)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        make = import_module("unveil.cli.commands").ALL.get(name)
        return make and make()


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False,
    invoke_without_command=True,
)  # fmt: skip
@click.version_option(unveil.__version__)
@click.pass_context
def commands(context: click.Context) -> None:
    """The disclosure risk of synthetic data and of tables of counts, before release."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run a command; an exit code says what kind of fault there is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # of a terminal that lacks a sign
    with suppress(ValueError):  # only a main thread is told; who is ended leaves no files behind
        signal(SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(commands(prog_name="unveil", standalone_mode=False))
    except UnveilError as fault:
        click.echo(f"unveil: {fault}", err=True)
        sys.exit(fault.exit_code)
    except click.ClickException as fault:
        click.echo(f"unveil: {fault.format_message()} Try unveil --help.", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except OSError as fault:
        click.echo(f"unveil: the output cannot be written ({fault.strerror}).", err=True)
        sys.exit(2)
    except Exception as fault:  # its text may hold values of the data
        click.echo(f"unveil: internal error ({type(fault).__name__}). Please report it.", err=True)
        sys.exit(1)
