"""Who is at risk, and why? The original records behind a figure, for the custodian's eyes only.

Nothing else in unveil shows a record; this is asked for by name, and no view contains it.
"""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.count.codes import Column
from unveil.count.exclusions import Exclusions
from unveil.count.levels import all_as_read
from unveil.count.packing import Whole
from unveil.count.profile import Mask, Profile
from unveil.count.scenario import Scenario
from unveil.errors import RolesError, SettingsError, listed, nearest
from unveil.measure.attribute import disco
from unveil.measure.identity import uniques
from unveil.read.tags import TAG_OF
from unveil.records.copies import Copy

COUNTED = {"repU": uniques.COUNTED["repU"], **disco.COUNTED}


def records_at_risk(
    exclusions: Exclusions,
    target: str,
    *,
    copy: Copy | None = None,
    measure: str = "DiSCO",
    as_text: bool = False,
) -> pl.DataFrame:
    """One row per original record that the measure counts and no exclusion takes out."""
    scenario = exclusions.scenario
    place = _target_place(scenario, target)
    name, copies = _copies(scenario, copy)
    if not isinstance(measure, str) or measure not in COUNTED:
        raise SettingsError(
            f"No records can be listed for {measure!r}.{nearest(str(measure), list(COUNTED))} They"
            f" can be listed for: {listed(COUNTED)}."
        )
    looks = scenario.looks(place, copies)
    gone = exclusions.gone(place, copies)
    gone_here = exclusions.gone_keys(place) if measure in uniques.COUNTED else gone
    at_risk = looks.on_cells(COUNTED[measure](looks.profile)) & ~gone_here
    cell_of_row = scenario.cells_of_originals(place)
    rows = np.flatnonzero(at_risk[cell_of_row])
    found = _Listed(rows, cell_of_row[rows], gone, as_text)
    return _frame(scenario, place, (name, copies), found)


@dataclass(frozen=True)
class _Listed:
    """The records to list: their rows, their cells, and which cells no attribute measure counts."""

    rows: Whole
    cells: Whole
    gone: Mask
    as_text: bool

    def values(self, column: Column) -> pl.Series:
        """The levels of a column to read from, typed or as text."""
        if self.as_text or any(code in TAG_OF for code in column.special_codes):
            return pl.Series(all_as_read(column), dtype=pl.String)
        return column.levels


def _target_place(scenario: Scenario, target: str) -> int:
    if target not in scenario.target_names:
        raise RolesError(
            f"{target!r} is not among the targets.{nearest(str(target), scenario.target_names)} The"
            f" targets are: {listed(scenario.target_names)}."
        )
    return scenario.target_names.index(target)


def _copies(scenario: Scenario, copy: Copy | None) -> tuple[Copy, list[int]]:
    everyone = list(scenario.all_copies)
    if copy == "pooled" or (copy is None and len(everyone) > 1):
        return "pooled", everyone
    if copy is None:
        return 1, [1]
    if copy not in everyone or isinstance(copy, bool):
        raise SettingsError(
            f"There is no copy {copy!r} to list records of. There are: {listed(map(str, everyone))}"
            " and pooled."
        )
    return copy, [int(copy)]


def _frame(
    scenario: Scenario, place: int, seen: tuple[Copy, list[int]], listed: _Listed
) -> pl.DataFrame:
    copy, copies = seen
    looks = scenario.looks(place, copies)
    p, look = looks.profile, looks.of_cell[listed.cells]
    # Words are made once for each look, and for those of its cells that are excluded once more.
    is_gone = listed.gone[listed.cells]
    alike, word = np.unique(look.astype(np.int64) * 2 + is_gone, return_inverse=True)
    used, left = alike // 2, alike % 2 == 0
    told = {
        symbol: counted(p)[used] & (left | (symbol in uniques.COUNTED))
        for symbol, counted in COUNTED.items()
    }
    own = {
        "row": pl.Series(listed.rows, dtype=pl.Int64),
        "copy": pl.Series([str(copy)]).new_from_index(0, len(listed.rows)),
        "copy_says": _said(scenario, place, copies, listed),
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


def _said(scenario: Scenario, place: int, copies: list[int], listed: _Listed) -> pl.Series:
    """The one value that the copy shows for the keys of each record; null where it shows several.

    Null is also the missing level, where that is what the copy shows; `why` tells them apart.
    """
    looks, cells = scenario.looks(place, copies), scenario.cells[place]
    levels = listed.values(scenario.target_columns[place])
    settled = np.flatnonzero(looks.on_cells(looks.profile.ps_is_1))
    level_of_q = np.full(cells.n_q, len(levels), np.int64)
    level_of_q[cells.q_of(settled)] = cells.t[settled]
    shown = pl.Series(level_of_q[cells.q_of(listed.cells)])
    return levels.extend_constant(None, 1).gather(shown)


def _measures(told: dict[str, Mask]) -> list[str]:
    """The measures that records of each look belong to."""
    symbols = np.array(list(told))
    return [", ".join(symbols[list(belongs)]) for belongs in zip(*told.values(), strict=True)]


def _why(p: Profile, looks: Whole) -> list[str]:
    """In words, for each look."""
    letters = (p.d_tq, p.d_q, p.s_q, p.T_s, p.ps_is_1)
    return [
        _sentence(*of_look) for of_look in zip(*(x[looks].tolist() for x in letters), strict=True)
    ]


def _sentence(d_tq: int, d_q: int, s_q: int, T_s: int, is_right: bool) -> str:
    alone = "Alone with these keys" if d_q == 1 else f"One of {d_q:,} people with these keys"
    same = "" if d_q == 1 else f", {d_tq:,} of them with this value"
    if d_q == d_tq > 1:
        same = ", all with this value"
    if s_q == 0:
        copy = "the copy has nobody with them"
    elif T_s > 1:
        copy = f"the copy has {s_q:,} with them, with {T_s:,} different values"
    else:
        value = "the same value: right" if is_right else "one other value: wrong"
        copy = f"the copy has {s_q:,} with them, {'all ' if s_q > 1 else ''}with {value}"
    return f"{alone} in the original{same}; {copy}."
