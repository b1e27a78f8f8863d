"""What did the user ask for, and does it fit the data?"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.errors import ReadError, RolesError, SettingsError
from unveil.read.align import Aligned
from unveil.read.banding import parse_bands
from unveil.read.roles import absent, looks_like_data, names
from unveil.read.table import Table, mid_sentence

_YEAR = re.compile(r"(19|20)\d\d", re.ASCII)


@dataclass(frozen=True)
class Asked:
    """Keys that the user named, none where they are to be proposed, and codes of no answer."""

    keys: tuple[str, ...]
    special_codes: Mapping[str, tuple[float, ...]]

    def refuse_absent(self, table: Table) -> None:
        """Refuse names that the data have not, all of them at once."""
        known = table.frame.columns
        wanted = dict.fromkeys((*self.keys, *self.special_codes))
        faults = [absent(table.place, name, known) for name in wanted if name not in known]
        if faults:
            raise RolesError("\n".join(faults))

    def refuse_unread(self, table: Table, unread: Mapping[str, str]) -> None:
        """Refuse keys that hold no single values."""
        faults = [
            f"Column {name!r} of {mid_sentence(table.place)} holds {unread[name]}, not single"
            " values, and cannot be a key. Take it out of the keys, or split it into columns of"
            " numbers, text or dates."
            for name in self.keys
            if name in unread
        ]
        if faults:
            raise RolesError("\n".join(faults))

    def refuse_codes_of_text(self, aligned: Aligned) -> None:
        """Refuse special codes of columns that hold no numbers."""
        faults = [
            f"Special codes are given for {name!r}, which holds no numbers. Take it out of the"
            " special codes; an entry that means missing is said with missing_values (--missing on"
            " the command line)."
            for name in self.special_codes
            if name not in aligned.columns or not aligned.columns[name][0].dtype.is_numeric()
        ]
        if faults:
            raise SettingsError("\n".join(faults))


def asked_of(keys: str | Iterable[str] | None, special_codes: Mapping[str, Any] | None) -> Asked:
    """What the user asked for, before any data is read."""
    codes = parse_bands(None, special_codes).special_codes
    if keys is None:
        return Asked((), codes)
    key_names = names(keys, "Keys")
    if not key_names:
        raise RolesError(
            "No keys are given. Name the columns an intruder would know, or leave the keys out to"
            " have them proposed."
        )
    return Asked(key_names, codes)


def kind_unread(table: Table, name: str) -> str | None:
    """What a column holds that no measure compares; None where it holds single values."""
    dtype = table.frame.schema[name]
    if isinstance(dtype, pl.Struct):
        return "records"
    if isinstance(dtype, pl.List | pl.Array):
        return "lists"
    if dtype == pl.Binary:
        return "binary data"
    return "Python objects" if dtype == pl.Object else None


def refuse_no_header(table: Table) -> None:
    """Refuse a file whose first line seems to be a record: its names would be somebody's values."""
    if table.source == "a data frame":
        return
    columns = table.frame.columns
    odd = [name for name in columns if looks_like_data([name]) and not _YEAR.fullmatch(name)]
    if 4 * len(odd) >= len(columns):
        raise ReadError(
            f"{table.place} seems to have no names of columns: its first line looks like a record."
            " Put a line with the names above it."
        )
