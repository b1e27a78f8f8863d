"""`unveil.compare_rounding`: which way to publish counts gives least away, and what does it cost?

Smith and Elliot (2008), section 2.4: SAP of many tables under a rounding scheme, in bands.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError
from unveil.measure.confidentiality.settings import seed_asked
from unveil.measure.tables.batch import UNBOUNDED, Tables, curves
from unveil.measure.tables.curve import Effort, Question, curve
from unveil.measure.tables.design_record import Drawn, Settings, comparison
from unveil.measure.tables.design_tables import Named, of_people, tables_given
from unveil.measure.tables.grid import TABLE, TOTAL, Counts, flag, whole
from unveil.measure.tables.publishing import changed, stream
from unveil.measure.tables.release import made
from unveil.measure.tables.said import structural_cells
from unveil.measure.tables.sap_settings import LARGEST_N, checked_threshold, effort_asked
from unveil.measure.tables.schemes import Published, Scheme, parse_scheme, trivial_bounds
from unveil.measure.tabular import RowsResult
from unveil.read.given import is_list, shown
from unveil.records.design import RoundingComparison

MOST_DRAWS = 10_000


@dataclass(frozen=True, repr=False)
class Comparison(RowsResult[RoundingComparison]):
    """Schemes side by side: a row per table and scheme, bands, and curves."""

    def bands(self) -> pl.DataFrame:
        """How many tables have a SAP in each band, as the paper's Table 3: one row per n."""
        names = [f"{low / 10:.1f}-{(low + 1) / 10:.1f}" for low in range(10)]
        return pl.DataFrame(
            [
                {"scheme": row.scheme, "n": row.n, "=0": row.zero}
                | dict(zip(names, row.bands, strict=True))
                | {"=1": row.one, "open": row.n_open}
                for row in self.record.bands
            ]
        )

    def curves(self) -> pl.DataFrame:
        """SAP by table, scheme and n, in long form."""
        return (
            self.frame()
            .select("table", "scheme", "lower", "upper", "spread")
            .with_columns(n=pl.lit(list(range(self.record.n_max + 1))))
            .explode("n", "lower", "upper", "spread")
        )


