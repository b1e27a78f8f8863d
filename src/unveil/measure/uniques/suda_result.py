"""What `unveil.suda` hands back: the record, and beside it what each record of the data has."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl

from unveil.arguments import parse_number_within
from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn, level_labels
from unveil.measure.uniques.minimal_uniques import MinimalUnique
from unveil.measure.uniques.suda_scores import SudaScores, special
from unveil.records.uniques import Suda
from unveil.view.show import Result

# Who is alone, and with what? The records behind the figures, for the custodian alone.


def records_at_risk(
    columns: Sequence[CodedColumn], rows: Ints, figures: pl.DataFrame, msus: pl.DataFrame
) -> pl.DataFrame:
    """One row per statistical unique: its keys as text, its figures, and the first of its MSUs."""
    names = [column.name for column in columns]
    own = figures[rows].with_columns(alone_with=_first_sets(rows, msus))
    free = {name: free_name(name, names) for name in own.columns}
    keys = [
        # Named last: polars takes some names for patterns of names.
        pl.Series(level_labels(column), dtype=pl.String)
        .gather(column.codes[rows])
        .alias(column.name)
        for column in columns
    ]
    made = [
        own["row"].alias(free["row"]),
        *keys,
        *(own[name].alias(free[name]) for name in own.columns if name != "row"),
    ]
    return pl.DataFrame(made)[np.argsort(-own["suda"].to_numpy(), kind="stable")]


def _first_sets(rows: Ints, msus: pl.DataFrame) -> pl.Series:
    """For each row the keys of its smallest set, in one text; null where it has none."""
    first = msus.unique("row", keep="first", maintain_order=True)
    texts = first.select("row", first["keys"].list.join(", ").alias("keys"))
    asked = pl.DataFrame({"row": pl.Series(rows, dtype=pl.Int64)})
    return asked.join(texts, on="row", how="left", maintain_order="left")["keys"]


def free_name(name: str, taken: Container[str]) -> str:
    """A name of ours that gives way, by a `_`, to those that are taken."""
    return free_name(f"{name}_", taken) if name in taken else name


Figures = TypeVar("Figures", Floats, Ints)


@dataclass(frozen=True, repr=False)
class SudaResult(Result):
    """Special uniques; printing it never shows a record of the data."""

    record: Suda
    _columns: tuple[CodedColumn, ...] = field(repr=False, compare=False)
    _rows: Ints = field(repr=False, compare=False)  # of the statistical uniques
    _scores: SudaScores = field(repr=False, compare=False)
    _dis: Floats | None = field(repr=False, compare=False)
    _search: Callable[[], Iterable[MinimalUnique]] = field(repr=False, compare=False)

    @cached_property
    def suda(self) -> Floats:
        """The SUDA score of every record of the data, in their order; confidential."""
        return self._on_all(self._scores.score)

    @cached_property
    def dis(self) -> Floats | None:
        """The DIS score of every record of the data, in their order; confidential.

        None where there are more than 27 keys.
        """
        return None if self._dis is None else self._on_all(self._dis)

    def special(self, quantile: float = 0.9) -> Mask:
        """Which records of the data are special uniques: confidential.

        Parameters
        ----------
        quantile
            0.9 is the top decile of the scores above 0; those that tie with it are included.
        """
        return special(self.suda, parse_quantile(quantile))

    def msus(self) -> pl.DataFrame:
        """Every minimal sample unique: the row (from 0), its size and its keys; confidential.

        They are searched for once more, for they can be many times the records of the data.
        """
        found = list(self._search())
        names = [[self.record.keys[key] for key in msu.keys] for msu in found]
        of = np.repeat(np.arange(len(found)), [len(msu.places) for msu in found])
        places = np.concatenate([np.zeros(0, np.int64), *(msu.places for msu in found)])
        rank = np.argsort(np.lexsort(_ranks(found)))
        made = pl.DataFrame(
            {
                "row": pl.Series(self._rows[places], dtype=pl.Int64),
                "size": pl.Series([msu.size for msu in found], dtype=pl.Int64).gather(of),
                "keys": pl.Series(names, dtype=pl.List(pl.String)).gather(of),
                "rank": pl.Series(rank[of], dtype=pl.Int64),
            }
        )
        return made.sort("row", "rank").drop("rank")

    def record_contributions(self) -> pl.DataFrame:
        """For each record with a score, the share of it that each key takes part in; confidential.

        The first column is the row (from 0), called `row_` beside a key of that name; the others
        have the names of the keys.
        """
        has_score = self._scores.score > 0
        shares = self._scores.contributions()[:, has_score]
        keys = self.record.keys
        row = free_name("row", keys)
        columns = [pl.Series(name, share) for name, share in zip(keys, shares, strict=True)]
        return pl.DataFrame([pl.Series(row, self._rows[has_score], dtype=pl.Int64), *columns])

    def value_contributions(self) -> pl.DataFrame:
        """For each value of each key, its percentage of what the key takes part in; confidential.

        The percentages of one key add up to 100. Values that no one with a score has are excluded.
        """
        frames = [
            self._values_of(column, of_key)
            for column, of_key in zip(self._columns, self._scores.of_key, strict=True)
        ]
        return pl.concat(frames, how="vertical")

    def _values_of(self, column: CodedColumn, of_key: Floats) -> pl.DataFrame:
        """The values of one key, the largest part first."""
        codes = column.codes[self._rows]
        parts = np.bincount(codes, weights=of_key, minlength=column.n_levels)
        counts = np.bincount(codes[of_key > 0], minlength=column.n_levels)
        order = np.argsort(-parts, kind="stable")[: np.count_nonzero(parts)].tolist()
        levels = pl.Series(level_labels(column), dtype=pl.String)
        return pl.DataFrame(
            {
                "key": pl.Series([column.name], dtype=pl.String).new_from_index(0, len(order)),
                "value": levels.gather(order),
                "n_records": pl.Series(counts[order], dtype=pl.Int64),
                "percent": pl.Series(100 * parts[order] / (parts.sum() or 1.0), dtype=pl.Float64),
            }
        )

    def records_at_risk(self) -> pl.DataFrame:
        """Everyone who is alone with their keys, the highest score first: confidential.

        Returns
        -------
        polars.DataFrame
            Their row in the data (from 0), their keys as text, suda, dis, n_msu, special, and
            `alone_with`, the keys of the smallest set with which they are alone (the first of
            several). A column of ours gives way, by a `_`, to a key of the same name.
        """
        return records_at_risk(self._columns, self._rows, self.frame(), self.msus())

    def frame(self) -> pl.DataFrame:
        """One row per record of the data, in their order: confidential."""
        return pl.DataFrame(
            {
                "row": pl.int_range(self.record.n_records, eager=True),
                "suda": self.suda,
                "dis": self._dis_column(),
                "n_msu": self._on_all(self._scores.n_msu),
                "special": self.special(self.record.quantile),
            }
        )

    def _dis_column(self) -> pl.Series:
        """DIS of every record, null where it is not measured."""
        if self.dis is None:
            return pl.repeat(None, self.record.n_records, dtype=pl.Float64, eager=True)
        return pl.Series(self.dis)

    @property
    def records(self) -> list[dict[str, Any]]:
        """One entry per record of the data, in their order: confidential."""
        return self.frame().to_dicts()

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, the records of the data among them: confidential.

        `to_json` and every view have the figures of the file alone.
        """
        return {**self.record.to_dict(), "records": self.records}

    def _on_all(self, of_uniques: Figures) -> Figures:
        """What the statistical uniques have, on all records; 0 for the others."""
        on_all: Figures = np.zeros(self.record.n_records, of_uniques.dtype)
        on_all[self._rows] = of_uniques
        return on_all


def parse_quantile(quantile: float) -> float:
    """A quantile from 0 to 1, or a sentence on what is wrong with it."""
    why = ", such as 0.9 for the top decile"
    return parse_number_within("The quantile of special uniques", quantile, "[0, 1]", why)


def _ranks(found: list[MinimalUnique]) -> tuple[list[int], ...]:
    """What the sets of keys are sorted by, the last first: their size, then their keys in order."""
    longest = max((msu.size for msu in found), default=0)
    padded = [[*msu.keys, *[-1] * (longest - msu.size)] for msu in found]
    places = [[keys[place] for keys in padded] for place in reversed(range(longest))]
    return (*places, [msu.size for msu in found])
