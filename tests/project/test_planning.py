"""Which parts a project declares, with which settings."""

import json
from pathlib import Path

import pytest

from project.run_projects import HEAD, SCENARIO, people, project
from unveil.errors import RolesError, SettingsError
from unveil.project.model import ProjectFile
from unveil.project.plan_run import exclusions_of, plan_parts
from unveil.project.run import run_project
from unveil.project.sources import Inputs, hash_files
from unveil.records.run import Run

CONTROL = 'control = "control.csv"\n'
TWO = HEAD.replace('["copy.csv"]', '["copy.csv", "copy_2.csv"]')


def names(made: ProjectFile) -> list[str]:
    return [part.name for part in plan_parts(made, Inputs(made, hash_files(made)))[0]]


def settings(run: Run, part: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(run.part(part).settings)
    return found


def test_a_scenario_has_its_parts_and_the_files_have_theirs(tmp_path: Path) -> None:
    assert names(project(tmp_path)) == [
        "gate",
        "disclosure neighbour",
        "exclusion_table neighbour",
        *(
            f"{kind} neighbour {target}"
            for target in ("work", "town", "income")
            for kind in ("cap", "tcap", "gtcap")
        ),
        "suda neighbour",
        "match_risk neighbour",
        "singling_out",
        "structure",
        "utility",
        "tables",
        "compare",
        "projection",
    ]


def test_with_a_control_attacks_are_made_on_every_copy(tmp_path: Path) -> None:
    found = names(project(tmp_path, SCENARIO, head=TWO + CONTROL, copies=2))
    for kind in ("inference neighbour", "linkability neighbour", "singling_out", "membership"):
        assert [name for name in found if name.startswith(kind)] == [
            f"{kind} copy 1",
            f"{kind} copy 2",
        ]
    assert "excess neighbour" in found
    assert "structure copy 2" in found


def test_measures_of_a_scenario_pick_its_parts(tmp_path: Path) -> None:
    only = SCENARIO + 'measures = ["disclosure", "suda"]\n'
    found = names(project(tmp_path, only, head=HEAD + CONTROL))
    assert [name for name in found if "neighbour" in name] == [
        "disclosure neighbour",
        "suda neighbour",
    ]
    assert not {"singling_out", "membership"} & set(found)


@pytest.mark.slow
def test_all_targets_are_neither_keys_nor_identifiers_nor_ignored(tmp_path: Path) -> None:
    roles = '\n[roles]\nidentifier = ["town"]\nignore = ["work"]\n'
    run = run_project(project(tmp_path, SCENARIO, roles))
    assert settings(run, "disclosure neighbour")["targets"] == ["income"]
    assert settings(run, "tables")["columns"] == ["sex", "age", "income"]


@pytest.mark.slow
def test_declared_targets_are_all_targets(tmp_path: Path) -> None:
    run = run_project(project(tmp_path, SCENARIO, '\n[roles]\ntarget = ["town", "sex"]\n'))
    assert settings(run, "disclosure neighbour")["targets"] == ["town"]


@pytest.mark.slow
def test_a_target_that_a_copy_lacks_is_left_out_and_told(tmp_path: Path) -> None:
    made = project(tmp_path)
    people(2).drop("work").write_csv(tmp_path / "copy.csv")
    run = run_project(made)
    assert settings(run, "disclosure neighbour")["targets"] == ["town", "income"]
    assert run.warnings[0].startswith("Scenario 'neighbour': 1 of 3 targets are not in every")


@pytest.mark.slow
def test_a_published_table_is_the_baseline_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("town,n\nA,5\nB,3\nC,2\n")
    (tmp_path / "by_sex.csv").write_text("sex,town,n\nf,A,5\nf,B,1\nf,C,1\nm,A,3\nm,B,2\nm,C,9\n")
    (tmp_path / "other.csv").write_text("height,n\n1,2\n")
    more = "".join(f'\n[[published]]\ntable = "{n}.csv"\n' for n in ("towns", "by_sex", "other"))
    made = project(tmp_path, SCENARIO, more)
    run = run_project(made)
    assert settings(run, "cap neighbour town")["baseline"] == "by_sex.csv"
    assert settings(run, "cap neighbour work")["baseline"] is None
    told = [one for one in run.warnings if "was not used for any target" in one]
    assert [one.split("'")[1] for one in told] == ["towns.csv", "other.csv"]


def test_exclusions_in_force_are_entries_and_accepted_rulings(tmp_path: Path) -> None:
    said = """
[[exclude]]
target = "work"
level = "no"
reason = "known"
by = "Ann"
[[exclude]]
scenario = "other"
rule = "missing-targets"
reason = "known"
by = "Ann"
[[ruling]]
finding = "neighbour/town=A@sex=f"
accept = true
reason = "known"
by = "Ann"
[[ruling]]
finding = "neighbour/town=B"
accept = false
reason = "a risk"
by = "Ann"
[[ruling]]
finding = "other/town two-way"
accept = true
reason = "known"
by = "Ann"
"""
    other = '\n[[scenario]]\nname = "other"\nkeys = ["age"]\ntargets = ["town"]\n'
    audience = '\n[context]\naudience = "registered"\n'
    made = project(tmp_path, audience, SCENARIO, other, said)
    assert exclusions_of(made, "neighbour") == {
        "exclude": ["work=no", "town=A@sex=f"],
        "exclude_pairs_of": [],
    }
    assert exclusions_of(made, "other") == {
        "exclude": ["work=no", "missing-targets"],
        "exclude_pairs_of": ["town"],
    }


@pytest.mark.slow
def test_an_exclusion_that_does_not_fit_is_set_aside_and_told(tmp_path: Path) -> None:
    entry = '\n[[exclude]]\ntarget = "{}"\nlevel = "{}"\nreason = "r"\nby = "Ann"\n'
    other = '\n[[scenario]]\nname = "other"\nkeys = ["age"]\ntargets = ["town"]\n'
    lines = entry.format("work", "no") + entry.format("town", "Atlantis")
    run = run_project(project(tmp_path, SCENARIO, other, lines))
    assert [one for one in run.warnings if "set aside" in one] == [
        "disclosure neighbour: The exclusion 'town=Atlantis' was set aside: no one has such a"
        " level.",
        "disclosure other: The exclusion 'work=no' was set aside: a column of it is no key or"
        " target here.",
        "disclosure other: The exclusion 'town=Atlantis' was set aside: no one has such a level.",
    ]
    assert run.part("disclosure neighbour").state == "measured"


def test_a_project_without_copies_measures_the_original_alone(tmp_path: Path) -> None:
    made = project(tmp_path, head=HEAD.replace('["copy.csv"]', "[]"))
    run = run_project(made)
    assert [part.kind for part in run.parts] == ["suda", "match_risk"]
    assert run.warnings == (
        "The project names no synthetic file yet: only the original was measured.",
    )


def test_a_project_that_declares_nothing_is_refused(tmp_path: Path) -> None:
    made = project(tmp_path, "\n", head=HEAD.replace('["copy.csv"]', "[]"))
    with pytest.raises(SettingsError, match="declares nothing that can be measured"):
        run_project(made)
    assert list((tmp_path / "runs").iterdir()) == []


def test_columns_that_the_files_lack_are_told_before_anything_is_measured(tmp_path: Path) -> None:
    made = project(tmp_path, SCENARIO.replace('"age"', '"aeg"'))
    with pytest.raises(RolesError, match="has no column 'aeg'"):
        run_project(made)


@pytest.mark.slow
def test_a_key_alone_cannot_link_two_files(tmp_path: Path) -> None:
    made = project(tmp_path, SCENARIO.replace('["sex", "age"]', '["age"]'), head=HEAD + CONTROL)
    part = run_project(made).part("linkability neighbour")
    assert part.state == "not measured"
    assert part.reason == "Linkability needs at least two keys: some for each of two files."
