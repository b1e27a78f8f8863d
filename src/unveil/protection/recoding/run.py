"""A recipe on its way through its steps: each done to what the one before left."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import polars as pl

from unveil.count.streams import stream
from unveil.errors import InputError, RolesError, SettingsError
from unveil.protection.recoding.apart import apart_of, declared_by_any
from unveil.protection.recoding.bands import banded
from unveil.protection.recoding.categories import merged, rare_merged
from unveil.protection.recoding.change import Change, Column, n_changed
from unveil.protection.recoding.dates import coarsened
from unveil.protection.recoding.effects import key_figures
from unveil.protection.recoding.numbers import cut_off, rounded
from unveil.protection.recoding.outliers import outliers_dropped, outliers_moved
from unveil.protection.recoding.steps import Fault, heading
from unveil.read.roles import absent
from unveil.read.table import Table
from unveil.records.codebook import Variable
from unveil.records.disclosure import Coercion
from unveil.records.recoding import KeyFigures, Step, StepDone, do_of


class Run:
    """A recipe on its way through its steps: the tables as they are by now, and all faults."""

    def __init__(self, tables: Sequence[Table], keys: Sequence[str], seed: int) -> None:
        self.tables = list(tables)
        self.faults: list[Fault] = []
        self.fixed: list[Step] = []  # what was done, with the numbers found in its place
        self.notes: dict[Coercion, None] = {}  # of how keys were compared with those of the copy
        self._keys = keys
        self._seed = seed
        self._known = tables[0].frame.columns
        self._dropped: dict[str, int] = {}
        self._spoilt: set[str] = set()  # columns of which an earlier step could not be done
        self._figures: KeyFigures | None = None
        self._is_counted = False

    def applied(self, number: int, step: Step) -> StepDone | None:
        """One step done; None where it cannot be, which is added to the faults."""
        if step.column in self._spoilt:
            return None
        try:
            change = self._change(number, step)
            before = self.counted()
            n = self._carried_out(step.column, change)
        except InputError as fault:
            self._spoilt.add(step.column)
            sentence = f"{heading(number, do_of(step))}: {fault}"
            self.faults.append(Fault(number, type(fault)(sentence)))
            return None
        self.fixed += (step,) if change.fixed is None else change.fixed
        if change.is_dropped:
            self._dropped[step.column] = number
        if change.kept is not None or step.column in self._keys:
            self._is_counted = False
        return StepDone(
            number=number,
            do=do_of(step),
            column=step.column,
            step=step,
            n_changed=n,
            sentence=change.told(n),
            before=before,
            after=self.counted(),
        )

    def counted(self) -> KeyFigures | None:
        """How well people can be told apart now; counted again only where that has changed."""
        if not self._is_counted:
            self._figures, notes = key_figures(self.tables, self._keys)
            self.notes |= dict.fromkeys(notes)
            self._is_counted = True
        return self._figures

    def _change(self, number: int, step: Step) -> Change:
        table = self.tables[0]
        if step.column in self._dropped:
            raise RolesError(
                f"column {step.column!r} was dropped by step {self._dropped[step.column]}. Take"
                " the step out, or put it before that one."
            )
        if step.column not in table.frame.columns:
            raise RolesError(_in_sentence(table, step.column, self._known))
        if do_of(step) == "drop":
            if table.frame.width == 1:
                raise SettingsError("no column would be left. Take the step out.")
            return Change(lambda _: f"Column {step.column!r} was dropped.", is_dropped=True)
        return _DOES[do_of(step)](step, self._column(number, step.column))

    def _column(self, number: int, name: str) -> Column:
        # They leave their name behind, for polars takes some names for patterns of names.
        having = [table for table in self.tables if name in table.frame.columns]
        declared = declared_by_any([table.variables.get(name) for table in having])
        return Column(
            name,
            tuple(table.frame[name].alias("") for table in having),
            declared,
            apart_of(declared),
            lambda side: stream(self._seed, "recode", number, name, side),
        )

    def _carried_out(self, name: str, change: Change) -> int:
        """The change made in every table; how many records of the data it concerns."""
        height, old = self.tables[0].frame.height, self.tables[0].frame[name]
        having = [i for i, table in enumerate(self.tables) if name in table.frame.columns]
        made = list(self.tables)
        for place, i in enumerate(having):
            made[i] = _changed(self.tables[i], name, change, place)
            if made[i].frame.is_empty():
                of = " of the copy" if i else ""
                raise SettingsError(f"no record{of} would be left. Take the step out.")
        self.tables = made
        if change.is_dropped:
            return height
        new = made[0].frame
        return height - new.height if change.kept is not None else n_changed(old, new[name])


def _changed(table: Table, name: str, change: Change, place: int) -> Table:
    frame = table.frame
    if change.kept is not None:
        return replace(table, frame=frame.filter(change.kept[place]))
    columns = {column.name: column for column in frame.get_columns()}
    if change.is_dropped:
        del columns[name]
        return _declared(table, pl.DataFrame(columns), name, None)
    if change.sides is None:
        return table
    columns[name] = change.sides[place]
    return _declared(table, pl.DataFrame(columns), name, change.declared)


def _declared(
    table: Table, frame: pl.DataFrame, name: str, now: Callable[[Variable], Variable] | None
) -> Table:
    """The table with another frame, and with what is declared of one column now."""
    book = table.codebook
    if book is None:
        return replace(table, frame=frame)
    known = [now(one) if now and one.name == name else one for one in book.variables]
    kept = tuple(one for one in known if now or one.name != name)
    return replace(table, frame=frame, codebook=msgspec.structs.replace(book, variables=kept))


_DOES: dict[str, Callable[[Any, Column], Change]] = {
    "band": banded,
    "top_code": cut_off,
    "bottom_code": cut_off,
    "merge_rare": rare_merged,
    "merge": merged,
    "round": rounded,
    "coarsen_date": coarsened,
    "drop_outliers": outliers_dropped,
    "perturb_outliers": outliers_moved,
}


def _in_sentence(table: Table, name: str, columns: Sequence[str]) -> str:
    said = absent(table.place, name, columns)
    return said[0].lower() + said[1:]
