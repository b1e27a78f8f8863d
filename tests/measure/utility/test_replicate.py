"""Published results on original and copies: by hand, by an oracle, and where nothing comes out."""

import math
import statistics

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import replication as oracle
from profiles import examples
from toml_tables import write_tables
from unveil.errors import SettingsError
from unveil.examples import survey, survey_synthetic
from unveil.measure.utility.replicate import replicate
from unveil.measure.utility.replicate_settings import read_findings
from unveil.models.intervals import RULES, combine_estimates, interval, overlap, ratio_of_counts
from unveil.records.replication import Replication
from unveil.view.replication import replication_sentences, result_tables


def people(*rows, columns=("sex", "age", "ill")):
    return pl.DataFrame(list(rows), schema=list(columns), orient="row")


ORIGINAL = people(
    ("F", 20, "yes"), ("F", 30, "no"), ("F", 40, "no"), ("F", 50, "yes"),
    ("M", 20, "no"), ("M", 30, "no"), ("M", 40, "yes"), ("M", 60, None),
)  # fmt: skip
COPY = people(
    ("F", 20, "no"), ("F", 30, "no"), ("F", 40, "no"), ("F", 50, "yes"),
    ("M", 20, "yes"), ("M", 30, "no"), ("M", 40, "yes"), ("M", 60, "no"),
)  # fmt: skip
ILL = {"name": "ill", "kind": "prevalence", "column": "ill", "level": "yes"}


def one_row(original, copy, finding, **more):
    (row,) = replicate(original, copy, [finding], **more).rows
    return row


def test_a_prevalence_in_a_subgroup_by_hand():
    row = one_row(ORIGINAL, COPY, {**ILL, "where": "sex = F"})
    assert (row.original, row.synthetic) == (50.0, 25.0)
    assert (row.original_n, row.original_count, row.synthetic_count) == (4, 2, 1)
    assert row.original_se == pytest.approx(100 * math.sqrt(0.25 / 4))
    assert row.difference == -25.0
    assert row.ratio_of_counts == 0.5
    assert row.standardised_difference == pytest.approx(-1.0)


def test_those_without_a_value_count_only_where_asked():
    known = one_row(ORIGINAL, COPY, {**ILL, "where": "sex = M"})
    everyone = one_row(ORIGINAL, COPY, {**ILL, "where": "sex = M", "of": "all"})
    assert (known.original_n, everyone.original_n) == (3, 4)
    assert known.original == pytest.approx(100 / 3)
    assert everyone.original == 25.0


def test_several_levels_are_one_prevalence():
    row = one_row(ORIGINAL, COPY, {**ILL, "level": ["yes", "no"]})
    assert row.term == "ill = yes or no"
    assert row.original == 100.0
    assert row.overlap is None  # no error, so no interval to speak of


def test_a_mean_has_the_error_of_its_sample_and_student_t():
    row = one_row(ORIGINAL, COPY, {"kind": "mean", "column": "age", "where": "sex = F"})
    ages = [20, 30, 40, 50]
    assert row.original == 35
    assert row.original_se == pytest.approx(statistics.stdev(ages) / 2)
    # t with 3 degrees of freedom: 3.182446 at 97.5 %.
    assert row.original_high == pytest.approx(35 + 3.182446305284263 * row.original_se)
    assert row.overlap == pytest.approx(1.0)


def test_special_codes_are_no_amounts():
    ages = ORIGINAL.with_columns(age=pl.when(pl.col("age") == 60).then(-8).otherwise("age"))
    finding = {"kind": "mean", "column": "age", "where": "sex = M"}
    row = one_row(ages, ages, finding, special_codes={"age": [-8]})
    assert (row.original, row.original_n) == (30, 3)
    assert one_row(ages, ages, finding).original == 20.5


