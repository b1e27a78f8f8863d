"""What do exclusions leave where an engine keeps the records? Rules as conditions on its rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from unveil.arrays import Ints
from unveil.count.codes import CodedColumn, code_of
from unveil.count.exclude_cells import ORIGINAL, DenominatorLimit
from unveil.count.packing import Shares
from unveil.count.profile import Profile, Renormalised
from unveil.errors import EngineError
from unveil.records.exclusions import Exclusion
from unveil.study.backends import Backend, Lazy, reports_faults
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.disclosed_records import MOST_PAIRS, DisclosedRecords, RecordSums
from unveil.study.engine_scenario import (
    ORIGINALS,
    EngineScenario,
    sum_by,
    sum_if,
    sum_of,
    whole_numbers,
)
from unveil.study.excluded import Exclusions


@dataclass(frozen=True)
class EngineExclusions(Exclusions):
    """Rules as conditions that the engine holds against its rows."""

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

    @reports_faults
    def key_profile(self) -> Profile:
        """The profile of the key combinations under the rules."""
        if self.key_rules:
            x = nw.lit(0, nw.Int64)
            for number, rule in reversed([*self._select_rules("missing-keys")]):
                x = nw.when(self._lacking(rule)).then(number).otherwise(x)
            rows = self.pair.rows.with_columns(x=x)
            asked = sum_by(rows, "d_q", "s_q", "x", n=nw.len())
            d_q, s_q, x_d, n = whole_numbers(self.pair.fetch(asked, "counting looks of keys"))
        else:
            d_q, s_q, n = whole_numbers(self.pair.key_looks)
            x_d = np.zeros_like(n)
        in_d, in_s = (d_q > 0).astype(np.int64), (s_q > 0).astype(np.int64)
        n_original = np.array([self.scenario.sides.rows[0]])
        w = n // np.maximum(d_q + s_q, 1)  # each combination stands in so many rows
        return Profile(d_q, s_q, d_q, s_q, in_d, in_s, w, n_original, x_d=x_d, x_s=x_d)

    @reports_faults
    def _profile(self, target: int) -> Profile:
        letters = ("d", "s", "d_q", "s_q", "single", "x_d", "x_s")
        what = f"counting looks of {self.scenario.target_names[target]}"
        d, s, d_q, s_q, single, x_d, x_s, w = self._ask_cells(
            target, lambda cells: sum_by(cells, *letters, w=nw.len()), what
        )
        n_shown = np.where(single > 0, 1, np.where(s_q > 0, 2, 0))  # 2 stands for several
        n_own = np.where(d == d_q, np.minimum(d_q, 1), 2)
        d_t = self.scenario.target_columns[target].counts[0]
        profile = Profile(d, s, d_q, s_q, n_own, n_shown, w, d_t)
        if not self.act_on(target):
            return profile
        return replace(profile, x_d=x_d, x_s=x_s, struck=self._renormalised(target))

    def _ask_cells(self, target: int, ask: Callable[[Lazy], Lazy], what: str) -> list[Ints]:
        """An answer about the cells of a target; of parts of them, in turn, where they are many."""
        parts = self.pair.divide_rows(self.pair.count_cells(target))
        # Numbers of each part, and not its table, which takes twice the room; given up as joined.
        found = [
            whole_numbers(self.pair.fetch(ask(self._cells(target, rows)), what)) for rows in parts
        ]
        return [np.concatenate([part.pop(0) for part in found]) for _ in tuple(found[0])]

    def _cells(self, target: int, rows: Lazy) -> Lazy:
        """The cells of a target: their counts, those of their keys, and the rules that hit them."""
        pair, t = self.pair, f"t{target}"
        n_alike = nw.col("d_q") + nw.col("s_q")
        keys = sorted(f"k{place}" for place in range(len(self.scenario.key_columns)))
        keys = keys if self.rules else []
        single = nw.when(nw.col(f"shown{target}") >= 0).then(1).otherwise(0).cast(nw.Int64)
        columns = [*pair.packs, *keys, t, "d_q", "s_q", "single"]
        rows = rows.with_columns(single=single, d=1 - nw.col("s"))
        # A record alone with its keys is a cell: nothing about it must be counted.
        alone = rows.filter(n_alike == 1).select(
            *columns, nw.col("d").cast(nw.Int64), nw.col("s").cast(nw.Int64)
        )
        shared = sum_by(
            rows.filter(n_alike > 1), *columns, d=sum_of(nw.col("d")), s=sum_of(nw.col("s"))
        )
        d, s = nw.col("d"), nw.col("s")
        return nw.concat([alone, shared]).with_columns(
            x_d=self._rule(target, d, s), x_s=self._rule(target, d, s, of_copy=True)
        )

    def _renormalised(self, target: int) -> Renormalised:
        """RecordSums over key combinations from which excluded cells are struck out."""
        d, s = nw.col("d"), nw.col("s")
        left = {
            "d": nw.when(nw.col("x_d") == 0).then(d).otherwise(0),
            "s": nw.when(nw.col("x_s") == 0).then(s).otherwise(0),
        }
        sums = {
            "d_left": sum_of(d),
            "s_left": sum_of(s),
            "dd": sum_of(d * d),
            "ss": sum_of(s * s),
            "ds": sum_of(d * s),
        }
        products = {name: sum_of(nw.col(name)) for name in ("dd", "ss", "ds")}

        def ask(cells: Lazy) -> Lazy:
            by_key = sum_by(cells.with_columns(**left), *self.pair.packs, **sums)
            return sum_by(by_key, "d_left", "s_left", **products, n=nw.len())

        d_left, s_left, dd, ss, ds, n = self._ask_cells(
            target, ask, "striking out what is excluded"
        )
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

    def _search(self, target: int, several: float, segment: CodedColumn | None) -> DisclosedRecords:
        return EngineDisclosed(self, target, several, is_parted=segment is not None)

    @reports_faults
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

    @reports_faults
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
            put = self.pair.backend.put(pl.DataFrame(levels))
            rows = rows.join(put, on=code, how="left")
        counts = [nw.col(one).alias(f"{one}_" if one in names else one) for one in LETTERS]
        return rows.select(*(of.name for _, of in wanted[:-1]), said, *counts).to_native()

    @reports_faults
    def count_values(self, target: int) -> tuple[Ints, Ints, Ints]:
        """By level, before any exclusion: shown correctly, shown to others, shown another level."""
        t, shown = f"t{target}", f"shown{target}"
        rows = self.pair.rows.filter((nw.col("s") == 0) & (nw.col(shown) >= 0))
        is_own = nw.col(t) == nw.col(shown)
        what = "counting what is shown, level by level"
        sums = {"correct": sum_if(is_own), "wrong": sum_if(~is_own)}
        level, *counts = whole_numbers(self.pair.fetch(sum_by(rows, shown, **sums), what))
        asked = sum_by(rows.filter(~is_own), t, n=nw.len())
        own_level, n = whole_numbers(self.pair.fetch(asked, what))
        made = np.zeros((3, self.scenario.target_columns[target].n_levels), np.int64)
        made[0, level], made[1, level] = counts
        made[2, own_level] = n
        correct, wrong, other = made
        return correct, wrong, other


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
class EngineDisclosed:
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
    @reports_faults
    def _sums(self) -> pl.DataFrame:
        """Records by key, segment, target level and key level: all, and those in larger pieces."""
        pair, t = self.exclusions.pair, f"t{self.target}"
        rows = pair.rows.filter((nw.col("s") == 0) & (nw.col(f"shown{self.target}") == nw.col(t)))
        rows = self.exclusions.left(self.target, rows, shown=True)
        keys = [f"k{place}" for place in range(len(pair.key_columns))]
        parts = ["g"] if self.is_parted else []
        what = f"counting what is disclosed of {pair.target_names[self.target]}"
        pieces = sum_by(rows, *pair.packs, *keys, t, *parts, n=nw.len())
        pieces = pair.backend.keep(pieces, what)  # for each key, and for none
        n = nw.col("n")
        sums = {"n": sum_of(n), "shared": sum_if(n > self.several, n)}
        g = nw.col("g") if self.is_parted else nw.lit(0, nw.Int32)
        asked = []
        for place in range(-1, len(keys)):
            k = nw.lit(0, nw.Int32) if place < 0 else nw.col(f"k{place}")
            named = pieces.with_columns(
                key=nw.lit(place, nw.Int32), segment=g, level=nw.col(t), k=k
            )
            asked.append(sum_by(named, "key", "segment", "level", "k", **sums))
        return pair.fetch(nw.concat(asked), what).sort("segment", "level", "k")

    def sums(self, key: int | None = None, *, shared: bool = False) -> RecordSums:
        """The disclosed records by segment and target level, and by the level of one key."""
        count = "shared" if shared else "n"
        here = self._sums.filter(
            (pl.col("key") == (-1 if key is None else key)) & (pl.col(count) > 0)
        )
        return RecordSums(*whole_numbers(here.select("segment", "level", "k", count)))

    @reports_faults
    def kept_sums(self) -> RecordSums:
        """The original records that exclusions leave."""
        pair, t = self.exclusions.pair, f"t{self.target}"
        rows = self._all_left()
        g = nw.col("g") if self.is_parted else nw.lit(0, nw.Int32)
        asked = sum_by(rows.with_columns(segment=g), "segment", t, n=nw.len())
        answer = pair.fetch(asked, "counting who is left").sort("segment", t)
        segment, level, n = whole_numbers(answer)
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

    @reports_faults
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
        both = rows.join(pair.backend.put(wanted), on=["g", k], how="inner")
        answer = pair.fetch(both, "counting pairs of levels").cast(pl.Int64)
        asked = pl.DataFrame({"g": pairs.segment, t: pairs.t, k: pairs.k})
        of_key = answer.group_by("g", k).agg(pl.col("n").sum())
        of_pair = asked.join(answer, on=["g", t, k], how="left", maintain_order="left")
        of_all = asked.join(of_key, on=["g", k], how="left", maintain_order="left")
        return of_all["n"].to_numpy(), of_pair["n"].to_numpy()
