"""Which column is synthesised when, by which method, and from which others?

Columns are modelled in turn, each on those before it: synthpop's visit sequence and predictor
matrix. Kept columns and columns that only predict stand before them all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from unveil.errors import RolesError, SettingsError, listed
from unveil.read.given import choice, shown
from unveil.read.roles import absent, names
from unveil.synthesis.column import Column
from unveil.synthesis.methods import FAMILIES, JOINT, SINGLE, parametric

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
class Plan:
    """What is done with every column."""

    steps: tuple[Step, ...]
    kept: tuple[str, ...] = ()
    predictor_only: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    renumbered: Mapping[str, Numbering] = field(default_factory=dict)

    @property
    def order(self) -> tuple[str, ...]:
        """The synthesised columns, in turn."""
        return tuple(name for step in self.steps for name in step.columns)

    @property
    def needs_original_rows(self) -> bool:
        """Whether some columns of a copy, or behind it, are the original's."""
        return bool(self.kept or self.predictor_only)

    @property
    def is_beside(self) -> bool:
        """Whether a copy stands beside the original, row for row."""
        return bool(self.kept)


def planned(
    columns: Mapping[str, Column],
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
) -> Plan:
    """The plan for the columns of an original; what the user names must be there."""
    kept = _known(keep, "Columns to keep", columns, place)
    layers = _known(strata, "Strata", columns, place)
    numbered = {name: _numbering(columns[name]) for name in renumber}
    aside = (*kept, *layers, *derived, *numbered)
    turns = _known(order, "Columns in the order", columns, place) if order is not None else ()
    _refuse_both(turns, kept, "kept", "synthesised in an order")
    _refuse_both(layers, kept, "kept", "a stratum")
    made = (*turns, *kept, *layers, *derived)
    _refuse_both(made, drop, "dropped", "part of the synthetic data")
    _refuse_both(made, numbered, "renumbered", "made in another way")
    if kept and numbered:
        raise RolesError(
            "Columns that are kept stand row for row beside the original, so running numbers would"
            f" tell which row is whose. Drop {listed(map(repr, numbered))}, or keep no column."
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
    return Plan(steps, kept, only, left_out, layers, notes, numbered)


def default_method(method: str | Mapping[str, str]) -> str:
    """The method of columns that have none of their own."""
    return method if isinstance(method, str) else "cart"


def _known(
    given: str | Iterable[str] | None, what: str, columns: Mapping[str, Any], place: str
) -> tuple[str, ...]:
    chosen = () if given is None else names(given, what)
    faults = [absent(place, name, tuple(columns)) for name in chosen if name not in columns]
    if faults:
        raise RolesError("\n".join(faults))
    return chosen


def _numbering(column: Column) -> Numbering:
    if column.dtype.is_numeric():
        return "number"
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    raise RolesError(
        f"Column {column.name!r} holds neither text nor numbers, and cannot be renumbered. Drop it."
    )


def _refuse_both(some: Iterable[str], others: Iterable[str], one: str, two: str) -> None:
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
    _known(list(given), "Predictors", columns, place)
    rows = {
        name: _known(row, f"Predictors of {name!r}", columns, place) for name, row in given.items()
    }
    for name, row in rows.items():
        if name in row:
            raise RolesError(f"Column {name!r} cannot predict itself. Leave it out of its row.")
        _refuse_both(row, aside, "derived from others", f"a predictor of {name!r}")
    return rows


def _methods(
    given: str | Mapping[str, str], columns: Mapping[str, Column], turns: Sequence[str], place: str
) -> dict[str, str]:
    """The method of each column; what fits its kind where a family is named."""
    if isinstance(given, str):
        choice("The method", given, FAMILIES)
    elif not isinstance(given, Mapping):
        raise SettingsError(f"The method is {shown(given)}. It must be a name, or one by column.")
    own = given if isinstance(given, Mapping) else {}
    _known(list(own), "Methods", columns, place)
    for name, method in own.items():
        choice(f"The method of {name!r}", method, (*FAMILIES, *SINGLE, *JOINT))
        if name not in turns:
            raise RolesError(f"Column {name!r} has a method but is not synthesised. Leave one out.")
    default = default_method(given)
    return {name: _resolved(own.get(name, default), columns[name]) for name in turns}


def _resolved(method: str, column: Column) -> str:
    if column.is_fixed:
        return CONSTANT
    if method == "parametric":
        return parametric("number" if not column.is_category else _kind(column), column.n_levels)
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


def _kind(column: Column) -> Any:
    return column.kind


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
    columns: Mapping[str, Column],
) -> tuple[Step, ...]:
    steps: list[Step] = []
    done = list(before)
    for method in JOINT:
        together = tuple(name for name in turns if methods[name] == method)
        if together:
            steps.append(Step(together, method))
            done.extend(together)
    for name in (name for name in turns if methods[name] not in JOINT):
        useful = [other for other in _asked(name, done, chosen) if not columns[other].is_fixed]
        steps.append(_step(columns[name], methods[name], tuple(useful)))
        done.append(name)
    return tuple(steps)


def _asked(name: str, done: Sequence[str], chosen: Mapping[str, tuple[str, ...]]) -> Sequence[str]:
    if name not in chosen:
        return done
    late = [other for other in chosen[name] if other not in done]
    if late:
        raise RolesError(
            f"Column {late[0]!r} is to predict {name!r}, but is not synthesised before it. "
            "Change the order, or leave it out."
        )
    return chosen[name]


def _step(column: Column, method: str, predictors: tuple[str, ...]) -> Step:
    if method != CONSTANT and not predictors:
        method = "sample"
    state_method = None
    if column.n_states > 1:
        is_parametric = method == "normrank"
        state_method = parametric("category", column.n_states) if is_parametric else method
    uses = () if method in ("sample", CONSTANT) else predictors
    return Step((column.name,), method, state_method, uses)
