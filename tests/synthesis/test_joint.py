"""Tables of several categories through the public call: settings, rules, what is told."""

import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.synthesise import synthesise as command
from unveil.errors import InputError
from unveil.synthesis.impossible import find_impossible

RULE = "if age = child then marital = SINGLE"
BOTH = "if age = child and sex = F then marital = SINGLE"


def people(n=500, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.choice(["child", "adult", "old"], n, p=[0.3, 0.5, 0.2])
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], n),
            "marital": np.where(
                age == "child", "SINGLE", rng.choice(["SINGLE", "MARRIED", "WIDOWED"], n)
            ),
            "income": rng.integers(0, 1_000, n),
        }
    )


PEOPLE = people()
JOINT = ("age", "sex", "marital")


def together(method, columns=JOINT):
    return dict.fromkeys(columns, method)


def made(method="catall", frame=PEOPLE, **asked):
    return unveil.synthesise(frame, method=together(method), seed=1, **asked)


def shares(frame, *columns):
    found = frame.group_by(columns).len()
    return {tuple(row[:-1]): row[-1] / len(frame) for row in found.iter_rows()}


@pytest.mark.parametrize("method", ["catall", "ipf"])
def test_columns_of_one_joint_method_are_drawn_together(method):
    copy = made(method, rows=500, prior=0).sample(rows=500)[0]
    for pair in (("age", "sex"), ("age", "marital"), ("sex", "marital")):
        wanted = shares(PEOPLE, *pair)
        found = shares(copy, *pair)
        for cell, share in found.items():
            assert share == pytest.approx(wanted.get(cell, 0.0), abs=0.07), cell


@pytest.mark.parametrize("method", ["catall", "ipf"])
@pytest.mark.parametrize("rule", [RULE, BOTH])
def test_a_rule_inside_the_table_holds_and_nobody_is_left_out_of_the_table(method, rule):
    found = made(method, rules=rule, prior=300)
    copy = found.copies[0]
    assert not any("their table does not include it" in note for note in found.record.notes)
    meets = pl.col("age") == "child"
    if rule == BOTH:
        meets &= pl.col("sex") == "F"
    assert set(copy.filter(meets)["marital"]) == {"SINGLE"}
    # Rows that the rule settles count in the table: there are as many children as there were.
    prior_of_children = 300 * (2 if rule == RULE else 4) / (14 if rule == RULE else 16)
    wanted = ((PEOPLE["age"] == "child").sum() + prior_of_children) / 800
    assert (copy["age"] == "child").mean() == pytest.approx(wanted, abs=0.06)


def test_impossible_cells_are_those_that_break_the_rule():
    opening = opened(BOTH)
    (step,) = [step for step in opening.plan.steps if step.is_joint]
    columns = [opening.parts[name].column for name in step.columns]
    cells = find_impossible(step, opening.rules, opening.parts)
    found = set()
    for place in product(*(range(column.n_levels) for column in columns)):
        if any(
            all(
                code in one.codes.get(name, (code,))
                for name, code in zip(step.columns, place, strict=True)
            )
            for one in cells
        ):
            found.add(tuple(c.levels[code] for c, code in zip(columns, place, strict=True)))
    assert found == {("child", "F", "MARRIED"), ("child", "F", "WIDOWED")}


def opened(rule):
    from unveil.synthesis.identifiers import Instructions
    from unveil.synthesis.methods import Options
    from unveil.synthesis.prepare import prepare_synthesis as open_

    nothing = dict.fromkeys(
        ["order", "predictors", "keep", "derived", "special_codes", "spikes", "strata"]
    )
    return open_(
        PEOPLE, method=together("ipf"), rules=rule, missing_values=(), options=Options(), seed=1,
        instructions=Instructions(), **nothing,
    )  # fmt: skip


def test_a_rule_that_the_original_breaks_is_applied_afterwards_and_told():
    rule = "if age = old then marital = WIDOWED"
    found = made(rules=rule)
    assert set(found.copies[0].filter(pl.col("age") == "old")["marital"]) == {"WIDOWED"}
    assert found.record.notes[-1] == (
        f"The rule '{rule}' is applied after the columns of 'catall' are drawn: their table does"
        " not include it."
    )
    assert "is broken by" in found.record.notes[-2]


def test_a_rule_by_a_column_outside_the_table_is_applied_afterwards_and_told():
    frame = PEOPLE.with_columns(rich=pl.col("income") > 500)
    found = unveil.synthesise(
        frame, method=together("catall"), keep="rich", rules="if rich = true then sex = F", seed=1
    )
    assert set(found.copies[0].filter(pl.col("rich"))["sex"]) == {"F"}
    assert found.record.notes[-1].endswith("their table does not include it.")


