"""What `unveil.protect` did, in sentences and tables; confidential but for the statement.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.protection import ConfidentialProtection, Protection, ProtectStep, SweepRow
from unveil.view.distance_filter import ROUND_HEADS, round_rows
from unveil.view.format import and_list, format_count, lines, percent_or_dash, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "made": "A copy of {rows} was made of {n} records of {file}, in {steps}.",
    "stages": (
        "S1, the synthesis alone, has {s1} rows; S2, before noise, {s2}; S3, the copy, {s3}. Each"
        " can be assessed by itself."
    ),
    "strict": (
        "The filter asked the nearest original of each row alone: {n} rows kept are closer"
        ' to some other original than any original is. The rule "strict" would refuse them.'
    ),
    "sweep": (
        "What leaves of other sizes would give away, and how like the original copies by them are"
        " (S_pMSE, the median over all pairs of columns: 1 is as like as chance allows)."
    ),
    "no keys": "No keys are declared that the copy has: repU and DiSCO are not measured.",
    "entered": "Entered in {project}, under [data] synthetic.",
    "next": (
        "A copy is not safe because steps were taken: measure it, with unveil run, before it is"
        " released."
    ),
    "apart": (
        "The seed and all else that must not be released are in {folder}. Keep that folder with the"
        " original."
    ),
    "public": "The noise statement may be published. All else that is shown here is confidential.",
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
        yield f"By {and_list(keys)}." if keys else TEMPLATES["no keys"]


def _in_copy(record: Protection) -> set[str]:
    aside = ("predictor only", "left out")
    return {column.name for column in record.synthesis.columns if column.role not in aside}


@as_text.register
def _(record: Protection) -> str:
    return (
        f"Protected copy of {truncate(record.files[0])}: {format_count(record.n_s3, 'row')} after"
        f" {and_list(dict.fromkeys(step.do for step in record.steps))}"
    )


@as_text.register
def _(record: ConfidentialProtection) -> str:
    return f"CONFIDENTIAL record: {as_text(record.protection)}"


@as_html.register
def _(record: Protection) -> str:
    rounds = () if record.refill is None else round_rows(record.refill)
    return titled_view(
        as_text(record),
        *map(paragraph, protection_sentences(record)),
        *(paragraph(lines(warning)) for warning in record.warnings),
        grid("What each step did", STEP_HEADS, [step_cells(step) for step in record.steps]),
        grid("Rounds of the filter", ROUND_HEADS, rounds) if rounds else "",
        *map(paragraph, sweep_sentences(record)),
        grid("Sizes of leaves", SWEEP_HEADS, [sweep_cells(row) for row in record.sweep])
        if record.sweep
        else "",
        *(paragraph(line) for line in record.statement.splitlines()),
        notes(record.coercions),
    )
