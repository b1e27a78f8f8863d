"""GTCAP on files small enough to do by hand, and what the result shows and does not show."""

import json
import random

import polars as pl
import pytest

from unveil.errors import SettingsError
from unveil.measure.cap.gtcap import gtcap
from unveil.records.cap import Gtcap

COLUMNS = ("sex", "age", "ill")
# With a radius of 5 the first two people are near each other, and the other two alone.
ORIGINAL = [("m", 30, 1), ("m", 33, 0), ("m", 50, 1), ("f", 40, 0)]
SYNTHETIC = [("m", 32, 1), ("m", 48, 1), ("f", 60, 0)]


def people(rows, columns=COLUMNS):
    return pl.DataFrame(rows, schema=list(columns), orient="row")


def measured(original=ORIGINAL, synthetic=SYNTHETIC, columns=COLUMNS, **settings):
    chosen = {"keys": ["sex", "age"], "target": "ill", "radii": {"age": 5}, **settings}
    copies = [people(copy, columns) for copy in synthetic] if _is_several(synthetic) else None
    return gtcap(people(original, columns), copies or people(synthetic, columns), **chosen)


def _is_several(synthetic):
    return isinstance(synthetic[0], list)


def scores(result):
    return [tuple(row.values()) for row in result.to_dict()["rows"]]


def test_the_worked_example():
    result = measured()
    assert result.unique.tolist() == [False, False, True, True]
    assert scores(result) == [(2, 1.0, 0.5, 1.0, 1.0), (3, 0.0, 0.5, 1.0, -1.0)]
    assert (result.n_unique, result.n_dropped) == (2, 0)
    assert result.mean == 0
    assert result.ratio_of_means == 0  # 0.5 on average in the copy, as by frequency
    assert result.record.n_unmatched == 1  # nobody in the copy is near the woman


def test_the_weights_of_the_worked_example():
    # Everyone, as under `equal`. The first person has proximity 0.6 with m 32; with the original
    # 1 with himself and 0.4 with m 33, who is not ill.
    result = measured(unique_rule="equal")
    assert scores(result)[0] == pytest.approx((0, 1.0, 0.5, 1 / 1.4, 0.5 / (1 / 1.4 - 0.5)))


def test_at_the_radius_nobody_is_near_and_just_below_someone_is():
    original = [("m", 30, 1), ("m", 35, 0), ("f", 30, 1), ("f", 34.5, 0)]
    result = measured(original, original)
    assert result.unique.tolist() == [True, True, False, False]


@pytest.mark.parametrize(("most", "radii"), [(40, [30, 5, 5]), (40, [30, 1]), (1000, [400] * 8)])
def test_uniques_on_several_numbers_are_those_of_plain_loops(most, radii):
    """Hundreds of records within a radius, some of them just at it, and few near in all keys."""
    rng = random.Random(most)
    keys = [f"x{i}" for i in range(len(radii))]
    rows = [(*(rng.randrange(-most, most) for _ in keys), k % 2) for k in range(500)]

    def is_near(one, other):
        return all(abs(a - b) < r for a, b, r in zip(one[:-1], other[:-1], radii, strict=True))

    n_alone = sum(sum(is_near(one, other) for other in rows) == 1 for one in rows)
    settings = {"keys": keys, "target": "t", "radii": dict(zip(keys, radii, strict=True))}
    found = measured(rows, rows[:50], [*keys, "t"], unique_rule="all_keys", **settings)
    assert 0 < found.n_unique == n_alone < 500


def test_the_four_rules_by_hand():
    # Two numeric keys. The first two share the age alone, the last two are near in both.
    rows = [(20, 1.0, "x"), (20, 9.0, "x"), (50, 5.0, "x"), (51, 5.5, "y"), (80, 3.0, "x")]
    expected = {
        "all_keys": [True, True, False, False, True],
        "key": [False, False, False, False, True],
        "joint": [True, True, True, True, True],
        "equal": [True, True, True, True, True],
    }
    for rule, unique in expected.items():
        settings = {"keys": ["age", "size"], "target": "t", "radii": {"age": 5, "size": 1}}
        result = measured(rows, rows, ("age", "size", "t"), unique_rule=rule, **settings)
        assert result.unique.tolist() == unique, rule


def test_under_a_product_one_close_key_is_not_enough_to_spoil_uniqueness():
    rows = [(20, 1.0, "x"), (20, 9.0, "y")]
    settings = {"keys": ["age", "size"], "target": "t", "radii": {"age": 5, "size": 1}}
    found = {
        kind: measured(
            rows, rows, ("age", "size", "t"), unique_rule="key", coefficient=kind, **settings
        ).n_unique
        for kind in ("mean", "product", "minimum")
    }
    assert found == {"mean": 0, "product": 2, "minimum": 2}


