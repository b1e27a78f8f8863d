"""Proposed roles as the tables of a project file, ready to be pasted; every name in quotes."""

from collections.abc import Iterator, Sequence
from unicodedata import category

from unveil.records.suggestion import Role, Suggestion

SCENARIO = "neighbours and colleagues"
GIVEN = "as named"
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Control and direction marks, lone surrogates, line breaks, and what is no character.
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")


def roles_toml(record: Suggestion) -> str:
    """`[roles]`, each name with its reason beside it, and one `[[scenario]]`."""
    return "\n".join([*roles_lines(record), "", *_scenario(record)]) + "\n"


def toml_string(name: str) -> str:
    """A name as a basic string of TOML: what cannot be seen, or could steer, is escaped."""
    return f'"{"".join(_ESCAPES.get(letter) or _escape_invisible(letter) for letter in name)}"'


def _escape_invisible(letter: str) -> str:
    return escape_letter(letter) if category(letter) in _UNSEEN else letter


def escape_letter(letter: str) -> str:
    """A letter by its number, as a basic string of TOML may hold it."""
    place = ord(letter)
    return f"\\u{place:04X}" if place <= 0xFFFF else f"\\U{place:08X}"


def escape_comment(text: str) -> str:
    """A text as a comment may hold it: what cannot be seen, or could steer, is escaped."""
    return "".join(_escape_invisible(letter) for letter in text)


def roles_lines(record: Suggestion) -> Iterator[str]:
    """`[roles]`, each name with its reason beside it."""
    yield "[roles]"
    lists: tuple[Role, ...] = ("identifier", "key", "target", "ignore")
    for role in lists:
        yield from _list(record, role, record.list_columns(role))
    singles: tuple[Role, ...] = ("weight", "person")
    for role in singles:
        for name in record.list_columns(role):
            yield f"{role} = {toml_string(name)} # {_reason(record, name)}"


def _list(record: Suggestion, role: str, names: Sequence[str]) -> Iterator[str]:
    if not names:
        yield f"{role} = []"
        return
    yield f"{role} = ["
    for name in names:
        yield f"    {toml_string(name)}, # {_reason(record, name)}"
    yield "]"


def _reason(record: Suggestion, name: str) -> str:
    return escape_comment(record.row_of(name).reason)


def _scenario(record: Suggestion) -> Iterator[str]:
    if not record.keys:
        yield "# No keys are proposed. Name what an intruder knows, and take the marks away:"
        yield "# [[scenario]]"
        yield f"# name = {toml_string(SCENARIO)}"
        yield "# keys = []"
        yield '# targets = "all"'
        return
    yield "[[scenario]]"
    yield f"name = {toml_string(GIVEN if record.stop == 'given' else SCENARIO)}"
    yield f"keys = [{', '.join(map(toml_string, record.keys))}]"
    yield f"# {record.n_unique:,} of {record.n_records:,} people are unique with these keys."
    yield 'targets = "all"'
