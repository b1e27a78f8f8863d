"""`unveil.suggest`: a role and a reason for every column, by hand."""

import random
from datetime import date, timedelta

import polars as pl
import pytest

from unveil.errors import InputError
from unveil.examples import KEYS, TARGETS, labelled_survey, survey
from unveil.io.table import Labelled
from unveil.measure.roles.suggest import suggest
from unveil.records.codebook import Codebook, Variable
from unveil.records.suggestion import Suggestion
from unveil.view.suggestion import key_line, sentences

N = 200


def column(n_levels: int, *, seed: int = 0, n: int = N) -> list[int]:
    draw = random.Random(seed)
    return [draw.randrange(n_levels) for _ in range(n)]


def role_of(name, values, **settings):
    return suggest(
        pl.DataFrame({name: values, "other": column(3, n=len(values))}), **settings
    ).record.row_of(name)


def test_the_keys_of_the_example_are_those_it_documents():
    for data in (survey(), labelled_survey()):
        found = suggest(data)
        assert set(found.keys) == set(KEYS)
        assert set(found.targets) == set(TARGETS)
        assert found.targets[:3] == ("income", "health", "condition")
        assert (found.record.n_unique, found.record.stop) == (1963, "enough")


def test_keys_are_added_one_by_one_by_the_people_they_make_unique():
    # Age parts all but two pairs; with sex one pair is parted, with region nobody more.
    age = [*range(36), 36, 36, 37, 37]
    sex = ["f", "m"] * 18 + ["f", "m", "f", "f"]
    region = ["N"] * 20 + ["S"] * 20
    found = suggest(pl.DataFrame({"region": region, "sex": sex, "age": age})).record
    assert [(step.key, step.n_gained, step.n_unique) for step in found.steps] == [
        ("age", 36, 36),
        ("sex", 2, 38),
    ]
    assert found.row_of("region").role == "target"
    assert found.row_of("region").reason.endswith("but no one more becomes unique by it.")


def test_the_search_stops_at_a_small_gain_and_tells_it():
    age = [*range(30), *([99] * 270)]
    sex = ["f"] * 299 + ["m"]
    found = suggest(pl.DataFrame({"age": age, "sex": sex})).record
    assert (found.keys, found.stop, found.stopped_at) == (("age",), "small_gain", "sex")
    assert found.row_of("sex").reason == (
        "sex in its name: others see it or find it out, but it adds little. 1 person more would"
        " become unique, less than 1 % of all."
    )
    assert (
        "The search stopped: once 5 % of people are unique, a further key must make 1 % of all"
        " people unique. sex would add 1 (0.3 %)."
    ) in list(sentences(found))


def test_what_is_only_often_known_is_asked_for_where_the_visible_says_too_little():
    frame = pl.DataFrame({"sex": column(2), "job": column(150, seed=1), "height": column(3)})
    found = suggest(frame).record
    assert found.keys == ("sex", "job")
    assert found.stop == "enough"
    assert found.row_of("height").reason == (
        "height in its name: some people know it, but the keys single out enough people without it."
    )


def test_no_more_than_eight_keys_are_proposed():
    names = ["sex", "age", "region", "town", "country", "marital", "education", "job", "hh"]
    frame = pl.DataFrame({name: column(2, seed=i, n=9000) for i, name in enumerate(names)})
    found = suggest(frame).record
    assert (len(found.keys), found.stop, found.stopped_at) == (8, "most_keys", found.targets[0])
    assert found.row_of(found.targets[0]).reason.endswith("but there are 8 keys already.")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", [f"p{i}" for i in range(N)]),
        ("x", list(range(1000, 1000 + N))),
        ("x", [float(i) for i in range(N)]),
        ("birth_date", [f"{1900 + i // 28}-01-{1 + i % 28:02}" for i in range(N)]),
        ("x", [f"p{i}" for i in range(30)] + [None] * 170),
    ],
)
def test_a_column_that_nearly_nobody_shares_is_an_identifier(name, values):
    row = role_of(name, values)
    assert (row.role, row.source) == ("identifier", "values")
    n = len([value for value in values if value is not None])
    assert row.reason == (
        f"{n} different values among {n} records: nearly everyone has one of their own, so it"
        " points at people. Drop it before a release."
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", [i + 0.5 for i in range(N)]),
        ("income", list(range(1000, 1000 + N))),
        ("x", [f"p{i}" for i in range(15)] + ["q"] * 185),
    ],
)
def test_measured_amounts_and_few_rare_values_are_no_identifier(name, values):
    assert role_of(name, values).role == "target"


def test_ages_are_no_identifier_even_where_nobody_shares_one():
    assert role_of("age", list(range(30))).role == "key"


