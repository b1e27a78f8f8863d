"""Identifiers and free text: refused until somebody says what to do with them."""

import numpy as np
import polars as pl
import pytest

from unveil.errors import InputError
from unveil.measure.roles.suggest import suggest
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser

N = 60
RNG = np.random.default_rng(1)
WORDS = ["fell", "from", "a", "ladder", "at", "home", "and", "broke", "an", "arm"]
PATIENTS = pl.DataFrame(
    {
        "patient": [f"P{7 * number:04}" for number in range(N)],
        "case": RNG.permutation(10**6 + 13 * np.arange(N)),
        "surname": [f"family {number % 40}" for number in range(N)],
        "sex": RNG.choice(["f", "m"], N),
        "note": [" ".join(RNG.choice(WORDS, 5)) if n % 3 else None for n in range(N)],
        "bill": RNG.gamma(2, 500, N).round(2),
    }
)
ALL = ["patient", "case", "surname", "note"]
WHAT_TO_DO = (
    "Identifiers and free text are not synthesised without an instruction. Drop each, renumber it,"
    " or state why its real values may be repeated (drop, renumber, real_values; on the command"
    " line --drop patient,case,surname,note, --renumber NAMES, --real-values COLUMN=REASON; in a"
    " project under [synthesis])."
)
OWN = "nearly everyone has one of their own, so it points at people."


def refusal(**asked):
    with pytest.raises(InputError) as caught:
        synthesise(PATIENTS, **asked)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_they_are_refused_with_what_was_recognised_and_no_value():
    n_notes = PATIENTS["note"].drop_nulls().n_unique()
    assert refusal().split("\n") == [
        f"Column 'patient': 60 different values among 60 records: {OWN}",
        f"Column 'case': 60 different values among 60 records: {OWN}",
        "Column 'surname': named as an identifier, with 40 different values.",
        f"Column 'note': {n_notes} different values among 40 records: {OWN}",
        WHAT_TO_DO,
    ]
    assert [n for n, role in suggest(PATIENTS).roles.items() if role == "identifier"] == ALL


def test_free_text_that_some_share_is_refused_too():
    shared = PATIENTS.select("sex", note=pl.Series([f"ward {n % 20} and so on" for n in range(N)]))
    with pytest.raises(
        InputError, match="'note': free text, 20 different ones: it may name people"
    ):
        synthesise(shared)


@pytest.mark.parametrize("asked", [{"order": ["sex", "case"]}, {"keep": "case"}])
def test_naming_one_to_be_made_or_kept_is_no_instruction(asked):
    assert refusal(drop=["patient", "surname", "note"], **asked).startswith("Column 'case': 60")


def test_each_has_its_instruction(tmp_path):
    made = synthesise(
        PATIENTS,
        drop=["note", "surname"],
        renumber=["patient", "case"],
        rows=50,
        seed=1,
    )
    (copy,) = made.copies
    assert copy.columns == ["patient", "case", "sex", "bill"]
    assert copy["patient"].to_list() == [f"FAKE_{number}" for number in range(1, 51)]
    assert copy["case"].to_list() == [*range(1, 51)]
    assert made.record.notes[:2] == (
        "Dropped: note, surname.",
        "Running numbers, which carry nothing of the original: patient, case.",
    )
    roles = {column.name: column.role for column in made.record.columns}
    assert [roles[name] for name in ("note", "patient", "sex")] == [
        "left out", "renumbered", "synthesised",
    ]  # fmt: skip
    assert made.record.warnings == ()
    kept = made.save(tmp_path / "CONFIDENTIAL.model")
    assert Synthesiser.load(kept).sample(rows=50)[0].equals(copy)


def test_what_is_dropped_or_renumbered_models_nothing():
    plain = synthesise(PATIENTS.drop(ALL), seed=1).copies[0]
    told = synthesise(PATIENTS, drop=ALL[:2], renumber=ALL[2:], seed=1)
    assert told.copies[0].drop("surname", "note").equals(plain)
    assert told.record.order == ("sex", "bill")


def test_real_values_are_repeated_for_a_stated_reason_alone_and_this_is_told():
    made = synthesise(
        PATIENTS, drop=ALL[1:], real_values={"patient": "numbers of beds, not of people"}, seed=1
    )
    assert set(made.copies[0]["patient"]) <= set(PATIENTS["patient"])
    assert made.record.warnings == (
        "The synthetic data repeat real values of 'patient', which may point at people. Stated"
        " reason: numbers of beds, not of people",
    )


def test_an_identifier_may_predict_without_being_in_the_synthetic_data():
    asked = {"drop": ALL, "predictors": {"bill": ["case", "sex"]}}
    made = synthesise(PATIENTS, **asked, seed=1)
    assert made.copies[0].columns == ["sex", "bill"]
    assert made.record.columns[1].role == "predictor only"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"drop": ["nots"]}, "The original has no column 'nots'. Did you mean 'note'?"),
        (
            {"drop": "note", "renumber": ["case", "note"]},
            "Column 'note' has two instructions. Name it in one of drop, renumber and real_values.",
        ),
        ({"real_values": "case"}, "real_values is 'case'. Write a reason for each column, such as"),
        ({"real_values": {"case": " "}}, "The reason for real values of 'case' is ' '. State why"),
        (
            {"drop": ALL, "order": ["sex", "note"]},
            "Column 'note' cannot be dropped and part of the synthetic data. Name it in one place.",
        ),
        (
            {"renumber": ALL, "strata": "surname"},
            "Column 'surname' cannot be renumbered and made in another way. Name it in one place.",
        ),
        (
            {"renumber": ALL, "keep": "sex"},
            "Columns that are kept match the original row for row, so running numbers would show"
            " which row is whose. Drop 'patient', 'case', 'surname', 'note', or keep no column.",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(asked, sentence):
    assert refusal(**asked).startswith(sentence)


def test_dates_cannot_be_renumbered():
    dated = PATIENTS.select("sex", day=pl.Series(range(N)).cast(pl.Date))
    with pytest.raises(InputError, match="'day' holds neither text nor numbers, and cannot be ren"):
        synthesise(dated, renumber="day")


def test_a_column_that_says_whose_row_it_is_is_refused_and_dropping_it_is_told_of():
    visits = pl.DataFrame({"pid": [n // 8 for n in range(240)], "sex": ["f", "m", "m"] * 80})
    counts = "repeats: 240 rows of 30 people"
    with pytest.raises(InputError) as caught:
        synthesise(visits)
    first, *_ = str(caught.value).split("\n")
    assert first == f"Column 'pid': {counts}, so it identifies the person of a row."
    assert (
        f"'pid' {counts}. Leaves and rare levels were counted by row; declare the column as person."
        " Rows are synthesised one by one, so the rows of a person do not belong together in the"
        " synthetic data."
    ) in synthesise(visits, drop="pid", seed=1).record.notes
