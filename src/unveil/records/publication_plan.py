"""What many published tables disclose together: boxes, the tables that do it, and limits.

A list of recovered counts is the disclosure itself: everything here is confidential.
"""

from typing import Any, Literal

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__

BoxKind = Literal["suppressed", "rounded", "unpublished"]
"""A value that some table suppresses; one that is published, but not exactly; a difference."""
PlanMeasure = Literal["recovered", "near"]
PlanStatus = Literal["above", "within", "not settled"]


class PlanBox(Record, frozen=True, kw_only=True):
    """A group of people whose count the tables disclose, exactly or nearly."""

    columns: tuple[str, ...]
    levels: tuple[str, ...]  # of each of the columns
    without: str = ""  # of a difference in several columns: whom it does not count
    kind: BoxKind
    lower: int
    upper: int
    tightest: bool  # both bounds are reached by tables that fit
    tables: tuple[str, ...]  # which disclose it together
    smallest: bool  # no set of fewer tables does
    irreducible: bool  # none of the tables can be excluded; False: time ran out
    n_people: int | None  # the true count; None without microdata

    @property
    def recovered(self) -> bool:
        """Whether the count is known exactly."""
        return self.lower == self.upper

    def flat(self) -> dict[str, Any]:
        """The box as one row of a table."""
        made = self.to_dict()
        del made["columns"], made["levels"], made["without"]
        return {"box": self.label, **made, "tables": " | ".join(self.tables)}

    @property
    def label(self) -> str:
        """Whom the box counts."""
        pairs = zip(self.columns, self.levels, strict=True)
        named = ", ".join(f"{column} = {level}" for column, level in pairs) or "everyone"
        return f"{named}, without ({self.without})" if self.without else named


class PlanTables(Record, frozen=True, kw_only=True):
    """A set of tables, and how many boxes they disclose together."""

    tables: tuple[str, ...]
    n_recovered: int
    n_near: int
    example: PlanBox


class PlanTable(Record, frozen=True, kw_only=True):
    """One table of the plan."""

    name: str
    n_values: int
    n_suppressed: int
    n_alone: int  # boxes that it discloses by itself
    n_involved: int  # boxes in whose sets of tables it is
    n_without: int | None  # of all boxes, no longer disclosed without it; None: not worked out


class PlanVerdict(Record, frozen=True, kw_only=True):
    """A limit on how many boxes may be disclosed."""

    measure: PlanMeasure
    limit: int
    n: int  # boxes that are
    n_open: int  # boxes that may be: not settled
    status: PlanStatus


class PublicationPlan(Record, frozen=True, kw_only=True):
    """What all tables of a plan disclose together, and which of them do it."""

    schema: int = SCHEMA
    version: str = __version__
    n_tables: int
    n_people: int | None
    threshold: int  # counts from 1 to one below it are small
    width: int  # a box is nearly recovered where its bounds are at most so far apart
    n_values: int  # published
    n_boxes: int  # different ones, with those that lie between them
    n_unpublished: int  # of them, those that no table names
    n_suppressed: int  # boxes that some table suppresses
    n_small: int = 0  # boxes of 1 to threshold - 1 people that are published as they are
    n_recovered: int
    n_recovered_suppressed: int
    n_near: int
    n_open: int  # boxes that matter and are not settled
    complete: bool  # every box was looked at, and every bound closed
    certified: bool  # every set of tables is irreducible
    rows: tuple[PlanBox, ...]  # recovered first
    by_tables: tuple[PlanTables, ...]  # most boxes first
    tables: tuple[PlanTable, ...]
    leave_out: tuple[str, ...]  # without these nothing is recovered, or as little as was found
    n_left: int | None  # boxes still recovered without them; None: not worked out
    verdicts: tuple[PlanVerdict, ...]
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> Literal[0, 3]:
        """3 where a limit is exceeded, or cannot be shown to hold."""
        return 3 if any(one.status != "within" for one in self.verdicts) else 0
