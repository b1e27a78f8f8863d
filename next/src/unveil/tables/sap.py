"""`unveil.sap`: can somebody who knows n people be certain that nobody else is in some cell?

Smith and Elliot (2008), *A measure of disclosure risk for tables of counts*, the subtraction
attribution probability: `samples` has the definition, and where print and prose differ.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.arguments import Seed, Texts
from unveil.counts.cells import Ints
from unveil.errors import InputError
from unveil.results import Chart, Count, Heading, Note, Result, Row, Share
from unveil.results.words import count
from unveil.tables.bounds import Seconds
from unveil.tables.call import on_tables
from unveil.tables.known import without_people
from unveil.tables.published import PublishedTable
from unveil.tables.ranges import tighten
from unveil.tables.samples import Curve, Risk
from unveil.tables.system import System

LONGEST, DRAWS = 100, 200  # people of the curve where none are named; orders drawn
ACCEPTED = 0.05  # of the sentence that says where SAP is above it
SETTLES, RULES_OUT, COMBINATION = (
    "settles a variable", "rules out a level", "rules out a combination",
)  # fmt: skip

LESSONS = {
    SETTLES: "settle a variable", RULES_OUT: "rule out a level",
    COMBINATION: "rule out a combination",
}  # fmt: skip


class CurveRow(Row, frozen=True):
    """The risk when so many people are known."""

    people: Annotated[int, Count("people known, drawn at random")]
    of: Annotated[int, Count("people they are drawn from")]
    SAP: Annotated[
        float, Share("chance that some zero is recovered; drawn, where it is not exact",
                     "Smith and Elliot 2.3")
    ]  # fmt: skip
    lower: Annotated[float, Share("certified lower bound; SAP where it is exact")]
    upper: Annotated[float, Share("certified upper bound")]


class DepthRow(Row, frozen=True):
    """The same where only zeros in margins of so many variables count."""

    depth: Annotated[int, Count("variables of a margin, at most")]
    people: Annotated[int, Count("people known, drawn at random")]
    SAP: Annotated[
        float, Share("chance that a zero there is recovered; an upper bound, if not exact",
                     "Smith and Elliot 3", limited=True)
    ]  # fmt: skip

    @property
    def subject(self) -> str:
        return f"depth={self.depth}"


class LessonRow(Row, frozen=True):
    """What a zero teaches that is recovered before anyone more is known."""

    levels: tuple[str, ...]
    kind: str
    variables: tuple[str, ...]


class Sap(Result, frozen=True, kw_only=True):
    """The subtraction attribution probability of a published table."""

    title: ClassVar[str] = "Disclosure risk of the table"
    drawings: ClassVar[dict[str, Chart]] = {
        "sap": Chart(
            spec="sap", table="curve", title="SAP by the number of people known",
            columns={"label": "people", "value": "SAP", "low": "lower", "high": "upper"},
        )
    }  # fmt: skip

    curve: Annotated[tuple[CurveRow, ...], Heading("SAP by people known")]
    depths: Annotated[tuple[DepthRow, ...], Heading("SAP by depth")]
    lessons: Annotated[tuple[LessonRow, ...], Heading("What zeros teach that can be told now")]

    @property
    def next(self) -> str:
        return "curve"

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*self._risk(), *self._lessons())

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences

    def _risk(self) -> Iterator[str]:
        whom, population = self.settings["unit"], self.curve[0].of
        given, known = self.settings.get("given"), self.settings.get("known")
        of = f"{count(population)} {whom}" + (f" with {given}" if given else "")
        more = "more " if known else ""
        if self.curve[0].lower == 1:
            yield (
                "An empty cell can be told without knowing anyone"
                f"{' more' if known else ''}: SAP is 1 for any number of {whom} known."
            )
            return
        never = max((row.people for row in self.curve if row.upper == 0), default=None)
        first = self.curve[never + 1] if never is not None and never + 1 < len(self.curve) else None
        if never and never >= population:
            yield f"Nobody can be certain that a cell is empty, whoever of the {of} is known."
            return
        if never:
            yield (
                f"An intruder who knows any {never:,} {more}of the {of} can never be certain that"
                " some combination applies to none of the others."
            )
        last = self.curve[-1] if self.curve[-1].people < population else None
        for row in dict.fromkeys(row for row in (first, last) if row and row.upper > 0):
            yield (
                f"An intruder who knows {row.people:,} {more}of the {of}, drawn at random, can"
                f" {_chance(row)} be certain that some combination applies to none of the others."
            )
        above = next((row.people for row in self.curve if row.lower > ACCEPTED), None)
        if above is not None:
            yield f"SAP is above {ACCEPTED:g} from {known_people(above)} on."

    def _lessons(self) -> Iterator[str]:
        for kind in (SETTLES, RULES_OUT, COMBINATION):
            rows = [row for row in self.lessons if row.kind == kind]
            if rows:
                n = len({row.levels for row in rows})
                example = ", ".join(rows[0].levels)
                on = f" ({' and '.join(rows[0].variables)})" if rows[0].variables else ""
                verb = kind if n == 1 else LESSONS[kind]
                yield (
                    f"{count(n)} cell{'s'[: n != 1]} that can be told to be empty {verb}, such as"
                    f" {example}{on}."
                )


def _chance(row: CurveRow) -> str:
    if row.lower == row.upper:
        return f"with probability {_share(row.SAP)}"
    return (
        f"with a probability from {_share(row.lower)} to {_share(row.upper)} (drawn:"
        f" {_share(row.SAP)})"
    )


def known_people(n: int) -> str:
    return f"{n:,} known {'person' if n == 1 else 'people'}"


def _share(value: float) -> str:
    return "1" if value == 1 else "less than 0.001" if 0 < value < 0.001 else f"{value:.3f}"


@on_tables
def sap(
    table: PublishedTable, *, known: Texts = (), given: str | None = None,
    people: Annotated[int, Meta(ge=0, le=5000)] | None = None, seconds: Seconds = 60,
    seed: Seed = None,
) -> Sap:  # fmt: skip
    """Measure how likely somebody who knows n people can tell that a cell has no others.

    Parameters
    ----------
    table
        The table with its true counts, and what is published of it.
    known
        People who are known for certain, in full or in part: sex=m,age=2 or 3 sex=m.
    given
        Whose zeros, and which people become known: region=Ash.
    people
        The most people who are known, drawn at random; by default all, up to 100.
    seconds
        The time that may be spent; where it ends, bounds are given, and a sample between.
    seed
        Of that sample.
    """
    start = time.monotonic()
    system = without_people(table, known)
    levels = table.parse_levels(given, "given")[1] if given is not None else {}
    assert system.truth is not None
    counts = np.round(system.truth[: table.size]).astype(np.int64)
    chance = np.zeros(table.size, np.int64)
    inside = table.under(levels)
    chance[inside] = counts[inside]
    population = int(chance.sum())
    if not population:
        raise InputError(f"There are no {table.unit} whom 'table' counts there ('given', 'known').")
    last = min(population, LONGEST) if people is None else people
    free = max(len(table.dims) - len(levels), 1)

    def risk(depth: int) -> Risk:
        return Risk(system, table.events(depth, levels), chance, last)

    deepest = risk(free)
    curve = deepest.curve(until=start + 0.6 * seconds)
    drawn = None
    if not curve.is_exact:
        rng = np.random.default_rng(seed)
        drawn = deepest.draw(DRAWS, rng, start + 0.8 * seconds)
    rows = _curve_rows(curve, drawn, population, last)
    depths = [*_depth_rows(free, curve, last)]
    for depth in range(free - 1, 0, -1):
        own = risk(depth).curve(until=start + seconds)
        depths = [*_depth_rows(depth, own, last), *depths]
    lessons = _lessons(table, system, inside, seconds)
    late = (
        "The search ended before SAP was exact: lower and upper bounds hold for certain, SAP"
        f" is of {DRAWS} drawn orders at most, and its depths are upper bounds. Give it more"
        " seconds."
    )
    notes = (Note(about="sap", sentence=late),) if drawn is not None else ()
    return Sap(curve=rows, depths=tuple(depths), lessons=lessons, notes=notes)


def _curve_rows(
    curve: Curve, drawn: Sequence[float] | None, population: int, last: int
) -> tuple[CurveRow, ...]:
    """More people than there are: all are known."""
    rows = []
    for n in range(last + 1):
        at = min(n, len(curve.lower) - 1)
        lower, upper = float(curve.lower[at]), float(curve.upper[at])
        SAP = min(max(drawn[at], lower), upper) if drawn else upper
        rows.append(CurveRow(people=n, of=population, SAP=SAP, lower=lower, upper=upper))
    return tuple(rows)


def _depth_rows(depth: int, curve: Curve, last: int) -> Iterator[DepthRow]:
    for n in range(last + 1):
        yield DepthRow(depth=depth, people=n, SAP=float(curve.upper[min(n, len(curve.upper) - 1)]))


def _lessons(
    table: PublishedTable, system: System, inside: Ints, seconds: float
) -> tuple[LessonRow, ...]:
    """By looking along every variable through each zero that is recovered."""
    assert system.truth is not None
    empty = np.flatnonzero((system.truth[: table.size] == 0) & ~table.impossible)
    upper = tighten(system, empty, need_high=1.0, seconds=seconds).upper
    zeros = empty[upper == 0]
    is_zero = np.isin(np.arange(table.size), zeros) | table.impossible
    is_zero = is_zero.reshape(table.shape)
    names, rows = table.levels_of(table.dims), []
    for cell in zeros[np.isin(zeros, inside)].tolist():
        place = np.unravel_index(cell, table.shape)
        left = {}
        for axis, dim in enumerate(table.dims):
            line = is_zero[tuple(slice(None) if a == axis else p for a, p in enumerate(place))]
            left[dim] = int((~line).sum())
        settled = tuple(dim for dim, n in left.items() if n == 1)
        ruled = tuple(dim for dim, n in left.items() if n > 1)
        kinds = {SETTLES: settled, RULES_OUT: ruled}
        kinds = {kind: dims for kind, dims in kinds.items() if dims} or {COMBINATION: ()}
        rows += [
            LessonRow(levels=names[cell], kind=kind, variables=dims) for kind, dims in kinds.items()
        ]
    return tuple(rows)
