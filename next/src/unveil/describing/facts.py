"""What a column of the original holds: its kind, its codes, its answers."""

import re
from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.counts.cells import Floats, Ints
from unveil.data.codebook import Variable
from unveil.data.columns import Coded, Column, encode, write_level
from unveil.describing.words import find_topic, vocabulary
from unveil.errors import InputError
from unveil.study import ORIGINAL, Study

FEW = 10  # different whole numbers that are read as a category; scales reach so far
USUAL = re.compile(r"-[1-9]|-?(77+|88+|99+|99*[678])")  # codes for what is no answer


class Facts(NamedTuple):
    """One column, in the original."""

    name: str
    column: Coded
    is_alike: bool  # whether all files of the study have it, and code it alike
    variable: Variable
    topic: str
    known: str  # how well others know it
    kind: str  # category, number, date, text
    codes: Ints  # the level of each record
    counts: Ints  # the records of each level
    special: Ints  # the levels that are codes
    answers: Ints  # the levels that somebody has and that are no codes
    answered: int  # records with an answer
    missing: int  # records without a value
    numbers: Floats  # the answers, where they are numbers
    is_whole: bool  # whether they are whole numbers


def read_facts(study: Study, declared: set[str]) -> dict[str, Facts]:
    """Each column of the original.

    What is declared of a column must hold in all files; any other is described as it is. One of a
    type that nothing compares has no values.
    """
    facts = {}
    alone = study.replace(synthetic=None, control=None)
    nothing = pl.repeat(None, len(study.original), dtype=pl.String, eager=True)
    for name in study.original.columns:
        column, is_alike = encode(name, nothing, alone.rows), False
        for source in (study, alone):
            try:
                if all(name in file.frame.columns for file in source.files):
                    column, is_alike = source.column(name), source is study
                    break
            except InputError:
                if name in declared:
                    raise
        facts[name] = _read(study, column, is_alike=is_alike)
    return facts


def _read(study: Study, column: Coded, *, is_alike: bool) -> Facts:
    name, counts = column.name, column.counts[ORIGINAL]
    variable, is_number = study.codebook.get(name, Variable()), column.kind == "number"
    answers = np.flatnonzero(column.levels.is_not_null().to_numpy() & (counts > 0))
    special, numbers = answers[:0], np.zeros(0)
    if is_number:
        numbers = column.numbers[answers]
        declared = study.special(name, column)
        is_code = np.isin(numbers, declared or _likely_codes(numbers, counts[answers]))
        special, answers, numbers = answers[is_code], answers[~is_code], numbers[~is_code]
    n, answered, topic = len(answers), int(counts[answers].sum()), find_topic(name, variable.label)
    known = vocabulary()["topics"][topic]["known"] if topic else ""
    codes = column.codes[column.rows[ORIGINAL]]
    is_whole = len(numbers) > 0 and bool((numbers == np.round(numbers)).all())
    repeats = 0 < 2 * n <= answered
    kind = "date" if column.kind == "date" else "category" if repeats else "text"
    if is_number:  # with labels, or few whole ones that repeat, a category too
        is_few = repeats and is_whole and n <= FEW
        kind = "category" if is_few or 2 * len(variable.labels) > n else "number"
    return Facts(
        name, column, is_alike, variable, topic, known,
        study.columns.get(name, Column()).kind or kind, codes, counts, special, answers, answered,
        len(codes) - answered - int(counts[special].sum()), numbers, is_whole,
    )  # fmt: skip


def _likely_codes(numbers: Floats, counts: Ints) -> Floats:
    """Usual codes below 0 beside amounts from 0 on, or above a gap wider than all amounts."""
    usual = np.array([n for n in numbers[counts > 1] if USUAL.fullmatch(write_level(n) or "")])
    amounts = np.setdiff1d(numbers[np.isfinite(numbers)], usual)
    if len(amounts) < 2:
        return amounts[:0]
    low, high, below = amounts[0], amounts[-1], usual[usual < 0]
    is_scale = high <= FEW and -len(below) == min(below, default=0)
    are_codes = (usual < 0) & (low >= 0) & (not is_scale)
    return usual[are_codes | (usual - high > high - low)]
