"""A run compares the synthetic data with the original recoded in the same way, or says why not."""

import json
from pathlib import Path

import polars as pl
import pytest

import unveil
from oracles import raab
from project.run_projects import HEAD, SCENARIO, limits, people, project
from project.whole_way import Desk
from unveil.cli import main
from unveil.errors import SettingsError
from unveil.project.read_project import read_project
from unveil.project.sources import Inputs, hash_files

ROUND = '\n[[protect.step]]\ndo = "round"\ncolumn = "income"\nto = 100\n'
TOP = '\n[[protect.step]]\ndo = "top_code"\ncolumn = "age"\nat = 30\n'
BAND = '\n[[protect.step]]\ndo = "band"\ncolumn = "age"\nbreaks = [25, 30]\n'
CONTROL = HEAD.replace('["copy.csv"]', '["copy.csv"]\ncontrol = "others.csv"')


def coarse(frame: pl.DataFrame) -> pl.DataFrame:
    """Pay to the nearest hundred, half to the even one; ages above 30 are 30."""
    pay = [round(value / 100) * 100 for value in frame["income"]]
    return frame.with_columns(pl.Series("income", pay), pl.col("age").clip(upper_bound=30))


def inputs(folder, *steps, copy, head=HEAD, control=None):
    if control is not None:
        control.write_csv(folder / "others.csv")
    held = project(folder, SCENARIO, *steps, head=head)
    copy.write_csv(folder / "copy.csv")
    return Inputs(held, hash_files(held))


@pytest.mark.slow
def test_figures_are_those_of_recoded_files(tmp_path):
    """Declared for a file from elsewhere: counted by an oracle on files recoded by hand."""
    copy = coarse(people(1).sample(fraction=1, shuffle=True, seed=2))
    inputs(tmp_path, ROUND, TOP, copy=copy)
    made = unveil.Project(tmp_path).run(seed=1)
    found = {row.target: row.value for row in made.record.figures if row.measure == "DiSCO"}
    for target in ("work", "town", "income"):
        files = [
            [((sex, age), value) for sex, age, value in frame[["sex", "age", target]].rows()]
            for frame in (coarse(people(1)), copy)
        ]
        assert found[target] == pytest.approx(float(raab.attribute(*files)["DiSCO"]), abs=1e-12)
    assert any(note.startswith("Like with like") for note in made.record.warnings)


def test_people_who_were_not_used_are_recoded_too(tmp_path):
    held = inputs(tmp_path, TOP, copy=coarse(people(2)), head=CONTROL, control=people(7))
    assert held.control.whole.frame["age"].max() == 30
    assert held.collected_file.whole.frame["age"].max() > 30


def test_steps_that_nobody_followed_are_set_aside(tmp_path):
    held = inputs(tmp_path, ROUND, BAND, copy=people(2))
    assert held.recoded_files.steps == ()
    assert [row.column for row in held.recoded_files.unfollowed] == ["income", "age"]
    assert held.original is held.collected_file


def test_a_coarser_step_than_was_taken_is_set_aside(tmp_path):
    """Half of the multiples of 100 are multiples of 200; hardly one of the original's is."""
    held = inputs(tmp_path, ROUND.replace("100", "200"), copy=coarse(people(2)))
    assert held.recoded_files.steps == ()


def test_only_the_columns_that_were_recoded_are(tmp_path):
    held = inputs(tmp_path, ROUND, TOP, copy=coarse(people(2)).with_columns(people(2)["age"]))
    assert [step.column for step in held.recoded_files.steps] == ["income"]


def test_two_recipes_are_refused(tmp_path):
    for number, step in ((1, ROUND), (2, TOP)):
        held = project(tmp_path, SCENARIO, step)
        unveil.Project(tmp_path).protect(out=tmp_path / f"made_{number}", seed=number)
    both = '["made_1/FAKE_people.csv", "made_2/FAKE_people.csv"]'
    held.path.write_text(held.text.replace('["copy.csv"]', both))
    with pytest.raises(SettingsError, match="recoded by different recipes"):
        unveil.Project(tmp_path).run()


