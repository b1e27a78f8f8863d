"""Inference: by hand, against comparing every pair, laws, and what the risk is without a leak."""

from datetime import date
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from measure.attacks.attacked import NAMES, SPECIALS, frame, long_frame, people, tables
from oracles import attacks as oracle
from profiles import examples
from unveil.errors import RolesError
from unveil.measure.attacks import inference_scores
from unveil.measure.attacks.inference import inference
from unveil.measure.cap.gcap import gcap
from unveil.models.neighbours import search
from unveil.models.neighbours.distances import Gower

PIECEMEAL = ((1, 3), 1)
"""One person at a time, three of the copy at a time."""


def successes(found, secret):
    (row,) = [row for row in found.rows if row.target == secret and row.group is None]
    return row.main_successes, row.naive_successes, row.control_successes


def expected(persons, copy, keys, secret, every_table):
    spans = oracle.ranges(every_table, SPECIALS)
    given_keys = [NAMES.index(key) for key in keys]
    place = NAMES.index(secret)
    share = sum(
        oracle.inferred(p, copy, keys=given_keys, secret=place, spans=spans, specials=SPECIALS)
        for p in persons
    )
    naive = sum(oracle.guessed(p, copy, secret=place, specials=SPECIALS) for p in persons)
    return float(share), float(naive)


def vary(rows, keys):
    return any(len({row[NAMES.index(key)] for row in rows}) > 1 for key in keys)


def mixed(n, seed, *, copied=None):
    """Independent people; or a copy of some."""
    rng = np.random.default_rng(seed)
    made = pl.DataFrame(
        {
            "x": rng.normal(size=n),
            "y": rng.integers(0, 9, n),
            "c": rng.choice(["a", "b", "c"], n),
            "d": rng.choice(["p", "q"], n),
        }
    )
    return made if copied is None else pl.concat([copied, made])


def test_by_hand():
    # Ages 20 to 60: the range is 40. Person 1 (20, f): the copy's (22, f) is 2/40 away, all others
    # further; it says yes, which is right. Person 2 (60, m): (50, m) is 10/40 away and says no:
    # wrong. Person 3 (40, f): (50, f) twice, 10/40 away, says yes and no: half right.
    original = pl.DataFrame(
        {"age": [20, 60, 40], "sex": ["f", "m", "f"], "ill": ["yes", "yes", "yes"]}
    )
    copy = pl.DataFrame(
        {
            "age": [22, 50, 50, 50],
            "sex": ["f", "m", "f", "f"],
            "ill": ["yes", "no", "yes", "no"],
        }
    )
    found = inference(original, copy, secrets="ill", seed=1)
    # By chance: 2 of the 4 synthetic records say yes.
    assert successes(found, "ill") == (1.5, 1.5, None)
    assert found.rows[0].keys == ("age", "sex")
    assert found.rows[0].method == "nearest records"


@pytest.mark.slow
@examples(60)
@given(tables(1, 6), tables(1, 7), tables(1, 6), st.booleans())
def test_all_secrets_at_once_equal_comparing_every_pair(original, copy, control, small):
    size = min(len(original), len(control))
    every = [original[:size], copy, control[:size]]
    rows = [row for table in every for row in table]
    assume(all(vary(rows, set(NAMES) - {secret}) for secret in NAMES))
    tile, pairs = PIECEMEAL if small else (Gower.tile, search.PAIRS)
    with patch.object(Gower, "tile", tile), patch.object(search, "PAIRS", pairs):
        found = inference(
            frame(original[:size]),
            frame(copy),
            control=frame(control[:size]),
            special_codes={"gain": [-9]},
            seed=1,
        )
    for secret in NAMES:
        keys = [name for name in NAMES if name != secret]
        main, naive = expected(original[:size], copy, keys, secret, every)
        outside, _ = expected(control[:size], copy, keys, secret, every)
        assert successes(found, secret) == pytest.approx((main, naive, outside), abs=1e-12)


@examples(40)
@given(tables(1, 6), tables(1, 7), st.sampled_from([("job", "sex"), ("age",), ("gain", "job")]))
def test_named_keys_equal_comparing_every_pair(original, copy, keys):
    assume(vary(original + copy, keys))
    found = inference(frame(original), frame(copy), keys=keys, special_codes={"gain": [-9]}, seed=1)
    for secret in set(NAMES) - set(keys):
        main, naive = expected(original, copy, keys, secret, [original, copy])
        assert successes(found, secret) == pytest.approx((main, naive, None), abs=1e-12)


