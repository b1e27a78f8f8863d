"""The steps of a plan, done one after the other, each to what the one before left.

S1 is the synthesis alone, S2 what the distance filter (and whatever else is done before noise) left
of it and drew anew, S3 the copy with noise: as in Chapelle and Falissard, each can be assessed
alone. Where rows are filtered, S1 is the first draw of the filter, so that S2 comes from S1.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import polars as pl

from unveil.count.scenario import Progress
from unveil.count.streams import stream
from unveil.errors import InputError, SettingsError
from unveil.measure.utility.projection import projection
from unveil.protection.distance.refill import refill
from unveil.protection.distance.refill_result import Drawn
from unveil.protection.noise import add_noise, is_kept
from unveil.protection.plan import Fault, Plan, Planned
from unveil.protection.plan_columns import absent_columns, dropped, path_of, recoding_faults
from unveil.protection.plan_noise import NoisePlan, noise_of
from unveil.protection.plan_order import FILTER, NOISE, REMOVE, SMOOTH, SYNTHESISE
from unveil.protection.recoding.recode import as_given, recode
from unveil.protection.record_words import Told
from unveil.protection.replicated import remove_replicated_uniques
from unveil.protection.smoothing import smooth
from unveil.read.labelled import Labelled
from unveil.read.roles import names
from unveil.read.table import Table
from unveil.records.codebook import Codebook
from unveil.records.distance_filter import Refill
from unveil.records.noise import Noise
from unveil.records.projection import Projection
from unveil.records.protection import ProtectionSeeds, ProtectStep
from unveil.records.recoding import Recoding, Step
from unveil.records.removal import Removal, Smoothing
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser


@dataclass
class Stages:
    """A plan on its way: the data as they are by now, and the records of what was done."""

    table: Table  # the original; recoded as soon as that is done
    plan: Plan
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

    def recoded(self) -> list[Fault]:
        """Do the recodings; everything that keeps the plan from being done to these data."""
        faults = [*self._recoded()]
        is_recoded = not faults
        faults += absent_columns(self.plan, self.table)
        gone = dropped(self.plan)
        for step in self.plan.having(NOISE):
            there = step.column in self.table.frame.columns and step.column not in gone
            if there and "not_needed" not in step.settings:
                faults += self._noise(step, is_recoded=is_recoded)
        return faults

    def _recoded(self) -> Iterator[Fault]:
        if not self.plan.recodings:
            return
        self._say(self.plan.steps[0])
        steps, keys = self.plan.recodings, self.keys
        try:
            made = recode(as_given(self.table), steps, keys=keys, seed=self.seeds.recode)
        except InputError as fault:
            yield from recoding_faults(fault)
            return
        self.recoding = msgspec.structs.replace(made.record, files=(self.table.source,))
        self.recipe = made.fixed_steps()
        frame, book = _apart(made.data)
        self.table = replace(self.table, frame=frame, codebook=book)
        self.done += Told.recodings(self.recoding, frame.width)

    def _noise(self, step: Planned, *, is_recoded: bool) -> Iterator[Fault]:
        """Find the noise of a column, or why it can have none."""
        column = str(step.column)
        try:
            if is_recoded:
                self.noises[column] = noise_of(step, self.table, self.codes)
            else:  # how much it needs is seen once the recodings can be done
                of = self.table.variables.get(column)
                is_kept(self.table.frame[column], of, (), self.table.place)
        except InputError as fault:
            yield Fault(path_of(step), f"{step.called}: {fault}", type(fault))

    def synthesised(self, settings: Mapping[str, Any]) -> None:
        """Fit, and draw S1."""
        (step,) = self.plan.having(SYNTHESISE)
        self._say(step)
        with _told(step):
            made = synthesise(
                as_given(self.table), **settings, progress=self._inside(step), rows=self.rows
            )
        record = msgspec.structs.replace(made.record, files=(self.table.source,))
        self.synthesiser = replace(made, record=record)
        self.frames["s1"] = self._mixed(made.copies[0])
        self._now(self.frames["s1"], step, Told.synthesis(record))

    def finished(self) -> None:
        """Do what is done to the copy."""
        does = {FILTER: self._filtered, REMOVE: self._removed, SMOOTH: self._smoothed}
        noises = self.plan.having(NOISE)
        for step in self.plan.after:
            if step.do == NOISE:
                if step is noises[0]:
                    self.frames.setdefault("s2", self.frame)
                    self._noised(noises)
                continue
            self._say(step)
            with _told(step):
                does[step.do](step)
        self.frames.setdefault("s2", self.frame)
        self.frames["s3"] = self.frame

    @property
    def frame(self) -> pl.DataFrame:
        """The copy as it is by now."""
        return self.frames["now"]

    @property
    def codebook(self) -> Codebook | None:
        """What is declared of the copy."""
        return None if self.synthesiser is None else self.synthesiser.codebook

    @property
    def copy(self) -> Any:
        """The copy as it is by now, with what is declared of it."""
        book = self.codebook
        return self.frame if book is None else Labelled(self.frame, book)

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that are the original's own."""
        assert self.synthesiser is not None
        columns = self.synthesiser.record.columns
        return tuple(column.name for column in columns if column.role == "kept")

    def _mixed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows beside those of the original put into an order of chance, so that none is beside."""
        if not self.kept:
            return frame
        order = stream(self.seeds.seed, "protect", "order").permutation(frame.height)
        return frame[order]

    def _filtered(self, step: Planned) -> None:
        assert self.synthesiser is not None
        said = {**step.settings}
        columns = set(names(said["columns"], "Columns")) if "columns" in said else {*self.codes}
        codes = {name: given for name, given in self.codes.items() if name in columns}
        codes |= said.pop("special_codes", None) or {}
        found = refill(
            as_given(self.table),
            self.synthesiser,
            rows=self.frame.height,
            seed=self.seeds.distance_filter,
            special_codes=codes,
            progress=self._inside(step),
            **said,
        )
        self.refill = found.record
        if found.data.is_empty():
            raise SettingsError(" ".join(found.record.warnings))
        first = found._drawn[0]
        if first.frame.height == self.frame.height:
            self.frames["s1"] = first.frame
        self.projection = self._projected(first, found.record, codes)
        self._now(found.data, step, Told.refill(found.record))

    def _projected(
        self, first: Drawn, record: Refill, codes: Mapping[str, Any]
    ) -> Projection | None:
        """Where the first rows lie on the original's axes, retained and filtered ones apart."""
        used = [name for name in record.columns if name in first.frame.columns]
        try:
            made = projection(
                as_given(self.table),
                first.frame,
                columns=used,
                kept=first.keep,
                special_codes={name: given for name, given in codes.items() if name in used},
            )
        except InputError:  # too little is left to find two axes from: there is no picture then
            return None
        return made.record

    def _removed(self, step: Planned) -> None:
        keys = [name for name in self.keys if name in self.frame.columns]
        settings = {"keys": keys or None, **step.settings}
        made = remove_replicated_uniques(as_given(self.table), self.copy, **settings)
        self.removal = msgspec.structs.replace(made.record, files=(self.table.source, "the copy"))
        frame, _ = _apart(made.copies[0])
        if frame.is_empty():
            raise SettingsError(" ".join(made.record.warnings))
        self._now(frame, step, Told.removal(made.record))

    def _smoothed(self, step: Planned) -> None:
        columns = names(step.settings["columns"], "Columns to smooth")
        known = {name: codes for name, codes in self.codes.items() if name in columns}
        codes = {**known, **(step.settings.get("special_codes") or {})}
        made = smooth(self.copy, columns, special_codes=codes)
        self.smoothing.append(msgspec.structs.replace(made.record, files=("the copy",)))
        self._now(_apart(made.data)[0], step, Told.smoothing(made.record))

    def _noised(self, steps: Sequence[Planned]) -> None:
        columns = {name: plan.how for name, plan in self.noises.items()}
        needless = {
            str(step.column): step.settings["not_needed"]
            for step in steps
            if "not_needed" in step.settings
        }
        frame = self.frame
        if columns:
            made = add_noise(
                self.copy, columns=columns, seed=self.seeds.add_noise, not_needed=needless
            )
            self.noise = msgspec.structs.replace(made.record, files=("the copy",))
            frame = _apart(made.data)[0]
        for step in steps:
            self._say(step)
            plan = self.noises.get(str(step.column))
            reason = None if plan is None else plan.reason
            self._now(frame, step, Told.noise(step, reason, self.noise))

    def _now(self, frame: pl.DataFrame, step: Planned, sentence: str) -> None:
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

    def _say(self, step: Planned) -> None:
        self.progress(f"{step.number}. {step.do}", step.number - 1, len(self.plan.steps))

    def _inside(self, step: Planned) -> Progress:
        def said(what: str, done: int, total: int) -> None:
            self.progress(f"{step.number}. {step.do}: {what}", done, total)

        return said


def _apart(data: pl.DataFrame | Labelled) -> tuple[pl.DataFrame, Codebook | None]:
    return (data.frame, data.codebook) if isinstance(data, Labelled) else (data, None)


@contextmanager
def _told(step: Planned) -> Iterator[None]:
    """A fault with the step in front."""
    try:
        yield
    except InputError as fault:
        raise type(fault)(f"{step.called}: {fault}") from None
