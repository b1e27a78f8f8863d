"""Figures counted by person: by hand, against the oracle, and where limits are held."""

import random
from functools import partial

import numpy as np
import polars as pl
import pytest

from oracles import people as oracle
from project.run_projects import people
from unveil.assessment.limits import check_limits
from unveil.errors import RolesError, SettingsError
from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.membership import membership
from unveil.measure.attacks.singling_out import singling_out
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.disclosure.excess import excess
from unveil.measure.gate.assess import assess
from unveil.measure.uniques.match_risk import match_risk
from unveil.measure.uniques.suda import suda
from unveil.view.alerts import not_tested_text
from unveil.view.disclosure import attribute, people_sentence, sizes

BY_PERSON = ("iS", "DiS", "DiSCO", "DiSDiO")
SIDES = {1: "original", 2: "control"}


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
    with pytest.raises(
        RolesError, match=("'who' identifies the person of a row, so it cannot be a key")
    ):
        measured(keys=["k", "who"])
    with pytest.raises(RolesError, match="has no column 'whose'"):
        measured(person="whose")


def test_an_exclusion_takes_people_out_too():
    assert counts(measured().whatif("t=x"))["DiSCO"] == 1
    assert counts(measured(exclude="t=x"))["DiSCO"] == 1


@pytest.mark.slow
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
    (verdict,) = check_limits(record, {"repU": 30})
    assert (record.identity_of(1).repU, verdict.value, verdict.status) == (
        pytest.approx(100 / 7),
        50.0,
        "above",
    )
    (verdict,) = check_limits(measured(person=None).record, {"repU": 30})
    assert verdict.status == "within"


