"""What is written down about a synthesis: how it was done, and what its reader should know."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec.structs import replace as changed

from unveil.arguments import parse_whole_number
from unveil.arrays import Ints
from unveil.count.packing import count_people
from unveil.errors import list_names
from unveil.models.design import ColumnValues, holders, notes_of_pools
from unveil.records.synthesis import Role, Synthesis, SynthesisColumn
from unveil.seeding import choose_seed
from unveil.study.scenario import Progress, no_progress
from unveil.synthesis.plan import Step
from unveil.synthesis.prepare import SynthesisData
from unveil.synthesis.regression import SEPARATED
from unveil.synthesis.settings import MOST_COPIES, check_progress, parse_workers
from unveil.synthesis.synthesiser import (
    Models,
    Synthesiser,
    draw_copies,
    inflation_note,
    parse_rows,
)

_FEWEST_ALONE = 20
_FEW_ROWS = 20
_MANY_LEVELS = 0.9


@dataclass(frozen=True)
class Size:
    """How much was asked for, and whether with a seed."""

    n_rows: int
    n_copies: int
    is_seeded: bool
    n_file: int | None = None  # rows of the file, of which a sample was fitted


def make_record(data: SynthesisData, models: Models, size: Size, method: str) -> Synthesis:
    """The record of a synthesis."""
    plan, options = data.plan, data.options
    said: dict[str, list[str]] = {}
    for fitted in (step for stratum in models.drawing.strata for step in stratum):
        for name in fitted.step.columns:
            said.setdefault(name, []).extend(fitted.notes)
    separated = [name for name in plan.order if any(SEPARATED in note for note in said[name])]
    return Synthesis(
        files=(data.table.source,),
        n_original=data.n_rows,
        n_file=size.n_file,
        n_rows=size.n_rows,
        n_copies=size.n_copies,
        method=method,
        order=plan.order,
        columns=tuple(
            _column(data, part, _own_notes(said.get(name, ()))) for name, part in data.parts.items()
        ),
        strata=plan.strata,
        n_strata=len(data.strata.sizes),
        min_leaf=options.min_leaf,
        min_split=options.min_split or 3 * options.min_leaf,
        complexity=options.complexity,
        min_spread=options.min_spread,
        smoothing=options.smoothing,
        smooth=options.smooth,
        prior=options.prior,
        noise=options.noise,
        margins=options.margins,
        protect_margins=options.protect_margins,
        rules=(
            *(rule.text for rule in data.rules),
            *(one.text for one in data.constraints),
        ),
        derived=tuple(column.text for column in data.derived),
        is_seeded=size.is_seeded,
        person=None if data.people is None else data.people.record,
        time=models.plan.time,
        notes=(
            *_notes(data, size.n_file),
            *_pool_notes(data),
            *_real_number_notes(data),
            *data.told,
            *_separation_notes(separated),
        ),
        warnings=_warnings(data, size),
        coercions=data.table.notes,
    )


def _own_notes(said: Iterable[str]) -> tuple[str, ...]:
    """What is said of one column, each sentence once; separation is told of all together."""
    return tuple(dict.fromkeys(note for note in said if SEPARATED not in note))


def _pool_notes(data: SynthesisData) -> Iterator[str]:
    used = dict.fromkeys(name for step in data.plan.steps for name in step.predictors)
    return notes_of_pools((data.parts[name] for name in used), data.whose)


def _real_number_notes(data: SynthesisData) -> tuple[str, ...]:
    """A note on numbers that most people have to themselves, where they are drawn as they are."""
    if data.options.smoothing is not None:
        return ()
    smooth = data.options.smooth
    parts = [data.parts[name] for name in data.plan.order if name not in smooth]
    whose = np.arange(data.n_rows) if data.whose is None else data.whose
    counts = {
        part.column.name: count_alone(part, whose) for part in parts if part.column.kind == "number"
    }
    told = [
        f"{name} ({n_alone:,} of {n_plain:,})"
        for name, (n_alone, n_plain) in counts.items()
        if is_mostly_alone(n_alone, n_plain)
    ]
    if not told:
        return ()
    return (
        f"Most people have a number that no one else has in {list_names(told)}. The synthetic data"
        " repeat such numbers exactly. Smooth them (smooth; --smooth NAMES), or round the column"
        " first (recoding step round).",
    )


def is_mostly_alone(n_alone: int, n_plain: int) -> bool:
    """Whether at least half of the people with a value, and 20, have one that no one else has."""
    return n_alone >= max(_FEWEST_ALONE, n_plain / 2)


def count_alone(part: ColumnValues, whose: Ints) -> tuple[int, int]:
    """People with a plain value that no one else has, and people with a plain value."""
    is_plain = slice(None) if part.state is None else part.state == 0
    levels, codes = np.unique(part.values[is_plain], return_inverse=True)
    theirs = whose[is_plain]
    is_alone = count_people(codes, theirs, len(levels)) == 1
    return len(np.unique(theirs[is_alone[codes]])), len(np.unique(theirs))


def _separation_notes(columns: Sequence[str]) -> tuple[str, ...]:
    if not columns:
        return ()
    models = "the model" if len(columns) == 1 else f"the models of {len(columns):,} columns"
    of = f"of {columns[0]}" if len(columns) == 1 else f"({list_names(columns)})"
    return (f"In {models} {of} {SEPARATED}.",)


def _column(data: SynthesisData, part: ColumnValues, notes: tuple[str, ...]) -> SynthesisColumn:
    name = part.column.name
    step = next((s for s in data.plan.steps if name in s.columns), Step((name,), ""))
    return SynthesisColumn(
        name=name,
        kind=part.column.kind,
        role=_role(data, name),
        method=step.method or None,
        state_method=step.state_method,
        predictors=step.predictors,
        n_states=part.column.n_states,
        notes=notes,
    )


def _role(data: SynthesisData, name: str) -> Role:
    plan = data.plan
    if any(name == column.column for column in data.derived):
        return "derived"
    if name in plan.order:
        return "synthesised"
    roles: tuple[tuple[Role, Iterable[str]], ...] = (
        ("kept", plan.kept),
        ("renumbered", plan.renumbered),
        ("stratum", plan.strata),
        ("predictor only", plan.predictor_only),
    )
    return next((role for role, columns in roles if name in columns), "left out")


def _notes(data: SynthesisData, n_file: int | None) -> tuple[str, ...]:
    plan, dropped = data.plan, data.instructions.drop
    notes = list(plan.notes)
    if n_file is not None:
        notes.append(
            f"The models are fitted to {data.n_rows:,} rows drawn at random from the"
            f" {n_file:,} of {data.table.source}. Values that occur only in other rows are not"
            " in the synthetic data."
        )
    if dropped:
        notes.append(f"Dropped: {list_names(dropped)}.")
    if plan.renumbered:
        notes.append(
            f"Running numbers, which carry nothing of the original: {list_names(plan.renumbered)}."
        )
    if not {*plan.left_out} <= {*dropped}:
        notes.append("Columns that are not in the order are not in the synthetic data.")
    if data.options.protect_margins is not None:
        notes.append(
            f"Made from protected margins ({data.options.protect_margins}) alone, with the"
            " levels of the columns: whatever the synthetic data disclose, these margins do. Their"
            " bounds: unveil.bounds."
        )
    if plan.predictor_only:
        notes.append("Columns that only predict are not in the synthetic data.")
    if plan.kept:
        notes.append(
            "Kept columns are the original's, row for row: the synthetic data are partly"
            " synthetic, and each of its rows belongs to a person."
        )
    if plan.kept and plan.strata:
        notes.append(f"The strata ({list_names(plan.strata)}) are the original's too, row for row.")
    return tuple(notes)


def size_warnings(
    n_rows: int, n_copies: int, n_original: int, n_file: int | None = None
) -> tuple[str, ...]:
    """What to warn of where copies are larger than the original, or more than one."""
    found = [inflation_note(n_rows, n_original, n_file)] if n_rows > n_original else []
    if n_copies > 1:
        found.append(
            f"{n_copies} copies disclose more than one: a guess that uses all of them is correct"
            " more often (CAP by m). Measure them together before you release them: unveil cap,"
            " unveil disclosure."
        )
    return tuple(found)


def _single_level_warnings(data: SynthesisData) -> tuple[str, ...]:
    """What to warn of where one person alone has a level, which a synthetic file may hold too."""
    if data.n_rows < _FEW_ROWS:
        return ()
    counts = {}
    for name in (*data.plan.order, *data.plan.strata, *data.plan.kept):
        part = data.parts[name]
        if part.column.is_category and part.column.n_levels <= _MANY_LEVELS * data.n_rows:
            held = holders(part.values, data.whose, part.column.n_levels)
            counts[name] = int((held[: len(part.column.levels)] == 1).sum())
    told = [f"{name} ({n:,})" for name, n in counts.items() if n]
    if not told:
        return ()
    return (
        f"Levels held by one person only: {list_names(told)}. Where the synthetic data hold such a"
        " level, they disclose that it occurs in the original. Merge rare levels first"
        " (merge_rare).",
    )


def _warnings(data: SynthesisData, size: Size) -> tuple[str, ...]:
    found = [
        *size_warnings(size.n_rows, size.n_copies, data.n_rows, size.n_file),
        *_single_level_warnings(data),
        *data.instructions.statements,
    ]
    needed = 10 + 10 * len(data.plan.order)
    n_small = int((data.strata.sizes < needed).sum()) if data.plan.strata else 0
    if n_small:
        found.append(
            f"{n_small:,} of {len(data.strata.sizes):,} strata have fewer than {needed:,} rows, "
            "few for so many columns."
        )
    return tuple(found)


# More copies from models that are fitted: without the original, and recorded as they are.


def draw_again(
    kept: Synthesiser,
    *,
    copies: int = 1,
    rows: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Synthesiser:
    """The synthesiser with other copies; with its own seed where None, so copy 1 is its copy 1."""
    n_copies = parse_whole_number("copies", copies, most=MOST_COPIES)
    n_rows = parse_rows(kept.models.plan, rows, kept.models.n_original)
    own = kept.seed if seed is None else choose_seed(seed)
    n_workers, say = parse_workers(workers), check_progress(progress)
    made = draw_copies(kept.models, n_copies, n_rows, own, workers=n_workers, progress=say)
    size = Size(len(made[0]), n_copies, is_seeded=seed is not None)
    return replace(kept, record=resize_record(kept.record, size), copies=tuple(made), seed=own)


def resize_record(record: Synthesis, size: Size) -> Synthesis:
    """The record of the fit, with the size of what was drawn from it now."""
    fitted = record.n_original, record.n_file
    of_fit = size_warnings(record.n_rows, record.n_copies, *fitted)
    others = [warning for warning in record.warnings if warning not in of_fit]
    return changed(
        record,
        n_rows=size.n_rows,
        n_copies=size.n_copies,
        is_seeded=size.is_seeded,
        warnings=(*size_warnings(size.n_rows, size.n_copies, *fitted), *others),
    )
