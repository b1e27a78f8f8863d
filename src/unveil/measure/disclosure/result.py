"""What `unveil.disclosure` hands back: the record, and beside it the counts it was made from."""

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import polars as pl
from msgspec.structs import replace as replace_fields

from unveil.arrays import Ints, Mask
from unveil.assessment.summarise import summarise_disclosure
from unveil.count.codes import CodedColumn, level_labels
from unveil.count.profile import Profile
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.io.numbers import TAG_OF
from unveil.measure.disclosure import attribute, identity
from unveil.measure.disclosure.claims import explain_single_values
from unveil.measure.disclosure.key_sets import search_key_sets
from unveil.measure.disclosure.record import MeasuredScenario
from unveil.measure.result import rows_frame
from unveil.records.base import Copy
from unveil.records.disclosure import (
    AttributeRow,
    Disclosure,
    IdentityRow,
)
from unveil.records.exclusions import Exclusion
from unveil.records.summary import Summary
from unveil.study.excluded import Exclusions
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.view.show import Result

# Who is at risk, and why? The original records behind a figure: confidential.
#
# Nothing else in unveil shows a record; this is asked for by name, and no view contains it.


COUNTED = {"repU": identity.COUNTED["repU"], **attribute.COUNTED}


def records_at_risk(
    exclusions: Exclusions,
    target: str,
    *,
    copy: Copy | None = None,
    measure: str = "DiSCO",
    as_text: bool = False,
) -> Any:
    """One row per original record that the measure counts and no exclusion takes out."""
    place = _target_place(exclusions.scenario, target)
    copy = _copy(exclusions.scenario, copy)
    scenario = exclusions.scenario.pair(copy)
    here = exclusions.on(scenario)
    if not isinstance(measure, str) or measure not in COUNTED:
        raise SettingsError(
            f"No records can be listed for {measure!r}.{hint_at(str(measure), list(COUNTED))} They"
            f" can be listed for: {list_names(COUNTED)}."
        )
    kept_elsewhere = here.frame_at_risk(
        place, COUNTED[measure], of_keys=measure in identity.COUNTED
    )
    if kept_elsewhere is not None:
        return kept_elsewhere
    looks = scenario.looks(place)
    gone = here.mask_excluded(place)
    gone_here = here.mask_excluded_keys(place) if measure in identity.COUNTED else gone
    at_risk = looks.on_cells(COUNTED[measure](looks.profile)) & ~gone_here
    cell_of_row = scenario.cells_of_originals(place)
    rows = np.flatnonzero(at_risk[cell_of_row])
    found = _ListedRecords(rows, cell_of_row[rows], gone, as_text)
    return _frame(scenario, place, copy, found)


@dataclass(frozen=True)
class _ListedRecords:
    """The records to list: their rows, their cells, and which cells no attribute measure counts."""

    rows: Ints
    cells: Ints
    gone: Mask
    as_text: bool

    def values(self, column: CodedColumn) -> pl.Series:
        """The levels of a column to read from, typed or as text."""
        if self.as_text or any(code in TAG_OF for code in column.special_codes):
            return pl.Series(level_labels(column), dtype=pl.String)
        return column.levels


def _target_place(scenario: CountedScenario, target: str) -> int:
    if target not in scenario.target_names:
        raise RolesError(
            f"{target!r} is not among the targets.{hint_at(str(target), scenario.target_names)} The"
            f" targets are: {list_names(scenario.target_names)}."
        )
    return scenario.target_names.index(target)


def _copy(scenario: CountedScenario, copy: Copy | None) -> Copy:
    everyone = list(scenario.all_copies)
    if copy == "pooled" or (copy is None and len(everyone) > 1):
        return "pooled"
    if copy is None:
        return 1
    if copy not in everyone or isinstance(copy, bool):
        raise SettingsError(
            f"There is no copy {copy!r} to list records of. There are: "
            f"{list_names(map(str, everyone))}"
            " and pooled."
        )
    return int(copy)


