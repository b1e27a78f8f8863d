"""What a page does, the command that it shows does too: byte for byte, but for times."""

import asyncio
import html
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.conftest import files_in, serving, wait_for

pytestmark = pytest.mark.app
BY = "Ann Bell, reviewer"
TIMES = re.compile(
    r'"(at|started|finished|seconds|previous|hash|log_head|results_sha256|file_sha256|run_hash'
    r'|date|on|endTime|sha256|seed_sha256)": ?("[^"]*"|[\d.e-]+|null)'
)


def without_times(files):
    """Contents with times, and hashes of what has times in it, taken out."""
    return {
        name: TIMES.sub(r'"\1"', content.decode()) if name.endswith(("json", "jsonl")) else content
        for name, content in files.items()
        if "seed.json" not in name
    }


def shown_command(page):
    """What the bar at the foot of the page shows."""
    return html.unescape(re.search(r'id="cli-words"[^>]*>([^<]*)<', page)[1])


def type_in(folder, command):
    """Run a line in a shell, as a person would who copied it."""
    # What the environment says of linear algebra (a processor, threads) changes last digits.
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    with_us = {**os.environ, "PATH": path, "LANG": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=with_us, capture_output=True, check=False
    )
    assert done.returncode in (0, 3, 4), done.stderr
    return done


def open_twin(folder):
    twin = folder.parent / "twin" / folder.name
    shutil.copytree(folder, twin)
    return twin


HOSTILE = 'It\'s "89 %" $(touch x) `y` \\ ; -- <b> é'
ANSWERS = {
    "release_context": "Registered users, by contract",
    "taken_for_real": "-- marked FAKE",
    "other_sources": "None = known",
    "intruder_knowledge": HOSTILE,
    "method_released": "The class of method",
}
SHORT = {
    "rule": ("/risk/rule", {"f": "0", "accept": "yes", "reason": HOSTILE, "by": BY}),
    "rule on many": (
        "/risk/rule",
        {"f": ["48", "49", "50"], "accept": "yes", "reason": "-known", "by": BY},
    ),
    "keep": ("/risk/rule", {"f": "0", "accept": "no", "reason": "rare", "by": BY}),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_form_does_what_its_command_does(folder, name):
    path, fields = SHORT[name]
    twin = open_twin(folder)
    with serving(folder) as app:
        status, _, page = app.browser.enter().act(path, **fields)
        assert status == 200, page
    assert files_in(folder) != files_in(twin)
    type_in(twin, shown_command(page))
    assert without_times(files_in(folder)) == without_times(files_in(twin))
    log = [json.loads(one) for one in (folder / "log.jsonl").read_text().splitlines()]
    assert [one["event"] for one in log[-2:]] == ["report", "ruling"]  # one line for all of them


def actions():
    from unveil.project import actions as of

    limits = {"DiSCO": (5.5, 60.0), "S_pMSE": None}
    return {
        "limits": of.AcceptLimits(by=BY, preset="registered", changes=limits),
        "answer": of.AnswerQuestion(factor="other_sources", answer=HOSTILE, by=BY),
        "sign": of.Sign(by=BY, is_accepting=True, preset="closed", changes=limits, answers=ANSWERS),
        "answers": of.Sign(by=BY, answers=ANSWERS),
        "refuse": of.Decide(release=False, by=BY, note=HOSTILE),
        "run": of.RunMeasures(by=BY, again=True, seed=7, only=("disclosure", "gate")),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["limits", "answer", "sign", "answers", "refuse", "run"])
def test_an_action_does_what_its_command_does(folder, name):
    from unveil.project.actions import format_command, load_action
    from unveil.project.read_project import read_project

    action, twin = actions()[name], open_twin(folder)
    type_in(twin, format_command(action.command()))
    import msgspec

    again = load_action(msgspec.json.encode(action))  # as a job keeps it
    assert again == action
    again.check(read_project(folder))
    assert files_in(folder).keys() <= files_in(twin).keys()
    again.do(read_project(folder))
    assert without_times(files_in(folder)) == without_times(files_in(twin))


def test_a_check_refuses_and_writes_nothing(folder):
    from unveil.errors import SettingsError
    from unveil.project.actions import RuleOnFlags
    from unveil.project.read_project import read_project

    before = files_in(folder)
    one = RuleOnFlags(findings=("neighbour/nothing=x",), accept=True, reason="x", by=BY)
    with pytest.raises(SettingsError, match="There is no flag"):
        one.check(read_project(folder))
    good = RuleOnFlags(
        findings=("neighbour/condition=no condition",), accept=True, reason="x", by=BY
    )
    good.check(read_project(folder))
    assert files_in(folder) == before


def test_a_page_says_what_is_refused_and_writes_nothing(browser, folder):
    before = files_in(folder)
    for fields, said in (
        ({"f": "0", "by": BY}, "State the reason"),
        ({"f": "0", "reason": "x"}, "A name is required"),
        ({"f": "9999", "reason": "x", "by": BY}, "Nothing is ticked"),
        ({"f": "x", "reason": "x", "by": BY}, "Nothing is ticked"),
    ):
        status, _, page = browser.act("/risk/rule", **fields)
        assert (status, said in page) == (422, True)
    assert files_in(folder) == before


def test_work_that_takes_long_says_so_and_is_found_under_way(monkeypatch):
    from unveil.app import render_app
    from unveil.app.counting_process import Counting

    begun, gate = [], threading.Event()

    def work():
        begun.append(1)
        assert gate.wait(30)
        return "found"

    async def story():
        for _ in range(3):
            with pytest.raises(Counting, match="this may take"):
                await render_app.wait_patiently("question", work, "It is being computed")
        gate.set()
        monkeypatch.setattr(render_app, "WAIT", 30)
        return await render_app.wait_patiently("question", work, "It is being computed")

    monkeypatch.setattr(render_app, "WAIT", 0.01)
    assert (asyncio.run(story()), len(begun)) == ("found", 1)


def test_ticks_move_the_figures_and_are_in_no_address(browser, folder):
    before = files_in(folder)
    wait_for(lambda: "Disclosed correctly" in browser.act("/risk/whatif")[2])
    status, _, page = browser.act("/risk/whatif", f="0")
    assert status == 200
    assert "condition from 44.4 % to 0.1 %." in page
    assert shown_command(page) == 'unveil whatif --exclude "condition=no condition"'
    settled = browser.act("/risk/settle", f="0")[2]
    assert "48 flags would be cleared" in settled
    whole = browser.post("/risk/whatif", {"mark": browser.mark(), "f": "0"})[2]
    assert "<!doctype html>" in whole  # without a script the page comes whole, ticks kept
    assert 'value="0" checked' in whole
    assert files_in(folder) == before
