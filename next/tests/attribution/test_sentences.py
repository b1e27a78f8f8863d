"""Every number in a sentence, counted again; what is said of releases that disclose, or do not."""

import re

import polars as pl
import pytest

import unveil
from every_call import people
from oracles import taub
from unveil.examples import KEYS, survey, survey_synthetic
from unveil.show.terminal import screen

NUMBERS = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
SURVEY, SYNTHETIC = survey().head(400), survey_synthetic().head(400)
AGE = {"age": {"tolerance": 5}}


def numbers(sentence):
    return [float(number.replace(",", "")) for number in NUMBERS.findall(sentence)]


def pairs(frame, target="health"):
    return [(tuple(row[:-1]), (row[-1],)) for row in frame.select(*KEYS, target).rows()]


def percents(*shares):
    return [round(100 * float(share), 1) for share in shares]


def cap(synthetic, **about):
    study = unveil.Study(SURVEY, synthetic, keys=KEYS, targets="health", **about)
    return unveil.cap(study, groups=("full", "uniques"))


def test_each_number_of_cap_and_tcap_is_counted_again():
    _, full, uniques, certain = cap(SYNTHETIC).sentences
    original, synthetic = pairs(SURVEY), pairs(SYNTHETIC)
    for sentence, chosen in ((full, None), (uniques, taub.uniques(original))):
        story = taub.cap(original, synthetic, chosen)
        drawn = percents(story["cap_synthetic_zero"], story["cap_synthetic_undefined"])
        known = percents(story["cap_baseline"], story["cap_original"])
        assert numbers(sentence) == [story["n"], *drawn, story["n_match"], *known]
    story = taub.tcap(original, synthetic)
    (tcap,) = percents(story["tcap"])
    said = numbers(certain)
    assert said[:3] == [story["n_selected"], story["n_undefined"], tcap]


def test_a_given_baseline_is_not_called_the_shares():
    study = unveil.Study(SURVEY, SYNTHETIC, keys=KEYS, targets="health")
    words = " ".join(unveil.cap(study, baseline=0.25, groups="full", tau=0.5).sentences)
    assert "shares" not in words
    assert words.count("the given baseline would be right in 25.0 %") == 2
    assert "point to their health with at least 50.0 %" in words


def test_a_table_of_shares_is_a_baseline(tmp_path):
    shares = SURVEY["health"].value_counts(normalize=True).rename({"proportion": "share"})
    table = shares.rename({"health": "level"}).with_columns(column=pl.lit("health"))
    table.write_csv(tmp_path / "shares.csv")
    study = unveil.Study(SURVEY, SYNTHETIC, keys=KEYS, targets=("health", "income"))
    by_file, by_frame, plain = (
        unveil.cap(study, baseline=baseline, groups="full")
        for baseline in (tmp_path / "shares.csv", table, None)
    )
    health = {row.target: row for row in plain.cap}["health"]
    for result in (by_file, by_frame):
        rows = {row.target: row for row in result.cap}
        assert rows["health"].cap_baseline == pytest.approx(health.cap_baseline)
        assert rows["income"].cap_baseline is None
        assert any("no share of it in the table" in note.sentence for note in result.notes)
        of_income = [said for said in result.sentences if "income" in said]
        assert all("nothing is told by the given baseline" in said for said in of_income)
    near = {"income": {"tolerance": 200, "special": (-8,)}}
    study = unveil.Study(SURVEY, SYNTHETIC, keys=KEYS, targets="income", columns=near)
    shares = SURVEY["income"].value_counts(normalize=True).rename({"proportion": "share"})
    table = shares.rename({"income": "level"}).with_columns(column=pl.lit("income"))
    given, plain = (unveil.cap(study, baseline=b, groups="full").cap for b in (table, None))
    for row, other in zip(given, plain, strict=True):
        assert row.cap_baseline == pytest.approx(other.cap_baseline), row.unit


def test_a_shuffled_copy_says_as_much_as_the_original():
    row = cap(SURVEY.sample(fraction=1, shuffle=True, seed=1)).cap[0]
    assert row.cap_synthetic_zero == row.cap_synthetic_undefined == row.cap_original
    _, full, *_ = cap(SURVEY.sample(fraction=1, shuffle=True, seed=1)).sentences
    assert "utility" not in full


def test_half_the_real_records_are_not_called_a_matter_of_utility():
    away = SYNTHETIC.tail(200).with_columns(age=pl.col("age") + 100)
    half = pl.concat([SURVEY.head(200), away])
    study = unveil.Study(SURVEY, half, keys=KEYS, targets="condition")
    (_, full, *_) = unveil.cap(study, groups="full").sentences
    _, drawn, matched, _, base, _ = numbers(full)
    assert drawn < base  # by itself this looks like no risk
    assert matched > base + 10
    assert "utility" not in full


def test_keys_that_tell_nothing_are_a_matter_of_utility_too():
    (_, full, *_) = cap(SURVEY.with_columns(health=pl.lit("very poor"))).sentences
    assert "Matches are no better than the shares alone, a matter of utility too." in full


def test_nobody_to_draw_is_said():
    away = SYNTHETIC.with_columns(region=pl.col("region").reverse(), sex=pl.col("sex").reverse())
    nobody = away.join(SURVEY, on=KEYS, how="anti")
    (_, full, *_) = cap(nobody).sentences
    assert "the synthetic data have nobody's keys" in full


def gtcap(synthetic, **about):
    study = unveil.Study(SURVEY, synthetic, keys=KEYS, targets="health", columns=AGE, **about)
    return unveil.gtcap(study)


