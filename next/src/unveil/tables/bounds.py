"""`unveil.bounds`: how many people can be in each cell, by all that is published together?

Smith and Elliot (2008), section 2.3.3 and Figures 3 to 6.
"""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.results import Chart, Count, Figure, Heading, Note, Result, Row
from unveil.results.units import Truth
from unveil.results.words import are, count
from unveil.tables.call import on_tables
from unveil.tables.published import PublishedTable
from unveil.tables.ranges import tighten
from unveil.tables.system import system_of

Seconds = Annotated[float, Meta(gt=0)]


class BoundsRow(Row, frozen=True):
    """One value: what it says by itself, and what all values say of it together."""

    part: str
    levels: tuple[str, ...]
    published: Annotated[Figure, Count("the value; empty where it is hidden or an interval")]
    lower: Annotated[float, Count("fewest people, by the value alone", "Smith and Elliot 2.2")]
    upper: Annotated[Figure, Count("most people, by the value alone; empty: no bound")]
    tightest_lower: Annotated[
        float, Count("fewest people, by all values", "Smith and Elliot 2.3.3")
    ]
    tightest_upper: Annotated[Figure, Count("most people, by all values; empty: no bound")]
    recovered: Annotated[
        bool, Truth("all values together tell the count, and its own does not", limited=True)
    ]
    suppressed: Annotated[bool, Truth("the value is hidden")]
    structural: Annotated[bool, Truth("nobody can be there")]


class Bounds(Result, frozen=True, kw_only=True):
    """What the published values of a table tell of each count."""

    title: ClassVar[str] = "What the published table tells of its counts"
    drawings: ClassVar[dict[str, Chart]] = {
        "bounds": Chart(
            spec="bounds", table="values", title="Fewest and most people",
            columns={"label": "levels", "group": "part", "low": "lower", "high": "upper",
                     "least": "tightest_lower", "most": "tightest_upper"},
        )
    }  # fmt: skip

    values: Annotated[
        tuple[BoundsRow, ...],
        Heading(
            "Fewest and most people of each value",
            ("part", "levels", "published", "tightest_lower", "tightest_upper", "recovered"),
            True,
        ),
    ]  # fmt: skip

    @property
    def sentences(self) -> tuple[str, ...]:
        cells = [row for row in self.values if row.part == "table" and not row.structural]
        empty = [row for row in cells if row.tightest_upper == 0 and row.upper != 0]
        zeros = [row for row in cells if row.tightest_upper == 0]
        shown = [row for row in cells if row.published == 0]
        sentences = []
        if zeros:
            sentence = (
                f"Readers can tell that {count(len(zeros))} {_cells(len(zeros))} {are(len(zeros))}"
                " empty, without knowing anyone"
            )
            inferred = f": {len(empty):,} of them only from all values together" if empty else ""
            sentences.append(f"{sentence}{inferred}.")
        if open_ := [row for row in shown if row.tightest_upper != 0]:
            verb = "one of them need" if len(open_) == 1 else f"{len(open_):,} of them need"
            sentences.append(
                f"The table shows {count(len(shown))} zero{'s'[: len(shown) != 1]}; {verb} not be"
                " empty."
            )
        few = sum(row.tightest_lower == row.tightest_upper in (1, 2) for row in cells)
        if few:
            sentences.append(
                f"Readers can tell that {few:,} {_cells(few)} {has(few)} 1 or 2 people."
            )
        changed = [
            row for row in self.values if not row.structural
            and (row.suppressed or row.published is None or row.lower != row.upper)
        ]  # fmt: skip
        if not changed:
            return (*sentences, "Every value is published as it is.")
        for rows, what in (
            ([row for row in changed if row.suppressed], "hidden"),
            ([row for row in changed if not row.suppressed], "changed"),
        ):
            told = sum(row.recovered for row in rows)
            verb = "is" if told == 1 else "are"
            if rows:
                sentences.append(
                    f"{count(told) if told else 'None'} of the {count(len(rows))} {what} values"
                    f" {verb} told exactly by all that is published."
                )
        return tuple(sentences)

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences


def has(n: int) -> str:
    return "has" if n == 1 else "have"


def _cells(n: int) -> str:
    return "cell" if n == 1 else "cells"


@on_tables
def bounds(table: PublishedTable, *, seconds: Seconds = 60) -> Bounds:
    """Find the fewest and the most people that each count of a published table can be.

    Parameters
    ----------
    table
        The table, and what is published of it.
    seconds
        The time that may be spent; bounds hold whenever it ends.
    """
    parts = dict.fromkeys([table.dims, *table.parts])
    groups = {part: [tuple(cells.tolist()) for cells in table.groups(part)] for part in parts}
    every = ((cells, 0.0, np.inf) for of_part in groups.values() for cells in of_part)
    system = system_of(table.size, [*table.facts(), *every], table.counts)
    figures = np.array([system.figure_of[cells] for part in groups for cells in groups[part]])
    ranges = tighten(system, figures, seconds=seconds)
    rows, place = [], 0
    for part, of_part in groups.items():
        values = table.parts.get(part)
        for number, (cells, levels) in enumerate(zip(of_part, table.levels_of(part), strict=True)):
            own = (np.nan, 0.0, np.inf)
            if values is not None:
                own = values.shown[number], values.lower[number], values.upper[number]
            shown, lower, upper = map(_figure, own)
            least, most = _figure(ranges.lower[place]), _figure(ranges.upper[place])
            is_interval = values is not None and bool(values.is_pair[number])
            is_structural = bool(table.impossible[list(cells)].all())
            rows.append(BoundsRow(
                part=table.part_name(part), levels=levels, published=shown,
                lower=lower or 0.0, upper=upper, tightest_lower=least or 0.0, tightest_upper=most,
                recovered=least == most and lower != upper and not is_structural,
                suppressed=shown is None and not is_interval, structural=is_structural,
            ))  # fmt: skip
            place += 1
    loose = int((~ranges.is_tight).sum())
    late = f"Time ended: the bounds of {loose:,} values hold, but may be wider than they need be."
    notes = (Note(about="bounds", sentence=late),) if loose else ()
    return Bounds(values=tuple(rows), notes=notes)


def _figure(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
