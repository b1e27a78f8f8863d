"""`unveil.ecap_records`: how sure is a claim about a person of whom several values are known?

ECAP asks about one value of a population described by a distribution (Chapelle and Falissard,
Equation 1). Here the people themselves are the population: all N, or a sample of them that stands
for the rest. So values may repeat, columns may be known together, numbers may be whole, tails as
heavy as they are, and a person may have several rows. The paper has no such form.

A record of the person a is looked for where it would be released: within a window about each of its
values. With q_k the chance that a row of the person k comes to lie in all windows of that record,

    p = q_a,  h = 1 - (1 - p) E[prod (1 - q_k)],  m = 1 - E[prod (1 - q_k)],  f = n/N
    ECAP = f h / (f h + (1 - f) m)

the first product over the n - 1 others in the data with a, the second over the n without. If all N
are known the mean is over all samples of them, exactly; else others are drawn from those known:
E[prod] = (1 - b)^n, b the mean of q_k, as in `unveil.ecap`. Equation 1, which draws n times with
replacement, needs b alone in either case.

The window: of a rounded column its step; else halfway to the next values below and above in the
population, the distance in a sample times the share of the population it is. Missing values and
codes have no noise: they lie where they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints
from unveil.measure.ecap.arguments import (
    SampleSettings,
    Sampling,
    claims,
    lowest,
    parse_ecap_threshold,
)
from unveil.measure.ecap.caveats import unattainable
from unveil.measure.ecap.curves import is_over, search_amount
from unveil.measure.ecap.gaps import Places
from unveil.measure.ecap.noise_kinds import KINDS
from unveil.measure.ecap.noise_settings import NoiseSpec, Shrinking, find_kept_codes, parse_noise
from unveil.measure.roles.person import choose_people
from unveil.records.noise import EcapRecords, KnownColumn
from unveil.study.study import open_files
from unveil.study.take_study import takes_study
from unveil.view.show import Result

_MOST_PAIRS = 1 << 20  # of records, looked at at once
_MOST_STEPS = 1 << 33  # of the sum over all samples
_TOO_LARGE = (
    "All of the population is known, but it is too large to go through all of its samples: others"
    " are taken as drawn independently of each other."
)
_ENDLESS = 1e6  # standard deviations: all of the noise is within


@dataclass(frozen=True)
class _NoisyValues:
    """The numbers of one column, which of them get noise, and where each is looked for."""

    asked: NoiseSpec
    x: Floats
    level: Ints  # 0 where it gets noise; else which missing value or code it is
    first: Ints  # a row of each distinct number
    code: Ints  # which of them each row has
    gaps: tuple[Floats, Floats]  # half the distance to the next value below and above

    @classmethod
    def of(cls, asked: NoiseSpec, x: Floats, is_code: np.ndarray, share: float) -> "_NoisyValues":
        """The column among `share` of the population."""
        known = ~np.isnan(x) & ~is_code
        level = np.zeros(len(x), np.int64)
        level[~known] = np.unique(x[~known], return_inverse=True)[1] + 1
        _, first, code = np.unique(x, return_index=True, return_inverse=True)
        return cls(asked, x, level, first, code, _half_gaps(x, known, share))

    def chances(self, factor: float, rows: Ints, others: Ints, *, informed: bool) -> Floats:
        """How often each of some others comes to lie in the window of each row."""
        mine, of_row = np.unique(self.code[rows], return_inverse=True)
        theirs, of_other = np.unique(self.code[others], return_inverse=True)
        found = self._chances(factor, self.first[mine], self.first[theirs], informed=informed)
        return np.asarray(found[of_row[:, None], of_other])

    def _chances(self, factor: float, rows: Ints, others: Ints, *, informed: bool) -> Floats:
        asked = replace(self.asked, sigma=self.asked.sigma * factor)
        shrinking = Shrinking.of(asked, self.x[self.level == 0])
        at = shrinking.apply(self.x)
        low, high = self._window(rows, at if informed else self.x, shrinking, informed=informed)
        if asked.sigma == 0:
            where = self._round(at)[others]
            return ((low[:, None] < where) & (where < high[:, None])).astype(np.float64)
        sd = asked.sigma * shrinking.factor
        first, last = (
            np.clip((end[:, None] - at[others]) / sd, -_ENDLESS, _ENDLESS) for end in (low, high)
        )
        noise = KINDS[asked.noise]
        # P(first <= B <= last) without a difference of two chances near 1.
        near = np.where(first > 0, first, np.maximum(-last, 0.0))
        width = np.minimum((high - low) / sd, _ENDLESS)[:, None]
        found = noise.beyond(near, np.broadcast_to(width, near.shape))
        across = (first <= 0) & (last >= 0)
        found[across] = noise.half(-first[across]) + noise.half(last[across])
        return found

    def reach(self, factor: float) -> float:
        """How far the noise carries a number: exp(-40) of it goes beyond."""
        noise = KINDS[self.asked.noise].reach(np.zeros(1), np.zeros(1))[0]
        return float(noise) * self.asked.sigma * factor

    def _round(self, x: Floats) -> Floats:
        return x if self.asked.decimals is None else np.round(x, self.asked.decimals)

    def _window(
        self, rows: Ints, centre: Floats, shrinking: Shrinking, *, informed: bool
    ) -> tuple[Floats, Floats]:
        """From where to where the released number of each row is looked for."""
        lowest_end, highest_end = self.asked.clip
        middle = self._round(centre[rows])
        if self.asked.clip != (None, None):
            middle = np.clip(middle, lowest_end, highest_end)
        if self.asked.decimals is not None:
            step = 0.5 * 10.0**-self.asked.decimals
            low, high = middle - step, middle + step
        else:
            scale = shrinking.factor if informed else 1.0
            low, high = (
                middle - scale * self.gaps[0][rows],
                middle + scale * self.gaps[1][rows],
            )
        # What lies beyond a plausible end is set to it.
        if lowest_end is not None:
            low = np.where(low <= lowest_end, -np.inf, low)
        if highest_end is not None:
            high = np.where(high >= highest_end, np.inf, high)
        return low, high


def _half_gaps(x: Floats, known: np.ndarray, share: float) -> tuple[Floats, Floats]:
    """Half the distance to the next values; endless where all are known and there is none."""
    values, codes = np.unique(x[known], return_inverse=True)
    apart = np.diff(values) * share / 2
    ends = np.inf if share == 1 or not len(apart) else None
    below = np.concatenate([apart[:1] if ends is None else [ends], apart])
    above = np.concatenate([apart, apart[-1:] if ends is None else [ends]])
    found = (np.full(len(x), np.nan), np.full(len(x), np.nan))
    for side, gap in zip(found, (below, above), strict=True):
        side[known] = gap[codes]
    return found


@dataclass(frozen=True)
class _Records:
    """Records of people in their setting; their ECAP at any multiple of the noise."""

    columns: tuple[_NoisyValues, ...]
    of_row: Ints  # the person of each row
    N: int
    n: int
    sampling: Sampling

    @property
    def x(self) -> Ints:
        """The places of all records."""
        return np.arange(len(self.of_row))

    @property
    def n_people(self) -> int:
        """How many people are known."""
        return int(self.of_row.max()) + 1

    @property
    def is_listed(self) -> bool:
        """Whether all of the population is known, and not too large to go through its samples."""
        n_steps = 2 * len(self.of_row) ** 2 * self.n
        return self.n_people == self.N and n_steps <= _MOST_STEPS

    def ecap(self, factor: float, places: Places | None = None) -> Floats:
        """ECAP of some records, or of all, with so many times the noise.

        Where the variance is kept the higher is told of two intruders: one reckons back, the other
        looks where the value was.
        """
        rows = self.x if places is None else places
        found = self._claims(factor, rows, informed=True)
        if any(column.asked.keeps_variance for column in self.columns):
            found = np.fmax(found, self._claims(factor, rows, informed=False))
        return found

    def _claims(self, factor: float, rows: Ints, *, informed: bool) -> Floats:
        found = np.empty(len(rows))
        place = np.full(len(self.of_row), -1)
        place[rows] = np.arange(len(rows))
        for mine, others in self._groups(factor, rows):
            q = np.ones((len(mine), len(others)))
            for column in self.columns:
                if column.level[mine[0]] == 0:
                    q *= column.chances(factor, mine, others, informed=informed)
            found[place[mine]] = self._claim(q, mine, others)
        return found

    def _groups(self, factor: float, rows: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Records that miss the same values, and the rows whose noise may bring them there.

        They are sorted by the column that tells most apart, so that few rows need be looked at.
        """
        levels = np.stack([column.level for column in self.columns], axis=1)
        _, group = np.unique(levels, axis=0, return_inverse=True)
        group = group.reshape(-1)
        asked = np.zeros(len(group), bool)
        asked[rows] = True
        for number in np.unique(group[rows]):
            members = np.flatnonzero(group == number)
            by, reach = self._sorting_column(members, factor)
            if by is not None:
                members = members[np.argsort(by[members], kind="stable")]
            mine = members[asked[members]]
            for first in range(0, len(mine), max(_MOST_PAIRS // len(members), 1)):
                block = mine[first : first + max(_MOST_PAIRS // len(members), 1)]
                if by is None:
                    yield block, members
                    continue
                at = by[members]
                start = np.searchsorted(at, by[block[0]] - reach, "left")
                stop = np.searchsorted(at, by[block[-1]] + reach, "right")
                yield block, members[start:stop]

    def _sorting_column(self, members: Ints, factor: float) -> tuple[Floats | None, float]:
        """A column whose noise does not reach across it; None where each does."""
        best: tuple[float, Floats | None, float] = (1.0, None, 0.0)
        for column in self.columns:
            x = column.x[members]
            is_plain = column.asked.clip == (None, None) and not column.asked.keeps_variance
            if column.level[members[0]] or not is_plain:
                continue
            width = max(float(np.ptp(x)), 1e-300)
            window = 0.5 * 10.0**-column.asked.decimals if column.asked.decimals is not None else 0
            gaps = np.concatenate([gap[members] for gap in column.gaps])
            window = window or float(gaps[np.isfinite(gaps)].max(initial=0.0))
            reach = column.reach(factor) + 2 * window
            if np.isfinite(gaps).all() and reach / width < best[0]:
                best = (reach / width, column.x, reach)
        return best[1], best[2]

    def _claim(self, q: Floats, mine: Ints, others: Ints) -> Floats:
        """From the chances of rows to those of people, and from these to ECAP."""
        people, code = np.unique(self.of_row[others], return_inverse=True)
        own = np.searchsorted(people, self.of_row[mine])
        if len(people) < len(others):
            order = np.argsort(code, kind="stable")
            starts = np.flatnonzero(np.diff(code[order], prepend=-1))
            with np.errstate(divide="ignore"):
                missed = np.add.reduceat(np.log1p(-q[:, order]), starts, axis=1)
            q = -np.expm1(missed)
        else:
            q = q[:, np.argsort(code)]
        chosen = np.arange(len(mine))
        p = q[chosen, own]
        if self.is_listed and self.sampling == "without replacement":
            others_only = np.ones_like(q, bool)
            others_only[chosen, own] = False
            return self._over_all_samples(p, q[others_only].reshape(len(mine), -1))
        q[chosen, own] = 0.0
        b = q.sum(axis=1) / max(self.n_people - 1, 1)
        return claims(p, np.clip(b, 0.0, 1.0), self.N, self.n, self.sampling)

    def _over_all_samples(self, p: Floats, rest: Floats) -> Floats:
        f = self.n / self.N
        elsewhere = hit_by_sample(rest, self.N - 1, self.n - 1)
        inside = f * (p + (1 - p) * elsewhere)
        outside = (1 - f) * hit_by_sample(rest, self.N - 1, self.n) if self.n < self.N else 0.0
        with np.errstate(invalid="ignore"):
            return np.asarray(inside / (inside + outside))


def hit_by_sample(q: Floats, N: int, n: int) -> Floats:
    """1 - E[prod (1 - q_k)] over all samples of n of N people; those not in q have a chance of 0.

    Person after person: after k of them, j of whom are in the sample, the next is in it with
    probability (n - j) / (N - k). Only sums of products: no digit is lost where the chance is tiny.
    """
    missed, hit = np.zeros((len(q), n + 1)), np.zeros((len(q), n + 1))
    missed[:, 0] = 1.0
    left = n - np.arange(n + 1)
    for k in range(q.shape[1]):
        into = np.minimum(left / (N - k), 1.0)
        own = q[:, k, None]
        taken, struck = missed * into, hit * into
        missed -= taken
        hit -= struck
        missed[:, 1:] += (taken * (1 - own))[:, :-1]
        hit[:, 1:] += (struck + taken * own)[:, :-1]
    return np.asarray(hit.sum(axis=1))


@dataclass(frozen=True, repr=False)
class EcapRecordsResult(Result):
    """ECAP of every record, in their order, beside the record of them all: confidential."""

    record: EcapRecords
    _ecap: Floats

    @property
    def ecap(self) -> list[float | None]:
        """ECAP of every record; None where nothing could be claimed."""
        column: list[float | None] = pl.Series(self._ecap).fill_nan(None).to_list()
        return column

    @property
    def worst(self) -> float | None:
        """The highest ECAP."""
        return self.record.worst

    def frame(self) -> pl.DataFrame:
        """One row per record, in their order: confidential."""
        return pl.DataFrame({"ecap": self._ecap}).fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, those of single records among it: confidential."""
        return {**self.record.to_dict(), "ecap": self.ecap}


@takes_study
def ecap_records(
    data: Any,
    *,
    columns: Mapping[str, Any],
    N: int,
    n: int | None = None,
    sampling: str = "without replacement",
    threshold: float | None = None,
    person: str | None = None,
    missing_values: str | Sequence[str] = (),
) -> EcapRecordsResult:
    """The probability that a claim of membership is correct, all values of a person known together.

    Parameters
    ----------
    data
        The people of the population: all N of them, or a random sample that stands for the rest
        (the original, or what is to be released). A path, a frame or `Labelled`.
    columns
        What an intruder knows of a person, with the noise of each column, as in `unveil.add_noise`.
        A sigma of 0: the column is released as it is.
    N, n
        How many people are in the population, and in the data that noise is added to; n is the
        number of people in `data` where None.
    sampling
        As in `unveil.ecap`.
    threshold
        An ECAP to be tolerated: tells how many records lie above, and how many times the noise of
        every column would be enough.
    person
        The column that says whose row it is: people are sampled, and a claim about one is correct
        if any of their rows was released there. Rows are people where None.
    missing_values
        Entries that mean missing.

    Returns
    -------
    EcapRecordsResult
        `.ecap` of every record, `.worst`, `.record` with the highest ECAP of each column known
        alone, and `factor`. Confidential.

    Notes
    -----
    See the head of `ecap_records.py` in the source, or docs/noise.md. In a sample a record that
    no one else's noise can reach has ECAP 1: what is not in the data cannot be shown to hide it.
    """
    asked = parse_noise(columns, None)
    (table,) = files = open_files({"data": data}, None, missing_values)
    table.check_columns([one.column for one in asked])
    people = None if person is None else choose_people(files, person)
    of_row = np.arange(table.frame.height) if people is None else people.of_row.astype(np.int64)
    n_people = int(of_row.max(initial=-1)) + 1
    given_sampling: Any = sampling
    drawn = SampleSettings(N, n_people if n is None else n, given_sampling)
    SampleSettings(drawn.N, n_people)  # no more people than there are
    tolerated = None if threshold is None else parse_ecap_threshold(threshold)
    made = []
    for one in asked:
        given, declared = table.frame[one.column], table.variables.get(one.column)
        is_code = find_kept_codes(given, declared, one.codes, table.place)
        numbers = given.cast(pl.Float64).to_numpy()
        made.append(_NoisyValues.of(one, numbers, is_code, n_people / drawn.N))
    records = _Records(tuple(made), of_row, drawn.N, drawn.n, drawn.sampling)
    found = records.ecap(1.0)
    person_record = None if people is None else people.record
    return EcapRecordsResult(
        _record(records, found, tolerated, (table.source, person_record)), found
    )


def _record(
    records: _Records, found: Floats, threshold: float | None, given: tuple[str, Any]
) -> EcapRecords:
    limit = lowest(records.N, records.n, records.sampling)
    is_undefined = np.isnan(found)
    worst = None if is_undefined.all() else int(np.nanargmax(found))
    n_above = factor = None
    warnings = [] if records.is_listed or records.n_people < records.N else [_TOO_LARGE]
    if threshold is not None:
        n_above = int(is_over(found, threshold).sum())
        factor = 1.0 if n_above == 0 else _factor(records, threshold, limit)
        if threshold <= limit:
            warnings.append(unattainable(threshold, limit))
        elif factor is None:
            warnings.append(
                f"No multiple of this noise was found with which no ECAP is above {threshold:g}:"
                " some records miss or share values as no one else does, or are known by a column"
                " without noise."
            )
    return EcapRecords(
        files=(given[0],),
        person=given[1],
        N=records.N,
        n=records.n,
        n_people=records.n_people,
        is_listed=records.is_listed,
        sampling=records.sampling,
        limit=limit,
        n_records=len(found),
        n_undefined=int(is_undefined.sum()),
        columns=tuple(_alone(records, column) for column in records.columns),
        worst=None if worst is None else float(found[worst]),
        worst_place=worst,
        threshold=threshold,
        n_above=n_above,
        factor=factor,
        warnings=tuple(warnings),
    )


def _alone(records: _Records, column: _NoisyValues) -> KnownColumn:
    found = replace(records, columns=(column,)).ecap(1.0)
    asked = column.asked
    return KnownColumn(
        column=asked.column,
        noise=asked.noise,
        sigma=asked.sigma,
        decimals=asked.decimals,
        keeps_variance=asked.keeps_variance,
        worst=None if np.isnan(found).all() else float(np.nanmax(found)),
    )


def _factor(records: _Records, threshold: float, limit: float) -> float | None:
    """The smallest multiple found of all noise with which no record is above the threshold."""
    if threshold <= limit or not any(column.asked.sigma for column in records.columns):
        return None
    return search_amount(records, threshold, records.x, 1.0)
