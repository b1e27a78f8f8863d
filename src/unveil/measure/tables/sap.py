"""`unveil.sap`: how likely is it that somebody who knows n people learns that a cell is empty?

Smith and Elliot (2008): the subtraction-attribution probability. Known people are subtracted from
the table, and a cell of which nobody is left, provably, says something about everybody else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import polars as pl

from unveil.arguments import parse_number_within, parse_whole_number
from unveil.errors import InputError
from unveil.measure.tables.audit import Exposure, find_exposed_cells
from unveil.measure.tables.bounds import release_of
from unveil.measure.tables.grid import TABLE, TOTAL, GivenLevels, Grid, pairs, parse_given_levels
from unveil.measure.tables.known_people import KnownPeople, parse_known, remove_known
from unveil.measure.tables.parts import System, sums_of
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap_curve import Curve, Effort, SapQuestion, compute_curve
from unveil.measure.tables.sap_depth import (
    BY_DEPTH,
    chance_at,
    events_at,
    list_lessons,
    parse_depth,
    under,
)
from unveil.measure.tables.sap_events import ProgrammeOracle
from unveil.records.count_tables import Sap, SapDepth, SapLesson, SapTaught, SapTaughtVariable
from unveil.seeding import choose_seed
from unveil.study.scenario import Progress, no_progress
from unveil.view.show import Result

# What was asked of a release and found about it, as the record that leaves the measure.


LESSONS = 100  # as many recovered zeros are described one by one


@dataclass(frozen=True)
class SapQuery:
    """A release, and the people and the zeros that were asked about."""

    release: PublishedTable
    people: tuple[KnownPeople, ...]
    keys: GivenLevels
    depth: int | None


def record_of(
    asked: SapQuery,
    main: SapQuestion,
    found: Curve,
    by_depth: tuple[SapDepth, ...],
    *,
    given_away: Exposure,
    seed: int,
) -> Sap:
    """Everything that was asked and found, as one record."""
    release, keys = asked.release, asked.keys
    grid, n = release.grid, range(len(found.lower))
    published = sums_of(release.system)
    return Sap(
        dims=grid.dims,
        n_levels=grid.shape,
        schemes=release.schemes,
        of_sample=release.of_sample,
        given=tuple((grid.dims[dim], grid.levels[dim][place]) for dim, place in keys),
        known=tuple((_who(one, grid), one.n) for one in asked.people),
        depth=asked.depth,
        N=main.N,
        n=tuple(n),
        exact=found.fractions,
        lower=found.lower,
        upper=found.upper,
        all_known=tuple(one > main.N for one in n),
        first_risk=next((one for one in n if found.lower[one] > 0), None),
        method=found.method,
        complete=found.complete,
        n_nodes=found.n_nodes,
        monte_carlo=found.monte_carlo,
        seed=seed if found.monte_carlo else release.seed,
        cell_bounds=tuple(zip(published.lo, published.hi, strict=True)),
        total_bounds=_total_bounds(release),
        exposed=_within(main.system, keys, given_away.exposed),
        n_unseen=main.oracle.n_unseen if isinstance(main.oracle, ProgrammeOracle) else 0,
        by_depth=by_depth,
        taught=list_zero_disclosures(main.system, grid, given_away.recovered, keys),
        notes=release.notes,
    )


def _who(one: KnownPeople, grid: Grid) -> str:
    return pairs(
        [grid.dims[dim] for dim, _ in one.levels],
        [grid.levels[dim][place] for dim, place in one.levels],
    )


def _total_bounds(release: PublishedTable) -> tuple[int, int | None] | None:
    """What is published of the sum of all cells."""
    return release.bounds_of(TOTAL)[0] if TOTAL in dict(release.published) else None


def _within(
    system: System, keys: GivenLevels, cells: tuple[int, ...] | None
) -> tuple[int, ...] | None:
    """Those of the cells whose people have the key levels."""
    if cells is None or not keys:
        return cells
    inside = set(under(system.shape, keys).reshape(-1).tolist())
    return tuple(cell for cell in cells if cell in inside)


def list_zero_disclosures(
    system: System, grid: Grid, zeros: tuple[int, ...] | None, given: GivenLevels = ()
) -> SapTaught | None:
    """What the recovered zeros of a table teach, before anybody more becomes known."""
    if zeros is None:
        return None
    found, n_people = list_lessons(system, zeros, given)
    labels = grid.labels(TABLE) if found else []
    kinds = [lesson.kind for lesson in found]
    return SapTaught(
        n_recovered=len(found),
        settles=kinds.count("settles"),
        rules_out_level=kinds.count("rules_out_level"),
        combination_only=kinds.count("combination_only"),
        by_variable=tuple(
            SapTaughtVariable(
                variable=name,
                settles=sum(dim in lesson.settles for lesson in found),
                rules_out_level=sum(dim in lesson.rules_out for lesson in found),
            )
            for dim, name in enumerate(grid.dims)
        ),
        n_people_settled=n_people,
        lessons=tuple(
            SapLesson(
                cell=pairs(grid.dims, labels[lesson.cell]),
                kind=lesson.kind,
                variables=tuple(grid.dims[dim] for dim in lesson.settles or lesson.rules_out),
            )
            for lesson in found[:LESSONS]
        ),
    )


# Which settings of a SAP curve mean something, and what is said of those that do not?


N_MAX = 100  # without n_max, where the table has more people
LARGEST_N = 100_000


def parse_n_max(n_max: Any, N: int, *, is_given: bool) -> int:
    """The largest n, or a sentence on what is wrong with it."""
    why = ": how many people an intruder may know"
    asked = min(N, N_MAX) if n_max is None else n_max
    found = parse_whole_number("n_max", asked, least=0, most=LARGEST_N, why=why)
    if N == 0 and n_max != 0:
        who = "with the given levels is left in the table" if is_given else "is left in the table"
        raise InputError(f"No one {who}, so that no one can become known. Use n_max=0.")
    return found


def parse_effort(nodes: Any, seconds: Any) -> tuple[int, float | None]:
    """What box splitting may spend, or a sentence on what is wrong with it."""
    limit = None if seconds is None else parse_number_within("seconds", seconds, "(0, inf)")
    return parse_whole_number("nodes", nodes), limit


def choose_sampling_seed(seed: Any, release: PublishedTable) -> int:
    """The seed of Monte Carlo: that given, that of the release, or a new one."""
    return choose_seed(release.seed if seed is None else seed)


def parse_threshold(threshold: Any) -> float:
    """A probability, or a sentence on what is wrong with it."""
    return parse_number_within("The threshold", threshold, "[0, 1]", ", such as 0.05")


@dataclass(frozen=True, repr=False)
class SapResult(Result):
    """A curve over the number of known people, and what it was made of."""

    record: Sap

    @property
    def fractions(self) -> tuple[Fraction | None, ...]:
        """SAP(0), SAP(1), ... as fractions; None where it is not known exactly."""
        return tuple(None if one is None else Fraction(one) for one in self.record.exact)

    def passes(self, threshold: float) -> int | None:
        """The smallest number of known people at which SAP is certainly above a threshold."""
        limit = parse_threshold(threshold)
        above = (n for n, low in zip(self.record.n, self.record.lower, strict=True) if low > limit)
        return next(above, None)

    def frame(self) -> pl.DataFrame:
        """One row per number of known people."""
        record = self.record
        return pl.DataFrame(
            {
                "n": record.n,
                "exact": pl.Series(record.exact, dtype=pl.String),
                "lower": record.lower,
                "upper": record.upper,
                "all_known": record.all_known,
            }
        )


def sap(
    counts: Any,
    *,
    dims: str | Iterable[str] | None = None,
    levels: Any = None,
    rounding: str | Mapping[str, str] | None = None,
    total: bool = False,
    margins: Any = None,
    constraints: Iterable[Mapping[str, Any]] | None = None,
    structural: Any = None,
    nested: Mapping[str, str] | None = None,
    known: Any = None,
    depth: int | str | None = None,
    given: Any = None,
    n_max: int | None = None,
    published: Any = None,
    seed: int | None = None,
    nodes: int = 20_000,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> SapResult:
    """The probability that n known people, drawn at random, give a zero away; for all n at once.

    Parameters
    ----------
    counts
        A `PublishedTable`, or true counts as `PublishedTable.from_counts` takes them.
    dims, levels, rounding, total, margins, constraints, structural, nested, published
        What is published about the counts, as in `PublishedTable.from_counts`. Without any of them
        the exact table is published; with `constraints` alone only what they say.
    known
        People the intruder knows for certain, beside those drawn: a list of mappings such as
        {"sex": "m", "age": "2"}, of texts such as "sex=m,age=2", or of cell numbers; in a pair
        with a number for several. A person named by some dimensions only is known in part.
    depth
        Zeros in margins of at most so many variables; "all" adds a curve for each number of them.
    given
        Key levels, such as {"sex": "m"}: the zeros, and the people who become known, are among
        those who have them.
    n_max
        The largest number of known people; without it all, but at most 100.
    seed
        Of the draws of a rounding scheme, and of Monte Carlo.
    nodes, seconds
        Boxes that may be split, and time for everything together; where it ends early, the bounds
        are certified all the same.

    Returns
    -------
    SapResult
        `.record` with, for n = 0, 1, ...: exact ("a/b" or None), lower, upper, all_known; and the
        bounds of the cells, the exposed cells, what recovered zeros teach.

    References
    ----------
    Smith and Elliot (2008), sections 2.3 and 3. A zero is recovered in cell i where s_i = c_i and
    no table that fits the release and holds the sample has more there. Erratum: the printed
    general formula reads as if the bounds came from the release alone; the paper's own section
    2.3.2 needs the sample as well. Impossible cells (structural) never count. n beyond the total
    is the total.
    """
    told = dict(rounding=rounding, total=total, margins=margins, constraints=constraints)
    told |= dict(structural=structural, nested=nested, published=published)
    told |= dict(dims=dims, levels=levels)
    asked = {name: one for name, one in told.items() if one is not None and one is not False}
    limits = parse_effort(nodes, seconds)
    effort = Effort(*limits, progress=progress or no_progress).start()
    draws = {} if isinstance(counts, PublishedTable) else {"seed": seed}
    release = release_of(counts, asked | draws)
    grid = release.grid
    people = parse_known(known, grid)
    keys = () if given is None else parse_given_levels(given, grid)
    d = parse_depth(depth, len(grid.dims) - len(keys))
    system = remove_known(release.system, people, grid)
    main = SapQuestion(system, events_at(system, d, keys), chance_at(system, keys))
    last = parse_n_max(n_max, main.N, is_given=bool(keys))
    effort = replace(effort, seed=choose_sampling_seed(seed, release))
    given_away = find_exposed_cells(system, effort.remaining)
    main = replace(main, open_cells=given_away.exposed or (), oracle=given_away.oracle)
    is_by_depth = isinstance(depth, str) and depth == BY_DEPTH
    depths = len(grid.dims) - len(keys) if is_by_depth else 1
    found = compute_curve(main, last, effort.part(1 / depths))
    by_depth = _by_depth(main, keys, last, effort, found) if is_by_depth else ()
    wanted = SapQuery(release, people, keys, d)
    made = record_of(wanted, main, found, by_depth, given_away=given_away, seed=effort.seed)
    return SapResult(made)


def _by_depth(
    main: SapQuestion, keys: GivenLevels, last: int, effort: Effort, whole_table: Curve
) -> tuple[SapDepth, ...]:
    n_free = len(main.system.shape) - len(keys)
    made = []
    for depth in range(1, n_free + 1):
        effort.progress(f"depth {depth}", depth - 1, n_free)
        events = events_at(main.system, depth, keys)
        of_depth = replace(main, events=events)
        part = effort.part(1 / max(1, n_free - depth))
        one = whole_table if depth == n_free else compute_curve(of_depth, last, part)
        made.append(
            SapDepth(
                depth=depth,
                exact=one.fractions,
                lower=one.lower,
                upper=one.upper,
                method=one.method,
                complete=one.complete,
            )
        )
    return tuple(made)
