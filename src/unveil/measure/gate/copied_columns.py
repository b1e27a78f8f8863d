"""Which columns of the synthetic data must not be there, or is no one sure what they are?

Identifiers, by role and by what `unveil.suggest` recognises, with real values; numbers that one
person has; and columns that the original does not have but that repeat or recode one it has.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice, product
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints, Mask
from unveil.assessment.alerts import format_names
from unveil.count.packing import count_people
from unveil.io.table import Table
from unveil.measure.gate.columns import ORIGINAL, LinkColumn, link_column
from unveil.measure.gate.disguises import find_disguise, is_near
from unveil.measure.gate.links import expected_share
from unveil.measure.gate.values import fold_text, round_digits
from unveil.measure.roles.suggest import find_identifiers
from unveil.measure.roles.vocabulary import tokens
from unveil.measure.structure.relations import (
    codes_as_text,
    column_numbers,
    find_coarse,
    find_named_codes,
    find_relations,
)
from unveil.records.alerts import ColumnReason, CopiedColumn, SingleHolder
from unveil.records.base import Copy
from unveil.study.study import OpenFiles, Study

FEWEST = 20
FEW_LEVELS = 20
SHARED = 0.5
"""So many of a column's records hold values of another column that it repeats it."""
NEARLY_ALL = 0.9
_DENSE = 1.05
_FEWEST_STEPS = 6  # of a rounded column, or any would look like one
_SAME_SHARES = 0.05
_DIGITS = 8
_MOST_NUMBERS = 12  # columns of which ratios are tried
_DATES = (pl.Date, pl.Datetime)
_MOST_DATES = 60  # sets of columns that are tried as a date
_DATE_PARTS: dict[str, Callable[[Any], pl.Series]] = {
    "year": lambda dates: dates.year(),
    "year of its century": lambda dates: dates.year() % 100,
    "month": lambda dates: dates.month(),
    "day": lambda dates: dates.day(),
    "day of the year": lambda dates: dates.ordinal_day(),
    "month and day in one number": lambda dates: dates.month().cast(pl.Int64) * 100 + dates.day(),
}
_DATE_WAYS = tuple(
    (year, *rest)
    for year in ("year", "year of its century")
    for rest in (("month", "day"), ("day of the year",), ("month and day in one number",))
)
_LONGEST_CODE = 64
"""Letters and digits of the longest code: a hash of 256 bits."""
_NAMED = ("named as an identifier", "household in its")
_FACTORS = (
    *(12.0, 7.0, 24.0, 60.0, 52.0, 365.25, 3600.0, 86400.0, 2.0, 4.0),
    *(2.54, 0.45359237, 1.609344, 0.3048, 28.349523, 4.184, 18.0182, 88.42),
)


def is_running(column: LinkColumn, side: int) -> bool:
    """Whether a file numbers its records: whole numbers, each once, without gaps."""
    if column.numbers is None:
        return False
    counts = column.counts[side]
    held = column.numbers[counts > 0]
    if counts.max(initial=0) > 1 or len(held) < FEWEST or not np.isfinite(held).all():
        return False
    return bool((held == np.round(held)).all() and np.ptp(held) <= _DENSE * len(held))


def find_single_holder(
    column: LinkColumn, side: int, copy: Copy, of_row: Ints | None = None
) -> SingleHolder | None:
    """Values that one person has and that a synthetic file has too; None where no one has one.

    `of_row` is whose row each original row is, where people have several.
    """
    is_value, holders = _is_value(column), column.counts[ORIGINAL]
    if of_row is not None:
        holders = count_people(column.select_side(ORIGINAL), of_row, column.n_levels)
    held = (holders == 1) & is_value
    if not held.any():
        return None
    n_held, n_back = (
        _n_holders(column, some, of_row) for some in (held, held & (column.counts[side] > 0))
    )
    return SingleHolder(
        copy=copy,
        column=column.name,
        n_held=n_held,
        n_reappearing=n_back,
        expected=expected_share(holders[is_value], int(column.counts[side][is_value].sum())),
        is_running=is_running(column, ORIGINAL) and is_running(column, side),
    )


