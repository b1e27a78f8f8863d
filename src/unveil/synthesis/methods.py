"""What must a method of synthesis be able to do, and which are there?

A method models one target (the plain values of a number, the states of a number, or the codes of a
category) on the columns before it. Each has a function that fits it, a `FitMethod`, and a class of
its model, a `FittedModel`. A joint method models a set of categories at once, and has a `FitJoint`
and a `FittedJoint`. `_HOMES` says where they are: a new method is one more row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import (
    check_fields,
    parse_choice,
    parse_number_within,
    parse_whole_number,
    quote_value,
)
from unveil.errors import SettingsError
from unveil.measure.tables.schemes import parse_scheme
from unveil.models.array_record import Arrays
from unveil.models.design import Predictors, Values
from unveil.study.roles import names

if TYPE_CHECKING:
    from unveil.synthesis.impossible import Impossible


TargetKind = Literal["number", "category", "ordered"]


@dataclass(frozen=True)
class Target:
    """What one model explains, without rows that are excluded: as many as its predictors have."""

    name: str
    kind: TargetKind
    values: Values  # numbers (int64 or float64), or codes from 0 (int32)
    n_levels: int = 0  # of a category; every code is below it, but not every code need occur
    has_missing: bool = False  # of a category: whether its last code means missing


MOST_ROWS = 100_000_000
"""Rows of a synthetic file."""


def _margins(name: str, given: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise SettingsError(
            f"{name} is {quote_value(given)}. Write sets of columns, such as"
            ' [["sex", "region"], ["work"]].'
        )
    return tuple(names(margin, "Columns of a margin") for margin in given)


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "min_leaf": partial(parse_whole_number, most=MOST_ROWS),
    "min_split": partial(parse_whole_number, least=2, most=MOST_ROWS),
    "complexity": partial(parse_number_within, range_="[0, 1)"),
    "min_spread": partial(parse_number_within, range_="[0, 1)"),
    "smoothing": partial(parse_choice, choices=("density",)),
    "smooth": lambda _, given: names(given, "Columns to smooth"),
    "prior": partial(parse_number_within, range_="[0, inf)"),
    "noise": partial(parse_number_within, range_="(0, inf)"),
    "margins": _margins,
    "protect_margins": lambda _, given: given if given is None else parse_scheme(given).text,
}


@dataclass(frozen=True)
class Options:
    """How models are fitted, checked; each method reads what concerns it."""

    min_leaf: int = 10
    min_split: int | None = None  # None: three times min_leaf
    complexity: float = 1e-8
    min_spread: float | None = None
    smoothing: Literal["density"] | None = None
    smooth: tuple[str, ...] = ()  # numbers smoothed within the fifth smallest and largest value
    prior: float | None = None  # catall, ipf: counts spread evenly over the cells
    noise: float | None = None  # catall, ipf: epsilon of Laplace noise on the counts
    margins: tuple[tuple[str, ...], ...] | None = None  # ipf: sets of columns; None: all pairs
    protect_margins: str | None = None  # ipf: the scheme by which margins are published first

    def __post_init__(self) -> None:
        check_fields(self, _CHECKS)


class Fitted(Protocol):
    """A model, ready to be drawn from."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what had to be done to fit it; no value of the data."""
        ...

    def to_arrays(self) -> Arrays:
        """All that is needed to draw again."""
        ...

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The model that `to_arrays` wrote."""
        ...


class FittedModel(Fitted, Protocol):
    """A model of one target."""

    def sample(self, predictors: Predictors, rng: np.random.Generator) -> Values:
        """Numbers or codes, as the target's, one for every row of the synthetic predictors."""
        ...


class FittedJoint(Fitted, Protocol):
    """A model of several categories together."""

    def sample(self, n_rows: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], ...]:
        """Codes, one array for each column it was fitted to, in that order."""
        ...


class FitMethod(Protocol):
    """A function that fits a model of one target."""

    def __call__(
        self, target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
    ) -> FittedModel:
        """Fit; chance comes from `rng` alone."""
        ...


class FitJoint(Protocol):
    """A function that fits a model of several categories."""

    def __call__(
        self,
        targets: Sequence[Target],
        options: Options,
        rng: np.random.Generator,
        *,
        impossible: "Sequence[Impossible]" = (),
    ) -> FittedJoint:
        """Fit; chance comes from `rng` alone, and no draw lies in an impossible cell."""
        ...


SINGLE = ("cart", "sample", "normrank", "logistic", "multinomial", "ordered")
"""Methods that model one target."""

REGRESSIONS = SINGLE[2:]
"""Those of them that have coefficients."""

JOINT = ("catall", "ipf")
"""Methods that model several categories together, first in the order."""

FAMILIES = ("cart", "parametric", "sample")
"""What `method` may be for all columns; "parametric" chooses by the kind of each target."""


_HOMES = {
    "cart": ("cart", "fit_cart", "CartModel"),
    "sample": ("sample", "fit_sample", "SampleModel"),
    "normrank": ("normrank", "fit_normrank", "NormrankModel"),
    "logistic": ("regression", "fit_logistic", "LogisticModel"),
    "multinomial": ("regression", "fit_multinomial", "MultinomialModel"),
    "ordered": ("regression", "fit_ordered", "OrderedModel"),
    "catall": ("catall", "fit_catall", "CatallModel"),
    "ipf": ("ipf", "fit_ipf", "IpfModel"),
}
"""The module of each method, the function that fits it, and the class of its model."""


def fitter(method: str) -> FitMethod:
    """The function that fits a method of `SINGLE`."""
    fit: FitMethod = _attribute(method, 1)
    return fit


def joint_fitter(method: str) -> FitJoint:
    """The function that fits a method of `JOINT`."""
    fit: FitJoint = _attribute(method, 1)
    return fit


def restore_model(method: str, arrays: Mapping[str, Any]) -> Any:
    """The model of a method, as a model file holds it."""
    return _attribute(method, 2).from_arrays(arrays)


def method_of(model: Fitted) -> str:
    """The method that a model is of, as a model file calls it."""
    name = type(model).__name__
    return next(method for method, (_, _, model_class) in _HOMES.items() if model_class == name)


def _attribute(method: str, place: Literal[1, 2]) -> Any:
    module = import_module(f"unveil.synthesis.{_HOMES[method][0]}")
    return getattr(module, _HOMES[method][place])


def parametric(kind: str, n_levels: int) -> str:
    """The parametric method for a target: as synthpop's `parametric` chooses."""
    if kind == "number":
        return "normrank"
    if n_levels <= 2:
        return "logistic"
    return "ordered" if kind == "ordered" else "multinomial"
