"""`unveil.key_sets`: what would an intruder learn who knows only some of the keys, or others?

Every set of keys is counted. What is expected of a set goes by twins: the people whose value is the
only one among the others with their keys. The worst sets are asked of the learner, as `disclosure`
is, with a margin for the number of sets that were searched.
"""

from collections.abc import Iterator, Sequence
from math import comb
from statistics import NormalDist
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
from msgspec import Meta

from unveil.arguments import Seed, Texts
from unveil.counts.key_sets import Counts, Exempt, Question, count_key_sets
from unveil.errors import InputError
from unveil.measures.disclosure.disclosure import rules_of
from unveil.measures.disclosure.exclusions import (
    LevelRule,
    MaxDenominator,
    MissingKeys,
    MissingTargets,
    Rule,
)
from unveil.measures.disclosure.formulas import attribute
from unveil.measures.disclosure.others import beside_others, learn_others
from unveil.progress import steps
from unveil.results import (
    Chart,
    Copy,
    Count,
    Figure,
    Heading,
    People,
    PeopleFigure,
    Percent,
    Result,
    Row,
    with_mean,
)
from unveil.results.words import Words, join_names, others_of, side_of
from unveil.study import ORIGINAL, Counted, Side, Study, measure

MOST_SETS = 100_000
FIRST = ("figure", "target", "keys", "size", "value", "expected", "beyond", "low", "all_keys")


class SetRow(Row, frozen=True):
    """One target, for an intruder who knows these keys."""

    version: str
    copy: Copy
    keys: tuple[str, ...]
    size: Annotated[int, Count("keys known", "", "keys known")]
    target: str
    repU: Annotated[Figure, Percent("people unique on these keys in both files", "Raab 2024 (5)")]
    DiS: Annotated[Figure, Percent("shown a single value, right or wrong", "Raab 2024 (10)")]
    DiSCO: Annotated[Figure, Percent("shown a single value, and it is theirs", "Raab 2024 (11)")]
    expected: Annotated[
        Figure, People("people whose value is the only one among others with their keys", "",
                       "from others"),
    ] = None  # fmt: skip


class WorstRow(Row, frozen=True):
    """The set of keys where a figure is highest."""

    version: str
    copy: Copy
    figure: str
    target: str  # empty: identity
    keys: tuple[str, ...]
    size: Annotated[int, Count("keys known", "", "keys known")]
    value: Annotated[Figure, Count("people")]
    expected: Annotated[
        Figure, People("by a model of other people's records", "", "from others")
    ] = None
    beyond: Annotated[Figure, People("value less expected")] = None
    margin: Annotated[Figure, People("half of the 95 % interval of beyond, chance alone")] = None
    low: Annotated[
        Figure, People("lower 95 % bound of beyond, for the worst of all sets", "", "at least")
    ] = None
    reach: Annotated[Figure, People("beyond, of an exact copy of the original")] = None
    learner: str = ""
    all_keys: bool = False


