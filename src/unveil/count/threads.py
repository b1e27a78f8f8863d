"""Linear algebra in one thread, while columns are fitted in several.

The last digits of a product of matrices depend on how many threads shared it, so that a model would
depend on the machine; and threads inside threads wait for one another longer than they work.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_inside: list[Any] = []
"""One entry for each fit under way; the first holds what is to be undone when the last ends."""


@contextmanager
def limit_to_one_thread() -> Iterator[None]:
    """Hold the libraries of linear algebra to one thread until the last who asked has left.

    To be asked for where threads are started, around all of them: once the main thread has set the
    number, OpenBLAS (0.3.31) heeds no other thread. Asked for again inside, it changes nothing.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    # Its libraries must be there before they can be held.
    import scipy.linalg
    import scipy.optimize  # noqa: F401
    from threadpoolctl import threadpool_limits

    with _lock:
        _inside.append(None if _inside else threadpool_limits(1, user_api="blas"))


def _leave() -> None:
    with _lock:
        if len(_inside) == 1:
            _inside[0].restore_original_limits()
        # The first stays the first, whoever leaves.
        _inside.pop()
