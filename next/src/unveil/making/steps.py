"""Steps of recoding: each a map of the levels of one column, the same in every file.

``{"do": "top_code", "column": "age", "at": 85}``: msgspec turns a table into one of these types,
and refuses unknown names, missing settings and wrong types. Limits, shares and counts are those of
the original alone. Missing values and special codes stay as they are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.data.bands import band
from unveil.data.columns import Coded
from unveil.errors import InputError, check_name

T = TypeVar("T", bound="Step")
FEW = 5  # people: a smoothed number may become that of one who is so many ranks away
ROUNDING, MOST_ROUNDING = 1e-12, 1e-6  # quotients of decimals are not exact

PartOfOne = Annotated[float, Meta(gt=0, lt=1)]
Above0 = Annotated[float, Meta(gt=0)]
Columns = str | list[str]


@dataclass(frozen=True, eq=False)
class Levels:
    """One column: its levels, how many of the original have each, and which are amounts."""

    column: Coded
    special: tuple[float, ...]
    counts: Ints
    rng: np.random.Generator

    @cached_property
    def is_amount(self) -> Mask:
        """Which levels are numbers, neither missing nor a code."""
        if self.column.kind != "number":
            raise InputError(f"{self.column.name!r} holds no numbers.")
        numbers = self.column.numbers
        return np.isfinite(numbers) & ~np.isin(numbers, self.special)

    @property
    def amounts(self) -> Floats:
        is_amount = self.is_amount
        return self.column.numbers[is_amount]

    @cached_property
    def of_people(self) -> Floats:
        """The amounts of the original, each as often as it occurs, in order."""
        amounts = np.repeat(self.amounts, self.counts[self.is_amount])
        if not len(amounts):
            raise InputError(f"{self.column.name!r} has no amounts in the original.")
        return amounts

    def quantile(self, share: float, method: Literal["lower", "higher", "linear"]) -> float:
        """R's type 7 at its exact place, or the amount of the person below or above it."""
        amounts = self.of_people
        place, part = divmod(Fraction(f"{share:.12g}") * (len(amounts) - 1), 1)
        below, above = (float(amounts[int(place) + up]) for up in (0, bool(part)))
        if method == "linear":
            ends = Fraction(repr(below)), Fraction(repr(above))
            return float(ends[0] + (ends[1] - ends[0]) * part)
        return below if method == "lower" else above

    def with_amounts(self, amounts: Floats) -> pl.Series:
        """The levels with other amounts; whole numbers where all are."""
        numbers = self.column.numbers.copy()
        numbers[self.is_amount] = amounts
        values = pl.Series(numbers).fill_nan(None)
        is_whole = bool((values.drop_nulls() % 1 == 0).all())
        return values.cast(pl.Int64, strict=False) if is_whole else values

    def with_texts(self, texts: Mapping[int, str]) -> pl.Series:
        """The levels as texts, some of them others."""
        values = [texts.get(code, text) for code, text in enumerate(self.column.texts)]
        return pl.Series(values, dtype=pl.String)


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """What is done, and the columns that it is done to."""

    @property
    def name(self) -> str:
        return str(type(self).__struct_config__.tag)

    @property
    def of(self) -> tuple[str, ...]:
        names = getattr(self, "column", ()) or getattr(self, "columns", ())
        return (names,) if isinstance(names, str) else tuple(names)

    def says(self) -> str:
        """What is done, in words that hold no value of the data."""
        raise NotImplementedError


class LevelStep(Step, frozen=True):
    """A step that gives levels new values."""

    def values(self, levels: Levels) -> pl.Series:
        raise NotImplementedError


class RowStep(Step, frozen=True):
    """A step that leaves records out, by the level of a column.

    Where there are synthetic data it leaves out none of the original: people whose records were
    used are at risk, whatever is left out afterwards.
    """

    def is_left_out(self, levels: Levels) -> Mask:
        raise NotImplementedError


class Drop(Step, frozen=True, tag="drop"):
    """Leave columns out."""

    columns: Columns

    def says(self) -> str:
        return "left out"


class RemoveUniques(Step, frozen=True, tag="remove_uniques"):
    """Leave out records that are unique on the keys, of synthetic data the replicated ones."""

    which: Literal["original", "replicated"] | None = None

    def says(self) -> str:
        return "uniques on the keys left out"


