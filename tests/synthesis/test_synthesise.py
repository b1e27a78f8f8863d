import datetime as dt
import warnings

import numpy as np
import polars as pl
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import InputError
from unveil.synthesis.synthesise import synthesise


def people(n=400, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 90, n)
    income = np.where(rng.random(n) < 0.2, np.nan, (rng.gamma(2, 500, n) + 5 * age).round())
    hours = np.where(age > 65, -8, rng.integers(10, 50, n))
    born = [dt.date(2011, 6, 1) - dt.timedelta(days=int(365.25 * a)) for a in age]
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": age,
            "born": born,
            "region": pl.Series(rng.choice(list("abcd"), n), dtype=pl.Categorical),
            "edu": pl.Series(rng.choice(["none", "some", "all"], n)).cast(
                pl.Enum(["none", "some", "all"])
            ),
            "income": pl.Series(income).fill_nan(None),
            "hours": hours,
            "smokes": [None if r < 0.1 else bool(r > 0.6) for r in rng.random(n)],
        }
    )


PEOPLE = people()
CODES = {"hours": [-8]}


def bytes_of(frame):
    return frame.serialize()


def test_a_copy_has_the_columns_types_and_rows_of_the_original():
    copy = synthesise(PEOPLE, special_codes=CODES, seed=1).copies[0]
    assert copy.schema == PEOPLE.schema
    assert len(copy) == len(PEOPLE)
    assert not copy.equals(PEOPLE)


@pytest.mark.parametrize("method", ["cart", "sample"])
def test_every_value_of_a_donor_method_occurs_in_the_original(method):
    copy = synthesise(PEOPLE, method=method, special_codes=CODES, seed=2).copies[0]
    for name in PEOPLE.columns:
        assert set(copy[name].to_list()) <= set(PEOPLE[name].to_list())


def test_one_and_two_workers_give_the_same_bytes():
    one = synthesise(PEOPLE, special_codes=CODES, seed=3, copies=3, workers=1)
    two = synthesise(PEOPLE, special_codes=CODES, seed=3, copies=3, workers=2)
    assert [*map(bytes_of, one.copies)] == [*map(bytes_of, two.copies)]
    assert bytes_of(one.copies[0]) != bytes_of(one.copies[1])
    assert bytes_of(one.sample(2, seed=3)[1]) == bytes_of(one.copies[1])
    assert bytes_of(one.sample(1, seed=4)[0]) != bytes_of(one.copies[0])


def test_a_column_added_at_the_end_leaves_the_others_as_they_were():
    fewer = synthesise(PEOPLE.drop("smokes"), special_codes=CODES, seed=5).copies[0]
    more = synthesise(PEOPLE, special_codes=CODES, seed=5).copies[0]
    assert more.drop("smokes").equals(fewer)


@pytest.mark.parametrize("rows", [1, 37, 400])
def test_a_copy_has_as_many_rows_as_asked_for(rows):
    made = synthesise(PEOPLE, rows=rows, special_codes=CODES, seed=1)
    assert made.copies[0].shape == (rows, 8)
    assert made.record.n_rows == rows
    assert made.record.warnings == ()


def test_more_rows_than_the_original_warn_of_certainty_that_is_not_there():
    sentence = (
        "The synthetic data have 900 rows, more than the 400 of the original: tests and intervals"
        " computed from it claim more certainty than the data can give."
    )
    made = synthesise(PEOPLE, rows=900, seed=1)
    assert made.record.warnings == (sentence,)
    with pytest.warns(UserWarning, match="more than the 400") as caught:
        assert len(made.sample(1, rows=900)[0]) == 900
    assert str(caught[0].message) == sentence


@pytest.mark.slow
def test_missing_and_special_values_are_as_frequent_as_in_the_original():
    original = people(4_000, 2)
    made = synthesise(original, special_codes=CODES, seed=1).sample(20, rows=4_000)
    for count in (
        lambda frame: frame["income"].null_count(),
        lambda frame: frame["smokes"].null_count(),
        lambda frame: int((frame["hours"] == -8).sum()),
    ):
        # Each copy is a draw with the variance of a bootstrap; the mean of 20 is far nearer.
        mean = float(np.mean([count(copy) for copy in made]))
        n = count(original)
        error = np.sqrt(2 * n * (1 - n / 4_000) / 20)
        assert abs(mean - n) < 4 * error