def find_computed_columns(
    original: Table,
    synthetic: Table,
    columns: Sequence[LinkColumn],
    held: Sequence[SingleHolder],
) -> Iterator[SingleHolder]:
    """Numbers of one person each that do not reappear themselves, but computed from others do.

    A relation is looked for in the original: weight from a body mass index and the height.
    """
    named = find_named_codes(original.frame, original.variables)
    frame, there = (codes_as_text(one.frame, named) for one in (original, synthetic))
    among = [name for name in frame.columns if name in there.columns]
    numbers = {column.name for column in columns if column.is_number}
    for row in held:
        is_most = row.n_held >= max(FEWEST, SHARED * frame.height)
        is_back = row.n_reappearing / row.n_held - row.expected >= SHARED / 2
        if row.column not in numbers or not is_most or is_back:
            continue
        best = row
        for relation in find_relations(frame, row.column, among, is_thorough=True):
            made = _as_precise(relation.values(there), frame[row.column])
            sides = [
                replace(table, frame=pl.DataFrame({"x": values}), codebook=None, notes=())
                for table, values in ((original, frame[row.column]), (synthetic, made))
            ]
            found = find_single_holder(link_column("x", Study(sides).files), 1, row.copy)
            if found is not None and found.n_reappearing > best.n_reappearing:
                names = {"column": row.column, "computed_from": relation.sources}
                best = msgspec.structs.replace(found, is_running=False, **names)
        if best.n_reappearing / best.n_held - best.expected >= SHARED / 2:
            yield best
        else:
            yield from _coarse_forms(frame, there, row, among)


def _coarse_forms(
    frame: pl.DataFrame, there: pl.DataFrame, row: SingleHolder, among: Sequence[str]
) -> Iterator[SingleHolder]:
    """Columns that give a number nearer than it is published: its bands, or a rounded index.

    It has moved away from them since: in the original it is at least twice as near.
    """
    own, shown = (column_numbers(one[row.column]) for one in (frame, there))
    best = row
    for relation in find_coarse(frame, row.column, among):
        with np.errstate(all="ignore"):
            within, moved = (
                float(np.nanmedian(np.abs(column_numbers(relation.values(one)) - values)))
                for one, values in ((frame, own), (there, shown))
            )
        is_better = best.within is None or within < best.within
        if np.isfinite(moved) and within <= SHARED * moved and is_better:
            best = msgspec.structs.replace(
                row, computed_from=relation.sources, within=within, moved=moved
            )
    if best.computed_from:
        yield best


def _as_precise(made: pl.Series, like: pl.Series) -> pl.Series:
    """Numbers with as many decimals as a column has, so that dust of the computation is gone."""
    if not like.dtype.is_float():
        return made.round()
    for digits in range(9):
        if like.round(digits).equals(like):
            return made.round(digits)
    return made


def _n_holders(column: LinkColumn, levels: Mask, of_row: Ints | None) -> int:
    """How many rows, or people, have one of some levels; each level is one row's, or person's."""
    if of_row is None:
        return int(levels.sum())
    return len(np.unique(of_row[levels[column.select_side(ORIGINAL)]]))


def _is_value(column: LinkColumn) -> Mask:
    is_value: Mask = np.arange(column.n_levels) != column.missing
    return is_value


