"""Included against left out: by hand, against the story told person by person, and by law."""

import json
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import confidentiality as oracle
from oracles.compare import assert_agrees
from profiles import examples
from unveil.count import profile
from unveil.measure.cap import differential_scores
from unveil.measure.cap.differential import (
    CONSTANT,
    FEW,
    FEW_CLASSES,
    NOBODY_FOUND,
    differential_confidentiality,
)

# The worked example of docs/measures/differential_confidentiality.md. The copy says p under a x, q
# under a y, p and q under b y, p under c x, and nothing under b x.
LEFT_OUT = ["axq", "byp", "bxq", "cxq"]
SECOND_COPY = ["bxq", "axq"]

KEYS, TARGETS = ("k1", "k2"), ("t", "u")


def rows(included, left_out, *copies, **asked) -> list[dict]:
    frames = [people(copy) for copy in copies]
    asked = {"seed": 1, "n_bootstrap": 100, **asked}
    result = differential_confidentiality(
        people(included), people(left_out), frames, keys=["k1", "k2"], target="t", **asked
    )
    return result.to_dict()["rows"]


def reasons(included, left_out, *copies, **asked) -> dict[str, str]:
    frames = [people(copy) for copy in copies]
    result = differential_confidentiality(
        people(included), people(left_out), frames, keys=["k1", "k2"], target="t", **asked
    )
    return {one.field: one.reason for one in result.record.not_measured}


def test_the_worked_example_by_hand():
    # Included: 1, 0, 0, none, ½, ½. Left out: 0, ½, none, 0.
    (row,) = rows(ORIGINAL, LEFT_OUT, SYNTHETIC)
    assert (row["n_included"], row["n_left_out"]) == (6, 4)
    assert (row["n_match_included"], row["n_match_left_out"]) == (5, 3)
    assert row["mean_included"] == pytest.approx(2 / 6)
    assert row["mean_left_out"] == pytest.approx(0.5 / 4)
    assert row["difference"] == pytest.approx(5 / 24)
    # Variances 1/6 and 1/16, so the standard error is 5/24 too.
    assert row["t"] == pytest.approx(1)
    assert row["df"] == pytest.approx((5 / 24) ** 4 / ((1 / 36) ** 2 / 5 + (1 / 64) ** 2 / 3))
    assert row["p"] == pytest.approx(0.3466, abs=5e-5)


def test_where_a_non_match_is_undefined_only_those_found_have_a_score():
    (row,) = rows(ORIGINAL, LEFT_OUT, SYNTHETIC, nonmatch="undefined")
    assert (row["n_included"], row["n_left_out"]) == (5, 3)
    assert (row["n_match_included"], row["n_match_left_out"]) == (5, 3)
    assert row["mean_included"] == pytest.approx(2 / 5)
    assert row["mean_left_out"] == pytest.approx(0.5 / 3)


def test_copies_are_pooled_one_after_the_other():
    # With the second copy b x says q, and a x says q once in three.
    first, both = rows(ORIGINAL, LEFT_OUT, SYNTHETIC, SECOND_COPY)
    assert first == rows(ORIGINAL, LEFT_OUT, SYNTHETIC)[0]
    assert (both["m"], both["n_match_included"], both["n_match_left_out"]) == (2, 6, 4)
    assert both["mean_included"] == pytest.approx((2 / 3 + 1 / 3 + 0 + 1 + 0.5 + 0.5) / 6)
    assert both["mean_left_out"] == pytest.approx((1 / 3 + 0.5 + 1 + 0) / 4)


def test_several_targets_are_guessed_together():
    included = pl.DataFrame({"k": ["a", "a"], "t": ["p", "q"], "u": [1, 2]})
    copy = pl.DataFrame({"k": ["a"] * 4, "t": ["p", "p", "q", "q"], "u": [1, 2, 1, 1]})
    result = differential_confidentiality(included, included, copy, keys="k", target=["t", "u"])
    # (p, 1) is one of four, (q, 2) none of them; one by one each would be a half or more.
    assert result.rows[0].mean_included == pytest.approx(1 / 8)
    assert result.record.target == ("t", "u")


