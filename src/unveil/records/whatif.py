"""What would change if something were common knowledge: every figure that moves, before and after.

Percentages are 0 to 100; R is a share. Nothing here belongs to one person.
"""

from unveil.records.base import SCHEMA, Record
from unveil.records.copies import Copy
from unveil.records.judgement import Status
from unveil.records.viewed import Viewed
from unveil.version import __version__


class WhatIfRow(Record, frozen=True, kw_only=True):
    """One figure that changes; of an identity figure the target is None."""

    scenario: str
    target: str | None
    measure: str
    copy: Copy
    before: float | None  # with the exclusions in force
    after: float | None  # with those asked about too
    R: float | None  # (before - after) / (100 - after): the share that they explain
    status_before: Status | None  # None: a mean over copies, which is not judged
    status_after: Status | None


class WhatIfScenario(Record, frozen=True, kw_only=True):
    """What the exclusions do in one scenario."""

    scenario: str
    in_force: tuple[str, ...]  # exclusions before, as text
    added: tuple[str, ...]  # those asked about that act here
    n_targets: int
    headline_copy: Copy
    closes: tuple[str, ...]  # ids of findings that are raised no more
    opens: tuple[str, ...]  # ids of findings that are raised only then
    sentences: tuple[str, ...]


class WhatIf(Viewed, frozen=True, kw_only=True):
    """Figures before and after; nothing is stored unless it is kept."""

    schema: int = SCHEMA
    version: str = __version__
    exclude: tuple[str, ...]  # what was asked about
    scenarios: tuple[WhatIfScenario, ...]
    rows: tuple[WhatIfRow, ...]
    kept: bool = False
    by: str | None = None
