"""Columns that only predict, and methods beside a default, spelt out for every column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.errors import RolesError
from unveil.read.roles import absent


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
        for name in self.only:
            if name not in self.columns:
                raise RolesError(absent(self.place, name, tuple(self.columns)))
            if name in (*self.keep, *self.strata, *self.others, *(given or ())):
                raise RolesError(
                    f"Column {name!r} cannot only predict and be in the copy. Name it in one place."
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