@pytest.mark.parametrize(("n_different", "role"), [(90, "identifier"), (89, "target")])
def test_nearly_everyone_is_nine_in_ten(n_different, role):
    values = [f"p{min(i, n_different - 1)}" for i in range(100)]
    assert role_of("x", values).role == role
    numbers = [10**9 + int(value[1:]) for value in values]
    assert role_of("x", numbers).role == role


def test_whole_numbers_that_some_people_share_are_amounts_unless_they_have_one_width():
    shared = [*range(95), 7, 8, 9, 10, 11]
    assert role_of("mileage", shared).role == "target"
    assert role_of("mileage", list(range(100))).role == "identifier"
    assert role_of("mileage", [10**7 + one for one in shared]).role == "identifier"
    assert role_of("patient_id", [*range(120), 7, 8]).role == "person"


def test_free_text_is_an_identifier():
    assert role_of("x", [f"of four words {i % 60}" for i in range(N)]).role == "identifier"
    assert role_of("x", [f"of three {i % 60}" for i in range(N)]).role == "target"
    texts = [f"I would like to say {i % 60}" for i in range(N)]
    row = role_of("comment", texts)
    assert (row.role, row.n_distinct) == ("identifier", 60)
    assert (
        row.reason == "free text, 60 different ones: it may name people. Drop it before a release."
    )
    few = ["services for the population and transport"] * 100 + ["no special field at all"] * 100
    assert role_of("comment", few).role == "target"


def test_names_and_numbers_of_people_are_identifiers_where_there_are_many():
    many = [f"n{i % 120}" for i in range(400)]
    row = role_of("surname", many)
    assert (row.role, row.source) == ("identifier", "name")
    assert (
        row.reason == "named as an identifier, with 120 different values. Drop it before a release."
    )
    assert role_of("has_email", ["yes", "no"] * 100).role == "target"
    assert role_of("region_id", [i % 120 for i in range(4000)]).role == "key"


def test_numbers_of_households_are_identifiers_and_their_sizes_are_not():
    row = role_of("hhid", [i // 3 for i in range(600)])
    assert row.role == "identifier"
    assert row.reason == (
        "household in its name, with 200 different values: the numbers of households, not what they"
        " are like. Drop it before a release."
    )
    assert role_of("hhsize", [i % 9 for i in range(600)]).role == "key"


def test_one_value_beside_missing_ones_says_something():
    assert role_of("hiv", ["yes", None] * 20).role == "target"
    assert role_of("hiv", [1, -8] * 20, special_codes={"hiv": -8}).role == "target"


def test_columns_that_say_nothing_are_left_aside():
    assert role_of("sex", ["f"] * 30).reason == (
        "one value for everyone: nothing to know and nothing to learn."
    )
    assert role_of("sex", [None] * 30).reason == (
        "no value at all: nothing to know and nothing to learn."
    )
    row = role_of("x", [[1], [2]])
    assert (row.role, row.n_distinct) == ("ignore", None)
    assert row.reason == "holds lists, which no measure compares."


WEIGHTS = [0.5, 1.5] * 100


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("wt", WEIGHTS, "weight"),
        ("pond", WEIGHTS, "weight"),
        ("survey_weight", WEIGHTS, "weight"),
        ("weight", WEIGHTS, "weight"),
        ("Gewicht", [10, 20] * 100, "weight"),
        ("weight", [0, 1] * 100, "target"),
        ("weight", ["a", "b"] * 100, "target"),
        ("weight", [1.5, None] * 100, "target"),
        ("body_weight", [60, 70] * 100, "key"),
        ("weight_kg", [60, 70] * 100, "key"),
        ("weight", [61.5, 80.0] * 100, "key"),
        ("weight", [61.25, 80.1] * 100, "weight"),
        ("weight", [61.5, 2_000.0] * 100, "weight"),
        ("survey_weight", [61.5, 80.0] * 100, "weight"),
    ],
)
def test_a_weight_is_proposed_by_its_name_where_it_is_positive(name, values, role):
    assert role_of(name, values).role == role


def test_beside_heights_a_weight_is_that_of_a_body_unless_it_says_otherwise():
    frame = pl.DataFrame({"height": column(20), "weight": WEIGHTS, "wgt": WEIGHTS, "wt2": WEIGHTS})
    found = suggest(frame).record
    assert found.row_of("weight").topic == "body weight"
    assert found.row_of("wgt").role == "weight"
    assert found.row_of("wt2").role == "ignore"
    assert found.row_of("wt2").reason == ("another weight: 'wgt' is proposed as the one to use.")


def test_of_two_weights_the_one_that_says_it_is_of_a_sample_goes_first():
    found = suggest(pl.DataFrame({"weight": WEIGHTS, "wt": WEIGHTS, "x": column(3)}))
    assert (found.roles["wt"], found.roles["weight"]) == ("weight", "ignore")


