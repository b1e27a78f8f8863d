"""`unveil.suda`: who is unique, with how few keys, and would a match with them be correct?

Special uniques detection: Elliot, Manning and Ford (2002). Data intrusion simulation (DIS): Elliot
(2000), Skinner and Elliot (2002).
"""

from collections.abc import Iterator
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Part
from unveil.counts.cells import Floats
from unveil.measures.uniques.search import Uniques, find_uniques
from unveil.results import Count, Figure, Heading, Note, Number, Percent, Result, Row, Share
from unveil.results.words import Words, are, join_names, percent
from unveil.study import OneFile, Study, measure

FRACTION = 0.01  # as sdcMicro takes it, where no sampling fraction is known
MOST_DIS_KEYS = 27  # of more keys Q is not above 0, and DIS does not rise with the score
FIRST = ("people", "uniques", "special", "special_threshold", "DIS", "DIS_highest")
NEARLY_ALL = 0.5  # of the uniques: where more are special, the word tells little


class UniquesRow(Row, frozen=True):
    """Who is unique, who is special, and whether a match would be correct."""

    people: Annotated[int, Count("people of the original")]
    uniques: Annotated[
        int, Count("people who have a record whose keys nobody else has", limited=True)
    ]
    special: Annotated[
        int, Count("uniques in the top tenth of SUDA scores, with ties", "Taub et al. 2018",
                   limited=True)
    ]  # fmt: skip
    special_threshold: Annotated[
        Figure, Number("the score where the top tenth begins", undefined="nobody with a score")
    ]
    pairs: Annotated[int, Count("people who share their keys with one other, and nobody else")]
    fraction: Annotated[float, Share("of the population in the original, as assumed")]
    DIS: Annotated[
        Figure,
        Share("probability that a match with a unique is correct",
              "Elliot 2000; Skinner and Elliot 2002", undefined="nobody unique or in a pair",
              limited=True),
    ]  # fmt: skip
    DIS_highest: Annotated[
        Figure,
        Share("the same for the most special unique", "sdcMicro, suda2",
              undefined="a choice of more than 27 keys", limited=True),
    ]  # fmt: skip


class KeyRow(Row, frozen=True):
    """How much one key does to make people unique."""

    key: str
    sets: Annotated[int, Count("minimal sample uniques with it, of all people")]
    share_of_sets: Annotated[Figure, Percent("of all minimal sample uniques")]
    share_of_uniques: Annotated[Figure, Percent("of the uniques: those who have such a set")]
    share_of_score: Annotated[Figure, Percent("of all scores together", "sdcMicro, contribution")]


class SizeRow(Row, frozen=True):
    """Who is unique with so many keys."""

    size: Annotated[int, Count("keys in the set")]
    sets: Annotated[int, Count("minimal sample uniques of this size, of all people")]
    people: Annotated[int, Count("people who have one of this size, and none smaller")]


class Suda(Result, frozen=True, kw_only=True):
    """Sample uniques, and which keys make them so."""

    title: ClassVar[str] = "Uniques"

    uniques: Annotated[tuple[UniquesRow, ...], Heading("Uniques", FIRST, True)]
    keys: Annotated[tuple[KeyRow, ...], Heading("What each key contributes")] = ()
    sizes: Annotated[tuple[SizeRow, ...], Heading("Keys needed to be unique")] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(self._sentences())

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences

    def _sentences(self) -> Iterator[str]:
        row, words = self.uniques[0], Words(self.settings, self.files)
        unit, of = words.unit, f"of {row.people:,} {words.unit}"
        if not row.uniques:
            yield f"None {of} are unique on {words.keys}."
            return
        shown = percent(100 * row.uniques / row.people)
        yield f"{row.uniques:,} {of} ({shown}) {are(row.uniques)} unique on {words.keys}."
        if sizes := [size for size in self.sizes if size.people]:
            first = join_names(f"{size.size} for {size.people:,}" for size in sizes)
            yield f"Keys needed to be unique: {first}."
            is_nearly_all = row.special > NEARLY_ALL * row.uniques
            yield (
                f"{'Special uniques say little here: ' if is_nearly_all else ''}{row.special:,} of"
                f" {row.uniques:,} unique {unit} have a SUDA score of"
                f" {ceil(row.special_threshold or 0):,} or more, where the top tenth begins."
            )
        if not row.pairs:
            yield "Nobody is in a pair, so DIS says nothing of a match with a unique."
            return
        correct, assumed = percent(100 * (row.DIS or 0)), 100 * row.fraction
        yield (
            f"A match with a unique would be correct with probability {correct}, as estimated from"
            f" {row.uniques:,} uniques and {row.pairs:,} {unit} in pairs, assuming a sampling"
            f" fraction of {assumed:g} %."
        )

    def records(self) -> pl.DataFrame:
        """Each unique record: score, DIS, whether it is special, its minimal sample uniques."""
        uniques, known = find_uniques(self.study, self.settings["largest"]), self.uniques[0]
        q, people = uniques.combinations.q, uniques.combinations.people
        row = np.flatnonzero(people[q] == 1)
        figures = {
            "score": uniques.score,
            "DIS": dis_of_records(uniques, known.pairs, known.fraction),
            "special": uniques.special,
            "sets": uniques.sets.sum(axis=1),
        }
        frame = pl.DataFrame(figures, nan_to_null=True)[q[row]]
        return frame.insert_column(0, pl.Series("row", row))


