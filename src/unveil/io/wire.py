"""How a reading process is asked, and how it answers: pieces of known length over two pipes.

A question is one piece of JSON. The answer is a mark that the question arrived, one piece of JSON
(what was found, or why nothing was), and the columns. Where the system can seal memory (Linux), a
large table comes as Arrow in a file in memory that both were started with: it has no name, is gone
with its last user, and cannot be changed or cut once it is filled, so that it can be used as it
lies there. Otherwise it comes through the pipe as Arrow streams of bounded size, so that neither
side ever holds the whole table twice.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Protocol

import msgspec
import polars as pl

from unveil.io.table import HeldBeside
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

ARRIVED = b"unveil: asked\n"

_DESCRIPTORS = "/proc/self/fd/"
_LENGTH = 8
_PIECE = 1 << 26
_AT_ONCE = 1 << 20
_LONGEST = 1 << 40  # bytes of one column, beyond which the other side has lost its wits


class Readable(Protocol):
    """One end of a pipe; it may give fewer bytes than asked for, and none when it is closed."""

    def read(self, n: int, /) -> bytes:
        """At most so many bytes."""
        ...


class ReadRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which file is to be read, as what, and what of it."""

    kind: str  # "spss", "parquet", and all that `parsers` knows
    path: bytes  # as the operating system spells it
    name: str  # of the file, without its folders
    place: str
    side: str
    columns: tuple[str, ...] | None = None
    sheet: str | None = None
    cells: bool = False  # of a workbook: every cell of the sheet as text, without names
    n_bytes: int = 0  # how large the file is
    seconds: int | None = None  # of computing, beyond which the file is given up
    memory: int | None = None  # the shared file for the answer, by its number in both processes


@dataclass(frozen=True)
class ParsedFile:
    """What a file holds: the records, what is declared about them, and what was noticed."""

    frame: pl.DataFrame
    codebook: Codebook | None = None
    notes: tuple[Coercion, ...] = ()
    beside: tuple[HeldBeside, ...] = ()


class ReadHeader(msgspec.Struct, frozen=True, kw_only=True, tag="found"):
    """What comes before the columns."""

    n_pieces: int
    codebook: Codebook | None
    notes: tuple[Coercion, ...]
    beside: tuple[HeldBeside, ...] = ()


class ReadRefusal(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Why there are no columns: an error of ours, by its name, with its sentence."""

    error: str
    message: str


def send(pipe: BinaryIO, piece: bytes | memoryview) -> None:
    """One piece, its length before it."""
    pipe.write(len(piece).to_bytes(_LENGTH, "big"))
    pipe.write(piece)


def receive(pipe: Readable) -> bytes:
    """One piece; `EOFError` where the other side is gone."""
    n = int.from_bytes(_exactly(pipe, _LENGTH), "big")
    if n > _LONGEST:
        raise EOFError
    return _exactly(pipe, n)


def receive_mark(pipe: Readable) -> bool:
    """Whether the other side says that the question arrived."""
    try:
        return _exactly(pipe, len(ARRIVED)) == ARRIVED
    except EOFError:
        return False


def _exactly(pipe: Readable, n: int) -> bytes:
    found = BytesIO()
    while (n_left := n - found.tell()) > 0:
        some = pipe.read(min(n_left, _AT_ONCE))
        if not some:
            raise EOFError
        found.write(some)
    return found.getvalue()


def new_memory(n: int) -> list[int]:
    """So many empty files in memory, to be handed to a process; none where there are no such."""
    if not hasattr(os, "memfd_create") or not os.path.exists(_DESCRIPTORS):
        return []
    try:
        return [os.memfd_create("unveil", os.MFD_ALLOW_SEALING) for _ in range(n)]
    except OSError:
        return []


def send_parsed(pipe: BinaryIO, parsed: ParsedFile, memory: int | None = None) -> None:
    """What a file holds: its columns in shared memory, or in as few pieces as size allows."""
    whole = parsed.frame.columns
    groups = list(_groups(parsed.frame)) if memory is None else [whole]
    head = ReadHeader(
        n_pieces=len(groups), codebook=parsed.codebook, notes=parsed.notes, beside=parsed.beside
    )
    send(pipe, msgspec.json.encode(head))
    for names in groups:
        # Numbered, for a name may be anything; they get their names back on the other side.
        piece = parsed.frame[names]
        piece.columns = [str(i) for i in range(len(names))]
        stream = BytesIO()
        if memory is None:
            piece.write_ipc_stream(stream)
        else:
            _fill(memory, piece)
        send(pipe, msgspec.json.encode(names))
        send(pipe, stream.getbuffer())


def receive_parsed(pipe: Readable, head: ReadHeader, memory: int | None = None) -> ParsedFile:
    """The columns that follow what was found."""
    pieces: list[pl.DataFrame] = []
    for _ in range(head.n_pieces):
        names = msgspec.json.decode(receive(pipe), type=list[str])
        stream = receive(pipe)
        piece = pl.read_ipc_stream(stream) if memory is None else _take(memory)
        piece.columns = names
        pieces.append(piece)
    frame = pl.concat(pieces, how="horizontal") if len(pieces) > 1 else pieces[0]
    return ParsedFile(frame, head.codebook, head.notes, head.beside)


def _fill(memory: int, piece: pl.DataFrame) -> None:
    import fcntl

    piece.write_ipc(f"{_DESCRIPTORS}{memory}")
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK)
    os.close(memory)


def _take(memory: int) -> pl.DataFrame:
    import fcntl

    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK
    # What is not sealed could be cut while it is in use, which would end this process.
    if fcntl.fcntl(memory, fcntl.F_GET_SEALS) & seals != seals:
        raise EOFError
    return pl.read_ipc(f"{_DESCRIPTORS}{memory}")


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
