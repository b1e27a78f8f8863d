"""What does a form or an address say? Texts, and things by their place in a list."""

from collections.abc import Sequence
from typing import TypeVar

from starlette.datastructures import FormData
from starlette.requests import Request

from unveil.errors import SettingsError

Thing = TypeVar("Thing")


def place_of(text: object, n: int) -> int | None:
    """A place in a list of n things; None where it is none."""
    found = str(text)
    is_number = found.isascii() and found.isdecimal() and len(found) < 10
    return int(found) if is_number and int(found) < n else None


def parse_place(request: Request, name: str, things: Sequence[object]) -> int:
    """The place that an address names; the first otherwise."""
    return place_of(request.query_params.get(name, "0"), len(things)) or 0


def parse_text(form: FormData, name: str) -> str:
    """A text without what surrounds it; line breaks are blanks, for the project file has lines."""
    return " ".join(str(form.get(name, "")).split())


def parse_ticked(form: FormData, name: str, things: Sequence[Thing]) -> list[Thing]:
    """The things whose places a form has ticked, in their order."""
    places = {place_of(one, len(things)) for one in form.getlist(name)}
    return [one for place, one in enumerate(things) if place in places]


def parse_typed_number(form: FormData, name: str, what: str) -> float:
    """A number that was typed."""
    text = parse_text(form, name).replace(",", ".")
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"{what} must be a number.") from None


def parse_typed_integer(form: FormData, name: str, what: str) -> int | None:
    """A whole number that was typed; None where nothing was."""
    text = parse_text(form, name).replace(",", "").replace("\u202f", "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > 12:
        raise SettingsError(f"{what} must be a whole number.")
    return int(text)
