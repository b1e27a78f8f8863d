"""Labels cut to what a format holds, and what of that must be told."""

import math
from collections.abc import Iterator, Sequence

from unveil.errors import listed
from unveil.read.meanings import number_held
from unveil.read.tags import TAGS
from unveil.records.codebook import Code, Variable


def cut_bytes(text: str, most: int) -> str:
    """The text in at most so many bytes, no character broken."""
    return text.encode()[:most].decode(errors="ignore")


def cut_note(names: Sequence[str], what: str, most: str) -> Iterator[str]:
    """What to tell of labels that were cut."""
    if names:
        yield f"{what} of {listed(map(repr, names))} were cut to {most}."


def left_out_note(names: Sequence[str], what: str, why: str) -> Iterator[str]:
    """What to tell of something declared that the format has no place for."""
    if names:
        yield f"{what} of {listed(map(repr, names))} are not in the file: {why}."


def is_letter(code: Code) -> bool:
    """Whether a code of a column of numbers is a letter of missing values: ".a"."""
    return isinstance(code, str) and code in TAGS


def number_of(code: Code) -> float | None:
    """The number that a code of a column of numbers is; None for a letter, or text astray."""
    number = None if is_letter(code) else number_held(code)
    return number if number is not None and math.isfinite(number) else None


def letters_of(variable: Variable) -> list[str]:
    """The letters of missing values that a variable declares."""
    declared = (*(level.code for level in variable.levels), *variable.missing)
    return sorted({str(code) for code in declared if is_letter(code)})
