"""Which column is synthesised when, by which method, and from which others?

Columns are modelled in turn, each on those before it: synthpop's visit sequence and predictor
matrix. Kept columns and columns that only predict stand before them all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arguments import check_columns, parse_choice, quote_value
from unveil.arrays import Ints
from unveil.errors import RolesError, SettingsError, list_names
from unveil.models.design import ColumnValues, ModelColumn
from unveil.seeding import sample_rows
from unveil.study.roles import names
from unveil.synthesis.methods import FAMILIES, JOINT, REGRESSIONS, SINGLE, parametric

# Which columns tell most about one another? An order in which each follows those it depends on.


_MOST_ROWS = 20_000
_GROUPS = 12


def order_by_dependency(
    parts: Mapping[str, ColumnValues], names: Sequence[str], seed: int
) -> tuple[str, ...]:
    """The columns, from the one that tells most of all others, each next by what is told of it.

    Notes
    -----
    Dependency is mutual information over the smaller of the two entropies, less what chance alone
    would give (Miller 1955: (r - 1)(c - 1) / 2n), between groups of at most 12 levels or ranks, on
    at most 20,000 rows. The first column has the largest sum; the next is the one with the largest
    dependency on any column already placed. Ties follow the order of the original.
    """
    if len(names) < 3:
        return tuple(names)
    rows = sample_rows(np.arange(len(parts[names[0]])), _MOST_ROWS, seed, "order")
    table = _dependencies([_group_values(parts[name], rows) for name in names])
    placed = [int(table.sum(axis=1).argmax())]
    while len(placed) < len(names):
        strongest = table[:, placed].max(axis=1)
        strongest[placed] = -1
        placed.append(int(strongest.argmax()))
    return tuple(names[place] for place in placed)


def _group_values(part: ColumnValues, rows: Ints) -> Ints:
    """Few groups of a column: its frequent levels, or stretches of its ranks, and its states."""
    if part.column.is_fixed:
        return np.zeros(len(rows), dtype=np.int64)
    if part.column.is_category:
        codes = part.values[rows]
        rank = np.argsort(np.argsort(-np.bincount(codes, minlength=part.column.n_levels)))
        return np.minimum(rank[codes], _GROUPS - 1)
    ranks = part.ranks[rows]
    plain = ranks >= 0
    if not plain.any():
        return -ranks.astype(np.int64)
    cuts = np.unique(np.quantile(ranks[plain], np.arange(1, _GROUPS) / _GROUPS))
    return np.where(plain, np.searchsorted(cuts, ranks), _GROUPS - ranks).astype(np.int64)


def _dependencies(groups: Sequence[Ints]) -> NDArray[np.float64]:
    table = np.zeros((len(groups), len(groups)))
    for a, one in enumerate(groups):
        for b in range(a):
            table[a, b] = table[b, a] = _dependency(one, groups[b])
    return table


def _dependency(one: Ints, other: Ints) -> float:
    width = int(other.max()) + 1
    joint = np.bincount(one * width + other, minlength=(int(one.max()) + 1) * width)
    counts = joint.reshape(-1, width)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    smaller = min(_entropy(rows), _entropy(columns))
    if smaller == 0:
        return 0.0
    shared = _entropy(rows) + _entropy(columns) - _entropy(counts.ravel())
    by_chance = (len(rows) - 1) * (len(columns) - 1) / (2 * len(one))
    return max(0.0, shared - by_chance) / smaller


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


# Columns that only predict, and methods beside a default, spelt out for every column.


@dataclass(frozen=True)
class Layout:
    """The columns of an original and which of them are not synthesised."""

    columns: Sequence[str]
    place: str
    keep: Sequence[str] = ()
    strata: Sequence[str] = ()
    others: Sequence[str] = ()  # derived, dropped, renumbered
    only: Sequence[str] = ()

    def order(self, given: Sequence[str] | None) -> list[str]:
        """The columns that are synthesised, in turn: those given, or all that remain."""
        check_columns(self.place, self.only, tuple(self.columns))
        for name in self.only:
            if name in (*self.keep, *self.strata, *self.others, *(given or ())):
                raise RolesError(
                    f"Column {name!r} cannot only predict and be in the synthetic data. Name it"
                    " in one place."
                )
        aside = {*self.keep, *self.strata, *self.others, *self.only}
        return [name for name in (self.columns if given is None else given) if name not in aside]

    def predictors(
        self, order: Sequence[str], given: Mapping[str, Sequence[str]]
    ) -> dict[str, Sequence[str]]:
        """What predicts each column: as given, or those that only predict and all before it."""
        first = [*self.keep, *self.only]
        return {name: given.get(name, [*first, *order[:n]]) for n, name in enumerate(order)}


def methods_of(default: str, own: Mapping[str, str], order: Sequence[str]) -> Any:
    """A method for every column: its own, or the default."""
    return {**dict.fromkeys(order, default), **own}


CONSTANT = "constant"
"""The method of a column with one value, or none: it is repeated."""

Numbering = Literal["number", "text"]
"""How running numbers are written: 1, or FAKE_1 where the original has text."""

_FIT_FOR: dict[str, tuple[str, ...]] = {
    "normrank": ("number",),
    "logistic": ("category", "ordered"),
    "multinomial": ("category", "ordered"),
    "ordered": ("category", "ordered"),
    "catall": ("category", "ordered"),
    "ipf": ("category", "ordered"),
}


@dataclass(frozen=True)
class Step:
    """One column, or the columns of a joint method, and how it is made."""

    columns: tuple[str, ...]
    method: str
    state_method: str | None = None
    predictors: tuple[str, ...] = ()

    @property
    def is_joint(self) -> bool:
        """Whether its columns are modelled together."""
        return self.method in JOINT


@dataclass(frozen=True)
class SynthesisPlan:
    """What is done with every column."""

    steps: tuple[Step, ...]
    kept: tuple[str, ...] = ()
    predictor_only: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    renumbered: Mapping[str, Numbering] = field(default_factory=dict)
    time: str | None = None  # people are made with their rows in this order

    @property
    def order(self) -> tuple[str, ...]:
        """The synthesised columns, in turn."""
        return tuple(name for step in self.steps for name in step.columns)

    @property
    def needs_original_rows(self) -> bool:
        """Whether some columns of a synthetic file, or behind it, are the original's."""
        return bool(self.kept or self.predictor_only)

    @property
    def is_beside(self) -> bool:
        """Whether a synthetic file stands beside the original, row for row."""
        return bool(self.kept)


