"""A column over all files of a study: one kind, one list of levels, one code for each record.

Numbers are compared as numbers ("1" = 1 = 1.0), text as text; missing is a level like any other.
What cannot be compared is refused: nothing would match, and the risk would look like zero.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import Form, convert, hints_of, split_names
from unveil.data.codebook import code_alike
from unveil.data.reading import Reading
from unveil.errors import InputError, check_name

T = TypeVar("T", bound=msgspec.Struct)
Kind = Literal["number", "truth value", "date", "time", "text", "nothing"]
Role = Literal["key", "target", "identifier", "person", "time", "weight", "ignore"]
Codes = NDArray[np.int32]


class Column(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is true of one column, in every file.

    Parameters
    ----------
    role
        What it is in this study; without one it is a target where no targets are named.
    kind
        What it is compared as; found from the files if omitted.
    special
        Numbers that are codes, not amounts, such as -8.
    bands
        5 bands of about equally many records, "equal:5" of equal width, breaks (18, 65), or named
        groups of levels {"North": ("Ash", "Birch")}.
    tolerance
        Numbers within it count as correct, in rows marked `near`.
    sensitive
        Levels that are reported apart.
    reason
        Why real values of an identifier may stay.
    """

    role: Role | None = None
    kind: Literal["category", "number", "date", "text"] | None = None
    special: tuple[float, ...] = ()
    bands: int | str | tuple[float, ...] | Mapping[str, tuple[str, ...]] | None = None
    tolerance: Annotated[float, msgspec.Meta(ge=0)] | None = None
    sensitive: tuple[str, ...] = ()
    reason: str = ""


