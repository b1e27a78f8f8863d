"""`unveil.suggest_coding`: which codings a custodian might consider, each with its reason."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.count.kinds import FEWEST, NEAR_UNIQUE, kind_of_series
from unveil.io.code_meanings import kind_of
from unveil.io.table import Table
from unveil.measure.result import RowsResult
from unveil.protection.recoding.column import (
    RecodedColumn,
    are_whole,
    declared_codes,
    ordinary,
    records,
)
from unveil.protection.recoding.levels import RecodeLevels
from unveil.protection.recoding.numbers import HUGE, quantile
from unveil.protection.recoding.outliers import ROBUST
from unveil.protection.recoding.recode import RecipeRun
from unveil.records.recoding import (
    Band,
    BottomCode,
    CoarsenDate,
    Drop,
    MergeRare,
    Number,
    PerturbOutliers,
    Proposal,
    Round,
    Step,
    Suggestions,
    TopCode,
    step_word,
)
from unveil.seeding import stream
from unveil.study.band_spec import format_n, number_texts, parse_bands
from unveil.study.bands import LARGEST_EXACT
from unveil.study.roles import names
from unveil.study.study import Study, open_files
from unveil.study.take_study import takes_study
from unveil.synthesis.split_columns import read_lettered_numbers

# Rare levels: which of them might be merged, and into what?


RARE = 10  # records
SMALL = 0.05  # share of records up to which the next level may join those that are rare
OTHERS = ("other", "others", "another", "other answer", "something else")


def rare_levels(levels: RecodeLevels, counts: Mapping[str, int]) -> Iterator[tuple[Step, str]]:
    """Rare levels merged under a name for others; a column of nothing else dropped.

    One rare level alone would only be renamed: the next rarest ones join it, where they are small,
    until together they are not rare any more. Where that cannot be, nothing is proposed.
    """
    name = levels.column.name
    rare = [n for n in counts.values() if n < RARE]
    if not rare:
        return
    if len(rare) == len(counts):
        reason = (
            f"None of {format_n(len(rare), 'level')} has {RARE} records: each points at people."
        )
        yield Drop(column=name), reason
        return
    present = _present_other(levels, counts)
    group = _group({level: n for level, n in counts.items() if level != present}, counts, present)
    if not group:
        return
    have = "has" if len(rare) == 1 else "have"
    n_joined = len(group) - sum(n < RARE for level, n in counts.items() if level != present)
    joined = f" {format_n(n_joined, 'small level')} may join." if n_joined > 0 else ""
    reason = (
        f"{format_n(len(rare), 'level')} of {len(counts):,} {have} fewer than {RARE} records,"
        f" {sum(rare):,} together: rare answers point at people.{joined}"
    )
    into = levels.name_level(present) if present is not None else next(_free_names(levels))
    yield MergeRare(column=name, below=max(RARE, group[-1] + 1), into=into), reason


def _present_other(levels: RecodeLevels, counts: Mapping[str, int]) -> str | None:
    """The level that holds other answers already, where there is one of them alone."""
    found = [
        level for level in counts if levels.labels.get(level, level).strip().casefold() in OTHERS
    ]
    return found[0] if len(found) == 1 else None


def _group(others: Mapping[str, int], counts: Mapping[str, int], present: str | None) -> list[int]:
    """The counts of the levels to be merged, from low to high; none where it would not help."""
    most = SMALL * sum(counts.values())
    held = 0 if present is None else counts[present]
    group: list[int] = []
    for n in sorted(others.values()):
        is_enough = held + sum(group) >= RARE and (present is not None or len(group) > 1)
        if n >= RARE and (is_enough or n > most):
            break
        group.append(n)
    # What has as many records as the last of the group would go with it.
    while group and sum(n <= group[-1] for n in others.values()) > len(group):
        group.append(group[-1])
    is_helpful = len(group) > (present is None) and len(group) < len(others)
    return group if is_helpful else []


def _free_names(levels: RecodeLevels) -> Iterator[str]:
    taken = {name.strip().casefold() for name in (*levels.known_levels, *levels.labels.values())}
    number = 1
    while True:
        name = "other" if number == 1 else f"other {number}"
        if name not in taken:
            yield name
        number += 1


# Which codings might help a column, and why? Proposals only: nothing is applied.
#
# Reasons hold counts of records and levels, and no value of the data.


TAIL, SHOULDER = 0.99, 0.9  # quantiles: where a tail begins, and where it would begin to thin out
LONG = 2.2  # how many times as far as the shoulder a long tail begins; 1.8 in a normal distribution
FAR = 6.0  # robust standard deviations
FEW = 0.01  # share of records up to which numbers that far are outliers
FINE = 0.5  # share of different values from which numbers are fine
STEPS = 50  # to about so many different numbers within the middle half, fine ones are rounded
ALONE = 0.05  # share of records alone in their month from which the year is proposed
MANY = 10  # different numbers from which a key is put into bands
BANDS = (16, 8, 5)  # to about so many bands: the first that leaves few alone
YEARS = (1850, 2100)
SPAN = 150  # whole numbers within so short a span are ages, years or scores

FoundStep = tuple[Step, str]


def proposals(column: RecodedColumn) -> Iterator[FoundStep]:
    """Every coding that might help, with its reason."""
    side = column.sides[0]
    kind = kind_of(side.dtype)
    held = side.drop_nulls()
    if len(held) == 0 or side.dtype.is_nested():
        return
    if _is_beyond_reckoning(held):
        yield from _propose_for_many(column, held)
    elif kind == "number" and not _is_coded(column):
        yield from _propose_for_numbers(column)
    elif kind in ("date", "moment"):
        yield from _propose_for_dates(column, held)
    elif kind in ("text", "number", "truth"):
        yield from _propose_for_categories(column)


def bandings(column: RecodedColumn) -> Iterator[Band]:
    """Bands between round numbers that might help a key, from many to few."""
    side = column.sides[0]
    if kind_of(side.dtype) != "number" or _is_beyond_reckoning(side) or _is_coded(column):
        return
    numbers = np.sort(ordinary(side, column.apart))
    if len(numbers) < FEWEST or np.abs(numbers[[0, -1]]).max() > HUGE:
        return
    if _n_values(numbers) < MANY or _is_identifier(numbers):
        return
    low, high = (quantile(numbers, share) for share in (0.05, 0.95))
    for n in BANDS:
        breaks = _round_breaks(low, high, n)
        if len(breaks) > 1:
            yield Band(column=column.name, breaks=breaks)


def _round_breaks(low: float, high: float, n: int) -> tuple[Number, ...]:
    """Multiples of 1, 2 or 5 times a power of ten, about n of them from low to high."""
    unit = _round_number((high - low) / n, upwards=True)
    if unit is None:
        return ()
    first, last = math.ceil(low / unit), math.floor(high / unit)
    breaks = [float(f"{place * unit:.12g}") for place in range(first, last + 1)]
    return tuple(int(one) if one.is_integer() else one for one in breaks)


def _is_beyond_reckoning(held: pl.Series) -> bool:
    if not held.dtype.is_integer():
        return False
    ends = [end for end in (held.min(), held.max()) if isinstance(end, int)]
    return any(abs(end) > LARGEST_EXACT for end in ends)


def _propose_for_many(column: RecodedColumn, held: pl.Series) -> Iterator[FoundStep]:
    n_values = held.n_unique()
    if len(held) >= FEWEST and n_values >= NEAR_UNIQUE * len(held):
        yield _drop(column, n_values, len(held))


def _is_coded(column: RecodedColumn) -> bool:
    """Whether numbers stand for names."""
    return kind_of_series(column.sides[0], column.variable) in ("category", "ordered")


def _propose_for_categories(column: RecodedColumn) -> Iterator[FoundStep]:
    levels = RecodeLevels(column)
    counts = {level: n for level, n in levels.counts.items() if level not in levels.no_answers}
    n = sum(counts.values())
    if n < FEWEST:
        return
    if len(counts) >= NEAR_UNIQUE * n:
        yield _drop(column, len(counts), n)
        return
    yield from rare_levels(levels, counts)


def _drop(column: RecodedColumn, n_values: int, n: int) -> FoundStep:
    reason = f"{n_values:,} different values among {records(n)}: it is or acts as an identifier."
    return Drop(column=column.name), reason


def _propose_for_dates(column: RecodedColumn, held: pl.Series) -> Iterator[FoundStep]:
    months = held.dt.truncate("1mo")
    n_exact = int((held != months).sum())
    if not n_exact:
        return
    n_alone = int((months.value_counts()["count"] == 1).sum())
    to_year = n_alone > ALONE * len(held)
    reason = f"{records(n_exact)} with a date to the day or finer"
    also = f", and {n_alone:,} would be unique even in their month" if to_year else ""
    yield (
        CoarsenDate(column=column.name, to="year" if to_year else "month"),
        f"{reason}{also}: exact dates point at people.",
    )


def _propose_for_numbers(column: RecodedColumn) -> Iterator[FoundStep]:
    numbers = np.sort(ordinary(column.sides[0], column.apart))
    n = len(numbers)
    if n < FEWEST or np.abs(numbers[[0, -1]]).max() > HUGE:
        return
    n_values = _n_values(numbers)
    if _is_identifier(numbers):
        yield _drop(column, n_values, n)
        return
    yield from list(_tails(column, numbers)) or _outliers(column, numbers)
    if n_values >= FINE * n and (to := _unit(numbers)) is not None:
        reason = (
            f"{n_values:,} different numbers among {records(n)}: so precise a number is nearly a"
            f" fingerprint. Multiples of {number_texts([float(to)])[0]} keep most of its"
            " information."
        )
        yield Round(column=column.name, to=to), reason


def _n_values(ordered: Floats) -> int:
    return int((np.diff(ordered) > 0).sum()) + 1


def _is_identifier(ordered: Floats) -> bool:
    """Whole numbers of which nearly all differ, and that are no years and no short scale.

    Running numbers are identifiers however few they are.
    """
    n_values, span = _n_values(ordered), ordered[-1] - ordered[0]
    if not are_whole(ordered) or n_values < NEAR_UNIQUE * len(ordered):
        return False
    if YEARS[0] <= ordered[0] and ordered[-1] <= YEARS[1]:
        return False
    return bool(span >= SPAN or span == n_values - 1 == len(ordered) - 1)


def _tails(column: RecodedColumn, ordered: Floats) -> Iterator[FoundStep]:
    """Tails that begin much further from the median than the shoulder lies.

    Notes
    -----
    |Q(0.99) - Q(0.5)| > 2.2 |Q(0.9) - Q(0.5)|, and on the other side with 0.01 and 0.1. The ratio
    is 1.2 in a uniform, 1.8 in a normal and 2.4 in an exponential distribution, however many
    records there are; a few extreme values alone, which are outliers, do not move it.
    """
    middle = quantile(ordered, 0.5)
    for is_top in (True, False):
        share, shoulder = (one if is_top else float(f"{1 - one:.15g}") for one in (TAIL, SHOULDER))
        limit = quantile(ordered, share)
        n_beyond = int((ordered > limit).sum() if is_top else (ordered < limit).sum())
        if n_beyond and abs(limit - middle) > LONG * abs(quantile(ordered, shoulder) - middle):
            reason = (
                f"A long tail: {records(n_beyond)} {'above' if is_top else 'below'} the quantile"
                f" {share:.15g}, which lies more than {LONG:.15g} times as far from the median as"
                f" the quantile {shoulder:.15g}."
            )
            kind = TopCode if is_top else BottomCode
            yield kind(column=column.name, quantile=share), reason


def _outliers(column: RecodedColumn, ordered: Floats) -> Iterator[FoundStep]:
    middle = float(np.median(ordered))
    scale = ROBUST * float(np.median(np.abs(ordered - middle)))
    n_far = int((np.abs(ordered - middle) > FAR * scale).sum())
    if scale and 0 < n_far <= max(1, FEW * len(ordered)):
        reason = (
            f"{records(n_far)} more than {FAR:.15g} robust standard deviations from the median."
        )
        yield PerturbOutliers(column=column.name, distance=FAR), reason


def _unit(ordered: Floats) -> Number | None:
    """A round number, about fifty to the middle half; None where rounding changes nothing."""
    low, high = (quantile(ordered, share) for share in (0.25, 0.75))
    to = _round_number((high - low) / STEPS)
    if to is None:
        return None
    with np.errstate(over="ignore"):
        multiples = ordered / to
    if np.allclose(multiples, np.rint(multiples), rtol=0, atol=1e-9):
        return None
    return int(to) if to.is_integer() else to


def _round_number(wanted: float, *, upwards: bool = False) -> float | None:
    """1, 2 or 5 times a power of ten: the last that is not above, or the first not below."""
    if wanted <= 0 or not math.isfinite(wanted):
        return None
    power = math.floor(math.log10(wanted))
    made = [float(f"{digit}e{power + more}") for more in (0, 1) for digit in (1, 2, 5)]
    if upwards:
        return next(one for one in made if one >= wanted * (1 - 1e-9))
    return max((one for one in made if one <= wanted * (1 + 1e-9)), default=made[0])


FEW_LEFT = 0.1  # share of those alone that bands of a key should leave


class CodingSuggestions(RowsResult[Suggestions]):
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


@takes_study
def suggest_coding(
    data: Any,
    *,
    keys: str | Iterable[str] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
) -> CodingSuggestions:
    """Propose steps for `unveil.recode`, each with a reason; nothing is changed.

    Identifiers are to be dropped, long tails cut off, rare categories merged, exact dates
    coarsened, fine numbers rounded and outliers moved. With keys, a proposal for a key says how
    many people would still stand alone if it were the only step. The thresholds stand in
    docs/recoding.md.
    """
    files = open_files({"data": data}, None, missing_values)
    table = read_lettered_numbers(files[0])
    study = files.study if table is files[0] else Study([table])
    key_names = () if keys is None else names(keys, "Keys")
    table.check_columns(key_names)
    codes = parse_bands(None, special_codes).special_codes
    table.check_columns(codes)
    rows = [
        row
        for name in table.frame.columns
        for row in _propose_column(study, name, key_names, codes.get(name, ()))
    ]
    before, after = _together(study, key_names, [row.step for row in rows])
    record = Suggestions(
        files=(table.source,),
        keys=key_names,
        n_records=table.frame.height,
        rows=tuple(rows),
        n_uniques=before,
        n_uniques_left=after,
        coercions=table.notes,
    )
    return CodingSuggestions(record)


def _propose_column(
    study: Study, name: str, keys: Sequence[str], codes: Sequence[float]
) -> list[Proposal]:
    """What is proposed for one column: bands where a key needs them, or what else might help."""
    column = _column(study.tables[0], name, codes)
    if name in keys and (cut := _propose_bands(study, column, keys, codes)) is not None:
        return [cut]
    found = ((_with_codes(step, codes), reason) for step, reason in proposals(column))
    made = [_proposal(study, keys, step, reason) for step, reason in found]
    return [one for one in made if one is not None]


def _propose_bands(
    study: Study, column: RecodedColumn, keys: Sequence[str], codes: Sequence[float]
) -> Proposal | None:
    """Bands for a key of numbers: the most of them that leave a tenth alone, or else the fewest."""
    best = None
    for step in bandings(column):
        made = _proposal(study, keys, _with_codes(step, codes), "")
        if made is None or not made.n_uniques or made.n_uniques_left is None:
            continue
        best = made
        if made.n_uniques_left <= FEW_LEFT * made.n_uniques:
            break
    if best is None or (best.n_uniques_left or 0) >= (best.n_uniques or 0):
        return None
    reason = (
        f"An exact number distinguishes people: {best.n_uniques:,} are unique on the keys, and"
        f" {best.n_uniques_left:,} would be with these bands."
    )
    return msgspec.structs.replace(best, reason=reason)


def _together(
    study: Study, keys: Sequence[str], steps: Sequence[Step]
) -> tuple[int | None, int | None]:
    """How many are alone with the keys, and how many would be after all that is proposed."""
    if not keys:
        return None, None
    run = RecipeRun(study, keys, seed=0)
    before = run.count_keys()
    for number, step in enumerate(steps, start=1):
        run.apply_step(number, step)
    after = run.count_keys()
    return (
        None if before is None else before.n_uniques,
        None if after is None else after.n_uniques,
    )


def _column(table: Table, name: str, codes: Sequence[float]) -> RecodedColumn:
    side = table.frame[name].alias("")
    if side.dtype.is_float():
        side = side.fill_nan(None)
    variable = table.variables.get(name)
    return RecodedColumn(
        name, (side,), variable, declared_codes(variable).also(codes), lambda _: stream(0)
    )


def _with_codes(step: Step, codes: Sequence[float]) -> Step:
    """The step with the special codes that the user named; declared ones it finds by itself."""
    if not codes or isinstance(step, Drop | CoarsenDate):
        return step
    given = tuple(int(code) if code.is_integer() else code for code in codes)
    return msgspec.structs.replace(step, special_codes=given)


def _proposal(study: Study, keys: Sequence[str], step: Step, reason: str) -> Proposal | None:
    """The proposal with its effect on the keys; None where the step cannot be done."""
    known = keys if step.column in keys else ()
    done = RecipeRun(study, known, seed=0).apply_step(1, step)
    if done is None and not isinstance(step, Drop):  # an only column is still an identifier
        return None
    before, after = (None, None) if done is None else (done.before, done.after)
    return Proposal(
        column=step.column,
        do=step_word(step),
        reason=reason,
        step=step,
        n_uniques=None if before is None else before.n_uniques,
        n_uniques_left=None if after is None else after.n_uniques,
    )
