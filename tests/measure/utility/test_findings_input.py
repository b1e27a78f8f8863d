"""What is said of a list of findings that cannot be computed: exact sentences."""

import datetime as dt
import re

import polars as pl
import pytest

from unveil.errors import InputError, ReadError
from unveil.measure.utility.replicate import replicate
from unveil.measure.utility.replicate_settings import read_findings
from unveil.models.formula import TermFactor, parse_regression

DATA = pl.DataFrame(
    {
        "sex": ["F", "M"] * 6,
        "age": range(20, 32),
        "health": ["good", "fair", "poor"] * 4,
        "born": [dt.date(2000, 1, 1)] * 12,
        "id": [f"p{i}" for i in range(12)],
    }
)
EXAMPLE = "Example: income ~ age + sex + age:sex."
COLUMNS = "Its columns are: sex, age, health, born, id."


def regression(formula, **more):
    return {"name": "r", "kind": "regression", "formula": formula, **more}


CASES = [
    ([], "No published result is given. Declare at least one."),
    (
        {"kind": "mean"},
        "findings must be a list of mappings, such as"
        ' [{"name": "Diabetes", "kind": "prevalence", "column": "condition", "level": "diabetes"}],'
        " or the name of a TOML file.",
    ),
    ([3], "Published result 1 is 3, not a mapping of its settings."),
    (
        [{"column": "age"}],
        "Published result 1 has no kind. It must be one of: prevalence, mean, table, regression.",
    ),
    (
        [{"name": "a", "kind": "prevalance"}],
        "Published result 1 ('a') has the kind 'prevalance'. Did you mean 'prevalence'? It must"
        " be one of: prevalence, mean, table, regression.",
    ),
    (
        [{"kind": "mean", "colum": "age"}],
        "Published result 1 has the key 'colum', which a mean does not have. Did you mean"
        " 'column'? Its keys are: name, kind, where, column.",
    ),
    (
        [{"kind": "prevalence", "column": "sex"}],
        'Published result 1 has no level. Write one, such as level = "diabetes".',
    ),
    (
        [{"kind": "mean", "column": 3}],
        "Published result 1: column is 3. Write it as text.",
    ),
    (
        [{"kind": "prevalence", "column": "sex", "level": [None]}],
        "Published result 1: a level is None. Write it as text or a number.",
    ),
    (
        [{"kind": "table", "columns": ["a", "b", "c"]}],
        'Published result 1: columns must be one or two names, such as columns = ["sex",'
        ' "health"].',
    ),
    (
        [{"kind": "table", "columns": ["sex", "health"], "within": "helth"}],
        "Published result 1: within is 'helth'. Did you mean 'health'? It must be one of: sex,"
        " health.",
    ),
    (
        [{"kind": "mean", "column": "age"}, {"kind": "mean", "column": "age"}],
        "Two published results are called 'mean of age'. Give each its own name.",
    ),
    (
        [{"name": "m", "kind": "mean", "column": "aeg"}],
        f"Published result 'm': The original has no column 'aeg'. Did you mean 'age'? {COLUMNS}",
    ),
    (
        [{"name": "m", "kind": "mean", "column": "sex"}],
        "Published result 'm': 'sex' holds no numbers, so it has no mean. Ask for a prevalence"
        " or a table.",
    ),
    (
        [{"name": "m", "kind": "mean", "column": "age", "where": "aeg > 3"}],
        "Published result 'm': the subgroup: The original has no column 'aeg'. Did you mean 'age'?"
        f" {COLUMNS}",
    ),
    (
        [{"name": "m", "kind": "mean", "column": "age", "where": "age >"}],
        "Published result 1 ('m'): the subgroup cannot be read. At its end: a column, a number"
        " or text is wanted here. Example: age >= 18 and sex = F.",
    ),
    (
        [{"name": "m", "kind": "mean", "column": "age", "where": "health = god"}],
        "Published result 'm': the subgroup: no one has 'health' = 'god'. Did you mean 'good'?"
        " Write the level as in the data.",
    ),
    (
        [{"name": "p", "kind": "prevalence", "column": "health", "level": "pooor"}],
        "Published result 'p': no one has 'health' = 'pooor'. Did you mean 'poor'? Write the"
        " level as in the data.",
    ),
    (
        [regression("age sex")],
        f"Published result 1 ('r'): the formula cannot be read: it has no ~. {EXAMPLE}",
    ),
    (
        [regression("age ~ sex ~ health")],
        f"Published result 1 ('r'): the formula cannot be read: it has more than one ~. {EXAMPLE}",
    ),
    (
        [regression("age ~ log(age)")],
        "Published result 1 ('r'): the formula cannot be read. At 'log(age)': there is no"
        f" function log in a regression; only C(column). {EXAMPLE}",
    ),
    (
        [regression("age ~ sex - 1")],
        "Published result 1 ('r'): the formula cannot be read. At '- 1': +, : or * is wanted"
        f" here; there is always an intercept. {EXAMPLE}",
    ),
    (
        [regression("age ~ ")],
        "Published result 1 ('r'): the formula cannot be read. At its end: a column is wanted here."
        f" {EXAMPLE}",
    ),
    (
        [regression("health ~ sxe")],
        f"Published result 'r': The original has no column 'sxe'. Did you mean 'sex'? {COLUMNS}",
    ),
    (
        [regression("age ~ sex^2")],
        "Published result 'r': 'sex' holds no numbers, so has no power.",
    ),
    (
        [regression("age ~ born")],
        "Published result 'r': 'born' holds dates or times, which have no place in a regression."
        " Derive a number from it first.",
    ),
    ([regression("age ~ age")], "Published result 'r': 'age' is its own term. Remove it."),
    (
        [regression("health ~ age", model="linear")],
        "Published result 'r': 'health' holds no numbers, so its model cannot be linear. Write"
        ' model = "logistic", "multinomial" or "ordered".',
    ),
    (
        [regression("health ~ age", model="logistic")],
        "Published result 'r': 'health' has 3 levels, and a logistic model is for two. Write a"
        " condition as"
        ' outcome, or model = "multinomial" or "ordered".',
    ),
    (
        [regression("health ~ age", model="ordered")],
        "Published result 'r': an ordered model needs the order of 'health', from low to high:"
        ' levels = {health = ["low", "high"]}.',
    ),
    (
        [regression("health ~ age", model="ordered", levels={"health": ["poor", "good"]})],
        "Published result 'r': levels lacks 1 of the 3 levels of 'health'. Name all of them, in"
        " their order.",
    ),
    (
        [regression("health ~ age", model="probit")],
        "Published result 1 ('r'): model is 'probit'. It must be one of: linear, logistic,"
        " multinomial, ordered.",
    ),
    (
        [regression("health = good ~ age", model="ordered")],
        "Published result 'r': the outcome is a condition, which is met or not: its model is"
        " logistic, not ordered.",
    ),
    (
        [regression("age + 1 ~ sex")],
        "Published result 'r': the outcome has a value where a condition is wanted, such as age"
        " < 16.",
    ),
]