def test_a_table_gives_percentages_of_all_or_within_a_column():
    asked = {"name": "t", "kind": "table", "columns": ["sex", "ill"]}
    rows = {row.term: row for row in replicate(ORIGINAL, COPY, [asked]).rows}
    assert list(rows) == [
        "sex = F, ill = no", "sex = F, ill = yes", "sex = M, ill = no", "sex = M, ill = yes",
    ]  # fmt: skip
    assert rows["sex = F, ill = yes"].original == pytest.approx(100 * 2 / 7)
    within = replicate(ORIGINAL, COPY, [{**asked, "within": "sex"}]).rows
    assert [row.original for row in within] == pytest.approx([50, 50, 200 / 3, 100 / 3])
    with_missing = replicate(ORIGINAL, COPY, [{**asked, "of": "all"}]).rows
    assert "sex = M, ill = missing" in [row.term for row in with_missing]
    assert sum(row.original for row in with_missing) == pytest.approx(100)


def test_the_odds_ratio_of_a_regression_is_that_of_the_table():
    data = pl.DataFrame(
        {"x": ["b"] * 30 + ["a"] * 70, "y": ["1"] * 10 + ["0"] * 20 + ["1"] * 30 + ["0"] * 40}
    )
    rows = replicate(data, data, [{"kind": "regression", "formula": "y ~ x"}]).rows
    found = {row.term: row for row in rows}
    assert found["x = b"].original == pytest.approx(math.log(10 * 40 / (20 * 30)), abs=1e-9)
    error = math.sqrt(1 / 10 + 1 / 20 + 1 / 30 + 1 / 40)
    assert found["x = b"].original_se == pytest.approx(error, abs=1e-9)
    assert all(row.overlap == pytest.approx(1) and row.difference == 0 for row in rows)


def test_a_condition_can_be_the_outcome():
    by_level = replicate(survey(), survey(), [{"kind": "regression", "formula": "sex ~ age"}]).rows
    by_condition = replicate(
        survey(), survey(), [{"kind": "regression", "formula": "sex = woman ~ age"}]
    ).rows
    assert [row.original for row in by_condition] == [row.original for row in by_level]


def test_the_model_follows_the_outcome_unless_it_is_told():
    asked = [
        {"name": "a", "kind": "regression", "formula": "income ~ age"},
        {"name": "b", "kind": "regression", "formula": "sex ~ age"},
        {"name": "c", "kind": "regression", "formula": "health ~ age"},
        {"name": "d", "kind": "regression", "formula": "satisfaction ~ age", "model": "ordered"},
    ]
    record = replicate(survey(), survey_synthetic(), asked).record
    assert [one.model for one in record.findings] == [
        "linear", "logistic", "multinomial", "ordered",
    ]  # fmt: skip
    assert not record.not_measured


def test_interactions_powers_and_levels_of_numbers_are_terms():
    formula = "income ~ age*sex + age^2 + C(household)"
    rows = replicate(survey(), survey(), [{"kind": "regression", "formula": formula}]).rows
    assert [row.term for row in rows] == [
        "intercept", "age", "sex = woman", "age^2", "household = 2", "household = 3",
        "household = 4", "household = 5", "household = 6", "age : sex = woman",
    ]  # fmt: skip


def test_the_reference_is_the_first_level_or_the_one_told():
    asked = {"kind": "regression", "formula": "income ~ sex"}
    usual = replicate(survey(), survey(), [asked]).rows
    turned = replicate(survey(), survey(), [{**asked, "levels": {"sex": ["woman", "man"]}}]).rows
    assert usual[1].term == "sex = woman"
    assert turned[1].term == "sex = man"
    assert turned[1].original == pytest.approx(-usual[1].original)


