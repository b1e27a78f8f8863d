"""Which columns are coded differently, and what is the risk where both files are coded alike?

Every column of a synthetic file that is compared is held against the original; where a mapping is
proposed, the files are measured again under it, for a low figure may only mean that nothing could
be matched.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from unveil.errors import UnveilError
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.gate.coding import has_common_value, propose_codings
from unveil.measure.gate.coding_levels import CodingProposal, find_linked_codes, pair_of
from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.measure.gate.linked_people import MOST_LINKING, TiedSearch
from unveil.measure.gate.links import LEAST_LINKS, Links, LinkView
from unveil.records.alerts import CodingRow
from unveil.study.scenario import Progress, no_progress


@dataclass(frozen=True)
class ScenarioKeys:
    """Keys and targets to be measured under the mappings, with their bands and special codes."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ColumnCoding:
    """What is proposed about one column of one synthetic file."""

    column: LinkColumn
    side: int
    proposals: tuple[CodingProposal, ...]
    has_common: bool

    @property
    def mapping(self) -> CodingProposal | None:
        """The strongest proposal that can be applied."""
        return next(
            (
                one
                for one in self.proposals
                if one.synthetic is not None or one.original is not None
            ),
            None,
        )


def find_codings(
    columns: Iterable[LinkColumn],
    side: int,
    search: TiedSearch | None = None,
    looks: Mapping[str, LinkView] | None = None,
    progress: Progress = no_progress,
) -> tuple[ColumnCoding, ...]:
    """Columns of one synthetic file for which something speaks for another coding.

    People are linked by the columns that tie most of them, and by those that link most, each
    without the column that is looked at.
    """
    asked = list(columns)
    sets = _linking_sets(search, looks or {})
    found = []
    known: dict[tuple[str, ...], Links] = {}
    for done, column in enumerate(asked):
        progress(f"the coding of {column.name}", done, len(asked))
        pair = pair_of(column, side)
        links = [
            find_linked_codes(one, column, side) for one in _links(search, sets, column.name, known)
        ]
        coding = ColumnCoding(
            column, side, propose_codings(pair, links), has_common=has_common_value(pair)
        )
        if coding.proposals or not coding.has_common:
            found.append(coding)
    return tuple(found)


def _linking_sets(
    search: TiedSearch | None, looks: Mapping[str, LinkView]
) -> tuple[tuple[str, ...], ...]:
    """The columns that tie most people, if any are tied, and those that link most."""
    if search is None:
        return ()
    top = max(looks.values(), key=lambda look: look.tied_people, default=None)
    return (search.widest,) if top is None else ((*top.by, top.column), search.widest)


def _links(
    search: TiedSearch | None,
    sets: Sequence[tuple[str, ...]],
    name: str,
    known: dict[tuple[str, ...], Links],
) -> Iterator[Links]:
    """People linked by each set without this column; those that columns share are known."""
    seen = set()
    for by in sets:
        rest = tuple(one for one in by if one != name)[:MOST_LINKING]
        if search is None or not rest or frozenset(rest) in seen:
            continue
        seen.add(frozenset(rest))
        links = known.get(rest) or search.link_people(rest)
        if rest == by[:MOST_LINKING]:
            known[rest] = links
        if links.total >= LEAST_LINKS:
            yield links


