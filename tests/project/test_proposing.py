"""Proposed projects: what the file says, why, and that it is read without a fault."""

import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.errors import InputError, RolesError, SettingsError, WriteError
from unveil.examples import KEYS, TARGETS, labelled_survey, write_csv
from unveil.io.sources import read_table
from unveil.measure.roles.suggest import suggest
from unveil.project.log import read_log
from unveil.project.proposals import TEMPLATES, propose_codes, propose_radii, propose_scenario
from unveil.project.propose import propose, write_project
from unveil.project.read_project import read_project
from unveil.project.run import run_project

N_ROWS = 400
HOSTILE = 'sex "\\\n[limits]\n# \x1b[31m\u202eage'


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example")
    write_csv(folder)
    return folder


def people():
    rng = np.random.default_rng(5)
    income = rng.integers(5, 60, N_ROWS) * 100
    return pl.DataFrame(
        {
            "id": np.arange(N_ROWS) * 7 + 100_000,
            "sex": rng.choice(["f", "m"], N_ROWS),
            "age": rng.integers(16, 90, N_ROWS),
            "education": rng.choice(["low", "middle", "high"], N_ROWS),
            "income": np.where(rng.random(N_ROWS) < 0.1, -8, income),
            "height": rng.normal(170, 9, N_ROWS).round(1),
            "debt": np.where(rng.random(N_ROWS) < 0.01, -350, income),
        }
    )


def test_the_example_gives_its_own_keys_and_targets(example):
    text, record = propose(example / "survey.csv", folder=example)
    said = tomllib.loads(text)
    assert {*said["scenario"][0]["keys"]} == {*KEYS}
    assert {*said["roles"]["target"]} == {*TARGETS}
    assert said["scenario"][0]["radii"] == {"age": 5, "income": 200}
    assert said["data"] == {
        **{"original": "survey.csv", "synthetic": [], "special_codes": {"income": [-8]}}
    }
    assert said["context"] == {"audience": "registered", "four_eyes": False}
    assert said["limits"]["DiSCO"] == [5, 10]
    assert "accepted_by" not in said["limits"]
    assert "protect" not in said  # codings are comments
    assert record.scenarios[0].n_unique == 1963
    for reason in (
        "# 1,963 of 5,000 people are unique on these keys.",
        "DiSCO = [5, 10] # no published value: your decision",
        "S_pMSE = [3, 10] # synthpop's vignette on utility: all pairs below 10, better below 3",
        "# - release_context: To whom will the synthetic data be released",
        '"income", # money in its name: sensitive',
        '# [[protect.step]]\n# do = "band"\n# column = "age"',
    ):
        assert reason in text


def test_proposed_codings_are_steps_of_protect_once_their_marks_are_gone(example, tmp_path):
    text = propose(example / "survey.csv", folder=tmp_path)[0]
    head, mark, steps = text.partition("# Recodings")
    taken = "\n".join(line.removeprefix("# ").removeprefix("#") for line in steps.split("\n")[2:])
    (tmp_path / "project.toml").write_text(head + taken, encoding="utf-8")
    assert mark
    plan = read_project(tmp_path).plan
    assert [step.do for step in plan.steps] == ["band", "top_code", "synthesise"]
    assert len(read_project(tmp_path).steps) == 2


def test_labelled_spss_gives_its_labels_and_missing_codes(tmp_path):
    unveil.write_file(labelled_survey(), tmp_path / "survey.sav", fake=False)
    path, _ = write_project(tmp_path / "survey.sav", tmp_path)
    project = read_project(path)
    assert {*project.scenarios[0].keys} == {*KEYS}
    assert project.data.special_codes == {"income": [-8]}
    assert "income = [-8] # declared missing in the file" in project.text


SD2011 = Path(__file__).parents[2] / "../shared/reference/synthpop/sd2011.csv"


@pytest.mark.slow
@pytest.mark.skipif(
    not SD2011.exists(), reason="no reference data: 6 proposals for SD2011 went unchecked"
)
def test_sd2011_gives_the_keys_of_the_paper(tmp_path):
    text, record = propose(SD2011, folder=tmp_path)
    said = tomllib.loads(text)
    assert {*said["scenario"][0]["keys"]} == {"sex", "age", "region", "placesize"}
    assert record.scenarios[0].n_unique == 2419
    assert said["roles"]["ignore"] == ["agegr"]
    codes = {"unempdur", "income", "nofriend", "nociga", "wkabdur"}
    assert said["data"]["special_codes"] == {name: [-8] for name in codes}
    assert said["scenario"][0]["radii"]["bmi"] == 0.5
    assert len(record.codings.rows) == 9


