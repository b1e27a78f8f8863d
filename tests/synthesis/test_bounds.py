"""How much can be asked for, and what is said of more."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import cache

import numpy as np
import polars as pl
import pytest

from unveil.errors import InputError
from unveil.synthesis.record import draw_again
from unveil.synthesis.split_columns import join_column, split
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Models, Synthesiser

FRAME = pl.DataFrame({"a": [1, 2, 3, 4] * 10, "b": ["x", "y"] * 20})


@cache
def made():
    return synthesise(FRAME, seed=1)


def levels(k, n=2_000, seed=1):
    rng = np.random.default_rng(seed)
    return [f"level {code}" for code in rng.permutation(np.arange(n) % k)]


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.exit_code == 2
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


BOUNDS = "A regression has at most 1,000 columns, 1,000 classes and 100,000 coefficients."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "two", "methods"),
    [
        (100, 50, ["sample", "multinomial", "normrank"]),
        (400, 400, ["sample", "cart", "normrank"]),
        (1_200, 3, ["sample", "cart", "cart"]),
        (3, 1_200, ["sample", "cart", "cart"]),
    ],
)
def test_regressions_of_too_many_levels_give_way_to_trees_and_this_is_told(one, two, methods):
    frame = pl.DataFrame({"x": levels(one), "y": levels(two, seed=2), "z": [*range(100)] * 20})
    record = synthesise(frame, method="parametric", seed=1).record
    assert [column.method for column in record.columns] == methods
    names = [c.name for c in record.columns if c.method == "cart"]
    told = [note for note in record.notes if note.startswith("Too many levels")]
    assert told == (
        [
            "Too many levels for a regression, so trees were grown in its place: "
            f"{', '.join(names)}. {BOUNDS}"
        ]
        if names
        else []
    )


def test_states_of_a_number_are_bounded_too():
    codes = list(range(-600, 0))
    frame = pl.DataFrame({"x": levels(300), "z": [*codes, *range(1_400)]})
    record = synthesise(
        frame, method="parametric", special_codes={"z": codes}, real_values={"z": "sums"}, seed=1
    ).record
    assert (record.columns[1].method, record.columns[1].state_method) == ("normrank", "cart")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"copies": 10**8}, "copies is 100000000. It must be a whole number from 1 to 10,000."),
        (
            {"rows": 10**13},
            "rows is 10000000000000. It must be a whole number from 1 to 100,000,000.",
        ),
        ({"rows": 10**30}, "rows is 1e+30. It must be a whole number from 1 to 100,000,000."),
    ],
)
def test_more_copies_or_rows_than_can_be_are_refused(asked, sentence):
    assert refusal(lambda: made().sample(**asked)) == sentence
    assert refusal(lambda: synthesise(FRAME, **asked)) == sentence
    assert refusal(lambda: draw_again(made(), **asked)) == sentence


def test_copies_are_not_all_waiting_at_once(monkeypatch):
    asked, submit = [], ThreadPoolExecutor.submit

    def watched(self, *given, **named):
        asked.append(given)
        return submit(self, *given, **named)

    class StoppedError(Exception):
        pass

    def stop(what, done, total):
        if done == 1:
            raise StoppedError

    fitted = made()
    monkeypatch.setattr(ThreadPoolExecutor, "submit", watched)
    with pytest.raises(StoppedError):
        fitted.sample(copies=500, rows=1, workers=1, progress=stop)
    assert len(asked) == 3


def test_too_little_memory_is_told_in_a_sentence(monkeypatch):
    def full(self, number, n_rows, seed):
        raise MemoryError

    monkeypatch.setattr(Models, "copy", full)
    assert refusal(lambda: made().sample(copies=2, rows=7)) == (
        "There is not enough memory for 2 copies of 7 rows. Draw fewer rows, or fewer copies at a "
        "time."
    )


def test_more_special_codes_than_can_be_modelled_are_refused():
    series = pl.Series("x", range(3_000))
    assert refusal(lambda: split(series, special=range(1_001))) == (
        "Column 'x' has 1,001 different special codes; at most 1,000 can be modelled apart. Name "
        "fewer, or turn the column into text."
    )
    assert split(series, special=range(1_000)).column.n_states == 1_002


UNITS = ["90071992547409.93", "90071992547409.95", "-0.01", None, "90071992547409.97"]


def test_decimal_numbers_come_back_to_the_last_digit():
    series = pl.Series("x", UNITS * 8).cast(pl.Decimal(18, 2))
    assert join_column(split(series)).to_list() == series.to_list()
    copy = synthesise(pl.DataFrame({"k": [1, 2] * 20, "x": series}), seed=1).copies[0]
    assert copy["x"].dtype == series.dtype
    assert {*copy["x"]} <= {Decimal(unit) if unit else None for unit in UNITS}


def test_decimal_numbers_of_too_many_digits_are_refused():
    series = pl.Series("x", ["1.5", "2.5"]).cast(pl.Decimal(38, 20))
    assert refusal(lambda: split(series)) == (
        "Column 'x' holds decimal numbers of more than 18 digits, which cannot be synthesised. "
        "Give the type fewer decimals, or turn the column into text."
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_whole_numbers_are_smoothed_within_their_range(sign):
    values = [sign * (2**63 - 1 - 5_000 * step) for step in range(40)]
    frame = pl.DataFrame({"x": values * 2})
    copy = synthesise(frame, smoothing="density", rows=5_000, seed=1).copies[0]
    assert min(values) <= copy["x"].min() <= copy["x"].max() <= max(values)


def test_numbers_too_large_to_compute_with_are_refused():
    frame = FRAME.with_columns(c=pl.Series([1.7e308, 1.6e308, 1.0, 2.0] * 10))
    assert refusal(lambda: synthesise(frame, seed=1)) == (
        "Column 'c' holds numbers beyond 1e+150, too large to compute with. If they are special "
        "codes, name them as such; else divide the column."
    )
    assert synthesise(frame, special_codes={"c": [1.7e308, 1.6e308]}, seed=1).copies[0].shape == (
        40, 3,
    )  # fmt: skip


def test_a_column_that_cannot_be_taken_apart_may_be_left_out():
    frame = FRAME.with_columns(c=pl.Series([[1], [2]] * 20))
    for asked in ({"order": ["a", "b"]}, {"drop": "c"}):
        assert synthesise(frame, **asked, seed=1).copies[0].columns == ["a", "b"]
    for asked in ({}, {"order": ["a", "c"]}, {"order": ["a"], "keep": "c"}, {"order": "auto"}):
        assert refusal(lambda asked=asked: synthesise(frame, **asked)) == (
            "Column 'c' holds List values, which cannot be synthesised. Omit the column, or turn"
            " it into text or numbers."
        )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: synthesise(FRAME, min_split=2**63),
            "min_split is 9223372036854775808. It must be a whole number from 2 to 100,000,000.",
        ),
        (
            lambda: synthesise(FRAME, missing_values=5),
            'missing_values is 5. Write entries as text, such as ["NA", "?"].',
        ),
        (
            lambda: synthesise(FRAME, missing_values=["NA", 5]),
            'missing_values is of type list. Write entries as text, such as ["NA", "?"].',
        ),
        (
            lambda: Synthesiser.load(None),
            "The model file is None. Write its path, such as CONFIDENTIAL_survey.model.",
        ),
        (
            lambda: made().save(5),
            "The model file is 5. Write its path, such as CONFIDENTIAL_survey.model.",
        ),
        (
            lambda: synthesise(FRAME, progress=5),
            "progress is 5. It must be a function of what is done, how many steps are done, and "
            "how many there are.",
        ),
        (
            lambda: made().sample(progress="bar"),
            "progress is 'bar'. It must be a function of what is done, how many steps are done, "
            "and how many there are.",
        ),
    ],
)
def test_what_means_nothing_is_refused_in_a_sentence(call, sentence):
    assert refusal(call) == sentence


def test_a_moment_that_its_time_zone_does_not_have_is_refused():
    days = [dt.datetime(2020, 1, day) for day in range(1, 29)]
    zoned = pl.Series(days).dt.replace_time_zone("Europe/Warsaw")
    frame = pl.DataFrame({"a": [1, 2] * 28, "t": pl.concat([zoned, zoned])})
    rule = "if a = 1 then t = 2020-03-29T02:30"
    assert refusal(lambda: synthesise(frame, rules=[rule], seed=1)) == (
        f"The rule '{rule}' gives 't' a moment that its time zone does not have: clocks were put "
        "forward. Write another."
    )


def test_a_column_without_a_name_has_a_copy():
    frame = FRAME.rename({"a": ""})
    copy = synthesise(frame, seed=1).copies[0]
    assert copy.columns == ["", "b"]


def test_whole_numbers_of_numpy_are_seeds():
    assert synthesise(FRAME, seed=np.int64(1)).copies[0].equals(made().copies[0])
    assert refusal(lambda: synthesise(FRAME, seed=np.bool_(True))).startswith("The seed is")