def test_the_date_of_an_event_is_no_key_and_that_of_a_birth_may_be():
    days = [date(2000, 1, 1) + timedelta(days=day) for day in column(30)]
    frame = pl.DataFrame({"admission": days, "date_of_birth": days, "marriage_date": column(40)})
    label = "Day of admission from the place of residence"
    variables = (
        Variable(name="admission", kind="date", label=label),
        *(Variable(name=name, kind="date") for name in frame.columns[1:]),
    )
    book = Codebook(source="f", format="csv", variables=variables)
    found = suggest(Labelled(frame, book)).record
    assert found.keys == ("date_of_birth",)
    for name in ("admission", "marriage_date"):
        assert (found.row_of(name).role, found.row_of(name).reason) == (
            "target",
            "the date of an event, and not of birth: what an intruder may want to learn. Make it a"
            " key if others know it.",
        )


def test_a_key_that_few_share_settles_nothing():
    # 30 of 100 records share their town with somebody, fewer than half: nothing was tried.
    town = [*range(70), *([70, 71, 72] * 10)]
    region = [place % 2 for place in town]
    row = suggest(pl.DataFrame({"town": town, "region": region})).record.row_of("region")
    assert (row.role, row.function_of) == ("target", ())
    often = [place % 73 for place in town] * 2
    row = suggest(pl.DataFrame({"town": often, "region": region * 2})).record.row_of("region")
    assert (row.role, row.function_of) == ("ignore", ("town",))


