"""What do columns tell that only the synthetic data have?

They repeat or recode a column of the original, are computed from some of its columns, tell people's
dates or amounts together, or are like none. Further decimals and times of day of a column that the
original has without them are such columns, too: they have room for the numbers of people.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from itertools import islice

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.assessment.alerts import format_names
from unveil.io.table import Table
from unveil.measure.gate.columns import ORIGINAL, LinkColumn, link_column, pair_column
from unveil.measure.gate.copied_columns import as_precise, is_running
from unveil.measure.gate.disguises import (
    FEW_LEVELS,
    FEWEST,
    NEARLY_ALL,
    SHARED,
    common_start,
    describe_recoding,
    find_disguise,
    share_among,
)
from unveil.measure.gate.split_columns import (
    MOST_NUMBERS,
    find_of_people,
    find_split_columns,
    recodes,
)
from unveil.measure.gate.values import round_digits
from unveil.measure.roles.suggest import find_identifiers
from unveil.measure.roles.vocabulary import tokens
from unveil.measure.structure.relations import column_numbers, find_relations
from unveil.records.alerts import ColumnReason, CopiedColumn
from unveil.records.base import Copy
from unveil.study.study import OpenFiles

_LONGEST_CODE = 64
"""Letters and digits of the longest code: a hash of 256 bits."""
_MOST_DECIMALS = 12
_DUST = 1e-15  # of the largest number: what an addition leaves behind its last decimal
_FEW = 500  # records that are looked at first


def find_extra_columns(files: OpenFiles, copy: Copy) -> Iterator[CopiedColumn]:
    """Columns of a synthetic file that the original does not have, and what they look like."""
    original, synthetic = files
    for name, values in _finer_parts(original.frame, synthetic.frame):
        finer = replace(synthetic, frame=pl.DataFrame({name: values}), codebook=None, notes=())
        yield from islice(_likenesses(original, finer, name, copy), 1)
    theirs = [name for name in synthetic.frame.columns if name not in original.frame.columns]
    told = find_split_columns(original, synthetic, theirs, copy)
    yield from (one for name, one in told.items() if name not in theirs)
    recognised = find_identifiers(files.select(1), theirs, {}) if theirs else {}
    for name in theirs:
        found = next(_likenesses(original, synthetic, name, copy), told.get(name))
        found = _find_computed(original, synthetic, name, copy) if found is None else found
        if found is None:
            column = link_column(name, files.select(1))
            reason, detail = _name_extra(synthetic.frame, column, set(theirs), recognised)
            found = CopiedColumn(
                copy=copy,
                column=name,
                reason=reason,
                detail=detail,
                n_records=synthetic.frame.height,
                is_running=is_running(column, 0),
            )
        yield found


def _finer_parts(
    original: pl.DataFrame, synthetic: pl.DataFrame
) -> Iterator[tuple[str, pl.Series]]:
    """What columns tell more finely than the original does: decimals and times of day, in words."""
    for name in (one for one in synthetic.columns if one in original.columns):
        mine, theirs = original[name], synthetic[name]
        if theirs.dtype.is_float() and mine.dtype.is_numeric():
            digits = _n_decimals(mine)
            more = None if digits is None else _n_decimals(theirs)
            if digits is not None and more is not None and more > digits:
                last = (theirs.abs() * 10.0**more).round() % 10.0 ** (more - digits)
                yield f"{name} from decimal {digits + 1} on", last
        elif theirs.dtype == pl.Datetime and mine.dtype in (pl.Date, pl.Datetime):
            day, other = (one.cast(pl.Datetime("us")) for one in (mine, theirs))
            if (day == day.dt.truncate("1d")).all():
                time = (other - other.dt.truncate("1d")).dt.total_microseconds()
                unit = next(one for one in (1_000_000, 1_000, 1) if (time % one == 0).all())
                yield f"the time of day of {name}", time // unit


def _n_decimals(values: pl.Series) -> int | None:
    """How many decimals a column of numbers has; None where more than can be told."""
    if not values.dtype.is_float():
        return 0
    known = values.filter(values.is_finite())
    least, dust = 0, _DUST * float(known.abs().max() or 0.0)  # type: ignore[arg-type]
    for some in (known.gather_every(len(known) // _FEW + 1), known):
        tried = range(least, _MOST_DECIMALS + 1)
        found = next((n for n in tried if ((some.round(n) - some).abs() <= dust).all()), None)
        if found is None:
            return None
        least = found
    return least


def _find_computed(original: Table, synthetic: Table, name: str, copy: Copy) -> CopiedColumn | None:
    """Whether a new column of numbers is computed from people's numbers: a ratio, a whole part."""
    if not synthetic.frame[name].dtype.is_numeric():
        return None
    theirs = column_numbers(synthetic.frame[name].drop_nulls())
    if len(np.unique(theirs)) < FEWEST:
        return None
    for words, like, made in _computed_numbers(original.frame):
        values = as_precise(pl.Series(made), synthetic.frame[name])
        known = np.unique(round_digits(column_numbers(values.drop_nulls())))
        if len(known) < FEWEST or share_among(theirs, known) < SHARED:
            continue
        row = find_of_people((original, synthetic), values, synthetic.frame[name], copy)
        if row is not None:
            detail = f"its values are {words}, as people of the original have them"
            return recodes(row, name, like, detail, len(theirs))
    return None


