"""Reading and changing the text of a project file: lines, faults, and values in their places."""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from unveil.arguments import quote_value
from unveil.errors import ReadError, list_names, nearest, quote_text
from unveil.protection.plan import FileError
from unveil.records.base import SCHEMA
from unveil.view.suggestion_toml import toml_string

# In which line of a TOML file does something stand?
#
# The parser is asked itself: a statement stands in the lines by which it comes to know it. So
# quoted names, dotted names and values over several lines are found as surely as plain ones.


LinePath = Sequence[str | int]


class Lines:
    """A text that can be parsed as TOML, and where things stand in it."""

    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        self._known: dict[int, Any] = {}

    def of(self, *path: str | int) -> int | None:
        """The line in which what has this path begins, from 1; None where nothing has it."""
        found = self.span(*path)
        return None if found is None else found[0]

    def span(self, *path: str | int) -> tuple[int, int] | None:
        """The first and the last line of the statement that begins what has this path."""
        if not _has(self._whole, path):
            return None
        low, high = 0, len(self._lines)  # the first has not the path, the last has it
        while True:
            middle = self._readable((low + high + 1) // 2, high)
            if middle >= high:
                middle = self._readable(low + 1, high)
                if middle >= high:
                    return self._begin(low), high
            if _has(self._parsed(middle), path):
                high = middle
            else:
                low = middle

    @cached_property
    def _whole(self) -> Any:
        return self._parsed(len(self._lines))

    def _readable(self, start: int, end: int) -> int:
        """The first number of lines from `start` on that can be parsed by themselves."""
        return next((n for n in range(start, end) if self._parsed(n) is not None), end)

    def _parsed(self, n: int) -> Any:
        if n not in self._known:
            try:
                self._known[n] = tomllib.loads("\n".join([*self._lines[:n], ""]))
            except tomllib.TOMLDecodeError:
                self._known[n] = None
        return self._known[n]

    def _begin(self, low: int) -> int:
        """The line of a statement, behind what is empty or a comment."""
        rest = enumerate(self._lines[low:], start=low + 1)
        return next(n for n, line in rest if line.strip() and not line.strip().startswith("#"))


def _has(found: Any, path: LinePath) -> bool:
    for part in path:
        if isinstance(part, int):
            if not isinstance(found, list) or len(found) <= part:
                return False
            found = found[part]
        elif not isinstance(found, dict) or part not in found:
            return False
        else:
            found = found[part]
    return True


# How are the faults of a project file told? Each with its line, all in the order of the lines.


SECTIONS = (
    *("schema", "title", "data", "context", "roles", "scenario", "exclude", "limits", "ruling"),
    *("exceptions", "published", "synthesis", "protect", "finding", "table"),
)
"""What a project file may hold."""

_WORKBOOKS = (".xlsx", ".xlsm")


def sort_faults(name: str, lines: Lines, faults: Sequence[FileError]) -> list[str]:
    """Every fault with its line, in the order of the lines."""
    found = []
    for fault in faults:
        path = fault.path
        while path and lines.of(*path) is None:
            path = path[:-1]
        line = lines.of(*path) if path else None
        place = name if line is None else f"{name}, line {line}"
        found.append((line or 0, f"{place}: {fault.sentence}" if fault.path else fault.sentence))
    found.sort(key=lambda one: one[0])
    return [sentence for _, sentence in dict.fromkeys(found)]


def section_faults(document: Mapping[str, Any]) -> Iterator[FileError]:
    """Sections that there are not, and what stands above the first of them."""
    for name in document:
        if name not in SECTIONS:
            yield FileError(
                (name,),
                f"there is no section {quote_value(name)}.{nearest(name, SECTIONS)} The "
                "sections are:"
                f" {list_names(SECTIONS, most=20)}.",
            )
    schema = document.get("schema", SCHEMA)
    if schema is True or schema != SCHEMA:
        yield FileError(
            ("schema",), f"schema is {quote_value(schema)}. This version reads schema {SCHEMA}."
        )
    title = document.get("title", "-")
    if not isinstance(title, str) or not title.strip():
        yield FileError(
            ("title",), f"title is {quote_value(title)}. Write a text, or leave it out."
        )


def unknown_faults(
    path: tuple[str | int, ...], called: str, given: Mapping[str, Any], known: Sequence[str]
) -> Iterator[FileError]:
    """Settings that a table does not know."""
    for name in given:
        if name not in known:
            yield FileError(
                (*path, name),
                f"{called} has no setting {quote_value(name)}.{nearest(name, known)} Its settings"
                f" are: {list_names(known, most=40)}.",
            )


def file_fault(folder: Path, given: str) -> str | None:
    """What is said of a file that is not there; None where it is. A sheet may stand behind #."""
    book, mark, _ = given.rpartition("#")
    is_sheet = bool(mark) and book.lower().endswith(_WORKBOOKS)
    if _is_there(folder / given) or (is_sheet and _is_there(folder / book)):
        return None
    return f"there is no file {quote_text(given)}. Paths start at the folder of the project file."


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


# What is the text of a project file, and is it TOML? One reader for all who read one.


LARGEST = 1_000_000
MARK = "\ufeff"
"""The byte order mark that some editors put in front."""

# What the parser says, in part, and what helps.
_HINTS = {
    "Expected ']": "A table begins with [name], one of several with [[name]].",
    "Cannot overwrite": "Each name stands once in its table.",
    "twice": "Each table is begun once; begin several of a kind with [[ and ]].",
    "Cannot mutate immutable": "Each table is begun once; begin several of a kind with [[ and ]].",
    "Unescaped '\\'": "In double quotes a backslash is written twice; paths may have / instead.",
    "hex value": "In double quotes a backslash is written twice; paths may have / instead.",
    "Invalid value": "Put text in double quotes; true and false are written small.",
    "Invalid statement": "Write name = value; a name with blanks stands in double quotes.",
    "Expected '='": "Write name = value; a name with blanks stands in double quotes.",
    "Unclosed array": "A list ends with ] and has commas between its entries.",
    "Unclosed inline table": "A table in braces ends with } and stands in one line.",
    "Expected newline or end": "One setting stands in one line.",
    "Illegal character": "Text ends with a double quote in its own line.",
}


def text_of(file: Path) -> str:
    """The text as it is, to the byte: mark, line ends and all."""
    try:
        if file.stat().st_size > LARGEST:
            raise ReadError(f"The file {quote_text(file.name)} is too large for a project file.")
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ReadError(f"The file {quote_text(file.name)} is no text in UTF-8.") from None
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "it is no file"
        raise ReadError(f"The file {quote_text(str(file))} cannot be read: {why}.") from None


def document_of(name: str, text: str) -> dict[str, Any]:
    """What a text says as TOML, or where it is none."""
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except tomllib.TOMLDecodeError as fault:
        hint = next((f" {help_}" for said, help_ in _HINTS.items() if said in str(fault)), "")
        if "\r" in text.replace("\r\n", "\n"):
            hint = " Its lines end as on old Macs (CR): save it with line ends LF or CRLF."
        raise ReadError(f"The file {quote_text(name)} is no TOML: {fault}.{hint}") from None
    except RecursionError:
        raise ReadError(
            f"The file {quote_text(name)} has tables inside one another too deep."
        ) from None


# Where do new lines go in a text of TOML, and how is a value in it replaced?


_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def document_from(text: str) -> dict[str, Any]:
    """What a text says; a ValueError where it is no TOML."""
    return tomllib.loads(text.removeprefix(MARK))


def key_text(name: str) -> str:
    """The name of a setting, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else toml_string(name)


def value_text(given: Any) -> str:
    """A value as TOML writes it, in one line."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str):
        return toml_string(given)
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


def append_entry(text: str, section: str, said: Mapping[str, Any]) -> str:
    """A text with one more `[[section]]`, behind the last of its kind or at the end."""
    made = entry_lines(section, said)
    given = document_from(text).get(section)
    if not isinstance(given, list) or not given:
        return _insert_lines(text, None, ["", *made])
    end = max(_ends(text, (section, len(given) - 1)))
    return _insert_lines(text, end, ["", *made])


def insert_settings(text: str, path: Sequence[str | int], said: Mapping[str, Any]) -> str:
    """A text with more settings in a table; the table is begun where it is not there."""
    if not said:
        return text
    document = document_from(text)
    if _at(document, path) is not None:
        return _insert_lines(text, max(_own_ends(text, path)), setting_lines(said))
    parent = path[:-1]
    end = max(_ends(text, parent)) if parent and _at(document, parent) else None
    return _insert_lines(text, end, ["", *table_lines(path, said)])


def replace_table(text: str, path: Sequence[str | int], change: Callable[[Any], None]) -> str:
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


def _insert_lines(text: str, after: int | None, made: Sequence[str]) -> str:
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
