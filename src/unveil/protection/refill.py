"""`unveil.refill`: draw and filter until a copy has enough rows.

Chapelle and Falissard (paper 004): new rows are synthesised and undergo the same filter until the
number wanted is reached. The rows are the first that were kept, in the order they were drawn in;
they are a selected sample of what the synthesiser would draw.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.arguments import parse_whole_number, quote_value
from unveil.arrays import Ints, Mask
from unveil.errors import SettingsError
from unveil.measure.result import rows_frame
from unveil.measure.roles.person import choose_people
from unveil.models.neighbours.settings import DistanceSettings
from unveil.models.neighbours.space import PreparedSpace, prepare_space
from unveil.protection.distance_filter import (
    ComparedUnits,
    DistanceFilterResult,
    close_unfiltered,
    decide_rows,
    read_sequences,
    shift_warnings,
    shifts,
    warnings_of,
    without_people,
)
from unveil.records.protection import Refill, RefillRound
from unveil.seeding import choose_seed, stream
from unveil.study.people import People, check_person
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study, StudyFile, open_files
from unveil.study.take_study import takes_study
from unveil.synthesis.methods import MOST_ROWS
from unveil.synthesis.synthesiser import Synthesiser, parse_rows
from unveil.view.show import Result

# The result of `unveil.refill`: the rows, and how the rounds went.


Stop = Literal["enough rows", "nothing is kept", "cannot finish", "last round"]


@dataclass(frozen=True, eq=False)
class RoundDraw:
    """One round: the rows drawn beside the original, and what the filter said of them."""

    study: Study
    found: DistanceFilterResult

    @property
    def frame(self) -> pl.DataFrame:
        """The rows drawn."""
        return self.study.tables[1].frame

    @property
    def keep(self) -> Mask:
        """Which rows are kept; with `time`, which people."""
        return self.found.keep

    @property
    def n_kept(self) -> int:
        """How many."""
        return self.found.n_kept


@dataclass(frozen=True, eq=False, repr=False)
class RefillResult(Result):
    """The rows kept, and the rounds. `seed` is confidential: with it the draws can be repeated."""

    _drawn: tuple[RoundDraw, ...]
    _settings: DistanceSettings
    _n_wanted: int
    _max_rounds: int
    _stopped: Stop
    seed: int

    @cached_property
    def _keep(self) -> Mask:
        keep = np.concatenate([one.keep for one in self._drawn])
        first: Mask = keep & (np.cumsum(keep) <= self._n_wanted)
        return first

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return pl.concat([one.frame for one in self._drawn])

    @cached_property
    def _of_row(self) -> Ints | None:
        """Whose row each row drawn is, over all rounds; None where rows are not people's."""
        numbers, n_before = [], 0
        for one in self._drawn:
            people = one.found._compared.sequences
            if people is None:
                return None
            numbers.append(people[1].of_row + n_before)
            n_before += len(one.keep)
        return np.concatenate(numbers)

    @cached_property
    def _keep_rows(self) -> Mask:
        return self._keep if self._of_row is None else self._keep[self._of_row]

    @cached_property
    def data(self) -> pl.DataFrame:
        """The first rows kept, in the order they were drawn in: at most as many as wanted.

        People with their rows get the names of the first round, which no two of them share.
        """
        frame = self._frame.filter(pl.Series(self._keep_rows))
        if self._of_row is None:
            return frame
        person = str(self._person)
        names = self._drawn[0].frame[person].unique(maintain_order=True)
        rank = np.cumsum(self._keep) - 1
        return frame.with_columns(names[rank[self._of_row[self._keep_rows]]].alias(person))

    @property
    def _person(self) -> str | None:
        people = self._drawn[0].found._compared.people
        return None if people is None else people.record.column

    @cached_property
    def record(self) -> Refill:
        """How the rounds went, in figures over all rows."""
        settings, one = self._settings, self._drawn[0].found.record
        n_rows, n_kept = int(self._keep.sum()), sum(one.n_kept for one in self._drawn)
        n_drawn = len(self._keep)
        strict = np.concatenate([one.found.refused_by_strict for one in self._drawn])
        n_strict = int((strict & self._keep).sum())
        moved = shifts(self._frame, self._keep_rows, self._drawn[0].found.original)
        need = ceil((self._n_wanted - n_rows) * n_drawn / n_kept) if n_kept else None
        return Refill(
            rows_wanted=self._n_wanted,
            n_rows=n_rows,
            is_finished=n_rows == self._n_wanted,
            stopped=self._stopped,
            rows_to_draw=need,
            max_rounds=self._max_rounds,
            rounds=tuple(_round(number, found) for number, found in enumerate(self._drawn, 1)),
            acceptance=n_kept / n_drawn,
            metric=settings.metric,
            rule=settings.rule,
            ties=settings.ties,
            missing=settings.fill,
            columns=one.columns,
            dropped_columns=one.dropped_columns,
            n_original=one.n_original,
            person=one.person,
            time=one.time,
            n_people_near=self._n_people_near,
            n_refused_by_strict=n_strict,
            share_refused_by_strict=n_strict / n_rows if n_rows else None,
            n_close_unfiltered=close_unfiltered(n_rows, n_kept / n_drawn),
            shifts=moved,
            warnings=(
                *self._explain_unfinished(n_rows, need),
                *warnings_of(self._drawn[0].found),
                *shift_warnings(moved),
            ),
            coercions=one.coercions,
        )

    @property
    def _n_people_near(self) -> int | None:
        near = [one.found.near_people for one in self._drawn]
        known = [some for some in near if some is not None]
        return len(np.unique(np.concatenate(known))) if known else None

    def _explain_unfinished(self, n_rows: int, need: int | None) -> list[str]:
        if n_rows == self._n_wanted:
            return []
        head = f"Only {n_rows:,} of the {self._n_wanted:,} wanted were kept"
        if need is None:
            return [f"{head}: the filter refused every row of the first round. Use fewer columns."]
        why = {
            "cannot finish": "the rounds left could not be enough",
            "last round": f"{self._max_rounds:,} rounds are over",
        }[self._stopped]
        return [
            f"{head}, for {why}. About {need:,} more rows would have to be drawn: allow more"
            " rounds (max_rounds), ask for fewer rows, or use fewer columns."
        ]

    def frame(self) -> pl.DataFrame:
        """One row for each round."""
        return rows_frame(self.record.rounds)