class Limit(LevelStep, frozen=True):
    """Amounts beyond a limit, or beyond a quantile of the original, are set to it."""

    column: str
    at: float | None = None
    quantile: PartOfOne | None = None

    def __post_init__(self) -> None:
        if (self.at is None) == (self.quantile is None):
            raise ValueError("Give either 'at' or 'quantile'")

    def limit(self, levels: Levels, method: Literal["lower", "higher"]) -> float:
        return levels.quantile(self.quantile or 0, method) if self.at is None else self.at

    def says(self) -> str:
        side = "above" if self.name == "top_code" else "below"
        if self.quantile is not None:
            return f"amounts {side} the {self.quantile:g} quantile are set to it"
        return f"amounts {side} {self.at:g} are set to it"


class TopCode(Limit, frozen=True, tag="top_code"):
    """A quantile is that of somebody, downwards."""

    def values(self, levels: Levels) -> pl.Series:
        return levels.with_amounts(np.minimum(levels.amounts, self.limit(levels, "lower")))


class BottomCode(Limit, frozen=True, tag="bottom_code"):
    """A quantile is that of somebody, upwards."""

    def values(self, levels: Levels) -> pl.Series:
        return levels.with_amounts(np.maximum(levels.amounts, self.limit(levels, "higher")))


class Round(LevelStep, frozen=True, tag="round"):
    """The nearest multiple; halves go away from zero."""

    column: str
    to: Above0

    def values(self, levels: Levels) -> pl.Series:
        amounts = levels.amounts
        times = np.abs(amounts) / self.to
        whole = np.floor(times + 0.5 + np.minimum(ROUNDING * (1 + times), MOST_ROUNDING))
        rounded = np.sign(amounts) * whole * self.to
        digits = max(0, 12 - int(np.floor(np.log10(self.to))))
        return levels.with_amounts(np.round(rounded, min(digits, 15)))

    def says(self) -> str:
        return f"rounded to {self.to:g}"


class Band(LevelStep, frozen=True, tag="band"):
    """Intervals; missing values and codes stay levels of their own."""

    column: str
    bands: int | str | list[float] | dict[str, list[str]]
    labels: list[str] | None = None

    def values(self, levels: Levels) -> pl.Series:
        is_groups = isinstance(self.bands, dict)
        banded = band(levels.column, self.bands, levels.special)
        texts = pl.Series(banded.texts, dtype=pl.String)
        of_level = np.zeros(levels.column.n_levels, np.intp)
        of_level[levels.column.codes] = banded.codes
        if self.labels and not is_groups:
            used = np.unique(of_level[levels.is_amount])
            if len(used) != len(self.labels):
                raise InputError(
                    f"'labels' of {self.column!r} are {len(self.labels)}, but {len(used)} bands"
                    " are in use. Give one for each."
                )
            texts = texts.scatter(used, self.labels)
        return texts.gather(of_level)

    def says(self) -> str:
        return "levels in groups" if isinstance(self.bands, dict) else "amounts in bands"


class Merge(LevelStep, frozen=True, tag="merge"):
    """Levels become one."""

    column: str
    levels: list[str]
    into: str

    def values(self, levels: Levels) -> pl.Series:
        codes = [levels.column.code(text) for text in self.levels]
        if None in codes:
            raise InputError(f"A level to merge of {self.column!r} is in no file.")
        return levels.with_texts({code: self.into for code in codes if code is not None})

    def says(self) -> str:
        return f"{len(self.levels)} levels become one"


class MergeRare(LevelStep, frozen=True, tag="merge_rare"):
    """Levels that fewer records of the original have become one."""

    column: str
    below: Annotated[int, Meta(ge=2)]
    into: str = "other"

    def values(self, levels: Levels) -> pl.Series:
        texts = levels.column.texts
        rare = np.flatnonzero(levels.counts < self.below)
        return levels.with_texts({int(c): self.into for c in rare if texts[c] is not None})

    def says(self) -> str:
        return f"levels of fewer than {self.below:,} records become one"


class CoarsenDate(LevelStep, frozen=True, tag="coarsen_date"):
    """The first day of the period."""

    column: str
    to: Literal["year", "quarter", "month"]

    def values(self, levels: Levels) -> pl.Series:
        if levels.column.kind != "date":
            raise InputError(f"{self.column!r} holds no dates.")
        period = {"month": "1mo", "quarter": "1q", "year": "1y"}[self.to]
        return levels.column.levels.dt.truncate(period)

    def says(self) -> str:
        return f"the first day of the {self.to}"


