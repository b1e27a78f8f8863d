"""What may be said of the synthesis? All that can be refused before any data is read."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from unveil.arguments import is_list, parse_choice, parse_whole_number, quote_value
from unveil.errors import InputError, SettingsError, quote_text
from unveil.expressions.parse import parse_formula, parse_rule
from unveil.protection.recoding.steps import unknown_settings
from unveil.seeding import choose_seed
from unveil.study.roles import names
from unveil.synthesis.constraints import is_constraint, read_constraint
from unveil.synthesis.identifiers import parse_reasons
from unveil.synthesis.methods import FAMILIES, JOINT, MOST_ROWS, SINGLE, Options
from unveil.synthesis.settings import (
    parse_codes_by_column,
    parse_missing_entries,
    parse_workers,
)
from unveil.synthesis.synthesise import synthesise

SYNTHESIS = tuple(
    name
    for name in inspect.signature(synthesise).parameters
    if name not in ("original", "progress")
)
"""Settings of the synthesis: the arguments of `unveil.synthesise`."""

_MADE = ("order", "keep", "strata", "method")
_INSTRUCTIONS = ("drop", "renumber", "real_values")

GivenSettings = Mapping[str, Any]
Faults = Iterator[tuple[str | None, str]]
"""What is wrong: the setting, where it is about one, and a sentence."""


def find_faults(name: str | None, check: Callable[[], Any]) -> Faults:
    """The fault that a check finds, if it finds one."""
    try:
        check()
    except InputError as fault:
        yield name, str(fault)


def synthesis_faults(said: GivenSettings) -> Faults:
    """What is wrong with the settings of the synthesis."""
    yield from unknown_settings(said, SYNTHESIS)
    for field in fields(Options):
        if said.get(field.name) is not None:
            yield from find_faults(field.name, partial(Options, **{field.name: said[field.name]}))
    if "copies" in said and said["copies"] != 1:
        yield (
            "copies",
            f"copies is {quote_value(said['copies'])}. One file is protected and released: several"
            " from the same original disclose more. Omit it.",
        )
    for name, checks in _CHECKS.items():
        if said.get(name) is not None:
            for check in checks(said[name]):
                yield from find_faults(name, check)


def list_named_columns(said: GivenSettings) -> Iterator[tuple[str, str]]:
    """Every column that a setting names, and the setting; of settings without fault."""
    for name in ("method", "predictors", "special_codes", "spikes", "real_values"):
        if isinstance(said.get(name), Mapping):
            yield from ((name, column) for column in said[name])
    for row in (said.get("predictors") or {}).values():
        yield from (("predictors", column) for column in names(row, "Predictors"))
    for name in ("order", "keep", "strata", "drop", "renumber"):
        given = said.get(name)
        if given is not None and not (name == "order" and isinstance(given, str)):
            yield from ((name, column) for column in names(given, "Columns"))


def identifier_faults(identifiers: Iterable[str], said: GivenSettings) -> Faults:
    """Settings that would bring columns with the role identifier into the synthetic data.

    Such columns are left out, unless the synthesis is told to renumber them or to repeat real
    values.
    """
    named = [*list_named_columns(said)]
    told = {column for name, column in named if name in _INSTRUCTIONS}
    for name, column in named:
        if name in _MADE and column in {*identifiers} - told:
            yield (
                name,
                f"{name} names {column!r}, which has the role identifier and is excluded. Remove"
                " it there, or state what to do with it: renumber or real_values.",
            )


def drop_identifiers(identifiers: Iterable[str], said: GivenSettings) -> dict[str, Any]:
    """The settings, with columns of the role identifier dropped where they say nothing of them."""
    told = {column for name, column in list_named_columns(said) if name in _INSTRUCTIONS}
    more = [name for name in identifiers if name not in told]
    if not more:
        return dict(said)
    return {**said, "drop": [*names(said.get("drop") or (), "Columns to drop"), *more]}


Checks = Iterator[Callable[[], Any]]


def _methods(given: Any) -> Checks:
    if isinstance(given, str):
        yield lambda: parse_choice("method", given, FAMILIES)
    elif isinstance(given, Mapping):
        known = (*FAMILIES, *SINGLE, *JOINT)
        for column, method in given.items():
            yield partial(parse_choice, f"the method of {column!r}", method, known)
    else:
        yield _make_check(f"method is {quote_value(given)}. It must be a name, or one by column.")


def _order(given: Any) -> Checks:
    if given != "auto":
        yield lambda: names(given, "Columns in the order")


def _predictors(given: Any) -> Checks:
    if not isinstance(given, Mapping):
        yield _make_check(
            f"predictors is {quote_value(given)}. Write them by column, such as"
            ' {"income": ["age", "sex"]}.'
        )
        return
    for column, row in given.items():
        yield partial(names, row, f"Predictors of {column!r}")


def _rules(given: Any) -> Checks:
    for rule in given if is_list(given) else [given]:
        if is_constraint(rule):
            yield partial(read_constraint, rule)
        elif isinstance(rule, str):
            yield partial(parse_rule, rule)
        else:
            yield _make_check(
                f"A rule is {quote_value(rule)}. Write it as text: 'if age < 16 then marital = "
                "SINGLE'."
            )


def _derived_checks(given: Any) -> Checks:
    if not isinstance(given, Mapping):
        yield _make_check(
            f"derived is {quote_value(given)}. Write formulas by column, such as"
            ' {"bmi": "weight / (height / 100) ^ 2"}.'
        )
        return
    for column, text in given.items():
        if isinstance(text, str):
            what = f"The formula of {column!r}, {quote_text(text)},"
            yield partial(parse_formula, text, what)
        else:
            yield _make_check(
                f"The formula of {quote_value(column)} is {quote_value(text)}. Write it as text."
            )


def _codes(what: str, given: Any) -> Checks:
    if not isinstance(given, Mapping):
        yield partial(parse_codes_by_column, given, what, [], "")
        return
    for column, codes in given.items():
        yield partial(parse_codes_by_column, {column: codes}, what, [column], "")


def _make_check(sentence: str) -> Callable[[], None]:
    def refuse() -> None:
        raise SettingsError(sentence)

    return refuse


_CHECKS: dict[str, Callable[[Any], Checks]] = {
    "method": _methods,
    "order": _order,
    "predictors": _predictors,
    "keep": lambda given: iter([lambda: names(given, "Columns to keep")]),
    "strata": lambda given: iter([lambda: names(given, "Strata")]),
    "drop": lambda given: iter([lambda: names(given, "Columns to drop")]),
    "renumber": lambda given: iter([lambda: names(given, "Columns to renumber")]),
    "real_values": lambda given: iter([lambda: parse_reasons(given)]),
    "smooth": lambda given: iter([lambda: names(given, "Columns to smooth")]),
    "rules": _rules,
    "derived": _derived_checks,
    "special_codes": partial(_codes, "Special codes"),
    "spikes": partial(_codes, "Spikes"),
    "missing_values": lambda given: iter([lambda: parse_missing_entries(given)]),
    "seed": lambda given: iter([lambda: choose_seed(given)]),
    "workers": lambda given: iter([lambda: parse_workers(given)]),
    "rows": lambda given: iter([lambda: parse_whole_number("rows", given, most=MOST_ROWS)]),
}
