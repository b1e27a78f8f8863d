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
from unveil.view.blocks import (
    Block,
    Heading,
    Items,
    Sentence,
    list_rows,
    notes,
    say,
    sentences,
    table,
)
from unveil.view.distance_filter import ROUNDS
from unveil.view.format import (
    and_list,
    format_count,
    format_share,
    lines,
    percent_or_dash,
    truncate,
)
from unveil.view.show import as_blocks, as_text

STEPS: dict[str, Callable[[ProtectStep], str]] = {
    "step": lambda step: f"{step.number}. {step.do}",
    "rows": lambda step: f"{step.n_rows:,}",
    "what it did": lambda step: lines(step.sentence),
}
SWEEP: dict[str, Callable[[SweepRow], str]] = {
    "leaves": lambda row: f"{row.min_leaf:,}{' (used)' if row.is_used else ''}",
    "cut from": lambda row: f"{row.min_split:,}",
    "repU": lambda row: percent_or_dash(row.repU),
    "DiSCO": lambda row: percent_or_dash(row.DiSCO),
    "highest": lambda row: percent_or_dash(row.worst_DiSCO),
    "of": lambda row: "-" if row.worst_target is None else truncate(row.worst_target),
    "S_pMSE": lambda row: "-" if row.S_pMSE is None else f"{row.S_pMSE:.2f}",
}


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


N_STAGES = 3


def stage_rows(record: StageTable) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Figures downwards, stages across."""

    def line(name: str, cell: Callable[[StageRow], str]) -> tuple[str, ...]:
        return (name, *map(cell, record.rows))

    def attack(name: str, field: str) -> tuple[str, ...]:
        by_stage = [{one.attack: one for one in row.attacks} for row in record.rows]
        values = [getattr(found[name], field) for found in by_stage]
        shown = {"R": ratio_or_dash, "success": format_share}[field]
        return (f"{'R of ' if field == 'R' else ''}{name}", *map(shown, values))

    attacks = [one.attack for one in record.rows[0].attacks if one.reason is None]
    is_controlled = record.n_control is not None
    close = any(row.too_close is not None for row in record.rows)
    rows = [
        line("rows", lambda row: f"{row.n_rows:,}"),
        *(
            [line("refused by the filter", lambda row: format_share(row.too_close))]
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


def stage_sentences(record: StageTable) -> Iterator[tuple[str, str]]:
    """Against whom, and what may be compared, each with the name of its template."""
    against = f"Each stage against the {record.n_original:,} recoded originals."
    yield "stages", f"{against} Lower is better, but for the overlap."
    if record.n_control is None:
        yield "no control", "R is not measured: no control sample was given (--control)."
    else:
        yield "control", f"R: excess over a control sample of {record.n_control:,} people."
    if len(record.rows) > N_STAGES:
        yield (
            "as long",
            "S2 has fewer rows than S1. Compare it with the part of S1 that is as long: the rest of"
            " the difference is that of fewer rows.",
        )
    else:
        yield "same", "S1 and S2 have as many rows: their difference is the filter's."
    close = {row.stage: row.too_close or 0.0 for row in record.rows}
    if close["S3"] > close["S2"]:
        after, before = format_share(close["S3"]), format_share(close["S2"])
        yield (
            "noise",
            "What was done after the filter brings rows back to originals: it would refuse"
            f" {after} of S3, {before} of S2.",
        )


def stage_blocks(record: StageTable) -> Iterator[Block]:
    """The table of stages and what to mind."""
    heads, rows = stage_rows(record)
    yield table("Stages", heads, rows)
    yield from say(stage_sentences(record))
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
    yield list_rows("What each step did", STEPS, record.steps, text=("what it did",))
    if record.refill is not None:
        yield list_rows("Rounds of the filter", ROUNDS, record.refill.rounds)
    if record.sweep:
        yield list_rows("Sizes of leaves", SWEEP, record.sweep, text=("of",))
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
