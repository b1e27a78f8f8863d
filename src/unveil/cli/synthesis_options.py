"""Options of `unveil synthesise`, and how their text is read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from unveil.cli.options import by_column, column_names, missing_option
from unveil.errors import SettingsError, quoted
from unveil.read.given import numbers_in
from unveil.write.copies import ENDINGS

Command = Callable[..., Any]


def numbers_by_column(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[float | str]]:
    """Numbers of columns: income=-8,-9."""
    return {name: numbers_in(text) for name, text in by_column(context, option, given).items()}


def names_by_column(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """Columns of columns: income=age,sex."""
    rows = _by_name(option, given, f"the columns that predict it: {option.metavar}")
    return {name: column_names(context, option, (names,)) for name, names in rows.items()}


def formulas(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Formulas by column: bmi=weight / (height / 100) ^ 2."""
    del context
    return _by_name(option, given, "its formula: bmi=weight / (height / 100) ^ 2")


def reasons(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Reasons by column: ward=numbers of wards, not of people."""
    del context
    return _by_name(option, given, "the reason: ward=numbers of wards, not of people")


def _by_name(option: click.Parameter, given: tuple[str, ...], wanted: str) -> dict[str, str]:
    """What stands behind the first =, as it is written; commas have their own meaning in it."""
    found: dict[str, str] = {}
    for text in given:
        column, _, said = (part.strip() for part in text.partition("="))
        if not column or not said:
            raise SettingsError(
                f"{option.opts[0]} {quoted(text)} cannot be read. Write a column, =, and {wanted}."
            )
        if column in found:
            raise SettingsError(f"{option.opts[0]} is given twice for {column!r}. Give it once.")
        found[column] = said
    return found


def methods(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str | None, dict[str, str]]:
    """One method for all columns, and methods of single columns."""
    for_all = [text for text in given if "=" not in text]
    if len(for_all) > 1:
        raise SettingsError(
            f"{option.opts[0]} names {len(for_all)} methods for all columns. Name one, and others"
            " by column: --method parametric --method income=cart."
        )
    if for_all and not for_all[0].strip():
        raise SettingsError(
            f"{option.opts[0]} is empty. Name a method, such as cart, or leave it out."
        )
    own = by_column(context, option, tuple(text for text in given if "=" in text))
    return (for_all[0] if for_all else None), own


def margins(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """Sets of columns: sex,region."""
    return tuple(column_names(context, option, (text,)) for text in given)


def _names(flag: str, text: str, name: str | None = None) -> Callable[[Command], Command]:
    declared = (flag,) if name is None else (flag, name)
    return click.option(*declared, multiple=True, metavar="NAMES", callback=column_names, help=text)


def _by_column(flag: str, metavar: str, callback: Any, text: str) -> Callable[[Command], Command]:
    return click.option(flag, multiple=True, metavar=metavar, callback=callback, help=text)


COLUMN_OPTIONS = (
    click.option(
        "--copies",
        "-m",
        type=int,
        default=1,
        show_default=True,
        metavar="M",
        help="How many copies; each further one gives away more.",
    ),
    click.option(
        "--rows", type=int, metavar="N", help="Rows of each copy. Default: as the original."
    ),
    click.option(
        "--method",
        multiple=True,
        metavar="METHOD",
        callback=methods,
        help="cart (default), parametric or sample for all columns, or income=normrank for one;"
        " all columns with catall, or with ipf, are drawn together.",
    ),
    _names("--order", "Columns in turn: age,sex,income; or auto. Others are left out."),
    _by_column(
        "--predictors", "COLUMN=NAMES", names_by_column, "What predicts a column: income=age,sex."
    ),
    _names("--keep", "Columns that stay as they are in the original."),
    _names("--predictor-only", "Columns that predict, and are not in the copy."),
    _names("--strata", "Columns whose combinations are synthesised apart."),
    _names("--drop", "Columns to leave out, such as identifiers and free text."),
    _names("--renumber", "Identifiers to give running numbers in place of their values."),
    _by_column(
        "--real-values",
        "COLUMN=REASON",
        reasons,
        "Repeat real values of an identifier or free text all the same, for a stated reason.",
    ),
)
RULE_OPTIONS = (
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="RULE",
        help="What holds in every row: 'if age < 16 then marital = SINGLE'. May be repeated.",
    ),
    _by_column("--derive", "COLUMN=FORMULA", formulas, "Compute a column: 'bmi=weight / height'."),
    _by_column(
        "--special-codes",
        "COLUMN=CODES",
        numbers_by_column,
        "Codes that are no amounts: income=-8,-9.",
    ),
    _by_column(
        "--spikes", "COLUMN=NUMBERS", numbers_by_column, "Amounts met very often: income=0."
    ),
    missing_option,
)
TREE_OPTIONS = (
    click.option(
        "--min-leaf",
        type=int,
        default=5,
        show_default=True,
        metavar="N",
        help="Fewest rows in a leaf of a tree.",
    ),
    click.option(
        "--min-split",
        type=int,
        metavar="N",
        help="Fewest rows that are cut. Default: three times --min-leaf.",
    ),
    click.option(
        "--complexity",
        type=float,
        default=1e-8,
        show_default=True,
        metavar="SHARE",
        help="Least gain of a cut, as a share of the impurity at the root.",
    ),
    click.option("--min-spread", type=float, metavar="SHARE", help="Least spread within a leaf."),
    click.option(
        "--smoothing", type=click.Choice(["density"]), help="Draw numbers from a smooth density."
    ),
    click.option(
        "--prior",
        type=float,
        metavar="RECORDS",
        help="Of catall and ipf: spread evenly over the table. Default: 1.",
    ),
    click.option(
        "--noise",
        type=float,
        metavar="EPSILON",
        help="Of catall and ipf: Laplace noise on the counts. No formal guarantee.",
    ),
    click.option(
        "--margin",
        "margins",
        multiple=True,
        metavar="NAMES",
        callback=margins,
        help="Of ipf: columns counted together: sex,region. May be repeated. Default: all pairs.",
    ),
    click.option("--seed", type=int, metavar="N", help="The same seed makes the same copies."),
)
OUTPUT_OPTIONS = (
    click.option(
        "--out", type=click.Path(path_type=Path), metavar="FOLDER", help="The folder of the copies."
    ),
    click.option(
        "--format", "ending", type=click.Choice(ENDINGS), help="Default: that of the original."
    ),
    click.option(
        "--model",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="CONFIDENTIAL: keep the fitted models in this file, to draw more copies.",
    ),
    click.option(
        "--from",
        "source",
        type=click.Path(path_type=Path),
        metavar="MODEL",
        help="Draw from a model that --model kept, without FILE: nothing is fitted.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
)


_WITH_A_MODEL = {"source", "copies", "rows", "seed", "out", "ending", "as_json"}


def refuse_beside_model(context: click.Context, file: str | None) -> None:
    """A model that is kept is fitted: only what is drawn from it can be said."""
    if file is not None:
        raise SettingsError(
            "Name a file to fit, or with --from a model to draw from, and not both: a model needs"
            " no original."
        )
    for option in context.command.params:
        name = option.name or ""
        is_said = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_said and name not in _WITH_A_MODEL:
            raise SettingsError(
                f"{option.opts[0]} cannot go with --from: the model is fitted already. Only"
                " --copies, --rows, --seed, --out, --format and --json can."
            )


def options_said(context: click.Context) -> set[str]:
    """The options that stand on the command line, by their names in Python."""
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def synthesis_options(command: Command) -> Command:
    """All options, in the order of the help."""
    groups = (*COLUMN_OPTIONS, *RULE_OPTIONS, *TREE_OPTIONS, *OUTPUT_OPTIONS)
    for option in reversed(groups):
        command = option(command)
    return command