@examples(30)
@given(tables(2, 8), tables(2, 8))
def test_with_categorical_keys_it_is_gcap_however_it_is_found(original, copy):
    keys, secret = ["job", "sex"], "age"
    assume(vary(original + copy, keys))
    asked = {"keys": keys, "secrets": secret, "categorical": secret, "seed": 1}
    counted = inference(frame(original), frame(copy), **asked)
    with patch.object(inference_scores, "MOST_GROUPED", 0):
        compared = inference(frame(original), frame(copy), **asked)
    assert counted.rows[0].method == "key combinations"
    assert compared.rows[0].method == "nearest records"
    assert successes(counted, secret) == pytest.approx(successes(compared, secret))
    for name in keys:  # GCAP refuses a key without a level in common
        assume(
            {row[NAMES.index(name)] for row in original} - {None}
            & {row[NAMES.index(name)] for row in copy}
        )
    both = [frame(rows).with_columns(pl.col("age").cast(pl.String)) for rows in (original, copy)]
    whole = gcap(*both, keys=keys, target=secret).record.gcap * len(original)
    assert successes(counted, secret)[0] == pytest.approx(whole)


def test_an_exact_copy_with_unique_keys_is_inferred_perfectly():
    people = mixed(300, 1)
    copy = people.sample(fraction=1, shuffle=True, seed=2)
    found = inference(people, copy, secrets=["y", "c", "d"], seed=1)
    assert [row.main_successes for row in found.rows] == [300, 300, 300]


def test_an_exact_copy_with_ties_is_right_as_often_as_the_keys_settle_the_secret():
    people = mixed(400, 1)
    found = inference(people, people, keys=["c", "d"], secrets="y", categorical="y", seed=1)
    shares = people.select((pl.len().over("c", "d", "y") / pl.len().over("c", "d")).alias("share"))[
        "share"
    ].sum()
    assert found.rows[0].main_successes == pytest.approx(shares)


def test_negative_numbers_are_no_free_successes():
    # A guess of -1 for a truth of 500, and for one of -900: relative to a signed guess both are
    # "within 5 %".
    original = pl.DataFrame({"key": ["a", "b", "c"], "gain": [500, -900, -100]})
    copy = pl.DataFrame({"key": ["a", "b", "c"], "gain": [-1, -1, -96]})
    found = inference(original, copy, keys="key", seed=1)
    assert found.rows[0].main_successes == 1  # -96 for -100


@pytest.mark.parametrize(
    ("truth", "guess", "right"),
    [(100, 95, 1), (100, 105, 1), (100, 94, 0), (100, 106, 0), (0, 0, 1), (0, 0.001, 0),
     (-60, -57, 1), (-60, -56.9, 0), (1.4, 1.33, 1)],
)  # fmt: skip
def test_the_tolerance_is_a_share_of_the_truth(truth, guess, right):
    original = pl.DataFrame({"key": ["a", "b"], "gain": [float(truth), 1e6]})
    copy = pl.DataFrame({"key": ["a", "b"], "gain": [float(guess), -1e6]})
    assert inference(original, copy, keys="key", seed=1).rows[0].main_successes == right


def test_an_absolute_tolerance_counts_in_the_unit_of_the_column():
    original = pl.DataFrame({"key": ["a", "b", "c"], "gain": [100, 200, 0]})
    copy = pl.DataFrame({"key": ["a", "b", "c"], "gain": [103, 204, 3]})
    found = inference(original, copy, keys="key", absolute={"gain": 3}, seed=1)
    assert found.rows[0].main_successes == 2


def test_special_codes_and_missing_values_are_right_for_themselves_alone():
    original = pl.DataFrame({"key": ["a", "b", "c"], "gain": [-9, None, -9]})
    copy = pl.DataFrame({"key": ["a", "b", "c"], "gain": [-9.1, None, -9]})
    found = inference(original, copy, keys="key", special_codes={"gain": [-9]}, seed=1)
    assert found.rows[0].main_successes == 2


