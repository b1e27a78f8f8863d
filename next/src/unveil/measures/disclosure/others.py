"""How much of what synthetic data state about people would other people's records tell anyway?

Two models learn a target from the keys of other people of the original, a regression of main
effects and a forest of all keys; the one that fits better gives each person the probability of each
value. They are made once for a target, and then score every file and copy. Of people with several
records one record is drawn: a person's own records are not other people's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import CellProfile, Mask
from unveil.measures.disclosure.formulas import AttributeRow
from unveil.measures.disclosure.learners import Chances, learn
from unveil.results import Note
from unveil.study import ALONE, ORIGINAL, Study

Z = 1.96  # standard errors in half of a 95 % interval
FEWEST, MOST = 50, 20_000  # people from whom to learn; of more, a sample is learnt from and scored


class SelfTest(NamedTuple):
    """What is beyond, for each claim, where a quarter of the people play the synthetic data.

    Nobody's own record is in it, so it should be 0; what is above 0 counts as expected.
    """

    of_claims: float
    error: float  # its standard error
    of_exceptions: float


class Score(NamedTuple):
    """What is correct of some claims beside what others' records give, in people."""

    expected: float
    beyond: float
    margin: float  # of chance alone
    low: float  # of chance, and of the self-test


@dataclass(frozen=True, eq=False)
class Others:
    """The probability of each target level for each person of a sample, by others' records."""

    learner: str
    sample: Ints  # their records, one of each person
    weight: Floats  # how many records each stands for
    n_sampled: float  # people sampled, of how many
    own: Ints  # the level that each has
    q: Ints  # their key combinations, numbered
    group: Ints  # people with the keys of each
    chances: Chances
    self_test: SelfTest

    def score(
        self, is_claimed: Mask, is_right: Mask, chance: Floats, correct: float, files: float,
        weight: Floats | None = None, margins: float = Z,
    ) -> Score:  # fmt: skip
        """Claims about people of the sample; those with the same keys vary together.

        `files` is how many synthetic records there are for each of the original.
        """
        weight = is_claimed * (self.weight if weight is None else weight) / self.n_sampled
        n_tested = self.tested(weight, files)
        surplus = n_tested * max(self.self_test.of_claims, 0)
        beyond = float((weight * (is_right - chance)).sum()) - surplus
        error = together(self.q, weight * (is_right - chance))
        low = beyond - margins * float(np.hypot(error, n_tested * self.self_test.error))
        return Score(correct - beyond, beyond, Z * error, low)

    def tested(self, claims: Floats, files: float) -> float:
        """How many of some claims the self-test speaks of.

        People alone with their keys were in no test. Strangers would match few of them (Good and
        Turing: by the pairs among single people), so it speaks of no more claims than that.
        """
        is_alone = self.group == 1
        n_alone, n_pairs = is_alone.sum(), (self.group == 2).sum() / 2
        matched = n_alone * -np.expm1(-2 * n_pairs / max(n_alone, 1) * files) / self.n_sampled
        return float(claims[~is_alone].sum() + min(claims[is_alone].sum(), matched))


def together(q: Ints, residuals: Floats) -> float:
    """The standard error of a sum in which people with the same keys vary together."""
    return float(np.sqrt((np.bincount(q, residuals) ** 2).sum()))


def learn_others(study: Study, keys: tuple[str, ...], target: str, seed: int) -> Others | None:
    """What other people of the original teach; None where they are too few."""
    n = study.count_people()
    if n < FEWEST:
        return None
    from threadpoolctl import threadpool_limits

    at, weight, q, group = _people_sampled(study, keys, seed)
    codes = np.column_stack([_codes_of(study, name)[at] for name in keys])
    column, own = study.column(target), _codes_of(study, target)[at]
    with threadpool_limits(1):  # more threads fight over small matrices, and add in another order
        learner, chances = learn(codes, own, column.n_levels, seed)
        self_test = _test_on_strangers(codes, own, q, column.n_levels, seed, learner)
    return Others(learner, at, weight, len(at) / n, own, q, group, chances, self_test)


def _people_sampled(
    study: Study, keys: tuple[str, ...], seed: int
) -> tuple[Ints, Floats, Ints, Ints]:
    """A record of each, how many each has, their key combinations, and people with these.

    An engine has drawn them already, and tells of no others.
    """
    if not study.in_memory:
        p = study.profile(None, ALONE)
        q = p.cells.keys.q
        return np.arange(len(q)), np.ones(len(q)), q, p.to_people(p.d_q)
    person, _ = study.people()
    random = np.random.default_rng(seed)
    order = random.permutation(len(person))
    _, first = np.unique(person[order], return_index=True)  # one record of each person
    sample = np.sort(random.permutation(order[first])[:MOST])
    q, group = _groups(study, keys, person)
    weight = np.bincount(person)[person[sample]].astype(np.float64)
    return sample, weight, q[sample], group[sample]


def _codes_of(study: Study, name: str) -> Ints:
    """The levels of all people, or of those whom an engine has drawn."""
    if not study.in_memory:
        return study.drawn(name)
    return study.column(name).codes[study.rows[ORIGINAL]]


