"""`unveil.membership`: can it be told who was in the original, by how near synthetic records come?

El Emam, Mosquera and Fang (2022): the intruder has the record of a person, and claims that they
were in the original if a synthetic record is within a threshold.
"""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.arguments import Seed
from unveil.counts.cells import Floats
from unveil.measures.attacks.people import (
    Level,
    People,
    axis_of,
    compared,
    groups,
    notes_on,
    records_of,
)
from unveil.measures.attacks.rows import CHANCE, share
from unveil.models.intervals import auc, z_of
from unveil.models.nearest import TIE, nearest_distance
from unveil.progress import steps
from unveil.results import Copy, Count, Figure, Heading, Note, Number, Result, Row, Share, grouped
from unveil.results.words import Words, side_of
from unveil.study import Side, Study, measure

SOURCE = "El Emam et al. 2022"
FEWEST = 100  # people of the control sample, of whom 1 % are less than one person
EVEN = 0.5  # the prevalence where none is given


class MembershipRow(Row, frozen=True):
    """Who is within a distance of a synthetic record, and was in the original or was not."""

    version: str
    copy: Copy
    threshold: Annotated[float, Number("the distance, in columns that differ")]
    recall: Annotated[Figure, Share("of people used, within the distance", SOURCE)]
    false_positive_rate: Annotated[Figure, Share("of people not used, within it", SOURCE)]
    precision: Annotated[
        Figure, Share("of those within it, used", SOURCE, undefined="nobody within the distance")
    ]
    F1: Annotated[Figure, Share("harmonic mean of recall and precision", SOURCE)]
    advantage: Annotated[Figure, Share("recall less false positive rate", limited=True)]
    AUC: Annotated[
        Figure, Share("chance that one used is nearer than one not, ties half", limited=True)
    ]
    AUC_low: Annotated[Figure, Share("lower end of its interval", "DeLong et al. 1988")]
    AUC_high: Annotated[Figure, Share("upper end of its interval", "DeLong et al. 1988")]


class ClosestRow(Row, frozen=True):
    """People used who are nearer to a synthetic record than nearly all who were not."""

    version: str
    copy: Copy
    closest: Annotated[int, Count("people used, nearer than all but 1 % of the control sample")]
    chance: Annotated[float, Number("people expected to be so by chance")]
    p: Annotated[float, Share("that chance gives so many or more", "beta-binomial distribution")]


class Membership(Result, frozen=True, kw_only=True):
    """Membership by nearest records."""

    title: ClassVar[str] = "Membership"

    membership: Annotated[
        tuple[MembershipRow, ...],
        Heading(
            "Membership by distance",
            ("threshold", "recall", "false_positive_rate", "precision", "F1", "AUC"),
            True,
        ),
    ]
    closest: Annotated[tuple[ClosestRow, ...], Heading("Closest people")]

    @property
    def sentences(self) -> tuple[str, ...]:
        return membership_sentences(self)

    @property
    def foot(self) -> tuple[str, ...]:
        return membership_sentences(self, is_first=True)


def membership_sentences(result: Result, *, is_first: bool = False) -> tuple[str, ...]:
    """The best attack beside calling everyone a member; who is closest beside chance.

    Of several releases, the first screen speaks of the one with the highest AUC.
    """
    words = Words(result.settings, result.files)
    prevalence = result.settings.get("prevalence", EVEN)
    naive, sentences = 2 * prevalence / (1 + prevalence), []
    closest = {(row.version, row.copy): row for row in result.table("closest").first_rows}
    bests = [
        max(rows, key=lambda row: row.F1)
        for rows in grouped(
            result.table("membership").first_rows, lambda row: (row.version, row.copy)
        )
    ]
    for best in sorted(bests, key=lambda row: -row.AUC)[: 1 if is_first else None]:
        sentences.append(
            f"{side_of(best)}An intruder who takes everyone within {best.threshold:g} of a"
            " synthetic record for a member, the best distance chosen afterwards, has an F1 of"
            f" {best.F1:.3f}; taking everyone for one has {naive:.3f} (prevalence"
            f" {share(prevalence)}). Of two {words.unit}, one used and one not, the one used is"
            f" nearer in {share(best.AUC)} of cases ({share(best.AUC_low)} to"
            f" {share(best.AUC_high)}); by chance 50.0 %."
        )
        if row := closest.get((best.version, best.copy)):
            text = (
                f"{side_of(row)}{row.closest:,} of the {words.unit} used are nearer to a synthetic"
                " record than all but 1 % of the control sample; chance gives about"
                f" {row.chance:,.0f}"
            )
            is_clear = row.p <= CHANCE / len(closest)
            sentences.append(
                f"{text} (p {row.p:.2g}). More are close than chance explains."
                if is_clear
                else f"{text}. That is within chance; other attacks may still succeed."
            )
    return tuple(sentences)


