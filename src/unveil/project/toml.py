"""The text of a project file: what it says as TOML, in which line, quoted, and changed in place."""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from unveil.errors import SettingsError, WriteError, quote_text
from unveil.io.read_toml import MARK, parse_plain
from unveil.protection.plan import FileError
from unveil.view.suggestion_toml import toml_string

# In which line of a TOML file does something stand?
#
# The parser is asked itself: a statement stands in the lines by which it comes to know it. So
# quoted names, dotted names and values over several lines are found as surely as plain ones.


LinePath = Sequence[str | int]


class Lines:
    """A text that can be parsed as TOML, and where things stand in it."""

    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix(MARK).replace("\r\n", "\n").split("\n")
        self._known: dict[int, Any] = {}

    def of(self, *path: str | int) -> int | None:
        """The line in which what has this path begins, from 1; None where nothing has it."""
        found = self.span(*path)
        return None if found is None else found[0]

    def span(self, *path: str | int) -> tuple[int, int] | None:
        """The first and the last line of the statement that begins what has this path."""
        if _at(self._parse_lines(len(self._lines)), path) is None:
            return None
        low, high = 0, len(self._lines)  # the first has not the path, the last has it
        while True:
            middle = self._readable((low + high + 1) // 2, high)
            if middle >= high:
                middle = self._readable(low + 1, high)
                if middle >= high:
                    return self._begin(low), high
            if _at(self._parse_lines(middle), path) is not None:
                high = middle
            else:
                low = middle

    def _readable(self, start: int, end: int) -> int:
        """The first number of lines from `start` on that can be parsed by themselves."""
        return next((n for n in range(start, end) if self._parse_lines(n) is not None), end)

    def _parse_lines(self, n: int) -> Any:
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


def _at(found: Any, path: LinePath) -> Any:
    """What a document has at a path; None where nothing is there."""
    for part in path:
        if isinstance(part, int):
            is_there = isinstance(found, list) and part < len(found)
        else:
            is_there = isinstance(found, dict) and part in found
        if not is_there:
            return None
        found = found[part]
    return found


# How are the faults of a project file told? Each with its line, all in the order of the lines.


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


# Where do new lines go in a text of TOML, and how is a value in it replaced?
#
# A new table or setting is a few lines put in at one place; a value that is there already is
# changed by tomlkit, which keeps comments and spacing. What comes out is read again before it is
# given back: it must say the same as before but for the change.


_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def parse_dotted(name: str) -> list[str | int]:
    """The parts of a dotted name: data.types."net income" has three."""
    try:
        found: Any = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        raise SettingsError(
            f"{quote_text(name)} is not the name of a setting. Write one such as roles.key or"
            " data.types.age."
        ) from None
    path: list[str | int] = []
    while isinstance(found, dict):
        part, found = next(iter(found.items()))
        path.append(part)
    return path


def parse_setting(text: str) -> tuple[str, Any]:
    """A name and its value: roles.key=["sex"], context.audience=open, protect.step+={...}.

    What is no TOML is a text; nothing takes the setting out.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip(" +"):
        raise SettingsError(
            f"{quote_text(text)} is not a setting. Write its name, =, and its value:"
            ' context.audience=open, or roles.key=["sex", "age"].'
        )
    try:
        found = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        found = value.strip() or None
    return name.strip(), found


_BESIDE = re.compile(r"""^\s*("(?:[^"\\]|\\.)*"|'[^']*'),?\s*#\s*(.+?)\s*$""", re.MULTILINE)


def comments_beside(text: str) -> dict[str, str]:
    """What a comment says of each name that stands in a line of its own: why it is there."""
    return {parse_plain(f"name = {quoted}")["name"]: said for quoted, said in _BESIDE.findall(text)}


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


def whole_number(value: float) -> int | float:
    """A number as people write it: 5, not 5.0."""
    return int(value) if float(value).is_integer() else float(value)


def setting_lines(said: Mapping[str, Any]) -> list[str]:
    """Settings, one in a line."""
    return [f"{key_text(name)} = {value_text(given)}" for name, given in said.items()]


def entry_lines(section: str, said: Mapping[str, Any]) -> list[str]:
    """One table of a kind of which there may be several."""
    return [f"[[{section}]]", *setting_lines(said)]


def table_lines(path: LinePath, said: Mapping[str, Any]) -> list[str]:
    """A table with its head."""
    names = [key_text(part) for part in path if isinstance(part, str)]
    return [f"[{'.'.join(names)}]", *setting_lines(said)]


def add_entries(text: str, section: str, tables: Sequence[Mapping[str, Any]]) -> str:
    """A text with more `[[section]]`, behind the last of their kind or at the end."""
    made = [_given_fields(one) for one in tables]
    *above, name = path = section.split(".")
    wanted = parse_plain(text)
    entries = _begin_table(wanted, above).setdefault(name, [])
    n_before = len(entries)
    entries.extend(made)
    lines = [line for one in made for line in ("", *entry_lines(section, one))]

    def append() -> str:
        end = max(_ends(text, (*path, n_before - 1))) if n_before else None
        return _insert_lines(text, end, lines)

    def extend(entries: Any) -> None:
        entries.extend(dict(one) for one in made)

    ways = (append, lambda: replace_table(text, path, extend))
    return _first_right(wanted, lines[1:], ways)


