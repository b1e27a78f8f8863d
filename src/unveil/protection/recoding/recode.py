"""`unveil.recode`: manual disclosure control by a recipe, and what each of its steps changed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import absent_sentence
from unveil.count.cells import count_keys
from unveil.count.codes import CodedColumn, encode
from unveil.count.overlap import check_disjoint, doubtful_levels
from unveil.errors import InputError, RolesError, SettingsError
from unveil.io.table import Labelled, Table
from unveil.measure.result import RowsResult
from unveil.protection.recoding.categories import merge_levels, merge_rare
from unveil.protection.recoding.column import (
    Change,
    RecodedColumn,
    declared_codes,
    find_declaration,
    n_changed,
)
from unveil.protection.recoding.numbers import (
    apply_bands,
    apply_limit,
    coarsen_dates,
    round_numbers,
)
from unveil.protection.recoding.outliers import drop_outliers, perturb_outliers
from unveil.protection.recoding.steps import StepError, check_all, read_steps, step_heading
from unveil.records.codebook import Variable
from unveil.records.disclosure import Coercion
from unveil.records.recoding import KeyFigures, Recoding, Step, StepDone, step_word
from unveil.records.uniques import Anonymity
from unveil.seeding import choose_seed, stream
from unveil.study.align import with_one_missing
from unveil.study.roles import names
from unveil.study.study import OpenFiles, Study, open_files
from unveil.study.take_study import takes_study
from unveil.synthesis.split_columns import read_lettered_numbers

# How well can people be told apart by their keys, before a step and after it?


ANONYMITY = (2, 3, 5)


def check_apart(files: OpenFiles, keys: Sequence[str]) -> None:
    """Refuse keys that have no level in common with those of the copy."""
    if keys and len(files) > 1:
        check_disjoint(files.encode(keys).columns, files)


def key_figures(
    tables: OpenFiles, keys: Sequence[str], recoded: Mapping[str, CodedColumn]
) -> tuple[KeyFigures | None, tuple[Coercion, ...]]:
    """Uniques, k-anonymity and, with a copy, repU by the keys that are left; None without any.

    Beside them stands what should be known of how the keys were compared with those of the copy.
    Those `recoded` by their levels are not aligned again.

    Notes
    -----
    A record breaks k-anonymity when fewer than k records have its keys, itself among them; missing
    is a level, so that those who break 2-anonymity are the uniques (Raab 2024, equation 2).
    repU = 100 sum(d_q | d_q = 1 and s_q = 1) / N_d (equation 5).
    """
    there = [key for key in keys if all(key in table.frame.columns for table in tables)]
    if not there:
        return None, ()
    encoded = tables.encode([key for key in there if key not in recoded])
    known = {column.name: column for column in encoded.columns} | dict(recoded)
    columns = tuple(known[key] for key in there)
    notes = (*encoded.coercions, *doubtful_levels(columns, tables))
    counts = count_keys(columns, columns[0].sides).counts
    d_q = counts[0].astype(np.int64)
    n = int(d_q.sum())
    n_replicated = int(((d_q == 1) & (counts[1] == 1)).sum()) if len(counts) > 1 else None
    below = [int(d_q[d_q < k].sum()) for k in ANONYMITY]
    figures = KeyFigures(
        keys=tuple(there),
        n_records=n,
        n_q=int((d_q > 0).sum()),
        n_uniques=below[0],
        UiO=100 * below[0] / n,
        anonymity=tuple(
            Anonymity(k=k, n=broken, share=broken / n)
            for k, broken in zip(ANONYMITY, below, strict=True)
        ),
        n_replicated=n_replicated,
        repU=None if n_replicated is None else 100 * n_replicated / n,
    )
    return figures, notes


def recode_levels(column: CodedColumn, values: pl.Series) -> CodedColumn | None:
    """The column of one file with other values; None where one level has become several."""
    rows = np.empty(column.n_levels, np.int64)
    rows[column.codes] = np.arange(len(column.codes))
    values = with_one_missing(values)
    examples = values.gather(rows)
    if not examples.gather(column.codes).eq_missing(values).all():
        return None
    made = encode(column.name, [examples])
    return column.replace_levels(made.codes.astype(np.int64), made.levels)


# A recipe on its way through its steps: each done to what the one before left.


class RecipeRun:
    """A recipe on its way through its steps: the tables as they are by now, and all faults."""

    def __init__(self, study: Study, keys: Sequence[str], seed: int) -> None:
        self.study = study
        self.faults: list[StepError] = []
        self.fixed: list[Step] = []  # what was done, with the numbers found in its place
        self.notes: dict[Coercion, None] = {}  # of how keys were compared with those of the copy
        self._keys = keys
        self._seed = seed
        self._known = study.tables[0].frame.columns
        self._dropped: dict[str, int] = {}
        self._spoilt: set[str] = set()  # columns of which an earlier step could not be done
        self._recoded: dict[str, CodedColumn] = {}  # keys of one file, by the levels they had
        self._figures: KeyFigures | None = None
        self._is_counted = False

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables as they are by now."""
        return self.study.tables

    def apply_step(self, number: int, step: Step) -> StepDone | None:
        """One step done; None where it cannot be, which is added to the faults."""
        if step.column in self._spoilt:
            return None
        try:
            change = self._change(number, step)
            before = self.count_keys()
            n = self._carry_out(step.column, change)
        except InputError as fault:
            self._spoilt.add(step.column)
            sentence = f"{step_heading(number, step_word(step))}: {fault}"
            self.faults.append(StepError(number, type(fault)(sentence)))
            return None
        self.fixed += (step,) if change.fixed is None else change.fixed
        if change.is_dropped:
            self._dropped[step.column] = number
        if change.kept is not None or step.column in self._keys:
            self._is_counted = False
        return StepDone(
            number=number,
            do=step_word(step),
            column=step.column,
            step=step,
            n_changed=n,
            sentence=change.told(n),
            before=before,
            after=self.count_keys(),
        )

    def count_keys(self) -> KeyFigures | None:
        """How well people can be told apart now; counted again only where that has changed."""
        if not self._is_counted:
            self._figures, notes = key_figures(self.study.files, self._keys, self._recoded)
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
        if step_word(step) == "drop":
            if table.frame.width == 1:
                raise SettingsError("no column would be left. Take the step out.")
            return Change(lambda _: f"Column {step.column!r} was dropped.", is_dropped=True)
        return _DOES[step_word(step)](step, self._column(number, step.column))

    def _column(self, number: int, name: str) -> RecodedColumn:
        # They leave their name behind, for polars takes some names for patterns of names.
        having = [table for table in self.tables if name in table.frame.columns]
        declared = find_declaration([table.variables.get(name) for table in having])
        return RecodedColumn(
            name,
            tuple(table.frame[name].alias("") for table in having),
            declared,
            declared_codes(declared),
            lambda side: stream(self._seed, "recode", number, name, side),
        )

    def _carry_out(self, name: str, change: Change) -> int:
        """The change made in every table; how many records of the data it concerns."""
        height, old = self.tables[0].frame.height, self.tables[0].frame[name]
        having = [i for i, table in enumerate(self.tables) if name in table.frame.columns]
        made = list(self.tables)
        for place, i in enumerate(having):
            made[i] = _apply_change(self.tables[i], name, change, place)
            if made[i].frame.is_empty():
                of = " of the synthetic data" if i else ""
                raise SettingsError(f"no record{of} would be left. Take the step out.")
        self._recode_key(name, change)
        has_rows = change.kept is None
        self.study = self.study.with_tables(dict(enumerate(made)), (name,) if has_rows else None)
        if change.is_dropped:
            return height
        new = made[0].frame
        return height - new.height if change.kept is not None else n_changed(old, new[name])

    def _recode_key(self, name: str, change: Change) -> None:
        """Keep the codes of a key of one file where the step changed it level by level."""
        old = self._recoded.pop(name, None)
        if change.kept is not None:
            self._recoded.clear()
        elif change.sides is not None and name in self._keys and len(self.tables) == 1:
            made = recode_levels(old or self.study.files.column(name), change.sides[0])
            if made is not None:
                self._recoded[name] = made


