"""A scenario whose records an engine keeps: the questions of measures, as lazy frames of narwhals.

The rows of original and copies are coded once (`EngineStudy.code_rows`). For a pair, each row gets
the counts of its key combination and, for each target, the one level that the copy shows with it.
All that a measure asks is then a sum over these rows, and only sums leave the engine.

Columns: `side` is the number of the file, `s` 1 for a copy's record; `p0`, `p1` ... are the keys as
one whole number or several, `k0` ... the key levels, `t0` ... the target levels, `g` the segment;
`d_q`, `s_q` as in `count/profile.py`; `shown0` ... the level shown, or -1.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.count.cells import Cells, KeyCounts, Keys
from unveil.count.codes import CodedColumn, Codes, code_of
from unveil.count.exclude_cells import ORIGINAL, DenominatorLimit
from unveil.count.packing import Integers, Shares
from unveil.count.profile import Profile, Renormalised
from unveil.errors import EngineError
from unveil.records.exclusions import Exclusion
from unveil.study.backends import Backend, Lazy, told
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.engine_study import NO_ROWS, EngineStudy, pack_columns, packed
from unveil.study.excluded import Exclusions
from unveil.study.found import MOST_PAIRS, Found, RecordSums
from unveil.study.scenario import CountedScenario, Progress

ONE = nw.lit(1, nw.Int64)
MOST_CELLS = 4 * 10**6
"""Combinations of keys and target that are brought to memory by measures that look at each."""
ORIGINALS = (1 - nw.col("s").cast(nw.Int64)).sum()


def _sum(column: nw.Expr) -> nw.Expr:
    return column.cast(nw.Int64).sum()


def sum_if(condition: nw.Expr, of: nw.Expr = ONE) -> nw.Expr:
    """The sum of something where it is so."""
    return nw.when(condition).then(of).otherwise(0).cast(nw.Int64).sum()


def sum_by(rows: Lazy, *keys: str, **sums: nw.Expr) -> Lazy:
    """RecordSums by keys, as whole numbers of 64 bits: engines add up in wider ones."""
    made = rows.group_by(*keys).agg(**sums)
    return made.select(*keys, *(nw.col(name).cast(nw.Int64) for name in sums))


@dataclass(frozen=True, eq=False)
class CodedRows:
    """All records as codes, who keeps them, and which columns their keys are packed into."""

    backend: Backend
    rows: Lazy
    packs: tuple[str, ...]
    whole: tuple[nw.Expr, ...]  # all columns of a record, packed

    def fetch(self, frame: Lazy, what: str) -> pl.DataFrame:
        """A small answer."""
        return self.backend.fetch(frame, what)


@dataclass(frozen=True)
class EngineScenario(CountedScenario):
    """Keys and targets as levels with counts; everything else is asked of the engine."""

    study: EngineStudy | None = None
    coded: CodedRows | None = field(default=None, repr=False, compare=False)
    copies: tuple[int, ...] = ()  # the files that are its copies
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
        key_names = {f"k{i}": column for i, column in enumerate(keys)}
        names = {**key_names, **{f"t{i}": column for i, column in enumerate(targets)}}
        wanted = names if segment is None else {**names, "g": segment}
        rows = study.code_rows(wanted, progress)
        groups = pack_columns({name: column.n_levels for name, column in key_names.items()})
        whole = pack_columns({name: column.n_levels for name, column in names.items()})
        packs = {f"p{i}": packed(group) for i, group in enumerate(groups)}
        coded = CodedRows(
            study.backend,
            rows.with_columns(**packs),
            tuple(packs),
            tuple(packed(group) for group in whole),
        )
        sides = keys[0].sides
        return cls(
            sides,
            keys,
            targets,
            KeyCounts(()),
            study=study,
            coded=coded,
            copies=tuple(range(1, len(sides.rows))),
        )

    @property
    def _rows_of(self) -> tuple[EngineStudy, CodedRows]:
        if self.study is None or self.coded is None:
            raise EngineError(NEEDS_ROWS)
        return self.study, self.coded

    # Measures that look at key combinations one by one get them, where they are few.

    @cached_property
    @told
    def _combinations(self) -> pl.DataFrame:
        """Every key combination: its levels, and its records on each side."""
        names = [f"k{place}" for place in range(len(self.key_columns))]
        asked = sum_by(self._beside_rows(), *self.packs, *names, **self._per_side())
        return self._fetch_few(asked, "counting key combinations").sort(*self.packs)

    @cached_property
    def keys(self) -> Keys:
        """The key combinations; whose records have them is not known here."""
        counts = self._counts(self._combinations)
        return Keys(self.sides, NO_ROWS, counts, counts.shape[1])

    @told
    def cells(self, target: int) -> Cells:
        """The cells of one target, on every side."""
        if target not in self._cells:
            asked = sum_by(self._beside_rows(), *self.packs, f"t{target}", **self._per_side())
            what = f"counting cells of {self.target_names[target]}"
            found = self._fetch_few(asked, what).sort(*self.packs, f"t{target}")
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
        return self._rows_of[1].rows.filter(nw.col("side").is_in([0, *self.copies]))

    def _per_side(self) -> dict[str, nw.Expr]:
        """The records of each side: the original, and each copy or all of them as one."""
        side = nw.col("side")
        copies = [side == i for i in self.copies] if len(self.sides.rows) > 2 else [side > 0]
        return {f"n{i}": sum_if(one) for i, one in enumerate([side == 0, *copies])}

    def _counts(self, found: pl.DataFrame) -> Integers:
        n_sides = len(self.sides.rows)
        return np.stack([found[f"n{i}"].to_numpy().astype(np.int64) for i in range(n_sides)])

    def _fetch_few(self, asked: Lazy, what: str) -> pl.DataFrame:
        found = self.fetch(asked.head(MOST_CELLS + 1), what)
        self._check_few(found.height)
        return found

    def _check_few(self, n: int) -> None:
        """Refuse combinations that are too many to be held in memory."""
        if n > MOST_CELLS:
            raise EngineError(
                f"There are more than {MOST_CELLS:,} combinations of these keys, too many to be"
                " looked at one by one. Use fewer keys or coarser bands, or give a random sample of"
                " the records and state its size with the result."
            )

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
        return EngineScenario(
            columns[0].sides,
            tuple(columns[:n]),
            tuple(columns[n:]),
            KeyCounts(()),
            study=self.study,
            coded=self.coded,
            copies=tuple(copies),
        )

    def fetch(self, frame: Lazy, what: str) -> pl.DataFrame:
        """A small answer."""
        return self._rows_of[1].fetch(frame, what)

    @property
    def backend(self) -> Backend:
        """Who keeps the records."""
        return self._rows_of[1].backend

    @property
    def packs(self) -> tuple[str, ...]:
        """The columns of the packed keys."""
        return self._rows_of[1].packs

    @property
    def originals(self) -> Lazy:
        """The records of the original, with the codes of their columns."""
        return self._rows_of[1].rows.filter(nw.col("side") == 0)

    @cached_property
    @told
    def rows(self) -> Lazy:
        """The records of the original and the copy, with what is asked of their keys; kept."""
        coded, n = self._rows_of[1], len(self.target_columns)
        wanted = [0, *self.copies]
        rows = coded.rows.filter(nw.col("side").is_in(wanted)).with_columns(
            s=nw.when(nw.col("side") > 0).then(1).otherwise(0)
        )
        of_copy = {f"c{i}": nw.when(nw.col("s") == 1).then(nw.col(f"t{i}")) for i in range(n)}
        sums = {"d_q": sum_if(nw.col("s") == 0), "s_q": _sum(nw.col("s"))}
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

    # What is asked of all files, or of the original alone.

    @property
    def n_combinations(self) -> tuple[int, int, int]:
        """Key combinations of the original, of all copies, and of both together."""
        p = EngineExclusions(self.pooled_copies, ()).key_profile()
        return p.n_cells(p.d_q > 0), p.n_cells(p.s_q > 0), int(p.w.sum())

    @told
    def joint_counts(self, target: int, key: int) -> Ints:
        """Original records by target level and key level."""
        if (target, key) not in self._joint:
            asked = sum_by(self.originals, f"t{target}", f"k{key}", n=nw.len())
            t, k, n = _columns(self.fetch(asked, "counting pairs of levels"))
            shape = self.target_columns[target].n_levels, self.key_columns[key].n_levels
            self._joint[target, key] = np.zeros(shape, np.int64)
            self._joint[target, key][t, k] = n
        return self._joint[target, key]

    @told
    def most_common(self, target: int, key: int) -> Ints:
        """For each level of a key, the original records with its most common target level."""
        if (target, key) not in self._most:
            pairs = sum_by(self.originals, f"t{target}", f"k{key}", n=nw.len())
            k, n = _columns(
                self.fetch(sum_by(pairs, f"k{key}", n=nw.col("n").max()), "counting pairs")
            )
            self._most[target, key] = np.zeros(self.key_columns[key].n_levels, np.int64)
            self._most[target, key][k] = n
        return self._most[target, key]

    @told
    def count_recurring(self) -> tuple[int, list[tuple[int, int, bool]]]:
        """Which original records stand in the copies, equal in all columns?"""
        coded, n = self._rows_of[1], len(self.copies)
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


def _columns(frame: pl.DataFrame) -> list[Ints]:
    return [frame[name].to_numpy().astype(np.int64) for name in frame.columns]


@dataclass(frozen=True)
class EngineExclusions(Exclusions):
    """Rules as conditions that the engine holds against its rows."""

    _found: dict[Any, Found] = field(default_factory=dict, repr=False, compare=False)

    @property
    def backend(self) -> Backend:
        """Who keeps the records."""
        return self.pair.backend

    @property
    def pair(self) -> EngineScenario:
        """The scenario, as what it is."""
        if not isinstance(self.scenario, EngineScenario):
            raise EngineError(NEEDS_ROWS)
        return self.scenario

    # Which rule takes a record or a cell out? Those that name cells first, then the limits.

    def _lacking(self, rule: Exclusion) -> nw.Expr:
        """Whether one of the rule's keys is missing; any, by default."""
        lacks = [
            nw.col(f"k{place}") == column.n_levels - 1
            for place, column in enumerate(self.scenario.key_columns)
            if column.has_missing and (not rule.keys or column.name in rule.keys)
        ]
        return reduce(lambda a, b: a | b, lacks, nw.lit(0) == 1)

    def _named(self, target: int) -> Iterator[tuple[int, nw.Expr]]:
        """Each rule that names cells of the target, and its condition on a row."""
        column = self.scenario.target_columns[target]
        for number, rule in self._select_rules("level", "missing-targets", "missing-keys", "pair"):
            if rule.target not in (None, column.name):
                continue
            if rule.rule == "missing-keys":
                yield number, self._lacking(rule)
                continue
            code = code_of(column, rule.level or "")
            if code is None:  # missing targets, where none is missing
                continue
            hit = nw.col(f"t{target}") == code
            for key, level in rule.key_conditions:
                place = self.scenario.key_names.index(key)
                hit = hit & (
                    nw.col(f"k{place}") == code_of(self.scenario.key_columns[place], level)
                )
            yield number, hit

    @property
    def _has_original_limit(self) -> bool:
        return any(limit.side == ORIGINAL for limit in self._limits())

    def act_on(self, target: int) -> bool:
        """Whether some rule may hit a cell of this target."""
        return any(True for _ in self._named(target)) or any(True for _ in self._limits())

    def _rule(self, target: int, d: nw.Expr, s: nw.Expr, *, of_copy: bool = False) -> nw.Expr:
        """The number of the rule that hits a cell of so many records; 0: none."""
        found = nw.lit(0, nw.Int64)
        for limit in reversed([*self._limits()]):
            found = nw.when(_over(limit, d, s, of_copy=of_copy)).then(limit.rule).otherwise(found)
        for number, hit in reversed([*self._named(target)]):
            found = nw.when(hit).then(number).otherwise(found)
        return found.cast(nw.Int64)

    # The questions.

    @told
    def key_profile(self) -> Profile:
        """The profile of the key combinations under the rules."""
        x = nw.lit(0, nw.Int64)
        for number, rule in reversed([*self._select_rules("missing-keys")]):
            x = nw.when(self._lacking(rule)).then(number).otherwise(x)
        rows = self.pair.rows.with_columns(x=x)
        asked = sum_by(rows, "d_q", "s_q", "x", n=nw.len())
        d_q, s_q, x_d, n = _columns(self.pair.fetch(asked, "counting looks of keys"))
        in_d, in_s = (d_q > 0).astype(np.int64), (s_q > 0).astype(np.int64)
        n_original = np.array([self.scenario.sides.rows[0]])
        w = n // np.maximum(d_q + s_q, 1)  # each combination stands in so many rows
        return Profile(d_q, s_q, d_q, s_q, in_d, in_s, w, n_original, x_d=x_d, x_s=x_d)

    @told
    def _profile(self, target: int) -> Profile:
        asked = sum_by(
            self._cells(target), "d", "s", "d_q", "s_q", "single", "x_d", "x_s", w=nw.len()
        )
        answer = self.pair.fetch(asked, f"counting looks of {self.scenario.target_names[target]}")
        d, s, d_q, s_q, single, x_d, x_s, w = _columns(answer)
        n_shown = np.where(single > 0, 1, np.where(s_q > 0, 2, 0))  # 2 stands for several
        n_own = np.where(d == d_q, np.minimum(d_q, 1), 2)
        d_t = self.scenario.target_columns[target].counts[0]
        profile = Profile(d, s, d_q, s_q, n_own, n_shown, w, d_t)
        if not self.act_on(target):
            return profile
        return replace(profile, x_d=x_d, x_s=x_s, struck=self._renormalised(target))

    def _cells(self, target: int) -> Lazy:
        """The cells of a target: their counts, those of their keys, and the rules that hit them."""
        pair, t = self.pair, f"t{target}"
        n_alike = nw.col("d_q") + nw.col("s_q")
        keys = sorted(f"k{place}" for place in range(len(self.scenario.key_columns)))
        keys = keys if self.rules else []
        single = nw.when(nw.col(f"shown{target}") >= 0).then(1).otherwise(0).cast(nw.Int64)
        columns = [*pair.packs, *keys, t, "d_q", "s_q", "single"]
        rows = pair.rows.with_columns(single=single, d=1 - nw.col("s"))
        # A record alone with its keys is a cell: nothing about it must be counted.
        alone = rows.filter(n_alike == 1).select(
            *columns, nw.col("d").cast(nw.Int64), nw.col("s").cast(nw.Int64)
        )
        shared = sum_by(
            rows.filter(n_alike > 1), *columns, d=_sum(nw.col("d")), s=_sum(nw.col("s"))
        )
        d, s = nw.col("d"), nw.col("s")
        return nw.concat([alone, shared]).with_columns(
            x_d=self._rule(target, d, s), x_s=self._rule(target, d, s, of_copy=True)
        )

    def _renormalised(self, target: int) -> Renormalised:
        """RecordSums over key combinations from which excluded cells are struck out."""
        cells = self._cells(target).with_columns(
            d=nw.when(nw.col("x_d") == 0).then(nw.col("d")).otherwise(0),
            s=nw.when(nw.col("x_s") == 0).then(nw.col("s")).otherwise(0),
        )
        d, s = nw.col("d"), nw.col("s")
        sums = {
            "d_left": _sum(d),
            "s_left": _sum(s),
            "dd": _sum(d * d),
            "ss": _sum(s * s),
            "ds": _sum(d * s),
        }
        by_key = sum_by(cells, *self.pair.packs, **sums)
        products = {name: _sum(nw.col(name)) for name in ("dd", "ss", "ds")}
        asked = sum_by(by_key, "d_left", "s_left", **products, n=nw.len())
        answer = self.pair.fetch(asked, "striking out what is excluded")
        d_left, s_left, dd, ss, ds, n = _columns(answer)
        return Renormalised(
            dd_per_d=Shares.of(dd, d_left),
            ss_per_s=Shares.of(ss, s_left),
            ds_per_s=Shares.of(ds, s_left),
            d_found=int((d_left * n)[s_left > 0].sum()),
        )

    def left(self, target: int, rows: Lazy, *, shown: bool) -> Lazy:
        """Records of the original that no rule takes out; `shown`: of cells that the copy shows."""
        if not self.act_on(target):
            return rows
        d, s = nw.lit(0, nw.Int64), nw.col("s_q") if shown else nw.lit(0, nw.Int64)
        cell = (*self.pair.packs, f"t{target}")
        if self._has_original_limit:
            rows = rows.with_columns(d=ORIGINALS.over(*cell))
            d = nw.col("d")
        return rows.filter(self._rule(target, d, s) == 0)

    def found(self, target: int, several: float = 0, segment: CodedColumn | None = None) -> Found:
        """Whom a target's cells disclose that the rules leave, by segment and level."""
        known = next(
            (
                one
                for (t, n, by), one in self._found.items()
                if t == target and by == (segment is not None) and several in (0, n)
            ),
            None,
        )
        if known is None:
            known = EngineFound(self, target, several, is_parted=segment is not None)
            self._found[target, several, segment is not None] = known
        return known

    @told
    def count_any_correct(self) -> int:
        """Original records of which some target is disclosed correctly and not excluded."""
        rows = self.pair.rows.filter(nw.col("s") == 0)
        places = self.scenario.target_places
        if not len(places):
            return 0
        if self._has_original_limit:
            counted = {f"d{i}": ORIGINALS.over(*self.pair.packs, f"t{i}") for i in places}
            rows = rows.with_columns(**counted)
        is_correct = []
        for i in places:
            correct = nw.col(f"shown{i}") == nw.col(f"t{i}")
            if self.act_on(i):
                d = nw.col(f"d{i}") if self._has_original_limit else nw.lit(0, nw.Int64)
                correct = correct & (self._rule(i, d, nw.col("s_q")) == 0)
            is_correct.append(correct)
        any_of = reduce(lambda a, b: a | b, is_correct)
        asked = rows.filter(any_of).select(n=nw.len())
        return int(self.pair.fetch(asked, "counting whose values are shown")["n"][0])

    @told
    def frame_at_risk(
        self, target: int, counted: Callable[[Any], Any], *, of_keys: bool
    ) -> Any | None:
        """The records that a measure counts, as a frame of the engine that is not yet computed."""
        pair, cell = self.pair, (*self.pair.packs, f"t{target}")
        s = nw.col("s").cast(nw.Int64)
        rows = pair.rows.with_columns(d_tq=ORIGINALS.over(*cell), s_tq=s.sum().over(*cell))
        rules = EngineExclusions(pair, tuple(one for _, one in self._select_rules("missing-keys")))
        gone = (rules if of_keys else self)._rule(target, nw.col("d_tq"), nw.col("s_tq")) != 0
        rows = rows.filter((nw.col("s") == 0) & counted(_Letters(target)) & ~gone)
        named = {f"k{place}": column for place, column in enumerate(pair.key_columns)}
        column = pair.target_columns[target]
        names = {one.name for one in (*named.values(), column)}
        said = "copy_says" if "copy_says" not in names else "copy_says_"
        wanted = [*named.items(), (f"t{target}", column), (f"shown{target}", column)]
        for done, (code, of) in enumerate(wanted):
            called = of.name if done < len(wanted) - 1 else said
            values = (
                of.levels.cast(pl.String) if isinstance(of.levels.dtype, pl.Enum) else of.levels
            )
            levels = {code: pl.Series(range(of.n_levels), dtype=pl.Int32), called: values}
            put = self.pair._rows_of[1].backend.put(pl.DataFrame(levels))
            rows = rows.join(put, on=code, how="left")
        counts = [nw.col(one).alias(f"{one}_" if one in names else one) for one in LETTERS]
        return rows.select(*(of.name for _, of in wanted[:-1]), said, *counts).to_native()

    @told
    def count_values(self, target: int) -> tuple[Ints, Ints, Ints]:
        """By level, before any exclusion: shown correctly, shown to others, shown another level."""
        t, shown = f"t{target}", f"shown{target}"
        rows = self.pair.rows.filter((nw.col("s") == 0) & (nw.col(shown) >= 0))
        parts = [
            ("correct", rows.filter(nw.col(t) == nw.col(shown)), t),
            ("wrong", rows.filter(nw.col(t) != nw.col(shown)), shown),
            ("other", rows.filter(nw.col(t) != nw.col(shown)), t),
        ]
        asked = nw.concat(
            [
                sum_by(
                    part.with_columns(level=nw.col(by), what=nw.lit(what)),
                    "what",
                    "level",
                    n=nw.len(),
                )
                for what, part, by in parts
            ]
        )
        answer = self.pair.fetch(asked, "counting what is shown, level by level")
        made = []
        for what, _, _ in parts:
            counts = np.zeros(self.scenario.target_columns[target].n_levels, np.int64)
            level, n = _columns(answer.filter(pl.col("what") == what).select("level", "n"))
            counts[level] = n
            made.append(counts)
        return made[0], made[1], made[2]


