"""`unveil.disclosure`: what would an intruder learn, about whom, how surely? Raab (2024)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import Seed, Texts, Thresholds
from unveil.counts.profile import CellProfile, PersonProfile
from unveil.data.columns import Column
from unveil.measures.disclosure.exclusions import (
    EffectRow,
    ExcludedRow,
    ExclusionsRow,
    Rule,
    effects,
    excluded,
    five_sets,
    parse_exclusions,
)
from unveil.measures.disclosure.flags import Flag, find_flags
from unveil.measures.disclosure.formulas import (
    AttributeRow,
    IdentityRow,
    attribute,
    attribute_of_people,
    identity,
)
from unveil.measures.disclosure.others import (
    beside_others,
    learn_others,
    near_beside_others,
    people_beside_others,
    why_nothing_is_expected,
)
from unveil.measures.disclosure.sentences import Wording, flags_line
from unveil.measures.disclosure.values import (
    SensitiveRow,
    Together,
    TogetherRow,
    ValueRow,
    right_by_shares,
    sensitive,
    values,
)
from unveil.progress import steps
from unveil.results import Chart, Heading, PeopleFigure, Result, grouped, with_mean
from unveil.study import Counted, Side, Study, measure

WHO = ("UiO", "unique", "UiOiS", "repU", "replicated", "UiS")
WHAT = ("target", "unit", "correct", "expected", "beyond", "low", "wrong", "DiSCO", "Dorig")
WHICH = ("id", "correct", "people", "people_all", "share_all")
SHOWN = ("target", "level", "people", "correct", "wrong")
SAID = 3  # versions, targets, and flags, with a sentence of their own


class Disclosure(Result, frozen=True, kw_only=True):
    """Identity and attribute disclosure of one intruder."""

    title: ClassVar[str] = "Disclosure risk of synthetic data"
    drawings: ClassVar[dict[str, Chart]] = {
        "lollipop": Chart(
            spec="lollipop", table="attribute", title="People disclosed, in percent",
            columns={"label": "target", "before": "Dorig", "after": "DiSCO"},
            marks="flags", meaning_of_marks="flagged: may be common knowledge",
        ),
        "uniques": Chart(
            spec="bars", table="identity", title="People unique on the keys",
            columns={"label": "unit", "first": "unique", "second": "replicated"},
        ),
        "values": Chart(
            spec="bars", table="values", title="People shown each value, the 15 shown most",
            columns={"label": "level", "group": "target", "first": "correct", "second": "wrong"},
        ),
        "exclusions": Chart(
            spec="lollipop", table="exclusions", title="Without what is common knowledge",
            columns={"label": "figure", "group": "target", "before": "all",
                     "after": "levels_missing"},
        ),
    }  # fmt: skip

    attribute: Annotated[tuple[AttributeRow, ...], Heading("Values shown", WHAT, True)]
    identity: Annotated[tuple[IdentityRow, ...], Heading("Uniques", WHO)]
    values: Annotated[tuple[ValueRow, ...], Heading("Values", SHOWN)] = ()
    flags: Annotated[tuple[Flag, ...], Heading("May be common knowledge", WHICH)] = ()
    excluded: Annotated[tuple[ExcludedRow, ...], Heading("Records excluded")] = ()
    effect: Annotated[tuple[EffectRow, ...], Heading("Effect of exclusions")] = ()
    exclusions: Annotated[tuple[ExclusionsRow, ...], Heading("Five sets of exclusions")] = ()
    together: Annotated[tuple[TogetherRow, ...], Heading("All targets together")] = ()
    sensitive: Annotated[tuple[SensitiveRow, ...], Heading("Sensitive values")] = ()

    @property
    def head(self) -> tuple[str, ...]:
        words = Wording(self.settings, self.files)
        lines = []
        for of_unit in grouped(self.table("identity").first_rows, lambda row: row.unit):
            lines += [words.unique(of_unit[0]), *map(words.replicated, of_unit[:SAID])]
        return (f"The intruder knows {words.keys}.", *lines)

    @property
    def foot(self) -> tuple[str, ...]:
        return flags_line(self.flags)

    @property
    def next(self) -> str:
        return "flags" if self.flags else "words"

    @property
    def sentences(self) -> tuple[str, ...]:
        words = Wording(self.settings, self.files)
        effect = [
            row
            for row in self.table("effect").first_rows
            if row.figure == "DiSCO" and row.before != row.after
        ]
        first = [row for row in self.table("attribute").first_rows if row.unit == "records"]
        flags = self.table("flags").first_rows
        return (
            *self.head,
            *map(words.attribute, first[:SAID]),
            *map(words.together, self.table("together").first_rows),
            *map(words.effect, effect),
            *map(words.sensitive, self.table("sensitive").first_rows),
            *self.foot,
            *map(words.flag, sorted(flags, key=lambda flag: -flag.correct)[:SAID]),
        )

    @property
    def figures(self) -> tuple[PeopleFigure, ...]:
        """Each target as a figure of people, and its exceptions.

        Of records, where people have several and these differ.
        """
        original = next(file for file in self.files if file.role == "original")
        units = {"records": original.rows, "near": original.rows, "people": original.people}
        of_people = {row.target for row in self.attribute if row.unit == "people" and row.low}
        return tuple(
            figure
            for row in self.attribute
            if row.copy != "sd" and (row.unit == "people") == (row.target in of_people)
            for figure in _figures(row, self.settings, units[row.unit])
        )

    def what_if(self, *exclude: str) -> "Disclosure":
        """The same with these exclusions in the place of others, from the cells already counted."""
        asked = {name: self.settings[name] for name in ("thresholds", "within", "expected", "seed")}
        return disclosure(self.study, exclude=exclude, **asked)

    def records(self, *targets: str) -> pl.DataFrame:
        """The people who are shown a single value: whose record, what they have, what is shown."""
        self.study.need_memory()
        study, rules = self.study, parse_exclusions(self.settings["exclude"])
        shown = [
            _shown_to(study.profile(target, side, rules), side)
            for target in targets or study.targets
            for side in study.sides()
        ]
        return pl.concat(shown)


def _shown_to(p: CellProfile, side: Side) -> pl.DataFrame:
    texts = np.array([*(text or "" for text in p.target.texts), ""], object)
    shown = p.to_people(p.shown)
    row = np.flatnonzero((shown >= 0) & p.is_counted)
    about = {"version": side.version, "copy": str(side.copy), "target": p.target.name}
    levels = {"level": texts[p.value_of[row]], "shown": texts[shown[row]]}
    columns = {"row": row} | {
        name: pl.Series(text, dtype=pl.String) for name, text in levels.items()
    }
    frame = pl.DataFrame(columns).with_columns(pl.lit(text).alias(n) for n, text in about.items())
    return frame.select("row", *about, *levels)


def _figures(row: AttributeRow, settings: dict[str, Any], n: int) -> Iterator[PeopleFigure]:
    about: dict[str, Any] = {
        "version": row.version, "copy": row.copy, "kind": "keys", "what": row.target,
        "by": ", ".join(settings["keys"]), "of": n, "reach": row.reach,
    }  # fmt: skip
    yield PeopleFigure(
        people=row.correct, shares=row.shares, expected=row.expected, beyond=row.beyond,
        margin=row.margin, symbol="DiSCO", **about,
    )  # fmt: skip
    if row.exceptions is not None and row.exceptions_expected is not None:
        yield PeopleFigure(
            people=row.exceptions, expected=row.exceptions_expected,
            beyond=row.exceptions - row.exceptions_expected,
            margin=row.exceptions_margin, symbol="exceptions", **about,
        )  # fmt: skip


@measure
def disclosure(
    study: Counted,
    *,
    exclude: Texts = (),
    thresholds: Thresholds = (50, 90, 4, 80),
    within: str | None = None,
    expected: bool = True,
    seed: Seed = None,
) -> Disclosure:
    """Measure what synthetic data would disclose about the people of the original.

    Parameters
    ----------
    study
        The files, and what an intruder knows and may learn.
    exclude
        What is no real risk: workab=NO, marital=SINGLE@age=16, missing-targets, missing-keys=age,
        max-denominator=1, max-denominator-syn=1.
    thresholds
        Flag a level above so many people and percent of DiSCO, a pair above so many and percent.
    within
        Run these checks within each level of a column.
    expected
        Leave out what other people's records would tell.
    seed
        The start of the random numbers.

    References
    ----------
    Raab (2024), Privacy risk from synthetic data: practical proposals.
    """
    rules = rules_of(study, exclude)
    if within is not None:
        study.need_memory()
        study.check_column(within)
    identity_rows = measure_identity(study, rules)
    together = Together(study)
    asked = _Asked(study, rules, thresholds, within, seed if expected else None, together)
    targets = [_measure(asked, target) for target in steps("disclosure", study.targets)]
    targets.sort(key=_worst_first)
    tables: dict[str, list[Any]] = defaultdict(list)
    if rules:
        tables["effect"] += effects(measure_identity(study), identity_rows)
    for target in targets:
        for name, rows in target.items():
            tables[name] += rows
    tables |= {"identity": list(identity_rows), "together": list(together.rows())}
    tables.setdefault("attribute", [])
    complete: dict[str, Any] = {name: tuple(rows) for name, rows in tables.items()}
    notes = why_nothing_is_expected(study, tables["attribute"]) if expected else ()
    return Disclosure(**complete, notes=tuple(notes))


def rules_of(study: Study, exclude: Texts) -> tuple[Rule, ...]:
    """The exclusions, held against the study."""
    rules = parse_exclusions(exclude)
    for rule in rules:
        rule.check(study)
    return rules


def measure_identity(study: Study, rules: Sequence[Rule] = ()) -> list[IdentityRow]:
    """Identity in every synthetic file, the mean, and all pooled; by record, and by person."""
    profiles = [(side, study.profile(None, side, rules)) for side in study.sides()]
    rows = with_mean([identity(p, side) for side, p in profiles])
    if study.has_people:
        person, _ = study.people()
        rows += with_mean([
            identity(PersonProfile.by_person(p, person, study.owners(side)), side, "people")
            for side, p in profiles
        ])  # fmt: skip
    return rows


@dataclass(frozen=True)
class _Asked:
    """What is asked about every target."""

    study: Study
    rules: Sequence[Rule]
    thresholds: Thresholds
    within: str | None
    seed: int | None  # None: nothing is said of other people's records
    together: Together


def _measure(asked: _Asked, target: str) -> dict[str, list[Any]]:
    """The rows of every table about one target, in every synthetic file."""
    study, rules = asked.study, asked.rules
    about = study.columns.get(target, Column())
    shares = study.shares(target)
    distances = study.distances(target)
    others = None
    if asked.seed is not None:
        others = study.once(learn_others, study.keys, target, asked.seed)
    records, near, people, before = [], [], [], []
    tables: dict[str, list[Any]] = defaultdict(list)
    for side in study.sides():
        p = study.profile(target, side, rules)
        levels = list(values(p, side))
        flags = list(find_flags(study, p, side, asked.thresholds, asked.within))
        row = msgspec.structs.replace(_attribute(p, side), shares=right_by_shares(p, shares))
        records.append(beside_others(row, p, others))
        if distances is not None:
            nearby = p.within_tolerance(distances, about.tolerance or 0)
            row = attribute(nearby, side, "near")
            near.append(near_beside_others(row, nearby, distances, others))
        if study.has_people:
            by_person = PersonProfile.by_person(p, study.people()[0])
            row = attribute_of_people(by_person, side)
            people.append(people_beside_others(row, by_person, others))
        before.append(_attribute(study.profile(target, side) if rules else p, side))
        tables["values"] += levels
        tables["flags"] += flags
        tables["sensitive"] += sensitive(study, p, side, levels, about.sensitive, shares)
        tables["exclusions"] += five_sets(p, side, rules, _one_way(flags))
        tables["excluded"] += excluded(p, side, rules) if rules else ()
        asked.together.add(p, side)
    with_means = with_mean(records)
    tables["attribute"] = [*with_means, *with_mean(near), *with_mean(people)]
    tables["effect"] = effects(with_mean(before), with_means) if rules else []
    return tables


_rows: WeakKeyDictionary[CellProfile, AttributeRow] = WeakKeyDictionary()


def _attribute(p: CellProfile, side: Side) -> AttributeRow:
    """The figures of a profile, worked out once as long as it is kept: what-ifs ask again."""
    if p not in _rows:
        _rows[p] = attribute(p, side)
    return _rows[p]


def _one_way(flags: Sequence[Flag]) -> list[Rule]:
    """The levels flagged alone, as exclusions."""
    rules = [flag.rule for flag in flags if flag.kind == "one-way" and not flag.within]
    return list(parse_exclusions(rules))


def _worst_first(tables: dict[str, list[Any]]) -> tuple[float, str]:
    """Targets by what is beyond, or by DiSCO where nothing is expected; of versions the worst."""
    rows = [row for row in tables["attribute"] if row.unit == "records" and row.copy != "sd"]
    return -max(row.DiSCO if row.beyond is None else row.beyond for row in rows), rows[0].target
