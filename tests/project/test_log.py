"""The log: a chain that shows whatever is changed, removed, moved or added afterwards."""

import json
import multiprocessing
import shutil

import pytest

from project_cases import ANALYST, OFFICER, edited, ran, ready
from unveil.errors import InternalError, ReadError
from unveil.project import log
from unveil.project import log as log_file
from unveil.project.decide import decide
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.verify import verify_project
from unveil.records.judgement import LogLine


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A project with a run, everything said, and a decision."""
    folder = ready(tmp_path_factory.mktemp("whole"))
    decide(read_project(folder), release=True, by=OFFICER, note="Fine.")
    return folder


@pytest.fixture
def desk(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "desk")


def sentences(folder):
    return [fault.sentence for fault in verify_project(folder).faults]


def lines(folder):
    return (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()


def put(folder, kept):
    (folder / "log.jsonl").write_text("".join(f"{one}\n" for one in kept), encoding="utf-8")


def test_what_nobody_touched_has_no_fault(desk):
    check = verify_project(desk)
    assert check.faults == ()
    assert (check.n_runs, check.n_decisions, check.is_edited) == (1, 1, False)
    assert check.n_lines == len(lines(desk)) == len(log.read_log(desk))
    assert check.head == log.log_head(desk) == json.loads(lines(desk)[-1])["hash"]


def test_an_empty_folder_has_an_empty_log(tmp_path):
    assert verify_project(tmp_path).faults == ()
    assert log.read_log(tmp_path) == ()
    assert log.log_head(tmp_path) == log.ORIGIN


def test_every_line_holds_the_hash_of_the_one_before(desk):
    found = log.read_log(desk)
    assert [line.n for line in found] == list(range(1, len(found) + 1))
    assert [line.previous for line in found] == [log.ORIGIN, *(one.hash for one in found[:-1])]


@pytest.mark.parametrize("place", [0, 3, -1])
def test_a_changed_byte_of_a_line_is_seen(desk, place):
    kept = lines(desk)
    at = range(1, len(kept) + 1)[place]
    kept[place] = (
        kept[place]
        .replace('"by":"A. Jones', '"by":"A. Janes')
        .replace('"by":"B. Smith', '"by":"B. Smyth')
    )
    put(desk, kept)
    assert f"Line {at} was changed: its hash differs." in sentences(desk)


def test_a_line_that_is_written_otherwise_is_seen_even_if_it_says_the_same(desk):
    kept = lines(desk)
    kept[1] = json.dumps(json.loads(kept[1]))
    put(desk, kept)
    assert sentences(desk) == ["Line 2 was changed: its hash differs."]


def test_a_line_forged_with_a_hash_of_its_own_breaks_the_chain(desk):
    kept = lines(desk)
    line = LogLine.from_json(kept[1])
    fields = {**line.to_dict(), "by": "C. Doe, nobody", "hash": ""}
    forged = LogLine(**fields)
    kept[1] = LogLine(**{**fields, "hash": log.hash_line(forged)}).to_json(indent=-1)
    put(desk, kept)
    assert "Line 3 does not follow the line before it." in sentences(desk)


def test_a_line_that_is_no_line_is_seen(desk):
    kept = lines(desk)
    kept[2] = "nonsense"
    put(desk, kept)
    assert "Line 3 is not a log entry: it was changed." in sentences(desk)
    with pytest.raises(ReadError, match=r"Line 3 of log\.jsonl cannot be read"):
        log.read_log(desk)


def test_a_line_removed_in_the_middle_is_seen(desk):
    kept = lines(desk)
    put(desk, [*kept[:2], *kept[3:]])
    assert sentences(desk) == [
        "Line 3 does not follow the line before it. Lines are missing before it."
    ]


def test_a_log_that_was_chained_anew_without_a_line_is_seen_by_the_decision(desk):
    forged, previous = [], log.ORIGIN
    for line in [one for one in log.read_log(desk) if one.subject != "other_sources"]:
        fields = {**line.to_dict(), "n": len(forged) + 1, "previous": previous, "hash": ""}
        previous = log.hash_line(LogLine(**fields))
        forged.append(LogLine(**{**fields, "hash": previous}))
    put(desk, [log_file.encode_line(line).decode() for line in forged])
    head = log.LogHead(n=len(forged), hash=previous)
    (desk / log.HEAD).write_text(head.to_json(), encoding="utf-8")
    assert sentences(desk) == ["Decision 1 began after a line that is missing from the log."]


def test_lines_removed_at_the_end_are_seen(desk):
    kept = lines(desk)
    put(desk, kept[:-1])
    assert sentences(desk) == [
        f"The log once had a line {len(kept)} that is missing now: lines were removed at the end,"
        " or changed.",
        "Decision 1 is not in the log: it was added.",
    ]


def test_a_line_removed_at_the_end_is_seen_where_no_run_or_decision_tells(tmp_path):
    folder = ready(tmp_path)
    kept = lines(folder)
    put(folder, kept[:-1])
    assert sentences(folder) == [
        f"The log once had a line {len(kept)} that is missing now: lines were removed at the end,"
        " or changed."
    ]


def test_a_gap_at_the_end_stays_to_be_seen_when_the_log_goes_on(tmp_path):
    folder = ready(tmp_path)
    put(folder, lines(folder)[:-1])
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    told = sentences(folder)
    assert len(told) == 1
    assert told[0].endswith("Lines are missing before it.")


def test_lines_that_were_swapped_are_seen(desk):
    kept = lines(desk)
    put(desk, [kept[0], kept[2], kept[1], *kept[3:]])
    assert [one for one in sentences(desk) if "does not follow" in one]


def test_a_whole_log_that_is_gone_is_seen(desk):
    (desk / "log.jsonl").unlink()
    told = sentences(desk)
    assert any("lines were removed at the end" in one for one in told)
    assert "Run 1 is not in the log: it was added." in told


def test_a_head_that_is_gone_is_told(desk):
    (desk / log.HEAD).unlink()
    assert sentences(desk) == [
        "The head of the log is missing, so lines removed at the end would not be noticed."
    ]


def a_part(folder):
    return sorted((folder / "runs/0001/parts").iterdir())[0]


def change(place):
    content = bytearray(place.read_bytes())
    at = content.index(b"1")
    content[at : at + 1] = b"2"
    place.write_bytes(content)


def test_a_changed_byte_of_results_is_seen(desk):
    change(desk / "runs/0001/results.json")
    assert "The results of run 1 were changed after it was logged." in sentences(desk)
    assert any("results of run 1 that have changed" in one for one in sentences(desk))


def test_results_that_cannot_be_read_are_seen(desk):
    (desk / "runs/0001/results.json").write_text("{}", encoding="utf-8")
    assert "The results of run 1 cannot be read." in sentences(desk)


def test_results_that_are_gone_are_seen(desk):
    (desk / "runs/0001/results.json").unlink()
    assert "Run 1 has no results.json." in sentences(desk)


def test_a_changed_byte_of_a_part_is_seen(desk):
    change(a_part(desk))
    check = verify_project(desk)
    assert [fault.sentence for fault in check.faults] == ["A part of run 1 was changed."]
    assert check.faults[0].file == f"runs/0001/parts/{a_part(desk).name}"


def test_a_part_that_is_gone_is_seen(desk):
    a_part(desk).unlink()
    assert sentences(desk) == ["A part of run 1 is gone."]


def test_a_file_added_to_a_run_is_seen(desk):
    (desk / "runs/0001/parts/more.json").write_text("{}", encoding="utf-8")
    assert sentences(desk) == ["Run 1 holds a file that it did not write."]


def test_a_changed_byte_of_a_decision_is_seen(desk):
    place = desk / "decisions/0001.json"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace("Fine.", "Mine."), encoding="utf-8")
    assert sentences(desk) == ["Decision 1 was changed after it was logged."]


def test_a_decision_that_is_gone_or_added_is_seen(desk):
    (desk / "decisions/0001.json").rename(desk / "decisions/0002.json")
    told = sentences(desk)
    assert "Decision 2 is not in the log: it was added." in told
    assert "Decision 1 is in the log but its file is missing." in told


def test_a_file_among_the_decisions_that_is_none_is_seen(desk):
    (desk / "decisions/notes.txt").write_text("x", encoding="utf-8")
    assert sentences(desk) == [
        "decisions/notes.txt is not a decision of this project: it was added."
    ]


def test_a_changed_seed_is_seen(desk):
    change(desk / "confidential/seed.json")
    assert sentences(desk) == [
        "The seed is not the one of run 1: it was changed, or a run with another seed was not"
        " finished."
    ]


def test_a_seed_that_is_gone_is_seen(desk):
    (desk / "confidential/seed.json").unlink()
    assert sentences(desk) == ["The seed of run 1 is missing."]


@pytest.mark.slow
def test_a_run_folder_that_is_gone_is_seen(desk):
    shutil.rmtree(desk / "runs/0001")
    assert "Run 1 is in the log but its folder is missing." in sentences(desk)


def test_a_run_folder_that_was_added_is_seen(desk):
    shutil.copytree(desk / "runs/0001", desk / "runs/0002")
    assert "Run 2 is not in the log: it was added." in sentences(desk)
    (desk / "runs/more").mkdir()
    assert "runs/more is not a run of this project: it was added." in sentences(desk)


def test_a_project_file_edited_by_hand_is_no_fault_and_is_logged_by_the_next_command(tmp_path):
    folder = ran(tmp_path)
    edited(folder, 'title = "Desk"', 'title = "Table"')
    check = verify_project(folder)
    assert (check.faults, check.is_edited) == ((), True)
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    assert [line.event for line in log.read_log(folder)] == ["run", "edited", "context"]
    assert log.read_log(folder)[1].by is None
    assert not verify_project(folder).is_edited


def test_a_torn_last_line_is_told_and_healed(tmp_path):
    folder = ran(tmp_path)
    whole = lines(folder)
    with open(folder / "log.jsonl", "a", encoding="utf-8") as file:
        file.write('{"n":2,"at":"2026-')
    assert len(log.read_log(folder)) == 1
    assert len(sentences(folder)) == 1
    assert sentences(folder)[0].startswith("The last line is incomplete:")
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    assert verify_project(folder).faults == ()
    assert lines(folder)[0] == whole[0]


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path):
    folder = ran(tmp_path)
    place = folder / "log.jsonl"
    place.write_bytes(place.read_bytes().removesuffix(b"\n"))
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    assert [line.event for line in log.read_log(folder)] == ["run", "context"]
    assert verify_project(folder).faults == ()


def test_a_line_written_before_its_head_was_kept_is_no_fault(tmp_path):
    folder = ran(tmp_path)
    before = (folder / log.HEAD).read_bytes()
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    (folder / log.HEAD).write_bytes(before)  # killed in between
    assert verify_project(folder).faults == ()
    Project(folder).answer("taken_for_real", "No.", by=ANALYST)
    assert verify_project(folder).faults == ()


def write_some(folder, times):
    for _ in range(times):
        log.append(folder, event="report", by=ANALYST, subject="1")


@pytest.mark.slow
def test_two_processes_that_write_at_once_make_one_chain(tmp_path):
    (tmp_path / "project.toml").write_text("", encoding="utf-8")
    spawn = multiprocessing.get_context("spawn")
    others = [spawn.Process(target=write_some, args=(tmp_path, 15)) for _ in range(2)]
    for one in others:
        one.start()
    write_some(tmp_path, 15)
    for one in others:
        one.join()
    assert [one.exitcode for one in others] == [0, 0]
    assert (verify_project(tmp_path).faults, len(log.read_log(tmp_path))) == ((), 45)


def test_the_log_and_its_head_are_for_their_owner_alone(desk):
    for name in ("log.jsonl", log.HEAD, "decisions/0001.json"):
        assert (desk / name).stat().st_mode & 0o777 == 0o600


def test_hostile_names_of_people_stay_on_one_line(tmp_path):
    log.append(tmp_path, event="run", by="Ann\x1b[31m\nLee, Prüferin", subject="1")
    assert log.read_log(tmp_path)[0].by == r"Ann\x1b[31m\nLee, Prüferin"


def test_an_event_that_there_is_not_is_a_fault_of_ours(tmp_path):
    with pytest.raises(InternalError, match="The log has no event 'lunch'"):
        log.append(tmp_path, event="lunch")
    assert log.read_log(tmp_path) == ()


def test_what_was_said_while_a_run_was_under_way_is_no_edit(tmp_path):
    folder = ran(tmp_path)
    began = log.read_log(folder)[-1].project_sha256
    Project(folder).answer("other_sources", "None.", by=ANALYST)
    log.append(folder, event="run", subject="2", project_sha256=began)
    Project(folder).answer("taken_for_real", "No.", by=ANALYST)
    events = [line.event for line in log.read_log(folder)]
    assert events == ["run", "context", "run", "context"]


def test_hostile_names_of_columns_stay_on_one_line(tmp_path):
    log.append(tmp_path, event="exclude", subject="a\nb\x1b[31m" + "c" * 300)
    (line,) = log.read_log(tmp_path)
    assert line.subject.startswith(r"a\nb\x1b[31mccc")
    assert len(line.subject) == 200
    assert verify_project(tmp_path).faults == ()
