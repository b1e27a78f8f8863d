"""What is set in one table of a project file? Each setting is read once; a wrong one is a fault."""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unveil.arguments import Setting, is_list, parse_choice, quote_value
from unveil.errors import InputError, unknown_name
from unveil.project.people import LONGEST, LONGEST_TEXT, is_name, text_fault
from unveil.protection.plan import FileError
from unveil.study.roles import names

FieldPath = tuple[str | int, ...]
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class Fields:
    """The settings of one table, and the list to which its faults are added."""

    def __init__(self, table: Mapping[str, Any], path: FieldPath, faults: list[FileError]) -> None:
        self.table = table
        self.path = path
        self.faults = faults

    @property
    def heading(self) -> str:
        """What a sentence calls the table: [limits], [[scenario]], [context.release_context]."""
        names = ".".join(str(part) for part in self.path if isinstance(part, str))
        is_one_of_many = any(isinstance(part, int) for part in self.path)
        return f"[[{names}]]" if is_one_of_many else f"[{names}]"

    def has(self, name: str) -> bool:
        """Whether something is set."""
        return name in self.table

    def refuse(self, sentence: str, *names: str | int) -> None:
        """Tell a fault of a setting, or of the table as a whole."""
        self.faults.append(FileError((*self.path, *names), sentence))

    def only(self, known: Sequence[str]) -> None:
        """Tell every setting that the table does not know."""
        for name in self.table:
            if name not in known:
                what, there = f"{self.heading} has no setting", "Its settings are"
                self.refuse(unknown_name(what, name, known, there, most=40), name)

    def text(self, name: str, need: str | None = None) -> str | None:
        """A text that says something; `need` is what is said where it is not there."""
        given = self.table.get(name)
        if given is None:
            if need is not None:
                self.refuse(f"{self.heading} has no {name}. {need}")
            return None
        if isinstance(given, str) and given.strip():
            return given
        self.refuse(f"{name} is {quote_value(given)}. {need or 'Write it as text.'}", name)
        return None

    def sentence(self, name: str, need: str) -> str | None:
        """What a person wrote: in one line, and not left as the example has it."""
        return self._statement(name, need, LONGEST_TEXT)

    def person(self, name: str, need: str) -> str | None:
        """The name of a person, as it could be given on the command line."""
        given = self._statement(name, need, LONGEST)
        if given is not None and not is_name(given):
            self.refuse(f"{name} is {quote_value(given)}, which is not a name. {need}", name)
            return None
        return given

    def _statement(self, name: str, need: str, longest: int) -> str | None:
        given = self.text(name, need)
        wrong = None if given is None else text_fault(given, longest)
        if wrong is not None:
            self.refuse(f"{name} is {quote_value(given)}, {wrong}. {need}", name)
            return None
        return given

    def truth(self, name: str) -> bool | None:
        """True or false."""
        given = self.table.get(name)
        if given is not None and not isinstance(given, bool):
            self.refuse(
                f"{name} is {quote_value(given)}. Write true or false, without quotes.", name
            )
            return None
        return given

    def day(self, name: str = "on") -> str | None:
        """A day, as a date of TOML or as text."""
        given = self.table.get(name)
        if given is None:
            return None
        day = given.isoformat() if isinstance(given, dt.date) else given
        if isinstance(given, dt.datetime) or not isinstance(day, str) or not _is_day(day):
            self.refuse(f"{name} is {quote_value(given)}. Write a day as 2026-11-16.", name)
            return None
        if int(day[:4]) > dt.datetime.now(dt.UTC).year + 1:
            self.refuse(
                f"{name} is {day}, which is years ahead. Write the date of the statement.", name
            )
            return None
        return day

    def columns(self, name: str, what: str) -> tuple[str, ...]:
        """Names of columns, each once."""
        given = self.table.get(name, [])
        if not is_list(given) or not all(isinstance(column, str) for column in given):
            self.refuse(f"{name} of {self.heading} must be a list of names of columns.", name)
            return ()
        return self.parse(name, lambda given: names(given, what.capitalize())) or ()

    def file(self, name: str) -> str | None:
        """The name of a file, as it is written; whether it is there is looked at elsewhere."""
        given = self.table.get(name)
        if given is None or (isinstance(given, str) and given):
            return given
        self.refuse(f"{name} is {quote_value(given)}. Name a file, as text.", name)
        return None

    def by_column(self, name: str, example: str, read: Callable[[str, Any], Any]) -> dict[str, Any]:
        """What is set for each column; `read` refuses what cannot be."""
        given = self.table.get(name, {})
        if not isinstance(given, dict):
            self.refuse(f"{name} is {quote_value(given)}. Write it by column: {example}.", name)
            return {}
        found = {}
        for column, setting in given.items():
            try:
                read(column, setting)
                found[column] = setting
            except InputError as fault:
                self.refuse(str(fault), name, column)
        return found

    def one_of(self, name: str, choices: Sequence[str]) -> str | None:
        """One of some texts."""
        return self.parse(name, lambda given: parse_choice(name, given, choices))

    def parse(self, name: str, read: Callable[[Any], Setting | None]) -> Setting | None:
        """What is set as `read` takes it, which refuses what cannot be."""
        given = self.table.get(name)
        try:
            return None if given is None else read(given)
        except InputError as fault:
            self.refuse(str(fault), name)
            return None


def table_in(document: Mapping[str, Any], name: str, faults: list[FileError]) -> Fields:
    """A table that stands once; an empty one where there is none."""
    given = document.get(name, {})
    if not isinstance(given, dict):
        faults.append(FileError((name,), f"[{name}] must be a table."))
        given = {}
    return Fields(given, (name,), faults)


def tables_in(document: Mapping[str, Any], name: str, faults: list[FileError]) -> list[Fields]:
    """The tables of a kind of which there may be several."""
    given = document.get(name, [])
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        sentence = f"Write each {name} as a table that begins with [[{name}]]."
        faults.append(FileError((name,), sentence))
        return []
    return [Fields(one, (name, place), faults) for place, one in enumerate(given)]


def _is_day(text: str) -> bool:
    try:
        return bool(_DAY.fullmatch(text)) and dt.date.fromisoformat(text) is not None
    except ValueError:
        return False