def _round(number: int, drawn: RoundDraw) -> RefillRound:
    return RefillRound(
        round=number,
        drawn=len(drawn.keep),
        kept=drawn.n_kept,
        acceptance=drawn.n_kept / len(drawn.keep),
    )


SPARE = 1.1
"""How many more rows are drawn than would be enough at the acceptance seen so far."""


@takes_study
def refill(
    original: Any,
    synthesiser: Synthesiser,
    *,
    rows: int | None = None,
    max_rounds: int = 20,
    seed: int | None = None,
    columns: str | Iterable[str] | None = None,
    metric: str = "mahalanobis",
    rule: str = "paper",
    ties: str = "any",
    missing: str | None = None,
    protect_columns: str | Iterable[str] = (),
    drop: str = "auto",
    special_codes: Mapping[str, Any] | None = None,
    person: str | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RefillResult:
    """Draw rows and keep those that pass `unveil.distance_filter`, until there are enough.

    Parameters
    ----------
    original
        What the synthesiser was fitted to.
    synthesiser
        The result of `unveil.synthesise`.
    rows
        How many rows are wanted; as many as the original has where None.
    max_rounds
        After so many rounds it stops, with what is kept by then. It stops before if nothing is
        kept, or if at the acceptance seen the rounds left cannot be enough.
    seed
        Of the draws; each round has a stream of its own. Drawn by the system where None.
    columns, metric, rule, ties, missing, protect_columns, drop, special_codes, person,
    missing_values
        As in `unveil.distance_filter`. Distances between originals are taken once. The range of a
        missing value is that over the original and the rows of the first round, in all rounds.
        People made with their rows in order (time) are kept or refused as a whole; `rows` are then
        people, as many as in the original.

    Returns
    -------
    RefillResult
        `.data`, at most `rows` rows; `.record` with `rounds`, `is_finished`, `stopped`,
        `rows_to_draw`, `distance_filter` of the rows kept against all rows drawn, and `warnings`.
    """
    given = locals()
    if not isinstance(synthesiser, Synthesiser):
        raise SettingsError(
            f"synthesiser is {quote_value(type(synthesiser).__name__)}; it must be the result of"
            " unveil.synthesise, or a model that was loaded."
        )
    if synthesiser.models.plan.is_beside:
        raise SettingsError(
            "Columns of this synthesiser are kept as the original has them, row for row, so rows"
            " cannot be drawn again. Synthesise every column, or use unveil.distance_filter."
        )
    sequence = synthesiser.models.sequence
    settings = DistanceSettings.of(given, of_people=sequence is not None)
    if sequence is not None:
        parse_rows(synthesiser.models.plan, rows, 1)
        person = sequence.person
    told = progress or no_progress
    files = open_files({"original": original}, None, missing_values, told)
    table = files[0]
    n_wanted = (
        table.frame.height if rows is None else parse_whole_number("rows", rows, most=MOST_ROWS)
    )
    n_rounds = parse_whole_number("max_rounds", max_rounds, most=100_000)
    check_person(person, settings.columns or ())
    people = None if person is None else choose_people(files, person)
    n_wanted = n_wanted if sequence is None else synthesiser.models.n_original
    held = files.study.file(files.places[0])
    loop = _Loop(held, synthesiser, settings, n_wanted, n_rounds, choose_seed(seed), people)
    return loop.run(told)


@dataclass
class _Loop:
    """Rounds so far."""

    original: StudyFile
    synthesiser: Synthesiser
    settings: DistanceSettings
    n_wanted: int
    max_rounds: int
    seed: int
    people: People | None = None
    found: PreparedSpace | None = None
    """What round 1 found out about the columns and the originals; the others go by the same."""

    def run(self, progress: Progress) -> RefillResult:
        drawn: list[RoundDraw] = []
        stopped: Stop | None = None
        while stopped is None:
            n_kept = sum(one.n_kept for one in drawn)
            progress("drawing and filtering", min(n_kept, self.n_wanted), self.n_wanted)
            drawn.append(self._round(len(drawn) + 1, self._to_draw(drawn)))
            stopped = self._find_stop(drawn)
        return RefillResult(
            tuple(drawn), self.settings, self.n_wanted, self.max_rounds, stopped, self.seed
        )

    @property
    def _most(self) -> int:
        """Rows of one round: not more than the original has, which a copy is not meant to pass."""
        return self.synthesiser.models.n_original

    def _to_draw(self, drawn: Sequence[RoundDraw]) -> int:
        n_kept = sum(one.n_kept for one in drawn)
        wanting = self.n_wanted - n_kept
        if n_kept:
            wanting = ceil(SPARE * wanting * sum(len(one.keep) for one in drawn) / n_kept)
        return min(max(wanting, 1), self._most)

    def _round(self, number: int, n_rows: int) -> RoundDraw:
        seed = int(stream(self.seed, "refill", number).integers(2**63 - 1))
        models = self.synthesiser.models
        time = None if models.sequence is None else models.sequence.time
        (frame,) = self.synthesiser.sample(1, n_rows if time is None else None, seed)
        study = Study.open(self.original, frame)
        compared, people = without_people(study.files, self.people), self.people
        whose = None if people is None else people.record.column
        sequences = read_sequences(study.files, self.settings, whose, time)
        if self.found is None:
            self.found = prepare_space(compared, self.settings, sequences)
            self.settings = _with_columns(self.settings, self.found)
        else:
            beside = None if sequences is None else sequences[1]
            self.found = self.found.again(compared, self.settings, beside)
        of = ComparedUnits(study.tables, people, sequences, time)
        return RoundDraw(study, decide_rows(self.found, of, self.settings, no_progress))

    def _find_stop(self, drawn: Sequence[RoundDraw]) -> Stop | None:
        n_kept = sum(one.n_kept for one in drawn)
        if n_kept >= self.n_wanted:
            return "enough rows"
        if not n_kept:
            return "nothing is kept"
        if len(drawn) == self.max_rounds:
            return "last round"
        n_drawn = sum(len(one.keep) for one in drawn)
        need = (self.n_wanted - n_kept) * n_drawn / n_kept
        return "cannot finish" if need > self._most * (self.max_rounds - len(drawn)) else None


def _with_columns(settings: DistanceSettings, found: PreparedSpace) -> DistanceSettings:
    """The settings of the rounds after the first: the columns that it used."""
    used = tuple(column.column for column in found.used)
    codes = {name: c for name, c in settings.special_codes.items() if name in used}
    return replace(settings, columns=used, protect_columns=(), special_codes=codes)
