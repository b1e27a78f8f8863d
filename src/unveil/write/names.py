"""Which names of columns can a format hold?"""

import re
from collections.abc import Callable, Sequence

from unveil.errors import quoted

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
    """The fault of names that SPSS does not allow; none where all are allowed."""
    return [*_refused(names, _spss_reason, "SPSS"), *_equal_but_for_case(names)]


def stata_names(names: Sequence[str]) -> list[str]:
    """The fault of names that Stata does not allow; none where all are allowed."""
    return _refused(names, _stata_reason, "Stata")


def csv_names(names: Sequence[str]) -> list[str]:
    """The fault of names that a line of text cannot hold or would lose."""
    return _refused(names, _csv_reason, "A text file")


def _refused(names: Sequence[str], reason: Callable[[str], str | None], who: str) -> list[str]:
    found = [(name, why) for name in names if (why := reason(name)) is not None]
    if not found:
        return []
    shown = "; ".join(f"{quoted(name)} ({why})" for name, why in found[:_MOST_SHOWN])
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
    alike = [" and ".join(map(quoted, same)) for same in by_folded.values() if len(same) > 1]
    if not alike:
        return []
    shown = "; ".join(alike[:_MOST_SHOWN])
    return [f"SPSS takes capital and small letters for the same: {shown}. Rename one of them."]
