"""`unveil.inference`: do synthetic data disclose the rest of a person who is known in part?

The intruder takes the synthetic record nearest to what they know, and believes what it says of the
secret. People whose records were not used (the control) are guessed too: what succeeds with them is
general knowledge, and R is what is left. Giomi et al. (2023), as Anonymeter 1.1.0 implements it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from unveil.arguments import parse_whole_number
from unveil.arrays import Floats, Ints
from unveil.errors import RolesError, list_names
from unveil.measure.attacks.inference_scores import (
    GuessTolerance,
    Secret,
    can_be_grouped,
    parse_tolerance,
    score_by_keys,
    score_by_nearest_keys,
    score_by_sequences,
    score_together,
    secret_of,
)
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
from unveil.measure.attacks.samples import (
    MOST_GROUPS,
    AttackedRows,
    check_level,
    draw_attacked,
    groups_of,
    n_groups,
)
from unveil.models.neighbours.distances import GowerAxis, axes_of, check_without_a_difference
from unveil.records.attacks import AttackRow
from unveil.seeding import choose_seed
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# Every secret guessed for every person: counted where that can be, searched where it cannot.


@dataclass(frozen=True)
class Guess:
    """One secret, what it was guessed from and how, and each person's chance of being guessed."""

    secret: Secret
    keys: tuple[str, ...]
    method: str
    shares: Floats


def score_guesses(
    data: AttackData,
    axes: tuple[GowerAxis, ...],
    secrets: Sequence[Secret],
    persons: Ints,
    progress: Progress,
) -> Iterator[Guess]:
    """Guess every secret: by counting where that can be, others in one search for all of them."""
    copy = data.slice_of(SYNTHETIC)
    keys = {s.name: [axis for axis in axes if axis.name != s.name] for s in secrets}
    if data.sequences is not None:
        yield from _guess_sequences(data, keys, secrets, persons, progress)
        return
    left = [secret for secret in secrets if not can_be_grouped(keys[secret.name], secret)]
    shares = _search_secrets(axes, left, persons, copy, progress)
    for done, secret in enumerate(secrets):
        names_of_keys = tuple(axis.name for axis in keys[secret.name])
        if secret.name in shares:
            yield Guess(secret, names_of_keys, "nearest records", shares[secret.name])
            continue
        progress(f"counting the keys of {secret.name}", done, len(secrets))
        columns = [data.column(name) for name in names_of_keys]
        of_persons = score_by_keys(columns, secret, persons, copy)
        yield Guess(secret, names_of_keys, "key combinations", of_persons)


def _guess_sequences(
    data: AttackData,
    keys: Mapping[str, Sequence[GowerAxis]],
    secrets: Sequence[Secret],
    rows: Ints,
    progress: Progress,
) -> Iterator[Guess]:
    """Guess every secret from all rows of a person: one search for all with the same keys."""
    assert data.sequences is not None
    searched: dict[tuple[str, ...], list[Secret]] = {}
    for secret in secrets:
        searched.setdefault(tuple(axis.name for axis in keys[secret.name]), []).append(secret)
    for names_of_keys, some in searched.items():
        axes = data.along(keys[some[0].name])
        found = score_by_sequences(axes, some, data.sequences, rows, progress)
        for secret, shares in zip(some, found, strict=True):
            yield Guess(secret, names_of_keys, data.nearest, shares)


def _search_secrets(
    axes: tuple[GowerAxis, ...],
    secrets: Sequence[Secret],
    persons: Ints,
    copy: slice,
    progress: Progress,
) -> dict[str, Floats]:
    """Search for all secrets that are no axis at once, and for all that are one at once."""
    known = [axis.name for axis in axes]
    among = [secret for secret in secrets if secret.name in known]
    apart = [secret for secret in secrets if secret.name not in known]
    if len(among) == 1:  # nothing to share: the search without its axis is the shorter one
        own = tuple(axis for axis in axes if axis.name != among[0].name)
        return _search_secrets(own, among, persons, copy, progress)
    found: dict[str, Floats] = {}
    for chosen, search in ((among, score_together), (apart, score_by_nearest_keys)):
        if chosen:
            shares = search(axes, chosen, persons, copy, progress)
            found |= {secret.name: of for secret, of in zip(chosen, shares, strict=True)}
    return found


