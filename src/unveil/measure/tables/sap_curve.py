"""One curve of SAP over the number of known people: by which method, and how surely?"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import nextafter
from time import monotonic

from unveil.measure.tables.audit import search_exposed_cells
from unveil.measure.tables.parts import System
from unveil.measure.tables.sap_batch import Family, family, separate
from unveil.measure.tables.sap_events import AnyOracle, oracle_of
from unveil.measure.tables.sap_exact import (
    TINY,
    exact_curve,
    overlapping_signed_sums,
    signed_sums,
    stable_curve,
)
from unveil.measure.tables.sap_witness import bound_by_witnesses
from unveil.records.count_tables import Method, SapChance
from unveil.study.scenario import Progress, no_progress

# About three seconds: words of 64 bits that are multiplied for an exact curve.
EXACT_WORK = 10**8
WORK_A_SECOND = EXACT_WORK // 3
SETTLED = 1e-9  # a curve in floating point whose bounds are nowhere further apart is complete
SEARCH, BESIDE = 0.6, 0.7  # of the time: for box splitting, then of the rest for other bounds
DRAWS, FEW_DRAWS = 2_000, 200  # of Monte Carlo, by network and by integer programmes


@dataclass(frozen=True)
class SapQuestion:
    """Whose zeros, in which cells, from whom: see `sap_boxes.split`."""

    system: System
    events: tuple[tuple[int, ...], ...] | None = None
    chance: tuple[int, ...] | None = None
    open_cells: tuple[int, ...] | None = (
        None  # `audit.search_exposed_cells`, where that is known already
    )
    oracle: AnyOracle | None = None  # of a system that has no formula, where there is one already

    @property
    def N(self) -> int:
        """People who can become known."""
        return sum(self.system.counts if self.chance is None else self.chance)


@dataclass(frozen=True)
class Effort:
    """How much may be spent on a curve that no formula gives."""

    nodes: int = 20_000
    seconds: float | None = None
    seed: int = 0
    progress: Progress = no_progress
    until: float | None = None  # when `seconds` end; everything that is asked shares them

    def start(self) -> "Effort":
        """The same with its time running, unless it runs already."""
        if self.until is not None or self.seconds is None:
            return self
        return replace(self, until=monotonic() + self.seconds)

    @property
    def remaining(self) -> float | None:
        """Seconds that are left; None where they are not limited."""
        return None if self.until is None else max(0.0, self.until - monotonic())

    def part(self, share: float) -> "Effort":
        """As much of it as ends after this share of the time that is left."""
        left = self.remaining
        return self if left is None else replace(self, until=monotonic() + share * left)


@dataclass(frozen=True)
class Curve:
    """SAP(0..n_max): exact where it can be, and certified bounds in any case."""

    exact: tuple[Fraction | None, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    method: Method
    complete: bool = True
    n_nodes: int | None = None
    monte_carlo: tuple[SapChance, ...] = field(default=())

    @property
    def fractions(self) -> tuple[str | None, ...]:
        """The exact figures as text: a/b."""
        return tuple(
            None if one is None else f"{one.numerator}/{one.denominator}" for one in self.exact
        )


def compute_curve(question: SapQuestion, n_max: int, effort: Effort | None = None) -> Curve:
    """SAP(0..n_max) of a question; beyond N it is SAP(N).

    Notes
    -----
    Where the sets that give a zero away can be listed (`sap_batch`), the polynomial method: exact,
    or in floating point where exact numbers would take minutes. Box splitting elsewhere.
    """
    effort = (effort or Effort()).start()
    last = min(n_max, question.N)
    found = _by_formula(question, last, effort)
    if found is None:
        found = _by_splitting(question, last, effort)
    return _extend_curve(found, n_max - last)


def _by_formula(question: SapQuestion, last: int, effort: Effort) -> Curve | None:
    system = question.system
    parts = None if question.oracle else separate(system)
    if parts is None:
        return None
    sets = family(system, parts, events=question.events, chance=question.chance)
    totals = _totals_apart(sets, system.counts)
    if _exact_work(question.N, last) <= _limit_work(effort.remaining):
        g = (
            overlapping_signed_sums(sets, system.counts, last, effort.part(SEARCH).until)
            if totals is None
            else signed_sums(totals, last)
        )
        return None if g is None else exact_curve_from(exact_curve(g, question.N, last))
    return None if totals is None else _floating_curve(totals, question.N, last, effort.until)


def _limit_work(left: float | None) -> int:
    return EXACT_WORK if left is None else min(EXACT_WORK, int(left * WORK_A_SECOND))


def _totals_apart(sets: Family, counts: Sequence[int]) -> list[int] | None:
    """People of each set, where no two sets share a cell."""
    if sum(map(len, sets)) != len({cell for cells in sets for cell in cells}):
        return None
    return [sum(counts[cell] for cell in cells) for cells in sets]


def _exact_work(N: int, last: int) -> int:
    # The length of C(N, last) is not found by multiplying it out: that alone can take minutes.
    words = 1 + min(last, N // 2) * max(1, N.bit_length()) // 64
    return last * last * words // 2


def exact_curve_from(values: Sequence[Fraction]) -> Curve:
    """A curve that is known exactly."""
    floats = tuple(_nearest(one) for one in values)
    return Curve(tuple(values), floats, floats, "polynomial")


def _nearest(value: Fraction) -> float:
    """The nearest float, but of what is above 0 one above 0."""
    return max(float(value), TINY) if value else 0.0


def _floating_curve(totals: Sequence[int], N: int, last: int, until: float | None) -> Curve:
    if 0 in totals:
        return exact_curve_from((Fraction(1),) * (last + 1))
    found = stable_curve(totals, N, last, until=until)
    start = last + 1 if found.first is None else found.first
    return Curve(
        (*(Fraction(0),) * start, *(None,) * (last + 1 - start)),
        tuple(found.lower.tolist()),
        tuple(found.upper.tolist()),
        "floating",
        bool((found.upper - found.lower).max() <= SETTLED),
    )


def _by_splitting(question: SapQuestion, last: int, effort: Effort) -> Curve:
    from unveil.measure.tables.sap_boxes import split

    oracle = question.oracle or oracle_of(question.system)
    question = replace(question, oracle=oracle)
    found = split(
        question.system,
        last,
        nodes=effort.nodes,
        seconds=effort.part(SEARCH).remaining,
        events=question.events,
        chance=question.chance,
        oracle=oracle,
        progress=effort.progress,
    )
    lower, upper = list(found.lower), list(found.upper)
    if not found.complete:
        if floor := _floor(question, last, effort.part(BESIDE)):
            lower = list(map(max, lower, floor))
        if ceiling := bound_by_witnesses(
            question.system,
            oracle,
            last,
            events=question.events,
            chance=question.chance,
            until=effort.part(BESIDE).until,
        ):
            upper = list(map(min, upper, ceiling))
    pairs = list(zip(lower, upper, strict=True))
    made = Curve(
        tuple(low if low == high else None for low, high in pairs),
        tuple(_nearest(low) if low == high else _down(low) for low, high in pairs),
        tuple(_nearest(high) if low == high else _up(high) for low, high in pairs),
        "boxes",
        lower == upper,
        found.n_nodes,
    )
    return made if made.complete else _with_chance(made, question, effort, network=found.network)


def _floor(question: SapQuestion, last: int, effort: Effort) -> Sequence[Fraction]:
    """SAP of the exposed cells alone, which is never above; empty where it takes too long."""
    counts, chance = question.system.counts, question.chance or question.system.counts
    open_cells = question.open_cells
    if open_cells is None:
        open_cells = search_exposed_cells(question.system, effort.remaining, oracle=question.oracle)
    if open_cells is None or _exact_work(question.N, last) > _limit_work(effort.remaining):
        return ()
    if question.events is not None:
        alone = {event[0] for event in question.events if len(event) == 1}
        open_cells = tuple(cell for cell in open_cells if cell in alone)
    totals = [counts[cell] for cell in open_cells if chance[cell] == counts[cell]]
    return exact_curve(signed_sums(totals, last), question.N, last)


def _with_chance(made: Curve, question: SapQuestion, effort: Effort, *, network: bool) -> Curve:
    """Draws beside bounds that do not agree; each interval stands for its n by itself."""
    from unveil.measure.tables.sap_sampling import estimate

    if effort.remaining == 0:
        return made
    drawn = estimate(
        question.system,
        len(made.lower) - 1,
        draws=DRAWS if network else FEW_DRAWS,
        seed=effort.seed,
        events=question.events,
        chance=question.chance,
        oracle=question.oracle,
        seconds=effort.remaining,
        progress=effort.progress,
    )
    beside = (
        SapChance(
            n=one.n,
            n_draws=one.n_draws,
            n_risky=one.n_risky,
            estimate=one.estimate,
            lower=one.lower,
            upper=one.upper,
            tighter=one.upper - one.lower < made.upper[one.n] - made.lower[one.n],
        )
        for one in drawn
    )
    return replace(made, monte_carlo=tuple(beside))


def _down(value: Fraction) -> float:
    """The float at or below a fraction, but of what is above 0 one above 0."""
    near = _nearest(value)
    return near if near == TINY or Fraction(near) <= value else nextafter(near, -1.0)


def _up(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else nextafter(near, 2.0)


def _extend_curve(made: Curve, beyond: int) -> Curve:
    """The figure of everybody for every n beyond them."""
    if not beyond:
        return made
    return replace(
        made,
        exact=(*made.exact, *made.exact[-1:] * beyond),
        lower=(*made.lower, *made.lower[-1:] * beyond),
        upper=(*made.upper, *made.upper[-1:] * beyond),
    )
