"""Options that several commands share, and how their text is read."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.arguments import numbers_in
from unveil.errors import RolesError, SettingsError, quote_text
from unveil.view.disclosure_tables import new_table

Command = Callable[..., Any]

BESIDE = "synthetic"
"""What files without a method are called where others have one."""

_NAME = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^",]*?))\s*(?P<comma>,|\Z)')


def column_names(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Column names with commas between them; a name that holds a comma stands in double quotes."""
    what = option.opts[0]
    names = tuple(name for text in given for name in _split(text, what))
    if not all(names):
        raise RolesError(
            f"{what} holds an empty name. Write the names with one comma between them, such as"
            f" {what} sex,age,region."
        )
    return names


def _split(text: str, what: str) -> tuple[str, ...]:
    names, place, is_more = [], 0, True
    while is_more:
        found = _NAME.match(text, place)
        if found is None:
            raise RolesError(
                f"{what} cannot be read: a name in double quotes must end with one, before a comma."
            )
        quoted = found["quoted"]
        names.append(found["plain"] if quoted is None else quoted.replace('""', '"'))
        place, is_more = found.end(), found["comma"] == ","
    return tuple(names)


def parse_by_column(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Settings of columns, each as name=setting; a column may be named once."""
    settings: dict[str, str] = {}
    for text in given:
        # The last =, for a name may hold one and a setting never does.
        name, _, setting = text.rpartition("=")
        if not name or not setting.strip():
            raise SettingsError(
                f"{option.opts[0]} {text!r} cannot be read. Write a column, =, and what is wanted:"
                f" {option.metavar}."
            )
        if name in settings:
            raise SettingsError(f"{option.opts[0]} is given twice for {name!r}. Give it once.")
        settings[name] = setting
    return settings


def parse_two_numbers(
    context: click.Context, option: click.Parameter, given: str | None
) -> tuple[float, float] | None:
    """Two numbers with a comma between them."""
    if given is None:
        return None
    numbers = [one for one in numbers_in(given) if not isinstance(one, str)]
    if len(numbers) != 2 or given.count(",") != 1:
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write two numbers, of "
            "records and of"
            f" percent, with a comma between them: {option.metavar}."
        )
    return numbers[0], numbers[1]


def keys_option(command: Command) -> Command:
    """--keys: what the intruder knows."""
    return click.option(
        "--keys",
        "-k",
        multiple=True,
        metavar="NAMES",
        callback=column_names,
        help="What an intruder knows: sex,age,region.",
    )(command)


def target_option(command: Command) -> Command:
    """--target: what they would guess, one column or several jointly."""
    return click.option(
        "--target",
        "-t",
        multiple=True,
        metavar="NAMES",
        callback=column_names,
        help="What they would guess; several names are taken jointly.",
    )(command)


def key_and_target_options(command: Command) -> Command:
    """--keys and --targets: what the intruder knows, and what they might learn."""
    command = click.option(
        "--targets",
        "-t",
        multiple=True,
        metavar="NAMES",
        callback=column_names,
        help="What they might learn, each alone. Default: all other columns.",
    )(command)
    return keys_option(command)


def methods_by_name(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[str]]:
    """Methods, each as NAME=FILE,FILE; a file whose name holds a comma stands in double quotes."""
    methods: dict[str, list[str]] = {}
    for text in given:
        name, _, rest = text.partition("=")
        files = next(csv.reader([rest], skipinitialspace=True), [])
        if not name or not files or not all(files):
            raise SettingsError(
                f"--method {text!r} cannot be read. Write a name, =, and the files of its copies"
                " with commas between them: CART=copy1.csv,copy2.csv."
            )
        if name in methods:
            raise SettingsError(
                f"--method is given twice for {name!r}. Give all its files at once."
            )
        methods[name] = files
    return methods


def group_by_method(
    synthetic: tuple[str, ...], methods: dict[str, list[str]]
) -> dict[str, list[str]]:
    """All copies by their method; files without one stand beside those with one."""
    if synthetic and BESIDE in methods:
        raise SettingsError(
            f"Files without a method are called {BESIDE!r}, and so is a --method. Give the method"
            " another name."
        )
    return ({BESIDE: list(synthetic)} if synthetic else {}) | methods


def method_option(command: Command) -> Command:
    """--method: copies made in one way, by its name."""
    return click.option(
        "--method",
        "methods",
        multiple=True,
        metavar="NAME=FILES",
        callback=methods_by_name,
        help="Copies made in one way: CART=copy1.csv,copy2.csv. May be repeated.",
    )(command)


def person_option(command: Command) -> Command:
    """--person: whose row it is, where people have several."""
    return click.option(
        "--person",
        metavar="COLUMN",
        help="The column that says whose row it is, such as patient_id; none: rows are people.",
    )(command)


def missing_option(command: Command) -> Command:
    """--missing: entries that stand for nothing."""
    return click.option(
        "--missing",
        "missing_values",
        multiple=True,
        metavar="TEXT",
        help="An entry that means missing, such as NA or -9. May be repeated.",
    )(command)


def reading_options(command: Command) -> Command:
    """--bands, --special-codes and --missing: how the columns are read."""
    command = missing_option(command)
    command = click.option(
        "--special-codes",
        multiple=True,
        metavar="COLUMN=CODES",
        callback=parse_by_column,
        help="Codes that stay apart from the bands: income=-8,-9. May be repeated.",
    )(command)
    return click.option(
        "--bands",
        multiple=True,
        metavar="COLUMN=BANDS",
        callback=parse_by_column,
        help="Compare numbers in bands: age=5, age=equal:5 or age=0,18,65. May be repeated.",
    )(command)


def exclude_option(command: Command) -> Command:
    """--exclude: what is no real risk."""
    return click.option(
        "--exclude",
        "-x",
        multiple=True,
        metavar="RULE",
        help=(
            "Leave out what is no real risk: workab=NO, marital=SINGLE@age=16, missing-targets,"
            " missing-keys, max-denominator=1. May be repeated."
        ),
    )(command)


def words_option(command: Command) -> Command:
    """--words: how much is said in sentences."""
    return click.option(
        "--words",
        type=click.IntRange(min=0),
        default=3,
        show_default=True,
        help="For how many targets to say the figures in words.",
    )(command)


def output_options(command: Command) -> Command:
    """--json and --csv: one document on standard output and nothing else."""
    command = click.option(
        "--csv", "as_csv", is_flag=True, help="Print the rows of the table as CSV."
    )(command)
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


# Options that the commands of the desk share, and tables as all of them draw them.


def project_option(command: Command) -> Command:
    """--project: where the project is."""
    return click.option(
        "--project",
        metavar="FOLDER",
        help="The project: its folder, or its file. Default: this folder.",
    )(command)


def by_option(command: Command) -> Command:
    """--by: who says so."""
    return click.option(
        "--by", metavar="NAME", help='Who says so: "Name, role". Kept with what is said.'
    )(command)


def json_option(command: Command) -> Command:
    """--json: one document on standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def render_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1
) -> Iterator[RenderableType]:
    """A table whose first columns are text and whose others are figures; nothing without rows."""
    if not rows:
        return
    table: Table = new_table(title)
    for place, head in enumerate(heads):
        is_text = place < left or place == len(heads) - 1
        table.add_column(head, overflow="fold", justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    yield table
    yield Text()


def indent_lines(lines: Any) -> Iterator[RenderableType]:
    """Lines below what they belong to."""
    for line in lines:
        yield Padding(Text(line), (0, 0, 0, 2))
