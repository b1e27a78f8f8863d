"""What `unveil.round_table` made of a table of counts: values to publish, and what they lost.

The record is confidential: its seed undoes the draws, and what was lost can betray the counts of a
small table. What may be published are the values.
"""

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__


class RoundedRow(Record, frozen=True, kw_only=True):
    """One value of the table, of a margin or of the total."""

    part: str  # "table", "total", or the dimensions of a margin, joined by commas
    cell: tuple[str | None, ...]  # its level of each dimension; None where it is summed over
    published: int | None  # None: suppressed
    lower: int  # what the published value says of the true count by itself
    upper: int | None  # None: no bound
    structural: bool  # an impossible cell


class RoundedTable(Record, frozen=True, kw_only=True):
    """A table of counts as it may be published, and, confidentially, how far that is from it."""

    schema: int = SCHEMA
    version: str = __version__
    scheme: str
    seed: int | None  # confidential; None where nothing was drawn
    dims: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    parts: tuple[str, ...]
    rows: tuple[RoundedRow, ...]
    n_cells: int
    n_changed: int  # confidential, as are the distances: cells not published as their count
    n_suppressed: int
    mean_absolute: float | None  # over cells that are published; None where none is
    hellinger: float | None  # between the shares of the counts and of the published values
    additive: bool | None  # whether margins and total are sums of published cells; None: nothing is
    notes: tuple[str, ...]
