import pytest

from profiles import load_profile

load_profile()


def pytest_configure(config: pytest.Config) -> None:
    # A skipped test says why, always: golden figures must not go unchecked in silence.
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"
