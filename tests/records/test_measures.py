"""The catalogue of figures that a limit can be set on."""

from pathlib import Path

import pytest

from unveil.assessment import limits
from unveil.errors import SettingsError
from unveil.project.figures import ATTRIBUTE as MEASURED_ATTRIBUTE
from unveil.project.figures import IDENTITY as MEASURED_IDENTITY
from unveil.records.disclosure import AttributeRow, IdentityRow
from unveil.records.limits import (
    ATTRIBUTE,
    IDENTITY,
    MEASURES,
    NAMES,
    RISK,
    limits_fault,
    measure_named,
)


def test_disclosure_and_the_desk_share_their_lists():
    assert (*IDENTITY, *ATTRIBUTE, "adds") == limits.LIMITABLE
    assert (MEASURED_IDENTITY, MEASURED_ATTRIBUTE) == (IDENTITY, ATTRIBUTE)


def test_the_names_are_fields_of_their_records():
    assert set(IDENTITY) <= set(IdentityRow.__struct_fields__)
    assert set(ATTRIBUTE) <= set(AttributeRow.__struct_fields__)


def test_every_measure_says_what_it_is_and_where_it_comes_from():
    for name, measure in MEASURES.items():
        assert measure.name == name
        assert len(measure.what) > 20
        is_dated = any(digit in measure.source for digit in "0123456789")
        assert is_dated or (Path(__file__).parents[2] / measure.source).is_file()
        assert measure.kinds


def test_a_measure_is_of_risk_or_of_utility():
    assert sorted({*NAMES} - {*RISK}) == ["S_pMSE", "pMSE"]


@pytest.mark.parametrize(
    ("name", "review", "limit", "sentence"),
    [
        (
            "DiSCO",
            5,
            101,
            "The limit of DiSCO has the value 101. It is a percentage: write 0 to 100.",
        ),
        ("R", 0.1, 2, "The limit of R has the value 2. It is a share: write 0 to 1."),
        (
            "S_pMSE",
            -1,
            3,
            "The limit of S_pMSE has the value -1. It is a ratio: write a number from 0 on.",
        ),
        (
            "DiSCO",
            float("nan"),
            10,
            "The limit of DiSCO has the value nan. It is a percentage: write 0 to 100.",
        ),
        (
            "DiSCO",
            10,
            5,
            "The limit of DiSCO is [10, 5]: review starts above the limit. Write the lower number"
            " first.",
        ),
    ],
)
def test_limits_that_mean_nothing(name, review, limit, sentence):
    assert limits_fault(name, review, limit) == sentence


def test_limits_that_mean_something():
    assert limits_fault("S_pMSE", 3, 1_000) is None
    assert limits_fault("DiSCO", 0, 0) is None


def test_an_unknown_measure_names_its_neighbour():
    assert limits_fault("gtcap", 0, 1).startswith(
        "No limit can be set on 'gtcap'. Did you mean 'GTCAP'? Limits can be set on: UiO, UiS,"
    )
    with pytest.raises(SettingsError, match="Did you mean 'DiSCO'"):
        measure_named("DisCo")
