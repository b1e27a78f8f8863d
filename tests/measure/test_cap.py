import pytest

from measure.small import ORIGINAL, SYNTHETIC, attribute


def test_the_worked_example():
    figures = attribute(ORIGINAL, SYNTHETIC)
    # By frequencies: p has 2 of 6, q has 4 of 6. In the original only the two of a x are in doubt.
    # In the copy a x says p (right for one of two), a y says q (wrong), b y is open (half right,
    # twice), b x is not there.
    assert figures["baseCAPd"] == pytest.approx(100 * (4 + 16) / 36)
    assert figures["CAPd"] == pytest.approx(100 * 5 / 6)
    assert figures["CAPs"] == pytest.approx(100 * 5 / 6)
    assert figures["DCAP"] == pytest.approx(100 * 2 / 6)
    assert figures["DCAP_scaled"] == pytest.approx((100 / 3 - 500 / 9) / (100 - 500 / 9))


def test_a_person_who_is_not_in_the_copy_counts_as_a_wrong_guess():
    assert attribute(["axp", "bxp"], ["axp"])["DCAP"] == 50.0


def test_where_everyone_is_alike_there_is_no_scale():
    assert attribute(["axp", "bxp"], ["axp"])["DCAP_scaled"] is None
