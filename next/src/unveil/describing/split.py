"""Who is used to make synthetic data, and who is left out, by chance alone?

What synthetic data disclose because a record was used shows only beside people of the same kind
whose records were not (Taub et al. 2018, section 4.3; Raab 2024, section 5).
"""

from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl

from unveil.arguments import Names, Part, SecretSeed, as_names
from unveil.counts.cells import pack
from unveil.counts.profile import Mask
from unveil.errors import InputError
from unveil.results import Count, Heading, Note, Result, Row
from unveil.study import Records, Study, measure


class PartRow(Row, frozen=True):
    """One part of the original."""

    part: str
    rows: Annotated[int, Count("records")]
    people: Annotated[int, Count("people whose records these are")]


class Split(Result, frozen=True, kw_only=True):
    """A training and a control sample, whose records are not saved with it."""

    title: ClassVar[str] = "Training and control sample"

    parts: Annotated[tuple[PartRow, ...], Heading("Parts", (), True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        training, n, unit = self.parts[0].people, self.people, self.settings["unit"]
        return (
            f"{training:,} of {n:,} {unit} are in the training sample, {n - training:,} in the"
            " control sample. Keep both and the seed confidential.",
        )

    @property
    def training(self) -> pl.DataFrame:
        """The records of those who are used."""
        return self.study.original.filter(draw_training(self.study, self.settings))

    @property
    def control(self) -> pl.DataFrame:
        """The records of those who are left out."""
        return self.study.original.filter(~draw_training(self.study, self.settings))


def draw_training(study: Study, asked: dict[str, Any]) -> Mask:
    """Whether each record's person is used: of every stratum this share, to one person.

    Strata stand in random order, people in random order within, and every (1 / share)th is taken
    from a random start, so everyone has the same chance.
    """
    person, n = study.people()
    stratum, alone = np.zeros(n, np.int64), study.replace(synthetic=None, control=None)
    if columns := [alone.column(name) for name in as_names(asked["strata"])]:
        _, of_record = np.unique(pack(columns)[0], return_inverse=True)
        np.maximum.at(stratum, person, of_record)  # who has records in several is in one of them
    random = np.random.default_rng(asked["seed"])
    places = np.floor(asked["share"] * np.arange(n + 1) + random.random())
    order = np.lexsort((random.random(n), random.permutation(n)[stratum]))
    is_training = np.zeros(n, bool)
    is_training[order] = np.diff(places) > 0
    return is_training[person]


@measure
def split(
    study: Records, *, strata: Names = (), share: Part = 0.5, seed: SecretSeed = None
) -> Split:
    """Split the people of the original at random into a training and a control sample.

    Parameters
    ----------
    study
        The original; all records of a person stay together.
    strata
        Columns: the share holds in each combination of their levels.
    share
        The part of the people whose records are used.
    seed
        The start of the random numbers, as confidential as the original.
    """
    drawn = draw_training(study, {"strata": strata, "share": share, "seed": seed})
    person, n = study.people()
    used = len(np.unique(person[drawn]))
    if used in (0, n):
        raise InputError(f"A 'share' of {share:g} leaves a sample empty. Choose one nearer to 0.5.")
    rows = int(drawn.sum())
    alone = "Every record is taken for a person. If one says whose it is, declare it: pid=person."
    return Split(
        parts=(
            PartRow(part="training", rows=rows, people=used),
            PartRow(part="control", rows=len(person) - rows, people=n - used),
        ),
        notes=() if study.has_people else (Note(about="files", sentence=alone),),
    )