@pytest.mark.slow
def test_the_figures_are_told_and_rows_that_are_not_people_are_not_passed_over():
    assert people_sentence(measured().record) == (
        "who repeats: 7 rows of 4 people. The tables count rows; limits apply to the larger of rows"
        " and people. People with at least one such row: repU 50.0 % (2 of 4), DiSCO of t"
        " 50.0 % (2 of 4)."
    )
    assert sizes(measured().record).startswith("7 rows of 4 people in the original, ")
    assert attribute(measured().record, measured().attribute[0])["DiSCO"].endswith(
        "for 3 of 7 rows (DiSCO 42.9 %) to an intruder who knows k; from the original, for 2 (Dorig"
        " 28.6 %). Counted by person: 2 of 4 people (50.0 %)."
    )
    original = pl.DataFrame(
        {"patient_id": [n // 3 for n in range(90)], "k": list("abc") * 30, "t": list("xy") * 45}
    )
    repeats = "patient_id repeats: 90 rows of 30 people."
    counted = {
        None: ([], [f"{repeats} Figures count rows, not people."]),
        "patient_id": (
            [
                f"{repeats} Of the checks of the files, those of whole records and of values that"
                " one person has count people, the others rows."
            ],
            [],
        ),
        "none": ([], []),
    }
    for person, sentences in counted.items():
        found = assess(original, original.drop("patient_id"), keys="k", targets="t", person=person)
        said = [not_tested_text(one) for one in found.not_tested if one.what == "person"]
        asked = [one for one in found.alerts if one.id == "person:patient_id"]
        assert (said, [one.sentence for one in asked]) == sentences
        assert all((one.status, one.columns) == ("decide", ("patient_id",)) for one in asked)


@pytest.mark.slow
def test_a_person_that_is_declared_must_not_be_released_with_real_values():
    synthetic = ORIGINAL.with_columns(k=pl.lit("a"))
    for person, blocks in (("who", ["identifier:who"]), ("none", [])):
        found = assess(ORIGINAL, synthetic, keys="k", targets="t", person=person)
        assert [one.id for one in found.alerts if one.kind == "identifier"] == blocks


def long_file(draw, n_people, most=4):
    """Rows (person, keys, target) of people with several; one row is nobody's that is known."""
    rows = [
        (f"p{person}", (draw.choice("abc"), draw.choice("uv")), draw.choice("xyz"))
        for person in range(n_people)
        for _ in range(draw.randint(1, most))
    ]
    return [*rows, (None, ("a", "v"), "x")]


def as_frame(rows):
    schema = ["who", "k1", "k2", "t"]
    return pl.DataFrame([(w, *k, t) for w, k, t in rows], schema=schema, orient="row")


@pytest.mark.parametrize("seed", range(20))
def test_excess_and_uniques_are_those_of_the_oracle_by_person(seed):
    draw = random.Random(seed)
    train, control, copy = (long_file(draw, n) for n in (12, 9, 4))
    asked = {"keys": ["k1", "k2"], "person": "who"}
    record = excess(
        *map(as_frame, (train, control, copy)), targets="t", measure=list(BY_PERSON), **asked
    ).record
    mine, its = oracle.figures(train, copy), oracle.figures(control, copy)
    assert (record.n_train, record.n_control) == (13, 10)
    for row in record.rows:
        assert row.train == pytest.approx(float(mine[row.measure]), abs=1e-9)
        assert row.control == pytest.approx(float(its[row.measure]), abs=1e-9)
        if its[row.measure] < 100:
            share = (mine[row.measure] - its[row.measure]) / (100 - its[row.measure])
            assert pytest.approx(float(share), abs=1e-9) == row.R

    fewest = oracle.fewest_sharing(train).values()
    n_unique = sum(n == 1 for n in fewest)
    for found in (suda(as_frame(train), **asked), match_risk(as_frame(train), **asked)):
        people = found.record.people
        assert (people.n_unique, people.k) == (n_unique, min(fewest))
        assert people.percent == pytest.approx(100 * n_unique / 13)
        assert people.global_risk == pytest.approx(sum(1 / n for n in fewest) / 13)


def test_what_counts_rows_says_so():
    frame = as_frame(long_file(random.Random(1), 9))
    repeats = f"'who' repeats: {frame.height} rows of 10 people."
    asked = {"person": "who"}
    weighted = match_risk(frame.with_columns(w=2.0), keys="k1", weights="w", **asked).record
    assert weighted.people.global_risk is None
    said = {
        "DCAP counts rows, not people.": excess(
            frame, frame, frame, keys="k1", targets="t", measure=["DCAP", "iS"], **asked
        ).record,
        "DCAP, TCAP count rows, not people.": excess(
            frame, frame, frame, keys="k1", targets="t", measure=["DCAP", "TCAP"], **asked
        ).record,
        "SUDA scores and DIS count rows, not people.": suda(frame, keys="k1", **asked).record,
        "k-anonymity, individual risks and l-diversity count rows, not people.": weighted,
        "A predicate singles out a person where all rows that satisfy it are theirs.": singling_out(
            frame, frame, seed=1, **asked
        ).record,
    }
    for sentence, record in said.items():
        assert [one.sentence for one in record.coercions] == [f"{repeats} {sentence}"]
    plain = excess(frame, frame, frame, keys="k1", targets="t", person="who").record
    assert plain.coercions == ()
    with pytest.raises(SettingsError, match="person is 'who', which has no meaning"):
        match_risk(frame, frame, keys="k1", **asked)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_an_attack_on_a_person_is_the_mean_over_their_rows(seed):
    draw = random.Random(seed)
    original, copy = (as_frame(long_file(draw, n)) for n in (8, 6))
    copy = copy.drop("who")
    attacks = (
        partial(inference, keys=["k1", "k2"], secrets="t", seed=1),
        partial(linkability, columns=(["k1"], ["k2", "t"]), seed=1),
    )
    own = original.with_columns(pl.col("who").fill_null("nobody"))
    for attack in attacks:
        (row,) = attack(original, copy, control=original, person="who").rows
        alone = [
            (attack(rows, copy).rows[0], rows.height)
            for rows in own.partition_by("who", include_key=False)
        ]
        expected = sum(one.main_successes / n for one, n in alone)
        assert row.main_successes == row.control_successes == pytest.approx(expected)
        assert row.naive_successes == pytest.approx(sum(a.naive_successes / n for a, n in alone))
        assert (row.n_found, row.n_control) == (9, 9)


@pytest.mark.slow
def test_people_whose_rows_are_all_alike_are_attacked_as_if_they_had_one():
    once = {side: people(n).with_columns(who=pl.int_range(pl.len())) for n, side in SIDES.items()}
    often = {side: pl.concat([one, one.head(40), one]) for side, one in once.items()}
    copy = people(3)
    for attack in (
        partial(inference, keys=["sex", "age"], secrets=["work", "income"], groups=True),
        partial(linkability, columns=(["sex", "age"], ["work", "town"])),
        membership,
    ):
        settings = {"seed": 4, "person": "who"}
        first, second = (
            attack(of["original"], copy, control=of["control"], **settings).record
            for of in (once, often)
        )
        assert second.person.n_people == 120
        if attack is membership:
            assert first.headline == second.headline
            continue
        figures = [
            [(row.main_successes, row.control_successes, row.naive_successes, row.R, row.n_found)]
            for record in (first, second)
            for row in record.rows
        ]
        half = len(first.rows)
        assert np.allclose(np.float64(figures[:half]), np.float64(figures[half:]), equal_nan=True)


def test_so_many_people_are_attacked_and_the_column_is_compared_with_nothing():
    original, copy = people(1).with_columns(who=pl.int_range(pl.len()) // 3), people(2)
    (row,) = linkability(original, copy, columns=("sex", "town"), n=7, person="who", seed=1).rows
    assert row.n_found == 7
    assert (
        "who"
        not in membership(original, original, control=original, person="who", seed=1).record.columns
    )
    control = original.head(60)
    found = inference(original, copy, control=control, secrets="work", person="who", seed=1)
    assert found.record.warnings[0] == (
        "Only 20 of 40 people of the original were attacked: as many as there are people in the"
        " control sample, so that both sides are of one size."
    )
    (note,) = (one for one in found.record.coercions if one.kind == "person")
    assert note.sentence == (
        "'who' repeats: 120 rows of 40 people. Each person is one attack, whose success is the"
        " mean over their rows. 20 of 20 people of the control sample are in the original too, so"
        " it is not a control sample: split the file by person (unveil split)."
    )
    for attack in (inference, singling_out, membership):
        with pytest.raises(RolesError, match="has no column 'whose'"):
            attack(original, copy, control=control, person="whose")
    with pytest.raises(
        RolesError, match=("'sex' identifies the person of a row, so it cannot be a key")
    ):
        linkability(original, copy, columns=("sex", "town"), person="sex")
