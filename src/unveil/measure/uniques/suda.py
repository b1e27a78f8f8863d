"""`unveil.suda`: who is alone, with how few keys, and would be found?

Special unique detection: Elliot, Manning and Ford (2002), Manning, Haglin and Keane (2008); the
special uniques of Taub et al. (2018).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, get_args

import numpy as np

from unveil.count.cells import count_keys
from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError, listed
from unveil.measure.one_table import opened_alone
from unveil.measure.uniques.dis import dis_file, dis_records
from unveil.measure.uniques.lattice import key_rows, minimal_uniques, n_sets
from unveil.measure.uniques.result import SudaResult
from unveil.measure.uniques.scores import Scores, scored, special, special_threshold
from unveil.read.roles import names
from unveil.records.suda import KeyContribution, MissingRule, MsuSize, ScoreKind, Suda

MOST_SETS = 2**16 - 1
"""Sets of keys that are searched: all those of 16 keys."""
MOST_KEYS = 100
QUANTILE = 0.9


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
    progress = progress or silent
    _refuse_settings(dis_fraction, scores, missing)
    dis_fraction = float(dis_fraction)
    key_names = names(keys, "Keys")
    n_keys = len(key_names)
    max_size = _max_size(max_msu, n_keys)
    table = opened_alone(
        data,
        keys=key_names,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    counted = count_keys(table.keys, table.keys[0].sides)
    counts = counted.counts[0]
    rows = key_rows(table.keys, counted, exclude_missing=missing == "exclude")
    search = partial(minimal_uniques, rows, max_size)
    of_uniques = scored(search(progress), rows, max_size, scores)
    score = of_uniques.score
    n_in_pairs = 2 * int(np.count_nonzero(counts == 2))
    dis = np.zeros(rows.n_alone)
    dis[score > 0] = dis_records(score[score > 0], n_keys, n_in_pairs, dis_fraction)
    record = Suda(
        files=(table.file,),
        keys=rows.names,
        scores=scores,
        missing=missing,
        max_msu=None if max_msu is None else max_size,
        dis_fraction=dis_fraction,
        quantile=QUANTILE,
        n_records=table.n_records,
        n_q=counted.n_q,
        n_uniques=rows.n_alone,
        n_in_pairs=n_in_pairs,
        n_scored=int((score > 0).sum()),
        n_special=int(special(score, QUANTILE).sum()),
        special_threshold=special_threshold(score, QUANTILE),
        n_msu=int(of_uniques.n_of_size.sum()),
        sizes=tuple(_sizes(of_uniques)),
        dis_file=dis_file(rows.n_alone, n_in_pairs, dis_fraction),
        dis_highest=dis.max(initial=0.0),
        contributions=tuple(_contributions(of_uniques, rows.names)),
        bands=table.bands,
        coercions=table.notes,
    )
    return SudaResult(record, table.keys, rows.records, of_uniques, dis, search)


def _refuse_settings(dis_fraction: Any, scores: Any, missing: Any) -> None:
    if not _is_number(dis_fraction) or not 0 < dis_fraction <= 1:
        raise SettingsError(
            f"dis_fraction is {dis_fraction!r}. It must be the share of the population that is in"
            " the data, above 0 and at most 1, such as 0.01."
        )
    for name, given, kinds in (("scores", scores, ScoreKind), ("missing", missing, MissingRule)):
        if given not in get_args(kinds):
            known = listed(get_args(kinds))
            raise SettingsError(f"{name} is {given!r}. It must be one of: {known}.")


def _max_size(max_msu: Any, n_keys: int) -> int:
    """How many keys a set may have, where the search would end."""
    if n_keys > MOST_KEYS:
        raise SettingsError(
            f"{n_keys} keys are given; uniques are searched among at most {MOST_KEYS}. Name the"
            " columns an intruder would know."
        )
    if max_msu is not None and (not _is_whole(max_msu) or max_msu < 1):
        raise SettingsError(
            f"max_msu is {max_msu!r}. It must be a whole number of keys, 1 or more."
        )
    size = n_keys if max_msu is None else min(int(max_msu), n_keys)
    if n_sets(n_keys, size) > MOST_SETS:
        largest = max(most for most in range(1, size) if n_sets(n_keys, most) <= MOST_SETS)
        wanted = "" if max_msu is None else f" of at most {size}"
        raise SettingsError(
            f"{n_keys} keys make {n_sets(n_keys, size):,} sets{wanted}, and no more than"
            f" {MOST_SETS:,} are searched. Give max_msu (--max-msu on the command line), at most"
            f" {largest}, or fewer keys."
        )
    return size


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _sizes(scores: Scores) -> Iterator[MsuSize]:
    n_smallest = np.bincount(scores.smallest, minlength=len(scores.n_of_size))
    for size, n_msu in enumerate(scores.n_of_size.sum(axis=1)):
        if size:
            yield MsuSize(size=size, n_msu=n_msu, n_records=n_smallest[size])


def _contributions(scores: Scores, names: Sequence[str]) -> Iterator[KeyContribution]:
    by_key = zip(names, scores.n_of_key, scores.percent_by_key(), strict=True)
    for name, n_msu, percent in by_key:
        yield KeyContribution(key=name, n_msu=n_msu, percent=percent)
