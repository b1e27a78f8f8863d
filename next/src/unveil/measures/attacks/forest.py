"""An intruder with a model: a forest trained on the synthetic data, with interactions of any depth.

The yardstick is the same forest trained on other people's real records, asked about the same
people, and allowed as many claims. Of people with several records it is asked about one.
"""

import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError
from unveil.measures.attacks.people import Attacked, attacked, axis_of, compared, records_of
from unveil.measures.attacks.rows import ModelRow, Outcome
from unveil.measures.disclosure.others import MOST, together
from unveil.models.intervals import z_of
from unveil.study import ORIGINAL, Side, Study

TREES, LEAST, FOLDS = 100, 3, 10
SUREST = (100, 20)  # percent of people
MANY = 500  # levels: every leaf of every tree holds a share of each
PARTS, LEFT_OUT = 10, 5  # how often a forest is taught without a fifth of the release


def by_forest(
    study: Study, side: Side, groups: Sequence[Attacked], tolerance: float, level: float, seed: int
) -> Iterator[tuple[Outcome, list[ModelRow]]]:
    """Of each target: by a forest of the synthetic data, and by their most common value."""
    random = np.random.default_rng(seed)
    records = random.permutation(records_of(study, side))[:MOST]
    people, *control = (group.one_record for group in groups)
    for target in study.targets:
        axes = [axis_of(study, part, side, tolerance) for part in study.joint.get(target, [target])]
        codes = study.column(target).codes
        _, example = np.unique(codes, return_index=True)  # a record of each level
        known = _known(study, target, people)

        def is_right(rows: Ints, guesses: Ints) -> Floats:
            masks = [axis.is_right(rows, example[guesses]) for axis in axes]  # noqa: B023
            return np.logical_and.reduce(masks).astype(float)

        def claims(taught: Ints, rows: Ints) -> tuple[Floats, Floats]:
            shares = _shares(study, target, taught, rows, seed)  # noqa: B023
            return shares.max(axis=1), is_right(rows, shares.argmax(axis=1))

        sure, right = claims(records, np.concatenate([people, *control]))
        ours = sure[: len(people)], right[: len(people)]
        everyone, of_others = study.once(_shares_by_others, target, max(groups[0].n, MOST), seed)
        of_others = of_others[np.isin(everyone, people)]
        others = of_others.max(axis=1), is_right(people, of_others.argmax(axis=1))
        size = len(records) - len(records) // LEFT_OUT
        parts = [claims(random.permutation(records)[:size], people) for _ in range(PARTS)]
        yield Outcome(
            main=ours[1],
            naive=is_right(people, np.full(len(people), np.bincount(codes[records]).argmax())),
            control=right[len(people) :] if control else None,
        ), [
            _model_row(side, target, percent, level, known, ours, others, parts)
            for percent in SUREST
        ]  # fmt: skip


def _known(study: Study, target: str, rows: Ints) -> Ints:
    """All other columns of some records."""
    parts = study.joint.get(target, [target])
    names = [name for name in compared(study) if name not in parts]
    return np.column_stack([study.column(name).codes[rows] for name in names])


def _shares(study: Study, target: str, taught: Ints, rows: Ints, seed: int) -> Floats:
    """The probability of each level for some records, by a forest of others."""
    from sklearn.ensemble import RandomForestClassifier

    column = study.column(target)
    if column.n_levels > MANY:
        raise InputError(
            f"{target!r} has {column.n_levels:,} values, and a forest learns at most {MANY:,}."
            f" Compare it in bands (-c {target}:bands=20)."
        )
    forest = RandomForestClassifier(
        TREES, min_samples_leaf=LEAST, max_features=None, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that there are many levels for few records
        forest.fit(_known(study, target, taught), column.codes[taught])
    shares = np.zeros((len(rows), column.n_levels))
    shares[:, forest.classes_] = forest.predict_proba(_known(study, target, rows))
    return shares


def _shares_by_others(study: Study, target: str, n: int, seed: int) -> tuple[Ints, Floats]:
    """Up to n people of the original, and the same by real records of nine tenths of them."""
    from sklearn.model_selection import KFold

    people = attacked(study, ORIGINAL, n, seed).one_record
    shares = np.zeros((len(people), study.column(target).n_levels))
    folds = KFold(min(FOLDS, len(people)), shuffle=True, random_state=seed)
    for others, tested in folds.split(people):
        shares[tested] = _shares(study, target, people[others], people[tested], seed)
    return people, shares


def _model_row(
    side: Side, target: str, percent: float, level: float, known: Ints,
    ours: tuple[Floats, Floats], others: tuple[Floats, Floats],
    parts: Sequence[tuple[Floats, Floats]],
) -> ModelRow:  # fmt: skip
    """Each model claims a value of as many people: those of whom it is surest.

    Chance is in the people, and in what each model was taught: twice the variance of the jackknife
    that leaves out a fifth (Shao and Wu 1989), 4 times that of what such parts of a release tell.
    """
    n, claimed = len(known), round(percent * len(known) / 100)

    def correct(sure: Floats, is_right: Floats) -> Floats:
        return np.where(np.argsort(np.argsort(-sure, kind="stable")) < claimed, is_right, 0)

    right, expected = correct(*ours), correct(*others)
    taught = 2 * (LEFT_OUT - 1) * np.var([correct(*part).sum() for part in parts], ddof=1)
    _, alike = np.unique(known, axis=0, return_inverse=True)
    by_forest, by_others = float(right.sum()), float(expected.sum())
    beyond = by_forest - by_others
    error = np.hypot(together(alike, right - expected), np.sqrt(taught))
    return ModelRow(
        version=side.version, copy=side.copy, target=target, surest=percent, claimed=claimed,
        correct=by_forest, expected=by_others,
        precision=by_forest / claimed if claimed else None,
        precision_others=by_others / claimed if claimed else None,
        recall=by_forest / n, recall_others=by_others / n,
        beyond=beyond, low=beyond - z_of(level) * float(error),
    )  # fmt: skip