def set_settings(text: str, path: tuple[str | int, ...], settings: Mapping[str, Any]) -> str:
    """A text with these settings in one table, begun where it is not there; None takes one out."""
    told = _given_fields(settings)
    gone = [name for name, given in settings.items() if given is None]
    wanted = parse_plain(text)
    table = _begin_table(wanted, path)
    before = dict(table)
    table.update(told)
    for name in gone:
        table.pop(name, None)
    changed = {name: one for name, one in told.items() if before.get(name, one) != one}
    new = {name: one for name, one in told.items() if name not in before}

    def change(tables: Any, settings: Mapping[str, Any] = changed) -> None:
        for name, one in settings.items():
            if not _keep_comments(tables.get(name), one):
                tables[name] = one
        for name in gone:
            if name in tables:
                del tables[name]

    has_changes = bool(changed) or any(name in before for name in gone)
    base = replace_table(text, path, change) if has_changes else text
    ways = (
        lambda: _insert_settings(base, path, new),
        lambda: replace_table(text, path, lambda tables: change(tables, {**changed, **new})),
    )
    return _first_right(wanted, table_lines(path, told), ways)


def _keep_comments(found: Any, wanted: Any) -> bool:
    """Whether a list of names became another one place by place, each beside its comment."""
    if not isinstance(found, Array) or not isinstance(wanted, list) or not wanted:
        return False
    if not all(isinstance(one, str) for one in (*found, *wanted)):
        return False
    for one in [*found]:
        if one not in wanted:
            found.remove(one)
    for one in wanted:
        if one not in found:
            found.append(one)
    return list(found) == wanted


def _first_right(
    wanted: Mapping[str, Any], lines: Sequence[str], ways: Sequence[Callable[[], str]]
) -> str:
    """What the first way makes that says what is wanted; `lines` are told where none does."""
    for way in ways:
        made = way()
        try:
            if parse_plain(made) == wanted:
                return made
        except ValueError:
            continue
    raise WriteError(
        "The layout of the project file does not allow this entry at one place. Nothing was"
        f" written. Add it by hand:\n{chr(10).join(lines)}"
    )


def _given_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is set, without what was left open; days as dates."""
    return {
        name: dt.date.fromisoformat(given) if name == "on" else given
        for name, given in settings.items()
        if given is not None
    }


def _begin_table(document: dict[str, Any], path: LinePath) -> Any:
    """The table at a path; begun where it is not there."""
    found: Any = document
    for part in path:
        found = found[part] if isinstance(part, int) else found.setdefault(part, {})
    return found


def _insert_settings(text: str, path: LinePath, said: Mapping[str, Any]) -> str:
    """A text with more settings in a table; the table is begun where it is not there."""
    if not said:
        return text
    document = parse_plain(text)
    if _at(document, path) is not None:
        return _insert_lines(text, max(_own_ends(text, path)), setting_lines(said))
    parent = path[:-1]
    end = max(_ends(text, parent)) if parent and _at(document, parent) else None
    return _insert_lines(text, end, ["", *table_lines(path, said)])


def replace_table(text: str, path: LinePath, change: Callable[[Any], None]) -> str:
    """A text in which tomlkit changed the table at a path; as it was where it could not."""
    mark = MARK if text.startswith(MARK) else ""
    try:
        document = tomlkit.parse(text.removeprefix(MARK))
        if mark + tomlkit.dumps(document) != text:
            return text
        change(_begin_table(document, path))
        return mark + tomlkit.dumps(document)
    except (TOMLKitError, KeyError, ValueError, AttributeError, TypeError):
        return text


def _ends(text: str, path: LinePath) -> Iterator[int]:
    """The last line of everything at and below a path."""
    yield from _ends_below(Lines(text), _at(parse_plain(text), path), path)


def _ends_below(lines: Lines, found: Any, path: LinePath) -> Iterator[int]:
    if (span := lines.span(*path)) is not None:
        yield span[1]
    inner = found.items() if isinstance(found, dict) else ()
    for part, one in enumerate(found) if isinstance(found, list) else inner:
        yield from _ends_below(lines, one, (*path, part))


def _own_ends(text: str, path: LinePath) -> Iterator[int]:
    """The last line of the head of a table, and of each setting of its own."""
    lines = Lines(text)
    found = _at(parse_plain(text), path)
    head = lines.span(*path)
    yield 0 if head is None else head[1]
    for name, one in found.items() if isinstance(found, dict) else ():
        is_table = isinstance(one, dict) or (isinstance(one, list) and one and _is_tables(one))
        span = lines.span(*path, name)
        if span is not None and (not is_table or _is_setting(text, span)):
            yield span[1]


def _is_tables(given: list[Any]) -> bool:
    return all(isinstance(one, dict) for one in given)


def _is_setting(text: str, span: tuple[int, int]) -> bool:
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
