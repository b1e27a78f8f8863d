"""`unveil.suggest_coding`: which codings a custodian might consider, each with its reason."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from unveil.count.scenario import silent
from unveil.count.streams import stream
from unveil.errors import RolesError
from unveil.measure.opening import read_all
from unveil.measure.tabular import RowsResult
from unveil.protection.recoding.apart import apart_of
from unveil.protection.recoding.change import Column
from unveil.protection.recoding.proposals import bandings, proposals
from unveil.protection.recoding.recode import refuse_absent_keys
from unveil.protection.recoding.run import Run
from unveil.read.banding import parse_bands
from unveil.read.roles import absent, names
from unveil.read.table import Table
from unveil.records.recoding import CoarsenDate, Drop, Proposal, Step, Suggestions, do_of
from unveil.synthesis.lettered import with_letters

FEW_LEFT = 0.1  # share of those alone that bands of a key should leave


class SuggestResult(RowsResult[Suggestions]):
    """Proposals, none of them applied; printing it shows no record of the data."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The proposed steps, ready for `unveil.recode`: all of them, for a human to choose."""
        return tuple(row.step for row in self.record.rows)

    def frame(self) -> pl.DataFrame:
        """One row a proposal."""
        kept = ("column", "do", "reason", "n_uniques", "n_uniques_left")
        rows = [{name: getattr(row, name) for name in kept} for row in self.record.rows]
        schema = {**dict.fromkeys(kept[:3], pl.String), **dict.fromkeys(kept[3:], pl.Int64)}
        return pl.DataFrame(rows, schema=schema)


def suggest_coding(
    data: Any,
    *,
    keys: str | Iterable[str] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
) -> SuggestResult:
    """Propose steps for `unveil.recode`, each with a reason; nothing is changed.

    Identifiers are to be dropped, long tails cut off, rare categories merged, exact dates
    coarsened, fine numbers rounded and outliers moved. With keys, a proposal for a key says how
    many people would still stand alone if it were the only step. The thresholds stand in
    docs/recoding.md.
    """
    (table,) = read_all({"data": data}, None, missing_values, None, silent)
    table = with_letters(table)
    key_names = () if keys is None else names(keys, "Keys")
    refuse_absent_keys(key_names, [table])
    codes = parse_bands(None, special_codes).special_codes
    known = table.frame.columns
    faults = [absent(table.place, name, known) for name in codes if name not in known]
    if faults:
        raise RolesError("\n".join(faults))
    rows = [
        row for name in known for row in _of_column(table, name, key_names, codes.get(name, ()))
    ]
    before, after = _together(table, key_names, [row.step for row in rows])
    record = Suggestions(
        files=(table.source,),
        keys=key_names,
        n_records=table.frame.height,
        rows=tuple(rows),
        n_uniques=before,
        n_uniques_left=after,
        coercions=table.notes,
    )
    return SuggestResult(record)


def _of_column(
    table: Table, name: str, keys: Sequence[str], codes: Sequence[float]
) -> list[Proposal]:
    """What is proposed for one column: bands where a key needs them, or what else might help."""
    column = _column(table, name, codes)
    if name in keys and (cut := _banded(table, column, keys, codes)) is not None:
        return [cut]
    found = ((_with_codes(step, codes), reason) for step, reason in proposals(column))
    made = [_proposal(table, keys, step, reason) for step, reason in found]
    return [one for one in made if one is not None]


def _banded(
    table: Table, column: Column, keys: Sequence[str], codes: Sequence[float]
) -> Proposal | None:
    """Bands for a key of numbers: the most of them that leave a tenth alone, or else the fewest."""
    best = None
    for step in bandings(column):
        made = _proposal(table, keys, _with_codes(step, codes), "")
        if made is None or not made.n_uniques or made.n_uniques_left is None:
            continue
        best = made
        if made.n_uniques_left <= FEW_LEFT * made.n_uniques:
            break
    if best is None or (best.n_uniques_left or 0) >= (best.n_uniques or 0):
        return None
    reason = (
        f"An exact number sets people apart: {best.n_uniques:,} are alone with the keys, and"
        f" {best.n_uniques_left:,} would be with these bands."
    )
    return msgspec.structs.replace(best, reason=reason)


def _together(
    table: Table, keys: Sequence[str], steps: Sequence[Step]
) -> tuple[int | None, int | None]:
    """How many are alone with the keys, and how many would be after all that is proposed."""
    if not keys:
        return None, None
    run = Run([table], keys, seed=0)
    before = run.counted()
    for number, step in enumerate(steps, start=1):
        run.applied(number, step)
    after = run.counted()
    return (
        None if before is None else before.n_uniques,
        None if after is None else after.n_uniques,
    )


def _column(table: Table, name: str, codes: Sequence[float]) -> Column:
    side = table.frame[name].alias("")
    if side.dtype.is_float():
        side = side.fill_nan(None)
    variable = table.variables.get(name)
    return Column(name, (side,), variable, apart_of(variable).also(codes), lambda _: stream(0))


def _with_codes(step: Step, codes: Sequence[float]) -> Step:
    """The step with the special codes that the user named; declared ones it finds by itself."""
    if not codes or isinstance(step, Drop | CoarsenDate):
        return step
    given = tuple(int(code) if code.is_integer() else code for code in codes)
    return msgspec.structs.replace(step, special_codes=given)


def _proposal(table: Table, keys: Sequence[str], step: Step, reason: str) -> Proposal | None:
    """The proposal with its effect on the keys; None where the step cannot be done."""
    known = keys if step.column in keys else ()
    done = Run([table], known, seed=0).applied(1, step)
    if done is None and not isinstance(step, Drop):  # an only column is still an identifier
        return None
    before, after = (None, None) if done is None else (done.before, done.after)
    return Proposal(
        column=step.column,
        do=do_of(step),
        reason=reason,
        step=step,
        n_uniques=None if before is None else before.n_uniques,
        n_uniques_left=None if after is None else after.n_uniques,
    )
