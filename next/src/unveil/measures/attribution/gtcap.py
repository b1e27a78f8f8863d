"""`unveil.gtcap`: how near to the truth is what synthetic data say of people who stand out?

GTCAP, the generalised targeted correct attribution probability of Chapelle and Falissard (2023),
Algorithm 2. The paper does not print `getUniqueRows`, nor what becomes of missing values, of a
tolerance of 0, or of people whose original and baseline are the same: those choices are ours.
"""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.errors import InputError, list_names
from unveil.measures.attribution.nearness import Part
from unveil.measures.attribution.people import mean_of_people, means_of_people
from unveil.progress import steps
from unveil.results import (
    Chart,
    Copy,
    Count,
    Figure,
    Heading,
    Note,
    Number,
    Result,
    Row,
    Share,
    with_mean,
)
from unveil.results.words import Words, count, side_of
from unveil.study import ORIGINAL, NearStudy, Side, Study, measure

SAME = 1e-12  # original and baseline are the same
EDGES = np.linspace(-1, 1, 9).tolist()  # of bins; the outer ones are open
NEARLY = 0.75  # a score that is nearly the original's own
SWUNG = 0.25  # the mean and the ratio of means differ by so much: few people swing the mean
DIGITS = 12  # to which scores are rounded before they are put into bins
NO_SCALE = "nobody who stands out, or the original tells no more than the shares"


class GtcapRow(Row, frozen=True):
    """GTCAP of one target."""

    version: str
    copy: Copy
    target: str
    uniques: Annotated[Figure, Count("people whom nobody else is near in every key")]
    unmatched: Annotated[Figure, Count("of them, those no synthetic record is near: they score 0")]
    dropped: Annotated[Figure, Count("of them, those whose original and baseline are the same")]
    near: Annotated[Figure, Count(f"of them, those with a score of {NEARLY} or more")]
    GTCAP: Annotated[
        Figure,
        Number("nearness of synthetic claims, from the shares alone (0) to the original's own (1)",
               "Chapelle 2023, algorithm 2", "", NO_SCALE, limited=True),
    ]  # fmt: skip
    ratio_of_means: Annotated[
        Figure, Number("the same of the three means, which few people cannot swing", "",
                       "ratio of means", NO_SCALE)
    ]  # fmt: skip
    original_mean: Annotated[Figure, Share("nearness of originals near them, themselves included")]
    synthetic_mean: Annotated[Figure, Share("nearness of synthetic records near them")]
    baseline_mean: Annotated[Figure, Share("nearness of everyone in the original")]


class BinRow(Row, frozen=True):
    """How many people have which score."""

    version: str
    copy: Copy
    target: str
    low: Annotated[Figure, Number("scores from here; empty: any below")]
    high: Annotated[Figure, Number("up to, and without; empty: any above")]
    people: Annotated[Figure, Count("people whose GTCAP is between")]


class Gtcap(Result, frozen=True, kw_only=True):
    """GTCAP of the statistical uniques."""

    title: ClassVar[str] = "Nearness to people who stand out (GTCAP)"
    drawings: ClassVar[dict[str, Chart]] = {
        "gtcap_bins": Chart(
            spec="bins", table="bins", title="GTCAP of people who stand out",
            columns={"label": "target", "start": "low", "end": "high", "people": "people"},
        )
    }  # fmt: skip

    gtcap: Annotated[
        tuple[GtcapRow, ...],
        Heading("GTCAP", ("target", "uniques", "unmatched", "near", "GTCAP", "synthetic_mean",
                          "baseline_mean", "original_mean"), True),
    ]  # fmt: skip
    bins: Annotated[tuple[BinRow, ...], Heading("GTCAP of each")] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        words = Words(self.settings, self.files)
        return tuple(_said(words, row) for row in self.table().first_rows)

    def records(self, *targets: str) -> pl.DataFrame:
        """The scores of each unique: confidential."""
        study = self.study
        standing_out = _StandingOut(study, self.settings["uniques"])
        return pl.concat(
            scores.frame(side)
            for target in targets or study.near_targets
            for side, scores in standing_out.scores(target)
        )


def _said(words: Words, row: GtcapRow) -> str:
    """Nearness, not correct draws."""
    if row.GTCAP is None:
        return f"{side_of(row)}GTCAP of {row.target} is not measured: there is {NO_SCALE}."
    sentence = (
        f"{side_of(row)}GTCAP of {row.target} is {row.GTCAP:z.3f}, over {count(row.uniques)}"
        f" {words.unit} whom nobody else is near: 0 is as near to the truth as guesses by the"
        f" shares, 1 as near as the original's own records. It is {NEARLY:g} or more for"
        f" {count(row.near)} of them, where guesses by the shares have a mean nearness of"
        f" {row.baseline_mean:.2f}; no synthetic record is near {count(row.unmatched)} of them."
    )
    if row.ratio_of_means is not None and abs(row.GTCAP - row.ratio_of_means) > SWUNG:
        sentence += (
            f" A few people swing this mean; the ratio of means is {row.ratio_of_means:z.3f}."
        )
    return sentence


