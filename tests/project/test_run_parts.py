"""`unveil run --only`, progress as lines, parts of a run under way, and what a run covers."""

import json

import pytest

from cli.project_commands import typed
from project_cases import made, ran
from unveil.errors import RulingNeededError, SettingsError
from unveil.project.project import Project
from unveil.project.store import DONE, UNFINISHED


def test_a_run_of_some_parts_lets_nothing_pass(tmp_path):
    project = Project(made(tmp_path / "desk"))
    result = project.run(only="disclosure")
    states = {part.kind: part.state for part in result.record.parts}
    assert states["disclosure"] == "measured"
    assert {state for kind, state in states.items() if kind != "disclosure"} == {"not measured"}
    assert result.record.only == ("disclosure",)
    assert result.exit_code in (3, 4)
    said = [one.sentence for one in result.judgement.missing]
    assert "The run measured only disclosure; all else is open." in said
    project.accept_limits(by="B. Smith, officer", changes={"DiSCO": (99, 100)})
    with pytest.raises((RulingNeededError, SettingsError)):
        project.decide(release=True, by="B. Smith, officer", note="Fine.")
    assert project.run(only="disclosure").number == 1  # the same is asked for again
    whole = project.run()
    assert (whole.number, whole.record.only) == (2, ())  # it is not given back for the whole
    assert whole.record.part("disclosure neighbour").state == "reused"
    assert project.run(only="gate").number == 2  # what is known holds for a part of it
    with pytest.raises(SettingsError, match="nothing to measure called 'disclosur'"):
        project.run(only=["disclosur"])


def test_progress_is_lines_of_json(tmp_path):
    folder = made(tmp_path / "desk")
    code, shown, told = typed(
        folder, "run", "--only", "gate", "--progress", "json", takes_option=False
    )
    lines = [json.loads(one) for one in told.splitlines()]
    assert (code in (3, 4), bool(shown)) == (True, True)
    assert lines[0] == {"what": "reading the files", "done": 0, "total": 1}
    assert all(set(one) == {"what", "done", "total"} for one in lines)
    assert lines[-1]["done"] == lines[-1]["total"]


def test_parts_are_read_while_a_run_is_under_way(tmp_path):
    project, seen = Project(made(tmp_path / "desk")), []

    def watch(what, done, total):
        seen.append({part.name: type(record).__name__ for part, record in project.unfinished()})

    result = project.run(progress=watch)
    assert seen[0] == {}
    assert max(map(len, seen)) == sum(one.file is not None for one in result.record.parts)
    assert seen[-1]["disclosure neighbour"] == "Disclosure"
    assert project.unfinished() == ()
    (project.folder / "runs" / UNFINISHED / DONE).mkdir(parents=True)
    assert project.unfinished() == ()


def test_coverage_says_what_was_not_measured_and_why(tmp_path):
    project = Project(ran(tmp_path))
    rows = project.coverage()
    parts = project.result().record.parts
    assert [one.what for one in rows[: len(parts)]] == [one.name for one in parts]
    assert {one.state for one in rows} >= {"measured", "not tested"}
    assert all(one.reason for one in rows if one.state != "measured")


def test_a_study_is_counted_once_and_a_ruling_is_no_reason_to_count_again(tmp_path, monkeypatch):
    from unveil.project import measure_parts

    counts = []
    count = measure_parts.open_scenario
    monkeypatch.setattr(
        measure_parts, "open_scenario", lambda *a, **k: counts.append(1) or count(*a, **k)
    )
    project = Project(ran(tmp_path))
    study = project.study()
    flag = next(one for one in project.judgement().findings if one.kind == "one_way")
    after = study.live([flag.exclusion])[flag.target]["DiSCO"]
    changed = study.whatif([flag.exclusion]).rows
    row = next(one for one in changed if (one.measure, one.target) == ("DiSCO", flag.target))
    assert (study.live()[flag.target]["DiSCO"], after) == (row.before, row.after)
    project.rule(flag.id, accept=True, reason="Known.", by="A. Jones, analyst")
    assert project.study().live()[flag.target]["DiSCO"] == after
    assert len(counts) == 1


def test_bands_are_those_of_disclosure_with_the_same_breaks(tmp_path):
    import unveil

    folder = ran(tmp_path)
    project = Project(folder)
    scenario, data = project.file.scenarios[0], project.file.data
    record = project.whatif(bands={"age": [30, 50]})
    direct = unveil.disclosure(
        folder / data.original,
        [folder / one for one in data.synthetic],
        keys=scenario.keys,
        targets=project.result().parts["disclosure neighbour"].targets,
        bands={"age": [30, 50]},
    ).record
    found = {(one.target, one.measure): one.after for one in record.rows if one.copy == 1}
    assert found
    for row in direct.attribute:
        if row.copy == 1 and (row.target, "DiSCO") in found:
            assert found[row.target, "DiSCO"] == row.DiSCO
    assert record.bands == ("age=30,50",)
    assert all(one.R is None for one in record.rows)
    shown = typed(folder, "whatif", "--bands", "age=30,50")[1]
    assert "Effect of bands: age=30,50" in shown
    assert typed(folder, "whatif", "--bands", "agee=3")[0] == 2
    kept = ("--keep", "--reason", "x", "--by", "A. Jones, analyst")
    assert "Bands cannot be kept" in typed(folder, "whatif", "--bands", "age=3", *kept)[2]
