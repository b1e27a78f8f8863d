"""Several changes at once: one check, one write, one line of the log; or nothing at all."""

import pytest

from cli.project_commands import typed
from project_cases import ANALYST, OFFICER, edited, ran, run
from unveil.errors import SettingsError, WriteError
from unveil.project import edit_project
from unveil.project.edit_project import ProjectEdit, list_flags_now
from unveil.project.log import read_log
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.verify import verify_project

FINDINGS = ("neighbour/abroad=NO", "neighbour/ill=no", "neighbour/ill=yes@age=31")


def state(folder):
    """The bytes of the project file, and the lines of the log."""
    return (folder / "project.toml").read_bytes(), len(read_log(folder))


def alerted(tmp_path):
    """A project whose synthetic data have a column that the original has not, and its alert."""
    folder = ran(tmp_path)
    place = folder / "copy.csv"
    lines = place.read_text(encoding="utf-8").splitlines()
    more = [f"{line},{'extra' if n == 0 else n % 3}" for n, line in enumerate(lines)]
    place.write_text("\n".join(more) + "\n", encoding="utf-8")
    run(folder)
    return folder, Project(folder).judgement().alerts[0].id


def edit(folder, *steps, by=ANALYST):
    """One edit of several steps, each a function of it."""
    with Project(folder).edit(by=by) as change:
        for step in steps:
            step(change)


def rule_on(finding, *, accept=True, **more):
    return lambda change: change.rule(finding, accept=accept, reason="Known.", **more)


@pytest.fixture
def writes(monkeypatch):
    """The texts that are put in place."""
    found, write = [], edit_project.replace_file

    def writing(place, content, **more):
        found.append(content)
        return write(place, content, **more)

    monkeypatch.setattr(edit_project, "replace_file", writing)
    return found


def test_rulings_answers_limits_and_alerts_are_written_and_logged_once(tmp_path, writes):
    folder, alert = alerted(tmp_path)
    before = len(read_log(folder))
    with Project(folder).edit(by=OFFICER) as change:
        for finding in FINDINGS[:2]:
            change.rule(finding, accept=True, reason="Known.")
        change.rule(FINDINGS[2], accept=False, reason="Not known.")
        change.answer("release_context", "To registered users.")
        change.limits(changes={"DiSCO": (5, 10)})
        change.accept(alert, reason="Small.")
        assert (writes, len(read_log(folder))) == ([], before)
    assert len(writes) == 1
    now = read_project(folder)
    assert now == change.project
    assert [one.finding for one in now.rulings] == [*FINDINGS]
    assert [one.accept for one in now.rulings] == [True, True, False]
    assert now.context.factors["release_context"].by == OFFICER
    assert (now.limits.accepted_by, now.limits.values) == (OFFICER, {"DiSCO": (5.0, 10.0)})
    assert [one.alert for one in now.exceptions] == [alert]
    (line,) = read_log(folder)[before:]
    assert (line.event, line.by) == ("ruling", OFFICER)
    name = alert.partition("=")[0]
    assert line.subject == (
        f"neighbour abroad ill; exception: {name}; limits: DiSCO; context: release_context"
    )
    assert verify_project(folder).faults == ()


def test_many_changes_make_the_text_that_one_after_the_other_makes(tmp_path):
    one, other = ran(tmp_path / "a"), ran(tmp_path / "b")
    with Project(one).edit(by=ANALYST) as change:
        for finding in FINDINGS:
            change.rule(finding, accept=True, reason="Known.")
        change.answer("other_sources", "None.")
    for finding in FINDINGS:
        Project(other).rule(finding, accept=True, reason="Known.", by=ANALYST)
    Project(other).answer("other_sources", "None.", by=ANALYST)
    assert state(one)[0] == state(other)[0]


def test_a_refused_one_among_others_writes_nothing(tmp_path):
    folder = ran(tmp_path)
    before = state(folder)
    with pytest.raises(SettingsError, match="There is no flag 'neighbour/abroad=HM'"):
        edit(folder, rule_on(FINDINGS[0]), rule_on("neighbour/abroad=HM"))
    assert state(folder) == before


@pytest.mark.parametrize("instead", [False, True])
def test_one_finding_is_ruled_on_once_in_an_edit(tmp_path, instead):
    folder = ran(tmp_path)
    before = state(folder)
    other = rule_on('neighbour/"abroad"=NO', accept=False, instead=instead)
    with pytest.raises(SettingsError) as refusal:
        edit(folder, rule_on(FINDINGS[0]), other)
    assert str(refusal.value) == (
        "'neighbour/abroad=NO' is ruled on twice here. Keep one of the two."
    )
    assert state(folder) == before


def test_earlier_rulings_are_replaced_beside_new_ones(tmp_path):
    folder = ran(tmp_path)
    Project(folder).rule(FINDINGS[0], accept=True, reason="Known.", by=ANALYST)
    with Project(folder).edit(by=OFFICER) as change:
        change.rule(FINDINGS[0], accept=False, reason="After all.", instead=True)
        change.rule(FINDINGS[1], accept=True, reason="Known.")
    first, second = read_project(folder).rulings
    assert (first.accept, first.by, second.finding) == (False, OFFICER, FINDINGS[1])


