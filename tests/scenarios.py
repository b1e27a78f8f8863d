"""Random files to compare: few rows, few levels, every kind of column, awkward on purpose.

A scenario is an original and its copies as polars frames. Each column has one kind (whole numbers,
text, ...) and, on each side, its own type: whole numbers may be Int64 here, Float64 there, and
digits in a text column in the next copy. `Scenario.files` reads the frames as the oracle sees them.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from unittest.mock import patch

import polars as pl
from hypothesis import strategies as st

from oracles.values import canonical
from unveil.count import codes, profile

TEXT = (
    "a",
    "A",
    "a ",
    "b",
    "a | b",
    "b | a",
    "NA",
    "Missing",
    "nan",
    " ",
    "1",
    "é",
    "e\u0301",
    "\x1f",
)
LEVELS: dict[str, tuple] = {
    "whole": (-8, 0, 1, 2, 3, 10),
    "decimal": (-8.0, 0.0, 0.1, 0.5, 1.0, 2.0),
    "long": (2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1),
    "text": TEXT,
    "boolean": (False, True),
    "date": (date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29)),
}
TYPES: dict[str, tuple[str, ...]] = {
    "whole": ("Int64", "Int32", "Int8", "Float64", "digits"),
    "decimal": ("Float64", "digits"),
    "long": ("Int64", "UInt64", "digits"),
    "text": ("String", "Categorical", "Enum"),
    "boolean": ("Boolean",),
    "date": ("Date",),
}
# Names that a counter might want for itself, and names that a query might trip over.
NAMES = ("q", "t", "d", "s", "count", "len", "copy", "side", "target", "key", "index", "a b", "D")


@dataclass(frozen=True)
class Scenario:
    original: pl.DataFrame
    copies: tuple[pl.DataFrame, ...]
    keys: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def sides(self) -> tuple[pl.DataFrame, ...]:
        return (self.original, *self.copies)

    def call(self, function: Callable):
        """`function(original, synthetic, keys=, targets=)`; a lone copy has no list around it.

        Files with an odd number of records are counted as large ones are.
        """
        synthetic = list(self.copies) if len(self.copies) > 1 else self.copies[0]
        asked = {"keys": list(self.keys), "targets": list(self.targets)}
        if len(self.original) % 2 == 0:
            return function(self.original, synthetic, **asked)
        with patch.object(profile, "FEW_CELLS", 0), patch.object(codes, "FEW_TEXTS", 0):
            return function(self.original, synthetic, **asked)

    def each_side(self, change: Callable[[pl.DataFrame], pl.DataFrame]) -> "Scenario":
        """The same scenario with something done to every frame."""
        return replace(
            self, original=change(self.original), copies=tuple(change(c) for c in self.copies)
        )

    def column(self, name: str) -> list[list[Hashable]]:
        """One column of every side, in values that can be compared."""
        series = [side[name] for side in self.sides]
        as_number = any(one.dtype.is_numeric() for one in series)
        return [[canonical(v, as_number=as_number) for v in one.to_list()] for one in series]

    def files(self, target: str) -> list[list[tuple]]:
        """The original and its copies as the oracle reads them: rows of (key, target)."""
        keys = [self.column(name) for name in self.keys]
        values = self.column(target)
        return [
            list(zip(zip(*(key[i] for key in keys), strict=True), values[i], strict=True))
            for i in range(len(self.sides))
        ]

    def whole_rows(self) -> list[list[tuple]]:
        columns = [self.column(name) for name in (*self.keys, *self.targets)]
        return [
            list(zip(*(column[i] for column in columns), strict=True))
            for i in range(len(self.sides))
        ]


@st.composite
def scenarios(
    draw,
    *,
    kinds: tuple[str, ...] = tuple(LEVELS),
    max_rows: int = 10,
    max_levels: int = 4,
    max_copies: int = 3,
    plain: bool = False,
) -> Scenario:
    """One to four keys, one to three targets, one to `max_copies` copies.

    Every key has a level that all sides share, because a key without one is refused. `plain` keeps
    to the first type of each kind.
    """
    n_keys, n_targets = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    n_sides = 1 + draw(st.integers(1, max_copies))
    start = draw(st.integers(0, len(NAMES) - 1))
    names = (NAMES[start:] + NAMES[:start])[: n_keys + n_targets]
    sizes = [draw(st.integers(1, max_rows)) for _ in range(n_sides)]
    # Cells come from a seed: drawing each one apart took most of the time and made dull files.
    chance = Random(draw(st.integers(0, 2**32 - 1)))
    columns: list[list[pl.Series]] = [[] for _ in range(n_sides)]
    for position, name in enumerate(names):
        kind = draw(st.sampled_from(kinds))
        levels = draw(
            st.lists(st.sampled_from(LEVELS[kind]), min_size=2, max_size=max_levels, unique=True)
        )
        types = _types(draw, kind, n_sides, plain=plain)
        weights = [chance.random() for _ in range(len(levels) + 2)]
        for side, n in enumerate(sizes):
            # Two codes beyond the levels: missing, and missing spelt the other way.
            codes = chance.choices(range(len(levels) + 2), weights, k=n)
            if position < n_keys:
                codes[0] = 0  # the row that all sides share
            elif "digits" in types and types[side] != "digits":
                codes[0] = 0  # a number, so that the digits elsewhere are numbers beyond doubt
            columns[side].append(_series(draw, name, [*levels, None, ...], codes, types[side]))
    if draw(st.booleans()):
        columns[-1].reverse()  # the order of the columns means nothing
    frames = [pl.DataFrame(one) for one in columns]
    return Scenario(
        frames[0], tuple(frames[1:]), tuple(names[:n_keys]), tuple(sorted(names[n_keys:]))
    )


def _types(draw, kind: str, n_sides: int, *, plain: bool) -> list[str]:
    if plain:
        return [TYPES[kind][0]] * n_sides
    types = [draw(st.sampled_from(TYPES[kind])) for _ in range(n_sides)]
    if set(types) == {"digits"}:  # digits on all sides are text, and "1" is not "1.0" there
        types[0] = TYPES[kind][0]
    return types


def _series(draw, name: str, levels: list, codes: list[int], dtype: str) -> pl.Series:
    other_missing = {"Float64": float("nan")} | dict.fromkeys(
        ("String", "Categorical", "Enum", "digits"), ""
    )
    spelt = [other_missing.get(dtype) if level is ... else level for level in levels]
    if dtype == "digits":
        write = draw(st.sampled_from((str, _as_decimal)))
        spelt = [v if v is None or v == "" else write(v) for v in spelt]
    if dtype == "Enum":
        categories = draw(st.permutations([v for v in spelt if v is not None]))
        return pl.Series(name, [spelt[c] for c in codes], dtype=pl.Enum(categories))
    polars_type = pl.String if dtype == "digits" else getattr(pl, dtype)
    return pl.Series(name, [spelt[c] for c in codes], dtype=polars_type)


def _as_decimal(number: float) -> str:
    return f"{number}.0" if isinstance(number, int) and abs(number) < 2**53 else str(number)


def figures_of(result) -> dict[tuple, dict]:
    """The figures of a result, by what they are of: ("identity", copy) or (target, copy)."""
    document = result.to_dict()
    rows = [(("identity", row["copy"]), row) for row in document["identity"]]
    rows += [((f"target {row['target']}", row["copy"]), row) for row in document["attribute"]]
    found = {
        subject: {name: value for name, value in row.items() if name not in ("target", "copy")}
        for subject, row in rows
    }
    assert len(found) == len(rows), "two rows of the same subject"
    return found