def find_copied_identifiers(
    original: OpenFiles,
    columns: Sequence[LinkColumn],
    side: int,
    copy: Copy,
    *,
    declared: Collection[str],
    known: Collection[str],
) -> Iterator[CopiedColumn]:
    """Identifiers that a synthetic file has too, with how many of its records hold real values.

    Columns with another role (`known`) are what a person said they are.
    """
    by_name = {column.name: column for column in columns}
    asked = [name for name in by_name if name not in known or name in declared]
    recognised = find_identifiers(original, [n for n in asked if n not in declared], {})
    for name in asked:
        if name not in declared and name not in recognised:
            continue
        column = by_name[name]
        is_value = _is_value(column)
        reason = recognised.get(name, "")
        by_values = name not in declared and not reason.startswith(_NAMED)
        counts = column.counts[ORIGINAL][is_value]
        # Of numbers that are no numbers of people, a new one is among the known as often as one of
        # theirs is another person's too.
        is_chance = by_values and column.is_number
        expected = float(counts[counts > 1].sum() / max(counts.sum(), 1)) if is_chance else 0.0
        detail = "a person gave it the role identifier" if name in declared else reason
        n_real, n_records = _n_real(column, side), int(column.counts[side][is_value].sum())
        found = None
        if n_real < SHARED * n_records and not is_running(column, side):
            found = find_disguise(column, side)
        if found is not None:
            n_real, expected = found.n_real, found.expected
            detail = f"{detail.rstrip('.')}; its values are those of the original {found.words}"
        yield CopiedColumn(
            copy=copy,
            column=name,
            reason="free text" if reason.startswith("free text") else "identifier",
            detail=detail,
            n_real=n_real,
            n_records=n_records,
            expected=expected,
            is_declared=name in declared,
            is_running=is_running(column, ORIGINAL) and is_running(column, side),
        )


def _n_real(column: LinkColumn, side: int) -> int:
    """Records that hold a value of the original, whatever stands between its letters and digits."""
    is_value = _is_value(column)
    here, there = (column.counts[one] > 0 for one in (ORIGINAL, side))
    is_real = here & there & is_value
    if not column.is_number and column.source.levels.dtype == pl.String:
        bare = fold_text(column.source.levels).str.replace_all(r"[^\p{L}\p{N}]", "")
        bare = bare.gather(column.example)
        known = bare.filter(pl.Series(here & is_value)).drop_nulls()
        digits = bare.str.replace_all(r"\D", "").str.tail(_DIGITS)
        # The last digits are the number of a telephone, whatever stands before them.
        is_number = digits.str.len_chars() == _DIGITS
        numbers = digits.filter(pl.Series(here & is_value) & is_number)
        like = bare.is_in(known.implode()) | (is_number & digits.is_in(numbers.implode()))
        is_real = like.fill_null(value=False).to_numpy() & there & is_value
    return int(column.counts[side][is_real].sum())


def find_extra_columns(files: OpenFiles, copy: Copy) -> Iterator[CopiedColumn]:
    """Columns of a synthetic file that the original does not have, and what they look like."""
    original, synthetic = files
    theirs = [name for name in synthetic.frame.columns if name not in original.frame.columns]
    if not theirs:
        return
    recognised = find_identifiers(files.select(1), theirs, {})
    of_dates = _find_date_parts(original, synthetic, theirs, copy)
    for name in theirs:
        found = next(_likenesses(original, synthetic, name, copy), of_dates.get(name))
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


def _find_computed(original: Table, synthetic: Table, name: str, copy: Copy) -> CopiedColumn | None:
    """Whether a new column of numbers is computed from people's numbers: a ratio, a whole part."""
    if not synthetic.frame[name].dtype.is_numeric():
        return None
    theirs = column_numbers(synthetic.frame[name].drop_nulls())
    if len(np.unique(theirs)) < FEWEST:
        return None
    for words, like, made in _computed_numbers(original.frame):
        values = _as_precise(pl.Series(made), synthetic.frame[name])
        known = np.unique(round_digits(column_numbers(values.drop_nulls())))
        if len(known) < FEWEST or _share_among(theirs, known) < SHARED:
            continue
        told = replace(original, frame=pl.DataFrame({like: values}))
        row = find_single_holder(_beside(told, like, synthetic, name), 1, copy)
        if row is not None and _is_of_people(row, original):
            detail = f"its values are {words}, as people of the original have them"
            return CopiedColumn(
                copy=copy,
                column=name,
                reason="recodes",
                like=like,
                detail=detail,
                n_real=row.n_reappearing,
                n_records=len(theirs),
            )
    return None


def _is_of_people(row: SingleHolder, original: Table) -> bool:
    """Whether values of one person each, which most have, reappear beyond what is expected."""
    is_most = row.n_held >= SHARED * original.frame.height
    return is_most and row.n_reappearing / row.n_held - row.expected >= SHARED / 2


