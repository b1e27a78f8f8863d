"""A scenario whose records an engine keeps: the questions of measures, as lazy frames of narwhals.

The rows of original and copies are coded once (`EngineStudy.code_rows`). For a pair, each row gets
the counts of its key combination and, for each target, the one level that the copy shows with it.
All that a measure asks is then a sum over these rows, and only sums leave the engine.

Columns: `side` is the number of the file, `s` 1 for a copy's record; `p0`, `p1` ... are the keys as
one whole number or several, `k0` ... the key levels, `t0` ... the target levels, `g` the segment;
`d_q`, `s_q` as in `count/profile.py`; `shown0` ... the level shown, or -1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.count.cells import Cells, KeyCounts, Keys
from unveil.count.codes import CodedColumn, Codes
from unveil.count.packing import Integers
from unveil.errors import EngineError
from unveil.study.backends import Backend, Lazy, reports_faults
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.disclosed_records import MOST_PAIRS
from unveil.study.engine_study import NO_ROWS, EngineStudy, pack_columns, packed
from unveil.study.scenario import CountedScenario, Progress, no_progress

ONE = nw.lit(1, nw.Int64)
MOST_CELLS = 4 * 10**6
"""Combinations of keys and target that are brought to memory by measures that look at each."""
MIXING = 8191
"""A prime: packed keys modulo it are spread over parts, whatever their levels."""
ORIGINALS = (1 - nw.col("s").cast(nw.Int64)).sum()


def sum_of(column: nw.Expr) -> nw.Expr:
    """The sum of a column, as a whole number of 64 bits."""
    return column.cast(nw.Int64).sum()


def sum_if(condition: nw.Expr, of: nw.Expr = ONE) -> nw.Expr:
    """The sum of something where it is so."""
    return nw.when(condition).then(of).otherwise(0).cast(nw.Int64).sum()


def sum_by(rows: Lazy, *keys: str, **sums: nw.Expr) -> Lazy:
    """RecordSums by keys, as whole numbers of 64 bits: engines add up in wider ones."""
    made = rows.group_by(*keys).agg(**sums)
    return made.select(*keys, *(nw.col(name).cast(nw.Int64) for name in sums))


def fetch_few(backend: Backend, asked: Lazy, what: str) -> pl.DataFrame:
    """An answer that is small enough to be held in memory."""
    found = backend.fetch(asked.head(MOST_CELLS + 1), what)
    check_few(found.height)
    return found


def check_few(n: int) -> None:
    """Refuse combinations that are too many to be held in memory."""
    if n > MOST_CELLS:
        raise EngineError(
            f"There are more than {MOST_CELLS:,} combinations of these columns, too many to be"
            " looked at one by one. Use fewer or coarser ones, or give a random sample of the"
            " records and state its size with the result."
        )


def cell_counter(
    study: Any, columns: Sequence[CodedColumn], progress: Progress
) -> Callable[[Sequence[int]], tuple[Ints, Ints]]:
    """Who counts tables of these columns: cells by their number, and records on each side.

    The last column of a table turns fastest.
    """
    rows = study.code_rows({f"x{i}": column for i, column in enumerate(columns)}, progress)
    sides = {f"n{i}": sum_if(nw.col("side") == i) for i in range(len(study.sides))}

    def count(table: Sequence[int]) -> tuple[Ints, Ints]:
        group = [(f"x{i}", columns[i].n_levels) for i in table]
        check_few(0 if len(pack_columns(dict(group))) == 1 else MOST_CELLS + 1)
        asked = sum_by(rows.with_columns(cell=packed(group)), "cell", **sides)
        found = fetch_few(study.backend, asked, "counting tables").sort("cell")
        number, *counts = whole_numbers(found)
        return number, np.stack(counts)

    return count


@dataclass(frozen=True, eq=False)
class CodedRows:
    """All records as codes, who keeps them, and which columns their keys are packed into."""

    backend: Backend
    rows: Lazy
    packs: tuple[str, ...]
    whole: tuple[nw.Expr, ...]  # all columns of a record, packed


@dataclass(frozen=True)
class EngineScenario(CountedScenario):
    """Keys and targets as levels with counts; everything else is asked of the engine."""

    study: EngineStudy | None = None
    copies: tuple[int, ...] = ()  # the files that are its copies
    whole: tuple[Any, ...] = ()  # keys, targets and segment of all files
    progress: Progress = no_progress
    _coded: list[CodedRows] = field(default_factory=list, repr=False, compare=False)
    _cells: dict[int, Cells] = field(default_factory=dict, repr=False, compare=False)
    _most: dict[tuple[int, int], Ints] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        study: EngineStudy,
        keys: tuple[CodedColumn, ...],
        targets: tuple[CodedColumn, ...],
        segment: CodedColumn | None,
        progress: Progress,
    ) -> "EngineScenario":
        """The scenario of all files of a study."""
        sides = keys[0].sides
        return cls(
            sides,
            keys,
            targets,
            KeyCounts(()),
            study=study,
            copies=tuple(range(1, len(sides.rows))),
            whole=(keys, targets, segment),
            progress=progress,
        )

    @property
    def _study(self) -> EngineStudy:
        if self.study is None:
            raise EngineError(NEEDS_ROWS)
        return self.study

    @property
    def named_columns(self) -> dict[str, Any]:
        """All columns of the records by the names of their codes: keys, targets, segment."""
        keys, targets, segment = self.whole
        named = {f"k{i}": column for i, column in enumerate(keys)}
        named |= {f"t{i}": column for i, column in enumerate(targets)}
        return named if segment is None else {**named, "g": segment}

    @property
    def coded(self) -> CodedRows:
        """All records as codes; coded when first asked for."""
        if not self._coded:
            named, keys = self.named_columns, self.whole[0]
            rows = self._study.code_rows(named, self.progress)
            levels = {name: column.n_levels for name, column in named.items() if name != "g"}
            groups = pack_columns({f"k{i}": levels[f"k{i}"] for i in range(len(keys))})
            packs = {f"p{i}": packed(group) for i, group in enumerate(groups)}
            whole = tuple(packed(group) for group in pack_columns(levels))
            self._coded.append(
                CodedRows(self._study.backend, rows.with_columns(**packs), tuple(packs), whole)
            )
        return self._coded[0]

    # Measures that look at key combinations one by one get them, where they are few.

    @cached_property
    @reports_faults
    def _combinations(self) -> pl.DataFrame:
        """Every key combination: its levels, and its records on each side."""
        names = [f"k{place}" for place in range(len(self.key_columns))]
        asked = sum_by(self._beside_rows(), *self.packs, *names, **self._per_side())
        return fetch_few(self.backend, asked, "counting key combinations").sort(*self.packs)

    @cached_property
    def keys(self) -> Keys:
        """The key combinations; whose records have them is not known here."""
        counts = self._counts(self._combinations)
        return Keys(self.sides, NO_ROWS, counts, counts.shape[1])

    @reports_faults
    def cells(self, target: int) -> Cells:
        """The cells of one target, on every side."""
        if target not in self._cells:
            asked = sum_by(self._beside_rows(), *self.packs, f"t{target}", **self._per_side())
            what = f"counting cells of {self.target_names[target]}"
            found = fetch_few(self.backend, asked, what).sort(*self.packs, f"t{target}")
            n_of_q = found.group_by(*self.packs, maintain_order=True).len()["len"].to_numpy()
            starts = np.concatenate([[0], np.cumsum(n_of_q, dtype=np.int64)])
            t = found[f"t{target}"].to_numpy().astype(np.uint32)
            self._cells[target] = Cells(starts, t, self._counts(found))
        return self._cells[target]

    def key_codes(self, key: int, q: Integers | slice = slice(None)) -> Codes:
        """The code of one key in some key combinations."""
        codes: Codes = self._combinations[f"k{key}"].to_numpy()[q].astype(np.uint32)
        return codes

    def _beside_rows(self) -> Lazy:
        return self.coded.rows.filter(nw.col("side").is_in([0, *self.copies]))

    def _per_side(self) -> dict[str, nw.Expr]:
        """The records of each side: the original, and each copy or all of them as one."""
        side = nw.col("side")
        copies = [side == i for i in self.copies] if len(self.sides.rows) > 2 else [side > 0]
        return {f"n{i}": sum_if(one) for i, one in enumerate([side == 0, *copies])}

    def _counts(self, found: pl.DataFrame) -> Integers:
        n_sides = len(self.sides.rows)
        return np.stack([found[f"n{i}"].to_numpy().astype(np.int64) for i in range(n_sides)])

    def cells_of_originals(self, target: int, rows: Ints | None = None) -> NoReturn:
        """Refused."""
        raise EngineError(NEEDS_ROWS)

    def select_sides(self, chosen: Sequence[int]) -> NoReturn:
        """Refused."""
        raise EngineError(NEEDS_ROWS)

    def count_ahead(self, target: int) -> None:
        """Nothing: rows are counted when they are first asked for."""

    @property
    def n_bytes(self) -> int:
        """Nothing is kept here."""
        return 0

    def _beside(self, copies: Sequence[int]) -> "EngineScenario":
        columns = [one.select_sides([0, *copies], pooled=True) for one in self._columns]
        n = len(self.key_columns)
        fresh: dict[str, Any] = {
            one.name: {} for one in fields(self) if one.default_factory is dict
        }
        return replace(
            self,
            sides=columns[0].sides,
            key_columns=tuple(columns[:n]),
            target_columns=tuple(columns[n:]),
            copies=tuple(copies),
            **fresh,
        )

    def fetch(self, frame: Lazy, what: str) -> pl.DataFrame:
        """A small answer."""
        return self.backend.fetch(frame, what)

    @property
    def backend(self) -> Backend:
        """Who keeps the records."""
        return self._study.backend

    @property
    def packs(self) -> tuple[str, ...]:
        """The columns of the packed keys."""
        return self.coded.packs

    @property
    def originals(self) -> Lazy:
        """The records of the original, with the codes of their columns."""
        return self.coded.rows.filter(nw.col("side") == 0)

    @cached_property
    @reports_faults
    def rows(self) -> Lazy:
        """The records of the original and the copy, with what is asked of their keys; kept."""
        coded, n = self.coded, len(self.target_columns)
        wanted = [0, *self.copies]
        rows = coded.rows.filter(nw.col("side").is_in(wanted)).with_columns(
            s=nw.when(nw.col("side") > 0).then(1).otherwise(0)
        )
        of_copy = {f"c{i}": nw.when(nw.col("s") == 1).then(nw.col(f"t{i}")) for i in range(n)}
        sums = {"d_q": sum_if(nw.col("s") == 0), "s_q": sum_of(nw.col("s"))}
        for i in range(n):
            sums |= {f"low{i}": nw.col(f"c{i}").min(), f"high{i}": nw.col(f"c{i}").max()}
        by_key = sum_by(rows.with_columns(**of_copy), *self.packs, **sums)
        shown = {
            f"shown{i}": nw.when(nw.col(f"low{i}") == nw.col(f"high{i}"))
            .then(nw.col(f"low{i}"))
            .otherwise(-1)
            .cast(nw.Int32)
            for i in range(n)
        }
        by_key = by_key.with_columns(**shown).select(*self.packs, "d_q", "s_q", *shown)
        made = rows.join(by_key, on=list(self.packs), how="inner")
        return coded.backend.keep(made, "counting the keys")

    @cached_property
    @reports_faults
    def key_looks(self) -> pl.DataFrame:
        """How many records have keys of so many originals and copies: `d_q`, `s_q`, `n`."""
        return self.fetch(sum_by(self.rows, "d_q", "s_q", n=nw.len()), "counting looks of keys")

    def count_cells(self, target: int) -> int:
        """The most cells that the records who share their keys can have."""
        d_q, s_q, n = whole_numbers(self.key_looks)
        n = n * (d_q + s_q > 1)
        n_q = n // np.maximum(d_q + s_q, 1)
        return min(int(n.sum()), int(n_q.sum()) * self.target_columns[target].n_levels)

    def divide_rows(self, n_groups: int) -> list[Lazy]:
        """The rows in parts, those with equal keys together, in each about as many groups."""
        n_parts = self.backend.count_parts(n_groups)
        if n_parts == 1:
            return [self.rows]
        part = nw.col(self.packs[0]) % MIXING % n_parts
        return [self.rows.filter(part == number) for number in range(n_parts)]

    # What is asked of all files, or of the original alone.

    @property
    def n_combinations(self) -> tuple[int, int, int]:
        """Key combinations of the original, of all copies, and of both together."""
        p = self.excluded_by(self.pooled_copies, ()).key_profile()
        return p.n_cells(p.d_q > 0), p.n_cells(p.s_q > 0), int(p.w.sum())

    @reports_faults
    def joint_counts(self, target: int, key: int) -> Ints:
        """Original records by target level and key level."""
        if (target, key) not in self._joint:
            asked = sum_by(self.originals, f"t{target}", f"k{key}", n=nw.len())
            t, k, n = whole_numbers(self.fetch(asked, "counting pairs of levels"))
            shape = self.target_columns[target].n_levels, self.key_columns[key].n_levels
            self._joint[target, key] = np.zeros(shape, np.int64)
            self._joint[target, key][t, k] = n
        return self._joint[target, key]

    @reports_faults
    def most_common(self, target: int, key: int) -> Ints:
        """For each level of a key, the original records with its most common target level."""
        n_levels = self.target_columns[target].n_levels * self.key_columns[key].n_levels
        if n_levels <= MOST_PAIRS:  # asked for by others, too
            return super().most_common(target, key)
        if (target, key) not in self._most:
            pairs = sum_by(self.originals, f"t{target}", f"k{key}", n=nw.len())
            k, n = whole_numbers(
                self.fetch(sum_by(pairs, f"k{key}", n=nw.col("n").max()), "counting pairs")
            )
            self._most[target, key] = np.zeros(self.key_columns[key].n_levels, np.int64)
            self._most[target, key][k] = n
        return self._most[target, key]

    @reports_faults
    def count_recurring(self) -> tuple[int, list[tuple[int, int, bool]]]:
        """Which original records stand in the copies, equal in all columns?"""
        coded, n = self.coded, len(self.copies)
        whole = {f"w{i}": one for i, one in enumerate(coded.whole)}
        side = nw.col("side")
        counts = {f"n{i}": sum_if(side == i) for i in range(n + 1)}
        alike = sum_by(coded.rows.with_columns(**whole), *whole, **counts).with_columns(all=ONE)
        d = nw.col("n0")
        sums = {"alone": sum_if(d == 1)}
        for i in range(1, n + 1):
            theirs = nw.col(f"n{i}")
            sums[f"n{i}"] = sum_if(theirs > 0, d)
            sums[f"alone{i}"] = sum_if((theirs > 0) & (d == 1))
            sums[f"differ{i}"] = sum_if(theirs != d)
        found = self.fetch(sum_by(alike, "all", **sums), "comparing whole records").row(
            0, named=True
        )
        return found["alone"], [
            (found[f"n{i}"], found[f"alone{i}"], found[f"n{i}"] > 0 and not found[f"differ{i}"])
            for i in range(1, n + 1)
        ]


def whole_numbers(frame: pl.DataFrame) -> list[Ints]:
    """The columns of an answer."""
    return [frame[name].to_numpy().astype(np.int64) for name in frame.columns]
