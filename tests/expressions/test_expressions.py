"""The language of rules and formulas: how it is read, and what it comes to in every row."""

import datetime as dt
import math

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.expressions import value, written
from profiles import examples
from synthesis.ruled import ruled
from unveil.errors import InputError
from unveil.expressions.evaluate import evaluate, evaluate_condition
from unveil.expressions.nodes import Expression
from unveil.expressions.parse import parse_formula, parse_rule

ROW = pl.DataFrame(
    {
        "x": [2, 3, None],
        "y": [0.5, -8.0, 4.0],
        "s": ["a", None, "b c"],
        "d": [dt.date(2020, 1, 1), dt.date(2020, 3, 1), None],
        "household size": [1, 2, 3],
        "b.mi": [1.0, 2.0, 3.0],
    }
)


def of(text, frame=ROW, **asked):
    """The column that a formula gives."""
    made = ruled(frame, derived={"new": text}, **asked).derived[0]
    return made.values(frame).to_list()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x + 2 * 3", [8, 9, None]),
        ("(x + 2) * 3", [12, 15, None]),
        ("x - 1 - 1", [0, 1, None]),
        ("-x ^ 2", [-4, -9, None]),
        ("(-x) ** 2", [4, 9, None]),
        ("2 ^ 3 ^ x", [2.0**9, 2.0**27, None]),
        ("2 ^ -x", [0.25, 0.125, None]),
        ("x / 0", [None, None, None]),
        ("log(y)", [math.log(0.5), None, math.log(4)]),
        ("exp(1000 * x)", [None, None, None]),
        ("round(y / 3, 2)", [0.17, -2.67, 1.33]),
        ("round(y)", [1, -8, 4]),  # halves away from 0
        ("round(x * 111, -2)", [200, 300, None]),
        ("min(x, y)", [0.5, -8, None]),
        ("max(x, y, 2.5)", [2.5, 3, None]),
        ("abs(y)", [0.5, 8, 4]),
        ("if(x = 2, 10, y)", [10, -8, None]),
        ("if(x is missing, -1, x)", [2, 3, -1]),
        ("if(s is not missing and s != a, 1, 0)", [0, 0, 1]),
        ("`household size` + b.mi", [2, 4, 6]),
        ("d - 2020-01-01", [0, 60, None]),
        ("1e2 + .5 + x", [102.5, 103.5, None]),
        ("+x", [2, 3, None]),
    ],
)
def test_a_formula_by_hand(text, values):
    assert of(text) == pytest.approx(values)


def test_dates_and_texts_can_be_given_too():
    assert of("d + 31") == [dt.date(2020, 2, 1), dt.date(2020, 4, 1), None]
    assert of("if(x = 2, 'it''s', \"b\")") == ["it's", "b", None]
    assert of("x > 2") == [False, True, None]


def test_a_special_code_is_no_amount_but_can_be_named():
    codes = {"y": [-8]}
    assert of("y * 2", special_codes=codes) == [1, None, 8]
    assert of("if(y < 1, 1, 0)", special_codes=codes) == [1, None, 0]
    assert of("if(y = -8, 1, 0)", special_codes=codes) == [0, 1, 0]


columns = st.sampled_from(["x", "y"]).map(lambda name: ("column", name))
numbers = st.integers(-9, 9).map(lambda number: ("number", number))


def grown(inner):
    pairs = st.tuples(st.sampled_from(["+", "-", "*", "/", "min", "max"]), inner, inner)
    singles = st.tuples(st.sampled_from(["negative", "abs"]), inner)
    return pairs | singles


