"""`unveil.excess`: are people disclosed more often where their own record was used?

Raab (2024), section 5 and Table 3: the copy is made from `train`; `control` holds people of the
same kind whose records were not used. What is disclosed about them is general knowledge.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from unveil.arguments import is_list
from unveil.errors import SettingsError, hint_at, list_names
from unveil.measure.disclosure.attribute import COUNTED, excess_ratio
from unveil.measure.disclosure.excess_parts import ExcessScores
from unveil.measure.disclosure.figures import ByCopy, attribute_figures
from unveil.measure.disclosure.measures import CATALOGUE
from unveil.measure.disclosure.record import note_row_counts, people_figures
from unveil.measure.result import RowsResult
from unveil.records.disclosure import (
    Coercion,
    Excess,
    ExcessPart,
    ExcessRow,
    NotMeasured,
    PeopleRow,
)
from unveil.records.exclusions import Exclusion
from unveil.study.band_spec import parse_bands
from unveil.study.excluded import resolve_exclusions
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.open_scenario import OpenScenario, open_scenario
from unveil.study.people import PeopleOfFiles
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

MEASURES = ("iS", "DiS", "DiSCO", "DiSDiO", "DCAP", "TCAP")
"""The measures of what a copy discloses; those of the original alone know no control."""

TRAIN, CONTROL = 0, 1


@takes_study
def excess(
    train: Any,
    control: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    measure: str | Iterable[str] = "DiSCO",
    exclude: Any = (),
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    person: str | None = None,
    nearest: bool = False,
    progress: Progress | None = None,
) -> RowsResult[Excess]:
    """Compare what copies disclose about those they were made from with what about others.

    Parameters
    ----------
    train
        The records that the copies were made from, in any of the forms of `unveil.disclosure`.
    control
        Records of the same kind that were not used.
    synthetic
        One copy, or a list of copies.
    keys, targets, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    measure
        One or several of iS, DiS, DiSCO, DiSDiO, DCAP and TCAP.
    person
        The column that says whose row it is: people are counted then, each as soon as one of their
        rows is. DCAP and TCAP count rows.
    nearest
        Whether to add R of an intruder who takes the nearest record (`unveil.inference`).
    exclude
        Exclusions whose effect is shown beside: train, control and R without and with them, and
        the same ratio for what they remove.

    Returns
    -------
    RowsResult
        `.rows`, one per target, measure and copy: train, control, R = (train - control) /
        (100 - control) on percentages, train_after, control_after, R_after under the exclusions,
        R_exclusion = (train - train_after) / (100 - train_after). Of several copies also their
        mean, whose R is that of the means, and all pooled. `.record.parts`: R of DCAP and DiSCO
        split into matched, determined and correct, and R of other guesses about people not
        matched, each with its 95 % interval.

    References
    ----------
    Raab (2024), equation 1, after Giomi et al. (2023); Shapley (1953) for its parts.
    """
    progress = progress or no_progress
    measures = _measures(measure)
    rules = parse_exclusions(exclude)
    if nearest and bands:
        raise SettingsError("The nearest record knows no bands. Omit bands, or nearest.")
    opening = open_scenario(
        sides_of(synthetic, train=train, control=control),
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        bands=parse_bands(bands, special_codes),
        person=person,
        progress=progress,
    )
    found: tuple[ExcessPart, ...] = ()
    if nearest:
        found = tuple(_nearest(opening.scenario, (train, control, synthetic), missing_values))
    return RowsResult(_record(opening, measures, rules, found, progress))


def _measures(given: str | Iterable[str]) -> tuple[str, ...]:
    chosen: tuple[Any, ...] = tuple(given) if is_list(given) else (given,)
    for symbol in chosen:
        if not isinstance(symbol, str) or symbol not in MEASURES:
            raise SettingsError(
                f"There is no excess of {symbol!r}.{hint_at(str(symbol), MEASURES)} The measures"
                f" are: {list_names(MEASURES)}."
            )
    if not chosen:
        raise SettingsError(f"No measure is given. The measures are: {list_names(MEASURES)}.")
    return tuple(dict.fromkeys(chosen))


def _record(
    opening: OpenScenario,
    measures: Sequence[str],
    rules: tuple[Exclusion, ...],
    nearest: tuple[ExcessPart, ...],
    progress: Progress,
) -> Excess:
    scenario = opening.scenario
    copies = range(CONTROL + 1, len(scenario.sides.rows))
    parts = [scenario.select_sides([part, *copies]) for part in (TRAIN, CONTROL)]
    people = _people(opening)
    plain, struck = ([resolve_exclusions(kept, part) for part in parts] for kept in ((), rules))
    of_plain, of_struck = (
        [people_figures(*one).rows for one in zip(people, kept, strict=True)] if people else None
        for kept in (plain, struck)
    )
    rows: list[ExcessRow] = []
    parts_of_R: list[ExcessPart] = []
    before = [attribute_figures(part) for part in plain]
    after = [attribute_figures(part) for part in struck] if rules else None
    for place, target in enumerate(scenario.target_names):
        progress(f"comparing {target}", place, len(scenario.target_names))
        was = _figures([part[place] for part in before], target, of_plain)
        now = _figures([part[place] for part in after], target, of_struck) if after else None
        rows += _rows(target, measures, was, now)
        if not people:
            parts_of_R += ExcessScores(scenario.cells(place)).parts(target)
    return Excess(
        files=opening.files,
        keys=scenario.key_names,
        targets=scenario.target_names,
        measures=tuple(measures),
        person=people[TRAIN].original.record if people else None,
        n_train=_size(opening, people, TRAIN),
        n_control=_size(opening, people, CONTROL),
        n_synthetic=scenario.sides.rows[CONTROL + 1 :],
        exclude=tuple(rule.text for rule in rules),
        rows=tuple(rows),
        parts=(*parts_of_R, *nearest),
        bands=opening.bands,
        coercions=(*opening.notes, *_note_row_counts(people, measures)),
        not_measured=tuple(_list_not_measured(rows)),
    )


def _nearest(
    scenario: CountedScenario, files: tuple[Any, Any, Any], missing_values: str | Sequence[str]
) -> Iterator[ExcessPart]:
    """R of the intruder who takes the nearest record: Giomi et al. (2023), file by file."""
    from unveil.measure.attacks.inference import inference

    train, control, synthetic = files
    copies = synthetic if is_list(synthetic) else [synthetic]
    for copy, file in enumerate(copies, start=1):
        for target in scenario.target_names:
            (row,) = inference(
                train,
                file,
                control=control,
                keys=scenario.key_names,
                secrets=target,
                tolerance=0,
                missing_values=missing_values,
                seed=1,
            ).rows
            if row.R is not None and row.interval_delta is not None:
                yield ExcessPart(
                    target=target,
                    measure="DCAP",
                    copy=copy,
                    part="nearest",
                    train=row.main,
                    control=row.control,
                    R=row.R,
                    low=row.interval_delta[0],
                    high=row.interval_delta[1],
                )


def _people(opening: OpenScenario) -> tuple[PeopleOfFiles, ...]:
    """Whose rows those of train are, and those of the control sample; no one's where not asked."""
    people = opening.people
    return () if people is None else (people.without_control(), people.shift_to_control())


