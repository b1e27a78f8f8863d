"""Synthetic records, column by column (Chapelle and Falissard 2023; Raab 2024, section 6)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Form, Names, SecretSeed, as_names, split_names
from unveil.counts.cells import pack
from unveil.data.codebook import Data
from unveil.describing.facts import read_facts
from unveil.describing.roles import settle
from unveil.errors import InputError, check_name, list_names
from unveil.making.donors import FITS, Donors, Leaf, Model, View
from unveil.making.joint import Joint, fit_joint
from unveil.making.made import Made, alone, change, has_amounts, without
from unveil.making.recode import apply_step
from unveil.making.rules import Rules
from unveil.making.steps import Smooth
from unveil.progress import steps as progress_of
from unveil.results import Copy, Count, Heading, Note, Row
from unveil.study import ORIGINAL, Records, Study, measure

MOST_ROUNDS = 50  # how often records that break a rule are drawn again
LEFT_OUT = {"identifier": "identifier", "ignore": "in no measure"}
JOINT = ("catall", "ipf")
METHODS = (*FITS, "keep")


class ColumnRow(Row, frozen=True):
    """How one column is made."""

    column: str
    kind: str
    method: str
    predictors: tuple[str, ...]
    notes: str


class CopyRow(Row, frozen=True):
    """One synthetic file."""

    copy: Copy
    records: Annotated[int, Count("synthetic records")]
    people: Annotated[int, Count("people whose records these would be")]


class Synthesis(Made, frozen=True, kw_only=True):
    """How columns are made, and the study with the synthetic data; `draw` gives more."""

    title: ClassVar[str] = "Synthesis"

    columns: Annotated[tuple[ColumnRow, ...], Heading("Columns in their order", (), True)]
    copies: Annotated[tuple[CopyRow, ...], Heading("Synthetic files")]

    @property
    def sentences(self) -> tuple[str, ...]:
        n, unit = len(self.copies), self.settings["unit"]
        files = "One synthetic file" if n == 1 else f"{n} synthetic files"
        return (
            f"{files} of {self.copies[0].records:,} records, made from {self.people:,} {unit}."
            " Values are drawn from those of the original: assess it before it is given away.",
        )

    def draw(self, rows: int, seed: int) -> pl.DataFrame:
        """More synthetic records, by the same models."""
        return vars(self)["_maker"].draw(rows, [seed])


@dataclass(frozen=True, eq=False)
class Plan:
    """Which columns are made, in their order, and how."""

    names: tuple[str, ...]
    methods: Mapping[str, str]
    predictors: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]  # columns, and why
    person: str = ""

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if self.methods[name] == "keep")


@dataclass(frozen=True, eq=False)
class Maker:
    """Fitted models, from which files of any size are drawn."""

    original: pl.DataFrame
    plan: Plan
    models: Mapping[str, Model]
    rules: Rules
    joint: Joint | None = None

    def draw(self, n_rows: int, seed: Sequence[int]) -> pl.DataFrame:
        """Synthetic records; those that break a rule are drawn again."""
        parts: list[pl.DataFrame] = []
        missing = n_rows
        for turn in range(MOST_ROUNDS):
            donors = self.draw_donors({}, missing, [*seed, turn])
            drawn = self.rules.derive(self.records(donors))
            records = drawn.filter(self.rules.obeyed(drawn))
            parts.append(records)
            missing -= len(records)
            if not missing:
                return pl.concat(parts)
        broken = self.rules.check(self.rules.derive(self.original))
        texts = zip(self.rules.conditions, broken, strict=True)
        raise InputError(
            f"'rules': {missing:,} of {n_rows:,} synthetic records still break one after"
            f" {MOST_ROUNDS} draws. Of the original break it:"
            f" {', '.join(f'{n:,} ({text[:40]})' for text, n in texts)}."
        )

    def draw_donors(self, donors: Donors, n_rows: int, seed: Sequence[int]) -> dict[str, Any]:
        """For each column the record of the original that gives its value."""
        drawn = dict(donors)
        n = len(self.original)
        first = np.random.default_rng([*seed, len(self.plan.names)])
        if self.joint is not None:
            drawn |= self.joint.draw(n_rows, first)
        else:
            rows = first.choice(n, n_rows, replace=n_rows > n)
            drawn |= dict.fromkeys((k for k in self.plan.kept if k not in drawn), rows)
        for place, (name, model) in enumerate(self.models.items()):
            if name not in drawn:
                rng = np.random.default_rng([*seed, place])
                drawn[name] = model.draw(drawn, n_rows, rng)
        return drawn

    def records(self, donors: Donors) -> pl.DataFrame:
        """The values of donors."""
        return pl.DataFrame([
            self.original[name].gather(rows)
            for name in self.original.columns
            if (rows := donors.get(name)) is not None
        ])  # fmt: skip


@dataclass(frozen=True, eq=False)
class StrataMaker:
    """A maker for each stratum; of each comes the share that it has in the original."""

    makers: Sequence[Maker]

    def draw(self, n_rows: int, seed: Sequence[int]) -> pl.DataFrame:
        sizes = np.array([len(maker.original) for maker in self.makers])
        ends = np.round(np.cumsum(sizes) * n_rows / sizes.sum()).astype(int)
        parts = [
            maker.draw(int(n), [*seed, number])
            for number, (maker, n) in enumerate(
                zip(self.makers, np.diff(ends, prepend=0), strict=True)
            )
            if n
        ]
        order = np.random.default_rng(seed).permutation(n_rows)
        return pl.concat(parts)[order]


def fit_strata(
    study: Study, plan: Plan, leaf: Leaf, seed: Sequence[int], rules: Rules, strata: Sequence[str]
) -> StrataMaker:
    """Models of their own for each combination of levels of some columns."""
    columns = [study.unbanded(name) for name in strata]
    _, stratum, n = np.unique(pack(columns)[0], return_inverse=True, return_counts=True)
    if n.min() < leaf.fewest:
        raise InputError(
            f"'strata': one has fewer records than a leaf, {leaf.fewest}. Merge levels before."
        )
    kept = replace(plan, methods={**plan.methods, **dict.fromkeys(strata, "sample")})

    def part(k: int) -> Study:
        return change(study, lambda _, file: file.frame.filter(stratum == k))

    makers = [fit(part(k), kept, leaf, [*seed, k], rules) for k in range(len(n))]
    return StrataMaker(makers)


def fit(study: Study, plan: Plan, leaf: Leaf, seed: Sequence[int], rules: Rules) -> Maker:
    """A model of each column, given those before it."""
    from threadpoolctl import threadpool_limits

    views = {name: view_of(study, name) for name in plan.names}
    models: dict[str, Model] = {}
    with threadpool_limits(1):
        for place, name in enumerate(progress_of("columns", plan.names)):
            before = [views[other] for other in plan.predictors[name]]
            if plan.methods[name] != "keep":
                make = FITS[plan.methods[name] if before else "sample"]
                rng = np.random.default_rng([*seed, place])
                models[name] = make(views[name], before, leaf, rng)
    return Maker(study.original, plan, models, rules)


def view_of(study: Study, name: str) -> View:
    column = study.unbanded(name)
    special = study.special(name, column)
    return View.of(column, special, is_number=has_amounts(study, column))


def plan_of(study: Study, asked: Mapping[str, Any], derived: Mapping[str, str]) -> Plan:
    """Which columns are made and how, with refusals of what points at people."""
    frame = study.original
    for name in (*as_names(asked["order"]), *asked["predictors"]):
        check_name(name, frame.columns, "'order' or 'predictors': there is no column")
    left_out = {
        name: LEFT_OUT[about.role]
        for name, about in study.columns.items()
        if about.role in LEFT_OUT and not (about.role == "identifier" and about.reason)
    }
    person = next((n for n, about in study.columns.items() if about.role == "person"), "")
    out = {*left_out, *derived, *([person] if person else [])}
    names = [n for n in dict.fromkeys((*as_names(asked["order"]), *frame.columns)) if n not in out]
    if not names:
        raise InputError("There is no column to synthesise.")
    check_identifiers(study, names)
    methods = _methods(asked["method"], frame.columns, names)
    names.sort(key=lambda name: methods[name] != "keep")
    predictors = {}
    for place, name in enumerate(names):
        before = names[:place]
        chosen = as_names(asked["predictors"].get(name, before))
        for other in chosen:
            if other not in before:
                raise InputError(f"'predictors': {other!r} must come before {name!r} ('order').")
        predictors[name] = () if methods[name] in ("keep", "sample", *JOINT) else chosen
    return Plan(tuple(names), methods, predictors, left_out, person)


def _methods(method: Any, columns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    if isinstance(method, str):
        check_name(method, (*METHODS, *JOINT), "'method': there is none called")
        return dict.fromkeys(names, method)
    for name, of_column in method.items():
        check_name(name, columns, "'method': there is no column")
        check_name(of_column, METHODS, f"'method' of {name!r}: there is none called")
    return {name: method.get(name, "cart") for name in names}


def check_identifiers(study: Study, names: Sequence[str]) -> None:
    """Refuse columns that look as if they pointed at people, until their role is declared."""
    said = {*study.keys, *(name for name, about in study.columns.items() if about.role)}
    looks = {
        name: settled[1]
        for name, facts in read_facts(study, set()).items()
        if name in names and name not in said and (settled := settle(facts))
        if settled[0] == "identifier"
    }
    if looks:
        first = next(iter(looks))
        raise InputError(
            f"{list_names(looks)} may point at people ({looks[first]}). Declare what each is:"
            f" {first}=identifier leaves it out, {first}=target repeats its real values."
        )


def _notes_of(view: View, plan: Plan, leaf: Leaf) -> str:
    """What of single people may come back, and what later columns do not see."""
    everyone, notes = np.arange(len(view.states)), []
    if view.amounts is not None:
        _, n = np.unique(view.amounts[view.has_amount], return_counts=True)
        if single := int((n == 1).sum()):
            notes.append(f"{single:,} numbers that one record has may be drawn")
    n = np.bincount(view.states)
    if view.amounts is None and (single := int((n == 1).sum())):
        notes.append(f"{single:,} levels that one record has may be drawn")
    is_used = any(view.name in before for before in plan.predictors.values())
    rare = int(((n > 0) & ~view.is_frequent(everyone, leaf.fewest)).sum())
    if is_used and rare > 1:
        notes.append(f"{rare:,} rare levels are one to later columns")
    return "; ".join(notes)


def _rows(study: Study, plan: Plan, rules: Rules, leaf: Leaf) -> Iterator[ColumnRow]:
    for name in plan.names:
        view = view_of(study, name)
        method = plan.methods[name]
        is_first = not plan.predictors[name] and method not in ("keep", *JOINT)
        yield ColumnRow(
            column=name, kind=view.kind, method="sample" if is_first else method,
            predictors=plan.predictors[name], notes=_notes_of(view, plan, leaf),
        )  # fmt: skip
    for name in rules.formulas:
        yield ColumnRow(column=name, kind="", method="derived", predictors=(), notes="")
    for name, why in plan.left_out.items():
        yield ColumnRow(column=name, kind="", method="left out", predictors=(), notes=why)
    if plan.person:
        yield ColumnRow(column=plan.person, kind="", method="numbered", predictors=(), notes="")


Conditions = Annotated[str | Sequence[str], Form("a text or several", "TEXT", list, ("--rule",))]
Methods = Annotated[
    str | Mapping[str, str], Form("a method, or a mapping of columns to methods", "TEXT",
                                  lambda texts: texts[-1]),
]  # fmt: skip
Predictors = Annotated[
    Mapping[str, str | Sequence[str]],
    Form("a mapping of columns to those that predict them", "", list),
]
Formulas = Annotated[Mapping[str, str], Form("a mapping of columns to expressions", "", list)]
AtLeast1 = Annotated[int, Meta(ge=1)]
LeafSize = Annotated[
    tuple[AtLeast1, AtLeast1], Form("two whole numbers from 1 on", "N,N", split_names)
]
Copies = Annotated[int, Meta(ge=1, le=1_000)]


@measure
def synthesise(
    study: Records,
    *,
    method: Methods = "cart",
    order: Names = (),
    predictors: Predictors = {},  # noqa: B006
    rules: Conditions = (),
    derive: Formulas = {},  # noqa: B006
    leaf: LeafSize = (33, 100),
    smooth: bool = False,
    margins: Sequence[Names] = (),
    strata: Names = (),
    copies: Copies = 1,
    rows: AtLeast1 | None = None,
    seed: SecretSeed = None,
) -> Synthesis:
    """Make synthetic data from the original.

    Parameters
    ----------
    study
        The original, with what is true of its columns.
    method
        cart, parametric, sample, normrank or keep, for all columns or by column; for all together
        catall, or ipf with margins.
    order
        Columns that are made first; the others follow as the file has them.
    predictors
        By column, those that predict it; by default all before it.
    rules
        What is true of every record: age >= 16 or marital = 'SINGLE'.
    derive
        Columns that are computed from others, by their expressions.
    leaf
        The fewest people of a leaf, and of a node that is split.
    smooth
        Whether numbers are moved by at most five ranks before.
    margins
        Of ipf: groups of columns whose table of counts is kept.
    strata
        Columns: each combination of their levels has models of its own.
    copies
        How many synthetic files.
    rows
        Records of each; of people with several records, people. By default as many as there are.
    seed
        The start of the random numbers, as confidential as the original.
    """
    seed = seed or 0
    size = Leaf(*leaf)
    conditions = Rules.of(rules, derive)
    for name, about in study.columns.items():
        if about.role not in ("person", *LEFT_OUT):
            study.column(name)  # what is said of it must hold
    for margin in margins:
        for name in as_names(margin):
            check_name(name, study.original.columns, "'margins': there is no column")
    for name in as_names(strata):
        check_name(name, study.original.columns, "'strata': there is no column")
    if strata and method in JOINT:
        raise InputError("'strata' are not for the 'method' catall or ipf.")
    if margins and method != "ipf":
        raise InputError("'margins' are of the 'method' ipf.")
    if smooth:
        study = smoothed(study, seed)
    source = alone(study)
    with_derived = conditions.derive(source.original)
    broken = conditions.check(with_derived)
    asked = {"method": method, "order": order, "predictors": predictors}
    plan = plan_of(source, asked, derive)
    maker: Any
    if method in JOINT:
        maker = _fit_joint(source, plan, conditions, method, [as_names(m) for m in margins])
    elif strata:
        if plan.person and source.people()[1] < len(source.original):
            raise InputError("'strata' are for people with one record each.")
        maker = fit_strata(source, plan, size, [seed], conditions, as_names(strata))
    elif plan.person and source.people()[1] < len(source.original):
        from unveil.making.people import fit_people

        maker = fit_people(source, plan, size, [seed], conditions)
    else:
        maker = fit(source, plan, size, [seed], conditions)
    n = rows or source.people()[1]
    frames = [numbered(maker.draw(n, [seed, copy]), plan) for copy in range(1, copies + 1)]
    made = _study_of(study, frames, plan, conditions)
    notes = [
        Note(about="rules", sentence=f"{n:,} records of the original break {text!r}.")
        for text, n in zip(conditions.conditions, broken, strict=True)
        if n
    ]
    result = Synthesis(
        columns=tuple(_rows(source, plan, conditions, size)), notes=tuple(notes),
        copies=tuple(
            CopyRow(copy=copy, records=len(frame), people=made.people(copy)[1])
            for copy, frame in enumerate(frames, start=1)
        ),
    )  # fmt: skip
    vars(result)["_maker"] = maker
    return result.giving(made)


def smoothed(study: Study, seed: int) -> Study:
    """With the numbers of its files moved by a few ranks, all likewise."""
    source = alone(study)
    names = [n for n in source.original.columns if has_amounts(source, source.unbanded(n))]
    numbers = [n for n in names if source.unbanded(n).kind == "number"]
    skip = {n for n, about in study.columns.items() if about.role in ("person", *LEFT_OUT)}
    step = Smooth(columns=[name for name in numbers if name not in skip])
    return apply_step(study, step, [seed]).study


def _fit_joint(
    study: Study, plan: Plan, rules: Rules, method: str | Mapping[str, str],
    margins: Sequence[tuple[str, ...]],
) -> Maker:  # fmt: skip
    if method == "ipf":
        lacking = [n for n in plan.names if not any(n in margin for margin in margins)]
        if lacking:
            raise InputError(f"'margins' of ipf have no {list_names(lacking)}. Name each column.")
    columns = [study.unbanded(name) for name in plan.names]
    joint = fit_joint(columns, margins if method == "ipf" else ())
    return Maker(study.original, plan, {}, rules, joint)


def numbered(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """With a number in the place of each person, which nobody in the original has."""
    if not plan.person or plan.person in frame.columns:
        return frame
    return frame.with_columns(pl.format("S{}", pl.int_range(1, pl.len() + 1)).alias(plan.person))


def _study_of(study: Study, frames: Sequence[pl.DataFrame], plan: Plan, rules: Rules) -> Study:
    """The study with the synthetic files; derived columns are in all files."""
    about = without(study, {*plan.left_out})
    study = change(study, lambda _, file: rules.derive(file.frame), **about)
    original = study.files[ORIGINAL].data
    files = [
        Data(frame.select(name for name in original.frame.columns if name in frame.columns),
             original.codebook)
        for frame in frames
    ]  # fmt: skip
    return study.replace(synthetic=files)
