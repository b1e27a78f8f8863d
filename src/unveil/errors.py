"""Everything that can go wrong, as a tree.

::

    UnveilError
    ├── InputError          the user's input; exit code 2
    │   ├── ReadError       a file or frame that cannot be read as a table
    │   ├── RolesError      keys, targets or column names that do not fit the data
    │   ├── AlignError      original and copy that cannot be compared
    │   ├── EngineError     what an engine that keeps the rows cannot answer
    │   ├── SettingsError   a limit or option that means nothing
    │   ├── LockedError     a project in which another command is at work
    │   └── WriteError      output that cannot be written, or would overwrite
    ├── AboveLimitError     a limit that somebody accepted is exceeded; exit code 3
    ├── TamperedError       log, runs or decisions are not as they were written; exit code 3
    ├── RulingNeededError   a person has to say something first; exit code 4
    ├── LeakError           the leak check refused a release pack; exit code 5
    └── InternalError       a fault of ours; exit code 1

Each message says what is wrong, where, and what to do. None quotes a cell of the data: names of
columns and what the user typed may appear, values may not.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches


class UnveilError(Exception):
    """Anything unveil raises on purpose."""

    exit_code = 1


class InputError(UnveilError):
    """What the user gave cannot be used; nothing was computed or written."""

    exit_code = 2


class ReadError(InputError):
    """A file or frame cannot be read as a table."""


class RolesError(InputError):
    """Keys, targets or column names do not fit the data."""


class AlignError(InputError):
    """Original and copy cannot be compared, so every risk would look like zero.

    `types` has, by column, what `[data.types]` of a project could say to have it compared.
    """

    def __init__(self, sentence: str, types: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.types = dict(types or {})


class EngineError(InputError):
    """An engine that keeps the rows elsewhere cannot answer, or has not the means to."""


class SettingsError(InputError):
    """A limit or an option means nothing."""


class LockedError(InputError):
    """Another command is at work in the same project."""


class WriteError(InputError):
    """Output cannot be written where it is sent to, or would overwrite what is there."""


class AboveLimitError(UnveilError):
    """A figure is above a limit that a person accepted, or could not be held against it."""

    exit_code = 3


class TamperedError(UnveilError):
    """What a decision would rest on is not as it was written."""

    exit_code = 3


class RulingNeededError(UnveilError):
    """A decision or sign-off is outstanding."""

    exit_code = 4


class LeakError(UnveilError):
    """A finished pack holds what must not leave; it was not written."""

    exit_code = 5


class InternalError(UnveilError):
    """A state that should be impossible."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} The error is in unveil, not in your data: please report it.")


def list_names(names: Iterable[str], most: int = 12) -> str:
    """Names in a sentence, cut short where there are very many."""
    all_names = [_join_lines(name) for name in names]
    shown = ", ".join(all_names[:most])
    more = len(all_names) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def _join_lines(name: str) -> str:
    return _truncate(name if name.isprintable() else repr(name)[1:-1], 60)


def _truncate(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def quote_text(text: str) -> str:
    """What a user typed, in a sentence: in quotes, on one line, not longer than it need be."""
    return repr(_truncate(text, 120))


def hint_at(name: str, known: Sequence[str]) -> str:
    """A hint for a mistyped name, or nothing."""
    folded = {candidate.casefold(): candidate for candidate in known}
    typed = name.casefold()
    # A slip seldom hits the first letter: another one needs the rest to be closer.
    near = [one for one in folded if one[:1] == typed[:1]]
    close = get_close_matches(typed, near, n=1) or get_close_matches(typed, folded, n=1, cutoff=0.8)
    return f" Did you mean '{_join_lines(folded[close[0]])}'?" if close else ""


def unknown_name(
    what: str, name: object, known: Iterable[str], there: str, *, most: int = 12
) -> str:
    """The sentence for a name that is not there: the nearest, and all that are, as in `there`."""
    names = list(known)
    hint = hint_at(name, names) if isinstance(name, str) else ""
    said = quote_text(name) if isinstance(name, str) else f"of type {type(name).__name__}"
    listed = f"{there}: {list_names(names, most)}." if names else "There is none."
    return f"{what} {said}.{hint} {listed}"
