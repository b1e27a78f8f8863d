"""How many predicates, of how many columns, are to be tried? Or a refusal."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from unveil.errors import RolesError, SettingsError
from unveil.measure.attacks.samples import level_of, whole_number
from unveil.read.given import choice, shown

Mode = Literal["univariate", "multivariate", "both"]

ATTEMPTS = 1_000_000
"""Predicates that are tried where nothing else is asked for."""


@dataclass(frozen=True)
class SinglingAsked:
    """The settings of `unveil.singling_out`, all of them sound."""

    mode: Mode
    n_cols: int
    n: int
    attempts: int
    exhaustive: bool
    level: float


def singling_asked(
    *, mode: Any, n_cols: Any, n: Any, attempts: Any, exhaustive: Any, level: Any
) -> SinglingAsked:
    """The settings, or a sentence on what is wrong with them."""
    if not isinstance(exhaustive, bool):
        raise SettingsError(f"exhaustive is {shown(exhaustive)}. It must be True or False.")
    return SinglingAsked(
        choice("mode", mode, get_args(Mode)),
        whole_number("n_cols", n_cols),
        whole_number("n", n),
        ATTEMPTS if attempts is None else whole_number("attempts", attempts),
        exhaustive,
        level_of(level),
    )


def refuse_too_many_columns(asked: SinglingAsked, n_columns: int) -> None:
    """Refuse predicates of more columns than there are."""
    if asked.mode != "univariate" and asked.n_cols > n_columns:
        has = "1 column is" if n_columns == 1 else f"{n_columns:,} columns are"
        raise RolesError(
            f"Predicates of {asked.n_cols:,} columns are asked for, but {has} compared. Lower"
            " n_cols, or compare more columns."
        )
