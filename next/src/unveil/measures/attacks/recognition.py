"""`unveil.recognition`: do releases show of single people whether they were in the data?

Each of the people tested is in or out by the toss of a coin, everybody else is always in, and the
synthesiser is run again and again: one pool of worlds serves all. What a release shows of a person
is how many of its records agree with theirs in each set of up to three columns, and in nearly all.
How to read these counts is learnt in half of the worlds and tested in the others. As many phantoms,
people who are in no world, have coins that decide nothing: the self-test.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, fsum, log, sqrt
from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Form, Seed, last_text
from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.data.codebook import Data
from unveil.data.columns import Column
from unveil.errors import InputError
from unveil.measures.attacks.people import (
    Level,
    Levels,
    attacked,
    axis_of,
    compared,
    in_order,
    levels_of,
    records_of,
)
from unveil.models.intervals import auc, z_of
from unveil.progress import steps
from unveil.results import Count, Figure, Heading, Note, Number, Result, Row, Share
from unveil.results.words import Words, join_names
from unveil.study import ORIGINAL, AnyStudy, Study, measure

NEAR = 0.02  # of the range: numbers that agree
WIDEST, NEARLY, MOST_COLUMNS = 3, 4, 14  # columns of a set; misses in nearly all; columns at most
COMMON, OWN = 100, 3_000  # penalties of the weights that all share, and of each person's own
ALARMS = 0.01  # false alarms of all worlds without a person
CLEAR = 2.0  # a score that is called, for epsilon: set beforehand
AGREED = 0.03  # how far from 0.5 the self-test may be at least

Sides = Sequence[tuple[Floats, Floats]]
"""Of each person the scores of worlds with them, and of those without."""
Synthesiser = Annotated[Any, Form("a function of data and a seed", "FUNCTION", last_text)]


class RecognitionRow(Row, frozen=True, kw_only=True):
    """What releases show of the people tested, all together."""

    people: Annotated[int, Count("people tested")]
    worlds: Annotated[int, Count("releases made")]
    AUC: Annotated[Figure, Share("chance that a world with a person scores above one without")] = (
        None
    )
    AUC_low: Annotated[Figure, Share("lower end of its interval, of the mean over people")] = None
    AUC_high: Annotated[Figure, Share("upper end of its interval")] = None
    shown: Annotated[Figure, Count("people of whom releases show it, all judged together")] = None
    hit_rate: Annotated[Figure, Share("worlds with a person called so, at 1 % false alarms")] = None
    false_alarms: Annotated[Figure, Share("worlds of people in no world that are called")] = None
    epsilon: Annotated[
        Figure, Number("lower bound of epsilon, all people together", limited=True)
    ] = None
    doubles: Annotated[int, Count("people tested with an equal record of somebody else")]
    self_test: Annotated[float, Share("AUC of people who are in no world; 0.5 is expected")]


class Recognition(Result, frozen=True, kw_only=True):
    """Single people, by rerunning the synthesiser."""

    title: ClassVar[str] = "Recognition of single people"

    recognition: Annotated[tuple[RecognitionRow, ...], Heading("Recognition", (), True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        row, words = self.recognition[0], Words(self.settings, self.files)
        test = f"{words.unit.capitalize()} in no world have an AUC of {row.self_test:.3f}"
        if row.AUC is None or row.shown is None or row.hit_rate is None:
            return (f"Nothing is measured: {test[0].lower()}{test[1:]}, and 0.5 is expected.",)
        return (
            f"Releases show of {row.shown:,.0f} of {row.people:,} {words.unit} tested whether they"
            f" were in (AUC {row.AUC:.3f}, {row.AUC_low:.3f} to {row.AUC_high:.3f}; 0.5 is a"
            f" guess). With 1 % false alarms {100 * row.hit_rate:.1f} % of worlds with a person are"
            f" called. {test} (0.5 is expected).",
            "Each person tested was in or out by a coin, and all others always in: one person's"
            " risk in the file as it is may be higher or lower.",
        )

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences


@measure
def recognition(
    study: AnyStudy, synthesiser: Synthesiser, *,
    worlds: Annotated[int, Meta(ge=20, le=100_000)] = 400, level: Level = 0.95,
    people: Annotated[int, Meta(ge=1)] = 100, seed: Seed = None,
) -> Recognition:  # fmt: skip
    """Rerun a synthesiser with and without single people, and see if its releases tell.

    Parameters
    ----------
    study
        The original, and a control sample: its people take the places of those who are out.
    synthesiser
        A function of the data (`Data`, keys and targets) and a seed, which returns a release.
    worlds
        How often it is run.
    level
        Of the intervals.
    people
        How many people are tested, drawn at random; at most half of the control sample.
    seed
        The start of the random numbers.
    """
    if not callable(synthesiser):
        raise InputError("'synthesiser' takes a function of data and a seed.")
    pool, half = _pool_of(study, people, seed or 0), worlds // 2
    random = np.random.default_rng(seed)
    coins = np.concatenate([_toss(n, 2 * pool.k, random) for n in (half, worlds - half)])
    counts = []
    for world in steps("worlds", range(worlds)):
        data = Data(pool.frame(pool.rows(coins[world], random)))
        release = synthesiser(data, int(random.integers(2**31)))
        counts.append(np.stack([_counts(agrees) for agrees in pool.agreements(release)]))
    scores = _scores(np.stack(counts), coins, half)[half:]
    row = _row(scores, coins[half:], pool, worlds, level)
    notes = [Note(about="columns", sentence=f"Compared: {join_names(pool.looked_at)}.")]
    if pool.k < people:
        few = f"{pool.k:,} are tested, not {people:,}: the control sample is too small for more."
        notes.append(Note(about="recognition.people", sentence=few))
    return Recognition(recognition=(row,), notes=tuple(notes))


def _toss(n: int, k: int, random: np.random.Generator) -> Mask:
    """Coins of k people in n worlds; each is in half of them."""
    halves = np.tile(np.arange(n)[:, None] < n // 2, k)
    return random.permuted(halves, axis=0)


@dataclass(frozen=True, eq=False)
class _Pool:
    """The worlds: everybody else always, of those tested the ones whose coins say so."""

    columns: dict[str, Levels]
    looked_at: list[str]  # those of them that agree or not
    tested: list[Ints]  # the records of each person
    phantoms: list[Ints]
    strangers: list[Ints]
    always: Ints

    @property
    def k(self) -> int:
        return len(self.tested)

    def rows(self, coins: Mask, random: np.random.Generator) -> Ints:
        """The records of one world, in any order; a stranger is in the place of who is out."""
        places = random.permutation(len(self.strangers))
        people = [
            own if is_in else self.strangers[place]
            for own, is_in, place in zip(self.tested, coins, places, strict=False)
        ]
        return np.asarray(random.permutation(np.concatenate([self.always, *people])))

    def frame(self, rows: Ints) -> pl.DataFrame:
        """Records as they are compared, whatever the coding of their files."""
        columns = {name: of.column for name, of in self.columns.items()}
        return pl.DataFrame({n: of.levels.gather(of.codes[rows]) for n, of in columns.items()})

    def agreements(self, release: Any) -> Iterator[Mask]:
        """Of each person tested and each phantom: columns x records that agree."""
        people = [records[0] for records in (*self.tested, *self.phantoms)]
        about = {name: _as_compared(levels) for name, levels in self.columns.items()}
        world = Study(self.frame(np.array(people)), release, keys=tuple(about), columns=about)
        side = next(world.sides())
        axes = [axis_of(world, name, side) for name in self.looked_at]
        records = records_of(world, side)
        for person in range(len(people)):
            near = [axis.distance(np.array([person]), records) <= NEAR for axis in axes]
            yield np.stack(near)

    @property
    def n_doubles(self) -> int:
        """People tested with the same record as somebody who is always in."""
        codes = np.stack([of.column.codes for of in self.columns.values()], axis=1)
        others = set(map(tuple, codes[self.always].tolist()))
        return sum(tuple(codes[records[0]].tolist()) in others for records in self.tested)


def _as_compared(levels: Levels) -> Column:
    """What is said of a column where its amounts are numbers and all else is equal or not."""
    if not levels.is_amount.any():
        return Column(kind="category")
    if levels.column.kind != "number":
        return Column()
    numbers = levels.column.numbers
    return Column(special=tuple(numbers[~levels.is_amount & np.isfinite(numbers)].tolist()))


def _pool_of(study: Study, people: int, seed: int) -> _Pool:
    """People of the original who are tested; of the control sample phantoms, and strangers."""
    n = study.people(study.control_number)[1]
    if n < 2:
        raise InputError("The control sample has too few people to test anybody.")
    names = compared(study)
    looked_at = sorted(names, key=lambda name: -study.column(name).n_levels)[:MOST_COLUMNS]
    tested = attacked(study, ORIGINAL, min(people, n // 2), seed).records
    order = np.random.default_rng(seed).permutation(n)
    unused = attacked(study, study.control_number, n, seed).records
    phantoms, strangers = np.split(order, [len(tested)])
    rows = np.arange(study.rows[ORIGINAL].stop)
    return _Pool(
        columns={name: study.once(levels_of, name) for name in names},
        looked_at=looked_at,
        tested=tested,
        phantoms=[unused[person] for person in phantoms],
        strangers=[unused[person] for person in strangers],
        always=in_order(study, names, np.setdiff1d(rows, np.concatenate(tested))),
    )


def _counts(agrees: Mask) -> Ints:
    """Records that agree in each set of up to three columns, and in all columns but a few.

    The columns in which a record agrees are the bits of one number; records are counted by it, and
    counts added over all that hold a set.
    """
    p = len(agrees)
    counts = np.bincount(2 ** np.arange(p) @ agrees, minlength=2**p)
    sizes = np.bitwise_count(np.arange(2**p))
    nearly = [counts[sizes >= p - missing].sum() for missing in range(min(NEARLY, p))]
    for bit in range(p):
        halves = counts.reshape(-1, 2, 2**bit)
        halves[:, 0] += halves[:, 1]
    return np.append(counts[(sizes > 0) & (sizes <= WIDEST)], nearly).astype(np.int32)


def _scores(counts: Ints, coins: Mask, half: int) -> Floats:
    """How much each world looks like one with the person, learnt in the first half of the worlds.

    One ridge regression teaches what all people share, of those tested alone; one of each person,
    phantoms too, what it leaves. A score is in units of the person's own worlds without.
    """
    from sklearn.linear_model import Ridge
    from threadpoolctl import threadpool_limits

    k = counts.shape[1] // 2
    taught = counts[:half]
    deviation = taught.std(axis=0)
    z = (counts - taught.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    y = coins[:half] - coins[:half].mean(axis=0)
    with threadpool_limits(1):
        common = Ridge(alpha=COMMON).fit(z[:half, :k].reshape(half * k, -1), y[:, :k].ravel())
        scores = common.predict(z.reshape(-1, z.shape[2])).reshape(coins.shape)
        for person in range(2 * k):
            own = Ridge(alpha=OWN).fit(z[:half, person], y[:, person] - scores[:half, person])
            scores[:, person] += own.predict(z[:, person])
    without = np.ma.array(scores[:half], mask=coins[:half])
    deviation = without.std(axis=0).filled(0)
    return np.asarray(
        (scores - without.mean(axis=0).filled(0)) / np.where(deviation > 1e-9, deviation, 1)
    )


def _row(scores: Floats, coins: Mask, pool: _Pool, worlds: int, level: float) -> RecognitionRow:
    """The figures of the worlds that test; none but the self-test where it fails."""
    k, z = pool.k, z_of(level)
    sides = [(of[is_in], of[~is_in]) for of, is_in in zip(scores.T, coins.T, strict=True)]
    aucs = np.array([auc(*side)[0] for side in sides])
    error, margin = (float(of.std(ddof=min(k - 1, 1))) / sqrt(k) for of in (aucs[:k], aucs[k:]))
    self_test = fsum(aucs[k:]) / k
    figures: dict[str, Figure] = {}
    if abs(self_test - 0.5) <= max(AGREED, 3 * margin):
        mean = fsum(aucs[:k]) / k
        hits, alarms = _called(sides, k)
        figures = {
            "AUC": mean, "AUC_low": max(mean - z * error, 0), "AUC_high": min(mean + z * error, 1),
            "shown": float(_n_shown(sides[:k], level)), "hit_rate": hits, "false_alarms": alarms,
            "epsilon": _epsilon(sides[:k], level),
        }  # fmt: skip
    return RecognitionRow(
        people=k, worlds=worlds, doubles=pool.n_doubles, self_test=self_test, **figures
    )


def _called(sides: Sides, k: int) -> tuple[float, float]:
    """Worlds above the score that 1 % of all worlds without exceed: with people, with phantoms."""
    ours, without = (np.concatenate(scores) for scores in zip(*sides[:k], strict=True))
    cut = np.sort(without)[::-1][floor(ALARMS * len(without))]
    phantoms = np.concatenate([scores for side in sides[k:] for scores in side])
    return float((ours > cut).mean()), float((phantoms > cut).mean())


def _n_shown(sides: Sides, level: float) -> int:
    """People whose worlds score higher with them, by rank sums, all judged together."""
    from scipy.stats import mannwhitneyu

    p = [mannwhitneyu(*side, alternative="greater").pvalue for side in sides]
    return int((np.array(p) * len(p) <= 1 - level).sum())


def _epsilon(sides: Sides, level: float) -> float:
    """The log of lowest hits to highest false alarms, by Clopper and Pearson, of the worst person.

    The threshold is set beforehand; the level holds for all people together.
    """
    from scipy.stats import binomtest

    each, bounds = 1 - (1 - level) / len(sides), [0.0]
    for side in sides:
        hits, alarms = (
            binomtest(int((scores > CLEAR).sum()), len(scores)).proportion_ci(each, "exact")
            for scores in side
        )
        bounds.append(log(max(hits.low, 1e-12) / alarms.high))
    return max(bounds)
