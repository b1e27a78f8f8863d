"""What is a column by itself, before any is weighed against another?

Identifiers, weights and columns that say nothing are settled here; all others may become keys, by
the grade of their word, or are targets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats
from unveil.count.codes import CodedColumn
from unveil.count.kinds import FEWEST, NEAR_UNIQUE, are_sentences, is_near_unique
from unveil.errors import list_names
from unveil.measure.roles.vocabulary import (
    BODY_WEIGHT,
    TopicMatch,
    is_of_body,
    is_of_date,
    is_of_sample,
)
from unveil.records.person import PersonColumn
from unveil.records.suggestion import Grade, Role, Source

# What do the values of a column tell of its role: how many differ, and what are they?
#
# A column is encoded once; all that is counted later is counted from its codes.


MANY = 100
"""Different values from which on a column named as an identifier is one; or half of its records."""

LARGEST_HOUSEHOLD = 30
"""Sizes and kinds of households are not more than so many."""

WIDTH = 7
"""Digits from which on whole numbers of one width are taken for numbers of people."""

LONGEST_LIFE = 150
"""Ages and years lie within so many of one another."""

HEAVIEST, LIGHT = 660, 30
"""Weights of bodies are at most so much, in pounds; half of them are above this, in kilograms."""

_ROUNDING = 1e-6


@dataclass(frozen=True)
class OwnTexts:
    """A column of texts that nearly no one shares: counted, and never encoded."""

    n_distinct: int
    n_held: int
    n_alone: int


def count_own_texts(column: pl.Series) -> OwnTexts | None:
    """The counts of a column of texts in which nearly everyone has their own; else None."""
    if column.dtype != pl.String:
        return None
    held = column.drop_nulls()
    n_distinct = held.n_unique()
    if not is_near_unique(n_distinct, len(held)):
        return None
    n_alone = int(held.is_unique().sum()) + int(column.null_count() == 1)
    return OwnTexts(n_distinct, len(held), n_alone)


def may_identify(column: pl.Series) -> bool:
    """Whether a column has values enough to be an identifier or free text: a quick first look."""
    n_held = len(column) - column.null_count()
    return column.n_unique() >= min(NEAR_UNIQUE * FEWEST, n_held / 10)


@dataclass(frozen=True)
class ColumnSummary:
    """One column as codes, and which of its levels are answers."""

    column: CodedColumn
    special_codes: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """What the column is called."""
        return self.column.name

    @cached_property
    def is_answer(self) -> NDArray[np.bool_]:
        """Which levels are answers: neither missing nor a code that stands for none."""
        codes = [*self.special_codes, *self.column.special_codes]
        return self.column.levels.is_not_null().to_numpy() & ~np.isin(self.column.numbers, codes)

    @cached_property
    def n_distinct(self) -> int:
        """Different answers."""
        return int(self.is_answer.sum())

    @cached_property
    def n_held(self) -> int:
        """Records with an answer."""
        return int(self.column.counts[0][self.is_answer].sum())

    @cached_property
    def n_alone(self) -> int:
        """Records whose value no one shares; missing is a value here, as in all counts."""
        return int((self.column.counts[0] == 1).sum())

    @cached_property
    def answers(self) -> pl.Series:
        """The different answers."""
        return self.column.levels.filter(pl.Series(self.is_answer))

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers; codes of a category are none."""
        return self.column.kind == "number"

    @cached_property
    def numbers(self) -> Floats:
        """The different answers as numbers."""
        return self.column.numbers[self.is_answer]

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest of them; 0 where there is none."""
        known = self.numbers[~np.isnan(self.numbers)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    @cached_property
    def has_decimals(self) -> bool:
        """Whether some answer is a number that is not whole: an amount, not a name."""
        known = self.numbers[np.isfinite(self.numbers)]
        return self.is_number and bool((known != known.round()).any())

    @cached_property
    def is_of_one_width(self) -> bool:
        """Whether all answers are whole numbers of as many digits, as numbers of people are."""
        low, high = self.ends
        return low >= 10 ** (WIDTH - 1) and len(f"{low:.0f}") == len(f"{high:.0f}")

    @property
    def is_near_unique(self) -> bool:
        """Whether nearly everyone has a value of their own."""
        return is_near_unique(self.n_distinct, self.n_held)

    @property
    def has_many(self) -> bool:
        """Whether there are as many different values as names or numbers of people have."""
        return self.n_distinct > min(MANY, self.n_held / 2)

    @property
    def has_many_households(self) -> bool:
        """Whether there are more different values than sizes or kinds of households."""
        return self.has_many and self.n_distinct > LARGEST_HOUSEHOLD

    @cached_property
    def is_free_text(self) -> bool:
        """Whether it holds sentences: many different texts, of four words or more on average."""
        return self.n_distinct > min(MANY, self.n_held / 5) and are_sentences(self.answers)

    @cached_property
    def is_within_a_life(self) -> bool:
        """Whether all answers are numbers that lie as near together as ages or years do."""
        if not self.is_number or not self.n_distinct:
            return False
        low, high = self.ends
        return high - low <= LONGEST_LIFE

    @property
    def is_date(self) -> bool:
        """Whether it holds dates, or moments of time."""
        return self.column.kind == "date"

    @cached_property
    def is_like_kilograms(self) -> bool:
        """Whether its numbers could be the weights of bodies, in kilograms or pounds.

        Weights of a sample are mostly near 1, or have more decimals, or stand for many people.
        """
        if not self.is_number or not self.n_distinct:
            return False
        middle = float(np.median(np.repeat(self.numbers, self.column.counts[0][self.is_answer])))
        (low, high), tenths = self.ends, self.numbers * 10
        is_measured = bool((np.abs(tenths - tenths.round()) < _ROUNDING).all())
        return is_measured and low > 0 and high <= HEAVIEST and middle >= LIGHT

    @cached_property
    def is_positive(self) -> bool:
        """Whether every record has a finite number above 0."""
        if not self.is_number or not self.n_distinct or self.n_held < self.column.sides.n_rows:
            return False
        low, high = self.ends
        return low > 0 and bool(np.isfinite(high))


GRADED: dict[str, Grade] = {
    "visible": "visible",
    "often": "often",
    "sometimes": "sometimes",
    "sensitive": "sensitive",
}
DROP = "Drop it before a release."
LEARN = "what an intruder may want to learn"
EVENT = f"the date of an event, and not of birth: {LEARN}. Make it a key if others know it."


@dataclass(frozen=True)
class ClassifiedColumn:
    """A column, what its words say, and its role where that is settled already."""

    name: str
    said: TopicMatch | None
    look: ColumnSummary | None  # None where it was settled without one, or is needed no more
    role: Role | None = None
    source: Source = "values"
    reason: str = ""
    n_distinct: int | None = None
    n_alone: int | None = None

    @property
    def grade(self) -> Grade | None:
        """How well it is known, or that it is sensitive."""
        return None if self.said is None else GRADED.get(self.said.topic.kind)

    @property
    def topic(self) -> str | None:
        """What its words are about."""
        return None if self.said is None else self.said.topic.name

    def set_role(self, role: Role, source: Source, reason: str) -> "ClassifiedColumn":
        """The same column with its role; its codes are let go."""
        return replace(self, look=None, role=role, source=source, reason=reason)


def classify_key(look: ColumnSummary, said: TopicMatch | None) -> ClassifiedColumn:
    """A column that the user named as a key, whatever it looks like."""
    words = None if said is None or said.topic.kind == "weight" else said
    return ClassifiedColumn(
        look.name, words, look, n_distinct=look.n_distinct, n_alone=look.n_alone
    )


def classify_column(look: ColumnSummary, said: TopicMatch | None) -> ClassifiedColumn:
    """What the column is by its words and values; a candidate or target where nothing settles it.

    A column named as a weight is settled by `classify_weights`, when all columns are known.
    """
    column = replace(classify_key(look, None), said=said)
    if look.column.n_levels < 2:  # one value beside missing ones says something: yes, or nothing
        only = "one value for everyone" if look.n_distinct else "no value at all"
        return column.set_role("ignore", "values", f"{only}: nothing to know and nothing to learn.")
    if said is not None and said.topic.kind == "weight":
        return column
    found = _identifier_reason(look, said)
    if found is not None:
        return column.set_role("identifier", *found)
    if said is not None and _is_event(look, said):
        return column.set_role("target", said.source, EVENT)
    return column


def _is_event(look: ColumnSummary, said: TopicMatch) -> bool:
    """Whether a column whose words are about what others know is the date of an event."""
    is_known = said.topic.kind in ("visible", "often", "sometimes")
    is_date = look.is_date or is_of_date(look.name)
    return is_date and is_known and said.topic.name != "birth"


def _identifier_reason(look: ColumnSummary, said: TopicMatch | None) -> tuple[Source, str] | None:
    """Why a column is an identifier, and where that was seen; None where it is none."""
    kind = None if said is None else said.topic.kind
    if look.is_near_unique and not _is_amount(look, kind):
        return "values", _near_unique(look)
    many = f"{look.n_distinct:,} different"
    if look.is_free_text:
        return "values", f"free text, {many} ones: it may name people. {DROP}"
    if said is None:
        return None
    if kind == "identifier" and look.has_many:
        return said.source, f"named as an identifier, with {many} values. {DROP}"
    if said.topic.name == "household" and look.has_many_households:
        numbers = "the numbers of households, not what they are like"
        return said.source, f"household in its {said.source}, with {many} values: {numbers}. {DROP}"
    return None


def classify_texts(name: str, said: TopicMatch | None, texts: OwnTexts) -> ClassifiedColumn:
    """A column of texts that nearly no one shares."""
    column = ClassifiedColumn(name, said, None, n_distinct=texts.n_distinct, n_alone=texts.n_alone)
    return column.set_role("identifier", "values", _near_unique(texts))


def classify_person(column: ClassifiedColumn, person: PersonColumn) -> ClassifiedColumn:
    """A column that says whose row it is."""
    reason = f"{person.counts}: rows are not people. {DROP}"
    return column.set_role("person", "name", reason)


def _near_unique(look: ColumnSummary | OwnTexts) -> str:
    return (
        f"{look.n_distinct:,} different values among {look.n_held:,} records: nearly everyone has"
        f" one of their own, so it points at people. {DROP}"
    )


def _is_amount(look: ColumnSummary, kind: str | None) -> bool:
    """Whether numbers that nearly no one shares are measured ones, not the numbers of people."""
    if not look.is_number:
        return False
    is_age = kind in ("visible", "often", "sometimes") and look.is_within_a_life
    # Amounts have no width of their own, and some of them are shared.
    is_shared = look.n_distinct < look.n_held and not look.is_of_one_width
    is_amount = is_shared and kind != "identifier"
    return look.has_decimals or kind == "sensitive" or is_age or is_amount


def classify_weights(
    columns: Sequence[ClassifiedColumn], labels: Mapping[str, str | None]
) -> list[ClassifiedColumn]:
    """All columns with at most one weight; beside heights, a weight is that of a body.

    So is one that may be either by its name, and whose numbers are those of bodies.
    """
    has_bodies = any(column.topic == "height" for column in columns)
    made = [_classify_weight(one, labels[one.name], has_bodies=has_bodies) for one in columns]
    weights = [one for one in made if one.role == "weight"]
    of_sample = [one for one in weights if is_of_sample(one.name, labels[one.name])]
    first = next(iter(of_sample or weights), None)
    return [
        _other_weight(one, first) if one.role == "weight" and first is not None else one
        for one in made
    ]


def _classify_weight(
    column: ClassifiedColumn, label: str | None, *, has_bodies: bool
) -> ClassifiedColumn:
    """A column named as a weight: of a body, of the sample, or no weight at all."""
    said, look = column.said, column.look
    if said is None or look is None or said.topic.kind != "weight":
        return column
    is_sampled = is_of_sample(column.name, label)
    is_body = has_bodies or is_of_body(column.name, label) or look.is_like_kilograms
    if not is_sampled and is_body:
        return replace(column, said=TopicMatch(BODY_WEIGHT, said.source))
    if not look.is_positive:
        reason = f"named as a weight, but not a number above 0 for every record: {LEARN}."
        return column.set_role("target", said.source, reason)
    doubt = "" if is_sampled else " If it is the weight of a body, make it a target."
    reason = f"named as a weight, and a number above 0 for every record.{doubt}"
    return column.set_role("weight", said.source, reason)


def _other_weight(column: ClassifiedColumn, first: ClassifiedColumn) -> ClassifiedColumn:
    if column is first:
        return column
    reason = f"another weight: {list_names([repr(first.name)])} is proposed as the one to use."
    return replace(column, role="ignore", reason=reason)
