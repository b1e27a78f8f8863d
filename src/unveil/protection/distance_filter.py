"""`unveil.distance_filter`: remove synthetic rows that resemble a person too closely.

Chapelle and Falissard (paper 004), Algorithm 1: a synthetic row goes if it is closer to its nearest
original than that original is to any other. Whoever finds themselves in the copy could then be told
that a real person resembles them even more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.count.kinds import kind_of_series
from unveil.errors import ReadError, RolesError, SettingsError, list_names
from unveil.io.table import Labelled, Table
from unveil.measure.roles.person import choose_people
from unveil.models.neighbours.coding import PersonSequences, sequences_of
from unveil.models.neighbours.distances import is_closer
from unveil.models.neighbours.missing import MOST_CHOICES
from unveil.models.neighbours.settings import DistanceSettings
from unveil.models.neighbours.space import PreparedSpace, prepare_space
from unveil.records.codebook import Variable
from unveil.records.protection import DistanceFilter, Refill, Shift
from unveil.study.people import People, check_person
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import OpenFiles, Study, open_files
from unveil.study.take_study import takes_study
from unveil.view.format import and_list, percent, truncate
from unveil.view.show import Result

# What did the filter do to the copy? Means, shares and missing values before and after.
#
# The rows kept are a selected sample: paper 004 saw outlying values favoured, for they are far
# from everyone.


LARGE = 0.1
"""A mean or a share that moved by so many standard deviations is worth a warning."""

MISSING = 0.05
CHANCE = 3.0
"""But not if chance alone, in a sample of that size, would move it a third as far."""

_MOST_LEVELS = 1000


class _ColumnShift(NamedTuple):
    """What one column says before and after."""

    level: str | None = None
    before: float | None = None
    after: float | None = None
    difference: float | None = None


def shifts(frame: pl.DataFrame, keep: Mask, original: Table) -> tuple[Shift, ...]:
    """Each column of a copy before and after the filter."""
    kept = pl.Series(keep)
    n, n_kept = len(keep), int(keep.sum())
    chance = CHANCE * np.sqrt(max(1 / n_kept - 1 / n, 0.0)) if n_kept else np.inf
    known = original.variables
    return tuple(
        _shift(name, (frame[name].alias(""), kept), known.get(name), float(chance))
        for name in frame.columns
    )


def _shift(
    name: str, rows: tuple[pl.Series, pl.Series], variable: Variable | None, chance: float
) -> Shift:
    series, kept = rows
    after = series.filter(kept)
    is_amount = kind_of_series(series, variable) == "number"
    is_number = series.dtype == pl.Boolean or (series.dtype.is_numeric() and is_amount)
    moved = _number(series, after) if is_number else _category(series, after)
    missing = (_missing(series), _missing(after))
    return Shift(
        column=name,
        kind="number" if is_number else "category",
        level=moved.level,
        before=moved.before,
        after=moved.after,
        difference=moved.difference,
        missing_before=missing[0],
        missing_after=missing[1],
        is_large=_is_large(moved.difference, missing, chance),
    )


def _is_large(
    difference: float | None, missing: tuple[float | None, float | None], chance: float
) -> bool:
    if difference is not None and abs(difference) > max(LARGE, chance):
        return True
    before, after = missing
    if before is None or after is None:
        return False
    spread = np.sqrt(max(before * (1 - before), 1e-12))
    return bool(abs(after - before) > max(MISSING, chance * spread))


def _missing(series: pl.Series) -> float | None:
    return float(_is_missing(series).mean()) if len(series) else None  # type: ignore[arg-type]


def _is_missing(series: pl.Series) -> pl.Series:
    return series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()


def _number(series: pl.Series, after: pl.Series) -> _ColumnShift:
    """Means, and their difference in standard deviations."""
    before, kept = (
        side.filter(~_is_missing(side)).cast(pl.Float64).to_numpy() for side in (series, after)
    )
    with np.errstate(all="ignore"):
        means = [float(part.mean()) if len(part) else None for part in (before, kept)]
        spread = float(before.std(ddof=1)) if len(before) > 1 else 0.0
    means = [mean if mean is not None and np.isfinite(mean) else None for mean in means]
    known = means[0] is not None and means[1] is not None and np.isfinite(spread) and spread > 0
    difference = (means[1] - means[0]) / spread if known else None  # type: ignore[operator]
    return _ColumnShift(None, means[0], means[1], difference)


def _category(series: pl.Series, after: pl.Series) -> _ColumnShift:
    """The level whose share among the answers moved most, in standard deviations."""
    texts = [side.drop_nulls().cast(pl.String) for side in (series, after)]
    if not all(map(len, texts)) or texts[0].n_unique() > _MOST_LEVELS:
        return _ColumnShift()
    counts = [text.alias("level").value_counts(name="n") for text in texts]
    both = counts[0].join(counts[1], on="level", how="left", suffix="_after").sort("level")
    before = both["n"].to_numpy() / len(texts[0])
    share = both["n_after"].fill_null(0).to_numpy() / len(texts[1])
    spread = np.sqrt(before * (1 - before))
    moved = np.divide(share - before, spread, out=np.zeros_like(spread), where=spread > 0)
    most = int(np.argmax(np.abs(moved)))
    shares = (float(before[most]), float(share[most]))
    return _ColumnShift(both["level"][most], *shares, float(moved[most]))


def shift_warnings(found: Iterable[Shift]) -> list[str]:
    """A warning where the filter moved what the copy says."""
    large = [shift.column for shift in found if shift.is_large]
    if not large:
        return []
    was = "was" if len(large) == 1 else "were"
    return [
        f"{and_list(large)} {was} shifted by the filter: a mean or share by more than"
        f" {LARGE:g} standard deviations, or missing values by more than"
        f" {percent(100 * MISSING)}. See shifts for before and after."
    ]


# The result of `unveil.distance_filter`: what was kept, and beside it the figures of each row.
#
# What belongs to single rows is confidential: it says which original a synthetic row is near to.
# No view shows it; it is asked for by name, or with `.to_dict()`.


@dataclass(frozen=True, eq=False)
class ComparedUnits:
    """What is compared: the rows of two tables, or their people with all their rows."""

    tables: Sequence[Table]
    people: People | None = None
    sequences: Sequence[PersonSequences] | None = None
    time: str | None = None
    is_labelled: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class DistanceFilterResult(Result):
    """The rows kept, and for each synthetic row why; with `time`, for each person with their rows.

    `nearest` is the place of the nearest original (the first of those tied), `d_synthetic` the
    distance to it, `d_original` the distance of that original to its nearest other original. With
    ties "any" a row is compared with the largest such distance among the originals tied: `limit`.

    The record is made when it is first asked for: to say how many of the rows kept the strict rule
    would refuse takes a search of its own, which nobody waits for who wants the rows alone.
    """

    keep: Mask
    nearest: Ints
    d_synthetic: Floats
    d_original: Floats
    limit: Floats
    _prepared: PreparedSpace
    _settings: DistanceSettings
    _compared: ComparedUnits

    @cached_property
    def keep_rows(self) -> Mask:
        """Which rows of the copy are kept: a person's are, or are not, together."""
        people = self._compared.sequences
        return self.keep if people is None else self.keep[people[1].of_row]

    @cached_property
    def near_people(self) -> Ints | None:
        """Numbers of the people whose row is nearest to a refused one; None without people."""
        people, near = self._compared.people, self.nearest[~self.keep]
        if people is None:
            return None
        whose = near if self._compared.sequences is not None else people.of_row[near]
        return np.unique(whose).astype(np.int64)

    @cached_property
    def data(self) -> pl.DataFrame | Labelled:
        """The rows kept, with all columns of the copy, in its order."""
        table = self._compared.tables[1]
        frame = table.frame.filter(pl.Series(self.keep_rows))
        if self._compared.is_labelled and table.codebook is not None:
            return Labelled(frame, table.codebook)
        return frame

    @property
    def original(self) -> Table:
        """The original that distances are taken to."""
        return self._compared.tables[0]

    @property
    def n_kept(self) -> int:
        """How many rows are kept, or people."""
        return int(self.keep.sum())

    @property
    def acceptance(self) -> float | None:
        """The share of rows kept; None of no rows."""
        return self.n_kept / len(self.keep) if len(self.keep) else None

    @cached_property
    def refused_by_strict(self) -> Mask:
        """Which of all rows are kept, but would be refused by the strict rule."""
        refused = np.zeros(len(self.keep), bool)
        if self._settings.rule == "paper":
            rows = np.flatnonzero(self.keep)
            refused[rows] = self._prepared.space.within(rows)
        return refused

    @cached_property
    def record(self) -> DistanceFilter:
        """What was done, in figures over all rows."""
        settings, found = self._settings, self._prepared
        tables, people = self._compared.tables, self._compared.people
        n_strict = int(self.refused_by_strict.sum())
        moved = shifts(tables[1].frame, self.keep_rows, tables[0])
        return DistanceFilter(
            files=tuple(table.source for table in tables),
            metric=settings.metric,
            rule=settings.rule,
            ties=settings.ties,
            missing=settings.fill,
            columns=tuple(column.column for column in found.used),
            used=found.used,
            dropped_columns=found.dropped,
            condition=found.condition,
            n_original=tables[0].frame.height,
            person=None if people is None else people.record,
            time=self._compared.time,
            n_people_near=None if self.near_people is None else len(self.near_people),
            n_synthetic=len(self.keep),
            n_incomplete_original=found.n_incomplete[0],
            n_incomplete_synthetic=found.n_incomplete[1],
            n_kept=self.n_kept,
            acceptance=self.acceptance,
            n_refused_by_strict=n_strict,
            share_refused_by_strict=n_strict / self.n_kept if self.n_kept else None,
            n_close_unfiltered=close_unfiltered(self.n_kept, self.acceptance),
            shifts=moved,
            warnings=(*warnings_of(self), *shift_warnings(moved)),
            coercions=found.notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the figures of each row among it: confidential."""
        per_row = ("d_synthetic", "d_original", "limit")
        return {
            **self.record.to_dict(),
            "keep": self.keep.tolist(),
            "nearest": self.nearest.tolist(),
            **{name: _finite(getattr(self, name)) for name in per_row},
        }

    def frame(self) -> pl.DataFrame:
        """One row for each synthetic row: confidential."""
        return pl.DataFrame(
            {
                "keep": self.keep,
                "nearest": self.nearest,
                "d_synthetic": pl.Series(_finite(self.d_synthetic), dtype=pl.Float64),
                "d_original": pl.Series(_finite(self.d_original), dtype=pl.Float64),
                "limit": pl.Series(_finite(self.limit), dtype=pl.Float64),
            }
        )


def close_unfiltered(n_rows: int, acceptance: float | None) -> float | None:
    """Rows that the rule refuses in a file of this length without the filter, on average."""
    return None if acceptance is None else n_rows * (1 - acceptance)


def _finite(values: Floats) -> list[float | None]:
    """The values as a list; None where there is no distance."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def warnings_of(result: DistanceFilterResult) -> list[str]:
    """What to know about the rows compared, before what the filter did to them."""
    found = []
    n_original, time = result.original.frame.height, result._compared.time
    if n_original == 1:
        found.append("The original has one row, which has no neighbour: every row is refused.")
    elif time is not None:
        found.append(_SEQUENCES.format(truncate(time)))
    elif any(result._prepared.n_incomplete) and result._settings.fill == "pattern":
        found.append(_by_pattern(result, n_original))
    elif result._prepared.n_incomplete[0]:
        found.append(_incomplete(result, n_original))
    people = result._compared.people
    person = None if people is None else people.record
    if person is not None and person.n_people < person.n_rows and time is None:
        found.append(
            f"{person.column!r} {person.counts}. A row is compared with the distance of its"
            " nearest original to any other original row, of the same person too: a person with"
            " several equal rows is protected less."
        )
    if result._prepared.space.is_bounded:
        found.append(
            f"Some rows miss so many values that more than {MOST_CHOICES:,} combinations would have"
            " to be tried; their distances are bounded instead. The strict rule then refuses more"
            " rows, never fewer; the paper rule may take another original for the nearest."
        )
    return found


def _incomplete(result: DistanceFilterResult, n_original: int) -> str:
    """Why originals with missing values refuse so much, and what to do."""
    is_empty = result._settings.rule == "strict" and not result.n_kept
    strict = "which is why it keeps none" if is_empty else "and may keep none"
    return (
        f"{result._prepared.n_incomplete[0]:,} of {n_original:,} original rows miss a value. At"
        " worst such a row is far from every other, so all synthetic rows that may be nearer to it"
        f" are refused; the strict rule asks every such row, {strict}. To keep more, compare rows"
        " on the columns that both have (missing='pattern'), take distances on columns that every"
        " original row has (columns=...), or fill in missing values before the synthetic data are"
        f" made. Values are missing in {list_names(result._prepared.gaps)}."
    )


def _by_pattern(result: DistanceFilterResult, n_original: int) -> str:
    """What is assumed where rows are compared on the columns that both have."""
    incomplete, total = result._prepared.n_incomplete, len(result.keep)
    return (
        f"{incomplete[0]:,} of {n_original:,} original and {incomplete[1]:,} of {total:,} synthetic"
        " rows miss a value. Rows were compared on the columns that both have, assuming that an"
        " intruder does not know what is missing and learns nothing from its being missing."
    )


_SEQUENCES = (
    "Each person with all their rows, in the order of {}, is one unit: the first rows of two people"
    " are compared, the second and so on, as far as both have them, assuming that an intruder"
    " learns nothing from how many rows a person has."
)
STEPS = 4


@takes_study
def distance_filter(
    original: Any,
    synthetic: Any,
    *,
    columns: str | Iterable[str] | None = None,
    metric: str = "mahalanobis",
    rule: str = "paper",
    ties: str = "any",
    missing: str | None = None,
    inverse_covariance: Any = None,
    ranges: Any = None,
    protect_columns: str | Iterable[str] = (),
    drop: str = "auto",
    special_codes: Mapping[str, Any] | None = None,
    person: str | None = None,
    time: str | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> DistanceFilterResult:
    """Keep the synthetic rows that are no closer to a person than another person is.

    Parameters
    ----------
    original, synthetic, missing_values, progress
        As in `unveil.disclosure`; one copy.
    columns
        What distances are taken on, best the columns that an intruder may know; all that both
        files have where None. Numbers and dates count as numbers, so do the levels of a polars
        Enum in their order; any other text is dichotomised.
    metric
        "mahalanobis"; "jaccard" for columns of nothing but 1 and 0; "gower" for numbers and
        categories together.
    rule
        "paper": a row is compared with its nearest original alone. "strict": with every original;
        no row is kept that is closer to any original than its nearest other original is.
    ties
        Where several originals are nearest, "any" refuses a row if one of them demands it; "first"
        asks the first of them alone, as printed, so that the order of the file matters.
    missing
        "exact", where the rule is "paper" and nothing is said: the worst case, see Notes.
        "pattern", where the rule is "strict": two rows are compared on the columns that both have,
        beside the originals that have them too; it assumes that what is missing tells an intruder
        nothing, and the record says so. "simple": paper 004's shortcut, by which a missing value
        differs in nothing between a synthetic row and an original. Both keep more rows.
    inverse_covariance
        Of the columns in their order, a category's levels but the most frequent among them; from
        the complete rows of the original where None. Then no column is dropped.
    ranges
        By column, lowest and highest value that a missing one may stand for: over both files where
        None.
    protect_columns
        Columns that are not dropped where others can be.
    drop
        "auto": columns that are constant, empty, or all but combinations of others are dropped,
        and said; "refuse" refuses, and names them.
    special_codes
        By column, codes that count as missing.
    person
        The column of the original that says whose row it is, where people have several. No distance
        is taken on it; the record says how many people, not rows, a refused row was nearest to.
    time
        Together with `person`, which both files then have: by which column the rows of a person
        follow. People are compared with all their rows, and kept or refused as a whole.

    Returns
    -------
    DistanceFilterResult
        `.data`, the rows kept; `.keep`, `.nearest`, `.d_synthetic`, `.d_original` for each
        synthetic row (confidential); `.record` with `columns`, `dropped_columns`, `acceptance`,
        `n_refused_by_strict`, `shifts` and `warnings`. The rows kept are a selected sample.

    Notes
    -----
    d(a, b)^2 = (a - b)' S^-1 (a - b), S the covariance of the complete original rows, with n - 1.
    For s with nearest original o and d2 the distance of o to its nearest other original: refused if
    d(s, o) < d2; equal (within 1e-9, relative) is kept. "Other" is another row, not another value:
    a duplicate of o gives d2 = 0, and s is kept. One original: everything is refused. Missing:
    distances between originals are the longest, between s and o the shortest that values of the
    variables allow: numbers within the ranges, one of the levels of a category. Beyond 4,096
    combinations of levels and ends a bound is taken and said, by which the strict rule can only
    refuse more. With `time`, d^2 of two people is the sum of d^2 of their first rows, their second
    and so on, as far as both have them, and "other" is another person with as many rows.

    References
    ----------
    Chapelle and Falissard (2023), Algorithm 1. The printed rule tests only the nearest original: a
    row may still lie closer to another original than any real person does, hence "strict". Erratum:
    giving both rows the same value is not the shortest distance where columns correlate.
    """
    settings = DistanceSettings.of(locals(), of_people=time is not None)
    if isinstance(synthetic, list | tuple):
        raise ReadError(
            "synthetic is a list. Filter one file at a time: each keeps rows of its own."
        )
    told = progress or no_progress
    sides = {"original": original, "synthetic": synthetic}
    files = open_files(sides, None, settings.missing_values, told)
    check_person(person, settings.columns or ())
    people = None if person is None else choose_people(files, person)
    sequences = read_sequences(files, settings, person, time)
    told("measuring the columns", 0, STEPS)
    found = prepare_space(without_people(files, people), settings, sequences)
    of = ComparedUnits(files, people, sequences, time, isinstance(synthetic, Labelled))
    return decide_rows(found, of, settings, told)


def read_sequences(
    files: OpenFiles, settings: DistanceSettings, person: str | None, time: str | None
) -> tuple[PersonSequences, ...] | None:
    """The people of both files with their rows in order; None where rows are compared."""
    if time is None:
        return None
    if person is None:
        raise RolesError("time is given without person. Name the column that says whose row it is.")
    if settings.fill != "pattern":
        raise SettingsError(
            "People with their rows in order (time) are compared as far as both have rows. Omit"
            " missing."
        )
    return sequences_of(files, person, time)


def filter_again(
    original: Any, synthetic: Any, used: Refill, special_codes: Mapping[str, Any]
) -> DistanceFilterResult:
    """A filter that was used before, on other data."""
    codes = {name: code for name, code in special_codes.items() if name in used.columns}
    return distance_filter(
        original,
        synthetic,
        columns=used.columns,
        metric=used.metric,
        rule=used.rule,
        ties=used.ties,
        missing=used.missing,
        special_codes=codes,
        person=used.person.column if used.person is not None and used.time is not None else None,
        time=used.time,
    )


def without_people(tables: Sequence[Table], people: People | None) -> Sequence[Table]:
    """The tables without the column that says whose row it is."""
    if people is None:
        return tables
    files = tables if isinstance(tables, OpenFiles) else Study(tables).files
    return files.without_column(people.record.column)


def decide_rows(
    found: PreparedSpace, compared: ComparedUnits, settings: DistanceSettings, progress: Progress
) -> DistanceFilterResult:
    """Find the nearest originals of each row, or person with their rows, and decide."""
    progress("looking for the nearest originals", 1, STEPS)
    leads = found.space.find_nearest()
    d_original = found.space.find_own_distances(leads.first) if leads.own is None else leads.own
    is_any = settings.rule == "strict" or settings.ties == "any"
    limit = leads.limit if is_any else d_original
    keep = ~is_closer(leads.distance, limit)
    if settings.rule == "strict":
        progress("comparing with every original", 2, STEPS)
        rows = np.flatnonzero(keep)
        keep[rows] = ~found.space.within(rows)
    progress("filtered", STEPS, STEPS)
    return DistanceFilterResult(
        *(keep, leads.first, leads.distance, d_original, limit), found, settings, compared
    )
