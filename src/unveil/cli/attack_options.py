"""Which attacks, with which settings? How the options of `unveil attack` are read."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from unveil.cli.options import (
    by_column,
    column_names,
    keys_option,
    missing_option,
    person_option,
    words_option,
)
from unveil.errors import RolesError, SettingsError, quoted
from unveil.read.given import numbers_in

Sets = tuple[tuple[str, ...], tuple[str, ...]]
Command = Callable[..., Any]

_APART = re.compile(r'((?:"(?:[^"]|"")*"|[^":])*):(.*)', re.DOTALL)


def two_sets(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[Sets, ...]:
    """Two sets of column names with a colon between them; a name with one stands in quotes."""
    return tuple(_sets(text, context, option) for text in given)


def _sets(text: str, context: click.Context, option: click.Parameter) -> Sets:
    parted = _APART.fullmatch(text)
    if parted is None:
        raise RolesError(
            f"{option.opts[0]} {quoted(text)} cannot be read. Write the columns of one file, a"
            f" colon, and those of the other: {option.opts[0]} sex,age:region,job. A name that"
            " holds a colon stands in double quotes."
        )
    one, other = (column_names(context, option, (part,)) for part in parted.groups())
    return one, other


def number_by_column(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, float | str]:
    """Numbers of columns; what is none is left as it is, to be refused by its name."""
    made: dict[str, float | str] = {}
    for name, text in by_column(context, option, given).items():
        numbers = numbers_in(text)
        made[name] = numbers[0] if len(numbers) == 1 else text
    return made


def whole_numbers(context: click.Context, option: click.Parameter, given: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, each once."""
    numbers = [one for one in numbers_in(given) if not isinstance(one, str)]
    if len(numbers) != given.count(",") + 1 or not all(n.is_integer() and n > 0 for n in numbers):
        raise SettingsError(
            f"{option.opts[0]} {quoted(given)} cannot be read. Write whole numbers of 1 or more"
            f" with commas between them: {option.opts[0]} 1,5."
        )
    return tuple(dict.fromkeys(int(number) for number in numbers))


def which_options(command: Command) -> Command:
    """--all, or the attacks by name."""
    for option in (
        click.option(
            "--membership",
            is_flag=True,
            help="Try to tell who was in the original; needs --control.",
        ),
        click.option("--inference", is_flag=True, help="Guess secrets from the nearest record."),
        click.option(
            "--linkability",
            multiple=True,
            metavar="NAMES:NAMES",
            callback=two_sets,
            help="Link two parts of a record: sex,age:region,job. May be repeated.",
        ),
        click.option(
            "--singling-out",
            is_flag=True,
            help="Look for descriptions that fit one person alone.",
        ),
        click.option(
            "--all",
            "everything",
            is_flag=True,
            help="Every attack that can be run; so it is if none is named.",
        ),
        click.option(
            "--control",
            metavar="FILE",
            help="People of the same kind whose records were not used. Without them there is no R.",
        ),
    ):
        command = option(command)
    return command


def setting_options(command: Command) -> Command:
    """What is known, what is guessed, how many are attacked, and how columns are read."""
    for option in (
        missing_option,
        person_option,
        click.option(
            "--special-codes",
            multiple=True,
            metavar="COLUMN=CODES",
            callback=by_column,
            help="Codes that are no amounts: income=-8,-9. May be repeated.",
        ),
        click.option(
            "--without",
            multiple=True,
            metavar="NAMES",
            callback=column_names,
            help="Columns to leave out, such as numbers of records.",
        ),
        click.option(
            "--categorical",
            multiple=True,
            metavar="NAMES",
            callback=column_names,
            help="Columns of numbers that are codes: the same or not, never near.",
        ),
        click.option(
            "--seed", type=int, metavar="N", help="Drawn, and recorded, if none is given."
        ),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Of the intervals."
        ),
        click.option("--groups", is_flag=True, help="Inference for each value of a secret, too."),
        click.option(
            "--absolute",
            multiple=True,
            metavar="COLUMN=X",
            callback=number_by_column,
            help="The same in the column's own unit: income=50. May be repeated.",
        ),
        click.option(
            "--tolerance",
            type=float,
            default=0.05,
            show_default=True,
            metavar="SHARE",
            help="By what share of the truth the guess of a number may be off.",
        ),
        click.option(
            "--n-cols",
            type=int,
            metavar="N",
            help="Singling out by so many columns at once. Default: 3.",
        ),
        click.option(
            "--k",
            default="1",
            show_default=True,
            metavar="N,N",
            callback=whole_numbers,
            help="Linkability: how many nearest records are looked at.",
        ),
        click.option(
            "--n",
            type=int,
            metavar="N",
            help="Attack so many people, drawn at random. Default: all; 500 descriptions.",
        ),
        click.option(
            "--secrets",
            multiple=True,
            metavar="NAMES",
            callback=column_names,
            help="Inference: what is guessed, each alone. Default: all that are no keys.",
        ),
        keys_option,
    ):
        command = option(command)
    return command


def document_options(command: Command) -> Command:
    """How much is said in words, and the files to write."""
    path = click.Path(path_type=Path)
    command = click.option(
        "--page", type=path, metavar="FILE.html", help="Write everything as a page."
    )(command)
    command = click.option(
        "--chart", type=path, metavar="FILE.svg", help="Write the picture of all risks."
    )(command)
    return words_option(command)


def halves(names: Sequence[str]) -> Sets:
    """The first half of the names and the rest."""
    middle = (len(names) + 1) // 2
    return tuple(names[:middle]), tuple(names[middle:])
