"""An intruder with a model: a forest trained on the synthetic data, with interactions of any depth.

The yardstick is the same forest trained on other people's real records, asked about the same
people, and allowed as many claims. Of people with several records it is asked about one.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.measures.attacks.people import Attacked, attacked, axis_of, compared, records_of
from unveil.measures.attacks.rows import ModelRow, Outcome
from unveil.measures.disclosure.others import MOST, together
from unveil.models.intervals import z_of
from unveil.study import ORIGINAL, Side, Study

TREES, LEAST, FOLDS = 100, 3, 10
SUREST = (100, 20)  # percent of people


def by_forest(
    study: Study, side: Side, groups: Sequence[Attacked], tolerance: float, level: float, seed: int
) -> Iterator[tuple[Outcome, list[ModelRow]]]:
    """Of each target: by a forest of the synthetic data, and by their most common value."""
    records = np.random.default_rng(seed).permutation(records_of(study, side))[:MOST]
    people, *control = (group.one_record for group in groups)
    for target in study.targets:
        axes = [axis_of(study, part, side, tolerance) for part in study.joint.get(target, [target])]
        codes = study.column(target).codes
        _, example = np.unique(codes, return_index=True)  # a record of each level

        def is_right(rows: Ints, guesses: Ints) -> Floats:
            masks = [axis.is_right(rows, example[guesses]) for axis in axes]  # noqa: B023
            return np.logical_and.reduce(masks).astype(float)

        shares, *of_control = (
            _shares(study, target, records, rows, seed) for rows in (people, *control)
        )
        commonest = np.full(len(people), np.bincount(codes[records]).argmax())
        outcome = Outcome(
            main=is_right(people, shares.argmax(axis=1)),
            naive=is_right(people, commonest),
            control=is_right(control[0], of_control[0].argmax(axis=1)) if control else None,
        )
        others = study.once(_shares_by_others, target, max(groups[0].n, MOST), seed)[people]
        yield outcome, [
            _model_row(side, target, percent, level, _known(study, target, people), *(
                (of.max(axis=1), is_right(people, of.argmax(axis=1))) for of in (shares, others)
            ))
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
    forest = RandomForestClassifier(
        TREES, min_samples_leaf=LEAST, max_features=None, random_state=seed
    )
    forest.fit(_known(study, target, taught), column.codes[taught])
    shares = np.zeros((len(rows), column.n_levels))
    shares[:, forest.classes_] = forest.predict_proba(_known(study, target, rows))
    return shares


def _shares_by_others(study: Study, target: str, n: int, seed: int) -> Floats:
    """The same for up to n people of the original, by the real records of nine tenths of them."""
    from sklearn.model_selection import KFold

    people = attacked(study, ORIGINAL, n, seed).one_record
    shares = np.zeros((study.rows[ORIGINAL].stop, study.column(target).n_levels))
    folds = KFold(min(FOLDS, len(people)), shuffle=True, random_state=seed)
    for others, tested in folds.split(people):
        shares[people[tested]] = _shares(study, target, people[others], people[tested], seed)
    return shares


def _model_row(
    side: Side, target: str, percent: float, level: float, known: Ints,
    ours: tuple[Floats, Floats], others: tuple[Floats, Floats],
) -> ModelRow:  # fmt: skip
    """Each model claims a value of as many people: those of whom it is surest."""
    n, claimed = len(known), round(percent * len(known) / 100)
    right, expected = (
        np.where(np.argsort(np.argsort(-sure, kind="stable")) < claimed, is_right, 0)
        for sure, is_right in (ours, others)
    )
    _, alike = np.unique(known, axis=0, return_inverse=True)
    correct, by_others = float(right.sum()), float(expected.sum())
    beyond = correct - by_others
    return ModelRow(
        version=side.version, copy=side.copy, target=target, surest=percent, claimed=claimed,
        correct=correct, expected=by_others,
        precision=correct / claimed if claimed else None,
        precision_others=by_others / claimed if claimed else None,
        recall=correct / n, recall_others=by_others / n,
        beyond=beyond, low=beyond - z_of(level) * together(alike, right - expected),
    )  # fmt: skip
