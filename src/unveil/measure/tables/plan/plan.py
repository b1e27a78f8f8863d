"""What do all tables of a publication plan disclose together, and which tables do it?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from unveil.arguments import parse_choice, parse_whole_number
from unveil.arrays import Ints, Mask
from unveil.errors import InputError, list_names
from unveil.measure.result import RowsResult
from unveil.measure.tables.bounds import parse_seconds
from unveil.measure.tables.plan.boxes import Boxes, add_remainders, with_pieces
from unveil.measure.tables.plan.closure import (
    BoxBounds,
    Contradiction,
    LineBatch,
    batch_lines,
    close_lines,
    pack_tables,
    tables_in,
)
from unveil.measure.tables.plan.find_disclosed import find_disclosed
from unveil.measure.tables.plan.local_programme import LocalProgramme
from unveil.measure.tables.plan.plan_file import PlanSettings, parse_plan, read_plan_file
from unveil.measure.tables.plan.table_facts import PlanData, PlanFacts, open_plan
from unveil.records.publication_plan import PlanMeasure, PublicationPlan
from unveil.study.scenario import Progress, no_progress

MOST_NEAR = 6
"""Tables that are looked at together where there are too many for one programme."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Tables that are published of the same people, or of some of them, and all they say.

    Made by `from_file` or `from_tables`. It is confidential where it holds true counts.
    """

    settings: PlanSettings
    opened: PlanData

    @classmethod
    def from_file(cls, path: Any, *, seed: int | None = None) -> Plan:
        """The plan in a TOML file; files that it names are looked for beside it.

        `seed` is that of the draws, where the file states none.
        """
        return cls._open(read_plan_file(path, seed))

    @classmethod
    def from_tables(
        cls,
        tables: Iterable[Mapping[str, Any]],
        *,
        data: Any = None,
        columns: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Plan:
        """A plan that is written down in Python, in the form of the file.

        Parameters
        ----------
        tables
            A mapping for each table: name, by, where, bands, publish, margins, total; file, with
            the published values, a path or a frame; value, secondary, population.
        data
            People's records: a frame, or the path of a file. Without them every table has a file.
        columns
            Orders, ranges and groups of columns.
        **settings
            threshold, seed, missing_values, hidden.
        """
        asked = dict(table=[*tables], data=data, columns=columns or {}, **settings)
        return cls._open(parse_plan(asked))

    @classmethod
    def _open(cls, settings: PlanSettings) -> Plan:
        return cls(settings, open_plan(settings))

    @property
    def names(self) -> tuple[str, ...]:
        """The tables, in their order."""
        return tuple(table.name for table in self.settings.tables)

    @cached_property
    def facts(self) -> PlanFacts:
        """What each value says by itself, and two values by cell keys together."""
        return self.opened.join(self.boxes)

    @cached_property
    def _pieces(self) -> tuple[Boxes, bool]:
        boxes, is_all = with_pieces(self.opened.facts.boxes)
        opened, threshold = self.opened, self.settings.threshold
        found = add_remainders(boxes, opened.filters)
        if (truth := opened.count(found)) is None:
            bounds = BoxBounds.of_nothing(boxes.n, 0)
            opened.facts.teach(bounds, slice(None))
            least = bounds.lower[found.less[:, 0]] - bounds.upper[found.less[:, 1]]
        else:
            least = truth[found.n_plain :]
        return found.keep_less(least < threshold), is_all

    @property
    def has_all_pieces(self) -> bool:
        """Whether no piece was left out because there are too many."""
        return self._pieces[1]

    @property
    def boxes(self) -> Boxes:
        """The boxes that tables name, the pieces that none of them names, and remainders."""
        return self._pieces[0]

    @cached_property
    def batches(self) -> list[LineBatch]:
        """The lines of the boxes."""
        return batch_lines(self.boxes)

    @cached_property
    def truth(self) -> Ints | None:
        """True counts of the boxes; None without microdata."""
        return self.opened.count(self.boxes)

    def start(self, tables: Mask | None = None) -> BoxBounds:
        """What single values say of each box: of all tables, or of some."""
        facts = self.facts
        bounds = BoxBounds.of_nothing(self.boxes.n, len(self.names))
        facts.teach(bounds, slice(None) if tables is None else facts.said_by(tables))
        return bounds

    def close(
        self, tables: Mask | None = None, until: float | None = None
    ) -> tuple[BoxBounds, bool]:
        """Bounds of all boxes by lines, and whether nothing moves any more."""
        bounds = self.start(tables)
        try:
            bounds.check(np.arange(self.boxes.n))
            return bounds, close_lines(bounds, self.batches, until=until)
        except Contradiction as fault:
            box = list_names(f"{name} = {run}" for name, run in self.name_box(fault.box))
            what = f" on {box}" if self.truth is None and box else ""
            raise InputError(self.contradiction(tables_in(fault.tables), what)) from None

    def close_without(
        self, bounds: BoxBounds, removed: Mask, until: float | None = None
    ) -> tuple[BoxBounds, bool]:
        """Bounds without some tables: of closed bounds, only what these prove is closed again."""
        gone = pack_tables(np.flatnonzero(removed).tolist(), bounds.above_by.shape[1])
        made, stale = bounds.without(gone)
        facts = self.facts
        rows = facts.said_by(~removed)
        facts.teach(made, rows[stale[facts.box[rows]]])
        return made, close_lines(made, self.batches, stale=stale, until=until)

    def programme(self, tables: Iterable[int], until: float | None) -> LocalProgramme | None:
        """The whole tables that fit some of the tables; None where there are too many cells."""
        return LocalProgramme.of(self.opened, tables, until, self.facts)

    def contradiction(self, tables: Sequence[int], what: str = "") -> str:
        """The refusal of tables that no people fit."""
        return (
            f"These tables contradict each other{what}:"
            f" {list_names(repr(self.names[t]) for t in tables)}. They count other people, one of"
            " them is wrong, or values were perturbed twice: correct them, or give them different"
            " populations."
        )

    def name_box(self, box: int) -> tuple[tuple[str, str], ...]:
        """The columns that a box cuts, each with the name of its levels."""
        return self.opened.name_box(self.boxes.ends[box])

    def name_without(self, box: int) -> str:
        """Whom a box does not count of those in its columns; nothing of most boxes."""
        own, other = self.boxes.ends[box], self.boxes.without(box)
        if other is None:
            return ""
        pairs = self.opened.name_box(np.where(own == other, self._whole, other))
        return ", ".join(f"{column} = {level}" for column, level in pairs)

    @property
    def _whole(self) -> Ints:
        return np.array([column.whole for column in self.opened.columns], np.int64)

    def are_within(self, boxes: Ints, tables: Ints) -> Mask:
        """Of some boxes, those of people whom one of the tables counts."""
        found = np.zeros(len(boxes), bool)
        ends = self.boxes.ends[boxes]
        for table in tables.tolist():
            own = self.facts.boxes.ends[self.facts.box[self.facts.table == table]]
            start, stop = own[:, :, 0].min(axis=0), own[:, :, 1].max(axis=0)
            found |= ((start < ends[:, :, 1]) & (ends[:, :, 0] < stop)).all(axis=1)
        return found

    def tables_near(self, box: int) -> list[int]:
        """Tables with a value on a line through a box, the smallest first, as far as they go."""
        on_lines = [batch.boxes[(batch.boxes == box).any(axis=1)] for batch in self.batches]
        near = np.isin(self.facts.box, np.concatenate([one.reshape(-1) for one in on_lines]))
        tables = np.unique(self.facts.table[near])
        n_values = np.bincount(self.facts.table, minlength=len(self.names))
        return sorted(tables.tolist(), key=lambda t: (n_values[t], t))[:MOST_NEAR]

    def disclosed(
        self,
        *,
        threshold: int | None = None,
        width: int = 1,
        limits: Mapping[str, int] | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> PlanResult:
        """Which counts the tables disclose together, and which tables do it.

        Parameters
        ----------
        threshold
            Counts from 1 to one below it are small; that of the plan without it (5).
        width
            A box is nearly recovered where its bounds are at most so far apart.
        limits
            The most boxes that may be recovered, and nearly so: {"recovered": 0, "near": 10}.
        seconds
            Stop after so long. What is not settled then may be disclosed: no limit holds on its
            account.
        progress
            Called with what is being done, how much is done, and how much there is.

        Notes
        -----
        lower = min, upper = max of the people in a box, over all whole tables of declared
        combinations that fit every published value. Lines bound all boxes; HiGHS is asked for
        those that they leave open. A set of tables is irreducible where lines (or HiGHS) no longer
        give the box away without any one of them.

        References
        ----------
        Buzzigoli and Giusti (1999) and Dobra and Fienberg (2000) for the shuttle method.
        """
        given = self.settings.threshold if threshold is None else threshold
        limit = parse_seconds(seconds)
        record = find_disclosed(
            self,
            threshold=parse_whole_number("threshold", given, least=2),
            width=parse_whole_number("width", width, least=0),
            limits=parse_plan_limits(limits or {}),
            until=None if limit is None else time.monotonic() + limit,
            progress=progress or no_progress,
        )
        return PlanResult(record)


def parse_plan_limits(given: Mapping[str, Any]) -> dict[PlanMeasure, int]:
    """Limits by the name of what they count."""
    return {
        parse_choice("A limit of a plan", name, get_args(PlanMeasure)): parse_whole_number(
            f"The limit of {name}", limit, least=0
        )
        for name, limit in given.items()
    }


@dataclass(frozen=True, repr=False)
class PlanResult(RowsResult[PublicationPlan]):
    """What a plan discloses: confidential, for the list of recovered counts is the disclosure."""
