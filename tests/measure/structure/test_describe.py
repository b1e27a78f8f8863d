"""A codebook tells what is declared and what is there, and never what one person has."""

import datetime as dt
import json
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import codebook as oracle
from profiles import examples
from unveil.errors import InputError
from unveil.io.numbers import TAGS
from unveil.measure.structure import describe
from unveil.measure.structure.describe import codebook, describe_contents, whole_percent
from unveil.records.codebook import Codebook, DescribedFile, Level, MissingRange, Variable
from unveil.view.codebook import remarks

SEX = Variable(
    name="sex",
    label="Sex",
    levels=(
        Level(code=1, label="Male"),
        Level(code=2, label="Female"),
        Level(code=4, label="Other"),
        Level(code=-9, label="Refused"),
    ),
    missing=(-9,),
)


def told_range(values):
    return describe.find_range(values.alias("value").value_counts(name="n"))


def found(values, variable=None, dtype=None):
    column = pl.Series("x", values, dtype=dtype)
    return describe_contents(column, variable or Variable(name="x"))


def book(*variables):
    return Codebook(source="survey.sav", format="spss", variables=variables)


def test_a_coded_column_by_hand():
    # 10 men, 6 women, 5 with the code 3, 1 with the code 7, 2 refused, 1 empty: 25 records.
    entries = [1] * 10 + [2] * 6 + [3] * 5 + [7] + [-9] * 2 + [None]
    one = found(entries, SEX)
    assert one.occurring == (3,)
    assert (one.n_rare, one.n_outside, one.n_distinct) == (1, 6, 4)
    assert one.unused == (4,)
    assert (one.missing_percent, one.missing_code_percent) == (12, 8)
    assert (one.low, one.high, one.holds) == (None, None, "codes")


def test_a_value_is_told_from_five_people_on():
    assert found(["a"] * 5 + ["b"] * 4).occurring == ("a",)
    assert found(["a"] * 5 + ["b"] * 4).n_rare == 1


def test_numbers_that_look_like_codes_for_no_answer_are_not_in_the_range():
    amounts = [*range(100)] * 2
    one = found([*amounts, *[-9] * 5, *[-8] * 4])
    assert (one.low, one.high, one.likely_missing) == (2, 97, (-9,))
    assert next(remarks(Variable(name="x", kind="number"), one)) == (
        "-9 looks like a code for missing values, but is not declared; the range excludes it."
    )
    # An amount below 0 is one, and so is what somebody declared.
    below = found([*amounts, *[-350] * 5])
    assert (below.low, below.likely_missing) == (-350, ())
    declared = Variable(name="x", kind="number", missing=(-9,))
    assert found([*amounts, *[-9] * 5], declared).likely_missing == ()


def test_free_text_is_counted_and_nothing_of_it_is_told():
    one = found([f"canary {i}" for i in range(1000)])
    assert (one.occurring, one.n_rare, one.n_distinct) == ((), 1000, 1000)
    assert "canary" not in str(one)


def test_at_most_a_hundred_categories_are_listed():
    one = found([f"{i:03}" for i in range(120) for _ in range(5)])
    assert (len(one.occurring), one.n_unlisted, one.n_rare) == (100, 20, 0)


def test_text_may_hold_the_labels_of_codes():
    one = found(["Male"] * 6 + [" female"] * 3 + ["REFUSED", "Martian"], SEX)
    assert (one.holds, one.n_outside, one.n_rare) == ("labels", 1, 1)
    assert one.missing_code_percent == 9
    assert one.unused == (4,)


def test_numbers_as_text_are_codes():
    one = found(["1", "2", "-9", ""], SEX)
    assert (one.holds, one.n_outside, one.missing_percent) == ("codes", 0, 50)


def test_truth_values_have_the_codes_0_and_1_or_are_named():
    yes_no = Variable(name="x", levels=(Level(code=1, label="Yes"), Level(code=0, label="No")))
    assert found([True, True], yes_no).unused == (0,)
    assert found([True] * 5 + [False] * 5).occurring == ("false", "true")


