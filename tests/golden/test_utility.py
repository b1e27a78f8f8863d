"""unveil against synthpop 1.9-3: utility.gen by tree and logistic model, utility.tables."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from unveil.measure.utility.pair_tables import pair_tables
from unveil.measure.utility.utility import utility

WHERE = "../shared/reference/synthpop"
FOLDER = Path(__file__).parents[2] / WHERE
FIGURES = 881
SPECIAL = {"income": [-8]}

if not FOLDER.exists():
    pytest.skip(
        f"{FIGURES:,} reference figures of test_utility went unchecked: {WHERE} is not there",
        allow_module_level=True,
    )


@cache
def golden() -> dict[str, Any]:
    document = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
    return document["utility_and_sdc"]


@cache
def measured(ways: int) -> Any:
    return pair_tables(*files(), ways=ways, special_codes=SPECIAL)


def files() -> tuple[Path, Path]:
    return FOLDER / "sd2011_ods.csv", FOLDER / "s1.csv"


def plain(name: str) -> tuple[str, ...]:
    """1.sex:2.age without the places of the columns."""
    return tuple(part.split(".", 1)[1] for part in name.split(":"))


@pytest.mark.parametrize(
    ("ways", "case", "named"),
    [(2, "utility_tables_twoway_s1", "pair"), (1, "utility_tables_oneway_s1", "var")],
)
def test_every_statistic_of_every_table_is_synthpops(ways: int, case: str, named: str) -> None:
    rows = {row.variables: row for row in measured(ways).rows}
    assert len(rows) == len(golden()[case])
    for expected in golden()[case]:
        row = rows[plain(expected[named])]
        for figure, value in expected.items():
            if figure != named:
                got = getattr(row, "S_pMSE" if figure == "S_VW" else figure)
                assert got == pytest.approx(value, rel=1e-9, abs=1e-12), (row.variables, figure)


def test_the_scores_of_variables_are_synthpops_in_their_order() -> None:
    expected = golden()["var_scores_twoway"]
    scores = measured(2).scores
    assert [one.variable for one in scores] == [plain(name)[0] for name in expected]
    for one, value in zip(scores, expected.values(), strict=True):
        assert one.S_pMSE == pytest.approx(value, rel=1e-9)


def test_the_worst_tables_are_synthpops() -> None:
    expected = golden()["worst"]
    worst = measured(2).worst
    assert [one.variables for one in worst] == [plain(name) for name in expected]
    for one, value in zip(worst, expected.values(), strict=True):
        assert one.S_pMSE == pytest.approx(value, rel=1e-9)


def test_a_logistic_model_of_main_effects_is_synthpops() -> None:
    expected = golden()["utility_gen_logit_main_s1"]
    (row,) = utility(*files(), columns=expected["vars"], model="logit").rows
    assert row.df == expected["df"]
    for figure in ("pMSE", "S_pMSE", "SPECKS", "PO50", "U"):
        assert getattr(row, figure) == pytest.approx(expected[figure], rel=1e-6), figure


def test_the_tree_is_rparts_leaf_for_leaf_and_chance_has_the_same_size() -> None:
    expected = golden()["utility_gen_cart_s1"]
    (row,) = utility(*files(), special_codes=SPECIAL, seed=2024).rows
    assert row.n_leaves == expected["n_leaves"]
    for figure in ("pMSE", "SPECKS", "PO50", "U"):
        assert getattr(row, figure) == pytest.approx(expected[figure], rel=1e-12), figure
    # Both have the error of 50 permutations.
    assert row.S_pMSE is not None
    assert row.S_pMSE_error is not None
    assert abs(row.S_pMSE - expected["S_pMSE"]) < 3 * row.S_pMSE_error * 2**0.5
