"""What is a column by itself, before any is weighed against another?

Identifiers, weights and columns that say nothing are settled here; all others may become keys, by
the grade of their word, or are targets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unveil.errors import listed
from unveil.measure.roles.looking import Look, OwnTexts
from unveil.measure.roles.naming import Said, is_of_body, is_of_date, is_of_sample
from unveil.measure.roles.words import BODY_WEIGHT
from unveil.records.person import PersonColumn
from unveil.records.suggestion import Grade, Role, Source

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
class Sorted:
    """A column, what its words say, and its role where that is settled already."""

    name: str
    said: Said | None
    look: Look | None  # None where it was settled without one, or is needed no more
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

    def settled(self, role: Role, source: Source, reason: str) -> "Sorted":
        """The same column with its role; its codes are let go."""
        return replace(self, look=None, role=role, source=source, reason=reason)


def named_key(look: Look, said: Said | None) -> Sorted:
    """A column that the user named as a key, whatever it looks like."""
    words = None if said is None or said.topic.kind == "weight" else said
    return Sorted(look.name, words, look, n_distinct=look.n_distinct, n_alone=look.n_alone)


def sorted_out(look: Look, said: Said | None) -> Sorted:
    """What the column is by its words and values; a candidate or target where nothing settles it.

    A column named as a weight is settled by `of_weights`, when all columns are known.
    """
    column = replace(named_key(look, None), said=said)
    if look.column.n_levels < 2:  # one value beside missing ones says something: yes, or nothing
        only = "one value for everybody" if look.n_distinct else "no value at all"
        return column.settled("ignore", "values", f"{only}: nothing to know and nothing to learn.")
    if said is not None and said.topic.kind == "weight":
        return column
    found = _identifying(look, said)
    if found is not None:
        return column.settled("identifier", *found)
    if said is not None and _is_event(look, said):
        return column.settled("target", said.source, EVENT)
    return column


def _is_event(look: Look, said: Said) -> bool:
    """Whether a column whose words are about what others know is the date of an event."""
    is_known = said.topic.kind in ("visible", "often", "sometimes")
    is_date = look.is_date or is_of_date(look.name)
    return is_date and is_known and said.topic.name != "birth"


def _identifying(look: Look, said: Said | None) -> tuple[Source, str] | None:
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


def of_own_texts(name: str, said: Said | None, texts: OwnTexts) -> Sorted:
    """A column of texts that nearly nobody shares."""
    column = Sorted(name, said, None, n_distinct=texts.n_distinct, n_alone=texts.n_alone)
    return column.settled("identifier", "values", _near_unique(texts))


def of_person(column: Sorted, person: PersonColumn) -> Sorted:
    """A column that says whose row it is."""
    reason = f"{person.counts}: rows are not people. {DROP}"
    return column.settled("person", "name", reason)


def _near_unique(look: Look | OwnTexts) -> str:
    return (
        f"{look.n_distinct:,} different values among {look.n_held:,} records: nearly everyone has"
        f" one of their own, so it points at people. {DROP}"
    )


def _is_amount(look: Look, kind: str | None) -> bool:
    """Whether numbers that nearly nobody shares are measured ones, not the numbers of people."""
    if not look.is_number:
        return False
    is_age = kind in ("visible", "often", "sometimes") and look.is_within_a_life
    # Amounts have no width of their own, and some of them are shared.
    is_shared = look.n_distinct < look.n_held and not look.is_of_one_width
    is_amount = is_shared and kind != "identifier"
    return look.has_decimals or kind == "sensitive" or is_age or is_amount


def of_weights(columns: Sequence[Sorted], labels: Mapping[str, str | None]) -> list[Sorted]:
    """All columns with at most one weight; beside heights, a weight is that of a body.

    So is one that may be either by its name, and whose numbers are those of bodies.
    """
    has_bodies = any(column.topic == "height" for column in columns)
    made = [_weighed(one, labels[one.name], has_bodies=has_bodies) for one in columns]
    weights = [one for one in made if one.role == "weight"]
    of_sample = [one for one in weights if is_of_sample(one.name, labels[one.name])]
    first = next(iter(of_sample or weights), None)
    return [
        _other_weight(one, first) if one.role == "weight" and first is not None else one
        for one in made
    ]


def _weighed(column: Sorted, label: str | None, *, has_bodies: bool) -> Sorted:
    """A column named as a weight: of a body, of the sample, or no weight at all."""
    said, look = column.said, column.look
    if said is None or look is None or said.topic.kind != "weight":
        return column
    is_sampled = is_of_sample(column.name, label)
    is_body = has_bodies or is_of_body(column.name, label) or look.is_like_kilograms
    if not is_sampled and is_body:
        return replace(column, said=Said(BODY_WEIGHT, said.source))
    if not look.is_positive:
        reason = f"named as a weight, but not a number above 0 for every record: {LEARN}."
        return column.settled("target", said.source, reason)
    doubt = "" if is_sampled else " If it is the weight of a body, make it a target."
    reason = f"named as a weight, and a number above 0 for every record.{doubt}"
    return column.settled("weight", said.source, reason)


def _other_weight(column: Sorted, first: Sorted) -> Sorted:
    if column is first:
        return column
    reason = f"another weight: {listed([repr(first.name)])} is proposed as the one to use."
    return replace(column, role="ignore", reason=reason)
