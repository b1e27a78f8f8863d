"""Each column once as small integers over the united levels of original and copies.

Sides are stacked, original first: the same level has the same code on every side, which is what
makes the tables d and s of Raab (2024), Appendix 1, line up by construction.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.kinds import (
    Kind,
    Measure,
    is_wide,
    kind_of_codes,
    kind_of_dtype,
    kind_of_levels,
    numbers_of,
)
from unveil.count.packing import IN_CACHE, Counts, Sides, chunks, count_dense, run_starts
from unveil.io.code_meanings import Meaning
from unveil.io.numbers import TAG_OF, TAGS, level_text

Codes = NDArray[np.unsignedinteger]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class CodedColumn:
    """One column as codes 0 to n_levels - 1, in the order of the levels; missing is the last.

    `meanings` says what levels stand for, by their text, and `special_codes` which numbers stand
    for no answer, where the files say so; `measure` is the level of measurement that the original
    declares, `is_category` what the user says.
    """

    name: str
    sides: Sides
    codes: Codes
    levels: pl.Series
    meanings: Mapping[str, Meaning] = field(default_factory=dict, repr=False)
    special_codes: tuple[float, ...] = ()
    measure: Measure | None = None
    is_category: bool = False

    @cached_property
    def n_levels(self) -> int:
        """Levels over all sides, the missing one included."""
        return len(self.levels)

    @property
    def has_missing(self) -> bool:
        """Whether some side has a missing value."""
        return self.levels.null_count() > 0

    @cached_property
    def is_single(self) -> bool:
        """Whether its decimals were kept in single precision: 0.1 is then 0.10000000149."""
        if not self.levels.dtype.is_float():
            return False
        values = self.levels.drop_nulls().cast(pl.Float64)
        single = values.cast(pl.Float32)
        as_written = single.cast(pl.String).cast(pl.Float64)
        return bool((single.cast(pl.Float64) == values).all() and (as_written != values).any())

    @cached_property
    def level_of_label(self) -> dict[str, str]:
        """The text of the level that a label stands for, alone or with its code beside it."""
        found = {meaning.label_with_code: text for text, meaning in self.meanings.items()}
        by_label = [(meaning.label, text) for text, meaning in self.meanings.items()]
        n_levels = Counter(label for label, _ in by_label)
        return {label: text for label, text in by_label if n_levels[label] == 1} | found

    @cached_property
    def few_levels(self) -> list[Any]:
        """The levels as a list, for who asks for many of few: polars looks up each slowly."""
        return self.levels.to_list()

    @cached_property
    def counts(self) -> Counts:
        """Records per side and level."""
        return count_dense(lambda rows: self.codes[rows], self.n_levels, self.sides)

    @cached_property
    def kind(self) -> Kind:
        """What its values are: a number, a date, or a level of something."""
        kind = kind_of_dtype(self.levels.dtype)
        if self.is_category or (kind == "number" and is_wide(self.levels)):
            return "category"
        if kind == "date":
            return kind
        if kind != "number":
            return kind_of_levels(self.measure, self.levels.drop_nulls(), self._n_held)
        if not self.meanings:
            return "number"
        is_labelled = np.array([text in self.meanings for text in labels_or_none(self)], bool)
        is_number = self.is_number()
        counts = np.where(is_number, self.counts[0], 0)
        if not counts.any():
            counts = np.where(is_number, self.counts.sum(axis=0), 0)
        return kind_of_codes(self.measure, is_labelled & is_number, counts)

    @property
    def is_scaled(self) -> bool:
        """Whether values are compared by how far they are apart."""
        return self.kind in ("number", "date")

    @property
    def scale(self) -> Literal["number", "date", "category"]:
        """Its kind where values are compared by how far they are apart; else a category."""
        return self.kind if self.kind in ("number", "date") else "category"

    @cached_property
    def numbers(self) -> Floats:
        """The number of every level: dates in days from 1970, times in seconds; else NaN."""
        return numbers_of(self.levels)

    def is_number(self, codes: Sequence[float] = ()) -> Mask:
        """Levels that are finite numbers and answers: no special code, and none of `codes`.

        The one place that decides it, for bands, radii, distances, predicates and models.
        """
        not_answers = np.array([*self.special_codes, *codes, *TAG_OF], np.float64)
        is_code = np.isin(self.numbers, not_answers)
        if self.is_single:
            with np.errstate(over="ignore"):
                singles = not_answers.astype(np.float32)
            is_code |= np.isin(self.numbers.astype(np.float32), singles)
        found: Mask = np.isfinite(self.numbers) & ~is_code
        return found

    @cached_property
    def is_ordinary(self) -> Mask:
        """Levels that are amounts: finite, no special code; of a category there are none."""
        return self.is_number() if self.is_scaled else np.zeros(self.n_levels, bool)

    @cached_property
    def amounts(self) -> Floats:
        """The number of every level, 0 where it is no amount."""
        return np.where(self.is_ordinary, self.numbers, 0.0)

    def recode(self, level_of: Ints) -> NDArray[np.int32]:
        """For each record the number that its level has here."""
        if np.array_equal(level_of, np.arange(self.n_levels)):
            return self.codes.astype(np.int32, copy=False)
        return level_of.astype(np.int32).take(self.codes)

    def codes_on(self, side: int) -> Codes:
        """The codes of one side."""
        return self.codes[self.sides.slices[side]]

    def counts_on(self, side: int) -> Ints:
        """Records of one side at every level."""
        counts: Ints = self.counts[side].astype(np.int64)
        return counts

    def amount_counts(self, side: int) -> Ints:
        """Records of one side at every level that is an amount; 0 at others."""
        return np.where(self.is_ordinary, self.counts_on(side), 0)

    @property
    def _n_held(self) -> int:
        """Records with a value, on all sides."""
        return self.sides.n_rows - int(self.counts[:, -1].sum() if self.has_missing else 0)

    def select(self, places: Sequence[int]) -> "CodedColumn":
        """The column on some of its sides, with the levels that occur there."""
        if tuple(places) == tuple(range(len(self.sides.rows))):
            return self
        sides = Sides(tuple(self.sides.rows[place] for place in places))
        slices = self.sides.slices
        codes = np.concatenate([self.codes[slices[place]] for place in places])
        occurs = self.counts[list(places)].any(axis=0)
        if occurs.all():
            return replace(self, sides=sides, codes=codes)
        dtype = np.dtype(f"u{_code_bytes(int(occurs.sum()))}")
        new_code = (np.cumsum(occurs) - 1).astype(dtype)
        levels = self.levels.gather(np.flatnonzero(occurs))
        return replace(self, sides=sides, codes=new_code[codes], levels=levels)

    def select_sides(self, places: Sequence[int], *, pooled: bool = False) -> "CodedColumn":
        """The column on some of its sides, with all of its levels; all but the first as one."""
        slices, rows = self.sides.slices, [self.sides.rows[place] for place in places]
        codes, counts = self.codes, self.counts[list(places)]
        if tuple(places) != tuple(range(len(slices))):
            codes = np.concatenate([codes[slices[place]] for place in places])
        if pooled:
            rows = [rows[0], sum(rows[1:])]
            counts = np.stack([counts[0], counts[1:].sum(axis=0, dtype=np.int32)])
        made = replace(self, sides=Sides(tuple(rows)), codes=codes)
        vars(made)["counts"] = counts  # known, so that nobody counts them again
        return made

    def spread_sides(self, places: Sequence[int], rows: Sequence[int]) -> "CodedColumn":
        """The column among more sides: its own stand at these places, others miss every value."""
        if len(places) == len(rows):
            return self
        levels = self.levels if self.has_missing else self.levels.extend_constant(None, 1)
        dtype = np.dtype(f"u{_code_bytes(len(levels))}")
        codes = [np.full(n, len(levels) - 1, dtype) for n in rows]
        for place, own in zip(places, self.sides.slices, strict=True):
            codes[place] = self.codes[own].astype(dtype)
        sides = Sides(tuple(rows))
        return replace(self, sides=sides, codes=np.concatenate(codes), levels=levels)

    def add_sides(self, more: Sequence[pl.Series]) -> "CodedColumn":
        """The column with further sides of the same type; its own are not looked at again."""
        other = encode(self.name, more)
        levels = pl.concat([self.levels, other.levels]).drop_nulls().unique().sort()
        n, has_missing = len(levels), self.has_missing or other.has_missing
        united = levels.extend_constant(None, 1) if has_missing else levels
        made = [
            one.replace_levels(
                np.append(levels.search_sorted(one.levels.drop_nulls()).to_numpy(), n), united
            )
            for one in (self, other)
        ]
        sides = Sides((*self.sides.rows, *other.sides.rows))
        return replace(
            self, sides=sides, codes=np.concatenate([m.codes for m in made]), levels=united
        )

    def replace_levels(self, level_of: Ints, levels: pl.Series) -> "CodedColumn":
        """The column with other levels, by which of them each of its own becomes."""
        made = level_of.astype(np.dtype(f"u{_code_bytes(len(levels))}"))
        return replace(self, codes=made[self.codes], levels=levels)


def add_declarations(
    column: CodedColumn, codes: Sequence[float] = (), *, is_category: bool = False
) -> CodedColumn:
    """The column with what the user says of it: codes that stand for no answer, and its kind."""
    if not codes and not is_category:
        return column
    special = tuple(dict.fromkeys((*column.special_codes, *codes)))
    return replace(column, special_codes=special, is_category=is_category or column.is_category)


def encode(
    name: str,
    sides: Sequence[pl.Series],
    meanings: Mapping[str, Meaning] | None = None,
    special_codes: tuple[float, ...] = (),
    measure: Measure | None = None,
) -> CodedColumn:
    """Encode one aligned column, all its sides at once."""
    rows = Sides(tuple(len(side) for side in sides))
    stacked = pl.concat(sides, rechunk=False)
    codes, levels = _codes_and_levels(stacked)
    if stacked.null_count():
        levels = levels.extend_constant(None, 1)
    codes = codes.astype(np.dtype(f"u{_code_bytes(len(levels))}"), copy=False)
    return CodedColumn(name, rows, codes, levels, meanings or {}, special_codes, measure)


FEW_PLACES = 2**12
FEW_TEXTS = 2**8
_PLACE = np.uint64(2 * FEW_PLACES - 1)
MOST_PARTED = 2**9  # levels that 16 bits of a hash may part: 1,000 hardly ever
_HASH_BITS = [(n, np.uint64(shift)) for n in (12, 16) for shift in range(0, 65 - n, 4)]


def _code_bytes(n_levels: int) -> int:
    """The fewest bytes that hold so many codes: they are kept for as long as the result is."""
    return 1 if n_levels <= 2**8 else 2 if n_levels <= 2**16 else 4


def _codes_and_levels(stacked: pl.Series) -> tuple[Codes, pl.Series]:
    """Codes into the sorted levels that occur; missing is beyond the last."""
    if stacked.dtype == pl.String:
        return _encode_text(stacked)
    if stacked.dtype.is_decimal():  # up to 128 bits wide, which numpy does not have
        levels = stacked.drop_nulls().unique().sort()
        rank = stacked.rank("dense").cast(pl.UInt32) - 1
        return rank.fill_null(len(levels)).to_numpy(), levels
    physical = stacked.cast(pl.UInt8) if stacked.dtype == pl.Boolean else stacked.to_physical()
    known = physical.drop_nulls() if physical.null_count() else physical
    span = _narrow_range(known)
    codes, distinct = _encode_by_sorting(known) if span is None else _encode_integers(known, span)
    codes = _fill(codes, len(distinct), physical)
    if isinstance(stacked.dtype, pl.Enum):  # bands, in their order
        return codes, stacked.dtype.categories.gather(distinct).cast(stacked.dtype)
    return codes, distinct.cast(physical.dtype).cast(stacked.dtype)


def _narrow_range(values: pl.Series) -> range | None:
    """The range of whole numbers, if an array over it takes no more room than they do."""
    lowest, highest = values.min(), values.max()
    if not isinstance(lowest, int) or not isinstance(highest, int):  # decimals, or nothing at all
        return None
    span = range(lowest, highest + 1)
    return span if highest - lowest < max(2**16, len(values)) else None


def _encode_text(text: pl.Series) -> tuple[Codes, pl.Series]:
    """Text: the place of each among the sorted distinct texts."""
    if len(text) <= FEW_TEXTS:  # asking the library takes longer than looking
        texts = text.to_list()
        distinct = sorted({one for one in texts if one is not None})
        place: dict[str | None, int] = {one: code for code, one in enumerate(distinct)}
        found = [place.get(one, len(distinct)) for one in texts]
        return np.array(found, np.uint32), pl.Series(distinct, dtype=pl.String)
    # Levels seen in a few places are nearly always all of them: each text is then hashed once.
    hashes = text.hash().to_numpy()
    step = max(len(text) // FEW_PLACES, 1)
    in_order = hashes[::step] & ~_PLACE  # with their places in the last bits: faster to sort
    in_order += np.arange(len(in_order), dtype=np.uint64)
    in_order.sort()
    firsts = in_order[run_starts(in_order & ~_PLACE)[:-1]] if len(text) else in_order
    at = (firsts & _PLACE).astype(np.int64) * step
    seen = zip(text[at].to_list(), hashes[at].tolist(), strict=True)
    hash_of = dict(sorted(pair for pair in seen if pair[0] is not None))
    levels = pl.Series(list(hash_of), dtype=pl.String)
    codes = _codes_by_hash(text, hashes, levels, np.array(list(hash_of.values()), np.uint64))
    if codes is None:
        levels = text.unique().drop_nulls().sort()
        places = text.cast(pl.Enum(levels)).to_physical()
        codes = places.cast(pl.UInt32).fill_null(len(levels)).to_numpy()
    return codes, levels


def _codes_by_hash(text: pl.Series, hashes: Hashes, levels: pl.Series, own: Hashes) -> Codes | None:
    """The place of each text among some levels; None where a text is none of them.

    A few bits of the hash name a level, if they part all of them, and then each text is compared
    with the level itself: half the time of a search, and no less exact.
    """
    for n_bits, shift in _HASH_BITS if 0 < len(levels) <= MOST_PARTED else ():
        mask = np.uint64(2**n_bits - 1)
        slots = (own >> shift) & mask
        if len(set(slots.tolist())) == len(levels):
            break
    else:
        return None
    kind = np.dtype(f"u{_code_bytes(len(levels) + 1)}")
    place = np.zeros(2**n_bits, kind)
    place[slots] = np.arange(len(levels))
    codes = np.empty(len(text), kind)
    for rows in chunks(slice(0, len(text)), 4 * IN_CACHE):
        slot = hashes[rows] >> shift
        slot &= mask
        place.take(slot.view(np.int64), out=codes[rows], mode="clip")
        is_same = levels[pl.Series(codes[rows])] == text[rows]
        if not is_same.all():
            return None
    if text.null_count():
        codes[text.is_null().to_numpy()] = len(levels)
    return codes


def _encode_integers(known: pl.Series, span: range) -> tuple[Codes, pl.Series]:
    """Whole numbers of a narrow range: an array over the range says which occur."""
    kind = np.dtype(f"u{_code_bytes(len(span))}")
    # Each chunk as it is, for together they would be copied; their last bytes are enough to count
    # from the lowest.
    parts = [part.cast(pl.Int64).to_numpy().astype(kind) for part in known.get_chunks()]
    offset = np.concatenate(parts)
    offset -= np.array(span.start).astype(kind)
    occurs = np.zeros(len(span), bool)
    occurs[offset[:: max(len(offset) // FEW_PLACES, 1)]] = True  # nearly always all of them
    if not occurs.all():
        at = offset.astype(np.int64)  # once for both: numpy looks up by no other type
        occurs[at] = True
        offset = (np.cumsum(occurs) - 1).astype(kind).take(at)
    return offset, pl.Series(np.flatnonzero(occurs) + span.start)


def _encode_by_sorting(known: pl.Series) -> tuple[Codes, pl.Series]:
    """Decimals and wide ranges: sort once; the place among the distinct values is the code."""
    distinct, place = np.unique(known.to_numpy(), return_inverse=True)
    return place.astype(np.uint32), pl.Series(distinct)


def _fill(codes: Codes, missing: int, values: pl.Series) -> Codes:
    """The codes of values that are not missing, with those that are among them."""
    if len(codes) == len(values):
        return codes
    made = np.full(len(values), missing, np.dtype(f"u{_code_bytes(missing + 1)}"))
    made[values.is_not_null().to_numpy()] = codes
    return made


# How is a level of a column written as text, and which level does a text name?
#
# Text is itself; numbers are matched by value, truth values as true and false, dates and times as
# ISO text, bands by their label. The missing level is written as nothing.


_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf)", re.ASCII)


def label(column: CodedColumn, code: int) -> str | None:
    """The level as text; None is the missing level."""
    level = column.few_levels[code] if column.n_levels <= FEW_PLACES else column.levels[code]
    return level_text(level, is_single=column.is_single)


def labels(column: CodedColumn) -> list[str]:
    """Every level as text, the missing one left out."""
    return [text for text in labels_or_none(column) if text is not None]


def labels_or_none(column: CodedColumn) -> list[str | None]:
    """Every level as text, in the order of the codes; None is the missing level."""
    return [level_text(level, is_single=column.is_single) for level in column.levels]


def label_beside(column: CodedColumn, code: int) -> str | None:
    """The label of a level with its code beside it; None where it has no label."""
    meaning = column.meanings.get(label(column, code) or "") if column.meanings else None
    return None if meaning is None else meaning.label_with_code


def level_label(column: CodedColumn, text: str) -> str:
    """A level as people read it, by its text: its label with the code beside it, or the text."""
    meaning = column.meanings.get(text)
    return text if meaning is None else meaning.label_with_code


def level_labels(column: CodedColumn) -> list[str | None]:
    """Every level as people read it, in the order of the codes; None is the missing level."""
    return [None if text is None else level_label(column, text) for text in labels_or_none(column)]


def code_of(column: CodedColumn, text: str) -> int | None:
    """The code of the level that the text names; None where there is none.

    A level is named by its text or, where it has one, by its label.
    """
    code = _find_text(column, text)
    if code is not None or text not in column.level_of_label:
        return code
    return _find_text(column, column.level_of_label[text])


def _find_text(column: CodedColumn, text: str) -> int | None:
    if text == "":
        return column.n_levels - 1 if column.has_missing else None
    if column.levels.dtype == pl.String:
        return column.levels.index_of(text)
    if column.levels.dtype.is_numeric():
        number = _parse_number(text.strip())
        return None if number is None else _place_of(column, number)
    known = labels(column)
    wanted = _normalise_text(text, column.levels.dtype)
    return known.index(wanted) if wanted in known else None


def _normalise_text(text: str, dtype: pl.DataType) -> str:
    """A text as the level would be written: truth in small letters, moments with their T."""
    if dtype == pl.Boolean:
        return text.strip().lower()
    if isinstance(dtype, pl.Datetime):
        moment = text.strip().replace(" ", "T")
        return moment if "T" in moment else f"{moment}T00:00:00"
    return text


def _parse_number(text: str) -> int | float | None:
    if text in TAGS:
        return TAGS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return None if math.isinf(number) and "inf" not in text else number


def _place_of(column: CodedColumn, number: int | float) -> int | None:
    """Where a number stands among the levels, by value."""
    levels = column.levels
    if column.is_single and float(str(np.float32(number))) == number:
        number = float(np.float32(number))
    wanted = pl.Series([number], strict=False).cast(levels.dtype, strict=False)[0]
    # A decimal cut to a whole number, or a number too large for the type, is not the same number.
    is_same = wanted is not None and (levels.dtype.is_float() or wanted == number)
    return levels.index_of(wanted) if is_same else None
