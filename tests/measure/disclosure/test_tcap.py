import pytest

from measure.small import ORIGINAL, SYNTHETIC, attribute, measured


def test_the_worked_example():
    # Five of six are found; one of them is given away rightly.
    figures = attribute(ORIGINAL, SYNTHETIC)
    assert figures["TCAP"] == pytest.approx(20)
    assert figures["TCAP_scaled"] == pytest.approx((20 - 500 / 9) / (100 - 500 / 9))


def test_the_worked_example_without_q():
    figures = measured(ORIGINAL, SYNTHETIC).whatif("t=q").attribute[0].to_dict()
    # The p under a x is still settled rightly, one of the five who were found. With q struck out,
    # p is left under a x and a y; the copy has p under a x, b y and c x, so that one is found.
    assert figures["TCAP"] == pytest.approx(20)
    assert figures["TCAP_scaled"] == pytest.approx((20 - 500 / 9) / (100 - 500 / 9))
    assert figures["TCAP_renormalised"] == pytest.approx(100)


def test_where_nothing_is_left_out_tcap_renormalised_is_tcap():
    assert attribute(ORIGINAL, SYNTHETIC)["TCAP_renormalised"] == pytest.approx(20)


def test_the_denominator_holds_all_who_are_found_settled_or_not():
    # a x is settled rightly, b x is open, c x is not in the copy.
    assert attribute(["axp", "bxp", "cxp"], ["axp", "bxp", "bxq"])["TCAP"] == 50.0


def test_where_keys_meet_one_by_one_but_never_together_tcap_does_not_exist():
    # a and b, x and y occur on both sides, but no combination does.
    figures = attribute(["axp", "byq"], ["ayp", "bxq"])
    assert (figures["TCAP"], figures["TCAP_scaled"], figures["DiSCO"]) == (None, None, 0.0)
