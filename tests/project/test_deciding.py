"""A release needs everything said; to refuse is always possible; nothing is overwritten."""

import pytest

from project_cases import ANALYST, OFFICER, edited, ran, ready, run
from unveil.errors import (
    AboveLimitError,
    LockedError,
    RulingNeededError,
    SettingsError,
    TamperedError,
)
from unveil.project.decide import decide, load_decisions
from unveil.project.lock import lock_project
from unveil.project.log import read_log
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.store import results_sha256
from unveil.project.verify import verify_project


def release(folder, by=OFFICER, note="Fine.", **others):
    return decide(read_project(folder), release=True, by=by, note=note, **others)


def test_a_release_keeps_who_why_and_on_what(tmp_path):
    folder = ready(tmp_path)
    found = release(folder)
    assert (found.number, found.release, found.run, found.by) == (1, True, 1, OFFICER)
    assert found.results_sha256 == results_sha256(folder, 1)
    assert found.judgement.exit_code == 0
    assert load_decisions(folder) == (found,)
    last = read_log(folder)[-1]
    assert (last.event, last.subject, last.by) == ("decision", "1 run 1 release", OFFICER)
    assert verify_project(folder).faults == ()


def test_a_second_decision_is_kept_beside_the_first(tmp_path):
    folder = ready(tmp_path)
    release(folder)
    decide(read_project(folder), release=False, by=OFFICER, note="On second thoughts.")
    assert [(one.number, one.release) for one in load_decisions(folder)] == [(1, True), (2, False)]
    assert verify_project(folder).faults == ()


def test_nothing_said_is_refused_with_all_that_is_missing(tmp_path):
    folder = ran(tmp_path)
    with pytest.raises(RulingNeededError) as refusal:
        release(folder)
    told = str(refusal.value)
    assert refusal.value.exit_code == 4
    assert told.startswith("Not released. First:\n- No limits are set")
    assert "more open flags. unveil rule lists them." in told
    assert told.count("- Open flag") == 3
    assert told.count("unveil answer") == 5
    assert not (folder / "decisions").exists()


def test_to_refuse_is_always_possible(tmp_path):
    folder = ran(tmp_path)
    edited(folder, 'keys = ["sex", "age"]', 'keys = ["age"]')
    found = decide(read_project(folder), release=False, by=ANALYST, note="No.")
    assert (found.release, found.judgement.is_current) == (False, False)


def above(folder):
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (0, 1)})


DESPITE = {
    "limit:DiSCO:ill@neighbour": "It is a teaching file.",
    "limit:DiSCO:abroad@neighbour": "It is a teaching file, too.",
}


def test_a_limit_exceeded_is_refused_unless_somebody_says_why(tmp_path):
    folder = ready(tmp_path)
    above(folder)
    with pytest.raises(AboveLimitError, match=r'--despite "limit:DiSCO:ill@') as refusal:
        release(folder)
    assert refusal.value.exit_code == 3
    with pytest.raises(AboveLimitError, match=r'--despite "limit:DiSCO:abroad@') as refusal:
        release(folder, despite=["limit:DiSCO:ill@neighbour=It is a teaching file."])
    assert "DiSCO of ill" not in str(refusal.value)
    found = release(folder, despite=DESPITE)
    assert {one.alert: one.reason for one in found.despite} == DESPITE
    assert {one.files_sha256 for one in found.despite} == {found.judgement.files_sha256}
    assert found.judgement.exit_code == 3


def test_despite_does_not_make_up_for_what_is_missing(tmp_path):
    folder = ready(tmp_path)
    above(folder)
    edited(folder, "[context.other_sources]", "[context.other_sources]\n#")
    text = (folder / "project.toml").read_text(encoding="utf-8")
    head, _, tail = text.partition("[context.other_sources]")
    rest = tail.partition("\n[")[2]
    (folder / "project.toml").write_text(f"{head}[{rest}", encoding="utf-8")
    with pytest.raises(RulingNeededError, match="Which other data"):
        release(folder, despite=DESPITE)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"by": None}, 'A name is required: --by "Name, role".'),
        (
            {"by": "Name, role"},
            "'Name, role' is only an example; write your own. A name is required: --by"
            ' "Name, role".',
        ),
        ({"note": " "}, 'State the reason: --note "...".'),
        (
            {"despite": [""]},
            "--despite '' names no alert. Write its id, =, and why: --despite \"near-copies=...\".",
        ),
        (
            {"despite": ["real-records="]},
            'State why the data are released despite real-records: --despite "real-records=...".',
        ),
        (
            {"by": "two\nlines"},
            "A name is required, in one line and without unprintable characters: --by"
            ' "Name, role".',
        ),
        (
            {"despite": {"limit:DiSCO": "x"}},
            "There is no alert 'limit:DiSCO'. No alert is open.",
        ),
    ],
)
def test_a_decision_without_its_words_is_refused(tmp_path, asked, sentence):
    folder = ready(tmp_path)
    with pytest.raises(SettingsError) as refusal:
        release(folder, **asked)
    assert str(refusal.value) == sentence
    assert not (folder / "decisions").exists()


