"""Recoding beside its definitions, value by value; uniques left out."""

from datetime import date
from math import floor
from random import Random

import polars as pl
import pytest

import unveil
from oracles import recoding as oracle


def files(n=120):
    """An original, synthetic data and a control sample of keys, numbers with a code, and days."""
    frames = {}
    for seed, role in enumerate(("original", "synthetic", "control")):
        chance = Random(seed)
        frames[role] = pl.DataFrame({
            "sex": chance.choices("fm", k=n),
            "region": chance.choices(["Ash", "Birch", "Elm", "Yew", None], (60, 30, 6, 2, 2), k=n),
            "age": [chance.randint(18, 80) for _ in range(n)],
            "income": [chance.choice([-8, None, *(x / 10 for x in range(9000, 9900, 37))])
                       for _ in range(n)],
            "seen": [date(2025, chance.randint(1, 12), chance.randint(1, 28)) for _ in range(n)],
        })  # fmt: skip
    return frames


def study(**about):
    return unveil.Study(
        **files(), keys=("sex", "region", "age"), columns={"income": {"special": (-8,)}}, **about
    )


def recoded(*steps, **about):
    result = unveil.recode(study(**about), steps, seed=1)
    made = result.study
    return result, {"original": made.original, "synthetic": made.synthetic["", 1],
                    "control": made.control}  # fmt: skip


def column(frames, name):
    return {role: frame[name].to_list() for role, frame in frames.items()}


def assert_each_file(step, name, expected):
    """Each file's column is what is expected of its values and the original's."""
    before = column(files(), name)
    after = column(recoded(step)[1], name)
    for role, values in before.items():
        assert after[role] == expected(values, before["original"]), role


def known(values):
    return [value for value in values if value is not None and value != -8]


@pytest.mark.parametrize("top", [True, False])
def test_a_limit_that_is_named_holds_in_every_file(top):
    do = "top_code" if top else "bottom_code"
    assert_each_file(
        {"do": do, "column": "income", "at": 930.5}, "income",
        lambda values, _: oracle.cut_off(values, 930.5, [-8], top=top),
    )  # fmt: skip


@pytest.mark.parametrize("share", [0.9, 0.95, 0.99])
def test_a_quantile_is_that_of_somebody_in_the_original(share):
    def expected(values, original):
        ranked = sorted(known(original))
        at = ranked[floor(oracle.exact(share) * (len(ranked) - 1))]
        assert at <= oracle.quantile(ranked, share)
        return oracle.cut_off(values, at, [-8], top=True)

    assert_each_file({"do": "top_code", "column": "income", "quantile": share}, "income", expected)


@pytest.mark.parametrize("to", [0.5, 5, 100, 0.1])
def test_halves_are_rounded_away_from_zero(to):
    assert_each_file(
        {"do": "round", "column": "income", "to": to}, "income",
        lambda values, _: [
            None if v is None else pytest.approx(v, rel=1e-12)
            for v in oracle.rounded(values, to, [-8])
        ],
    )  # fmt: skip
    frame = pl.DataFrame({"x": [2.5, -2.5, 0.5, 1.4999999, 2e9 + 0.4]})
    rounded = unveil.recode(unveil.Study(frame), [{"do": "round", "column": "x", "to": 1}]).study
    assert rounded.original["x"].to_list() == [3, -3, 1, 1, 2_000_000_000]


def test_levels_of_few_records_of_the_original_become_one_in_every_file():
    rare = {level for level in ("Elm", "Yew") if files()["original"]["region"].eq(level).sum() < 20}
    assert rare
    assert_each_file(
        {"do": "merge_rare", "column": "region", "below": 20, "into": "elsewhere"}, "region",
        lambda values, _: ["elsewhere" if value in rare else value for value in values],
    )  # fmt: skip
    assert column(files(), "region")["original"] != oracle.rare_into_one(
        column(files(), "region")["original"], 20, "elsewhere"
    )


def test_levels_that_are_named_become_one():
    assert_each_file(
        {"do": "merge", "column": "region", "levels": ["Ash", "Yew"], "into": "trees"}, "region",
        lambda values, _: ["trees" if value in ("Ash", "Yew") else value for value in values],
    )  # fmt: skip


