"""SD2011: the keys that its users take are those proposed."""

from pathlib import Path

import pytest

from unveil.measure.roles.suggest import suggest
from unveil.view.suggestion import key_line, sentences

FOLDER = Path(__file__).parents[3] / "../shared/reference/synthpop"
N_FIGURES = 14
if not (FOLDER / "sd2011.csv").exists():
    pytest.skip(
        f"No reference data: {N_FIGURES} figures of SD2011 went unchecked.",
        allow_module_level=True,
    )


@pytest.fixture(scope="module")
def record():
    return suggest(FOLDER / "sd2011.csv").record


def test_the_four_keys_are_proposed_with_the_people_they_make_unique(record):
    assert set(record.keys) == {"sex", "age", "region", "placesize"}
    assert [(step.key, step.n_unique) for step in record.steps] == [
        ("age", 1),
        ("region", 156),
        ("placesize", 1450),
        ("sex", 2419),
    ]
    assert round(record.steps[-1].percent, 1) == 48.4
    assert record.stop == "enough"


def test_the_age_group_is_refused_as_a_function_of_age(record):
    row = record.row_of("agegr")
    assert (row.role, row.grade, row.function_of) == ("ignore", "visible", ("age",))
    assert (row.n_gained, record.n_records) == (5, 5000)
    assert row.reason == (
        "age in its name, but a function of 'age': it adds 0.1 points of unique people."
    )


def test_all_others_are_targets_sensitive_ones_first(record):
    assert len(record.targets) == 30
    sensitive = ("unempdur", "income", "depress", "smoke", "alcabuse", "bmi")
    assert record.targets[: len(sensitive)] == sensitive
    assert record.row_of("weight").topic == "body weight"


def test_the_screen_says_it_in_the_words_agreed_on(record):
    assert key_line(record) == (
        "Proposed keys: age, region, placesize, sex. Unique on them: 2,419 of 5,000 people"
        " (48.4 %)."
    )
    assert next(sentences(record)).startswith("Neighbours or colleagues usually know them.")


def test_the_extract_of_nine_columns_has_the_same_keys():
    found = suggest(FOLDER / "sd2011_ods.csv")
    assert set(found.keys) == {"sex", "age", "region", "placesize"}
    assert found.record.n_unique == 2419
    assert found.targets == ("depress", "income", "ls", "marital", "workab")