def test_an_empty_subgroup_in_one_file_is_a_reason_not_a_crash():
    original = ORIGINAL.with_columns(age=pl.col("age") + 100)
    for asked in (
        ILL,
        {"name": "m", "kind": "mean", "column": "age"},
        {"name": "t", "kind": "table", "columns": "ill"},
        {"name": "r", "kind": "regression", "formula": "age ~ sex"},
    ):
        record = replicate(original, COPY, [{**asked, "where": "age > 100"}]).record
        lost = [(one.copy, one.reason) for one in record.not_measured if one.term is None]
        assert lost == [(1, "no one is in the subgroup")]
        assert all(row.synthetic is None and row.difference is None for row in record.rows)


def test_a_level_that_a_copy_lacks_is_left_out_there_and_the_rest_compared():
    original = pl.DataFrame(
        {"y": [1.0, 2.0, 4.0, 3.0, 5.0, 8.0], "x": ["a", "a", "b", "b", "c", "c"]}
    )
    copy = original.filter(pl.col("x") != "c")
    record = replicate(
        original, copy, [{"name": "r", "kind": "regression", "formula": "y ~ x"}]
    ).record
    rows = {row.term: row for row in record.rows}
    assert rows["x = c"].original == pytest.approx(5.0)
    assert rows["x = c"].synthetic is None
    assert rows["x = b"].synthetic == pytest.approx(2.0)
    (lost,) = record.not_measured
    assert (lost.term, lost.copy, lost.reason) == ("x = c", 1, "no record has it")


def test_a_copy_without_the_level_that_others_are_compared_with_has_no_model():
    original = pl.DataFrame({"y": [1.0, 2, 4, 3, 5, 8], "x": ["a", "a", "b", "b", "c", "c"]})
    copy = original.filter(pl.col("x") != "a")
    record = replicate(original, copy, [{"kind": "regression", "formula": "y ~ x"}]).record
    assert [one.reason for one in record.not_measured] == [
        "no one has x = a, the level that others are compared with"
    ]


def test_a_level_that_only_a_copy_has_stands_without_an_original():
    copy = pl.DataFrame({"y": [1.0, 2, 4, 3, 5, 8], "x": ["a", "a", "b", "b", "c", "c"]})
    original = copy.filter(pl.col("x") != "c")
    rows = replicate(original, copy, [{"kind": "regression", "formula": "y ~ x"}]).rows
    assert [(row.term, row.original is None) for row in rows] == [
        ("intercept", False), ("x = b", False), ("x = c", True),
    ]  # fmt: skip


