"""From a confidential file to a release, step by step (Chapelle and Falissard 2023)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from unveil.arguments import Names, SecretSeed, as_names
from unveil.errors import InputError
from unveil.making.made import Made
from unveil.making.release import StepRow, make_release, stages_of
from unveil.making.tries import TriedRow, coarser_steps, said_of, try_settings
from unveil.results import Heading, Note
from unveil.study import AnyStudy, Study, measure


class Protection(Made, frozen=True, kw_only=True):
    """The steps; `study` has the release, `stages` the versions S1, S2 and S3 on the way."""

    title: ClassVar[str] = "Protection"

    steps: Annotated[tuple[StepRow, ...], Heading("Steps", (), True)]
    tried: Annotated[
        tuple[TriedRow, ...],
        Heading("Tried", ("number", "setting", "complete", "worst", "beyond", "S_pMSE", "status"),
                True),
    ] = ()  # fmt: skip

    @property
    def sentences(self) -> tuple[str, ...]:
        return (
            f"{self.steps[-1].rows:,} synthetic records after {len(self.steps):,} steps, made from"
            f" {self.people:,} {self.settings['unit']}. Assess them before they are given away.",
            *(said_of(self.tried) if self.tried else ()),
        )

    @property
    def stages(self) -> Study:
        """The synthetic data S1, filtered S2, and with noise S3, as far as there are such steps."""
        if "_stages" not in vars(self):
            raise InputError("This result was loaded, without its files. Make the call again.")
        return vars(self)["_stages"]

    def steps_of(self, number: int) -> list[Mapping[str, Any]]:
        """The steps of a try, to be taken by `protect` with another seed."""
        tried = vars(self).get("_coarser", [])
        if not 1 <= number <= len(tried):
            raise InputError(f"There is no try {number}: {len(tried)} were made ('tries').")
        return list(tried[number - 1])


@measure
def protect(
    study: AnyStudy, steps: Sequence[Mapping[str, Any]], *, tries: Names = (),
    rows: Annotated[int, Meta(ge=1)] | None = None, seed: SecretSeed = None,
) -> Protection:  # fmt: skip
    """Protect data before release: recode, synthesise, filter by distance, add noise.

    Parameters
    ----------
    study
        The original, and synthetic data where no step makes them.
    steps
        What is done, in order: {"do": "synthesise"}, {"do": "distance_filter"}.
    tries
        Columns that are tried coarser, risk and utility side by side.
    rows
        Synthetic records to be kept; by default as many as are made.
    seed
        The start of the random numbers, as confidential as the original.
    """
    seed, columns = seed or 0, as_names(tries)
    coarser = coarser_steps(study, steps, columns) if columns else []
    release, table = make_release(study, steps, rows, seed)
    tried: list[TriedRow] = []
    notes: list[Note] = []
    if coarser:
        tried, notes = try_settings(study, release.last, coarser, columns, rows, seed)
    result = Protection(steps=tuple(table), tried=tuple(tried), notes=(*release.notes, *notes))
    vars(result)["_stages"] = stages_of(release)
    vars(result)["_coarser"] = [setting.steps for setting in coarser]
    return result.giving(release.last)
