"""The steps of a plan, done one after the other, each to what the one before left.

S1 is the synthesis alone, S2 what the distance filter (and whatever else is done before noise) left
of it and drew anew, S3 the copy with noise: as in Chapelle and Falissard, each can be assessed
alone. Where rows are filtered, S1 is the first draw of the filter, so that S2 comes from S1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.arrays import Ints, Mask
from unveil.errors import InputError, SettingsError
from unveil.io.table import Labelled, Table
from unveil.measure.ecap.ecap_records import ecap_records
from unveil.measure.ecap.noise_settings import find_kept_codes
from unveil.measure.structure.relations import codes_as_text, find_named_codes
from unveil.measure.utility.projection import projection
from unveil.protection.describe_steps import (
    THRESHOLD,
    WITHOUT,
    NoisePlan,
    StepSentences,
    plan_noise,
)
from unveil.protection.distance_filter import filter_again
from unveil.protection.noise import NoisedResult, add_noise
from unveil.protection.plan import (
    FILTER,
    NOISE,
    REMOVE,
    SMOOTH,
    SYNTHESISE,
    FileError,
    PlannedStep,
    ProtectionPlan,
)
from unveil.protection.plan_columns import (
    absent_columns,
    dropped_columns,
    recoding_faults,
    step_path,
)
from unveil.protection.recoding.recode import recode, restore_form
from unveil.protection.recomputed_columns import (
    ProtectedColumn,
    find_recomputed,
    find_set_back,
    with_planned_noise,
)
from unveil.protection.refill import RoundDraw, refill
from unveil.protection.replicated_uniques import remove_replicated_uniques
from unveil.protection.smooth import smooth
from unveil.records.codebook import Codebook
from unveil.records.noise import EcapRecords, Noise
from unveil.records.protection import (
    GivenBack,
    ProtectedBy,
    ProtectionSeeds,
    ProtectStep,
    Refill,
    Removal,
    Smoothing,
)
from unveil.records.recoding import Recoding, Step
from unveil.records.utility import Projection
from unveil.seeding import stream
from unveil.study.roles import names
from unveil.study.scenario import Progress
from unveil.study.study import Study, StudyFile
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser
from unveil.view.format import format_count

_ROW = "row of the original\0"  # no column of a file is called so
_MOST_TOGETHER = 20_000  # rows: every pair of them is looked at
_MOST_AGAIN = 20
"""How often noise is drawn again for rows that it brings too close to an original."""


@dataclass
class Stages:
    """A plan on its way: the data as they are by now, and the records of what was done."""

    table: Table  # the original; recoded as soon as that is done
    plan: ProtectionPlan
    seeds: ProtectionSeeds
    keys: tuple[str, ...]
    codes: Mapping[str, Any]
    progress: Progress
    rows: int | None
    recoding: Recoding | None = None
    recipe: tuple[Step, ...] = ()  # the recodings with the limits and levels that were found
    synthesiser: Synthesiser | None = None
    refill: Refill | None = None
    projection: Projection | None = None
    removal: Removal | None = None
    smoothing: list[Smoothing] = field(default_factory=list)
    noise: Noise | None = None
    noises: dict[str, NoisePlan] = field(default_factory=dict)
    done: list[ProtectStep] = field(default_factory=list)
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    raw: pl.DataFrame | None = None  # rows of the recoded original as they were before
    before: dict[str, tuple[ProtectedBy, pl.Series]] = field(default_factory=dict)  # of the copy
    given_back: tuple[GivenBack, ...] = ()
    together: EcapRecords | None = None
    n_close_after: int | None = None
    n_close_removed: int | None = None
    quiet: pl.DataFrame | None = None  # the copy before noise
    noisy: pl.DataFrame | None = None  # as the noise left it, before rules and derived columns
    left: Ints | None = None  # the rows of these that are in the copy
    study: Study | None = None

    @property
    def original(self) -> StudyFile:
        """The original as steps take it: recoded, with what is known of its columns."""
        if self.study is None or self.study.tables[0].frame is not self.table.frame:
            self.study = Study([replace(self.table, notes=())])
        return self.study.original

    def recode(self) -> list[FileError]:
        """Do the recodings; everything that keeps the plan from being done to these data."""
        faults = [*self._recode()]
        is_recoded = not faults
        faults += absent_columns(self.plan, self.table)
        gone = dropped_columns(self.plan)
        about = [getattr(step, "column", None) for step in self.plan.recodings]
        if self.person is not None and self.person in about:
            number = about.index(self.person) + 1
            faults.append(
                FileError(
                    ("protect", "step", number - 1),
                    f"Step {number}: column {self.person!r} identifies the person of a row and is"
                    " never in the synthetic data. Omit the step.",
                )
            )
        for step in self.plan.having(NOISE):
            there = step.column in self.table.frame.columns and step.column not in gone
            if there and "not_needed" not in step.settings:
                faults += self._noise(step, is_recoded=is_recoded)
        return faults

    def _recode(self) -> Iterator[FileError]:
        if not self.plan.recodings:
            return
        self._say(self.plan.steps[0])
        steps, keys = self.plan.recodings, self.keys
        whole = self.table.frame
        named = find_named_codes(whole, self.table.variables)
        numbered = replace(self.table, frame=whole.with_row_index(_ROW))
        try:
            made = recode(restore_form(numbered), steps, keys=keys, seed=self.seeds.recode)
        except InputError as fault:
            yield from recoding_faults(fault)
            return
        self.recoding = msgspec.structs.replace(made.record, files=(self.table.source,))
        self.recipe = made.fixed_steps()
        (table,) = made.study.tables
        self.raw, frame = whole[table.frame[_ROW]], table.frame.drop(_ROW)
        self.raw = codes_as_text(self.raw, named)
        self.table = replace(self.table, frame=frame, codebook=table.codebook)
        self.study = made.study.with_tables({0: replace(self.table, notes=())}, (_ROW,))
        self.done += StepSentences.recodings(self.recoding, frame.width)

    def _noise(self, step: PlannedStep, *, is_recoded: bool) -> Iterator[FileError]:
        """Find the noise of a column, or why it can have none."""
        column = str(step.column)
        try:
            if is_recoded:
                self.noises[column] = plan_noise(step, self.table, self.codes, self.n_people)
            else:  # how much it needs is seen once the recodings can be done
                of = self.table.variables.get(column)
                find_kept_codes(self.table.frame[column], of, (), self.table.place)
        except InputError as fault:
            yield FileError(step_path(step), f"{step.heading}: {fault}", type(fault))

    def synthesise(self, settings: Mapping[str, Any]) -> None:
        """Fit, and draw S1."""
        (step,) = self.plan.having(SYNTHESISE)
        self._say(step)
        with _name_step(step):
            made = synthesise(
                self.original, **settings, progress=self._inside(step), rows=self.rows
            )
        record = msgspec.structs.replace(made.record, files=(self.table.source,))
        self.synthesiser = replace(made, record=record)
        self.frames["s1"] = self._shuffle(made.copies[0])
        self._record_step(self.frames["s1"], step, StepSentences.synthesis(record))

    def finish(self) -> None:
        """Do what is done to the copy."""
        does = {FILTER: self._filter, REMOVE: self._remove, SMOOTH: self._smooth}
        noises = self.plan.having(NOISE)
        for step in self.plan.after:
            if step.do == NOISE:
                if step is noises[0]:
                    self.frames.setdefault("s2", self.frame)
                    self._add_noise(noises)
                continue
            self._say(step)
            with _name_step(step):
                does[step.do](step)
        self.frames.setdefault("s2", self.frame)
        if self.refill is not None and not self.frame.equals(self.frames["filtered"]):
            self._filter_again(self.refill)
        self.frames["s3"] = self.frame
        self.given_back = tuple(self._find_given_back())
        self.together = self._measure_together()

    def _filter_again(self, used: Refill) -> None:
        """Count what later steps brought too close again; where asked, draw other noise for it.

        What stays too close is taken out.
        """

        def find_close() -> Mask:
            return ~filter_again(self.original, self.frame, used, self.codes).keep_rows

        found = filter_again(self.original, self.frame, used, self.codes)
        self.n_close_after, close = len(found.keep) - found.n_kept, ~found.keep_rows
        (step,) = self.plan.having(FILTER)
        if not step.settings.get("repair", False):
            return
        attempt, n_units = 0, self.n_units
        while close.any() and self.quiet is not None and attempt < _MOST_AGAIN:
            attempt += 1
            self._renew_noise(close, attempt)
            close = find_close()
        while close.any():
            self.frames["now"] = self.frame.filter(pl.Series(~close))
            self._keep_held(np.flatnonzero(~close))
            if self.frame.is_empty():
                raise SettingsError(
                    f"{step.heading}: later steps brought every row too close to an original again."
                    " Choose less noise, or omit repair."
                )
            close = find_close()
        self.n_close_removed = n_units - self.n_units
        self.done[-1] = msgspec.structs.replace(self.done[-1], n_rows=self.frame.height)

    def _renew_noise(self, rows: Mask, attempt: int) -> None:
        """Noise drawn again for some rows of the copy; rules hold again, too."""
        assert self.quiet is not None
        assert self.noisy is not None
        assert self.left is not None
        assert self.synthesiser is not None
        n, seed = self.quiet.height, stream(self.seeds.add_noise, "again", attempt)
        order = np.arange(n)
        order[self.left[rows]] += n
        again = self._draw_noise(self.quiet, int(seed.integers(2**53)))
        self.noisy = pl.concat([self.noisy, _split_data(again.data)[0]])[order]
        noised = set(self.noises)
        frame, kept, _ = self.synthesiser.models.restore(self.noisy, noised)
        place = np.full(n, -1)
        place[self.left] = np.arange(len(self.left))
        self.left = np.flatnonzero(kept)
        self._keep_held(place[self.left])
        self.frames["now"] = frame

    def _keep_held(self, rows: Ints) -> None:
        """Of what columns were before their steps, the rows that are left."""
        self.before = {name: (by, held[rows]) for name, (by, held) in self.before.items()}

    def _measure_together(self) -> EcapRecords | None:
        """ECAP of whole records of the recoded original, where columns or rows can add up.

        None where the noise was not chosen for one population, or there are too many pairs of rows.
        """
        asked = [
            step.settings
            for step in self.plan.having(NOISE)
            if step.column in self.noises and "population" in step.settings
        ]
        known = {(one["N"], one.get("n"), one.get("sampling", WITHOUT)) for one in asked}
        is_one = len(asked) < 2 and self.person is None
        if len(known) != 1 or is_one or self.table.frame.height > _MOST_TOGETHER:
            return None
        ((size, n, sampling),) = known
        return ecap_records(
            self.original,
            columns={str(one["column"]): self.noises[one["column"]].how for one in asked},
            N=max(size, self.n_people),
            n=n,
            sampling=sampling,
            threshold=min(one.get("threshold", THRESHOLD) for one in asked),
            person=self.person,
        ).record

    @property
    def n_people(self) -> int:
        """The people of the original: its rows, unless a column says whose they are."""
        frame = self.table.frame
        if self.person is None or self.person not in frame.columns:
            return frame.height
        column = frame[self.person]
        return column.drop_nulls().n_unique() + column.null_count()

    @property
    def n_units(self) -> int:
        """The rows of the copy, or its people where they have their rows in order."""
        if self.time is None:
            return self.frame.height
        return self.frame[str(self.person)].n_unique()

    def count_units(self, n: int) -> str:
        """So many rows, or people, in words."""
        return format_count(n, "row") if self.time is None else format_count(n, "person", "people")

    def _find_given_back(self) -> Iterator[GivenBack]:
        """What published columns say of columns that a step changed."""
        named = find_named_codes(self.table.frame, self.table.variables)
        released, original = (codes_as_text(one, named) for one in (self.frame, self.table.frame))
        codes = {**self.codes}
        own = [
            ProtectedColumn.of(name, by, before, released[name])
            for name, (by, before) in self.before.items()
        ]
        for one in own:
            yield from self._find_set_back(one)
        yield from find_recomputed(
            own,
            {one.name: original for one in own},
            {one.name: released for one in own},
            codes,
        )
        if self.raw is None or self.recoding is None:
            return
        sigmas = {name: plan.reason.sigma for name, plan in self.noises.items()}
        recoded = with_planned_noise(original, sigmas)
        seen = recoded[[name for name in recoded.columns if name in released.columns]]
        changed = [
            ProtectedColumn.of(
                name,
                "recode" if name in released.columns else "drop",
                self.raw[name],
                original[name] if name in released.columns else None,
            )
            for name in dict.fromkeys(row.column for row in self.recoding.rows)
            if name in self.raw.columns
        ]
        yield from find_recomputed(
            changed,
            {one.name: original.with_columns(one.before.alias(one.name)) for one in changed},
            {one.name: seen for one in changed},
            codes,
        )

    def _find_set_back(self, column: ProtectedColumn) -> Iterator[GivenBack]:
        """Whether a derived column, or rounding, has undone a step; what a rule says is no step."""
        assert self.synthesiser is not None
        models = self.synthesiser.models
        derived = next((one for one in models.derived if one.column == column.name), None)
        if derived is not None:
            yield from find_set_back(column, (), derived.text, derived.needs)
            return
        noise = self.noises.get(column.name)
        step = next((s for s in self.plan.having(NOISE) if s.column == column.name), None)
        if noise is None or step is None or not noise.reason.sigma or step.settings.get("discrete"):
            return
        free = np.ones(self.frame.height, np.bool_)
        for rule in models.drawing.rules:
            if rule.column == column.name:
                free &= ~rule.rows(self.frame).to_numpy()
        before = column.before.set(pl.Series(~free), None)
        codes = noise.how["special_codes"]
        yield from find_set_back(replace(column, before=before), codes, "", ())

    def _hold(self, by: ProtectedBy, columns: Iterable[str]) -> None:
        """Keep what columns are before their first step."""
        for name in columns:
            self.before.setdefault(name, (by, self.frame[name]))

    @property
    def person(self) -> str | None:
        """The column of the original that says whose row it is, where people have several."""
        person: str | None = self.plan.synthesis.get("person")
        return person

    @property
    def time(self) -> str | None:
        """The column by which the rows of a person follow, where people are made with them."""
        time: str | None = self.plan.synthesis.get("time")
        return time

    @property
    def frame(self) -> pl.DataFrame:
        """The copy as it is by now."""
        return self.frames["now"]

    @property
    def codebook(self) -> Codebook | None:
        """What is declared of the synthetic data."""
        return None if self.synthesiser is None else self.synthesiser.codebook

    @property
    def copy(self) -> Any:
        """The copy as it is by now, with what is declared of it."""
        book = self.codebook
        return self.frame if book is None else Labelled(self.frame, book)

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Columns that are the original's own."""
        assert self.synthesiser is not None
        columns = self.synthesiser.record.columns
        return tuple(column.name for column in columns if column.role == "kept")

    def _shuffle(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows beside those of the original put into an order of chance, so that none is beside."""
        if not self.kept_columns:
            return frame
        order = stream(self.seeds.seed, "protect", "order").permutation(frame.height)
        return frame[order]

    def _filter(self, step: PlannedStep) -> None:
        assert self.synthesiser is not None
        said = {name: given for name, given in step.settings.items() if name != "repair"}
        columns = set(names(said["columns"], "Columns")) if "columns" in said else {*self.codes}
        codes = {name: given for name, given in self.codes.items() if name in columns}
        codes |= said.pop("special_codes", None) or {}
        found = refill(
            self.original,
            self.synthesiser,
            rows=self.frame.height if self.time is None else None,
            seed=self.seeds.distance_filter,
            special_codes=codes,
            person=self.person,
            progress=self._inside(step),
            **said,
        )
        self.refill = found.record
        if found.data.is_empty():
            raise SettingsError(" ".join(found.record.warnings))
        first = found._drawn[0]
        if self.time is not None or first.frame.height == self.frame.height:
            self.frames["s1"] = first.frame
        self.projection = self._project(first, found.record, codes)
        self.frames["filtered"] = found.data
        self._record_step(found.data, step, StepSentences.refill(found.record))

    def _project(
        self, first: RoundDraw, record: Refill, codes: Mapping[str, Any]
    ) -> Projection | None:
        """Where the first rows lie on the original's axes, retained and filtered ones apart."""
        used = [name for name in record.columns if name in first.frame.columns]
        try:
            made = projection(
                first.study.original,
                first.study.synthetic[0],
                columns=used,
                kept=first.found.keep_rows,
                special_codes={name: given for name, given in codes.items() if name in used},
            )
        except InputError:  # too little is left to find two axes from: there is no picture then
            return None
        return made.record

    def _remove(self, step: PlannedStep) -> None:
        keys = [name for name in self.keys if name in self.frame.columns]
        settings = {"keys": keys or None, "person": self.person, **step.settings}
        made = remove_replicated_uniques(self.original, self.copy, **settings)
        self.removal = msgspec.structs.replace(
            made.record, files=(self.table.source, "the synthetic data")
        )
        frame, _ = _split_data(made.copies[0])
        if frame.is_empty():
            raise SettingsError(" ".join(made.record.warnings))
        gone = np.zeros(self.frame.height, np.bool_)
        gone[np.array(made.removed[0], np.int64) - 1] = True
        told = ""
        if self.synthesiser is not None and self.synthesiser.models.sequence is not None:
            gone, told = self.synthesiser.models.sequence.take_out(self.frame, gone, "was unique")
            frame = self.frame.filter(pl.Series(~gone))
        self._keep_held(np.flatnonzero(~gone))
        self._record_step(frame, step, " ".join((StepSentences.removal(made.record), told)).strip())

    def _smooth(self, step: PlannedStep) -> None:
        columns = names(step.settings["columns"], "Columns to smooth")
        known = {name: codes for name, codes in self.codes.items() if name in columns}
        codes = {**known, **(step.settings.get("special_codes") or {})}
        self._hold("smooth", columns)
        made = smooth(self.copy, columns, special_codes=codes)
        self.smoothing.append(msgspec.structs.replace(made.record, files=("the synthetic data",)))
        frame, told = self._restore(_split_data(made.data)[0])
        self._record_step(frame, step, StepSentences.smoothing(made.record) + told)

    def _add_noise(self, steps: Sequence[PlannedStep]) -> None:
        frame, told = self.frame, ""
        if self.noises:
            self._hold("add_noise", self.noises)
            made = self._draw_noise(frame, self.seeds.add_noise)
            self.noise = msgspec.structs.replace(made.record, files=("the synthetic data",))
            self.quiet, self.noisy = frame, _split_data(made.data)[0]
            frame, told = self._restore(self.noisy)
        for step in steps:
            self._say(step)
            plan = self.noises.get(str(step.column))
            reason = None if plan is None else plan.reason
            sentence = StepSentences.noise(step, reason, self.noise)
            self._record_step(frame, step, sentence + (told if step is steps[-1] else ""))

    def _draw_noise(self, frame: pl.DataFrame, seed: int) -> NoisedResult:
        """The copy with noise, whatever was drawn before."""
        columns = {name: plan.how for name, plan in self.noises.items()}
        needless = {
            str(step.column): step.settings["not_needed"]
            for step in self.plan.having(NOISE)
            if "not_needed" in step.settings
        }
        copy = frame if self.codebook is None else Labelled(frame, self.codebook)
        return add_noise(copy, columns=columns, seed=seed, not_needed=needless)

    def _record_step(self, frame: pl.DataFrame, step: PlannedStep, sentence: str) -> None:
        self.frames["now"] = frame
        self.done.append(
            ProtectStep(
                number=step.number,
                do=step.do,
                column=step.column,
                n_rows=frame.height,
                n_columns=frame.width,
                sentence=sentence,
            )
        )

    def _restore(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
        """Rules and derived columns hold again after a step; what that took, in words."""
        assert self.synthesiser is not None
        changed = {name for name in frame.columns if not frame[name].equals(self.frame[name])}
        frame, kept, told = self.synthesiser.models.restore(frame, changed)
        self.left = np.flatnonzero(kept)
        self._keep_held(self.left)
        return frame, " ".join(("", *told))

    def _say(self, step: PlannedStep) -> None:
        self.progress(f"{step.number}. {step.do}", step.number - 1, len(self.plan.steps))

    def _inside(self, step: PlannedStep) -> Progress:
        def report(what: str, done: int, total: int) -> None:
            self.progress(f"{step.number}. {step.do}: {what}", done, total)

        return report


def _split_data(data: pl.DataFrame | Labelled) -> tuple[pl.DataFrame, Codebook | None]:
    return (data.frame, data.codebook) if isinstance(data, Labelled) else (data, None)


@contextmanager
def _name_step(step: PlannedStep) -> Iterator[None]:
    """A fault with the step in front."""
    try:
        yield
    except InputError as fault:
        raise type(fault)(f"{step.heading}: {fault}") from None
