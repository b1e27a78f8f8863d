"""`unveil.match_risk`: how many others have a person's keys, and would a match be right?

k-anonymity and l-diversity, frequencies in the sample and in the population, individual and global
risk: what sdcMicro and mu-Argus report, record by record.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_args, overload

import numpy as np
import polars as pl
from msgspec.structs import replace

from unveil.arguments import check_fields, parse_choice, parse_number_within, quote_value
from unveil.arrays import Floats
from unveil.count.cells import Keys, count_cells, count_keys
from unveil.count.codes import encode
from unveil.count.packing import Ids, Integers
from unveil.errors import RolesError, SettingsError
from unveil.measure.disclosure.record import note_row_counts, people_by_keys
from unveil.measure.one_table import OneTable, open_table
from unveil.measure.uniques.aligned_match import AlignedMatchResult, aligned_match_risk
from unveil.measure.uniques.frequencies import (
    Combinations,
    Diversities,
    combinations,
    count_exact_frequencies,
    count_wildcard_frequencies,
    exact_diversities,
    individual_risk,
    wildcard_diversities,
)
from unveil.records.person import PeopleByKeys
from unveil.records.uniques import (
    AboveRisk,
    Anonymity,
    Diversity,
    DiversityKind,
    MatchRisk,
    MatchRule,
)
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study
from unveil.study.weights import parse_weights
from unveil.view.show import Result

# Which columns are looked at besides the keys, and how do records match? Or a refusal.


MOST_C = 1_000_000


@dataclass(frozen=True)
class MatchRiskSettings:
    """The settings of `unveil.match_risk`, checked."""

    keys: tuple[str, ...]
    weights: str | None
    sensitive: str | None
    missing: MatchRule
    alpha: float
    recursive_c: float

    def __post_init__(self) -> None:
        check_fields(
            self,
            {
                "missing": partial(parse_choice, choices=get_args(MatchRule)),
                "alpha": partial(parse_number_within, range_="[0, 1]"),
                "recursive_c": partial(parse_number_within, range_=f"(0, {MOST_C}]"),
            },
        )
        for role, name in {"weights": self.weights, "sensitive": self.sensitive}.items():
            if name is not None and not isinstance(name, str):
                raise RolesError(
                    f"{role} must be the name of one column, as text; given is"
                    f" {type(name).__name__}."
                )
            if name in self.keys:
                self._refuse_both(name, f"a key and {role}")
        if self.weights is not None and self.weights == self.sensitive:
            self._refuse_both(self.weights, "weights and sensitive")

    @staticmethod
    def _refuse_both(name: str | None, both: str) -> None:
        raise RolesError(
            f"Column {name!r} cannot be {both} at once. Remove it from one of the two."
        )

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that have to be read besides the keys."""
        return tuple(name for name in (self.weights, self.sensitive) if name is not None)


def weights_of(table: OneTable, name: str | None) -> Floats:
    """The weight of each record: for how many people it stands."""
    if name is None:
        return np.ones(table.n_records)
    return parse_weights(table.others[name], name, table.place)


# What `unveil.match_risk` hands back: the record, and beside it what each record has.


@dataclass(frozen=True)
class PerRecord:
    """Figures of each key combination, and the combination of each record of the data."""

    q: Ids
    fk: Floats
    Fk: Floats
    rk: Floats
    diversity: Diversities | None

    def expand_to_records(self, of_combination: Floats) -> Floats:
        """A figure on every record of the data, in their order."""
        return of_combination[self.q]

    def diversity_by_kind(self) -> Mapping[DiversityKind, Floats]:
        """The readings of l-diversity; none without a sensitive column."""
        made = self.diversity
        if made is None:
            return {}
        return {
            "distinct": made.distinct,
            "entropy": made.entropy,
            "recursive": made.recursive,
        }


