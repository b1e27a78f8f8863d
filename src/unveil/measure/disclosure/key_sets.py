"""`unveil.key_sets`: is an intruder who knows fewer things, or uses fewer, worse?

Often yes: the more keys, the fewer people are matched. A limit describes an intruder who knows at
most the declared keys, so it is held against every set of them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from unveil.arguments import parse_whole_number
from unveil.arrays import Ints
from unveil.assessment.key_set_alerts import LIMITED, assess_search
from unveil.count.key_sets import KeySetCounts, count_key_sets, count_sets, keys_of
from unveil.errors import RolesError, SettingsError, list_names, quote_text
from unveil.measure.disclosure.claim_parts import ClaimSettings
from unveil.measure.disclosure.claim_rules import Z
from unveil.measure.disclosure.claims import NO_SETTINGS, ScoredTarget, claim_row
from unveil.measure.disclosure.pattern import KeyedCells, Margin
from unveil.measure.result import RowsResult
from unveil.records.base import Copy
from unveil.records.disclosure import KeySetFigure, KeySetSearch, SetMeasure
from unveil.records.key_sets import KeySetCeiling, KeySetRow, KeySets, KeySetVerdict
from unveil.seeding import parse_seed
from unveil.study.band_spec import parse_bands
from unveil.study.excluded import Exclusions, resolve_exclusions
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import CountedScenario, Progress, no_progress
from unveil.study.study import sides_of
from unveil.study.take_study import takes_study

ALL_SETS_UP_TO = 10
"""Of so many keys every set is counted unless a user says otherwise; of more, sets of FEW keys."""
FEW = 4
MOST_KEYS = 20
QUICKLY = 5 * 10**7
"""Rows times sets that are counted beside other figures: a few seconds."""
EXAMINED = 5 * 10**6
"""People times sets that are held against chance, of each figure: a second or two."""


@takes_study
def key_sets(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None = None,
    at_most: int | None = None,
    limits: Mapping[str, float] | None = None,
    exclude: Any = (),
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    seed: int = 1,
    progress: Progress | None = None,
) -> RowsResult[KeySets]:
    """Measure DiSCO and repU on every set of the keys, beside what is expected.

    Parameters
    ----------
    original, synthetic, keys, targets, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    at_most
        The most keys in a set. By default all sets of up to ten keys are counted, and of more keys
        the sets of at most four.
    limits
        Percent of people, by measure: ``{"DiSCO": 10, "repU": 5}``.
    exclude
        As in `unveil.disclosure`, but for limits on denominators. repU excludes nothing.
    seed
        As in `unveil.claims`.

    Returns
    -------
    RowsResult
        `.rows`, one per file, set of keys and target: matched, repU, DiS, DiSCO, in percent;
        `.record.figures`: with all keys, the worst set, the worst of each size and without each
        key, each with expected, adds and its interval; `.record.ceilings`: the claims with most
        support, and the people about whom some set is correct; `.record.verdicts`.

    References
    ----------
    Raab (2024), equations 5, 10 and 11, on every set of the keys; Elliot, Manning and Ford (2002)
    search sets of keys for uniques.
    """
    progress = progress or no_progress
    rules = parse_exclusions(exclude)
    wanted = _limits(limits or {})
    for rule in rules:
        if rule.limit is not None:
            raise SettingsError(
                f"Exclusion {quote_text(rule.text)}: a limit on denominators differs for every set"
                " of keys. Omit it here."
            )
    settings = ClaimSettings(seed=parse_seed(seed))
    opening = open_scenario(
        sides_of(synthetic, original=original),
        keys=keys,
        targets=targets,
        missing_values=missing_values,
        bands=parse_bands(bands, special_codes),
        progress=progress,
    )
    scenario = opening.scenario
    most = _at_most(at_most, len(scenario.key_names))
    scenario_sets = ScenarioSets(resolve_exclusions(rules, scenario), most, settings)
    found = list(scenario_sets.of_copies(progress))
    return RowsResult(
        KeySets(
            files=opening.files,
            keys=scenario.key_names,
            targets=scenario.target_names,
            n_original=scenario.sides.rows[0],
            n_synthetic=scenario.sides.rows[1:],
            at_most=most,
            n_sets=scenario_sets.n_sets,
            complete=most == len(scenario.key_names),
            exclude=tuple(rule.text for rule in rules),
            rows=tuple(row for one in found for row in one.rows()),
            figures=tuple(row for one in found for row in one.figures()),
            ceilings=tuple(row for one in found for row in one.ceilings()),
            verdicts=tuple(row for one in found for row in one.verdicts(wanted)),
            bands=opening.bands,
            coercions=opening.notes,
        )
    )


def _limits(given: Mapping[str, float]) -> dict[SetMeasure, float]:
    for name, limit in given.items():
        if name not in LIMITED:
            raise SettingsError(
                f"{name} has no limit on sets of keys. The measures are: {list_names(LIMITED)}."
            )
        if not 0 <= limit <= 100:
            raise SettingsError(
                f"The limit of {name} is {limit:.15g}. Write a number from 0 to 100."
            )
    return {name: float(given[name]) for name in LIMITED if name in given}


def _at_most(given: int | None, n_keys: int) -> int:
    if n_keys > MOST_KEYS:
        raise RolesError(
            f"There are {n_keys} keys, and their sets cannot all be looked at. Name at most"
            f" {MOST_KEYS}."
        )
    if given is not None:
        return min(parse_whole_number("at_most", given, least=1), n_keys)
    return n_keys if n_keys <= ALL_SETS_UP_TO else FEW


def search_key_sets(
    exclusions: Exclusions, progress: Progress = no_progress
) -> tuple[KeySetSearch, ...]:
    """The worst sets of the keys of a scenario, of as many as can be counted quickly.

    Limits on denominators do not act: they are others on every set.
    """
    scenario = exclusions.scenario
    n_keys = len(scenario.key_names)
    if not 1 < n_keys <= MOST_KEYS:
        return ()
    named = Exclusions(scenario, tuple(rule for rule in exclusions.rules if rule.limit is None))
    most = 1
    while most < n_keys and scenario.sides.n_rows * count_sets(n_keys, most + 1) <= QUICKLY:
        most += 1
    copies = ScenarioSets(named, most, most_support=False).of_copies(progress)
    return tuple(row for one in copies for row in one.searches())


def expected_replicated(d_g: Ints, n_people: int, n_records: int) -> tuple[int, float, float]:
    """People unique on their keys; how many of them another sample would show once; its error.

    Notes
    -----
    Of two random halves of the people, a combination with c holders is unique in the first with
    chance c / 2^c, and is then absent from the second if c = 1, and unique there too if c = 2. From
    halves to the sizes of the files chances of absence multiply; a combination is met once with
    chance -x log x, x its chance of absence, were all alike. By how much they are not is seen in
    the halves. The error is that of people who are met or not, and of the pairs that were counted;
    at least one person, for where hardly anybody is expected one by chance is no evidence.
    """
    c = np.bincount(d_g)[1:].astype(float)  # combinations of 1, 2, ... people
    n_unique = int(c[0]) if len(c) else 0
    holders = np.arange(1, len(c) + 1)
    weights = c * holders * 0.5 ** np.minimum(holders, 60.0)
    total = float(weights.sum())
    if len(c) < 2 or not total or not weights[1] or not weights[0]:
        return n_unique, 0.0, 1.0
    absent, once = weights[0] / total, weights[1] / total
    even = min(once / (-absent * log(absent)), 1.0)
    at_size = absent ** (2 * n_records / n_people)
    share = even * -at_size * log(at_size) if at_size > 0 else 0.0
    expected = n_unique * share
    error = sqrt(expected * (1 - share) + expected**2 / float(c[1]))
    return n_unique, expected, max(error, 1.0)


@dataclass(frozen=True)
class ScenarioSets:
    """A scenario on every set of its keys."""

    exclusions: Exclusions
    at_most: int
    settings: ClaimSettings = NO_SETTINGS
    most_support: bool = True

    @property
    def scenario(self) -> CountedScenario:
        """The original and all files."""
        return self.exclusions.scenario

    @property
    def n_sets(self) -> int:
        """How many sets are counted."""
        return count_sets(len(self.scenario.key_names), self.at_most)

    @cached_property
    def corrected(self) -> float:
        """Half the width of an interval that holds for all sets together, in standard errors."""
        return NormalDist().inv_cdf(1 - 0.025 / self.n_sets)

    @cached_property
    def targets(self) -> tuple[ScoredTarget, ...]:
        """The targets, and what is expected of each."""
        places = range(len(self.scenario.target_names))
        return tuple(ScoredTarget(self.exclusions, place, self.settings) for place in places)

    @cached_property
    def by_keys(self) -> KeyedCells:
        """The people of the original by key combination alone."""
        keys = range(len(self.scenario.key_names))
        codes = tuple(self.scenario.key_codes(key) for key in keys)
        d_q = self.scenario.keys.counts[0].astype(np.int64)
        return KeyedCells(codes, np.arange(len(d_q)), np.zeros(len(d_q), np.int64), d_q, 1)

    def of_copies(self, progress: Progress = no_progress) -> "Iterator[CopySets]":
        """Every set in every file and, where there are several, in all of them pooled."""
        for copy, pair in self.scenario.pairs():
            name = "the synthetic file" if self.scenario.n_copies == 1 else f"file {copy}"

            def tell(done: int, name: str = name) -> None:
                progress(f"counting sets of keys in {name}", done, self.n_sets)

            counts = count_key_sets(
                pair.key_columns,
                pair.target_columns,
                at_most=self.at_most,
                excluded=self._excluded if self.exclusions.rules else None,
                most_support=self.most_support,
                progress=tell,
            )
            yield CopySets(self, copy, counts)

    @cached_property
    def _excluded(self) -> "list[Any]":
        originals = self.scenario.sides.slices[0]
        q = self.scenario.keys.q[originals].astype(np.int64)
        return [
            self.exclusions.mask_hits(place, q, column.codes[originals].astype(np.int64))
            for place, column in enumerate(self.scenario.target_columns)
        ]


@dataclass(frozen=True)
class CopySets:
    """One file, or all of them pooled, on every set of the keys."""

    of: ScenarioSets
    copy: Copy
    counts: KeySetCounts

    @property
    def _n(self) -> int:
        return self.counts.n_people

    def _names(self, key_set: int) -> tuple[str, ...]:
        return tuple(self.of.scenario.key_names[i] for i in keys_of(key_set))

    def _percent(self, count: Any) -> float:
        return 100 * int(count) / self._n if self._n else 0.0

    def rows(self) -> Iterator[KeySetRow]:
        """One row for each set and target."""
        targets = self.of.scenario.target_names
        counts = self.counts
        for s in counts.sets:
            names = self._names(s)
            for place, target in enumerate(targets or (None,)):
                yield KeySetRow(
                    copy=self.copy,
                    keys=names,
                    matched=self._percent(counts.n_matched[s]),
                    repU=self._percent(counts.n_replicated[s]),
                    target=target,
                    DiS=None if target is None else self._percent(counts.n_determined[s, place]),
                    DiSCO=None if target is None else self._percent(counts.n_correct[s, place]),
                )

    def figures(self) -> Iterator[KeySetFigure]:
        """With all keys, the worst set, the worst of each size, and without each key."""
        for place in (None, *range(len(self.of.scenario.target_names))):
            for about, key_set in self._chosen(place):
                yield self._figure(key_set, place, **about)

    def _chosen(self, place: int | None) -> Iterator[tuple[dict[str, Any], int]]:
        sets, names = self.counts.sets, self.of.scenario.key_names
        everything = (1 << len(names)) - 1
        if everything in sets:
            yield {"kind": "all_keys"}, everything
        yield {"kind": "worst"}, self._worst(sets, place)
        for size in range(1, self.of.at_most + 1):
            of_size = [s for s in sets if s.bit_count() == size]
            yield {"kind": "size"}, self._worst(of_size, place)
        for key, name in enumerate(names):
            left = [s for s in sets if not s >> key & 1]
            yield {"kind": "without", "without": name}, self._worst(left, place)

    def _counted(self, place: int | None) -> Ints:
        return self.counts.n_replicated if place is None else self.counts.n_correct[:, place]

    def _worst(self, sets: Sequence[int], place: int | None) -> int:
        """The set with the largest figure; of equals the first, which has fewest keys."""
        return max(sets, key=self._counted(place).__getitem__, default=0)

    def _figure(self, key_set: int, place: int | None, **about: Any) -> KeySetFigure:
        keys = keys_of(key_set)
        claimed = correct = 0
        expected = half = corrected = 0.0
        if keys:
            claimed, correct, expected, error = self._beyond(keys, place)
            half, corrected = Z * error, self.of.corrected * error
        adds = correct - expected
        return KeySetFigure(
            measure="repU" if place is None else "DiSCO",
            target=None if place is None else self.of.scenario.target_names[place],
            copy=self.copy,
            keys=self._names(key_set),
            n=self._n,
            claimed=claimed,
            correct=correct,
            expected=expected,
            adds=adds,
            low=adds - half,
            high=adds + half,
            low_of_all=adds - corrected,
            **about,
        )

    def _beyond(self, keys: Margin, place: int | None) -> tuple[int, int, float, float]:
        """Claimed, correct, expected, and the standard error of correct - expected."""
        if place is not None:
            score = self.of.targets[place].score_on(keys, self.copy, z=1.0)
            return (
                round(score.claimed),
                round(score.correct),
                score.expected,
                score.high - score.adds,
            )
        counts = self.of.scenario.keys.counts
        g, n_g = self.of.by_keys.groups(keys)
        d_g = np.bincount(g, counts[0], n_g).astype(np.int64)
        copies = counts[1:] if self.copy == "pooled" else counts[[int(self.copy)]]
        s_g = np.bincount(g, copies.sum(axis=0, dtype=np.int64), n_g)
        n_unique, expected, error = expected_replicated(d_g, self._n, int(s_g.sum()))
        return n_unique, int(((d_g == 1) & (s_g == 1)).sum()), expected, error

    def ceilings(self) -> Iterator[KeySetCeiling]:
        """What all sets together say about each target."""
        scenario, counts = self.of.scenario, self.counts
        q = scenario.keys.q[scenario.sides.slices[0]]
        for place, target in enumerate(scenario.target_names):
            # People with the same keys are told the same by every set.
            v = np.full(scenario.keys.n_q, -1)
            v[q] = counts.claim[place]
            score = self.of.targets[place].score_values(v, np.arange(scenario.keys.n_q))
            is_contradicted = (counts.claim[place] < 0) & (counts.support[place] > 0)
            yield KeySetCeiling(
                target=target,
                copy=self.copy,
                most_support=claim_row(
                    score,
                    target=target,
                    copy=self.copy,
                    rule="most_support",
                    keys=scenario.key_names,
                    n=self._n,
                ),
                contradicted=int(is_contradicted.sum()),
                ceiling=int(counts.is_ever_correct[place].sum()),
                ceiling_wrong=int(counts.is_ever_wrong[place].sum()),
            )

    def searches(self, measures: Collection[str] = LIMITED) -> Iterator[KeySetSearch]:
        """The worst set of each figure, and the worst that chance over all sets does not give."""
        places = range(len(self.of.scenario.target_names))
        for place in (*(places if "DiSCO" in measures else ()), *([None] * ("repU" in measures))):
            yield self._search(place)

    def _search(self, place: int | None) -> KeySetSearch:
        counted = self._counted(place)
        in_order = sorted((s for s in self.counts.sets if counted[s]), key=lambda s: -counted[s])
        most = max(EXAMINED // max(self._n, 1), 1)
        figures = (self._figure(s, place, kind="worst") for s in in_order[:most])
        beyond = next((one for one in figures if one.low_of_all > 0), None)
        worst = self._figure(self._worst(self.counts.sets, place), place, kind="worst")
        return KeySetSearch(
            measure=worst.measure,
            target=worst.target,
            copy=self.copy,
            n_sets=self.of.n_sets,
            at_most=self.of.at_most,
            worst=worst,
            beyond=beyond,
            examined=self._percent(counted[in_order[most]]) if len(in_order) > most else 0.0,
        )

    def verdicts(self, limits: Mapping[SetMeasure, float]) -> Iterator[KeySetVerdict]:
        """Each limit against every set: above it, and beyond what chance over all sets gives."""
        for search in self.searches(limits):
            limit = limits[search.measure]
            status, figure, _ = assess_search(search, limit, limit)
            yield KeySetVerdict(
                measure=search.measure,
                target=search.target,
                copy=search.copy,
                limit=limit,
                figure=figure,
                status=status,
            )
