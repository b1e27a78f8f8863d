"""A mistyped name gets a hint only where a name is really close."""

import pytest

from unveil.errors import hint_at

KNOWN = ("age", "income", "region", "workab", "DiSCO", "open")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("aeg", "age"), ("incme", "income"), ("egion", "region"), ("disco", "DiSCO"), ("opn", "open")],
)
def test_a_slip_is_seen(typed, meant):
    assert hint_at(typed, KNOWN) == f" Did you mean '{meant}'?"


@pytest.mark.parametrize("typed", ["nope", "no", "xyz", "", "outcome_of"])
def test_another_word_is_no_slip(typed):
    assert hint_at(typed, KNOWN) == ""
