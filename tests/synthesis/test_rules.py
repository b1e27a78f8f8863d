"""Rules and derived columns: they hold in every row of a copy, or are refused with a sentence."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from synthesis.ruled import ruled, ruled_in
from unveil.errors import InputError, SettingsError
from unveil.io.table import Labelled, Table
from unveil.records.codebook import Codebook, Level, MissingRange, Variable
from unveil.synthesis.rules import can_be_met
from unveil.synthesis.synthesise import synthesise


def people(n=300):
    rng = np.random.default_rng(1)
    age = rng.integers(5, 90, n)
    marital = np.where(age < 16, "SINGLE", rng.choice(["SINGLE", "MARRIED", "WIDOWED"], n))
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], n),
            "marital": marital,
            "edu": pl.Series(rng.choice(["none", "some", "all"], n)).cast(
                pl.Enum(["none", "some", "all"])
            ),
            "born": [dt.date(2020, 1, 1) - dt.timedelta(days=365 * int(a)) for a in age],
            "children": np.where(age < 16, 0, rng.integers(0, 4, n)),
            "income": pl.Series(np.where(age < 18, np.nan, age * 10.0)).fill_nan(None),
            "smokes": rng.random(n) > 0.5,
            "height": rng.integers(150, 200, n),
            "weight": rng.integers(45, 120, n).astype(float),
            "region": pl.Series(rng.choice(list("abcd"), n), dtype=pl.Categorical),
            "same": ["x"] * n,
            "none": pl.Series([None] * n, dtype=pl.Float64),
        }
    ).with_columns(bmi=(pl.col("weight") / (pl.col("height") / 100) ** 2).round(1))


PEOPLE = people()
BMI = {"bmi": "round(weight / (height / 100) ^ 2, 1)"}
COLUMNS = (
    "Its columns are: age, sex, marital, edu, born, children, income, smokes, height, weight,"
    " region, same and 2 more."
)


def copy_of(rules=None, frame=PEOPLE, derived=None, seed=1, **asked):
    made = synthesise(frame, rules=rules, derived=derived, seed=seed, **asked)
    return made.sample(1, rows=len(frame))[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "condition", "column", "value"),
    [
        ("if age < 16 then marital = SINGLE", pl.col("age") < 16, "marital", "SINGLE"),
        (
            "if sex = M and age > 20 then children = 9",
            (pl.col("sex") == "M") & (pl.col("age") > 20),
            "children",
            9,
        ),
        ("if age < 16 then smokes = false", pl.col("age") < 16, "smokes", False),
        ("if age < 16 then income = missing", pl.col("age") < 16, "income", None),
        ("if age < 16 then edu = 'none'", pl.col("age") < 16, "edu", "none"),
        ("if edu < all then region = a", pl.col("edu") != "all", "region", "a"),
        (
            "if sex = F and edu in (some, none) then born = 1990-05-01",
            (pl.col("sex") == "F") & (pl.col("edu") != "all"),
            "born",
            dt.date(1990, 5, 1),
        ),
        (
            "if born >= 2005-01-01 then weight = 20.5",
            pl.col("born") >= dt.date(2005, 1, 1),
            "weight",
            20.5,
        ),
        ("if 30 > age then smokes = true", pl.col("age") < 30, "smokes", True),
        ("if smokes then region = b", pl.col("smokes"), "region", "b"),
        ("if income is missing then region = c", pl.col("income").is_null(), "region", "c"),
    ],
)
def test_a_rule_holds_in_every_row_of_a_copy(rule, condition, column, value):
    order = ["age", "sex", "edu", "born", "children", "income", "smokes", "weight", "region"]
    copy = copy_of([rule], order=[*order, "marital"])
    met = copy.filter(condition)
    assert len(met) > 10
    assert set(met[column].to_list()) == {value}
    assert copy.schema[column] == PEOPLE.schema[column]


def test_rows_that_meet_a_rule_are_left_out_when_its_column_is_fitted():
    # Everybody below 50 has 0; were they fitted, some of the others would have it too.
    frame = pl.DataFrame({"age": list(range(100)) * 3, "x": ([0] * 50 + [1, 2] * 25) * 3})
    copy = copy_of(["if age < 50 then x = 0"], frame, method={"x": "sample"})
    older = copy.filter(pl.col("age") >= 50)["x"]
    assert set(older.to_list()) == {1, 2}
    without = synthesise(frame, method={"x": "sample"}, seed=1).copies[0]
    assert 0 in set(without.filter(pl.col("age") >= 50)["x"])


def test_all_rules_hold_together_in_copies_and_strata():
    rules = [
        "if age < 16 then marital = SINGLE",
        "if age < 16 then children = 0",
        "if sex = M and marital = SINGLE then smokes = true",
        "if marital = WIDOWED then smokes = false",
    ]
    made = synthesise(PEOPLE, rules=rules, strata="sex", copies=4, seed=2, min_leaf=2)
    for copy in made.copies:
        young, single = pl.col("age") < 16, pl.col("marital") == "SINGLE"
        assert set(copy.filter(young)["marital"]) == {"SINGLE"}
        assert set(copy.filter(young)["children"]) == {0}
        assert set(copy.filter(single & (pl.col("sex") == "M"))["smokes"]) == {True}
        assert set(copy.filter(pl.col("marital") == "WIDOWED")["smokes"]) == {False}
    assert made.record.rules == tuple(rules)


limits = st.integers(6, 88)


@given(limits, limits, st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), st.booleans())
@examples(12)
def test_whatever_the_rule_no_row_breaks_it(low, high, sign, is_or):
    text = f"age {sign} {low} {'or' if is_or else 'and'} not (age < {high})"
    frame = PEOPLE.select("age", "sex", "marital")
    rule = f"if {text} then marital = WIDOWED"
    if not any(_met(age, sign, low, high, is_or) for age in frame["age"]):
        with pytest.raises(SettingsError, match="No row can meet"):
            ruled(frame, rules=rule)
        return
    copy = synthesise(frame, rules=rule, seed=low).copies[0]
    for age, _, marital in copy.rows():
        assert marital == "WIDOWED" or not _met(age, sign, low, high, is_or)


def _met(age, sign, low, high, is_or):
    one = {
        "<": age < low, "<=": age <= low, ">": age > low, ">=": age >= low,
        "=": age == low, "!=": age != low,
    }[sign]  # fmt: skip
    return (one or age >= high) if is_or else (one and age >= high)


def test_a_rule_that_the_original_breaks_is_told_with_the_number_of_rows():
    n_met = int((PEOPLE["age"] < 30).sum())
    n_broken = len(PEOPLE.filter((pl.col("age") < 30) & (pl.col("marital") != "SINGLE")))
    assert ruled(PEOPLE, rules="if age < 30 then marital = SINGLE").notes == (
        f"The rule 'if age < 30 then marital = SINGLE' is broken by {n_broken} of the {n_met} rows"
        " of the original that meet it; no synthetic row breaks it.",
    )
    assert ruled(PEOPLE, rules="if age < 16 then marital = SINGLE").notes == ()


def test_a_rule_that_no_row_of_the_original_meets_but_a_copy_may_is_told():
    text = "if age < 16 and marital = WIDOWED then smokes = false"
    assert ruled(PEOPLE, rules=text).notes == (
        f"No row of the original meets the rule {text!r}; a synthetic row that does gets its"
        " value.",
    )


def test_two_rules_that_contradict_each_other_only_in_a_copy_are_refused_there():
    # No person has both, but a copy without a link between a and b has.
    frame = pl.DataFrame({"a": [0, 1] * 100, "b": [1, 0] * 100, "c": ["x", "y"] * 100})
    rules = ["if a = 1 then c = y", "if b = 1 then c = x"]
    assert ruled(frame, rules=rules).notes == ()
    with pytest.raises(SettingsError) as caught:
        synthesise(frame, rules=rules, method={"b": "sample"}, seed=1)
    copy = synthesise(frame, method={"b": "sample"}, seed=1).copies[0]
    n = len(copy.filter((pl.col("a") == 1) & (pl.col("b") == 1)))
    assert str(caught.value) == (
        f"Two rules give 'c' different values in {n} rows of the synthetic data: 'if a = 1 then"
        " c = y' and 'if b = 1 then c = x'. Change one, so that no row meets both."
    )
    synthesise(frame, rules=rules, seed=1)  # with the link, no row of the copy has both


def test_numbers_that_are_none_are_missing():
    frame = pl.DataFrame({"x": [1.0, float("nan"), 3.0] * 10, "y": ["a", "b", "a"] * 10})
    rule = ruled(frame, rules="if x > 2 then y = a").rules[0]
    assert rule.rows(frame).to_list() == [False, False, True] * 10
    missing = ruled(frame, rules="if x is missing then y = b").rules[0]
    assert missing.rows(frame).to_list() == [False, True, False] * 10


def labelled():
    frame = pl.DataFrame(
        {
            "sex": [1.0, 2.0, 1.0, 2.0] * 10,
            "job": ["a", "b", "c", "a"] * 10,
            "hours": [-8, 40, 99, 20] * 10,
        }
    )
    book = Codebook(
        source="people.sav",
        format="spss",
        variables=(
            Variable(
                name="sex",
                measure="nominal",
                levels=(
                    Level(code=1, label="Male"),
                    Level(code=2, label="Female"),
                    Level(code=3, label="Other"),
                ),
            ),
            Variable(
                name="job",
                levels=(
                    Level(code="a", label="works"),
                    Level(code="b", label="does not"),
                    Level(code="c", label="does not"),
                ),
            ),
            Variable(name="hours", missing=(-8,), missing_ranges=(MissingRange(lo=97, hi=None),)),
        ),
    )
    return Table("original", "The original (people.sav)", frame, "people.sav", codebook=book)


def of_labelled(rule):
    table = labelled()
    return ruled_in(table, rule).rules[0]


def test_a_level_may_be_named_by_its_label():
    frame = labelled().frame
    rule = of_labelled("if sex = Female then job = works")
    assert rule.rows(frame).to_list() == [False, True, False, True] * 10
    assert rule.value == "a"
    assert of_labelled("if job = 'does not' then sex = Male").value == 1
    both = of_labelled('if job != "does not" then sex = Male')
    assert both.rows(frame).to_list() == [True, False, False, True] * 10


def test_declared_codes_are_no_amounts():
    frame = labelled().frame
    assert of_labelled("if hours < 50 then sex = 1").rows(frame).to_list()[:4] == [
        False, True, False, True,
    ]  # fmt: skip
    assert of_labelled("if hours > 50 or hours = -8 then sex = 1").rows(frame).to_list()[:4] == [
        True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (
            "if sex = Femal then job = works",
            "The rule 'if sex = Femal then job = works': no one has 'sex' = 'Femal'. Did you mean"
            " 'Female'? Write the level as in the data.",
        ),
        (
            "if sex = Other then job = works",
            "The rule 'if sex = Other then job = works': no one has 'sex' = 'Other'. Write the"
            " level as in the data.",
        ),
        (
            "if sex = 3 then job = works",
            "The rule 'if sex = 3 then job = works': no one has 'sex' = '3'. Write the level as in"
            " the data.",
        ),
        (
            "if sex = 1 then job = 'does not'",
            "The rule \"if sex = 1 then job = 'does not'\" gives 'job' a label that several codes"
            " have. Write the code.",
        ),
    ],
)
def test_labels_that_nobody_has_are_refused(rule, sentence):
    with pytest.raises(InputError) as caught:
        of_labelled(rule)
    assert str(caught.value) == sentence


REFUSED = {
    "if aeg < 16 then marital = SINGLE": (
        f": The original has no column 'aeg'. Did you mean 'age'? {COLUMNS}"
    ),
    "if age < 16 then martial = SINGLE": (
        f": The original has no column 'martial'. Did you mean 'marital'? {COLUMNS}"
    ),
    "if age < 16 then marital = SINGEL": (
        ": no one has 'marital' = 'SINGEL'. Did you mean 'SINGLE'? Write the level as in the data."
    ),
    "if sex in (M, X) then smokes = true": (
        ": no one has 'sex' = 'X'. Write the level as in the data."
    ),
    "if edu < most then smokes = true": (
        ": no one has 'edu' = 'most'. Write the level as in the data."
    ),
    "if age < sixteen then sex = M": (
        " compares 'age', which holds numbers, with the text 'sixteen'. Write a number."
    ),
    "if weight > hieght then sex = M": (
        " compares 'weight', which holds numbers, with the text 'hieght'. Did you mean 'height'?"
        " Write a number."
    ),
    "if sex = 3 then smokes = true": (
        " compares 'sex', which holds text, with the number 3. Write a level as in the data."
    ),
    "if smokes = 1 then sex = M": (
        " compares 'smokes', which holds truth values, with the number 1. Write true or false."
    ),
    "if born < 2000 then sex = M": (
        " compares 'born', which holds dates, with the number 2000. Write a date such as"
        " 2001-12-31."
    ),
    "if born < 2001-02-30 then sex = M": (
        " compares 'born', which holds dates, with the date 2001-02-30. Write a date such as"
        " 2001-12-31."
    ),
    "if sex > F then smokes = true": " asks for an order (>) among text, which has none.",
    "if age = sex then smokes = true": " compares 'age' (numbers) with 'sex' (text).",
    "if age + sex > 3 then smokes = true": " computes with 'sex' (text), which is not a number.",
    "if age then smokes = true": " has a value where a condition is wanted, such as age < 16.",
    "if age < 16 then age = 3": (
        " determines 'age' by its own value. Name other columns in its condition."
    ),
    "if 1 < 2 then age = 3": " names no column in its condition. Name one, such as age < 16.",
    "if sex = M then age = 2.5": (
        " gives 'age' the number 2.5, which a column of whole numbers cannot hold."
    ),
    "if sex = M then age = 1e30": (
        " gives 'age' the number 1e+30, which a column of whole numbers cannot hold."
    ),
    "if sex = M then age = old": (
        " gives 'age', which holds numbers, the value the text 'old'. Write a number."
    ),
    "if sex = M then age = missing": (
        " makes 'age' missing, but the original has a value there in every row. Name a value."
    ),
    "if sex = M then same = x or y": None,
    "if sex = M then none = 3": (
        " gives 'none' a value, but in the original it has no value. Omit the rule."
    ),
}


@pytest.mark.parametrize(("rule", "sentence"), REFUSED.items())
def test_a_rule_that_does_not_fit_is_refused(rule, sentence):
    with pytest.raises(InputError) as caught:
        ruled(PEOPLE, rules=[rule])
    if sentence is None:
        sentence = (
            " cannot be read. At 'or y': its end is wanted here; put text of several words in"
            " quotes. Example: if age < 16 then marital = SINGLE."
        )
    assert str(caught.value) == f"The rule {rule!r}{sentence}"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "condition",
    ["age < 3", "age < 16 and age > 20", "not (age < 200)", "age + 1 < 2", "same != x",
     "sex = M and (age > 95 or born > 2030-01-01)", "age is missing", "sex = M and sex = F"],
)  # fmt: skip
def test_a_rule_that_no_row_can_meet_is_refused(condition):
    text = f"if {condition} then marital = SINGLE"
    with pytest.raises(SettingsError) as caught:
        ruled(PEOPLE, rules=text)
    assert str(caught.value) == (
        f"No row can meet the rule {text!r}: with the values that the original has, its condition"
        " is never true. Change the condition, or omit the rule."
    )


cells = st.tuples(st.none() | st.integers(0, 3), st.none() | st.sampled_from("ab"))


@given(st.lists(cells, min_size=1, max_size=6), st.integers(0, 3), st.integers(0, 3), st.booleans())
@examples(60)
def test_what_can_be_met_is_what_some_combination_of_values_meets(rows, low, high, is_not):
    rows = [*rows, (0, "a")]
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "s": pl.String}, orient="row")
    text = f"{'not ' if is_not else ''}(x > {low} and x <= {high}) and (s != a or x is missing)"
    tree = ruled(frame, derived={"n": f"if({text}, 1, 0)"}).derived[0].tree.arguments[0]

    def is_met(x, s):
        inside = None if x is None else low < x <= high
        first = None if inside is None else inside != is_not
        second = True if x is None else None if s is None else s != "a"
        return first is True and second is True

    expected = any(is_met(x, s) for x in {row[0] for row in rows} for s in {row[1] for row in rows})
    assert can_be_met(tree, frame) == expected


def test_contradictory_rules_are_refused_with_the_rows_counted():
    rules = ["if age < 30 then marital = SINGLE", "if age > 20 then marital = MARRIED"]
    n = len(PEOPLE.filter((pl.col("age") > 20) & (pl.col("age") < 30)))
    with pytest.raises(SettingsError) as caught:
        ruled(PEOPLE, rules=rules)
    assert str(caught.value) == (
        f"Two rules give 'marital' different values in {n} rows of the original: {rules[0]!r} and"
        f" {rules[1]!r}. Change one, so that no row meets both."
    )
    same = [rules[0], "if age < 25 then marital = SINGLE"]
    assert len(ruled(PEOPLE, rules=same).rules) == 2


def test_no_value_that_one_person_has_is_hinted_at():
    frame = pl.DataFrame(
        {"ill": ["flu"] * 40 + ["leprosy"], "name": [f"person {n}" for n in range(41)]}
    )
    for rule in ("if ill = leprosi then name = x", "if name = 'person 99' then ill = flu"):
        with pytest.raises(InputError) as caught:
            ruled(frame, rules=rule)
        assert "Did you mean" not in str(caught.value)
        assert "leprosy" not in str(caught.value)


def test_a_rule_that_is_no_text_is_refused():
    with pytest.raises(SettingsError) as caught:
        ruled(PEOPLE, rules=[3])
    assert str(caught.value) == (
        "A rule is 3. Write it as text: 'if age < 16 then marital = SINGLE'."
    )


def test_a_derived_column_is_computed_from_the_copy():
    copy = copy_of(derived=BMI)
    exact = copy["weight"] / (copy["height"] / 100) ** 2
    assert float((copy["bmi"] - exact).abs().max()) <= 0.05 + 1e-9
    assert copy.columns == PEOPLE.columns
    assert ruled(PEOPLE, derived=BMI).notes == ()


def test_a_derived_column_has_the_type_of_the_original():
    frame = PEOPLE.select("age", half=(pl.col("age") // 2).cast(pl.Int16))
    copy = copy_of(frame=frame, derived={"half": "age / 2 - 0.25"})
    assert copy.schema["half"] == pl.Int16
    levels = PEOPLE.select("age", kind=pl.lit("child").cast(pl.Enum(["child", "adult"])))
    copy = copy_of(frame=levels, derived={"kind": "if(age < 18, 'child', 'adult')"})
    assert copy.schema["kind"] == levels.schema["kind"]
    assert copy["kind"].to_list() == ["child" if age < 18 else "adult" for age in copy["age"]]


def test_where_the_original_differs_from_a_formula_is_told():
    assert ruled(PEOPLE, derived={"bmi": "weight / height"}).notes == (
        "The derived column 'bmi' differs from its formula in 300 of 300 rows of the original; in"
        " the synthetic data it never does.",
    )


DERIVED = {
    "sex": (
        {"bmi": "sex"},
        "The formula of 'bmi', 'sex', gives text, but 'bmi' holds numbers in the original. Change"
        " the formula, or give the column another name.",
    ),
    "absent": (
        {"new": "wieght / 2"},
        "The formula of 'new', 'wieght / 2': The original has no column 'wieght'. Did you mean"
        f" 'weight'? {COLUMNS}",
    ),
    "itself": (
        {"bmi": "bmi + 1"},
        "The formula of 'bmi', 'bmi + 1', needs 'bmi', which is derived by it. Name other columns.",
    ),
    "later": (
        {"bmi": "age + 1", "weight": "height / 2", "age": "height"},
        "The formula of 'bmi', 'age + 1', needs 'age', which is derived after it. Name other"
        " columns.",
    ),
    "no column": (
        {"new": "3 + 4"},
        "The formula of 'new', '3 + 4', names no column. Name those that it is computed from.",
    ),
    "text": (
        {"new": "log(sex)"},
        "The formula of 'new', 'log(sex)', computes with 'sex' (text), which is not a number.",
    ),
    "two kinds": (
        {"new": "if(age < 16, 'child', 3)"},
        "The formula of 'new', \"if(age < 16, 'child', 3)\", has an if that gives text or numbers;"
        " it must give one.",
    ),
    "digits": (
        {"new": "round(age, 1.5)"},
        "The formula of 'new', 'round(age, 1.5)', has round with digits that are not a whole"
        " number from -9 to 15.",
    ),
    "arguments": (
        {"new": "min(age)"},
        "The formula of 'new', 'min(age)', cannot be read. At 'min(age)': min takes 2 to 40"
        " arguments. Example: weight / (height / 100) ^ 2.",
    ),
    "a list": (
        ["bmi"],
        "Derived columns are given as list. Write formulas by column, such as"
        ' {"bmi": "weight / (height / 100) ^ 2"}.',
    ),
    "a number": (
        {"new": 3},
        "The formula of 'new' is 3. Write both as text, such as"
        ' {"bmi": "weight / (height / 100) ^ 2"}.',
    ),
}


@pytest.mark.parametrize(("derived", "sentence"), DERIVED.values(), ids=DERIVED.keys())
def test_a_formula_that_does_not_fit_is_refused(derived, sentence):
    with pytest.raises(InputError) as caught:
        ruled(PEOPLE, derived=derived)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_a_rule_that_needs_a_derived_column_is_refused():
    with pytest.raises(InputError) as caught:
        ruled(PEOPLE, rules="if bmi > 30 then smokes = true", derived=BMI)
    assert str(caught.value) == (
        "The rule 'if bmi > 30 then smokes = true' needs 'bmi', which is derived after all others."
        " Write the columns that it is derived from."
    )


def test_a_rule_can_give_a_value_of_any_type():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(5, 90, 200),
            "sex": rng.choice([1.0, 2.0], 200),
            "at": [dt.time(int(hour)) for hour in rng.integers(0, 24, 200)],
            "price": pl.Series(rng.integers(0, 9, 200)).cast(pl.Decimal(10, 2)),
            "share": pl.Series(rng.random(200), dtype=pl.Float32),
            "seen": pl.Series(
                [dt.datetime(2020, 1, 1, int(hour)) for hour in rng.integers(0, 24, 200)]
            ).dt.replace_time_zone("Europe/Vienna"),
        }
    )
    labels = (Level(code=1, label="Male"), Level(code=2, label="Female"))
    book = Codebook(
        source="people.sav",
        format="spss",
        variables=(Variable(name="sex", kind="number", measure="nominal", levels=labels),),
    )
    values = {
        "sex": "Female",
        "at": "12:30",
        "price": "2.5",
        "share": "0.1",
        "seen": "2021-02-03T04:05",
    }
    rules = [f"if age < 40 then {name} = {value}" for name, value in values.items()]
    original = Labelled(frame, book)
    assert len(ruled(original, rules=rules).notes) == 5
    copy = synthesise(original, rules=rules, seed=1).copies[0]
    assert copy.schema == frame.schema
    young = copy.filter(pl.col("age") < 40).drop("age")
    moment = dt.datetime(2021, 2, 3, 4, 5, tzinfo=ZoneInfo("Europe/Vienna"))
    expected = (2.0, dt.time(12, 30), Decimal("2.5"), float(np.float32(0.1)), moment)
    assert set(young.rows()) == {expected}
