"""How are the faults of a project file told? Each with its line, all in the order of the lines."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unveil.errors import listed, nearest, quoted
from unveil.protection.plan import Fault
from unveil.protection.plan_lines import Lines
from unveil.read.given import shown
from unveil.records.base import SCHEMA

SECTIONS = (
    *("schema", "title", "data", "context", "roles", "scenario", "exclude", "limits", "ruling"),
    *("exceptions", "published", "synthesis", "protect", "finding", "table"),
)
"""What a project file may hold."""

_WORKBOOKS = (".xlsx", ".xlsm")


def told_in_order(name: str, lines: Lines, faults: Sequence[Fault]) -> list[str]:
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


def section_faults(document: Mapping[str, Any]) -> Iterator[Fault]:
    """Sections that there are not, and what stands above the first of them."""
    for name in document:
        if name not in SECTIONS:
            yield Fault(
                (name,),
                f"there is no section {shown(name)}.{nearest(name, SECTIONS)} The sections are:"
                f" {listed(SECTIONS, most=20)}.",
            )
    schema = document.get("schema", SCHEMA)
    if schema is True or schema != SCHEMA:
        yield Fault(("schema",), f"schema is {shown(schema)}. This version reads schema {SCHEMA}.")
    title = document.get("title", "-")
    if not isinstance(title, str) or not title.strip():
        yield Fault(("title",), f"title is {shown(title)}. Write a text, or leave it out.")


def unknown_faults(
    path: tuple[str | int, ...], called: str, given: Mapping[str, Any], known: Sequence[str]
) -> Iterator[Fault]:
    """Settings that a table does not know."""
    for name in given:
        if name not in known:
            yield Fault(
                (*path, name),
                f"{called} has no setting {shown(name)}.{nearest(name, known)} Its settings"
                f" are: {listed(known, most=40)}.",
            )


def file_fault(folder: Path, given: str) -> str | None:
    """What is said of a file that is not there; None where it is. A sheet may stand behind #."""
    book, mark, _ = given.rpartition("#")
    is_sheet = bool(mark) and book.lower().endswith(_WORKBOOKS)
    if _is_there(folder / given) or (is_sheet and _is_there(folder / book)):
        return None
    return f"there is no file {quoted(given)}. Paths start at the folder of the project file."


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