def compare_rounding(
    tables: Any,
    schemes: str | Iterable[str],
    *,
    n_max: int = 24,
    threshold: float = 0.05,
    total: bool = False,
    margins: Any = None,
    structural: Any = None,
    area: str | None = None,
    dims: str | Iterable[str] | None = None,
    count: str | None = None,
    draws: int = 20,
    seed: int | None = None,
    nodes: int = 20_000,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare rounding schemes on one table or on many, before anything is published.

    Parameters
    ----------
    tables
        One table of counts (nested lists, an array, a mapping from cells to counts, a release, a
        frame or file); or many: a list of arrays, releases or files, a mapping from names to
        tables, or a folder of files.
    schemes
        One or several of the schemes of `unveil.round_table`.
    n_max, threshold
        The largest number of known people, and the SAP that is not to be passed.
    total, margins, structural
        What else is published, under the same scheme, and which cells are impossible: as in
        `unveil.Release.from_counts`, for every table.
    area, dims, count
        Of a frame or file in long form: the column with one table for each of its levels, those
        that make the tables, and that of the counts.
    draws, seed
        How often a scheme that draws is drawn for every table; its figures are means over draws.
    nodes, seconds
        As in `unveil.sap`, for each curve.

    Returns
    -------
    Comparison
        `.rows`, one per table and scheme: SAP for every n, the smallest n at which it leaves 0 and
        at which it passes the threshold, mean absolute and Hellinger distance of what is published
        from the truth; `.bands()`, the paper's Table 3; `.curves()`.

    References
    ----------
    Smith and Elliot (2008), section 2.4. Bands are closed on the left: 0.1 is in 0.1-0.2. n beyond
    the people of a table is all of them, as in the printed table.
    """
    chosen = _schemes(schemes)
    every_table = tables_given(tables, area=area, dims=dims, count=count)
    named, notes = of_people(every_table, n_max)
    settings = Settings(
        n_max=_whole(n_max, "n_max", 0, LARGEST_N),
        threshold=checked_threshold(threshold),
        total=flag(total, TOTAL),
        draws=_whole(draws, "draws", 1, MOST_DRAWS),
        seed=secrets.randbits(53) if seed is None else seed_asked(seed),
    )
    publish = dict(total=settings.total, margins=margins, structural=structural)
    effort = Effort(*effort_asked(nodes, seconds), settings.seed, silent)
    report = progress or silent
    drawn: dict[str, list[list[Drawn]]] = {}
    for place, scheme in enumerate(chosen):
        report(f"measuring {scheme.text}", place, len(chosen))
        times = settings.draws if scheme.draws else 1
        every = [
            _draw(named, scheme, draw, settings=settings, publish=publish, effort=effort)
            for draw in range(times)
        ]
        drawn[scheme.text] = [list(of_table) for of_table in zip(*every, strict=True)]
    asked = next(iter(named.values()))[0].margins(margins)
    parts = tuple(",".join(one) for one in asked)
    return Comparison(comparison(named, drawn, settings, margins=parts, notes=notes))


def _schemes(given: Any) -> tuple[Scheme, ...]:
    texts = list(given) if is_list(given) else [given]
    if not texts:
        raise SettingsError("No rounding scheme is given. Write one, such as conventional:5.")
    return tuple(dict.fromkeys(parse_scheme(one) for one in texts))


def _whole(given: Any, what: str, least: int, most: int) -> int:
    found = whole(given)
    if found is None or not least <= found <= most:
        raise SettingsError(
            f"{what} is {shown(given)}. It must be a whole number from {least} to {most:,}."
        )
    return found


def _draw(
    named: Named,
    scheme: Scheme,
    draw: int,
    *,
    settings: Settings,
    publish: dict[str, Any],
    effort: Effort,
) -> list[Drawn]:
    """One draw of a scheme on every table."""
    # A stream for each draw and table, whatever other tables stand beside it.
    seeds = [_seed(settings.seed, draw, place) for place in range(len(named))]
    found: list[Drawn | None] = [None] * len(named)
    if publish["margins"] is None and scheme.kind not in ("controlled", "interval"):
        found = _together(named, scheme, seeds, settings, publish["structural"])
    for place, (grid, counts) in enumerate(named.values()):
        if found[place] is None:
            release = made(grid, counts, rounding=scheme.text, **publish, seed=seeds[place])
            question = Question(release.system)
            one = curve(question, settings.n_max, effort)
            values = dict(release.published)[TABLE]
            found[place] = Drawn(np.array(one.lower), np.array(one.upper), values, one.complete)
    return [one for one in found if one is not None]


def _seed(seed: int, draw: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, draw, place]).generate_state(1, np.uint64)[0] >> 11)


def _together(
    named: Named, scheme: Scheme, seeds: Sequence[int], settings: Settings, structural: Any
) -> list[Drawn | None]:
    """Tables of equally many cells in one go; None where whole numbers would grow too large."""
    places: dict[int, list[int]] = {}
    every = list(named.values())
    for place, (_, counts) in enumerate(every):
        places.setdefault(len(counts), []).append(place)
    found: list[Drawn | None] = [None] * len(every)
    for alike in places.values():
        counts = np.stack([every[place][1] for place in alike])
        chosen = [seeds[place] for place in alike]
        published = _published(counts, scheme, chosen, TABLE)
        lo, hi = _bounds(published, scheme, counts.shape)
        possible = np.ones(counts.shape, dtype=bool)
        for row, place in enumerate(alike if structural is not None else ()):
            possible[row, sorted(structural_cells(every[place][0], structural, counts[row]))] = (
                False
            )
        total_hi = None
        if settings.total:
            sums = counts.sum(axis=1, keepdims=True)
            totals = _published(sums, scheme, chosen, TOTAL)
            total_hi = _bounds(totals, scheme, sums.shape)[1][:, 0]
        values, sure = curves(Tables(counts, lo, hi, total_hi, possible), settings.n_max)
        width = counts.shape[1]
        for row, place in enumerate(alike):
            if sure[row]:
                cells = published[row * width : (row + 1) * width]
                found[place] = Drawn(values[row], values[row], cells, complete=True)
    return found


def _published(
    counts: Counts, scheme: Scheme, seeds: Sequence[int], part: str
) -> tuple[Published, ...]:
    """What is published of every row, one after the other."""
    if not scheme.draws:
        return changed(counts.reshape(-1), scheme, stream(0, part))
    rows = zip(counts, seeds, strict=True)
    return tuple(one for row, seed in rows for one in changed(row, scheme, stream(seed, part)))


def _bounds(
    published: Sequence[Published], scheme: Scheme, shape: tuple[int, ...]
) -> tuple[Counts, Counts]:
    @cache
    def of(value: Published) -> tuple[int, int]:
        lo, hi = trivial_bounds(value, scheme)
        return lo, UNBOUNDED if hi is None else hi

    found = np.array([of(value) for value in published], np.int64).reshape(*shape, 2)
    return found[..., 0], found[..., 1]
