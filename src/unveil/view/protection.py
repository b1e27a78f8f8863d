"""What `unveil.protect` did, in sentences and tables; confidential but for the statement.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from unveil.records.protection import ConfidentialProtection, Protection, ProtectStep, SweepRow
from unveil.view.blocks import Block, Heading, Items, Sentence, notes, sentences, table
from unveil.view.distance_filter import ROUND_HEADS, round_rows
from unveil.view.format import and_list, format_count, lines, percent_or_dash, truncate
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "made": "{rows} of synthetic data were made from {n} records of {file}, in {steps}.",
    "stages": (
        "S1 (after synthesis) has {s1} rows, S2 (before noise) {s2}, S3 (for release) {s3}. Each"
        " stage can be assessed separately."
    ),
    "strict": (
        "The filter compared each row with its nearest original only: {n} retained rows are closer"
        ' to another original than any original is. The rule "strict" would reject them.'
    ),
    "sweep": (
        "Disclosure and utility by leaf size (S_pMSE: median over all pairs of variables; 1 = no"
        " more than chance)."
    ),
    "no keys": "No declared key is in the synthetic data: repU and DiSCO are not measured.",
    "entered": "Entered in {project}, under [data] synthetic.",
    "next": "Protected data can still disclose. Next: unveil run.",
    "apart": "The seed and everything else that must not be released are in {folder}.",
    "public": "The noise statement may be published. Everything else shown here is confidential.",
}
STEP_HEADS = ("step", "rows", "what it did")
SWEEP_HEADS = ("leaves", "cut from", "repU", "DiSCO", "highest", "of", "S_pMSE")


def protection_sentences(record: Protection) -> Iterator[str]:
    """What was made, the most important first."""
    yield TEMPLATES["made"].format(
        rows=format_count(record.n_s3, "row"),
        n=f"{record.n_original:,}",
        file=truncate(record.files[0]),
        steps=format_count(len(record.steps), "step"),
    )
    yield TEMPLATES["stages"].format(
        s1=f"{record.n_s1:,}", s2=f"{record.n_s2:,}", s3=f"{record.n_s3:,}"
    )
    if record.preset is not None:
        yield record.preset
    refill = record.refill
    if refill is not None and refill.rule == "paper" and refill.n_refused_by_strict:
        yield TEMPLATES["strict"].format(
            n=f"{refill.n_refused_by_strict:,} of the {refill.n_rows:,}"
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
        yield TEMPLATES["sweep"]
        keys = [key for key in record.keys if key in _in_copy(record)]
        yield f"Keys: {and_list(keys)}." if keys else TEMPLATES["no keys"]


def _in_copy(record: Protection) -> set[str]:
    aside = ("predictor only", "left out")
    return {column.name for column in record.synthesis.columns if column.role not in aside}


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
    if record.warnings:
        yield Heading("Notes", 4)
        yield Items(record.warnings)
    yield from notes(record.coercions)
    if not paths:
        yield from sentences(record.statement.splitlines())
        return
    yield from sentences((f"Written: {path}" for path in paths), "lead")
    yield Sentence(TEMPLATES["apart"].format(folder=paths[-1].parent), "lead")
    yield Sentence(TEMPLATES["entered"].format(project=project), "lead")
    yield Sentence(TEMPLATES["public"], "lead")
    yield Sentence(TEMPLATES["next"], "lead")


@as_blocks.register
def _(record: Protection) -> Iterator[Block]:
    yield from protection_blocks(record)
