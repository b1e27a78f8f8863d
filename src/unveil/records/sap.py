"""What `unveil.sap` found: the chance that n known people give a zero away, for every n."""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.version import __version__

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
    """What a zero teaches that the release gives away before anybody more becomes known."""

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


class Sap(Record, frozen=True, kw_only=True):
    """Subtraction-attribution probability of a release: Smith and Elliot 2008."""

    schema: int = SCHEMA
    version: str = __version__
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
    lower: tuple[float, ...]
    upper: tuple[float, ...]
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
    by_depth: tuple[SapDepth, ...]  # depth="all": one curve per number of variables
    taught: SapTaught | None  # None: the time was up
    notes: tuple[str, ...]