def test_bands_hold_their_lower_limit_and_may_have_names():
    step = {"do": "band", "column": "age", "bands": [30, 65], "labels": ["young", "middle", "old"]}
    assert_each_file(
        step, "age",
        lambda values, _: ["young" if v < 30 else "old" if v >= 65 else "middle" for v in values],
    )  # fmt: skip
    assert recoded(step)[0].study.columns.get("age", unveil.Column()).bands is None


@pytest.mark.parametrize("period", ["month", "quarter", "year"])
def test_a_date_becomes_the_first_day_of_its_period(period):
    assert_each_file(
        {"do": "coarsen_date", "column": "seen", "to": period}, "seen",
        lambda values, _: [oracle.first_day(day, period) for day in values],
    )  # fmt: skip


def test_outliers_are_left_out_of_what_is_released_and_nobody_at_risk_after_synthesis():
    """Before synthesis their records are not used; afterwards they were."""
    step = {"do": "drop_outliers", "column": "income", "quantile": 0.9}
    low, high = oracle.fences(known(files()["original"]["income"]), share=0.9)

    def staying(frame):
        return [v for v in frame["income"] if v is None or v == -8 or low <= v <= high]

    frames = recoded(step)[1]
    assert frames["synthetic"]["income"].to_list() == staying(files()["synthetic"])
    for role in ("original", "control"):
        assert frames[role].equals(files()[role])
    alone = unveil.Study(files()["original"], columns={"income": {"special": (-8,)}})
    made = unveil.recode(alone, [step]).study
    assert made.original["income"].to_list() == staying(files()["original"])


def test_uniques_of_the_original_do_not_leave_the_count_after_synthesis():
    """Else a copy would look as if it disclosed nobody."""
    with pytest.raises(unveil.InputError, match="before synthesis"):
        unveil.remove_uniques(study(), which="original")
    with pytest.raises(unveil.InputError, match=r"step 1 .*before synthesis"):
        recoded({"do": "remove_uniques", "which": "original"})
    alone = unveil.Study(files()["original"], keys=("sex", "region", "age"))
    made = unveil.recode(alone, [{"do": "remove_uniques"}])
    n = oracle.key_figures(alone.original.select("sex", "region", "age").rows())["uniques"]
    assert (made.steps[-1].changed, made.steps[-1].uniques) == (n, 0)
    assert len(made.study.original) == 120 - n


def test_outliers_move_along_the_same_way_in_every_file_and_never_cross_the_quantile():
    step = {"do": "perturb_outliers", "column": "income", "quantile": 0.9, "spread": 0.5}
    low, high = oracle.fences(known(files()["original"]["income"]), share=0.9)
    moved = {}
    for role, frame in recoded(step)[1].items():
        for before, after in zip(files()[role]["income"], frame["income"], strict=True):
            assert moved.setdefault(before, after) == after
    for before, after in moved.items():
        if before is None or before == -8 or low <= before <= high:
            assert after == before
        else:
            fence = high if before > high else low
            assert 0.4 <= (after - fence) / (before - fence) <= 1.6  # rounded to tenths


def test_a_smoothed_number_stays_near_its_rank_and_off_the_ends():
    original = pl.DataFrame({"x": [float(Random(3).gauss(0, 1) * 1000 + k * 7) for k in range(60)]})
    made = unveil.recode(unveil.Study(original), [{"do": "smooth", "columns": "x"}], seed=2).study
    ranked = sorted(original["x"])
    for before, after in zip(original["x"], made.original["x"], strict=True):
        at = ranked.index(before)
        low, high = ranked[max(at - 5, 4)] if at > 4 else ranked[4], ranked[min(at + 5, 55)]
        assert min(low, ranked[55]) - 1e-6 <= after <= max(high, ranked[4]) + 1e-6


def test_columns_that_are_dropped_are_in_no_file_and_no_key():
    made = unveil.recode(study(), [{"do": "drop", "columns": ["age", "income"]}]).study
    assert made.keys == ("sex", "region")
    assert all(not {"age", "income"} & {*f.frame.columns} for f in made.files)


