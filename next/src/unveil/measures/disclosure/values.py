"""Which values are shown to whom: by level, declared sensitive ones, and all targets together."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np

from unveil.counts.cells import Floats
from unveil.counts.engines import Claims
from unveil.counts.profile import CellProfile, Mask, PersonProfile
from unveil.results import Copy, Count, Figure, Level, People, Percent, Row
from unveil.study import Side, Study


class ValueRow(Row, frozen=True):
    """One level of a target: who has it, and who is shown it."""

    version: str
    copy: Copy
    target: str
    level: Level
    label: str
    people: Annotated[int, Count("people who have it")]
    correct: Annotated[int, Count("people shown it who have it")]
    wrong: Annotated[int, Count("people shown it who have another")]


def values(p: CellProfile, side: Side) -> Iterator[ValueRow]:
    """Every level of a target."""
    n, is_shown = p.target.n_levels, p.shown >= 0
    shown = np.bincount(p.shown[is_shown], p.d[is_shown], n)
    correct = np.bincount(p.t[p.ps_is_1], p.d[p.ps_is_1], n)
    for code, level in enumerate(p.target.texts):
        yield ValueRow(
            version=side.version, copy=side.copy, target=p.target.name, level=level,
            label=level or "", people=int(p.d_t[code]), correct=int(correct[code]),
            wrong=int(shown[code] - correct[code]),
        )  # fmt: skip


def right_by_shares(p: CellProfile, shares: Floats | None) -> Figure:
    """Of the values shown, how many would be right if each had its public share as chance."""
    if shares is None:
        return None
    return math.fsum(_claims(p) * shares)


def _claims(p: CellProfile) -> Floats:
    """How many people each level is shown to."""
    is_claimed = p.claimed >= 0
    claims = np.bincount(p.claimed[is_claimed], p.n_d[is_claimed], p.target.n_levels)
    return claims.astype(np.float64)


class SensitiveRow(Row, frozen=True):
    """One value that is declared sensitive, from whatever source it is known."""

    version: str
    copy: Copy
    target: str
    level: Level
    people: Annotated[int, Count("people shown it who have it")]
    of: Annotated[int, Count("people who have it")]
    shares: Annotated[Figure, People("of the people shown it, right by the public shares alone")]
    correct: Annotated[int, Count("people shown it who have it, from whatever source")]
    classes: Annotated[int, Count("key combinations of several people who all have it, shown it")]
    in_classes: Annotated[int, Count("people in these")]
    falsely_shown: Annotated[int, Count("people shown it who have another")]


def sensitive(
    study: Study, p: CellProfile, side: Side, levels: Sequence[ValueRow], names: Sequence[str],
    shares: Floats | None,
) -> Iterator[SensitiveRow]:  # fmt: skip
    """The values of a target that are declared sensitive."""
    holders = PersonProfile.by_person(p, study.people()[0]).holders if study.has_people else p.d_tq
    is_class = p.ps_is_1 & p.pd_is_1 & (holders > 1) & (p.d > 0)
    for code in [code for name in names if (code := p.target.code(name)) is not None]:
        value, cells = levels[code], is_class & (p.t == code)
        yield SensitiveRow(
            version=side.version, copy=side.copy, target=p.target.name, level=value.level,
            people=value.correct, of=value.people,
            shares=None if shares is None else float(_claims(p)[code] * shares[code]),
            correct=value.correct, classes=int(cells.sum()), in_classes=int(p.d[cells].sum()),
            falsely_shown=value.wrong,
        )  # fmt: skip


class TogetherRow(Row, frozen=True):
    """All targets together."""

    version: str
    copy: Copy
    people: Annotated[int, Count("people of the original")]
    any_correct: Annotated[int, Count("people shown any target correctly")]
    share: Annotated[Figure, Percent("of people")]


class Together:
    """Who is shown any target correctly, target by target."""

    def __init__(self, study: Study) -> None:
        self.study, self.n = study, study.count_people()
        self.is_correct: dict[Side, Mask] = {}
        self.claims: dict[Side, list[Claims]] = defaultdict(list)

    def add(self, p: CellProfile, side: Side) -> None:
        if not self.study.in_memory:
            self.claims[side].append(Claims.of(p))
            return
        is_correct = p.to_people(p.claimed) == p.value_of
        self.is_correct[side] = self.is_correct.get(side, False) | is_correct

    def rows(self) -> Iterator[TogetherRow]:
        for side in self.study.sides():
            correct = self._count(side)
            yield TogetherRow(
                version=side.version, copy=side.copy, people=self.n, any_correct=correct,
                share=100 * correct / self.n if self.n else None,
            )  # fmt: skip

    def _count(self, side: Side) -> int:
        if side in self.claims:
            return self.study.records.count_right(self.claims[side])
        if side not in self.is_correct:
            return 0
        return len(np.unique(self.study.people()[0][self.is_correct[side]]))
