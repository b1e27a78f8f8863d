"""unveil against the figures of synthpop 1.9-3, where nothing is excluded and nothing grouped."""

import pytest

from golden import published
from golden.calls import call_of, measured
from golden.published import FIGURES, skip_unless_there
from oracles.compare import assert_agrees
from scenarios import figures_of

skip_unless_there("test_synthpop")

CASES = published.cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_figure_of_synthpop_is_ours(case):
    figures = figures_of(measured(call_of(case)))
    assert len(case["syntheses"]) == len(case["syn"])
    for copy, synthesis in enumerate(case["syntheses"], 1):
        assert_agrees(figures["identity", copy], published.identity_of(synthesis))
        assert_agrees(figures[f"target {case['target']}", copy], published.attribute_of(synthesis))


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    per_synthesis = [
        len(published.identity_of(s)) + len(published.attribute_of(s))
        for case in CASES
        for s in case["syntheses"]
    ]
    assert (len(CASES), len(per_synthesis)) == (49, 89)
    assert sum(per_synthesis) == FIGURES["test_synthpop"]