@pytest.mark.slow
def test_the_command_line_takes_a_recipe(tmp_path, monkeypatch):
    """Ages above 30 are 30 in the copy: without the recipe those people are not matched."""
    monkeypatch.chdir(tmp_path)
    people(1).write_csv("people.csv")
    coarse(people(1)).write_csv("copy.csv")
    Path("recipe.toml").write_text(TOP + ROUND)
    asked = ("disclosure", "people.csv", "copy.csv", "-k", "sex,age", "-t", "town,income")
    _, without = Desk().document(*asked)
    code, like = Desk().document(*asked, "--recode", "recipe.toml")
    assert code == 0
    files = [[((r["sex"], r["age"]), r["income"]) for r in coarse(people(1)).to_dicts()]] * 2
    as_written, found = (
        {row["target"]: row["DiSCO"] for row in one["attribute"]} for one in (without, like)
    )
    assert found["income"] == pytest.approx(float(raab.attribute(*files)["DiSCO"]), abs=1e-12)
    assert as_written["income"] < found["income"]
    assert {note["column"] for note in like["coercions"] if note["kind"] == "recoded"} == {
        "age",
        "income",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("title = 1", "has no [[protect.step]]"),
        ('[[protect.step]]\ndo = "rund"\n', "do is 'rund'. Did you mean 'round'?"),
        (ROUND, "The synthetic data were not recoded as declared: income, "),
    ],
)
def test_a_recipe_that_is_none_is_refused(tmp_path, monkeypatch, capsys, text, said):
    monkeypatch.chdir(tmp_path)
    people(1).write_csv("a.csv")
    people(2).write_csv("b.csv")
    if text is not None:
        Path("recipe.toml").write_text(text)
    with pytest.raises(SystemExit, match="2"):
        main(["disclosure", "a.csv", "b.csv", "-k", "sex", "--recode", "recipe.toml"])
    assert said in capsys.readouterr().err


def test_one_record_beyond_the_recipe_sets_it_aside(tmp_path):
    """One age of 120 is above the top code: that person is looked for as they are."""
    ages = [39, *coarse(people(2))["age"][1:]]
    held = inputs(tmp_path, TOP, copy=coarse(people(2)).with_columns(pl.Series("age", ages)))
    assert held.recoded_files.steps == ()
    assert held.original.whole.frame["age"].max() > 30


def test_a_recipe_that_is_not_followed_by_all_is_never_green(tmp_path):
    """Real people's records, rounded but for a few: the run asks, whatever the figures are."""
    copy = pl.concat([coarse(people(1)).head(110), people(1).tail(10)])
    inputs(tmp_path, ROUND, limits(90, 95), copy=copy)
    made = unveil.Project(tmp_path).run(seed=1)
    assert "coding:income" in {one.id for one in made.record.alerts}
    assert made.exit_code in (3, 4)


def test_a_record_is_matched_to_its_copy_by_hash_and_an_older_one_by_its_rows(tmp_path):
    held = project(tmp_path, SCENARIO, TOP)
    unveil.Project(tmp_path).protect(out=tmp_path / "made", seed=1)
    copy, (record,) = (
        tmp_path / "made/FAKE_people.csv",
        (tmp_path / "confidential").rglob("p*.json"),
    )
    held.path.write_text(held.text.replace('"copy.csv"', '"made/FAKE_people.csv"').replace(TOP, ""))

    def steps():
        now = read_project(tmp_path)
        opened = Inputs(now, hash_files(now))
        parts = unveil.Project(tmp_path).run().record.parts
        states = [one.state for one in parts if one.kind == "protection"]
        return [step.column for step in opened.recoded_files.steps], states

    assert steps() == (["age"], ["measured"])
    frame = pl.read_csv(copy)
    frame.sample(fraction=1, shuffle=True, seed=3).write_csv(copy)  # as many rows, another file
    assert steps() == ([], ["not measured"])
    document = json.loads(record.read_bytes())
    assert len(document.pop("copy_sha256")) == 64
    record.write_text(json.dumps(document))
    assert steps() == (["age"], ["measured"])
