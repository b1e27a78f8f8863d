"""`unveil.suda`: who is alone, with how few keys, and would be found?

Special unique detection: Elliot, Manning and Ford (2002), Manning, Haglin and Keane (2008); the
special uniques of Taub et al. (2018).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import numpy as np

from unveil.arguments import check_fields, parse_choice, parse_number_within, parse_whole_number
from unveil.arrays import Floats, Mask
from unveil.count.cells import count_keys
from unveil.count.codes import CodedColumn
from unveil.count.key_sets import count_sets
from unveil.count.packing import Sides
from unveil.errors import SettingsError
from unveil.measure.disclosure.record import note_row_counts, people_by_keys
from unveil.measure.one_table import OneTable, open_table
from unveil.measure.uniques.minimal_uniques import find_minimal_uniques, key_rows
from unveil.measure.uniques.suda_result import SudaResult
from unveil.measure.uniques.suda_scores import (
    MOST_DIS_KEYS,
    SudaScores,
    dis_file,
    dis_records,
    score_uniques,
    special,
    special_threshold,
)
from unveil.records.uniques import (
    KeyContribution,
    MissingRule,
    MsuSize,
    ScoreKind,
    Suda,
    SudaNotMeasured,
)
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# Which uniques are searched for, and how are they weighed? What a user asks, or a refusal.


MOST_SETS = 2**16 - 1
"""Sets of keys that are searched: all those of 16 keys."""
MOST_KEYS = 100
LEAST_FRACTION = 1e-12
"""No population is so large that less of it could be in the data."""


@dataclass(frozen=True)
class SudaSettings:
    """The settings of `unveil.suda` for so many keys, checked."""

    n_keys: int
    max_msu: int | None
    dis_fraction: float
    scores: ScoreKind
    missing: MissingRule

    def __post_init__(self) -> None:
        why = ", the share of the population that is in the data, such as 0.01"
        check_fields(
            self,
            {
                "dis_fraction": partial(
                    parse_number_within, range_=f"[{LEAST_FRACTION}, 1]", why=why
                ),
                "scores": partial(parse_choice, choices=get_args(ScoreKind)),
                "missing": partial(parse_choice, choices=get_args(MissingRule)),
            },
        )
        parse_max_size(
            self.max_msu, self.n_keys
        )  # too many sets are refused before any data is read

    @property
    def max_size(self) -> int:
        """Keys in the largest set that is searched for."""
        return parse_max_size(self.max_msu, self.n_keys)


def parse_max_size(max_msu: Any, n_keys: int) -> int:
    """How many keys a set may have, where the search would end."""
    if n_keys > MOST_KEYS:
        raise SettingsError(
            f"{n_keys} keys are given; uniques are searched among at most {MOST_KEYS}. Name the"
            " columns an intruder would know."
        )
    size = n_keys if max_msu is None else min(parse_whole_number("max_msu", max_msu), n_keys)
    if count_sets(n_keys, size) > MOST_SETS:
        largest = max(most for most in range(1, size) if count_sets(n_keys, most) <= MOST_SETS)
        wanted = "" if max_msu is None else f" of at most {size}"
        raise SettingsError(
            f"{n_keys} keys make {count_sets(n_keys, size):,} sets{wanted}, and no more than"
            f" {MOST_SETS:,} are searched. Give max_msu (--max-msu on the command line), at most"
            f" {largest}, or fewer keys."
        )
    return size


QUANTILE = 0.9
NO_FILE_DIS = "no one is unique on their keys, and no one shares them with exactly one other"
NO_RECORD_DIS = (
    f"with more than {MOST_DIS_KEYS} keys the DIS of single records would no longer "
    "rise with the score"
)


@takes_study
def suda(
    data: Any,
    *,
    keys: str | Iterable[str],
    max_msu: int | None = None,
    dis_fraction: float = 0.01,
    scores: ScoreKind = "original",
    missing: MissingRule = "exclude",
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    person: str | None = None,
    progress: Progress | None = None,
) -> SudaResult:
    """Find every minimal sample unique, and say who is special among those who are alone.

    Parameters
    ----------
    data
        One data set, in any of the forms of `unveil.disclosure`.
    keys
        The columns an intruder would know; all of them are categories.
    max_msu
        The largest set of keys to search for; None is all. Needed beyond 16 keys.
    dis_fraction
        The share of the population that is in the data, above 0 and at most 1.
    scores
        "original" weighs a minimal sample unique of s of K keys (K - s)!, "normalised"
        (2^(K - s) - 1) / C(K, s).
    missing
        "exclude": a record takes part in no set with a key it lacks. "category": missing is a
        level like any other.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    person
        The column that says whose row it is: `record.people` then counts unique people. Scores and
        DIS count rows.

    Returns
    -------
    SudaResult
        `.dis_file`, `.contributions` per key, `.record` with all figures of the file; `.frame()`
        and `.records` with row, suda, dis, n_msu and special of each record, `.msus()`,
        `.special(quantile)`, `.record_contributions()`, `.value_contributions()`.

    References
    ----------
    Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008); for DIS Elliot (2000).
    """
    progress = progress or no_progress
    key_names = names(keys, "Keys")
    asked = SudaSettings(len(key_names), max_msu, dis_fraction, scores, missing)
    table = open_table(
        data,
        keys=key_names,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        person=person,
        progress=progress,
    )
    return measure_suda(table, asked, progress)


def measure_suda(table: OneTable, asked: SudaSettings, progress: Progress) -> SudaResult:
    """The special uniques of a data set that is open already."""
    counted = count_keys(table.keys, table.keys[0].sides)
    rows = key_rows(table.keys, counted, exclude_missing=asked.missing == "exclude")
    search = partial(find_minimal_uniques, rows, asked.max_size)
    of_uniques = score_uniques(search(progress), rows, asked.max_size, asked.scores)
    score = of_uniques.score
    n_in_pairs = 2 * int(np.count_nonzero(counted.counts[0] == 2))
    dis = _dis(score, len(rows.names), n_in_pairs, asked.dis_fraction)
    of_file = dis_file(rows.n_alone, n_in_pairs, asked.dis_fraction)
    record = Suda(
        files=(table.file,),
        keys=rows.names,
        scores=asked.scores,
        missing=asked.missing,
        max_msu=None if asked.max_msu is None else asked.max_size,
        dis_fraction=asked.dis_fraction,
        quantile=QUANTILE,
        n_records=table.n_records,
        n_q=counted.n_q,
        n_uniques=rows.n_alone,
        people=None
        if table.people is None
        else people_by_keys(table.people, counted.q, counted.n_q),
        n_in_pairs=n_in_pairs,
        n_scored=int((score > 0).sum()),
        n_special=int(special(score, QUANTILE).sum()),
        special_threshold=special_threshold(score, QUANTILE),
        n_msu=int(of_uniques.n_of_size.sum()),
        sizes=tuple(_sizes(of_uniques)),
        dis_file=of_file,
        dis_highest=None if dis is None else dis.max(initial=0.0),
        contributions=tuple(_contributions(of_uniques, rows.names)),
        bands=table.bands,
        coercions=(
            *table.notes_on_keys,
            *note_row_counts(table.people, "SUDA scores and DIS count"),
        ),
        not_measured=tuple(_missing_figures(of_file, dis)),
    )
    return SudaResult(record, table.keys, rows.records, of_uniques, dis, search)


def special_uniques(columns: Sequence[CodedColumn]) -> Mask:
    """Who is special by keys that are encoded already: the top decile of scores, ties included.

    Of columns with several sides only the first, the original, is looked at. Missing is a level, as
    it is in counts, so that everyone who is special is alone in the counts too.
    """
    largest = parse_max_size(None, len(columns))
    own = [first_side(column) for column in columns]
    rows = key_rows(own, count_keys(own, own[0].sides), exclude_missing=False)
    found = score_uniques(
        find_minimal_uniques(rows, largest, no_progress), rows, largest, "original"
    )
    on_all = np.zeros(own[0].sides.n_rows)
    on_all[rows.records] = found.score
    return special(on_all, QUANTILE)


def first_side(column: CodedColumn) -> CodedColumn:
    """A column without its other sides; levels and codes stay as they are."""
    n = column.sides.rows[0]
    return CodedColumn(column.name, Sides((n,)), column.codes[:n], column.levels)


def _dis(score: Floats, n_keys: int, n_in_pairs: int, fraction: float) -> Floats | None:
    """DIS of the statistical uniques; 0 for those without a score."""
    has_score = score > 0
    of_scored = dis_records(score[has_score], n_keys, n_in_pairs, fraction)
    if of_scored is None:
        return None
    dis = np.zeros(len(score))
    dis[has_score] = of_scored
    return dis


def _missing_figures(of_file: float | None, of_records: Floats | None) -> Iterator[SudaNotMeasured]:
    if of_file is None:
        yield SudaNotMeasured(field="dis_file", reason=NO_FILE_DIS)
    if of_records is None:
        yield SudaNotMeasured(field="dis_highest", reason=NO_RECORD_DIS)


def _sizes(scores: SudaScores) -> Iterator[MsuSize]:
    n_smallest = np.bincount(scores.smallest, minlength=len(scores.n_of_size))
    for size, n_msu in enumerate(scores.n_of_size.sum(axis=1)):
        if size:
            yield MsuSize(size=size, n_msu=n_msu, n_records=n_smallest[size])


def _contributions(scores: SudaScores, names: Sequence[str]) -> Iterator[KeyContribution]:
    by_key = zip(names, scores.n_of_key, scores.percent_by_key(), strict=True)
    for name, n_msu, percent in by_key:
        yield KeyContribution(key=name, n_msu=n_msu, percent=percent)
