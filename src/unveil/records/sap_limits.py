"""What a limit on SAP said: one verdict for each number of known people that has one."""

from typing import Literal

from unveil.records.base import Record

Status = Literal["within", "above", "not settled"]
"""Not settled: the limit is between the two bounds."""


class SapVerdict(Record, frozen=True, kw_only=True):
    """SAP with n known people beside the limit its custodian set."""

    n: int
    lower: float
    upper: float
    limit: float
    status: Status