def _find_date_parts(
    original: Table, synthetic: Table, names: Sequence[str], copy: Copy
) -> dict[str, CopiedColumn]:
    """New columns that are, together, people's dates: year, month and day, or another way."""
    frame = synthetic.frame
    whole = {
        name: frame[name].cast(pl.Int64, strict=False)
        for name in names
        if frame[name].dtype.is_numeric() or frame[name].dtype == pl.String
    }
    spans = {
        name: (int(low), int(high))
        for name, one in whole.items()
        if one.null_count() == frame[name].null_count()
        and isinstance(low := one.min(), int)
        and isinstance(high := one.max(), int)
    }
    dated = [one for one in original.frame.columns if original.frame[one].dtype in _DATES]
    for like, way in product(dated, _DATE_WAYS):
        told = [_DATE_PARTS[part](original.frame[like].dt).cast(pl.Int64) for part in way]
        fitting = [
            [name for name, (low, high) in spans.items() if least <= low and high <= most]
            for least, most in ((one.min(), one.max()) for one in told)
            if isinstance(least, int) and isinstance(most, int)
        ]
        tried = (one for one in product(*fitting) if len(set(one)) == len(way))
        for asked in islice(tried, _MOST_DATES):
            sides = [
                replace(table, frame=pl.DataFrame({like: _join_numbers(values)}))
                for table, values in ((original, told), (synthetic, [whole[n] for n in asked]))
            ]
            row = find_single_holder(_beside(sides[0], like, sides[1], like), 1, copy)
            if row is not None and _is_of_people(row, original):
                detail = f"{format_names(asked)} are the {format_names(way)} of people's {like}"
                return {
                    name: CopiedColumn(
                        copy=copy,
                        column=name,
                        reason="recodes",
                        like=like,
                        detail=detail,
                        n_real=row.n_reappearing,
                        n_records=frame.height,
                    )
                    for name in asked
                }
    return {}


def _join_numbers(columns: Sequence[pl.Series]) -> pl.Series:
    """Numbers of several columns as one text a row; none where one is missing."""
    frame = pl.DataFrame({str(place): one for place, one in enumerate(columns)})
    return frame.select(pl.concat_str(pl.all(), separator="-")).to_series()


def _computed_numbers(frame: pl.DataFrame) -> Iterator[tuple[str, str, Floats]]:
    """What is often computed from one or two columns of numbers, in words."""
    names = [one for one in frame.columns if frame[one].dtype.is_numeric()][:_MOST_NUMBERS]
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
    numbered = bare.str.slice(_common_start(bare))
    is_short = (bare.str.len_chars().n_unique() == 1) | numbered.str.contains(r"^\d{1,12}$").all()
    return bool(is_short and bare.str.contains(rf"^[\p{{L}}\p{{N}}_-]{{1,{_LONGEST_CODE}}}$").all())


def _likenesses(original: Table, synthetic: Table, name: str, copy: Copy) -> Iterator[CopiedColumn]:
    """Columns of the original that this one repeats, then those that it recodes, best first."""
    repeats, recodes = [], []
    for like in sorted(original.frame.columns, key=lambda one: not _is_named_after(name, one)):
        column = _beside(original, like, synthetic, name)
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
        elif (way := _describe_recoding(column)) is not None:
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


def _beside(original: Table, like: str, synthetic: Table, name: str) -> LinkColumn:
    """A column of the original and one of the synthetic file, coded as if they were the same."""
    sides = [
        replace(table, frame=pl.DataFrame({"x": table.frame[column]}), codebook=None, notes=())
        for table, column in ((original, like), (synthetic, name))
    ]
    return link_column("x", Study(sides).files)


def _real_records(column: LinkColumn) -> tuple[int, int]:
    is_value = _is_value(column)
    both = column.counts[1][is_value & (column.counts[ORIGINAL] > 0)]
    return int(both.sum()), int(column.counts[1][is_value].sum())


def _repeats(column: LinkColumn, shared: float, *, is_named: bool) -> bool:
    """Whether the values of one column are those of the other, and not by their nature."""
    is_value = _is_value(column)
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