@measure
def gtcap(study: NearStudy, *, uniques: Literal["all_keys", "key"] = "all_keys") -> Gtcap:
    """Measure how near to the truth synthetic records are about people who stand out.

    Parameters
    ----------
    study
        The files; at least one key or target is a number with a tolerance.
    uniques
        Who stands out: nobody else is near in all_keys, or in any number of the keys (key).

    References
    ----------
    Chapelle and Falissard (2023), Algorithm 2.
    """
    if not (targets := study.near_targets):
        raise InputError(
            "GTCAP asks for a number with a tolerance among keys and targets of the study:"
            " -c age:tolerance=5."
        )
    standing_out = _StandingOut(study, uniques)
    rows, bins = [], []
    for target in steps("gtcap", targets):
        scored = list(standing_out.scores(target))
        rows += with_mean([scores.row(side) for side, scores in scored])
        bins += [row for side, scores in scored for row in scores.bins(side)]
    without = [target for target in study.targets if target not in targets]
    sentence = f"Not measured, for neither they nor a key have a tolerance: {list_names(without)}."
    notes = (Note(about="gtcap.target", sentence=sentence),) if without else ()
    return Gtcap(gtcap=tuple(rows), bins=tuple(bins), notes=notes)


class _StandingOut:
    """The original's records that nobody else's are near, and whose they are."""

    def __init__(self, study: Study, uniques: str) -> None:
        self.study, (person, _) = study, study.people()
        self.keys, self.people = Part.of(study, study.keys), study.rows[ORIGINAL]
        parts = [self.keys]
        if uniques == "key" and self.keys.numbers:
            parts = [Part(self.keys.category, [number]) for number in self.keys.numbers]
        is_alone = [part.is_alone(self.people, person) for part in parts]
        self.rows = np.flatnonzero(np.all(is_alone, axis=0))
        self.person = person[self.rows]
        self.kc = cache(lambda *ends: self.keys.sums(None, self.rows, slice(*ends)))

    def scores(self, name: str) -> Iterator[tuple[Side, "_Scores"]]:
        """`computeGTCAP` and `univariatePrediction`, lines 31 to 59."""
        study, target = self.study, Part.of(self.study, self.study.joint.get(name, [name]))
        baseline = target.sums(None, self.rows, self.people) / len(study.original)
        original, _ = self._nearness(target, self.people)
        for side in study.sides():
            data = slice(study.rows[side.files[0]].start, study.rows[side.files[-1]].stop)
            scores = _Scores(name, self.rows, self.person, baseline, original,
                            *self._nearness(target, data))  # fmt: skip
            yield side, scores

    def _nearness(self, target: Part, data: slice) -> tuple[Floats, Mask]:
        """sum(kc tc) / sum(kc); 0 where nobody is near."""
        kc, kc_tc = self.kc(data.start, data.stop), self.keys.sums(target, self.rows, data)
        return np.divide(kc_tc, kc, out=np.zeros(len(kc)), where=kc > 0), kc > 0


def normalise(synthetic: Floats, baseline: Floats, original: Floats) -> Floats:
    """Line 68; undefined where there is no scale."""
    scale = original - baseline
    return (synthetic - baseline) / np.where(np.abs(scale) > SAME, scale, np.nan)


class _Scores(NamedTuple):
    """The scores of the uniques beside some synthetic data."""

    target: str
    rows: Ints
    person: Ints
    baseline: Floats
    original: Floats
    synthetic: Floats
    is_found: Mask

    @property
    def normalised(self) -> Floats:
        return normalise(self.synthetic, self.baseline, self.original)

    @property
    def of_people(self) -> Floats:
        return np.round(means_of_people(self.normalised, self.person), DIGITS)

    def row(self, side: Side) -> GtcapRow:
        n, scores = len(np.unique(self.person)), self.of_people
        synthetic, baseline, original = means = [
            mean_of_people(values, self.person)
            for values in (self.synthetic, self.baseline, self.original)
        ]
        ratio = float(normalise(*np.array(means, float)))
        return GtcapRow(
            version=side.version, copy=side.copy, target=self.target, uniques=n,
            unmatched=n - len(np.unique(self.person[self.is_found])),
            dropped=n - len(scores), near=int((scores >= NEARLY).sum()),
            GTCAP=mean_of_people(self.normalised, self.person),
            ratio_of_means=None if np.isnan(ratio) else ratio,
            original_mean=original, synthetic_mean=synthetic, baseline_mean=baseline,
        )  # fmt: skip

    def bins(self, side: Side) -> Iterator[BinRow]:
        """Figure 14."""
        counts, _ = np.histogram(self.of_people, [-np.inf, *EDGES, np.inf])
        for low, high, n in zip((None, *EDGES), (*EDGES, None), counts.tolist(), strict=True):
            yield BinRow(version=side.version, copy=side.copy, target=self.target, low=low,
                         high=high, people=n)  # fmt: skip

    def frame(self, side: Side) -> pl.DataFrame:
        about = {"version": side.version, "copy": str(side.copy), "target": self.target}
        scores = {"synthetic": self.synthetic, "baseline": self.baseline,
                  "original": self.original, "GTCAP": self.normalised}  # fmt: skip
        frame = pl.DataFrame({"row": self.rows, **scores}, nan_to_null=True)
        texts = (pl.lit(text).alias(name) for name, text in about.items())
        return frame.select("row", *texts, *scores)
