"""What the measures of tables of counts found: SAP, bounds, audits and rounding."""

from typing import Literal

from unveil.records.base import Record, VersionedRecord

# What `unveil.bounds` and `unveil.audit` found: what a release allows, cell by cell.


Solver = Literal["network", "programme"]


class CellBounds(Record, frozen=True, kw_only=True):
    """One cell: how few and how many people the release allows in it."""

    cell: int  # its number, from 0, the last dimension fastest
    levels: tuple[str, ...]  # its level of each dimension
    lower: int
    upper: int | None  # None: nothing limits it from above
    tightest: bool  # whether both bounds are reached by tables that fit; False: time ran out
    recovered: bool  # no one is in it, and the release discloses that
    structural: bool  # impossible; known to be empty, and no disclosure


class Bounds(VersionedRecord, frozen=True, kw_only=True):
    """Tightest bounds of every cell of a release: Smith and Elliot 2008, section 2.3.3."""

    dims: tuple[str, ...]
    schemes: tuple[tuple[str, str], ...]  # what is published, and how
    of_sample: bool
    cells: tuple[CellBounds, ...]
    n_cells: int
    n_determined: int  # possible cells whose count the release discloses
    n_recovered: int  # of them, those with no one
    n_unbounded: int
    solver: Solver
    n_solves: int
    complete: bool  # whether all bounds are the tightest
    notes: tuple[str, ...]


class AuditedValue(Record, frozen=True, kw_only=True):
    """One suppressed value, and how near the rest of the release leads to it."""

    part: str  # "table", "total", or the dimensions of a margin, joined by commas
    levels: tuple[str | None, ...]  # of each dimension; None where it is summed over
    lower: int
    upper: int | None
    exact: bool  # can be recomputed exactly
    within: bool  # can be estimated within the percentage that was asked for
    percent: (
        float | None
    )  # the largest error, of its count, of one who takes the bounds; None: none
    tightest: bool


class Audit(VersionedRecord, frozen=True, kw_only=True):
    """Whether what a table suppresses can be recomputed from what it publishes."""

    dims: tuple[str, ...]
    schemes: tuple[tuple[str, str], ...]
    of_sample: bool
    protection: float  # the percentage asked for
    rows: tuple[AuditedValue, ...]
    n_suppressed: int
    n_exact: int
    n_exact_unknown: int | None = None  # to a reader who does not know the rule; None: it is said
    n_within: int  # those recomputed exactly among them
    solver: Solver
    complete: bool  # every bound is the tightest: nothing disclosed is overlooked
    notes: tuple[str, ...]


# What `unveil.compare_rounding` found: the risk and the loss of ways to publish, side by side.


class SchemeRow(Record, frozen=True, kw_only=True):
    """One table under one scheme; over draws of the scheme, where it draws."""

    table: str
    scheme: str
    N: int
    n_cells: int
    n_draws: int
    first_risk: int | None  # the smallest n at which `lower` is above 0 in some draw; None: none
    passes: int | None  # the smallest n at which `lower`, the mean over draws, is above threshold
    lower: tuple[float, ...]  # SAP(0..n_max), the mean over draws; certified from below
    upper: tuple[float, ...]
    spread: tuple[float, ...]  # its standard deviation over draws
    complete: bool  # whether every curve is exact
    mean_absolute: float | None  # of published against true cells; None where none is published
    hellinger: float | None
    n_suppressed: float  # cells, the mean over draws


class BandRow(Record, frozen=True, kw_only=True):
    """How many tables have a SAP in each band, for one scheme and one number of known people."""

    scheme: str
    n: int
    zero: int  # exactly 0
    bands: tuple[int, ...]  # above 0 and below 0.1; from 0.1 and below 0.2; ...; from 0.9 below 1
    one: int  # exactly 1
    n_open: int  # counted by their lower bound, for the upper one lies in another band


