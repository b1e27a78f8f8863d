"""How is a column shown: which format of SPSS or Stata stands for what the original declared?

A format of the program itself is kept as it is. One of another program (SPSS, Stata, SAS) is
turned into the nearest: the same width and decimals, or the usual one for its kind.
"""

import re

from unveil.read.stamps import stamp_of
from unveil.records.codebook import Kind

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
