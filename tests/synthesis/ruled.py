"""Rules and formulas found in an original, without a synthesis: as `opened` finds them."""

from typing import NamedTuple

from unveil.io.sources import read_table
from unveil.synthesis.derived import resolve_rules, rule_and_derived_notes
from unveil.synthesis.split_columns import read_lettered_numbers, split


class Ruling(NamedTuple):
    """What follows from other columns, and what is said of it."""

    rules: tuple
    derived: tuple
    notes: tuple


def ruled(original, *, rules=None, derived=None, special_codes=None):
    """Rules and formulas, read against an original."""
    table = read_lettered_numbers(read_table(original, side="original"))
    return ruled_in(table, rules, derived, special_codes)


def ruled_in(table, rules, derived=None, special_codes=None):
    """The same, of an original that is read."""
    book = table.codebook
    parts = {
        name: split(table.frame[name], variable=None if book is None else book.variable(name))
        for name in table.frame.columns
    }
    found, between, columns = resolve_rules(table, parts, rules, derived, special_codes)
    return Ruling(found, columns, rule_and_derived_notes(table, found, between, columns))
