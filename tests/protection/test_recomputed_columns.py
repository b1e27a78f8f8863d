"""Steps that undo each other are found and named; honest pairs of steps are left alone."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.measure.structure.relations import find_relations
from unveil.protection.recomputed_columns import ProtectedColumn, find_recomputed

N = 900
RECODINGS = ("top_code", "bottom_code", "band", "round", "drop", "merge")


def _people() -> pl.DataFrame:
    """Invented stays: sums, ratios, lookups and copies hold in every row."""
    rng = np.random.default_rng(26)
    height = rng.normal(170, 10, N).round(1)
    weight = (70 + 0.7 * (height - 170) + rng.normal(0, 12, N)).round(1)
    age = rng.integers(18, 96, N)
    admitted = 19_000 + rng.integers(0, 700, N)
    los = rng.poisson(6, N)
    wage, rent = rng.gamma(4, 600, N).round(2), rng.gamma(3, 150, N).round(2)
    ward = rng.integers(0, 60, N)
    beds = rng.integers(8, 40, 60)[ward]
    return pl.DataFrame({
        "sex": rng.choice(["f", "m"], N),
        "height": height,
        "weight": weight,
        "bmi": weight / (height / 100) ** 2,
        "bmi_1": (weight / (height / 100) ** 2).round(1),
        "weight_lb": weight * 2.20462,
        "weight_again": weight,
        "age": age,
        "born": 2024 - age,
        "months": age * 12,
        "admitted": admitted,
        "discharged": admitted + los,
        "los": los,
        "wage": wage,
        "rent": rent,
        "income": wage + rent,
        "tax": (0.2 * wage).round(2),
        "share": rent / (wage + rent),
        "ward": ward.astype(str),
        "clinic": (ward // 10).astype(str),
        "beds": beds,
        "noise": rng.normal(0, 1, N),
    }).with_columns(pl.col("admitted", "discharged").cast(pl.Int32).cast(pl.Date))  # fmt: skip


def _more() -> pl.DataFrame:
    """Ranks, logarithms, rounded and banded forms, ages by the day, bills of three factors."""
    people, rng = _people(), np.random.default_rng(27)
    weight, wage = people["weight"], people["wage"]
    months = rng.integers(0, 74 * 12, N)
    born_on = pl.select(pl.date(pl.Series(1930 + months // 12), pl.Series(1 + months % 12), 1))
    born_on = born_on.to_series()
    seen_on = pl.Series(rng.integers(18_500, 19_900, N)).cast(pl.Int32).cast(pl.Date)
    rate = pl.Series(rng.uniform(0.8, 1.3, N).round(2))
    quantity = pl.Series(rng.integers(1, 9, N))
    return people.with_columns(
        weight_rank=weight.rank("ordinal"),
        log_weight=weight.log(),
        percentile=(100 * weight.rank() / N).round(),
        weight_band=(weight // 5).cast(pl.Int64).cast(pl.String) + " x 5 kg",
        weight_5=(weight / 5).round() * 5,
        bmi_0=people["bmi"].round(),
        gap=weight - people["height"],
        percent=(100 * wage / people["income"]).round(1),
        born_on=born_on,
        seen_on=seen_on,
        age_seen=((seen_on - born_on).dt.total_days() / 365.25).floor().cast(pl.Int64),
        quantity=quantity,
        rate=rate,
        bill=wage * quantity * rate + people["rent"],
        loaded=wage * rate / quantity + people["rent"],
        place=people["ward"] + "/" + pl.Series(rng.integers(0, 3, N)).cast(pl.String),
    )


PEOPLE = _more()


def _protect(columns: str, steps: list[dict[str, Any]], **synthesis: Any) -> Any:
    """The given columns kept as they are beside a synthetic one, so that relations stay exact."""
    kept = columns.split()
    before = [one for one in steps if one["do"] in RECODINGS]
    after = [one for one in steps if one not in before]
    still = [name for name in kept if {"do": "drop", "column": name} not in before]
    settings = {"keep": still, "min_leaf": 5, "min_split": 20, **synthesis}
    frame = PEOPLE.select(*kept, "sex", "noise")
    return unveil.protect(
        frame, steps=[*before, {"do": "synthesise"}, *after], synthesis=settings, seed=1
    )


def _noise(column: str, sigma: float) -> dict[str, Any]:
    return {"do": "add_noise", "column": column, "sigma": sigma}


SMOOTH = {"do": "smooth", "columns": ["weight"]}
BANDS = {"do": "band", "column": "age", "breaks": [0, 30, 50, 70, 120]}
TOP = {"do": "top_code", "column": "age", "at": 70}

UNDONE = [
    ("weight bmi height", [_noise("weight", 8)], "weight", {"bmi", "height"}),
    ("weight bmi_1 height", [_noise("weight", 8)], "weight", {"bmi_1", "height"}),
    ("weight bmi height", [_noise("height", 6)], "height", {"bmi", "weight"}),
    ("weight bmi height", [_noise("bmi", 3)], "bmi", {"weight", "height"}),
    ("weight weight_lb", [_noise("weight", 8)], "weight", {"weight_lb"}),
    ("weight weight_again", [_noise("weight", 8)], "weight", {"weight_again"}),
    ("weight weight_again", [_noise("weight", 8), _noise("weight_again", 0.5)], "weight",
     {"weight_again"}),
    ("wage rent income", [_noise("wage", 500)], "wage", {"rent", "income"}),
    ("wage rent income", [_noise("income", 500)], "income", {"wage", "rent"}),
    ("wage tax", [_noise("wage", 500)], "wage", {"tax"}),
    ("income rent share", [_noise("income", 500)], "income", {"rent", "share"}),
    ("age born", [_noise("age", 5)], "age", {"born"}),
    ("age months", [TOP], "age", {"months"}),
    ("age born", [BANDS], "age", {"born"}),
    ("age born", [{"do": "round", "column": "age", "to": 10}], "age", {"born"}),
    ("ward beds clinic", [_noise("beds", 10)], "beds", {"ward"}),
    ("ward clinic", [{"do": "merge", "column": "clinic", "into": "other",
                      "levels": ["0", "1", "2", "3"]}], "clinic", {"ward"}),
    ("weight weight_lb", [SMOOTH], "weight", {"weight_lb"}),
    ("age born", [{"do": "drop", "column": "age"}], "age", {"born"}),
    ("wage tax rent income", [_noise("wage", 500), _noise("tax", 300)], "wage",
     {"rent", "income"}),
]  # fmt: skip

HONEST = [
    ("weight height", [_noise("weight", 8)], {}),
    ("weight height", [_noise("weight", 8)], {"derived": {"bmi": "weight / (height / 100) ^ 2"}}),
    ("weight weight_lb", [_noise("weight", 8), _noise("weight_lb", 18)], {}),
    ("weight weight_again", [_noise("weight", 8), _noise("weight_again", 8)], {}),
    ("weight bmi height", [_noise("weight", 8), _noise("bmi", 4)], {}),
    ("weight bmi_1", [_noise("weight", 8)], {}),
    ("weight bmi_1 height", [_noise("weight", 0.02)], {}),  # finer than what bmi_1 gives
    ("wage rent", [_noise("wage", 500)], {}),
    ("wage rent income", [_noise("wage", 500), _noise("income", 500)], {}),
    ("wage rent", [_noise("wage", 500)], {"rules": ["income = wage + rent"]}),
    ("wage tax", [_noise("wage", 500), _noise("tax", 100)], {}),
    ("wage income", [_noise("wage", 500)], {}),
    ("age born", [_noise("age", 5), _noise("born", 5)], {}),
    ("age born", [TOP, {"do": "bottom_code", "column": "born", "at": 1954}], {}),
    ("age height", [BANDS], {}),
    ("age weight", [TOP], {}),
    ("clinic beds", [_noise("beds", 10)], {}),
    ("weight height", [SMOOTH], {}),
    ("sex age", [{"do": "drop", "column": "age"}], {}),
    ("admitted los", [_noise("los", 3)], {}),
]  # fmt: skip


MERGED = {"do": "merge", "column": "clinic", "into": "other", "levels": ["0", "1", "2", "3"]}

MORE_UNDONE = [
    ("weight weight_rank", [_noise("weight", 8)], "weight", {"weight_rank"}),
    ("weight weight_rank", [{"do": "drop", "column": "weight"}], "weight", {"weight_rank"}),
    ("weight log_weight", [_noise("weight", 8)], "weight", {"log_weight"}),
    ("weight log_weight", [SMOOTH], "weight", {"log_weight"}),
    ("weight weight_again", [SMOOTH], "weight", {"weight_again"}),
    ("weight percentile", [_noise("weight", 8)], "weight", {"percentile"}),
    ("weight weight_band", [_noise("weight", 8)], "weight", {"weight_band"}),
    ("weight weight_5", [_noise("weight", 8)], "weight", {"weight_5"}),
    ("weight bmi_0 height", [_noise("weight", 8)], "weight", {"bmi_0", "height"}),
    ("weight gap height", [{"do": "round", "column": "weight", "to": 10}], "weight",
     {"gap", "height"}),
    ("wage rent income", [{"do": "top_code", "column": "wage", "at": 3000}], "wage",
     {"rent", "income"}),
    ("wage percent income", [_noise("wage", 500)], "wage", {"percent", "income"}),
    ("clinic place", [MERGED], "clinic", {"place"}),
    ("age_seen born_on seen_on", [_noise("age_seen", 5)], "age_seen", {"born_on", "seen_on"}),
    ("age_seen born_on seen_on", [{**BANDS, "column": "age_seen"}], "age_seen",
     {"born_on", "seen_on"}),
    ("wage bill quantity rate rent", [_noise("wage", 500)], "wage",
     {"bill", "quantity", "rate", "rent"}),
    ("wage loaded quantity rate rent", [_noise("wage", 500)], "wage",
     {"loaded", "quantity", "rate", "rent"}),
]  # fmt: skip

MORE_HONEST = [
    ("weight weight_5", [_noise("weight", 8), _noise("weight_5", 8)], {}),
    ("weight weight_band", [_noise("weight", 1)], {}),  # finer than the bands
    ("age_seen born_on seen_on", [_noise("age_seen", 0.3)], {}),
    ("weight bmi_0", [_noise("weight", 8)], {}),
    ("weight height", [_noise("weight", 40)], {}),  # much noise: any guess is as near
    ("weight height", [_noise("weight", 8)], {"derived": {"log_weight": "log(weight)"}}),
    ("wage percent", [_noise("wage", 500)], {}),
    ("wage bill quantity", [_noise("wage", 500)], {}),
    ("clinic beds", [MERGED], {}),
    ("age_seen weight", [_noise("age_seen", 20)], {}),
]  # fmt: skip


def test_there_are_twenty_of_each_and_more() -> None:
    assert len(UNDONE) == len(HONEST) == 20
    assert min(len(MORE_UNDONE), len(MORE_HONEST)) >= 10


@pytest.mark.parametrize(("columns", "steps", "column", "sources"), [*UNDONE, *MORE_UNDONE])
def test_what_published_columns_give_back_is_named(
    columns: str, steps: list[dict[str, Any]], column: str, sources: set[str]
) -> None:
    record = _protect(columns, steps).record
    (found,) = [one for one in record.given_back if one.column == column]
    assert set(found.sources) == sources
    assert found.share > 0.5
    assert found.sentence in record.warnings
    assert all(name in found.sentence for name in (column, *sources))


@pytest.mark.parametrize(("columns", "steps", "synthesis"), [*HONEST, *MORE_HONEST])
def test_honest_steps_are_left_alone(
    columns: str, steps: list[dict[str, Any]], synthesis: dict[str, Any]
) -> None:
    columns = " ".join(name for name in columns.split() if name != "sex")
    made = _protect(columns, steps, **synthesis)
    assert made.record.given_back == ()


def test_a_derived_column_follows_the_noise() -> None:
    made = _protect("weight height", HONEST[1][1], **HONEST[1][2])
    again = made.s3["weight"] / (made.s3["height"] / 100) ** 2
    assert (made.s3["bmi"] - again).abs().max() < 1e-9
    assert not made.s3["weight"].equals(made.s2["weight"])


def test_codes_that_nobody_declared_do_not_hide_a_relation() -> None:
    """8 % of weights are 999 and 6 % of heights -8; bmi is missing there, or nonsense."""
    rng = np.random.default_rng(3)
    gone = {"weight": (999.0, 0.08), "height": (-8.0, 0.06)}
    coded = PEOPLE.select("weight", "height", "bmi").with_columns(
        pl.when(pl.Series(rng.random(N) < share)).then(code).otherwise(pl.col(name)).alias(name)
        for name, (code, share) in gone.items()
    )
    assert find_relations(coded, "weight", ["height", "bmi"]) == ()
    (found,) = find_relations(coded, "weight", ["height", "bmi"], is_thorough=True)
    assert set(found.sources) == {"height", "bmi"}
    noised = coded["weight"] + pl.Series(rng.normal(0, 5, N))
    column = ProtectedColumn.of("weight", "add_noise", coded["weight"], noised)
    released = coded.with_columns(weight=noised)
    (back,) = find_recomputed([column], {"weight": coded}, {"weight": released}, {})
    assert 0.8 < back.share < 0.9  # all rows but those with a code
    honest = coded.with_columns(bmi=pl.Series(rng.normal(24, 4, N)))
    assert find_relations(honest, "weight", ["height", "bmi"], is_thorough=True) == ()


@pytest.mark.parametrize("zeros", [0.1, 0.4])
def test_numbers_that_many_share_are_no_codes_where_a_relation_needs_them(
    zeros: float,
) -> None:
    rng = np.random.default_rng(4)
    benefit = np.where(rng.random(N) < zeros, 0.0, rng.gamma(9, 100, N).round(2))
    frame = pl.DataFrame({"wage": PEOPLE["wage"], "benefit": benefit})
    frame = frame.with_columns(total=pl.col("wage") + pl.col("benefit"))
    (one,) = find_relations(frame, "benefit", ["wage", "total"], is_thorough=True)
    assert one.weights == (-1.0, 1.0)


def _bills(**columns: Any) -> pl.DataFrame:
    """Invented bills: a product within a sum."""
    rng = np.random.default_rng(6)
    bills = pl.DataFrame({
        "price": rng.gamma(3, 20, N).round(2),
        "quantity": rng.integers(1, 30, N),
        "postage": rng.gamma(2, 9, N).round(2),
        "discount": rng.normal(50, 10, N).round(2),
        **{f"other_{n}": rng.normal(10 * (n % 2), 1, N) for n in range(8)},
    })  # fmt: skip
    return bills.with_columns(**columns)


PRICED = pl.col("price") * pl.col("quantity")
WITHIN_SUMS = [
    ({"total": PRICED + pl.col("postage")}, "price", "total quantity postage"),
    ({"total": PRICED + pl.col("postage")}, "postage", "total price quantity"),
    ({"total": PRICED + pl.col("postage")}, "total", "price quantity postage"),
    ({"total": PRICED + 4.95}, "price", "total quantity"),
    ({"total": (PRICED + pl.col("postage")).round()}, "price", "total quantity postage"),
    ({"total": PRICED + pl.col("postage") - 2 * pl.col("discount")}, "discount",
     "total price quantity postage"),
    ({"debt": 900 - PRICED}, "quantity", "debt price"),  # below zero for many
]  # fmt: skip


@pytest.mark.parametrize(("columns", "column", "sources"), WITHIN_SUMS)
def test_a_product_within_a_sum_gives_a_column_back(
    columns: dict[str, Any], column: str, sources: str
) -> None:
    bills = _bills(**columns)
    hidden = bills[column] + pl.Series(np.random.default_rng(7).normal(0, 5, N))
    protected = ProtectedColumn.of(column, "add_noise", bills[column], hidden)
    (found,) = find_recomputed(
        [protected], {column: bills}, {column: bills.with_columns(hidden.alias(column))}, {}
    )
    assert set(found.sources) == set(sources.split())
    assert found.share > 0.9
    one = next(one for one in find_relations(bills, column, bills.columns, is_thorough=True))
    error = (one.values(bills) - bills[column]).abs()
    assert error.quantile(0.95) <= 0.02 * bills[column].std()


@pytest.mark.parametrize("rows", [60, N])
def test_terms_of_columns_that_have_nothing_to_do_with_it_fit_nothing(rows: int) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({f"c{n}": rng.gamma(3, 20, rows) for n in range(20)})
        assert find_relations(frame, "c0", frame.columns, is_thorough=True) == ()


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("column", ["weight", "wage"])
def test_a_relation_that_some_rows_break_gives_the_others_back(column: str, share: float) -> None:
    """Wrong entries in a share of the rows hide neither a product nor a sum."""
    rng = np.random.default_rng(8)
    wrong = pl.Series(rng.random(N) < share)
    frame = PEOPLE.select("height", "weight", "bmi", "wage", "rent", "income").with_columns(
        pl.when(wrong).then(pl.col(name).shuffle(seed=1)).otherwise(pl.col(name)).alias(name)
        for name in ("bmi", "income")
    )
    hidden = frame[column] + pl.Series(rng.normal(0, frame[column].std() / 2, N))
    protected = ProtectedColumn.of(column, "add_noise", frame[column], hidden)
    (found,) = find_recomputed(
        [protected], {column: frame}, {column: frame.with_columns(hidden.alias(column))}, {}
    )
    assert set(found.sources) == ({"bmi", "height"} if column == "weight" else {"rent", "income"})
    assert found.share > 0.95 - share


def test_noise_of_several_copies_averages_out() -> None:
    """Four columns that say the same, each with as much noise: twice as near together."""
    rng = np.random.default_rng(9)
    weight = PEOPLE["weight"]
    units = {
        "weight": 1.0,
        "pounds": 2.20462,
        "stones": 0.157473,
        "ounces": 35.274,
        "grams": 1000.0,
    }
    frame = pl.DataFrame({name: weight * factor for name, factor in units.items()})
    released = pl.DataFrame(
        {name: factor * (weight + pl.Series(rng.normal(0, 8, N))) for name, factor in units.items()}
    )
    column = ProtectedColumn.of("weight", "add_noise", weight, released["weight"])
    (found,) = find_recomputed([column], {"weight": frame}, {"weight": released}, {})
    assert (found.kind, set(found.sources)) == ("together", {*units} - {"weight"})
    mean = pl.DataFrame({name: released[name] / factor for name, factor in units.items()})
    assert found.error == pytest.approx((mean.mean_horizontal() - weight).abs().median(), rel=0.1)
    one = {"weight": released.select("weight", "pounds")}
    assert [*find_recomputed([column], {"weight": frame}, one, {})] == []


SET_BACK = [
    ("weight height", [_noise("bmi", 3)], {"derived": {"bmi": "weight / (height / 100) ^ 2"}},
     "bmi", "rule"),
    ("weight height", [{"do": "smooth", "columns": ["bmi"]}],
     {"derived": {"bmi": "weight / (height / 100) ^ 2"}}, "bmi", "rule"),
    ("admitted discharged", [{**_noise("los", 3), "round": 0}],
     {"rules": ["los = discharged - admitted"]}, "los", "rule"),
    ("age", [{**_noise("age", 0.2), "round": 0}], {}, "age", "rounding"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "steps", "synthesis", "column", "kind"), SET_BACK)
def test_a_step_that_a_rule_or_rounding_sets_back_is_named(
    columns: str, steps: list[dict[str, Any]], synthesis: dict[str, Any], column: str, kind: str
) -> None:
    frame = PEOPLE.select(*columns.split(), *({column} - {*columns.split()}), "sex", "noise")
    made = unveil.protect(
        frame,
        steps=[{"do": "synthesise"}, *steps],
        synthesis={"min_leaf": 5, "min_split": 20, **synthesis},
        seed=1,
    )
    (found,) = [one for one in made.record.given_back if one.column == column]
    assert (found.kind, made.s3[column].equals(made.s2[column])) == (kind, kind == "rule")
    assert found.share == pytest.approx((made.s3[column] == made.s2[column]).mean())
    assert found.sentence in made.record.warnings


def test_a_value_that_an_if_rule_sets_is_not_the_step_undone() -> None:
    made = unveil.protect(
        PEOPLE.select("sex", "age", "noise").with_columns(
            pl.when(pl.col("sex") == "f").then(40).otherwise(pl.col("age")).alias("age")
        ),
        steps=[{"do": "synthesise"}, {**_noise("age", 5), "round": 0}],
        synthesis={"rules": ["if sex = f then age = 40"]},
        seed=1,
    )
    assert made.record.given_back == ()
