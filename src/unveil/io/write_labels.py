"""Which names, labels and display formats can a file of SPSS or Stata hold?"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from unveil.errors import list_names, quote_text
from unveil.io.code_meanings import find_code_number
from unveil.io.numbers import TAGS
from unveil.io.stat_dates import stamp_of
from unveil.records.codebook import Code, Format, Kind, Variable


@dataclass
class DeclaredColumns:
    """What a writer is told about the columns, and what people are told, by kind."""

    source: Format
    formats: dict[str, str] = field(default_factory=dict)
    value_labels: dict[str, dict[Any, str]] = field(default_factory=dict)
    missing: dict[str, list[Any]] = field(default_factory=dict)  # SPSS: codes; Stata: letters
    noted: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


# Labels cut to what a format holds, and what of that must be told.


def truncate_bytes(text: str, most: int) -> str:
    """The text in at most so many bytes, no character broken."""
    return text.encode()[:most].decode(errors="ignore")


def cut_note(names: Sequence[str], what: str, most: str) -> Iterator[str]:
    """What to tell of labels that were cut."""
    if names:
        yield f"{what} of {list_names(map(repr, names))} were cut to {most}."


def left_out_note(names: Sequence[str], what: str, why: str) -> Iterator[str]:
    """What to tell of something declared that the format has no place for."""
    if names:
        yield f"{what} of {list_names(map(repr, names))} are not in the file: {why}."


def is_letter(code: Code) -> bool:
    """Whether a code of a column of numbers is a letter of missing values: ".a"."""
    return isinstance(code, str) and code in TAGS


def number_of(code: Code) -> float | None:
    """The number that a code of a column of numbers is; None for a letter, or text astray."""
    number = None if is_letter(code) else find_code_number(code)
    return number if number is not None and math.isfinite(number) else None


def letters_of(variable: Variable) -> list[str]:
    """The letters of missing values that a variable declares."""
    declared = (*(level.code for level in variable.levels), *variable.missing)
    return sorted({str(code) for code in declared if is_letter(code)})


# Which names of columns can a format hold?


_SPSS_WORDS = {
    *("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"),
}
_STATA_WORDS = {
    *("_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n"),
    *("_N", "_pi", "_pred", "_rc", "_se", "_skip", "strL", "using", "with"),
}
_SPSS_BYTES, _STATA_LETTERS = 64, 32
_MOST_SHOWN = 8


def spss_names(names: Sequence[str]) -> list[str]:
    """The error of names that SPSS does not allow; none where all are allowed."""
    return [*_refused_names(names, _spss_reason, "SPSS"), *_equal_but_for_case(names)]


def stata_names(names: Sequence[str]) -> list[str]:
    """The error of names that Stata does not allow; none where all are allowed."""
    return _refused_names(names, _stata_reason, "Stata")


def csv_names(names: Sequence[str]) -> list[str]:
    """The error of names that a line of text cannot hold or would lose."""
    return _refused_names(names, _csv_reason, "A text file")


def _refused_names(
    names: Sequence[str], reason: Callable[[str], str | None], who: str
) -> list[str]:
    found = [(name, why) for name in names if (why := reason(name)) is not None]
    if not found:
        return []
    shown = "; ".join(f"{quote_text(name)} ({why})" for name, why in found[:_MOST_SHOWN])
    more = f"; and {len(found) - _MOST_SHOWN:,} more" if len(found) > _MOST_SHOWN else ""
    columns, them = ("a column", "it") if len(found) == 1 else (f"{len(found):,} columns", "them")
    return [f"{who} cannot hold the name of {columns}: {shown}{more}. Rename {them} first."]


def _spss_reason(name: str) -> str | None:
    if len(name.encode()) > _SPSS_BYTES:
        return f"longer than {_SPSS_BYTES} bytes"
    if name.upper() in _SPSS_WORDS:
        return "a reserved word"
    if not name[:1].isalpha():
        return "does not begin with a letter"
    if re.search(r"[^\w.$#@]", name):
        return _odd(name, "letters, digits, _ . $ # @")
    return "ends with a point" if name.endswith(".") else None


def _stata_reason(name: str) -> str | None:
    if len(name) > _STATA_LETTERS:
        return f"longer than {_STATA_LETTERS} characters"
    if name in _STATA_WORDS or re.fullmatch(r"str\d+", name):
        return "a reserved word"
    if not (name[:1].isalpha() or name[:1] == "_"):
        return "does not begin with a letter"
    return _odd(name, "letters, digits, _") if re.search(r"\W", name) else None


def _csv_reason(name: str) -> str | None:
    if not name.strip():
        return "empty"
    if "\n" in name or "\r" in name:
        return "runs over a line"
    return "blanks around it" if name != name.strip() else None


def _odd(name: str, allowed: str) -> str:
    return "holds a blank" if re.search(r"\s", name) else f"allowed are {allowed}"


def _equal_but_for_case(names: Sequence[str]) -> list[str]:
    by_folded: dict[str, list[str]] = {}
    for name in names:
        by_folded.setdefault(name.upper(), []).append(name)
    alike = [" and ".join(map(quote_text, same)) for same in by_folded.values() if len(same) > 1]
    if not alike:
        return []
    shown = "; ".join(alike[:_MOST_SHOWN])
    return [f"SPSS takes capital and small letters for the same: {shown}. Rename one of them."]


# How is a column shown: which format of SPSS or Stata stands for what the original declared?
#
# A format of the program itself is kept as it is. One of another program (SPSS, Stata, SAS) is
# turned into the nearest: the same width and decimals, or the usual one for its kind.


_SPSS_NUMBERS = {
    *("F", "N", "E", "COMMA", "DOT", "DOLLAR", "PCT", "CCA", "CCB", "CCC", "CCD", "CCE", "Z"),
    *("IB", "PIB", "PIBHEX", "P", "PK", "RB", "RBHEX", "WKDAY", "MONTH"),
}
_STATA_NUMBER = re.compile(r"%(-|0|~)?\d{1,3}(\.|,)\d{1,2}[efg]c?|%21x|%16[HL]|%8[HL]|%t[wmqhyg].*")
_STATA_TEXT = re.compile(r"%[-~]?\d{1,4}s")

_PLAIN = re.compile(r"(?:F|COMMA|DOT|DOLLAR|PCT|E|N|Z|BEST)?(\d{1,2})(?:\.(\d{1,2})?)?")
_STATA_PARTS = re.compile(r"%[-0~]?(\d{1,3})[.,](\d{1,2})([efg])c?")
_NAMED = re.compile(r"([A-Z]+)(\d{1,3})?(?:\.(\d{1,2}))?")
_LONGEST_NUMBER, _MOST_DECIMALS = 40, 16
_NARROWEST = 8  # what Stata itself gives to its smallest numbers

SPSS_USUAL: dict[Kind, str] = {"date": "DATE11", "moment": "DATETIME20", "time": "TIME8"}
STATA_USUAL: dict[Kind, str] = {"date": "%td", "moment": "%tc", "time": "%tcHH:MM:SS"}


def spss_format(declared: str | None, kind: Kind, *, is_whole: bool) -> str:
    """The format of a column of numbers or stamps in SPSS."""
    text = (declared or "").upper()
    if kind in SPSS_USUAL:
        return text if _is_stamp("spss", text, kind) else SPSS_USUAL[kind]
    named = _NAMED.fullmatch(text)
    if named and named[1] in _SPSS_NUMBERS and _is_sane(named[2], named[3]):
        return text
    width, decimals = _width_and_decimals(text.lower()) or _width_and_decimals(text) or (8, None)
    if decimals is None:
        decimals = 0 if is_whole else 2
    width = min(max(width, decimals + 2 if decimals else 1), _LONGEST_NUMBER)
    return f"F{width}.{min(decimals, _MOST_DECIMALS)}"


def stata_format(declared: str | None, kind: Kind) -> str | None:
    """The format of a column in Stata; None where Stata's own default will do."""
    text = declared or ""
    if kind in STATA_USUAL:
        return text if _is_stamp("stata", text, kind) else STATA_USUAL[kind]
    if kind == "text":
        return text if _STATA_TEXT.fullmatch(text) else None
    if _STATA_NUMBER.fullmatch(text):
        return text
    found = _width_and_decimals(text.upper())
    if found is None or not found[0]:
        return None
    width, decimals = found
    return f"%{width}.{decimals}f" if decimals else f"%{max(width, _NARROWEST)}.0g"