def test_the_three_coefficients_by_hand():
    # Proximities with the two records of the copy: 0.8 and 0.5 (has the target), 0.6 and 0 (not).
    original, synthetic = [(20, 1.0, "x"), (90, 5.0, "y")], [(21, 1.5, "x"), (22, 2.0, "y")]
    settings = {"keys": ["age", "size"], "target": "t", "radii": {"age": 5, "size": 1}}
    found = {
        kind: scores(
            measured(original, synthetic, ("age", "size", "t"), coefficient=kind, **settings)
        )
        for kind in ("mean", "product", "minimum")
    }
    assert found["mean"][0][1] == pytest.approx(0.65 / (0.65 + 0.3))
    assert found["product"][0][1] == found["minimum"][0][1] == 1.0


def test_a_numeric_target_by_hand():
    # Income within 10 of the truth counts by its proximity: 0.5 for the one at 105.
    original = [("m", 30, 100), ("f", 30, 500)]
    synthetic = [("m", 30, 105), ("m", 32.5, 300)]
    result = measured(original, synthetic, radii={"age": 5, "ill": 10})
    assert scores(result)[0] == pytest.approx((0, 0.5 / 1.5, 0.5, 1.0, -1 / 3))


def test_several_targets_are_taken_jointly():
    columns = ("sex", "age", "ill", "income")
    original = [("m", 30, 1, 100), ("f", 30, 0, 500)]
    synthetic = [("m", 30, 1, 105), ("m", 30, 0, 100), ("f", 70, 0, 500)]
    result = measured(
        original, synthetic, columns, target=["ill", "income"], radii={"age": 5, "income": 10}
    )
    # One of the two near records is ill, and its income counts half.
    assert scores(result)[0] == pytest.approx((0, 0.25, 0.5, 1.0, -0.5))


@pytest.mark.parametrize(("kind", "score"), [("mean", 0.5), ("product", 0.0)])
def test_one_of_two_targets_is_half_a_mean_and_no_product(kind, score):
    columns = ("sex", "age", "income", "children")
    original, synthetic = [("m", 30, 100, 7), ("f", 30, 500, 1)], [("m", 30, 100, 8)]
    radii = {"age": 5, "income": 10, "children": 0}
    settings = {"target": ["income", "children"], "radii": radii, "coefficient": kind}
    result = measured(original, synthetic, columns, **settings)
    # Income is the person's own, the number of children is not.
    assert scores(result)[0] == pytest.approx((0, score, 0.5, 1.0, (score - 0.5) / 0.5))


def test_missing_numbers_are_near_each_other_and_nothing_else():
    original = [("m", None, 1), ("m", 0, 0), ("f", None, 1), ("f", None, 0)]
    result = measured(original, [("m", None, 1), ("m", 1, 1)])
    assert result.unique.tolist() == [True, True, False, False]
    assert [row[1] for row in scores(result)] == [1.0, 0.0]
    assert result.record.n_unmatched == 0


def test_a_missing_category_is_a_level():
    result = measured([(None, 30, 1), ("m", 30, 0)], [(None, 30, 1), ("m", 30, 1)])
    assert [row[1] for row in scores(result)] == [1.0, 0.0]


def test_special_codes_stand_apart():
    # -8 means refused: it is not 8 years from a newborn.
    original = [("m", -8, 1), ("m", 0, 0)]
    apart = measured(original, original, radii={"age": 10}, special_codes={"age": [-8]})
    assert apart.unique.tolist() == [True, True]
    assert measured(original, original, radii={"age": 10}).n_unique == 0


def test_a_radius_of_zero_is_equality():
    original = [("m", 30, 1), ("m", 30.5, 0), ("f", 40, 0), ("f", 40, 1)]
    result = measured(original, [("m", 30.5, 0), ("f", 40, 0)], radii={"age": 0})
    assert result.unique.tolist() == [True, True, False, False]
    assert [row[1] for row in scores(result)] == [0.0, 1.0]


def test_a_number_without_a_radius_is_a_category():
    for radii in (None, {}):
        assert measured(synthetic=ORIGINAL, radii=radii).n_unique == 4


def test_dates_have_a_radius_in_days():
    born = pl.Series(["2000-01-01", "2000-01-03", "2001-01-01"]).str.to_date()
    frame = pl.DataFrame({"born": born, "t": ["x", "y", "y"]})
    result = gtcap(frame, frame, keys="born", target="t", radii={"born": 4})
    assert result.unique.tolist() == [False, False, True]


def test_an_original_no_better_than_guessing_is_dropped_and_counted():
    # All are ill: frequencies give it away as surely as the original.
    result = measured([("m", 30, 1), ("f", 30, 1)], [("m", 30, 0)])
    assert scores(result) == [(0, 0.0, 1.0, 1.0, None), (1, 0.0, 1.0, 1.0, None)]
    assert (result.n_unique, result.n_dropped, result.mean) == (2, 2, None)
    assert result.ratio_of_means is None
    reasons = {row.field: row.reason for row in result.record.not_measured}
    assert reasons == {
        "mean": "for every statistical unique the original discloses no more than the baseline",
        "ratio_of_means": (
            "over all statistical uniques the original discloses no more than the baseline"
        ),
    }