def test_every_template_is_read_back_as_the_scenario_it_is(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    write_project(
        tmp_path / "people.csv", tmp_path, templates=[*TEMPLATES], owner=["income", "debt"]
    )
    project = read_project(tmp_path)
    roles = suggest(tmp_path / "people.csv", special_codes={"income": [-8]}).record
    for scenario in project.scenarios:
        made = propose_scenario(scenario.name, roles, ("income", "debt"))
        assert (scenario.keys, scenario.targets) == (made.keys, made.targets)
        assert scenario.template == scenario.name
    neighbour, colleague, owner, prosecutor = project.scenarios
    assert {*neighbour.keys} == {"sex", "age"}
    assert {*colleague.keys} == {"sex", "age", "education"}
    assert prosecutor.keys == neighbour.keys
    assert owner.keys == ("income", "debt")
    assert {*owner.targets} == {"sex", "age", "education", "height"}
    assert "figures of the original itself count: UiO and match_risk." in project.text


def test_keys_that_are_named_are_taken_as_they_are(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    said = tomllib.loads(propose(tmp_path / "people.csv", keys=["height", "sex"])[0])
    assert said["scenario"][0]["keys"] == ["height", "sex"]
    assert said["roles"]["key"] == ["height", "sex"]


def test_data_without_a_telling_name_give_a_scenario_to_be_filled_in(tmp_path):
    frame = people().select(pl.col("education").alias("q1"), pl.col("height").alias("q2"))
    frame.write_csv(tmp_path / "people.csv")
    path, _ = write_project(tmp_path / "people.csv", tmp_path)
    assert read_project(path).scenarios == ()
    text = path.read_text(encoding="utf-8")
    assert "# No keys are proposed: name what an intruder knows, and remove the marks." in text
    filled = text.replace("# keys = []", '# keys = ["q1"]')
    for line in ("[[scenario]]", "name", "template", "keys", 'targets = "all"'):
        filled = filled.replace(f"\n# {line}", f"\n{line}")
    path.write_text(filled, encoding="utf-8")
    assert read_project(path).scenarios[0].keys == ("q1",)


def test_hostile_names_and_labels_are_quoted_rightly(tmp_path):
    frame = people().rename({"sex": HOSTILE, "age": "age=@,#"})
    frame.write_parquet(tmp_path / "people.parquet")
    by = 'Ann "\\ [limits] # Bell, analyst'
    text = propose(tmp_path / "people.parquet", keys=[HOSTILE, "age=@,#"], title=by, by=by)[0]
    said = tomllib.loads(text)
    assert said["scenario"][0]["keys"] == [HOSTILE, "age=@,#"]
    assert said["scenario"][0]["radii"]["age=@,#"] == 5
    assert (said["title"], said["context"]["analyst"]) == (by, by)
    assert "DiSCO" in said["limits"]
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("given", ["title", "by"])
def test_a_title_or_name_that_cannot_be_printed_is_refused(tmp_path, given):
    people().write_csv(tmp_path / "people.csv")
    with pytest.raises(SettingsError, match="unprintable"):
        propose(tmp_path / "people.csv", **{given: HOSTILE})


def test_the_prosecutor_repeats_no_finding_of_the_neighbour(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    both = tomllib.loads(
        propose(tmp_path / "people.csv", templates=["neighbour", "prosecutor"])[0]
    )["scenario"]
    assert both[0]["keys"] == both[1]["keys"]
    assert "measures" not in both[0]
    assert both[1]["measures"] == ["suda", "match_risk"]
    alone = tomllib.loads(propose(tmp_path / "people.csv", templates=["prosecutor"])[0])["scenario"]
    assert "measures" not in alone[0]


def test_no_value_of_the_data_is_in_the_file_but_codes_of_no_answer(tmp_path):
    canary = "CANARY-VALUE"
    frame = people().with_columns(pl.lit("middle").alias("education"))
    odd = ["x"] * (N_ROWS - 3) + [canary] * 3
    frame = frame.with_columns(pl.Series("health", odd), pl.Series("note", [canary] * N_ROWS))
    frame.write_csv(tmp_path / "people.csv")
    assert canary not in propose(tmp_path / "people.csv")[0]


def test_copies_control_and_reading_stand_in_the_file_as_paths_from_its_folder(
    tmp_path, monkeypatch
):
    (tmp_path / "data").mkdir()
    for name in ("people.csv", "copy.csv", "left.csv"):
        people().write_csv(tmp_path / "data" / name)
    monkeypatch.chdir(tmp_path)
    write_project(
        "data/people.csv",
        "desk",
        synthetic="data/copy.csv",
        control=tmp_path / "data" / "left.csv",
        missing_values="NA",
        special_codes={"debt": [-350]},
        audience="open",
        by="Ann, analyst",
    )
    project = read_project("desk")
    assert project.data.original == "../data/people.csv"
    assert project.data.synthetic == ("../data/copy.csv",)
    assert project.data.control == (tmp_path / "data" / "left.csv").resolve().as_posix()
    assert project.data.missing_values == ("NA",)
    assert project.data.special_codes == {"debt": [-350], "income": [-8]}
    assert project.context.audience == "open"
    assert project.limits.values["R"] == (0.02, 0.05)  # a control is declared
    (line,) = read_log(project.folder)
    assert (line.event, line.by, line.subject) == ("init", "Ann, analyst", "neighbour")


def test_a_project_that_is_there_is_never_written_over(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    (tmp_path / "project.toml").write_text("mine", encoding="utf-8")
    with pytest.raises(WriteError, match=r"There is a project already: .* Nothing was written"):
        write_project(tmp_path / "people.csv", tmp_path)
    assert (tmp_path / "project.toml").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "log.jsonl").exists()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"templates": "neighbor"},
            "template is 'neighbor'. Did you mean 'neighbour'? It must be one of: neighbour,"
            " colleague, co-owner, prosecutor.",
        ),
        (
            {"templates": ["co-owner"]},
            "The template co-owner needs the columns of one data owner. Name them: owner ="
            ' ["income", "tax"] (--owner income,tax on the command line).',
        ),
        ({"templates": []}, "No template is given. Choose of: neighbour, colleague, co-owner,"),
        (
            {"owner": ["incme"]},
            "The dataset (people.csv) has no column 'incme'. Did you mean 'income'",
        ),
        ({"audience": "all"}, "audience is 'all'. It must be one of: closed, registered, open."),
        (
            {"synthetic": ["none.csv"]},
            "There is no file 'none.csv'. Check the name and the folder.",
        ),
        ({"keys": ["sx"]}, "The dataset (people.csv) has no column 'sx'. Did you mean 'sex'?"),
        ({"special_codes": {"income": ["x"]}}, "A special code of column 'income' is 'x', which"),
        ({"synthetic": [pl.DataFrame()]}, "A project needs files; given is of type DataFrame."),
    ],
)
def test_what_means_nothing_is_refused_and_nothing_is_written(tmp_path, settings, sentence):
    people().write_csv(tmp_path / "people.csv")
    with pytest.raises(InputError) as refusal:
        write_project(tmp_path / "people.csv", tmp_path / "desk", **settings)
    assert str(refusal.value).startswith(sentence)
    assert not (tmp_path / "desk").exists()