def test_perfect_separation_is_said():
    data = pl.DataFrame({"y": ["n"] * 5 + ["p"] * 5, "x": range(10), "z": [0, 1] * 5})
    mixed = data.with_columns(
        y=pl.Series(["n", "p"] * 5), x=pl.Series([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    )
    record = replicate(mixed, data, [{"kind": "regression", "formula": "y ~ x"}]).record
    (lost,) = record.not_measured
    assert (lost.copy, lost.term) == (1, None)
    assert lost.reason.startswith("the terms separate the levels of the outcome")


def test_collinear_terms_are_named_and_the_others_compared():
    data = pl.DataFrame({"y": [1.0, 3, 2, 5, 4], "a": [1, 2, 3, 4, 5], "b": [2, 4, 6, 8, 10]})
    record = replicate(data, data, [{"kind": "regression", "formula": "y ~ a + b"}]).record
    assert [row.term for row in record.rows] == ["intercept", "a", "b"]
    assert {(one.term, one.reason) for one in record.not_measured} == {
        ("b", "the terms before it determine it (collinear)")
    }


def test_terms_collinear_in_a_copy_alone_make_it_incomparable():
    data = pl.DataFrame({"y": [1.0, 3, 2, 5, 4], "a": [1, 2, 3, 4, 5], "b": [2, 4, 6, 8, 1]})
    copy = data.with_columns(b=pl.col("a") * 2)
    record = replicate(data, copy, [{"kind": "regression", "formula": "y ~ a + b"}]).record
    (lost,) = [one for one in record.not_measured if one.term is None]
    assert lost.copy == 1
    assert "collinear" in lost.reason


def test_an_outcome_that_is_the_same_for_everybody_is_said():
    record = replicate(
        ORIGINAL,
        COPY.with_columns(ill=pl.lit("no")),
        [{"kind": "regression", "formula": "ill ~ age"}],
    ).record
    assert [one.reason for one in record.not_measured if one.copy == 1] == [
        "the outcome is the same for everyone"
    ]


ends = st.tuples(st.floats(-50, 50), st.floats(0.01, 20)).map(lambda x: (x[0], x[0] + x[1]))


@given(ends, ends)
def test_the_overlap_is_the_oracle_and_has_no_order(one, two):
    assert overlap(one, two) == pytest.approx(oracle.overlap(one, two))
    assert overlap(one, two) == pytest.approx(overlap(two, one))
    assert overlap(one, one) == pytest.approx(1.0)


def test_the_overlap_by_hand():
    assert overlap((0, 4), (2, 4)) == 0.75
    assert overlap((0, 1), (1, 2)) == 0
    assert overlap((0, 1), (2, 3)) == -1
    assert overlap((0, 0), (0, 1)) is None


def test_the_ratio_of_counts_is_the_smaller_over_the_larger():
    assert [ratio_of_counts(*pair) for pair in ((5, 10), (10, 5), (0, 3), (0, 0))] == [
        0.5,
        0.5,
        0,
        1,
    ]


@given(st.floats(-9, 9), st.floats(0.01, 5), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_normal_interval_is_the_oracle(estimate, se, level):
    assert interval(estimate, se, level) == pytest.approx(
        oracle.normal_interval(estimate, se, level), abs=1e-9
    )


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(0.01, 5)), min_size=2, max_size=6),
    st.integers(10, 5000),
    st.integers(10, 5000),
    st.sampled_from(list(RULES)),
)
def test_the_combining_rules_are_the_oracle(copies, k, n, synthesis):
    estimates, errors = zip(*copies, strict=True)
    got = combine_estimates(estimates, errors, [k] * len(copies), n, synthesis)
    wanted = oracle.combined(estimates, errors, k, n, synthesis)
    assert (got.estimate, got.se, got.population_se) == pytest.approx(wanted)


def test_the_combining_rules_by_hand():
    # Two copies of the original's size: v = 4, b = 2.
    simple = combine_estimates([1, 3], [2, 2], [100, 100], 100, "simple")
    proper = combine_estimates([1, 3], [2, 2], [100, 100], 100, "proper")
    partly = combine_estimates([1, 3], [2, 2], [100, 100], 100, "incomplete")
    assert (simple.estimate, simple.se) == (2, 2)
    assert simple.population_se == pytest.approx(math.sqrt(4 * 1.5))
    assert proper.population_se == pytest.approx(math.sqrt(4 * 2))
    assert partly.population_se == pytest.approx(math.sqrt(4 + 1))
    assert partly.df == pytest.approx((1 + 4 / 1) ** 2)
    assert combine_estimates([1], [2], [100], 100, "incomplete").population_se is None


def test_several_copies_stand_alone_and_combined():
    result = replicate(ORIGINAL, [COPY, ORIGINAL, COPY.head(4)], [ILL], synthesis="proper")
    assert [row.copy for row in result.rows] == [1, 2, 3, "combined"]
    *alone, together = result.rows
    assert together.synthetic == pytest.approx(statistics.fmean(row.synthetic for row in alone))
    assert alone[1].difference == 0
    # Copy 3 has half the records: its error is scaled to the size of the original.
    _, own = oracle.share(["no", "no", "no", "yes"], "yes")
    assert alone[2].synthetic_se == pytest.approx(own * math.sqrt(4 / 8))
    assert alone[2].ratio_of_counts == pytest.approx(2 / 3)
    assert result.record.rule.startswith("T_p = ")


rows = st.lists(
    st.tuples(st.sampled_from("FM"), st.integers(0, 3), st.sampled_from(["yes", "no"])),
    min_size=1,
    max_size=15,
)