def test_letters_and_ranges_of_missing_numbers_are_missing():
    letter = Variable(name="x", levels=(Level(code=".a", label="Refused"),), missing=(".a", ".b"))
    one = found([1.5, TAGS[".a"], None, float("nan")], letter)
    assert (one.missing_percent, one.missing_code_percent, one.n_distinct) == (75, 25, 1)
    assert one.unused == (".b",)
    gap = Variable(name="x", missing_ranges=(MissingRange(lo=None, hi=-1),))
    assert found([-5, -1, 0, 1], gap).missing_code_percent == 50


def test_a_number_with_a_few_labels_is_a_measurement():
    ends = Variable(name="x", levels=(Level(code=0, label="none"), Level(code=99, label="99+")))
    one = found(list(range(100)), ends)
    assert (one.n_outside, one.occurring) == (None, ())
    assert (one.low, one.high) == (4, 95)


def test_what_is_declared_a_scale_is_told_by_its_range():
    scale = Variable(name="x", measure="scale", levels=(Level(code=0, label="never"),))
    assert found([0, 1, 2] * 20, scale).n_outside is None
    nominal = Variable(name="x", measure="nominal")
    assert found([1, 2] * 20, nominal).occurring == (1, 2)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (list(range(49)), (None, None)),
        (list(range(50)), (4, 45)),
        ([7] * 50, (7, 7)),
        ([1931 + i % 74 for i in range(7400)], (1931, 2004)),
        ([i / 1000 for i in range(1000)], (0, 0.99)),
        ([-(10**15), *range(98), 10**15], (3, 94)),
        ([1e300 * i for i in range(100)], (4e300, 9.5e301)),
        ([float("inf"), *[1.5] * 49], (None, None)),
        ([12_345.678 + i for i in range(1000)], (12_350, 13_340)),
    ],
)
def test_a_range_leaves_out_its_ends(values, expected):
    assert told_range(pl.Series(values, strict=False)) == expected


def test_dates_become_years_or_months_and_times_hours():
    days = [dt.date(1990, 1, 1) + dt.timedelta(days=10 * i) for i in range(1000)]
    assert told_range(pl.Series(days)) == ("1990", "2017")
    assert told_range(pl.Series(days[:100])) == ("1990-02", "1992-08")
    moments = pl.Series([dt.datetime(2020, 5, 1, 0, i % 60) for i in range(60)])
    assert told_range(moments) == ("2020-05", "2020-05")
    assert told_range(pl.Series([dt.time(7, i) for i in range(60)])) == ("07:00", "08:00")
    assert told_range(pl.Series([dt.time(7)] * 60)) == ("07:00", "07:00")


@given(st.lists(st.integers(-(10**12), 10**12) | st.integers(0, 9), min_size=45, max_size=700))
@examples(60)
def test_the_range_of_whole_numbers_is_that_of_the_oracle(values):
    low, high = told_range(pl.Series(values, dtype=pl.Int64))
    expected = oracle.told_range([Fraction(value) for value in values])
    assert (low, high) == (expected or (None, None))


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=50, max_size=150))
@examples(40)
def test_the_range_of_decimals_is_that_of_the_oracle(values):
    low, high = told_range(pl.Series(values))
    expected = oracle.told_range([Fraction(str(value)) for value in values])
    assert (low, high) == tuple(float(end) for end in expected)


@given(st.lists(st.integers(1, 10**6), min_size=50, max_size=300))
@examples(40)
def test_an_end_is_where_the_fifth_person_is_or_rounded_outwards_from_there(values):
    values = sorted(values)
    low, high = told_range(pl.Series(values))
    assert low <= values[4]
    assert high >= values[-5]
    # Rounded outwards by less than a tenth of the distance, and not further.
    distance = values[-5] - values[4]
    assert 10 * (values[4] - low) <= distance
    assert 10 * (high - values[-5]) <= distance


codes = st.sampled_from([1, 2, 3, 4, 5, 6, -9, -8, None])


@given(st.lists(codes, min_size=1, max_size=60), st.sets(st.sampled_from([1, 2, 3, 4])))
@examples(80)
def test_a_coded_column_is_that_of_the_oracle(entries, levels):
    variable = Variable(
        name="x",
        measure="nominal",
        levels=tuple(Level(code=code, label=f"label {code}") for code in sorted(levels)),
        missing=(-9, -8),
    )
    one = found(entries, variable, dtype=pl.Int64)
    expected = oracle.categories(entries, sorted(levels), (-9, -8))
    if not levels:
        expected["n_outside"] = None
    assert {field: getattr(one, field) for field in expected} == expected


