"""Are disclosures common knowledge? One-way and two-way checks.

Raab (2024), end of section 3.4 and section 4, with the thresholds of synthpop 1.9-3. One way: does
one level account for almost all of DiSCO? Two way: do disclosures that several people share come
from a key level at which almost everyone has the same target level?
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import numpy as np

from unveil.arguments import Thresholds
from unveil.counts.profile import CellProfile, Mask
from unveil.measures.disclosure.exclusions import LevelRule
from unveil.results import Copy, Count, Level, Percent, Row
from unveil.study import ORIGINAL, Side, Study

Conditions = Sequence[tuple[str, str]]
"""Names of columns with a level."""


class Flag(Row, frozen=True):
    """A level of a target, alone or with a level of a key, that may be common knowledge."""

    version: str
    copy: Copy
    id: str
    target: str
    kind: Literal["one-way", "two-way"]
    level: Level
    key: str
    key_level: Level
    within: str
    correct: Annotated[int, Count("people with this level, and key level, shown it correctly")]
    disclosed: Annotated[int, Count("people shown this target correctly")]
    share: Annotated[float, Percent("correct of disclosed")]
    people: Annotated[int, Count("people with this level, and the key level")]
    people_all: Annotated[int, Count("people with the key level; one-way: all")]
    share_all: Annotated[float, Percent("people of people_all")]
    rule: str


def find_flags(
    study: Study, p: CellProfile, side: Side, thresholds: Thresholds, within: str | None
) -> Iterator[Flag]:
    """What both checks raise about one target, in all records or in each level of a column."""
    if within is None:
        yield from _check(p, side, thresholds, ())
        return
    column = study.column(within)
    codes = column.codes[study.rows[ORIGINAL]]
    for code in np.unique(codes):
        segment = p.segment(codes == code)
        yield from _check(segment, side, thresholds, [(within, column.texts[code] or "")])


def _check(
    p: CellProfile, side: Side, thresholds: Thresholds, segment: Conditions
) -> Iterator[Flag]:
    disclosed = p.ps_is_1 & (p.d > 0)
    if disclosed.any():
        yield from _one_way(p, disclosed, side, thresholds, segment)
        two_way = _two_way(p, disclosed, side, thresholds, segment)
        yield from sorted(two_way, key=lambda flag: -flag.correct)


def _one_way(
    p: CellProfile, disclosed: Mask, side: Side, above: Thresholds, segment: Conditions
) -> Iterator[Flag]:
    by_level = np.bincount(p.t[disclosed], p.d[disclosed])
    level, n, n_disclosed = int(by_level.argmax()), int(by_level.max()), int(by_level.sum())
    if n > above[0] and 100 * n / n_disclosed > above[1]:
        people = int(p.d[p.t == level].sum()), int(p.d.sum())
        yield _flag(p, side, level, (), segment, (n, n_disclosed), people)


def _two_way(
    p: CellProfile, disclosed: Mask, side: Side, above: Thresholds, segment: Conditions
) -> Iterator[Flag]:
    if not (disclosed & (p.d_tq > above[2])).any():
        return
    n_disclosed = int(p.d[disclosed].sum())
    for key in p.keys:
        pairs = p.pairs(key, above[2])
        n_all = p.people_at(key)[pairs.k]
        for i in np.flatnonzero(100 * pairs.n_people > above[3] * n_all):
            at = [(key.name, key.texts[pairs.k[i]] or "")]
            shown = int(pairs.n_disclosed[i]), n_disclosed
            people = int(pairs.n_people[i]), int(n_all[i])
            yield _flag(p, side, int(pairs.t[i]), at, segment, shown, people)


def _flag(
    p: CellProfile, side: Side, code: int, at: Conditions, segment: Conditions,
    shown: tuple[int, int], people: tuple[int, int],
) -> Flag:  # fmt: skip
    """A flag of a level with a level of a key, or with none: part and whole of two counts."""
    level, (key, key_level) = p.target.texts[code], (at[0] if at else ("", ""))
    rule = str(LevelRule(p.target.name, level or "", tuple(dict([*at, *segment]).items())))
    no_keys = {name for name, _ in segment} - {key.name for key in p.keys}
    return Flag(
        version=side.version,
        copy=side.copy,
        id=rule,
        target=p.target.name,
        kind="two-way" if at else "one-way",
        level=level,
        key=key,
        key_level=(key_level or None) if at else "",
        within="".join(f"{name}={text}" for name, text in segment),
        correct=shown[0],
        disclosed=shown[1],
        share=100 * shown[0] / shown[1],
        people=people[0],
        people_all=people[1],
        share_all=100 * people[0] / people[1],
        rule=f"cannot be excluded: {min(no_keys)} is no key" if no_keys else rule,
    )