def map_frames(
    columns: Mapping[str, LinkColumn], side: int, codings: Sequence[ColumnCoding]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Original and synthetic file with these columns, both in the coding that is proposed."""
    mappings = {one.column.name: one.mapping for one in codings}
    made: tuple[dict[str, pl.Series], dict[str, pl.Series]] = {}, {}
    for name, column in columns.items():
        mapping = mappings.get(name)
        for file, place in zip(made, (ORIGINAL, side), strict=True):
            new = None
            if mapping is not None:
                new = mapping.original if place == ORIGINAL else mapping.synthetic
            levels = column.source.levels if new is None else new
            file[name] = levels.gather(column.source.codes[column.sides.slices[place]])
    return pl.DataFrame(made[0]), pl.DataFrame(made[1])


def measure_mapped(
    columns: Mapping[str, LinkColumn],
    side: int,
    codings: Sequence[ColumnCoding],
    scenario: ScenarioKeys,
) -> dict[str, float | None]:
    """DiSCO of every target, in percent, with these mappings; none where nothing can be compared.

    Without mappings the same columns are compared as they are written.
    """
    used = {name: columns[name] for name in (*scenario.keys, *scenario.targets)}
    original, synthetic = map_frames(used, side, codings)
    try:
        result = disclosure(
            original,
            synthetic,
            keys=scenario.keys,
            targets=scenario.targets,
            **_settings_of_numbers(scenario.settings, original, synthetic),
        )
    except UnveilError:
        return {}
    return {row.target: row.DiSCO for row in result.record.attribute}


def _settings_of_numbers(settings: Mapping[str, Any], *frames: pl.DataFrame) -> dict[str, Any]:
    """Bands and special codes of columns that hold no text; a mapping may have made it text."""
    return {
        setting: {
            name: value
            for name, value in by_column.items()
            if not any(frame[name].dtype == pl.String for frame in frames)
        }
        for setting, by_column in settings.items()
    }


def make_coding_rows(
    columns: Mapping[str, LinkColumn],
    codings: Sequence[ColumnCoding],
    *,
    compared: Collection[str] = (),
    scenarios: Sequence[ScenarioKeys] = (),
) -> Iterator[CodingRow]:
    """The proposals as records, with the target whose DiSCO all mappings together raise most.

    A compared column, key or target, without a value in common is not measured. Where all
    scenarios compare it in bands that a mapping leaves as they are, nothing is asked.
    """
    codings = [one for one in codings if not _is_within_bands(one, scenarios)]
    if not codings:
        return
    names, side = {one.column.name for one in codings}, codings[0].side
    risks = [
        (scenario, measure_mapped(columns, side, (), scenario), after)
        for scenario in scenarios
        if names & {*scenario.keys, *scenario.targets}
        and {*scenario.keys, *scenario.targets} <= set(columns)
        and (after := measure_mapped(columns, side, codings, scenario))
    ]
    for coding in codings:
        name = coding.column.name
        figures = _find_largest_rise(name, risks)
        is_measured = coding.has_common or name not in compared
        one = coding.mapping or next(iter(coding.proposals), _NOTHING)
        yield CodingRow(
            copy=side,
            column=name,
            coding=one.kind,
            share=one.share,
            expected=one.expected,
            joint=one.is_joint,
            sentence=one.evidence,
            is_measured=is_measured,
            target=figures[0],
            DiSCO=figures[1],
            DiSCO_mapped=figures[2],
        )


def _is_within_bands(coding: ColumnCoding, scenarios: Sequence[ScenarioKeys]) -> bool:
    """Whether numbers stay in their bands under all that is proposed, in every scenario."""
    name = coding.column.name
    asked = [one.settings for one in scenarios if name in (*one.keys, *one.targets)]
    breaks: list[Any] = [settings.get("bands", {}).get(name) for settings in asked]
    made = [[one.original, one.synthetic] for one in coding.proposals]
    levels = [
        coding.column.source.levels,
        *(new for pair in made for new in pair if new is not None),
    ]
    if not all(isinstance(one, list) for one in breaks) or any(
        a is None and b is None for a, b in made
    ):
        return False
    if not (breaks and made and all(one.dtype.is_numeric() for one in levels)):
        return False
    numbers = [one.cast(pl.Float64).to_numpy() for one in levels]
    cut = ([np.searchsorted(limits, one, "right") for one in numbers] for limits in breaks)
    return all(np.array_equal(first, one) for first, *others in cut for one in others)


_NOTHING = CodingProposal("replaced", 1.0, 0.0, "its values are others")


def _find_largest_rise(
    name: str,
    risks: Sequence[tuple[ScenarioKeys, dict[str, float | None], dict[str, float | None]]],
) -> tuple[str | None, float | None, float | None]:
    """The target, of those that a column bears on, whose DiSCO rises most; before and after."""
    best: tuple[float, str, float | None, float] | None = None
    for scenario, before, after in risks:
        for target, risk in after.items():
            if risk is None or name not in (*scenario.keys, target):
                continue
            rise = risk - (before.get(target) or 0.0)
            if best is None or rise > best[0]:
                best = rise, target, before.get(target), risk
    return (None, None, None) if best is None else best[1:]
