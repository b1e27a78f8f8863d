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


WITH_TEXT = ORIGINAL.with_columns(
    age=pl.when(pl.int_range(N) < 8).then(pl.lit("85+")).otherwise(pl.col("age").cast(pl.String))
)
NOT_ALL = pl.int_range(N) % 10 < 9
WRITTEN_OTHERWISE = {
    "capitals in most keys": (
        ORIGINAL, "region", pl.when(NOT_ALL).then(pl.col("region").str.to_uppercase())
        .otherwise(pl.col("region")),
    ),
    "one target in capitals": (ORIGINAL, "illness", pl.col("illness").replace({"flu": "Flu"})),
    "an accent in a key": (ORIGINAL, "region", pl.col("region").replace({"a": "á", "e": "é"})),
    "1.0 for 1": (
        ORIGINAL.with_columns(pl.col("age").cast(pl.String)), "age", pl.col("age") + ".0",
    ),
    "1.0 for 1, and a text": (
        WITH_TEXT, "age",
        pl.when(pl.col("age") != "85+").then(pl.col("age") + ".0").otherwise(pl.col("age")),
    ),
    "dust": (ORIGINAL, "weight", pl.col("weight") * 3 / 3),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
def test_what_keys_tell_is_never_within_where_a_file_writes_them_otherwise(name):
    """Each record is another person's and would be quiet, but it is not told."""
    original, column, written = WRITTEN_OTHERWISE[name]
    others = OTHERS.with_columns(age=original["age"]).with_columns(written.alias(column))
    keys = ("sex", "weight") if column == "weight" else ("sex", "age", "region")
    result = assess(others, original, keys=keys, targets="illness")
    assert f"coding:{column}" in ids(result, "decide")
    assert result.exit_code == 4
    quiet = [f for f in result.figures if f.kind == "keys" and f.status == "within limit"]
    assert not quiet
    assert "illness" in {row.what for row in result.not_tested}
    uniques = {f.kind for f in result.figures} & {"uniques"}
    is_key = column != "illness"
    assert bool(uniques) != is_key
    assert ("unique in both files" in {row.what for row in result.not_tested}) == is_key


def test_what_keys_tell_too_much_however_they_are_written_stays():
    written = ORIGINAL.with_columns(pl.col("illness").replace({"flu": "Flu"}))
    keys = ("sex", "age", "region", "visits")
    result = assess(written, keys=keys, targets="illness", limits={"beyond": 1})
    above = {f.what for f in result.figures if f.kind == "keys" and f.status == "above limit"}
    assert above == {"illness"}


def test_the_margin_of_keys_has_the_variance_of_a_person_more():
    about = {"keys": ("sex", "age"), "targets": ("illness", "visits")}
    study = unveil.Study(ORIGINAL, OTHERS, **about)
    alone = {(f.what, f.symbol): f for f in unveil.disclosure(study, seed=1).figures}
    told = [f for f in unveil.assess(study, seed=1).figures if f.kind == "keys"]
    assert len(told) == 4
    for row in told:
        same = alone[row.what, row.symbol]
        assert (row.people, row.expected) == (same.people, same.expected)
        assert row.margin**2 == pytest.approx(same.margin**2 + 1.96**2)
        assert row.searched == 4


def test_of_two_versions_the_other_is_told():
    both = {"good": OTHERS, "bad": OTHERS.with_columns(pl.col("region").replace({"a": "A"}))}
    result = assess(both, keys=("sex", "age", "region"), targets="illness")
    assert {f.version for f in result.figures if f.kind in ("keys", "uniques")} == {"good"}
    assert "illness" in {row.what for row in result.not_tested}


def test_numbers_that_nobody_asks_about_may_be_written_otherwise():
    dusty = OTHERS.with_columns(pl.col("weight") * 3 / 3)
    assert assess(dusty, keys=("sex", "age"), targets="illness").exit_code == 0


@pytest.mark.parametrize("synthetic", [OTHERS, ORIGINAL])
def test_a_sample_is_said_to_be_one(synthetic, monkeypatch):
    """300 of 1,200 people and records for links, 100 records for nearness."""
    monkeypatch.setattr("unveil.gate.links.MOST_ROWS", 300)
    monkeypatch.setattr("unveil.gate.alerts.WORK", 0)
    result = assess(synthetic)
    said = {row.what: row.sentence for row in result.not_tested}
    assert said["links of all"].startswith(
        "Links are asked of 300 of 1,200 people and 300 of 1,200 records, drawn at random"
    )
    assert "25.0 %" in said["links of all"]
    near = "Nearness is asked of 100 of 1,200 records, drawn at random."
    assert said["nearness of all"] == near
    assert any(near in line for line in result.foot)
    linked = [f for f in result.figures if f.kind == "links"]
    assert linked
    assert all(f.of == N and f.people % 4 == 0 for f in linked)
    assert (result.exit_code == 3) == (synthetic is ORIGINAL)
    if synthetic is ORIGINAL:  # whose search goes on to triples
        assert all(0.9 * f.beyond <= f.reach <= f.beyond < N / 3 for f in linked)


def test_more_records_than_people_are_drawn_and_that_is_said():
    said = {row.what: row.sentence for row in assess(people(2 * N, 3)).not_tested}
    assert "1,200 of 1,200 people and 1,199 of 2,400 records" in said["links of all"]
    assert "nearness of all" not in said
    assert "links of all" not in {row.what for row in assess(OTHERS).not_tested}


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


def waves(seed):
    """Three records of each of 400 people, whose income stays."""
    first = people(400, seed).with_columns(patient=pl.int_range(400))
    others = [people(400, seed + k).select("visits", "weight") for k in (20, 40)]
    return pl.concat([first, *(first.with_columns(*wave.get_columns()) for wave in others)])


def test_people_copied_with_all_their_records_are_found_and_series_are_not_tested():
    original, others = waves(1), waves(2)
    ids_of = pl.col("patient")
    copied = pl.concat([others.filter(ids_of >= 60), original.filter(ids_of < 60)])
    about = {"columns": {"patient": "person"}}
    assert assess(others, original, **about).exit_code == 0
    result = assess(copied, original, **about)
    assert result.exit_code == 3
    told = {figure.what: figure.people for figure in result.figures if figure.kind == "links"}
    assert told["income"] >= 55
    said = {row.what: row.sentence for row in result.not_tested}
    assert "series" in said
    assert said["links of all"].startswith("Links are asked of one record of each person")


def test_codes_with_letters_are_no_numbers_and_gaps_are_said_to_be_missing():
    numbered = pl.int_range(10**6, 10**6 + N)
    coded = ORIGINAL.with_columns(case=pl.format("C-{}", numbered))
    bare = OTHERS.with_columns(case=numbered)
    sentences = [alert.sentence for alert in assess(bare, coded).alerts]
    assert "case is a text in the original and a number in the synthetic data." in sentences
    gaps = OTHERS.with_columns(
        pl.when(pl.int_range(N) % 3 > 0).then(pl.col("illness")).alias("illness")
    )
    sentences = [alert.sentence for alert in assess(gaps).alerts]
    assert "illness is missing in 33.3 % of records and for nobody." in sentences


def test_beside_a_control_sample_more_claims_alone_tell_nothing_of_anyone():
    """Own incomes reappear among shuffled columns, so more is claimed of the people used."""

    def exact(frame, seed):
        income = np.random.default_rng(seed).integers(10_000, 90_000, len(frame))
        rare = pl.when(pl.col("illness") == "none").then(pl.lit("no")).otherwise(pl.lit("yes"))
        return frame.with_columns(income=income, ill=rare).drop("rent", "weight")

    original, control = exact(ORIGINAL, 1), exact(OTHERS, 2)
    shuffled = drawn_anew(original, *original.columns)
    result = assess(shuffled, original, control=control)
    assert {f.status for f in result.figures if f.kind == "links"} <= {
        "within limit", "cannot reach the limit",
    }  # fmt: skip
    assert assess(original, original, control=control).exit_code == 3


def test_a_copy_with_gaps_is_one_of_real_records_whatever_columns_link_it():
    random = np.random.default_rng(3)
    gaps = ORIGINAL.with_columns(
        pl.when(pl.Series(random.random(N) < 0.3)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ORIGINAL.columns
    )
    result = assess(gaps)
    assert result.exit_code == 3
    grave = [alert for alert in result.alerts if alert.status == "block" and alert.cause]
    assert {alert.cause for alert in grave} == {"real records"}
