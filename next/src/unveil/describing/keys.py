"""Which columns would an intruder know, and which steps would leave fewer people unique on them?

Keys come grade by grade, the one that makes most people unique first. Until 5 % of people are
unique every column is added that parts people further; from there on no further grade is opened,
and a key must make 1 % of people unique. These figures are ours: none is published.

For each key and step of `recode` the mildest setting is proposed that halves the people unique on
all keys, or else the one that leaves fewest.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import polars as pl

from unveil.counts.cells import Ints
from unveil.data.bands import band
from unveil.describing.facts import Facts
from unveil.results import Count, Row
from unveil.study import Study

GRADES = ("visible", "often", "sometimes")
ENOUGH, LEAST_GAIN = 0.05, 0.01  # of people
MOST_KEYS = 8
FEWEST_VALUES = 10  # numbers of fewer stay as they are
BANDS = (16, 8, 5)
TOPS = (0.99, 0.95)
BELOW = (5, 10, 20, 50, 100, 200, 500)  # records of a level that is rare
PERIODS = {"month": "1mo", "quarter": "1q", "year": "1y"}

Steps = list[tuple[Facts, int]]
"""Keys in their order, each with the people unique on it and those before it."""


def count(person: Ints, columns: list[Any]) -> tuple[int, int]:
    """People who are alone with a combination of levels, and how many combinations there are."""
    levels = pl.DataFrame({str(place): codes for place, codes in enumerate(columns)})
    holders = levels.with_columns(person=person).unique()
    combinations = holders.select(levels.columns)
    return holders.filter(combinations.is_unique())["person"].n_unique(), combinations.n_unique()


def order_keys(study: Study, columns: list[Facts], *, are_declared: bool) -> Steps:
    """All that are declared, or else those to propose."""
    person, n = study.people()
    steps: Steps = []
    unique, combinations = 0, 1
    for grade in ("",) if are_declared else GRADES:
        left = [facts for facts in columns if grade in ("", facts.known)]
        if unique >= ENOUGH * n:
            break
        while left := [f for f in left if not (grade and any(follows(f, key) for key, _ in steps))]:
            known = [key.codes for key, _ in steps]
            counts = [count(person, [*known, facts.codes]) for facts in left]
            best = counts.index(max(counts))
            gain, least = counts[best][0] - unique, LEAST_GAIN * n * (unique >= ENOUGH * n)
            adds = counts[best][1] > combinations and gain >= least and len(steps) < MOST_KEYS
            if grade and not adds:
                break
            unique, combinations = counts[best]
            steps.append((left.pop(best), unique))
    return steps


def follows(facts: Facts, key: Facts) -> bool:
    """Whether who knows the key knows the column: each of its values stands with one alone.

    Most records must share their value of the key with another, or nothing is tested.
    """
    both = pl.DataFrame({"key": key.codes, "value": facts.codes}).filter(
        np.isin(key.codes, key.answers) & np.isin(facts.codes, facts.answers)
    )
    n_tested = both["key"].is_duplicated().sum()
    is_tested = len(facts.answers) > 1 and 2 * n_tested > len(both)
    return is_tested and both.n_unique() == both["key"].n_unique()


class RecodingRow(Row, frozen=True):
    """One step that would make fewer people unique."""

    column: str
    do: str
    setting: str
    before_uniques: Annotated[int, Count("people unique on the keys")]
    after_uniques: Annotated[int, Count("people unique after this step alone")]
    reason: str


def propose_recodings(keys: list[Facts], person: Ints) -> list[RecodingRow]:
    """The one that leaves fewest people unique first."""
    rows = []
    for key in keys:
        others = [other.codes for other in keys if other is not key]
        before, _ = count(person, [*others, key.codes])
        for do, settings in _steps(key):
            effects = [(before, "", 0)]
            for setting, codes in settings.items():
                if 2 * effects[-1][0] > before:
                    after, _ = count(person, [*others, codes])
                    effects.append((after, setting, pl.Series(codes).n_unique()))
            after, setting, n = min(effects)
            if after < before:
                rows.append(RecodingRow(
                    column=key.name, do=do, setting=setting, before_uniques=before,
                    after_uniques=after, reason=f"{len(key.answers):,} to {n:,} values",
                ))  # fmt: skip
    return sorted(rows, key=lambda row: row.after_uniques)


def _steps(key: Facts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Steps with their settings, from mild to strong, and what the codes become."""
    codes, is_answer = key.codes, np.isin(key.codes, key.answers)
    if key.kind == "date":
        days = key.column.levels.gather(codes)
        yield "coarsen_date", {f'to = "{to}"': days.dt.truncate(p) for to, p in PERIODS.items()}
    elif key.kind == "category":
        counts = np.where(is_answer, key.counts[codes], np.inf)
        yield (
            "merge_rare",
            {
                f'below = {below}, into = "other"': np.where(counts < below, -1, codes)
                for below in BELOW
                if below <= key.counts[key.answers].max(initial=0)
            },
        )
    elif len(key.numbers) >= FEWEST_VALUES:
        special = tuple(key.column.numbers[key.special])
        banded = {n: band(key.column, n, special).codes for n in BANDS}
        yield "band", {f"bands = {n}": banded[n][: len(codes)] for n in banded}
        tops = np.quantile(codes[is_answer], TOPS, method="lower")
        cut_off = np.where(is_answer, np.minimum(codes, tops[:, None]), codes)
        yield "top_code", {f"quantile = {top}": cut_off[k] for k, top in enumerate(TOPS)}