def test_despite_does_not_go_with_a_refusal(tmp_path):
    with pytest.raises(SettingsError, match="Omit it with --refuse"):
        decide(
            read_project(ready(tmp_path)), release=False, by=OFFICER, note="No.", despite=["x=y"]
        )


def test_settings_or_files_changed_since_the_run_are_refused_with_what_changed(tmp_path):
    folder = ready(tmp_path)
    with open(folder / "copy.csv", "a", encoding="utf-8") as file:
        file.write("m,20,NO,no\n")
    with pytest.raises(RulingNeededError, match=r"'copy.csv' was changed since the run"):
        release(folder)
    edited(folder, 'keys = ["sex", "age"]', 'keys = ["age"]')
    with pytest.raises(RulingNeededError, match="Settings of the project"):
        release(folder)


def test_evidence_that_was_changed_is_refused(tmp_path):
    folder = ready(tmp_path)
    kept = (folder / "log.jsonl").read_text(encoding="utf-8")
    (folder / "log.jsonl").write_text(kept.replace("A. Jones", "A. Janes", 1), encoding="utf-8")
    with pytest.raises(TamperedError, match="unveil log --verify") as refusal:
        release(folder)
    assert refusal.value.exit_code == 3


def test_a_decision_waits_for_nobody_who_is_at_work(tmp_path):
    folder = ready(tmp_path)
    from concurrent.futures import ThreadPoolExecutor

    with lock_project(folder, "unveil run"), ThreadPoolExecutor(1) as other:
        asked = other.submit(release, folder)
        with pytest.raises(LockedError, match="The project is in use"):
            asked.result()


@pytest.mark.parametrize(
    ("by", "what"),
    [
        ("A. Jones, analyst", "ran it"),
        ("a.  JONES, head of all", "ran it"),
        ("C. Doe, reviewer", "wrote a ruling"),
        ("D. Roe, reviewer", "wrote an exclusion"),
    ],
)
def test_four_eyes_let_nobody_release_their_own_work(tmp_path, by, what):
    folder = ready(tmp_path)
    edited(folder, 'audience = "registered"', 'audience = "registered"\nfour_eyes = true')
    text = (folder / "project.toml").read_text(encoding="utf-8")
    ruled = text.replace('reason = "Counted."\nby = "A. Jones, analyst"', "", 1)
    assert ruled != text
    (folder / "project.toml").write_text(
        text.replace(
            'reason = "Counted."\nby = "A. Jones, analyst"',
            'reason = "Counted."\nby = "C. Doe, reviewer"',
            1,
        ),
        encoding="utf-8",
    )
    if "Roe" in by:
        with open(folder / "project.toml", "a", encoding="utf-8") as file:
            file.write(
                '\n[[exclude]]\nrule = "missing-targets"\nreason = "r"\nby = "D. Roe, reviewer"\n'
            )
    with pytest.raises(RulingNeededError, match=rf"\(four_eyes\): .* {what}\."):
        release(folder, by=by)


FOUR_EYES = ('audience = "registered"', 'audience = "registered"\nfour_eyes = true')


def test_four_eyes_let_a_second_person_release(tmp_path):
    folder = ready(tmp_path)
    edited(folder, *FOUR_EYES)
    assert release(folder, by="E. Moe, custodian").release


def test_four_eyes_let_whoever_accepted_the_limits_decide(tmp_path):
    folder = ready(tmp_path)
    edited(folder, *FOUR_EYES)
    assert release(folder, by=OFFICER).release


@pytest.mark.slow
def test_a_run_made_again_by_another_frees_nobody_who_ran_before(tmp_path):
    folder = ready(tmp_path)
    edited(folder, *FOUR_EYES)
    edited(folder, 'analyst = "A. Jones, analyst"', 'analyst = "Sock Puppet"')
    with open(folder / "copy.csv", "a", encoding="utf-8") as file:
        file.write("m,20,NO,no\n")
    assert run(folder, by="Sock Puppet").by == "Sock Puppet"
    with pytest.raises(RulingNeededError, match="Jones, boss ran it"):
        release(folder, by="A. Jones, boss")


def test_a_ruling_replaced_by_another_or_by_hand_frees_nobody_who_ruled_before(tmp_path):
    folder = ready(tmp_path)
    edited(folder, *FOUR_EYES)
    id_ = read_project(folder).rulings[0].finding
    said = {"accept": False, "reason": "Counted.", "instead": True}
    Project(folder).rule(id_, by="C. Doe, reviewer", **said)
    Project(folder).rule(id_, by="Sock Puppet", **said)
    with pytest.raises(RulingNeededError, match="Doe wrote a ruling"):
        release(folder, by="C. Doe")
    Project(folder).rule(id_, by="D. Roe, reviewer", **said)
    edited(folder, "D. Roe, reviewer", "Sock Puppet")
    with pytest.raises(RulingNeededError, match="Roe wrote a ruling"):
        release(folder, by="D. Roe")
