import pytest

from measure.small import ORIGINAL, SYNTHETIC, measured

CASES = {
    "equal": (ORIGINAL[::-1], 6),
    "all": ([*ORIGINAL, "cxp"], 6),
    "some": (SYNTHETIC, 3),  # a x p once, b y q twice
    "none": (["aaz", "bbz", "axz"], 0),
}


@pytest.mark.parametrize("kind", CASES)
def test_whole_rows_that_recur(kind):
    copy, n = CASES[kind]
    (row,) = measured(ORIGINAL, copy).record.recurrence
    assert (row.kind, row.n, row.n_columns) == (kind, n, 3)
    assert row.percent == pytest.approx(100 * n / 6)


def test_rows_that_nobody_is_alone_with_may_recur_by_chance():
    (row,) = measured(["axp", "axp"], ["axp", "bxp"]).record.recurrence
    assert (row.kind, row.n, row.n_alone) == ("some", 2, 0)


def test_half_of_the_people_unique_is_not_most():
    original = ["axp", "axp", "bxp", "byp"]
    (row,) = measured(original, [*original, "cxp"]).record.recurrence
    assert (row.kind, row.n, row.n_alone) == ("some", 4, 2)


def test_the_distinct_rows_of_the_original_contain_it():
    (row,) = measured(ORIGINAL, sorted(set(ORIGINAL))).record.recurrence
    assert (row.kind, row.n, row.n_alone, row.n_alone_recurring) == ("all", 6, 4, 4)


def test_the_original_less_one_is_for_the_gate_to_judge():
    original = [f"{a}{b}p" for a in "abcde" for b in "vwxyz"]
    (row,) = measured(original, original[1:]).record.recurrence
    assert (row.kind, row.n, row.n_alone, row.n_alone_recurring) == ("some", 24, 25, 24)


def test_each_copy_is_looked_at_alone():
    rows = measured(ORIGINAL, SYNTHETIC, ORIGINAL).record.recurrence
    assert [(row.copy, row.kind) for row in rows] == [(1, "some"), (2, "equal")]


def test_a_copy_that_equals_the_original_is_measured_like_any_other():
    result = measured(ORIGINAL, ORIGINAL)
    assert result.attribute[0].DiSCO == result.attribute[0].Dorig
    assert result.identity[0].repU == result.identity[0].UiO
