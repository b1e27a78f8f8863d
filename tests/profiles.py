"""How many random cases does a test draw? All of them in continuous integration, fewer at hand.

`UNVEIL_TESTS=all` draws as many as a test asks for; otherwise a fifth of them, five at least.
"""

import os
from typing import Any

from hypothesis import HealthCheck, settings

IS_ALL = os.environ.get("UNVEIL_TESTS") == "all"


def examples(n: int, **more: Any) -> settings:
    """The settings of a test that draws `n` random cases when all tests run."""
    return settings(max_examples=n if IS_ALL else max(5, n // 5), **more)


def load_profile() -> None:
    """The same cases in every run of continuous integration; time is the benchmarks' matter."""
    settings.register_profile(
        "unveil",
        max_examples=100 if IS_ALL else 20,
        derandomize=bool(os.environ.get("CI")),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("unveil")
