"""How are names, codes and kinds written in a dictionary, whoever wrote it?"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unveil.errors import ReadError
from unveil.read.tags import TAGS
from unveil.records.codebook import Code, Kind, Level

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?", re.ASCII)
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("number", "numeric", "float", "double", "real", "decimal", "long"), "number"),
    **dict.fromkeys(("int", "byte", "percentage", "unitinterval", "scale"), "number"),
    **dict.fromkeys(("text", "string", "str", "char", "character", "longtext"), "text"),
    **dict.fromkeys(("datetime", "moment", "timestamp"), "moment"),
    **dict.fromkeys(("truth", "boolean", "bool", "logical", "trueonly"), "truth"),
    "date": "date",
    "time": "time",
}


@dataclass(frozen=True)
class Rows:
    """A dictionary as rows of text, by the plain names of its columns."""

    place: str  # what a sentence calls it
    given: tuple[str, ...]  # the names in the header
    heads: tuple[str, ...]  # the same, plain
    rows: list[dict[str, str]]


def plain(name: str) -> str:
    """A column's name by its letters and figures alone: "Variable / Field Name" and field_name."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def kind_in_words(text: str) -> Kind:
    """What kind a dictionary gives a column, in the words of many programs."""
    word = plain(text)
    return "number" if word.startswith("integer") else _KINDS.get(word, "unknown")


def number_of(text: str) -> int | float | None:
    """The number a text writes as a program would; None for all else, 007 among it."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return int(number) if number.is_integer() else number


def codes_of(texts: Sequence[str], *, are_text: bool = False) -> tuple[Code, ...]:
    """The codes of one column: numbers where all are, letters of missing values aside."""
    numbers = [text if text in TAGS else number_of(text) for text in texts]
    if are_text or all(text in TAGS for text in texts):
        return tuple(texts)
    known = [number for number in numbers if number is not None]
    return tuple(known) if len(known) == len(texts) else tuple(texts)


def levels_of(codes: Iterable[Code], labels: Iterable[str], name: str, place: str) -> list[Level]:
    """Each code once, with its label; two labels of one code are a contradiction."""
    found: dict[Code, str] = {}
    for code, label in zip(codes, labels, strict=True):
        if found.setdefault(code, label) != label:
            raise ReadError(
                f"{place} gives one code of {name!r} two labels. Give each code one label."
            )
    return [Level(code=code, label=label) for code, label in found.items()]


def refuse_twins(names: Iterable[str], place: str) -> None:
    """Refuse a dictionary that declares a column twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ReadError(f"{place} declares {name!r} twice. Leave one of the two out.")
        seen.add(name)