class SchemeSummary(Record, frozen=True, kw_only=True):
    """All tables under one scheme."""

    scheme: str
    n_tables: int
    first_risk: int | None  # the smallest over tables; earlier, perhaps, where not all is complete
    passes: int | None
    n_passing: int  # tables whose SAP certainly passes the threshold for some n up to n_max
    mean_sap: tuple[float, ...]  # the mean over tables of the lower bounds, for each n
    mean_absolute: float | None  # the mean over tables
    hellinger: float | None


class RoundingComparison(VersionedRecord, frozen=True, kw_only=True):
    """Schemes on one table or on many: Smith and Elliot 2008, section 2.4 and Table 3."""

    schemes: tuple[str, ...]
    margins: tuple[str, ...]  # margins that are published as well, under the same scheme
    total: bool
    n_max: int
    threshold: float
    draws: int  # of schemes that draw
    seed: int | None  # None where nothing was drawn
    n_tables: int
    summaries: tuple[SchemeSummary, ...]
    rows: tuple[SchemeRow, ...]
    bands: tuple[BandRow, ...]
    notes: tuple[str, ...]


# What `unveil.round_table` made of a table of counts: values to publish, and what they lost.
#
# The record is confidential: its seed undoes the draws, and what was lost can betray the counts
# of a small table. What may be published are the values.


class RoundedRow(Record, frozen=True, kw_only=True):
    """One value of the table, of a margin or of the total."""

    part: str  # "table", "total", or the dimensions of a margin, joined by commas
    cell: tuple[str | None, ...]  # its level of each dimension; None where it is summed over
    published: int | None  # None: suppressed
    lower: int  # what the published value says of the true count by itself
    upper: int | None  # None: no bound
    structural: bool  # an impossible cell


class RoundedTable(VersionedRecord, frozen=True, kw_only=True):
    """A table of counts as it may be published, and, confidentially, how far that is from it."""

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


# What `unveil.sap` found: the chance that n known people give a zero away, for every n.


Method = Literal["polynomial", "floating", "boxes"]
LessonKind = Literal["settles", "rules_out_level", "combination_only"]


class SapChance(Record, frozen=True, kw_only=True):
    """Monte Carlo beside certified bounds that are not equal, for one number of known people."""

    n: int
    n_draws: int
    n_risky: int
    estimate: float
    lower: float  # Clopper-Pearson
    upper: float
    tighter: bool  # whether this interval is shorter than that of the certified bounds


class SapDepth(Record, frozen=True, kw_only=True):
    """The curve of zeros that lie in a margin of at most so many variables."""

    depth: int
    exact: tuple[str | None, ...]  # a fraction "a/b", None where it is not known exactly
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    method: Method
    complete: bool


class SapLesson(Record, frozen=True, kw_only=True):
    """What a zero teaches that the release discloses before anybody more becomes known."""

    cell: str
    kind: LessonKind
    variables: tuple[str, ...]  # those it settles, or else those of which it rules out a level


class SapTaughtVariable(Record, frozen=True, kw_only=True):
    """How many recovered zeros teach something about one variable, the others held."""

    variable: str
    settles: int
    rules_out_level: int


class SapTaught(Record, frozen=True, kw_only=True):
    """The recovered zeros of the release (known people taken out), by what they teach at most."""

    n_recovered: int
    settles: int  # given the other variables, one level of a variable is left
    rules_out_level: int
    combination_only: int
    by_variable: tuple[SapTaughtVariable, ...]
    n_people_settled: int  # people whose level of a variable is settled by their others
    lessons: tuple[SapLesson, ...]  # the first of them


