"""`unveil.match_risk`: how many people have the same keys, and would a match be correct?

Individual risk: Benedetti and Franconi (1998), Franconi and Polettini (2004). l-diversity:
Machanavajjhala et al. (2007). Rows matched to rows: Reiter and Mitra (2009), as Taub et al. (2018)
set them beside CAP.
"""

from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Part
from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError
from unveil.measures.uniques.aligned import AlignedRow, aligned_rows, aligned_sentence
from unveil.measures.uniques.combinations import (
    Combinations,
    CombinationsThere,
    combinations_of,
    counted_combinations,
    values_there,
)
from unveil.results import Count, Figure, Heading, Number, People, Percent, Result, Row, Share
from unveil.results.words import Words, are, people, percent
from unveil.study import ORIGINAL, OneCounted, Study, measure

SMALL = (2, 3, 5)  # groups that are always counted, beside k
RISKS = (0.01, 0.05, 0.1, 0.2, 0.5)
SAID = 3  # targets with a sentence of their own


class RiskRow(Row, frozen=True):
    """Whether matches would be correct, over the whole file."""

    people: Annotated[int, Count("people of the original")]
    population: Annotated[float, People("people they stand for: the sum of the weights")]
    combinations: Annotated[int, Count("key combinations that occur")]
    expected_matches: Annotated[
        float, Number("people a guess among all who match would be correct for", limited=True)
    ]
    global_risk: Annotated[float, Share("of people, the same", "sdcMicro", limited=True)]
    highest_risk: Annotated[
        float, Share("the same for the person most at risk", "Franconi and Polettini 2004",
                     limited=True)
    ]  # fmt: skip
    below_k: Annotated[int, Count("people in groups smaller than k", limited=True)]


class AnonymityRow(Row, frozen=True):
    """Who breaks k-anonymity."""

    k: Annotated[int, Count("people with the same keys")]
    people: Annotated[int, Count("people in smaller groups")]
    share: Annotated[Figure, Percent("of people")]


class AboveRow(Row, frozen=True):
    """Who has a high risk."""

    above: Annotated[float, Share("individual risk")]
    people: Annotated[int, Count("people with a higher one")]
    share: Annotated[Figure, Percent("of people")]


class DiversityRow(Row, frozen=True):
    """How many values of a target people with the same keys have: distinct l-diversity."""

    target: str
    lowest: Annotated[int, Count("values in the least diverse group")]
    below_2: Annotated[
        int, Count("people in groups with one value", "Machanavajjhala et al. 2007",
                      limited=True)
    ]  # fmt: skip
    unique: Annotated[int, Count("of these, people unique on the keys")]
    below_3: Annotated[int, Count("people in groups with one or two values")]


