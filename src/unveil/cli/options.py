"""Options that several commands share, and how their text is read."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.arguments import numbers_in
from unveil.errors import (
    EngineError,
    ReadError,
    RolesError,
    SettingsError,
    list_names,
    quote_text,
)

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]
Parser = Callable[[click.Parameter, Any], Any]

BESIDE = "synthetic"
"""What files without a method are called where others have one."""

FILE = click.Path(path_type=Path)
ABOVE_LIMIT = 3
"""The exit code of a command that found a stated limit exceeded."""

if TYPE_CHECKING:
    from unveil.study.choose_engine import EnginePlan
    from unveil.study.engine import EngineName


def option(
    names: str, help: str, metavar: str | None = None, *, parse: Parser | None = None, **more: Any
) -> Decorator:
    """An option by its names, "--keys -k", and what it is for; a default is shown.

    `parse` makes of what was typed what the command gets, or refuses it by the option's name.
    """
    is_shown = True if "default" in more else None
    if parse is not None:
        more["callback"] = lambda context, option, given: parse(option, given)
    return click.option(*names.split(), help=help, metavar=metavar, show_default=is_shown, **more)


def file_option(names: str, help: str, metavar: str = "FILE") -> Decorator:
    """A file to be written."""
    return option(names, help, metavar, type=FILE)


def names_option(names: str, help: str) -> Decorator:
    """Names of columns; it may be repeated."""
    return option(names, help, "NAMES", multiple=True, parse=parse_names)


def by_column_option(names: str, help: str, metavar: str) -> Decorator:
    """A setting for some columns; it may be repeated."""
    return option(names, help, metavar, multiple=True, parse=parse_by_column)


def together(*options: Decorator) -> Decorator:
    """Several options as one, in this order."""

    def decorate(command: Command) -> Command:
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


_NAME = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^",]*?))\s*(?P<comma>,|\Z)')


def parse_names(option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Column names with commas between them; a name that holds a comma stands in double quotes."""
    what = option.opts[0]
    names = tuple(name for text in given for name in _split(text, what))
    if not all(names):
        raise RolesError(
            f"{what} holds an empty name. Write the names with one comma between them, such as"
            f" {what} sex,age,region."
        )
    return names


