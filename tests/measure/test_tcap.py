import pytest

from measure.small import ORIGINAL, SYNTHETIC, attribute


def test_the_worked_example():
    # Five of six are found; one of them is given away rightly.
    figures = attribute(ORIGINAL, SYNTHETIC)
    assert figures["TCAP"] == pytest.approx(20)
    assert figures["TCAP_scaled"] == pytest.approx((20 - 500 / 9) / (100 - 500 / 9))


def test_the_denominator_holds_all_who_are_found_settled_or_not():
    # a x is settled rightly, b x is open, c x is not in the copy.
    assert attribute(["axp", "bxp", "cxp"], ["axp", "bxp", "bxq"])["TCAP"] == 50.0


def test_where_keys_meet_one_by_one_but_never_together_tcap_does_not_exist():
    # a and b, x and y occur on both sides, but no combination does.
    figures = attribute(["axp", "byq"], ["ayp", "bxq"])
    assert (figures["TCAP"], figures["TCAP_scaled"], figures["DiSCO"]) == (None, None, 0.0)
