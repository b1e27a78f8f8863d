"""Matches and risk on files small enough to do by hand, and against the definition."""

from fractions import Fraction
from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from oracles import risk as oracle
from profiles import examples
from unveil.measure.uniques.match_risk import match_risk

PEOPLE = ["axp", "axq", "ayp", "bxq", "byq", "byq"]


def people(*rows, **more) -> pl.DataFrame:
    made = pl.DataFrame([list(row) for row in rows], ["k1", "k2", "t"], orient="row")
    return made.with_columns(**{name: pl.Series(values) for name, values in more.items()})


def frame(rows, **more) -> pl.DataFrame:
    names = [f"k{place}" for place in range(len(rows[0]))]
    schema = dict.fromkeys(names, pl.String)
    made = pl.DataFrame([list(row) for row in rows], schema, orient="row")
    return made.with_columns(**{name: pl.Series(values) for name, values in more.items()})


def test_the_worked_example_by_hand():
    data = people(*PEOPLE, w=[10, 10, 5, 4, 3, 7])
    result = match_risk(data, keys=["k1", "k2"], weights="w", sensitive="t")
    found = result.frame()
    assert found["fk"].to_list() == [2, 2, 1, 1, 2, 2]
    assert found["Fk"].to_list() == [20, 20, 5, 4, 10, 10]
    # a x and b y: two of 20, two of 10. a y and b x: one of 5, one of 4.
    ax = 1 / 9 - 1 / 81 * log(10)
    by = 1 / 4 - 1 / 16 * log(5)
    ay, bx = 1 / 4 * log(5), 1 / 3 * log(4)
    assert found["rk"].to_list() == pytest.approx([ax, ax, ay, bx, by, by])
    record = result.record
    assert [(row.k, row.n) for row in record.anonymity] == [(2, 2), (3, 6), (5, 6)]
    assert (record.k, record.n_population) == (1, 39)
    assert record.expected_reidentifications == pytest.approx(2 * ax + ay + bx + 2 * by)
    assert record.global_risk == pytest.approx((2 * ax + ay + bx + 2 * by) / 6)
    assert [(row.above, row.n) for row in record.risks] == [
        (0.01, 6),
        (0.05, 6),
        (0.1, 4),
        (0.2, 2),
        (0.5, 0),
    ]
    # a x has p and q; everyone else sees one value. Recursive: 1 < 2 * 1 still holds for l = 2.
    assert found["distinct"].to_list() == [2, 2, 1, 1, 1, 1]
    assert found["entropy"].to_list() == pytest.approx([2, 2, 1, 1, 1, 1])
    assert found["recursive"].to_list() == [2, 2, 1, 1, 1, 1]
    lows = [(row.kind, row.lowest, row.n_below_2) for row in record.diversity]
    assert lows == [("distinct", 1, 4), ("entropy", 1, 4), ("recursive", 1, 4)]


def test_without_weights_the_data_are_the_population():
    result = match_risk(people(*PEOPLE), keys=["k1", "k2"])
    assert result.frame().columns == ["row", "fk", "Fk", "rk"]
    assert result.frame()["rk"].to_list() == [0.5, 0.5, 1.0, 1.0, 0.5, 0.5]
    assert result.expected_reidentifications == 4  # one for each of the four combinations
    assert result.record.diversity == ()


def test_a_missing_key_may_be_anything_or_a_level():
    rows = [("a", "x"), ("a", None), ("a", None), ("b", "x"), (None, "x")]
    wild = match_risk(frame(rows), keys=["k0", "k1"]).frame()
    # a x: itself, both a ?, ? x. a ?: both, a x, ? x. b x: itself and ? x. ? x: all.
    assert wild["fk"].to_list() == [4, 4, 4, 2, 5]
    half = match_risk(frame(rows), keys=["k0", "k1"], alpha=0.5).frame()
    assert half["fk"].to_list() == [2.5, 3.5, 3.5, 1.5, 4.0]
    none = match_risk(frame(rows), keys=["k0", "k1"], alpha=0).frame()
    assert none["fk"].to_list() == [1, 3, 3, 1, 3]
    level = match_risk(frame(rows), keys=["k0", "k1"], missing="category").frame()
    assert level["fk"].to_list() == [1, 2, 2, 1, 1]


def lacking_one(n_keys: int, n_each: int) -> list[tuple[str | None, ...]]:
    """One complete record, and so many that lack the first key, the second, and so on."""
    rows = [tuple("a" for _ in range(n_keys))]
    for lacks in range(n_keys):
        rows += [tuple(None if key == lacks else "a" for key in range(n_keys))] * n_each
    return rows


