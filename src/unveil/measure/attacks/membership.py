"""`unveil.membership`: can it be told from the synthetic file who was in the original?

An attacker has a person's record and looks for the closest one in synthetic data. If those who were
used come closer than people of the same kind who were not, membership shows. El Emam, Mosquera and
Fang (2022); beside it the distance to the closest record and the nearest-neighbour distance ratio.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import check_fields, parse_number_within, parse_whole_number
from unveil.arrays import Floats, Ints
from unveil.count.packing import Ids, number, pack
from unveil.errors import AlignError, ReadError
from unveil.measure.attacks.prepare import (
    CONTROL,
    ORIGINAL,
    SYNTHETIC,
    AttackData,
    check_other_columns,
    prepare_attack,
)
from unveil.measure.attacks.rates import N_BOOTSTRAP
from unveil.measure.attacks.recognition_figures import threshold_at
from unveil.measure.attacks.samples import check_level
from unveil.measure.result import RowsResult
from unveil.models.auc import auc, auc_error, auc_interval
from unveil.models.neighbours.distances import (
    GowerAxis,
    axes_of,
    check_without_a_difference,
)
from unveil.models.neighbours.search import find, run_in_pieces
from unveil.records.attacks import ClosestRow, Interval, Membership, MembershipRow, Pair
from unveil.seeding import choose_seed, sample_rows, stream
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

ROUNDING, _DIGITS = 1e-12, 11
"""Distances that differ by less are equal: they are added up from floats in one order."""
FEWEST_OTHERS = 100
"""Controls, below which 1 % of them is less than one."""

# How close do the records of one data set come to those of another?
#
# DCR, the distance to the closest record, and NNDR, the distance to the closest over that to the
# second closest. A larger reference holds closer records whatever it holds, so references of one
# size are compared.


N_DRAWS = 5
"""Samples of the larger reference over which figures are averaged."""
LOW = 0.05


@dataclass(frozen=True)
class Closest:
    """Of each record the distance to the closest of a reference, and to the second closest."""

    first: Floats
    second: Floats | None  # None where the reference has one record
    share_exact: float  # of records that the reference has with all their values

    @property
    def ratios(self) -> Floats | None:
        """NNDR: 1 where the two are equally far, both at distance 0 included."""
        if self.second is None:
            return None
        return np.divide(
            self.first, self.second, out=np.ones(len(self.first)), where=self.second > 0
        )


def find_closest(
    axes: Sequence[GowerAxis],
    row_ids: Ids,
    records: Ints,
    reference: Ints,
    *,
    progress: Progress,
    what: str,
) -> Closest:
    """The two smallest distances of each record to a reference; both are stacked rows.

    Which are equal is told by their values: numbers may be at distance 0 and differ, where the
    range is very large.
    """
    # Neighbours are looked for in a run of rows, so these are put side by side.
    stacked = np.concatenate((records, reference))
    restacked = [replace(axis, codes=axis.codes[stacked]) for axis in axes]
    run = slice(len(records), len(stacked))
    k = min(2, len(reference))

    def task(persons: Ints) -> Floats:
        (found,) = find(restacked, persons, run, k=k)
        in_order = np.lexsort((found.distance, found.row))
        starts = np.searchsorted(found.row, np.arange(found.n_rows))
        return np.stack([found.distance[in_order][starts + place] for place in range(k)])

    made = run_in_pieces(
        np.arange(len(records)), len(reference), task, what=what, progress=progress
    )
    is_exact = np.isin(row_ids[records], row_ids[reference])
    return Closest(made[0], made[1] if k > 1 else None, float(is_exact.mean()))


def closest_row(pair: Pair, draws: Sequence[Closest], n_reference: int) -> ClosestRow:
    """The figures of one pair of data sets, each a mean over the draws.

    Notes
    -----
    Percentiles are those of numpy: linear between neighbours.
    """
    ratios = [draw.ratios for draw in draws]
    known = [each for each in ratios if each is not None]
    return ClosestRow(
        pair=pair,
        n=len(draws[0].first),
        n_reference=n_reference,
        n_draws=len(draws),
        share_exact=_mean([draw.share_exact for draw in draws]),
        dcr_5=_mean([float(np.quantile(draw.first, LOW)) for draw in draws]),
        dcr_median=_mean([float(np.median(draw.first)) for draw in draws]),
        dcr_mean=_mean([float(draw.first.mean()) for draw in draws]),
        nndr_5=_mean([float(np.quantile(each, LOW)) for each in known]) if known else None,
        nndr_median=_mean([float(np.median(each)) for each in known]) if known else None,
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


# What is nearby, and how many of those looked at are members? Or a refusal.


@dataclass(frozen=True)
class MembershipSettings:
    """The settings of `unveil.membership`, checked."""

    prevalence: float
    level: float
    seed: int
    threshold: float | None = None
    n: int | None = None

    def __post_init__(self) -> None:
        check_fields(
            self,
            {
                "threshold": partial(parse_number_within, range_="[0, inf)", why=", a distance"),
                "prevalence": partial(parse_number_within, range_="(0, 1)"),
                "n": partial(parse_whole_number, least=2),
                "level": check_level,
            },
        )


# How right is an attacker who takes those for members that have a synthetic record nearby?
#
# El Emam, Mosquera and Fang (2022). The attacker looks at people of whom a share t, the
# prevalence, are members: they were in the original. Every original and every control record is
# attacked, and the two shares of those called members are weighed by t and 1 - t, instead of
# drawing an attack data set of that make-up.


@dataclass(frozen=True)
class SortedDistances:
    """The distance of each attacked record to the closest of the synthetic file, sorted."""

    members: Floats
    others: Floats
    prevalence: float

    @property
    def naive(self) -> float:
        """F1 of calling everyone a member: recall 1 and precision t give 2t / (1 + t)."""
        return 2 * self.prevalence / (1 + self.prevalence)

    def compute_shares(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Which share of members and of others is called a member at each threshold."""
        recall, false_positives = (
            np.searchsorted(apart, thresholds + ROUNDING, side="right") / len(apart)
            for apart in (self.members, self.others)
        )
        return recall, false_positives

    def f1(self, recall: Floats, false_positives: Floats) -> Floats:
        """F1 of these shares.

        Notes
        -----
        Harmonic mean of recall r and precision t r / (t r + (1 - t) f), written without dividing by
        those called members, who may be none: 2 t r / (t r + (1 - t) f + t). It is 0 where no
        member is called one.
        """
        t = self.prevalence
        scores: Floats = 2 * t * recall / (t * recall + (1 - t) * false_positives + t)
        return scores

    def relative(self, scores: Floats) -> Floats:
        """How far F1 goes from the naive one, 0, to certainty, 1; below 0 where it falls there."""
        made: Floats = (scores - self.naive) / (1 - self.naive)
        return made

    def best(self) -> float:
        """The threshold with the highest F1 of all, the smallest of several."""
        thresholds = np.unique(np.concatenate((self.members, self.others)))
        scores = self.f1(*self.compute_shares(thresholds))
        return float(thresholds[np.flatnonzero(scores >= scores.max() - ROUNDING)[0]])

    @property
    def _scores(self) -> tuple[Floats, Floats]:
        """Nearness of members and of others; distances that count as equal are equal."""
        members, others = (-np.round(one, _DIGITS) for one in (self.members, self.others))
        return members, others

    def people_auc(self, level: float) -> tuple[float, Interval]:
        """The chance that a member is closer to synthetic data than another person, ties half."""
        value = auc(*self._scores)
        return value, auc_interval(value, auc_error(*self._scores), level)

    def recall_at_1(self) -> float | None:
        """Members closer than all but 1 % of the others; None of fewer than 100 others."""
        members, others = self._scores
        if len(others) < FEWEST_OTHERS:
            return None
        return float((members > threshold_at(others, 0.01)).mean())