def _computed_numbers(frame: pl.DataFrame) -> Iterator[tuple[str, str, Floats]]:
    """What is often computed from one or two columns of numbers, in words."""
    names = [one for one in frame.columns if frame[one].dtype.is_numeric()][:MOST_NUMBERS]
    numbers = {one: column_numbers(frame[one]) for one in names}
    with np.errstate(all="ignore"):
        for one, x in numbers.items():
            yield f"the whole part of {one}", one, np.floor(x)
            for other, y in numbers.items():
                if one != other:
                    yield f"{one} / {other}", one, x / y
                    yield f"{one} / {other}\u00b2", one, x / y**2
                if one < other:
                    yield f"{one} \u00d7 {other}", one, x * y


def _name_extra(
    frame: pl.DataFrame, column: LinkColumn, theirs: Set[str], recognised: Mapping[str, str]
) -> tuple[ColumnReason, str]:
    """What a column is that is like none of the original, and why it is thought so."""
    name = column.name
    if name in recognised:
        is_plain = column.is_number or _are_codes(frame[name])
        return "identifier" if is_plain else "new text", recognised[name]
    if frame[name].n_unique() < 2:
        return "nothing new", "it has one value"
    shared = [one for one in frame.columns if one not in theirs]
    for one in find_relations(frame, name, shared):
        return "nothing new", f"it is computed from {format_names(one.sources)}"
    # Text can say anything of anybody; a number that is like none of the original's says little.
    said = "no column of the original can be compared with it"
    return "unknown" if column.is_number else "new text", said


def _are_codes(texts: pl.Series) -> bool:
    """Whether texts are record numbers: one word each, all of one length or numbered.

    Others have room for what a person said, all values of a record included.
    """
    bare = texts.cast(pl.String).drop_nulls()
    numbered = bare.str.slice(common_start(bare))
    is_short = (bare.str.len_chars().n_unique() == 1) | numbered.str.contains(r"^\d{1,12}$").all()
    return bool(is_short and bare.str.contains(rf"^[\p{{L}}\p{{N}}_-]{{1,{_LONGEST_CODE}}}$").all())


def _likenesses(original: Table, synthetic: Table, name: str, copy: Copy) -> Iterator[CopiedColumn]:
    """Columns of the original that this one repeats, then those that it recodes, best first."""
    repeats, recodes = [], []
    for like in sorted(original.frame.columns, key=lambda one: not _is_named_after(name, one)):
        column = pair_column((original, synthetic), (original.frame[like], synthetic.frame[name]))
        n_real, n_records = _real_records(column)
        found = CopiedColumn(
            copy=copy,
            column=name,
            reason="repeats",
            like=like,
            detail=f"its values are those of {like}",
            n_real=n_real,
            n_records=n_records,
        )
        if _repeats(column, n_real / max(n_records, 1), is_named=_is_named_after(name, like)):
            repeats.append(found)
        elif (way := describe_recoding(column)) is not None:
            recodes.append(_add_reason(found, way, like))
        elif (disguise := find_disguise(column, 1)) is not None:
            recodes.append(_add_reason(found, disguise.words, like))
    yield from sorted(repeats, key=lambda one: -one.n_real)
    yield from recodes


def _add_reason(found: CopiedColumn, way: str, like: str) -> CopiedColumn:
    return msgspec.structs.replace(
        found, reason="recodes", detail=f"its values are those of {like} {way}"
    )


def _is_named_after(name: str, like: str) -> bool:
    mine, theirs = tokens(name), tokens(like)
    return bool(theirs) and set(theirs) <= set(mine)


def _real_records(column: LinkColumn) -> tuple[int, int]:
    is_value = column.is_value
    both = column.counts[1][is_value & (column.counts[ORIGINAL] > 0)]
    return int(both.sum()), int(column.counts[1][is_value].sum())


def _repeats(column: LinkColumn, shared: float, *, is_named: bool) -> bool:
    """Whether the values of one column are those of the other, and not by their nature."""
    is_value = column.is_value
    mine, theirs = (int((column.counts[side][is_value] > 0).sum()) for side in (0, 1))
    if mine < 2 or theirs < 2 or shared < SHARED:
        return False
    if is_named and shared >= NEARLY_ALL:
        return True
    if column.is_number:
        return mine > FEW_LEVELS and theirs > FEW_LEVELS and _distance(column) < 0.1
    return shared >= NEARLY_ALL and (mine > FEW_LEVELS or theirs >= min(mine, 3))


def _distance(column: LinkColumn) -> float:
    """Kolmogorov's distance of two columns of numbers."""
    ordered = np.argsort(column.order)
    shares = [np.cumsum(counts[ordered]) / max(counts.sum(), 1) for counts in column.counts[:2]]
    return float(np.abs(shares[0] - shares[1]).max(initial=0.0))
