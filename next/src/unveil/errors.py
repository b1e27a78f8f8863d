"""What can go wrong, each in a sentence or two: what is wrong, where, what to do.

UnveilError
├── InputError            files, names or settings: exit code 2
├── BlockedError          a limit or an alert stops the release: 3
└── DecisionNeededError   a person must decide: 4
"""

from collections.abc import Iterable
from difflib import get_close_matches

LISTED = 12  # names that a message lists at most


class UnveilError(Exception):
    """A fault that people can mend; its text is made for them and quotes no value of the data."""

    exit_code = 1


class InputError(UnveilError):
    """A file, name or setting makes no sense."""

    exit_code = 2


class BlockedError(UnveilError):
    """A limit or an alert stops the release."""

    exit_code = 3


class DecisionNeededError(UnveilError):
    """A person must decide."""

    exit_code = 4


def check_name(name: str, known: Iterable[str], lacks: str) -> None:
    """Refuse an unknown name with the nearest one: ``{lacks} 'regoin'. Did you mean 'region'?``"""
    known = list(known)
    if name in known:
        return
    by_lower = {str(other).lower(): other for other in known}
    nearest = get_close_matches(str(name).lower(), by_lower, n=1)
    hint = f"Choose from {list_names(known)}." if known else "There is none to choose here."
    if nearest:
        hint = f"Did you mean {str(by_lower[nearest[0]])!r}?"
    raise InputError(f"{lacks} {name!r}. {hint}")


def printable(text: str) -> str:
    """Text in which nothing acts on a terminal or ends a renderer: labels come from files."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def list_names(names: Iterable[str]) -> str:
    """Names as a message lists them; of many, the first."""
    texts = [repr(str(name)) for name in names]
    return ", ".join(texts[:LISTED]) + (", ..." if len(texts) > LISTED else "") or "none"
