"""The levels of a column: how they are named, counted and put in the place of others.

A level is named by its code or by what the code stands for. In a column of labelled codes a new
level gets a code that nothing else has; in one of plain numbers it makes the column text, unless it
is a number itself.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
import polars as pl

from unveil.errors import SettingsError, hint_at, quote_text
from unveil.io.code_meanings import NOUNS, find_code_number, kind_of
from unveil.io.numbers import TAGS, level_text
from unveil.protection.recoding.column import (
    RecodedColumn,
    check_large,
    format_change,
    keep_variable,
    replace_values,
    store_number,
    to_floats,
)
from unveil.records.codebook import Level, Variable
from unveil.records.recoding import LevelName
from unveil.study.bands import LARGEST_EXACT

# Levels put in the place of others: among numbers, and among fixed categories.


NO_LEVELS = "column {!r} holds values that have no levels. Drop it, or turn it into text first."


def check_no_levels(column: RecodedColumn) -> None:
    """Refuse what has no levels, and numbers in one file that are text in the other."""
    held = [side for side in column.sides if side.null_count() < len(side)]
    kinds = [kind_of(side.dtype) for side in held]
    if "unknown" in kinds or any(side.dtype == pl.Duration for side in held):
        raise SettingsError(NO_LEVELS.format(column.name))
    if len({kind == "number" for kind in kinds}) > 1:
        data, copy = (NOUNS[kind] for kind in kinds)
        raise SettingsError(
            f"column {column.name!r} holds {data}, but {copy} in the synthetic data. Give it the"
            " same coding in both."
        )


def categories(old: Sequence[str], into: Mapping[str, str]) -> list[str]:
    """Fixed categories without the merged ones; a new one stands where the first of them stood."""
    places: dict[str, None] = {}
    for level in old:
        target = into.get(level, level)
        if target == level or target not in old:
            places[target] = None
    return [*places]


def replace_level_numbers(
    side: pl.Series, into: Mapping[str, str], codes: Mapping[str, float]
) -> pl.Series:
    """The numbers of levels in the place of others; new ones by their codes."""
    held = {find_code_number(level): target for level, target in into.items()}
    new = {
        store_number(side.dtype, old): codes.get(target, find_code_number(target))
        for old, target in held.items()
        if old is not None
    }
    found = pl.Series(to_floats(side)).replace_strict(
        list(new), list(new.values()), default=None, return_dtype=pl.Float64
    )
    chosen = found.is_not_null().to_numpy()
    return replace_values(side, chosen, found.fill_null(0.0).to_numpy())


Sides = tuple[pl.Series, ...]
Declared = Callable[[Variable], Variable]
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?")  # not 007, 1_0 or Infinity: names
_REACH = 10_000  # how far from the codes that are taken a free one is looked for


@dataclass(frozen=True)
class RecodeLevels:
    """The levels of a column by how they are written, and what they stand for."""

    column: RecodedColumn

    @cached_property
    def texts(self) -> tuple[pl.Series, ...]:
        """Every record's level as it is written, for the data and its copy."""
        check_no_levels(self.column)
        check_large(self.column.name, self.column.sides)
        return tuple(format_change(side) for side in self.column.sides)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Records of the data that have each level."""
        found = self.texts[0].drop_nulls().alias("level").value_counts(name="n").sort("level")
        counts = dict(zip(found["level"].to_list(), found["n"].to_list(), strict=True))
        counts.pop("", None)  # empty text is missing
        return counts

    @cached_property
    def labels(self) -> dict[str, str]:
        """What codes stand for, by the code as it is written."""
        variable = self.column.variable
        declared = () if variable is None else variable.levels
        return {self._text(level.code): level.label for level in declared}

    @cached_property
    def known_levels(self) -> set[str]:
        """Every level that occurs or is declared."""
        there = {text for side in self.texts for text in side.unique().drop_nulls()}
        return there | set(self.labels)

    @cached_property
    def only_in_copy(self) -> set[str]:
        """Levels of the copy that the data has not."""
        there = {text for side in self.texts[1:] for text in side.unique().drop_nulls() if text}
        return there - set(self.counts)

    def name_level(self, level: str) -> LevelName:
        """A level as a step names it: a number in a column of numbers, unless it is new."""
        held = find_code_number(level) if self.is_number and level in self.known_levels else None
        if held is None or level in TAGS or not math.isfinite(held):
            return level
        return int(held) if held.is_integer() and abs(held) <= LARGEST_EXACT else held

    @cached_property
    def answers(self) -> dict[str, str]:
        """What codes stand for that are answers."""
        return {code: name for code, name in self.labels.items() if code not in self.no_answers}

    @cached_property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.column.sides[0].dtype.is_numeric()

    @cached_property
    def no_answers(self) -> set[str]:
        """Codes that are declared to be no answers: never rare, and never merged with others."""
        variable = self.column.variable
        declared = () if variable is None else variable.missing
        found = {self._text(code) for code in (*declared, *self.column.special_codes)}
        if not self.is_number:
            return found
        held = {code: find_code_number(code) for code in self.labels}
        within = [code for code, one in held.items() if one is not None]
        return found | {code for code in within if self.column.apart.has(held[code] or 0.0)}

    def _text(self, code: LevelName) -> str:
        held = find_code_number(code) if self.is_number else code
        return level_text(code if held is None else held) or ""

    def find_level(self, given: LevelName) -> str:
        """A level as it is written, from its code or its label; a new one as it was given."""
        text = (
            given if isinstance(given, str) and self._number(given) is None else self._text(given)
        )
        if text in self.known_levels:
            return text
        by_label = [code for code, label in self.labels.items() if label == given]
        if len(by_label) > 1:
            raise SettingsError(
                f"column {self.column.name!r} has {len(by_label)} codes with the label"
                f" {quote_text(str(given))}. Name the code."
            )
        return by_label[0] if by_label else text

    def _number(self, given: str) -> float | None:
        """The number that a text stands for in a column of numbers; None where it is a name."""
        if not self.is_number:
            return None
        variable = self.column.variable
        if given in TAGS and variable is not None and set(variable.missing) & set(TAGS):
            return TAGS[given]
        return float(given) if _PLAIN.fullmatch(given) else None

    def check_known(self, given: Iterable[LevelName], what: str) -> None:
        """Refuse levels that the column has not; a hint is given of declared labels alone."""
        for one in given:
            if self.find_level(one) not in self.known_levels:
                name = quote_text(one) if isinstance(one, str) else f"{one:.15g}"
                hint = hint_at(str(one), [*self.labels.values()])
                raise SettingsError(
                    f"column {self.column.name!r} has no level {name}, {what}.{hint} Check how it"
                    " is written."
                )

    def merge(self, into: Mapping[str, str]) -> tuple[Sides, Declared]:
        """The column with levels in the place of others, and what is declared of it then."""
        into = {level: target for level, target in into.items() if level != target}
        if not into:
            return self.column.sides, keep_variable
        new = [target for target in dict.fromkeys(into.values()) if target not in self.known_levels]
        codes = self._new_codes(new) if self.is_number else None
        if codes is not None:
            made = tuple(replace_level_numbers(side, into, codes) for side in self.column.sides)
            return made, lambda old: self._declare(old, into, codes)
        kinds = {kind_of(side.dtype) for side in self.column.sides}
        if "text" in kinds:
            sides = self._in_own_types(self._replace_texts(into), into)
            return sides, lambda old: self._declare(old, into, {})
        # A name among numbers, truth values or dates makes them text.
        texts = tuple(text.alias(self.column.name) for text in self._replace_texts(into))
        return texts, lambda old: self._as_text(self._declare(old, into, {}), into)

    def _replace_texts(self, into: Mapping[str, str]) -> list[pl.Series]:
        return [text.replace(list(into), list(into.values())) for text in self.texts]

    def _in_own_types(self, texts: Iterable[pl.Series], into: Mapping[str, str]) -> Sides:
        """Text as the column had it: with fixed categories in their order, or of any."""
        made = []
        for text, side in zip(texts, self.column.sides, strict=True):
            dtype = side.dtype
            if isinstance(dtype, pl.Enum):
                dtype = pl.Enum(categories(dtype.categories.to_list(), into))
            is_fixed = isinstance(dtype, pl.Enum | pl.Categorical)
            made.append((text.cast(dtype) if is_fixed else text).alias(side.name))
        return tuple(made)

    def _new_codes(self, new: Iterable[str]) -> dict[str, float] | None:
        """A code for every new level of a column of numbers; None where it cannot stay one."""
        given = {name: self._number(name) for name in new}
        if None in given.values() and not self.answers:
            return None
        free = self._free_codes()
        codes: dict[str, float] = {}
        for name, number in given.items():
            code = next(free, None) if number is None else number
            if code is None:
                raise SettingsError(f"no code of column {self.column.name!r} is free.")
            codes[name] = code
        return codes

    def _free_codes(self) -> Iterator[float]:
        """Codes that nothing has, from the highest on, then downwards; none that is no answer."""
        held = [find_code_number(text) for text in self.known_levels - self.no_answers]
        taken = [one for one in held if one is not None and abs(one) < LARGEST_EXACT]
        top, bottom = math.floor(max(taken, default=0)), math.ceil(min(taken, default=1))
        found = np.array([*range(top + 1, top + _REACH), *range(bottom - 1, bottom - _REACH, -1)])
        numbers = found.astype(np.float64)
        is_apart = self.column.apart.among(numbers, pl.Float64())
        return (
            one for one in numbers[~is_apart].tolist() if level_text(one) not in self.known_levels
        )

    def _declare(
        self, old: Variable, into: Mapping[str, str], codes: Mapping[str, float]
    ) -> Variable:
        """What is declared of the column: without the merged levels, with the new ones."""
        kept = [level for level in old.levels if self._text(level.code) not in into]
        labelled = {self._text(level.code) for level in kept}
        if self.answers:
            for name in dict.fromkeys(into.values()):
                if name not in labelled:
                    code = codes.get(name, name)
                    held = find_code_number(code) if self.is_number else None
                    is_whole = held is not None and held.is_integer() and code not in TAGS
                    label = self.labels.get(name, name)
                    kept.append(Level(code=int(held or 0) if is_whole else code, label=label))
        missing = tuple(code for code in old.missing if self._text(code) not in into)
        return msgspec.structs.replace(old, levels=tuple(kept), missing=missing)

    def _as_text(self, old: Variable, into: Mapping[str, str]) -> Variable:
        """What is declared of a column that became text: its codes are text, no ranges are left."""
        texts = dict.fromkeys(map(self._text, old.missing))
        texts |= dict.fromkeys(sorted(self.no_answers & self.known_levels - set(into) - set(texts)))
        return msgspec.structs.replace(
            old,
            kind="text",
            measure=None if old.measure == "scale" else old.measure,
            format=None,
            levels=tuple(
                Level(code=self._text(level.code), label=level.label) for level in old.levels
            ),
            missing=tuple(texts),
            missing_ranges=(),
        )
