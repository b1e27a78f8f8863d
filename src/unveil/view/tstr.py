"""Train on synthetic, test on real: how well models predict real people."""

from collections.abc import Iterator

from unveil.records.utility import Tstr, TstrRow
from unveil.view import blocks
from unveil.view.blocks import Block, Heading, notes
from unveil.view.format import and_list, format_count, people, percent, ratio, truncate
from unveil.view.group_notes import group_notes
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import filled_table

LIMITS = (
    "This is a narrow measure: one outcome and one model. It says nothing about other analyses, and"
    " nothing about disclosure risk: the original itself would keep everything."
)
TEMPLATES = {
    "headline": (
        "{symbol} for {outcome} of real people: {here} with a {model} trained on {copies}, {there}"
        " trained on the original, {guess} with a constant guess."
    ),
    "kept": "Of the original's gain over the constant guess, {copies} keep {share}.",
    "more": (
        "Of the original's gain over the constant guess, {copies} keep all; {share} is due to"
        " chance or to the way of testing."
    ),
    "worse": "The model trained on {copies} does worse than the constant guess.",
    "control": "Every model was tested on {n} of the control sample.",
    "folds": (
        "Every model was tested on the {n} of the original, in {folds} folds; the original's own"
        " model was trained on the other folds."
    ),
    "excluded": "{n} without a known outcome {were} excluded.",
}
MODELS = {"logistic": "logistic model", "linear": "linear model", "tree": "tree"}
HEADS = {
    "classification": ("accuracy", "balanced accuracy", "AUC", "log loss"),
    "regression": ("R2", "RMSE", "MAE"),
}
FIELDS = {
    "classification": ("accuracy", "balanced_accuracy", "AUC", "log_loss"),
    "regression": ("R2", "RMSE", "MAE"),
}


def tstr_sentences(record: Tstr) -> Iterator[tuple[str, str]]:
    """What the trial says, by the name of what is said."""
    m = len(record.n_synthetic)
    copies = "the synthetic data" if m == 1 else f"the {m} copies"
    here, there, guess = (
        ratio(getattr(row, record.headline)) for row in (headline_row(record), *record.rows[-2:])
    )
    yield (
        "headline",
        TEMPLATES["headline"].format(
            model=MODELS[record.model],
            copies=copies if m == 1 else f"one of {copies}",
            outcome=truncate(record.outcome),
            symbol=record.headline,
            here=here,
            there=there,
            guess=guess,
        ),
    )
    if record.share_kept is not None:
        yield "kept", _format_gain(record.share_kept, copies)
    kind = "control" if record.tested_on == "control" else "folds"
    n = people(record.rows[0].n_tested)
    yield "tested", TEMPLATES[kind].format(n=n, folds=record.folds)
    if n_lost := sum(record.n_left_out):
        were = "was" if n_lost == 1 else "were"
        yield "excluded", TEMPLATES["excluded"].format(n=format_count(n_lost, "record"), were=were)
    for warning in record.warnings:
        yield "warning", warning
    yield "limits", LIMITS


def _format_gain(share: float, copies: str) -> str:
    """How much of the gain is left; more than all of it is no merit."""
    kind = "worse" if share < 0 else "kept" if share <= 1 else "more"
    return TEMPLATES[kind].format(copies=copies, share=percent(100 * share))


def headline_row(record: Tstr) -> TstrRow:
    """The row of the only copy, or of the mean of all."""
    return record.row_of("synthetic", 1 if len(record.n_synthetic) == 1 else "mean")


def row_cells(record: Tstr, row: TstrRow) -> tuple[str, ...]:
    """One way to train: what it was trained on, on how many, and its scores."""
    what = {"original": "the original", "constant": "constant guess"}.get(row.trained_on)
    trained = what or ("mean of copies" if row.copy == "mean" else f"copy {row.copy}")
    figures = (getattr(row, field) for field in FIELDS[record.kind])
    return (trained, f"{row.n_trained:,.0f}", *(_figure(one) for one in figures))


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.1f}"


@as_text.register
def _(record: Tstr) -> str:
    here, there = (
        ratio(getattr(row, record.headline)) for row in (headline_row(record), record.rows[-2])
    )
    return (
        f"Train on synthetic, test on real: {record.headline} {here} for {truncate(record.outcome)}"
        f" (trained on the original {there})"
    )


def tstr_blocks(record: Tstr) -> Iterator[Block]:
    """The trial without its title."""
    yield from blocks.sentences(text for _, text in tstr_sentences(record))
    heads = ("trained on", "records", *HEADS[record.kind])
    rows = [row_cells(record, row) for row in record.rows]
    footnote = f"Predicted from {and_list(record.predictors)}."
    yield filled_table("Prediction of real people", heads, rows, footnote=footnote)


@as_blocks.register
def _(record: Tstr) -> Iterator[Block]:
    yield Heading("Train on synthetic, test on real")
    yield from tstr_blocks(record)
    yield from notes(group_notes(record.coercions))
