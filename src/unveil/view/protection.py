"""What `unveil.protect` did, in sentences and tables; confidential but for the statement."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from unveil.records.protection import (
    ConfidentialProtection,
    Protection,
    ProtectStep,
    StageRow,
    StageTable,
    SweepRow,
)
from unveil.view.blocks import Block, Heading, Items, Sentence, notes, sentences, table
from unveil.view.distance_filter import ROUND_HEADS, round_rows
from unveil.view.format import and_list, format_count, lines, percent_or_dash, truncate
from unveil.view.show import as_blocks, as_text

STEP_HEADS = ("step", "rows", "what it did")
SWEEP_HEADS = ("leaves", "cut from", "repU", "DiSCO", "highest", "of", "S_pMSE")


def protection_sentences(record: Protection) -> Iterator[str]:
    """What was made, the most important first."""
    rows, steps = format_count(record.n_s3, "row"), format_count(len(record.steps), "step")
    yield (
        f"{rows} of synthetic data were made from {record.n_original:,} records of"
        f" {truncate(record.files[0])}, in {steps}."
    )
    yield (
        f"S1 (after synthesis) has {record.n_s1:,} rows, S2 (before noise) {record.n_s2:,}, S3 (for"
        f" release) {record.n_s3:,}. Each stage can be assessed separately."
    )
    if record.preset is not None:
        yield record.preset
    refill = record.refill
    if refill is not None and refill.rule == "paper" and refill.n_refused_by_strict:
        yield (
            "The filter compared each row with its nearest original only:"
            f" {refill.n_refused_by_strict:,} of the {refill.n_rows:,} retained rows are closer to"
            ' another original than any original is. The rule "strict" would reject them.'
        )


def step_cells(step: ProtectStep) -> tuple[str, ...]:
    """One step under STEP_HEADS."""
    return (f"{step.number}. {step.do}", f"{step.n_rows:,}", lines(step.sentence))


def sweep_cells(row: SweepRow) -> tuple[str, ...]:
    """One size of leaves under SWEEP_HEADS."""
    return (
        f"{row.min_leaf:,}{' (used)' if row.is_used else ''}",
        f"{row.min_split:,}",
        percent_or_dash(row.repU),
        percent_or_dash(row.DiSCO),
        percent_or_dash(row.worst_DiSCO),
        "-" if row.worst_target is None else truncate(row.worst_target),
        "-" if row.S_pMSE is None else f"{row.S_pMSE:.2f}",
    )


def sweep_sentences(record: Protection) -> Iterator[str]:
    """What the sweep shows."""
    if record.sweep:
        yield (
            "Disclosure and utility by leaf size (S_pMSE: median over all pairs of variables; 1 ="
            " no more than chance)."
        )
        keys = [key for key in record.keys if key in _in_copy(record)]
        none = "No declared key is in the synthetic data: repU and DiSCO are not measured."
        yield f"Keys: {and_list(keys)}." if keys else none


def _in_copy(record: Protection) -> set[str]:
    aside = ("predictor only", "left out")
    return {column.name for column in record.synthesis.columns if column.role not in aside}


STAGES = {
    "stages": "Each stage against the {n} recoded originals. Lower is better, but for the overlap.",
    "control": "R: excess over a control sample of {n} people.",
    "no control": "R is not measured: no control sample was given (--control).",
    "as long": (
        "S2 has fewer rows than S1. Compare it with the part of S1 that is as long: the rest of the"
        " difference is that of fewer rows."
    ),
    "noise": (
        "What was done after the filter brings rows back to originals: it would refuse {p} of S3,"
        " {before} of S2."
    ),
    "same": "S1 and S2 have as many rows: their difference is the filter's.",
}


N_STAGES = 3


def stage_rows(record: StageTable) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Figures downwards, stages across."""

    def line(name: str, cell: Callable[[StageRow], str]) -> tuple[str, ...]:
        return (name, *map(cell, record.rows))

    def attack(name: str, field: str) -> tuple[str, ...]:
        by_stage = [{one.attack: one for one in row.attacks} for row in record.rows]
        values = [getattr(found[name], field) for found in by_stage]
        shown = {"R": ratio_or_dash, "success": share_or_dash}[field]
        return (f"{'R of ' if field == 'R' else ''}{name}", *map(shown, values))

    attacks = [one.attack for one in record.rows[0].attacks if one.reason is None]
    is_controlled = record.n_control is not None
    close = any(row.too_close is not None for row in record.rows)
    rows = [
        line("rows", lambda row: f"{row.n_rows:,}"),
        *(
            [line("refused by the filter", lambda row: share_or_dash(row.too_close))]
            if close
            else []
        ),
        line("repU", lambda row: percent_or_dash(row.repU)),
        line("DiSCO, mean over targets", lambda row: percent_or_dash(row.DiSCO)),
        line("DiSCO, highest", lambda row: percent_or_dash(row.DiSCO_max)),
        *([line("R of DiSCO", lambda row: ratio_or_dash(row.R))] if is_controlled else []),
        *(attack(name, "R" if is_controlled else "success") for name in attacks),
        line("pMSE", lambda row: "-" if row.pMSE is None else f"{row.pMSE:.4f}"),
        line("S_pMSE, median", lambda row: ratio_or_dash(row.S_pMSE)),
        line("S_pMSE, worst pair", lambda row: ratio_or_dash(row.S_pMSE_max)),
    ]
    if any(row.n_results for row in record.rows):
        rows.append(line("overlap of published results", lambda row: ratio_or_dash(row.overlap)))
    return ("figure", *(row.stage for row in record.rows)), rows