def parse_name_sets(option: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Several sets of columns, each as names with commas between them."""
    return tuple(parse_names(option, (text,)) for text in given)


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


def parse_by_column(option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Settings of columns, each as name=setting; a column may be named once."""
    settings: dict[str, str] = {}
    for text in given:
        # The last =, for a name may hold one and a setting never does.
        name, _, setting = text.rpartition("=")
        if not name or not setting.strip():
            raise SettingsError(
                f"{option.opts[0]} {text!r} cannot be read. Write a column, =, and a value:"
                f" {option.metavar}."
            )
        if name in settings:
            raise SettingsError(f"{option.opts[0]} is given twice for {name!r}. Give it once.")
        settings[name] = setting
    return settings


def parse_texts(option: click.Parameter, given: tuple[str, ...], wanted: str) -> dict[str, str]:
    """What stands behind the first =, as it is written; commas have their own meaning in it."""
    found: dict[str, str] = {}
    for text in given:
        column, _, said = (part.strip() for part in text.partition("="))
        if not column or not said:
            raise SettingsError(
                f"{option.opts[0]} {quote_text(text)} cannot be read. Write a column, =, and "
                f"{wanted}."
            )
        if column in found:
            raise SettingsError(f"{option.opts[0]} is given twice for {column!r}. Give it once.")
        found[column] = said
    return found


def make_text_parser(wanted: str) -> Callable[..., dict[str, str]]:
    """What reads texts by column, such as reasons: ward=numbers of wards, not of people."""

    def parse(option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
        return parse_texts(option, given, wanted)

    return parse


parse_reasons = make_text_parser("the reason: ward=numbers of wards, not of people")


def parse_numbers_by_column(
    option: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[float | str]]:
    """Numbers of columns: income=-8,-9."""
    return {name: numbers_in(text) for name, text in parse_by_column(option, given).items()}


def parse_number_by_column(
    option: click.Parameter, given: tuple[str, ...]
) -> dict[str, float | str]:
    """A number for each column; what is none is left as it is, to be refused by its name."""
    found = parse_by_column(option, given)
    numbers = {name: numbers_in(text) for name, text in found.items()}
    return {name: one[0] if len(one) == 1 else found[name] for name, one in numbers.items()}


def parse_whole_numbers(option: click.Parameter, given: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, each once."""
    numbers = [one for one in numbers_in(given) if not isinstance(one, str)]
    if len(numbers) != given.count(",") + 1 or not all(n.is_integer() and n > 0 for n in numbers):
        raise SettingsError(
            f"{option.opts[0]} {quote_text(given)} cannot be read. Write whole numbers of 1 or more"
            f" with commas between them: {option.opts[0]} 1,5."
        )
    return tuple(dict.fromkeys(int(number) for number in numbers))


def parse_two_numbers(option: click.Parameter, given: str | None) -> tuple[float, float] | None:
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


files_arguments = together(
    click.argument("original", required=False), click.argument("synthetic", nargs=-1)
)
"""ORIGINAL and the SYNTHETIC files."""


def check_lacking(
    example: str,
    keys: Sequence[object],
    *files: object,
    names: str = "the original file and at least one synthetic file",
) -> None:
    """Refuse a command without all of its files, or without keys."""
    if not all(files):
        raise ReadError(f"Name {names}: unveil {example} --keys sex,age,region.")
    if not keys:
        raise RolesError("Name the key variables an intruder would know: --keys sex,age,region.")


keys_option = names_option("--keys -k", "Key variables, which an intruder knows: sex,age,region.")
"""--keys: what the intruder knows."""


target_option = names_option("--target -t", "Target variable; several names are taken jointly.")
"""--target: what they would guess, one column or several jointly."""


key_and_target_options = together(
    keys_option,
    names_option("--targets -t", "Target variables, one at a time. Default: all other columns."),
)
"""--keys and --targets: what the intruder knows, and what they might learn."""


def parse_methods_by_name(option: click.Parameter, given: tuple[str, ...]) -> dict[str, list[str]]:
    """Methods, each as NAME=FILE,FILE; a file whose name holds a comma stands in double quotes."""
    methods: dict[str, list[str]] = {}
    for text in given:
        name, _, rest = text.partition("=")
        files = next(csv.reader([rest], skipinitialspace=True), [])
        if not name or not files or not all(files):
            raise SettingsError(
                f"{option.opts[0]} {text!r} cannot be read. Write a name, =, and its files"
                " separated by commas: CART=copy1.csv,copy2.csv."
            )
        if name in methods:
            raise SettingsError(
                f"{option.opts[0]} is given twice for {name!r}. Give all its files at once."
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


method_option = option(
    "--method methods",
    "Copies made by one method: CART=copy1.csv,copy2.csv. May be repeated.",
    "NAME=FILES",
    multiple=True,
    parse=parse_methods_by_name,
)
"""--method: copies made in one way, by its name."""


def parse_amounts(option: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    """How much noise by column: income=100."""
    found = {}
    for column, text in parse_by_column(option, given).items():
        number, *more = numbers_in(text)
        if more or isinstance(number, str):
            raise SettingsError(
                f"{option.opts[0]} {quote_text(f'{column}={text}')} cannot be read. Write a column,"
                " =, and the standard deviation: income=100."
            )
        found[column] = number
    return found


person_option = option(
    "--person",
    "Column that identifies the person, such as patient_id. Default: each row is one person.",
    "COLUMN",
)
"""--person: whose row it is, where people have several."""


tolerance_option = option(
    "--tolerance",
    "Numbers that differ by no more than this agree: income=50. May be repeated.",
    "COLUMN=NUMBER",
    multiple=True,
    parse=parse_number_by_column,
)
"""--tolerance: how far numbers may be apart and still agree."""


weights_option = option("--weights", "Sampling weight: the people a record represents.", "COLUMN")
"""--weights: the column of sampling weights."""


missing_option = option(
    "--missing missing_values",
    "An entry that stands for a missing value, such as NA or -9. May be repeated.",
    "TEXT",
    multiple=True,
)
"""--missing: entries that stand for nothing."""


reading_options = together(
    by_column_option(
        "--bands",
        "Compare numbers in bands: age=5, age=equal:5 or age=0,18,65. May be repeated.",
        "COLUMN=BANDS",
    ),
    by_column_option(
        "--special-codes",
        "Special codes, kept out of the bands: income=-8,-9. May be repeated.",
        "COLUMN=CODES",
    ),
    missing_option,
)
"""--bands, --special-codes and --missing: how the columns are read."""


exclude_option = option(
    "--exclude -x",
    "Exclude common knowledge: workab=NO, marital=SINGLE@age=16, missing-targets, missing-keys,"
    " max-denominator=1. May be repeated.",
    "RULE",
    multiple=True,
)
"""--exclude: what is no real risk."""


_ENGINE_OPTIONS = together(
    option(
        "--engine",
        "Where rows are counted. auto: in memory, or in chunks where memory is too small.",
        type=click.Choice(["auto", "memory", "chunks", "duckdb", "spark"]),
    ),
    option("--memory", "Maximum memory for counting, such as 2GB.", "SIZE"),
    file_option("--spill", "Folder for data that do not fit into memory.", "FOLDER"),
    option(
        "--spark address", "With --engine spark: sc://host:port, or a master: local[2].", "ADDRESS"
    ),
    option("--explain", "Print the plan (engine, memory, passes) and do nothing.", is_flag=True),
)


def takes_engine(command: Command) -> Command:
    """--engine, --memory, --spill, --spark and --explain: where the rows of files are counted.

    The command runs with this engine; asked to explain, it only prints the plan.
    """

    @wraps(command)
    def counted(**given: Any) -> Any:
        # Here, for only who needs an engine pays for the import.
        from unveil.study.choose_engine import plan_engine
        from unveil.study.engine import current_engine, use_engine
        from unveil.study.study import sides_of

        said = {name: given.pop(name) for name in ("memory", "spill", "address")}
        engine, is_explained = given.pop("engine"), given.pop("explain")
        with use_engine(engine, **said):
            if not is_explained:
                return command(**given)
            if "project" in given:
                return _explain_run(given["project"])
            sources = [given[name] for name in ("file", "original", "synthetic") if name in given]
            if not all(sources):
                raise ReadError("Name the files whose counting is to be explained.")
            columns = {*given.get("keys", ()), *(given.get("targets") or given.get("target") or ())}
            n_columns = len(columns) if given.get("targets") or given.get("target") else None
            sides = {"data": sources[0]}
            if len(sources) > 1:
                sides = sides_of(list(sources[1]), original=sources[0])
            return _print_plan(plan_engine(sides, current_engine(), n_columns=n_columns))

    known = list(getattr(counted, "__click_params__", ()))
    made = _ENGINE_OPTIONS(counted)
    params = made.__click_params__  # type: ignore[attr-defined]
    made.__click_params__ = params[len(known) :] + known  # type: ignore[attr-defined]  # shown last
    return made


def engine_for(
    sources: Sequence[Any], n_columns: int | None, needing_rows: Mapping[str, Any]
) -> "EngineName":
    """Where these files are counted; options that need the rows are refused but for memory."""
    from unveil.study.choose_engine import choose_engine
    from unveil.study.engine import current_engine

    engine = choose_engine(sources, current_engine(), by_counts=True, n_columns=n_columns)
    asked = [name for name, value in needing_rows.items() if value]
    if engine != "memory" and asked:
        raise EngineError(
            f"{list_names(asked)}: not with an engine, for the records are needed in memory. Omit"
            " it, or give a random sample of the records with --engine memory."
        )
    return engine


def _explain_run(project: str | None) -> int:
    """The plan for the files of a project, and what its engine cannot measure."""
    from unveil.project.measure_parts import BY_COUNTS
    from unveil.project.read_project import read_project
    from unveil.study.choose_engine import plan_engine
    from unveil.study.study import sides_of

    file = read_project(project)
    original, *copies = (file.folder / one for one in (file.data.original, *file.data.synthetic))
    sides = sides_of(copies, original=original) if copies else {"original": original}
    plan = plan_engine(sides, file.engine_settings())
    _print_plan(plan)
    if plan.engine != "memory":
        click.echo(f"Only these parts are measured: {', '.join(BY_COUNTS)}.")
    return 0


def _print_plan(plan: "EnginePlan") -> int:
    for sentence in plan.sentences():
        click.echo(sentence)
    return 0


def takes_scenario(example: str) -> Decorator:
    """ORIGINAL and the SYNTHETIC files, keys and targets, and how columns are read.

    The command gets `files`, and keys and targets among its settings.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def checked(*, original: Any, synthetic: Any, keys: Any, targets: Any, **given: Any) -> Any:
            check_lacking(example, keys, original, synthetic)
            files = (original, list(synthetic))
            return command(files=files, keys=keys, targets=targets or None, **given)

        return together(files_arguments, key_and_target_options, reading_options)(checked)

    return decorate


words_option = option("--words", "State every figure in a sentence.", is_flag=True)
"""--words: the figures in sentences."""


def _one_document(context: click.Context, option: click.Parameter, given: bool) -> bool:
    if given and (context.params.get("as_json") or context.params.get("as_csv")):
        raise SettingsError("--json and --csv cannot be printed together. Choose one.")
    return given


json_option = option(
    "--json as_json", "Print one JSON document.", is_flag=True, callback=_one_document
)
"""--json: one document on standard output and nothing else."""


def csv_option(help: str) -> Decorator:
    """--csv: rows on standard output and nothing else."""
    return option("--csv as_csv", help, is_flag=True, callback=_one_document)


output_options = together(json_option, csv_option("Print the rows of the table as CSV."))
"""--json and --csv: one document on standard output and nothing else."""


# Options that the commands of a project share, and tables as all of them draw them.


project_option = option(
    "--project", "The project: its folder, or its file. Default: this folder.", "FOLDER"
)
"""--project: where the project is."""


def same_project(command: Command) -> Command:
    """PROJECT as an argument or, as in every other command of a project, as --project."""

    @wraps(command)
    def chosen(**given: Any) -> Any:
        named, project = given.pop("named_project"), given.pop("project")
        if named is not None and project is not None:
            raise SettingsError("The project is named twice. Name it once: --project FOLDER.")
        return command(**given, project=project if named is None else named)

    return together(
        click.argument("project", required=False, metavar="[PROJECT]"),
        option(
            "--project named_project",
            "The project: its folder, or its file. Default: this folder.",
            "FOLDER",
        ),
    )(chosen)


more_options = together(
    words_option,
    option("--flags", "List every flag of the checks.", is_flag=True),
    option("--details", "Print every table, alert and note.", is_flag=True),
)
"""--words, --flags and --details: what a short screen leaves out."""


by_option = option("--by", 'Who signs: "Name, role". Recorded with the entry.', "NAME")
"""--by: who says so."""
