"""Rules and formulas found in an original, without a synthesis: as `opened` finds them."""

from typing import NamedTuple

from unveil.read.files import read_table
from unveil.synthesis.lettered import with_letters
from unveil.synthesis.ruling import found_in, told
from unveil.synthesis.splitting import split


class Ruling(NamedTuple):
    """What follows from other columns, and what is said of it."""

    rules: tuple
    derived: tuple
    notes: tuple


def ruled(original, *, rules=None, derived=None, special_codes=None):
    """Rules and formulas, read against an original."""
    table = with_letters(read_table(original, side="original"))
    return ruled_in(table, rules, derived, special_codes)


def ruled_in(table, rules, derived=None, special_codes=None):
    """The same, of an original that is read."""
    book = table.codebook
    parts = {
        name: split(table.frame[name], variable=None if book is None else book.variable(name))
        for name in table.frame.columns
    }
    found, columns = found_in(table, parts, rules, derived, special_codes)
    return Ruling(found, columns, told(table, found, columns))