def test_a_special_code_goes_with_what_decides_it():
    copy = synthesise(people(3_000), special_codes=CODES, seed=1).copies[0]
    assert (copy["hours"] == -8).to_list() == (copy["age"] > 65).to_list()


def test_a_spike_is_modelled_apart():
    rng = np.random.default_rng(1)
    amount = np.where(rng.random(2_000) < 0.5, 0, rng.integers(100, 200, 2_000))
    frame = pl.DataFrame({"x": rng.integers(0, 3, 2_000), "amount": amount})
    made = synthesise(frame, spikes={"amount": [0]}, seed=1)
    assert made.record.columns[1].n_states == 3
    share = float((made.copies[0]["amount"] == 0).mean())
    assert abs(share - 0.5) < 4 * np.sqrt(0.25 / 2_000 * 2)


def test_the_joint_distribution_of_two_categories_is_that_of_the_original():
    # A tree on one predictor of two levels has them as leaves, so the expectation is exact.
    pairs = [("a", "x")] * 30 + [("a", "y")] * 10 + [("b", "x")] * 5 + [("b", "y")] * 55
    frame = pl.DataFrame(pairs, schema=["one", "other"], orient="row")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        copy = synthesise(frame, seed=1).sample(1, rows=100_000)[0]
    counts = copy.group_by("one", "other").len().sort("one", "other")["len"].to_numpy()
    assert scipy.stats.chisquare(counts, np.array([30, 10, 5, 55]) * 1_000).pvalue > 0.001


def test_kept_columns_stay_row_for_row():
    made = synthesise(PEOPLE, keep=["age", "region"], seed=1)
    copy = made.copies[0]
    assert copy["age"].equals(PEOPLE["age"])
    assert copy["region"].equals(PEOPLE["region"])
    assert copy.columns == PEOPLE.columns
    assert not copy["income"].equals(PEOPLE["income"])
    assert made.record.columns[1].role == "kept"


def test_a_column_that_only_predicts_is_not_in_the_copy():
    made = synthesise(PEOPLE, order=["born"], predictors={"born": ["age"]}, min_leaf=1, seed=1)
    assert made.copies[0].columns == ["born"]
    assert made.copies[0]["born"].sort().equals(PEOPLE["born"].sort())  # the age settles it
    roles = {column.name: column.role for column in made.record.columns}
    assert (roles["age"], roles["sex"]) == ("predictor only", "left out")


def test_waves_side_by_side_follow_each_other_in_a_copy():
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 3000)
    second = np.where(rng.random(3000) < 0.9, first, rng.integers(0, 3, 3000))
    third = np.where(rng.random(3000) < 0.9, second, rng.integers(0, 3, 3000))
    waves = pl.DataFrame({"w1": first, "w2": second, "w3": third}).cast(pl.String)
    copy = synthesise(waves, seed=1).copies[0]
    for one, two in (("w1", "w2"), ("w2", "w3"), ("w1", "w3")):
        stay = [float((frame[one] == frame[two]).mean()) for frame in (waves, copy)]
        # Two shares of 3,000 people differ by less than four standard errors.
        assert abs(stay[0] - stay[1]) < 4 * np.sqrt(2 * stay[0] * (1 - stay[0]) / 3000)


def test_strata_are_synthesised_apart():
    y = [*range(50)] * 2  # even in stratum a, odd in b
    frame = pl.DataFrame({"s": ["a", "b"] * 50, "x": [1, 100] * 50, "y": y})
    made = synthesise(frame, strata="s", seed=1)
    copy = made.copies[0]
    assert copy.columns == ["s", "x", "y"]
    assert set(copy.select("s", "x").unique().rows()) == {("a", 1), ("b", 100)}
    assert all(y % 2 == (s == "b") for s, y in copy.select("s", "y").rows())
    assert 25 < int((copy["s"] == "a").sum()) < 75
    assert made.record.n_strata == 2