@pytest.mark.parametrize(("asked", "sentence"), CASES, ids=range(len(CASES)))
def test_what_cannot_be_computed_is_refused_with_its_sentence(asked, sentence):
    with pytest.raises(InputError) as fault:
        replicate(DATA, DATA, asked)
    assert str(fault.value) == sentence
    assert fault.value.exit_code == 2


def test_all_faults_of_a_list_are_told_together():
    with pytest.raises(InputError) as fault:
        replicate(DATA, DATA, [{"kind": "mean"}, {"kind": "men"}, regression("x")])
    assert len(str(fault.value).splitlines()) == 3


def test_a_column_that_only_a_copy_lacks_is_said_of_the_copy():
    with pytest.raises(InputError, match="Synthetic dataset 2 has no column 'age'"):
        replicate(DATA, [DATA, DATA.drop("age")], [{"kind": "mean", "column": "age"}])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"level": 95}, "level is 95. It must be a number between 0 and 1, such as 0.95."),
        (
            {"synthesis": "propper"},
            "synthesis is 'propper'. Did you mean 'proper'? It must be one of: simple, proper,"
            " incomplete.",
        ),
        (
            {"special_codes": {"aeg": [-8]}},
            "Special codes are given for 'aeg'. Did you mean 'age'? The columns of the original"
            " are: sex, age, health, born, id.",
        ),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, sentence):
    with pytest.raises(InputError) as fault:
        replicate(DATA, DATA, [{"kind": "mean", "column": "age"}], **settings)
    assert str(fault.value) == sentence


def test_too_large_a_table_or_model_is_refused():
    many = pl.DataFrame({"a": [str(i) for i in range(2_100)], "y": range(2_100)})
    with pytest.raises(InputError, match="the table would have 2,100 cells"):
        replicate(many, many, [{"kind": "table", "columns": "a"}])
    with pytest.raises(InputError, match="more than 1,000 coefficients"):
        replicate(many, many, [{"kind": "regression", "formula": "y ~ a"}])
    with pytest.raises(
        InputError, match=("has 2,100 levels; a multinomial model allows at most 50")
    ):
        replicate(many, many, [{"kind": "regression", "formula": "a ~ y"}])


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "prevalence", "column": "id", "level": "person-00"},
        {"kind": "mean", "column": "id"},
        {"kind": "mean", "column": "age", "where": "id = 'person-00'"},
        regression("id ~ age"),
        regression("age ~ id", levels={"id": ["person-00"]}),
    ],
)
def test_no_sentence_quotes_a_value_of_the_data(asked):
    data = pl.DataFrame({"id": [f"person-{i:04}" for i in range(2_000)], "age": range(2_000)})
    with pytest.raises(InputError) as fault:
        replicate(data, data, [asked])
    assert not re.search(r"person-\d{4}", str(fault.value))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[[finding", "The file 'list.toml' is not valid TOML"),
        (b"\xff\xfe", "The file 'list.toml' is not UTF-8 text."),
        (
            b"[[findings]]\nkind = 'mean'",
            "The file 'list.toml' has no [[finding]]. Did you mean 'finding'? Begin each with"
            " [[finding]], then name, kind and what it is about.",
        ),
        (b"finding = 3", "The file 'list.toml' has no [[finding]]."),
    ],
)
def test_a_file_that_is_no_list_is_refused(tmp_path, content, sentence):
    file = tmp_path / "list.toml"
    file.write_bytes(content)
    with pytest.raises(ReadError) as fault:
        read_findings(file)
    assert str(fault.value).startswith(sentence)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ReadError, match="cannot be read: No such file or directory"):
        read_findings(tmp_path / "none.toml")


def test_a_formula_is_read_as_it_is_written_products_last():
    formula = parse_regression("y ~ 1 + a*b + C(`c d`) + a^2:b + b:a", "The formula")
    a, b = TermFactor("a"), TermFactor("b")
    assert formula.outcome == "y"
    assert formula.terms == (
        (a,), (b,), (TermFactor("c d", is_levels=True),), (a, b), (TermFactor("a", 2), b),
    )  # fmt: skip
    assert parse_regression("`y ~ z` ~ a", "The formula").outcome == "y ~ z"
    assert parse_regression("y ~ 1", "The formula").terms == ()
