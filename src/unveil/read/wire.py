"""How a reading process is asked, and how it answers: pieces of known length over two pipes.

A question is one piece of JSON. The answer is a mark that the question arrived, one piece of JSON
(what was found, or why nothing was), and the columns as Arrow streams of bounded size, so that
neither side ever holds the whole table twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

import msgspec
import polars as pl

from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

ARRIVED = b"unveil: asked\n"

_LENGTH = 8
_PIECE = 1 << 26
_LONGEST = 1 << 40  # bytes of one column, beyond which the other side has lost its wits


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Which file is to be read, as what, and what of it."""

    kind: str  # "spss", "parquet", and all that `parsers` knows
    path: bytes  # as the operating system spells it
    name: str  # of the file, without its folders
    place: str
    side: str
    columns: tuple[str, ...] | None = None
    sheet: str | None = None
    n_bytes: int = 0  # how large the file is
    seconds: int | None = None  # of computing, beyond which the file is given up


@dataclass(frozen=True)
class Parsed:
    """What a file holds: the records, what is declared about them, and what was noticed."""

    frame: pl.DataFrame
    codebook: Codebook | None = None
    notes: tuple[Coercion, ...] = ()


class Found(msgspec.Struct, frozen=True, kw_only=True, tag="found"):
    """What comes before the columns."""

    n_pieces: int
    codebook: Codebook | None
    notes: tuple[Coercion, ...]


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Why there are no columns: an error of ours, by its name, with its sentence."""

    error: str
    message: str


def send(pipe: BinaryIO, piece: bytes | memoryview) -> None:
    """One piece, its length before it."""
    pipe.write(len(piece).to_bytes(_LENGTH, "big"))
    pipe.write(piece)


def receive(pipe: BinaryIO) -> bytes:
    """One piece; `EOFError` where the other side is gone."""
    n = int.from_bytes(_exactly(pipe, _LENGTH), "big")
    if n > _LONGEST:
        raise EOFError
    return _exactly(pipe, n)


def _exactly(pipe: BinaryIO, n: int) -> bytes:
    found = pipe.read(n)
    if len(found) < n:
        raise EOFError
    return found


def send_parsed(pipe: BinaryIO, parsed: Parsed) -> None:
    """What a file holds, its columns in as few pieces as their size allows."""
    groups = list(_groups(parsed.frame))
    head = Found(n_pieces=len(groups), codebook=parsed.codebook, notes=parsed.notes)
    send(pipe, msgspec.json.encode(head))
    for names in groups:
        stream = BytesIO()
        # Numbered, for a name may be anything; they get their names back on the other side.
        columns = {str(i): parsed.frame[name] for i, name in enumerate(names)}
        pl.DataFrame(columns).write_ipc_stream(stream)
        send(pipe, msgspec.json.encode(names))
        send(pipe, stream.getbuffer())


def receive_parsed(pipe: BinaryIO, head: Found) -> Parsed:
    """The columns that follow what was found."""
    columns: dict[str, pl.Series] = {}
    for _ in range(head.n_pieces):
        names = msgspec.json.decode(receive(pipe), type=list[str])
        piece = pl.read_ipc_stream(receive(pipe))
        columns |= dict(zip(names, piece.get_columns(), strict=True))
    return Parsed(pl.DataFrame(columns), head.codebook, head.notes)


def _groups(frame: pl.DataFrame) -> Iterator[Sequence[str]]:
    group: list[str] = []
    n_bytes = 0
    for name in frame.columns:
        size = int(frame[name].estimated_size())
        if group and n_bytes + size > _PIECE:
            yield group
            group, n_bytes = [], 0
        group.append(name)
        n_bytes += size
    yield group