def dis_of_file(U: int, P: int, f: float) -> Figure:
    """DIS = U f / (U f + P (1 - f)): Skinner and Elliot (2002).

    U people are unique, P in pairs, and f is the sampling fraction. 0 where nobody is unique,
    undefined where nobody is in a pair either.
    """
    if not U:
        return 0.0 if P else None
    return U * f / (U * f + P * (1 - f))


def dis_of_records(uniques: Uniques, P: int, f: float) -> Floats:
    """The same for each unique, by its score: 1 / (1 + P (1 - f) / (f score^Q A)).

    Q = 1 + (8 - K) / 20, and A is the sum of score^-Q over all with a score; as in sdcMicro's
    `suda2`. 0 for a score of 0. Undefined for 28 keys or more, where Q is 0 or below.

    Erratum: sdcMicro 5.8.1 gives NaN where all uniques share the buckets of its hash table.
    """
    K, is_scored = len(uniques.has), uniques.score > 0
    if K > MOST_DIS_KEYS:
        return np.full(len(is_scored), np.nan)
    Q = 1 + (8 - K) / 20
    score = (uniques.score[is_scored] / uniques.score.max(initial=1)) ** Q  # the unit cancels
    A = np.sort(1 / score).sum()
    dis = np.zeros(len(is_scored))
    dis[is_scored] = 1 / (1 + P * (1 - f) / (f * score * A))
    return dis


@measure
def suda(
    study: OneFile,
    *,
    fraction: Part | None = None,
    largest: Annotated[int, Meta(ge=1)] | None = None,
) -> Suda:
    """Find the people who are unique, and how few keys make them so.

    Parameters
    ----------
    study
        The original, and what an intruder knows.
    fraction
        The share of the population in the original; by default that of the study, or 0.01.
    largest
        The most keys of a set that is searched for; by default all of up to 16.

    References
    ----------
    Elliot, Manning and Ford (2002), A computational algorithm for handling the special uniques
    problem.
    """
    uniques = find_uniques(study, largest)
    combinations, f = uniques.combinations, fraction or study.fraction or FRACTION
    U, P = (combinations.count(combinations.people == n) for n in (1, 2))
    highest = float(dis_of_records(uniques, P, f).max(initial=0))
    row = UniquesRow(
        people=combinations.n_people,
        uniques=U,
        special=uniques.combinations.count(uniques.special),
        special_threshold=uniques.special_threshold,
        pairs=P,
        fraction=f,
        DIS=dis_of_file(U, P, f),
        DIS_highest=None if np.isnan(highest) else highest,
    )
    return Suda(
        uniques=(row,),
        keys=tuple(_key(uniques, U, key) for key in study.keys),
        sizes=tuple(_sizes(uniques)),
        notes=tuple(_notes(uniques, U, study)),
    )


def _key(uniques: Uniques, n_uniques: int, key: str) -> KeyRow:
    place = uniques.combinations.keys.index(key)
    with_key = uniques.with_key[place]
    n_people = uniques.combinations.count(uniques.has[place])
    return KeyRow(
        key=key,
        sets=int(with_key.sum()),
        share_of_sets=_percent(with_key.sum(), uniques.sets.sum()),
        share_of_uniques=_percent(n_people, n_uniques),
        share_of_score=_percent(with_key @ uniques.weights, uniques.score.sum()),
    )


def _percent(part: float, of: float) -> Figure:
    return float(100 * part / of) if of else None


def _sizes(uniques: Uniques) -> Iterator[SizeRow]:
    """Each size that was searched; a person counts at the smallest of theirs."""
    n_before = 0
    for size in range(1, uniques.largest + 1):
        n = uniques.combinations.count(uniques.sets[:, : size + 1].sum(axis=1) > 0)
        yield SizeRow(size=size, sets=int(uniques.sets[:, size].sum()), people=n - n_before)
        n_before = n


def _notes(uniques: Uniques, n_uniques: int, study: Study) -> Iterator[Note]:
    K, largest = len(uniques.has), uniques.largest
    if largest < K:
        sentence = f"Sets of more than {largest} of the {K} keys are not searched for."
        yield Note(about="sizes", sentence=sentence)
    if n_left := n_uniques - uniques.combinations.count(uniques.score > 0):
        or_more = ", or more keys than that" if largest < K else ""
        sentence = f"{n_left:,} unique {study.unit} have no score: a missing key makes them unique"
        yield Note(about="uniques.uniques", sentence=f"{sentence}{or_more}.")
