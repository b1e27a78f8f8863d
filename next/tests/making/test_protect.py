"""The steps of a release in their order, what holds after each, and what undoes what."""

from random import Random

import numpy as np
import polars as pl
import pytest

import unveil

KEYS = ("sex", "age", "region")


def people(seed=1, n=600):
    """Columns of which some tell others: years of birth, groups of ages, sums, labels, dates."""
    chance = Random(seed)
    age = [chance.randint(18, 80) for _ in range(n)]
    wage = [round(chance.gauss(2000, 400), 2) for _ in range(n)]
    bonus = [round(chance.gauss(300, 100), 2) for _ in range(n)]
    region = chance.choices(["Ash", "Birch", "Elm", "Yew"], (50, 30, 12, 8), k=n)
    day = [chance.randint(0, 364) for _ in range(n)]
    return pl.DataFrame({
        "sex": chance.choices("fm", k=n), "age": age, "born": [2025 - a for a in age],
        "group": [f"{a // 10 * 10}s" for a in age], "region": region,
        "district": [f"{r}{chance.randint(1, 3)}" for r in region],
        "wage": wage, "bonus": bonus, "total": [w + b for w, b in zip(wage, bonus, strict=True)],
        "monthly": [w / 12 for w in wage], "text": [str(w) for w in wage],
        "health": chance.choices(["good", "fair"], k=n),
        "height": [chance.gauss(170, 9) for _ in range(n)],
        "seen": (pl.Series(day) + 20_000).cast(pl.Date),
        "left": (pl.Series([d + chance.randint(0, 3) for d in day]) + 20_000).cast(pl.Date),
    })  # fmt: skip


def study(names=("sex", "age", "region", "health", "wage"), **about):
    keys = [name for name in KEYS if name in names]
    about = {"columns": {"text": "target"} if "text" in names else {}} | about
    return unveil.Study(people().select(names), keys=keys, **about)


MAKE = {"do": "synthesise", "leaf": (10, 30)}
FILTER = {"do": "distance_filter"}


def noise(**amounts):
    return {"do": "add_noise", "amounts": amounts}


def steps(*names):
    return [MAKE, *names]


def test_the_steps_make_three_stages_compared_with_an_original_recoded_likewise():
    result = unveil.protect(
        study(),
        [
            {"do": "top_code", "column": "age", "at": 70},
            *steps(FILTER, {"do": "remove_uniques"}, {"do": "round", "column": "wage", "to": 50}),
            noise(age=0.1),
        ],
        seed=1,
    )
    assert [row.do for row in result.steps] == [
        "top_code", "synthesise", "distance_filter", "remove_uniques", "round", "add_noise",
    ]  # fmt: skip
    stages = result.stages
    assert [*stages.versions] == ["S1", "S2", "S3"]
    expected = people()["wage"].map_elements(lambda w: np.floor(w / 50 + 0.5) * 50, pl.Float64)
    assert stages.original["wage"].cast(pl.Float64).to_list() == expected.to_list()
    assert stages.original["age"].to_list() == people()["age"].clip(upper_bound=70).to_list()
    for stage in ("S1", "S2", "S3"):
        assert all(wage % 50 == 0 for wage in stages.synthetic[stage, 1]["wage"])
    s1, s2, s3 = (stages.synthetic[stage, 1] for stage in stages.versions)
    assert len(s1) == 600
    assert len(s2) == len(s3) == result.steps[-1].rows
    assert s2.drop("age").equals(s3.drop("age"))
    assert (s2["age"] - s3["age"]).std() == pytest.approx(0.1, rel=0.1)
    assert result.study.synthetic["", 1].equals(s3)
    # A key with noise is compared in bands in every stage, so S3 is not riskless by noise alone.
    identity = {row.version: row for row in unveil.disclosure(stages, expected=False).identity}
    assert identity["S1"].repU > identity["S2"].repU == 0
    assert identity["S3"].matched == identity["S2"].matched > 0
    assert identity["S3"].repU == 0
    assert any("bands" in note.sentence for note in result.notes)


