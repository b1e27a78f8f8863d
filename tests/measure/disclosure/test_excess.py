"""Train against control on files small enough to do by hand."""

from random import Random

import numpy as np
import polars as pl
import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import excess as oracle
from unveil.errors import SettingsError
from unveil.measure.disclosure.attribute import excess_ratio

# The copy says p under a x and q under b x. It is right about three of the four people it was made
# from, and about two of four others.
TRAIN = ["axp", "axp", "bxq", "cxp"]
CONTROL = ["axp", "axq", "bxp", "bxq"]
COPY = ["axp", "bxq"]


def rows(train, control, *copies, **settings) -> list[dict]:
    frames = [people(copy) for copy in copies]
    result = unveil.excess(
        people(train), people(control), frames, keys=["k1", "k2"], targets="t", **settings
    )
    return [row.to_dict() for row in result.rows]


def test_the_worked_example():
    # The copy is right about a x p, and half right about both b y q. Of four others three are
    # found; it is wrong about a x q and c x q, and half right about b y p.
    found = rows(ORIGINAL, ["axq", "byp", "bxq", "cxq"], SYNTHETIC, measure=["iS", "DiSCO", "DCAP"])
    assert [(row["measure"], row["control"]) for row in found] == [
        ("iS", 75.0),
        ("DiSCO", 0.0),
        ("DCAP", 12.5),
    ]
    assert [row["train"] for row in found] == pytest.approx([100 * 5 / 6, 100 / 6, 100 * 2 / 6])
    assert [row["R"] for row in found] == pytest.approx([1 / 3, 1 / 6, 5 / 21])


def test_the_ratio_by_hand():
    assert excess_ratio(75, 50) == 0.5
    assert excess_ratio(50, 75) == -1
    assert excess_ratio(50, 50) == 0
    assert excess_ratio(100, 0) == 1


@pytest.mark.parametrize("pair", [(50, 100), (100, 100), (None, 50), (50, None)])
def test_the_ratio_is_undefined_where_all_is_known_already_or_a_part_is_not_measured(pair):
    assert excess_ratio(*pair) is None


def test_train_and_control_by_hand():
    (row,) = rows(TRAIN, CONTROL, COPY)
    assert (row["target"], row["measure"], row["copy"]) == ("t", "DiSCO", 1)
    assert (row["train"], row["control"], row["R"]) == (75.0, 50.0, 0.5)
    after = ("train_after", "control_after", "R_after", "R_exclusion")
    assert [row[field] for field in after] == [None] * 4  # nothing is excluded


def test_every_measure_by_hand():
    # a x: the copy says p and q, so half a guess each. b x: it says q. c x: not there.
    # Train: two guesses of ½ and one sure one; control: two of ½ and one of two sure.
    found = rows(
        TRAIN, CONTROL, ["axp", "axq", "bxq"], measure=["iS", "DiS", "DiSCO", "DCAP", "TCAP"]
    )
    assert {row["measure"]: (row["train"], row["control"]) for row in found} == {
        "iS": (75.0, 100.0),
        "DiS": (25.0, 50.0),
        "DiSCO": (25.0, 25.0),
        "DCAP": (50.0, 50.0),
        "TCAP": (pytest.approx(100 / 3), 25.0),
    }


def test_undefined_where_the_copy_is_right_about_every_other_person():
    (row,) = rows(TRAIN, ["axp", "bxq"], COPY)
    assert (row["train"], row["control"], row["R"]) == (75.0, 100.0, None)
    known = [people(["axp", "bxq"]), people(COPY)]
    result = unveil.excess(people(TRAIN), *known, keys=["k1", "k2"], targets="t")
    assert [(one.copy, one.field, one.reason) for one in result.record.not_measured] == [
        (1, "R (DiSCO)", "the control figure is 100 %, so no one is left to be disclosed")
    ]


def test_negative_where_the_others_are_given_away_more_often():
    (row,) = rows(CONTROL, TRAIN, COPY)
    assert (row["train"], row["control"], row["R"]) == (50.0, 75.0, -1.0)


def test_under_exclusions():
    # Without p the copy is right about b x q alone: one of four in train, one of four in control.
    (row,) = rows(TRAIN, CONTROL, COPY, exclude="t=p")
    assert (row["train"], row["control"], row["R"]) == (75.0, 50.0, 0.5)
    assert (row["train_after"], row["control_after"], row["R_after"]) == (25.0, 25.0, 0.0)
    assert row["R_exclusion"] == pytest.approx((75 - 25) / (100 - 25))


