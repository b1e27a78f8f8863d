"""`unveil.protect_table`: which further counts to suppress, so that no small one is worked out.

Secondary suppression: Fischetti and Salazar (1999), Models and algorithms for the 2-dimensional
cell suppression problem, for the exact programme; for large tables one small count after another,
and every suppressed value is audited in any case. The audit is the proof, not the search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, inf
from time import monotonic
from typing import Any

import numpy as np

from unveil.arguments import parse_number_within, parse_whole_number, quote_value
from unveil.arrays import Floats, Ints, Mask
from unveil.errors import InputError, InternalError, SettingsError
from unveil.measure.result import RowsResult
from unveil.measure.tables.audit import audit
from unveil.measure.tables.bounds import find_tightest
from unveil.measure.tables.flow import network_of
from unveil.measure.tables.grid import TABLE, TOTAL, as_object_array
from unveil.measure.tables.integer_programme import INFEASIBLE, OPTIMAL
from unveil.measure.tables.neighbour_sap import choose_area, neighbour_sap
from unveil.measure.tables.parts import Values
from unveil.measure.tables.published_table import PublishedTable, make_release
from unveil.measure.tables.sap import sap
from unveil.measure.tables.schemes import Scheme, parse_scheme
from unveil.records.count_tables import ProtectedTable, ProtectionOption, SuppressedValue
from unveil.study.scenario import Progress, no_progress

MOVED = 1e-6  # what a solver in floating point leaves of nothing
MOST_EXACT = 10_000  # unknowns of the exact programme that are tried
SAP_AT, SAP_SECONDS = 5, 10.0
ALONE = (
    "Checked for this table alone. Tables of the same people disclose more together: run unveil"
    " plan before you publish."
)


@dataclass(frozen=True)
class _PublishedValues:
    """Every value of a table: which cells it adds up, and how far a reader lets it move."""

    matrix: Any  # values x cells
    counts: Ints  # of the values
    cells: Ints  # of the cells
    low: Floats  # how far below its count a value may be, if it is suppressed or never exact
    high: Floats
    small: Mask  # suppressed by the rule
    can_hide: Mask  # may be suppressed to protect others
    is_loose: Mask  # moves whether it is suppressed or not: rounded
    cost: Floats
    fixed: Ints  # impossible cells
    places: tuple[tuple[str, int], ...]  # part and place of each value
    is_network: bool

    def limits(self, hidden: Mask) -> tuple[Floats, Floats]:
        """How far each value may move where these are suppressed."""
        moves = hidden | self.is_loose
        return np.where(moves, self.low, 0.0), np.where(moves, self.high, 0.0)


@dataclass(frozen=True, repr=False)
class ProtectedTableResult(RowsResult[ProtectedTable]):
    """Which values to suppress; `release` is the table as it would be published. Confidential."""

    release: PublishedTable


def protect_table(
    counts: Any,
    scheme: str = "suppress:5",
    *,
    width: int | None = None,
    cost: Any = "count",
    seconds: float = 60.0,
    progress: Progress | None = None,
    **asked: Any,
) -> ProtectedTableResult:
    """Choose which further counts to suppress, at least cost, so that no small one is worked out.

    Parameters
    ----------
    counts
        A `PublishedTable` with suppressed parts; or true counts as `PublishedTable.from_counts`
        takes them, published by `scheme`.
    width
        How many counts at least a reader must not be able to tell apart, less one: the interval of
        every small count is as wide, to a reader who knows the rule. At most k - 2; without it 2,
        or less where k does not allow it.
    cost
        What suppressing a value costs: its "count", 1 for every one ("cells"), or a number for
        each cell in the shape of the table.
    seconds
        For the search. A pattern that is not proven the cheapest by then stands with its bound.
    **asked
        With counts: dims, levels, margins, total, structural, as in `PublishedTable.from_counts`.

    Notes
    -----
    Least sum of costs over suppressed values, so that for each small value two whole tables fit
    everything that is published, keep small values in 1..k-1 and the others at k or more, and
    differ in it by `width`. Small tables: one integer programme, written out. Large ones: for each
    small value in turn the cheapest moves that open it; then each further value is published again
    where that closes none. Every small value is then audited, to whole numbers.

    References
    ----------
    Fischetti and Salazar (1999, 2000). Castro (2012) for a survey.
    """
    until = monotonic() + parse_number_within("seconds", seconds, "(0, inf)")
    release = (
        counts
        if isinstance(counts, PublishedTable)
        else PublishedTable.from_counts(counts, rounding=scheme, **asked)
    )
    rules = [parse_scheme(text) for _, text in release.schemes]
    rule = _check_rule([one for one in rules if one.kind == "suppress"])
    most = rule.size - 2
    wanted = min(2, most) if width is None else parse_whole_number("width", width, most=most)
    values = _values(release, _costs(release, cost))
    report = progress or no_progress
    hidden = _greedy(values, wanted, until, release, report)
    least, hardest = _least_cost(values, wanted, until)
    proven = values.cost[hidden & ~values.small].sum() <= least
    if not proven and monotonic() < until:
        report("suppressing at least cost", 0, 1)
        hidden, least, proven = _exact(values, wanted, hidden, least, hardest=hardest, until=until)
    made = _publish(release, values, hidden)
    return _result(
        release, made, values, hidden, width=wanted, found=(_name(cost), float(least), proven)
    )


def _check_rule(rules: Sequence[Scheme]) -> Scheme:
    if not rules:
        raise SettingsError(
            "Nothing is published by suppression, so that there is nothing to protect. Publish with"
            " a scheme such as suppress:5."
        )
    if len({one.size for one in rules}) > 1:
        raise SettingsError("Parts are suppressed by different thresholds. Use one for all.")
    if rules[0].size < 3:
        raise SettingsError(
            "suppress:2 suppresses only ones, whose count the rule itself tells. Use a threshold of"
            " 3 or more."
        )
    return rules[0]


def _name(cost: Any) -> str:
    return cost if isinstance(cost, str) else "weights"


def _costs(release: PublishedTable, cost: Any) -> Floats | None:
    """The cost of each cell; None where every value costs 1."""
    if isinstance(cost, str):
        if cost not in ("count", "cells"):
            raise SettingsError(
                f"cost is {quote_value(cost)}. Write count or cells, or give a number for each"
                " cell."
            )
        return np.array(release.system.counts, float) if cost == "count" else None
    try:
        found: Floats = as_object_array(cost).astype(float).reshape(-1)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if len(found) != len(release.system.counts) or not (found >= 0).all() or np.isinf(found).any():
        raise SettingsError("cost must be a number from 0 for each cell of the table.")
    return found


def _values(release: PublishedTable, costs: Floats | None) -> _PublishedValues:
    """The values of all parts, and how a reader who knows the rule limits them."""
    from scipy.sparse import csr_array

    grid, schemes = release.grid, dict(release.schemes)
    rows, places, known, chosen = [], [], [], []
    for part, shown in release.published:
        rows += grid.members(part).tolist()
        places += [(part, place) for place in range(len(shown))]
        known += release.bounds_of(part)
        chosen += [(parse_scheme(schemes[part]), value) for value in shown]
    lengths = [len(row) for row in rows]
    where = np.repeat(np.arange(len(rows)), lengths), np.concatenate(rows).astype(np.int64)
    shape = (len(rows), len(release.system.counts))
    matrix = csr_array((np.ones(sum(lengths)), where), shape=shape)
    cells = np.array(release.system.counts, np.int64)
    counts = (matrix @ cells).astype(np.int64)
    rule = np.array([scheme.kind == "suppress" for scheme, _ in chosen])
    small = np.array([value is None for _, value in chosen]) & rule
    k = np.array([scheme.size for scheme, _ in chosen])
    can_hide = rule & ~small & (counts >= k)
    lower = np.array([low for low, _ in known], float)
    upper = np.array([inf if high is None else high for _, high in known])
    return _PublishedValues(
        matrix,
        counts,
        cells,
        np.where(can_hide, k, lower) - counts,
        np.where(can_hide, inf, upper) - counts,
        small,
        can_hide,
        ~rule & (lower < upper),
        np.ones(len(rows)) if costs is None else matrix @ costs,
        np.array(sorted(release.system.structural), np.int64),
        tuple(places),
        network_of(release.system) is not None,
    )


# One small value after another: the cheapest moves that open it.


def _greedy(
    values: _PublishedValues, width: int, until: float, release: PublishedTable, report: Progress
) -> Mask:
    hidden = values.small.copy()
    moved: dict[int, Mask] = {}
    order = sorted(np.flatnonzero(values.small).tolist(), key=lambda p: values.counts[p])
    for number, p in enumerate(order):
        report("protecting small counts", number, len(order))
        found = _open(values, p, hidden, width, until, price=values.cost + 1e-3)
        if found is None:
            part, place = values.places[p]
            raise InputError(_cannot(release, part, place, width))
        moved[p] = found
        hidden |= found & values.can_hide
    further = np.flatnonzero(hidden & ~values.small)
    for j in sorted(further.tolist(), key=lambda j: -values.cost[j]):
        less = hidden.copy()
        less[j] = False
        again = _open_all(values, (p for p in order if moved[p][j]), less, width, until)
        if again is not None:
            hidden, moved = less, moved | again
    return hidden


def _cannot(release: PublishedTable, part: str, place: int, width: int) -> str:
    what = release.grid.whats(part)[place]
    return (
        f"{what[0].upper()}{what[1:]} cannot be protected: whatever else is suppressed, its bounds"
        f" are less than {width:,} apart. Merge levels, publish fewer margins or suppress in them"
        " too, or ask for less width."
    )


def _open_all(
    values: _PublishedValues, small: Iterable[int], hidden: Mask, width: int, until: float
) -> dict[int, Mask] | None:
    """What moves to open some small values, nothing more being suppressed; None: one stays shut."""
    found = {}
    for p in small:
        if monotonic() >= until:
            return None
        moves = _open(values, p, hidden, width, until, price=None)
        if moves is None:
            return None
        found[p] = moves
    return found


def _open(
    values: _PublishedValues,
    p: int,
    hidden: Mask,
    width: int,
    until: float,
    *,
    price: Floats | None,
) -> Mask | None:
    """The values that move between two tables that differ in p by the width, most cheaply.

    `price` is for one person moved in a value that is not suppressed yet; without it none may move.
    """
    found = _solve_two_tables(values, p, hidden, width, until=until, price=price)
    if found.status == INFEASIBLE:
        return None
    if found.x is None:
        raise InputError("No pattern of suppression was found in time. Allow more seconds.")
    n = len(values.cells)
    both = [np.abs(values.matrix @ found.x[start : start + n]) > MOVED for start in (0, n)]
    moves: Mask = both[0] | both[1]
    return moves


def _solve_two_tables(
    values: _PublishedValues,
    p: int,
    hidden: Mask,
    width: int,
    *,
    until: float,
    price: Floats | None,
) -> Any:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    n, matrix = len(values.cells), values.matrix
    low, high = values.limits(hidden)
    priced = np.flatnonzero(values.can_hide & ~hidden) if price is not None else np.zeros(0, int)
    low[priced], high[priced] = -inf, inf
    q = len(priced)
    rows = matrix[priced]
    one, none, split = csr_array((q, n)), csr_array((matrix.shape[0], 4 * q)), eye_array(q)
    zero = csr_array((q, q))
    of_p = matrix[[p]]
    system = vstack(
        [
            hstack([matrix, csr_array(matrix.shape), none]),
            hstack([csr_array(matrix.shape), matrix, none]),
            hstack([rows, one, -split, split, zero, zero]),
            hstack([one, rows, zero, zero, -split, split]),
            hstack([of_p, -of_p, csr_array((1, 4 * q))]),
        ]
    )
    nothing = np.zeros(2 * q)
    down = -values.cells.astype(float)
    up = np.full(n, inf)
    down[values.fixed] = up[values.fixed] = 0.0
    rooms = [np.minimum(values.high[priced], 1e6), -values.low[priced]] * 2
    cost = np.concatenate([np.zeros(2 * n), *([price[priced]] * 4 if price is not None else [])])
    return milp(
        cost,
        integrality=np.r_[np.full(2 * n, 0 if values.is_network else 1), np.zeros(4 * q)],
        bounds=Bounds(np.r_[down, down, np.zeros(4 * q)], np.concatenate([up, up, *rooms])),
        constraints=LinearConstraint(
            system,
            np.concatenate([low, low, nothing, [width]]),
            np.concatenate([high, high, nothing, [inf]]),
        ),
        options={"time_limit": max(0.1, until - monotonic())},
    )


# What every pattern costs at least, and the cheapest of all where that can be found.


def _least_cost(values: _PublishedValues, width: int, until: float) -> tuple[float, Ints]:
    """The dearest small value by itself, suppression in part being allowed; the dearest first.

    In a network no value need move further than the width, so that moving it by one costs at
    least its cost over the width. Elsewhere there is no such limit, and no bound but 0.
    """
    small = np.flatnonzero(values.small)
    costs = np.zeros(len(small))
    rooms = np.minimum(width, np.maximum(values.high, -values.low))
    price = values.cost / np.maximum(rooms, 1.0) / 2
    for i, p in enumerate(small.tolist() if values.is_network else ()):
        if monotonic() >= until:
            break
        found = _solve_two_tables(values, p, values.small, width, until=until, price=price)
        costs[i] = found.fun if found.status == OPTIMAL else 0.0
    return _up(values, costs.max(initial=0.0)), small[np.argsort(-costs, kind="stable")]


def _up(values: _PublishedValues, cost: float) -> float:
    """A bound on the cost; the next whole number where costs are whole."""
    is_whole = bool((values.cost == np.rint(values.cost)).all())
    return max(0.0, float(ceil(cost - MOVED)) if is_whole else cost - MOVED)


def _exact(
    values: _PublishedValues,
    width: int,
    hidden: Mask,
    least: float,
    *,
    hardest: Ints,
    until: float,
) -> tuple[Mask, float, bool]:
    """The cheapest pattern, a bound of its cost, and whether it is proven; `hidden` is one.

    Of a large table only the small values that cost most by themselves are protected: that gives
    a bound, but no pattern.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, diags_array, eye_array, hstack, kron, vstack

    n = len(values.cells)
    small = hardest[: max(1, MOST_EXACT // (2 * n))]
    is_all = len(small) == len(hardest)
    free = np.flatnonzero(values.can_hide)
    tables, q = 2 * len(small), len(free)
    low, high = values.limits(values.small)
    others = np.setdiff1d(np.arange(len(low)), free)
    cap = float(width) if values.is_network else float(values.counts.max() + width)
    up, down = np.minimum(values.high[free], cap), np.minimum(-values.low[free], cap)
    each = eye_array(tables)
    beside = (
        kron(np.ones((tables, 1)), diags_array(up)),
        kron(np.ones((tables, 1)), diags_array(down)),
    )
    moves = kron(each, values.matrix[free])
    apart = [
        values.matrix[[p]] * (1 if side == 0 else -1) for p in small.tolist() for side in (0, 1)
    ]
    widths = vstack(
        [
            hstack(
                [
                    csr_array((1, 2 * i * n)),
                    apart[2 * i],
                    apart[2 * i + 1],
                    csr_array((1, (tables - 2 * i - 2) * n)),
                ]
            )
            for i in range(len(small))
        ]
    )
    system = vstack(
        [
            hstack([csr_array((tables * len(others), q)), kron(each, values.matrix[others])]),
            hstack([-beside[0], moves]),
            hstack([beside[1], moves]),
            hstack([csr_array((len(small), q)), widths]),
        ]
    )
    # No cell need move further than the width in a network; elsewhere this may miss a pattern.
    bottom, top = -np.minimum(values.cells, cap), np.full(n, cap)
    bottom[values.fixed] = top[values.fixed] = 0.0
    nothing = np.zeros(tables * q)
    found = milp(
        np.r_[values.cost[free], np.zeros(tables * n)],
        integrality=np.r_[np.ones(q), np.full(tables * n, 0 if values.is_network else 1)],
        bounds=Bounds(
            np.r_[np.zeros(q), np.tile(bottom, tables)], np.r_[np.ones(q), np.tile(top, tables)]
        ),
        constraints=LinearConstraint(
            system,
            np.r_[np.tile(low[others], tables), nothing - inf, nothing, np.full(len(small), width)],
            np.r_[np.tile(high[others], tables), nothing, nothing + inf, np.full(len(small), inf)],
        ),
        options={"time_limit": max(0.1, until - monotonic()), "mip_rel_gap": 0.0},
    )
    if values.is_network and found.mip_dual_bound is not None and np.isfinite(found.mip_dual_bound):
        least = max(least, _up(values, found.mip_dual_bound))
    if found.x is not None and is_all:
        pattern = values.small.copy()
        pattern[free[found.x[:q] > 0.5]] = True
        both = (pattern, hidden)
        hidden = min(both, key=lambda one: float(values.cost[one & ~values.small].sum()))
    cost = float(values.cost[hidden & ~values.small].sum())
    return hidden, least, values.is_network and cost <= least + 2 * MOVED


# The table as it would be published, audited, and what else could be done.


def _publish(release: PublishedTable, values: _PublishedValues, hidden: Mask) -> PublishedTable:
    shown: Values = dict(release.published)
    made = {part: list(one) for part, one in shown.items()}
    for value in np.flatnonzero(hidden).tolist():
        part, place = values.places[value]
        made[part][place] = None
    flat = {part: one[0] if part == TOTAL else tuple(one) for part, one in made.items()}
    return _release(release, dict(release.schemes), flat)


def _release(release: PublishedTable, schemes: dict[str, str], published: Any) -> PublishedTable:
    return make_release(
        release.grid,
        np.array(release.system.counts, np.int64),
        rounding=schemes,
        published=published,
        structural=sorted(release.system.structural),
        nested=dict(release.nested) or None,
        seed=0,
        notes=release.notes,
        of_sample=release.of_sample,
    )


def _result(
    release: PublishedTable,
    made: PublishedTable,
    values: _PublishedValues,
    hidden: Mask,
    *,
    width: int,
    found: tuple[str, float, bool],
) -> ProtectedTableResult:
    cost, least, proven = found
    rows = tuple(_audited(made, values, hidden))
    narrow = [row.upper - row.lower for row in rows if row.small and row.upper is not None]
    if min(narrow, default=width) < width:
        raise InternalError("A pattern of suppression does not protect every small count.")
    own = _option(made, dict(made.schemes).get(TABLE, ""), values)
    further = hidden & ~values.small
    record = ProtectedTable(
        dims=release.dims,
        schemes=made.schemes,
        width=width,
        cost=cost,
        n_values=len(hidden),
        n_small=int(values.small.sum()),
        n_secondary=int(further.sum()),
        n_people=int(values.counts[further].sum()),
        total_cost=float(values.cost[further].sum()),
        least_cost=least,
        proven=proven,
        narrowest=min(narrow, default=None),
        rows=rows,
        options=(own, *_controlled(release, values)),
        notes=(*release.notes, ALONE),
    )
    return ProtectedTableResult(record, made)


def _audited(
    made: PublishedTable, values: _PublishedValues, hidden: Mask
) -> Iterator[SuppressedValue]:
    """Every suppressed value with its tightest bounds: the certificate."""
    found = audit(made)
    if not found.complete:
        raise InternalError("The audit of a pattern of suppression was not finished.")
    # The audit lists suppressed values in the order of parts and places, as they stand here.
    for row, value in zip(found.rows, np.flatnonzero(hidden).tolist(), strict=True):
        yield SuppressedValue(
            part=row.part,
            levels=row.levels,
            small=bool(values.small[value]),
            lower=row.lower,
            upper=row.upper,
        )


def _controlled(release: PublishedTable, values: _PublishedValues) -> Iterator[ProtectionOption]:
    """Controlled rounding of the same parts, beside suppression; nothing where there is none."""
    size = max(parse_scheme(text).size for _, text in release.schemes)
    scheme = f"controlled:{size}"
    rounded = {
        part: scheme if text.startswith("suppress") else text for part, text in release.schemes
    }
    try:
        other = _release(release, rounded, None)
    except (InputError, SettingsError):
        return
    yield _option(other, scheme, values)


def _option(other: PublishedTable, scheme: str, values: _PublishedValues) -> ProtectionOption:
    """What a way to publish costs, and what it leaves open."""
    bounds = find_tightest(other.system, seconds=SAP_SECONDS)
    cells = np.flatnonzero((values.matrix.sum(axis=1) == 1) & values.small)
    small = sorted({int(values.matrix[[one]].indices[0]) for one in cells.tolist()})
    pairs = [(bounds.lower[cell], bounds.upper[cell]) for cell in small]
    widths = [top - low for low, top in pairs if top is not None]
    shown = dict(other.published).get(TABLE, ())
    changes = [
        abs(value - count)
        for value, count in zip(shown, other.system.counts, strict=False)
        if isinstance(value, int)
    ]
    area = choose_area(other.grid)
    at = min(SAP_AT, other.N)
    record: Any = (
        sap(other, n_max=at, seconds=SAP_SECONDS).record
        if area is None
        else neighbour_sap(other, other.dims[area], n_max=at, at=at, seconds=SAP_SECONDS).rows[0]
    )
    return ProtectionOption(
        scheme=scheme,
        n_suppressed=sum(value is None for value in shown),
        n_changed=sum(change > 0 for change in changes),
        mean_absolute=sum(changes) / len(changes) if changes else None,
        narrowest=min(widths, default=None),
        area=None if area is None else other.dims[area],
        n=at,
        lower=record.lower[at],
        upper=record.upper[at],
    )