def score_thresholds(
    nearby: SortedDistances, thresholds: Sequence[float], *, level: float, seed: int
) -> Iterator[MembershipRow]:
    """A row for each threshold."""
    recalls, false_positives = nearby.compute_shares(np.array(thresholds, np.float64))
    scores = nearby.f1(recalls, false_positives)
    relative = nearby.relative(scores)
    t = nearby.prevalence
    for place, threshold in enumerate(thresholds):
        recall, wrong = float(recalls[place]), float(false_positives[place])
        called = t * recall + (1 - t) * wrong
        yield MembershipRow(
            threshold=threshold,
            recall=recall,
            false_positive_rate=wrong,
            precision=t * recall / called if called > 0 else None,
            advantage=recall - wrong,
            F1=float(scores[place]),
            relative_F1=float(relative[place]),
            interval=_interval(nearby, recall, wrong, level=level, seed=seed),
        )


def _interval(
    nearby: SortedDistances, recall: float, wrong: float, *, level: float, seed: int
) -> tuple[float, float]:
    """The percentile interval of the relative F1 over records drawn anew, each side by itself.

    At a given threshold a record is called a member or is not, so that drawing records is drawing
    binomial counts.
    """
    rng = stream(seed, "membership", "bootstrap")
    sizes = (len(nearby.members), len(nearby.others))
    drawn: list[NDArray[np.float64]] = [
        rng.binomial(n, share, N_BOOTSTRAP) / n
        for n, share in zip(sizes, (recall, wrong), strict=True)
    ]
    relative = nearby.relative(nearby.f1(drawn[0], drawn[1]))
    low, high = np.quantile(relative, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


MOST_THRESHOLDS = 21
ONE_ROW = "One row of each person is used, drawn at random."
WIDE = 0.2
"""An interval of the relative F1 as wide as this says little."""
SIDES = {ORIGINAL: "original", SYNTHETIC: "synthetic dataset", CONTROL: "control sample"}


@dataclass(frozen=True, repr=False)
class MembershipResult(RowsResult[Membership]):
    """What the attack found; printing it shows no record of the data."""


@takes_study
def membership(
    original: Any,
    synthetic: Any,
    *,
    control: Any = None,
    columns: Iterable[str] | None = None,
    without: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    threshold: float | None = None,
    prevalence: float = 0.5,
    n: int | None = None,
    level: float = 0.95,
    seed: int | None = None,
    person: str | None = None,
    time: str | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> MembershipResult:
    """Call everyone a member who has a synthetic record nearby, and see who is one.

    Parameters
    ----------
    original
        The records that the synthetic data were made from, in any of the forms of
        `unveil.disclosure`.
    synthetic
        One copy.
    control
        Records of the same kind that were not used: there is no measure without them.
    columns
        What the attacker knows of a person; all columns in common where none are given.
    without
        Columns that are omitted, such as numbers of records.
    categorical
        Columns of numbers that are codes: they differ by 0 or 1.
    threshold
        The distance within which a synthetic record counts as nearby. Without one the best for the
        attacker is chosen afterwards, which no attacker could.
    prevalence
        The share of members among the people the attacker looks at: 0.5 where nothing is known; by
        El Emam et al. it should be the share of the population that is in the original.
    n
        How many records of each data set are looked at, drawn at random; all where none is given.
    level, seed
        The level of all intervals; a whole number, drawn and recorded where none is given.
    person
        The column that says whose row it is: one row of each person is looked at then, drawn at
        random. Without one every row is a person.
    time
        The column by which the rows of a person follow one another: people are looked at with all
        their rows then.
    special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    MembershipResult
        `.record.headline` at the threshold, `.rows` by threshold, `.record.closest` with DCR and
        NNDR.

    References
    ----------
    El Emam, Mosquera and Fang (2022).
    """
    progress = progress or no_progress
    if control is None:
        raise ReadError(
            "No control is given. Whether members come closer to the synthetic data than others"
            " shows only against people of the same kind who were not used: give them as"
            " control; see unveil.split."
        )
    asked = MembershipSettings(prevalence, level, choose_seed(seed), threshold, n)
    data = prepare_attack(
        original,
        synthetic,
        control,
        columns=columns,
        without=without,
        person=person,
        time=time,
        counting=ONE_ROW,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    _check_single(data)
    codes = names(categorical, "Categorical columns")
    check_other_columns("categorical", codes, [column.name for column in data.columns])
    axes = axes_of(data.columns, categorical=codes)
    check_without_a_difference(axes)
    tried = [_attack(intruder, axes, asked, progress) for intruder in data.intruders]
    return MembershipResult(max(tried, key=lambda one: one.people_auc or 0.0))


def _attack(
    data: AttackData, axes: Sequence[GowerAxis], asked: MembershipSettings, progress: Progress
) -> Membership:
    axes, row_ids = data.along(axes), data.row_ids
    if data.sequences is not None:
        n_people = data.sequences.sides.n_rows
        row_ids = number(*pack([(axis.codes, axis.n_levels) for axis in axes], n_people))[0]
    rows = {side: _draw_rows(data, side, asked) for side in SIDES}
    return _record(data, MembershipSample(axes, row_ids, rows, progress), asked)


def _check_single(data: AttackData) -> None:
    for side, name in SIDES.items():
        if data.compared_sides.rows[side] < 2:
            unit = "record" if data.sequences is None else "person"
            raise AlignError(
                f"The {name} has 1 {unit}, too few for distances. Give a file of at least 2."
            )


def _draw_rows(data: AttackData, side: int, asked: MembershipSettings) -> Ints:
    """The stacked rows of a side that are looked at, or people with all their rows, in order."""
    some = data.compared_sides.slices[side]
    rows = np.arange(some.start, some.stop)
    if side in data.people and data.sequences is None:
        order = stream(asked.seed, "membership", "people", side).permutation(len(rows))
        _, first = np.unique(data.people[side][order], return_index=True)
        rows = rows[np.sort(order[first])]
    return sample_rows(rows, asked.n or len(rows), asked.seed, "membership", side)


@dataclass(frozen=True)
class MembershipSample:
    """The records of each side that are looked at, and the columns to measure along."""

    axes: Sequence[GowerAxis]
    row_ids: Ids
    rows: Mapping[int, Ints]
    progress: Progress

    def attack(self, prevalence: float) -> SortedDistances:
        """The distances of members and others to the synthetic file."""
        apart = [
            self.closest(self.rows[side], self.rows[SYNTHETIC], "attacking records").first
            for side in (ORIGINAL, CONTROL)
        ]
        return SortedDistances(np.sort(apart[0]), np.sort(apart[1]), prevalence)

    def closest(self, records: Ints, reference: Ints, what: str) -> Closest:
        """The distances of some records to others."""
        return find_closest(
            self.axes, self.row_ids, records, reference, progress=self.progress, what=what
        )

    @property
    def m(self) -> int:
        """How many records each reference has: those of the smaller."""
        return min(len(self.rows[ORIGINAL]), len(self.rows[CONTROL]))

    def draws(self, side: int, reference: int, seed: int) -> list[Closest]:
        """Distances of a side to samples of m records of a reference; once where that is all."""
        rows = self.rows[reference]
        n_draws = 1 if len(rows) == self.m else N_DRAWS
        samples = [
            rows
            if n_draws == 1
            else stream(seed, "membership", "reference", reference, draw).choice(
                rows, self.m, replace=False
            )
            for draw in range(n_draws)
        ]
        what = "looking for the closest records"
        return [self.closest(self.rows[side], each, what) for each in samples]


def _record(data: AttackData, looked: MembershipSample, asked: MembershipSettings) -> Membership:
    nearby = looked.attack(asked.prevalence)
    wanted = nearby.best() if asked.threshold is None else asked.threshold
    headline, *rows = score_thresholds(
        nearby,
        [wanted, *_grid(len(looked.axes), asked.threshold)],
        level=asked.level,
        seed=asked.seed,
    )
    pairs: dict[Pair, tuple[int, int]] = {
        "synthetic to original": (SYNTHETIC, ORIGINAL),
        "synthetic to control": (SYNTHETIC, CONTROL),
        "control to original": (CONTROL, ORIGINAL),
    }
    draws = {pair: looked.draws(*sides, asked.seed) for pair, sides in pairs.items()}
    people_auc, interval = nearby.people_auc(asked.level)
    copy, whole = (data.row_ids[data.slice_of(side)] for side in (SYNTHETIC, ORIGINAL))
    n_exact = int(np.isin(copy, whole).sum())
    return Membership(
        files=data.files,
        columns=tuple(column.name for column in data.columns),
        seed=asked.seed,
        level=asked.level,
        prevalence=asked.prevalence,
        person=data.person,
        n_original=data.n_original,
        n_synthetic=data.n_synthetic,
        n_control=data.n_control or 0,
        n_shared_with_control=data.n_shared or 0,
        n_attacked_original=len(nearby.members),
        n_attacked_control=len(nearby.others),
        n_bootstrap=N_BOOTSTRAP,
        naive_F1=nearby.naive,
        threshold=asked.threshold,
        headline=headline,
        rows=tuple(rows),
        n_exact=n_exact,
        share_exact=n_exact / data.n_synthetic,
        closest=tuple(closest_row(pair, found, looked.m) for pair, found in draws.items()),
        people_auc=people_auc,
        people_auc_interval=interval,
        recall_at_1=nearby.recall_at_1(),
        warnings=tuple(_warnings(data.n_shared or 0, headline.interval, asked.threshold)),
        coercions=data.notes,
    )


def _grid(n_columns: int, threshold: float | None) -> list[float]:
    """Whole numbers: so many columns may differ altogether; and the threshold declared."""
    whole = {float(number) for number in range(min(n_columns + 1, MOST_THRESHOLDS))}
    return sorted(whole | (set() if threshold is None else {threshold}))


def _warnings(
    n_shared: int, interval: tuple[float, float], threshold: float | None
) -> Iterator[str]:
    if n_shared:
        has = "1 control record is" if n_shared == 1 else f"{n_shared:,} control records are"
        yield (
            f"{has} equal to an original record in every compared column. If these are the same"
            " people, the control sample is invalid, and the attack looks weaker than it is."
        )
    if threshold is None:
        yield (
            "The threshold was chosen afterwards, as the best for the attacker, so the relative F1"
            " of the headline is never below 0 and exceeds it by chance."
        )
    if interval[1] - interval[0] > WIDE:
        yield (
            f"The relative F1 is known to within {(interval[1] - interval[0]) / 2:.2f} either way:"
            " there are too few records for a precise figure."
        )