def test_without_uniques_nothing_is_measured_and_it_says_why():
    result = measured([("m", 30, 1), ("m", 31, 0)], SYNTHETIC)
    assert (result.n_unique, result.mean, result.ratio_of_means) == (0, None, None)
    assert {row.reason for row in result.record.not_measured} == {
        "no original record is a statistical unique under this rule"
    }
    assert sum(bin_.n for bin_ in result.record.histogram) == 0
    assert result.frame().height == 0
    assert result.rows == ()


def test_one_record_is_unique_and_dropped():
    result = measured([("m", 30, 1)], [("m", 30, 1)])
    assert (result.n_unique, result.n_dropped, result.mean) == (1, 1, None)


def test_a_copy_that_is_the_original_scores_one():
    result = measured(synthetic=ORIGINAL)
    assert [row.normalised for row in result.rows] == [1.0, 1.0]
    assert result.mean == result.ratio_of_means == 1.0
    assert result.record.histogram[-1].n == 2


def test_several_copies_are_shown_each_and_pooled():
    result = measured(synthetic=[SYNTHETIC, [("m", 48, 0), ("f", 40, 0)]])
    by_copy = {row.copy: row for row in result.record.copies}
    assert list(by_copy) == [1, 2, "mean", "pooled"]
    assert result.record.n_synthetic == (3, 2)
    # The man of 50 is matched by one ill man of 48 in the first copy, one healthy in the second.
    assert [by_copy[copy].mean_synthetic for copy in by_copy] == [0.5, 0.5, 0.5, 0.75]
    assert [row.synthetic for row in result.rows] == [0.5, 1.0]
    assert (by_copy[1].n_unmatched, by_copy[2].n_unmatched, by_copy["mean"].n_unmatched) == (
        1,
        0,
        0.5,
    )
    assert result.mean == by_copy["pooled"].mean
    assert result.record.n_unmatched == by_copy["pooled"].n_unmatched == 0


def test_the_histogram_counts_every_score_once():
    result = measured()
    bins = {(row.low, row.high): row.n for row in result.record.histogram}
    assert {ends: n for ends, n in bins.items() if n} == {(-1.0, -0.75): 1, (1.0, None): 1}
    assert (len(bins), min(low for low, _ in bins if low is not None)) == (10, -1.0)


def test_scores_are_given_where_asked_for_and_nowhere_else():
    result = measured()
    shown = [repr(result), result._repr_html_(), result.to_json()]
    document = json.loads(result.to_json())
    assert "rows" not in document
    assert "unique" not in document
    assert not any("normalised" in text for text in shown)
    assert set(result.to_dict()) == {*document, "rows", "unique"}
    assert result.frame().columns == ["row", "synthetic", "baseline", "original", "normalised"]
    assert result.frame().to_dicts() == result.to_dict()["rows"]


def test_what_was_noticed_is_told():
    original = [("m", 30.1, float(n)) for n in range(20)]
    result = measured(original, [("m", 300.0, 1.0)])
    notes = {note.kind: note.sentence for note in result.record.coercions}
    assert notes["no_near_value"] == (
        "Column 'age' has no value within the radius of any in the original. Is it in the same"
        " unit?"
    )


def test_many_numbers_without_a_radius_are_refused():
    original = [("m", 30.1, float(n)) for n in range(21)]
    with pytest.raises(SettingsError) as refused:
        measured(original, [("m", 300.0, 1.0)])
    assert str(refused.value) == (
        "Column 'ill' holds 21 different numbers and has no radius. Give it one, such as"
        " {'ill': 5} (--radius ill=5), or 0 where only equal numbers are to match."
    )
    # With 0 it is measured: 21 people of one sex and age, of whom nobody is alone with these keys.
    assert measured(original, original, radii={"age": 5, "ill": 0}).record.n_unique == 0
    # And under rule joint, where the numbers count as well, each of them is.
    joint = measured(original, original, radii={"age": 5, "ill": 0}, unique_rule="joint")
    assert joint.record.n_unique == 21


def test_decimals_a_radius_apart_are_not_near_whatever_their_last_binary_digit():
    assert 0.7 - 0.4 < 0.3 < 0.4 - 0.1
    for kind in ("mean", "product"):
        original = [("m", 0.1, 1), ("m", 0.4, 0), ("m", 0.7, 1)]
        result = measured(original, original, radii={"age": 0.3}, coefficient=kind)
        assert result.unique.tolist() == [True, True, True]
        assert [row.original for row in result.rows] == [1, 1, 1]


def test_the_worked_example_of_every_page():
    original, synthetic = (
        pl.DataFrame([list(row) for row in rows.split()], ["k1", "k2", "t"], orient="row")
        for rows in ("axp axq ayp bxq byq byq", "axp axp ayq byq byp cxp")
    )
    result = gtcap(original, synthetic, keys=["k1", "k2"], target="t")
    assert [(row.row, row.normalised) for row in result.rows] == [
        (2, pytest.approx(-0.5)),
        (3, pytest.approx(-2)),
    ]
    assert (result.mean, result.ratio_of_means) == pytest.approx((-1.25, -1))


def test_the_record_survives_its_journey_through_json():
    record = measured(synthetic=[SYNTHETIC, ORIGINAL]).record
    assert Gtcap.from_json(record.to_json()) == record