@takes_study
def inference(
    original: Any,
    synthetic: Any,
    *,
    control: Any = None,
    secrets: str | Iterable[str] | None = None,
    keys: str | Iterable[str] | None = None,
    without: str | Iterable[str] = (),
    tolerance: float = 0.05,
    absolute: Mapping[str, float] | None = None,
    categorical: str | Iterable[str] = (),
    groups: bool = False,
    n: int | None = None,
    level: float = 0.95,
    seed: int | None = None,
    person: str | None = None,
    time: str | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> AttacksResult:
    """Guess each secret of each person from the nearest synthetic record; how often is it right?

    Parameters
    ----------
    original, synthetic
        The records that the synthetic data were made from, and the synthetic data, in any of the
        forms of `unveil.disclosure`.
    control
        Records of the same kind that were not used. Without it there is no R.
    secrets
        The columns to be guessed, each by itself; all that are not keys where none are named.
    keys
        What the intruder knows; for each secret all other columns where none are named.
    without
        Columns that are neither, such as numbers of records.
    tolerance
        How far the guess of a number may be off, as a share of the truth.
    absolute
        The same for some columns in their own unit, as in ``{"income": 50}``.
    categorical
        Columns of numbers that are codes: 0 or 1 apart, and right only when equal.
    groups
        Whether to add, for each secret, a row for each of its values.
    n
        How many records to attack; all where none is given. With a control both sides are cut to
        the smaller one.
    level
        Of the intervals.
    seed
        Of the sample and of the bootstrap; drawn, and recorded, where none is given.
    person
        The column that says whose row it is: each person is one attack then, whose success is the
        mean over their rows. Without one every row is a person.
    time
        The column by which the rows of a person follow one another: the intruder then knows the
        keys in all rows of a person, and takes the synthetic person nearest in all of them.
    special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    AttacksResult
        `.rows`, one for each secret: main, naive and control rates, R, and its intervals.

    Notes
    -----
    Where several synthetic records are nearest, one is taken at random; the success of a person is
    the share of them that are right, exactly. With keys that are all categories it is GCAP. The
    naive guess is the secret of any synthetic record; its success is an exact expectation too.

    References
    ----------
    Giomi et al. (2023), after Anonymeter 1.1.0. Missing values, special codes, ties, what the
    tolerance is a share of, and R below 0 are ours: see docs/measures/inference.md.
    """
    progress = progress or no_progress
    allowed, level = parse_tolerance(tolerance, absolute), check_level("level", level)
    seed, n = choose_seed(seed), None if n is None else parse_whole_number("n", n)
    known = None if keys is None else names(keys, "Keys")
    asked = None if secrets is None else names(secrets, "Secrets")
    codes = names(categorical, "Categorical columns")
    _check_nothing_or_both(known, asked)
    data = prepare_attack(
        original,
        synthetic,
        control,
        columns=None if known is None or asked is None else (*known, *asked),
        named=(*(known or ()), *(asked or ())),
        without=without,
        person=person,
        time=time,
        counting=COUNTING_PEOPLE,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    guessed, axes = _roles(data, known, asked, allowed, codes)
    victims = draw_attacked(data, n, seed)
    tried: dict[str, list[list[AttackRow]]] = {secret.name: [] for secret in guessed}
    for intruder in data.intruders:
        for guess in score_guesses(intruder, axes, guessed, victims.rows, progress):
            outcomes = _outcomes(data, guess, victims)
            rows = _rows(guess, victims, outcomes, groups=groups, level=level, seed=seed)
            tried[guess.secret.name].append([*rows])
    found = [row for of_secret in tried.values() for row in most_successful(of_secret)]
    return make_result(data, found, level=level, seed=seed, k=1, warnings=victims.warnings)


def _roles(
    data: AttackData,
    keys: Sequence[str] | None,
    secrets: Sequence[str] | None,
    tolerance: GuessTolerance,
    categorical: Sequence[str],
) -> tuple[tuple[Secret, ...], tuple[GowerAxis, ...]]:
    """The secrets, and what they are guessed from; a secret may be key of another."""
    compared = [column.name for column in data.columns]
    check_other_columns("absolute", list(tolerance.absolute), compared)
    check_other_columns("categorical", categorical, compared)
    _check_codes_with_a_distance(tolerance, categorical)
    guessed = _secrets(data, keys, secrets, tolerance, categorical)
    known = [column for column in data.columns if keys is None or column.name in keys]
    axes = axes_of(known, categorical)
    _check_unknowable(axes, guessed)
    return guessed, axes


def _check_codes_with_a_distance(tolerance: GuessTolerance, categorical: Sequence[str]) -> None:
    both = [name for name in tolerance.absolute if name in categorical]
    if both:
        raise RolesError(
            f"{list_names(repr(name) for name in both)} cannot be categorical and have an absolute"
            " tolerance: codes are the same or not, never near. Remove it from one of the two."
        )


def _check_nothing_or_both(keys: Sequence[str] | None, secrets: Sequence[str] | None) -> None:
    for given, what, use in (
        (keys, "keys", "the intruder would know"),
        (secrets, "secrets", "the intruder would learn"),
    ):
        if given is not None and not given:
            raise RolesError(f"No {what} are given. Name the columns {use}, or omit {what}.")
    both = [name for name in secrets or () if name in (keys or ())]
    if both:
        raise RolesError(
            f"{list_names(repr(name) for name in both)} cannot be key and secret: what the"
            " intruder knows already cannot be inferred. Remove it from one of the two."
        )


def _secrets(
    data: AttackData,
    keys: Sequence[str] | None,
    secrets: Sequence[str] | None,
    tolerance: GuessTolerance,
    categorical: Sequence[str],
) -> tuple[Secret, ...]:
    chosen = secrets or [c.name for c in data.columns if c.name not in (keys or ())]
    if not chosen:
        raise RolesError("Every column is a key, so there is nothing to infer. Name fewer keys.")
    return tuple(secret_of(data.column(name), tolerance, categorical) for name in chosen)


def _check_unknowable(axes: Sequence[GowerAxis], secrets: Sequence[Secret]) -> None:
    """Refuse a secret with no other column, or none that tells anybody apart."""
    for secret in secrets:
        keys = [axis for axis in axes if axis.name != secret.name]
        if not keys:
            raise RolesError(
                f"There is no other column from which {secret.name!r} could be inferred. Give files"
                " with two columns or more."
            )
        check_without_a_difference(keys)


def _outcomes(data: AttackData, guess: Guess, victims: AttackedRows) -> Outcomes:
    main, control = victims.parts(guess.shares)
    naive = guess.secret.by_chance(victims.original, data.slice_of(SYNTHETIC))
    return Outcomes(main, naive, control)


def _rows(
    guess: Guess,
    victims: AttackedRows,
    outcomes: Outcomes,
    *,
    groups: bool,
    level: float,
    seed: int,
) -> Iterator[AttackRow]:
    """The row of one secret, and where asked for those of its values."""
    secret = guess.secret
    row = partial(
        attack_row,
        attack="inference",
        target=secret.name,
        keys=guess.keys,
        level=level,
        seed=seed,
        method=guess.method,
    )
    n_values = n_groups(secret, victims.rows) if groups else 0
    said = (
        f"There are no groups: {secret.name!r} has {n_values:,} values, and groups are shown for"
        f" {MOST_GROUPS} at most."
    )
    too_many = [said] if n_values > MOST_GROUPS else []
    yield row(victims.by_person(outcomes), n_requested=victims.n_requested, warnings=too_many)
    if groups and not too_many:
        for group in groups_of(secret, victims, outcomes):
            yield row(group.outcomes, group=group.name, n_requested=None)