def _size(opening: OpenScenario, people: Sequence[PeopleOfFiles], part: int) -> int:
    return people[part].original.record.n_people if people else opening.scenario.sides.rows[part]


def _figures(
    found: Sequence[ByCopy], target: str, people: Sequence[Sequence[PeopleRow]] | None
) -> list[ByCopy]:
    """The figures of one target in each part, those that count people by person."""
    return [
        {
            copy: dict(figures)
            | {row.measure: row.percent for row in rows if (row.target, row.copy) == (target, copy)}
            for copy, figures in of_part.items()
        }
        for of_part, rows in zip(found, people or ((), ()), strict=True)
    ]


def _note_row_counts(
    people: Sequence[PeopleOfFiles], measures: Sequence[str]
) -> tuple[Coercion, ...]:
    by_row = [symbol for symbol in measures if symbol not in COUNTED]
    if not people or not by_row:
        return ()
    verb = "count" if len(by_row) > 1 else "counts"
    return note_row_counts(people[TRAIN].original, f"{list_names(by_row)} {verb}")


def _rows(
    target: str,
    measures: Sequence[str],
    before: Sequence[ByCopy],
    after: Sequence[ByCopy] | None,
) -> Iterator[ExcessRow]:
    """One row per copy and measure; `after` are the figures under exclusions, if there are any."""
    for copy in before[TRAIN]:
        for symbol in measures:
            train, control = (part[copy][symbol] for part in before)
            train_after, control_after = (
                (None, None) if after is None else (part[copy][symbol] for part in after)
            )
            yield ExcessRow(
                target=target,
                measure=symbol,
                copy=copy,
                train=train,
                control=control,
                R=excess_ratio(train, control),
                train_after=train_after,
                control_after=control_after,
                R_after=excess_ratio(train_after, control_after),
                R_exclusion=excess_ratio(train, train_after),
            )


def _list_not_measured(rows: Iterable[ExcessRow]) -> Iterator[NotMeasured]:
    """Why a figure without exclusions, or R, is None."""
    for row in rows:
        for field in ("train", "control", "R"):
            if getattr(row, field) is None:
                reason = "the control figure is 100 %, so no one is left to be disclosed"
                if row.train is None or row.control is None:
                    reason = CATALOGUE[row.measure].undefined
                yield NotMeasured(
                    target=row.target,
                    copy=row.copy,
                    field=f"{field} ({row.measure})",
                    reason=reason,
                )
