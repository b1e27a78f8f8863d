"""Releases that disclose stop or ask, with their cause; honest ones pass."""

import numpy as np
import polars as pl
import pytest

import unveil
from gate.files import drawn_anew, jittered, people, planted
from unveil.examples import survey, survey_synthetic

N = 1_200
ORIGINAL, OTHERS = people(N, 1), people(N, 2)


def assess(synthetic, original=ORIGINAL, limits=(), **about):
    return unveil.assess(unveil.Study(original, synthetic, **about), limits=dict(limits))


def ids(result, *statuses):
    return {
        alert.id for alert in result.alerts if alert.status in (statuses or ("block", "decide"))
    }


HONEST = {
    "other people": OTHERS,
    "every column shuffled": drawn_anew(ORIGINAL, *ORIGINAL.columns),
    "more records": people(2 * N, 3),
    "fewer records": OTHERS[:500],
    "copies": [OTHERS, people(N, 4), people(N, 5)],
    "versions": {"a": OTHERS, "b": people(N, 6)},
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_releases_are_within(name):
    result = assess(HONEST[name])
    assert (result.exit_code, ids(result)) == (0, set()), result.headline
    yours = assess(HONEST[name], limits={"beyond": 1, "real_records": 0})
    assert yours.exit_code == 0, yours.headline


DISCLOSING = {
    "a copy": (ORIGINAL, "real-records"),
    "a copy thrice": (pl.concat([ORIGINAL] * 3), "real-records"),
    "a sample": (ORIGINAL[:200], "real-records"),
    "a copy among others": (pl.concat([ORIGINAL, OTHERS]), "real-records"),
    "numbers moved by 1 %": (jittered(ORIGINAL), "real-records"),
    "all but one column": (drawn_anew(ORIGINAL, "income"), "real-records"),
    "all but two columns": (drawn_anew(ORIGINAL, "income", "region"), "own-value"),
    "one in twenty real": (planted(ORIGINAL, OTHERS, 0.05), "real-records"),
    "in five parts": ([ORIGINAL[at : at + 240] for at in range(0, N, 240)], "real-records"),
    "one version of two": ({"good": OTHERS, "bad": ORIGINAL}, "real-records"),
    "a column more": (OTHERS.with_columns(pid=pl.int_range(N)), "extra-column:pid"),
    "capitals": (OTHERS.with_columns(pl.col("illness").str.to_uppercase()), "coding:illness"),
    "another unit": (OTHERS.with_columns(pl.col("rent") / 1000), "coding:rent"),
    "coarser steps": (
        OTHERS.with_columns(pl.col("income") // 1000 * 1000),
        "coding:income",
    ),
    "other codes": (
        OTHERS.with_columns(pl.col("illness").replace({"flu": "J10", "asthma": "J45"})),
        "coding:illness",
    ),
    "other kinds": (
        OTHERS.with_columns(pl.col("weight").map_elements(lambda x: f"{x} kg", pl.String)),
        "coding:weight",
    ),
}


@pytest.mark.parametrize("name", DISCLOSING)
def test_faulty_releases_stop_or_ask(name):
    synthetic, alert = DISCLOSING[name]
    result = assess(synthetic)
    assert result.exit_code in (3, 4), result.headline
    assert any(found.startswith(alert) for found in ids(result)), result.headline


def test_a_copy_is_blocked_at_proposed_limits_and_at_ones_own():
    assert assess(ORIGINAL).status == "blocked"
    assert assess(ORIGINAL, limits={"beyond": 3, "real_records": 0.5}).exit_code == 3


def test_a_limit_blocks_only_where_somebody_chose_it():
    part = planted(ORIGINAL, OTHERS, 0.0245)
    assert assess(part).exit_code == 4
    assert assess(part, limits={"real_records": 0}).exit_code == 3


def with_ids(frame, numbers):
    return frame.with_columns(
        insured=pl.Series(numbers), note=pl.Series([f"n {k}" for k in numbers])
    )


def test_identifiers_that_are_kept_are_blocked_and_new_ones_are_not():
    random = np.random.default_rng(1)
    numbers = random.choice(10**9, 2 * N, replace=False)
    original = with_ids(ORIGINAL, numbers[:N])
    kept = assess(with_ids(OTHERS, random.permutation(numbers[:N])), original)
    assert kept.exit_code == 3
    assert "single-holder:note" in ids(kept)
    new = assess(with_ids(OTHERS, numbers[N:]).drop("note"), original.drop("note"))
    assert not {i for i in ids(new) if "single-holder" in i}
    declared = assess(
        with_ids(OTHERS, random.permutation(numbers[:N])), original,
        columns={"insured": "identifier", "note": "ignore"},
    )  # fmt: skip
    assert "identifier:insured" in ids(declared, "block")


def test_one_group_that_is_real_is_named():
    here = pl.col("region") == "a"
    mixed = pl.concat([ORIGINAL.filter(here), OTHERS.filter(~here)])
    result = assess(mixed)
    assert result.exit_code in (3, 4)


def test_who_has_several_rows_is_asked_for():
    visits = pl.concat([ORIGINAL.with_row_index("patient")] * 3)
    again = pl.concat([OTHERS.with_row_index("patient")] * 3)
    assert "rows-per-person" in ids(assess(again, visits))
    declared = assess(again, visits, columns={"patient": "person"})
    assert "rows-per-person" not in ids(declared)


def test_few_people_cannot_tell():
    few = ["sex", "region", "illness"]
    result = assess(people(60, 2)[few], people(60, 1)[few])
    assert result.exit_code == 4
    assert "too few" in result.headline
    assert not ids(result)


def test_nobody_at_risk_is_within():
    """Nobody has the sensitive keys alone: 0 of 0 unique people."""
    study = unveil.Study(ORIGINAL, OTHERS, control=people(N, 9), keys="sex", targets="illness")
    (row,) = [f for f in unveil.assess(study).figures if f.kind == "uniques"]
    assert (row.of, row.status) == (0, "within limit")


def test_a_policy_on_figures_of_the_papers_is_held_beside():
    study = unveil.Study(ORIGINAL, OTHERS, keys=("sex", "age", "region"), targets="illness")
    result = unveil.assess(study, limits={"repU": 0})
    assert [check.figure for check in result.checks] == ["repU"]
    assert result.exit_code == 3
    (check,) = unveil.assess(study, limits={"repU": 100}).checks
    assert check.status == "within limit"


def test_order_of_rows_and_of_columns_changes_no_figure():
    mixed = planted(ORIGINAL, OTHERS, 0.1)
    turned = mixed.sample(fraction=1, shuffle=True, seed=1)
    one, other = assess(mixed), assess(turned, ORIGINAL[::-1])
    assert one.figures == other.figures
    assert ids(one) == ids(other)


def test_nothing_of_a_verdict_is_lost_in_a_file(tmp_path):
    result = assess(planted(ORIGINAL, OTHERS, 0.1))
    loaded = unveil.Result.load(result.save(tmp_path / "gate.json"))
    assert loaded.verdict == result.verdict
    document = result.document()
    assert list(document)[2:5] == ["exit_code", "status", "headline"]


def test_a_limit_of_one_row_is_held_and_a_row_that_is_not_there_refused():
    part = planted(ORIGINAL, OTHERS, 0.0245)
    result = assess(part, limits={"beyond@income": 0})
    assert [(check.subject, check.status) for check in result.checks] == [("income", "above limit")]
    assert result.exit_code == 3
    with pytest.raises(unveil.InputError, match="incme"):
        assess(part, limits={"beyond@incme": 0})


def test_targets_that_files_code_differently_are_listed():
    codes = OTHERS.with_columns(pl.col("illness") + " (code)")
    result = assess(codes, keys=("sex", "age"), targets=("illness", "region"))
    assert "illness" in {row.what for row in result.not_tested}
    assert {f.what for f in result.figures if f.kind == "keys"} == {"region"}
    assert "coding:illness" in ids(result, "decide")


def test_people_of_the_original_are_no_control_sample():
    with pytest.raises(unveil.InputError, match="control sample"):
        assess(OTHERS, control=ORIGINAL[:300])


def test_files_without_a_common_column_are_refused():
    with pytest.raises(unveil.InputError, match="no column in common"):
        assess(OTHERS.rename(lambda name: f"{name}_x"))


@pytest.mark.parametrize("columns", [["sex", "region", "illness"], ["sex"]])
def test_where_all_have_twins_nobody_is_told_from_another(columns):
    result = assess(ORIGINAL[columns], ORIGINAL[columns])
    records = [figure for figure in result.figures if figure.kind == "records"]
    assert {figure.status for figure in records} <= {"cannot reach the limit", "within limit"}
    assert "cannot reach the limit" in {figure.status for figure in records}


@pytest.mark.parametrize("limits", [{"no such": 1}, {"beyond": -1}, {"beyond": "x"}, {"repU": 101}])
def test_a_wrong_limit_is_refused(limits):
    with pytest.raises(unveil.InputError):
        assess(OTHERS, limits=limits)


def test_causes_are_told_with_one_next_step():
    result = assess(ORIGINAL)
    grave = [alert for alert in result.alerts if alert.status == "block"]
    assert {alert.cause for alert in grave} == {"real records"}
    assert len({alert.remedy for alert in grave}) == 1
    assert sum("Cause" in line for line in result.foot) == 1


def test_real_records_are_the_cause_of_the_links_that_they_bring():
    original, others = survey(), survey_synthetic()
    result = assess(pl.concat([original.sample(100, seed=1), others[:4900]]), original)
    assert {alert.cause for alert in result.alerts if alert.status != "review"} == {"real records"}
    exact = assess(others, original)
    assert {alert.cause for alert in exact.alerts if alert.status != "review"} == {"income"}
