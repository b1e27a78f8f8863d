"""Which counts do the tables of a plan disclose together, and are they within the limits?"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.errors import InputError
from unveil.measure.tables.integer_programme import OutOfTime
from unveil.measure.tables.plan.certificates import (
    Certificate,
    OmittedTables,
    Proofs,
    choose_omitted,
)
from unveil.measure.tables.plan.closure import NO_LIMIT, BoxBounds, tables_in
from unveil.measure.tables.plan.local_programme import (
    LocalProgramme,
    NoTable,
    overlapping_tables,
)
from unveil.measure.tables.plan.worlds import Worlds
from unveil.records.publication_plan import (
    PlanBox,
    PlanMeasure,
    PlanStatus,
    PlanTable,
    PlanTables,
    PlanVerdict,
    PublicationPlan,
)
from unveil.study.scenario import Progress

if TYPE_CHECKING:
    from unveil.measure.tables.plan.plan import Plan

PROGRAMME_SHARE, NEAR_SHARE = 0.4, 0.5
"""Of the time left: for whole tables over all that overlaps; then for those near single boxes."""
NEAR_SECONDS = 60.0
"""For the latter, where no time is set: they may take long, and settle little."""
UNSETTLED_PIECES = (
    "There are too many differences between tables to look at all of them: some groups that no"
    " table names were not looked at."
)
SCOPE = (
    "This holds for the tables of this plan. A table that was published earlier, or elsewhere, is"
    " not in it."
)
RULE_KNOWN = (
    "A reader is taken to know the rule of suppression, and which values were suppressed only to"
    " protect others."
)


@dataclass
class _KnownBounds:
    """What is known of every box so far."""

    lower: Ints
    upper: Ints
    tightest: Mask
    settled: Mask
    """Recovered, nearly so, or shown to be neither."""
    by_programme: dict[int, tuple[int, ...]]
    """Boxes that only whole tables give away, with the tables that were asked."""


def find_disclosed(
    plan: Plan,
    *,
    threshold: int,
    width: int,
    limits: Mapping[PlanMeasure, int],
    until: float | None,
    progress: Progress,
) -> PublicationPlan:
    """What the plan discloses: see `Plan.disclosed`."""
    boxes, names = plan.boxes, plan.names
    progress("closing the lines", 0, 1)
    bounds, is_closed = plan.close(until=until)
    kinds = _kinds(plan)
    matters = _matters(plan, bounds, kinds, threshold)
    search = _KnownBounds(
        bounds.lower,
        bounds.upper,
        tightest=np.zeros(boxes.n, bool),
        settled=bounds.upper - bounds.lower <= 0,
        by_programme={},
    )
    solver = _BoxSolver(plan, search, matters, width, _share(until, PROGRAMME_SHARE), progress)
    solver.solve_parts(np.flatnonzero(matters & ~search.settled))
    progress("naming the tables", 0, 1)
    by_lines = np.flatnonzero(matters & (bounds.spare() <= width))
    found, n_without = _certify(plan, bounds, by_lines, width, until)
    near = replace(solver, until=_share(until, NEAR_SHARE, NEAR_SECONDS))
    near.solve_near(np.flatnonzero(matters & ~search.settled))
    given = np.flatnonzero(matters & (search.upper - search.lower <= width))
    given = given[_is_small(plan, search, kinds, threshold)[given]]
    certificates = _certify_by_programme(replace(solver, until=until), given, found)
    recovered = given[search.upper[given] == search.lower[given]]
    left_out = None
    if len(recovered):
        progress("choosing tables to withhold", 0, 1)
        sets = [certificates[box].tables for box in recovered.tolist()]
        left_out = choose_omitted(
            sets,
            recovered,
            len(names),
            lambda removed: plan.close_without(bounds, removed, until),
            until,
        )
    is_certified = all(certificates[box].is_irreducible for box in given.tolist())
    n_open = int((matters & ~search.settled).sum())
    is_complete = is_closed and plan.has_all_pieces and not plan.opened.questions
    rows = _rows(plan, search, given, kinds, certificates)
    n_recovered = len(recovered)
    return PublicationPlan(
        n_tables=len(names),
        n_people=plan.opened.n_people,
        threshold=threshold,
        width=width,
        n_values=int(plan.facts.published.sum()),
        n_boxes=boxes.n,
        n_unpublished=sum(kind == "unpublished" for kind in kinds.tolist()),
        n_suppressed=int((kinds == "suppressed").sum()),
        n_small=_count_small(plan, threshold),
        n_recovered=n_recovered,
        n_recovered_suppressed=sum(row.recovered and row.kind == "suppressed" for row in rows),
        n_near=len(rows) - n_recovered,
        n_open=n_open,
        complete=is_complete,
        certified=is_certified,
        rows=rows,
        by_tables=_by_tables(rows),
        tables=_tables(plan, rows, None if search.by_programme else n_without),
        leave_out=() if left_out is None else tuple(names[t] for t in left_out.tables),
        n_left=_n_left(left_out, n_recovered),
        verdicts=_verdicts(limits, rows, n_open, is_complete=is_complete),
        notes=_notes(plan),
    )


def _share(until: float | None, share: float, most: float | None = None) -> float | None:
    """Until when a part of the time that is left may be spent."""
    now = time.monotonic()
    if until is None:
        return None if most is None else now + most
    return now + share * max(until - now, 0.0)


def _n_left(left_out: OmittedTables | None, n_recovered: int) -> int | None:
    if left_out is not None:
        return left_out.n_left
    return None if n_recovered else 0


# Which boxes are there, and which of them matter?


def _kinds(plan: Plan) -> np.ndarray:
    """Of each box: suppressed somewhere, published but not exactly, unpublished, or "" (exact)."""
    facts, n = plan.facts, plan.boxes.n
    kinds = np.full(n, "unpublished", dtype=object)
    kinds[facts.box[facts.published]] = "rounded"
    kinds[facts.box[(facts.lower == facts.upper)]] = ""
    # What one table suppresses and another publishes is disclosed by that other.
    kinds[facts.box[facts.hidden]] = "suppressed"
    return kinds


def _count_small(plan: Plan, threshold: int) -> int:
    """Boxes of 1 to threshold - 1 people that some table publishes as they are."""
    facts = plan.facts
    is_known = facts.published & ~facts.hidden & (facts.lower == facts.upper)
    is_small = is_known & (facts.lower > 0) & (facts.lower < threshold)
    return len(np.unique(facts.box[is_small]))


def _matters(plan: Plan, bounds: BoxBounds, kinds: np.ndarray, threshold: int) -> Mask:
    """Suppressed boxes, and others that may be small: their disclosure would count."""
    least = np.where(kinds == "unpublished", 1, 0)
    if plan.truth is None:
        may_be_small = (bounds.lower < threshold) & (bounds.upper >= least)
    else:
        may_be_small = (plan.truth < threshold) & (plan.truth >= least)
    found: Mask = (kinds == "suppressed") | ((kinds != "") & may_be_small)
    return found


def _is_small(plan: Plan, search: _KnownBounds, kinds: np.ndarray, threshold: int) -> Mask:
    """Without microdata: boxes whose bounds, as they are now, may hold a small count."""
    least = np.where(kinds == "unpublished", 1, 0)
    found: Mask = (kinds == "suppressed") | ((search.lower < threshold) & (search.upper >= least))
    return found if plan.truth is None else np.ones(len(kinds), bool)


# What lines leave open is asked of HiGHS.


@dataclass(frozen=True)
class _BoxSolver:
    """Asks HiGHS about boxes, until time runs out."""

    plan: Plan
    search: _KnownBounds
    matters: Mask
    width: int
    until: float | None
    progress: Progress

    def solve_parts(self, open_: Ints) -> None:
        """Settle boxes by all tables that overlap: what is found is the tightest."""
        plan = self.plan
        part = overlapping_tables(plan.facts, len(plan.names))
        for one in np.unique(part).tolist():
            tables = np.flatnonzero(part == one)
            asked = open_[plan.are_within(open_, tables)].tolist()
            try:
                programme = plan.programme(tables.tolist(), self.until)
                for done, box in enumerate(asked if programme is not None else ()):
                    self._report(done, len(asked))
                    self._settle(programme, box, tables, is_whole=True)
            except OutOfTime:
                return
            except NoTable:
                raise InputError(plan.contradiction(tables.tolist())) from None

    def solve_near(self, open_: Ints) -> None:
        """By the tables nearest to a box alone: what is found holds, and may be loose."""
        try:
            for done, box in enumerate(open_.tolist()):
                self._report(done, len(open_))
                tables = self.plan.tables_near(box)
                programme = self.plan.programme(tables, self.until)
                if programme is not None and programme.holds(self.plan.boxes, box):
                    self._settle(programme, box, np.array(tables), is_whole=False)
        except OutOfTime:
            return

    def _report(self, done: int, total: int) -> None:
        """How far it is: what is open may be recovered, what is settled no longer."""
        search = self.search
        may_be = ~search.settled | (search.lower == search.upper)
        most = int((self.matters & may_be).sum())
        self.progress(f"bounding counts | at most {most:,} recovered so far", done, total)

    def _settle(
        self, programme: LocalProgramme | None, box: int, tables: Ints, *, is_whole: bool
    ) -> None:
        if programme is None:
            return
        if self.until is not None and time.monotonic() >= self.until:
            raise OutOfTime
        search = self.search
        before = int(search.lower[box]), int(search.upper[box])
        boxes = self.plan.boxes
        found = programme.settle(
            boxes.ends[box],
            *before,
            width=self.width,
            until=self.until,
            without=boxes.without(box),
        )
        search.lower[box], search.upper[box] = found.lower, found.upper
        search.tightest[box] = is_whole and found.is_tightest
        search.settled[box] = is_whole or found.lower == found.upper
        if self._rank(found.lower, found.upper) < self._rank(*before):
            search.by_programme[box] = tuple(tables.tolist())

    def _rank(self, lower: int, upper: int) -> int:
        """0 of a box that is recovered, 1 of one that is nearly so."""
        return 0 if upper == lower else 1 if upper - lower <= self.width else 2

    def drop_tables(self, box: int, tables: tuple[int, ...]) -> Certificate:
        """Leave out table after table while whole tables over the others still give a box away."""
        search, kept, boxes = self.search, [*tables], self.plan.boxes
        most = int(search.upper[box] - search.lower[box])
        for table in tables:
            fewer = [t for t in kept if t != table]
            try:
                programme = self.plan.programme(fewer, self.until)
                if programme is None or not programme.holds(boxes, box):
                    continue
                found = programme.settle(
                    boxes.ends[box],
                    0,
                    NO_LIMIT,
                    width=most,
                    until=self.until,
                    without=boxes.without(box),
                )
            except OutOfTime:
                return Certificate(tuple(kept), is_smallest=False, is_irreducible=False)
            if found.upper - found.lower <= most:
                kept = fewer
        return Certificate(tuple(kept), is_smallest=len(kept) == 1)


def _certify(
    plan: Plan, bounds: BoxBounds, boxes: Ints, width: int, until: float | None
) -> tuple[dict[int, Certificate], list[int] | None]:
    """The tables that give boxes away by lines, none of which can be left out.

    And of each table how many boxes are no longer given away without it; None: not worked out.
    """
    n_tables = len(plan.names)
    if not len(boxes):
        return {}, [0] * n_tables
    worlds = Worlds(plan.facts, plan.batches, bounds, width)
    proofs = Proofs.of(boxes, bounds)
    found = proofs.find_certificates(worlds, until)
    made = dict(zip(boxes.tolist(), found, strict=True))
    if not proofs.is_started:
        return made, None
    is_recovered = bounds.spare(boxes) == 0
    n_without = Counter(t for mask in proofs.essential[is_recovered] for t in tables_in(mask))
    return made, [n_without[t] for t in range(n_tables)]


def _certify_by_programme(
    solver: _BoxSolver, given: Ints, found: Mapping[int, Certificate]
) -> dict[int, Certificate]:
    """The sets of tables of all boxes; of those that lines do not give away, by whole tables."""
    by_programme = solver.search.by_programme
    return {
        box: solver.drop_tables(box, by_programme[box]) if box in by_programme else found[box]
        for box in given.tolist()
    }


# What is said of the plan.


def _rows(
    plan: Plan,
    search: _KnownBounds,
    given: Ints,
    kinds: np.ndarray,
    certificates: Mapping[int, Certificate],
) -> tuple[PlanBox, ...]:
    order = np.lexsort((given, search.lower[given], (search.upper - search.lower)[given]))
    made = []
    for box in given[order].tolist():
        pairs, one = plan.name_box(box), certificates[box]
        made.append(
            PlanBox(
                columns=tuple(column for column, _ in pairs),
                levels=tuple(level for _, level in pairs),
                without=plan.name_without(box),
                kind=kinds[box],
                lower=int(search.lower[box]),
                upper=int(search.upper[box]),
                tightest=bool(search.tightest[box] or search.lower[box] == search.upper[box]),
                tables=tuple(plan.names[t] for t in one.tables),
                smallest=one.is_smallest,
                irreducible=one.is_irreducible,
                n_people=None if plan.truth is None else int(plan.truth[box]),
            )
        )
    return tuple(made)


def _by_tables(rows: tuple[PlanBox, ...]) -> tuple[PlanTables, ...]:
    of_set: dict[tuple[str, ...], list[PlanBox]] = defaultdict(list)
    for row in rows:
        of_set[row.tables].append(row)
    made = [
        PlanTables(
            tables=tables,
            n_recovered=(n := sum(row.recovered for row in some)),
            n_near=len(some) - n,
            example=some[0],
        )
        for tables, some in of_set.items()
    ]
    return tuple(sorted(made, key=lambda one: (-one.n_recovered, -one.n_near, one.tables)))


def _tables(
    plan: Plan, rows: tuple[PlanBox, ...], n_without: list[int] | None
) -> tuple[PlanTable, ...]:
    facts = plan.facts
    sets = Counter(row.tables for row in rows)
    n_involved = Counter(name for row in rows for name in row.tables)
    return tuple(
        PlanTable(
            name=name,
            n_values=int((facts.published & (facts.table == t)).sum()),
            n_suppressed=int((facts.hidden & (facts.table == t)).sum()),
            n_alone=sets[(name,)],
            n_involved=n_involved[name],
            n_without=None if n_without is None else n_without[t],
        )
        for t, name in enumerate(plan.names)
    )


def _verdicts(
    limits: Mapping[PlanMeasure, int],
    rows: tuple[PlanBox, ...],
    n_open: int,
    *,
    is_complete: bool,
) -> tuple[PlanVerdict, ...]:
    n_recovered = sum(row.recovered for row in rows)
    counts: dict[PlanMeasure, int] = {"recovered": n_recovered, "near": len(rows) - n_recovered}
    made = []
    for measure, limit in limits.items():
        n = counts[measure]
        status: PlanStatus = "above" if n > limit else "not settled"
        if n + n_open <= limit and is_complete:
            status = "within"
        made.append(PlanVerdict(measure=measure, limit=limit, n=n, n_open=n_open, status=status))
    return tuple(made)


def _notes(plan: Plan) -> tuple[str, ...]:
    kinds = {"suppress" in str(table.publish) for table in plan.settings.tables if table.publish}
    return (
        *plan.opened.questions,
        *plan.opened.notes,
        *((UNSETTLED_PIECES,) if not plan.has_all_pieces else ()),
        *((RULE_KNOWN,) if True in kinds else ()),
        *((SCOPE,) if plan.names else ()),
    )
