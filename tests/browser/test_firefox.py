"""Do the screens hold in Firefox too? Driven by its own protocol, where it is installed."""

import json
import shutil
import socket
import subprocess
from contextlib import contextmanager

import pytest

from app.conftest import serving
from app.conftest import wait_for as wait_until
from browser.test_app import ANALYST, PAGES, PHONE
from unveil import Project

pytestmark = [pytest.mark.browser, pytest.mark.app, pytest.mark.slow]
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class Marionette:
    """The protocol of Firefox: messages of JSON, each with its length before it."""

    def __init__(self, port):
        self._file = wait_until(lambda: connect(port)).makefile("rwb")
        self._read()
        self("WebDriver:NewSession", capabilities={})

    def __call__(self, name, **given):
        text = json.dumps([0, 1, name, given]).encode()
        self._file.write(b"%d:%s" % (len(text), text))
        self._file.flush()
        _, _, fault, result = self._read()
        assert fault is None, fault
        return result

    def run(self, script):
        """What a script on the page returns."""
        return self("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def _read(self):
        size = b""
        while not size.endswith(b":"):
            size += self._file.read(1)
        return json.loads(self._file.read(int(size[:-1])))


def connect(port):
    try:
        return socket.create_connection(("127.0.0.1", port), 60)
    except OSError:
        return None


@contextmanager
def firefox(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder.mkdir()
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    words = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=quiet, stderr=quiet) as own:
        try:
            yield Marionette(port)
        finally:
            own.terminate()


def check_in_firefox(example_project, tmp_path):
    folder = shutil.copytree(example_project, tmp_path / "survey")
    with serving(folder) as app, firefox(tmp_path / "profile") as driver:
        base = app.browser.base
        driver("WebDriver:Navigate", url=app.browser.address)
        wait_until(lambda: driver.run("return location.pathname") == "/")
        for width in (1280, PHONE["width"]):
            driver("WebDriver:SetWindowRect", width=width, height=900)
            for path in PAGES:
                driver("WebDriver:Navigate", url=base + path)
                assert driver.run("return document.querySelector('h1').innerText"), path
                wide = driver.run("return document.documentElement.scrollWidth - innerWidth")
                assert (path, wide <= 0) == (path, True)
        hosts = driver.run(
            "return performance.getEntriesByType('resource').map(one => new URL(one.name).origin)"
        )
        assert set(hosts) == {base}
        driver("WebDriver:Navigate", url=f"{base}/risk")
        wait_until(lambda: driver.run("return !!document.querySelector('#live svg')"))
        driver.run("document.querySelector('input[name=f]:not(:disabled)').click()")
        ticked = "return document.querySelector('#live').innerText.includes('as ticked')"
        wait_until(lambda: driver.run(ticked))
        driver.run(
            "for (const [name, text] of [['reason', 'known'], ['by', 'BY']])"
            " document.querySelector(`#ruling [name=${name}]`).value = text;"
            " document.querySelector('[formaction=\"/risk/rule\"]').click()".replace("BY", ANALYST)
        )
        wait_until(lambda: driver.run("return !!document.querySelector('#ruled .good')"))
    assert len(Project.open(folder).file.rulings) == 1


if FIREFOX:

    def test_every_screen_reads_in_firefox_and_a_ruling_is_recorded(example_project, tmp_path):
        check_in_firefox(example_project, tmp_path)
