"""Synthetic records that are too close to a person are refused (Chapelle and Falissard 2023)."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import polars as pl

from unveil.arguments import Names, as_names
from unveil.errors import check_name
from unveil.making.closeness import Judged, Metric, Missing, axes_of, space_of
from unveil.making.made import Made, change, has_amounts
from unveil.making.shifts import ShiftRow, chart_of_shifts, in_bands, shifts_of
from unveil.making.uniques import leave_out
from unveil.results import Chart, Copy, Count, Heading, Row
from unveil.results.result import Note
from unveil.results.words import percent
from unveil.study import ORIGINAL, Alike, Study, measure

Rule = Literal["paper", "strict"]
NOT_COMPARED = ("identifier", "person", "time", "weight", "ignore")


class RoundRow(Row, frozen=True):
    """What is kept of one draw."""

    version: str
    copy: Copy
    round: Annotated[int, Count("draw")]
    drawn: Annotated[int, Count("synthetic records")]
    kept: Annotated[int, Count("records kept")]
    refused: Annotated[int, Count("nearer to a person than anybody else is", "Chapelle 2023",
                                  limited=True)]  # fmt: skip
    refused_by_strict: Annotated[int, Count("of those kept, nearer to some person than others are")]


class ColumnRow(Row, frozen=True):
    """Whether a column is compared."""

    column: str
    used: bool
    reason: str


class DistanceFilter(Made, frozen=True, kw_only=True):
    """Which synthetic records are too close to a person, and the study without them."""

    title: ClassVar[str] = "Distance filter"
    drawings: ClassVar[Mapping[str, Chart]] = {
        "shifts": chart_of_shifts("Levels before and after the filter")
    }

    rounds: Annotated[tuple[RoundRow, ...], Heading("Kept and refused", (), True)]
    columns: Annotated[tuple[ColumnRow, ...], Heading("Columns compared")]
    shifts: Annotated[tuple[ShiftRow, ...], Heading("Levels before and after")]

    @property
    def sentences(self) -> tuple[str, ...]:
        drawn, refused = (sum(row[n] for row in self.rounds) for n in ("drawn", "refused"))
        who = "some" if self.settings["rule"] == "strict" else "the nearest"
        sentences = [
            f"{refused:,} of {drawn:,} synthetic records ({percent(100 * refused / drawn)}) are"
            f" refused: they are nearer to {who} person than that person is to anybody else."
        ]
        if 0 < refused < drawn:
            moved = max(self.shifts, key=lambda row: abs(row.after - row.before), default=None)
            if moved is not None:
                sentences.append(
                    "The records that stay are a selected sample: the share of one level of"
                    f" {moved.column} goes from {percent(moved.before)} to {percent(moved.after)}."
                )
        return tuple(sentences)

    def records(self) -> pl.DataFrame:
        """What the rules say of each synthetic record: confidential."""
        asked = self.settings
        frames = []
        for version, copy, _, judged in _judge(self.before, asked)[1]:
            says = pl.DataFrame({
                "row": np.arange(len(judged.keep)), "keep": judged.kept(asked["rule"]),
                "nearest": judged.nearest, "d_synthetic": judged.d_synthetic,
                "d_original": judged.d_original,
            })  # fmt: skip
            side = pl.lit(version).alias("version"), pl.lit(copy).alias("copy")
            frames.append(says.select(*side, pl.all()))
        return pl.concat(frames)


def compared(study: Study, columns: Any) -> list[str]:
    """The columns named, or all that every file has and that have no other role."""
    if names := as_names(columns):
        for name in names:
            study.check_column(name)
        return list(names)
    common = set.intersection(*(set(file.frame.columns) for file in study.files))
    roles = {name: about.role for name, about in study.columns.items()}
    return [n for n in study.original.columns if n in common and roles.get(n) not in NOT_COMPARED]


def _judge(
    study: Study, asked: Mapping[str, Any]
) -> tuple[list[ColumnRow], list[tuple[str, int, int, Judged]]]:
    names = compared(study, asked["columns"])
    columns = [
        (column, has_amounts(study, column), study.special(name, column))
        for name in sorted(names)
        for column in [study.unbanded(name)]
    ]
    axes = axes_of(columns, asked["metric"], asked["missing"])
    space, is_used = space_of(axes, study.rows[ORIGINAL], study.people()[0], asked["metric"])
    judged = [
        (version, copy, number, space.judge(axes.points[study.rows[number]][:, is_used]))
        for version, numbers in study.versions.items()
        for copy, number in enumerate(numbers, start=1)
    ]
    used = [
        ColumnRow(column=name, used=name not in axes.dropped,
                  reason=axes.dropped.get(name, "compared"))
        for name in sorted(names)
    ]  # fmt: skip
    return used, judged


@measure
def distance_filter(
    study: Alike,
    *,
    metric: Metric = "mahalanobis",
    rule: Rule = "paper",
    columns: Names = (),
    missing: Missing = "state",
) -> DistanceFilter:
    """Refuse synthetic records that are nearer to a person than anybody else is.

    Parameters
    ----------
    study
        The original and the synthetic data.
    metric
        mahalanobis, with the covariance of the original, or jaccard for columns of 0 and 1.
    rule
        paper compares each record with its nearest person, strict with everyone.
    columns
        Those that are compared; by default all without another role.
    missing
        state: a missing amount is one more state. worst: it is where the record is closest.
    """
    for name in as_names(columns):
        check_name(name, study.original.columns, "'columns': there is no column")
    asked = {"metric": metric, "columns": columns, "missing": missing}
    used, judged = _judge(study, asked)
    rounds: list[RoundRow] = []
    shifts: list[ShiftRow] = []
    notes: list[Note] = []
    is_out = [np.zeros(len(file.frame), bool) for file in study.files]
    for version, copy, number, says in judged:
        kept = says.kept(rule)
        is_out[number] = ~kept
        rounds.append(RoundRow(
            version=version, copy=copy, round=1, drawn=len(kept), kept=int(kept.sum()),
            refused=int((~kept).sum()), refused_by_strict=int((kept & ~says.keep_strictly).sum()),
        ))  # fmt: skip
        for name in (row.column for row in used):
            column = study.unbanded(name)
            is_number = column.kind == "number" and has_amounts(study, column)
            told = in_bands(column, study.special(name, column), is_number=is_number)
            codes = told.codes[told.rows[number]]
            shifts += shifts_of(version, copy, told, codes, codes[kept])
        if not kept.any():
            notes.append(Note(
                about=study.files[number].label,
                sentence=f"No record of {study.files[number].label} is kept, so it stays out of the"
                " new study. Compare fewer columns, or make leaves larger.",
            ))  # fmt: skip
    result = DistanceFilter(
        rounds=tuple(rounds), columns=tuple(used), shifts=tuple(shifts), notes=tuple(notes)
    )
    return result.giving(_left(study, is_out))


def _left(study: Study, is_out: list[Any]) -> Study:
    """The study without what is refused; a file of which nothing is left goes too."""
    versions = {
        version: [n for n in numbers if not is_out[n].all()]
        for version, numbers in study.versions.items()
    }
    kept = {version: numbers for version, numbers in versions.items() if numbers}
    left = [number for numbers in kept.values() for number in numbers]
    if len(left) == len(study.files) - 1 - study.has_control:
        return leave_out(study, is_out)
    changed = change(study, lambda n, file: file.frame.filter(~is_out[n] | is_out[n].all()))
    files = {v: [changed.files[n].data for n in numbers] for v, numbers in kept.items()}
    return changed.replace(synthetic=files or None)