class MatchRisk(Result, frozen=True, kw_only=True):
    """People who share their keys, and what a match with them is worth."""

    title: ClassVar[str] = "Match risk"

    risk: Annotated[tuple[RiskRow, ...], Heading("Match risk", (), True)]
    anonymity: Annotated[tuple[AnonymityRow, ...], Heading("Small groups", (), True)] = ()
    risks: Annotated[tuple[AboveRow, ...], Heading("High risks")] = ()
    diversity: Annotated[tuple[DiversityRow, ...], Heading("Values of people alike")] = ()
    aligned: Annotated[tuple[AlignedRow, ...], Heading("Rows matched to rows")] = ()

    @property
    def foot(self) -> tuple[str, ...]:
        row, words, k = self.risk[0], Words(self.settings, self.files), self.settings["k"]
        n, unit = row.people, words.unit
        assumed = "the file holds the whole population"
        if row.population > n:
            assumed = f"they stand for {people(row.population)}"
        return (
            f"{row.below_k:,} of {n:,} {unit} ({percent(100 * row.below_k / n)})"
            f" {are(row.below_k)} in groups of fewer than {k} whose keys match.",
            f"A guess among all who match would be correct for about {people(row.expected_matches)}"
            f" of {n:,} {unit} ({percent(100 * row.global_risk)}), assuming that {assumed}.",
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        words, n = Words(self.settings, self.files), self.risk[0].people
        worst = sorted(self.diversity, key=lambda target: -target.below_2)[:SAID]
        of_targets = (
            f"{target.below_2:,} of {n:,} {words.unit} share their keys only with {words.unit} of"
            f" the same {target.target}; {target.unique:,} of them"
            f" {are(target.unique)} unique."
            for target in worst
        )
        n_combinations = self.risk[0].combinations
        of_rows = (
            aligned_sentence(row, words.counted, n_combinations)
            for row in self.table("aligned").first_rows
        )
        return *self.foot, *of_targets, *of_rows

    def records(self) -> pl.DataFrame:
        """Of each record: people with its keys, in the file and in the population; the risk."""
        study, asked = self.study, self.settings
        study.need_memory()
        combinations = combinations_of(study, study.keys)
        k, F = frequencies(study, asked["fraction"], wildcard=asked["wildcard"])
        figures = pl.DataFrame({"k": k, "population": F, "risk": individual_risk(k, F)})
        return figures[combinations.q].with_row_index("row").cast({"row": pl.Int64})


def frequencies(study: Study, fraction: float | None, *, wildcard: bool) -> tuple[Ints, Floats]:
    """f and F: people of the file who match each combination, and those they stand for."""
    if wildcard:
        study.need_memory()
    combinations, weights = counted_combinations(study), study.weights
    if combinations.has_several and (wildcard or weights is not None):
        raise InputError(
            "Records are counted with weights or 'wildcard', and people have several here. Leave"
            " out these or the person column."
        )
    own_f = combinations.people
    own_F: Ints = own_f / (fraction or study.fraction or 1)
    if weights is not None and isinstance(combinations, Combinations):
        order = np.lexsort((weights, combinations.q))  # so that a sum hangs on no order of rows
        own_F = np.bincount(combinations.q[order], weights[order])
    if not wildcard or not isinstance(combinations, Combinations):
        return own_f, own_F
    f, F = np.zeros_like(own_f), np.zeros(len(own_f))
    for some, others, of_some, of_others in combinations.wildcard_matches():
        n = 1 + max(of_some.max(), of_others.max())
        f[some] += np.bincount(of_others, own_f[others], n)[of_some].astype(np.int64)
        F[some] += np.bincount(of_others, own_F[others], n)[of_some]
    return f, F


def individual_risk(f: Ints, F: Floats) -> Floats:
    """The chance that a match is correct: the mean of 1/F over what F may be.

    With p = f/F and q = 1 - p it is p^f/f 2F1(f, f; f + 1; q), written here as p/f 2F1(1, 1; f + 1;
    q); for f = 3 and more nearly p / (f - q): sdcMicro's `indivRisk`, "approx".
    """
    from scipy.special import hyp2f1

    p = f / np.maximum(F, f)
    few = np.minimum(f, 2)
    return np.where(f < 3, p / few * hyp2f1(1, 1, few + 1, 1 - p), p / (f - 1 + p))


@measure
def match_risk(
    study: OneCounted,
    *,
    aligned: bool = False,
    k: Annotated[int, Meta(ge=2)] = 10,
    wildcard: bool = False,
    fraction: Part | None = None,
) -> MatchRisk:
    """Count who shares their keys with few others, and whether a match would be correct.

    Parameters
    ----------
    study
        The original, what an intruder knows, and the weight of records in a sample.
    aligned
        Match people to synthetic records too, where row by row these were made from theirs.
    k
        The smallest group that is large enough.
    wildcard
        Let a missing key stand for any of its values.
    fraction
        The share of the population in the original, where no column has weights; by default that
        of the study, or 1.

    References
    ----------
    Franconi and Polettini (2004), Individual risk estimation in mu-Argus.
    """
    combinations = counted_combinations(study)
    n, weights = combinations.n_people, study.weights
    population = n / (fraction or study.fraction or 1)
    if weights is not None:
        population = float(np.sort(weights).sum())
    f, F = frequencies(study, fraction, wildcard=wildcard)
    risks = combinations.highest(individual_risk(f, F))
    expected = float(risks.sum())
    row = RiskRow(
        people=n,
        population=population,
        combinations=combinations.n,
        expected_matches=expected,
        global_risk=expected / n,
        highest_risk=float(risks[-1]),
        below_k=combinations.count(f < k),
    )
    below = {size: combinations.count(f < size) for size in sorted({*SMALL, k})}
    above = {limit: int((risks > limit).sum()) for limit in RISKS}
    return MatchRisk(
        risk=(row,),
        anonymity=tuple(AnonymityRow(k=s, people=m, share=100 * m / n) for s, m in below.items()),
        risks=tuple(AboveRow(above=a, people=m, share=100 * m / n) for a, m in above.items()),
        diversity=tuple(_diversity(study, combinations, target) for target in study.targets),
        aligned=tuple(aligned_rows(study)) if aligned else (),
    )


def _diversity(
    study: Study, combinations: Combinations | CombinationsThere, target: str
) -> DiversityRow:
    """Of people with the same keys; a missing key and a missing value are levels here."""
    if isinstance(combinations, Combinations):
        column, n_q = study.column(target), len(combinations.people)
        cells = np.unique(
            combinations.q * np.int64(column.n_levels) + column.codes[study.rows[ORIGINAL]]
        )
        values = np.bincount(cells // column.n_levels, minlength=n_q)
    else:
        combinations, values = values_there(study, target)
    return DiversityRow(
        target=target,
        lowest=int(values.min()),
        below_2=combinations.count(values < 2),
        unique=combinations.count((values < 2) & (combinations.people == 1)),
        below_3=combinations.count(values < 3),
    )
