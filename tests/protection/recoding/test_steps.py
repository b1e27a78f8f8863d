"""How recipes are read and written, and every sentence that refuses one."""

import tomllib
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from toml_tables import write_steps
from unveil.errors import InputError
from unveil.protection.recoding.recode import recode
from unveil.protection.recoding.steps import parse_steps
from unveil.records.recoding import Drop, MergeRare, PerturbOutliers, TopCode, as_mapping

ALL = (
    "drop, band, top_code, bottom_code, merge_rare, merge, round, coarsen_date, drop_outliers,"
    " perturb_outliers"
)
RECIPE = [
    {"do": "drop", "column": "id"},
    {"do": "band", "column": "age", "n": 5, "style": "equal", "special_codes": [-8, 99.5]},
    {"do": "band", "column": "age", "breaks": [0, 18.5, 65], "labels": ["young", "old"]},
    {"do": "top_code", "column": "income", "quantile": 0.99, "special_codes": [-8]},
    {"do": "bottom_code", "column": "age", "at": 20},
    {"do": "merge_rare", "column": "job", "below": 10, "into": "other"},
    {"do": "merge_rare", "column": "town", "hierarchy": {"a.b": "c", "d": "e"}, "always": True},
    {"do": "merge", "column": "marital", "levels": ["w", 3], "into": "x"},
    {"do": "round", "column": "income", "to": 0.25},
    {"do": "coarsen_date", "column": "born", "to": "quarter"},
    {"do": "drop_outliers", "column": "weight", "distance": 4.5, "tail": "high"},
    {
        "do": "perturb_outliers",
        "column": "weight",
        "quantile": 0.95,
        "spread": 0.2,
        "between": [30, 300],
    },
]


def test_every_kind_of_step_goes_to_toml_and_back():
    steps = parse_steps(RECIPE)
    text = write_steps(RECIPE)
    assert parse_steps(tomllib.loads(text)["protect"]["step"]) == steps
    assert write_steps(steps) == text
    assert [as_mapping(step) for step in steps] == RECIPE
    assert text.startswith('[[protect.step]]\ndo = "drop"\ncolumn = "id"\n\n[[protect.step]]\n')


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
names = texts.filter(str.strip)


@examples(80)
@given(texts, names, st.dictionaries(names, texts.map(lambda end: f"end of {end}"), min_size=1))
def test_whatever_is_in_a_name_survives_the_round_trip(column, into, parents):
    steps = (
        Drop(column=column),
        MergeRare(column=column, below=5, into=into),
        MergeRare(column=column, hierarchy=tuple(parents.items()), always=True)
        if not set(parents) & set(parents.values())
        else Drop(column=into),
    )
    assert parse_steps(tomllib.loads(write_steps(steps))["protect"]["step"]) == steps


@examples(80)
@given(
    st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False)),
    st.floats(0, 1, exclude_min=True, exclude_max=True),
)
def test_every_number_survives_the_round_trip(at, share):
    steps = (TopCode(column="x", at=at), TopCode(column="x", quantile=share))
    assert parse_steps(tomllib.loads(write_steps(steps))["protect"]["step"]) == steps


def test_what_was_left_open_is_not_written():
    assert as_mapping(PerturbOutliers(column="x", distance=3)) == {
        "do": "perturb_outliers",
        "column": "x",
        "distance": 3,
    }