def _parse_columns(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """``income:special=-8,-9`` and ``pid=person``: what is said of one column, together."""
    columns: dict[str, dict[str, Any]] = {}
    for text in texts:
        parts = re.fullmatch(r'(?:"((?:[^"]|"")+)"|([^":=]*))(?::([^=]*))?=(.+)', text, re.DOTALL)
        if not parts:
            raise InputError(f"{text!r} says nothing of a column. Write income:special=-8.")
        name = (parts[1] or "").replace('""', '"') or parts[2]
        setting, value = parts[3] or "role", parts[4]
        is_list = setting in ("special", "sensitive") or (setting == "bands" and "," in value)
        about = columns.setdefault(name, {})
        if setting in about:
            raise InputError(f"The {setting} of {name!r} is said twice. Say it once.")
        about[setting] = split_names([value]) if is_list else value
    return columns


Columns = Annotated[
    Mapping[str, Any],
    Form("a mapping of columns to what is true of them", "NAME:SETTING=VALUE", _parse_columns,
         ("--column", "-c")),
]  # fmt: skip
"""What is true of one column: a `Column`, its settings by name, or a text, short for a role."""


def as_columns(columns: Mapping[str, Any]) -> dict[str, Column]:
    """Each column with its settings held against their types."""
    return {name: _as(Column, name, about) for name, about in columns.items() if name}


def as_reading(columns: Mapping[str, Any]) -> Reading:
    """What is said under an empty name: how the files are read."""
    return _as(Reading, "", columns.get("", {}))


def _as(kind: type[T], name: str, about: Any) -> T:
    """Settings by name, or one of its kind, held against the types of its fields."""
    hints = hints_of(kind)
    if isinstance(about, kind):
        about = {setting: getattr(about, setting) for setting in hints}
    if not isinstance(about, Mapping):
        about = {"role": about}
    what = f"Column {name!r}" if name else "A file"
    for setting in about:
        check_name(setting, hints, f"{what} has no setting")
    return kind(**{
        setting: convert(f"{name}:{setting}", value, hints[setting])
        for setting, value in about.items()
    })  # fmt: skip


@dataclass(frozen=True, eq=False)
class Coded:
    """One column of every file, one after the other, as codes of its levels in their order.

    The missing level, if any record has it, is the last one.
    """

    name: str
    kind: Kind
    levels: pl.Series
    codes: Codes
    rows: tuple[slice, ...] = ()  # where the entries of each file stand
    n: NDArray[np.int64] | None = None  # records of each entry; each is one where there is none
    labels: Mapping[str, str] = field(default_factory=dict)  # what codes mean

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Records by file and level."""
        weights = [None if self.n is None else self.n[file] for file in self.rows]
        return np.stack([
            np.bincount(self.codes[file], records, self.n_levels).astype(np.int64)
            for file, records in zip(self.rows, weights, strict=True)
        ])  # fmt: skip

    @property
    def n_levels(self) -> int:
        return len(self.levels)

    @cached_property
    def has_missing(self) -> bool:
        return self.levels.null_count() > 0

    @cached_property
    def written(self) -> list[str | None]:
        """Each level as files have it; None is the missing one."""
        return [write_level(level) for level in self.levels]

    @cached_property
    def texts(self) -> list[str | None]:
        """Each level as people read it: by its label, where every level has one."""
        known = [level for level in self.written if level is not None]
        is_labelled = bool(known) and all(self.labels.get(level) for level in known)
        return [self.labels[level] if level and is_labelled else level for level in self.written]

    @property
    def is_labelled(self) -> bool:
        """Whether its levels are codes, which people read by their labels."""
        return self.texts != self.written

    def with_dates(self) -> "Coded":
        """As dates, if it is text and all levels are days such as 2026-11-19."""
        if self.kind != "text":
            return self
        days = self.levels.cast(pl.String).str.to_datetime("%Y-%m-%d", strict=False)
        is_dates = days.null_count() == self.has_missing < self.n_levels
        return replace(self, kind="date", levels=days) if is_dates else self

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Each level as a number; NaN is the missing one."""
        return self.levels.cast(pl.Float64).to_numpy()

    def code(self, text: str) -> int | None:
        """The code of the level so written, empty for missing; None where there is none."""
        if text in self._code_of or not text:
            return self._code_of.get(text or None)
        is_coded = self.kind == "number" and is_number(text)
        return self._code_of.get(write_level(float(text))) if is_coded else None

    @cached_property
    def _code_of(self) -> dict[str | None, int]:
        """By their labels too."""
        written = {text: code for code, text in enumerate(self.written)}
        by_label = {self.labels.get(text or "", text): code for text, code in written.items()}
        return by_label | written


def write_level(level: object) -> str | None:
    """A level as people write it: 2 for 2.0, true for True, a day for its midnight."""
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, datetime) and level.time() == time.min:
        return str(level.date())
    return None if level is None else str(level)


def encode(
    name: str,
    values: pl.Series,
    rows: Sequence[slice] = (),
    n: NDArray[np.int64] | None = None,
    missing: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
) -> Coded:
    """The column as codes of its levels, sorted, missing last; of texts these and empty ones."""
    has_missing = values.null_count() > 0
    if values.dtype == pl.String:
        codes, levels = _encode_texts(values)
        is_missing = levels.is_in(["", *missing])
        if is_missing.any():  # few levels are looked at, not many records
            place = is_missing.not_().cum_sum().to_numpy().astype(np.int32) - np.int32(1)
            place[is_missing.to_numpy()] = len(levels) - is_missing.sum()
            codes = np.append(place, place.max())[codes]
            levels, has_missing = levels.filter(~is_missing), True
    elif _is_dense(values):
        codes, levels = _encode_whole_numbers(values.cast(pl.Int64))
    else:
        codes, levels = _encode_sorted(values)
    if has_missing:
        levels = levels.extend_constant(None, 1)
    return Coded(name, kind_of(values), levels, codes, tuple(rows), n, labels or {})


