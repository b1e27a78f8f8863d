"""Coarser settings of what causes the risk, tried and put side by side: risk and utility."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from unveil.errors import InputError, check_name
from unveil.gate.assess import assess
from unveil.gate.sentences import worst_first
from unveil.making.made import has_amounts
from unveil.making.noise import round_up
from unveil.making.recode import levels_of
from unveil.making.release import make_release
from unveil.making.steps import step_of
from unveil.measures.utility.utility import utility
from unveil.progress import steps as progress_of
from unveil.results import COMPLETE, Count, Figure, Note, Number, People, Row
from unveil.study import Study

Step = Mapping[str, Any]

FINE, COARSE = 10, 3  # parts of a standard deviation that numbers are rounded to
RARE = (0.01, 0.03)  # of the people, who have a level that is merged
BANDS = 5
LARGER = 2  # times the smallest leaf, and the default at least
LEAF = (33, 100)
RANK = {"within": 0, "review": 0, "decide": 1, "blocked": 2}


class TriedRow(Row, frozen=True):
    """One setting."""

    number: Annotated[int, Count("of the setting; 0 is as given")]
    column: str
    setting: str
    complete: Annotated[Figure, People("whose record is in the data, equal in all variables")] = (
        None
    )
    worst: str = ""
    beyond: Annotated[
        Figure, People("of whom more is told than others' records tell, at worst")
    ] = None
    S_pMSE: Annotated[
        Figure, Number("pMSE over what is expected, beside the original recoded likewise",
                       "Raab 2021", "S_pMSE")
    ] = None  # fmt: skip
    status: str = "not measured"


class Try(NamedTuple):
    """Steps that are coarser, and in which way."""

    setting: str
    steps: list[Step]


def coarser_steps(study: Study, steps: Sequence[Step], columns: Sequence[str]) -> list[Try]:
    """The same steps with these columns coarser, leaves larger, and a distance filter."""
    for name in columns:
        check_name(name, study.original.columns, "'tries': there is no column")
    levels = [*zip(*(_coarser(study, name) for name in columns), strict=True)]
    fine, coarse, banded = ([*level] for level in levels)
    has_leaves = any(step.get("do") == "synthesise" for step in steps)
    has_filter = any(step.get("do") == "distance_filter" for step in steps)
    settings = [(fine, False, False), (coarse, False, False)]
    if has_leaves:
        settings += [(fine, True, False), (coarse, True, False), (banded, True, False)]
    if not has_filter:
        settings.append((coarse, has_leaves, True))
    return [_try(steps, *setting) for setting in settings]


def _coarser(study: Study, name: str) -> Iterator[tuple[str, Step]]:
    """A column in three settings, each coarser than the one before, in words and as a step."""
    levels = levels_of(study, name, np.random.default_rng(0))
    if levels.column.kind == "date":
        for period in ("month", "quarter", "year"):
            yield f"{name} to {period}s", {"do": "coarsen_date", "column": name, "to": period}
    elif levels.column.kind == "number" and has_amounts(study, levels.column):
        amounts = levels.of_people
        fine = round_up(max(amounts.std() / FINE, 1.01 * step_of(amounts)))
        coarse = round_up(max(amounts.std() / COARSE, 1.01 * fine))
        for to in (fine, coarse):
            yield f"{name} to {to:,g}", {"do": "round", "column": name, "to": to}
        yield f"{name} in {BANDS} bands", {"do": "band", "column": name, "bands": BANDS}
    else:
        n = len(study.original)
        for share in (*RARE, 2 * RARE[1]):
            below = max(2, round(share * n))
            step = {"do": "merge_rare", "column": name, "below": below}
            yield f"levels of {name} below {below:,} merged", step


def _try(
    steps: Sequence[Step], recodings: Sequence[tuple[str, Step]], larger: bool, filtered: bool
) -> Try:
    """Recoded before synthesis, so that models see no more than is released."""
    words, changed = [text for text, _ in recodings], [dict(step) for step in steps]
    names = [step.get("do") for step in steps]
    place = names.index("synthesise") if "synthesise" in names else 0
    if larger:
        sizes = zip(changed[place].get("leaf", LEAF), LEAF, strict=True)
        leaf = [max(LARGER * size, default) for size, default in sizes]
        changed[place]["leaf"] = leaf
        words.append(f"leaves of {leaf[0]:,}")
    if filtered:
        changed.insert(place + ("synthesise" in names), {"do": "distance_filter"})
        words.append("distance filter")
    changed[place:place] = [dict(step) for _, step in recodings]
    return Try(", ".join(words), [*changed])


def try_settings(
    study: Study, release: Study, tries: Sequence[Try], columns: Sequence[str], rows: int | None,
    seed: int,
) -> tuple[list[TriedRow], list[Note]]:  # fmt: skip
    """Each setting assessed, and the release as given before them."""
    about = ", ".join(columns)
    table, notes = [_row(0, about, "as given", release)], []
    for number, setting in enumerate(progress_of("tries", tries), start=1):
        try:
            release_of_try, _ = make_release(study, setting.steps, rows, seed)
            table.append(_row(number, about, setting.setting, release_of_try.last))
        except InputError as fault:
            table.append(TriedRow(number=number, column=about, setting=setting.setting))
            notes.append(Note(about="tried", sentence=f"Try {number} is not measured. {fault}"))
    return table, notes


def _row(number: int, column: str, setting: str, study: Study) -> TriedRow:
    result = assess(study)
    figures = worst_first([figure for figure in result.figures if figure.kind in ("keys", "links")])
    complete = [figure.people or 0 for figure in result.figures if figure.what == COMPLETE]
    overall = utility(study).overall[0]
    return TriedRow(
        number=number, column=column, setting=setting, complete=max(complete, default=None),
        worst=f"{figures[0].what} by {figures[0].by}" if figures else "",
        beyond=figures[0].beyond if figures else None, S_pMSE=overall.S_pMSE, status=result.status,
    )  # fmt: skip


def best_of(table: Sequence[TriedRow]) -> TriedRow | None:
    """The setting with the gravest status gone and most utility left; none that is no better."""
    given = table[0]

    def risk(row: TriedRow) -> tuple[float, ...]:
        return RANK[row.status], row.complete or 0, row.beyond or 0

    better = [
        row
        for row in table[1:]
        if row.status in RANK
        if RANK[row.status] < RANK[given.status]
        or (RANK[row.status] == RANK[given.status] > 0
            and all(a <= b for a, b in zip(risk(row), risk(given), strict=True)))
    ]  # fmt: skip
    lowest = min((RANK[row.status] for row in better), default=0)
    of_lowest = [row for row in better if RANK[row.status] == lowest]
    if lowest:
        return min(of_lowest, key=risk, default=None)
    return min(of_lowest, key=lambda row: row.S_pMSE or 0, default=None)


def said_of(table: Sequence[TriedRow]) -> Iterator[str]:
    """What was tried, and which to take; like is compared with like."""
    given, best = table[0], best_of(table)
    if best is None:
        yield "No setting tried is better than what was given."
        return
    verdict = "brings all figures within their limits" if not RANK[best.status] else "is nearest"
    if RANK[best.status]:
        yield "No setting tried brought all figures within their limits."
    yield (
        f"Try {best.number} ({best.setting}) {verdict}: beyond {_number(given.beyond)} before,"
        f" {_number(best.beyond)} after; S_pMSE {_number(given.S_pMSE, 1)} before,"
        f" {_number(best.S_pMSE, 1)} after, each beside the original recoded likewise."
    )


def _number(figure: Figure, digits: int = 0) -> str:
    return "not measured" if figure is None else f"{figure:,.{digits}f}"
