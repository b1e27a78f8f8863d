import gc
from collections.abc import Generator

import pytest

from profiles import load_profile

load_profile()


def pytest_configure(config: pytest.Config) -> None:
    # A skipped test says why, always: golden figures must not go unchecked in silence.
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # What is made at collection stays to the end: no garbage is looked for in it, then or later.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
