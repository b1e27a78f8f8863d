"""Options of `unveil table`: what is read, what is published, who is known, what is asked."""

import re
from collections.abc import Callable
from functools import reduce
from math import inf
from pathlib import Path
from typing import Any

import click

from unveil.cli.options import column_names
from unveil.errors import SettingsError, quote_text
from unveil.measure.tables.sap import LARGEST_N
from unveil.view.sap import WORDS

Command = Callable[..., Any]

_SEVERAL = re.compile(r"(\d{1,9})\s+(\S.*)", re.ASCII | re.DOTALL)


def parse_known_people(
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
            what = "everything" if key is None else f"the part {quote_text(key)}"
            raise SettingsError(
                f"--round is given twice for {what}. Give it once."
                if key or key is None
                else f"--round {quote_text(text)} cannot be read. Write a scheme, or part=scheme."
            )
        made[key] = scheme.strip()
    return made


def parse_schemes(
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


def check_numbers(sap_max_n: int | None, audit: float | None) -> None:
    """Refuse numbers that mean nothing, by the names of their options."""
    if sap_max_n is not None and not 0 <= sap_max_n <= LARGEST_N:
        raise SettingsError(
            f"--sap-max-n is {sap_max_n}. It must be a whole number from 0 to {LARGEST_N:,}: how"
            " many people an intruder may know."
        )
    if audit is not None and not 0 <= audit < inf:
        raise SettingsError(
            f"--audit is {audit:g}. It must be a number from 0, such as 10 for estimates within 10"
            " percent of the true count."
        )


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
    click.option(
        "--count",
        metavar="COLUMN",
        help="The column of counts. Default: count, n, freq or the like.",
    ),
    click.option(
        "--layout",
        metavar="long|wide",
        help="How FILE is laid out. Default: told from its columns.",
    ),
    click.option(
        "--total-label",
        "total_labels",
        multiple=True,
        metavar="TEXT",
        help="What FILE calls its totals. May be repeated. Default: Total, All.",
    ),
    click.option(
        "--weights",
        metavar="COLUMN",
        help="With --microdata: for how many people each record stands.",
    ),
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
            "How counts are published: conventional:5, random:3, controlled:3, suppress:5, ... For"
            " one part: total=exact, sex=none. May be repeated. Default: exact."
        ),
    ),
    click.option("--total", is_flag=True, help="The grand total is published too."),
    click.option(
        "--margins",
        multiple=True,
        metavar="all|NAMES",
        callback=column_names,
        help="Which margins are published too: all, or sex,age; sex+age is that of both.",
    ),
    click.option(
        "--published",
        metavar="FILE|COLUMN",
        help="The values that were drawn and published: a file like --out, or a column of FILE.",
    ),
    click.option(
        "--structural",
        multiple=True,
        metavar="CELLS",
        help="Impossible cells: sex=m,pregnant=yes, or a cell number. May be repeated.",
    ),
    click.option(
        "--seed", type=int, metavar="N", help="To draw the same values again. Keep it secret."
    ),
)

question_options = _options(
    click.option(
        "--sap-max-n",
        type=int,
        metavar="N",
        help="The most people known. Default: everybody, at most 100; with --compare 24.",
    ),
    click.option(
        "--known",
        multiple=True,
        metavar="PEOPLE",
        callback=parse_known_people,
        help='Who is known already: sex=m,age=2, or "3 sex=m" for three. May be repeated.',
    ),
    click.option("--given", metavar="LEVELS", help="Among people with these levels only: sex=m."),
    click.option(
        "--depth",
        metavar="D|all",
        callback=depth,
        help="Only zeros in margins of at most D variables; all: a curve for each D.",
    ),
    click.option("--bounds", is_flag=True, help="Add how many people can be in each cell."),
    click.option(
        "--audit",
        type=float,
        metavar="PERCENT",
        help="Add which suppressed values can be estimated within so many percent.",
    ),
    click.option(
        "--threshold",
        type=float,
        default=0.05,
        show_default=True,
        metavar="P",
        help="Say from how many people known SAP is above P.",
    ),
    click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="N=P",
        help="Exit with 3 where SAP with N people known is, or may be, above P. May be repeated.",
    ),
    click.option(
        "--nodes",
        type=int,
        default=20_000,
        show_default=True,
        metavar="N",
        help="Steps of the exact search; after them bounds are told.",
    ),
    click.option(
        "--seconds",
        type=float,
        metavar="S",
        help="Seconds for the search; after them bounds are told.",
    ),
)

design_options = _options(
    click.option(
        "--compare",
        multiple=True,
        metavar="SCHEMES",
        callback=parse_schemes,
        help="Compare schemes: conventional:3,random:3. FILE may be a folder of tables.",
    ),
    click.option(
        "--area", metavar="COLUMN", help="With --compare: one table for each level of this column."
    ),
    click.option(
        "--draws",
        type=int,
        metavar="N",
        help="With --compare: how often schemes that draw are drawn. Default: 20.",
    ),
)

document_options = _options(
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the table to publish, without true counts, to this CSV file.",
    ),
    click.option(
        "--chart",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the curve to this SVG file, for your eyes only.",
    ),
    click.option(
        "--words",
        type=click.IntRange(min=0),
        default=WORDS,
        show_default=True,
        metavar="N",
        help="For how many numbers of people known to say SAP in words.",
    ),
    click.option("--csv", "as_csv", is_flag=True, help="Print the figures as CSV."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
)