amounts = st.recursive(columns | numbers, grown, max_leaves=6)
text_conditions = st.one_of(
    st.tuples(
        st.sampled_from(["=", "!="]),
        st.just(("column", "s")),
        st.sampled_from(["a", "b"]).map(lambda level: ("text", level)),
    ),
    st.just(("in", ("column", "s"), ["a", "b"])),
    st.just(("missing", ("column", "s"))),
)
number_conditions = st.one_of(
    st.tuples(st.sampled_from(["<", "<=", ">", ">="]), amounts, amounts),
    st.tuples(st.sampled_from(["=", "!="]), columns, numbers),
    st.tuples(st.just("in"), columns, st.lists(st.integers(-3, 9), min_size=1, max_size=3)),
    st.tuples(st.just("missing"), columns),
)
conditions = st.recursive(
    text_conditions | number_conditions,
    lambda inner: (
        st.tuples(st.sampled_from(["and", "or"]), inner, inner) | st.tuples(st.just("not"), inner)
    ),
    max_leaves=6,
)
rows = st.lists(
    st.tuples(
        st.none() | st.integers(-3, 5),
        st.none() | st.sampled_from([-8.0, -1.5, 0.0, 2.0, 5.5]),
        st.none() | st.sampled_from("ab"),
    ),
    min_size=1,
    max_size=8,
)
SCHEMA = {"x": pl.Int64, "y": pl.Float64, "s": pl.String}


def frame_of(found):
    # Two rows more, so that both levels are there.
    return pl.DataFrame([*found, (1, 1.0, "a"), (1, 1.0, "b")], schema=SCHEMA, orient="row")


@pytest.mark.slow
@given(rows, conditions)
@examples(150)
def test_a_condition_is_met_where_its_twin_says_so(found, tree):
    frame = frame_of(found)
    text = f"if({written(tree)} or x + y > 1e9, 1, 0)"  # names a number, whatever the tree names
    made = ruled(frame, derived={"new": text}, special_codes={"y": [-8]}).derived[0]
    whole = ("or", tree, (">", ("+", ("column", "x"), ("column", "y")), ("number", 1e9)))
    expected = [value(whole, row, special=(-8.0,)) for row in frame.rows(named=True)]
    assert made.values(frame).to_list() == [None if met is None else int(met) for met in expected]


@given(rows, amounts)
@examples(150)
def test_an_amount_is_what_its_twin_says(found, tree):
    frame = frame_of(found)
    made = ruled(frame, derived={"new": f"{written(tree)} + 0 * x"}, special_codes={"y": [-8]})
    whole = ("+", tree, ("*", ("number", 0), ("column", "x")))
    expected = [value(whole, row, special=(-8.0,)) for row in frame.rows(named=True)]
    assert made.derived[0].values(frame).to_list() == pytest.approx(expected)


@given(conditions)
@examples(50)
def test_what_was_read_goes_through_a_document_unchanged(tree):
    read = parse_formula(written(tree), "The formula")
    document = msgspec.json.encode(read)
    assert msgspec.json.decode(document, type=Expression) == read


def test_keywords_may_be_large_or_small():
    upper = parse_rule("IF age < 16 AND NOT sex = M THEN marital = SINGLE")
    assert upper == parse_rule("if age < 16 and not sex = M then marital = SINGLE")


def test_words_mean_the_same_however_signs_are_written():
    assert parse_rule("if a<>1 or b==2 then c=3") == parse_rule("if a != 1 or b = 2 then c = 3")


def test_a_condition_with_a_missing_value_is_not_met_nor_its_contrary():
    frame = pl.DataFrame({"x": [1, None], "y": [1, 2]})
    for text in ("x < 5", "not (x < 5)", "x != 7"):
        tree = ruled(frame, derived={"n": f"if({text}, 1, 0)"}).derived[0].tree
        assert frame.select(evaluate_condition(tree.arguments[0])).to_series().to_list()[1] is False
        assert frame.select(evaluate(tree.arguments[0])).to_series().to_list()[1] is None