def test_dates_are_as_far_apart_as_their_days():
    days = [date(2020, 1, 1), date(2020, 1, 10), date(2020, 2, 1)]
    original = pl.DataFrame({"born": days[:1], "ill": ["yes"]})
    copy = pl.DataFrame({"born": days[1:], "ill": ["yes", "no"]})
    assert inference(original, copy, secrets="ill", seed=1).rows[0].main_successes == 1


def test_groups_have_their_own_rates_over_those_attacked():
    people, others = mixed(200, 1), mixed(200, 2)
    found = inference(
        people, people, control=others, secrets="c", keys=["x", "y"], groups=True, seed=1
    )
    whole, *groups = found.rows
    assert [row.group for row in groups] == ["a", "b", "c"]
    assert sum(row.main_successes for row in groups) == pytest.approx(whole.main_successes)
    assert sum(row.n_found for row in groups) == whole.n_found == 200
    assert sum(row.n_control for row in groups) == whole.n_control
    counts = dict(people["c"].value_counts().iter_rows())
    for row in groups:
        # The naive guess of a group is the share of its value in the copy.
        assert row.naive_successes == pytest.approx(counts[row.group] ** 2 / 200)


def test_a_group_that_the_control_does_not_have_is_not_computable():
    original = pl.DataFrame({"key": ["a", "b"], "ill": ["yes", None]})
    control = pl.DataFrame({"key": ["a", "b"], "ill": ["yes", "yes"]})
    found = inference(original, original, control=control, keys="key", groups=True, seed=1)
    _, yes, missing = found.rows
    assert (yes.group, yes.n_found, yes.n_control) == ("yes", 1, 2)
    assert (missing.group, missing.R, missing.interval) == ("(missing)", None, None)
    assert (
        "No one attacked in the control has this value, so R is not computable." in missing.warnings
    )


def test_a_secret_of_very_many_values_has_no_groups_and_says_so():
    people = mixed(100, 1)
    found = inference(people, people, secrets="x", groups=True, seed=1)
    assert len(found.rows) == 1
    assert found.rows[0].warnings[0] == (
        "There are no groups: 'x' has 100 values, and groups are shown for 50 at most."
    )


def test_both_sides_are_of_one_size_and_the_seed_is_kept():
    people, others = mixed(200, 1), mixed(50, 2)
    found = inference(people, people, control=others, secrets="c")
    row = found.rows[0]
    assert (row.n_requested, row.n_found, row.n_control) == (None, 50, 50)
    assert found.record.warnings == (
        "Only 50 of 200 original records were attacked: as many as there are control records, so"
        " that both sides are of one size.",
    )
    again = inference(people, people, control=others, secrets="c", seed=found.record.seed)
    assert again.record == found.record


def test_another_seed_attacks_others():
    people, copy = mixed(200, 1), mixed(200, 2)
    successes_of_seeds = {
        inference(people, copy, secrets="c", n=50, seed=seed).rows[0].main_successes
        for seed in range(6)
    }
    assert len(successes_of_seeds) > 1


def test_more_than_there_are_is_all_of_them():
    people = mixed(20, 1)
    row = inference(people, people, secrets="c", n=500, seed=1).rows[0]
    assert (row.n_requested, row.n_found) == (500, 20)


def test_records_that_control_and_original_share_are_counted_and_told():
    people = mixed(20, 1)
    control = pl.concat([people[:3], mixed(17, 2)])
    found = inference(people, people, control=control, secrets="c", seed=1)
    assert found.record.n_shared_with_control == 3
    assert found.record.warnings == (
        "Control records that equal an original record in every compared column: 3 (15.0 %). If"
        " these are the same people, the control sample is invalid, and R is too low.",
    )


def test_the_order_of_rows_and_the_names_of_levels_do_not_matter():
    people, copy, others = mixed(60, 1), mixed(80, 2), mixed(60, 3)
    plain = inference(people, copy, control=others, seed=1)
    shuffled = [f.sample(fraction=1, shuffle=True, seed=4) for f in (people, copy, others)]
    renamed = [
        f.with_columns(pl.col("c").replace({"a": "z", "b": "y", "c": "x"})) for f in shuffled
    ]
    again = inference(renamed[0], renamed[1], control=renamed[2], seed=1)
    for row, other in zip(plain.rows, again.rows, strict=True):
        assert other.main_successes == pytest.approx(row.main_successes)
        assert other.control_successes == pytest.approx(row.control_successes)


