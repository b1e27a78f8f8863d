"""`unveil.claims`: what would be stated about people, and how much of it do synthetic data add?

DiSCO counts what is stated correctly. Much of it other people's records teach as well: that most
people do not work abroad, or that a 16-year-old is single. What is left is what a release adds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.arguments import parse_number_within, parse_whole_number
from unveil.arrays import Floats, Ints, Mask
from unveil.count.cells import Cells
from unveil.count.exclude_cells import excluded_cells
from unveil.count.threads import limit_to_one_thread
from unveil.measure.disclosure.claim_parts import (
    CERTAINTY,
    ClaimParts,
    ClaimSettings,
    PublicTable,
    parse_public,
)
from unveil.measure.disclosure.claim_rules import (
    NEAR,
    ClaimTable,
    Score,
    Z,
    agreed,
    best_of_copies,
    most_common,
    near_certain,
    single_value,
    some_file,
)
from unveil.measure.disclosure.pattern import (
    AT_LEAST,
    FOLDS,
    KeyedCells,
    KeyPattern,
    Margin,
    cross_fit,
)
from unveil.measure.result import RowsResult
from unveil.records.base import Copy
from unveil.records.claims import Claims
from unveil.records.disclosure import ClaimGroup, ClaimRow, ClaimRule, PartsRow
from unveil.seeding import parse_seed
from unveil.study.band_spec import parse_bands
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

NO_SETTINGS = ClaimSettings()


@takes_study
def claims(
    original: Any,
    synthetic: Any,
    control: Any = None,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    public: str | Iterable[str] = (),
    certainty: float = CERTAINTY,
    at_least: int = AT_LEAST,
    exclude: Any = (),
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    seed: int = 1,
    progress: Progress | None = None,
) -> RowsResult[Claims]:
    """Score what synthetic data would state about people against what other people teach.

    Parameters
    ----------
    original, synthetic
        As in `unveil.disclosure`.
    control
        People of the same population whose records were not used: they tell a person's own record
        from what the data teach about anybody.
    keys, targets, exclude, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    public
        Tables that are published already, such as ``"age+marital"``: the counts of all people by
        these columns.
    certainty
        From which share of people on a table explains a value.
    at_least
        A value, or a group, of fewer people teaches nothing.
    seed
        For the folds by which each person is excluded from what is expected of them.

    Returns
    -------
    RowsResult
        `.rows`, one per target, file and rule: claimed, correct, at_random, expected, adds and its
        95 % interval, in people; `.record.parts`, what explains the correct single values;
        `.record.groups`, the few things to rule on, each with ready exclusions.

    References
    ----------
    Raab (2024), sections 4, 5 and 7, for what is no real risk; Deming and Stephan (1940), raking.
    """
    progress = progress or no_progress
    rules, tables = parse_exclusions(exclude), parse_public(public)
    settings = ClaimSettings(
        certainty=parse_number_within("certainty", certainty, "(0.5, 1]"),
        at_least=parse_whole_number("at_least", at_least, least=1),
        seed=parse_seed(seed),
    )
    firsts = {"original": original} | ({} if control is None else {"control": control})
    opening = open_scenario(
        sides_of(synthetic, **firsts),
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        bands=parse_bands(bands, special_codes),
        progress=progress,
    )
    scenario = opening.scenario
    exclusions = resolve_exclusions(rules, scenario)
    rows: list[ClaimRow] = []
    parts: list[PartsRow] = []
    groups: list[ClaimGroup] = []
    for place, target in enumerate(scenario.target_names):
        progress(f"scoring claims about {target}", place, len(scenario.target_names))
        of_target = ScoredTarget(exclusions, place, settings, len(firsts))
        rows += of_target.rows()
        for found, of_part in of_target.parts(tables):
            parts.append(found)
            groups += of_part
    return RowsResult(
        Claims(
            files=opening.files,
            keys=scenario.key_names,
            targets=scenario.target_names,
            n_original=scenario.sides.rows[0],
            n_control=None if control is None else scenario.sides.rows[1],
            n_synthetic=scenario.sides.rows[len(firsts) :],
            public=tuple(table.text for table in tables),
            certainty=settings.certainty,
            at_least=settings.at_least,
            folds=FOLDS,
            seed=settings.seed,
            exclude=tuple(rule.text for rule in rules),
            rows=tuple(rows),
            parts=tuple(parts),
            groups=tuple(groups),
            bands=opening.bands,
            coercions=opening.notes,
        )
    )


def keyed_cells(scenario: CountedScenario, place: int) -> KeyedCells:
    """The people of the original by key combination and value of one target."""
    cells = scenario.cells(place)
    return KeyedCells(
        tuple(scenario.key_codes(key) for key in range(len(scenario.key_columns))),
        cells.q.astype(np.int64),
        cells.t,
        cells.counts[0].astype(np.int64),
        scenario.target_columns[place].n_levels,
    )


@dataclass(frozen=True)
class ScoredTarget:
    """All claims about one target, file by file and by all files together."""

    exclusions: Exclusions
    place: int
    settings: ClaimSettings = NO_SETTINGS
    n_originals: int = 1  # 2 where there is a control sample

    @property
    def _scenario(self) -> CountedScenario:
        return self.exclusions.scenario

    @cached_property
    def _cells(self) -> Cells:
        return self._scenario.cells(self.place)

    @cached_property
    def people(self) -> KeyedCells:
        """The people of the original by key combination and value."""
        return keyed_cells(self._scenario, self.place)

    @property
    def n_people(self) -> int:
        """People in the original."""
        return self._scenario.sides.rows[0]

    @cached_property
    def _kept(self) -> Ints:
        """d_tq, or 0 where a rule names the cell."""
        people = self.people
        gone = self.exclusions.mask_hits(self.place, people.q, people.t.astype(np.int64))
        return np.where(gone, 0, people.d_tq)

    @cached_property
    def _is_wanted(self) -> Mask:
        """Key combinations of people, in the original or in the control sample."""
        of_people = self._cells.counts[: self.n_originals].any(axis=0)
        return np.logical_or.reduceat(of_people, self._cells.starts[:-1])

    @cached_property
    def pattern(self) -> KeyPattern:
        """What other people's records teach."""
        return cross_fit(
            self.people,
            is_wanted=self._is_wanted,
            at_least=self.settings.at_least,
            seed=self.settings.seed,
            name=self._scenario.target_names[self.place],
        )

    @cached_property
    def _counts(self) -> ClaimTable:
        """People, of whom nothing is expected yet: enough where nothing is claimed about them."""
        people = self.people
        return ClaimTable(
            self._cells.starts,
            people.d_tq,
            people.d_q[people.q],
            people.d_t[people.t],
            np.zeros(len(people.q)),
            self.n_people,
        )

    @cached_property
    def table(self) -> ClaimTable:
        """People and what is expected of them."""
        return replace(self._counts, e_tq=self.pattern.expected(self.people.q, self.people.t))

    def _expect(self, c_tq: Floats) -> ClaimTable:
        """People and what is expected of those that something is claimed about."""
        at = np.flatnonzero((c_tq > 0) & (self._counts.d_q > 0))
        if not len(at):
            return self._counts
        e_tq = np.zeros(len(c_tq))
        e_tq[at] = self.pattern.expected(self.people.q[at], self.people.t[at])
        return replace(self._counts, e_tq=e_tq)

    @cached_property
    def copies(self) -> dict[Copy, Ints]:
        """s_tq of each file and, where there are several, of all of them pooled."""
        counts = self._cells.counts[self.n_originals :].astype(np.int64)
        found: dict[Copy, Ints] = dict(enumerate(counts, start=1))
        return found if len(found) == 1 else {**found, "pooled": counts.sum(axis=0)}

    def _gone(self, copy: Copy) -> Mask:
        """Which cells exclusions take out, by the counts of the original and of these files."""
        both = np.stack([self.people.d_tq, self.copies["pooled" if copy == "mean" else copy]])
        of_two = Cells(self._cells.starts, self._cells.t, both)
        return excluded_cells(of_two, self.exclusions.find_exclusions(self.place))[0]

    def row(
        self, copy: Copy, rule: ClaimRule, c_tq: Floats, *, certainty: float | None = None
    ) -> ClaimRow:
        """One rule, scored."""
        gone = self._gone(copy) if self.exclusions.act_on(self.place) else None
        return claim_row(
            self._expect(c_tq).score(c_tq, gone),
            target=self._scenario.target_names[self.place],
            copy=copy,
            rule=rule,
            certainty=certainty,
            keys=self._scenario.key_names,
            n=self.n_people,
        )

    def score_values(self, v: Ints, group: Ints, z: float = Z) -> Score:
        """Claims of one value v about everyone with keys q, -1 for none.

        People of one group share their fate. Unlike cells, a claim need not be of a value that
        a person with these keys has. Limits on denominators do not act here.
        """
        people, kept = self.people, self._kept
        is_correct = people.t == v[people.q]
        d_q = np.bincount(people.q, kept, people.n_q)
        q = np.flatnonzero((v >= 0) & (d_q > 0))
        is_left = ~self.exclusions.mask_hits(self.place, q, v[q])
        e = self.pattern.expected(q, v[q]) * is_left * (d_q / np.maximum(people.d_q, 1))[q]
        correct = kept * is_correct
        n_groups = int(group.max(initial=0)) + 1
        beyond = np.bincount(group[people.q], correct, n_groups)
        beyond -= np.bincount(group[q], e, n_groups)
        adds, half = float(beyond.sum()), z * float(np.sqrt(beyond @ beyond))
        return Score(
            claimed=float(d_q[q].sum()),
            correct=float(correct.sum()),
            at_random=float((d_q[q] * is_left) @ people.d_t[v[q]] / max(self.n_people, 1)),
            expected=float(e.sum()),
            adds=adds,
            low=adds - half,
            high=adds + half,
        )

    def score_on(self, keys: Margin, copy: Copy, z: float = Z) -> Score:
        """The single values that a file determines on some of the keys."""
        people = self.people
        group, n_groups = people.groups(keys)
        s_tq = self.copies[copy]
        of_cell = group[people.q] * people.n_levels + people.t
        in_order, place = np.unique(of_cell, return_inverse=True)
        s_tg = np.bincount(place, s_tq)
        s_g = np.bincount(group[people.q], s_tq, n_groups)
        is_single = (s_tg == s_g[in_order // people.n_levels]) & (s_tg > 0)
        v = np.full(n_groups, -1)
        v[in_order[is_single] // people.n_levels] = in_order[is_single] % people.n_levels
        return self.score_values(v[group], group, z)

    def single_values(self) -> Iterator[ClaimRow]:
        """The claims behind DiS and DiSCO: of each file, their mean, and all files pooled."""
        starts, copies = self._cells.starts, self.copies
        determined = {copy: single_value(s_tq, starts) for copy, s_tq in copies.items()}
        alone = [c_tq for copy, c_tq in determined.items() if copy != "pooled"]
        for copy, c_tq in determined.items():
            if copy == "pooled":
                yield self.row("mean", "single_value", np.mean(alone, axis=0))
            yield self.row(copy, "single_value", c_tq)

    def rows(self) -> Iterator[ClaimRow]:
        """Every rule, file by file, then by all files together."""
        starts, copies = self._cells.starts, self.copies
        yield from self.single_values()
        for copy, s_tq in copies.items():
            for tau in NEAR:
                c_tq = near_certain(s_tq, starts, tau)
                yield self.row(copy, "near_certain", c_tq, certainty=tau)
            yield self.row(copy, "most_common", most_common(s_tq, starts))
        if "pooled" not in copies:
            return
        alone = [s_tq for copy, s_tq in copies.items() if copy != "pooled"]
        determined = [single_value(s_tq, starts) for s_tq in alone]
        yield self.row("pooled", "agreed", agreed(determined, starts))
        for tau in (1.0, *NEAR):
            best, _ = best_of_copies(alone, starts, self.people.d_tq, tau)
            yield self.row("pooled", "best_of_copies", best, certainty=tau)
        yield self.row("pooled", "some_file", some_file(determined))

    def parts(
        self, public: Sequence[PublicTable]
    ) -> Iterator[tuple[PartsRow, tuple[ClaimGroup, ...]]]:
        """What explains the correct single values, and what is to be ruled on, file by file."""
        margins = [table.margin(self._scenario, self.place) for table in public]
        explained = ClaimParts(
            self._scenario,
            self.place,
            self.people,
            self.table,
            self.pattern.share(self.people.q, self.people.t),
            tuple(margin for margin in margins if margin is not None),
            self._is_wanted,
            self.settings,
        )
        control = self._cells.counts[1].astype(np.int64) if self.n_originals > 1 else None
        for copy, s_tq in self.copies.items():
            is_claimed = single_value(s_tq, self._cells.starts) > 0
            yield explained.split(copy, is_claimed, self._gone(copy), control)


def claim_row(score: Score, **about: Any) -> ClaimRow:
    """A score as a row; counts that are whole are whole numbers."""
    figures = asdict(score)
    for name in ("claimed", "correct"):
        value = round(figures[name], 9)
        figures[name] = int(value) if value.is_integer() else value
    return ClaimRow(**figures, **about)


@dataclass(frozen=True)
class ClaimFigures:
    """What is expected and added behind every DiSCO of a scenario, and what explains it."""

    claims: tuple[ClaimRow, ...]
    parts: tuple[PartsRow, ...]
    groups: tuple[ClaimGroup, ...]


@limit_to_one_thread(has_scipy=False)
def explain_single_values(
    exclusions: Exclusions, progress: Progress = no_progress, *, has_parts: bool = False
) -> ClaimFigures:
    """Every target of a scenario; groups are of the only file, or of all of them pooled."""
    found: list[ClaimRow] = []
    parts: list[PartsRow] = []
    groups: list[ClaimGroup] = []
    names = exclusions.scenario.target_names
    for place, name in enumerate(names):
        progress(f"expecting {name}", place, len(names))
        scored = ScoredTarget(exclusions, place)
        found += scored.single_values()
        for row, of_part in scored.parts(()) if has_parts else ():
            parts.append(row)
            groups += of_part if row.copy == [*scored.copies][-1] else ()
    return ClaimFigures(tuple(found), tuple(parts), tuple(groups))