@pytest.mark.parametrize(
    ("alpha", "n_keys", "n_each", "fk"),
    [
        (0.2, 5, 1, 2.0),  # added up in floats 1.9999999999999998
        (0.1, 10, 1, 2.0),  # 2.000000000000001
        (0.29, 4, 25, 30.0),  # 1 + 0.29 * 100 is 29.999999999999996
        (1 / 3, 3, 1, 2.0),
        (0.1, 3, 1, 1.3),  # 0.1 * 3 is 0.30000000000000004
        (0.123456789, 7, 1, 1 + 7 * 0.123456789),
        (1e-9, 7, 1, 1 + 7e-9),
    ],
)
def test_partial_matches_that_make_a_whole_number_are_one(alpha, n_keys, n_each, fk):
    rows = lacking_one(n_keys, n_each)
    data = frame(rows, w=[3] * len(rows))
    result = match_risk(data, keys=data.columns[:-1], weights="w", alpha=alpha)
    assert result.frame()["fk"][0] == fk
    if fk == int(fk):
        assert result.frame()["Fk"][0] == 3 * fk
    assert result.record.anonymity[0].n == (1 if fk < 2 else 0)  # the complete one
    unweighted = match_risk(data, keys=data.columns[:-1], alpha=alpha).frame()
    assert unweighted["Fk"].to_list() == unweighted["fk"].to_list()


def test_two_by_partial_matches_has_the_risk_of_two():
    rows = lacking_one(5, 1)
    data = frame(rows, w=[3] * len(rows))
    found = match_risk(data, keys=data.columns[:-1], weights="w", alpha=0.2).frame()
    # Two of six: p = 1/3, and p / q = 1/2.
    assert found["rk"][0] == pytest.approx(1 / 2 - 1 / 4 * log(3), rel=1e-12)


def test_a_fraction_of_a_match_is_no_certainty_of_safety():
    # sdcMicro gives counts between 1 and 2 the risk 0.
    rows = [("a", "x"), ("b", "x"), (None, "x")]
    found = match_risk(frame(rows, w=[5, 5, 5]), keys=["k0", "k1"], weights="w", alpha=0.5).frame()
    assert found["fk"].to_list() == [1.5, 1.5, 3.0]
    assert (found["rk"] > 0.05).all()


def test_weights_below_one_take_the_data_for_all_there_are():
    data = people("axp", "axq", "byq", w=[0.5, 0.2, 0.0])
    found = match_risk(data, keys=["k1", "k2"], weights="w").frame()
    assert found["rk"].to_list() == [0.5, 0.5, 1.0]


def test_one_record_and_keys_that_are_all_missing():
    assert match_risk(people("axp"), keys=["k1"]).records == [
        {"row": 0, "fk": 1, "Fk": 1.0, "rk": 1.0}
    ]
    data = pl.DataFrame({"a": [None, None, None], "s": ["p", "q", "q"]})
    found = match_risk(data, keys="a", sensitive="s").frame()
    assert found["fk"].to_list() == [3, 3, 3]
    assert found["distinct"].to_list() == [2, 2, 2]


def test_bands_are_cut_before_anything_is_counted():
    data = pl.DataFrame({"age": [20, 21, 22, 70]})
    found = match_risk(data, keys="age", bands={"age": [0, 50, 100]}).frame()
    assert found["fk"].to_list() == [3, 3, 3, 1]


LEVELS = st.sampled_from(["a", "b", None])
WEIGHTS = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(7, 2)])


@st.composite
def files(draw):
    n_keys = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[LEVELS] * n_keys), min_size=1, max_size=12))
    drawn = [
        draw(st.lists(some, min_size=len(rows), max_size=len(rows)))
        for some in (WEIGHTS, st.sampled_from(["p", "q", "r", None]))
    ]
    return rows, *drawn


@pytest.mark.slow
@examples(120)
@given(
    files(),
    st.booleans(),
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1)]),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)]),
)
def test_everything_is_as_defined(file, wildcard, alpha, c):
    rows, weights, sensitive = file
    data = frame(rows, w=[float(w) for w in weights], s=pl.Series(sensitive, dtype=pl.String))
    result = match_risk(
        data,
        keys=[name for name in data.columns if name.startswith("k")],
        weights="w",
        sensitive="s",
        missing="wildcard" if wildcard else "category",
        alpha=float(alpha),
        recursive_c=float(c),
    )
    found = result.frame()
    if not wildcard:
        alpha = Fraction(1)
    wanted = oracle.frequencies(rows, weights, wildcard=wildcard, alpha=alpha)
    assert found["fk"].to_list() == [float(fk) for fk, _ in wanted]
    assert found["Fk"].to_list() == pytest.approx([float(Fk) for _, Fk in wanted])
    risks = [oracle.individual_risk(float(fk), float(Fk)) for fk, Fk in wanted]
    assert found["rk"].to_list() == pytest.approx(risks, rel=1e-6)
    assert result.global_risk == pytest.approx(sum(risks) / len(rows), rel=1e-6)
    for row, (l_distinct, l_entropy, l_recursive) in enumerate(
        found.select("distinct", "entropy", "recursive").rows()
    ):
        matched = [
            value
            for other, value in zip(rows, sensitive, strict=True)
            if oracle.matches(rows[row], other, wildcard=wildcard)
        ]
        distinct, entropy, recursive = oracle.diversity(matched, c)
        assert (l_distinct, l_recursive) == (distinct, recursive)
        assert l_entropy == pytest.approx(entropy)


