"""Propensities and tables beside synthpop's figures, slow oracles, and what they say."""

import json
from math import isclose

import polars as pl
import pytest

import unveil
from oracles import pair_tables
from reference import reference
from unveil.show.terminal import screen
from utility.frames import people, study, worse

FIGURES = ("df", "dfG", "VW", "FT", "JSD", "G", "pMSE", "SPECKS", "PO50", "U", "MabsDD", "WMabsDD",
           "dBhatt", "S_pMSE", "S_FT", "S_JSD", "S_G", "S_WMabsDD")  # fmt: skip


# synthpop


@pytest.fixture(scope="module")
def golden():
    return json.loads(reference("synthpop/golden.json").read_text())["utility_and_sdc"]


@pytest.fixture(scope="module")
def survey():
    columns = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]
    paths = (reference(f"synthpop/{name}.csv") for name in ("sd2011_ods", "s1"))
    return study(*paths, targets=columns, missing=("NA",))


def test_tables_are_those_of_synthpop(golden, survey):
    rows = unveil.utility(survey, permutations=1).frame("statistics").to_dicts()
    ours = {frozenset(filter(None, (row["a"], row["b"]))): row for row in rows}
    held = 0
    for table in golden["utility_tables_oneway_s1"] + golden["utility_tables_twoway_s1"]:
        names = (table.get("var") or table["pair"]).split(":")
        row = ours[frozenset(name.partition(".")[2] for name in names)]
        for name in FIGURES:
            assert isclose(row[name], table[name], rel_tol=1e-9, abs_tol=1e-9), (names, name)
            held += 1
    assert held == 45 * len(FIGURES)


def test_the_tree_is_that_of_synthpop(golden, survey):
    result = unveil.utility(survey)
    row, theirs = result.overall[0], golden["utility_gen_cart_s1"]
    assert (row.pMSE, row.leaves, row.U) == (theirs["pMSE"], theirs["n_leaves"], theirs["U"])
    assert pytest.approx((theirs["SPECKS"], theirs["PO50"]), rel=1e-12) == (row.SPECKS, row.PO50)
    assert row.S_pMSE == pytest.approx(theirs["S_pMSE"], abs=0.12)  # other permutations
    assert {(p.a, p.b): p.S_pMSE for p in result.pairs[:4]} == pytest.approx({
        tuple(part.partition(".")[2] for part in pair.split(":")): value
        for pair, value in list(golden["worst"].items())[:4]
    })  # fmt: skip


def test_the_logistic_model_is_that_of_synthpop(golden, survey):
    """R's glm stops early: its pMSE is 1e-7 away."""
    theirs = golden["utility_gen_logit_main_s1"]
    row = unveil.utility(survey.replace(targets=theirs["vars"]), model="logit").overall[0]
    for name in ("pMSE", "S_pMSE", "SPECKS", "PO50"):
        assert getattr(row, name) == pytest.approx(theirs[name], rel=1e-6), name
    assert pytest.approx(theirs["U"], rel=1e-6) == row.U


# By hand, and beside oracles


def test_a_table_by_hand():
    """60 people of 100 have job a, 40 records of 100: VW is 20^2/50 twice, pMSE 0.01."""
    files = (
        pl.DataFrame({"job": ["a"] * 60 + ["b"] * 40}),
        pl.DataFrame({"job": ["a"] * 40 + ["b"] * 60}),
    )
    result = unveil.utility(study(*files, columns={}), model="logit")
    row = result.statistics[0]
    assert (row.VW, row.df, row.pMSE, row.S_pMSE) == pytest.approx((16, 1, 0.01, 16))
    assert result.overall[0].pMSE == pytest.approx(0.01)
    assert result.overall[0].S_pMSE == pytest.approx(16)


def grouped(frame, cuts):
    """Each record's values; numbers by how many breaks they are at or above."""

    def level(name, value):
        if name not in cuts or value in (None, -8):
            return value
        return ("from", sum(value >= cut for cut in cuts[name]))

    return [tuple(level(n, v) for n, v in row.items()) for row in frame.to_dicts()]


