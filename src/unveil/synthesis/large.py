"""Synthesis where memory does not hold the file: by a sample or by strata, drawn in batches.

Memory is bounded by the sample, or by the largest stratum, and by one batch; never by the rows of
the original or of the synthetic data.
"""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import whole_number
from unveil.errors import SettingsError, UnveilError
from unveil.io.batches import is_batched, open_batches
from unveil.io.table import Labelled
from unveil.io.write_file import WriteSettings, target_of, write_batches
from unveil.records.synthesis import Synthesis, WrittenFile
from unveil.seeding import choose_seed, stream
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.synthesis.record import Size, resize_record
from unveil.synthesis.settings import check_progress
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Models, Synthesiser, running_numbers

BATCH_ROWS = 500_000
_MOST_ROWS = 10**12


def draw_batches(
    models: Models, n_rows: int, seed: int, *, copy: int = 1, size: int = BATCH_ROWS, first: int = 0
) -> Iterator[pl.DataFrame]:
    """Rows of one copy, so many at a time; running numbers go on from `first`.

    Each batch has chance of its own: the same seed and size give the same rows.
    """
    plan = models.plan
    for number, done in enumerate(range(0, n_rows, size)):
        own = int(stream(seed, "batch", copy, number).integers(2**63 - 1))
        frame = models.copy(copy, min(size, n_rows - done), own)
        yield frame.with_columns(
            running_numbers(frame.height, numbering, first + done).alias(name)
            for name, numbering in plan.renumbered.items()
        )


def write_synthetic(
    made: Synthesiser,
    path: str | os.PathLike[str],
    rows: int | None = None,
    *,
    batch_rows: int = BATCH_ROWS,
    seed: int | None = None,
    progress: Progress | None = None,
) -> WrittenFile:
    """Draw any number of rows and write them as one Parquet file, in bounded memory.

    Parameters
    ----------
    made
        A fitted synthesiser, as `unveil.synthesise` returns it or `Synthesiser.load` reads it.
    path
        A file that is not there yet and ends in .parquet; its name begins with FAKE_.
    rows
        As many as the original has where None (the whole file, where a sample was fitted).
    batch_rows
        Rows drawn at a time. The same seed and batch_rows give the same rows.
    seed
        The synthesiser's own where None.
    progress
        Called with what is being done, how many batches are done, and how many there are.
    """
    say = check_progress(progress or no_progress)
    drawn, written = write_copy(made, path, rows, batch_rows=batch_rows, seed=seed, progress=say)
    if written.n_rows > made.models.n_original:
        warnings.warn(drawn.record.warnings[0], stacklevel=2)
    return written


