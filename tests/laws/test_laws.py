"""What must hold of every disclosure figure, whatever the files."""

import os
import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import unveil
from oracles.compare import TOLERANCE, assert_agrees
from profiles import examples
from scenarios import TEXT, Scenario, figures_of, scenarios
from unveil.examples import KEYS, write_csv

quick = examples(100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

PERCENTAGES = {
    *("UiO", "UiS", "UiOiS", "repU"),
    *("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO"),
    *("baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP"),
}
SHARES = {"DCAP_scaled", "TCAP_scaled"}
ORDERS = [  # the first is never above the second
    ("repU", "UiOiS"),
    ("UiOiS", "UiO"),
    ("DiSDiO", "DiSCO"),
    ("DiSDiO", "Dorig"),
    ("DiSCO", "DiS"),
    ("DiS", "iS"),
    ("DiSCO", "TCAP"),
    ("DiSCO", "DCAP"),
    ("DCAP", "iS"),
    ("Dorig", "CAPd"),
    ("Dsyn", "CAPs"),
    ("baseCAPd", "CAPd"),
    ("mean_denom", "max_denom"),
    ("mean_denom_syn", "max_denom_syn"),
    ("protection", "Dorig"),
    ("removed", "hundred"),
]


def measure(scenario: Scenario) -> dict[tuple, dict]:
    return figures_of(scenario.call(unveil.disclosure))


def assert_same(one: dict[tuple, dict], other: dict[tuple, dict]) -> None:
    assert set(one) == set(other)
    for subject, figures in one.items():
        assert set(figures) == set(other[subject])
        assert_agrees(other[subject], figures, where=str(subject))


@quick
@given(scenarios())
def test_every_percentage_lies_between_0_and_100(scenario):
    for figures in measure(scenario).values():
        for name in PERCENTAGES & set(figures):
            assert figures[name] is None or -TOLERANCE <= figures[name] <= 100 + TOLERANCE, name


@quick
@given(scenarios())
def test_no_scaled_figure_is_above_1(scenario):
    for figures in measure(scenario).values():
        for name in SHARES & set(figures):
            assert figures[name] is None or figures[name] <= 1 + TOLERANCE, name


@quick
@given(scenarios())
def test_each_figure_keeps_its_place_in_the_chain(scenario):
    checked = set()
    for figures in measure(scenario).values():
        known = figures | {"hundred": 100}
        for low, high in ORDERS:
            if known.get(low) is not None and known.get(high) is not None:
                assert known[low] <= known[high] + TOLERANCE, (low, high)
                checked.add((low, high))
    assert ("DiSCO", "DiS") in checked
    assert ("repU", "UiOiS") in checked


@quick
@given(scenarios())
def test_what_is_not_measured_has_its_reason_and_nothing_else_has_one(scenario):
    result = scenario.call(unveil.disclosure)
    lacking = {
        (*subject, name)
        for subject, figures in figures_of(result).items()
        for name, value in figures.items()
        if value is None
    }
    explained = [
        (
            "identity" if why["target"] is None else f"target {why['target']}",
            why["copy"],
            why["field"],
        )
        for why in result.to_dict()["not_measured"]
    ]
    assert sorted(map(str, explained)) == sorted(map(str, lacking))
    assert all(why["reason"].strip() for why in result.to_dict()["not_measured"])


@quick
@given(scenarios(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_means_nothing(scenario, seed):
    shuffled = scenario.each_side(lambda frame: frame.sample(fraction=1, shuffle=True, seed=seed))
    assert_same(measure(scenario), measure(shuffled))


@quick
@given(scenarios(), st.randoms(use_true_random=False))
def test_the_order_of_the_columns_means_nothing(scenario, chance):
    def shuffle(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(chance.sample(frame.columns, frame.width))

    assert_same(measure(scenario), measure(scenario.each_side(shuffle)))


@quick
@given(scenarios(), st.randoms(use_true_random=False))
def test_the_order_of_keys_and_of_targets_means_nothing(scenario, chance):
    other = replace(
        scenario,
        keys=tuple(chance.sample(scenario.keys, len(scenario.keys))),
        targets=tuple(chance.sample(scenario.targets, len(scenario.targets))),
    )
    assert_same(measure(scenario), measure(other))


@quick
@given(scenarios())
def test_a_target_has_the_same_figures_alone_as_among_others(scenario):
    together = measure(scenario)
    for target in scenario.targets:
        alone = measure(replace(scenario, targets=(target,)))
        assert_same(alone, {subject: together[subject] for subject in alone})


@quick
@given(scenarios(), st.integers(0, 1))
def test_a_column_that_is_neither_key_nor_target_changes_no_figure(scenario, constant):
    def add(frame: pl.DataFrame) -> pl.DataFrame:
        row = pl.int_range(pl.len())
        return frame.with_columns((row * constant).alias("a column nobody asked for"))

    assert_same(measure(scenario), measure(scenario.each_side(add)))


@quick
@given(
    scenarios(kinds=("text",)),
    st.permutations(
        [*TEXT, "c", "d", "UPPER", "longer name", "ż", "-", "0 or 1", "|", "\t", "None"]
    ),
)
def test_the_names_of_the_levels_mean_nothing(scenario, names):
    rename = dict(zip(TEXT, names, strict=False)) | {"": ""}

    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(
            pl.Series(one.name, [rename.get(v) for v in one.to_list()], dtype=pl.String)
            for one in frame
        )

    assert_same(measure(scenario), measure(scenario.each_side(renamed)))


@quick
@given(scenarios(kinds=("whole",), plain=True), st.data())
def test_equal_numbers_are_equal_in_whatever_type_they_come(scenario, data):
    types = st.sampled_from((pl.Int8, pl.Int32, pl.Int64, pl.Float32, pl.Float64, pl.String))

    def retype(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.cast({name: data.draw(types) for name in frame.columns})

    # The original keeps its numbers: digits against digits would be text.
    retyped = replace(scenario, copies=tuple(retype(copy) for copy in scenario.copies))
    assert_same(measure(scenario), measure(retyped))


@quick
@given(scenarios(kinds=("whole",), plain=True))
def test_digits_in_the_original_equal_numbers_in_the_copies(scenario):
    digits = replace(scenario, original=scenario.original.cast(pl.String))
    assert_same(measure(scenario), measure(digits))


@quick
@given(scenarios(kinds=("text", "decimal", "whole")))
def test_missing_is_missing_however_it_is_spelt(scenario):
    def one_spelling(frame: pl.DataFrame) -> pl.DataFrame:
        text = pl.selectors.by_dtype(pl.Categorical, pl.Enum, pl.String)
        return frame.with_columns(
            pl.selectors.float().fill_nan(None), text.cast(pl.String).replace("", None)
        )

    assert_same(measure(scenario), measure(scenario.each_side(one_spelling)))


@quick
@given(scenarios(max_copies=3), st.randoms(use_true_random=False))
def test_the_order_of_the_copies_only_renumbers_them(scenario, chance):
    order = chance.sample(range(len(scenario.copies)), len(scenario.copies))
    other = measure(replace(scenario, copies=tuple(scenario.copies[i] for i in order)))
    number = {new: old + 1 for new, old in enumerate(order, 1)}
    back = {(what, number.get(copy, copy)): figures for (what, copy), figures in other.items()}
    assert_same(measure(scenario), back)


@quick
@given(scenarios(max_copies=1))
def test_the_original_given_out_as_its_own_copy_gives_away_everything(scenario):
    result = replace(scenario, copies=(scenario.original,)).call(unveil.disclosure)
    for (what, _), figures in figures_of(result).items():
        if what == "identity":
            expected = {name: figures["UiO"] for name in ("UiS", "UiOiS", "repU")}
        else:
            settled = ("Dsyn", "DiS", "DiSCO", "DiSDiO", "TCAP")
            expected = {name: figures["Dorig"] for name in settled} | {
                "CAPs": figures["CAPd"],
                "DCAP": figures["CAPd"],
                "iS": 100,
                "protection": 0,
                "max_denom_syn": figures["max_denom"],
                "mean_denom_syn": figures["mean_denom"],
            }
        assert_agrees(figures, expected, where=what)
    assert result.to_dict()["recurrence"][0]["kind"] == "equal"


@quick
@given(scenarios(max_copies=1), st.integers(2, 3))
def test_a_copy_repeated_says_the_same_as_once(scenario, times):
    once = measure(scenario)
    repeated = replace(scenario, copies=(pl.concat([scenario.copies[0]] * times),))
    for subject, figures in measure(repeated).items():
        same = PERCENTAGES - {"UiS", "repU"} | {"max_denom", "mean_denom", "n_cells", "n_q_both"}
        expected = {name: value for name, value in once[subject].items() if name in same}
        assert_agrees(figures, expected, where=str(subject))


@quick
@given(scenarios(max_copies=1))
def test_the_mean_of_a_copy_with_itself_is_that_copy(scenario):
    once = measure(scenario)
    twice = measure(replace(scenario, copies=scenario.copies * 2))
    for (what, _), figures in once.items():
        for copy in (1, 2, "mean"):
            assert_agrees(twice[what, copy], figures, where=f"{what} {copy}")


@quick
@given(scenarios(max_copies=3))
def test_all_copies_together_find_at_least_whom_one_finds(scenario):
    figures = measure(replace(scenario, copies=(*scenario.copies, scenario.copies[0])))
    for (what, copy), one in figures.items():
        for name in {"iS", "UiOiS", "N_d_both", "n_q_both", "n_q_synthetic", "n_cells"} & set(one):
            if copy != "pooled":
                assert one[name] <= figures[what, "pooled"][name] + TOLERANCE, name


@quick
@given(scenarios())
def test_one_key_more_finds_fewer_and_settles_more(scenario):
    *fewer_keys, _ = scenario.keys
    if not fewer_keys:
        fewer_keys, scenario = scenario.keys, replace(scenario, keys=(*scenario.keys, "one more"))
        scenario = scenario.each_side(
            lambda frame: frame.with_columns(pl.int_range(pl.len()).alias("one more") % 2)
        )
    less, more = measure(replace(scenario, keys=tuple(fewer_keys))), measure(scenario)
    for subject, figures in more.items():
        for name in {"iS", "N_d_both", "N_s_both"} & set(figures):
            assert figures[name] <= less[subject][name] + TOLERANCE, name
        for name in {"UiO", "UiS", "Dorig", "Dsyn", "CAPd", "CAPs", "n_cells"} & set(figures):
            assert figures[name] >= less[subject][name] - TOLERANCE, name


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_number_of_threads_changes_no_byte(threads, tmp_path):
    original, copy = write_csv(tmp_path)
    command = [
        "-m",
        "unveil",
        "disclosure",
        str(original),
        str(copy),
        "-k",
        ",".join(KEYS),
        "--json",
    ]
    told = [
        subprocess.run(
            [sys.executable, *command],
            env={**os.environ, "POLARS_MAX_THREADS": n},
            capture_output=True,
            check=True,
        ).stdout
        for n in ("2", threads)
    ]
    assert told[0] == told[1]
    assert told[0]
