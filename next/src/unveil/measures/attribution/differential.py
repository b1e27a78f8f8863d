"""`unveil.differential_confidentiality`: are people guessed better because their records were used?

Taub et al. (2018), section 4.3: the synthetic data are made of one part of the people, and both
parts are scored against them. A small t is no evidence that there is no difference; so beside the
paper's test stand the difference with an interval, and whether that lies inside a margin.

Erratum: footnote 7 gives 5,131 degrees of freedom, n - 2, which are those of a test that pools the
variances; Welch's are fewer.
"""

from math import fsum, sqrt
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, NamedTuple, get_args

import numpy as np
from msgspec import Meta

from unveil.counts.cells import Floats, Ints, pack
from unveil.measures.attribution.formulas import NonMatch, two_sided_p
from unveil.measures.attribution.people import means_of_people, percent_of, ratios, sums_of
from unveil.measures.attribution.pools import pools
from unveil.progress import steps
from unveil.results import Count, Figure, Heading, Number, Result, Row, Share
from unveil.results.units import Truth
from unveil.results.words import Words, count, percent, side_of
from unveil.study import ORIGINAL, Study, measure

FEWEST = 20  # key combinations with people of a part, for an interval that can be trusted
ROUNDING = 1e-30  # the squared standard error of scores that are all the same
NO_TEST = "a part with fewer than two people, or no variation in either"


class DifferenceRow(Row, frozen=True):
    """CAP of people whose records were used, and of people whose records were not."""

    version: str
    target: str
    nonmatch: NonMatch
    m: int
    training_people: Annotated[Figure, Count("people whose records were used")]
    control_people: Annotated[Figure, Count("people whose records were not used")]
    training: Annotated[Figure, Share("a draw about the former is right", "Taub 2018, Table 4")]
    control: Annotated[Figure, Share("a draw about the latter is right", "Taub 2018, Table 4")]
    difference: Annotated[Figure, Number("training less control", "Taub 2018, Table 4")]
    t: Annotated[Figure, Number("Welch's t", "Taub 2018, Table 4", undefined=NO_TEST)]
    df: Annotated[Figure, Number("its degrees of freedom", "Welch and Satterthwaite")]
    p: Annotated[Figure, Share("of a t as far from 0 by chance, if scores were independent")]
    low: Annotated[
        Figure,
        Number("lower end of the interval of the difference, people with the same keys together",
               undefined=f"a part with people in fewer than {FEWEST} key combinations"),
    ]  # fmt: skip
    high: Annotated[Figure, Number("its upper end")]
    equivalent: Annotated[bool | None, Truth("the interval lies inside the margin")]


class DifferentialConfidentiality(Result, frozen=True, kw_only=True):
    """Training people beside a control sample."""

    title: ClassVar[str] = "Differential confidentiality"

    difference: Annotated[
        tuple[DifferenceRow, ...],
        Heading("Training beside control", ("target", "nonmatch", "training", "control",
                                            "difference", "low", "high", "t", "p"), True),
    ]  # fmt: skip

    @property
    def sentences(self) -> tuple[str, ...]:
        words = Words(self.settings, self.files)
        rows = self.table().first_rows
        return tuple(_said(words, row, self.settings) for row in rows if row.nonmatch == "zero")


def _said(words: Words, row: DifferenceRow, settings: dict[str, Any]) -> str:
    """The difference with its interval; never that there is none."""
    start = (
        f"{side_of(row)}A draw of {row.target} is right in {percent_of(row.training)} of cases for"
        f" {count(row.training_people)} {words.unit} whose records were used, and in"
        f" {percent_of(row.control)} for {count(row.control_people)} whose records were not"
    )
    if row.low is None or row.high is None:
        return f"{start}; how sure the difference is cannot be told of so few key combinations."
    level = f"{100 * settings['level']:g} % interval"
    sentence = (
        f"{start}: a difference of {100 * (row.difference or 0):z.1f} points ({level}"
        f" {100 * row.low:z.1f} to {100 * row.high:z.1f})."
    )
    if row.low > 0 or row.high < 0:
        chance = percent(50 * (1 - settings["level"]))
        side = "above" if row.low > 0 else "below"
        sentence += f" Were there no difference, {chance} of such intervals would lie {side} 0."
    elif not row.equivalent:
        sentence += " This does not show that there is no difference."
    if row.equivalent:
        sentence += f" The interval lies within {100 * settings['margin']:g} points of 0."
    return sentence


