"""What explains the values that synthetic data disclose correctly? Each stands in one part.

The first that would have taught the value with certainty: a table declared public, the marginal
distribution, a table of one key, of two keys, the pattern of all keys; or none, the rest. What
explains a claim belongs to the claim (keys, value) and is the same for everyone it is made about;
shares are (d - 1) / (n - 1), one holder excluded, so that no one explains themselves.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from msgspec.structs import replace

from unveil.arguments import is_list
from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, label
from unveil.count.packing import Integers
from unveil.errors import RolesError, SettingsError, hint_at, list_names, quote_text
from unveil.measure.disclosure.claim_rules import ClaimTable, Z
from unveil.measure.disclosure.pattern import AT_LEAST, KeyedCells, Margin, publish
from unveil.records.base import Copy
from unveil.records.disclosure import ClaimGroup, Part, PartsRow
from unveil.records.exclusions import Exclusion
from unveil.study.scenario import CountedScenario

CERTAINTY = 0.8
"""From which share of people on a table explains a value: synthpop's two-way threshold."""
SMALL_GROUP = 0.01
"""A group of a smaller share of the target's correct values is not named."""
PARTS: tuple[Part, ...] = ("declared", "marginal", "one_key", "two_keys", "pattern", "rest")
DECLARED, MARGINAL, ONE_KEY, TWO_KEYS, PATTERN, REST = range(6)


@dataclass(frozen=True)
class ClaimSettings:
    """How much it takes to explain a value, and how folds are drawn."""

    certainty: float = CERTAINTY
    at_least: int = AT_LEAST
    seed: int = 1