@given(st.integers(0, 300), st.integers(1, 300))
def test_percentages_are_whole_and_those_of_the_oracle(n, total):
    n = min(n, total)
    assert whole_percent(n, total) == oracle.whole_percent(n, total)


@given(st.lists(st.integers(0, 5), min_size=50, max_size=120), st.randoms())
@examples(30)
def test_neither_the_order_of_records_nor_their_type_matters(values, random):
    mixed = random.sample(values, len(values))
    assert found(values, SEX) == found(mixed, SEX)
    assert found(values, SEX) == found([float(value) for value in values], SEX)


def test_what_a_file_does_not_say_is_taken_from_its_types():
    frame = pl.DataFrame(
        {
            "n": [1],
            "t": ["a"],
            "d": [dt.date(2020, 1, 1)],
            "m": [dt.datetime(2020, 1, 1)],
            "c": [dt.time(1)],
            "b": [True],
            "l": [[1]],
            "e": pl.Series(["x"], dtype=pl.Enum(["x", "y"])),
            "k": pl.Series(["x"], dtype=pl.Categorical),
        }
    )
    result = codebook(frame)
    kinds = [variable.kind for variable in result.variables]
    assert kinds[:5] == ["number", "text", "date", "moment", "time"]
    assert kinds[5:] == ["truth", "unknown", "text", "text"]
    *_, fixed, loose = result.variables
    assert [level.code for level in fixed.levels] == ["x", "y"]
    assert loose.levels == ()
    assert result.found[6].n_distinct is None


def test_a_dictionary_goes_before_the_file_and_what_is_not_there_is_told():
    dictionary = book(SEX, Variable(name="gone"))
    result = codebook(pl.DataFrame({"sex": [1, 2], "age": [3, 4]}), dictionary=dictionary)
    assert [variable.label for variable in result.variables] == ["Sex", None]
    assert result.variables[0].kind == "number"
    assert result.record.not_in_file == ("gone",)


def test_the_records_can_be_left_out():
    result = codebook(pl.DataFrame({"sex": ["canary"] * 9}), declared_only=True)
    assert result.found == ()
    assert "canary" not in result.to_json()
    assert result.frame().columns[-1] == "missing_codes"


def test_a_result_can_be_written_and_looked_at():
    result = codebook(pl.DataFrame({"sex": [1, 2, 3]}), dictionary=book(SEX))
    assert DescribedFile.from_json(result.to_json()) == result.record
    assert json.loads(result.to_json()) == json.loads(json.dumps(result.to_dict()))
    assert result.frame()["name"].to_list() == ["sex"]
    assert result.frame()["n_outside"].to_list() == [1]
    assert result.codebook.variable("sex") == result.variables[0]


def test_hostile_names_of_columns_are_columns_like_others():
    names = ["^.*$", "*", "n", "value", "\x1b[31m", ""]
    frame = pl.DataFrame({name: [1, 2] for name in names})
    assert [one.name for one in codebook(frame).found] == names


def test_a_dictionary_of_another_kind_is_refused():
    with pytest.raises(InputError) as caught:
        codebook(pl.DataFrame({"x": [1]}), dictionary=7)
    assert str(caught.value) == (
        "dictionary is 7. Give the path of a file, such as 'survey_dictionary.csv', or a codebook."
    )


def test_a_column_with_nothing_to_be_found_takes_no_query(monkeypatch):
    def never(*_, **__):
        raise AssertionError("a query was made of one column")

    monkeypatch.setattr(pl.DataFrame, "filter", never)
    monkeypatch.setattr(pl.DataFrame, "sort", never)
    monkeypatch.setattr(pl.Series, "is_in", never)
    found = describe_contents(pl.Series("x", [1.5, None, 2.0]), Variable(name="x", kind="number"))
    assert (found.n_distinct, found.missing_percent) == (2, 33)


def test_numbers_that_are_none_are_empty_beside_infinite_ones():
    column = pl.Series("x", [float("inf"), float("-inf"), float("nan"), 1.0])
    found = describe_contents(column, Variable(name="x", kind="number"))
    assert (found.n_distinct, found.missing_percent) == (3, 25)
