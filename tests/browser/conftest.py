"""A browser on this machine, closed by itself; every request it makes is written down."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from unveil.app.jobs import Jobs
from unveil.cli.demo import demo


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


@dataclass
class OpenedApp(Opened):
    """A page of the app, and the folder that it shows."""

    folder: Path = Path()
    base: str = ""

    def go(self, path: str) -> Any:
        """Open a page of the app; the answer."""
        return self.page.goto(f"{self.base}{path}")

    def press(self, name: str, within: str = "main") -> None:
        """Press the button of that name."""
        self.page.locator(within).get_by_role("button", name=name, exact=True).click()

    def wait_for_job(self, seconds: float = 240) -> str:
        """Wait until no job is under way, and the page of jobs says so; how the last one ended."""
        self.page.wait_for_url("**/jobs")  # a form that is still being sent would stop what is next
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            jobs = Jobs(self.folder).list()
            if jobs and not jobs[0].is_under_way:
                self.page.get_by_role("heading", name="No job is under way").wait_for()
                return f"{jobs[0].state}: {jobs[0].what}"
            time.sleep(0.2)
        raise AssertionError("the job did not end")


@pytest.fixture
def opening_app(browser: Any) -> Iterator[Any]:
    """A function that serves a folder and opens it in the browser, entered by its address."""
    servers, contexts = [], []

    def opened(folder: Path, **asked: Any) -> OpenedApp:
        command = [sys.executable, "-m", "unveil", "app", str(folder), "--no-open"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        servers.append(server)
        assert server.stderr is not None
        address = re.search(r"http://\S+", server.stderr.readline())
        assert address is not None
        context = browser.new_context(**asked)
        contexts.append(context)
        base = address[0].split("/enter")[0]
        found = OpenedApp(context.new_page(), folder=folder, base=base)
        found.page.set_default_timeout(60_000)  # a machine may be busy
        found.page.on("console", lambda message: found.said.append(message.text))
        found.page.on("pageerror", lambda fault: found.said.append(str(fault)))
        context.on("request", lambda request: found.asked.append(request.url))
        found.page.goto(address[0])
        found.page.wait_for_url(f"{base}/")
        return found

    apps: list[OpenedApp] = []
    yield lambda *given, **asked: apps.append(opened(*given, **asked)) or apps[-1]
    for context in contexts:
        context.close()
    for server in servers:
        server.terminate()
        server.wait(60)
        if server.stderr is not None:
            server.stderr.close()
    for one in apps:  # whatever a test does, nothing is asked of another machine
        assert {url.split("/")[2] for url in one.asked} == {one.base.split("/")[2]}


@pytest.fixture(scope="session")
def example_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded example as a project that was run; copied before it is changed."""
    folder = tmp_path_factory.mktemp("example") / "survey"
    CliRunner().invoke(demo, ["--project", str(folder)], catch_exceptions=False)
    return folder