def join(name: str, parts: Sequence[Coded]) -> Coded:
    """Several columns as one: its levels are the combinations that occur."""
    codes = np.zeros(len(parts[0].codes), np.int64)
    for part in parts:
        _, codes = np.unique(codes * part.n_levels + part.codes, return_inverse=True)
    _, example = np.unique(codes, return_index=True)
    texts = [[_quote(part.texts[code] or "") for code in part.codes[example]] for part in parts]
    levels = pl.Series(["+".join(text) for text in zip(*texts, strict=True)], dtype=pl.String)
    return Coded(name, "text", levels, codes.astype(np.int32), parts[0].rows, parts[0].n)


def _quote(text: str) -> str:
    """A level as it stands in a joint one."""
    return f'"{text}"' if "+" in text else text


SAMPLE = 50_000  # records that nearly always have every text that occurs


def _encode_texts(texts: pl.Series) -> tuple[Codes, pl.Series]:
    """By the levels of the first records; by those of all if a text is none of them."""
    for records in (texts[:SAMPLE], texts):
        levels = records.unique().drop_nulls().sort()
        codes = texts.cast(pl.Enum(levels), strict=False).to_physical()
        if codes.null_count() == texts.null_count():
            break
    return codes.cast(pl.Int32).fill_null(len(levels)).to_numpy(), levels


def _is_dense(values: pl.Series) -> bool:
    """Whole numbers in a range not much wider than they are many."""
    is_whole = values.dtype.is_integer() or (values.dtype.is_float() and (values % 1 == 0).all())
    low, high = _ends(values)
    return bool(is_whole and low is not None and high - low < len(values))


def _ends(values: pl.Series) -> tuple[Any, Any]:
    return values.min(), values.max()


