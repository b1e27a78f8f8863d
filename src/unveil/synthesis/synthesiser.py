"""A fitted synthesiser: copies of any number and size, from models that are fitted once."""

import os
import warnings
from collections import deque
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import parse_whole_number, quote_value
from unveil.arrays import Ints, Mask
from unveil.atomic import check_present, write_private
from unveil.errors import ReadError, SettingsError, WriteError, quote_text
from unveil.measure.result import RowsResult
from unveil.models.design import ColumnValues, ModelColumn
from unveil.records.codebook import Codebook
from unveil.records.synthesis import Synthesis
from unveil.seeding import choose_seed, stream
from unveil.study.scenario import Progress, no_progress
from unveil.synthesis.constraints import Constraint, find_any_broken
from unveil.synthesis.derived import DerivedColumn
from unveil.synthesis.draw import Drawing
from unveil.synthesis.long import PersonRows
from unveil.synthesis.methods import MOST_ROWS
from unveil.synthesis.model_archive import (
    NOTICE,
    ArrayStore,
    ModelArchive,
    check,
    open_archive,
    pack_archive,
)
from unveil.synthesis.model_parts import (
    Doc,
    PartDoc,
    StepDoc,
    are_within,
    decode_document,
    encode_document,
    part_doc,
    part_of,
    step_doc,
    step_of,
)
from unveil.synthesis.plan import Numbering, SynthesisPlan
from unveil.synthesis.rules import WrittenRule, link_rivals
from unveil.synthesis.settings import MOST_COPIES, check_progress, parse_workers
from unveil.synthesis.split_columns import join_column
from unveil.synthesis.strata import Strata
from unveil.version import __version__
from unveil.view.format import format_count

_MOST_AGAIN, _FEWEST_AGAIN = 50, 100
"""Rounds in which rows that break a constraint are drawn again, and the fewest rows of one."""


@dataclass(frozen=True)
class Models:
    """All that copies are drawn from. Confidential: it holds values of the original.

    `given` are the columns that are not drawn, as the original has them: kept, or predictors only.
    """

    plan: SynthesisPlan
    strata: Strata
    drawing: Drawing
    given: Mapping[str, ColumnValues]
    derived: tuple[DerivedColumn, ...]
    names: tuple[str, ...]  # the columns of a synthetic file, in the order of the original
    n_original: int
    constraints: tuple[Constraint, ...] = ()
    sequence: PersonRows | None = None  # how the rows of a person follow; then rows are people here
    later: "Models | None" = None  # of a row, given the one before it

    def copy(self, number: int, n_rows: int, seed: int) -> pl.DataFrame:
        """One copy, by its number from 1; rows that break a constraint are drawn again."""
        if self.sequence is not None:
            return self._people(self.sequence, number, n_rows, seed)
        frame = self._draw(number, n_rows, seed)
        broken = find_any_broken(self.constraints, frame)
        for attempt in range(_MOST_AGAIN if not self.plan.is_beside else 0):
            n_broken = int(broken.sum())
            if not n_broken:
                break
            again = int(stream(seed, "again", number, attempt).integers(2**63 - 1))
            more = self._draw(number, max(2 * n_broken, _FEWEST_AGAIN), again)
            more = more.filter(pl.Series(~find_any_broken(self.constraints, more)))
            places = np.flatnonzero(broken)[: more.height]
            frame = pl.concat([frame, more[: len(places)]])
            order = np.arange(n_rows)
            order[places] = np.arange(n_rows, frame.height)
            frame = frame[order]
            broken[places] = False
        return self.restore(frame, ())[0] if broken.any() else self._number_rows(frame)

    def _people(self, rows: PersonRows, number: int, n_people: int, seed: int) -> pl.DataFrame:
        frame = rows.draw(
            self.drawing,
            None if self.later is None else self.later.drawing,
            lambda drawn: find_any_broken(self.constraints, self._derive(drawn)),
            n_people=n_people,
            seed=seed,
            number=number,
        )
        return self._number_rows(self.restore(frame, ())[0])[list(self.names)]

    def restore(
        self, frame: pl.DataFrame, changed: Collection[str]
    ) -> tuple[pl.DataFrame, Mask, tuple[str, ...]]:
        """Rules, derived columns and constraints hold again after some columns were changed.

        Also which rows are left, and what was done, in sentences.
        """
        told = []
        kept = np.ones(frame.height, np.bool_)
        before = frame
        frame = self._derive(frame if self.sequence is None else self.sequence.restore(frame))
        for rule in self.drawing.rules:
            if {rule.column, *rule.needs} <= {*frame.columns}:
                frame = self._derive(_settle(frame, rule))
        for one in self.constraints:
            n_broken = int(one.find_broken(frame).sum())
            frame = self._derive(one.repair(frame, changed)) if n_broken else frame
        lost = find_any_broken(self.constraints, frame)
        n_moved = sum(
            int(frame[name].alias("").ne_missing(before[name].alias("")).sum())
            for name in frame.columns
            if name not in {one.column for one in self.derived}
        )
        if n_moved:
            told.append(f"{format_count(n_moved, 'value')} set so that the rules hold again.")
        if lost.any():
            said = f"{format_count(int(lost.sum()), 'row')} taken out that broke a rule."
            if self.sequence is not None:
                lost, said = self.sequence.take_out(frame, lost)
            kept = ~lost
            frame = frame.filter(pl.Series(kept))
            told.append(said)
        return frame, kept, tuple(told)

    def _derive(self, frame: pl.DataFrame) -> pl.DataFrame:
        for derived in self.derived:
            if {*derived.needs} <= {*frame.columns}:
                frame = frame.with_columns(derived.values(frame).alias(derived.column))
        return frame

    def _number_rows(self, frame: pl.DataFrame) -> pl.DataFrame:
        for name, numbering in self.plan.renumbered.items():
            frame = frame.with_columns(running_numbers(frame.height, numbering).alias(name))
        return frame

    def _draw(self, number: int, n_rows: int, seed: int) -> pl.DataFrame:
        given, of_rows = self._given_columns(number, n_rows, seed)
        given |= {part.column.name: part.select(of_rows) for part in self.strata.parts}
        parts = self.drawing.draw(given, self.strata.rows(of_rows), n_rows, seed, number)
        frame = pl.DataFrame({name: join_column(part) for name, part in parts.items()})
        return self._number_rows(self._derive(frame))[list(self.names)]

    def _given_columns(
        self, number: int, n_rows: int, seed: int
    ) -> tuple[dict[str, ColumnValues], Ints]:
        """The columns that are not drawn, and the stratum of each row.

        Columns that only predict are mixed, so no synthetic record stands where its person does.
        """
        if self.plan.is_beside:
            return dict(self.given), self.strata.of_rows
        if not self.plan.needs_original_rows:
            return {}, self.strata.draw(n_rows, seed, number)
        rows = self.strata.shuffle(n_rows, seed, number)
        given = {name: part.select(rows) for name, part in self.given.items()}
        return given, self.strata.of_rows[rows]


