"""To the last digit: neither the order of rows nor the names of levels, and bounds that hold."""

import polars as pl
import pytest

import unveil
from unveil.examples import KEYS, survey, survey_synthetic

COLUMNS = {
    "age": {"tolerance": 7},
    "income": {"tolerance": 130, "special": (-8,)},
    "person": "person",
}
CALLS = (unveil.cap, unveil.gtcap, unveil.differential_confidentiality)


def people(frame, seed=0):
    return frame.head(900).with_columns(
        person=pl.int_range(900) * 7919 % 400, health=pl.col("health").fill_null("none")
    )


def study_of(change=pl.DataFrame.clone, person="person"):
    original, control = people(survey()), people(survey().tail(900))
    copies = [people(survey_synthetic()), people(survey_synthetic().tail(900))]
    return unveil.Study(
        change(original), {"a": [change(copy) for copy in copies], "b": change(copies[1])},
        control=change(control), keys=KEYS, targets=("health", "income", ("income", "marital")),
        columns=COLUMNS | {"person": person},
    )  # fmt: skip


def renamed(frame):
    """Levels in another order."""
    texts = {name: f"{name}_" for name in frame.columns if frame[name].dtype == pl.String}
    return frame.with_columns(
        (pl.col(name).hash(3).cast(pl.String) + pl.col(name)).alias(name) for name in texts
    )


def shuffled(frame):
    return frame.sample(fraction=1, shuffle=True, seed=5)


@pytest.mark.parametrize("person", ["person", "ignore"])
@pytest.mark.parametrize("change", [renamed, shuffled])
@pytest.mark.parametrize("call", CALLS)
def test_figures_are_the_same_to_the_last_digit(call, change, person):
    plain, changed = call(study_of(person=person)), call(study_of(change, person))
    for table in plain.tables:
        a, b = (result.frame(table) for result in (plain, changed))
        assert sorted(a.rows(), key=repr) == sorted(b.rows(), key=repr), table


def test_a_person_for_each_record_changes_nothing():
    original, copy, control = (
        frame.with_row_index("person")
        for frame in (survey(), survey_synthetic(), survey().tail(99))
    )
    about = {"keys": KEYS, "targets": "health", "columns": COLUMNS}
    with_people = unveil.Study(original, copy, control=control, **about)
    without = with_people.replace(columns=COLUMNS | {"person": "ignore"})
    by_unit = {row.unit: row for row in unveil.cap(with_people, groups="uniques").cap}
    fields = ("people", "matched", "cap_original", "cap_synthetic_zero", "cap_baseline")
    assert [by_unit["people"][f] for f in fields] == pytest.approx(
        [by_unit["records"][f] for f in fields], rel=1e-12
    )
    for call in (unveil.gtcap, unveil.differential_confidentiality):
        for a, b in zip(call(with_people).table().rows, call(without).table().rows, strict=True):
            for name, value in b.units().items():
                if value.is_figure and b[name] is not None:
                    assert a[name] == pytest.approx(b[name], rel=1e-9), (call.__name__, name)


def test_bounds():
    result = unveil.cap(study_of(person="ignore"))
    for row in result.cap:
        assert 0 <= row.matched <= row.people
        assert row.cap_synthetic_zero <= (row.cap_synthetic_undefined or 0) + 1e-12
        if row.group != "full" and row.unit == "records":
            assert row.cap_original == 1
    rows = [row for row in unveil.gtcap(study_of()).gtcap if row.copy != "sd"]
    for row in rows:
        assert 0 <= row.unmatched <= row.uniques
        assert 0 <= row.dropped <= row.uniques
        assert row.synthetic_mean <= 1
