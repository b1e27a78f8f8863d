"""`unveil run` and `unveil compare` on the command line."""

import csv
import io
import json
from pathlib import Path

import pytest

from project.run_projects import HEAD, LIMITS, SCENARIO, limits, people, project
from unveil.cli import main
from unveil.records.judgement import Judgement
from unveil.records.run import Run, RunComparison

LOOSE = limits(99, 100)


def called(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0)


@pytest.mark.slow
def test_a_run_shows_every_target_and_ends_with_4_until_limits_are_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path)
    assert called("run", str(tmp_path)) == 4
    shown = capsys.readouterr().out
    for word in ("work", "town", "income", "CANNOT BE ASSESSED YET", "Re-identification"):
        assert word in shown
    assert "limits not accepted" in " ".join(shown.split())


@pytest.mark.slow
def test_a_limit_that_is_exceeded_ends_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, SCENARIO, LIMITS)
    assert called("run", str(tmp_path)) == 3
    shown = capsys.readouterr().out
    assert "■ above limit" in shown
    assert "Next: unveil explain " in shown


@pytest.mark.slow
def test_a_second_run_says_that_nothing_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path)
    called("run", str(tmp_path))
    capsys.readouterr()
    assert called("run", str(tmp_path)) == 4
    shown = " ".join(capsys.readouterr().out.split())
    assert "all results reused" in shown
    people(5).write_csv(tmp_path / "copy.csv")
    called("run", str(tmp_path))
    assert "reused" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_json_is_one_document_of_run_and_judgement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, SCENARIO, LIMITS)
    file = str(tmp_path / "project.toml")
    code = called("run", file, "--json", "--by", "Al, role", "--seed", "3")
    found = json.loads(capsys.readouterr().out)
    run = Run.from_json(json.dumps(found["run"]))
    judgement = Judgement.from_json(json.dumps(found["judgement"]))
    assert run.by == "Al, role"
    assert code == judgement.exit_code == 3


@pytest.mark.slow
def test_records_are_told_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path)
    called("run", str(tmp_path), "--records", "--json")
    printed = capsys.readouterr()
    json.loads(printed.out)
    assert printed.err == (
        "unveil: CONFIDENTIAL: records at risk written to confidential/records_at_risk_0001.csv."
        " Keep them where the original is kept.\n"
    )


@pytest.mark.slow
def test_sixty_targets_stay_readable_at_any_width(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    only = SCENARIO + 'measures = ["disclosure"]\n'
    made = project(tmp_path, only, LOOSE)
    for name, seed in (("people.csv", 1), ("copy.csv", 2)):
        rows = people(seed)
        more = {f"answer_to_question_{n}": rows["income"] + n % 7 for n in range(57)}
        rows.with_columns(**more).write_csv(tmp_path / name)
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        called("run", str(made.path))
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= width
        assert " more variables: " in " ".join(shown.split())
        # At most 40 lines: on a narrow screen sentences take the room of rows.
        n_rows = sum("● within" in line for line in shown.splitlines())
        assert n_rows >= (12 if width >= 80 else 6)


@pytest.mark.slow
def test_hostile_names_steer_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = HEAD.replace('"Small"', '"<b>Sm[31mall"')
    project(tmp_path, SCENARIO, head=head)
    for name, seed in (("people.csv", 1), ("copy.csv", 2)):
        people(seed).rename({"work": "w\x1b[2Jork"}).write_csv(tmp_path / name)
    called("run", str(tmp_path))
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_copy_of_the_original_is_shouted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path)
    people(1).write_csv(tmp_path / "copy.csv")
    assert called("run", str(tmp_path)) == 3
    shown = capsys.readouterr().out.strip().splitlines()
    assert shown[1].startswith("■ NOT READY FOR RELEASE")
    assert shown[3].startswith(" ■ block: 118 of 120 people (98.3 %)")


def test_a_folder_without_a_project_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("run", str(tmp_path)) == 2
    assert "unveil init" in capsys.readouterr().err


@pytest.mark.slow
def test_compare_shows_what_was_set_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path)
    called("run", str(tmp_path))
    people(5).write_csv(tmp_path / "copy.csv")
    called("run", str(tmp_path))
    capsys.readouterr()
    assert called("compare", "1", "2", "--project", str(tmp_path)) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Runs 1 and 2 compared 1 setting differs between the runs." in shown
    assert "synthetic file copy.csv" in shown
    assert "Disclosure risk" in shown
    assert "Utility" in shown
    called("compare", "1", "2", "--project", str(tmp_path), "--json")
    found = RunComparison.from_json(capsys.readouterr().out)
    called("compare", "1", "2", "--project", str(tmp_path), "--csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == len(found.risk) + len(found.utility)
    assert [float(row["run_1"]) for row in rows if row["measure"] == "repU"] == [
        row.values[0] for row in found.risk if row.measure == "repU"
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1"], "Give at least two run numbers, such as unveil compare 1 2."),
        (["one", "2"], "'one' is not a run number. Write numbers: unveil compare 1 2."),
        (["1", "2"], "The project has no finished run yet. Make one: unveil run."),
        (["1", "2", "--json", "--csv"], "--json and --csv cannot be printed together. Choose one."),
    ],
)
def test_compare_refuses_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    project(tmp_path)
    assert called("compare", *arguments, "--project", str(tmp_path)) == 2
    assert capsys.readouterr().err == f"unveil: {sentence}\n"


@pytest.mark.slow
def test_questions_that_are_alike_are_one_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, SCENARIO)
    called("run", str(tmp_path))
    words = " ".join(capsys.readouterr().out.split())
    assert "Outstanding: limits not accepted; context questions (5 unanswered)." in words