def test_columns_that_hold_no_single_values_can_be_nobodys_key(tmp_path):
    frame = people().with_columns(pl.Series("places", [[1, 2]] * N_ROWS))
    frame.write_parquet(tmp_path / "people.parquet")
    write_project(tmp_path / "people.parquet", tmp_path)
    assert read_project(tmp_path).roles.ignore == ("places",)
    with pytest.raises(InputError, match="Column 'places' has no simple values"):
        propose(tmp_path / "people.parquet", owner="places")


def test_negative_codes_are_proposed_where_all_else_is_from_0_on(tmp_path):
    frame = pl.DataFrame(
        {
            "code": [-8, -8, 0, 1, 2, 3],
            "once": [-8, 0, 1, 2, 3, 4],
            "scale": [-2, -2, -1, -1, 0, 1],
            "run": [-2, -2, -1, -1, 0, 99],
            "amount": [-350, -350, 0, 1, 2, 3],
            "flag": [-8, -8, 1, 1, 1, 1],
            "text": ["-8", "a", "b", "c", "d", "e"],
        }
    )
    found = propose_codes(read_table(frame, side="data"), {})
    assert {one.column: one.codes for one in found} == {"code": (-8.0,), "run": (-2.0, -1.0)}
    assert list(propose_codes(read_table(frame, side="data"), {"code": [1], "run": [1]})) == []


def test_radii_by_hand():
    numbers = np.arange(101.0)  # quartiles 25 and 75: a tenth of 50 is 5
    frame = pl.DataFrame(
        {
            "whole": numbers,
            "fine": numbers / 1000,  # 0.005
            "small": np.arange(101) % 21,  # quartiles 5 and 15: 1
            "few": np.arange(101) % 20,
            "spiked": [0.0] * 80 + list(range(1, 22)),  # both quartiles are 0
            "coded": [-8.0, *range(1, 101)],
            "tiny": numbers * 1e-300,
            "text": [str(n) for n in range(101)],
        }
    )
    found = propose_radii(
        read_table(frame, side="data"), [*frame.columns, "absent"], {"coded": [-8]}
    )
    radii = {one.column: one.radius for one in found}
    assert radii == {"whole": 5, "fine": 0.005, "small": 1, "spiked": 1, "coded": 5, "tiny": 0}


@pytest.mark.slow
def test_what_a_copy_lacks_is_neither_key_nor_target(tmp_path):
    original, copy = write_csv(tmp_path)
    pl.read_csv(copy).drop("age", "health").write_csv(copy)
    project = read_project(write_project(original, tmp_path, synthetic=[copy])[0])
    assert project.roles.ignore == ("age", "health")
    assert "age" not in project.scenarios[0].keys
    assert "health" not in project.roles.target
    assert "is not in every synthetic file" in project.text
    assert run_project(project).list_parts("disclosure")


def test_files_without_a_common_column_are_refused(tmp_path):
    original, copy = write_csv(tmp_path)
    pl.DataFrame({"other": [1, 2]}).write_csv(copy)
    with pytest.raises(RolesError, match="have no column in common"):
        write_project(original, tmp_path, synthetic=[copy])
    assert not (tmp_path / "project.toml").exists()
