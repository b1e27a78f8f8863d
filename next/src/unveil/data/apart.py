"""Reading in a process of its own: a damaged file can crash a parser, or fill the memory.

The frame comes back as Arrow, what the file says of its columns as JSON.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import msgspec
import polars as pl

from unveil.data.codebook import Data, Variable
from unveil.errors import InputError

SECONDS, BYTES_A_SECOND = 60, 100_000  # the time that a parser has
MEMORY, TIMES_THE_FILE = 8 << 30, 20  # the larger is the memory that it has
OUT_OF_MEMORY, REFUSED = 3, 4  # how the child ends
NO_MEMORY = (OUT_OF_MEMORY, -signal.SIGABRT)


def read_apart(module: str, path: Path, *words: str) -> Data:
    """What `parse` of a module makes of a file."""
    modules = os.pathsep.join(map(str, filter(None, sys.path)))  # where this process has its own
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", __name__, module, str(path), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS + path.stat().st_size / BYTES_A_SECOND,
            env={**os.environ, "PYTHONPATH": modules},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired:
        raise refusal(path, "is damaged: it cannot be read") from None
    if child.returncode == REFUSED:
        raise InputError(msgspec.json.decode(child.stderr.splitlines()[-1], type=str))
    if child.returncode:
        less = ", or needs more memory than there is"
        is_large = child.returncode in NO_MEMORY
        raise refusal(path, f"is damaged{less if is_large else ': it cannot be read'}")
    facts = msgspec.json.decode(
        child.stderr.splitlines()[-1], type=tuple[dict[str, Variable], tuple[str, ...]]
    )
    return Data(pl.read_ipc_stream(child.stdout), *facts)


def refusal(path: Path, fault: str) -> InputError:
    return InputError(f"{str(path)!r} {fault}. Ask for it again, or export it as CSV.")


def _parse(module: str, path: Path, *words: str) -> int:
    """In the child: the frame to standard output, what is said of it to standard error."""
    _limit(path.stat().st_size)
    try:
        data = import_module(module).parse(path, *words)
    except MemoryError:
        return OUT_OF_MEMORY
    except InputError as fault:
        sys.stderr.buffer.write(b"\n" + msgspec.json.encode(str(fault)))
        return REFUSED
    data.frame.write_ipc_stream(sys.stdout.buffer)
    sys.stderr.buffer.write(b"\n" + msgspec.json.encode((data.codebook, data.notes)))
    return 0


def _limit(size: int) -> None:
    """Not more memory than such a file needs, and no image of it on the disk after a crash."""
    with suppress(ImportError, ValueError, OSError):  # not on every platform
        import resource

        memory = max(MEMORY, TIMES_THE_FILE * size)
        for what, limit in ((resource.RLIMIT_CORE, 1), (resource.RLIMIT_AS, memory)):
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (limit if hard < 0 else min(limit, hard), hard))


if __name__ == "__main__":
    sys.exit(_parse(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
