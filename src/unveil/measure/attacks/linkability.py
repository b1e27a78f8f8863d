"""`unveil.linkability`: would synthetic data tell that records in two files are the same person?

The intruder has some columns of a person in one file and others in a second one. If the synthetic
records nearest to the first and those nearest to the second have one in common, the two are linked.
Giomi et al. (2023), as Anonymeter 1.1.0 implements it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.arguments import is_list, parse_whole_number, quote_value
from unveil.arrays import Floats, Ints
from unveil.errors import RolesError, SettingsError, list_names
from unveil.measure.attacks.prepare import (
    COUNTING_PEOPLE,
    SYNTHETIC,
    AttackData,
    check_other_columns,
    prepare_attack,
)
from unveil.measure.attacks.rates import (
    AttacksResult,
    Outcomes,
    attack_row,
    make_result,
    most_successful,
)
from unveil.measure.attacks.samples import check_level, draw_attacked
from unveil.models.neighbours.distances import GowerAxis, axes_of, check_without_a_difference
from unveil.models.neighbours.search import NearestPairs, find, representatives, run_in_pieces
from unveil.seeding import choose_seed
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# How likely do two sets of nearest records have one in common, ties broken at random?
#
# Each set holds the records that are sure to be among the k nearest, and as many of those tied for
# the last place as there is room for, drawn at random, independently for the two.


@dataclass(frozen=True)
class Overlap:
    """For each person: how many are tied and drawn on each side, and how many are on both."""

    tied: Floats
    drawn: Floats
    other_tied: Floats
    other_drawn: Floats
    both_sure: Floats
    tied_and_sure: Floats  # tied here, sure there
    sure_and_tied: Floats
    both_tied: Floats


def find_overlap(here: NearestPairs, there: NearestPairs, k: int, n_rows: int) -> Overlap:
    """Count what two searches for the same persons have in common."""
    ours, theirs = (f.row.astype(np.int64) * n_rows + f.other for f in (here, there))
    _, mine, its = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    person, tied, other_tied = here.row[mine], here.is_tied[mine], there.is_tied[its]

    def count_persons(chosen: np.ndarray) -> Floats:
        return np.bincount(person[chosen], minlength=here.n_rows).astype(np.float64)

    n_tied = [found.sum_by_row(found.is_tied) for found in (here, there)]
    n_drawn = [k - found.sum_by_row(~found.is_tied) for found in (here, there)]
    return Overlap(
        n_tied[0],
        n_drawn[0],
        n_tied[1],
        n_drawn[1],
        count_persons(~tied & ~other_tied),
        count_persons(tied & ~other_tied),
        count_persons(~tied & other_tied),
        count_persons(tied & other_tied),
    )


def chance_to_meet(found: Overlap, k: int) -> Floats:
    """The probability that the two sets have a record in common, for each person.

    Notes
    -----
    Let a of t records be drawn here, b of u there, w be tied on both sides, x tied here and sure
    there, y sure here and tied there. If some record is sure on both sides, 1. Otherwise they do
    not meet where the draw here misses x, the draw there misses y, and the two draws miss each
    other in w. With j of those drawn here from w (a multivariate hypergeometric count)::

        P(none) = sum_j C(w, j) C(t - x - w, a - j) / C(t, a) * C(u - y - j, b) / C(u, b)

    With k = 1 this leaves w / (t u) for P(some). Our derivation; Anonymeter keeps the first k of
    an unstable sort.
    """
    t, a = found.tied, found.drawn.astype(np.int64)
    u, b = found.other_tied, found.other_drawn.astype(np.int64)
    x, y, w = found.tied_and_sure, found.sure_and_tied, found.both_tied
    person = np.arange(len(t))
    of_both, of_rest = _log_chooses(w, k), _log_chooses(t - x - w, k)
    here = -_log_chooses(t, k)[a, person]
    there = _log_chooses(u - y, k)[b, person] - _log_chooses(u, k)[b, person]
    none = np.zeros(len(t))
    for j in range(k + 1):
        logs = of_both[j] + of_rest[np.maximum(a - j, 0), person] + here + there
        none += np.where(j <= a, np.exp(logs), 0.0)
        left = np.maximum(u - y - j, b)  # C(left - 1, b) = C(left, b) (left - b) / left
        there = there + _log((left - b) / left)
    return np.where(found.both_sure > 0, 1.0, np.clip(1 - none, 0.0, 1.0))


def chance_of_random_sets(n_rows: int, k: int) -> float:
    """The probability that two random sets of k of n records meet: 1 - C(n - k, k) / C(n, k)."""
    if 2 * k > n_rows:
        return 1.0
    return float(-np.expm1(np.log1p(-k / (n_rows - np.arange(k))).sum()))


def _log_chooses(n: Floats, most: int) -> Floats:
    """The logarithm of C(n, j) for j = 0 to `most`; minus infinity where there is no choice.

    Added up factor by factor: the difference of logarithms of large factorials loses digits.
    """
    j = np.arange(most)[:, np.newaxis]
    factors = _log(np.maximum(n - j, 0) / (j + 1))
    return np.concatenate((np.zeros((1, len(n))), np.cumsum(factors, axis=0)))


def _log(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(shares)
    return logs


@takes_study
def linkability(
    original: Any,
    synthetic: Any,
    *,
    columns: Sequence[str | Iterable[str]],
    control: Any = None,
    k: int = 1,
    categorical: str | Iterable[str] = (),
    n: int | None = None,
    level: float = 0.95,
    seed: int | None = None,
    person: str | None = None,
    time: str | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> AttacksResult:
    """Link two parts of each record through the synthetic data, and say how often it succeeds.

    Parameters
    ----------
    original, synthetic, control
        As in `unveil.inference`.
    columns
        The two sets of columns, such as ``(["age", "sex"], ["income", "job"])``; none in both.
    k
        How many of the nearest synthetic records are looked at, on each side.
    categorical, n, level, seed, person, time, special_codes, missing_values, progress
        As in `unveil.inference`.

    Returns
    -------
    AttacksResult
        `.rows`, one: main, naive and control rates, R, and its intervals.

    Notes
    -----
    Where more than k records are nearest, as many as there is room for are drawn at random; the
    success of a person is the probability that the two sets then meet, exactly. The naive attack
    draws two sets of k at random; its success is exact too: 1 - C(n - k, k) / C(n, k).

    References
    ----------
    Giomi et al. (2023), after Anonymeter 1.1.0. Ties are ours: see docs/measures/linkability.md.
    """
    progress = progress or no_progress
    level, seed, k = check_level("level", level), choose_seed(seed), parse_whole_number("k", k)
    n = None if n is None else parse_whole_number("n", n)
    parts = _two_sets(columns)
    codes = names(categorical, "Categorical columns")
    check_other_columns("categorical", codes, [*parts[0], *parts[1]])
    data = prepare_attack(
        original,
        synthetic,
        control,
        columns=(*parts[0], *parts[1]),
        person=person,
        time=time,
        counting=COUNTING_PEOPLE,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    _check_too_many(k, data)
    victims = draw_attacked(data, n, seed)
    axes = _axes(data, parts, codes)
    tried = []
    for intruder in data.intruders:
        chances = _chances(intruder, axes, victims.rows, k, progress)
        main, of_control = victims.parts(chances)
        n_compared = intruder.compared_sides.rows[SYNTHETIC]
        naive = np.full(len(main), chance_of_random_sets(n_compared, k))
        row = attack_row(
            victims.by_person(Outcomes(main, naive, of_control)),
            attack="linkability",
            level=level,
            seed=seed,
            method=intruder.nearest,
            n_requested=n,
            keys=parts[0],
            other_keys=parts[1],
        )
        tried.append([row])
    found = most_successful(tried)
    return make_result(data, found, level=level, seed=seed, k=k, warnings=victims.warnings)


def _two_sets(columns: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not is_list(columns) or len(columns) != 2:
        said = f"columns is {quote_value(columns)}"
        if is_list(columns):
            said = f"The number of sets of columns is {len(columns):,}"
        raise RolesError(
            f"{said}. Give two, one for each file that is to be linked, such as (['age', 'sex'],"
            " ['income'])."
        )
    first, second = (names(part, "Columns") for part in columns)
    if not first or not second:
        raise RolesError(
            "One of the two sets of columns is empty. Name at least one column in each."
        )
    both = [name for name in first if name in second]
    if both:
        raise RolesError(
            f"{list_names(repr(name) for name in both)} cannot be in both sets of columns: the two"
            " files could be linked by it without the synthetic data. Remove it from one of the"
            " two."
        )
    return first, second


def _axes(
    data: AttackData, parts: Sequence[Sequence[str]], categorical: Sequence[str]
) -> list[tuple[GowerAxis, ...]]:
    """What the intruder knows in each of the two files."""
    axes = [axes_of((c for c in data.columns if c.name in part), categorical) for part in parts]
    for part in axes:
        check_without_a_difference(part)
    return axes


def _check_too_many(k: int, data: AttackData) -> None:
    n, units = data.compared_sides.rows[SYNTHETIC], "records"
    if data.sequences is not None:
        units = "people"
    if k > n:
        raise SettingsError(
            f"k is {k:,}, but the synthetic data have {n:,} {units}. Give a smaller k."
        )


def _chances(
    data: AttackData,
    axes: Sequence[tuple[GowerAxis, ...]],
    rows: Ints,
    k: int,
    progress: Progress,
) -> Floats:
    """For each row the probability that its two parts, or those of its person, are linked."""
    axes, persons = [data.along(part) for part in axes], data.compared(rows)
    copy = data.compared_sides.slices[SYNTHETIC]
    n_rows = copy.stop - copy.start
    digits = [(axis.codes, axis.n_levels) for part in axes for axis in part]
    examples, of_person = representatives(digits, persons)

    def task(piece: Ints) -> Floats:
        here, there = (find(part, piece, copy, k=k)[0] for part in axes)
        return chance_to_meet(find_overlap(here, there, k, n_rows), k)

    what = "searching the nearest records"
    return run_in_pieces(examples, n_rows, task, what=what, progress=progress)[of_person]
