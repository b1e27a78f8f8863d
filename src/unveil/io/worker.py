"""The reading process: reads one file after the other for the process that started it.

Parsers of binary files can crash on a damaged file, and take their process with them; here they
take nothing of the user's. What parsers print is thrown away, because it may quote data, and a
crash leaves no image of the memory on the disk.
"""

import os
import sys
import threading
import time
from typing import BinaryIO

import msgspec

from unveil.errors import UnveilError
from unveil.io.memory import free_memory
from unveil.io.parsers import parse
from unveil.io.wire import ARRIVED, ReadRefusal, ReadRequest, receive, send, send_parsed

_IDLE_SECONDS = 60.0
_LEAST_SECONDS = 600
_BYTES_A_SECOND = 100_000
_SLACK = 1 << 30


def main() -> None:
    """Answer until no one asks any more."""
    answers = take_standard_output()
    leave_no_image()
    while True:
        idle = threading.Timer(_IDLE_SECONDS, os._exit, (0,))
        idle.daemon = True
        idle.start()
        try:
            question = msgspec.json.decode(receive(sys.stdin.buffer), type=ReadRequest)
        except EOFError:
            return
        finally:
            idle.cancel()
        answers.write(ARRIVED)
        answers.flush()
        _limit(question)
        _answer(question, answers)


def _answer(question: ReadRequest, answers: BinaryIO) -> None:
    try:
        parsed = parse(question)
    except UnveilError as fault:
        refused = ReadRefusal(error=type(fault).__name__, message=str(fault))
        send(answers, msgspec.json.encode(refused))
    else:
        send_parsed(answers, parsed, question.memory)
    answers.flush()


def take_standard_output() -> BinaryIO:
    """The pipe to the other process, out of reach of whatever else writes to standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return answers


def leave_no_image() -> None:
    """A crash leaves no image of the memory, with data in it, on the disk."""
    try:
        import resource
    except ImportError:  # not a Unix
        return
    # 1 and not 0: with 0, Linux would still hand the image to a program that collects them.
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (1 if hard else 0, hard))


def _limit(question: ReadRequest) -> None:
    """No more memory than is free now, no more computing than a file of this size can need."""
    try:
        import resource
    except ImportError:
        return
    seconds = question.seconds or _LEAST_SECONDS + question.n_bytes // _BYTES_A_SECOND
    _set(resource.RLIMIT_CPU, int(time.process_time()) + 1 + seconds)
    used, free = _address_space(), free_memory()
    if used is not None and free is not None:
        _set(resource.RLIMIT_AS, used + free + _SLACK)


def _set(what: int, limit: int) -> None:
    import resource

    _, hard = resource.getrlimit(what)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    try:
        resource.setrlimit(what, (soft, hard))
    except (ValueError, OSError):  # the platform has no such limit
        return


def _address_space() -> int | None:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