def _frame(
    scenario: CountedScenario, place: int, copy: Copy, listed: _ListedRecords
) -> pl.DataFrame:
    looks = scenario.looks(place)
    p, look = looks.profile, looks.of_cell[listed.cells]
    # Words are made once for each look, and for those of its cells that are excluded once more.
    is_gone = listed.gone[listed.cells]
    alike, word = np.unique(look.astype(np.int64) * 2 + is_gone, return_inverse=True)
    used, left = alike // 2, alike % 2 == 0
    told = {
        symbol: counted(p)[used] & (left | (symbol in identity.COUNTED))
        for symbol, counted in COUNTED.items()
    }
    own = {
        "row": pl.Series(listed.rows, dtype=pl.Int64),
        "copy": pl.Series([str(copy)]).new_from_index(0, len(listed.rows)),
        "copy_says": _shown_values(scenario, place, listed),
        **{
            letter: pl.Series(getattr(p, letter)[look], dtype=pl.Int64)
            for letter in ("d_tq", "s_tq", "d_q", "s_q")
        },
        "measures": pl.Series(_measures(told), dtype=pl.String).gather(word),
        "why": pl.Series(_why(p, used), dtype=pl.String).gather(word),
    }
    data = {
        column.name: listed.values(column).gather(column.codes[listed.rows].astype(np.uint32))
        for column in (*scenario.key_columns, scenario.target_columns[place])
    }
    return _side_by_side(own, data)


def _side_by_side(own: dict[str, pl.Series], data: dict[str, pl.Series]) -> pl.DataFrame:
    """Columns of ours around those of the data, which keep their names; ours give way."""
    free = {name: _free(name, data) for name in own}
    first = ("row", "copy")
    return pl.DataFrame(
        [
            *(own[name].alias(free[name]) for name in first),
            *(values.alias(name) for name, values in data.items()),
            *(values.alias(free[name]) for name, values in own.items() if name not in first),
        ]
    )


def _free(name: str, taken: Container[str]) -> str:
    return _free(f"{name}_", taken) if name in taken else name


def _shown_values(scenario: CountedScenario, place: int, listed: _ListedRecords) -> pl.Series:
    """The one value that the synthetic data show for the keys of each record; null: several.

    Null is also the missing level, where that is what they show; `why` tells them apart.
    """
    levels = listed.values(scenario.target_columns[place])
    shown = scenario.shown_levels(place)[scenario.cells(place).q_of(listed.cells)]
    return levels.extend_constant(None, 1).gather(
        pl.Series(np.where(shown < 0, len(levels), shown))
    )


def _measures(told: dict[str, Mask]) -> list[str]:
    """The measures that records of each look belong to."""
    symbols = np.array(list(told))
    return [", ".join(symbols[list(belongs)]) for belongs in zip(*told.values(), strict=True)]


def _why(p: Profile, looks: Ints) -> list[str]:
    """In words, for each look."""
    letters = (p.d_tq, p.d_q, p.s_q, p.T_s, p.ps_is_1)
    return [
        _sentence(*of_look) for of_look in zip(*(x[looks].tolist() for x in letters), strict=True)
    ]


def _sentence(d_tq: int, d_q: int, s_q: int, T_s: int, is_right: bool) -> str:
    alone = "Unique on these keys" if d_q == 1 else f"One of {d_q:,} people with these keys"
    same = "" if d_q == 1 else f", {d_tq:,} of them with this value"
    if d_q == d_tq > 1:
        same = ", all with this value"
    if s_q == 0:
        copy = "the synthetic data have no record with them"
    elif T_s > 1:
        copy = f"the synthetic data have {s_q:,} with them, with {T_s:,} different values"
    else:
        value = "the same value: right" if is_right else "one other value: wrong"
        copy = f"the synthetic data have {s_q:,} with them, {'all ' if s_q > 1 else ''}with {value}"
    return f"{alone} in the original{same}; {copy}."


@dataclass(frozen=True)
class CopyFigures:
    """The figures of one copy, of their mean, or of all copies pooled."""

    identity: IdentityRow
    attribute: tuple[AttributeRow, ...]