def make_plan(
    columns: Mapping[str, ModelColumn],
    *,
    place: str,
    method: str | Mapping[str, str] = "cart",
    order: Sequence[str] | None = None,
    predictors: Mapping[str, Sequence[str]] | None = None,
    keep: str | Iterable[str] | None = None,
    strata: str | Iterable[str] | None = None,
    derived: Iterable[str] = (),
    drop: Iterable[str] = (),
    renumber: Iterable[str] = (),
) -> SynthesisPlan:
    """The plan for the columns of an original; what the user names must be there."""
    kept = _check_names(keep, "Columns to keep", columns, place)
    layers = _check_names(strata, "Strata", columns, place)
    numbered = {name: _number_column(columns[name]) for name in renumber}
    aside = (*kept, *layers, *derived, *numbered)
    turns = _check_names(order, "Columns in the order", columns, place) if order is not None else ()
    _check_both(turns, kept, "kept", "synthesised in an order")
    _check_both(layers, kept, "kept", "a stratum")
    made = (*turns, *kept, *layers, *derived)
    _check_both(made, drop, "dropped", "part of the synthetic data")
    _check_both(made, numbered, "renumbered", "made in another way")
    if kept and numbered:
        raise RolesError(
            "Columns that are kept match the original row for row, so running numbers would show"
            f" which row is whose. Drop {list_names(map(repr, numbered))}, or keep no column."
        )
    out = (*aside, *drop)
    turns = tuple(name for name in (turns if order is not None else columns) if name not in out)
    chosen = _matrix(predictors, columns, place, aside=tuple(derived))
    rest = tuple(name for name in columns if name not in turns and name not in aside)
    only = tuple(name for name in rest if any(name in row for row in chosen.values()))
    methods = _methods(method, columns, turns, place)
    turns, notes = _joint_first(turns, methods)
    steps = _steps(turns, (*kept, *only), methods, chosen, columns)
    left_out = tuple(name for name in rest if name not in only)
    return SynthesisPlan(steps, kept, only, left_out, layers, notes, numbered)


