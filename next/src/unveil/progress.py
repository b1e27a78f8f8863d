"""Who wants to know how far long work is: ``with unveil.progress(callback): ...``"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Callback = Callable[[str, int, int], None]
"""Is called with what is done, how many parts are done, and of how many."""

_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)


@contextmanager
def progress(callback: Callback) -> Iterator[None]:
    """Tell a function how far work within this block is: what, parts done, parts in all."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def say(sentence: str) -> None:
    """Tell what is to be known before work begins, as a step of nothing."""
    if (callback := _callback.get()) is not None:
        callback(sentence, 0, 0)


def steps(what: str, parts: Sequence[T]) -> Iterable[T]:
    """The parts of some work, one by one, each told when it begins and the last when it ends."""
    callback = _callback.get()
    for place, part in enumerate(parts):
        if callback is not None:
            callback(what, place, len(parts))
        yield part
    if callback is not None:
        callback(what, len(parts), len(parts))
