"""Canaries in levels, labels, reasons, notes and file names: none of them is in the log."""

import pytest

from project_cases import ANALYST, OFFICER, PROJECT, edited, made, run
from unveil.errors import UnveilError
from unveil.project.decide import decide
from unveil.project.edit_project import list_flags_now
from unveil.project.log import read_log
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.verify import verify_project
from unveil.project.whatif import whatif

LEVEL, LABEL, REASON, NOTE, ANSWER, FILE, TITLE = (
    f"canary{name}4711" for name in ("level", "label", "reason", "note", "answer", "file", "title")
)
DECIDER = "E. Moe, custodian"
CANARIES = (LEVEL, LABEL, REASON, NOTE, ANSWER, FILE, TITLE)
FACTORS = (
    "release_context",
    "taken_for_real",
    "other_sources",
    "intruder_knowledge",
    "method_released",
)


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """A project in which everything that is logged has happened."""
    folder = tmp_path_factory.mktemp("canaries")
    text = PROJECT.replace('title = "Desk"', f'title = "{TITLE}"').replace(
        "original.csv", f"{FILE}.csv"
    )
    made(folder, text.replace("[context]", "[context]\nfour_eyes = true"), level=LEVEL)
    (folder / "original.csv").rename(folder / f"{FILE}.csv")
    (folder / "labels.csv").write_text(
        f"variable,label,value,value_label\nabroad,{LABEL},{LEVEL},{LABEL}\n", encoding="utf-8"
    )
    run(folder)
    Project(folder).accept_limits(by=OFFICER, preset="registered")
    for factor in FACTORS:
        Project(folder).answer(factor, ANSWER, by=ANALYST)
    one = f"neighbour/abroad={LEVEL}"
    Project(folder).rule(one, accept=True, reason=REASON, by=ANALYST)
    Project(folder).rule(one, accept=False, reason=REASON, by=ANALYST, instead=True)
    pair = f"neighbour/abroad={LEVEL}@sex=m"
    Project(folder).rule(pair, accept=False, reason=REASON, by=ANALYST)
    whatif(read_project(folder), [f"abroad={LEVEL}@sex=f"], keep=True, reason=REASON, by=ANALYST)
    edited(folder, f'title = "{TITLE}"', f'title = "{TITLE} again"')
    run(folder)
    for finding in list_flags_now(read_project(folder)):
        if finding.state == "open":
            Project(folder).rule(finding.id, accept=False, reason=REASON, by=ANALYST)
    with pytest.raises(UnveilError):
        decide(read_project(folder), release=True, by=DECIDER, note=NOTE)
    decide(read_project(folder), release=False, by=DECIDER, note=NOTE)
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (100, 100), "S_pMSE": None})
    Project(folder).accept_limits(by=OFFICER, changes={"repU": (100, 100)})
    decide(read_project(folder), release=True, by=DECIDER, note=NOTE)
    return folder


@pytest.mark.slow
def test_every_event_of_these_commands_was_driven(driven):
    events = {line.event for line in read_log(driven)}
    assert events == {"run", "limits", "context", "ruling", "exclude", "edited", "decision"}
    assert verify_project(driven).faults == ()


@pytest.mark.slow
def test_the_canaries_are_where_they_belong(driven):
    text = (driven / "project.toml").read_text(encoding="utf-8")
    assert all(one in text for one in (LEVEL, REASON, ANSWER, FILE, TITLE))
    assert NOTE in (driven / "decisions/0001.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("canary", CANARIES)
def test_no_line_of_the_log_holds_a_canary(driven, canary):
    for name in ("log.jsonl", "confidential/log_head.json"):
        assert canary.casefold() not in (driven / name).read_text(encoding="utf-8").casefold()


def test_no_line_of_the_log_holds_a_path_or_a_level(driven):
    for line in read_log(driven):
        assert "/" not in (line.subject or "")
        assert "=" not in (line.subject or "")
        assert ".csv" not in (line.subject or "")


@pytest.mark.parametrize("canary", CANARIES)
def test_the_check_of_the_log_tells_no_canary(driven, canary, tmp_path):
    import shutil

    folder = shutil.copytree(driven, tmp_path / "desk")
    for place in (folder / "decisions").iterdir():
        place.write_text(place.read_text(encoding="utf-8").replace(NOTE, "x"), encoding="utf-8")
    shutil.rmtree(folder / "runs/0001")
    assert canary not in verify_project(folder).to_json()