def _apply_change(table: Table, name: str, change: Change, place: int) -> Table:
    frame = table.frame
    if change.kept is not None:
        return replace(table, frame=frame.filter(change.kept[place]))
    columns = {column.name: column for column in frame.get_columns()}
    if change.is_dropped:
        del columns[name]
        return _declare_column(table, pl.DataFrame(columns), name, None)
    if change.sides is None:
        return table
    columns[name] = change.sides[place]
    return _declare_column(table, pl.DataFrame(columns), name, change.declared)


def _declare_column(
    table: Table, frame: pl.DataFrame, name: str, now: Callable[[Variable], Variable] | None
) -> Table:
    """The table with another frame, and with what is declared of one column now."""
    book = table.codebook
    if book is None:
        return replace(table, frame=frame)
    known = [now(one) if now and one.name == name else one for one in book.variables]
    kept = tuple(one for one in known if now or one.name != name)
    return replace(table, frame=frame, codebook=msgspec.structs.replace(book, variables=kept))


_DOES: dict[str, Callable[[Any, RecodedColumn], Change]] = {
    "band": apply_bands,
    "top_code": apply_limit,
    "bottom_code": apply_limit,
    "merge_rare": merge_rare,
    "merge": merge_levels,
    "round": round_numbers,
    "coarsen_date": coarsen_dates,
    "drop_outliers": drop_outliers,
    "perturb_outliers": perturb_outliers,
}