def write_copy(
    made: Synthesiser,
    path: str | os.PathLike[str],
    rows: int | None,
    *,
    batch_rows: int,
    copy: int = 1,
    seed: int | None,
    progress: Progress,
) -> tuple[Synthesiser, WrittenFile]:
    """One copy in batches; the synthesiser as it says what was drawn, and the file."""
    plan, record = made.models.plan, made.record
    if plan.is_beside or plan.time is not None:
        what = "people are made with their rows" if plan.time else "columns are kept row for row"
        raise SettingsError(f"Rows cannot be drawn in batches where {what}. Omit batch_rows.")
    own = record.n_file or record.n_original
    n_rows = own if rows is None else whole_number("rows", rows, most=_MOST_ROWS)
    size = whole_number("batch_rows", batch_rows)
    seeded = made.seed if seed is None else choose_seed(seed)
    drawn = draw_batches(made.models, n_rows, seeded, copy=copy, size=size)
    told = _tell(drawn, -(-n_rows // size), progress)
    written = write_batches(told, target_of(path, fake=True), WriteSettings(made.codebook))
    resized = resize_record(record, Size(written.n_rows, copy, is_seeded=seed is not None))
    return replace(made, record=resized, copies=(), seed=seeded), written


def _tell(
    frames: Iterator[pl.DataFrame], n_batches: int, progress: Progress
) -> Iterator[pl.DataFrame]:
    for done, frame in enumerate(frames):
        progress("drawing rows", done, n_batches)
        yield frame


# Stratum by stratum: each is read, fitted and drawn by itself, here or on a cluster.


def synthesise_strata(
    original: Any,
    path: str | os.PathLike[str],
    *,
    strata: str | Sequence[str],
    rows: int | None = None,
    batch_rows: int = BATCH_ROWS,
    seed: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Synthesis:
    """Synthesise a Parquet file stratum by stratum into another, whatever its size.

    The rows of one stratum are in memory at a time: they are read, fitted and drawn from, and
    written in batches before the next stratum is read. The synthetic rows come in the order of the
    strata.

    Parameters
    ----------
    original
        The path of a Parquet file; or a Spark data frame: then the strata are fitted and drawn by
        the cluster, each in one task, and `path` is a folder of Parquet files that Spark writes.
    path
        The Parquet file to write; its name begins with FAKE_.
    strata
        Columns whose combinations are synthesised apart.
    rows
        Rows in all, shared among the strata by chance as a sample would be; as many as the original
        has where None.
    batch_rows
        Rows drawn at a time.
    seed
        The same seed and batch_rows give the same rows, here and on a cluster of any size.
    settings
        As those of `unveil.synthesise`, for every stratum.
    """
    by = names(strata, "Strata")
    seeded, say = choose_seed(seed), check_progress(progress or no_progress)
    job = _StratumJob(by, seeded, whole_number("batch_rows", batch_rows), _check(settings))
    if not is_batched(original):
        raise SettingsError("Strata are read one by one from the path of a Parquet file.")
    file = open_batches(original, "original")
    if file.is_text:
        raise SettingsError(
            "Strata are read one by one from a Parquet file only, for a text file says what its"
            " columns are only as a whole. Write it as Parquet first: unveil convert."
        )
    lazy = pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
    sizes = lazy.group_by(by).agg(pl.len().alias("n")).collect(engine="streaming").sort(by)
    shares = _share(sizes["n"].to_numpy(), rows, seeded)
    records: list[Synthesis] = []

    def draw() -> Iterator[pl.DataFrame]:
        done = 0
        for place, (share, row) in enumerate(zip(shares, sizes.iter_rows(), strict=True)):
            say(f"stratum {place + 1}", place, len(shares))
            if not share:
                continue
            is_here = pl.all_horizontal(
                pl.col(n).eq_missing(v) for n, v in zip(by, row, strict=False)
            )
            # In an order of its own, so that the rows drawn do not hang on that of the file.
            frame = lazy.filter(is_here).collect(engine="streaming").sort(pl.all())
            made = job.fit(frame if file.codebook is None else Labelled(frame, file.codebook), row)
            records.append(made.record)
            yield from draw_batches(made.models, share, made.seed, size=job.batch_rows, first=done)
            done += share

    asked = WriteSettings(file.codebook)
    written = write_batches(draw(), target_of(path, fake=True), asked)
    return _together(records, written.n_rows, file.path.name, by, seed)


class _StratumJob(msgspec.Struct, frozen=True):
    """How each stratum is fitted; settings and seed, no data: a cluster is sent this."""

    strata: tuple[str, ...]
    seed: int
    batch_rows: int
    settings: Mapping[str, Any]

    def fit(self, original: Any, row: Sequence[Any]) -> Synthesiser:
        """The models of one stratum, by what its columns hold."""
        text = "|".join(map(repr, row[: len(self.strata)]))
        own = int(stream(self.seed, "stratum", text).integers(2**63 - 1))
        try:
            return synthesise(original, strata=self.strata, seed=own, **self.settings)
        except UnveilError as fault:
            raise type(fault)(f"In one of the strata: {fault}") from None


def _check(settings: dict[str, Any]) -> dict[str, Any]:
    refused = [n for n in ("copies", "rows", "keep", "person", "time") if n in settings]
    if refused:
        raise SettingsError(
            f"{refused[0]} cannot be set where strata are synthesised one by one. Omit it."
        )
    return settings


def _share(sizes: Any, rows: int | None, seed: int) -> list[int]:
    """How many rows of each stratum are drawn: as many as it has, or a sample's share of `rows`."""
    if rows is None:
        return [int(n) for n in sizes]
    n_rows = whole_number("rows", rows, most=_MOST_ROWS)
    chance = np.asarray(sizes) / np.sum(sizes)
    return [int(n) for n in stream(seed, "shares").multinomial(n_rows, chance)]


def _together(
    records: Sequence[Synthesis], n_rows: int, file: str, by: tuple[str, ...], seed: int | None
) -> Synthesis:
    """The record of all strata: what was done with each column, and what is to be said, once."""
    return msgspec.structs.replace(
        records[0],
        files=(file,),
        n_original=sum(one.n_original for one in records),
        n_rows=n_rows,
        n_copies=1,
        strata=by,
        n_strata=len(records),
        is_seeded=seed is not None,
        notes=tuple(dict.fromkeys(note for one in records for note in one.notes)),
        warnings=tuple(dict.fromkeys(note for one in records for note in one.warnings)),
    )
