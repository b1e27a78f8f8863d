"""A fitted synthesiser: copies of any number and size, from models that are fitted once."""

import os
import warnings
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.count.streams import drawn_seed
from unveil.errors import SettingsError
from unveil.records.codebook import Codebook
from unveil.records.synthesis import Synthesis
from unveil.records.view import as_html, as_text
from unveil.synthesis.column import Part
from unveil.synthesis.drawing import Drawing
from unveil.synthesis.plan import Numbering, Plan
from unveil.synthesis.rule_kinds import Derived
from unveil.synthesis.settings import MOST_COPIES, MOST_ROWS, heard, whole, workers_of
from unveil.synthesis.splitting import joined
from unveil.synthesis.strata import Strata, Whole, at


@dataclass(frozen=True)
class Models:
    """All that copies are drawn from. Confidential: it holds values of the original.

    `given` are the columns that are not drawn, as the original has them: kept, or predictors only.
    """

    plan: Plan
    strata: Strata
    drawing: Drawing
    given: Mapping[str, Part]
    derived: tuple[Derived, ...]
    names: tuple[str, ...]  # the columns of a copy, in the order of the original
    n_original: int

    def copy(self, number: int, n_rows: int, seed: int) -> pl.DataFrame:
        """One copy, by its number from 1."""
        given, of_rows = self._given(number, n_rows, seed)
        given |= {part.column.name: at(part, of_rows) for part in self.strata.parts}
        parts = self.drawing.drawn(given, self.strata.rows(of_rows), n_rows, seed, number)
        frame = pl.DataFrame({name: joined(part) for name, part in parts.items()})
        for derived in self.derived:
            frame = frame.with_columns(derived.values(frame).alias(derived.column))
        for name, numbering in self.plan.renumbered.items():
            frame = frame.with_columns(_running_numbers(n_rows, numbering).alias(name))
        return frame[list(self.names)]

    def _given(self, number: int, n_rows: int, seed: int) -> tuple[dict[str, Part], Whole]:
        """The columns that are not drawn, and the stratum of each row.

        Columns that only predict are mixed, so that no row of a copy stands where its person does.
        """
        if self.plan.is_beside:
            return dict(self.given), self.strata.of_rows
        if not self.plan.needs_original_rows:
            return {}, self.strata.drawn(n_rows, seed, number)
        rows = self.strata.shuffled(n_rows, seed, number)
        given = {name: at(part, rows) for name, part in self.given.items()}
        return given, self.strata.of_rows[rows]


@dataclass(frozen=True, repr=False)
class Synthesiser:
    """Models fitted to an original, the copies drawn at once, and how they were made.

    The record holds no data. `models` and `seed` are confidential: whoever has them can draw what
    was drawn, and the models hold original values.
    """

    record: Synthesis
    copies: tuple[pl.DataFrame, ...]
    models: Models = field(compare=False)
    seed: int
    codebook: Codebook | None = None

    def sample(
        self,
        copies: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        *,
        workers: int | None = None,
        progress: Progress = silent,
    ) -> list[pl.DataFrame]:
        """Draw copies; nothing is fitted again.

        Parameters
        ----------
        copies
            How many.
        rows
            Rows of each copy; as many as the original has where None.
        seed
            The synthesiser's own where None: then copy 1 is always the same copy 1.
        workers
            Threads that copies are drawn in; as many as there are cores where None.
        progress
            Called after each copy.
        """
        n_rows = rows_of(self.models.plan, rows, self.models.n_original)
        if n_rows > self.models.n_original:
            warnings.warn(inflated(n_rows, self.models.n_original), stacklevel=2)
        return drawn_copies(
            self.models,
            whole("copies", copies, least=1, most=MOST_COPIES),
            n_rows,
            self.seed if seed is None else drawn_seed(seed),
            workers=workers_of(workers),
            progress=heard(progress),
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Keep the models in a file: CONFIDENTIAL, as its name must say; see `model_file`."""
        from unveil.synthesis.model_file import save

        return save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Synthesiser":
        """The synthesiser that a file holds, without copies: `sample` draws them."""
        from unveil.synthesis.model_file import load

        return load(path)

    def to_dict(self) -> dict[str, Any]:
        """How the copies were made."""
        return self.record.to_dict()

    def to_json(self, *, indent: int = 2) -> str:
        """How the copies were made, as one JSON document."""
        return self.record.to_json(indent=indent)

    def frame(self) -> pl.DataFrame:
        """One row for each column of the original: its role, method and predictors."""
        return pl.DataFrame([column.to_dict() for column in self.record.columns])

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


def _running_numbers(n_rows: int, numbering: Numbering) -> pl.Series:
    """1, 2, and on; FAKE_1, FAKE_2 in a column of text, which stays text in every format."""
    numbers = pl.Series(range(1, n_rows + 1), dtype=pl.Int64)
    return numbers if numbering == "number" else "FAKE_" + numbers.cast(pl.String)


def drawn_copies(
    models: Models, copies: int, n_rows: int, seed: int, *, workers: int, progress: Progress
) -> list[pl.DataFrame]:
    """Copies 1 to `copies`, in threads; what each holds depends on its number alone."""
    made: list[pl.DataFrame] = []
    with ThreadPoolExecutor(max_workers=min(workers, copies)) as pool:
        progress("drawing copies", 0, copies)
        ahead = min(2 * workers, copies)
        waiting = deque(pool.submit(models.copy, n, n_rows, seed) for n in range(1, ahead + 1))
        try:
            for done in range(1, copies + 1):
                made.append(waiting.popleft().result())
                if done + ahead <= copies:
                    waiting.append(pool.submit(models.copy, done + ahead, n_rows, seed))
                progress(f"drew copy {done}", done, copies)
        except MemoryError:
            pool.shutdown(wait=False, cancel_futures=True)
            raise SettingsError(
                f"There is not enough memory for {copies:,} {'copy' if copies == 1 else 'copies'}"
                f" of {n_rows:,} rows. Draw fewer rows, or fewer copies at a time."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return made


def rows_of(plan: Plan, rows: Any, n_original: int) -> int:
    """The rows of a copy; as many as the original has where some of its columns are kept."""
    n_rows = n_original if rows is None else whole("rows", rows, least=1, most=MOST_ROWS)
    if plan.is_beside and n_rows != n_original:
        raise SettingsError(
            f"rows is {n_rows:,}, but the original has {n_original:,}, and columns that are kept "
            "stand beside it row for row. Leave rows out."
        )
    return n_rows


def inflated(n_rows: int, n_original: int) -> str:
    """What to say of a copy that has more rows than its original."""
    return (
        f"A copy has {n_rows:,} rows, more than the {n_original:,} of the original: tests and "
        "intervals computed from it claim more certainty than the data can give."
    )
