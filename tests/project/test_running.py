"""A run measures what is new, takes over what is known, and says what it did."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import unveil
from project.run_projects import HEAD, LIMITS, SCENARIO, people, project, tree
from unveil.errors import ReadError, RolesError, SettingsError
from unveil.project import log
from unveil.project import run as desk
from unveil.project.assess_stored_run import list_changes
from unveil.project.fingerprint import fingerprint, settings_sha256
from unveil.project.log_repair import complete_log
from unveil.project.measure_parts import disclosure_of
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.seeds import stored_seed
from unveil.project.store import list_runs, load_parts
from unveil.records.run import Run

CONTROL = 'control = "control.csv"\n'


def states(run: Run) -> set[str]:
    return {part.state for part in run.parts}


@pytest.mark.slow
def test_nothing_changed_makes_no_new_run(tmp_path: Path) -> None:
    made = project(tmp_path)
    first = run_project(made)
    before = tree(tmp_path)
    assert run_project(made) == first
    assert tree(tmp_path) == before
    assert list_runs(tmp_path) == (1,)


@pytest.mark.slow
def test_words_that_decide_no_figure_make_no_new_run(tmp_path: Path) -> None:
    first = run_project(project(tmp_path))
    again = project(tmp_path, SCENARIO, LIMITS, '\n[context]\naudience = "open"\n')
    assert settings_sha256(again) == first.settings_sha256
    assert run_project(again) == first


@pytest.mark.slow
def test_what_has_not_changed_is_taken_over(tmp_path: Path) -> None:
    made = project(tmp_path)
    first = run_project(made)
    wider = project(
        tmp_path, SCENARIO, '\n[[scenario]]\nname = "boss"\nkeys = ["town"]\ntargets = ["work"]\n'
    )
    second = run_project(wider)
    assert second.number == 2
    assert {part.state for part in second.parts if part.scenario == "boss"} <= {
        "measured",
        "not measured",
    }
    # The gate measures every scenario under other codings, so it is asked again.
    old = [part for part in second.parts if part.scenario != "boss" and part.kind != "gate"]
    old = [part for part in old if part.file]
    assert {part.state for part in old} == {"reused"}
    assert {part.reused_from for part in old} == {1}
    for part in old:
        assert part.seconds == first.part(part.name).seconds
        assert part.sha256 == first.part(part.name).sha256


@pytest.mark.slow
def test_a_third_run_says_which_run_measured(tmp_path: Path) -> None:
    run_project(project(tmp_path))
    run_project(project(tmp_path, SCENARIO, '\n[roles]\nignore = ["town"]\n'))
    third = run_project(project(tmp_path, SCENARIO, '\n[roles]\nignore = ["work"]\n'))
    assert third.part("suda neighbour").reused_from == 1
    assert third.part("cap neighbour town").reused_from == 1


@pytest.mark.slow
def test_a_changed_copy_is_measured_anew_and_the_original_is_not(tmp_path: Path) -> None:
    made = project(tmp_path)
    run_project(made)
    people(3).write_csv(tmp_path / "copy.csv")
    second = run_project(made)
    assert second.part("disclosure neighbour").state == "measured"
    assert second.part("suda neighbour").state == "reused"


@pytest.mark.slow
def test_a_record_that_was_tampered_with_is_not_taken_over(tmp_path: Path) -> None:
    first = run_project(project(tmp_path))
    file = first.part("suda neighbour").file
    (tmp_path / "runs/0001" / str(file)).write_text("{}")
    second = run_project(project(tmp_path, SCENARIO, '\n[roles]\nignore = ["town"]\n'))
    assert second.part("suda neighbour").state == "measured"
    assert load_parts(tmp_path, second)["suda neighbour"].n_records == 120


@pytest.mark.slow
def test_a_run_that_lost_a_record_is_made_again_though_nothing_changed(tmp_path: Path) -> None:
    made = project(tmp_path)
    first = run_project(made)
    (tmp_path / "runs/0001" / str(first.part("suda neighbour").file)).unlink()
    second = run_project(made)
    assert second.number == 2
    assert [part.name for part in second.parts if part.state == "measured"] == ["suda neighbour"]


def test_a_name_that_is_none_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="A name is required"):
        run_project(project(tmp_path), by="  ")
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_again_measures_everything_and_finds_the_same(tmp_path: Path) -> None:
    made = project(tmp_path, head=HEAD + CONTROL)
    first = run_project(made)
    second = run_project(made, again=True)
    assert second.number == 2
    assert "reused" not in states(second)
    assert second.figures == first.figures
    assert [part.sha256 for part in second.parts] == [part.sha256 for part in first.parts]


@pytest.mark.slow
def test_records_are_those_of_the_plain_call_with_the_settings_that_are_kept(
    tmp_path: Path,
) -> None:
    run = run_project(project(tmp_path))
    kept = json.loads(run.part("disclosure neighbour").settings)
    kept.pop("exclude_pairs_of")
    copies = [tmp_path / "copy.csv"]
    plain = unveil.disclosure(tmp_path / "people.csv", copies, **kept)
    whole = plain.with_expected(has_parts=True).with_key_sets()
    assert load_parts(tmp_path, run)["disclosure neighbour"] == whole.record


@pytest.mark.slow
def test_ruled_pairs_are_left_out(tmp_path: Path) -> None:
    rows = people(1).with_columns(town=people(1)["sex"])
    ruling = (
        '\n[context]\naudience = "registered"\n[[ruling]]\nfinding = "neighbour/town two-way"\n'
        'accept = true\nreason = "r"\nby = "Ann"\n'
    )
    made = project(tmp_path, SCENARIO, ruling)
    for name in ("people.csv", "copy.csv"):
        rows.write_csv(tmp_path / name)
    run = run_project(made)
    record = load_parts(tmp_path, run)["disclosure neighbour"]
    flagged = unveil.disclosure(rows, rows, keys=["sex", "age"], targets=["town"]).flags
    pairs = {flag.exclusion for flag in flagged if flag.kind == "two_way"}
    assert pairs
    assert set(record.exclude) == pairs
    assert disclosure_of(made, "neighbour").record == record


def test_a_scenario_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RolesError, match=r"There is no scenario 'neighbor'. Did you mean"):
        disclosure_of(project(tmp_path), "neighbor")


@pytest.mark.slow
def test_the_seed_is_drawn_once_and_stays_in_the_confidential_folder(tmp_path: Path) -> None:
    made = project(tmp_path, head=HEAD + CONTROL)
    run = run_project(made)
    seed = stored_seed(tmp_path)
    assert seed is not None
    assert run.seed_file == "confidential/seed.json"
    assert run.seed_sha256 == seed.sha256
    written = b"".join(tree(tmp_path / "runs").values()) + (tmp_path / "log.jsonl").read_bytes()
    assert str(seed.seed).encode() not in written


@pytest.mark.slow
def test_another_seed_measures_what_chance_took_part_in_alone(tmp_path: Path) -> None:
    made = project(tmp_path, head=HEAD + CONTROL)
    run_project(made, seed=1)
    second = run_project(made, seed=2)
    new = {part.kind for part in second.parts if part.state == "measured"}
    assert new == {"singling_out", "linkability", "inference", "membership", "utility"}
    third = run_project(made, seed=1)
    assert {part.state for part in third.parts if part.kind == "utility"} == {"reused"}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_another_folder(tmp_path: Path) -> None:
    runs = [
        run_project(project(tmp_path / name, head=HEAD + CONTROL), seed=5) for name in ("a", "b")
    ]
    assert [p.sha256 for p in runs[0].parts] == [p.sha256 for p in runs[1].parts]
    assert runs[0].seed_sha256 != runs[1].seed_sha256  # a random text stands beside the seed


@pytest.mark.slow
def test_a_damaged_seed_is_a_sentence(tmp_path: Path) -> None:
    made = project(tmp_path)
    run_project(made)
    (tmp_path / "confidential/seed.json").write_text("{}")
    with pytest.raises(ReadError, match=r"'confidential/seed\.json' of the project cannot be read"):
        run_project(made)


def test_a_missing_file_is_told_by_name_with_all_others(tmp_path: Path) -> None:
    made = project(tmp_path, head=HEAD + CONTROL)
    (tmp_path / "copy.csv").unlink()
    (tmp_path / "control.csv").unlink()
    with pytest.raises(ReadError) as told:
        run_project(made)
    assert [line.split("'")[1] for line in str(told.value).split("\n")] == [
        "copy.csv",
        "control.csv",
    ]
    assert list_runs(tmp_path) == ()


@pytest.mark.slow
def test_every_run_has_a_line_in_the_log(tmp_path: Path) -> None:
    made = project(tmp_path)
    run_project(made, by="A. Nalyst, statistician")
    run_project(made, again=True)
    lines = [line for line in log.read_log(tmp_path) if line.event == "run"]
    assert [(line.subject, line.by) for line in lines] == [
        ("1", "A. Nalyst, statistician"),
        ("2", None),
    ]


@pytest.mark.slow
def test_a_run_killed_before_its_line_is_logged_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project(tmp_path)
    monkeypatch.setattr(desk, "log_run", lambda folder, run: None)
    run = run_project(made)
    monkeypatch.undo()
    assert [line for line in log.read_log(tmp_path) if line.event == "run"] == []
    assert run_project(made) == run
    (line,) = [line for line in log.read_log(tmp_path) if line.event == "run"]
    assert line.subject == "1"
    complete_log(tmp_path)
    assert len([line for line in log.read_log(tmp_path) if line.event == "run"]) == 1


@pytest.mark.slow
def test_a_run_that_did_not_begin_on_this_log_is_not_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project(tmp_path)
    monkeypatch.setattr(desk, "log_run", lambda folder, run: None)
    run = run_project(made)
    place = tmp_path / "runs/0001/results.json"
    place.write_text(replace(run, log_head="f" * 64).to_json())
    complete_log(tmp_path)
    assert [line for line in log.read_log(tmp_path) if line.event == "run"] == []


@pytest.mark.slow
def test_no_value_of_the_data_stands_in_the_log(tmp_path: Path) -> None:
    rows = people(1).with_columns(town=people(1)["town"].replace("A", "CANARY TOWN"))
    made = project(tmp_path)
    rows.write_csv(tmp_path / "people.csv")
    run = run_project(made, by="Ann")
    assert b"CANARY" not in (tmp_path / "log.jsonl").read_bytes()
    assert "CANARY" not in run.to_json()


@pytest.mark.slow
def test_what_changed_since_a_run_is_told(tmp_path: Path) -> None:
    made = project(tmp_path)
    run = run_project(made)
    assert list_changes(made, run) == ()
    people(4).write_csv(tmp_path / "copy.csv")
    assert list_changes(made, run) == ("The file 'copy.csv' was changed since the run.",)
    other = project(tmp_path, SCENARIO.replace('"sex", ', ""))
    people(4).write_csv(tmp_path / "copy.csv")
    assert list_changes(other, run)[0] == (
        "Settings of the project that decide figures were changed since the run."
    )
    (tmp_path / "people.csv").unlink()
    assert "'people.csv' cannot be read" in list_changes(made, run)[0]


@pytest.mark.slow
def test_a_measure_that_refuses_is_not_measured_with_its_reason(tmp_path: Path) -> None:
    run = run_project(project(tmp_path))
    part = run.part("gtcap neighbour income")
    assert part.state == "not measured"
    assert part.reason is not None
    assert "has no radius" in part.reason
    assert part.file is None


@pytest.mark.slow
def test_an_unexpected_fault_stops_the_run_and_keeps_what_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project(tmp_path)
    whole = desk.Measuring.outcome

    def failing(self, part, seed):  # type: ignore[no-untyped-def]
        if part.kind == "suda":
            raise ZeroDivisionError
        return whole(self, part, seed)

    monkeypatch.setattr(desk.Measuring, "outcome", failing)
    with pytest.raises(ZeroDivisionError):
        run_project(made)
    assert list_runs(tmp_path) == ()
    monkeypatch.undo()
    run = run_project(made)
    names = [part.name for part in run.parts if part.file]
    assert run.n_resumed == names.index("suda neighbour")
    assert not (tmp_path / "runs/.unfinished").exists()


@pytest.mark.slow
def test_progress_is_weighed_by_what_parts_took_before(tmp_path: Path) -> None:
    made = project(tmp_path)
    run = run_project(made)
    told: list[tuple[str, int, int]] = []
    run_project(made, again=True, progress=lambda *step: told.append(step))
    assert told[0] == ("reading the files", 0, 1)
    dones = [done for _, done, _ in told[1:]]
    assert dones == sorted(dones)
    (total,) = {total for _, _, total in told[1:]}
    assert dones[-1] == total
    known = sum(round(1000 * part.seconds) for part in run.parts if part.seconds)
    assert total >= known


@pytest.mark.slow
def test_records_at_risk_are_written_for_the_custodian_alone(tmp_path: Path) -> None:
    made = project(tmp_path)
    hostile = people(1).with_columns(town=people(1)["town"].replace("A", "=cmd()"))
    hostile.write_csv(tmp_path / "people.csv")
    hostile.write_csv(tmp_path / "copy.csv")
    run = run_project(made, records=True)
    text = (tmp_path / f"confidential/records_at_risk_{run.number:04d}.csv").read_text()
    assert text.startswith("scenario,target,row,copy,value,copy_says,why,key sex,key age\n")
    found = unveil.disclosure(hostile, hostile, keys=["sex", "age"]).record
    n = sum(round(row.DiSCO * 120 / 100) for row in found.attribute)
    assert len(text.splitlines()) == n + 1
    assert ",=cmd()" not in text
    assert ",'=cmd()" in text


@pytest.mark.slow
def test_fingerprints_tell_what_decides_figures_apart(tmp_path: Path) -> None:
    files = run_project(project(tmp_path)).files
    base = ("suda", {"keys": ["a"]}, files[:1], None)
    others = [
        ("match_risk", {"keys": ["a"]}, files[:1], None),
        ("suda", {"keys": ["b"]}, files[:1], None),
        ("suda", {"keys": ["a"]}, files[:2], None),
        ("suda", {"keys": ["a"]}, files[:1], 1),
    ]
    marks = {fingerprint(*one) for one in (base, *others)}
    assert len(marks) == 5
    assert fingerprint(*base) in marks


@pytest.mark.slow
def test_the_project_file_is_left_as_it_is(tmp_path: Path) -> None:
    made = project(tmp_path)
    run_project(made)
    assert (tmp_path / "project.toml").read_text() == made.text == read_project(tmp_path).text
