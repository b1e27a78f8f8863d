import os

import pytest
from hypothesis import HealthCheck, settings

# How long a draw takes is the machine's matter; speed is measured in benchmarks.
SLOW = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("here", deadline=None, suppress_health_check=SLOW)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_configure(config: pytest.Config) -> None:
    # A skipped test says why, always: golden figures must not go unchecked in silence.
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"
