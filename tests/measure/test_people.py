"""Figures counted by person: by hand, against the oracle, and where limits are held."""

import random

import polars as pl
import pytest

from oracles import people as oracle
from unveil.errors import RolesError
from unveil.judge.limits import judged
from unveil.measure.disclosure import disclosure
from unveil.measure.gate.assess import assess
from unveil.report.alerts import not_tested_text
from unveil.report.sentences import by_person, sizes


def visits(*rows):
    return pl.DataFrame(rows, schema=["who", "k", "t"], orient="row")


# Ann alone has key a, on three rows; Bob and Cid share b; the last row is nobody's that is known.
ORIGINAL = visits(
    ("ann", "a", "x"),
    ("ann", "a", "y"),
    ("ann", "a", "x"),
    ("bob", "b", "x"),
    ("bob", "c", "x"),
    ("cid", "b", "y"),
    (None, "d", "z"),
)
SYNTHETIC = visits(("s1", "a", "x"), ("s1", "a", "x"), ("s2", "b", "y"), ("s3", "c", "y"))


def measured(original=ORIGINAL, synthetic=SYNTHETIC, **settings):
    settings = {"keys": "k", "targets": "t", "person": "who", **settings}
    return disclosure(original, synthetic, **settings)


def counts(result, copy=1):
    return {row.measure: row.n_people for row in result.people.rows if row.copy == copy}


def test_by_hand_rows_of_one_person_hide_nobody():
    found = measured()
    assert found.people.person.n_people == 4
    # No row with key a is unique, but Ann is the only person who has it.
    assert found.identity[0].UiO == pytest.approx(100 * 2 / 7)
    assert counts(found) == {
        "UiO": 3,  # Ann by a, Bob by c, and the last by d
        "UiOiS": 2,
        "repU": 2,  # a is that of one synthetic person, on two records
        "Dorig": 2,  # Bob by c, the last by d
        "iS": 3,
        "DiS": 3,
        "DiSCO": 2,  # Ann by two of her three rows; Cid
        "DiSDiO": 0,
    }


def test_a_copy_that_does_not_say_whose_its_rows_are_is_counted_by_record():
    found = counts(measured(synthetic=SYNTHETIC.drop("who")))
    assert (found["UiOiS"], found["repU"]) == (2, 1)


def test_the_person_is_no_target_and_every_row_is_a_person_without_one():
    assert measured(targets=None).record.targets == ("t",)
    for person in (None, "none"):
        assert measured(person=person).people is None
        assert measured(person=person).identity == measured().identity
    with pytest.raises(RolesError, match="'who' says whose row it is, so it cannot be a key"):
        measured(keys=["k", "who"])
    with pytest.raises(RolesError, match="has no column 'whose'"):
        measured(person="whose")


def test_an_exclusion_takes_people_out_too():
    assert counts(measured().whatif("t=x"))["DiSCO"] == 1
    assert counts(measured(exclude="t=x"))["DiSCO"] == 1


@pytest.mark.parametrize("seed", range(60))
def test_every_figure_is_that_of_the_oracle_in_each_copy_and_pooled(seed):
    draw = random.Random(seed)

    def file(n, names):
        return [
            (draw.choice(names), (draw.choice("abcde"), draw.choice("uv")), draw.choice("xyz"))
            for _ in range(n)
        ]

    def frame(rows):
        schema = ["who", "k1", "k2", "t"]
        return pl.DataFrame([(w, *k, t) for w, k, t in rows], schema=schema, orient="row")

    people = [None, *"ABCDEFGH"[: draw.randint(2, 8)]]
    original = file(draw.randint(5, 30), people)
    copies = [file(draw.randint(1, 12), people), file(draw.randint(1, 12), people)]
    record = disclosure(
        frame(original),
        [frame(one) for one in copies],
        keys=["k1", "k2"],
        targets="t",
        person="who",
    ).record
    # People of different copies are different people.
    pooled = [(w and (n, w), k, t) for n, one in enumerate(copies) for w, k, t in one]
    expected = {
        copy: oracle.figures(original, one) for copy, one in ((1, copies[0]), (2, copies[1]))
    }
    mean = {measure: (expected[1][measure] + expected[2][measure]) / 2 for measure in expected[1]}
    expected |= {"pooled": oracle.figures(original, pooled), "mean": mean}
    found = {(row.copy, row.measure): row.percent for row in record.people.rows}
    assert found == {
        (copy, measure): pytest.approx(float(value), abs=1e-9)
        for copy, row in expected.items()
        for measure, value in row.items()
    }


def test_where_nobody_has_several_rows_people_are_rows():
    alone = ORIGINAL.with_columns(who=pl.int_range(pl.len()))
    record = measured(alone, SYNTHETIC.drop("who")).record
    for row in record.people.rows:
        of_rows = record.identity_of(1) if row.target is None else record.attribute_of("t", 1)
        assert row.percent == getattr(of_rows, row.measure)


def test_a_limit_is_held_against_the_larger_of_rows_and_people():
    record = measured().record
    (verdict,) = judged(record, {"repU": 30})
    assert (record.identity_of(1).repU, verdict.value, verdict.status) == (
        pytest.approx(100 / 7),
        50.0,
        "above",
    )
    (verdict,) = judged(measured(person=None).record, {"repU": 30})
    assert verdict.status == "within"


def test_the_figures_are_told_and_rows_that_are_not_people_are_not_passed_over():
    assert by_person(measured().record) == (
        "who repeats: 7 rows of 4 people. The tables count rows; a limit is held against the larger"
        " of rows and people. People with at least one such row: repU 50.0 % (2 of 4), DiSCO of t"
        " 50.0 % (2 of 4)."
    )
    assert sizes(measured().record).startswith("7 rows of 4 people in the original, ")
    original = pl.DataFrame(
        {"patient_id": [n // 3 for n in range(90)], "k": list("abc") * 30, "t": list("xy") * 45}
    )
    repeats = "patient_id repeats: 90 rows of 30 people."
    counted = {
        None: f"{repeats} Figures count rows, not people. Name it with --person to count people, or"
        " give --person none if every row is a person.",
        "patient_id": f"{repeats} The checks of the files count rows, not people.",
        "none": None,
    }
    for person, sentence in counted.items():
        found = assess(original, original.drop("patient_id"), keys="k", targets="t", person=person)
        said = [not_tested_text(one) for one in found.not_tested if one.what == "person"]
        assert said == ([sentence] if sentence else [])