def test_a_function_of_a_key_is_left_out_though_some_entries_lack():
    age = column(40)
    group = [None if i < 4 else years // 10 for i, years in enumerate(age)]
    frame = pl.DataFrame({"agegr": group, "age": age, "risk": [years // 20 for years in age]})
    found = suggest(frame).record
    assert found.keys == ("age",)
    assert found.row_of("agegr").role == "ignore"
    assert found.row_of("agegr").function_of == ("age",)
    # Without a word that says it is known it stays a target: by chance a secret may look so.
    assert found.row_of("risk").role == "target"
    assert found.row_of("risk").reason.endswith(
        "In these data it is a function of 'age': the key determines it."
    )
    assert any(
        text.startswith("Not used, because a key determines them: agegr (by age, +")
        for text in sentences(found)
    )


def test_labels_speak_where_names_do_not():
    frame = pl.DataFrame({"v1": column(2), "v2": column(90, seed=2), "v3": column(4, seed=3)})
    labels = {"v1": "Sex of the respondent", "v2": "Alter in Jahren", "v3": "Stan zdrowia"}
    variables = tuple(Variable(name=name, label=label) for name, label in labels.items())
    book = Codebook(source="x.sav", format="spss", variables=variables)
    found = suggest(Labelled(frame, book))
    assert set(found.keys) == {"v1", "v2"}
    assert found.record.row_of("v3").grade == "sensitive"
    row = found.record.row_of("v2")
    assert (row.topic, row.grade, row.source) == ("age", "visible", "label")
    assert row.reason.startswith("age in its label: others see it or find it out.")


def test_special_codes_are_no_values_that_differ():
    ages = [*range(30), *([-8] * 10)]
    row = role_of("x", ages, special_codes={"x": [-8]})
    assert (row.role, row.n_distinct) == ("identifier", 30)
    assert role_of("x", ages).role == "target"
    texts = [*map(str, range(30)), *(["NA"] * 10)]
    assert role_of("x", texts, missing_values="NA").n_distinct == 30


def test_keys_that_are_named_stay_and_none_is_added():
    found = suggest(survey(), keys=["sex", "income"]).record
    assert (found.keys, found.stop) == (("sex", "income"), "given")
    assert found.row_of("sex").source == "given"
    assert found.row_of("sex").reason == (
        "named by you as a key. No one becomes unique on it by itself."
    )
    told = list(sentences(found))
    assert told[0].startswith("You named them as what an intruder knows.")
    assert told[1] == "No key was added to those you named."
    assert told[2].startswith("Of the other columns, age (visible) would make most people unique")
    odd = suggest(pl.DataFrame({"weight": list(range(1, 41))}), keys="weight").record
    assert odd.row_of("weight").reason.endswith("is it an identifier?")


def test_without_a_known_word_no_keys_are_proposed_and_that_is_said():
    found = suggest(pl.DataFrame({"x": column(3), "y": [*range(20), *([0] * 180)]}))
    assert (found.keys, found.record.stop) == ((), "no_candidate")
    told = list(sentences(found.record))
    assert told[0].startswith("No name or label points to what others usually know about a person")
    assert told[1] == "By itself y makes 19 people unique, the most."
    assert key_line(found.record) is None
    assert repr(found) == "Proposed roles: no keys, 2 targets"


def test_one_key_is_told_in_the_singular():
    found = suggest(pl.DataFrame({"sex": column(2), "x": column(2, seed=1)})).record
    assert key_line(found) == "Proposed keys: sex. Unique on them: 0 of 200 people (0 %)."
    assert next(sentences(found)) == (
        "Neighbours or colleagues usually know it. Change it if an intruder in your setting knows"
        " more or less."
    )


def test_neither_the_order_of_people_nor_the_names_of_levels_matter():
    frame = survey()
    other = frame.sample(fraction=1, shuffle=True, seed=1).with_columns(
        pl.col("sex", "region", "settlement").str.to_uppercase(), pl.col("age") + 7
    )
    assert suggest(other).record == suggest(frame).record


def test_every_form_of_the_result_tells_the_same():
    found = suggest(survey())
    assert Suggestion.from_json(found.to_json()) == found.record
    assert found.frame().columns == list(found.record.rows[0].to_dict())
    assert dict(found.frame().select("column", "role").iter_rows()) == found.roles
    assert repr(found) == (
        "Proposed keys age, region, settlement and sex: 1,963 people of 5,000 unique; 8 targets"
    )
    assert "Neighbours or colleagues usually know them" in found._repr_html_()
    assert "<script" not in found._repr_html_()


def test_no_value_of_the_data_is_told():
    canary = "QQcanary"
    data = {
        "sex": [f"{canary}{i % 2}" for i in range(N)],
        "surname": [f"{canary}{i}" for i in range(N)],
        "comment": [f"{canary} a b c {i % 70}" for i in range(N)],
        "health": [f"{canary}{i % 5}" for i in range(N)],
        "one": [canary] * N,
        "income": [8675309 if i else 4242424 for i in range(N)],
    }
    found = suggest(pl.DataFrame(data))
    said = [found.to_json(), found.to_toml(), repr(found), found._repr_html_(), str(found.frame())]
    for text in [*said, *sentences(found.record)]:
        assert not any(secret in text for secret in (canary, "8675309", "4242424"))


def test_progress_is_told():
    seen = []
    suggest(survey(), progress=lambda what, done, total: seen.append((what, done, total)))
    assert ("looking at sex", 0, 12) in seen
    assert ("weighing satisfaction", 11, 12) in seen


FRAME = pl.DataFrame({"age": [1, 2], "sex": ["f", "m"], "list": [[1], [2]]})
BAD = [
    ({"keys": []}, "No keys are given. Name the columns an intruder would know, or omit the keys"
                   " to have them proposed."),
    ({"keys": 5}, "Keys must be column names, as text; given is int."),
    ({"keys": ["age", "age"]}, "Column 'age' is given twice among the keys. Name it once."),
    ({"keys": "aeg"}, "The dataset has no column 'aeg'. Did you mean 'age'? Its columns are: age,"
     " sex,"
     " list."),
    ({"keys": "list"}, "Column 'list' of the dataset holds lists, not single values, and cannot be"
                       " a key. Remove it from the keys, or split it into columns of numbers, text"
                       " or dates."),
    ({"special_codes": {"agee": [1]}}, "The dataset has no column 'agee'. Did you mean 'age'? Its"
     " columns are: age, sex, list."),
    ({"special_codes": {"sex": [1]}}, "Special codes are given for 'sex', which holds no numbers."
                                      " Remove it from the special codes; declare an entry that"
                                      " means missing with missing_values (--missing on the"
                                      " command line)."),
    ({"special_codes": 5}, "special_codes is 5. Name the columns, as in {'income': [-8, -9]}."),
    ({"missing_values": 5}, 'missing_values must be texts, such as ["NA", "-9"].'),
    ({"progress": 5}, "progress is 5, which cannot be called. Give a function of what is being"
     " done, how many steps are done, and how many there are."),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "sentence"), BAD, ids=lambda one: str(one)[:40])
def test_bad_input_is_a_sentence(settings, sentence):
    with pytest.raises(InputError) as caught:
        suggest(FRAME, **settings)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_a_file_without_names_of_columns_is_refused_without_quoting_it(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("QQanna,57,1820,north\nQQbert,31,900,south\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        suggest(path)
    assert str(caught.value) == (
        "The dataset (people.csv) seems to have no names of columns: its first line looks like a"
        " record. Put a line with the names above it."
    )
    path.write_text("age,2019,2020,2021\n1,1,1,1\n2,2,1,2\n", encoding="utf-8")
    assert suggest(path).keys == ("age",)


def test_a_file_of_one_person_or_of_nothing_comparable_is_no_fault():
    assert suggest(pl.DataFrame({"age": [1]})).record.row_of("age").role == "ignore"
    assert suggest(pl.DataFrame({"x": [[1], [2]]})).record.stop == "no_candidate"
