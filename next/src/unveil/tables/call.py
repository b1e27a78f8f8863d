"""Where a call meets published tables: arguments held against the signature, the result told."""

from collections.abc import Callable
from functools import wraps
from secrets import randbits
from typing import Any, TypeVar

import msgspec

from unveil.arguments import bind, hints_of
from unveil.results import Result
from unveil.study import SEED
from unveil.tables.published import PublishedTable

Call = TypeVar("Call", bound=Callable[..., Any])
SUBJECTS = ("table", "tables")  # names of the first argument of such a call


def on_tables(call: Call) -> Call:
    """A public call on a published table or several: the result knows what was asked, of which."""

    @wraps(call)
    def measured(*arguments: Any, **settings: Any) -> Result:
        asked = bind(call, arguments, settings)
        if "seed" in asked and asked["seed"] is None:
            asked["seed"] = randbits(31) if "drawn" in str(hints_of(call)["seed"]) else SEED
        result: Result = call(**asked)
        subject = next(asked.pop(name) for name in SUBJECTS if name in asked)
        tables = as_tables(subject)
        about = tables[0].settings if len(tables) == 1 else {"tables": len(tables)}
        about = {"unit": "people"} | about | asked | result.settings
        plain = msgspec.json.decode(msgspec.json.encode(about))
        notes = dict.fromkeys(note for table in tables for note in table.notes)
        files = dict.fromkeys(file for table in tables for file in table.files_used())
        return result.beside(
            subject, settings=plain, files=(*files, *result.files), notes=(*notes, *result.notes)
        )

    return measured  # type: ignore[return-value]


def as_tables(subject: Any) -> list[PublishedTable]:
    """The published tables among what a call is given."""
    if isinstance(subject, dict):
        subject = list(subject.values())
    given = subject if isinstance(subject, list | tuple) else [subject]
    return [table for table in given if isinstance(table, PublishedTable)]
