"""A folder that remembers: each setting that is done has its file, and nothing else may mix in.

`exploration.json` says of what data and with what questions; a setting has a file of its own, put
in place in one step, so that work can be stopped at any moment and taken up again. All of it is
confidential: the figures are the custodian's, and the seed would make the same copies again.
"""

import json
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from unveil.errors import ReadError, SettingsError, WriteError, listed
from unveil.exploration.settings import Setting
from unveil.read.table import Table
from unveil.records.exploration import ExplorationRow
from unveil.version import __version__
from unveil.writing import replace_file

HEAD = "exploration.json"
WORDS = {
    "version": "another version of unveil",
    "data": "other data",
    "seed": "another seed",
    "keys": "other keys",
    "targets": "other targets",
    "copies": "another number of copies",
    "control": "another share of control",
    "bands": "other bands",
    "special_codes": "other special codes",
    "missing_values": "other entries that mean missing",
}
_ROWS_AT_A_TIME = 50_000


def fingerprint(table: Table) -> str:
    """The same for the same names, types, values and labels, in the same order."""
    frame = table.frame
    made = sha256(repr([(name, str(kind)) for name, kind in frame.schema.items()]).encode())
    if table.codebook is not None:
        made.update(repr([one.to_dict() for one in table.codebook.variables]).encode())
    try:
        for start in range(0, frame.height, _ROWS_AT_A_TIME):
            # Text in quotes, so that what is empty is not what is missing.
            piece = frame.slice(start, _ROWS_AT_A_TIME)
            made.update(piece.write_csv(quote_style="non_numeric").encode())
    except pl.exceptions.PolarsError:
        raise ReadError(
            f"{table.place} has a column of lists or records, of which no copy can be made. Leave"
            " it out."
        ) from None
    return made.hexdigest()


@dataclass(frozen=True)
class Store:
    """The folder of one exploration, or none."""

    folder: Path | None

    def seed(self) -> int | None:
        """The seed of the exploration that is there already."""
        head = self._head()
        return None if head is None else head.get("seed")

    def open(self, asked: dict[str, Any]) -> None:
        """Begin, or go on with the same: what was asked otherwise is refused."""
        if self.folder is None:
            return
        wanted = json.loads(json.dumps({"version": __version__, **asked}))
        head = self._head()
        if head is None:
            self._refuse_strangers()
            self._put(HEAD, json.dumps(wanted, indent=2, ensure_ascii=True))
            return
        other = [words for field, words in WORDS.items() if head.get(field) != wanted.get(field)]
        if other:
            raise SettingsError(
                f"The folder {str(self.folder)!r} holds an exploration with {listed(other)}."
                " Figures of the two would not compare. Name another folder, or ask the same again."
            )

    def row(self, setting: Setting) -> ExplorationRow | None:
        """What is known of a setting; None where it is not done yet."""
        if self.folder is None:
            return None
        place = self.folder / _name(setting)
        if not place.exists():
            return None
        damaged = ReadError(
            f"The file {str(place)!r} is damaged or of another setting. Remove it, and its setting"
            " is done again."
        )
        try:
            row = ExplorationRow.from_json(place.read_bytes())
        except (ReadError, OSError):
            raise damaged from None
        if row.settings != setting.text:
            raise damaged
        return row

    def keep(self, setting: Setting, row: ExplorationRow) -> None:
        """Put one row in place."""
        if self.folder is not None:
            self._put(_name(setting), row.to_json())

    def _head(self) -> dict[str, Any] | None:
        if self.folder is None or not (self.folder / HEAD).exists():
            return None
        try:
            found = json.loads((self.folder / HEAD).read_bytes())
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise ReadError(
                f"The file {str(self.folder / HEAD)!r} cannot be read, so it is not known what the"
                " folder holds. Name another folder."
            )
        return found

    def _refuse_strangers(self) -> None:
        """A folder with other files in it is not taken for a new one."""
        assert self.folder is not None
        if not os.path.lexists(self.folder):
            return
        if not self.folder.is_dir():
            raise WriteError(f"{str(self.folder)!r} is a file. Name a folder.")
        if any(not one.name.startswith(".") for one in self.folder.iterdir()):
            raise WriteError(
                f"The folder {str(self.folder)!r} holds other files and no exploration. Name an"
                " empty or a new one."
            )

    def _put(self, name: str, text: str) -> None:
        assert self.folder is not None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder / name, text.encode(), mode=0o600)
        except OSError as fault:
            raise WriteError(
                f"The folder {str(self.folder)!r} cannot be written to: {fault.strerror}. Name one"
                " in which you may create files."
            ) from None


def _name(setting: Setting) -> str:
    return f"setting_{setting.mark}.json"
