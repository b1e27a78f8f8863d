"""Train on synthetic, test on real: how well models predict real people."""

from collections.abc import Iterator

from unveil.records.utility import Tstr, TstrRow
from unveil.view import blocks
from unveil.view.blocks import Block, Heading, notes
from unveil.view.format import agree, and_list, format_count, people, percent, ratio, truncate
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import filled_table

LIMITS = (
    "This is a narrow measure: one outcome and one model. It says nothing about other analyses, and"
    " nothing about disclosure risk: the original itself would keep everything."
)
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
        f"{record.headline} for {truncate(record.outcome)} of real people: {here} with a"
        f" {MODELS[record.model]} trained on {copies if m == 1 else f'one of {copies}'}, {there}"
        f" trained on the original, {guess} with a constant guess.",
    )
    if record.share_kept is not None:
        yield "kept", _format_gain(record.share_kept, copies)
    n = people(record.rows[0].n_tested)
    if record.tested_on == "control":
        yield "tested", f"Every model was tested on {n} of the control sample."
    else:
        yield (
            "tested",
            f"Every model was tested on the {n} of the original, in {record.folds} folds; the"
            " original's own model was trained on the other folds.",
        )
    if n_lost := sum(record.n_left_out):
        lost = format_count(n_lost, "record")
        yield "excluded", f"{lost} without a known outcome {agree(n_lost, 'was', 'were')} excluded."
    for warning in record.warnings:
        yield "warning", warning
    yield "limits", LIMITS


def _format_gain(share: float, copies: str) -> str:
    """How much of the gain is left; more than all of it is no merit."""
    if share < 0:
        return f"The model trained on {copies} does worse than the constant guess."
    gain, kept = "Of the original's gain over the constant guess", percent(100 * share)
    if share <= 1:
        return f"{gain}, {copies} keep {kept}."
    return f"{gain}, {copies} keep all; {kept} is due to chance or to the way of testing."


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
    yield from notes(record.coercions)
