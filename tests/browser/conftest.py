"""A browser on this machine, closed by itself; every request it makes is written down."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Opened:
    """A page, what its console said, and what it asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def chromium() -> str | None:
    """The browser to drive: one that is named, or the system's own."""
    return os.environ.get("UNVEIL_CHROMIUM") or shutil.which("chromium")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the extra `browser` is not installed: pages unseen"
    )
    program = chromium()
    if program is None:
        pytest.skip("no chromium is installed: pages unseen")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=program, args=["--disable-background-networking"]
        )
        yield opened
        opened.close()


@pytest.fixture
def opening(browser: Any) -> Iterator[Any]:
    """A function that opens a file: at a width, in light or dark, with the policy or without."""
    contexts = []

    def opened(path: Path, **asked: Any) -> Opened:
        # axe is a script, which the policy of the page itself would stop.
        context = browser.new_context(offline=True, **asked)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.on("console", lambda message: found.said.append(message.text))
        found.page.on("pageerror", lambda fault: found.said.append(str(fault)))
        found.page.on("request", lambda request: found.asked.append(request.url))
        found.page.goto(path.as_uri())
        return found

    yield opened
    for context in contexts:
        context.close()