def _in_sentence(table: Table, name: str, columns: Sequence[str]) -> str:
    said = absent_sentence(table.place, name, columns)
    return said[0].lower() + said[1:]


Data = pl.DataFrame | Labelled


@dataclass(frozen=True, repr=False, eq=False)
class RecodeResult(RowsResult[Recoding]):
    """The recoded data, and what was done to it; printing it shows no record of the data."""

    study: Study  # the data as they are now, and what is known of columns that no step changed
    found: tuple[Step, ...] = ()  # confidential: limits and levels of the data stand in them

    @property
    def data(self) -> Data:
        """The recoded data."""
        return restore_form(self.study.tables[0])

    @property
    def copy(self) -> Data | None:
        """The synthetic data, recoded in the same way; None where none were given."""
        return restore_form(self.study.tables[1]) if len(self.study.tables) > 1 else None

    def fixed_steps(self) -> tuple[Step, ...]:
        """The recipe with the limits, bands and rare levels that were found, for the next extract.

        Confidential: a limit may be one person's number. Outliers are found anew every time.
        """
        return self.found


@takes_study
def recode(
    data: Any,
    steps: Any,
    *,
    keys: str | Iterable[str] | None = None,
    copy: Any = None,
    seed: int | None = None,
    missing_values: str | Sequence[str] = (),
) -> RecodeResult:
    """Apply a recipe to a data set: drop, band, cut off, merge, round, coarsen, handle outliers.

    Parameters
    ----------
    data
        A path, a frame or `Labelled`; it is not changed.
    steps
        Mappings such as ``{"do": "top_code", "column": "age", "at": 80}``, or the steps of
        `parse_steps`; applied in turn, each to what the one before left.
    keys
        What an intruder would know: every step then says how many people are unique on them,
        and break k-anonymity for k = 2, 3 and 5, before and after it.
    copy
        Synthetic data: the same steps are applied to it, with limits found in the data (bands
        are found over both), and repU is reported.
    seed
        Of perturbed outliers; drawn by the system where none is given.

    Raises
    ------
    InputError
        With every error of the recipe together, each with the number of its step.
    """
    read, faults = read_steps(steps)
    key_names = () if keys is None else names(keys, "Keys")
    sides = {"data": data} if copy is None else {"data": data, "synthetic": copy}
    tables = [read_lettered_numbers(table) for table in open_files(sides, None, missing_values)]
    for table in tables:
        table.check_columns(key_names)
    run = RecipeRun(Study(tables), key_names, choose_seed(seed))
    check_apart(run.study.files, key_names)
    run.count_keys()  # keys that cannot be compared are no fault of a step
    done = [
        row for number, step in read.items() if (row := run.apply_step(number, step)) is not None
    ]
    check_all([*faults, *run.faults])
    record = Recoding(
        files=tuple(table.source for table in tables),
        keys=key_names,
        n_records=tables[0].frame.height,
        n_records_left=run.tables[0].frame.height,
        n_columns=tables[0].frame.width,
        n_columns_left=run.tables[0].frame.width,
        rows=tuple(done),
        is_seeded=seed is not None,
        coercions=tuple(
            dict.fromkeys((*(note for table in tables for note in table.notes), *run.notes))
        ),
    )
    return RecodeResult(record, run.study, tuple(run.fixed))


def restore_form(table: Table) -> Data:
    """The frame of a table, with its codebook where anything is declared about it."""
    return table.frame if table.codebook is None else Labelled(table.frame, table.codebook)