FRAME = pl.DataFrame(
    {
        "age": [20, 30, 40],
        "town": ["A", "B", "B"],
        "born": [date(2000, 1, 5)] * 3,
        "same": [1, 1, 1],
        "long": pl.Series([2**63, 1, 2], dtype=pl.UInt64),
        "list": [[1], [2], [3]],
    }
)
COLUMNS = "Its columns are: age, town, born, same, long, list."
BAD = {
    "empty recipe": (
        [],
        "The recipe has no steps. Give at least one, such as {'do': 'drop', 'column': 'name'}.",
    ),
    "a single step": (
        {"do": "drop", "column": "age"},
        "The recipe is a single table. Give a list of steps, such as"
        " [{'do': 'drop', 'column': 'name'}].",
    ),
    "a number": (
        5,
        "The recipe is 5. Give a list of steps, such as [{'do': 'drop', 'column': 'name'}].",
    ),
    "a step that is no table": (
        ["drop"],
        "Step 1 is 'drop'. Write each step as a table, such as {'do': 'drop', 'column': 'name'}.",
    ),
    "nothing to do": (
        [{"column": "age"}],
        f"Step 1 has no do. Give it one: {ALL}.",
    ),
    "unknown step": (
        [{"do": "topcode", "column": "age"}],
        f"Step 1: do is 'topcode'. Did you mean 'top_code'? It must be one of: {ALL}.",
    ),
    "unknown setting": (
        [{"do": "drop", "colum": "age"}],
        "Step 1 (drop): there is no setting 'colum'. Did you mean 'column'? Its settings are:"
        " column.\nStep 1 (drop): column is not given. Name the column, as text.",
    ),
    "unknown column": (
        [{"do": "round", "column": "aeg", "to": 5}],
        f"Step 1 (round): the dataset has no column 'aeg'. Did you mean 'age'? {COLUMNS}",
    ),
    "a column dropped before": (
        [{"do": "drop", "column": "age"}, {"do": "round", "column": "age", "to": 5}],
        "Step 2 (round): column 'age' was dropped by step 1. Take the step out, or put it before"
        " that one.",
    ),
    "top-coding text": (
        [{"do": "top_code", "column": "town", "at": 5}],
        "Step 1 (top_code): column 'town' holds text, not numbers. Take the step out, or name"
        " another column.",
    ),
    "text as a limit": (
        [{"do": "top_code", "column": "age", "at": "80"}],
        "Step 1 (top_code): at is '80'. Write a number, such as 80.",
    ),
    "quantile outside 0 to 1": (
        [{"do": "top_code", "column": "age", "quantile": 1.5}],
        "Step 1 (top_code): quantile is 1.5. It must be a number between 0 and 1, such as 0.99.",
    ),
    "quantile of outliers below the median": (
        [{"do": "drop_outliers", "column": "age", "quantile": 0.01}],
        "Step 1 (drop_outliers): quantile is 0.01. It must be a number from 0.5 to below 1, such as"
        " 0.99: outliers lie beyond it, and below 1 less it.",
    ),
    "both limits": (
        [{"do": "bottom_code", "column": "age", "quantile": 0.1, "at": 5}],
        "Step 1 (bottom_code): give at (a number) or quantile (a share), one of the two.",
    ),
    "no rule": (
        [{"do": "perturb_outliers", "column": "age"}],
        "Step 1 (perturb_outliers): give quantile or distance, one of the two: which numbers are"
        " far?",
    ),
    "a circle": (
        [{"do": "merge_rare", "column": "town", "below": 5, "hierarchy": {"A": "B", "B": "A"}}],
        "Step 1 (merge_rare): hierarchy goes round in a circle: 'A' is its own ancestor. Give"
        " every level a parent above it.",
    ),
    "an unknown child": (
        [{"do": "merge_rare", "column": "town", "below": 5, "hierarchy": {"Z": "Y"}}],
        "Step 1 (merge_rare): column 'town' has no level 'Z', which the hierarchy names as a child."
        " Check how it is written.",
    ),
    "an unknown level": (
        [{"do": "merge", "column": "town", "levels": ["A", "Z"], "into": "Y"}],
        "Step 1 (merge): column 'town' has no level 'Z', which is to be merged. Check how it is"
        " written.",
    ),
    "rare without a count": (
        [{"do": "merge_rare", "column": "town", "into": "Y"}],
        "Step 1 (merge_rare): below is not given. State how many records a level needs, such as"
        " 10.",
    ),
    "rare below one": (
        [{"do": "merge_rare", "column": "town", "into": "Y", "below": 1}],
        "Step 1 (merge_rare): below is 1. It must be a whole number from 2 to 1,000,000,000.",
    ),
    "a parent that is none": (
        [{"do": "merge_rare", "column": "town", "below": 5, "hierarchy": {"A": 3}}],
        "Step 1 (merge_rare): hierarchy names a level that is 3. Write levels as text.",
    ),
    "no level to merge": (
        [{"do": "merge", "column": "town", "levels": [None], "into": " "}],
        "Step 1 (merge): levels is None. List the levels to be merged, as in ['widowed',"
        " 'divorced'].\nStep 1 (merge): into is empty. Name the level they become, such as"
        " 'other'.",
    ),
    "long identifiers": (
        [{"do": "merge_rare", "column": "long", "below": 5, "into": 0}],
        "Step 1 (merge_rare): column 'long' holds whole numbers beyond 9,007,199,254,740,992, too"
        " large to be reckoned with exactly. Drop it, if it is an identifier.",
    ),
    "lists": (
        [{"do": "merge_rare", "column": "list", "below": 5, "into": "x"}],
        "Step 1 (merge_rare): column 'list' holds values that have no levels. Drop it, or turn it"
        " into text first.",
    ),
    "rare with two aims": (
        [{"do": "merge_rare", "column": "town", "into": "Y", "below": 5, "hierarchy": {"A": "C"}}],
        "Step 1 (merge_rare): give into (one level) or hierarchy (a parent for each), one of the"
        " two.",
    ),
    "a date step on numbers": (
        [{"do": "coarsen_date", "column": "age", "to": "year"}],
        "Step 1 (coarsen_date): column 'age' holds numbers, not dates. Round numbers instead, or"
        " read the column as dates.",
    ),
    "an unknown period": (
        [{"do": "coarsen_date", "column": "born", "to": "months"}],
        "Step 1 (coarsen_date): to is 'months'. Did you mean 'month'? It must be one of: month,"
        " quarter, year.",
    ),
    "rounding to nothing": (
        [{"do": "round", "column": "age", "to": 0}],
        "Step 1 (round): to is 0. It must be a number above 0, such as 5.",
    ),
    "bands that contradict": (
        [{"do": "band", "column": "age", "n": 5, "breaks": [1, 2]}],
        "Step 1 (band): Column 'age' has both a number of bands and breaks. Give one of the two.",
    ),
    "a range upside down": (
        [{"do": "perturb_outliers", "column": "age", "distance": 5, "between": [9, 1]}],
        "Step 1 (perturb_outliers): between must be the lowest and the highest plausible number, as"
        " in [0, 100].",
    ),
    "a range within the others": (
        [{"do": "perturb_outliers", "column": "age", "quantile": 0.9, "between": [1, 2]}],
        "Step 1 (perturb_outliers): the plausible range of column 'age' ends before its outliers"
        " begin. Widen between, or top-code instead.",
    ),
    "a robust distance of equal numbers": (
        [{"do": "drop_outliers", "column": "same", "distance": 3}],
        "Step 1 (drop_outliers): more than half of the numbers of column 'same' are equal, so that"
        " a robust distance means nothing. Give a quantile instead.",
    ),
    "no columns left": (
        [{"do": "drop", "column": name} for name in FRAME.columns],
        "Step 6 (drop): no column would be left. Take the step out.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_recipe_is_refused_in_a_sentence(case):
    steps, sentence = BAD[case]
    with pytest.raises(InputError) as refused:
        recode(FRAME, steps)
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2


def test_a_step_that_leaves_no_records_is_refused():
    frame = pl.DataFrame({"x": [1.0, 9.0]})
    step = {"do": "drop_outliers", "column": "x", "quantile": 0.5}
    with pytest.raises(InputError) as refused:
        recode(frame, [step])
    sentence = "Step 1 (drop_outliers): no record would be left. Take the step out."
    assert str(refused.value) == sentence


def test_all_faults_are_told_together_in_the_order_of_the_steps():
    steps = [
        {"do": "round", "column": "aeg", "to": 5},
        {"do": "topcode", "column": "age"},
        {"do": "top_code", "column": "town", "at": 5},
        {"do": "merge", "column": "town", "levels": ["A"], "into": "B"},
        {"do": "round", "column": "age", "to": -1},
    ]
    with pytest.raises(InputError) as refused:
        recode(FRAME, steps)
    told = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in told] == [
        "Step 1 (round)",
        "Step 2",
        "Step 3 (top_code)",
        "Step 5 (round)",
    ]


def test_no_refusal_shows_a_value_of_the_data():
    frame = pl.DataFrame({"x": ["canary-one", "canary-two"], "n": [424242, 424243]})
    for step in (
        {"do": "top_code", "column": "x", "at": 1},
        {"do": "merge", "column": "x", "levels": ["canary-on"], "into": "y"},
        {"do": "coarsen_date", "column": "n", "to": "year"},
        {"do": "merge", "column": "n", "levels": [424244], "into": "y"},
    ):
        with pytest.raises(InputError) as refused:
            recode(frame, [step])
        for secret in ("canary-one", "canary-two", "424242", "424243"):
            assert secret not in str(refused.value)


def test_keys_that_are_not_there_are_refused_with_the_nearest():
    with pytest.raises(InputError) as refused:
        recode(FRAME, [{"do": "drop", "column": "age"}], keys=["twn"])
    assert str(refused.value) == f"The dataset has no column 'twn'. Did you mean 'town'? {COLUMNS}"


def test_nominal_codes_are_not_reckoned_with():
    from unveil.io.table import Labelled
    from unveil.records.codebook import Codebook, Variable

    variable = Variable(name="age", kind="number", measure="nominal")
    book = Codebook(source="a.sav", format="spss", variables=(variable,))
    with pytest.raises(InputError) as refused:
        recode(Labelled(FRAME, book), [{"do": "round", "column": "age", "to": 10}])
    assert str(refused.value) == (
        "Step 1 (round): column 'age' is declared nominal: its numbers stand for names. Merge its"
        " levels instead."
    )


def test_a_step_on_a_column_that_an_earlier_one_could_not_change_adds_no_fault():
    steps = [
        {"do": "band", "column": "town", "n": 2},
        {"do": "merge", "column": "town", "levels": ["under 3"], "into": "few"},
    ]
    with pytest.raises(InputError) as refused:
        recode(FRAME, steps)
    assert str(refused.value) == (
        "Step 1 (band): column 'town' holds text, not numbers. Take the step out, or name another"
        " column."
    )
