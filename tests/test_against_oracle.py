"""unveil.disclosure against the intruder's story told record by record, on thousands of files."""

import pytest
from hypothesis import HealthCheck, given

import unveil
from oracles import raab
from oracles.compare import assert_agrees
from profiles import examples
from scenarios import Scenario, figures_of, scenarios

unhurried = [HealthCheck.too_slow, HealthCheck.data_too_large]
thorough = examples(800, suppress_health_check=unhurried)
shorter = examples(400, suppress_health_check=unhurried)


def check(scenario: Scenario) -> None:
    """Every figure of the result is the oracle's, and there is no row more or less."""
    result = scenario.call(unveil.disclosure)
    measured, document = figures_of(result), result.to_dict()
    expected = {}
    for target in scenario.targets:
        original, *copies = scenario.files(target)
        n_levels = len({value for side in scenario.column(target) for value in side})
        for copy, figures in raab.over_copies(raab.attribute, original, copies).items():
            expected[f"target {target}", copy] = figures | {"n_target_levels": n_levels}
    for copy, figures in raab.over_copies(raab.identity, original, copies).items():
        expected["identity", copy] = figures

    assert set(measured) == set(expected)
    for subject, figures in expected.items():
        assert_agrees(measured[subject], figures, where=str(subject))

    everything = [row for copy in copies for row in copy]
    counts = raab.key_counts(original, everything)
    counts.pop("n_q_both")
    assert_agrees(document, counts | {"n_original": len(original)}, where="the file")
    assert list(document["n_synthetic"]) == [len(copy) for copy in copies]

    original, *copies = scenario.whole_rows()
    assert [row["copy"] for row in document["recurrence"]] == list(range(1, len(copies) + 1))
    for row, copy in zip(document["recurrence"], copies, strict=True):
        assert_agrees(row, raab.recurrence(original, copy), where=f"recurrence in {row['copy']}")


@pytest.mark.slow
@thorough
@given(scenarios())
def test_every_figure_equals_its_story(scenario):
    check(scenario)


@shorter
@given(scenarios(max_rows=40, max_levels=2, max_copies=2, plain=True))
def test_every_figure_equals_its_story_where_many_people_share_their_keys(scenario):
    check(scenario)


@shorter
@given(scenarios(kinds=("whole", "decimal", "long"), max_copies=2))
def test_numbers_are_the_same_in_every_type(scenario):
    check(scenario)


@shorter
@given(scenarios(kinds=("text",), max_levels=8, max_copies=2))
def test_text_is_the_same_letter_by_letter_only(scenario):
    check(scenario)
