import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest

from unveil.cli import main

HTMX = {"hx-request": "true"}


class Browser:
    """What a browser would send, and nothing more: cookie, own origin."""

    def __init__(self, address):
        self.address = address
        self.base = address.partition("/enter")[0]
        self.host = self.base.removeprefix("http://")
        self.cookie = ""

    def send(self, method, path, body=None, headers=None, *, is_chunked=False):
        link = HTTPConnection(self.host, timeout=60)
        given = {"Host": self.host, "Cookie": self.cookie, **(headers or {})}
        given = {name: value for name, value in given.items() if value is not None}
        try:
            link.request(method, path, body, given, encode_chunked=is_chunked)
            answer = link.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            link.close()

    def enter(self):
        status, headers, _ = self.send("GET", self.address.removeprefix(self.base))
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def get(self, path, **headers):
        return self.send("GET", path, headers=headers)

    def post(self, path, fields=(), headers=None):
        own = {"Origin": self.base, "Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", path, urlencode(fields, doseq=True), {**own, **(headers or {})})

    def mark(self):
        found = re.search(r'name="mark" value="([^"]*)"', self.get("/jobs")[2])
        return found[1] if found else ""  # there is no project yet

    def act(self, path, **fields):
        return self.post(path, {"mark": self.mark(), **fields}, HTMX)


class Served:
    """An app in a process of its own."""

    def __init__(self, folder, *more):
        words = [sys.executable, "-m", "unveil", "app", str(folder), "--no-open", *more]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        self.first = self.process.stderr.readline()
        found = re.search(r"http://\S+", self.first)
        self.browser = Browser(found[0]) if found and "enter?token" in self.first else None

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        return self.process.stderr.read()


@contextmanager
def serving(folder, *more):
    app = Served(folder, *more)
    try:
        yield app
    finally:
        if app.process.poll() is None:
            app.end()
        app.process.stderr.close()


def wait_for(what, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def files_in(folder):
    """Every file of a project by content, but what the app notes for itself."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            short = os.path.relpath(path, folder)
            if not short.startswith(("confidential/app", "runs/.lock")):
                with open(path, "rb") as file:
                    found[short] = file.read()
    return found


@pytest.fixture(scope="session")
def example(tmp_path_factory):
    """The embedded example as a project with one run."""
    folder = tmp_path_factory.mktemp("example") / "survey"
    with pytest.raises(SystemExit):
        main(["demo", "--project", str(folder)])
    return folder


@pytest.fixture
def folder(example, tmp_path):
    shutil.copytree(example, tmp_path / "survey")
    return tmp_path / "survey"


@pytest.fixture
def browser(folder):
    with serving(folder) as app:
        yield app.browser.enter()
