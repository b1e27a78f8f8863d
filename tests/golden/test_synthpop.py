"""unveil against the figures of synthpop 1.9-3 and those printed in Raab (2024)."""

from functools import cache

import pytest

import unveil
from golden import published
from golden.published import (
    N_FIGURES,
    SD2011_KEYS,
    SYNTHPOP,
    TABLE_1,
    TABLE_3,
    WHERE,
    assert_printed,
)
from oracles.compare import assert_agrees
from scenarios import figures_of

if not SYNTHPOP.exists():
    pytest.skip(
        f"{N_FIGURES} published figures went unchecked: {WHERE} is not there",
        allow_module_level=True,
    )

CASES = published.cases()
FIVE = tuple(f"s5_{i}.csv" for i in range(1, 6))


@cache
def measured(original: str, synthetic: tuple[str, ...], keys: tuple[str, ...]):
    """One call per pair of files and keys, with all the targets that any case asks of it."""
    scenario = (original, synthetic, keys)
    targets = {c["target"] for c in CASES if (c["orig"], c["syn"], c["keys"]) == scenario}
    return unveil.disclosure(
        SYNTHPOP / original,
        [SYNTHPOP / name for name in synthetic],
        keys=list(keys),
        targets=sorted(targets),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_figure_of_synthpop_is_ours(case):
    figures = figures_of(measured(case["orig"], case["syn"], case["keys"]))
    assert len(case["syntheses"]) == len(case["syn"])
    for copy, synthesis in enumerate(case["syntheses"], 1):
        assert_agrees(figures["identity", copy], published.identity_of(synthesis))
        assert_agrees(figures[f"target {case['target']}", copy], published.attribute_of(synthesis))


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_of_the_paper_as_printed(name):
    row = figures_of(measured("sd2011_ods.csv", ("s1.csv",), SD2011_KEYS))["target depress", 1]
    assert_printed(row[name], TABLE_1[name], name)


@pytest.mark.parametrize("target", TABLE_3)
def test_table_3_of_the_paper_as_printed(target):
    row = figures_of(measured("sd2011_ods.csv", ("s1.csv",), SD2011_KEYS))[f"target {target}", 1]
    for name, printed in TABLE_3[target].items():
        assert_printed(row[name], printed, name)


def test_the_number_of_key_combinations_in_section_3_4():
    result = measured("sd2011_ods.csv", ("s1.csv",), SD2011_KEYS).to_dict()
    assert {name: result[name] for name in published.SECTION_3_4} == published.SECTION_3_4


@pytest.mark.parametrize("target", published.TARGET_LEVELS)
def test_the_number_of_levels_of_each_target_in_section_3_4(target):
    row = figures_of(measured("sd2011_ods.csv", ("s1.csv",), SD2011_KEYS))[f"target {target}", 1]
    assert row["n_target_levels"] == published.TARGET_LEVELS[target]


@pytest.mark.parametrize("target", TABLE_3)
def test_the_mean_over_five_copies(target):
    figures = figures_of(measured("sd2011_ods.csv", FIVE, SD2011_KEYS))
    assert_agrees(figures[f"target {target}", "mean"], published.means_over_five_copies()[target])


def test_the_number_of_published_figures_is_the_one_a_run_without_them_reports():
    per_case = [
        len(published.identity_of(s)) + len(published.attribute_of(s))
        for case in CASES
        for s in case["syntheses"]
    ]
    counts = len(published.SECTION_3_4) + len(published.TARGET_LEVELS)
    printed = len(TABLE_1) + sum(map(len, TABLE_3.values())) + counts
    means = sum(map(len, published.means_over_five_copies().values()))
    assert (len(CASES), len(per_case)) == (49, 89)
    assert sum(per_case) + printed + means == N_FIGURES