@measure
def membership(
    study: Study, *, prevalence: Annotated[float, Meta(gt=0, lt=1)] = EVEN,
    level: Level = 0.95, people: People = None, seed: Seed = None,
) -> Membership:  # fmt: skip
    """Tell who was in the data by how near synthetic records come; needs a control sample.

    Parameters
    ----------
    study
        The files, a control sample among them.
    prevalence
        The share of those the intruder asks about who are in the data.
    level, people, seed
        As in `inference`.
    """
    study.control_number  # noqa: B018 (refuses a study without)
    rows, closest = [], []
    attacked = groups(study, people, seed or 0)
    for side in steps("membership", list(study.sides())):
        axes, records = (
            [axis_of(study, name, side) for name in compared(study)],
            records_of(study, side),
        )
        used, unused = (
            group.nearest_of_person(nearest_distance(axes, group.rows, records))
            for group in attacked
        )
        rows += _rows(side, used, unused, len(axes), prevalence, level)
        closest += _closest(side, used, unused)
    notes = notes_on(study)
    if not closest:
        few = f"Who is closest is not measured: fewer than {FEWEST} people in the control sample."
        notes.append(Note(about="membership.closest", sentence=few))
    return Membership(membership=tuple(rows), closest=tuple(closest), notes=tuple(notes))


def _rows(
    side: Side, used: Floats, unused: Floats, n_columns: int, prevalence: float, level: float
) -> list[MembershipRow]:
    """A row for each whole distance, up to that within which everyone is."""
    rows, t = [], prevalence
    chance, error = auc(-np.round(used / TIE), -np.round(unused / TIE))
    half = z_of(level) * error
    for threshold in range(n_columns + 1):
        r, f = (float((near <= threshold + TIE).mean()) for near in (used, unused))
        rows.append(MembershipRow(
            version=side.version, copy=side.copy, threshold=float(threshold), recall=r,
            false_positive_rate=f, precision=t * r / (t * r + (1 - t) * f) if r or f else None,
            F1=2 * t * r / (t * r + (1 - t) * f + t), advantage=r - f,
            AUC=chance, AUC_low=max(chance - half, 0.0), AUC_high=min(chance + half, 1.0),
        ))  # fmt: skip
        if r == f == 1:
            break
    return rows


def _closest(side: Side, used: Floats, unused: Floats) -> list[ClosestRow]:
    """Strictly nearer than the nearest but k - 1 of those not used, k one in a hundred of them."""
    n, m = len(used), len(unused)
    if m < FEWEST:
        return []
    k = m // 100
    h = int((used < np.partition(unused, k - 1)[k - 1] - TIE).sum())
    return [ClosestRow(
        version=side.version, copy=side.copy, closest=h, chance=n * k / (m + 1),
        p=chance_of_closest(h, n, m, k),
    )]  # fmt: skip


def chance_of_closest(h: int, n: int, m: int, k: int) -> float:
    """That h or more of n stand before the k-th of m others, all orders alike.

    Their number is beta-binomial, of n with k and m + 1 - k.
    """
    from scipy.stats import betabinom

    return float(betabinom.sf(h - 1, n, k, m + 1 - k))