@examples(40)
@given(files(), st.randoms(use_true_random=False))
def test_order_of_rows_and_keys_does_not_matter_and_laws_hold(file, random):
    rows, weights, sensitive = file
    data = frame(rows, w=[float(w) for w in weights], s=pl.Series(sensitive, dtype=pl.String))
    keys = [name for name in data.columns if name.startswith("k")]
    order, other_keys = list(range(len(rows))), list(keys)
    random.shuffle(order)
    random.shuffle(other_keys)
    one = match_risk(data, keys=keys, weights="w", sensitive="s").frame()
    two = match_risk(data[order], keys=other_keys, weights="w", sensitive="s").frame()
    for name in one.columns[1:]:
        assert two[name].to_list() == pytest.approx(one[name][order].to_list())
    assert ((one["rk"] > 0) & (one["rk"] <= 1)).all()
    assert (one["distinct"] <= one["fk"]).all()
    assert (one["entropy"] <= one["distinct"] + 1e-9).all()
    exact = match_risk(data, keys=keys, missing="category").frame()
    none = match_risk(data, keys=keys, alpha=0).frame()
    assert (exact["fk"] <= none["fk"]).all()
    assert (none["fk"] <= one["fk"]).all()


def test_many_patterns_of_missing_keys_agree_with_pairs():
    rng = np.random.default_rng(2)
    rows = [
        tuple(None if rng.random() < 0.3 else str(rng.integers(0, 3)) for _ in range(7))
        for _ in range(150)
    ]
    found = match_risk(frame(rows), keys=[f"k{place}" for place in range(7)]).frame()
    wanted = oracle.frequencies(rows, [Fraction(1)] * len(rows))
    assert found["fk"].to_list() == [fk for fk, _ in wanted]


BAD = [
    (
        {"weights": "k1"},
        "Column 'k1' cannot be a key and weights at once. Remove it from one of the two.",
    ),
    (
        {"sensitive": "k2"},
        "Column 'k2' cannot be a key and sensitive at once. Remove it from one of the two.",
    ),
    (
        {"weights": "w", "sensitive": "w"},
        "Column 'w' cannot be weights and sensitive at once. Remove it from one of the two.",
    ),
    ({"weights": ["w"]}, "weights must be the name of one column, as text; given is list."),
    (
        {"weights": "x"},
        "The dataset has no column 'x'. Its columns are: k1, k2, t, w, gap, minus, word.",
    ),
    (
        {"weights": "gap"},
        "The weights in column 'gap' of the dataset are missing for 1 of 2 records. Fill them in,"
        " or remove these records.",
    ),
    (
        {"weights": "minus"},
        "The weights in column 'minus' of the dataset are negative or infinite for 1 of 2 records."
        " A weight is the number of people a record represents: 0 or more.",
    ),
    (
        {"weights": "word"},
        "The weights in column 'word' of the dataset are not numbers. Name the column of the"
        " sampling weights.",
    ),
    ({"alpha": 1.1}, "alpha is 1.1. It must be a number from 0 to 1."),
    ({"alpha": "1"}, "alpha is '1'. It must be a number from 0 to 1."),
    ({"alpha": True}, "alpha is True. It must be a number from 0 to 1."),
    ({"alpha": float("nan")}, "alpha is nan. It must be a number from 0 to 1."),
    (
        {"recursive_c": float("inf")},
        "recursive_c is inf. It must be a number above 0 and at most 1,000,000.",
    ),
    ({"recursive_c": 0}, "recursive_c is 0. It must be a number above 0 and at most 1,000,000."),
    ({"missing": "exclude"}, "missing is 'exclude'. It must be one of: wildcard, category."),
    ({"keys": []}, "No keys are given. Name the columns an intruder would know."),
]


@pytest.mark.parametrize(("given_settings", "sentence"), BAD, ids=lambda one: str(one)[:40])
def test_bad_input_is_a_sentence(given_settings, sentence):
    data = people("axp", "byq", w=[1, 2], gap=[1, None], minus=[1.0, -0.5], word=["1", "CANARY"])
    with pytest.raises(unveil.InputError) as caught:
        match_risk(data, **{"keys": ["k1", "k2"], **given_settings})
    assert str(caught.value) == sentence


def test_weights_that_add_up_to_more_than_a_number_are_refused():
    frame = pl.DataFrame({"k": ["a", "b"], "w": [1e308, 1e308]})
    with pytest.raises(unveil.SettingsError, match="add up to more than can be computed"):
        unveil.match_risk(frame, keys="k", weights="w")


@pytest.mark.parametrize("setting", ["alpha", "recursive_c", "missing"])
def test_a_frame_given_as_a_setting_is_named_by_its_type_alone(setting):
    frame = pl.DataFrame({"k": ["canary", "b"]})
    with pytest.raises(unveil.SettingsError) as refused:
        unveil.match_risk(frame, keys="k", **{setting: frame})
    assert "canary" not in str(refused.value)
    assert "of type DataFrame" in str(refused.value)
