"""Options of `unveil table`: what is read, what is published, who is known, what is asked."""

import re
from typing import Any

import click

from unveil.arguments import parse_number_within, parse_whole_number
from unveil.cli.options import (
    csv_option,
    file_option,
    json_option,
    names_option,
    option,
    parse_names,
    together,
    words_option,
)
from unveil.errors import SettingsError, quote_text
from unveil.measure.tables.sap import LARGEST_N

_SEVERAL = re.compile(r"(\d{1,9})\s+(\S.*)", re.ASCII | re.DOTALL)


def parse_known_people(option: click.Parameter, given: tuple[str, ...]) -> list[Any]:
    """People, each by levels; a number and a space before them stands for several."""
    people: list[Any] = []
    for text in given:
        found = _SEVERAL.fullmatch(text.strip())
        people.append((_person(found[2]), int(found[1])) if found else _person(text))
    return people


def _person(text: str) -> Any:
    return int(text) if re.fullmatch(r"\s*\d{1,9}\s*", text, re.ASCII) else text


def parse_rounding_options(
    option: click.Parameter, given: tuple[str, ...]
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


def parse_schemes(option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Schemes to compare, with commas between them."""
    found = tuple(one.strip() for text in given for one in text.split(","))
    if not all(found):
        raise SettingsError(
            "--compare holds an empty scheme. Write them with one comma between:"
            " --compare conventional:3,random:3."
        )
    return found


def parse_secondary(option: click.Parameter, given: str | None) -> dict[str, Any] | None:
    """The settings of secondary suppression; none are needed."""
    if given is None:
        return None
    found: dict[str, Any] = {}
    for text in filter(None, (one.strip() for one in given.split(","))):
        name, equals, value = (part.strip() for part in text.partition("="))
        if name not in ("width", "cost") or not equals or name in found:
            raise SettingsError(
                f"--secondary {quote_text(given)} cannot be read. Write width=2, cost=cells, or"
                " both with a comma between them."
            )
        found[name] = int(value) if re.fullmatch(r"\d{1,9}", value, re.ASCII) else value
    return found


def parse_hierarchies(option: click.Parameter, given: tuple[str, ...]) -> dict[str, str] | None:
    """Which dimension lies within which."""
    pairs = [tuple(part.strip() for part in text.partition("=")[::2]) for text in given]
    for text, (inner, outer) in zip(given, pairs, strict=True):
        if not inner or not outer:
            raise SettingsError(
                f"--nested {quote_text(text)} cannot be read. Write ward=region for wards within"
                " regions."
            )
    return {inner: outer for inner, outer in pairs} or None


def parse_depth(option: click.Parameter, given: str | None) -> int | str | None:
    """A number of variables, or "all"."""
    return int(given) if given is not None and re.fullmatch(r"\d{1,4}", given, re.ASCII) else given


def check_numbers(sap_max_n: int | None, audit: float | None) -> None:
    """Refuse numbers that mean nothing, by the names of their options."""
    if sap_max_n is not None:
        why = ": how many people an intruder may know"
        parse_whole_number("--sap-max-n", sap_max_n, least=0, most=LARGEST_N, why=why)
    if audit is not None:
        why = ", such as 10 for estimates within 10 percent of the true count"
        parse_number_within("--audit", audit, "[0, inf)", why)


source_options = together(
    option("--microdata", "FILE holds people's records: count them by --dims.", is_flag=True),
    names_option("--dims", "The columns that make the table. Default: all but the counts."),
    option("--count", "The column of counts. Default: count, n, freq or similar.", "COLUMN"),
    option("--layout", "Layout of FILE. Default: inferred.", "long|wide|crosstab"),
    option("--blank", "What empty cells of a cross-table are.", "zero"),
    option(
        "--total-label total_labels",
        "Label of totals in FILE. May be repeated. Default: Total, All.",
        "TEXT",
        multiple=True,
    ),
    option("--weights", "With --microdata: the number of people each record represents.", "COLUMN"),
    option(
        "--record-keys",
        "With --microdata: the secret key of each person, from 0 to below 1, for cell keys."
        " Default: drawn by --seed.",
        "COLUMN",
    ),
    option("--sample", "The counts are of a sample of the people.", is_flag=True),
)

release_options = together(
    option(
        "--round -r rounding",
        "How counts are published: conventional:5, random:3, suppress:5, cellkey:3:2, ... For"
        " one part: total=exact, sex=none. May be repeated. Default: exact.",
        "[PART=]SCHEME",
        multiple=True,
        parse=parse_rounding_options,
    ),
    option(
        "--secondary",
        "With suppress:5: choose which further counts to suppress, so that no small one can be"
        " worked out. width=2 is how far apart its bounds must be, cost=cells counts cells"
        " instead of people.",
        "[width=N,cost=count|cells]",
        is_flag=False,
        flag_value="",
        parse=parse_secondary,
    ),
    option("--total", "Also publish the grand total.", is_flag=True),
    option(
        "--margins",
        "Also publish these margins: all, or sex,age; sex+age is the two-way margin.",
        "all|NAMES",
        multiple=True,
        parse=parse_names,
    ),
    option(
        "--published",
        "The published random values: a file like --out, or a column of FILE.",
        "FILE|COLUMN",
    ),
    option(
        "--structural",
        "Impossible cells: sex=m,pregnant=yes, or a cell number. May be repeated.",
        "CELLS",
        multiple=True,
    ),
    option(
        "--nested",
        "A hierarchy: ward=region for wards within regions, whose other combinations are"
        " impossible. May be repeated.",
        "COLUMN=COLUMN",
        multiple=True,
        parse=parse_hierarchies,
    ),
    option("--seed", "Seed, to draw the same values again; confidential.", "N", type=int),
)

question_options = together(
    option(
        "--sap-max-n",
        "Largest number of people known. Default: everyone, at most 100; with --compare 24.",
        "N",
        type=int,
    ),
    option(
        "--known",
        'People known already: sex=m,age=2, or "3 sex=m" for three. May be repeated.',
        "PEOPLE",
        multiple=True,
        parse=parse_known_people,
    ),
    option("--given", "Among people with these levels only: sex=m.", "LEVELS"),
    option(
        "--depth",
        "Only zeros in margins of at most D variables; all: one curve per D.",
        "D|all",
        parse=parse_depth,
    ),
    option("--bounds", "Add the bounds of each cell.", is_flag=True),
    option(
        "--audit",
        "Add the suppressed values that can be estimated within this percentage.",
        "PERCENT",
        type=float,
    ),
    option(
        "--threshold",
        "Report from how many known people SAP exceeds P.",
        "P",
        type=float,
        default=0.05,
    ),
    option(
        "--area",
        "Also measure SAP within each level of this dimension; limits hold in every one. Default:"
        " the dimension with the most levels, if 10 or more. With --compare: one table for each.",
        "COLUMN|none",
    ),
    option(
        "--limit limits",
        "Exit code 3 if SAP with N people known exceeds, or may exceed, P, in the table or in an"
        " area. May be repeated.",
        "N=P",
        multiple=True,
    ),
    option(
        "--nodes",
        "Steps of the exact search; then bounds are reported.",
        "N",
        type=int,
        default=20_000,
    ),
    option(
        "--seconds",
        "Seconds for the search; then bounds are reported. Default: 60 on a terminal, else no"
        " limit.",
        "S",
        type=float,
    ),
)

design_options = together(
    option(
        "--compare",
        "Compare schemes: conventional:3,random:3. FILE may be a folder of tables.",
        "SCHEMES",
        multiple=True,
        parse=parse_schemes,
    ),
    option(
        "--draws",
        "With --compare: number of draws of random schemes. Default: 20.",
        "N",
        type=int,
    ),
)

document_options = together(
    file_option(
        "--out",
        "Write the table to publish, without true counts: .csv, or .xlsx in the shape of FILE.",
    ),
    file_option("--chart", "CONFIDENTIAL: write the curve: .svg, .png or .pdf."),
    words_option,
    csv_option("Print the figures as CSV."),
    json_option,
)