class Smooth(LevelStep, frozen=True, tag="smooth"):
    """Numbers of single people move by at most five ranks, none beyond the fifth from an end."""

    columns: Columns

    def values(self, levels: Levels) -> pl.Series:
        ranked, amounts = levels.of_people, levels.amounts
        if len(ranked) < 2 * FEW:
            raise InputError(f"{levels.column.name!r} has too few amounts to be smoothed.")
        first, after = (np.searchsorted(ranked, amounts, side=s) for s in ("left", "right"))
        last = np.maximum(after - 1, first)
        rank = first + (last - first) * levels.rng.random(len(amounts))
        rank = np.clip(
            rank + levels.rng.uniform(-FEW, FEW, len(amounts)), FEW - 1, len(ranked) - FEW
        )
        step = step_of(ranked)
        moved = np.interp(rank, np.arange(len(ranked)), ranked)
        return levels.with_amounts(np.round(np.round(moved / step) * step, 10))

    def says(self) -> str:
        return "amounts moved by at most five ranks"


def step_of(amounts: Floats) -> float:
    """The largest power of ten of which all amounts are multiples, from 0.000001 to 1,000."""
    for power in range(3, -6, -1):
        step = 10.0**power
        if np.allclose(amounts / step, np.rint(amounts / step), rtol=0, atol=1e-6):
            return step
    return 1e-6


class Outliers(Step, frozen=True):
    """Amounts beyond the quantiles 1 - quantile and quantile of the original."""

    column: str
    quantile: Annotated[float, Meta(gt=0.5, lt=1)]

    def fences(self, levels: Levels) -> tuple[float, float]:
        return levels.quantile(1 - self.quantile, "linear"), levels.quantile(
            self.quantile, "linear"
        )


class DropOutliers(Outliers, RowStep, frozen=True, tag="drop_outliers"):
    """Their records are left out."""

    def is_left_out(self, levels: Levels) -> Mask:
        low, high = self.fences(levels)
        is_beyond = np.zeros(levels.column.n_levels, bool)
        is_beyond[levels.is_amount] = (levels.amounts < low) | (levels.amounts > high)
        return is_beyond

    def says(self) -> str:
        return f"records beyond the {self.quantile:g} quantiles left out"


class PerturbOutliers(Outliers, LevelStep, frozen=True, tag="perturb_outliers"):
    """Their distance from the quantile is multiplied by a number from 1 - spread to 1 + spread."""

    spread: PartOfOne = 0.5

    def values(self, levels: Levels) -> pl.Series:
        low, high = self.fences(levels)
        amounts, step = levels.amounts, step_of(levels.of_people)
        inside = np.clip(amounts, low, high)
        factor = levels.rng.uniform(1 - self.spread, 1 + self.spread, len(amounts))
        moved = np.round((inside + (amounts - inside) * factor) / step) * step
        return levels.with_amounts(np.where(amounts == inside, amounts, np.round(moved, 10)))

    def says(self) -> str:
        return f"amounts beyond the {self.quantile:g} quantiles moved along"


AnyStep = (
    Drop | RemoveUniques | TopCode | BottomCode | Round | Band | Merge | MergeRare | CoarsenDate
    | Smooth | DropOutliers | PerturbOutliers
)  # fmt: skip
KINDS = {kind.__struct_config__.tag: kind for kind in AnyStep.__args__}


def parse_steps(tables: Iterable[Mapping[str, Any]]) -> list[AnyStep]:
    """Each step with its settings; a fault names the step and what is wrong with it."""
    return [parse_step(number, table, KINDS) for number, table in enumerate(tables, start=1)]


def parse_step(number: int, table: Mapping[str, Any], kinds: Mapping[str, type[T]]) -> T:
    do = str(table.get("do", ""))[:40]
    check_name(do, kinds, f"'steps', step {number}: there is no step")
    settings = {name: value for name, value in table.items() if name != "do"}
    try:
        return msgspec.convert(settings, kinds[do], strict=False)
    except msgspec.ValidationError as fault:
        where = f"'steps', step {number} ({do})"
        raise InputError(f"{where}: {str(fault).replace(' - at `$`', '')}.") from None