@dataclass(frozen=True, repr=False)
class DisclosureResult(Result):
    """Identity and attribute disclosure; printing it never shows a record of the data."""

    record: Disclosure
    _measured: MeasuredScenario = field(repr=False, compare=False)
    _exclusions: Exclusions = field(repr=False, compare=False)

    @classmethod
    def of(cls, measured: MeasuredScenario, exclude: tuple[Exclusion, ...] = ()) -> Self:
        """The result under these exclusions, from figures measured without any."""
        record, exclusions = measured.record(exclude)
        return cls(record, measured, exclusions)

    @property
    def exclusions(self) -> Exclusions:
        """The counts behind the figures, and the rules that act on them; never part of a view."""
        return self._exclusions

    def with_expected(self, progress: Progress = no_progress, *, has_parts: bool = False) -> Self:
        """The same result with `record.claims`: what is expected and added behind every DiSCO.

        With parts, `record.parts` and `record.groups` have what explains the correct values.
        """
        found = explain_single_values(self._exclusions, progress, has_parts=has_parts)
        return self.with_record(claims=found.claims, parts=found.parts, groups=found.groups)

    def with_key_sets(self, progress: Progress = no_progress) -> Self:
        """The same result with `record.key_sets`: an intruder who uses only some of the keys."""
        found = search_key_sets(self._exclusions, progress)
        return self.with_record(key_sets=found)

    def with_record(self, **fields: Any) -> Self:
        """The same result with other fields of its record."""
        return replace(self, record=replace_fields(self.record, **fields))

    def whatif(self, exclude: Any = ()) -> Self:
        """The same scenario under exactly these exclusions; nothing is counted again."""
        return self.of(self._measured, parse_exclusions(exclude))

    def records_at_risk(
        self,
        target: str,
        *,
        copy: Copy | None = None,
        measure: str = "DiSCO",
        as_text: bool = False,
    ) -> Any:
        """The original records that a measure counts: confidential, never part of a view.

        Parameters
        ----------
        target
            The target they are at risk of disclosing.
        copy
            1 to m, or "pooled"; by default the only copy, or all of them pooled.
        measure
            Dorig, iS, DiS, DiSCO, DiSDiO or repU: whose records to list.
        as_text
            Every level as text, as exclusions name it, instead of its value.

        Returns
        -------
        polars.DataFrame
            One row per record that exclusions leave: its row in the original (from 0), its keys and
            target, what the synthetic data say, the counts of its cell (d_tq, s_tq) and of its key
            combination (d_q, s_q), the measures it belongs to, and why. Where an engine keeps the
            rows, a frame of that engine, not yet computed: keys, target, what the synthetic data
            say, and the counts.
        """
        return records_at_risk(
            self._exclusions, target, copy=copy, measure=measure, as_text=as_text
        )

    @property
    def mean(self) -> CopyFigures:
        """The mean over the copies (of one copy: that copy)."""
        return self.find_copy(self.record.headline_copy)

    @property
    def pooled(self) -> CopyFigures:
        """All copies as one file; who has them all learns more otherwise: see `unveil.claims`."""
        return self.find_copy("pooled" if len(self.record.n_synthetic) > 1 else 1)

    def find_copy(self, copy: Copy) -> CopyFigures:
        """The figures of one copy."""
        rows = tuple(row for row in self.record.attribute if row.copy == copy)
        return CopyFigures(self.record.identity_of(copy), rows)

    def summary(self) -> Summary:
        """One page: people at risk, correctly and wrongly, flags to decide on, what is not tested.

        Without limits there is no verdict; `unveil.assess` holds the same figures against limits.
        """
        return summarise_disclosure(self.record, sensitive=self.sensitive)

    @property
    def sensitive(self) -> Mapping[str, Collection[str]]:
        """The values that were declared sensitive, by target."""
        return self._measured.sensitive

    def frame(self) -> pl.DataFrame:
        """One row per target and copy, the copy's identity figures beside; unrounded."""
        left_out = pl.lit("; ".join(self.record.exclude)).alias("exclude")
        identity = rows_frame(self.record.identity)
        if not self.record.attribute:
            return identity.with_columns(left_out)
        attribute = rows_frame(self.record.attribute)
        both = attribute.join(identity, on="copy", how="left", maintain_order="left")
        return both.with_columns(left_out)