@dataclass(frozen=True, repr=False)
class Synthesiser(RowsResult[Synthesis]):
    """Models fitted to an original, the copies drawn at once, and how they were made.

    The record holds no data. `models` and `seed` are confidential: anyone who has them can draw
    what was drawn, and the models hold original values.
    """

    rows_in = "columns"  # of the original: role, method and predictors of each
    copies: tuple[pl.DataFrame, ...]
    models: Models = field(compare=False)
    seed: int
    codebook: Codebook | None = None

    def sample(
        self,
        copies: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        *,
        workers: int | None = None,
        progress: Progress = no_progress,
    ) -> list[pl.DataFrame]:
        """Draw copies; nothing is fitted again.

        Parameters
        ----------
        copies
            How many.
        rows
            Rows of each copy; as many as the original has where None.
        seed
            The synthesiser's own where None: then copy 1 is always the same copy 1.
        workers
            Threads that copies are drawn in; as many as there are cores where None.
        progress
            Called after each copy.
        """
        n_rows = parse_rows(self.models.plan, rows, self.models.n_original)
        if n_rows > self.models.n_original:
            note = inflation_note(n_rows, self.models.n_original, self.record.n_file)
            warnings.warn(note, stacklevel=2)
        return draw_copies(
            self.models,
            parse_whole_number("copies", copies, most=MOST_COPIES),
            n_rows,
            self.seed if seed is None else choose_seed(seed),
            workers=parse_workers(workers),
            progress=check_progress(progress),
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Keep the models in a file: CONFIDENTIAL, as its name must say; see `model_file`."""
        return save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Synthesiser":
        """The synthesiser that a file holds, without copies: `sample` draws them."""
        return load(path)


def _settle(frame: pl.DataFrame, rule: WrittenRule) -> pl.DataFrame:
    """The value of a rule in the rows that meet it, as the column writes it."""
    column = frame[rule.column]
    value = pl.Series([rule.value]).cast(column.dtype, strict=False)
    if rule.value is not None and value.null_count():
        return frame  # the column was recoded since: it has no such value
    met = rule.rows(frame)
    return frame.with_columns(
        column.zip_with(~met, value.new_from_index(0, len(column))).alias(rule.column)
    )


def running_numbers(n_rows: int, numbering: Numbering, first: int = 0) -> pl.Series:
    """1, 2, and on after `first`; FAKE_1 in a column of text, which stays text in every format."""
    numbers = pl.Series(np.arange(first + 1, first + n_rows + 1, dtype=np.int64))
    return numbers if numbering == "number" else "FAKE_" + numbers.cast(pl.String)


def draw_copies(
    models: Models, copies: int, n_rows: int, seed: int, *, workers: int, progress: Progress
) -> list[pl.DataFrame]:
    """Copies 1 to `copies`, in threads; what each holds depends on its number alone."""
    made: list[pl.DataFrame] = []
    with ThreadPoolExecutor(max_workers=min(workers, copies)) as pool:
        progress("drawing copies", 0, copies)
        ahead = min(2 * workers, copies)
        waiting = deque(pool.submit(models.copy, n, n_rows, seed) for n in range(1, ahead + 1))
        try:
            for done in range(1, copies + 1):
                made.append(waiting.popleft().result())
                if done + ahead <= copies:
                    waiting.append(pool.submit(models.copy, done + ahead, n_rows, seed))
                progress(f"drew copy {done}", done, copies)
        except MemoryError:
            pool.shutdown(wait=False, cancel_futures=True)
            raise SettingsError(
                f"There is not enough memory for {copies:,} {'copy' if copies == 1 else 'copies'}"
                f" of {n_rows:,} rows. Draw fewer rows, or fewer copies at a time."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return made


def parse_rows(plan: SynthesisPlan, rows: Any, n_original: int) -> int:
    """The synthetic records; as many as the original has where some of its columns are kept."""
    n_rows = n_original if rows is None else parse_whole_number("rows", rows, most=MOST_ROWS)
    if plan.time is not None and rows is not None:
        raise SettingsError(
            "rows cannot be set together with time: there are as many people as in the original."
            " Omit rows."
        )
    if plan.is_beside and n_rows != n_original:
        raise SettingsError(
            f"rows is {n_rows:,}, but the original has {n_original:,}, and columns that are kept"
            " match it row for row. Omit rows."
        )
    return n_rows


def inflation_note(n_rows: int, n_original: int, n_file: int | None = None) -> str:
    """What to say of a synthetic file with more rows than its original, or than were fitted."""
    of = "of the original" if n_file is None else "that the models were fitted to"
    return (
        f"The synthetic data have {n_rows:,} rows, more than the {n_original:,} {of}:"
        " tests and intervals computed from it claim more certainty than the data can give."
    )


# A fitted synthesiser on a disk: JSON and arrays, never pickle, for its owner alone.


SCHEMA = 2
FORMAT = "unveil model"
ENDING = ".model"
MARK = "CONFIDENTIAL"
_TRIAL_ROWS = 20


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What is read first: whether the rest can be."""

    format: str
    schema: int
    version: str


class Document(Doc, frozen=True, kw_only=True):
    """All of a synthesiser but its arrays."""

    notice: str = NOTICE
    format: str = FORMAT
    schema: int = SCHEMA
    version: str = __version__
    record: Synthesis
    codebook: Codebook | None
    seed: int
    plan: SynthesisPlan
    columns: tuple[ModelColumn, ...]
    sizes: NDArray[np.int64]
    of_rows: NDArray[np.int64]
    strata: tuple[PartDoc, ...]
    given: tuple[PartDoc, ...]
    fitted: tuple[tuple[StepDoc, ...], ...]
    rules: tuple[WrittenRule, ...]
    derived: tuple[DerivedColumn, ...]
    names: tuple[str, ...]
    n_original: int
    constraints: tuple[Constraint, ...] = ()
    sequence: PersonRows | None = None
    later: "Document | None" = None


def check_path(path: str | os.PathLike[str]) -> Path:
    """The path of a model file that can be written; its name must say what it is."""
    target = _path(path)
    if MARK not in target.name or target.suffix != ENDING:
        raise WriteError(
            "A model file holds values of the original, and its name must say so:"
            f" {quote_text(target.name)} needs {MARK} in it and {ENDING} at its end, such as"
            f" {MARK}_survey{ENDING}."
        )
    check_present(target)
    if not target.parent.is_dir():
        raise WriteError(
            f"There is no folder {quote_text(str(target.parent))} to write the model to. Make it"
            " first, or name another."
        )
    return target


def _path(given: Any) -> Path:
    if not isinstance(given, str | bytes | os.PathLike):
        raise SettingsError(
            f"The model file is {quote_value(given)}. Write its path, such as "
            f"{MARK}_survey{ENDING}."
        )
    return Path(os.fsdecode(given))


def save(synthesiser: Synthesiser, path: str | os.PathLike[str]) -> Path:
    """Write a synthesiser to a file that is not there yet and that only its owner may read.

    Its copies are not in the file: the same are drawn again from it.
    """
    target, store = check_path(path), ArrayStore()
    document = encode_document(_document(synthesiser, store), store)
    write_private(target, pack_archive(document, store.arrays))  # type: ignore[arg-type]
    return target


def load(path: str | os.PathLike[str]) -> Synthesiser:
    """The synthesiser that a file holds, without copies; `sample` draws them."""
    target = _path(path)
    with open_archive(target) as file:
        text = file.document()
        _check_other(msgspec.json.decode(text, type=Header), file.place)
        made = _synthesiser(decode_document(text, Document, file), file)
        _try_out(made)
    return made


def _try_out(made: Synthesiser) -> None:
    """Draw a few rows, so that models which do not fit together are found now."""
    if not made.models.plan.is_beside:
        with suppress(SettingsError):  # rules that contradict each other in a row are told later
            made.models.copy(1, _TRIAL_ROWS, made.seed)


def _check_other(header: Header, place: str) -> None:
    if header.format != FORMAT:
        check(place)
    if header.schema > SCHEMA:
        raise ReadError(
            f"{place} was written by a newer unveil ({header.version[:20]}); this one is"
            f" {__version__}. Install the newer one."
        )


def _document(synthesiser: Synthesiser, store: ArrayStore) -> Document:
    models = synthesiser.models
    strata = models.strata
    return Document(
        record=synthesiser.record,
        codebook=synthesiser.codebook,
        seed=synthesiser.seed,
        plan=models.plan,
        columns=tuple(_columns(models).values()),
        sizes=strata.sizes,
        of_rows=strata.of_rows if models.plan.needs_original_rows else np.zeros(0, int),
        strata=tuple(part_doc(part, store) for part in strata.parts),
        given=tuple(part_doc(part, store) for part in models.given.values()),
        fitted=tuple(
            tuple(step_doc(fitted, store) for fitted in stratum)
            for stratum in models.drawing.strata
        ),
        rules=tuple(replace(rule, rivals=()) for rule in models.drawing.rules),
        derived=models.derived,
        names=models.names,
        n_original=models.n_original,
        constraints=models.constraints,
        sequence=models.sequence,
        later=_later_document(synthesiser, store),
    )


def _later_document(synthesiser: Synthesiser, store: ArrayStore) -> Document | None:
    later = synthesiser.models.later
    return None if later is None else _document(replace(synthesiser, models=later), store)


def _columns(models: Models) -> dict[str, ModelColumn]:
    parts = (*models.given.values(), *models.strata.parts)
    fitted = [column for step in models.drawing.strata[0] for column in step.columns]
    return {column.name: column for column in (*(part.column for part in parts), *fitted)}


def _synthesiser(document: Document, file: ModelArchive) -> Synthesiser:
    columns = {column.name: column for column in document.columns}
    steps = document.plan.steps
    if any(len(stratum) != len(steps) for stratum in document.fitted):
        check(file.place)
    drawing = Drawing(
        tuple(
            tuple(
                step_of(doc, step, columns, file) for doc, step in zip(stratum, steps, strict=True)
            )
            for stratum in document.fitted
        ),
        link_rivals(document.rules),
    )
    given = [part_of(doc, columns, file) for doc in document.given]
    models = Models(
        document.plan,
        _strata(document, columns, file),
        drawing,
        {part.column.name: part for part in given},
        document.derived,
        document.names,
        document.n_original,
        document.constraints,
        document.sequence,
        None if document.later is None else _synthesiser(document.later, file).models,
    )
    if any(len(part) != document.n_original for part in given):
        check(file.place)
    copies: tuple[pl.DataFrame, ...] = ()
    return Synthesiser(document.record, copies, models, document.seed, document.codebook)


def _strata(document: Document, columns: dict[str, ModelColumn], file: ModelArchive) -> Strata:
    sizes, of_rows = document.sizes, document.of_rows
    parts = tuple(part_of(doc, columns, file) for doc in document.strata)
    wanted = document.n_original if document.plan.needs_original_rows else 0
    is_fit = len(sizes) == len(document.fitted) and len(of_rows) == wanted
    is_fit = is_fit and int(sizes.sum()) == document.n_original and bool((sizes > 0).all())
    is_fit = is_fit and all(len(part) == len(sizes) for part in parts)
    if not is_fit or not are_within(of_rows, len(sizes)):
        check(file.place)
    return Strata(sizes, of_rows, parts)
