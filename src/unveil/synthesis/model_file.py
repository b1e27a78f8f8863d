"""A fitted synthesiser on a disk: JSON and arrays, never pickle, for its owner alone."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.errors import ReadError, SettingsError, WriteError, quoted
from unveil.read.given import shown
from unveil.records.codebook import Codebook
from unveil.records.synthesis import Synthesis
from unveil.synthesis.column import Column
from unveil.synthesis.drawing import Drawing
from unveil.synthesis.model_archive import NOTICE, Shelf, Unpacked, packed, refuse, unpacked
from unveil.synthesis.model_columns import (
    ColumnDoc,
    Doc,
    PartDoc,
    column_doc,
    column_of,
    part_doc,
    part_of,
    within,
)
from unveil.synthesis.model_rules import (
    FormulaDoc,
    RuleDoc,
    formula_doc,
    formula_of,
    rule_doc,
    rule_of,
)
from unveil.synthesis.model_steps import StepDoc, step_doc, step_of
from unveil.synthesis.plan import Plan
from unveil.synthesis.rules import with_rivals
from unveil.synthesis.strata import Strata
from unveil.synthesis.synthesiser import Models, Synthesiser
from unveil.version import __version__
from unveil.writing import refuse_present, write_private

SCHEMA = 1
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
    plan: Plan
    columns: tuple[ColumnDoc, ...]
    sizes: int
    of_rows: int
    strata: tuple[PartDoc, ...]
    given: tuple[PartDoc, ...]
    fitted: tuple[tuple[StepDoc, ...], ...]
    rules: tuple[RuleDoc, ...]
    derived: tuple[FormulaDoc, ...]
    names: tuple[str, ...]
    n_original: int


def refuse_path(path: str | os.PathLike[str]) -> Path:
    """The path of a model file that can be written; its name must say what it is."""
    target = _path(path)
    if MARK not in target.name or target.suffix != ENDING:
        raise WriteError(
            "A model file holds values of the original, and its name must say so:"
            f" {quoted(target.name)} needs {MARK} in it and {ENDING} at its end, such as"
            f" {MARK}_survey{ENDING}."
        )
    refuse_present(target)
    if not target.parent.is_dir():
        raise WriteError(
            f"There is no folder {quoted(str(target.parent))} to write the model to. Make it first,"
            " or name another."
        )
    return target


def _path(given: Any) -> Path:
    if not isinstance(given, str | bytes | os.PathLike):
        raise SettingsError(
            f"The model file is {shown(given)}. Write its path, such as {MARK}_survey{ENDING}."
        )
    return Path(os.fsdecode(given))


def save(synthesiser: Synthesiser, path: str | os.PathLike[str]) -> Path:
    """Write a synthesiser to a file that is not there yet and that only its owner may read.

    Its copies are not in the file: the same are drawn again from it.
    """
    target, shelf = refuse_path(path), Shelf()
    document = msgspec.json.encode(_document(synthesiser, shelf))
    write_private(target, packed(document, shelf.arrays))  # type: ignore[arg-type]
    return target


def load(path: str | os.PathLike[str]) -> Synthesiser:
    """The synthesiser that a file holds, without copies; `sample` draws them."""
    target = _path(path)
    with unpacked(target) as file:
        text = file.document()
        _refuse_other(msgspec.json.decode(text, type=Header), file.place)
        made = _synthesiser(msgspec.json.decode(text, type=Document), file)
        _try_out(made)
    return made


def _try_out(made: Synthesiser) -> None:
    """Draw a few rows, so that models which do not fit together are found now."""
    if not made.models.plan.is_beside:
        with suppress(SettingsError):  # rules that contradict each other in a row are told later
            made.models.copy(1, _TRIAL_ROWS, made.seed)


def _refuse_other(header: Header, place: str) -> None:
    if header.format != FORMAT:
        refuse(place)
    if header.schema > SCHEMA:
        raise ReadError(
            f"{place} was written by a newer unveil ({header.version[:20]}); this one is"
            f" {__version__}. Install the newer one."
        )


def _document(synthesiser: Synthesiser, shelf: Shelf) -> Document:
    models = synthesiser.models
    strata = models.strata
    return Document(
        record=synthesiser.record,
        codebook=synthesiser.codebook,
        seed=synthesiser.seed,
        plan=models.plan,
        columns=tuple(column_doc(column, shelf) for column in _columns(models).values()),
        sizes=shelf.put(strata.sizes),
        of_rows=shelf.put(strata.of_rows if models.plan.needs_original_rows else np.zeros(0, int)),
        strata=tuple(part_doc(part, shelf) for part in strata.parts),
        given=tuple(part_doc(part, shelf) for part in models.given.values()),
        fitted=tuple(
            tuple(step_doc(fitted, shelf) for fitted in stratum)
            for stratum in models.drawing.strata
        ),
        rules=tuple(map(rule_doc, models.drawing.rules)),
        derived=tuple(map(formula_doc, models.derived)),
        names=models.names,
        n_original=models.n_original,
    )


def _columns(models: Models) -> dict[str, Column]:
    parts = (*models.given.values(), *models.strata.parts)
    fitted = [column for step in models.drawing.strata[0] for column in step.columns]
    return {column.name: column for column in (*(part.column for part in parts), *fitted)}


def _synthesiser(document: Document, file: Unpacked) -> Synthesiser:
    columns = {doc.name: column_of(doc, file) for doc in document.columns}
    steps = document.plan.steps
    if any(len(stratum) != len(steps) for stratum in document.fitted):
        refuse(file.place)
    drawing = Drawing(
        tuple(
            tuple(
                step_of(doc, step, columns, file) for doc, step in zip(stratum, steps, strict=True)
            )
            for stratum in document.fitted
        ),
        with_rivals(rule_of(doc) for doc in document.rules),
    )
    given = [part_of(doc, columns, file) for doc in document.given]
    models = Models(
        document.plan,
        _strata(document, columns, file),
        drawing,
        {part.column.name: part for part in given},
        tuple(map(formula_of, document.derived)),
        document.names,
        document.n_original,
    )
    if any(len(part) != document.n_original for part in given):
        refuse(file.place)
    copies: tuple[pl.DataFrame, ...] = ()
    return Synthesiser(document.record, copies, models, document.seed, document.codebook)


def _strata(document: Document, columns: dict[str, Column], file: Unpacked) -> Strata:
    sizes, of_rows = file.array(document.sizes), file.array(document.of_rows)
    parts = tuple(part_of(doc, columns, file) for doc in document.strata)
    wanted = document.n_original if document.plan.needs_original_rows else 0
    is_fit = len(sizes) == len(document.fitted) and len(of_rows) == wanted
    is_fit = is_fit and int(sizes.sum()) == document.n_original and bool((sizes > 0).all())
    is_fit = is_fit and all(len(part) == len(sizes) for part in parts)
    if not is_fit or not within(of_rows, len(sizes)):
        refuse(file.place)
    return Strata(sizes, of_rows, parts)