@examples(40)
@given(rows, rows)
def test_prevalences_and_means_are_the_oracle(original, copy):
    if not {"yes"} & {ill for *_, ill in (*original, *copy)}:
        original = [*original, ("F", 1, "yes")]
    asked = [{**ILL, "where": "age > 0"}, {"name": "m", "kind": "mean", "column": "age"}]
    result = replicate(people(*original), people(*copy), asked)
    for side, told in ((original, "original"), (copy, "synthetic")):
        ills = [ill for _, age, ill in side if age > 0]
        ages = [age for _, age, _ in side]
        prevalence = [row for row in result.rows if row.finding == "ill"]
        if ills:
            estimate, error = oracle.share(ills, "yes")
            assert getattr(prevalence[0], told) == pytest.approx(estimate)
            if told == "original":
                assert prevalence[0].original_se == pytest.approx(error)
        elif prevalence:
            assert getattr(prevalence[0], told) is None
        (mean,) = [row for row in result.rows if row.finding == "m"]
        if len(ages) > 1:
            scale = math.sqrt(len(copy) / len(original)) if told == "synthetic" else 1
            estimate, error = oracle.mean(ages)
            assert getattr(mean, told) == pytest.approx(estimate)
            assert getattr(mean, f"{told}_se") == pytest.approx(error * scale)


@pytest.mark.parametrize("shift", [1e9, -1e12])
def test_a_mean_and_its_error_lose_no_digit_beside_a_large_common_part(shift):
    numbers = (np.random.default_rng(6).normal(size=300) + shift).tolist()
    data = pl.DataFrame({"x": numbers})
    (row,) = replicate(data, data, [{"name": "m", "kind": "mean", "column": "x"}]).rows
    estimate, error = oracle.mean(numbers)
    assert row.original == pytest.approx(estimate, rel=1e-15)
    assert row.original_se == pytest.approx(error, rel=1e-13)


LIST = [
    {"name": 'Quotes "and" \\ signs\x7f', "kind": "prevalence", "column": "a b", "level": ["x", 2]},
    {"name": "é", "kind": "table", "columns": ["sex", "ill"], "within": "sex"},
    {"kind": "regression", "formula": "ill ~ age", "levels": {"ill": ["no", "yes"], "a b": ["1"]}},
]


def test_a_list_comes_back_from_its_toml(tmp_path):
    file = tmp_path / "list.toml"
    file.write_text(write_tables("finding", LIST), encoding="utf-8")
    assert read_findings(file) == LIST


def test_a_file_of_findings_says_what_a_list_says(tmp_path):
    file = tmp_path / "list.toml"
    asked = [ILL, {"kind": "regression", "formula": "ill ~ age", "where": "sex = F"}]
    file.write_text(write_tables("finding", asked), encoding="utf-8")
    assert replicate(ORIGINAL, COPY, file).record == replicate(ORIGINAL, COPY, asked).record


def test_the_record_comes_back_from_json_and_the_frame_has_its_rows():
    result = replicate(ORIGINAL, [COPY, COPY], [ILL])
    assert Replication.from_json(result.to_json()) == result.record
    assert result.frame().height == 3
    assert "copy" in result.frame().columns


def test_row_order_does_not_matter():
    asked = [ILL, {"name": "r", "kind": "regression", "formula": "age ~ sex + ill"}]
    one = replicate(ORIGINAL, COPY, asked).rows
    two = replicate(ORIGINAL.reverse(), COPY.sample(fraction=1, shuffle=True, seed=1), asked).rows
    for before, after in zip(one, two, strict=True):
        assert after.original == pytest.approx(before.original)
        assert after.synthetic_se == pytest.approx(before.synthetic_se)


def test_a_column_whose_name_looks_like_a_pattern_is_itself():
    data = ORIGINAL.rename({"age": "^a.*$"})
    row = one_row(data, data, {**ILL, "where": "`^a.*$` >= 40"})
    assert row.original_n == 3