class KeySets(Result, frozen=True, kw_only=True):
    """Every set of keys, and the worst."""

    title: ClassVar[str] = "Disclosure by every set of keys"
    drawings: ClassVar[dict[str, Chart]] = {
        "sets": Chart(
            spec="sets", table="sets", title="DiSCO by the number of keys known",
            columns={"label": "target", "x": "size", "y": "DiSCO"},
        )
    }  # fmt: skip

    sets: Annotated[tuple[SetRow, ...], Heading("Sets of keys")]
    worst: Annotated[tuple[WorstRow, ...], Heading("Worst sets of keys", FIRST, True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        worst = max(
            (row for row in self.worst if row.figure == "DiSCO"),
            key=lambda row: row.value or 0,
            default=None,
        )
        if worst is None:
            return ()
        words = Words(self.settings, self.files)
        (n, unit), n_sets = words.base(worst), len({row.keys for row in self.sets})
        others = ""
        if worst.expected is not None:
            others = f"; {others_of(worst.learner, words.unit)} {worst.expected:,.0f}"
        return (
            f"{side_of(worst)}Of {n_sets:,} sets of keys, {join_names(worst.keys)} show most:"
            f" {worst.target} would be disclosed correctly for {worst.value:,.0f} of {n:,}"
            f" {unit}{others}.",
        )

    @property
    def searched(self) -> int:
        return len({(row.keys, row.target) for row in self.sets})

    @property
    def figures(self) -> tuple[PeopleFigure, ...]:
        """The worst sets, each among all that were searched."""
        n = next(file.rows for file in self.files if file.role == "original")
        return tuple(
            PeopleFigure(
                version=row.version, copy=row.copy, kind="keys", by=", ".join(row.keys), of=n,
                what=f"{row.target} by {', '.join(row.keys)}", people=row.value,
                expected=row.expected, beyond=row.beyond, margin=row.margin, reach=row.reach,
                symbol="DiSCO",
            )
            for row in self.worst
            if row.target
        )  # fmt: skip

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences

    @property
    def next(self) -> str:
        return "sets"


@measure
def key_sets(
    study: Counted,
    *,
    exclude: Texts = (),
    largest: Annotated[int, Meta(ge=1)] | None = None,
    expected: bool = True,
    seed: Seed = None,
) -> KeySets:
    """Measure what would be disclosed to an intruder who knows only some of the keys.

    Parameters
    ----------
    study
        The files, and all keys that an intruder may know.
    exclude
        As in `disclosure`; a rule that names keys holds in sets that have them.
    largest
        The largest number of keys in a set.
    expected
        Leave out what other people's records would tell.
    seed
        The start of the random numbers.
    """
    rules, n_keys = rules_of(study, exclude), len(study.keys)
    largest = min(largest or n_keys, n_keys)
    n_sets = sum(comb(n_keys, size) for size in range(1, largest + 1))
    if n_sets > MOST_SETS:
        raise InputError(
            f"{n_keys} keys have {n_sets:,} sets of at most {largest}, more than {MOST_SETS:,}."
            " Choose fewer keys, or a smaller number of them (largest)."
        )
    sets: list[list[SetRow]] = []
    worst: list[WorstRow] = []
    for side in steps("key sets", list(study.sides())):
        if study.in_memory:
            question = _question(study, side, rules)
            counts = list(count_key_sets(question, largest, with_twins=expected))
        else:
            counts = list(_count_by_cells(study, side, rules, largest))
        sets.append([row for each in counts for row in _set_rows(study, side, each, expected)])
        worst += _worst(study, side, rules, sets[-1], seed if expected else None)
    rows = [row for of_set in zip(*sets, strict=True) for row in with_mean(of_set)]
    return KeySets(sets=tuple(rows), worst=tuple(worst))


def _question(study: Study, side: Side, rules: Sequence[Rule]) -> Question:
    """The codes that are counted, and whom the rules take out."""
    keys = [study.column(name) for name in study.keys]
    targets = [study.column(name) for name in study.targets]
    people, first, last = study.rows[ORIGINAL], side.files[0], side.files[-1]
    records = np.r_[people, study.rows[first].start : study.rows[last].stop]
    limits = tuple(
        min((rule.limit for rule in rules
             if isinstance(rule, MaxDenominator) and rule.is_synthetic == is_synthetic),
            default=None)
        for is_synthetic in (False, True)
    )  # fmt: skip
    return Question(
        keys=[key.codes[records] for key in keys], n_levels=[key.n_levels for key in keys],
        targets=[target.codes[records] for target in targets],
        n_target_levels=[target.n_levels for target in targets],
        n_d=people.stop - people.start,
        exempt=[exempt for rule in rules for exempt in _exempt(study, rule)],
        limits=(limits[0], limits[1]),
    )  # fmt: skip


def _count_by_cells(
    study: Study, side: Side, rules: Sequence[Rule], largest: int
) -> Iterator[Counts]:
    """The same by the cells of each set, which an engine sums from those of all keys."""
    for target in study.targets:
        study.profile(target, side)
    for mask in range(1, 2 ** len(study.keys)):
        places = tuple(k for k in range(len(study.keys)) if mask >> k & 1)
        if len(places) > largest:
            continue
        names = tuple(study.keys[place] for place in places)
        part, in_set = study.replace(keys=names), rules_in(rules, names)
        found = part.profile(None, side, in_set)
        by_target = [part.profile(target, side, in_set) for target in study.targets]
        yield Counts(
            places,
            replicated=found.count((found.d_q == 1) & (found.s_q == 1)),
            shown=tuple(p.count(p.is_shown) for p in by_target),
            correct=tuple(p.count(p.ps_is_1) for p in by_target),
            twins=tuple(p.count(p.pd_is_1 & (p.d_q > 1)) for p in by_target),
        )


def _exempt(study: Study, rule: Rule) -> Iterator[Exempt]:
    """Whom a rule takes out, and in which sets."""

    def have(name: str, level: str) -> Any:
        column = study.column(name)
        return column.codes[study.rows[ORIGINAL]] == column.code(level)

    match rule:
        case LevelRule():
            masks = [have(rule.target, rule.level), *(have(*at) for at in rule.at)]
            keys = frozenset(study.keys.index(name) for name, _ in rule.at)
            people = np.logical_and.reduce(masks)
            yield Exempt(keys, people, study.targets.index(rule.target))
        case MissingTargets():
            for place, name in enumerate(study.targets):
                yield Exempt(frozenset(), have(name, ""), place)
        case MissingKeys():
            for name in rule.keys_of(study.keys):
                yield Exempt(frozenset([study.keys.index(name)]), have(name, ""))


def _set_rows(study: Study, side: Side, counts: Counts, expected: bool) -> Iterator[SetRow]:
    n = study.files[ORIGINAL].size
    for place, target in enumerate(study.targets):
        yield SetRow(
            version=side.version, copy=side.copy, target=target, size=len(counts.keys),
            keys=tuple(study.keys[key] for key in counts.keys),
            repU=_percent(counts.replicated, n), DiS=_percent(counts.shown[place], n),
            DiSCO=_percent(counts.correct[place], n),
            expected=counts.twins[place] if expected else None,
        )  # fmt: skip


def _percent(count: int, n: int) -> Figure:
    return 100 * count / n if n else None


def _worst(
    study: Study, side: Side, rules: Sequence[Rule], rows: Sequence[SetRow], seed: int | None
) -> Iterator[WorstRow]:
    """The highest repU, and of each target the highest DiSCO and the most beyond its twins."""
    n, n_sets = study.files[ORIGINAL].size, len({row.keys for row in rows})

    def people(share: Figure) -> float:
        return round((share or 0) * n / 100)

    about: dict[str, Any] = {"version": side.version, "copy": side.copy}
    if rows:
        row = max(rows, key=lambda row: (people(row.repU), -row.size))
        about |= {"keys": row.keys, "size": row.size, "all_keys": row.size == len(study.keys)}
        yield WorstRow(figure="repU", target="", value=people(row.repU), **about)
    for target in study.targets:
        of_target = [row for row in rows if row.target == target]
        highest = max(of_target, key=lambda row: (people(row.DiSCO), -row.size))
        surplus = max(
            of_target, key=lambda row: (people(row.DiSCO) - (row.expected or 0), -row.size)
        )
        for figure, row in {"DiSCO": highest, "beyond": surplus}.items():
            about |= {"keys": row.keys, "size": row.size, "all_keys": row.size == len(study.keys)}
            worst = WorstRow(figure=figure, target=target, value=people(row.DiSCO), **about)
            if seed is not None:
                yield _beside_others(study, side, rules, worst, n_sets, seed)
            elif figure == "DiSCO":
                yield worst


def _beside_others(
    study: Study, side: Side, rules: Sequence[Rule], row: WorstRow, n_sets: int, seed: int
) -> WorstRow:
    """The same beside what the learner says, with the margin of the worst of so many sets."""
    part = study.replace(keys=row.keys)
    p = part.profile(row.target, side, rules_in(rules, row.keys))
    others = part.once(learn_others, part.keys, row.target, seed)
    margins = NormalDist().inv_cdf(1 - 0.025 / n_sets)
    figures = beside_others(attribute(p, side), p, others, margins)
    names = ("expected", "beyond", "margin", "low", "reach", "learner")
    return msgspec.structs.replace(row, **{name: figures[name] for name in names})


def rules_in(rules: Sequence[Rule], keys: Sequence[str]) -> list[Rule]:
    """The rules as they hold in a set of keys."""
    in_set: list[Rule] = []
    for rule in rules:
        if isinstance(rule, MissingKeys) and rule.names:
            names = tuple(name for name in rule.names if name in keys)
            in_set += [MissingKeys(names)] if names else []
        elif not isinstance(rule, LevelRule) or {name for name, _ in rule.at} <= set(keys):
            in_set.append(rule)
    return in_set