@pytest.mark.parametrize("sizes", [(300, 300), (300, 170)])
def test_tables_are_those_of_the_definitions(sizes):
    files = [people(1, sizes[0]), worse(people(2, sizes[1]))]
    result = unveil.utility(study(*files), permutations=1)
    whole = pl.concat(files)
    cuts = {
        name: pair_tables.breaks([v for v in whole[name] if v not in (None, -8)], 5)
        for name in ("age", "income")
    }
    records = [grouped(file, cuts) for file in files]
    for row in result.frame("statistics").to_dicts():
        places = [whole.columns.index(name) for name in (row["a"], row["b"]) if name]
        cells = [[tuple(record[p] for p in places) for record in file] for file in records]
        expected = pair_tables.measures(*cells)
        ours = {name: row[name] for name in FIGURES}
        assert ours == pytest.approx(
            {name: expected[name] for name in FIGURES}, rel=1e-9, abs=1e-12
        )


# What cannot be measured, and samples


def test_columns_without_a_difference_have_no_ratio():
    frame = pl.DataFrame({"job": ["a"] * 30})
    result = unveil.utility(study(frame, frame, columns={}))
    assert (result.overall[0].pMSE, result.overall[0].S_pMSE, result.overall[0].word) == (
        0,
        None,
        "not measured",
    )
    assert any("not measured" in sentence for sentence in result.sentences)
    assert result.statistics[0].S_pMSE is None
    assert any("S_pMSE is not measured" in note.sentence for note in result.notes)


def test_a_value_that_one_file_has_separates_them_all_the_same():
    frame = pl.DataFrame({"job": ["a"] * 30 + ["b"] * 30})
    only = frame.with_columns(job=pl.when(pl.col("job") == "b").then(pl.lit("c")).otherwise("job"))
    row = unveil.utility(study(frame, only, columns={}), model="logit").overall[0]
    assert row.pMSE == pytest.approx(0.125, abs=1e-6)  # half are known for certain, half at 1/2
    assert row.word == "poor"


def test_of_many_records_or_unlike_sizes_a_sample_is_seen_and_said():
    original, synthetic = people(1, 400), people(2, 900)
    few = unveil.utility(study(original, synthetic), permutations=2, rows=100)
    assert few.overall[0].records == 200
    unlike = unveil.utility(study(original, synthetic), permutations=2)
    assert unlike.overall[0].records == 800
    for result, n in (few, 200), (unlike, 800):
        assert any(f"sees {n} of 1,300 records" in note.sentence for note in result.notes)


# What it says


def sentence_figures(result):
    """Every number of the sentences, recomputed from the first row."""
    row = result.table("overall").first_rows[0]
    first = f"{row.S_pMSE_worst:.2f} of {row.worst}"
    if (row.S_pMSE or 0) > (row.S_pMSE_worst or 0):
        first = f"{row.S_pMSE:.2f} of a tree of all columns"
    return [
        f"Utility is {row.word} by the largest S_pMSE, {first} (good to 3, fair to 10).",
        f"A tree tells the files apart with pMSE {row.pMSE:.4f}, {row.S_pMSE:.2f} times what is"
        f" expected ({row.expected:.4f}, half the mean where records are assigned to the files at"
        " random).",
    ]


def test_sentences_hold_their_figures():
    for synthetic in (people(2), worse(people(2))):
        result = unveil.utility(study(people(1), synthetic), permutations=5)
        assert list(result.sentences[:2]) == sentence_figures(result)


@pytest.mark.parametrize("seed", range(3))
def test_a_second_sample_of_the_people_is_not_poor(seed):
    result = unveil.utility(study(people(seed, 2000), people(seed + 50, 2000)), permutations=10)
    assert result.overall[0].word in ("good", "fair")
    assert len(result.sentences) == 2
    assert result.overall[0].S_pMSE == pytest.approx(2, abs=0.5)


