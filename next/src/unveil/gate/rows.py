"""What an assessment holds beside figures of people: alerts, and what was not tested."""

from typing import Annotated, Literal

from unveil.results import Copy, Figure, Number, Percent, Row
from unveil.results.units import People

Urgency = Literal["block", "decide", "review"]
URGENCIES: tuple[Urgency, ...] = ("block", "decide", "review")


class AlertRow(Row, frozen=True):
    """Something that stands against the release, or that a person must explain."""

    version: str
    copy: Copy
    id: str
    status: Urgency
    columns: tuple[str, ...]
    people: Annotated[Figure, People("people or records concerned")]
    share: Annotated[Figure, Percent("of the people or records asked about")]
    expected: Annotated[Figure, Percent("of as many other people, by chance")]
    beyond: Annotated[Figure, Number("share less expected, in percentage points")]
    sentence: str
    cause: str = ""
    remedy: str = ""


ASKS = ("above limit", "to be decided")
UNIQUE = "unique in both files"
ALL_LINKS, ALL_NEAR = "links of all", "nearness of all"  # where some are drawn


class NotTestedRow(Row, frozen=True):
    """What the figures do not speak of."""

    what: str
    sentence: str