EngineScenario.excluded_by = EngineExclusions


LETTERS = ("d_tq", "s_tq", "d_q", "s_q")


class _Letters:
    """The letters of a profile, as columns: what formulas ask of looks, asked of records."""

    def __init__(self, target: int) -> None:
        d_tq, s_tq, self.d_q, self.s_q = map(nw.col, LETTERS)
        self.pd_is_1 = (d_tq == self.d_q) & (self.d_q > 0)
        self.ps_is_1 = (s_tq == self.s_q) & (self.s_q > 0)
        shown = nw.col(f"shown{target}") >= 0
        self.T_s = nw.when(shown).then(1).otherwise(2)


def _over(limit: DenominatorLimit, d: nw.Expr, s: nw.Expr, *, of_copy: bool) -> nw.Expr:
    """Whether a cell has more records than a limit; in sums over the copy, of its own ones."""
    return (d if limit.side == ORIGINAL and not of_copy else s) > limit.most


@dataclass(frozen=True)
class EngineFound:
    """What is found of one target, asked of the engine at once for all keys."""

    exclusions: EngineExclusions
    target: int
    several: float
    is_parted: bool

    @property
    def backend(self) -> Backend:
        """Who keeps the records."""
        return self.exclusions.backend

    @cached_property
    @told
    def _sums(self) -> pl.DataFrame:
        """Records by key, segment, target level and key level: all, and those in larger pieces."""
        pair, t = self.exclusions.pair, f"t{self.target}"
        rows = pair.rows.filter((nw.col("s") == 0) & (nw.col(f"shown{self.target}") == nw.col(t)))
        rows = self.exclusions.left(self.target, rows, shown=True)
        keys = [f"k{place}" for place in range(len(pair.key_columns))]
        parts = ["g"] if self.is_parted else []
        pieces = sum_by(rows, *pair.packs, *keys, t, *parts, n=nw.len())
        n = nw.col("n")
        sums = {"n": _sum(n), "shared": sum_if(n > self.several, n)}
        g = nw.col("g") if self.is_parted else nw.lit(0, nw.Int32)
        asked = []
        for place in range(-1, len(keys)):
            k = nw.lit(0, nw.Int32) if place < 0 else nw.col(f"k{place}")
            named = pieces.with_columns(
                key=nw.lit(place, nw.Int32), segment=g, level=nw.col(t), k=k
            )
            asked.append(sum_by(named, "key", "segment", "level", "k", **sums))
        what = f"counting what is disclosed of {pair.target_names[self.target]}"
        return pair.fetch(nw.concat(asked), what).sort("segment", "level", "k")

    def sums(self, key: int | None = None, *, shared: bool = False) -> RecordSums:
        """The disclosed records by segment and target level, and by the level of one key."""
        count = "shared" if shared else "n"
        here = self._sums.filter(
            (pl.col("key") == (-1 if key is None else key)) & (pl.col(count) > 0)
        )
        return RecordSums(*_columns(here.select("segment", "level", "k", count)))

    @told
    def kept_sums(self) -> RecordSums:
        """The original records that exclusions leave."""
        pair, t = self.exclusions.pair, f"t{self.target}"
        rows = self._all_left()
        g = nw.col("g") if self.is_parted else nw.lit(0, nw.Int32)
        asked = sum_by(rows.with_columns(segment=g), "segment", t, n=nw.len())
        answer = pair.fetch(asked, "counting who is left").sort("segment", t)
        segment, level, n = _columns(answer)
        return RecordSums(segment, level, np.zeros_like(n), n)

    def _all_left(self) -> Lazy:
        """All records of the original that no rule takes out."""
        rules, pair = self.exclusions, self.exclusions.pair
        rows = pair.rows
        if not [*rules._limits()]:
            return rules.left(self.target, rows.filter(nw.col("s") == 0), shown=False)
        cell = (*pair.packs, f"t{self.target}")
        s = nw.col("s").cast(nw.Int64)
        rows = rows.with_columns(d=ORIGINALS.over(*cell), s_tq=s.sum().over(*cell))
        is_left = rules._rule(self.target, nw.col("d"), nw.col("s_tq")) == 0
        return rows.filter((nw.col("s") == 0) & is_left)

    @told
    def people(self, key: int, pairs: RecordSums) -> tuple[Ints, Ints]:
        """All original records with each key level, and those with the target level too."""
        pair, t, k = self.exclusions.pair, f"t{self.target}", f"k{key}"
        column = pair.key_columns[key]
        n_pairs = column.n_levels * pair.target_columns[self.target].n_levels
        if not self.is_parted and n_pairs <= MOST_PAIRS:
            n_level = pair.joint_counts(self.target, key)[pairs.t, pairs.k]
            return column.counts[0][pairs.k].astype(np.int64), n_level
        g = nw.col("g") if self.is_parted else nw.lit(0, nw.Int32)
        rows = sum_by(pair.originals.with_columns(g=g), "g", t, k, n=nw.len())
        wanted = pl.DataFrame({"g": pairs.segment, k: pairs.k}).unique().cast(pl.Int32)
        both = rows.join(pair._rows_of[1].backend.put(wanted), on=["g", k], how="inner")
        answer = pair.fetch(both, "counting pairs of levels").cast(pl.Int64)
        asked = pl.DataFrame({"g": pairs.segment, t: pairs.t, k: pairs.k})
        of_key = answer.group_by("g", k).agg(pl.col("n").sum())
        of_pair = asked.join(answer, on=["g", t, k], how="left", maintain_order="left")
        of_all = asked.join(of_key, on=["g", k], how="left", maintain_order="left")
        return of_all["n"].to_numpy(), of_pair["n"].to_numpy()