def test_after_each_step_it_is_counted_who_is_unique():
    steps = [{"do": "band", "column": "age", "bands": 4}, {"do": "remove_uniques"}]
    result, _ = recoded(*steps)
    frames = [files(), recoded(steps[0])[1], recoded(*steps)[1]]
    for row, of in zip(result.steps, frames, strict=True):
        keys = [frame.select("sex", "region", "age").rows() for frame in of.values()]
        figures = oracle.key_figures(*keys[:2])
        assert row.uniques == figures["uniques"]
        assert row.repU == pytest.approx(100 * figures["replicated"] / len(keys[0]), rel=1e-12)
    assert result.steps[-1].repU == 0
    before, after = result.steps[0].uniques, result.steps[-1].uniques
    assert result.sentences == (
        f"{before:,.0f} of 120 people were unique on the keys in the original; after these steps"
        f" {after:,.0f} are.",
        f"Unique in both files: from {result.steps[0].repU:.1f} % to 0.0 % (repU, possible"
        " matches).",
    )


def test_like_is_compared_with_like_a_copy_stays_a_copy():
    """Recoding hides no copy: what is released and what is compared are recoded the same way."""
    original = files()["original"]
    steps = [{"do": "round", "column": "income", "to": 50}, {"do": "smooth", "columns": "income"}]
    copy = original.sample(fraction=1, shuffle=True, seed=5)
    made = unveil.recode(unveil.Study(original, copy, keys=("sex", "age")), steps, seed=1).study
    assert sorted(made.original.rows(), key=repr) == sorted(made.synthetic["", 1].rows(), key=repr)


def test_replicated_uniques_are_left_out_of_the_synthetic_data():
    result = unveil.remove_uniques(study())
    keys = {role: frame.select("sex", "region", "age").rows() for role, frame in files().items()}
    out = set(oracle.replicated(keys["original"], keys["synthetic"])["replicated"])
    assert result.removal[0].replicated == result.removal[0].removed == len(out) > 0
    stay = [row for n, row in enumerate(files()["synthetic"].rows(), 1) if n not in out]
    assert result.study.synthetic["", 1].rows() == stay
    (identity,) = unveil.disclosure(result.study, expected=False).identity
    assert identity.repU == 0
    assert f"{len(out):,} synthetic records are left out" in result.sentences[0]


def test_who_has_several_records_is_unique_as_a_person():
    """p1 has both records of 'f'; p2 and p3 share 'm'."""
    frame = pl.DataFrame({"who": ["p1", "p1", "p2", "p3"], "sex": ["f", "f", "m", "m"]})
    asked = {"keys": "sex", "columns": {"who": "person"}}
    result = unveil.remove_uniques(unveil.Study(frame, **asked), which="original")
    assert result.removal[0].original_uniques == 1
    assert result.study.original["sex"].to_list() == ["m", "m"]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"do": "tpo_code", "column": "age"}, "top_code"),
        ({"column": "age"}, "Choose from"),
        ({"do": "top_code", "column": "age"}, "at"),
        ({"do": "top_code", "column": "age", "at": 60, "quantile": 0.9}, "quantile"),
        ({"do": "top_code", "column": "age", "att": 60}, "att"),
        ({"do": "round", "column": "sex", "to": 5}, "no numbers"),
        ({"do": "round", "column": "age", "to": 0}, "to"),
        ({"do": "band", "column": "age", "bands": [30], "labels": ["one"]}, "labels"),
        ({"do": "merge", "column": "sex", "levels": ["x"], "into": "y"}, "in no file"),
        ({"do": "coarsen_date", "column": "age", "to": "year"}, "no dates"),
        ({"do": "drop_outliers", "column": "age", "quantile": 0.4}, "quantile"),
        ({"do": "drop", "columns": ["nowhere"]}, "no column"),
        ({"do": "smooth", "columns": ["sex"]}, "no numbers"),
    ],
)
def test_a_wrong_step_is_refused_by_its_number(step, words):
    with pytest.raises(unveil.InputError, match=r"step 2") as refusal:
        unveil.recode(study(), [{"do": "round", "column": "age", "to": 5}, step])
    assert words in str(refusal.value)


def test_nothing_is_left_of_a_file_of_uniques_alone():
    frame = pl.DataFrame({"x": [1, 2, 3]})
    with pytest.raises(unveil.InputError, match="No record of the original would be left"):
        unveil.remove_uniques(unveil.Study(frame, keys="x"), which="original")
