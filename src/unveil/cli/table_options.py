"""Options of `unveil table`: what is read, what is published, who is known, what is asked."""

import re
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from unveil.cli.options import column_names
from unveil.errors import SettingsError, quoted
from unveil.report.sap import WORDS

Command = Callable[..., Any]

_SEVERAL = re.compile(r"(\d{1,9})\s+(\S.*)", re.ASCII | re.DOTALL)


def known_people(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> list[Any]:
    """People, each by levels; a number and a space before them stands for several."""
    people: list[Any] = []
    for text in given:
        found = _SEVERAL.fullmatch(text.strip())
        people.append((_person(found[2]), int(found[1])) if found else _person(text))
    return people


def _person(text: str) -> Any:
    return int(text) if re.fullmatch(r"\s*\d{1,9}\s*", text, re.ASCII) else text


def schemes(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str | None, str]:
    """Schemes: one for all that is published, or part=scheme; a part may be named once."""
    made: dict[str | None, str] = {}
    for text in given:
        part, equals, scheme = text.rpartition("=")
        key = part.strip() if equals else None
        if key in made or key == "":
            what = "everything" if key is None else f"the part {quoted(key)}"
            raise SettingsError(
                f"--round is given twice for {what}. Give it once."
                if key or key is None
                else f"--round {quoted(text)} cannot be read. Write a scheme, or part=scheme."
            )
        made[key] = scheme.strip()
    return made


def compared(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Schemes to compare, with commas between them."""
    found = tuple(one.strip() for text in given for one in text.split(","))
    if not all(found):
        raise SettingsError(
            "--compare holds an empty scheme. Write them with one comma between:"
            " --compare conventional:3,random:3."
        )
    return found


def depth(context: click.Context, option: click.Parameter, given: str | None) -> int | str | None:
    """A number of variables, or "all"."""
    return int(given) if given is not None and re.fullmatch(r"\d{1,4}", given, re.ASCII) else given


def _options(*made: Command) -> Command:
    return lambda command: reduce(lambda inner, option: option(inner), reversed(made), command)


source_options = _options(
    click.option(
        "--microdata", is_flag=True, help="FILE holds people's records: count them by --dims."
    ),
    click.option(
        "--dims",
        multiple=True,
        metavar="NAMES",
        callback=column_names,
        help="The columns that make the table. Default: all but the counts.",
    ),
    click.option("--count", metavar="COLUMN", help="The column of counts."),
    click.option(
        "--layout",
        metavar="long|wide",
        help="How FILE is laid out. Default: found out.",
    ),
    click.option(
        "--total-label",
        "total_labels",
        multiple=True,
        metavar="TEXT",
        help="How FILE calls its sums. May be repeated. Default: Total, All.",
    ),
    click.option("--weights", metavar="COLUMN", help="For how many people each record stands."),
    click.option("--sample", is_flag=True, help="The counts are of a sample of the people."),
)

release_options = _options(
    click.option(
        "--round",
        "-r",
        "rounding",
        multiple=True,
        metavar="[PART=]SCHEME",
        callback=schemes,
        help=(
            "How counts are published: conventional:5, random:3, suppress:5, ... For one part:"
            " total=exact, sex=none. May be repeated."
        ),
    ),
    click.option("--total", is_flag=True, help="The total is published too."),
    click.option(
        "--margins",
        multiple=True,
        metavar="all|NAMES",
        callback=column_names,
        help="The margins that are published too: all, or sex,age; sex+age is that of both.",
    ),
    click.option(
        "--published",
        metavar="FILE|COLUMN",
        help="The values that were published, where chance took part.",
    ),
    click.option(
        "--structural",
        multiple=True,
        metavar="CELLS",
        help="Impossible cells: sex=m,pregnant=yes, or a cell number. May be repeated.",
    ),
    click.option("--seed", type=int, metavar="N", help="Of the draws. Default: one is drawn."),
)

question_options = _options(
    click.option(
        "--sap-max-n",
        type=int,
        metavar="N",
        help="The largest number of known people. Default: all, but at most 100.",
    ),
    click.option(
        "--known",
        multiple=True,
        metavar="PEOPLE",
        callback=known_people,
        help='Known people: sex=m,age=2, or "3 sex=m" for three. May be repeated.',
    ),
    click.option(
        "--given", metavar="LEVELS", help="Only people with these levels become known: sex=m."
    ),
    click.option(
        "--depth",
        metavar="D|all",
        callback=depth,
        help="Zeros by at most so many variables, or a curve for each number.",
    ),
    click.option("--bounds", is_flag=True, help="Add the tightest bounds of every cell."),
    click.option(
        "--audit",
        type=float,
        metavar="PERCENT",
        help="Add what is suppressed and can be estimated within so many percent.",
    ),
    click.option(
        "--threshold",
        type=float,
        default=0.05,
        show_default=True,
        metavar="P",
        help="The probability whose passing is told.",
    ),
    click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="N=P",
        help="End with 3 where SAP with N known people is above P: 4=0.05. May be repeated.",
    ),
    click.option("--nodes", type=int, default=20_000, show_default=True, help="Boxes to search."),
    click.option("--seconds", type=float, metavar="S", help="Stop searching after so long."),
)

design_options = _options(
    click.option(
        "--compare",
        multiple=True,
        metavar="SCHEMES",
        callback=compared,
        help="Compare schemes: conventional:3,conventional:5,random:3. FILE may be a folder.",
    ),
    click.option(
        "--area", metavar="COLUMN", help="With --compare: one table for each level of a column."
    ),
    click.option(
        "--draws", type=int, metavar="N", help="With --compare: draws of a scheme. Default: 20."
    ),
)

document_options = _options(
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write what is to be published, and nothing else, to this CSV file.",
    ),
    click.option(
        "--chart",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the step curve to this SVG file.",
    ),
    click.option(
        "--words",
        type=click.IntRange(min=0),
        default=WORDS,
        show_default=True,
        help="For how many numbers of known people to say the figure in words.",
    ),
    click.option("--csv", "as_csv", is_flag=True, help="Print the figures as CSV."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
)
