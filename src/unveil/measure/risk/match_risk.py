"""`unveil.match_risk`: how many others have a person's keys, and would a match be right?

k-anonymity and l-diversity, frequencies in the sample and in the population, individual and global
risk: what sdcMicro and mu-Argus report, record by record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, get_args

import numpy as np
import polars as pl

from unveil.count.cells import Keys, count_cells, count_keys
from unveil.count.codes import encode
from unveil.count.scenario import Progress, silent
from unveil.errors import RolesError, SettingsError, listed
from unveil.measure.one_table import OneTable, opened_alone
from unveil.measure.risk.diversity import Diversities, exact_diversities, wildcard_diversities
from unveil.measure.risk.frequencies import Floats, exact_frequencies, wildcard_frequencies
from unveil.measure.risk.individual import individual_risk
from unveil.measure.risk.matching import Combinations, combinations
from unveil.measure.risk.result import MatchRiskResult, PerRecord
from unveil.read.roles import names
from unveil.read.table import mid_sentence
from unveil.records.match_risk import AboveRisk, Anonymity, Diversity, MatchRisk, MatchRule

ANONYMITY = (2, 3, 5)
RISKS = (0.01, 0.05, 0.1, 0.2, 0.5)


def match_risk(
    data: Any,
    *,
    keys: str | Iterable[str],
    weights: str | None = None,
    sensitive: str | None = None,
    missing: MatchRule = "wildcard",
    alpha: float = 1.0,
    recursive_c: float = 2,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> MatchRiskResult:
    """Count who matches whom by the keys, and estimate whether a match would be right.

    Parameters
    ----------
    data
        One data set, in any of the forms of `unveil.disclosure`.
    keys
        The columns an intruder would know; all of them are categories.
    weights
        The column that says for how many people of the population each record stands. Without it
        the data are taken for the whole population, and a match among k records is right with
        probability 1/k.
    sensitive
        A column that the intruder would learn: adds l-diversity.
    missing
        "wildcard": a missing key may be anything, so it matches every value. "category": missing
        is a level like any other and matches itself alone.
    alpha
        With "wildcard", what a record counts that matches another but lacks a key; 0 to 1.
    recursive_c
        The c of recursive (c, l)-diversity.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    MatchRiskResult
        `.record` with all figures of the file; `.frame()` and `.records` with row, fk, Fk, rk and,
        of a sensitive column, distinct, entropy and recursive of each record.

    References
    ----------
    Franconi and Polettini (2004); Machanavajjhala et al. (2007); sdcMicro `freqCalc`, `indivRisk`,
    `ldiversity`.
    """
    progress = progress or silent
    _refuse_settings(missing, alpha, recursive_c)
    key_names = names(keys, "Keys")
    others = _others(key_names, weights, sensitive)
    table = opened_alone(
        data,
        keys=key_names,
        others=others,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    weight = _weights(table, weights)
    counted = count_keys(table.keys, table.keys[0].sides)
    combos = combinations(table.keys, counted)
    is_wild = missing == "wildcard" and not combos.is_complete.all()
    progress("counting matches", 0, 1)
    frequencies = exact_frequencies(counted, weight)
    if is_wild:
        frequencies = wildcard_frequencies(combos, frequencies, float(alpha))
    diversity = None
    if sensitive is not None:
        of = (table, counted, combos if is_wild else None)
        diversity = _diversity(*of, sensitive, float(recursive_c))
    rk = individual_risk(frequencies.fk, frequencies.Fk)
    found = PerRecord(counted.q, frequencies.fk, frequencies.Fk, rk, diversity)
    record = MatchRisk(
        files=(table.file,),
        keys=key_names,
        weights=weights,
        sensitive=sensitive,
        missing=missing,
        alpha=float(alpha),
        recursive_c=float(recursive_c),
        n_records=table.n_records,
        n_q=counted.n_q,
        n_population=weight.sum(),
        bands=table.bands,
        coercions=table.notes,
        **_figures(found),
    )
    return MatchRiskResult(record, found)


def _refuse_settings(missing: Any, alpha: Any, recursive_c: Any) -> None:
    if missing not in get_args(MatchRule):
        known = listed(get_args(MatchRule))
        raise SettingsError(f"missing is {missing!r}. It must be one of: {known}.")
    if not _is_number(alpha) or not 0 <= alpha <= 1:
        raise SettingsError(f"alpha is {alpha!r}. It must be a number from 0 to 1.")
    if not _is_number(recursive_c) or not 0 < recursive_c < np.inf:
        raise SettingsError(f"recursive_c is {recursive_c!r}. It must be a number above 0.")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _others(keys: Sequence[str], weights: Any, sensitive: Any) -> tuple[str, ...]:
    """The columns besides the keys; none of them may be two things at once."""
    others = {"weights": weights, "sensitive": sensitive}
    for role, name in others.items():
        if name is not None and not isinstance(name, str):
            raise RolesError(
                f"{role} must be the name of one column, as text; given is {type(name).__name__}."
            )
        if name in keys:
            raise RolesError(
                f"Column {name!r} cannot be a key and {role} at once. Take it out of one of the"
                " two."
            )
    if weights is not None and weights == sensitive:
        raise RolesError(
            f"Column {weights!r} cannot be weights and sensitive at once. Take it out of one of the"
            " two."
        )
    return tuple(name for name in others.values() if name is not None)


def _weights(table: OneTable, name: str | None) -> Floats:
    """The weight of each record: for how many people it stands."""
    if name is None:
        return np.ones(table.n_records)
    given = table.others[name]
    where = f"The weights in column {name!r} of {mid_sentence(table.place)}"
    if given.null_count():
        n = given.null_count()
        raise SettingsError(
            f"{where} are missing for {n:,} of {table.n_records:,} records. Fill them in, or leave"
            " these records out."
        )
    if not given.dtype.is_numeric():
        raise SettingsError(f"{where} are not numbers. Name the column of the sampling weights.")
    weights = given.cast(pl.Float64).to_numpy()
    n_bad = int((~np.isfinite(weights) | (weights < 0)).sum())
    if n_bad:
        raise SettingsError(
            f"{where} are negative or infinite for {n_bad:,} of {table.n_records:,} records. A"
            " weight says for how many people a record stands: 0 or more."
        )
    return weights


def _diversity(
    table: OneTable, keys: Keys, wild: Combinations | None, sensitive: str, c: float
) -> Diversities:
    cells = count_cells(keys, encode(sensitive, [table.others[sensitive]]))
    return exact_diversities(cells, c) if wild is None else wildcard_diversities(wild, cells, c)


def _figures(found: PerRecord) -> dict[str, Any]:
    """What is said of all records together."""
    fk, rk = found.of_records(found.fk), found.of_records(found.rk)
    n = len(fk)
    below = [int((fk < k).sum()) for k in ANONYMITY]
    above = [int((rk > risk).sum()) for risk in RISKS]
    return {
        "k": fk.min(),
        "anonymity": tuple(
            Anonymity(k=k, n=count, share=count / n)
            for k, count in zip(ANONYMITY, below, strict=True)
        ),
        "expected_reidentifications": rk.sum(),
        "global_risk": rk.mean(),
        "highest_risk": rk.max(),
        "risks": tuple(
            AboveRisk(above=risk, n=count, share=count / n)
            for risk, count in zip(RISKS, above, strict=True)
        ),
        "diversity": tuple(_diversity_rows(found)),
    }


def _diversity_rows(found: PerRecord) -> Iterator[Diversity]:
    for kind, of_combination in found.diversity_by_kind().items():
        values = found.of_records(of_combination)
        yield Diversity(
            kind=kind,
            lowest=values.min(),
            n_below_2=int((values < 2).sum()),
            n_below_3=int((values < 3).sum()),
        )
