import pytest

from measure.small import ORIGINAL, SYNTHETIC, attribute


def test_the_worked_example():
    figures = attribute(ORIGINAL, SYNTHETIC)
    # In the original a y, b x and b y (twice) are settled: four of six. In the copy a x (p, twice),
    # a y (q) and c x (p): four of six. Found: all but b x. Settled in the copy: a x twice and a y;
    # rightly only the first person, who shares a x with a q in the original.
    assert figures["Dorig"] == pytest.approx(100 * 4 / 6)
    assert figures["Dsyn"] == pytest.approx(100 * 4 / 6)
    assert figures["iS"] == pytest.approx(100 * 5 / 6)
    assert figures["DiS"] == pytest.approx(50)
    assert figures["DiSCO"] == pytest.approx(100 * 1 / 6)
    assert figures["DiSDiO"] == 0
    assert (figures["max_denom"], figures["mean_denom"]) == (1, 1)
    assert (figures["max_denom_syn"], figures["mean_denom_syn"]) == (2, 2)
    assert figures["protection"] == pytest.approx(50)
    assert figures["removed"] == pytest.approx(75)


def test_right_wrong_undecided_and_absent():
    # a x: the copy says p, right for one, wrong for one. b x: it says both. c x: not in the copy.
    figures = attribute(["axp", "axq", "bxp", "cxq"], ["axp", "bxp", "bxq"])
    assert (figures["iS"], figures["DiS"], figures["DiSCO"]) == (75.0, 50.0, 25.0)
    figures = attribute(["axp", "bxq"], ["axq", "bxp"])  # wrong about both
    assert (figures["max_denom"], figures["max_denom_syn"]) == (0, 0)


def test_denominators_are_original_counts_and_the_copys_have_their_own_names():
    # One cell holds three people and one record of the copy; another one person and five records.
    figures = attribute(["axp", "axp", "axp", "bxq"], ["axp", *["bxq"] * 5])
    assert (figures["max_denom"], figures["mean_denom"]) == (3, 2)
    assert (figures["max_denom_syn"], figures["mean_denom_syn"]) == (5, 3)


def test_a_copy_can_give_away_more_than_the_original_and_then_removes_less_than_nothing():
    # The original leaves a x open between p and q, and settles only b x.
    figures = attribute(["axp", "axp", "axq", "bxp"], ["axp", "bxp"])
    assert (figures["Dorig"], figures["DiSCO"]) == (25.0, 75.0)
    assert (figures["protection"], figures["removed"]) == (-50.0, -200.0)


def test_where_the_original_settles_nothing_there_is_nothing_to_remove():
    figures = attribute(["axp", "axq"], ["axp", "axq"])
    assert (figures["Dorig"], figures["removed"], figures["mean_denom"]) == (0.0, None, None)
    assert figures["max_denom"] == 0