def test_fewer_than_two_scores_leave_the_means():
    (row,) = rows(["axp"], LEFT_OUT, SYNTHETIC, margin=0.1)
    assert (row["mean_included"], row["mean_left_out"], row["difference"]) == (1.0, 0.125, 0.875)
    lacking = ("t", "df", "p", "interval", "equivalent")
    assert [row[field] for field in lacking] == [None] * 5
    assert reasons(["axp"], LEFT_OUT, SYNTHETIC, margin=0.1) == dict.fromkeys(lacking, FEW)


def test_scores_that_vary_in_neither_group_have_no_test_and_no_interval():
    (row,) = rows(["axp", "axp"], ["axq", "ayp"], ["axp", "ayq"])
    assert row["difference"] == 1.0
    assert [row[field] for field in ("t", "df", "p", "interval")] == [None] * 4
    assert reasons(["axp", "axp"], ["axq", "ayp"], ["axp", "ayq"]) == dict.fromkeys(
        ("t", "df", "p", "interval"), CONSTANT
    )


def test_equal_thirds_do_not_vary():
    # 1/3 added up three times and divided again is not always 1/3 in floats.
    copy = ["axp", "axq", "axr", "ayp", "ayq", "ayr", "bxp", "bxq", "bxr"]
    (row,) = rows(["axp", "ayq", "bxr"], ["axq", "ayr", "bxp", "axp"], copy)
    assert (row["difference"], row["t"]) == (0.0, None)


def test_one_key_combination_gives_a_test_but_no_interval():
    (row,) = rows(["axp", "axq"], ["axp", "axq"], ["axp", "axp", "axq"], margin=0.5)
    assert row["t"] == 0.0
    assert (row["interval"], row["equivalent"]) == (None, None)
    assert reasons(["axp", "axq"], ["axp", "axq"], ["axp", "axp", "axq"]) == {
        "interval": FEW_CLASSES
    }


def test_where_nobody_is_found_there_is_no_mean():
    included, left_out, copy = ["axp", "axq", "byp"], ["ayp", "bxp"], ["axp", "byq"]
    (row,) = rows(included, left_out, copy, nonmatch="undefined")
    assert (row["mean_included"], row["mean_left_out"], row["difference"]) == (
        pytest.approx(1 / 3),
        None,
        None,
    )
    found = reasons(included, left_out, copy, nonmatch="undefined")
    assert found["mean_left_out"] == found["difference"] == NOBODY_FOUND
    assert "mean_included" not in found


def drawn_files(seed: int, n_copies: int) -> list[list[tuple]]:
    """Included, left out and copies: few levels, some missing; all of them have a x."""
    chance = Random(seed)
    levels = (("a", "b", "c", None), ("x", "y", None), ("p", "q", "r", None), (1, 2, None))
    sides = range(2 + n_copies)
    sizes = [chance.randint(1, 14) for _ in sides]
    return [
        [
            (
                *(("a", "x") if first else map(chance.choice, levels[:2])),
                *map(chance.choice, levels[2:]),
            )
            for first in (True, *[False] * (sizes[side] - 1))
        ]
        for side in sides
    ]


def framed(file: list[tuple]) -> pl.DataFrame:
    kinds = {"k1": pl.String, "k2": pl.String, "t": pl.String, "u": pl.Int64}
    return pl.DataFrame(file, schema=kinds, orient="row")


def told(file: list[tuple], n_targets: int) -> list[tuple]:
    return [(row[:2], row[2 : 2 + n_targets]) for row in file]


files = st.builds(drawn_files, st.integers(0, 2**32 - 1), st.integers(1, 3))


def measured(given: list[list[tuple]], **asked) -> dict:
    included, left_out, *copies = (framed(file) for file in given)
    asked = {"seed": 3, "n_bootstrap": 100, "target": "t", **asked}
    return differential_confidentiality(included, left_out, copies, keys=KEYS, **asked).to_dict()


@pytest.mark.slow
@examples(150)
@given(files, st.sampled_from(oracle.RULES), st.integers(1, 2))
def test_every_figure_is_that_of_the_story_told_person_by_person(given, rule, n_targets):
    found = measured(given, nonmatch=rule, target=list(TARGETS[:n_targets]))["rows"]
    included, left_out, *copies = (told(file, n_targets) for file in given)
    expected = list(oracle.by_m(included, left_out, copies, rule))
    assert len(found) == len(expected)
    for row, figures in zip(found, expected, strict=True):
        assert_agrees(row, figures, where=f"m = {figures['m']}")