def test_an_alert_is_accepted_once_in_an_edit(tmp_path):
    folder, alert = alerted(tmp_path)
    accept = lambda change: change.accept(alert, reason="Small.")  # noqa: E731
    with pytest.raises(SettingsError, match="was accepted already, by"):
        edit(folder, accept, accept)
    assert read_project(folder).exceptions == ()


def test_a_file_that_was_changed_meanwhile_is_not_written_over(tmp_path):
    folder = ran(tmp_path)
    with pytest.raises(WriteError) as refusal:
        edit(folder, rule_on(FINDINGS[0]), lambda _: edited(folder, '"Desk"', '"Other"'))
    assert str(refusal.value) == (
        "The file 'project.toml' was changed since it was read. Nothing was written. Repeat the"
        " command: it starts from the file as it is now."
    )
    assert refusal.value.exit_code == 2
    assert (read_project(folder).title, read_project(folder).rulings) == ("Other", ())
    assert len(read_log(folder)) == 1


def test_an_error_in_the_block_leaves_the_old_file(tmp_path):
    folder = ran(tmp_path)
    before = state(folder)
    with pytest.raises(ZeroDivisionError):
        edit(folder, rule_on(FINDINGS[0]), lambda _: 1 / 0)
    assert state(folder) == before


@pytest.mark.parametrize("step", ["os.replace", "os.fsync"])
def test_a_crash_while_it_is_written_leaves_the_old_file(tmp_path, monkeypatch, step):
    folder = ran(tmp_path)
    before = state(folder)

    def crash(*given, **more):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        edit(folder, rule_on(FINDINGS[0]), lambda _: monkeypatch.setattr(step, crash))
    monkeypatch.undo()
    assert state(folder) == before
    assert sorted(one.name for one in folder.iterdir() if one.name.startswith(".")) == []
    Project(folder).rule(FINDINGS[0], accept=True, reason="Known.", by=ANALYST)
    assert len(read_project(folder).rulings) == 1


def test_nothing_said_writes_and_logs_nothing(tmp_path):
    folder = ran(tmp_path)
    before = state(folder)
    with ProjectEdit(read_project(folder), ANALYST):
        pass
    assert state(folder) == before
    with pytest.raises(SettingsError, match="A name is required"):
        Project(folder).edit(by="")


def test_several_findings_are_ruled_on_alike_by_one_command(tmp_path):
    folder = ran(tmp_path)
    before = len(read_log(folder))
    said = ("--common-knowledge", "--reason", "Known.", "--by", ANALYST)
    code, shown, _ = typed(folder, "rule", *FINDINGS[:2], *said)
    words = " ".join(shown.split())
    left = sum(one.state == "open" for one in list_flags_now(read_project(folder)))
    assert code == 0
    assert words.startswith("neighbour/abroad=NO: common knowledge. neighbour/ill=no: common")
    flags = "1 flag" if left == 1 else f"{left} flags"
    assert f"2 rulings recorded; {flags} on 1 variable outstanding." in words
    assert len(read_log(folder)) == before + 1


RULINGS = """\
[[ruling]]
finding = "neighbour/abroad=NO"
accept = true
reason = "Known."

[[ruling]]
finding = "neighbour/ill=yes@age=31"
accept = false
reason = "Not known."
"""


def test_a_file_of_rulings_is_written_all_or_none(tmp_path):
    folder = ran(tmp_path / "desk")
    file = tmp_path / "rulings.toml"
    file.write_text(RULINGS, encoding="utf-8")
    assert typed(folder, "rule", "--file", file, "--by", ANALYST)[0] == 0
    found = read_project(folder).rulings
    assert [(one.finding, one.accept, one.reason, one.by) for one in found] == [
        ("neighbour/abroad=NO", True, "Known.", ANALYST),
        ("neighbour/ill=yes@age=31", False, "Not known.", ANALYST),
    ]
    run(folder)
    before = state(folder)
    code, _, told = typed(folder, "rule", "--file", file, "--by", ANALYST)
    assert (code, "There is no flag" in told or "ruled on already" in told) == (2, True)
    assert state(folder) == before


@pytest.mark.parametrize(
    ("text", "more", "sentence"),
    [
        ("", (), "The file 'rulings.toml' has no [[ruling]]."),
        (
            RULINGS.replace("accept = true\n", "").replace('"Not known."', '"..."'),
            (),
            "rulings.toml, line 1: [[ruling]] has no accept. Write accept = true for common"
            " knowledge, false to keep it as a risk.\nrulings.toml, line 8: reason is '...', which"
            ' is only an example. State the reason in a sentence: reason = "...".',
        ),
        (
            RULINGS + 'by = "Ann Bell"\n',
            (),
            "rulings.toml, line 10: [[ruling]] has no setting 'by'. Its settings are: finding,"
            " accept, reason.",
        ),
        (
            RULINGS,
            ("--keep",),
            "A file of rulings has flags, rulings and reasons. Give nothing else beside it.",
        ),
    ],
)
def test_a_wrong_file_of_rulings_is_refused_in_sentences(tmp_path, text, more, sentence):
    folder = ran(tmp_path / "desk")
    file = tmp_path / "rulings.toml"
    file.write_text(text, encoding="utf-8")
    before = state(folder)
    done = typed(folder, "rule", "--file", file, *more, "--by", ANALYST)
    assert done[::2] == (2, sentence)
    assert state(folder) == before
