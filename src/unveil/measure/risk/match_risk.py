"""`unveil.match_risk`: how many others have a person's keys, and would a match be right?

k-anonymity and l-diversity, frequencies in the sample and in the population, individual and global
risk: what sdcMicro and mu-Argus report, record by record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from msgspec.structs import replace

from unveil.count.cells import Keys, count_cells, count_keys
from unveil.count.codes import encode
from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError
from unveil.measure.one_table import OneTable, opened_alone
from unveil.measure.people import people_by_keys, rows_counted
from unveil.measure.risk.aligned import AlignedMatchResult, aligned_match_risk
from unveil.measure.risk.asked import RiskAsked, risk_asked, weights_of
from unveil.measure.risk.diversity import Diversities, exact_diversities, wildcard_diversities
from unveil.measure.risk.frequencies import exact_frequencies, wildcard_frequencies
from unveil.measure.risk.individual import individual_risk
from unveil.measure.risk.matching import Combinations, combinations
from unveil.measure.risk.result import MatchRiskResult, PerRecord
from unveil.read.given import shown
from unveil.read.roles import names
from unveil.records.match_risk import AboveRisk, Anonymity, Diversity, MatchRisk, MatchRule
from unveil.records.person import PeopleByKeys

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
    """Count who matches whom by the keys, and estimate whether a match would be right.

    Parameters
    ----------
    data
        One data set, in any of the forms of `unveil.disclosure`.
    synthetic
        A copy, or a list of copies, whose rows stand for the rows of the data, in their order, as
        partially synthetic ones do. Every record is then looked up in the copies by its keys, and
        it is known which matches are right. None of weights, sensitive, alpha and recursive_c
        applies, and a missing key is a level.
    keys
        The columns an intruder would know; all of them are categories.
    weights
        The column that says for how many people of the population each record stands. Without it
        the data are taken for the whole population, and a match among k records is right with
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
    progress = progress or silent
    key_names = names(keys, "Keys")
    if synthetic is not None:
        _refuse_with_copies(
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
            "A tolerance is given, but no copy. It says by how much keys of a copy may be off: give"
            " the copy after the data, or leave the tolerance out."
        )
    asked = risk_asked(
        key_names,
        weights=weights,
        sensitive=sensitive,
        missing="wildcard" if missing is None else missing,
        alpha=alpha,
        recursive_c=recursive_c,
    )
    table = opened_alone(
        data,
        keys=key_names,
        others=asked.others,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        person=person,
        progress=progress,
    )
    return match_risk_of(table, asked, progress)


def _refuse_with_copies(missing: Any, **given: tuple[Any, Any]) -> None:
    """Refuse what says nothing of rows matched to rows; each is given with what it is unset."""
    for name, (value, unset) in given.items():
        if value != unset:
            raise SettingsError(
                f"{name} is {shown(value)}, which has no meaning where rows of a copy are matched"
                " to rows of the data. Leave it out, or give the data alone."
            )
    if missing not in (None, "category"):
        raise SettingsError(
            f"missing is {shown(missing)}. Where rows of a copy are matched to rows of the data a"
            " missing key is a level: leave it out, or give 'category'."
        )


def match_risk_of(table: OneTable, asked: RiskAsked, progress: Progress) -> MatchRiskResult:
    """The matches and risk of a data set that is open already, with the columns asked for."""
    weight = weights_of(table, asked.weights)
    counted = count_keys(table.keys, table.keys[0].sides)
    combos = combinations(table.keys, counted)
    is_wild = asked.missing == "wildcard" and not combos.is_complete.all()
    progress("counting matches", 0, 1)
    frequencies = exact_frequencies(counted, weight)
    if is_wild:
        frequencies = wildcard_frequencies(combos, frequencies, asked.alpha)
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
        n_population=weight.sum(),
        bands=table.bands,
        people=_people(table, counted, asked.weights),
        coercions=(*table.notes, *rows_counted(table.people, BY_ROW)),
        **_figures(found),
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
