"""Manual disclosure control: the steps of a recipe, what each of them did, and which are proposed.

A step says what is to be done to one column, as a table ``[[protect.step]]`` of a project file
does. It holds what a custodian wrote and no value of the data: a limit or a level that was found in
the data stands in no record, for a limit may be one person's exact number.
"""

from typing import Any, Literal

import msgspec

from unveil.records.base import Record, VersionedRecord
from unveil.records.disclosure import Coercion
from unveil.records.uniques import Anonymity

Number = int | float
LevelName = int | float | str
"""A level as a recipe names it: its code, or what the code stands for."""
Period = Literal["month", "quarter", "year"]
Tail = Literal["both", "low", "high"]


class Drop(Record, frozen=True, kw_only=True, tag_field="do", tag="drop"):
    """Leave a column out."""

    column: str


class Band(Record, frozen=True, kw_only=True, tag_field="do", tag="band"):
    """Put bands in the place of numbers, as `disclosure` does in every measure."""

    column: str
    style: str | None = None
    n: int | None = None
    breaks: tuple[Number, ...] = ()
    labels: tuple[str, ...] = ()
    special_codes: tuple[Number, ...] = ()


class TopCode(Record, frozen=True, kw_only=True, tag_field="do", tag="top_code"):
    """Set what lies above a limit to the limit."""

    column: str
    at: Number | None = None
    quantile: float | None = None
    special_codes: tuple[Number, ...] = ()


class BottomCode(Record, frozen=True, kw_only=True, tag_field="do", tag="bottom_code"):
    """Set what lies below a limit to the limit."""

    column: str
    at: Number | None = None
    quantile: float | None = None
    special_codes: tuple[Number, ...] = ()


class MergeRare(Record, frozen=True, kw_only=True, tag_field="do", tag="merge_rare"):
    """Merge levels that few records have: into one level, or into their parents."""

    column: str
    below: int | None = None
    into: LevelName | None = None
    hierarchy: tuple[tuple[str, str], ...] = ()  # (child, parent)
    always: bool = False  # whether every child goes to its parent, rare or not
    special_codes: tuple[LevelName, ...] = ()


class Merge(Record, frozen=True, kw_only=True, tag_field="do", tag="merge"):
    """Merge levels that are named."""

    column: str
    levels: tuple[LevelName, ...]
    into: LevelName


class Round(Record, frozen=True, kw_only=True, tag_field="do", tag="round"):
    """Round numbers to the nearest multiple."""

    column: str
    to: Number
    special_codes: tuple[Number, ...] = ()


class CoarsenDate(Record, frozen=True, kw_only=True, tag_field="do", tag="coarsen_date"):
    """Set dates to the first day of their month, quarter or year."""

    column: str
    to: Period


class DropOutliers(Record, frozen=True, kw_only=True, tag_field="do", tag="drop_outliers"):
    """Leave out records whose number lies far from the others."""

    column: str
    quantile: float | None = None
    distance: Number | None = None  # in robust standard deviations from the median
    tail: Tail = "both"
    special_codes: tuple[Number, ...] = ()


class PerturbOutliers(Record, frozen=True, kw_only=True, tag_field="do", tag="perturb_outliers"):
    """Move numbers that lie far from the others, at random and beyond the same limit."""

    column: str
    quantile: float | None = None
    distance: Number | None = None
    tail: Tail = "both"
    spread: Number = 0.5  # how much of its distance from the limit a number may lose or gain
    between: tuple[Number, ...] = ()  # the plausible range; empty: the range of the column
    special_codes: tuple[Number, ...] = ()


Step = (
    Drop
    | Band
    | TopCode
    | BottomCode
    | MergeRare
    | Merge
    | Round
    | CoarsenDate
    | DropOutliers
    | PerturbOutliers
)

KINDS: dict[str, type[Step]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        Drop,
        Band,
        TopCode,
        BottomCode,
        MergeRare,
        Merge,
        Round,
        CoarsenDate,
        DropOutliers,
        PerturbOutliers,
    )
}
"""What a step can do, by the word a recipe has for it."""


def step_word(step: Step) -> str:
    """What a step does, by the word a recipe has for it."""
    return str(step.__struct_config__.tag)


def as_mapping(step: Step) -> dict[str, Any]:
    """A step as a recipe has it: what was said, and nothing that was left open."""
    found: dict[str, Any] = msgspec.to_builtins(step)
    open_ones = {field.name: field.default for field in msgspec.structs.fields(type(step))}
    said = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if name not in open_ones or getattr(step, name) != open_ones[name]
    }
    if isinstance(step, MergeRare) and step.hierarchy:
        said["hierarchy"] = dict(step.hierarchy)
    return said


class KeyFigures(Record, frozen=True, kw_only=True):
    """How well people can be told apart by their keys; missing is a level like any other."""

    keys: tuple[str, ...]  # those that are still there
    n_records: int
    n_q: int  # distinct key combinations
    n_uniques: int  # records that are unique by their keys
    UiO: float  # their percentage: Raab 2024, equation 2
    anonymity: tuple[Anonymity, ...]  # of k = 2, 3, 5
    n_replicated: int | None  # unique in original and synthetic data; None without the latter
    repU: float | None  # their percentage: Raab 2024, equation 5


class StepDone(Record, frozen=True, kw_only=True):
    """What one step changed."""

    number: int
    do: str
    column: str
    step: Step
    n_changed: int  # records whose value changed, or that were excluded
    sentence: str
    before: KeyFigures | None  # None without keys, and where no key is left
    after: KeyFigures | None

    def flat(self) -> dict[str, Any]:
        """What the step changed, and its effect on the keys."""
        fields = ("number", "do", "column", "n_changed", "sentence")
        made = {name: getattr(self, name) for name in fields}
        for when, figures in (("before", self.before), ("after", self.after)):
            made[f"uniques_{when}"] = None if figures is None else figures.n_uniques
            for place, k in enumerate((2, 3, 5)):
                made[f"below_{k}_{when}"] = None if figures is None else figures.anonymity[place].n
            made[f"repU_{when}"] = None if figures is None else figures.repU
        return made


class Recoding(VersionedRecord, frozen=True, kw_only=True):
    """What a recipe did to one data set."""

    files: tuple[str, ...]  # the data and, where it was given, the synthetic file
    keys: tuple[str, ...]
    n_records: int
    n_records_left: int
    n_columns: int
    n_columns_left: int
    rows: tuple[StepDone, ...]
    is_seeded: bool  # whether the user gave a seed; the seed itself is not kept
    coercions: tuple[Coercion, ...]


class Proposal(Record, frozen=True, kw_only=True):
    """A step that might help, and why; it was not applied."""

    column: str
    do: str
    reason: str
    step: Step
    n_uniques: int | None  # before; None where the column is no key
    n_uniques_left: int | None  # after this step alone


class Suggestions(VersionedRecord, frozen=True, kw_only=True):
    """Which codings a custodian might consider for one data set."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    n_records: int
    rows: tuple[Proposal, ...]
    n_uniques: int | None  # alone with the keys; None without keys
    n_uniques_left: int | None  # after all proposals; None where no key would be left
    coercions: tuple[Coercion, ...]
