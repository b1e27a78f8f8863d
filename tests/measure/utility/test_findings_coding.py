"""Which columns do the levels of a formula become? As R has it: full where the margin is absent."""

import numpy as np
import polars as pl
import pytest

from unveil.measure.utility.replicate import replicate
from unveil.models.formula import TermFactor, parse_regression


def people(seed, n=400):
    rng = np.random.default_rng(seed)
    sex, region = rng.choice(["F", "M"], n), rng.choice(["e", "n", "s"], n)
    age = rng.integers(18, 90, n)
    income = 1_000 + 5 * age + 90 * (sex == "M") + 40 * (region == "n") + rng.normal(0, 50, n)
    return pl.DataFrame({"sex": sex, "region": region, "age": age, "income": income})


def regression(formula, original, copy):
    asked = [{"name": "r", "kind": "regression", "formula": formula}]
    return replicate(original, copy, asked)


def coefficients(formula):
    return {row.term: row.original for row in regression(formula, people(1), people(2)).rows}


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("age:sex", ["age : sex = F", "age : sex = M"]),
        ("age + age:sex", ["age", "age : sex = M"]),
        ("age:sex + age", ["age", "age : sex = M"]),
        ("sex + sex:region", ["sex = M", "sex = F : region = n", "sex = M : region = n",
                              "sex = F : region = s", "sex = M : region = s"]),
        ("sex:age + sex:age:region",
         ["sex = F : age", "sex = M : age", "sex = F : age : region = n",
          "sex = F : age : region = s", "sex = M : age : region = n",
          "sex = M : age : region = s"]),
    ],
)  # fmt: skip
def test_levels_have_a_column_each_where_nothing_else_says_what_the_first_does(formula, terms):
    found = coefficients(f"income ~ {formula}")
    assert sorted(found) == sorted(["intercept", *terms])
    assert all(value is not None for value in found.values())


def test_a_term_within_another_counts_as_its_margin_as_in_r():
    formula = parse_regression("y ~ a:b + b:c", "The formula")
    first, second = formula.terms
    assert not any(formula.is_compared(first, one) for one in first)
    assert not formula.is_compared(second, TermFactor("b"))
    assert formula.is_compared(second, TermFactor("c"))


def test_slopes_by_level_are_those_of_the_levels_alone_by_hand():
    # One line for each sex through a common intercept, without error: 10 + 2 x and 10 + 3 x.
    x = [0, 1, 2, 3] * 2
    sex = ["F"] * 4 + ["M"] * 4
    y = [10 + (2 if who == "F" else 3) * one for who, one in zip(sex, x, strict=True)]
    data = pl.DataFrame({"x": x, "sex": sex, "y": y})
    found = {row.term: row.original for row in regression("y ~ x:sex", data, data).rows}
    assert found == pytest.approx({"intercept": 10, "x : sex = F": 2, "x : sex = M": 3})


def test_the_cells_of_two_factors_are_their_means_and_the_last_is_determined():
    data = people(3)
    result = regression("income ~ sex:region", data, people(4))
    found = {row.term: row.original for row in result.rows}
    last = found["intercept"]
    for sex, region in (("F", "e"), ("F", "n"), ("F", "s"), ("M", "e"), ("M", "n")):
        cell = data.filter(sex=sex, region=region)["income"].mean()
        assert found[f"sex = {sex} : region = {region}"] + last == pytest.approx(cell)
    assert last == pytest.approx(data.filter(sex="M", region="s")["income"].mean())
    assert found["sex = M : region = s"] is None
    assert {one.term for one in result.record.not_measured} == {"sex = M : region = s"}


def test_a_copy_without_a_first_level_that_nothing_is_compared_with_is_compared():
    copy = people(5).filter(pl.col("sex") == "M")
    result = regression("income ~ age:sex", people(1), copy)
    by_term = {row.term: row.synthetic for row in result.rows}
    assert by_term["age : sex = F"] is None
    assert by_term["age : sex = M"] is not None


FORMULAS = (
    "age:sex", "age + age:sex", "sex + sex:region", "region + region:sex", "sex*region",
    "region + age:region", "sex:region:age", "sex + age:region",
)  # fmt: skip


@pytest.mark.models
@pytest.mark.parametrize("right", FORMULAS)
def test_terms_and_coefficients_are_those_of_statsmodels(right):
    models = pytest.importorskip("statsmodels.formula.api")
    data = people(7)
    theirs = models.ols(f"income ~ {right}", data.to_pandas()).fit()
    named = zip(theirs.model.exog_names, theirs.params, theirs.bse, strict=True)
    expected = {said(name): (estimate, se) for name, estimate, se in named}
    ours = regression(f"income ~ {right}", data, data).rows
    assert {row.term for row in ours} == {*expected}
    for row in ours:
        assert (row.original, row.original_se) == pytest.approx(expected[row.term], rel=1e-6)


def said(name):
    """What statsmodels calls a column, in our words."""
    parts = []
    for part in name.replace("Intercept", "intercept").split(":"):
        column, _, level = part.partition("[")
        parts.append(f"{column} = {level.removeprefix('T.').removesuffix(']')}" if level else part)
    return " : ".join(parts)