@measure
def differential_confidentiality(
    study: Study,
    *,
    margin: Annotated[float, Meta(gt=0, lt=1)] | None = None,
    level: Annotated[float, Meta(ge=0.5, lt=1)] = 0.95,
) -> DifferentialConfidentiality:
    """Compare draws about people whose records were used with draws about people whose were not.

    Parameters
    ----------
    study
        The files, a control sample among them.
    margin
        The difference, as a share, below which it would not matter, such as 0.02.
    level
        The confidence of the interval.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), section 4.3.
    """
    control = study.control_number
    q = pack([study.column(name) for name in study.keys])[0]
    rows = []
    for target in steps("differential confidentiality", study.targets):
        for version in study.versions:
            both = zip(
                *(pools(study, target, version, n) for n in (ORIGINAL, control)), strict=True
            )
            for pool in both:
                parts = [
                    _Part(p.of_people(ratios(p.s_tq, p.s_q)), study.people(n)[0], q[study.rows[n]])
                    for n, (_, p) in zip((ORIGINAL, control), pool, strict=True)
                ]
                for nonmatch in get_args(NonMatch):
                    training, unused = (part.counted(nonmatch) for part in parts)
                    rows.append(DifferenceRow(
                        version=version, target=target, nonmatch=nonmatch, m=pool[0][0],
                        **_compare(training, unused, level, margin),
                    ))  # fmt: skip
    return DifferentialConfidentiality(difference=tuple(rows))


class _Part(NamedTuple):
    """The scores of some records, whose they are, and their keys."""

    score: Floats
    person: Ints
    q: Ints

    def counted(self, nonmatch: NonMatch) -> "_Part":
        """Records without a match count 0, or not at all."""
        is_matched = ~np.isnan(self.score)
        if nonmatch == "zero":
            return self._replace(score=np.nan_to_num(self.score))
        return _Part(*(values[is_matched] for values in self))

    @property
    def of_people(self) -> Floats:
        """In their order: no order of records changes a sum."""
        return np.sort(means_of_people(self.score, self.person))


def _compare(training: _Part, control: _Part, level: float, margin: float | None) -> dict[str, Any]:
    """Welch's test of two means of people, and an interval of their difference."""
    a, b = training.of_people, control.of_people
    figures: dict[str, Any] = {
        "training_people": len(a), "control_people": len(b),
        "training": float(a.mean()) if len(a) else None,
        "control": float(b.mean()) if len(b) else None,
        **dict.fromkeys(("difference", "t", "df", "p", "low", "high", "equivalent")),
    }  # fmt: skip
    if not len(a) or not len(b):
        return figures
    figures["difference"] = difference = figures["training"] - figures["control"]
    if min(len(a), len(b)) < 2 or (e := _error(a) + _error(b)) <= ROUNDING:
        return figures
    t = difference / sqrt(e)
    df = e**2 / (_error(a) ** 2 / (len(a) - 1) + _error(b) ** 2 / (len(b) - 1))
    figures |= {"t": t, "df": df, "p": two_sided_p(t, df)}
    if min(len(np.unique(part.q)) for part in (training, control)) >= FEWEST:
        half = NormalDist().inv_cdf((1 + level) / 2) * sqrt(_clustered(training, control))
        figures |= {"low": difference - half, "high": difference + half}
        if margin is not None:
            figures["equivalent"] = abs(difference) + half < margin
    return figures


def _error(values: Floats) -> float:
    """The squared standard error of a mean."""
    return float(values.var(ddof=1)) / len(values)


def _clustered(training: _Part, control: _Part) -> float:
    """The squared standard error of the difference, where records with the same keys, and those of
    a person, vary together: Cameron, Gelbach and Miller (2011), equation 2.11.
    """
    weights = []
    for sign, part in ((1, training), (-1, control)):
        people, n = part.of_people, np.bincount(part.person)[part.person]
        weights.append(sign * (part.score - people.mean()) / n / len(people))
    weight = np.concatenate(weights)
    q = np.unique(np.concatenate([training.q, control.q]), return_inverse=True)[1]
    person = np.concatenate([training.person, control.person + training.person.max() + 1])
    both = q * (person.max() + 1) + person
    squares = [
        sign * fsum((sums_of(group, weight) ** 2).tolist())
        for sign, group in ((1, q), (1, person), (-1, both))
    ]
    n = q.max() + 1
    return max(fsum(squares), 0.0) * n / (n - 1)