@dataclass(frozen=True, repr=False)
class MatchRiskResult(Result):
    """Matches and risk; printing it never shows a record of the data."""

    record: MatchRisk
    _found: PerRecord = field(repr=False, compare=False)

    def frame(self) -> pl.DataFrame:
        """One row per record of the data, in their order: confidential."""
        found = self._found
        figures: dict[str, Floats] = {"fk": found.fk, "Fk": found.Fk, "rk": found.rk}
        figures |= dict(found.diversity_by_kind().items())
        columns = {name: found.expand_to_records(figure) for name, figure in figures.items()}
        made = pl.DataFrame({"row": np.arange(self.record.n_records), **columns})
        has_fractions = self.record.missing == "wildcard" and 0 < self.record.alpha < 1
        whole = ["distinct", "recursive", *([] if has_fractions else ["fk"])]
        return made.cast({name: pl.Int64 for name in whole if name in columns})

    @property
    def records(self) -> list[dict[str, Any]]:
        """One entry per record of the data, in their order: confidential."""
        return self.frame().to_dicts()

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the records of the data among them: confidential.

        `to_json` and every view have the figures of the file alone.
        """
        return {**self.record.to_dict(), "records": self.records}


ANONYMITY = (2, 3, 5)
BY_ROW = "k-anonymity, individual risks and l-diversity count"
RISKS = (0.01, 0.05, 0.1, 0.2, 0.5)


@overload
def match_risk(
    data: Any,
    synthetic: None = None,
    *,
    keys: str | Iterable[str],
    weights: str | None = None,
    sensitive: str | None = None,
    missing: MatchRule | None = None,
    alpha: float = 1.0,
    recursive_c: float = 2,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    person: str | None = None,
    progress: Progress | None = None,
) -> MatchRiskResult: ...


@overload
def match_risk(
    data: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    tolerance: Mapping[str, Any] | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> AlignedMatchResult: ...


def match_risk(
    data: Any,
    synthetic: Any = None,
    *,
    keys: str | Iterable[str],
    weights: str | None = None,
    sensitive: str | None = None,
    missing: MatchRule | None = None,
    alpha: float = 1.0,
    recursive_c: float = 2,
    tolerance: Mapping[str, Any] | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    person: str | None = None,
    progress: Progress | None = None,
) -> MatchRiskResult | AlignedMatchResult:
    """Count who matches whom by the keys, and estimate whether a match would be correct.

    Parameters
    ----------
    data
        One data set, in any of the forms of `unveil.disclosure`.
    synthetic
        Synthetic data, or a list of copies, whose rows stand for the rows of the data, in their
        order, as partially synthetic ones do. Every record is then matched to the copies by its
        keys, and it is known which matches are right. None of weights, sensitive, alpha and
        recursive_c applies, and a missing key is a level.
    keys
        The columns an intruder would know; all of them are categories.
    weights
        The column that says for how many people of the population each record stands. Without it
        the data are taken for the whole population, and a match among k records is correct with
        probability 1/k.
    sensitive
        A column that the intruder would learn: adds l-diversity.
    missing
        "wildcard", the default: a missing key may be anything, so it matches every value.
        "category": missing is a level like any other and matches itself alone.
    alpha
        With "wildcard", what a record counts that matches another but lacks a key; 0 to 1.
    recursive_c
        The c of recursive (c, l)-diversity.
    tolerance
        With copies, by how much numeric keys may be off and still match, such as {"age": 2}.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    person
        The column that says whose row it is: `record.people` then counts people who share their
        keys. All other figures count rows. It does not apply with copies.

    Returns
    -------
    AlignedMatchResult
        With copies: `.rows` with the match rates of each copy and of all pooled; `.matches()` with
        the number of candidates of each record.
    MatchRiskResult
        `.record` with all figures of the file; `.frame()` and `.records` with row, fk, Fk, rk and,
        of a sensitive column, distinct, entropy and recursive of each record.

    References
    ----------
    Franconi and Polettini (2004); Machanavajjhala et al. (2007); sdcMicro `freqCalc`, `indivRisk`,
    `ldiversity`. With copies: Reiter and Mitra (2009).
    """
    progress = progress or no_progress
    key_names = names(keys, "Keys")
    if isinstance(data, Study):
        data = data.original
    if synthetic is not None:
        _check_with_copies(
            missing,
            weights=(weights, None),
            sensitive=(sensitive, None),
            alpha=(alpha, 1.0),
            recursive_c=(recursive_c, 2),
            person=(person, None),
        )
        return aligned_match_risk(
            data,
            synthetic,
            keys=key_names,
            tolerance=tolerance,
            bands=bands,
            special_codes=special_codes,
            missing_values=missing_values,
            progress=progress,
        )
    if tolerance is not None:
        raise SettingsError(
            "A tolerance is given, but no synthetic data. It states by how much synthetic keys may"
            " be off: give the synthetic data after the data, or omit the tolerance."
        )
    asked = MatchRiskSettings(
        key_names,
        weights=weights,
        sensitive=sensitive,
        missing="wildcard" if missing is None else missing,
        alpha=alpha,
        recursive_c=recursive_c,
    )
    table = open_table(
        data,
        keys=key_names,
        others=asked.others,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        person=person,
        progress=progress,
        by_counts=True,
    )
    return match_risk_of(table, asked, progress)


def _check_with_copies(missing: Any, **given: tuple[Any, Any]) -> None:
    """Refuse what says nothing of rows matched to rows; each is given with what it is unset."""
    for name, (value, unset) in given.items():
        if value != unset:
            raise SettingsError(
                f"{name} is {quote_value(value)}, which has no meaning where synthetic rows are"
                " matched to rows of the data. Omit it, or give only the data."
            )
    if missing not in (None, "category"):
        raise SettingsError(
            f"missing is {quote_value(missing)}. Where synthetic rows are matched to rows of the"
            " data, a missing key is a level: omit it, or give 'category'."
        )


def match_risk_of(table: OneTable, asked: MatchRiskSettings, progress: Progress) -> MatchRiskResult:
    """The matches and risk of a data set that is open already, with the columns asked for."""
    if table.engine is None:
        counted = count_keys(table.keys, table.keys[0].sides)
        rows = counted.example_rows()
        codes = tuple(column.codes[rows] for column in table.keys)
    else:
        counted = table.engine.keys
        codes = tuple(table.engine.key_codes(place) for place in range(len(table.keys)))
    combos = combinations(table.keys, codes)
    is_wild = asked.missing == "wildcard" and not combos.is_complete.all()
    progress("counting matches", 0, 1)
    weight = None if asked.weights is None else weights_of(table, asked.weights)
    frequencies = count_exact_frequencies(counted, weight)
    if is_wild:
        frequencies = count_wildcard_frequencies(combos, frequencies, asked.alpha)
    diversity = None
    if asked.sensitive is not None:
        of = (table, counted, combos if is_wild else None)
        diversity = _diversity(*of, asked.sensitive, asked.recursive_c)
    rk = individual_risk(frequencies.fk, frequencies.Fk)
    found = PerRecord(counted.q, frequencies.fk, frequencies.Fk, rk, diversity)
    record = MatchRisk(
        files=(table.file,),
        keys=table.key_names,
        weights=asked.weights,
        sensitive=asked.sensitive,
        missing=asked.missing,
        alpha=asked.alpha,
        recursive_c=asked.recursive_c,
        n_records=table.n_records,
        n_q=counted.n_q,
        n_population=float(table.n_records) if weight is None else weight.sum(),
        bands=table.bands,
        people=_people(table, counted, asked.weights),
        coercions=(*table.notes, *note_row_counts(table.people, BY_ROW)),
        **_figures(found, counted.counts[0]),
    )
    return MatchRiskResult(record, found)


def _people(table: OneTable, keys: Keys, weights: str | None) -> PeopleByKeys | None:
    """How many people share their keys; a risk only where the data are the whole population."""
    if table.people is None:
        return None
    found = people_by_keys(table.people, keys.q, keys.n_q)
    return found if weights is None else replace(found, global_risk=None)


def _diversity(
    table: OneTable, keys: Keys, wild: Combinations | None, sensitive: str, c: float
) -> Diversities:
    cells = count_cells(keys, encode(sensitive, [table.others[sensitive]]))
    return exact_diversities(cells, c) if wild is None else wildcard_diversities(wild, cells, c)


def _figures(found: PerRecord, n_of_q: Integers) -> dict[str, Any]:
    """What is said of all records together, by the records of each key combination."""
    fk, rk, n = found.fk, found.rk, int(n_of_q.sum())
    below = [int(n_of_q[fk < k].sum()) for k in ANONYMITY]
    above = [int(n_of_q[rk > risk].sum()) for risk in RISKS]
    # Equal risks together, so that the sum hangs on no order of the records.
    risks, place = np.unique(rk, return_inverse=True)
    total = math.fsum(risks * np.bincount(place, n_of_q))
    return {
        "k": fk.min(),
        "anonymity": tuple(
            Anonymity(k=k, n=count, share=count / n)
            for k, count in zip(ANONYMITY, below, strict=True)
        ),
        "expected_reidentifications": total,
        "global_risk": total / n,
        "highest_risk": rk.max(),
        "risks": tuple(
            AboveRisk(above=risk, n=count, share=count / n)
            for risk, count in zip(RISKS, above, strict=True)
        ),
        "diversity": tuple(_diversity_rows(found, n_of_q)),
    }


def _diversity_rows(found: PerRecord, n_of_q: Integers) -> Iterator[Diversity]:
    for kind, values in found.diversity_by_kind().items():
        yield Diversity(
            kind=kind,
            lowest=values.min(),
            n_below_2=int(n_of_q[values < 2].sum()),
            n_below_3=int(n_of_q[values < 3].sum()),
        )
