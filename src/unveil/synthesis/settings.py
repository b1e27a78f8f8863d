"""What did the user ask of synthesis, and does it mean anything?"""

import os
from collections.abc import Mapping
from typing import Any

from unveil.arguments import (
    check_columns,
    is_list,
    parse_finite_numbers,
    parse_whole_number,
    quote_value,
)
from unveil.errors import SettingsError
from unveil.io.table import Table
from unveil.models.design import ModelColumn
from unveil.study.scenario import Progress
from unveil.synthesis.methods import JOINT, Options
from unveil.synthesis.plan import SynthesisPlan

MOST_COPIES = 10_000
"""Copies at a time."""

FEWEST_ROWS = 5
"""Rows, or people, of an original of which a tree is asked."""


def check_idle_options(plan: SynthesisPlan, options: Options) -> None:
    """Settings of joint tables mean nothing where there is none."""
    methods = {step.method for step in plan.steps}
    asked = {"prior": JOINT, "noise": JOINT, "margins": ("ipf",)}
    for name, of in asked.items():
        if getattr(options, name) is not None and not methods.intersection(of):
            raise SettingsError(
                f"{name} is a setting of {' and '.join(map(repr, of))}, but no column has that"
                f" method. Omit it, or give some columns the method {of[-1]!r}."
            )


def check_smooth(
    smooth: tuple[str, ...], columns: Mapping[str, ModelColumn], plan: SynthesisPlan, table: Table
) -> None:
    """Only numbers that are synthesised can be smoothed."""
    table.check_columns(smooth)
    for name in smooth:
        if name not in plan.order or columns[name].kind != "number":
            raise SettingsError(
                f"Column {name!r} cannot be smoothed: it is no number that is synthesised. Remove"
                " it from smooth."
            )


def parse_codes_by_column(
    given: Mapping[str, Any] | None, what: str, columns: list[str], place: str
) -> dict[str, tuple[float, ...]]:
    """Numbers that stand apart in a column: special codes, or spikes."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"{what} are given as {type(given).__name__}. Write them by column, such as "
            '{"income": [-8, -9]}.'
        )
    check_columns(place, given, columns)
    return {
        name: parse_finite_numbers(codes, what=what.lower().removesuffix("s"), example="-8 or -9")
        for name, codes in given.items()
    }


def check_codes_of_categories(
    codes: Mapping[str, tuple[float, ...]], columns: Mapping[str, ModelColumn]
) -> None:
    """Only numbers have special codes: the codes of a category are levels like others."""
    for name, column in columns.items():
        if codes.get(name) and column.is_category:
            raise SettingsError(
                f"Column {name!r} is a category, so its special codes are levels like any other. "
                "Omit them."
            )


def list_columns(order: Any, *others: Any) -> set[str] | None:
    """The columns that the user names; None where no order says that others are excluded."""
    if order is None or isinstance(order, str):
        return None
    return {name for given in (order, *others) for name in _names_in(given)}


def _names_in(given: Any) -> list[str]:
    """Every text in a name, a list of names, or names by column."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [name for item in given.items() for one in item for name in _names_in(one)]
    return [name for one in given for name in _names_in(one)] if is_list(given) else []


def date_notes(columns: Mapping[str, ModelColumn], codes: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each column whose special codes mean nothing."""
    return tuple(
        f"The special codes of {name!r} are not used: the column holds dates or times, not numbers."
        for name in codes
        if name in columns and columns[name].dtype.is_temporal()
    )


def check_large_leaves(
    plan: SynthesisPlan, options: Options, n: int, where: str, *, of_people: bool = False
) -> None:
    """A leaf cannot hold more rows, or people, than there are."""
    is_grown = any(
        "cart" in (step.method, step.state_method) and step.predictors for step in plan.steps
    )
    # An original smaller than a leaf of the default size is not cut: columns are drawn apart.
    least = FEWEST_ROWS if options.min_leaf == Options.min_leaf else options.min_leaf
    if is_grown and least > n:
        one, more = ("person", "people") if of_people else ("row", "rows")
        raise SettingsError(
            f"min_leaf is {options.min_leaf:,}, but {where} has {n:,} "
            f"{one if n == 1 else more}. Choose a smaller min_leaf"
            f"{'' if where.startswith('the original') else ', or fewer strata'}."
        )


def check_progress(progress: Any) -> Progress:
    """Who is told of the progress."""
    if not callable(progress):
        raise SettingsError(
            f"progress is {quote_value(progress)}. It must be a function of what is done, how many"
            " steps are done, and how many there are."
        )
    told: Progress = progress
    return told


def parse_missing_entries(given: Any) -> list[str]:
    """Entries that mean missing."""
    found = [given] if isinstance(given, str) else given
    if not is_list(found) or not all(isinstance(entry, str) for entry in found):
        raise SettingsError(
            f'missing_values is {quote_value(given)}. Write entries as text, such as ["NA", "?"].'
        )
    return list(found)


def parse_workers(given: Any) -> int:
    """Threads to fit and draw in: as many as there are cores, unless said otherwise."""
    return (os.cpu_count() or 1) if given is None else parse_whole_number("workers", given)
