"""Linear algebra in one thread, while columns are fitted in several.

The last digits of a product of matrices depend on how many threads shared it, so that a model would
depend on the machine; and threads inside threads wait for one another longer than they work.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_inside: list[None] = []
"""One entry for each fit under way."""
_limits: dict[bool, Any] = {}
"""What is to be undone when the last who asked has left: without and with scipy."""


@contextmanager
def limit_to_one_thread(*, has_scipy: bool = True) -> Iterator[None]:
    """Hold the libraries of linear algebra to one thread until the last who asked has left.

    To be asked for where threads are started, around all of them: once the main thread has set the
    number, OpenBLAS (0.3.31) heeds no other thread. Without `has_scipy` only numpy's is held, if
    scipy's is not there yet, which takes a quarter of a second to import.
    """
    _enter(has_scipy=has_scipy)
    try:
        yield
    finally:
        _leave()


def _enter(*, has_scipy: bool) -> None:
    if has_scipy:
        # Its libraries must be there before they can be held.
        import scipy.linalg
        import scipy.optimize  # noqa: F401
    from threadpoolctl import threadpool_limits

    with _lock:
        _inside.append(None)
        if not (_limits.keys() & {True, has_scipy}):
            _limits[has_scipy] = threadpool_limits(1, user_api="blas")


def _leave() -> None:
    with _lock:
        _inside.pop()
        while _limits and not _inside:
            _limits.popitem()[1].restore_original_limits()
