"""`unveil.singling_out`: can a person be singled out in the original by what synthetic data show?

A predicate singles out in a data set where exactly one record satisfies it. An attacker who has the
copy makes predicates that single out there and hopes that they do in the original. Giomi et al.
(2023), as implemented by Anonymeter, without its errors: see docs/differences.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from unveil.arguments import check_fields, parse_choice, parse_true_or_false, parse_whole_number
from unveil.errors import RolesError
from unveil.measure.attacks.predicates import draw_predicates, list_univariate
from unveil.measure.attacks.prepare import check_other_columns, prepare_attack
from unveil.measure.attacks.rates import AttacksResult, attack_row, make_result
from unveil.measure.attacks.samples import check_level
from unveil.measure.attacks.singling_out_search import (
    PredicateSides,
    column_sets,
    naive_success,
    search_predicates,
)
from unveil.records.attacks import AttackRow
from unveil.seeding import choose_seed, stream
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

# How many predicates, of how many columns, are to be tried? Or a refusal.


Mode = Literal["univariate", "multivariate", "both"]

COUNTING_SINGLE_PEOPLE = (
    "A predicate singles out a person where all rows that satisfy it are theirs."
)

ATTEMPTS = 1_000_000
"""Predicates that are tried where nothing else is asked for."""


@dataclass(frozen=True)
class SinglingOutSettings:
    """The settings of `unveil.singling_out`, checked."""

    mode: Mode
    n_cols: int
    n: int
    attempts: int
    exhaustive: bool
    level: float

    def __post_init__(self) -> None:
        check_fields(
            self,
            {
                "mode": partial(parse_choice, choices=get_args(Mode)),
                "n_cols": parse_whole_number,
                "n": parse_whole_number,
                "attempts": parse_whole_number,
                "exhaustive": parse_true_or_false,
                "level": check_level,
            },
        )


def check_too_many_columns(asked: SinglingOutSettings, n_columns: int) -> None:
    """Refuse predicates of more columns than there are."""
    if asked.mode != "univariate" and asked.n_cols > n_columns:
        has = "1 column is" if n_columns == 1 else f"{n_columns:,} columns are"
        raise RolesError(
            f"Predicates of {asked.n_cols:,} columns are asked for, but {has} compared. Lower"
            " n_cols, or compare more columns."
        )


@takes_study
def singling_out(
    original: Any,
    synthetic: Any,
    *,
    control: Any = None,
    mode: Mode = "both",
    n_cols: int = 3,
    n: int = 500,
    attempts: int | None = None,
    exhaustive: bool = True,
    columns: Iterable[str] | None = None,
    without: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    level: float = 0.95,
    seed: int | None = None,
    person: str | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> AttacksResult:
    """Try predicates that single out a synthetic record on the original, and on a control.

    Parameters
    ----------
    original
        The records that the synthetic data were made from, in any of the forms of
        `unveil.disclosure`.
    synthetic
        One copy.
    control
        Records of the same kind that were not used. What succeeds on them is general knowledge.
    mode
        "univariate": predicates of one column; "multivariate": of several; or "both".
    n_cols
        Of how many columns a multivariate predicate is.
    n
        How many predicates are wanted.
    attempts
        How many multivariate predicates are tried at most; one million where none is given.
    exhaustive
        Take every univariate predicate that singles out in the synthetic data, not n of them.
    columns
        The columns predicates are made of; all that the files have in common where none are given.
    without
        Columns that are omitted, such as numbers of records.
    categorical
        Columns of numbers that are codes: they have no order.
    level
        The level of all intervals.
    seed
        A whole number; drawn and recorded where none is given.
    person
        The column that says whose row it is. It is omitted of the predicates, which then single
        out where the rows that satisfy them are all of one person.
    special_codes, missing_values, progress
        As in `unveil.disclosure`. A special code is a level, neither large nor small.

    Returns
    -------
    AttacksResult
        `.rows`, one for each mode.

    Notes
    -----
    All three data sets are reduced to their distinct records. Where original and control differ in
    number, both are looked at as samples of m records, the number of the smaller, which are then
    reduced: of the larger one the exact expectation over all such samples is taken, so that
    successes are no whole numbers. Rates are over the predicates found, of which n_found says how
    many. With `person` people of original and control are looked at in place of distinct records:
    two people with equal records are two, and neither is singled out by what both satisfy.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023).
    """
    progress = progress or no_progress
    n_tried = ATTEMPTS if attempts is None else attempts
    asked = SinglingOutSettings(mode, n_cols, n, n_tried, exhaustive, level)
    chosen = choose_seed(seed)
    data = prepare_attack(
        original,
        synthetic,
        control,
        columns=columns,
        without=without,
        person=person,
        counting=COUNTING_SINGLE_PEOPLE,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    check_too_many_columns(asked, len(data.columns))
    codes = names(categorical, "Categorical columns")
    check_other_columns("categorical", codes, [column.name for column in data.columns])
    rows = list(_rows(PredicateSides.of(data, codes), asked, chosen, progress))
    return make_result(data, rows, level=asked.level, seed=chosen)


def _rows(
    attacked: PredicateSides, asked: SinglingOutSettings, seed: int, progress: Progress
) -> Iterator[AttackRow]:
    if asked.mode != "multivariate":
        progress("trying predicates of one column", 0, 1)
        yield _univariate_row(attacked, asked, seed)
    if asked.mode != "univariate":
        yield _multivariate_row(attacked, asked, seed, progress)


def _univariate_row(attacked: PredicateSides, asked: SinglingOutSettings, seed: int) -> AttackRow:
    predicates = list_univariate(attacked.book)
    n_all = len(predicates)
    if not asked.exhaustive:
        order = stream(seed, "singling out", "univariate").permutation(n_all)
        predicates = predicates[order[: asked.n]]
    naive = np.full(len(predicates), naive_success(attacked))
    how = "every predicate" if asked.exhaustive else "predicates sampled"
    return attack_row(
        attacked.outcomes(predicates, naive),
        attack="singling_out_univariate",
        level=asked.level,
        seed=seed,
        method=how + attacked.size,
        n_requested=None if asked.exhaustive else asked.n,
        keys=_names(attacked),
        warnings=(
            *_few(len(predicates), None if asked.exhaustive else asked.n, "every one there is"),
            *attacked.warn_crowding(len(predicates)),
        ),
    )


def _multivariate_row(
    attacked: PredicateSides, asked: SinglingOutSettings, seed: int, progress: Progress
) -> AttackRow:
    book = attacked.book
    found = search_predicates(
        book,
        attacked.copy,
        n_columns=asked.n_cols,
        n=asked.n,
        attempts=asked.attempts,
        rng=stream(seed, "singling out", "multivariate"),
        progress=progress,
    )
    progress("trying predicates of several columns", 0, 1)
    rng = stream(seed, "singling out", "naive")
    n_found = len(found.predicates)
    naive = draw_predicates(book, column_sets(book, asked.n_cols, n_found, rng), rng)
    tried = "every one there is" if found.is_all else f"in {found.n_tried:,} attempts"
    return attack_row(
        attacked.outcomes(
            found.predicates, attacked.successes(attacked.original, naive), found.rows
        ),
        attack="singling_out_multivariate",
        level=asked.level,
        seed=seed,
        method=f"predicates of {asked.n_cols} columns sampled{attacked.size}",
        n_requested=asked.n,
        keys=_names(attacked),
        warnings=(*_few(n_found, asked.n, tried), *attacked.warn_crowding(n_found)),
    )


def _names(attacked: PredicateSides) -> tuple[str, ...]:
    return tuple(attribute.name for attribute in attacked.book.attributes)


def _few(n_found: int, n_wanted: int | None, tried: str) -> tuple[str, ...]:
    """What to say where fewer predicates were found than wanted, or none."""
    if not n_found:
        said = "" if tried == "every one there is" else f" {tried}"
        return (
            f"No predicate that singles out in the synthetic data was found{said}: not measured.",
        )
    if n_wanted is None or n_found >= n_wanted:
        return ()
    return (
        f"{n_found:,} of {n_wanted:,} predicates wanted were found, {tried}; rates are over those"
        " found.",
    )