def _encode_whole_numbers(numbers: pl.Series) -> tuple[Codes, pl.Series]:
    """By a table of their range."""
    (lowest, _), is_missing = _ends(numbers), numbers.is_null().to_numpy()
    place = numbers.fill_null(lowest).to_numpy() - lowest
    occurs = np.zeros(int(place.max()) + 1, bool)
    occurs[place] = True
    codes = (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[place]
    codes[is_missing] = occurs.sum()
    return codes, pl.Series(np.flatnonzero(occurs) + lowest)


def _encode_sorted(values: pl.Series) -> tuple[Codes, pl.Series]:
    known = values.drop_nulls()
    levels, place = np.unique(known.to_physical().to_numpy(), return_inverse=True)
    codes = np.full(len(values), len(levels), np.int32)
    codes[values.is_not_null().to_numpy()] = place
    return codes, pl.Series(levels).cast(values.dtype)


def kind_of(values: pl.Series) -> Kind:
    """What the values are, by their type."""
    dtype = values.dtype
    if values.null_count() == len(values):
        return "nothing"
    if dtype.is_numeric():
        return "number"
    if dtype == pl.Boolean:
        return "truth value"
    if dtype.is_temporal():
        return "date" if dtype in (pl.Date, pl.Datetime) else "time"
    if dtype == pl.String:
        return "text"
    raise InputError(f"Column {values.name!r} holds {dtype} values, which cannot be compared.")


def with_one_missing(values: pl.Series, missing: Sequence[str]) -> pl.Series:
    """Plain values: null where they are empty, or what stands for missing (NA, -9)."""
    values = plain(values)
    if values.dtype == pl.String:
        is_missing = values.is_in(["", *missing])
    elif values.dtype.is_numeric() and (codes := [float(m) for m in missing if is_number(m)]):
        is_missing = values.cast(pl.Float64).is_in(codes)
    else:
        return values
    return values.set(is_missing, None) if is_missing.any() else values


def plain(values: pl.Series) -> pl.Series:
    """Text for categories, null for NaN, the time on the clock where it was."""
    if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
        return values.dt.replace_time_zone(None)
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        return values.cast(pl.String)
    return values.fill_nan(None) if values.dtype.is_float() else values


def is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


DECLARED: dict[str, Kind] = {"number": "number", "date": "date", "text": "text"}
"""Kinds that can be declared; a category is compared as it is found."""


def stack(
    name: str,
    parts: Mapping[str, pl.Series],
    declared: str | None,
    missing: Sequence[str],
    labels: Mapping[str, str],
) -> pl.Series:
    """One column of all files in one type, one file after the other."""
    parts = {file: plain(values) for file, values in parts.items()}
    if labels:
        missing = [*missing, *(code for code, label in labels.items() if label in missing)]
        alone = {file: with_one_missing(values, missing) for file, values in parts.items()}
        parts = code_alike(alone, labels)
    kinds = {file: kind_of(values) for file, values in parts.items()}
    kind = DECLARED.get(declared or "") or _common_kind(name, kinds)
    if kind != "text" or any(values.dtype != pl.String for values in parts.values()):
        parts = {file: with_one_missing(values, missing) for file, values in parts.items()}
    alike = [_convert(values, kind, file).to_frame() for file, values in parts.items()]
    return pl.concat(alike, how="vertical_relaxed").to_series()


def _common_kind(name: str, kinds: Mapping[str, Kind]) -> Kind:
    """What all files are compared as: the kind that is not text, as long as there is but one."""
    typed = set(kinds.values()) - {"text", "nothing"}
    if typed == {"number", "truth value"}:
        return "number"
    if len(typed) > 1:
        by_file = ", ".join(f"{kind} in {file}" for file, kind in kinds.items())
        raise InputError(
            f"Column {name!r} differs: {by_file}. Nothing would match and the risk would look like"
            " zero. Give the column the same coding in every file."
        )
    return typed.pop() if typed else "text" if "text" in kinds.values() else "nothing"


def _convert(values: pl.Series, kind: Kind, file: str) -> pl.Series:
    """The values of one file as the kind that all files are compared as."""
    if values.dtype == pl.Float32:  # through text, 0.1 is what people wrote, not the nearest single
        values = values.cast(pl.String)
    converted = _cast(values, kind)
    n_lost = converted.null_count() - values.null_count()
    if n_lost:
        raise InputError(
            f"Column {values.name!r} in {file}: {n_lost:,} of {len(values):,} entries cannot be"
            f" read as a {kind}, as in other files. Nothing would match and the risk would look"
            f" like zero. Give the column the same coding in every file{WRITTEN.get(kind, '')}, or"
            " name the text that stands for missing (missing)."
        )
    return converted


WRITTEN: dict[Kind, str] = {"date": " (2026-01-31)"}
ISO = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$"


def _cast(values: pl.Series, kind: Kind) -> pl.Series:
    if kind == "number":
        if values.dtype.is_integer():
            return values.cast(pl.Int64, strict=False)
        return values.cast(pl.Float64, strict=False).fill_nan(None)
    if kind == "date":
        return _as_moments(values)
    if kind == "truth value" and values.dtype == pl.String:
        truths = {"true": True, "false": False}
        lower = values.str.to_lowercase()
        return lower.replace_strict(truths, default=None, return_dtype=pl.Boolean)
    dtypes = {"text": pl.String, "truth value": pl.Boolean, "nothing": pl.String}
    converted = values.cast(dtypes.get(kind, values.dtype), strict=False)
    is_whole = kind == "text" and values.dtype.is_float()
    return converted.str.replace(r"\.0$", "") if is_whole else converted


def _as_moments(values: pl.Series) -> pl.Series:
    """Days and moments; of texts those written as 2026-01-31, for others may mean two days."""
    if values.dtype.is_numeric():
        return pl.Series(values.name, [None] * len(values), pl.Datetime("us"))
    if values.dtype != pl.String:
        return values.cast(pl.Datetime("us"))
    texts = values.set(~values.str.contains(ISO).fill_null(False), None).str.replace(" ", "T")
    n = texts.str.len_bytes()
    ends = pl.select(
        pl.when(n == 10)
        .then(pl.lit("T00:00:00"))
        .when(n == 16)
        .then(pl.lit(":00"))
        .otherwise(pl.lit(""))
    )
    return (texts + ends.to_series()).str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us"
    )