EXAMPLE = "Example: if age < 16 then marital = SINGLE."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", f"cannot be read. At its end: if is wanted here. {EXAMPLE}"),
        ("age < 16", f"cannot be read. At 'age < 16': if is wanted here. {EXAMPLE}"),
        ("if age < 16", f"cannot be read. At its end: then is wanted here. {EXAMPLE}"),
        (
            "if age < 16 then",
            "cannot be read. At its end: the column that the rule determines is expected here."
            f" {EXAMPLE}",
        ),
        (
            "if age < 16 then marital",
            f"cannot be read. At its end: = and the value are wanted here. {EXAMPLE}",
        ),
        (
            "if age < 16 then marital =",
            f"cannot be read. At its end: a value is wanted here; put text in quotes. {EXAMPLE}",
        ),
        (
            "if age < 16 then marital = never married",
            "cannot be read. At 'married': its end is wanted here; put text of several words in"
            f" quotes. {EXAMPLE}",
        ),
        (
            "if 1 < age < 3 then x = 2",
            "cannot be read. At '< 3 then x = 2': one comparison at a time: write 16 <= age and age"
            f" < 65. {EXAMPLE}",
        ),
        (
            "if age < missing then x = 2",
            f"cannot be read. At 'then x = 2': missing has no order: write is missing. {EXAMPLE}",
        ),
        (
            "if age in 1, 2 then x = 2",
            "cannot be read. At '1, 2 then x = 2': a list in brackets is wanted here, such as"
            f" (1, 2). {EXAMPLE}",
        ),
        (
            "if (age < 3 then x = 2",
            f"cannot be read. At 'then x = 2': a closing bracket is wanted here. {EXAMPLE}",
        ),
        (
            "if __import__('os') = 1 then x = 2",
            "cannot be read. At \"__import__('os') = 1 then x = 2\": there is no such function;"
            f" there are round, min, max, abs, log, exp, if. {EXAMPLE}",
        ),
        (
            "if state = OR then x = 2",
            "cannot be read. At 'OR then x = 2': a column, a number or text is wanted here."
            f" {EXAMPLE}",
        ),
        (
            "if age % 2 = 1 then x = 2",
            "cannot be read from '% 2 = 1 then x = 2' on. Put text in quotes, and a column whose"
            " name has blanks or signs in `backticks`.",
        ),
        (
            "if name = 'open then x = 2",
            'cannot be read from "\'open then x = 2" on. Put text in quotes, and a column whose'
            " name has blanks or signs in `backticks`.",
        ),
        (
            "if 16years < 2 then x = 2",
            "cannot be read from '16years < 2 then x = 2' on. Put text in quotes, and a column"
            " whose name has blanks or signs in `backticks`.",
        ),
        (
            "if age < 1e999 then x = 2",
            f"cannot be read. At '1e999 then x = 2': a number is too large. {EXAMPLE}",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_stands(text, why):
    with pytest.raises(InputError) as caught:
        parse_rule(text)
    assert str(caught.value) == f"The rule {text!r} {why}"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "if " + "(" * 5_000 + "x",
        "if " + "not " * 2_000 + "x = 1 then y = 2",
        "if " + "-" * 5_000 + "1 < x then y = 2",
        "if x" + " + x" * 2_000 + " < 1 then y = 2",
        "if x" + " ^ x" * 2_000 + " < 1 then y = 2",
        "if " + "abs(" * 2_000 + "x",
        "if x = 1" + " " * 20_000 + "then y = 2",
    ],
    ids=["brackets", "nots", "signs", "terms", "powers", "calls", "length"],
)
def test_a_rule_that_nobody_would_write_is_refused_at_once(text):
    with pytest.raises(InputError, match=r"more than 40|is longer than 10,000 characters"):
        parse_rule(text)


def test_very_many_conditions_in_a_row_are_read():
    text = " or ".join(f"x = {n}" for n in range(500))
    made = ruled(ROW, derived={"new": f"if({text}, 1, 0)"}).derived[0]
    assert made.values(ROW).to_list() == [1, 1, None]


@pytest.mark.slow
@given(st.text(max_size=60))
@examples(200)
def test_any_text_is_read_or_refused_with_a_sentence(text):
    said = [refusal(parse_rule, text), refusal(parse_formula, text, "The formula")]
    assert all(sentence is None or sentence.endswith(".") for sentence in said)
    assert said[0] is not None or text.strip().lower().startswith("if")


def refusal(read, *given):
    """What is said of a text that cannot be read; None where it can."""
    try:
        read(*given)
    except InputError as fault:
        return str(fault)
    return None
