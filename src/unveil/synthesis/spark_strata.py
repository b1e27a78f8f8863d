"""Strata that a Spark cluster fits and draws: each in one task, the rows that one machine draws.

A task gives its rows back as it drew them, a batch as the bytes of one entry, so that no type and
no digit changes on the way. They come here in the order of the strata and are written here. The
workers need Python with unveil and pyarrow.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import msgspec
import narwhals.stable.v2 as nw
import polars as pl

from unveil import errors
from unveil.records.synthesis import Synthesis
from unveil.study.backends import Spark
from unveil.study.engine_study import EngineSide

_SCHEMA = "place int, number int, part binary"
_FAULT, _RECORD = -1, 0  # numbers of parts; batches are numbered from 1

FindPlace = Callable[[pl.DataFrame], int]
"""Which of the strata, in their order, these rows are."""
Draw = Callable[[pl.DataFrame, int], Iterator[Synthesis | pl.DataFrame]]
"""What is drawn from the rows of the stratum at a place: its record first, then its batches."""


def count_strata(spark: Spark, side: EngineSide, by: Sequence[str]) -> pl.DataFrame:
    """The combinations of these columns, and how many records, `n`, each has."""
    asked = side.rows.group_by(*(side.places[name] for name in by)).agg(n=nw.len())
    found = spark.fetch(asked, "counting strata")
    types = side.table.frame.select(by).schema
    return found.rename({side.places[name]: name for name in by}).cast(types).sort(by)


def draw_on_spark(
    spark: Spark, side: EngineSide, by: Sequence[str], find_place: FindPlace, draw: Draw
) -> Iterator[Synthesis | pl.DataFrame]:
    """What the tasks of all strata drew, in the order of the strata."""
    task = _task(side.table.frame.schema, find_place, draw)
    with spark.asking("strata were synthesised"):
        grouped = side.rows.to_native().groupBy(*(side.places[name] for name in by))
        made = grouped.applyInArrow(task, _SCHEMA)
        kept = spark.keep(nw.from_native(made), "strata were synthesised").to_native()
        for row in kept.orderBy("place", "number").toLocalIterator():
            yield _unpack(row["number"], bytes(row["part"]))


def _task(schema: pl.Schema, find_place: FindPlace, draw: Draw) -> Callable[[Any], Any]:
    """What a worker does with the rows of one stratum."""

    def run(rows: Any) -> Any:
        frame = pl.from_arrow(rows)
        assert isinstance(frame, pl.DataFrame)  # for types: a table is never a series
        frame.columns = schema.names()
        frame = frame.cast(schema)
        place = find_place(frame)
        parts: list[tuple[int, bytes]] = []
        try:
            parts.extend(enumerate(map(_pack, draw(frame, place))))
        except errors.UnveilError as fault:
            parts = [(_FAULT, msgspec.json.encode((type(fault).__name__, str(fault))))]
        arrow = import_module("pyarrow")
        whole = arrow.int32()
        types = {"place": whole, "number": whole, "part": arrow.binary()}
        numbers, packed = zip(*parts, strict=True) if parts else ((), ())
        return arrow.table([[place] * len(parts), numbers, packed], schema=arrow.schema(types))

    return run


def _pack(drawn: Synthesis | pl.DataFrame) -> bytes:
    if isinstance(drawn, Synthesis):
        return msgspec.json.encode(drawn)
    file = io.BytesIO()
    drawn.write_ipc(file, compression="lz4")
    return file.getvalue()


def _unpack(number: int, part: bytes) -> Synthesis | pl.DataFrame:
    if number == _FAULT:
        kind, sentence = msgspec.json.decode(part)
        raise getattr(errors, kind, errors.UnveilError)(sentence)
    if number == _RECORD:
        return msgspec.json.decode(part, type=Synthesis)
    return pl.read_ipc(io.BytesIO(part))
