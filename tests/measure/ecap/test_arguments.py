"""Equation 1 in a form that loses no digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.ecap import printed_form
from profiles import examples
from unveil.errors import SettingsError
from unveil.measure.ecap.arguments import ecap_from_probabilities, lowest

tiny = st.floats(-12, 0).map(lambda power: 10.0**power)


@examples(60)
@given(tiny, tiny, st.integers(2, 10**9), st.integers(1, 1000))
def test_it_is_the_printed_form_in_sixty_digits(p, b, N, n):
    n = min(n, N)
    assert ecap_from_probabilities(p, b, N, n) == pytest.approx(printed_form(p, b, N, n), rel=1e-6)


def test_the_printed_form_loses_digits_where_this_does_not():
    assert ecap_from_probabilities(0.1, 1e-9, 10**9, 1) == pytest.approx(0.0909090909917, abs=1e-12)


def test_nothing_can_be_claimed_where_nothing_can_land():
    assert ecap_from_probabilities(0, 0, 100, 10) is None


def test_the_only_person_there_is_was_sampled():
    assert ecap_from_probabilities(0.5, 0.5, 1, 1) == 1


def test_without_anybody_else_the_claim_is_certain():
    assert ecap_from_probabilities(0.2, 0, 1000, 10) == pytest.approx(1, abs=1e-12)


def test_where_everybody_lands_there_the_claim_is_the_share_that_was_sampled():
    # By hand: (999/1000)^10 are not sampled.
    assert ecap_from_probabilities(1, 1, 1000, 10) == pytest.approx(1 - 0.999**10, abs=1e-15)
    assert lowest(1000, 10) == pytest.approx(1 - 0.999**10, abs=1e-15)


@examples(60)
@given(tiny, tiny, st.integers(2, 10**6))
def test_more_of_oneself_makes_a_claim_surer_and_more_of_others_less_sure(p, b, N):
    at = ecap_from_probabilities(p, b, N, 1)
    assert ecap_from_probabilities(min(2 * p, 1), b, N, 1) >= at - 1e-12
    assert ecap_from_probabilities(p, min(2 * b, 1), N, 1) <= at + 1e-12


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1.5, 0, 10, 1), "p is 1.5. It must be a number from 0 to 1."),
        ((0.5, "x", 10, 1), "b is 'x'. It must be a number from 0 to 1."),
        ((0.5, 0.5, 0, 1), "N is 0. It must be a whole number from 1 on."),
        ((0.5, 0.5, 10, 1.5), "n is 1.5. It must be a whole number from 1 on."),
        (
            (0.5, 0.5, 10, 11),
            "N is 10 and n is 11. The population (N) cannot be smaller than the sample drawn from"
            " it (n).",
        ),
    ],
)
def test_what_means_nothing_is_refused(given, said):
    with pytest.raises(SettingsError) as fault:
        ecap_from_probabilities(*given)
    assert str(fault.value) == said
