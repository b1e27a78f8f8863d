"""`unveil.excess`: what do synthetic data disclose only of the people they were made from?

Raab (2024), section 5 and equation 1, after Giomi et al. (2023): the same figures for a control
sample, whose records the synthesiser never saw, are what general knowledge gives away.
"""

from typing import Annotated, ClassVar

from unveil.arguments import Names, Texts, as_names
from unveil.errors import check_name
from unveil.measures.disclosure.disclosure import rules_of
from unveil.measures.disclosure.formulas import (
    AttributeRow,
    IdentityRow,
    attribute,
    excess_ratio,
    identity,
)
from unveil.results import (
    Chart,
    Copy,
    Figure,
    Heading,
    Note,
    Percent,
    Result,
    Row,
    Share,
    with_mean,
)
from unveil.results.words import Words, percent, side_of
from unveil.study import ORIGINAL, Counted, measure


class ExcessRow(Row, frozen=True):
    """One figure of the people whose records were used, and of people whose records were not."""

    version: str
    copy: Copy
    target: str  # empty: a figure of identity
    figure: str
    training: Annotated[Figure, Percent("of the people whose records were used")]
    control: Annotated[Figure, Percent("of people whose records were not used")]
    R: Annotated[
        Figure,
        Share("of those the control does not disclose, the part that is", "Raab 2024 (1)",
              limited=True),
    ]  # fmt: skip


class Excess(Result, frozen=True, kw_only=True):
    """Training records beside a control sample."""

    title: ClassVar[str] = "Excess risk of being in the data"
    drawings: ClassVar[dict[str, Chart]] = {
        "training_control": Chart(
            spec="lollipop", table="excess", title="Control sample and training records",
            columns={"label": "figure", "group": "target", "before": "control",
                     "after": "training"},
        )
    }  # fmt: skip

    excess: Annotated[tuple[ExcessRow, ...], Heading("Training beside control", (), True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        rows = [row for row in self.table().first_rows if row["R"] is not None]
        worst = max(rows, key=lambda row: float(row["R"]), default=None)
        if worst is None:
            return ()
        control = next(file.rows for file in self.files if file.role == "control")
        n, unit = Words(self.settings, self.files).base(worst)
        return (
            f"{side_of(worst)}{worst['figure']} of {worst.subject or 'identity'} has the highest R,"
            f" {worst['R']:z.2f}: {percent(worst['training'])} of {n:,} {unit} that were used,"
            f" {percent(worst['control'])} of {control:,} that were not.",
        )

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences


def _excess(used: Figure, unused: Figure) -> Figure:
    """Equation 1; 0 where the control sample discloses everyone, for nobody is left."""
    return 0.0 if used is not None and unused == 100 else excess_ratio(used, unused)


@measure
def excess(study: Counted, *, exclude: Texts = (), figures: Names = ("DiSCO", "DCAP")) -> Excess:
    """Measure how much more synthetic data disclose about the people they were made from.

    Parameters
    ----------
    study
        The files, a control sample among them.
    exclude
        As in `disclosure`.
    figures
        The figures that are compared.
    """
    rules = rules_of(study, exclude)
    units = IdentityRow.units() | AttributeRow.units()
    percentages = [name for name, unit in units.items() if isinstance(unit, Percent)]
    for figure in as_names(figures):
        check_name(figure, percentages, "There is no figure")
    sides, rows = list(study.sides()), []
    for target, formula in [(None, identity), *((name, attribute) for name in study.targets)]:
        training, control = (
            with_mean([formula(study.profile(target, side, rules, people), side) for side in sides])
            for people in (ORIGINAL, study.control_number)
        )
        rows += [
            ExcessRow(
                version=used["version"], copy=used["copy"], target=target or "", figure=figure,
                training=used[figure], control=unused[figure],
                R=_excess(used[figure], unused[figure])
                if used["copy"] != "sd" and study.fraction != 1
                else None,
            )
            for used, unused in zip(training, control, strict=True)
            for figure in as_names(figures)
            if figure in used.units()
        ]  # fmt: skip
    known = "The original is the whole population: who is in it is known, and R says nothing."
    notes = (Note(about="excess.R", sentence=known),) if study.fraction == 1 else ()
    return Excess(excess=tuple(rows), notes=notes)