@dataclass(frozen=True)
class PublicTable:
    """A table of counts that is published already, by its columns."""

    columns: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it is written on a command line."""
        return "+".join(self.columns)

    def margin(self, scenario: CountedScenario, place: int) -> Margin | None:
        """The keys of the scenario whose table by the target it holds; None: it has no target."""
        known = (*scenario.key_names, *scenario.target_names)
        for name in self.columns:
            if name not in known:
                raise RolesError(
                    f"The public table {quote_text(self.text)} names {name!r}, which is neither key"
                    f" nor target.{hint_at(name, known)} Keys and targets are: {list_names(known)}."
                )
        if scenario.target_names[place] not in self.columns:
            return None
        return tuple(i for i, key in enumerate(scenario.key_names) if key in self.columns)


def parse_public(given: str | Iterable[str]) -> tuple[PublicTable, ...]:
    """Tables as people write them: ``age+marital``."""
    texts = tuple(given) if is_list(given) else (given,)
    tables = []
    for text in texts:
        columns = [part.strip() for part in text.split("+")] if isinstance(text, str) else []
        if not columns or not all(columns):
            raise SettingsError(
                f"{quote_text(str(text))} is not a public table. Write its columns with + between"
                " them: age+marital."
            )
        tables.append(PublicTable(tuple(columns)))
    return tuple(tables)


@dataclass(frozen=True)
class ClaimParts:
    """What explains a claim about one target, cell by cell."""

    scenario: CountedScenario
    place: int
    people: KeyedCells
    table: ClaimTable
    pattern: Floats  # P(t | q) of each cell
    declared: tuple[Margin, ...]
    is_wanted: Mask
    settings: ClaimSettings

    def _shares(self, keys: Margin) -> Floats:
        """Share of the value among others with the same levels of some keys; -1: too few."""
        people = self.people
        g, n_g = people.groups(keys) if keys else (np.zeros(people.n_q, np.int64), 1)
        of_cell = g[people.q]
        n = np.bincount(of_cell, people.d_tq, n_g)[of_cell] - 1
        _, cell = np.unique(of_cell * people.n_levels + people.t, return_inverse=True)
        d = np.bincount(cell, people.d_tq)[cell] - 1
        shares: Floats = np.where(n >= self.settings.at_least, d / np.maximum(n, 1), -1.0)
        return shares

    def _best(self, margins: Sequence[Margin]) -> tuple[Floats, Ints]:
        """The largest share over several tables, and which of them has it."""
        best, which = np.full(len(self.people.t), -1.0), np.full(len(self.people.t), -1)
        for place, margin in enumerate(margins):
            shares = self._shares(margin)
            which[shares > best] = place
            best = np.maximum(best, shares)
        return best, which

    @cached_property
    def _margins(self) -> tuple[list[Margin], list[Margin]]:
        n_keys = len(self.people.key_codes)
        return [(key,) for key in range(n_keys)], list(combinations(range(n_keys), 2))

    @cached_property
    def _sources(self) -> tuple[Ints, Ints]:
        """The part of each cell, and which table of one or two keys explains it."""
        one, by_one = self._best(self._margins[0])
        two, by_two = self._best(self._margins[1])
        taught = {MARGINAL: self._shares(()), ONE_KEY: one, TWO_KEYS: two, PATTERN: self.pattern}
        if self.declared:
            public = publish(self.people, self.declared, self.is_wanted)
            taught[DECLARED] = public.share(self.people.q, self.people.t)
        part = np.full(len(self.people.t), REST)
        for number in sorted(taught, reverse=True):
            part[taught[number] >= self.settings.certainty - 1e-9] = number
        return part, np.where(part == ONE_KEY, by_one, np.where(part == TWO_KEYS, by_two, -1))

    def split(
        self, copy: Copy, is_claimed: Mask, gone: Mask, control: Ints | None
    ) -> tuple[PartsRow, tuple[ClaimGroup, ...]]:
        """The parts of the correct single values of a file, and what is to be ruled on."""
        part, _ = self._sources
        d_tq = self.table.d_tq
        hits = np.where(is_claimed & ~gone, d_tq, 0)
        in_part = np.bincount(part, hits, len(PARTS)).astype(np.int64).tolist()
        is_rest = is_claimed & (part == REST)
        rest = self.table.score(is_rest.astype(float), gone)
        row = PartsRow(
            target=self.scenario.target_names[self.place],
            copy=copy,
            correct=int(d_tq[is_claimed].sum()),
            excluded=int(d_tq[is_claimed & gone].sum()),
            **dict(zip(PARTS, in_part, strict=True)),
            rest_expected=rest.expected,
            rest_adds=rest.adds,
            rest_low=rest.low,
            rest_high=rest.high,
        )
        row = replace(row, **self._own_record(is_rest & ~gone, control))
        return row, tuple(self._groups(copy, hits))

    def _own_record(self, is_rest: Mask, control: Ints | None) -> dict[str, float]:
        """Of the rest: how many would be correct about other people, and how many are left.

        Notes
        -----
        With a and b the shares of unexplained claims that are correct, about people of the
        original and of the control sample: population_inference = rest b / a, own_record = rest
        (1 - b / a), with the delta interval of a ratio. Nothing where either has no such claim.
        """
        if control is None:
            return {}
        d_tq, d_q = self.table.d_tq, self.table.d_q
        c_q = np.bincount(self.people.q, control)[self.people.q]
        n_a, n_b = int(d_q[is_rest].sum()), int(c_q[is_rest].sum())
        rest = int(d_tq[is_rest].sum())
        if not rest or not n_b:
            return {}
        a, b = rest / n_a, int(control[is_rest].sum()) / n_b
        ratio = b / a
        error = np.sqrt(b * (1 - b) / (n_b * a**2) + b**2 * (1 - a) / (a**3 * n_a))
        half = Z * rest * float(error)
        own = rest * (1 - ratio)
        return {
            "population_inference": rest * ratio,
            "own_record": own,
            "own_record_low": own - half,
            "own_record_high": own + half,
        }

    def _groups(self, copy: Copy, hits: Ints) -> Iterator[ClaimGroup]:
        """Correct values by part, value and table, the largest group first."""
        part, which = self._sources
        total = max(int(hits.sum()), 1)
        at = np.flatnonzero((hits > 0) & (part != REST))
        packed = np.stack([part[at], which[at], self.people.t[at].astype(np.int64)])
        kinds, of_cell = np.unique(packed, axis=1, return_inverse=True)
        n = np.bincount(of_cell, hits[at], kinds.shape[1])
        for number in np.argsort(-n, kind="stable"):
            if n[number] < SMALL_GROUP * total:
                return
            in_part, table, t = kinds[:, number].tolist()
            cells = at[of_cell == number]
            keys = self._keys(in_part, table)
            yield self._group(copy, PARTS[in_part], keys, t=t, cells=cells, hits=hits)

    def _keys(self, part: int, table: int) -> Margin:
        return () if table < 0 else self._margins[part == TWO_KEYS][table]

    def _group(
        self, copy: Copy, part: Part, keys: Margin, *, t: int, cells: Ints, hits: Ints
    ) -> ClaimGroup:
        """One group, with the exclusions that a ruling would write."""
        columns = [self.scenario.key_columns[key] for key in keys]
        q = self.people.q[cells]
        codes = np.stack([self.people.key_codes[key][q] for key in keys]) if keys else None
        levels = () if codes is None else tuple(_levels(columns, np.unique(codes, axis=1).T))
        target = self.scenario.target_columns[self.place]
        level = label(target, t)
        conditions = levels or ((),) * (part == "marginal")
        n = int(hits[cells].sum())
        return ClaimGroup(
            target=target.name,
            copy=copy,
            part=part,
            level=level,
            keys=tuple(column.name for column in columns),
            key_levels=levels,
            n=n,
            percent=100 * n / max(int(hits.sum()), 1),
            exclusions=tuple(
                Exclusion(
                    rule="pair" if columns else "level",
                    target=target.name,
                    level=level or "",
                    keys=tuple(column.name for column in columns),
                    key_levels=tuple(one or "" for one in condition),
                ).text
                for condition in conditions
            ),
        )


def _levels(columns: Sequence[CodedColumn], codes: Integers) -> Iterator[tuple[str | None, ...]]:
    for one in codes.tolist():
        yield tuple(label(column, code) for column, code in zip(columns, one, strict=True))
