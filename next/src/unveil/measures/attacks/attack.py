"""`unveil.attack`: all simulated attacks that the files allow, in one call."""

from collections.abc import Callable
from typing import Annotated, Any

from unveil.arguments import Names, Seed, as_names
from unveil.errors import check_name
from unveil.measures.attacks.inference import inference
from unveil.measures.attacks.linkability import linkability
from unveil.measures.attacks.membership import (
    ClosestRow,
    MembershipRow,
    membership,
    membership_sentences,
)
from unveil.measures.attacks.people import Level, People
from unveil.measures.attacks.rows import Attacks
from unveil.measures.attacks.singling_out import singling_out
from unveil.results import Heading, Result
from unveil.study import Study, measure


class Attack(Attacks, frozen=True, kw_only=True):
    """All simulated attacks on one study."""

    membership: Annotated[tuple[MembershipRow, ...], Heading("Membership by distance")] = ()
    closest: Annotated[tuple[ClosestRow, ...], Heading("Closest people")] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*super().sentences, *membership_sentences(self))

    @property
    def foot(self) -> tuple[str, ...]:
        return (*super().foot, *membership_sentences(self, is_first=True))


ALLOWED: dict[Callable[..., Result], Callable[[Study], bool]] = {
    inference: lambda study: True,
    linkability: lambda study: len(study.keys) > 1,
    singling_out: lambda study: True,
    membership: lambda study: study.has_control,
}
"""The attacks, and whether files allow them."""


@measure
def attack(
    study: Study, *, only: Names = (), level: Level = 0.95, people: People = None,
    seed: Seed = None,
) -> Attack:  # fmt: skip
    """Attack the synthetic data: inference, linkability, singling out and membership.

    Parameters
    ----------
    study
        The files; membership, and R, need a control sample.
    only
        The attacks that are made; all that the files allow if omitted.
    level, people, seed
        As in `inference`.
    """
    by_name = {call.__name__: call for call in ALLOWED}
    for name in as_names(only):
        check_name(name, by_name, "There is no attack ('only')")
    chosen = [by_name[name] for name in as_names(only)]
    calls = chosen or [call for call, is_allowed in ALLOWED.items() if is_allowed(study)]
    settings: dict[str, Any] = {"level": level, "seed": seed}
    results = [
        call(study, **settings, **({} if call is singling_out else {"people": people}))
        for call in calls
    ]
    known = set(study.notes())
    notes = (note for result in results for note in result.notes if note not in known)
    tables: dict[str, Any] = {
        name: tuple(row for result in results for row in getattr(result, name, ()))
        for name in ("attacks", "membership", "closest")
    }
    return Attack(notes=tuple(dict.fromkeys(notes)), **tables)