def test_rules_inside_a_table_survive_strata_noise_and_the_model_file(tmp_path):
    found = made("ipf", rules=RULE, noise=0.5, prior=50)
    found.save(tmp_path / "CONFIDENTIAL.model")
    again = unveil.Synthesiser.load(tmp_path / "CONFIDENTIAL.model")
    assert again.sample()[0].equals(found.copies[0])
    assert set(found.copies[0].filter(pl.col("age") == "child")["marital"]) == {"SINGLE"}
    apart = unveil.synthesise(
        PEOPLE, method=together("ipf", ("age", "marital")), strata="sex", rules=RULE, seed=1
    )
    assert set(apart.copies[0].filter(pl.col("age") == "child")["marital"]) == {"SINGLE"}


def test_settings_of_tables_are_in_the_record_and_reach_the_models():
    found = made("ipf", prior=7, noise=0.5, margins=[["age", "marital"], ["sex"]])
    record = found.record
    assert (record.prior, record.noise) == (7, 0.5)
    assert record.margins == (("age", "marital"), ("sex",))
    notes = {column.name: column.notes for column in record.columns}
    assert notes["age"][0].startswith("Laplace noise of scale 4 was added to every count.")
    plain = made("ipf").record
    assert (plain.prior, plain.noise, plain.margins) == (None, None, None)


def test_margins_that_are_left_out_are_independent():
    tied = pl.DataFrame({"a": ["x", "y"] * 1_000, "b": ["u", "v"] * 1_000})
    asked = {"method": {"a": "ipf", "b": "ipf"}, "seed": 1, "prior": 0}
    assert set(shares(unveil.synthesise(tied, **asked).copies[0], "a", "b")) == {
        ("x", "u"), ("y", "v"),
    }  # fmt: skip
    free = unveil.synthesise(tied, **asked, margins=[["a"], ["b"]]).copies[0]
    assert all(share == pytest.approx(0.25, abs=0.05) for share in shares(free, "a", "b").values())
    assert len(shares(free, "a", "b")) == 4


def test_the_options_of_the_command_reach_the_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    methods = [f"--method={name}=ipf" for name in JOINT]
    done = CliRunner().invoke(
        command,
        [
            *("people.csv", "--out", "copies", *methods, "--prior", "3", "--noise", "2"),
            *("--margin", "age,marital", "--margin", "sex", "--json"),
        ],
    )
    assert done.exception is None
    found = json.loads(done.stdout)
    assert (found["prior"], found["noise"]) == (3, 2)
    assert found["margins"] == [["age", "marital"], ["sex"]]


REFUSED = {
    "a negative prior": (
        {"method": together("catall"), "prior": -1},
        "prior is -1. It must be a number from 0 on.",
    ),
    "no noise": (
        {"method": together("catall"), "noise": 0},
        "noise is 0. It must be a number above 0.",
    ),
    "noise in words": (
        {"method": together("catall"), "noise": "much"},
        "noise is 'much'. It must be a number above 0.",
    ),
    "one margin as text": (
        {"method": together("ipf"), "margins": "age"},
        'margins is \'age\'. Write sets of columns, such as [["sex", "region"], ["work"]].',
    ),
    "a margin of another column": (
        {"method": together("ipf"), "margins": [["age", "sxe"]]},
        "A margin of 'ipf' has the column 'sxe', which 'ipf' does not synthesise. Did you mean"
        " 'sex'? Its columns are: age, sex, marital.",
    ),
    "a prior of trees": (
        {"prior": 2},
        "prior is a setting of 'catall' and 'ipf', but no column has that method. Omit it, or"
        " give some columns the method 'ipf'.",
    ),
    "margins of catall": (
        {"method": together("catall"), "margins": [["age"]]},
        "margins is a setting of 'ipf', but no column has that method. Omit it, or give some"
        " columns the method 'ipf'.",
    ),
    "a table of numbers": (
        {"method": {"income": "catall"}},
        "The method of 'income' is 'catall', but the column is a number. Choose another, such as"
        " 'cart' or 'parametric'.",
    ),
}


@pytest.mark.parametrize(("asked", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_what_means_nothing_is_refused_with_a_sentence(asked, sentence):
    with pytest.raises(InputError) as caught:
        unveil.synthesise(PEOPLE, seed=1, **asked)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2
