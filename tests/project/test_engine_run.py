"""A run by an engine: the figures of memory for what it counts; the rest is named, never passed."""

import msgspec
import polars as pl
import pytest
from tests.project.run_projects import LIMITS, SCENARIO, project

import unveil
from unveil.cli import main
from unveil.measure.gate import engine_evidence
from unveil.project.measure_parts import BY_COUNTS
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.run_result import RunResult

ENGINES = ["chunks", pytest.param("duckdb", marks=pytest.mark.large)]
COUNTED = [kind for kind in BY_COUNTS if kind not in ("sap", "plan", "protection", "gate")]
RICH = """schema = 1
title = "Rich"

[data]
original = "people.csv"
synthetic = ["copy.csv", "copy_2.csv"]
labels = "labels.csv"
missing_values = ["C"]
types = {age = "integer"}
special_codes = {income = [100]}

[roles]
identifier = []
sensitive = {work = ["yes"]}

[[scenario]]
name = "neighbour"
keys = ["sex", "age", "town"]
targets = ["work", "income"]
bands = {age = 4}

[[exclude]]
rule = "missing-keys"
reason = "nobody knows"
by = "A. Jones, analyst"

[[protect.step]]
do = "round"
column = "income"
to = 100

[[protect.step]]
do = "top_code"
column = "age"
at = 35
"""


def rich(folder):
    """Two copies, recoded as the original was not; types, labels, missing values, exclusions."""
    made = project(folder, copies=2)
    for name in ("copy", "copy_2"):
        frame = pl.read_csv(folder / f"{name}.csv")
        income, age = pl.col("income"), pl.col("age")
        frame.with_columns((income + 50) // 100 * 100, age.clip(upper_bound=35)).write_csv(
            folder / f"{name}.csv"
        )
    (folder / "labels.csv").write_text("name,code,label\nwork,yes,at work\nwork,no,not at work\n")
    (folder / "project.toml").write_text(RICH)
    return read_project(made.path)


def results(project, **asked):
    """The records of a run without the note on who counted, and the run."""
    run = run_project(project, **asked)
    found = {}
    for part in run.parts:
        if part.file is not None:
            record = msgspec.to_builtins(RunResult.of(project, run).parts[part.name])
            notes = [one for one in record.get("coercions", ()) if one["kind"] != "engine"]
            found[part.name] = {**record, "coercions": notes}
    return found, run


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_figures_are_those_of_memory(engine, tmp_path):
    file = rich(tmp_path)
    expected, _ = results(file, only=["gate", *COUNTED])
    with unveil.use_engine(engine):
        found, run = results(file, only=["gate", *COUNTED])
    assert run.engine == engine
    assert {part.kind for part in run.parts if part.file} == {"gate", *COUNTED}
    assert any("recoded as the synthetic data were" in one for one in run.warnings)
    for name, record in expected.items():
        if name.startswith("cap "):  # unique records need rows
            for field in ("rows", "on_m", "not_measured"):
                record[field] = [
                    one for one in record[field] if one.get("scenario") in (None, "full")
                ]
                found[name][field] = [*found[name][field]]
            record["scenarios"] = ("full",)
        if name == "gate":
            same = ("whole", "single", "copied", "codings", "checks", "n_original")
            assert {one: record[one] for one in same} == {one: found[name][one] for one in same}
            continue
        for field in record:
            assert found[name][field] == record[field], (name, field)


@pytest.mark.slow
def test_what_an_engine_cannot_do_is_named_and_lets_nothing_pass(tmp_path, monkeypatch):
    file = project(tmp_path, SCENARIO, LIMITS, '\n[engine]\nname = "chunks"\nmemory = "1GB"\n')
    run = run_project(file)
    assert run.engine == "chunks"
    assert "Engine: chunks. Counted by polars" in run.warnings[0]
    refused = {part.kind for part in run.parts if part.state == "not measured"}
    assert {"suda", "utility", "compare", "structure", "singling_out"} <= refused
    assert not refused & set(COUNTED)
    told = " ".join(one.sentence for one in run.not_tested)
    assert all(kind in told for kind in refused)
    assert run_project(file).number == run.number  # nothing has changed
    with unveil.use_engine("memory"):  # the call goes before the file
        whole = run_project(file, only=["disclosure"])
    assert (whole.engine, whole.number) == ("memory", run.number + 1)
    with pytest.raises(unveil.EngineError, match="needs the records"):
        run_project(file, records=True)
    with unveil.use_engine("chunks", spill=tmp_path):  # and where nothing was measured before
        other = run_project(project(tmp_path / "other", SCENARIO), only=["match_risk"])
    assert other.engine == "chunks"
    monkeypatch.setattr(engine_evidence, "MOST_BROUGHT", 50)
    monkeypatch.setattr(engine_evidence, "LEAST_BROUGHT", 50)
    again = RunResult.of(file, run_project(file, again=True))
    assert "key-sets-not-counted" in {one.id for one in again.alerts}
    assert again.exit_code in (3, 4)


@pytest.mark.parametrize(
    "said", ['name = "dukdb"', 'memory = "2 apples"', "name = 3", 'speed = "high"']
)
def test_a_wrong_engine_is_named_with_its_line(said, tmp_path):
    with pytest.raises(unveil.SettingsError, match=r"project\.toml, line"):
        project(tmp_path, SCENARIO, f"\n[engine]\n{said}\n")


def exit_code(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_the_plan_of_a_run_is_explained(tmp_path, capsys):
    project(tmp_path, SCENARIO, '\n[engine]\nname = "chunks"\n')
    assert exit_code("run", str(tmp_path), "--explain") == 0
    said = capsys.readouterr().out
    assert "Engine: chunks" in said
    assert "Only these parts are measured: gate, disclosure" in said
    assert not (tmp_path / "runs").exists()
    assert exit_code("run", str(tmp_path), "--explain", "--engine", "auto") == 0
    assert "Engine: memory" in capsys.readouterr().out


def test_a_spill_folder_that_is_not_there_is_refused(tmp_path, capsys):
    project(tmp_path, SCENARIO, '\n[engine]\nspill = "none"\n')
    assert exit_code("run", str(tmp_path)) == 2
    assert "is not there" in capsys.readouterr().err
