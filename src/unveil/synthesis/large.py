"""Synthesis where memory does not hold the file: by a sample or by strata, drawn in batches.

Memory is bounded by the sample, or by the largest stratum, and by one batch; never by the rows of
the original or of the synthetic data.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import parse_whole_number
from unveil.errors import SettingsError, UnveilError
from unveil.io.batches import is_batched, open_batches
from unveil.io.sources import TEXT
from unveil.io.table import Labelled, choose
from unveil.io.write_file import WriteSettings, target_of, write_batches
from unveil.records.codebook import Codebook
from unveil.records.synthesis import Synthesis, WrittenFile
from unveil.seeding import choose_seed, stream
from unveil.study.choose_engine import holder
from unveil.study.engine import current_engine
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
    n_rows = own if rows is None else parse_whole_number("rows", rows, most=_MOST_ROWS)
    size = parse_whole_number("batch_rows", batch_rows)
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
        The path of a Parquet file; or a Spark data frame (or a path, with `use_engine("spark")`):
        then the strata are fitted and drawn by the cluster, each in one task of a worker, and the
        rows are written here.
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
        The same seed and batch_rows give the same file, here and on a cluster of any size.
    settings
        As those of `unveil.synthesise`, for every stratum.
    """
    by = names(strata, "Strata")
    seeded, say = choose_seed(seed), check_progress(progress or no_progress)
    size, asked = parse_whole_number("batch_rows", batch_rows), _check(settings)
    is_far = holder(original) == "spark" or current_engine().name == "spark"
    opened = _open_on_spark(original, by) if is_far else _open_here(original, by)
    shares = _share(opened.sizes["n"].to_numpy(), rows, seeded)
    job = _StratumJob(by, seeded, size, asked, opened.codebook, tuple(shares))
    records: list[Synthesis] = []

    def draw() -> Iterator[pl.DataFrame]:
        for drawn in opened.draw(job, say):
            if isinstance(drawn, Synthesis):
                records.append(drawn)
            else:
                yield drawn

    written = write_batches(draw(), target_of(path, fake=True), WriteSettings(opened.codebook))
    return _together(records, written.n_rows, opened.file, by, seed)


class _StratumJob(msgspec.Struct, frozen=True):
    """How each stratum is fitted and drawn; no data: a cluster is sent this."""

    strata: tuple[str, ...]
    seed: int
    batch_rows: int
    settings: Mapping[str, Any]
    codebook: Codebook | None
    shares: tuple[int, ...]  # rows to be drawn of each stratum, in their order

    def draw(self, frame: pl.DataFrame, place: int) -> Iterator[Synthesis | pl.DataFrame]:
        """The record of the stratum at a place, by what its columns hold, then its batches."""
        share, done = self.shares[place], sum(self.shares[:place])
        if not share:
            return
        # In an order of its own, so that the rows drawn do not hang on that of the file.
        original: Any = frame.sort(pl.all())
        if self.codebook is not None:
            original = Labelled(original, self.codebook)
        text = _name_stratum(frame.select(self.strata).row(0))
        own = int(stream(self.seed, "stratum", text).integers(2**63 - 1))
        try:
            made = synthesise(original, strata=self.strata, seed=own, **self.settings)
        except UnveilError as fault:
            raise type(fault)(f"In one of the strata: {fault}") from None
        yield made.record
        yield from draw_batches(made.models, share, made.seed, size=self.batch_rows, first=done)


def _name_stratum(row: Sequence[Any]) -> str:
    """A stratum by what its columns hold; zero is one value, whatever its sign."""
    return "|".join(repr(one + 0.0 if isinstance(one, float) else one) for one in row)


class _OpenStrata(NamedTuple):
    """Strata with their sizes, and how they are drawn, in their order."""

    sizes: pl.DataFrame
    codebook: Codebook | None
    file: str
    draw: Callable[[_StratumJob, Progress], Iterator[Synthesis | pl.DataFrame]]


def _open_here(original: Any, by: tuple[str, ...]) -> _OpenStrata:
    """The strata of a Parquet file, each read by itself."""
    if not is_batched(original):
        raise SettingsError(
            "Strata are read one by one from the path of a Parquet file, or from a data frame of"
            " Spark."
        )
    file = open_batches(original, "original")
    _check_other_than_text(file.path)
    lazy = pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
    sizes = lazy.group_by(by).agg(pl.len().alias("n")).collect(engine="streaming").sort(by)

    def draw(job: _StratumJob, say: Progress) -> Iterator[Synthesis | pl.DataFrame]:
        for place, row in enumerate(sizes.select(by).iter_rows()):
            say(f"stratum {place + 1}", place, sizes.height)
            if not job.shares[place]:
                continue
            pairs = zip(by, row, strict=True)
            is_here = pl.all_horizontal(pl.col(n).eq_missing(v) for n, v in pairs)
            yield from job.draw(lazy.filter(is_here).collect(engine="streaming"), place)

    return _OpenStrata(sizes, file.codebook, file.path.name, draw)


def _open_on_spark(original: Any, by: tuple[str, ...]) -> _OpenStrata:
    """The strata of a Spark data frame, or of a Parquet file that a session opens."""
    # Here, for only who needs an engine pays for the import.
    from unveil.study.backends import Spark
    from unveil.study.engine_files import open_side
    from unveil.synthesis.spark_strata import count_strata, draw_on_spark

    if isinstance(original, str | os.PathLike):
        _check_other_than_text(Path(os.fsdecode(original)))
    spark = Spark(current_engine(), original if holder(original) == "spark" else None)
    side = open_side(spark, "original", original, None, ())
    choose(side.table.frame.columns, by, side.table.place)
    sizes = count_strata(spark, side, by)
    places = {_name_stratum(row): at for at, row in enumerate(sizes.select(by).iter_rows())}

    def find_place(rows: pl.DataFrame) -> int:
        return places[_name_stratum(rows.select(by).row(0))]

    def draw(job: _StratumJob, say: Progress) -> Iterator[Synthesis | pl.DataFrame]:
        say("synthesising strata on the cluster", 0, sizes.height)
        yield from draw_on_spark(spark, side, by, find_place, job.draw)

    return _OpenStrata(sizes, side.table.codebook, side.table.source, draw)


def _check_other_than_text(path: Path) -> None:
    if path.suffix.lower() in TEXT:
        raise SettingsError(
            "Strata are read one by one from a Parquet file only, for a text file says what its"
            " columns are only as a whole. Write it as Parquet first: unveil convert."
        )


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
    n_rows = parse_whole_number("rows", rows, most=_MOST_ROWS)
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
