"""People with several records, in order of time: a first record, then each given the last.

Each record sees one record back. Leaves of first records hold people; leaves of later ones hold
records, as many more as a person has on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.counts.cells import Ints
from unveil.data.codebook import Data
from unveil.data.columns import Column
from unveil.errors import InputError, list_names
from unveil.making.donors import Leaf
from unveil.making.rules import Rules
from unveil.making.synthesise import MOST_ROUNDS, Maker, Plan, fit
from unveil.study import Study

ROWS, PLACE, STEP, BEFORE = "records of the person", "place of the record", "time since", "before: "
FEW = 5  # nobody has more records than the fifth longest history


@dataclass(frozen=True, eq=False)
class PeopleMaker:
    """Models of first and of later records."""

    first: Maker
    later: Maker
    names: Sequence[str]
    changing: Sequence[str]
    time: str
    person: str
    longest: int
    rules: Rules

    def draw(self, people: int, seed: Sequence[int]) -> pl.DataFrame:
        """The records of so many people; who has one that breaks a rule is drawn again."""
        parts: list[pl.DataFrame] = []
        missing = people
        for turn in range(MOST_ROUNDS):
            records = self._draw(missing, [*seed, turn], people - missing)
            records = self.rules.derive(records)
            good = self.rules.obeyed(records).arg_true()
            broken = records.filter(~pl.int_range(pl.len()).is_in(good.implode()))[self.person]
            kept = records.filter(~pl.col(self.person).is_in(broken.unique().implode()))
            parts.append(kept)
            missing -= kept[self.person].n_unique()
            if not missing:
                return pl.concat(parts)
        raise InputError(
            f"'rules': {missing:,} of {people:,} people drawn still have a record that breaks one"
            f" after {MOST_ROUNDS} draws."
        )

    def _draw(self, people: int, seed: Sequence[int], before: int) -> pl.DataFrame:
        rng = np.random.default_rng(seed)
        last = self.first.records(self.first.draw_donors({}, people, [*seed, 0]))
        last = last.with_columns(
            pl.format("S{}", pl.int_range(1, pl.len() + 1) + before).alias(self.person)
        )
        parts = [last]
        for place in range(1, self.longest):
            last = last.filter(pl.col(ROWS) > place)
            if not len(last):
                break
            known = {ROWS: last[ROWS], PLACE: pl.repeat(place, len(last), eager=True)}
            known |= {BEFORE + name: last[name] for name in self.changing}
            known |= {name: last[name] for name in self.later.plan.kept if name in last.columns}
            source = self.later.original
            donors = {name: rows_like(v, source[name], rng) for name, v in known.items()}
            drawn = self.later.records(self.later.draw_donors(donors, len(last), [*seed, place]))
            last = last.with_columns(drawn.select(self.changing))
            if self.time:
                time = last[self.time] + drawn[STEP]
                last = last.with_columns(time.cast(last.schema[self.time]).alias(self.time))
            parts.append(last)
        whole = pl.concat(part.with_columns(pl.lit(n).alias(PLACE)) for n, part in enumerate(parts))
        number = pl.col(self.person).str.slice(1).cast(pl.Int64)
        return whole.sort(number, PLACE).select(*self.names, self.person)


def fit_people(
    study: Study, plan: Plan, leaf: Leaf, seed: Sequence[int], rules: Rules
) -> PeopleMaker:
    """Models of the first records of people, and of the later ones."""
    methods = {plan.methods[name] for name in plan.names}
    if "keep" in methods:
        kept = [name for name in plan.names if plan.methods[name] == "keep"]
        raise InputError(f"'method': people have several records, so {list_names(kept)} cannot be"
                         " kept.")  # fmt: skip
    person, n = study.people()
    time = next((x for x, about in study.columns.items() if about.role == "time"), "")
    if time and study.unbanded(time).kind not in ("number", "date"):
        raise InputError(f"{time!r} orders records, and holds no numbers or dates.")
    order = np.lexsort((study.unbanded(time).codes, person)) if time else np.argsort(
        person, kind="stable")  # fmt: skip
    sorted_person = person[order]
    counts = np.bincount(person)[sorted_person]
    start = np.searchsorted(sorted_person, sorted_person)
    place = np.arange(len(order)) - start
    longest = int(np.sort(counts[place == 0])[-min(FEW, n)])
    frame = study.original[order].with_columns(
        pl.Series(ROWS, np.minimum(counts, longest)), pl.Series(PLACE, place)
    )
    changing = [
        name for name in plan.names
        if name != time and _changes(study.unbanded(name).codes[order], sorted_person)
    ]  # fmt: skip
    constant = [name for name in plan.names if name not in (time, *changing)]
    same_person = place > 0
    before = frame.select(pl.col(changing).shift(1).name.prefix(BEFORE))
    frame = frame.with_columns(before)
    steps = []
    if time:
        frame = frame.with_columns(pl.col(time).diff().alias(STEP))
        steps = [STEP]
    given = [ROWS, PLACE, *constant, *(BEFORE + name for name in changing)]
    of_first = [ROWS, *constant, *([time] if time else []), *changing]
    first = _part(study, frame.filter(~same_person).select(of_first), changing)
    later = _part(study, frame.filter(same_person).select(*given, *steps, *changing), changing)
    methods_of = {**plan.methods, ROWS: "sample", STEP: plan.methods.get(time, "cart")}
    per_person = len(order) / n
    larger = Leaf(*(int(np.ceil(size * per_person)) for size in leaf))
    return PeopleMaker(
        fit(first, _plan(of_first, methods_of, ()), leaf, [*seed, 0], NO_RULES),
        fit(later, _plan([*given, *steps, *changing], methods_of, given), larger, [*seed, 1],
            NO_RULES),
        plan.names, changing, time, plan.person, longest, rules,
    )  # fmt: skip


NO_RULES = Rules((), {})


def _changes(codes: Ints, person: Ints) -> bool:
    """Whether anyone has two values; records stand by person."""
    return bool(((np.diff(codes) != 0) & (np.diff(person) == 0)).any())


def _part(study: Study, frame: pl.DataFrame, changing: Sequence[str]) -> Study:
    """Some records as a study of their own, with what is true of their columns."""
    sources = {name: name for name in frame.columns} | {BEFORE + name: name for name in changing}
    codebook = study.files[0].data.codebook
    about: dict[str, Any] = {
        name: msgspec.structs.replace(study.columns[source], role=None)
        for name, source in sources.items()
        if name in frame.columns and source in study.columns
    }
    book = {n: codebook[s] for n, s in sources.items() if s in codebook and n in frame.columns}
    return Study(Data(frame, book), columns=about or {ROWS: Column()}, missing=study.missing)


def _plan(names: Sequence[str], methods: Any, given: Sequence[str]) -> Plan:
    """Each column is predicted by all before it."""
    of = {name: "keep" if name in given else methods[name] for name in names}
    predictors = {name: tuple(names[:place]) for place, name in enumerate(names)}
    return Plan(tuple(names), of, predictors, {})


def rows_like(values: pl.Series, source: pl.Series, rng: np.random.Generator) -> Ints:
    """For each value a record that has it, or the nearest number, or else any record."""
    known = (
        pl.DataFrame({"value": source}).with_row_index("row").unique("value", maintain_order=True)
    )
    wanted = pl.DataFrame({"value": values.cast(source.dtype)}).with_row_index("place")
    rows = wanted.join(known, on="value", how="left", nulls_equal=True, maintain_order="left")
    found = rows["row"].cast(pl.Int64)
    if source.dtype.is_numeric() or source.dtype.is_temporal():
        amounts, sought = known.drop_nulls().sort("value"), wanted.drop_nulls().sort("value")
        near = sought.join_asof(amounts, on="value", strategy="nearest").sort("place")
        found = found.scatter(near["place"], near["row"].cast(pl.Int64))
    any_row = pl.Series(rng.integers(len(source), size=len(values)))
    return found.zip_with(found.is_not_null(), any_row).to_numpy().astype(np.intp)
