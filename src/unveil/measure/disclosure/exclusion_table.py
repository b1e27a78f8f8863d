"""`unveil.exclusion_table`: what do the usual exclusions leave, side by side?

Raab (2024), section 4 and Table 2: no exclusions; the levels that are common knowledge; these and
missing values; these and single matches only; single matches only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from unveil.errors import SettingsError, hint_at, list_names
from unveil.measure.disclosure.figures import CheckSettings
from unveil.measure.disclosure.find_flags import parse_checks
from unveil.measure.disclosure.record import MeasuredScenario, measure_scenario
from unveil.measure.result import RowsResult
from unveil.records.disclosure import (
    Checks,
    Disclosure,
    ExclusionColumn,
    ExclusionTable,
    ExclusionTableRow,
    Flag,
)
from unveil.records.exclusions import Exclusion
from unveil.study.band_spec import parse_bands
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

ORIGINAL_SIDE = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd"}
"""The measures that can be tabled, each with its companion on the original, as in synthpop."""


@takes_study
def exclusion_table(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    levels: Any = None,
    measure: str = "DiSCO",
    max_denominator: int = 1,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    one_way: Sequence[float] = (50, 90),
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RowsResult[ExclusionTable]:
    """Measure under the five sets of exclusions of the paper's Table 2; everything counted once.

    Parameters
    ----------
    original, synthetic, keys, targets, bands, special_codes, one_way, missing_values, progress
        As in `unveil.disclosure`.
    levels
        Target levels that are common knowledge, such as ``["workab=NO"]``; by default those that a
        one-way check flags.
    measure
        DiSCO or DiSDiO (beside Dorig), or DCAP (beside CAPd).
    max_denominator
        The limit of the last two columns, on the original's counts.

    Returns
    -------
    RowsResult
        `.rows`, one per target and column: original and synthetic, in percent, the mean over
        several copies. `.record.columns` says what each column excludes.
    """
    progress = progress or no_progress
    if not isinstance(measure, str) or measure not in ORIGINAL_SIDE:
        raise SettingsError(
            f"There is no table of {measure!r}.{hint_at(str(measure), list(ORIGINAL_SIDE))} The"
            f" measures are: {list_names(ORIGINAL_SIDE)}."
        )
    limit = parse_exclusions({"rule": "max-denominator", "limit": max_denominator})
    known = None if levels is None else _only_levels(parse_exclusions(levels))
    checks = parse_checks(one_way, Checks().two_way, None)
    opening = open_scenario(
        sides_of(synthetic, original=original),
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        bands=parse_bands(bands, special_codes),
        progress=progress,
    )
    measured = measure_scenario(opening, CheckSettings(checks), progress)
    everything, _ = measured.record()
    if known is None:
        known = exclude_flagged(everything.flags)
    missing = parse_exclusions("missing-targets")
    most = limit[0].limit
    alone = "only cells of one person" if most == 1 else f"only cells of at most {most} people"
    columns = {
        "nothing excluded": (),
        "a) without common answers": known,
        "b) a) and without missing": (*known, *missing),
        f"c) b) and {alone}": (*known, *missing, *limit),
        alone: limit,
    }
    return RowsResult(_record(measured, everything, measure, columns))


def exclude_flagged(flags: Iterable[Flag]) -> tuple[Exclusion, ...]:
    """The ready-made exclusions of every level that a one-way check flags."""
    return parse_exclusions([flag.exclusion for flag in flags if flag.kind == "one_way"])


def _only_levels(rules: tuple[Exclusion, ...]) -> tuple[Exclusion, ...]:
    for rule in rules:
        if rule.rule not in ("level", "pair"):
            raise SettingsError(
                f"{rule.text!r} is no target level. Write levels as target=level; the other columns"
                " of the table omit missing values and limit denominators by themselves."
            )
    return rules


def _record(
    measured: MeasuredScenario,
    everything: Disclosure,
    measure: str,
    columns: Mapping[str, tuple[Exclusion, ...]],
) -> ExclusionTable:
    rows = []
    for column, exclude in enumerate(columns.values()):
        record = measured.record(exclude)[0] if exclude else everything
        rows += list(_rows(record, column, measure))
    return ExclusionTable(
        files=everything.files,
        keys=everything.keys,
        targets=everything.targets,
        measure=measure,
        measure_original=ORIGINAL_SIDE[measure],
        n_original=everything.n_original,
        n_synthetic=everything.n_synthetic,
        columns=tuple(
            ExclusionColumn(
                column=column, title=title, exclude=tuple(rule.text for rule in exclude)
            )
            for column, (title, exclude) in enumerate(columns.items())
        ),
        rows=tuple(
            sorted(rows, key=lambda row: (everything.targets.index(row.target), row.column))
        ),
        bands=everything.bands,
        coercions=everything.coercions,
    )


def _rows(record: Disclosure, column: int, measure: str) -> Iterator[ExclusionTableRow]:
    for target in record.targets:
        row = record.attribute_of(target, record.headline_copy)
        value = getattr(row, measure)
        yield ExclusionTableRow(
            target=target,
            column=column,
            original=getattr(row, ORIGINAL_SIDE[measure]),
            synthetic=value,
            n=None if value is None else value * record.n_original / 100,
        )