def test_strata_beside_kept_columns_are_those_of_the_original():
    frame = pl.DataFrame({"s": ["a", "b", None] * 40, "k": [*range(60)] * 2, "x": [1, 2, 3] * 40})
    copy = synthesise(frame, strata="s", keep="k", seed=1).copies[0]
    assert copy.equals(frame)  # within a stratum x is settled


def test_an_automatic_order_puts_columns_beside_those_they_depend_on():
    rng = np.random.default_rng(4)
    one, two = rng.integers(0, 5, 2_000), rng.integers(0, 5, 2_000)
    frame = pl.DataFrame({"a": one, "u": two, "b": one * 2, "v": two + 1, "c": one})
    order = synthesise(frame, order="auto", seed=1).record.order
    assert order == ("a", "b", "c", "u", "v")


def test_the_record_tells_how_and_holds_no_data():
    made = synthesise(PEOPLE, special_codes=CODES, seed=12345, copies=2)
    record = made.record
    assert (record.n_original, record.n_copies, record.is_seeded) == (400, 2, True)
    assert record.order == tuple(PEOPLE.columns)
    assert [c.method for c in record.columns] == ["sample", *["cart"] * 7]
    assert [c.state_method for c in record.columns if c.n_states > 1] == ["cart", "cart"]
    assert "12345" not in made.to_json()
    assert made.frame()["name"].to_list() == PEOPLE.columns
    assert repr(made) == "Synthesiser of 8 columns and 400 rows: 2 copies of 400 rows"


YOUNG = "if age < 30 then hours = 12"


def test_a_rule_holds_in_every_row_and_its_rows_are_not_fitted():
    original = PEOPLE.with_columns(
        hours=pl.when(pl.col("age") < 30).then(12).otherwise(pl.col("hours").replace(12, 13))
    )
    # The bootstrap would give 12 to anyone, had the rows of the rule been left in.
    made = synthesise(
        original, rules=["if age < 30 then hours = 12"], method={"hours": "sample"}, seed=1
    )
    copy = made.copies[0]
    assert set(copy.filter(pl.col("age") < 30)["hours"]) == {12}
    assert 12 not in set(copy.filter(pl.col("age") >= 30)["hours"])
    assert made.record.rules == (YOUNG,)


def test_a_derived_column_follows_from_the_copy():
    original = PEOPLE.with_columns(ratio=pl.col("income") / pl.col("age"))
    copy = synthesise(original, derived={"ratio": "income / age"}, seed=1).copies[0]
    assert copy.columns == original.columns
    assert copy["ratio"].equals(copy["income"] / copy["age"])


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"x": [1, 2, 3, 4, 5, 6]}),
        pl.DataFrame({"x": [1, 2, 3, 4, 5, 6], "same": ["a"] * 6}),
        pl.DataFrame({"same": [7.5] * 6, "x": [1, 2, 3, 4, 5, 6]}),
        pl.DataFrame({"none": [None] * 6, "x": [1, 2, 3, 4, 5, 6]}),
        pl.DataFrame({"none": pl.Series([None] * 6, dtype=pl.Date), "x": list("aabbcc")}),
        pl.DataFrame({"x": [1], "y": ["a"], "z": [None]}),
        pl.DataFrame({"x": [-8, -8, None, -8, None, -8], "y": [1, 2, 3, 4, 5, 6]}),
        pl.DataFrame({"x": [1, 1, None, None, 1, 1], "y": ["b", None] * 3}),
    ],
    ids=["one column", "constant", "constant first", "empty", "empty dates", "one row", "no plain",
         "constant and missing"],
)  # fmt: skip
def test_small_and_empty_originals_have_copies(frame):
    codes = {name: [-8] for name in frame.columns if frame[name].dtype.is_numeric()}
    copy = synthesise(frame, special_codes=codes, seed=1).copies[0]
    assert copy.schema == frame.schema
    for name in frame.columns:
        assert set(copy[name].to_list()) <= set(frame[name].to_list())


def test_three_hundred_levels_have_a_copy():
    rng = np.random.default_rng(1)
    codes = rng.permutation(np.arange(3_000) % 300)
    frame = pl.DataFrame({"x": [f"{c:03}" for c in codes], "big": [f"{c // 30}" for c in codes]})
    copy = synthesise(frame, seed=1).copies[0]
    assert (copy["x"].str.to_integer() // 30).cast(pl.String).equals(copy["big"])


values = st.one_of(st.none(), st.sampled_from([-8, 0, 1, 2, 3]))
texts = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))