def test_gtcap_speaks_of_nearness_and_counts_who_is_given_away():
    result = gtcap(SYNTHETIC)
    row, scores = result.gtcap[0], result.records()["GTCAP"]
    (said,) = result.sentences
    near = sum(score >= 0.75 for score in scores)
    mean = round(sum(scores) / len(scores), 3)
    assert numbers(said)[:6] == [mean, row.uniques, 0, 1, 0.75, near]
    assert numbers(said)[6:] == [round(row.baseline_mean, 2), row.unmatched]
    assert not re.search("right|correct", said)


def test_gtcap_of_a_shuffled_copy_is_1_and_all_are_given_away():
    result = gtcap(SURVEY.sample(fraction=1, shuffle=True, seed=1))
    row = result.gtcap[0]
    assert pytest.approx(1) == row.GTCAP
    assert f"0.75 or more for {row.uniques - row.dropped} of them" in result.sentences[0]


def test_noise_on_a_key_does_not_hide_a_copy():
    noisy = SURVEY.with_columns(age=pl.col("age") + 0.25)
    study = unveil.Study(SURVEY, noisy, keys=KEYS, targets="health", columns=AGE)
    assert unveil.gtcap(study).gtcap[0].GTCAP > 0.9
    with pytest.raises(unveil.InputError, match="'age' has no value in common"):
        unveil.cap(study)


def test_gtcap_without_a_tolerance_or_a_unique():
    study = unveil.Study(SURVEY, SYNTHETIC, keys=KEYS, targets="health")
    with pytest.raises(unveil.InputError, match="number with a tolerance"):
        unveil.gtcap(study)
    several = pl.concat([SURVEY, SURVEY])
    study = unveil.Study(several, SYNTHETIC, keys=KEYS, targets="health", columns=AGE)
    result = unveil.gtcap(study)
    assert (result.gtcap[0].uniques, result.gtcap[0].GTCAP) == (0, None)
    assert "is not measured" in result.sentences[0]
    assert result.check({"GTCAP": 0.5})[0].status == "within limit"  # nobody is concerned


def differences(synthetic, **settings):
    whole = survey()
    study = unveil.Study(
        whole.gather_every(2), synthetic, control=whole.gather_every(2, 1), keys=KEYS,
        targets="health",
    )  # fmt: skip
    return unveil.differential_confidentiality(study, **settings)


def test_a_small_difference_is_not_called_none():
    result = differences(survey_synthetic())
    row, (said,) = result.difference[0], result.sentences
    shares = percents(row.training, row.control, row.difference)
    ends = percents(row.low, row.high)
    assert row.low < 0 < row.high
    wanted = [shares[0], row.training_people, shares[1], row.control_people, shares[2], 95, *ends]
    assert numbers(said) == wanted
    assert said.endswith("This does not show that there is no difference.")
    inside = differences(survey_synthetic(), margin=0.05).sentences[0]
    assert inside.endswith("The interval lies within 5 points of 0.")


def test_training_records_are_noticed():
    result = differences(survey().gather_every(2).sample(fraction=1, shuffle=True, seed=1))
    row = result.difference[0]
    assert row.low > 0.3
    assert result.sentences[0].endswith(
        "Were there no difference, 2.5 % of such intervals would lie above 0."
    )


def test_a_difference_is_not_denied_where_others_are_told_more_of():
    copy_of_others = survey().gather_every(2, 1)
    row, said = (r := differences(copy_of_others, margin=0.9)).difference[0], r.sentences[0]
    assert row.high < 0
    assert "does not show" not in said
    assert said.endswith(
        "2.5 % of such intervals would lie below 0. The interval lies within 90 points of 0."
    )


def test_few_key_combinations_have_no_interval():
    study = unveil.Study(people(1), people(2), control=people(3), keys="sex", targets="health")
    result = unveil.differential_confidentiality(study, margin=0.5)
    assert (result.difference[0].low, result.difference[0].equivalent) == (None, None)
    assert "cannot be told" in result.sentences[0]
    assert any("fewer than 20 key combinations" in note.sentence for note in result.notes)


def test_special_uniques_who_are_all_uniques_are_noted():
    study = unveil.Study(SURVEY, SYNTHETIC, keys=("age", "sex"), targets="health")
    groups = {row.group: row for row in unveil.cap(study).cap}
    assert groups["special"].people == groups["uniques"].people
    assert any("say nothing here" in note.sentence for note in unveil.cap(study).notes)


def test_special_uniques_are_the_top_tenth():
    study = unveil.Study(survey(), survey_synthetic(), keys=KEYS, targets="health")
    people_of = {row.group: row.people for row in unveil.cap(study).cap}
    assert people_of == {"full": 5000, "uniques": 1963, "special": 221}  # as in 0.1


def test_first_screens_are_short_and_the_last_pool_is_shown():
    copies = [people(seed) for seed in range(2, 6)]
    study = unveil.Study(
        people(1), {"a": copies, "b": copies[:2]}, control=people(9),
        keys=("sex", "age", "region"), targets=("health", "income"),
        columns={"income": {"tolerance": 200}, "age": {"tolerance": 10}},
    )  # fmt: skip
    calls = (unveil.cap, unveil.gtcap, unveil.differential_confidentiality)
    results = [call(study) for call in calls]
    lines = screen(results, (), (), "unveil cap").splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    first = results[0].table("cap").first_rows
    assert {(row.version, row.m) for row in first} == {("a", 4), ("b", 2)}
    drawn = results[0].chart("cap_by_m")["data"]["values"]
    assert {datum["m"] for datum in drawn} == {1, 2, 3, 4}
