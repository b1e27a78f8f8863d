"""The last line says what could not be checked."""

import pytest

from reference import FIGURES, find_reference


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    unchecked = [FIGURES[name] for name in FIGURES if find_reference(name) is None]
    if unchecked:
        total = sum(n for _, n in unchecked)
        sources = ", ".join(source for source, _ in unchecked)
        terminalreporter.write_line(
            f"unchecked: {total:,} figures of {sources} (their files are not beside the project)"
        )