@examples(40)
@given(files, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_levels_change_no_byte(given, chance):
    names = {"p": "z", "q": "y", "r": "x", "a": "n", "b": "m", "c": "l", "x": "v", "y": "u"}
    renamed = [[tuple(names.get(one, one) for one in row) for row in file] for file in given]
    for file in renamed:
        chance.shuffle(file)
    assert measured(renamed)["rows"] == measured(given)["rows"]


@examples(40)
@given(files)
def test_with_one_copy_the_mean_is_dcap(given):
    included, left_out, copy = (framed(file) for file in given[:3])
    found = {}
    for rule in oracle.RULES:
        found[rule] = differential_confidentiality(
            included, left_out, copy, keys=KEYS, target="t", nonmatch=rule, n_bootstrap=100
        ).rows[0]
    for part, group in ((included, "included"), (left_out, "left_out")):
        figures = unveil.disclosure(part, copy, keys=KEYS, targets="t").attribute[0]
        zero, undefined = (getattr(found[rule], f"mean_{group}") for rule in oracle.RULES)
        assert zero == pytest.approx(figures.DCAP / 100)
        assert undefined == pytest.approx(figures.DCAP / figures.iS) if figures.iS else True


@examples(40)
@given(files)
def test_swapping_the_groups_turns_the_sign(given):
    included, left_out, *copies = given
    there, back = (
        measured(files)["rows"]
        for files in ([included, left_out, *copies], [left_out, included, *copies])
    )
    for row, turned in zip(there, back, strict=True):
        assert row["difference"] == -turned["difference"]
        assert row["t"] is turned["t"] is None or row["t"] == pytest.approx(-turned["t"])
        assert (row["df"], row["p"]) == (pytest.approx(turned["df"]), pytest.approx(turned["p"]))


@examples(30)
@given(files)
def test_the_same_people_in_both_groups_differ_by_nothing(given):
    for row in measured([given[0], given[0], *given[2:]], margin=0.01)["rows"]:
        assert row["difference"] == 0.0
        assert row["interval"] in (None, [0.0, 0.0], (0.0, 0.0))


def test_rows_of_fewer_copies_do_not_depend_on_those_that_follow():
    given = drawn_files(5, 3)
    alone, all_three = measured(given[:3], seed=8)["rows"], measured(given, seed=8)["rows"]
    assert alone == all_three[:1]


def test_cells_counted_in_pieces_give_the_same(monkeypatch):
    given = drawn_files(11, 3)
    whole = measured(given)
    monkeypatch.setattr(profile, "CHUNK", 2)
    assert measured(given) == whole


def test_counts_too_large_to_pack_are_grouped_all_the_same(monkeypatch):
    given = drawn_files(12, 2)
    whole = measured(given)
    monkeypatch.setattr(differential_scores, "PACKED", 1)
    assert measured(given) == whole


def test_the_document_holds_the_settings_and_what_is_shown_holds_no_list_of_people():
    result = differential_confidentiality(
        people(ORIGINAL), people(LEFT_OUT), people(SYNTHETIC), keys=["k1", "k2"], target="t", seed=4
    )
    document = json.loads(result.to_json())
    assert {name: document[name] for name in ("nonmatch", "margin", "confidence", "seed")} == {
        "nonmatch": "zero",
        "margin": None,
        "confidence": 0.95,
        "seed": 4,
    }
    assert (document["n_bootstrap"], document["n_synthetic"]) == (2000, [6])
    assert type(result.record).from_json(result.to_json()) == result.record


def test_the_frame_has_one_row_for_each_m_and_the_interval_in_two_columns():
    result = differential_confidentiality(
        people(ORIGINAL),
        people(LEFT_OUT),
        [people(SYNTHETIC), people(SECOND_COPY)],
        keys=["k1", "k2"],
        target="t",
        seed=4,
    )
    frame = result.frame()
    assert frame["m"].to_list() == [1, 2]
    low, high = result.rows[1].interval
    assert (frame["interval_low"][1], frame["interval_high"][1]) == (low, high)
    assert frame["equivalent"].dtype == pl.Boolean
    assert "interval" not in frame.columns
