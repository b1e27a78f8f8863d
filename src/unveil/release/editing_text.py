"""Where do new lines go in a text of TOML, and how is a value in it replaced?"""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from unveil.measure.roles.toml import quoted
from unveil.protection.plan_lines import Lines
from unveil.protection.plan_text import MARK

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def document_from(text: str) -> dict[str, Any]:
    """What a text says; a ValueError where it is no TOML."""
    return tomllib.loads(text.removeprefix(MARK))


def key_text(name: str) -> str:
    """The name of a setting, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else quoted(name)


def value_text(given: Any) -> str:
    """A value as TOML writes it, in one line."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str):
        return quoted(given)
    if isinstance(given, Mapping):
        inside = ", ".join(f"{key_text(name)} = {value_text(one)}" for name, one in given.items())
        return f"{{{inside}}}"
    if isinstance(given, list | tuple):
        return f"[{', '.join(map(value_text, given))}]"
    return given.isoformat() if isinstance(given, dt.date) else repr(given)


def setting_lines(said: Mapping[str, Any]) -> list[str]:
    """Settings, one in a line."""
    return [f"{key_text(name)} = {value_text(given)}" for name, given in said.items()]


def entry_lines(section: str, said: Mapping[str, Any]) -> list[str]:
    """One table of a kind of which there may be several."""
    return [f"[[{section}]]", *setting_lines(said)]


def table_lines(path: Sequence[str | int], said: Mapping[str, Any]) -> list[str]:
    """A table with its head."""
    names = [key_text(part) for part in path if isinstance(part, str)]
    return [f"[{'.'.join(names)}]", *setting_lines(said)]


def appended_entry(text: str, section: str, said: Mapping[str, Any]) -> str:
    """A text with one more `[[section]]`, behind the last of its kind or at the end."""
    made = entry_lines(section, said)
    given = document_from(text).get(section)
    if not isinstance(given, list) or not given:
        return _put(text, None, ["", *made])
    end = max(_ends(text, (section, len(given) - 1)))
    return _put(text, end, ["", *made])


def inserted_settings(text: str, path: Sequence[str | int], said: Mapping[str, Any]) -> str:
    """A text with more settings in a table; the table is begun where it is not there."""
    if not said:
        return text
    document = document_from(text)
    if _at(document, path) is not None:
        return _put(text, max(_own_ends(text, path)), setting_lines(said))
    parent = path[:-1]
    end = max(_ends(text, parent)) if parent and _at(document, parent) else None
    return _put(text, end, ["", *table_lines(path, said)])


def replaced(text: str, path: Sequence[str | int], change: Callable[[Any], None]) -> str:
    """A text in which tomlkit changed the table at a path; as it was where it could not."""
    mark = MARK if text.startswith(MARK) else ""
    try:
        document = tomlkit.parse(text.removeprefix(MARK))
        if mark + tomlkit.dumps(document) != text:
            return text
        found: Any = document
        for part in path:
            found = found[part] if isinstance(part, int) else found.setdefault(part, {})
        change(found)
        return mark + tomlkit.dumps(document)
    except (TOMLKitError, KeyError, ValueError, AttributeError, TypeError):
        return text


def _at(document: Mapping[str, Any], path: Sequence[str | int]) -> Any:
    found: Any = document
    for part in path:
        is_there = part in found if isinstance(found, dict) else isinstance(part, int)
        if not is_there:
            return None
        found = found[part]
    return found


def _ends(text: str, path: Sequence[str | int]) -> Iterator[int]:
    """The last line of everything at and below a path."""
    lines = Lines(text)
    found = _at(document_from(text), path)
    yield from _ends_below(lines, found, tuple(path))


def _ends_below(lines: Lines, found: Any, path: tuple[str | int, ...]) -> Iterator[int]:
    if (span := lines.span(*path)) is not None:
        yield span[1]
    if isinstance(found, dict):
        for name, one in found.items():
            yield from _ends_below(lines, one, (*path, name))
    elif isinstance(found, list):
        for place, one in enumerate(found):
            yield from _ends_below(lines, one, (*path, place))


def _own_ends(text: str, path: Sequence[str | int]) -> Iterator[int]:
    """The last line of the head of a table, and of each setting of its own."""
    lines = Lines(text)
    found = _at(document_from(text), path)
    head = lines.span(*path)
    yield 0 if head is None else head[1]
    for name, one in found.items() if isinstance(found, dict) else ():
        is_table = isinstance(one, dict) or (isinstance(one, list) and one and _is_tables(one))
        span = lines.span(*path, name)
        if span is not None and (not is_table or _is_setting(text, span, name)):
            yield span[1]


def _is_tables(given: list[Any]) -> bool:
    return all(isinstance(one, dict) for one in given)


def _is_setting(text: str, span: tuple[int, int], name: str) -> bool:
    """Whether a table stands behind an equals sign, not below a head of its own."""
    line = text.removeprefix(MARK).replace("\r\n", "\n").split("\n")[span[0] - 1]
    return not line.lstrip().startswith("[")


def _put(text: str, after: int | None, made: Sequence[str]) -> str:
    """A text with lines behind one of its lines, or at its end; line ends are those of the text."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")  # a carriage return stays with its line
    if after is None or after >= len(lines) or not any(line.strip() for line in lines[after:]):
        whole = text if not text.strip(MARK) or text.endswith("\n") else text + newline
        body = list(made[1:]) if _is_open(whole) and made and made[0] == "" else list(made)
        return whole + "".join(line + newline for line in body)
    return "\n".join([*lines[:after], *(line + newline[:-1] for line in made), *lines[after:]])


def _is_open(text: str) -> bool:
    """Whether nothing, or an empty line, stands at the end."""
    lines = text.strip(MARK).split("\n")
    return len(lines) < 2 or not lines[-2].strip()
