"""The command line: arguments, one library call, output.

Exit codes: 0 within limits, 1 a fault of ours, 2 wrong use or bad input, 3 a limit is exceeded.
"""

import sys
from collections.abc import Sequence

import click

from unveil import __version__
from unveil.cli.demo import demo
from unveil.cli.disclosure import disclosure
from unveil.errors import UnveilError
from unveil.report.words import lines

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="unveil")
def unveil() -> None:
    """Tell what a release would give away, before it is released.

    Everything is computed on this machine; no network is used.

    \b
    Start here:
      unveil demo                      the main job on an embedded example
      unveil disclosure --help         your own files
    """


unveil.add_command(demo)
unveil.add_command(disclosure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end with its exit code; a fault is a sentence, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a console that cannot show a glyph shows a mark
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        code = unveil.main(arguments, prog_name="unveil", standalone_mode=False)
    except UnveilError as fault:
        _say(str(fault))
        return fault.exit_code
    except click.ClickException as fault:
        _say(fault.format_message())
        return 2
    except (click.Abort, KeyboardInterrupt):
        _say("Stopped. Nothing was written.")
        return INTERRUPTED
    except BrokenPipeError:
        return 1
    except Exception as fault:  # the outermost edge: by type alone, for messages may quote data
        _say(
            f"An unexpected fault ({type(fault).__name__}). Nothing was written. This is a fault of"
            " unveil, not of your data: please report it, with the command and without any data."
        )
        return 1
    return int(code or 0)


def _say(message: str) -> None:
    click.echo(f"unveil: {lines(message)}", err=True)
