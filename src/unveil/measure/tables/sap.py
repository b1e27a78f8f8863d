"""`unveil.sap`: how likely is it that somebody who knows n people learns that a cell is empty?

Smith and Elliot (2008): the subtraction-attribution probability. Known people are subtracted from
the table, and a cell of which nobody is left, provably, says something about everybody else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError, listed
from unveil.measure.tables.curve import Curve, Effort, Question, curve
from unveil.measure.tables.depth import (
    BY_DEPTH,
    chance_at,
    depth_asked,
    events_at,
)
from unveil.measure.tables.exposure import given_away_by
from unveil.measure.tables.known import known_people, without_known
from unveil.measure.tables.levels_named import Given, key_levels
from unveil.measure.tables.release import Release
from unveil.measure.tables.sap_record import Asked, record_of
from unveil.measure.tables.sap_settings import (
    checked_threshold,
    effort_asked,
    last_asked,
    seed_of,
)
from unveil.records.sap import Sap, SapDepth
from unveil.records.view import Plotted, as_html, as_text


@dataclass(frozen=True)
class SapResult(Plotted):
    """A curve over the number of known people, and what it was made of."""

    record: Sap

    @property
    def fractions(self) -> tuple[Fraction | None, ...]:
        """SAP(0), SAP(1), ... as fractions; None where it is not known exactly."""
        return tuple(None if one is None else Fraction(one) for one in self.record.exact)

    @property
    def lower(self) -> tuple[float, ...]:
        """Certified lower bounds, equal to the upper ones where the figure is exact."""
        return self.record.lower

    @property
    def upper(self) -> tuple[float, ...]:
        """Certified upper bounds."""
        return self.record.upper

    def passes(self, threshold: float) -> int | None:
        """The smallest number of known people at which SAP is certainly above a threshold."""
        limit = checked_threshold(threshold)
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

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """Everything as one JSON document."""
        return self.record.to_json(indent=indent)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


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
        A `Release`, or true counts as `Release.from_counts` takes them.
    dims, levels, rounding, total, margins, constraints, structural, published
        What is published about the counts, as in `Release.from_counts`. Without any of them the
        exact table is published; with `constraints` alone only what they say.
    known
        People the intruder knows for certain, beside those drawn: a list of mappings such as
        {"sex": "m", "age": "2"}, of texts such as "sex=m,age=2", or of cell numbers; in a pair with
        a number for several. Whoever is named by some dimensions only is known in part.
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
    no table that fits the release and holds the sample has more there. Erratum: the printed general
    formula reads as if the bounds came from the release alone; the paper's own section 2.3.2 needs
    the sample as well. Impossible cells (structural) never count. n beyond the total is the total.
    """
    asked = dict(rounding=rounding, total=total, margins=margins, constraints=constraints)
    asked |= dict(structural=structural, published=published, dims=dims, levels=levels)
    limits = effort_asked(nodes, seconds)
    effort = Effort(*limits, progress=progress or silent).started()
    release = counts if isinstance(counts, Release) else _released(counts, asked, seed)
    if counts is release:
        _refuse_asked(asked)
    grid = release.grid
    people = known_people(known, grid)
    keys = () if given is None else key_levels(given, grid)
    d = depth_asked(depth, len(grid.dims) - len(keys))
    system = without_known(release.system, people, grid)
    main = Question(system, events_at(system, d, keys), chance_at(system, keys))
    last = last_asked(n_max, main.N, is_given=bool(keys))
    effort = replace(effort, seed=seed_of(seed, release))
    given_away = given_away_by(system, effort.left)
    main = replace(main, open_cells=given_away.exposed or (), oracle=given_away.oracle)
    is_by_depth = isinstance(depth, str) and depth == BY_DEPTH
    depths = len(grid.dims) - len(keys) if is_by_depth else 1
    found = curve(main, last, effort.part(1 / depths))
    by_depth = (
        _by_depth(main, keys, last, effort, found)
        if isinstance(depth, str) and depth == BY_DEPTH
        else ()
    )
    wanted = Asked(release, people, keys, d)
    made = record_of(wanted, main, found, by_depth, given_away=given_away, seed=effort.seed)
    return SapResult(made)


def _released(counts: Any, asked: dict[str, Any], seed: int | None) -> Release:
    only_facts = asked["constraints"] is not None and asked["rounding"] is None
    return Release.from_counts(counts, **asked, table=not only_facts, seed=seed)


def _refuse_asked(asked: Mapping[str, Any]) -> None:
    beside = [name for name, value in asked.items() if value is not None and value is not False]
    if beside:
        raise SettingsError(
            f"A release says itself what is published; leave out {listed(beside)}, or give the"
            " counts instead."
        )


def _by_depth(
    main: Question, keys: Given, last: int, effort: Effort, whole_table: Curve
) -> tuple[SapDepth, ...]:
    n_free = len(main.system.shape) - len(keys)
    made = []
    for depth in range(1, n_free + 1):
        effort.progress(f"depth {depth}", depth - 1, n_free)
        events = events_at(main.system, depth, keys)
        of_depth = replace(main, events=events)
        part = effort.part(1 / max(1, n_free - depth))
        one = whole_table if depth == n_free else curve(of_depth, last, part)
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
