"""`unveil.linkability`: do synthetic data connect two files that each know a part of a person?

Giomi et al. (2023): one file knows some columns of a person, another file others. The intruder
takes the synthetic records nearest by each; if they have one in common, the two are linked.
"""

from typing import Annotated

import numpy as np
from msgspec import Meta

from unveil.arguments import Form, Names, Seed, as_names, split_names
from unveil.errors import InputError, check_name
from unveil.measures.attacks.people import (
    Level,
    People,
    axis_of,
    compared,
    groups,
    notes_on,
    records_of,
)
from unveil.measures.attacks.rows import Attacks, Outcome, attack_row
from unveil.models.nearest import chance_to_link_blindly, chances_to_link
from unveil.progress import steps
from unveil.results.words import join_names
from unveil.study import Study, measure

Parts = Annotated[
    tuple[Names, Names], Form("two lists of columns, such as (('sex', 'age'), 'region')", "NAMES",
                              split_names)
]  # fmt: skip


@measure
def linkability(
    study: Study, *, parts: Parts | None = None,
    neighbours: Annotated[int, Meta(ge=1)] = 1, level: Level = 0.95, people: People = None,
    seed: Seed = None,
) -> Attacks:  # fmt: skip
    """Link two parts of a record, known from different files, through the synthetic data.

    Parameters
    ----------
    study
        The files.
    parts
        The columns of the one and of the other file; the keys in two halves if omitted.
    neighbours
        How many nearest records are taken on each side.
    level, people, seed
        As in `inference`.
    """
    two = halves(study) if parts is None else tuple(as_names(part) for part in parts)
    for name in (name for part in two for name in part):
        check_name(name, compared(study), "There is no key or target ('parts')")
    if not all(two) or set(two[0]) & set(two[1]):
        raise InputError("'parts' takes two lists of columns that have none in common.")
    attacked, rows = groups(study, people, seed or 0), []
    for side in steps("linkability", list(study.sides())):
        axes = [[axis_of(study, name, side) for name in part] for part in two]
        records = records_of(study, side)
        k = min(neighbours, len(records))
        chances = [group.per_person(chances_to_link(axes, k, group.rows, records))
                   for group in attacked]  # fmt: skip
        blind = np.full(attacked[0].n, chance_to_link_blindly(len(records), k))
        main, *control = chances
        rows.append(attack_row(
            side, "linkability", Outcome(main, blind, *control), asked=people or len(main),
            parts=tuple(map(join_names, two)), level=level, is_known=study.fraction == 1,
        ))  # fmt: skip
    return Attacks(attacks=tuple(rows), notes=tuple(notes_on(study)))


def halves(study: Study) -> tuple[tuple[str, ...], ...]:
    """The keys in two halves."""
    if len(study.keys) < 2:
        raise InputError("Linkability needs two keys, or 'parts': what each file knows.")
    half = (len(study.keys) + 1) // 2
    return study.keys[:half], study.keys[half:]
