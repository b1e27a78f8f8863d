"""Train on synthetic, test on real: in sentences, and as it is shown in a notebook."""

from collections.abc import Iterator

from unveil.records.utility import Tstr, TstrRow
from unveil.view.format import and_list, format_count, percent, ratio, truncate
from unveil.view.group_notes import group_notes
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

LIMITS = (
    "This is a narrow measure: one outcome and one model. A good figure says that this question can"
    " be asked of the copy. It says nothing of other questions, and nothing of risk: the original"
    " itself, given away as it is, would keep everything."
)
TEMPLATES = {
    "headline": (
        "A {model} made on {copies} predicts {outcome} of real people with {symbol} {here}; made on"
        " the original, with {there}; a guess that is the same for everybody has {guess}."
    ),
    "kept": "Of what the original's model gains over that guess, {copies} {keep} {share}.",
    "more": (
        "Of what the original's model gains over that guess, {copies} {keep} all. That it is"
        " {share} is chance or the way of testing: a copy knows no more than its original."
    ),
    "worse": "The model made on {copies} does worse than that guess.",
    "control": "All were tested on {n} of the control, whom no model was made on.",
    "folds": (
        "All were tested on the {n} of the original, in {folds} parts; the original's own model was"
        " made each time on the other parts."
    ),
    "left out": "{n} without a known outcome {were} left out.",
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
    copies = "the copy" if len(record.n_synthetic) == 1 else f"the {len(record.n_synthetic)} copies"
    here, there, guess = (
        ratio(getattr(row, record.headline)) for row in (headline_row(record), *record.rows[-2:])
    )
    yield (
        "headline",
        TEMPLATES["headline"].format(
            model=MODELS[record.model],
            copies=copies if len(record.n_synthetic) == 1 else f"one of {copies}",
            outcome=truncate(record.outcome),
            symbol=record.headline,
            here=here,
            there=there,
            guess=guess,
        ),
    )
    if record.share_kept is not None:
        yield "kept", _kept(record.share_kept, copies, len(record.n_synthetic))
    n = record.rows[0].n_tested
    if record.tested_on == "control":
        yield "tested", TEMPLATES["control"].format(n=format_count(n, "person", "people"))
    else:
        people = format_count(n, "person", "people")
        yield "tested", TEMPLATES["folds"].format(n=people, folds=record.folds)
    if n_lost := sum(record.n_left_out):
        were = "was" if n_lost == 1 else "were"
        yield "left out", TEMPLATES["left out"].format(n=format_count(n_lost, "record"), were=were)
    for warning in record.warnings:
        yield "warning", warning
    yield "limits", LIMITS


def _kept(share: float, copies: str, n_copies: int) -> str:
    """How much of the gain is left; more than all of it is no merit of the copy."""
    kind = "worse" if share < 0 else "kept" if share <= 1 else "more"
    return TEMPLATES[kind].format(
        copies=copies, keep="keeps" if n_copies == 1 else "keep", share=percent(100 * share)
    )


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


@as_html.register
def _(record: Tstr) -> str:
    heads = ("trained on", "records", *HEADS[record.kind])
    return titled_view(
        as_text(record),
        *(paragraph(sentence) for _, sentence in tstr_sentences(record)),
        grid(
            "How well real people are predicted", heads, [row_cells(record, r) for r in record.rows]
        ),
        paragraph(f"Predicted from {and_list(record.predictors)}."),
        notes(group_notes(record.coercions)),
    )
