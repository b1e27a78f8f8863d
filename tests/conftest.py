import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_configure(config: pytest.Config) -> None:
    # A skipped test says why, always: golden figures must not go unchecked in silence.
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"
