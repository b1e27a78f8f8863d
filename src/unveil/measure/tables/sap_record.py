"""What was asked of a release and found about it, as the record that leaves the measure."""

from dataclasses import dataclass

from unveil.measure.tables.curve import Curve, Question
from unveil.measure.tables.exposure import GivenAway
from unveil.measure.tables.facts import System
from unveil.measure.tables.grid import TABLE, TOTAL, Grid, pairs
from unveil.measure.tables.known import Known
from unveil.measure.tables.levels_named import Given
from unveil.measure.tables.release import Release
from unveil.measure.tables.schemes import trivial_bounds
from unveil.measure.tables.sums import sums_of
from unveil.measure.tables.teaching import lessons
from unveil.records.sap import Sap, SapDepth, SapLesson, SapTaught, SapTaughtVariable

LESSONS = 100  # as many recovered zeros are described one by one


@dataclass(frozen=True)
class Asked:
    """A release, and the people and the zeros that were asked about."""

    release: Release
    people: tuple[Known, ...]
    keys: Given
    depth: int | None


def record_of(
    asked: Asked,
    main: Question,
    found: Curve,
    by_depth: tuple[SapDepth, ...],
    *,
    given_away: GivenAway,
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
        exposed=given_away.exposed,
        by_depth=by_depth,
        taught=taught(main.system, grid, given_away.recovered),
        notes=release.notes,
    )


def _who(one: Known, grid: Grid) -> str:
    return pairs(
        [grid.dims[dim] for dim, _ in one.levels],
        [grid.levels[dim][place] for dim, place in one.levels],
    )


def _total_bounds(release: Release) -> tuple[int, int | None] | None:
    """What is published of the sum of all cells."""
    values = dict(release.published).get(TOTAL)
    return None if values is None else trivial_bounds(values[0], dict(release.schemes)[TOTAL])


def taught(system: System, grid: Grid, zeros: tuple[int, ...] | None) -> SapTaught | None:
    """What the recovered zeros of a table teach, before anybody more becomes known."""
    if zeros is None:
        return None
    found, n_people = lessons(system, zeros)
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