def test_a_limit_on_denominators_counts_train_and_control_each_by_itself():
    # a x p holds two people of train, and one of control, where it therefore stays.
    (row,) = rows(TRAIN, CONTROL, COPY, exclude="max-denominator=1")
    assert (row["train_after"], row["control_after"]) == (25.0, 50.0)


def test_a_level_that_only_the_control_has_can_be_excluded():
    (row,) = rows(["axp"], ["axp", "bxr"], ["axp", "bxr"], exclude="t=r")
    assert (row["train_after"], row["control_after"]) == (100.0, 50.0)


def test_of_several_copies_the_ratio_is_that_of_the_means():
    # The first copy has both a x p and b x q: 75 and 50. The second a x p alone: 50 and 25.
    found = {row["copy"]: row for row in rows(TRAIN, CONTROL, COPY, ["axp"])}
    assert [*found] == [1, 2, "mean", "pooled"]
    assert (found[1]["R"], found[2]["R"]) == (0.5, pytest.approx(1 / 3))
    assert (found["mean"]["train"], found["mean"]["control"]) == (62.5, 37.5)
    # Not the mean of the two ratios, which is 0.4166...
    assert found["mean"]["R"] == pytest.approx((62.5 - 37.5) / (100 - 37.5)) == pytest.approx(0.4)
    assert (found["pooled"]["train"], found["pooled"]["R"]) == (75.0, 0.5)


def aged(ages: list[int]) -> pl.DataFrame:
    return pl.DataFrame({"age": ages, "t": ["p"] * len(ages)})


def by_age(train, control, copies, bands) -> dict:
    """Train against control in the first copy, with ages in bands as the only key."""
    result = unveil.excess(
        *map(aged, (train, control)),
        [aged(ages) for ages in copies],
        keys="age",
        targets="t",
        bands={"age": bands},
    )
    return result.rows[0].to_dict()


def test_bands_are_cut_over_train_and_control_together():
    # From 0 to 100, so at 50: 0, 40 and the copy's 20 are below. Without the control it would be
    # from 0 to 40, so at 20, and 0 would not be found.
    row = by_age([0, 40], [0, 100], [[20]], "equal:2")
    assert (row["train"], row["control"]) == (100.0, 50.0)


def test_bands_are_cut_over_all_copies_together():
    # The second copy's 200 moves the limit from 50 to 100, above the 60 of train.
    assert by_age([0, 60], [0, 100], [[20]], "equal:2")["train"] == 50.0
    assert by_age([0, 60], [0, 100], [[20], [20, 200]], "equal:2")["train"] == 100.0


def test_quantile_bands_count_every_record_of_every_file():
    # 0 0 10 20 | 30 40 50 60, so at 25. Train and copy alone, 0 10 20, would be cut at 10.
    row = by_age([0, 20], [0, 30, 40, 50, 60], [[10]], 2)
    assert (row["train"], row["control"]) == (100.0, 20.0)
    # Two more records of the copy, 0 0 10 10 10 | 20 30 40 50 60: at 15, and 20 is not found.
    assert by_age([0, 20], [0, 30, 40, 50, 60], [[10, 10, 10]], 2)["train"] == 50.0


def test_a_measure_without_a_control_is_refused_by_name():
    with pytest.raises(unveil.SettingsError, match="There is no excess of 'Dorig'"):
        rows(TRAIN, CONTROL, COPY, measure="Dorig")


def parts_of(train, control, *copies, **settings) -> dict:
    frames = [people(copy) for copy in copies]
    found = unveil.excess(
        people(train), people(control), frames, keys=["k1", "k2"], targets="t", **settings
    )
    return {(row.measure, row.copy, row.part): row for row in found.record.parts}


def test_what_R_is_made_of_by_hand():
    found = parts_of(ORIGINAL, ["axq", "byp", "bxq", "cxq"], SYNTHETIC)
    # Matched 5/6 and 3/4, correct if matched 2/5 and 1/6.
    wanted = {"R": 5 / 21, "matched": 17 / 630, "correct": 19 / 90}
    assert {part: found["DCAP", 1, part].R for part in wanted} == pytest.approx(wanted)
    shares = [found["DCAP", 1, part] for part in ("matched", "correct")]
    assert [(row.train, row.control) for row in shares] == [
        *(pytest.approx((5 / 6, 3 / 4)), pytest.approx((2 / 5, 1 / 6)))
    ]
    wanted = {"matched": 28 / 3240, "determined": -29 / 3240, "correct": 541 / 3240}
    assert {part: found["DiSCO", 1, part].R for part in wanted} == pytest.approx(wanted)