def text_width(declared: str | None) -> int:
    """How many bytes a text may have by its declared format; 0 where none is declared."""
    found = re.fullmatch(r"(?:A|\$|%-?|\$CHAR)(\d{1,5})\.?s?", declared or "")
    return int(found[1]) if found else 0


def _width_and_decimals(text: str) -> tuple[int, int | None] | None:
    """Width and decimals of a format of any of the three programs; None where it has none."""
    if parts := _STATA_PARTS.fullmatch(text):
        is_general = parts[3] == "g" and parts[2] == "0"
        return int(parts[1]), None if is_general else int(parts[2])
    if plain := _PLAIN.fullmatch(text):
        is_best = text.startswith("BEST")
        return int(plain[1]), None if is_best else int(plain[2] or 0)
    return None


def _is_stamp(program: str, text: str, kind: Kind) -> bool:
    """Whether the program takes numbers of this format for such dates or times."""
    stamp = stamp_of(program, text)
    is_ours = text.startswith("%") if program == "stata" else bool(re.search(r"\d", text))
    return is_ours and stamp is not None and stamp.kind == kind


def _is_sane(width: str | None, decimals: str | None) -> bool:
    return bool(width) and 0 < int(width or 0) <= _LONGEST_NUMBER and int(decimals or 0) <= 16
