"""Which column says whose row it is, and which does not."""

import polars as pl
import pytest

from unveil.errors import RolesError
from unveil.io.sources import read_table
from unveil.io.table import Labelled
from unveil.measure.roles.person import choose_people, find_person, find_time
from unveil.measure.roles.suggest import suggest
from unveil.records.codebook import Codebook, Variable
from unveil.study.people import read_people
from unveil.study.study import Study

OF_PEOPLE = (
    "patient_id PatientID PATIENTID patient Respondent pid person_nr case_no subjid USUBJID id"
    " study_id nhs_number personnummer id_paciente lopnr pidp idno customerNumber"
)
OF_OTHERS = (
    "household_id hhid region_id hospital_id school_id interviewer_id ward_id visit_id surname name"
    " case subject patient_age respondent_spending persons age income street number v1"
)
TWICE = [number for number in range(30) for _ in range(2)]


def table(**columns):
    return read_table(pl.DataFrame(columns), side="original")


def found(**columns):
    person = find_person(table(**columns))
    return None if person is None else (person.column, person.n_rows, person.n_people)


@pytest.mark.parametrize(
    "name",
    [
        "patient_id",
        "PatientID",
        "PATIENTID",
        "patient",
        "Respondent",
        "pid",
        "person_nr",
        "case_no",
        "subjid",
        "USUBJID",
        "id",
        "study_id",
        "nhs_number",
        "personnummer",
        "id_paciente",
        "lopnr",
        "pidp",
        "idno",
        "customerNumber",
        "pasient",
        "Løpenummer",
        "potilas",
    ],
)
def test_a_name_for_people_whose_values_repeat_says_whose_row_it_is(name):
    assert found(**{name: TWICE, "day": [1] * 60}) == (name, 60, 30)


@pytest.mark.parametrize(
    "name",
    [
        "household_id",
        "hhid",
        "region_id",
        "hospital_id",
        "school_id",
        "interviewer_id",
        "ward_id",
        "visit_id",
        "surname",
        "name",
        "case",
        "subject",
        "patient_age",
        "respondent_spending",
        "persons",
        "age",
        "income",
        "street",
        "number",
        "v1",
    ],
)
def test_a_name_for_something_else_does_not(name):
    assert found(**{name: TWICE}) is None


def test_values_that_do_not_repeat_are_few_or_are_measured_say_nothing():
    assert found(patient_id=list(range(60))) is None
    assert found(patient_id=[*range(19)] * 3) is None
    assert found(patient_id=[0.5 + value for value in TWICE]) is None
    assert found(patient_id=[float(value) for value in TWICE]) == ("patient_id", 60, 30)


def test_a_bare_number_with_many_rows_is_no_person_but_a_patient_is():
    assert found(id=[*range(20)] * 50) == ("id", 1000, 20)
    assert found(id=[*range(20)] * 51) is None
    assert found(patient_id=[*range(20)] * 51) == ("patient_id", 1020, 20)


def test_a_word_for_a_person_goes_first_then_the_fewest_people():
    fewer = [number // 2 for number in TWICE]
    assert found(study_id=[n // 3 for n in range(60)], patient_id=TWICE) == ("patient_id", 60, 30)
    assert find_person(table(patient_id=[*fewer[:40], *TWICE[40:]], pid=TWICE)).column == (
        "patient_id"
    )


def test_a_row_without_a_value_is_a_person_of_its_own():
    values = [*TWICE, None, None]
    assert found(patient_id=values) == ("patient_id", 62, 32)
    people = read_people(Study([table(patient_id=values)]).files, "patient_id")
    assert people.record.n_people == len(set(people.of_row.tolist())) == 32
    assert people.of_row.tolist() == [*TWICE, 30, 31]


def test_a_label_speaks_where_the_name_says_nothing():
    variables = (Variable(name="v1", kind="numeric", label="Patient number"),)
    codebook = Codebook(source="x", format="SPSS", variables=variables)
    labelled = read_table(Labelled(pl.DataFrame({"v1": TWICE}), codebook), side="original")
    assert find_person(labelled).column == "v1"


def test_what_the_user_names_goes_before_what_is_found():
    both = Study([table(patient_id=TWICE, ward=[n % 4 for n in range(60)])]).files
    assert choose_people(both, None).record.column == "patient_id"
    assert choose_people(both, "ward").record.n_people == 4
    assert choose_people(both, "none") is None
    with pytest.raises(RolesError, match=r"has no column 'patient'\. Did you mean 'patient_id'\?"):
        choose_people(both, "patient")
    with pytest.raises(RolesError, match=r"person is 3\. Give the name of a column, or 'none'\."):
        choose_people(both, 3)


def test_suggest_says_that_rows_are_not_people():
    visits = pl.DataFrame({"patient_id": TWICE, "sex": ["f", "m"] * 30})
    record = suggest(visits).record
    assert record.person.n_people == 30
    assert record.row_of("patient_id").role == "person"
    assert record.row_of("patient_id").reason == (
        "repeats: 60 rows of 30 people: rows are not people. Drop it before a release."
    )
    assert suggest(visits, keys="patient_id").record.row_of("patient_id").role == "key"
    assert suggest(visits.unique("patient_id")).record.person is None


WAVE = [number % 2 + 1 for number in range(60)]
DAYS = pl.Series([20_000 + 3 * number for number in range(60)]).cast(pl.Date)


@pytest.mark.parametrize(
    ("columns", "time"),
    [
        ({"age": [20 + n // 2 + n % 2 for n in range(60)], "wave": WAVE}, "wave"),
        ({"wave": WAVE, "out": DAYS.dt.offset_by("2d"), "admitted": DAYS}, "admitted"),
        ({"admitted": DAYS.gather(range(59, -1, -1)), "wave": WAVE}, "admitted"),  # unsorted
        ({"admitted": [DAYS[n // 2] for n in range(60)]}, None),  # twice in a person
        ({"admitted": [None, *DAYS[1:]]}, None),
        ({"wave": WAVE[::-1]}, None),
        (
            {"born": [1950 + n // 2 for n in range(60)], "income": [0.5 + n for n in range(60)]},
            None,
        ),
    ],
)
def test_rows_of_a_person_follow_by_a_date_or_by_a_number_that_rises(columns, time):
    assert find_time(table(patient=TWICE, **columns), "patient") == time


def test_where_hardly_anybody_has_two_rows_no_time_is_found():
    people = [*range(40), *range(19)]
    assert find_time(table(patient=people, wave=[1] * 40 + [2] * 19), "patient") is None
    assert find_time(table(patient=[*people, 20], wave=[1] * 40 + [2] * 20), "patient") == "wave"
