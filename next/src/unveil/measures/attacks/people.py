"""Who is attacked, with what is known of them: the columns of a study, side by side.

Keys and targets are compared, all that every file has of them. Where people or records are drawn,
they stand in an order that neither the rows of the files nor the names of levels decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.data.columns import Coded, Column
from unveil.models.nearest import TIE, Axis
from unveil.results import Note
from unveil.results.words import are, join_names
from unveil.study import ORIGINAL, Side, Study

Level = Annotated[float, Meta(ge=0.5, le=0.9999)]
People = Annotated[int, Meta(ge=1)] | None
Tolerance = Annotated[float, Meta(ge=0, le=1)]

AMOUNTS = ("number", "date", "time")
MOST = 5_000  # people attacked where no number is asked for


@dataclass(frozen=True, eq=False)
class Levels:
    """What the levels of one column are: amounts, or what is equal or not."""

    column: Coded
    numbers: Floats  # 0 for what is no amount
    is_amount: Mask  # numbers and days, but for special codes
    place: Ints  # of each level: amounts in their order, then all else by how many have it


def compared(study: Study) -> tuple[str, ...]:
    """The keys, and the parts of the targets."""
    parts = (part for name in study.targets for part in study.joint.get(name, [name]))
    return tuple(dict.fromkeys((*study.keys, *parts)))


def levels_of(study: Study, name: str) -> Levels:
    """Numbers are amounts unless they are codes: declared so, all with labels, or special."""
    column, numbers = study.column(name), np.full(study.column(name).n_levels, np.nan)
    dated = column.with_dates()
    is_category = study.columns.get(name, Column()).kind == "category" or column.is_labelled
    if dated.kind in AMOUNTS and not is_category:
        numbers = dated.numbers
    is_amount = np.isfinite(numbers) & ~np.isin(numbers, study.special(name, column))
    in_order = np.where(is_amount, np.arange(column.n_levels), column.n_levels)
    place = np.empty(column.n_levels, np.int64)
    place[np.lexsort((*column.counts[::-1], in_order))] = np.arange(column.n_levels)
    return Levels(column, np.where(is_amount, numbers, 0.0), is_amount, place)


def axis_of(study: Study, name: str, side: Side, tolerance: float = 0) -> Axis:
    """One column of all files, numbers by their range in these synthetic data and in real ones."""
    levels = study.once(levels_of, name)
    column, is_amount, numbers = levels.column, levels.is_amount, levels.numbers
    states = None
    if not is_amount.all():
        states = np.where(is_amount, 0, np.arange(1, column.n_levels + 1))
        states = states.astype(np.min_scalar_type(column.n_levels))[column.codes]
    if not is_amount.any():
        return Axis(states)
    files = [*real_files(study), *side.files]
    occurs = is_amount & (column.counts[files].sum(axis=0) > 0)
    scale = float(np.ptp(numbers[occurs])) if occurs.any() else 0.0
    allowed = None
    if column.kind == "number":
        within = study.columns.get(name, Column()).tolerance
        allowed = np.abs(numbers) * tolerance if within is None else np.full(len(numbers), within)
        allowed = (allowed * (1 + TIE) / (scale or 1))[column.codes]
    return Axis(states, (numbers / (scale or 1))[column.codes], allowed)


def in_order(study: Study, names: Sequence[str], rows: Ints) -> Ints:
    """Rows sorted by their values, whatever their order and the names of their levels."""
    places = [study.once(levels_of, name) for name in names]
    return rows[np.lexsort([p.place[p.column.codes[rows]] for p in reversed(places)])]


@dataclass(frozen=True, eq=False)
class Attacked:
    """The people of one file who are attacked, with all their records."""

    rows: Ints  # among the records of all files
    person: Ints  # whose each is, numbered from 0 on
    n: int

    @property
    def one_record(self) -> Ints:
        """The first record of each person."""
        return self.rows[np.unique(self.person, return_index=True)[1]]

    @property
    def records(self) -> list[Ints]:
        """The records of each person."""
        ends = np.cumsum(np.bincount(self.person))[:-1]
        return np.split(self.rows[np.argsort(self.person, kind="stable")], ends)

    def per_person(self, of_rows: Floats) -> Floats:
        """The mean over the records of each person."""
        records = np.bincount(self.person, minlength=self.n)
        return np.asarray(np.bincount(self.person, of_rows, self.n) / records)

    def nearest_of_person(self, of_rows: Floats) -> Floats:
        """The smallest over the records of each person."""
        smallest = np.full(self.n, np.inf)
        np.minimum.at(smallest, self.person, of_rows)
        return smallest


def real_files(study: Study) -> list[int]:
    """The original and, if there is one, the control sample."""
    return [ORIGINAL, *([study.control_number] if study.has_control else [])]


def attacked(study: Study, number: int, people: int | None, seed: int) -> Attacked:
    """So many people of a file, drawn at random; all where they are no more."""
    person, n = study.people(number)
    first, asked = study.rows[number].start, min(people or MOST, n)
    rows = in_order(study, compared(study), np.arange(len(person)) + first)
    _, first_of, whose = np.unique(person[rows - first], return_index=True, return_inverse=True)
    whose = np.argsort(np.argsort(first_of))[whose]
    if asked < n:
        chosen = np.random.default_rng([seed, number]).permutation(n)[:asked]
        is_chosen = np.isin(whose, chosen)
        rows, whose = rows[is_chosen], np.unique(whose[is_chosen], return_inverse=True)[1]
    return Attacked(rows, whose, asked)


def groups(study: Study, people: int | None, seed: int) -> list[Attacked]:
    """The people whose records were used and, if there is a control sample, others."""
    return [attacked(study, number, people, seed) for number in real_files(study)]


def records_of(study: Study, side: Side) -> Ints:
    """The synthetic records, among the records of all files, in the order of their values."""
    ends = [study.rows[number] for number in side.files]
    return in_order(study, compared(study), np.arange(ends[0].start, ends[-1].stop))


def notes_on(study: Study) -> list[Note]:
    """What was compared, and what makes a figure mean less than it seems to."""
    notes = []
    if study.has_control and (n_same := _same_as_original(study)):
        n = len(study.files[-1].frame)
        sentence = (
            f"{n_same:,} of {n:,} records of the control sample {are(n_same)} equal to one of the"
            " original in all compared columns. If they are of the same people, R is too low."
        )
        notes.append(Note(about="files" if n_same == n else "control", sentence=sentence))
    if study.fraction == 1:
        known = "The original is the whole population: who is in it is known, and R says nothing."
        notes.append(Note(about="attacks.R", sentence=known))
    return [*notes, Note(about="columns", sentence=f"Compared: {join_names(compared(study))}.")]


def _same_as_original(study: Study) -> int:
    """Records of the control sample that are equal to one of the original."""
    _, packed, _ = study.once(Study._pack, compared(study))
    return int(np.isin(packed[study.rows[-1]], packed[study.rows[ORIGINAL]]).sum())