def ratio_or_dash(value: float | None) -> str:
    """Two decimals, without the sign of what is rounded to nothing."""
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"


def share_or_dash(value: float | None) -> str:
    """A share as a percentage."""
    return percent_or_dash(None if value is None else 100 * value)


def stage_sentences(record: StageTable) -> Iterator[tuple[str, str]]:
    """Against whom, and what may be compared, each with the name of its template."""
    yield "stages", STAGES["stages"].format(n=f"{record.n_original:,}")
    key = "no control" if record.n_control is None else "control"
    yield key, STAGES[key].format(n=f"{record.n_control or 0:,}")
    key = "as long" if len(record.rows) > N_STAGES else "same"
    yield key, STAGES[key]
    close = {row.stage: row.too_close or 0.0 for row in record.rows}
    if close["S3"] > close["S2"]:
        after, before = share_or_dash(close["S3"]), share_or_dash(close["S2"])
        yield "noise", STAGES["noise"].format(p=after, before=before)


def stage_blocks(record: StageTable) -> Iterator[Block]:
    """The table of stages and what to mind."""
    heads, rows = stage_rows(record)
    yield table("Stages", heads, rows)
    yield from sentences(text for _, text in stage_sentences(record))
    for one in record.rows[0].attacks:
        if one.reason is not None:
            yield Sentence(f"{one.attack} was not measured: {lines(one.reason)}", "look")


@as_text.register
def _(record: StageTable) -> str:
    return f"Stages of {truncate(record.files[0])}: {and_list(row.stage for row in record.rows)}"


@as_blocks.register
def _(record: StageTable) -> Iterator[Block]:
    yield Heading("Stages of the protection")
    yield from stage_blocks(record)


@as_text.register
def _(record: Protection) -> str:
    return (
        f"Protected synthetic data from {truncate(record.files[0])}:"
        f" {format_count(record.n_s3, 'row')} after"
        f" {and_list(dict.fromkeys(step.do for step in record.steps))}"
    )


@as_text.register
def _(record: ConfidentialProtection) -> str:
    return f"CONFIDENTIAL record: {as_text(record.protection)}"


def protection_blocks(
    record: Protection, paths: Sequence[Path] = (), project: str = ""
) -> Iterator[Block]:
    """What each step did and what to note; on the command line, where the files are."""
    yield Heading("Protected synthetic data")
    yield from sentences(protection_sentences(record), "lead")
    steps = map(step_cells, record.steps)
    yield table("What each step did", STEP_HEADS, steps, text=STEP_HEADS[2:])
    if record.refill is not None:
        yield table("Rounds of the filter", ROUND_HEADS, round_rows(record.refill))
    if record.sweep:
        rows = map(sweep_cells, record.sweep)
        yield table("Sizes of leaves", SWEEP_HEADS, rows, text=("of",))
        yield from sentences(sweep_sentences(record))
    if record.stages is not None:
        yield from stage_blocks(record.stages)
    if record.warnings:
        yield Heading("Notes", 4)
        yield Items(record.warnings)
    yield from notes(record.coercions)
    if not paths:
        yield from sentences(record.statement.splitlines())
        return
    yield from sentences((f"Written: {path}" for path in paths), "lead")
    folder = paths[-1].parent
    closing = (
        f"The seed and everything else that must not be released are in {folder}.",
        f"Entered in {project}, under [data] synthetic.",
        "The noise statement may be published. Everything else shown here is confidential.",
        "Protected data can still disclose. Next: unveil run.",
    )
    yield from sentences(closing, "lead")


@as_blocks.register
def _(record: Protection) -> Iterator[Block]:
    yield from protection_blocks(record)