def test_copies_are_good_and_said_to_be_too_close():
    """Half real records are no closer than data drawn from the true model: it is not said."""
    original, others = people(1, 2000), people(2, 2000)
    for synthetic, is_close in (
        (original.sample(fraction=1, shuffle=True, seed=1), True),
        (
            pl.concat([original[:1000], others[1000:]]).sample(fraction=1, shuffle=True, seed=1),
            False,
        ),
    ):
        result = unveil.utility(study(original, synthetic), permutations=5)
        assert result.overall[0].word == "good"
        assert any("real records reappear" in text for text in result.sentences) == is_close


def test_numbers_with_noise_are_compared_though_nobody_has_them():
    noisy = people(2).with_columns(age=pl.col("age") + 0.25, income=pl.col("income") + 0.5)
    files = study(people(1), noisy, keys="age", columns={})
    assert unveil.utility(files, permutations=2).overall[0].pMSE > 0
    assert unveil.compare(files).columns[0].total_variation < 0.2
    with pytest.raises(unveil.InputError, match="no value in common"):
        unveil.disclosure(files, expected=False)


def test_poor_data_are_poor():
    result = unveil.utility(study(people(1, 2000), worse(people(2, 2000))), permutations=5)
    assert result.overall[0].word == "poor"
    assert result.pairs[0].subject == "age by income"
    assert result.check({"S_pMSE": 3})[0].status == "above limit"


def test_people_with_several_records_are_kept_together():
    """Each record twice tells no more of a difference than once."""

    def twice(seed):
        frame = people(seed, 600).with_row_index("pid")
        return pl.concat([frame, frame])

    whose = {"columns": {"pid": "person", "income": {"special": (-8,)}}}
    by_person = unveil.utility(study(twice(1), twice(2), **whose), permutations=10)
    files = [twice(seed).drop("pid") for seed in (1, 2)]
    by_record = unveil.utility(study(*files), permutations=10)
    assert by_person.overall[0].pMSE == by_record.overall[0].pMSE
    assert by_person.overall[0].S_pMSE < 0.8 * by_record.overall[0].S_pMSE
    assert any("600 people have 1,200" in note.sentence for note in by_person.notes)


@pytest.mark.parametrize("n_versions", [1, 4])
def test_a_first_screen_has_at_most_25_lines_of_80_columns(n_versions):
    versions = {f"version {n}": [people(2 + n), people(12 + n)] for n in range(n_versions)}
    files = study(people(1), versions, control=people(20))
    income = [{"name": f"Result {n}", "kind": "linear", "outcome": "income", "predictors": ["age"]}
              for n in range(9)]  # fmt: skip
    results = [
        unveil.utility(files, permutations=1),
        unveil.compare(files),
        unveil.replicate(files, income),
    ]
    for shown in (*([result] for result in results), [results[0], results[2]]):
        lines = screen(shown, (), (), "unveil utility").splitlines()
        assert len(lines) <= 25, "\n".join(lines)
        assert max(map(len, lines[:-1])) <= 80


# Prediction


def test_what_follows_from_other_columns_is_predicted():
    """Income by age; half of the shuffled ones are as if by shares alone."""
    original, control = people(1, 900), people(2, 900)
    versions = {"good": people(3, 900), "bad": worse(people(3, 900))}
    result = unveil.utility(study(original, versions, control=control), permutations=1)
    rows = {(row.version, row.target): row for row in result.prediction}
    assert rows["good", "income"].trained_on_synthetic > 0.65
    assert rows["bad", "income"].trained_on_synthetic < 0.2
    assert rows["good", "income"].trained_on_original > 0.65
    common = original["place"].mode().item()
    assert rows["good", "place"].shares_alone == pytest.approx(
        (control["place"] == common).sum() / 900
    )
    assert sum("income of people in the control sample" in text for text in result.sentences) == 2