@given(
    rows=st.lists(st.tuples(values, texts, st.floats(-9, 9) | st.none(), values), min_size=5),
    seed=st.integers(0, 9),
    is_smooth=st.booleans(),
)
@examples(25)
def test_whatever_the_original_a_copy_keeps_types_levels_and_ranges(rows, seed, is_smooth):
    schema = {"a": pl.Int16, "b": pl.String, "c": pl.Float64, "d": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    made = synthesise(
        frame,
        special_codes={"a": [-8]},
        smoothing="density" if is_smooth else None,
        seed=seed,
        workers=1,
    )
    copy = made.copies[0]
    assert copy.schema == frame.schema
    assert set(copy["b"].to_list()) <= set(frame["b"].to_list())
    for name in ("a", "c", "d"):
        if not is_smooth:
            assert set(copy[name].to_list()) <= set(frame[name].to_list())
        elif copy[name].drop_nulls().len():
            assert frame[name].min() <= copy[name].min() <= copy[name].max() <= frame[name].max()
        assert copy[name].null_count() == 0 or frame[name].null_count() > 0


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"min_leaf": 401},
            "min_leaf is 401, but the original has 400 rows. Choose a smaller min_leaf.",
        ),
        (
            {"min_leaf": 150, "strata": "sex", "order": ["age", "income"]},
            None,
        ),
        ({"min_leaf": 0}, "min_leaf is 0. It must be a whole number from 1 to 100,000,000."),
        ({"min_leaf": 2.5}, "min_leaf is 2.5. It must be a whole number from 1 to 100,000,000."),
        ({"min_split": 1}, "min_split is 1. It must be a whole number from 2 to 100,000,000."),
        ({"complexity": -1}, "complexity is -1. It must be a number from 0 to below 1."),
        ({"min_spread": 1}, "min_spread is 1. It must be a number from 0 to below 1."),
        ({"smoothing": "spline"}, "smoothing is 'spline'. It must be one of: density."),
        ({"copies": 0}, "copies is 0. It must be a whole number from 1 to 10,000."),
        ({"rows": 0}, "rows is 0. It must be a whole number from 1 to 100,000,000."),
        ({"workers": 0}, "workers is 0. It must be a whole number from 1 on."),
        (
            {"rows": 10, "keep": "age"},
            "rows is 10, but the original has 400, and columns that are kept match it row for row."
            " Omit rows.",
        ),
        (
            {"special_codes": {"aeg": [-8]}},
            "The original has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age, "
            "born, region, edu, income, hours, smokes.",
        ),
        (
            {"special_codes": {"sex": [-8]}},
            "Column 'sex' is a category, so its special codes are levels like any other. "
            "Omit them.",
        ),
        (
            {"special_codes": {"hours": ["x"]}},
            "A special code is 'x', which is not a number. Write numbers such as -8 or -9.",
        ),
        (
            {"special_codes": [-8]},
            'Special codes are given as list. Write them by column, such as {"income": [-8, -9]}.',
        ),
        (
            {"keep": PEOPLE.columns},
            "No column is left to be synthesised. Keep fewer columns, or name some in the order.",
        ),
        (
            {"rules": YOUNG, "order": ["hours", "age"]},
            "The rule 'if age < 30 then hours = 12' needs age before 'hours'. Change the order.",
        ),
        (
            {"rules": YOUNG, "keep": "hours"},
            "The rule 'if age < 30 then hours = 12' determines 'hours', which is not synthesised."
            " Omit the rule.",
        ),
        (
            {"derived": {"ratio": "income / age"}, "order": ["age"]},
            "The derived column 'ratio' needs income, which the synthetic data do not have.",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_to_do(asked, sentence):
    if sentence is None:
        smallest = PEOPLE["sex"].value_counts()["count"].min()
        asked = {**asked, "min_leaf": smallest + 1}
        sentence = (
            f"min_leaf is {smallest + 1}, but the smallest stratum has {smallest} rows. "
            "Choose a smaller min_leaf, or fewer strata."
        )
    with pytest.raises(InputError) as caught:
        synthesise(PEOPLE, **asked)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "twins.csv"
    path.write_text("a,a\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        synthesise(path)
    assert "more than one column 'a'" in str(caught.value)


def test_a_file_has_the_same_copy_as_its_frame(tmp_path):
    path = tmp_path / "people.parquet"
    PEOPLE.write_parquet(path)
    from_file = synthesise(path, special_codes=CODES, seed=1)
    assert from_file.copies[0].equals(synthesise(PEOPLE, special_codes=CODES, seed=1).copies[0])
    assert from_file.record.files == ("people.parquet",)


def test_progress_tells_of_every_column_and_copy():
    said = []
    synthesise(PEOPLE, copies=2, seed=1, progress=lambda *step: said.append(step))
    fitted = [step for step in said if step[0].startswith("fitted")]
    assert {what for what, _, _ in fitted} == {f"fitted {name}" for name in PEOPLE.columns}
    assert [(done, total) for _, done, total in fitted] == [(n, 8) for n in range(1, 9)]
    assert said[0] == ("fitting", 0, 8)
    assert said[-3:] == [("drawing copies", 0, 2), ("drew copy 1", 1, 2), ("drew copy 2", 2, 2)]


def test_what_stops_the_progress_stops_the_work():
    class StoppedError(Exception):
        pass

    def stop(what, done, total):
        if done == 1:
            raise StoppedError

    with pytest.raises(StoppedError):
        synthesise(PEOPLE, seed=1, progress=stop)


def test_linear_algebra_is_held_to_one_thread_while_columns_are_fitted(monkeypatch):
    from threadpoolctl import threadpool_info

    from unveil.synthesis import fit

    fit_step, seen = fit._fit_step, []

    def watched(*given, **asked):
        seen.extend(o["num_threads"] for o in threadpool_info() if o["user_api"] == "blas")
        return fit_step(*given, **asked)

    monkeypatch.setattr(fit, "_fit_step", watched)
    synthesise(PEOPLE.head(100), seed=1, workers=2)
    assert set(seen) == {1}


@pytest.mark.parametrize("n", [21, 40, 301])
def test_a_level_for_every_row_brings_no_warning_of_another_library(n):
    names = [f"name {row}" for row in range(n)]
    frame = pl.DataFrame({"x": range(n), "name": names, "again": [*names[1:], names[0]]})
    stated = dict.fromkeys(frame.columns, "invented")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy = synthesise(frame, real_values=stated, seed=1).copies[0]
    assert set(copy["again"]) <= set(names)


def test_separated_models_are_told_of_in_one_sentence():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 300)
    frame = pl.DataFrame({
        "a": np.where(a, "x", "y"),
        "b": np.where(a, "u", rng.choice(["v", "w"], 300)),
        "c": np.where(a, "k", rng.choice(["l", "m"], 300)),
    })  # fmt: skip
    record = synthesise(frame, method="parametric", seed=1).record
    assert record.notes == (
        "In the models of 2 columns (b, c) predictors separate the classes, so coefficients were"
        " shrunk by a ridge penalty.",
    )
    assert not any("separate" in note for column in record.columns for note in column.notes)
    alone = synthesise(frame.select("a", "b"), method="parametric", seed=1).record
    assert alone.notes == (
        "In the model of b predictors separate the classes, so coefficients were shrunk by a ridge"
        " penalty.",
    )


def test_a_notebook_shows_how_copies_were_made_and_no_value():
    import unveil

    canary = "<b>CANARY-HIV-positive-77"
    frame = PEOPLE.head(60).with_columns(
        pl.Series("<i>ill", ["no"] * 59 + [canary]), rare=pl.Series(range(60)).cast(pl.String)
    )
    made = unveil.synthesise(frame, real_values={"rare": "<b>invented"}, seed=987654321)
    shown = made._repr_html_()
    assert "CANARY" not in shown
    assert "987654321" not in shown
    assert "&lt;i&gt;ill" in shown
    assert "<i>ill" not in shown
    assert "Order of synthesis" in shown
    assert "Stated reason: &lt;b&gt;invented" in shown
    assert "<h3>Synthetic data</h3>" in shown
    assert repr(made) == "Synthesiser of 10 columns and 60 rows: 1 copy of 60 rows"
