"""Tables of a TOML file, as the project writes them."""

from collections.abc import Iterable, Mapping
from typing import Any

from unveil.project.toml import entry_lines
from unveil.protection.recoding.steps import parse_steps
from unveil.records.recoding import Step, as_mapping


def write_tables(section: str, entries: Iterable[Mapping[str, Any]]) -> str:
    """Each entry as a table `[[section]]`."""
    return "\n".join("\n".join([*entry_lines(section, one), ""]) for one in entries)


def write_steps(steps: Iterable[Step | Mapping[str, Any]]) -> str:
    """Recodings as tables `[[protect.step]]`."""
    return write_tables("protect.step", map(as_mapping, parse_steps([*steps])))
