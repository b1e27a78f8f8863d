"""The distance filter beside decisions that were worked out apart (cases.json, SPEC.md E)."""

import json

import numpy as np
import pytest

from reference import reference
from unveil.making.closeness import Space

CASES = [
    case
    for case in json.loads(reference("measures/cases.json").read_text())["cases"]
    if case["measure"] == "distance_filter" and "any_exact" in case["expected"]
]


OF_FILTER = 1_128  # and 418 of ECAP


def test_so_many_figures_are_held() -> None:
    assert 3 * sum(len(case["expected"]["any_exact"]) for case in CASES) == OF_FILTER


def points(rows):
    return np.array([[np.nan if value is None else value for value in row] for row in rows], float)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_each_record_is_kept_or_refused_as_published(case):
    asked = case["input"]
    original = points(asked["original"])
    space = Space(
        original,
        np.arange(len(original)),
        "mahalanobis",
        np.array(asked["inverse_covariance"]),
        np.array(asked["ranges"], float),
    )
    judged = space.judge(points(asked["synthetic"]))
    for row, expected in enumerate(case["expected"]["any_exact"]):
        assert judged.keep[row] == expected["keep"]
        assert judged.nearest[row] in expected["tied"]
        assert judged.d_synthetic[row] == pytest.approx(expected["d_so"], rel=1e-9, abs=1e-9)
