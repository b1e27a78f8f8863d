"""`unveil.inference`: is a person's secret what the nearest synthetic record says?

Giomi et al. (2023): the intruder knows all other columns, takes the synthetic record nearest to
them, and believes its secret. Where records tie, each is taken with the same chance.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from unveil.arguments import Seed
from unveil.errors import InputError
from unveil.measures.attacks.forest import by_forest
from unveil.measures.attacks.people import (
    Attacked,
    Level,
    People,
    Tolerance,
    axis_of,
    compared,
    groups,
    notes_on,
    records_of,
)
from unveil.measures.attacks.rows import (
    AttackRow,
    Attacks,
    ModelRow,
    Outcome,
    attack_row,
    by_what_is_beyond,
)
from unveil.models.nearest import chances_to_guess
from unveil.progress import steps
from unveil.study import Side, Study, measure


@measure
def inference(
    study: Study, *, model: Literal["nearest", "forest"] = "nearest",
    tolerance: Tolerance = 0.05, level: Level = 0.95, people: People = None, seed: Seed = None,
) -> Attacks:  # fmt: skip
    """Infer each target from all other columns, by the nearest synthetic record or a model.

    Parameters
    ----------
    study
        The files; of keys and targets, all but the one inferred are known to the intruder.
    model
        nearest: the nearest synthetic record; forest: a model trained on the synthetic data.
    tolerance
        How far a number may be off, as a share of the truth; a column's own tolerance goes before.
    level
        Of the intervals.
    people
        How many people are attacked, drawn at random; all, but at most 5,000, if omitted.
    seed
        The start of the random numbers.
    """
    for target in study.targets:
        if set(compared(study)) <= set(study.joint.get(target, [target])):
            raise InputError(f"Nothing is left to infer {target!r} from. Name more keys (keys).")
    attacked = groups(study, people, seed or 0)
    rows: list[AttackRow] = []
    models: list[ModelRow] = []
    for side in steps("inference", list(study.sides())):
        outcomes = (
            by_forest(study, side, attacked, tolerance, level, seed or 0)
            if model == "forest"
            else _by_nearest(study, side, attacked, tolerance)
        )
        for target, (outcome, of_model) in zip(study.targets, outcomes, strict=True):
            rows.append(attack_row(
                side, "inference", outcome, target=target, asked=people or len(outcome.main),
                level=level, is_known=study.fraction == 1,
            ))  # fmt: skip
            models += of_model
    notes = tuple(notes_on(study))
    return Attacks(attacks=by_what_is_beyond(rows), model=tuple(models), notes=notes)


def _by_nearest(
    study: Study, side: Side, attacked: Sequence[Attacked], tolerance: float
) -> Iterator[tuple[Outcome, list[ModelRow]]]:
    """Of each target: by the nearest records, and by any record of the synthetic data."""
    axes = {name: axis_of(study, name, side, tolerance) for name in compared(study)}
    secrets = [[axes[part] for part in study.joint.get(t, [t])] for t in study.targets]
    records = records_of(study, side)
    chances = [
        chances_to_guess([*axes.values()], secrets, group.rows, records) for group in attacked
    ]
    for place in range(len(secrets)):
        (main, naive), *control = (
            [group.per_person(of[place]) for of in by_nearest_and_any]
            for group, by_nearest_and_any in zip(attacked, chances, strict=True)
        )
        yield Outcome(main, naive, control[0][0] if control else None), []
