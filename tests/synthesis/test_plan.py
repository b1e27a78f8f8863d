import polars as pl
import pytest

from unveil.errors import InputError
from unveil.synthesis.plan import make_plan
from unveil.synthesis.split_columns import split

SERIES = [
    pl.Series("sex", ["f", "m", "f"]),
    pl.Series("age", [3, 4, 5]),
    pl.Series("income", [1.5, None, 2.5]),
    pl.Series("region", ["a", "b", "c"]),
    pl.Series("fixed", [1, 1, 1]),
]
COLUMNS = {series.name: split(series).column for series in SERIES}


def plan(**asked):
    return make_plan(COLUMNS, place="The original", **asked)


def predictors(found):
    return {step.columns[0]: step.predictors for step in found.steps}


def methods(found):
    return {step.columns[0]: step.method for step in found.steps}


def test_by_default_each_column_is_predicted_by_those_before_it():
    found = plan()
    assert found.order == ("sex", "age", "income", "region", "fixed")
    assert predictors(found) == {
        "sex": (),
        "age": ("sex",),
        "income": ("sex", "age"),
        "region": ("sex", "age", "income"),
        "fixed": (),
    }
    assert methods(found) == {
        "sex": "sample", "age": "cart", "income": "cart", "region": "cart", "fixed": "constant",
    }  # fmt: skip
    assert {step.columns[0]: step.state_method for step in found.steps}["income"] == "cart"


def test_parametric_chooses_by_kind():
    assert methods(plan(method="parametric")) == {
        "sex": "sample",
        "age": "normrank",
        "income": "normrank",
        "region": "multinomial",
        "fixed": "constant",
    }
    assert plan(method="parametric").steps[2].state_method == "logistic"


def test_an_order_leaves_out_what_it_does_not_name():
    found = plan(order=["income", "sex"])
    assert found.order == ("income", "sex")
    assert found.left_out == ("age", "region", "fixed")


def test_a_column_named_only_as_predictor_predicts_and_is_not_in_the_copy():
    found = plan(order=["sex", "income"], predictors={"income": ["age"]})
    assert found.predictor_only == ("age",)
    assert predictors(found) == {"sex": ("age",), "income": ("age",)}


def test_kept_columns_predict_all_others():
    found = plan(keep="region")
    assert found.kept == ("region",)
    assert predictors(found)["sex"] == ("region",)
    assert found.needs_original_rows


def test_an_empty_row_of_predictors_is_a_bootstrap():
    assert methods(plan(predictors={"income": []}))["income"] == "sample"


def test_columns_of_joint_methods_come_first():
    found = plan(method={"region": "catall", "sex": "catall"})
    assert found.steps[0].columns == ("sex", "region")
    assert predictors(found)["age"] == ("sex", "region")
    assert found.notes == ("Columns of joint methods are synthesised first.",)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"order": ["aeg"]},
            "The original has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age, "
            "income, region, fixed.",
        ),
        (
            {"order": ["age", "age"]},
            "Column 'age' is given twice among the columns in the order. Name it once.",
        ),
        (
            {"predictors": {"age": ["income"]}},
            "Column 'income' is to predict 'age', but is not synthesised before it. "
            "Change the order, or omit it.",
        ),
        (
            {"predictors": {"age": ["age"]}},
            "Column 'age' cannot predict itself. Remove it from its row.",
        ),
        (
            {"predictors": ["age"]},
            "Predictors are given as list. Write them by column, such as "
            '{"income": ["age", "sex"]}.',
        ),
        (
            {"keep": "age", "order": ["age", "sex"]},
            "Column 'age' cannot be kept and synthesised in an order. Name it in one place.",
        ),
        (
            {"keep": "age", "strata": "age"},
            "Column 'age' cannot be kept and a stratum. Name it in one place.",
        ),
        (
            {"method": "crat"},
            "The method is 'crat'. Did you mean 'cart'? It must be one of: cart, parametric, "
            "sample.",
        ),
        (
            {"method": {"sex": "normrank"}},
            "The method of 'sex' is 'normrank', but the column is a category. "
            "Choose another, such as 'cart' or 'parametric'.",
        ),
        (
            {"method": {"region": "logistic"}},
            "The method of 'region' is 'logistic', but the column has 3 levels (missing counts as "
            "one). Choose 'multinomial' or 'cart'.",
        ),
        (
            {"method": {"sex": "cart"}, "keep": "sex"},
            "Column 'sex' has a method but is not synthesised. Omit one.",
        ),
        ({"method": 3}, "The method is 3. It must be a name, or one by column."),
    ],
)
def test_what_cannot_be_planned_is_refused_with_what_to_do(asked, sentence):
    with pytest.raises(InputError) as caught:
        plan(**asked)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2
