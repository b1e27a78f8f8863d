"""What is written down about a synthesis: how it was done, and what its reader should know."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.errors import listed
from unveil.records.synthesis import Role, Synthesis, SynthesisColumn
from unveil.synthesis.class_model import SEPARATED
from unveil.synthesis.column import Part
from unveil.synthesis.opening import Opening
from unveil.synthesis.plan import Plan, Step
from unveil.synthesis.synthesiser import Models, inflated

_IDENTIFYING = 0.9
_FEW_ROWS = 20


@dataclass(frozen=True)
class Size:
    """How much was asked for, and whether with a seed."""

    n_rows: int
    n_copies: int
    is_seeded: bool


def recorded(opening: Opening, models: Models, size: Size, method: str) -> Synthesis:
    """The record of a synthesis."""
    plan, options = opening.plan, opening.options
    said: dict[str, list[str]] = {}
    for fitted in (step for stratum in models.drawing.strata for step in stratum):
        for name in fitted.step.columns:
            said.setdefault(name, []).extend(fitted.notes)
    separated = [name for name in plan.order if any(SEPARATED in note for note in said[name])]
    return Synthesis(
        files=(opening.table.source,),
        n_original=opening.n_rows,
        n_rows=size.n_rows,
        n_copies=size.n_copies,
        method=method,
        order=plan.order,
        columns=tuple(
            _column(opening, part, _own_notes(said.get(name, ())))
            for name, part in opening.parts.items()
        ),
        strata=plan.strata,
        n_strata=len(opening.strata.sizes),
        min_leaf=options.min_leaf,
        min_split=options.min_split or 3 * options.min_leaf,
        complexity=options.complexity,
        min_spread=options.min_spread,
        smoothing=options.smoothing,
        prior=options.prior,
        noise=options.noise,
        margins=options.margins,
        rules=tuple(rule.text for rule in opening.rules),
        derived=tuple(column.text for column in opening.derived),
        is_seeded=size.is_seeded,
        notes=(*_notes(plan), *opening.told, *_of_separated(separated)),
        warnings=_warnings(opening, size),
        coercions=opening.table.notes,
    )


def _own_notes(said: Iterable[str]) -> tuple[str, ...]:
    """What is said of one column, each sentence once; separation is told of all together."""
    return tuple(dict.fromkeys(note for note in said if SEPARATED not in note))


def _of_separated(columns: Sequence[str]) -> tuple[str, ...]:
    if not columns:
        return ()
    models = "the model" if len(columns) == 1 else f"the models of {len(columns):,} columns"
    of = f"of {columns[0]}" if len(columns) == 1 else f"({listed(columns)})"
    return (f"In {models} {of} {SEPARATED}.",)


def _column(opening: Opening, part: Part, notes: tuple[str, ...]) -> SynthesisColumn:
    name = part.column.name
    step = next((s for s in opening.plan.steps if name in s.columns), Step((name,), ""))
    return SynthesisColumn(
        name=name,
        kind=part.column.kind,
        role=_role(opening, name),
        method=step.method or None,
        state_method=step.state_method,
        predictors=step.predictors,
        n_states=part.column.n_states,
        notes=notes,
    )


def _role(opening: Opening, name: str) -> Role:
    plan = opening.plan
    if any(name == column.column for column in opening.derived):
        return "derived"
    if name in plan.order:
        return "synthesised"
    roles: tuple[tuple[Role, tuple[str, ...]], ...] = (
        ("kept", plan.kept),
        ("stratum", plan.strata),
        ("predictor only", plan.predictor_only),
    )
    return next((role for role, columns in roles if name in columns), "left out")


def _notes(plan: Plan) -> tuple[str, ...]:
    notes = list(plan.notes)
    if plan.left_out:
        notes.append("Columns that are not in the order are not in the copy.")
    if plan.predictor_only:
        notes.append("Columns that only predict are not in the copy.")
    if plan.kept:
        notes.append(
            "Kept columns are the original's, row for row: the copy is partly synthetic, and each "
            "of its rows belongs to a person."
        )
    if plan.kept and plan.strata:
        notes.append(
            f"The strata ({listed(plan.strata)}) of such a copy are the original's too, row for"
            " row."
        )
    return tuple(notes)


def of_size(n_rows: int, n_copies: int, n_original: int) -> tuple[str, ...]:
    """What to warn of where copies are larger than the original, or more than one."""
    found = [inflated(n_rows, n_original)] if n_rows > n_original else []
    if n_copies > 1:
        found.append(
            f"{n_copies} copies give away more than one: a guess that uses all of them is right"
            " more often (CAP by m). Measure them together before you release them: unveil cap,"
            " unveil disclosure."
        )
    return tuple(found)


def _n_whole(part: Part) -> int:
    """Distinct plain values of a column of whole numbers, whatever their type; else 0."""
    dtype = part.column.dtype
    if part.column.kind != "number" or not (dtype.is_integer() or dtype.is_float()):
        return 0
    plain = part.values if part.state is None else part.values[part.state == 0]
    return len(np.unique(plain)) if bool((plain == np.rint(plain)).all()) else 0


def _of_single_levels(opening: Opening) -> tuple[str, ...]:
    """What to warn of where one person alone has a level, which a copy may hold too."""
    if opening.n_rows < _FEW_ROWS:
        return ()
    counts = {}
    for name in (*opening.plan.order, *opening.plan.strata, *opening.plan.kept):
        part = opening.parts[name]
        if part.column.is_category and part.column.n_levels <= _IDENTIFYING * opening.n_rows:
            n_levels = len(part.column.levels)
            counts[name] = int((np.bincount(part.values, minlength=n_levels)[:n_levels] == 1).sum())
    told = [f"{name} ({n:,})" for name, n in counts.items() if n]
    if not told:
        return ()
    return (
        f"Levels that one person alone has: {listed(told)}. Where the synthetic data hold such a"
        " level, they disclose that it occurs in the original. Merge rare levels first"
        " (merge_rare).",
    )


def _warnings(opening: Opening, size: Size) -> tuple[str, ...]:
    found = [
        *of_size(size.n_rows, size.n_copies, opening.n_rows),
        *_of_single_levels(opening),
    ]
    for name in opening.plan.order if opening.n_rows >= _FEW_ROWS else ():
        part = opening.parts[name]
        if part.column.n_levels > _IDENTIFYING * opening.n_rows:
            found.append(
                f"Column {name!r} has a value of its own in nearly every row, as names and numbers "
                "of persons have. The copy repeats such values: leave the column out."
            )
        elif _n_whole(part) > _IDENTIFYING * opening.n_rows:
            found.append(
                f"Column {name!r} has a whole number of its own in nearly every row. If they are"
                " numbers of persons, the copy repeats them: leave the column out."
            )
    needed = 10 + 10 * len(opening.plan.order)
    n_small = int((opening.strata.sizes < needed).sum()) if opening.plan.strata else 0
    if n_small:
        found.append(
            f"{n_small:,} of {len(opening.strata.sizes):,} strata have fewer than {needed:,} rows, "
            "few for so many columns."
        )
    return tuple(found)