def test_each_stage_is_what_the_calls_give_one_by_one():
    asked = {"leaf": [10, 30], "seed": 5}
    result = unveil.protect(study(), [{"do": "synthesise", **asked}, FILTER], rows=100, seed=1)
    made = unveil.synthesise(study(), rows=100, **asked).study
    assert result.stages.synthetic["S1", 1].equals(made.synthetic["", 1])
    kept = unveil.distance_filter(made).study.synthetic["", 1]
    s2 = result.stages.synthetic["S2", 1]
    assert len(s2) == 100
    assert s2.head(len(kept)).equals(kept)


def test_refilled_records_go_through_the_filter_and_the_steps_before_it():
    round_wage = {"do": "round", "column": "wage", "to": 10}
    result = unveil.protect(study(), steps(round_wage, FILTER), seed=2)
    assert result.steps[-1].rows == 600
    assert "rounds" in result.steps[-1].sentence
    assert all(wage % 10 == 0 for wage in result.study.synthetic["", 1]["wage"])
    assert unveil.distance_filter(result.study).rounds[0].refused == 0


def test_the_same_seed_gives_the_same_release_and_another_another():
    asked = steps(FILTER, noise(wage=20))
    first, again, other = (
        unveil.protect(study(), asked, seed=seed).study.synthetic["", 1] for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert not first.equals(other)


def test_derived_columns_and_rules_hold_again_after_every_step():
    made = {**MAKE, "derive": {"yearly": "wage * 12"}, "rules": ["wage >= 1000 or age < 60"]}
    result = unveil.protect(
        study(targets=("health",)),
        [made, {"do": "round", "column": "wage", "to": 100}, FILTER, noise(wage=200)],
        seed=1,
    )
    for frame in (result.study.original, *result.stages.synthetic.values()):
        assert (frame["yearly"] - 12 * frame["wage"]).abs().max() < 1e-6
    for frame in result.stages.synthetic.values():
        assert frame.filter((pl.col("wage") < 1000) & (pl.col("age") >= 60)).is_empty()
    assert result.study.columns["yearly"].tolerance == pytest.approx(2 * 12 * 200, rel=0.1)


def test_records_that_break_a_rule_after_noise_are_left_out_and_counted():
    made = {**MAKE, "rules": "wage >= 1000"}
    result = unveil.protect(study(), [made, noise(wage=500)], seed=1)
    (s1, s2) = (len(frame) for frame in result.stages.synthetic.values())
    assert result.stages.synthetic["S3", 1]["wage"].min() >= 1000
    left_out = 600 - len(result.stages.synthetic["S3", 1])
    assert left_out > 0
    assert f"left out, for then they break a rule: {left_out}" in result.steps[-1].sentence
    assert s1 == 600
    assert s2 == 600 - left_out


def test_records_that_noise_brings_too_close_again_are_counted():
    result = unveil.protect(study(), steps(FILTER, noise(wage=200)), seed=1)
    n = unveil.distance_filter(result.study).rounds[0].refused
    assert n > 0
    assert f"Too close to a person again: {n}." in result.steps[-1].sentence


def test_noise_is_chosen_by_the_population_of_a_column():
    about = {"column": "age", "population": "normal(48, 9)", "N": 60_000}
    result = unveil.protect(study(), [MAKE, {"do": "add_noise", **about}], seed=1)
    choice = unveil.choose_noise(
        people()["age"].to_list(), population="normal(48, 9)", N=60_000, n=600
    )
    sigma = choice.choice[0].sigma_to_publish
    assert f"standard deviation {sigma:g}" in result.steps[-1].sentence
    rows = unveil.overview(result.stages, figures="ECAP").overview
    at_most = unveil.ecap(
        people()["age"].to_list(), population="normal(48, 9)", N=60_000, n=600, sigma=sigma
    )
    assert {row.version: row.ECAP for row in rows} == {
        "S1": pytest.approx(1.0),
        "S3": pytest.approx(max(row.ECAP for row in at_most.values)),
    }


def test_copies_are_protected_each():
    result = unveil.protect(study(), [{**MAKE, "copies": 2}, FILTER, noise(wage=20)], seed=1)
    assert [*result.stages.synthetic] == [(s, copy) for s in ("S1", "S2", "S3") for copy in (1, 2)]
    first, second = (result.study.synthetic["", copy] for copy in (1, 2))
    assert len(first) == len(second) == 600
    assert not first.equals(second)


def test_synthetic_data_that_are_there_are_protected_without_synthesis():
    made = unveil.synthesise(study(), leaf=(10, 30), seed=1).study
    result = unveil.protect(made, [FILTER, noise(wage=20)], seed=1)
    kept = unveil.distance_filter(made).study.synthetic["", 1]
    assert [*result.stages.versions] == ["S1", "S2", "S3"]
    assert result.stages.synthetic["S2", 1].equals(kept)


# Steps that undo each other

ROUND_AGE = {"do": "round", "column": "age", "to": 10}
UNDONE = {
    "noise, then rounded to what it was": (["age"], [MAKE, noise(age=0.1), ROUND_AGE], "noise"),
    "noise twice": (["wage"], [MAKE, noise(wage=9), noise(wage=9)], "noise"),
    "noise, then top-coded": (
        ["wage"], [MAKE, noise(wage=9), {"do": "top_code", "column": "wage", "at": 2500}], "noise",
    ),
    "noise, then dropped": (
        ["wage", "age"], [MAKE, noise(wage=9), {"do": "drop", "columns": "wage"}], "noise",
    ),
    "noise on a column that is computed again": (
        ["wage"], [{**MAKE, "derive": {"pay": "wage * 2"}}, noise(pay=9)], "computed",
    ),
    "rounding of a column that is computed again": (
        ["wage"],
        [{**MAKE, "derive": {"pay": "wage * 2"}}, {"do": "round", "column": "pay", "to": 50}],
        "computed",
    ),
    "noise, and the same number in another unit": (
        ["wage", "monthly"], [MAKE, noise(wage=50)], "'monthly'",
    ),
    "noise, and the same number as a text": (
        ["wage", "text"], [MAKE, noise(wage=50)], "'text'",
    ),
    "noise on both of two columns that tell each other": (
        ["wage", "monthly"], [MAKE, noise(wage=50, monthly=4)], "'monthly'",
    ),
    "noise on a part, and the sum": (
        ["wage", "bonus", "total"], [MAKE, noise(wage=50)], "'total'",
    ),
    "rounding, and the year of birth": (["age", "born"], [ROUND_AGE, MAKE], "'born'"),
    "rounding after synthesis, and the year of birth": (
        ["age", "born"], [MAKE, ROUND_AGE], "'born'",
    ),
    "bands, and finer ones beside them": (
        ["age", "group"], [{"do": "band", "column": "age", "bands": [40, 60]}, MAKE], "'group'",
    ),
    "top-coded, and the year of birth": (
        ["age", "born"], [{"do": "top_code", "column": "age", "at": 60}, MAKE], "'born'",
    ),
    "levels merged, and finer ones beside them": (
        ["region", "district"],
        [{"do": "merge", "column": "region", "levels": ["Elm", "Yew"], "into": "other"}, MAKE],
        "'district'",
    ),
    "rare levels merged, and finer ones beside them": (
        ["region", "district"],
        [MAKE, {"do": "merge_rare", "column": "region", "below": 100}],
        "'district'",
    ),
    "a date coarsened, and another near it": (
        ["seen", "left"], [{"do": "coarsen_date", "column": "seen", "to": "month"}, MAKE], "'left'",
    ),
    "one of two coarsened less than the other": (
        ["age", "born"], [ROUND_AGE, {"do": "round", "column": "born", "to": 2}, MAKE], "'born'",
    ),
    "uniques removed, then a key coarsened": (
        ["sex", "age", "region"], [MAKE, {"do": "remove_uniques"}, ROUND_AGE], "remove_uniques",
    ),
    "uniques removed, then more records drawn": (
        ["sex", "age", "region"], [MAKE, {"do": "remove_uniques"}, FILTER], "draws more",
    ),
    "synthesised twice": (["sex", "age"], [MAKE, MAKE], "again"),
    "filtered, then synthesised": (["sex", "age"], [FILTER, MAKE], "after synthesise"),
    "noise, then synthesised": (["sex", "age"], [noise(age=1), MAKE], "after synthesise"),
    "people left out once their records were used": (
        ["sex", "age", "region"],
        [MAKE, {"do": "remove_uniques", "which": "original"}],
        "before synthesis",
    ),
    "a column dropped that a rule would read": (
        ["sex", "age"], [{"do": "drop", "columns": "age"}, {**MAKE, "rules": ["age > 20"]}], "age",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNDONE)
def test_steps_that_undo_each_other_are_refused(case):
    names, asked, word = UNDONE[case]
    with pytest.raises(unveil.InputError, match="'steps'") as refusal:
        unveil.protect(study(names), asked, seed=1)
    assert word in str(refusal.value)


def test_a_column_that_tells_no_more_than_was_meant_is_no_reason_to_refuse():
    likewise = [{"do": "round", "column": name, "to": 10} for name in ("age", "born")]
    for names, asked in (
        (["sex", "age", "born"], [*likewise, MAKE]),
        (["sex", "wage", "height"], [MAKE, noise(wage=50, height=1)]),
        (["sex", "age"], [{"do": "band", "column": "age", "bands": 20}, MAKE]),
        (["sex", "region"], [{"do": "merge_rare", "column": "region", "below": 100}, MAKE]),
        (["age", "born"], [{"do": "drop", "columns": "born"}, ROUND_AGE, MAKE]),
    ):
        assert unveil.protect(study(names), asked, seed=1).steps


def test_uniques_that_come_back_after_noise_are_told():
    result = unveil.protect(
        study(("sex", "age", "region", "health")),
        steps({"do": "remove_uniques"}, noise(age=0.2)),
        seed=1,
    )
    assert any("unique in both files again" in note.sentence for note in result.notes)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ([], "none"),
        ([{"do": "sinthesise"}], "Did you mean 'synthesise'?"),
        ([{"do": "synthesise", "leafs": 3}], r"step 1 \(synthesise\): .*leafs"),
        ([{"do": "synthesise", "method": "carts"}], r"step 1 \(synthesise\): .*'cart'"),
        ([{"do": "round", "column": "aeg", "to": 5}, MAKE], r"step 1 .*'age'"),
        ([MAKE, {"do": "add_noise"}], "Give either 'amounts'"),
        ([MAKE, {"do": "add_noise", "column": "age"}], "'population' and 'N'"),
        ([MAKE, noise(sex=3)], r"step 2 \(add_noise\): .*no numbers"),
        ([FILTER], "Add {'do': 'synthesise'}"),
        ([{"do": "round", "column": "age", "to": 5}], "none makes synthetic data"),
        ([{**MAKE, "rules": ["age > 200"]}], r"step 1 .*no record of the original obeys"),
        ([{**MAKE, "rules": ["exists(select * from read_csv('x'))"]}], r"step 1 .*'rules'"),
        ([{**MAKE, "derive": {"x": "read_csv('x')"}}], r"step 1 .*'derive'"),
    ],
)
def test_a_faulty_step_is_refused_in_a_sentence(asked, sentence):
    with pytest.raises(unveil.InputError, match=sentence) as refusal:
        unveil.protect(study(), asked, seed=1)
    assert len(str(refusal.value)) < 400