def test_the_worked_example_of_the_page():
    original, copy = (
        pl.DataFrame([list(row) for row in rows.split()], ["k1", "k2", "t"], orient="row")
        for rows in ("axp axq ayp bxq byq byq", "axp axp ayq byq byp cxp")
    )
    row = one_row(original, copy, {"kind": "prevalence", "column": "t", "level": "p"})
    assert (row.original, row.synthetic) == pytest.approx((100 / 3, 200 / 3))
    assert round(row.original_se, 2) == 19.25
    assert [round(end, 2) for end in (row.original_low, row.original_high)] == [-4.39, 71.05]
    assert [round(end, 2) for end in (row.synthetic_low, row.synthetic_high)] == [28.95, 104.39]
    assert (round(row.overlap, 3), row.ratio_of_counts) == (0.558, 0.5)
    assert row.standardised_difference == pytest.approx(math.sqrt(3))


def test_a_class_of_the_outcome_that_a_copy_lacks_is_told_and_the_others_compared():
    copy = survey().filter(pl.col("marital") != "widowed")
    asked = [{"name": "r", "kind": "regression", "formula": "marital ~ age"}]
    record = replicate(survey(), copy, asked).record
    rows = {row.term: row for row in record.rows}
    assert rows["widowed | age"].synthetic is None
    assert rows["never married | age"].overlap is not None
    assert {(one.term, one.reason) for one in record.not_measured} == {
        ("widowed | intercept", "no one has marital = widowed"),
        ("widowed | age", "no one has marital = widowed"),
    }


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_numbers_of_any_size_are_compared(scale):
    data = pl.DataFrame({"x": [1.0, 2, 4, 3, 7], "y": [2.0, 1, 5, 3, 4]})
    asked = [
        {"name": "m", "kind": "mean", "column": "x"},
        {"name": "a", "kind": "regression", "formula": "x ~ y"},
        {"name": "b", "kind": "regression", "formula": "y ~ x"},
    ]
    copy = data.with_columns(x=pl.col("x") * 1.5)
    near = replicate(data, [copy, data], asked, synthesis="incomplete").rows
    scaled = [frame.with_columns(x=pl.col("x") * scale) for frame in (data, copy, data)]
    far = replicate(scaled[0], scaled[1:], asked, synthesis="incomplete").rows
    for one, two in zip(near, far, strict=True):
        assert two.overlap == pytest.approx(one.overlap)
        assert two.standardised_difference == pytest.approx(one.standardised_difference)


def test_named_stages_are_reported_by_themselves_and_not_combined():
    """Each row is that of the stage alone; nothing is the mean of two stages."""
    stages = {"S1": COPY, "S2": COPY.head(6), "S3": ORIGINAL}
    findings = [ILL, {"kind": "table", "columns": ["sex"]}]
    found = replicate(ORIGINAL, stages, findings)
    assert found.record.stages == ("S1", "S2", "S3")
    assert {row.copy for row in found.rows} == {1, 2, 3}
    for place, copy in enumerate(stages.values(), 1):
        alone = replicate(ORIGINAL, copy, findings).rows
        own = [row for row in found.rows if row.copy == place]
        assert [msgspec.structs.replace(row, copy=1) for row in own] == list(alone)
    assert found.record.headline_rows == found.rows
    assert {one.copy for one in found.record.findings[0].copies} == {1, 2, 3}
    said = dict(replication_sentences(found.record))
    assert said["stages"].startswith("Mean overlap by file, none combined: S1 ")
    assert "combined" not in said
    first = next(result_tables(found.record))
    assert [label for label, *_ in first.rows][:3] == [
        "ill, S1",
        "ill, S2",
        "ill, S3",
    ]
    with pytest.raises(SettingsError, match="synthetic is empty"):
        replicate(ORIGINAL, {}, findings)