def default_method(method: str | Mapping[str, str]) -> str:
    """The method of columns that have none of their own."""
    return method if isinstance(method, str) else "cart"


def _check_names(
    given: str | Iterable[str] | None, what: str, columns: Mapping[str, Any], place: str
) -> tuple[str, ...]:
    chosen = () if given is None else names(given, what)
    check_columns(place, chosen, tuple(columns))
    return chosen


def _number_column(column: ModelColumn) -> Numbering:
    if column.dtype.is_numeric():
        return "number"
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    raise RolesError(
        f"Column {column.name!r} holds neither text nor numbers, and cannot be renumbered. Drop it."
    )


def _check_both(some: Iterable[str], others: Iterable[str], one: str, two: str) -> None:
    both = [name for name in some if name in set(others)]
    if both:
        raise RolesError(f"Column {both[0]!r} cannot be {one} and {two}. Name it in one place.")


def _matrix(
    given: Mapping[str, Sequence[str]] | None,
    columns: Mapping[str, Any],
    place: str,
    aside: tuple[str, ...],
) -> dict[str, tuple[str, ...]]:
    """The predictors of each column that the user named them for."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"Predictors are given as {type(given).__name__}. Write them by column, such as "
            '{"income": ["age", "sex"]}.'
        )
    _check_names(list(given), "Predictors", columns, place)
    rows = {
        name: _check_names(row, f"Predictors of {name!r}", columns, place)
        for name, row in given.items()
    }
    for name, row in rows.items():
        if name in row:
            raise RolesError(f"Column {name!r} cannot predict itself. Remove it from its row.")
        _check_both(row, aside, "derived from others", f"a predictor of {name!r}")
    return rows


def _methods(
    given: str | Mapping[str, str],
    columns: Mapping[str, ModelColumn],
    turns: Sequence[str],
    place: str,
) -> dict[str, str]:
    """The method of each column; what fits its kind where a family is named."""
    if isinstance(given, str):
        parse_choice("The method", given, FAMILIES)
    elif not isinstance(given, Mapping):
        raise SettingsError(
            f"The method is {quote_value(given)}. It must be a name, or one by column."
        )
    own = given if isinstance(given, Mapping) else {}
    _check_names(list(own), "Methods", columns, place)
    for name, method in own.items():
        parse_choice(f"The method of {name!r}", method, (*FAMILIES, *SINGLE, *JOINT))
        if name not in turns:
            raise RolesError(f"Column {name!r} has a method but is not synthesised. Omit one.")
    default = default_method(given)
    return {name: _resolve_method(own.get(name, default), columns[name]) for name in turns}


def _resolve_method(method: str, column: ModelColumn) -> str:
    if column.is_fixed:
        return CONSTANT
    if method == "parametric":
        return parametric(column.kind, column.n_levels)
    if column.kind not in _FIT_FOR.get(method, (column.kind,)):
        kind = "a number" if column.kind == "number" else "a category"
        raise SettingsError(
            f"The method of {column.name!r} is {method!r}, but the column is {kind}. "
            "Choose another, such as 'cart' or 'parametric'."
        )
    if method == "logistic" and column.n_levels > 2:
        raise SettingsError(
            f"The method of {column.name!r} is 'logistic', but the column has "
            f"{column.n_levels} levels (missing counts as one). Choose 'multinomial' or 'cart'."
        )
    return method


def _joint_first(
    turns: tuple[str, ...], methods: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns of joint methods before all others, method by method."""
    joint = [name for method in JOINT for name in turns if methods[name] == method]
    ordered = (*joint, *(name for name in turns if name not in joint))
    if ordered == turns:
        return turns, ()
    return ordered, ("Columns of joint methods are synthesised first.",)


