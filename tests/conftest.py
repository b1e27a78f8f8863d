import gc
import os
from collections.abc import Generator

import pytest

from profiles import load_profile

load_profile()


def pytest_configure(config: pytest.Config) -> None:
    # A skipped test says why, always: golden figures must not go unchecked in silence.
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR"):
        os.environ.pop(name, None)  # commands print as to a plain terminal


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # What is made at collection stays to the end: no garbage is looked for in it, then or later.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
