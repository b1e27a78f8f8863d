"""The command line: arguments, one library call, output.

Exit codes: 0 within limits, 1 a fault of ours, 2 wrong use or bad input, 3 a limit is exceeded (or
a log that was tampered with), 4 a person has to say something first, 5 a release pack was refused.
"""

import shutil
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from errno import ENOSPC
from signal import SIGTERM, default_int_handler, signal
from threading import current_thread, main_thread

import click

from unveil.cli.commands import Commands
from unveil.errors import UnveilError
from unveil.version import __version__
from unveil.view.format import lines

INTERRUPTED = 130


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="unveil")
@click.pass_context
def unveil(context: click.Context) -> None:
    """Assess the disclosure risk of synthetic data and tables before release.

    Everything is computed on this machine; no network is used.

    \b
    Start here:
      unveil demo                      assesses an embedded example
      unveil init survey.csv           starts a project for your file
      unveil run                       computes what it declares, against its limits
      unveil disclosure --help         two files, without a project

    \b
    Exit codes, to gate a pipeline:
      0 within limits, 2 wrong use, 3 a limit is exceeded, 4 a decision is outstanding,
      5 a release pack was refused
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end with its exit code; a fault is a sentence, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a console that cannot show a glyph shows a mark
            stream.reconfigure(errors="backslashreplace")
    if current_thread() is main_thread():  # stopped by a system as by a person: nothing is left
        signal(SIGTERM, default_int_handler)
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        return int(unveil.main(arguments, prog_name="unveil", standalone_mode=False) or 0)
    except BrokenPipeError:  # the reader of our output has seen enough
        return 1
    except (SystemExit, GeneratorExit):
        raise
    except BaseException as fault:  # a panic of polars, too, which is no `Exception`
        message, code = _describe_fault(fault)
        _say(message)
        return code


def _describe_fault(fault: BaseException) -> tuple[str, int]:
    """What to say of a fault, and the exit code."""
    if isinstance(fault, UnveilError):
        return str(fault), fault.exit_code
    if isinstance(fault, click.ClickException):
        return fault.format_message(), 2
    if isinstance(fault, OSError) and fault.errno == ENOSPC:
        return "The output could not be written. Check the disk.", 2
    if isinstance(fault, click.Abort | KeyboardInterrupt):
        return "Stopped. Nothing was written.", INTERRUPTED
    # By its type alone: the message of another library may quote data.
    return (
        f"Internal error ({type(fault).__name__}). Nothing was written. The error is in unveil,"
        " not in your data: please report it with the command, and without any data.",
        1,
    )


def _say(message: str) -> None:
    text = f"unveil: {lines(message)}"
    is_read = sys.stderr.isatty()  # what another program reads keeps its lines
    with suppress(OSError):  # nobody reads it: the exit code says it, too
        click.echo(
            wrap_sentences(text, shutil.get_terminal_size().columns) if is_read else text, err=True
        )


def wrap_sentences(text: str, width: int) -> str:
    """Sentences in lines that fit a terminal, each point of a list below itself."""
    return "\n".join(
        textwrap.fill(
            line,
            max(width, 40),
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    )