def _groups(study: Study, keys: tuple[str, ...], person: Ints) -> tuple[Ints, Ints]:
    """The key combination of each record, and how many people have it."""
    _, packed, _ = study.once(Study._pack, keys)
    _, q = np.unique(packed[study.rows[ORIGINAL]], return_inverse=True)
    holders = np.unique(q * (person.max() + 1) + person) // (person.max() + 1)
    return q, np.bincount(holders)[q]


def why_nothing_is_expected(study: Study, rows: Sequence[AttributeRow]) -> Iterator[Note]:
    """Why there is no yardstick, of each unit of rows that lack it."""
    n, reason = study.count_people(), "the records of some people differ"
    if n < FEWEST:
        reason = f"{n:,} {study.unit} are too few (fewer than {FEWEST})"
    for unit in dict.fromkeys(row.unit for row in rows if row.expected is None):
        sentence = f"What others' records tell is not measured of {unit}: {reason}."
        yield Note(about="attribute.expected", sentence=sentence)


def _test_on_strangers(
    keys: Ints, target: Ints, q: Ints, n_levels: int, seed: int, learner: str
) -> SelfTest:
    """A quarter of the people play the synthetic data for all others."""
    order = np.random.default_rng(seed).permutation(len(target))
    records, people = np.split(order, [len(order) // 4])
    low, high = np.full(q.max() + 1, n_levels), np.full(q.max() + 1, -1)
    np.minimum.at(low, q[records], target[records])
    np.maximum.at(high, q[records], target[records])
    shown, own = np.where(low == high, high, -1)[q[people]], target[people]
    _, chances = learn(keys[people], own, n_levels, seed, [learner])
    is_right, is_claimed = shown == own, shown >= 0
    is_exception = is_claimed & ~chances.is_likeliest(own)
    of_claims = (is_right - chances.of(shown)) * is_claimed
    of_exceptions = (is_right - chances.of(own)) * is_exception
    n_claims, n_exceptions = max(is_claimed.sum(), 1), max(is_exception.sum(), 1)
    return SelfTest(
        of_claims=float(of_claims.sum() / n_claims),
        error=together(q[people], of_claims) / n_claims,
        of_exceptions=float(of_exceptions.sum() / n_exceptions),
    )


def beside_others(
    row: AttributeRow, p: CellProfile, others: Others | None, margins: float = Z
) -> AttributeRow:
    """Correct claims beside what other people's records give, with a bound so many errors low."""
    if others is None or row.correct is None:
        return row
    at, own, chances, files = others.sample, others.own, others.chances, p.N_s / p.N_d
    shown, chance_of_own = p.to_people(p.claimed)[at], chances.of(own)
    is_right, weight = shown == own, others.weight / others.n_sampled
    score = others.score(
        shown >= 0, is_right, chances.of(shown), row.correct, files, margins=margins
    )
    is_determined = weight * (p.of_people(p.pd_is_1)[at] & p.is_counted[at])
    surplus = others.tested(is_determined, files) * max(others.self_test.of_claims, 0)
    is_exception = (shown >= 0) & p.is_counted[at] & (others.group > 1)
    is_exception &= ~chances.is_likeliest(own)
    chance = is_exception * (chance_of_own + max(others.self_test.of_exceptions, 0))
    return msgspec.structs.replace(
        row,
        **score._asdict(),
        reach=float((is_determined * (1 - chance_of_own)).sum() - surplus),
        exceptions=round(weight[is_exception & is_right].sum()),
        exceptions_expected=float((weight * chance).sum()),
        exceptions_margin=Z * float(np.sqrt((weight**2 * chance).sum())),
        learner=others.learner,
        self_test=others.self_test.of_claims,
    )


def people_beside_others(row: AttributeRow, p: CellProfile, others: Others | None) -> AttributeRow:
    """The same where a person counts once; nothing is expected where a person's records differ."""
    person, cell = p.person, p.cells.of_people  # type: ignore[attr-defined]
    _, first = np.unique(person, return_index=True)
    if others is None or row.correct is None or (cell != cell[first][person]).any():
        return row
    at, once = others.sample, np.ones(len(others.sample))
    shown = p.to_people(p.claimed)[at]
    chance = others.chances.of(shown)
    files = p.N_s / p.N_d
    score = others.score(shown >= 0, shown == others.own, chance, row.correct, files, once)
    return msgspec.structs.replace(row, **score._asdict(), learner=others.learner)


def near_beside_others(
    row: AttributeRow, p: CellProfile, values: Floats, others: Others | None
) -> AttributeRow:
    """The same for numbers within a tolerance: the chance of any value near what is shown."""
    if others is None or row.correct is None or p.near is None:
        return row
    low, high = p.near
    is_left_out = (p.marks.d > 0) & (values[p.t] >= low) & (values[p.t] <= high)
    is_claim = p.is_shown & (p.cells.highest(is_left_out.astype(np.int8)) == 0)
    at = others.sample
    is_claimed, is_right = p.of_people(is_claim)[at], p.of_people(p.ps_is_1)[at]
    low, high = (np.where(is_claimed, p.of_people(edge)[at], np.inf) for edge in p.near)
    chance = others.chances.within(values, low, high, others.own)
    score = others.score(is_claimed, is_right & is_claimed, chance, row.correct, p.N_s / p.N_d)
    return msgspec.structs.replace(row, **score._asdict(), learner=others.learner)
