"""What a limit said: one verdict for each figure it was held against."""

from typing import Literal

from unveil.records.base import Record
from unveil.records.copies import Copy
from unveil.records.disclosure import Number


class Verdict(Record, frozen=True, kw_only=True):
    """One figure beside the limit its custodian set."""

    measure: str
    target: str | None
    copy: Copy
    value: Number | None
    limit: Number
    status: Literal["within", "above", "not measured"]
