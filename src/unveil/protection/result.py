"""The result of `unveil.protect`: the copy, what it was after each step, and the record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from unveil.errors import quote_text
from unveil.io.table import Labelled, Table
from unveil.measure.result import RowsResult, rows_frame
from unveil.protection.noise import list_amounts
from unveil.protection.plan_columns import dropped_columns
from unveil.protection.statement import statement_of
from unveil.protection.steps import Stages
from unveil.records.codebook import Codebook
from unveil.records.noise import EcapRecords
from unveil.records.protection import (
    Audience,
    ConfidentialProtection,
    NoiseReason,
    Protection,
    ProtectionSeeds,
    SweepRow,
)
from unveil.records.recoding import Step
from unveil.study.study import StudyFile
from unveil.synthesis.synthesiser import inflation_note
from unveil.view.ecap import records_sentences
from unveil.view.format import and_list

# The record of `unveil.protect`: every step's own, sizes, warnings, and the public statement.


def make_record(
    stages: Stages,
    *,
    source: Table,
    audience: Audience | None,
    preset: str | None,
    targets: tuple[str, ...],
    sweep: tuple[SweepRow, ...],
    is_seeded: bool,
    notes: tuple[str, ...],
) -> Protection:
    """What was done, once all of it is."""
    assert stages.synthesiser is not None
    synthesis, frames = stages.synthesiser.record, stages.frames
    return Protection(
        files=(source.source,),
        audience=audience,
        preset=preset,
        keys=stages.keys,
        targets=targets,
        n_original=source.frame.height,
        n_recoded=stages.table.frame.height,
        rows_wanted=synthesis.n_rows,
        n_s1=frames["s1"].height,
        n_s2=frames["s2"].height,
        n_s3=frames["s3"].height,
        steps=tuple(stages.done),
        recoding=stages.recoding,
        synthesis=synthesis,
        refill=stages.refill,
        projection=stages.projection,
        removal=stages.removal,
        smoothing=tuple(stages.smoothing),
        noise=stages.noise,
        reasons=tuple(plan.reason for plan in stages.noises.values()),
        together=stages.together,
        given_back=stages.given_back,
        n_close_after=stages.n_close_after,
        n_close_removed=stages.n_close_removed,
        sweep=sweep,
        is_seeded=is_seeded,
        statement=statement_of(synthesis, [step.do for step in stages.plan.steps], stages.noise),
        warnings=tuple(dict.fromkeys((*notes, *_warnings(stages)))),
        coercions=source.notes,
    )


def _warnings(stages: Stages) -> Iterator[str]:
    """What should be known before the copy is released, of every step."""
    assert stages.synthesiser is not None
    synthesis = stages.synthesiser.record
    yield from (one.sentence for one in stages.given_back)
    yield from synthesis.warnings
    if stages.frame.height > synthesis.n_original:
        yield inflation_note(stages.frame.height, synthesis.n_original)
    parts: list[Any] = [stages.refill, stages.removal, stages.noise]
    for part in parts:
        yield from () if part is None else part.warnings
    for plan in stages.noises.values():
        yield from _noise_warnings(plan.reason)
    if stages.n_close_after:
        n_all = stages.n_units + (stages.n_close_removed or 0)
        yield (
            f"After the filter, other steps brought {stages.count_units(stages.n_close_after)} of"
            f" {n_all:,} so close to an original again that it would refuse them."
            f" {_repaired(stages, stages.n_close_after)}"
        )
    if stages.together is not None and stages.together.n_above:
        yield from _together_warnings(stages.together)
    for record in stages.smoothing:
        yield from (row.warning for row in record.rows if row.warning)
    yield from _short(stages)
    yield from _undeclared_notes(stages)


def _repaired(stages: Stages, n: int) -> str:
    gone = stages.n_close_removed
    if gone is None:
        return "To have them repaired, set repair = true for the filter; or choose less noise."
    again = f"{stages.count_units(n - gone)} got other noise" if stages.noises else ""
    out = f"{stages.count_units(gone)} {'was' if gone == 1 else 'were'} taken out" if gone else ""
    return f"{and_list([one for one in (again, out) if one])}: now there is none."


def _noise_warnings(reason: NoiseReason) -> Iterator[str]:
    for part in (reason.choice, reason.ecap):
        for warning in () if part is None else part.warnings:
            yield f"Column {quote_text(reason.column)}: {warning}"


def _together_warnings(record: EcapRecords) -> Iterator[str]:
    """Noise that is enough for each column is not enough where several are known together."""
    _, said, above, *rest = records_sentences(record)
    yield f"{said} {above} {rest[0]}" if len(rest) > 1 else f"{said} {above}"
    yield from record.warnings


def _short(stages: Stages) -> Iterator[str]:
    assert stages.synthesiser is not None
    wanted, n_rows = stages.synthesiser.record.n_rows, stages.frames["s3"].height
    if n_rows < wanted and stages.removal is not None:
        yield (
            f"The synthetic data have {n_rows:,} rows, not {wanted:,}: replicated uniques were"
            " taken out."
        )


def _undeclared_notes(stages: Stages) -> Iterator[str]:
    """Amounts that nobody has said anything about: the choice is the custodian's to make.

    A derived column follows the noise of others.
    """
    declared = {step.column for step in stages.plan.having("add_noise")}
    assert stages.synthesiser is not None
    declared |= {one.column for one in stages.synthesiser.models.derived} | {stages.person}
    columns = stages.synthesiser.record.columns
    others = {column.name for column in columns if column.kind != "number"}
    amounts = list_amounts(stages.frames["s3"])
    open_ones = [name for name in amounts if name not in declared | others]
    if open_ones:
        yield (
            f"No noise setting for {and_list(open_ones)}. If an intruder could know these values,"
            " add noise; otherwise record the reason (not_needed)."
        )


# What was said that could not be used, and what is no protection: told with every copy.


_ROLES = {"keys": "key", "targets": "target"}


def unused_notes(
    stages: Stages, named: Mapping[str, Sequence[str]], *, is_swept: bool
) -> Iterator[str]:
    """Columns that are kept, roles that the copy has not, and codes of what holds no numbers."""
    yield from _kept_column_notes(stages)
    gone, columns = dropped_columns(stages.plan), stages.frames["s1"].columns
    for role, word in _ROLES.items():
        for name in named[role]:
            if name not in columns:
                why = f"step {gone[name]} drops it" if name in gone else "it is not synthesised"
                rest = ", so that the sweep is without it" if is_swept else ""
                yield f"The {word} {quote_text(name)} is not in the synthetic data: {why}{rest}."
    for name in named["special_codes"]:
        if name in stages.table.frame.columns and name not in stages.codes:
            yield (
                f"The special codes of {quote_text(name)} are not used: the column holds no numbers"
                " when it is synthesised."
            )


def _kept_column_notes(stages: Stages) -> Iterator[str]:
    if stages.kept_columns:
        one = len(stages.kept_columns) == 1
        yield (
            f"{and_list(stages.kept_columns)} {'is' if one else 'are'} kept as the original has"
            f" {'it' if one else 'them'}: {'its' if one else 'their'} values, and how they occur"
            " together, are those of real people. The rows were put into random order, so that"
            " none keeps its place in the original."
        )


@dataclass(frozen=True, repr=False, eq=False)
class ProtectResult(RowsResult[Protection]):
    """The copy, what it was after each step, and the record; printing it shows no row.

    `s1` is the synthesis alone, `s2` filtered and filled again, `s3` with noise: the copy. A step
    that was left out leaves the frame of the step before. `seeds`, `recipe` and `original` are
    confidential.
    """

    rows_in = "steps"  # what each did, and the rows it left
    seeds: ProtectionSeeds
    original: StudyFile  # confidential: recoded
    s1: pl.DataFrame
    s2: pl.DataFrame
    s3: pl.DataFrame
    codebook: Codebook | None = None
    recipe: tuple[Step, ...] = ()  # confidential: recodings with the limits found in the data
    person: str | None = None  # the column of the original that says whose row it is

    @property
    def recoded(self) -> pl.DataFrame:
        """The original as it was synthesised."""
        return self.original.whole.frame.drop(self.person or (), strict=False)

    @property
    def data(self) -> pl.DataFrame | Labelled:
        """The copy, with what is declared of its columns where anything is."""
        return self.s3 if self.codebook is None else Labelled(self.s3, self.codebook)

    @cached_property
    def confidential(self) -> ConfidentialProtection:
        """Everything, seeds and ECAP values among it: not to be released."""
        return ConfidentialProtection(seeds=self.seeds, protection=self.record, recipe=self.recipe)

    def sweep(self) -> pl.DataFrame:
        """One row for each size of leaves that was tried."""
        return rows_frame(self.record.sweep)
