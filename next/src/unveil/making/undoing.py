"""Steps that undo each other: refused before they run, or if a column still tells what was hidden.

A column tells another as it was if records that are next to each other in it differ less than half
as much, in what was hidden, than records that the step made equal; or if numbers together do, by
a linear formula.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.data.columns import Coded
from unveil.errors import InputError, list_names
from unveil.making.made import has_amounts
from unveil.making.steps import Drop, LevelStep, RemoveUniques, Step
from unveil.study import ORIGINAL, Study

CLOSE = 0.5  # of the distance that was meant
FEWEST = 20  # records that a step changed, below which nothing can be told of it
OF_NORMAL = 2 / np.sqrt(np.pi)  # mean distance of two draws, in standard deviations
WEIGHED = 0.1  # of the distance that was meant: what a column of a formula adds to it


def check_order(steps: Sequence[Step], keys: Sequence[str], *, has_synthetic: bool) -> None:
    """Refuse orders in which a later step undoes an earlier one, or cannot stand."""
    names = [step.name for step in steps]
    if names.count("synthesise") > 1:
        second = len(names) - names[::-1].index("synthesise")
        raise InputError(f"'steps', step {second}: synthesise stands there again. Keep one.")
    first = names.index("synthesise") if "synthesise" in names else -1
    if first < 0 and not has_synthetic:
        raise InputError("'steps': none makes synthetic data. Add {'do': 'synthesise'}.")
    derived = getattr(steps[first], "derive", {}) if first >= 0 else {}
    for place, step in enumerate(steps):
        for fault in _faults(step, steps[:place], steps[place + 1 :], derived):
            raise InputError(f"'steps', step {place + 1} ({step.name}): {fault}")
        if step.name in ("distance_filter", "add_noise") and place < first:
            raise InputError(f"'steps', step {place + 1} ({step.name}): put it after synthesise.")
        is_removal = isinstance(step, RemoveUniques) and place > first
        later = [s for s in steps[place + 1 :] if isinstance(s, LevelStep) and {*s.of} & {*keys}]
        if is_removal and later:
            raise InputError(
                f"'steps', step {place + 1} ({step.name}): {later[0].name} comes after it and"
                " changes a key, so that others become unique in both files. Put this step last."
            )


def _faults(
    step: Step, before: Sequence[Step], after: Sequence[Step], derived: Mapping[str, str]
) -> Iterator[str]:
    """Why a step cannot stand between these."""
    changes = isinstance(step, LevelStep) or step.name == "add_noise"
    is_after = any(earlier.name == "synthesise" for earlier in before)
    if changes and is_after and (computed := {*step.of} & {*derived}):
        yield (
            f"{list_names(computed)} is computed again after every step, which undoes this one."
            " Change the columns that it is computed from."
        )
    noisy = {n for earlier in before if earlier.name == "add_noise" for n in earlier.of}
    if changes and (twice := {*step.of} & noisy):
        yield f"{list_names(twice)} has noise by then. Put the noise last, and once."
    had_removal = any(isinstance(earlier, RemoveUniques) for earlier in before)
    if step.name == "distance_filter" and is_after and had_removal:
        yield "it draws more records, unique ones too. Put remove_uniques after it."
    if isinstance(step, Drop) and (noisy & {*step.of}):
        yield f"{list_names(noisy & {*step.of})} gets noise and goes. Leave one of the two out."


@dataclass(frozen=True, eq=False)
class Values:
    """One column of the original, record by record: amounts where it has some, codes of levels."""

    codes: Ints
    values: Floats | Ints
    has_amounts: bool
    written: np.ndarray

    @classmethod
    def of(cls, study: Study, name: str, rows: Ints | slice = slice(None)) -> "Values":
        column: Coded = study.unbanded(name)
        codes = column.codes[column.rows[ORIGINAL]][rows].astype(np.int64)
        written = np.array(column.written, object)[codes]
        levels = column.levels.to_physical()
        numbers = levels.cast(pl.Float64, strict=False)
        is_number_as_text = column.kind == "text" and numbers.null_count() == levels.null_count()
        if not (is_number_as_text or has_amounts(study, column)):
            return cls(codes, codes, False, written)
        amounts = numbers.fill_null(np.nan).to_numpy().copy()
        amounts[np.isin(amounts, study.special(name, column))] = np.nan
        return cls(codes, amounts[codes], True, written)


def check_told(
    before: Study, rows: Ints, after: Study, changed: Mapping[str, str],
    noise: Mapping[str, float], derived: Collection[str],
) -> None:  # fmt: skip
    """Refuse a release of which a column still tells another as it was before its step.

    `rows` are those of the first original that are left, `changed` says which step changed what.
    """
    released = [n for n in after.original.columns if all(n in f.frame.columns for f in after.files)]
    columns = {name: Values.of(after, name) for name in released if name not in derived}
    for name, where in changed.items():
        hidden = Values.of(before, name, rows)
        is_known = np.isfinite(hidden.values)
        if name in noise:
            meant = float(noise[name] * OF_NORMAL)
        elif name in columns:
            is_known &= hidden.written != columns[name].written
            meant = _distance(hidden, columns[name], is_known) or 0.0
        else:
            continue
        if is_known.sum() < FEWEST or not meant:
            continue
        beside = {n: column for n, column in columns.items() if n != name}
        if telling := [*_telling(hidden, beside, is_known, CLOSE * meant)]:
            raise InputError(
                f"'steps', {where}: {list_names(telling)} still"
                f" {'tells' if len(telling) == 1 else 'tell'} what {name!r} was before. Change"
                " that likewise, leave it out (drop), or derive it."
            )


def _telling(
    hidden: Values, columns: Mapping[str, Values], is_known: Mask, close: float
) -> Iterator[str]:
    """Columns that tell what was hidden: each by itself, else numbers by a linear formula."""
    single = [
        name
        for name, column in columns.items()
        if (distance := _distance(hidden, column, is_known)) is not None and distance < close
    ]
    if single or not hidden.has_amounts:
        yield from single
        return
    names = [
        name
        for name, column in columns.items()
        if column.has_amounts and np.isfinite(column.values[is_known]).any()
    ]
    y = hidden.values[is_known]
    if not names or len(y) < FEWEST + 2 * len(names):
        return
    amounts = np.stack([columns[name].values[is_known] for name in names], axis=1)
    x = np.nan_to_num(amounts - np.nanmean(amounts, axis=0))
    x, y = x - x.mean(axis=0), y - y.mean()
    weights, *_ = np.linalg.lstsq(x, y, rcond=None)
    residual = np.sqrt(((y - x @ weights) ** 2).sum() / (len(y) - len(names) - 1))
    if residual * OF_NORMAL < close:
        adds = np.abs(weights) * x.std(axis=0)
        yield from (name for name, part in zip(names, adds, strict=True) if part > WEIGHED * close)


def _distance(hidden: Values, by: Values, is_known: Mask) -> float | None:
    """How much values differ, on average, of records that are next to each other in a column."""
    values, codes = hidden.values[is_known], by.codes[is_known]
    order = np.lexsort(
        (np.random.default_rng(1).permutation(len(codes)), codes, by.values[is_known])
    )
    step = np.diff(values[order])
    steps = np.abs(step) if hidden.has_amounts else step != 0
    is_same = np.diff(codes[order]) == 0
    if 2 * is_same.sum() >= len(steps):
        return float(steps[is_same].mean()) if is_same.any() else None
    return float(steps.mean()) if by.has_amounts and hidden.has_amounts else None
