"""`unveil.linkability`: would the copy tell that two records in two files are the same person?

The intruder has some columns of a person in one file and others in a second one. If the synthetic
records nearest to the first and those nearest to the second have one in common, the two are linked.
Giomi et al. (2023), as Anonymeter 1.1.0 implements it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from unveil.count.packing import Whole
from unveil.count.scenario import Progress, silent
from unveil.count.streams import drawn_seed
from unveil.errors import RolesError, SettingsError, listed
from unveil.measure.attacks.distances import Axis, Floats, axes_of, refuse_without_a_difference
from unveil.measure.attacks.linkability_chance import (
    chance_of_random_sets,
    chance_to_meet,
    overlap,
)
from unveil.measure.attacks.nearest import find, in_pieces, representatives
from unveil.measure.attacks.opening import (
    COUNTING_PEOPLE,
    SYNTHETIC,
    Opened,
    opened,
    refuse_other_columns,
)
from unveil.measure.attacks.rates import Outcomes
from unveil.measure.attacks.rates_record import recorded
from unveil.measure.attacks.rates_row import AttacksResult, attack_row
from unveil.measure.attacks.samples import attacked, level_of, whole_number
from unveil.read.given import is_list, shown
from unveil.read.roles import names


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
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> AttacksResult:
    """Link two parts of each record through the copy, and say how often it succeeds.

    Parameters
    ----------
    original, synthetic, control
        As in `unveil.inference`.
    columns
        The two sets of columns, such as ``(["age", "sex"], ["income", "job"])``; none in both.
    k
        How many of the nearest synthetic records are looked at, on each side.
    categorical, n, level, seed, person, special_codes, missing_values, progress
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
    progress = progress or silent
    level, seed, k = level_of(level), drawn_seed(seed), whole_number("k", k)
    n = None if n is None else whole_number("n", n)
    parts = _two_sets(columns)
    codes = names(categorical, "Categorical columns")
    refuse_other_columns("categorical", codes, [*parts[0], *parts[1]])
    opening = opened(
        original,
        synthetic,
        control,
        columns=(*parts[0], *parts[1]),
        person=person,
        counting=COUNTING_PEOPLE,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    _refuse_too_many(k, opening)
    victims = attacked(opening, n, seed)
    chances = _chances(opening, _axes(opening, parts, codes), victims.rows, k, progress)
    main, of_control = victims.parts(chances)
    naive = np.full(len(main), chance_of_random_sets(opening.n_synthetic, k))
    row = attack_row(
        victims.by_person(Outcomes(main, naive, of_control)),
        attack="linkability",
        level=level,
        seed=seed,
        method="nearest records",
        n_requested=n,
        keys=parts[0],
        other_keys=parts[1],
    )
    return recorded(opening, [row], level=level, seed=seed, k=k, warnings=victims.warnings)


def _two_sets(columns: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not is_list(columns) or len(columns) != 2:
        said = f"columns is {shown(columns)}"
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
            f"{listed(repr(name) for name in both)} cannot be in both sets of columns: the two"
            " files could be linked by it without a copy. Take it out of one of the two."
        )
    return first, second


def _axes(
    opening: Opened, parts: Sequence[Sequence[str]], categorical: Sequence[str]
) -> list[tuple[Axis, ...]]:
    """What the intruder knows in each of the two files."""
    axes = [axes_of((c for c in opening.columns if c.name in part), categorical) for part in parts]
    for part in axes:
        refuse_without_a_difference(part)
    return axes


def _refuse_too_many(k: int, opening: Opened) -> None:
    if k > opening.n_synthetic:
        raise SettingsError(
            f"k is {k:,}, but the copy has {opening.n_synthetic:,} records. Give a smaller k."
        )


def _chances(
    opening: Opened,
    axes: Sequence[tuple[Axis, ...]],
    persons: Whole,
    k: int,
    progress: Progress,
) -> Floats:
    """For each person the probability that their two parts are linked."""
    copy = opening.slice_of(SYNTHETIC)
    digits = [(axis.codes, axis.n_levels) for part in axes for axis in part]
    examples, of_person = representatives(digits, persons)

    def task(piece: Whole) -> Floats:
        here, there = (find(part, piece, copy, k=k)[0] for part in axes)
        return chance_to_meet(overlap(here, there, k, opening.n_synthetic), k)

    what = "searching the nearest records"
    return in_pieces(examples, opening.n_synthetic, task, what=what, progress=progress)[of_person]
