"""Jaccard's distance between rows of nothing but yes and no.

1 - (both yes) / (at least one yes): shared noes say nothing. Two rows without any yes are no
distance apart. Missing values are counted by hand rather than tried: the distance is shortest where
each missing value agrees with a yes and two missing ones are both yes, longest where each differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.packing import Whole
from unveil.errors import SettingsError, listed
from unveil.protection.distance.coding import Column
from unveil.protection.distance.settings import Floats


@dataclass(frozen=True, eq=False)
class Side:
    """Which values are yes, no and missing, as 1 and 0."""

    yes: Floats
    no: Floats
    missing: Floats

    @classmethod
    def of(cls, values: Floats) -> "Side":
        """One side, from its values."""
        parts = (values == 1, values == 0, np.isnan(values))
        return cls(*(part.astype(float) for part in parts))

    def at(self, rows: Whole) -> "Side":
        """Some of its rows."""
        return Side(self.yes[rows], self.no[rows], self.missing[rows])


class Jaccard:
    """All pairs by Jaccard's distance."""

    def __init__(self, columns: Sequence[Column]) -> None:
        _refuse_others(columns)
        self._original = Side.of(np.column_stack([column.original for column in columns]))
        self._synthetic = Side.of(np.column_stack([column.synthetic for column in columns]))
        self.n_original, self.n_synthetic = len(self._original.yes), len(self._synthetic.yes)

    def against(self, columns: Sequence[Column]) -> "Jaccard":
        """The same originals beside another copy."""
        return Jaccard(columns)

    def longest(self, rows: Whole) -> Floats:
        """Each of these originals and every original: whatever may differ does."""
        mine, theirs = self._original.at(rows), self._original
        agree = mine.yes @ theirs.yes.T
        differ = mine.yes.shape[1] - agree - mine.no @ theirs.no.T
        return _distance(differ, agree)

    def shortest(self, rows: Whole) -> Floats:
        """Each of these synthetic rows and every original: whatever may agree on yes does."""
        mine, theirs = self._synthetic.at(rows), self._original
        differ = mine.yes @ theirs.no.T + mine.no @ theirs.yes.T
        agree = (mine.yes + mine.missing) @ (theirs.yes + theirs.missing).T
        return _distance(differ, agree)


def _distance(differ: Floats, agree: Floats) -> Floats:
    seen = differ + agree
    return np.divide(differ, seen, out=np.zeros_like(differ), where=seen > 0)


def _refuse_others(columns: Sequence[Column]) -> None:
    others = [
        column.name for column in columns if column.kind != "number" or not _is_binary(column.both)
    ]
    if others:
        raise SettingsError(
            f"The metric jaccard is for columns of yes and no, but {listed(others)}"
            f" {'holds' if len(others) == 1 else 'hold'} other values. Code them as 1 and 0 (or"
            " true and false), leave them out, or use the metric gower."
        )


def _is_binary(values: Floats) -> bool:
    answers = values[~np.isnan(values)]
    return bool(np.isin(answers, (0, 1)).all())