def _describe_recoding(column: LinkColumn) -> str | None:
    """How one column is made from the other, in words; None where it is not seen."""
    return _describe_recoded_numbers(column) if column.is_number else _describe_recoded_text(column)


def _describe_recoded_numbers(column: LinkColumn) -> str | None:
    assert column.numbers is not None
    mine, theirs = (_sample(column, side) for side in (0, 1))
    if (step := _rounded_to(mine, theirs)) is not None:
        return f"rounded to {step:.6g}"
    if min(len(np.unique(one)) for one in (mine, theirs)) <= FEW_LEVELS:
        return None
    at = np.linspace(0.05, 0.95, 19)
    here, there = np.quantile(mine, at), np.quantile(theirs, at)
    known = np.unique(round_digits(np.unique(mine)))
    is_used = (here != 0) & (np.sign(here) == np.sign(there))
    if is_used.sum() >= 3:
        factor = float(np.median(there[is_used] / here[is_used]))
        for one in usual_factors(factor):
            if abs(one - 1) > 1e-9 and _share_among(theirs / one, known) >= SHARED:
                return f"times {one:.6g}"
    shift = float(np.median(there - here))
    for one in {shift, float(np.round(shift))}:
        is_spaced = len(known) > 2 * np.ptp(known) if len(known) else True
        if one and not is_spaced and _share_among(theirs - one, known) >= NEARLY_ALL:
            close = np.abs(np.quantile(theirs - one, at) - here).max()
            if close <= 0.02 * np.ptp(here):
                return f"plus {one:.6g}"
    return None


def _rounded_to(mine: Floats, theirs: Floats) -> float | None:
    """The step to which numbers were rounded, up, down or to the nearest; None where not."""
    levels = np.unique(theirs)
    if len(levels) < _FEWEST_STEPS or len(np.unique(mine)) < 2 * len(levels):
        return None
    step = float(f"{np.diff(levels).min():.6g}")
    if not np.allclose(levels / step, np.round(levels / step), atol=1e-6):
        return None
    ends = np.append(levels, np.inf)
    there = np.searchsorted(np.sort(theirs), ends) / len(theirs)
    for way in (np.round, np.floor, np.ceil):
        here = np.searchsorted(np.sort(way(mine / step) * step), ends - step / 4) / len(mine)
        if np.abs(here - there).max() < _SAME_SHARES:
            return step
    return None


def _sample(column: LinkColumn, side: int) -> Floats:
    assert column.numbers is not None
    values = column.numbers[column.select_side(side)]
    return values[np.isfinite(values)]


def usual_factors(factor: float) -> list[float]:
    """The factor, and powers of ten and usual units within five percent of it."""
    usual = [10.0**k for k in range(-9, 10)] + [f for u in _FACTORS for f in (u, 1 / u)]
    return [*(one for one in usual if abs(np.log(factor / one)) < 0.05), factor]


def _share_among(values: Floats, known: Floats) -> float:
    """The share of values that are among the known ones, to six digits."""
    return float(np.mean(is_near(values, known, 1e-6))) if len(values) else 0.0


def _describe_recoded_text(column: LinkColumn) -> str | None:
    """Text with something put before or after it: a prefix on the numbers of people."""
    levels = column.source.levels.cast(pl.String)
    here, there = (
        levels.filter(pl.Series(column.source.counts[side] > 0)).drop_nulls().unique()
        for side in (0, 1)
    )
    if len(here) <= FEW_LEVELS or len(there) <= FEW_LEVELS:
        return None
    n_before, n_after = _common_start(there), _common_start(there.str.reverse())
    for start, stop in ((n_before, 0), (0, n_after), (n_before, n_after)):
        if start or stop:
            bare = there.str.slice(start, None)
            bare = bare.str.head(-stop) if stop else bare
            known = pl.concat([here, here.str.slice(_common_start(here), None)])
            if bare.is_in(known.implode()).mean() >= SHARED:  # type: ignore[operator]
                return "with letters put around them"
    return None


def _common_start(texts: pl.Series) -> int:
    first, last = str(texts.min()), str(texts.max())
    return next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
