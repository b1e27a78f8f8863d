"""The record of `unveil.protect`: every step's own, sizes, warnings, and the public statement."""

from collections.abc import Iterator
from typing import Any

from unveil.errors import quoted
from unveil.protection.stages import Stages
from unveil.protection.statement import statement_of
from unveil.read.table import Table
from unveil.records.protection import Audience, NoiseReason, Protection, SweepRow
from unveil.report.words import and_list
from unveil.synthesis.synthesiser import inflated


def recorded(
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
    yield from synthesis.warnings
    if synthesis.n_rows > synthesis.n_original:
        yield inflated(synthesis.n_rows, synthesis.n_original)
    parts: list[Any] = [stages.refill, stages.removal, stages.noise]
    for part in parts:
        yield from () if part is None else part.warnings
    for plan in stages.noises.values():
        yield from _of_noise(plan.reason)
    for record in stages.smoothing:
        yield from (row.warning for row in record.rows if row.warning)
    yield from _short(stages)
    yield from _undeclared(stages)


def _of_noise(reason: NoiseReason) -> Iterator[str]:
    for part in (reason.choice, reason.ecap):
        for warning in () if part is None else part.warnings:
            yield f"Column {quoted(reason.column)}: {warning}"


def _short(stages: Stages) -> Iterator[str]:
    assert stages.synthesiser is not None
    wanted, n_rows = stages.synthesiser.record.n_rows, stages.frames["s3"].height
    if n_rows < wanted and stages.removal is not None:
        yield f"The copy has {n_rows:,} rows, not {wanted:,}: replicated uniques were taken out."


def _undeclared(stages: Stages) -> Iterator[str]:
    """Numbers that nobody has said anything about: the choice is the custodian's to make."""
    declared = {step.column for step in stages.plan.having("add_noise")}
    schema = stages.frames["s3"].schema
    left = [name for name, dtype in schema.items() if dtype.is_float() or dtype.is_integer()]
    assert stages.synthesiser is not None
    columns = stages.synthesiser.record.columns
    amounts = {column.name for column in columns if column.kind == "number"}
    known = {column.name for column in columns}
    open_ones = [
        name for name in left if name not in declared and (name in amounts or name not in known)
    ]
    if open_ones:
        yield (
            f"Nothing is said about noise on {and_list(open_ones)}. If somebody could know these"
            " numbers from elsewhere, add noise; if not, say so with not_needed."
        )
