"""Commands of the desk as people type them, registered or not."""

from importlib import import_module

from click.testing import CliRunner

from unveil.cli.commands import COMMANDS
from unveil.errors import UnveilError


def typed(folder, command, *arguments, takes_option=True):
    """Exit code, standard output and what was told of a command in a project."""
    module = import_module(f"unveil.cli.{COMMANDS.get(command, (command, ''))[0]}")
    given = [*map(str, arguments), *(["--project"] if takes_option else []), str(folder)]
    done = CliRunner().invoke(
        getattr(module, command), given, env={"COLUMNS": "100"}, standalone_mode=False
    )
    if isinstance(done.exception, UnveilError):
        return done.exception.exit_code, done.stdout, str(done.exception)
    if done.exception is not None:
        raise done.exception
    return done.return_value or 0, done.stdout, done.stderr