def as_rows(file) -> list:
    return [(row[:2], row[2]) for row in file]


@pytest.mark.parametrize("seed", range(20))
def test_what_R_is_made_of_agrees_with_the_oracle(seed):
    rng = Random(seed)

    def draw(n):
        return [rng.choice("abc") + rng.choice("xy") + rng.choice("pqr") for _ in range(n)]

    # Of each column one level that all files have.
    train, control = [*draw(rng.randint(1, 12)), "axp"], [*draw(rng.randint(1, 9)), "axq"]
    copies = [[*draw(rng.randint(1, 8)), "axp"] for _ in range(rng.randint(1, 2))]
    found = parts_of(train, control, *copies)
    files = {number: copy for number, copy in enumerate(copies, start=1)}
    if len(copies) > 1:
        files["pooled"] = copies[0] + copies[1]
    for name, copy in files.items():
        sides = [oracle.means(as_rows(one), as_rows(copy)) for one in (train, control)]
        for measure, factors in (
            ("DCAP", ("matched", "correct")),
            ("DiSCO", ("matched", "determined", "correct")),
        ):
            if sides[1][measure] == 1:
                assert (measure, name, "R") not in found
                continue
            wanted = oracle.split(*sides, [*factors[:-1], measure])
            rows = [found[measure, name, part] for part in ("R", *factors)]
            assert [row.R for row in rows] == pytest.approx([float(one) for one in wanted])
            assert all(row.low <= row.R <= row.high for row in rows)
            shares = pytest.approx([float(side[measure]) for side in sides])
            assert [rows[0].train, rows[0].control] == shares
            names = [*factors[:-1], measure]
            if all(side[name] > 0 for side in sides for name in names):
                # A share of 0 has no slope to either side; elsewhere the intervals are the same.
                half = oracle.half_widths(*map(as_rows, (train, control, copy)), names)
                assert [row.high - row.R for row in rows] == pytest.approx(half, rel=1e-4, abs=1e-6)
            assert sum(row.R for row in rows[1:]) == pytest.approx(rows[0].R)
        if sides[1]["anyway"] < 1:
            a, b = (side["anyway"] for side in sides)
            assert pytest.approx(float((a - b) / (1 - b))) == found["DCAP", name, "most_common"].R
    if len(copies) > 1:
        alone = [found[key].train for key in (("DCAP", 1, "R"), ("DCAP", 2, "R")) if key in found]
        if len(alone) == 2 and ("DCAP", "mean", "R") in found:
            assert found["DCAP", "mean", "R"].train == pytest.approx(sum(alone) / 2)


def test_train_that_is_the_control_has_no_excess_in_any_part():
    found = parts_of(TRAIN, TRAIN, COPY)
    assert all(pytest.approx(0) == row.R for row in found.values())


def test_intervals_of_the_parts_are_those_of_a_bootstrap():
    rng = np.random.default_rng(3)

    def draw(n, shift):
        made = {"k1": rng.integers(0, 12, n), "k2": rng.integers(0, 9, n)}
        made["t"] = (made["k1"] + shift * rng.integers(0, 3, n)) % 5
        return pl.DataFrame(made).cast(pl.String)

    train, control, copy = draw(500, 1), draw(300, 2), draw(120, 1)

    def figures(train, control):
        result = unveil.excess(train, control, copy, keys=["k1", "k2"], targets="t")
        return {(row.measure, row.part): row for row in result.record.parts}

    found = figures(train, control)
    drawn = [
        figures(
            train.sample(500, with_replacement=True, seed=seed),
            control.sample(300, with_replacement=True, seed=seed + 1000),
        )
        for seed in range(250)
    ]
    for name, row in found.items():
        spread = 1.96 * np.std([one[name].R for one in drawn])
        assert (row.high - row.R) / spread == pytest.approx(1, abs=0.15)


def test_the_nearest_record_is_the_inference_attack():
    found = parts_of(TRAIN * 5, CONTROL * 5, COPY, nearest=True)
    row = found["DCAP", 1, "nearest"]
    attack = unveil.inference(
        people(TRAIN * 5), people(COPY), control=people(CONTROL * 5), keys=["k1", "k2"], secrets="t"
    ).rows[0]
    assert (attack.R, attack.interval_delta) == (row.R, (row.low, row.high))
    with pytest.raises(SettingsError, match="knows no bands"):
        parts_of(TRAIN, CONTROL, COPY, nearest=True, bands={"k1": 5})