def _steps(
    turns: Sequence[str],
    before: Sequence[str],
    methods: Mapping[str, str],
    chosen: Mapping[str, tuple[str, ...]],
    columns: Mapping[str, ModelColumn],
) -> tuple[Step, ...]:
    steps: list[Step] = []
    done = list(before)
    for method in JOINT:
        together = tuple(name for name in turns if methods[name] == method)
        if together:
            steps.append(Step(together, method))
            done.extend(together)
    for name in (name for name in turns if methods[name] not in JOINT):
        useful = [
            other for other in _parse_predictors(name, done, chosen) if not columns[other].is_fixed
        ]
        steps.append(_step(columns[name], methods[name], tuple(useful)))
        done.append(name)
    return tuple(steps)


def _parse_predictors(
    name: str, done: Sequence[str], chosen: Mapping[str, tuple[str, ...]]
) -> Sequence[str]:
    if name not in chosen:
        return done
    late = [other for other in chosen[name] if other not in done]
    if late:
        raise RolesError(
            f"Column {late[0]!r} is to predict {name!r}, but is not synthesised before it. "
            "Change the order, or omit it."
        )
    return chosen[name]


def _step(column: ModelColumn, method: str, predictors: tuple[str, ...]) -> Step:
    if method != CONSTANT and not predictors:
        method = "sample"
    state_method = None
    if column.n_states > 1:
        is_parametric = method == "normrank"
        state_method = parametric("category", column.n_states) if is_parametric else method
    uses = () if method in ("sample", CONSTANT) else predictors
    return Step((column.name,), method, state_method, uses)


# Which regressions would take hours, or all the memory there is, and what is done instead?


MOST_DUMMIES, MOST_CLASSES, MOST_COEFFICIENTS = 1_000, 1_000, 100_000
"""Columns of a regression, its classes, and the product of both."""


def within_bounds(plan: SynthesisPlan, columns: Mapping[str, ModelColumn]) -> SynthesisPlan:
    """The plan with trees in the place of regressions that are too large, and a note of them."""
    steps = tuple(_bound_step(step, columns) for step in plan.steps)
    names = [new.columns[0] for old, new in zip(plan.steps, steps, strict=True) if old != new]
    if not names:
        return plan
    note = (
        "Too many levels for a regression, so trees were grown in its place: "
        f"{list_names(names)}. A"
        f" regression has at most {MOST_DUMMIES:,} columns, {MOST_CLASSES:,} classes and"
        f" {MOST_COEFFICIENTS:,} coefficients."
    )
    return replace(plan, steps=steps, notes=(*plan.notes, note))


def _bound_step(step: Step, columns: Mapping[str, ModelColumn]) -> Step:
    column = columns[step.columns[0]]
    width = sum(columns[name].n_dummies for name in step.predictors)
    if _is_too_large(step.method, width, max(column.n_levels, 1)):
        return replace(step, method="cart", state_method=step.state_method and "cart")
    if step.state_method and _is_too_large(step.state_method, width, column.n_states):
        return replace(step, state_method="cart")
    return step


def _is_too_large(method: str, width: int, n_classes: int) -> bool:
    is_over = width > MOST_DUMMIES or n_classes > MOST_CLASSES
    return method in REGRESSIONS and (is_over or width * n_classes > MOST_COEFFICIENTS)
