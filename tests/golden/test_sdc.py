"""Statistical disclosure control against the counts of synthpop's sdc and replicated.uniques."""

import json
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from unveil.protection.recoding.recode import recode
from unveil.protection.replicated_uniques import remove_replicated_uniques

WHERE = "../shared/reference/synthpop"
SYNTHPOP = Path(__file__).parents[2] / WHERE
FIGURES = 836
if not SYNTHPOP.exists():
    pytest.skip(
        f"{FIGURES} figures of synthpop's sdc went unchecked: {WHERE} is not there",
        allow_module_level=True,
    )
KEYS = ["sex", "age", "region", "placesize"]
COUNTS = ("Original", "Synthetic", "Synthetic uniques in original", "Replicated uniques")


@cache
def golden() -> dict:
    text = (SYNTHPOP / "golden.json").read_text(encoding="utf-8")
    return json.loads(text)["utility_and_sdc"]


def removed(*copies: str, **more):
    return remove_replicated_uniques(
        SYNTHPOP / "sd2011.csv", [SYNTHPOP / name for name in copies], **more
    )


def table_of(row) -> dict:
    counts = (
        (row.uniques_original, row.n_original),
        (row.uniques_synthetic, row.n_synthetic),
        (row.uniques_in_original, row.n_original),
        (row.replicated, row.n_original),
    )
    return {
        what: {"Number": n, "from total": total, "%": pytest.approx(100 * n / total, rel=1e-12)}
        for what, (n, total) in zip(COUNTS, counts, strict=True)
    }


def test_replicated_uniques_over_all_columns():
    wanted = golden()["sdc"]["all_vars"]
    result = removed("s1.csv")
    assert result.rows[0].n_synthetic == wanted["rows_before"]
    assert result.data.height == result.rows[0].n_left == wanted["rows_after"]
    assert wanted["table"] == table_of(result.rows[0])


def test_replicated_uniques_by_keys_row_by_row():
    wanted = golden()["sdc"]["keys"]
    assert wanted["keys"] == KEYS
    result = removed("s1.csv", keys=KEYS)
    assert wanted["table"] == table_of(result.rows[0])
    assert list(result.removed[0]) == wanted["replicated_row_numbers"]
    assert result.data.height == wanted["rows_after_rm_replicated"]
    kept = set(range(1, 5001)) - set(wanted["replicated_row_numbers"])
    whole = pl.read_csv(SYNTHPOP / "s1.csv")
    assert result.data["age"].to_list() == [whole["age"][row - 1] for row in sorted(kept)]


def test_uniques_of_the_original_win_over_replicated_ones():
    result = removed("s1.csv", keys=KEYS, uniques_of_original=True)
    assert result.data.height == golden()["sdc"]["keys"]["rows_after_rm_uniques_in_orig"]
    assert result.rows[0].n_removed == result.rows[0].uniques_in_original


def test_five_copies_each_have_their_own_table():
    result = removed(*(f"s5_{copy}.csv" for copy in range(1, 6)), keys=KEYS)
    assert golden()["sdc_s5_keys"] == [table_of(row) for row in result.rows]
    assert [data.height for data in result.data] == [row.n_left for row in result.rows]


def test_bottom_and_top_coding_counts_and_leaves_codes_alone():
    wanted = golden()["sdc_recode"]
    low, high = wanted["age"]
    result = recode(
        SYNTHPOP / "s1.csv",
        [
            {"do": "bottom_code", "column": "age", "at": low},
            {"do": "top_code", "column": "age", "at": high},
            {"do": "top_code", "column": "income", "at": 5000, "special_codes": [-8]},
            {"do": "bottom_code", "column": "income", "at": 0, "special_codes": [-8]},
        ],
    )
    changed = [row.n_changed for row in result.rows]
    assert changed[:3] == [wanted[f"n_{what}"] for what in ("age_bottom", "age_top", "income_top")]
    income = result.data["income"]
    assert (income.max(), income.min()) == (wanted["income_max"], wanted["income_min"])
    assert (result.data["age"].min(), result.data["age"].max()) == (low, high)


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    n_table = 3 * len(COUNTS)
    sdc = golden()["sdc"]
    n_all = 2 + n_table
    n_keys = 2 + n_table + len(sdc["keys"]["replicated_row_numbers"])
    n_recode = len(golden()["sdc_recode"]) - 1
    assert n_all + n_keys + n_table * len(golden()["sdc_s5_keys"]) + n_recode == FIGURES
