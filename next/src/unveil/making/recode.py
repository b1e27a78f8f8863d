"""Disclosure control by hand, before synthesis or after it (Raab 2024, section 6)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from unveil.arguments import SecretSeed
from unveil.counts.profile import Mask
from unveil.data.columns import Column, write_level
from unveil.errors import InputError, check_name
from unveil.making.made import Made, change, say, without
from unveil.making.steps import (
    AnyStep,
    Drop,
    Levels,
    LevelStep,
    RemoveUniques,
    RowStep,
    parse_steps,
)
from unveil.making.uniques import Uniques, leave_out
from unveil.results import Count, Figure, Heading, Percent, Row
from unveil.results.words import percent
from unveil.study import ORIGINAL, AnyStudy, Study, measure


class StepRow(Row, frozen=True):
    """One step, and who is unique on the keys after it."""

    number: Annotated[int, Count("place of the step; 0 is before the first")]
    do: str
    column: str
    changed: Annotated[int, Count("records of the original it changes, or records it leaves out")]
    sentence: str
    uniques: Annotated[
        Figure, Count("unique on the keys in the original", undefined="no key", limited=True)
    ]
    repU: Annotated[
        Figure,
        Percent("unique on the keys in both files; of several synthetic files the highest",
                "Raab 2024 (5)", undefined="no key, or no synthetic file", limited=True),
    ]  # fmt: skip


class Recoding(Made, frozen=True, kw_only=True):
    """The steps, and a study of which all files are recoded likewise."""

    title: ClassVar[str] = "Recoding"

    steps: Annotated[tuple[StepRow, ...], Heading("Steps", (), True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        first, last, unit = self.steps[0], self.steps[-1], self.settings["unit"]
        if first.uniques is None or last.uniques is None:
            return ("Without keys it is not counted who is unique.",)
        of = f"of {self.people:,} {unit} " if len(self.steps) > 1 else ""
        uniques = (
            f"{first.uniques:,.0f} {of}were unique on the keys in the original; after these steps"
            f" {last.uniques:,.0f} are."
        )
        if first.repU is None or last.repU is None:
            return (uniques,)
        rates = f"from {percent(first.repU)} to {percent(last.repU)}"
        return (uniques, f"Unique in both files: {rates} (repU, possible matches).")


@measure
def recode(
    study: AnyStudy, steps: Sequence[Mapping[str, Any]], *, seed: SecretSeed = None
) -> Recoding:
    """Recode what identifies people, in all files likewise.

    Parameters
    ----------
    study
        The original, with or without synthetic data and a control sample.
    steps
        What is done, in order: {"do": "top_code", "column": "age", "at": 85}.
    seed
        The start of the random numbers of smooth and perturb_outliers.
    """
    rows = [_row(study, 0, "", "", 0, "before the first step")]
    for number, step in enumerate(parse_steps(steps), start=1):
        names = step.of
        for name in names:
            check_name(name, study.original.columns, f"'steps', step {number}: there is no column")
        try:
            applied = apply_step(study, step, [seed or 0, number])
        except InputError as fault:
            raise InputError(f"'steps', step {number} ({step.name}): {fault}") from None
        study, about = applied.study, ", ".join(names)
        rows.append(_row(study, number, step.name, about, applied.changed, step.says()))
    return Recoding(steps=tuple(rows)).giving(study)


def _row(study: Study, number: int, do: str, column: str, changed: int, sentence: str) -> StepRow:
    uniques = repU = None
    if study.keys:
        unique = Uniques(study)
        uniques = float(unique.count(ORIGINAL))
        replicated = [unique.count_replicated(number) for number in unique.synthetic]
        repU = 100 * max(replicated) / study.people()[1] if replicated else None
    return StepRow(number=number, do=do, column=column, changed=changed, sentence=sentence,
                   uniques=uniques, repU=repU)  # fmt: skip


class Applied(NamedTuple):
    """The study after a step, how many records it changes, and which of the original are left."""

    study: Study
    changed: int
    left: Mask


def apply_step(study: Study, step: AnyStep, seed: list[int]) -> Applied:
    everyone = np.ones(len(study.original), bool)
    if isinstance(step, Drop):
        names = {*step.of}
        left = change(study, lambda _, file: file.frame.drop(names, strict=False),
                      **without(study, names))  # fmt: skip
        return Applied(left, len(study.original), everyone)
    if isinstance(step, RemoveUniques):
        which = step.which or ("replicated" if study.versions else "original")
        is_out = Uniques(study).left_out(which)
        return _left(study, is_out)
    changed = np.zeros(len(study.original), bool)
    for place, name in enumerate(step.of):
        levels = levels_of(study, name, np.random.default_rng([*seed, place]))
        codes = levels.column.codes[levels.column.rows[ORIGINAL]]
        if isinstance(step, RowStep):
            is_beyond = step.is_left_out(levels)
            is_out = [is_beyond[levels.column.codes[rows]] for rows in levels.column.rows]
            for number, file in enumerate(study.files):
                is_out[number] &= not study.versions or file.role == "synthetic"
            return _left(study, is_out)
        values = _values(step, levels)
        is_changed = _is_changed(levels, values)
        changed |= is_changed[codes]
        study = _with_values(study, levels, values, is_changed)
    return Applied(study, int(changed.sum()), everyone)


def _left(study: Study, is_out: Sequence[Mask]) -> Applied:
    n = sum(int(mask.sum()) for mask in is_out)
    return Applied(leave_out(study, is_out), n, ~is_out[ORIGINAL])


def _values(step: LevelStep, levels: Levels) -> pl.Series:
    try:
        return step.values(levels)
    except (pl.exceptions.PolarsError, OverflowError):  # their texts may quote values
        raise InputError(f"{levels.column.name!r} cannot be recoded so.") from None


def levels_of(study: Study, name: str, rng: np.random.Generator) -> Levels:
    """A column as its files have it, whatever bands it is compared in."""
    column = study.unbanded(name)
    return Levels(column, study.special(name, column), column.counts[ORIGINAL], rng)


def _is_changed(levels: Levels, values: pl.Series) -> Mask:
    """Which levels have another value."""
    if values.dtype.is_numeric() and levels.column.kind == "number":
        before, after = levels.column.numbers, values.cast(pl.Float64).to_numpy()
        return np.asarray(~((before == after) | (np.isnan(before) & np.isnan(after))))
    if levels.column.kind == "date" and values.dtype.is_temporal():
        return values.ne_missing(levels.column.levels).to_numpy()
    return values.ne_missing(pl.Series(levels.column.texts, dtype=pl.String)).to_numpy()


def _with_values(study: Study, levels: Levels, values: pl.Series, changed: Mask) -> Study:
    """The study with new values of a column in every file, and what is still true of it."""
    name, column = levels.column.name, levels.column
    about, is_text = study.columns.get(name, Column()), values.dtype == pl.String
    if values.dtype.is_temporal() and all(
        day is None or write_level(day) == str(day)[:10] for day in values
    ):
        values = values.cast(pl.Date)
    codes = {level: column.code(level) for level in about.sensitive}
    is_kept = {level: code is not None and not changed[code] for level, code in codes.items()}
    texts = {*values} if is_text else set()
    about_new: dict[str, Any] = {}
    if about.bands is None or is_text:
        about_new["sensitive"] = tuple(s for s in about.sensitive if is_kept.get(s) or s in texts)
    if is_text:
        about_new |= {"bands": None, "special": (), "tolerance": None, "kind": None}
    columns = say(study.columns, name, **about_new) if name in study.columns else study.columns
    return change(
        study,
        lambda number, file: file.frame.with_columns(
            values.gather(column.codes[column.rows[number]]).alias(name)
        ),
        recoded=(name,) if is_text else (),
        columns=columns,
    )