def test_threads_change_nothing(monkeypatch):
    people, copy = mixed(100, 1), mixed(300, 2)
    monkeypatch.setattr(search, "PAIRS", 3000)
    several = inference(people, copy, seed=1)
    monkeypatch.setattr(search, "MOST_THREADS", 1)
    assert inference(people, copy, seed=1).to_json() == several.to_json()


def test_progress_is_told():
    said = []
    people = mixed(30, 1)
    inference(people, people, seed=1, progress=lambda *step: said.append(step))
    assert any(what == "searching the nearest records" for what, _, _ in said)


@pytest.mark.slow
def test_independent_data_has_an_interval_that_covers_0_as_often_as_it_says():
    covered = 0
    for seed in range(200):
        people, copy, others = (mixed(120, 3 * seed + part) for part in range(3))
        found = inference(people, copy, control=others, secrets="c", keys=["x", "d"], seed=seed)
        low, high = found.rows[0].interval
        covered += low <= 0 <= high
    assert 181 <= covered <= 198


@pytest.mark.slow
@pytest.mark.parametrize("part", [2, 4])
def test_a_smaller_control_moves_the_mean_of_r_by_less_than_two_standard_errors(part):
    differences = []
    for seed in range(30):
        people, others = mixed(160, 2 * seed), mixed(160, 2 * seed + 1)
        copy = mixed(160, 1000 + seed, copied=people[:30])
        whole, cut = (
            inference(people, copy, control=c, secrets="c", keys=["x", "d"], seed=seed).rows[0].R
            for c in (others, others[: 160 // part])
        )
        differences.append(cut - whole)
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 2 * error


def test_single_precision_breaks_no_tie():
    original = pl.DataFrame({"a": [0.1, 0.2, 0.7], "s": ["x", "y", "z"]})
    copy = pl.DataFrame({"a": [0.0, 0.4, 1.0], "s": ["x", "y", "z"]})
    for kind in (pl.Float64, pl.Float32):
        (row,) = inference(
            original.with_columns(pl.col("a").cast(kind)), copy, secrets="s", seed=1
        ).rows
        assert row.main_successes == 2  # 0.2 and 0.7 each lie in the middle of two


def test_without_a_tolerance_large_whole_numbers_are_told_apart():
    large = 2**60
    original = pl.DataFrame({"k": [1, 2], "s": [large, large + 1]})
    copy = pl.DataFrame({"k": [1, 2], "s": [large + 1, large + 1]})
    (row,) = inference(original, copy, secrets="s", tolerance=0, seed=1).rows
    assert row.main_successes == 1


def test_codes_with_a_distance_are_refused():
    with pytest.raises(RolesError) as fault:
        inference(mixed(9, 1), mixed(9, 2), categorical="x", absolute={"x": 1}, seed=1)
    assert str(fault.value) == (
        "'x' cannot be categorical and have an absolute tolerance: codes are the same or not,"
        " never near. Remove it from one of the two."
    )


def test_columns_can_be_left_out():
    people = mixed(30, 1).with_row_index("id")
    names = [name for name in people.columns if name != "id"]
    found = inference(people, people, without="id", seed=1)
    assert [row.target for row in found.rows] == names
    assert all("id" not in row.keys for row in found.rows)
    for asked, sentence in (
        ({"without": ["id"], "keys": "id"}, "'id' cannot be both requested and excluded."),
        ({"without": ["idd"]}, "The original has no column 'idd'. Did you mean 'id'?"),
        ({"without": people.columns}, "Every column is excluded, so there is nothing to compare."),
    ):
        with pytest.raises(RolesError) as fault:
            inference(people, people, seed=1, **asked)
        assert str(fault.value).startswith(sentence)


# An intruder who knows all rows of a person.


@pytest.mark.slow
@examples(60)
@given(people(1, 4), people(1, 5), people(1, 4), st.booleans())
def test_all_rows_of_a_person_equal_comparing_every_pair_of_people(
    original, copy, control, is_open
):
    size = min(len(original), len(control))
    sides = [original[:size], copy, control[:size]]
    flat = [[row for person in side for row in person] for side in sides]
    keys = ["age", "job", "sex"] if is_open else ["job", "age"]
    assume(vary([row for rows in flat for row in rows], keys))
    found = inference(
        *map(long_frame, sides[:2]),
        control=long_frame(sides[2]),
        keys=None if is_open else keys,
        secrets=["gain"],
        without=["wave"] if is_open else (),
        special_codes={"gain": [-9]},
        person="who",
        time="wave",
        seed=1,
    ).rows[0]
    spans = oracle.ranges(flat, SPECIALS)
    asked = {"keys": [NAMES.index(key) for key in keys], "secret": NAMES.index("gain")}
    asked |= {"spans": spans, "specials": SPECIALS}

    def by_rows(person):
        rights = [oracle.inferred(row, flat[1], **asked) for row in person]
        return sum(rights) / len(person)

    def by_people(person):
        return oracle.inferred_by_all_rows(person, copy, **asked)

    ways = {"nearest people": by_people}
    tried = [[sum(map(way, side)) / size for side in sides[::2]] for way in (by_people, by_rows)]
    chosen = tried[0] if found.method in ways else tried[1]
    got = (found.main_successes / size, found.control_successes / size)
    assert got == pytest.approx(tuple(map(float, chosen)), abs=1e-12)
    risks = [oracle_risk(*map(float, rates), size) for rates in tried]
    assert pytest.approx(max(risks), abs=1e-9) == found.R


def oracle_risk(main, control, n):
    """R of the centres of Wilson's intervals."""
    mean = [sum(oracle.wilson(rate * n, n, 0.95)) / 2 for rate in (main, control)]
    return (mean[0] - mean[1]) / (1 - mean[1])


def panel(n, seed):
    """People in three waves whose single rows say little: three letters, drawn at random."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), 3)
    rows = {name: rng.choice(list("abc"), 3 * n) for name in ("one", "two", "ill")}
    return pl.DataFrame({"who": who, "wave": np.tile([1, 2, 3], n), **rows})


def test_who_knows_all_rows_finds_a_copied_person_whom_no_single_row_discloses():
    used, control = panel(150, 1), panel(150, 2)
    asked = {"control": control, "keys": ["one", "two"], "secrets": ["ill"], "person": "who"}
    alone = inference(used, used, seed=1, **asked).rows[0]
    every = inference(used, used, time="wave", seed=1, **asked).rows[0]
    assert every.method == "nearest people"
    assert alone.R < 0.25
    assert every.R > 0.8


def test_rows_that_are_copied_to_other_people_are_found_row_by_row():
    rng = np.random.default_rng(3)
    used, control = mixed(300, 1), mixed(300, 2)
    used, control = (
        one.with_columns(who=pl.Series(np.arange(300) // 3), wave=pl.Series(np.arange(300) % 3))
        for one in (used, control)
    )
    shuffled = used.with_columns(who=pl.Series(rng.permutation(300) // 3))
    asked = {"control": control, "keys": ["x", "y"], "secrets": ["c"], "person": "who"}
    found = inference(used, shuffled, time="wave", seed=1, **asked).rows[0]
    assert (found.method, found.main_successes) == ("nearest records", pytest.approx(100))


def test_a_release_without_people_is_attacked_row_by_row_and_says_so():
    used = panel(20, 1)
    found = inference(
        used, used.drop("who"), keys=["one"], secrets=["ill"], person="who", time="wave", seed=1
    )
    assert found.rows[0].method == "key combinations"
    (note,) = [one.sentence for one in found.record.coercions if one.kind == "person"]
    assert "The synthetic dataset has no column 'who', so people cannot be compared" in note
    with pytest.raises(RolesError, match="time is given without person"):
        inference(used, used, keys=["one"], secrets=["ill"], time="wave", seed=1)
    with pytest.raises(RolesError, match="'ill' cannot be the time"):
        inference(used, used, keys=["one"], secrets=["two"], person="who", time="ill", seed=1)


def test_of_people_with_very_many_rows_the_first_are_known():
    many = pl.DataFrame({"who": [1] * 14 + [2] * 2, "t": [*range(14), 0, 1]})
    many = many.with_columns(key=pl.Series(list("ab" * 8)), ill=pl.Series(["y"] * 14 + ["n"] * 2))
    found = inference(many, many, keys="key", secrets="ill", person="who", time="t", seed=1)
    assert found.rows[0].main_successes == 2
    assert "Of 2 people with more rows the first 12 are used." in found.record.coercions[0].sentence
