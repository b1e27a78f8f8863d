"""A new project file: roles, limits and recodings that are proposed, each with its reason."""

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import Table

from unveil.data.columns import as_columns
from unveil.describing.describe import ColumnRow, Description
from unveil.project.settings import Audience
from unveil.results import PROPOSED
from unveil.study import Study

LIMIT_OF = {
    "beyond": "percent of people beyond expected; a start, no standard",
    "real_records": "percent of people whose complete record is in the file, beyond expected",
    "R": "excess risk of the people whose records were used; a start, no standard",
}
CONTROLLED = ("R",)
"""Limits that need a control sample."""


def propose(
    study: Study, description: Description, data: Mapping[str, Any], audience: Audience, title: str
) -> str:
    """The text of the file; what was said of a column stays as it was said."""
    document = tomlkit.document()
    document.add("unveil", tomlkit.item(1))
    document.add("title", tomlkit.string(title))
    files = tomlkit.table()
    for name, value in data.items():
        files.add(name, tomlkit.item(value))
    document.add("data", files)
    document.add("columns", _columns(study, description))
    context = tomlkit.table()
    _add(context, "audience", audience, "who will hold the data: closed, registered, open")
    _add(context, "four_eyes", False, "true: who decides has signed nothing else")
    document.add("context", context)
    limits = tomlkit.table()
    limits.comment("a proposal, until a named person accepts it")
    for name, reason in LIMIT_OF.items():
        if study.has_control or name not in CONTROLLED:
            _add(limits, name, PROPOSED[audience][name], reason)
    document.add("limits", limits)
    _add_recodings(document, description)
    return tomlkit.dumps(document)


def _add(table: Table, name: str, value: Any, comment: str) -> None:
    """A setting, with a comment behind it."""
    item = tomlkit.item(value)
    item.comment(comment)
    table.add(name, item)


def _columns(study: Study, description: Description) -> Table:
    columns = tomlkit.table()
    columns.comment("what is true of one column, and why")
    declared = as_columns(study.columns)
    for row in description.columns:
        about = tomlkit.inline_table()
        for setting, value in _settings_of(row, declared).items():
            about.append(setting, tomlkit.item(value))
        _add(columns, row.column, about, _printable(row.reason))
    return columns


def _settings_of(row: ColumnRow, declared: Mapping[str, Any]) -> dict[str, Any]:
    """The role that is proposed or declared, codes that are no amounts, and all else declared."""
    import msgspec

    settings: dict[str, Any] = {"role": row.role}
    if row.special and row.kind == "number":
        settings["special"] = [_number(code) for code in row.special]
    if row.column in declared:
        settings |= {
            n: v for n, v in msgspec.to_builtins(declared[row.column]).items() if n != "role"
        }
    return settings


def _number(text: str) -> Any:
    number = float(text)
    return int(number) if number.is_integer() else number


def _add_recodings(document: TOMLDocument, description: Description) -> None:
    """Steps that make fewer people unique, to be used by taking the # away."""
    if description.recodings:
        document.add(tomlkit.nl())
        document.add(
            tomlkit.comment("Steps that make fewer people unique. Take the # away to use one.")
        )
    for row in description.recodings:
        effect = f"{row.before_uniques:,} unique become {row.after_uniques:,}. {row.reason}"
        for line in (
            f"[[protect]] # {effect}", f'do = "{row.do}"',
            f"column = {tomlkit.string(row.column).as_string()}", *row.setting.split(", "),
        ):  # fmt: skip
            document.add(tomlkit.comment(_printable(line)))


def _printable(text: str) -> str:
    return " ".join(text.split())
