"""`unveil.recode`: manual disclosure control by a recipe, and what each of its steps changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.count.scenario import silent
from unveil.count.streams import drawn_seed
from unveil.errors import RolesError
from unveil.measure.opening import read_all
from unveil.measure.tabular import RowsResult
from unveil.protection.recoding.effects import refuse_apart
from unveil.protection.recoding.run import Run
from unveil.protection.recoding.steps import read_steps, refuse_all
from unveil.read.labelled import Labelled
from unveil.read.roles import absent, names
from unveil.read.table import Table
from unveil.records.recoding import Recoding, Step, StepDone
from unveil.synthesis.lettered import with_letters

Data = pl.DataFrame | Labelled


@dataclass(frozen=True, repr=False, eq=False)
class RecodeResult(RowsResult[Recoding]):
    """The recoded data, and what was done to it; printing it shows no record of the data."""

    data: Data
    copy: Data | None = None
    found: tuple[Step, ...] = ()  # confidential: limits and levels of the data stand in them

    def fixed_steps(self) -> tuple[Step, ...]:
        """The recipe with the limits, bands and rare levels that were found, for the next extract.

        Confidential: a limit may be one person's number. Outliers are found anew every time.
        """
        return self.found

    def frame(self) -> pl.DataFrame:
        """One row a step: what it changed, and its effect on the keys."""
        return pl.DataFrame([_flat(row) for row in self.record.rows], infer_schema_length=None)


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
        `steps_from`; applied in turn, each to what the one before left.
    keys
        What an intruder would know: every step then says how many people stand alone with them,
        and break k-anonymity for k = 2, 3 and 5, before and after it.
    copy
        A copy of the data: the same steps are applied to it, with limits found in the data (bands
        are found over both), and repU is reported.
    seed
        Of perturbed outliers; drawn by the system where none is given.

    Raises
    ------
    InputError
        With every fault of the recipe together, each with the number of its step.
    """
    read, faults = read_steps(steps)
    key_names = () if keys is None else names(keys, "Keys")
    sides = {"data": data} if copy is None else {"data": data, "synthetic": copy}
    tables = [with_letters(table) for table in read_all(sides, None, missing_values, None, silent)]
    refuse_absent_keys(key_names, tables)
    run = Run(tables, key_names, drawn_seed(seed))
    refuse_apart(tables, key_names)
    run.counted()  # keys that cannot be compared are no fault of a step
    done = [row for number, step in read.items() if (row := run.applied(number, step)) is not None]
    refuse_all([*faults, *run.faults])
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
    made = [as_given(table) for table in run.tables]
    copied = made[1] if copy is not None else None
    return RecodeResult(record, made[0], copied, tuple(run.fixed))


def as_given(table: Table) -> Data:
    """The frame of a table, with its codebook where anything is declared about it."""
    return table.frame if table.codebook is None else Labelled(table.frame, table.codebook)


def refuse_absent_keys(keys: Sequence[str], tables: Sequence[Table]) -> None:
    """Refuse keys that one of the files has not."""
    faults = [
        absent(table.place, key, table.frame.columns)
        for key in keys
        for table in tables
        if key not in table.frame.columns
    ]
    if faults:
        raise RolesError("\n".join(faults))


def _flat(row: StepDone) -> dict[str, Any]:
    made: dict[str, Any] = {
        "number": row.number,
        "do": row.do,
        "column": row.column,
        "n_changed": row.n_changed,
        "sentence": row.sentence,
    }
    for when, figures in (("before", row.before), ("after", row.after)):
        made[f"uniques_{when}"] = None if figures is None else figures.n_uniques
        for place, k in enumerate((2, 3, 5)):
            made[f"below_{k}_{when}"] = None if figures is None else figures.anonymity[place].n
        made[f"repU_{when}"] = None if figures is None else figures.repU
    return made