class Sap(VersionedRecord, frozen=True, kw_only=True):
    """Subtraction-attribution probability of a release: Smith and Elliot 2008."""

    dims: tuple[str, ...]
    n_levels: tuple[int, ...]
    schemes: tuple[tuple[str, str], ...]  # what is published, and how
    of_sample: bool
    given: tuple[tuple[str, str], ...]  # key levels: who of them becomes known
    known: tuple[tuple[str, int], ...]  # people stated as known, by what is known of them
    depth: int | None  # margins of at most so many variables; None is the whole table
    N: int  # people who can become known: all of the table, less those known, with the key levels
    n: tuple[int, ...]
    exact: tuple[str | None, ...]  # a fraction "a/b", None where it is not known exactly
    lower: tuple[float, ...]  # certified bounds, equal to the upper ones where the figure is exact
    upper: tuple[float, ...]  # certified bounds
    all_known: tuple[bool, ...]  # n is beyond N: the figure is that of N
    first_risk: int | None  # the smallest n whose lower bound is above 0; None up to the last n
    method: Method
    complete: bool  # whether lower and upper agree, but for rounding
    n_nodes: int | None  # boxes looked at; None for the polynomial
    monte_carlo: tuple[SapChance, ...]  # only where not complete
    seed: int | None  # of Monte Carlo and of draws
    cell_bounds: tuple[tuple[int, int | None], ...]  # as published, cell by cell; None is no bound
    total_bounds: tuple[int, int | None] | None  # None where no total is published
    exposed: (
        tuple[int, ...] | None
    )  # recovered as soon as all their people are known; None: no time
    n_unseen: int = 0  # cells of which it is not known whether they can have more: the time was up
    by_depth: tuple[SapDepth, ...]  # depth="all": one curve per number of variables
    taught: SapTaught | None  # None: the time was up
    notes: tuple[str, ...]


# What `unveil.neighbour_sap` found: SAP within every area.


class AreaSap(Record, frozen=True, kw_only=True):
    """SAP among the people of one area."""

    area: str
    people: int  # who can become known; n beyond them has the figure of all of them
    exact: tuple[str | None, ...]  # a fraction "a/b", None where it is not known exactly
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    complete: bool


class NeighbourSap(VersionedRecord, frozen=True, kw_only=True):
    """SAP within each level of a dimension: the largest is the neighbour SAP. Confidential."""

    dims: tuple[str, ...]
    schemes: tuple[tuple[str, str], ...]
    of_sample: bool
    area: str  # the dimension whose levels are areas
    n_areas: int  # with people
    n_empty: int  # without, excluded
    N: int
    n: tuple[int, ...]
    at: int  # known people by which rows are ordered
    worst: tuple[str, ...]  # for each n the area with the largest upper bound
    mean_lower: tuple[float, ...]  # for each n the mean over people
    mean_upper: tuple[float, ...]
    complete: bool
    rows: tuple[AreaSap, ...]  # the worst first; the larger first where they are equal
    notes: tuple[str, ...]


# What `unveil.protect_table` found: which further values to suppress, and what else could be done.


class SuppressedValue(Record, frozen=True, kw_only=True):
    """One suppressed value and its tightest bounds, to a reader who knows the rule."""

    part: str  # "table", "total", or the dimensions of a margin, joined by commas
    levels: tuple[str | None, ...]  # of each dimension; None where it is summed over
    small: bool  # suppressed by the rule; else to protect others
    lower: int
    upper: int | None


class ProtectionOption(Record, frozen=True, kw_only=True):
    """One way to publish the table: what it changes, and what it leaves open."""

    scheme: str
    n_suppressed: int  # cells
    n_changed: int  # published cells that are not their count
    mean_absolute: float | None  # change of a published cell
    narrowest: int | None  # the least distance of the bounds of a small cell
    area: str | None  # the dimension whose levels are areas; None: SAP of the whole table
    n: int  # people known
    lower: float  # SAP, in the worst area if there are areas
    upper: float


class ProtectedTable(VersionedRecord, frozen=True, kw_only=True):
    """A pattern of suppression in which no small count can be worked out. Confidential."""

    dims: tuple[str, ...]
    schemes: tuple[tuple[str, str], ...]
    width: int  # asked for
    cost: str  # count, cells or weights
    n_values: int  # published or suppressed
    n_small: int  # suppressed by the rule
    n_secondary: int  # suppressed to protect them
    n_people: int  # counted in those
    total_cost: float  # of them
    least_cost: float  # no pattern costs less
    proven: bool  # whether none costs less than this one
    narrowest: int | None  # the least distance of the bounds of a small value
    rows: tuple[SuppressedValue, ...]
    options: tuple[ProtectionOption, ...]  # this pattern, then controlled rounding
    notes: tuple[str, ...]
